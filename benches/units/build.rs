//! The builds that are measured: this one, and another in a process of its own.

use nqueens::Cancel;
use nqueens::engine::{Counter, Worker};
use nqueens::run::memory::most_shared;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

/// The most pairs of row sets that are compared at once where plans differ.
const MOST_PAIRS: usize = 20_000;

/// The CPU time of this process.
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

/// Returns what `work` returns, and the CPU time that it took.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = cpu_seconds();
    let done = work();
    (done, cpu_seconds() - start)
}

fn numbers<T: FromStr, L: FromIterator<T>>(text: &str) -> L {
    text.split(',').filter_map(|number| number.parse().ok()).collect()
}

fn list<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers.into_iter().map(|number| number.to_string()).collect::<Vec<_>>().join(",")
}

/// The pairs of row sets of a unit, each in one number.
fn pairs(counter: &dyn Counter, unit: usize) -> impl Iterator<Item = u64> {
    counter.row_sets(unit).into_iter().map(|[re, ro]| u64::from(re) << 32 | u64::from(ro))
}

/// A prepared count, and the worker that counts its units.
pub(crate) struct Build<'a> {
    pub(crate) counter: &'a dyn Counter,
    worker: Box<dyn Worker + 'a>,
    threads: usize,
    /// The units in the order in which a run begins them.
    pub(crate) order: Vec<usize>,
    /// By unit: the one before it.
    before: HashMap<usize, usize>,
    /// The units of each part, in this order. A part is named by the number of rows of its *Re*.
    pub(crate) parts: BTreeMap<u32, Vec<usize>>,
    last: Option<usize>,
    pub(crate) plan_seconds: f64,
    pub(crate) table_seconds: f64,
}

impl<'a> Build<'a> {
    /// Makes the tables that a count by `threads` threads shares.
    pub(crate) fn new(counter: &'a dyn Counter, threads: usize, plan_seconds: f64) -> Self {
        let order = counter.plan().longest_first();
        let share = || counter.share(&order, most_shared(threads), &Cancel::new()).expect("nobody cancels");
        let ((), table_seconds) = timed(share);
        let before = order.windows(2).map(|units| (units[1], units[0])).collect();
        let mut parts: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &unit in &order {
            let part = counter.row_sets(unit).first().map_or(0, |[re, _]| re.count_ones());
            parts.entry(part).or_default().push(unit);
        }
        let mut worker = counter.worker();
        // So that its memory has grown.
        for units in parts.values() {
            worker.count(units[units.len() - 1], &Cancel::new()).expect("nobody cancels");
        }
        Self { counter, worker, threads, order, before, parts, last: None, plan_seconds, table_seconds }
    }

    /// Counts units. Returns the time, and the sum of their partial counts.
    pub(crate) fn count(&mut self, units: &[usize]) -> (f64, u128) {
        let mut count = |unit| self.worker.count(unit, &Cancel::new()).expect("nobody cancels");
        let (mut seconds, mut sum) = (0.0, 0);
        for &unit in units {
            let before = self.before.get(&unit).copied().filter(|_| self.threads == 1);
            if before != self.last {
                before.map(&mut count);
            }
            let (partial, taken) = timed(|| count(unit));
            (seconds, sum, self.last) = (seconds + taken, sum + partial, Some(unit));
        }
        (seconds, sum)
    }

    /// Returns the units that have any of these pairs of row sets, in order, and all pairs of these units.
    fn with_any(&self, wanted: &BTreeSet<u64>) -> (Vec<usize>, BTreeSet<u64>) {
        let part = wanted.first().map_or(0, |pair| (pair >> 32).count_ones());
        let has_any = |&&unit: &&usize| pairs(self.counter, unit).any(|pair| wanted.contains(&pair));
        let units: Vec<usize> = self.parts.get(&part).into_iter().flatten().filter(has_any).copied().collect();
        let all = units.iter().flat_map(|&unit| pairs(self.counter, unit)).collect();
        (units, all)
    }

