//! How many threads a machine offers.

/// The most threads a count may be given.
pub const MOST_THREADS: usize = 1024;

/// The logical CPUs that this process may use: those of the machine, less what its affinity mask and, on Linux, its
/// control group's quota take away.
pub fn logical_cpus() -> usize {
    num_cpus::get()
}

/// The physical cores of the machine, whether this process may use them or not.
pub fn physical_cores() -> usize {
    num_cpus::get_physical()
}
