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
let saved; // the copy of the page that is served in its place
const server = createServer(({ url }, response) => {
    const { csp, worker } = Object.fromEntries(new URL(url, "http://localhost").searchParams);
    if (csp) response.setHeader("Content-Security-Policy", csp);
    const spoiled = (_, begin, its) => begin + JSON.stringify(worker.replace("ITS", () => JSON.parse(its))).replaceAll("<", "\\u003c");
    const page = readFileSync(file, "utf8");
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    if (saved) response.end(saved);
    else response.end(worker === undefined ? page : page.replace(/(<script [^>]*id="worker">)(.*?)(?=<\/script>)/, spoiled));
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
/** A square of the first screen's board. */
const on = (row, column) => `#squares [data-row="${row}"][data-column="${column}"]`;
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

const isAlarm = () => browser.value("document.querySelector('#failure').classList.contains('alarm')");

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
    for (const [workers, words] of [[1, "1 worker,"], [2, "2 workers,"]]) {
        const said = await isCounted(18, { workers }, words);
        is(said.includes(words), true, said);
        console.log(said.replace(/\s*\n\s*/g, "; "));
    }

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
    is([await count(12), await isAlarm()], ["The count failed: on purpose.", true], "a unit that always fails");
    await mend();
    await tamper("if (name === 'count') result[0] += 24n;");
    is(/Error: contradicts the published number 14,200/.test(await count(12)), true, `a wrong total: ${await text("#result")}`);
    await mend();
    for (const impossible of ["99, 0", "8, 2"]) {
        const prepared = `page.pool[0].call('prepare', ${impossible}).then(() => true, () => false)`;
        is(await browser.value(prepared), false, `a count that cannot be made: ${impossible}`);
        await isCounted(10, {}, "after it was refused");
    }
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
    is([await text("#failure"), digits(await text("#total")), await isAlarm()], ["Stopped.", "92", false], "stopped: what was counted before stays");
    await isCounted(10, {}, "after it was stopped");
    await fill("#count-size", 21);
    is(await browser.value("document.querySelector('#warning').hidden"), false, "a warning");
    // The times of other programs are those for the size chosen, if there are any.
    await browser.open(`${disk}#count=20`);
    for (const [size, expected] of [[20, 20], [16, 16], [17, 16]]) {
        await fill("#count-size", size);
        is(await text("#others-size [aria-pressed=true]"), `N = ${expected}`, `times of other programs beside N = ${size}`);
    }
}

// ---- Board ----

/** The number of solutions with a queen on each square, for a board of `Q`, `x` and `.`, by the program. */
function byProgram(rows) {
    const output = (...options) => execFileSync(program, ["count", "--board", "-", "--quiet", ...options], { input: rows.join("\n").replaceAll("x", "*"), encoding: "utf8" });
    const squares = output("--by-square", "--format", "csv").trim().split("\n").slice(1);
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
    await browser.press("u");
    is([(await browser.value(shown)).solution, (await browser.value(shown)).address], [null, "1Q6/3x4/8/8/8/8/8/8"], "the shown solution goes, the queens stay");
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
    await click(on(0, 0));
    await click(on(0, 1));
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
    // The number of an empty board is published, so it is there before the board is counted, however late the library is.
    await browser.open(`${disk}#board=${empty}`, { before: late });
    await browser.until("document.querySelector('#answer-number').innerText === '…'", 5);
    await browser.until("document.querySelector('#answer-number').innerText === '39,029,188,884'", 10);
    is(await text("#answer-words"), "solutions of the empty board, as published (OEIS A000170), counting …", "N = 20 at once");
    await browser.open(`${disk}#board=6/6/6/6/6/6`, { before: hurry(30000, 1200) });
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
    await browser.value(`document.querySelector('${on(0, 1)}').click(), document.querySelector('nav [href="#why"]').click(), ${turned}`);
    await browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
    await browser.value(`history.back(), ${turned}`);
    is((await browser.value(shown)).address, "1Q4/6/6/6/6/6", "after a way back");
    await browser.until("location.hash === '#board=1Q4/6/6/6/6/6&lang=en'", 2);
    await browser.value(`location.hash = 'board=Q', ${turned}`);
    is((await browser.value(shown)).address, "Q", "an opened link");
    await click("#undo");
    is((await browser.value(shown)).address, "1Q4/6/6/6/6/6", "the link undone");
}

/** Hints name what is wrong or comes next, without a solution. */
async function hints() {
    for (const [address, said, pointed] of [
        ["Q3/2Q1/4/4", "The queen in row 1, column 2 leaves row 2 without a square.", 4],
        ["Q3/4/4/4", "No solution has all these queens. Take away the queen in row 0, column 0: then 2 solutions are left.", 1],
        ["1Q2/4/4/4", "In row 1 one square is left: row 1, column 3.", 1],
        ["xxxx/4/4/4", "row 0 has no square left.", 4],
        ["1Q2/3Q/Q3/2Q1", "Every row has its queen: this is a solution.", 0]]) {
        await browser.open(`${disk}#board=${address}`);
        await answered();
        await browser.value("document.querySelector('#squares [tabindex=\"0\"]').focus()");
        await browser.press("h");
        await browser.until("document.querySelector('#said').innerText");
        is([await text("#said"), await browser.value("document.querySelectorAll('.hinted').length")], [said, pointed], `a hint for ${address}`);
        await click("#language");
        is(/[a-z]{3}/.test(await text("#said")), false, `a hint in Japanese: ${await text("#said")}`);
        await click("#language");
        await click("#clear");
        is(await browser.value("document.querySelectorAll('.hinted').length"), 0, "after a hint");
    }
    // With several squares in each line, the hint says how many of them lead to a solution, as the program counts.
    await browser.open(`${disk}#board=8/8/8/8/8/8/8/8`);
    await answered();
    await click("#hint");
    await browser.until("document.querySelector('#said').innerText");
    is(await browser.value("getComputedStyle(document.querySelector('.hinted')).boxShadow.includes('4px')"), true, "the frame of a hint");
    is(await text("#said"), "Look at row 0: 8 of its 8 free squares lead to a solution.", "a hint on an empty board");
    await click("#show");
    await browser.until("page.boardShown().solution");
    is(await browser.value("document.querySelectorAll('.hinted').length"), 0, "after a solution");
    await fill("#board-size", 6);
    await answered();
    is(await browser.value(`[0, 1].map((column) => document.querySelector('#squares [data-column="' + column + '"]').getAttribute('aria-label'))`),
        ["row 0, column 0: free, in 0 solutions", "row 0, column 1: free, in 1 solution"], "the numbers of squares in words");
}

/** A puzzle has one solution, keeps its queens, shows no numbers, and comes back by its link. */
async function puzzles() {
    for (const [size, level] of [[6, "hard"], [8, "easy"], [8, "medium"], [8, "hard"], [12, "hard"], [20, "easy"]]) {
        await browser.open(`${disk}#board=${Array(size).fill(size).join("/")}`);
        await fill("#level", `'${level}'`);
        await click("#new-puzzle");
        await browser.until("page.boardShown().given && page.boardShown().total !== null");
        const { address } = await browser.value(shown);
        const rows = address.split("/").map((row) => row.replace(/\d+/g, (free) => ".".repeat(free)));
        const given = rows.flatMap((row) => row.match(/Q/g) ?? []).length;
        is([byProgram(rows).total, rows.length], ["1", size === 20 ? 8 : size], `${level}: ${address}`);
        is(given >= 1 && given < rows.length - 1, true, `${level}: ${given} queens are given`);
        is(await text("#answer-number"), `${rows.length - given}`, "the queens that are left");
        is(await browser.value("document.querySelector('#squares').dataset.tinted"), "false", "no numbers on a puzzle");
        // A given queen cannot be taken away, by no key, click or button.
        const first = rows.join("").indexOf("Q");
        await click(on(Math.floor(first / rows.length), first % rows.length));
        is(/this queen is given\.$/.test(await text("#said")), true, await text("#said"));
        await click("#clear");
        is((await browser.value(shown)).address, address, "the given queens stay");
        const solve = async () => {
            await click("#show");
            await browser.until("page.boardShown().solution");
            const { columns } = (await browser.value(shown)).solution;
            for (const [row, column] of columns.entries()) {
                if (rows[row][column] !== "Q") await click(on(row, column));
            }
            is(await text("#answer-number"), "✓", `${level}: solved`);
        };
        await solve();
        await browser.until(`location.hash === '#board=${address}&puzzle=1&lang=en'`);
        await reload();
        await browser.until("page.boardShown().given && page.boardShown().total === 1n");
        is([(await browser.value(shown)).address, await text("#answer-number")], [address, `${rows.length - given}`], "a puzzle by its link");
        await click("#leave");
        await answered();
        is(await text("#answer-number"), "1", "after the puzzle");
    }
    // A new puzzle is another one, even if chance makes the same again.
    await browser.open(`${disk}#board=6/6/6/6/6/6`);
    await tamper("if (name === 'puzzle' && (window.times = (window.times ?? 0) + 1) < 4) return window.first ??= result;");
    const puzzle = "String(page.boardShown().given)";
    await click("#new-puzzle");
    await browser.until("page.boardShown().given");
    const before = await browser.value(puzzle);
    await click("#new-puzzle");
    await browser.until(`page.boardShown().given && ${puzzle} !== '${before}'`, 10);
    await mend();
    await browser.open(`${disk}#board=8/8/8/8/8/8/8/8&puzzle=1`);
    await browser.until("document.querySelector('#said').innerText");
    is([await text("#said"), await text("#answer-number")], ["This board is no puzzle: it has 92 solutions.", "92"], "no puzzle");
}

/** Without numbers, one places the queens oneself. The address keeps what is hidden. */
async function exercises() {
    const board = "8/8/8/8/8/8/8/8";
    const look = () => browser.value(`[document.querySelector('#answer').innerText.replace(/\\s+/g, ' '), document.querySelector('#squares').innerText.trim(),
        document.querySelectorAll('#squares [data-state=attacked]').length, document.querySelector('#squares [data-row="7"][data-column="7"]').getAttribute('aria-label')]`);
    const left = "queens are left to place, so that none attacks another";
    await browser.open(`${disk}#board=${board}&numbers=0`, { width: 360, height: 640 });
    await answered();
    is(await look(), [`8 ${left}`, "", 0, "row 7, column 7: free"], "an exercise");
    await click(on(0, 0));
    await answered();
    is(await look(), [`7 ${left}`, "", 21, "row 7, column 7: attacked"], "a queen in the corner");
    await click("#attacks");
    is(await look(), [`7 ${left}`, "", 0, "row 7, column 7: free"], "attacked squares hidden");
    await browser.until("location.hash === '#board=Q7/8/8/8/8/8/8/8&numbers=0&attacks=0&lang=en'");
    await reload();
    await answered();
    is(await look(), [`7 ${left}`, "", 0, "row 7, column 7: free"], "after a reload");
    await click(on(7, 7));
    is((await text("#said")).startsWith("Row 7, column 7 is attacked"), true, "a hidden attack is said");
    for (const [row, column] of [4, 7, 5, 2, 6, 1, 3].entries()) await click(on(row + 1, column));
    await answered();
    is((await look())[0], "✓ solved: every queen has her place", "solved");
    await click("#clear");
    for (const id of ["#numbers", "#attacks"]) await click(id);
    await answered();
    is((await look()).slice(0, 1), ["92 solutions of the empty board, as published (OEIS A000170)"], "with numbers");
    await browser.until(`location.hash === '#board=${board}&lang=en'`);
    // On a phone, the board and the buttons for the next moves are in one view, and none of them stands out.
    for (const [language, width, height] of [["en", 360, 640], ["ja", 360, 640], ["en", 740, 360]]) {
        await browser.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: true });
        await browser.value(`page.setLanguage('${language}'), scrollTo(0, 0)`);
        is(await browser.value(`[['squares', 'undo', 'hint', 'show'].filter((id) => document.querySelector('#' + id).getBoundingClientRect().bottom > innerHeight),
            new Set([...document.querySelectorAll('#moves button')].map((each) => getComputedStyle(each).backgroundColor)).size]`), [[], 1], `a phone, ${language}, ${width} x ${height}`);
    }
}

