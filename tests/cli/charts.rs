//! Charts as librsvg draws them. It supports fewer styles than a browser, as most programs other than browsers do.

use crate::common;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOP: &str = env!("CARGO_MANIFEST_DIR");

/// Writes what a command shows to a file.
fn write(arguments: &str, file: &Path) {
    let mut command = common::nqueens();
    command.args(arguments.split(' ')).args(["--quiet", "--output"]).arg(file);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Red, green and blue.
type Colour = [u8; 3];

const WHITE: Colour = [255; 3];
const INK: Colour = [0x1b, 0x1f, 0x27];

/// Returns the colours of the shapes of a picture, in the order in which librsvg draws them.
///
/// Converted to SVG, each shape has its final colour as an attribute.
fn drawn(picture: &Path) -> Vec<Colour> {
    let output = Command::new("rsvg-convert").args(["--format", "svg"]).arg(picture).output();
    let output = output.expect("rsvg-convert is installed");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", picture.display());
    let text = String::from_utf8(output.stdout).unwrap();
    let colour = |text: &str| {
        let mut channels = text.split(')').next().unwrap().split(',');
        [0; 3].map(|_| {
            let percent = channels.next().unwrap().trim().trim_end_matches('%');
            (percent.parse::<f64>().unwrap() * 2.55).round() as u8
        })
    };
    text.split("rgb(").skip(1).map(colour).collect()
}

/// Asserts that a picture has light paper, and on it other colours, none of which is the black of shapes without a colour.
fn assert_light(picture: &Path) -> Vec<Colour> {
    let colours = drawn(picture);
    let name = picture.display();
    assert!(colours[0].iter().all(|&channel| channel > 0xe0), "the paper of {name} is {:?}", colours[0]);
    assert!(!colours.contains(&[0; 3]), "something in {name} has no colour");
    assert!(colours.iter().any(|colour| *colour != colours[0]), "{name} is empty");
    colours
}

#[test]
fn charts_have_their_light_colours() {
    let dir = tempfile::tempdir().unwrap();
    let study = dir.path().join("study.json");
    write("bench --study --boards 6-8 --threads 1,2 --repetitions 1 --kernel portable", &study);
    let study = study.display();
    let (blue, red) = ([0x0b, 0x4f, 0xb3], [0xa5, 0x36, 0x1a]);
    for (name, what) in [("one", format!("compare {study}")), ("both", format!("compare {study} {study}"))] {
        let picture = dir.path().join(format!("{name}.svg"));
        write(&what, &picture);
        let colours = assert_light(&picture);
        assert_eq!(colours[0], WHITE, "{name}");
        for colour in [INK, blue, red] {
            assert!(colours.contains(&colour), "{name} has nothing in {colour:?}: {colours:?}");
        }
    }
}

#[test]
fn every_chart_of_the_results_is_light() {
    let mut pictures = Vec::new();
    pictures_in(&Path::new(TOP).join("results"), &mut pictures);
    assert!(pictures.len() >= 3, "{pictures:?}");
    for picture in pictures {
        assert_light(&picture);
    }
}

fn pictures_in(folder: &Path, pictures: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            pictures_in(&path, pictures);
        } else if path.extension().is_some_and(|extension| extension == "svg") {
            pictures.push(path);
        }
    }
}
