//! Thresholds of stage `schedule`: which operations become nests, and how these are tiled.

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
    /// Positions of fewer elements are stored where a reduction reads them.
    ///
    /// Not measured: less are in the first cache.
    pub const MIN_SPREAD_POSITIONS: i64 = 4096;

    /// What elementwise operations take, at most, that a reduction of columns computes instead of reading: a division takes 4, a function 16.
    ///
    /// Not measured for other numbers.
    pub const MAX_WORK_OF_COLUMNS: usize = 8;

    /// Reductions of fewer columns read what elementwise operations compute: in plain loops, where they do not fill a vector.
    ///
    /// Not measured.
    pub const MIN_COLUMNS: i64 = 16;

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

    /// Operations on an element of a row that is computed again at each user, if that reads fewer bytes than the row has.
    ///
    /// Measured on the EPYC (Zen 5): rms norm of `bf16` rows, 1 operation, 0.157 to 0.136 ms, layer norm, 2 operations, 0.219 to 0.204; other
    /// limits were not measured.
    pub const MAX_OPERATIONS_AGAIN: usize = 3;

    /// What follows a gather and is computed with it, in vector instructions: no schedule takes such a nest.
    ///
    /// Not measured by itself; `jnp.take` of 512 rows of 768 0.35 to 0.11 ms on the Xeon.
    pub const MAX_GATHER_WORK: usize = 8;

    /// Work on parts of complex numbers that is computed with them, in vector instructions: alone, it would have vectors.
    ///
    /// Not measured: fewer than a pass over memory takes.
    pub const MAX_PART_WORK: usize = 4;

    /// Work of a nest on complex numbers.
    ///
    /// Not measured: code grows with it, and what is one pass less gains little beyond.
    pub const MAX_COMPLEX_WORK: usize = 256;

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
    /// How many bytes of constants are copied before those that were read are taken out of memory, where they are of a mapped
    /// file: all that they are copied to would be in memory beside them. They are read again where they are used again.
    ///
    /// Measured: a constant of 48 MiB takes 1.4 times its size instead of 2 with 8 MiB; the time is the same.
    pub const MOST_LOADED: usize = 8 << 20;

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

/// Stage `schedule`: tiles and costs. What depends on registers and caches is computed from [`Target`](crate::Target).
pub mod tiling {
    /// Cycles from a multiply-add to the next one on the same accumulator.
    ///
    /// Not measured: 4 is what the manuals of Skylake, Zen 4 and Neoverse V1 say.
    pub const FMA_LATENCY: f64 = 4.0;

    /// Tiles of sums along each side of a region (AMX): four of a processor's eight, so that each load is used twice and two loads are ahead.
    ///
    /// Measured on an Intel processor with AMX: with all operands in L1 a product takes 4.9 to 5.4 ns, with none in memory 4.3.
    pub const TILES_OF_SIDE: i64 = 2;

    /// Lanes of a sum whose left operand is unpacked for a region of tiles at a time, at most: rows of that many stay in L1 until tiles are loaded.
    ///
    /// Measured on a Xeon with AMX in C, 4096x4096 of four bits with scales, 8 and 64 columns: 64 lanes 0.85, 1.78 ms, 128 0.79, 1.77, 256 0.82,
    /// 2.09, 512 1.35, 2.43; all of them, by way of L2, 1.22, 2.1.
    pub const UNPACKED_LANES: i64 = 128;

    /// A packed panel of tiles takes this share of L2 at most, as one of this number of parts.
    ///
    /// Measured on an Intel processor with AMX, whose L2 has 2 MiB, `i8` 2048 cubed: panels of a quarter of it 5.9 ms, of half 5.6, of all 8.3; of
    /// 32 columns 13.
    pub const PANEL_L2_SHARE: i64 = 2;

    /// More rows of the left operand than this touch more cache lines of one set than an L1 cache has ways, when the rows
    /// lie a power of two apart.
    ///
    /// Measured on the Xeon: 9x48, 12x32, 7x64 and 8x48 were slower than 6x64 at 512³ and 1024³.
    pub const MAX_TILE_ROWS: i64 = 8;

