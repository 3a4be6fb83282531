//! The measured builds: this build, and another in a process of its own.

use nqueens::Cancel;
use nqueens::engine::{Counter, Worker};
use nqueens::run::memory::most_shared;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

#[cfg(unix)]
fn cpu_seconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    std::time::Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock")).as_secs_f64()
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

/// Returns the result of `work`, and the CPU time that it took.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = cpu_seconds();
    let done = work();
    (done, cpu_seconds() - start)
}

/// A prepared count, and the worker that counts its units.
pub(crate) struct Build<'a> {
    pub(crate) counter: &'a Counter,
    worker: Box<dyn Worker + 'a>,
    threads: usize,
    /// The units in the order in which a run begins them.
    pub(crate) order: Vec<usize>,
    /// For each unit, the unit before it in `order`.
    before: HashMap<usize, usize>,
    /// The units of each part, in this order. A part is named by the number of its queens on EE.
    pub(crate) parts: BTreeMap<usize, Vec<usize>>,
    last: Option<usize>,
    pub(crate) plan_seconds: f64,
    pub(crate) table_seconds: f64,
}

impl<'a> Build<'a> {
    /// Makes the tables that a count by `threads` threads shares.
    pub(crate) fn new(counter: &'a Counter, threads: usize, plan_seconds: f64) -> Self {
        let order = counter.plan.longest_first();
        let share = || counter.tables(&order, most_shared(threads)).make(&Cancel::new()).expect("nobody cancels");
        let ((), table_seconds) = timed(share);
        let before = order.windows(2).map(|units| (units[1], units[0])).collect();
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        // The number of queens on EE names a part of the two-color engine.
        let part = |unit| counter.units.white_queens(unit).map_or(0, |white| white.div_ceil(2));
        for &unit in &order {
            parts.entry(part(unit)).or_default().push(unit);
        }
        let mut worker = counter.worker().unwrap();
        // These units make the worker's memory grow.
        for units in parts.values() {
            worker.count(units[units.len() - 1], &Cancel::new()).expect("nobody cancels");
        }
        Self { counter, worker, threads, order, before, parts, last: None, plan_seconds, table_seconds }
    }

    /// Counts a unit. Returns the time, and the partial count.
    pub(crate) fn count(&mut self, unit: usize) -> (f64, u128) {
        let mut count = |unit| self.worker.count(unit, &Cancel::new()).expect("nobody cancels");
        let before = self.before.get(&unit).copied().filter(|_| self.threads == 1);
        if before != self.last {
            before.map(&mut count);
        }
        let (partial, seconds) = timed(|| count(unit));
        self.last = Some(unit);
        (seconds, partial)
    }

    /// Prints the fingerprint of the plan and the time before the first unit. Then it prints a line for each unit that
    /// another build asks for.
    pub(crate) fn answer(&mut self) {
        println!("{:x} {}", self.counter.plan.fingerprint(), self.plan_seconds + self.table_seconds);
        for unit in std::io::stdin().lines().map_while(|line| line.ok()?.parse().ok()) {
            let (seconds, partial) = self.count(unit);
            println!("{seconds} {partial}");
        }
    }
}

/// Another build of this benchmark.
pub(crate) struct Other {
    child: Child,
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    /// The time before the first unit.
    pub(crate) before: f64,
}

impl Other {
    pub(crate) fn start(program: &str, build: &Build<'_>) -> Result<Self, String> {
        let plan = &build.counter.plan;
        let arguments = [&plan.board().to_string(), "--threads", &build.threads.to_string(), "--answer"];
        let child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("--against {program}: {error}"))?;
        let (requests, answers) = child.stdin.take().zip(child.stdout.take()).expect("they are pipes");
        let answers = BufReader::new(answers).lines();
        let mut other = Self { child, requests, answers, before: 0.0 };
        let (fingerprint, before) = other.answer::<String, f64>()?;
        if fingerprint != format!("{:x}", plan.fingerprint()) {
            return Err(format!("--against {program}: it has another plan, whose units are not these"));
        }
        other.before = before;
        Ok(other)
    }

    fn answer<One: FromStr, Two: FromStr>(&mut self) -> Result<(One, Two), String> {
        let line = self.answers.next().and_then(Result::ok).ok_or("the other build has ended")?;
        let words = line.split_once(' ').and_then(|(one, two)| one.parse().ok().zip(two.parse().ok()));
        words.ok_or(format!("the other build answers '{line}'"))
    }

    fn count(&mut self, unit: usize) -> Result<(f64, u128), String> {
        writeln!(self.requests, "{unit}").map_err(|error| format!("the other build: {error}"))?;
        self.answer()
    }

    /// Counts a unit in turn with both builds. Returns the lesser time of each, the other build's first.
    pub(crate) fn compare(&mut self, build: &mut Build<'_>, unit: usize) -> Result<(f64, f64), String> {
        let turns = [build.count(unit), self.count(unit)?, self.count(unit)?, build.count(unit)];
        match turns.iter().find(|turn| turn.1 != turns[0].1) {
            Some((_, other)) => Err(format!("unit {unit} counts {}, but in the other build {other}", turns[0].1)),
            None => Ok((turns[1].0.min(turns[2].0), turns[0].0.min(turns[3].0))),
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // The process ends by itself when nobody asks any more, but it may still be at work.
        drop(self.child.kill().and_then(|()| self.child.wait()));
    }
}
