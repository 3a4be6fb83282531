//! The tests of the library. Tests of the time until a count stops are in `tests/stopping.rs`, a process of their own.

#[path = "../common/fake_engine.rs"]
mod fake_engine;
#[cfg(feature = "ledger")]
#[path = "../common/forge.rs"]
mod forge;
#[path = "../common/fuzz.rs"]
mod fuzz;
#[path = "../common/keeper.rs"]
mod keeper;
#[path = "../common/needs.rs"]
mod needs;

mod allocation;
mod conventions;
mod counting;
#[cfg(feature = "ledger")]
mod damage;
mod examples;
#[cfg(feature = "gpu")]
mod gpu;
mod ladder;
#[cfg(feature = "ledger")]
mod ledger;
mod outside;
mod published;
mod sampling;
mod setups;
