//! Totals from the whole library, with several numbers of threads and every split, compared with the published counts
//! and with solutions listed one by one.

use crate::needs;
use nqueens::Shard;
use nqueens::engine::{Engine, Kernel, PrepareError, Settings};
use nqueens::{Board, Cancel, Job, Verdict, published};

fn board(size: usize) -> Board {
    Board::new(size).unwrap()
}

fn total(engine: Engine, size: usize, threads: usize, settings: Settings) -> u128 {
    let count = Job::new(board(size)).engine(engine).threads(threads).settings(settings).run().unwrap();
    assert_eq!(count.verdict(), Verdict::Matches, "N = {size}: {count:?}");
    count.total
}

/// The tests go through the kernels that the engines have on this CPU. This test names them, and the kernels left out.
#[test]
fn every_kernel_of_this_cpu_is_tested() {
    let (tested, untested): (Vec<Kernel>, Vec<Kernel>) = Kernel::ALL.iter().partition(|kernel| kernel.is_supported());
    for kernel in &tested {
        assert!(Engine::ALL.iter().any(|engine| engine.kernels().contains(kernel)), "no engine has kernel {kernel}");
    }
    for engine in Engine::ALL {
        let kernels = engine.kernels();
        assert!(kernels.iter().all(|kernel| tested.contains(kernel)), "{}: {kernels:?}", engine.name());
        needs::say(&format!("kernels tested on this CPU, {}: {}", engine.name(), names(&kernels)));
    }
    let untested = if untested.is_empty() { "none".to_owned() } else { names(&untested) };
    needs::say(&format!("kernels not tested, because this CPU cannot run them: {untested}"));
}

fn names(kernels: &[Kernel]) -> String {
    kernels.iter().map(|kernel| kernel.name()).collect::<Vec<_>>().join(", ")
}

/// With more threads than units, too, each unit is counted once.
#[test]
fn totals_match_for_every_kernel_and_kind_of_plan() {
    for &engine in Engine::ALL {
        for kernel in engine.kernels() {
            for settings in engine.variants() {
                for size in 1..=13 {
                    let settings = Settings { kernel: Some(kernel), ..settings };
                    total(engine, size, [1, 2, 7, 40][size % 4], settings);
                }
            }
        }
    }
}

/// The partial counts are the same in any order, are multiples of the units' factors, and add up to the total. The
/// weight thus reveals some wrong counts that no checksum of a ledger can show.
///
/// Miri looks for undefined behaviour. Without special instructions only the backtracker's vectors can have any, and
/// Miri takes minutes for a moment's work.
#[test]
fn units_of_small_boards_add_up_on_every_kernel() {
    let (engines, largest) = if cfg!(miri) { (&[Engine::Backtrack][..], 6) } else { (Engine::ALL, 10) };
    for (engine, size) in engines.iter().flat_map(|&engine| (1..=largest).map(move |size| (engine, size))) {
        for (kernel, variant) in
            engine.kernels().into_iter().flat_map(|k| engine.variants().into_iter().map(move |v| (k, v)))
        {
            let settings = Settings { kernel: Some(kernel), ..variant };
            let counter = engine.prepare(board(size), &settings, &Cancel::new()).unwrap();
            let plan = &counter.plan;
            let name = format!("N = {size}, {}, {kernel}, {}", engine.name(), plan.name());
            let mut worker = counter.units.worker().unwrap();
            let forwards: Vec<_> = (0..plan.units()).map(|unit| worker.count(unit, &Cancel::new()).unwrap()).collect();
            let mut worker = counter.units.worker().unwrap();
            for (unit, &partial) in forwards.iter().enumerate().rev() {
                assert_eq!(worker.count(unit, &Cancel::new()), Ok(partial), "{name}, unit {unit}");
                let factor = plan.factor(unit);
                let has_one = size == 1 || (engine.name(), size % 2) == ("two-color", 1);
                assert!(has_one || factor > 1, "{name}, unit {unit}");
                assert!(partial.is_multiple_of(factor.into()), "{name}, unit {unit}: {partial}");
            }
            let expected = published::total(board(size)).unwrap() * u128::from(plan.divisor());
            assert_eq!(forwards.into_iter().sum::<u128>(), expected, "{name}");
        }
    }
}

#[test]
fn the_two_color_engine_counts_14_to_18() {
    for (kernel, size) in
        Engine::TwoColor.kernels().into_iter().flat_map(|kernel| [14, 15, 16].map(|size| (kernel, size)))
    {
        total(Engine::TwoColor, size, 2, Settings { kernel: Some(kernel), ..Settings::default() });
    }
    for size in [17, 18] {
        total(Engine::TwoColor, size, 2, Settings::default());
    }
}

#[test]
#[ignore = "slow"]
fn slow_totals_of_16_and_17_match_for_every_kind_of_plan() {
    for &engine in Engine::ALL {
        for settings in engine.variants() {
            total(engine, 16, 2, settings);
        }
        total(engine, 17, 7, Settings::default());
    }
}

