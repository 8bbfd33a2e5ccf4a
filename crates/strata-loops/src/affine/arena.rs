//! Allocations become views of the workspace.
//!
//! Before:
//! ```mlir
//! %0 = memref.alloc() : memref<4xf32>
//! ```
//! After:
//! ```mlir
//! %c64 = arith.constant 64 : index
//! %0 = memref.view %workspace[%c64][] : memref<128xi8> to memref<4xf32>
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Context, ENTRY, Op, TypeExt as _, Value, WORKSPACE_SIZE, WalkOrder,
    arith, diagnostic_at, function, function_types, index, int, integer, memref, type_attr,
};
use strata_remarks::{
    Arena, Decision, Origin, Remark, Subject, TemporaryBuffer, origin_of, remark,
};

use super::{
    liveness::{Temporary, points, temporaries},
    offsets,
    plan::{self, Layout, Lifetime, PlanReport},
};

/// The nesting depth of an allocation in the entry, recorded on its constant offset from here to step `kernels`: its contents are
/// undefined each time the block of that depth starts.
pub const HOME: &str = "strata.home";

/// Plans the temporaries of `entry`, appends the workspace argument and assigns their offsets.
pub fn place<'c>(context: &'c Context, entry: Op<'c>) -> Result<PlanReport, Diagnostic> {
    let broken = |reason: &str| diagnostic_at(codes::S9002, entry).reason(reason);
    let temporaries = temporaries(entry)?;
    let lifetimes: Vec<Lifetime> = temporaries.iter().filter_map(|one| one.lifetime).collect();
    let layout = plan::layout(&lifetimes);
    let size = i64::try_from(layout.size).map_err(|_| broken("the workspace is too large"))?;
    remark(|| Remark {
        subject: Subject::default(),
        decision: Decision::Arena(described(entry, &temporaries, &layout)),
    });

    let (inputs, _) = entry
        .attr("function_type")
        .and_then(|ty| ty.as_type())
        .and_then(function_types)
        .ok_or_else(|| broken("the entry is not a function"))?;
    let block = entry.region(0).first_block().ok_or_else(|| broken("the entry has no body"))?;
    let workspace_type = memref(&[size], integer(context, 8));
    let workspace = block.add_arg(workspace_type, entry.location());
    let arguments = [inputs, vec![workspace_type]].concat();
    entry.set_attr("function_type", type_attr(function(context, &arguments, &[])));
    entry.set_attr(WORKSPACE_SIZE, int(integer(context, 64), size));

    // Before an operation that is kept: allocations are erased in this loop.
    let first = block
        .ops()
        .into_iter()
        .find(|op| !matches!(op.name(), memref::ALLOC | memref::ALLOCA))
        .ok_or_else(|| broken("the entry is empty"))?;
    let start = Builder::before(context, first);
    let mut offsets = layout.offsets.iter();
    for Temporary { allocation, lifetime } in &temporaries {
        let offset = match lifetime {
            Some(_) => offsets.next().copied().unwrap_or(0),
            None => {
                allocation.erase();
                continue;
            }
        };
        replace(&start, *allocation, workspace, offset as i64);
    }
    offsets::carry(context, entry, workspace);
    Ok(PlanReport {
        workspace: layout.size,
        peak_live: plan::peak_live(&lifetimes),
        buffers: lifetimes.len(),
    })
}

/// The plan, for remarks.
fn described(entry: Op<'_>, temporaries: &[Temporary<'_>], layout: &Layout) -> Arena {
    // In the order of points.
    let mut all = Vec::new();
    entry.walk(WalkOrder::Pre, &mut |op| all.push(op));
    let lived = temporaries.iter().filter_map(|one| Some((one.allocation, one.lifetime?)));
    let placed =
        lived.zip(&layout.offsets).map(|((allocation, lifetime), offset)| TemporaryBuffer {
            of: maker(allocation, lifetime, &all),
            offset: *offset,
            bytes: lifetime.size,
            first: lifetime.first,
            last: lifetime.last,
        });
    let lifetimes: Vec<_> = temporaries.iter().filter_map(|one| one.lifetime).collect();
    Arena {
        bytes: layout.size,
        peak: plan::peak_live(&lifetimes),
        temporaries: placed.collect(),
        points: points(entry).into_iter().map(|(at, op)| (at, origin_of(op.location()))).collect(),
    }
}

/// What first writes a temporary: what the operation that begins where its live range does comes from, or the first in it that comes from
/// something.
fn maker(allocation: Op<'_>, lifetime: Lifetime, all: &[Op<'_>]) -> Origin {
    let mut found = origin_of(allocation.location());
    let first = usize::try_from(lifetime.first).ok().and_then(|at| all.get(at));
    if let Some(first) = first {
        first.walk(WalkOrder::Pre, &mut |op| {
            if found == Origin::default() {
                found = origin_of(op.location());
            }
        });
    }
    found
}

/// Removes the recorded depths.
pub fn forget_homes(entry: Op<'_>) {
    for constant in entry.collect(|op| op.has_attr(HOME)) {
        constant.remove_attr(HOME);
    }
}

fn replace<'c>(start: &Builder<'c>, allocation: Op<'c>, workspace: Value<'c>, offset: i64) {
    let context = start.context;
    let ty = allocation.result(0).ty();
    // Static views are created at the start of the entry, outside of loops.
    let builder = match allocation.operand_count() {
        0 => Builder { location: allocation.location(), ..*start },
        _ => Builder::before(context, allocation),
    };
    let at = builder
        .op(arith::CONSTANT)
        .attr("value", int(index(context), offset))
        .result(index(context))
        .value();
    let around = std::iter::successors(allocation.parent(), |op| op.parent());
    let depth = around.take_while(|op| !op.has_attr(ENTRY)).count();
    if let Some(constant) = at.owner().filter(|_| depth > 0) {
        constant.set_attr(HOME, int(integer(context, 64), depth as i64));
    }
    let plain = match ty.shape() {
        Some(shape) => memref(&shape, ty.element()),
        None => ty,
    };
    let view = builder
        .op(memref::VIEW)
        .operands(&[workspace, at])
        .operands(&allocation.operands())
        .result(plain)
        .value();
    allocation.result(0).replace_all_uses_with(view);
    allocation.erase();
}
