"""Solutions, their symmetries and their pictures, against definitions written here."""

import base64
import copy
import io
import itertools
import pickle
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import nqueens_count as nqueens
import numpy
import pytest


def is_solution(columns):
    size = len(columns)
    lines = [{column + sign * row for row, column in enumerate(columns)} for sign in (0, 1, -1)]
    return all(0 <= column < size for column in columns) and all(len(line) == size for line in lines)


def by_definition(size):
    return [columns for columns in itertools.permutations(range(size)) if is_solution(columns)]


@pytest.mark.parametrize("size", range(1, 9))
def test_solutions_are_all_and_in_order(size):
    assert list(nqueens.solutions(size)) == by_definition(size)
    assert nqueens.first(size) == next(iter(by_definition(size)), None)
    for row in range(size):
        queen = [found for found in by_definition(size) if found[row] == 0]
        assert list(nqueens.solutions(size, queens=[(row, 0)])) == queen
        others = [found for found in by_definition(size) if found[row] != 0]
        assert nqueens.first(size, blocked=[(row, 0)]) == next(iter(others), None)


@pytest.mark.parametrize("size", range(1, 9))
def test_symmetries_have_their_names_and_make_the_orbit(size):
    transpose = lambda columns: tuple(map(columns.index, range(size)))
    mirror = lambda columns: tuple(size - 1 - column for column in columns)
    every, firsts = list(nqueens.solutions(size)), list(nqueens.solutions(size, fundamental=True))
    for one in every:
        assert dict(zip(nqueens.SYMMETRIES, one.symmetries())) == {
            "identity": one,
            # The turn is clockwise: the top row becomes the rightmost column.
            "quarter-turn": mirror(transpose(one)),
            "half-turn": mirror(one)[::-1],
            "three-quarter-turn": transpose(mirror(one)),
            "mirror-columns": mirror(one),
            "mirror-rows": one[::-1],
            "transpose": transpose(one),
            "anti-transpose": mirror(transpose(one))[::-1],
        }
        assert one.orbit() == sorted(set(one.symmetries()))
        assert one.is_fundamental() == (one == one.orbit()[0]) == (one in firsts)
    assert sorted(image for one in firsts for image in one.orbit()) == every


def test_a_solution_is_a_tuple():
    solution = nqueens.Solution(numpy.array([1, 3, 0, 2]))
    assert solution == (1, 3, 0, 2) and isinstance(solution, tuple)
    assert all(type(column) is int for column in solution)
    assert eval(repr(solution), {"Solution": nqueens.Solution}) == solution
    assert str(solution) == ". Q . .\n. . . Q\nQ . . .\n. . Q ."
    for other in pickle.loads(pickle.dumps(solution)), copy.copy(solution), copy.deepcopy(solution):
        assert other == solution and type(other) is nqueens.Solution
    assert {solution: 1}[nqueens.first(4)] == 1


class Endless:
    """An endless sequence that claims to be short."""

    def __len__(self):
        return 4

    def __getitem__(self, row):
        return row % 4


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ([], ValueError, "the number of columns is 0; give a whole number from 1 to 32"),
        (nqueens.any_solution(40), ValueError, "columns has more than 32 elements; give at most as many"),
        (itertools.count(), ValueError, "columns has more than 32 elements"),
        (itertools.repeat("x" * 10**6), ValueError, "columns has more than 32 elements"),
        (Endless(), ValueError, "columns has more than 32 elements"),
        ([1, "x" * 10**6], TypeError, "the column of row 1, numbered from 0, is 'x{1,40}[.]"),
        ([0, 1], ValueError, "rows 0 and 1 attack each other along the same diagonal"),
        ([1, 3, 0, 3], ValueError, "rows 1 and 3 attack each other along the same column"),
        ([1, 3, 0, 4], ValueError, "the column of row 3, numbered from 0, is 4; give a whole number from 0 to 3"),
        ([1, 3, -1, 2], ValueError, "the column of row 2, numbered from 0, is -1; give a whole number from 0 to 3"),
        ([1, 3, 10**30, 2], ValueError, "the column of row 2, numbered from 0, is 1000000"),
        ([1.0, 3.0, 0.0, 2.0], TypeError, "the column of row 0, numbered from 0, is 1.0"),
        ([True], TypeError, "the column of row 0, numbered from 0, is True"),
        (7, TypeError, "columns is 7; give the column of the queen of each row"),
    ],
)
def test_what_is_no_solution_is_refused(columns, error, message):
    with pytest.raises(error, match=message):
        nqueens.Solution(columns)


