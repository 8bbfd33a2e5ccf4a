//! The symbols that the sizes of a program's inputs are expressed by, and what the program asserts of them.
//!
//! The program is read, not changed: its integer arithmetic on sizes is followed from the entry through calls. Symbols have the
//! names that the exporter gave to the values (`jax.global_constant`); a dimension without one is called by input and index.
//!
//! ```text
//! %n = get_dimension_size %x, dim = 0
//! %q, %r = call @divmod(%n, 2)
//! custom_call @shape_assertion(%r == 0, …)       n is d / 2, so d is 2*n
//! call @_wrapped(%q) with the argument named "n"
//! ```

use std::collections::{BTreeMap, HashMap};

use strata_ir::{
    AttributeExt as _, Block, ComparisonDirection, DYNAMIC, Module, Op, OpKind, TypeExt as _,
    Value, func, function_name, module_op, program_names,
};

use strata_ir::sizes::{Size, Truth, Variable};

use crate::{interop::custom_call::target, pattern::constant};

/// Nested calls deeper than this are not followed: exporters nest a few.
const DEEPEST: usize = 32;

/// No more operations than this are gone through: what calls multiply ends somewhere.
const MOST_OPERATIONS: usize = 1 << 20;

/// No longer lists of numbers than this are followed.
const LONGEST: usize = 64;

/// The attribute with the name that JAX gives to an argument that holds a size.
const GLOBAL_CONSTANT: &str = "jax.global_constant";

/// What the sizes of the inputs depend on.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// The names of the symbols.
    pub names: Vec<String>,
    /// The name of each input, for readers.
    pub inputs: Vec<String>,
    /// For each input the sizes of its dimensions, as expressions of symbols; empty for what is not a tensor.
    pub shapes: Vec<Vec<Size>>,
    /// What the program asserts of the symbols, with its message.
    pub constraints: Vec<(Truth, String)>,
    /// The value of each symbol in terms of dimensions of inputs.
    pub values: Vec<Size>,
}

/// An integer or boolean value: one entry for each element, `None` for what is not followed.
#[derive(Clone)]
enum Known {
    Sizes(Vec<Option<Size>>),
    Truths(Vec<Truth>),
}

/// The walk through the program.
pub struct Walk<'c> {
    functions: HashMap<&'c str, Op<'c>>,
    known: HashMap<Value<'c>, Known>,
    /// The input that a value is, for sizes of its dimensions.
    inputs: HashMap<Value<'c>, usize>,
    least: BTreeMap<Variable, i64>,
    named: Vec<(String, Size)>,
    constraints: Vec<(Truth, String)>,
    visited: usize,
}

impl Symbols {
    /// Those of the entry.
    pub fn of<'c>(module: &Module<'c>, entry: Op<'c>) -> Self {
        let functions = module_op(module).body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
        let functions = functions.map(|op| (function_name(op), op)).collect();
        let walk = Walk::of(entry, functions);
        let arguments = entry.region(0).first_block().map(|block| block.args()).unwrap_or_default();
        let [names, _] = program_names(entry, arguments.len(), 0);
        let name = |index: usize| {
            let given = names.get(index).filter(|name| !name.is_empty());
            given.cloned().unwrap_or_else(|| format!("input{index}"))
        };
        let names: Vec<String> = (0..arguments.len()).map(name).collect();
        let shapes: Vec<Vec<i64>> =
            arguments.iter().map(|value| value.ty().shape().unwrap_or_default()).collect();
        let mut solver = Solver::new(names, &shapes, &walk);
        solver.solve();
        solver.finish(&shapes, &walk)
    }

    /// The name of a symbol.
    pub fn name(&self, variable: Variable) -> String {
        match variable {
            Variable::Symbol(index) => self.names.get(index).cloned().unwrap_or_default(),
            Variable::Dimension(input, dim) => format!("{}.{dim}", self.inputs[input]),
        }
    }

    /// The sizes of an input's dimensions as text: `2*n`, `8`.
    pub fn shape_texts(&self, input: usize) -> Vec<String> {
        self.shapes[input].iter().map(|size| size.text(&|variable| self.name(variable))).collect()
    }

    /// The shape of an input as text: `2*n x 8`.
    pub fn shape_text(&self, input: usize) -> String {
        self.shape_texts(input).join(" x ")
    }

    /// What the program asserts, as text.
    pub fn constraint_texts(&self) -> Vec<String> {
        let text = |(truth, _): &(Truth, String)| truth.text(&|variable| self.name(variable));
        self.constraints.iter().map(text).collect()
    }

    /// The shapes of inputs where symbols have these values; `None` for a size that is unknown, negative or overflows.
    pub fn shapes_at(&self, value: &impl Fn(usize) -> Option<i64>) -> Vec<Vec<Option<i64>>> {
        let of = |variable| match variable {
            Variable::Symbol(index) => value(index),
            Variable::Dimension(..) => None,
        };
        let size = |size: &Size| size.value(&of).filter(|size| *size >= 0);
        self.shapes.iter().map(|shape| shape.iter().map(size).collect()).collect()
    }
}