// ---- The story ----

const story = () => browser.value(`(({ table, ...rest }) => ({ ...rest, table: table && { even: table.even, odd: table.odd } }))(page.storyShown())`);
const at = (chapter, row, column) => `#chapter-${chapter} [role="gridcell"][data-row="${row}"][data-column="${column}"]`;
const attackIn = ([row, column], [other, otherColumn]) => row === other || column === otherColumn || Math.abs(row - other) === Math.abs(column - otherColumn);
const range = (length) => [...Array(length).keys()];

/** All placements of queens on squares for which `isOpen` is true, none attacking another. */
function placed(size, isOpen, row = 0, queens = []) {
    if (row === size) return [queens];
    const free = range(size).filter((column) => isOpen(row, column) && !queens.some((queen) => attackIn(queen, [row, column])));
    return [placed(size, isOpen, row + 1, queens), ...free.map((column) => placed(size, isOpen, row + 1, [...queens, [row, column]]))].flat();
}

/** The number of placements of the first rows. */
const nodes = (size, columns = []) => 1 + (columns.length === size ? 0 : range(size).filter((column) => columns.every((other, row) =>
    !attackIn([row, other], [columns.length, column]))).reduce((sum, column) => sum + nodes(size, [...columns, column]), 0));

async function stories() {
    for (const size of [4, 5, 6, 7, 8]) {
        const language = size % 2 === 0 ? "en" : "ja";
        await browser.open(`${disk}#why=${size}`, { language });
        await browser.until(`page.storyShown().isChosen`);
        const total = TOTALS[size - 1];

        // 1. The tree has the nodes of the search, and the bars the numbers of the methods.
        await click("#tree-row");
        is((await story()).seen, 1 + size + range(size).flatMap((column) => range(size).filter((other) => Math.abs(other - column) > 1)).length, `N = ${size}: two rows`);
        await click("#tree-all");
        is([(await story()).seen, (await story()).all], [nodes(size), nodes(size)], `N = ${size}: nodes`);
        is(await browser.value("document.querySelectorAll('#tree [data-kind=\"solution\"]').length"), total, `N = ${size}: solutions in the tree`);
        const factorial = range(size).reduce((product, each) => product * (each + 1), 1);
        const choose = range(size).reduce((product, each) => product * (size * size - each), 1) / factorial;
        const bars = await browser.value("[...document.querySelectorAll('#visits .bar b')].map((each) => each.innerText.replace(/\\D/g, ''))");
        is(bars, [choose, size ** size, factorial, nodes(size)].map(String), `N = ${size}: visits`);
        is(digits(await text("#c1next")).endsWith(`${nodes(size)}`), true, await text("#c1next"));

        // 2. The bits are those of the queens on the board, square by square.
        await click("#tree-clear");
        const columns = [];
        for (const next of [1, 3, 0].slice(0, size === 4 ? 2 : 3)) {
            const free = range(size).filter((column) => !columns.some((other, row) => attackIn([row, other], [columns.length, column])));
            const column = free.includes(next) ? next : free[0];
            if (column === undefined) break;
            await click(at("masks", columns.length, column));
            columns.push(column);
            await browser.until(`page.storyShown().columns.join() === '${columns}'`);
            const row = Math.min(columns.length, size - 1);
            const bit = (hits) => range(size).map((each) => Number(columns.some((other, above) => above !== row && hits(above, other, each))));
            const masks = [bit((_, other, each) => other === each), bit((above, other, each) => above + other === row + each),
                bit((above, other, each) => above - other === row - each)];
            masks.push(range(size).map((each) => masks[0][each] | masks[1][each] | masks[2][each]));
            masks.push(masks[3].map((each) => 1 - each));
            const words = masks.map((each) => [each.join(""), `= ${each.reduce((sum, one, place) => sum + one * 2 ** place, 0)}`]);
            const found = await browser.until(`(() => { const rows = [...document.querySelectorAll('#masks .bits:not(.heads)')].map((row) =>
                [row.children[1].textContent, row.children[2].textContent]); return JSON.stringify(rows) === ${JSON.stringify(JSON.stringify(words))} && rows; })()`, 5).catch(() => null);
            is(found, words, `N = ${size}: the bits with ${columns}`);
        }
        // An attacked square is refused with the reason, and the queen that stands there is taken away.
        await click(at("tree", 1, columns[0]));
        is((await story()).columns, columns, "an attacked square");
        await click(at("masks", 0, columns[0]));
        await browser.until("page.storyShown().columns.length === 0");

        // 3. A diagonal keeps its colour, wherever the queen is dragged.
        for (const [row, column] of [[0, 0], [1, 2], [size - 1, 0], [2, 2]]) {
            await click(at("colour", row, column));
            const reached = range(size * size).map((square) => [Math.floor(square / size), square % size]).filter(([r, c]) =>
                r !== row && Math.abs(r - row) === Math.abs(c - column)).map(([r, c]) => (r + c) % 2);
            const counts = [reached.filter((each) => each === 0).length, reached.filter((each) => each === 1).length];
            const said = await browser.until(`(() => { const said = document.querySelector('#colour-words').innerText; const found = said.match(/\\d+/g).map(Number);
                return found.join() === '${[row, column, ...counts]}' && found; })()`, 5).catch(() => null);
            is(said, [row, column, ...counts], `N = ${size}: the diagonals of ${row}, ${column}`);
        }

        // 4. The products of all choices are those of a plain search, and add up to the solutions.
        const lines = (queens, part) => queens.reduce((mask, queen) => mask | 1 << queen[part], 0);
        const tally = [0, 1].map((colour) => placed(size, (row, column) => (row + column) % 2 === colour).reduce((map, queens) =>
            map.set(`${lines(queens, 0)} ${lines(queens, 1)}`, (map.get(`${lines(queens, 0)} ${lines(queens, 1)}`) ?? 0) + 1), new Map()));
        const every = 2 ** size - 1;
        let sum = 0;
        let choices = 0;
        for (const [key, white] of tally[0]) {
            const [rows, its] = key.split(" ").map(Number);
            const black = tally[1].get(`${every ^ rows} ${every ^ its}`);
            if (black) [sum, choices] = [sum + white * black, choices + 1];
        }
        is(sum, total, `N = ${size}: the sum of the products`);
        const counted = (rows, its) => [tally[0].get(`${rows} ${its}`) ?? 0, tally[1].get(`${every ^ rows} ${every ^ its}`) ?? 0];
        for (let walked = 1; walked <= choices; walked++) {
            await click("#walk-next");
            if (walked % 7 !== 1) continue;
            await browser.until(`page.storyShown().walked === ${walked} && page.storyShown().isChosen`);
            const { white } = await story();
            const [w, b] = counted(...white);
            is(await text("#product"), `${w} × ${b} = ${w * b}`, `N = ${size}: choice ${walked}`);
            // 5. The table of these rows has w for all columns, and b beside it.
            await click("#table-all");
            const entries = await browser.value("[...document.querySelectorAll('#join [data-columns]')].map(({ dataset, textContent }) => [Number(dataset.columns), textContent])");
            const products = entries.map(([its]) => counted(white[0], its));
            is(entries.map(([, words]) => words), products.map(([one, other]) => (one === 0 ? "0" : `${one} × ${other}`)), `N = ${size}, rows ${white[0]}: the table`);
            const all = [...tally[0].keys()].map((key) => key.split(" ").map(Number)).filter(([rows]) => rows === white[0]).map(([, its]) => its);
            is(all.filter((its) => !entries.some(([each]) => each === its)), [], "columns without an entry");
            const rowsSum = products.reduce((sum, [one, other]) => sum + one * other, 0);
            is(digits(await text("#table-words")).endsWith(`${rowsSum}`), true, await text("#table-words"));
        }
        await browser.until("page.storyShown().isChosen");
        is(await text("#walk-words").then((words) => words.includes(`${total}`) && words.includes(`${choices}`)), true, `N = ${size}: ${await text("#walk-words")}`);
        is(await browser.value("document.querySelector('#walk-next').getAttribute('aria-disabled')"), "true", "all choices are added");
        await click("#choose-rows button");
        await browser.until("page.storyShown().isChosen");
        is(await text("#product").then((words) => words.endsWith("= 0")), true, "unequal numbers of rows and columns");
        await click("#choose-rows button");
        await browser.until("page.storyShown().isChosen");

        // 5. Each placement in odd rows has a bit for each one in even rows that no queen attacks, and the ones of each byte are added to its entry.
        await click("#table-clear");
        for (let done = 1; ; done++) {
            const { table: { even, odd }, white: [rows], probe, added } = await story();
            const half = (parity) => placed(size, (row, column) => row % 2 === parity && column % 2 === parity && rows >> row & 1)
                .filter((queens) => lines(queens, 0) === range(size).reduce((mask, row) => mask | (row % 2 === parity && rows & 1 << row), 0));
            const builds = even.flatMap(([, placements]) => placements);
            is([added, builds.map(String).sort(), odd.map(([, queens]) => `${queens}`).sort()], [done, half(0).map(String).sort(), half(1).map(String).sort()], `N = ${size}: placements`);
            is(even.every(([columns, placements]) => placements.every((queens) => lines(queens, 1) === columns)), true, "a byte has one column set");
            const queens = odd[probe][1];
            const bits = queens.map((queen) => builds.map((each) => Number(!each.some((other) => attackIn(queen, other)))));
            const both = builds.map((_, place) => Number(bits.every((each) => each[place] === 1)));
            const found = await browser.value(`['.queens', '.ones'].map((css) => [...document.querySelectorAll('#join ' + css)].map((row) => [...row.querySelectorAll('td')].map((each) => each.innerText.replace(/\\D/g, ''))))`);
            const byByte = (values) => even.map(([columns]) => values.filter((_, place) => lines(builds[place], 1) === columns));
            is(found, [[...bits, both].map((row) => byByte(row).map((each) => each.join(""))), [byByte(both).map((each) => `${each.filter(Boolean).length}`)]], `N = ${size}: bits of ${queens}`);
            const fit = both.indexOf(1);
            if (fit >= 0) {
                await click("#table-fit");
                is(both[(await story()).build], 1, "a placement that fits");
                await click("#join [data-bit]");
                is((await story()).build, 0, "the placement of a bit");
            }
            if (done === odd.length) break;
            await click("#table-next");
        }
        is(await browser.value("document.querySelector('#table-next').getAttribute('aria-disabled')"), "true", "all placements are added");
        const entry = await browser.value("(([each]) => { each.click(); return Number(each.dataset.columns); })([...document.querySelectorAll('#join [data-columns]')].slice(-1))");
        is((await story()).white[1], entry, `N = ${size}: the columns of an entry`);

        // 6. The images are those of the choice, and the families make up all solutions.
        const last = size - 1;
        const maps = [(r, c) => [r, c], (r, c) => [c, last - r], (r, c) => [last - r, last - c], (r, c) => [last - c, r], (r, c) => [r, last - c],
            (r, c) => [last - r, c], (r, c) => [c, r], (r, c) => [last - c, last - r]];
        const marked = ([rows, its]) => range(size * size).map((square) => [Math.floor(square / size), square % size])
            .filter(([row, column]) => [rows >> row & 1, its >> column & 1].every((bit) => bit !== (row + column) % 2));
        const imagesOf = (choice) => maps.map((map) => marked(choice).map((square) => map(...square).join()).sort());
        const family = (choice) => imagesOf(choice).map(String).sort()[0];
        const allChoices = [...tally[0].keys()].map((key) => key.split(" ").map(Number)).filter((choice) => counted(...choice).every(Boolean));
        const families = new Set(allChoices.map(family));
        const seen = new Set();
        for (let i = 0; i < families.size; i++) {
            await click("#another");
            await browser.until("page.storyShown().isChosen");
            seen.add(family((await story()).white));
        }
        is([...seen].sort(), [...families].sort(), `N = ${size}: families`);
        const its = (await story()).white;
        const drawn = await browser.value(`[...document.querySelectorAll('#images button')].map((button) => [...button.querySelectorAll('i')].flatMap((square, at) =>
            (square.dataset.state ? [[Math.floor(at / ${size}), at % ${size}].join()] : [])).sort())`);
        is(drawn, imagesOf(its), `N = ${size}: images`);
        const said = await text("#images-words");
        const sum2 = said.match(/\d+ × \d+/g).reduce((all, term) => all + term.split(" × ").reduce((one, other) => one * other), 0);
        is([sum2, said.includes(`= ${total}`), said.includes(` ${families.size} `), digits(said).startsWith(`${new Set(drawn.map(String)).size}`)], [total, true, true, true], said);
        await click("#turn");
        await browser.until(`page.storyShown().isChosen && String(page.storyShown().white) !== '${its}' || ${`${drawn[0]}` === `${drawn[1]}`}`);
        is(marked((await story()).white).map(String).sort(), drawn[1], "a quarter turn");

        // A solution that is put on the board is shown in all pictures.
        const queens = (await story()).halves.map(([first]) => first).flat().sort(([one], [other]) => one - other);
        for (const [row, column] of queens) await click(at("tree", row, column));
        await browser.until(`page.storyShown().columns.length === ${size} && page.storyShown().isChosen`);
        const shown = queens.map(([, column]) => column);
        is((await story()).white, [0, 1].map((part) => lines(queens.filter(([row, column]) => (row + column) % 2 === 0), part)), "white lines of the solution");
        // The address has the board.
        await browser.until(`location.hash === '#why=${size}&queens=${shown.join(".")}&lang=${language}'`);
        await reload();
        await browser.until(`page.storyShown().columns.join() === '${shown}' && page.storyShown().isChosen`);
    }
    // 7. The reader's own count.
    await browser.open(`${disk}#why`);
    await browser.until("page.storyShown().size === 7 && page.storyShown().isChosen");
    is([await text("#product"), (await story()).white], ["2 × 2 = 4", [0b1001001, 0b11100]], "the example of docs/two-color.md");
    await gains();
    await browser.until("document.querySelector('#c7words').innerText && page.storyShown().isChosen");
    await browser.tap("#own-count");
    await browser.until("/666,090,624 solutions in .*✓/.test(document.querySelector('#own-words').innerText)");
    is((await text("#c2next")).includes("For N = 18 there are 666,090,624 of them."), true, await text("#c2next"));
    const expected = Number(digits(await text("#c7words")).slice(2));
    is(Math.abs(expected / 59_365_844_490 - 1) < 0.05, true, `expected nodes: ${expected}`);
    for (const language of ["ja", "en"]) {
        await browser.value(`page.setLanguage('${language}')`);
        is(await browser.value(`[document.querySelector('[data-text="c6next"]').innerText.includes('two-color'),
            document.querySelector('[data-text="toMethod"]').pathname.endsWith('/docs/two-color.md')]`), [true, true], `the name of the method, ${language}`);
    }
    // A failure of the library to answer is said, and the message goes away with the next answer.
    await tamper("if (name === 'attacks') throw new Error('on purpose.');");
    await click(at("colour", 0, 1));
    await browser.until("document.querySelector('#why-failed').innerText === 'The count failed: on purpose.'");
    await mend();
    await click(at("colour", 0, 2));
    await browser.until("document.querySelector('#why-failed').hidden");
}

