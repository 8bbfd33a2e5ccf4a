//! Contractions: matrix products, batched or not, with an elementwise epilogue.
//!
//! Before: `linalg.matmul` (or `batch_matmul`) into a fill, then at most one elementwise consumer.
//!
//! After, for AVX-512 and a result of 512 × 512:
//!
//! ```text
//! scf.for %j = 0 to 512 step 64 {                 // a panel of the right operand …
//!   scf.for … { vector.transfer_read, vector.transfer_write }      // … made contiguous
//!   scf.for %i = 0 to 510 step 6 {                // a register tile
//!     %acc:24 = scf.for %k = 0 to 512 step 1 iter_args(24 × vector<16xf32>) {
//!       24 × vector.contract : vector<1xf32>, vector<1x16xf32> into vector<16xf32>
//!     }
//!     the epilogue on the 24 vectors, 24 × vector.transfer_write
//!   }
//!   the same for the last 2 rows
//! }
//! ```
//!
//! Vectors are one register wide, so that no later stage has to cut them; rows come before columns
//! so that a broadcast element of the left operand dies before the next one is loaded.

use crate::{
    cost::{MatmulTile, parts},
    script::Script,
    tags,
};

/// A contraction to schedule.
#[derive(Clone, Debug)]
pub struct Matmul {
    /// The number of leading batch loops.
    pub batch: usize,
    /// Rows of the result.
    pub m: i64,
    /// Columns of the result.
    pub n: i64,
    /// Length of the reduction.
    pub k: i64,
    /// Bits of an element of the result.
    pub bits: u32,
    /// A zero for each operand, as MLIR writes it.
    pub zeros: Vec<String>,
    /// Whether the initial value is a fill.
    pub fill: bool,
    /// Whether an elementwise operation consumes the result.
    pub epilogue: bool,
}

/// A loop of the nest.
#[derive(Clone, Copy)]
enum Dim {
    Rows,
    Columns,
    Depth,
}

/// A rectangle of the result that is computed by one piece of straight-line code.
#[derive(Clone, Copy)]
struct Region {
    m: i64,
    n: i64,
    k: i64,
}

struct Emitter<'a> {
    matmul: &'a Matmul,
    tile: &'a MatmulTile,
    script: Script,
    regions: Vec<Region>,
    /// Producers and the epilogue can follow only while the reduction is whole.
    fuses: bool,
}

/// The schedule as a named sequence.
pub fn schedule(matmul: &Matmul, tile: &MatmulTile, sequence: &str) -> String {
    let whole = Region { m: matmul.m, n: matmul.n, k: matmul.k };
    let mut emitter = Emitter {
        matmul,
        tile,
        script: Script::new(),
        regions: vec![whole],
        fuses: tile.depth_block == 0,
    };
    emitter.emit();
    emitter.script.finish(sequence)
}

