//! Checks that the trace is complete: it contains every operation of the old function that reads tensors.
//!
//! A missing operation with a result is detected where the result is read. One that only reads would go unnoticed, so
//! these are checked here; and so are tensors that regions read, the results, and vector accesses beyond a tensor.

use rustc_hash::FxHashSet;
use strata_ir::{AttributeExt as _, Op, TypeExt as _, Value, func, tensor, vector};

use super::{
    Checked, anchor, effects::Placed, facts::name, memories::Memories, nested, scalars::block_of,
    wrong,
};
use crate::affine::trace::{Event, Trace};

/// Checks that all tensors that the regions of an operation read are listed.
pub fn check_captured<'c>(places: &mut Memories<'c>, placed: &Placed<'c>) -> Checked {
    let op = placed.op;
    if op.region_count() == 0 {
        return Ok(());
    }
    for inner in op.collect(|inner| inner != op) {
        for value in inner.operands().into_iter().filter(|value| value.ty().is_tensor_type()) {
            let around = block_of(value).and_then(|block| block.parent_op());
            let is_inside = around.is_some_and(|around| op.encloses(around));
            let content = places.of_tensor(value);
            let mut captured = placed.captured.iter();
            if !is_inside && !captured.any(|(known, _)| places.of_tensor(*known) == content) {
                return Err(wrong(Some(op), format!("its region reads {}", name(value))));
            }
        }
    }
    Ok(())
}

/// Checks that an access that may go beyond its tensor ends with the buffer.
pub fn check_accesses(accesses: &[(Op<'_>, Value<'_>)]) -> Checked {
    for (op, buffer) in accesses {
        let tensor = match op.name() {
            vector::TRANSFER_READ => op.operand(0),
            vector::TRANSFER_WRITE => op.operand(1),
            _ => continue,
        };
        let dims = op.attr("in_bounds").and_then(|dims| dims.as_array()).unwrap_or_default();
        let stays_inside = dims.into_iter().all(|dim| dim.as_bool() == Some(true));
        if !stays_inside && tensor.ty().shape() != buffer.ty().shape() {
            let (tensor, buffer) = (name(tensor), name(*buffer));
            return Err(wrong(Some(*op), format!("beyond {tensor} it touches {buffer}")));
        }
    }
    Ok(())
}

/// Checks that the trace has all operations of the old function that read tensors and compute none, and that it
/// returns what the function returns.
pub fn check<'c>(places: &mut Memories<'c>, trace: &Trace<'c>) -> Checked {
    let mut told = FxHashSet::default();
    collect(&trace.events, &mut told);
    let old = trace.inputs.iter().find_map(|(value, _, _)| anchor(*value));
    #[allow(clippy::disallowed_methods, reason = "any will do: all are in one function")]
    let Some(old) = old.or_else(|| told.iter().next().copied()) else { return Ok(()) };
    let around = std::iter::successors(Some(old), |op| op.parent());
    let Some(function) = around.into_iter().find(|op| op.is(func::FUNC)) else { return Ok(()) };
    visit(function, &told)?;
    let end = function.body(0).terminator().map(Op::operands).unwrap_or_default();
    let end: Vec<_> = end.into_iter().filter(|value| value.ty().is_tensor_type()).collect();
    for event in &trace.events {
        if let Event::Return { index, value, .. } = event
            && let Some(returned) = end.get(*index)
            && places.of_tensor(*returned) != places.of_tensor(*value)
        {
            let value = name(*value);
            return Err(wrong(Some(function), format!("{value} is not result number {index}")));
        }
    }
    Ok(())
}

fn collect<'c>(events: &[Event<'c>], told: &mut FxHashSet<Op<'c>>) {
    for event in events {
        if let Event::Op { op, .. }
        | Event::View { op, .. }
        | Event::Branch { op, .. }
        | Event::Loop { op, .. } = event
        {
            told.insert(*op);
        }
        nested(event).into_iter().for_each(|events| collect(events, told));
    }
}

fn visit<'c>(op: Op<'c>, told: &FxHashSet<Op<'c>>) -> Checked {
    for inner in op.regions().into_iter().flat_map(|region| region.blocks()) {
        for inner in inner.ops() {
            if only_reads(inner) && !told.contains(&inner) {
                return Err(wrong(Some(inner), "it reads a tensor and is missing in the trace"));
            }
            // Reads in the regions of an operation are checked with it.
            if inner.region_count() > 0 && (inner.dialect() == "scf" || !told.contains(&inner)) {
                visit(inner, told)?;
            }
        }
    }
    Ok(())
}

fn only_reads(op: Op<'_>) -> bool {
    // Most operations of a scheduled nest have no tensors at all.
    op.operand_types().any(|ty| ty.is_tensor_type())
        && !op.result_types().into_iter().any(|ty| ty.is_tensor_type())
        && (op.next().is_some() || op.result_count() > 0)
        && !matches!(op.name(), tensor::DIM | tensor::RANK)
}
