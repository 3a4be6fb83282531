//! The kernel `gpu` as a user meets it, on a device of `OpenCL`, and with a false loader that lets its calls go wrong.

use crate::common::needs::{all_installed, missing};
use crate::common::{self, output_of, wait};
use crate::run::{ended, json, ran};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// True if `OpenCL` has a device.
pub(crate) static ARE_THERE: LazyLock<bool> =
    LazyLock::new(|| common::nqueens().arg("devices").output().unwrap().status.success());

/// Returns a command; `None`, and a report, if `OpenCL` has no device.
fn on_devices(arguments: &str) -> Option<Command> {
    if !*ARE_THERE {
        missing("OpenCL has no device");
        return None;
    }
    let mut command = common::nqueens();
    command.args(arguments.split(' '));
    Some(command)
}

#[test]
fn the_device_is_named_wherever_a_count_is_reported() {
    let Some(mut devices) = on_devices("devices --format json") else { return };
    let devices: Value = serde_json::from_slice(&devices.output().unwrap().stdout).unwrap();
    let device = &devices["rows"][0];
    assert_eq!((device["device"].as_u64(), device["refusal"].as_str()), (Some(0), None), "{devices}");
    let named = [&device["name"], &device["platform"], &device["driver"]].map(|text| text.as_str().unwrap());
    let named = format!("{} ({}, driver {})", named[0], named[1], named[2]);

    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("13.jsonl");
    let count = |options: &[&str]| {
        let mut command = on_devices("count 13 --device 0 --threads 2").expect("there is a device");
        ended(command.args(options).output().unwrap())
    };
    let (code, total, said) = count(&["--ledger", ledger.to_str().unwrap()]);
    assert_eq!((code, &*total), (0, "73712\n"), "{said}");
    assert!(said.contains(&format!(" on 2 threads and {named}; matches")), "{said}");
    let (_, document, _) = count(&["--format", "json", "--ledger", ledger.to_str().unwrap()]);
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["device"], Value::from(&*named), "a finished count is named as well");
    let ledger = ledger.to_str().unwrap();
    let (_, _, said) = ran(&format!("merge {ledger}"));
    assert!(said.contains(&format!(" beside {named}; matches")), "{said}");
    assert_eq!(json(&format!("merge {ledger} --format json"))["device"], Value::from(&*named));
    let row = json(&format!("recheck {ledger} --unit 0 --format json"))["rows"][0].clone();
    assert_eq!(row["recorded_by"], Value::from(format!("two-color, gpu kernel, {named}")));
    let cpu = folder.path().join("12.jsonl");
    let cpu = cpu.to_str().unwrap();
    assert_eq!(ran(&format!("count 12 --engine two-color --quiet --ledger {cpu}")).0, 0);
    let row = json(&format!("recheck {cpu} --unit 0 --device 0 --format json"))["rows"][0].clone();
    assert_eq!(row["recounted_by"], Value::from(format!("two-color, gpu kernel, {named}")));
}

#[test]
fn devices_are_chosen_by_numbers_and_other_commands_know_them() {
    if on_devices("devices").is_none() {
        return;
    }
    let run = |arguments: &str| ended(on_devices(arguments).expect("there is a device").output().unwrap());
    for line in ["count 10 --device *", "table 10 --from 10 --device 0", "estimate 10 --device 0"] {
        let (code, printed, said) = run(line);
        assert!(code == 0 && (printed.contains("724") || printed.contains("two-color")), "{line}: {said}");
        assert!(!said.contains("each on a CPU of its own"), "{line}: {said}");
    }
    for (line, refusal) in [
        ("count 8 --device 9", "error: there is no device 9; the devices are 0: "),
        (
            "count 8 --device 0,no-such",
            "error: invalid value '0,no-such' for '--device <DEVICES>': '0,no-such' is no set of devices; give numbers ",
        ),
        (
            "count 8 --device 0 --kernel portable",
            "error: the argument '--device <DEVICES>' cannot be used with '--kernel <KERNEL>'",
        ),
        (
            "count 8 --device 0 --engine backtrack",
            "error: engine backtrack does not count on GPUs, only two-color does; give --engine two-color, or omit",
        ),
    ] {
        let (code, _, said) = run(line);
        assert!(code == 2 && said.starts_with(refusal) && said.lines().count() == 1, "{line}: {said}");
    }
}

/// The source of the false loader, which lists the functions that the program calls.
const LOADER: &str = include_str!("false_opencl.c");

/// Builds the false loader; `None`, and a report, if that is not possible here.
fn false_loader() -> Option<(TempDir, PathBuf)> {
    on_devices("devices")?;
    if !all_installed(&["cc"]) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = common::shared_library(folder.path(), "false_opencl");
    Some((folder, library))
}

