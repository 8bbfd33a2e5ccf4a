//! The processors that Strata compiles for: vectors, registers, caches, the instructions for dots of narrow elements, and constants that
//! were measured on them ([`tuning`]). Nothing here knows MLIR.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod dots;
mod target;
mod tiles;
pub mod tuning;

pub use dots::{
    DOT_INSTRUCTIONS, DotInstruction, Lane, NarrowDot, NarrowInt, Subword, has_avx512_bf16,
    packed_lanes,
};
pub use target::{Isa, Target};
pub use tiles::{
    TILE_INSTRUCTIONS, TILE_LANES, TILE_ROWS, TILES, TileInstruction,
    configuration as tile_configuration,
};
