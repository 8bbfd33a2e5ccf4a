//! Creating operations.

use std::{collections::HashMap, hash::BuildHasher};

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Location, Type, TypeLike},
};
use mlir_sys as sys;

use crate::{
    OpName,
    diagnostics::{Captured, capture},
    handles::{Block, Op, Value, WalkOrder, string_ref},
};

/// Where a [`Builder`] puts the next operation.
#[derive(Clone, Copy, Debug)]
pub enum Point<'c> {
    /// Before this operation.
    Before(Op<'c>),
    /// At the end of this block.
    End(Block<'c>),
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("Block")
    }
}

/// Creates operations at an insertion point, with one location for all.
#[derive(Clone, Copy)]
pub struct Builder<'c> {
    /// The context of all that is built.
    pub context: &'c Context,
    /// The location that new operations carry.
    pub location: Location<'c>,
    /// The insertion point.
    pub point: Point<'c>,
}

impl<'c> Builder<'c> {
    /// A builder before `op`, with its location.
    pub fn before(context: &'c Context, op: Op<'c>) -> Self {
        Self { context, location: op.location(), point: Point::Before(op) }
    }

    /// A builder at the end of `block`.
    pub fn at_end(context: &'c Context, block: Block<'c>, location: Location<'c>) -> Self {
        Self { context, location, point: Point::End(block) }
    }

    /// A builder at the first operation of `block`, or at its end when it is empty.
    pub fn at_start(context: &'c Context, block: Block<'c>, location: Location<'c>) -> Self {
        let point = block.first_op().map_or(Point::End(block), Point::Before);
        Self { context, location, point }
    }

    /// Starts an operation.
    pub fn op(&self, name: OpName<'c>) -> OpBuilder<'c> {
        OpBuilder {
            builder: *self,
            name,
            operands: Vec::new(),
            results: Vec::new(),
            attributes: Vec::new(),
            regions: Vec::new(),
            successors: Vec::new(),
            infer: false,
        }
    }

    /// Inserts a detached operation at the insertion point.
    pub fn insert(&self, op: Op<'c>) -> Op<'c> {
        op.assert_alive();
        assert!(op.block().is_none(), "{} is in a block already", op.name());
        match self.point {
            Point::Before(next) => {
                let block =
                    next.block().expect("an insertion point is in a block, and was not erased");
                // SAFETY: the operation is in no block, and the next one is in this one, which takes it over.
                unsafe { sys::mlirBlockInsertOwnedOperationBefore(block.0, next.0, op.0) }
            }
            // SAFETY: the operation is in no block, and this one takes it over.
            Point::End(block) => unsafe { sys::mlirBlockAppendOwnedOperation(block.0, op.0) },
        }
        op
    }

    /// Moves an operation to the insertion point.
    pub fn adopt(&self, op: Op<'c>) -> Op<'c> {
        op.assert_alive();
        // SAFETY: the operation is alive, and has no owner until it is inserted just below.
        unsafe { sys::mlirOperationRemoveFromParent(op.0) }
        self.insert(op)
    }

    /// Inserts a copy of `op`, with captured values mapped by `known`. The copy's results are added to
    /// `known`.
    pub fn copy<S: BuildHasher>(
        &self,
        op: Op<'c>,
        known: &mut HashMap<Value<'c>, Value<'c>, S>,
    ) -> Op<'c> {
        let copy = op.clone_detached();
        let mut rename = |op: Op<'c>| {
            for (index, value) in op.operands().into_iter().enumerate() {
                if let Some(replacement) = known.get(&value) {
                    op.set_operand(index, *replacement);
                }
            }
        };
        match copy.region_count() {
            0 => rename(copy),
            _ => copy.walk(WalkOrder::Pre, &mut rename),
        }
        known.extend(op.results().into_iter().zip(copy.results()));
        self.insert(copy)
    }

    /// Inserts copies of the operations of `block` except its terminator, as [`Self::copy`] does; returns
    /// the terminator's mapped operands.
    pub fn copy_body<S: BuildHasher>(
        &self,
        block: Block<'c>,
        known: &mut HashMap<Value<'c>, Value<'c>, S>,
    ) -> Vec<Value<'c>> {
        let end = block.terminator();
        for op in block.ops().into_iter().filter(|op| Some(*op) != end) {
            self.copy(op, known);
        }
        let yielded = end.map(Op::operands).unwrap_or_default();
        yielded.into_iter().map(|value| known.get(&value).copied().unwrap_or(value)).collect()
    }

