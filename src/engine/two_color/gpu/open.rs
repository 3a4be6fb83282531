//! Opens and checks devices, and keeps them open for later counts.

use super::Gpus;
use super::check::{SpotChecks, check_device};
use super::device::{OpenDevice, PANEL};
use super::find;
use super::worker::Gpu;
use crate::cancel::Cancel;
use crate::engine::device::{Device, DeviceSet};
use crate::engine::{PrepareError, StopReason};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

impl Gpus {
    /// Opens the devices that are chosen, and compares counts of each with those of the CPU. What cannot be used is
    /// left out, with a reason. Devices stay open for later counts, until one fails.
    ///
    /// # Errors
    /// When no device can be used, and when `cancel` is set.
    pub(in crate::engine::two_color) fn open(
        chosen: DeviceSet,
        cancel: &Cancel,
    ) -> Result<(Self, Vec<Device>), PrepareError> {
        let (opened, devices) = open(chosen, cancel)?;
        let refusals = devices.iter().filter_map(|device| Some(format!("{device}: {}", device.refusal.as_ref()?)));
        if opened.is_empty() {
            return Err(PrepareError::Gpu { reason: refusals.collect::<Vec<_>>().join("; ") });
        }
        let all = opened.into_iter().map(Gpu::new).collect();
        Ok((Self { all, workers: AtomicUsize::new(0), spot_checks: SpotChecks::default() }, devices))
    }
}

impl Device {
    /// Lists these devices of OpenCL; if the set is empty, all GPUs. Each is opened and checked, which takes seconds: its
    /// kernels are built, and count some units that the CPU counts too.
    ///
    /// # Errors
    /// When there is no driver, no device or none of a number, and when `cancel` is set.
    pub fn chosen(set: DeviceSet, cancel: &Cancel) -> Result<Vec<Self>, PrepareError> {
        Ok(open(set, cancel)?.1)
    }
}

/// Opens and checks these devices; if the set is empty, all GPUs. Returns the open ones, and a description of each with
/// the reason why it is not open.
fn open(set: DeviceSet, cancel: &Cancel) -> Result<(Vec<Arc<OpenDevice>>, Vec<Device>), PrepareError> {
    /// The open devices by the handles of those that were found.
    static OPENED: Mutex<BTreeMap<usize, Arc<OpenDevice>>> = Mutex::new(BTreeMap::new());
    let stop = cancel.clone();
    let open = move || {
        let (mut opened, mut devices): (Vec<Arc<OpenDevice>>, Vec<Device>) = (Vec::new(), Vec::new());
        for found in find::chosen(find::all()?, set)? {
            let known = || OPENED.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = known().get(&found.handle).filter(|device| !device.has_failed.load(Ordering::Relaxed)).cloned();
            let refused = |message| StopReason::Device { message, is_wrong: false };
            let open = |found| OpenDevice::new(found, PANEL).map(Arc::new);
            let device = match kept {
                Some(device) => Ok(device),
                None => open(&found).map_err(refused).and_then(|device| {
                    check_device(&device, &stop)?;
                    known().insert(found.handle, Arc::clone(&device));
                    Ok(device)
                }),
            };
            let refusal = device.as_ref().err().map(ToString::to_string);
            devices.push(Device { refusal, ..found.device });
            opened.extend(device.ok());
        }
        Ok((opened, devices))
    };
    let answer = answered(cancel, open)?;
    // The caller's thread may have been told before the other noticed that the count is cancelled.
    cancel.check()?;
    answer
}

/// Runs a function of a driver, which may take long or hang, in a thread of its own. If `cancel` is set before it is
/// done, nobody waits for it any more.
fn answered<R: Send + 'static>(cancel: &Cancel, work: impl FnOnce() -> R + Send + 'static) -> Result<R, PrepareError> {
    let (done, answer) = mpsc::channel();
    let send = move || drop(done.send(work()));
    let started = thread::Builder::new().name("opencl".to_owned()).stack_size(STACK_BYTES).spawn(send);
    started.map_err(|error| PrepareError::Gpu { reason: format!("no thread can be started: {error}") })?;
    loop {
        match answer.recv_timeout(Duration::from_millis(20)) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => cancel.check()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PrepareError::Gpu { reason: "the thread that opens devices panicked".to_owned() });
            }
        }
    }
}

/// The stack of the thread that opens devices. It counts on the CPU too, which takes much in a build without
/// optimization.
const STACK_BYTES: usize = 16 << 20;
