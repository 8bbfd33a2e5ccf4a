//! The cost model: tile sizes from shapes and the target's registers and caches.
//!
//! The unit is one cycle of a core that starts two vector multiply-adds and two vector loads per
//! cycle and needs `FMA_LATENCY` cycles for a multiply-add. Real cores differ; only the order of the
//! candidates matters.

use std::cmp::Ordering::Equal;

use strata_target::{
    Target,
    tuning::{
        panels::LINE_BYTES,
        quick::{MAX_TILE_COST, REGION_CODE},
        tiling::{
            FEW_ROWS, FMA_LATENCY, L1_WAYS, L2_WAYS, LOST_DEPTH, MAX_OPEN_TILE_VECTORS,
            MAX_TILE_ROWS, MAX_TILE_VECTORS, MAX_TILE_VECTORS_OF_FEW_ROWS, MIN_K_BLOCK,
            MIN_KEPT_ROWS, MIN_PACK_REUSE, MIN_PANEL_ROWS, MIN_ROW_BLOCK, MIN_SHARED_PACK_REUSE,
            MIN_TILE_REUSE, MIN_WIDE_PACK_REUSE, OWN_L2_SHARE, OWN_OPERATION_REGISTERS,
            OWN_STREAMED_ROWS, OWN_TILE_COST, PACKED_L2_SHARE, STREAMED_L2_SHARES, STREAMED_ROWS,
            TALL_TILE_ROWS, TALL_TILE_VECTORS, WIDE_PANEL_LINES, WINDOW_SUMS,
        },
    },
};

use super::open_rows;

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
    /// Iterations of the loop around the rows that are finished before the next ones; 0 for all.
    pub outer_block: i64,
    /// Whether panels of the right operand are packed.
    pub pack: bool,
}

/// How the tiles of a reduction read its right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right {
    /// The rows that it is used for in all.
    pub reuse: i64,
    /// Whether what they read is a copy in any case: a constant's, which the compiler makes, or a transposed one.
    pub is_copied: bool,
    /// The elements of a lane, or one: without a copy, as many rows are read for each row of lanes.
    pub lane: i64,
    /// Whether it has several lanes to a word, which are unpacked where they are read.
    pub is_unpacked: bool,
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

/// What the rows of a reduction's result read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The right operand, all of them the same elements: a product.
    Shared,
    /// Elements that no other row of the tile needs: windows, sums of rows in the middle, products of vectors with a matrix each.
    Own,
}

/// Cycles per step of the reduction for an `m × n` result in register tiles, whose elements have `bits` bits.
pub fn cycles_of_all(
    reads: Reads,
    result: [i64; 2],
    rows: i64,
    columns: i64,
    [lanes, bits]: [i64; 2],
) -> f64 {
    match reads {
        Reads::Shared => cycles(result, rows, columns, lanes),
        Reads::Own => own_cycles(result, rows, columns, [lanes, bits]),
    }
}

/// Cycles per step of the reduction for an `m × n` result in register tiles, if each accumulator reads an element of its own.
fn own_cycles([m, n]: [i64; 2], rows: i64, columns: i64, [lanes, bits]: [i64; 2]) -> f64 {
    let in_line = (LINE_BYTES as i64 * 8 / (lanes * bits)).max(1);
    let mut total = 0.0;
    for (tiles_m, part_m) in [(m / rows, rows), (1, m % rows)] {
        for (tiles_n, part_n) in column_tiles(n, columns, lanes) {
            let tiles = if part_m > 0 { tiles_m * tiles_n } else { 0 };
            // The rest of a line is read again for the next tile.
            let loads = part_m * ceil_div(ceil_div(part_n, lanes), in_line) * in_line;
            total += tiles as f64 * (loads as f64 / 2.0).max(FMA_LATENCY);
        }
    }
    total
}

/// Cycles per step of the reduction for an `m × n` result in register tiles that share the right operand.
fn cycles([m, n]: [i64; 2], rows: i64, columns: i64, lanes: i64) -> f64 {
    let mut total = 0.0;
    for (tiles_m, part_m) in [(m / rows, rows), (1, m % rows)] {
        for (tiles_n, part_n) in column_tiles(n, columns, lanes) {
            let tiles = if part_m > 0 { tiles_m * tiles_n } else { 0 };
            let vectors = ceil_div(part_n, lanes);
            let compute = (part_m * vectors) as f64 / 2.0;
            let load = (part_m + vectors) as f64 / 2.0;
            // Loads compete for issue slots even if the arithmetic hides their latency.
            total += tiles as f64 * (compute.max(load).max(FMA_LATENCY) + load / 8.0);
        }
    }
    total
}

