// Tests the page in Chromium, from disk and from localhost:
//
//   node web/check.mjs FILE.html PROGRAM
//
// PROGRAM is nqueens for this machine. The page must show the same numbers.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const TOTALS = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624];
const SCREENS = ["board", "watch", "count", "why"];

const [, , file, program] = process.argv;
const disk = pathToFileURL(file).href;
// A request may ask for a response header that forbids something, or for another worker script, in which `ITS` stands
// for the page's own script.
const server = createServer(({ url }, response) => {
    const { csp, worker } = Object.fromEntries(new URL(url, "http://localhost").searchParams);
    if (csp) response.setHeader("Content-Security-Policy", csp);
    const spoiled = (_, begin, its) => begin + JSON.stringify(worker.replace("ITS", () => JSON.parse(its))).replaceAll("<", "\\u003c");
    const page = readFileSync(file, "utf8");
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(worker === undefined ? page : page.replace(/(<script [^>]*id="worker">)(.*?)(?=<\/script>)/, spoiled));
});
await new Promise((resolve) => server.listen(0, "localhost", resolve));
const host = `http://localhost:${server.address().port}/`;
const browser = await Browser.start();
const faults = [];

function is(found, expected, what) {
    const [one, other] = [found, expected].map((value) => JSON.stringify(value));
    if (one !== other) faults.push(`${what}: ${one}, not ${other}`);
}

const text = (selector) => browser.value(`document.querySelector('${selector}').innerText`);
const click = (selector, where = browser) => where.value(`document.querySelector('${selector}').click()`);
const fill = (selector, value, where = browser) => where.value(`{ const field = document.querySelector('${selector}'); field.value = ${value};
    field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change')); }`);
const digits = (words) => words.replace(/\D/g, "");
const focused = () => browser.value("document.activeElement.id");

/** Makes `body` run after each answer of the library, until `mend()`. */
const tamper = (body) => browser.value(`{ const { call } = page.Instance.prototype;
    page.Instance.prototype.call = async function (name, ...given) {
        const result = await call.call(this, name, ...given);
        ${body}
        return result;
    }; window.mend = () => { page.Instance.prototype.call = call; }; }`);
const mend = () => browser.value("mend()");

/** A script that shortens timers of `long` milliseconds to `short`. */
const hurry = (long, short) => `{ const { setTimeout } = window; window.setTimeout = (f, time) => setTimeout(f, time === ${long} ? ${short} : time); }`;

// ---- Count ----

const isDoubted = "document.querySelector('#broken').innerText.startsWith('A worker of this page gives no answer yet')";

/** Counts by the buttons of the page and returns the result shown. `meanwhile` is run once the count has begun. */
async function count(size, { engine = -1, workers = 2, meanwhile = "" } = {}) {
    await fill("#count-size", size);
    await fill("#engine", engine);
    await fill("#workers", workers);
    await click("#start");
    if (meanwhile) await browser.value(meanwhile);
    await browser.until("!document.querySelector('#start').disabled");
    return await text("#failure") || text("#result");
}

const isCounted = async (size, options, what) => {
    const said = await count(size, options);
    is([digits(await text("#total").catch(() => "none")), said.includes("✓ equals")], [`${TOTALS[size - 1]}`, true], `N = ${size}, ${what}: ${said}`);
    return said;
};

async function counts() {
    for (const [url, sizes] of [[disk, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]], [host, [8, 14]]]) {
        await browser.open(`${url}#count`);
        for (const engine of [0, 1]) {
            for (const size of sizes) {
                const said = await isCounted(size, { engine }, `engine ${engine}`);
                is(said.includes(["backtrack", "two-color"][engine]), true, said);
            }
        }
        for (const [size, workers] of [[16, 1], [16, 2], [14, 8], [17, 8]]) await isCounted(size, { workers }, `${workers} workers`);
    }
    for (const workers of [1, 2]) console.log((await isCounted(18, { workers }, `${workers} workers`)).replace(/\s*\n\s*/g, "; "));

    // A worker that fails is replaced, and its units are counted again.
    const spoil = "page.pool[0].call('count', [10 ** 9]).catch(() => {})";
    const said = await isCounted(17, { meanwhile: spoil }, "a worker fails");
    is(/1 of the workers failed/.test(said), true, said);
    // A worker that no longer answers is replaced too.
    await browser.value("Object.assign(page.patience, { seconds: 1.5, first: 1 })");
    for (const [name, workers] of [["count", 2], ["count", 1], ["prepare", 2]]) {
        await tamper(`if (name === '${name}' && this === (window.silent ??= this)) return new Promise(() => {});`);
        const said = await isCounted(16, { workers }, `a worker that does not answer to ${name}`).catch(({ message }) => message);
        is(/1 of the workers failed/.test(said), true, said);
        await browser.value("mend(), delete window.silent");
    }
    // The page says that it waits, long before it gives up.
    await browser.value("Object.assign(page.patience, { seconds: 12, first: 12 })");
    await tamper("if (name === 'count' && this === (window.silent ??= this)) return new Promise(() => {});");
    await fill("#count-size", 16);
    await click("#start");
    await browser.until(isDoubted, 6);
    await browser.until(`!${isDoubted}`);
    await browser.until("!document.querySelector('#start').disabled");
    is(/1 of the workers failed/.test(await text("#result")), true, "a worker that the page waited for");
    await browser.value("mend(), delete window.silent, Object.assign(page.patience, { seconds: 60, first: 900 })");
    // A worker that died between two counts is replaced.
    await browser.value("page.pool[0].end()");
    await isCounted(10, {}, "a worker that died");
    await tamper("if (name === 'count' && given[0].includes(3)) throw new Error('on purpose.');");
    is(await count(12), "The count failed: on purpose.", "a unit that always fails");
    await mend();
    await tamper("if (name === 'count') result[0] += 24n;");
    is(/Error: contradicts the published number 14,200/.test(await count(12)), true, `a wrong total: ${await text("#result")}`);
    await mend();
    await isCounted(12, {}, "after a failure");
}

