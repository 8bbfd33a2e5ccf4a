//! Work inside a bound: loops along a dimension of which only the first elements are needed end there.
//!
//! In a program for sizes up to bounds ([`strata_ir::VALID`] on the entry) callers take only the first elements of an output, as many as the
//! sizes of a call say. What is needed of every other tensor follows from its users ([`demand`]). A loop of a scheduled nest whose
//! iterations write what is not needed gets the number of the needed ones ([`loops`]):
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c6 … {strata.limit = affine_map<(d0) -> (d0)>}      // up to the size, at most 128
//! ```
//!
//! The loop keeps its bound until buffers are assigned and checked: the last step but one of stage `affine` lowers it. So what a
//! tensor has beyond is as if it were computed until then, and is whatever memory holds in the object.

pub mod demand;
pub mod loops;

use strata_ir::{AffineExpr, AffineMap};

/// How many elements of a dimension are needed, counted from the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// None, as far as is known.
    Nothing,
    /// Those below a number.
    Below(Bound),
    /// All.
    All,
}

/// `scale * size + more`, where `size` is the number of one of the sizes that the entry takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number of the size.
    pub size: usize,
    /// Its factor, positive.
    pub scale: i64,
    /// What is added.
    pub more: i64,
}

impl Need {
    /// What is needed by either of two.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (Self::Below(own), Self::Below(other))
                if own.size == other.size && own.scale == other.scale =>
            {
                Self::Below(Bound { more: own.more.max(other.more), ..own })
            }
            _ => Self::All,
        }
    }

    /// The need of elements at `scale * i + more` for the needed `i`.
    pub fn moved(self, scale: i64, more: i64) -> Self {
        let Self::Below(bound) = self else { return self };
        // The last one is at `scale * (bound - 1) + more`.
        let factor = bound.scale.checked_mul(scale).filter(|factor| *factor > 0);
        let rest = (bound.more - 1).checked_mul(scale).and_then(|rest| rest.checked_add(more + 1));
        match (factor, rest) {
            (Some(factor), Some(more)) => Self::Below(Bound { scale: factor, more, ..bound }),
            _ => Self::All,
        }
    }
}

impl Bound {
    /// The bound in an expression of `sizes` sizes; `None` for others, constants too.
    pub fn of(expression: &AffineExpr, sizes: usize) -> Option<Self> {
        let (factors, more) = expression.linear(sizes)?;
        let mut used = factors.iter().enumerate().filter(|(_, factor)| **factor != 0);
        let (Some((size, scale)), None) = (used.next(), used.next()) else { return None };
        (*scale > 0).then_some(Self { size, scale: *scale, more })
    }

    /// The map from all sizes to it.
    pub fn to_map(self, sizes: usize) -> AffineMap {
        AffineMap::new(sizes, vec![AffineExpr::dim(self.size) * self.scale + self.more])
    }
}
