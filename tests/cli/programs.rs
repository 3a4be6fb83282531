//! The short programs for learners: those beside the steps in the page of a trace, and those in `examples/`.

use crate::common;
use crate::common::needs::all_installed;
use nqueens::Setup;
use nqueens::classic::Method;
use std::fs;
use std::path::Path;
use std::process::Output;

const PLAYER: &str = include_str!("../../src/classic/player.html");

/// Returns what a program prints, or `None` if its language is not installed.
fn printed(folder: &Path, language: &str, code: &str) -> Option<String> {
    let run = |program: &Path, arguments: &[&str]| -> Output {
        common::command(program).current_dir(folder).args(arguments).output().unwrap()
    };
    let compile = |compiler: &str, arguments: &[&str]| {
        let output = run(Path::new(compiler), arguments);
        assert!(output.status.success(), "{language}: {}\n{code}", String::from_utf8_lossy(&output.stderr));
        run(&folder.join("program"), &[])
    };
    let (ending, program) = match language {
        "Python" => ("py", "python3"),
        "JavaScript" => ("mjs", "node"),
        "C" => ("c", "cc"),
        "Rust" => ("rs", "rustc"),
        _ => panic!("{language} is a new language"),
    };
    if !all_installed(&[program]) {
        return None;
    }
    let file = format!("code.{ending}");
    fs::write(folder.join(&file), code).unwrap();
    let output = match language {
        "C" => compile("cc", &["-Wall", "-Wextra", "-Werror", "-o", "program", &file]),
        "Rust" => compile("rustc", &["--edition", "2024", "-D", "warnings", "-o", "program", &file]),
        _ => run(Path::new(program), &[&file]),
    };
    assert!(output.status.success(), "{language}: {}\n{code}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// Returns the programs of the page: the method, the language and the lines.
fn programs() -> Vec<[&'static str; 3]> {
    let parts = PLAYER.split("<script type=\"text/plain\" data-method=\"").skip(1);
    let program = |part: &'static str| {
        let (method, rest) = part.split_once("\" data-language=\"").unwrap();
        let (language, rest) = rest.split_once("\">\n").unwrap();
        [method, language, rest.split_once("\n</script>").unwrap().0]
    };
    parts.map(program).collect()
}

/// Returns the text of a program as the page shows it for a board.
fn shown(lines: &str, setup: &Setup) -> String {
    let size = setup.board().size();
    let given = |row: usize| setup.queens().find(|queen| queen.0 == row);
    let is_open = |row: usize, column: usize| match given(row) {
        Some(queen) => queen.1 == column,
        None => !setup.blocked().any(|square| square == (row, column)),
    };
    let row = |row| (0..size).map(|column| if is_open(row, column) { '.' } else { '*' }).collect::<String>();
    let mask = |row| (0..size).map(|column| u32::from(!is_open(row, column)) << column).sum::<u32>();
    let rows: Vec<String> = (0..size).map(|each| format!("\"{}\"", row(each))).collect();
    let masks: Vec<String> = (0..size).map(|each| mask(each).to_string()).collect();
    let kept = lines.lines().map(|line| line.split(" @").collect::<Vec<_>>());
    let kept = kept.filter(|parts| !setup.is_free() || !parts[1..].contains(&"setup"));
    let text = kept.map(|parts| parts[0]).collect::<Vec<_>>().join("\n") + "\n";
    text.replace("$N", &size.to_string()).replace("$BOARD", &rows.join(", ")).replace("$MASKS", &masks.join(", "))
}

/// Every program of the page counts the solutions of a board, also if squares are blocked and queens given. Each kind
/// of step of its method has a line.
#[test]
fn the_programs_beside_the_steps_run() {
    let folder = tempfile::tempdir().unwrap();
    let boards = [
        "......\n......\n......\n......\n......\n......",
        ".Q....\n......\n......\n......\n......\n......",
        "......\n...*..\n......\n......\n......\n......",
    ];
    let programs = programs();
    for method in Method::ALL.iter().filter(|method| method.is_backtracking()) {
        let has = |language| programs.iter().any(|program| program[..2] == [method.name(), language]);
        assert!(["Python", "C", "JavaScript", "Rust"].into_iter().all(has), "{method} lacks a program");
    }
    for [method, language, lines] in programs {
        for board in boards {
            let setup: Setup = board.parse().unwrap();
            let Some(printed) = printed(folder.path(), language, &shown(lines, &setup)) else { continue };
            assert_eq!(printed, setup.solutions().count().to_string(), "{method}, {language}: {board}");
        }
        let kinds: &[&str] = match method {
            "earlier-queens" => &["blocked", "compare", "conflict", "place", "remove"],
            "flag-arrays" => &["blocked", "conflict", "place", "mark", "unmark"],
            _ => &["free", "place", "remove"],
        };
        for kind in kinds.iter().chain(&["solution", "backtrack"]) {
            let tagged: Vec<&str> = lines.lines().filter(|line| line.ends_with(&format!(" @{kind}"))).collect();
            let words: &[&str] = match *kind {
                "blocked" => &["'*'", "\"*\""],
                "compare" => &["distance"],
                "conflict" => &["return", "columns[column]", "iagonals"],
                "free" => &["free"],
                "place" => &["append", "push", "queens[row] ="],
                "mark" => &["True", "true", ", 1)"],
                "unmark" => &["False", "false", ", 0)", "pop"],
                "remove" => &["pop", "taken back"],
                "solution" => &["solutions", "return 1"],
                _ => &["back to the row above"],
            };
            let does = |line: &&str| words.iter().any(|word| line.contains(word));
            assert!(!tagged.is_empty() && tagged.iter().all(does), "{method}, {language}, {kind}: {tagged:?}");
        }
    }
}

/// The search in ten lines and the count by products in thirty print what they say, and docs/methods.md shows them in
/// Python.
#[test]
fn the_short_programs_run_and_are_those_of_the_documents() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/methods.md")).unwrap();
    for (name, most) in [("ten_lines", 10), ("thirty_lines", 30)] {
        for (language, ending) in [("Python", "py"), ("Rust", "rs")] {
            let code = fs::read_to_string(root.join(format!("examples/{name}.{ending}"))).unwrap();
            let (lines, link) = (format!("```python\n{code}```\n"), format!("examples/{name}.{ending})"));
            let shown = if language == "Python" { lines } else { link };
            assert!(page.contains(&shown), "docs/methods.md does not show examples/{name}.{ending}");
            // The lines that start the program and those without words do not count.
            let (program, _) = code.split_once("\nfn main").unwrap_or((&code, ""));
            assert!(program.lines().filter(|line| !line.is_empty()).count() <= most, "{name}.{ending} has more lines");
            if let Some(printed) = printed(folder.path(), language, &code) {
                assert_eq!(printed, "92", "{name}, {language}");
            }
        }
    }
}
