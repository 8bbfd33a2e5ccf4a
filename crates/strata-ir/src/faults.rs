//! Mistakes that are made on purpose, to see which test finds them.
//!
//! `if planted("name") { wrong } else { right }` marks a place where a mistake would be easy to make. Without the feature
//! `faults` it is always false and costs nothing; with it the mistake is made that the variable `STRATA_FAULT` names.
//! `strata-fuzz faults` goes through all of them.

/// The variable that names the mistake to make.
pub const FAULT: &str = "STRATA_FAULT";

/// Whether the mistake of this name is to be made.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub const fn planted(_: &str) -> bool {
    false
}

/// Whether the mistake of this name is to be made.
#[cfg(feature = "faults")]
pub fn planted(name: &str) -> bool {
    static CHOSEN: std::sync::LazyLock<Option<String>> =
        std::sync::LazyLock::new(|| std::env::var(FAULT).ok());
    CHOSEN.as_deref() == Some(name)
}
