//! Dimensions of which each index of the result needs a range of the operand, one step further for the next one: windows of
//! convolutions and reductions, slices, padding and reversed dimensions.

use strata_ir::{AttributeExt as _, ConvDimensionNumbers, Op, OpKind, TypeExt as _};

/// What the indices of a result need of an operand along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The dimension of the operand.
    pub dim: usize,
    /// The first index for index 0 of the result; those outside of the operand are padding.
    pub first: i64,
    /// How much further it is for the next one.
    pub step: i64,
    /// How many indices one index of the result needs.
    pub window: i64,
}

fn list(op: Op<'_>, name: &str) -> Option<Vec<i64>> {
    op.attr(name)?.as_i64s()
}

/// What dimension `dim` of the result needs of the operands that windows move over, or that are taken apart; `None` where it is not
/// known, or not of this kind.
#[allow(clippy::wildcard_enum_match_arm)] // All others take no ranges.
pub fn steps(op: Op<'_>, dim: usize) -> Option<Steps> {
    let of = |name: &str, default: i64| {
        list(op, name).map_or(Some(default), |all| all.get(dim).copied())
    };
    match op.kind() {
        OpKind::Slice => {
            Some(Steps { dim, first: of("start_indices", 0)?, step: of("strides", 1)?, window: 1 })
        }
        OpKind::Pad if of("interior_padding", 0)? == 0 => {
            Some(Steps { dim, first: -of("edge_padding_low", 0)?, step: 1, window: 1 })
        }
        OpKind::Reverse if list(op, "dimensions")?.contains(&(dim as i64)) => {
            let size = *op.operand(0).ty().shape()?.get(dim)?;
            Some(Steps { dim, first: size - 1, step: -1, window: 1 })
        }
        OpKind::ReduceWindow if of("base_dilations", 1)? == 1 => Some(Steps {
            dim,
            first: -list(op, "padding").map_or(Some(0), |all| all.get(2 * dim).copied())?,
            step: of("window_strides", 1)?,
            window: (of("window_dimensions", 1)? - 1) * of("window_dilations", 1)? + 1,
        }),
        OpKind::Convolution => {
            let numbers =
                op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute)?;
            let at = numbers.output_spatial_dimensions.iter().position(|own| *own == dim as i64)?;
            let of = |name: &str, default: i64| {
                list(op, name).map_or(Some(default), |all| all.get(at).copied())
            };
            let kernel = usize::try_from(*numbers.kernel_spatial_dimensions.get(at)?).ok()?;
            let size = *op.operand(1).ty().shape()?.get(kernel)?;
            let is_dilated = of("lhs_dilation", 1)? != 1;
            (!is_dilated && size > 0).then_some(Steps {
                dim: usize::try_from(*numbers.input_spatial_dimensions.get(at)?).ok()?,
                first: -list(op, "padding").map_or(Some(0), |all| all.get(2 * at).copied())?,
                step: of("window_strides", 1)?,
                window: (size - 1) * of("rhs_dilation", 1)? + 1,
            })
        }
        _ => None,
    }
}

/// How many operands, the first ones, such an operation takes ranges of; all that are sorted.
#[allow(clippy::wildcard_enum_match_arm)] // All others take those of one.
pub fn stepped_operands(op: Op<'_>) -> usize {
    match op.kind() {
        OpKind::ReduceWindow => op.operand_count() / 2,
        OpKind::Concatenate | OpKind::Sort => op.operand_count(),
        _ => 1,
    }
}
