// Counts boards with the compiled library and compares the totals with the published totals:
//
//   node web/test.mjs FILE.wasm

import { readFile } from "node:fs/promises";

const TOTALS = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512];

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { prepare, divisor, count } = instance.exports;
let counts = 0;
for (const engine of [0, 1]) {
    for (const size of [...Array(14).keys(), 15].map((index) => index + 1)) {
        const units = prepare(size, engine);
        let total = 0n;
        for (let unit = 0; unit < units; unit++) total += count(unit);
        total /= divisor();
        if (units < 0 || total !== BigInt(TOTALS[size - 1])) {
            console.error(`error: N = ${size}, engine ${engine}: counted ${total}, published ${TOTALS[size - 1]}`);
            process.exit(1);
        }
        counts++;
    }
}
if (prepare(99, 0) !== -1 || prepare(8, 2) !== -1) {
    console.error("error: a count was prepared that cannot be made");
    process.exit(1);
}
console.log(`${counts} counts by both engines are those published`);
