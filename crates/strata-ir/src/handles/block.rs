//! Regions and their blocks.

use std::marker::PhantomData;

use melior::ir::{Location, Type, TypeLike};
use mlir_sys as sys;

use super::{Block, Op, Region, Value};

impl<'c> Region<'c> {
    /// Wraps a raw handle.
    ///
    /// # Safety
    /// `raw` is a live region of a context that outlives `'c`.
    pub unsafe fn from_raw(raw: sys::MlirRegion) -> Self {
        Self(raw, PhantomData)
    }

    /// The raw handle of MLIR's C API.
    pub fn to_raw(self) -> sys::MlirRegion {
        self.0
    }

    /// The entry block, if the region has one.
    pub fn first_block(self) -> Option<Block<'c>> {
        // SAFETY: the region is in memory; a null block becomes `None`.
        unsafe { Block::from_option_raw(sys::mlirRegionGetFirstBlock(self.0)) }
    }

    /// Appends an empty block.
    pub fn add_block(self) -> Block<'c> {
        // SAFETY: the block is new and in no region, and the region takes it over.
        unsafe {
            let block = sys::mlirBlockCreate(0, std::ptr::null(), std::ptr::null());
            sys::mlirRegionAppendOwnedBlock(self.0, block);
            Block::from_raw(block)
        }
    }

    /// All blocks in order.
    pub fn blocks(self) -> Vec<Block<'c>> {
        let mut blocks = Vec::new();
        let mut next = self.first_block();
        while let Some(block) = next {
            blocks.push(block);
            // SAFETY: the block is in memory, and the one after it is null at the end.
            next = unsafe { Block::from_option_raw(sys::mlirBlockGetNextInRegion(block.0)) };
        }
        blocks
    }
}

impl<'c> Block<'c> {
    /// Wraps a raw handle.
    ///
    /// # Safety
    /// `raw` is a live block of a context that outlives `'c`.
    pub unsafe fn from_raw(raw: sys::MlirBlock) -> Self {
        Self(raw, PhantomData)
    }

    /// Wraps a raw handle unless it is null.
    ///
    /// # Safety
    /// A non-null `raw` is a live block of a context that outlives `'c`.
    pub unsafe fn from_option_raw(raw: sys::MlirBlock) -> Option<Self> {
        (!raw.ptr.is_null()).then_some(Self(raw, PhantomData))
    }

    /// The raw handle of MLIR's C API.
    pub fn to_raw(self) -> sys::MlirBlock {
        self.0
    }

    /// The number of arguments.
    pub fn arg_count(self) -> usize {
        // SAFETY: the block is in memory.
        unsafe { sys::mlirBlockGetNumArguments(self.0) as usize }
    }

    /// Argument `index`. Panics when there are fewer.
    pub fn arg(self, index: usize) -> Value<'c> {
        assert!(index < self.arg_count(), "block has no argument {index}");
        // SAFETY: the index was checked just above.
        Value(unsafe { sys::mlirBlockGetArgument(self.0, index as isize) }, PhantomData)
    }

    /// All arguments in order.
    pub fn args(self) -> Vec<Value<'c>> {
        (0..self.arg_count()).map(|index| self.arg(index)).collect()
    }

    /// Appends an argument.
    pub fn add_arg(self, ty: Type<'c>, location: Location<'c>) -> Value<'c> {
        Value(
            // SAFETY: block, type and location are alive; the block owns the new argument.
            unsafe { sys::mlirBlockAddArgument(self.0, ty.to_raw(), location.to_raw()) },
            PhantomData,
        )
    }

    /// Inserts an argument before argument `index`. Panics when there are fewer.
    pub fn insert_arg(self, index: usize, ty: Type<'c>, location: Location<'c>) -> Value<'c> {
        assert!(index <= self.arg_count(), "block has no place {index} for an argument");
        // SAFETY: block, type and location are alive, and the position is one; the block owns the new argument.
        let raw = unsafe {
            sys::mlirBlockInsertArgument(self.0, index as isize, ty.to_raw(), location.to_raw())
        };
        Value(raw, PhantomData)
    }

    /// Removes argument `index`, which must have no uses.
    pub fn erase_arg(self, index: usize) {
        assert!(!self.arg(index).has_uses(), "block argument {index} is erased while used");
        // SAFETY: the argument exists and has no uses, so that no operation reads it after.
        unsafe { sys::mlirBlockEraseArgument(self.0, index as u32) }
    }

    /// The operations in order, as a snapshot: the visitor may insert and erase others.
    pub fn ops(self) -> Vec<Op<'c>> {
        let mut ops = Vec::new();
        let mut next = self.first_op();
        while let Some(op) = next {
            ops.push(op);
            next = op.next();
        }
        ops
    }

    /// The first operation.
    pub fn first_op(self) -> Option<Op<'c>> {
        // SAFETY: the block is in memory; a null operation becomes `None`.
        unsafe { Op::from_option_raw(sys::mlirBlockGetFirstOperation(self.0)) }
    }

    /// The blocks that its terminator may branch to.
    pub fn successors(self) -> Vec<Self> {
        // SAFETY: the block is alive, and so are those that its terminator names; positions are below their number.
        unsafe {
            let count = sys::mlirBlockGetNumSuccessors(self.0);
            (0..count)
                .map(|index| Self(sys::mlirBlockGetSuccessor(self.0, index), PhantomData))
                .collect()
        }
    }

    /// The terminator, if the block ends in one.
    pub fn terminator(self) -> Option<Op<'c>> {
        // SAFETY: the block is in memory; a null operation becomes `None`.
        unsafe { Op::from_option_raw(sys::mlirBlockGetTerminator(self.0)) }
    }

    /// Moves `first` and everything after it to a new block after this one, which is returned. This
    /// block is left without a terminator.
    pub fn split_before(self, first: Op<'c>) -> Block<'c> {
        let ops = self.ops();
        let at = ops.iter().position(|op| *op == first).unwrap_or(ops.len());
        // SAFETY: the new block is in no region until it is inserted, and each operation is in none while it goes from one
        // block to the other.
        unsafe {
            let after = sys::mlirBlockCreate(0, std::ptr::null(), std::ptr::null());
            sys::mlirRegionInsertOwnedBlockAfter(
                sys::mlirBlockGetParentRegion(self.0),
                self.0,
                after,
            );
            for op in &ops[at..] {
                sys::mlirOperationRemoveFromParent(op.0);
                sys::mlirBlockAppendOwnedOperation(after, op.0);
            }
            Block::from_raw(after)
        }
    }

    /// The operation that holds the block.
    pub fn parent_op(self) -> Option<Op<'c>> {
        // SAFETY: the block is in memory; a null operation becomes `None`.
        unsafe { Op::from_option_raw(sys::mlirBlockGetParentOperation(self.0)) }
    }
}
