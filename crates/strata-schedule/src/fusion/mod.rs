//! What is computed together: operations merged, recomputed or joined, and the nests that follow from it.

pub(crate) mod comparisons;
pub(crate) mod gathers;
pub(crate) mod merge;
pub mod nest;
pub(crate) mod rematerialize;
pub(crate) mod siblings;
