//! The program on a terminal, with signals, and with readers that close the pipe.

use crate::common;
use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// A board whose count takes longer than these tests, on any machine.
const ENDLESS: &str = "24";

/// The time after which an expected event is considered not to happen, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Options for the slowest count. With them, 15 queens take longer than the bar needs to appear.
const SLOW: &[&str] = &["--engine", "backtrack", "--kernel", "scalar", "--threads", "1", "--split-rows", "2"];

/// The program with a terminal as standard error and, in some tests, as standard output.
struct OnTerminal {
    child: Child,
    /// What is written to it is typed.
    keyboard: File,
    screen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl OnTerminal {
    fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        Self::with_stdout(Stdio::piped(), arguments, environment, terminal())
    }

    /// Starts the program with both output streams on the terminal.
    fn altogether(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let terminal = terminal();
        let stdout = Stdio::from(terminal.slave.try_clone().expect("a second descriptor"));
        Self::with_stdout(stdout, arguments, environment, terminal)
    }

    fn with_stdout(stdout: Stdio, arguments: &[&str], environment: &[(&str, &str)], terminal: OpenptyResult) -> Self {
        let mut command = common::nqueens();
        command.args(arguments).env("TERM", "xterm").envs(environment.iter().copied());
        Self::of(command.stdout(stdout), terminal)
    }

    /// Starts a command with the terminal as standard error.
    fn of(command: &mut std::process::Command, terminal: OpenptyResult) -> Self {
        let child = command.stderr(Stdio::from(terminal.slave)).spawn().expect("it starts");
        // The command holds our last copies of the slave. Without them, the master reads the end of the stream.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let keyboard = File::from(terminal.master.try_clone().expect("a second descriptor"));
        let screen = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let screen = Arc::clone(&screen);
            move || {
                let (mut terminal, mut buffer) = (File::from(terminal.master), [0; 4096]);
                // Linux reports the end of a terminal as an error.
                while let Ok(read @ 1..) = terminal.read(&mut buffer) {
                    screen.lock().unwrap().extend_from_slice(&buffer[..read]);
                }
            }
        });
        Self { child, keyboard, screen, reader }
    }

    /// Returns everything written to the terminal so far.
    fn screen(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until all these texts were written to the terminal.
    fn wait_for(&self, texts: &[&str]) {
        let deadline = Instant::now() + PATIENCE;
        while !texts.iter().all(|text| self.screen().contains(text)) {
            assert!(Instant::now() < deadline, "no {texts:?}: {:?}", self.screen());
            sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the program ends. Returns its exit status, its standard output, and everything written to the
    /// terminal.
    fn finish(mut self) -> (ExitStatus, String, String) {
        let stdout = self.child.stdout.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut stdout = String::new();
                pipe.read_to_string(&mut stdout).expect("text");
                stdout
            })
        });
        let status = end_of(&mut self.child);
        let stdout = stdout.map_or(String::new(), |reader| reader.join().expect("the reader ends"));
        self.reader.join().expect("the reader ends");
        let screen = String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned();
        (status, stdout, screen)
    }
}

/// Opens a terminal of 80 columns and 24 rows.
fn terminal() -> OpenptyResult {
    terminal_of(80)
}

fn terminal_of(columns: u16) -> OpenptyResult {
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    openpty(Some(&size), None).expect("a pseudo-terminal")
}

/// Returns an emulator of a terminal of this size.
fn emulator() -> vt100::Parser {
    let size = |cells: u16| cells.try_into().expect("not zero");
    vt100::Parser::new(size(24), size(80), 0)
}

/// Waits until the program ends, and kills it after [`PATIENCE`].
fn end_of(child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status;
        }
        sleep(Duration::from_millis(10));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    panic!("the program went on");
}

/// Waits until the program ends. Returns the signal that ended it.
fn ending_signal(mut child: Child) -> Option<Signal> {
    end_of(&mut child).signal().and_then(|number| Signal::try_from(number).ok())
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id().try_into().expect("a pid")), signal).expect("the program still runs");
}

