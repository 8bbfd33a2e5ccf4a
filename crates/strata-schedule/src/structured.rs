//! The loops of a linalg operation and how they index tensors.

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Op, OpName, TypeExt as _, Value, linalg,
    linalg::IteratorType, math,
};

/// How one dimension of a tensor is indexed by the loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// By one loop.
    Loop(usize),
    /// By an expression of these loops; by a constant if there are none.
    Mixed(Vec<usize>),
}

impl Index {
    /// Whether the loop occurs in the index.
    pub fn uses(&self, number: usize) -> bool {
        match self {
            Self::Loop(own) => *own == number,
            Self::Mixed(loops) => loops.contains(&number),
        }
    }
}

/// A linalg operation on static tensors, seen as a perfect loop nest.
#[derive(Clone, Debug)]
pub struct Structured<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// The trip count of each loop.
    pub extents: Vec<i64>,
    /// Whether each loop is a reduction.
    pub reduction: Vec<bool>,
    /// For each operand, inputs first, the index of each of its dimensions.
    pub maps: Vec<Vec<Index>>,
    /// The number of inputs; the other operands are initial values of the results.
    pub inputs: usize,
}

impl<'c> Structured<'c> {
    /// Reads a `linalg.generic` with static shapes; `None` for everything else.
    pub fn of_generic(op: Op<'c>) -> Option<Self> {
        if !op.is(linalg::GENERIC) || op.operands().iter().any(|value| !is_static(*value)) {
            return None;
        }
        let reduction: Vec<bool> = op
            .attr("iterator_types")?
            .as_array()?
            .into_iter()
            .map(|kind| IteratorType::of(kind) == Some(IteratorType::Reduction))
            .collect();
        let maps: Vec<Vec<Index>> = op
            .attr("indexing_maps")?
            .as_array()?
            .into_iter()
            .map(|map| AffineMap::of(map).map(|map| indices(&map)))
            .collect::<Option<_>>()?;
        let mut extents = vec![None; reduction.len()];
        for (operand, map) in op.operands().into_iter().zip(&maps) {
            for (size, index) in operand.ty().shape()?.into_iter().zip(map) {
                if let Index::Loop(dim) = index {
                    extents[*dim] = Some(size);
                }
            }
        }
        let extents = extents.into_iter().collect::<Option<Vec<_>>>()?;
        let inputs = op.operand_count().checked_sub(op.result_count())?;
        Some(Self { op, extents, reduction, maps, inputs })
    }

    /// Whether no loop is a reduction.
    pub fn is_parallel(&self) -> bool {
        !self.reduction.contains(&true)
    }

    /// Whether every loop indexes the result's dimension of the same number.
    pub fn writes_identity(&self) -> bool {
        self.maps[self.inputs..].iter().all(|map| is_identity(map, self.extents.len()))
    }

    /// The number of leading parallel loops when all others are reductions and the results are
    /// indexed by just the parallel ones, in order.
    pub fn row_loops(&self) -> Option<usize> {
        let rows = self.reduction.iter().take_while(|reduction| !**reduction).count();
        let rest_reduces = self.reduction[rows..].iter().all(|reduction| *reduction);
        let writes_rows =
            self.maps[self.inputs..].iter().all(|map| map.len() == rows && is_identity(map, rows));
        (rest_reduces && rows < self.reduction.len() && writes_rows).then_some(rows)
    }

    /// Whether the body only uses its block arguments: no loop index, no access to other tensors.
    pub fn is_pure_map(&self) -> bool {
        self.op.body(0).ops().into_iter().all(|op| {
            matches!(op.dialect(), "arith" | "math" | "narrow" | "linalg") && !op.is(linalg::INDEX)
        })
    }

    /// Whether each element of the results depends on elements of the inputs and its index only, and
    /// results are written in the order of the loops.
    pub fn is_elementwise(&self) -> bool {
        self.is_parallel()
            && self.writes_identity()
            && self
                .op
                .body(0)
                .ops()
                .into_iter()
                .all(|op| matches!(op.dialect(), "arith" | "math" | "narrow" | "linalg"))
    }

