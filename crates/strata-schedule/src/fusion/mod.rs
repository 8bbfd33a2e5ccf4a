//! Fusion: operations are merged, rematerialised or joined, and grouped into nests.

pub(crate) mod at_reads;
pub(crate) mod attention;
pub(crate) mod comparisons;
pub(crate) mod complexes;
pub(crate) mod gathers;
pub(crate) mod in_place;
pub(crate) mod merge;
pub mod nest;
pub(crate) mod positions;
pub(crate) mod rematerialize;
pub(crate) mod siblings;
pub(crate) mod units;
