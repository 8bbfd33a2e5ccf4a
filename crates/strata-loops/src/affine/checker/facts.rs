//! Which tensors are in which memory, at one point of the program.

use std::mem;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{AttributeExt as _, Op, Value, tensor, vector};

use super::{
    memories::Memories,
    paths::{Node, Step, StepId},
};

/// The maximum number of exceptions of a fact. With more they are merged, or the fact is dropped.
const EXCEPTIONS: usize = 16;

/// The maximum number of insertions to look through for the origin of an element.
const INSERTIONS: usize = 4096;

/// The memory `region` holds `content`, except for the parts in `exceptions`.
#[derive(Clone)]
pub struct Fact {
    /// A part of a memory, never of a reshaped one.
    pub region: Node,
    /// A part of a tensor, of the same shape.
    pub content: Node,
    /// Parts of the memory that were overwritten since.
    pub exceptions: Vec<Node>,
}

/// How a tensor was computed, as far as it determines which of its elements are undefined.
#[derive(Clone, Copy)]
enum Made {
    /// It is undefined.
    Empty,
    /// From another tensor, by writing to a part of it, reached in one step, or inside that part.
    Written { into: Node, step: StepId },
    /// By an insertion of another kind.
    Inserted,
    /// Otherwise; all its elements are defined.
    Computed,
}

/// The facts of each memory.
pub type Facts = FxHashMap<Node, Vec<Fact>>;

/// What is known at one point of the program.
#[derive(Default)]
pub struct State<'c> {
    /// Buffers and tensors as parts.
    pub places: Memories<'c>,
    facts: Facts,
    /// The undo log for each open [`Self::enter`].
    frames: Vec<Facts>,
    /// Whether an undefined tensor is a part of a tensor.
    undefined: FxHashMap<Node, bool>,
    /// The origins of tensors.
    made: FxHashMap<Node, Made>,
    /// Parts of tensors, by a step from the whole: whether no element is defined; `None` if unknown.
    undefined_parts: FxHashMap<(Node, StepId), Option<bool>>,
    /// Renamed memories.
    renamed: FxHashSet<Node>,
    /// The same in order.
    renamings: Vec<Node>,
}

impl<'c> State<'c> {
    /// Opens a scope that [`Self::leave`] closes.
    pub fn enter(&mut self) {
        self.frames.push(Facts::default());
    }

    /// Restores the facts at [`Self::enter`]; returns the facts of everything that changed since.
    pub fn leave(&mut self) -> Facts {
        let saved = self.frames.pop().unwrap_or_default();
        let back = |(whole, old)| (whole, mem::replace(self.facts.entry(whole).or_default(), old));
        saved.into_iter().map(back).collect()
    }

    /// The mutable facts of a memory.
    fn of(&mut self, whole: Node) -> &mut Vec<Fact> {
        let facts = self.facts.entry(whole).or_default();
        if let Some(frame) = self.frames.last_mut() {
            frame.entry(whole).or_insert_with(|| facts.clone());
        }
        facts
    }

    /// The facts of the memory that `place` is a part of.
    pub fn known(&self, place: Node) -> &[Fact] {
        self.facts.get(&self.places.paths.whole_of(place)).map_or(&[], Vec::as_slice)
    }

    /// The number of renamings, for [`Self::undo_renamings`].
    pub fn renamings(&self) -> usize {
        self.renamings.len()
    }

    /// Removes and returns all renamings except the first `count`.
    pub fn undo_renamings(&mut self, count: usize) -> Vec<Node> {
        let undone = self.renamings.split_off(count);
        undone.iter().for_each(|whole| {
            self.renamed.remove(whole);
        });
        undone
    }

    /// Renames a memory from here on.
    pub fn rename(&mut self, whole: Node) {
        self.overwrite(whole);
        if self.renamed.insert(whole) {
            self.renamings.push(whole);
        }
    }

    /// Whether a buffer may be used: its memory has not been renamed.
    pub fn is_alive(&mut self, place: Node) -> bool {
        if self.renamed.is_empty() {
            return true;
        }
        let real = self.places.real(place);
        real.into_iter().all(|one| !self.renamed.contains(&self.places.paths.whole_of(one)))
    }

    /// Adds the fact that `place` holds `content`.
    pub fn learn(&mut self, place: Node, content: Node) {
        self.learn_but(place, content, Vec::new());
    }

    /// Drops the fact that `place` holds `content`.
    pub fn forget(&mut self, place: Node, content: Node) {
        let (region, content) = self.without_reshape(place, content);
        let whole = self.places.paths.whole_of(region);
        if self.known(region).iter().any(|fact| fact.region == region && fact.content == content) {
            self.of(whole).retain(|fact| fact.region != region || fact.content != content);
        }
    }

