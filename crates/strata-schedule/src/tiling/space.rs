//! The schedules that a nest may have: those around the cost model's, for a search that measures them.

use std::collections::BTreeSet;

use strata_ir::{
    Target,
    tuning::{
        search::{DEPTH_BLOCKS, ROW_BLOCKS, TRANSPOSE_BLOCKS, UNROLLED},
        tiling::{
            MAX_TILE_ROWS, MAX_TILE_VECTORS, MAX_TILE_VECTORS_OF_FEW_ROWS, MAX_TRANSPOSE_SIDE,
        },
    },
};

use crate::tiling::{
    candidates::{Parts, lanes_of, read_reduction},
    choice::Choice,
    plan::Plan,
    register::Reduction,
};

/// All schedules for a nest that a search may try, in a fixed order.
pub fn space(parts: &Parts<'_>, target: &Target) -> BTreeSet<Choice> {
    let Ok((most, bits)) = lanes_of(parts, target) else { return BTreeSet::new() };
    let mut all = Vec::new();
    // Half of the register leaves more registers to the tile's rows, and shorter remainders.
    for lanes in [2 * most, most, most / 2] {
        for unroll in UNROLLED {
            let plain = [true, false].map(|flat| Choice::Elementwise { lanes, unroll, flat });
            all.extend(plain);
            let rows = UNROLLED.map(|accumulators| Choice::Rows { lanes, accumulators, unroll });
            all.extend(rows);
        }
        all.extend(
            TRANSPOSE_BLOCKS
                .map(|block| Choice::Transpose { side: lanes.min(MAX_TRANSPOSE_SIDE), block }),
        );
    }
    if let Ok((nest, reduction_bits)) = read_reduction(parts, target) {
        let most = i64::from(target.lanes(reduction_bits.max(bits)));
        [most, most / 2].into_iter().for_each(|lanes| tiles(&nest, lanes, &mut all));
    }
    let is_legal = |choice: &Choice| Plan::of(choice, parts, target).is_ok();
    all.into_iter().filter(is_legal).collect()
}

/// Register tiles of vectors of that many elements.
fn tiles(nest: &Reduction, lanes: i64, all: &mut Vec<Choice>) {
    let depth = nest.depth();
    let mut depth_blocks = vec![0];
    if let [_] = nest.reduced.as_slice() {
        depth_blocks.extend(DEPTH_BLOCKS.iter().map(|limit| even(depth, *limit)));
    }
    // A tile of more columns than the result has is that of the next multiple of a vector.
    let widest = MAX_TILE_VECTORS_OF_FEW_ROWS.max(MAX_TILE_VECTORS);
    for vectors in 1..=widest.min((nest.n + lanes - 1) / lanes) {
        for rows in 1..=(2 * MAX_TILE_ROWS).min(nest.m) {
            let blocks = ROW_BLOCKS.map(|count| count * rows);
            for row_block in std::iter::once(0).chain(blocks) {
                for depth_block in &depth_blocks {
                    for (pack, transpose_panels) in
                        [(false, false), (true, false), (false, true), (true, true)]
                    {
                        all.push(Choice::Registers {
                            rows,
                            columns: vectors * lanes,
                            lanes,
                            row_block,
                            depth_block: *depth_block,
                            pack,
                            transpose_panels,
                        });
                    }
                }
            }
        }
    }
}

/// The size of blocks of nearly equal size, of about `limit`; 0 where one is enough.
fn even(extent: i64, limit: i64) -> i64 {
    let blocks = (extent + limit - 1) / limit;
    if blocks < 2 { 0 } else { (extent + blocks - 1) / blocks }
}
