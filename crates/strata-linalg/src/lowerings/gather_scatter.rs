//! `gather` and `scatter`.

pub(crate) mod gather;
pub(crate) mod rows;
pub(crate) mod scatter;
