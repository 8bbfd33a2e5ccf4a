//! Exchanges between devices to calls of the executor's functions.
//!
//! ```text
//! %y = stablehlo.all_reduce(%x) { add } {replica_groups = [[0, 1]]} : tensor<3xf32>
//! ```
//! becomes
//! ```text
//! %y = func.call @strata.call.0(%x, %into) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
//! func.func private @strata.combine.0(%a: f32, %b: f32) -> f32 attributes {strata.combine} { arith.addf … }
//! ```
//! with a declaration that has the groups of devices. Stage `hlo` made the dimensions along which values are joined and split
//! the first, so that the parts of a buffer are contiguous.

use strata_ir::{
    AttributeExt as _, Block, Builder, COMBINE, Convention, Devices, ElementType, Exchange, Op,
    OpKind, PROGRAM, Reduction, Type, TypeExt as _, Value, WalkOrder, arith, channel_of, func,
    function, groups_of, integer, string, tensor, type_attr, unit,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    lowerings::external_call::{Argument, Foreign, module_around},
    numbers::narrow::call_types,
    scalar,
};

/// Exchanges with an operand and a result, which executors may have under way.
pub(crate) const EXCHANGES: &[OpKind] = &[
    OpKind::AllGather,
    OpKind::AllReduce,
    OpKind::AllToAll,
    OpKind::CollectiveBroadcast,
    OpKind::CollectivePermute,
    OpKind::ReduceScatter,
];

/// The lowering of exchanges between devices.
pub struct Collective;

impl Lowering for Collective {
    fn name(&self) -> &'static str {
        "collective"
    }

    fn roots(&self) -> &'static [OpKind] {
        EXCHANGES
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let along = ["all_gather_dim", "scatter_dimension", "split_dimension", "concat_dimension"];
        let is_first = |name: &&str| op.attr(name).is_none_or(|dim| dim.as_i64() == Some(0));
        along.iter().all(is_first).or_decline("the dimension is not the first one")?;
        let mut exchange = exchange(op)?;
        let [operand_types, result_types] = call_types(op);
        if op.region_count() > 0 {
            let block = op.region(0).first_block().or_decline("its region is empty")?;
            let same = operand_types.iter().zip(&result_types);
            let same = same.into_iter().all(|(one, other)| one.element() == other.element());
            same.or_decline("the results have another element type than the operands")?;
            exchange.reduction = Some((kind_of(block), combiner(op, block, lowerer)?));
        }
        let mut results = Vec::new();
        for (index, value) in operands.iter().enumerate() {
            let call = Foreign {
                target: target(op),
                convention: Convention::Collective,
                inputs: vec![Argument::row_major(operand_types[index])],
                outputs: vec![Argument::row_major(result_types[index])],
                aliases: vec![None],
                tuple: false,
                nesting: Vec::new(),
                config: exchange.to_attribute(lowerer.context()),
                channel: channel_of(op),
            };
            results.extend(call.build(op, &[*value], lowerer)?);
        }
        Ok(results)
    }
}

/// The lowering of the numbers of a device.
pub struct DeviceId;

impl Lowering for DeviceId {
    fn name(&self) -> &'static str {
        "device-id"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::PartitionId, OpKind::ReplicaId]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        _: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let call = Foreign {
            target: target(op),
            convention: Convention::Collective,
            inputs: Vec::new(),
            outputs: vec![Argument::row_major(op.result(0).ty())],
            aliases: vec![None],
            tuple: false,
            nesting: Vec::new(),
            config: described(op, Vec::new())?.to_attribute(lowerer.context()),
            channel: 0,
        };
        call.build(op, &[], lowerer)
    }
}

/// The name of the executor's function.
pub(crate) fn target(op: Op<'_>) -> String {
    op.kind().name().as_str().trim_start_matches("stablehlo.").to_owned()
}

/// What the executor's function is told, but for a reduction.
pub(crate) fn exchange(op: Op<'_>) -> Outcome<Exchange> {
    described(op, groups_of(op)?)
}

