//! Inputs and outputs of a specialisation for sizes up to a bound, where callers have them, with the sizes of the call.
//!
//! ```mlir
//! func.func @main(%x: memref<64x128xf32>, %s: memref<i64>, …) {          // zeros from column %s on
//!   scf.for %i = %c0 to %c64 step %c1 {
//!     scf.for %j = %c0 to %c128 step %c16 {
//!       %v = vector.transfer_read %x[%i, %j] {in_bounds = [true]} : memref<64x128xf32>, vector<16xf32>
//! ```
//! becomes
//! ```mlir
//! func.func @main(%x: memref<?xi8>, …) attributes {strata.in_place = array<i64: 0>} {
//!   %own = memref.view %x[%c0][%size] : memref<?xi8> to memref<64x?xf32>
//!   scf.for %i = %c0 to %c64 step %c1 {
//!     scf.for %j = %c0 to %whole step %c16 {                               // rows of 16 that end inside
//!       %v = vector.transfer_read %own[%i, %j] {in_bounds = [true]} : memref<64x?xf32>, vector<16xf32>
//!     …
//!     scf.for %j = %rest to %c128 step %c16 {                              // the others
//!       %v = vector.transfer_read %own[%i, %j], %zero {in_bounds = [false]} : memref<64x?xf32>, vector<16xf32>
//! ```
//! A guarded read ([`guards`]) gives zero beyond the caller's elements, which a copy in a larger buffer has there; a guarded write
//! leaves them out. So no result depends on it whether a tensor is used in place. Guards cost time: loops are cut in two before
//! ([`split`]), so that only those iterations have them that reach over the end. A tensor that is used in other ways than by reads
//! and writes of elements is copied by the caller of the function, as is an output that is read: what is beyond its end may be needed
//! for that.

mod back;
mod choices;
mod fills;
pub mod flat;
mod guards;
pub mod loops;
mod masked;
mod mirrors;
mod sizes;
mod slices;
mod split;
mod whole;
mod writes;

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Block, Builder, Context, DYNAMIC, IN_PLACE, OUTPUTS,
    Op, TypeExt as _, VALID, Value, ZEROS, affine, arith, function, i64s, index, integer, memref,
    type_attr, vector,
};
use strata_options::Options;
use strata_remarks::{Decision, Remark, Subject, remark};
use strata_shapes::{DimExpr, DynamicShapes, Variable};

use self::guards::{Access, INSIDE};
use super::rests;

/// On accesses that may be beyond the valid elements: the smallest sizes of the dimensions of the buffer whose sizes are values.
const GUARDED: &str = "strata.guarded";

/// Lets `entry`, a specialisation, use the inputs and outputs of callers.
pub fn apply<'c>(context: &'c Context, entry: Op<'c>, options: &Options) {
    let Some(body) = entry.region(0).first_block().filter(|_| options.is_specialization) else {
        return;
    };
    slices::fold(context, entry);
    mirrors::settle(context, entry);
    masked::read_inputs(entry);
    let (buffers, refused) = candidates(context, entry, body, options);
    refused.iter().for_each(|(buffer, because)| buffer.tell(because));
    let Some(sizes) = buffers.first().map(|buffer| buffer.sizes.clone()) else { return };
    // Operations of the body are replaced, the first one, too.
    let start = Builder::at_start(context, body, entry.location());
    let Some(mark) = start.index(0).owner() else { return };
    let at = Builder { location: entry.location(), ..Builder::before(context, mark) };
    let load = |size: &Value<'c>| {
        let size = memref::load(&at, *size, &[], integer(context, 64)).value();
        at.cast(arith::INDEX_CAST, size, index(context))
    };
    let sizes: Vec<_> = sizes.iter().map(load).collect();
    let mut known = Vec::new();
    for buffer in &buffers {
        buffer.open(&at, &sizes, &mut known);
    }
    mark.erase();
    let types: Vec<_> = body.args().into_iter().map(Value::ty).collect();
    entry.set_attr("function_type", type_attr(function(context, &types, &[])));
    let places: Vec<_> = buffers.iter().map(|buffer| buffer.place as i64).collect();
    entry.set_attr(IN_PLACE, i64s(context, &places));
    fills::flatten(context, entry);
    flat::apply(context, entry, options);
    split::loops(context, entry);
    for op in entry.collect(|op| op.has_attr(GUARDED)) {
        op.remove_attr(GUARDED);
        if let Some(access) = Access::of(op) {
            access.guard(context);
        }
    }
    entry.collect(|op| op.remove_attr(INSIDE));
}

