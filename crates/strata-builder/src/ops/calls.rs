//! Custom calls, composites, and asynchronous operations.

use std::rc::Rc;

use strata_ir::{
    self as ir, AttributeExt as _, OpName, OutputOperandAlias, TypeExt as _, stablehlo,
};

use crate::{
    Builder, Computation,
    error::{Result, Site},
    graph::Results,
    op::{Future, Node, Op},
    shape::Shape,
};

/// The calling convention of an external function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApiVersion {
    /// Outputs, inputs: the first form.
    #[default]
    Original = 1,
    /// With a status.
    StatusReturning = 2,
    /// With a status, and buffers in one list.
    StatusReturningUnified = 3,
    /// A call frame with typed attributes.
    TypedFfi = 4,
}

/// A result of a custom call that shares an operand's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliasing {
    /// Path to the result in the tuple of all; empty for the only one.
    pub output: Vec<i64>,
    /// Position of the operand.
    pub operand: i64,
    /// Path to the value inside the operand.
    pub inside: Vec<i64>,
}

/// The description of a custom call.
#[derive(Clone, Debug, Default)]
pub struct CustomCall<'a> {
    /// The function's name.
    pub target: &'a str,
    /// The shape of the result.
    pub shape: Option<Shape>,
    /// The backend configuration: text; for [`ApiVersion::TypedFfi`] an MLIR dictionary such as `{n = 1 : i32}`.
    pub backend_config: &'a str,
    /// How it is called.
    pub api_version: ApiVersion,
    /// Whether it does more than compute its results.
    pub has_side_effect: bool,
    /// Computations passed to it.
    pub called_computations: &'a [Computation],
    /// Results that share operands' memory.
    pub aliases: &'a [Aliasing],
    /// For each array among the operands its dimensions in minor-to-major order; empty for the default layout.
    pub operand_layouts: Option<&'a [Vec<i64>]>,
    /// As `operand_layouts`, of the results.
    pub result_layouts: Option<&'a [Vec<i64>]>,
}

impl Builder {
    /// A call of an external function.
    ///
    /// # Errors
    /// For a configuration that does not fit the API version, layouts and aliases that do not fit, and a missing
    /// shape.
    #[track_caller]
    pub fn custom_call(&self, operands: &[Op], call: &CustomCall<'_>) -> Result<Op> {
        self.custom(Site::new("CustomCall"), operands, call)
    }

    pub(super) fn custom(&self, site: Site, operands: &[Op], call: &CustomCall<'_>) -> Result<Op> {
        let graph = &self.graph;
        let context = graph.context();
        let parts = operands.iter().map(|operand| graph.leaves(site, operand));
        let values = parts.collect::<Result<Vec<_>>>()?.concat();
        let shape =
            call.shape.clone().ok_or_else(|| site.error("the shape of the result is missing"))?;
        if call.target.is_empty() {
            return Err(site.error("the name of the target is empty"));
        }
        let types = graph.types_of(site, &shape)?;
        let mut attributes = vec![
            ("call_target_name", ir::string(context, call.target)),
            ("has_side_effect", ir::boolean(context, call.has_side_effect)),
            ("api_version", ir::int(ir::integer(context, 32), call.api_version as i64)),
            ("backend_config", config(site, context, call)?),
        ];
        if !call.called_computations.is_empty() {
            let symbols = call.called_computations.iter();
            let symbols: Vec<_> =
                symbols.map(|one| ir::symbol(context, &graph.symbol(one))).collect();
            attributes.push(("called_computations", ir::array(context, &symbols)));
        }
        if !call.aliases.is_empty() {
            let alias = |one: &Aliasing| {
                let alias = OutputOperandAlias {
                    output_tuple_indices: one.output.clone(),
                    operand_tuple_indices: one.inside.clone(),
                    operand_index: one.operand,
                };
                graph
                    .made(|context| alias.to_attribute(context))
                    .ok_or_else(|| site.error("the alias names negative positions"))
            };
            let aliases = call.aliases.iter().map(alias).collect::<Result<Vec<_>>>()?;
            attributes.push(("output_operand_aliases", ir::array(context, &aliases)));
        }
        for (name, layouts) in
            [("operand_layouts", call.operand_layouts), ("result_layouts", call.result_layouts)]
        {
            if let Some(layouts) = layouts {
                let layouts = layouts.iter().map(|one| layout(site, context, one));
                attributes.push((name, ir::array(context, &layouts.collect::<Result<Vec<_>>>()?)));
            }
        }
        let made = graph.emit(site, stablehlo::CUSTOM_CALL, Results::Given(types), |op| {
            op.operands(&values).attrs(&attributes)
        })?;
        graph
            .gathered(&shape, &mut made.results().into_iter())
            .ok_or_else(|| site.error("the call has no result"))
    }

