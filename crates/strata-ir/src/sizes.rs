//! Sizes that are known only at run time: expressions of symbols, and conditions on them.

mod expression;
mod truth;

pub use expression::{Atom, Size, Variable};
pub use truth::Truth;