#[test]
#[ignore = "slow"]
fn slow_the_two_color_engine_counts_18_19_and_20() {
    for kernel in Engine::TwoColor.kernels() {
        for size in [18, 19, 20] {
            total(Engine::TwoColor, size, 2, Settings { kernel: Some(kernel), ..Settings::default() });
        }
    }
}

/// All kernels return the same partial count for every unit, not only the same total.
#[test]
fn kernels_agree_on_every_unit() {
    let cancel = Cancel::new();
    for (&engine, size) in Engine::ALL.iter().flat_map(|engine| (1..=14).chain([16]).map(move |size| (engine, size))) {
        // At N = 16 only some of the units are counted.
        let variants = engine.variants().into_iter().filter(|settings| size < 15 || settings.split_rows != Some(1));
        for settings in variants {
            let partials = |kernel| {
                let settings = Settings { kernel: Some(kernel), ..settings };
                let counter = engine.prepare(board(size), &settings, &cancel).unwrap();
                let mut worker = counter.units.worker().unwrap();
                let units = counter.plan.units();
                let some = (0..units).step_by(if size < 13 { 1 } else { 1 + units / 10 });
                some.map(|unit| worker.count(unit, &cancel).unwrap()).collect::<Vec<u128>>()
            };
            let kernels = engine.kernels();
            let expected = (kernels.len() > 1).then(|| partials(kernels[0]));
            for &kernel in &kernels[1..] {
                assert_eq!(Some(partials(kernel)), expected, "N = {size}, {}, {kernel}", engine.name());
            }
        }
    }
}

/// A count of thousands of years is begun only if its engine is named; `src/engine/choice.rs` tests other jobs.
#[cfg(feature = "ledger")]
#[test]
fn a_ledger_names_an_engine_and_a_shard_does_not() {
    use nqueens::ledger::Run;
    let folder = tempfile::tempdir().unwrap();
    let (path, cancel) = (folder.path().join("30.jsonl"), Cancel::new());
    let job = Job::new(board(30));
    for shard in [Shard::WHOLE, Shard::new(3, 64).unwrap()] {
        let refused = Run::open(&job, &path, shard, &cancel).unwrap_err().to_string();
        assert!(refused.starts_with("N = 30 takes years"), "{refused}");
        assert!(!path.exists(), "nothing is left");
    }
    drop(Run::open(&job.clone().engine(Engine::Backtrack), &path, Shard::WHOLE, &cancel).unwrap());
    drop(Run::open(&job, &path, Shard::WHOLE, &cancel).unwrap());
}

/// Returns the partial counts of every `step`-th unit, starting with `first`.
fn partials(engine: Engine, size: usize, settings: Settings, (first, step): (usize, usize)) -> Vec<u128> {
    let counter = engine.prepare(board(size), &settings, &Cancel::new()).unwrap();
    let mut worker = counter.units.worker().unwrap();
    let units = (first..counter.plan.units()).step_by(step);
    units.map(|unit| worker.count(unit, &Cancel::new()).unwrap()).collect()
}

/// Checks that each partial count stays the same if build side and probe side are exchanged, with any kernel.
fn sides_can_be_exchanged(size: usize, units: (usize, usize)) {
    let expected = partials(Engine::TwoColor, size, Settings::default(), units);
    for kernel in Engine::TwoColor.kernels() {
        let settings = Settings { kernel: Some(kernel), exchanged: true, ..Settings::default() };
        assert_eq!(partials(Engine::TwoColor, size, settings, units), expected, "N = {size}, {kernel}");
    }
}

#[test]
fn exchanged_sides_change_no_unit() {
    for size in 1..=14 {
        sides_can_be_exchanged(size, (0, 1));
    }
    for size in 15..=18 {
        sides_can_be_exchanged(size, (3, 29));
    }
}

#[test]
#[ignore = "slow"]
fn slow_exchanged_sides_change_no_unit_of_larger_boards() {
    for size in 15..=17 {
        sides_can_be_exchanged(size, (0, 1));
    }
    for size in [19, 20] {
        sides_can_be_exchanged(size, (5, 37));
    }
    // A unit of these takes up to a minute.
    for (size, step) in [(23, 2000), (24, 8000)] {
        sides_can_be_exchanged(size, (0, step));
    }
}

#[test]
fn the_backtracker_has_no_second_route() {
    let settings = Settings { exchanged: true, ..Settings::default() };
    let error = Engine::Backtrack.prepare(board(8), &settings, &Cancel::new()).err().unwrap();
    assert_eq!(error, PrepareError::Setting { engine: Engine::Backtrack, lack: "has no second route" });
}