/// Rows of an operand, `stride` bytes apart, of which a cache of that size and lines of a set keeps a line each: those a multiple of a large
/// power of two apart share few sets.
pub(crate) fn kept_rows([bytes, ways]: [i64; 2], stride: i64) -> i64 {
    let line = LINE_BYTES as i64;
    let sets = (bytes / (line * ways)).max(1);
    let apart = stride / line;
    if apart == 0 || stride % line != 0 {
        return sets * ways;
    }
    let shared = 1 << sets.trailing_zeros().min(apart.trailing_zeros());
    sets / shared * ways
}

/// The multiply-adds of the code for an `m × n` result in register tiles, with what each region takes beside them.
fn code([m, n]: [i64; 2], rows: i64, columns: i64, lanes: i64) -> i64 {
    let widths = column_tiles(n, columns, lanes);
    let widths = widths.into_iter().map(|(_, width)| ceil_div(width, lanes));
    let parts = parts(m, rows);
    widths.flat_map(|vectors| parts.iter().map(move |rows| rows * vectors + REGION_CODE)).sum()
}

/// What is asked of register tiles besides their speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The first rows are computed only, as many as a call says.
    pub is_limited: bool,
    /// The first columns of one row are computed only: the loop over tiles of columns ends there.
    pub ends_within: bool,
    /// Code is to be short where that costs little time.
    pub is_short: bool,
    /// The reduction is a window that LLVM unrolls, so that what neighbours share is in registers, too.
    pub is_unrolled: bool,
    /// There is one row, whose elements are read by no other one.
    pub is_alone: bool,
    /// A term is computed into a register of its own before it is combined with a result.
    pub has_terms: bool,
}

