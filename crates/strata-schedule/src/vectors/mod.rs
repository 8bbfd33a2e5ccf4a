//! Arithmetic in the form that vectors want.

pub(crate) mod fma;
pub(crate) mod index_vectors;
pub(crate) mod short_vectors;
