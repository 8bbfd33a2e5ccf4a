//! Fuses comparisons into their users, so that no boolean goes through memory: vectors pack
//! booleans differently from memory, so loads and stores of them cannot be vectorised.
//!
//! ```text
//! %c = linalg.generic { cmpf } ins(%x, %y) -> tensor<9xi1>
//! %r = linalg.generic { select } ins(%c, %x, %z)
//! ```
//! becomes
//! ```text
//! %r = linalg.generic { cmpf, select } ins(%x, %y, %z)
//! ```
//! A comparison with a few users is recomputed for each of them.

use std::collections::HashSet;

use strata_diag::Diagnostic;
use strata_ir::{Block, Builder, Context, Op, TypeExt as _, run_pipeline};
use strata_target::tuning::fusion::{MAX_COMPARISON_GROUP, MAX_COMPARISON_USES};

use crate::{
    fusion::nest::Nest,
    structured::Structured,
    transform::outline::{function_of, inline_before, outline},
};

/// Fuses the booleans of a block into their users.
///
/// # Errors
/// Our bug: the pass fails.
pub fn fuse_booleans<'c>(context: &'c Context, block: Block<'c>) -> Result<(), Diagnostic> {
    let mut gone = HashSet::new();
    for user in block.ops().into_iter().rev() {
        if gone.contains(&user) || !is_map(user) {
            continue;
        }
        let ops = group(context, user);
        if ops.len() < 2 {
            continue;
        }
        let nest = Nest { ops, results: user.results(), parts: Vec::new() };
        let mut outlined = outline(context, &nest);
        run_pipeline(
            context,
            &mut outlined.module,
            "builtin.module(func.func(linalg-fuse-elementwise-ops))",
        )?;
        let Some(func) = function_of(&outlined.module) else { continue };
        let copy = func.clone_detached();
        inline_before(copy, &outlined.inputs, &nest.results, user);
        copy.erase();
        for op in nest.ops.into_iter().rev() {
            if op.is_unused() {
                gone.insert(op);
                op.erase();
            }
        }
    }
    Ok(())
}

fn is_map(op: Op<'_>) -> bool {
    op.result_count() == 1 && Structured::of_generic(op).is_some_and(|nest| nest.is_pure_map())
}

/// The operation and the producers of its booleans, in program order; each has one use.
fn group<'c>(context: &'c Context, user: Op<'c>) -> Vec<Op<'c>> {
    let mut members = vec![user];
    let mut next = 0;
    while next < members.len() {
        let user = members[next];
        next += 1;
        for operand in 0..user.operand_count() {
            let value = user.operand(operand);
            let is_boolean = value.ty().element().bit_width() == Some(1);
            let Some(owner) = value.owner().filter(|_| is_boolean) else { continue };
            let parallel = Structured::of_generic(owner).is_some_and(|nest| nest.is_parallel());
            let uses = value.uses().len();
            if !parallel
                || !is_map(owner)
                || owner.block() != user.block()
                || uses > MAX_COMPARISON_USES
                || members.len() >= MAX_COMPARISON_GROUP
            {
                continue;
            }
            if uses == 1 {
                members.push(owner);
                continue;
            }
            let copy = Builder::before(context, owner).insert(owner.clone_detached());
            user.set_operand(operand, copy.result(0));
            members.push(copy);
        }
    }
    members.reverse();
    members
}
