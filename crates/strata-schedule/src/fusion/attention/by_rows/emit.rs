//! The loops over blocks of rows.

use std::collections::HashMap;

use strata_ir::{
    AffineMap, AttributeExt as _, Builder, Context, Op, TypeExt as _, Value, arith, constant_index,
    f32_type, index, int, integer, linalg, linalg::IteratorType, narrow, scf, string,
};
use strata_target::{
    Target,
    tuning::attention::{LEAST_BLOCK, MIN_ROWS, MORE_ROWS, SCORES_IN_L2, TILES},
};

use super::{
    super::{
        coords::{Coords, backward, is_reshape, loops_of, through},
        emit::divisor,
        place::{Extent, Region, quotient},
        skip::{table, to_scalar, weights_vanish},
    },
    find::{ByRows, is_matmul, loops, structured},
    hidden::{Range, Visible},
};
use crate::{
    fusion::merge::reads_inputs_only,
    loops::{blocked, indexed, repeated},
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
    Some(near(rows, wanted))
}

/// About as many rows as wanted, so that blocks are alike and fill tiles where that can be.
fn near(rows: i64, wanted: i64) -> i64 {
    divisor(rows, wanted, TILES).unwrap_or(wanted / LEAST_BLOCK * LEAST_BLOCK)
}

/// Replaces what a dot is the last one of by its loops, if that is worth it.
pub fn emit<'c>(context: &'c Context, found: &ByRows<'c>, target: &Target) -> bool {
    let Some(mut rows) = block_rows(found, target) else { return false };
    let Some(last) = found.result.0.owner() else { return false };
    let b = Builder { location: last.location(), ..Builder::before(context, last) };
    let ty = found.result.0.ty();
    let (Some(shape), Some(home)) = (ty.shape(), last.block()) else { return false };
    let old = home.ops();
    let into = b.empty(&shape, ty.element());
    let mut visible = Visible::of(found, home, rows);
    // Where all see few keys, more rows have as many scores.
    let most = visible.as_ref().map_or(found.keys, Visible::most_keys);
    let wanted = rows * (found.keys / most).min(MORE_ROWS);
    if wanted > rows && found.rows > wanted {
        let more = near(found.rows, wanted);
        let wide = Visible::of(found, home, more).filter(|wide| wide.most_keys() < 2 * most);
        if wide.is_some() {
            (rows, visible) = (more, wide);
        }
    }
    let visible = visible.and_then(|visible| Checked::of(&b, visible));
    let ranges = visible.as_ref().map(|checked| checked.visible.ranges.len());
    let blocks = Blocks { of: found, rows, visible };
    let Some(result) = blocks.batches(&b, into) else { return false };
    let ranges = ranges.map_or_else(String::new, |ranges| format!(" visible {ranges}"));
    let name = string(context, &format!("attention {rows}{ranges}"));
    for nest in home.ops().into_iter().filter(|op| op.is(scf::FOR) && !old.contains(op)) {
        nest.set_attr(tags::SCHEDULE, name);
    }
    found.result.0.replace_all_uses_with(result);
    true
}

/// The keys that are visible, and what is checked of the values.
struct Checked<'c> {
    visible: Visible<'c>,
    /// Whether 0 times each value is 0.
    is_finite: Option<Value<'c>>,
}

impl<'c> Checked<'c> {
    fn of(b: &Builder<'c>, visible: Visible<'c>) -> Option<Self> {
        let is_finite = match visible.values {
            Some(values) => Some(is_finite(b, values)?),
            None => None,
        };
        Some(Self { visible, is_finite })
    }
}

/// Whether 0 times each of some floats is 0.
fn is_finite<'c>(b: &Builder<'c>, values: Value<'c>) -> Option<Value<'c>> {
    let (rank, element) = (values.ty().rank()?, values.ty().element());
    let wide = if element.bit_width()? < 32 { f32_type(b.context) } else { element };
    let zero = b.float(wide, 0.0);
    let body = b.region(&[element, wide], |b, args| {
        let one = if wide == element { args[0] } else { b.cast(arith::EXTF, args[0], wide) };
        let sum = b.same(arith::ADDF, &[args[1], b.same(arith::MULF, &[one, zero])]);
        linalg::yield_(b, &[sum]).build();
    });
    let maps = [AffineMap::identity(rank), AffineMap::projection(rank, &[])];
    let kinds = vec![IteratorType::Reduction; rank];
    let out = b.filled(zero, &[]);
    let sum = linalg::generic(b, &maps, &kinds, &[out.ty()], body);
    let sum = b.extract(sum.inputs(&[values]).outputs(&[out]).value(), &[]);
    Some(b.cmpf(arith::CmpFPredicate::Oeq, sum, zero))
}

/// Whether all integers of a tensor of rank 1 are at least `least`.
fn are_at_least<'c>(b: &Builder<'c>, numbers: Value<'c>, least: i64) -> Value<'c> {
    let element = numbers.ty().element();
    let (least, start) = (b.int(element, least), b.int(element, i64::from(i16::MAX)));
    let smallest =
        to_scalar(b, numbers, start, |b, one, worst| b.same(arith::MINSI, &[worst, one]));
    b.cmpi(arith::CmpIPredicate::Sge, smallest, least)
}

