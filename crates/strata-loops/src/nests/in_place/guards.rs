//! Accesses of a buffer that may be beyond its valid elements: reads give zero there, writes do nothing.
//!
//! ```mlir
//! %v = memref.load %own[%i, %j] : memref<64x?xf32>
//! ```
//! becomes
//! ```mlir
//! %inside = arith.cmpi slt, %j, %size : index
//! %near = arith.minsi %j, %last : index
//! %e = memref.load %own[%i, %near] : memref<64x?xf32>
//! %v = arith.select %inside, %e, %zero : f32
//! ```
//! Along the dimensions of a vector the transfer says itself that it may end outside.

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Builder, Context, DYNAMIC, Op, RegionBuilder,
    TypeExt as _, Value, affine, arith, booleans, constant_index, i64s, index, memref, narrow, scf,
    ub, vector,
};

/// On a guarded access, the dimensions along which it is inside.
pub const INSIDE: &str = "strata.inside";

/// An access of elements of a buffer with dimensions whose sizes are values.
pub struct Access<'c> {
    op: Op<'c>,
    /// The position of the first index among its operands.
    first: usize,
    pub dims: Vec<Dim<'c>>,
}

/// A dimension of the buffer whose size is a value.
pub struct Dim<'c> {
    /// Where the access begins.
    pub at: Value<'c>,
    /// How many elements along it are accessed.
    pub count: i64,
    /// The size.
    pub size: Value<'c>,
    /// Whether the access is known to be inside along it ([`INSIDE`]).
    pub is_inside: bool,
    number: usize,
    /// The dimension of the vector along it.
    of_vector: Option<usize>,
}

/// Why an operation cannot use `buffer` in place; `None` if it can.
pub fn refusal<'c>(user: Op<'c>, buffer: Value<'c>) -> Option<&'static str> {
    let is_plain = match user.name() {
        memref::LOAD | affine::LOAD => true,
        memref::STORE | affine::STORE => user.operand(0) != buffer,
        vector::TRANSFER_READ => fills_with_zero(user) && picks_dims(user),
        vector::TRANSFER_WRITE => {
            user.operand(0) != buffer && picks_dims(user) && user.result_count() == 0
        }
        _ => false,
    };
    (!is_plain).then_some("it is not only read and written element by element")
}

/// Whether it reads or writes a tile, which cannot end where the buffer does.
pub fn is_of_tile(user: Op<'_>) -> bool {
    match user.name() {
        vector::TRANSFER_READ => is_tile(user.result(0)),
        vector::TRANSFER_WRITE => is_tile(user.operand(0)),
        _ => false,
    }
}

/// Whether a value is a matrix that a product of tiles takes or gives, perhaps by way of loops.
fn is_tile(value: Value<'_>) -> bool {
    if value.ty().rank() != Some(2) {
        return false;
    }
    let is_taken = |(user, _): (Op<'_>, usize)| match user.name() {
        vector::BITCAST => {
            user.result(0).uses().into_iter().any(|(user, _)| user.is(narrow::MATMUL))
        }
        narrow::MATMUL | scf::FOR => true,
        _ => false,
    };
    let is_given = |owner: Op<'_>| matches!(owner.name(), narrow::MATMUL | scf::FOR);
    value.uses().into_iter().any(is_taken) || value.owner().is_some_and(is_given)
}

/// Whether lanes that a transfer does not read may be zero.
fn fills_with_zero(read: Op<'_>) -> bool {
    let Some(rank) = read.operand(0).ty().rank() else { return false };
    let padding = read.operands().get(1 + rank).and_then(|padding| padding.owner());
    let is_masked = read.operand_count() > rank + 2;
    let is_inside = in_bounds(read).is_some_and(|flags| flags.iter().all(|inside| *inside));
    padding.is_some_and(|padding| padding.is(ub::POISON)) || is_inside && !is_masked
}

/// Whether each dimension of the vector is along one of the buffer, or repeats.
fn picks_dims(transfer: Op<'_>) -> bool {
    let is_picked =
        |index: &AffineExpr| matches!(index, AffineExpr::Dim(_) | AffineExpr::Constant(0));
    let map = transfer.attr("permutation_map").and_then(AffineMap::of);
    map.is_some_and(|map| map.symbols == 0 && map.results.iter().all(is_picked))
}

fn in_bounds(transfer: Op<'_>) -> Option<Vec<bool>> {
    let flags = transfer.attr("in_bounds")?.as_array()?;
    flags.into_iter().map(|flag| flag.as_bool()).collect()
}

/// The access with indices that are values: affine ones are computed before.
pub fn plain<'c>(context: &'c Context, op: Op<'c>) -> Op<'c> {
    let (name, first) = match op.name() {
        affine::LOAD => (memref::LOAD, 1),
        affine::STORE => (memref::STORE, 2),
        _ => return op,
    };
    let Some(map) = op.attr("map").and_then(AffineMap::of) else { return op };
    let before = Builder::before(context, op);
    let operands = op.operands();
    let index = |result: &AffineExpr| {
        if let Some(dim) = result.as_dim() {
            return operands[first + dim];
        }
        let own = AffineMap { results: vec![result.clone()], ..map.clone() };
        let apply = before.op(affine::APPLY).operands(&operands[first..]);
        apply.attr("map", own.to_attribute(context)).result(index(context)).value()
    };
    let indices: Vec<_> = map.results.iter().map(index).collect();
    let plain = before.op(name).operands(&operands[..first]).operands(&indices);
    let plain = plain.results(&op.result_types()).build();
    for (old, new) in op.results().into_iter().zip(plain.results()) {
        old.replace_all_uses_with(new);
    }
    op.erase();
    plain
}

