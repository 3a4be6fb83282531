//! The program as the first process of a container, which no signal ends by default.

use crate::common;
use crate::common::needs::{all_installed, left_out};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

const SIGNALS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGUSR1];

/// Returns the options with which `unshare` makes a new container; `None` if this process cannot make any.
fn options() -> Option<&'static [&'static str]> {
    const NEW: [&[&str]; 2] = [&["-pf", "--mount-proc"], &["-rpf", "--mount-proc"]];
    if !all_installed(&["unshare"]) {
        return None;
    }
    let works = |options: &&&[&str]| {
        common::command("unshare").args(**options).arg("true").output().is_ok_and(|output| output.status.success())
    };
    let options = NEW.iter().find(works).copied();
    if options.is_none() {
        left_out("it takes root, or namespaces for every user");
    }
    options
}

/// A container whose first process is the program.
struct Container {
    unshare: Child,
    program: Pid,
}

impl Container {
    /// Starts the program with the arguments of a line, on which a shell closes or redirects streams, and waits until
    /// it heeds signals.
    fn start(options: &[&str], folder: &Path, line: &str) -> Self {
        let mut command = common::command("unshare");
        let script = format!("exec \"$0\" {line}");
        command.args(options).args(["--kill-child", "sh", "-c", &script, env!("CARGO_BIN_EXE_nqueens")]);
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut unshare = command.spawn().unwrap();
        let children = format!("/proc/{0}/task/{0}/children", unshare.id());
        let mut program = None;
        let heeds_signals = || {
            assert_eq!(unshare.try_wait().unwrap(), None, "{line}: it ended");
            program = fs::read_to_string(&children).ok().and_then(|children| children.trim().parse().ok());
            program.is_some_and(common::heeds_signals)
        };
        common::wait(|| format!("{line}: the program heeds signals"), heeds_signals);
        Self { unshare, program: Pid::from_raw(program.expect("it runs").cast_signed()) }
    }

    fn send(&self, signal: Signal) {
        kill(self.program, signal).expect("the program still runs");
    }

    fn code(mut self) -> Option<i32> {
        common::end_of(&mut self.unshare).code()
    }
}

#[test]
fn a_signal_ends_every_command_in_a_container_with_its_code() {
    let Some(options) = options() else { return };
    let folder = tempfile::tempdir().unwrap();
    let code = |line: &str, signal: Signal| {
        let container = Container::start(options, folder.path(), line);
        container.send(signal);
        container.code()
    };
    for signal in SIGNALS {
        assert_eq!(code("count 24 --ledger 24.jsonl --threads 2", signal), Some(128 + signal as i32), "{signal}");
    }
    for line in [
        "count 27 --threads 1 > /dev/full",
        "count 24 --threads 1 <&- >&- 2>&-",
        "table 24 --from 24",
        "verify --duration 10m",
        "solve 32 --all -o solutions.json",
        "trace 12 --until all > /dev/null",
        "methods 16",
        "estimate 22",
        "bench -o score.json",
    ] {
        assert_eq!(code(line, Signal::SIGTERM), Some(128 + Signal::SIGTERM as i32), "{line}");
    }
}

/// The commands wait for a reader of a pipe.
#[test]
fn a_second_signal_ends_a_command_in_a_container_with_its_code() {
    let Some(options) = options() else { return };
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    for (line, signal) in ["count 8", "table", "solve 8"].into_iter().zip(SIGNALS) {
        let mut container = Container::start(options, folder.path(), &format!("{line} -o pipe"));
        common::wait_until_it_waits(container.program.as_raw().cast_unsigned());
        container.send(Signal::SIGTERM);
        // If the machine is busy, the program may take the first signals for one request.
        while container.unshare.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(200));
            let _ = kill(container.program, signal);
        }
        assert_eq!(container.code(), Some(128 + signal as i32), "{line}");
    }
}
