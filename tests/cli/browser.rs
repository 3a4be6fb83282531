//! The page of `nqueens trace` in a real browser.

use crate::common;
use crate::webdriver::{Browser, END, HOME, LEFT, RIGHT};
use nqueens::classic::{Line, Position, Step, Trace, nodes_per_row};
use nqueens::{Board, Cancel};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Writes the page for these arguments and returns its path.
fn page(dir: &Path, arguments: &str) -> PathBuf {
    let path = dir.join(format!("{}.html", arguments.replace(' ', "-")));
    let mut command = common::nqueens();
    command.arg("trace").args(arguments.split_whitespace()).arg("--output").arg(&path);
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    path
}

/// Returns the steps of a search up to the first solution.
fn steps_to_first(size: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for step in Trace::new(Board::new(size).unwrap()) {
        steps.push(step);
        if let Step::Solution { .. } = step {
            break;
        }
    }
    steps
}

/// Returns the first steps of a search, at most `limit`.
fn steps(size: usize, limit: usize) -> Vec<Step> {
    Trace::new(Board::new(size).unwrap()).take(limit).collect()
}

/// Returns the state that the page shows: the board and the arrays, as strings of 0, 1 and Q.
fn shown(browser: &Browser) -> Value {
    browser.run(
        "const is = (name) => (element) => element.dataset[name] === 'true' ? '1' : '0';
         const all = (selector, name) => [...document.querySelectorAll(selector)].map(is(name)).join('');
         return {
             position: Number(document.body.dataset.position),
             queens: all('[data-row]', 'queen'),
             attacked: all('[data-row]', 'attacked'),
             columns: all('[data-array=columns]', 'marked'),
             antidiagonals: all('[data-array=anti-diagonals]', 'marked'),
             diagonals: all('[data-array=diagonals]', 'marked'),
             step: document.querySelector('#step').textContent,
         };",
    )
}

/// Returns the state that the page should show after the first `done` steps.
fn expected(size: usize, steps: &[Step], done: usize) -> Value {
    let board = Board::new(size).unwrap();
    let mut position = Position::new(board);
    steps[..done].iter().for_each(|step| position.apply(step));
    let squares = || (0..size * size).map(|square| (square / size, square % size));
    let bits =
        |flags: &mut dyn Iterator<Item = bool>| -> String { flags.map(|flag| if flag { '1' } else { '0' }).collect() };
    let queen = |(row, column)| position.queens().get(row) == Some(&column);
    let words = match done.checked_sub(1).map(|last| &steps[last]) {
        None => format!("Before the first step of {}: the board is empty", steps.len()),
        Some(step) => format!("Step {done} of {}: {}: {}", steps.len(), step.kind(), step.describe(board)),
    };
    json!({
        "position": done,
        "queens": bits(&mut squares().map(queen)),
        "attacked": bits(&mut squares().map(|square| !queen(square) && position.is_attacked(square.0, square.1))),
        "columns": bits(&mut position.flags(Line::Column).iter().copied()),
        "antidiagonals": bits(&mut position.flags(Line::AntiDiagonal).iter().copied()),
        "diagonals": bits(&mut position.flags(Line::Diagonal).iter().copied()),
        "step": words,
    })
}