    fn learn_but(&mut self, place: Node, content: Node, exceptions: Vec<Node>) {
        let (region, content) = self.without_reshape(place, content);
        let whole = self.places.paths.whole_of(region);
        let facts = self.of(whole);
        facts.retain(|fact| fact.region != region || fact.content != content);
        facts.push(Fact { region, content, exceptions });
    }

    /// The equivalent fact about memory that is not reshaped.
    fn without_reshape(&mut self, place: Node, content: Node) -> (Node, Node) {
        let paths = &mut self.places.paths;
        let stem = paths.unshaped(place);
        if stem == place {
            return (place, content);
        }
        let shape = paths.shape(stem).to_vec();
        (stem, paths.append(content, Step::Reshape(shape)))
    }

    /// Drops the facts that a write to `place` invalidates.
    pub fn overwrite(&mut self, place: Node) {
        let place = self.places.paths.unshaped(place);
        let whole = self.places.paths.whole_of(place);
        if !self.known(place).iter().any(|fact| !self.places.paths.disjoint(fact.region, place)) {
            return self.overwrite_dependents(whole, place);
        }
        let old = mem::take(self.of(whole));
        let mut kept = Vec::with_capacity(old.len());
        for mut fact in old {
            if self.weaken(&mut fact, place) {
                kept.push(fact);
            }
        }
        *self.of(whole) = kept;
        self.overwrite_dependents(whole, place);
    }

    /// Drops the facts of buffers that may alias `place`.
    fn overwrite_dependents(&mut self, whole: Node, place: Node) {
        let Some(dependents) = self.places.dependents.get(&whole) else { return };
        for dependent in dependents.clone() {
            if self.places.overlap(dependent, place) {
                self.of(dependent).clear();
            }
        }
    }

    /// Weakens a fact after a write to `place`; returns false if nothing is left.
    fn weaken(&mut self, fact: &mut Fact, place: Node) -> bool {
        let paths = &self.places.paths;
        if paths.disjoint(fact.region, place) {
            return true;
        }
        if paths.contains(place, fact.region) {
            return false;
        }
        if fact.exceptions.iter().any(|known| paths.contains(*known, place)) {
            return true;
        }
        // Any value may be written where the tensor is undefined.
        if let Some(steps) = paths.suffix(fact.region, place) {
            let part = self.places.paths.extend_all(fact.content, &steps);
            if self.is_undefined(part) {
                return true;
            }
        }
        let paths = &self.places.paths;
        fact.exceptions.retain(|known| !paths.contains(place, *known));
        fact.exceptions.push(place);
        self.places.paths.coarsen(fact.region, &mut fact.exceptions, EXCEPTIONS);
        fact.exceptions.len() <= EXCEPTIONS
    }

    /// Whether memory `place` certainly holds the tensor `content`, except for the part `except`.
    pub fn holds(&mut self, place: Node, content: Node, except: Option<Node>) -> bool {
        let whole = self.places.paths.whole_of(place);
        // Moved out during the search, which does not change facts.
        let known = mem::take(self.facts.entry(whole).or_default());
        let is_shown = self.is_shown(&known, place, content, except);
        self.facts.insert(whole, known);
        is_shown || self.any_holds(place, content, except)
    }

    /// Whether each memory that `place` may be holds `content`.
    fn any_holds(&mut self, place: Node, content: Node, except: Option<Node>) -> bool {
        let real = self.places.real(place);
        real != [place] && real.into_iter().all(|one| self.holds(one, content, except))
    }

    /// Whether `place` holds `content` by one of `facts`.
    pub fn is_shown(
        &mut self,
        facts: &[Fact],
        place: Node,
        content: Node,
        except: Option<Node>,
    ) -> bool {
        let (place, mut content) = self.without_reshape(place, content);
        for _ in 0..INSERTIONS {
            if self.is_empty(content)
                || facts.iter().any(|fact| self.says(fact, place, content, except))
            {
                return true;
            }
            match self.source(content) {
                Some(source) => content = source,
                None => return false,
            }
        }
        false
    }

    fn says(&mut self, fact: &Fact, place: Node, content: Node, except: Option<Node>) -> bool {
        let paths = &mut self.places.paths;
        if paths.whole_of(fact.content) != paths.whole_of(content) {
            return false;
        }
        let Some(steps) = paths.suffix(fact.region, place) else { return false };
        paths.extend_all(fact.content, &steps) == content
            && fact.exceptions.iter().all(|known| {
                paths.disjoint(*known, place)
                    || except.is_some_and(|except| paths.contains(except, *known))
            })
    }

