//! Emits the function on buffers next to the one on tensors.
//!
//! Nothing is decided here: each operation is emitted with the buffers that [`super::placement`] assigned, with copies
//! where a tensor is not in the required buffer, and a trace is recorded for [`super::checker`].

mod access;
mod control;
mod ops;
mod remarks;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt, Block, Builder, Context, DYNAMIC, Module, Op, Type, TypeExt as _, Value,
    attribute_address, diagnostic_at, func, function, function_types, i64s, int, integer, memref,
    module_op, scf, string, symbol, tensor, type_attr, unit,
};
use strata_remarks::wants_remarks;

use remarks::{CYCLE, IN_A_CYCLE};

use super::{
    accesses::{self, Role},
    parallel_copies::{self, Move},
    paths::{Layout, Path, Step, Steps},
    placement::{BufferId, Place, Placement, Storage},
    trace::{Event, Trace},
    values::Values,
};

/// Emits a function on buffers.
pub struct Emitter<'e, 'c> {
    context: &'c Context,
    values: &'e Values<'c>,
    steps: &'e mut Steps<'c>,
    placement: &'e Placement<'c>,
    /// The map from scalars and vectors of the old function to the new one.
    known: FxHashMap<Value<'c>, Value<'c>>,
    /// The current memref of each buffer.
    names: Vec<Option<Value<'c>>>,
    /// Existing views, by buffer.
    views: FxHashMap<(Value<'c>, Path), Value<'c>>,
    /// The views created in each open region.
    scopes: Vec<Vec<(Value<'c>, Path)>>,
    /// The open blocks, outermost first, and their insertion points.
    open: Vec<(Block<'c>, Builder<'c>)>,
    /// Results of selects between tensors, and their layouts.
    chosen: FxHashMap<Value<'c>, (Value<'c>, Layout)>,
    /// The offsets of slices in their buffers.
    starts: FxHashMap<Value<'c>, Option<access::Start<'c>>>,
    /// The globals, by the constant.
    globals: FxHashMap<usize, String>,
    /// All names in the module.
    symbols: FxHashSet<String>,
    /// The last suffix of each global's name.
    numbers: FxHashMap<String, usize>,
    top: Block<'c>,
    events: Vec<Event<'c>>,
    accesses: Vec<(Op<'c>, Value<'c>)>,
}

/// The source of a copy.
#[derive(Clone)]
struct Source<'c> {
    /// Its possible buffers; none for saved values.
    places: Vec<Place>,
    buffer: Value<'c>,
    /// The tensor, and what it is copied for.
    value: Value<'c>,
    purpose: (&'static str, Op<'c>),
}

/// The target of a copy.
#[derive(Clone)]
struct Target<'c> {
    place: Place,
    buffer: Value<'c>,
}

/// Builds the entry of `module` on buffers before `entry`, which is on tensors.
///
/// # Errors
/// `S9002` for operations that cannot be emitted on buffers.
pub fn emit<'c>(
    context: &'c Context,
    module: &Module<'c>,
    entry: Op<'c>,
    donated: &[Option<usize>],
    values: &Values<'c>,
    steps: &mut Steps<'c>,
    placement: &Placement<'c>,
) -> Result<Trace<'c>, Diagnostic> {
    let (inputs, results) = entry
        .attr("function_type")
        .and_then(AttributeExt::as_type)
        .and_then(function_types)
        .ok_or_else(|| broken(entry, "the entry is not a function"))?;
    let kept: Vec<usize> = (0..inputs.len()).filter(|index| donated[*index].is_none()).collect();
    let types = kept.iter().map(|index| inputs[*index]).chain(results.iter().copied());
    let types = types.map(|ty| plain(entry, ty)).collect::<Result<Vec<_>, _>>()?;
    let mut emitter = Emitter::new(context, module, values, steps, placement);
    let mut trace = Trace::default();
    let builder = Builder::before(context, entry);
    let mut outcome = Ok(());
    let region = builder.region(&types, |inner, arguments| {
        let (taken, outputs) = arguments.split_at(kept.len());
        // The buffer of each input at the start.
        let mut places: Vec<_> =
            donated.iter().map(|shared| shared.map(|output| outputs[output])).collect();
        for (input, buffer) in kept.iter().zip(taken) {
            places[*input] = Some(*buffer);
        }
        for (name, buffer) in emitter.names.iter_mut().zip(&placement.buffers) {
            *name = match buffer.storage {
                Storage::Input(input) => places[input],
                Storage::Output(output) => Some(outputs[output]),
                Storage::Temporary | Storage::Constant => None,
            };
        }
        let arguments = entry.body(0).args().into_iter().zip(places).zip(donated);
        trace.inputs = arguments
            .filter_map(|((argument, place), shared)| Some((argument, place?, shared.is_some())))
            .collect();
        trace.outputs = outputs.to_vec();
        outcome = emitter.entry(entry.body(0), inner, outputs);
    });
    outcome?;
    trace.events = std::mem::take(&mut emitter.events);
    trace.accesses = std::mem::take(&mut emitter.accesses);
    trace.numbers = std::mem::take(&mut emitter.known);
    let attributes: Vec<_> = entry
        .attrs()
        .into_iter()
        .filter(|(name, _)| !matches!(*name, "arg_attrs" | "res_attrs" | "function_type"))
        .collect();
    builder
        .op(func::FUNC)
        .attrs(&attributes)
        .attr("function_type", type_attr(function(context, &types, &[])))
        .region(region)
        .build();
    Ok(trace)
}

