// A Chromium without a window for the tests of the page, driven over a pipe (the Chrome DevTools Protocol).

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Starts the first browser that is installed. */
async function started(profile) {
    for (const name of NAMES) {
        const browser = spawn(name, [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank",
        ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        const isThere = await new Promise((resolve) => {
            browser.once("spawn", () => resolve(true));
            browser.once("error", () => resolve(false));
        });
        if (isThere) return browser;
    }
    throw new Error(`no browser is installed: ${NAMES.join(", ")}`);
}

export class Browser {
    #calls = 0;
    #waiting = new Map();
    #profile = mkdtempSync(join(tmpdir(), "nqueens-page-"));
    /** The faults of the pages: unexpected messages, errors and requests. */
    faults = [];

    static async start() {
        const browser = new Browser();
        browser.process = await started(browser.#profile);
        let text = "";
        browser.process.stdio[4].setEncoding("utf8").on("data", (data) => {
            const messages = (text + data).split("\0");
            text = messages.pop();
            messages.forEach((message) => browser.#receive(JSON.parse(message)));
        });
        const { targetInfos } = await browser.call("Target.getTargets");
        const { targetId } = targetInfos.find(({ type }) => type === "page");
        ({ sessionId: browser.session } = await browser.call("Target.attachToTarget", { targetId, flatten: true }));
        for (const domain of ["Page", "Runtime", "Network", "Log"]) await browser.call(`${domain}.enable`);
        return browser;
    }

    #receive({ id, result, error, method, params }) {
        const { resolve, reject } = this.#waiting.get(id) ?? {};
        this.#waiting.delete(id);
        if (error) reject?.(new Error(error.message));
        else resolve?.(result);
        if (method === "Runtime.exceptionThrown") {
            const { exception, text } = params.exceptionDetails;
            this.faults.push(exception?.description ?? text);
        }
        if (method === "Runtime.consoleAPICalled") this.faults.push(params.args.map(({ value }) => value).join(" "));
        if (method === "Log.entryAdded") this.faults.push(`${params.entry.text} ${params.entry.url ?? ""}`);
        const url = params?.request?.url;
        if (method === "Network.requestWillBeSent" && params.type !== "Document" && !/^(blob|data):/.test(url)) {
            this.faults.push(`it asks for ${url}`);
        }
    }

    call(method, params = {}) {
        const id = ++this.#calls;
        const sessionId = method.startsWith("Target.") ? undefined : this.session;
        this.process.stdio[3].write(`${JSON.stringify({ id, sessionId, method, params })}\0`);
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, { resolve, reject });
            setTimeout(() => reject(new Error(`${method}: the browser does not answer`)), 300_000).unref();
        });
    }

    /**
     * Opens a page in a window of this size and waits until it is loaded and `ready` is true in it. `before` is run
     * before the page's own scripts.
     */
    async open(url, { width = 1280, height = 900, scheme = "light", language = "en-US", motion = "no-preference", before = "",
        ready = "Boolean(window.page)" } = {}) {
        await this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
        await this.call("Emulation.setEmulatedMedia", { features: [
            { name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: motion }] });
        await this.call("Emulation.setUserAgentOverride", { userAgent: "test", acceptLanguage: language });
        // If addresses differ only after the #, the browser would not load the page again.
        await this.call("Page.navigate", { url: "about:blank" });
        await this.until("location.href === 'about:blank' && document.readyState === 'complete'");
        const { identifier } = await this.call("Page.addScriptToEvaluateOnNewDocument", { source: before });
        await this.call("Page.navigate", { url });
        await this.until(`document.readyState === 'complete' && ${ready}`);
        await this.call("Page.removeScriptToEvaluateOnNewDocument", { identifier });
    }

    /** The value of an expression, or of the promise that it returns. A page that no longer answers is an error. */
    async value(expression, seconds = 60) {
        let timer;
        const late = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new Error(`the page gives no answer: ${expression}`)), 1000 * seconds);
        });
        const answer = this.call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        const { result, exceptionDetails } = await Promise.race([answer, late]).finally(() => clearTimeout(timer));
        if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
        return result.value;
    }

    /** Waits until an expression is true, and returns its value. */
    async until(expression, seconds = 60) {
        const end = Date.now() + 1000 * seconds;
        for (;;) {
            const value = await this.value(expression, seconds).catch(() => false);
            if (value) return value;
            if (Date.now() > end) throw new Error(`it was not so in ${seconds} s: ${expression}`);
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
    }

    /** Clicks in the middle of an element, like a user. */
    async tap(selector) {
        const middle = await this.value(`{ const element = document.querySelector('${selector}');
            element.scrollIntoView({ block: 'center', behavior: 'instant' });
            const { x, y, width, height } = element.getBoundingClientRect(); ({ x: x + width / 2, y: y + height / 2 }) }`);
        for (const type of ["mousePressed", "mouseReleased"]) {
            await this.call("Input.dispatchMouseEvent", { type, ...middle, button: "left", clickCount: 1 });
        }
    }

    /** Presses keys, like a user. */
    async press(...keys) {
        for (const key of keys) {
            const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
            const code = { Enter: 13, Tab: 9, " ": 32, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 }[key];
            const params = { key, text, windowsVirtualKeyCode: code };
            await this.call("Input.dispatchKeyEvent", { type: "keyDown", ...params });
            await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...params });
        }
    }

    /** A picture of the whole page, as PNG in base 64. */
    async picture() {
        const { data } = await this.call("Page.captureScreenshot", { captureBeyondViewport: true });
        return data;
    }

    end() {
        const gone = new Promise((resolve) => this.process.once("exit", resolve));
        this.process.kill();
        setTimeout(() => this.process.kill("SIGKILL"), 10000).unref(); // a browser that hangs obeys nothing else
        return gone.then(() => this.#clear(100));
    }

    /** Removes the folder. Processes started by the browser end a little later, and write to it until then. */
    async #clear(tries) {
        try {
            rmSync(this.#profile, { recursive: true, force: true });
        } catch (error) {
            if (tries === 0) throw error;
            await new Promise((resolve) => setTimeout(resolve, 100));
            await this.#clear(tries - 1);
        }
    }
}
