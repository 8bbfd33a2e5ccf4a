//! Functions for the custom calls of compiled programs: the dense linear algebra that JAX calls on
//! CPUs.
//!
//! Built as a static library for programs, and as a Rust library for `strata run`. It is linked on
//! request only.
#![deny(missing_docs)]

pub mod lapack;

pub use lapack::TARGETS;

/// Status for a call with unsupported buffers.
pub const BAD_CALL: i32 = 64;
/// Status for a failure inside the library.
pub const FAILED: i32 = 65;
