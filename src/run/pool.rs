//! Thread pools, and a thread that calls a function at regular intervals.

use super::error::RunError;
use super::memory;
use super::panics::{FirstFailure, caught, join};
use super::threads::MOST_THREADS;
use crate::cancel::{Cancel, CancelOnDrop};
use std::io::{Error, ErrorKind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::{thread, time::Duration};

/// The stack of a thread that counts. In a build without optimization every variable has a place of its own, and the
/// largest loop takes 6.2 MiB (two-color with AVX-512, rustc 1.95). Optimized loops take less than 0.1 MiB, and only
/// touched pages take memory.
const STACK_BYTES: usize = 16 << 20;

/// The memory that a thread needs at least, to start and to count.
const THREAD_BYTES: u64 = (STACK_BYTES + (2 << 20)) as u64;

/// The address space that an allocator reserves for each further thread, and keeps.
const ARENA_BYTES: u64 = 64 << 20;

/// Threads that several counts use in turn, so that they are started once: see [`Job::pool`](crate::Job::pool). A count
/// waits until no other count uses them. They end when the last clone of the pool is dropped, and sleep between counts.
/// A count whose observer waits for another count of the same pool waits for ever.
///
/// ```
/// use nqueens::{Board, Job, Pool};
///
/// let pool = Pool::new(2)?;
/// for size in 12..15 {
///     println!("{}", Job::new(Board::new(size)?).pool(&pool).run()?.total);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pool(Arc<Threads>);

#[derive(Debug)]
struct Threads {
    pool: rayon::ThreadPool,
    /// Locked by the thread that uses the pool.
    turn: Mutex<()>,
    /// The number of the thread that does the work of the latest turn, and may take further turns within it. While all
    /// threads count units, this is [`NOBODY`].
    leader: AtomicUsize,
}

/// The number that no thread of a pool has.
const NOBODY: usize = usize::MAX;

/// The time after which a count that waits for a pool asks for it again.
const TURN: Duration = Duration::from_millis(2);

impl Pool {
    /// Starts a number of threads, from 1 to 1024.
    ///
    /// # Errors
    /// When the number is another, the threads cannot be started, or a limit of this process leaves them less memory
    /// than their allocators may keep.
    pub fn new(threads: usize) -> Result<Self, RunError> {
        // A single thread is always tried.
        check_room(threads, threads, if threads > 1 { threads } else { 0 })?;
        Self::for_one_count(threads)
    }

    /// Starts this number of pools with one thread each, for counts at the same time.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), also if there is no room for the threads that wait for these.
    pub fn singles(number: usize) -> Result<Vec<Self>, RunError> {
        check_number(number)?;
        check_room(number, 2 * number, number - 1)?;
        (0..number).map(|_| Self::part_of(number, 1)).collect()
    }

    /// Starts threads that end before allocators could keep what other counts need.
    pub(super) fn for_one_count(threads: usize) -> Result<Self, RunError> {
        Self::part_of(threads, threads)
    }

    /// Starts `threads` of `all` threads. If they do not start, the error is that `all` do not.
    fn part_of(all: usize, threads: usize) -> Result<Self, RunError> {
        check_room(all, threads, 0)?;
        let builder =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|index| format!("count-{index}"));
        let pool = builder.stack_size(STACK_BYTES).build().map_err(|error| RunError::pool(all, error))?;
        Ok(Self(Arc::new(Threads { pool, turn: Mutex::new(()), leader: AtomicUsize::new(NOBODY) })))
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.0.pool.current_num_threads()
    }

    /// Runs `work` on one of the threads, with all of them for what it does in parallel. That thread may count with this
    /// pool. The others, and the observers of its counts, may not.
    ///
    /// # Errors
    /// When `work` panics, or when one of the threads asks that may not.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
        let turn = self.turn(&Cancel::new())?;
        caught(None, || turn.install(work))?
    }

    /// Waits until nobody uses the threads.
    ///
    /// # Errors
    /// When `cancel` is set before, or when one of the threads asks that would wait for itself, for ever.
    pub(super) fn turn(&self, cancel: &Cancel) -> Result<Turn<'_>, RunError> {
        let threads = &*self.0;
        if let Some(thread) = threads.pool.current_thread_index() {
            if threads.leader.load(Ordering::Relaxed) == thread {
                return Ok(Turn { threads, lock: None });
            }
            let reason = "they are busy with the count that asks for them; give another pool, or none";
            return Err(RunError::pool(self.threads(), Error::other(reason)));
        }
        loop {
            let lock = match threads.turn.try_lock() {
                Ok(lock) => lock,
                // A panic leaves nothing half done.
                Err(TryLockError::Poisoned(lock)) => lock.into_inner(),
                Err(TryLockError::WouldBlock) if cancel.wait(TURN) => {
                    return Err(RunError::Cancelled { done: 0, units: 0 });
                }
                Err(TryLockError::WouldBlock) => continue,
            };
            return Ok(Turn { threads, lock: Some(lock) });
        }
    }
}

