//! The state of `while` loops gets places: numbers are carried as numbers, tensors lie in buffers that the loop
//! reads at the start of a trip and writes at its end.
//!
//! Before:
//! ```mlir
//! %r:2 = scf.while (%i = %zero, %s = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
//!   …; scf.condition(%go) %i, %s
//! } do {
//! ^bb0(%k: tensor<i32>, %old: tensor<4xf32>):
//!   …; scf.yield %j, %new
//! }
//! ```
//! After (`%r#1` is what the place holds then):
//! ```mlir
//! %place = memref.alloc() : memref<4xf32>
//! bufferization.materialize_in_destination %x in restrict writable %place
//! %n = scf.while (%i = %start) : (i32) -> i32 {
//!   …; scf.condition(%go) %i
//! } do {
//! ^bb0(%k: i32):
//!   %old = bufferization.to_tensor %place restrict writable
//!   …
//!   %b = bufferization.to_buffer %new read_only
//!   memref.copy %b, %place {strata.state}
//!   scf.yield %j
//! }
//! ```
//! Bufferization computes `%new` in the place where nothing reads `%old` any more; where it cannot, [`super::rotation`]
//! lets the buffers change roles instead of copying.

use strata_ir::{
    AttributeExt as _, Block, Builder, Context, Op, Type, TypeExt as _, Value, i32s, int, integer,
    memref, unit,
};

use super::boundary::behind_reshapes;

/// Marks the copies that write the state of a loop at the end of a trip.
pub const STATE: &str = "strata.state";

/// How a loop carries a value.
#[derive(Clone, Copy)]
enum Carrier<'c> {
    /// As it is.
    Itself,
    /// The element of a tensor of rank 0.
    Number,
    /// In this buffer.
    Place(Value<'c>),
}

/// What the condition of a loop hands on.
#[derive(Clone, Copy)]
enum Passed<'c> {
    /// The state of this number.
    State(usize),
    /// A value from outside of the loop.
    Outside(Value<'c>),
}

/// Gives places to the state of the `while` loops in `entry`.
pub fn expose<'c>(context: &'c Context, entry: Op<'c>) {
    let mut loops = entry.collect(|op| op.is("scf.while"));
    // Inner loops first: their operations move when those around them are built again.
    loops.reverse();
    for op in &loops {
        for nest in op.collect(|inner| inner.is("linalg.generic")) {
            inline_numbers(context, nest);
        }
    }
    for op in loops {
        if let Some(passed) = passed(op) {
            rebuild(context, op, &passed);
        }
    }
}

/// What the condition hands on; `None` where it computes some of it.
fn passed<'c>(op: Op<'c>) -> Option<Vec<Passed<'c>>> {
    let before = op.body(0);
    let handed = before.terminator()?.operands();
    let find = |value: &Value<'c>| match (value.block_arg(), value.owner()) {
        (Some((block, index)), _) if block == before => Some(Passed::State(index)),
        (Some((block, _)), _) => {
            let is_outside = block.parent_op().is_some_and(|parent| !op.encloses(parent));
            is_outside.then_some(Passed::Outside(*value))
        }
        (None, Some(owner)) => (!op.encloses(owner)).then_some(Passed::Outside(*value)),
        (None, None) => None,
    };
    handed[1..].iter().map(find).collect()
}

