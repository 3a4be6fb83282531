//! The scripts that make releases and check them, and the names in the files of the repository.

use crate::common::{self, needs, program};
use crate::run::ended;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const TOP: &str = env!("CARGO_MANIFEST_DIR");

/// The exit code of a script, its standard output and its standard error.
type Ended = (i32, String, String);

fn script(top: &Path, name: &str, arguments: &[&str]) -> Ended {
    let path = top.join("scripts/release").join(name);
    ended(common::command("bash").arg(path).args(arguments).output().expect("bash is installed"))
}

fn stdout((code, stdout, stderr): Ended) -> String {
    assert_eq!(code, 0, "{stderr}");
    stdout
}

/// Asserts that a script fails and says this.
fn assert_fails((found, _, stderr): Ended, code: i32, with: &str) {
    assert_eq!(found, code, "{stderr}");
    assert!(stderr.contains(with), "{stderr} does not contain {with}");
}

/// Returns a git repository with the files that name the version or the account.
fn names() -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let files = ["Cargo.toml", "CITATION.cff", "README.md", "CHANGELOG.md", "python/Cargo.toml", "python/README.md"];
    let mut copying = common::command("cp");
    copying.args(["-r", "--parents", "docs", "examples", "scripts/release"]).args(files).arg(copy.path());
    assert!(copying.current_dir(TOP).status().expect("there is cp").success());
    for arguments in [&["init", "--quiet"][..], &["add", "--all"]] {
        let git = common::command("git").args(arguments).current_dir(&copy).env_remove("GIT_DIR").status();
        assert!(git.expect("git is installed").success());
    }
    copy
}

fn replace(folder: &Path, file: &str, old: &str, new: &str) {
    let path = folder.join(file);
    let content = fs::read_to_string(&path).unwrap();
    assert!(content.contains(old), "{file} does not contain {old}");
    fs::write(&path, content.replacen(old, new, 1)).unwrap();
}

#[test]
fn a_release_with_another_version_or_without_an_account_is_refused() {
    if !needs::all_installed(&["git"]) {
        return;
    }
    let copy = names();
    let version = env!("CARGO_PKG_VERSION");
    let tag = format!("v{version}");
    let check = |arguments: &[&str]| script(copy.path(), "check-version.sh", arguments);
    // docs/release.md has this command.
    let named = |from: &str, to: &str| {
        let line = format!("git grep -l {from}/nqueens | xargs sed -i 's#{from}/nqueens#{to}/nqueens#g'");
        assert!(common::command("sh").args(["-c", &line]).current_dir(&copy).status().unwrap().success());
    };
    named("OWNER", "someone");
    stdout(check(&[]));
    let changelog = fs::read_to_string(copy.path().join("CHANGELOG.md")).unwrap();
    let heading = changelog.lines().find(|line| line.starts_with("## ")).unwrap();
    replace(copy.path(), "CHANGELOG.md", heading, &format!("## {version} (2026-12-31)"));
    assert_fails(check(&[&tag]), 1, "still speak of the placeholder OWNER: ");
    for file in ["Cargo.toml", "README.md", "docs/install.md"] {
        let path = copy.path().join(file);
        let lines = fs::read_to_string(&path).unwrap();
        let kept: String = lines.split_inclusive('\n').filter(|line| !line.contains("OWNER")).collect();
        fs::write(&path, kept).unwrap();
    }
    assert_fails(check(&[&tag]), 1, "CITATION.cff has no line 'date-released: 2026-12-31'");
    let cited = format!("version: {version}\n");
    replace(copy.path(), "CITATION.cff", &cited, &format!("{cited}date-released: 2026-12-31\n"));
    stdout(check(&[&tag]));

    assert_fails(check(&[&format!("{tag}.1")]), 1, &format!("the tag must be '{tag}'"));
    let of = |before: &str| [version, "9.9.9"].map(|version| format!("{before}{version}"));
    let account = ["github.com/someone/nqueens", "github.com/other/nqueens"].map(str::to_owned);
    for (file, [right, wrong], said) in [
        ("CITATION.cff", of("version: "), "CITATION.cff has no line 'version: "),
        ("examples/kubernetes.yaml", of("/nqueens:"), "examples/kubernetes.yaml, line "),
        ("CHANGELOG.md", of("## "), "CHANGELOG.md begins with"),
        ("docs/install.md", account, "these lines name another: docs/install.md:"),
        ("CHANGELOG.md", ["(2026-12-31)", "(unreleased)"].map(str::to_owned), "give the day of the release"),
    ] {
        replace(copy.path(), file, &right, &wrong);
        assert_fails(check(&[&tag]), 1, said);
        replace(copy.path(), file, &wrong, &right);
    }
    named("someone", "OWNER");
    assert_fails(check(&[&tag]), 1, "the account is not known");
}

