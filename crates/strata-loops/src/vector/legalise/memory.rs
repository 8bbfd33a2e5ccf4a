//! Legalises transfers: loads and stores of rows.
//!
//! Before:
//! ```mlir
//! %v = vector.transfer_read %m[%i, %j], %pad {in_bounds = [true, false]} : …, vector<2x16xf32>
//! ```
//! After: two rows; the lanes beyond the buffer are masked.
//! ```mlir
//! %left = arith.subi %size, %j : index
//! %mask = vector.create_mask %left : vector<16xi1>
//! %v0 = vector.maskedload %m[%i, %j], %mask, %padding : …, vector<16xf32>
//! ```
//! Rows beyond the end of a buffer whose size is known at the call, which has one at least, are its last one, and zero: masks of all lanes
//! or none are as slow as others.

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, DYNAMIC, Op, Type, TypeExt as _, Value,
    arith, constant_index, integer, memref, memref_layout, scf, vector,
};

use super::{Outcome, Parts, Rows, columns::ShortRows, width_of};

/// A transfer.
struct Transfer<'c> {
    buffer: Value<'c>,
    base: Vec<Value<'c>>,
    /// For each dimension of the vector the dimension of the buffer; `None` repeats.
    dims: Vec<Option<usize>>,
    in_bounds: Vec<bool>,
    mask: Option<Value<'c>>,
    /// Whether the lanes of a row are contiguous in the buffer.
    contiguous: bool,
}

/// A row of a transfer: its first index and the number of lanes in bounds (`None`: all).
struct Place<'c> {
    at: Vec<Value<'c>>,
    limit: Option<Value<'c>>,
    /// Whether it exists, where another one is read that does: its lanes are zero otherwise.
    exists: Option<Value<'c>>,
}

impl<'c> Transfer<'c> {
    /// The elements from `at` on along a column of short rows, where they end how many rows are left and what other lanes have.
    fn column(
        &self,
        emit: Builder<'c>,
        at: &[Value<'c>],
        part: Type<'c>,
        end: Option<(Value<'c>, Value<'c>)>,
    ) -> Option<Value<'c>> {
        let is_column = self.dims.last() == Some(&Some(at.len().checked_sub(2)?));
        let rows = ShortRows::of(self.buffer).filter(|_| is_column)?;
        let number = constant_index(*at.last()?).filter(|number| rows.has_column(*number))?;
        rows.column(emit, (at, number), part, end).ok()
    }
}

