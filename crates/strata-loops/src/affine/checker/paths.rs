//! Parts of buffers and of tensors, as steps from the whole to the part.
//!
//! A part is a node of a tree: the same whole and the same steps give the same node, so that parts are compared by
//! number. Steps are normalised: identity steps are dropped, and consecutive reshapes are merged. Tensors and buffers
//! use the same steps: `tensor.extract_slice` of a tensor corresponds to `memref.subview` of its buffer.

use rustc_hash::FxHashMap;

/// A part of a buffer or of a tensor.
pub type Node = u32;

/// A step to a part.
pub type StepId = u32;

/// A size, offset or stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Num {
    /// A constant.
    Const(i64),
    /// A run-time number; equal ones have equal ids.
    Known(u32),
    /// An unknown number: not equal to anything, not even to itself.
    Any,
}

/// A slice of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The first element.
    pub offset: Num,
    /// The number of elements.
    pub size: Num,
    /// The stride.
    pub stride: Num,
}

/// A step from the whole to a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A slice of each dimension; keeps the rank.
    Slice(Vec<Range>),
    /// A reshape that keeps the row-major order.
    Reshape(Vec<Num>),
    /// Unknown elements.
    Opaque,
}

struct Part {
    parent: Option<(Node, StepId)>,
    whole: Node,
    depth: u32,
    shape: Vec<Num>,
}

/// All parts that occur in a program.
#[derive(Default)]
pub struct Paths {
    parts: Vec<Part>,
    steps: Vec<Step>,
    known: FxHashMap<Step, StepId>,
    children: FxHashMap<(Node, StepId), Node>,
}

impl Paths {
    /// A new whole.
    pub fn whole(&mut self, shape: Vec<Num>) -> Node {
        let node = self.parts.len() as Node;
        self.parts.push(Part { parent: None, whole: node, depth: 0, shape });
        node
    }

    /// The whole that `node` is a part of.
    pub fn whole_of(&self, node: Node) -> Node {
        self.parts[node as usize].whole
    }

    /// The dimensions of a part.
    pub fn shape(&self, node: Node) -> &[Num] {
        &self.parts[node as usize].shape
    }

