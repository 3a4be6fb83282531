//! What machine this is.

/// The CPU's own name for itself, or that of its architecture where it has none.
pub(crate) fn cpu_name() -> String {
    brand().unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn brand() -> Option<String> {
    let brand = raw_cpuid::CpuId::new().get_processor_brand_string()?;
    let name = brand.as_str().trim();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn brand() -> Option<String> {
    None
}
