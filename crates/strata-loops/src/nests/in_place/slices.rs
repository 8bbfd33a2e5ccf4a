//! Accesses of slices of arguments become accesses of the arguments, which then are read and written element by element.
//!
//! ```mlir
//! %last = memref.subview %x[%n, 0] [1, 64] [1, 1] : memref<128x64xf32> to memref<64xf32, strided<[1], offset: ?>>
//! affine.for %j = 0 to 64 {
//!   %e = affine.load %last[%j]
//! ```
//! becomes
//! ```mlir
//! affine.for %j = 0 to 64 {
//!   %e = memref.load %x[%n, %j] : memref<128x64xf32>
//! ```
//! An argument that nests read again and again keeps its slices, and so is copied: each access would look where the argument ends.
//! MLIR's pass for views folds all else, too, such as the bounds of loops that are split into tasks.

use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Context, DYNAMIC, Op, TypeExt as _, Value,
    affine, arith, constant_index, memref, scf, vector,
};

use super::guards::plain;
use crate::nests::is_view;

/// Folds the slices of arguments in `entry` whose accesses can all be those of the argument, in no more loops than that has dimensions.
pub fn fold<'c>(context: &'c Context, entry: Op<'c>) {
    let is_slice = |op: Op<'c>| op.is(memref::SUBVIEW) && op.operand(0).block_arg().is_some();
    // The slices of each argument.
    let mut all: Vec<(Value<'c>, Vec<Op<'c>>)> = Vec::new();
    for slice in entry.collect(is_slice) {
        let argument = slice.operand(0);
        match all.iter_mut().find(|(own, _)| *own == argument) {
            Some((_, slices)) => slices.push(slice),
            None => all.push((argument, vec![slice])),
        }
    }
    for (argument, slices) in all {
        let views = with_views(slices);
        let users = views.iter().flat_map(|view| view.result(0).uses());
        let accesses: Vec<_> = users.filter(|(user, _)| !is_view(*user)).collect();
        let rank = argument.ty().rank().unwrap_or_default();
        let fits = |(op, operand): &(Op<'c>, usize)| {
            let picked = Place::of(op.operand(*operand)).zip(picked(*op, *operand));
            let fits = picked.is_some_and(|(place, dims)| {
                dims.iter().all(|dim| place.dims.get(*dim).is_some_and(Option::is_some))
            });
            fits && loops_around(*op) <= rank
        };
        if accesses.iter().all(fits) {
            for (access, operand) in accesses {
                move_to_argument(context, access, operand);
            }
            views.into_iter().rev().filter(|view| view.is_unused()).for_each(Op::erase);
        }
    }
}

/// These views, and all views of them.
fn with_views(mut views: Vec<Op<'_>>) -> Vec<Op<'_>> {
    let mut seen = 0;
    while let Some(view) = views.get(seen).copied() {
        let users = view.result(0).uses().into_iter().map(|(user, _)| user);
        views.extend(users.filter(|user| is_view(*user)));
        seen += 1;
    }
    views
}

/// How many loops an operation is in.
fn loops_around(op: Op<'_>) -> usize {
    let around = std::iter::successors(op.parent(), |op| op.parent());
    around.filter(|op| matches!(op.name(), scf::FOR | affine::FOR)).count()
}

/// The dimensions of the view that an access has vectors along; `None` for accesses that are not plain, or may be beyond the view.
fn picked(op: Op<'_>, operand: usize) -> Option<Vec<usize>> {
    let buffer = op.operand(operand);
    match op.name() {
        memref::LOAD | affine::LOAD => Some(Vec::new()),
        memref::STORE | affine::STORE if operand == 1 => Some(Vec::new()),
        vector::TRANSFER_READ | vector::TRANSFER_WRITE => {
            let rank = buffer.ty().rank()?;
            let is_read = op.is(vector::TRANSFER_READ);
            let (place, count) = if is_read { (0, rank + 2) } else { (1, rank + 2) };
            let flags = op.attr("in_bounds")?.as_array()?;
            let is_inside = flags.into_iter().all(|flag| flag.as_bool() == Some(true));
            (operand == place && op.operand_count() == count && is_inside).then_some(())?;
            let map = op.attr("permutation_map").and_then(AffineMap::of)?;
            let dim = |result: &AffineExpr| match result {
                AffineExpr::Constant(0) => Some(None),
                other => other.as_dim().map(Some),
            };
            let dims = map.results.iter().map(dim).collect::<Option<Vec<_>>>()?;
            Some(dims.into_iter().flatten().collect())
        }
        _ => None,
    }
}

/// Where an element of a view is in an argument.
struct Place<'c> {
    argument: Value<'c>,
    /// For each dimension of the view that of the argument; `None` for one of one element that this does not have.
    dims: Vec<Option<usize>>,
    /// What is added to the indices.
    starts: Vec<Start<'c>>,
}

/// Where a view begins along a dimension: a number, and what is computed.
#[derive(Clone, Default)]
struct Start<'c> {
    number: i64,
    computed: Vec<Value<'c>>,
}

