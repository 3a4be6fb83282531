//! `nqueens devices`: lists the GPUs and other devices that `OpenCL` finds.

use crate::app::failure::Failure;
use crate::app::messages::warn_of_refused;
use crate::app::options::OutputOptions;
use crate::app::rows::{self, Column};
use nqueens::run::bytes_in_words;
use nqueens::{Cancel, Device, PrepareError};

/// List the GPUs and other devices that count with --kernel gpu
///
/// Each device of `OpenCL` is opened: its kernels are built, and count some units that the CPU counts too. That takes a
/// second or a few. GPUs count by default, other devices only if `--device` or `NQUEENS_OPENCL_DEVICE` names them, and
/// what cannot be used never; a warning says why. The exit code is 1 if no device can count.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  nqueens devices
  nqueens devices --format json
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
        Device::all(cancel)
    };
    // Without a device the document has no rows, and the message says why.
    let (devices, none) = match listed {
        Ok(devices) => (devices, None),
        Err(PrepareError::Cancelled(cancelled)) => return Err(cancelled.into()),
        Err(error) => (Vec::new(), Some(Failure::from(error))),
    };
    let mut report = rows::open(printing.format(), "nqueens/devices/1", rows::Kind::Many, output);
    devices.iter().try_for_each(|device| report.row(&row(device))).and_then(|()| report.finish(none.is_none()))?;
    warn_of_refused(&devices, "cannot count");
    if none.is_none() && devices.iter().all(|device| device.refusal.is_some()) {
        return Err(Failure::Failed("no device can count".to_owned()));
    }
    none.map_or(Ok(()), Err)
}

fn row(device: &Device) -> Vec<Column> {
    vec![
        Column::new("device", device.number).number("device", 6),
        Column::new("counts", device.counts()).word("counts", 10),
        Column::new("memory", device.memory).number("memory", 8).shown(Some(bytes_in_words(device.memory))),
        Column::new("name", &*device.name).word("name, platform and driver", 0).shown(Some(device.to_string())),
        Column::new("platform", &*device.platform),
        Column::new("driver", &*device.driver),
        Column::new("refusal", device.refusal.as_deref()),
        Column::new("program_version", env!("NQUEENS_VERSION")),
    ]
}
