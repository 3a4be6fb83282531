//! Runs the programs in `examples/`.

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
