//! Finds the devices of OpenCL, and chooses among them.

use crate::engine::PrepareError;
use crate::engine::device::{Device, DeviceSet};
use opencl3::device::{self as opencl, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_GPU};
use opencl3::error_codes::{ClError, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::platform::get_platforms;
use std::sync::{Mutex, PoisonError};

/// A device that OpenCL has listed.
#[derive(Debug)]
pub(super) struct Found {
    /// The handle by which OpenCL knows the device while this process lives.
    pub(super) handle: usize,
    pub(super) device: Device,
}

fn no_gpu(reason: impl Into<String>) -> PrepareError {
    PrepareError::Gpu { reason: reason.into() }
}

/// Lists all devices of all platforms.
///
/// # Errors
/// The error says why there are none, and what would be right.
pub(super) fn all() -> Result<Vec<Found>, PrepareError> {
    // PoCL 3.1 shows no devices to a thread that asks while another thread is the first to ask.
    static ASKING: Mutex<()> = Mutex::new(());
    let _asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    // With glibc, a loader that a static program opens can crash it.
    if cfg!(all(target_os = "linux", target_feature = "crt-static")) {
        return Err(no_gpu(
            "this program is static and cannot load a driver; take one that is not, or build it with \
             `cargo install`",
        ));
    }
    let platforms = get_platforms().map_err(|error| match error {
        ClError(DLOPEN_RUNTIME_LOAD_FAILED) => no_gpu(
            "there is no OpenCL loader (libOpenCL); install the GPU's driver with its OpenCL part, and on Debian the \
             package ocl-icd-libopencl1",
        ),
        error => no_gpu(format!("OpenCL finds no driver ({error}); install the GPU's driver with its OpenCL part")),
    })?;
    let mut found: Vec<Found> = Vec::new();
    for platform in platforms {
        for id in platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default() {
            let device = opencl::Device::new(id);
            let told = |text: Result<String, ClError>| text.as_deref().unwrap_or("unknown").trim().to_owned();
            let is_gpu = device.dev_type().is_ok_and(|kind| kind & CL_DEVICE_TYPE_GPU != 0);
            let device = Device {
                number: found.len(),
                name: told(device.name()),
                platform: told(platform.name()),
                driver: told(device.driver_version()),
                memory: device.global_mem_size().unwrap_or(0),
                is_default: is_gpu,
                refusal: None,
            };
            found.push(Found { handle: id as usize, device });
        }
    }
    if found.is_empty() { Err(no_gpu(format!("OpenCL finds no device; {FORBIDDEN}"))) } else { Ok(found) }
}

/// What keeps a user's program from a GPU that is there.
const FORBIDDEN: &str = "on Linux, a user often needs the group video or render";

/// Returns the devices of the set; if it is empty, all GPUs.
///
/// # Errors
/// The error says what was chosen that is not there, or that there is no GPU.
pub(super) fn chosen(found: Vec<Found>, set: DeviceSet) -> Result<Vec<Found>, PrepareError> {
    let listed = listed(&found);
    let missing = (found.len()..64).find(|&number| set.has(number));
    if let Some(missing) = missing.filter(|_| set != DeviceSet::ALL) {
        return Err(PrepareError::NoSuchDevice { reason: format!("there is no device {missing}; {listed}") });
    }
    let all_gpus = set == DeviceSet::default();
    let is_chosen = |device: &Device| if all_gpus { device.is_default } else { set.has(device.number) };
    let chosen: Vec<Found> = found.into_iter().filter(|found| is_chosen(&found.device)).collect();
    if chosen.is_empty() {
        return Err(no_gpu(format!(
            "OpenCL finds no GPU ({FORBIDDEN}), and devices of other kinds count only if they are named; {listed}"
        )));
    }
    Ok(chosen)
}

/// Lists the devices for a message.
fn listed(found: &[Found]) -> String {
    let devices = found.iter().map(|found| format!("{}: {}", found.device.number, found.device));
    format!("the devices are {}", devices.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(number: usize, name: &str, is_default: bool) -> Found {
        let device = Device { is_default, ..Device::example(number, name, 0) };
        Found { handle: number, device }
    }

    fn three() -> Vec<Found> {
        vec![found(0, "NVIDIA H200", true), found(1, "NVIDIA H200", true), found(2, "pthread-AMD EPYC", false)]
    }

    #[test]
    fn a_set_chooses_and_what_is_not_there_is_refused() {
        let numbers = |found: Vec<Found>| found.iter().map(|found| found.device.number).collect::<Vec<_>>();
        assert_eq!(chosen(three(), [1, 2].into()).map(numbers), Ok(vec![1, 2]));
        assert_eq!(chosen(three(), DeviceSet::default()).map(numbers), Ok(vec![0, 1]), "all GPUs");
        assert_eq!(chosen(three(), DeviceSet::ALL).map(numbers), Ok(vec![0, 1, 2]));
        let refused = chosen(vec![found(0, "pthread", false)], DeviceSet::default()).unwrap_err().to_string();
        assert!(refused.contains("OpenCL finds no GPU") && refused.contains("0: pthread (P"), "{refused}");
        let refused = chosen(three(), [1, 5].into()).unwrap_err().to_string();
        let refused_too = chosen(three(), [70].into()).unwrap_err().to_string();
        assert!(refused_too.starts_with("there is no device 63; "), "{refused_too}");
        assert!(refused.starts_with("there is no device 5; the devices are 0: NVIDIA H200"), "{refused}");
    }
}
