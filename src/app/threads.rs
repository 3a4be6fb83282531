//! How many threads to count with when none are asked for.

use crate::run::logical_cpus;

/// The logical CPUs that this process may use, and no more than Slurm has given the task.
pub(crate) fn offered() -> usize {
    least(logical_cpus(), std::env::var("SLURM_CPUS_PER_TASK").ok().as_deref())
}

/// Slurm sets its variable to a positive number; anything else did not come from Slurm and is passed over.
fn least(cpus: usize, slurm: Option<&str>) -> usize {
    match slurm.and_then(|text| text.parse().ok()) {
        Some(given @ 1..) => cpus.min(given),
        _ => cpus,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurm_can_take_cpus_away_but_not_add_any() {
        assert_eq!(least(8, None), 8);
        assert_eq!(least(8, Some("3")), 3);
        assert_eq!(least(8, Some("64")), 8);
        for nonsense in ["", "0", "-2", "many"] {
            assert_eq!(least(8, Some(nonsense)), 8, "{nonsense}");
        }
    }
}
