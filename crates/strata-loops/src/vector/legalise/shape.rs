//! Legalises operations that move lanes: broadcasts, casts, transposes, slices, masks.

use strata_ir::{
    AttributeExt as _, Builder, Op, Type, TypeExt as _, Value, arith, constant_index, vector,
};

use super::{Outcome, Parts, Rows, cut, from_scalars, indices, origins, width_of};

impl<'c> Parts<'c> {
    /// `vector.broadcast`.
    pub(super) fn broadcast(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let (source, ty) = (op.operand(0), op.result(0).ty());
        if !source.ty().is_vector_type() {
            let types = self.part_types(ty)?;
            return Ok(types.into_iter().map(|part| emit.broadcast(source, part)).collect());
        }
        let (from, to) = (Rows::of(source.ty())?, Rows::of(ty)?);
        let rows = self.rows(source)?;
        let places = self.places(op.result(0))?.into_iter();
        let widths: Vec<_> = places.map(|(_, lanes)| lanes).collect();
        let missing = to.leading.len() - from.leading.len();
        let mut parts = Vec::new();
        for index in to.indices() {
            // A dimension of extent 1 is broadcast; missing ones are outermost.
            let at: Vec<i64> = from
                .leading
                .iter()
                .zip(&index[missing..])
                .map(|(size, one)| if *size == 1 { 0 } else { *one })
                .collect();
            let row = &rows[from.number(&at)];
            if from.row == to.row {
                parts.extend(self.recut(emit, row, &widths)?);
                continue;
            }
            let scalar = self.element(emit, row, 0)?;
            for lanes in &widths {
                parts.push(emit.broadcast(scalar, vector(&[*lanes], ty.element())));
            }
        }
        Ok(parts)
    }

    /// A vector whose elements are broadcast along a row each.
    pub(super) fn spread(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let broadcast = op.operand(0).owner().ok_or("it has no source")?;
        let elements = self.get(broadcast.operand(0))?;
        let ty = op.result(0).ty();
        let (places, count) = (self.places(op.result(0))?, Rows::of(ty)?.count() as i64);
        let mut parts = Vec::new();
        for row in 0..count {
            let element = self.element(emit, &elements, row)?;
            let part = |lanes: i64| emit.broadcast(element, vector(&[lanes], ty.element()));
            parts.extend(places.iter().map(|(_, lanes)| part(*lanes)));
        }
        Ok(parts)
    }

    /// `vector.shape_cast`: the elements in row-major order, split into other rows.
    pub(super) fn shape_cast(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let ty = op.result(0).ty();
        let flat = self.get(op.operand(0))?;
        self.cut_flat(emit, &flat, ty)
    }

    /// `vector.bitcast`: pieces of as many bytes on both sides.
    pub(super) fn bitcast(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let (from, to) = (self.get(op.operand(0))?, self.part_types(op.result(0).ty())?);
        let bits = |ty: Type<'c>| Some(ty.element_count()? * u64::from(ty.element().bit_width()?));
        let mut pairs = from.iter().zip(&to);
        if from.len() != to.len() || !pairs.all(|(from, to)| bits(from.ty()) == bits(*to)) {
            return Err("its pieces are not of the same size".to_owned());
        }
        let parts = from.into_iter().zip(to);
        Ok(parts.map(|(part, ty)| emit.cast(vector::BITCAST, part, ty)).collect())
    }

