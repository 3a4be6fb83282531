//! The compiled part of the Python package: functions of the library, which the modules in `nqueens_count/` turn into
//! Python's. They have checked the arguments, so that only what the library finds wrong is an exception here, with the
//! library's message. A result is a plain value, or a dictionary with the fields of a dataclass in `nqueens_count/`.
//!
//! Long computations run without the interpreter, in [`watch`]. A panic is always a `RuntimeError`.

// Python's arguments arrive as values.
#![allow(clippy::needless_pass_by_value)]

mod arguments;
mod classic;
mod count;
mod ledger;
mod watch;

use pyo3::prelude::*;

/// The compiled part of the package `nqueens_count`.
#[pymodule]
mod _native {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};
    #[pymodule_export]
    use crate::classic::{
        Solutions, Trace, check, construct, cost, heat_map, is_solution, player_page, setup_in_line, svg, symmetries,
    };
    #[pymodule_export]
    use crate::count::{by_square, count, estimate, fundamental, published, symmetric};
    #[pymodule_export]
    use crate::ledger::{count_in_ledger, merge};
    use nqueens::classic::Method;
    use nqueens::{Board, Engine, Job, Kernel, Shard};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        #[cfg(debug_assertions)]
        pyo3::types::PyAnyMethods::setattr(&**module, "_panic", pyo3::wrap_pyfunction!(crate::watch::_panic, module)?)?;
        module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
        module
            .add("METHODS", Method::ALL.iter().map(|method| (method.name(), method.summary())).collect::<Vec<_>>())?;
        let names = |kernels: Vec<Kernel>| kernels.iter().map(|kernel| kernel.name()).collect::<Vec<_>>();
        let every = Kernel::ALL.iter().rev().copied().filter(|kernel| kernel.is_supported()).collect();
        let engines = Engine::ALL.iter().map(|engine| (engine.name(), engine.kernels()));
        let engines = std::iter::once(("auto", every)).chain(engines).map(|(name, kernels)| (name, names(kernels)));
        module.add("ENGINES", engines.collect::<Vec<_>>())?;
        module.add("MOST_ROWS", Board::MAX_SIZE)?;
        module.add("MOST_SHARDS", Shard::MOST)?;
        module.add("MOST_THREADS", Job::MOST_THREADS)
    }
}
