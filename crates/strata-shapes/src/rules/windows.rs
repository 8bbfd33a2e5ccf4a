//! Windows and convolutions.

use strata_ir::{AttributeExt as _, ConvDimensionNumbers, Op, OpKind};

use super::{NoRules, Ruled, dims, rank};
use crate::{
    DimRules,
    FactorKind::{Parallel, Reduced, Whole, Window},
    size,
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

fn at(dim: i64) -> Result<usize, NoRules> {
    usize::try_from(dim).map_err(|_| NoRules("a dimension is negative"))
}

fn numbers(op: Op<'_>) -> Result<ConvDimensionNumbers, NoRules> {
    let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
    numbers.ok_or(NoRules("it has no dimension numbers"))
}

/// How many groups of the batch and of features a convolution has.
fn groups(op: Op<'_>) -> [i64; 2] {
    let count = |name: &str| op.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
    ["batch_group_count", "feature_group_count"].map(count)
}

/// The factors of a convolution in groups, with one for these: the outermost part of the input's features (or of its batch) and of the
/// output features, of as many indices as there are groups. Which part of a dimension an index is in decides what meets it, so that only those
/// who keep groups together may use it.
///
/// # Errors
/// If an attribute of a verified operation is missing.
pub fn of_groups(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let numbers = numbers(op)?;
    let [batch, feature] = groups(op);
    let (count, grouped) = match batch {
        1 => (feature, at(numbers.input_feature_dimension)?),
        _ => (batch, at(numbers.input_batch_dimension)?),
    };
    let kernel = at(numbers.kernel_output_feature_dimension)?;
    let output = at(numbers.output_feature_dimension)?;
    rules.add_stated(Parallel, Some(count), vec![(0, grouped), (1, kernel)], vec![(0, output)]);
    // What is in a group.
    let inside = |size: Option<i64>| size.map(|size| size / count).filter(|size| *size != 1);
    if let Some(inner) = inside(size(op.operand(0), grouped)) {
        rules.add_stated(Whole, Some(inner), vec![(0, grouped)], Vec::new());
    }
    if let Some(inner) = inside(size(op.operand(1), kernel)) {
        rules.add_stated(Whole, Some(inner), vec![(1, kernel)], vec![(0, output)]);
    }
    convolution(op, rules)
}

fn convolution(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let numbers = numbers(op)?;
    let [batch, feature] = groups(op);
    // With groups, which kernel meets an input depends on the index.
    if batch == 1 {
        let input = at(numbers.input_batch_dimension)?;
        rules.add(Parallel, [(0, input)], [(0, at(numbers.output_batch_dimension)?)]);
    }
    if batch == 1 && feature == 1 {
        let kernel = at(numbers.kernel_output_feature_dimension)?;
        rules.add(Parallel, [(1, kernel)], [(0, at(numbers.output_feature_dimension)?)]);
    }
    if feature == 1 {
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
