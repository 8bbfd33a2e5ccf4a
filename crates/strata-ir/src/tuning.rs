//! The room for tuning: every threshold of the stages that trades time, code size or compile time, with what it was
//! measured on.
//!
//! Two machines were measured on: "the Xeon", an Intel Xeon with AVX-512 and AMX, one thread, beside XLA:CPU, and
//! "the EPYC", an AMD EPYC (Zen 4, two cores of a virtual machine). The figures are from
//! `docs/performance.md`, which says more of each. "Not measured" means that the number is a guess that no experiment has
//! varied.
//!
//! What follows from the target is not here but computed: lanes, registers and caches are in [`Target`](crate::Target), tile
//! sizes in the cost model of stage `schedule`. Numbers here are the same for every target.

/// Stage `hlo`: what is computed, copied, unrolled or moved at compile time.
pub mod simplification {
    /// Results of more elements than this are not computed at compile time, but for splats.
    ///
    /// Not measured: constants of a few KiB, which no load misses.
    pub const MAX_FOLDED_ELEMENTS: u64 = 1024;

    /// Constants of at most this many elements may be copied.
    ///
    /// Not measured.
    pub const MAX_COPIED_ELEMENTS: u64 = 1024;

    /// Maximum trip count of an unrolled loop.
    ///
    /// Measured on the Xeon: ThreeFry of 1M numbers, five rounds, 45 to 15 ms.
    pub const MAX_UNROLLED_TRIPS: i64 = 8;

    /// Maximum number of operations of an unrolled loop.
    ///
    /// Not measured.
    pub const MAX_UNROLLED_OPERATIONS: usize = 1024;

    /// Elements of a loop-carried value from which on operations across trips are worth fusing.
    ///
    /// Not measured: a few vectors.
    pub const MIN_UNROLLED_ELEMENTS: u64 = 64;

    /// Elements of a loop-invariant result from which on its operation is worth moving out of the loop.
    ///
    /// Measured on the Xeon for far larger ones only: a sine in a loop 33 to 17 ms.
    pub const MIN_HOISTED_ELEMENTS: u64 = 16;

    /// Elements of a concatenation below which a pass over memory costs nothing.
    ///
    /// Measured on the Xeon for 1M elements only: a heat equation with `jnp.roll` 45.8 to 14.0 ms.
    pub const MIN_SPLIT_ELEMENTS: u64 = 4096;

    /// Pieces of one concatenation that operations are done on one by one.
    ///
    /// Not measured: code grows with them.
    pub const MAX_SPLIT_PIECES: usize = 4;

    /// Operations that are done on the pieces of one concatenation.
    ///
    /// Not measured: code grows with them.
    pub const MAX_SPLIT_OPERATIONS: usize = 48;

    /// Dimensions that concatenations are split along, one after the other.
    ///
    /// Not measured: stencils in three dimensions.
    pub const MAX_SPLIT_DIMENSIONS: usize = 3;
}

/// Stage `linalg`: which of two lowerings an operation gets.
pub mod lowering {
    /// Splats of more elements than this are filled at run time instead of stored.
    ///
    /// Not measured: a cache line.
    pub const MAX_STORED_SPLAT: u64 = 16;

    /// Uses of an element of a narrow dot operand from which on its own conversion, which goes through memory, pays.
    ///
    /// Measured on the Xeon at 1024 uses only: `matmul_bf16_1024` 40 to 10.7 ms, `matmul_i8_1024` 35 to 11.4 ms.
    pub const MIN_WIDENED_USES: i64 = 64;

    /// Uses of an element of a narrow dot operand from which on packing it into lanes goes through memory: with fewer it is packed
    /// where it is read.
    ///
    /// Not measured.
    pub const MIN_LANE_USES: i64 = 8;

    /// Reads of a lane up to which it is packed at each of them.
    ///
    /// Not measured for other numbers; with 1, `bf16` times 4096x4096: 64 rows 20.5 to 13.1 ms on the EPYC (Zen 4).
    pub const MAX_LANE_READS: u64 = 2;

    /// Products of a dot from which on lanes are worth their code.
    ///
    /// Not measured.
    pub const MIN_LANE_WORK: i64 = 512;

    /// Products of a sum from which on lanes of several elements pay.
    ///
    /// Not measured: a lane.
    pub const MIN_LANE_DEPTH: i64 = 4;

    /// More blocks of a sum of integers in `f32` than this are not worth their code.
    ///
    /// Not measured.
    pub const MAX_WIDENED_BLOCKS: i64 = 16;

    /// Features of a convolution's group from which on they are worth being vectors.
    ///
    /// Not measured by itself; grouped convolutions in NCHW with features last, 8 groups: 1.61 to 0.11 ms on the Xeon.
    pub const MIN_CONV_FEATURES: i64 = 4;

    /// Multiply-adds of a convolution from which on they outweigh transpositions.
    ///
    /// Not measured.
    pub const MIN_CONV_WORK: i64 = 1 << 14;