/// The right to use the threads of a pool.
pub(super) struct Turn<'a> {
    threads: &'a Threads,
    /// `None` if one of the threads has taken the turn, within another one.
    lock: Option<MutexGuard<'a, ()>>,
}

impl Turn<'_> {
    /// Runs `work` on one of the threads, with all of them for what it does in parallel. Within that, `work` may take
    /// turns, which begin at once on threads that are awake: of two threads that are woken, one often waits for the CPU
    /// of the other. A panic of `work` resumes here.
    pub(super) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
        let Threads { pool, leader, .. } = self.threads;
        let lead = || {
            leader.store(pool.current_thread_index().unwrap_or(NOBODY), Ordering::Relaxed);
            work()
        };
        let install = || pool.install(lead);
        if self.lock.is_some() { waiting(install) } else { Ok(install()) }
    }

    /// Runs `first` like [`install`](Self::install) and then, unless it fails, `work` on `threads` of the threads. The
    /// caller's code in `work` cannot take turns.
    pub(super) fn on_each<R: Send>(
        &self,
        threads: usize,
        first: impl FnOnce() -> Result<(), RunError> + Send,
        work: impl Fn() -> R + Sync,
    ) -> Result<Vec<R>, RunError> {
        self.install(|| {
            first()?;
            let leader = self.threads.leader.swap(NOBODY, Ordering::Relaxed);
            let done = rayon::broadcast(|context| (context.index() < threads).then(&work));
            self.threads.leader.store(leader, Ordering::Relaxed);
            Ok(done.into_iter().flatten().collect())
        })?
    }
}

/// Runs `work` in a pool of `threads` threads.
///
/// # Errors
/// Returns an error if the number of threads is out of range, they cannot be started, or one of them panics.
pub fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    Pool::for_one_count(threads)?.install(work)
}

/// Does `work`, which waits for the threads of a pool. A waiting thread of another rayon pool would take other jobs of
/// its own pool, and wait again in these, until its stack is full. Such a thread therefore leaves the waiting to
/// another thread.
fn waiting<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, RunError> {
    if rayon::current_thread_index().is_none() {
        return Ok(work());
    }
    thread::scope(|scope| {
        let waits = thread::Builder::new().spawn_scoped(scope, work).map_err(|error| RunError::pool(1, error))?;
        Ok(join(waits))
    })
}

/// Checks that the limits of this process leave memory for the stacks of `threads` threads, and for what their allocators
/// keep. A started thread that gets no memory would end the process.
fn check_room(threads: usize, stacks: usize, allocators: usize) -> Result<(), RunError> {
    check_number(threads)?;
    if memory::is_within_limits(THREAD_BYTES * stacks as u64 + ARENA_BYTES * allocators as u64) {
        return Ok(());
    }
    Err(RunError::pool(threads, Error::from(ErrorKind::OutOfMemory)))
}

/// Checks that the number of threads is in the allowed range.
pub(super) fn check_number(threads: usize) -> Result<(), RunError> {
    let most = MOST_THREADS;
    if (1..=most).contains(&threads) { Ok(()) } else { Err(RunError::Threads { given: threads, most }) }
}

/// The time between two looks at the clock while something else works.
const LOOK: Duration = Duration::from_millis(10);

