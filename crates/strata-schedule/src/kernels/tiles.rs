//! Kernels in tiles: what a schedule leaves for them, and their numbers.

use std::collections::BTreeSet;

use strata_ir::{
    AffineMap, AttributeExt as _, Builder, Context, Op, OpName, TILES, TypeExt as _, Value,
    apply_named_sequence, constant_index, func, int, integer, module_op, narrow, parse_text, scf,
    tensor, vector,
};

use crate::{
    loops::counted,
    steps::Scheduler,
    tiling::tiles,
    transform::{
        failure::Failure,
        library::{library_text, sequence_of},
        script::Cleaning,
        tags,
    },
};

impl<'c> Scheduler<'c, '_> {
    /// Makes vector code of what a schedule left as tiles.
    pub(super) fn tiles(&self, func: Op<'c>) -> Result<(), Failure> {
        let tiles = tiles::vectorize(self.context, func).map_err(Failure::Result)?;
        let Some(tiles) = tiles else { return Ok(()) };
        let text = library_text(&[tiles::keep_sums()], Cleaning::of(self.options));
        let missing = || Failure::Result("the sequence of tiles does not parse".to_owned());
        let library = parse_text(self.context, &text).map_err(|_| missing())?;
        let entry = sequence_of(&library, tiles::SUMS).ok_or_else(missing)?;
        apply_named_sequence(self.context, func, entry, module_op(&library))
            .map_err(Failure::Transform)?;
        match tiles::writes(func) == tiles {
            true => {
                tiles::read_apart(self.context, func);
                for region in Region::all_of(func) {
                    region.part_of_its_own(self.context);
                    if func.has_attr(tags::OUTPUT) {
                        region.by_rows(self.context);
                    }
                }
                Ok(())
            }
            false => Err(Failure::Result("sums of tiles would go through memory".to_owned())),
        }
    }
}

/// The tiles of sums that are written to a tensor one after the other, which fill a part of it.
struct Region<'c> {
    /// The last one first.
    writes: Vec<Op<'c>>,
    /// The rows and columns that each begins at, and how many it has.
    places: Vec<[[i64; 2]; 2]>,
    first: [i64; 2],
    shape: [i64; 2],
    /// How many such parts there are, one in each iteration of a loop around the rows.
    parts: i64,
    /// What they are written to.
    into: Value<'c>,
}

