//! Operations: operands, results, attributes, regions, position.

use std::{ffi::c_void, fmt, marker::PhantomData, ptr};

use melior::ir::{Attribute, AttributeLike, Location, Type};
use mlir_sys as sys;

use super::{Block, Op, Region, Value, WalkOrder, erased, str_from, string_ref, text_of};
use crate::{
    AffineMap, OpName,
    attrs::AttributeExt as _,
    dialects::SEGMENT_SIZES,
    kinds::{OpKind, View},
};

// Defined in dialects/capi.
unsafe extern "C" {
    fn strataOperationAttributes(op: sys::MlirOperation) -> sys::MlirAttribute;
    fn strataInferResult(op: sys::MlirOperation) -> bool;
    fn strataInferredTypes(
        op: sys::MlirOperation,
        sink: extern "C" fn(sys::MlirType, *mut c_void),
        data: *mut c_void,
    ) -> bool;
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
    pub fn name(self) -> OpName<'c> {
        // SAFETY: the operation is in memory, and its name lives as long as the context.
        let name = unsafe { str_from(sys::mlirIdentifierStr(sys::mlirOperationGetName(self.0))) };
        OpName::from_text(name)
    }

    /// The kind among the operations that Strata defines; [`OpKind::Foreign`] for all others.
    pub fn kind(self) -> OpKind {
        OpKind::from_name(self.name().as_str())
    }

    /// Whether the name is `name`.
    pub fn is(self, name: OpName<'_>) -> bool {
        // Called often for every operation of a function: compares bytes, without validating UTF-8.
        // SAFETY: as above.
        let own = unsafe { sys::mlirIdentifierStr(sys::mlirOperationGetName(self.0)) };
        // SAFETY: the identifier is a view of bytes that live as long as the context.
        let own = unsafe { std::slice::from_raw_parts(own.data.cast::<u8>(), own.length) };
        own == name.as_str().as_bytes()
    }

    /// The typed view, if the operation is of that kind: `op.cast::<scf::For>()`.
    pub fn cast<V: View<'c>>(self) -> Option<V> {
        V::cast(self)
    }

    /// The prefix of the name up to the first dot.
    pub fn dialect(self) -> &'c str {
        self.name().dialect()
    }

    /// The number of operands.
    pub fn operand_count(self) -> usize {
        // SAFETY: the operation is in memory as long as `'c`.
        unsafe { sys::mlirOperationGetNumOperands(self.0) as usize }
    }

    /// Operand `index`. Panics when there are fewer.
    pub fn operand(self, index: usize) -> Value<'c> {
        assert!(index < self.operand_count(), "{} has no operand {index}", self.name());
        // SAFETY: the index was checked just above.
        Value(unsafe { sys::mlirOperationGetOperand(self.0, index as isize) }, PhantomData)
    }

    /// All operands in order.
    pub fn operands(self) -> Vec<Value<'c>> {
        let operand =
            // SAFETY: the indices are below the number of operands.
            |index| Value(unsafe { sys::mlirOperationGetOperand(self.0, index) }, PhantomData);
        (0..self.operand_count() as isize).map(operand).collect()
    }

    /// The types of all operands.
    pub fn operand_types(self) -> impl Iterator<Item = Type<'c>> {
        let operand =
            // SAFETY: the indices are below the number of operands.
            move |index| Value(unsafe { sys::mlirOperationGetOperand(self.0, index) }, PhantomData);
        (0..self.operand_count() as isize).map(operand).map(Value::ty)
    }

    /// Replaces operand `index`.
    pub fn set_operand(self, index: usize, value: Value<'c>) {
        assert!(index < self.operand_count(), "{} has no operand {index}", self.name());
        value.assert_alive();
        // SAFETY: the index was checked just above, and the value is alive.
        unsafe { sys::mlirOperationSetOperand(self.0, index as isize, value.0) }
    }

    /// The number of results.
    pub fn result_count(self) -> usize {
        // SAFETY: the operation is in memory as long as `'c`.
        unsafe { sys::mlirOperationGetNumResults(self.0) as usize }
    }

    /// Result `index`. Panics when there are fewer.
    pub fn result(self, index: usize) -> Value<'c> {
        assert!(index < self.result_count(), "{} has no result {index}", self.name());
        // SAFETY: the index was checked just above.
        Value(unsafe { sys::mlirOperationGetResult(self.0, index as isize) }, PhantomData)
    }

    /// All results in order.
    pub fn results(self) -> Vec<Value<'c>> {
        let result =
            // SAFETY: the indices are below the number of results.
            |index| Value(unsafe { sys::mlirOperationGetResult(self.0, index) }, PhantomData);
        (0..self.result_count() as isize).map(result).collect()
    }

    /// The types of all results.
    pub fn result_types(self) -> Vec<Type<'c>> {
        self.results().into_iter().map(Value::ty).collect()
    }

    /// The number of regions.
    pub fn region_count(self) -> usize {
        // SAFETY: the operation is in memory as long as `'c`.
        unsafe { sys::mlirOperationGetNumRegions(self.0) as usize }
    }

    /// Region `index`. Panics when there are fewer.
    pub fn region(self, index: usize) -> Region<'c> {
        assert!(index < self.region_count(), "{} has no region {index}", self.name());
        // SAFETY: the index was checked just above.
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
        // SAFETY: the name is read during the call only; a null attribute becomes `None`.
        unsafe {
            Attribute::from_option_raw(sys::mlirOperationGetAttributeByName(
                self.0,
                string_ref(name),
            ))
        }
    }

    /// The sizes of the groups of operands, where these are an attribute.
    pub fn operand_segments(self) -> Option<Vec<usize>> {
        segments(self.attr(SEGMENT_SIZES)?)
    }

    /// The sizes of the groups of results, where these are an attribute.
    pub fn result_segments(self) -> Option<Vec<usize>> {
        segments(self.attr("resultSegmentSizes")?)
    }

    /// Whether attribute `name` is present.
    pub fn has_attr(self, name: &str) -> bool {
        self.attr(name).is_some()
    }

    /// All attributes, inherent ones included, in MLIR's (sorted) order.
    pub fn attrs(self) -> Vec<(&'c str, Attribute<'c>)> {
        // As one dictionary: MLIR would rebuild the dictionary for each attribute.
        // SAFETY: the operation is in memory as long as `'c`.
        let all = unsafe { strataOperationAttributes(self.0) };
        // SAFETY: it is a dictionary.
        let count = unsafe { sys::mlirDictionaryAttrGetNumElements(all) };
        (0..count)
            // SAFETY: the index is below the number of entries, and names live as long as the context.
            .map(|index| unsafe {
                let named = sys::mlirDictionaryAttrGetElement(all, index);
                (str_from(sys::mlirIdentifierStr(named.name)), Attribute::from_raw(named.attribute))
            })
            .collect()
    }

    /// The discardable attributes in MLIR's (sorted) order.
    pub fn discardable_attrs(self) -> Vec<(&'c str, Attribute<'c>)> {
        // SAFETY: the operation is in memory as long as `'c`.
        let count = unsafe { sys::mlirOperationGetNumDiscardableAttributes(self.0) };
        (0..count)
            // SAFETY: the index is below the number of attributes, and names live as long as the context.
            .map(|index| unsafe {
                let named = sys::mlirOperationGetDiscardableAttribute(self.0, index);
                (str_from(sys::mlirIdentifierStr(named.name)), Attribute::from_raw(named.attribute))
            })
            .collect()
    }

    /// Sets attribute `name`.
    pub fn set_attr(self, name: &str, value: Attribute<'c>) {
        // SAFETY: operation and attribute are of one context; the name is copied into it.
        unsafe { sys::mlirOperationSetAttributeByName(self.0, string_ref(name), value.to_raw()) }
    }

    /// Removes attribute `name`; false when it was absent.
    pub fn remove_attr(self, name: &str) -> bool {
        // SAFETY: the name is read during the call only.
        unsafe { sys::mlirOperationRemoveAttributeByName(self.0, string_ref(name)) }
    }

    /// The operation's source location.
    pub fn location(self) -> Location<'c> {
        // SAFETY: every operation has a location, which lives as long as the context.
        unsafe { Location::from_raw(sys::mlirOperationGetLocation(self.0)) }
    }

    /// Gives the operation another source location.
    pub fn set_location(self, location: Location<'c>) {
        // SAFETY: both belong to the same live context.
        unsafe { sys::mlirOperationSetLocation(self.0, location.to_raw()) }
    }

    /// The operation whose region holds this one.
    pub fn parent(self) -> Option<Op<'c>> {
        // SAFETY: the operation is in memory; a null parent becomes `None`.
        unsafe { Op::from_option_raw(sys::mlirOperationGetParentOperation(self.0)) }
    }

    /// The block that holds this operation.
    pub fn block(self) -> Option<Block<'c>> {
        // SAFETY: the operation is in memory; a null block becomes `None`.
        unsafe { Block::from_option_raw(sys::mlirOperationGetBlock(self.0)) }
    }

    /// The next operation in the same block.
    pub fn next(self) -> Option<Op<'c>> {
        // SAFETY: the operation is in memory; a null operation becomes `None`.
        unsafe { Op::from_option_raw(sys::mlirOperationGetNextInBlock(self.0)) }
    }

    /// Whether `other` is this operation or inside one of its regions.
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
                let mut next = block.first_op();
                while let Some(op) = next {
                    // Before the visit, which may erase it.
                    next = op.next();
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
        self.assert_alive();
        // SAFETY: the operation is in memory; the copy has no owner until it is inserted, and is not freed
        // before.
        Op(unsafe { sys::mlirOperationClone(self.0) }, PhantomData)
    }

    /// Moves this operation before `other`.
    pub fn move_before(self, other: Op<'c>) {
        self.assert_alive();
        other.assert_alive();
        // SAFETY: both operations are alive.
        unsafe { sys::mlirOperationMoveBefore(self.0, other.0) }
    }

    /// Takes the operation out of the program, with all that it holds; its results must have no uses.
    /// Handles to it and to what it operations can be read from then on, and nothing else: it has no operands and no block.
    pub fn erase(self) {
        assert!(self.is_unused(), "{} is erased while its results are used", self.name());
        self.assert_alive();
        erased::retire(self);
    }

    /// Whether the operation was erased, by itself or with one around it.
    pub fn is_erased(self) -> bool {
        erased::is_erased(self)
    }

    /// Panics for an erased operation, which is to be put into a program again.
    pub(crate) fn assert_alive(self) {
        assert!(!self.is_erased(), "{} was erased", self.name());
    }

    /// Sets the shape of the only result of a `dot_general`, `convolution` or `ragged_dot` to the
    /// inferred one, and keeps the element type; false, with a report, if a constraint is violated.
    pub fn infer_result(self) -> bool {
        // SAFETY: the operation is alive; for kinds whose result is not inferred the function returns false.
        unsafe { strataInferResult(self.0) }
    }

    /// The result types that follow from operands, attributes and regions as they are now; `None` for operations that do not
    /// infer theirs, and, with a report, where a constraint is violated.
    pub fn inferred_types(self) -> Option<Vec<Type<'c>>> {
        let mut types: Vec<Type<'c>> = Vec::new();
        // SAFETY: the operation is alive, and the callback writes to the vector during the call only.
        let inferred = unsafe {
            strataInferredTypes(self.0, take_type, ptr::from_mut(&mut types).cast::<c_void>())
        };
        inferred.then_some(types)
    }

    /// How the loops of a linalg operation index its operands; `None` for other operations.
    pub fn indexing_maps(self) -> Option<Vec<AffineMap>> {
        // SAFETY: the operation is alive; for others than those of linalg the function returns null.
        let maps = unsafe { sys::mlirLinalgGetIndexingMapsAttribute(self.0) };
        if maps.ptr.is_null() {
            return None;
        }
        // SAFETY: the attribute lives as long as the context.
        let maps = unsafe { Attribute::from_raw(maps) }.as_array()?;
        maps.into_iter().map(AffineMap::of).collect()
    }

    /// Whether the operation and all nested ones satisfy their verifiers.
    pub fn verify(self) -> bool {
        // SAFETY: the operation is in memory as long as `'c`.
        unsafe { sys::mlirOperationVerify(self.0) }
    }
}

extern "C" fn take_type(ty: sys::MlirType, data: *mut c_void) {
    // SAFETY: `inferred_types` passes its vector, which lives longer than the call; types live as long as their context.
    unsafe { (*data.cast::<Vec<Type<'_>>>()).push(Type::from_raw(ty)) }
}

fn segments(sizes: Attribute<'_>) -> Option<Vec<usize>> {
    sizes.as_i64s()?.into_iter().map(|size| usize::try_from(size).ok()).collect()
}

impl fmt::Display for Op<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        // SAFETY: the callback writes to the vector that `text_of` holds during the call.
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