#[test]
fn the_page_plays_the_trace_forwards_and_backwards() {
    let dir = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::start() else { return };
    let open = |arguments: &str| browser.open(&format!("file://{}", page(dir.path(), arguments).display()));

    // Single steps with the keys, to the solution and back to the empty board.
    open("4");
    let four = steps_to_first(4);
    assert_eq!(shown(&browser), expected(4, &four, 0));
    for done in 1..=four.len() {
        browser.press(RIGHT);
        assert_eq!(shown(&browser), expected(4, &four, done));
    }
    assert!(shown(&browser)["queens"] == "0100000110000010", "the first solution");
    browser.press(RIGHT);
    assert_eq!(shown(&browser)["position"], four.len(), "there is nothing after the end");
    for done in (0..four.len()).rev() {
        browser.press(LEFT);
        assert_eq!(shown(&browser), expected(4, &four, done));
    }

    // Buttons and jumps, through the whole tree.
    open("6 --until all");
    let six = steps(6, usize::MAX);
    for (button, done) in [("#forward", 1), ("#forward", 2), ("#back", 1), ("#last", six.len()), ("#first", 0)] {
        browser.click(button);
        assert_eq!(shown(&browser), expected(6, &six, done), "{button}");
    }
    // Jumps to the next backtrack, to the next solution, and to a step.
    let kind = || browser.run("return document.body.dataset.kind;");
    let at = || browser.run("return window.player.position();");
    for (key, button, reached) in [("b", "#backtrack", "backtrack"), ("s", "#solution", "solution")] {
        browser.run("window.player.goTo(0);");
        browser.press(key);
        let by_key = at();
        assert_eq!(kind(), reached);
        assert!(six[..by_key.as_u64().unwrap() as usize - 1].iter().all(|step| step.kind() != reached), "the first");
        browser.run("window.player.goTo(0);");
        browser.run(&format!("document.querySelector('{button}').click();"));
        assert_eq!(at(), by_key);
    }
    browser.run(
        "const field = document.querySelector('#number');
        field.focus(); field.value = 7; field.dispatchEvent(new Event('change'));",
    );
    assert_eq!(at(), 7);
    browser.press("s");
    assert_eq!(at(), 7, "keys are for the field");
    browser.run("document.querySelector('#number').blur();");
    browser.press(END);
    assert_eq!(shown(&browser)["position"], six.len());
    browser.press(HOME);
    for jump in 1..=25 {
        let done = jump * 7919 % (six.len() + 1);
        // The slider triggers these events when it is moved.
        browser.run(&format!(
            "const slider = document.querySelector('#position');
             slider.value = {done};
             slider.dispatchEvent(new Event('input'));"
        ));
        assert_eq!(shown(&browser), expected(6, &six, done));
    }
    browser.run("document.querySelector('#position').focus();");
    let before = shown(&browser)["position"].as_u64().unwrap();
    browser.press(RIGHT);
    assert_eq!(shown(&browser)["position"], before + 1, "the slider and the page do not both move");

    // A trace that was cut off is marked, and a long trace can be played.
    open("8 --until all --limit 9999");
    let eight = steps(8, 9999);
    browser.press(END);
    assert_eq!(shown(&browser), expected(8, &eight, 9999));
    let end = browser.run("return document.querySelector('#end').textContent;");
    assert!(end.as_str().unwrap().contains("cut here"), "{end}");

    assert_eq!(browser.log(), [""; 0], "nothing goes wrong, and nothing is asked of a network");
}

#[test]
fn playing_goes_on_by_itself_and_stops_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::start() else { return };
    browser.open(&format!("file://{}", page(dir.path(), "5").display()));
    let last = steps_to_first(5).len();
    let pressed = || browser.run("return document.querySelector('#play').getAttribute('aria-pressed');") == "true";
    browser.press(" ");
    assert!(pressed());
    browser.press(" ");
    assert!(!pressed(), "the same key pauses");
    // Press these keys only now: on a busy machine the trace might already be at its end, and the key would restart it.
    browser.press("++++");
    browser.click("#play");
    let deadline = Instant::now() + Duration::from_secs(60);
    while pressed() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(shown(&browser), expected(5, &steps_to_first(5), last));
}