fn symbols(module: &Module<'_>) -> FxHashSet<String> {
    let named = |op: Op<'_>| op.attr("sym_name")?.as_str().map(str::to_owned);
    module_op(module).body(0).ops().into_iter().filter_map(named).collect()
}

fn broken(op: Op<'_>, reason: &str) -> Diagnostic {
    diagnostic_at(codes::S9002, op).reason(reason.to_owned())
}

/// The layout of a whole buffer for a tensor of type `ty`.
fn plain<'c>(op: Op<'c>, ty: Type<'c>) -> Result<Type<'c>, Diagnostic> {
    match ty.shape() {
        Some(shape) if ty.is_tensor_type() && ty.has_static_shape() => {
            Ok(memref(&shape, ty.element()))
        }
        _ => Err(broken(op, &format!("`{ty}` is not a static tensor"))),
    }
}

impl<'e, 'c> Emitter<'e, 'c> {
    fn new(
        context: &'c Context,
        module: &Module<'c>,
        values: &'e Values<'c>,
        steps: &'e mut Steps<'c>,
        placement: &'e Placement<'c>,
    ) -> Self {
        Self {
            context,
            values,
            steps,
            placement,
            known: FxHashMap::default(),
            names: vec![None; placement.buffers.len()],
            views: FxHashMap::default(),
            scopes: Vec::new(),
            open: Vec::new(),
            chosen: FxHashMap::default(),
            starts: FxHashMap::default(),
            globals: FxHashMap::default(),
            symbols: symbols(module),
            numbers: FxHashMap::default(),
            top: module_op(module).body(0),
            events: Vec::new(),
            accesses: Vec::new(),
        }
    }

