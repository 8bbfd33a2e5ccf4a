//! The position of a tensor in a buffer: the steps from the buffer to the tensor, and the resulting memref
//! type.
//!
//! `[slice [0, %i] [4, 1], collapse [[0, 1]]]` of `memref<4x8xf32>` is a column of four elements with stride
//! 8. Equal steps have equal numbers, so that paths are compared by number.

use rustc_hash::FxHashMap;
use strata_ir::{
    AttributeExt as _, DYNAMIC, Op, Type, TypeExt as _, Value, memref, strided_memref, tensor,
};

/// One step from a tensor to a view of all or some of its elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step<'c> {
    /// The elements at `offsets` + i * `strides`; those that are [`DYNAMIC`] are in `dynamic`, in order.
    Slice {
        /// The first element along each dimension.
        offsets: Vec<i64>,
        /// How many elements along each dimension.
        sizes: Vec<i64>,
        /// The stride along each dimension.
        strides: Vec<i64>,
        /// Run-time offsets, sizes and strides.
        dynamic: Vec<Value<'c>>,
        /// The shape of the result, which may lack dimensions of size 1.
        shape: Vec<i64>,
    },
    /// The same elements in order in another shape.
    Reshape {
        /// The shape before.
        from: Vec<i64>,
        /// The shape after.
        to: Vec<i64>,
        /// For each dimension of the lower-rank shape those of the higher-rank one.
        groups: Vec<Vec<i64>>,
    },
}

/// The number of a [`Step`].
pub type StepId = u32;

/// The steps from a buffer to a tensor in it.
pub type Path = Vec<StepId>;

impl<'c> Step<'c> {
    /// The step that a view takes, or the slice that an insertion writes; `None` otherwise.
    pub fn of(op: Op<'c>) -> Option<Self> {
        match op.name() {
            tensor::EXTRACT_SLICE => Self::slice(op, 1, op.result(0).ty()),
            tensor::INSERT_SLICE => Self::slice(op, 2, op.operand(0).ty()),
            tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE => {
                let groups = op.attr("reassociation")?.as_array()?;
                let groups =
                    groups.into_iter().map(|group| group.as_i64s()).collect::<Option<_>>()?;
                let (from, to) = (op.operand(0).ty().shape()?, op.result(0).ty().shape()?);
                Some(Self::Reshape { from, to, groups })
            }
            _ => None,
        }
    }

    fn slice(op: Op<'c>, first: usize, part: Type<'c>) -> Option<Self> {
        let list = |name: &str| op.attr(name)?.as_i64s();
        Some(Self::Slice {
            offsets: list("static_offsets")?,
            sizes: list("static_sizes")?,
            strides: list("static_strides")?,
            dynamic: op.operands().split_off(first),
            shape: part.shape()?,
        })
    }

    /// The inverse step, if no element is lost.
    pub fn inverse(&self) -> Option<Self> {
        match self {
            Self::Slice { .. } => None,
            Self::Reshape { from, to, groups } => {
                Some(Self::Reshape { from: to.clone(), to: from.clone(), groups: groups.clone() })
            }
        }
    }

    /// Whether the step is the identity on `shape`.
    fn is_identity(&self, shape: &[i64]) -> bool {
        match self {
            Self::Slice { offsets, sizes, strides, dynamic, shape: result } => {
                dynamic.is_empty()
                    && offsets.iter().all(|offset| *offset == 0)
                    && strides.iter().all(|stride| *stride == 1)
                    && sizes == shape
                    && result == shape
            }
            Self::Reshape { from, to, .. } => from == to,
        }
    }

    /// Whether two slices of one tensor are disjoint, as far as constants show.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        let (
            Self::Slice { offsets, sizes, strides, .. },
            Self::Slice { offsets: starts, sizes: counts, strides: steps, .. },
        ) = (self, other)
        else {
            return false;
        };
        let last = |offset: i64, size: i64, stride: i64| {
            let known = ![offset, size, stride].contains(&DYNAMIC);
            let last = if strata_ir::planted("paths-disjoint") { 2 } else { 1 };
            known.then(|| offset + (size - last).max(0) * stride.max(0))
        };
        (0..offsets.len().min(starts.len())).any(|dim| {
            let empty = |size: i64| size == 0;
            let (Some(end), Some(other_end)) = (
                last(offsets[dim], sizes[dim], strides[dim]),
                last(starts[dim], counts[dim], steps[dim]),
            ) else {
                return false;
            };
            empty(sizes[dim]) || empty(counts[dim]) || end < starts[dim] || other_end < offsets[dim]
        })
    }
}

