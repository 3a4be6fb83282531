//! The page of `nqueens trace` in a real browser.

use crate::chromium::Chromium;
use crate::run::nqueens;
use nqueens::classic::{Line, Method, Position, Step, Trace};
use nqueens::{Board, Setup};
use serde_json::{Value, json};

fn page(arguments: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    nqueens(&format!("trace {arguments} --output")).arg(&path).assert().success().stdout("");
    std::fs::read_to_string(path).unwrap()
}

/// A function that returns what the page shows: the board and the arrays, as strings of 0 and 1.
const SHOWN: &str = "
    const shown = () => {
        const all = (css, name) =>
            [...document.querySelectorAll(css)].map(({ dataset }) => (dataset[name] === 'true' ? '1' : '0')).join('');
        return {
            antidiagonals: all('[data-array=anti-diagonals]', 'marked'),
            attacked: all('[data-row]', 'attacked'),
            columns: all('[data-array=columns]', 'marked'),
            diagonals: all('[data-array=diagonals]', 'marked'),
            position: Number(document.body.dataset.position),
            queens: all('[data-row]', 'queen'),
            step: find('#step').textContent,
        };
    };";

/// Returns what the page should show before the first step and after each.
fn expected(size: usize, steps: &[Step]) -> Vec<Value> {
    let board = Board::new(size).unwrap();
    let mut position = Position::new(board);
    let squares = || (0..size * size).map(|square| (square / size, square % size));
    let bits =
        |flags: &mut dyn Iterator<Item = bool>| -> String { flags.map(|flag| if flag { '1' } else { '0' }).collect() };
    let shown = |done: usize| {
        let words = if let Some(last) = done.checked_sub(1) {
            let step = steps[last];
            position.apply(&step);
            format!("Step {done} of {}: {}: {}", steps.len(), step.kind(), step.describe(board))
        } else {
            format!("Before the first step of {}: the board is empty", steps.len())
        };
        let queen = |(row, column)| position.queens().get(row) == Some(&column);
        // The page makes its objects in this order.
        json!({
            "antidiagonals": bits(&mut position.flags(Line::AntiDiagonal).iter().copied()),
            "attacked": bits(&mut squares().map(|square| !queen(square) && position.is_attacked(square.0, square.1))),
            "columns": bits(&mut position.flags(Line::Column).iter().copied()),
            "diagonals": bits(&mut position.flags(Line::Diagonal).iter().copied()),
            "position": done,
            "queens": bits(&mut squares().map(queen)),
            "step": words,
        })
    };
    (0..=steps.len()).map(shown).collect()
}

/// The page plays the whole tree of 6 queens, by every key, button and field. Nodes are counted as in
/// `estimate` and `methods`: placements in the first rows, including the empty board.
#[test]
fn the_page_plays_the_trace_forwards_and_backwards() {
    let Some(chromium) = Chromium::installed() else { return };
    let board = Board::new(6).unwrap();
    let steps: Vec<Step> = Trace::new(board).collect();
    let nodes = 1 + steps.iter().filter(|step| step.kind() == "place").count();
    let script = "
        const last = expected.length - 1;
        const at = (done, what) => is(shown(), expected[done], what);
        const counted = () => Number(find('[data-counter=nodes]').textContent);
        at(0, 'opened');
        is(counted(), 1, 'the empty board');
        for (let done = 1; done <= last; done += 1) { press('ArrowRight'); at(done, 'right'); }
        is(counted(), nodes, 'nodes');
        press('ArrowRight');
        at(last, 'there is nothing after the end');
        for (let done = last - 1; done >= 0; done -= 1) { press('ArrowLeft'); at(done, 'left'); }
        for (const [css, done] of [['#forward', 1], ['#forward', 2], ['#back', 1], ['#last', last], ['#first', 0]]) {
            find(css).click();
            at(done, css);
        }
        for (const [key, css, kind] of [['b', '#backtrack', 'backtrack'], ['s', '#solution', 'solution']]) {
            const next = expected.findIndex(({ step }) => step.includes(`: ${kind}: `));
            for (const jump of [() => press(key), () => find(css).click()]) {
                player.goTo(0);
                jump();
                at(next, css);
            }
        }
        const change = (css, value, event) => {
            find(css).focus();
            find(css).value = value;
            find(css).dispatchEvent(new Event(event));
            at(value, css);
        };
        change('#number', 7, 'change');
        is(press('s', find('#number')), true, 'a key is for the field');
        at(7, 'a key in the field');
        press('End');
        at(last, 'end');
        press('Home');
        for (let jump = 1; jump <= 25; jump += 1) change('#position', (jump * 7919) % last, 'input');
        const before = player.position();
        is(press('ArrowRight', find('#position')), false, 'a key moves the slider too');
        at(before + 1, 'a key on the slider');";
    let given = format!("const expected = {}, nodes = {nodes};", json!(expected(6, &steps)));
    chromium.check(&page("6 --until all"), "", &[&given, SHOWN, script].concat());
}