/** The progress shown, for a count whose first answers take long enough for it to be read. */
async function progresses() {
    await browser.open(`${disk}#count`);
    await tamper(`if (name === 'count') {
        (window.messages ??= []).push(given[0].length);
        await new Promise((resolve) => setTimeout(resolve, [600, 300, 2500][messages.length - 1]));
    }`);
    await fill("#count-size", 18);
    await fill("#workers", 1);
    await click("#start");
    await browser.until("document.querySelector('#progress-words').innerText === 'counting …'", 2);
    await browser.until("document.querySelector('#progress').value > 0");
    const left = [];
    for (let i = 0; i < 8; i++) {
        const [, time, unit] = /, (\d+) (s|min|h) left/.exec(await text("#progress-words")) ?? [];
        left.push(time * { s: 1, min: 60, h: 3600 }[unit]);
        await browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
    }
    await browser.until("!document.querySelector('#start').disabled");
    is(await browser.value("messages[0]"), 1, "the units of the first message");
    is(left.includes(NaN), false, `the time left is said: ${left}`);
    is(left.slice(3), left.slice(3).sort((one, other) => other - one), "the time left falls");
    await mend();
}

async function stops() {
    const before = `{ const { Worker } = window; window.alive = 0;
        window.Worker = class extends Worker {
            constructor(...given) { super(...given); alive++; }
            terminate() { super.terminate(); alive--; }
        }; }`;
    await browser.open(`${disk}#count`, { before });
    await fill("#workers", 2);
    for (let i = 0; i < 3; i++) {
        await fill("#count-size", 20);
        await browser.tap("#start");
        await browser.until("!document.querySelector('#stop').disabled");
        is(await focused(), "stop", "the focus while it counts");
        await browser.press("Enter");
        await browser.until("!document.querySelector('#start').disabled");
        is([await focused(), await text("#failure"), await text("#result"), await browser.value("alive")],
            ["start", "Stopped.", "", 2], "after a stop");
    }
    await click("#language");
    is([await text("#failure"), await browser.value("document.querySelector('#count-said').textContent")],
        ["中止しました。", "中止しました。"], "stopped, in Japanese");
    await click("#language");
    await fill("#count-size", 8);
    await browser.press("Enter");
    await browser.until("document.querySelector('#total')");
    is(await focused(), "start", "the focus after a count");
    await fill("#count-size", 20);
    await click("#start");
    await browser.until("document.querySelector('#progress').value > 0");
    // The page answers while the workers count.
    const late = await browser.value("(async () => { let late = 0; for (let i = 0; i < 20; i++) { const begun = performance.now();"
        + " await new Promise((resolve) => setTimeout(resolve, 20)); late = Math.max(late, performance.now() - begun); } return late; })()");
    is(late < 1000, true, `the page answers after ${late} ms`);
    is(/\d+% of the work is done, \d+ (s|min) left/.test(await text("#progress-words")), true, await text("#progress-words"));
    const begun = Date.now();
    await click("#stop");
    await browser.until("!document.querySelector('#start').disabled");
    is(Date.now() - begun < 1000, true, `it stops in ${Date.now() - begun} ms`);
    is([await text("#failure"), digits(await text("#total"))], ["Stopped.", "92"], "stopped: what was counted before stays");
    await isCounted(10, {}, "after it was stopped");
    await fill("#count-size", 21);
    is(await browser.value("document.querySelector('#warning').hidden"), false, "a warning");
}

