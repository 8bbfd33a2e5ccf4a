//! Which loops of a scheduled nest add nothing from a size on, because of masks.
//!
//! ```mlir
//! %r:4 = scf.for %k = %c0 to %c128 step %c1 iter_args(%t0 = %z, …) -> (vector<16xf32>, …) {
//!   %x = vector.transfer_read %a[%i, %k]              // %a is zero from column %s on, as a mask left it
//!   …
//!   %n = math.fma %x, %y, %t0
//! }
//! ```
//! An iteration is computed for a counter that is not below the size, with what is known then of each value; the loop may end there if
//! such an iteration returns the values that it was given. A float zero may be added: of zeros only the sign changes.
//!
//! Selections in the loop that are masks with that size say so ([`MASK`]): where all elements of an iteration are below it, they are
//! their first value.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, AttributeExt as _, Context, ElementType, LIMIT, MASK, Op, TypeExt as _, Value,
    arith::{self, CmpFPredicate, CmpIPredicate},
    constant_index, math, narrow, scf, tensor, vector,
};

use super::{
    Bound, copies,
    facts::{Constant, Fact, keeps_zero},
    loops::{is_from, offsets},
};

/// Limits the loops of `func` that carry no tensors, where `facts` are those of its arguments. Returns how many.
pub fn limit<'c>(
    context: &'c Context,
    func: Op<'c>,
    facts: &[Option<Fact>],
    sizes: usize,
) -> usize {
    let arguments = func.body(0).args().into_iter().zip(facts);
    let mut all: Vec<(Value<'c>, Fact)> =
        arguments.filter_map(|(argument, fact)| Some((argument, fact.clone()?))).collect();
    // Rows that a schedule joins.
    for op in func.body(0).ops().into_iter().filter(|op| op.is(tensor::COLLAPSE_SHAPE)) {
        let of = all.iter().find(|(value, _)| *value == op.operand(0));
        all.extend(of.and_then(|(_, fact)| Some((op.result(0), fact.of_collapsed(op)?))));
    }
    let known: HashMap<Value<'c>, &Fact> = all.iter().map(|(value, fact)| (*value, fact)).collect();
    let bounds = candidates(all.iter().map(|(_, fact)| fact));
    let mut count = 0;
    for each in func.collect(|op| op.is(scf::FOR) && !op.has_attr(LIMIT)) {
        let limit = |bound: &&Bound| {
            let values = HashMap::new();
            let counter = each.body(0).arg(0);
            Iteration { bound: **bound, facts: &known, each, counter, values }.keeps_its_values()
        };
        if is_long(each)
            && let Some(bound) = bounds.iter().find(limit)
        {
            let limit = bound.to_map(sizes).to_attribute(context);
            each.set_attr(LIMIT, limit);
            for mask in each.collect(|op| op.is(arith::SELECT)) {
                if is_mask(mask, *bound, &known) {
                    mask.set_attr(MASK, limit);
                }
            }
            count += 1;
        }
    }
    count
}

/// The bounds from which on something is known.
fn candidates<'f>(facts: impl Iterator<Item = &'f Fact>) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for fact in facts {
        let own = match fact {
            Fact::Number { bound, .. } => vec![*bound],
            Fact::Index(_) => Vec::new(),
            Fact::Below(list) | Fact::Filled(list, _) => {
                list.iter().map(|(_, bound)| *bound).collect()
            }
        };
        for bound in own {
            if !bounds.contains(&bound) {
                bounds.push(bound);
            }
        }
    }
    bounds
}

/// Whether a selection chooses its first value exactly for the elements whose place in the vector's dimension is below `bound`.
fn is_mask<'c>(select: Op<'c>, bound: Bound, facts: &HashMap<Value<'c>, &Fact>) -> bool {
    let is_less = |op: &Op<'c>| {
        op.is(arith::CMPI)
            && op.attr("predicate").and_then(CmpIPredicate::of) == Some(CmpIPredicate::Slt)
    };
    let Some(compare) = select.operand(0).owner().filter(is_less) else { return false };
    let mut size = compare.operand(1);
    // A size as a number of 32 bits is the same: no dimension is larger.
    let is_kept = |op: &Op<'c>| {
        matches!(op.name(), vector::BROADCAST | vector::EXTRACT)
            || op.is(arith::TRUNCI) && op.result(0).ty().element().bit_width() == Some(32)
    };
    while let Some(owner) = size.owner().filter(is_kept) {
        size = owner.operand(0);
    }
    let read = |value: Value<'c>| value.owner().filter(|op| op.is(vector::TRANSFER_READ));
    let fact = |read: Op<'c>| facts.get(&read.operand(0)).copied();
    let (Some(places), Some(size)) = (read(compare.operand(0)), read(size)) else { return false };
    let Some(Fact::Index(dim)) = fact(places) else { return false };
    let map = places.attr("permutation_map").and_then(AffineMap::of);
    let is_along = map.is_some_and(|map| map.projected() == Some(vec![*dim]));
    is_along && fact(size) == Some(&Fact::Number { bound, is_exact: true })
}