    /// The step with a number.
    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id as usize]
    }

    /// The part of `node` that `step` leads to.
    pub fn append(&mut self, node: Node, step: Step) -> Node {
        let id = self.id(step);
        self.extend(node, id)
    }

    /// The part at the end of `steps` from `node`.
    pub fn extend_all(&mut self, node: Node, steps: &[StepId]) -> Node {
        steps.iter().fold(node, |node, step| self.extend(node, *step))
    }

    /// As [`Self::append`], with the number of a step.
    pub fn extend(&mut self, node: Node, id: StepId) -> Node {
        let (node, shape) = match &self.steps[id as usize] {
            Step::Slice(ranges) if takes_all(ranges, self.shape(node)) => return node,
            Step::Slice(ranges) => (node, ranges.iter().map(|range| range.size).collect()),
            Step::Reshape(to) => {
                // Consecutive reshapes are merged: both keep the order of the elements.
                let stem = self.unshaped(node);
                if is_determined(to) && self.shape(stem) == to {
                    return stem;
                }
                (stem, to.clone())
            }
            Step::Opaque => (node, self.shape(node).to_vec()),
        };
        if let Some(child) = self.children.get(&(node, id)) {
            return *child;
        }
        let Part { whole, depth, .. } = self.parts[node as usize];
        let child = self.parts.len() as Node;
        self.parts.push(Part { parent: Some((node, id)), whole, depth: depth + 1, shape });
        self.children.insert((node, id), child);
        child
    }

    /// The number of a step. A step with unknown numbers gets a unique one.
    fn id(&mut self, step: Step) -> StepId {
        let is_known = match &step {
            Step::Slice(ranges) => !ranges
                .iter()
                .any(|range| [range.offset, range.size, range.stride].contains(&Num::Any)),
            Step::Reshape(to) => is_determined(to),
            Step::Opaque => false,
        };
        if let Some(id) = self.known.get(&step).filter(|_| is_known) {
            return *id;
        }
        let id = self.steps.len() as StepId;
        self.steps.push(step.clone());
        if is_known {
            self.known.insert(step, id);
        }
        id
    }

    /// The same elements without the last reshape.
    pub fn unshaped(&self, node: Node) -> Node {
        match self.parts[node as usize].parent {
            Some((parent, step)) if matches!(self.step(step), Step::Reshape(_)) => parent,
            _ => node,
        }
    }

    /// The first step from the whole to `node`.
    pub fn first_step(&self, node: Node) -> Option<StepId> {
        let mut step = None;
        let mut at = node;
        while let Some((parent, last)) = self.parts[at as usize].parent {
            (at, step) = (parent, Some(last));
        }
        step
    }

    /// Whether one step leads from the whole to `node`.
    pub fn is_first(&self, node: Node) -> bool {
        self.parts[node as usize].depth == 1
    }

    /// The steps from `ancestor` to `node`; `None` if `ancestor` is not one.
    pub fn suffix(&self, ancestor: Node, node: Node) -> Option<Vec<StepId>> {
        let mut steps = Vec::new();
        let mut at = node;
        while at != ancestor {
            let (parent, step) = self.parts[at as usize].parent?;
            steps.push(step);
            at = parent;
        }
        steps.reverse();
        Some(steps)
    }

    /// The part of `whole` that corresponds to `node` in its own whole.
    pub fn moved(&mut self, node: Node, whole: Node) -> Node {
        match self.suffix(self.whole_of(node), node) {
            Some(steps) => self.extend_all(whole, &steps),
            None => node,
        }
    }

    /// Whether all elements of `inner` are elements of `outer`.
    pub fn contains(&self, outer: Node, inner: Node) -> bool {
        let outer = self.unshaped(outer);
        let depth = self.parts[outer as usize].depth;
        let mut at = inner;
        while self.parts[at as usize].depth > depth {
            let Some((parent, _)) = self.parts[at as usize].parent else { return false };
            at = parent;
        }
        at == outer
    }

    /// Whether two parts are disjoint. Parts of different wholes are.
    pub fn disjoint(&self, one: Node, other: Node) -> bool {
        if self.whole_of(one) != self.whole_of(other) {
            return true;
        }
        let mut ends = [one, other];
        // The steps after the last common part.
        let mut last = [None, None];
        while ends[0] != ends[1] {
            let depths = ends.map(|end| self.parts[end as usize].depth);
            for side in 0..2 {
                if depths[side] >= depths[1 - side]
                    && let Some((parent, step)) = self.parts[ends[side] as usize].parent
                {
                    ends[side] = parent;
                    last[side] = Some(step);
                }
            }
        }
        matches!(last, [Some(one), Some(other)] if self.are_steps_apart(one, other))
    }

    /// Whether two steps from the same part lead to disjoint parts.
    pub fn are_steps_apart(&self, one: StepId, other: StepId) -> bool {
        match (self.step(one), self.step(other)) {
            (Step::Slice(one), Step::Slice(other)) => {
                one.iter().zip(other).any(|(one, other)| are_apart(one, other))
            }
            _ => false,
        }
    }

    /// Replaces `parts` of `node` by larger ones, the deepest first, until there are at most `limit` or it is all of it.
    pub fn coarsen(&self, node: Node, parts: &mut Vec<Node>, limit: usize) {
        let depth = |part: Node| self.parts[part as usize].depth;
        while parts.len() > limit {
            let deepest = parts.iter().map(|part| depth(*part)).max().unwrap_or(0);
            let wider = |part: Node| {
                let parent = self.parts[part as usize].parent?.0;
                (self.unshaped(parent) != node && parent != node).then_some(parent)
            };
            let mut is_wider = false;
            for part in parts.iter_mut().filter(|part| depth(**part) == deepest) {
                if let Some(parent) = wider(*part) {
                    (*part, is_wider) = (parent, true);
                }
            }
            if !is_wider {
                return;
            }
            parts.sort_unstable();
            parts.dedup();
            let all = parts.clone();
            parts.retain(|part| {
                !all.iter().any(|other| other != part && self.contains(*other, *part))
            });
        }
    }
}

/// Whether a shape follows from the number of elements: at most one dimension is unknown.
fn is_determined(shape: &[Num]) -> bool {
    shape.iter().filter(|size| **size == Num::Any).count() <= 1
}

fn takes_all(ranges: &[Range], shape: &[Num]) -> bool {
    ranges.len() == shape.len()
        && ranges.iter().zip(shape).all(|(range, size)| {
            let all = Range { offset: Num::Const(0), size: *size, stride: Num::Const(1) };
            *range == all && *size != Num::Any
        })
}

