//! Transposes: square tiles that are read and written along rows of memory.
//!
//! Before: a `linalg.generic` that copies, and whose innermost loop strides across the input's
//! rows.
//!
//! After, for `f32` and AVX-512:
//!
//! ```text
//! scf.for %i0 = 0 to 4096 step 256 { scf.for %j = 0 to 4096 step 16 { scf.for %i = … step 16 {
//!   %t = vector.transfer_read …                 // 16 x 16
//!   %u = vector.transpose %t                    // as shuffles
//!   vector.transfer_write %u …
//! } } }
//! ```
//! The remainders at the edges stay linalg.

use crate::{
    structured::{Index, Structured, is_identity},
    transform::{script::Script, tags},
};
use strata_ir::{TypeExt as _, bounded_entry, transform};
use strata_target::{
    tuning::columns::MAX_ROW,
    tuning::panels::LINE_BYTES,
    tuning::tiling::{MAX_TRANSPOSE_SIDE, TRANSPOSE_BLOCK},
};

/// A transpose to schedule.
#[derive(Clone, Debug)]
pub struct Transpose {
    loops: usize,
    /// The loop along the input's rows, and its trip count.
    along: (usize, i64),
    /// The trip count of the innermost loop, along the result's rows.
    across: i64,
    /// The side of the square tile that is transposed in registers.
    pub lanes: i64,
    /// Rows of the result that are written before the next rows of the input are read, where it may span so many pages that it is
    /// TLB-bound; 0 for all.
    pub block: i64,
    /// Squares beside one another that are written before those below them: a whole line of each of their rows.
    pub beside: i64,
}

impl Transpose {
    /// The transpose of `across` columns of the result; `None` when they do not fill a square.
    pub fn panel(&self, across: i64) -> Option<Self> {
        (across >= self.lanes).then(|| Self { across, block: 0, beside: 1, ..self.clone() })
    }

    /// Whether the result is written in several blocks, each of whole squares.
    pub fn has_blocks(&self) -> bool {
        let (_, extent) = self.along;
        self.block > 0
            && extent >= 2 * self.block
            && extent % self.block == 0
            && self.block % self.lanes == 0
    }
}

/// Recognises a copy that transposes; `None` when its tiles would not be full.
pub fn read(nest: &Structured<'_>, lanes: i64) -> Option<Transpose> {
    let lanes = lanes.min(MAX_TRANSPOSE_SIDE);
    let (along, extent, across) = transposed(nest)?;
    let square = lanes * i64::try_from(nest.op.operand(0).ty().element().byte_width()?).ok()?;
    let beside = LINE_BYTES as i64 / square.max(1);
    // What is left over is computed element by element.
    let is_as_whole = beside > 1 && across % (beside * lanes) == across % lanes;
    (extent >= lanes && across >= lanes).then_some(Transpose {
        loops: nest.extents.len(),
        along: (along, extent),
        across,
        lanes,
        block: TRANSPOSE_BLOCK,
        beside: if is_as_whole { beside } else { 1 },
    })
}

/// Whether a copy has a schedule as a transpose, if not in the loops that it has then in those that [`runs`] makes.
pub fn has_squares(nest: &Structured<'_>, lanes: i64) -> bool {
    read(nest, lanes).is_some() || gains_from_runs(nest, lanes)
}

/// Whether squares of a transpose have less left over where loops that follow each other in both of its values are one: images of few
/// places, whose rows are shorter than a square.
pub fn gains_from_runs(nest: &Structured<'_>, lanes: i64) -> bool {
    let lanes = lanes.min(MAX_TRANSPOSE_SIDE);
    let Some((along, extent, across)) = transposed(nest) else { return false };
    let size = |at: usize| -> i64 {
        let all = runs(nest).into_iter().filter(|run| run.contains(&at)).flatten();
        all.map(|number| nest.extents[number]).product()
    };
    let (rows, columns) = (size(along), size(nest.extents.len() - 1));
    let has_rest = |loops: i64, run: i64| loops % lanes != 0 && run > loops;
    // Which elements are needed of such loops is said for each of them.
    bounded_entry(nest.op).is_none()
        && rows.min(columns) >= lanes
        && (has_rest(extent, rows) || has_rest(across, columns))
}