    /// Prints the fingerprint of the plan and the time before the first unit, and then a line for each request of
    /// another build.
    pub(crate) fn answer(&mut self) {
        println!("{:x} {}", self.counter.plan().fingerprint(), self.plan_seconds + self.table_seconds);
        for request in std::io::stdin().lines().map_while(Result::ok) {
            if let Some(units) = request.strip_prefix("count ") {
                let (seconds, sum) = self.count(&numbers::<_, Vec<_>>(units));
                println!("{seconds} {sum}");
            } else {
                let (units, all) = self.with_any(&numbers(&request));
                println!("{} {}", list(units), list(all));
            }
        }
    }
}

/// Another build of this benchmark.
pub(crate) struct Other {
    child: Child,
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    pub(crate) has_same_plan: bool,
    /// The time before the first unit.
    pub(crate) before: f64,
}

impl Other {
    pub(crate) fn start(program: &str, build: &Build<'_>) -> Result<Self, String> {
        let plan = build.counter.plan();
        let arguments = [&plan.board().to_string(), "--threads", &build.threads.to_string(), "--answer"];
        let child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("--against {program}: {error}"))?;
        let (requests, answers) = child.stdin.take().zip(child.stdout.take()).expect("they are pipes");
        let answers = BufReader::new(answers).lines();
        let mut other = Self { child, requests, answers, has_same_plan: false, before: 0.0 };
        let (fingerprint, before) = other.answer::<String, f64>()?;
        other.has_same_plan = fingerprint == format!("{:x}", plan.fingerprint());
        other.before = before;
        Ok(other)
    }

    fn answer<One: FromStr, Two: FromStr>(&mut self) -> Result<(One, Two), String> {
        let line = self.answers.next().and_then(Result::ok).ok_or("the other build has ended")?;
        let words = line.split_once(' ').and_then(|(one, two)| one.parse().ok().zip(two.parse().ok()));
        words.ok_or(format!("the other build answers '{line}'"))
    }

    fn ask<One: FromStr, Two: FromStr>(&mut self, request: &str) -> Result<(One, Two), String> {
        writeln!(self.requests, "{request}").map_err(|error| format!("the other build: {error}"))?;
        self.answer()
    }

    /// Returns the fewest units of both builds that count the same, `unit` among them; `None` if they are not few.
    fn same(&mut self, build: &Build<'_>, unit: usize) -> Result<Option<[Vec<usize>; 2]>, String> {
        if self.has_same_plan {
            return Ok(Some([vec![unit], vec![unit]]));
        }
        let mut wanted: BTreeSet<u64> = pairs(build.counter, unit).collect();
        loop {
            let (ours, of_ours) = build.with_any(&wanted);
            let (theirs, of_theirs): (String, String) = self.ask(&list(&of_ours))?;
            let of_theirs: BTreeSet<u64> = numbers(&of_theirs);
            if of_theirs == of_ours {
                return Ok(Some([ours, numbers(&theirs)]));
            }
            let both = &of_ours | &of_theirs;
            if both.len() == wanted.len() || both.len() > MOST_PAIRS {
                return Ok(None);
            }
            wanted = both;
        }
    }

    /// Counts a unit, or the fewest that count the same, in turn with both builds. Returns the lesser time of the other
    /// and of this one, divided by the work in this build's plan; `None` if nothing is the same.
    pub(crate) fn compare(&mut self, build: &mut Build<'_>, unit: usize) -> Result<Option<(f64, f64)>, String> {
        let Some([ours, theirs]) = self.same(build, unit)? else { return Ok(None) };
        let request = format!("count {}", list(&theirs));
        let turns = [build.count(&ours), self.ask(&request)?, self.ask(&request)?, build.count(&ours)];
        if let Some((_, sum)) = turns.iter().find(|turn| turn.1 != turns[0].1) {
            return Err(format!("units {} count {}, but in the other build {sum}", list(ours), turns[0].1));
        }
        let work = build.counter.plan().work_of(ours) as f64;
        Ok(Some((turns[1].0.min(turns[2].0) / work, turns[0].0.min(turns[3].0) / work)))
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // It ends by itself when nobody asks any more, but may be at work.
        drop(self.child.kill().and_then(|()| self.child.wait()));
    }
}
