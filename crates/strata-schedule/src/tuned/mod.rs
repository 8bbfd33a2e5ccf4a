//! Schedules by nest that a file gives, beside those of the cost model.
//!
//! A nest is recognised by what it computes ([`Fingerprint`]), not by where it is in a program, so that programs with equal nests share
//! schedules. What a file has for a nest is a decision ([`Choice`](crate::tiling::choice::Choice)), checked against the nest and the target
//! when it is used.

mod file;
mod fingerprint;
mod nests;

use strata_diag::Diagnostic;

pub(crate) use file::name_of as target_name;
pub use file::{Entry, Gains, Schedules, VERSION, is_schedules};
pub use fingerprint::Fingerprint;
pub use nests::TunableNest;
pub(crate) use nests::{segments, standalone};

/// A file of schedules that a compilation was given.
pub(crate) struct Tuned {
    /// Its schedules.
    pub schedules: Schedules,
    name: String,
    text: String,
}

impl Tuned {
    /// Reads a file that diagnostics call `name`.
    ///
    /// # Errors
    /// As [`Schedules::read`].
    pub fn read(name: &str, text: &str) -> Result<Self, Diagnostic> {
        let schedules = Schedules::read(name, text)?;
        Ok(Self { schedules, name: name.to_owned(), text: text.to_owned() })
    }

    /// The error of an entry that is not one for its nest.
    pub fn unusable(&self, entry: &Entry, reason: &str) -> Diagnostic {
        file::unusable(&self.name, &self.text, entry, reason)
    }
}
