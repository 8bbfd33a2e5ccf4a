//! The schedules that a nest may have: those around the cost model's, for a search that measures them.

use std::collections::BTreeSet;

use strata_target::{
    Target,
    tuning::{
        search::{
            DEPTH_BLOCKS, OUTER_BLOCKS, ROW_BLOCKS, ROWS_TOGETHER, TRANSPOSE_BLOCKS, UNROLLED,
        },
        tiling::{
            MAX_TILE_ROWS, MAX_TILE_VECTORS, MAX_TILE_VECTORS_OF_FEW_ROWS, MAX_TRANSPOSE_SIDE,
        },
    },
};

use crate::tiling::{
    candidates::{Parts, lanes_of, read_reduction, read_rows},
    choice::Choice,
    cost::{Reads, cycles_of_all, even_block},
    plan::Plan,
    register::Reduction,
    rows::Rows,
};

/// All schedules for a nest that a search may try, in a fixed order: those of register tiles that the cost model expects most of first.
pub fn space(parts: &Parts<'_>, target: &Target) -> Vec<Choice> {
    let Ok((most, bits)) = lanes_of(parts, target) else { return Vec::new() };
    let mut all = Vec::new();
    // Half of the register leaves more registers to the tile's rows, and shorter remainders.
    for lanes in [2 * most, most, most / 2] {
        for unroll in UNROLLED {
            let plain = [true, false].map(|flat| Choice::Elementwise { lanes, unroll, flat });
            all.extend(plain);
            for together in ROWS_TOGETHER {
                let rows = |accumulators| Choice::Rows { lanes, accumulators, unroll, together };
                all.extend(UNROLLED.map(rows));
            }
        }
        all.extend(
            TRANSPOSE_BLOCKS
                .map(|block| Choice::Transpose { side: lanes.min(MAX_TRANSPOSE_SIDE), block }),
        );
    }
    if let Some(block) = read_rows(parts, most, bits, target).ok().filter(Rows::is_block) {
        all.push(Plan::Rows(block).choice());
    }
    if let Ok((nest, reduction_bits)) = read_reduction(parts, target) {
        let most = i64::from(target.lanes(reduction_bits.max(bits)));
        let bits = i64::from(reduction_bits);
        [most, most / 2].into_iter().for_each(|lanes| tiles(&nest, [lanes, bits], &mut all));
    }
    for (pack, transpose_panels) in [(true, false), (false, true), (false, false)] {
        all.push(Choice::Tiles { pack, transpose_panels });
    }
    let mut known = BTreeSet::new();
    let is_new = |choice: &Choice| known.insert(choice.clone());
    let is_legal = |choice: &Choice| Plan::of(choice, parts, target).is_ok();
    // A lone reduction has no other operations that are unrolled.
    let lone =
        read_rows(parts, most, bits, target).ok().filter(Rows::is_lone).map(|plan| plan.unroll);
    let is_other = |choice: &Choice| match choice {
        Choice::Rows { unroll, .. } => lone.is_none_or(|own| own == *unroll),
        _ => true,
    };
    all.into_iter().filter(is_other).filter(is_new).filter(is_legal).collect()
}

/// Register tiles of vectors of that many elements. Which tile is best is one order, how its operands are read another one; the first in
/// both come first.
fn tiles(nest: &Reduction, [lanes, bits]: [i64; 2], all: &mut Vec<Choice>) {
    let reads = if nest.has_own_rows() { Reads::Own } else { Reads::Shared };
    let mut shapes = Vec::new();
    // A tile of more columns than the result has is that of the next multiple of a vector.
    let widest = MAX_TILE_VECTORS_OF_FEW_ROWS.max(MAX_TILE_VECTORS);
    for vectors in 1..=widest.min((nest.n + lanes - 1) / lanes) {
        for rows in 1..=(2 * MAX_TILE_ROWS).min(nest.m) {
            let columns = vectors * lanes;
            let cost = cycles_of_all(reads, [nest.m, nest.n], rows, columns, [lanes, bits]);
            shapes.push((cost, rows, columns));
        }
    }
    shapes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut depth_blocks = vec![0];
    if let [_] = nest.reduced.as_slice() {
        depth_blocks.extend(DEPTH_BLOCKS.iter().map(|limit| even(nest.depth(), *limit)));
    }
    let has_outer = !nest.outer.is_empty();
    let mut ways = Vec::new();
    for count in std::iter::once(0).chain(ROW_BLOCKS) {
        for depth_block in &depth_blocks {
            for copies in [(false, false), (true, false), (false, true), (true, true)] {
                let blocks = OUTER_BLOCKS.into_iter().filter(|block| *block == 0 || has_outer);
                ways.extend(blocks.map(|outer| (count, *depth_block, outer, copies)));
            }
        }
    }
    let mut ranked = Vec::new();
    for (shape, &(_, rows, columns)) in shapes.iter().enumerate() {
        for (way, &(count, depth_block, outer_block, (pack, transpose_panels))) in
            ways.iter().enumerate()
        {
            let row_block = count * rows;
            let choice = Choice::Registers {
                rows,
                columns,
                lanes,
                row_block,
                depth_block,
                outer_block,
                pack,
                transpose_panels,
            };
            ranked.push((shape + way, choice));
        }
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    all.extend(ranked.into_iter().map(|(_, choice)| choice));
}

/// The size of blocks of nearly equal size, of about `limit`; 0 where one is enough.
fn even(extent: i64, limit: i64) -> i64 {
    if extent <= limit { 0 } else { even_block(extent, limit) }
}
