//! The tests of the tests: wherever they are started, they end, and end what they have started.

use crate::common::{self, end_within, output_of, wait};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Returns a command that runs one test of this file of tests in another process.
fn another(test: &str) -> Command {
    let mut command = common::command(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Signals are ignored or blocked in the background of a script, under `nohup`, and by a parent that waits for signals.
#[test]
fn signals_that_are_ignored_or_blocked_here_end_what_the_tests_start() {
    let test = another("terminal::a_second_signal_is_not_waited_for");
    let mut script = common::command("sh");
    script.args(["-c", "trap '' HUP INT QUIT TERM; exec \"$@\"", "sh"]).arg(test.get_program()).args(test.get_args());
    SigSet::all().thread_block().unwrap();
    let ran = script.stdout(Stdio::piped()).spawn();
    SigSet::all().thread_unblock().unwrap();
    let output = output_of(ran.unwrap());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains(" 1 passed;"), "{said}");
}

/// The variable that names the file in which [`goes_on`] writes the numbers of two processes.
const NAME: &str = "NQUEENS_TEST_HARNESS";

/// A test that waits for a program that heeds no signal and has started another one.
#[test]
fn goes_on() {
    let Some(file) = std::env::var_os(NAME) else { return };
    let mut shell = common::command("sh");
    shell.args(["-c", "trap '' HUP INT TERM; sleep 1000 & echo $$ $! > \"$0.new\"; mv \"$0.new\" \"$0\"; wait"]);
    assert_eq!(shell.arg(file).output().unwrap().status.code(), Some(0));
}

fn processes(file: &Path) -> Vec<Pid> {
    wait(|| "both run", || file.exists());
    let numbers = std::fs::read_to_string(file).unwrap();
    numbers.split_whitespace().map(|number| Pid::from_raw(number.parse().unwrap())).collect()
}

/// Returns true if a process has ended, even if nobody has asked for its exit code.
fn is_over(process: Pid) -> bool {
    common::stat(process.as_raw().cast_unsigned()).is_none_or(|fields| fields[0] == "Z")
}

#[test]
fn what_the_tests_have_started_ends_with_them() {
    let folder = tempfile::tempdir().unwrap();
    for signal in [Signal::SIGKILL, Signal::SIGTERM] {
        let file = folder.path().join(signal.as_str());
        let mut tests = another("harness::goes_on").env(NAME, &file).spawn().unwrap();
        let processes = processes(&file);
        assert!(processes.len() == 2 && !processes.iter().any(|process| is_over(*process)), "{processes:?}");
        common::send(&tests, signal);
        assert_eq!(common::end_of(&mut tests).signal(), Some(signal as i32));
        wait(|| format!("{processes:?} end"), || processes.iter().all(|process| is_over(*process)));
    }
}

#[test]
fn a_program_that_goes_on_after_a_signal_is_ended_and_its_test_fails() {
    let mut child = common::command("sleep").arg("1000").spawn().unwrap();
    let process = Pid::from_raw(child.id().cast_signed());
    let waiting = std::panic::AssertUnwindSafe(|| end_within(Duration::from_millis(50), &mut child));
    assert!(std::panic::catch_unwind(waiting).is_err());
    assert!(kill(process, None).is_err(), "it is gone");
}

/// The path has only what each machine with a shell has.
#[test]
fn a_test_whose_program_is_not_installed_is_left_out_by_name_once() {
    let tools = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for name in ["bash", "sh", "cat", "cp", "grep", "sleep", "tr"] {
        let mut found = std::env::split_paths(&path).map(|folder| folder.join(name)).filter(|path| path.exists());
        std::os::unix::fs::symlink(found.next().unwrap(), tools.path().join(name)).unwrap();
    }
    let mut tests = common::command(std::env::current_exe().unwrap());
    tests.args(["browser::", "programs::", "results::", "versus::", "--test-threads=2"]).env("PATH", tools.path());
    let output = tests.output().unwrap();
    let [said, told] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{said}{told}");
    let mut tests: Vec<_> =
        told.lines().filter_map(|line| line.strip_prefix("left out: ")?.split(": ").next()).collect();
    let all = tests.len();
    tests.sort_unstable();
    tests.dedup();
    assert!(all > 10 && tests.len() == all, "{told}");
}
