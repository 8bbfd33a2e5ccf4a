//! Follows integer arithmetic on sizes through a program, which is read, not changed: from the entry through calls, and through
//! regions once.

mod gathered;
mod required;
mod rounding;

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
};

use strata_ir::{
    AttributeExt as _, Block, ComparisonDirection, DYNAMIC, Op, OpKind, Type, TypeExt as _, Value,
    func,
};
use strata_shapes::{Constraint, DimExpr, Domain, Interval};

use super::shapes::Known as _;
use crate::{interop::custom_call::target, pattern::constant};

/// Nested calls deeper than this are not followed: exporters nest a few.
const DEEPEST: usize = 32;

/// No more operations than this are gone through: what calls multiply ends somewhere.
const MOST_OPERATIONS: usize = 1 << 20;

/// No longer lists of numbers than this are followed.
const LONGEST: usize = 64;

/// The attribute with the name that JAX gives to an argument that holds a size.
const GLOBAL_CONSTANT: &str = "jax.global_constant";

/// An integer or boolean value: one entry for each element, `None` for what is not followed.
#[derive(Clone)]
enum Known {
    Sizes(Vec<Option<DimExpr>>),
    Conditions(Vec<Constraint>),
}

/// A number that the program computes from sizes, with the smallest and the largest number that its type has.
type Fit = (DimExpr, i64, i64);

/// The walk through the program.
pub struct Walk<'c> {
    functions: HashMap<&'c str, Op<'c>>,
    known: HashMap<Value<'c>, Known>,
    /// The input that a value is, for sizes of its dimensions.
    inputs: HashMap<Value<'c>, usize>,
    /// What an argument of a function is in the call that is followed.
    passed: HashMap<Value<'c>, Value<'c>>,
    /// Sizes of dimensions that were found out otherwise.
    dimensions: HashMap<(Value<'c>, usize), DimExpr>,
    /// What is known of the values of variables.
    pub domain: Domain,
    /// Names that the program gives to sizes.
    pub named: Vec<(String, DimExpr)>,
    /// What has to fit for that to be the elements of a value; nothing for values that are not listed.
    assumed: HashMap<Value<'c>, BTreeSet<Fit>>,
    /// The same of all values that were asked for: of others, numbers that wrap around do not matter.
    fits: RefCell<BTreeSet<Fit>>,
    /// What it asserts, with its messages.
    pub constraints: Vec<(Constraint, String)>,
    visited: usize,
    /// The number of regions around the operation that is gone through, in which it may not run.
    regions: usize,
}

impl<'c> Walk<'c> {
    /// Through the entry and the functions that it calls.
    pub fn of(entry: Op<'c>, functions: HashMap<&'c str, Op<'c>>) -> Self {
        let mut walk = Self { functions, ..Self::stepping(Domain::default()) };
        if let Some(block) = entry.region(0).first_block() {
            let arguments = block.args().into_iter().enumerate();
            walk.inputs = arguments.map(|(at, value)| (value, at)).collect();
            walk.block(block, 0);
        }
        walk
    }

    /// Through operations one by one, by [`Self::step`]; `domain` says what is known of variables.
    pub fn stepping(domain: Domain) -> Self {
        Self {
            functions: HashMap::new(),
            known: HashMap::new(),
            inputs: HashMap::new(),
            passed: HashMap::new(),
            dimensions: HashMap::new(),
            domain,
            named: Vec::new(),
            assumed: HashMap::new(),
            fits: RefCell::default(),
            constraints: Vec::new(),
            visited: 0,
            regions: 0,
        }
    }

    /// The size of a dimension.
    pub fn set_dimension(&mut self, value: Value<'c>, dim: usize, size: DimExpr) {
        self.dimensions.insert((value, dim), size);
    }

    /// Follows one operation, not its regions.
    pub fn step(&mut self, op: Op<'c>) {
        // The function may have been called before.
        op.results().into_iter().for_each(|result| self.forget(result));
        let Some(mut known) = self.result(op) else { return };
        let of_operands = op.operands().into_iter().filter_map(|of| self.assumed.get(&of));
        let mut assumed: BTreeSet<Fit> = of_operands.flatten().cloned().collect();
        if let (Known::Sizes(sizes), Some((low, high))) =
            (&mut known, numbers_of(op.result(0).ty().element()))
        {
            for entry in sizes.iter_mut() {
                match entry.as_ref().map(DimExpr::as_constant) {
                    // Arithmetic wraps around.
                    Some(Some(number)) if number < low || number > high => *entry = None,
                    Some(None) => {
                        let open = entry.clone().filter(|size| !self.fits_between(size, low, high));
                        assumed.extend(open.map(|size| (size, low, high)));
                    }
                    _ => {}
                }
            }
        }
        if !assumed.is_empty() {
            self.assumed.insert(op.result(0), assumed);
        }
        self.known.insert(op.result(0), known);
    }

