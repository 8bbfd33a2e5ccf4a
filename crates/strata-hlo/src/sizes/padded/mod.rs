//! Programs for any sizes up to bounds: each dimension that a bounded symbol enters has its largest size, of which the first
//! elements are valid. Operations that would see the others are masked.
//!
//! ```text
//! func @main(%x: tensor<?x4xf32>) {        func @main(%x: tensor<8x4xf32>, %s: tensor<i64>) {
//!   %0 = reduce add %x across [0]     =>     %1 = select (iota < %s), %x, 0
//! ```
//!
//! What is not valid may have any value, and inputs have zeros there. Sizes that an operation's value sets (`set_dimension_size`)
//! are symbols, too.

mod compared;
mod computed;
mod contractions;
mod control;
mod dots;
mod emit;
mod extent;
mod indexed;
mod last;
mod movement;
mod neutral;
mod norms;
mod parts;
mod random;
mod reductions;
mod repeats;
mod rules;
mod slices;
mod spread;
mod stepwise;
mod windows;

use std::{cell::RefCell, collections::HashMap};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Context, Location, Op, QuantizedType, Type,
    TypeExt as _, VALID, Value, ZEROS, diagnostic_at, dimension_bounds, integer, tensor,
};
use strata_options::Options;
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{Constraint, DimExpr, DimFactor, Domain, Interval, Variable};

use self::{computed::Computed, extent::Extent};
use super::{LARGEST, Symbols, inputs, set_signature, walk::Walk};

/// No more different sizes are kept to compare others with.
const MOST_SIZES: usize = 256;

/// A value of the padded program.
#[derive(Clone, Debug)]
struct Padded<'c> {
    value: Value<'c>,
    dims: Vec<Extent>,
    /// Whether all elements that are not valid are zero.
    zero: bool,
}

impl Padded<'_> {
    fn is_full(&self) -> bool {
        self.dims.iter().all(Extent::is_full)
    }
}

/// What the buffers of outputs are.
#[derive(Clone, Copy)]
pub enum Buffers<'b> {
    /// The valid elements of each dimension come first.
    Whole,
    /// So they do, with a dimension for each part where elements would have to move for that.
    InParts,
    /// These shapes, where they have other dimensions than the outputs.
    Given(&'b [Vec<i64>]),
}

/// What is known of the sizes of a padded program.
pub struct Shapes {
    /// The shapes of the outputs, then those of the lists of actual sizes beside some of them.
    pub outputs: Vec<Vec<DimExpr>>,
    /// Those of their buffers, where some have other dimensions.
    pub laid: Vec<Vec<DimExpr>>,
    /// Conditions on symbols under which they hold, besides the program's own.
    pub conditions: Vec<Constraint>,
}

/// An output.
struct Output<'c> {
    value: Value<'c>,
    shape: Vec<DimExpr>,
    /// The shape of its buffer, where it has other dimensions.
    laid: Option<Vec<DimExpr>>,
    /// A list of its actual sizes where values set some of them.
    list: Option<Value<'c>>,
}

/// The operation that is refused, and why.
type Refused<'c> = (Op<'c>, String);

/// The transformation of one function.
struct Padding<'c> {
    context: &'c Context,
    walk: Walk<'c>,
    /// The values of the padded program, by those of the old one.
    values: HashMap<Value<'c>, Padded<'c>>,
    /// The same without what is known of them.
    known: HashMap<Value<'c>, Value<'c>>,
    /// The value of each symbol, as `tensor<i64>`; `None` for one that does not occur.
    scalars: Vec<Option<Value<'c>>>,
    /// What the program asserts to be zero.
    zeros: Vec<DimExpr>,
    /// Sizes so far, each different from the others.
    sizes: RefCell<Vec<DimExpr>>,
    /// The operations that computed the symbols that are not of inputs.
    computed: Vec<Computed<'c>>,
    /// What is not negative for all sizes that the program takes.
    needed: Vec<DimExpr>,
}

