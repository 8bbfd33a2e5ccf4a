//! Which memory a buffer of the new function is, and which part of which tensor a tensor of the old one is.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    Attribute, AttributeExt as _, DYNAMIC, Op, Type, TypeExt as _, Value, arith, func, map_dims,
    memref, scf, tensor, vector,
};

use super::{
    paths::{Node, Num, Paths, Range, Step},
    scalars::Scalars,
};

/// Memory that no other memory overlaps as long as it may be named.
#[derive(Default)]
pub struct Memory<'c> {
    /// Whether anything may be written to it.
    pub is_writable: bool,
    /// Whether it is an allocation, or one that a loop hands around.
    pub is_own: bool,
    /// The parts of other memory that it may be; empty where it is memory of its own.
    pub alternatives: Vec<Node>,
    /// The memory that goes into the loop that this comes out of; empty for all else.
    pub origins: Vec<Node>,
    /// A buffer that it is.
    pub name: Option<Value<'c>>,
}

/// Buffers and tensors as parts.
#[derive(Default)]
pub struct Memories<'c> {
    /// All parts.
    pub paths: Paths,
    /// All numbers in their steps.
    pub scalars: Scalars<'c>,
    /// What is known of each memory.
    pub memories: FxHashMap<Node, Memory<'c>>,
    /// The memories that may be a part of one.
    pub dependents: FxHashMap<Node, Vec<Node>>,
    /// The tensor that a whole is.
    pub tensors: FxHashMap<Node, Value<'c>>,
    /// The part of a tensor that the operation that computes it has inserted.
    insertions: FxHashMap<Node, Option<Node>>,
    buffers: FxHashMap<Value<'c>, Option<Node>>,
    contents: FxHashMap<Value<'c>, Node>,
    globals: FxHashMap<&'c str, Node>,
    /// Arguments of the function that may be written, and what loops carry.
    writable: FxHashSet<Value<'c>>,
    carried: FxHashSet<Value<'c>>,
}

impl<'c> Memories<'c> {
    /// Allows writes to an argument of the function.
    pub fn allow_writes(&mut self, argument: Value<'c>) {
        self.writable.insert(argument);
    }

    /// Makes a value that a new loop carries known as memory of its own.
    pub fn carry(&mut self, value: Value<'c>) {
        self.carried.insert(value);
    }

    /// The memory that `buffer` shows; `None` when the buffer comes out of something that the check does not know.
    pub fn of_buffer(&mut self, buffer: Value<'c>) -> Option<Node> {
        if let Some(known) = self.buffers.get(&buffer) {
            return *known;
        }
        let place = self.find(buffer);
        self.buffers.insert(buffer, place);
        place
    }