/// The time until the program stops is tested in `stopping.rs`, in CPU time.
#[test]
fn signals_stop_a_count_and_the_shell_sees_them() {
    use Signal::{SIGHUP, SIGINT, SIGTERM};
    for (command, signal) in [("count", SIGINT), ("count", SIGTERM), ("count", SIGHUP), ("table", SIGINT)] {
        let arguments = if command == "count" { vec!["count", ENDLESS] } else { vec!["table", "--from", ENDLESS] };
        let running = OnTerminal::start(&arguments, &[]);
        running.wait_for(&["N = 24 ["]);
        send(&running.child, signal);
        let (status, stdout, screen) = running.finish();
        assert_eq!(status.signal(), Some(signal as i32), "{command}: a shell shows 128 plus this number");
        assert_eq!(stdout, "", "{command}: there is no number to print");
        // After its last draw the bar is erased. Then one line reports the progress.
        let (_, after) = screen.rsplit_once("N = 24 [").expect("the bar was drawn");
        assert!(after.contains("\u{1b}[2K"), "{command}: the line of the bar is erased: {after:?}");
        let (_, last) = after.rsplit_once("N = 24: stopped ").expect("the progress is reported");
        assert!(last.ends_with("\r\n") && last.lines().count() == 1, "{command}: {after:?}");
        assert!(!after.contains("error"), "{command}: to be stopped is no error: {after:?}");
    }
}

/// A program that waits for the reader of its output cannot obey the first signal, but the second signal ends it.
#[test]
#[cfg(target_os = "linux")]
fn a_second_signal_is_not_waited_for() {
    let (_reader, mut writer) = std::io::pipe().expect("a pipe");
    nix::fcntl::fcntl(&writer, nix::fcntl::FcntlArg::F_SETPIPE_SZ(4096)).expect("pipes can be small");
    // The pipe is full when the program starts.
    writer.write_all(&[b' '; 4096]).expect("a page");
    let mut command = common::nqueens();
    let mut child = command.args(["solve", "8", "--quiet"]).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    common::wait_until_it_catches_signals(&child);
    send(&child, Signal::SIGINT);
    sleep(Duration::from_millis(500));
    assert_eq!(child.try_wait().unwrap(), None, "it waits for its reader");
    send(&child, Signal::SIGINT);
    assert_eq!(ending_signal(child), Some(Signal::SIGINT));
}

/// One waits for a reader to come, the other for it to read.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_waits_for_a_pipe_ends_by_one_signal() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let start = |arguments: &[&str]| {
        let mut command = common::nqueens();
        command.args(arguments).current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        common::wait_until_it_catches_signals(&child);
        child
    };
    let (opens, writes) = (start(&["count", "8", "-o", "pipe"]), start(&["solve", "20", "--all"]));
    let written = || {
        let io = std::fs::read_to_string(format!("/proc/{}/io", writes.id())).unwrap();
        let bytes = io.lines().find_map(|line| line.strip_prefix("wchar: ")).expect("it is counted");
        bytes.parse::<u64>().unwrap()
    };
    // A pipe has room for twice as much.
    while written() < 1 << 15 {
        sleep(Duration::from_millis(10));
    }
    for mut child in [opens, writes] {
        send(&child, Signal::SIGTERM);
        assert_eq!(end_of(&mut child).signal(), Some(Signal::SIGTERM as i32));
    }
}

/// A stopped job that goes on in the background, after Ctrl-Z and `bg`. Then the line at the cursor is the prompt.
#[test]
#[cfg(target_os = "linux")]
fn a_background_job_draws_no_bar() {
    if !common::needs::all_installed(&["setsid", "bash"]) {
        return;
    }
    let terminal = terminal();
    let stdio = || Stdio::from(terminal.slave.try_clone().unwrap());
    let (input, output) = (stdio(), stdio());
    // A session of its own, whose terminal this is.
    let mut command = std::process::Command::new("setsid");
    let script =
        r#"set -m; "$0" count 24 --threads 1; bg; echo READY; read line; kill -INT %1; wait %1; echo "code $?""#;
    let program = common::nqueens().get_program().to_owned();
    command.args(["--ctty", "bash", "-c", script]).arg(program).env("TERM", "xterm");
    let mut shell = OnTerminal::of(command.stdin(input).stdout(output), terminal);
    shell.wait_for(&["N = 24 ["]);
    let children = format!("/proc/{0}/task/{0}/children", shell.child.id());
    let program = std::fs::read_to_string(children).unwrap().trim().parse().unwrap();
    kill(Pid::from_raw(program), Signal::SIGSTOP).unwrap();
    shell.wait_for(&["READY"]);
    let drawn = |shell: &OnTerminal| shell.screen().matches("N = 24 [").count();
    let (before, begun) = (drawn(&shell), cpu_ticks(program));
    // Half a second, in which a bar is drawn twice at least.
    while cpu_ticks(program) < begun + 50 {
        sleep(Duration::from_millis(10));
    }
    assert_eq!(drawn(&shell), before, "{:?}", shell.screen());
    shell.keyboard.write_all(b"\n").unwrap();
    let (status, _, screen) = shell.finish();
    assert!(status.success() && screen.contains("code 130"), "{screen:?}");
}

