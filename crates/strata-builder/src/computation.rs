//! Finished programs, which are computations for other programs.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt,
    rc::Rc,
};

use strata_ir::{
    self as ir, AttributeExt as _, Block, Module, OpName, SharedContext, Value, WalkOrder, capture,
    func, stablehlo,
};

use crate::{
    error::{Error, Result, Site},
    graph::{Graph, function, rename_symbols},
    op::Op,
    shape::Shape,
};

/// A program, or a computation that programs apply (`reduce`, `map`, `while_loop`, `call`, …). Cheap to clone.
#[derive(Clone)]
pub struct Computation {
    inner: Rc<Inner>,
}

/// A computation as a program.
pub type Program = Computation;

/// The context is declared last, so that it is dropped last.
struct Inner {
    name: String,
    parameters: Vec<(String, Shape)>,
    result: Shape,
    callees: Vec<Computation>,
    function: ir::Op<'static>,
    _module: Module<'static>,
    shared: SharedContext,
}

impl Computation {
    /// The part of a graph that `root` and effects need.
    pub(crate) fn of(site: Site, graph: &Rc<Graph>, root: &Op) -> Result<Self> {
        let roots = graph.leaves(site, root)?;
        let result = root.shape_at(site)?;
        let state = graph.state.borrow();
        let mut declared: Vec<_> = state.parameters.iter().collect();
        declared.sort_by_key(|parameter| parameter.number);
        if let Some((at, _)) = declared.iter().enumerate().find(|(at, one)| *at != one.number) {
            return Err(site.error(format!("parameter {at} is missing")));
        }
        let context = graph.context();
        let (module, function) = function(context, graph.origin());
        let body = function.body(0);
        let mut known = HashMap::new();
        for parameter in &declared {
            for at in parameter.arguments.clone() {
                let argument = graph.block.arg(at);
                known.insert(argument, body.add_arg(argument.ty(), argument.location()));
            }
        }
        let needed = needed(graph.block, &roots);
        let builder = ir::Builder::at_end(context, body, graph.location(site));
        let mut callees = BTreeSet::new();
        for op in graph.block.ops().into_iter().filter(|op| needed.contains(op)) {
            let copy = builder.copy(op, &mut known);
            note_callees(copy, &mut callees);
        }
        let results: Vec<_> =
            roots.iter().map(|root| known.get(root).copied().unwrap_or(*root)).collect();
        builder.op(func::RETURN).operands(&results).build();
        let types =
            |values: &[Value<'static>]| values.iter().map(|one| one.ty()).collect::<Vec<_>>();
        let ty = ir::function(context, &types(&body.args()), &types(&results));
        function.set_attr("function_type", ir::type_attr(ty));
        let used: Vec<usize> = callees.into_iter().collect();
        let position = |at: usize| used.iter().position(|one| *one == at);
        rename_symbols(context, function, &|at| position(at).map(crate::graph::callee));
        let callees = used.iter().filter_map(|at| state.callees.get(*at).cloned()).collect();
        let parameters = declared.iter().map(|one| (one.name.clone(), one.shape.clone())).collect();
        let (name, shared) = (graph.name.clone(), graph.shared.clone());
        let inner = Inner { name, parameters, result, callees, function, _module: module, shared };
        Ok(Self { inner: Rc::new(inner) })
    }

    /// What the program is called.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The names and shapes of the parameters.
    pub fn parameters(&self) -> &[(String, Shape)] {
        &self.inner.parameters
    }

    /// The shape of the result.
    pub fn result(&self) -> &Shape {
        &self.inner.result
    }

    pub(crate) fn body(&self) -> Block<'static> {
        self.inner.function.body(0)
    }

