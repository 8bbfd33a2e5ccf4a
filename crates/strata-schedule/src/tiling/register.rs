//! Register tiles: contractions, convolutions, window reductions and column reductions.
//!
//! They share one form: parallel loops, the last of which is contiguous in memory, and reduction
//! loops. A tile of the result stays in vector registers while the reduction runs:
//!
//! ```text
//! %r = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%zeros)
//! %s = linalg.generic { add bias, relu } ins(%r, %bias)
//! ```
//! becomes, for AVX-512,
//! ```text
//! scf.for %j = 0 to 512 step 64 {                 // a panel of the right operand …
//!   scf.for … { vector.transfer_read, vector.transfer_write }      // … made contiguous
//!   scf.for %i = 0 to 510 step 6 {                // a register tile
//!     %acc:24 = scf.for %k = 0 to 512 step 1 iter_args(24 × vector<16xf32>) {
//!       24 × math.fma : vector<16xf32>
//!     }
//!     bias and relu on the 24 vectors, 24 × vector.transfer_write
//!   }
//!   the same for the last 2 rows
//! }
//! ```
//!
//! Vectors are one register wide, so that no later stage has to split them. Rows come before columns
//! in the unrolled code, so that a broadcast element of the left operand is dead before the next one
//! is loaded.

use crate::{
    tiling::{
        cost::{RegisterTile, parts},
        transpose::{Transpose, squares},
    },
    transform::{script::Script, tags},
};
use strata_ir::{linalg, transform};
use strata_target::tuning::{
    quick::MAX_COPIED_WORK,
    tiling::{MAX_EPILOGUE_WORK, MIN_ROLLED_WORK, UNROLL},
};

/// A reduction nest to schedule.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The number of loops.
    pub loops: usize,
    /// The parallel loops in order; the result has a dimension for each.
    pub parallel: Vec<usize>,
    /// The reduction loops and their trip counts.
    pub reduced: Vec<(usize, i64)>,
    /// Position among `parallel` of the loop over the rows of the register tile.
    pub row: Option<usize>,
    /// Positions among `parallel` of the loops that the packed operand depends on.
    pub batch: Vec<usize>,
    /// Positions among `parallel` of the other loops, tiled by 1.
    pub outer: Vec<usize>,
    /// Trip count of the last of them; 1 without one.
    pub outer_trips: i64,
    /// Whether some loop may end before its trip count, at a size of the call.
    pub is_open: bool,
    /// Trip count of the row loop; 1 without one.
    pub m: i64,
    /// Whether that loop may end before, at a size of the call.
    pub is_limited: bool,
    /// Trip count of the last parallel loop.
    pub n: i64,
    /// Whether an operand is read at places that a reduction loop and another one add up to.
    pub is_window: bool,
    /// Whether windows move along the columns.
    pub slides: bool,
    /// Whether both operands are vectors along the columns, channels that windows keep apart.
    pub is_depthwise: bool,
    /// How often the packed operand is reread: the iterations of the row and outer loops.
    pub reuse: i64,
    /// Rank and number of the operand that is worth packing.
    pub packed: Option<(usize, usize)>,
    /// Whether panels of it can be packed.
    pub can_pack: bool,
    /// Whether that operand is a constant that nothing else reads.
    pub is_weight: bool,
    /// Whether that operand is unpacked where it is read.
    pub is_unpacked: bool,
    /// The left operand of tiles, if that is unpacked where it is read.
    pub unpacked_left: Option<UnpackedLeft>,
    /// The elements of a lane, if operands are such, which are packed; else one.
    pub lane: i64,
    /// Whether a term is in a register of its own before it is combined with a result.
    pub has_terms: bool,
    /// The transpose of an operand, if it has full squares.
    pub turn: Option<Transpose>,
    /// Whether the operand is transposed panel by panel, which also packs it, instead of as a whole.
    pub transpose_panels: bool,
    /// A zero for each operand, as MLIR writes it.
    pub zeros: Vec<String>,
    /// Whether the initial value is a fill.
    pub fill: bool,
    /// Whether an elementwise operation consumes the result.
    pub epilogue: bool,
    /// Vector instructions of that operation, if it computes in the tensor of the sums.
    pub epilogue_work: usize,
    /// Whether its code is to be short, even where it is not the fastest then.
    pub is_short: bool,
    /// Whether the results are sums of floats.
    pub sums: bool,
}

