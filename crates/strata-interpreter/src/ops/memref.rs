//! `memref`: views of buffers, loads, stores, copies.

use std::rc::Rc;

use strata_ir::{
    AttributeExt as _, DISPATCH, DYNAMIC, Op, Type, affine, arith, memref, memref_layout, vector,
};

use super::{
    slices::{Extent, Slice, extents, kept, only, reassociation, values},
    unknown,
};
use crate::{
    element::Elem,
    fault::{Fault, Run},
    machine::{Machine, Operand},
    memory::{Role, Temporary, View, dense_strides, shared},
    prepare::{Prepared, Preparer, elem, shape, unsupported},
    value::{Value, each},
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>, place: usize) -> Prepared {
    match op.name() {
        memref::ALLOC | memref::ALLOCA => allocation(p, op),
        memref::DEALLOC | memref::PREFETCH => Ok(Box::new(|_| Ok(()))),
        memref::VIEW => temporary(p, op, place),
        memref::GET_GLOBAL => global(p, op),
        memref::LOAD => load(p, op),
        memref::STORE => store(p, op),
        memref::COPY => copy(p, op),
        memref::CAST => cast(p, op),
        memref::DIM => dim(p, op),
        memref::SUBVIEW => subview(p, op),
        memref::COLLAPSE_SHAPE | memref::EXPAND_SHAPE => reshape(p, op),
        memref::EXTRACT_STRIDED_METADATA => metadata(p, op),
        memref::REINTERPRET_CAST => reinterpret(p, op),
        memref::EXTRACT_ALIGNED_POINTER_AS_INDEX => address(p, op),
        _ => unknown(),
    }
}

fn scalar_index(value: i64) -> Value {
    Value::Scalar(Elem::Index.wrap(value.into()))
}

fn allocation<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    let (element, sizes) = (elem(ty)?, shape(ty)?);
    if op.operand_count() > 0 {
        return unsupported("its size is known only at run time");
    }
    let (result, name) = (p.result(op), name_of(op));
    Ok(Box::new(move |machine| {
        let bytes = sizes.iter().product::<i64>() as usize * element.bytes();
        let (buffer, temporary) = machine.memory.add(Role::Allocation, bytes, None, &name);
        let view = View::dense(buffer, temporary, 0, element, sizes.clone());
        machine.set(result, Value::Buffer(shared(view)));
        Ok(())
    }))
}

/// `%name` of the first result, as the program is printed.
fn name_of(op: Op<'_>) -> String {
    let text = op.to_string();
    let name = text.split([' ', ':']).next().unwrap_or_default();
    format!("`{name} = {} … {}`", op.name(), op.result(0).ty())
}

fn temporary<'c>(p: &mut Preparer<'c>, op: Op<'c>, place: usize) -> Prepared {
    let ty = op.result(0).ty();
    let (element, sizes) = (elem(ty)?, shape(ty)?);
    // What a function takes in place has sizes of the call.
    if is_view_of_caller(op) || op.operand_count() > 2 {
        return part(p, op);
    }
    let (source, shift) = (p.operand(op, 0), p.operand(op, 1));
    let (result, name) = (p.result(op), name_of(op));
    let is_computed = !op.operand(1).owner().is_some_and(|owner| owner.is(arith::CONSTANT));
    let bytes = sizes.iter().product::<i64>() * element.bytes() as i64;
    Ok(Box::new(move |machine| {
        let source = machine.view(source)?;
        let offset = source.offset + machine.index(shift)?;
        let known = machine.temporaries.get(&(place, offset)).copied();
        let temporary = known.unwrap_or_else(|| {
            let extent = (offset, offset + bytes);
            let (name, buffer) = (name.clone(), source.buffer);
            machine.memory.temporary(Temporary { name, buffer, extent, is_computed })
        });
        machine.temporaries.insert((place, offset), temporary);
        let view = View::dense(source.buffer, temporary, offset, element, sizes.clone());
        if view.extent.0 < source.extent.0 || view.extent.1 > source.extent.1 {
            return Err(Fault::outside(format!(
                "bytes {} to {} of a buffer that has {} to {}",
                view.extent.0, view.extent.1, source.extent.0, source.extent.1
            )));
        }
        machine.set(result, Value::Buffer(shared(view)));
        Ok(())
    }))
}