/** The numbers of products are those of docs/two-color.md, counted by its rules. */
async function gains() {
    const sets = (all, few) => range(few).reduce((product, each) => product * (all - each) / (each + 1), 1);
    const products = (size) => range(Math.floor(size / 4) + 1).filter((k) => 2 * ((2 * k) ** 3 + (size - 2 * k) ** 3) <= size ** 3 + size).reduce((sum, k) =>
        range(sets(size / 2, k)).reduce((all, rank) => all + (4 * k < size ? (rank + 1) ** 3 : rank % 2 === 0 ? (rank + 2) ** 3 : 0), sum), 0);
    const rows = await browser.value("[...document.querySelectorAll('#gains tbody tr')].map((row) => [...row.cells].map((each) => Number(each.innerText.replaceAll(',', ''))))");
    is(rows.map(([size, , found]) => [size, found]), [8, 12, 16, 18, 22].map((size) => [size, products(size)]), "products");
    const page = readFileSync(new URL("../docs/two-color.md", import.meta.url), "utf8");
    is(["38,600", "14,609,295,459"].filter((words) => !page.includes(words)), [], "numbers of the document");
    for (const [size, total, found, gain] of rows) {
        is(total, TOTALS[size - 1] ?? 2_691_008_701_644, `solutions for N = ${size}`);
        is(Math.abs(gain * found / total - 1) < 0.03, true, `N = ${size}: ${gain} for each product`);
    }
}

