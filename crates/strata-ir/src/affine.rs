//! Affine maps as expression trees, for evaluation.

use melior::ir::Attribute;
use mlir_sys as sys;

use crate::attrs::affine_map;

/// An affine expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AffineExpr {
    /// The value of a dimension.
    Dim(usize),
    /// The value of a symbol.
    Symbol(usize),
    /// A number.
    Constant(i64),
    /// A sum.
    Add(Box<AffineExpr>, Box<AffineExpr>),
    /// A product.
    Mul(Box<AffineExpr>, Box<AffineExpr>),
    /// The remainder of [`Self::FloorDiv`], never negative.
    Mod(Box<AffineExpr>, Box<AffineExpr>),
    /// A quotient, rounded down.
    FloorDiv(Box<AffineExpr>, Box<AffineExpr>),
    /// A quotient, rounded up.
    CeilDiv(Box<AffineExpr>, Box<AffineExpr>),
}

/// `affine_map<(dims)[symbols] -> (results)>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffineMap {
    /// The number of dimensions.
    pub dims: usize,
    /// The number of symbols.
    pub symbols: usize,
    /// The results in order.
    pub results: Vec<AffineExpr>,
}

impl AffineMap {
    /// The map in an attribute; `None` for other attributes.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {
        let map = affine_map(attribute)?;
        // SAFETY: the map is alive as the attribute is.
        unsafe {
            let results = (0..sys::mlirAffineMapGetNumResults(map))
                .map(|index| expression(sys::mlirAffineMapGetResult(map, index)))
                .collect::<Option<_>>()?;
            Some(Self {
                dims: sys::mlirAffineMapGetNumDims(map) as usize,
                symbols: sys::mlirAffineMapGetNumSymbols(map) as usize,
                results,
            })
        }
    }

    /// The identity map of `dims` dimensions.
    pub fn identity(dims: usize) -> Self {
        Self { dims, symbols: 0, results: (0..dims).map(AffineExpr::Dim).collect() }
    }
}

/// # Safety
/// `expr` is alive.
unsafe fn expression(expr: sys::MlirAffineExpr) -> Option<AffineExpr> {
    // SAFETY: the parts of an expression live as long as it does.
    unsafe {
        if sys::mlirAffineExprIsADim(expr) {
            return Some(AffineExpr::Dim(sys::mlirAffineDimExprGetPosition(expr) as usize));
        }
        if sys::mlirAffineExprIsASymbol(expr) {
            return Some(AffineExpr::Symbol(sys::mlirAffineSymbolExprGetPosition(expr) as usize));
        }
        if sys::mlirAffineExprIsAConstant(expr) {
            return Some(AffineExpr::Constant(sys::mlirAffineConstantExprGetValue(expr)));
        }
        let make = if sys::mlirAffineExprIsAAdd(expr) {
            AffineExpr::Add
        } else if sys::mlirAffineExprIsAMul(expr) {
            AffineExpr::Mul
        } else if sys::mlirAffineExprIsAMod(expr) {
            AffineExpr::Mod
        } else if sys::mlirAffineExprIsAFloorDiv(expr) {
            AffineExpr::FloorDiv
        } else if sys::mlirAffineExprIsACeilDiv(expr) {
            AffineExpr::CeilDiv
        } else {
            return None;
        };
        let left = expression(sys::mlirAffineBinaryOpExprGetLHS(expr))?;
        let right = expression(sys::mlirAffineBinaryOpExprGetRHS(expr))?;
        Some(make(Box::new(left), Box::new(right)))
    }
}

impl AffineExpr {
    /// The value for these dimensions and symbols; `None` for a nonpositive divisor, a position out of range, or an
    /// overflow.
    pub fn value(&self, dims: &[i64], symbols: &[i64]) -> Option<i64> {
        let both = |left: &Self, right: &Self| {
            Some((left.value(dims, symbols)?, right.value(dims, symbols)?))
        };
        match self {
            Self::Dim(at) => dims.get(*at).copied(),
            Self::Symbol(at) => symbols.get(*at).copied(),
            Self::Constant(value) => Some(*value),
            Self::Add(left, right) => both(left, right).and_then(|(a, b)| a.checked_add(b)),
            Self::Mul(left, right) => both(left, right).and_then(|(a, b)| a.checked_mul(b)),
            Self::Mod(left, right) => {
                both(left, right).filter(|(_, b)| *b > 0).map(|(a, b)| a.rem_euclid(b))
            }
            Self::FloorDiv(left, right) => {
                both(left, right).filter(|(_, b)| *b > 0).map(|(a, b)| a.div_euclid(b))
            }
            Self::CeilDiv(left, right) => both(left, right)
                .filter(|(_, b)| *b > 0)
                .map(|(a, b)| a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)),
        }
    }

    /// The factor of each of `dims` dimensions and the constant, where the expression is a sum of such terms.
    pub fn linear(&self, dims: usize) -> Option<(Vec<i64>, i64)> {
        let none = vec![0; dims];
        match self {
            Self::Dim(at) => {
                let mut factors = none;
                *factors.get_mut(*at)? = 1;
                Some((factors, 0))
            }
            Self::Constant(value) => Some((none, *value)),
            Self::Add(left, right) => {
                let (mut factors, constant) = left.linear(dims)?;
                let (more, rest) = right.linear(dims)?;
                factors.iter_mut().zip(more).for_each(|(factor, term)| *factor += term);
                Some((factors, constant + rest))
            }
            Self::Mul(left, right) => {
                let (factors, constant) = left.linear(dims)?;
                let (other, by) = right.linear(dims)?;
                if other.iter().any(|factor| *factor != 0) {
                    return None;
                }
                Some((factors.into_iter().map(|factor| factor * by).collect(), constant * by))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{new_context, parse_attr};

    use super::*;

    #[test]
    fn maps_are_read_and_computed() {
        let context = new_context();
        let text =
            "affine_map<(d0, d1)[s0] -> (d0 * 2 - d1 + s0, d0 floordiv 4, d1 mod 3, d0 ceildiv 4)>";
        let map = AffineMap::of(parse_attr(&context, text).expect("a map")).expect("a tree");
        let values: Vec<_> =
            map.results.iter().map(|result| result.value(&[-7, 5], &[100])).collect();
        assert_eq!(values, [Some(81), Some(-2), Some(2), Some(-1)]);
        assert_eq!(map.results[0].linear(2), None);
        let text = "affine_map<(d0, d1) -> (-d0 + 4 + d1 * 3)>";
        let map = AffineMap::of(parse_attr(&context, text).expect("a map")).expect("a tree");
        assert_eq!(map.results[0].linear(2), Some((vec![-1, 3], 4)));
    }
}