// ---- Board ----

/** The number of solutions with a queen on each square, for a board of `Q`, `x` and `.`, by the plainest search. */
function solved(rows) {
    const size = rows.length;
    const through = Array(size * size).fill(0);
    let total = 0;
    const place = (columns) => {
        const row = columns.length;
        if (row === size) {
            total++;
            columns.forEach((column, i) => through[i * size + column]++);
            return;
        }
        for (let column = 0; column < size; column++) {
            const isOpen = rows[row].includes("Q") ? rows[row][column] === "Q" : rows[row][column] === ".";
            if (isOpen && columns.every((other, i) => other !== column && Math.abs(other - column) !== row - i)) place([...columns, column]);
        }
    };
    place([]);
    return { total: `${total}`, through };
}

/** The same numbers by the program. */
function byProgram(rows) {
    const output = (...options) => execFileSync(program, ["count", "--board", "-", "--quiet", ...options], { input: rows.join("\n").replaceAll("x", "*"), encoding: "utf8" });
    const squares = output("--by", "square", "--format", "csv").trim().split("\n").slice(1);
    return { total: output().trim(), through: squares.flatMap((row) => row.split(",").slice(1, rows.length + 1).map(Number)) };
}

const shown = "(({ total, through, address, solution }) => ({ total: `${total}`, through, address, solution }))(page.boardShown())";
const answered = () => browser.until("page.boardShown().total !== null && page.boardShown().through !== null");

async function boards() {
    for (const [url, address] of [[disk, "8/8/8/8/8/8/8/8"], [host, "3Q4/8/6Q1/8/8/2x5/8/8"], [disk, "1x1/3/xQx"],
        [disk, "6/6/2x3/3x2/6/6"], [disk, "12/12/12/12/4x7/12/12/2xx8/12/12/12/12"], [disk, "9/9/9/4Q4/9/9/xxxxxxxx1/9/9"], [disk, "1"], [disk, "Q1/2"]]) {
        await browser.open(`${url}#board=${address}`);
        await answered();
        const rows = address.split("/").map((row) => row.replace(/\d+/g, (free) => ".".repeat(free)));
        const expected = byProgram(rows);
        is(solved(rows), expected, `${address}, by the program`);
        const found = await browser.value(shown);
        is([found.total, found.through, found.address], [expected.total, expected.through, address], address);
        is(digits(await text("#answer-number")), expected.total, `${address}, the answer`);
    }
    const unreadable = "The link has no board that can be read.";
    const attack = "The link has no board: Row 0, column 0 is attacked by the queen in row 0, column 1, along the row.";
    for (const [wrong, words] of [["QQ/2", attack], ["3/3", unreadable], ["hello", unreadable], ["%00", unreadable], ["99/99", unreadable],
        ["%", unreadable], ["%E0%A4", unreadable]]) {
        await browser.open(`${disk}#board=${wrong}`);
        const found = async () => [await text("#said"), (await browser.value(shown)).address];
        is(await found(), [words, "8/8/8/8/8/8/8/8"], wrong);
        if (!wrong.startsWith("%")) continue;
        await click("#clear");
        await browser.until("location.hash === `#board=${page.boardShown().address}&lang=en`");
        await browser.value(`location.hash = 'board=${wrong}'`);
        await browser.until("document.querySelector('#said').innerText");
        is(await found(), [unreadable, "8/8/8/8/8/8/8/8"], `${wrong}, later`);
    }
    // A typed number needs no confirmation.
    await browser.open(`${disk}#board=6/6/6/6/6/6`);
    await answered();
    await browser.value("{ const field = document.querySelector('#board-size'); field.value = 5; field.dispatchEvent(new Event('input')); }");
    await browser.until("page.boardShown().total === 10n");
    await boardsFail();
    await boardsWait();
    await boardsReturn();
    // A count that takes too long is given up, and the next board is counted all the same.
    await browser.open(`${disk}#board=20/20/20/5Q14/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20`);
    await browser.value("page.instances().forEach((each) => each?.end())");
    await fill("#board-size", 6);
    await answered();
    is((await browser.value(shown)).total, "4", "after an end");
    // The keyboard alone suffices.
    await browser.open(disk);
    await answered();
    await browser.until("(document.querySelector('#squares [tabindex=\"0\"]').focus(), true)");
    await browser.press("ArrowRight", "Enter");
    await answered();
    is((await browser.value(shown)).total, "8", "a queen in column 1");
    await browser.press("ArrowDown", "Enter");
    is(/attacked by the queen in row 0, column 1, along the column/.test(await text("#said")), true, await text("#said"));
    await browser.press("ArrowRight", "ArrowRight", "x", "n");
    await browser.until("page.boardShown().solution");
    is((await browser.value(shown)).solution, { columns: [1, 4, 6, 0, 2, 7, 5, 3], number: 1 }, "the first solution");
    is(await browser.value("document.activeElement.getAttribute('aria-label')"), "row 1, column 3: blocked", "a label");
    await browser.press("u", "u");
    await answered();
    is((await browser.value(shown)).total, "92", "undone");
    for (let number = 1; number <= 92; number++) {
        await click("#show");
        await browser.until(`page.boardShown().solution?.number === ${number}`);
    }
    await click("#show");
    await browser.until("document.querySelector('#said').innerText === 'That was the last solution.'");
}

