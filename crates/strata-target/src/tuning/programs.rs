//! Thresholds of stages `hlo` and `linalg`: of whole operations.

/// Stage `hlo`: what is computed, copied, unrolled or moved at compile time.
pub mod simplification {
    /// Results of more elements than this are not computed at compile time, but for splats.
    ///
    /// Not measured: constants of a few KiB, which no load misses.
    pub const MAX_FOLDED_ELEMENTS: u64 = 1024;

    /// Operations by which positions of a gather may follow from constants; one is looked at as often as it is used.
    ///
    /// Not measured: `jax.image.resize` has 14.
    pub const MAX_KNOWN_OPERATIONS: usize = 64;

    /// Operations by which index vectors that are the same along a dimension are computed.
    ///
    /// Not measured: `grid_sample` has some 40 for each of four neighbours, of which the first ones are the same.
    pub const MAX_REPEATED_OPERATIONS: usize = 256;

    /// Dimensions, at most, along which a value that is the same is computed once.
    ///
    /// Not measured: exporters repeat values along one or two.
    pub const MAX_REPEATED_DIMENSIONS: usize = 4;

    /// Values of fewer elements are computed at each of their places.
    ///
    /// Not measured: less than a microsecond.
    pub const MIN_REPEATED_ELEMENTS: u64 = 1024;

    /// What a value that is the same along a dimension takes for each element, at least, for it to be computed once: a division takes 4, a
    /// function 16.
    ///
    /// Not measured for other numbers; one or two operations take no longer than the read of what was computed.
    pub const MIN_REPEATED_WORK: i64 = 8;

    /// Operations through which integers, scales and zero points of a dot's operand are followed.
    ///
    /// Not measured: exporters write four.
    pub const MAX_SCALED_OPERATIONS: usize = 16;

    /// Rows, at most, whose sums are carried from group to group of a dot of integers with scales of groups: more are so many blocks.
    ///
    /// Measured on a Xeon with AMX, 256 and 1024 rows times 2048x2048 in groups of 128: blocks of 128 take 0.7 and 0.9 of the time of all rows at once, with
    /// its AVX2 0.8 and 0.65; blocks of 64 as much or more.
    pub const MAX_GROUPED_ROWS: i64 = 128;

    /// Rows of at most this many numbers are reduced as columns.
    ///
    /// Not measured for other numbers.
    pub const MAX_COLUMNS: i64 = 4;

    /// Fewer rows are not reduced as columns.
    ///
    /// Not measured: a vector of them.
    pub const MIN_ROWS_BY_COLUMN: i64 = 16;

    /// Operations, at most, that are computed again for a reduction whose dimensions are joined.
    ///
    /// Not measured: a variance has three.
    pub const MAX_JOINED_OPERATIONS: usize = 8;

    /// Operations of a reduction, at most, among which repeated numbers are looked for.
    ///
    /// Not measured.
    pub const MAX_ROW_OPERATIONS: usize = 32;

    /// Shorter rows, whose elements depend on their places, are not reduced one by one.
    ///
    /// Not measured: a few vectors.
    pub const MIN_ROW_OF_PLACES: i64 = 64;

    /// Reductions of fewer elements keep their dimensions.
    ///
    /// Not measured: less than a microsecond in plain loops.
    pub const MIN_JOINED_ELEMENTS: i64 = 1024;

    /// Of a reduction over dimensions that are apart, the elements of the last ones up to which these are columns.
    ///
    /// Not measured: a few vectors, which rows begin with partly filled.
    pub const MAX_RUN_BY_COLUMN: i64 = 64;

    /// Operations, at most, that are computed in the order of what a transpose reads.
    ///
    /// Not measured: `jnp.packbits` has four.
    pub const MAX_REORDERED_OPERATIONS: usize = 16;

    /// Windows of an operand of fewer elements keep their padding.
    ///
    /// Not measured.
    pub const MIN_UNPADDED_ELEMENTS: i64 = 4096;

    /// Elements of a padded line, with what is in one place of it, from which on its windows are computed without padding.
    ///
    /// Not measured.
    pub const MIN_UNPADDED_RUN: i64 = 256;

    /// How many times as many numbers windows read at once as one dimension after the other, from which on these are two passes.
    ///
    /// Not measured for others: 5x5 is 2.5, 3x3 is 1.5, and a pass is also written and read.
    pub const MIN_WINDOW_GAIN: i64 = 2;

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

