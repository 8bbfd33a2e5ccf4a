//! Tiles of convolutions that keep channels apart, each of which has a window of its own (depthwise).
//!
//! Both operands are vectors along the columns, and LLVM unrolls the window, or a row of it: the pixels that windows of neighbours share, and
//! the weights, are in registers then beside the sums. A tile of a product, which fills the registers with sums, would spill them.

use strata_target::{
    Target,
    tuning::{
        panels::LINE_BYTES,
        tiling::{L1_WAYS, MIN_KEPT_PIXELS, WINDOW_SUMS, WINDOW_SUMS_COST},
    },
};

use crate::tiling::cost::{RegisterTile, ceil_div, kept_rows};

/// Whether the tile below is for the target: one with many registers spills less.
pub fn has_few_registers(target: &Target) -> bool {
    target.vector_registers() <= 2 * WINDOW_SUMS as u32
}

/// Chooses the tiles of an `m × n` result of elements of `bits` bits, where `n` are the channels.
pub fn depthwise_tile(target: &Target, bits: u32, [m, n]: [i64; 2]) -> RegisterTile {
    let lanes = i64::from(target.lanes(bits));
    let bytes = i64::from(bits.div_ceil(8));
    let in_line = (LINE_BYTES as i64 / (lanes * bytes)).max(1);
    // Where the lines of a panel share sets of L1, they are read again for each row of the window: fewer, wider panels.
    let lines = match kept_rows([target.l1_bytes as i64, L1_WAYS], n * bytes) < MIN_KEPT_PIXELS {
        true => 2,
        false => 1,
    };
    // Few rows have as many sums in wider panels.
    let widest = (lines * in_line).min(WINDOW_SUMS / 2).max(WINDOW_SUMS / m.max(1));
    let vectors = widest.min(ceil_div(n, lanes)).max(1);
    let least = (WINDOW_SUMS / vectors).min(m);
    let cost = |rows: &i64| {
        let more = (rows * vectors - WINDOW_SUMS).max(0) as f64;
        (ceil_div(m, *rows) * rows) as f64 * (1.0 + more * WINDOW_SUMS_COST)
    };
    let rows = (least..=(least + 1).min(m)).min_by(|one, other| cost(one).total_cmp(&cost(other)));
    RegisterTile {
        rows: rows.unwrap_or(least),
        columns: vectors * lanes,
        lanes,
        row_block: 0,
        depth_block: 0,
        outer_block: 0,
        pack: false,
    }
}

#[cfg(test)]
mod tests {
    use strata_target::{Isa, Target};

    use super::{depthwise_tile, has_few_registers};

    fn tile(isa: Isa, bits: u32, result: [i64; 2]) -> (i64, i64) {
        let target = Target { isa, l1_bytes: 32 << 10, ..Target::x86_64_baseline() };
        assert!(has_few_registers(&target));
        let tile = depthwise_tile(&target, bits, result);
        (tile.rows, tile.columns)
    }

    #[test]
    fn panels_are_a_line_wide_or_two_where_lines_share_sets() {
        assert_eq!(tile(Isa::Avx2, 32, [112, 32]), (4, 16));
        assert_eq!(tile(Isa::Avx2, 32, [55, 96]), (4, 16));
        assert_eq!(tile(Isa::Avx2, 32, [28, 256]), (2, 32));
        assert_eq!(tile(Isa::Avx2, 64, [55, 96]), (4, 8));
        assert_eq!(tile(Isa::Avx2, 64, [28, 256]), (2, 16));
        assert_eq!(tile(Isa::Sse2, 32, [55, 96]), (2, 16));
        assert_eq!(tile(Isa::Sse2, 32, [28, 256]), (2, 16));
    }

    #[test]
    fn small_images_and_few_channels_have_small_tiles() {
        // Three tiles instead of four.
        assert_eq!(tile(Isa::Avx2, 32, [14, 64]), (5, 16));
        assert_eq!(tile(Isa::Avx2, 32, [3, 64]), (3, 16));
        assert_eq!(tile(Isa::Avx2, 32, [2, 96]), (2, 32));
        assert_eq!(tile(Isa::Avx2, 32, [1, 768]), (1, 64));
        assert_eq!(tile(Isa::Avx2, 32, [1, 8]), (1, 8));
        assert_eq!(tile(Isa::Avx2, 32, [20, 3]), (8, 8));
    }

    #[test]
    fn other_targets_keep_the_tiles_of_products() {
        let target = Target { isa: Isa::Avx512, ..Target::x86_64_baseline() };
        assert!(!has_few_registers(&target));
    }
}
