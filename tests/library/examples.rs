//! Runs the programs in `examples/`.

use crate::fake_engine::FakeEngine;
use nqueens::{Board, Job};

#[allow(unreachable_pub, reason = "C calls it")]
#[path = "../../examples/c/src/lib.rs"]
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
    for stops in [None, Some(|_| false)] {
        let (code, text) = c::answer(|| c::count(&wrong, stops));
        assert_eq!((code, &*text), (3, "the total count for N = 8 came out as 100, but 92 is published"));
    }
}
