//! Groups of tiles as dots of vectors, for systems that do not permit tiles.
//!
//! Some rows of sums at a time are in vector registers, of all tiles beside each other, while the loops of the group run. Vectors have an
//! instruction for lanes without and with a sign: of others the left operand's lanes have their highest bits flipped, and what this adds
//! to a sum, the same for all rows, is taken off at the end.

use strata_ir::{
    Builder, Op, Type, TypeExt as _, Value, arith, func, index, integer, memref, narrow, scf,
    string, vector,
};
use strata_target::{Lane, TILE_LANES, TILE_ROWS, tuning::lowering::STAND_IN_ROWS};

use super::{
    super::dots,
    Outcome,
    groups::{Group, Known, Place, Product, Start, is_of_tiles, shape},
};

/// Tiles that have their rows from the same operands.
struct Strip<'g, 'c> {
    group: &'g Group<'c>,
    /// Their numbers.
    tiles: Vec<usize>,
    /// The lanes of the operands in memory.
    lanes: [Lane; 2],
    /// Rows at a time.
    rows: i64,
    /// The first of them.
    first: Value<'c>,
    /// Where the sums of all strips are before they are stored, tile after tile, if there are several: until then operands are read.
    buffer: Option<Value<'c>>,
}

/// Emits the group's code.
pub fn emit<'c>(b: &Builder<'c>, group: &Group<'c>) -> Outcome {
    let products: Vec<_> = numbered_products(group)?;
    let lanes = products.first().ok_or("there is no product")?.1.lanes;
    let mut strips: Vec<Vec<usize>> = Vec::new();
    for number in 0..group.sums.len() {
        let lhs = |number: usize| -> Vec<_> {
            let own = products.iter().filter(|(at, _)| *at == number);
            own.map(|(_, product)| Place::of_tile(product.lhs, &Known::default()).ok()).collect()
        };
        match strips.iter_mut().find(|strip| lhs(strip[0]) == lhs(number)) {
            Some(strip) => strip.push(number),
            None => strips.push(vec![number]),
        }
    }
    let rows = group.sums[0].rows;
    // Shared out: 14 are twice 7.
    let parts = (rows + STAND_IN_ROWS - 1) / STAND_IN_ROWS;
    let height = (rows + parts - 1) / parts;
    let is_whole = strips.len() == 1 && rows <= height;
    let buffer = if is_whole { None } else { Some(buffer(b, group)?) };
    for tiles in strips {
        let whole = rows / height * height;
        let strip = |rows, first| Strip { group, tiles: tiles.clone(), lanes, rows, first, buffer };
        if whole > height {
            let mut result = Ok(());
            let body = b.region(&[index(b.context)], |b, args| {
                result = strip(height, args[0]).emit(b);
                scf::yield_(b, &[]).build();
            });
            let bounds = [0, whole, height].map(|bound| b.index(bound));
            b.op(scf::FOR).operands(&bounds).region(body).build();
            result?;
        } else if whole > 0 {
            strip(height, b.index(0)).emit(b)?;
        }
        if rows > whole {
            strip(rows - whole, b.index(whole)).emit(b)?;
        }
    }
    if let Some(buffer) = buffer {
        let body = b.region(&[index(b.context)], |b, args| {
            for (number, sums) in group.sums.iter().enumerate() {
                let ty = strata_ir::vector(&[TILE_LANES], buffer.ty().element());
                let from = buffered(b, buffer, number).offset(b, args[0], b.index(0));
                let sum = b.apply(vector::LOAD, &[&[buffer][..], &from].concat(), ty);
                let to = Place::of(sums.store, 1, &Known::default());
                let at = to.offset(b, args[0], b.index(0));
                write(b, sum, (to.buffer, &at), sums.columns);
            }
            scf::yield_(b, &[]).build();
        });
        let bounds = [0, rows, 1].map(|bound| b.index(bound));
        b.op(scf::FOR).operands(&bounds).region(body).build();
    }
    Ok(())
}

