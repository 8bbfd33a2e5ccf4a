//! The cost model: tile sizes from shapes and the target's registers and caches.
//!
//! The unit is one cycle of a core that starts two vector multiply-adds and two vector loads per
//! cycle and needs `FMA_LATENCY` cycles for a multiply-add. Real cores differ; only the order of the
//! candidates matters.

use strata_ir::{
    Target,
    tuning::tiling::{
        FEW_ROWS, FMA_LATENCY, MAX_TILE_ROWS, MAX_TILE_VECTORS, MAX_TILE_VECTORS_OF_FEW_ROWS,
        MIN_K_BLOCK, MIN_PACK_REUSE, MIN_ROW_BLOCK, MIN_TILE_REUSE, PACKED_L2_SHARE, STREAMED_ROWS,
    },
};

/// Tile sizes of a reduction nest whose result has `m` rows and `n` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterTile {
    /// Rows of the register tile.
    pub rows: i64,
    /// Columns of the register tile: a multiple of `lanes`, or all columns.
    pub columns: i64,
    /// Elements of a vector.
    pub lanes: i64,
    /// Rows of a cache-resident block of the left operand; 0 for all.
    pub row_block: i64,
    /// Length of a K block; 0 for the whole reduction.
    pub depth_block: i64,
    /// Whether panels of the right operand are packed.
    pub pack: bool,
}

/// The pieces of a loop of `extent` tiled by `tile`: the full tile, then the remainder.
pub fn parts(extent: i64, tile: i64) -> Vec<i64> {
    if tile == 0 || tile >= extent {
        return vec![extent];
    }
    match extent % tile {
        0 => vec![tile],
        rest => vec![tile, rest],
    }
}

/// How often each width of a register tile occurs: the full one, the remainder in whole vectors, the
/// remainder of that.
fn column_tiles(n: i64, columns: i64, lanes: i64) -> Vec<(i64, i64)> {
    let rest = n % columns;
    [(n / columns, columns), (1, rest / lanes * lanes), (1, rest % lanes)]
        .into_iter()
        .filter(|(count, width)| *count > 0 && *width > 0)
        .collect()
}

/// Cycles per step of the reduction for a whole `m × n` result in register tiles.
fn cycles(m: i64, n: i64, rows: i64, columns: i64, lanes: i64) -> f64 {
    let mut total = 0.0;
    for (row, part_m) in parts(m, rows).into_iter().enumerate() {
        for (tiles_n, part_n) in column_tiles(n, columns, lanes) {
            let tiles_m = if row == 0 { m / part_m } else { 1 };
            let vectors = ceil_div(part_n, lanes);
            let compute = (part_m * vectors) as f64 / 2.0;
            let load = (part_m + vectors) as f64 / 2.0;
            // Loads compete for issue slots even if the arithmetic hides their latency.
            total += (tiles_m * tiles_n) as f64 * (compute.max(load).max(FMA_LATENCY) + load / 8.0);
        }
    }
    total
}

