//! Which loops of algorithms do nothing from a size on: a scatter whose places are outside from there on.
//!
//! ```mlir
//! %r = scf.for %i = %c0 to %c128 step %c1 iter_args(%t = %to) -> (tensor<32x16xf32>) {
//!   %place = tensor.extract %places[%i]                        // -1 from %s on, as a mask left it
//!   %is_inside = arith.cmpi ult, %place, %c32
//!   %next = scf.if %is_inside -> (tensor<32x16xf32>) {
//!     %x = tensor.extract %updates[%i, %j]                     // not read from %s on
//!     …
//!   } else {
//!     scf.yield %t
//!   }
//!   scf.yield %next
//! }
//! ```

use std::collections::HashMap;

use strata_ir::{Op, TypeExt as _, Value, constant_index, scf, tensor};

use super::{
    Bound, Need,
    facts::{Constant, Fact, Facts},
    reductions::{Known, arithmetic},
};

/// A loop whose iterations do nothing from a bound on.
pub struct Idle<'c> {
    /// From where on.
    pub end: Bound,
    each: Op<'c>,
    /// What the others do.
    choice: Op<'c>,
}

impl<'c> Idle<'c> {
    /// The loop as such a one.
    pub fn of(each: Op<'c>, facts: &Facts<'c>) -> Option<Self> {
        each.is(scf::FOR).then_some(())?;
        let [first, step] = [0, 2].map(|at| constant_index(each.operand(at)));
        (first.is_some_and(|first| first >= 0) && step == Some(1)).then_some(())?;
        let (body, yielded) = (each.body(0), each.body(0).terminator()?);
        let mut choices = body.ops().into_iter().filter(|op| op.region_count() > 0);
        let choice = choices.next().filter(|op| op.is(scf::IF) && op.region_count() == 2)?;
        choices.next().is_none().then_some(())?;
        let other = choice.region(1).first_block()?.terminator()?;
        let is_kept = |(number, value): (usize, Value<'c>)| {
            let carried = body.arg(1 + number);
            let of_choice = || value.owner() == Some(choice);
            value == carried
                || of_choice()
                    && value.result_index().is_some_and(|at| other.operand(at) == carried)
        };
        yielded.operands().into_iter().enumerate().all(is_kept).then_some(())?;
        (choice.region(1).first_block()?.ops().len() == 1).then_some(())?;
        let mut bounds = body.ops().into_iter().flat_map(|op| ends(op, each, facts));
        let end = bounds.find(|(end, _)| is_false(choice.operand(0), each, (*end, facts)))?.0;
        Some(Self { end, each, choice })
    }

    /// What is needed of a tensor by an operation in the loop.
    pub fn need(&self, user: Op<'c>, tensor: Value<'c>) -> Option<Vec<Need>> {
        let is_read = user.is(tensor::EXTRACT) && user.operand(0) == tensor;
        let then = self.choice.region(0).first_block()?;
        let is_chosen = then.ops().into_iter().any(|op| op == user || op.encloses(user));
        (is_read && is_chosen).then_some(())?;
        let indices = user.operands().into_iter().skip(1);
        let need = |index: Value<'c>| match index == self.each.body(0).arg(0) {
            true => Need::Below(self.end),
            false => Need::All,
        };
        Some(indices.map(need).collect())
    }
}

/// The bounds from which on in the loop the element that an operation extracts is known, and what it is then.
fn ends<'c>(op: Op<'c>, each: Op<'c>, facts: &Facts<'c>) -> Vec<(Bound, Constant)> {
    if !op.is(tensor::EXTRACT) || op.operand(0).ty().rank() == Some(0) {
        return Vec::new();
    }
    let (list, constant) = match facts.get(op.operand(0)) {
        Some(Fact::Below(list)) => (list, Constant::Integer(0)),
        Some(Fact::Filled(list, constant)) => (list, *constant),
        _ => return Vec::new(),
    };
    let counter = each.body(0).arg(0);
    let at_counter = list.iter().filter(|(dim, _)| op.operand(1 + dim) == counter);
    at_counter.map(|(_, bound)| (*bound, constant)).collect()
}

/// Whether a condition in the body of `each` is false from a bound on.
fn is_false<'c>(condition: Value<'c>, each: Op<'c>, (end, facts): (Bound, &Facts<'c>)) -> bool {
    let mut known: HashMap<Value<'c>, Known> = HashMap::new();
    for op in each.body(0).ops().into_iter().filter(|op| op.result_count() == 1) {
        let own = ends(op, each, facts).into_iter().find(|(bound, _)| *bound == end);
        let own = own.map(|(_, constant)| Known::Constant(constant)).or_else(|| {
            arithmetic(op, end, |value| {
                let own = known.get(&value).copied();
                own.or_else(|| Constant::of_value(value).map(Known::Constant))
            })
        });
        if let Some(own) = own {
            known.insert(op.result(0), own);
        }
    }
    known.get(&condition) == Some(&Known::Constant(Constant::Integer(0)))
}
