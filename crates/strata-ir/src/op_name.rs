//! Names of operations.

use std::fmt;

/// The full name of an operation, such as `vector.transfer_read`.
///
/// Names of the operations that Strata uses are constants in a module per dialect ([`crate::vector`], …), so that one
/// which does not exist is an error of rustc. They serve as patterns:
///
/// ```
/// # use strata_ir::{Op, scf};
/// fn is_loop(op: Op<'_>) -> bool {
///     matches!(op.name(), scf::FOR | scf::WHILE)
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpName<'c>(&'c str);

impl OpName<'static> {
    pub(crate) const fn of(name: &'static str) -> Self {
        Self(name)
    }
}

impl<'c> OpName<'c> {
    /// A name that is known only at run time, as those of versioned operations are.
    pub fn from_text(name: &'c str) -> Self {
        Self(name)
    }

    /// The text.
    pub const fn as_str(self) -> &'c str {
        self.0
    }

    /// What stands before the first dot.
    pub fn dialect(self) -> &'c str {
        self.0.split_once('.').map_or("", |(dialect, _)| dialect)
    }

    /// What stands after the first dot.
    pub fn mnemonic(self) -> &'c str {
        self.0.split_once('.').map_or(self.0, |(_, mnemonic)| mnemonic)
    }
}

impl From<OpName<'_>> for String {
    fn from(name: OpName<'_>) -> Self {
        name.0.to_owned()
    }
}

impl fmt::Display for OpName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.0)
    }
}

impl fmt::Debug for OpName<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.0, formatter)
    }
}
