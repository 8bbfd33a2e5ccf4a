//! The unit attributes by which a schedule finds the operations of its nest.

/// The root of the nest.
pub const ROOT: &str = "strata.root";
/// The operation with reduction loops.
pub const REDUCTION: &str = "strata.reduction";
/// A copy of an operand with its dimensions in another order.
pub const TRANSPOSED: &str = "strata.transpose";
/// A fill that is scheduled on its own.
pub const FILL: &str = "strata.fill";
/// A part of a contraction, or of a fill, that becomes vector code of whole tiles.
pub const TILE: &str = "strata.tile";
/// The same, of sums that have a tensor for each region.
pub const OWN_SUMS: &str = "strata.own_sums";
/// A loop over steps of a sum that stays in tiles.
pub const STEPS: &str = "strata.steps";
/// On an outlined nest: it makes an output of whose rows or columns a caller has as many as the sizes of a call say.
pub const OUTPUT: &str = "strata.output";
/// The chosen schedule, on the outer loops of a scheduled nest (a string attribute).
pub use strata_ir::{AGAIN, SCHEDULE, TILES};

/// On a loop that carries a tensor from one K block to the next: each iteration adds to it. Kept for stage `affine`.
pub const SUMS: &str = "strata.sums";

/// The reduction of region `index`.
pub fn region(index: usize) -> String {
    format!("strata.region{index}")
}

/// The epilogue of region `index`.
pub fn region_epilogue(index: usize) -> String {
    format!("strata.region{index}_epilogue")
}

/// The fill of region `index`.
pub fn region_fill(index: usize) -> String {
    format!("strata.region{index}_fill")
}

/// Piece `index` of a loop whose operations carry `tag`.
pub fn piece(tag: &str, index: usize) -> String {
    format!("{tag}_piece{index}")
}