/** Whatever is pressed, in whatever order and however fast, the story goes on without an error. */
async function storyAtRandom() {
    await browser.open(`${disk}#why=6`, { width: 900 });
    await browser.until("page.storyShown().isChosen");
    const troubles = await browser.value(`(async () => {
        let seed = 7;
        const random = (number) => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % number; };
        const find = (selector) => [...document.querySelectorAll(selector)];
        for (let i = 0; i < 1000; i++) {
            const all = find('#screen-why button:not(#own-count), #screen-why [role=gridcell], #screen-why input, #screen-why select, #join td, #language');
            const each = all[random(all.length)];
            if (each.tagName === 'SELECT') each.selectedIndex = random(each.options.length);
            if (each.type === 'range') each.value = random(40);
            if (each.tagName === 'SELECT') each.dispatchEvent(new Event('change'));
            else if (each.type === 'range') each.dispatchEvent(new Event('input'));
            else each.click();
            const key = ['ArrowDown', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'Enter', 'Home'][random(30)];
            if (key) find('.tree')[0].dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
            if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, random(30)));
            const said = find('#broken, #why-failed').filter((each) => !each.hidden).map((each) => each.innerText);
            if (said.length > 0) return [...said, i, each.outerHTML.slice(0, 100)];
        }
        return [];
    })()`, 120);
    is(troubles, [], "troubles");
}