/// Chooses the tiles of an `m × n` result of elements of `bits` bits that sums `k` products each.
pub fn register_tile(
    target: &Target,
    bits: u32,
    [m, n, k]: [i64; 3],
    right: Right,
    Wanted { is_limited, ends_within, is_short, is_unrolled, is_alone, has_terms }: Wanted,
) -> RegisterTile {
    let reuse = right.reuse;
    let numbers = if is_limited { open_rows::numbers(m) } else { vec![m] };
    let lanes = i64::from(target.lanes(bits));
    let registers = registers(target) - i64::from(has_terms && target.has_fma());
    let bytes = i64::from(bits.div_ceil(8));
    let mut best = (f64::INFINITY, 1, 1);
    let mut tried = Vec::new();
    // A result with few rows needs its independent accumulators in the columns.
    let is_wide = m <= FEW_ROWS || is_short;
    let widest = if is_wide { MAX_TILE_VECTORS_OF_FEW_ROWS } else { MAX_TILE_VECTORS };
    let widest = if ends_within { ending_within(widest, n, lanes) } else { widest };
    for vectors in (1..=widest).rev() {
        let most = if vectors == 1 { 2 * MAX_TILE_ROWS } else { MAX_TILE_ROWS };
        let permitted: Vec<i64> = match is_limited {
            true => open_rows::of_tiles(m, vectors, most),
            false => (1..=most.min(m)).rev().collect(),
        };
        for rows in permitted {
            // Accumulators, one row of the right operand, one broadcast element of the left one, or what an operation takes.
            let others = match is_alone {
                true => OWN_OPERATION_REGISTERS.min(vectors + 1),
                false => vectors + 1,
            };
            if rows * vectors + others > registers {
                continue;
            }
            if is_unrolled && rows * vectors > WINDOW_SUMS {
                continue;
            }
            // Few rows count as much as many.
            let of =
                |needed: &i64| cycles([*needed, n], rows, vectors * lanes, lanes) / *needed as f64;
            let cost: f64 = numbers.iter().map(of).sum();
            if cost < best.0 {
                best = (cost, rows, vectors);
            }
            tried.push((cost, rows, vectors));
        }
    }
    if is_short {
        tried.retain(|(cost, ..)| *cost <= MAX_TILE_COST * best.0);
        // Among equals the narrowest; of tiles that cover all columns, what is left over does not count.
        let code = |(_, rows, vectors): &(f64, i64, i64)| {
            let columns = vectors.min(&ceil_div(n, lanes)) * lanes;
            (code([m, n], *rows, columns, lanes), *vectors)
        };
        best = tried.into_iter().min_by_key(code).unwrap_or(best);
    }
    let (_, rows, vectors) = best;
    let columns = vectors * lanes;
    let l2 = target.l2_bytes as i64;
    let streams = match reuse {
        _ if reuse < MIN_TILE_REUSE => k * n * bytes > l2,
        _ if right.is_unpacked => false,
        _ => reuse <= MAX_TILE_ROWS && k * n * bytes > STREAMED_L2_SHARES * l2,
    };
    // Of an open number of rows a panel is packed for as many as there are at least, which lower tiles do not change.
    let (packed_reuse, tile_rows) = match is_limited {
        true => (reuse / m * (m / 2 + 1), MAX_TILE_ROWS),
        false => (reuse, rows),
    };
    // An operand that fits L2 with room for the rest needs no packing, whatever its stride.
    let is_wide = columns * bytes >= WIDE_PANEL_LINES * LINE_BYTES as i64;
    let least_reuse = if is_wide { MIN_WIDE_PACK_REUSE } else { MIN_PACK_REUSE };
    let is_far = k * n * bytes > l2 / PACKED_L2_SHARE && packed_reuse >= least_reuse * tile_rows;
    // Nor does one that is near, but for a panel whose rows evict each other from L1, and are read from L2 for each tile of rows.
    let evicts = columns * bytes < 2 * LINE_BYTES as i64
        && !(right.is_copied || is_limited)
        && reuse >= MIN_SHARED_PACK_REUSE * rows
        && kept_rows([target.l1_bytes as i64, L1_WAYS], n * bytes) < k.min(MIN_PANEL_ROWS);
    let pack = n > columns && (is_far || evicts);
    // Neither a copy nor L2 keeps what the next tile of rows reads again.
    let is_lost = !(pack || right.is_copied || streams || is_limited)
        && k * n * bytes > l2
        && kept_rows([l2, L2_WAYS], n * bytes) < MIN_KEPT_ROWS;
    let tall = tall_tile([m, n], rows, [lanes, bytes], registers).filter(|_| is_lost);
    let (rows, columns) = tall.unwrap_or((rows, columns));
    let depth_limit = match streams {
        // Streamed from memory once: whole rows one after the other, the result stays in L1.
        true if right.is_copied => STREAMED_ROWS,
        true => STREAMED_ROWS / right.lane,
        false if is_lost => LOST_DEPTH,
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
    RegisterTile { rows, columns, lanes, row_block, depth_block, outer_block: 0, pack }
}

/// A reduction whose rows share no operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// Whether neighbours read some elements together.
    pub is_window: bool,
    /// Whether these are neighbours along the columns.
    pub slides: bool,
    /// Whether one loop reduces.
    pub is_one_loop: bool,
    /// Whether columns end at a size of a call.
    pub ends_within: bool,
}

/// Chooses the tiles of an `m × n` result of elements of `bits` bits, each of which reduces `k` elements of its own.
///
/// A tile is large enough for instructions not to wait for one another, and has few rows, since each is a place of memory of its own.
pub fn own_tile(target: &Target, bits: u32, [m, n, k]: [i64; 3], own: Own) -> RegisterTile {
    let lanes = i64::from(target.lanes(bits));
    let most = registers(target) - OWN_OPERATION_REGISTERS;
    let whole = ceil_div(n, lanes);
    // Windows of several rows read lines again, which the first cache keeps of a narrow panel.
    let widest = match own.is_window && m > 1 && whole > MAX_TILE_VECTORS_OF_FEW_ROWS {
        true => MAX_TILE_VECTORS,
        false => MAX_TILE_VECTORS_OF_FEW_ROWS.min(whole),
    };
    let widest = if own.ends_within { ending_within(widest, n, lanes) } else { widest };
    let (l2, read) = (target.l2_bytes as i64, k * n * i64::from(bits.div_ceil(8)));
    // What comes from beyond L2 takes longer than instructions wait for one another.
    let highest = if !own.is_window && m * read > l2 { 1 } else { 2 * MAX_TILE_ROWS };
    let shapes = (1..=widest).flat_map(|vectors| {
        let rows = 1..=highest.min(m).min(most / vectors);
        rows.map(move |rows| (rows, vectors))
    });
    let size = [lanes, i64::from(bits)];
    let cost = |(rows, vectors)| own_cycles([m, n], rows, vectors * lanes, size);
    let tried: Vec<_> = shapes.map(|shape| (cost(shape), shape)).collect();
    let least = tried.iter().map(|(cost, _)| *cost).fold(f64::INFINITY, f64::min);
    let near = tried.into_iter().filter(|(cost, _)| *cost <= OWN_TILE_COST * least);
    let order = |(cost, (rows, vectors)): &(f64, (i64, i64))| (*rows, *cost, *vectors);
    let best = near.min_by(|one, other| order(one).partial_cmp(&order(other)).unwrap_or(Equal));
    let (rows, vectors) = best.map_or((1, 1), |(_, shape)| shape);
    let columns = vectors * lanes;
    // Panel after panel of all rows skips most of each page. So a block of rows is finished first, and much of what it reads is read as
    // whole rows.
    let has_panels = (!own.is_window || own.slides) && n > columns;
    let is_streamed = has_panels && !own.is_window && own.is_one_loop && read > l2 / OWN_L2_SHARE;
    let depth_block = match is_streamed && k > OWN_STREAMED_ROWS {
        true => even_block(k, OWN_STREAMED_ROWS),
        false => 0,
    };
    let row_block = if has_panels && rows < m { rows } else { 0 };
    RegisterTile { rows, columns, lanes, row_block, depth_block, outer_block: 0, pack: false }
}

