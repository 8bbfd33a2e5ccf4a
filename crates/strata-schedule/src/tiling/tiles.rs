//! Tiles: contractions of lanes by a processor's products of small matrices ([`strata_target::TILE_INSTRUCTIONS`]).
//!
//! ```text
//! %r = linalg.generic { arith.addi, narrow.dot "s8", "s8" } ins(%a, %b : tensor<512x128xi32>, tensor<128x512xi32>) outs(zeros)
//! ```
//! becomes
//! ```text
//! scf.for %j = 0 to 512 step 32 {                 // a panel of the right operand, made contiguous
//!   scf.for %i = 0 to 512 step 32 {
//!     %sums:4 = scf.for %k = 0 to 128 step 16 iter_args(4 × vector<16x16xi32>) {
//!       4 × vector.transfer_read : vector<16x16xi32>, 4 × narrow.matmul "s8", "s8"
//!     }
//!     4 × vector.transfer_write
//!   }
//! }
//! ```
//! Whatever is left along rows, columns or lanes has tiles with fewer rows or columns. All sums of a region have one shape, and its operands
//! at most one more each, for what is left along the lanes: a processor has eight tiles.
//!
//! Two tiles of rows have each tile of the right operand in common, which L2 delivers as fast as products of one take it. So rows that leave a rest
//! are shared out, 28 pixels as two tiles of 14, and where they are one tile, a region has those of two iterations of the loop around.
//!
//! A left operand of words is unpacked for each region, a block of lanes at a time, which stays in L1; sums are in memory from block to block.
//!
//! The transform dialect tiles and unrolls; what it leaves ([`tags::TILE`]) becomes vector code here ([`vectorize`]).

use std::collections::HashMap;

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Context, Op, TILES, Type, TypeExt as _,
    Value, arith, int, integer, linalg, narrow, scf, tensor, transform, vector,
};
use strata_target::{
    Lane, Subword, TILE_LANES, TILE_ROWS, Target, TileInstruction,
    tuning::tiling::{PANEL_L2_SHARE, TILES_OF_SIDE, UNPACKED_LANES},
};

use crate::{
    limits::loops::{Start, offsets},
    structured::{Index, Structured},
    tiling::{
        candidates::{Parts, read_reduction, shown},
        cost::{RegisterTile, ceil_div},
        register::{Dim, Emitter, Reduction, Tile, UnpackedLeft, forward, unroll_tiles},
    },
    transform::{script::Script, tags},
};

/// The sequence that keeps tiles of sums in registers, once they are vectors.
pub const SUMS: &str = "tiles";

/// The dot of a contraction's body, and which input each of its sides is.
fn dot<'c>(nest: &Structured<'c>) -> Option<(Op<'c>, [usize; 2])> {
    let body = nest.op.body(0);
    let [dot, add, _] = body.ops()[..] else { return None };
    if !dot.is(narrow::DOT) || nest.inputs != 2 {
        return None;
    }
    let input = |value: Value<'c>| (0..nest.inputs).find(|at| body.arg(*at) == value);
    let sides = [input(dot.operand(0))?, input(dot.operand(1))?];
    let adds = (add.is(arith::ADDI) || add.is(arith::ADDF))
        && add.operands().contains(&body.arg(nest.inputs))
        && add.operands().contains(&dot.result(0));
    (sides[0] != sides[1] && adds).then_some((dot, sides))
}

fn lanes(dot: Op<'_>) -> Option<[Lane; 2]> {
    let lane = |name: &str| Lane::named(dot.attr(name)?.as_str()?);
    Some([lane("left")?, lane("right")?])
}

/// Whether the last two dimensions of an operand are indexed by these loops alone, and by nothing else is.
fn ends_in(map: &[Index], loops: [usize; 2]) -> bool {
    let [before @ .., first, last] = map else { return false };
    *first == Index::Loop(loops[0])
        && *last == Index::Loop(loops[1])
        && before.iter().all(|index| loops.iter().all(|number| !index.uses(*number)))
}

/// The same where the first of the two may be added to others: rows of windows.
fn ends_in_window(nest: &Structured<'_>, operand: usize, loops: [usize; 2]) -> bool {
    let [before @ .., first, last] = nest.maps[operand].as_slice() else { return false };
    let is_step = || {
        let maps = nest.op.attr("indexing_maps")?.as_array()?;
        let map = AffineMap::of(*maps.get(operand)?)?;
        Some(has_unit_step(&map.results[map.results.len() - 2], loops[0]))
    };
    *last == Index::Loop(loops[1])
        && (*first == Index::Loop(loops[0]) || first.uses(loops[0]) && is_step() == Some(true))
        && !first.uses(loops[1])
        && before.iter().all(|index| loops.iter().all(|number| !index.uses(*number)))
}