    /// Elements of a block of a line in a running reduction: few, so that the sums of several blocks are under way at once.
    ///
    /// Not measured for other sizes; it bounds the error of running sums, too.
    pub const SCAN_BLOCK: i64 = 16;

    /// Rows of a block of a running reduction where lines are adjacent.
    ///
    /// Not measured for other sizes.
    pub const SCAN_BLOCK_ROWS: i64 = 32;
}

/// Sorts.
pub mod sorting {
    /// Lines up to this length are merged: counting digits would take longer.
    ///
    /// Not measured for other lengths.
    pub const MAX_MERGED_LENGTH: i64 = 96;

    /// Lines from this length on have digits of 11 bits, shorter ones of 8.
    ///
    /// Measured on the Xeon beyond it only: `sort_1M` from 1.4 to 6.7 times XLA's speed.
    pub const MIN_WIDE_DIGITS_LENGTH: i64 = 1 << 14;

    /// Elements that are looked at together when the first few of a line are selected.
    ///
    /// Measured on the Xeon: 32 instead takes `topk_50257_40` as long.
    pub const SELECT_BLOCK: i64 = 64;

    /// Lines from this length on are worth selecting from; shorter ones are sorted.
    ///
    /// Not measured.
    pub const MIN_SELECTED_FROM: i64 = 256;

    /// More elements than this are not selected, but all sorted.
    ///
    /// Not measured.
    pub const MAX_SELECTED: i64 = 1024;

    /// How many times as long as what is selected a line has to be.
    ///
    /// Not measured.
    pub const MIN_SELECTED_RATIO: i64 = 8;

    /// A collection of selected elements holds at least this many more before it is sorted.
    ///
    /// Not measured.
    pub const MIN_SELECTION_ROOM: i64 = 64;

    /// Entries of a list that is kept in order by insertion.
    ///
    /// Measured on the Xeon: 40 of 50257 81 to 15 us, 8 of 2048 14 to 1.4 us; longer lists were not measured.
    pub const MAX_INSERTED: i64 = 64;

    /// Elements that are looked at together before one is inserted.
    ///
    /// Not measured by itself, see [`SELECT_BLOCK`].
    pub const INSERTION_BLOCK: i64 = 64;

    /// The operations that are compared before two keys of a comparator count as too different.
    ///
    /// Not measured: comparators are small.
    pub const MAX_KEY_OPERATIONS: usize = 64;

    /// Lines up to this length are sorted together by a network: panels of longer ones do not fit into caches.
    ///
    /// Measured for 256 (machine not recorded): `sort_rows_4096x256` 7.2 times as fast as by digits.
    pub const MAX_NETWORK_LENGTH: i64 = 1 << 13;

    /// Lines up to this length are sorted by the same network one by one, where there are too few of them for vectors.
    ///
    /// Not measured.
    pub const MAX_SCALAR_NETWORK_LENGTH: i64 = 256;

    /// The side of the squares that panels are transposed in, for elements that have more lanes than this: stage `schedule` has no
    /// larger ones ([`super::tiling::MAX_TRANSPOSE_SIDE`]).
    ///
    /// Not measured; 64 rows made 32 KB of unrolled code for lines of 16 bytes.
    pub const MAX_SQUARE_SIDE: i64 = 16;

    /// Fewer adjacent lines are not worth a network of vectors.
    ///
    /// Not measured.
    pub const MIN_NETWORK_LANES: i64 = 4;
}

/// Fourier transforms.
pub mod fft {
    /// The largest prime that has a codelet: it costs the square of its length.
    ///
    /// Not measured for other primes.
    pub const LARGEST_PRIME: i64 = 31;

    /// Lines up to this length have a table with a twiddle factor for each element.
    ///
    /// Not measured: 128 KiB of `f32`.
    pub const MAX_FACTOR_TABLE: i64 = 1 << 14;
}

/// Cholesky decompositions and triangular systems.
pub mod linear_algebra {
    /// Rows and columns of a tile, whatever the target: a tile of `f32` takes half of the smallest L1.
    ///
    /// Measured on the Xeon: `cholesky_512` 23 times XLA's speed, `trsm_512` 2.0; other sizes and machines were not measured.
    pub const TILE: i64 = 64;

    /// Matrices of at least this order are worth tiles.
    ///
    /// Not measured.
    pub const MIN_ORDER: i64 = 48;
}

/// Tensors of one dimension that stage `schedule` makes vectors of: rows of Fourier transforms, of tiles, of sorted keys.
pub mod short_vectors {
    /// Bits that are computed together at least: a register of AVX2 and AVX-512, two of SSE and NEON.
    ///
    /// Measured on a Zen 4. For AVX2 beside two registers: `rfft_256x4096` 1.65 times as fast, `fft_1M`, `fft2_1024`, `sort_rows_4096x256`, `cholesky_512` and
    /// `trsm_512` the same (0.99 to 1.02). For SSE beside four registers: `rfft_256x4096` 1.09 times as fast, `fft2_1024` 1.04,
    /// `fft_1M` 1.02, the others 0.98 to 1.03; one register 1.17, 0.98, 0.89. For AVX-512 two registers: `fft_1M` 0.86.
    pub const MIN_BITS: u32 = 256;
}