    /// Rows that are read together when nothing is read twice.
    ///
    /// Measured on the EPYC: `gemv_1x4096x4096` with 8 1.27 times as fast as with 16, with 2, 4, 6, 12 and 32 0.78, 1.10, 1.13, 1.19
    /// and 0.83. Lanes that are packed where they are read take a row for each of their elements (Zen 4:
    /// one row of bytes times 8192x8192 5.4 → 3.2 ms, of `bf16` times 8192x4096 3.3 → 2.7 ms).
    pub const STREAMED_ROWS: i64 = 8;

    /// Rows of a register tile of an open number of rows: fewer read the right operand faster than L2 delivers it.
    ///
    /// Not measured.
    pub const MIN_OPEN_TILE_ROWS: i64 = 4;

    /// And no more: each smaller number of rows has code of its own for the last tile.
    ///
    /// Measured (Zen 4, AVX-512): `docs/experiments.md`, sizes up to a bound.
    pub const MAX_OPEN_TILE_ROWS: i64 = 6;

    /// The same of tiles of one vector, where fewer sums would wait for each other.
    ///
    /// Measured (Xeon, AVX-512): `docs/experiments.md`, sizes up to a bound.
    pub const MAX_OPEN_NARROW_ROWS: i64 = 8;

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

    /// The same of one row whose columns end at the size of a call: the loop over tiles ends there, and there are two at the bound.
    ///
    /// Measured on a Zen 5 with sums over rows of `[64, s]` and `[s, s]` and a row times `[64, s]`, `s` up to 128: not measured for other
    /// numbers.
    pub const MAX_OPEN_TILE_VECTORS: i64 = 4;

    /// Where rows of the result read nothing together, a tile of fewer rows is chosen that takes at most this times the cycles of the best
    /// one: each row is a place of memory of its own.
    ///
    /// Not measured for other numbers.
    pub const OWN_TILE_COST: f64 = 1.15;

    /// Registers that an operation on an element of such a tile takes beside the accumulators: a maximum has a comparison and a selection.
    ///
    /// Not measured: it is what the code for x86-64 has.
    pub const OWN_OPERATION_REGISTERS: i64 = 4;

    /// The rows that such a result reduces are read a few at a time, as a whole, if they take more than this part of L2.
    ///
    /// Measured on the EPYC (Zen 4, L2 of 1 MiB), with and without: sums over the middle of 64x20x512, 32x49x256 and 4x16x64x512 (40, 50 and
    /// 128 KiB) 0.96, 0.97 and 0.94 times as fast with AVX-512, 0.96, 0.98 and 0.94 with AVX2; 8x49x2048 (392 KiB) 0.94 and 1.19, 64x128x512
    /// (256 KiB) 1.0 and 1.38, 16x197x768 (590 KiB) 1.0 and 1.18, 8x1024x1024 1.31 and 2.06.
    pub const OWN_L2_SHARE: i64 = 8;

    /// So many at a time.
    ///
    /// Measured on the EPYC (Zen 4), 8, 16 and 32 beside none, with AVX-512: 8x1024x1024 1.33, 1.32 and 1.05, 4x2048x768 0.91, 1.06 and 1.00;
    /// with AVX2: 64x128x512 1.28, 1.38 and 1.05, 8x1024x1024 1.85, 2.06 and 1.03, 4x2048x768 1.32, 1.59 and 1.26.
    pub const OWN_STREAMED_ROWS: i64 = 16;

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
    /// Measured on the EPYC (Zen 4) with AVX2, 4x24, `f32`, without packing beside packing: 0.84, 0.61 and 0.61 times as fast with 24, 48 and
    /// 64 rows times 768x3072, 0.87 with 16 rows times 2048x2048; less was not measured.
    pub const MIN_PACK_REUSE: i64 = 4;

    /// The same of a panel of [`WIDE_PANEL_LINES`], whose rows come about as fast from where they are.
    ///
    /// Measured on the EPYC (Zen 4) with AVX-512, 6x64, `f32`, without packing beside packing: 1.28, 1.2, 1.1 and 1.02 times as fast with 24,
    /// 32, 48 and 64 rows times 768x3072, 1.09 with 24 rows times 1024x4096, 1.0 with 64, 0.97 with 96; convolutions 3x3 of 512 channels 1.1
    /// and 1.06 with 49 and 64 rows.
    pub const MIN_WIDE_PACK_REUSE: i64 = 12;

