//! Comparators that compare one key of either side: `compare LT, f(a), f(b)`.
//!
//! A key becomes an unsigned integer: a float's bits in their total order, an integer with its sign bit flipped,
//! all bits flipped if the larger key comes first. Equal integers are equal keys, so sorting by them is equivalent
//! to the comparator.

use strata_ir::{
    Block, Builder, ComparisonDirection as Direction, ComparisonType, Op, OpKind, Type,
    TypeExt as _, Value, arith, integer,
};
use strata_rewrite::{Lowerer, Outcome};
use strata_target::tuning::sorting::MAX_KEY_OPERATIONS;

use super::own::Own;
use crate::{lowerings::compare_select::total_order, numbers::element::Class, scalar};

/// The key of a comparator.
pub struct Key<'c> {
    block: Block<'c>,
    /// The operations that compute the key of one side.
    value: Value<'c>,
    class: Class,
    descending: bool,
    /// Bits of the key.
    pub width: u32,
}

impl<'c> Key<'c> {
    /// The key that `comparator` compares, if that is all it does.
    pub fn of(comparator: Block<'c>) -> Option<Self> {
        let compare = comparator.terminator()?.operands().first()?.owner()?;
        if compare.kind() != OpKind::Compare {
            return None;
        }
        let [value, other] = compare.operands()[..] else { return None };
        let direction = compare.attr("comparison_direction").and_then(Direction::from_attribute)?;
        let element = value.ty().element();
        let class = Class::of(element)?;
        let order = compare.attr("compare_type").and_then(ComparisonType::from_attribute);
        // Other comparisons of floats leave the order of NaN open.
        let total = class != Class::Float || order == Some(ComparisonType::TotalOrder);
        if !total || class == Class::Complex {
            return None;
        }
        let mut first_side = None;
        let mut budget = MAX_KEY_OPERATIONS;
        let args = comparator.args();
        same_function(value, other, &args, &mut first_side, &mut budget).then_some(())?;
        let descending = match direction {
            Direction::Lt => !first_side?,
            Direction::Gt => first_side?,
            _ => return None,
        };
        let width = element.bit_width()?.next_power_of_two().max(8);
        (width <= 64).then_some(Self { block: comparator, value, class, descending, width })
    }

    /// The inverse mapping from keys to elements of type `element`, if there is one.
    pub fn own(&self, element: Type<'c>) -> Option<Own<'c>> {
        Own::of(self.value, self.class, self.descending, element)
    }

    /// The key of an element of each operand.
    pub fn emit(
        &self,
        b: &Builder<'c>,
        elements: &[Value<'c>],
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Value<'c>> {
        let args: Vec<_> = elements.iter().flat_map(|value| [*value, *value]).collect();
        let value = scalar::inline_until(self.block, b, &args, lowerer, self.value)?;
        let ty = integer(b.context, self.width);
        let bits = match self.class {
            Class::Float => total_order(b, value)?,
            _ => value,
        };
        let signed = matches!(self.class, Class::Float | Class::Signed);
        let narrow = bits.ty().bit_width() != Some(self.width);
        let bits = match (narrow, signed) {
            (false, _) => bits,
            (true, true) => b.cast(arith::EXTSI, bits, ty),
            (true, false) => b.cast(arith::EXTUI, bits, ty),
        };
        let sign = if signed { i64::MIN >> (64 - self.width) } else { 0 };
        let flipped = if self.descending { !sign } else { sign };
        Ok(match flipped {
            0 => bits,
            _ => b.same(arith::XORI, &[bits, b.int(ty, flipped)]),
        })
    }
}

/// Whether `a` and `b` are the same function of the first and of the second arguments, or the other way round;
/// `first_side` learns which.
fn same_function<'c>(
    a: Value<'c>,
    b: Value<'c>,
    args: &[Value<'c>],
    first_side: &mut Option<bool>,
    budget: &mut usize,
) -> bool {
    let position = |value| args.iter().position(|arg| *arg == value);
    if let (Some(i), Some(j)) = (position(a), position(b)) {
        let first = i % 2 == 0;
        return i ^ 1 == j && *first_side.get_or_insert(first) == first;
    }
    let (Some(x), Some(y)) = (a.owner(), b.owner()) else { return false };
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    if x.kind() == OpKind::Constant || y.kind() == OpKind::Constant {
        return x.attr("value").is_some() && x.attr("value") == y.attr("value");
    }
    alike(x, y)
        && x.operands()
            .into_iter()
            .zip(y.operands())
            .all(|(a, b)| same_function(a, b, args, first_side, budget))
}

fn alike(x: Op<'_>, y: Op<'_>) -> bool {
    x.name() == y.name()
        && x.attrs() == y.attrs()
        && x.region_count() == 0
        && x.result_types() == y.result_types()
        && x.operand_count() == y.operand_count()
        && x.operand_count() > 0
}
