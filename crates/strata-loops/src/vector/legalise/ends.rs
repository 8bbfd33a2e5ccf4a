//! Rows that are not a whole number of vectors: the last vector of a row begins earlier, so that it ends with the row.
//!
//! Before:
//! ```mlir
//! %x = vector.transfer_read %m[%i, 0] … : vector<4x20xf32>
//! %y = arith.mulf %x, %x
//! %s = vector.multi_reduction <add>, %y, %start [1]
//! ```
//! After, for each row: vectors of lanes 0 to 7, 8 to 15 and 12 to 19. Lanes that two vectors have are computed twice, with the same result,
//! so that writes of both write the same. Of a reduction the last vector's are replaced by what is neutral. A row of floats that is shorter
//! than a vector is one, where the target has masks: lanes beyond the row are neither read nor written.
//! That holds for values that nothing but reads, arithmetic on elements, reductions of whole rows and writes connects.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    AttributeExt as _, Builder, Op, Type, TypeExt as _, Value, arith, vector, vector::CombiningKind,
};

use super::{Outcome, Parts, Rows, is_on_elements};

/// For each value of such rows the lanes of its vectors.
pub(super) type Ends<'c> = FxHashMap<Value<'c>, i64>;

/// Where vectors of so many lanes begin that cover a row.
pub(super) fn starts(row: i64, lanes: i64) -> impl Iterator<Item = i64> {
    (0..(row + lanes - 1) / lanes).map(move |piece| (piece * lanes).min((row - lanes).max(0)))
}

/// Whether each row of a value has the same number in all of its lanes, another one in each row.
pub(super) fn spreads(op: Op<'_>) -> bool {
    let is_column = |ty: Type<'_>| ty.shape().is_some_and(|shape| shape.len() == 1);
    let permutation = op.attr("permutation").and_then(|dims| dims.as_i64s());
    op.is(vector::TRANSPOSE)
        && permutation == Some(vec![1, 0])
        && op
            .operand(0)
            .owner()
            .is_some_and(|owner| owner.is(vector::BROADCAST) && is_column(owner.operand(0).ty()))
}

impl<'c> Parts<'c> {
    /// Finds the values of such rows in `root`.
    pub(super) fn find_ends(&mut self, root: Op<'c>) {
        let ends = [vector::MULTI_REDUCTION, vector::TRANSFER_WRITE];
        let mut seen = FxHashSet::default();
        for op in root.collect(|op| ends.contains(&op.name())) {
            let source = op.operand(0);
            // What is only written in less than a vector is what schedules left over of others, or a short row: two vectors have all of it.
            let lanes = self.widths.lanes(source.ty().element());
            let is_row = |rows: Rows| {
                op.is(vector::MULTI_REDUCTION) || rows.row > lanes || rows.row.count_ones() > 2
            };
            if !Rows::of(source.ty()).is_ok_and(is_row) {
                continue;
            }
            if !seen.contains(&source) && !is_splat(source) {
                self.connected(source, &mut seen);
            }
        }
    }

    /// The values that are connected with this one; they are of such rows if all of them can be.
    fn connected(&mut self, source: Value<'c>, seen: &mut FxHashSet<Value<'c>>) -> Option<()> {
        let row = Rows::of(source.ty()).ok()?.row;
        let mut values = vec![source];
        let mut own = FxHashSet::from_iter([source]);
        let mut next = 0;
        // What was left before, such as a mask that others select with, too, has its own vectors.
        let mut is_right = seen.insert(source);
        while let Some(value) = values.get(next).copied() {
            next += 1;
            let others = self.beside(value, row);
            is_right &= others.is_some();
            for one in others.unwrap_or_default() {
                if own.insert(one) {
                    is_right &= seen.insert(one);
                    values.push(one);
                }
            }
        }
        // Masks take the lanes of what they select.
        let elements = values.iter().map(|value| value.ty().element());
        let numbers = elements.filter(|element| element.bit_width() != Some(1));
        let numbers: Vec<_> = numbers.collect();
        let most = numbers.iter().map(|element| self.widths.lanes(*element)).min()?;
        // Integers beyond the row might be divided by zero.
        let fits = row < most && numbers.iter().all(|element| element.is_float_type());
        let lanes = match fits && self.widths.has_masks {
            true => row.unsigned_abs().next_power_of_two() as i64,
            false => most.min(1 << row.checked_ilog2()?),
        };
        if is_right && lanes > 1 && row % lanes != 0 {
            self.ends.extend(values.into_iter().map(|value| (value, lanes)));
        }
        Some(())
    }

