//! Patterns that simplify core StableHLO: folding, forwarding, hoisting, unrolling.

pub(crate) mod algebra;
pub(crate) mod bits;
pub(crate) mod broadcast;
pub(crate) mod concatenate_splitting;
pub(crate) mod control_flow;
pub(crate) mod conv;
pub(crate) mod diagonal;
pub(crate) mod dot;
pub(crate) mod dynamic;
pub(crate) mod elements;
pub(crate) mod fold;
pub(crate) mod fold_elementwise;
pub(crate) mod fold_movement;
pub(crate) mod gather;
pub(crate) mod iota;
pub(crate) mod joined_dims;
pub(crate) mod loop_invariant;
pub(crate) mod loop_rows;
pub(crate) mod loop_unrolling;
pub(crate) mod reshape;
pub(crate) mod same_operand;
pub(crate) mod short_rows;
pub(crate) mod slice_pad;
pub(crate) mod slices;
pub(crate) mod transposed;
pub(crate) mod windows;