/// The page says of each step of every method what the library says, also on a board with a given queen and a blocked
/// square; in Japanese it says it without English words.
#[test]
fn the_page_plays_every_method() {
    let Some(chromium) = Chromium::installed() else { return };
    let board = "..Q..\n.....\n.....\n*....\n.....\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.txt");
    std::fs::write(&file, board).unwrap();
    let setup: Setup = board.parse().unwrap();
    for &method in Method::ALL {
        let Some(trace) = Trace::of(method, setup) else { continue };
        let steps: Vec<Step> = trace.collect();
        let words = steps.iter().enumerate().map(|(number, step)| {
            let (last, sentence) = (steps.len(), step.describe(setup.board()));
            format!("Step {} of {last}: {}: {sentence}", number + 1, step.kind())
        });
        let given = format!("const expected = {};", json!(words.collect::<Vec<_>>()));
        let page = page(&format!("--method {method} --until all --board {}", file.display()));
        let script = "
            for (const [step, words] of expected.entries()) {
                player.goTo(step + 1);
                is(find('#step').textContent, words, step);
            }
            is(player.length, expected.length, 'steps');
            is([document.querySelectorAll('.given').length, document.querySelectorAll('[data-blocked=true]').length], [1, 1], 'board');";
        chromium.check(&page, "", &[&given, script].concat());
        let japanese = "
            for (let step = 0; step <= player.length; step += 1) {
                player.goTo(step);
                is(/[a-z]{3}/.test(find('#step').textContent + find('#list').textContent), false, find('#step').textContent);
            }";
        chromium.check(&page, "#0&lang=ja", japanese);
    }
}

/// The trace is cut off, and the page says so.
#[test]
fn playing_goes_on_by_itself_and_stops_at_the_end() {
    let Some(chromium) = Chromium::installed() else { return };
    let script = "
        const pressed = () => find('#play').getAttribute('aria-pressed') === 'true';
        is(find('#end').textContent, '', 'before the end');
        press(' ');
        is(pressed(), true, 'plays');
        await sleep(3000);
        press(' ');
        is([pressed(), player.position() > 3], [false, true], 'the same key pauses');
        player.goTo(9900);
        press('+');
        press('+');
        find('#play').click();
        while (pressed()) await sleep(50);
        is(player.position(), 9999, 'the end');
        is(find('#end').textContent.includes('cut here'), true, find('#end').textContent);";
    chromium.check(&page("8 --until all --limit 9999"), "", script);
}

/// A step has an address, which may be sent to others and is found again after a reload.
#[test]
fn an_address_leads_to_a_step() {
    let Some(chromium) = Chromium::installed() else { return };
    let script = "
        is(player.position(), 57, 'the address');
        press('ArrowLeft');
        press('ArrowLeft');
        await sleep(1000);
        is(location.hash, '#55', 'the address follows');
        for (const [hash, step] of [['#12', 12], ['#x', 0], ['#-3', 0], ['#99999', 253]]) {
            location.hash = hash;
            await new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }));
            is(player.position(), step, hash);
        }";
    chromium.check(&page("6"), "#57", script);
}

/// Returns a page with frames for these documents, and a function that returns the frames when they are loaded.
pub(crate) fn framed(documents: &[String]) -> (&'static str, String) {
    let script = format!(
        "const documents = {};
         const open = async (index, width, height, sandbox) => {{
             const frame = document.createElement('iframe');
             Object.assign(frame, {{ width, height, srcdoc: documents[index] }});
             if (sandbox) frame.sandbox = sandbox;
             const loaded = new Promise((resolve) => {{ frame.onload = resolve; }});
             document.body.append(frame);
             await loaded;
             return frame;
         }};",
        // Nothing in the documents ends the script element.
        json!(documents).to_string().replace("</", "<\\/")
    );
    ("<!DOCTYPE html><meta charset=utf-8><title>frames</title><body>", script)
}