def test_any_board_has_an_array():
    for size in [1, *range(4, 200), 1000, 10**6]:
        columns = nqueens.any_solution(size)
        assert isinstance(columns, numpy.ndarray) and columns.dtype == numpy.int64
        if size < 300:
            assert is_solution(columns.tolist())
        assert len(columns) == size and nqueens.is_solution(columns)
    assert nqueens.any_solution(2) is nqueens.any_solution(3) is None


def test_any_solution_without_numpy_is_a_memoryview():
    script = """
import sys
sys.modules["numpy"] = None
import nqueens_count as nqueens
columns = nqueens.any_solution(1000)
assert type(columns) is memoryview and columns.format == "q"
assert columns[0] == 1 and nqueens.is_solution(columns) and columns.tolist() == list(columns)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_is_solution_takes_any_sequence():
    for size in range(1, 6):
        for columns in itertools.product(range(-1, size + 1), repeat=size):
            if is_solution([column - 1 for column in columns]):
                with pytest.raises(ValueError, match="numbered from 0, and these are a solution if .* from 1; give "):
                    nqueens.is_solution(columns)
            else:
                assert nqueens.is_solution(columns) == is_solution(columns)
    assert not nqueens.is_solution([]) and not nqueens.is_solution([10**30])
    assert nqueens.is_solution(iter([1, 3, 0, 2]))
    for wrong in "x", True:
        with pytest.raises(TypeError, match=f"the column of row 1 is {wrong!r}; give a whole number"):
            nqueens.is_solution([1, wrong])
    with pytest.raises(TypeError, match="columns is 7; give the column"):
        nqueens.is_solution(7)
    for endless in itertools.count(), Endless():
        with pytest.raises(ValueError, match="columns has more than 1000000 elements"):
            nqueens.is_solution(endless)


LINK = "{http://www.w3.org/1999/xlink}href"


def squares(picture):
    """Returns the columns of the queens of each board of a picture."""
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(str(picture))
    for group in root.findall(f"{svg}g"):
        queens = [each for each in group.iter(f"{svg}use") if each.get(LINK) == "#queen"]
        yield tuple(int(x) // 40 for _, x in sorted((int(each.get("y")), each.get("x")) for each in queens))


def test_a_drawing_has_every_board(tmp_path):
    every = list(nqueens.solutions(6))
    picture = nqueens.draw(every)
    assert list(squares(picture)) == every
    # A notebook takes the picture and its alternative text.
    assert picture._repr_svg_()[1] == {"alt": "4 solutions for 6 queens"}
    assert nqueens.first(4)._repr_svg_()[1] == {"alt": "a solution for 4 queens, [1, 3, 0, 2]"}
    assert list(squares(nqueens.draw(nqueens.solutions(5, fundamental=True)))) == [(0, 2, 4, 1, 3), (1, 4, 2, 0, 3)]
    assert list(squares(every[0]._repr_svg_()[0])) == list(squares(nqueens.draw(every[0]))) == every[:1]
    width = lambda square: int(ElementTree.fromstring(str(nqueens.draw(every[0], square=square))).get("width"))
    assert width(40) == 2 * width(20) == 280


@pytest.mark.parametrize("shown", [nqueens.first(4), nqueens.draw(nqueens.first(4)), nqueens.draw(nqueens.solutions(6))])
def test_a_notebook_shows_an_image_with_its_text(shown):
    image = re.fullmatch(r'<img alt="([^"<>]+)" src="data:image/svg\+xml;base64,([^"]+)">', shown._repr_html_())
    svg, metadata = shown._repr_svg_()
    assert image[1] == metadata["alt"] and base64.b64decode(image[2]).decode() == svg
    assert ElementTree.fromstring(svg).get("aria-label") == metadata["alt"]


NAMES = ["four.svg", "four.SVG", "two.dots.svg", "fünf.Svg"]


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_saved(name, kind, tmp_path):
    picture = nqueens.draw(nqueens.solutions(6))
    picture.save(kind(tmp_path / name))
    assert (tmp_path / name).read_bytes() == str(picture).encode()


ENDINGS = "give the path of a file that ends in .svg or .png or .pdf$"


@pytest.mark.parametrize("name", ["x.jpg", "x.html", "x.svgz", "x.svg.gz", "x", "svg", ".svg", "x.", "x.svg "])
def test_a_drawing_has_no_other_ending(name, tmp_path):
    for path in tmp_path / name, str(tmp_path / name):
        with pytest.raises(ValueError, match="path is .*; " + ENDINGS):
            nqueens.draw(nqueens.first(4)).save(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", [1, True, None, io.BytesIO(), io.StringIO(), b"x.svg", ["x.svg"]])
def test_a_drawing_is_saved_under_a_name(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TypeError, match="path is .*; " + ENDINGS):
        nqueens.draw(nqueens.first(4)).save(path)


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_cairosvg_makes_the_other_kinds(kind, tmp_path, monkeypatch):
    picture = nqueens.draw(nqueens.first(4))
    path = tmp_path / f"four.{kind.upper()}"
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(ImportError, match=f"^a .{kind} needs CairoSVG: `pip install cairosvg`, or save a .svg"):
        picture.save(path)
    assert not path.exists()
    # CairoSVG is installed but cannot be imported: the library cairo is missing.
    (tmp_path / "cairosvg.py").write_text("raise OSError('no library called \"cairo\" was found')")
    monkeypatch.delitem(sys.modules, "cairosvg")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="needs CairoSVG: .*no library called"):
        picture.save(path)
    assert not path.exists()
    made = mock.Mock(return_value=b"the bytes")
    monkeypatch.setitem(sys.modules, "cairosvg", mock.Mock(**{f"svg2{kind}": made}))
    picture.save(path)
    assert path.read_bytes() == b"the bytes"
    made.assert_called_once_with(bytestring=str(picture).encode())


EACH_KIND = {
    "a solution": nqueens.draw(nqueens.first(8)),
    "several": nqueens.draw(nqueens.solutions(6), square=40),
    "a heat map": nqueens.heat_map(nqueens.by_square(8)),
    "a step": list(nqueens.trace(6))[40].draw(),
}


@pytest.mark.parametrize("picture", EACH_KIND.values(), ids=EACH_KIND)
def test_a_picture_is_svg_1_1(picture):
    """Many tools know neither links without a prefix nor CSS Color 4."""
    elements = list(ElementTree.fromstring(str(picture)).iter())
    assert len(elements) > 10
    for element in elements:
        assert element.tag.startswith("{http://www.w3.org/2000/svg}") and "href" not in element.attrib
        for name in "fill", "stroke":
            colour = element.get(name, "none")
            assert re.fullmatch("none|#[0-9a-f]{3}|#[0-9a-f]{6}", colour), colour


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nqueens.draw([]), ValueError, "solutions has no element"),
        (lambda: nqueens.draw([nqueens.first(4), nqueens.first(5)]), ValueError, "5 rows among those of 4; draw"),
        (lambda: nqueens.draw([nqueens.first(5), nqueens.first(4)]), ValueError, "4 rows among those of 5; draw"),
        (lambda: nqueens.draw([(0, 1)]), ValueError, "attack each other"),
        (lambda: nqueens.draw(nqueens.solutions(11)), ValueError, "solutions has more than 1000 elements"),
        (lambda: nqueens.draw([1, 3, 0, 2]), TypeError, r"is 1; give a solution .* Solution\(\[1, 3, 0, 2\]\)"),
        (lambda: nqueens.draw(nqueens.first(3)), TypeError, "solutions is None; give a solution or several"),
        (lambda: nqueens.heat_map(5), TypeError, "counts is 5; give a list of counts for each row, as by_square returns"),
        (lambda: nqueens.heat_map([[1, 2], 3]), TypeError, "a row of counts is 3; give a list of counts for each row"),
        (lambda: nqueens.solutions(4, fundamental="no"), TypeError, "fundamental is 'no'"),
        (lambda: nqueens.solutions(4, fundamental=True, queens=[(0, 1)]), ValueError, "give neither queens nor blocked"),
        (lambda: nqueens.first(4, queens=[(4, 0)]), ValueError, "queens: row 4, column 0 is not on the board"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