fn rebuild<'c>(context: &'c Context, op: Op<'c>, passed: &[Passed<'c>]) {
    let (before, after) = (op.body(0), op.body(1));
    let (Some(home), Some(next)) = (op.block(), op.next()) else { return };
    let (Some(condition), Some(end)) = (before.terminator(), after.terminator()) else { return };
    let front = Builder::before(context, op);
    let carriers: Vec<_> =
        op.operands().into_iter().map(|value| carrier(context, home, op, value)).collect();
    let mut operands = Vec::new();
    for (value, carrier) in op.operands().into_iter().zip(&carriers) {
        match carrier {
            Carrier::Itself => operands.push(value),
            Carrier::Number => operands.push(number(&front, value)),
            Carrier::Place(place) => initialise(&front, value, *place),
        }
    }
    let types: Vec<_> = operands.iter().map(|value| value.ty()).collect();
    let is_carried = |state: &usize| !matches!(carriers[*state], Carrier::Place(_));
    // The position of each state among those that are carried.
    let position = |state: usize| (0..state).filter(is_carried).count();

    let first = front.region(&types, |inner, args| {
        // What is only handed on need not be read.
        for (index, passed) in passed.iter().enumerate() {
            if let Passed::State(state) = passed {
                condition.set_operand(1 + index, op.operand(*state));
            }
        }
        for (state, carrier) in carriers.iter().enumerate() {
            let carried = args.get(position(state)).copied();
            receive(inner, before.arg(state), *carrier, carried, false);
        }
        move_operations(inner, before, condition);
        let goes_on = inner.op("scf.condition").operand(condition.operand(0));
        goes_on.operands(args).build();
    });
    let second = front.region(&types, |inner, args| {
        let read: Vec<_> = passed
            .iter()
            .enumerate()
            .filter_map(|(index, passed)| match passed {
                Passed::State(state) => Some((after.arg(index), *state)),
                Passed::Outside(value) => {
                    after.arg(index).replace_all_uses_with(*value);
                    None
                }
            })
            .collect();
        // One value per state: what is one buffer must be one tensor for bufferization.
        for (state, carrier) in carriers.iter().enumerate() {
            let own: Vec<_> = read
                .iter()
                .filter(|(_, one)| *one == state)
                .map(|(argument, _)| *argument)
                .collect();
            let Some((shown, others)) = own.split_first() else { continue };
            for other in others {
                other.replace_all_uses_with(*shown);
            }
            receive(inner, *shown, *carrier, args.get(position(state)).copied(), true);
        }
        move_operations(inner, after, end);
        let next = finish_trip(inner, end.operands(), &carriers);
        inner.op("scf.yield").operands(&next).build();
    });
    let replacement = front
        .op("scf.while")
        .operands(&operands)
        .results(&types)
        .attrs(&op.attrs())
        .region(first)
        .region(second)
        .build();

    let behind = Builder { location: op.location(), ..Builder::before(context, next) };
    let mut tensors: Vec<Option<Value<'c>>> = vec![None; carriers.len()];
    for (index, passed) in passed.iter().enumerate() {
        let result = op.result(index);
        if !result.has_uses() {
            continue;
        }
        let value = match passed {
            Passed::Outside(value) => *value,
            Passed::State(state) => *tensors[*state].get_or_insert_with(|| {
                let carried = || replacement.result(position(*state));
                match carriers[*state] {
                    Carrier::Itself => carried(),
                    Carrier::Number => from_number(&behind, carried(), result.ty()),
                    Carrier::Place(place) => read(&behind, place, result.ty(), true),
                }
            }),
        };
        result.replace_all_uses_with(value);
    }
    op.erase();
}

/// How the loop `op` in `home` carries a value that starts as `value`.
fn carrier<'c>(context: &'c Context, home: Block<'c>, op: Op<'c>, value: Value<'c>) -> Carrier<'c> {
    let ty = value.ty();
    match ty.shape() {
        Some(shape) if ty.is_tensor_type() && shape.is_empty() => Carrier::Number,
        Some(shape) if ty.is_tensor_type() && ty.has_static_shape() => {
            // At the start of the block, so that what computes the first content may do so in the place.
            let start = Builder::at_start(context, home, op.location());
            Carrier::Place(allocate(&start, memref(&shape, ty.element())))
        }
        _ => Carrier::Itself,
    }
}

/// A buffer of a static type.
pub fn allocate<'c>(builder: &Builder<'c>, ty: Type<'c>) -> Value<'c> {
    let word = integer(builder.context, 64);
    builder
        .op("memref.alloc")
        .result(ty)
        .attr("alignment", int(word, 64))
        .attr("operandSegmentSizes", i32s(builder.context, &[0, 0]))
        .value()
}

/// Puts the first content into a place. What nothing else reads may be computed there.
fn initialise<'c>(builder: &Builder<'c>, value: Value<'c>, place: Value<'c>) {
    if value.has_one_use() {
        builder
            .op("bufferization.materialize_in_destination")
            .operands(&[value, place])
            .attrs(&[("restrict", unit(builder.context)), ("writable", unit(builder.context))])
            .build();
        return;
    }
    let source = content(builder, value, place.ty());
    builder.op("memref.copy").operands(&[source, place]).build();
}

/// The buffer of a tensor, for reading.
fn content<'c>(builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
    builder
        .op("bufferization.to_buffer")
        .operand(value)
        .attr("read_only", unit(builder.context))
        .result(ty)
        .value()
}

/// The tensor in a place.
fn read<'c>(builder: &Builder<'c>, place: Value<'c>, ty: Type<'c>, writable: bool) -> Value<'c> {
    let mark = unit(builder.context);
    let read =
        builder.op("bufferization.to_tensor").operand(place).result(ty).attr("restrict", mark);
    if writable { read.attr("writable", mark).value() } else { read.value() }
}