impl Symbols {
    /// The same with some symbols replaced by their values.
    pub fn bound(&self, values: &[(String, i64)]) -> Self {
        let by = |variable| match variable {
            Variable::Symbol(index) => {
                let name = self.names.get(index)?;
                let value = values.iter().find(|(bound, _)| bound == name);
                Some(
                    value
                        .map_or_else(|| Size::variable(variable), |(_, value)| Size::known(*value)),
                )
            }
            Variable::Dimension(..) => Some(Size::variable(variable)),
        };
        let size = |size: &Size| size.replaced(&by).unwrap_or_else(|| size.clone());
        let shape = |shape: &Vec<Size>| shape.iter().map(size).collect();
        let constraints = self.constraints.iter().filter_map(|(truth, message)| {
            let truth = truth.replaced(&by, &|_| 0)?;
            (truth != Truth::Known(true)).then(|| (truth, message.clone()))
        });
        Self {
            shapes: self.shapes.iter().map(shape).collect(),
            constraints: constraints.collect(),
            ..self.clone()
        }
    }

    /// The shapes of the inputs where symbols have these values; `None` if these violate what the program asserts.
    pub fn shapes_for(&self, values: &[i64]) -> Option<Vec<Vec<i64>>> {
        let value = |variable| match variable {
            Variable::Symbol(index) => values.get(index).copied(),
            Variable::Dimension(..) => None,
        };
        let holds = self.constraints.iter().all(|(truth, _)| truth.holds(&value) == Some(true));
        let shapes = self.shapes_at(&|index| values.get(index).copied());
        let shapes = shapes.into_iter().map(|shape| shape.into_iter().collect());
        holds.then(|| shapes.collect::<Option<_>>()).flatten()
    }
}

impl<'c> Walk<'c> {
    fn of(entry: Op<'c>, functions: HashMap<&'c str, Op<'c>>) -> Self {
        let mut walk = Self {
            functions,
            known: HashMap::new(),
            inputs: HashMap::new(),
            least: BTreeMap::new(),
            named: Vec::new(),
            constraints: Vec::new(),
            visited: 0,
        };
        if let Some(block) = entry.region(0).first_block() {
            let arguments = block.args().into_iter().enumerate();
            walk.inputs = arguments.map(|(at, value)| (value, at)).collect();
            walk.block(block, 0);
        }
        walk
    }

    /// Through a function without calls.
    pub fn inlined(entry: Op<'c>) -> Self {
        Self::of(entry, HashMap::new())
    }

