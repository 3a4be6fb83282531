//! The engines by name, and what each of them can count.

use super::kernel::Kernel;
use crate::board::Board;
use crate::names::named;

/// An engine: a way of counting the solutions of a board.
///
/// `Display` and `FromStr` use the [name](Self::name) that the command line has for it.
///
/// ```
/// use nqueens::{Board, Engine, Job};
///
/// let engine: Engine = "backtrack".parse()?;
/// let count = Job::new(Board::new(12)?).engine(engine).run()?;
/// assert_eq!((count.total, count.engine), (14_200, Engine::Backtrack));
/// assert_eq!(Engine::TwoColor.largest_board(), 28);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// Backtracking with bit masks, many placements at a time. This engine begins to count every board, but boards
    /// above N = 24 take years, and each further row ten times as long.
    Backtrack,
    /// Multiplies numbers of placements on white and on black squares, without enumerating the solutions.
    TwoColor,
}

impl Engine {
    /// All engines. An engine added here is known to every command.
    pub const ALL: &[Engine] = &[Engine::Backtrack, Engine::TwoColor];

    /// Returns the name: `backtrack` or `two-color`.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Backtrack => "backtrack",
            Engine::TwoColor => "two-color",
        }
    }

    /// Returns the kernels of the engine that this CPU can execute, best first. There is at least one on every CPU.
    pub fn kernels(self) -> Vec<Kernel> {
        let has = |kernel| match self {
            Engine::Backtrack => true,
            Engine::TwoColor => kernel != Kernel::Scalar,
        };
        Kernel::ALL.iter().rev().copied().filter(|&kernel| has(kernel) && kernel.is_supported()).collect()
    }

    /// Returns the size of the largest board that the engine can count.
    pub fn largest_board(self) -> usize {
        match self {
            Engine::Backtrack => Board::MAX_SIZE,
            Engine::TwoColor => 28,
        }
    }
}

named!(Engine, "engine");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_a_name_that_is_parsed_and_kernels_of_this_cpu() {
        for (index, &engine) in Engine::ALL.iter().enumerate() {
            assert!(Engine::ALL[..index].iter().all(|earlier| earlier.name() != engine.name()));
            assert_eq!(engine.to_string().parse(), Ok(engine));
            let kernels = engine.kernels();
            assert!(kernels.is_sorted_by(|&one, &next| one as u8 > next as u8), "best first");
            assert!(!kernels.is_empty() && kernels.iter().all(|kernel| kernel.is_supported()));
        }
        assert!("abacus".parse::<Engine>().is_err());
        assert!(Engine::TwoColor.choose_kernel(Some(Kernel::Scalar)).is_err(), "this CPU has it, but not the engine");
    }
}
