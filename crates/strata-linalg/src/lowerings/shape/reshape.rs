//! `reshape` as `tensor.collapse_shape` and `tensor.expand_shape`: a view, never a copy.
//!
//! ```text
//! %1 = stablehlo.reshape %0 : (tensor<2x3x4xf32>) -> tensor<6x2x2xf32>
//! ```
//! becomes
//! ```text
//! %c = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
//! %1 = tensor.expand_shape %c [[0], [1, 2]] output_shape [6, 2, 2] : … into tensor<6x2x2xf32>
//! ```

use strata_ir::{Builder, Op, OpKind, TypeExt as _, Value, i64s, reassociation, tensor};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

/// The lowering of `reshape`.
pub struct Reshape;

impl Lowering for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Reshape]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
        Ok(vec![reshape(&lowerer.builder(), operands[0], &shape)?])
    }
}

/// `value` with another shape of as many elements.
pub fn reshape<'c>(builder: &Builder<'c>, value: Value<'c>, shape: &[i64]) -> Outcome<Value<'c>> {
    let from = value.ty().shape().or_decline("the shape is not static")?;
    if from == shape {
        return Ok(value);
    }
    if from.contains(&0) {
        return Ok(builder.empty(shape, value.ty().element()));
    }
    let (collapse, expand) = groups(&from, shape);
    let collapsed = collapse_dims(builder, value, &collapse);
    Ok(expand_dims(builder, collapsed, &expand, shape))
}

/// The smallest runs of dimensions on both sides with equal products: for each run the number of
/// dimensions it takes on the left and on the right. Trailing ones of size 1 join the last run.
fn groups(from: &[i64], to: &[i64]) -> (Vec<usize>, Vec<usize>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < from.len() && j < to.len() {
        let (start_i, start_j) = (i, j);
        let (mut a, mut b) = (from[i], to[j]);
        (i, j) = (i + 1, j + 1);
        while a != b {
            if a < b {
                a *= from[i];
                i += 1;
            } else {
                b *= to[j];
                j += 1;
            }
        }
        left.push(i - start_i);
        right.push(j - start_j);
    }
    if let (Some(last_left), Some(last_right)) = (left.last_mut(), right.last_mut()) {
        *last_left += from.len() - i;
        *last_right += to.len() - j;
    }
    (left, right)
}

/// Joins runs of `counts[i]` consecutive dimensions; no runs join all dimensions, each of size 1.
pub fn collapse_dims<'c>(builder: &Builder<'c>, value: Value<'c>, counts: &[usize]) -> Value<'c> {
    let from = value.ty().shape().unwrap_or_default();
    if counts.len() == from.len() {
        return value;
    }
    let mut next = 0;
    let shape: Vec<i64> = counts
        .iter()
        .map(|count| {
            next += count;
            from[next - count..next].iter().product()
        })
        .collect();
    builder
        .op(tensor::COLLAPSE_SHAPE)
        .operand(value)
        .attr("reassociation", reassociation(builder.context, counts))
        .result(tensor(&shape, value.ty().element()))
        .value()
}

/// Splits dimension `i` into `counts[i]` dimensions of `shape`.
fn expand_dims<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    counts: &[usize],
    shape: &[i64],
) -> Value<'c> {
    if counts.len() == shape.len() {
        return value;
    }
    builder
        .op(tensor::EXPAND_SHAPE)
        .operand(value)
        .attr("reassociation", reassociation(builder.context, counts))
        .attr("static_output_shape", i64s(builder.context, shape))
        .result(tensor(shape, value.ty().element()))
        .value()
}

/// Drops the dimensions that are not in `kept`, all of size 1.
pub fn keep_dims<'c>(
    builder: &Builder<'c>,
    value: Value<'c>,
    kept: &[usize],
) -> Outcome<Value<'c>> {
    let from = value.ty().shape().or_decline("the shape is not static")?;
    let shape: Vec<_> = kept.iter().map(|dim| from[*dim]).collect();
    reshape(builder, value, &shape)
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn runs_are_as_short_as_they_can_be() {
        assert_eq!(groups(&[2, 3, 4], &[6, 2, 2]), (vec![2, 1], vec![1, 2]));
        assert_eq!(groups(&[2, 3], &[3, 2]), (vec![2], vec![2]));
        assert_eq!(groups(&[5], &[1, 5, 1]), (vec![1], vec![3]));
        assert_eq!(groups(&[1, 1], &[]), (vec![], vec![]));
        assert_eq!(groups(&[4, 1, 7], &[4, 7]), (vec![1, 2], vec![1, 1]));
    }
}
