//! What schedules leave behind.

pub(crate) mod destinations;
pub(crate) mod tidy;
