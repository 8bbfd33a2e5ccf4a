//! Extrema of rows: lanes along them, which are compared at their end.

use strata_ir::{
    Builder, Value,
    arith::{self, CmpFPredicate, CmpIPredicate},
    tensor,
    vector::CombiningKind,
};

use super::{body::Lanes, plan::Along};
use crate::loops::counted_list;

/// The loops over rows, that carry tensors for the results that are used.
pub struct Rows<'a, 'c> {
    pub lanes: Lanes<'a, 'c>,
    /// The numbers of the results that are used.
    pub used: Vec<usize>,
}

impl<'c> Rows<'_, 'c> {
    /// The loops over the dimensions `kept`, at these indices of the others; what `outs` are then.
    pub fn over(
        &self,
        b: &Builder<'c>,
        kept: &[usize],
        at: &[Value<'c>],
        outs: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let Some((dim, rest)) = kept.split_first() else {
            return self.rows(b, &[at.to_vec()], outs);
        };
        let extent = self.lanes.of.nest.extents[*dim];
        let together = match self.lanes.plan.along {
            Along::Row(rows) if rest.is_empty() => rows,
            _ => 1,
        };
        let moved = |index: Value<'c>| {
            let mut at = at.to_vec();
            at[*dim] = index;
            at
        };
        let whole = extent / together * together;
        let outs = counted_list(b, [0, whole, together], outs, &mut |b, index, outs| {
            if together == 1 {
                return self.over(b, rest, &moved(index), outs);
            }
            let rows: Vec<_> = (0..together).map(|row| moved(b.offset(index, row))).collect();
            self.rows(b, &rows, outs)
        })?;
        counted_list(b, [whole, extent, 1], &outs, &mut |b, index, outs| {
            self.over(b, rest, &moved(index), outs)
        })
    }

    /// Some rows at a time.
    fn rows(
        &self,
        b: &Builder<'c>,
        rows: &[Vec<Value<'c>>],
        outs: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let (lanes, plan) = (&self.lanes, self.lanes.plan);
        let extent = lanes.of.nest.extents[lanes.of.dim];
        let (count, kinds) = (usize::try_from(plan.vectors).ok()?, lanes.carried());
        // All extrema, all places: value `kind` of vector `number` is at `kind * parts + number`.
        let parts = rows.len() * count;
        let mut carried = Vec::new();
        for kind in 0..kinds {
            carried.extend(vec![lanes.start(b, kind)?; parts]);
        }
        let meet = |b: &Builder<'c>,
                    carried: &mut [Value<'c>],
                    part: usize,
                    column: Value<'c>,
                    place: Value<'c>| {
            let mut at = rows[part / count].clone();
            at[lanes.of.dim] = column;
            let elements = lanes.elements(b, &at)?;
            let own: Vec<_> = (0..kinds).map(|kind| carried[kind * parts + part]).collect();
            for (kind, value) in lanes.next(b, elements, place, &own).into_iter().enumerate() {
                carried[kind * parts + part] = value;
            }
            Some(())
        };
        let step = plan.vectors * plan.lanes;
        let whole = extent / step * step;
        let mut carried =
            counted_list(b, [0, whole, step], &carried, &mut |b, column, carried| {
                let mut carried = carried.to_vec();
                // The vectors of an iteration have one place, unless the last iteration may be one of single vectors.
                let shared = (!plan.is_limited).then(|| lanes.place(b, column));
                for part in 0..parts {
                    let column = b.offset(column, self.ahead(part, count));
                    let place = shared.unwrap_or_else(|| lanes.place(b, column));
                    meet(b, &mut carried, part, column, place)?;
                }
                Some(carried)
            })?;
        let ahead = |part: usize| if plan.is_limited { 0 } else { self.ahead(part, count) };
        // Single vectors, of which the last one begins where it ends with the row.
        let mut column = whole;
        while column < extent && !strata_ir::planted("schedule-extremum-rest") {
            let from = column.min(extent - plan.lanes);
            let vector = usize::try_from((column - whole) / plan.lanes).ok()? % count;
            for row in 0..rows.len() {
                let part = row * count + vector;
                let place = lanes.place(b, b.index(from - ahead(part)));
                meet(b, &mut carried, part, b.index(from), place)?;
            }
            column = from + plan.lanes;
        }
        let mut outs = outs.to_vec();
        for (number, row) in rows.iter().enumerate() {
            let part = |kind: usize, vector: usize| carried[kind * parts + number * count + vector];
            let mut all = Vec::new();
            for kind in 0..kinds {
                let values = (0..count).map(|vector| match kind {
                    0 => Some(part(kind, vector)),
                    _ => {
                        let columns = lanes.numbers(b, ahead(vector))?;
                        Some(b.same(arith::ADDI, &[part(kind, vector), columns]))
                    }
                });
                all.push(values.collect::<Option<Vec<_>>>()?);
            }
            self.write(b, row, self.of_lanes(b, &all)?, &mut outs);
        }
        Some(outs)
    }

    /// How many elements after the first one of an iteration a vector begins.
    fn ahead(&self, part: usize, count: usize) -> i64 {
        (part % count) as i64 * self.lanes.plan.lanes
    }

    /// What a row's lanes carry, each kind of value in several vectors, as a number each.
    fn of_lanes(&self, b: &Builder<'c>, all: &[Vec<Value<'c>>]) -> Option<Vec<Value<'c>>> {
        let of = self.lanes.of;
        let (name, kind) = match (of.is_float(), of.largest, of.signed) {
            (true, true, _) => (arith::MAXIMUMF, CombiningKind::Maximumf),
            (true, false, _) => (arith::MINIMUMF, CombiningKind::Minimumf),
            (_, true, true) => (arith::MAXSI, CombiningKind::Maxsi),
            (_, false, true) => (arith::MINSI, CombiningKind::Minsi),
            (_, true, false) => (arith::MAXUI, CombiningKind::Maxui),
            (_, false, false) => (arith::MINUI, CombiningKind::Minui),
        };
        let combined = |b: &Builder<'c>, name, values: Vec<Value<'c>>| {
            values.into_iter().reduce(|left, right| b.same(name, &[left, right]))
        };
        let extreme = b.reduction(kind, combined(b, name, all[0].clone())?);
        let everywhere = b.broadcast(extreme, all[0][0].ty());
        // If it is NaN, the lanes with a NaN.
        let is_extreme = |own: Value<'c>| match of.is_float() {
            true => {
                let is_equal = b.cmpf(CmpFPredicate::Oeq, own, everywhere);
                b.same(arith::ORI, &[is_equal, b.cmpf(CmpFPredicate::Uno, own, own)])
            }
            false => b.cmpi(CmpIPredicate::Eq, own, everywhere),
        };
        let are_extreme: Vec<_> = all[0].iter().map(|own| is_extreme(*own)).collect();
        let chosen = |places: &[Value<'c>], other: Value<'c>| {
            let pairs = are_extreme.iter().zip(places);
            pairs.map(|(is, place)| b.select(*is, *place, other)).collect::<Vec<_>>()
        };
        let least = match strata_ir::planted("schedule-extremum-tie") {
            true => arith::MAXSI,
            false => arith::MINSI,
        };
        let first = combined(b, least, chosen(&all[1], self.lanes.none(b)))?;
        let mut values = vec![extreme, b.reduction(CombiningKind::Minsi, first)];
        if let Some(last) = all.get(2) {
            let zero = b.int(last[0].ty(), 0);
            let last = combined(b, arith::MAXSI, chosen(last, zero))?;
            values.push(b.reduction(CombiningKind::Maxsi, last));
        }
        Some(values)
    }

    /// Writes the results of a row.
    fn write(
        &self,
        b: &Builder<'c>,
        row: &[Value<'c>],
        values: Vec<Value<'c>>,
        outs: &mut [Value<'c>],
    ) {
        let mut at = row.to_vec();
        at.remove(self.lanes.of.dim);
        for (out, number) in outs.iter_mut().zip(&self.used) {
            let value = self.lanes.result(b, *number, values[*number]);
            *out = tensor::insert(b, value, *out, &at, out.ty()).value();
        }
    }
}
