//! SSA values: their type, their definition, their uses.

use std::{fmt, marker::PhantomData};

use melior::ir::{Location, Type, TypeLike};
use mlir_sys as sys;

use super::{Block, Op, Value, text_of};

impl<'c> Value<'c> {
    /// Wraps a raw handle.
    ///
    /// # Safety
    /// `raw` is a live value of a context that outlives `'c`.
    pub unsafe fn from_raw(raw: sys::MlirValue) -> Self {
        Self(raw, PhantomData)
    }

    /// The raw handle of MLIR's C API.
    pub fn to_raw(self) -> sys::MlirValue {
        self.0
    }

    /// The type.
    pub fn ty(self) -> Type<'c> {
        // SAFETY: the value is in memory, and its type lives as long as the context.
        unsafe { Type::from_raw(sys::mlirValueGetType(self.0)) }
    }

    /// The source location: the operation's, or the argument's own.
    pub fn location(self) -> Location<'c> {
        // SAFETY: the value is in memory, and its location lives as long as the context.
        unsafe { Location::from_raw(sys::mlirValueGetLocation(self.0)) }
    }

    /// Gives a block argument another source location.
    pub fn set_location(self, location: Location<'c>) {
        // SAFETY: the value is checked to be a block argument, and both belong to the same live context.
        unsafe {
            if sys::mlirValueIsABlockArgument(self.0) {
                sys::mlirBlockArgumentSetLocation(self.0, location.to_raw());
            }
        }
    }

    /// Changes the type in place; the users must accept it.
    pub fn set_ty(self, ty: Type<'c>) {
        // SAFETY: value and type are alive.
        unsafe { sys::mlirValueSetType(self.0, ty.to_raw()) }
    }

    /// The operation that defines the value; `None` for block arguments.
    pub fn owner(self) -> Option<Op<'c>> {
        // SAFETY: the value was asked to be a result first, and results have an owner.
        unsafe {
            sys::mlirValueIsAOpResult(self.0)
                .then(|| Op(sys::mlirOpResultGetOwner(self.0), PhantomData))
        }
    }

    /// Panics for a result of an erased operation, which is to be used again.
    pub(crate) fn assert_alive(self) {
        if let Some(owner) = self.owner() {
            owner.assert_alive();
        }
    }

    /// The position among the results of the owner.
    pub fn result_index(self) -> Option<usize> {
        // SAFETY: the value was asked to be a result first.
        unsafe {
            sys::mlirValueIsAOpResult(self.0)
                .then(|| sys::mlirOpResultGetResultNumber(self.0) as usize)
        }
    }

    /// The block and position of a block argument.
    pub fn block_arg(self) -> Option<(Block<'c>, usize)> {
        // SAFETY: the value was asked to be an argument first, and arguments have a block.
        unsafe {
            sys::mlirValueIsABlockArgument(self.0).then(|| {
                (
                    Block(sys::mlirBlockArgumentGetOwner(self.0), PhantomData),
                    sys::mlirBlockArgumentGetArgNumber(self.0) as usize,
                )
            })
        }
    }

    /// The operation that makes it, or of whose regions it is an argument.
    pub fn home(self) -> Option<Op<'c>> {
        self.owner().or_else(|| self.block_arg().and_then(|(block, _)| block.parent_op()))
    }

    /// The uses as (user, operand index), in MLIR's use-list order (latest first).
    pub fn uses(self) -> Vec<(Op<'c>, usize)> {
        let mut uses = Vec::new();
        // SAFETY: the list of uses does not change while it is gone through; its end is null, which is not asked for anything.
        unsafe {
            let mut current = sys::mlirValueGetFirstUse(self.0);
            while !sys::mlirOpOperandIsNull(current) {
                uses.push((
                    Op(sys::mlirOpOperandGetOwner(current), PhantomData),
                    sys::mlirOpOperandGetOperandNumber(current) as usize,
                ));
                current = sys::mlirOpOperandGetNextUse(current);
            }
        }
        uses
    }

    /// Whether there is any use.
    pub fn has_uses(self) -> bool {
        // SAFETY: the value is in memory; a use that is null is only compared.
        unsafe { !sys::mlirOpOperandIsNull(sys::mlirValueGetFirstUse(self.0)) }
    }

    /// Whether there is exactly one use.
    pub fn has_one_use(self) -> bool {
        // SAFETY: the first use is asked for the next one only where it is not null.
        unsafe {
            let first = sys::mlirValueGetFirstUse(self.0);
            !sys::mlirOpOperandIsNull(first)
                && sys::mlirOpOperandIsNull(sys::mlirOpOperandGetNextUse(first))
        }
    }

    /// As printed among operands: `%arg0`.
    pub fn operand_text(self) -> String {
        // SAFETY: flags and state are destroyed once each, after the last use; the callback writes to the vector that `text_of`
        // holds.
        unsafe {
            let flags = sys::mlirOpPrintingFlagsCreate();
            let state = sys::mlirAsmStateCreateForValue(self.0, flags);
            let text = text_of(|callback, data| {
                sys::mlirValuePrintAsOperand(self.0, state, callback, data)
            });
            sys::mlirAsmStateDestroy(state);
            sys::mlirOpPrintingFlagsDestroy(flags);
            text
        }
    }

    /// Makes all users use `other` instead.
    pub fn replace_all_uses_with(self, other: Value<'c>) {
        other.assert_alive();
        // SAFETY: both values are alive.
        unsafe { sys::mlirValueReplaceAllUsesOfWith(self.0, other.0) }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        // SAFETY: the callback writes to the vector that `text_of` holds during the call.
        formatter.write_str(&text_of(|callback, data| unsafe {
            sys::mlirValuePrint(self.0, callback, data)
        }))
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "Value({self})")
    }
}