impl<'c> Parts<'c> {
    /// The columns of short rows that a transfer reads, each as a row of pieces of these widths.
    pub(super) fn columns(&self, read: Op<'c>, widths: &[i64]) -> Option<Vec<Value<'c>>> {
        let ty = read.result(0).ty();
        let transfer = self.transfer(read, 0, ty).ok()?;
        let is_plain = transfer.mask.is_none() && transfer.in_bounds.iter().all(|inside| *inside);
        let rows = ShortRows::whole(transfer.buffer, (&transfer.dims, &transfer.base), ty);
        let rows = rows.filter(|_| is_plain)?;
        let emit = Builder { location: read.location(), ..Builder::before(self.context, read) };
        let mut columns = Vec::new();
        for number in 0..*ty.shape()?.last()? {
            let mut start = 0;
            for lanes in widths {
                let mut at = transfer.base.clone();
                let row = at.len() - 2;
                at[row] = emit.offset(at[row], start);
                let part = vector(&[*lanes], ty.element());
                columns.push(rows.column(emit, (&at, number), part, None).ok()?);
                start += lanes;
            }
        }
        Some(columns)
    }

    /// `vector.transfer_read`.
    pub(super) fn transfer_read(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let ty = op.result(0).ty();
        let transfer = self.transfer(op, 0, ty)?;
        let padding = op.operand(1 + transfer.base.len());
        let rows = Rows::of(ty)?;
        let places = self.places(op.result(0))?;
        let widths: Vec<_> = places.iter().map(|(_, lanes)| *lanes).collect();
        let masks = self.masks(emit, &transfer, &widths)?;
        let mut parts = Vec::new();
        let can_repeat = can_repeat_rows(&transfer, ty, padding);
        for (number, index) in rows.indices().into_iter().enumerate() {
            let place = self.place(emit, &transfer, &index, rows.row, can_repeat)?;
            for (piece, (start, lanes)) in places.iter().copied().enumerate() {
                let part = vector(&[lanes], ty.element());
                let mask = self.live_lanes(
                    emit,
                    &place,
                    start,
                    lanes,
                    masks
                        .as_ref()
                        .map(|masks| masks[number][piece])
                        .or_else(|| self.within(emit, &transfer, rows.row - start, lanes)),
                );
                let left = place.limit.filter(|_| masks.is_none() && !transfer.contiguous);
                let column = left.filter(|_| self.widths.has_masked_reads(part)).and_then(|left| {
                    let left = emit.offset(left, -start);
                    let at = lane_index(emit, &transfer, &place.at, start);
                    transfer.column(emit, &at, part, Some((left, padding)))
                });
                let read = column.unwrap_or_else(|| {
                    self.read_piece(emit, &transfer, &place.at, start, part, mask, padding)
                });
                parts.push(place.exists.map_or(read, |exists| zero_unless(emit, exists, read)));
            }
        }
        Ok(parts)
    }

    /// `vector.transfer_write`.
    pub(super) fn transfer_write(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome {
        let ty = op.operand(0).ty();
        let transfer = self.transfer(op, 1, ty)?;
        if transfer.dims.iter().any(Option::is_none) {
            return Err("it writes an element several times".to_owned());
        }
        let rows = Rows::of(ty)?;
        let values = self.rows(op.operand(0))?;
        let places = self.places(op.operand(0))?;
        let widths: Vec<i64> = places.iter().map(|(_, lanes)| *lanes).collect();
        let masks = self.masks(emit, &transfer, &widths)?;
        for (number, index) in rows.indices().into_iter().enumerate() {
            let place = self.place(emit, &transfer, &index, rows.row, false)?;
            for (piece, value) in values[number].iter().enumerate() {
                let (start, lanes) = places[piece];
                let mask = self.live_lanes(
                    emit,
                    &place,
                    start,
                    lanes,
                    masks
                        .as_ref()
                        .map(|masks| masks[number][piece])
                        .or_else(|| self.within(emit, &transfer, rows.row - start, lanes)),
                );
                self.write_piece(emit, &transfer, &place.at, start, *value, mask);
            }
        }
        Ok(())
    }

    /// `vector.load` of a vector that the target lacks.
    pub(super) fn load(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let ty = op.result(0).ty();
        let transfer = self.plain(op.operands(), ty)?;
        let widths = self.row_pieces(ty)?;
        let rows = Rows::of(ty)?;
        let mut parts = Vec::new();
        for index in rows.indices() {
            let place = self.place(emit, &transfer, &index, rows.row, false)?;
            let mut start = 0;
            for lanes in &widths {
                let part = vector(&[*lanes], ty.element());
                let zero = emit.zero(ty.element());
                parts.push(self.read_piece(emit, &transfer, &place.at, start, part, None, zero));
                start += lanes;
            }
        }
        Ok(parts)
    }

    /// `vector.store` of a vector that the target lacks.
    pub(super) fn store(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome {
        let ty = op.operand(0).ty();
        let transfer = self.plain(op.operands().split_off(1), ty)?;
        let rows = Rows::of(ty)?;
        for (index, row) in rows.indices().into_iter().zip(self.rows(op.operand(0))?) {
            let place = self.place(emit, &transfer, &index, rows.row, false)?;
            let mut start = 0;
            for value in row {
                self.write_piece(emit, &transfer, &place.at, start, value, None);
                start += width_of(value);
            }
        }
        Ok(())
    }

    fn plain(&self, operands: Vec<Value<'c>>, ty: Type<'c>) -> Outcome<Transfer<'c>> {
        let (buffer, base) = operands.split_first().ok_or("it has no buffer")?;
        let (rank, own) = (base.len(), ty.rank().unwrap_or(0));
        let first =
            rank.checked_sub(own).ok_or("its vector has more dimensions than its buffer")?;
        Ok(Transfer {
            buffer: *buffer,
            base: base.to_vec(),
            dims: (first..rank).map(Some).collect(),
            in_bounds: vec![true; own],
            mask: None,
            contiguous: is_byte_sized(ty.element()),
        })
    }

    /// Whether a transfer is of whole rows that lie in a buffer, or of one element for each.
    pub(super) fn is_plain_transfer(&self, op: Op<'c>, first: usize, ty: Type<'c>) -> bool {
        self.transfer(op, first, ty).is_ok_and(|transfer| {
            let is_repeated = first == 0 && matches!(transfer.dims.last(), Some(None));
            transfer.mask.is_none()
                && transfer.in_bounds.iter().all(|inside| *inside)
                && (transfer.contiguous || is_repeated)
        })
    }

    /// Whether a transfer's vector has the last two of its buffer's dimensions.
    pub(super) fn is_of_last_dimensions(&self, op: Op<'c>, rank: usize) -> bool {
        let map = op.attr("permutation_map").and_then(AffineMap::of);
        rank >= 2 && map == Some(AffineMap::projection(rank, &[rank - 2, rank - 1]))
    }

    /// Reads the operands and attributes of a transfer whose buffer is operand `first`.
    fn transfer(&self, op: Op<'c>, first: usize, ty: Type<'c>) -> Outcome<Transfer<'c>> {
        let buffer = op.operand(first);
        let rank = buffer
            .ty()
            .rank()
            .filter(|_| buffer.ty().is_memref_type())
            .ok_or("it is not on a buffer")?;
        if buffer.ty().element() != ty.element() {
            return Err("its buffer holds vectors".to_owned());
        }
        let operands = op.operands();
        let base = operands.get(first + 1..first + 1 + rank).ok_or("it lacks indices")?.to_vec();
        // A read has its padding between the indices and the mask.
        let mask = operands.get(first + 1 + rank + usize::from(first == 0)).copied();
        let map = op.attr("permutation_map").and_then(AffineMap::of);
        let dims = map
            .filter(|map| map.symbols == 0)
            .ok_or("its map is not plain")?
            .results
            .iter()
            .map(|result| match result {
                AffineExpr::Constant(0) => Ok(None),
                AffineExpr::Dim(dim) => Ok(Some(*dim)),
                _ => Err("its map is not plain".to_owned()),
            })
            .collect::<Outcome<Vec<_>>>()?;
        let in_bounds = op
            .attr("in_bounds")
            .and_then(|flags| flags.as_array()?.into_iter().map(|one| one.as_bool()).collect())
            .unwrap_or_else(|| vec![false; dims.len()]);
        let last_is_minor = dims.last().is_none_or(|dim| *dim == Some(rank.wrapping_sub(1)));
        let contiguous = rank > 0
            && last_is_minor
            && has_unit_stride(buffer.ty())
            && is_byte_sized(ty.element());
        Ok(Transfer { buffer, base, dims, in_bounds, mask, contiguous })
    }

    /// The parts of the mask operand, row by row, split like the value.
    fn masks(
        &self,
        emit: Builder<'c>,
        transfer: &Transfer<'c>,
        widths: &[i64],
    ) -> Outcome<Option<Vec<Vec<Value<'c>>>>> {
        let Some(mask) = transfer.mask else { return Ok(None) };
        // The mask has the buffer's order of dimensions, without the repeated ones.
        let ordered: Vec<usize> = transfer.dims.iter().copied().flatten().collect();
        if ordered.len() != transfer.dims.len() || !ordered.is_sorted() {
            return Err("its mask is permuted".to_owned());
        }
        let rows = self.rows(mask)?;
        rows.iter().map(|row| self.recut(emit, row, widths)).collect::<Outcome<Vec<_>>>().map(Some)
    }

