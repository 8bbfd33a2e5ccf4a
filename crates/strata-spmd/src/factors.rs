//! Along which factors of an operation devices compute parts, and what the operation of one device is then.

use strata_ir::{AttributeExt as _, Op, OpKind, TypeExt as _, i64s};
use strata_shapes::{DimRules, Factor, FactorKind, Family, family};

use crate::emit::Combination;

/// How operands are combined along the reduced factors of an operation, if that is known.
pub fn combination(op: Op<'_>) -> Option<Combination> {
    match op.kind() {
        OpKind::DotGeneral | OpKind::Convolution => Some(Combination::Add),
        OpKind::Reduce => {
            let is_single = op.operand_count() == 2;
            let body = op.region(0).first_block().filter(|_| is_single)?;
            let [combine, end] = body.ops()[..] else { return None };
            let mut operands = combine.operands();
            let same = |a: &[_], b: &[_]| a == b;
            let args = body.args();
            if operands.first() == args.last() {
                operands.reverse();
            }
            let is_all = same(&operands, &args) && end.operands() == combine.results();
            // Sums in a wider type than the operands' have another neutral element.
            let is_same = op.operand(0).ty().element() == op.result(0).ty().element()
                && combine.result(0).ty().element() == op.result(0).ty().element();
            combined_by(combine.kind()).filter(|_| is_all && is_same)
        }
        _ => None,
    }
}

#[allow(clippy::wildcard_enum_match_arm)] // All others combine in no known way.
fn combined_by(kind: OpKind) -> Option<Combination> {
    Some(match kind {
        OpKind::Add => Combination::Add,
        OpKind::Multiply => Combination::Multiply,
        OpKind::Minimum => Combination::Minimum,
        OpKind::Maximum => Combination::Maximum,
        OpKind::And => Combination::And,
        OpKind::Or => Combination::Or,
        OpKind::Xor => Combination::Xor,
        _ => return None,
    })
}

/// Whether each device may compute a part of an operation along a factor.
pub fn may_split(op: Op<'_>, factor: &Factor) -> bool {
    let is_parallel = factor.kind == FactorKind::Parallel;
    let is_reduced = factor.kind == FactorKind::Reduced;
    if factor.part.is_some() {
        return false;
    }
    match family(op.kind()) {
        Family::Pointwise | Family::Carried | Family::Window | Family::Indexed => {
            is_parallel || (is_reduced && combination(op).is_some())
        }
        Family::Movement => is_parallel && moves_parts(op.kind()),
        Family::Contraction => op.kind() == OpKind::DotGeneral && (is_parallel || is_reduced),
        Family::Reduction => match op.kind() {
            OpKind::Reduce => is_parallel || (is_reduced && combination(op).is_some()),
            OpKind::Sort => is_parallel,
            _ => false,
        },
        Family::Reshape => is_parallel && op.kind() == OpKind::BitcastConvert,
        Family::Matrices => is_parallel && op.kind() != OpKind::CustomCall,
        Family::Expanding | Family::Whole | Family::Regions => false,
    }
}

/// Whether a movement has no sizes in attributes other than those that [`localise`] knows.
fn moves_parts(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::BroadcastInDim
            | OpKind::Concatenate
            | OpKind::DynamicSlice
            | OpKind::DynamicUpdateSlice
            | OpKind::Pad
            | OpKind::Reverse
            | OpKind::Slice
            | OpKind::Transpose
    )
}

/// The factor that is all of a dimension.
pub fn factor_of(rules: &DimRules, has: impl Fn(&Factor) -> bool) -> Option<usize> {
    let mut all = (0..).zip(rules.factors()).filter(|(_, factor)| has(factor));
    let (index, _) = all.next()?;
    all.next().is_none().then_some(index)
}

/// Gives the copy of an operation for one device the sizes of its parts; `shapes` are those of its first operand and of its result,
/// and `split` says which of the operand's dimensions are parts.
pub fn localise<'c>(copy: Op<'c>, context: &'c strata_ir::Context, split: &[bool]) {
    let Some(own) = copy.operands().first().and_then(|value| value.ty().shape()) else { return };
    let put = |name: &str, value: &dyn Fn(usize) -> i64| {
        let Some(list) = copy.attr(name).and_then(|list| list.as_i64s()) else { return };
        let each = list.iter().enumerate();
        let new: Vec<_> = each
            .map(|(dim, old)| if split.get(dim) == Some(&true) { value(dim) } else { *old })
            .collect();
        if new != list {
            copy.set_attr(name, i64s(context, &new));
        }
    };
    match copy.kind() {
        // A dimension that is split is taken as a whole.
        OpKind::Slice => {
            put("start_indices", &|_| 0);
            put("limit_indices", &|dim| own[dim]);
            put("strides", &|_| 1);
        }
        OpKind::DynamicSlice => put("slice_sizes", &|dim| own[dim]),
        // Dimensions of batches have slices of size 1.
        OpKind::Gather => {
            let sizes =
                copy.attr("slice_sizes").and_then(|list| list.as_i64s()).unwrap_or_default();
            put("slice_sizes", &|dim| if is_batch(copy, dim) { sizes[dim] } else { own[dim] });
        }
        _ => {}
    }
}

fn is_batch(op: Op<'_>, dim: usize) -> bool {
    let numbers = op.attr("dimension_numbers");
    let numbers = numbers.and_then(strata_ir::GatherDimensionNumbers::from_attribute);
    numbers.is_some_and(|numbers| numbers.operand_batching_dims.contains(&(dim as i64)))
}
