//! Copyable handles to operations, regions, blocks and values.

use std::{fmt, hash, marker::PhantomData};

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Location, Type, TypeLike},
};
use mlir_sys as sys;

use crate::kinds::OpKind;

/// A handle to an operation; valid until the operation is erased.
#[derive(Clone, Copy)]
pub struct Op<'c>(pub(crate) sys::MlirOperation, PhantomData<&'c Context>);

/// A handle to a region of an operation.
#[derive(Clone, Copy)]
pub struct Region<'c>(pub(crate) sys::MlirRegion, PhantomData<&'c Context>);

/// A handle to a block.
#[derive(Clone, Copy)]
pub struct Block<'c>(pub(crate) sys::MlirBlock, PhantomData<&'c Context>);

/// A handle to an SSA value: the result of an operation or the argument of a block.
#[derive(Clone, Copy)]
pub struct Value<'c>(pub(crate) sys::MlirValue, PhantomData<&'c Context>);

/// When [`Op::walk`] calls its visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkOrder {
    /// An operation before those nested in it.
    Pre,
    /// An operation after those nested in it.
    Post,
}

pub(crate) fn string_ref(text: &str) -> sys::MlirStringRef {
    sys::MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// # Safety
/// `raw` points at bytes that live as long as `'c`.
pub(crate) unsafe fn str_from<'c>(raw: sys::MlirStringRef) -> &'c str {
    if raw.length == 0 {
        return "";
    }
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    std::str::from_utf8(bytes).unwrap_or("")
}

pub(crate) unsafe extern "C" fn append_text(part: sys::MlirStringRef, sink: *mut std::ffi::c_void) {
    let sink = unsafe { &mut *sink.cast::<Vec<u8>>() };
    if part.length > 0 {
        sink.extend_from_slice(unsafe {
            std::slice::from_raw_parts(part.data.cast::<u8>(), part.length)
        });
    }
}

pub(crate) fn text_of(
    print: impl FnOnce(sys::MlirStringCallback, *mut std::ffi::c_void),
) -> String {
    let mut bytes = Vec::<u8>::new();
    print(Some(append_text), (&raw mut bytes).cast());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Equal for equal types, and only for these: types are unique in their context.
pub fn type_address(ty: Type<'_>) -> usize {
    ty.to_raw().ptr as usize
}

/// Equal for equal attributes, and only for these: attributes are unique in their context.
pub fn attribute_address(attribute: Attribute<'_>) -> usize {
    attribute.to_raw().ptr as usize
}

/// Equal for the same value, and only for it.
pub fn value_address(value: Value<'_>) -> usize {
    value.0.ptr as usize
}

impl<'c> Op<'c> {
    /// Wraps a raw handle.
    ///
    /// # Safety
    /// `raw` is a live operation of a context that outlives `'c`.
    pub unsafe fn from_raw(raw: sys::MlirOperation) -> Self {
        Self(raw, PhantomData)
    }

    /// Wraps a raw handle unless it is null.
    ///
    /// # Safety
    /// A non-null `raw` is a live operation of a context that outlives `'c`.
    pub unsafe fn from_option_raw(raw: sys::MlirOperation) -> Option<Self> {
        (!raw.ptr.is_null()).then_some(Self(raw, PhantomData))
    }

    /// The raw handle of MLIR's C API.
    pub fn to_raw(self) -> sys::MlirOperation {
        self.0
    }

    /// The operation's full name, such as `stablehlo.add`.
    pub fn name(self) -> &'c str {
        unsafe { str_from(sys::mlirIdentifierStr(sys::mlirOperationGetName(self.0))) }
    }

    /// The kind among the operations that Strata defines; [`OpKind::Foreign`] for all others.
    pub fn kind(self) -> OpKind {
        OpKind::from_name(self.name())
    }

    /// Whether the name is `name`.
    pub fn is(self, name: &str) -> bool {
        self.name() == name
    }

    /// The prefix of the name up to the first dot.
    pub fn dialect(self) -> &'c str {
        self.name().split('.').next().unwrap_or("")
    }

    /// The number of operands.
    pub fn operand_count(self) -> usize {
        unsafe { sys::mlirOperationGetNumOperands(self.0) as usize }
    }

    /// Operand `index`. Panics when there are fewer.
    pub fn operand(self, index: usize) -> Value<'c> {
        assert!(index < self.operand_count(), "{} has no operand {index}", self.name());
        Value(unsafe { sys::mlirOperationGetOperand(self.0, index as isize) }, PhantomData)
    }

    /// All operands in order.
    pub fn operands(self) -> Vec<Value<'c>> {
        (0..self.operand_count()).map(|index| self.operand(index)).collect()
    }

    /// Replaces operand `index`.
    pub fn set_operand(self, index: usize, value: Value<'c>) {
        assert!(index < self.operand_count(), "{} has no operand {index}", self.name());
        unsafe { sys::mlirOperationSetOperand(self.0, index as isize, value.0) }
    }

    /// The number of results.
    pub fn result_count(self) -> usize {
        unsafe { sys::mlirOperationGetNumResults(self.0) as usize }
    }

    /// Result `index`. Panics when there are fewer.
    pub fn result(self, index: usize) -> Value<'c> {
        assert!(index < self.result_count(), "{} has no result {index}", self.name());
        Value(unsafe { sys::mlirOperationGetResult(self.0, index as isize) }, PhantomData)
    }

    /// All results in order.
    pub fn results(self) -> Vec<Value<'c>> {
        (0..self.result_count()).map(|index| self.result(index)).collect()
    }

    /// The types of all results.
    pub fn result_types(self) -> Vec<Type<'c>> {
        self.results().into_iter().map(Value::ty).collect()
    }

    /// The number of regions.
    pub fn region_count(self) -> usize {
        unsafe { sys::mlirOperationGetNumRegions(self.0) as usize }
    }

    /// Region `index`. Panics when there are fewer.
    pub fn region(self, index: usize) -> Region<'c> {
        assert!(index < self.region_count(), "{} has no region {index}", self.name());
        Region(unsafe { sys::mlirOperationGetRegion(self.0, index as isize) }, PhantomData)
    }

    /// All regions in order.
    pub fn regions(self) -> Vec<Region<'c>> {
        (0..self.region_count()).map(|index| self.region(index)).collect()
    }

    /// The first block of region `index`. Panics when the region is empty.
    pub fn body(self, index: usize) -> Block<'c> {
        self.region(index)
            .first_block()
            .unwrap_or_else(|| panic!("region {index} of {} is empty", self.name()))
    }

    /// The inherent or discardable attribute `name`.
    pub fn attr(self, name: &str) -> Option<Attribute<'c>> {
        unsafe {
            Attribute::from_option_raw(sys::mlirOperationGetAttributeByName(
                self.0,
                string_ref(name),
            ))
        }
    }

    /// Whether attribute `name` is present.
    pub fn has_attr(self, name: &str) -> bool {
        self.attr(name).is_some()
    }

    /// All attributes, inherent ones included, in MLIR's (sorted) order.
    pub fn attrs(self) -> Vec<(&'c str, Attribute<'c>)> {
        let count = unsafe { sys::mlirOperationGetNumAttributes(self.0) };
        (0..count)
            .map(|index| unsafe {
                let named = sys::mlirOperationGetAttribute(self.0, index);
                (str_from(sys::mlirIdentifierStr(named.name)), Attribute::from_raw(named.attribute))
            })
            .collect()
    }

    /// The discardable attributes in MLIR's (sorted) order.
    pub fn discardable_attrs(self) -> Vec<(&'c str, Attribute<'c>)> {
        let count = unsafe { sys::mlirOperationGetNumDiscardableAttributes(self.0) };
        (0..count)
            .map(|index| unsafe {
                let named = sys::mlirOperationGetDiscardableAttribute(self.0, index);
                (str_from(sys::mlirIdentifierStr(named.name)), Attribute::from_raw(named.attribute))
            })
            .collect()
    }

    /// Sets attribute `name`.
    pub fn set_attr(self, name: &str, value: Attribute<'c>) {
        unsafe { sys::mlirOperationSetAttributeByName(self.0, string_ref(name), value.to_raw()) }
    }

    /// Removes attribute `name`; false when it was absent.
    pub fn remove_attr(self, name: &str) -> bool {
        unsafe { sys::mlirOperationRemoveAttributeByName(self.0, string_ref(name)) }
    }

    /// The operation's source location.
    pub fn location(self) -> Location<'c> {
        unsafe { Location::from_raw(sys::mlirOperationGetLocation(self.0)) }
    }

    /// The operation whose region holds this one.
    pub fn parent(self) -> Option<Op<'c>> {
        unsafe { Op::from_option_raw(sys::mlirOperationGetParentOperation(self.0)) }
    }

    /// The block that holds this operation.
    pub fn block(self) -> Option<Block<'c>> {
        unsafe { Block::from_option_raw(sys::mlirOperationGetBlock(self.0)) }
    }

    /// The next operation in the same block.
    pub fn next(self) -> Option<Op<'c>> {
        unsafe { Op::from_option_raw(sys::mlirOperationGetNextInBlock(self.0)) }
    }

    /// Whether `other` is this operation or lies in one of its regions.
    pub fn encloses(self, other: Op<'c>) -> bool {
        let mut current = Some(other);
        while let Some(op) = current {
            if op == self {
                return true;
            }
            current = op.parent();
        }
        false
    }

    /// Whether no result has a use.
    pub fn is_unused(self) -> bool {
        self.results().into_iter().all(|result| !result.has_uses())
    }

    /// Visits this operation and all nested ones. The visitor must not erase operations other
    /// than (in post order) the one it is given.
    pub fn walk(self, order: WalkOrder, visit: &mut dyn FnMut(Op<'c>)) {
        if order == WalkOrder::Pre {
            visit(self);
        }
        for region in self.regions() {
            for block in region.blocks() {
                for op in block.ops() {
                    op.walk(order, visit);
                }
            }
        }
        if order == WalkOrder::Post {
            visit(self);
        }
    }

    /// This operation and all nested ones for which `select` holds, in pre-order.
    pub fn collect(self, mut select: impl FnMut(Op<'c>) -> bool) -> Vec<Op<'c>> {
        let mut found = Vec::new();
        self.walk(WalkOrder::Pre, &mut |op| {
            if select(op) {
                found.push(op);
            }
        });
        found
    }

    /// A detached deep copy. The caller inserts it with a [`crate::Builder`].
    pub fn clone_detached(self) -> Op<'c> {
        Op(unsafe { sys::mlirOperationClone(self.0) }, PhantomData)
    }

    /// Moves this operation before `other`.
    pub fn move_before(self, other: Op<'c>) {
        unsafe { sys::mlirOperationMoveBefore(self.0, other.0) }
    }

    /// Removes the operation from its block and destroys it. All handles to it and to what it
    /// holds are dead afterwards; its results must have no uses.
    pub fn erase(self) {
        assert!(self.is_unused(), "{} is erased while its results are used", self.name());
        unsafe { sys::mlirOperationDestroy(self.0) }
    }

    /// Whether the operation and all nested ones satisfy their verifiers.
    pub fn verify(self) -> bool {
        unsafe { sys::mlirOperationVerify(self.0) }
    }
}

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
        unsafe { Block::from_option_raw(sys::mlirRegionGetFirstBlock(self.0)) }
    }

    /// Appends an empty block.
    pub fn add_block(self) -> Block<'c> {
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
        unsafe { sys::mlirBlockGetNumArguments(self.0) as usize }
    }

    /// Argument `index`. Panics when there are fewer.
    pub fn arg(self, index: usize) -> Value<'c> {
        assert!(index < self.arg_count(), "block has no argument {index}");
        Value(unsafe { sys::mlirBlockGetArgument(self.0, index as isize) }, PhantomData)
    }

    /// All arguments in order.
    pub fn args(self) -> Vec<Value<'c>> {
        (0..self.arg_count()).map(|index| self.arg(index)).collect()
    }

    /// Appends an argument.
    pub fn add_arg(self, ty: Type<'c>, location: Location<'c>) -> Value<'c> {
        Value(
            unsafe { sys::mlirBlockAddArgument(self.0, ty.to_raw(), location.to_raw()) },
            PhantomData,
        )
    }

    /// Removes argument `index`, which must have no uses.
    pub fn erase_arg(self, index: usize) {
        assert!(!self.arg(index).has_uses(), "block argument {index} is erased while used");
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
        unsafe { Op::from_option_raw(sys::mlirBlockGetFirstOperation(self.0)) }
    }

    /// The terminator, if the block ends in one.
    pub fn terminator(self) -> Option<Op<'c>> {
        unsafe { Op::from_option_raw(sys::mlirBlockGetTerminator(self.0)) }
    }

    /// Moves `first` and all that follows it to a new block behind this one, which is returned.
    /// This block is left without a terminator.
    pub fn split_before(self, first: Op<'c>) -> Block<'c> {
        let ops = self.ops();
        let at = ops.iter().position(|op| *op == first).unwrap_or(ops.len());
        unsafe {
            let behind = sys::mlirBlockCreate(0, std::ptr::null(), std::ptr::null());
            sys::mlirRegionInsertOwnedBlockAfter(
                sys::mlirBlockGetParentRegion(self.0),
                self.0,
                behind,
            );
            for op in &ops[at..] {
                sys::mlirOperationRemoveFromParent(op.0);
                sys::mlirBlockAppendOwnedOperation(behind, op.0);
            }
            Block::from_raw(behind)
        }
    }

    /// The operation that holds the block.
    pub fn parent_op(self) -> Option<Op<'c>> {
        unsafe { Op::from_option_raw(sys::mlirBlockGetParentOperation(self.0)) }
    }
}

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
        unsafe { Type::from_raw(sys::mlirValueGetType(self.0)) }
    }

    /// The source location: the operation's, or the argument's own.
    pub fn location(self) -> Location<'c> {
        unsafe { Location::from_raw(sys::mlirValueGetLocation(self.0)) }
    }

    /// Changes the type in place; the users must accept it.
    pub fn set_ty(self, ty: Type<'c>) {
        unsafe { sys::mlirValueSetType(self.0, ty.to_raw()) }
    }

    /// The operation that defines the value; `None` for block arguments.
    pub fn owner(self) -> Option<Op<'c>> {
        unsafe {
            sys::mlirValueIsAOpResult(self.0)
                .then(|| Op(sys::mlirOpResultGetOwner(self.0), PhantomData))
        }
    }

    /// The position among the results of the owner.
    pub fn result_index(self) -> Option<usize> {
        unsafe {
            sys::mlirValueIsAOpResult(self.0)
                .then(|| sys::mlirOpResultGetResultNumber(self.0) as usize)
        }
    }

    /// The block and position of a block argument.
    pub fn block_arg(self) -> Option<(Block<'c>, usize)> {
        unsafe {
            sys::mlirValueIsABlockArgument(self.0).then(|| {
                (
                    Block(sys::mlirBlockArgumentGetOwner(self.0), PhantomData),
                    sys::mlirBlockArgumentGetArgNumber(self.0) as usize,
                )
            })
        }
    }

    /// The uses as (user, operand index), in MLIR's use-list order (latest first).
    pub fn uses(self) -> Vec<(Op<'c>, usize)> {
        let mut uses = Vec::new();
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
        unsafe { !sys::mlirOpOperandIsNull(sys::mlirValueGetFirstUse(self.0)) }
    }

    /// Whether there is exactly one use.
    pub fn has_one_use(self) -> bool {
        self.uses().len() == 1
    }

    /// Makes all users use `other` instead.
    pub fn replace_all_uses_with(self, other: Value<'c>) {
        unsafe { sys::mlirValueReplaceAllUsesOfWith(self.0, other.0) }
    }
}

macro_rules! identity {
    ($handle:ident, $equal:path) => {
        impl PartialEq for $handle<'_> {
            fn eq(&self, other: &Self) -> bool {
                unsafe { $equal(self.0, other.0) }
            }
        }
        impl Eq for $handle<'_> {}
        impl hash::Hash for $handle<'_> {
            fn hash<H: hash::Hasher>(&self, state: &mut H) {
                (self.0.ptr as usize).hash(state)
            }
        }
    };
}
identity!(Op, sys::mlirOperationEqual);
identity!(Block, sys::mlirBlockEqual);
identity!(Value, sys::mlirValueEqual);

impl fmt::Display for Op<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&text_of(|callback, data| unsafe {
            sys::mlirOperationPrint(self.0, callback, data)
        }))
    }
}

impl fmt::Debug for Op<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "Op({})", self.name())
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
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