    fn entry(
        &mut self,
        old: Block<'c>,
        builder: &Builder<'c>,
        outputs: &[Value<'c>],
    ) -> Result<(), Diagnostic> {
        self.block(old, builder)?;
        let Some(end) = old.terminator() else { return Ok(()) };
        let at = Builder { location: end.location(), ..*builder };
        let mut moves = Vec::new();
        for (index, value) in end.operands().into_iter().enumerate() {
            let buffer = self.placement.outputs.get(&index).copied();
            let buffer = buffer.ok_or_else(|| broken(end, "an output has no buffer"))?;
            let place = Place { buffer, path: Path::new() };
            let target = Target { place, buffer: outputs[index] };
            self.request(&at, value, target, ("a result of the program", end), &mut moves)?;
        }
        self.copy_all(&at, moves)?;
        for (index, value) in end.operands().into_iter().enumerate() {
            self.events.push(Event::Return { index, value, buffer: outputs[index] });
        }
        at.op(func::RETURN).build();
        Ok(())
    }

    /// Emits the operations of `old` except its terminator. The block stays open.
    fn block(&mut self, old: Block<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        self.open.push((old, *builder));
        self.scopes.push(Vec::new());
        let end = old.terminator();
        for &(op, role) in self.values.body(old).iter().filter(|(op, _)| Some(*op) != end) {
            let at = Builder { location: op.location(), ..*builder };
            self.operation(op, role, &at)?;
        }
        Ok(())
    }

    /// Closes the innermost open block and drops its cached views.
    fn close(&mut self) {
        self.open.pop();
        for key in self.scopes.pop().unwrap_or_default() {
            self.views.remove(&key);
        }
    }

    fn operation(&mut self, op: Op<'c>, role: Role, at: &Builder<'c>) -> Result<(), Diagnostic> {
        match role {
            Role::None => {
                at.copy(op, &mut self.known);
                Ok(())
            }
            Role::Undefined => Ok(()),
            Role::Constant => {
                let value = op.result(0);
                if value.has_uses() {
                    let buffer = self.buffer(at, value)?;
                    self.events.push(Event::Constant { value, buffer });
                }
                Ok(())
            }
            Role::View => {
                let value = op.result(0);
                if value.has_uses() && !self.values.is_undefined(value) {
                    let buffer = self.buffer(at, value)?;
                    if !self.values.is_chosen(value) {
                        self.events.push(Event::View { op, buffer });
                    }
                }
                Ok(())
            }
            Role::Select => self.select(op, at),
            Role::Compute => self.compute(op, at),
            Role::Control => self.control(op, at),
        }
    }

    /// The new value of a scalar or a vector of the old function.
    fn number(&self, value: Value<'c>) -> Value<'c> {
        self.known.get(&value).copied().unwrap_or(value)
    }

    /// The buffer of a defined tensor.
    fn buffer(&mut self, at: &Builder<'c>, value: Value<'c>) -> Result<Value<'c>, Diagnostic> {
        if let Some(place) = self.placement.place(self.values, self.steps, value) {
            return self.at(at, &place);
        }
        self.chosen(at, value).map(|(buffer, _)| buffer)
    }

    /// One of several tensors, or a view of it.
    fn chosen(
        &mut self,
        at: &Builder<'c>,
        value: Value<'c>,
    ) -> Result<(Value<'c>, Layout), Diagnostic> {
        if let Some(chosen) = self.chosen.get(&value) {
            return Ok(chosen.clone());
        }
        let Some(view) = value.owner().filter(|owner| accesses::role(*owner) == Role::View) else {
            return Err(Diagnostic::new(codes::S9002).reason(format!("{value} has no buffer")));
        };
        let (source, layout) = self.chosen(at, view.operand(0))?;
        let step = Step::of(view).ok_or_else(|| broken(view, "the view has no step"))?;
        let layout = layout.after(&step).ok_or_else(|| broken(view, "the view has no layout"))?;
        let made = self.step(at, source, &step, layout.ty(value.ty().element()));
        let made = (made, layout);
        self.chosen.insert(value, made.clone());
        Ok(made)
    }

    /// The buffer of a tensor; `None` if it is undefined or not a tensor.
    fn optional(
        &mut self,
        at: &Builder<'c>,
        value: Value<'c>,
    ) -> Result<Option<Value<'c>>, Diagnostic> {
        if !accesses::is_tensor(value) || self.values.is_undefined(value) {
            return Ok(None);
        }
        self.buffer(at, value).map(Some)
    }