/// On every screen nothing overflows; on a phone and in the frame of a notebook, the board, the buttons and the arrays
/// are visible together, and the list begins with a whole line. The frame of a notebook has no address.
#[test]
fn the_page_can_be_followed_on_every_screen() {
    let Some(mut chromium) = Chromium::installed() else { return };
    let said = "<script>onerror = (message) => parent.postMessage(message, '*'); window.player.goTo(3);
        setTimeout(() => parent.postMessage(`at ${window.player.position()}`, '*'), 1000);</script></body>";
    let (frames, open) = framed(&[page("4"), page("8"), page("12"), page("4").replace("</body>", said)]);
    let script = "
        const said = [];
        addEventListener('message', ({ data }) => said.push(data));
        for (const [width, height] of [[360, 740], [400, 800], [850, 860], [1200, 900], [1280, 720], [1920, 1080]]) {
            for (const [index, step] of [12, 220, 300].entries()) {
                const frame = await open(index, width, height);
                const [page, view] = [frame.contentDocument, frame.contentWindow];
                view.player.goTo(step);
                const outside = ['#board', '#step', '#controls', '#position', '#arrays'].filter((css) => {
                    const { top, bottom, left, right } = page.querySelector(css).getBoundingClientRect();
                    return top < 0 || bottom > view.innerHeight || left < 0 || right > view.innerWidth;
                });
                const root = page.documentElement;
                is([outside, root.scrollWidth - root.clientWidth], [[], 0], `trace ${index}, ${width}`);
                const side = page.querySelector('#board').getBoundingClientRect().height;
                const least = { 360: 200, 400: 200, 850: 400, 1200: 600, 1280: 600, 1920: 780 }[width];
                is(side >= Math.min(least, index === 0 ? 500 : least), true, `the board of trace ${index} has ${side} of ${width} x ${height}`);
                is(view.getComputedStyle(page.querySelector('#list .text')).textAlign, 'left', 'list');
                is(view.getComputedStyle(page.body).backgroundColor, background, 'background');
                frame.remove();
            }
        }
        await open(3, 850, 860, 'allow-scripts');
        await sleep(2000);
        is(said, ['at 3'], 'in a notebook');";
    for (is_dark, background) in [(false, "rgb(251, 250, 248)"), (true, "rgb(20, 23, 28)")] {
        chromium.is_dark = is_dark;
        chromium.check(frames, "", &format!("{open} const background = '{background}'; {script}"));
    }
}

/// On screens from 1024 pixels on, the board, the line of the program at work and the variables are visible together, and
/// no line of a program is cut.
#[test]
fn the_program_is_beside_the_board() {
    let Some(chromium) = Chromium::installed() else { return };
    let methods = Method::ALL.iter().filter(|&&method| Trace::of(method, Setup::new(Board::new(8).unwrap())).is_some());
    let pages: Vec<String> = methods.map(|method| page(&format!("8 --until all --method {method}"))).collect();
    assert_eq!(pages.len(), 3);
    let (frames, open) = framed(&pages);
    let script = "
        for (const [width, height] of [[1024, 768], [1280, 720], [1920, 1080], [2560, 1440]]) {
            for (const index of documents.keys()) {
                const frame = await open(index, width, height);
                const page = frame.contentDocument;
                frame.contentWindow.player.goTo(57);
                for (const button of page.querySelectorAll('#languages button')) {
                    button.click();
                    await sleep(50);
                    const place = (css) => page.querySelector(css).getBoundingClientRect();
                    const outside = ['#board', '#program', '#variables'].filter((css) => place(css).bottom > height);
                    const [line, program] = [place('#program [aria-current]'), place('#program')];
                    const { scrollWidth, clientWidth } = page.querySelector('#program');
                    is([outside, line.top >= program.top, line.bottom <= program.bottom, scrollWidth - clientWidth], [[], true, true, 0],
                        `page ${index}, ${button.textContent}, ${width} x ${height}`);
                }
                frame.remove();
            }
        }";
    chromium.check(frames, "", &format!("{open} {script}"));
}

/// The bits of a mask stand below the numbers of their columns.
#[test]
fn bits_stand_below_their_columns() {
    let Some(chromium) = Chromium::installed() else { return };
    let script = "
        const shown = (name) => find(`[data-variable=${name}]`).textContent;
        is(find('#step').textContent, 'Step 57 of 606: free: row 4 is free in column 2', 'step');
        is(['column', 'columns', 'left', 'right', 'free'].map(shown), ['012345', '110011', '000110', '010010', '001000'], 'bits');";
    chromium.check(&page("6 --until all --method bit-masks"), "#57", script);
}

/// A copy that a browser saved, with all that the script made, is the same page. The names of the arrays are words.
#[test]
fn a_saved_copy_of_the_page_is_the_same() {
    let Some(chromium) = Chromium::installed() else { return };
    let (frames, open) = framed(&[page("6")]);
    let script = "
        const first = (await open(0, 1280, 900)).contentDocument;
        documents.push(first.documentElement.outerHTML);
        const copy = (await open(1, 1280, 900)).contentDocument;
        const texts = (page) => [...page.querySelectorAll('h2, li, option, button, text, dd')].map((each) => each.textContent);
        is(texts(copy), texts(first), 'texts');
        is(copy.querySelectorAll('*').length, first.querySelectorAll('*').length, 'elements');
        is(first.querySelector('h2').textContent, 'columns index = column ', 'the name of an array');";
    chromium.check(frames, "", &format!("{open} {script}"));
}