/// Whether an expression is that loop and other terms.
fn has_unit_step(expression: &AffineExpr, number: usize) -> bool {
    match expression {
        AffineExpr::Dim(dim) => *dim == number,
        AffineExpr::Add(left, right) => match left.dims().contains(&number) {
            true => has_unit_step(left, number) && !right.dims().contains(&number),
            false => has_unit_step(right, number),
        },
        _ => false,
    }
}

/// The plan of a contraction whose lanes the target has an instruction for; `None` for another one.
///
/// # Errors
/// Why tiles are not for it.
pub fn read(
    parts: &Parts<'_>,
    target: &Target,
) -> Option<Result<(Reduction, RegisterTile), String>> {
    let nest = parts.generics.iter().find(|nest| !nest.is_parallel())?;
    let (dot, sides) = dot(nest)?;
    let mut lanes = lanes(dot)?;
    let reduction = match read_reduction(parts, target) {
        Ok((reduction, _)) => reduction,
        Err(reason) => {
            TileInstruction::of_lanes(target, lanes)?;
            return Some(Err(reason));
        }
    };
    let (_, right) = reduction.packed?;
    if sides[1] != right {
        lanes.reverse();
    }
    TileInstruction::of_lanes(target, lanes)?;
    let refuse = |reason: &str| Some(Err(reason.to_owned()));
    // The right operand is unpacked into panels, the left one for each region.
    let operands = nest.op.operands();
    let is_left = parts.unpacked.contains(&shown(operands[1 - right]));
    if parts.unpacked.len() > usize::from(reduction.is_unpacked) + usize::from(is_left) {
        return refuse("an operand is unpacked where it is read");
    }
    let Some(row) = reduction.row.filter(|row| row + 2 == reduction.parallel.len()) else {
        return refuse("the rows of the result do not follow each other");
    };
    let lanes_of_sum = reduction.reduced.last().map_or(1, |(_, extent)| *extent);
    let elements = lanes_of_sum.saturating_mul(lanes[0].count());
    let products: i64 =
        nest.extents.iter().fold(lanes[0].count(), |all, one| all.saturating_mul(*one));
    let bytes = elements * i64::from(lanes[0].bits() / 8);
    // Where it is unpacked, how many columns pay is known before.
    let columns = if is_left { TILE_LANES } else { reduction.n };
    if let Some(reason) = TileInstruction::declined([reduction.m, columns], bytes, products) {
        return refuse(reason);
    }
    let (row, column) = (reduction.parallel[row], *reduction.parallel.last()?);
    let Some(depth) = depth_of(nest, &reduction, 1 - right) else {
        return refuse("no operand has adjacent lanes");
    };
    if !ends_in_window(nest, 1 - right, [row, depth]) {
        return refuse("the rows of the left operand do not follow each other");
    }
    // Panels that are packed or transposed are rows of lanes, whatever they are made of.
    if !ends_in(&nest.maps[right], [depth, column]) {
        return refuse("the rows of the right operand do not follow each other");
    }
    let rows = TILES_OF_SIDE * rows_of_tile(&reduction);
    let (operand, rank) = (1 - right, nest.maps[1 - right].len());
    let unpacked_left = match block_of_lanes(&reduction, rows).filter(|_| is_left) {
        Some(block) => {
            let transposed = parts.transposed.filter(|_| reduction.turn.is_none());
            let transposed = transposed.map(|_| nest.maps[right].len());
            Some(UnpackedLeft { operand, rank, block, transposed })
        }
        None if is_left => return refuse("the left operand has no blocks to unpack"),
        None => None,
    };
    // What is unpacked is unpacked once, for all columns.
    let columns = match unpacked_left {
        Some(_) => reduction.n,
        None => columns_of_panel(target, 4 * reduction.depth(), reduction.n),
    };
    let pack = reduction.can_pack && reduction.n > columns;
    if reduction.is_unpacked && !pack {
        return refuse("an operand is unpacked where it is read");
    }
    let (row_block, depth_block, outer_block) = (0, 0, 0);
    let lanes = TILE_LANES;
    let tile = RegisterTile { rows, columns, lanes, row_block, depth_block, outer_block, pack };
    let transpose_panels = reduction.turn.is_some() && reduction.n > columns;
    Some(Ok((Reduction { transpose_panels, unpacked_left, ..reduction }, tile)))
}

