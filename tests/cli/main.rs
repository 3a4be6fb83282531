//! The tests of the program, which they start, and of the scripts.
#![cfg(feature = "cli")]
#![warn(clippy::disallowed_methods)]

#[path = "../common/chromium.rs"]
mod chromium;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/forge.rs"]
mod forge;
#[path = "../common/fuzz.rs"]
mod fuzz;
#[path = "../common/run.rs"]
mod run;

#[cfg(target_os = "linux")]
mod altered;
mod archive;
#[cfg(target_os = "linux")]
mod attack;
mod bench;
mod browser;
mod commands;
#[cfg(target_os = "linux")]
mod container;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(unix)]
mod files;
mod formats;
#[cfg(target_os = "linux")]
mod gpu;
#[cfg(target_os = "linux")]
mod harness;
#[cfg(unix)]
mod long_counts;
mod methods;
mod programs;
mod readme;
mod recheck;
#[cfg(all(target_os = "linux", feature = "packaging"))]
mod release;
#[cfg(unix)]
mod results;
#[cfg(target_os = "linux")]
mod scarcity;
mod setups;
#[cfg(target_os = "linux")]
mod slurm;
#[cfg(unix)]
mod terminal;
#[cfg(target_os = "linux")]
mod versus;
#[cfg(windows)]
mod windows;
