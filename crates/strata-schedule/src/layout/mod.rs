//! Memory layout of operands before tiling.

pub(crate) mod bool_storage;
pub(crate) mod collapse;
pub(crate) mod lanes;
pub(crate) mod subwords;
pub(crate) mod transpose_operands;