/// Whether a view is one of an entry with dynamic shapes, where buffers are bytes: their elements, parts and copies are views.
fn is_view_of_caller(op: Op<'_>) -> bool {
    std::iter::successors(op.parent(), |op| op.parent()).any(|op| op.has_attr(DISPATCH))
}

/// A view that is a temporary only if it is one of the workspace itself; else it is part of what it is a view of.
fn part<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    let (element, mut sizes) = (elem(ty)?, Vec::new());
    let (source, shift) = (p.operand(op, 0), p.operand(op, 1));
    let mut operands = p.operands(op).into_iter().skip(2);
    for size in shape(ty)? {
        sizes.push(match size {
            DYNAMIC => match operands.next() {
                Some(operand) => Extent::Computed(operand),
                None => return unsupported("a size is missing"),
            },
            size => Extent::Known(size),
        });
    }
    let is_argument = op.operand(0).block_arg().is_some();
    let (result, name) = (p.result(op), name_of(op));
    Ok(Box::new(move |machine| {
        let source = machine.view(source)?;
        let offset = source.offset + machine.index(shift)?;
        let sizes = values(machine, &sizes)?;
        let count = sizes.iter().try_fold(1_i64, |count, size| count.checked_mul(*size));
        let bytes = count.and_then(|count| count.checked_mul(element.bytes() as i64));
        let Some(end) =
            bytes.and_then(|bytes| offset.checked_add(bytes)).filter(|end| *end >= offset)
        else {
            return Err(Fault::outside(format!("a view of {sizes:?} elements")));
        };
        if offset < source.extent.0 || end > source.extent.1 {
            return Err(Fault::outside(format!(
                "bytes {offset} to {end} of a buffer that has {} to {}",
                source.extent.0, source.extent.1
            )));
        }
        let temporary = match is_argument && machine.memory.is_workspace(source.buffer) {
            true => {
                let (name, buffer, extent) = (name.clone(), source.buffer, (offset, end));
                machine.memory.temporary(Temporary { name, buffer, extent, is_computed: true })
            }
            false => source.temporary,
        };
        let view = View::dense(source.buffer, temporary, offset, element, sizes);
        machine.set(result, Value::Buffer(shared(view)));
        Ok(())
    }))
}

fn global<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let name = op.attr("name").and_then(|name| name.as_symbol()).unwrap_or_default();
    let Some(global) = p.globals.get(name).copied() else {
        return unsupported(format!("there is no constant `@{name}`"));
    };
    let result = p.result(op);
    Ok(Box::new(move |machine| {
        let view = std::rc::Rc::clone(&machine.globals[global]);
        machine.set(result, Value::Buffer(view));
        Ok(())
    }))
}

/// Whether the value read is only stored elsewhere: then it may be uninitialised, which is an error only in a computation.
pub(crate) fn is_copied(op: Op<'_>) -> bool {
    let stores = [affine::STORE, memref::STORE, vector::STORE, vector::TRANSFER_WRITE];
    let is_store = |(user, operand): (Op<'_>, usize)| operand == 0 && stores.contains(&user.name());
    op.result(0).uses().into_iter().all(is_store)
}

/// The element of a view at a byte of its buffer.
pub(crate) fn load_scalar(machine: &Machine, view: &View, at: i64, is_copied: bool) -> Run<Value> {
    if is_copied && machine.memory.peek(view, at)?.is_none() {
        return Ok(Value::Missing(Rc::new(vec![None])));
    }
    machine.memory.read(view, at).map(Value::Scalar)
}

/// Writes a scalar, possibly an uninitialised one.
pub(crate) fn store_scalar(machine: &mut Machine, view: &View, at: i64, value: Operand) -> Run {
    if machine.missing(value).is_some() {
        return machine.memory.put(view, at, None);
    }
    let bits = machine.scalar(value)?;
    machine.memory.write(view, at, bits)
}

fn load<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let operands = p.operands(op);
    let (result, is_copied) = (p.result(op), is_copied(op));
    Ok(Box::new(move |machine| {
        let view = machine.view(operands[0])?;
        let at = view.at(&machine.indices(&operands[1..])?)?;
        load_scalar(machine, &view, at, is_copied).map(|value| machine.set(result, value))
    }))
}

