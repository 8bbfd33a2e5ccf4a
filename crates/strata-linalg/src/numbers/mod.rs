//! Scalar arithmetic, by type: complex numbers, small floats, special functions.

pub(crate) mod complex;
pub(crate) mod element;
pub(crate) mod functions;
pub(crate) mod narrow;
pub(crate) mod small_float;
pub(crate) mod special;