/// Rows of a tile. Where full ones leave a rest, and there are as many tiles without it, all have the same number: two of each region read a tile
/// of the right operand together.
fn rows_of_tile(nest: &Reduction) -> i64 {
    let tiles = ceil_div(nest.m, TILE_ROWS);
    let is_even = tiles > 0 && tiles % TILES_OF_SIDE == 0 && nest.m % tiles == 0;
    if is_even && !nest.is_limited { nest.m / tiles } else { TILE_ROWS }
}

/// Lanes of the left operand that are unpacked at a time for a region of so many rows; `None` where regions or blocks would not be equal.
fn block_of_lanes(nest: &Reduction, rows: i64) -> Option<i64> {
    let [(_, depth)] = nest.reduced[..] else { return None };
    let words = vectors_of_words() * TILE_LANES;
    let mut blocks = (1..=UNPACKED_LANES / words).rev().map(|count| count * words);
    let is_known = !nest.is_open && !nest.is_limited && nest.outer.is_empty();
    let is_even = is_known && nest.m > rows && nest.m % rows == 0;
    blocks.find(|lanes| is_even && depth % lanes == 0 && depth > *lanes)
}

/// Vectors of lanes that the same words have where they are looked up: numbers of four bits alone are.
fn vectors_of_words() -> i64 {
    Subword::S4.lanes()
}

/// Iterations of the last loop around the rows that a region has: those of two where the rows are one tile.
fn outer_of_region(nest: &Reduction) -> i64 {
    let is_known = nest.row.is_some() && !nest.is_limited && !nest.is_open;
    let is_short = nest.m <= TILE_ROWS && nest.outer_trips % TILES_OF_SIDE == 0;
    if is_known && is_short && !nest.outer.is_empty() { TILES_OF_SIDE } else { 1 }
}

/// Columns of a region of tiles.
fn region_columns() -> i64 {
    TILES_OF_SIDE * TILE_LANES
}

/// Columns of a panel of which each has so many bytes: whole regions that L2 has room for besides what else is read and written, two panels if
/// the result has the columns, which may be tasks.
fn columns_of_panel(target: &Target, bytes: i64, columns: i64) -> i64 {
    let room = i64::try_from(target.l2_bytes).unwrap_or(i64::MAX) / PANEL_L2_SHARE / bytes.max(1);
    let region = region_columns();
    let half = region * (columns / (2 * region) + i64::from(columns % (2 * region) > 0));
    (room.min(half) / region * region).max(region)
}

/// The loop along the lanes, which are adjacent in the left operand.
fn depth_of(nest: &Structured<'_>, reduction: &Reduction, left: usize) -> Option<usize> {
    let Some(Index::Loop(last)) = nest.maps[left].last() else { return None };
    reduction.reduced.last().map(|(number, _)| *number).filter(|number| number == last)
}

/// The schedule as a named sequence.
pub fn schedule(nest: &Reduction, tile: &RegisterTile, sequence: &str) -> String {
    let mut emitter = Emitter::new(nest, tile);
    emitter.in_tiles = true;
    emitter.emit_tiles();
    emitter.script.finish(sequence)
}

/// The sequence [`SUMS`]: tiles go through no tensor while the loops of the reduction run.
pub fn keep_sums() -> String {
    let mut script = Script::new();
    for _ in 0..3 {
        script.patterns(&[
            transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS,
        ]);
        script.clean();
        script.hoist_accumulators_of(tags::STEPS);
        script.clean();
    }
    script.finish(SUMS)
}

