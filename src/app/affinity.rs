//! CPUs, and threads that are pinned to them.

use core_affinity::{CoreId, get_core_ids, set_for_current};
use nqueens::machine::on_threads;
use nqueens::{Pool, RunError};

/// Returns the numbers of the CPUs that this process may use; none if the system cannot pin a thread to a CPU.
pub(crate) fn cpus() -> Vec<usize> {
    // macOS takes a number for a hint only.
    let cpus = if cfg!(target_os = "macos") { None } else { get_core_ids() };
    cpus.into_iter().flatten().map(|cpu| cpu.id).collect()
}

/// Pins the calling thread and those of a pool to a CPU. Returns false if the system does not allow it.
pub(crate) fn pin(pool: &Pool, cpu: usize) -> Result<bool, RunError> {
    let pin = || set_for_current(CoreId { id: cpu });
    Ok(pool.install(pin)? && pin())
}

/// Calls `work` for each of several [pools of one thread](Pool::singles) at once, with its number.
pub(crate) fn on_each<R: Send>(pools: &[Pool], work: impl Fn(usize, &Pool) -> R + Sync) -> Result<Vec<R>, RunError> {
    on_threads(pools.len(), || rayon::broadcast(|thread| work(thread.index(), &pools[thread.index()])))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_and_its_pool_may_use_one_cpu_only() {
        let (all, last) = (cpus(), cpus().last().copied().unwrap());
        let seen = on_each(&Pool::singles(2).unwrap(), |thread, pool| {
            let pinned = thread == 0 && pin(pool, last).unwrap();
            (pinned, cpus(), pool.install(cpus).unwrap())
        });
        let only = vec![last];
        assert_eq!(seen.unwrap(), [(true, only.clone(), only), (false, all.clone(), all.clone())]);
        assert_eq!(cpus(), all, "the caller is as before");
    }

    #[test]
    fn a_cpu_that_is_not_there_is_refused() {
        assert_eq!(on_each(&Pool::singles(1).unwrap(), |_, pool| pin(pool, 1023).unwrap()).unwrap(), [false]);
    }
}