fn described(op: Op<'_>, groups: Vec<Vec<i64>>) -> Outcome<Exchange> {
    let program = module_around(op).attr(PROGRAM).and_then(|hash| hash.as_i64());
    Ok(Exchange {
        devices: Devices::of(op),
        groups,
        reduction: None,
        program: program.or_decline("the module has no hash of the program")?,
        phase: None,
    })
}

/// Which reduction a computation is.
fn kind_of(block: Block<'_>) -> Reduction {
    let [op, end] = block.ops()[..] else { return Reduction::Other };
    if op.operands() != block.args() || end.operands() != op.results() {
        return Reduction::Other;
    }
    let logical = op.operand(0).ty().element().bit_width() == Some(1);
    match op.kind() {
        // Of booleans these are logic.
        OpKind::Add | OpKind::Maximum | OpKind::Or if logical => Reduction::Or,
        OpKind::Multiply | OpKind::Minimum | OpKind::And if logical => Reduction::And,
        OpKind::Add => Reduction::Sum,
        OpKind::Multiply => Reduction::Product,
        OpKind::Minimum => Reduction::Minimum,
        OpKind::Maximum => Reduction::Maximum,
        OpKind::And => Reduction::And,
        OpKind::Or => Reduction::Or,
        OpKind::Xor => Reduction::Xor,
        _ => Reduction::Other,
    }
}

/// Adds the function that combines two elements, and returns its name. It takes and returns what is stored, and brain floats as
/// their bits: LLVM would compute with them.
fn combiner<'c>(op: Op<'c>, block: Block<'c>, lowerer: &Lowerer<'c>) -> Outcome<String> {
    scalar::on_scalars(block).or_decline("its computation is not on scalars")?;
    (block.arg_count() == 2).or_decline("its computation does not combine two elements")?;
    check_captures(block)?;
    let context = lowerer.context();
    let module = module_around(op);
    let taken = module.body(0).ops().iter().filter(|op| op.has_attr(COMBINE)).count();
    let name = format!("{COMBINE}.{taken}");
    let element = lowerer.convert(tensor(&[], block.arg(0).ty().element())).element();
    let is_brain = ElementType::from_type(element) == Some(ElementType::BFloat16);
    let passed = if is_brain { integer(context, 16) } else { element };
    let builder = Builder::at_end(context, module.body(0), op.location());
    let mut outcome = Ok(());
    let region = builder.region(&[passed, passed], |inner, arguments| {
        let cast = |value: &Value<'c>, ty: Type<'c>| match is_brain {
            true => inner.op(arith::BITCAST).operand(*value).result(ty).value(),
            false => *value,
        };
        let arguments: Vec<_> = arguments.iter().map(|value| cast(value, element)).collect();
        match scalar::inline(block, inner, &arguments, lowerer) {
            Ok(values) => {
                let values: Vec<_> = values.iter().map(|value| cast(value, passed)).collect();
                inner.op(func::RETURN).operands(&values).build();
            }
            Err(declined) => outcome = Err(declined),
        }
    });
    outcome?;
    builder
        .op(func::FUNC)
        .attr("sym_name", string(context, &name))
        .attr("sym_visibility", string(context, "private"))
        .attr("function_type", type_attr(function(context, &[passed, passed], &[passed])))
        .attr(COMBINE, unit(context))
        .region(region)
        .build();
    Ok(name)
}

/// The function is outside of the entry, where it sees constants only.
fn check_captures(block: Block<'_>) -> Outcome {
    let mut captured = false;
    for op in block.ops() {
        op.walk(WalkOrder::Pre, &mut |inner| {
            captured |= inner.operands().iter().any(|value| match value.owner() {
                Some(owner) if owner.kind() == OpKind::Constant => false,
                Some(owner) => !block.ops().iter().any(|own| own.encloses(owner)),
                None => value.block_arg().is_none_or(|(owner, _)| owner != block),
            });
        });
    }
    (!captured).or_decline("its computation uses a value from outside")
}
