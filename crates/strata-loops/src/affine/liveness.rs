//! Live ranges of the temporaries of a function, through all aliases.
//!
//! Points are numbered in program order; an operation with regions spans its body. A temporary used
//! in a loop and allocated outside of it is live throughout the loop; one allocated inside is live
//! within one iteration.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Block, DYNAMIC, Op, Type, TypeExt as _, Value,
    affine, arith, builtin, diagnostic_at, func, memref, planted, scf,
};

use super::plan::Lifetime;

/// A temporary: its allocation and its live range, `None` if its contents are never used.
pub struct Temporary<'c> {
    /// The `memref.alloc`.
    pub allocation: Op<'c>,
    /// Live range and size.
    pub lifetime: Option<Lifetime>,
}

/// All temporaries of `entry` in program order.
///
/// # Errors
/// `S9002` for an allocation whose size has no bound.
pub fn temporaries<'c>(entry: Op<'c>) -> Result<Vec<Temporary<'c>>, Diagnostic> {
    let mut points = Points::default();
    points.number(entry);
    let allocations = entry.collect(|op| matches!(op.name(), memref::ALLOC | memref::ALLOCA));
    allocations
        .into_iter()
        .map(|allocation| {
            let size = bytes(allocation).ok_or_else(|| unbounded(allocation))?;
            let lifetime = points.lifetime(entry, allocation).map(|(first, last)| Lifetime {
                first,
                last,
                size,
            });
            Ok(Temporary { allocation, lifetime })
        })
        .collect()
}

/// The points at which the operations of `entry` begin that are in its own block, or in one with allocations of its own.
pub fn points<'c>(entry: Op<'c>) -> Vec<(u64, Op<'c>)> {
    let mut points = Points::default();
    points.number(entry);
    let (mut found, mut open) = (Vec::new(), vec![entry]);
    while let Some(op) = open.pop() {
        for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
            let is_home = |op: &Op<'c>| matches!(op.name(), memref::ALLOC | memref::ALLOCA);
            if op == entry || block.ops().iter().any(is_home) {
                found.extend(block.ops().into_iter().map(|op| (points.span(op).0, op)));
                open.extend(block.ops());
            }
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found
}

fn unbounded(allocation: Op<'_>) -> Diagnostic {
    diagnostic_at(codes::S9002, allocation)
        .reason(format!("the size of `{}` has no known bound", allocation.result(0).ty()))
}

/// Bytes of an allocation: dynamic dimensions count with their upper bound.
fn bytes(allocation: Op<'_>) -> Option<u64> {
    let ty = allocation.result(0).ty();
    let mut count = element_bytes(ty.element())?;
    let mut dynamic = allocation.operands().into_iter();
    for size in ty.shape()? {
        let size = if size == DYNAMIC { upper_bound(dynamic.next()?)? } else { size };
        count = count.checked_mul(u64::try_from(size).ok()?)?;
    }
    if planted("liveness-size") {
        count /= 2;
    }
    Some(count)
}

fn element_bytes(element: Type<'_>) -> Option<u64> {
    if element.is_vector_type() {
        return element.element_count()?.checked_mul(element.element().byte_width()?);
    }
    element.byte_width()
}

fn upper_bound(value: Value<'_>) -> Option<i64> {
    let owner = value.owner()?;
    match owner.name() {
        arith::CONSTANT => owner.attr("value")?.as_i64(),
        // The constant results of the map: `affine_map<(d0) -> (-d0 + 10, 4)>` is at most 4.
        affine::MIN => {
            let map = owner.attr("map").and_then(AffineMap::of)?;
            map.results.iter().filter_map(AffineExpr::as_constant).min()
        }
        arith::MINSI | arith::MINUI => owner.operands().into_iter().filter_map(upper_bound).min(),
        _ => None,
    }
}

#[derive(Default)]
struct Points<'c> {
    next: u64,
    spans: FxHashMap<Op<'c>, (u64, u64)>,
}

