//! The program on a terminal, and with signals.

use crate::common::keeper::patience;
use crate::common::{self, end_of, end_within, send, wait};
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::pty::{OpenptyResult, Winsize, openpty};
use nix::sys::signal::Signal;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// Options for the slowest count. With them, 15 queens take longer than the bar needs to appear.
const SLOW: &str = "--engine backtrack --kernel scalar --threads 1 --split-rows 2";

/// The program with a terminal as standard error and, in some tests, as standard output and standard input.
struct OnTerminal {
    child: Child,
    /// What is written to this file is typed.
    keyboard: File,
    written: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
}

impl OnTerminal {
    fn start(arguments: &str) -> Self {
        Self::with_stdout(Stdio::piped(), arguments, "xterm", terminal(80))
    }

    /// Starts the program with both output streams on the terminal, of the kind that the variable TERM says.
    fn altogether(arguments: &str, kind: &str) -> Self {
        let terminal = terminal(80);
        Self::with_stdout(end_of_terminal(&terminal), arguments, kind, terminal)
    }

    fn with_stdout(stdout: Stdio, arguments: &str, kind: &str, terminal: OpenptyResult) -> Self {
        let mut command = common::nqueens();
        // Without an option, one thread is enough for what is shown, and takes less CPU time until it is.
        command.args(arguments.split_whitespace()).env("TERM", kind).env("NQUEENS_THREADS", "1");
        Self::new(command.stdout(stdout), terminal)
    }

    /// Starts a command with the terminal as standard error.
    fn new(command: &mut std::process::Command, terminal: OpenptyResult) -> Self {
        let child = command.stderr(Stdio::from(terminal.slave)).spawn().expect("it starts");
        // The command holds our last copies of the slave. Without them, the master reads the end of the stream.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let keyboard = File::from(terminal.master.try_clone().expect("a second descriptor"));
        let written = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let written = Arc::clone(&written);
            move || {
                let (mut terminal, mut buffer) = (File::from(terminal.master), [0; 4096]);
                // Linux reports the end of a terminal as an error.
                while let Ok(read @ 1..) = terminal.read(&mut buffer) {
                    written.lock().unwrap().extend_from_slice(&buffer[..read]);
                }
            }
        });
        Self { child, keyboard, written, reader }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("keys are pressed");
    }

    fn written(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().unwrap()).into_owned()
    }

    fn wait_for(&self, texts: &[&str]) {
        let are_written = || texts.iter().all(|text| self.written().contains(text));
        wait(|| format!("{texts:?} in {:?}", self.written()), are_written);
    }

    fn screen(&self) -> vt100::Screen {
        let mut emulator = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
        emulator.process(&self.written.lock().unwrap());
        emulator.screen().clone()
    }

    /// Waits until the program ends. Returns its exit status and its standard output.
    fn end(&mut self) -> (ExitStatus, String) {
        let stdout = self.child.stdout.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut stdout = String::new();
                pipe.read_to_string(&mut stdout).expect("text");
                stdout
            })
        });
        let status = end_of(&mut self.child);
        let reader = std::mem::replace(&mut self.reader, std::thread::spawn(|| ()));
        reader.join().expect("the reader ends");
        (status, stdout.map_or(String::new(), |reader| reader.join().expect("the reader ends")))
    }

    /// Waits until the program ends. Returns its exit status, its standard output, and everything written to the
    /// terminal.
    fn finish(mut self) -> (ExitStatus, String, String) {
        let (status, stdout) = self.end();
        (status, stdout, self.written())
    }
}

/// Opens a terminal of 24 rows.
fn terminal(columns: u16) -> OpenptyResult {
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let terminal = openpty(Some(&size), None).expect("a pseudo-terminal");
    // A process that another test starts, or the keeper, would hold the terminal open.
    for end in [&terminal.master, &terminal.slave] {
        fcntl(end, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).expect("descriptors have flags");
    }
    terminal
}

/// Returns the program's end of a terminal.
fn end_of_terminal(terminal: &OpenptyResult) -> Stdio {
    terminal.slave.try_clone().expect("a second descriptor").into()
}

