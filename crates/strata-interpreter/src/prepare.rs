//! Translates MLIR to the prepared form: every operation is looked up by its name once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Block as IrBlock, Op, OpName, Type, TypeExt as _, Value as IrValue, affine,
    diagnostic_at, func, function_name, linalg, scf, tensor, value_address,
};

use crate::{
    element::Elem,
    machine::{Action, Block, Function, Inst, Operand, Slot},
    ops,
};

/// Why an operation cannot be prepared.
pub(crate) enum Unsupported {
    Reason(String),
    /// The cause is another operation, in one of its regions.
    Inner(Diagnostic),
}

/// An operation's action, or why it has none.
pub(crate) type Prepared = Result<Action, Unsupported>;

/// An operation that is not supported, or not in this form.
pub(crate) fn unsupported<T>(reason: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported::Reason(reason.into()))
}

/// The state of the translation.
pub(crate) struct Preparer<'c> {
    /// The slots of the values of the current function.
    slots: HashMap<usize, Slot>,
    /// Operations by their position, for messages.
    pub places: Vec<Op<'c>>,
    /// Operands that are the last use of their value: the operation and the operand's position.
    last: HashMap<(usize, usize), ()>,
    /// The functions by name.
    pub functions: BTreeMap<String, usize>,
    /// Those of them that are tasks.
    pub tasks: BTreeSet<usize>,
    /// The constants of the module by name.
    pub globals: BTreeMap<String, usize>,
}

impl<'c> Preparer<'c> {
    pub fn new(
        functions: BTreeMap<String, usize>,
        tasks: BTreeSet<usize>,
        globals: BTreeMap<String, usize>,
    ) -> Self {
        let (slots, last) = (HashMap::new(), HashMap::new());
        Self { slots, places: Vec::new(), last, functions, tasks, globals }
    }

    /// The function in its prepared form.
    pub fn function(&mut self, function: Op<'c>) -> Result<Function, Diagnostic> {
        self.slots.clear();
        self.last.clear();
        self.find_last_uses(function);
        let body = self.region(function, 0)?;
        Ok(Function { body, slots: self.slots.len() })
    }

    /// The only block of a region.
    pub fn region(&mut self, op: Op<'c>, region: usize) -> Result<Block, Diagnostic> {
        let blocks = op.region(region).blocks();
        let [block] = blocks[..] else {
            return Err(diagnostic_at(codes::S1911, op)
                .reason(format!("region {region} has {} blocks", blocks.len())));
        };
        self.block(block)
    }

    /// As [`Self::region`], for those that prepare an operation.
    pub fn body(&mut self, op: Op<'c>, region: usize) -> Result<Block, Unsupported> {
        self.region(op, region).map_err(Unsupported::Inner)
    }

    fn block(&mut self, block: IrBlock<'c>) -> Result<Block, Diagnostic> {
        let args = block.args().into_iter().map(|arg| self.slot(arg)).collect();
        let mut ops = block.ops();
        let terminator = ops.pop();
        let is_terminator = |op: Op<'c>| {
            const NAMES: [OpName<'_>; 7] = [
                func::RETURN,
                linalg::YIELD,
                scf::YIELD,
                scf::CONDITION,
                affine::YIELD,
                tensor::YIELD,
                scf::REDUCE,
            ];
            NAMES.contains(&op.name())
        };
        let Some(terminator) = terminator.filter(|op| is_terminator(*op)) else {
            let op = terminator.or(block.parent_op()).unwrap_or_else(|| self.places[0]);
            return Err(
                diagnostic_at(codes::S1911, op).reason("the block does not end in a known way")
            );
        };
        let insts = ops.into_iter().map(|op| self.inst(op)).collect::<Result<_, _>>()?;
        let yields =
            (0..terminator.operand_count()).map(|at| self.operand(terminator, at)).collect();
        Ok(Block { args, insts, yields })
    }

    fn inst(&mut self, op: Op<'c>) -> Result<Inst, Diagnostic> {
        self.places.push(op);
        let place = self.places.len() - 1;
        // Their slots exist before the regions are prepared.
        op.results().into_iter().for_each(|result| _ = self.slot(result));
        let action = ops::prepare(self, op, place).map_err(|error| match error {
            Unsupported::Reason(reason) => diagnostic_at(codes::S1911, op).reason(reason),
            Unsupported::Inner(diagnostic) => diagnostic,
        })?;
        Ok(Inst { place, action })
    }

    /// The slot of a value in the frame.
    pub fn slot(&mut self, value: IrValue<'c>) -> Slot {
        let next = self.slots.len();
        *self.slots.entry(value_address(value)).or_insert(next)
    }

    /// The slot of the only result.
    pub fn result(&mut self, op: Op<'c>) -> Slot {
        self.slot(op.result(0))
    }

    pub fn results(&mut self, op: Op<'c>) -> Vec<Slot> {
        op.results().into_iter().map(|result| self.slot(result)).collect()
    }

    pub fn operand(&mut self, op: Op<'c>, at: usize) -> Operand {
        let is_last = self.last.contains_key(&(op.to_raw().ptr as usize, at));
        Operand { slot: self.slot(op.operand(at)), is_last }
    }

    pub fn operands(&mut self, op: Op<'c>) -> Vec<Operand> {
        (0..op.operand_count()).map(|at| self.operand(op, at)).collect()
    }

    /// The operands in their groups.
    pub fn groups(&mut self, op: Op<'c>) -> Result<Vec<Vec<Operand>>, Unsupported> {
        let Some(sizes) = op.operand_segments() else {
            return unsupported("its operands are in no groups");
        };
        let mut all = self.operands(op).into_iter();
        Ok(sizes.into_iter().map(|size| all.by_ref().take(size).collect()).collect())
    }

    /// A use is the last one when its value is defined in the same block and all other uses come before it.
    fn find_last_uses(&mut self, function: Op<'c>) {
        let mut order = HashMap::new();
        let mut position = 0_usize;
        function.walk(strata_ir::WalkOrder::Pre, &mut |op| {
            order.insert(op.to_raw().ptr as usize, position);
            position += 1;
        });
        let last = &mut self.last;
        function.walk(strata_ir::WalkOrder::Pre, &mut |op| {
            for region in op.regions() {
                for block in region.blocks() {
                    block.args().into_iter().for_each(|arg| mark(arg, block, &order, last));
                }
            }
            if let Some(block) = op.block() {
                op.results().into_iter().for_each(|result| mark(result, block, &order, last));
            }
        });
    }
}

