//! Why a dot or convolution of narrow elements is not computed by the machine's instruction for them, for remarks.

use std::ops::RangeInclusive;

use strata_ir::{Builder, ElementType, Op, OpKind, Type, TypeExt as _, Value};
use strata_remarks::{decline, wants_remarks};
use strata_target::Target;

use crate::{
    lowerings::dot::{Types, lanes::way},
    numbers::element::Class,
};

/// What the remark calls the way that is not taken.
const LANES: &str = "lanes";
pub const FEW: &str = "there are too few products";
pub const SEVERAL: &str = "several dimensions are summed";
pub const GROUPS: &str = "its features are in groups";
pub const NO_FASTER: &str =
    "it does not fill tiles, and without them `f32` is as fast on this processor";
/// Bits of the elements that are narrow.
const NARROW: RangeInclusive<u32> = 2..=16;
/// Bits of the integers that become lanes.
const BYTES: RangeInclusive<u32> = 2..=8;

/// Says why an operation is not one of lanes; the value that there is not.
pub fn lanes<T>(builder: &Builder<'_>, because: &str) -> Option<T> {
    decline(builder.location, LANES, || because.to_owned());
    None
}

/// Says why there is no [`way`] for these types, if they are narrow; the value that there is not.
pub fn of_types<T>(builder: &Builder<'_>, types: &Types<'_>, target: &Target) -> Option<T> {
    if wants_remarks()
        && let Some(because) = reason(types, target)
    {
        return lanes(builder, &because);
    }
    None
}

fn reason(types: &Types<'_>, target: &Target) -> Option<String> {
    let (lhs, rhs, sum) = (types.lhs, types.rhs, types.sum);
    let bits = |ty: Type<'_>| ty.bit_width().filter(|bits| NARROW.contains(bits));
    let (left, right) = (bits(lhs)?, bits(rhs)?);
    let are_floats = lhs.is_float_type() && rhs.is_float_type();
    let are_integers = lhs.is_int() && rhs.is_int();
    let are_bytes = are_integers && BYTES.contains(&left) && BYTES.contains(&right);
    let is_word = sum.bit_width() == Some(32);
    Some(match types.class {
        Class::Float if are_floats && lhs == rhs => {
            let is_bf16 = ElementType::from_type(lhs) == Some(ElementType::BFloat16);
            // Those of `bf16` say by what other types they may be taken.
            let plain = Types { is_precise: false, ..*types };
            if is_bf16 && is_word && way(&plain, target).is_some() {
                "the program asks for the highest precision, and the instruction takes numbers below the normal range as zero".into()
            } else {
                format!(
                    "the target has no instruction for products of `{lhs}` with sums of `{sum}`"
                )
            }
        }
        Class::Float if are_integers => {
            format!("its sums are `{sum}`, and instructions for products of integers add integers")
        }
        Class::Signed | Class::Unsigned if are_bytes && !is_word => {
            "instructions for products of bytes add them in 32 bits".into()
        }
        Class::Signed | Class::Unsigned if are_bytes => {
            "the target has no instruction for sums of products of bytes".into()
        }
        Class::Signed | Class::Unsigned if are_integers => {
            "its elements have more than 8 bits".into()
        }
        Class::Float => format!("its operands are of different types, `{lhs}` and `{rhs}`"),
        _ => return None,
    })
}

/// Says of a convolution of integers that were bytes of different types why they are not multiplied as such.
pub fn mixed(builder: &Builder<'_>, op: Op<'_>) {
    if let (Some(left), Some(right)) = (byte(op.operand(0)), byte(op.operand(1)))
        && left != right
    {
        decline(builder.location, LANES, || {
            format!(
                "a convolution's operands have one type, which must hold `{left}` and `{right}`"
            )
        });
    }
}

/// The type of the bytes that `value` has in a wider type.
fn byte(value: Value<'_>) -> Option<Type<'_>> {
    let convert = value.owner().filter(|owner| owner.kind() == OpKind::Convert)?;
    let ty = convert.operand(0).ty().element();
    let is_byte = ty.is_int() && ty.bit_width().is_some_and(|bits| BYTES.contains(&bits));
    (is_byte && value.ty().element().is_int()).then_some(ty)
}
