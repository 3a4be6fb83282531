//! The search allocates no memory. The scratch memory of a thread is allocated before it starts, or kept from an
//! earlier unit; the two-color engine makes short lists of row sets besides.

use nqueens::engine::ENGINES;
use nqueens::{Board, Cancel, Engine};

#[test]
fn counting_units_allocates_no_tables() {
    let board = Board::new(11).unwrap();
    let cancel = Cancel::new();
    for engine in ENGINES {
        for kernel in engine.kernels() {
            for settings in engine.variants() {
                let settings = nqueens::engine::Settings { kernel: Some(kernel), ..settings };
                let counter = engine.prepare(board, &settings, &cancel).unwrap();
                let mut worker = counter.worker();
                for unit in 0..counter.plan().units() {
                    worker.count(unit, &cancel).unwrap();
                }
                let allocated = allocation_counter::measure(|| {
                    for unit in 0..counter.plan().units() {
                        worker.count(unit, &cancel).unwrap();
                    }
                });
                let most = if engine.engine() == Engine::TwoColor { 2 << 10 } else { 0 };
                let bytes = allocated.bytes_max;
                assert!(bytes <= most, "{}, {kernel}, {}: {bytes} bytes", engine.name(), counter.plan().name());
            }
        }
    }
    // Check that allocations are counted at all.
    assert!(allocation_counter::measure(|| drop(std::hint::black_box(vec![0_u8; 100]))).count_total > 0);
}
