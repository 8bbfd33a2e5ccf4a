//! The rule of each operation, by family.

mod contractions;
mod family;
mod indexed;
mod matrices;
mod movement;
mod pointwise;
mod reductions;
mod reshape;
mod stated;
mod steps;
mod windows;

use std::fmt;

use strata_ir::{AttributeExt as _, Op, OpKind, QuantizedType, TypeExt as _, Value};

pub use family::{Family, family};
pub use stated::stated_rules;
pub use steps::{Steps, stepped_operands, steps};

use crate::{DimRules, Factor, FactorKind};

/// Why an operation has no rules, one sentence without a full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRules(&'static str);

impl NoRules {
    /// The reason.
    pub fn reason(&self) -> &'static str {
        self.0
    }
}

impl fmt::Display for NoRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

/// The result of a rule.
type Ruled = Result<(), NoRules>;

/// The factors of an operation. Dimensions that its rule does not name are [`FactorKind::Whole`](crate::FactorKind::Whole).
///
/// # Errors
/// If the operation's regions decide what happens along a dimension (branches and loops), or if an attribute of a verified operation
/// is missing.
pub fn rules(op: Op<'_>) -> Result<DimRules, NoRules> {
    let mut rules = DimRules::new();
    match family(op.kind()) {
        Family::Pointwise => pointwise::pointwise(op, &mut rules),
        Family::Expanding => pointwise::expanding(op, &mut rules)?,
        Family::Carried => pointwise::carried(op, &mut rules),
        Family::Movement => movement::rules(op, &mut rules)?,
        Family::Reshape => reshape::rules(op, &mut rules),
        Family::Contraction => contractions::rules(op, &mut rules)?,
        Family::Reduction => reductions::rules(op, &mut rules)?,
        Family::Window => windows::rules(op, &mut rules)?,
        Family::Indexed => indexed::rules(op, &mut rules)?,
        Family::Matrices => matrices::rules(op, &mut rules)?,
        Family::Whole => {}
        Family::Regions => return Err(NoRules("its regions decide")),
    }
    // Parameters of quantization that differ along a dimension are not in the operands.
    let axes = |values: Vec<Value<'_>>| -> Vec<(usize, usize)> {
        let axis = |(at, value): (usize, &Value<'_>)| {
            Some((at, QuantizedType::of(value.ty().element())?.axis?))
        };
        values.iter().enumerate().filter_map(axis).collect()
    };
    rules.leave_whole(&axes(op.operands()), &axes(op.results()));
    Ok(rules.complete(op))
}

/// Places in operands that the operation requires to be as large as each other, as operand and dimension: those of a factor, where its
/// kind does not say otherwise, inputs of one window, updates and their positions, and the sides of a square matrix.
pub fn equal_places(op: Op<'_>) -> Vec<Vec<(usize, usize)>> {
    let Ok(table) = rules(op) else { return Vec::new() };
    let is_of_one_size = |factor: &&Factor| {
        let kind = factor.kind;
        factor.part.is_none()
            && (kind.keeps_size()
                || kind == FactorKind::Window && op.kind() == OpKind::ReduceWindow
                || kind == FactorKind::Scattered && factor.results().is_empty())
    };
    let factors = table.factors().iter().filter(is_of_one_size);
    factors.map(|factor| factor.operands().to_vec()).chain(matrices::squares(op)).collect()
}

/// The factors of a convolution in groups, with that of its groups, which [`rules`] leaves out: a part of dimensions, which may be split
/// where parts have whole groups. `None` for other operations.
pub fn grouped_rules(op: Op<'_>) -> Option<DimRules> {
    let count = |name: &str| op.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
    let is_grouped = ["batch_group_count", "feature_group_count"].map(count) != [1, 1];
    let is_static = |value: Value<'_>| value.ty().has_static_shape();
    let values = [op.operands(), op.results()].concat();
    let has_groups = op.kind() == OpKind::Convolution && is_grouped;
    if !has_groups || !values.iter().all(|value| is_static(*value) && !is_quantized(value)) {
        return None;
    }
    let mut rules = DimRules::new();
    windows::of_groups(op, &mut rules).ok()?;
    Some(rules.complete(op))
}

fn is_quantized(value: &Value<'_>) -> bool {
    value.ty().element().dialect() == "quant"
}

fn rank(value: Value<'_>) -> usize {
    value.ty().rank().unwrap_or_default()
}

/// The dimensions that an attribute names.
fn dims(list: &[i64]) -> Vec<usize> {
    list.iter().filter_map(|dim| usize::try_from(*dim).ok()).collect()
}

/// The integers of an attribute.
fn ints(op: Op<'_>, name: &str) -> Result<Vec<i64>, NoRules> {
    op.attr(name).and_then(|list| list.as_i64s()).ok_or(NoRules("an attribute is missing"))
}

/// The integer of an attribute.
fn int(op: Op<'_>, name: &str) -> Result<i64, NoRules> {
    op.attr(name).and_then(|value| value.as_i64()).ok_or(NoRules("an attribute is missing"))
}

/// The dimension that an attribute names.
fn dim(op: Op<'_>, name: &str) -> Result<usize, NoRules> {
    usize::try_from(int(op, name)?).map_err(|_| NoRules("a dimension is negative"))
}
