"""Files that the package writes keep their content if the new one cannot be written."""

import os
import stat
import subprocess
import sys
import threading

import nqueens
import pytest

on_unix = pytest.mark.skipif(os.name == "nt", reason="Windows has none of these")
PICTURE = nqueens.draw(nqueens.first(8))


@on_unix
def test_a_full_disk_leaves_the_old_content(tmp_path):
    # A limit of file sizes stands for a full disk; Python ignores the limit's signal.
    script = """if True:
        import errno, resource, nqueens
        open("new.svg", "w").write("old" * 1000)
        open("trace.html", "w").write("")
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        for path, save in (
            ("new.svg", nqueens.heat_map(nqueens.by_square(8)).save),
            ("trace.html", nqueens.trace(6).save),
            ("none.html", nqueens.trace(6).save),
        ):
            try:
                save(path)
            except OSError as error:
                assert error.errno == errno.EFBIG, error
            else:
                raise AssertionError(path)
    """
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60, cwd=tmp_path)
    assert (tmp_path / "new.svg").read_text() == "old" * 1000
    assert (tmp_path / "trace.html").read_text() == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.svg", "trace.html"]


@on_unix
def test_a_file_that_may_only_be_written_is_written():
    # Permissions do not restrict root, and only root may enter the folder of the tests.
    script = """if True:
        import os, tempfile, nqueens
        picture = nqueens.draw(nqueens.first(8))
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            path = f"{folder}/old.svg"
            open(path, "w").write("old" * 10**6)
            os.chmod(path, 0o222)
            os.chmod(folder, 0o555)
            if (child := os.fork()) == 0:
                if os.geteuid() == 0:
                    os.setuid(65534)
                picture.save(path)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            os.chmod(folder, 0o755)
            os.chmod(path, 0o644)
            assert open(path).read() == str(picture)
    """
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@on_unix
def test_a_file_keeps_its_permissions_and_a_new_one_has_those_of_any(tmp_path):
    def mode(path):
        return stat.S_IMODE(path.stat().st_mode)

    (tmp_path / "any").write_text("")
    PICTURE.save(tmp_path / "new.svg")
    assert mode(tmp_path / "new.svg") == mode(tmp_path / "any")
    for given in 0o600, 0o640, 0o755:
        (tmp_path / "new.svg").chmod(given)
        PICTURE.save(tmp_path / "new.svg")
        assert mode(tmp_path / "new.svg") == given
    (tmp_path / "new.svg").chmod(0o444)
    if os.geteuid() != 0:
        with pytest.raises(PermissionError):
            PICTURE.save(tmp_path / "new.svg")


@on_unix
def test_a_link_leads_to_the_file_that_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder/target.svg", tmp_path / "link.svg"
    link.symlink_to("folder/target.svg")
    for _ in range(2):  # the file is new, then old
        PICTURE.save(link)
        assert link.is_symlink() and target.read_text() == str(PICTURE)
        target.write_text("old")


@on_unix
def test_a_pipe_is_written_and_stays(tmp_path):
    path, read = tmp_path / "pipe.svg", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    PICTURE.save(path)
    reader.join()
    assert read == [str(PICTURE)] and stat.S_ISFIFO(path.stat().st_mode)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OSError):
        PICTURE.save(tmp_path / "folder.svg")
    for path in "four.svg/", "nowhere/four.svg":
        with pytest.raises((OSError, ValueError)):
            PICTURE.save(os.path.join(tmp_path, path))
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]