/// The layout of a tensor in a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The extents.
    pub shape: Vec<i64>,
    /// The stride of each dimension, in elements.
    pub strides: Vec<i64>,
    /// The offset, in elements.
    pub offset: i64,
    /// Whether the memref type has an explicit layout.
    is_explicit: bool,
}

impl Layout {
    /// The layout of a whole buffer.
    pub fn whole(shape: &[i64]) -> Self {
        Self { shape: shape.to_vec(), strides: row_major(shape), offset: 0, is_explicit: false }
    }

    /// Whether it is contiguous from the start of the buffer.
    pub fn is_plain(&self) -> bool {
        !self.is_explicit
    }

    /// The layout after `step`; `None` if no memref type has it.
    pub fn after(&self, step: &Step<'_>) -> Option<Self> {
        match step {
            Step::Slice { offsets, sizes, strides, shape, .. } => {
                self.sliced(offsets, sizes, strides, shape)
            }
            Step::Reshape { from, to, groups } if to.len() >= from.len() => {
                self.expanded(to, groups)
            }
            Step::Reshape { to, groups, .. } => self.collapsed(to, groups),
        }
    }

    fn sliced(&self, offsets: &[i64], sizes: &[i64], steps: &[i64], shape: &[i64]) -> Option<Self> {
        let mut offset = self.offset;
        for (start, stride) in offsets.iter().zip(&self.strides) {
            if !strata_ir::planted("paths-offset") {
                offset = plus(offset, times(*start, *stride));
            }
        }
        let all: Vec<i64> =
            self.strides.iter().zip(steps).map(|(stride, step)| times(*stride, *step)).collect();
        let mut strides = Vec::with_capacity(shape.len());
        // As in MLIR: a dimension is kept if it matches, and dropped as size 1 if not.
        for (size, stride) in sizes.iter().zip(&all) {
            match shape.get(strides.len()) {
                Some(kept) if kept == size => strides.push(*stride),
                _ if *size == 1 => {}
                _ => return None,
            }
        }
        (strides.len() == shape.len()).then(|| {
            let plain = Self::whole(shape);
            let is_explicit = strides != plain.strides || offset != 0;
            Self { shape: shape.to_vec(), strides, offset, is_explicit }
        })
    }

    fn expanded(&self, to: &[i64], groups: &[Vec<i64>]) -> Option<Self> {
        let mut strides = vec![0; to.len()];
        for (group, stride) in groups.iter().zip(&self.strides) {
            let mut stride = *stride;
            for dim in group.iter().rev() {
                let dim = usize::try_from(*dim).ok()?;
                strides[dim] = stride;
                stride = times(stride, to[dim]);
            }
        }
        // An expanded tensor of rank 0 has dimensions of size 1 only.
        if groups.is_empty() {
            strides = vec![1; to.len()];
        }
        Some(self.reshaped(to, strides))
    }

    fn collapsed(&self, to: &[i64], groups: &[Vec<i64>]) -> Option<Self> {
        let dims = |group: &Vec<i64>| -> Option<Vec<usize>> {
            group.iter().map(|dim| usize::try_from(*dim).ok()).collect()
        };
        let mut strides = Vec::with_capacity(to.len());
        for group in groups {
            let group = dims(group)?;
            let mut last = group.len().checked_sub(1)?;
            while last > 0 && self.shape[group[last]] == 1 {
                last -= 1;
            }
            let mut stride = self.strides[group[last]];
            strides.push(stride);
            for pair in group.windows(2).rev() {
                let (outer, inner) = (pair[0], pair[1]);
                stride = times(stride, self.shape[inner]);
                if self.shape[outer] == 1 {
                    continue;
                }
                let is_known = stride != DYNAMIC && self.strides[outer] != DYNAMIC;
                if self.is_explicit && (!is_known || stride != self.strides[outer]) {
                    return None;
                }
            }
        }
        if !self.is_explicit {
            strides = row_major(to);
        }
        Some(self.reshaped(to, strides))
    }