    /// The first index of the row at `index`, and its bound.
    fn place(
        &self,
        emit: Builder<'c>,
        transfer: &Transfer<'c>,
        index: &[i64],
        lanes: i64,
        can_repeat: bool,
    ) -> Outcome<Place<'c>> {
        let mut at = transfer.base.clone();
        let (mut limit, mut row_exists) = (None, None);
        if let (Some(Some(dim)), Some(false)) = (transfer.dims.last(), transfer.in_bounds.last()) {
            let size = self.size(emit, transfer.buffer, *dim)?;
            let known = constant_index(size).zip(constant_index(at[*dim]));
            let slack = i64::from(strata_ir::planted("vector-tail"));
            if known.is_none_or(|(size, at)| at + lanes > size + slack) {
                limit = Some(emit.same(arith::SUBI, &[size, at[*dim]]));
            }
        }
        for ((dim, one), inside) in transfer.dims.iter().zip(index).zip(&transfer.in_bounds) {
            let Some(dim) = dim else { continue };
            at[*dim] = emit.offset(at[*dim], *one);
            if !inside {
                let size = self.size(emit, transfer.buffer, *dim)?;
                let below = if strata_ir::planted("vector-row-exists") {
                    arith::CmpIPredicate::Sle
                } else {
                    arith::CmpIPredicate::Slt
                };
                let exists = emit.cmpi(below, at[*dim], size);
                if can_repeat {
                    at[*dim] = emit.same(arith::MINSI, &[at[*dim], emit.offset(size, -1)]);
                    row_exists = Some(match row_exists {
                        None => exists,
                        Some(others) => emit.same(arith::ANDI, &[others, exists]),
                    });
                    continue;
                }
                let full = limit.unwrap_or_else(|| emit.index(lanes));
                limit = Some(emit.select(exists, full, emit.index(0)));
            }
        }
        Ok(Place { at, limit, exists: row_exists })
    }

    fn size(&self, emit: Builder<'c>, buffer: Value<'c>, dim: usize) -> Outcome<Value<'c>> {
        match buffer.ty().shape().and_then(|shape| shape.get(dim).copied()) {
            None => Err("it has a dimension that its buffer lacks".to_owned()),
            Some(DYNAMIC) => {
                let at = emit.index(dim as i64);
                Ok(emit.apply(memref::DIM, &[buffer, at], at.ty()))
            }
            Some(size) => Ok(emit.index(size)),
        }
    }

    /// The mask of `lanes` lanes of which a row has `left`; `None` if it has all.
    fn within(
        &self,
        emit: Builder<'c>,
        transfer: &Transfer<'c>,
        left: i64,
        lanes: i64,
    ) -> Option<Value<'c>> {
        let ty = vector(&[lanes], strata_ir::bool_type(self.context));
        // One element for all lanes is there.
        (left < lanes && transfer.contiguous)
            .then(|| emit.apply(vector::CREATE_MASK, &[emit.index(left)], ty))
    }

    /// The mask of `lanes` lanes from `start`; `None` if all are active.
    fn live_lanes(
        &self,
        emit: Builder<'c>,
        place: &Place<'c>,
        start: i64,
        lanes: i64,
        mask: Option<Value<'c>>,
    ) -> Option<Value<'c>> {
        let ty = vector(&[lanes], strata_ir::bool_type(self.context));
        let bound = place.limit.map(|limit| {
            let extra = i64::from(strata_ir::planted("vector-mask"));
            emit.apply(vector::CREATE_MASK, &[emit.offset(limit, extra - start)], ty)
        });
        match (bound, mask) {
            (Some(bound), Some(_)) if strata_ir::planted("vector-both-masks") => Some(bound),
            (Some(bound), Some(mask)) => Some(emit.same(arith::ANDI, &[bound, mask])),
            (bound, mask) => bound.or(mask),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn read_piece(
        &self,
        emit: Builder<'c>,
        transfer: &Transfer<'c>,
        row: &[Value<'c>],
        start: i64,
        part: Type<'c>,
        mask: Option<Value<'c>>,
        padding: Value<'c>,
    ) -> Value<'c> {
        let lanes = width_of_type(part);
        let at = |lane: i64| lane_index(emit, transfer, row, lane);
        let element = part.element();
        let load_one = |emit: Builder<'c>, lane: i64| {
            let index = lane_index(emit, transfer, row, lane);
            emit.apply(memref::LOAD, &[&[transfer.buffer][..], &index].concat(), element)
        };
        match mask {
            None if transfer.contiguous => {
                emit.apply(vector::LOAD, &[&[transfer.buffer][..], &at(start)].concat(), part)
            }
            Some(mask) if transfer.contiguous => {
                let filler = emit.broadcast(padding, part);
                let operands = [&[transfer.buffer][..], &at(start), &[mask, filler]].concat();
                emit.apply(vector::MASKEDLOAD, &operands, part)
            }
            None if matches!(transfer.dims.last(), Some(None)) => {
                emit.broadcast(load_one(emit, start), part)
            }
            None => {
                let column = transfer.column(emit, &at(start), part, None);
                column.unwrap_or_else(|| {
                    let load = |lane| load_one(emit, start + lane);
                    super::from_scalars(emit, &(0..lanes).map(load).collect::<Vec<_>>())
                })
            }
            Some(mask) => {
                let scalars: Vec<_> = (0..lanes)
                    .map(|lane| {
                        let alive = emit.lane(mask, lane);
                        when(emit, alive, padding, |emit| load_one(emit, start + lane))
                    })
                    .collect();
                super::from_scalars(emit, &scalars)
            }
        }
    }

    fn write_piece(
        &self,
        emit: Builder<'c>,
        transfer: &Transfer<'c>,
        row: &[Value<'c>],
        start: i64,
        value: Value<'c>,
        mask: Option<Value<'c>>,
    ) {
        let at = |emit: Builder<'c>, lane: i64| lane_index(emit, transfer, row, lane);
        if transfer.contiguous {
            let (name, operands) = match mask {
                None => (vector::STORE, [&[value, transfer.buffer][..], &at(emit, start)].concat()),
                Some(mask) => (
                    vector::MASKEDSTORE,
                    [&[transfer.buffer][..], &at(emit, start), &[mask, value]].concat(),
                ),
            };
            emit.op(name).operands(&operands).build();
            return;
        }
        for lane in 0..width_of(value) {
            let scalar = emit.lane(value, lane);
            let store = |emit: Builder<'c>| {
                let operands = [&[scalar, transfer.buffer][..], &at(emit, start + lane)].concat();
                emit.op(memref::STORE).operands(&operands).build();
            };
            match mask {
                None => store(emit),
                Some(mask) => {
                    let alive = emit.lane(mask, lane);
                    let body = emit.region(&[], |inside, _| {
                        store(*inside);
                        inside.op(scf::YIELD).build();
                    });
                    let none = strata_ir::RegionBuilder::empty();
                    emit.op(scf::IF).operand(alive).region(body).region(none).build();
                }
            }
        }
    }
}