    fn least(&self) -> impl Fn(Variable) -> i64 {
        let least = self.least.clone();
        move |variable| least.get(&variable).copied().unwrap_or(0)
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
            } else if let Some(known) = self.result(op) {
                self.known.insert(op.result(0), known);
            }
            if depth < DEEPEST {
                for region in op.regions() {
                    region
                        .blocks()
                        .into_iter()
                        .for_each(|block| drop(self.block(block, depth + 1)));
                }
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
            self.known.remove(&argument);
            self.inputs.remove(&argument);
            if let Some(input) = self.inputs.get(&operand).copied() {
                self.inputs.insert(argument, input);
            }
            let Some(known) = self.known.get(&operand).cloned() else { continue };
            if let (Known::Sizes(sizes), Some(attributes)) = (&known, named.get(index)) {
                let name = attributes.entry(GLOBAL_CONSTANT).and_then(|name| name.as_str());
                let name = name.filter(|name| !name.is_empty());
                if let (Some(name), [Some(size)]) = (name, &sizes[..]) {
                    self.name(name, size);
                }
            }
            self.known.insert(argument, known);
        }
        if depth < DEEPEST {
            let returned = self.block(block, depth + 1);
            for (result, known) in op.results().into_iter().zip(returned) {
                if let Some(known) = known {
                    self.known.insert(result, known);
                }
            }
        }
    }

    fn name(&mut self, name: &str, size: &Size) {
        let is_new = self.named.iter().all(|(old, of)| old != name && of != size);
        if is_new && size.as_known().is_none() {
            self.named.push((name.to_owned(), size.clone()));
        }
    }

    fn assertion(&mut self, op: Op<'c>) {
        let Some(Known::Truths(truths)) = op.operands().first().and_then(|of| self.known.get(of))
        else {
            return;
        };
        let message = op.attr("error_message").and_then(|text| text.as_str()).unwrap_or_default();
        for truth in truths.clone() {
            if let Truth::NotNegative(size) = &truth {
                let variables = size.variables();
                let alone = variables.first().copied().filter(|_| variables.len() == 1);
                let bound = size.value(&|_| Some(0)).map(|number| -number);
                if let (Some(one), Some(bound)) = (alone, bound)
                    && size.linear_factor(one) == Some(1)
                {
                    let least = self.least.entry(one).or_default();
                    *least = bound.max(*least);
                }
            }
            self.constraints.push((truth, message.to_owned()));
        }
    }

    /// The elements of an integer value, in terms of dimensions of inputs.
    pub fn sizes(&self, value: Value<'c>) -> Option<&[Option<Size>]> {
        match self.known.get(&value)? {
            Known::Sizes(sizes) => Some(sizes),
            Known::Truths(_) => None,
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
            OpKind::Compare => self.compare(op),
            OpKind::Select => self.select(op),
            OpKind::And => {
                let [Known::Truths(a), Known::Truths(b)] =
                    [self.known.get(&operand(0)?)?, self.known.get(&operand(1)?)?]
                else {
                    return None;
                };
                let both = a.iter().zip(b).map(|(a, b)| a.clone().and(b.clone()));
                Some(Known::Truths(both.collect()))
            }
            OpKind::Not => match self.known.get(&operand(0)?)? {
                Known::Truths(list) => Some(Known::Truths(
                    list.iter().cloned().map(Truth::opposite).collect::<Option<_>>()?,
                )),
                Known::Sizes(_) => None,
            },
            OpKind::Sign | OpKind::Negate | OpKind::Abs => {
                let size = |size: &Option<Size>| self.unary(op.kind(), size.as_ref()?);
                Some(Known::Sizes(self.sizes(operand(0)?)?.iter().map(size).collect()))
            }
            OpKind::Clamp => {
                let all: Vec<_> = op.operands().iter().map(|of| self.sizes(*of)).collect();
                let [Some(low), Some(of), Some(high)] = all[..] else { return None };
                let at = |list: &[Option<Size>], index: usize| {
                    list.get(if list.len() == 1 { 0 } else { index })?.clone()
                };
                let clamped =
                    |index| at(of, index)?.larger(&at(low, index)?)?.smaller(&at(high, index)?);
                Some(Known::Sizes((0..of.len()).map(clamped).collect()))
            }
            _ => {
                let (left, right) = (self.sizes(operand(0)?)?, self.sizes(operand(1)?)?);
                let pair = |(left, right): (&Option<Size>, &Option<Size>)| {
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
            DYNAMIC => Size::variable(Variable::Dimension(*self.inputs.get(&value)?, dim)),
            size => Size::known(size),
        };
        Some(Known::Sizes(vec![Some(size)]))
    }

    fn broadcast(&self, op: Op<'c>, count: usize) -> Option<Known> {
        match self.known.get(&op.operand(0))? {
            Known::Sizes(sizes) if sizes.len() == 1 => {
                Some(Known::Sizes(vec![sizes[0].clone(); count]))
            }
            Known::Truths(truths) if truths.len() == 1 => {
                Some(Known::Truths(vec![truths[0].clone(); count]))
            }
            known => {
                let same = op.operand(0).ty().shape() == op.result(0).ty().shape();
                same.then(|| known.clone())
            }
        }
    }

    fn unary(&self, kind: OpKind, size: &Size) -> Option<Size> {
        let least = self.least();
        let is_positive = || size.lower_bound(&least) >= Some(0);
        match kind {
            OpKind::Sign => Some(size.sign(&least)),
            OpKind::Negate => size.times(&Size::known(-1)),
            OpKind::Abs => is_positive().then(|| size.clone()),
            _ => None,
        }
    }

    fn binary(&self, kind: OpKind, left: &Size, right: &Size) -> Option<Size> {
        let least = self.least();
        // Division rounds to zero, which is down where nothing is negative.
        let divides =
            || left.lower_bound(&least) >= Some(0) && right.lower_bound(&least) >= Some(1);
        match kind {
            OpKind::Add => left.plus(right),
            OpKind::Subtract => left.minus(right),
            OpKind::Multiply => left.times(right),
            OpKind::Divide => divides().then(|| left.floor(right)).flatten(),
            OpKind::Remainder => divides().then(|| left.modulo(right)).flatten(),
            OpKind::Maximum => left.larger(right),
            OpKind::Minimum => left.smaller(right),
            _ => None,
        }
    }

    fn compare(&self, op: Op<'c>) -> Option<Known> {
        let direction = op.attr("comparison_direction");
        let direction = direction.and_then(ComparisonDirection::from_attribute)?;
        let least = self.least();
        let truths = match [self.known.get(&op.operand(0))?, self.known.get(&op.operand(1))?] {
            [Known::Sizes(left), Known::Sizes(right)] => {
                let pair = |(left, right): (&Option<Size>, &Option<Size>)| {
                    Truth::compared(direction, left.as_ref()?, right.as_ref()?, &least)
                };
                left.iter().zip(right).map(pair).collect::<Option<_>>()?
            }
            [Known::Truths(left), Known::Truths(right)] => {
                let same = |(left, right): (&Truth, &Truth)| match (left, right, direction) {
                    (Truth::Known(a), Truth::Known(b), ComparisonDirection::Ne) => {
                        Some(Truth::Known(a != b))
                    }
                    (Truth::Known(a), Truth::Known(b), ComparisonDirection::Eq) => {
                        Some(Truth::Known(a == b))
                    }
                    _ => None,
                };
                left.iter().zip(right).map(same).collect::<Option<_>>()?
            }
            _ => return None,
        };
        Some(Known::Truths(truths))
    }

    fn select(&self, op: Op<'c>) -> Option<Known> {
        let Known::Truths(conditions) = self.known.get(&op.operand(0))? else { return None };
        let picked = match conditions[..] {
            [Truth::Known(holds)] => op.operand(if holds { 1 } else { 2 }),
            _ => return None,
        };
        self.known.get(&picked).cloned()
    }
}

/// The numbers or booleans of a constant.
fn constant_of(op: Op<'_>) -> Option<Known> {
    let result = op.result(0);
    let value = constant(result).ok()?;
    if result.ty().element().bit_width() == Some(1) {
        let one = value.raw_elements()?;
        return Some(Known::Truths(one.into_iter().map(|bit| Truth::Known(bit != 0)).collect()));
    }
    let sizes = value.as_i64s()?.into_iter().map(|size| Some(Size::known(size)));
    Some(Known::Sizes(sizes.collect()))
}

/// Expresses dimensions by symbols.
struct Solver {
    names: Vec<String>,
    inputs: Vec<String>,
    values: Vec<Size>,
    /// The dimensions that are expressed by symbols.
    solved: BTreeMap<Variable, Size>,
    /// The dimensions of unknown size.
    open: Vec<Variable>,
    /// Names given to sizes, and the sizes.
    named: Vec<(String, Size)>,
    /// What is known to be 0.
    zeros: Vec<Size>,
}

impl Solver {
    fn new(inputs: Vec<String>, shapes: &[Vec<i64>], walk: &Walk<'_>) -> Self {
        let open = shapes.iter().enumerate().flat_map(|(input, shape)| {
            let dims = shape.iter().enumerate().filter(|(_, size)| **size == DYNAMIC);
            dims.map(move |(dim, _)| Variable::Dimension(input, dim))
        });
        let zeros = walk.constraints.iter().filter_map(|(truth, _)| match truth {
            Truth::Zero(size) => Some(size.clone()),
            _ => None,
        });
        Self {
            names: Vec::new(),
            inputs,
            values: Vec::new(),
            solved: BTreeMap::new(),
            open: open.collect(),
            named: walk.named.clone(),
            zeros: zeros.collect(),
        }
    }

    fn solve(&mut self) {
        for (name, size) in self.named.clone() {
            let symbol = Size::variable(Variable::Symbol(self.names.len()));
            // floor(p / q) is n, and q divides p: p is q*n.
            let sides = match size.as_floor() {
                Some((of, by)) if self.divides(of, by) => symbol.times(by).map(|side| (of, side)),
                _ => Some((&size, symbol)),
            };
            let solved = sides.is_some_and(|(size, side)| self.isolate(size, &side));
            if solved {
                self.names.push(name);
                self.values.push(size);
            }
        }
        self.solve_equal();
        for variable in self.open.clone() {
            let Variable::Dimension(input, dim) = variable else { continue };
            if !self.solved.contains_key(&variable) {
                let symbol = Size::variable(Variable::Symbol(self.names.len()));
                self.solved.insert(variable, symbol);
                self.names.push(format!("{}.{dim}", self.inputs[input]));
                self.values.push(Size::variable(variable));
                self.solve_equal();
            }
        }
    }

    /// Expresses dimensions that the program asserts to equal others.
    fn solve_equal(&mut self) {
        for zero in self.zeros.clone() {
            self.isolate(&zero, &Size::known(0));
        }
    }

    /// Whether the program asserts that `by` divides `size`.
    fn divides(&self, size: &Size, by: &Size) -> bool {
        self.zeros.iter().any(|zero| zero.as_modulo() == Some((size, by)))
    }

    /// Expresses a dimension in `size`, which equals `side`, by the rest; false if there is none left.
    fn isolate(&mut self, size: &Size, side: &Size) -> bool {
        let known = |variable| self.solved.get(&variable).cloned();
        let Some(size) = size.replaced(&|at| Some(known(at).unwrap_or(Size::variable(at)))) else {
            return false;
        };
        let unsolved = |at: &&Variable| matches!(at, Variable::Dimension(..));
        let variables = size.variables();
        let left: Vec<_> = variables.iter().filter(unsolved).copied().collect();
        let [one] = left[..] else { return false };
        let Some(factor) = size.linear_factor(one) else { return false };
        // factor*d + rest is side.
        let rest =
            size.replaced(&|at| Some(if at == one { Size::known(0) } else { Size::variable(at) }));
        let number = rest.and_then(|rest| side.minus(&rest));
        let number = number.and_then(|number| number.times(&Size::known(factor.signum())));
        let value = number.and_then(|number| match number.modulo(&Size::known(factor.abs())) {
            Some(remainder) if remainder.as_known() == Some(0) => {
                number.floor(&Size::known(factor.abs()))
            }
            _ => None,
        });
        match value {
            Some(value) => {
                self.solved.insert(one, value);
                true
            }
            None => false,
        }
    }

    fn finish(self, shapes: &[Vec<i64>], walk: &Walk<'_>) -> Symbols {
        let of = |variable| match variable {
            Variable::Symbol(_) => Some(Size::variable(variable)),
            Variable::Dimension(..) => self.solved.get(&variable).cloned(),
        };
        let shape = |(input, shape): (usize, &Vec<i64>)| {
            let size = |(dim, size): (usize, &i64)| match *size {
                DYNAMIC => of(Variable::Dimension(input, dim)).unwrap_or_default(),
                size => Size::known(size),
            };
            shape.iter().enumerate().map(size).collect()
        };
        // What follows from the way in which dimensions are expressed is left out.
        let constraints = walk.constraints.iter().filter_map(|(truth, message)| {
            let truth = truth.replaced(&of, &|_| 0)?;
            (truth != Truth::Known(true)).then(|| (truth, message.clone()))
        });
        let mut kept: Vec<(Truth, String)> = Vec::new();
        for constraint in constraints {
            if !kept.iter().any(|(truth, _)| truth.implies(&constraint.0)) {
                kept.retain(|(truth, _)| !constraint.0.implies(truth));
                kept.push(constraint);
            }
        }
        Symbols {
            shapes: shapes.iter().enumerate().map(shape).collect(),
            constraints: kept,
            names: self.names,
            inputs: self.inputs,
            values: self.values,
        }
    }
}
