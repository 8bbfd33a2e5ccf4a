//! Stage 30: schedules for the hot nests.
//!
//! A nest is a linalg operation with the producers that can be fused into its tiles ([`fusion::nest`]); elementwise nests over
//! the same elements are joined into one nest with several results. Each nest is outlined to a function
//! ([`transform::outline`]), normalised for its strategy (multiply-adds fused, operands transposed, reduction loops collapsed),
//! and transformed by a schedule: a transform-dialect sequence that is generated for the nest's shape and the target, with tile
//! sizes from a small cost model ([`tiling::cost`]). The transformed body replaces the nest. If a schedule fails, its copy is
//! discarded and the next simpler schedule is tried; if all fail, the nest stays linalg, for stage 40. Equal nests are scheduled
//! once.
//!
//! | strategy | nests | recorded as |
//! |---|---|---|
//! | register tiles | contractions, convolutions, windows, column reductions, with an elementwise epilogue | `registers 6x64 …` |
//! | rows | reductions along rows with their surroundings: softmax, layer normalisation | `rows 16` |
//! | elementwise | elementwise operations over the same elements, with any number of results | `elementwise 16` |
//! | transpose | copies across memory | `transpose 16` |
//! | extremum | an extreme element and its place, along rows or columns | `extremum 8` |
//!
//! An attention whose scores do not fit in L2 becomes loops over blocks of rows and keys first, recorded as `attention 256x256`
//! (`fusion::attention`); the operations on a block are nests. The loops of an extremum and its place are written by `extrema`, since
//! no transform divides a reduction of pairs.
//!
//! A file of schedules by nest ([`tuned`]) replaces decisions of the cost model, for the nests that it has.
//!
//! To choose another schedule for one nest, print all of them ([`print_schedule`]), edit the sequence
//! and feed the text back ([`run_with`], `--schedule`).
//!
//! # What is left to later stages
//!
//! Input and output have the same function signatures, except that booleans become bytes. A scheduled nest consists of
//!
//! - `scf.for` over `tensor.extract_slice` / `tensor.insert_slice`; accumulators are vector
//!   `iter_args`; the outermost loops carry `strata.schedule`, a string;
//! - `vector.transfer_read` / `transfer_write` on tensors, in bounds, of vectors of one row and at
//!   most one register of the target; squares of registers in transposes;
//! - elements that are broadcast to a vector: a `transfer_read` of `vector<f32>` and a
//!   `vector.broadcast`;
//! - `math.fma` on such vectors where the target has the instruction, else multiply and add;
//! - `vector.multi_reduction` at the end of row reductions, of the accumulators read as one vector;
//! - arithmetic on short tensors (`vectors::short_vectors`) as such vectors, in `scf.for` and `scf.if`;
//! - `tensor.empty` for panels and rows: temporaries that stage `affine` gives a buffer.
//!
//! In programs for sizes up to bounds, loops and elementwise operations may have a `strata.limit` ([`limits`]).
//!
//! Everything else stays linalg on tensors. Booleans are bytes in memory from here on. Other elements whose layout in vectors
//! differs from memory (sub-byte integers, small floats) are never vectorised here.
//!
//! # Modules
//!
//! [`fusion`] merges and joins operations into nests, `layout` changes the memory layout of operands, [`tiling`] has the
//! strategies and the cost model, [`limits`] finds what of a bounded dimension is not needed, [`transform`] writes and applies schedules, `vectors` and `cleanup` work on single operations.
//! `constants` evaluates copies of constants into other layouts. `steps` has the steps of the stage, `kernels` schedules each nest in the last of them.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cleanup;
mod constants;
mod contract;
mod extrema;
pub mod fusion;
mod kernels;
mod layout;
pub mod limits;
mod loops;
mod steps;
pub mod structured;
pub mod tiling;
pub mod transform;
pub mod tuned;
mod vectors;

pub use contract::check;
pub use steps::{chosen, nests, print_schedule, run, run_observed, run_with, steps};