/// A buffer for the sums of a group, on the function's stack.
fn buffer<'c>(b: &Builder<'c>, group: &Group<'c>) -> Outcome<Value<'c>> {
    let element = group.end().operand(0).ty().element();
    let ty = strata_ir::memref(&[group.sums.len() as i64 * TILE_ROWS, TILE_LANES], element);
    let around = std::iter::successors(Some(group.end()), |op| op.parent());
    let function = around.into_iter().find(|op| op.is(func::FUNC)).ok_or("there is no function")?;
    let all = function.body(0).ops();
    let known = all.iter().find(|op| op.is(memref::ALLOCA) && op.result(0).ty() == ty);
    if let Some(known) = known {
        return Ok(known.result(0));
    }
    let first = all.first().ok_or("there is no operation")?;
    let b = Builder { location: b.location, ..Builder::before(b.context, *first) };
    Ok(memref::alloca(&b, ty).alignment(4 * TILE_LANES).value())
}

/// Where a tile is in the buffer.
fn buffered<'c>(b: &Builder<'c>, buffer: Value<'c>, number: usize) -> Place<'c> {
    Place { buffer, at: vec![b.index(number as i64 * TILE_ROWS), b.index(0)] }
}

/// The products, and the tiles that they add to.
fn numbered_products<'c>(group: &Group<'c>) -> Outcome<Vec<(usize, Product<'c>)>> {
    let all = group.ops.iter().flat_map(|op| op.collect(|op| op.is(narrow::MATMUL)));
    all.map(|op| {
        let product = Product::of(op).ok_or("a product without lanes")?;
        Ok((group.number_of(op.result(0))?, product))
    })
    .collect()
}

/// The flipped left lanes of a dot that vectors have no instruction for.
fn flipped([left, right]: [Lane; 2]) -> Option<Lane> {
    dots::flipped(left, right).map(|[left, _]| left)
}