/// Whether a loop counts up, and more than once.
fn is_long(each: Op<'_>) -> bool {
    let [first, last, step] = [0, 1, 2].map(|at| constant_index(each.operand(at)));
    let (Some(first), Some(last), Some(step)) = (first, last, step) else { return false };
    first >= 0 && step > 0 && last - first > step
}

/// What is known of a value of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It is the loop-carried value of this number.
    Carried(usize),
    /// All its elements are this.
    Constant(Constant),
    /// None of its elements is below the bound.
    NotBelow,
    /// None of its elements is above the bound.
    NotAbove,
    /// They are true only if the loop-carried value of this number is NaN.
    IfNan(usize),
    /// They are true only if it is not.
    IfNumber(usize),
}

/// An iteration whose counter is not below a bound.
struct Iteration<'c, 'f> {
    bound: Bound,
    facts: &'f HashMap<Value<'c>, &'f Fact>,
    each: Op<'c>,
    counter: Value<'c>,
    values: HashMap<Value<'c>, Known>,
}

impl<'c> Iteration<'c, '_> {
    /// Whether it returns the values that it is given, none of which is a tensor.
    fn keeps_its_values(mut self) -> bool {
        let each = self.each;
        let carried = &each.body(0).args()[1..];
        if carried.is_empty() || carried.iter().any(|value| value.ty().is_tensor_type()) {
            return false;
        }
        for (number, value) in carried.iter().enumerate() {
            self.values.insert(*value, Known::Carried(number));
        }
        let returned = self.run(each);
        let mut returned = returned.into_iter().enumerate();
        returned.all(|(number, value)| value == Some(Known::Carried(number)))
    }

    /// What is known of the values that the body of a loop returns.
    fn run(&mut self, each: Op<'c>) -> Vec<Option<Known>> {
        for op in each.body(0).ops() {
            if op.is(scf::FOR) {
                self.inner(op);
            } else if let [result] = op.results()[..]
                && let Some(known) = self.result(op)
            {
                self.values.insert(result, known);
            }
        }
        let end = each.body(0).terminator().map(Op::operands).unwrap_or_default();
        end.into_iter().map(|value| self.get(value)).collect()
    }

    /// A loop in the body: what it carries stays what it was if each of its iterations returns that.
    fn inner(&mut self, op: Op<'c>) {
        let starts: Vec<_> = op.operands()[3..].iter().map(|start| self.get(*start)).collect();
        for (value, start) in op.body(0).args()[1..].iter().zip(&starts) {
            if let Some(start) = start {
                self.values.insert(*value, *start);
            }
        }
        if self.run(op) == starts {
            for (result, start) in op.results().into_iter().zip(starts) {
                if let Some(start) = start {
                    self.values.insert(result, start);
                }
            }
        }
    }

    fn get(&self, value: Value<'c>) -> Option<Known> {
        let own = self.values.get(&value).copied();
        own.or_else(|| Constant::of_value(value).map(Known::Constant)).or_else(|| {
            // What a vector is made of, and what is read, once for all iterations.
            let is_one = |op: &Op<'c>| {
                let names = [tensor::EXTRACT, arith::TRUNCI, arith::INDEX_CAST];
                (op.dialect() == "vector" || names.contains(&op.name()))
                    && op.result_count() == 1
                    && !self.each.encloses(*op)
            };
            value.owner().filter(is_one).and_then(|op| self.result(op))
        })
    }

    fn result(&self, op: Op<'c>) -> Option<Known> {
        match op.name() {
            tensor::EXTRACT | vector::TRANSFER_READ => self.read(op),
            vector::BROADCAST | vector::SHAPE_CAST | vector::EXTRACT | vector::TRANSPOSE => {
                self.get(op.operand(0))
            }
            _ => arithmetic(op, self.bound, |value| self.get(value)),
        }
    }

    /// What is read at a place that follows from the counter.
    fn read(&self, op: Op<'c>) -> Option<Known> {
        let mut at = op.operand(0);
        let rank = at.ty().rank()?;
        // What is read beyond a tensor is another value.
        let is_masked = op.is(vector::TRANSFER_READ) && op.operand_count() > rank + 2;
        let is_inside = op.result(0).ty().rank().is_none_or(|rank| rank == 0)
            || op.attr("in_bounds")?.as_array()?.into_iter().all(|one| one.as_bool() == Some(true));
        if is_masked || !is_inside {
            return None;
        }
        let mut is_beyond = vec![false; rank];
        for (dim, index) in op.operands()[1..].iter().take(rank).enumerate() {
            is_beyond[dim] = is_from(*index, self.counter);
        }
        // Slices that begin at the counter, or of which what follows it is read.
        while let Some(owner) = at.owner().filter(|owner| owner.is(tensor::EXTRACT_SLICE)) {
            let starts = offsets(owner).filter(|starts| starts.len() == rank)?;
            if owner.operand(0).ty().rank() != Some(rank) {
                return None;
            }
            for (is_beyond, start) in is_beyond.iter_mut().zip(starts) {
                *is_beyond = *is_beyond && start.is_not_negative() || start.is_from(self.counter);
            }
            at = owner.operand(0);
        }
        // A panel of an operand has what that has at the same places.
        if !self.facts.contains_key(&at) {
            let beyond = (0..rank).filter(|dim| is_beyond[*dim]);
            let mut known = beyond.filter_map(|dim| {
                let (source, dim) = copies::source(at, dim)?;
                self.at(source, &|other| other == dim)
            });
            return known.next();
        }
        self.at(at, &|dim| is_beyond[dim])
    }

    /// What is known of elements of a tensor that are beyond the bound in some dimensions.
    fn at(&self, tensor: Value<'c>, is_beyond: &dyn Fn(usize) -> bool) -> Option<Known> {
        let is_there = |list: &[(usize, Bound)]| {
            list.iter().any(|(dim, bound)| *bound == self.bound && is_beyond(*dim))
        };
        match self.facts.get(&tensor)? {
            Fact::Number { bound, .. } => (*bound == self.bound).then_some(Known::NotAbove),
            Fact::Index(dim) => is_beyond(*dim).then_some(Known::NotBelow),
            Fact::Below(list) => is_there(list).then_some(Known::Constant(Constant::Integer(0))),
            Fact::Filled(list, constant) => is_there(list).then_some(Known::Constant(*constant)),
        }
    }
}