    fn find(&mut self, buffer: Value<'c>) -> Option<Node> {
        if !buffer.ty().is_memref_type() {
            return None;
        }
        if self.carried.contains(&buffer) {
            return Some(self.memory(buffer, true, true));
        }
        let Some(owner) = buffer.owner() else {
            let (block, _) = buffer.block_arg()?;
            let is_argument = block.parent_op().is_some_and(|parent| parent.is(func::FUNC));
            let is_writable = self.writable.contains(&buffer);
            return is_argument.then(|| self.memory(buffer, is_writable, false));
        };
        match owner.name() {
            memref::ALLOC | memref::ALLOCA => Some(self.memory(buffer, true, true)),
            memref::GET_GLOBAL => {
                let name = owner.attr("name")?.as_symbol()?;
                if let Some(known) = self.globals.get(name) {
                    return Some(*known);
                }
                let place = self.memory(buffer, false, false);
                self.globals.insert(name, place);
                Some(place)
            }
            memref::CAST => self.of_buffer(owner.operand(0)),
            memref::SUBVIEW | memref::EXPAND_SHAPE | memref::COLLAPSE_SHAPE => {
                let source = self.of_buffer(owner.operand(0))?;
                Some(self.viewed(owner, source, buffer.ty()))
            }
            memref::REINTERPRET_CAST | memref::TRANSPOSE => {
                let source = self.of_buffer(owner.operand(0))?;
                Some(self.paths.append(source, Step::Opaque))
            }
            arith::SELECT => self.one_of(buffer, &[owner.operand(1), owner.operand(2)]),
            scf::IF | scf::INDEX_SWITCH => {
                let index = buffer.result_index()?;
                let yielded = |region: strata_ir::Region<'c>| {
                    region.first_block()?.terminator()?.operands().get(index).copied()
                };
                let values =
                    owner.regions().into_iter().map(yielded).collect::<Option<Vec<_>>>()?;
                self.one_of(buffer, &values)
            }
            _ => None,
        }
    }

    fn memory(&mut self, buffer: Value<'c>, is_writable: bool, is_own: bool) -> Node {
        let whole = self.paths.whole(dimensions(buffer.ty()));
        let name = Some(buffer);
        self.memories.insert(whole, Memory { is_writable, is_own, name, ..Memory::default() });
        whole
    }

    /// The memory of a buffer that is one of others.
    fn one_of(&mut self, buffer: Value<'c>, values: &[Value<'c>]) -> Option<Node> {
        let mut alternatives = Vec::new();
        for value in values {
            let place = self.of_buffer(*value)?;
            for one in self.real(place) {
                if !alternatives.contains(&one) {
                    alternatives.push(one);
                }
            }
        }
        if let [only] = alternatives[..] {
            return Some(only);
        }
        let whole = self.memory(buffer, false, false);
        for one in &alternatives {
            self.dependents.entry(self.paths.whole_of(*one)).or_default().push(whole);
        }
        self.memories.entry(whole).or_default().alternatives = alternatives;
        Some(whole)
    }

    /// The parts of real memory that `place` may be.
    pub fn real(&mut self, place: Node) -> Vec<Node> {
        let whole = self.paths.whole_of(place);
        let alternatives = match self.memories.get(&whole) {
            Some(memory) if !memory.alternatives.is_empty() => memory.alternatives.clone(),
            _ => return vec![place],
        };
        alternatives.into_iter().map(|one| self.paths.moved(place, one)).collect()
    }

    /// Whether what `place` may be and `other` have an element in common.
    pub fn overlap(&mut self, place: Node, other: Node) -> bool {
        let real = self.real(place);
        real.into_iter().any(|one| !self.paths.disjoint(one, other))
    }

    /// The part of a tensor of the old function that `value` is: views are parts of what they show.
    pub fn of_tensor(&mut self, value: Value<'c>) -> Node {
        if let Some(known) = self.contents.get(&value) {
            return *known;
        }
        let owner = value.owner();
        let content = match owner.map(|owner| (owner, owner.name())) {
            Some((owner, tensor::CAST)) => self.of_tensor(owner.operand(0)),
            Some((
                owner,
                tensor::EXTRACT_SLICE | tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE,
            )) => {
                let source = self.of_tensor(owner.operand(0));
                self.viewed(owner, source, value.ty())
            }
            _ => {
                let whole = self.paths.whole(dimensions(value.ty()));
                self.tensors.insert(whole, value);
                whole
            }
        };
        self.contents.insert(value, content);
        content
    }

    /// What a view with the operation `op`, of type `ty`, shows of `source`.
    fn viewed(&mut self, op: Op<'c>, source: Node, ty: Type<'c>) -> Node {
        match op.name() {
            tensor::EXTRACT_SLICE | memref::SUBVIEW => self.slice(op, 1, source, ty),
            tensor::EXPAND_SHAPE | memref::EXPAND_SHAPE => {
                let mut dynamic = op.operands().into_iter().skip(1);
                let sizes = op.attr("static_output_shape").and_then(|sizes| sizes.as_i64s());
                let sizes = sizes.and_then(|sizes| self.numbers(&sizes, &mut dynamic));
                let to = sizes.unwrap_or_else(|| dimensions(ty));
                self.paths.append(source, Step::Reshape(to))
            }
            _ => {
                let to = self.collapsed(op, source, ty);
                self.paths.append(source, Step::Reshape(to))
            }
        }
    }

    /// The slice of `whole` that the operands of `op` from `first` on and its attributes describe, with the shape of
    /// `part`, which may lack dimensions of size 1.
    pub fn slice(&mut self, op: Op<'c>, first: usize, whole: Node, part: Type<'c>) -> Node {
        let Some(ranges) = self.ranges(op, first) else {
            return self.paths.append(whole, Step::Opaque);
        };
        let sizes: Vec<_> = ranges.iter().map(|range| range.size).collect();
        let slice = self.paths.append(whole, Step::Slice(ranges));
        let shape = part.shape().unwrap_or_default();
        if shape.len() == sizes.len() {
            return slice;
        }
        let to = without_ones(&sizes, &shape).unwrap_or_else(|| dimensions(part));
        self.paths.append(slice, Step::Reshape(to))
    }

    /// The part of `whole` that an insertion or a vector access touches; `None` when it is not known.
    pub fn written_part(&mut self, op: Op<'c>, whole: Node) -> Option<Node> {
        let (first, sizes) = match op.name() {
            tensor::INSERT_SLICE => {
                return Some(self.slice(op, 2, whole, op.operand(0).ty()));
            }
            tensor::EXTRACT => (1, Vec::new()),
            tensor::INSERT => (2, Vec::new()),
            vector::TRANSFER_READ => (1, innermost(op, op.result(0).ty())?),
            vector::TRANSFER_WRITE => (2, innermost(op, op.operand(0).ty())?),
            _ => return None,
        };
        let rank = self.paths.shape(whole).len();
        let outer = rank.checked_sub(sizes.len())?;
        let indices = op.operands().get(first..first + rank)?.to_vec();
        let range = |(dim, index): (usize, Value<'c>)| {
            let size = dim.checked_sub(outer).map_or(1, |dim| sizes[dim]);
            let offset = self.scalars.number(index);
            Range { offset, size: Num::Const(size), stride: Num::Const(1) }
        };
        let ranges = indices.into_iter().enumerate().map(range).collect();
        Some(self.paths.append(whole, Step::Slice(ranges)))
    }

    /// As [`Self::written_part`], for the operation that computes the tensor `whole`.
    pub fn insertion(&mut self, op: Op<'c>, whole: Node) -> Option<Node> {
        if let Some(known) = self.insertions.get(&whole) {
            return *known;
        }
        let part = self.written_part(op, whole);
        self.insertions.insert(whole, part);
        part
    }

    fn ranges(&mut self, op: Op<'c>, first: usize) -> Option<Vec<Range>> {
        let mut dynamic = op.operands().into_iter().skip(first);
        let mut list = |name: &str| {
            let numbers = op.attr(name)?.as_i64s()?;
            self.numbers(&numbers, &mut dynamic)
        };
        let offsets = list("static_offsets")?;
        let sizes = list("static_sizes")?;
        let strides = list("static_strides")?;
        let parts = offsets.into_iter().zip(sizes).zip(strides);
        Some(parts.map(|((offset, size), stride)| Range { offset, size, stride }).collect())
    }

    fn numbers(
        &mut self,
        fixed: &[i64],
        dynamic: &mut impl Iterator<Item = Value<'c>>,
    ) -> Option<Vec<Num>> {
        let mut number = |fixed: &i64| match *fixed {
            DYNAMIC => dynamic.next().map(|value| self.scalars.number(value)),
            constant => Some(Num::Const(constant)),
        };
        fixed.iter().map(&mut number).collect()
    }

    /// The shape after a collapse, where a dimension that is the only one of its group beside those of size 1 keeps
    /// its number.
    fn collapsed(&self, op: Op<'c>, source: Node, ty: Type<'c>) -> Vec<Num> {
        let mut to = dimensions(ty);
        let from = self.paths.shape(source);
        let groups = op.attr("reassociation").and_then(|groups| groups.as_array());
        for (size, group) in to.iter_mut().zip(groups.unwrap_or_default()) {
            let dims = group.as_i64s().unwrap_or_default();
            let sizes = dims.iter().filter_map(|dim| from.get(usize::try_from(*dim).ok()?));
            let others: Vec<_> = sizes.filter(|size| **size != Num::Const(1)).collect();
            if let ([only], Num::Any) = (&others[..], &size) {
                *size = **only;
            }
        }
        to
    }
}

