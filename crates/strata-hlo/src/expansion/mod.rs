//! Expansions of operations that later stages do not support.

pub(crate) mod approx_top_k;
pub(crate) mod batch_norm;
pub(crate) mod chlo;
pub(crate) mod collective;
pub(crate) mod dot_algorithm;
pub(crate) mod einsum;
pub(crate) mod float_arithmetic;
pub(crate) mod narrow_sums;
pub(crate) mod other_kinds;
pub(crate) mod quantized;
pub(crate) mod ragged_dot;
pub(crate) mod ragged_exchange;
pub(crate) mod rng;
pub(crate) mod scan;
pub(crate) mod special;
pub(crate) mod top_k;
pub(crate) mod zeta;
