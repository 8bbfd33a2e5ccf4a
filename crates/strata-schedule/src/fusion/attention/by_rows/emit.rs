//! The loops over blocks of rows.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, AttributeExt as _, Builder, Context, Op, TypeExt as _, Value, int, integer, linalg,
    linalg::IteratorType, narrow, scf, string,
};
use strata_target::{
    Target,
    tuning::attention::{LEAST_BLOCK, MIN_ROWS, SCORES_IN_L2, TILES},
};

use super::{
    super::{
        coords::{Coords, backward, is_reshape, loops_of, through},
        emit::divisor,
        place::{Extent, Region},
    },
    find::{ByRows, is_matmul, loops, structured},
};
use crate::{
    fusion::merge::reads_inputs_only,
    loops::{blocked, indexed},
    transform::tags,
};

/// The rows of a block, where blocks are worth it.
fn block_rows(found: &ByRows<'_>, target: &Target) -> Option<i64> {
    let (l2, rows) = (i64::try_from(target.l2_bytes).ok()?, found.rows);
    let batches = found.batches.iter().try_fold(1i64, |all, one| all.checked_mul(*one))?;
    let all = rows.checked_mul(found.row_bytes)?.checked_mul(batches)?;
    if rows < MIN_ROWS || all <= l2 {
        return None;
    }
    let wanted = (l2 / SCORES_IN_L2 / found.row_bytes).max(LEAST_BLOCK);
    if rows <= wanted * 3 / 2 {
        return (batches > 1).then_some(rows);
    }
    Some(divisor(rows, wanted, TILES).unwrap_or(wanted / LEAST_BLOCK * LEAST_BLOCK))
}

/// Replaces what a dot is the last one of by its loops, if that is worth it.
pub fn emit<'c>(context: &'c Context, found: &ByRows<'c>, target: &Target) -> bool {
    let Some(rows) = block_rows(found, target) else { return false };
    let Some(last) = found.result.0.owner() else { return false };
    let b = Builder { location: last.location(), ..Builder::before(context, last) };
    let ty = found.result.0.ty();
    let (Some(shape), Some(home)) = (ty.shape(), last.block()) else { return false };
    let old = home.ops();
    let into = b.empty(&shape, ty.element());
    let blocks = Blocks { of: found, rows };
    let Some(result) = blocks.batches(&b, into) else { return false };
    let name = string(context, &format!("attention {rows}"));
    for nest in home.ops().into_iter().filter(|op| op.is(scf::FOR) && !old.contains(op)) {
        nest.set_attr(tags::SCHEDULE, name);
    }
    found.result.0.replace_all_uses_with(result);
    true
}

struct Blocks<'a, 'c> {
    of: &'a ByRows<'c>,
    rows: i64,
}

impl<'c> Blocks<'_, 'c> {
    /// The loops over batches and blocks of rows; the result.
    fn batches(&self, b: &Builder<'c>, into: Value<'c>) -> Option<Value<'c>> {
        let rows = [self.of.rows, self.rows];
        indexed(b, &self.of.batches, &mut Vec::new(), into, &|b, batch, into| {
            blocked(b, rows, into, &|b, (at, rows), into| self.block(b, (batch, at, rows), into))
        })
    }

    fn block(
        &self,
        b: &Builder<'c>,
        (batches, row, rows): (&[Value<'c>], Value<'c>, i64),
        into: Value<'c>,
    ) -> Option<Value<'c>> {
        let mut extents = vec![Extent::One; batches.len()];
        extents.extend([Extent::Part(rows), Extent::Whole]);
        let region = Region { starts: [batches, &[row, b.index(0)]].concat(), extents };
        let mut block = Block { of: self.of, region, known: HashMap::new() };
        let (value, coords) = &self.of.result;
        let part = block.part(b, *value, coords)?;
        block.region.insert(b, part, (into, coords))
    }
}

/// A block of rows.
struct Block<'a, 'c> {
    of: &'a ByRows<'c>,
    region: Region<'c>,
    /// The parts of the results of members.
    known: HashMap<Op<'c>, Value<'c>>,
}

