//! The program under construction: one block of operations, each checked by the dialect when it is added.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use strata_ir::{
    self as ir, Attribute, AttributeExt as _, Block, Context, Location, Module, OpBuilder, OpName,
    Point, RegionBuilder, SharedContext, Type, TypeExt as _, Value, WalkOrder, capture, func,
    stablehlo,
};

use crate::{
    computation::Computation,
    error::{Error, Result, Site},
    op::{Node, Op},
    shape::Shape,
};

/// A parameter as it was declared.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) number: usize,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    /// The block arguments of its leaves.
    pub(crate) arguments: std::ops::Range<usize>,
}

/// The mutable state while operations are added.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) callees: Vec<Computation>,
    pub(crate) first_error: Option<Error>,
    /// Attributes of the next operations, sorted by name.
    pub(crate) attributes: Vec<(String, Attribute<'static>)>,
    pub(crate) metadata: Option<String>,
    /// The token of the last transfer without an explicit token.
    pub(crate) order: Option<Value<'static>>,
}

/// A builder's program. The context is declared last, so that it is the last to go.
pub(crate) struct Graph {
    pub(crate) name: String,
    pub(crate) state: RefCell<State>,
    pub(crate) block: Block<'static>,
    _module: Module<'static>,
    pub(crate) shared: SharedContext,
}

/// Operations that take more than arrays. Inference of all others relies on arrays.
const TAKE_TOKENS: &[OpName<'_>] = &[
    func::CALL,
    stablehlo::AFTER_ALL,
    stablehlo::ASYNC_DONE,
    stablehlo::COMPOSITE,
    stablehlo::CUSTOM_CALL,
    stablehlo::INFEED,
    stablehlo::OPTIMIZATION_BARRIER,
    stablehlo::OUTFEED,
    stablehlo::RECV,
    stablehlo::SEND,
    stablehlo::WHILE,
];

/// How result types are determined.
pub(crate) enum Results {
    /// The operation infers them.
    Inferred,
    /// The shape is inferred, the elements are given.
    Elements(Type<'static>),
    /// All types are given.
    Given(Vec<Type<'static>>),
}

impl Graph {
    pub(crate) fn new(site: Site, name: &str) -> Rc<Self> {
        let shared = SharedContext::of_thread();
        let context = shared.get();
        let (module, function) = function(context, place(context, site));
        let block = function.body(0);
        Rc::new(Self {
            name: name.to_owned(),
            state: RefCell::default(),
            block,
            _module: module,
            shared,
        })
    }

    /// The line that created the builder.
    pub(crate) fn origin(&self) -> Location<'static> {
        let function = self.block.parent_op();
        function.map_or_else(|| Location::unknown(self.context()), |function| function.location())
    }

    pub(crate) fn context(&self) -> &'static Context {
        self.shared.get()
    }

