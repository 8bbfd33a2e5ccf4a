//! Schedules as transform-dialect text, and the function that one is applied to.

pub(crate) mod allowed;
pub mod outline;
pub mod script;
pub mod tags;
