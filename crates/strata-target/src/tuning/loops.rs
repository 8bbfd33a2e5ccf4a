//! Thresholds of stages `affine` and `vector`: of loops on buffers.

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

/// Stage `affine`: rows of narrow elements that are streamed from memory, asked for one block ahead.
///
/// Measured on an EPYC (Zen 5) beside other work, one row of `bf16` times `i8`, the shortest of 15 rounds: 4096x4096 0.44 to 0.39 ms, the matrices of GPT-2 with rows
/// of 768 to 8192 bytes, 34 MiB in all, 3.2 to 1.2 ms.
pub mod streams {
    /// Bytes of a matrix that caches may not hold when it is read.
    ///
    /// Measured likewise: 2.4 MB that caches hold take 0.061 ms, with requests 0.071; of GPT-2's, which they do not, the smallest has 590 KB.
    pub const MIN_BYTES: i64 = 512 << 10;

    /// Rows of a block: fewer are streams that processors follow.
    ///
    /// Measured for 8 rows; others were not.
    pub const MIN_ROWS: i64 = 4;

    /// More rows are further ahead than L1 holds.
    ///
    /// Not measured.
    pub const MAX_ROWS: i64 = 16;

    /// Bytes of an input whose rows are reduced, from which on they are asked for ahead on processors with tiles.
    ///
    /// Measured on an Intel processor with AMX, 4096x4096 `f32`, which no cache held, medians of 21 rounds: maxima of rows 4.8 to 4.1 ms, these
    /// with their places 6.1 to 4.2, sums 4.15 to 3.95, a matrix times a vector 4.3 to 4.1, softmax of 1024x32768 20.4 to 19.6. Smaller ones
    /// were not. On an EPYC (Zen 3) such rows are slower, 0.72 to 0.86.
    pub const MIN_ROWS_BYTES: i64 = 32 << 20;

    /// How far ahead, in bytes.
    ///
    /// Measured likewise with 2048: the same but for sums, 4.15 ms. Requests that end with the row instead of going on to the next one:
    /// maxima 5.1 ms; all requests of an iteration before its first read: maxima 4.5 ms.
    pub const AHEAD_BYTES: i64 = 1024;

    /// Rows of a step of the sums: two of bytes or `bf16` are a row of lanes of `bf16`, four one of bytes.
    ///
    /// Measured likewise with four: bytes times 8192x8192 2.75 ms as before, times 2048x8192 0.25 to 0.33 ms.
    pub const MAX_ROWS_OF_STEP: usize = 2;

    /// Lines of a block of rows and columns.
    ///
    /// Measured likewise with 32: `bf16` times 8192x4096 2.6 to 3.0 ms.
    pub const MAX_LINES: i64 = 16;
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

/// Stage `affine`: the last tiles of loops that end at the size of a call.
pub mod rests {
    /// Rows or columns that are left after whole squares of a transpose, up to which they are moved element by element.
    ///
    /// Measured on a Xeon with AVX-512, `[s, s]` and `[64, s]`: one and two rows are 1.1 to 2.6 times as fast, four 0.7 to 1.3 times.
    pub const MAX_STRIP_ROWS: i64 = 2;

    /// Tiles that are written in more parts, rows or vectors, have no code for fewer.
    ///
    /// Not measured: register tiles have at most 6 rows, and 4 vectors in one.
    pub const MAX_PARTS: i64 = 16;

    /// Up to this many parts of a tile each number has code of its own; of more, powers of two have.
    ///
    /// Measured (Zen 4, AVX-512): with 4, tiles of 6 rows are 0.9 of their speed at 5 and 0.95 at 17.
    pub const MAX_NUMBERS: i64 = 6;

    /// Loops with larger bodies are not copied.
    ///
    /// Not measured by itself.
    pub const MAX_OPERATIONS: usize = 400;

    /// Rows that are reduced and read again have code for up to so many vectors.
    ///
    /// Measured on a Xeon, rows of `[64, s]` less their maximum at 65 and 100 of 128, of the speed of the program of the size, with AVX2 (9 and
    /// 13 vectors): 1.06, 1.47 with 8, 2.28, 2.40 with 16. Longer rows were not measured.
    pub const MAX_FEW_VECTORS: i64 = 16;

    /// Operations of this code at most, in all.
    ///
    /// Not measured by itself: code and compile time grow with them.
    pub const MAX_FEW_OPERATIONS: usize = 600;

