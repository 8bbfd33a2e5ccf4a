//! One entry function: inlines calls, flattens tuples, removes futures.

pub(crate) mod asynchronous;
pub(crate) mod call_graph;
pub(crate) mod symbols;
pub(crate) mod tuples;
