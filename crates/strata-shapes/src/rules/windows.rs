//! Windows and convolutions.

use strata_ir::{AttributeExt as _, ConvDimensionNumbers, Op, OpKind};

use super::{NoRules, Ruled, dims, rank};
use crate::{
    DimRules,
    FactorKind::{Parallel, Reduced, Window},
};

#[allow(clippy::wildcard_enum_match_arm)] // `family` has the kinds.
pub fn rules(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let window = op.attr("window_dimensions").and_then(|sizes| sizes.as_i64s()).unwrap_or_default();
    let is_one = |dim: usize| window.get(dim).is_none_or(|size| *size == 1);
    match op.kind() {
        OpKind::ReduceWindow => {
            let inputs = op.operands().len() / 2;
            for dim in 0..rank(op.operand(0)) {
                let kind = if is_one(dim) && steps(op, dim) { Parallel } else { Window };
                let all = || (0..inputs).map(|index| (index, dim));
                rules.add(kind, all(), all());
            }
        }
        OpKind::SelectAndScatter => {
            for dim in 0..rank(op.operand(0)) {
                let kind = if is_one(dim) && steps(op, dim) { Parallel } else { Window };
                rules.add(kind, [(0, dim), (1, dim)], [(0, dim)]);
            }
        }
        _ => convolution(op, rules)?,
    }
    Ok(())
}

/// Whether a window moves along a dimension one by one, over all of it and nothing else.
fn steps(op: Op<'_>, dim: usize) -> bool {
    let list = |name: &str| op.attr(name).and_then(|list| list.as_i64s()).unwrap_or_default();
    let dilations = ["base_dilations", "window_dilations", "lhs_dilation", "rhs_dilation"];
    let ones = dilations.into_iter().chain(["window_strides"]);
    let mut ones = ones.map(|name| list(name).get(dim).is_none_or(|step| *step == 1));
    let padding = list("padding");
    ones.all(|is_one| is_one) && padding.chunks(2).nth(dim).is_none_or(|pair| pair == [0, 0])
}

fn convolution(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
    let numbers = numbers.ok_or(NoRules("it has no dimension numbers"))?;
    let groups = |name: &str| op.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
    let [batch, feature] = ["batch_group_count", "feature_group_count"].map(groups);
    let at = |dim: i64| usize::try_from(dim).map_err(|_| NoRules("a dimension is negative"));
    // With groups, which kernel meets an input depends on the index.
    if batch == 1 {
        let input = at(numbers.input_batch_dimension)?;
        rules.add(Parallel, [(0, input)], [(0, at(numbers.output_batch_dimension)?)]);
    }
    if batch == 1 && feature == 1 {
        let kernel = at(numbers.kernel_output_feature_dimension)?;
        rules.add(Parallel, [(1, kernel)], [(0, at(numbers.output_feature_dimension)?)]);
        let input = at(numbers.input_feature_dimension)?;
        rules.add(Reduced, [(0, input), (1, at(numbers.kernel_input_feature_dimension)?)], []);
    }
    let input = dims(&numbers.input_spatial_dimensions);
    let kernel = dims(&numbers.kernel_spatial_dimensions);
    let output = dims(&numbers.output_spatial_dimensions);
    for ((input, kernel), output) in input.into_iter().zip(kernel).zip(output) {
        rules.add(Window, [(0, input), (1, kernel)], [(0, output)]);
    }
    Ok(())
}
