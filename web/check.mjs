// Tests the page in Chromium, from disk and from localhost:
//
//   node web/check.mjs FILE.html PROGRAM
//
// PROGRAM is nqueens for this machine, whose numbers those of the page must be.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const TOTALS = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624];
const SCREENS = ["board", "watch", "count", "why"];

const [, , file, program] = process.argv;
const disk = pathToFileURL(file).href;
const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(readFileSync(file)));
await new Promise((resolve) => server.listen(0, "localhost", resolve));
const host = `http://localhost:${server.address().port}/`;
const browser = await Browser.start();
const faults = [];

function is(found, expected, what) {
    const [one, other] = [found, expected].map((value) => JSON.stringify(value));
    if (one !== other) faults.push(`${what}: ${one}, not ${other}`);
}

const text = (selector) => browser.value(`document.querySelector('${selector}').innerText`);
const click = (selector) => browser.value(`document.querySelector('${selector}').click()`);
const fill = (selector, value) => browser.value(`{ const field = document.querySelector('${selector}'); field.value = ${value};
    field.dispatchEvent(new Event('input')); field.dispatchEvent(new Event('change')); }`);
const digits = (words) => words.replace(/\D/g, "");
const focused = () => browser.value("document.activeElement.id");

/** Has `body` run after each answer of the library, until `mend()`. */
const tamper = (body) => browser.value(`{ const { call } = page.Instance.prototype;
    page.Instance.prototype.call = async function (name, ...given) {
        const result = await call.call(this, name, ...given);
        ${body}
        return result;
    }; window.mend = () => { page.Instance.prototype.call = call; }; }`);
const mend = () => browser.value("mend()");

/** A script that makes times of so many milliseconds shorter. */
const hurry = (long, short) => `{ const { setTimeout } = window; window.setTimeout = (f, time) => setTimeout(f, time === ${long} ? ${short} : time); }`;

// ---- Count ----

/** Counts by the buttons of the page; returns what it says. `meanwhile` is done once the count has begun. */
async function count(size, { engine = -1, workers = 2, meanwhile = "" } = {}) {
    await fill("#count-size", size);
    await fill("#engine", engine);
    await fill("#workers", workers);
    await click("#start");
    if (meanwhile) await browser.value(meanwhile);
    await browser.until("!document.querySelector('#start').disabled");
    return text("#result");
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

    // A worker that fails is replaced, and what it counted is counted again.
    const spoil = "page.pool[0].call('count', [10 ** 9]).catch(() => {})";
    const said = await isCounted(17, { meanwhile: spoil }, "a worker fails");
    is(/1 of the workers failed/.test(said), true, said);
    // So is one that no longer answers.
    await browser.value("Object.assign(page.patience, { seconds: 1.5, first: 1 })");
    for (const [name, workers] of [["count", 2], ["count", 1], ["prepare", 2]]) {
        await tamper(`if (name === '${name}' && this === (window.silent ??= this)) return new Promise(() => {});`);
        const said = await isCounted(16, { workers }, `a worker that does not answer to ${name}`).catch(({ message }) => message);
        is(/1 of the workers failed/.test(said), true, said);
        await browser.value("mend(), delete window.silent");
    }
    await browser.value("Object.assign(page.patience, { seconds: 60, first: 900 })");
    // One that died between two counts is replaced.
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

/** What is said of a count whose first answers take so long that it can be read. */
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
        is([await focused(), await text("#result"), await browser.value("alive")], ["start", "Stopped.", 2], "after a stop");
    }
    await click("#language");
    is([await text("#result"), await browser.value("document.querySelector('#count-said').textContent")],
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
    is(await text("#result"), "Stopped.", "stopped");
    await isCounted(10, {}, "after it was stopped");
    await fill("#count-size", 21);
    is(await browser.value("document.querySelector('#warning').hidden"), false, "a warning");
}

// ---- Board ----

/** The solutions of a board of `Q`, `x` and `.`, in the plainest way: how many have a queen on each square. */
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
    return { total: output().trim(), through: squares.flatMap((row) => row.split(",").slice(1).map(Number)) };
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
    for (const wrong of ["QQ/2", "3/3", "hello", "%00", "99/99", "%", "%E0%A4"]) {
        await browser.open(`${disk}#board=${wrong}`);
        const found = async () => [await text("#said"), (await browser.value(shown)).address];
        is(await found(), ["The link has no board that can be read.", "8/8/8/8/8/8/8/8"], wrong);
        if (!wrong.startsWith("%")) continue;
        await click("#clear");
        await browser.until("location.hash === `#board=${page.boardShown().address}`");
        await browser.value(`location.hash = 'board=${wrong}'`);
        await browser.until("document.querySelector('#said').innerText");
        is(await found(), ["The link has no board that can be read.", "8/8/8/8/8/8/8/8"], `${wrong}, later`);
    }
    await boardsFail();
    await boardsWait();
    await boardsReturn();
    // What takes too long is given up, and the next board is counted all the same.
    await browser.open(`${disk}#board=20/20/20/5Q14/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20`);
    await browser.value("page.instances().forEach((each) => each?.end())");
    await fill("#board-size", 6);
    await answered();
    is((await browser.value(shown)).total, "4", "after an end");
    // By the keys alone.
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

