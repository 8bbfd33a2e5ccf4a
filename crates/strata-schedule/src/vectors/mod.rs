//! Rewrites of arithmetic for vectors.

pub(crate) mod fma;
pub(crate) mod index_vectors;
pub(crate) mod short_vectors;
