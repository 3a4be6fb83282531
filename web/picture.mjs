// Makes the picture of the page for the README:
//
//   node web/picture.mjs FILE.html OUTPUT.webp

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [, , file, output] = process.argv;
const [width, height] = [1100, 712];
const browser = await Browser.start();
await browser.call("Emulation.setScrollbarsHidden", { hidden: true });
await browser.open(`${pathToFileURL(file)}#board=3Q4/8/8/8/8/8/8/8`, { width, height });
await browser.until("page.boardShown().through");
const clip = { x: 0, y: 0, width, height, scale: 0.8 };
const { data } = await browser.call("Page.captureScreenshot", { clip, format: "webp", quality: 90 });
writeFileSync(output, Buffer.from(data, "base64"));
await browser.end();