/// Marks the last use of a value that is defined in `block`, if there is one.
fn mark<'c>(
    value: IrValue<'c>,
    block: IrBlock<'c>,
    order: &HashMap<usize, usize>,
    last: &mut HashMap<(usize, usize), ()>,
) {
    let ty = value.ty();
    if !ty.is_tensor_type() {
        return;
    }
    let mut found: Option<(usize, Op<'c>, usize, bool)> = None;
    let mut count_at_latest = 0;
    for (user, at) in value.uses() {
        let Some(ancestor) = ancestor(user, block) else { return };
        let key = order.get(&(ancestor.to_raw().ptr as usize)).copied().unwrap_or(0);
        match &found {
            Some((latest, ..)) if *latest > key => {}
            Some((latest, ..)) if *latest == key => count_at_latest += 1,
            _ => {
                found = Some((key, user, at, ancestor == user));
                count_at_latest = 1;
            }
        }
    }
    if let Some((_, user, at, true)) = found
        && count_at_latest == 1
    {
        last.insert((user.to_raw().ptr as usize, at), ());
    }
}

/// The operation of `block` that is `op` or contains it.
fn ancestor<'c>(op: Op<'c>, block: IrBlock<'c>) -> Option<Op<'c>> {
    let mut current = op;
    loop {
        if current.block()? == block {
            return Some(current);
        }
        current = current.parent()?;
    }
}

/// The element type of a value.
pub(crate) fn elem(ty: Type<'_>) -> Result<Elem, Unsupported> {
    Elem::of(ty).ok_or_else(|| Unsupported::Reason(format!("its elements are of {ty}")))
}

/// The dimensions of a shaped type.
pub(crate) fn shape(ty: Type<'_>) -> Result<Vec<i64>, Unsupported> {
    ty.shape().ok_or_else(|| Unsupported::Reason(format!("{ty} has no dimensions")))
}

/// The numbers in an attribute.
pub(crate) fn numbers(op: Op<'_>, name: &str) -> Result<Vec<i64>, Unsupported> {
    op.attr(name)
        .and_then(|value| value.as_i64s())
        .ok_or_else(|| Unsupported::Reason(format!("it has no numbers `{name}`")))
}

/// The number in an attribute.
pub(crate) fn number(op: Op<'_>, name: &str) -> Result<i64, Unsupported> {
    op.attr(name)
        .and_then(|value| value.as_i64())
        .ok_or_else(|| Unsupported::Reason(format!("it has no number `{name}`")))
}

/// The functions of a module with a body, and those without by name.
pub(crate) fn functions<'c>(root: Op<'c>) -> Vec<(String, Op<'c>)> {
    let all = root.body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
    let with_body = all.filter(|op| op.region(0).first_block().is_some());
    with_body.map(|op| (function_name(op).to_owned(), op)).collect()
}
