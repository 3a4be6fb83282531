// Counts boards with the compiled library and compares the totals with the published ones:
//
//   node web/test.mjs FILE.wasm

import { readFile } from "node:fs/promises";

const TOTALS = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512];

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { prepare, count } = instance.exports;
const engines = [0, 1].filter((engine) => prepare(8, engine) > 0);
let counts = 0;
for (const engine of engines) {
    for (const size of [...Array(14).keys(), 15].map((index) => index + 1)) {
        const units = prepare(size, engine);
        let total = 0n;
        for (let unit = 0; unit < units; unit++) total += count(unit);
        if (units > 0 && total !== BigInt(TOTALS[size - 1])) {
            console.error(`error: N = ${size}, engine ${engine}: counted ${total}, published ${TOTALS[size - 1]}`);
            process.exit(1);
        }
        counts += units > 0;
    }
}
if (counts < 30 || prepare(99, 0) !== 0) {
    console.error(`error: only ${counts} counts of 30 could be made, or one of N = 99`);
    process.exit(1);
}
console.log(`${counts} counts by ${engines.length} engines are those published`);