impl Emitter<'_> {
    fn emit_tiles(&mut self) {
        let RegisterTile { rows, lanes, .. } = *self.tile;
        let tile_rows = rows / TILES_OF_SIDE;
        let outer = outer_of_region(self.nest);
        let around = self.nest.outer.last().copied().filter(|_| outer > 1);
        let unpacked = self.nest.unpacked_left;
        if let Some(rank) = unpacked.and_then(|left| left.transposed) {
            // By loops of its own, so that no region transposes it again.
            let mut sizes = vec![0; rank];
            sizes[0] = 1;
            let copy = self.script.tagged(Script::FUNC, tags::TRANSPOSED);
            self.script.tile(copy, &sizes);
        }
        self.panels();
        self.outer(outer);
        self.script.comment("a region of tiles");
        self.level(Dim::Rows, |_| rows);
        self.level(Dim::Rows, |region| match region.m > tile_rows {
            true => region.m / tile_rows * tile_rows,
            false => region.m,
        });
        if let Some(UnpackedLeft { operand, rank, block, .. }) = unpacked {
            self.script.comment("a block of the left operand, unpacked");
            self.fuses = false;
            self.level(Dim::Depth, |_| block);
            self.pack(rank, operand, vectors_of_words());
            self.whole_vectors();
        }
        self.level(Dim::Columns, |_| region_columns());
        for region in 0..self.regions.len() {
            self.tag_region(region);
        }
        let regions: Vec<_> = self.regions.iter().map(|region| (region.m, region.n)).collect();
        let depth = match unpacked {
            Some(UnpackedLeft { block, .. }) => block,
            None => self.nest.reduced.last().map_or(1, |(_, extent)| *extent),
        };
        let steps = self.nest.reduced.iter().enumerate().map(|(at, (number, _))| {
            (*number, if at + 1 == self.nest.reduced.len() { TILE_LANES } else { 1 })
        });
        let steps = self.sizes(&steps.collect::<Vec<_>>());
        for index in 0..regions.len() {
            let reduction = self.script.tagged(Script::FUNC, &tags::region(index));
            let (_, loops) = self.script.tile(reduction, &steps);
            loops.iter().for_each(|one| self.script.tag(*one, tags::STEPS));
            if let Some(last) =
                loops.last().filter(|_| depth > TILE_LANES && depth % TILE_LANES > 0)
            {
                self.script.clean();
                self.script.peel(*last);
            }
        }
        self.script.clean();
        let column = self.column();
        let mut unrolled = Vec::new();
        let mut rest = Vec::new();
        for (index, (m, n)) in regions.iter().copied().enumerate() {
            let row = self.nest.row.filter(|_| m > 1);
            let mut sizes = vec![(self.nest.parallel[column], TILE_LANES)];
            let mut result = vec![(column, TILE_LANES)];
            let mut strip = vec![(column, n)];
            if let Some(row) = row {
                sizes.push((self.nest.parallel[row], tile_rows));
                result.push((row, tile_rows));
                strip.push((row, 1));
            }
            if let Some(around) = around {
                sizes.push((self.nest.parallel[around], 1));
                result.push((around, 1));
                strip.push((around, 1));
            }
            let (sizes, result) = (self.sizes(&sizes), self.result_sizes(&result));
            unrolled.push((tags::region(index), sizes, m, n));
            if self.nest.fill && self.fuses {
                unrolled.push((tags::region_fill(index), result, m, n));
            }
            if self.nest.epilogue && self.fuses {
                let tag = tags::region_epilogue(index);
                let strip = self.result_sizes(&strip);
                let epilogue = self.script.tagged(Script::FUNC, &tag);
                self.script.tile(epilogue, &strip);
                let sizes = self.result_sizes(&[(column, lanes)]);
                rest.push(Tile { tag, sizes, m: 1, n, depth: 0 });
            }
        }
        for (tag, sizes, ..) in &unrolled {
            let operation = self.script.tagged(Script::FUNC, tag);
            self.script.tile(operation, sizes);
        }
        self.script.clean();
        let mut loops = Vec::new();
        for (tag, _, m, n) in &unrolled {
            let operation = self.script.tagged(Script::FUNC, tag);
            self.script.tag(operation, tags::TILE);
            // What reads the sums writes its results elsewhere, and the caches keep one region.
            if self.nest.epilogue && self.nest.epilogue_work == 0 {
                self.script.tag(operation, tags::OWN_SUMS);
            }
            let mut level = 0;
            for trips in [n / TILE_LANES, m / tile_rows, outer] {
                if trips > 1 {
                    level += 1;
                    loops.push((self.script.loop_around(operation, level), trips));
                }
            }
        }
        for (handle, trips) in loops {
            self.script.unroll(handle, trips);
        }
        if !rest.is_empty() {
            unroll_tiles(&mut self.script, &rest, lanes);
        }
        if !self.fuses {
            self.whole_tensor_parts();
        }
        self.script.clean();
        forward(&mut self.script);
    }
}