/// How many vectors a tile of `n` columns that end at a size has at most: a loop over columns ends there, of which there are several.
fn ending_within(widest: i64, n: i64, lanes: i64) -> i64 {
    widest.min(MAX_OPEN_TILE_VECTORS).min(n / (2 * lanes)).max(1)
}

/// The registers of a tile: without fused multiply-add a product needs another one.
pub fn registers(target: &Target) -> i64 {
    i64::from(target.vector_registers()) - i64::from(!target.has_fma())
}

/// The rows and columns of a tile that takes fewer tiles of rows than those of `rows`, if there is one: they read the right operand less
/// often.
fn tall_tile(
    [m, n]: [i64; 2],
    rows: i64,
    [lanes, bytes]: [i64; 2],
    registers: i64,
) -> Option<(i64, i64)> {
    if m <= MAX_TILE_ROWS {
        return None;
    }
    let high = |vectors: i64| ((registers - 1) / vectors - 1).min(TALL_TILE_ROWS).min(m).max(1);
    let tiles = |vectors: &i64| (ceil_div(m, high(*vectors)), -vectors);
    // Single lines far apart come one after the other, which costs more.
    let is_wide =
        |vectors: &i64| n > vectors * lanes && vectors * lanes * bytes > LINE_BYTES as i64;
    let wide = TALL_TILE_VECTORS.into_iter().filter(is_wide);
    let fewer = wide.filter(|vectors| tiles(vectors).0 < ceil_div(m, rows));
    fewer.min_by_key(tiles).map(|vectors| (high(vectors), vectors * lanes))
}

/// The block size of about `limit` that splits `extent` into blocks of nearly equal size, the last of which has more than one step: without
/// a loop it would have another form than the others.
pub fn even_block(extent: i64, limit: i64) -> i64 {
    let even = ceil_div(extent, ceil_div(extent, limit));
    (2..=even).rev().chain(even + 1..extent).find(|block| extent % block != 1).unwrap_or(even)
}

pub(crate) fn ceil_div(value: i64, by: i64) -> i64 {
    (value + by - 1) / by
}

#[cfg(test)]
mod tests {
    use strata_target::{Isa, Target};

    use super::{
        L2_WAYS, Own, Right, Wanted, even_block, kept_rows, own_tile, parts, register_tile,
    };

    fn target(isa: Isa) -> Target {
        Target { isa, l1_bytes: 32 << 10, l2_bytes: 1 << 20, ..Target::x86_64_baseline() }
    }

    /// An operand that is used for so many rows, and read where it is.
    fn read(reuse: i64) -> Right {
        Right { reuse, is_copied: false, lane: 1, is_unpacked: false }
    }

    fn limited(is_limited: bool) -> Wanted {
        Wanted { is_limited, ..Wanted::default() }
    }