/// Returns the hundredths of a second that a process has computed.
#[cfg(target_os = "linux")]
fn cpu_ticks(process: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name of the program is in parentheses.
    stat.rsplit(')').next().unwrap().split_whitespace().nth(11).unwrap().parse().unwrap()
}

#[test]
fn an_interrupted_count_leaves_the_old_output_file_alone() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("count.txt");
    std::fs::write(&file, "the last count\n").unwrap();
    let mut command = common::nqueens();
    let child = command.args(["count", ENDLESS, "-o"]).arg(&file).stderr(Stdio::null()).spawn().unwrap();
    common::wait_until_it_catches_signals(&child);
    sleep(Duration::from_millis(200));
    send(&child, Signal::SIGTERM);
    assert_eq!(ending_signal(child), Some(Signal::SIGTERM));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "the last count\n");
}

/// The final screen. The terminal itself writes `^C` at the cursor, beside the bar.
#[test]
fn the_key_that_stops_a_count_leaves_the_screen_clean() {
    let terminal = terminal();
    let mut keyboard = File::from(terminal.master.try_clone().expect("a second descriptor"));
    let running = OnTerminal::with_stdout(Stdio::piped(), &["count", ENDLESS], &[], terminal);
    running.wait_for(&["N = 24 [", " would keep "]);
    keyboard.write_all(b"\x03").expect("a key is pressed");
    sleep(Duration::from_millis(100));
    // The terminal would send this signal to a foreground job, but it is not the controlling terminal of the tests.
    send(&running.child, Signal::SIGINT);
    drop(keyboard);
    let (_, _, bytes) = running.finish();
    assert!(bytes.contains("^C"), "the key was echoed: {bytes:?}");
    let mut screen = emulator();
    screen.process(bytes.as_bytes());
    let seen = screen.screen().contents();
    let lines: Vec<&str> = seen.lines().collect();
    assert!(lines.len() == 3 && lines[2].starts_with("N = 24: stopped after "), "{seen}");
    assert!(lines[0].starts_with("N = 24: about ") && lines[0].contains(" expected ("), "{seen}");
}

/// With short units, the estimate of the time takes longer than the bar needs to appear.
#[test]
fn a_line_that_comes_while_the_bar_is_there_leaves_no_tail_of_it() {
    let running = OnTerminal::start(&[&["count", "18"], &SLOW[..SLOW.len() - 1], &["3"]].concat(), &[]);
    running.wait_for(&[" expected ("]);
    send(&running.child, Signal::SIGINT);
    let (_, _, bytes) = running.finish();
    assert!(bytes.find("N = 18 [") < bytes.find(" expected ("), "the bar came first: {bytes:?}");
    let mut screen = emulator();
    screen.process(bytes.as_bytes());
    let seen = screen.screen().contents();
    let lines: Vec<&str> = seen.lines().collect();
    // On a machine that is busy, a ledger is recommended too.
    let last = lines.iter().position(|line| line.starts_with("N = 18: stopped after "));
    assert!(last.is_some_and(|last| last <= 2 && lines.len() == last + 1), "{seen}");
    assert!(lines[0].ends_with(" expected (backtrack, scalar, 1 thread)"), "{seen}");
}

