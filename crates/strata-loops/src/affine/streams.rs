//! Vectorised nests that compute in place: they read elements of a tensor just before they overwrite them with the result.
//!
//! ```mlir
//! %r = scf.for %i = … iter_args(%a = %empty) {
//!   %v = vector.transfer_read %x[%i]
//!   …
//!   %b = vector.transfer_write %w, %a[%i]
//!   scf.yield %b
//! }
//! ```
//! `%r` may share the buffer of `%x` if each read of `%x` in the nest comes before a write of the same elements in its block,
//! and the writes write as many elements as there are: a schedule writes all elements of its result, so each is written
//! exactly once.

use rustc_hash::FxHashMap;
use strata_ir::{
    AttributeExt as _, Block, Op, TypeExt as _, Value, affine, arith, map_sum, scf, tensor, vector,
};

use super::{
    accesses,
    values::{END, READ, Values, VersionId, WRITE},
};

/// The accesses of such nests in a function.
#[derive(Default)]
pub struct Streams<'c> {
    /// Reads before the write of the same elements, the nest, and the point up to which the operand may be live for them.
    reads: FxHashMap<Op<'c>, (usize, u32)>,
    /// The versions that a nest writes its result as.
    writes: FxHashMap<VersionId, usize>,
    /// Pairs that may share a buffer: an input and the result.
    pub pairs: Vec<(Value<'c>, Value<'c>)>,
}

impl<'c> Streams<'c> {
    /// Finds the nests in `entry`.
    pub fn of(entry: Op<'c>, values: &Values<'c>) -> Self {
        let mut streams = Self::default();
        for nest in entry.collect(|op| op.is(scf::FOR) && op.has_attr(strata_ir::SCHEDULE)) {
            for result in 0..nest.result_count() {
                let init = nest.operand(3 + result);
                if accesses::is_tensor(init) && values.is_undefined(init) {
                    streams.read(nest, result, values);
                }
            }
        }
        streams
    }

    /// Whether `user` reads elements that the nest that writes `writer` overwrites only afterwards, with the operand live for
    /// it until `end`: not again in the next iteration of a loop around the nest.
    pub fn covers(&self, user: Op<'c>, writer: VersionId, end: u32) -> bool {
        let Some((nest, limit)) = self.reads.get(&user) else { return false };
        self.writes.get(&writer) == Some(nest)
            && (end <= *limit || strata_ir::planted("streams-limit"))
    }