/// Whether two ranges are disjoint for any values of the unknown numbers.
fn are_apart(one: &Range, other: &Range) -> bool {
    if [one.size, other.size].contains(&Num::Const(0)) {
        return true;
    }
    let (Num::Const(first), Num::Const(second)) = (one.offset, other.offset) else { return false };
    let ends_before = |range: &Range, start: i64| {
        let (Num::Const(offset), Num::Const(size), Num::Const(stride)) =
            (range.offset, range.size, range.stride)
        else {
            return false;
        };
        let last = size.checked_sub(1).and_then(|steps| steps.checked_mul(stride));
        stride > 0 && last.and_then(|last| last.checked_add(offset)).is_some_and(|end| end < start)
    };
    // A range that starts after the end of the other stays after it only if its stride is positive.
    let forward = |range: &Range| matches!(range.stride, Num::Const(stride) if stride > 0);
    if forward(one) && forward(other) && (ends_before(one, second) || ends_before(other, first)) {
        return true;
    }
    match (one.stride, other.stride) {
        (Num::Const(stride), Num::Const(same)) if stride == same && stride > 1 => {
            first.checked_sub(second).is_some_and(|distance| distance % stride != 0)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, Num, Paths, Range, Step};

    fn range(offset: Num, size: i64, stride: i64) -> Range {
        Range { offset, size: Num::Const(size), stride: Num::Const(stride) }
    }

    fn shape(sizes: &[i64]) -> Vec<Num> {
        sizes.iter().map(|size| Num::Const(*size)).collect()
    }

    fn rows(paths: &mut Paths, of: Node, offset: Num, count: i64, columns: i64) -> Node {
        let ranges = vec![range(offset, count, 1), range(Num::Const(0), columns, 1)];
        paths.append(of, Step::Slice(ranges))
    }

    #[test]
    fn an_identity_is_not_a_step() {
        let mut paths = Paths::default();
        let whole = paths.whole(shape(&[4, 8]));
        assert_eq!(rows(&mut paths, whole, Num::Const(0), 4, 8), whole);
        let flat = paths.append(whole, Step::Reshape(shape(&[32])));
        assert_ne!(flat, whole);
        assert_eq!(paths.append(flat, Step::Reshape(shape(&[4, 8]))), whole);
        let through = paths.append(flat, Step::Reshape(shape(&[2, 16])));
        assert_eq!(through, paths.append(whole, Step::Reshape(shape(&[2, 16]))));
        assert_eq!(paths.unshaped(through), whole);
    }

    #[test]
    fn slices_are_disjoint_only_where_it_is_certain() {
        let mut paths = Paths::default();
        let whole = paths.whole(shape(&[4, 8]));
        let first = rows(&mut paths, whole, Num::Const(0), 2, 8);
        let second = rows(&mut paths, whole, Num::Const(2), 2, 8);
        let middle = rows(&mut paths, whole, Num::Const(1), 2, 8);
        let moving = rows(&mut paths, whole, Num::Known(0), 1, 8);
        assert!(paths.disjoint(first, second));
        assert!(!paths.disjoint(first, middle) && !paths.disjoint(middle, second));
        assert!(!paths.disjoint(first, moving) && !paths.disjoint(whole, first));
        let inner = rows(&mut paths, first, Num::Const(0), 1, 8);
        let reshaped = paths.append(second, Step::Reshape(shape(&[16])));
        assert!(paths.disjoint(inner, reshaped));
        assert!(paths.contains(first, inner) && !paths.contains(inner, first));
        let other = paths.whole(shape(&[4, 8]));
        assert!(paths.disjoint(first, other));
    }

    #[test]
    fn strides_interleave() {
        let mut paths = Paths::default();
        let whole = paths.whole(shape(&[8]));
        let mut every = |offset, size, stride| {
            paths.append(whole, Step::Slice(vec![range(Num::Const(offset), size, stride)]))
        };
        let (even, odd, pairs) = (every(0, 4, 2), every(1, 4, 2), every(0, 2, 4));
        assert!(paths.disjoint(even, odd));
        assert!(!paths.disjoint(even, pairs));
    }

    #[test]
    fn what_is_not_known_is_equal_to_nothing() {
        let mut paths = Paths::default();
        let whole = paths.whole(shape(&[4, 8]));
        let left = |offset| vec![range(offset, 1, 1), range(Num::Const(0), 4, 1)];
        let right = vec![range(Num::Known(3), 1, 1), range(Num::Const(4), 4, 1)];
        let one = paths.append(whole, Step::Slice(left(Num::Any)));
        let other = paths.append(whole, Step::Slice(left(Num::Any)));
        let right = paths.append(whole, Step::Slice(right));
        assert_ne!(one, other);
        // The columns differ in every row.
        assert!(paths.disjoint(one, right) && !paths.disjoint(one, other));
        let known = paths.append(whole, Step::Slice(left(Num::Known(7))));
        assert_eq!(known, paths.append(whole, Step::Slice(left(Num::Known(7)))));
    }
}
