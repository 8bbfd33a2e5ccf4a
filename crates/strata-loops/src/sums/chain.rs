//! The loop-carried sums of a loop, and the number of additions in an iteration.

use strata_ir::{Op, TypeExt as _, arith, math, scf, vector};

use super::SUMS;

/// A sum that a loop carries.
pub struct Sum<'c> {
    /// Its position among the loop-carried values.
    pub position: usize,
    /// Additions to it in an iteration, except those in inner loops.
    pub additions: i64,
    /// Inner loops that carry it.
    pub loops: Vec<Op<'c>>,
}

/// The sums that an `scf.for` carries.
pub fn sums(op: Op<'_>) -> Vec<Sum<'_>> {
    let follow = |position| match op.has_attr(SUMS) {
        true => on_tensors(op, position),
        false => in_registers(op, position),
    };
    (0..op.result_count()).filter_map(follow).collect()
}

/// Follows a value from the loop's argument through additions and inner loops to the yielded value.
fn in_registers(op: Op<'_>, position: usize) -> Option<Sum<'_>> {
    let body = op.body(0);
    let end = body.terminator()?;
    let mut value = body.arg(1 + position);
    let ty = value.ty();
    if !ty.is_vector_type() || !ty.element().is_float_type() {
        return None;
    }
    let mut sum = Sum { position, additions: 0, loops: Vec::new() };
    loop {
        // With any other user, a partial sum would be visible.
        let [(user, operand)] = value.uses()[..] else { return None };
        if user == end {
            let is_sum = sum.additions > 0 || !sum.loops.is_empty();
            return (operand == position && is_sum).then_some(sum);
        }
        value = match user.name() {
            arith::ADDF => user.result(0),
            math::FMA if operand == 2 => user.result(0),
            // The element of a vector without lanes, and back.
            vector::EXTRACT if value.ty().rank() == Some(0) => user.result(0),
            vector::BROADCAST if user.result(0).ty() == ty && ty.rank() == Some(0) => {
                user.result(0)
            }
            scf::FOR if operand >= 3 => {
                in_registers(user, operand - 3)?;
                sum.loops.push(user);
                user.result(operand - 3)
            }
            _ => return None,
        };
        if user.block() != Some(body) {
            return None;
        }
        sum.additions += i64::from(user.is(arith::ADDF) || user.is(math::FMA));
    }
}

/// A tensor that is known to be a sum.
fn on_tensors(op: Op<'_>, position: usize) -> Option<Sum<'_>> {
    let carried = op.body(0).arg(1 + position);
    if !carried.ty().is_tensor_type() {
        return None;
    }
    let uses = carried.uses();
    let inner = uses.into_iter().map(|(user, _)| user).find(|user| user.has_attr(SUMS));
    let loops: Vec<_> = inner.into_iter().collect();
    Some(Sum { position, additions: i64::from(loops.is_empty()), loops })
}