/// An argument that is used in place.
struct Buffer<'c> {
    place: usize,
    argument: Value<'c>,
    /// From the sizes to how many elements of each dimension are valid.
    map: AffineMap,
    /// The inputs that these sizes are.
    sizes: Vec<Value<'c>>,
    /// The smallest size of each dimension whose size differs between calls.
    least: Vec<i64>,
}

/// The arguments whose valid part is smaller for some sizes, and that can be used in place, and the others, with the reasons.
fn candidates<'c>(
    context: &'c Context,
    entry: Op<'c>,
    body: Block<'c>,
    options: &Options,
) -> (Vec<Buffer<'c>>, Vec<(Buffer<'c>, Because)>) {
    let list = |name: &str| -> Vec<AffineMap> {
        let maps = entry.attr(name).and_then(|maps| maps.as_array()).unwrap_or_default();
        maps.into_iter().filter_map(AffineMap::of).collect()
    };
    let (zeros, valid) = (list(ZEROS), list(VALID));
    let arguments = body.args();
    let outputs = entry.attr(OUTPUTS).and_then(|list| list.as_array()).map_or(0, |all| all.len());
    let Some(first) = arguments.len().checked_sub(1 + outputs) else { return Default::default() };
    let count = zeros.iter().chain(&valid).map(|map| map.dims).max().unwrap_or(0);
    let Some(inputs) = first.checked_sub(count).filter(|inputs| *inputs == zeros.len()) else {
        return Default::default();
    };
    let word = memref(&[], integer(context, 64));
    let sizes = &arguments[inputs..first];
    if sizes.iter().any(|size| size.ty() != word) {
        return Default::default();
    }
    let least = options.least_sizes();
    if least.len() != count {
        return Default::default();
    }
    let ranges = least.iter().zip(&options.bounds).map(|(least, (_, most))| (least, most));
    // A symbol of one size is that size.
    let known = ranges.enumerate().map(|(at, (least, most))| match least == most {
        true => AffineExpr::Constant(*most),
        false => AffineExpr::dim(at),
    });
    let known: Vec<_> = known.collect();
    let Ok(Some(shapes)) = DynamicShapes::of(entry) else { return Default::default() };
    let value = |variable: Variable| {
        let Variable::Symbol(index) = variable else { return None };
        let name = shapes.symbols.get(index)?;
        let at = options.bounds.iter().position(|(own, _)| own == name)?;
        known.get(at)?.as_constant()
    };
    // A map has the size of the buffer for a size that it cannot express, such as a remainder.
    let is_exact = |sizes: &[DimExpr], map: &AffineMap| {
        let mut pairs = map.results.iter().zip(sizes);
        let is_own = |(own, size): (&AffineExpr, &DimExpr)| {
            own.as_constant().is_none_or(|own| size.value(&value) == Some(own))
        };
        sizes.len() == map.results.len() && pairs.all(is_own)
    };
    let all = zeros.into_iter().enumerate().map(|(at, map)| (at, map, false));
    let all = all.chain(valid.into_iter().enumerate().map(|(at, map)| (first + at, map, true)));
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (place, map, is_output) in all {
        let Some(argument) = arguments.get(place).copied() else { continue };
        let result = |size: &AffineExpr| {
            let size = size.with_dims(&known)?;
            let constant = size.value(&[], &[]).filter(|_| size.dims().is_empty());
            Some(constant.map_or(size, AffineExpr::Constant))
        };
        let Some(results) = map.results.iter().map(result).collect() else { continue };
        let map = AffineMap { results, ..map };
        let own = match is_output {
            true => shapes.output_buffers().get(place - first),
            false => shapes.inputs.get(place),
        };
        let is_exact = own.is_some_and(|own| is_exact(own, &map));
        let open = map.results.iter().filter(|size| size.as_constant().is_none());
        let own: Vec<_> = open.map(|size| size.value(&least, &[]).unwrap_or(0)).collect();
        if own.is_empty() {
            continue;
        }
        let buffer = Buffer { place, argument, map, sizes: sizes.to_vec(), least: own };
        let refusal = buffer.refusal(context, is_output);
        match refusal.or((!is_exact).then_some("loops cannot end at its sizes")) {
            None => found.push(buffer),
            Some(because) => refused.push((buffer, because)),
        }
    }
    (found, refused)
}

/// How a tensor is used in other ways than in place.
type Because = &'static str;

