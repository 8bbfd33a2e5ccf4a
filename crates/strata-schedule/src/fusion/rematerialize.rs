//! Rematerialises cheap producers at their users.
//!
//! ```text
//! %i = linalg.generic { index } -> tensor<9xi32>
//! … %i has several users …
//! ```
//! becomes a copy of `%i` before each user, which is fused with it when nests are formed. Cheap are
//! iotas, and values computed from fewer elements than they have.
//!
//! In a nest over rows, cheap are also values that few operations compute from fewer bytes than they have:
//!
//! ```text
//! %w = linalg.generic { arith.extf } ins(%x : tensor<8x64xbf16>) -> tensor<8x64xf32>
//! … %w is summed along rows, and the sums are subtracted from %w …
//! ```
//! A row of `%w` would be written and read twice; instead, `%x` is read twice.

use std::collections::{HashMap, HashSet};

use strata_ir::{Block, Builder, Context, Op, TypeExt as _, linalg};
use strata_target::{
    Isa, Target,
    tuning::fusion::{
        MAX_OPERATIONS_AGAIN, MAX_REMATERIALIZED_OPERATIONS, MAX_REMATERIALIZED_USES,
    },
};

use crate::{
    fusion::merge::is_mergeable,
    structured::{Index, Structured, is_division, is_identity},
};

/// Gives each user of a cheap value in `block` its own copy.
pub fn rematerialize<'c>(context: &'c Context, block: Block<'c>) {
    // From last to first: copies of a value read others, which then have more users.
    for op in block.ops().into_iter().rev() {
        if op.result_count() != 1 || !op.is(linalg::GENERIC) {
            continue;
        }
        let uses = op.result(0).uses();
        if uses.len() < 2 || uses.len() > MAX_REMATERIALIZED_USES {
            continue;
        }
        let Some(nest) = Structured::of_generic(op).filter(is_cheap) else { continue };
        let mut readers: Vec<Op<'c>> = uses.iter().map(|(user, _)| *user).collect();
        readers.dedup();
        // The last reader uses the original.
        let takes = |reader: &Op<'c>| {
            reader.block() == Some(block)
                && Structured::of_generic(*reader).is_some_and(|reader| takes(&reader, &nest))
        };
        for reader in readers.into_iter().filter(takes) {
            if op.result(0).has_one_use() {
                break;
            }
            let copy = Builder::before(context, reader).insert(op.clone_detached());
            for (user, operand) in uses.iter().filter(|(user, _)| *user == reader) {
                user.set_operand(*operand, copy.result(0));
            }
        }
        if op.is_unused() {
            op.erase();
        }
    }
}

/// Whether rematerialising the value in a nest does not increase its memory traffic.
fn is_cheap(nest: &Structured<'_>) -> bool {
    let body = nest.op.body(0).ops();
    let plain = |op: &Op<'_>| op.dialect() != "math" && !is_division(op.name());
    is_mergeable(nest)
        && body.len() <= MAX_REMATERIALIZED_OPERATIONS + 1
        && body.iter().all(plain)
        && nest.maps[..nest.inputs].iter().all(|map| map.len() < nest.extents.len())
}

/// Whether the value can be fused into the reader.
fn takes<'c>(reader: &Structured<'c>, nest: &Structured<'c>) -> bool {
    let loops = nest.extents.len();
    let maps = reader.reads_of(nest.op.result(0));
    reader.extents == nest.extents
        && reader.is_elementwise()
        && !maps.is_empty()
        && maps.iter().all(|map| is_identity(map, loops))
}

/// What an element is computed from.
#[derive(Clone, Copy)]
struct Sources {
    bytes: u64,
    operations: usize,
}

/// Gives each user in `nests`, the merged operations of a nest over rows, its own copy of what is cheaper to compute again than to
/// read; returns whether there was any. Without AVX-512 it is not: a processor stores more of its registers at a time.
pub fn compute_again<'c>(context: &'c Context, nests: &[Structured<'c>], target: &Target) -> bool {
    if target.isa != Isa::Avx512 {
        return false;
    }
    let mut cheap: HashMap<Op<'c>, Sources> = HashMap::new();
    for nest in nests.iter().filter(|nest| is_mergeable(nest)) {
        if let Some(sources) = sources(nest, &cheap) {
            cheap.insert(nest.op, sources);
        }
    }
    let mut any = false;
    // From last to first, as above.
    for nest in nests.iter().rev().filter(|nest| cheap.contains_key(&nest.op)) {
        let uses = nest.op.result(0).uses();
        let mut readers: Vec<Op<'c>> = uses.iter().map(|(user, _)| *user).collect();
        let mut seen = HashSet::new();
        readers.retain(|reader| seen.insert(*reader));
        let reads = |reader: &Op<'c>| {
            Structured::of_generic(*reader).is_some_and(|reader| {
                let maps = reader.reads_of(nest.op.result(0));
                let is_same = |map: &&[Index]| is_identity(map, nest.extents.len());
                reader.extents == nest.extents && !maps.is_empty() && maps.iter().all(is_same)
            })
        };
        if readers.len() > MAX_REMATERIALIZED_USES || !readers.iter().all(reads) {
            continue;
        }
        for reader in readers.into_iter().skip(1) {
            let copy = Builder::before(context, reader).insert(nest.op.clone_detached());
            for (user, operand) in uses.iter().filter(|(user, _)| *user == reader) {
                user.set_operand(*operand, copy.result(0));
            }
            any = true;
        }
    }
    any
}

/// What an element is computed from, if these are fewer bytes than it has, and it takes few operations.
fn sources<'c>(nest: &Structured<'c>, cheap: &HashMap<Op<'c>, Sources>) -> Option<Sources> {
    let body = nest.op.body(0).ops();
    let is_plain = |op: &Op<'c>| op.dialect() != "math" && !is_division(op.name());
    if !body.iter().all(is_plain) {
        return None;
    }
    let column = nest.extents.len().checked_sub(1)?;
    // Without the end.
    let mut all = Sources { bytes: 0, operations: body.len() - 1 };
    for operand in (0..nest.inputs).filter(|operand| nest.operand_uses(*operand, column)) {
        let value = nest.op.operand(operand);
        let known = value.owner().and_then(|owner| cheap.get(&owner));
        let own = Sources { bytes: value.ty().element().byte_width()?, operations: 0 };
        let own = known.copied().unwrap_or(own);
        all = Sources { bytes: all.bytes + own.bytes, operations: all.operations + own.operations };
    }
    let result = nest.op.result(0).ty().element().byte_width()?;
    let is_cheap = all.bytes < result && all.operations <= MAX_OPERATIONS_AGAIN;
    (is_cheap && all.bytes > 0).then_some(all)
}
