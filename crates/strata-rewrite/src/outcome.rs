//! The result of a pattern.

use std::{borrow::Cow, fmt};

/// Why a pattern declined, one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined(Cow<'static, str>);

/// The return type of patterns: done, or the reason for declining. Guards end in `?`.
pub type Outcome<T = ()> = Result<T, Declined>;

impl Declined {
    /// The reason.
    pub fn reason(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for Declined {
    fn from(reason: &'static str) -> Self {
        Self(Cow::Borrowed(reason))
    }
}

impl From<String> for Declined {
    fn from(reason: String) -> Self {
        Self(Cow::Owned(reason))
    }
}

impl fmt::Display for Declined {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Guards: convert "absent" or "false" to a reason.
pub trait Guard<T> {
    /// The value, or the reason why the pattern does not apply.
    fn or_decline(self, reason: &'static str) -> Outcome<T>;
}

impl<T> Guard<T> for Option<T> {
    fn or_decline(self, reason: &'static str) -> Outcome<T> {
        self.ok_or_else(|| reason.into())
    }
}

impl Guard<()> for bool {
    fn or_decline(self, reason: &'static str) -> Outcome {
        if self { Ok(()) } else { Err(reason.into()) }
    }
}
