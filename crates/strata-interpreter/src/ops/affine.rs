//! `affine`: loops and accesses whose indices are affine maps.

use strata_ir::{AffineMap, Op, affine};

use super::{
    memref::{is_copied, load_scalar, store_scalar},
    scf::{count, give},
    unknown,
};
use crate::{
    element::Elem,
    fault::{Fault, Run},
    machine::{Machine, Operand},
    prepare::{Prepared, Preparer, Unsupported, number, numbers, unsupported},
    value::Value,
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    match op.name() {
        affine::FOR => for_loop(p, op),
        affine::LOAD => load(p, op),
        affine::STORE => store(p, op),
        affine::APPLY => apply(p, op, |values| values.first().copied()),
        affine::MIN => apply(p, op, |values| values.iter().min().copied()),
        affine::MAX => apply(p, op, |values| values.iter().max().copied()),
        affine::LINEARIZE_INDEX => linearize(p, op),
        affine::DELINEARIZE_INDEX => delinearize(p, op),
        _ => unknown(),
    }
}

/// A map with its operands: dimensions first, then symbols.
struct Mapped {
    map: AffineMap,
    operands: Vec<Operand>,
}

impl Mapped {
    fn new(op: Op<'_>, name: &str, operands: Vec<Operand>) -> Result<Self, Unsupported> {
        match op.attr(name).and_then(AffineMap::of) {
            Some(map) if map.dims + map.symbols == operands.len() => Ok(Self { map, operands }),
            _ => unsupported(format!("`{name}` is not a map of its operands")),
        }
    }

    fn values(&self, machine: &Machine) -> Run<Vec<i64>> {
        let operands = machine.indices(&self.operands)?;
        let (dims, symbols) = operands.split_at(self.map.dims);
        let results = self.map.results.iter().map(|result| result.value(dims, symbols));
        results
            .collect::<Option<_>>()
            .ok_or_else(|| Fault::undefined(format!("the map has no value for {operands:?}")))
    }
}

fn for_loop<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let groups = p.groups(op)?;
    let [low, high, init] = &groups[..] else { return unsupported("it has no bounds") };
    let low = Mapped::new(op, "lowerBoundMap", low.clone())?;
    let high = Mapped::new(op, "upperBoundMap", high.clone())?;
    let (step, init, results) = (number(op, "step")?, init.clone(), p.results(op));
    let body = p.body(op, 0)?;
    Ok(Box::new(move |machine| {
        // The tightest of several bounds applies.
        let low = low.values(machine)?.into_iter().max().unwrap_or(0);
        let high = high.values(machine)?.into_iter().min().unwrap_or(0);
        let state = machine.all(&init)?;
        let state = count(machine, &body, (low, high, step), state)?;
        give(machine, &results, state);
        Ok(())
    }))
}

fn load<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let operands = p.operands(op);
    let indices = Mapped::new(op, "map", operands[1..].to_vec())?;
    let (buffer, result, is_copied) = (operands[0], p.result(op), is_copied(op));
    Ok(Box::new(move |machine| {
        let view = machine.view(buffer)?;
        let at = view.at(&indices.values(machine)?)?;
        load_scalar(machine, &view, at, is_copied).map(|value| machine.set(result, value))
    }))
}

fn store<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let operands = p.operands(op);
    let indices = Mapped::new(op, "map", operands[2..].to_vec())?;
    let (value, buffer) = (operands[0], operands[1]);
    Ok(Box::new(move |machine| {
        let view = machine.view(buffer)?;
        let at = view.at(&indices.values(machine)?)?;
        store_scalar(machine, &view, at, value)
    }))
}

fn apply<'c>(p: &mut Preparer<'c>, op: Op<'c>, choose: fn(&[i64]) -> Option<i64>) -> Prepared {
    let operands = p.operands(op);
    let (map, result) = (Mapped::new(op, "map", operands)?, p.result(op));
    Ok(Box::new(move |machine| {
        let values = map.values(machine)?;
        let chosen = choose(&values).ok_or_else(|| Fault::internal("the map has no result"))?;
        machine.set(result, Value::Scalar(Elem::Index.wrap(chosen.into())));
        Ok(())
    }))
}

/// `[a, b, c] by (m, n)` is `(a * m + b) * n + c`; a basis for `a` is only a hint.
fn linearize<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let basis = numbers(op, "static_basis")?;
    let groups = p.groups(op)?;
    let [indices, dynamic] = &groups[..] else { return unsupported("its operands are not known") };
    if !dynamic.is_empty() {
        return unsupported("its basis is known only at run time");
    }
    let (indices, result) = (indices.clone(), p.result(op));
    let is_disjoint = op.has_attr("disjoint");
    let skipped = (basis.len() + 1).saturating_sub(indices.len());
    let factors: Vec<i64> = basis[skipped..].to_vec();
    Ok(Box::new(move |machine| {
        let values = machine.indices(&indices)?;
        let mut sum = values.first().copied().unwrap_or(0);
        for (value, factor) in values.iter().skip(1).zip(&factors) {
            if is_disjoint && !(0..*factor).contains(value) {
                return Err(Fault::outside(format!("index {value} is not below {factor}")));
            }
            sum = sum * factor + value;
        }
        machine.set(result, Value::Scalar(Elem::Index.wrap(sum.into())));
        Ok(())
    }))
}

fn delinearize<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let basis = numbers(op, "static_basis")?;
    let (operands, results) = (p.operands(op), p.results(op));
    if operands.len() != 1 || basis.iter().any(|size| *size <= 0) {
        return unsupported("its basis is known only at run time");
    }
    let skipped = (basis.len() + 1).saturating_sub(results.len());
    let factors = basis[skipped..].to_vec();
    Ok(Box::new(move |machine| {
        let mut rest = machine.index(operands[0])?;
        let mut values = Vec::new();
        for factor in factors.iter().rev() {
            values.push(rest.rem_euclid(*factor));
            rest = rest.div_euclid(*factor);
        }
        values.push(rest);
        let values = values.into_iter().rev();
        let values = values.map(|value| Value::Scalar(Elem::Index.wrap(value.into()))).collect();
        give(machine, &results, values);
        Ok(())
    }))
}