/// Stage `schedule`: which operations become one nest.
pub mod fusion {
    /// Operations of a nest around a reduction: code size and register pressure grow with them.
    ///
    /// Measured on the Xeon: 256 instead made ThreeFry no faster.
    pub const MAX_NEST_OPERATIONS: usize = 40;

    /// Vector instructions, roughly, of an elementwise nest: all of a random number generator is one.
    ///
    /// Measured on the Xeon: `jax.random.uniform` of 1M 14.8 to 0.84 ms; other limits were not measured.
    pub const MAX_ELEMENTWISE_WORK: usize = 512;

    /// Operations of a body that is computed again for each user.
    ///
    /// Not measured.
    pub const MAX_REMATERIALIZED_OPERATIONS: usize = 4;

    /// Operations on an element that is computed where it is read.
    ///
    /// Not measured: a scale and a zero point, and bits that are shifted out.
    pub const MAX_OPERATIONS_AT_READS: usize = 8;

    /// Reads of an element up to which it is computed at each of them.
    ///
    /// Not measured for other numbers; with 1, `f32` times `i8` weights of 4096x4096 as `f32`: 1 row 23.6 to 0.71 ms, 8 rows 10.9 to 3.1 ms,
    /// 64 rows 31 to 22 ms on the EPYC (Zen 4).
    pub const MAX_READS: u64 = 4;

    /// Users beyond which a cheap value is computed once.
    ///
    /// Not measured: code grows with them.
    pub const MAX_REMATERIALIZED_USES: usize = 32;

    /// What follows a gather and is computed with it, in vector instructions: no schedule takes such a nest.
    ///
    /// Not measured by itself; `jnp.take` of 512 rows of 768 0.35 to 0.11 ms on the Xeon.
    pub const MAX_GATHER_WORK: usize = 8;

    /// Uses of a boolean above which it is computed once.
    ///
    /// Not measured by itself; `segment_sum_1M_10k` 0.85 to 1.28 of XLA's speed on the Xeon.
    pub const MAX_COMPARISON_USES: usize = 4;

    /// Operations around booleans that become one at most.
    ///
    /// Not measured.
    pub const MAX_COMPARISON_GROUP: usize = 16;

    /// Tensors that one nest reads and writes at most: processors follow only so many streams.
    ///
    /// Not measured; Adam's update, 7 streams, 1.63 to 1.03 ms on the Xeon.
    pub const MAX_STREAMS: usize = 24;

    /// Users of a value among which siblings are looked for.
    ///
    /// Not measured: compile time.
    pub const MAX_SIBLING_USES: usize = 64;

    /// Elements below which a pass over memory costs nothing.
    ///
    /// Not measured.
    pub const MIN_SIBLING_ELEMENTS: i64 = 1024;

    /// Trips of an innermost loop that fill vectors of every element type, on the widest target.
    ///
    /// Not measured for narrower targets, which would do with fewer.
    pub const MIN_SIBLING_COLUMNS: i64 = 64;
}

/// Stage `schedule`: constants that are copied into another layout by the compiler.
pub mod constants {
    /// Percent of the bytes of weights by which layouts beside that of the program may increase them: where a weight is read both as it
    /// is and packed, or in two layouts.
    ///
    /// Not measured: it bounds memory. A language model whose head is its embedding needs 31.
    pub const MAX_GROWTH: usize = 50;

    /// How many times the bytes of what is copied a layout may have, for padding and edges.
    ///
    /// Not measured: it bounds memory.
    pub const MAX_PADDING: usize = 2;
}

/// Stage `schedule`: attention in blocks of rows and keys.
pub mod attention {
    /// Rows of a block: the keys are packed again for each.
    ///
    /// Measured on the EPYC, 4 heads of 4096 rows and keys: of size 64, 64 to 256 rows the same within 2 %; of size 128, 256 rows 1.05
    /// times as fast as 128; one head of 16384 rows of size 64, 1.06, 512 rows 1.03 times as fast again.
    pub const ROWS: i64 = 256;

    /// Keys of a block: the scores of one stay in L2 from the first dot to the second.
    ///
    /// Measured on the EPYC as [`ROWS`]: 128 and 512 keys 0.96 to 1.01.
    pub const KEYS: i64 = 256;

    /// Keys of a block are a multiple of this where the number of keys allows it: the columns of a register tile on the widest target.
    ///
    /// Not measured.
    pub const PANEL: i64 = 64;

    /// Fewer rows than this use each key too rarely: it is a vector times a matrix.
    ///
    /// Not measured.
    pub const MIN_ROWS: i64 = 32;

    /// Fewer keys than this leave a row of scores in L1.
    ///
    /// Measured on the EPYC: 96 heads of 64 keys the same, of 128 keys 1.17 times as fast.
    pub const MIN_KEYS: i64 = 64;

    /// Operations between the first dot and the maximum that are computed on blocks.
    ///
    /// Not measured: code grows with them.
    pub const MAX_OPERATIONS: usize = 40;