impl<'c> Region<'c> {
    /// All in a nest.
    fn all_of(nest: Op<'c>) -> Vec<Self> {
        let is_last = |op: &Op<'c>| {
            is_tile(*op) && !op.result(0).uses().iter().any(|(user, _)| is_tile(*user))
        };
        nest.collect(is_tile).into_iter().filter(is_last).filter_map(Self::of).collect()
    }

    /// That whose last tile is written by `last`.
    fn of(last: Op<'c>) -> Option<Self> {
        let all = std::iter::successors(Some(last), |write| {
            write.operand(1).owner().filter(|before| is_tile(*before))
        });
        let writes: Vec<_> = all.collect();
        let into = writes.last()?.operand(1);
        let rank = into.ty().rank()?;
        let place = |write: &Op<'c>| {
            let number = |dim: usize| constant_index(write.operand(2 + dim));
            let shape = <[i64; 2]>::try_from(write.operand(0).ty().shape()?).ok()?;
            Some([[number(rank - 2)?, number(rank - 1)?], shape])
        };
        let places = writes.iter().map(place).collect::<Option<Vec<_>>>()?;
        let ends = |dim: usize| {
            let first = places.iter().map(|[at, _]| at[dim]).min()?;
            Some([first, places.iter().map(|[at, shape]| at[dim] + shape[dim]).max()? - first])
        };
        let ([row, rows], [column, columns]) = (ends(0)?, ends(1)?);
        let before = |write: &Op<'c>| {
            let operands = write.operands();
            operands[2..rank].iter().map(|at| constant_index(*at)).collect::<Vec<_>>()
        };
        let parts = writes.iter().map(before).collect::<BTreeSet<_>>();
        let is_apart = parts.len() == 1 || parts.iter().flatten().all(Option::is_some);
        let parts = i64::try_from(parts.len()).ok()?;
        let filled: i64 = places.iter().map(|[_, [rows, columns]]| rows * columns).sum();
        let (first, shape) = ([row, column], [rows, columns]);
        let is_full = is_apart && filled == parts * rows * columns;
        is_full.then_some(Self { writes, places, first, shape, parts, into })
    }

    fn users(&self) -> Vec<OpName<'c>> {
        self.writes[0].result(0).uses().iter().map(|(user, _)| user.name()).collect()
    }

    /// Writes a part of a tensor that is only read to a tensor of its own: what else is written there meanwhile would make it a copy, between
    /// the sums and their writes.
    fn part_of_its_own(&self, context: &'c Context) -> Option<()> {
        let count = self.into.ty().element_count()?;
        let first = self.writes.last()?;
        let is_part = self.into.owner().is_some_and(|of| of.is(tensor::EXTRACT_SLICE));
        let is_read = self.users().into_iter().all(|user| user == vector::TRANSFER_READ);
        let is_whole = u64::try_from(self.parts * self.shape[0] * self.shape[1]) == Ok(count);
        if is_part && is_read && is_whole {
            let ty = self.into.ty();
            let own = Builder::before(context, *first).empty(&ty.shape()?, ty.element());
            first.set_operand(1, own);
        }
        Some(())
    }

    /// Writes an output row by row, from a tensor of its own: tiles cannot end where a caller's buffer does.
    ///
    /// ```mlir
    /// %own = vector.transfer_write %sums#0, %empty[%c0, %c0] : vector<16x16xf32>, tensor<16x16xf32>
    /// scf.for %r = %c0 to %c16 step %c1 {                             // up to a size, and in two vectors if there are two tiles
    ///   %row = vector.transfer_read %own[%r, %c0] : tensor<16x16xf32>, vector<16xf32>
    ///   vector.transfer_write %row, %to[%r, %c0]
    /// ```
    fn by_rows(self, context: &'c Context) -> Option<()> {
        // Sums that something reads have a tensor of their own.
        let ends = [tensor::INSERT_SLICE, scf::YIELD, func::RETURN];
        self.users().iter().all(|user| ends.contains(user)).then_some(())?;
        let Self { writes, places, first: [row, column], shape, parts, into } = self;
        (parts == 1).then_some(())?;
        let (last, rank) = (writes[0], into.ty().rank()?);
        let mut own = Builder::before(context, *writes.last()?).empty(&shape, into.ty().element());
        let (whole, inside) = (AffineMap::projection(2, &[0, 1]), [true, true]);
        for (write, [[at_row, at_column], _]) in writes.iter().zip(&places).rev() {
            // Where they were: the next region's loops come after the sums of one.
            let b = Builder::before(context, *write);
            let at = [b.index(at_row - row), b.index(at_column - column)];
            let types = [own.ty()];
            let put = vector::transfer_write(&b, write.operand(0), own, &whole, &inside, &types);
            own = put.indices(&at).value();
        }
        let mut pieces: Vec<_> = places.iter().map(|[at, shape]| (at[1], shape[1])).collect();
        pieces.sort_unstable();
        pieces.dedup();
        let before = last.operands()[2..rank].to_vec();
        let b = Builder::before(context, last);
        let [copied] = counted(&b, [0, shape[0], 1], [into], |b, at, [mut into]| {
            for (first, width) in pieces {
                let ty = strata_ir::vector(&[width], into.ty().element());
                let zero = b.number(ty.element(), 0.0);
                let map = AffineMap::projection(2, &[1]);
                let read = vector::transfer_read(b, own, &map, zero, &[true], ty);
                let read = read.indices(&[at, b.index(first - column)]).value();
                let to = [&before[..], &[b.offset(at, row), b.index(first)]].concat();
                let (map, types) = (AffineMap::projection(rank, &[rank - 1]), [into.ty()]);
                let write = vector::transfer_write(b, read, into, &map, &[true], &types);
                into = write.indices(&to).value();
            }
            Some([into])
        })?;
        last.result(0).replace_all_uses_with(copied);
        writes.into_iter().for_each(Op::erase);
        Some(())
    }
}

/// Whether an operation writes a tile of sums.
fn is_tile(op: Op<'_>) -> bool {
    op.is(vector::TRANSFER_WRITE)
        && op.operand(0).ty().rank() == Some(2)
        && op.operand(0).owner().is_some_and(|of| of.is(narrow::MATMUL) || of.is(scf::FOR))
}

/// Gives the regions of tiles in a nest numbers that no other nest has: equal nests are copies of one. `before` is how many there are.
pub(super) fn number<'c>(context: &'c Context, top: Op<'c>, before: &mut i64) {
    let mut count = 0;
    for read in top.collect(|op| op.has_attr(TILES)) {
        let Some(own) = read.attr(TILES).and_then(|number| number.as_i64()) else { continue };
        count = count.max(own + 1);
        read.set_attr(TILES, int(integer(context, 64), *before + own));
    }
    *before += count;
}