    /// The same of an operand that L2 keeps, whose panel L1 does not, because its rows share sets.
    ///
    /// Measured on an EPYC (Zen 3, AVX2), `f32`, as many times as fast packed: 3136, 784, 196, 64, 32 and 16 rows times 64x256 1.25, 1.15, 1.09,
    /// 0.99, 0.96 and 0.90 (tiles of 4x24); 784 rows times 128x256 1.07.
    pub const MIN_SHARED_PACK_REUSE: i64 = 48;

    /// Rows of a panel of which L1 keeps fewer share sets.
    ///
    /// Measured likewise: rows of 512 numbers, of which it keeps 16, 1.18 and 1.16 with 32 and 64 terms; of 256, 32 rows, see above; of 128, 64
    /// rows, 1.01 and 0.98 with 128 and 256 terms; of 192, 200 and 264, which share none, 1.00.
    pub const MIN_PANEL_ROWS: i64 = 64;

    /// Lines of a set of L1: what x86-64 processors have is 8 or 12.
    ///
    /// Not measured: 8 is what Zen 3 and Zen 4 have.
    pub const L1_WAYS: i64 = 8;

    /// Sums of a tile of a window that LLVM unrolls, with 16 registers: what neighbours share is in the others.
    ///
    /// Measured on an EPYC (Zen 3), convolutions of 3x3 to 7x7 that keep channels apart, beside 12: AVX2 1.2 to 1.8 times as fast, SSE 1.1 to 2.0; 3x3 of one channel
    /// 1.3 (AVX2), 1.1 (SSE). Fewer: 0.9. Targets with 32 registers were not measured.
    pub const WINDOW_SUMS: i64 = 8;

    /// What each sum more than [`WINDOW_SUMS`] costs, as a share of the time.
    ///
    /// Measured as that: 14 pixels in three tiles of 5 instead of four of 4 1.08 times as fast.
    pub const WINDOW_SUMS_COST: f64 = 0.025;

    /// Terms of a window of a convolution that LLVM unrolls as a whole.
    ///
    /// Measured as [`WINDOW_SUMS`]: of 3x3x3, 8 sums instead of 12 0.95.
    pub const MAX_UNROLLED_WINDOW: i64 = 9;

    /// Lines that L1 keeps of a panel of channels; where it is fewer, panels of two lines take less time.
    ///
    /// Measured as [`WINDOW_SUMS`]: where it keeps 16, 32, 64 and 64, two lines instead of one 1.14, 1.6, 1.6, 1.2 times as fast (3x3 of 512, 256 and 128 channels, 7x7 of 384);
    /// where 128, 256, 256 and 512, 0.99, 0.79, 0.79, 0.82.
    pub const MIN_KEPT_PIXELS: i64 = 100;

    /// Cache lines of a row of a panel that is wide.
    ///
    /// Measured with [`MIN_WIDE_PACK_REUSE`]: 3 and 4 are, 1.5 are not; 2 were not measured.
    pub const WIDE_PANEL_LINES: i64 = 3;

    /// Lines of a set of L2: what x86-64 and AArch64 processors have is from 4 to 16.
    ///
    /// Not measured: 8 is what Zen 4 has.
    pub const L2_WAYS: i64 = 8;

    /// Where L2 keeps fewer rows of the right operand than this, tiles of rows read it again from beyond L2.
    ///
    /// Measured on the EPYC (Zen 4), see [`TALL_TILE_ROWS`] and [`LOST_DEPTH`]: rows of 2048 and 4096 `f32`, of which it keeps 128 and 64, gain;
    /// those of 3072, 256, do not.
    pub const MIN_KEPT_ROWS: i64 = 256;

    /// Terms of a block of the reduction for such an operand, whose rows then stay in the translation buffer.
    ///
    /// Measured on the EPYC (Zen 4), beside no blocks, same tile, `f32`: 1.16 and 1.28 times as fast with 16 and 32 rows times 2048x2048, 1.12,
    /// 1.11 and 1.06 with 8, 5 and 16 rows times 1024x4096, 1.29 with 8 rows times 2048x2048; 256 as fast within 3 %, 128 some 5 % slower.
    pub const LOST_DEPTH: i64 = 512;

