//! Planted faults, for mutation testing.
//!
//! `if planted("name") { wrong } else { right }` marks code where a mistake would be easy to make. Without the feature
//! `faults` it is always false and costs nothing; with it, it is true for the fault that the variable `STRATA_FAULT`
//! names. `strata-fuzz faults` runs all of them.

/// The variable that names the enabled fault.
pub const FAULT: &str = "STRATA_FAULT";

/// Whether the fault of this name is enabled.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub const fn planted(_: &str) -> bool {
    false
}

/// Whether the fault of this name is enabled.
#[cfg(feature = "faults")]
pub fn planted(name: &str) -> bool {
    static CHOSEN: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var(FAULT).ok());
    CHOSEN.as_deref() == Some(name)
}
