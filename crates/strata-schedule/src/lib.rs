//! Stage 30: schedules for the hot nests.
//!
//! A nest is a linalg operation with the producers that its tiles can hold ([`fusion::nest`]); elementwise nests over the
//! same elements are one nest with several results. Each nest is
//! copied into a function of its own ([`transform::outline`]), brought into the form that its strategy wants
//! (multiply-adds fused, operands turned, reduction loops joined), and transformed by a schedule: a
//! transform-dialect sequence that Rust writes for the nest's shape and the target, with tile sizes
//! from a small cost model ([`tiling::cost`]). The transformed body replaces the nest. A schedule that fails
//! is thrown away with its copy, and the next simpler one is tried; the last resort is to leave the
//! nest as linalg, for stage 40. Equal nests are scheduled once.
//!
//! | strategy | nests | recorded as |
//! |---|---|---|
//! | register tiles | contractions, convolutions, windows, column reductions, with an elementwise epilogue | `registers 6x64 …` |
//! | rows | reductions along rows with all around them: softmax, layer normalisation | `rows 16` |
//! | elementwise | elementwise operations over the same elements, with any number of results | `elementwise 16` |
//! | transpose | copies across memory | `transpose 16` |
//!
//! To choose another schedule for one nest, print all of them ([`print_schedule`]), edit the sequence
//! and feed the text back ([`run_with`], `--schedule`).
//!
//! # What is left to later stages
//!
//! Input and output have the same function signatures, but for booleans, which become bytes. A scheduled nest consists of
//!
//! - `scf.for` over `tensor.extract_slice` / `tensor.insert_slice`; accumulators are vector
//!   `iter_args`; the outermost loops carry `strata.schedule`, a string;
//! - `vector.transfer_read` / `transfer_write` on tensors, in bounds, of vectors of one row and at
//!   most one register of the target; squares of registers in transposes;
//! - elements that are read for a whole vector: a `transfer_read` of `vector<f32>` and a
//!   `vector.broadcast`;
//! - `math.fma` on such vectors where the target has the instruction, else multiply and add;
//! - `vector.multi_reduction` at the end of row reductions, of the accumulators read as one vector;
//! - arithmetic that was written for rows of lanes (`vectors::short_vectors`) as such vectors, in `scf.for` and `scf.if`;
//! - `tensor.empty` for panels and rows: temporaries that stage `affine` gives a buffer.
//!
//! All else stays linalg on tensors. Booleans are bytes in memory from here on. Other elements that vectors hold
//! otherwise than memory does (sub-byte integers, small floats) are never vectorised here.
//!
//! # Where what is
//!
//! [`fusion`] merges and joins operations into nests, `layout` changes how operands lie in memory, [`tiling`] has the strategies
//! and the cost model, [`transform`] writes and applies their text, `vectors` and `cleanup` work on single operations.
//! `steps` has the steps of the stage, `kernels` is what the last of them does with each nest.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cleanup;
mod contract;
pub mod fusion;
mod kernels;
mod layout;
mod steps;
pub mod structured;
pub mod tiling;
pub mod transform;
mod vectors;

pub use contract::check;
pub use steps::{print_schedule, run, run_observed, run_with, steps};
