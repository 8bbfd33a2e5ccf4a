//! Which operands of a nest are weights.

use strata_ir::Value;
use strata_options::LaidOut;

use crate::{
    constants::{is_weight, reordered},
    fusion::nest::Nest,
    layout::lanes::is_of_weight,
};

/// Whether a nest only puts the elements of a weight into another order, which nothing else reads in the old one: it stays as it is, so
/// that what reads it has a weight.
pub fn moves_weight(nest: &Nest<'_>, laid_out: &LaidOut) -> bool {
    let [op] = nest.ops[..] else { return false };
    let Some(source) = reordered(op) else { return false };
    let mut orders = std::iter::successors(Some(source), |value| reordered(value.owner()?));
    op.result(0).has_one_use()
        && orders.all(|value| value.has_one_use())
        && is_weight(source, laid_out)
}

/// The positions of the inputs that are weights, which this nest reads once and nothing else does: packed, they take no more memory.
/// Constants are weights if they are laid out.
pub fn own_weights<'c>(nest: &Nest<'c>, inputs: &[Value<'c>], laid_out: &LaidOut) -> Vec<usize> {
    let is_own = |value: &Value<'c>| {
        let lanes = value.owner().filter(|owner| is_of_weight(*owner, laid_out));
        let weight = lanes.map_or(*value, |lanes| lanes.operand(0));
        let mut orders = std::iter::successors(Some(weight), |value| reordered(value.owner()?));
        // A weight may have uses all over the program: they are not listed for each nest that reads it.
        value.has_one_use()
            && orders.all(|value| value.has_one_use())
            && value.uses().iter().all(|(user, _)| nest.ops.contains(user))
            && is_weight(weight, laid_out)
    };
    inputs.iter().enumerate().filter(|(_, value)| is_own(value)).map(|(at, _)| at).collect()
}
