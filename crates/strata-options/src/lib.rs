//! What users ask of a compilation ([`Options`]): the target, sizes, semantics, where weights go, tasks, schedules.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod laid_out;
mod options;

pub use laid_out::{Content, LaidOut};
pub use options::{
    AddedPasses, OptLevel, Options, SharedWeights, Streaming, Tasks, UsedSchedules, Visibility,
    Weights,
};
