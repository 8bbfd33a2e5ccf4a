//! Elementwise operations: one loop over vectors of one register.
//!
//! Before: one `linalg.generic` without reductions (chains were fused before).
//!
//! After, for 1000 elements of `f32` and AVX-512:
//!
//! ```text
//! scf.for %i = 0 to 992 step 64 {          // four vectors per trip
//!   4 × (vector.transfer_read …, arith / math on vector<16xf32>, vector.transfer_write)
//! }
//! the last 40 elements: two vectors and one of 8
//! ```

use crate::{
    structured::{Index, Structured, is_division, vector_bits},
    tiling::{
        cost::parts,
        register::{Tile, finish, unroll_tiles},
    },
    transform::{script::Script, tags},
};
use strata_ir::{Op, TypeExt as _, arith};
use strata_target::{
    Isa,
    tuning::{
        quick::MAX_COPIED_WORK,
        tiling::{
            MAX_UNROLLED_TWICE_WORK, MAX_UNROLLED_WORK, MIN_SHORT_VECTOR, MIN_SHORT_VECTOR_ROWS,
            UNROLL,
        },
    },
};

/// Vectors per iteration for a body of that many instructions. A long one has enough parallelism by
/// itself, and unrolling it would exceed the registers.
fn unroll(work: usize) -> i64 {
    if work <= MAX_UNROLLED_WORK {
        UNROLL
    } else if work <= MAX_UNROLLED_TWICE_WORK {
        2
    } else {
        1
    }
}

/// As [`unroll`], for a nest whose code takes longer to make than to run.
fn unroll_shortly(work: usize) -> i64 {
    let usual = unroll(work);
    let least = usual.min(i64::try_from(MAX_COPIED_WORK / work.max(1)).unwrap_or(usual));
    // A power of two, as the usual ones.
    if least < 2 { 1 } else { 1 << least.ilog2() }
}

/// The tiling of an elementwise operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elementwise {
    /// The number of loops.
    pub loops: usize,
    /// The trip count of the vectorised loop: the innermost one, or all of them flattened.
    pub extent: i64,
    /// Whether all loops collapse into one.
    pub flat: bool,
    /// Elements of a vector.
    pub lanes: i64,
    /// Vectors per iteration.
    pub unroll: i64,
}

impl Elementwise {
    /// The same for a loop that may end within: all of its elements are in iterations of it.
    pub fn ending_within(self) -> Self {
        Self { unroll: vectors_within(self.unroll, self.extent, self.lanes), ..self }
    }
}

/// The number of vectors for an iteration of a loop over `extent` elements that may end within, at most `most`: with more than one
/// iteration, and none of fewer elements.
pub fn vectors_within(most: i64, extent: i64, lanes: i64) -> i64 {
    let is_right = |vectors: &i64| extent % (vectors * lanes) == 0 && extent > vectors * lanes;
    let smaller = std::iter::successors(Some(most), |vectors| Some(vectors / 2));
    smaller.take_while(|vectors| *vectors > 1).find(is_right).unwrap_or(1)
}

/// The tiling of the operation, with less code than is fastest if it runs at most `short_work` vector instructions.
///
/// # Errors
/// Why vectors along the innermost loop do not help.
pub fn read(
    nest: &Structured<'_>,
    (lanes, isa): (i64, Isa),
    short_work: Option<i64>,
) -> Result<Elementwise, String> {
    let loops = nest.extents.len();
    let innermost = loops.checked_sub(1).ok_or("it computes a scalar")?;
    // Flattening adds a reshape of the result; only short rows are worth that.
    let flat = loops > 1
        && nest.is_pure_map()
        && nest.extents[innermost] < lanes
        && nest.maps.iter().all(|map| crate::structured::is_identity(map, loops));
    let extent = if flat { nest.extents.iter().product() } else { nest.extents[innermost] };
    if !is_contiguous(nest) {
        return Err("an operand is not contiguous along the innermost loop".to_owned());
    }
    // Short rows that cannot be one line are a shorter vector, or two.
    if extent < lanes && (flat || !gains_from_short_vectors(nest, lanes, isa)) {
        return Err(format!("{extent} elements do not fill a vector of {lanes}"));
    }
    let lanes = lanes.min(1 << extent.max(1).ilog2());
    let vectors = nest.extents.iter().fold(1_i64, |all, size| all.saturating_mul(*size)) / lanes;
    let work = nest.work();
    // Copies of a long body take as much longer to make as they take to run: how often it runs decides.
    let counted = work.min(MAX_COPIED_WORK) as i64;
    let is_short = |most| vectors.saturating_mul(counted) <= most;
    let unroll = match short_work.is_some_and(is_short) {
        true => unroll_shortly(work),
        false => unroll(work),
    };
    Ok(Elementwise { loops, extent, flat, lanes, unroll })
}

