//! Stages 40 and 50: buffers planned into one arena, the remaining nests as affine loops, and
//! vectors of the target's size with the math functions expanded; [`dispatch`] makes one module of functions for several sizes.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod affine;
mod content;
pub mod dispatch;
mod nests;
mod sums;
pub mod vector;
mod views;
