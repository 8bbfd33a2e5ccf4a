//! Defaults of omitted attributes.

use strata_ir::{
    Attribute, AttributeExt as _, ComparisonType, Context, Op, Precision, ResultAccuracy,
    ResultAccuracyMode, TypeExt as _, array, boolean, dense_bytes, dictionary, i64_pairs, i64s,
    int, integer, parse_attr, stablehlo, string, tensor,
};

use crate::rules::{Absent, Kind, Rule};

/// The default of a StableHLO attribute that `op` omits; `None` if it is required.
pub(crate) fn value<'c>(context: &'c Context, rule: Rule, op: Op<'c>) -> Option<Attribute<'c>> {
    match rule.default {
        Absent::Required => None,
        Absent::Bool(value) => Some(boolean(context, value)),
        Absent::Int(value, width) => Some(int(integer(context, width), value)),
        // A typed call's configuration is a dictionary.
        Absent::Text => {
            let is_typed = op.attr("api_version").and_then(|value| value.as_i64()) == Some(4);
            if is_typed { dictionary(context, &[]) } else { Some(string(context, "")) }
        }
        Absent::List => Some(array(context, &[])),
        Absent::Dict => dictionary(context, &[]),
        Absent::Fill(value) => filled(context, rule.kind, value, spatial_rank(op)?),
        Absent::Nothing if rule.kind == Kind::Dims => Some(i64s(context, &[])),
        Absent::Nothing => dense_bytes(tensor(&[0], integer(context, 64)), &[]),
        Absent::NoType => parse_attr(context, "#stablehlo<comparison_type NOTYPE>"),
        Absent::Precision => {
            let default = Precision::Default.to_attribute(context)?;
            Some(array(context, &[default, default]))
        }
        Absent::Accuracy => {
            ResultAccuracy { atol: 0.0, rtol: 0.0, ulps: 0, mode: ResultAccuracyMode::Default }
                .to_attribute(context)
        }
    }
}

/// Whether the StableHLO attribute equals its default.
pub(crate) fn is_default(rule: Rule, attribute: Attribute<'_>) -> bool {
    let is_empty = || attribute.as_array().is_some_and(|list| list.is_empty());
    let no_entries = || attribute.as_dictionary().is_some_and(|entries| entries.is_empty());
    match rule.default {
        Absent::Required => false,
        Absent::Bool(value) => attribute.as_bool() == Some(value),
        Absent::Int(value, _) => attribute.as_i64() == Some(value),
        Absent::Text => attribute.as_str() == Some("") || no_entries(),
        Absent::List => is_empty(),
        Absent::Dict => no_entries(),
        Absent::Fill(value) => {
            attribute.as_i64s().is_some_and(|list| list.iter().all(|element| *element == value))
        }
        Absent::Nothing => attribute.as_i64s().is_some_and(|list| list.is_empty()),
        Absent::NoType => ComparisonType::from_attribute(attribute) == Some(ComparisonType::NoType),
        Absent::Precision => attribute.as_array().is_some_and(|list| {
            list.iter().all(|value| Precision::from_attribute(*value) == Some(Precision::Default))
        }),
        Absent::Accuracy => ResultAccuracy::from_attribute(attribute).is_some_and(|accuracy| {
            accuracy.mode == ResultAccuracyMode::Default
                && accuracy.ulps == 0
                && accuracy.atol == 0.0
                && accuracy.rtol == 0.0
        }),
    }
}

/// Dimensions that windows slide along.
fn spatial_rank(op: Op<'_>) -> Option<i64> {
    let rank = op.operands().first()?.ty().rank()?;
    let spatial = match op.name() {
        stablehlo::CONVOLUTION | stablehlo::DYNAMIC_CONV => rank.checked_sub(2)?,
        _ => rank,
    };
    i64::try_from(spatial).ok()
}

fn filled(context: &Context, kind: Kind, value: i64, rank: i64) -> Option<Attribute<'_>> {
    let count = usize::try_from(rank).ok()?;
    match kind {
        Kind::Dims => Some(i64s(context, &vec![value; count])),
        Kind::Flags => {
            dense_bytes(tensor(&[rank], integer(context, 1)), &vec![u8::from(value != 0); count])
        }
        _ => i64_pairs(context, &vec![value; 2 * count]),
    }
}