/// Replaces the argument of a region of the old loop by what the new one carries.
fn receive<'c>(
    builder: &Builder<'c>,
    old: Value<'c>,
    carrier: Carrier<'c>,
    carried: Option<Value<'c>>,
    writable: bool,
) {
    match (carrier, carried) {
        (Carrier::Place(place), _) if old.has_uses() => {
            old.replace_all_uses_with(read(builder, place, old.ty(), writable));
        }
        (Carrier::Itself, Some(carried)) => old.replace_all_uses_with(carried),
        (Carrier::Number, Some(carried)) => {
            hand_number(builder, old, carried);
        }
        _ => {}
    }
}

/// Moves the operations of `from` in front of `end` to the builder's place.
fn move_operations<'c>(builder: &Builder<'c>, from: Block<'c>, end: Op<'c>) {
    for op in from.ops().into_iter().filter(|op| *op != end) {
        builder.adopt(op);
    }
}

/// Writes the places; the values that the loop carries on.
fn finish_trip<'c>(
    builder: &Builder<'c>,
    values: Vec<Value<'c>>,
    carriers: &[Carrier<'c>],
) -> Vec<Value<'c>> {
    let mut next = Vec::new();
    let mut copies = Vec::new();
    for (value, carrier) in values.into_iter().zip(carriers) {
        match carrier {
            Carrier::Itself => next.push(value),
            Carrier::Number => next.push(number(builder, value)),
            Carrier::Place(place) => {
                let (value, target) = behind_reshapes(builder, value, *place);
                copies.push((content(builder, value, target.ty()), target));
            }
        }
    }
    for (source, target) in copies {
        let copy = builder.op("memref.copy").operands(&[source, target]);
        copy.attr(STATE, unit(builder.context)).build();
    }
    next
}

/// The element of a tensor of rank 0.
fn number<'c>(builder: &Builder<'c>, tensor: Value<'c>) -> Value<'c> {
    let element = tensor.ty().element();
    match tensor.owner() {
        Some(owner) if owner.is("tensor.from_elements") => return owner.operand(0),
        Some(owner) if owner.is("arith.constant") => {
            let splat = owner.attr("value").and_then(|value| value.splat_value());
            if let Some(splat) = splat.filter(|_| !element.is_complex()) {
                return builder.op("arith.constant").attr("value", splat).result(element).value();
            }
        }
        _ => {}
    }
    builder.op("tensor.extract").operand(tensor).result(element).value()
}

fn from_number<'c>(builder: &Builder<'c>, number: Value<'c>, ty: Type<'c>) -> Value<'c> {
    builder.op("tensor.from_elements").operand(number).result(ty).value()
}

/// Replaces a tensor of rank 0 by its element where that is what its users want.
fn hand_number<'c>(builder: &Builder<'c>, old: Value<'c>, number: Value<'c>) {
    for (user, _) in old.uses() {
        if user.is("tensor.extract") {
            user.result(0).replace_all_uses_with(number);
            user.erase();
        }
    }
    if old.has_uses() {
        old.replace_all_uses_with(from_number(builder, number, old.ty()));
    }
}

/// Replaces an operation on tensors of rank 0 by operations on their elements.
///
/// Before: `%j = linalg.generic … ins(%i : tensor<i32>) outs(%e : tensor<i32>) { … arith.addi … }`
/// After: `%0 = tensor.extract %i[]`, `%1 = arith.addi %0, …`, `%j = tensor.from_elements %1`
fn inline_numbers<'c>(context: &'c Context, nest: Op<'c>) {
    let is_number = |value: &Value<'c>| value.ty().is_tensor_type() && value.ty().rank() == Some(0);
    let loops = nest.attr("iterator_types").and_then(|list| list.as_array());
    let has_loops = loops.is_none_or(|loops| !loops.is_empty());
    if has_loops || !nest.operands().iter().all(is_number) {
        return;
    }
    let body = nest.body(0);
    let Some(end) = body.terminator() else { return };
    let builder = Builder::before(context, nest);
    for (argument, operand) in body.args().into_iter().zip(nest.operands()) {
        if argument.has_uses() {
            argument.replace_all_uses_with(number(&builder, operand));
        }
    }
    move_operations(&builder, body, end);
    for (result, value) in nest.results().into_iter().zip(end.operands()) {
        hand_number(&builder, result, value);
    }
    nest.erase();
}