    fn read(&mut self, nest: Op<'c>, result: usize, values: &Values<'c>) -> Option<()> {
        let (home, ty) = (nest.block()?, nest.result(result).ty());
        let home_op = home.parent_op()?;
        let mut chain = Chain::default();
        let last = chain.follow_block(nest, result)?;
        let mut written: u64 = 0;
        for (write, _) in &chain.writes {
            let count =
                write.operand(0).ty().element_count()?.checked_mul(rounds(*write, home)?)?;
            written = written.checked_add(count)?;
        }
        if written != ty.element_count()? {
            return None;
        }
        let mut blocks = Vec::new();
        for block in chain.writes.iter().filter_map(|(write, _)| write.block()) {
            if !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        let own = self.pairs.len();
        let mut sources = Vec::new();
        for block in blocks {
            // In the block of the nest, the operations between it and the last write: the block may be long.
            let first = if block == home { nest.next() } else { block.first_op() };
            let end = last.owner().map_or(0, |end| values.exit(end, END));
            let ops = std::iter::successors(first, |op| op.next());
            let ops = ops.take_while(|op| block != home || values.enter(*op, READ) < end);
            let reads = ops.filter(|op| op.is(vector::TRANSFER_READ));
            for read in reads
                .filter(|read| read.operand(0).ty() == ty && !values.is_chosen(read.operand(0)))
            {
                if chain.is_overwritten_after(read, values) == Some(true) {
                    let around = std::iter::successors(Some(read), |op| op.parent());
                    let top = around.take_while(|op| *op != home_op).last().unwrap_or(read);
                    let limit = match top == read {
                        true => values.enter(read, WRITE),
                        false => values.exit(top, END),
                    };
                    self.reads.insert(read, (own, limit));
                    if !sources.contains(&read.operand(0)) {
                        sources.push(read.operand(0));
                    }
                }
            }
        }
        if sources.is_empty() {
            return None;
        }
        self.pairs.extend(sources.into_iter().map(|source| (source, last)));
        let members = chain.members.into_iter().filter_map(|value| values.version(value));
        self.writes.extend(members.map(|version| (version, own)));
        Some(())
    }
}

/// An index as a sum: numbers that are known at run time, sorted, and a constant.
type Sum = (Vec<usize>, i64);

/// The writes of a nest's result.
#[derive(Default)]
struct Chain<'c> {
    /// The writes, and the offsets of their slices in the result.
    writes: Vec<(Op<'c>, Vec<Sum>)>,
    members: Vec<Value<'c>>,
    /// The offsets of slices in the result.
    starts: FxHashMap<Value<'c>, Vec<Sum>>,
}

impl<'c> Chain<'c> {
    /// Follows a result of `nest` through what writes the rest of it in the same block; the last of them.
    fn follow_block(&mut self, nest: Op<'c>, result: usize) -> Option<Value<'c>> {
        self.follow(nest.body(0).arg(1 + result), &[])?;
        let mut value = nest.result(result);
        loop {
            self.members.push(value);
            let uses = value.uses();
            let is_slice = |(user, operand): &(Op<'c>, usize)| {
                user.is(tensor::EXTRACT_SLICE) || (user.is(tensor::INSERT_SLICE) && *operand == 1)
            };
            if uses.iter().any(|(user, _)| user.block() != nest.block()) {
                return Some(value);
            }
            let inserted = uses.iter().find(|(user, _)| user.is(tensor::INSERT_SLICE));
            if let Some((insert, _)) =
                inserted.filter(|_| uses.len() > 1 && uses.iter().all(is_slice))
            {
                self.starts.insert(value, Vec::new());
                for (slice, _) in uses.iter().filter(|(user, _)| !user.is(tensor::INSERT_SLICE)) {
                    self.follow_use(*slice, 0, &[])?;
                }
                value = insert.result(0);
                continue;
            }
            let [(user, operand)] = uses[..] else { return Some(value) };
            value = match (user.name(), operand) {
                (vector::TRANSFER_WRITE, 1) => {
                    self.writes.push((user, Vec::new()));
                    user.result(0)
                }
                (scf::FOR, index) if index >= 3 => {
                    self.follow(user.body(0).arg(index - 2), &[])?;
                    user.result(index - 3)
                }
                _ => return Some(value),
            };
        }
    }

    /// Follows the uses of `value`, at offset `start` of the result; `None` if there are others than writes.
    fn follow(&mut self, value: Value<'c>, start: &[Sum]) -> Option<()> {
        self.members.push(value);
        self.starts.insert(value, start.to_vec());
        value
            .uses()
            .into_iter()
            .try_for_each(|(user, operand)| self.follow_use(user, operand, start))
    }

    fn follow_use(&mut self, user: Op<'c>, operand: usize, start: &[Sum]) -> Option<()> {
        match (user.name(), operand) {
            (vector::TRANSFER_WRITE, 1) => {
                self.writes.push((user, start.to_vec()));
                self.follow(user.result(0), start)
            }
            (tensor::EXTRACT_SLICE, 0) => {
                let offsets = slice_offsets(user, 1, start)?;
                let ranks = (user.operand(0).ty().rank(), user.result(0).ty().rank());
                (ranks.0 == ranks.1).then_some(())?;
                self.follow(user.result(0), &offsets)
            }
            // An extracted and written slice is inserted back; the rest is unchanged.
            (tensor::INSERT_SLICE, 1) => self.follow(user.result(0), start),
            (tensor::INSERT_SLICE, 0) => {
                let outer = self.starts.get(&user.operand(1))?.clone();
                (slice_offsets(user, 2, &outer)?.as_slice() == start).then_some(())
            }
            (scf::FOR, index) if index >= 3 => {
                self.follow(user.body(0).arg(index - 2), start)?;
                self.follow(user.result(index - 3), start)
            }
            (scf::YIELD, _) => Some(()),
            _ => None,
        }
    }

    /// Whether the elements that `read` reads are written later in its block.
    fn is_overwritten_after(&self, read: Op<'c>, values: &Values<'c>) -> Option<bool> {
        let rank = read.operand(0).ty().rank()?;
        if read.operand_count() != rank + 2 {
            return Some(false);
        }
        let place: Vec<Sum> =
            (0..rank).map(|dim| sum(read.operand(1 + dim))).collect::<Option<_>>()?;
        let siblings = read.block()?;
        let is_same = |(write, start): &&(Op<'c>, Vec<Sum>)| {
            let plain = write.operand_count() == rank + 2 && write.block() == Some(siblings);
            let at = |dim: usize| {
                let own = sum(write.operand(2 + dim))?;
                Some(start.get(dim).map_or(own.clone(), |start| add(start, &own)))
            };
            plain
                && (0..rank).all(|dim| at(dim).as_ref() == Some(&place[dim]))
                && read.result(0).ty() == write.operand(0).ty()
                && read.attr("permutation_map") == write.attr("permutation_map")
        };
        let found = self.writes.iter().find(is_same);
        Some(found.is_some_and(|(write, _)| {
            values.enter(read, WRITE) < values.enter(*write, WRITE)
                || strata_ir::planted("streams-order")
        }))
    }
}

fn slice_offsets<'c>(slice: Op<'c>, first: usize, start: &[Sum]) -> Option<Vec<Sum>> {
    let strides = slice.attr("static_strides")?.as_i64s()?;
    let offsets = slice.attr("static_offsets")?.as_i64s()?;
    if strides.iter().any(|stride| *stride != 1) {
        return None;
    }
    let mut dynamic = slice.operands().into_iter().skip(first);
    let mut all = Vec::with_capacity(offsets.len());
    for (dim, offset) in offsets.into_iter().enumerate() {
        let own = match offset == strata_ir::DYNAMIC {
            true => sum(dynamic.next()?)?,
            false => (Vec::new(), offset),
        };
        all.push(start.get(dim).map_or(own.clone(), |start| add(start, &own)));
    }
    Some(all)
}

fn add(left: &Sum, right: &Sum) -> Sum {
    let mut terms = [left.0.as_slice(), right.0.as_slice()].concat();
    terms.sort_unstable();
    (terms, left.1 + right.1)
}

/// An index as a sum.
fn sum(value: Value<'_>) -> Option<Sum> {
    let opaque = (vec![strata_ir::value_address(value)], 0);
    let Some(owner) = value.owner() else { return Some(opaque) };
    match owner.name() {
        arith::CONSTANT => Some((Vec::new(), owner.attr("value")?.as_i64()?)),
        affine::APPLY => {
            let Some((terms, constant)) = map_sum(owner.attr("map")?) else { return Some(opaque) };
            let mut all: Sum = (Vec::new(), constant);
            for term in terms {
                all = add(&all, &sum(owner.operands().get(term).copied()?)?);
            }
            Some(all)
        }
        _ => Some(opaque),
    }
}

/// How often `op` runs per execution of the enclosing block `home`, if loop bounds are constants.
fn rounds<'c>(op: Op<'c>, home: Block<'c>) -> Option<u64> {
    let mut total: u64 = 1;
    let mut inner = op;
    while inner.block()? != home {
        inner = inner.parent()?;
        if !inner.is(scf::FOR) {
            return None;
        }
        let bound = |index: usize| inner.operand(index).owner()?.attr("value")?.as_i64();
        let (low, high, step) = (bound(0)?, bound(1)?, bound(2)?);
        let distance = u64::try_from(high.checked_sub(low)?).ok()?;
        let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
        total = total.checked_mul(distance.div_ceil(step))?;
    }
    Some(total)
}
