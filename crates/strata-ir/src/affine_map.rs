//! Affine maps as trees: read from attributes, computed with, and made attributes of.

use std::ops;

use melior::{Context, ir::Attribute};
use mlir_sys as sys;

use crate::attrs::{affine_map, array};

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
    /// What is left by [`Self::FloorDiv`], never negative.
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

    /// `(d0, d1, …) -> (results)`.
    pub fn new(dims: usize, results: Vec<AffineExpr>) -> Self {
        Self { dims, symbols: 0, results }
    }

    /// The map that gives each of `dims` dimensions back.
    pub fn identity(dims: usize) -> Self {
        Self::new(dims, (0..dims).map(AffineExpr::Dim).collect())
    }

    /// `(d0, …) -> (d[picked[0]], …)`.
    pub fn projection(dims: usize, picked: &[usize]) -> Self {
        Self::new(dims, picked.iter().map(|dim| AffineExpr::Dim(*dim)).collect())
    }

    /// `() -> (value)`.
    pub fn constant(value: i64) -> Self {
        Self::new(0, vec![AffineExpr::Constant(value)])
    }

    /// `()[s0, …] -> (result)`.
    pub fn of_symbols(symbols: usize, result: AffineExpr) -> Self {
        Self { dims: 0, symbols, results: vec![result] }
    }

    /// Which dimension each result is; `None` where one is anything else.
    pub fn projected(&self) -> Option<Vec<usize>> {
        self.results.iter().map(AffineExpr::as_dim).collect()
    }

    /// The number that the only result is.
    pub fn as_constant(&self) -> Option<i64> {
        match self.results[..] {
            [AffineExpr::Constant(value)] => Some(value),
            _ => None,
        }
    }

    /// The attribute.
    pub fn to_attribute<'c>(&self, context: &'c Context) -> Attribute<'c> {
        let mut results: Vec<_> = self.results.iter().map(|result| result.raw(context)).collect();
        // SAFETY: the context is alive, and the expressions are of this context.
        unsafe {
            Attribute::from_raw(sys::mlirAffineMapAttrGet(sys::mlirAffineMapGet(
                context.to_raw(),
                self.dims as isize,
                self.symbols as isize,
                results.len() as isize,
                results.as_mut_ptr(),
            )))
        }
    }

    /// `[affine_map<…>, …]`.
    pub fn list<'c>(context: &'c Context, maps: &[Self]) -> Attribute<'c> {
        array(context, &maps.iter().map(|map| map.to_attribute(context)).collect::<Vec<_>>())
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
    /// `dN`.
    pub fn dim(number: usize) -> Self {
        Self::Dim(number)
    }

    /// The dimension that this is.
    pub fn as_dim(&self) -> Option<usize> {
        match self {
            Self::Dim(number) => Some(*number),
            _ => None,
        }
    }

    /// The number that this is.
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            Self::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The quotient by a number, rounded down.
    pub fn floor_div(self, by: i64) -> Self {
        Self::FloorDiv(Box::new(self), Box::new(Self::Constant(by)))
    }

    /// The expression with others in place of dimensions; `None` where one is not among them.
    pub fn with_dims(&self, dims: &[Self]) -> Option<Self> {
        let both = |left: &Self, right: &Self| {
            Some((Box::new(left.with_dims(dims)?), Box::new(right.with_dims(dims)?)))
        };
        Some(match self {
            Self::Dim(at) => dims.get(*at)?.clone(),
            Self::Symbol(_) | Self::Constant(_) => self.clone(),
            Self::Add(left, right) => both(left, right).map(|(a, b)| Self::Add(a, b))?,
            Self::Mul(left, right) => both(left, right).map(|(a, b)| Self::Mul(a, b))?,
            Self::Mod(left, right) => both(left, right).map(|(a, b)| Self::Mod(a, b))?,
            Self::FloorDiv(left, right) => both(left, right).map(|(a, b)| Self::FloorDiv(a, b))?,
            Self::CeilDiv(left, right) => both(left, right).map(|(a, b)| Self::CeilDiv(a, b))?,
        })
    }

    /// The dimensions in the expression, in the order in which they stand there.
    pub fn dims(&self) -> Vec<usize> {
        match self {
            Self::Dim(at) => vec![*at],
            Self::Symbol(_) | Self::Constant(_) => Vec::new(),
            Self::Add(left, right)
            | Self::Mul(left, right)
            | Self::Mod(left, right)
            | Self::FloorDiv(left, right)
            | Self::CeilDiv(left, right) => [left.dims(), right.dims()].concat(),
        }
    }

    /// The expression as MLIR has it, simplified as it does.
    fn raw(&self, context: &Context) -> sys::MlirAffineExpr {
        let raw = context.to_raw();
        // SAFETY: the context is alive, and the operands are of this context.
        unsafe {
            match self {
                Self::Dim(at) => sys::mlirAffineDimExprGet(raw, *at as isize),
                Self::Symbol(at) => sys::mlirAffineSymbolExprGet(raw, *at as isize),
                Self::Constant(value) => sys::mlirAffineConstantExprGet(raw, *value),
                Self::Add(left, right) => {
                    sys::mlirAffineAddExprGet(left.raw(context), right.raw(context))
                }
                Self::Mul(left, right) => {
                    sys::mlirAffineMulExprGet(left.raw(context), right.raw(context))
                }
                Self::Mod(left, right) => {
                    sys::mlirAffineModExprGet(left.raw(context), right.raw(context))
                }
                Self::FloorDiv(left, right) => {
                    sys::mlirAffineFloorDivExprGet(left.raw(context), right.raw(context))
                }
                Self::CeilDiv(left, right) => {
                    sys::mlirAffineCeilDivExprGet(left.raw(context), right.raw(context))
                }
            }
        }
    }

    /// The value for these dimensions and symbols; `None` for a division by what is not positive, a position that is
    /// not there, or an overflow.
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

impl ops::Add for AffineExpr {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::Add(Box::new(self), Box::new(other))
    }
}

impl ops::Add<i64> for AffineExpr {
    type Output = Self;

    fn add(self, other: i64) -> Self {
        self + Self::Constant(other)
    }
}

impl ops::Mul<i64> for AffineExpr {
    type Output = Self;

    fn mul(self, factor: i64) -> Self {
        Self::Mul(Box::new(self), Box::new(Self::Constant(factor)))
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
    #[test]
    fn maps_are_what_mlir_parses() {
        let context = new_context();
        let text =
            "affine_map<(d0, d1)[s0] -> (d0 * 2 - d1 + s0, d0 floordiv 4, d1 mod 3, d0 ceildiv 4)>";
        let parsed = parse_attr(&context, text).expect("a map");
        let map = AffineMap::of(parsed).expect("a tree");
        assert_eq!(map.to_attribute(&context), parsed);
        let built = AffineMap::new(2, vec![AffineExpr::dim(1) * 3 + AffineExpr::dim(0) + 4]);
        let text = "affine_map<(d0, d1) -> (d1 * 3 + d0 + 4)>";
        assert_eq!(Some(built.to_attribute(&context)), parse_attr(&context, text));
        assert_eq!(AffineMap::projection(3, &[2, 0]).projected(), Some(vec![2, 0]));
        let dims = [AffineExpr::dim(3), AffineExpr::Constant(5)];
        let moved = built.results[0].with_dims(&dims).expect("two dimensions");
        assert_eq!(moved.dims(), [3]);
        assert_eq!(moved.value(&[0, 0, 0, 2], &[]), Some(5 * 3 + 2 + 4));
    }
}