/// Runs `work`. Until it is done, another thread calls `look` a hundred times in a second. A panic in `look` sets
/// `stop`, and resumes here when the work has ended.
///
/// # Errors
/// Returns an error if the other thread cannot be started.
pub(crate) fn watched<R>(
    stop: &Cancel,
    mut look: impl FnMut() + Send,
    work: impl FnOnce() -> R,
) -> Result<R, RunError> {
    let over = Cancel::new();
    thread::scope(|scope| {
        let watch = || {
            let failure = FirstFailure::new(stop);
            while !over.wait(LOOK) && failure.call(&mut look).is_some() {}
            failure.check()
        };
        let watch = thread::Builder::new().spawn_scoped(scope, watch).map_err(|error| RunError::pool(1, error))?;
        // The wait ends at once when the work is done or panics.
        let end = CancelOnDrop(over.clone());
        let done = work();
        drop(end);
        join(watch)?;
        Ok(done)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::engine::Engine;
    use crate::run::Job;
    use std::collections::BTreeSet;

    #[test]
    fn a_number_of_threads_that_no_machine_has_is_refused() {
        for number in [0, MOST_THREADS + 1, usize::MAX] {
            let refused = [Pool::new(number).err(), Pool::singles(number).err()];
            assert!(refused.iter().all(|error| matches!(error, Some(RunError::Threads { .. }))), "{refused:?}");
        }
    }

    #[test]
    fn a_panic_is_an_error() {
        let error = on_threads(2, || panic!("on purpose")).unwrap_err();
        assert_eq!(error.to_string(), "a thread panicked: on purpose");
    }

    #[test]
    fn a_count_that_waits_for_a_pool_can_be_cancelled() {
        let (pool, cancel) = (Pool::new(2).unwrap(), Cancel::new());
        let turn = pool.turn(&cancel).unwrap();
        thread::scope(|scope| {
            let waits = scope.spawn(|| matches!(pool.turn(&cancel), Err(RunError::Cancelled { .. })));
            thread::sleep(3 * TURN);
            assert!(!waits.is_finished());
            cancel.cancel();
            assert!(waits.join().unwrap());
        });
        drop(turn);
        let free = pool.turn(&cancel).unwrap();
        assert_eq!(free.on_each(1, || Ok(()), || 5).unwrap(), [5]);
    }

    /// What an observer counts would wait for the other threads, and these perhaps for the observer.
    #[test]
    fn work_in_a_pool_counts_with_it_and_an_observer_cannot() {
        let pool = Pool::new(2).unwrap();
        let job = Job::new(Board::new(12).unwrap()).engine(Engine::TwoColor).pool(&pool);
        let refused = Mutex::new(BTreeSet::new());
        let again = |_: f64| {
            refused.lock().unwrap().insert(job.run().unwrap_err().to_string());
        };
        let count = || [job.run_with(&Cancel::new(), &again).unwrap().total, job.run().unwrap().total];
        let from_outside = count();
        assert_eq!([pool.install(count).unwrap(), from_outside], [[14_200; 2]; 2]);
        let expected =
            "cannot start 2 threads: they are busy with the count that asks for them; give another pool, or none";
        assert_eq!(refused.into_inner().unwrap(), BTreeSet::from([expected.to_owned()]));
    }

    /// Two counts at once would each take the turns of the other, and both fail halfway.
    #[test]
    fn of_the_threads_of_a_pool_only_the_one_that_works_takes_turns() {
        let pool = Pool::new(3).unwrap();
        let is_asked_by_another = || {
            let first = rayon::current_thread_index();
            let ask =
                |other: rayon::BroadcastContext<'_>| Some(other.index()) == first || pool.turn(&Cancel::new()).is_err();
            (rayon::broadcast(ask), pool.turn(&Cancel::new()).is_ok())
        };
        assert_eq!(pool.install(is_asked_by_another).unwrap(), (vec![true; 3], true));
    }

    #[test]
    fn a_count_with_more_threads_than_the_pool_leaves_it_free() {
        let (pool, cancelled, looks) = (Pool::new(2).unwrap(), Cancel::new(), Mutex::new(Vec::new()));
        cancelled.cancel();
        // A turn that would wait is cancelled.
        let look = |_: f64| looks.lock().unwrap().push(pool.turn(&cancelled).is_ok());
        let job = Job::new(Board::new(12).unwrap()).engine(Engine::TwoColor).pool(&pool).threads(3);
        assert_eq!(job.run_with(&Cancel::new(), &look).unwrap().threads, 3);
        let looks = looks.into_inner().unwrap();
        assert!(looks.len() > 1 && looks.iter().all(|&is_free| is_free), "{looks:?}");
    }

    #[test]
    fn a_panic_of_a_look_stops_the_work_and_resumes() {
        let stop = Cancel::new();
        let work = || {
            while !stop.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
        };
        let watch = || watched(&stop, || panic!("on purpose"), work);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(watch)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"on purpose"));
    }
}