/** An error stays, in both languages, until the board changes. */
async function boardsFail() {
    const answer = async () => [await text("#answer-number"), await text("#answer-words"),
        await browser.value("document.querySelector('#answer').classList.contains('alarm')")];
    for (const [body, words, japanese] of [
        ["if (name === 'tally') result.through[1] += 1;", "The count failed: the numbers in the squares of row 0 do not add up to 40.",
            "計算に失敗しました: 行 0 のマスの数の和が 40 になりません。"],
        ["if (name === 'tally') result.through[1] += 1, result.through[2] -= 1;",
            "The count failed: the numbers in the squares of column 1 do not add up to 40.",
            "計算に失敗しました: 列 1 のマスの数の和が 40 になりません。"],
        ["if (name === 'tally') result.solutions += 1n;", "The count failed: two ways of counting disagree: 40 and 41.",
            "計算に失敗しました: 二つの数え方が一致しません: 40 と 41。"],
        ["if (name === 'solve') return 41n;", "The count failed: 41 solutions, but 40 are published (OEIS A000170), so one of the numbers is wrong.",
            "計算に失敗しました: 41 個ですが、公表値は 40（OEIS A000170）で、どちらかが誤りです。"],
        ["if (name === 'solve') throw new Error('Out of memory.');", "The count failed: Out of memory.", "計算に失敗しました: Out of memory。"]]) {
        await browser.open(disk);
        await answered();
        await tamper(body);
        await fill("#board-size", 7);
        await browser.until("document.querySelector('#answer-number').innerText === '✗'");
        await click("#language");
        is(await answer(), ["✗", japanese, true], body);
        await click("#language");
        is(await answer(), ["✗", words, true], body);
        await mend();
        await fill("#board-size", 6);
        await answered();
        is(await answer(), ["4", "solutions of the empty board, as published (OEIS A000170)", false], "after an error");
    }
    await click("#language");
    is(await text("#answer-words"), "個の解（空の盤）、公表値と一致（OEIS A000170）", "the answer in Japanese");
    await click("#squares [data-square=\"0\"]");
    await click("#squares [data-square=\"1\"]");
    is([await text("#said"), await browser.value("document.querySelectorAll('.flash').length")],
        ["行 0、列 1 には、行 0、列 0 のクイーンが利いています（行）。", 1], "attacked");
    await click("#language");
    is(await text("#said"), "Row 0, column 1 is attacked by the queen in row 0, column 0, along the row.", "attacked");
    await click("#undo");
    is([await text("#said"), await browser.value("document.querySelectorAll('.flash').length")], ["", 0], "after the flash");
}

/** A slow answer is announced as slow, or given up, and delays nothing else. */
async function boardsWait() {
    const empty = Array(20).fill(20).join("/");
    const late = "{ const { compile } = WebAssembly; WebAssembly.compile = async (bytes) => { await new Promise((resolve) => setTimeout(resolve, 700)); return compile(bytes); }; }";
    await browser.open(`${disk}#board=${empty}`, { before: late + hurry(30000, 1200) });
    await fill("#board-size", 6);
    await browser.value("new Promise((resolve) => setTimeout(resolve, 1500))");
    is(await text("#answer-number"), "4", "a board chosen before the library was compiled");
    // An empty board that takes too long shows the published number, and how to count it.
    await fill("#board-size", 20);
    await browser.until("document.querySelector('#answer a')");
    is([await text("#answer-number"), await text("#answer-words")], ["39,029,188,884",
        "solutions of the empty board, as published (OEIS A000170). To count them here, go to Count."], "N = 20");
    await click("#answer a");
    await browser.until("document.querySelector('#count-size').value === '20' && !document.querySelector('#screen-count').hidden");
    const noEnd = [...Array(18).fill(20), ...Array(2).fill(`2${"x".repeat(18)}`)].join("/");
    await browser.open(`${disk}#board=${noEnd}`, { before: hurry(30000, 1000) });
    await click("#show");
    await browser.until("document.querySelector('#said').innerText === 'searching …'", 5);
    await browser.until("/^This takes too long/.test(document.querySelector('#said').innerText)", 5);
    await click("#language");
    is(await text("#said"), "ここでは時間がかかりすぎます。クイーンを増やすか、盤を小さくしてください。", "a search given up");
    await fill("#board-size", 6);
    await click("#show");
    await browser.until("page.boardShown().solution");
}

