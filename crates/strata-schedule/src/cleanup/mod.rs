//! Cleanup after schedules.

pub(crate) mod destinations;
pub(crate) mod tidy;