/// Pads the function: symbols of `options.bounds` take any value up to that bound. The function gets one more input for each,
/// with the value.
///
/// # Errors
/// `S1101` at an operation that cannot be padded, `S1106` for a bound that the program does not take.
pub fn pad_to_bounds<'c>(
    context: &'c Context,
    func: Op<'c>,
    symbols: &Symbols,
    options: &Options,
    buffers: Buffers<'_>,
) -> Result<Shapes, Diagnostic> {
    // A symbol of one size needs no mask.
    let is_only = |(name, bound): &&(String, i64)| {
        let own = symbols.names.iter().position(|known| known == name);
        let least = own.map(|own| symbols.least(Variable::Symbol(own)));
        least == Some(*bound) || options.least.contains(&(name.clone(), *bound))
    };
    let only = options.bounds.iter().filter(is_only);
    let bound = symbols.bound(&options.bind.iter().chain(only).cloned().collect::<Vec<_>>());
    let mut padding = Padding::new(context, &bound, options);
    let is_given =
        |name: &String| options.bind.iter().chain(&options.bounds).any(|(given, _)| given == name);
    if let Some(missing) = symbols.names.iter().find(|name| !is_given(name)) {
        return Err(diagnostic_at(codes::S1101, func)
            .reason(format!("`{missing}` has neither a bound nor a value"))
            .hint(super::open::HINT));
    }
    let refuse = |(op, reason): Refused<'_>| {
        diagnostic_at(codes::S1101, op)
            .reason(format!("it cannot be computed for sizes up to a bound: {reason}"))
            .hint(super::open::HINT)
    };
    padding.inputs(func, &bound, options).map_err(|why| refuse((func, why.reason().into())))?;
    let Some(block) = func.region(0).first_block() else {
        return Err(refuse((func, "the function has no body".to_owned())));
    };
    let old = block.ops();
    let Some(end) = block.terminator() else {
        return Err(refuse((func, "the function does not return".to_owned())));
    };
    for op in old.iter().copied().filter(|op| *op != end) {
        let builder = Builder::before(context, op);
        padding.convert(op, &builder).map_err(refuse)?;
    }
    let builder = Builder::before(context, end);
    let (mut shapes, mut laid, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    for (index, value) in end.operands().into_iter().enumerate() {
        let Output { value: output, shape, laid: own, list } = padding
            .output(value, &builder, (buffers, index))
            .map_err(|why| refuse((padding.blamed(value).unwrap_or(end), why.reason().into())))?;
        end.set_operand(index, output);
        // The bounds of its type hold for what follows from sizes, too.
        let bounds = dimension_bounds(value.ty()).unwrap_or_default();
        for (size, bound) in shape.iter().zip(bounds) {
            if let Some(bound) = bound.filter(|bound| size.as_constant() != Some(*bound)) {
                padding.needed.extend(DimExpr::constant(bound).minus(size));
            }
        }
        beside.extend(list.map(|list| (index, list)));
        laid.push(own.unwrap_or_else(|| shape.clone()));
        shapes.push(shape);
    }
    for op in old.into_iter().rev().filter(|op| *op != end) {
        op.erase();
    }
    record_valid(context, func, (&bound, options), &laid);
    if !beside.is_empty() {
        computed::return_shapes(context, func, &beside)
            .map_err(|why| refuse((func, why.reason().into())))?;
        let rank = |output: usize| DimExpr::constant(shapes[output].len() as i64);
        let lists: Vec<_> = beside.iter().map(|(output, _)| vec![rank(*output)]).collect();
        laid.extend(lists.clone());
        shapes.extend(lists);
    }
    if laid == shapes {
        laid.clear();
    }
    set_signature(context, func);
    let mut conditions = padding.walk.conditions();
    conditions.extend(padding.needed.into_iter().map(Constraint::NotNegative));
    Ok(Shapes { outputs: shapes, laid, conditions })
}

/// Says how many elements of the inputs callers give and of the outputs they read, where that follows from the sizes of a call.
fn record_valid<'c>(
    context: &'c Context,
    func: Op<'c>,
    (symbols, options): (&Symbols, &Options),
    shapes: &[Vec<DimExpr>],
) {
    let position = |index: usize| {
        options.bounds.iter().position(|(name, _)| Some(name) == symbols.names.get(index))
    };
    let map = |(value, shape): (Value<'c>, &Vec<DimExpr>)| {
        let bounds = value.ty().shape().unwrap_or_default();
        let of = |(size, bound): (&DimExpr, i64)| {
            let is_open = size.as_constant() != Some(bound);
            let own = is_open.then(|| used_along(size, &position)).flatten();
            own.unwrap_or(AffineExpr::Constant(bound))
        };
        AffineMap::new(options.bounds.len(), shape.iter().zip(bounds).map(of).collect())
    };
    let end = func.body(0).terminator().map(Op::operands).unwrap_or_default();
    let valid: Vec<_> = end.into_iter().zip(shapes).map(map).collect();
    let zeros: Vec<_> = inputs(func).into_iter().zip(&symbols.shapes).map(map).collect();
    let mut all = valid.iter().chain(&zeros).flat_map(|map| &map.results);
    if all.any(|size| !size.dims().is_empty()) {
        func.set_attr(VALID, AffineMap::list(context, &valid));
        func.set_attr(ZEROS, AffineMap::list(context, &zeros));
    }
}

