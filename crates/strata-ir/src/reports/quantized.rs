//! Quantized types that the specification does not permit, each by the label of the constraint that it violates.
//!
//! Some MLIR's parser refuses, with a sentence of its own; others are types to MLIR, and no operation takes them.

use melior::Context;
use strata_diag::codes;

use super::words::{Said, captures, types_of_use};
use crate::{quantized::Misfit, types::parse_type};

/// What MLIR's parser says of such types.
const SENTENCES: &[(&str, Misfit)] = &[
    ("illegal storage min and storage max: ({}:{})", Misfit::Bounds),
    ("illegal storage type minimum: {}", Misfit::Bounds),
    ("illegal storage type maximum: {}", Misfit::Bounds),
    ("illegal storage type size: {}", Misfit::Storage),
    ("illegal quantized dimension: {}", Misfit::Negative),
];

/// The replacement of a message of MLIR's parser about a quantized type.
pub(super) fn invalid(message: &str) -> Option<Said> {
    let range = "scale {} out of expressed type range [{}, {}]";
    let (misfit, reason) = if let Some([scale, least, most]) = captures(message, range).as_deref() {
        let misfit = match scale.strip_prefix('-').map_or_else(|| scale.parse(), |_| Ok(0.0)) {
            Ok(0.0) => Misfit::Sign,
            // Infinity is written in C's way.
            Ok(scale) if f64::is_finite(scale) => Misfit::Scale,
            _ => Misfit::Infinite,
        };
        (
            misfit,
            match misfit {
                Misfit::Scale => {
                    format!("{}: {scale} is not from {least} to {most}", misfit.reason())
                }
                _ => format!("{}: {scale}", misfit.reason()),
            },
        )
    } else if types_of_use(message).is_some_and(|[_, used, own]| is_nan(used, own)) {
        (Misfit::Infinite, format!("{}: NaN", Misfit::Infinite.reason()))
    } else {
        let fits = |(sentence, misfit): &(&str, Misfit)| {
            Some((captures(message, sentence)?.join(":"), *misfit))
        };
        let (found, misfit) = SENTENCES.iter().find_map(fits)?;
        (
            misfit,
            match misfit {
                // MLIR gives the bits of whatever is there.
                Misfit::Storage => misfit.reason().to_owned(),
                _ => format!("{}: {found}", misfit.reason()),
            },
        )
    };
    Some(Said { reason, hint: Some(misfit.hint().to_owned()), code: Some(codes::S1005) })
}

/// Whether a type differs from itself: MLIR compares scales as numbers, and writes those that are none by their bits. Types of `ui8` and `u8` read
/// alike, too.
fn is_nan(used: &str, own: &str) -> bool {
    used == own && used.contains("!quant.") && used.contains("0x")
}

/// Why no operation takes the quantized type that `message` says one does not take, and what to write instead.
pub(super) fn misfit(context: &Context, message: &str) -> Option<(String, &'static str)> {
    let patterns = [
        ("operand", "operand #{} must be {}, but got '{}'"),
        ("result", "result #{} must be {}, but got '{}'"),
    ];
    let (what, [number, _, ty]) = patterns.iter().find_map(|(what, pattern)| {
        Some((what, <[&str; 3]>::try_from(captures(message, pattern)?).ok()?))
    })?;
    let misfit = Misfit::of(parse_type(context, ty).filter(|_| ty.contains("!quant."))?)?;
    Some((format!("{what} {number} is `{ty}`: {}", misfit.reason()), misfit.hint()))
}