    /// A region of one block with arguments of `types`, filled by `fill`.
    pub fn region(
        &self,
        types: &[Type<'c>],
        fill: impl FnOnce(&Builder<'c>, &[Value<'c>]),
    ) -> RegionBuilder {
        // SAFETY: the region is new and owned by `RegionBuilder` below.
        let raw = unsafe { sys::mlirRegionCreate() };
        // SAFETY: the block is new, and the region takes it over.
        let block = unsafe {
            let block = sys::mlirBlockCreate(0, std::ptr::null(), std::ptr::null());
            sys::mlirRegionAppendOwnedBlock(raw, block);
            Block::from_raw(block)
        };
        // Owned before `fill` runs: a panic in it must not leak or double-free the region.
        let region = RegionBuilder(raw);
        for ty in types {
            block.add_arg(*ty, self.location);
        }
        fill(&Builder { point: Point::End(block), ..*self }, &block.args());
        region
    }
}

/// A detached region, to be moved into an operation.
pub struct RegionBuilder(sys::MlirRegion);

impl RegionBuilder {
    /// A region without blocks.
    pub fn empty() -> Self {
        // SAFETY: the region is new and owned by `RegionBuilder`.
        Self(unsafe { sys::mlirRegionCreate() })
    }

    /// Takes the blocks of `region`.
    pub fn take(region: crate::Region<'_>) -> Self {
        let taken = Self::empty();
        // SAFETY: both regions are alive; the blocks go from one to the other.
        unsafe { sys::mlirRegionTakeBody(taken.0, region.0) }
        taken
    }

    /// The first block, for filling it by hand; it goes to the operation that the region is attached to.
    pub fn first_block<'c>(&self, _context: &'c Context) -> Option<Block<'c>> {
        // SAFETY: the region is alive as its owner is; a null block becomes `None`.
        unsafe { Block::from_option_raw(sys::mlirRegionGetFirstBlock(self.0)) }
    }
}

impl Drop for RegionBuilder {
    fn drop(&mut self) {
        if !self.0.ptr.is_null() {
            // SAFETY: no operation has taken the region over: that leaves null here.
            unsafe { sys::mlirRegionDestroy(self.0) }
        }
    }
}

/// An operation under construction.
#[must_use]
pub struct OpBuilder<'c> {
    builder: Builder<'c>,
    name: OpName<'c>,
    operands: Vec<Value<'c>>,
    results: Vec<Type<'c>>,
    attributes: Vec<(String, Attribute<'c>)>,
    regions: Vec<RegionBuilder>,
    successors: Vec<Block<'c>>,
    infer: bool,
}

impl<'c> OpBuilder<'c> {
    /// Appends one operand.
    pub fn operand(mut self, value: Value<'c>) -> Self {
        self.operands.push(value);
        self
    }