    /// Whether no element of `content` is defined, so that any memory holds it.
    pub fn is_undefined(&mut self, mut content: Node) -> bool {
        let whole = self.places.paths.whole_of(content);
        if !self.has_undefined(whole) {
            return false;
        }
        match self.places.paths.first_step(content).map(|step| self.is_part_undefined(whole, step))
        {
            Some(Some(true)) => return true,
            Some(Some(false)) if self.places.paths.is_first(content) => return false,
            _ => {}
        }
        for _ in 0..INSERTIONS {
            if self.is_empty(content) {
                return true;
            }
            match self.source(content) {
                Some(source) => content = source,
                None => return false,
            }
        }
        false
    }

    /// Whether no element of part `step` of the tensor `whole` is defined, if known. Each tensor in a chain of writes
    /// is queried once for each part.
    fn is_part_undefined(&mut self, whole: Node, step: StepId) -> Option<bool> {
        let mut passed = Vec::new();
        let mut at = whole;
        let answer = loop {
            if let Some(known) = self.undefined_parts.get(&(at, step)) {
                break *known;
            }
            passed.push(at);
            match self.made(at) {
                Made::Empty => break Some(true),
                Made::Computed => break Some(false),
                Made::Written { into, step: written }
                    if self.places.paths.are_steps_apart(step, written) =>
                {
                    at = into;
                }
                Made::Written { .. } | Made::Inserted => break None,
            }
        };
        self.undefined_parts.extend(passed.into_iter().map(|one| ((one, step), answer)));
        answer
    }

    fn made(&mut self, whole: Node) -> Made {
        if let Some(known) = self.made.get(&whole) {
            return *known;
        }
        let made = match self.owner(whole) {
            Some(owner) if owner.is(tensor::EMPTY) => Made::Empty,
            Some(owner) if is_insertion(owner) => {
                let into = self.places.of_tensor(owner.operand(1));
                let written = self.places.insertion(owner, whole);
                let step = written.and_then(|written| self.places.paths.first_step(written));
                match step.filter(|_| self.places.paths.whole_of(into) == into) {
                    Some(step) => Made::Written { into, step },
                    None => Made::Inserted,
                }
            }
            _ => Made::Computed,
        };
        self.made.insert(whole, made);
        made
    }

    /// Whether `whole` was assembled from an undefined tensor, among others.
    fn has_undefined(&mut self, whole: Node) -> bool {
        if let Some(known) = self.undefined.get(&whole) {
            return *known;
        }
        let mut open = vec![whole];
        while let Some(next) = open.last().copied() {
            if self.undefined.contains_key(&next) {
                open.pop();
                continue;
            }
            let parts: Vec<Node> = match self.owner(next) {
                Some(owner) if is_insertion(owner) => {
                    let inserted = usize::from(!owner.is(tensor::INSERT_SLICE));
                    let parts = owner.operands()[inserted..=1].to_vec();
                    let parts = parts.into_iter().map(|value| self.places.of_tensor(value));
                    let parts: Vec<_> = parts.collect();
                    parts.into_iter().map(|part| self.places.paths.whole_of(part)).collect()
                }
                _ => Vec::new(),
            };
            let unknown = parts.iter().filter(|part| !self.undefined.contains_key(part));
            let before = open.len();
            open.extend(unknown.copied());
            if open.len() == before {
                let is_undefined =
                    self.is_empty(next) || parts.iter().any(|part| self.undefined[part]);
                self.undefined.insert(next, is_undefined);
                open.pop();
            }
        }
        self.undefined[&whole]
    }

    fn is_empty(&self, content: Node) -> bool {
        self.owner(content).is_some_and(|owner| owner.is(tensor::EMPTY))
    }