    /// Rows of a register tile of such an operand, at most.
    ///
    /// Measured on the EPYC (Zen 4), in blocks of 512 terms beside 6x64, `f32`: 12x32 1.53, 1.39, 1.29, 1.30 and 1.11 times as fast with 12,
    /// 16, 24, 32 and 48 rows times 4096x4096, 1.32, 1.09, 1.29, 1.23 and 1.10 times 1024x4096; 14x32 and 13x32 no faster.
    pub const TALL_TILE_ROWS: i64 = 12;

    /// Vectors of a row of it: the number that takes the fewest tiles of rows, the larger one of equal ones.
    ///
    /// Measured on the EPYC (Zen 4) as [`TALL_TILE_ROWS`]: 9x48 1.01, 1.17, 1.20, 1.16, 1.08 and 1.32, 1.28, 1.38, 1.22, 1.15.
    pub const TALL_TILE_VECTORS: [i64; 2] = [2, 3];

    /// An operand of more than this part of L2 is packed; a smaller one is near enough where it is, whatever its stride.
    ///
    /// Measured on the Xeon: a quarter, 256³, 93 to 95 % of the peak; a half, 512³, 86 to between 77 and 90 %.
    pub const PACKED_L2_SHARE: i64 = 4;

    /// Elements of a row that is shorter than a vector, from which on it is better as a shorter vector, or two, than as LLVM's loops; half a
    /// vector is enough without divisions and functions.
    ///
    /// Measured (Zen 5, 4096 rows of eight element types, AVX2 and AVX-512), beside LLVM's loops: a row multiplied by and added to another, of 9
    /// to 15 `f32` 2.1 to 4.0 and 8 to 12 times as fast, of 5 to 7 `f64` 1.7 to 2.4 and 2.2 to 3.0, of 33 to 63 `i8` 2 to 8; `tanh` and `exp` of
    /// 6 and 7 `f32` with AVX2 0.74 to 0.79, of 9 to 15 with AVX-512 4; quotients of 5 and 6 `f64` 0.5 to 0.7, of 9 to 15 `f32` 5; one
    /// operation on 9 to 15 `f32`, `bf16` and `i8` with AVX-512 0.3 to 1; functions of 8 and 16 `f16` 0.8.
    pub const MIN_SHORT_VECTOR: i64 = 8;

    /// Such rows at least: fewer are not worth the time that a schedule takes.
    ///
    /// Not measured.
    pub const MIN_SHORT_VECTOR_ROWS: i64 = 16;

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

    /// Times the accumulators of a row that ends within a vector and is one value nevertheless: the end alone would cost more.
    ///
    /// Measured (Zen 5, 1000 rows, AVX2 and AVX-512), beside a loop and an end: sums of `f32` 6.0 and 6.0 times as fast with 63 elements, 3.0
    /// and 3.1 with 127; softmax 1.8 and 1.9 with 63, 1.4 and 1.6 with 100. Whole vectors gain nothing from 8 on: sums of 64 and 128 elements
    /// 1.7 and 1.3 with AVX2, 0.97 and 0.6 with AVX-512, softmax of 128 0.85 and 0.91.
    pub const SHORT_ROW_WITH_END: i64 = 4;

    /// Short rows that a lone reduction takes at a time, at most: as many as a group of 128 bits has lanes of bytes.
    ///
    /// Measured (Zen 5), beside 8: 16 rows 1.0 to 1.1 times as fast, of 5 to 8 elements.
    pub const MAX_SHORT_ROWS: i64 = 16;

    /// Bytes of all of them in registers, at most.
    ///
    /// Measured (Zen 5, AVX-512), sums and maxima of 1000 rows in L2: twice as many 0.95 to 1.05 times as fast with rows of up to 3 vectors, with
    /// 63 elements 0.55 and 0.9; four times as many 0.7 to 0.8. In L1 all the same, but one row at a time 0.6.
    pub const SHORT_ROWS_BYTES: i64 = 512;