    /// The values of rows that share an operation with this one; `None` if there is an operation that needs other vectors.
    fn beside(&self, value: Value<'c>, row: i64) -> Option<Vec<Value<'c>>> {
        let mut found = Vec::new();
        let owner = value.owner()?;
        match owner.name() {
            vector::TRANSFER_READ if self.is_plain_transfer(owner, 0, value.ty()) => {}
            vector::BROADCAST => {
                let source = owner.operand(0);
                if source.ty().is_vector_type() {
                    match Rows::of(source.ty()).ok()?.row {
                        1 => {}
                        own if own == row => found.push(source),
                        _ => return None,
                    }
                }
            }
            vector::TRANSPOSE if spreads(owner) => {}
            _ => found.extend(self.elements_of(owner, row)?),
        }
        for (user, operand) in value.uses() {
            match user.name() {
                vector::TRANSFER_WRITE
                    if operand == 0 && self.is_plain_transfer(user, 1, value.ty()) => {}
                vector::MULTI_REDUCTION if operand == 0 && reduces_rows_alone(user) => {}
                vector::BROADCAST if Rows::of(user.result(0).ty()).ok()?.row == row => {
                    found.push(user.result(0));
                }
                _ => found.extend(self.elements_of(user, row)?),
            }
        }
        Some(found)
    }

    /// The rows of an operation on elements, but for constants.
    fn elements_of(&self, op: Op<'c>, row: i64) -> Option<Vec<Value<'c>>> {
        // A constant whose elements differ has vectors of its own.
        let is_made = is_on_elements(op) && !op.is(arith::CONSTANT);
        if !is_made || op.region_count() > 0 || op.result_count() != 1 {
            return None;
        }
        let vectors = op.operands().into_iter().chain(op.results());
        let vectors = vectors.filter(|value| value.ty().is_vector_type() && !is_splat(*value));
        let vectors: Vec<_> = vectors.collect();
        let is_row = |value: &Value<'c>| Rows::of(value.ty()).is_ok_and(|rows| rows.row == row);
        vectors.iter().all(is_row).then_some(vectors)
    }

    /// The parts of an operand of such an operation, in vectors of so many lanes.
    fn parts_of(&self, emit: Builder<'c>, value: Value<'c>, lanes: i64) -> Outcome<Vec<Value<'c>>> {
        let owner = value.owner().filter(|_| is_splat(value));
        let Some(owner) = owner else { return self.get(value) };
        let rows = Rows::of(value.ty())?;
        let ty = vector(&[lanes], value.ty().element());
        let one = match owner.attr("value").and_then(|value| value.splat_value()) {
            Some(element) => emit.splat(ty, element),
            None => emit.broadcast(owner.operand(0), ty),
        };
        Ok(vec![one; rows.count() * starts(rows.row, lanes).count()])
    }

    /// An operation on elements of such rows.
    pub(super) fn elementwise_ends(
        &self,
        emit: Builder<'c>,
        op: Op<'c>,
        lanes: i64,
    ) -> Outcome<Vec<Value<'c>>> {
        let element = op.result(0).ty().element();
        let operands = op.operands().into_iter();
        let operands = operands.map(|operand| match operand.ty().is_vector_type() {
            true => self.parts_of(emit, operand, lanes).map(Some),
            false => Ok(None),
        });
        let operands = operands.collect::<Outcome<Vec<_>>>()?;
        let count = operands.iter().flatten().map(Vec::len).max().ok_or("it has no vector")?;
        (0..count)
            .map(|part| {
                let values: Option<Vec<_>> = operands
                    .iter()
                    .enumerate()
                    .map(|(number, parts)| match parts {
                        Some(parts) => parts.get(part).copied(),
                        None => Some(op.operand(number)),
                    })
                    .collect();
                let values = values.ok_or("its operands have different parts")?;
                if op.is(vector::FMA) {
                    return Ok(self.multiply_add(emit, values[0], values[1], values[2]));
                }
                let one = emit.op(op.name()).operands(&values).attrs(&op.attrs());
                Ok(one.result(vector(&[lanes], element)).value())
            })
            .collect()
    }

    /// The vectors of a row that is reduced, each element in one lane of them.
    pub(super) fn each_once(
        &self,
        emit: Builder<'c>,
        kind: CombiningKind,
        mut row: Vec<Value<'c>>,
        length: i64,
    ) -> Outcome<Vec<Value<'c>>> {
        let [.., last] = row.as_mut_slice() else { return Ok(row) };
        let lanes = super::width_of(*last);
        if length < lanes {
            let (other, first) = match neutral(emit, kind, last.ty())? {
                Some(neutral) => (neutral, lanes),
                None => (*last, 0),
            };
            let outside = |lane: i64| first + lane % length;
            let mask: Vec<_> =
                (0..lanes).map(|lane| if lane < length { lane } else { outside(lane) }).collect();
            *last = emit.shuffle(*last, other, &mask);
            return Ok(row);
        }
        let again = (length + lanes - 1) / lanes * lanes - length;
        if strata_ir::planted("vector-row-end") {
            return Ok(row);
        }
        if let Some(neutral) = neutral(emit, kind, last.ty())? {
            let mask: Vec<_> =
                (0..lanes).map(|lane| if lane < again { lane } else { lanes + lane }).collect();
            *last = emit.shuffle(neutral, *last, &mask);
        }
        Ok(row)
    }
}

/// Whether it is made where it is needed: a splat that other nests may share.
fn is_splat(value: Value<'_>) -> bool {
    value.owner().is_some_and(|op| match op.name() {
        arith::CONSTANT => op.attr("value").and_then(|value| value.splat_value()).is_some(),
        vector::BROADCAST => !op.operand(0).ty().is_vector_type(),
        _ => false,
    })
}

/// Whether it reduces the last dimension and nothing else.
fn reduces_rows_alone(op: Op<'_>) -> bool {
    let last = op.operand(0).ty().rank().and_then(|rank| rank.checked_sub(1));
    let dims = op.attr("reduction_dims").and_then(|dims| dims.as_i64s());
    last.zip(dims).is_some_and(|(last, dims)| dims == [last as i64])
}

/// What changes nothing when it is combined so; `None` where a value changes nothing that is combined twice.
fn neutral<'c>(emit: Builder<'c>, kind: CombiningKind, ty: Type<'c>) -> Outcome<Option<Value<'c>>> {
    let is_float = ty.element().is_float_type();
    Ok(match (kind, is_float) {
        (CombiningKind::Add, true) => Some(emit.float(ty, -0.0)),
        (CombiningKind::Add | CombiningKind::Xor, false) => Some(emit.int(ty, 0)),
        (CombiningKind::Mul, true) => Some(emit.float(ty, 1.0)),
        (CombiningKind::Mul, false) => Some(emit.int(ty, 1)),
        (CombiningKind::Xor, true) => return Err("it combines the bits of floats".to_owned()),
        _ => None,
    })
}
