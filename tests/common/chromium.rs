//! Chromium without a window, which loads a page with a script that checks the page.

use super::common;
use super::common::keeper::patience;
use super::common::needs::{all_installed, is_installed};
use assert_cmd::Command;

const NAMES: &str = "chromium|chromium-browser|google-chrome|google-chrome-stable";

/// The script before the page: an error in the page is a fault, and so is anything that it asks of a network. No frames
/// are drawn, so timeouts stand for them.
const WATCH: &str = "
    window.faults = [];
    onerror = (message) => { faults.push(message); };
    addEventListener('securitypolicyviolation', ({ blockedURI }) => faults.push(`it asks for ${blockedURI}`));
    requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 16);
    cancelAnimationFrame = clearTimeout;";

/// The functions that the scripts use.
const TOOLS: &str = "
    const find = (css) => document.querySelector(css);
    const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
    const is = (found, expected, what) => {
        const [one, other] = [found, expected].map((value) => JSON.stringify(value));
        if (one !== other) faults.push(`${what}: ${one}, not ${other}`);
    };
    const press = (key, target = document.body) =>
        target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));";

/// The code after the script.
const REPORT: &str = "
    const report = document.body.appendChild(document.createElement('output'));
    report.id = 'report';
    report.textContent = faults.slice(0, 20).join('; ') || 'no fault';";

pub(crate) struct Chromium {
    name: &'static str,
    pub(crate) is_dark: bool,
}

impl Chromium {
    /// Returns the browser. If none is installed, reports that the test is skipped and returns `None`.
    pub(crate) fn installed() -> Option<Self> {
        let name = all_installed(&[NAMES]).then(|| NAMES.split('|').find(|name| is_installed(name)));
        Some(Self { name: name.flatten()?, is_dark: false })
    }

    /// Loads a page, at an address such as `#7`, and runs the body of an asynchronous function in it. Panics if a fault
    /// is found. While the page only waits, time passes at once.
    pub(crate) fn check(&self, page: &str, address: &str, script: &str) {
        let folder = tempfile::tempdir().unwrap();
        let (file, profile) = (folder.path().join("page.html"), folder.path().join("profile"));
        // This script comes after the policy of the page, if it has one.
        let (before, after) = page.split_once("<title>").expect("the page has a title");
        let caught = ".catch((error) => faults.push(`${error}`))";
        let run = format!("(async () => {{{TOOLS}{script}}})(){caught}.finally(() => {{{REPORT}}});");
        std::fs::write(&file, format!("{before}<script>{WATCH}</script><title>{after}<script>{run}</script>")).unwrap();
        let mut browser = Command::from_std(common::command(self.name));
        browser.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]);
        // The browser would not wait for a frame in a process of its own.
        browser.args(["--disable-background-networking", "--disable-features=IsolateSandboxedIframes"]);
        browser.args(["--window-size=1300,900", "--virtual-time-budget=30000", "--accept-lang=en-US"]);
        browser.arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!self.is_dark)));
        browser.arg(format!("--user-data-dir={}", profile.display())).arg("--dump-dom");
        browser.arg(format!("file://{}{address}", file.display()));
        let output = browser.timeout(patience()).output().expect("the browser starts");
        let shown = String::from_utf8_lossy(&output.stdout);
        let found = shown.rsplit_once("<output id=\"report\">").and_then(|(_, rest)| rest.split_once("</output>"));
        let (found, _) = found.unwrap_or_else(|| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(found, "no fault");
    }
}
