//! Attributes of CHLO. Their dialect shows their fields in text only.

use melior::{Context, ir::Attribute};

use super::DotDimensionNumbers;
use crate::{AttributeExt as _, parse_attr};

/// The StableHLO enumeration attribute of the same keyword as a CHLO one, which differs in the dialect only; `None` where
/// there is none.
pub fn stablehlo_equal<'c>(
    context: &'c Context,
    attribute: Attribute<'c>,
) -> Option<Attribute<'c>> {
    if attribute.dialect() != "chlo" {
        return None;
    }
    parse_attr(context, &attribute.to_string().replacen("#chlo<", "#stablehlo<", 1))
}

/// `#chlo.ragged_dot`: which dimensions a ragged dot product batches, contracts and groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaggedDotDimensionNumbers {
    /// Batching and contracting dimensions.
    pub dims: DotDimensionNumbers,
    /// Dimensions of the left operand that are partitioned in groups.
    pub ragged: Vec<i64>,
    /// Dimensions of the right operand that enumerate groups.
    pub group: Vec<i64>,
}

impl RaggedDotDimensionNumbers {
    /// Reads the attribute; `None` when it is another one.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let text = attribute.to_string();
        let fields = text.strip_prefix("#chlo.ragged_dot<")?;
        // A list without elements is not printed.
        let list = |name: &str| -> Option<Vec<i64>> {
            let Some((_, rest)) = fields.split_once(name) else { return Some(Vec::new()) };
            let (numbers, _) = rest.split_once('[')?.1.split_once(']')?;
            let numbers = numbers.split(',').map(str::trim).filter(|number| !number.is_empty());
            numbers.map(|number| number.parse().ok()).collect()
        };
        Some(Self {
            dims: DotDimensionNumbers {
                lhs_batching_dimensions: list("lhs_batching_dimensions")?,
                rhs_batching_dimensions: list("rhs_batching_dimensions")?,
                lhs_contracting_dimensions: list("lhs_contracting_dimensions")?,
                rhs_contracting_dimensions: list("rhs_contracting_dimensions")?,
            },
            ragged: list("lhs_ragged_dimensions")?,
            group: list("rhs_group_dimensions")?,
        })
    }
}