/// A release, laid out and packed. The tests' own program writes its files; a small script that prints what the check
/// of an archive asks for is packed in its place, because that is quicker.
struct Release {
    folder: TempDir,
}

impl Release {
    fn new() -> Self {
        let release = Self { folder: tempfile::tempdir().unwrap() };
        let tree = release.tree();
        stdout(script(
            Path::new(TOP),
            "tree.sh",
            &[env!("CARGO_BIN_EXE_nqueens"), tree.to_str().expect("the path is text")],
        ));
        release.set_program("# GLIBC_2.2.5 GLIBC_2.17");
        release
    }

    fn set_program(&self, more: &str) {
        let program = format!("#!/bin/sh\ncase $2 in 10) echo 724 ;; 18) echo 666090624 ;; esac\n{more}\n");
        fs::write(self.tree().join("bin/nqueens"), program).unwrap();
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn touch(&self, file: &str) {
        let file = fs::File::options().append(true).open(self.tree().join(file)).unwrap();
        file.set_modified(std::time::SystemTime::now()).unwrap();
    }

    fn packed(&self, name: &str) -> PathBuf {
        let archive = self.folder.path().join(name);
        let packed = common::command("python3")
            .arg(Path::new(TOP).join("scripts/release/pack.py"))
            .args([self.tree().as_os_str(), "nqueens-1.2.3".as_ref(), archive.as_os_str()])
            .env("SOURCE_DATE_EPOCH", "1795309468")
            .output();
        stdout(ended(packed.expect("Python is installed")));
        archive
    }

    fn check(&self, name: &str) -> Ended {
        script(Path::new(TOP), "check-archive.sh", &[self.packed(name).to_str().expect("the path is text")])
    }
}

#[test]
fn archives_are_complete_and_the_same_each_time() {
    if !needs::all_installed(&["python3"]) {
        return;
    }
    let release = Release::new();
    for name in ["a.tar.gz", "a.zip"] {
        let archive = release.packed(name);
        let first = fs::read(&archive).unwrap();
        release.touch("bin/nqueens");
        assert!(fs::read(release.packed(name)).unwrap() == first, "{name} differs");
    }
    let list = common::command("tar").arg("-tzf").arg(release.packed("a.tar.gz")).output().expect("tar is installed");
    let list = stdout(ended(list));
    assert!(list.lines().all(|line| line.starts_with("nqueens-1.2.3/")), "{list}");
    for file in [
        "bin/nqueens",
        "share/man/man1/nqueens-count.1",
        "share/zsh/site-functions/_nqueens",
        "share/doc/nqueens/examples/slurm.sh",
    ] {
        assert!(list.lines().any(|line| line == format!("nqueens-1.2.3/{file}")), "{list}");
    }
    stdout(release.check("a.tar.gz"));

    let licenses = fs::read_to_string(release.tree().join("share/doc/nqueens/LICENSES-OF-DEPENDENCIES")).unwrap();
    for dependency in ["rayon-core: ", "clap_builder: ", "dlopen2: "] {
        let license = licenses.split("=====\n").find(|part| part.lines().any(|line| line.starts_with(dependency)));
        assert!(license.is_some_and(|license| license.contains("Permission is hereby granted")), "{dependency}");
    }
    assert!(!licenses.contains("\nvt100: "), "what only the tests need is not in the program");
}

#[test]
fn an_archive_that_lacks_something_or_counts_wrong_is_refused() {
    if !needs::all_installed(&["python3"]) {
        return;
    }
    let release = Release::new();
    stdout(release.check("b.tar.gz"));
    for (file, said) in [
        ("share/man/man1/nqueens-merge.1", "there is no man/man1/nqueens-merge.1"),
        ("share/bash-completion/completions/nqueens", "bash cannot load the completions"),
    ] {
        let (path, away) = (release.tree().join(file), release.folder.path().join("away"));
        fs::rename(&path, &away).unwrap();
        assert_fails(release.check("b.tar.gz"), 1, said);
        fs::rename(&away, &path).unwrap();
    }
    let readme = release.tree().join("share/doc/nqueens/README.md");
    let right = fs::read_to_string(&readme).unwrap();
    fs::write(&readme, format!("{right}\n[more](src/lib.rs)\n")).unwrap();
    assert_fails(release.check("b.tar.gz"), 1, "README.md: src/lib.rs leads nowhere");
    fs::write(&readme, right).unwrap();
    stdout(release.check("c-linux.tar.gz"));
    for (versions, newest) in [("# GLIBC_2.18 GLIBC_2.2.5 GLIBC_2.17", "GLIBC_2.18"), ("", "no glibc")] {
        release.set_program(versions);
        assert_fails(release.check("c-linux.tar.gz"), 1, &format!("the program needs {newest}"));
    }
    fs::write(release.tree().join("bin/nqueens"), "#!/bin/sh\necho 725\n").unwrap();
    assert_fails(release.check("b.tar.gz"), 1, "nqueens count 10 printed '725'");
}

#[test]
fn manual_pages_have_a_day_and_no_warning() {
    if !needs::all_installed(&["python3", "mandoc"]) {
        return;
    }
    let release = Release::new();
    let git = common::command("git").args(["rev-parse", "--show-toplevel"]).current_dir(TOP).output();
    let is_checkout = git.is_ok_and(|git| ended(git).1.trim() == TOP);
    for page in fs::read_dir(release.tree().join("share/man/man1")).unwrap() {
        let page = page.unwrap().path();
        let lint = common::command("mandoc").args(["-T", "lint", "-W", "warning"]).arg(&page).output();
        let (_, stdout, stderr) = ended(lint.expect("mandoc is installed"));
        // Outside a checkout, a page has no day while the version has none.
        let said = stdout + &stderr;
        let said: Vec<_> = said.lines().filter(|line| is_checkout || !line.contains("missing date")).collect();
        assert!(said.is_empty(), "{said:?}");
    }
}

/// The document's commands write manual pages and completions for a user who has no folder for them.
#[test]
fn pages_and_completions_are_installed_by_the_commands_of_the_document() {
    let page = fs::read_to_string(Path::new(TOP).join("docs/install.md")).unwrap();
    let mut blocks = page.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands = blocks.find(|block| block.contains("--generate")).expect("the page has these commands");
    let home = tempfile::tempdir().unwrap();
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    // The tests' own program is built already.
    let cargo = r#"while [ "$1" != -- ]; do shift; done; shift; exec "$PROGRAM" "$@""#;
    program(&bin, "cargo", cargo);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let shell = common::command("bash")
        .args(["-euc", commands])
        .env("HOME", home.path())
        .env("PATH", path)
        .env("PROGRAM", env!("CARGO_BIN_EXE_nqueens"))
        .output();
    stdout(ended(shell.expect("bash is installed")));
    for file in ["man/man1/nqueens-count.1", "zsh/site-functions/_nqueens", "fish/vendor_completions.d/nqueens.fish"] {
        assert!(fs::metadata(home.path().join(".local/share").join(file)).unwrap().len() > 0, "{file}");
    }
}

#[test]
fn a_released_program_names_no_directory_of_the_machine_that_built_it() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let bin = top.join("bin");
    fs::create_dir(&bin).unwrap();
    // This `cargo` writes the text as the program.
    let cargo = r#"
        while [ "$1" != --target ]; do shift; done
        mkdir -p "$CARGO_TARGET_DIR/$2/release"
        printf %s "$TEXT" > "$CARGO_TARGET_DIR/$2/release/nqueens"
    "#;
    program(&bin, "cargo", cargo);
    program(&bin, "rustc", "echo host: riscv64gc-unknown-linux-gnu");
    let built = |text: &str| {
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut command = common::command("bash");
        command.arg(Path::new(TOP).join("scripts/release/build.sh")).arg("--program").env("PATH", path);
        command.env("HOME", top.join("a home")).env("CARGO_TARGET_DIR", top.join("a target"));
        ended(command.env("TEXT", text).env_remove("CARGO_HOME").output().expect("bash is installed"))
    };
    assert!(stdout(built("in /cargo/registry/src/a.rs")).ends_with("/release/nqueens\n"));
    for directory in ["a home/.cargo/registry/src/a.rs", "a home/.rustup/a.rs", "a target/debug/build/out/private.rs"] {
        assert_fails(built(&format!("in {}", top.join(directory).display())), 1, "of this machine");
    }
}