/** A change is not lost when the user leaves the screen at once, and an opened link can be undone. */
async function boardsReturn() {
    await browser.open(`${disk}#board=6/6/6/6/6/6`);
    await answered();
    await browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
    const turned = "new Promise((resolve) => addEventListener('hashchange', () => setTimeout(resolve), { once: true }))";
    await browser.value(`document.querySelector('[data-square="1"]').click(), document.querySelector('nav [href="#why"]').click(), ${turned}`);
    await browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
    await browser.value(`history.back(), ${turned}`);
    is((await browser.value(shown)).address, "1Q4/6/6/6/6/6", "after a way back");
    await browser.until("location.hash === '#board=1Q4/6/6/6/6/6&lang=en'", 2);
    await browser.value(`location.hash = 'board=Q', ${turned}`);
    is((await browser.value(shown)).address, "Q", "an opened link");
    await click("#undo");
    is((await browser.value(shown)).address, "1Q4/6/6/6/6/6", "the link undone");
}

// ---- Watch, languages, keys, sizes ----

const inFrame = "document.querySelector('#player-frame').contentWindow";
/** Waits until the player is at this step and has said which keys it takes. */
const isAt = (step) => browser.until(`${inFrame}.player?.position() === ${step} && document.querySelector('#player-frame').style.height`);
const reload = () => browser.value("new Promise((resolve) => setTimeout(resolve, 500))").then(async () => browser.open(await browser.value("location.href")));

async function watches() {
    for (const [url, language, end] of [[disk, "en-US", "The end: the board has 4 solutions."], [host, "ja-JP", "終わり: この盤の解は 4 個です。"]]) {
        await browser.open(`${url}#watch=6`, { language });
        await browser.until(`${inFrame}.player?.length === 1351`);
        await browser.value(`${inFrame}.player.goTo(1351)`);
        is(await browser.value(`${inFrame}.document.querySelector('#end').textContent`), end, language);
        await click("#language");
        await browser.until(`${inFrame}.document.documentElement.lang !== '${language.slice(0, 2)}' && ${inFrame}.player?.position() === 1351`);
        await browser.until("document.querySelectorAll('#methods .bar').length > 1");
        const visits = await browser.value("[...document.querySelectorAll('#methods b')].map((each) => each.textContent)");
        is(["4,426,165,368", "16,777,216", "40,320", "2,057"].filter((each) => !visits.includes(each)), [], "visits");
        // Each method of the library has its texts in both languages, in web/page/texts.js.
        const bars = await browser.value("[...document.querySelectorAll('#methods .bar')].map((each) => each.querySelector('small')?.innerText ?? each.innerText)");
        is(bars.filter((words) => !words.trim() || /[\d,]{3}/.test(words)), [], "methods without texts");
    }
    // The board takes all the room, also when a link gives the step.
    for (const [width, height, least] of [[1280, 720, 500], [1920, 1080, 800], [2560, 1440, 950], [768, 1024, 350], [360, 740, 240]]) {
        await browser.open(`${disk}#watch=8&step=57`, { width, height });
        await isAt(57);
        const wide = await browser.until(`(({ width, bottom }) => bottom + document.querySelector('#player-frame').getBoundingClientRect().top <= innerHeight
            && width >= ${least} && width)(${inFrame}.document.querySelector('#board').getBoundingClientRect())`, 5).catch(() => null);
        is(wide !== null, true, `the board at ${width} x ${height} has less than ${least} pixels, or is cut off`);
    }
    // The player's keys need no click into the frame, and the page does not scroll.
    await browser.open(`${disk}#watch=3&step=2`, { width: 1280, height: 720 });
    await isAt(2);
    await browser.press("ArrowRight");
    await isAt(3);
    await browser.tap("#watch-heading");
    await browser.press(" ");
    await browser.until(`${inFrame}.document.querySelector('#play').getAttribute('aria-pressed') === 'true'`);
    await browser.press("k", "End");
    await browser.until(`/the board has 0 solutions/.test(${inFrame}.document.querySelector('#end').textContent)`);
    is(await browser.value("scrollY"), 0, "the page does not scroll");
    // The address has the size, the step and the language.
    await click("#language");
    await browser.until(`/^#watch=3&step=\\d+&lang=ja$/.test(location.hash)`);
    const step = await browser.value(`${inFrame}.player.position()`);
    await reload();
    await isAt(step);
    is([await text("nav a"), await browser.value(`${inFrame}.document.documentElement.lang`)], ["盤面", "ja"], "the language after a reload");
}

