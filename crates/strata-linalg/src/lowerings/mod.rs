//! One module per family of operations, as in `dialects/stablehlo/ops/`.

pub(crate) mod collective;
pub(crate) mod compare_select;
pub(crate) mod constant_iota;
pub(crate) mod control_flow;
pub(crate) mod conv;
pub(crate) mod convert;
pub(crate) mod custom_call;
pub(crate) mod dot;
pub(crate) mod dynamic;
pub(crate) mod elementwise;
pub(crate) mod external_call;
pub(crate) mod gather_scatter;
pub(crate) mod host_io;
mod overlap;
mod ragged;
pub(crate) mod reduce;
pub(crate) mod shape;
pub(crate) mod tuple_token;
pub(crate) mod window;