impl Emitter<'_> {
    fn emit(&mut self) {
        if self.matmul.batch > 0 {
            self.script.comment("one product of the batch at a time");
            let root = self.script.tagged(Script::FUNC, tags::ROOT);
            self.script.fuse(root, &vec![1; self.matmul.batch]);
            self.script.clean();
        }
        if self.tile.row_block > 0 {
            self.script.comment("rows of the left operand that stay in L2");
            let block = self.tile.row_block;
            self.level(Dim::Rows, |_| block);
        }
        if self.tile.depth_block > 0 {
            self.script.comment("a stretch of the reduction");
            let block = self.tile.depth_block;
            self.level(Dim::Depth, |_| block);
        }
        self.script.comment("a panel of columns");
        let MatmulTile { rows, columns, lanes, .. } = *self.tile;
        self.level(Dim::Columns, |_| columns);
        // Whole vectors and the rest apart: transfers are told apart only when their types agree.
        self.level(Dim::Columns, |region| match region.n > lanes {
            true => region.n / lanes * lanes,
            false => region.n,
        });
        if self.tile.pack {
            self.script.comment("copied so that it is contiguous");
            self.pack();
        }
        self.script.comment("a register tile");
        self.level(Dim::Rows, |_| rows);
        for region in 0..self.regions.len() {
            self.tag_region(region);
        }
        for (index, region) in self.regions.clone().into_iter().enumerate() {
            self.script.comment(&format!("{} x {} results in registers", region.m, region.n));
            self.registers(index, region);
        }
        if !self.fuses {
            self.whole_tensor_parts();
        }
        finish(&mut self.script);
    }

    /// Sizes for the batch loops (0) and then `sizes`.
    fn sizes(&self, sizes: &[i64]) -> Vec<i64> {
        let mut all = vec![0; self.matmul.batch];
        all.extend_from_slice(sizes);
        all
    }

    /// Tiles every region along `dim`; a partial last tile becomes a region of its own.
    fn level(&mut self, dim: Dim, tile_of: impl Fn(&Region) -> i64) {
        let old = std::mem::take(&mut self.regions);
        for (done, region) in old.iter().enumerate() {
            let tile = tile_of(region);
            let (extent, sizes) = match dim {
                Dim::Rows => (region.m, self.sizes(&[tile])),
                Dim::Columns => (region.n, self.sizes(&[0, tile])),
                Dim::Depth => (region.k, self.sizes(&[0, 0, tile])),
            };
            let pieces = parts(extent, tile);
            if tile < extent {
                let tag = if self.fuses { tags::ROOT } else { tags::CONTRACTION };
                let all = self.script.tagged(Script::FUNC, tag);
                let at = self.regions.len();
                let one = self.script.split(all, at + old.len() - done)[at];
                let (_, loops) = if self.fuses {
                    self.script.fuse(one, &sizes)
                } else {
                    self.script.tile(one, &sizes)
                };
                self.script.clean();
                if pieces.len() == 2 {
                    self.script.peel(loops[0]);
                    self.script.clean();
                }
            }
            for piece in pieces {
                self.regions.push(match dim {
                    Dim::Rows => Region { m: piece, ..*region },
                    Dim::Columns => Region { n: piece, ..*region },
                    Dim::Depth => Region { k: piece, ..*region },
                });
            }
        }
    }

    /// Copies the panel of the right operand that each region reads.
    fn pack(&mut self) {
        let contraction = self.script.tagged(Script::FUNC, tags::CONTRACTION);
        let pads = self.script.pad_nothing(contraction, 1, &self.matmul.zeros);
        self.script.into_destination(pads);
        let copies = self.script.named(Script::FUNC, "linalg.copy");
        self.script.tile(copies, &self.sizes(&[1, self.tile.lanes]));
        self.script.clean();
        let copies = self.script.named(Script::FUNC, "linalg.copy");
        self.script.vectorize(copies);
        // At once: canonicalisation would turn a read and write of whole slices back into slices.
        self.script.patterns(&["tensor.fold_tensor_subset_ops_into_vector_transfers"]);
        self.script.clean();
    }

    /// Gives the operations of a region a tag of their own.
    fn tag_region(&mut self, region: usize) {
        let count = self.regions.len();
        let own = tags::region(region);
        let contractions = self.script.tagged(Script::FUNC, tags::CONTRACTION);
        let one = self.script.split(contractions, count)[region];
        self.script.tag(one, &own);
        if self.fuses && self.matmul.epilogue {
            let roots = self.script.tagged(Script::FUNC, tags::ROOT);
            let one = self.script.split(roots, count)[region];
            self.script.tag(one, &tags::region_epilogue(region));
        }
        if self.fuses && self.matmul.fill {
            let fills = self.script.named(Script::FUNC, "linalg.fill");
            let one = self.script.split(fills, count)[region];
            self.script.tag(one, &tags::region_fill(region));
        }
    }

    /// Turns one register tile into straight-line vector code inside the loop over the reduction.
    fn registers(&mut self, index: usize, region: Region) {
        let tag = tags::region(index);
        let contraction = self.script.tagged(Script::FUNC, &tag);
        self.script.tile(contraction, &self.sizes(&[0, 0, 1]));
        self.unrolled(&tag, region.m, region.n);
        if self.fuses && self.matmul.epilogue {
            self.unrolled(&tags::region_epilogue(index), region.m, region.n);
        }
        if self.fuses && self.matmul.fill {
            self.unrolled(&tags::region_fill(index), region.m, region.n);
        }
    }

    /// Cuts the tagged `m × n` operation into vectors of one row and at most one register, all
    /// unrolled.
    fn unrolled(&mut self, tag: &str, m: i64, n: i64) {
        let sizes = self.sizes(&[1, self.tile.lanes]);
        unroll_tile(&mut self.script, tag, &sizes, m, n, self.tile.lanes);
    }

    /// The fill and the epilogue of a product whose reduction is cut: loops of their own.
    fn whole_tensor_parts(&mut self) {
        if self.matmul.fill {
            let fill = self.script.named(Script::FUNC, "linalg.fill");
            self.script.tag(fill, tags::FILL);
            self.whole_tensor(tags::FILL);
        }
        if self.matmul.epilogue {
            self.whole_tensor(tags::ROOT);
        }
    }

    fn whole_tensor(&mut self, tag: &str) {
        let operation = self.script.tagged(Script::FUNC, tag);
        let mut sizes = vec![1; self.matmul.batch + 1];
        sizes.push(self.tile.lanes);
        let (_, loops) = self.script.tile(operation, &sizes);
        self.script.clean();
        if self.matmul.n > self.tile.lanes && self.matmul.n % self.tile.lanes != 0 {
            self.script.peel(loops[loops.len() - 1]);
            self.script.clean();
        }
        let all = self.script.tagged(Script::FUNC, tag);
        self.script.vectorize(all);
        self.script.patterns(&["tensor.fold_tensor_subset_ops_into_vector_transfers"]);
    }
}