/// Makes vector code of the operations that a schedule left for it; how many tiles of sums there are, if there are such operations.
///
/// # Errors
/// Why an operation does not become vectors.
pub fn vectorize<'c>(context: &'c Context, func: Op<'c>) -> Result<Option<usize>, String> {
    let left = func.collect(|op| op.has_attr(tags::TILE));
    let mut depths = Vec::new();
    for op in &left {
        let b = Builder::before(context, *op);
        let made = match op.name() {
            linalg::FILL => filled(&b, *op),
            _ => Structured::of_generic(*op).and_then(|nest| {
                let depth = product(&b, &nest)?;
                depths.push(depth);
                Some(())
            }),
        };
        made.ok_or("an operation is not a product of tiles")?;
    }
    // What is left along the lanes is added to the same sums.
    let deepest = depths.iter().max();
    let tiles = depths.iter().filter(|depth| Some(*depth) == deepest).count();
    Ok((!left.is_empty()).then_some(tiles))
}

/// How often tiles of sums are written: each once where they stay in registers until then.
pub fn writes(func: Op<'_>) -> usize {
    let is_sums = |owner: Op<'_>| {
        let is_zero = || owner.is(arith::CONSTANT);
        owner.is(narrow::MATMUL) || owner.is(scf::FOR) || is_zero()
    };
    let is_write = |op: Op<'_>| {
        op.is(vector::TRANSFER_WRITE)
            && op.operand(0).ty().rank() == Some(2)
            && op.operand(0).owner().is_some_and(is_sums)
    };
    func.collect(is_write).len()
}

/// Gives each product outside of the loops of the reduction reads of its own, which are apart from others by their numbers: between regions, sums are
/// written, for which operands that nothing reads any more may make room.
pub fn read_apart<'c>(context: &'c Context, func: Op<'c>) {
    let mut number = 0;
    for op in func.collect(|op| op.is(narrow::MATMUL)) {
        if op.result(0).uses().iter().any(|(user, _)| user.is(scf::YIELD)) {
            continue;
        }
        let b = Builder::before(context, op);
        for side in 0..2 {
            let Some(read) = op.operand(side).owner() else { continue };
            let own = b.copy(read, &mut HashMap::<_, _>::new());
            own.set_attr(TILES, int(integer(context, 64), number));
            op.set_operand(side, own.result(0));
            number += 1;
            if read.is_unused() {
                read.erase();
            }
        }
    }
}

/// A tile of a tensor.
struct Place<'c> {
    tensor: Value<'c>,
    at: Vec<Value<'c>>,
    ty: Type<'c>,
}

impl<'c> Place<'c> {
    /// The tile that a value is, all other dimensions of which have one element, in the tensor of which it is a slice.
    fn of(b: &Builder<'c>, value: Value<'c>) -> Option<Self> {
        let shape = value.ty().shape()?;
        let [before @ .., rows, columns] = shape.as_slice() else { return None };
        let fits = before.iter().all(|size| *size == 1)
            && (1..=TILE_ROWS).contains(rows)
            && (1..=TILE_LANES).contains(columns);
        let ty = fits.then(|| strata_ir::vector(&[*rows, *columns], value.ty().element()))?;
        let whole = || Self { tensor: value, at: vec![b.index(0); shape.len()], ty };
        let Some(slice) = value.owner().filter(|owner| owner.is(tensor::EXTRACT_SLICE)) else {
            return Some(whole());
        };
        let tensor = slice.operand(0);
        let steps = slice.attr("static_strides")?.as_i64s()?;
        let is_part =
            tensor.ty().rank() == value.ty().rank() && steps.iter().all(|step| *step == 1);
        let at = offsets(slice).filter(|_| is_part).map(|starts| {
            let index = |start| match start {
                Start::At(at) => b.index(at),
                Start::Computed(value) => value,
            };
            starts.into_iter().map(index).collect()
        });
        Some(at.map_or_else(whole, |at| Self { tensor, at, ty }))
    }

    fn map(&self) -> AffineMap {
        let rank = self.at.len();
        AffineMap::projection(rank, &[rank - 2, rank - 1])
    }