    /// The memref of a place.
    fn at(&mut self, at: &Builder<'c>, place: &Place) -> Result<Value<'c>, Diagnostic> {
        let root = self.name(place.buffer)?;
        let tensor = self.placement.buffers[place.buffer].tensor;
        let shape = tensor.shape().unwrap_or_default();
        let mut value = root;
        for length in 1..=place.path.len() {
            let path = place.path[..length].to_vec();
            let key = (root, path);
            if let Some(made) = self.views.get(&key) {
                value = *made;
                continue;
            }
            let layout = self.steps.layout(&shape, &key.1).ok_or_else(|| {
                Diagnostic::new(codes::S9002).reason("a place in a buffer has no layout")
            })?;
            let step = self.steps.get(place.path[length - 1]).clone();
            value = self.step(at, value, &step, layout.ty(tensor.element()));
            self.views.insert(key.clone(), value);
            if let Some(scope) = self.scopes.last_mut() {
                scope.push(key);
            }
        }
        Ok(value)
    }

    fn step(&self, at: &Builder<'c>, from: Value<'c>, step: &Step<'c>, ty: Type<'c>) -> Value<'c> {
        match step {
            Step::Slice { offsets, sizes, strides, dynamic, .. } => {
                let mut numbers = dynamic.iter().map(|value| self.number(*value));
                let mut take = |list: &[i64]| {
                    let count = list.iter().filter(|one| **one == DYNAMIC).count();
                    numbers.by_ref().take(count).collect::<Vec<_>>()
                };
                let [at_run_time, sized, strided] =
                    [offsets, sizes, strides].map(|list| take(list));
                memref::subview(at, from, offsets, sizes, strides, ty)
                    .offsets(&at_run_time)
                    .sizes(&sized)
                    .strides(&strided)
                    .value()
            }
            Step::Reshape { from: old, to, groups } => {
                let counts: Vec<_> = groups.iter().map(Vec::len).collect();
                let groups = strata_ir::reassociation(self.context, &counts);
                if to.len() >= old.len() {
                    at.op(memref::EXPAND_SHAPE)
                        .operand(from)
                        .attr("reassociation", groups)
                        .attr("static_output_shape", i64s(self.context, to))
                        .result(ty)
                        .value()
                } else {
                    at.op(memref::COLLAPSE_SHAPE)
                        .operand(from)
                        .attr("reassociation", groups)
                        .result(ty)
                        .value()
                }
            }
        }
    }