impl<'c> Buffer<'c> {
    /// Why the argument cannot be used in place.
    fn refusal(&self, context: &'c Context, is_output: bool) -> Option<Because> {
        let ty = self.argument.ty();
        let Some(shape) = ty.shape().filter(|shape| shape.len() == self.map.results.len()) else {
            return Some("its sizes are not known");
        };
        if self.least.iter().any(|size| *size < 1) || shape.contains(&0) {
            return Some("it may be empty, so that there is no element to read");
        }
        let differs =
            |(size, own): (&AffineExpr, &i64)| size.as_constant().is_some_and(|size| size != *own);
        if self.map.results.iter().zip(&shape).any(differs) || ty != memref(&shape, ty.element()) {
            return Some("its sizes are not known");
        }
        if ty.element().is_complex() {
            return Some("its elements are complex numbers");
        }
        let shapes = self.shapes();
        let is_shape = |user: Op<'c>| shapes.iter().any(|shape| shape.made_by == Some(user));
        let uses = shapes
            .iter()
            .flat_map(|shape| shape.value.uses().into_iter().map(|(user, _)| (user, shape.value)));
        uses.filter(|(user, _)| !is_shape(*user)).find_map(|(user, value)| {
            if is_output
                && matches!(user.name(), vector::TRANSFER_READ | memref::LOAD | affine::LOAD)
            {
                return Some("it is read, too");
            }
            let is_below = |(dim, size): (usize, &AffineExpr)| {
                size.as_constant().is_some()
                    || rests::is_below(user, dim, &self.limit(context, size))
            };
            let are_below = |shape: &Shape<'c>| {
                shape.value == value && shape.sizes.iter().enumerate().all(is_below)
            };
            match guards::is_of_tile(user) && !shapes.iter().any(are_below) {
                true => Some("parts of it are tiles"),
                false => guards::refusal(user, value),
            }
        })
    }

    /// The argument, and what it is as fewer or more dimensions, of which the caller's elements are the first ones, too.
    fn shapes(&self) -> Vec<Shape<'c>> {
        let own = Shape {
            value: self.argument,
            made_by: None,
            sizes: self.map.results.clone(),
            least: self.least.clone(),
        };
        let users = self.argument.uses();
        let others = users
            .iter()
            .filter_map(|(user, _)| own.collapsed(*user).or_else(|| own.expanded(*user)));
        let others: Vec<_> = others.collect();
        [vec![own], others].concat()
    }

    /// The map to a size as it is written in the IR, where limits are.
    fn limit(&self, context: &'c Context, size: &AffineExpr) -> AffineMap {
        let own = AffineMap::new(self.map.dims, vec![size.clone()]);
        AffineMap::of(own.to_attribute(context)).unwrap_or(own)
    }

    /// Says that the argument is copied.
    fn tell(&self, because: Because) {
        let ty = self.argument.ty();
        let bytes = || ty.element_count()?.checked_mul(ty.element().byte_width()?);
        remark(|| Remark {
            subject: Subject { inputs: [self.place].into(), ..Subject::default() },
            decision: Decision::Copy {
                bytes: bytes(),
                depth: 0,
                purpose: "the buffer of a larger size".to_owned(),
                because: because.to_owned(),
                blame: Subject::default(),
            },
        });
    }

    /// Makes the argument bytes, and gives its accesses views of them with these sizes, which `known` has. Marks the accesses.
    fn open(&self, at: &Builder<'c>, sizes: &[Value<'c>], known: &mut Vec<(AffineMap, Value<'c>)>) {
        let shapes = self.shapes();
        let uses: Vec<_> = shapes.iter().map(|shape| shape.value.uses()).collect();
        let element = self.argument.ty().element();
        self.argument.set_ty(memref(&[DYNAMIC], integer(at.context, 8)));
        let is_shape = |user: Op<'c>| shapes.iter().any(|shape| shape.made_by == Some(user));
        for (shape, uses) in shapes.iter().zip(uses) {
            let open = shape.sizes.iter().filter(|size| size.as_constant().is_none());
            let valid = open.map(|size| {
                let map = self.limit(at.context, size);
                if let Some((_, value)) = known.iter().find(|(other, _)| *other == map) {
                    return *value;
                }
                let apply = at.op(affine::APPLY).operands(sizes);
                let apply =
                    apply.attr("map", map.to_attribute(at.context)).result(index(at.context));
                known.push((map, apply.value()));
                known[known.len() - 1].1
            });
            let valid: Vec<_> = valid.collect();
            let uses = uses.into_iter().filter(|(user, _)| !is_shape(*user));
            let uses: Vec<_> = uses.collect();
            if uses.is_empty() {
                continue;
            }
            let own = shape.sizes.iter().map(|size| size.as_constant().unwrap_or(DYNAMIC));
            let ty = memref(&own.collect::<Vec<_>>(), element);
            let view = memref::view(at, self.argument, at.index(0), &valid, ty).value();
            for (user, operand) in uses {
                user.set_operand(operand, view);
                let user = guards::plain(at.context, user);
                let below = |dim: usize| {
                    rests::is_below(user, dim, &self.limit(at.context, &shape.sizes[dim]))
                };
                let is_inside = Access::of(user).is_some_and(|access| {
                    access.settle(at.context, &|dim| access.is_inside(dim, &shape.least, &below))
                });
                if !is_inside {
                    user.set_attr(GUARDED, i64s(at.context, &shape.least));
                }
            }
        }
        shapes.iter().filter_map(|shape| shape.made_by).for_each(Op::erase);
    }
}