impl<'c> Place<'c> {
    /// The place of a view, if all between it and an argument are slices with strides of 1, and changes of dimensions of one element.
    fn of(view: Value<'c>) -> Option<Self> {
        let rank = view.ty().rank()?;
        let Some(owner) = view.owner() else {
            view.block_arg()?;
            let starts = vec![Start::default(); rank];
            return Some(Self { argument: view, dims: (0..rank).map(Some).collect(), starts });
        };
        let source = owner.operand(0);
        let mut place = Self::of(source)?;
        let (long, short) = match owner.name() {
            memref::SUBVIEW => return place.sliced(owner),
            memref::EXPAND_SHAPE => (view, source),
            memref::COLLAPSE_SHAPE => (source, view),
            _ => return None,
        };
        let shape = long.ty().shape()?;
        // For each dimension of the longer shape that of the shorter one.
        let mut joined = vec![None; shape.len()];
        for (dim, group) in owner.attr("reassociation")?.as_array()?.into_iter().enumerate() {
            let group =
                group.as_array()?.into_iter().map(|one| usize::try_from(one.as_i64()?).ok());
            let group = group.collect::<Option<Vec<_>>>()?;
            let longer: Vec<_> = group.into_iter().filter(|one| shape[*one] != 1).collect();
            match longer[..] {
                [] => {}
                [one] => joined[one] = Some(dim),
                _ => return None,
            }
        }
        let of_source = std::mem::take(&mut place.dims);
        place.dims = match long == view {
            true => joined.iter().map(|dim| of_source[(*dim)?]).collect(),
            false => {
                let at = |dim: usize| joined.iter().position(|own| *own == Some(dim));
                (0..short.ty().rank()?).map(|dim| of_source[at(dim)?]).collect()
            }
        };
        Some(place)
    }

    fn sliced(mut self, slice: Op<'c>) -> Option<Self> {
        let list = |name: &str| slice.attr(name)?.as_i64s();
        let (offsets, sizes) = (list("static_offsets")?, list("static_sizes")?);
        let rank = slice.result(0).ty().rank()?;
        let lost = sizes.len().checked_sub(rank)?;
        let ones = sizes.iter().filter(|size| **size == 1).count();
        let is_known = lost == 0 || lost == ones;
        let is_dense = list("static_strides")?.iter().all(|stride| *stride == 1);
        (is_known && is_dense).then_some(())?;
        let mut computed = slice.operands().into_iter().skip(1);
        for (dim, offset) in offsets.into_iter().enumerate() {
            let own = if offset == DYNAMIC { computed.next() } else { None };
            let Some(at) = self.dims[dim] else {
                // One element has no place but its own.
                own.is_none().then_some(())?;
                continue;
            };
            match own {
                Some(value) => self.starts[at].computed.push(value),
                None => self.starts[at].number = self.starts[at].number.checked_add(offset)?,
            }
        }
        let kept = sizes.iter().zip(&self.dims).filter(|(size, _)| lost == 0 || **size != 1);
        self.dims = kept.map(|(_, dim)| *dim).collect();
        Some(self)
    }

    /// The indices in the argument of these in the view.
    fn indices(&self, b: &Builder<'c>, own: &[Value<'c>]) -> Vec<Value<'c>> {
        let index = |(at, start): (usize, &Start<'c>)| {
            let own = self.dims.iter().position(|dim| *dim == Some(at)).map(|dim| own[dim]);
            let known = own.map_or(Some(0), constant_index);
            let (number, own) = match known {
                Some(known) => (start.number + known, None),
                None => (start.number, own),
            };
            let sum = start.computed.iter().copied().chain(own);
            let sum = sum.reduce(|left, right| b.same(arith::ADDI, &[left, right]));
            sum.map_or_else(|| b.index(number), |sum| b.offset(sum, number))
        };
        self.starts.iter().enumerate().map(index).collect()
    }
}

/// Makes an access of a view one of the argument.
fn move_to_argument<'c>(context: &'c Context, access: Op<'c>, operand: usize) -> Option<()> {
    let op = plain(context, access);
    let view = op.operand(operand);
    let place = Place::of(view)?;
    let b = Builder::before(context, op);
    let rank = view.ty().rank()?;
    let first = operand + 1;
    let indices = place.indices(&b, &op.operands()[first..first + rank]);
    let to = place.argument;
    let map = op.attr("permutation_map").and_then(AffineMap::of).map(|map| {
        let dim = |result: &AffineExpr| match result.as_dim().and_then(|dim| place.dims[dim]) {
            Some(dim) => AffineExpr::dim(dim),
            None => AffineExpr::Constant(0),
        };
        AffineMap::new(indices.len(), map.results.iter().map(dim).collect())
    });
    let inside = map.as_ref().map_or_else(Vec::new, |map| vec![true; map.results.len()]);
    let made = match (op.name(), map) {
        (memref::LOAD, _) => memref::load(&b, to, &indices, op.result(0).ty()).value(),
        (vector::TRANSFER_READ, Some(map)) => {
            let (padding, ty) = (op.operand(first + rank), op.result(0).ty());
            vector::transfer_read(&b, to, &map, padding, &inside, ty).indices(&indices).value()
        }
        (vector::TRANSFER_WRITE, Some(map)) => {
            let write = vector::transfer_write(&b, op.operand(0), to, &map, &inside, &[]);
            write.indices(&indices).build();
            op.erase();
            return Some(());
        }
        _ => {
            memref::store(&b, op.operand(0), to, &indices).build();
            op.erase();
            return Some(());
        }
    };
    op.result(0).replace_all_uses_with(made);
    op.erase();
    Some(())
}
