// Runs a program for WASI or for a browser's bare target, and fails if the program fails:
//
//   node web/run.mjs FILE.wasm

import { readFileSync } from "node:fs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
if (WebAssembly.Module.imports(module).length > 0) {
    const { WASI } = await import("node:wasi");
    const wasi = new WASI({ version: "preview1" });
    wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
} else {
    const { exports } = await WebAssembly.instantiate(module);
    process.exitCode = exports.main(0, 0);
}
