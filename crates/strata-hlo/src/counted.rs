//! Integers that follow each other, and gathers at such positions, which are slices.
//!
//! ```text
//! %i = add (broadcast of %s - 1), (multiply -1, iota)            // JAX writes x[::-1] as
//! %x = reverse (gather %x at (reverse %i))                       // positions 0, 1, 2, …
//! ```

use strata_ir::{
    AttributeExt as _, ComparisonDirection, GatherDimensionNumbers, Op, OpKind, TypeExt as _, Value,
};
use strata_shapes::{DimExpr, Domain};

use crate::{
    pattern::{ints, splat},
    sizes::numbers_of,
};

/// What is known of the values of a program.
pub trait Known<'c> {
    /// The number that all elements of a value are.
    fn only_number(&self, value: Value<'c>) -> Option<DimExpr>;
    /// The sizes of a value.
    fn sizes(&self, value: Value<'c>) -> Option<Vec<DimExpr>>;
    /// The values that variables may have.
    fn domain(&self) -> &Domain;
}

/// The values of a program whose sizes are numbers.
#[derive(Default)]
pub struct Static(Domain);

impl<'c> Known<'c> for Static {
    fn only_number(&self, _: Value<'c>) -> Option<DimExpr> {
        None
    }

    fn sizes(&self, value: Value<'c>) -> Option<Vec<DimExpr>> {
        let shape = value.ty().shape().filter(|_| value.ty().has_static_shape())?;
        Some(shape.into_iter().map(DimExpr::constant).collect())
    }

    fn domain(&self) -> &Domain {
        &self.0
    }
}

/// Integers `start + step * i`, where `i` is the place along a dimension; the same number in all places without one.
#[derive(Clone)]
pub struct Counted {
    /// The first of them.
    pub start: DimExpr,
    /// How far they are apart.
    pub step: i64,
    /// The dimension that they are along.
    pub dim: Option<usize>,
}

/// What is known of all of some differences.
struct Signs {
    is_positive: bool,
    is_not_negative: bool,
    is_negative: bool,
    is_not_positive: bool,
}

impl Counted {
    fn number(start: DimExpr) -> Self {
        Self { start, step: 0, dim: None }
    }

    fn plus(&self, other: &Self, by: i64) -> Option<Self> {
        let dim = match (self.dim, other.dim) {
            (Some(own), Some(other)) if own != other => return None,
            (own, other) => own.or(other),
        };
        let start = self.start.plus(&other.start.times(&DimExpr::constant(by))?)?;
        let step = self.step.checked_add(other.step.checked_mul(by)?)?;
        Some(Self { start, step, dim })
    }

    fn times(&self, by: i64) -> Option<Self> {
        let start = self.start.times(&DimExpr::constant(by))?;
        Some(Self { start, step: self.step.checked_mul(by)?, ..self.clone() })
    }

    /// The number at the last of so many places.
    fn last(&self, size: &DimExpr) -> Option<DimExpr> {
        let more = size.minus(&DimExpr::constant(1))?.times(&DimExpr::constant(self.step))?;
        self.start.plus(&more)
    }

    /// A value of the program as such integers.
    pub fn of<'c>(value: Value<'c>, known: &dyn Known<'c>) -> Option<Self> {
        // Booleans are not numbers.
        (value.ty().element().bit_width() != Some(1)).then_some(())?;
        let counted = Self::anyhow(value, known)?;
        // Arithmetic wraps around.
        let (low, high) = numbers_of(value.ty().element())?;
        let mut ends = vec![counted.start.clone()];
        if let Some(dim) = counted.dim {
            ends.push(counted.last(&along(known, value, dim)?)?);
        }
        let domain = known.domain();
        let fits = |end: &DimExpr| domain.is_at_least(end, low) && domain.is_at_most(end, high);
        ends.iter().all(fits).then_some(counted)
    }

    /// The signs of these less others, in all places of `value`, whose shape both have.
    fn signs<'c>(&self, other: &Self, value: Value<'c>, known: &dyn Known<'c>) -> Option<Signs> {
        let difference = self.plus(other, -1)?;
        let mut ends = vec![difference.start.clone()];
        if let Some(dim) = difference.dim {
            let size = along(known, value, dim)?;
            ends.push(difference.last(&size)?);
        }
        let domain = known.domain();
        let all = |is: &dyn Fn(&DimExpr) -> bool| ends.iter().all(is);
        Some(Signs {
            is_positive: all(&|end| domain.is_at_least(end, 1)),
            is_not_negative: all(&|end| domain.is_at_least(end, 0)),
            is_negative: all(&|end| domain.is_at_most(end, -1)),
            is_not_positive: all(&|end| domain.is_at_most(end, 0)),
        })
    }

    /// What a comparison of integers is in all places.
    fn decided<'c>(condition: Value<'c>, known: &dyn Known<'c>) -> Option<bool> {
        let op = condition.owner().filter(|op| op.kind() == OpKind::Compare)?;
        let (left, right) = (Self::of(op.operand(0), known)?, Self::of(op.operand(1), known)?);
        let signs = left.signs(&right, condition, known)?;
        let direction = op.attr("comparison_direction");
        let (yes, no) = match direction.and_then(ComparisonDirection::from_attribute)? {
            ComparisonDirection::Lt => (signs.is_negative, signs.is_not_negative),
            ComparisonDirection::Ge => (signs.is_not_negative, signs.is_negative),
            ComparisonDirection::Gt => (signs.is_positive, signs.is_not_positive),
            ComparisonDirection::Le => (signs.is_not_positive, signs.is_positive),
            _ => (false, false),
        };
        (yes || no).then_some(yes)
    }

    fn anyhow<'c>(value: Value<'c>, known: &dyn Known<'c>) -> Option<Self> {
        if let Some(number) = known.only_number(value) {
            return Some(Self::number(number));
        }
        let op = value.owner()?;
        let of = |at: usize| Self::of(op.operand(at), known);
        match op.kind() {
            OpKind::Constant => {
                let number = splat(value).ok()?.as_i64()?;
                Some(Self::number(DimExpr::constant(number)))
            }
            OpKind::Iota | OpKind::DynamicIota => {
                let dim = usize::try_from(op.attr("iota_dimension")?.as_i64()?).ok()?;
                Some(Self { start: DimExpr::constant(0), step: 1, dim: Some(dim) })
            }
            OpKind::Convert => of(0),
            OpKind::Negate => of(0)?.times(-1),
            OpKind::Add => of(0)?.plus(&of(1)?, 1),
            OpKind::Subtract => of(0)?.plus(&of(1)?, -1),
            OpKind::Multiply => {
                let (left, right) = (of(0)?, of(1)?);
                let number = |one: &Self| one.start.as_constant().filter(|_| one.dim.is_none());
                match (number(&left), number(&right)) {
                    (_, Some(by)) => left.times(by),
                    (Some(by), _) => right.times(by),
                    _ => None,
                }
            }
            // As programs write places that may be counted from the end.
            OpKind::Select => of(if Self::decided(op.operand(0), known)? { 1 } else { 2 }),
            OpKind::Maximum | OpKind::Minimum => {
                let (left, right) = (of(0)?, of(1)?);
                let signs = left.signs(&right, value, known)?;
                let is_first = (op.kind() == OpKind::Maximum) == signs.is_not_negative;
                let is_known = signs.is_not_negative || signs.is_not_positive;
                is_known.then_some(if is_first { left } else { right })
            }
            OpKind::Clamp => {
                let (low, own, high) = (of(0)?, of(1)?, of(2)?);
                let is_inside = own.signs(&low, value, known)?.is_not_negative
                    && high.signs(&own, value, known)?.is_not_negative;
                is_inside.then_some(own)
            }
            OpKind::Transpose => {
                let own = of(0)?;
                let Some(dim) = own.dim else { return Some(own) };
                let order = ints(op, "permutation").ok()?;
                let to = order.iter().position(|from| *from == dim as i64)?;
                Some(Self { dim: Some(to), ..own })
            }
            OpKind::Reverse => {
                let own = of(0)?;
                let reversed = ints(op, "dimensions").ok()?;
                match own.dim.filter(|dim| reversed.contains(&(*dim as i64))) {
                    None => Some(own),
                    Some(dim) => {
                        let start = own.last(&along(known, value, dim)?)?;
                        Some(Self { start, step: own.step.checked_neg()?, ..own })
                    }
                }
            }
            OpKind::BroadcastInDim | OpKind::DynamicBroadcastInDim => {
                let own = of(0)?;
                let Some(dim) = own.dim else { return Some(own) };
                if along(known, op.operand(0), dim)?.as_constant() == Some(1) {
                    return Some(Self::number(own.start));
                }
                let place = *ints(op, "broadcast_dimensions").ok()?.get(dim)?;
                let to = usize::try_from(place).ok()?;
                let is_kept = along(known, op.operand(0), dim)? == along(known, value, to)?;
                is_kept.then_some(Self { dim: Some(to), ..own })
            }
            OpKind::Reshape | OpKind::DynamicReshape => {
                let own = of(0)?;
                let Some(dim) = own.dim else { return Some(own) };
                if along(known, op.operand(0), dim)?.as_constant() == Some(1) {
                    return Some(Self::number(own.start));
                }
                // Dimensions of one element are added or lost.
                let long = |value: Value<'c>| -> Option<Vec<(usize, DimExpr)>> {
                    let sizes = known.sizes(value)?.into_iter().enumerate();
                    Some(sizes.filter(|(_, size)| size.as_constant() != Some(1)).collect())
                };
                let (old, new) = (long(op.operand(0))?, long(value)?);
                let mut pairs = old.iter().zip(&new);
                let is_same = pairs.all(|((_, old), (_, new))| old == new);
                (is_same && old.len() == new.len()).then_some(())?;
                let at = old.iter().position(|(old, _)| *old == dim)?;
                Some(Self { dim: Some(new[at].0), ..own })
            }
            _ => None,
        }
    }
}