/// The time until the program stops is tested in `stopping.rs`, in CPU time.
#[test]
fn signals_stop_a_count_and_the_shell_sees_them() {
    use Signal::{SIGHUP, SIGINT, SIGTERM};
    for (command, signal) in
        [("count 24", SIGINT), ("count 24", SIGTERM), ("count 24", SIGHUP), ("table --from 24", SIGINT)]
    {
        let running = OnTerminal::start(command);
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

/// A batch system sends these signals before a time limit is over.
#[test]
fn signals_of_batch_systems_stop_a_count_too() {
    let start = |signal| {
        let mut command = common::nqueens();
        let line = "count 18 --engine backtrack --kernel scalar --split-rows 3 --threads 1";
        command.args(line.split(' ')).stdout(Stdio::null()).stderr(Stdio::piped());
        (signal, command.spawn().unwrap())
    };
    for (signal, child) in [Signal::SIGUSR1, Signal::SIGUSR2, Signal::SIGXCPU].map(start) {
        common::wait_until_it_heeds_signals(&child);
        send(&child, signal);
        let ended = common::output_of(child);
        assert_eq!(ended.status.signal(), Some(signal as i32), "{signal}");
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(said.starts_with("N = 18: stopped ") && said.lines().count() == 1, "{signal}: {said}");
    }
}

/// Starts a program that waits for the reader of its output, which is returned too.
#[cfg(target_os = "linux")]
fn waiting_for_its_reader() -> (std::io::PipeReader, Child) {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    fcntl(&writer, FcntlArg::F_SETPIPE_SZ(4096)).expect("pipes can be small");
    // The pipe is full when the program starts.
    writer.write_all(&[b' '; 4096]).expect("a page");
    let mut command = common::nqueens();
    let child = command.args(["solve", "8", "--quiet"]).stdout(writer).stderr(Stdio::null()).spawn().unwrap();
    common::wait_until_it_waits(child.id());
    common::wait_until_it_heeds_signals(&child);
    (reader, child)
}

/// A program that waits for the reader of its output cannot obey the first signal, but the second signal ends it.
#[test]
#[cfg(target_os = "linux")]
fn a_second_signal_is_not_waited_for() {
    let (_reader, mut child) = waiting_for_its_reader();
    // The system sends this signal again and again. Only another signal stops the program all the same.
    for signal in [Signal::SIGXCPU, Signal::SIGXCPU] {
        send(&child, signal);
        sleep(Duration::from_millis(500));
        assert_eq!(child.try_wait().unwrap(), None, "it waits for its reader");
    }
    send(&child, Signal::SIGINT);
    assert_eq!(end_of(&mut child).signal(), Some(Signal::SIGINT as i32));
}

/// `timeout` and batch systems send one signal.
#[test]
#[cfg(target_os = "linux")]
fn one_signal_ends_a_program_that_waits_for_a_pipe() {
    let (_reader, mut child) = waiting_for_its_reader();
    send(&child, Signal::SIGTERM);
    assert_eq!(end_of(&mut child).signal(), Some(Signal::SIGTERM as i32));
}

/// A job is stopped by Ctrl-Z and goes on in the background after `bg`. Then the line at the cursor is the prompt.
#[test]
#[cfg(target_os = "linux")]
fn a_background_job_draws_no_bar() {
    if !common::needs::all_installed(&["setsid", "bash"]) {
        return;
    }
    let terminal = terminal(80);
    let (input, output) = (end_of_terminal(&terminal), end_of_terminal(&terminal));
    // The shell has a session of its own, whose terminal this is.
    let mut command = common::command("setsid");
    let script =
        r#"set -m; "$0" count 24 --threads 1; bg; echo READY; read line; kill -INT %1; wait %1; echo "code $?""#;
    let program = common::nqueens().get_program().to_owned();
    command.args(["--ctty", "bash", "-c", script]).arg(program).env("TERM", "xterm");
    let mut shell = OnTerminal::new(command.stdin(input).stdout(output), terminal);
    shell.wait_for(&["N = 24 ["]);
    let children = format!("/proc/{0}/task/{0}/children", shell.child.id());
    let program: u32 = std::fs::read_to_string(children).unwrap().trim().parse().unwrap();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(program.cast_signed()), Signal::SIGSTOP).unwrap();
    shell.wait_for(&["READY"]);
    let drawn = |shell: &OnTerminal| shell.written().matches("N = 24 [").count();
    let (before, begun) = (drawn(&shell), common::cpu_ticks(program));
    // The program computes for half a second, in which a bar would be drawn twice at least.
    wait(|| "it computes", || common::cpu_ticks(program) >= begun + 50);
    assert_eq!(drawn(&shell), before, "{:?}", shell.written());
    shell.press("\n");
    let (status, _, screen) = shell.finish();
    assert!(status.success() && screen.contains("code 130"), "{screen:?}");
}

/// The terminal itself writes `^C` at the cursor, beside the bar. The final screen has neither.
#[test]
fn the_key_that_stops_a_count_leaves_the_screen_clean() {
    let mut running = OnTerminal::start("count 24");
    running.wait_for(&["N = 24 [", " would keep "]);
    // The bar is gone while a line is written.
    wait(|| "the bar is back", || running.screen().contents().contains("N = 24 ["));
    running.press("\x03");
    sleep(Duration::from_millis(100));
    // The terminal would send this signal to a foreground job, but it is not the controlling terminal of the tests.
    send(&running.child, Signal::SIGINT);
    running.end();
    assert!(running.written().contains("^C"), "the key was echoed: {:?}", running.written());
    let seen = running.screen().contents();
    let lines: Vec<&str> = seen.lines().collect();
    assert!(lines.last().is_some_and(|last| last.starts_with("N = 24: stopped after ")), "{seen}");
    assert!(lines[0].starts_with("`nqueens estimate 24` tells how long this takes; "), "{seen}");
}

#[test]
fn only_who_watches_is_told_of_a_ledger() {
    let started = |arguments: &str, told: &[&str]| {
        let running = OnTerminal::start(arguments);
        if told.is_empty() {
            // An absent message cannot be waited for. In the other cases it appears after a second.
            sleep(Duration::from_secs(3));
        }
        running.wait_for(told);
        send(&running.child, Signal::SIGINT);
        running.finish().2
    };
    // The advice to use a ledger is printed once, and not if there is a ledger.
    let advice = "`nqueens count 24 --ledger 24.jsonl`";
    let watched = started("count 24", &[advice]);
    assert_eq!(watched.matches(advice).count(), 1, "{watched}");
    let quiet = started("count 24 --quiet", &[]);
    assert!(!quiet.contains("ledger"), "{quiet}");
    let dir = tempfile::tempdir().unwrap();
    let ledger = dir.path().join("24.jsonl");
    let kept = started(&format!("count 24 --ledger {}", ledger.display()), &["N = 24 ["]);
    assert!(!kept.contains(advice), "{kept}");
    let solved = OnTerminal::start("solve 8").finish().2;
    assert!(solved.contains("N = 8: the first; --all shows all"), "{solved}");
}

#[test]
fn the_bar_vanishes_when_the_count_is_done() {
    // The count is long enough for the bar to appear and move.
    let mut program = OnTerminal::start(&format!("count 15 {SLOW}"));
    end_within(10 * patience(), &mut program.child);
    let (status, stdout, screen) = program.finish();
    assert!(status.success());
    assert_eq!(stdout, "2279184\n");
    let (_, after) = screen.rsplit_once("N = 15 [").expect("the bar was drawn");
    assert!(after.contains("\u{1b}[2K") && after.contains("N = 15: "), "{after:?}");
    assert!(screen.contains("about ") && screen.contains(" left"), "the bar foretells the end: {screen:?}");
    let pictures = screen.split("N = 15 [").skip(1).filter_map(|rest| Some(rest.split_once(" left")?.0));
    assert!(pictures.clone().count() > 0);
    assert!(pictures.map(|picture| "N = 15 [".len() + picture.len() + " left".len()).all(|width| width <= 80));
}

/// Lines break between words, and tables fit 80 columns.
#[test]
fn tables_fit_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("9.jsonl");
    let ledger = ledger.to_str().unwrap();
    for line in [
        "estimate 18 --engine two-color --threads 1000",
        &*format!("count 9 --ledger {ledger}"),
        &*format!("status {ledger}"),
        &*format!("recheck {ledger}"),
        "table 12",
        "estimate 6",
        "solve 12",
    ] {
        let terminal = terminal(80);
        let output = end_of_terminal(&terminal);
        let program = OnTerminal::with_stdout(output, &format!("{line} --quiet"), "dumb", terminal);
        let (status, _, screen) = program.finish();
        assert!(status.success() && !screen.is_empty(), "{line}: {screen}");
        // The terminal folds lines for people.
        let is_row = |shown: &&str| ![ledger, "N = ", "warning: "].iter().any(|other| shown.contains(other));
        for shown in screen.lines().map(str::trim_end).filter(is_row) {
            assert!(shown.chars().count() <= 80, "{line}: {shown}");
        }
    }
}

