// Times counts by the page and by the program, in turn, and prints the medians as a table:
//
//   node web/speed.mjs FILE.html PROGRAM [ROUNDS]

import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [, , file, program, rounds = "9"] = process.argv;
const SIZES = [16, 18, 20];
const browser = await Browser.start();
await browser.open(`${pathToFileURL(file)}#count`);

/** Ways to count. Each returns the seconds of the page, or of a process of the program. */
const means = {
    "portable, one thread": (size) => {
        const begun = performance.now();
        execFileSync(program, ["count", size, "--kernel", "portable", "--threads", "1", "--quiet"]);
        return (performance.now() - begun) / 1000;
    },
    "page, one worker": (size) => counted(size, 1),
    "page, two workers": (size) => counted(size, 2),
};

async function counted(size, workers) {
    await browser.value(`{ for (const [id, value] of [['count-size', ${size}], ['workers', ${workers}]]) {
        const field = document.getElementById(id);
        field.value = value;
        field.dispatchEvent(new Event('input'));
        field.dispatchEvent(new Event('change')); } }`);
    // The workers must be ready before the count begins.
    await browser.value("new Promise((resolve) => setTimeout(resolve, 500))");
    await browser.value("document.getElementById('start').click()");
    await browser.until("!document.getElementById('start').disabled", 600);
    const said = await browser.value("document.getElementById('result').innerText");
    const [, number, unit] = /; ([\d.]+) (ms|s)\b/.exec(said.replace(/\s*\n\s*/g, "; ")) ?? [];
    if (!number || !said.includes("✓")) throw new Error(said);
    return unit === "ms" ? number / 1000 : Number(number);
}

const median = (times) => times.sort((one, other) => one - other)[Math.floor(times.length / 2)];

console.log(`| N | ${Object.keys(means).join(" | ")} |\n|---|${"---|".repeat(Object.keys(means).length)}`);
const times = new Map(SIZES.map((size) => [size, Object.keys(means).map(() => [])]));
for (let round = 0; round < Number(rounds); round++) {
    // The sizes alternate, because a worker keeps the tables of the last one.
    for (const at of Object.keys(means).keys()) {
        for (const size of SIZES) times.get(size)[at].push(await Object.values(means)[at](size));
    }
}
for (const [size, each] of times) console.log(`| ${[size, ...each.map((all) => `${median(all).toFixed(3)} s`)].join(" | ")} |`);
await browser.end();