    /// Forgets what was known of a value.
    fn forget(&mut self, value: Value<'c>) {
        self.known.remove(&value);
        self.assumed.remove(&value);
    }

    /// Notes that `value` is what `of` is, as far as that is assumed.
    fn assume_as(&mut self, value: Value<'c>, of: Value<'c>) {
        if let Some(assumed) = self.assumed.get(&of).cloned() {
            self.assumed.insert(value, assumed);
        }
    }

    fn fits_between(&self, size: &DimExpr, low: i64, high: i64) -> bool {
        self.domain.is_at_least(size, low) && self.domain.is_at_most(size, high)
    }

    /// Notes what has to fit for this value to be what is known of it.
    fn ask(&self, value: Value<'c>) {
        if let Some(assumed) = self.assumed.get(&value) {
            self.fits.borrow_mut().extend(assumed.iter().cloned());
        }
    }

    /// Conditions under which no arithmetic wraps around on the way to sizes that were asked for, as far as these are not known to hold.
    pub fn conditions(&self) -> Vec<Constraint> {
        let mut conditions = Vec::new();
        for (size, low, high) in self.fits.borrow().iter() {
            if !self.domain.is_at_least(size, *low) {
                let above = size.minus(&DimExpr::constant(*low));
                conditions.extend(above.map(Constraint::NotNegative));
            }
            if !self.domain.is_at_most(size, *high) {
                let below = DimExpr::constant(*high).minus(size);
                conditions.extend(below.map(Constraint::NotNegative));
            }
        }
        conditions
    }

    /// Whether a condition is followed.
    pub fn is_condition(&self, value: Value<'c>) -> bool {
        self.ask(value);
        matches!(self.known.get(&value), Some(Known::Conditions(_)))
    }

    /// Goes through a block; the values of its terminator.
    fn block(&mut self, block: Block<'c>, depth: usize) -> Vec<Option<Known>> {
        for op in block.ops() {
            self.visited += 1;
            if self.visited > MOST_OPERATIONS {
                return Vec::new();
            }
            if op.is(func::CALL) {
                self.call(op, depth);
            } else if target(op) == "shape_assertion" && op.kind() == OpKind::CustomCall {
                self.assertion(op);
            } else {
                self.step(op);
                self.infer(op);
                if self.regions == 0 {
                    self.require(op);
                }
            }
            if depth < DEEPEST {
                self.regions += 1;
                for region in op.regions() {
                    region
                        .blocks()
                        .into_iter()
                        .for_each(|block| drop(self.block(block, depth + 1)));
                }
                self.regions -= 1;
            }
        }
        let returned = block.terminator().map(|end| end.operands()).unwrap_or_default();
        returned.into_iter().map(|value| self.known.get(&value).cloned()).collect()
    }

    fn call(&mut self, op: Op<'c>, depth: usize) {
        let callee = op.attr("callee").and_then(|name| name.as_symbol());
        let function = callee.and_then(|name| self.functions.get(name).copied());
        let Some(block) = function.and_then(|function| function.region(0).first_block()) else {
            return;
        };
        let named = function.and_then(|function| function.attr("arg_attrs"));
        let named = named.and_then(|list| list.as_array()).unwrap_or_default();
        for (index, (argument, operand)) in block.args().into_iter().zip(op.operands()).enumerate()
        {
            // The function may have been called before.
            self.forget(argument);
            self.inputs.remove(&argument);
            self.passed.insert(argument, operand);
            if let Some(input) = self.inputs.get(&operand).copied() {
                self.inputs.insert(argument, input);
            }
            let sizes = self.dims(operand).unwrap_or_default();
            self.set_dimensions(argument, sizes);
            let Some(known) = self.known.get(&operand).cloned() else { continue };
            if let (Known::Sizes(sizes), Some(attributes)) = (&known, named.get(index)) {
                let name = attributes.entry(GLOBAL_CONSTANT).and_then(|name| name.as_str());
                let name = name.filter(|name| !name.is_empty());
                if let (Some(name), [Some(size)]) = (name, &sizes[..]) {
                    self.name(name, size);
                }
            }
            self.known.insert(argument, known);
            self.assume_as(argument, operand);
        }
        op.results().into_iter().for_each(|result| self.forget(result));
        if depth < DEEPEST {
            let returned = self.block(block, depth + 1);
            for (result, known) in op.results().into_iter().zip(returned) {
                if let Some(known) = known {
                    self.known.insert(result, known);
                }
            }
            let returned = block.terminator().map(|end| end.operands()).unwrap_or_default();
            for (result, value) in op.results().into_iter().zip(returned) {
                self.assume_as(result, value);
                let sizes = self.dims(value).unwrap_or_default();
                self.set_dimensions(result, sizes);
            }
        }
    }