    /// Rows of up to so many vectors have code for each number.
    ///
    /// Measured on a Xeon with AVX-512, layer norm of `[64, s]` at 33, 50, 65, 100 of 128: 0.61, 0.62, 0.72, 0.72 with 2, 0.97, 0.63, 0.72,
    /// 0.72 with 3, 1.02, 0.70, 0.80, 0.73 with 5. Objects of six such programs are 1.03, 1.09, 1.17 times as large as without any.
    pub const MAX_STRAIGHT_VECTORS: i64 = 3;

    /// How many rows are computed at a time.
    ///
    /// Not measured by itself: as many short rows of given length are computed at a time, where these have several vectors.
    pub const FEW_ROWS: i64 = 4;

    /// Rows whose tiles have more operations do not have code for each number of vectors after the tiles.
    ///
    /// Not measured by itself: of longer computations the ends of loops are a small part.
    pub const MAX_CHOSEN_OPERATIONS: usize = 64;

    /// Tiles with more operations are computed before what is left of rows, not in each of the copies of these.
    ///
    /// Measured for `jnp.tril` of `[s, s]` up to 128 (36 operations, Xeon with AVX-512, code for AVX2): 16.0 instead of 19.7 KB, as fast at 17, 33, 65 and 100; a
    /// row added to `[64, s]` (24 operations) takes 1.1 times as long at 65.
    pub const MAX_COPIED_TILE: usize = 32;
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

    /// A nest that takes less is not split: a thread that looks for work begins within 1 us, one that sleeps after 10 to 30.
    ///
    /// Measured on the EPYC (Zen 5), with the pool of `strata/threads.h`: 10 000 as fast as 25 000, 50 000 slower by 2 % (BERT) to 46 %
    /// (the bundled MLP).
    pub const MIN_NEST_TIME: f64 = 25_000.0;

    /// What it takes until another thread has begun: between a thread that looks for work and one that sleeps.
    ///
    /// Measured on the EPYC (Zen 5): models are as fast with 2 000.
    pub const DISPATCH_TIME: f64 = 5_000.0;

    /// What a task takes at least.
    ///
    /// Not measured by itself.
    pub const MIN_TASK_TIME: f64 = 8_000.0;

    /// Tasks of a nest at most.
    ///
    /// Not measured: some machines have more cores.
    pub const MAX_TASKS: i64 = 64;

    /// Trips of a loop from which those of the loop in it do not become tasks, too.
    ///
    /// Not measured: machines with more cores have more caches.
    pub const ENOUGH_TASKS: i64 = 32;

    /// Trips of a loop up to which those of the loop in it become tasks, too, where none has memory of its own.
    ///
    /// Measured (Zen 5, ResNet-50, one thread): with the ten of convolutions of 512 channels, whose weights are read in place, three of them
    /// took twice their time, the model 1.05 of its.
    pub const FEW_TRIPS: i64 = 8;

    /// How much longer than [`MIN_TASK_TIME`] a task over two loops is at least: one thread calls each.
    ///
    /// Measured (Zen 5, `conv1x1_56x56x64_256`, one thread): 56 tasks of 7 us, estimated at 16, take 1.02 of the time
    /// of four.
    pub const LONGER_PARTS: i64 = 4;

    /// What a task takes at least of what it repeats, such as packing a panel.
    ///
    /// Not measured: an executor of few threads gets such tasks in groups.
    pub const MAX_REPEATED: f64 = 0.5;

    /// Trips from which a loop is cut though one inside of it has more.
    ///
    /// Measured on the EPYC, see [`BYTES_BETWEEN_CORES_PER_NS`].
    pub const MIN_OUTER_TRIPS: i64 = 8;

    /// Columns of a task at least, where columns of sums over rows are cut.
    ///
    /// Not measured for other numbers.
    pub const MIN_TASK_COLUMNS: i64 = 1024;

    /// The same on many threads, where executors of few get several such tasks at once.
    ///
    /// Measured (Zen 5), and simulated for 16 cores: `gpt2_decode` takes 1/3.2 of its time.
    pub const FEWEST_TASK_COLUMNS: i64 = 128;

