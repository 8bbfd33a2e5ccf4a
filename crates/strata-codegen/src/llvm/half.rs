//! Numbers of type bf16 are 16-bit integers to LLVM. At this point they are only moved: arithmetic was
//! expanded to operations on their bits. LLVM would turn some of those back into operations on bf16, for
//! which it generates wrong code: it loses signs.
//!
//! ```mlir
//! %x = llvm.load %p : !llvm.ptr -> bf16
//! %b = llvm.bitcast %x : bf16 to i16
//! ```
//! becomes
//! ```mlir
//! %b = llvm.load %p : !llvm.ptr -> i16
//! ```

use melior::Context;
use strata_ir::{
    Attribute, AttributeExt as _, ElementType, Op, OpName, Type, TypeExt as _, Value, WalkOrder,
    dense_bytes, dense_splat, int, integer, llvm, tensor,
};

/// Operations that only move numbers, or read their bits.
const MOVING: &[OpName<'_>] = &[
    llvm::BITCAST,
    llvm::BR,
    llvm::COND_BR,
    llvm::EXTRACTELEMENT,
    llvm::FREEZE,
    llvm::INSERTELEMENT,
    llvm::INTR_MASKED_COMPRESSSTORE,
    llvm::INTR_MASKED_EXPANDLOAD,
    llvm::INTR_MASKED_GATHER,
    llvm::INTR_MASKED_LOAD,
    llvm::INTR_MASKED_SCATTER,
    llvm::INTR_MASKED_STORE,
    llvm::INTR_VECTOR_EXTRACT,
    llvm::INTR_VECTOR_INSERT,
    llvm::LOAD,
    llvm::MLIR_CONSTANT,
    llvm::MLIR_POISON,
    llvm::MLIR_UNDEF,
    llvm::MLIR_ZERO,
    llvm::SELECT,
    llvm::SHUFFLEVECTOR,
    llvm::STORE,
    llvm::SWITCH,
];

/// Retypes all values of type bf16, unless something computes with one.
pub(super) fn retype<'c>(context: &'c Context, root: Op<'c>) {
    let touching =
        root.collect(|op| values(op).any(is_bf16) || op.operands().into_iter().any(is_bf16));
    let moves = |op: &Op<'_>| MOVING.contains(&op.name()) || op.is(llvm::FUNC);
    if !touching.iter().all(moves) {
        return;
    }
    root.walk(WalkOrder::Pre, &mut |op| {
        let constant_type = op.is(llvm::MLIR_CONSTANT).then(|| op.result(0).ty());
        for value in values(op).filter(|value| is_bf16(*value)) {
            let ty = value.ty();
            value.set_ty(if ty.is_vector_type() {
                ty.with_element(integer(context, 16))
            } else {
                integer(context, 16)
            });
        }
        if let Some(before) = constant_type
            && let Some(value) = op.attr("value")
            && let Some(bits) = constant(value, before, op.result(0).ty())
        {
            op.set_attr("value", bits);
        }
    });
}

/// The results of an operation and the arguments of its blocks.
fn values<'c>(op: Op<'c>) -> impl Iterator<Item = Value<'c>> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    blocks.flat_map(|block| block.args()).chain(op.results())
}

fn is_bf16(value: Value<'_>) -> bool {
    ElementType::from_type(value.ty().element()) == Some(ElementType::BFloat16)
}

/// The bits of a constant of type `before` as integers of the type `ty`; `None` if it is not a constant of type bf16.
fn constant<'c>(value: Attribute<'c>, before: Type<'c>, ty: Type<'c>) -> Option<Attribute<'c>> {
    if let Some(elements) = value.elements_type() {
        let is_bf16 = ElementType::from_type(elements.element()) == Some(ElementType::BFloat16);
        let bytes = value.raw_elements().filter(|_| is_bf16)?;
        return dense_bytes(elements.with_element(ty.element()), &bytes);
    }
    let is_number = ElementType::from_type(before) == Some(ElementType::BFloat16);
    value.as_f64().filter(|_| is_number)?;
    // Not by way of that number: a conversion makes a quiet NaN of a signalling one.
    let bytes = dense_splat(tensor(&[], before), value).raw_elements()?;
    Some(int(ty, i64::from(i16::from_le_bytes(bytes.try_into().ok()?))))
}