/// Whether rows of a read that are beyond the end of its buffer can be read as its last row, and made zero: all that are not there are
/// whole, and the buffer is one of a caller, which is not empty.
fn can_repeat_rows<'c>(transfer: &Transfer<'c>, ty: Type<'c>, padding: Value<'c>) -> bool {
    let shape = transfer.buffer.ty().shape().unwrap_or_default();
    let is_open = |(dim, inside): (&Option<usize>, &bool)| {
        *inside || dim.is_some_and(|dim| shape.get(dim) == Some(&DYNAMIC))
    };
    let value = padding.owner().filter(|owner| owner.is(arith::CONSTANT));
    let value = value.and_then(|owner| owner.attr("value"));
    let is_zero = value.is_some_and(|value| {
        value.as_i64() == Some(0) || value.as_f64().is_some_and(|one| one.to_bits() == 0)
    });
    transfer.contiguous
        && transfer.mask.is_none()
        && transfer.dims.last().is_some_and(Option::is_some)
        && transfer.in_bounds.last() == Some(&true)
        && transfer.dims.iter().zip(&transfer.in_bounds).all(is_open)
        && transfer.buffer.owner().is_some_and(|owner| owner.is(memref::VIEW))
        && is_zero
        && (ty.element().is_float_type() || ty.element().is_int())
}

