//! A Slurm cluster for the tests: munged, slurmctld and slurmd on the loopback interface, as one node with two CPUs.

use super::needs::all_installed;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The programs of Slurm, of Munge and of util-linux that a cluster needs.
const PROGRAMS: [&str; 9] =
    ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo", "scancel", "setpriv"];

/// The time that the cluster may take to start, or a handful of short jobs to come through.
const PATIENCE: Duration = Duration::from_secs(60);

/// A cluster of its own: its configuration, state, logs and sockets are in one directory.
pub(crate) struct Cluster {
    dir: TempDir,
    daemons: Vec<Child>,
}

/// The program at work on a shard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) shard: u32,
    pub(crate) job: u32,
    process: Pid,
}

impl Cluster {
    /// Starts the daemons, and waits until the node takes jobs. Returns `None`, and reports that the test is left out,
    /// where Slurm is not installed.
    pub(crate) fn start() -> Option<Self> {
        if !all_installed(&PROGRAMS) {
            return None;
        }
        let dir = tempfile::tempdir().expect("a directory for the cluster");
        let mut cluster = Self { dir, daemons: Vec::new() };
        cluster.configure();
        let file = |name: &str| cluster.dir.path().join(name).display().to_string();
        let munged = [
            // Without --force it wants each directory above its files to belong to it or to root.
            "--foreground".into(),
            "--force".into(),
            format!("--key-file={}", file("munge.key")),
            format!("--socket={}", file("munge.socket")),
            format!("--pid-file={}", file("munge.pid")),
            format!("--seed-file={}", file("munge.seed")),
        ];
        cluster.spawn("munged", &munged);
        wait("munged makes its socket", || cluster.dir.path().join("munge.socket").exists());
        cluster.spawn("slurmctld", &["-D".into(), "-i".into()]);
        cluster.spawn("slurmd", &["-D".into()]);
        let start = Instant::now();
        while cluster.output("sinfo", &["--noheader", "--format=%T"]) != "idle\n" {
            if start.elapsed() > PATIENCE {
                let log = |name: &str| fs::read_to_string(cluster.dir.path().join(name)).unwrap_or_default();
                panic!("no node is idle\n{}\n{}\n{}", log("munged.log"), log("slurmctld.log"), log("slurmd.log"));
            }
            sleep(Duration::from_millis(50));
        }
        Some(cluster)
    }

