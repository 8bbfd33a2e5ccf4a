//! Which constants are stored in the layouts in which nests read them.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use strata_ir::{Attribute, AttributeExt as _, Op, arith};
use strata_target::tuning::code::MIN_DATA_BYTES;

/// The elements of a constant, as a number; constants with the same one are taken for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content(u64);

impl Content {
    /// That of a constant that may be laid out: a large one of elements that differ.
    pub fn of(value: Attribute<'_>) -> Option<Self> {
        let bytes = elements(value)?;
        // All that two constants with one number cost is a layout.
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Some(Self(hasher.finish()))
    }
}

/// The elements of a constant, if they are many, and differ.
fn elements(value: Attribute<'_>) -> Option<Cow<'_, [u8]>> {
    let is_large = |bytes: &Cow<'_, [u8]>| bytes.len() as u64 >= MIN_DATA_BYTES;
    if value.is_splat() { None } else { value.dense_bytes().filter(is_large) }
}

/// Which constants are stored in the layouts in which nests read them. Not those that an object's programs or versions may read in
/// different ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaidOut {
    /// All.
    All,
    /// Those of these elements.
    Only(BTreeSet<Content>),
}

impl LaidOut {
    /// No constant.
    pub const NONE: Self = Self::Only(BTreeSet::new());

    /// Whether there may be any.
    pub fn may_have_any(&self) -> bool {
        *self != Self::NONE
    }

    /// Whether the constant that an operation makes is one, if it is large and of elements that differ.
    pub fn has(&self, constant: Op<'_>) -> bool {
        let is_one = |value: Attribute<'_>| match self {
            Self::All => elements(value).is_some(),
            Self::Only(all) => Content::of(value).is_some_and(|content| all.contains(&content)),
        };
        self.may_have_any()
            && constant.is(arith::CONSTANT)
            && constant.attr("value").is_some_and(is_one)
    }
}