    /// Rows of a dot in a trip of a loop, at most, of which there is one dot before the loop.
    ///
    /// Measured (Zen 5, one thread, LSTM of 64 steps, 256 numbers in 1024 gates, AVX-512 and AVX2): of 1, 4, 8, 16 and 32 rows 2.03, 1.70, 1.29,
    /// 1.03, 1.00 and 1.67, 1.21, 1.23, 1.16, 1.09 times as fast.
    pub const MAX_ROWS_IN_A_TRIP: i64 = 8;

    /// Elements of the right operand of such a dot for each of these rows, at least.
    ///
    /// Measured likewise: 64 times 256 numbers, one row 1.54 and 1.36 times as fast, four 1.02 and 1.01; 128 times 512, eight rows 1.00; 16 times
    /// 64, one row 0.88 and 0.83.
    pub const MIN_DOT_BEFORE_A_LOOP: u64 = 1 << 14;

    /// Results of all trips, in elements of the operands, at most.
    ///
    /// Not measured: the gates of a recurrent network are four times as many as its inputs.
    pub const MAX_ROWS_BEFORE_A_LOOP_GROWTH: u64 = 8;

    /// Bytes of these results, at most: the workspace has them.
    ///
    /// Not measured for other numbers.
    pub const MAX_BYTES_BEFORE_A_LOOP: u64 = 64 << 20;

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

    /// Products of a convolution of a dilated input, with zeros and with elements, from which on it is computed by phases.
    ///
    /// Not measured: some microseconds; a phase is a nest of its own.
    pub const MIN_PHASED_PRODUCTS: u64 = 1 << 17;

    /// The most phases.
    ///
    /// Not measured: code and the time to compile grow with them. Four in each of three dimensions.
    pub const MAX_PHASES: i64 = 64;

    /// Products of a convolution from which on the parts of its results that do not multiply padding are convolutions of their own.
    ///
    /// Not measured: some ten microseconds; a part is a nest of its own.
    pub const MIN_BORDER_PRODUCTS: i64 = 1 << 20;

    /// The most of these parts.
    ///
    /// Not measured: code and the time to compile grow with them. Five in each of two dimensions.
    pub const MAX_BORDER_PARTS: usize = 25;

    /// The work of these parts beside that of all products with padding, in percent, from which on there is one convolution.
    ///
    /// Measured with 3x3 on AVX-512: 82 % of the products are 93 to 95 % of the time, 77 % are 83 %.
    pub const MAX_BORDER_SHARE: i64 = 80;

    /// Places of a part, in all images, that take as long as fewer do.
    ///
    /// Measured: parts of 4 and 8 times 4 and 8 places, 69 % of the products, take 1.5 times as long with AVX-512, 0.91 with AVX2.
    pub const MIN_BORDER_PLACES: i64 = 32;
}

/// Stage `hlo`: layouts of values.
pub mod layout {
    /// How often a loop is taken to run where layouts of values are weighed.
    ///
    /// Not measured.
    pub const LOOP_TRIPS: i64 = 8;

    /// Loops in each other from which on more do not count.
    ///
    /// Not measured.
    pub const MAX_DEPTH: u32 = 4;

    /// Channels from which on windows are reduced with channels last, between two transposes.
    ///
    /// Not measured for others: a vector of AVX-512.
    pub const MIN_WINDOW_CHANNELS: i64 = 16;
}

/// Stage `linalg`: which of two lowerings an operation gets.
pub mod lowering {
    /// Elements of windows that do not overlap, at most, which `select_and_scatter` compares in vectors.
    ///
    /// Measured for 4 (Zen 5, a step of training with two such gradients): 1.29 times as fast.
    pub const MAX_COMPARED: i64 = 16;

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

    /// Rows of a result from which on tiles of lanes pay: products of tiles with fewer rows take less time.
    ///
    /// Measured on an Intel processor with AMX, `bf16`, µs through `f32` and in tiles: 4, 8, 12 rows of 512x512 17.6, 34, 48 and 15.7, 15.9, 16.8; of
    /// 4096x4096, whose panels nothing reads again, 1750, 3090, 7810 and 2630, 3170, 3080.
    pub const MIN_TILED_ROWS: i64 = 8;

    /// Columns of a result from which on tiles of lanes pay: a tile of them.
    ///
    /// Not measured for other numbers.
    pub const MIN_TILED_COLUMNS: i64 = 16;

    /// Bytes of a sum's operands from which on tiles of lanes pay: a row of a tile.
    ///
    /// Not measured.
    pub const MIN_TILED_BYTES: i64 = 64;

    /// Multiply-adds of a dot from which on tiles of lanes pay: to configure them takes some hundreds of cycles.
    ///
    /// Not measured.
    pub const MIN_TILED_WORK: i64 = 1 << 17;

