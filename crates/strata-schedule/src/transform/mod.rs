//! Schedules as transform-dialect text, and the function that one is applied to.

pub(crate) mod allowed;
pub(crate) mod given;
pub(crate) mod library;
pub mod outline;
pub mod script;
pub mod tags;
