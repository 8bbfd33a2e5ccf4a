//! Loops that carry tensors, built in Rust, and how often they run.

use strata_ir::{Builder, Op, Value, View as _, constant_index, index, scf};

/// `scf.for` over constant bounds; its body at the only index where it has one iteration, nothing where it has none.
pub fn counted<'c, const N: usize>(
    b: &Builder<'c>,
    [first, last, step]: [i64; 3],
    carried: [Value<'c>; N],
    body: impl FnOnce(&Builder<'c>, Value<'c>, [Value<'c>; N]) -> Option<[Value<'c>; N]>,
) -> Option<[Value<'c>; N]> {
    if last <= first {
        return Some(carried);
    }
    if last - first <= step {
        return body(b, b.index(first), carried);
    }
    repeated(b, [first, last, step].map(|bound| b.index(bound)), carried, body)
}

/// `scf.for`.
pub fn repeated<'c, const N: usize>(
    b: &Builder<'c>,
    [first, last, step]: [Value<'c>; 3],
    carried: [Value<'c>; N],
    body: impl FnOnce(&Builder<'c>, Value<'c>, [Value<'c>; N]) -> Option<[Value<'c>; N]>,
) -> Option<[Value<'c>; N]> {
    let types = carried.map(|value| value.ty());
    let mut args = vec![index(b.context)];
    args.extend(types);
    let mut is_built = false;
    let region = b.region(&args, |b, args| {
        let Ok(inside) = <[Value<'c>; N]>::try_from(&args[1..]) else { return };
        if let Some(next) = body(b, args[0], inside) {
            scf::yield_(b, &next).build();
            is_built = true;
        }
    });
    is_built.then_some(())?;
    let nest = scf::for_(b, first, last, step, &carried, &types, region).build();
    <[Value<'c>; N]>::try_from(nest.op().results()).ok()
}

/// What loops around each other do at their indices with a value, which it is afterwards.
type AtIndices<'a, 'c> = &'a dyn Fn(&Builder<'c>, &[Value<'c>], Value<'c>) -> Option<Value<'c>>;

/// The same of a loop over blocks, at the first index of one, with its size.
type OfBlock<'a, 'c> = &'a dyn Fn(&Builder<'c>, (Value<'c>, i64), Value<'c>) -> Option<Value<'c>>;

/// A value after `body` has been there for all indices below `sizes`, in loops around each other.
pub fn indexed<'c>(
    b: &Builder<'c>,
    sizes: &[i64],
    at: &mut Vec<Value<'c>>,
    into: Value<'c>,
    body: AtIndices<'_, 'c>,
) -> Option<Value<'c>> {
    let Some((size, inner)) = sizes.split_first() else { return body(b, at, into) };
    let [result] = counted(b, [0, *size, 1], [into], |b, index, [into]| {
        at.push(index);
        let result = indexed(b, inner, at, into, body);
        at.pop();
        Some([result?])
    })?;
    Some(result)
}

/// A value after `body` has been there for all blocks of `size` indices out of `all`, and for those that are left: it is given the first index
/// and how many there are.
pub fn blocked<'c>(
    b: &Builder<'c>,
    [all, size]: [i64; 2],
    into: Value<'c>,
    body: OfBlock<'_, 'c>,
) -> Option<Value<'c>> {
    let whole = all / size * size;
    let [into] =
        counted(b, [0, whole, size], [into], |b, at, [into]| Some([body(b, (at, size), into)?]))?;
    match all - whole {
        0 => Some(into),
        rest => body(b, (b.index(whole), rest), into),
    }
}

/// The body of a loop: what is carried after the iteration of an index; `None` if it cannot be built.
type Body<'b, 'c> = dyn FnMut(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Option<Vec<Value<'c>>> + 'b;

/// As [`counted`], with any number of values.
pub fn counted_list<'c>(
    b: &Builder<'c>,
    [first, last, step]: [i64; 3],
    carried: &[Value<'c>],
    body: &mut Body<'_, 'c>,
) -> Option<Vec<Value<'c>>> {
    if last <= first {
        return Some(carried.to_vec());
    }
    if last - first <= step {
        return body(b, b.index(first), carried);
    }
    let types: Vec<_> = carried.iter().map(|value| value.ty()).collect();
    let args = [&[index(b.context)], &types[..]].concat();
    let mut is_built = false;
    let region = b.region(&args, |b, args| {
        if let Some(next) = body(b, args[0], &args[1..]) {
            scf::yield_(b, &next).build();
            is_built = true;
        }
    });
    is_built.then_some(())?;
    let [first, last, step] = [first, last, step].map(|bound| b.index(bound));
    Some(scf::for_(b, first, last, step, carried, &types, region).build().op().results())
}

/// How often a loop nest executes an operation for each execution of `outside`; `None` if that is not known.
pub fn executions(op: Op<'_>, outside: Op<'_>) -> Option<u64> {
    let mut count = 1_u64;
    let mut op = op;
    while op.block() != outside.block() {
        op = op.parent()?;
        if op.is(scf::FOR) {
            let [first, last, step] = [0, 1, 2].map(|bound| constant_index(op.operand(bound)));
            let (length, step) = (last?.checked_sub(first?)?, step.filter(|step| *step > 0)?);
            count = count.saturating_mul(u64::try_from(length).ok()?.div_ceil(step as u64));
        } else if !op.is(scf::IF) {
            return None;
        }
    }
    Some(count)
}