// ---- What is missing or forbidden ----

const DEAD = "{ const its = onmessage; onmessage = (event) => { if (event.data.name === 'start') its(event); else DO; }; }";
/** The faults: [name, before the scripts, header, worker script, whether workers start]. */
const BROKEN = [
    ["no WebAssembly", { before: "delete window.WebAssembly" }],
    ["no SIMD", { before: "WebAssembly.compile = async () => { throw new Error('no SIMD'); }" }],
    ["a library that is compiled for ever", { before: "WebAssembly.compile = () => new Promise(() => {})" }],
    ["no DecompressionStream", { before: "delete window.DecompressionStream" }],
    ["no Worker", { before: "delete window.Worker" }],
    ["workers that throw", { before: "window.Worker = class { constructor() { throw new DOMException('no', 'SecurityError'); } }" }],
    ["no addresses of blobs", { before: "URL.createObjectURL = () => { throw new Error('no blobs'); }" }],
    ["a module that cannot be sent", { before: "Worker.prototype.postMessage = () => { throw new DOMException('no', 'DataCloneError'); }" }],
    ["messages that are lost", { before: "Worker.prototype.postMessage = () => {}" }],
    ["no wasm-unsafe-eval", { csp: "script-src 'unsafe-inline' blob:" }],
    ["worker-src 'self'", { csp: "worker-src 'self'" }],
    ["worker-src 'none'", { csp: "worker-src 'none'" }],
    ["a worker that is empty", { worker: "" }],
    ["a worker that throws", { worker: "throw new Error('early')" }],
    ["a worker that closes itself", { worker: "close()" }],
    ["a worker that hangs", { worker: "for (;;);" }],
    ["a worker that throws when it is called", { worker: "onmessage = () => { throw new Error('late'); }" }],
    ["a worker that answers with an error", { worker: "onmessage = ({ data: { id } }) => postMessage({ id, error: 'bad' })" }],
    ["a worker that talks", { worker: "postMessage('hello'); ITS" }],
    ["a worker that says nothing", { worker: "postMessage(null)" }],
    ["a worker that throws later", { worker: `ITS; ${DEAD.replace("DO", "setTimeout(() => { throw new Error('later'); })")}`, starts: true }],
    ["a worker that answers with an error later", { worker: `ITS; ${DEAD.replace("DO", "postMessage({ id: event.data.id, error: 'bad' })")}`, starts: true }],
    ["a worker that closes itself later", { worker: `ITS; ${DEAD.replace("DO", "close()")}`, starts: true }],
    ["a worker that hangs later", { worker: `ITS; ${DEAD.replace("DO", "for (;;);")}`, starts: true }],
];

/** Counts the workers that the page makes. */
const WATCHED = `window.made = 0;
    if (window.Worker) window.Worker = new Proxy(Worker, { construct(its, given) { made++; return new its(...given); } });`;

/** A browser that lacks something says so on every screen, makes few workers, and answers. */
async function lacks(browser, [name, { before = "", csp = "", worker, starts }]) {
    const said = (selectors) => `[${selectors.map((each) => `'${each}'`)}].some((each) => document.querySelector(each)?.checkVisibility())`;
    const expect = async (what, expression) => {
        await browser.until(expression, 10).catch(() => { throw new Error(`${what}: nothing is said of it`); });
        const made = await browser.until("`${made}`", 10); // the page answers
        is(made <= 70, true, `${what}: ${made} workers`);
    };
    const query = new URLSearchParams({ ...(csp && { csp }), ...(worker !== undefined && { worker }) });
    for (const [screen, selectors] of [["board", ["#broken", "#answer.alarm"]], ["watch", ["#broken", "#watch-failed"]], ["why", ["#broken"]]]) {
        if (screen === "why" && starts) continue; // this screen needs no worker
        await browser.open(`${host}?${query}#${screen}`, { before: before + ";" + WATCHED });
        await expect(`${name}, ${screen}`, said(selectors));
    }
    await browser.open(`${host}?${query}#count=12`, { before: before + ";" + WATCHED });
    for (const workers of [1, 2, 16]) {
        await fill("#workers", workers, browser);
        await browser.value("made = 0");
        await click("#start", browser);
        await expect(`${name}, count with ${workers}`, said(["#broken", "#failure"]));
        await click("#stop", browser);
        await browser.until("!document.querySelector('#start').disabled");
    }
    // These messages are expected.
    browser.faults = browser.faults.filter((fault) => !/Content.Security.Policy|violates/.test(fault));
}