    /// Short rows at a time where a reduction is not all, such as of softmax, at most.
    ///
    /// Measured (Xeon, 1000 rows in L1): of 1, 2, 4, 8, 16 rows of 8 `f32` softmax takes 13.0, 7.4, 6.2, 5.7, 7.4 µs with AVX-512, 12.3, 9.9, 8.7,
    /// 7.3, 6.4 with AVX2, of 16 with AVX-512 23.1, 12.9, 10.5, 10.1, 9.5.
    pub const MAX_SURROUNDED_ROWS: i64 = 8;

    /// Bytes of all of them in registers, at most, without and with AVX-512.
    ///
    /// Measured (Xeon, 1000 rows in L1): of 1, 2, 4, 8 rows of 48 `f32` softmax takes 47, 29, 27, 28 µs with AVX-512, 55, 44, 39, 40 with AVX2;
    /// layer normalisation of rows of 64 13.4, 9.9, 10.0, 12.1 and 15.1, 14.8, 16.7, 15.6.
    pub const SURROUNDED_ROWS_BYTES: [i64; 2] = [512, 1024];

    /// Rows that are computed at a time in plain loops, where they are much shorter than a vector.
    ///
    /// Measured (Xeon, AVX-512, 65536 rows), beside all rows: of 64, 256, 1024 softmax of 3 `f32` takes 121, 133, 137 µs (1647), of 5 275, 306,
    /// 321 (2803), layer normalisation of 5 182, 229, 259 (960).
    pub const BLOCK_ROWS: i64 = 64;

    /// Rows that a lone reduction takes at a time where they end at a size of a call.
    ///
    /// Measured (Zen 5, AVX-512), 64 rows of 17, 33, 65 and 100 of at most 128 elements, beside 16 rows, whose addresses are more than there are
    /// registers: sums 1.4, 1.4, 1.2 and 1.2 times as fast, maxima 0.9, 0.9, 0.9 and 0.8. Two vectors of each row at once 0.7 to 1.0, four rows
    /// 0.5 to 1.0.
    pub const LIMITED_ROWS: i64 = 8;

    /// The elements of such rows, at most.
    ///
    /// Measured (Zen 5, AVX-512 and AVX2), sums of 1000 rows of at most 512 elements, beside one row at a time with four accumulators: 3.0 times
    /// as fast with 17, 1.0 with 64, 0.72 and 0.75 with 200, 1.0 with 512.
    pub const MAX_LIMITED_ROW: i64 = 512;

    /// The same of extrema of floats, which take several instructions.
    ///
    /// Measured (Zen 5, AVX-512 and AVX2), 64 rows of at most 4096 elements: 1.9 and 1.6 times as fast with 200, 1.4 with 1000, 1.0 with all.
    pub const MAX_LIMITED_EXTREMA: i64 = 4096;

    /// The fewest elements of a row that is shorter than a vector, if its reduction is all, without and with AVX-512: then
    /// LLVM's loops over rows, which take elements apart by shuffles, are faster.
    ///
    /// Measured (Zen 5, 1000 rows), beside LLVM's loops: sums of 4 `f32` 1.7 times as fast with AVX2, 0.7 with AVX-512, 5 2.1 and 0.5, 7 2.9 and
    /// 0.9, 8 4.2 and 1.7, 9 2.9 and 5.2.
    pub const MIN_LONE_SHORT_ROW: [i64; 2] = [4, 8];

    /// The same of bytes.
    ///
    /// Measured (Zen 5, 1000 rows) with AVX2: of 4 and 6 `i8` 0.8 and 0.7 times as fast, of 5, 7 and 8 1.6, 2.1 and 8.
    pub const MIN_LONE_SHORT_ROW_OF_BYTES: i64 = 7;

    /// The same where it is not all.
    ///
    /// Measured (Zen 5, 1000 rows), one at a time: softmax and layer normalisation of 7 `f32` with AVX2 0.78 and 1.05 times as fast, of 8 1.05 and
    /// 1.13. Eight at a time with AVX-512 (Xeon): softmax of 5, 6, 7, 8 0.78, 0.94, 1.3, 1.6 times as fast.
    pub const MIN_SHORT_ROW: [i64; 2] = [8, 7];