    pub(crate) fn callees(&self) -> &[Computation] {
        &self.inner.callees
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.inner, &other.inner)
    }

    pub(crate) fn shared(&self) -> &SharedContext {
        &self.inner.shared
    }

    /// `(f32[], f32[]) -> f32[]`.
    pub(crate) fn signature(&self) -> String {
        let parameters: Vec<String> =
            self.inner.parameters.iter().map(|(_, shape)| shape.to_string()).collect();
        format!("({}) -> {}", parameters.join(", "), self.inner.result)
    }

    /// The program as a module of its own: the entry `@main`, and each computation that is called.
    pub(crate) fn module(&self) -> Result<Module<'static>> {
        let context = self.inner.shared.get();
        let mut all = vec![self.clone()];
        let mut at = 0;
        while let Some(one) = all.get(at).cloned() {
            for callee in one.callees() {
                if !all.iter().any(|known| known.is(callee)) {
                    all.push(callee.clone());
                }
            }
            at += 1;
        }
        let names = symbols(&all);
        let name_of = |one: &Self| {
            let at = all.iter().position(|known| known.is(one));
            at.and_then(|at| names.get(at).cloned())
        };
        let location = self.inner.function.location();
        let module = Module::new(location);
        ir::module_op(&module).set_attr("sym_name", ir::string(context, &self.inner.name));
        let body = ir::module_op(&module).body(0);
        let builder = ir::Builder::at_end(context, body, location);
        for (one, name) in all.iter().zip(&names) {
            let function = builder.insert(one.inner.function.clone_detached());
            function.set_attr("sym_name", ir::string(context, name));
            let visibility = if one.is(self) { "public" } else { "private" };
            function.set_attr("sym_visibility", ir::string(context, visibility));
            let callees = one.callees();
            rename_symbols(context, function, &|at| callees.get(at).and_then(name_of));
        }
        let (valid, reports) = capture(context, || ir::module_op(&module).verify());
        if valid {
            return Ok(module);
        }
        let report = reports.into_iter().find(|report| report.is_error);
        let message = report.as_ref().map_or("MLIR gave no reason", |one| one.message.as_str());
        let mut error = strata_diag::Diagnostic::new(strata_diag::codes::S1005).reason(message);
        if let Some(place) = report.as_ref().and_then(|one| one.location.clone()) {
            error = error.at(place);
        }
        Err(Error::from(error))
    }
}

impl fmt::Debug for Computation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.inner.name, self.signature())
    }
}

/// The operations that `roots` depend on, and those with effects.
fn needed(block: Block<'static>, roots: &[Value<'static>]) -> HashSet<ir::Op<'static>> {
    let mut needed = HashSet::new();
    let mut work: Vec<_> = roots.iter().filter_map(|root| root.owner()).collect();
    work.extend(block.ops().into_iter().filter(|op| has_effect(*op)));
    while let Some(op) = work.pop() {
        if !needed.insert(op) {
            continue;
        }
        // Values that nested operations capture count as well.
        op.walk(WalkOrder::Pre, &mut |nested| {
            let owners = nested.operands().into_iter().filter_map(|value| value.owner());
            work.extend(owners.filter(|owner| owner.block() == Some(block)));
        });
    }
    needed
}

/// Whether the operation, or one that is nested in it, does more than compute its results.
fn has_effect(op: ir::Op<'static>) -> bool {
    const EFFECTS: &[OpName<'_>] = &[
        stablehlo::INFEED,
        stablehlo::OUTFEED,
        stablehlo::SEND,
        stablehlo::RECV,
        // Callees and unknown operations may have effects.
        func::CALL,
        stablehlo::COMPOSITE,
    ];
    let mut found = false;
    op.walk(WalkOrder::Pre, &mut |nested| {
        let marked = nested.attr("has_side_effect").and_then(|flag| flag.as_bool());
        found |= EFFECTS.contains(&nested.name()) || marked == Some(true);
    });
    found
}

/// The numbers of the callees that `op` names.
fn note_callees(op: ir::Op<'static>, found: &mut BTreeSet<usize>) {
    let mut note = |value: ir::Attribute<'static>| {
        let name = value.as_symbol().and_then(|name| name.strip_prefix("callee."));
        let at: Option<usize> = name.and_then(|at| at.parse().ok());
        found.extend(at);
    };
    op.walk(WalkOrder::Pre, &mut |op| {
        for key in ["callee", "decomposition"] {
            op.attr(key).into_iter().for_each(&mut note);
        }
        let list = op.attr("called_computations").and_then(|list| list.as_array());
        list.into_iter().flatten().for_each(&mut note);
    });
}

/// The names of a program's functions: `main`, then the computations' own, with a number where two have the same.
fn symbols(all: &[Computation]) -> Vec<String> {
    let mut names = vec!["main".to_owned()];
    for one in all.iter().skip(1) {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let own: String =
            one.name().chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
        let own = if own.is_empty() { "computation".to_owned() } else { own };
        let numbered = (1..).map(|number| format!("{own}_{number}"));
        let free = std::iter::once(own.clone()).chain(numbered).find(|name| !names.contains(name));
        names.push(free.unwrap_or(own));
    }
    names
}