async function breaks() {
    // Most of the time goes into waiting for answers that never come, so several browsers wait at once.
    const left = [...BROKEN];
    await Promise.all(Array.from({ length: 4 }, async () => {
        const own = await Browser.start();
        try {
            while (left.length > 0) await lacks(own, left.shift());
        } finally {
            await own.end();
            faults.push(...own.faults);
        }
    }));
    // If a few of many workers die early, they are replaced.
    for (const dead of ["throw new Error('not made')", "throw null", "return new its(URL.createObjectURL(new Blob(['throw 1'])))"]) {
        await browser.open(`${disk}#count=12`, { before: `window.made = 0; window.Worker = new Proxy(Worker, { construct(its, given) {
            if (++made % 8 === 3) { ${dead}; } return new its(...given); } });` });
        for (const workers of [2, 16]) {
            await count(12, { workers });
            is(digits(await text("#total")), "14200", `${dead}, ${workers} workers`);
        }
    }
    // Without scripts the page shows one sentence.
    for (const csp of ["default-src 'self'", "script-src 'none'", "sandbox"]) {
        await browser.open(`${host}?${new URLSearchParams({ csp })}`, { ready: "document.querySelector('#blocked').checkVisibility()" });
        is([/^N queens: the scripts of this page do not run/.test(await browser.value("document.body.innerText.trim()")),
            await browser.value("Math.max(...[...document.querySelectorAll('svg')].map((each) => each.getBoundingClientRect().width)) < 50")],
            [true, true], csp);
    }
    // In a sandbox everything works.
    await browser.open(`${host}?${new URLSearchParams({ csp: "sandbox allow-scripts" })}#count=12`);
    for (const act of [() => browser.tap("#start"), () => browser.value("document.querySelector('#count-size').focus()").then(() => browser.press("Enter"))]) {
        await fill("#count-size", 12);
        await act();
        await browser.until("document.querySelector('#total')?.innerText === '14,200'");
        await fill("#count-size", 8);
        await act();
        await browser.until("document.querySelector('#total')?.innerText === '92'");
    }
    await browser.value("location.hash = 'watch=6'");
    await browser.until("/^[5-9]\\d\\dpx$/.test(document.querySelector('#player-frame').style.height)");
    await browser.press("ArrowRight", "ArrowRight");
    await browser.until("location.hash === '#watch=6&step=2&lang=en'");
    is(await browser.value("document.querySelector('#blocked')"), null, "the sentence is gone");
    browser.faults = browser.faults.filter((fault) => !/Content.Security.Policy|violates|sandboxed/.test(fault));
}

/** On paper, boards, bars and bits keep their colours, and the list of steps is complete. */
async function prints() {
    for (const [screen, filled] of [["board", "#squares [data-dark]"], ["watch=8&step=57", "#methods i i"], ["why", "[data-bit='1']"]]) {
        await browser.open(`${disk}#${screen}`, { width: 700 });
        await browser.until(`document.querySelector("${filled}")`);
        if (screen !== "board" && screen !== "why") await isAt(57);
        await browser.call("Emulation.setEmulatedMedia", { media: "print", features: [{ name: "prefers-color-scheme", value: "dark" }] });
        const [adjust, paper] = await browser.value(`[getComputedStyle(document.querySelector("${filled}")).printColorAdjust, getComputedStyle(document.body).backgroundColor]`);
        is([adjust, paper], ["exact", "rgb(255, 255, 255)"], `${screen} on paper`);
        if (screen === "board" || screen === "why") continue;
        is(await browser.value(`${inFrame}.getComputedStyle(${inFrame}.document.querySelector('[data-marked=true] b')).printColorAdjust`), "exact", "the player on paper");
        const list = await browser.value(`${inFrame}.document.querySelector('#list').getBoundingClientRect().bottom - ${inFrame}.innerHeight`);
        is(list <= 0, true, `so much of the list is cut off: ${list}`);
    }
    await browser.call("Emulation.setEmulatedMedia", { media: "" });
}

async function languages() {
    for (const [language, expected, other] of [["ja", "盤面", "Board"], ["en-GB", "Board", "盤面"], ["de", "Board", "盤面"]]) {
        await browser.open(disk, { language });
        is(await text("nav a"), expected, language);
        await click("#language");
        const shown = async () => [await text("nav a"), await browser.value("document.documentElement.lang"), await browser.value("document.title")];
        const wanted = [other, other === "Board" ? "en" : "ja", other === "Board" ? "Board – N queens" : "盤面 – Nクイーン"];
        is(await shown(), wanted, `not ${language}`);
        await reload();
        is(await shown(), wanted, `not ${language}, after a reload`);
    }
}

