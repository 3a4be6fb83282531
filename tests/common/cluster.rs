//! A Slurm cluster for the tests: munged, slurmctld and slurmd on the loopback interface, with one node of two CPUs.

use super::common::needs::all_installed;
use super::common::{self, wait};
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

const PROGRAMS: [&str; 8] = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo", "scancel"];

/// A Slurm cluster whose configuration, state, logs and sockets are in one directory.
pub(crate) struct Cluster {
    dir: TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    /// Starts the daemons and waits until the node accepts jobs. If Slurm is not installed, reports that the test is
    /// skipped and returns `None`.
    pub(crate) fn start() -> Option<Self> {
        if !all_installed(&PROGRAMS) {
            return None;
        }
        let dir = tempfile::tempdir().expect("a directory for the cluster");
        let mut cluster = Self { dir, daemons: Vec::new() };
        cluster.configure();
        let file = |name: &str| cluster.dir.path().join(name).display().to_string();
        let munged = [
            // Without --force, munged requires that every directory above its files belongs to the user or to root.
            "--foreground".into(),
            "--force".into(),
            format!("--key-file={}", file("munge.key")),
            format!("--socket={}", file("munge.socket")),
            format!("--pid-file={}", file("munge.pid")),
            format!("--seed-file={}", file("munge.seed")),
        ];
        cluster.spawn("munged", &munged);
        wait(|| "munged makes its socket", || cluster.dir.path().join("munge.socket").exists());
        cluster.spawn("slurmctld", &["-D".into(), "-i".into()]);
        cluster.spawn("slurmd", &["-D".into()]);
        let log = |program: &str| fs::read_to_string(cluster.dir.path().join(format!("{program}.log")));
        wait(
            || format!("the node is idle: {:?}", ["munged", "slurmctld", "slurmd"].map(log)),
            || cluster.output("sinfo", &["--noheader", "--format=%T"]) == "idle\n",
        );
        Some(cluster)
    }

    /// Returns a directory that all nodes can access.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = common::command(program);
        // Debian installs the daemons in a directory that is not in every user's path.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{path}:/usr/sbin")).env("SLURM_CONF", self.dir.path().join("slurm.conf"));
        command
    }

    pub(crate) fn output(&self, program: &str, arguments: &[&str]) -> String {
        let mut command = self.command(program);
        let output = command.args(arguments).output().unwrap_or_else(|error| panic!("{program}: {error}"));
        String::from_utf8(output.stdout).expect("the output is text")
    }

    pub(crate) fn wait_until_empty(&self) {
        let queue = || self.output("squeue", &["--noheader", "--format=%i %T %r"]);
        wait(|| format!("no job is in the queue: {}", queue()), || queue().is_empty());
    }

    /// Returns all processes of this cluster, both daemons and jobs. Their environment identifies them.
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

    fn configure(&self) {
        let dir = self.dir.path();
        let key = OpenOptions::new().write(true).create_new(true).mode(0o600).open(dir.join("munge.key"));
        // The key protects a cluster that listens on the loopback interface for a minute.
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
        // Both ports are kept open until both are known, so that they differ.
        let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [control, node] = ports.each_ref().map(|port| port.local_addr().expect("it is bound").port());
        let dir = dir.display();
        // config_overrides: allows two CPUs on any machine, so that two tasks run at the same time. cred_expire: the
        // time that a requeued task waits.
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

    /// Starts a daemon in the foreground, with its messages in a file.
    fn spawn(&mut self, program: &str, arguments: &[String]) {
        let log = fs::File::create(self.dir.path().join(format!("{program}.log"))).expect("a new file");
        let mut command = self.command(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.daemons.push(command.spawn().expect("the daemon starts"));
    }
}

impl Drop for Cluster {
    /// Ends the daemons and all processes of the jobs, also after a failed test.
    fn drop(&mut self) {
        // The controller starts jobs, so it ends first. The other daemons need munged to communicate, so munged ends
        // last.
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