    /// The location of what a call builds: the Rust line, with the name of the metadata around it.
    pub(crate) fn location(&self, site: Site) -> Location<'static> {
        let context = self.context();
        let location = place(context, site);
        match &self.state.borrow().metadata {
            Some(name) => Location::name(context, name, location),
            None => location,
        }
    }

    /// Adds one operation at the end of the program.
    ///
    /// # Errors
    /// Errors of the dialect's inference and verifiers, or a result that is too large.
    pub(crate) fn emit(
        &self,
        site: Site,
        name: OpName<'static>,
        results: Results,
        fill: impl FnOnce(OpBuilder<'static>) -> OpBuilder<'static>,
    ) -> Result<ir::Op<'static>> {
        let context = self.context();
        let builder = ir::Builder::at_end(context, self.block, self.location(site));
        let mut op = fill(builder.op(name));
        if !TAKE_TOKENS.contains(&name)
            && let Some(at) = op.added_operands().iter().position(|one| !one.ty().is_tensor_type())
        {
            return Err(site.error(format!("operand {at} is a token, expected an array")));
        }
        for (name, value) in &self.state.borrow().attributes {
            op = op.attr(name, *value);
        }
        let (built, reports) = capture(context, || build(builder, op, results));
        let op = built.ok_or_else(|| site.violated(name.as_str(), &reports))?;
        if let Err(error) = ir::check_size(op) {
            op.erase();
            return Err(error.operation(site.operation).into());
        }
        Ok(op)
    }

    /// Runs `make` with diagnostics of the context suppressed.
    pub(crate) fn made<T>(&self, make: impl FnOnce(&'static Context) -> Option<T>) -> Option<T> {
        capture(self.context(), || make(self.context())).0
    }

    /// As [`Self::emit`], for the only result.
    pub(crate) fn emit_op(
        self: &Rc<Self>,
        site: Site,
        name: OpName<'static>,
        results: Results,
        fill: impl FnOnce(OpBuilder<'static>) -> OpBuilder<'static>,
    ) -> Result<Op> {
        let op = self.emit(site, name, results, fill)?;
        Ok(self.op(op.result(0)))
    }

    /// As [`Self::emit`], for all results, as a tuple if there are several.
    pub(crate) fn emit_many(
        self: &Rc<Self>,
        site: Site,
        name: OpName<'static>,
        results: Results,
        fill: impl FnOnce(OpBuilder<'static>) -> OpBuilder<'static>,
    ) -> Result<Op> {
        let op = self.emit(site, name, results, fill)?;
        let mut results: Vec<Op> = op.results().into_iter().map(|value| self.op(value)).collect();
        if results.len() == 1 {
            return Ok(results.remove(0));
        }
        Ok(self.tuple(results))
    }

    pub(crate) fn op(self: &Rc<Self>, value: Value<'static>) -> Op {
        Op { graph: Rc::clone(self), node: Node::Value(value) }
    }

    pub(crate) fn tuple(self: &Rc<Self>, elements: Vec<Op>) -> Op {
        Op { graph: Rc::clone(self), node: Node::Tuple(elements.into()) }
    }

    /// A handle for a failed call.
    pub(crate) fn failed(self: &Rc<Self>, error: Error) -> Op {
        self.state.borrow_mut().first_error.get_or_insert_with(|| error.clone());
        Op { graph: Rc::clone(self), node: Node::Failed(Rc::new(error)) }
    }

    /// The handle of that shape whose leaves are the next of `values`.
    pub(crate) fn gathered(
        self: &Rc<Self>,
        shape: &Shape,
        values: &mut impl Iterator<Item = Value<'static>>,
    ) -> Option<Op> {
        match shape {
            Shape::Tuple(elements) => {
                let elements = elements.iter().map(|shape| self.gathered(shape, values));
                Some(self.tuple(elements.collect::<Option<_>>()?))
            }
            _ => values.next().map(|value| self.op(value)),
        }
    }

    /// The value of an array or token.
    pub(crate) fn value(self: &Rc<Self>, site: Site, op: &Op) -> Result<Value<'static>> {
        if !Rc::ptr_eq(self, &op.graph) {
            return Err(site.foreign("an operand"));
        }
        match &op.node {
            Node::Value(value) => Ok(*value),
            Node::Failed(error) => Err((**error).clone()),
            Node::Tuple(_) => Err(site.hinted(
                "the operand is a tuple, expected an array",
                "`get_tuple_element` gives one of its elements",
            )),
            Node::Future(_) => Err(site.hinted(
                "the operand is an asynchronous operation, expected an array",
                "`async_done` gives its result",
            )),
        }
    }

    pub(crate) fn values(self: &Rc<Self>, site: Site, ops: &[Op]) -> Result<Vec<Value<'static>>> {
        ops.iter().map(|op| self.value(site, op)).collect()
    }

    /// The leaves of a value: arrays and tokens.
    pub(crate) fn leaves(self: &Rc<Self>, site: Site, op: &Op) -> Result<Vec<Value<'static>>> {
        match &op.node {
            Node::Tuple(elements) if Rc::ptr_eq(self, &op.graph) => {
                let parts = elements.iter().map(|element| self.leaves(site, element));
                Ok(parts.collect::<Result<Vec<_>>>()?.concat())
            }
            _ => Ok(vec![self.value(site, op)?]),
        }
    }

    pub(crate) fn type_of(&self, site: Site, shape: &Shape) -> Result<Type<'static>> {
        let types = shape.types(self.context()).map_err(|reason| site.error(reason))?;
        match types[..] {
            [one] => Ok(one),
            _ => Err(site.error(format!("the shape is {shape}, an array is expected"))),
        }
    }

    pub(crate) fn types_of(&self, site: Site, shape: &Shape) -> Result<Vec<Type<'static>>> {
        shape.types(self.context()).map_err(|reason| site.error(reason))
    }

    /// A region with the computation's body. Its first parameters are the region's arguments; `captured` has the values
    /// of the others.
    pub(crate) fn region(
        &self,
        site: Site,
        computation: &Computation,
        captured: &[Value<'static>],
    ) -> RegionBuilder {
        let builder = ir::Builder::at_end(self.context(), self.block, self.location(site));
        let body = computation.body();
        let arguments = body.args();
        let free = arguments.len().saturating_sub(captured.len());
        let types: Vec<Type<'static>> = arguments[..free].iter().map(|value| value.ty()).collect();
        builder.region(&types, |inner, values| {
            let all = values.iter().chain(captured).copied();
            let mut known: HashMap<Value<'static>, Value<'static>> =
                arguments.iter().copied().zip(all).collect();
            let results = inner.copy_body(body, &mut known);
            inner.op(stablehlo::RETURN).operands(&results).build();
            if let Point::End(block) = inner.point {
                self.adopt_symbols(computation, block);
            }
        })
    }

    /// The symbol of a computation in the program.
    pub(crate) fn symbol(&self, computation: &Computation) -> String {
        let callees = &mut self.state.borrow_mut().callees;
        let known = callees.iter().position(|callee| callee.is(computation));
        let at = known.unwrap_or_else(|| {
            callees.push(computation.clone());
            callees.len() - 1
        });
        callee(at)
    }

    /// The operations of `block` were copied from `computation`: their callees become this program's.
    fn adopt_symbols(&self, computation: &Computation, block: Block<'static>) {
        if computation.callees().is_empty() {
            return;
        }
        let names: Vec<String> =
            computation.callees().iter().map(|callee| self.symbol(callee)).collect();
        for op in block.ops() {
            rename_symbols(self.context(), op, &|at| names.get(at).cloned());
        }
    }
}