struct Blocks<'a, 'c> {
    of: &'a ByRows<'c>,
    rows: i64,
    visible: Option<Checked<'c>>,
}

/// The rows of a block: their batches, the first one, and how many there are.
type Rows<'a, 'c> = (&'a [Value<'c>], Value<'c>, i64);

impl<'c> Blocks<'_, 'c> {
    /// The loops over batches and blocks of rows; the result.
    fn batches(&self, b: &Builder<'c>, into: Value<'c>) -> Option<Value<'c>> {
        let rows = [self.of.rows, self.rows];
        indexed(b, &self.of.batches, &mut Vec::new(), into, &|b, batch, into| {
            blocked(b, rows, into, &|b, (at, rows), into| {
                let rows = (batch, at, rows);
                match &self.visible {
                    Some(checked) => self.checked(b, rows, checked, into),
                    None => self.block(b, rows, None, into).map(|(into, _)| into),
                }
            })
        })
    }

    /// A block of rows with the keys that it sees, and with all of them where these do not do.
    fn checked(
        &self,
        b: &Builder<'c>,
        rows: Rows<'_, 'c>,
        Checked { visible, is_finite }: &Checked<'c>,
        into: Value<'c>,
    ) -> Option<Value<'c>> {
        let number = quotient(b, rows.1, self.rows);
        let [none, one] = [0, 1].map(|count| b.index(count));
        let bit = integer(b.context, 1);
        let mut carried = [into, b.int(bit, 0)];
        for range in &visible.ranges {
            // The code for all keys is below.
            if range.keys == self.of.keys {
                continue;
            }
            let last = range.first + range.starts.len() as i64;
            let is_in = match constant_index(number) {
                Some(number) if !(range.first..last).contains(&number) => continue,
                Some(_) => one,
                None => {
                    let least = b.cmpi(arith::CmpIPredicate::Sge, number, b.index(range.first));
                    let most = b.cmpi(arith::CmpIPredicate::Slt, number, b.index(last));
                    b.select(b.same(arith::ANDI, &[least, most]), one, none)
                }
            };
            carried = repeated(b, [none, is_in, one], carried, |b, _, [into, _]| {
                let start = range.start(b, number)?;
                let (into, block) = self.block(b, rows, Some((range.keys, start)), into)?;
                let maximum = *block.known.get(&visible.maximum.owner()?)?;
                (maximum.ty().rank() == Some(1)).then_some(())?;
                let mut vanish = weights_vanish(b, visible.hidden, maximum);
                if let Some((key, hidden)) = visible.key {
                    let key = *block.known.get(&key.owner()?)?;
                    (key.ty().rank() == Some(1)).then_some(())?;
                    let are_largest = are_at_least(b, key, hidden);
                    vanish = b.same(arith::ANDI, &[vanish, are_largest]);
                }
                let is_done = match is_finite {
                    Some(is_finite) => b.same(arith::ANDI, &[vanish, *is_finite]),
                    None => vanish,
                };
                Some([into, is_done])
            })?;
        }
        let [into, is_done] = carried;
        let rest = b.select(is_done, none, one);
        let [into] = repeated(b, [none, rest, one], [into], |b, _, [into]| {
            Some([self.block(b, rows, None, into)?.0])
        })?;
        Some(into)
    }

    /// A block with so many keys from one on, or with all.
    fn block(
        &self,
        b: &Builder<'c>,
        (batches, row, rows): Rows<'_, 'c>,
        keys: Option<(i64, Value<'c>)>,
        into: Value<'c>,
    ) -> Option<(Value<'c>, Block<'_, 'c>)> {
        let mut extents = vec![Extent::One; batches.len()];
        let (share, first) = match keys {
            Some((part, first)) => (Extent::Share { all: self.of.keys, part }, first),
            None => (Extent::Whole, b.index(0)),
        };
        extents.extend([Extent::Part(rows), Extent::Whole, share]);
        let region = Region { starts: [batches, &[row, b.index(0), first]].concat(), extents };
        let mut block = Block { of: self.of, region, known: HashMap::new() };
        let (value, coords) = &self.of.result;
        let part = block.part(b, *value, coords)?;
        let into = block.region.insert(b, part, (into, coords))?;
        Some((into, block))
    }
}

impl Range {
    /// The first key of a block of the range.
    fn start<'c>(&self, b: &Builder<'c>, number: Value<'c>) -> Option<Value<'c>> {
        let first = *self.starts.first()?;
        if self.starts.iter().all(|start| *start == first) {
            return Some(b.index(first));
        }
        if let Some(number) = constant_index(number) {
            let place = usize::try_from(number - self.first).ok()?;
            return Some(b.index(*self.starts.get(place)?));
        }
        let starts = table(b, self.starts.iter().copied())?;
        let place = b.same(arith::SUBI, &[number, b.index(self.first)]);
        Some(b.cast(arith::INDEX_CAST, b.extract(starts, &[place]), index(b.context)))
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
        let loops = loops(&nest, coords, self.of.axes())?;
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
