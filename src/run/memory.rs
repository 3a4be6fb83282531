//! The memory that a count may take.

use super::RunError;
use crate::engine::Counter;
use sysinfo::System;

/// Whether there is memory for so many workers.
pub(super) fn suffices(counter: &dyn Counter, threads: usize) -> Result<(), RunError> {
    let needed = counter.scratch_bytes().saturating_mul(threads as u64);
    match available().filter(|&available| needed > available) {
        None => Ok(()),
        Some(available) => Err(RunError::Memory { board: counter.plan().board(), threads, needed, available }),
    }
}

/// The bytes of memory that are free for this process to take: of the machine, or of the control group it runs in.
/// `None` where the system does not say.
pub(super) fn available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let of_machine = system.available_memory();
    // What the group has for files is given up when memory is short: only its processes' own counts.
    let of_group = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    Some(of_group.map_or(of_machine, |of_group| of_machine.min(of_group))).filter(|&available| available > 0)
}