impl Dim<'_> {
    /// Whether an index along it may be beyond the end.
    fn is_guarded(&self) -> bool {
        self.of_vector.is_none() && !self.is_inside
    }
}

impl<'c> Access<'c> {
    /// The access of a view whose sizes are operands.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let place = match op.name() {
            memref::LOAD | vector::TRANSFER_READ => 0,
            memref::STORE | vector::TRANSFER_WRITE => 1,
            _ => return None,
        };
        let buffer = op.operand(place);
        let view = buffer.owner().filter(|owner| owner.is(memref::VIEW))?;
        let shape = buffer.ty().shape()?;
        let first = place + 1;
        let map = op.attr("permutation_map").and_then(AffineMap::of);
        let picked = map.map(|map| map.results).unwrap_or_default();
        let vector = match place {
            _ if picked.is_empty() => Vec::new(),
            0 => op.result(0).ty().shape()?,
            _ => op.operand(0).ty().shape()?,
        };
        let mut sizes = view.operands().into_iter().skip(2);
        let inside = op.attr(INSIDE).and_then(|dims| dims.as_i64s()).unwrap_or_default();
        let mut dims = Vec::new();
        for number in (0..shape.len()).filter(|dim| shape[*dim] == DYNAMIC) {
            let of_vector = picked.iter().position(|index| index.as_dim() == Some(number));
            dims.push(Dim {
                at: op.operand(first + number),
                count: of_vector.map_or(1, |dim| vector[dim]),
                size: sizes.next()?,
                is_inside: inside.contains(&(number as i64)),
                number,
                of_vector,
            });
        }
        Some(Self { op, first, dims })
    }

    /// Says that it is inside along the dimensions for which `is_inside` holds; whether that are all.
    pub fn settle(&self, context: &'c Context, is_inside: &dyn Fn(&Dim<'c>) -> bool) -> bool {
        let inside = self.dims.iter().filter(|dim| dim.is_inside || is_inside(dim));
        let inside: Vec<_> = inside.map(|dim| dim.number as i64).collect();
        self.op.set_attr(INSIDE, i64s(context, &inside));
        inside.len() == self.dims.len()
    }

    /// Whether it is inside along a dimension of a buffer with at least these sizes, in the order of [`Self::dims`], where some dimensions of
    /// the buffer are known to be large enough.
    pub fn is_inside(
        &self,
        dim: &Dim<'c>,
        least: &[i64],
        is_below: &dyn Fn(usize) -> bool,
    ) -> bool {
        let position = self.dims.iter().position(|own| own.number == dim.number);
        let least = position.and_then(|at| least.get(at).copied()).unwrap_or(0);
        is_below(dim.number)
            || constant_index(dim.at).is_some_and(|at| at >= 0 && at + dim.count <= least)
    }

    /// Lets the access end where the buffer does.
    pub fn guard(self, context: &'c Context) {
        let op = self.op;
        let before = Builder::before(context, op);
        let mut inside: Option<Value<'c>> = None;
        for dim in self.dims.iter().filter(|dim| dim.is_guarded()) {
            let own = before.cmpi(arith::CmpIPredicate::Slt, dim.at, dim.size);
            inside = Some(match inside {
                Some(others) => before.same(arith::ANDI, &[others, own]),
                None => own,
            });
        }
        if let Some(mut flags) = in_bounds(op) {
            let open = self.dims.iter().filter(|dim| !dim.is_inside);
            for dim in open.filter_map(|dim| dim.of_vector) {
                flags[dim] = false;
            }
            op.set_attr("in_bounds", booleans(context, &flags));
        }
        match op.results()[..] {
            [result] => self.guard_read(&before, inside, result),
            _ => self.guard_write(&before, inside),
        }
    }

    fn guard_read(&self, before: &Builder<'c>, inside: Option<Value<'c>>, result: Value<'c>) {
        let op = self.op;
        if op.is(vector::TRANSFER_READ) {
            let rank = op.operand(0).ty().rank().unwrap_or(0);
            op.set_operand(1 + rank, before.zero(result.ty().element()));
        }
        let Some(inside) = inside else { return };
        for dim in self.dims.iter().filter(|dim| dim.is_guarded()) {
            let near = before.same(arith::MINSI, &[dim.at, before.offset(dim.size, -1)]);
            op.set_operand(self.first + dim.number, near);
        }
        let Some(next) = op.next() else { return };
        let after = Builder::before(before.context, next);
        let zero = after.zero(result.ty());
        let users = result.uses();
        let chosen = after.select(inside, result, zero);
        for (user, operand) in users {
            user.set_operand(operand, chosen);
        }
    }

    fn guard_write(&self, before: &Builder<'c>, inside: Option<Value<'c>>) {
        let Some(inside) = inside else { return };
        let body = before.region(&[], |inner, _| {
            inner.copy(self.op, &mut FxHashMap::default());
            scf::yield_(inner, &[]).build();
        });
        scf::if_(before, inside, &[], body, RegionBuilder::empty()).build();
        self.op.erase();
    }
}
