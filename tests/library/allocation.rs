//! The search allocates no memory. The scratch memory of a thread is allocated before it starts, or kept from an
//! earlier unit.

use nqueens::engine::Engine;
use nqueens::{Board, Cancel};

#[test]
fn counting_units_allocates_nothing() {
    let board = Board::new(11).unwrap();
    let cancel = Cancel::new();
    for engine in Engine::ALL {
        for kernel in engine.kernels() {
            for settings in engine.variants() {
                let settings = nqueens::engine::Settings { kernel: Some(kernel), ..settings };
                let counter = engine.prepare(board, &settings, &cancel).unwrap();
                let mut worker = counter.units.worker().unwrap();
                for unit in 0..counter.plan.units() {
                    worker.count(unit, &cancel).unwrap();
                }
                let allocated = allocation_counter::measure(|| {
                    for unit in 0..counter.plan.units() {
                        worker.count(unit, &cancel).unwrap();
                    }
                });
                assert_eq!(allocated.count_total, 0, "{}, {kernel}, {}", engine.name(), counter.plan.name());
            }
        }
    }
    // This checks that allocations are counted at all.
    assert!(allocation_counter::measure(|| drop(std::hint::black_box(vec![0_u8; 100]))).count_total > 0);
}