    /// Operations of the body of a mask that is computed on blocks instead of read.
    ///
    /// Not measured.
    pub const MAX_MASK_OPERATIONS: usize = 8;

    /// A difference whose exponential is 0, in `f32`: the largest is -103.98.
    ///
    /// Not measured: it does not limit time.
    pub const VANISHING: f64 = -128.0;
}

/// Stage `schedule`: tiles and costs. What depends on registers and caches is computed from [`Target`](crate::Target).
pub mod tiling {
    /// Cycles from a multiply-add to the next one on the same accumulator.
    ///
    /// Not measured: 4 is what the manuals of Skylake, Zen 4 and Neoverse V1 say.
    pub const FMA_LATENCY: f64 = 4.0;

    /// More rows of the left operand than this touch more cache lines of one set than an L1 cache has ways, when the rows
    /// lie a power of two apart.
    ///
    /// Measured on the Xeon: 9x48, 12x32, 7x64 and 8x48 were slower than 6x64 at 512³ and 1024³.
    pub const MAX_TILE_ROWS: i64 = 8;

    /// Rows that are read together when nothing is read twice.
    ///
    /// Measured on the EPYC: `gemv_1x4096x4096` with 8 1.27 times as fast as with 16, with 2, 4, 6, 12 and 32 0.78, 1.10, 1.13, 1.19
    /// and 0.83.
    pub const STREAMED_ROWS: i64 = 8;

    /// Rows of a register tile of an open number of rows: fewer read the right operand faster than L2 delivers it.
    ///
    /// Not measured.
    pub const MIN_OPEN_TILE_ROWS: i64 = 4;

    /// A tile of an open number of rows is chosen for about half as many numbers of rows.
    ///
    /// Not measured: it bounds the compile time.
    pub const ROWS_TRIED: i64 = 16;

    /// Vectors of a row of a register tile.
    ///
    /// Measured on the Xeon, see [`MAX_TILE_ROWS`].
    pub const MAX_TILE_VECTORS: i64 = 4;

    /// Up to this many rows, the independent accumulators of a result are along its columns.
    ///
    /// Not measured for other numbers.
    pub const FEW_ROWS: i64 = 3;

    /// Vectors of a row of a register tile of [`FEW_ROWS`].
    ///
    /// Not measured for other numbers.
    pub const MAX_TILE_VECTORS_OF_FEW_ROWS: i64 = 8;

    /// Fewer uses of each element of the right operand, where L2 does not hold it: it is read once and from memory, whole rows one
    /// after the other.
    ///
    /// Not measured for other numbers.
    pub const MIN_TILE_REUSE: i64 = 4;

    /// A reduction is not cut into shorter blocks, however small L2 is: cutting the sums costs more.
    ///
    /// Not measured for other numbers.
    pub const MIN_K_BLOCK: i64 = 256;

    /// Times the size of L2 that a right operand has which no cache holds: up to [`MAX_TILE_ROWS`] uses of an element it is streamed, too.
    ///
    /// Measured on the EPYC (Zen 4, L2 of 1 MiB), with 8 uses: 4096x4096 `f32` 7.8 to 4.4 ms, `bf16` 4.4 to 2.6 ms, with 4 uses 6.0 to
    /// 3.1 ms; 2048x2048 `f32`, of 16 MiB, took 0.74 ms and streamed 0.83 ms.
    pub const STREAMED_L2_SHARES: i64 = 16;

    /// Register tiles of a block of rows at least: each block packs the panels again.
    ///
    /// Measured on the Xeon: 1024³ in one block 76 to 80 % of the peak.
    pub const MIN_ROW_BLOCK: i64 = 64;

    /// Register tiles of rows that a panel serves at least where it is packed.
    ///
    /// Not measured for other numbers.
    pub const MIN_PACK_REUSE: i64 = 4;

    /// An operand of more than this part of L2 is packed; a smaller one is near enough where it is, whatever its stride.
    ///
    /// Measured on the Xeon: a quarter, 256³, 93 to 95 % of the peak; a half, 512³, 86 to between 77 and 90 %.
    pub const PACKED_L2_SHARE: i64 = 4;

    /// Vectors per trip of an innermost loop whose body is short.
    ///
    /// Not measured for other numbers.
    pub const UNROLL: i64 = 4;

    /// Instructions of a body that is unrolled by [`UNROLL`].
    ///
    /// Measured on the EPYC, a chain of four functions whose copies are interleaved: by 1, 2 and 4 1.53, 1.47 and 1.35 ms with AVX-512,
    /// 2.65, 2.32 and 2.08 ms with AVX2. Longer ones were not measured.
    pub const MAX_UNROLLED_WORK: usize = 160;

    /// Instructions of a body that is unrolled by 2.
    ///
    /// Not measured for other limits.
    pub const MAX_UNROLLED_TWICE_WORK: usize = 320;

    /// Vector instructions of an operation on the results of a register tile from which on it may be a loop over them.
    ///
    /// Not measured.
    pub const MIN_ROLLED_WORK: usize = 12;

    /// Vector instructions of such operations on all results of a tile, at most: more are a loop.
    ///
    /// Not measured.
    pub const MAX_EPILOGUE_WORK: i64 = 128;