impl<'c> Block<'_, 'c> {
    /// The part of a value: computed, or read from memory. It has the dimensions of which the block has more than one index.
    fn part(&mut self, b: &Builder<'c>, value: Value<'c>, coords: &Coords) -> Option<Value<'c>> {
        let Some(op) = value.owner() else { return self.slice(b, value, coords) };
        if let Some(known) = self.known.get(&op) {
            return Some(*known);
        }
        if op.is(linalg::FILL) {
            let b = Builder { location: op.location(), ..*b };
            return Some(b.filled(op.operand(0), &self.sizes(value, coords)?));
        }
        if !self.of.members.contains_key(&op) {
            return self.slice(b, value, coords);
        }
        let part = if is_reshape(op) {
            self.part(b, op.operand(0), &backward(op, coords)?)?
        } else if op.is(narrow::PACK) {
            self.packed(b, op, coords)?
        } else {
            self.computed(b, op, coords)?
        };
        self.known.insert(op, part);
        Some(part)
    }

    fn slice(&self, b: &Builder<'c>, value: Value<'c>, coords: &Coords) -> Option<Value<'c>> {
        self.region.slice(b, (value, coords)).map(|(part, _)| part)
    }

    /// The sizes of the part of a value.
    fn sizes(&self, value: Value<'c>, coords: &Coords) -> Option<Vec<i64>> {
        let all = coords.iter().zip(value.ty().shape()?);
        let kept = all.filter(|(coord, _)| self.region.along(coord).is_some());
        Some(kept.map(|(coord, size)| self.region.size(coord, size)).collect())
    }

    fn packed(&mut self, b: &Builder<'c>, op: Op<'c>, coords: &Coords) -> Option<Value<'c>> {
        let part = self.part(b, op.operand(0), coords)?;
        let dim = usize::try_from(op.attr("dimension")?.as_i64()?).ok()?;
        let before = coords[..dim].iter().filter(|coord| self.region.along(coord).is_some());
        let place = int(integer(b.context, 64), before.count() as i64);
        let ty = strata_ir::tensor(&self.sizes(op.result(0), coords)?, op.result(0).ty().element());
        let b = Builder { location: op.location(), ..*b };
        let packed = b.op(narrow::PACK).operand(part).attrs(&op.attrs()).attr("dimension", place);
        Some(packed.result(ty).value())
    }

    /// An operation of which the block has some of the loops.
    fn computed(&mut self, b: &Builder<'c>, op: Op<'c>, coords: &Coords) -> Option<Value<'c>> {
        let nest = structured(op)?;
        let loops = loops(&nest, coords, self.of.whole())?;
        let b = Builder { location: op.location(), ..*b };
        // What is computed comes last, so that a dot is next to what its tiles are fused with.
        let mut order: Vec<usize> = (0..nest.inputs).collect();
        let is_member = |value: Value<'c>| {
            value.owner().is_some_and(|owner| self.of.members.contains_key(&owner))
        };
        order.sort_by_key(|input| is_member(op.operand(*input)));
        let mut inputs = vec![None; nest.inputs];
        for input in order {
            let coords = through(&nest.maps[input], &loops)?;
            inputs[input] = Some(self.part(&b, op.operand(input), &coords)?);
        }
        let inputs: Vec<_> = inputs.into_iter().collect::<Option<_>>()?;
        let result = op.result(0);
        let sizes = self.sizes(result, coords)?;
        let out = match op.operand(nest.inputs).owner().filter(|_| !reads_inputs_only(&nest)) {
            Some(fill) => b.filled(fill.operand(0), &sizes),
            None => b.empty(&sizes, result.ty().element()),
        };
        let kept: Vec<usize> = (0..loops.len())
            .filter(|number| self.region.along(&loops[*number]).is_some())
            .collect();
        let place = |number: usize| kept.iter().position(|own| *own == number);
        let map = |own: &Vec<usize>| {
            let places: Vec<usize> = own.iter().filter_map(|number| place(*number)).collect();
            AffineMap::projection(kept.len(), &places)
        };
        let maps: Vec<_> = loops_of(&nest)?.iter().map(map).collect();
        let kind = |number: &usize| match nest.reduction[*number] {
            true => IteratorType::Reduction,
            false => IteratorType::Parallel,
        };
        let kinds: Vec<_> = kept.iter().map(kind).collect();
        let body = self.region.body(&b, op, &loops, &place);
        if is_matmul(op) {
            (kept.len() == 3).then_some(())?;
            let product = b.structured(linalg::MATMUL, &inputs, &[out], body);
            return Some(product.attr("indexing_maps", AffineMap::list(b.context, &maps)).value());
        }
        let computed = linalg::generic(&b, &maps, &kinds, &[out.ty()], body);
        Some(computed.inputs(&inputs).outputs(&[out]).value())
    }
}
