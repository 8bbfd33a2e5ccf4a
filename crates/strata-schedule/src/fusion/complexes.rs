//! Fuses elementwise operations on complex numbers with each other, and with short ones on their parts.
//!
//! ```text
//! %r = linalg.generic { complex.re } ins(%y)
//! %i = linalg.generic { complex.im, arith.negf } ins(%y)
//! %c = linalg.generic { complex.create } ins(%r, %i)
//! %s = linalg.generic { complex.re, complex.im, arith.addf, arith.addf, complex.create } ins(%x, %c)
//! ```
//! becomes
//! ```text
//! %s = linalg.generic { … } ins(%y, %x)
//! ```
//! No schedule has vectors of complex numbers: their loops are vectorised after stage `affine`, and each operation would be a pass over
//! memory. Long computations on parts keep their vectors, and are not fused.

use strata_ir::{Block, Context, TypeExt as _, linalg};
use strata_target::tuning::fusion::{MAX_COMPLEX_WORK, MAX_PART_WORK};

use crate::{
    fusion::merge::{merge_groups, reads_inputs_only},
    structured::Structured,
};

/// Merges the operations of a block on complex numbers into their users.
pub fn fuse_complexes<'c>(context: &'c Context, block: Block<'c>) {
    let nests: Vec<_> =
        block.ops().into_iter().filter_map(Structured::of_generic).filter(is_part).collect();
    if nests.iter().any(has_complex) {
        merge_groups(
            context,
            &nests,
            |_| true,
            |members| {
                let work: usize = members.iter().map(Structured::work).sum();
                members.iter().any(has_complex) && work <= MAX_COMPLEX_WORK
            },
        );
    }
}

/// Whether it reads or writes complex numbers.
fn has_complex(nest: &Structured<'_>) -> bool {
    let mut values = nest.op.operands().into_iter().chain(nest.op.results());
    values.any(|value| value.ty().element().is_complex())
}

/// Whether it may be part of a nest on complex numbers.
fn is_part(nest: &Structured<'_>) -> bool {
    let is_arithmetic = nest.op.body(0).ops().into_iter().all(|op| {
        matches!(op.dialect(), "arith" | "math" | "complex" | "linalg") && !op.is(linalg::INDEX)
    });
    is_arithmetic
        && nest.is_parallel()
        && nest.writes_identity()
        && reads_inputs_only(nest)
        && (has_complex(nest) || nest.work() <= MAX_PART_WORK)
}
