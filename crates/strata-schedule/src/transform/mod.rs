//! Schedules as transform-dialect text, and outlined functions to apply them to.

pub(crate) mod allowed;
pub(crate) mod failure;
pub(crate) mod given;
pub(crate) mod library;
pub mod outline;
pub mod script;
pub mod tags;
