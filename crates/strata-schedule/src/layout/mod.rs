//! How operands lie in memory before a nest is tiled.

pub(crate) mod bool_storage;
pub(crate) mod collapse;
pub(crate) mod transpose_operands;