    /// A named operation with `computation` as its decomposition. A consumer that knows the name may implement it
    /// differently. `attributes` is an MLIR dictionary such as `{n = 1 : i32}`, or empty.
    ///
    /// # Errors
    /// For operands that the computation does not take, an empty name, and attributes that are not a dictionary.
    #[track_caller]
    pub fn composite_call(
        &self,
        computation: &Computation,
        operands: &[Op],
        name: &str,
        attributes: &str,
        version: i32,
    ) -> Result<Op> {
        let site = Site::new("CompositeCall");
        let graph = &self.graph;
        let context = graph.context();
        let values = self.arguments(site, computation, operands)?;
        let types = graph.types_of(site, computation.result())?;
        let entries = dictionary(site, context, attributes)?;
        let decomposition = ir::symbol(context, &graph.symbol(computation));
        let made = graph.emit(site, stablehlo::COMPOSITE, Results::Given(types), |op| {
            op.operands(&values)
                .attr("name", ir::string(context, name))
                .attr("composite_attributes", entries)
                .attr("decomposition", decomposition)
                .attr("version", ir::int(ir::integer(context, 32), version.into()))
        })?;
        graph
            .gathered(computation.result(), &mut made.results().into_iter())
            .ok_or_else(|| site.error("the computation has no result"))
    }

    /// Starts `computation` on the operands; [`Op::async_done`] gives the result. A computation of one
    /// collective or slice is StableHLO's `async_start`; any other is called at once.
    ///
    /// # Errors
    /// For operands that the computation does not take.
    #[track_caller]
    pub fn async_start(&self, computation: &Computation, operands: &[Op]) -> Result<Op> {
        let site = Site::new("AsyncStart");
        let graph = &self.graph;
        let values = self.arguments(site, computation, operands)?;
        let future = if is_started(computation) {
            let region = graph.region(site, computation, &[]);
            let made = graph.emit(site, stablehlo::ASYNC_START, Results::Inferred, |op| {
                op.operands(&values).region(region)
            })?;
            Future::Started(made.result(0), computation.result().clone())
        } else {
            Future::Done(self.called(site, computation, operands)?)
        };
        Ok(Op { graph: Rc::clone(graph), node: Node::Future(Rc::new(future)) })
    }
}

impl Op {
    /// The same operation, still running.
    ///
    /// # Errors
    /// For a value that is not from [`Builder::async_start`].
    #[track_caller]
    pub fn async_update(&self) -> Result<Op> {
        self.future(Site::new("AsyncUpdate"))?;
        Ok(self.clone())
    }

    /// Waits for an asynchronous operation and returns its result.
    ///
    /// # Errors
    /// For a value that is not from [`Builder::async_start`].
    #[track_caller]
    pub fn async_done(&self) -> Result<Op> {
        let site = Site::new("AsyncDone");
        match &*self.future(site)? {
            Future::Done(op) => Ok(op.clone()),
            Future::Started(value, shape) => {
                let graph = &self.graph;
                let value = *value;
                let made = graph
                    .emit(site, stablehlo::ASYNC_DONE, Results::Inferred, |op| op.operand(value))?;
                graph
                    .gathered(shape, &mut made.results().into_iter())
                    .ok_or_else(|| site.error("the operation has no result"))
            }
        }
    }

    fn future(&self, site: Site) -> Result<Rc<Future>> {
        match &self.node {
            Node::Future(future) => Ok(Rc::clone(future)),
            Node::Failed(error) => Err((**error).clone()),
            _ => Err(site.error("the operand was not made by `async_start`")),
        }
    }
}

/// Whether StableHLO can start the computation's only operation asynchronously.
fn is_started(computation: &Computation) -> bool {
    const STARTED: &[OpName<'_>] = &[
        stablehlo::ALL_GATHER,
        stablehlo::ALL_REDUCE,
        stablehlo::ALL_TO_ALL,
        stablehlo::COLLECTIVE_BROADCAST,
        stablehlo::COLLECTIVE_PERMUTE,
        stablehlo::DYNAMIC_SLICE,
        stablehlo::DYNAMIC_UPDATE_SLICE,
        stablehlo::REDUCE_SCATTER,
        stablehlo::SLICE,
    ];
    let ops = computation.body().ops();
    let returned = |op: &ir::Op<'static>| ops[1].operands() == op.results();
    let is_array = |value: &ir::Value<'static>| value.ty().is_tensor_type();
    ops.len() == 2
        && STARTED.contains(&ops[0].name())
        && returned(&ops[0])
        && ops[0].operands() == computation.body().args()
        && ops[0].results().iter().all(is_array)
}

fn config(
    site: Site,
    context: &'static ir::Context,
    call: &CustomCall<'_>,
) -> Result<ir::Attribute<'static>> {
    if call.api_version == ApiVersion::TypedFfi {
        return dictionary(site, context, call.backend_config);
    }
    Ok(ir::string(context, call.backend_config))
}

/// Parses an MLIR dictionary; `None` for an empty text.
fn dictionary(
    site: Site,
    context: &'static ir::Context,
    text: &str,
) -> Result<ir::Attribute<'static>> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let parsed = ir::parse_attr(context, text).filter(|value| value.as_dictionary().is_some());
    parsed.ok_or_else(|| {
        site.hinted(
            format!("`{text}` is not a dictionary of attributes"),
            "dictionaries look like `{n = 1 : i32}`",
        )
    })
}

/// `dense<…> : tensor<…xindex>`.
fn layout(
    site: Site,
    context: &'static ir::Context,
    order: &[i64],
) -> Result<ir::Attribute<'static>> {
    let list: Vec<String> = order.iter().map(i64::to_string).collect();
    let list = if list.is_empty() { String::new() } else { format!("[{}]", list.join(", ")) };
    let text = format!("dense<{list}> : tensor<{}xindex>", order.len());
    ir::parse_attr(context, &text).ok_or_else(|| site.error(format!("{order:?} is not a layout")))
}
