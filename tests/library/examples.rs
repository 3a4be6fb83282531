//! Runs the programs in `examples/`.

use crate::fake_engine::FakeEngine;
use nqueens::{Board, Job};
use std::ffi::CStr;

#[allow(unreachable_pub, reason = "C calls it")]
#[path = "../../c/src/lib.rs"]
mod c;
#[path = "../../examples/cancel.rs"]
mod cancel;
#[path = "../../examples/count.rs"]
mod count;
#[cfg(feature = "ledger")]
#[path = "../../examples/ledger.rs"]
mod ledger;

#[test]
fn examples_do_what_they_say() {
    count::main().unwrap();
    cancel::main().unwrap();
    #[cfg(feature = "ledger")]
    ledger::main().unwrap();
}

#[test]
fn the_library_for_c_gives_a_wrong_total_a_code_of_its_own() {
    // The sum of 50 units is divided by 3.
    let wrong = Job::new(Board::new(8).unwrap()).counted_by(FakeEngine::counting(Vec::new(), 0, |_| 6));
    let (code, outcome) = c::outcome(c::run(&wrong, &c::Signals::default()));
    let texts = [&outcome.total[..], &outcome.error[..]].map(|text| CStr::from_bytes_until_nul(text).unwrap());
    assert_eq!((code, texts), (3, [c"100", c"the total count for N = 8 came out as 100, but 92 is published"]));
}

#[test]
fn the_share_that_the_library_for_c_tells_never_falls() {
    let signals = c::Signals::default();
    let told = [0.5, 1.0, 0.75].map(|share| {
        signals.raise_share(share);
        signals.share()
    });
    assert_eq!(told.map(f64::to_bits), [0.5, 1.0, 1.0_f64].map(f64::to_bits));
}