impl<'c> Strip<'_, 'c> {
    fn columns(&self, tile: usize) -> i64 {
        self.group.sums[tile].columns
    }

    /// The type of vectors of sums.
    fn ty(&self) -> Type<'c> {
        let sums = self.group.sums[self.tiles[0]].store.operand(0).ty();
        strata_ir::vector(&[TILE_LANES], sums.element())
    }

    /// The strip's code.
    fn emit(&self, b: &Builder<'c>) -> Outcome {
        let mut known = Known::default();
        let ty = self.ty();
        // Row by row the sums of each tile; then, of each tile, what is too much.
        let mut sums = Vec::new();
        for row in 0..self.rows {
            for tile in &self.tiles {
                sums.push(match self.group.sums[*tile].start {
                    Start::Zero => b.zero(ty),
                    Start::Read(value) => {
                        let place = Place::of_tile(value, &known)?;
                        self.read(b, &place, self.row(b, row), b.index(0), (*tile, ty))
                    }
                });
            }
        }
        if flipped(self.lanes).is_some() {
            sums.extend(self.tiles.iter().map(|_| b.zero(ty)));
        }
        let top: Vec<_> =
            self.group.ops.iter().copied().filter(|op| !op.is(vector::STORE)).collect();
        let sums = self.walk(b, &top, &mut known, sums)?;
        let count = self.tiles.len();
        for row in 0..self.rows {
            for (at, tile) in self.tiles.iter().enumerate() {
                let mut sum = sums[row as usize * count + at];
                if flipped(self.lanes).is_some() {
                    let excess = sums[self.rows as usize * count + at];
                    sum = b.same(arith::SUBI, &[sum, excess]);
                }
                let (to, columns) = match self.buffer {
                    Some(buffer) => (buffered(b, buffer, *tile), TILE_LANES),
                    None => {
                        let to = Place::of(self.group.sums[*tile].store, 1, &known);
                        (to, self.columns(*tile))
                    }
                };
                let at = to.offset(b, self.row(b, row), b.index(0));
                write(b, sum, (to.buffer, &at), columns);
            }
        }
        Ok(())
    }

    /// The index of a row.
    fn row(&self, b: &Builder<'c>, row: i64) -> Value<'c> {
        b.same(arith::ADDI, &[self.first, b.index(row)])
    }

    fn walk(
        &self,
        b: &Builder<'c>,
        ops: &[Op<'c>],
        known: &mut Known<'c>,
        mut sums: Vec<Value<'c>>,
    ) -> Outcome<Vec<Value<'c>>> {
        let own = |op: &Op<'c>| match op.is(narrow::MATMUL) {
            true => self.group.number_of(op.result(0)).map(|number| self.tiles.contains(&number)),
            false => Ok(true),
        };
        // Products with the same left operand are computed together.
        let mut done: Vec<Op<'c>> = Vec::new();
        for op in ops {
            if !own(op)? || done.contains(op) {
                continue;
            }
            match op.name() {
                narrow::MATMUL => {
                    let mut together = Vec::new();
                    for other in ops.iter().filter(|other| other.is(narrow::MATMUL)) {
                        let lhs = |op: &Op<'c>| Place::of_tile(op.operand(0), &Known::default());
                        let is_new = own(other)? && !done.contains(other);
                        if is_new && lhs(other)? == lhs(op)? {
                            together.push(*other);
                        }
                    }
                    done.extend(&together);
                    sums = self.products(b, &together, known, sums)?;
                }
                scf::FOR if self.group.is_carried(*op) => {
                    sums = self.repeated(b, *op, known, sums)?;
                }
                _ if is_of_tiles(*op) => {}
                _ => {
                    b.copy(*op, known);
                }
            }
        }
        Ok(sums)
    }

    fn repeated(
        &self,
        b: &Builder<'c>,
        op: Op<'c>,
        known: &mut Known<'c>,
        sums: Vec<Value<'c>>,
    ) -> Outcome<Vec<Value<'c>>> {
        let body = op.body(0);
        let bound = |at: usize| known.get(&op.operand(at)).copied().unwrap_or(op.operand(at));
        let bounds = [bound(0), bound(1), bound(2)];
        looped(b, bounds, sums, |b, at, sums| {
            known.insert(body.arg(0), at);
            self.walk(b, &body.ops(), known, sums)
        })
    }

    /// Adds products of one left operand.
    fn products(
        &self,
        b: &Builder<'c>,
        together: &[Op<'c>],
        known: &Known<'c>,
        sums: Vec<Value<'c>>,
    ) -> Outcome<Vec<Value<'c>>> {
        let [_, depth] = shape(together[0].operand(0)).ok_or("an operand is not a matrix")?;
        let left = Place::of_tile(together[0].operand(0), known)?;
        let rights = together.iter().map(|op| {
            let number = self.group.number_of(op.result(0))?;
            let at = self.tiles.iter().position(|tile| *tile == number);
            let place = Place::of_tile(op.operand(1), known)?;
            Ok((at.ok_or("a tile is of no strip")?, place))
        });
        let rights: Vec<_> = rights.collect::<Outcome<_>>()?;
        let step = |b: &Builder<'c>, at: Value<'c>, sums: Vec<Value<'c>>| {
            Ok(self.dots(b, (&left, &rights), at, sums))
        };
        match depth {
            1 => step(b, b.index(0), sums),
            _ => looped(b, [0, depth, 1].map(|bound| b.index(bound)), sums, step),
        }
    }

    /// The dots of one lane of each row.
    fn dots(
        &self,
        b: &Builder<'c>,
        (left, rights): (&Place<'c>, &[(usize, Place<'c>)]),
        at: Value<'c>,
        mut sums: Vec<Value<'c>>,
    ) -> Vec<Value<'c>> {
        let ty = strata_ir::vector(&[TILE_LANES], integer(b.context, 32));
        let flip = flipped(self.lanes);
        let [plain, right] = self.lanes;
        let lanes = [flip.unwrap_or(plain), right].map(Lane::name);
        let highest = b.int(ty, i64::from(0x8080_8080_u32.cast_signed()));
        let count = self.tiles.len();
        let columns: Vec<_> = rights
            .iter()
            .map(|(tile, place)| {
                let lanes = self.read(b, place, at, b.index(0), (self.tiles[*tile], ty));
                (*tile, lanes)
            })
            .collect();
        let mut add = |place: usize, lhs: Value<'c>, rhs: Value<'c>| {
            let dot = b
                .op(narrow::DOT)
                .operands(&[lhs, rhs])
                .attr("left", string(b.context, lanes[0]))
                .attr("right", string(b.context, lanes[1]))
                .result(self.ty())
                .value();
            let add = if plain.is_float() { arith::ADDF } else { arith::ADDI };
            sums[place] = b.same(add, &[sums[place], dot]);
        };
        if flip.is_some() {
            for (tile, lanes) in &columns {
                add(self.rows as usize * count + tile, highest, *lanes);
            }
        }
        for row in 0..self.rows {
            let mut lhs = self.lane(b, left, self.row(b, row), at, ty);
            if flip.is_some() {
                lhs = b.same(arith::XORI, &[lhs, highest]);
            }
            for (tile, lanes) in &columns {
                add(row as usize * count + tile, lhs, *lanes);
            }
        }
        sums
    }

    /// A lane of the left operand, in all lanes of a vector.
    fn lane(
        &self,
        b: &Builder<'c>,
        from: &Place<'c>,
        row: Value<'c>,
        lane: Value<'c>,
        ty: Type<'c>,
    ) -> Value<'c> {
        let at = from.offset(b, row, lane);
        let operands = [&[from.buffer][..], &at].concat();
        let elements = strata_ir::vector(&[from.elements_of_lane()], from.buffer.ty().element());
        let elements = b.apply(vector::LOAD, &operands, elements);
        let word = vector::bitcast(b, elements, strata_ir::vector(&[1], ty.element())).value();
        b.broadcast(b.lane(word, 0), ty)
    }

    /// A row of a tile, of as many columns as that has; the others are zero.
    fn read(
        &self,
        b: &Builder<'c>,
        from: &Place<'c>,
        row: Value<'c>,
        lane: Value<'c>,
        (tile, ty): (usize, Type<'c>),
    ) -> Value<'c> {
        let operands = [&[from.buffer][..], &from.offset(b, row, lane)].concat();
        match mask(b, self.columns(tile)) {
            None => b.apply(vector::LOAD, &operands, ty),
            Some(mask) => {
                let operands = [&operands[..], &[mask, b.zero(ty)]].concat();
                b.apply(vector::MASKEDLOAD, &operands, ty)
            }
        }
    }
}