    fn name(&mut self, name: &str, size: &DimExpr) {
        let is_new = self.named.iter().all(|(old, of)| old != name && of != size);
        if is_new && size.as_constant().is_none() {
            self.named.push((name.to_owned(), size.clone()));
        }
    }

    fn assertion(&mut self, op: Op<'c>) {
        let Some(Known::Conditions(truths)) =
            op.operands().first().and_then(|of| self.known.get(of))
        else {
            return;
        };
        let message = op.attr("error_message").and_then(|text| text.as_str()).unwrap_or_default();
        for truth in truths.clone() {
            if let Constraint::NotNegative(size) = &truth {
                let variables = size.variables();
                let alone = variables.first().copied().filter(|_| variables.len() == 1);
                let bound = size.value(&|_| Some(0)).map(|number| -number);
                if let (Some(one), Some(bound)) = (alone, bound)
                    && size.linear_factor(one) == Some(1)
                {
                    let known = self.domain.interval(one);
                    let low = known.low.max(Some(bound));
                    self.domain.set(one, Interval { low, ..known });
                }
            }
            self.constraints.push((truth, message.to_owned()));
        }
    }

    /// The elements of an integer value, in terms of dimensions of inputs, which hold under [`Self::conditions`].
    pub fn numbers(&self, value: Value<'c>) -> Option<&[Option<DimExpr>]> {
        self.ask(value);
        self.sizes(value)
    }

    /// The same, for other values.
    fn sizes(&self, value: Value<'c>) -> Option<&[Option<DimExpr>]> {
        match self.known.get(&value)? {
            Known::Sizes(sizes) => Some(sizes),
            Known::Conditions(_) => None,
        }
    }

