//! The pictures that `scripts/results.py` draws, as a browser and librsvg show them. librsvg supports fewer styles, as
//! most programs other than browsers do.

use crate::browser::framed;
use crate::chromium::Chromium;
use crate::common::{self, needs};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const TOP: &str = env!("CARGO_MANIFEST_DIR");

/// The pictures of the results, which a script refreshes, and one of each other kind, with their names.
static PICTURES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let named = |path: PathBuf| (path.display().to_string(), fs::read_to_string(path).unwrap());
    pictures(folder.path()).into_iter().map(named).collect()
});

/// Draws pictures to a folder, and returns their paths and those of the results.
fn pictures(folder: &Path) -> Vec<PathBuf> {
    let drawn = |name: &str, files: &[String]| {
        let (document, picture) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.svg")));
        let compared = common::nqueens().args(["compare", "-q", "-o"]).arg(&document).args(files).output().unwrap();
        assert!(compared.status.success(), "{compared:?}");
        let mut chart = common::command("python3");
        chart.arg(format!("{TOP}/scripts/results.py")).arg("chart").arg(document).arg("--output").arg(&picture);
        let drawn = chart.output().unwrap();
        assert!(drawn.status.success(), "{drawn:?}");
        picture
    };
    let results = |name: &str| format!("{TOP}/results/{name}");
    let scores = ["Zen 5", "<a> & \"b\""].map(|name| {
        let file = format!("{}/{name}.json", folder.display());
        let measured = common::nqueens().args(["bench", "--duration", "1ms", "-q", "-o", &file]).status().unwrap();
        assert!(measured.success());
        file
    });
    vec![drawn("scores", &scores), results("amd-zen5-2-cpus-88701eb/overview.svg").into()]
}

/// On a telephone and on a wide screen, in light and in dark: all text is large enough, inside its picture, apart from
/// other text, and on no line but those of the grid.
#[test]
fn pictures_can_be_read_on_every_screen() {
    if !needs::all_installed(&["python3"]) {
        return;
    }
    let Some(mut chromium) = Chromium::installed() else { return };
    let style = "body { margin: 0 } svg { display: block; max-width: 100%; height: auto }";
    let head = format!("<!DOCTYPE html><meta charset=utf-8><style>{style}</style>");
    let (frames, open) = framed(&PICTURES.iter().map(|(_, picture)| head.clone() + picture).collect::<Vec<_>>());
    let script = "
        const box = (element) => element.getBoundingClientRect();
        const holds = (a, x, y) => a.left < x && x < a.right && a.top + 2 < y && y < a.bottom - 2;
        for (const [index, width] of documents.flatMap((_, index) => [[index, 360], [index, 1280]])) {
            const frame = await open(index, width, 1400);
            const [page, view] = [frame.contentDocument, frame.contentWindow];
            const texts = [...page.querySelectorAll('text')].map((text) => [text.textContent, box(text)]);
            const paper = box(page.querySelector('svg'));
            const wrong = [];
            for (const [index, [text, a]] of texts.entries()) {
                if (a.left < 0 || a.right > paper.right || a.bottom > paper.bottom || a.height < 9) wrong.push(text);
                for (const [other, b] of texts.slice(index + 1)) {
                    const beside = a.right <= b.left || b.right <= a.left;
                    if (!beside && a.bottom > b.top + 3 && b.bottom > a.top + 3) wrong.push(`${text} | ${other}`);
                }
            }
            for (const line of page.querySelectorAll('.line:not(.grid)')) {
                const place = line.getScreenCTM();
                for (let at = 0; at < line.getTotalLength(); at += 2) {
                    const { x, y } = line.getPointAtLength(at).matrixTransform(place);
                    texts.filter(([, a]) => holds(a, x, y)).forEach(([text]) => wrong.push(`a line through ${text}`));
                }
            }
            const colour = (css) => view.getComputedStyle(page.querySelector(css));
            const shown = [colour('.paper').fill, colour('text').fill, colour('.c0').color];
            const found = [wrong, page.documentElement.scrollWidth > view.innerWidth, shown];
            is(found, [[], false, colours], `picture ${index}, ${width}`);
            frame.remove();
        }";
    for (is_dark, colours) in [
        (false, ["rgb(255, 255, 255)", "rgb(27, 31, 39)", "rgb(11, 79, 179)"]),
        (true, ["rgb(29, 33, 40)", "rgb(233, 235, 239)", "rgb(132, 182, 255)"]),
    ] {
        chromium.is_dark = is_dark;
        chromium.check(frames, "", &format!("{open} const colours = {colours:?}; {script}"));
    }
}

/// If librsvg converts a picture to SVG, each shape has its final colour as an attribute. The first is the white paper,
/// and no other has the black of shapes without a colour.
#[test]
fn pictures_have_their_light_colours_without_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    if !needs::all_installed(&["python3", "rsvg-convert"]) {
        return;
    }
    for (name, picture) in &*PICTURES {
        let path = folder.path().join("picture.svg");
        fs::write(&path, picture).unwrap();
        let output = common::command("rsvg-convert").args(["--format", "svg"]).arg(&path).output().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap().replace(", ", ",");
        let colours: Vec<&str> = text.split("rgb(").skip(1).map(|part| part.split(')').next().unwrap()).collect();
        assert_eq!(colours[0], "100%,100%,100%", "{name}");
        assert!(!colours.contains(&"0%,0%,0%"), "something in {name} has no colour");
        let is_blue = |colour: &str| colour.starts_with("4.3137");
        assert!(colours.iter().any(|colour| is_blue(colour)), "{name}: {colours:?}");
    }
}