/// Whether rows that are shorter than a vector are better as vectors of as many lanes as fit than as LLVM's loops. These are vectors over
/// several rows for one operation, with masks where the target has them, and single elements for several. Divisions and functions take as
/// long on half a vector as on one.
fn gains_from_short_vectors(nest: &Structured<'_>, lanes: i64, isa: Isa) -> bool {
    let [outer @ .., extent] = nest.extents.as_slice() else { return false };
    let rows = outer.iter().fold(1_i64, |all, size| all.saturating_mul(*size));
    let ops = nest.op.body(0).ops();
    let ops: Vec<_> = ops.into_iter().filter(|op| is_arithmetic(*op)).collect();
    let divides = ops.iter().any(|op| is_division(op.name()));
    let has_masks =
        isa == Isa::Avx512 && (MIN_SHORT_VECTOR..=2 * MIN_SHORT_VECTOR).contains(extent);
    let least = if divides || nest.has_function() {
        MIN_SHORT_VECTOR
    } else {
        MIN_SHORT_VECTOR.min(lanes / 2)
    };
    let fills_a_vector = extent.count_ones() == 1;
    let is_small_float =
        vector_bits(nest.op) == Some(16) && nest.op.operand(0).ty().element().is_float_type();
    let is_better = match fills_a_vector {
        true => !is_small_float,
        false => ops.len() > 1 || !(divides || has_masks),
    };
    rows >= MIN_SHORT_VECTOR_ROWS && *extent >= least && is_better
}

/// Whether it computes an element: neither widens, narrows nor returns one, nor compares, which `select` does with a mask.
fn is_arithmetic(op: Op<'_>) -> bool {
    op.dialect() != "linalg"
        && !matches!(op.name(), arith::EXTF | arith::TRUNCF | arith::CMPF | arith::CMPI)
}

/// Whether the innermost loop indexes the last dimension of every tensor that it indexes.
pub fn is_contiguous(nest: &Structured<'_>) -> bool {
    nest.maps.iter().all(|map| {
        map.iter().enumerate().all(|(dim, index)| match index {
            Index::Loop(number) => *number + 1 != nest.extents.len() || dim + 1 == map.len(),
            Index::Mixed(_) => false,
        })
    })
}

/// The schedule as a named sequence.
pub fn schedule(plan: &Elementwise, sequence: &str) -> String {
    let mut script = Script::new();
    if plan.flat {
        script.comment("one loop over all elements");
        let root = script.tagged(Script::FUNC, tags::ROOT);
        let flat = script.flatten(root);
        script.tag(flat, tags::ROOT);
    }
    let loops = if plan.flat { 1 } else { plan.loops };
    let outer = vec![1; loops - 1];
    vector_loop(&mut script, tags::ROOT, &outer, plan.extent, plan.lanes, plan.unroll);
    finish(&mut script);
    script.finish(sequence)
}

/// Tiles the tagged operation by `outer` and its innermost loop, of `extent` trips, by vectors, `unroll`
/// of them per iteration.
pub fn vector_loop(
    script: &mut Script,
    tag: &str,
    outer: &[i64],
    extent: i64,
    lanes: i64,
    unroll: i64,
) {
    script.comment("vectors of one register");
    let wide = if extent >= unroll * lanes { unroll * lanes } else { lanes };
    let mut sizes = outer.to_vec();
    sizes.push(wide);
    let operation = script.tagged(Script::FUNC, tag);
    let (_, loops) = script.tile(operation, &sizes);
    script.clean();
    let widths = parts(extent, wide);
    if widths.len() == 2 {
        script.peel(loops[loops.len() - 1]);
        script.clean();
    }
    let all = script.tagged(Script::FUNC, tag);
    for (index, piece) in script.split(all, widths.len()).into_iter().enumerate() {
        script.tag(piece, &tags::piece(tag, index));
    }
    for (index, width) in widths.into_iter().enumerate() {
        cut(script, &tags::piece(tag, index), (outer.len(), 1), width, lanes);
    }
}

/// The sizes of tiles of one vector, in `outer` loops around the columns, the last of which has `height` trips, the others one.
pub fn one_vector(outer: usize, height: i64, lanes: i64) -> Vec<i64> {
    let mut sizes = vec![0; outer];
    if height > 1
        && let Some(rows) = sizes.last_mut()
    {
        *rows = 1;
    }
    sizes.push(lanes);
    sizes
}

/// Vectorises the tagged operation, whose innermost loop has `width` iterations, into unrolled vectors
/// of `lanes` elements and a shorter remainder; of the `outer` loops around it the last one has `height` trips, the others one.
pub fn cut(script: &mut Script, tag: &str, (outer, height): (usize, i64), width: i64, lanes: i64) {
    let whole = width / lanes * lanes;
    let tile = |tag: String, width: i64| Tile {
        tag,
        sizes: one_vector(outer, height, lanes),
        m: height,
        n: width,
        depth: 0,
    };
    if whole == 0 || whole == width {
        unroll_tiles(script, &[tile(tag.to_owned(), width)], lanes);
        return;
    }
    let operation = script.tagged(Script::FUNC, tag);
    let mut sizes = vec![0; outer];
    sizes.push(whole);
    let (_, loops) = script.tile(operation, &sizes);
    script.clean();
    script.peel(loops[0]);
    script.clean();
    let all = script.tagged(Script::FUNC, tag);
    for (index, piece) in script.split(all, 2).into_iter().enumerate() {
        script.tag(piece, &tags::piece(tag, index));
    }
    for (index, width) in [whole, width - whole].into_iter().enumerate() {
        unroll_tiles(script, &[tile(tags::piece(tag, index), width)], lanes);
    }
}