    /// Accumulators of a reduction of a row: enough to hide the latency of an addition.
    ///
    /// Not measured for other numbers.
    pub const ROW_ACCUMULATORS: i64 = 4;

    /// Rows of the result that are written before the next rows of the input are read: few enough for their pages to stay in the
    /// translation buffer.
    ///
    /// Measured on the Xeon: `transpose_4096` at 1.6 times XLA's speed; other numbers were not recorded.
    pub const TRANSPOSE_BLOCK: i64 = 256;

    /// The largest square that the shuffles of a transpose are written for.
    ///
    /// No measurement: larger ones have no lowering.
    pub const MAX_TRANSPOSE_SIDE: i64 = 16;

    /// Below this many rows per transposed operand, transposing it costs more than it saves.
    ///
    /// Not measured for other numbers.
    pub const MIN_TRANSPOSE_REUSE: i64 = 4;

    /// Elements below which a nest that reads nothing (index vectors) is not worth the compile time.
    ///
    /// Not measured.
    pub const MIN_IOTA_ELEMENTS: i64 = 4096;

    /// Multiply-adds below which a register tile is not worth the compile time.
    ///
    /// Not measured.
    pub const MIN_TILE_WORK: i64 = 512;

    /// Vectors above this size come from an operation that was vectorised without being tiled: code for them would grow without
    /// bound. No measurement: it tells a failed schedule.
    pub const MAX_VECTOR_BYTES: u64 = 4096;
}

/// Stage `schedule`: what a search of schedules tries around those of the cost model. It decides how long a search takes and what it can
/// find, not how programs are compiled without one.
pub mod search {
    /// Vectors per iteration, and accumulators, that are tried.
    ///
    /// Not measured for other numbers.
    pub const UNROLLED: [i64; 4] = [1, 2, 4, 8];

    /// More vectors per iteration, or accumulators, than this are refused: code without a use.
    ///
    /// Not measured.
    pub const MAX_UNROLLED: i64 = 16;

    /// Rows of a block of a transpose that are tried; 0: all.
    ///
    /// Not measured for other numbers.
    pub const TRANSPOSE_BLOCKS: [i64; 6] = [0, 32, 64, 128, 256, 512];

    /// Terms of a block of a reduction that are tried, about.
    ///
    /// Not measured for other numbers.
    pub const DEPTH_BLOCKS: [i64; 5] = [128, 256, 512, 1024, 2048];

    /// Register tiles in a block of rows that are tried.
    ///
    /// Not measured for other numbers.
    pub const ROW_BLOCKS: [i64; 4] = [8, 16, 32, 64];

    /// Bytes of a constant that is copied into a program of a single nest, at most.
    ///
    /// Not measured: it bounds the memory of a search.
    pub const MAX_CONSTANT_BYTES: usize = 64 << 20;
}

/// Stage `affine`: panels of dot operands, packed while the panel before is multiplied.
pub mod panels {
    /// Steps of the reduction between two copies: enough arithmetic to hide them, and a trip count that the processor still
    /// predicts.
    ///
    /// Measured on the Xeon: 512³ 80.9 to 82.6 % of the peak, in a C prototype 88.2 to 91.8 %.
    pub const K_BLOCK: i64 = 64;

    /// K blocks between asking for a row and copying it: thousands of cycles, and few lines of L2.
    ///
    /// Measured with [`K_BLOCK`]; prefetches without copies in between lost 3 to 5 points at 1024³.
    pub const PREFETCH_DISTANCE: i64 = 8;

    /// More rows at once fill the buffers of outstanding misses.
    ///
    /// Not measured for other numbers.
    pub const MAX_COPIED_ROWS: i64 = 8;

    /// Bytes that a prefetch brings: a cache line of every target.
    ///
    /// No measurement: it is what processors have.
    pub const LINE_BYTES: u64 = 64;

    /// Fewer accumulators are not a register tile.
    ///
    /// No measurement: it tells the loop of a register tile from others.
    pub const MIN_ACCUMULATORS: usize = 8;
}

/// Blocks of long sums, which bound rounding errors and break chains of additions. They decide the bits of results, so that they are
/// the same for every target.
///
/// Not measured for other sizes: chosen for the error of sums of up to 2^20 elements.
pub mod sums {
    /// Additions of a block where each addition waits for an element of its own from memory.
    pub const STREAM_BLOCK: i64 = 32;

    /// There, chains of no more additions stay whole.
    pub const MAX_STREAM_CHAIN: i64 = 64;

    /// Additions of a block in a register tile: the totals do not fit the registers beside the tile.
    pub const TILE_BLOCK: i64 = 256;

    /// There, chains of no more additions stay whole.
    pub const MAX_TILE_CHAIN: i64 = 640;

    /// Trips of a block where the sums are tensors.
    pub const TENSOR_BLOCK: i64 = 8;

    /// There, loops of no more trips stay whole.
    pub const MAX_TENSOR_CHAIN: i64 = 16;

    /// Accumulators from which on a loop is a register tile.
    pub const MIN_TILE_SUMS: usize = 8;

