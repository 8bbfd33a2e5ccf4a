//! Along which factors of an operation devices compute parts, and what the operation of one device is then.

use strata_ir::{
    AttributeExt as _, ConvDimensionNumbers, Op, OpKind, TypeExt as _, Value, i64s, int, integer,
};
use strata_shapes::{
    DimRules, Factor, FactorKind, Family, family, grouped_rules, rules, stated_rules,
};

use crate::emit::Combination;

/// The factors of an operation. What a program says of its own functions is believed; what its operations do is known.
pub fn rules_of(op: Op<'_>) -> Option<DimRules> {
    let stated = if op.kind() == OpKind::CustomCall { stated_rules(op) } else { None };
    stated.or_else(|| grouped_rules(op)).or_else(|| rules(op).ok())
}

/// Whether an operation is a call of a function that says of itself what devices may compute apart.
fn is_stated(op: Op<'_>) -> bool {
    op.kind() == OpKind::CustomCall && stated_rules(op).is_some()
}

/// How operands are combined along the reduced factors of an operation, if that is known.
pub fn combination(op: Op<'_>) -> Option<Combination> {
    match op.kind() {
        OpKind::DotGeneral | OpKind::Convolution => Some(Combination::Add),
        OpKind::CustomCall if is_stated(op) && op.result_count() == 1 => Some(Combination::Add),
        OpKind::Reduce => combination_of_body(op),
        _ => None,
    }
}

/// How the region of a reduction of one operand combines two elements, if it is one operation on them.
pub fn combination_of_body(op: Op<'_>) -> Option<Combination> {
    let body = op.region(0).first_block().filter(|_| op.operand_count() == 2)?;
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

/// Whether an operation is a reduction that takes one of two tuples of elements by comparing them, such as the largest with its index:
/// once more with its initial values, or with a tuple twice, it gives the same.
pub fn selects(op: Op<'_>) -> bool {
    let chooses = |kind: OpKind| {
        let compared = matches!(kind, OpKind::Compare | OpKind::Select);
        compared || matches!(kind, OpKind::And | OpKind::Or | OpKind::Not)
    };
    if op.kind() != OpKind::Reduce {
        return false;
    }
    let Some(body) = op.region(0).first_block() else { return false };
    let end = body.terminator();
    let ops: Vec<_> = body.ops().into_iter().filter(|op| Some(*op) != end).collect();
    let own: Vec<_> = ops.iter().flat_map(|op| op.results()).chain(body.args()).collect();
    let is_own = |op: &Op<'_>| op.operands().iter().all(|value| own.contains(value));
    let is_select =
        |value: strata_ir::Value<'_>| value.owner().is_some_and(|op| op.kind() == OpKind::Select);
    let returned = end.map(Op::operands).unwrap_or_default();
    ops.iter().all(|op| chooses(op.kind()) && is_own(op)) && returned.into_iter().all(is_select)
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
        return is_parallel && op.kind() == OpKind::Convolution;
    }
    if is_stated(op) {
        return is_parallel || (is_reduced && combination(op).is_some());
    }
    match family(op.kind()) {
        Family::Pointwise | Family::Carried | Family::Window | Family::Indexed => {
            is_parallel || (is_reduced && combination(op).is_some())
        }
        Family::Movement => is_parallel && moves_parts(op.kind()),
        Family::Contraction => op.kind() == OpKind::DotGeneral && (is_parallel || is_reduced),
        Family::Reduction => match op.kind() {
            OpKind::Reduce => {
                // Which of equal ones is taken depends on their order: parts have to follow one another in it.
                let dims = op.attr("dimensions").and_then(|dims| dims.as_i64s());
                let first = dims.and_then(|dims| usize::try_from(dims.into_iter().min()?).ok());
                let is_first = first.is_some() && factor.operand(0) == first;
                is_parallel
                    || (is_reduced && (combination(op).is_some() || (is_first && selects(op))))
            }
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

/// The factor that is all of a dimension, or the outermost part of it.
pub fn factor_of(rules: &DimRules, has: impl Fn(&Factor) -> bool) -> Option<usize> {
    let mut all = (0..).zip(rules.factors()).filter(|(_, factor)| has(factor));
    let (index, first) = all.next()?;
    (first.part.is_some() || all.next().is_none()).then_some(index)
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
        OpKind::Convolution => with_own_groups(copy, context),
        // Dimensions of batches have slices of size 1.
        OpKind::Gather => {
            let sizes =
                copy.attr("slice_sizes").and_then(|list| list.as_i64s()).unwrap_or_default();
            put("slice_sizes", &|dim| if is_batch(copy, dim) { sizes[dim] } else { own[dim] });
        }
        _ => {}
    }
}

/// Gives a convolution of parts the groups that are in them.
fn with_own_groups<'c>(copy: Op<'c>, context: &'c strata_ir::Context) {
    let numbers = copy.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
    let Some(numbers) = numbers else { return };
    let size = |value: Value<'c>, dim: i64| {
        value.ty().shape().and_then(|shape| shape.get(usize::try_from(dim).ok()?).copied())
    };
    let put = |name: &str, of: Option<i64>, each: Option<i64>| {
        let count = of.zip(each).and_then(|(of, each)| of.checked_div(each));
        let old = copy.attr(name).and_then(|old| old.as_i64());
        if let Some(count) = count.filter(|count| old.is_some_and(|old| old > 1 && *count > 0)) {
            copy.set_attr(name, int(integer(context, 64), count));
        }
    };
    let input = copy.operand(0);
    let features = size(input, numbers.input_feature_dimension);
    let of_kernel = size(copy.operand(1), numbers.kernel_input_feature_dimension);
    put("feature_group_count", features, of_kernel);
    let batch = size(input, numbers.input_batch_dimension);
    put("batch_group_count", batch, size(copy.result(0), numbers.output_batch_dimension));
}

fn is_batch(op: Op<'_>, dim: usize) -> bool {
    let numbers = op.attr("dimension_numbers");
    let numbers = numbers.and_then(strata_ir::GatherDimensionNumbers::from_attribute);
    numbers.is_some_and(|numbers| numbers.operand_batching_dims.contains(&(dim as i64)))
}
