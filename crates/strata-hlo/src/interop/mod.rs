//! Constructs of other compilers and exporters: annotations, custom calls, callbacks.

pub(crate) mod annotations;
pub(crate) mod callbacks;
pub(crate) mod chlo_calls;
pub(crate) mod custom_call;
pub(crate) mod dynamic_calls;
pub(crate) mod known_targets;
pub(crate) mod old_lapack;
pub(crate) mod shards;
pub(crate) mod xla_linear_algebra;