    /// Partial sums that are added one after the other.
    pub const FAN_IN: i64 = 8;

    /// Additions of a block whose elements are adjacent in results, or that LLVM leaves one after the other.
    pub const SCALAR_BLOCK: i64 = 64;

    /// Additions of a block that LLVM spreads over several vectors.
    pub const SPREAD_BLOCK: i64 = 4096;

    /// Multiply-adds of a block of a dot product: all sums go to memory after one.
    pub const DOT_BLOCK: i64 = 256;
}

/// Nests of loops on buffers.
pub mod reductions {
    /// Sums of no more products keep their order and both roundings of each: where such sums cancel, results then are those of the
    /// evaluator, and there is little to gain.
    ///
    /// Not measured.
    pub const MAX_ORDERED_SUM: i64 = 4;

    /// The smallest extent of an innermost parallel loop that is worth an interchange.
    ///
    /// Not measured.
    pub const MIN_INNERMOST_TRIPS: i64 = 4;

    /// Bytes of a padded tensor from which it pays not to fill what is overwritten: they leave the first cache.
    ///
    /// Measured (machine not recorded): `pad_4096` 1.33, `maxpool3x3s2` 2.2 times as fast.
    pub const MIN_PARTIAL_PAD_BYTES: i64 = 32 << 10;

    /// The same for zeros, which one call of `memset` writes: they leave the second cache. LLVM unrolls what fills edges.
    ///
    /// Measured (machine not recorded): within L2 ResNet-18 was as fast, its code 210 instead of 115 KB.
    pub const MIN_PARTIAL_ZERO_PAD_BYTES: i64 = 1 << 20;
}

/// Stage `affine`: inputs and outputs that are used where callers have them, with the sizes of a call.
pub mod in_place {
    /// Loops of more operations are not cut in two where accesses may be beyond the end of a buffer: all iterations are guarded.
    ///
    /// Not measured by itself: larger bodies are whole tiles with several loops in them, whose copies cost code and compile time.
    pub const MAX_SPLIT_OPERATIONS: usize = 400;
}

/// Stage `affine`: which nests are divided into tasks. Times are in nanoseconds.
pub mod tasks {
    /// Operations of a core in a nanosecond: on one register, or one number.
    ///
    /// Measured on the EPYC, whatever the target.
    pub const OPERATIONS_PER_NS: f64 = 5.0;

    /// What a nest touches in all, in bytes, and how many of them a core then reads or writes in a nanosecond: what stays in the
    /// core's own cache costs nothing but the operations, what all cores share a cache for less than what comes from memory.
    ///
    /// Measured on the EPYC, whatever the target.
    pub const BANDWIDTH: [(f64, f64); 3] =
        [(1e6, f64::INFINITY), (24e6, 40.0), (f64::INFINITY, 12.0)];

    /// Bytes that one core gets from the caches of another in a nanosecond.
    ///
    /// Measured on the EPYC: `conv3x3_14x14x256` 1.40 to 1.75 times its own speed on two threads.
    pub const BYTES_BETWEEN_CORES_PER_NS: f64 = 10.0;

    /// What an operation on a number takes of one on a register, in a loop that LLVM makes vectors of.
    ///
    /// Not measured by itself.
    pub const SCALAR_SHARE: f64 = 0.2;

    /// The trips of a loop of which nothing is known.
    ///
    /// Not measured.
    pub const UNKNOWN_TRIPS: f64 = 16.0;

    /// A nest that takes less is not worth waking a thread for: that takes 5 to 10 us.
    ///
    /// Measured on the EPYC.
    pub const MIN_NEST_TIME: f64 = 50_000.0;

    /// What it takes until another thread has begun.
    ///
    /// Measured on the EPYC.
    pub const DISPATCH_TIME: f64 = 15_000.0;

    /// What a task takes at least.
    ///
    /// Not measured by itself.
    pub const MIN_TASK_TIME: f64 = 8_000.0;

    /// Tasks of a nest at most.
    ///
    /// Not measured: some machines have more cores.
    pub const MAX_TASKS: i64 = 64;

    /// Trips from which a loop is cut though one inside of it has more.
    ///
    /// Measured on the EPYC, see [`BYTES_BETWEEN_CORES_PER_NS`].
    pub const MIN_OUTER_TRIPS: i64 = 8;

    /// Columns of a task at least, where columns of sums over rows are cut.
    ///
    /// Not measured for other numbers.
    pub const MIN_TASK_COLUMNS: i64 = 1024;

    /// Bytes that the tasks of a nest take together, where they need memory of their own.
    ///
    /// Not measured.
    pub const MAX_TASK_MEMORY: i64 = 8 << 20;
}

/// Stage `affine`: nests of large programs become functions, since LLVM takes more than linear time for one function.
///
/// Measured on the Xeon: chain of 10 000 operations 13.3 to 3.1 s, 2000 mixed ones 39 to 1.3 s. The single numbers were not varied.
pub mod kernels {
    /// Operations of a program, those in loops included, up to which it stays one function.
    pub const MAX_WHOLE_PROGRAM: usize = 2000;

