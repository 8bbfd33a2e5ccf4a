//! What is computed from constants and the counters of loops alone, by moving elements.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    Block, Op, TypeExt as _, Value, WalkOrder, arith, attribute_address, constant_index, func,
    is_to_prepare, linalg, scf, tensor, vector,
};
use strata_options::LaidOut;
use strata_target::tuning::code::MIN_DATA_BYTES;

use super::moves::{byte_count, is_move, is_view};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    /// It has nothing of a weight.
    Other,
    /// It shows elements of a weight in their place.
    Shown,
    /// It has elements of a weight that were moved.
    Moved,
}

/// The known values of a function.
#[derive(Debug)]
pub(crate) struct Known<'c, 'l> {
    content: FxHashMap<Value<'c>, Content>,
    counters: FxHashMap<Value<'c>, Counted<'c>>,
    /// The constants that count as weights.
    laid_out: &'l LaidOut,
    /// Operations that make tensors of moved elements, outside of loops that are known as a whole.
    made: Vec<Op<'c>>,
}

/// A loop with constant bounds, around what is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) step: i64,
}

impl<'c> Counted<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let bound = |at: usize| constant_index(op.operand(at));
        let (first, last, step) = (bound(0)?, bound(1)?, bound(2)?);
        (step > 0 && first < last).then_some(Self { op, first, last, step })
    }

    /// The counter.
    pub(crate) fn counter(&self) -> Value<'c> {
        self.op.body(0).arg(0)
    }

    /// How often it runs.
    pub(crate) fn trips(&self) -> i64 {
        (self.last - self.first + self.step - 1) / self.step
    }
}

/// A tensor of moved elements of weights, and what computes it.
#[derive(Debug)]
pub(crate) struct Made<'c> {
    /// The operation that makes it.
    pub(crate) op: Op<'c>,
    /// The operations that compute it, in an order in which they can run, the last one itself.
    pub(crate) ops: Vec<Op<'c>>,
    /// The loops around it that it depends on, from outside in.
    pub(crate) loops: Vec<Counted<'c>>,
    /// The weights: constants, and inputs that are prepared.
    pub(crate) weights: Vec<Value<'c>>,
}

impl<'c> Made<'c> {
    /// Whether it is made of inputs, which the compiler does not know.
    pub(crate) fn is_of_inputs(&self) -> bool {
        self.weights.iter().any(|weight| weight.block_arg().is_some())
    }

    /// The text of what computes it: that of two is the same only where they hold the same elements.
    pub(crate) fn key(&self) -> String {
        let mut values = FxHashMap::default();
        let mut text = String::new();
        for one in &self.loops {
            values.insert(one.counter(), values.len());
            let _ = write!(text, "for {} {} {};", one.first, one.last, one.step);
        }
        for weight in &self.weights {
            if let Some((_, at)) = weight.block_arg() {
                values.insert(*weight, values.len());
                let _ = write!(text, "input {at};");
            }
        }
        for op in &self.ops {
            op.walk(WalkOrder::Pre, &mut |op| write_op(op, &mut values, &mut text));
        }
        text
    }
}

fn write_op<'c>(op: Op<'c>, values: &mut FxHashMap<Value<'c>, usize>, text: &mut String) {
    let _ = write!(text, "{}", op.name());
    let mut number = |value: Value<'c>| {
        let next = values.len();
        *values.entry(value).or_insert(next)
    };
    for value in op.operands() {
        let _ = write!(text, " {}", number(value));
    }
    let args = op.regions().into_iter().flat_map(|region| region.blocks());
    for value in op.results().into_iter().chain(args.flat_map(|block| block.args())) {
        let _ = write!(text, " {}:{}", number(value), value.ty());
    }
    // Of uniqued attributes, which may be large, the addresses.
    for (name, value) in op.attrs().into_iter().filter(|(name, _)| !name.starts_with("strata.")) {
        let _ = write!(text, " {name}={:x}", attribute_address(value));
    }
    text.push(';');
}

