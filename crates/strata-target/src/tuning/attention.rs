//! Stage `schedule`: attention in blocks of rows and keys, and in blocks of rows.

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

/// Blocks of rows with all keys have as many rows as make their scores and weights this part of L2: the keys are read again for each.
///
/// Measured on a Xeon with AMX (2 MiB of L2), beside other work: 8 heads of 1024 rows of `bf16` 8.6 ms, a fourth of L2 8.8, an eighth 9.2; 4
/// heads of 4096 rows 76, 87, 200 ms.
pub const SCORES_IN_L2: i64 = 2;

/// Rows of such a block, at least.
///
/// Measured with 256 KiB of L2: 4 heads of 4096 rows of `bf16` on AVX2, 32 KiB of scores and weights in each, 640 to 483 ms.
pub const LEAST_BLOCK: i64 = 16;

/// So many times as many rows, at most, where a mask leaves few keys to each.
///
/// Measured on a Xeon with AMX, a window of 256 of 4096 keys: 2 and 4 the same within 5 %. A block that needs all keys nevertheless has as many
/// times the scores.
pub const MORE_ROWS: i64 = 2;

/// Rows of such a block are a multiple of this where the number of rows allows it.
///
/// Not measured: those of two tiles.
pub const TILES: i64 = 32;

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

/// The keys that a block of rows with all keys leaves out, and those that it has, are a multiple of one of these: the largest that divides
/// their number.
///
/// Not measured: two tiles of lanes, one, half of one.
pub const KEY_STEPS: [i64; 3] = [64, 32, 16];

/// Rows are split in so many ranges, each with code of its own for as many keys as its rows see, where the dots have so many products at least.
///
/// Measured on a Xeon with AMX: 8 heads of 1024 rows of `bf16` take 0.86 of the time with two, 0.62 with four. Code is compiled as many times, for
/// each shape.
pub const RANGES: [(usize, i64); 2] = [(2, 1 << 27), (4, 1 << 30)];

/// The part of the keys, as a quotient, that more ranges have to leave out.
///
/// Not measured.
pub const MIN_LEFT_OUT: (i64, i64) = (1, 10);