    /// How many vectors constant weights of four bits are multiplied by where they are rows of left tiles, of which each word is looked up in a
    /// register: of one, they are read as they are.
    ///
    /// Measured on a Xeon with AMX, see docs/experiments.md.
    pub const LOOKED_UP_VECTORS: std::ops::RangeInclusive<i64> = 2..=128;

    /// Rows of tiles that are computed at a time in vectors where tiles are not permitted: with two vectors for each, what depends on the columns
    /// and the operands, that fills the registers of AVX-512.
    ///
    /// Not measured for other numbers.
    pub const STAND_IN_ROWS: i64 = 8;

    /// More blocks of a sum of integers in `f32` than this are not worth their code.
    ///
    /// Not measured.
    pub const MAX_WIDENED_BLOCKS: i64 = 16;

    /// Features of a convolution's group from which on they are worth being vectors.
    ///
    /// Not measured by itself; grouped convolutions in NCHW with features last, 8 groups: 1.61 to 0.11 ms on the Xeon.
    pub const MIN_CONV_FEATURES: i64 = 4;

    /// Elements beside each other up to which those of a transpose are a matrix first, whose rows are moved then, where they become
    /// columns.
    ///
    /// Measured on the EPYC (Zen 5), AVX-512 and AVX2: kernels of convolutions of 2x2 to 7x7 take 0.1 to 0.6 times as long; not for more.
    pub const MAX_SHORT_ROW: i64 = 64;

    /// Bytes of such a transpose up to which that pays where rows have at least a vector.
    ///
    /// Measured on the EPYC (Zen 5): 6 MiB of rows of 49 elements take 0.4 times as long as at once, 9 MiB of rows of 9 on AVX2 0.4, 16 MiB and more
    /// of rows of 16 to 64 up to 2.9 times. With AVX-512 38 MiB of rows of 9 take 6.9 instead of 107 ms.
    pub const MAX_COLUMN_BYTES: i64 = 10 << 20;

    /// Rows and columns from which on such a matrix has whole squares.
    ///
    /// Not measured for others: a vector of AVX-512.
    pub const MIN_COLUMNS: i64 = 16;

    /// Places beside each other of a convolution with one feature from which on they are vectors.
    ///
    /// Not measured for others: a vector of AVX-512.
    pub const MIN_CONV_PLACES: i64 = 16;

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

    /// Lines of an open size whose running reductions are computed beside each other.
    ///
    /// Measured on Zen 3 for 64 lines of 17 to 127 elements, beside 1.
    pub const SCAN_LINES: i64 = 4;
}

/// Elementwise programs of open sizes: one version of one loop over all elements, which is not split into tasks.
///
/// Measured on Zen 5 with AVX2: `tanh` of 1000 rows of up to 128 elements is split, and takes 16 times as long for rows of one. With SSE2
/// so much work is estimated at 43 µs where it is powers, below the time from which on nests are split.
pub mod one_loop {
    /// Operations on numbers, of which an exponential is ten.
    pub const MAX_WORK: u64 = 5 << 15;

    /// Bytes that are read and written by each operation.
    pub const MAX_BYTES: u64 = 1 << 20;
}

/// Programs of a number of rows up to a bound, which are computed for all rows at once.
pub mod rows_at_once {
    /// Elements of rows that are reduced.
    ///
    /// Measured on Zen 5 with AVX-512 for 3, 10, 64, 256 and 1000: sums of 8 rows of 10 elements take three times as long as the program
    /// of this size, of 64 as long.
    pub const MIN_REDUCED_ROW: i64 = 64;

    /// Elements of rows of which an extremum and its place are found.
    ///
    /// Measured on Zen 5: rows of 64 0.74 (AVX-512) and 0.84 (AVX2) of the speed of the program of a size, which takes several at a time,
    /// of 256 0.89 and 1.0, of 1000 1.0.
    pub const MIN_SEARCHED_ROW: i64 = 512;
}

/// Sorts.
pub mod sorting {
    /// The length up to which lines are merged, for keys of so many bits: counting their digits would take longer.
    ///
    /// Measured on Zen 3 with 64 lines of keys and places, for lengths of 9 to 32: digits are faster from 13 (8 bits), 17 to 20 (32 bits) and
    /// 30 (64 bits) on; those of `bf16`, which are computed, below 9.
    pub const fn max_merged_length(bits: u32) -> i64 {
        8 + 3 * (bits as i64 / 8)
    }

    /// Comparisons of vectors by which lines are sorted where less code counts more than time, at most.
    ///
    /// Not varied: some 2,000 steps of a loop, a line of 100 elements of `f32` with AVX2.
    pub const MAX_COUNTED_WORK: i64 = 1 << 11;

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