/// How many elements callers give or read along a dimension of that size; less than none are none.
fn used_along(size: &DimExpr, position: &dyn Fn(usize) -> Option<usize>) -> Option<AffineExpr> {
    let zero = DimExpr::constant(0);
    let mut terms = size.terms();
    if let (Some(([DimFactor::Max(one, other)], 1)), None) = (terms.next(), terms.next()) {
        return match (*one == zero, *other == zero) {
            (true, _) => affine(other, position),
            (_, true) => affine(one, position),
            _ => None,
        };
    }
    affine(size, position)
}

/// A size as an expression of the sizes that callers give.
fn affine(size: &DimExpr, position: &dyn Fn(usize) -> Option<usize>) -> Option<AffineExpr> {
    let term = |atoms: &[DimFactor], factor: i64| match atoms {
        [] => Some(AffineExpr::Constant(factor)),
        [DimFactor::Variable(Variable::Symbol(index))] => {
            Some(AffineExpr::dim(position(*index)?) * factor)
        }
        [DimFactor::FloorDiv(of, by)] => {
            let by = by.as_constant().filter(|by| *by > 0)?;
            if factor > 0 {
                return Some(affine(of, position)?.floor_div(by) * factor);
            }
            // Quotients that are rounded up are written with two negations.
            let negative = DimExpr::constant(0).minus(of)?;
            Some((affine(&negative, position)? + (by - 1)).floor_div(by) * -factor)
        }
        _ => None,
    };
    let terms = size.terms().map(|(atoms, factor)| term(atoms, factor));
    terms.collect::<Option<Vec<_>>>()?.into_iter().reduce(|sum, term| sum + term)
}

impl<'c> Padding<'c> {
    fn new(context: &'c Context, symbols: &Symbols, options: &Options) -> Self {
        let mut domain = Domain::default();
        for (index, name) in symbols.names.iter().enumerate() {
            let variable = Variable::Symbol(index);
            let bounds = options.bounds.iter().find(|(bounded, _)| bounded == name);
            let most = bounds.map_or(LARGEST, |(_, bound)| *bound);
            let called = options.least.iter().find(|(called, _)| called == name);
            let called = called.map_or(0, |(_, least)| *least);
            let low = called.max(symbols.least(variable)).min(most);
            domain.set(variable, Interval { low: Some(low), high: Some(most) });
        }
        let conditions = || symbols.constraints.iter().map(|(condition, _)| condition.clone());
        conditions().for_each(|condition| domain.assume(condition));
        let zero = |condition| match condition {
            Constraint::Zero(size) => Some(size),
            _ => None,
        };
        Self {
            context,
            walk: Walk::stepping(domain),
            values: HashMap::new(),
            known: HashMap::new(),
            scalars: vec![None; symbols.names.len()],
            zeros: conditions().filter_map(zero).collect(),
            sizes: RefCell::default(),
            computed: Vec::new(),
            needed: Vec::new(),
        }
    }

    /// Gives the inputs the types of bounds, and adds those of sizes.
    fn inputs(&mut self, func: Op<'c>, symbols: &Symbols, options: &Options) -> Outcome {
        let block = func.region(0).first_block().or_decline("the function has no body")?;
        for (index, value) in inputs(func).into_iter().enumerate() {
            let shape = symbols.shapes.get(index).cloned().unwrap_or_default();
            let ty = value.ty();
            if ty.shape().is_none() {
                continue;
            }
            let dims = self.extents(&shape)?;
            shape.iter().try_for_each(|size| self.outer_bound(size))?;
            let sizes: Vec<i64> = dims.iter().map(|dim| dim.bound().unwrap_or(0)).collect();
            value.set_ty(tensor(&sizes, ty.element()));
            // Callers' buffers have zeros there, which may mean another number.
            let quantized = QuantizedType::of(ty.element());
            let zero = quantized.is_none_or(|of| of.zero_points.iter().all(|point| *point == 0));
            self.define(value, Padded { value, dims, zero });
        }
        for (name, _) in &options.bounds {
            let at = symbols.names.iter().position(|known| known == name);
            let at = at.or_decline("there is no such symbol")?;
            let ty = tensor(&[], integer(self.context, 64));
            self.scalars[at] = Some(block.add_arg(ty, Location::unknown(self.context)));
        }
        // Attributes of arguments, where there are any, have one entry for each.
        if let Some(mut list) = func.attr("arg_attrs").and_then(|list| list.as_array()) {
            let none = strata_ir::dictionary(self.context, &[]);
            list.resize(block.args().len(), none.or_decline("an attribute cannot be made")?);
            func.set_attr("arg_attrs", strata_ir::array(self.context, &list));
        }
        Ok(())
    }

