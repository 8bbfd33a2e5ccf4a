//! The strategies: which tiles a nest is cut into, and at what cost.

pub(crate) mod candidates;
pub mod cost;
pub(crate) mod elementwise;
pub(crate) mod register;
pub(crate) mod rows;
pub(crate) mod transpose;