#[test]
fn only_who_watches_is_told_how_long_it_takes() {
    let started = |arguments: &[&str], told: &[&str]| {
        let running = OnTerminal::start(arguments, &[]);
        if told.is_empty() {
            // An absent message cannot be waited for. In the other cases it appears after a second.
            sleep(Duration::from_secs(3));
        }
        running.wait_for(told);
        send(&running.child, Signal::SIGINT);
        running.finish().2
    };
    let time = " expected (two-color, ";
    // The advice to use a ledger is printed once, and not if there is a ledger.
    let advice = "`nqueens count 24 --ledger 24.jsonl` would keep what is counted if it stops";
    let watched = started(&["count", ENDLESS], &[time, advice]);
    assert_eq!(watched.matches(advice).count(), 1, "{watched}");
    let quiet = started(&["count", ENDLESS, "--quiet"], &[]);
    assert!(!quiet.contains("expected") && !quiet.contains("ledger"), "{quiet}");
    let dir = tempfile::tempdir().unwrap();
    let ledger = dir.path().join("24.jsonl");
    let kept = started(&["count", ENDLESS, "--ledger", ledger.to_str().unwrap()], &[time]);
    assert!(!kept.contains("would keep"), "{kept}");
}

#[test]
fn a_count_that_takes_no_time_shows_no_bar() {
    // Each count takes a few milliseconds: longer than a draw, shorter than the interval between draws.
    for _ in 0..5 {
        let (status, stdout, screen) = OnTerminal::start(&[&["count", "12"], SLOW].concat(), &[]).finish();
        assert!(status.success() && stdout == "14200\n");
        assert!(!screen.contains('[') && screen.lines().count() == 1, "{screen:?}");
    }
}

#[test]
fn an_interrupted_document_is_still_a_document() {
    let running = OnTerminal::start(&["table", "--from", "24", "--format", "json"], &[]);
    running.wait_for(&["N = 24 ["]);
    send(&running.child, Signal::SIGINT);
    let (status, stdout, _) = running.finish();
    assert_eq!(status.signal(), Some(Signal::SIGINT as i32));
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("the document was ended");
    assert_eq!(document["complete"], false);
}

#[test]
fn the_bar_vanishes_when_the_count_is_done() {
    // A count that is long enough for the bar to appear and move.
    let running = OnTerminal::start(&[&["count", "15"], SLOW].concat(), &[]);
    let (status, stdout, screen) = running.finish();
    assert!(status.success());
    assert_eq!(stdout, "2279184\n");
    let (_, after) = screen.rsplit_once("N = 15 [").expect("the bar was drawn");
    assert!(after.contains("\u{1b}[2K") && after.contains("N = 15: "), "{after:?}");
    assert!(screen.contains("about ") && screen.contains(" left"), "the bar foretells the end: {screen:?}");
    let pictures = screen.split("N = 15 [").skip(1).filter_map(|rest| Some(rest.split_once(" left")?.0));
    assert!(pictures.clone().count() > 0);
    assert!(pictures.map(|picture| "N = 15 [".len() + picture.len() + " left".len()).all(|width| width <= 80));
}

/// Words are whole, and tables fit 80 columns.
#[test]
fn messages_and_tables_fit_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("9.jsonl");
    let ledger = ledger.to_str().unwrap();
    for line in [
        "estimate 24 --engine two-color --probes 10 --threads 1000",
        &*format!("count 9 --ledger {ledger}"),
        &*format!("status {ledger}"),
        &*format!("recheck {ledger}"),
        "table 12",
        "estimate 6 --exact",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        for columns in [80, 60] {
            let terminal = terminal_of(columns);
            // On fewer columns tables are wider than the terminal.
            let stdout = if columns < 80 { Stdio::null() } else { terminal.slave.try_clone().unwrap().into() };
            let program = OnTerminal::with_stdout(stdout, &arguments, &[("TERM", "dumb")], terminal);
            let (status, _, screen) = program.finish();
            assert!(status.success() && (columns == 60 || !screen.is_empty()), "{line}: {screen}");
            for shown in screen.lines().map(str::trim_end).filter(|shown| !shown.contains(ledger)) {
                let length = shown.chars().count();
                assert!(length <= usize::from(columns), "{line}: {length} columns: {shown}");
            }
        }
    }
}