/// The address, the browser, or a page that has this one in a frame chooses the language.
#[test]
fn the_page_speaks_japanese() {
    let Some(chromium) = Chromium::installed() else { return };
    let page = page("6 --until all");
    let script = "
        is([document.documentElement.lang, document.title], ['ja', '6 クイーンの探索、ステップごと'], 'language');
        player.goTo(0);
        is(find('#step').textContent, '最初のステップの前、全 1351 ステップ: 盤は空です', 'before');
        for (const [step, words] of [[1, 'ステップ 1、全 1351 ステップ: 置く: 行 0、列 0 は空いているので、クイーンを置く'],
            [3, 'ステップ 3、全 1351 ステップ: 衝突: 行 1、列 0 には、行 0 のクイーンが利いている（列）']]) {
            player.goTo(step);
            is(find('#step').textContent, words, step);
        }
        player.goTo(1351);
        is(find('#end').textContent, '終わり: この盤の解は 4 個です。', 'end');
        const japanese = () => ['#about', '#hands', '#flags', '#state', '#work summary'].map((css) => find(css).innerText).join();
        is(/[a-z]{4}/.test(japanese()), false, japanese());
        is(find('#play').getAttribute('aria-label'), '再生', 'label');
        if (address) {
            is(address, location.hash, 'the address');
            press('Home');
            await sleep(1000);
            is(location.hash, '#0&lang=ja', 'the address follows');
        }";
    let with = |address: &str| format!("const address = '{address}'; {script}");
    chromium.check(&page, "#57&lang=ja", &with("#57&lang=ja"));
    let of_browser = "'use strict'; Object.defineProperty(navigator, 'languages', { value: ['zh', 'ja-JP', 'en'] });";
    chromium.check(&page.replacen("'use strict';", of_browser, 1), "", &with(""));
    chromium.check(&page.replace("<html lang=\"en\">", "<html lang=\"ja\" data-framed>"), "", &with(""));
}

/// A page that has this one in a frame sets its height and letters, passes keys on, and hears of each step, even across
/// a sandbox. A page that says nothing hears nothing.
#[test]
fn a_page_around_it_is_answered() {
    let Some(chromium) = Chromium::installed() else { return };
    let (frames, open) = framed(&[page("6").replace("<html lang=\"en\">", "<html lang=\"en\" data-framed>")]);
    let script = "
        const heard = [];
        addEventListener('message', ({ data }) => heard.push(data));
        const frame = await open(0, 1000, 700, 'allow-scripts');
        await sleep(500);
        is(heard, [], 'before it is spoken to');
        const say = async (message) => { frame.contentWindow.postMessage(message, '*'); await sleep(500); };
        await say({ fontSize: '16px', room: 500 });
        is([heard.at(-1).position, heard.at(-1).keys.includes('ArrowRight')], [0, true], 'spoken to');
        const { height } = heard.at(-1);
        for (const [message, position] of [[{ goTo: 57 }, 57], [{ key: 'ArrowRight' }, 58], [{ key: 'Tab' }, 58], ['x', 58], [null, 58]]) {
            await say(message);
            is(heard.at(-1).position, position, message);
        }
        await say({ fontSize: '24px' });
        is(heard.at(-1).height > height, true, 'larger letters');";
    chromium.check(frames, "", &format!("{open} {script}"));
}

/// If its script is forbidden, the page says so.
#[test]
fn the_page_says_when_it_cannot_run() {
    let Some(chromium) = Chromium::installed() else { return };
    let shown = "[find('#message').checkVisibility(), find('#player').checkVisibility()]";
    let forbidden = page("4").replace("<script>\n'use strict'", "<script type=\"text/plain\">\n'use strict'");
    chromium.check(&forbidden, "", &format!("is({shown}, [true, false], 'forbidden');"));
    chromium.check(&page("4"), "", &format!("is({shown}, [false, true], 'allowed');"));
}

/// The page must work offline, so it refers to nothing outside itself.
#[test]
fn the_page_needs_nothing_but_itself() {
    let text = page("6");
    // The only address is the SVG namespace, which browsers do not load.
    let addresses: Vec<&str> =
        text.match_indices("://").map(|(at, _)| text[at + 3..].split(['"', '\'']).next().unwrap()).collect();
    assert!(addresses.iter().all(|address| address.starts_with("www.w3.org/")), "{addresses:?}");
    for outside in ["@import", "src=", "fetch(", "{{"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(text.contains("default-src 'none'"), "the browser is told to refuse a network");
}
