//! Stage 30: schedules for the hot nests.
#![deny(missing_docs)]