fn store<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let operands = p.operands(op);
    Ok(Box::new(move |machine| {
        let view = machine.view(operands[1])?;
        let at = view.at(&machine.indices(&operands[2..])?)?;
        store_scalar(machine, &view, at, operands[0])
    }))
}

fn copy<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (from, to) = (p.operand(op, 0), p.operand(op, 1));
    Ok(Box::new(move |machine| {
        let (from, to) = (machine.view(from)?, machine.view(to)?);
        copy_all(machine, &from, &to)
    }))
}

fn copy_all(machine: &mut Machine, from: &View, to: &View) -> Run {
    if from.shape != to.shape {
        return Err(Fault::outside(format!("{:?} copied to {:?}", from.shape, to.shape)));
    }
    if from.buffer == to.buffer && from.offset == to.offset && from.strides == to.strides {
        return Ok(());
    }
    each(&from.shape, |index| {
        let (source, target) = (from.at(index)?, to.at(index)?);
        machine.memory.copy(to, target, from, source)
    })
}

fn cast<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (source, result) = (p.operand(op, 0), p.result(op));
    Ok(Box::new(move |machine| {
        let view = machine.view(source)?;
        machine.set(result, Value::Buffer(view));
        Ok(())
    }))
}

fn dim<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (source, dim, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    Ok(Box::new(move |machine| {
        let (view, dim) = (machine.view(source)?, machine.index(dim)?);
        let size = usize::try_from(dim).ok().and_then(|dim| view.shape.get(dim)).copied();
        let size = size.ok_or_else(|| Fault::outside(format!("dimension {dim}")))?;
        machine.set(result, scalar_index(size));
        Ok(())
    }))
}

fn subview<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let slice = Slice::new(p, op)?;
    let kept = kept(&slice.sizes, &shape(op.result(0).ty())?)?;
    let (source, result) = (p.operand(op, 0), p.result(op));
    Ok(Box::new(move |machine| {
        let source = machine.view(source)?;
        let part = slice.part(machine)?;
        part.check(&source.shape)?;
        let mut offset = source.offset;
        for (at, stride) in part.offsets.iter().zip(&source.strides) {
            offset += at * stride * source.elem.bytes() as i64;
        }
        let strides: Vec<i64> =
            part.strides.iter().zip(&source.strides).map(|(by, stride)| by * stride).collect();
        let view = View {
            offset,
            shape: only(&part.sizes, &kept),
            strides: only(&strides, &kept),
            ..(*source).clone()
        };
        machine.set(result, Value::Buffer(shared(view)));
        Ok(())
    }))
}

fn reshape<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let groups = reassociation(op)?;
    let is_collapse = op.is(memref::COLLAPSE_SHAPE);
    let sizes = shape(op.result(0).ty())?;
    if sizes.contains(&DYNAMIC) {
        return unsupported("its size is known only at run time");
    }
    let (source, result) = (p.operand(op, 0), p.result(op));
    Ok(Box::new(move |machine| {
        let source = machine.view(source)?;
        let mut strides = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            if is_collapse {
                strides.push(collapsed_stride(&source, group)?);
            } else {
                let inner: Vec<i64> = group.iter().map(|dim| sizes[*dim]).collect();
                let by = source.strides[at];
                strides.extend(dense_strides(&inner).into_iter().map(|stride| stride * by));
            }
        }
        // A scalar expands to dimensions of size 1, whose strides do not matter.
        strides.resize(sizes.len(), 1);
        let view = View { shape: sizes.clone(), strides, ..(*source).clone() };
        machine.set(result, Value::Buffer(shared(view)));
        Ok(())
    }))
}

