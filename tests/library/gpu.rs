//! The kernel `gpu`, on all devices of `OpenCL`. All results are compared with kernels of the CPU, unit by unit.

use crate::needs;
use nqueens::engine::{Counter, Engine, Kernel, PrepareError, Settings};
use nqueens::{Board, Cancel, Device, DeviceSet, Job, Verdict};

/// Returns the plan of a board on the device; `None`, and a report, if `OpenCL` has no device.
fn on_device(size: usize) -> Option<Counter> {
    match prepare(size, Kernel::Gpu) {
        Ok(counter) => Some(counter),
        Err(PrepareError::Gpu { reason }) if !reason.contains("do not trust this device") => {
            needs::missing(&reason);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Returns the numbers of all devices.
fn all() -> Result<DeviceSet, PrepareError> {
    Ok(Device::chosen(DeviceSet::ALL, &Cancel::new())?.iter().map(|device| device.number).into())
}

fn prepare(size: usize, kernel: Kernel) -> Result<Counter, PrepareError> {
    let devices = if kernel == Kernel::Gpu { all()? } else { DeviceSet::default() };
    let settings = Settings { kernel: Some(kernel), devices, ..Settings::default() };
    Engine::TwoColor.prepare(Board::new(size).unwrap(), &settings, &Cancel::new())
}

/// Compares every `step`th unit.
fn compare(size: usize, step: usize) {
    let Some(gpu) = on_device(size) else { return };
    let cpu = prepare(size, Kernel::Portable).unwrap();
    assert_eq!((gpu.kernel, gpu.plan.fingerprint()), (Kernel::Gpu, cpu.plan.fingerprint()));
    let mut workers = [gpu.units.worker().unwrap(), cpu.units.worker().unwrap()];
    for unit in (0..cpu.plan.units()).step_by(step) {
        let [found, expected] = workers.each_mut().map(|worker| worker.count(unit, &Cancel::new()).unwrap());
        assert_eq!(found, expected, "unit {unit} of N = {size}");
    }
}

#[test]
fn a_device_counts_every_unit_of_small_boards() {
    for size in 1..=14 {
        compare(size, 1);
    }
}

#[test]
fn a_device_counts_units_of_larger_boards() {
    // Sets that are their own mirror images have placements from N = 15 on.
    for (size, step) in [(15, 1), (16, 5), (17, 7), (18, 41)] {
        compare(size, step);
    }
}

#[test]
#[ignore = "slow"]
fn slow_a_device_counts_units_of_19_to_22() {
    for (size, step) in [(19, 97), (20, 397), (21, 997), (22, 1499)] {
        compare(size, step);
    }
}

/// Several threads share the tables in the memory of the device, and the CPU makes the second count.
#[test]
fn a_device_counts_whole_boards() {
    for (size, threads) in [(8, 1), (13, 3), (14, 2)] {
        if on_device(size).is_none() {
            return;
        }
        let all = all().unwrap();
        let job = Job::new(Board::new(size).unwrap()).devices(all).threads(threads);
        let count = job.run().unwrap();
        assert_eq!((count.kernel, count.verdict()), (Kernel::Gpu, Verdict::Matches));
        let check = count.double_check(threads, &Cancel::new(), &()).unwrap();
        assert!(check.iter().all(|route| route.kernel != Kernel::Gpu && route.exchanged), "{check:?}");
    }
}

/// A device counts one shard, and a CPU the other.
#[cfg(feature = "ledger")]
#[test]
fn ledgers_of_a_device_and_of_a_cpu_make_up_a_total() {
    use nqueens::Shard;
    use nqueens::ledger::{Run, merge, read};

    if on_device(13).is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let job = Job::new(Board::new(13).unwrap()).engine(Engine::TwoColor).threads(2);
    let all = all().unwrap();
    let ledgers = [(job.clone().devices(all), 0), (job.kernel(Kernel::Portable), 1)].map(|(job, index)| {
        let path = dir.path().join(format!("{index}.jsonl"));
        let run = Run::open(&job, &path, Shard::new(index, 2).unwrap(), &Cancel::new()).unwrap();
        run.count(&Cancel::new(), &()).unwrap();
        read(&path).unwrap()
    });
    assert_eq!(merge(&ledgers).unwrap().total, 73_712);
    assert_eq!(ledgers.map(|ledger| ledger.runs[0].kernel.clone()), ["gpu", "portable"]);
}

#[test]
fn what_is_cancelled_is_not_counted() {
    let Some(gpu) = on_device(14) else { return };
    let cancel = Cancel::new();
    cancel.cancel();
    assert!((0..gpu.plan.units()).all(|unit| gpu.units.worker().unwrap().count(unit, &cancel).is_err()));
}