/** Tab reaches every control, and the focus is visible. */
async function keys() {
    for (const screen of SCREENS) {
        await browser.open(`${disk}#${screen}`);
        await browser.until(`!document.querySelector('#screen-${screen}').hidden`);
        const wanted = await browser.value(`[...document.querySelectorAll('a, button, input, select, iframe, [tabindex="0"]')].filter((each) =>
            each.checkVisibility() && !each.disabled && each.tabIndex >= 0 && (each.type !== 'radio' || each.checked)).map((each, i) => each.id ||= 'each-' + i)`);
        const reached = new Set();
        for (let i = 0; i < wanted.length + 30; i++) {
            await browser.press("Tab");
            reached.add(await browser.value("document.activeElement.id"));
            const outline = await browser.value("document.activeElement === document.body || document.activeElement.tagName === 'IFRAME'"
                + " || getComputedStyle(document.activeElement).outlineStyle !== 'none'");
            if (!outline) faults.push(`${screen}: the focus is not seen on ${[...reached].pop()}`);
        }
        is(wanted.filter((id) => !reached.has(id)), [], `${screen}: Tab does not reach`);
    }
    await browser.open(disk);
    await browser.press("Tab", "Tab", "Tab", "Tab", "Enter");
    await browser.until("!document.querySelector('#screen-count').hidden");
    await browser.value("document.querySelector('#count-size').focus()");
    await browser.press("Enter");
    await browser.until("document.querySelector('#total')");
}

/** The actions of a user on each screen, at every size. */
const used = {
    board: async () => {
        await answered();
        await browser.tap("#squares [data-square=\"1\"]");
        await answered();
        // The numbers of rows and columns stand outside the board and are readable.
        const marks = await browser.value(`{ const luminance = (color) => color.match(/[\\d.]+/g).map((each) => each / 255).map((each) =>
                each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4).reduce((sum, each, i) => sum + each * [0.2126, 0.7152, 0.0722][i], 0);
            const [ink, paper] = [getComputedStyle(document.querySelector('#columns')).color, getComputedStyle(document.body).backgroundColor].map(luminance).toSorted((a, b) => b - a);
            const last = document.querySelector('#columns').lastChild.getBoundingClientRect(); const board = document.querySelector('#squares').getBoundingClientRect();
            [(ink + 0.05) / (paper + 0.05) >= 4.5, last.bottom <= board.top, last.height >= 11]; }`);
        is(marks, [true, true, true], "the numbers of columns: contrast, place, height");
        is([(await browser.value(shown)).address, await text("#answer-number")], ["1Q6/8/8/8/8/8/8/8", "8"], "a queen placed by hand");
    },
    watch: async () => {
        await browser.until(`${inFrame}.player?.length === 1351`);
        await browser.until(`new Set([${inFrame}.document, document].map((each) => getComputedStyle(each.documentElement).fontSize)).size === 1`, 5);
        await browser.until(`${inFrame}.document.documentElement.scrollHeight <= document.querySelector('#player-frame').clientHeight`, 5);
    },
    count: async () => {
        await fill("#count-size", 8);
        await browser.tap("#start");
        await browser.until("document.querySelector('#total')?.innerText === '92'");
    },
    why: async () => is(await browser.value("document.querySelectorAll('#steps .card').length"), 6, "pictures"),
};

async function sizes() {
    for (const [width, scheme, language, motion] of [[360, "light", "en", "reduce"], [360, "dark", "ja", "reduce"],
        [1280, "dark", "en"], [1280, "light", "ja"], [1920, "light", "en"], [3840, "light", "en"]]) {
        for (const screen of SCREENS) {
            await browser.open(`${disk}#${screen}`, { width, scheme, language, motion });
            await browser.until(`!document.querySelector('#screen-${screen}').hidden`);
            const wide = await browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            is(wide, 0, `${screen} at ${width}, ${language}: so much does not fit`);
            // A screen reader cannot find an element without a name.
            const nameless = await browser.value(`[...document.querySelectorAll('button, input, select, iframe, a')].filter((each) =>
                !(each.ariaLabel || each.title || each.innerText?.trim() || each.labels?.[0]?.innerText.trim())).map((each) => each.outerHTML)`);
            is(nameless, [], `${screen}, ${language}: without a name`);
            await used[screen]();
        }
    }
}

const begun = Date.now();
try {
    const TESTS = [counts, progresses, stops, boards, watches, prints, breaks, languages, keys, sizes];
    for (const test of TESTS.filter((each) => !process.argv[4] || process.argv[4].split(",").includes(each.name))) {
        await test();
        console.log(`${test.name}: ${((Date.now() - begun) / 1000).toFixed(0)} s`);
    }
} catch (error) {
    faults.push(error.stack);
}
await browser.end();
server.close();
faults.push(...browser.faults);
if (faults.length > 0) {
    console.error(`error: ${faults.join("\nerror: ")}`);
    process.exit(1);
}
console.log("the page does what it should, without a message or a request");
