//! Temporaries that are inputs up to a limit, as a mask leaves them: what reads them below it reads the inputs.
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c1 {
//!   scf.for %j = %c0 to %c64 step %c16 {
//!     %v = vector.transfer_read %x[%i, %j]
//!     %w = arith.select %true, %v, %none                              // %i is below the size
//!     vector.transfer_write %w, %t[%i, %j]
//!   }
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! …
//! %u = vector.transfer_read %t[%k, %c0] {strata.below = [0, affine_map<(d0) -> (d0)>]}         // %x[%k, %c0]
//! ```
//! Until buffers are assigned and checked, the copy has what the mask chooses after the size.

use strata_ir::{
    AffineMap, AttributeExt as _, LIMIT, Op, TypeExt as _, Value, affine, arith, constant_index,
    memref, scf, vector,
};

use crate::nests::{counted::Counted, indices::Place, rests};

/// Lets what reads such temporaries in `entry` read the inputs.
pub fn read_inputs(entry: Op<'_>) {
    let Some(body) = entry.region(0).first_block() else { return };
    let mut is_any = false;
    for nest in body.ops().into_iter().filter(|op| op.is(scf::FOR)) {
        let Some(copy) = Copy::of(nest) else { continue };
        let readers = copy.to.uses().into_iter().filter(|(user, _)| !nest.encloses(*user));
        let readers: Vec<_> = readers.collect();
        if readers.iter().all(|(user, operand)| copy.is_known(*user, *operand)) {
            readers.into_iter().for_each(|(user, _)| user.set_operand(0, copy.from));
            nest.erase();
            is_any = true;
        }
    }
    // The places that its mask compared.
    if is_any {
        rests::erase_unread(entry);
    }
}

/// A nest that does nothing but write elements of an input to the same places of a temporary.
struct Copy<'c> {
    from: Value<'c>,
    to: Value<'c>,
    /// The dimensions along which it ends at a limit.
    limits: Vec<(usize, AffineMap)>,
}

impl<'c> Copy<'c> {
    fn of(nest: Op<'c>) -> Option<Self> {
        let mut loops = vec![Counted::of(nest)?];
        let ops = loop {
            let own = loops.last()?;
            (own.first == 0 && own.op.result_count() == 0).then_some(())?;
            let ops = own.body().ops();
            match ops.iter().find(|op| op.region_count() > 0) {
                Some(inner) => loops.push(Counted::of(*inner)?),
                None => break ops,
            }
        };
        let outer = &loops[..loops.len() - 1];
        let is_plain = |op: &Op<'c>| {
            op.is(scf::FOR) || op.is(scf::YIELD) || op.is(vector::TRANSFER_READ) || is_pure(*op)
        };
        outer.iter().all(|own| own.body().ops().iter().all(is_plain)).then_some(())?;
        let mut found: Option<[Value<'c>; 2]> = None;
        let mut written = Vec::new();
        for op in ops {
            if !op.is(vector::TRANSFER_WRITE) {
                is_plain(&op).then_some(())?;
                continue;
            }
            let to = op.operand(1);
            let read = source(op.operand(0))?;
            let (from, rank) = (read.operand(0), to.ty().rank()?);
            let is_same = from.ty() == to.ty()
                && op.operands()[2..] == read.operands()[1..1 + rank]
                && read.operand_count() == rank + 2
                && op.attr("permutation_map") == read.attr("permutation_map")
                && [op, read].into_iter().all(is_inside);
            let pair = *found.get_or_insert([from, to]);
            (is_same && pair == [from, to]).then_some(())?;
            written.push(op);
        }
        let [from, to] = found?;
        let (block, _) = from.block_arg()?;
        let is_input = block.parent_op() == nest.parent() && to.block_arg().is_none();
        // Nothing writes it, as an output or a donated input is written.
        let reads = [vector::TRANSFER_READ, memref::LOAD, affine::LOAD];
        let is_read = from.uses().iter().all(|(user, _)| reads.contains(&user.name()));
        (is_input && is_read && to.owner()?.is(memref::VIEW)).then_some(())?;
        // All of the temporary is written: vectors along the innermost loop, elements along others.
        let shape = to.ty().shape()?;
        let first = *written.first()?;
        let lanes = first.operand(0).ty().shape()?;
        let map = first.attr("permutation_map").and_then(AffineMap::of)?.projected()?;
        let mut limits = Vec::new();
        let mut used = Vec::new();
        for (dim, size) in shape.iter().enumerate() {
            let along = map.iter().position(|own| *own == dim).map_or(1, |at| lanes[at]);
            let is_of = |own: &Counted<'c>| {
                Place::of(first.operand(2 + dim), own.op).is_some_and(|place| place.factor == 1)
            };
            // A loop of one iteration is its body.
            let at = loops.iter().position(is_of);
            let own = at.map(|at| &loops[at]);
            let step = own.map_or(*size, |own| own.step);
            let mut parts = Vec::new();
            for write in &written {
                let index = write.operand(2 + dim);
                let is_same = write.attr("permutation_map") == first.attr("permutation_map")
                    && write.operand(0).ty() == first.operand(0).ty();
                is_same.then_some(())?;
                parts.push(match own {
                    None => constant_index(index)?,
                    Some(own) => {
                        let place = Place::of(index, own.op)?;
                        (place.factor == 1 && place.terms.is_empty()).then_some(place.more)?
                    }
                });
            }
            parts.sort_unstable();
            parts.dedup();
            let all = (0..step / along).map(|part| part * along);
            let is_whole = step % along == 0 && parts.into_iter().eq(all);
            (is_whole && own.is_none_or(|own| own.last == *size)).then_some(())?;
            // Several vectors are along one dimension.
            (step == along || written.len() as i64 == step / along).then_some(())?;
            let Some(at) = at else { continue };
            let own = &loops[at];
            (!used.contains(&at)).then_some(())?;
            used.push(at);
            if let Some(limit) = own.op.attr(LIMIT) {
                limits.push((dim, AffineMap::of(limit)?));
            }
        }
        (used.len() == loops.len()).then_some(Self { from, to, limits })
    }

    /// Whether a use is a read of elements below the limits.
    fn is_known(&self, user: Op<'c>, operand: usize) -> bool {
        let is_read = user.is(memref::LOAD) || user.is(vector::TRANSFER_READ) && is_inside(user);
        let mut limits = self.limits.iter();
        is_read && operand == 0 && limits.all(|(dim, limit)| rests::is_below(user, *dim, limit))
    }
}

/// The read that a value is, but for choices that are made.
fn source(value: Value<'_>) -> Option<Op<'_>> {
    let owner = value.owner()?;
    match owner.name() {
        vector::TRANSFER_READ => Some(owner),
        arith::SELECT => {
            let choice = owner.operand(0).owner().filter(|choice| choice.is(arith::CONSTANT))?;
            let chosen = choice.attr("value")?;
            let one = chosen.splat_value().unwrap_or(chosen);
            (one.as_bool() == Some(true)).then(|| source(owner.operand(1)))?
        }
        _ => None,
    }
}

fn is_inside(transfer: Op<'_>) -> bool {
    let flags = transfer.attr("in_bounds").and_then(|flags| flags.as_array()).unwrap_or_default();
    flags.into_iter().all(|flag| flag.as_bool() == Some(true))
}

fn is_pure(op: Op<'_>) -> bool {
    matches!(op.dialect(), "arith" | "vector" | "affine" | "ub")
        && op.region_count() == 0
        && !op.operands().into_iter().any(|value| value.ty().is_memref_type())
}