    fn read(&self, b: &Builder<'c>) -> Value<'c> {
        let padding = b.number(self.ty.element(), 0.0);
        let inside = [true, true];
        let read = vector::transfer_read(b, self.tensor, &self.map(), padding, &inside, self.ty);
        read.indices(&self.at).value()
    }

    /// Replaces the result of `op`, which writes the place, and what puts it back into the tensor.
    fn write(&self, b: &Builder<'c>, tile: Value<'c>, op: Op<'c>) -> Option<()> {
        let (result, into) = (op.result(0), op.operand(op.operand_count() - 1));
        let write = |into: Value<'c>, at: &[Value<'c>]| {
            let inside = [true, true];
            let types = [into.ty()];
            let write = vector::transfer_write(b, tile, into, &self.map(), &inside, &types);
            write.indices(at).value()
        };
        let slice = into.owner().filter(|_| self.tensor != into);
        // What is filled has no value before.
        let begins = |into: Value<'c>| {
            let is_begun = into.owner().is_some_and(|owner| owner.is(vector::TRANSFER_WRITE));
            let ty = into.ty();
            match op.is(linalg::FILL) && op.has_attr(tags::OWN_SUMS) && !is_begun {
                true => b.empty(&ty.shape().unwrap_or_default(), ty.element()),
                false => into,
            }
        };
        // Where it came from it goes to, as far as both say.
        let is_same = |insert: Op<'c>, slice: Op<'c>| {
            let list = |op: Op<'c>, name: &str| op.attr(name).and_then(|list| list.as_i64s());
            insert.operand(1) == self.tensor
                && insert.operands()[2..] == slice.operands()[1..]
                && ["static_offsets", "static_sizes", "static_strides"]
                    .iter()
                    .all(|name| list(insert, name) == list(slice, name))
        };
        let back = slice.and_then(|slice| {
            let users = result.uses().into_iter();
            let mut inserts = users.filter(|(user, at)| user.is(tensor::INSERT_SLICE) && *at == 0);
            let (insert, _) = inserts.next()?;
            (inserts.next().is_none() && is_same(insert, slice)).then_some((insert, slice))
        });
        match back {
            Some((insert, slice)) => {
                let written = write(begins(self.tensor), &self.at);
                insert.result(0).replace_all_uses_with(written);
                insert.erase();
                if result.has_uses() {
                    // The same part of what is written.
                    let part = b.copy(slice, &mut HashMap::from([(self.tensor, written)]));
                    result.replace_all_uses_with(part.result(0));
                }
            }
            None => {
                let start = vec![b.index(0); self.at.len()];
                result.replace_all_uses_with(write(begins(into), &start));
            }
        }
        op.erase();
        Some(())
    }
}

fn filled<'c>(b: &Builder<'c>, op: Op<'c>) -> Option<()> {
    let place = Place::of(b, op.operand(1))?;
    let number = op.operand(0).owner().filter(|owner| owner.is(arith::CONSTANT))?.attr("value")?;
    let is_zero =
        number.as_i64() == Some(0) || number.as_f64().is_some_and(|one| one.to_bits() == 0);
    is_zero.then_some(())?;
    place.write(b, b.zero(place.ty), op)
}

/// Emits a product; its lanes.
fn product<'c>(b: &Builder<'c>, nest: &Structured<'c>) -> Option<i64> {
    let (dot, sides) = dot(nest)?;
    let mut lanes = lanes(dot)?;
    let is_reduced = |operand: usize| {
        let last = nest.maps[operand].last();
        matches!(last, Some(Index::Loop(number)) if nest.reduction[*number])
    };
    let (mut left, mut right) = (sides[0], sides[1]);
    if !is_reduced(left) {
        (left, right) = (right, left);
        lanes.reverse();
    }
    let place = |operand: usize| Place::of(b, nest.op.operand(operand));
    let [left, right, sums] = [place(left)?, place(right)?, place(2)?];
    let shape = |place: &Place<'c>| place.ty.shape().unwrap_or_default();
    let fits = shape(&left)[0] == shape(&sums)[0]
        && shape(&right)[1] == shape(&sums)[1]
        && shape(&left)[1] == shape(&right)[0];
    fits.then_some(())?;
    let text = |lane: Lane| strata_ir::string(b.context, lane.name());
    let product = b
        .op(narrow::MATMUL)
        .operands(&[left.read(b), right.read(b), sums.read(b)])
        .attr("left", text(lanes[0]))
        .attr("right", text(lanes[1]))
        .result(sums.ty)
        .value();
    sums.write(b, product, nest.op)?;
    Some(shape(&left)[1])
}