impl Reduction {
    /// Whether several rows of the result read no operand together, and how many rows there are is known.
    pub fn has_own_rows(&self) -> bool {
        self.packed.is_none() && self.m > 1 && self.lane == 1 && !self.is_limited
    }

    /// The terms of each result.
    pub fn depth(&self) -> i64 {
        self.reduced.iter().map(|(_, extent)| extent).product()
    }
}

/// A left operand of tiles of which words are unpacked.
#[derive(Clone, Copy, Debug)]
pub struct UnpackedLeft {
    /// Its number.
    pub operand: usize,
    /// Its dimensions.
    pub rank: usize,
    /// Lanes of a row that are unpacked at a time.
    pub block: i64,
    /// The dimensions of the right operand, if it is transposed, but not in squares.
    pub transposed: Option<usize>,
}

/// The loops of a tiling level.
#[derive(Clone, Copy)]
pub(super) enum Dim {
    /// A parallel loop other than rows and columns, by 1.
    Outer(usize),
    Rows,
    Columns,
    Depth,
}

/// A rectangle of the result that is computed by straight-line code.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub m: i64,
    pub n: i64,
    k: i64,
}

/// A schedule under construction.
pub(super) struct Emitter<'a> {
    pub nest: &'a Reduction,
    pub tile: &'a RegisterTile,
    pub script: Script,
    pub regions: Vec<Region>,
    /// Producers and the epilogue can only be fused before the reduction is split.
    pub(super) fuses: bool,
    /// Whether operands are read from memory as tiles.
    pub in_tiles: bool,
}

/// The schedule as a named sequence.
pub fn schedule(nest: &Reduction, tile: &RegisterTile, sequence: &str) -> String {
    let mut emitter = Emitter::new(nest, tile);
    emitter.emit();
    emitter.script.finish(sequence)
}

impl<'a> Emitter<'a> {
    /// The schedule before its first step.
    pub(super) fn new(nest: &'a Reduction, tile: &'a RegisterTile) -> Self {
        let whole = Region { m: nest.m, n: nest.n, k: nest.depth() };
        let fuses = tile.depth_block == 0;
        Self { nest, tile, script: Script::new(), regions: vec![whole], fuses, in_tiles: false }
    }
}