/// The loops of a transpose in runs: those of a run follow each other in its operand as in its result.
pub fn runs(nest: &Structured<'_>) -> Vec<Vec<usize>> {
    let place = |number: usize| nest.maps[0].iter().position(|at| *at == Index::Loop(number));
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for number in 0..nest.extents.len() {
        match runs
            .last_mut()
            .filter(|run| run.last().and_then(|last| Some(place(*last)? + 1)) == place(number))
        {
            Some(run) => run.push(number),
            None => runs.push(vec![number]),
        }
    }
    runs
}

/// Recognises a copy that makes rows of the columns of short rows, which are read as one. The reverse is left to LLVM, which writes
/// short rows as one.
pub fn read_columns(nest: &Structured<'_>, lanes: i64) -> Option<Transpose> {
    let (along, extent, across) = transposed(nest)?;
    let is_short = (2..=MAX_ROW).contains(&extent) && across >= lanes;
    let can_shuffle = nest.op.operand(0).ty().element().can_shuffle();
    let (loops, along, block, beside) = (nest.extents.len(), (along, extent), 0, 1);
    (is_short && can_shuffle).then_some(Transpose { loops, along, across, lanes, block, beside })
}

/// The loop along the input's rows, its trip count and that of the innermost loop, of a copy that transposes.
fn transposed(nest: &Structured<'_>) -> Option<(usize, i64, i64)> {
    let loops = nest.extents.len();
    let copies = nest.inputs == 1
        && nest.op.body(0).ops().len() == 1
        && nest.op.body(0).terminator()?.operands() == [nest.op.body(0).arg(0)];
    let Some(Index::Loop(along)) = nest.maps[0].last().cloned() else { return None };
    let permutes = nest.maps[0].len() == loops
        && (0..loops).all(|number| nest.maps[0].contains(&Index::Loop(number)));
    let transposes = copies && permutes && is_identity(&nest.maps[1], loops) && along + 1 < loops;
    transposes.then_some((along, nest.extents[along], *nest.extents.last()?))
}

/// The schedule as a named sequence.
pub fn schedule(plan: &Transpose, sequence: &str) -> String {
    let mut script = Script::new();
    squares(&mut script, tags::ROOT, plan);
    script.finish(sequence)
}

/// Makes square tiles of the tagged transpose.
pub fn squares(script: &mut Script, tag: &str, plan: &Transpose) {
    let (along, extent) = plan.along;
    let innermost = plan.loops - 1;
    let one = |number: usize, size: i64| {
        let mut sizes = vec![0; plan.loops];
        sizes[number] = size;
        sizes
    };
    let outer: Vec<i64> =
        (0..plan.loops).map(|number| i64::from(number != along && number != innermost)).collect();
    if plan.loops > 2 {
        let whole = script.tagged(Script::FUNC, tag);
        script.tile(whole, &outer);
        script.clean();
    }
    let mut levels = Vec::new();
    if plan.has_blocks() {
        script.comment("rows whose pages stay in the TLB");
        levels.push((along, extent, plan.block));
        levels.push((innermost, plan.across, plan.beside * plan.lanes));
        levels.push((along, plan.block, plan.lanes));
    } else {
        levels.push((innermost, plan.across, plan.beside * plan.lanes));
        levels.push((along, extent, extent.min(plan.lanes)));
    }
    let mut parts = 1;
    for (number, extent, size) in levels {
        if extent == size {
            continue;
        }
        let all = script.tagged(Script::FUNC, tag);
        let main = script.split(all, parts)[0];
        let (_, loops) = script.tile(main, &one(number, size));
        script.clean();
        if extent % size != 0 {
            // The remainder comes after the full tiles.
            script.peel(loops[0]);
            script.clean();
            parts += 1;
        }
    }
    script.comment("register tile transpose");
    let all = script.tagged(Script::FUNC, tag);
    let mut main = script.split(all, parts)[0];
    let mut beside = None;
    if plan.beside > 1 {
        script.comment("whole lines of the result");
        let (square, loops) = script.tile(main, &one(innermost, plan.lanes));
        (main, beside) = (square, loops.first().copied());
    }
    script.vectorize(main);
    script
        .patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS]);
    script.clean();
    script.patterns(&[
        transform::APPLY_PATTERNS_VECTOR_TRANSFER_PERMUTATION_PATTERNS,
        transform::APPLY_PATTERNS_VECTOR_CAST_AWAY_VECTOR_LEADING_ONE_DIM,
        transform::APPLY_PATTERNS_CANONICALIZATION,
    ]);
    if let Some(squares) = beside {
        script.unroll(squares, plan.beside);
        script.clean();
    }
}
