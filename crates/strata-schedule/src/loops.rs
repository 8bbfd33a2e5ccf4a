//! Loops that carry tensors, built in Rust.

use strata_ir::{Builder, Value, View as _, index, scf};

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