/// The settings that an engine returns for the name of a plan lead to that plan, with any kernel.
#[test]
fn a_plan_is_made_again_by_its_name() {
    for &engine in Engine::ALL {
        for (size, variant) in (1..=12).flat_map(|size| engine.variants().into_iter().map(move |v| (size, v))) {
            let plan = |settings| engine.prepare(board(size), &settings, &Cancel::new()).unwrap().plan;
            let first = plan(variant);
            let settings = engine.settings_of_plan(first.name()).unwrap();
            for kernel in engine.kernels() {
                assert_eq!(plan(Settings { kernel: Some(kernel), ..settings }), first, "N = {size}, {kernel}");
            }
        }
        assert_eq!(engine.settings_of_plan("by hand"), None);
    }
}

/// Plans: their fingerprints, the expected work of their units, and the units of each shard. Ledgers are identified by
/// fingerprints. If one changes, the units have changed: rename the plan, or restore its units. A change of the work
/// alone does no harm to ledgers, but it must be intended.
#[test]
fn plans_work_and_shards_are_what_they_were() {
    let hash = |numbers: &mut dyn Iterator<Item = u64>| {
        numbers.fold(0xCBF2_9CE4_8422_2325, |hash, number| {
            number
                .to_le_bytes()
                .iter()
                .fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
        })
    };
    let mut found = Vec::new();
    for (engine, split_rows, sizes) in [
        (Engine::TwoColor, None, &[8, 12, 13, 17, 21, 22, 23, 24, 25, 26, 27, 28][..]),
        (Engine::Backtrack, Some(1), &[9]),
        (Engine::Backtrack, Some(2), &[9, 17]),
        (Engine::Backtrack, Some(3), &[9, 22, 24, 28]),
    ] {
        for &size in sizes {
            let settings = Settings { split_rows, ..Settings::default() };
            let counter = engine.prepare(board(size), &settings, &Cancel::new()).unwrap();
            let plan = &counter.plan;
            let work = hash(&mut (0..plan.units()).map(|unit| plan.work(unit)));
            let shards = [(0, 64), (63, 64), (999, 1000)].map(|(index, count)| {
                let mut units = Shard::new(index, count).unwrap().units(plan);
                // Nearly longest first.
                assert!(units.is_sorted_by(|&unit, &next| 4 * plan.work(next) < 5 * plan.work(unit)));
                units.sort_unstable();
                hash(&mut units.into_iter().map(|unit| unit as u64)) as u16
            });
            let (name, units, print) = (plan.name(), plan.units(), plan.fingerprint());
            found.push(format!("{size} {name} {units} {print:016x} {work:016x} {shards:04x?}"));
        }
    }
    assert_eq!(
        found,
        [
            "8 row-sets-3 5 0361ba17e0eb1b67 6e4d22aea4ec0ee4 [39c5, 2325, 2325]",
            "12 row-sets-3 18 9ba3699cbea56743 7f5bc98e9b68cda5 [39c5, 2325, 2325]",
            "13 row-sets-3 54 21b4dea5e61a6ae4 c8c53b2e84b94c81 [39c5, 2325, 2325]",
            "17 row-sets-3 212 fa7c06139d32a63e 223b07e85f9ff8bf [0625, 53ba, 2325]",
            "21 row-sets-3 3454 6accdfe5eb1339b8 4495bdb0660ed0e8 [7dc5, 7f51, b08f]",
            "22 row-sets-3 4601 d07b7ffe548bfc44 3cb847771969362e [c565, 3da5, ace5]",
            "23 row-sets-3 10072 9d27d2ec94c9ab8a 1b9f95b151613ff7 [6945, fc4b, 6ae5]",
            "24 row-sets-3 16055 04a7cb4c4e6a9186 e28ba9c0d05e9d82 [e0bb, cea1, 1285]",
            "25 row-sets-3 19779 3f9255e5bb6cc92b a2480cb7ebb6b756 [2945, 6511, 54b4]",
            "26 row-sets-3 20924 76d357573a5a878a 77b24148dffa87ae [399a, 5865, 96c5]",
            "27 row-sets-3 70830 6f409290c916b75d c77325c5bc9ca992 [3310, 6fcd, 0440]",
            "28 row-sets-3 131965 d0f7b7fcab344e6e b7a01100ecf3a7c0 [6db1, 7a9d, efcf]",
            "9 mirror-1 7 435fcf94a762d864 d3adc97772dc8c87 [39c5, 2325, 2325]",
            "9 mirror-2 28 b2b95795e47a6657 34be3b82aafb15cb [39c5, 2325, 2325]",
            "17 mirror-2 120 f2b3998e0651fe3f 8476d85a889e677d [dc25, 0a5a, 2325]",
            "9 mirror-3 117 f7b3db70eb664494 9d4ced8ad9cfe4af [dc25, 0a5a, 2325]",
            "22 mirror-3 3458 267dbd891de6d267 1e2a8d472d164f6e [62c6, 385d, b08f]",
            "24 mirror-3 4662 393afebd17c09cfc acba9902f2cd8b03 [d09f, ed25, ace5]",
            "28 mirror-3 7850 014e0d96f192e514 5ff70bc7008dcf32 [5c9b, 3f61, e81f]",
        ]
    );
}