    /// Bytes that the tasks of a nest take together, where they need memory of their own. Executors of many threads may take as much as
    /// the nest reads and writes.
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

/// Stage `vector`: maxima and minima that loops carry as integers.
pub mod extrema {
    /// Vectors of extrema that a loop carries, at most: each takes three of 16 registers.
    ///
    /// Not measured for more.
    pub const MAX_CARRIED: usize = 4;

    /// Iterations of such a loop, at least: after it four instructions make a float of three integers.
    ///
    /// Not measured for other numbers.
    pub const MIN_TRIPS: i64 = 4;
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

    /// Of the work of all innermost loops, the share of those that LLVM may unroll: the largest ones.
    ///
    /// Measured (Zen 3, AVX2), twelve of the benchmarks: LLVM's time 0.88, their calls as long (median 0.999 of the speed). With 0.97 LLVM's
    /// time 0.79, the speed 0.98: a batched dot with two rows after the last whole tile 0.95. With 0.995 LLVM's time 0.93.
    pub const UNROLLED_SHARE: f64 = 0.99;

    /// Trips of a loop whose bounds are not known, where loops are compared.
    ///
    /// Not measured for other numbers.
    pub const GUESSED_TRIPS: f64 = 16.0;

    /// The probability of a branch that depends on data, where it is taken seldom.
    ///
    /// Not measured for other numbers.
    pub const RARELY: f64 = 1.0 / 1024.0;

    /// Fewer steps are not worth the code.
    ///
    /// Not measured for other numbers.
    pub const MIN_TRIPS: i64 = 64;

    /// Fewer rows may be filled one after the other.
    ///
    /// Measured (machine not recorded): ResNet-18's code 210 to 118 KB, as fast.
    pub const MIN_ROLLED_FILL: i64 = 32;

    /// A loop with a vector for each of so many rows stays one, if it ends at a size of a call.
    ///
    /// Measured (Zen 5, AVX-512), sums and maxima of 64 rows up to 128 elements: as fast; the object of
    /// sums 21.6 to 11.5 times that of the program of 128.
    pub const MIN_ROLLED_ROWS: usize = 8;

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

    /// Operations on vectors in a loop around others, at least, those of unrolled ones as often as they are copied: of fewer instructions
    /// LLVM makes some copies, or one of the first iteration.
    ///
    /// Measured: 148 objects (37 benchmarks, Zen 4 and three levels of x86-64) are the same; with 1 instead, four differ.
    pub const MIN_LONG_NEST_BODY: i64 = 192;

    /// The same in all iterations of such a loop: LLVM unrolls none of so many instructions as a whole.
    ///
    /// Not measured for other numbers.
    pub const MIN_LONG_NEST: i64 = 1200;

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

/// Columns of buffers with short rows.
pub mod columns {
    /// Rows of so many elements at most are read as a whole where lanes are elements of a column.
    ///
    /// Not measured for other numbers.
    pub const MAX_ROW: i64 = 4;
}

/// Quotients of integers.
pub mod divisions {
    /// Lanes of a vector from which on quotients are computed as floats.
    ///
    /// Measured (Zen 5) with whole vectors only, 64 and 65,536 quotients and remainders beside LLVM's, one after the other: of 8 bits 5 to 16 times
    /// as fast, of 16 12 to 34, of 32 6 to 11; with AVX2 6 to 9, 8 to 18, 3.5 to 5.6; with SSE 1.6 to 5.3, 3.5 to 6.0, 1.7 to 2.7.
    pub const MIN_LANES: i64 = 4;
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

    /// The same on processors with tiles.
    ///
    /// Measured on an Intel processor with AMX, outputs of 64 MiB: `exp`, `tanh`, `logistic` and `erf` 10.8, 10.8, 11.1 and 11.0 to 9.0, 9.2, 9.5
    /// and 9.5 ms; a chain of four functions, 130 operations, 19 to 24 ms.
    pub const MAX_ROW_WORK_BESIDE_TILES: usize = 64;

    /// Lines that are written at a time in pieces: a processor gathers few before they go to memory.
    ///
    /// Measured (Zen 3, AVX2), in C: squares of 8 rows by two, 8 lines, transpose 4096x4096 `f32` 1.6 times as fast with such stores; halves
    /// of lines alone 0.76. More lines were not measured.
    pub const MAX_OPEN_LINES: usize = 8;

    /// Vectors of a copy that one iteration moves.
    ///
    /// Not measured for other numbers.
    pub const COPIED_VECTORS: i64 = 4;
}