    /// The approximate cost of the body in vector instructions: functions are long polynomials.
    pub fn work(&self) -> usize {
        let cost = |op: Op<'c>| match op.dialect() {
            _ if is_function(op) => 16,
            _ if is_division(op.name()) => 4,
            "linalg" => 0,
            _ => 1,
        };
        self.op.body(0).ops().into_iter().map(cost).sum()
    }

    /// Whether the body has a function that is a long polynomial.
    pub fn has_function(&self) -> bool {
        self.op.body(0).ops().into_iter().any(is_function)
    }

    /// The maps through which `value` is read as an input.
    pub fn reads_of(&self, value: Value<'c>) -> Vec<&[Index]> {
        (0..self.inputs)
            .filter(|operand| self.op.operand(*operand) == value)
            .map(|operand| self.maps[operand].as_slice())
            .collect()
    }

    /// The input whose last dimension, and no other, is indexed by loop `number`.
    pub fn walks_along(&self, operand: usize, number: usize) -> bool {
        self.maps[operand].last() == Some(&Index::Loop(number))
    }

    /// Whether a step of loop `number` is one of the operand's last dimension, and of no other: windows move along it.
    pub fn moves_along(&self, operand: usize, number: usize) -> bool {
        let maps = self.op.attr("indexing_maps").and_then(|maps| maps.as_array());
        let map = maps.and_then(|maps| AffineMap::of(*maps.get(operand)?));
        let Some(map) = map else { return false };
        let Some((last, others)) = map.results.split_last() else { return false };
        others.iter().all(|index| !index.dims().contains(&number))
            && last.linear(map.dims).is_some_and(|(steps, _)| steps[number] == 1)
    }

    /// Whether it reduces windows that move along the columns of its result.
    pub fn slides(&self) -> bool {
        let column = self.reduction.iter().rposition(|reduction| !*reduction);
        let slides = |column: usize| {
            let mut inputs = 0..self.inputs;
            inputs.any(|one| !self.walks_along(one, column) && self.moves_along(one, column))
        };
        !self.is_parallel() && column.is_some_and(slides)
    }

    /// Whether loop `number` occurs in the index of the operand.
    pub fn operand_uses(&self, operand: usize, number: usize) -> bool {
        self.maps[operand].iter().any(|index| index.uses(number))
    }

    /// Whether `value` is an initial value of a result.
    pub fn starts_from(&self, value: Value<'c>) -> bool {
        (self.inputs..self.op.operand_count()).any(|operand| self.op.operand(operand) == value)
    }
}

/// Whether it is a long polynomial.
fn is_function(op: Op<'_>) -> bool {
    op.dialect() == "math"
        && !matches!(op.name(), math::FMA | math::ABSF | math::SQRT | math::COPYSIGN)
}

/// Whether it divides integers or floats.
pub fn is_division(name: OpName<'_>) -> bool {
    ["div", "rem"].iter().any(|part| name.as_str().contains(part))
}

/// Bits of the widest element of the operation's tensors, if vectors of all of them have the same
/// layout as memory: booleans and sub-byte integers take a byte each in memory, but a bit in a
/// vector; small floats have no arithmetic.
pub fn vector_bits(op: Op<'_>) -> Option<u32> {
    let mut widest = 8;
    for value in op.operands().into_iter().chain(op.results()) {
        let element = value.ty().element();
        let bits = element.bit_width()?;
        let fits = match bits {
            8 => element.is_int(),
            16 | 32 | 64 => element.is_int() || element.is_float_type(),
            _ => false,
        };
        if !fits {
            return None;
        }
        widest = widest.max(bits);
    }
    Some(widest)
}

/// Whether dimension `i` is indexed by loop `i` and there are `loops` dimensions.
pub fn is_identity(map: &[Index], loops: usize) -> bool {
    map.len() == loops && is_prefix(map)
}

/// Whether dimension `i` is indexed by loop `i`.
pub fn is_prefix(map: &[Index]) -> bool {
    map.iter().enumerate().all(|(dim, index)| *index == Index::Loop(dim))
}

/// Whether a value is a scalar or a tensor whose dimensions are known and positive.
pub fn is_static(value: Value<'_>) -> bool {
    let ty = value.ty();
    match ty.shape() {
        Some(shape) => {
            ty.is_tensor_type()
                && ty.has_static_shape()
                && ty.element_count().is_some_and(|count| count > 0)
                && shape.len() <= 8
        }
        None => !ty.is_tensor_type(),
    }
}

/// How each result of the map is made of the loops.
pub fn indices(map: &AffineMap) -> Vec<Index> {
    let index = |result: &AffineExpr| match result {
        AffineExpr::Dim(dim) => Index::Loop(*dim),
        other => Index::Mixed(other.dims()),
    };
    map.results.iter().map(index).collect()
}

#[cfg(test)]
mod tests {
    use strata_ir::{AffineExpr, AffineMap};

    use super::{Index, indices};

    #[test]
    fn maps_are_read_by_their_loops() {
        assert_eq!(indices(&AffineMap::new(2, vec![])), vec![]);
        let mixed = AffineExpr::dim(0) * 2 + AffineExpr::dim(1);
        let map = AffineMap::new(2, vec![AffineExpr::dim(1), AffineExpr::Constant(0), mixed]);
        assert_eq!(
            indices(&map),
            vec![Index::Loop(1), Index::Mixed(vec![]), Index::Mixed(vec![0, 1])]
        );
    }
}
