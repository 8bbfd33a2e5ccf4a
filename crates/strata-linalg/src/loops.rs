//! Sequential loops over tensors, for what parallel nests cannot express: scatters, sorts, solvers.

use strata_ir::{Builder, Value, index, scf, tensor};
use strata_rewrite::Outcome;

/// The result of a loop body: the next carried values.
pub type Carried<'c> = Outcome<Vec<Value<'c>>>;

/// The body of nested loops: it gets the indices and the carried values.
pub type NestBody<'a, 'c> = dyn FnMut(&Builder<'c>, &[Value<'c>], &[Value<'c>]) -> Carried<'c> + 'a;

/// `scf.for` from `low` to `high` by 1, carrying `initial`; `body` gets the index and the carried values.
pub fn for_loop<'c>(
    builder: &Builder<'c>,
    low: Value<'c>,
    high: Value<'c>,
    initial: &[Value<'c>],
    body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
) -> Carried<'c> {
    for_step(builder, [low, high, builder.index(1)], initial, body)
}

/// As [`for_loop`], with the bounds and the step.
pub fn for_step<'c>(
    builder: &Builder<'c>,
    bounds: [Value<'c>; 3],
    initial: &[Value<'c>],
    body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
) -> Carried<'c> {
    let types: Vec<_> = initial.iter().map(|value| value.ty()).collect();
    let mut args = vec![index(builder.context)];
    args.extend(&types);
    let mut outcome = Ok(());
    let region = builder.region(&args, |inner, args| match body(inner, args[0], &args[1..]) {
        Ok(next) => {
            inner.op(scf::YIELD).operands(&next).build();
        }
        Err(declined) => outcome = Err(declined),
    });
    outcome?;
    Ok(builder
        .op(scf::FOR)
        .operands(&bounds)
        .operands(initial)
        .results(&types)
        .region(region)
        .build()
        .results())
}

/// Nested loops over `extents`, outermost first; `body` gets one index per extent.
pub fn for_nest<'c>(
    builder: &Builder<'c>,
    extents: &[i64],
    initial: &[Value<'c>],
    body: &mut NestBody<'_, 'c>,
) -> Carried<'c> {
    nest(builder, extents, &mut Vec::new(), initial, body)
}

fn nest<'c>(
    builder: &Builder<'c>,
    extents: &[i64],
    indices: &mut Vec<Value<'c>>,
    carried: &[Value<'c>],
    body: &mut NestBody<'_, 'c>,
) -> Carried<'c> {
    let Some((extent, rest)) = extents.split_first() else {
        return body(builder, indices, carried);
    };
    let (low, high) = (builder.index(0), builder.index(*extent));
    for_loop(builder, low, high, carried, |inner, at, carried| {
        indices.push(at);
        let next = nest(inner, rest, indices, carried, body);
        indices.pop();
        next
    })
}

/// The indices of an input's element and of its output's element, from the indices of a nest.
pub type Positions<'f, 'c> = dyn Fn(&Builder<'c>, &[Value<'c>]) -> [Vec<Value<'c>>; 2] + 'f;

/// Combines accumulators with elements.
pub type Combine<'f, 'c> = dyn Fn(&Builder<'c>, &[Value<'c>], &[Value<'c>]) -> Carried<'c> + 'f;

/// Loops over `extents` that combine elements of `inputs` with the elements of `outputs` that they belong to; `positions`
/// computes the indices of both, `body` gets accumulators and elements.
pub fn accumulate<'c>(
    builder: &Builder<'c>,
    extents: &[i64],
    [inputs, outputs]: [&[Value<'c>]; 2],
    positions: &Positions<'_, 'c>,
    body: &Combine<'_, 'c>,
) -> Carried<'c> {
    for_nest(builder, extents, outputs, &mut |b, at, carried| {
        let [from, to] = positions(b, at);
        let read = |values: &[Value<'c>], place: &[Value<'c>]| -> Vec<_> {
            values.iter().map(|value| b.extract(*value, place)).collect()
        };
        let next = body(b, &read(carried, &to), &read(inputs, &from))?;
        let pairs = next.into_iter().zip(carried);
        Ok(pairs.map(|(scalar, into)| insert(b, scalar, *into, &to)).collect())
    })
}

/// `scf.if` with values: `yes` computes new ones, otherwise they are unchanged.
pub fn when<'c>(
    builder: &Builder<'c>,
    condition: Value<'c>,
    carried: &[Value<'c>],
    yes: impl FnOnce(&Builder<'c>) -> Carried<'c>,
) -> Carried<'c> {
    let types: Vec<_> = carried.iter().map(|value| value.ty()).collect();
    let mut outcome = Ok(());
    let then = builder.region(&[], |inner, _| match yes(inner) {
        Ok(next) => {
            inner.op(scf::YIELD).operands(&next).build();
        }
        Err(declined) => outcome = Err(declined),
    });
    outcome?;
    let otherwise = builder.region(&[], |inner, _| {
        inner.op(scf::YIELD).operands(carried).build();
    });
    let chosen = builder.op(scf::IF).operand(condition).results(&types);
    Ok(chosen.region(then).region(otherwise).build().results())
}

/// `scf.while`: `body` computes the next carried values as long as `goes_on` holds for them.
pub fn while_loop<'c>(
    builder: &Builder<'c>,
    initial: &[Value<'c>],
    goes_on: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Value<'c>,
    body: impl FnOnce(&Builder<'c>, &[Value<'c>]) -> Carried<'c>,
) -> Carried<'c> {
    let types: Vec<_> = initial.iter().map(|value| value.ty()).collect();
    let before = builder.region(&types, |inner, args| {
        inner.op(scf::CONDITION).operand(goes_on(inner, args)).operands(args).build();
    });
    let mut outcome = Ok(());
    let after = builder.region(&types, |inner, args| match body(inner, args) {
        Ok(next) => {
            inner.op(scf::YIELD).operands(&next).build();
        }
        Err(declined) => outcome = Err(declined),
    });
    outcome?;
    let state = builder.op(scf::WHILE).operands(initial).results(&types);
    Ok(state.region(before).region(after).build().results())
}

/// `tensor.insert`.
pub fn insert<'c>(
    builder: &Builder<'c>,
    scalar: Value<'c>,
    into: Value<'c>,
    at: &[Value<'c>],
) -> Value<'c> {
    let insert = builder.op(tensor::INSERT).operands(&[scalar, into]).operands(at);
    insert.result(into.ty()).value()
}