impl Emitter<'_> {
    /// Panels of columns, what is around them, and the copies that they are.
    pub(super) fn panels(&mut self) {
        let RegisterTile { columns, row_block, depth_block, outer_block, pack, .. } = *self.tile;
        let panels = self.nest.turn.clone().filter(|_| self.nest.transpose_panels && self.fuses);
        if let Some(turn) = self.nest.turn.as_ref().filter(|_| panels.is_none()) {
            self.script.comment("transpose an operand");
            squares(&mut self.script, tags::TRANSPOSED, turn);
        }
        for position in self.nest.batch.clone() {
            self.level(Dim::Outer(position), |_| 1);
        }
        if outer_block > 0 {
            self.script.comment("a block of the loop around the rows");
            self.outer(outer_block);
        }
        if row_block > 0 {
            self.script.comment("a cache-resident block of rows of the left operand");
            self.level(Dim::Rows, |_| row_block);
        }
        if depth_block > 0 {
            self.script.comment("a K block");
            self.level(Dim::Depth, |_| depth_block);
        }
        self.script.comment("a panel of columns");
        self.level(Dim::Columns, |_| columns);
        if self.nest.unpacked_left.is_none() {
            self.whole_vectors();
        }
        if let Some(turn) = panels {
            self.script.comment("transpose an operand");
            self.turn(&turn);
        } else if let Some((rank, operand)) = self.nest.packed.filter(|_| pack) {
            self.script.comment("pack the panel");
            self.pack(rank, operand, 1);
        }
    }

    /// Separates whole vectors from the remainder: MLIR only proves transfers disjoint if their types agree.
    pub(super) fn whole_vectors(&mut self) {
        let lanes = self.tile.lanes;
        self.level(Dim::Columns, |region| match region.n > lanes {
            true => region.n / lanes * lanes,
            false => region.n,
        });
    }

    fn emit(&mut self) {
        self.panels();
        let RegisterTile { rows, outer_block, .. } = *self.tile;
        match outer_block {
            0 => self.outer(1),
            1 => {}
            _ => self.last_outer(1),
        }
        self.script.comment("a register tile");
        self.level(Dim::Rows, |_| rows);
        if self.nest.is_limited {
            // Only loops end before their bounds.
            self.level(Dim::Rows, |region| if region.m < rows { 1 } else { region.m });
        }
        for region in 0..self.regions.len() {
            self.tag_region(region);
        }
        self.registers();
        if !self.fuses {
            self.whole_tensor_parts();
        }
        finish(&mut self.script);
        // Accumulators are hoisted out of one reduction loop at a time.
        for _ in 1..self.nest.reduced.iter().filter(|(_, extent)| *extent > 1).count() {
            self.script.hoist_accumulators();
            self.script.clean();
        }
    }

    /// Tiles the loops around the rows by 1, the last of them by `block`.
    pub(super) fn outer(&mut self, block: i64) {
        let before = self.nest.outer.len().saturating_sub(1);
        for position in self.nest.outer.iter().take(before).copied().collect::<Vec<_>>() {
            self.level(Dim::Outer(position), |_| 1);
        }
        self.last_outer(block);
    }

    /// Tiles the last loop around the rows, which `block` divides.
    fn last_outer(&mut self, block: i64) {
        if let Some(position) = self.nest.outer.last().copied() {
            self.level(Dim::Outer(position), |_| block);
        }
    }

    /// Tile sizes of the reduction: `sizes` of loops, 0 for the others.
    pub(super) fn sizes(&self, sizes: &[(usize, i64)]) -> Vec<i64> {
        let mut all = vec![0; self.nest.loops];
        for (number, size) in sizes {
            all[*number] = *size;
        }
        all
    }

    /// Tile sizes of an operation over the result alone.
    pub(super) fn result_sizes(&self, sizes: &[(usize, i64)]) -> Vec<i64> {
        let mut all = vec![0; self.nest.parallel.len()];
        for (position, size) in sizes {
            all[*position] = *size;
        }
        all
    }

    pub(super) fn column(&self) -> usize {
        self.nest.parallel.len() - 1
    }

    /// Tiles every region along `dim`; a partial last tile becomes a separate region.
    pub(super) fn level(&mut self, dim: Dim, tile_of: impl Fn(&Region) -> i64) {
        let position = match dim {
            Dim::Outer(position) => Some(position),
            Dim::Rows => match self.nest.row {
                Some(row) => Some(row),
                None => return,
            },
            Dim::Columns => Some(self.column()),
            Dim::Depth => None,
        };
        let old = std::mem::take(&mut self.regions);
        for (done, region) in old.iter().enumerate() {
            let tile = tile_of(region);
            let (extent, pieces) = match dim {
                Dim::Outer(_) => (i64::MAX, vec![1]),
                Dim::Rows => (region.m, parts(region.m, tile)),
                Dim::Columns => (region.n, parts(region.n, tile)),
                Dim::Depth => (region.k, parts(region.k, tile)),
            };
            if tile < extent {
                // Tiling the consumer fuses the reduction and its fill into the loop.
                let through_epilogue = self.fuses && self.nest.epilogue;
                let sizes = match position {
                    Some(position) if through_epilogue => self.result_sizes(&[(position, tile)]),
                    Some(position) => self.sizes(&[(self.nest.parallel[position], tile)]),
                    None => self.sizes(&[(self.nest.reduced[0].0, tile)]),
                };
                let tag = if self.fuses { tags::ROOT } else { tags::REDUCTION };
                let all = self.script.tagged(Script::FUNC, tag);
                let at = self.regions.len();
                let one = self.script.split(all, at + old.len() - done)[at];
                let (_, loops) = match self.fuses {
                    true => self.script.fuse(one, &sizes, &[]),
                    false => self.script.tile(one, &sizes),
                };
                if matches!(dim, Dim::Depth) && self.nest.sums {
                    self.script.tag(loops[0], tags::SUMS);
                }
                self.script.clean();
                if pieces.len() == 2 {
                    self.script.peel(loops[0]);
                    self.script.clean();
                }
            }
            for piece in pieces {
                self.regions.push(match dim {
                    Dim::Outer(_) => *region,
                    Dim::Rows => Region { m: piece, ..*region },
                    Dim::Columns => Region { n: piece, ..*region },
                    Dim::Depth => Region { k: piece, ..*region },
                });
            }
        }
    }

    /// Transposes the panel of the operand that each region reads.
    fn turn(&mut self, plan: &Transpose) {
        // A panel is a separate temporary, not a part of a whole one.
        self.script.patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_EMPTY]);
        let all = self.script.tagged(Script::FUNC, tags::TRANSPOSED);
        for (index, copy) in self.script.split(all, self.regions.len()).into_iter().enumerate() {
            self.script.tag(copy, &tags::piece(tags::TRANSPOSED, index));
        }
        for (index, region) in self.regions.clone().into_iter().enumerate() {
            // A panel narrower than a square is copied by plain loops. Of one square, cleaning would make a vector that is read from no memory.
            let is_square = (region.n, self.nest.depth()) == (self.tile.lanes, self.tile.lanes);
            if let Some(plan) = plan.panel(region.n).filter(|_| !self.in_tiles || !is_square) {
                squares(&mut self.script, &tags::piece(tags::TRANSPOSED, index), &plan);
            }
        }
        self.script.clean();
    }

    /// Packs the panel of the operand that each region reads, so many vectors at a time.
    pub(super) fn pack(&mut self, rank: usize, operand: usize, vectors: i64) {
        let reductions = self.script.tagged(Script::FUNC, tags::REDUCTION);
        let pads = self.script.pad_nothing(reductions, operand, &self.nest.zeros);
        self.script.into_destination(pads);
        let copies = self.script.named(Script::FUNC, linalg::COPY);
        let mut sizes = vec![1; rank];
        sizes[rank - 1] = vectors * self.tile.lanes;
        self.script.tile(copies, &sizes);
        self.script.clean();
        let copies = self.script.named(Script::FUNC, linalg::COPY);
        self.script.vectorize(copies);
        // Right away: canonicalisation would turn a read and write of whole slices back into slices.
        self.script.patterns(&[
            transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS,
        ]);
        self.script.clean();
    }

    /// Gives the operations of a region their own tag.
    pub(super) fn tag_region(&mut self, region: usize) {
        let count = self.regions.len();
        let reductions = self.script.tagged(Script::FUNC, tags::REDUCTION);
        let one = self.script.split(reductions, count)[region];
        self.script.tag(one, &tags::region(region));
        if self.fuses && self.nest.epilogue {
            let roots = self.script.tagged(Script::FUNC, tags::ROOT);
            let one = self.script.split(roots, count)[region];
            self.script.tag(one, &tags::region_epilogue(region));
        }
        if self.fuses && self.nest.fill {
            let fills = self.script.named(Script::FUNC, linalg::FILL);
            let one = self.script.split(fills, count)[region];
            self.script.tag(one, &tags::region_fill(region));
        }
    }

    /// Turns the register tiles into straight-line vector code inside the reduction loops: step by step for all of them, because
    /// cleaning takes time for all of the function.
    fn registers(&mut self) {
        let regions: Vec<_> = self.regions.clone().into_iter().enumerate().collect();
        let steps: Vec<_> = self.nest.reduced.iter().map(|(number, _)| (*number, 1)).collect();
        for (index, region) in &regions {
            self.script.comment(&format!("{} x {} results in registers", region.m, region.n));
            let reduction = self.script.tagged(Script::FUNC, &tags::region(*index));
            self.script.tile(reduction, &self.sizes(&steps));
            self.roll_epilogue(*index, *region);
        }
        self.script.clean();
        let tiles: Vec<_> =
            regions.into_iter().flat_map(|(index, region)| self.tiles(index, region)).collect();
        unroll_tiles(&mut self.script, &tiles, self.tile.lanes);
    }

    /// Applies the epilogue of a region in a loop, if it is long.
    fn roll_epilogue(&mut self, index: usize, region: Region) {
        let piece = self.epilogue_piece(region);
        if !self.fuses || !self.nest.epilogue || (piece.m, piece.n) == (region.m, region.n) {
            return;
        }
        self.script.comment("long formulas in a loop over the results");
        let mut sizes = vec![(self.column(), piece.n)];
        sizes.extend(self.row(region).map(|row| (row, piece.m)));
        let sizes = self.result_sizes(&sizes);
        let epilogue = self.script.tagged(Script::FUNC, &tags::region_epilogue(index));
        self.script.tile(epilogue, &sizes);
    }

    /// The position of the loop over the rows of a region, if it has several.
    fn row(&self, region: Region) -> Option<usize> {
        self.nest.row.filter(|_| region.m > 1)
    }

    /// The operations of a region that become straight-line code.
    fn tiles(&self, index: usize, region: Region) -> Vec<Tile> {
        let lanes = self.tile.lanes;
        let mut sizes = vec![(self.nest.parallel[self.column()], lanes)];
        let mut result = vec![(self.column(), lanes)];
        if let Some(row) = self.row(region) {
            sizes.push((self.nest.parallel[row], 1));
            result.push((row, 1));
        }
        let depth = self.nest.reduced.iter().filter(|(_, extent)| *extent > 1).count();
        let (sizes, result) = (self.sizes(&sizes), self.result_sizes(&result));
        let Region { m, n, .. } = region;
        let mut tiles = vec![Tile { tag: tags::region(index), sizes, m, n, depth }];
        if self.fuses && self.nest.epilogue {
            let Region { m, n, .. } = self.epilogue_piece(region);
            let tag = tags::region_epilogue(index);
            tiles.push(Tile { tag, sizes: result.clone(), m, n, depth: 0 });
        }
        if self.fuses && self.nest.fill {
            tiles.push(Tile { tag: tags::region_fill(index), sizes: result, m, n, depth: 0 });
        }
        tiles
    }

    /// The part of a register tile to which straight-line code applies the epilogue: all of it, unless that is much code. Then the
    /// accumulators go through the first cache, which takes less time than the formulas.
    fn epilogue_piece(&self, region: Region) -> Region {
        // A region has whole vectors, or one that is shorter.
        let vectors = (region.n / self.tile.lanes).max(1);
        let work = self.nest.epilogue_work;
        let most = if self.nest.is_short { MAX_COPIED_WORK as i64 } else { MAX_EPILOGUE_WORK };
        if work < MIN_ROLLED_WORK || work as i64 * region.m * vectors <= most {
            return region;
        }
        let divisor =
            |of: i64, most: i64| (1..=most.min(of)).rev().find(|size| of % size == 0).unwrap_or(1);
        let copies = if self.nest.is_short { (most / work as i64).max(1) } else { UNROLL };
        let columns = divisor(vectors, copies);
        let rows = divisor(region.m, (copies / columns).max(1));
        Region { m: rows, n: region.n / vectors * columns, ..region }
    }

    /// The fill and the epilogue of a contraction with K blocks: separate loops.
    pub(super) fn whole_tensor_parts(&mut self) {
        if self.nest.fill {
            let fill = self.script.named(Script::FUNC, linalg::FILL);
            self.script.tag(fill, tags::FILL);
            self.whole_tensor(tags::FILL);
        }
        if self.nest.epilogue {
            self.whole_tensor(tags::ROOT);
        }
    }

    fn whole_tensor(&mut self, tag: &str) {
        let outer = vec![1; self.nest.parallel.len() - 1];
        crate::tiling::elementwise::vector_loop(
            &mut self.script,
            tag,
            &outer,
            self.nest.n,
            self.tile.lanes,
            UNROLL,
        );
    }
}

