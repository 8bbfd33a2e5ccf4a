//! Attributes of the wrong kind, and what they have to be.

use strata_diag::codes;

use super::words::{Said, captures, plain};
use crate::kinds::ENUMERATIONS;

/// Kinds of attributes as MLIR names them, and in plain English.
const ATTRIBUTES: &[(&str, &str)] = &[
    ("i64 dense array attribute", "a list of 64-bit integers, such as `array<i64: 0, 1>`"),
    ("i32 dense array attribute", "a list of 32-bit integers, such as `array<i32: 0, 1>`"),
    ("i1 dense array attribute", "a list of booleans, such as `array<i1: true, false>`"),
    ("bool attribute", "`true` or `false`"),
    ("string attribute", "a text in quotes"),
    ("array attribute", "a list, such as `[…]`"),
    ("unit attribute", "a name without a value"),
    (
        "2-dimensional i64 elements or mesh axes",
        "rows of 64-bit integers, such as `dense<[[0, 1]]> : tensor<1x2xi64>`, or axes of a mesh",
    ),
    (
        "a communication channel",
        "a channel, such as `#stablehlo.channel_handle<handle = 1, type = 0>`",
    ),
    ("32-bit signless integer attribute", "a 32-bit integer, such as `1 : i32`"),
    ("64-bit signless integer attribute", "a 64-bit integer, such as `1 : i64`"),
    ("32-bit float attribute", "a 32-bit float, such as `1.0 : f32`"),
    ("dictionary of named attribute values", "a dictionary, such as `{name = 1 : i64}`"),
];

/// The error for an attribute of the wrong kind.
pub(super) fn invalid(message: &str) -> Option<Said> {
    let parts = captures(message, "attribute '{}' failed to satisfy constraint: {}")?;
    let [name, constraint] = parts.as_slice() else { return None };
    let values = ENUMERATIONS.iter().find(|(summary, ..)| summary == constraint);
    let wanted = match values {
        Some((_, spelling, cases)) => {
            let all: Vec<_> =
                cases.iter().map(|case| format!("`{}`", spelling.replace("{}", case))).collect();
            format!("one of {}", all.join(", "))
        }
        None => kind_of_attribute(constraint),
    };
    Some(Said {
        reason: format!("the attribute `{name}` has an invalid value"),
        hint: Some(format!("it must be {wanted}")),
        code: Some(codes::S1005),
    })
}

/// What an attribute has to be.
fn kind_of_attribute(constraint: &str) -> String {
    let (kind, least) = match constraint.rsplit_once(" whose value is ") {
        Some((kind, "positive")) => (kind, ", at least 1"),
        Some((kind, "non-negative")) => (kind, ", at least 0"),
        _ => (constraint, ""),
    };
    match ATTRIBUTES.iter().find(|(words, _)| *words == kind) {
        Some((_, better)) => format!("{better}{least}"),
        None => plain(constraint),
    }
}
