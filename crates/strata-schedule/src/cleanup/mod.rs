//! Cleanup after schedules.

pub(crate) mod destinations;
pub(crate) mod starts;
pub(crate) mod tidy;