fn along<'c>(known: &dyn Known<'c>, value: Value<'c>, dim: usize) -> Option<DimExpr> {
    known.sizes(value)?.get(dim).cloned()
}

/// The only dimension of an operand of so many along which a gather takes single elements, one for each position in turn; `is_whole` says of
/// each of the others whether all of it is taken.
pub fn taken_dim(
    numbers: &GatherDimensionNumbers,
    rank: usize,
    is_whole: impl Fn(usize) -> bool,
) -> Option<usize> {
    let [at] = numbers.start_index_map[..] else { return None };
    let others: Vec<i64> = (0..rank as i64).filter(|dim| *dim != at).collect();
    let is_plain = numbers.collapsed_slice_dims == [at]
        && numbers.operand_batching_dims.is_empty()
        && numbers.offset_dims == others
        && numbers.index_vector_dim == 1;
    (is_plain && others.iter().all(|dim| is_whole(*dim as usize))).then_some(())?;
    usize::try_from(at).ok()
}

/// The slice that a gather takes whose positions along one dimension, of which it takes single elements, follow each other inside.
pub struct Run {
    /// The dimension.
    pub dim: usize,
    /// The first position.
    pub start: DimExpr,
    /// The number of positions.
    pub size: DimExpr,
    /// How far they are apart.
    pub stride: i64,
}

impl Run {
    /// The run of a gather, which takes slices of `sizes`.
    pub fn of<'c>(
        op: Op<'c>,
        numbers: &GatherDimensionNumbers,
        sizes: &[DimExpr],
        known: &dyn Known<'c>,
    ) -> Option<Self> {
        let whole = known.sizes(op.operand(0))?;
        let dim = taken_dim(numbers, whole.len(), |dim| sizes.get(dim) == whole.get(dim))?;
        let counted = Counted::of(op.operand(1), known).filter(|own| own.dim == Some(0))?;
        let size = along(known, op.operand(1), 0)?;
        // A run of no positions ends before its start.
        let end = counted.last(&size)?.plus(&DimExpr::constant(1))?;
        let room = whole.get(dim)?.minus(&end)?;
        let domain = known.domain();
        let is_inside = counted.step > 0
            && domain.is_at_least(&counted.start, 0)
            && domain.is_at_least(&room, 0);
        is_inside.then_some(Self { dim, start: counted.start, size, stride: counted.step })
    }
}