/// What arithmetic makes of values of an iteration whose counter is not below a bound.
pub(super) fn arithmetic<'c>(
    op: Op<'c>,
    bound: Bound,
    known: impl Fn(Value<'c>) -> Option<Known>,
) -> Option<Known> {
    let of = |index: usize| known(op.operand(index));
    let is_zero =
        |index: usize| matches!(of(index), Some(Known::Constant(constant)) if constant.is_zero());
    // The operand beside one that changes nothing.
    let beside = |is_neutral: &dyn Fn(Constant) -> bool| {
        let neutral = |index: usize| matches!(of(index), Some(Known::Constant(constant)) if is_neutral(constant));
        match (neutral(0), neutral(1)) {
            (_, true) => of(0),
            (true, _) => of(1),
            _ => None,
        }
    };
    let float = |number: f64| Constant::Float(number.to_bits());
    let is_float = |number: f64| move |constant| constant == float(number);
    // The least integer of the type, and the greatest.
    let least = |value: Value<'c>| {
        let bits = value.ty().element().bit_width().filter(|bits| (1..=64).contains(bits));
        bits.map(|bits| i64::MIN >> (64 - bits))
    };
    let integer = |number: Option<i64>| {
        move |constant| number.is_some_and(|number| constant == Constant::Integer(number))
    };
    if let Some(constant) = key_of_infinity(op, &of) {
        return Some(Known::Constant(constant));
    }
    match op.name() {
        arith::INDEX_CAST | arith::TRUNCI | arith::EXTSI | arith::EXTUI => {
            let bits = op.result(0).ty().element().bit_width();
            let is_wide = bits.is_none_or(|bits| bits >= 32);
            of(0).filter(|known| match known {
                Known::Constant(constant) => constant.is_zero(),
                Known::Carried(_) | Known::IfNan(_) | Known::IfNumber(_) => false,
                Known::NotBelow => is_wide,
                Known::NotAbove => is_wide && (!op.is(arith::EXTUI) || bound.is_size()),
            })
        }
        // Numbers that several types have.
        arith::EXTF | arith::TRUNCF => of(0).filter(|known| {
            is_zero(0)
                || [f64::INFINITY, f64::NEG_INFINITY, 1.0]
                    .into_iter()
                    .any(|number| *known == Known::Constant(float(number)))
        }),
        arith::CMPI => {
            let predicate = CmpIPredicate::of(op.attr("predicate")?)?;
            let is = |number: Option<i64>| {
                of(0)
                    .filter(|known| {
                        number.is_some_and(|number| {
                            *known == Known::Constant(Constant::Integer(number))
                        })
                    })
                    .is_some()
            };
            let least = least(op.operand(0));
            let is_false = match predicate {
                CmpIPredicate::Slt => {
                    (of(0), of(1)) == (Some(Known::NotBelow), Some(Known::NotAbove))
                        || is(least.map(|least| !least))
                }
                CmpIPredicate::Ne => is_zero(0) && is_zero(1),
                // Nothing is beyond the ends of the type.
                CmpIPredicate::Sgt => is(least),
                CmpIPredicate::Ugt => is_zero(0),
                CmpIPredicate::Ult => is(Some(-1)),
                _ => false,
            };
            is_false.then_some(Known::Constant(Constant::Integer(0)))
        }
        arith::CMPF => match (CmpFPredicate::of(op.attr("predicate")?)?, of(0)?, of(1)?) {
            (CmpFPredicate::Ord, Known::Carried(own), Known::Carried(other)) => {
                (own == other).then_some(Known::IfNumber(own))
            }
            (CmpFPredicate::Ugt, Known::Constant(constant), Known::Carried(own)) => {
                (constant == float(f64::NEG_INFINITY)).then_some(Known::IfNan(own))
            }
            (CmpFPredicate::Ult, Known::Constant(constant), Known::Carried(own)) => {
                (constant == float(f64::INFINITY)).then_some(Known::IfNan(own))
            }
            _ => None,
        },
        arith::ANDI if are_opposite(of(0), of(1)) => Some(Known::Constant(Constant::Integer(0))),
        arith::SELECT if is_zero(0) => of(2),
        arith::ANDI | arith::MULI if is_zero(0) => of(0),
        arith::ANDI | arith::MULI if is_zero(1) => of(1),
        arith::MULI => beside(&integer(Some(1))),
        // Zeros only: others may be infinite. A product with one is the same in every bit, but for what a NaN carries.
        arith::MULF if is_zero(0) && is_zero(1) => of(0),
        arith::MULF => beside(&is_float(1.0)),
        arith::SUBF => of(0).filter(|_| is_zero(0) && is_zero(1)),
        math::FMA | narrow::MATMUL => of(2).filter(|_| is_zero(0) && is_zero(1)),
        _ if keeps_zero(op) => of(0).filter(|_| is_zero(0)),
        arith::ADDF | arith::ADDI | arith::ORI | arith::XORI => beside(&Constant::is_zero),
        // Not `maxnumf`, which makes an infinity of a NaN.
        arith::MAXIMUMF => beside(&is_float(f64::NEG_INFINITY)),
        arith::MINIMUMF => beside(&is_float(f64::INFINITY)),
        arith::MAXSI => beside(&integer(least(op.result(0)))),
        arith::MINSI => beside(&integer(least(op.result(0)).map(|least| !least))),
        arith::MAXUI => beside(&Constant::is_zero),
        arith::MINUI => beside(&integer(Some(-1))),
        _ => None,
    }
}