/// Cuts the tagged operation, whose last two loops run over `m × n`, into vectors of one row and at
/// most `lanes` columns, all unrolled; `n` is a multiple of `lanes` or less than it. `sizes` are the
/// operation's tile sizes, ending in 1 and `lanes`.
pub fn unroll_tile(script: &mut Script, tag: &str, sizes: &[i64], m: i64, n: i64, lanes: i64) {
    let operation = script.tagged(Script::FUNC, tag);
    script.tile(operation, sizes);
    script.clean();
    // Loops of one trip are gone: the column loop is there for two vectors, the row loop for two
    // rows.
    let vectors = n / lanes;
    let operation = script.tagged(Script::FUNC, tag);
    let columns = (vectors > 1).then(|| script.loop_around(operation, 1));
    let rows = (m > 1).then(|| script.loop_around(operation, 1 + usize::from(vectors > 1)));
    script.vectorize(operation);
    script.patterns(&["tensor.fold_tensor_subset_ops_into_vector_transfers"]);
    if let Some(columns) = columns {
        script.unroll(columns, vectors);
    }
    if let Some(rows) = rows {
        script.unroll(rows, m);
    }
    script.clean();
}

/// Forwards vectors through tensors, drops unit dimensions, and keeps accumulators in registers.
pub fn finish(script: &mut Script) {
    script.comment("vectors stay in registers");
    script.patterns(&["tensor.fold_tensor_subset_ops_into_vector_transfers"]);
    script.clean();
    script.patterns(&[
        "vector.transfer_permutation_patterns",
        "vector.cast_away_vector_leading_one_dim",
        "tensor.fold_tensor_subset_ops_into_vector_transfers",
        "canonicalization",
    ]);
    script.clean();
    script.hoist_accumulators();
    script.clean();
}