    /// As in MLIR, a reshaped memref has an explicit layout if the source has one.
    fn reshaped(&self, to: &[i64], strides: Vec<i64>) -> Self {
        let is_identity_map = |layout: &Self| {
            layout.offset == 0 && layout.strides.len() == 1 && layout.strides[0] == 1
        };
        let is_explicit = self.is_explicit && !is_identity_map(self);
        Self { shape: to.to_vec(), strides, offset: self.offset, is_explicit }
    }

    /// The memref type of such a tensor.
    pub fn ty<'c>(&self, element: Type<'c>) -> Type<'c> {
        match self.is_explicit {
            true => strided_memref(&self.shape, &self.strides, self.offset, element),
            false => memref(&self.shape, element),
        }
    }
}

fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = times(strides[dim], shape[dim]);
    }
    strides
}

fn times(left: i64, right: i64) -> i64 {
    match (left, right) {
        (0, _) | (_, 0) => 0,
        (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
        _ => left.saturating_mul(right),
    }
}

fn plus(left: i64, right: i64) -> i64 {
    match (left, right) {
        (DYNAMIC, _) | (_, DYNAMIC) => DYNAMIC,
        _ => left.saturating_add(right),
    }
}

/// All steps of a function, numbered.
#[derive(Default)]
pub struct Steps<'c> {
    steps: Vec<Step<'c>>,
    numbers: FxHashMap<Step<'c>, StepId>,
}

impl<'c> Steps<'c> {
    /// The number of `step`.
    pub fn number(&mut self, step: Step<'c>) -> StepId {
        if let Some(number) = self.numbers.get(&step) {
            return *number;
        }
        let number = self.steps.len() as StepId;
        self.steps.push(step.clone());
        self.numbers.insert(step, number);
        number
    }

    /// The step of that number.
    pub fn get(&self, number: StepId) -> &Step<'c> {
        &self.steps[number as usize]
    }

    /// Appends `step`, taken from a tensor of `shape`, to `path`, cancelling inverse steps.
    pub fn push(&mut self, path: &mut Path, step: &Step<'c>, shape: &[i64]) {
        if step.is_identity(shape) {
            return;
        }
        let undone = path.last().is_some_and(|last| {
            let inverse = self.get(*last).inverse();
            inverse.as_ref() == Some(step)
        });
        match undone {
            true => drop(path.pop()),
            false => path.push(self.number(step.clone())),
        }
    }

    /// `prefix` and then `path`.
    pub fn join(&self, prefix: &[StepId], path: &[StepId]) -> Path {
        match (prefix, path) {
            ([], [] | [_]) => path.to_vec(),
            _ => self.normal(&[prefix, path].concat()),
        }
    }

    /// `path` cancelling inverse steps.
    pub fn normal(&self, path: &[StepId]) -> Path {
        let mut normal = Path::with_capacity(path.len());
        for number in path {
            let undone = normal.last().is_some_and(|last: &StepId| {
                self.get(*last).inverse().as_ref() == Some(self.get(*number))
            });
            match undone {
                true => drop(normal.pop()),
                false => normal.push(*number),
            }
        }
        normal
    }

    /// The inverse of `path`, if no element is lost.
    pub fn inverse(&mut self, path: &Path) -> Option<Path> {
        path.iter()
            .rev()
            .map(|number| {
                let inverse = self.get(*number).inverse()?;
                Some(self.number(inverse))
            })
            .collect()
    }

    /// The layout at the end of `path` in a buffer of `shape`.
    pub fn layout(&self, shape: &[i64], path: &Path) -> Option<Layout> {
        path.iter().try_fold(Layout::whole(shape), |layout, number| layout.after(self.get(*number)))
    }

    /// Whether both paths lead to disjoint parts of a buffer.
    pub fn are_disjoint(&self, left: &Path, right: &Path) -> bool {
        let differing = left.iter().zip(right).find(|(one, other)| one != other);
        differing.is_some_and(|(one, other)| self.get(*one).is_disjoint(self.get(*other)))
    }

    /// The run-time numbers that the steps of `path` need.
    pub fn dynamic(&self, path: &Path) -> Vec<Value<'c>> {
        path.iter()
            .flat_map(|number| match self.get(*number) {
                Step::Slice { dynamic, .. } => dynamic.clone(),
                Step::Reshape { .. } => Vec::new(),
            })
            .collect()
    }
}