/// An operation that becomes straight-line code on vectors of one row and at most so many columns as a register has elements.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Its tag.
    pub tag: String,
    /// Its tile sizes, the elements of a register for the columns.
    pub sizes: Vec<i64>,
    /// Iterations of its row loop.
    pub m: i64,
    /// Iterations of its column loop: a multiple of the elements of a register, or less than them.
    pub n: i64,
    /// The number of reduction loops of step 1 that it is in.
    pub depth: usize,
}

/// Splits operations into vectors of at most `lanes` elements, all unrolled.
pub fn unroll_tiles(script: &mut Script, tiles: &[Tile], lanes: i64) {
    for tile in tiles {
        let operation = script.tagged(Script::FUNC, &tile.tag);
        script.tile(operation, &tile.sizes);
    }
    script.clean();
    let mut loops = Vec::new();
    for tile in tiles {
        // Loops with a single iteration are folded: the column loop exists from two vectors on, the row
        // loop from two rows on.
        let mut around = 0;
        let operation = script.tagged(Script::FUNC, &tile.tag);
        for trips in [tile.n / lanes, tile.m] {
            if trips > 1 {
                around += 1;
                loops.push((script.loop_around(operation, around), trips));
            }
        }
        if tile.depth == 0 {
            script.vectorize(operation);
            continue;
        }
        // Without its single-iteration loops the reduction is an elementwise operation on a vector.
        let scope = script.loop_around(operation, around + tile.depth);
        script.patterns_in(
            scope,
            &[
                transform::APPLY_PATTERNS_LINALG_FOLD_UNIT_EXTENT_DIMS_VIA_SLICES,
                transform::APPLY_PATTERNS_TENSOR_MERGE_CONSECUTIVE_INSERT_EXTRACT_SLICE,
                transform::APPLY_PATTERNS_CANONICALIZATION,
            ],
        );
        let body = script.named(scope, linalg::GENERIC);
        script.vectorize(body);
    }
    script
        .patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS]);
    for (handle, trips) in loops {
        script.unroll(handle, trips);
    }
    script.clean();
}

/// Forwards vectors through tensors, drops unit dimensions, and keeps accumulators in registers.
pub fn finish(script: &mut Script) {
    forward(script);
    script.hoist_accumulators();
    script.clean();
}

/// Forwards vectors through tensors, and drops unit dimensions.
pub fn forward(script: &mut Script) {
    script.comment("vectors stay in registers");
    script
        .patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS]);
    script.clean();
    script.patterns(&[
        transform::APPLY_PATTERNS_VECTOR_TRANSFER_PERMUTATION_PATTERNS,
        transform::APPLY_PATTERNS_VECTOR_CAST_AWAY_VECTOR_LEADING_ONE_DIM,
        transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS,
        transform::APPLY_PATTERNS_CANONICALIZATION,
    ]);
    script.clean();
}