    /// The shortest and the longest of few lines that are sorted across the lanes of vectors of so many bits, by the bits of keys; none of
    /// bytes, which are one digit. Keys fit into L2, too.
    ///
    /// Measured on the Xeon with AVX-512 (one line of 20 to 262144 elements, beside scalar networks up to 256 and digits) with integers of all
    /// bits: with AVX-512 1.2 to 5.7 times as fast up to 65536; of 262144 keys of 16, 32 and 64 bits 1.3, 1.9 and 1.4 times (in C 1.1 and
    /// 0.7 for 524288 and 1048576 of 32 bits). With AVX2 keys of 16 bits 1.4 to 1.9 times up to 1000, 0.94 for 16384; of 32 bits 1.5 to 3.9
    /// up to 1000, 1.9 for 65536 (of `f32` with few different digits 0.97); of 64 bits 0.69 and 0.85 for 20 and 100, 2.6 and 1.2 for 1000
    /// and 65536. Without AVX2, where minima of 32 bits may be five instructions, 0.85 to 1.26 up to 1000, and 0.72 for 16384. Not measured
    /// on AArch64.
    pub const fn across_lengths(vector_bits: u32, bits: u32) -> Option<[i64; 2]> {
        match (vector_bits, bits) {
            (512, 16..=64) => Some([17, 1 << 18]),
            (256, 16) => Some([17, 1 << 12]),
            (256, 32) => Some([17, 1 << 17]),
            (256, 64) => Some([257, 1 << 16]),
            _ => None,
        }
    }

    /// Lines from this length on are parted by vectors of so many bits, by the bits of keys.
    ///
    /// Measured on the Xeon with AVX-512, one line of random keys: of 32 bits 0.93 to 1.07, 1.03, 1.15 and 1.16 times as fast as by the network
    /// for 8192, 16384, 32768 and 65536, of 64 bits 1.19, 1.28 and 1.39 times for the first three. Several lines are in a panel up to
    /// [`MAX_NETWORK_LENGTH`], which was not compared. Keys of 16 bits were not measured: they need instructions beyond AVX512F.
    /// With AVX2, 4096 keys of 32 bits 1.2 times as fast as by the network, of 64 bits 1.6 times; shorter lines were not measured.
    pub const fn min_parted_length(vector_bits: u32, bits: u32) -> Option<i64> {
        match (vector_bits, bits) {
            (512, 32) => Some(1 << 14),
            (512, 64) => Some(MAX_NETWORK_LENGTH + 1),
            (256, 32) => Some(1 << 11),
            (256, 64) => Some(1 << 9),
            _ => None,
        }
    }

    /// Parts of a line up to this length are sorted by a network, by the bits of vectors and keys.
    ///
    /// Measured on the Xeon in C for keys of 32 bits: of 256 to 4096, 1024 takes the least time. Keys of 64 bits have half of it, since their
    /// network takes twice the time. With AVX2, 64 vectors take 1.0 and 1.05 times as long as 32, keys of 32 and 64 bits.
    pub const fn max_part(vector_bits: u32, bits: u32) -> i64 {
        let rows = if vector_bits == 512 { 64 } else { 32 };
        vector_bits as i64 * rows / bits as i64
    }

    /// Parts that wait to be sorted, at most: where there are more, the line is sorted by digits.
    ///
    /// Not measured: twice what random keys need is less, even of the longest lines.
    pub const MAX_PARTS: i64 = 64;

    /// How often the keys of a line are parted, on average, before the line is sorted by digits; parts of so many keys are not.
    ///
    /// Not measured: random keys are parted half as often.
    pub const fn max_partings(length: i64, part: i64) -> i64 {
        4 + 2 * (length / part).ilog2() as i64
    }

    /// Vectors that are read together where a line is parted.
    ///
    /// Measured on the Xeon in C: 1, 2, 4 and 8 take 6.7, 5.0, 3.9 and 4.0 ns a key for 1048576 of 32 bits.
    pub const PARTED_TOGETHER: i64 = 4;

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

/// Stage `hlo`: programs for sizes up to bounds.
pub mod padding {
    /// Elements of a row from which on reductions of everything combine rows first, to one row: with fewer, rows that follow each other
    /// are one.
    ///
    /// Measured on an EPYC (Zen 5) with `x86-64-v4`, maxima of `[s, 64]` of which the elements are computed: two steps take 0.2 of the time
    /// of one that reads them again as one row. It is the number of `f32` in the largest vector.
    pub const MIN_STEP_ROW: i64 = 16;
}
