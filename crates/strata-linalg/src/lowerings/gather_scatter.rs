//! `gather` and `scatter`.

pub(crate) mod gather;
pub(crate) mod scatter;