impl<'c> Points<'c> {
    fn number(&mut self, op: Op<'c>) {
        let first = self.next;
        self.next += 1;
        for region in op.regions() {
            for block in region.blocks() {
                for inner in block.ops() {
                    self.number(inner);
                }
            }
        }
        self.spans.insert(op, (first, self.next - 1));
    }

    fn span(&self, op: Op<'c>) -> (u64, u64) {
        self.spans.get(&op).copied().unwrap_or((0, self.next))
    }

    fn lifetime(&self, entry: Op<'c>, allocation: Op<'c>) -> Option<(u64, u64)> {
        let Some(users) = users_of_aliases(allocation.result(0)) else {
            return Some(self.span(entry));
        };
        let mut hull: Option<(u64, u64)> = None;
        for user in users {
            let Some((first, mut last)) = self.reach(allocation, user) else {
                return Some(self.span(entry));
            };
            if planted("liveness-ends-early") {
                last = first;
            }
            hull = Some(hull.map_or((first, last), |(low, high)| (low.min(first), high.max(last))));
        }
        hull
    }

    /// The points at which the contents are live because of `user`; `None` if unbounded.
    fn reach(&self, allocation: Op<'c>, user: Op<'c>) -> Option<(u64, u64)> {
        let homes: Vec<Block<'c>> = chain(allocation).into_iter().filter_map(Op::block).collect();
        let meets = |op: Op<'c>| op.block().is_some_and(|block| homes.contains(&block));
        let (mut first, mut last) = self.span(user);
        let path = chain(user);
        let common = path.iter().position(|op| meets(*op)).unwrap_or(path.len() - 1);
        for op in &path[..=common] {
            if is_loop(*op) && *op != user && !planted("liveness-without-loops") {
                (first, last) = self.span(*op);
            }
        }
        // An alias that left the loop in which the buffer was allocated.
        let home = path[common].block();
        let mut inside = chain(allocation).into_iter().take_while(|op| op.block() != home);
        let has_left = inside.any(|op| op.parent().is_some_and(is_loop));
        (!has_left).then_some((first, last))
    }
}

/// `op` and the operations around it, innermost first, without the module.
fn chain<'c>(op: Op<'c>) -> Vec<Op<'c>> {
    let mut chain = vec![op];
    while let Some(parent) = chain.last().and_then(|last| last.parent()) {
        if parent.is(builtin::MODULE) {
            break;
        }
        chain.push(parent);
    }
    chain
}

fn is_loop(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        scf::FOR | scf::WHILE | scf::FORALL | scf::PARALLEL | affine::FOR | affine::PARALLEL
    )
}

/// Every operation that touches the buffer through any alias; `None` when its address escapes.
fn users_of_aliases<'c>(buffer: Value<'c>) -> Option<Vec<Op<'c>>> {
    let mut users = Vec::new();
    let mut seen = FxHashSet::from_iter([buffer]);
    let mut work = vec![buffer];
    while let Some(value) = work.pop() {
        for (user, _) in value.uses() {
            users.push(user);
            // An external function must not keep pointers: a call is a use like any other.
            let leaves = user.dialect() == "func" && !user.is(func::CALL);
            if leaves || user.is(memref::EXTRACT_ALIGNED_POINTER_AS_INDEX) {
                return None;
            }
            if matches!(user.name(), scf::YIELD | scf::CONDITION | affine::YIELD) {
                // What a loop yields came in through its operands, or it is unbounded.
                let results = user.parent()?.results().into_iter();
                if results.filter(|result| is_buffer(result.ty())).any(|one| !seen.contains(&one)) {
                    return None;
                }
                continue;
            }
            let arguments = user
                .regions()
                .into_iter()
                .flat_map(|region| region.blocks())
                .flat_map(|block| block.args());
            for alias in user.results().into_iter().chain(arguments) {
                if is_buffer(alias.ty()) && seen.insert(alias) {
                    work.push(alias);
                }
            }
        }
    }
    Some(users)
}

fn is_buffer(ty: Type<'_>) -> bool {
    ty.is_memref_type()
}
