//! What schedules leave behind.

pub(crate) mod destinations;