    /// A directory that all nodes see.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A command that speaks to this cluster.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["NQUEENS_", "SLURM_", "SBATCH_", "SQUEUE_", "SINFO_"].iter().any(|prefix| text.starts_with(prefix)) {
                command.env_remove(&name);
            }
        }
        // Where Debian has the daemons, which is not in the path of all who could run them.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:/usr/sbin")).env("SLURM_CONF", self.dir.path().join("slurm.conf"));
        command
    }

    /// Runs a command of Slurm's and returns its standard output.
    pub(crate) fn output(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = self.command(program);
        let output = command.args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
        String::from_utf8(output.stdout).expect("the output is text")
    }

    /// Waits until no job is queued or running.
    pub(crate) fn wait_until_empty(&self) {
        let start = Instant::now();
        loop {
            let queue = self.output("squeue", &["--noheader", "--format=%i %T %r"]);
            if queue.is_empty() {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "jobs stay in the queue:\n{queue}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Waits for `count` tasks at work of which `wanted` is true, and halts them; the others go on.
    ///
    /// A halted task keeps its place on the node, so there is no hurry with it.
    pub(crate) fn halt(&self, count: usize, wanted: impl Fn(&Task) -> bool) -> Vec<Task> {
        let mut halted: Vec<Task> = Vec::new();
        wait("enough tasks are at work at a time", || {
            for task in self.tasks() {
                if halted.len() < count && !halted.contains(&task) && task.halt() {
                    if wanted(&task) {
                        halted.push(task);
                    } else {
                        let _ = kill(task.process, Signal::SIGCONT);
                    }
                }
            }
            halted.len() == count
        });
        halted
    }

    /// The tasks whose program is at work.
    fn tasks(&self) -> Vec<Task> {
        let task = |process| {
            let arguments = fs::read(format!("/proc/{process}/cmdline")).ok()?;
            let program = arguments.split(|&byte| byte == 0).nth(1)? == b"count";
            let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
            let variable = |name: &str| {
                let mut lines = environment.split(|&byte| byte == 0).filter_map(|line| str::from_utf8(line).ok());
                lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
            };
            let (shard, job) = (variable("SLURM_ARRAY_TASK_ID")?, variable("SLURM_ARRAY_JOB_ID")?);
            program.then_some(Task { shard, job, process })
        };
        self.processes().into_iter().filter_map(task).collect()
    }

    /// All processes of this cluster, by their environment: its daemons, and what its jobs run.
    fn processes(&self) -> Vec<Pid> {
        let mark = format!("SLURM_CONF={}/slurm.conf", self.dir.path().display());
        let ours = |process: &i32| {
            let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let entries = fs::read_dir("/proc").expect("Linux has /proc").filter_map(Result::ok);
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter(ours).map(Pid::from_raw).collect()
    }

    /// Writes the key and the configuration.
    fn configure(&self) {
        let dir = self.dir.path();
        let key = OpenOptions::new().write(true).create_new(true).mode(0o600).open(dir.join("munge.key"));
        // It guards a cluster that listens on the loopback interface for a minute.
        let secret = [std::process::id().to_string(), format!("{:?}", Instant::now()), "0".repeat(64)].concat();
        key.expect("a new file").write_all(secret.as_bytes()).expect("the key is written");
        for name in ["state", "spool"] {
            fs::create_dir(dir.join(name)).expect("a new directory");
        }
        let host = nix::unistd::gethostname().expect("the machine has a name");
        let host = host.to_string_lossy();
        let host = host.split('.').next().unwrap_or_default();
        let user =
            nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten().expect("the user has a name").name;
        // Both are held until both are known, lest they be the same.
        let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [control, node] = ports.each_ref().map(|port| port.local_addr().expect("it is bound").port());
        let dir = dir.display();
        // config_overrides: two CPUs whatever the machine has, so that two tasks run at a time. cred_expire: a requeued
        // task waits for that long.
        let text = format!(
            "ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket,cred_expire=5
SlurmUser={user}
SlurmdUser={user}
SlurmdParameters=config_overrides
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
ReturnToService=2
KillWait=5
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP
"
        );
        fs::write(dir.to_string() + "/slurm.conf", text).expect("the configuration is written");
    }

    /// Starts a daemon in the foreground, with its messages in a file. It ends with this test, however that ends.
    fn spawn(&mut self, program: &str, arguments: &[String]) {
        let log = fs::File::create(self.dir.path().join(format!("{program}.log"))).expect("a new file");
        let mut command = self.command("setpriv");
        command.args(["--pdeathsig", "TERM", program]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.daemons.push(command.spawn().expect("Linux has setpriv"));
    }
}

impl Drop for Cluster {
    /// Ends the daemons and whatever the jobs still run. A test that fails has left it as it was.
    fn drop(&mut self) {
        // The controller first, which starts jobs; munged, which the others need to speak to each other, last.
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(10) {
            let left = self.processes();
            if left.is_empty() {
                break;
            }
            for process in left {
                let _ = kill(process, Signal::SIGKILL);
            }
            sleep(Duration::from_millis(20));
        }
    }
}

impl Task {
    /// Returns the name that Slurm has for the task.
    pub(crate) fn id(&self) -> String {
        format!("{}_{}", self.job, self.shard)
    }

    /// Kills the program, as the kernel does where memory runs out.
    pub(crate) fn kill(&self) {
        kill(self.process, Signal::SIGKILL).expect("the program is there");
    }

    /// Halts the program; false where it has just ended.
    fn halt(&self) -> bool {
        if kill(self.process, Signal::SIGSTOP).is_err() {
            return false;
        }
        let state = || {
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.process)).unwrap_or_default();
            // Behind the name, which is in parentheses and may hold anything.
            stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next())
        };
        wait("the program halts or ends", || !matches!(state(), Some('R' | 'S' | 'D')));
        state() == Some('T')
    }
}

/// Waits until it is so; fails the test when it takes too long.
pub(crate) fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "in vain: {what}");
        sleep(Duration::from_millis(5));
    }
}