    #[test]
    fn a_term_has_a_register() {
        for (isa, [m, n, k]) in
            [(Isa::Avx2, [1024; 3]), (Isa::Avx2, [64, 3072, 384]), (Isa::Avx512, [1024; 3])]
        {
            let target = target(isa);
            let wanted = Wanted { has_terms: true, ..Wanted::default() };
            let tile = register_tile(&target, 32, [m, n, k], read(m), wanted);
            let vectors = tile.columns / tile.lanes;
            assert!(
                tile.rows * vectors + vectors + 2 <= i64::from(target.vector_registers()),
                "{isa:?} {tile:?}"
            );
        }
    }

    #[test]
    fn short_code_has_one_tile_where_that_takes_as_long() {
        let tile = |m, n, is_short| {
            let wanted = Wanted { is_short, ..Wanted::default() };
            let tile = register_tile(&target(Isa::Avx512), 32, [m, n, 64], read(m), wanted);
            (tile.rows, tile.columns)
        };
        // Eight multiply-adds are enough to hide that each waits for the one before.
        assert_eq!([tile(64, 64, false), tile(64, 64, true)], [(6, 64), (4, 32)]);
        // All columns at once.
        assert_eq!(tile(32, 80, true), (2, 80));
        // A prime number of rows has a rest in any case.
        assert_eq!(tile(67, 64, true), (2, 64));
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
                let tile = register_tile(&target, 32, [m, n, k], read(m), limited(m > 1));
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
            let tile = register_tile(&target(isa), 32, [512; 3], read(512), Wanted::default());
            assert_eq!((tile.rows, tile.columns), (rows, columns), "{isa:?}");
            assert!(tile.pack);
        }
    }

    #[test]
    fn tiles_of_an_open_number_of_rows_are_those_of_given_ones() {
        let tile = |m, is_limited| {
            register_tile(&target(Isa::Avx512), 32, [m, 512, 784], read(m), limited(is_limited))
        };
        // Rows after the last whole tile have code for each number, but a single one of the bound is always computed.
        for m in [12, 16, 24, 31, 32, 48, 96, 127, 128] {
            let tile = tile(m, true);
            assert!((4..=6).contains(&tile.rows) && tile.columns == 64, "{m}: {tile:?}");
            assert_ne!(m % tile.rows, 1, "{m}");
        }
        // 65 rows are too few for packing, and what 128 rows are computed with is called with 65.
        assert!(tile(128, false).pack && !tile(128, true).pack && tile(256, true).pack);
    }

    #[test]
    fn no_block_has_a_single_step() {
        let block = |extent| even_block(extent, 8);
        assert_eq!([16, 9, 8, 17, 9001, 841].map(block), [8, 5, 8, 6, 7, 9]);
        for extent in 2..2000 {
            let block = block(extent);
            assert!(block >= extent.min(2) && extent % block != 1, "{extent}: {block}");
        }
    }

    #[test]
    fn operands_of_few_uses_that_no_cache_holds_are_streamed() {
        let depth = |right: Right, size| {
            let (target, whole) = (target(Isa::Avx512), [right.reuse, size, size]);
            register_tile(&target, 32, whole, right, Wanted::default()).depth_block
        };
        assert_eq!([depth(read(1), 1024), depth(read(8), 4096)], [8, 8]);
        assert!(depth(read(8), 2048) != 8 && depth(read(9), 4096) != 8);
        assert!(depth(Right { is_unpacked: true, ..read(8) }, 4096) != 8);
    }

    #[test]
    fn an_operand_within_a_quarter_of_l2_is_not_packed() {
        let target = target(Isa::Avx512);
        assert!(!register_tile(&target, 32, [256; 3], read(256), Wanted::default()).pack);
        assert!(register_tile(&target, 32, [257; 3], read(257), Wanted::default()).pack);
    }

    #[test]
    fn a_small_operand_whose_panel_l1_does_not_keep_is_packed() {
        let pack = |isa, [m, n, k]: [i64; 3]| {
            register_tile(&target(isa), 32, [m, n, k], read(m), Wanted::default()).pack
        };
        let with = |m, n, k| pack(Isa::Avx2, [m, n, k]);
        // Rows of 1 and 2 KiB, of which L1 keeps 32 and 16.
        assert!(with(3136, 256, 64) && with(784, 512, 32) && with(196, 256, 64));
        // Too few uses; all rows of a panel kept; rows that share no sets, or few.
        assert!(!with(128, 256, 64) && !with(784, 256, 32));
        assert!(!with(784, 192, 64) && !with(784, 264, 64) && !with(784, 128, 64));
        // Panels of whole lines of a wide vector.
        assert!(!pack(Isa::Avx512, [3136, 256, 64]));
    }

    #[test]
    fn tiles_whose_rows_share_nothing_are_low() {
        let tile = |isa, is_window, sizes: [i64; 3]| {
            let tile = own_tile(
                &target(isa),
                32,
                sizes,
                Own { is_window, slides: false, is_one_loop: true, ends_within: false },
            );
            (tile.rows, tile.columns / tile.lanes, tile.row_block, tile.depth_block)
        };
        for (isa, sizes, expected) in [
            // Eight accumulators hide that each instruction waits for the one before.
            (Isa::Avx512, [56, 64, 9], (2, 4, 0, 0)),
            (Isa::Avx512, [28, 128, 9], (1, 8, 0, 0)),
            (Isa::Avx512, [24, 16, 9], (8, 1, 0, 0)),
            (Isa::Avx2, [56, 64, 9], (1, 8, 0, 0)),
            // Several panels are narrow: the first cache keeps what the next windows read.
            (Isa::Avx512, [31, 1000, 9], (2, 4, 0, 0)),
            // What is left after whole vectors waits, unless there are several rows of it.
            (Isa::Avx512, [33, 50, 9], (6, 3, 0, 0)),
            (Isa::Avx512, [3, 50, 9], (3, 3, 0, 0)),
        ] {
            assert_eq!(tile(isa, true, sizes), expected, "windows, {isa:?} {sizes:?}");
        }
        for (isa, sizes, expected) in [
            // A block of rows is finished before the next one, by whole rows of the input where that is large.
            (Isa::Avx512, [64, 512, 128], (1, 8, 1, 16)),
            (Isa::Avx512, [64, 512, 20], (1, 8, 1, 0)),
            (Isa::Avx512, [8, 1024, 33], (1, 8, 1, 11)),
            (Isa::Avx512, [16, 128, 1024], (1, 8, 0, 0)),
            (Isa::Avx2, [64, 512, 128], (1, 8, 1, 16)),
            // One row at a time of what comes from beyond L2.
            (Isa::Avx512, [256, 48, 32], (1, 3, 0, 0)),
            (Isa::Avx512, [12, 48, 32], (3, 3, 0, 0)),
        ] {
            assert_eq!(tile(isa, false, sizes), expected, "sums, {isa:?} {sizes:?}");
        }
    }

    #[test]
    fn rows_a_power_of_two_apart_share_sets() {
        let target = target(Isa::Avx512);
        let kept = |columns: i64| kept_rows([target.l2_bytes as i64, L2_WAYS], columns * 4);
        // 2048 sets of 8 lines; 4096 columns of 4 bytes are 256 lines.
        assert_eq!([kept(4096), kept(8192), kept(3072)], [64, 32, 256]);
        assert_eq!([kept(1000), kept(16), kept(4096 + 16)], [16384, 16384, 16384]);
    }

    #[test]
    fn few_rows_read_what_no_cache_keeps_in_high_tiles() {
        let tile = |m, columns, is_copied| {
            let right = Right { is_copied, ..read(m) };
            let tile = register_tile(
                &target(Isa::Avx512),
                32,
                [m, columns, 4096],
                right,
                Wanted::default(),
            );
            (tile.rows, tile.columns, tile.depth_block, tile.pack)
        };
        for (m, rows, columns) in [(12, 12, 32), (16, 9, 48), (24, 12, 32), (10, 10, 32)] {
            assert_eq!(tile(m, 4096, false), (rows, columns, 512, false), "{m}");
        }
        // As few as 8 are one tile of the usual height; what is copied or packed is read from L2.
        for (m, columns, is_copied) in
            [(8, 1024, false), (16, 3072, false), (16, 4096, true), (128, 4096, false)]
        {
            let (rows, ..) = tile(m, columns, is_copied);
            assert!(rows <= 8, "{m} {columns} {is_copied}: {rows}");
        }
    }

    #[test]
    fn an_operand_of_few_uses_is_not_packed() {
        let pack = |isa, m| {
            register_tile(&target(isa), 32, [m, 3072, 768], read(m), Wanted::default()).pack
        };
        let wide = [24, 64, 96, 128].map(|m| pack(Isa::Avx512, m));
        assert_eq!(wide, [false, false, true, true]);
        // Panels of a line or two are packed sooner.
        assert_eq!([12, 24, 64].map(|m| pack(Isa::Avx2, m)), [false, true, true]);
    }
}