    /// Rows that a lone reduction takes at a time where they come from memory: a processor prefetches along each.
    ///
    /// Measured (Zen 3, AVX2, L2 of 512 KiB), in C, sums, 2 accumulators for each of 2, 4 and 8 rows beside 4 of one row: 1.18, 1.26 and 1.21
    /// times as fast for 4096x4096 `f32` in huge pages, 1.24, 1.31 and 1.32 in pages of 4 KiB, 1.16, 1.19 and 1.10 for 8192x1024.
    pub const ROW_STREAMS: i64 = 4;

    /// Times the size of L2 that they take in all: a smaller operand is in the last cache.
    ///
    /// Measured as [`ROW_STREAMS`], 4 rows: 8 MiB 0.95, 12 MiB 0.92, 16 MiB from 1.0 to 1.9, 32 MiB 1.2 to 1.4, 64 MiB 1.26.
    pub const ROW_STREAM_L2_SHARES: i64 = 32;

    /// The share of L2 for rows that are reduced with each row of a matrix.
    ///
    /// Not measured for other numbers: the row of the matrix takes the rest.
    pub const REREAD_L2_SHARE: i64 = 2;

    /// Bytes of such a row at least: shorter ones end before a prefetcher has found them.
    ///
    /// Measured (Zen 3, AVX2), the object's code: of 4 KiB 1.09, of 4100 bytes 0.93, of 6000 bytes 1.05, of 8 KiB and more 1.14 to 1.34; in C as
    /// [`ROW_STREAMS`], of 512 bytes 0.69, 1 KiB 0.54, 2 KiB 0.72.
    pub const MIN_STREAMED_ROW_BYTES: i64 = 8192;

    /// Operations on an element of such a row, at most: more of them do not wait for memory.
    ///
    /// Not measured: an addition, and a product before it. Extrema of floats, of three to seven instructions, are more: measured (Zen 5,
    /// 4096x4096 `f32`), one row at a time 1.5 times as fast as four with AVX2, 1.3 with AVX-512; sums 0.82 and 0.96.
    pub const MAX_STREAMED_ROW_WORK: usize = 4;

    /// Operations in the body of an extremum with its place, besides those that compute its elements.
    ///
    /// No measurement: it is how stage `linalg` writes it.
    pub const EXTREMUM_WORK: usize = 6;

    /// Vector instructions for an element of an extremum, at most, for several vectors in an iteration.
    ///
    /// Not measured.
    pub const MAX_EXTREMUM_VECTORS_WORK: usize = 12;

    /// Rows that the lanes of a block of columns meet before they are written to memory; so many have no blocks.
    ///
    /// Not measured for other numbers.
    pub const EXTREMUM_ROWS: i64 = 8;

    /// Columns of such a block, at most: extrema and their places are in L1.
    ///
    /// Not measured for other numbers.
    pub const EXTREMUM_BLOCK: i64 = 1024;

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

    /// Places of a window along the columns of the result below which LLVM's loops read it.
    ///
    /// Not measured for others: a vector of AVX-512.
    pub const MIN_WINDOW_COLUMNS: i64 = 16;

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

    /// Rows at a time of a reduction along rows that are tried.
    ///
    /// Not measured for other numbers.
    pub const ROWS_TOGETHER: [i64; 3] = [1, 2, 4];

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
    pub const DEPTH_BLOCKS: [i64; 6] = [16, 128, 256, 512, 1024, 2048];

    /// Iterations of the loop around the rows that are tried as a block, if they divide it; 0: all.
    ///
    /// Not measured for other numbers.
    pub const OUTER_BLOCKS: [i64; 3] = [0, 1, 4];

    /// Register tiles in a block of rows that are tried.
    ///
    /// Not measured for other numbers.
    pub const ROW_BLOCKS: [i64; 5] = [1, 8, 16, 32, 64];

    /// Bytes of a constant that is copied into a program of a single nest, at most.
    ///
    /// Not measured: it bounds the memory of a search.
    pub const MAX_CONSTANT_BYTES: usize = 64 << 20;
}