/// The stride of collapsed dimensions: that of the innermost with more than one element, if the others are dense relative
/// to it.
fn collapsed_stride(source: &View, group: &[usize]) -> Run<i64> {
    let mut stride = None;
    let mut span = 1;
    for dim in group.iter().rev() {
        let size = source.shape[*dim];
        if size == 1 {
            continue;
        }
        let base = *stride.get_or_insert(source.strides[*dim]);
        if source.strides[*dim] != base * span && size > 0 {
            return Err(Fault::outside(format!(
                "dimensions {group:?} cannot be collapsed with strides {:?}",
                source.strides
            )));
        }
        span *= size;
    }
    let innermost = group.last().map_or(1, |dim| source.strides[*dim]);
    Ok(stride.unwrap_or(innermost))
}

fn metadata<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (source, results) = (p.operand(op, 0), p.results(op));
    Ok(Box::new(move |machine| {
        let source = machine.view(source)?;
        let width = source.elem.bytes() as i64;
        // The base is the whole temporary; the offset is relative to it.
        let start = source.extent.0;
        let base =
            View { offset: start, shape: Vec::new(), strides: Vec::new(), ..(*source).clone() };
        let mut values =
            vec![Value::Buffer(shared(base)), scalar_index((source.offset - start) / width)];
        values.extend(source.shape.iter().map(|size| scalar_index(*size)));
        values.extend(source.strides.iter().map(|stride| scalar_index(*stride)));
        super::scf::give(machine, &results, values);
        Ok(())
    }))
}

/// The address of the byte `at` of a buffer of such elements: callers promise no more than their alignment, so that buffers begin one
/// element after a multiple of any power of two.
pub(crate) fn address_of(view: &View, at: i64) -> i64 {
    at + view.elem.bytes() as i64
}

fn address<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (source, result) = (p.operand(op, 0), p.result(op));
    Ok(Box::new(move |machine| {
        let source = machine.view(source)?;
        machine.set(result, scalar_index(address_of(&source, source.extent.0)));
        Ok(())
    }))
}

fn reinterpret<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let groups = p.groups(op)?;
    let [_, offsets, sizes, strides] = &groups[..] else {
        return unsupported("its operands are in no known groups");
    };
    let offsets = extents(op, "static_offsets", offsets)?;
    let sizes = extents(op, "static_sizes", sizes)?;
    let strides = extents(op, "static_strides", strides)?;
    let (source, result) = (p.operand(op, 0), p.result(op));
    Ok(Box::new(move |machine| {
        let source = machine.view(source)?;
        let offset = values(machine, &offsets)?.first().copied().unwrap_or(0);
        let view = View {
            // The offset is relative to the base of the source, also if the source is a slice.
            offset: source.extent.0 + offset * source.elem.bytes() as i64,
            shape: values(machine, &sizes)?,
            strides: values(machine, &strides)?,
            ..(*source).clone()
        };
        machine.set(result, Value::Buffer(shared(view)));
        Ok(())
    }))
}

/// A view of a whole buffer for an argument or a constant of that type.
pub(crate) fn whole(
    ty: Type<'_>,
    (buffer, temporary): (usize, u32),
) -> Result<View, crate::prepare::Unsupported> {
    let sizes = shape(ty)?;
    match memref_layout(ty) {
        Some((strides, 0)) if strides == dense_strides(&sizes) => {}
        _ if sizes.contains(&0) => {}
        _ => return unsupported(format!("{ty} is not dense")),
    }
    Ok(View::dense(buffer, temporary, 0, elem(ty)?, sizes))
}
