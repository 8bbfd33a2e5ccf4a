//! The nests of a program, for a search of their schedules.

use std::collections::HashSet;

use strata_ir::{
    Builder, Context, ENTRY, ElementType, Op, Type, TypeExt as _, Value, arith, dense_bytes,
    function, module_op, parse_text, print, record_types, string, type_attr, unit,
};
use strata_target::tuning::search::MAX_CONSTANT_BYTES;

use super::Fingerprint;
use crate::{
    fusion::nest::{Nest, Role, role},
    tiling::choice::Choice,
    transform::outline::function_of,
};

/// A nest whose schedule may be chosen.
#[derive(Clone, Debug)]
pub struct TunableNest {
    /// What files of schedules recognise it by.
    pub fingerprint: Fingerprint,
    /// What it computes, for people.
    pub about: String,
    /// The target, as files of schedules name it.
    pub target: String,
    /// How often the program has it.
    pub count: usize,
    /// Iterations of its loops times the operations in them: which of two takes longer, roughly.
    pub work: f64,
    /// The schedule that it gets without a file, or with the one that the compiler was given.
    pub chosen: Choice,
    /// The schedules that it may have, in a fixed order.
    pub space: Vec<Choice>,
    /// A program that consists of it, in the form of stage `linalg`; none where it depends on sizes of the program around it.
    pub program: Option<String>,
}

/// The nests that a nest is divided into: each reduction, and the elementwise operations between them.
pub(crate) fn segments<'c>(nest: &Nest<'c>) -> Vec<Nest<'c>> {
    if !nest.parts.is_empty() {
        return nest.parts.clone();
    }
    let mut runs: Vec<Vec<Op<'c>>> = Vec::new();
    let mut is_open = false;
    for op in &nest.ops {
        let is_map = matches!(role(*op), Some(Role::Generic(one)) if one.is_parallel());
        match runs.last_mut().filter(|_| is_open && is_map) {
            Some(run) => run.push(*op),
            None => runs.push(vec![*op]),
        }
        is_open = is_map;
    }
    runs.into_iter().flat_map(|run| closed(nest, run)).collect()
}

/// The operations as one nest if only the last has users outside of them, or else each by itself.
fn closed<'c>(nest: &Nest<'c>, run: Vec<Op<'c>>) -> Vec<Nest<'c>> {
    let inside: HashSet<_> = run.iter().copied().collect();
    let is_inner = |op: &Op<'c>| {
        op.results().into_iter().all(|result| {
            !nest.results.contains(&result)
                && result.uses().iter().all(|(user, _)| inside.contains(user))
        })
    };
    let whole = |ops: Vec<Op<'c>>| {
        let results = ops.last().map(|root| root.results()).unwrap_or_default();
        Nest { ops, results, parts: Vec::new() }
    };
    match run.split_last() {
        Some((_, others)) if others.iter().all(is_inner) => vec![whole(run)],
        _ => run.into_iter().map(|op| whole(vec![op])).collect(),
    }
}

/// The program of an outlined nest, whose text is `text` and of whose arguments `weights` are constants.
pub(crate) fn standalone(context: &Context, text: &str, weights: &[usize]) -> Option<String> {
    let module = parse_text(context, text).ok()?;
    let func = function_of(&module)?;
    let body = func.body(0);
    let first = body.ops().into_iter().next()?;
    let args = body.args();
    let is_weight = |at: &usize| weights.contains(at);
    for at in (0..args.len()).filter(is_weight) {
        let argument = args[at];
        let value = dense_bytes(argument.ty(), &pattern(argument.ty())?)?;
        let constant = Builder::before(context, first).op(arith::CONSTANT).attr("value", value);
        let constant = constant.results(&[argument.ty()]).build();
        argument.replace_all_uses_with(constant.result(0));
    }
    let inputs: Vec<_> =
        (0..args.len()).filter(|at| !is_weight(at)).map(|at| args[at].ty()).collect();
    (0..args.len()).rev().filter(is_weight).for_each(|at| body.erase_arg(at));
    let outputs: Vec<_> = body.terminator()?.operands().into_iter().map(Value::ty).collect();
    func.set_attr("sym_name", string(context, "main"));
    func.set_attr("function_type", type_attr(function(context, &inputs, &outputs)));
    func.set_attr(ENTRY, unit(context));
    record_types(context, func, &inputs, &outputs);
    module_op(&module).verify().then(|| print(&module, false))
}

/// Elements of a constant that stands for a weight: small numbers that differ.
fn pattern(ty: Type<'_>) -> Option<Vec<u8>> {
    let count = usize::try_from(ty.element_count()?).ok()?;
    let element = ElementType::from_type(ty.element())?;
    let bytes = usize::try_from(ty.element().byte_width()?).ok()?;
    if count.saturating_mul(bytes) > MAX_CONSTANT_BYTES {
        return None;
    }
    let mut all = Vec::with_capacity(count * bytes);
    for at in 0..count {
        // 16ths, which every format has.
        let step = i64::try_from(at.wrapping_mul(7919) % 31).ok()? - 15;
        let number = step as f32 / 16.0;
        match element {
            ElementType::Float(64) => all.extend(f64::from(number).to_le_bytes()),
            ElementType::Float(32) => all.extend(number.to_le_bytes()),
            ElementType::BFloat16 => all.extend(&number.to_le_bytes()[2..]),
            // From 0.5 up to 1.
            ElementType::Float(16) => {
                all.extend((0x3800 + u16::try_from(step + 15).ok()? * 16).to_le_bytes());
            }
            ElementType::Signed(_) | ElementType::Unsigned(_) => {
                all.extend(&step.rem_euclid(5).to_le_bytes()[..bytes]);
            }
            _ => return None,
        }
    }
    Some(all)
}
