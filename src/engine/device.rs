//! Devices that are not the CPU: what OpenCL says of them, and the choice of some by their numbers.

use crate::names::InputError;
use std::fmt;
use std::str::FromStr;

/// A device that OpenCL offers, usually a GPU.
///
/// `Display` writes its name, its platform and its driver.
///
#[cfg_attr(feature = "gpu", doc = "```no_run")]
#[cfg_attr(not(feature = "gpu"), doc = "```ignore")]
/// use nqueens::{Board, Cancel, Device, DeviceSet, Job};
///
/// let cancel = Cancel::new();
/// for device in Device::chosen(DeviceSet::ALL, &cancel)? {
///     println!("{}: {device}, {}", device.number, device.refusal.as_deref().unwrap_or("can count"));
/// }
/// let count = Job::new(Board::new(20)?).devices([0]).run()?;
/// println!("{} by {:?}", count.total, count.device);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// The number, from 0, in the order in which OpenCL lists platforms and their devices. Drivers that come or go
    /// change it.
    pub number: usize,
    /// The name.
    pub name: String,
    /// The name of the platform, which is the maker's implementation of OpenCL.
    pub platform: String,
    /// The version of the driver.
    pub driver: String,
    /// The size of the device's memory, in bytes; 0 if the driver does not tell it.
    pub memory: u64,
    /// True if the device counts when no other is asked for: it is a GPU.
    pub is_default: bool,
    /// The reason why the device cannot count; `None` if it can, or was not tried.
    pub refusal: Option<String>,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, driver {})", self.name, self.platform, self.driver)
    }
}

impl Device {
    /// Returns true if nothing is known that keeps the device from counting.
    pub(crate) fn can_count(&self) -> bool {
        self.refusal.is_none()
    }

    /// Names the devices to which `threads` threads give commands in turn, neighbours of one kind together: `2 × NVIDIA
    /// H200 (NVIDIA CUDA, driver 550.54)`. `None` if only the CPU counts.
    pub fn in_words(devices: &[Self], threads: usize) -> Option<String> {
        let used = devices.iter().filter(|device| device.can_count()).take(threads);
        let used: Vec<String> = used.map(ToString::to_string).collect();
        let kinds = used.chunk_by(String::eq);
        let words =
            kinds.map(|kind| if kind.len() > 1 { format!("{} × {}", kind.len(), kind[0]) } else { kind[0].clone() });
        (!used.is_empty()).then(|| words.collect::<Vec<_>>().join("; "))
    }

    /// Returns a device of this name, for tests.
    #[cfg(test)]
    pub(crate) fn example(number: usize, name: &str, memory: u64) -> Self {
        let [name, platform, driver] = [name, "P", "1.0"].map(str::to_owned);
        Self { number, name, platform, driver, memory, is_default: true, refusal: None }
    }
}

/// The room that the memory of some devices has for workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceRoom {
    /// The memory that a worker takes, estimated, in bytes.
    pub each: u64,
    /// The number of workers.
    pub workers: usize,
}

/// The numbers of devices. The empty set stands for all GPUs.
///
/// ```
/// use nqueens::DeviceSet;
///
/// assert_eq!("0,2".parse(), Ok(DeviceSet::from([0, 2])));
/// assert_eq!("*".parse(), Ok(DeviceSet::ALL));
/// ```
// The highest bit stands for all numbers from 63 on, so that they are refused, as no machine has so many devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct DeviceSet(u64);

impl DeviceSet {
    /// All devices, GPUs or not.
    pub const ALL: Self = Self(u64::MAX);

    /// Returns true if the device with this number is in the set.
    pub fn has(self, number: usize) -> bool {
        self.0 >> number.min(63) & 1 == 1
    }
}

/// Reads numbers with commas between them, or `*` for all devices.
impl FromStr for DeviceSet {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        if text == "*" {
            return Ok(Self::ALL);
        }
        let numbers = text.split(',').map(|number| number.trim().parse::<usize>().ok());
        let right = "numbers with commas between them, or '*' for all";
        let numbers =
            numbers.collect::<Option<Vec<_>>>().ok_or_else(|| InputError::no("set of devices", text, right))?;
        Ok(numbers.into())
    }
}

impl<I: IntoIterator<Item = usize>> From<I> for DeviceSet {
    fn from(numbers: I) -> Self {
        Self(numbers.into_iter().fold(0, |set, number| set | 1 << number.min(63)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_one_kind_are_named_together_and_refused_ones_are_not() {
        let [a, b, mut bad] = ["A", "B", "C"].map(|name| Device::example(0, name, 0));
        bad.refusal = Some("no".to_owned());
        let devices = [a.clone(), a.clone(), bad.clone(), b.clone()];
        assert_eq!(Device::in_words(&devices, 9).unwrap(), "2 × A (P, driver 1.0); B (P, driver 1.0)");
        assert_eq!(Device::in_words(&devices, 1).unwrap(), "A (P, driver 1.0)", "one thread uses one device");
        assert_eq!((Device::in_words(&[], 9), Device::in_words(&[bad], 9)), (None, None));
    }

    #[test]
    fn a_set_has_the_numbers_that_were_given() {
        let set = DeviceSet::from([0, 5, 5]);
        assert!([0, 5].iter().all(|&number| set.has(number)) && ![1, 4, 63, 64, 69].iter().any(|&n| set.has(n)));
        let set = DeviceSet::from([70]);
        assert!(set.has(63) && !set.has(6), "a number that no device has does not stand for another");
        assert_ne!(set, DeviceSet::default());
    }

    #[test]
    fn a_set_is_read_from_numbers_or_is_all() {
        for (text, set) in [("1", DeviceSet::from([1])), ("2, 0", DeviceSet::from([0, 2])), ("*", DeviceSet::ALL)] {
            assert_eq!(text.parse(), Ok(set), "{text}");
        }
        for text in ["", "0,", "-1", "0,Arc"] {
            assert!(text.parse::<DeviceSet>().is_err(), "{text}");
        }
    }
}