/// Chooses the tiles of an `m × n` result of elements of `bits` bits that sums `k` products each;
/// the right operand is used for `reuse` rows in all.
pub fn register_tile(target: &Target, bits: u32, [m, n, k]: [i64; 3], reuse: i64) -> RegisterTile {
    let lanes = i64::from(target.lanes(bits));
    // Without fused multiply-add a product needs another register.
    let registers = i64::from(target.vector_registers()) - i64::from(!target.has_fma());
    let bytes = i64::from(bits.div_ceil(8));
    let mut best = (f64::INFINITY, 1, 1);
    // A result with few rows needs its independent accumulators in the columns.
    let widest = if m <= FEW_ROWS { MAX_TILE_VECTORS_OF_FEW_ROWS } else { MAX_TILE_VECTORS };
    for vectors in (1..=widest).rev() {
        let most = if vectors == 1 { 2 * MAX_TILE_ROWS } else { MAX_TILE_ROWS };
        for rows in (1..=most.min(m)).rev() {
            // Accumulators, one row of the right operand, one broadcast element of the left one.
            if rows * vectors + vectors + 1 > registers {
                continue;
            }
            let cost = cycles(m, n, rows, vectors * lanes, lanes);
            if cost < best.0 {
                best = (cost, rows, vectors);
            }
        }
    }
    let (_, rows, vectors) = best;
    let columns = vectors * lanes;
    let l2 = target.l2_bytes as i64;
    let depth_limit = match reuse < MIN_TILE_REUSE && k * n * bytes > l2 {
        // Streamed from memory once: whole rows one after the other, the result stays in L1.
        true => STREAMED_ROWS,
        // A panel that shares L2 with little else still streams; splitting the reduction costs more.
        false => (l2 / 2 / (columns * bytes)).max(MIN_K_BLOCK),
    };
    // One tile covers the whole result: nothing is reread.
    let is_one_tile = n <= columns && m <= rows;
    let depth_block = match k > depth_limit && !is_one_tile {
        true => even_block(k, depth_limit),
        false => 0,
    };
    let depth = if depth_block == 0 { k } else { depth_block };
    // Each block of rows packs the panels again, so blocks must be large enough.
    let row_limit = (2 * l2 / (depth * bytes) / rows * rows).max(MIN_ROW_BLOCK * rows);
    let row_block = if m > 2 * row_limit { row_limit } else { 0 };
    // An operand that fits L2 with room for the rest needs no packing, whatever its stride.
    let pack =
        n > columns && reuse >= MIN_PACK_REUSE * rows && k * n * bytes > l2 / PACKED_L2_SHARE;
    RegisterTile { rows, columns, lanes, row_block, depth_block, pack }
}

/// The block size of at most `limit` that splits `extent` into blocks of nearly equal size.
fn even_block(extent: i64, limit: i64) -> i64 {
    ceil_div(extent, ceil_div(extent, limit))
}

fn ceil_div(value: i64, by: i64) -> i64 {
    (value + by - 1) / by
}

#[cfg(test)]
mod tests {
    use strata_ir::{Isa, Target};

    use super::{parts, register_tile};

    fn target(isa: Isa) -> Target {
        Target { isa, l1_bytes: 32 << 10, l2_bytes: 1 << 20, ..Target::x86_64_baseline() }
    }

    #[test]
    fn a_rest_is_a_part_of_its_own() {
        assert_eq!(parts(64, 16), [16]);
        assert_eq!(parts(65, 16), [16, 1]);
        assert_eq!(parts(5, 16), [5]);
        assert_eq!(parts(5, 0), [5]);
    }

    #[test]
    fn register_tiles_fit_the_registers_of_each_target() {
        for isa in [Isa::Sse2, Isa::Avx2, Isa::Avx512, Isa::Neon] {
            let target = target(isa);
            for (m, n, k) in [(64, 64, 64), (17, 33, 65), (1, 512, 784), (512, 512, 512)] {
                let tile = register_tile(&target, 32, [m, n, k], m);
                let vectors = tile.columns / tile.lanes;
                let used = tile.rows * vectors + vectors + 1;
                assert!(used <= i64::from(target.vector_registers()), "{isa:?} {tile:?}");
                assert!(tile.rows <= m);
            }
        }
    }

    #[test]
    fn square_products_keep_enough_accumulators_in_flight() {
        for (isa, rows, columns) in [(Isa::Avx512, 6, 64), (Isa::Avx2, 6, 16), (Isa::Neon, 6, 16)] {
            let tile = register_tile(&target(isa), 32, [512; 3], 512);
            assert_eq!((tile.rows, tile.columns), (rows, columns), "{isa:?}");
            assert!(tile.pack);
        }
    }

    #[test]
    fn an_operand_within_a_quarter_of_l2_is_not_packed() {
        let target = target(Isa::Avx512);
        assert!(!register_tile(&target, 32, [256; 3], 256).pack);
        assert!(register_tile(&target, 32, [257; 3], 257).pack);
    }
}