/// Counts with a loader whose calls go wrong. The count is right, or fails in one line; then a CPU finishes its ledger.
/// Returns the exit code, and whether a call went wrong.
fn count_with(library: &Path, wrong: &str) -> (i32, bool) {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("12.jsonl");
    let ledger = ledger.to_str().unwrap();
    let mut command = on_devices("count 12 --device 0 --threads 2 --quiet --ledger").expect("there is a device");
    let mark = folder.path().join("mark");
    command.arg(ledger).env("OPENCL_DYLIB_PATH", library).env("FALSE_OPENCL", wrong).env("FALSE_OPENCL_MARK", &mark);
    let (ended, total, said) = ended(command.output().unwrap());
    match ended {
        0 => assert_eq!((&*total, &*said), ("14200\n", ""), "{wrong}"),
        1 | 2 => {
            assert!(total.is_empty() && said.starts_with("error: ") && said.lines().count() == 1, "{wrong}: {said}");
            assert!(!said.contains("panicked"), "{wrong}: {said}");
        }
        code => panic!("{wrong}: {code:?} {said}"),
    }
    let (code, total, said) = ran(&format!("count 12 --engine two-color --quiet --ledger {ledger}"));
    assert_eq!((code, &*total), (0, "14200\n"), "{wrong}: {said}");
    (ended, mark.exists())
}

/// A driver may take seconds, signals or the whole process, so that nobody's is loaded unless a GPU is asked for.
#[test]
fn a_driver_is_loaded_only_if_a_gpu_is_asked_for() {
    let Some((folder, library)) = false_loader() else { return };
    let mark = folder.path().join("mark");
    let ledger = folder.path().join("14.jsonl");
    let ledger = ledger.to_str().unwrap();
    let command = |line: &str| {
        let mut command = common::nqueens();
        command.args(line.split(' ')).env("OPENCL_DYLIB_PATH", &library).env("FALSE_OPENCL_MARK", &mark);
        command.env("FALSE_OPENCL", "clGetPlatformIDs:1:once").stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    for line in [
        "table 10 --engine two-color",
        &format!("count 12 --engine two-color --ledger {ledger}"),
        &format!("status {ledger}"),
        &format!("merge {ledger}"),
        &format!("recheck {ledger} --unit 0"),
        "estimate 14 --threads 1",
    ] {
        let (code, _, said) = ended(command(line).output().unwrap());
        assert!(code == 0 && !mark.exists(), "{line}: {said}");
    }
    // The first row comes after everything that is tested was found.
    let mut verify = command("verify --threads 1 --format csv").spawn().unwrap();
    let rows = BufReader::new(verify.stdout.take().unwrap()).lines();
    assert_eq!(rows.take(2).count(), 2);
    assert!(!mark.exists(), "verify loads a driver");
    verify.kill().unwrap();
    verify.wait().unwrap();
    assert!(!command("devices").output().unwrap().status.success() && mark.exists(), "the mark is made");
}

#[test]
fn a_device_that_is_lost_is_an_error_in_one_line_and_a_cpu_goes_on() {
    let Some((_folder, library)) = false_loader() else { return };
    for (wrong, expected) in [
        ("clBuildProgram:1:lost", 1),
        ("clCreateBuffer:40:lost", 1),
        // The device was opened, and counts.
        ("clEnqueueReadBuffer:75:lost", 1),
        ("clReleaseEvent:9:once", 0),
    ] {
        assert_eq!(count_with(&library, wrong), (expected, true), "{wrong}");
    }
}

#[test]
#[ignore = "slow"]
fn slow_any_call_of_a_driver_may_fail() {
    let Some((_folder, library)) = false_loader() else { return };
    let functions = LOADER.lines().filter_map(|line| line.strip_prefix("PASS_ON(")?.split_once(','));
    for (function, _) in functions {
        for number in [1, 2, 30, 300] {
            for kind in ["once", "lost"] {
                count_with(&library, &format!("{function}:{number}:{kind}"));
            }
        }
    }
}

/// Sends a signal to a count once a call of the driver hangs, and returns its exit code and what it says.
fn stopped_while_it_hangs(wrong: &str) -> Option<(i32, String)> {
    let (folder, library) = false_loader()?;
    let mut command = on_devices("count 12 --device 0 --threads 2").expect("there is a device");
    let mark = folder.path().join("mark");
    command.env("OPENCL_DYLIB_PATH", &library).env("FALSE_OPENCL", wrong).env("FALSE_OPENCL_MARK", &mark);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait(|| format!("{wrong} hangs"), || mark.exists());
    common::send(&child, Signal::SIGTERM);
    let (code, _, told) = ended(output_of(child));
    Some((code, told))
}

/// A driver that does not answer holds up neither a signal nor its message.
#[test]
fn a_count_is_stopped_even_if_the_driver_hangs() {
    for wrong in ["clBuildProgram:1:hang", "clEnqueueReadBuffer:1:hang"] {
        let Some(told) = stopped_while_it_hangs(wrong) else { return };
        assert_eq!(told, (143, "N = 12: stopped before the first unit\n".to_owned()), "{wrong}");
    }
}

/// If a driver hangs while it counts, the program is ended after some seconds.
#[test]
#[ignore = "slow"]
fn slow_a_count_ends_even_if_the_driver_hangs_for_ever() {
    let Some(told) = stopped_while_it_hangs("clEnqueueReadBuffer:75:hang") else { return };
    assert_eq!(told, (143, String::new()));
}
