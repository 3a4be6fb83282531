//! Messages on standard error.

use crate::app::bar;
use crate::app::output::printable;
use nqueens::Device;
use std::fmt::{self, Display};
use std::io::{Write, stderr};

/// Prints one line on standard error, above the progress bar if there is one. Unprintable characters are escaped. All
/// messages for people go through this function.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let line = format!("{}\n", printable(&line.to_string()));
    // An error is ignored: standard error is closed, so nothing can be reported.
    bar::above_bar(|| drop(stderr().write_all(line.as_bytes())));
}

/// Prints a warning for people, even with `--quiet`: there is a problem, but the work continues.
pub(crate) fn warn(line: impl Display) {
    say(format_args!("warning: {line}"));
}

/// Warns of the devices that cannot be used. `so` says what follows, such as "is left out".
pub(crate) fn warn_of_refused(devices: &[Device], so: &str) {
    for device in devices {
        if let Some(reason) = &device.refusal {
            warn(format_args!("device {}, {device}, {so}: {reason}", device.number));
        }
    }
}