/// The shape of a vector along the innermost dimensions in order.
fn innermost(op: Op<'_>, vector: Type<'_>) -> Option<Vec<i64>> {
    let map = MapShape::read(op.attr("permutation_map")?)?;
    let shape = vector.shape()?;
    let first = map.dims.checked_sub(shape.len())?;
    let in_order = map.results.iter().copied().eq((first..map.dims).map(Some));
    (in_order && map.results.len() == shape.len()).then_some(shape)
}

/// An affine map without symbols: how many dimensions it has, and which of them each result is.
pub struct MapShape {
    /// The number of dimensions.
    pub dims: usize,
    /// For each result the dimension that it is; `None` for other expressions.
    pub results: Vec<Option<usize>>,
}

impl MapShape {
    /// Reads an affine map attribute; `None` for other attributes and for maps with symbols.
    pub fn read(attribute: Attribute<'_>) -> Option<Self> {
        let (dims, results) = map_dims(attribute)?;
        Some(Self { dims, results })
    }

    /// Whether the results are dimensions, each at most once.
    pub fn picks(&self) -> bool {
        let mut seen = vec![false; self.dims];
        self.results.iter().all(|dim| match dim.and_then(|dim| seen.get_mut(dim)) {
            Some(seen) => !std::mem::replace(seen, true),
            None => false,
        })
    }

    /// Whether the results are all dimensions, each once.
    pub fn permutes(&self) -> bool {
        self.picks() && self.results.len() == self.dims
    }
}

/// The dimensions of a type.
fn dimensions(ty: Type<'_>) -> Vec<Num> {
    let known = |size: i64| if size == DYNAMIC { Num::Any } else { Num::Const(size) };
    ty.shape().unwrap_or_default().into_iter().map(known).collect()
}

/// `sizes` without those dimensions of size 1 that `shape` lacks.
fn without_ones(sizes: &[Num], shape: &[i64]) -> Option<Vec<Num>> {
    let mut left = shape.iter().peekable();
    let mut kept = Vec::new();
    for size in sizes {
        let fits = left.peek().is_some_and(|wanted| match size {
            Num::Const(size) => **wanted == *size,
            _ => **wanted == DYNAMIC,
        });
        if fits {
            kept.push(*size);
            left.next();
        } else if *size != Num::Const(1) {
            return None;
        }
    }
    left.peek().is_none().then_some(kept)
}