/** What is long in coming is said to be so, or given up, and holds up nothing else. */
async function boardsWait() {
    const empty = Array(20).fill(20).join("/");
    const late = "{ const { compile } = WebAssembly; WebAssembly.compile = async (bytes) => { await new Promise((resolve) => setTimeout(resolve, 700)); return compile(bytes); }; }";
    await browser.open(`${disk}#board=${empty}`, { before: late + hurry(30000, 1200) });
    await fill("#board-size", 6);
    await browser.value("new Promise((resolve) => setTimeout(resolve, 1500))");
    is(await text("#answer-number"), "4", "a board chosen before the library was compiled");
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

/** A change is not lost when the screen is left at once, and an opened link can be undone. */
async function boardsReturn() {
    await browser.open(`${disk}#board=6/6/6/6/6/6`);
    await answered();
    await browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
    const turned = "new Promise((resolve) => addEventListener('hashchange', () => setTimeout(resolve), { once: true }))";
    await browser.value(`document.querySelector('[data-square="1"]').click(), document.querySelector('nav [href="#why"]').click(), ${turned}`);
    await browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
    await browser.value(`history.back(), ${turned}`);
    is((await browser.value(shown)).address, "1Q4/6/6/6/6/6", "after a way back");
    await browser.until("location.hash === '#board=1Q4/6/6/6/6/6'", 2);
    await browser.value(`location.hash = 'board=Q', ${turned}`);
    is((await browser.value(shown)).address, "Q", "an opened link");
    await click("#undo");
    is((await browser.value(shown)).address, "1Q4/6/6/6/6/6", "the link undone");
}

// ---- Watch, languages, keys, sizes ----

const inFrame = "document.querySelector('#player-frame').contentWindow";

async function watches() {
    for (const [url, language, end] of [[disk, "en-US", "The end: the board has 4 solutions."], [host, "ja-JP", "終わり: この盤の解は 4 個です。"]]) {
        await browser.open(`${url}#watch=6`, { language });
        await browser.until(`${inFrame}.player?.length === 1351`);
        await browser.value(`${inFrame}.player.goTo(1351)`);
        is(await browser.value(`${inFrame}.document.querySelector('#end').textContent`), end, language);
        await click("#language");
        await browser.until(`${inFrame}.document.documentElement.lang !== '${language.slice(0, 2)}' && ${inFrame}.player?.position() === 1351`);
        await browser.until("document.querySelectorAll('#methods .bar').length === 7");
        const visits = await browser.value("[...document.querySelectorAll('#methods b')].map((each) => each.textContent)");
        is(visits.slice(0, 6), ["4,426,165,368", "16,777,216", "40,320", "2,057", "2,057", "2,057"], "visits");
    }
}

/** A browser without what the page needs says so, and nothing else. */
async function breaks() {
    for (const screen of SCREENS) {
        await browser.open(`${disk}#${screen}`, { before: "delete window.DecompressionStream" });
        await browser.until("document.querySelector('#broken').checkVisibility()");
        is(/needs WebAssembly with SIMD .* DecompressionStream is not defined/.test(await text("#broken")), true, await text("#broken"));
        if (screen === "watch") await fill("#watch-size", 5);
    }
}

async function languages() {
    for (const [language, expected, other] of [["ja", "盤面", "Board"], ["en-GB", "Board", "盤面"], ["de", "Board", "盤面"]]) {
        await browser.open(disk, { language });
        is(await text("nav a"), expected, language);
        await click("#language");
        is([await text("nav a"), await browser.value("document.documentElement.lang")], [other, other === "Board" ? "en" : "ja"], `not ${language}`);
    }
}

/** Tab reaches all that can be used, and it is seen where it is. */
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

/** What a hand does on a screen, whatever its size. */
const used = {
    board: async () => {
        await answered();
        await browser.tap("#squares [data-square=\"1\"]");
        await answered();
        is([(await browser.value(shown)).address, await text("#answer-number")], ["1Q6/8/8/8/8/8/8/8", "8"], "a queen placed by hand");
    },
    watch: async () => {
        await browser.until(`${inFrame}.player?.length === 1351`);
        const [inner, outer] = await browser.value(`[${inFrame}.document, document].map((each) => getComputedStyle(each.documentElement).fontSize)`);
        is(inner, outer, "the letters of the player");
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
            // What has no name cannot be found by a screen reader.
            const nameless = await browser.value(`[...document.querySelectorAll('button, input, select, iframe, a')].filter((each) =>
                !(each.ariaLabel || each.title || each.innerText?.trim() || each.labels?.[0]?.innerText.trim())).map((each) => each.outerHTML)`);
            is(nameless, [], `${screen}, ${language}: without a name`);
            await used[screen]();
        }
    }
}

const begun = Date.now();
try {
    for (const test of [counts, progresses, stops, boards, watches, breaks, languages, keys, sizes]) {
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