/** The story by keys alone. */
async function storyKeys() {
    await browser.open(`${disk}#why=6`);
    await browser.until("page.storyShown().isChosen");
    const focus = (selector) => browser.value(`document.querySelector('${selector}').focus()`);
    await focus("#tree .tree");
    await browser.press("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown");
    is((await story()).columns, [2, 0], "the tree by arrows");
    is(await browser.value("document.querySelector('#tree-here').getAttribute('aria-label')"), "Columns 2, 0: row 2 has 2 free squares.", "a node in words");
    await browser.press("ArrowUp", "Home");
    is((await story()).columns, [], "back to the root");
    const before = (await story()).seen;
    await browser.press("Enter");
    is((await story()).seen < before, true, "Enter closes a node");
    await focus(at("masks", 0, 0));
    await browser.press("ArrowRight", "Enter");
    await browser.until("page.storyShown().columns.join() === '1' && document.activeElement.dataset.state === 'queen'");
    is(await browser.value("document.activeElement.getAttribute('aria-label')"), "row 0, column 1: queen", "a square in words");
    await focus("#chapter-colour [tabindex=\"0\"]");
    await browser.press("ArrowRight", "ArrowDown");
    await browser.until("/^Row 1, column 1 is white/.test(document.querySelector('#colour-words').innerText)");
    await focus("#choose-columns button");
    const { white } = await story();
    await browser.press(" ");
    await browser.until(`page.storyShown().white[1] === ${white[1] ^ 1}`);
    await focus("#walk");
    await browser.press("ArrowRight");
    await browser.until("page.storyShown().walked === 1");
    await browser.until("page.storyShown().isChosen");
    await focus("#table-next");
    await browser.press("Enter");
    const { table: { odd }, probe } = await story();
    // Enter on a square shows another placement with a queen there.
    const [row, column] = odd[0][1][0];
    await focus(at("table", row, column));
    await browser.press("Enter");
    is([probe, (await story()).table.odd[(await story()).probe][1].some((queen) => `${queen}` === `${[row, column]}`)], [odd.length > 1 ? 1 : 0, true], "a square of the table");
    await focus("#images button:nth-child(2)");
    const untouched = (await story()).white;
    await browser.press("Enter");
    await browser.until(`page.storyShown().isChosen && String(page.storyShown().white) !== '${untouched}'`);
    await focus("#why-size input:checked");
    await browser.press("ArrowRight");
    await browser.until(`page.storyShown().all === ${nodes(7)} && page.storyShown().columns.length === 0`);
    // A queen follows the pointer that drags her.
    await browser.value(`document.querySelector('${at("colour", 2, 2)}').scrollIntoView({ block: 'center', behavior: 'instant' })`);
    const middle = (row, column) => browser.value(`(({ x, y, width }) => ({ x: x + width / 2, y: y + width / 2 }))(document.querySelector('${at("colour", row, column)}').getBoundingClientRect())`);
    const [begin, end] = [await middle(2, 2), await middle(4, 5)];
    await browser.call("Input.dispatchMouseEvent", { type: "mousePressed", ...begin, button: "left", clickCount: 1 });
    await browser.call("Input.dispatchMouseEvent", { type: "mouseMoved", ...end, button: "left", buttons: 1 });
    await browser.until("/^Row 4, column 5 is black/.test(document.querySelector('#colour-words').innerText)");
    await browser.call("Input.dispatchMouseEvent", { type: "mouseReleased", ...end, button: "left", clickCount: 1 });
    // A finger drags her too, and the page stays where it is.
    await browser.call("Emulation.setTouchEmulationEnabled", { enabled: true });
    const scrolled = await browser.value("scrollY");
    await browser.call("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [end] });
    for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
        const point = { x: end.x + (begin.x - end.x) * share, y: end.y + (begin.y - end.y) * share };
        await browser.call("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [point] });
    }
    await browser.call("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await browser.until("/^Row 2, column 2 is white/.test(document.querySelector('#colour-words').innerText)");
    is(await browser.value("scrollY"), scrolled, "the page under a finger");
    await browser.call("Emulation.setTouchEmulationEnabled", { enabled: false });
    // No text is missing in either language, and both have the same places for values.
    const differing = await browser.value(`(() => { const { en, ja } = page.texts; const places = (words) => (String(words).match(/\\{\\w+\\}/g) ?? []).filter((place, i, all) => all.indexOf(place) === i).sort().join();
        return [...new Set([...Object.keys(en), ...Object.keys(ja)])].filter((name) => en[name] === undefined || ja[name] === undefined
            || places(en[name]) !== places(ja[name])); })()`);
    is(differing, [], "texts that differ in the two languages");
}

// ---- Watch, languages, keys, sizes ----

/** Every method can be watched, on an empty board and on a given one, with the steps of the program, and the line at work. */
async function methods() {
    for (const method of ["earlier-queens", "flag-arrays", "bit-masks"]) {
        for (const on of ["", "2Q3/6/6/6/3x2/5x"]) {
            await browser.open(`${disk}#watch=6&method=${method}${on && `&on=${on}`}`);
            await browser.until(`${inFrame}.player?.length > 10`);
            const rows = on.split("/").map((row) => row.replace(/\d+/g, (free) => ".".repeat(free)).replaceAll("x", "*"));
            const given = on ? { args: ["--board", "-"], input: rows.join("\n") } : { args: ["6"], input: "" };
            const document = JSON.parse(execFileSync(program, ["trace", ...given.args, "--method", method, "--until", "all", "--format", "json", "--quiet"],
                { input: given.input, encoding: "utf8" }));
            const steps = document.steps.map(({ step, ...rest }) => rest);
            const found = await browser.value(`JSON.parse(${inFrame}.document.querySelector('#trace').textContent)`);
            is([found.steps, found.method, found.setup], [steps, method, on ? rows.join("/") : null], `${method} ${on}: the steps`);
            for (const language of ["Python", "C", "JavaScript", "Rust"]) {
                const faulty = await browser.value(`(() => { const view = ${inFrame}; const player = view.document;
                    [...player.querySelectorAll('#languages button')].find((each) => each.textContent === '${language}').click();
                    const [steps, faulty] = [${JSON.stringify(steps)}, []];
                    for (let at = 1; at <= view.player.length; at += 1 + (at > 120) * 40) {
                        view.player.goTo(at);
                        if (!player.querySelector('#program [aria-current]')) faulty.push('no line at ' + at);
                        const step = steps[at - 1];
                        const variable = (name) => player.querySelector('[data-variable="' + name + '"]')?.textContent;
                        // Below the number of each column is its bit.
                        const bits = (name) => [...variable(name)].reduce((mask, bit, place) => mask + bit * 2 ** variable('column')[place], 0);
                        if (step.kind === 'free' && bits('free') !== step.columns) faulty.push('free at ' + at);
                        if (step.kind === 'free' && !${on !== ""}) {
                            if ((63 & ~(bits('columns') | bits('left') | bits('right'))) !== step.columns) faulty.push('masks at ' + at);
                        }
                        if (step.kind === 'compare' && variable('earlier') !== String(step.queen)) faulty.push('earlier at ' + at);
                    }
                    if (/[$@]/.test(player.querySelector('#program').innerText.replace(/println!.*/g, ''))) faulty.push('a place without its value');
                    return faulty.slice(0, 5); })()`);
                is(faulty, [], `${method}, ${language} ${on}`);
            }
            // The method, the board and the language of the program stay when the language of the page changes.
            await click("#language");
            await browser.until(`${inFrame}.document.documentElement.lang === 'ja' && ${inFrame}.document.querySelector('#languages [aria-pressed=true]')?.textContent === 'Rust'`);
            is(await browser.value("document.querySelector('#watch-setup').hidden"), on === "", "the board's note");
            await browser.until(`location.hash.startsWith('#watch=6${method === "flag-arrays" ? "" : `&method=${method}`}${on && `&on=${on}`}')`);
        }
        await click("#watch-empty");
        await browser.until(`!${inFrame}.player || JSON.parse(${inFrame}.document.querySelector('#trace').textContent).setup === null`);
    }
    // The board of the first tab can be watched.
    await browser.open(`${disk}#board=1Q4/6/6/6/6/x5`);
    await answered();
    await click("#watch-board");
    await browser.until(`JSON.parse(${inFrame}.document?.querySelector('#trace')?.textContent ?? '{}').setup === '.Q..../....../....../....../....../*.....'`);
}

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
    // Beside the board are the line at work and the variables, and no line of a program is cut.
    for (const method of ["earlier-queens", "flag-arrays", "bit-masks"]) {
        for (const [width, height] of [[1024, 768], [1280, 720], [1440, 900], [1920, 1080], [2560, 1440]]) {
            await browser.open(`${disk}#watch=8&method=${method}&step=57`, { width, height });
            await isAt(57);
            for (const language of ["Python", "C", "JavaScript", "Rust"]) {
                const faulty = await browser.value(`(async () => { const page = ${inFrame}.document; const find = (css) => page.querySelector(css);
                    [...page.querySelectorAll('#languages button')].find((each) => each.textContent === '${language}').click();
                    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
                    const bottom = innerHeight - document.querySelector('#player-frame').getBoundingClientRect().top;
                    const [line, program] = ['#program [aria-current]', '#program'].map((css) => find(css).getBoundingClientRect());
                    return [...['#board', '#program', '#variables'].filter((css) => find(css).getBoundingClientRect().bottom > bottom),
                        line.top < program.top || line.bottom > program.bottom ? 'line' : '', find('#program').scrollWidth > find('#program').clientWidth ? 'cut' : ''].filter(Boolean); })()`);
                is(faulty, [], `${method} in ${language} at ${width} x ${height}`);
            }
        }
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
/** The faults: [name, before the scripts, header, worker script]. */
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
    ["a worker that throws later", { worker: `ITS; ${DEAD.replace("DO", "setTimeout(() => { throw new Error('later'); })")}` }],
    ["a worker that answers with an error later", { worker: `ITS; ${DEAD.replace("DO", "postMessage({ id: event.data.id, error: 'bad' })")}` }],
    ["a worker that closes itself later", { worker: `ITS; ${DEAD.replace("DO", "close()")}` }],
    ["a worker that hangs later", { worker: `ITS; ${DEAD.replace("DO", "for (;;);")}` }],
];

/** Counts the workers that the page makes. */
const WATCHED = `window.made = 0;
    if (window.Worker) window.Worker = new Proxy(Worker, { construct(its, given) { made++; return new its(...given); } });`;

/** A browser that lacks something says so on every screen, makes few workers, and answers. Watch and the story ask alike, so they take turns. */
async function lacks(browser, fault) {
    const [name, { before = "", csp = "", worker }] = fault;
    const said = (selectors) => `[${selectors.map((each) => `'${each}'`)}].some((each) => document.querySelector(each)?.checkVisibility())`;
    const expect = async (what, expression) => {
        await browser.until(expression, 10).catch(() => { throw new Error(`${what}: nothing is said of it`); });
        const made = await browser.until("`${made}`", 10); // the page answers
        is(made <= 70, true, `${what}: ${made} workers`);
    };
    const query = new URLSearchParams({ ...(csp && { csp }), ...(worker !== undefined && { worker }) });
    const turn = [["watch", ["#broken", "#watch-failed"]], ["why", ["#broken", "#why-failed"]]][BROKEN.indexOf(fault) % 2];
    for (const [screen, selectors] of [["board", ["#broken", "#answer.alarm"]], turn]) {
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
    await browser.until("/^\\d{3,4}px$/.test(document.querySelector('#player-frame').style.height)");
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
        // A heading stays with what it is about.
        const left = await browser.value(`[...document.querySelectorAll('main h2, main h3, main h4')].filter((each) => each.checkVisibility()
            && ![each, each.parentElement].some((it) => getComputedStyle(it).breakAfter === 'avoid')).map((each) => each.innerText)`);
        is(left, [], `${screen}: headings that may end a page`);
        is(await browser.value("[...document.querySelectorAll('.story .card')].every((each) => getComputedStyle(each).breakInside === 'avoid')"), true, "chapters");
        if (screen === "board" || screen === "why") continue;
        is(await browser.value(`${inFrame}.getComputedStyle(${inFrame}.document.querySelector('[data-marked=true] b')).printColorAdjust`), "exact", "the player on paper");
        const list = await browser.value(`${inFrame}.document.querySelector('#list').getBoundingClientRect().bottom - ${inFrame}.innerHeight`);
        is(list <= 0, true, `so much of the list is cut off: ${list}`);
    }
    await browser.call("Emulation.setEmulatedMedia", { media: "" });
}

/** Where the system forces its colours on the page, fills that say something keep theirs. */
async function forced() {
    const look = (css, within) => `[...${within}.querySelectorAll("${css}")].map((each) => (({ backgroundColor, backgroundImage, boxShadow }) =>
        [backgroundColor, backgroundImage, boxShadow].join(' '))(getComputedStyle(each)))`;
    for (const [address, filled, within = "document"] of [
        ["board=1Q6/8/5x2/8/8/8/8/8", ["#squares [data-dark]", ".swatch", "nav [aria-current]"]],
        ["count=18", ["#others-size button", "#others .bar i"]],
        ["watch=6&step=57", ["#methods .bar i"]],
        ["watch=6&step=57", ["[data-marked=true] b", "#languages button", "#program [aria-current]", "#list [aria-current]"], "document.querySelector('#player-frame').contentDocument"],
        ["why=7", [".picture [data-dark]", "#chapter-product .chooser button", "#products i", ".bits [data-bit='1']", "#join [data-bit]", "#images i", ".code button"]]]) {
        await browser.open(`${disk}#${address}`);
        for (const css of filled) {
            await browser.call("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "none" }] });
            await browser.until(`${within}?.querySelector("${css}")`);
            await browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
            const own = await browser.value(look(css, within));
            await browser.call("Emulation.setEmulatedMedia", { features: [{ name: "forced-colors", value: "active" }] });
            is(await browser.value(look(css, within)), own, `${address}: ${css} with forced colours`);
        }
    }
}

/** A copy of the page that a browser saved, with all that the scripts made, does the same. */
async function saves() {
    const made = async () => {
        for (const screen of ["watch=6", "count=12", "why=6", "board=6/6/6/6/6/6"]) {
            await browser.value(`location.hash = '${screen}'`);
            await browser.until(`!document.querySelector('#screen-${screen.split("=")[0]}').hidden`);
        }
        await answered();
        await browser.until("page.storyShown().isChosen && document.querySelector('#methods .bar')");
        await browser.value("new Promise((resolve) => setTimeout(resolve, 500))");
        return browser.value(`Object.entries(Object.groupBy(document.querySelectorAll('main *'), ({ localName }) => localName)).map(([name, { length }]) => name + ' ' + length).sort()`);
    };
    await browser.open(host);
    const before = await made();
    saved = await browser.value("'<!DOCTYPE html>' + document.documentElement.outerHTML");
    await browser.open(`${host}saved`);
    is(await made(), before, "the elements of a saved copy");
    saved = undefined;
    await browser.value("location.hash = 'why=6'");
    await browser.until("page.storyShown().isChosen");
    const { white } = await story();
    await click("#images button:nth-child(2)");
    await browser.until(`String(page.storyShown().white) !== '${white}'`, 10);
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
        if (screen === "why") await browser.until("page.storyShown().isChosen");
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
        // On the way back, nothing that gets the focus is below the bar that stays at the top.
        const covered = await browser.value(`(() => { const bar = document.querySelector('.sticky'); const { bottom } = bar.getBoundingClientRect();
            return [...document.querySelectorAll('#screen-why :is(a, button, input, select, summary, [tabindex="0"])')].filter((each) => {
                if (!each.checkVisibility() || bar.contains(each)) return false;
                scrollTo(0, document.documentElement.scrollHeight);
                each.focus();
                return scrollY > 300 && each.getBoundingClientRect().top < bar.getBoundingClientRect().bottom;
            }).map((each) => each.id || each.outerHTML.slice(0, 60)); })()`);
        is(covered, [], `${screen}: the focus is below the bar`);

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
        await browser.tap(on(0, 1));
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
    why: async () => {
        await browser.until("page.storyShown().isChosen");
        await browser.tap("#chapter-tree [data-row=\"0\"][data-column=\"1\"]");
        await browser.until("page.storyShown().columns.join() === '1'");
        // No word of a chapter is cut off or runs out of its card.
        const out = await browser.value(`[...document.querySelectorAll('.story .card')].filter((card) => [...card.querySelectorAll('*')].some((each) =>
            !each.closest('pre, svg, .unseen') && each.getBoundingClientRect().right > card.getBoundingClientRect().right + 1)).map((card) => card.id)`);
        is(out, [], "chapters with parts outside");
    },
};

async function sizes() {
    for (const [width, scheme, language, motion] of [[360, "light", "en", "reduce"], [360, "dark", "ja", "reduce"],
        [1280, "dark", "en"], [705, "light", "ja"], [1920, "light", "en"], [2560, "dark", "ja"], [3840, "light", "en"]]) {
        for (const screen of SCREENS) {
            await browser.open(`${disk}#${screen}`, { width, scheme, language, motion });
            await browser.until(`!document.querySelector('#screen-${screen}').hidden`);
            const wide = await browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            is(wide, 0, `${screen} at ${width}, ${language}: so much does not fit`);
            // A screen reader cannot find an element without a name.
            const nameless = await browser.value(`[...document.querySelectorAll('button, input, select, iframe, a')].filter((each) =>
                !(each.ariaLabel || each.title || each.innerText?.trim() || each.labels?.[0]?.innerText.trim() || !each.checkVisibility())).map((each) => each.outerHTML)`);
            is(nameless, [], `${screen}, ${language}: without a name`);
            await used[screen]();
            is(await browser.value("document.querySelector('#broken').hidden"), true, `${screen} at ${width}: ${await text("#broken")}`);
        }
    }
}

const begun = Date.now();
try {
    const TESTS = [counts, progresses, stops, boards, hints, puzzles, exercises, stories, storyKeys, storyAtRandom, watches, methods, prints, forced, saves, breaks, languages, keys, sizes];
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
