// Counts boards with the compiled library in a worker's script, and compares the totals with the published totals:
//
//   node web/test.mjs FILE.wasm

import { readFile } from "node:fs/promises";

await import("./page/worker.js");

/** Calls a function as the page does. */
const call = (name, ...given) => new Promise((resolve, reject) => {
    globalThis.postMessage = ({ begun, error, result }) => {
        if (error !== undefined) reject(new Error(error));
        else if (!begun) resolve(result);
    };
    globalThis.onmessage({ data: { name, given } });
});

await call("start", await WebAssembly.compile(await readFile(process.argv[2])));
let counts = 0;
for (const engine of [0, 1]) {
    for (const size of [...Array(14).keys(), 15].map((index) => index + 1)) {
        const { work, divisor } = await call("prepare", size, engine);
        const partials = await call("count", [...work.keys()]);
        const { verdict } = await call("verdict", size, partials.reduce((sum, partial) => sum + partial, 0n) / divisor);
        if (verdict !== "matches") throw new Error(`N = ${size}, engine ${engine}: ${verdict}`);
        counts++;
    }
}
for (const impossible of [[99, 0], [8, 2]]) {
    const isRefused = await call("prepare", ...impossible).then(() => false, () => true);
    if (!isRefused) throw new Error(`a count was prepared that cannot be made: ${impossible}`);
}
console.log(`${counts} counts by both engines are those published`);
