//! Algorithms with loops of their own: transforms, sorts, factorisations, generators of random bits.

pub(crate) mod fft;
pub(crate) mod linear_algebra;
pub(crate) mod rng;
pub(crate) mod short_vectors;
pub(crate) mod sort;
