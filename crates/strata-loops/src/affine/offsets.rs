//! Loops carry the offset of a buffer in the workspace instead of the buffer.
//!
//! Before:
//! ```mlir
//! %r:2 = scf.while (%a = %x, %b = %y) : (memref<4xf32>, memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) { … }
//! ```
//! After, where `%x` and `%y` are views of the workspace at `%c0` and `%c64`:
//! ```mlir
//! %r:2 = scf.while (%i = %c0, %j = %c64) : (index, index) -> (index, index) {
//!   %a = memref.view %workspace[%i][] : memref<128xi8> to memref<4xf32>
//!   …
//! ```

use strata_ir::{Builder, Context, Op, RegionBuilder, TypeExt as _, Value, index, memref, scf};

/// Rewrites the loops in `entry` that carry buffers.
pub fn carry<'c>(context: &'c Context, entry: Op<'c>, workspace: Value<'c>) {
    // Outer loops first: the initial values of inner ones are views by then.
    let loops = entry.collect(carries_buffers);
    let mut ends = Vec::new();
    for op in loops {
        ends.extend((0..2).filter_map(|index| op.body(index).terminator()));
        rebuild(context, op, workspace);
    }
    // Last, because a loop may yield results of inner loops.
    for end in ends {
        for (position, value) in end.operands().into_iter().enumerate() {
            if let Some(at) = offset(value) {
                end.set_operand(position, at);
            }
        }
    }
    for (view, _) in workspace.uses() {
        if view.is(memref::VIEW) && view.is_unused() {
            view.erase();
        }
    }
}

fn carries_buffers(op: Op<'_>) -> bool {
    op.is(scf::WHILE) && op.operands().iter().any(|value| value.ty().is_memref_type())
}

fn rebuild<'c>(context: &'c Context, op: Op<'c>, workspace: Value<'c>) {
    let Some(first) = op.operands().iter().position(|value| value.ty().is_memref_type()) else {
        return;
    };
    let buffers = op.operands()[first..].to_vec();
    let offsets: Option<Vec<_>> = buffers.iter().map(|buffer| offset(*buffer)).collect();
    let (Some(offsets), Some(next)) = (offsets, op.next()) else { return };
    let count = op.result_count() - buffers.len();
    let places = vec![index(context); buffers.len()];
    for (block, first) in [(op.body(0), first), (op.body(1), count)] {
        for buffer in &buffers {
            let place = block.add_arg(index(context), op.location());
            let start = Builder::at_start(context, block, op.location());
            let inside = view(&start, workspace, place, buffer.ty());
            block.arg(first).replace_all_uses_with(inside);
            block.erase_arg(first);
        }
    }
    let before = Builder::before(context, op);
    let replacement = before
        .op(scf::WHILE)
        .operands(&op.operands()[..first])
        .operands(&offsets)
        .results(&op.result_types()[..count])
        .results(&places)
        .attrs(&op.attrs())
        .region(RegionBuilder::take(op.region(0)))
        .region(RegionBuilder::take(op.region(1)))
        .build();
    let after = Builder { location: op.location(), ..Builder::before(context, next) };
    for (position, result) in op.results().into_iter().enumerate() {
        let fresh = replacement.result(position);
        if position < count {
            result.replace_all_uses_with(fresh);
        } else if result.has_uses() {
            result.replace_all_uses_with(view(&after, workspace, fresh, result.ty()));
        }
    }
    op.erase();
}

fn view<'c>(
    builder: &Builder<'c>,
    workspace: Value<'c>,
    at: Value<'c>,
    ty: strata_ir::Type<'c>,
) -> Value<'c> {
    builder.op(memref::VIEW).operands(&[workspace, at]).result(ty).value()
}

/// The offset of the buffer in the workspace.
fn offset(buffer: Value<'_>) -> Option<Value<'_>> {
    let owner = buffer.owner().filter(|owner| owner.is(memref::VIEW))?;
    (owner.operand_count() == 2).then(|| owner.operand(1))
}
