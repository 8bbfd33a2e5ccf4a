//! Elements of less than eight bits take a byte each in memory, but LLVM loads and stores packed
//! vectors of them, and treats the upper bits of a byte as undefined. So every access is done on
//! bytes.
//!
//! ```mlir
//! %x = llvm.load %p : !llvm.ptr -> vector<8xi1>
//! ```
//! becomes
//! ```mlir
//! %b = llvm.load %p : !llvm.ptr -> vector<8xi8>
//! %x = llvm.trunc %b : vector<8xi8> to vector<8xi1>
//! ```

use melior::Context;
use strata_ir::{Builder, Op, OpName, Type, TypeExt as _, Value, integer, llvm};

/// Operations that read memory, with the positions of operands that have the result's type.
const LOADS: &[(OpName<'_>, &[usize])] = &[
    (llvm::LOAD, &[]),
    (llvm::INTR_MASKED_LOAD, &[2]),
    (llvm::INTR_MASKED_GATHER, &[2]),
    (llvm::INTR_MASKED_EXPANDLOAD, &[2]),
];

/// Operations that write operand 0 to memory.
const STORES: &[OpName<'_>] = &[
    llvm::STORE,
    llvm::INTR_MASKED_STORE,
    llvm::INTR_MASKED_SCATTER,
    llvm::INTR_MASKED_COMPRESSSTORE,
];

/// Widens every access to elements of less than eight bits.
pub(super) fn widen<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|op| op.dialect() == "llvm") {
        if let Some((_, passed)) = LOADS.iter().find(|(name, _)| op.is(*name)) {
            let narrow = op.result(0).ty();
            if let Some(wide) = in_bytes(context, narrow) {
                load(context, op, narrow, wide, passed);
            }
        } else if STORES.contains(&op.name())
            && let Some(wide) = in_bytes(context, op.operand(0).ty())
        {
            let value = extend(&Builder::before(context, op), op.operand(0), wide);
            op.set_operand(0, value);
        }
    }
}

fn load<'c>(context: &'c Context, op: Op<'c>, narrow: Type<'c>, wide: Type<'c>, passed: &[usize]) {
    let builder = Builder::before(context, op);
    let mut operands = op.operands();
    for position in passed {
        if let Some(operand) = operands.get_mut(*position) {
            *operand = extend(&builder, *operand, wide);
        }
    }
    let bytes = builder.op(op.name()).operands(&operands).attrs(&op.attrs()).result(wide).value();
    let value = llvm::trunc(&builder, bytes, narrow).value();
    op.result(0).replace_all_uses_with(value);
    op.erase();
}

fn extend<'c>(builder: &Builder<'c>, value: Value<'c>, wide: Type<'c>) -> Value<'c> {
    llvm::zext(builder, value, wide).value()
}

/// The type with bytes for elements; `None` if the elements have whole bytes already.
fn in_bytes<'c>(context: &'c Context, ty: Type<'c>) -> Option<Type<'c>> {
    let element = ty.element();
    (element.is_int() && element.bit_width()? < 8).then(|| ty.with_element(integer(context, 8)))
}