/// The tensor whose elements, all of them, an operation puts into another order or another shape.
pub(crate) fn reordered(op: Op<'_>) -> Option<Value<'_>> {
    let is_whole = || {
        let counts = [op.operand(0), op.result(0)].map(|value| value.ty().element_count());
        counts[0] == counts[1] && op.operand(0).ty().element() == op.result(0).ty().element()
    };
    let moves = match op.name() {
        linalg::GENERIC => is_move(op) && op.result_count() == 1,
        tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE => true,
        _ => false,
    };
    (moves && is_whole()).then(|| op.operand(0))
}

/// Whether it counts as a weight: it is large, and an input that is prepared or a constant that is laid out, in any order.
pub(crate) fn is_weight(value: Value<'_>, laid_out: &LaidOut) -> bool {
    let is_large = || {
        value.ty().is_tensor_type()
            && byte_count(value.ty()).is_some_and(|bytes| bytes as u64 >= MIN_DATA_BYTES)
    };
    match value.owner() {
        Some(op) => match reordered(op) {
            Some(source) => is_weight(source, laid_out),
            None => value.ty().is_tensor_type() && laid_out.has(op),
        },
        None => is_to_prepare(value) && is_large(),
    }
}

impl<'c, 'l> Known<'c, 'l> {
    /// Looks through a function; constants count as weights if they are laid out.
    pub(crate) fn of(function: Op<'c>, laid_out: &'l LaidOut) -> Self {
        let (content, counters, made) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        let mut known = Self { content, counters, laid_out, made };
        let body = function.region(0).first_block();
        let inputs = body.map(|body| body.args()).unwrap_or_default();
        for input in inputs.into_iter().filter(|input| is_weight(*input, laid_out)) {
            known.content.insert(input, Content::Shown);
        }
        function
            .regions()
            .iter()
            .flat_map(|region| region.blocks())
            .for_each(|block| known.block(block));
        known
    }

    fn block(&mut self, block: Block<'c>) {
        for op in block.ops() {
            if self.add(op) {
                let makes = op.results().iter().any(|value| self.is_made(*value));
                if makes && !is_view(op) {
                    self.made.push(op);
                }
                continue;
            }
            if op.dialect() != "scf" {
                continue;
            }
            if let Some(counted) = op.is(scf::FOR).then(|| Counted::of(op)).flatten() {
                self.content.insert(counted.counter(), Content::Other);
                self.counters.insert(counted.counter(), counted);
            }
            op.regions()
                .iter()
                .flat_map(|region| region.blocks())
                .for_each(|inner| self.block(inner));
        }
    }

    fn is_made(&self, value: Value<'c>) -> bool {
        value.ty().is_tensor_type() && self.content.get(&value) == Some(&Content::Moved)
    }

    /// Adds the results of an operation, if they are known; a loop with all that is in it.
    fn add(&mut self, op: Op<'c>) -> bool {
        let mut added = Vec::new();
        let is_known = self.enter(op, &mut added).is_some();
        if !is_known {
            for value in &added {
                self.content.remove(value);
            }
        }
        is_known
    }

    fn enter(&mut self, op: Op<'c>, added: &mut Vec<Value<'c>>) -> Option<()> {
        if !is_move(op) || op.result_count() == 0 {
            return None;
        }
        let mut content = Content::Other;
        for operand in op.operands() {
            content = content.max(*self.content.get(&operand)?);
        }
        if op.is(scf::FOR) {
            for arg in op.body(0).args() {
                self.content.insert(arg, Content::Other);
                added.push(arg);
            }
            let end = op.body(0).terminator()?;
            for inner in op.body(0).ops().into_iter().filter(|inner| *inner != end) {
                self.enter(inner, added)?;
            }
            for value in end.operands() {
                content = content.max(*self.content.get(&value)?);
            }
        } else if op.is(arith::CONSTANT) && is_weight(op.result(0), self.laid_out) {
            content = Content::Shown;
        } else if content == Content::Shown && op.result(0).ty().is_tensor_type() && !is_view(op) {
            content = Content::Moved;
        }
        for result in op.results() {
            self.content.insert(result, content);
            added.push(result);
        }
        Some(())
    }

    fn is_known(&self, op: Op<'c>) -> bool {
        op.results().first().is_some_and(|value| self.content.contains_key(value))
    }

    /// The tensors that something reads which is not known, and nothing writes to.
    pub(crate) fn made(&self) -> Vec<Made<'c>> {
        let is_read = |op: &&Op<'c>| {
            let reads = op.results().into_iter().map(|value| self.is_read(value));
            op.result_count() == 1 && reads.flatten().any(|read| read)
        };
        self.made.iter().filter(is_read).filter_map(|op| self.slice(*op)).collect()
    }

    /// Whether something reads the value that is not known; `None` where it may be written to, or leaves its block.
    fn is_read(&self, value: Value<'c>) -> Option<bool> {
        let mut found = false;
        for (user, at) in value.uses() {
            if self.is_known(user) {
                let makes = user.result(0).ty().is_tensor_type() && !is_view(user);
                for result in user.results().into_iter().filter(|_| !makes) {
                    found |= self.is_read(result)?;
                }
                continue;
            }
            match user.name() {
                tensor::EXTRACT_SLICE | tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE
                    if at == 0 =>
                {
                    self.is_read(user.result(0))?;
                }
                tensor::EXTRACT | tensor::INSERT_SLICE | vector::TRANSFER_READ if at == 0 => {}
                // What a loop that is known carries.
                scf::YIELD if user.parent().is_some_and(|parent| self.is_known(parent)) => continue,
                linalg::YIELD => return None,
                name if name.dialect() == "linalg"
                    && at + user.result_count() < user.operand_count() => {}
                _ if !value.ty().is_tensor_type() => {}
                _ => return None,
            }
            found = true;
        }
        Some(found)
    }

    /// What computes the result of an operation.
    fn slice(&self, op: Op<'c>) -> Option<Made<'c>> {
        let mut made = Made { op, ops: Vec::new(), loops: Vec::new(), weights: Vec::new() };
        let mut seen = FxHashSet::default();
        self.follow(op, &mut seen, &mut made)?;
        made.loops
            .sort_by_key(|one| std::iter::successors(one.op.parent(), |op| op.parent()).count());
        Some(made)
    }

    fn follow(&self, op: Op<'c>, seen: &mut FxHashSet<Op<'c>>, made: &mut Made<'c>) -> Option<()> {
        if !seen.insert(op) {
            return Some(());
        }
        for value in op.collect(|_| true).into_iter().flat_map(Op::operands) {
            let owner = match value.owner() {
                Some(owner) if owner != op && op.encloses(owner) => continue,
                Some(owner) => owner,
                None => {
                    let around = value.block_arg()?.0.parent_op()?;
                    if around.is(func::FUNC) {
                        if !made.weights.contains(&value) {
                            made.weights.push(value);
                        }
                        continue;
                    }
                    if around != op && !op.encloses(around) {
                        let counted = self.counters.get(&value)?;
                        if !made.loops.iter().any(|one| one.op == counted.op) {
                            made.loops.push(*counted);
                        }
                    }
                    continue;
                }
            };
            self.follow(owner, seen, made)?;
        }
        if op.is(arith::CONSTANT) && is_weight(op.result(0), self.laid_out) {
            made.weights.push(op.result(0));
        }
        made.ops.push(op);
        Some(())
    }

    /// Whether anything reads elements of `weight` but what makes the tensors of `gone`.
    pub(crate) fn is_left(&self, weight: Value<'c>, gone: &FxHashSet<Op<'c>>) -> bool {
        let mut open = vec![weight];
        while let Some(value) = open.pop() {
            for (user, _) in value.uses() {
                // A loop that is known is one operation.
                let around = std::iter::successors(Some(user), |op| op.parent());
                let known = around.into_iter().filter(|op| self.is_known(*op)).last();
                match known {
                    Some(known) if gone.contains(&known) => {}
                    Some(known) => open.extend(known.results()),
                    None => return true,
                }
            }
        }
        false
    }
}