/// Builds, verifies and inserts; leaves the graph unchanged on failure. Operations with regions are verified after
/// insertion, because they may capture values; all others before, because MLIR prints the surrounding function in
/// errors.
fn build(
    builder: ir::Builder<'static>,
    op: OpBuilder<'static>,
    results: Results,
) -> Option<ir::Op<'static>> {
    let (op, is_open) = match results {
        Results::Inferred => (op.infer(), false),
        Results::Given(types) => (op.results(&types), false),
        Results::Elements(element) => (op.result(ir::tensor(&[], element)), true),
    };
    let op = op.try_build()?;
    let has_regions = op.region_count() > 0;
    if has_regions {
        builder.insert(op);
    }
    if (is_open && !op.infer_result()) || !op.verify() {
        op.erase();
        return None;
    }
    Some(if has_regions { op } else { builder.insert(op) })
}

/// The symbol of a program's callee `at`, until the program is assembled.
pub(crate) fn callee(at: usize) -> String {
    format!("callee.{at}")
}

/// Renames the callees of `op` and its nested operations.
pub(crate) fn rename_symbols(
    context: &'static Context,
    op: ir::Op<'static>,
    name: &dyn Fn(usize) -> Option<String>,
) {
    let renamed = |value: Attribute<'static>| {
        let at = value.as_symbol()?.strip_prefix("callee.")?.parse().ok()?;
        Some(ir::symbol(context, &name(at)?))
    };
    op.walk(WalkOrder::Pre, &mut |op| {
        for key in ["callee", "decomposition"] {
            if let Some(value) = op.attr(key).and_then(renamed) {
                op.set_attr(key, value);
            }
        }
        if let Some(list) = op.attr("called_computations").and_then(|list| list.as_array()) {
            let list: Vec<_> = list.into_iter().map(|one| renamed(one).unwrap_or(one)).collect();
            op.set_attr("called_computations", ir::array(context, &list));
        }
    });
}

/// The line of Rust.
fn place(context: &'static Context, site: Site) -> Location<'static> {
    let place = site.place;
    Location::new(context, place.file(), place.line() as usize, place.column() as usize)
}

/// A module with one function of one block, without parameters yet.
pub(crate) fn function(
    context: &'static Context,
    location: Location<'static>,
) -> (Module<'static>, ir::Op<'static>) {
    let module = Module::new(location);
    let body = ir::module_op(&module).body(0);
    let builder = ir::Builder::at_end(context, body, location);
    let region = builder.region(&[], |_, _| {});
    let ty = ir::function(context, &[], &[]);
    let function = builder
        .op(func::FUNC)
        .attr("sym_name", ir::string(context, "main"))
        .attr("function_type", ir::type_attr(ty))
        .region(region)
        .build();
    (module, function)
}
