//! Functions that compiled programs can be linked with where their custom calls name them: the dense
//! linear algebra that JAX calls on CPUs.
//!
//! Built as a static library for programs, and as a Rust library for `strata run`. Nothing in it is
//! linked unless it is asked for.
#![deny(missing_docs)]

pub mod lapack;

pub use lapack::TARGETS;

/// What a target returns for a call whose buffers are not as it needs them.
pub const BAD_CALL: i32 = 64;
/// What a target returns where the library itself failed.
pub const FAILED: i32 = 65;