    /// Appends operands.
    pub fn operands(mut self, values: &[Value<'c>]) -> Self {
        self.operands.extend_from_slice(values);
        self
    }

    /// Puts operands in at position `at`.
    pub(crate) fn operands_at(mut self, at: usize, values: &[Value<'c>]) -> Self {
        self.operands.splice(at..at, values.iter().copied());
        self
    }

    /// Whether an attribute of that name was added.
    pub(crate) fn has_attr(&self, name: &str) -> bool {
        self.attributes.iter().any(|(own, _)| own == name)
    }

    /// The context of the operation.
    pub(crate) fn context(&self) -> &'c Context {
        self.builder.context
    }

    /// The operands so far.
    pub fn added_operands(&self) -> &[Value<'c>] {
        &self.operands
    }

    /// Appends a result of type `ty`.
    pub fn result(mut self, ty: Type<'c>) -> Self {
        self.results.push(ty);
        self
    }

    /// Appends results.
    pub fn results(mut self, types: &[Type<'c>]) -> Self {
        self.results.extend_from_slice(types);
        self
    }

    /// Adds an inherent or discardable attribute.
    pub fn attr(mut self, name: &str, value: impl Into<Attribute<'c>>) -> Self {
        self.attributes.push((name.to_owned(), value.into()));
        self
    }

    /// Adds attributes.
    pub fn attrs(mut self, attributes: &[(&str, Attribute<'c>)]) -> Self {
        let owned = attributes.iter().map(|(name, value)| ((*name).to_owned(), *value));
        self.attributes.extend(owned);
        self
    }

    /// Appends a region.
    pub fn region(mut self, region: RegionBuilder) -> Self {
        self.regions.push(region);
        self
    }

    /// Appends the blocks that a terminator branches to.
    pub fn successors(mut self, blocks: &[Block<'c>]) -> Self {
        self.successors.extend_from_slice(blocks);
        self
    }

    /// Lets the operation infer its result types.
    pub fn infer(mut self) -> Self {
        self.infer = true;
        self
    }

    /// Creates and inserts the operation. Panics with MLIR's reason if result types cannot be
    /// inferred, which the compiler reports as `S9001`: callers only build what they checked. Where the input decides, as
    /// in the builder of programs, [`Self::try_build`] returns the refusal.
    pub fn build(self) -> Op<'c> {
        let builder = self.builder;
        builder.insert(self.build_detached())
    }

    /// As [`Self::build`], returning the only result.
    pub fn value(self) -> Value<'c> {
        self.build().result(0)
    }

    /// Creates the operation without inserting it. Panics as [`Self::build`] does.
    pub fn build_detached(self) -> Op<'c> {
        let (name, context) = (self.name, self.builder.context);
        // Only inference reports why it refuses: all else is found by verification after the stage.
        let (built, reports) = match self.infer {
            true => capture(context, || self.try_build()),
            false => (self.try_build(), Vec::new()),
        };
        built.unwrap_or_else(|| {
            let reasons: Vec<_> = reports.iter().map(Captured::with_notes).collect();
            panic!("MLIR refused to create {name}: {}", reasons.join("; "))
        })
    }

    /// Creates the operation without inserting it; `None` when its result types cannot be inferred, which
    /// MLIR reports ([`crate::capture`]).
    pub fn try_build(mut self) -> Option<Op<'c>> {
        let context = self.builder.context.to_raw();
        self.operands.iter().for_each(|value| value.assert_alive());
        let operands: Vec<_> = self.operands.iter().map(|value| value.0).collect();
        let results: Vec<_> = self.results.iter().map(|ty| ty.to_raw()).collect();
        let attributes: Vec<_> = self
            .attributes
            .iter()
            // SAFETY: context and attribute are alive, and the name is copied.
            .map(|(name, value)| unsafe {
                sys::mlirNamedAttributeGet(
                    sys::mlirIdentifierGet(context, string_ref(name)),
                    value.to_raw(),
                )
            })
            .collect();
        let regions: Vec<_> = self
            .regions
            .iter_mut()
            .map(|region| {
                std::mem::replace(&mut region.0, sys::MlirRegion { ptr: std::ptr::null_mut() })
            })
            .collect();
        // SAFETY: operands are alive, types and attributes are of the context, and the lists have the lengths given. The state
        // takes the regions over, and the operation the state; all else is copied.
        let raw = unsafe {
            let mut state = sys::mlirOperationStateGet(
                string_ref(self.name.as_str()),
                self.builder.location.to_raw(),
            );
            sys::mlirOperationStateAddOperands(
                &mut state,
                operands.len() as isize,
                operands.as_ptr(),
            );
            sys::mlirOperationStateAddAttributes(
                &mut state,
                attributes.len() as isize,
                attributes.as_ptr(),
            );
            sys::mlirOperationStateAddOwnedRegions(
                &mut state,
                regions.len() as isize,
                regions.as_ptr(),
            );
            let successors: Vec<_> = self.successors.iter().map(|block| block.0).collect();
            sys::mlirOperationStateAddSuccessors(
                &mut state,
                successors.len() as isize,
                successors.as_ptr(),
            );
            if self.infer {
                sys::mlirOperationStateEnableResultTypeInference(&mut state);
            } else {
                sys::mlirOperationStateAddResults(
                    &mut state,
                    results.len() as isize,
                    results.as_ptr(),
                );
            }
            sys::mlirOperationCreate(&mut state)
        };
        // SAFETY: there is no other reference to the operation; a null one becomes `None`.
        unsafe { Op::from_option_raw(raw) }
    }
}
