//! Sums of few rows, each of which waits for the one before: every second or fourth product is added to sums of its own.
//!
//! ```mlir
//! %0 = scf.for %k = %c0 to %c257 step %c1 iter_args(%sum = %zero) {     // one multiply-add in four cycles
//!   scf.yield %k's product + %sum
//! }
//! ```
//! becomes
//! ```mlir
//! %0:4 = scf.for %k = %c0 to %c256 step %c4 iter_args(%sum0 = %zero, %sum1 = %none, …) {
//!   scf.yield %k's product + %sum0, the product of %k + 1 + %sum1, …
//! }
//! %1 = scf.for %k = %c256 to %c257 step %c1 iter_args(%sum = (%0#0 + %0#1) + (%0#2 + %0#3)) { … }
//! ```

use rustc_hash::FxHashMap;
use strata_ir::{Block, Builder, Context, Op, TypeExt as _, Value, View as _, arith, math, scf};

use crate::nests::{counted::Counted, limits};

/// Divides the sums of loops in the body.
pub fn divide<'c>(context: &'c Context, body: Block<'c>) {
    let loops = body.ops().into_iter().flat_map(|op| op.collect(|op| op.is(scf::FOR)));
    let loops: Vec<_> = loops.collect();
    // Inner ones first: those around them may go.
    for op in loops.into_iter().rev() {
        if let Some(each) = Counted::of(op) {
            divide_loop(context, &each);
        }
    }
}

fn divide_loop<'c>(context: &'c Context, each: &Counted<'c>) -> Option<()> {
    let (op, count) = (each.op, each.op.result_count());
    // A multiply-add takes four cycles, and two begin in one: 8 sums are enough. Of 6, twice as many do not fit in 16 registers.
    let parts: usize = match count {
        1..=2 => 4,
        3..=4 => 2,
        _ => return None,
    };
    let (trips, width) = (each.trips(), each.step * parts as i64);
    let whole = trips / parts as i64;
    let end = op.body(0).terminator()?;
    let are_sums = (0..count).all(|at| is_sum(op.body(0).arg(1 + at), end, at));
    if !are_sums || whole < parts as i64 || limits::is_exact(op) {
        return None;
    }
    let before = Builder { location: op.location(), ..Builder::before(context, op) };
    let last = before.index(each.first + whole * width);
    let starts: Vec<Value<'c>> = op.operands().into_iter().skip(3).collect();
    // Which changes no sum, not even one of negative zeros.
    let none = |start: &Value<'c>| before.float(start.ty(), -0.0);
    let others: Vec<_> = (1..parts).flat_map(|_| starts.iter().map(none)).collect();
    let all = [starts.clone(), others].concat();
    let types: Vec<_> = all.iter().map(|start| start.ty()).collect();
    let arguments = [vec![op.operand(0).ty()], types.clone()].concat();
    let divided = before.region(&arguments, |inside, args| {
        let mut sums = Vec::new();
        for part in 0..parts {
            let mut copies = FxHashMap::default();
            let at = inside.offset(args[0], part as i64 * each.step);
            copies.insert(each.counter(), at);
            for carried in 0..count {
                let own = args[1 + part * count + carried];
                copies.insert(op.body(0).arg(1 + carried), own);
            }
            sums.extend(inside.copy_body(op.body(0), &mut copies));
        }
        scf::yield_(inside, &sums).build();
    });
    let step = before.index(width);
    let divided = scf::for_(&before, op.operand(0), last, step, &all, &types, divided).build().op();
    let mut sums: Vec<Vec<Value<'c>>> =
        divided.results().chunks(count).map(<[_]>::to_vec).collect();
    while sums.len() > 1 {
        let pairs = sums.chunks(2).map(|pair| {
            let both = pair[0].iter().zip(&pair[1]);
            both.map(|(one, other)| before.same(arith::ADDF, &[*one, *other])).collect()
        });
        sums = pairs.collect();
    }
    let sums = sums.pop()?;
    if whole * parts as i64 == trips {
        for (old, new) in op.results().into_iter().zip(sums) {
            old.replace_all_uses_with(new);
        }
        op.erase();
    } else {
        op.set_operand(0, last);
        for (at, sum) in sums.into_iter().enumerate() {
            op.set_operand(3 + at, sum);
        }
    }
    Some(())
}

/// Whether what a loop carries at that position is a sum of products of floats, which nothing else in the loop sees.
fn is_sum<'c>(carried: Value<'c>, end: Op<'c>, at: usize) -> bool {
    let next = end.operand(at);
    let is_product = |op: Op<'c>| op.is(math::FMA) && op.operand(2) == carried;
    carried.ty().element().is_float_type()
        && next.owner().is_some_and(is_product)
        && carried.has_one_use()
        && next.has_one_use()
}
