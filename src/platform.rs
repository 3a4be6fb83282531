//! What WebAssembly lacks.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;

/// False where no thread can be started: in WebAssembly, unless its system is a WASI with threads.
pub(crate) const HAS_THREADS: bool =
    !cfg!(target_family = "wasm") || cfg!(all(target_os = "wasi", target_feature = "atomics"));

/// The clock where there is none, as in a browser's bare target `wasm32-unknown-unknown`. The clock of the standard
/// library panics there; by this one, no time passes.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant(std::time::Duration);

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
impl Instant {
    pub(crate) fn now() -> Self {
        Self(std::time::Duration::ZERO)
    }

    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.0
    }
}