fn write<'c>(
    b: &Builder<'c>,
    sum: Value<'c>,
    (buffer, at): (Value<'c>, &[Value<'c>]),
    columns: i64,
) {
    let place = [&[buffer][..], at].concat();
    match mask(b, columns) {
        None => b.op(vector::STORE).operand(sum).operands(&place).build(),
        Some(mask) => b.op(vector::MASKEDSTORE).operands(&place).operands(&[mask, sum]).build(),
    };
}

/// The mask of the first columns of a tile; `None` for all.
fn mask<'c>(b: &Builder<'c>, columns: i64) -> Option<Value<'c>> {
    let ty = strata_ir::vector(&[TILE_LANES], strata_ir::bool_type(b.context));
    (columns < TILE_LANES).then(|| b.apply(vector::CREATE_MASK, &[b.index(columns)], ty))
}

/// `scf.for` that carries `values`.
fn looped<'c>(
    b: &Builder<'c>,
    bounds: [Value<'c>; 3],
    values: Vec<Value<'c>>,
    body: impl FnOnce(&Builder<'c>, Value<'c>, Vec<Value<'c>>) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
    let args = [&[index(b.context)], &types[..]].concat();
    let mut result = Ok(());
    let region = b.region(&args, |b, args| {
        let next = body(b, args[0], args[1..].to_vec()).unwrap_or_else(|reason| {
            result = Err(reason);
            args[1..].to_vec()
        });
        scf::yield_(b, &next).build();
    });
    let nest =
        b.op(scf::FOR).operands(&bounds).operands(&values).results(&types).region(region).build();
    result.map(|()| nest.results())
}