    /// Inputs and outputs of a program, together, up to which its kernel takes each as an argument and its nests may stay in the kernel.
    /// LLVM takes quadratic time in the number of arguments.
    ///
    /// Measured on a Xeon with AVX-512: programs with 1000 of each take 0.45 instead of 3.3 s of processor time. Not varied.
    pub const MAX_BUFFERS: usize = 256;

    /// How often a program has a heavy nest that becomes a function nevertheless.
    pub const MIN_EQUAL: usize = 4;

    /// Operations of such a nest, at least.
    pub const MIN_EQUAL_OPERATIONS: usize = 48;

    /// What a function such as an exponential counts besides, which becomes a polynomial.
    pub const FUNCTION_OPERATIONS: usize = 24;

    /// Operations of a `while` or a branch from which its parts become functions instead of the whole.
    pub const MIN_CUT_REGION: usize = 2000;

    /// Operations outside of loops that make a function.
    pub const STRAIGHT_LINE: usize = 64;

    /// Fewer operations outside of loops stay in the entry.
    pub const MIN_STRAIGHT_LINE: usize = 16;

    /// How many operations of a block away the users of a result may be; what is needed farther away stays in the entry.
    pub const MAX_USER_DISTANCE: usize = 256;

    /// Operations of a block in one function at most.
    pub const MAX_KERNEL_OPERATIONS: usize = 1024;
}

/// Stage `affine`: the search for a plan of the workspace.
pub mod arena {
    /// The exchanges that are tried at most when no order reaches the lower bound.
    ///
    /// Not measured for other numbers: it comes within a few percent of the bound.
    pub const MAX_EXCHANGES: usize = 256;

    /// Pairs of lifetimes that all exchanges together may look at: large functions try less.
    ///
    /// Not measured: some ten milliseconds.
    pub const MAX_PAIRS: usize = 8_000_000;
}

/// Stage `vector`: loops that LLVM is told to unroll.
pub mod unrolling {
    /// Steps of the reduction in one trip of the unrolled loop of a register tile.
    ///
    /// Measured on the Xeon: 64³ 90 to 96 %, 512³ 84 to 87 % of the peak; 8 was less steady.
    pub const REDUCTION_STEPS: i64 = 4;

    /// The same in a K block, whose trips are few enough for the processor to foresee the last one.
    ///
    /// Measured with [`super::panels::K_BLOCK`].
    pub const K_BLOCK_STEPS: i64 = 8;

    /// Fewer steps are not worth the code.
    ///
    /// Not measured for other numbers.
    pub const MIN_TRIPS: i64 = 64;

    /// Fewer rows may be filled one after the other.
    ///
    /// Measured (machine not recorded): ResNet-18's code 210 to 118 KB, as fast.
    pub const MIN_ROLLED_FILL: i64 = 32;

    /// Fewer multiply-adds are what LLVM unrolls by itself.
    ///
    /// Not measured for other numbers.
    pub const MIN_MULTIPLY_ADDS: usize = 8;

    /// Iterations of a plain loop along a row, at least, that LLVM is to make vectors of before it unrolls.
    ///
    /// Not measured for other numbers: a vector of AVX2.
    pub const MIN_ROW: i64 = 8;

    /// Operations on vectors in the body of a loop that LLVM does not unroll, at least.
    ///
    /// Not measured.
    pub const MIN_LONG_BODY: usize = 32;

    /// The same in all iterations of such a loop: LLVM unrolls loops up to 300 instructions, or 1200 where that makes many of them
    /// constants.
    ///
    /// Not measured for other numbers.
    pub const MIN_LONG_LOOP: i64 = 512;

    /// Copies of a body that are interleaved.
    ///
    /// Measured on the EPYC: as many as schedules unroll loops by. `logistic` of 1M 1.19 times as fast with AVX-512, 1.40 times with
    /// AVX2, whose 16 registers do not hold four of them. More were not measured.
    pub const INTERLEAVED: usize = 4;

    /// Operations of a body at least: a processor looks ahead over several shorter ones.
    ///
    /// Measured on the EPYC: an exponential (22) gains a tenth, `rsqrt` (4) nothing.
    pub const MIN_INTERLEAVED: usize = 10;

    /// More pieces than any schedule makes of one vector: beyond, code size would explode.
    ///
    /// No measurement: it tells a failed schedule.
    pub const MAX_VECTOR_PIECES: usize = 1 << 14;
}

/// Stage `vector`: formulas that few elements need.
pub mod rare {
    /// Elements that are computed again if one of them needs such a formula.
    ///
    /// Not measured for other numbers: what they read stays in the first cache, and a loop over them hides its start.
    pub const BLOCK: i64 = 256;

    /// Shorter loops compute such formulas for every element.
    ///
    /// Not measured.
    pub const MIN_TRIPS: i64 = 16;

    /// Operations of a formula that equal ones share a function for, at least.
    ///
    /// Not measured: a call takes less than that.
    pub const MIN_FORMULA: usize = 32;

