//! Gives straight-line code that fills a tensor piece by piece a common destination.
//!
//! A loop with a single iteration becomes straight-line code, which loses the information that its
//! slice and the destination are the same memory: buffer assignment treats each use of a `tensor.empty`
//! as a separate tensor, and would copy between the two.
//!
//! ```text
//! %e = tensor.empty()
//! %s = tensor.extract_slice %e[0, 0]
//! %t = … %s …
//! %r = tensor.insert_slice %t into %e[0, 0]
//! ```
//! becomes
//! ```text
//! %e = tensor.empty()
//! %r = scf.for %one = 0 to 1 step 1 iter_args(%d = %e) {
//!   %s = tensor.extract_slice %d[0, 0]
//!   %t = … %s …
//!   %u = tensor.insert_slice %t into %d[0, 0]
//!   scf.yield %u
//! }
//! ```

use strata_ir::{Builder, Context, Op, Value, arith, index, int, scf, tensor};

/// Gives every piece of a `tensor.empty` in `func` the tensor itself as its destination.
pub fn thread_destinations<'c>(context: &'c Context, func: Op<'c>) {
    for empty in func.collect(|op| op.is(tensor::EMPTY)) {
        let whole = empty.result(0);
        let users: Vec<_> = whole.uses().into_iter().collect();
        let Some((insert, _)) = users
            .iter()
            .copied()
            .find(|(user, operand)| user.is(tensor::INSERT_SLICE) && *operand == 1)
        else {
            continue;
        };
        let slice = users.iter().map(|(user, _)| *user).find(|user| {
            user.is(tensor::EXTRACT_SLICE)
                && user.block() == insert.block()
                && user.operand_count() == 1
        });
        if let Some(slice) = slice {
            wrap(context, whole, slice, insert);
        }
    }
}

/// The operations of a block from `first` to `last`; empty when `last` does not follow.
fn range<'c>(first: Op<'c>, last: Op<'c>) -> Vec<Op<'c>> {
    let mut ops = vec![first];
    let mut current = first;
    while current != last {
        match current.next() {
            Some(next) => {
                ops.push(next);
                current = next;
            }
            None => return Vec::new(),
        }
    }
    ops
}

fn wrap<'c>(context: &'c Context, whole: Value<'c>, slice: Op<'c>, insert: Op<'c>) {
    for op in range(slice, insert) {
        // Constants and the like are also used by later pieces.
        if op.operand_count() == 0 && op.region_count() == 0 {
            op.move_before(slice);
        }
    }
    let inside = range(slice, insert);
    let stays = |op: &Op<'c>| inside.iter().any(|outer| outer.encloses(*op));
    let escapes = inside
        .iter()
        .filter(|op| **op != insert)
        .any(|op| op.results().into_iter().flat_map(Value::uses).any(|(user, _)| !stays(&user)));
    if inside.is_empty() || escapes {
        return;
    }
    let builder = Builder::before(context, slice);
    let ty = index(context);
    let number =
        |value| builder.op(arith::CONSTANT).attr("value", int(ty, value)).result(ty).value();
    let (zero, one) = (number(0), number(1));
    let body = builder.region(&[ty, whole.ty()], |body, args| {
        body.op(scf::YIELD).operand(args[1]).build();
    });
    let around = builder
        .op(scf::FOR)
        .operands(&[zero, one, one, whole])
        .result(whole.ty())
        .region(body)
        .build();
    let block = around.body(0);
    let Some(end) = block.terminator() else { return };
    for op in &inside {
        op.move_before(end);
    }
    let destination = block.arg(1);
    slice.set_operand(0, destination);
    insert.set_operand(1, destination);
    insert.result(0).replace_all_uses_with(around.result(0));
    end.set_operand(0, insert.result(0));
}