/// An argument as a tensor of some shape.
#[derive(Clone)]
struct Shape<'c> {
    value: Value<'c>,
    /// What gives it this shape.
    made_by: Option<Op<'c>>,
    /// How many elements of each dimension are valid.
    sizes: Vec<AffineExpr>,
    /// The smallest size of each dimension whose size differs between calls.
    least: Vec<i64>,
}

impl<'c> Shape<'c> {
    /// The shape that `user` gives it by joining dimensions, if the valid elements are still the first ones of each: in a joined
    /// dimension, all but the outermost are whole.
    fn collapsed(&self, user: Op<'c>) -> Option<Self> {
        let is_own = user.is(memref::COLLAPSE_SHAPE) && user.operand(0) == self.value;
        let result = user.results().first().copied().filter(|_| is_own)?;
        let groups = user.attr("reassociation")?.as_array()?;
        (result.ty() == memref(&result.ty().shape()?, result.ty().element())).then_some(())?;
        let (mut sizes, mut least, mut rest) = (Vec::new(), Vec::new(), self.least.iter());
        for group in groups {
            let (mut open, mut factor): (Option<&AffineExpr>, i64) = (None, 1);
            for dim in group.as_array()? {
                let size = self.sizes.get(usize::try_from(dim.as_i64()?).ok()?)?;
                match size.as_constant() {
                    Some(more) => factor = factor.checked_mul(more)?,
                    None if open.is_none() && factor == 1 => open = Some(size),
                    None => return None,
                }
            }
            sizes.push(open.map_or(AffineExpr::Constant(factor), |open| open.clone() * factor));
            if open.is_some() {
                least.push(rest.next()?.checked_mul(factor)?);
            }
        }
        Some(Self { value: result, made_by: Some(user), sizes, least })
    }

    /// The shape that `user` gives it by dividing dimensions, if the valid elements are still the first ones of each: of an open dimension
    /// whole rows are valid.
    fn expanded(&self, user: Op<'c>) -> Option<Self> {
        let is_own = user.is(memref::EXPAND_SHAPE) && user.operand(0) == self.value;
        let result = user.results().first().copied().filter(|_| is_own)?;
        let shape = result.ty().shape()?;
        let groups = user.attr("reassociation")?.as_array()?;
        (result.ty() == memref(&shape, result.ty().element())).then_some(())?;
        let (mut sizes, mut least, mut rest) = (Vec::new(), Vec::new(), self.least.iter());
        for (group, size) in groups.into_iter().zip(&self.sizes) {
            let own = shape.get(sizes.len()..sizes.len() + group.as_array()?.len())?;
            let mut all: Vec<_> = own.iter().map(|size| AffineExpr::Constant(*size)).collect();
            if size.as_constant().is_none() {
                let outer = own.iter().position(|size| *size != 1)?;
                let row = own[outer + 1..].iter().product();
                all[outer] = divided(size, row)?;
                least.push(rest.next()?.div_euclid(row));
            }
            sizes.extend(all);
        }
        Some(Self { value: result, made_by: Some(user), sizes, least })
    }
}

/// The quotient of a size by a number, where it is whole whatever the sizes of a call are.
fn divided(size: &AffineExpr, by: i64) -> Option<AffineExpr> {
    let dims = size.dims().into_iter().max().map_or(0, |last| last + 1);
    let (factors, more) = size.linear(dims)?;
    let is_whole = by > 0 && factors.iter().chain([&more]).all(|factor| factor % by == 0);
    let terms = factors.iter().enumerate().filter(|(_, factor)| **factor != 0);
    let term = |(dim, factor): (usize, &i64)| AffineExpr::dim(dim) * (factor / by);
    let sum = terms.map(term).reduce(|sum, term| sum + term)?;
    is_whole.then(|| if more == 0 { sum } else { sum + more / by })
}