#[test]
fn no_bar_where_it_is_not_wanted_or_cannot_be_drawn() {
    for (option, variable, value) in [("--quiet", "TERM", "xterm"), ("", "TERM", "dumb")] {
        let mut arguments = [&["count", "15"], SLOW, &[option]].concat();
        arguments.retain(|argument| !argument.is_empty());
        let (status, stdout, screen) = OnTerminal::start(&arguments, &[(variable, value)]).finish();
        assert!(status.success() && stdout == "2279184\n");
        assert!(!screen.contains('\u{1b}') && !screen.contains('['), "{option} {variable}={value}: {screen:?}");
    }
}

#[test]
fn the_help_has_no_escapes() {
    for arguments in [&["--help"][..], &["count", "--help"]] {
        let (_, _, screen) = OnTerminal::altogether(arguments, &[]).finish();
        assert!(screen.contains("Examples:") && !screen.contains('\u{1b}'), "{screen:?}");
    }
}

#[test]
fn on_a_terminal_the_table_is_not_mixed_up_with_the_bar() {
    let arguments = [&["table", "--from", "14", "--to", "15"], &SLOW[..SLOW.len() - 2]].concat();
    let (status, _, screen) = OnTerminal::altogether(&arguments, &[]).finish();
    assert!(status.success());
    // The remainder of each line after the bar was drawn and erased on it.
    let lines: Vec<&str> = screen.lines().map(|line| line.rsplit('\u{1b}').next().unwrap_or_default()).collect();
    for total in ["365596", "2279184"] {
        let row = lines.iter().find(|line| line.contains(total)).expect("the row is there");
        assert!(row.ends_with("matches") && !row.contains("left"), "{row:?}");
    }
}

/// A simulated user of `nqueens trace`, who presses keys and reads the screen while the program runs.
struct AtKeyboard {
    child: Child,
    keyboard: File,
    /// The other end of the terminal, which keeps its settings.
    slave: std::os::fd::OwnedFd,
    screen: std::sync::mpsc::Receiver<Vec<u8>>,
    parser: vt100::Parser,
}

impl AtKeyboard {
    fn start(arguments: &[&str]) -> Self {
        let terminal = terminal();
        let end = || Stdio::from(terminal.slave.try_clone().expect("a second descriptor"));
        let mut command = common::nqueens();
        command.args(arguments).env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end());
        // A separate job, as a shell starts one, so that it can be suspended.
        let child = command.process_group(0).spawn().expect("it starts");
        drop(command);
        let keyboard = File::from(terminal.master);
        let mut output = keyboard.try_clone().expect("a second descriptor");
        let (sender, screen) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keyboard, slave: terminal.slave, screen, parser: emulator() }
    }

    /// Returns true if the terminal echoes keys and passes them on in lines.
    fn has_terminal_back(&self) -> bool {
        use nix::sys::termios::{LocalFlags, tcgetattr};
        let flags = tcgetattr(&self.slave).expect("a terminal has settings").local_flags;
        flags.contains(LocalFlags::ICANON | LocalFlags::ECHO)
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("keys are pressed");
    }

    /// Waits until the screen shows a text; returns all that it shows.
    fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let contents = self.parser.screen().contents();
            if contents.contains(text) {
                self.finish_picture();
                return self.parser.screen().contents();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.parser.process(&bytes),
                Err(error) => panic!("no {text:?} on the screen ({error}):\n{contents}"),
            }
        }
    }

    /// Reads the rest of the picture whose beginning is on the screen. A picture is drawn again many times a second.
    fn finish_picture(&mut self) {
        let deadline = Instant::now() + Duration::from_millis(100);
        while let Ok(bytes) = self.screen.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            self.parser.process(&bytes);
        }
    }

    /// Returns the colour of the character at this line and column of the screen.
    fn colour(&self, (line, column): (u16, u16)) -> vt100::Color {
        self.parser.screen().cell(line, column).expect("it is on the screen").fgcolor()
    }

    /// Waits until the program ends. Returns its exit status, whether the terminal has its normal settings, and the
    /// screen.
    fn end(mut self) -> (ExitStatus, bool, String) {
        let status = self.child.wait().expect("it ends");
        let deadline = Instant::now() + PATIENCE;
        // What it wrote last may still be on its way.
        let mut restored = false;
        while !restored && Instant::now() < deadline {
            sleep(Duration::from_millis(100));
            self.screen.try_iter().for_each(|bytes| self.parser.process(&bytes));
            let screen = self.parser.screen();
            restored = self.has_terminal_back() && !screen.alternate_screen() && !screen.hide_cursor();
        }
        (status, restored, self.parser.screen().contents())
    }
}

