//! The measurements are in `parts.rs` and `two_color.rs`. Cargo wants a library beside them.
