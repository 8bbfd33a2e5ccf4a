//! Functions of complex numbers on their real and imaginary parts.

pub(crate) mod arithmetic;
pub(crate) mod circular;
pub(crate) mod inverse;
pub(crate) mod parts;
pub(crate) mod power;
pub(crate) mod root;
