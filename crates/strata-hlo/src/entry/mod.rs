//! One entry function: calls inlined, tuples and futures taken apart.

pub(crate) mod asynchronous;
pub(crate) mod call_graph;
pub(crate) mod symbols;
pub(crate) mod tuples;