    /// The operation that computes the tensor that `content` is a part of.
    fn owner(&self, content: Node) -> Option<Op<'c>> {
        let whole = self.places.paths.whole_of(content);
        self.places.tensors.get(&whole).and_then(|value| value.owner())
    }

    /// The same elements as a part of the inserted tensor, or of the destination.
    fn source(&mut self, content: Node) -> Option<Node> {
        let owner = self.owner(content)?;
        let whole = self.places.paths.whole_of(content);
        if whole == content || !is_insertion(owner) {
            return None;
        }
        let written = self.places.insertion(owner, whole)?;
        if self.places.paths.disjoint(content, written) {
            let into = self.places.of_tensor(owner.operand(1));
            return Some(self.places.paths.moved(content, into));
        }
        if !owner.is(tensor::INSERT_SLICE) {
            return None;
        }
        // Within the inserted tensor, which may lack dimensions of size 1.
        let stem = self.places.paths.unshaped(written);
        let steps: Vec<StepId> = self.places.paths.suffix(stem, content)?;
        let inserted = self.places.of_tensor(owner.operand(0));
        let shape = self.places.paths.shape(stem).to_vec();
        let inserted = self.places.paths.append(inserted, Step::Reshape(shape));
        Some(self.places.paths.extend_all(inserted, &steps))
    }

    /// Copies the facts of `from` to the memory `to`, to which it is copied.
    pub fn copy(&mut self, from: Node, to: Node) {
        let paths = &self.places.paths;
        let (stem, target) = (paths.unshaped(from), paths.unshaped(to));
        // Facts about parts can only be transferred if both have the same shape.
        let same = paths.suffix(stem, from) == paths.suffix(target, to);
        let mut learned = Vec::new();
        for fact in self.known(from).to_vec() {
            let paths = &mut self.places.paths;
            let exceptions: Vec<_> = fact
                .exceptions
                .iter()
                .copied()
                .filter(|known| !paths.disjoint(*known, from))
                .collect();
            // The part of the target that corresponds to a part of the source.
            let there = |paths: &mut super::paths::Paths, one: Node| match paths.suffix(from, one) {
                Some(steps) => Some(paths.extend_all(to, &steps)),
                None => {
                    let steps = paths.suffix(stem, one).filter(|_| same)?;
                    Some(paths.extend_all(target, &steps))
                }
            };
            let exceptions: Option<Vec<_>> =
                exceptions.into_iter().map(|one| there(paths, one)).collect();
            let Some(exceptions) = exceptions else { continue };
            if let Some(steps) = paths.suffix(fact.region, from) {
                let content = paths.extend_all(fact.content, &steps);
                learned.push((to, content, exceptions));
            } else if let Some(region) = there(paths, fact.region) {
                learned.push((region, fact.content, exceptions));
            }
        }
        self.overwrite(to);
        for (region, content, exceptions) in learned {
            self.learn_but(region, content, exceptions);
        }
    }

    /// Merges control flow: keeps the facts that hold at the end of all paths; `ends` are the facts that each has
    /// changed.
    #[allow(clippy::disallowed_methods, reason = "sorted before anything depends on the order")]
    pub fn join(&mut self, ends: &[Facts]) {
        let mut wholes: Vec<_> = ends.iter().flat_map(|end| end.keys().copied()).collect();
        wholes.sort_unstable();
        wholes.dedup();
        for whole in wholes {
            let unchanged = self.facts.get(&whole).cloned().unwrap_or_default();
            let mut lists = ends.iter().map(|end| end.get(&whole).unwrap_or(&unchanged));
            let first = lists.next().cloned().unwrap_or_default();
            let common = lists.fold(first, |common, list| self.common(common, list));
            *self.of(whole) = common;
        }
    }

    fn common(&self, mut facts: Vec<Fact>, others: &[Fact]) -> Vec<Fact> {
        let others: FxHashMap<_, _> =
            others.iter().map(|fact| ((fact.region, fact.content), fact)).collect();
        facts.retain_mut(|fact| {
            let Some(other) = others.get(&(fact.region, fact.content)) else { return false };
            for known in &other.exceptions {
                if !fact.exceptions.contains(known) {
                    fact.exceptions.push(*known);
                }
            }
            fact.exceptions.len() <= 2 * EXCEPTIONS
        });
        facts
    }

    /// The tensors that the memory of `place` is known to hold, as text.
    pub fn in_words(&self, place: Node) -> String {
        let facts = self.known(place);
        let names: Vec<_> = facts
            .iter()
            .rev()
            .filter_map(|fact| {
                let whole = self.places.paths.whole_of(fact.content);
                let name = name(*self.places.tensors.get(&whole)?);
                let part = if fact.content == whole { "" } else { "part of " };
                let rest = if fact.exceptions.is_empty() { "" } else { " (partly overwritten)" };
                Some(format!("{part}{name}{rest}"))
            })
            .take(4)
            .collect();
        if names.is_empty() { "nothing known".to_owned() } else { names.join(", ") }
    }
}

/// Whether an operation inserts into its second operand.
pub fn is_insertion(op: Op<'_>) -> bool {
    matches!(op.name(), tensor::INSERT_SLICE | tensor::INSERT | vector::TRANSFER_WRITE)
}

/// A short description of a value: printing it would print the operation that computes it.
pub fn name(value: Value<'_>) -> String {
    match (value.owner(), value.block_arg()) {
        (Some(owner), _) => {
            let symbol = owner.attr("name").and_then(|name| name.as_symbol()).unwrap_or_default();
            let index = value.result_index().unwrap_or_default();
            format!("result {index} of `{}{symbol}` ({})", owner.name(), value.ty())
        }
        (None, Some((block, index))) => {
            let parent = block.parent_op().map_or("", |parent| parent.name().as_str());
            format!("argument {index} of `{parent}` ({})", value.ty())
        }
        (None, None) => "a value".to_owned(),
    }
}
