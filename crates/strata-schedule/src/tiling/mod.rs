//! The strategies: tile sizes of nests, and the cost model.

pub(crate) mod candidates;
pub mod choice;
pub mod cost;
pub(crate) mod depthwise;
pub(crate) mod elementwise;
pub(crate) mod open_rows;
pub(crate) mod plan;
pub(crate) mod register;
pub(crate) mod rows;
pub(crate) mod space;
pub(crate) mod tiles;
pub(crate) mod transpose;
