//! Thresholds of stages `llvmir` and `obj`: of code.

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

/// Stage `obj`: formulas whose instructions keep their order.
pub mod order {
    /// Operations on vectors that are scheduled together.
    ///
    /// Measured (Zen 3, AVX2), `erf` of 4096: 4, 8, 16 and 32 2.03, 2.05, 2.01 and 2.09 us, beside 2.5 where LLVM schedules the whole.
    pub const KEPT: usize = 16;

    /// Operations that add a constant in a block that is a formula, at least.
    ///
    /// Measured on the same: `exp` (32) and `logistic` (36) 0.95 times as fast, `log` and `sinh` (40) 1.10, `erf` (64) 1.3, a chain of four
    /// functions (168) 1.24 times.
    pub const MIN_ADDED: usize = 40;

    /// Operations for each of them, at most.
    ///
    /// Not measured for other numbers: formulas have up to three.
    pub const PER_ADDED: usize = 4;
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

    /// Operations that a program runs in a call, at most, for its code to be generated without optimisation.
    ///
    /// On a Zen 4 additions of 7 to 16 numbers compile in 6.6 instead of 8.4 ms, and their calls take as long (4.7 us); a softmax of
    /// 33x65 takes 14.3 instead of 9.5 us, a step of Adam with four layers of 32x32 88 instead of 26.
    pub const MAX_TINY_WORK: i64 = 1 << 9;

    /// Operations that scalar loops run in a call, at most, for LLVM to make no vectors of them.
    ///
    /// Not varied: one microsecond, a fifth of the dispatch of a call.
    pub const MAX_SCALAR_WORK: i64 = 1 << 12;

    /// The same where LLVM makes vectors of them, and nothing else of the whole pipeline is run.
    ///
    /// Not varied.
    pub const MAX_VECTORISED_WORK: i64 = 1 << 18;

    /// Vector instructions that an elementwise nest runs in a call, at most, for its body to have less copies than usual; of a body those
    /// up to `MAX_COPIED_WORK` count.
    ///
    /// Not varied: some 20 microseconds.
    pub const MAX_NEST_WORK: i64 = 1 << 16;

    /// Vector instructions of all copies of the body of such a nest, at most, unless there is one.
    ///
    /// On an EPYC with AVX-512 five functions on 64x64 numbers compile in 0.6 of the time (50 to 30 ms), a chain of 100 operations
    /// in 0.63 (172 to 109 ms). The calls take 1.2 and 1.05 of the time.
    pub const MAX_COPIED_WORK: usize = 64;

    /// Places that have a function of `math` with the same vectors, at least, for these to call a function of the program.
    ///
    /// Not varied.
    pub const MIN_SHARED_MATH: usize = 4;

    /// How often a call of the program comes by such a place, at most.
    ///
    /// Not varied: some 10 microseconds of calls of functions.
    pub const MAX_CALLS: i64 = 1 << 12;

    /// How much longer than the fastest register tiles those of less code may take, by the cost model.
    ///
    /// Not varied: 4 rows of 32 columns, without a rest of 64 rows, are within it beside 6 of 64. Calls of dots of 32x64x80 to 128x64x128 take
    /// 1.01 to 1.04 of the time on a Zen 4.
    pub const MAX_TILE_COST: f64 = 1.06;

    /// What a region of a result takes in code beside its multiply-adds, in multiply-adds.
    ///
    /// Not varied.
    pub const REGION_CODE: i64 = 8;
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
