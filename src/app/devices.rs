//! `nqueens devices`: lists the GPUs and other devices that OpenCL finds.

use crate::app::failure::Failure;
use crate::app::messages::warn_of_refused;
use crate::app::options::OutputOptions;
use crate::app::rows::{Cell, Kind, Report, Row};
use nqueens::machine::bytes_in_words;
use nqueens::{Cancel, Device, DeviceSet, PrepareError};
use serde::Serialize;

/// List the GPUs and other devices that count with --kernel gpu
///
/// Each device of OpenCL is opened: its kernels are built, and count some units that the CPU counts too. That takes a
/// second or a few. GPUs count by default, other devices only if `--device` names them, and what cannot be used never; a
/// warning says why. The exit code is 1 if no device can count.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens devices
  nqueens count 22 --device 0")]
pub(crate) struct Arguments {
    #[command(flatten)]
    printing: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments, cancel: &Cancel) -> Result<(), Failure> {
    let printing = &arguments.printing;
    let output = printing.open(&[])?;
    let listed = {
        let _bar = printing.bar("devices".to_owned());
        Device::chosen(DeviceSet::ALL, cancel)
    };
    if let Err(PrepareError::Cancelled(cancelled)) = listed {
        return Err(cancelled.into());
    }
    // Without a device the document has no rows, and the message says why.
    let devices = Report::open(printing.format(), Kind::Many("nqueens/devices/1"), output).written_by(|report| {
        let devices = listed?;
        devices.iter().try_for_each(|device| report.row(&DeviceRow::new(device)))?;
        Ok(devices)
    })?;
    warn_of_refused(&devices, "cannot count");
    if devices.iter().all(|device| device.refusal.is_some()) {
        return Err(Failure::Failed("no device can count".to_owned()));
    }
    Ok(())
}

/// A device of OpenCL.
#[derive(Serialize)]
struct DeviceRow<'a> {
    device: usize,
    counts: &'static str,
    memory: u64,
    name: &'a str,
    platform: &'a str,
    driver: &'a str,
    refusal: Option<&'a str>,
    #[serde(skip)]
    in_words: String,
}

impl<'a> DeviceRow<'a> {
    fn new(device: &'a Device) -> Self {
        Self {
            device: device.number,
            counts: match (&device.refusal, device.is_default) {
                (Some(_), _) => "never",
                (None, true) => "by default",
                (None, false) => "if named",
            },
            memory: device.memory,
            name: &device.name,
            platform: &device.platform,
            driver: &device.driver,
            refusal: device.refusal.as_deref(),
            in_words: device.to_string(),
        }
    }
}

impl Row for DeviceRow<'_> {
    fn cells(&self) -> Vec<Cell> {
        vec![
            Cell::number("device", 6, Some(self.device)),
            Cell::word("counts", 10, Some(self.counts)),
            Cell::number("memory", 8, Some(bytes_in_words(self.memory))),
            Cell::word("name, platform and driver", 0, Some(&self.in_words)),
        ]
    }
}