/// A step has an address, which may be sent to others and is found again after a reload.
#[test]
fn an_address_leads_to_a_step() {
    let dir = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::start() else { return };
    let address = format!("file://{}", page(dir.path(), "6").display());
    let at = || browser.run("return window.player.position();");
    let wait_for_address = |expected: &str| {
        let deadline = Instant::now() + Duration::from_secs(20);
        while browser.run("return location.hash;") != expected {
            assert!(Instant::now() < deadline, "{expected}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    browser.open(&format!("{address}#57"));
    assert_eq!(shown(&browser), expected(6, &steps_to_first(6), 57));
    browser.press(LEFT);
    browser.press(LEFT);
    wait_for_address("#55");
    browser.run("location.hash = '#12';");
    wait_for_address("#12");
    assert_eq!(at(), 12);
    for (hash, step) in [("#x", 0), ("#-3", 0), ("#99999", 253)] {
        browser.open("about:blank");
        browser.open(&format!("{address}{hash}"));
        assert_eq!(at(), step, "{hash}");
    }
    // The frame of a notebook has no address.
    let text = std::fs::read_to_string(page(dir.path(), "4")).unwrap();
    let script = "onerror = (message) => parent.postMessage(message, '*');
        window.player.goTo(3);
        setTimeout(() => parent.postMessage(`at ${window.player.position()}`, '*'), 1000);";
    let text = text.replace("</body>", &format!("<script>{script}</script></body>"));
    let text = text.replace('&', "&amp;").replace('"', "&quot;");
    let notebook = dir.path().join("notebook.html");
    let listening = "<script>const said = []; onmessage = (event) => said.push(event.data);</script>";
    let frame = format!("<iframe sandbox=\"allow-scripts\" srcdoc=\"{text}\"></iframe>");
    std::fs::write(&notebook, format!("{listening}{frame}")).unwrap();
    browser.open(&format!("file://{}", notebook.display()));
    let deadline = Instant::now() + Duration::from_secs(20);
    while !browser.run("return said;").to_string().contains("at ") && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(browser.run("return said;"), json!(["at 3"]));
}

/// Nothing overflows on a narrow screen, in light or dark mode. The screenshots are kept for inspection.
#[test]
fn the_page_fits_wide_and_narrow_screens() {
    let dir = tempfile::tempdir().unwrap();
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let Some(browser) = Browser::start() else { return };
    browser.open(&format!("file://{}", page(dir.path(), "8").display()));
    browser.run("window.player.goTo(220);");
    for (name, width, height, dark) in
        [("wide", 1200, 900, false), ("dark", 1200, 900, true), ("narrow", 400, 800, false)]
    {
        browser.resize(width, height);
        browser.emulate_dark(dark);
        let overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;";
        assert_eq!(browser.run(overflow), 0, "{name}");
        let picture = browser.screenshot();
        assert!(picture.starts_with(b"\x89PNG"), "{name}");
        std::fs::write(pictures.join(format!("trace-{name}.png")), picture).unwrap();
    }
    let background = || browser.run("return getComputedStyle(document.body).backgroundColor;");
    let light = background();
    browser.emulate_dark(true);
    assert_ne!(background(), light, "a dark screen is dark");
}

/// On a phone and in the frame of a notebook, the board, the buttons and the arrays are visible together, and the list
/// begins with a whole line.
#[test]
fn the_page_can_be_followed_on_a_phone_and_in_a_notebook() {
    let dir = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::start() else { return };
    let screens = [("phone", 360, 740), ("notebook", 850, 860)];
    let traces = [("4", 12), ("8", 220), ("12", 300)];
    for ((screen, width, height), (arguments, step)) in
        screens.iter().flat_map(|screen| traces.map(|trace| (screen, trace)))
    {
        browser.resize(*width, *height);
        browser.open(&format!("file://{}", page(dir.path(), arguments).display()));
        browser.run(&format!("window.player.goTo({step}); window.scrollTo(0, 0);"));
        let outside = "return ['#board', '#step', '#controls', '#position', '#arrays'].filter((name) => {
            const box = document.querySelector(name).getBoundingClientRect();
            return box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth;
        });";
        let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trace-{screen}-{arguments}.png"));
        std::fs::write(picture, browser.screenshot()).unwrap();
        assert_eq!(browser.run(outside), json!([]), "trace {arguments}, {screen}");
        let overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;";
        assert_eq!(browser.run(overflow), 0, "trace {arguments}, {screen}");
        let aligned = "return getComputedStyle(document.querySelector('#list .text')).textAlign;";
        assert_eq!(browser.run(aligned), "left", "trace {arguments}, {screen}");
    }
}

/// Nodes are counted as in `estimate --exact` and `methods`: placements in the first rows, including the empty board.
#[test]
fn the_page_counts_the_nodes_that_the_profile_has() {
    let dir = tempfile::tempdir().unwrap();
    let Some(browser) = Browser::start() else { return };
    for size in [4, 6] {
        browser.open(&format!("file://{}", page(dir.path(), &format!("{size} --until all")).display()));
        let shown = || browser.run("return Number(document.querySelector('[data-counter=nodes]').textContent);");
        assert_eq!(shown(), 1, "the empty board");
        browser.press(END);
        let profile = nodes_per_row(Board::new(size).unwrap(), &Cancel::new(), &|_| ()).unwrap();
        assert_eq!(shown(), profile.iter().sum::<u64>(), "N = {size}");
    }
}

/// The page must work offline, so it refers to nothing outside itself.
#[test]
fn the_page_needs_nothing_but_itself() {
    let dir = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(page(dir.path(), "6")).unwrap();
    // The only address is the SVG namespace, which browsers do not load.
    let addresses: Vec<&str> =
        text.match_indices("://").map(|(at, _)| text[at + 3..].split(['"', '\'']).next().unwrap()).collect();
    assert!(addresses.iter().all(|address| address.starts_with("www.w3.org/")), "{addresses:?}");
    for outside in ["@import", "src=", "fetch(", "{{"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(text.contains("default-src 'none'"), "the browser is told to refuse a network");
}