/// The key codes that a terminal sends.
const RIGHT: &str = "\u{1b}[C";
const LEFT: &str = "\u{1b}[D";
const END: &str = "\u{1b}[F";
const HOME: &str = "\u{1b}[H";

#[test]
fn a_trace_is_played_under_the_control_of_keys() {
    let mut person = AtKeyboard::start(&["trace", "4"]);
    // The trace plays automatically, and the space key stops it.
    person.wait_for("step 2 of 43   playing");
    person.press(" ");
    person.wait_for("paused");
    person.press(HOME);
    person.wait_for("step 0 of 43");
    person.press(&RIGHT.repeat(3));
    let screen = person.wait_for("step 3 of 43");
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    assert_eq!(lines[1], "conflict: row 1, column 0 is attacked by the queen of row 0 along the column");
    assert_eq!(lines[3..8], ["    0 1 2 3", "  0 Q . . .", "  1 x x . .", "  2 x . x .", "  3 x . . x"], "{screen}");
    assert_eq!(lines[10], "column             1 . . .", "{screen}");
    // The square, the attacking queen and the flag are red; a mark has another colour.
    let red = vt100::Color::Idx(9);
    assert_eq!([(5, 4), (4, 4), (10, 19)].map(|square| person.colour(square)), [red; 3]);
    assert_ne!(person.colour((4, 6)), red);
    person.press(LEFT);
    person.wait_for("step 2 of 43");
    assert_eq!([(4, 4), (10, 19)].map(|square| person.colour(square)), [vt100::Color::Idx(10); 2]);
    // Jumps: to a step, to the next backtrack, to the next solution.
    person.press("12");
    person.wait_for("press g to go to step 12");
    person.press("g");
    person.wait_for("step 12 of 43   paused");
    person.press("99\r");
    person.wait_for("step 43 of 43   the end");
    person.press(HOME);
    person.wait_for("step 0 of 43");
    person.press("b");
    assert!(person.wait_for("step 11 of 43").contains("backtrack: no column of row 2 is left"));
    person.press("s");
    person.wait_for("solution: every row has a queen");
    person.press("2g");
    person.wait_for("step 2 of 43   paused");
    person.press("+");
    person.wait_for("5 steps a second");
    person.press("--");
    person.wait_for("1 step a second");
    person.press(END);
    person.wait_for("step 43 of 43   the end");
    person.press(" ");
    person.wait_for("step 0 of 43   playing");
    person.press(END);
    person.wait_for("step 43 of 43   the end");
    person.press("q");
    let (status, restored, screen) = person.end();
    assert!(status.success() && restored, "{screen}");
    // The last frame stays, without the line of keys.
    for part in ["step 43 of 43", "solution: every row has a queen: solution 1", "  0 x Q x x"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(!screen.contains("q quit"), "{screen}");
}

#[test]
fn a_trace_that_is_interrupted_leaves_the_terminal_as_it_was() {
    for by_key in [true, false] {
        let mut person = AtKeyboard::start(&["trace", "8", "--until", "all"]);
        person.wait_for("of 21,889   playing");
        if by_key {
            person.press("\u{3}");
        } else {
            send(&person.child, Signal::SIGTERM);
        }
        let (status, restored, screen) = person.end();
        let signal = if by_key { Signal::SIGINT } else { Signal::SIGTERM };
        assert_eq!(status.signal(), Some(signal as i32), "{screen}");
        assert!(restored, "{screen}");
        assert!(screen.contains("stopped at step "), "{screen}");
    }
}

#[test]
fn the_terminal_is_given_back_whatever_signals_end_a_trace() {
    use Signal::{SIGHUP, SIGINT, SIGTERM};
    for signals in [&[SIGHUP][..], &[SIGINT; 2], &[SIGTERM; 2], &[SIGHUP, SIGHUP, SIGHUP]] {
        for pause in [0, 1, 20] {
            let mut person = AtKeyboard::start(&["trace", "8", "--until", "all"]);
            person.wait_for("of 21,889   playing");
            for &signal in signals {
                // The program may already have ended by an earlier signal.
                let _ = kill(Pid::from_raw(person.child.id().try_into().unwrap()), signal);
                sleep(Duration::from_millis(pause));
            }
            let (status, restored, screen) = person.end();
            assert_eq!(status.signal(), Some(signals[0] as i32), "{screen}");
            assert!(restored, "{signals:?}, {pause} ms apart: {screen}");
        }
    }
}

/// A shell ignores these signals for background jobs of a script, and `nohup` ignores SIGHUP.
#[test]
#[cfg(target_os = "linux")]
fn signals_that_the_parent_ignores_stay_ignored() {
    let mut command = std::process::Command::new("sh");
    let script = "trap '' INT HUP QUIT; exec \"$0\" count 24 --quiet";
    command.args(["-c", script, env!("CARGO_BIN_EXE_nqueens")]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    common::wait_until_it_catches_signals(&child);
    for signal in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGINT] {
        send(&child, signal);
        sleep(Duration::from_millis(200));
    }
    assert_eq!(child.try_wait().unwrap(), None, "it goes on");
    send(&child, Signal::SIGTERM);
    assert_eq!(ending_signal(child), Some(Signal::SIGTERM));
}

#[test]
fn a_trace_is_not_played_where_it_cannot_be_or_is_not_to_be() {
    for (arguments, term) in [(&["trace", "4"][..], "dumb"), (&["trace", "4", "--format", "text"], "xterm")] {
        let (status, _, screen) = OnTerminal::altogether(arguments, &[("TERM", term)]).finish();
        assert!(status.success());
        assert!(screen.contains("  43  solution") && !screen.contains('\u{1b}'), "{term}: {screen:?}");
    }
}

#[test]
fn signals_stop_a_search_and_a_comparison_and_keep_what_there_is() {
    let stop = |arguments: &[&str], shown: &[&str]| {
        let running = OnTerminal::start(arguments, &[]);
        common::wait_until_it_catches_signals(&running.child);
        running.wait_for(shown);
        sleep(Duration::from_millis(300));
        send(&running.child, Signal::SIGINT);
        let (status, stdout, screen) = running.finish();
        assert_eq!(status.signal(), Some(Signal::SIGINT as i32), "{arguments:?}");
        (stdout, screen)
    };
    let (stdout, screen) = stop(&["solve", "20", "--all", "--format", "json"], &[]);
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("the document was ended");
    let found = document["solutions"].as_array().unwrap().len();
    assert_eq!(document["complete"], false);
    assert!(screen.ends_with(&format!("stopped after {found} solutions\r\n")), "{screen:?}");
    let bar = "brute-force, N = 8 [";
    let (stdout, screen) = stop(&["methods", "8", "--method", "brute-force,bit-masks"], &[bar]);
    assert!(stdout.contains("brute-force") && stdout.contains(" stopped "), "{stdout}");
    assert!(screen.ends_with("N = 8: stopped in brute-force\r\n"), "{screen:?}");
    let (stdout, screen) = stop(&["estimate", "24", "--exact"], &["N = 24 ["]);
    assert!(stdout.is_empty() && screen.contains("N = 24: stopped"), "{screen:?}");
    let (stdout, screen) = stop(&["estimate", "20", "--format", "json", "--probes", "1000000"], &["N = 20 ["]);
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("the document was ended");
    assert_eq!((document["rows"].as_array().unwrap().len(), &document["complete"]), (0, &false.into()));
    assert!(screen.ends_with("N = 20: stopped before it was finished\r\n"), "{screen:?}");
}

/// The reader closes the pipe early, like `head -n 1`.
#[test]
fn a_pipe_that_closes_early_is_not_an_error() {
    for arguments in [&["verify"][..], &["table", "--to", "13"], &["--help"]] {
        let mut child =
            common::nqueens().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = child.wait().unwrap();
        assert!(status.success(), "{arguments:?}: {status}");
        assert!(!stderr.contains("error") && !stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
}
