//! Versions of StableHLO, as artifacts name them.

use std::{fmt, str::FromStr};

/// A version of StableHLO: which operations, attributes and types an artifact may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Changes when artifacts of older versions are no longer read.
    pub major: u32,
    /// Changes with the set of operations.
    pub minor: u32,
    /// Does not affect artifacts.
    pub patch: u32,
}

impl Version {
    /// The oldest supported version.
    pub const OLDEST: Self = Self::new(0, 9, 0);
    /// The newest supported version, the default for writing.
    pub const NEWEST: Self = Self::new(1, 20, 0);

    /// A version from its parts.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// The version that decides about operations: all patches have the same.
    pub(crate) fn set(self) -> Self {
        Self { patch: 0, ..self }
    }

    /// Whether artifacts of this version are read and written.
    pub fn is_supported(self) -> bool {
        (Self::OLDEST..=Self::NEWEST).contains(&self.set())
    }

    /// The format of the bytecode that this version is written in.
    pub(crate) fn bytecode(self) -> i64 {
        match (self.major, self.minor) {
            (0, ..10) => 0,
            (0, 10..12) => 1,
            (0, 12..14) => 3,
            (0, 14) => 4,
            _ => 6,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// An invalid version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoVersion;

impl fmt::Display for NoVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("expected three numbers with dots between them, such as 1.8.0")
    }
}

impl std::error::Error for NoVersion {}

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let number = |part: &str| {
            let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten().ok_or(NoVersion)
        };
        match text.split('.').collect::<Vec<_>>().as_slice() {
            [major, minor, patch] => Ok(Self::new(number(major)?, number(minor)?, number(patch)?)),
            _ => Err(NoVersion),
        }
    }
}

/// The version of a row of a table in the dialect; these are valid by construction.
pub(crate) fn of_table(text: &str) -> Version {
    text.parse().unwrap_or(Version::NEWEST)
}

#[cfg(test)]
mod tests {
    use super::{NoVersion, Version};

    #[test]
    fn versions_are_three_numbers() {
        assert_eq!("1.8.2".parse(), Ok(Version::new(1, 8, 2)));
        for text in ["", "1.8", "1.8.0.0", "v1.8.0", "1.-8.0", "1. 8.0", "99999999999.0.0"] {
            assert_eq!(text.parse::<Version>(), Err(NoVersion), "{text}");
        }
    }

    #[test]
    fn support_ends_after_the_newest_set() {
        assert!(Version::new(0, 9, 3).is_supported());
        assert!(Version::new(1, 20, 7).is_supported());
        assert!(!Version::new(1, 21, 0).is_supported());
        assert!(!Version::new(0, 8, 9).is_supported());
    }
}