/// The vector, or zero.
fn zero_unless<'c>(emit: Builder<'c>, exists: Value<'c>, vector_of: Value<'c>) -> Value<'c> {
    let ty = vector_of.ty();
    let Some((bits, shape)) = ty.element().bit_width().zip(ty.shape()) else {
        return emit.select(exists, vector_of, emit.zero(ty));
    };
    let whole = integer(emit.context, bits);
    let lanes = vector(&shape, whole);
    let all = emit.broadcast(emit.cast(arith::EXTSI, exists, whole), lanes);
    let kept = |value| emit.same(arith::ANDI, &[value, all]);
    match ty.element().is_float_type() {
        true => emit.cast(arith::BITCAST, kept(emit.cast(arith::BITCAST, vector_of, lanes)), ty),
        false => kept(vector_of),
    }
}

/// The indices of lane `lane` of a row.
fn lane_index<'c>(
    emit: Builder<'c>,
    transfer: &Transfer<'c>,
    row: &[Value<'c>],
    lane: i64,
) -> Vec<Value<'c>> {
    let mut at = row.to_vec();
    if let Some(Some(dim)) = transfer.dims.last() {
        at[*dim] = emit.offset(at[*dim], lane);
    }
    at
}

/// `if alive { yes } else { no }` as a value.
fn when<'c>(
    emit: Builder<'c>,
    alive: Value<'c>,
    no: Value<'c>,
    yes: impl FnOnce(Builder<'c>) -> Value<'c>,
) -> Value<'c> {
    let give = |inside: &Builder<'c>, value: Value<'c>| {
        inside.op(scf::YIELD).operand(value).build();
    };
    let then = emit.region(&[], |inside, _| {
        let value = yes(*inside);
        give(inside, value);
    });
    let otherwise = emit.region(&[], |inside, _| give(inside, no));
    emit.op(scf::IF).operand(alive).result(no.ty()).region(then).region(otherwise).value()
}

fn width_of_type(ty: Type<'_>) -> i64 {
    ty.shape().and_then(|shape| shape.last().copied()).unwrap_or(1)
}

/// Whether a vector in a register has the layout of the elements in a buffer: smaller elements
/// take a byte each in a buffer, but are packed in a vector.
fn is_byte_sized(element: Type<'_>) -> bool {
    element.bit_width().is_some_and(|bits| bits % 8 == 0) && !element.is_complex()
}

/// Whether the innermost stride of a buffer type is 1.
fn has_unit_stride(ty: Type<'_>) -> bool {
    memref_layout(ty).is_some_and(|(strides, _)| strides.last() == Some(&1))
}