    fn cut_flat(
        &self,
        emit: Builder<'c>,
        flat: &[Value<'c>],
        ty: Type<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let widths: Vec<i64> = self
            .part_types(ty)?
            .into_iter()
            .map(|part| part.element_count().unwrap_or(1) as i64)
            .collect();
        self.recut(emit, flat, &widths)
    }

    /// `vector.transpose`.
    pub(super) fn transpose(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let (source, ty) = (op.operand(0), op.result(0).ty());
        let permutation = op
            .attr("permutation")
            .and_then(|dims| dims.as_i64s())
            .ok_or("it has no permutation")?;
        let (from, to) = (Rows::of(source.ty())?, Rows::of(ty)?);
        let rows = self.rows(source)?;
        let widths = self.row_pieces(ty)?;
        let read = source.owner().filter(|owner| owner.is(vector::TRANSFER_READ));
        if let Some(read) = read.filter(|_| permutation == [1, 0] && !self.is_square(&from, &to))
            && let Some(columns) = self.columns(read, &widths)
        {
            return Ok(columns);
        }
        let last = permutation.len() - 1;
        // The source index of a result index.
        let origin = |index: &[i64]| {
            let mut at = vec![0; index.len()];
            for (dim, source) in permutation.iter().enumerate() {
                at[*source as usize] = index[dim];
            }
            at
        };
        if permutation[last] == last as i64 {
            return Ok(to
                .indices()
                .into_iter()
                .flat_map(|mut index| {
                    index.push(0);
                    rows[from.number(&origin(&index)[..last])].clone()
                })
                .collect());
        }
        let inner =
            permutation.iter().position(|dim| *dim == last as i64).ok_or("not a permutation")?;
        if self.is_square(&from, &to) {
            return self.transpose_squares(emit, &rows, &from, &to, inner, &origin);
        }
        let mut parts = Vec::new();
        for index in to.indices() {
            let scalars = (0..to.row)
                .map(|lane| {
                    let whole: Vec<i64> = index.iter().copied().chain([lane]).collect();
                    let at = origin(&whole);
                    self.element(emit, &rows[from.number(&at[..last])], at[last])
                })
                .collect::<Outcome<Vec<_>>>()?;
            parts.extend(self.row_of(emit, &scalars, &widths));
        }
        Ok(parts)
    }

    /// Whether rows and columns are single pieces of the same number of lanes.
    fn is_square(&self, from: &Rows, to: &Rows) -> bool {
        from.row == to.row && from.row > 1 && from.row.count_ones() == 1
    }

    /// Square tiles through log2(n) rounds of shuffles of pairs of rows.
    fn transpose_squares(
        &self,
        emit: Builder<'c>,
        rows: &[Vec<Value<'c>>],
        from: &Rows,
        to: &Rows,
        inner: usize,
        origin: &dyn Fn(&[i64]) -> Vec<i64>,
    ) -> Outcome<Vec<Value<'c>>> {
        let size = to.row;
        let last = from.leading.len();
        let mut result: Vec<Option<Value<'c>>> = vec![None; to.count()];
        for index in to.indices().into_iter().filter(|index| index[inner] == 0) {
            // The tile's rows: the result's lanes run along one leading dimension of the source.
            let mut tile = (0..size)
                .map(|lane| {
                    let whole: Vec<i64> = index.iter().copied().chain([lane]).collect();
                    let row = &rows[from.number(&origin(&whole)[..last])];
                    self.lanes(emit, row, 0, size)
                })
                .collect::<Outcome<Vec<_>>>()?;
            let mut distance = 1;
            if size == 16 {
                tile = self.transposed_16(emit, &tile);
                distance = size;
            }
            while distance < size {
                // Swaps blocks of `distance` lanes between rows that far apart.
                let pick = |high: i64| -> Vec<i64> {
                    (0..size)
                        .map(|lane| {
                            if lane & distance == 0 {
                                lane + high * distance
                            } else {
                                size + lane - distance + high * distance
                            }
                        })
                        .collect()
                };
                for row in (0..size).filter(|row| row & distance == 0) {
                    let (low, high) = (row as usize, (row + distance) as usize);
                    let (left, right) = (tile[low], tile[high]);
                    tile[low] = emit.shuffle(left, right, &pick(0));
                    tile[high] = emit.shuffle(left, right, &pick(1));
                }
                distance *= 2;
            }
            for (row, value) in tile.into_iter().enumerate() {
                let mut at = index.clone();
                at[inner] = row as i64;
                result[to.number(&at)] = Some(value);
            }
        }
        let rows = result.into_iter().collect::<Option<Vec<_>>>().ok_or("a row is missing")?;
        let widths = self.widths.pieces(from_element(&rows), size);
        let mut parts = Vec::new();
        for row in rows {
            parts.extend(self.recut(emit, &[row], &widths)?);
        }
        Ok(parts)
    }

    /// The transpose of 16 rows of 16 lanes: squares of four within each group of four lanes, which shuffles do that leave elements in
    /// their 128 bits where these are of `f32`, then the groups.
    fn transposed_16(&self, emit: Builder<'c>, rows: &[Value<'c>]) -> Vec<Value<'c>> {
        // Of each lane, from which of two rows it comes, and from which lane of that.
        let pick = |from: &dyn Fn(i64, i64) -> (i64, i64)| -> Vec<i64> {
            let lanes = (0..16).map(|lane| from(lane / 4, lane % 4));
            lanes.map(|(row, lane)| 16 * row + lane).collect()
        };
        let half = |which: i64| {
            let single = pick(&|group, at| (at % 2, 4 * group + 2 * which + at / 2));
            let double = pick(&|group, at| (at / 2, 4 * group + 2 * which + at % 2));
            let groups = pick(&|group, at| (group / 2, 4 * (2 * (group % 2) + which) + at));
            [single, double, groups]
        };
        let [[single, double, groups], [single_high, double_high, groups_high]] =
            [half(0), half(1)];
        let both = |left: usize, right: usize, rows: &[Value<'c>], low: &[i64], high: &[i64]| {
            [low, high].map(|pick| emit.shuffle(rows[left], rows[right], pick))
        };
        // Row `k` of every four has column `k` of each group, of these four rows.
        let fours = rows.chunks(4).flat_map(|four| {
            let pairs = [[0, 1], [2, 3]]
                .map(|[left, right]| both(left, right, four, &single, &single_high))
                .concat();
            [[0, 2], [1, 3]]
                .map(|[left, right]| both(left, right, &pairs, &double, &double_high))
                .concat()
        });
        let fours: Vec<_> = fours.collect();
        let mut columns = vec![None; 16];
        for column in 0..4 {
            let [first, second] = [0, 8]
                .map(|row| both(row + column, row + 4 + column, &fours, &groups, &groups_high));
            for (odd, pair) in [[first[0], second[0]], [first[1], second[1]]].iter().enumerate() {
                let [low, high] = both(0, 1, pair, &groups, &groups_high);
                columns[4 * odd + column] = Some(low);
                columns[4 * odd + 8 + column] = Some(high);
            }
        }
        columns.into_iter().flatten().collect()
    }

    /// `vector.extract` at a constant position.
    pub(super) fn extract(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let (source, ty) = (op.operand(0), op.result(0).ty());
        let position = self.position(op, 1)?;
        let shape = Rows::of(source.ty())?;
        let rows = self.rows(source)?;
        if position.len() > shape.leading.len() || source.ty().rank() == Some(0) {
            let (lane, leading) = match position.split_last() {
                Some((lane, leading)) => (*lane, leading),
                None => (0, &position[..]),
            };
            return Ok(vec![self.element(emit, &rows[shape.number(leading)], lane)?]);
        }
        let own = indices(&shape.leading[position.len()..]);
        let parts: Vec<_> = own
            .into_iter()
            .flat_map(|rest| rows[shape.number(&[&position[..], &rest].concat())].clone())
            .collect();
        if self.widths.has(ty) {
            return Ok(vec![self.lanes(emit, &parts, 0, Rows::of(ty)?.row)?]);
        }
        Ok(parts)
    }

    /// `vector.insert` at a constant position.
    pub(super) fn insert(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let (value, target) = (op.operand(0), op.operand(1));
        let position = self.position(op, 2)?;
        let shape = Rows::of(target.ty())?;
        let mut rows = self.rows(target)?;
        if !value.ty().is_vector_type() || position.len() > shape.leading.len() {
            let (lane, leading) =
                position.split_last().map_or((0, &[][..]), |(l, rest)| (*l, rest));
            let scalar = if value.ty().is_vector_type() {
                self.element(emit, &self.get(value)?, 0)?
            } else {
                value
            };
            let row = &mut rows[shape.number(leading)];
            let mut at = 0;
            for piece in row.iter_mut() {
                let width = width_of(*piece);
                if (at..at + width).contains(&lane) {
                    *piece = emit.with_lane(*piece, scalar, lane - at);
                }
                at += width;
            }
        } else {
            let widths = self.row_pieces(target.ty())?;
            let own = indices(&shape.leading[position.len()..]);
            for (rest, row) in own.into_iter().zip(self.rows(value)?) {
                let number = shape.number(&[&position[..], &rest].concat());
                rows[number] = self.recut(emit, &row, &widths)?;
            }
        }
        Ok(rows.into_iter().flatten().collect())
    }

    fn position(&self, op: Op<'c>, fixed: usize) -> Outcome<Vec<i64>> {
        let mut dynamic = op.operands().into_iter().skip(fixed);
        op.attr("static_position")
            .and_then(|position| position.as_i64s())
            .ok_or("it has no position")?
            .into_iter()
            .map(|one| match one {
                strata_ir::DYNAMIC => dynamic
                    .next()
                    .and_then(constant_index)
                    .ok_or_else(|| "its position is known only at run time".to_owned()),
                _ => Ok(one),
            })
            .collect()
    }

    /// `vector.extract_strided_slice` of unit strides.
    pub(super) fn extract_slice(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let (source, ty) = (op.operand(0), op.result(0).ty());
        let shape = Rows::of(source.ty())?;
        let mut offsets = int_array(op, "offsets")?;
        offsets.resize(shape.leading.len() + 1, 0);
        let rows = self.rows(source)?;
        let to = Rows::of(ty)?;
        let widths = self.row_pieces(ty)?;
        let start = offsets[shape.leading.len()];
        let mut parts = Vec::new();
        for index in to.indices() {
            let at: Vec<i64> =
                index.iter().zip(&offsets).map(|(one, offset)| one + offset).collect();
            let lanes = origins(&rows[shape.number(&at)]);
            let own = lanes.get(start as usize..).ok_or("a slice leaves its vector")?;
            parts.extend(cut(emit, own, &widths)?);
        }
        Ok(parts)
    }

    /// `vector.insert_strided_slice` of unit strides.
    pub(super) fn insert_slice(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let (value, target) = (op.operand(0), op.operand(1));
        let (own, shape) = (Rows::of(value.ty())?, Rows::of(target.ty())?);
        let offsets = int_array(op, "offsets")?;
        let missing = shape.leading.len() - own.leading.len();
        let mut rows = self.rows(target)?;
        let widths = self.row_pieces(target.ty())?;
        let start = *offsets.last().ok_or("it has no offsets")?;
        for (index, row) in own.indices().into_iter().zip(self.rows(value)?) {
            let padded = std::iter::repeat_n(0, missing).chain(index);
            let at: Vec<i64> = padded.zip(&offsets).map(|(one, offset)| one + offset).collect();
            let old = &mut rows[shape.number(&at)];
            let mut lanes = origins(old);
            for (lane, new) in lanes.iter_mut().skip(start as usize).zip(origins(&row)) {
                *lane = new;
            }
            *old = cut(emit, &lanes, &widths)?;
        }
        Ok(rows.into_iter().flatten().collect())
    }

    /// `vector.shuffle` of vectors of one dimension, which MLIR creates from combined elements.
    pub(super) fn shuffle(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let ty = op.result(0).ty();
        let mask = op.attr("mask").and_then(|mask| mask.as_i64s()).ok_or("it has no mask")?;
        let mut lanes = Vec::new();
        for operand in op.operands() {
            let [row] = &self.rows(operand)?[..] else {
                return Err("a shuffle of rows".to_owned());
            };
            lanes.extend(origins(row));
        }
        // Poison lanes may have any value.
        let lane = |from: i64| lanes.get(from.max(0) as usize).copied().ok_or("no such lane");
        let lanes = mask.into_iter().map(lane).collect::<Result<Vec<_>, _>>()?;
        cut(emit, &lanes, &self.row_pieces(ty)?)
    }

    /// `vector.create_mask`: lanes below the bound in every dimension.
    pub(super) fn create_mask(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let ty = op.result(0).ty();
        self.mask_below(emit, ty, &op.operands())
    }

    /// `vector.constant_mask`.
    pub(super) fn constant_mask(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let bounds =
            op.attr("mask_dim_sizes").and_then(|sizes| sizes.as_i64s()).ok_or("it has no sizes")?;
        let bounds: Vec<_> = bounds.into_iter().map(|bound| emit.index(bound)).collect();
        self.mask_below(emit, op.result(0).ty(), &bounds)
    }

    fn mask_below(
        &self,
        emit: Builder<'c>,
        ty: Type<'c>,
        bounds: &[Value<'c>],
    ) -> Outcome<Vec<Value<'c>>> {
        let rows = Rows::of(ty)?;
        let widths = self.row_pieces(ty)?;
        let (last, leading) = bounds.split_last().ok_or("a mask of rank 0")?;
        let mut parts = Vec::new();
        for index in rows.indices() {
            let mut bound = *last;
            for (one, limit) in index.iter().zip(leading) {
                let inside = emit.cmpi(arith::CmpIPredicate::Slt, emit.index(*one), *limit);
                bound = emit.select(inside, bound, emit.index(0));
            }
            let mut start = 0;
            for lanes in &widths {
                let own = emit.offset(bound, -start);
                parts.push(emit.apply(
                    vector::CREATE_MASK,
                    &[own],
                    vector(&[*lanes], ty.element()),
                ));
                start += lanes;
            }
        }
        Ok(parts)
    }

    /// `vector.from_elements`.
    pub(super) fn elements(&self, emit: Builder<'c>, op: Op<'c>) -> Outcome<Vec<Value<'c>>> {
        let scalars = op.operands();
        let mut rest = scalars.as_slice();
        self.part_types(op.result(0).ty())?
            .into_iter()
            .map(|part| {
                let (own, others) = rest.split_at(part.element_count().unwrap_or(0) as usize);
                rest = others;
                match taken_apart(own) {
                    // LLVM would generate a long sequence of shuffles for the lanes.
                    Some(vector) if vector.ty() == part => match self.get(vector)?.as_slice() {
                        [same] => Ok(*same),
                        _ => Ok(from_scalars(emit, own)),
                    },
                    _ => Ok(from_scalars(emit, own)),
                }
            })
            .collect()
    }
}

/// The vector of which these are all elements in order.
fn taken_apart<'c>(elements: &[Value<'c>]) -> Option<Value<'c>> {
    let owner = elements.first()?.owner().filter(|owner| owner.is(vector::TO_ELEMENTS))?;
    (owner.results() == elements).then(|| owner.operand(0))
}

fn from_element<'c>(rows: &[Value<'c>]) -> Type<'c> {
    rows[0].ty().element()
}

/// The integers of an array attribute.
fn int_array(op: Op<'_>, name: &str) -> Outcome<Vec<i64>> {
    op.attr(name)
        .and_then(|list| list.as_array()?.into_iter().map(|one| one.as_i64()).collect())
        .ok_or_else(|| format!("it has no `{name}`"))
}