/// What is made of an infinity of 16 bits where numbers are compared as integers.
fn key_of_infinity(op: Op<'_>, of: &dyn Fn(usize) -> Option<Known>) -> Option<Constant> {
    let element = op.results().first()?.ty().element();
    if !element.is_int() || element.bit_width() != Some(16) {
        return None;
    }
    let integer = |index: usize| match of(index) {
        Some(Known::Constant(Constant::Integer(number))) => i16::try_from(number).ok(),
        _ => None,
    };
    let number = match op.name() {
        arith::BITCAST => {
            let Some(Known::Constant(Constant::Float(bits))) = of(0) else { return None };
            let from = ElementType::from_type(op.operand(0).ty().element());
            let (number, is_bf16) = (f64::from_bits(bits), from == Some(ElementType::BFloat16));
            let infinity = if is_bf16 { 0x7f80 } else { 0x7c00 };
            match number.is_infinite() {
                true if number < 0.0 => i16::MIN | infinity,
                true => infinity,
                false => return None,
            }
        }
        arith::SHRSI => integer(0)? >> integer(1).filter(|by| (0..16).contains(by))?,
        arith::ANDI => integer(0)? & integer(1)?,
        arith::XORI => integer(0)? ^ integer(1)?,
        arith::ADDI => integer(0)?.wrapping_add(integer(1)?),
        arith::SUBI => integer(0)?.wrapping_sub(integer(1)?),
        _ => return None,
    };
    Some(Constant::Integer(number.into()))
}

/// Whether one boolean is true only where the other one is false.
fn are_opposite(one: Option<Known>, other: Option<Known>) -> bool {
    match (one, other) {
        (Some(Known::IfNan(own)), Some(Known::IfNumber(other)))
        | (Some(Known::IfNumber(own)), Some(Known::IfNan(other))) => own == other,
        _ => false,
    }
}