    /// How often the program has such a formula, at least.
    ///
    /// Not measured for other numbers.
    pub const MIN_SHARED: usize = 2;

    /// Values that such a function takes, at most: more vectors than eight are passed in memory.
    ///
    /// Not measured.
    pub const MAX_ARGUMENTS: usize = 8;
}

/// Stage `vector`: outputs that are written past the caches.
pub mod streaming {
    /// Bytes of an output from which on its stores bypass the caches: what reads it next finds little of it there in any case.
    ///
    /// Measured on the EPYC (32 MiB of last-level cache), an addition in C, buffers in huge pages: an output of 64 MiB 8.2 to 5.4 ms,
    /// 16 MiB 1.77 to 1.20 ms, 4 MiB 0.25 to 0.16 ms, all without a reader.
    pub const MIN_OUTPUT_BYTES: i64 = 16 << 20;

    /// Bytes of a copy to an output that the program reads or writes again, from which on it bypasses the caches, too.
    ///
    /// Measured on the EPYC, 154 MiB in C on a busy machine: a call of `memcpy` 49 ms, one for each of 64 pieces 61 ms, non-temporal
    /// stores 33 ms.
    pub const MIN_COPY_BYTES: i64 = 64 << 20;

    /// Bytes of a row, the part that one innermost loop writes: lines at its ends are written through the caches.
    ///
    /// Not measured for other numbers.
    pub const MIN_ROW_BYTES: i64 = 4096;

    /// Operations on a vector before it is stored: more of them do not wait for memory.
    ///
    /// Measured on the EPYC: 1 operation 1.5 times as fast, `exp`, `tanh` and `erf` of 16M, 20 to 40 operations, 0.8 to 1.07.
    pub const MAX_ROW_WORK: usize = 16;

    /// Vectors of a copy that one iteration moves.
    ///
    /// Not measured for other numbers.
    pub const COPIED_VECTORS: i64 = 4;
}

/// Stages `llvmir` and `obj`: functions that LLVM compiles apart.
pub mod parts {
    /// LLVM instructions of a part, at least: a part takes some 5 ms besides its functions.
    ///
    /// Not measured for other numbers.
    pub const INSTRUCTIONS: usize = 4096;

    /// Parts of a module, at most: each has a context and a table of all functions.
    ///
    /// Not measured.
    pub const MOST: usize = 16;

    /// Bytes of a constant that each part with a use of it may have a copy of.
    ///
    /// Not measured.
    pub const COPIED_BYTES: u64 = 1024;

    /// Bytes of stack of a thread that compiles: LLVM recurses over expressions.
    ///
    /// Not measured.
    pub const STACK_BYTES: usize = 1 << 28;
}

/// Stage `llvmir`: programs that are compiled in the process that calls them, and for which a few of LLVM's passes are enough.
///
/// Measured on a Xeon with AVX-512 through JAX's plugin, 16 programs on up to 128 KiB: calls take 1.00 to 1.05 of the time, a layer
/// normalisation 1.10.
pub mod quick {
    /// Bytes of the buffers and the workspace, at most.
    ///
    /// Not varied.
    pub const MAX_BYTES: u64 = 1 << 18;

    /// Operations of the LLVM dialect, at most.
    ///
    /// With 1,000 a chain of 100 operations on 64x64 (8,000 of the dialect) took 1.31 of the processor time to compile, and as long to
    /// run (94 µs), on an EPYC with AVX-512. Larger programs are optimised in parts, by the whole pipeline.
    pub const MAX_OPERATIONS: usize = 1 << 16;

    /// Operations that scalar loops run in a call, at most, for LLVM to make no vectors of them.
    ///
    /// Not varied: one microsecond, a fifth of the dispatch of a call.
    pub const MAX_SCALAR_WORK: i64 = 1 << 12;

    /// The same where LLVM makes vectors of them, and nothing else of the whole pipeline is run.
    ///
    /// Not varied.
    pub const MAX_VECTORISED_WORK: i64 = 1 << 18;

    /// Vector instructions that an elementwise nest runs in a call, at most, for its body to have less copies than usual.
    ///
    /// Not varied: some 20 microseconds.
    pub const MAX_NEST_WORK: usize = 1 << 16;

    /// Vector instructions of all copies of the body of such a nest, at most, unless there is one.
    ///
    /// On an EPYC with AVX-512 five functions on 64x64 numbers compile in 0.6 of the time (50 to 30 ms), a chain of 100 operations
    /// in 0.63 (172 to 109 ms). The calls take 1.2 and 1.05 of the time.
    pub const MAX_COPIED_WORK: usize = 64;
}

/// Stages `llvm` to `obj`.
pub mod code {
    /// Constants of fewer bytes are code to LLVM, which may fold what is read from them.
    ///
    /// Not measured for other sizes; models of half a gigabyte took LLVM many times that.
    pub const MIN_DATA_BYTES: u64 = 1024;

    /// Pointers in a row that the wrapper checks one by one, at most: LLVM takes cubic time for longer rows.
    ///
    /// Not measured for other numbers.
    pub const MAX_UNROLLED_CHECKS: usize = 64;
}
