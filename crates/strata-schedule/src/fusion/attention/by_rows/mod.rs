//! Attention on blocks of rows with all of their keys.
//!
//! ```text
//! %s = … dots of %q and %k, in f32 …          // 8 x 4096 x 4096 scores
//! %e = … exp of their differences from the maximum of each row …
//! %w = … %e over the sum of each row, as bf16 …
//! %r = … dots of %w and %v …
//! ```
//! becomes, with the same operations on fewer rows,
//! ```text
//! scf.for %head = 0 to 8 {
//!   scf.for %i = 0 to 4096 step 32 {
//!     %s = … 32 x 4096 scores …
//!     %e = …
//!     %w = …
//!     … dots of %w and %v …
//!   }
//! }
//! ```
//! Weights that are rounded need the sum of their row before, so that blocks of keys, which are rescaled, would be others. Blocks of rows
//! leave all operations as they are, each row with all of its keys. Memory is linear in the number of rows.
//!
//! Keys that a mask of indices hides from the rows of a block are left out where what is between the dots is a softmax ([`hidden`]):
//!
//! ```text
//! scf.for %i = 0 to 4096 step 32 {
//!   … for each range of rows: if %i is in it, with as many keys as its rows see; whether the others have weights of 0 …
//!   … otherwise, with all keys …
//! }
//! ```
//!
//! What is between the dots is any chain of elementwise operations and reductions along rows; the one with another softmax than
//! [`Attention`](super::find::Attention) has, too.

mod emit;
mod find;
mod hidden;

pub use self::{emit::emit, find::ByRows};