    /// The value that stands for one of the old program.
    fn define(&mut self, old: Value<'c>, padded: Padded<'c>) {
        for (dim, extent) in padded.dims.iter().enumerate() {
            if let Some(size) = extent.size() {
                self.walk.set_dimension(old, dim, size);
            }
        }
        self.known.insert(old, padded.value);
        self.values.insert(old, padded);
    }

    fn padded(&self, old: Value<'c>) -> Outcome<Padded<'c>> {
        self.values.get(&old).cloned().or_decline("an operand is not a tensor of known rank")
    }

    /// The values of the operands of an operation.
    fn operands(&self, op: Op<'c>) -> Outcome<Vec<Padded<'c>>> {
        op.operands().into_iter().map(|value| self.padded(value)).collect()
    }

    /// Prefixes of these sizes.
    fn extents(&self, shape: &[DimExpr]) -> Outcome<Vec<Extent>> {
        shape.iter().map(|size| self.extent(size.clone())).collect()
    }

    /// A prefix of that size.
    fn extent(&self, size: DimExpr) -> Outcome<Extent> {
        let size = self.canonical(size);
        let bound = self.bound(&size)?;
        Ok(Extent::prefix(size, bound))
    }

    /// The largest value of a size.
    fn bound(&self, size: &DimExpr) -> Outcome<i64> {
        let most = self.domain().largest(size).or_decline("a size has no known bound")?;
        (most <= LARGEST).or_decline("a size may be larger than 2^31")?;
        Ok(most.max(0))
    }

    /// The largest value of a size of an input or output, which callers compute from the largest values of symbols.
    fn outer_bound(&self, size: &DimExpr) -> Outcome {
        let most = size.value(&|at| self.domain().interval(at).high);
        let own = most == Some(self.bound(size)?);
        own.or_decline("a size may be larger for smaller sizes of inputs")
    }

    /// The values that symbols may have.
    fn domain(&self) -> &Domain {
        &self.walk.domain
    }

    /// Has objects refuse sizes for which a part would have more elements than the whole, as the program with these sizes is.
    /// Nothing is asked of sizes that values set, which callers do not give.
    fn fits_into(&mut self, part: &DimExpr, whole: &DimExpr) {
        let room = whole.minus(part).filter(|room| !self.domain().is_at_least(room, 0));
        let Some(room) = room else { return };
        let given = self.scalars.len() - self.computed.len();
        let is_given = |at: &Variable| matches!(at, Variable::Symbol(index) if *index < given);
        if room.variables().iter().all(is_given) && !self.needed.contains(&room) {
            self.needed.push(room);
        }
    }

    /// The size of a dimension.
    fn size(extent: &Extent) -> Outcome<DimExpr> {
        extent.size().or_decline("a size is too large an expression")
    }

    /// The elements of an integer value, as expressions of symbols.
    fn numbers(&self, value: Value<'c>) -> Outcome<Vec<Option<DimExpr>>> {
        let numbers = self.walk.numbers(value).or_decline("the value of a shape is not known")?;
        Ok(numbers.iter().map(|size| size.clone().map(|size| self.canonical(size))).collect())
    }

    /// One expression for all that are equal.
    fn canonical(&self, size: DimExpr) -> DimExpr {
        let size = self.simpler(&size);
        if size.as_constant().is_some() {
            return size;
        }
        let mut seen = self.sizes.borrow_mut();
        let same = seen.iter().find(|known| {
            **known == size
                || (known.has_functions() || size.has_functions())
                    && self.domain().are_equal(known, &size)
        });
        if let Some(known) = same {
            return known.clone();
        }
        if seen.len() < MOST_SIZES {
            seen.push(size.clone());
        }
        size
    }

    /// Whether two lists of sizes have the same product, as far as that is found.
    fn have_one_product(&self, left: Vec<DimExpr>, right: &[DimExpr]) -> bool {
        // Sums are compared exactly, products are not: what both lists have is left out.
        let mut right_only = right.to_vec();
        let mut left_only = left;
        left_only.retain(|size| match right_only.iter().position(|other| other == size) {
            Some(at) => {
                right_only.swap_remove(at);
                false
            }
            None => true,
        });
        let product = |sizes: &[DimExpr]| {
            let product = sizes.iter().try_fold(DimExpr::constant(1), |all, size| all.times(size));
            product.map(|product| self.simpler(&product))
        };
        let products = product(&left_only).zip(product(&right_only));
        products.is_some_and(|(left, right)| self.domain().are_equal(&left, &right))
    }

    /// The same without what is asserted to be zero.
    fn simpler(&self, size: &DimExpr) -> DimExpr {
        self.zeros.iter().fold(size.clone(), |size, zero| size.without(zero))
    }

    /// The sizes in a shape that is an operand.
    fn shape(&self, value: Value<'c>) -> Outcome<Vec<DimExpr>> {
        let sizes = self.numbers(value)?;
        sizes.into_iter().map(|size| size.or_decline("a size depends on values")).collect()
    }

    /// An output and its shape; where values set sizes of it, that of its buffer, and a list of the actual ones.
    fn output(
        &mut self,
        old: Value<'c>,
        builder: &Builder<'c>,
        (buffers, index): (Buffers<'_>, usize),
    ) -> Outcome<Output<'c>> {
        let Some(padded) = self.values.get(&old).cloned() else {
            let value = self.known.get(&old).copied().or_decline("an output is lost")?;
            return Ok(Output { value, shape: Vec::new(), laid: None, list: None });
        };
        let own = |at: &Variable| matches!(at, Variable::Symbol(index) if *index < self.symbols());
        let is_known = |size: &DimExpr| size.variables().iter().all(own);
        let whole = padded.dims.iter().map(|one| Ok(self.canonical(Self::size(one)?)));
        let whole = whole.collect::<Outcome<Vec<_>>>()?;
        let in_buffer = match buffers {
            Buffers::InParts if parts::are_several(&padded.dims) && whole.iter().all(is_known) => {
                Some(self.in_parts(builder, &padded)?)
            }
            Buffers::Given(all) => match all.get(index) {
                Some(shape) if shape.len() != padded.dims.len() => {
                    Some(self.laid(builder, &padded, shape)?)
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(own) = in_buffer {
            let laid = own.dims.iter().map(Self::size).collect::<Outcome<Vec<_>>>()?;
            whole.iter().chain(&laid).try_for_each(|size| self.outer_bound(size))?;
            return Ok(Output { value: own.value, shape: whole, laid: Some(laid), list: None });
        }
        let padded = self.compact(builder, &padded)?;
        let mut shape = padded.dims.iter().map(Self::size).collect::<Outcome<Vec<_>>>()?;
        let (mut value, mut list) = (padded.value, None);
        if !shape.iter().all(is_known) {
            let (shaped, numbers) = self.shaped_output(builder, &padded, old.ty())?;
            for (size, bound) in shape.iter_mut().zip(shaped.ty().shape().unwrap_or_default()) {
                if !is_known(size) {
                    *size = DimExpr::constant(bound);
                }
            }
            (value, list) = (shaped, Some(numbers));
        }
        shape.iter().try_for_each(|size| self.outer_bound(size))?;
        Ok(Output { value, shape, laid: None, list })
    }

    /// The operation that computed a size of a value.
    fn blamed(&self, old: Value<'c>) -> Option<Op<'c>> {
        let sizes = self.values.get(&old)?.dims.iter().filter_map(Extent::size);
        let computed =
            sizes.flat_map(|size| size.variables()).find_map(|variable| match variable {
                Variable::Symbol(index) => index.checked_sub(self.symbols()),
                Variable::Dimension(..) => None,
            });
        computed.and_then(|index| self.computed.get(index)).map(|computed| computed.op)
    }

    /// How many symbols the program has from its inputs.
    fn symbols(&self) -> usize {
        self.scalars.len() - self.computed.len()
    }
}

/// The static type of a value with these dimensions.
fn padded_type<'c>(dims: &[Extent], element: Type<'c>) -> Outcome<Type<'c>> {
    let shape: Option<Vec<i64>> = dims.iter().map(Extent::bound).collect();
    Ok(tensor(&shape.or_decline("a dimension is too large")?, element))
}