#[test]
fn no_bar_where_it_is_not_wanted_or_cannot_be_drawn() {
    // The first count takes a few milliseconds: longer than a draw, shorter than the interval between draws.
    for (arguments, kind, total) in [
        ("count 12", "xterm", "14200\n"),
        ("count 15 --quiet", "xterm", "2279184\n"),
        ("count 15", "dumb", "2279184\n"),
    ] {
        let start = Instant::now();
        let mut program = OnTerminal::with_stdout(Stdio::piped(), &format!("{arguments} {SLOW}"), kind, terminal(80));
        end_within(10 * patience(), &mut program.child);
        let (status, stdout, screen) = program.finish();
        assert!(status.success() && stdout == total, "{arguments}: {screen:?}");
        // A machine that is very busy does not even end the first count in that time.
        if arguments != "count 12" || start.elapsed() < Duration::from_millis(250) {
            assert!(!screen.contains('['), "{arguments}: {screen:?}");
            assert!(screen.lines().count() <= 1 || kind == "dumb", "{arguments}: {screen:?}");
        }
    }
}

#[test]
fn what_is_not_drawn_has_no_escapes() {
    for (arguments, kind, part) in [
        ("--help", "xterm", "Examples:"),
        ("count --help", "xterm", "Examples:"),
        ("trace 4", "xterm", "43 steps, to the first solution"),
    ] {
        let (status, _, screen) = OnTerminal::altogether(arguments, kind).finish();
        assert!(status.success() && screen.contains(part) && !screen.contains('\u{1b}'), "{arguments}: {screen:?}");
    }
}

