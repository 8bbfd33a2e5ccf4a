//! `custom_call` to a call of its target; the conventions are those of `docs/abi.md`.
//!
//! ```text
//! %y = stablehlo.custom_call @mine(%x) {api_version = 2 : i32} : (tensor<3xf32>) -> tensor<3xf32>
//! ```
//! becomes
//! ```text
//! %into = tensor.empty() : tensor<3xf32>
//! %y = func.call @strata.call.0(%x, %into) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
//! ```
//! with a declaration that names the target (`strata.call = {target = "mine", convention = "status"}`).

use strata_ir::{
    Attribute, AttributeExt as _, CONDITION, Convention, Op, OpKind, OutputOperandAlias, Type,
    TypeExt as _, Value, dictionary, is_ragged,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    lowerings::{
        external_call::{Argument, Foreign},
        ragged,
    },
    numbers::narrow::call_types,
};

/// The attribute with JAX's options for a typed target.
const TYPED_CONFIG: &str = "mhlo.backend_config";

/// The attribute that stage `hlo` sets on a call whose result was a tuple.
const TUPLE: &str = "strata.tuple";

/// The lowering of `custom_call`.
pub struct CustomCall;

impl Lowering for CustomCall {
    fn name(&self) -> &'static str {
        "custom-call"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::CustomCall]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        if is_ragged(op) {
            return ragged::lower(op, operands, lowerer);
        }
        let target = op.attr("call_target_name").and_then(|name| name.as_str());
        let target = target.or_decline("it names no target")?;
        if op.has_attr(CONDITION) {
            return condition(op, operands, lowerer);
        }
        is_symbol(target).or_decline("the target's name is not a C identifier")?;
        let (convention, config) = interface(op, lowerer)?;

        let is_tensor = |value: &Value<'c>| value.ty().is_tensor_type();
        let taken = taken_operands(op);
        let [operand_types, result_types] = call_types(op);
        let types: Vec<_> = taken.iter().map(|index| operand_types[*index]).collect();
        let values: Vec<_> = taken.iter().map(|index| operands[*index]).collect();
        let tensors = taken.iter().all(|index| is_tensor(&op.operand(*index)));
        tensors.or_decline("an operand is not a tensor")?;
        op.results().iter().all(is_tensor).or_decline("a result is not a tensor")?;
        let inputs = arguments(&types, layouts(op, "operand_layouts"), &taken)?;
        let all: Vec<_> = (0..op.result_count()).collect();
        let outputs = arguments(&result_types, layouts(op, "result_layouts"), &all)?;

        let call = Foreign {
            target: target.to_owned(),
            convention,
            aliases: aliases(op, &taken)?,
            inputs,
            outputs,
            tuple: op.has_attr(TUPLE),
            nesting: op.attr(TUPLE).and_then(|mark| mark.as_i64s()).unwrap_or_default(),
            config,
            channel: 0,
        };
        call.build(op, &values, lowerer)
    }
}

/// A shape assertion that the object checks.
fn condition<'c>(
    op: Op<'c>,
    operands: &[Value<'c>],
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let value = operands.first().or_decline("it has no condition")?;
    let convention = Convention::Condition;
    let call = Foreign {
        target: convention.name().to_owned(),
        convention,
        inputs: vec![Argument::row_major(op.operand(0).ty())],
        outputs: Vec::new(),
        aliases: Vec::new(),
        tuple: false,
        nesting: Vec::new(),
        config: None,
        channel: 0,
    };
    call.build(op, &[*value], lowerer)
}

/// Whether the name is valid for a linker and a C compiler.
fn is_symbol(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// The convention, and the target's arguments besides buffers. JAX leaves `api_version` at its default
/// for typed targets, which are recognised by the dictionary.
fn interface<'c>(
    op: Op<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<(Convention, Option<Attribute<'c>>)> {
    let config = op.attr("backend_config");
    let typed = op.attr(TYPED_CONFIG).or(config).filter(|it| it.as_dictionary().is_some());
    let version = op.attr("api_version").and_then(|version| version.as_i64()).unwrap_or(1);
    match version {
        _ if typed.is_some() => Ok((Convention::Typed, typed)),
        0 | 1 => Ok((Convention::Original, None)),
        2 => Ok((Convention::Status, None)),
        3 => Ok((Convention::Unified, config)),
        4 => Ok((Convention::Typed, dictionary(lowerer.context(), &[]))),
        _ => Err(format!("version {version} of the interface is not known").into()),
    }
}

/// The operands passed to the target, without those for dynamic result shapes.
fn taken_operands(op: Op<'_>) -> Vec<usize> {
    let shapes = op.attr("indices_of_shape_operands").and_then(|all| all.as_i64s());
    let shapes = shapes.unwrap_or_default();
    (0..op.operand_count()).filter(|index| !shapes.contains(&(*index as i64))).collect()
}

/// The layouts of attribute `name`, minor dimension first.
fn layouts(op: Op<'_>, name: &str) -> Option<Vec<Vec<i64>>> {
    op.attr(name)?.as_array()?.into_iter().map(|layout| layout.as_i64s()).collect()
}

fn arguments<'c>(
    types: &[Type<'c>],
    layouts: Option<Vec<Vec<i64>>>,
    positions: &[usize],
) -> Outcome<Vec<Argument<'c>>> {
    let argument = |ty: Type<'c>, position: usize| {
        let Some(layouts) = &layouts else { return Ok(Argument::row_major(ty)) };
        let minor_first = layouts.get(position).or_decline("a layout is missing")?;
        let mut sorted = minor_first.clone();
        sorted.sort_unstable();
        let rank = ty.rank().unwrap_or(0);
        sorted.into_iter().eq(0..rank as i64).or_decline("a layout is not a permutation")?;
        Ok(Argument { ty, layout: minor_first.iter().rev().map(|dim| *dim as usize).collect() })
    };
    types.iter().zip(positions).map(|(ty, position)| argument(*ty, *position)).collect()
}

/// For each result the input whose buffer it shares, as a position among `taken`.
fn aliases(op: Op<'_>, taken: &[usize]) -> Outcome<Vec<Option<usize>>> {
    let mut aliases = vec![None; op.result_count()];
    let all = op.attr("output_operand_aliases").and_then(|all| all.as_array());
    for attribute in all.unwrap_or_default() {
        let alias = OutputOperandAlias::from_attribute(attribute);
        let alias = alias.or_decline("attribute `output_operand_aliases` cannot be read")?;
        let output = match alias.output_tuple_indices.as_slice() {
            [] if aliases.len() == 1 => 0,
            [index] => *index as usize,
            _ => return Err("an alias is inside of a tuple".into()),
        };
        alias.operand_tuple_indices.is_empty().or_decline("an alias is inside of a tuple")?;
        let input = taken.iter().position(|index| *index as i64 == alias.operand_index);
        let slot = aliases.get_mut(output).or_decline("an alias names no result")?;
        *slot = Some(input.or_decline("an alias names no operand")?);
    }
    Ok(aliases)
}
