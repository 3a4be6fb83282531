//! A browser for the tests: headless Chromium, driven through chromedriver's `WebDriver` protocol.

use super::common::needs::all_installed;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;
use ureq::Agent;

/// The longest time for chromedriver to start or to answer a request.
const PATIENCE: Duration = Duration::from_secs(60);

/// The left arrow key, for [`Browser::press`].
pub(crate) const LEFT: &str = "\u{e012}";
/// The right arrow key.
pub(crate) const RIGHT: &str = "\u{e014}";
/// The Home key.
pub(crate) const HOME: &str = "\u{e011}";
/// The End key.
pub(crate) const END: &str = "\u{e010}";

/// A browser with one window. Fields are dropped in this order, so the profile is removed when it is no longer used.
pub(crate) struct Browser {
    agent: Agent,
    /// The address of the session. The addresses of its commands begin with it.
    session: String,
    _driver: Driver,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser with an empty profile. If none is installed, reports that the test is skipped and returns
    /// `None`.
    pub(crate) fn start() -> Option<Self> {
        if !all_installed(&["chromedriver", "chromium|chromium-browser|google-chrome|google-chrome-stable"]) {
            return None;
        }
        let profile = TempDir::new().expect("a directory for the profile");
        let (driver, port) = Driver::start();
        // Without a proxy, because chromedriver runs on this machine. The body of an error response describes the
        // error.
        let config = Agent::config_builder().proxy(None).timeout_global(Some(PATIENCE)).http_status_as_error(false);
        let agent = config.build().new_agent();
        let sessions = format!("http://127.0.0.1:{port}/session");
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1200,900",
            &format!("--user-data-dir={}", profile.path().display()),
        ];
        let wanted = json!({"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}});
        let made = post(&agent, &sessions, &json!({"capabilities": {"alwaysMatch": wanted}}));
        let id = made["sessionId"].as_str().expect("the session has an id");
        Some(Self { session: format!("{sessions}/{id}"), agent, _driver: driver, _profile: profile })
    }

    /// Loads a page.
    pub(crate) fn open(&self, url: &str) {
        self.post("url", &json!({"url": url}));
    }

    /// Presses and releases each of these keys, one after the other, where the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|action| json!({"type": action, "value": key})))
            .collect();
        self.post("actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// Clicks the middle of the first element that the CSS selector finds.
    pub(crate) fn click(&self, css: &str) {
        let element = self.post("element", &json!({"using": "css selector", "value": css}));
        let id = element.as_object().and_then(|object| object.values().next()?.as_str());
        self.post(&format!("element/{}/click", id.expect("the element has an id")), &json!({}));
    }

    /// Runs the body of a JavaScript function on the page and returns its value.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Returns the contents of the window as a PNG file.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        let response = self.agent.get(format!("{}/screenshot", self.session)).call();
        let text = value_of(response, "screenshot");
        base64(text.as_str().expect("the picture is text"))
    }

    /// Sets the size of the page's area in pixels. The window itself cannot be as narrow as a phone.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Emulates a preference for dark or light colours.
    pub(crate) fn emulate_dark(&self, dark: bool) {
        let scheme = json!({"name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" }});
        self.devtools("Emulation.setEmulatedMedia", &json!({"features": [scheme]}));
    }

    /// Returns the errors in the browser's console since the last call.
    pub(crate) fn log(&self) -> Vec<String> {
        let entries = self.post("se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().expect("the log is a list").iter();
        entries.filter(|entry| entry["level"] == "SEVERE").map(|entry| entry["message"].to_string()).collect()
    }

    /// Sends a command of the `DevTools` protocol, for functions that `WebDriver` lacks.
    fn devtools(&self, command: &str, parameters: &Value) {
        self.post("goog/cdp/execute", &json!({"cmd": command, "params": parameters}));
    }

    /// Sends a command of the session and returns its value.
    fn post(&self, command: &str, body: &Value) -> Value {
        post(&self.agent, &format!("{}/{command}", self.session), body)
    }
}

impl Drop for Browser {
    /// Ends the session, and Chromium with it. Errors are ignored, because a failed test may have ended them.
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
    }
}

/// The chromedriver process.
struct Driver(Child);

impl Driver {
    /// Starts chromedriver on a free port that it chooses. Returns the port too.
    fn start() -> (Self, u16) {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().expect("chromedriver starts");
        let mut driver = Self(child);
        let output = BufReader::new(driver.0.stdout.take().expect("its output is piped"));
        let (sender, receiver) = mpsc::channel();
        // Read to the end, because a full or closed pipe would stop chromedriver.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if let Some((_, port)) = line.split_once("started successfully on port ") {
                    let _ = sender.send(port.trim_end_matches('.').parse());
                }
            }
        });
        let port = receiver.recv_timeout(PATIENCE).expect("chromedriver says that it has started");
        (driver, port.expect("a port is a number"))
    }
}

impl Drop for Driver {
    /// Kills the process and waits until it has ended.
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a command and returns its value.
fn post(agent: &Agent, url: &str, body: &Value) -> Value {
    value_of(agent.post(url).send_json(body), url)
}

/// Returns the value in chromedriver's response. Panics if the response is an error.
fn value_of(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>, what: &str) -> Value {
    let mut response = response.unwrap_or_else(|error| panic!("chromedriver does not answer {what}: {error}"));
    let body = response.body_mut().with_config().limit(1 << 28).read_json();
    let mut answer: Value = body.unwrap_or_else(|error| panic!("chromedriver's answer to {what} is not JSON: {error}"));
    assert!(response.status().is_success(), "{what}: {}", answer["value"]["message"]);
    answer["value"].take()
}

/// Decodes base64.
fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |character| DIGITS.find(character).expect("a digit of base64") as u32;
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(text.len() / 4 * 3), 0, 0);
    for character in text.trim_end_matches('=').chars() {
        bits = bits << 6 | digit(character);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