    /// The current memref of a buffer; temporaries are allocated in the block in which they are live.
    fn name(&mut self, buffer: BufferId) -> Result<Value<'c>, Diagnostic> {
        if let Some(name) = self.names[buffer] {
            return Ok(name);
        }
        let own = &self.placement.buffers[buffer];
        if own.storage == Storage::Constant {
            let value = own.members.first().map(|member| self.values.versions[*member].value);
            let owner = value.and_then(Value::owner);
            let owner =
                owner.ok_or_else(|| Diagnostic::new(codes::S9002).reason("a constant is lost"))?;
            let name = self.global(owner)?;
            self.names[buffer] = Some(name);
            return Ok(name);
        }
        let (first, last) = own.rotates_in.unwrap_or_else(|| own.hull());
        let home = self.open.iter().rposition(|(block, _)| {
            let (start, end) = self.values.span(*block);
            start <= first && last <= end
        });
        let at = home.map_or(self.open[0].1, |home| self.open[home].1);
        let name = self.allocate(&at, buffer)?;
        self.names[buffer] = Some(name);
        Ok(name)
    }

    fn allocate(&self, at: &Builder<'c>, buffer: BufferId) -> Result<Value<'c>, Diagnostic> {
        let tensor = self.placement.buffers[buffer].tensor;
        let shape = tensor.shape().unwrap_or_default();
        let mut sizes = Vec::new();
        if shape.contains(&DYNAMIC) {
            // As large as the `tensor.empty` that its first tensor is computed into.
            let members = &self.placement.buffers[buffer].members;
            let empties = members.iter().filter_map(|member| {
                let value = self.values.versions[*member].value;
                let (owner, tie) = accesses::tie_of(value)?;
                owner.operand(tie.operand).owner().filter(|empty| empty.is(tensor::EMPTY))
            });
            let Some(empty) = empties.into_iter().next() else {
                return Err(
                    Diagnostic::new(codes::S9002).reason(format!("`{tensor}` has no known size"))
                );
            };
            sizes = empty.operands().into_iter().map(|value| self.number(value)).collect();
        }
        Ok(self.alloc(at, tensor, &sizes))
    }

    /// A new temporary for a tensor of type `ty`, with `sizes` for its dynamic extents.
    fn alloc(&self, at: &Builder<'c>, ty: Type<'c>, sizes: &[Value<'c>]) -> Value<'c> {
        let shape = ty.shape().unwrap_or_default();
        let ty = memref(&shape, ty.element());
        memref::alloc(at, ty).dynamic_sizes(sizes).alignment(64).value()
    }

    fn global(&mut self, constant: Op<'c>) -> Result<Value<'c>, Diagnostic> {
        let value =
            constant.attr("value").ok_or_else(|| broken(constant, "a constant without value"))?;
        let tensor = constant.result(0).ty();
        let ty = plain(constant, tensor)?;
        let key = attribute_address(value);
        if !self.globals.contains_key(&key) {
            let name = self.fresh_global(tensor);
            let location = constant.location();
            let first = Builder { location, ..Builder::at_start(self.context, self.top, location) };
            first
                .op(memref::GLOBAL)
                .attr("sym_name", string(self.context, &name))
                .attr("sym_visibility", string(self.context, "private"))
                .attr("type", type_attr(ty))
                .attr("initial_value", value)
                .attr("constant", unit(self.context))
                .attr("alignment", int(integer(self.context, 64), 64))
                .build();
            self.globals.insert(key, name);
        }
        let name = &self.globals[&key];
        let at = self.open[0].1;
        Ok(at.op(memref::GET_GLOBAL).attr("name", symbol(self.context, name)).result(ty).value())
    }

    fn fresh_global(&mut self, tensor: Type<'c>) -> String {
        let shape = tensor.shape().unwrap_or_default();
        let mut name = "__constant_".to_owned();
        for size in shape {
            name.push_str(&format!("{size}x"));
        }
        let element = tensor.element().to_string();
        name.extend(element.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '_' }));
        let mut candidate = name.clone();
        while !self.symbols.insert(candidate.clone()) {
            let number = self.numbers.entry(name.clone()).or_default();
            *number += 1;
            candidate = format!("{name}_{number}");
        }
        candidate
    }

    /// Requests a copy of `value` to `target`, unless it is there already. `purpose` is the reason, with the operation
    /// that needs it.
    fn request(
        &mut self,
        at: &Builder<'c>,
        value: Value<'c>,
        target: Target<'c>,
        purpose: (&'static str, Op<'c>),
        moves: &mut Vec<Move<Source<'c>, Target<'c>>>,
    ) -> Result<(), Diagnostic> {
        if self.values.is_undefined(value) {
            return Ok(());
        }
        let place = self.placement.place(self.values, self.steps, value);
        if place.as_ref() == Some(&target.place) {
            return Ok(());
        }
        let places = match place {
            Some(place) => vec![place],
            None => self.placement.all_places(self.values, self.steps, value),
        };
        let buffer = self.buffer(at, value)?;
        if wants_remarks() {
            let why = self.placement.why_apart(self.values, self.steps, value, &target.place);
            self.remark_copy(value, purpose, why);
        }
        moves.push(Move { from: Source { places, buffer, value, purpose }, to: target });
        Ok(())
    }

    /// Emits parallel copies.
    fn copy_all(
        &mut self,
        at: &Builder<'c>,
        moves: Vec<Move<Source<'c>, Target<'c>>>,
    ) -> Result<(), Diagnostic> {
        let mut copies = Vec::new();
        let steps = &*self.steps;
        let overlaps = |to: &Target<'c>, from: &Source<'c>| {
            from.places.iter().any(|place| {
                place.buffer == to.place.buffer && !steps.are_disjoint(&place.path, &to.place.path)
            })
        };
        let order = std::cell::RefCell::new(&mut copies);
        parallel_copies::in_order::<_, _, Diagnostic>(
            moves,
            overlaps,
            |from| {
                let scratch = self.alloc(at, from.buffer.ty(), &[]);
                if wants_remarks() {
                    self.remark_copy(from.value, (CYCLE, from.purpose.1), (IN_A_CYCLE, None));
                }
                if !strata_ir::planted("copies-saved") {
                    order.borrow_mut().push((from.clone(), scratch));
                }
                Ok(Source { places: Vec::new(), buffer: scratch, ..from.clone() })
            },
            |from, to| {
                order.borrow_mut().push((from.clone(), to.buffer));
                Ok(())
            },
        )?;
        for (from, to) in copies {
            let source = from.value.owner().unwrap_or(from.purpose.1);
            let here = Builder { location: source.location(), ..*at };
            self.copy(&here, from.buffer, to);
        }
        Ok(())
    }

    fn copy(&mut self, at: &Builder<'c>, from: Value<'c>, to: Value<'c>) {
        at.op(memref::COPY).operands(&[from, to]).build();
        self.events.push(Event::Copy { from, to });
    }
}