#[test]
fn on_a_terminal_the_table_is_not_mixed_up_with_the_bar() {
    let means = SLOW.trim_end_matches(" --split-rows 2");
    let (status, _, screen) = OnTerminal::altogether(&format!("table 15 --from 14 {means}"), "xterm").finish();
    assert!(status.success());
    // After the bar was drawn on a line and erased, this is the rest of the line.
    let lines: Vec<&str> = screen.lines().map(|line| line.rsplit('\u{1b}').next().unwrap_or_default()).collect();
    for total in ["365596", "2279184"] {
        let row = lines.iter().find(|line| line.contains(total)).expect("the row is there");
        assert!(row.ends_with("matches") && !row.contains("left"), "{row:?}");
    }
}

/// A shell ignores these signals for background jobs of a script, and `nohup` ignores SIGHUP.
#[test]
#[cfg(target_os = "linux")]
fn signals_that_the_parent_ignores_stay_ignored() {
    let mut command = common::command("sh");
    let script = "trap '' INT HUP; exec \"$0\" count 24 --threads 1 --quiet";
    command.args(["-c", script, env!("CARGO_BIN_EXE_nqueens")]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    common::wait_until_it_heeds_signals(&child);
    for signal in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGINT] {
        send(&child, signal);
        sleep(Duration::from_millis(200));
    }
    assert_eq!(child.try_wait().unwrap(), None, "it goes on");
    send(&child, Signal::SIGTERM);
    assert_eq!(end_of(&mut child).signal(), Some(Signal::SIGTERM as i32));
}

#[test]
fn signals_stop_a_search_and_a_comparison_and_keep_what_there_is() {
    let stop = |arguments: &str, shown: &[&str]| {
        let mut running = OnTerminal::start(arguments);
        common::wait_until_it_heeds_signals(&running.child);
        running.wait_for(shown);
        // What a search finds is written as it is found.
        let mut begun = vec![0; if arguments.starts_with("solve") { 300 } else { 0 }];
        running.child.stdout.as_mut().expect("it is a pipe").read_exact(&mut begun).expect("there are solutions");
        send(&running.child, Signal::SIGINT);
        let (status, stdout, screen) = running.finish();
        assert_eq!(status.signal(), Some(Signal::SIGINT as i32), "{arguments}");
        (String::from_utf8(begun).expect("text") + &stdout, screen)
    };
    for (arguments, bar, list, said) in [
        ("solve 20 --all --format json", "", "solutions", "stopped after N solutions"),
        ("table --from 24 --format json", "N = 24 [", "rows", "N = 24: stopped "),
        ("estimate 20 --format json", "N = 20 [", "rows", "N = 20: stopped "),
    ] {
        let (stdout, screen) = stop(arguments, &[bar]);
        let document: serde_json::Value = serde_json::from_str(&stdout).expect("the document was ended");
        let found = document[list].as_array().unwrap().len();
        assert!(document["complete"] == false && (found > 0 || list == "rows"), "{arguments}");
        let said = said.replace("after N", &format!("after {found}"));
        assert!(screen.lines().last().unwrap().contains(&said), "{arguments}: {screen:?}");
    }
    let (stdout, screen) = stop("methods 8 --method brute-force,bit-masks", &["brute-force, N = 8 ["]);
    assert!(
        stdout.contains("bit-masks") && stdout.contains("brute-force") && stdout.ends_with(" stopped\n"),
        "{stdout}"
    );
    assert!(screen.ends_with("N = 8: stopped in brute-force\r\n"), "{screen:?}");
    stop("methods 9 --method brute-force --time-limit 20s", &["brute-force, N = 9, stops after 20 s [", "%, about 1"]);
}