    /// The only result of an operation on sizes.
    fn result(&self, op: Op<'c>) -> Option<Known> {
        if op.result_count() != 1 {
            return None;
        }
        let ty = op.result(0).ty();
        let count = ty.element_count().filter(|count| *count <= LONGEST as u64)? as usize;
        if !ty.element().is_int() {
            return None;
        }
        let operand = |index| op.operands().get(index).copied();
        match op.kind() {
            OpKind::Constant => constant_of(op),
            OpKind::GetDimensionSize => self.dimension_size(op),
            OpKind::Convert | OpKind::Reshape => self.known.get(&operand(0)?).cloned(),
            OpKind::BroadcastInDim => self.broadcast(op, count),
            OpKind::Concatenate => {
                let part = |part: Value<'c>| {
                    let count = part.ty().element_count()? as usize;
                    Some(self.sizes(part).map_or_else(|| vec![None; count], <[_]>::to_vec))
                };
                let parts = op.operands().into_iter().map(part).collect::<Option<Vec<_>>>()?;
                Some(Known::Sizes(parts.concat()))
            }
            OpKind::Slice => {
                let bound = |name| op.attr(name)?.as_i64s()?.first().copied();
                let [first, limit, stride] =
                    [bound("start_indices")?, bound("limit_indices")?, bound("strides")?];
                (ty.rank() == Some(1)).then_some(())?;
                let sizes = self.sizes(operand(0)?)?;
                let picked = sizes.get(first as usize..limit as usize)?;
                Some(Known::Sizes(picked.iter().step_by(stride as usize).cloned().collect()))
            }
            OpKind::Gather => self.gathered(op),
            OpKind::Compare => self.compare(op),
            OpKind::Select => self.select(op),
            OpKind::And => {
                let [Known::Conditions(a), Known::Conditions(b)] =
                    [self.known.get(&operand(0)?)?, self.known.get(&operand(1)?)?]
                else {
                    return None;
                };
                let both = a.iter().zip(b).map(|(a, b)| a.clone().and(b.clone()));
                Some(Known::Conditions(both.collect()))
            }
            OpKind::Not => match self.known.get(&operand(0)?)? {
                Known::Conditions(list) => Some(Known::Conditions(
                    list.iter().cloned().map(Constraint::opposite).collect::<Option<_>>()?,
                )),
                Known::Sizes(_) => None,
            },
            OpKind::Sign | OpKind::Negate | OpKind::Abs => {
                let size = |size: &Option<DimExpr>| self.unary(op.kind(), size.as_ref()?);
                Some(Known::Sizes(self.sizes(operand(0)?)?.iter().map(size).collect()))
            }
            OpKind::Clamp => {
                let all: Vec<_> = op.operands().iter().map(|of| self.sizes(*of)).collect();
                let [Some(low), Some(of), Some(high)] = all[..] else { return None };
                let at = |list: &[Option<DimExpr>], index: usize| {
                    list.get(if list.len() == 1 { 0 } else { index })?.clone()
                };
                let clamped =
                    |index| at(of, index)?.maximum(&at(low, index)?)?.minimum(&at(high, index)?);
                Some(Known::Sizes((0..of.len()).map(clamped).collect()))
            }
            _ => {
                let (left, right) = (self.sizes(operand(0)?)?, self.sizes(operand(1)?)?);
                let pair = |(left, right): (&Option<DimExpr>, &Option<DimExpr>)| {
                    self.binary(op.kind(), left.as_ref()?, right.as_ref()?)
                };
                Some(Known::Sizes(left.iter().zip(right).map(pair).collect()))
            }
        }
    }

    fn dimension_size(&self, op: Op<'c>) -> Option<Known> {
        let value = op.operand(0);
        let dim = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
        let size = match *value.ty().shape()?.get(dim)? {
            // A value that is padded has the size that is valid, not that of its type.
            size if size != DYNAMIC && !self.dimensions.contains_key(&(value, dim)) => {
                DimExpr::constant(size)
            }
            _ => self.dimension(value, dim)?,
        };
        Some(Known::Sizes(vec![Some(size)]))
    }

    fn broadcast(&self, op: Op<'c>, count: usize) -> Option<Known> {
        match self.known.get(&op.operand(0))? {
            Known::Sizes(sizes) if sizes.len() == 1 => {
                Some(Known::Sizes(vec![sizes[0].clone(); count]))
            }
            Known::Conditions(truths) if truths.len() == 1 => {
                Some(Known::Conditions(vec![truths[0].clone(); count]))
            }
            known => {
                let same = op.operand(0).ty().shape() == op.result(0).ty().shape();
                same.then(|| known.clone())
            }
        }
    }

    fn unary(&self, kind: OpKind, size: &DimExpr) -> Option<DimExpr> {
        match kind {
            OpKind::Sign if self.domain.is_positive(size) => Some(DimExpr::constant(1)),
            OpKind::Sign => Some(size.sign()),
            OpKind::Negate => size.times(&DimExpr::constant(-1)),
            OpKind::Abs => self.domain.is_at_least(size, 0).then(|| size.clone()),
            _ => None,
        }
    }

    fn binary(&self, kind: OpKind, left: &DimExpr, right: &DimExpr) -> Option<DimExpr> {
        // Division rounds to zero, which is down where nothing is negative.
        let divides = || self.domain.is_at_least(left, 0) && self.domain.is_positive(right);
        match kind {
            OpKind::Add => left.plus(right),
            OpKind::Subtract => left.minus(right),
            OpKind::Multiply => left.times(right),
            OpKind::Divide => divides().then(|| left.floordiv(right)).flatten(),
            OpKind::Remainder => divides().then(|| left.modulo(right)).flatten(),
            OpKind::Maximum => left.maximum(right),
            OpKind::Minimum => left.minimum(right),
            _ => None,
        }
    }

    fn compare(&self, op: Op<'c>) -> Option<Known> {
        let direction = op.attr("comparison_direction");
        let direction = direction.and_then(ComparisonDirection::from_attribute)?;
        let truths = match [self.known.get(&op.operand(0))?, self.known.get(&op.operand(1))?] {
            [Known::Sizes(left), Known::Sizes(right)] => {
                let pair = |(left, right): (&Option<DimExpr>, &Option<DimExpr>)| {
                    Constraint::compared(direction, left.as_ref()?, right.as_ref()?, &self.domain)
                };
                left.iter().zip(right).map(pair).collect::<Option<_>>()?
            }
            [Known::Conditions(left), Known::Conditions(right)] => {
                let same =
                    |(left, right): (&Constraint, &Constraint)| match (left, right, direction) {
                        (Constraint::Known(a), Constraint::Known(b), ComparisonDirection::Ne) => {
                            Some(Constraint::Known(a != b))
                        }
                        (Constraint::Known(a), Constraint::Known(b), ComparisonDirection::Eq) => {
                            Some(Constraint::Known(a == b))
                        }
                        _ => None,
                    };
                left.iter().zip(right).map(same).collect::<Option<_>>()?
            }
            _ => return None,
        };
        Some(Known::Conditions(truths))
    }

    fn select(&self, op: Op<'c>) -> Option<Known> {
        let conditions = match self.known.get(&op.operand(0)) {
            Some(Known::Conditions(conditions)) => &conditions[..],
            _ => &[],
        };
        match conditions {
            [Constraint::Known(holds)] => {
                let picked = op.operand(if *holds { 1 } else { 2 });
                self.known.get(&picked).cloned()
            }
            _ => self.rounded_down(op),
        }
    }

    /// The value that was passed to a function for this one.
    fn origin(&self, mut value: Value<'c>) -> Value<'c> {
        for _ in 0..DEEPEST {
            match self.passed.get(&value) {
                Some(outer) => value = *outer,
                None => break,
            }
        }
        value
    }

    /// The operation of that kind that computes a value, also if it is passed to a function.
    fn computed(&self, value: Value<'c>, kind: OpKind) -> Option<Op<'c>> {
        self.origin(value).owner().filter(|op| op.kind() == kind)
    }

    /// Whether `value` is a comparison of two numbers that `is_pair` accepts.
    fn is_comparison(
        &self,
        value: Value<'c>,
        direction: ComparisonDirection,
        is_pair: &dyn Fn(Value<'c>, Value<'c>) -> bool,
    ) -> bool {
        self.computed(value, OpKind::Compare).is_some_and(|op| {
            let own = op.attr("comparison_direction");
            own.and_then(ComparisonDirection::from_attribute) == Some(direction)
                && is_pair(op.operand(0), op.operand(1))
        })
    }

    /// The sign of a number that has the same for all sizes.
    fn sign(&self, size: &DimExpr) -> Option<i64> {
        let opposite = size.times(&DimExpr::constant(-1))?;
        let is_positive = |size: &DimExpr| self.domain.is_positive(size);
        match size.as_constant() {
            Some(number) => Some(number.signum()),
            None if is_positive(size) => Some(1),
            None => is_positive(&opposite).then_some(-1),
        }
    }

    fn is_number(&self, value: Value<'c>, number: i64) -> bool {
        matches!(self.sizes(value), Some([Some(size)]) if size.as_constant() == Some(number))
    }

    fn is_same(&self, left: Value<'c>, right: Value<'c>) -> bool {
        let number = |value| match self.sizes(value) {
            Some([Some(size)]) => Some(size),
            _ => None,
        };
        self.origin(left) == self.origin(right)
            || number(left).is_some() && number(left) == number(right)
    }
}

/// The smallest and the largest number of an integer type; those that 64 bits have where there are more.
pub fn numbers_of(element: Type<'_>) -> Option<(i64, i64)> {
    let width = element.bit_width().filter(|_| element.is_int())?;
    Some(match (element.is_unsigned_int(), width) {
        (_, 0) => return None,
        (true, 1..=62) => (0, (1 << width) - 1),
        (true, _) => (0, i64::MAX),
        (false, 1..=63) => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        (false, _) => (i64::MIN, i64::MAX),
    })
}

/// The numbers or booleans of a constant.
fn constant_of(op: Op<'_>) -> Option<Known> {
    let result = op.result(0);
    let value = constant(result).ok()?;
    if result.ty().element().bit_width() == Some(1) {
        let one = value.raw_elements()?;
        return Some(Known::Conditions(
            one.into_iter().map(|bit| Constraint::Known(bit != 0)).collect(),
        ));
    }
    let sizes = value.as_i64s()?.into_iter().map(|size| Some(DimExpr::constant(size)));
    Some(Known::Sizes(sizes.collect()))
}
