//! How exactly the loops of a program with bounds end at the sizes of a call, which says how many versions it needs.

use std::{collections::BTreeSet, ops::Range};

use strata_ir::{
    AttributeExt as _, Builder, Context, DotDimensionNumbers, Module, Op, OpKind, TypeExt as _,
    Value, entry_functions, module_op, unit,
};
use strata_options::{Content, Options};
use strata_shapes::DynamicShapes;
use strata_target::tuning::{
    one_loop,
    rows_at_once::{MIN_REDUCED_ROW, MIN_SEARCHED_ROW},
};

use crate::cost::{self, Cost, PlainWindow};

/// The part of a program's work, in percent, that code for the bounds limits to the sizes of a call at least, so that little code is
/// enough.
const MIN_EXACT: u64 = 90;

/// Rows of fewer elements than this take as long as one vector.
const SHORT: i64 = 16;

/// How many additions take as long as an exponential.
const TRANSCENDENTAL: u64 = 10;

/// What nearly all of the work of a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Elementwise operations alone, on tensors of one shape each: one loop over all elements, whichever of the sizes are open.
    Elements,
    /// Dots whose results have rows of given length: loops over them end at the size of a call, so that code for the bounds is as fast
    /// for smaller sizes as code of their own.
    Dots,
    /// Those, elementwise operations and reductions of such rows, of which the same is true.
    Rows,
    /// Dots and convolutions whose results have rows of given length.
    Windows,
    /// Elementwise operations and reductions, more than half of it dots and convolutions whose rows or columns are open, so that rows of
    /// results that are shorter than a vector are little of it.
    Products,
    /// Those, elementwise operations and reductions: loops over vectors end there, too. Rows that are shorter than a vector take as
    /// long as one, where code of their own puts several into it.
    Vectors,
    /// The last two where work on rows of given length is nearly all that a call with a short size does, as the weights of a decoding step
    /// are beside a short cache: what rows shorter than a vector take does not matter.
    MostlyRows,
    /// Others, such as windows in the middle of a line: much of it is done for the size of the buffers.
    Whole,
}

impl Work {
    /// Whether code for the bound is as fast for smaller sizes as code of their own.
    pub(super) fn ends_by_row(self) -> bool {
        matches!(self, Self::Elements | Self::Dots | Self::Rows)
    }

    /// Whether code for the bound does little for more than a size, of which rows may be shorter than a vector.
    pub(super) fn ends_by_bound(self) -> bool {
        !matches!(self, Self::Windows | Self::Whole)
    }
}

/// What nearly all of the work of a program is, as far as loops end at the sizes of a call.
pub(super) struct Works {
    /// For each symbol with a bound, where it alone differs.
    pub(super) bounds: Vec<Work>,
    /// The same for the number of rows: what it would be as a size up to a bound.
    pub(super) rows: Work,
    /// Whether one row at a time is as good as several: what the work is holds for one row, and most of the work is in contractions whose
    /// rows are a product of the number of rows and an open size.
    pub(super) is_of_single_rows: bool,
    /// Whether a reduction is of rows that several fit into a few vectors of.
    has_short_rows: bool,
    /// The constants that only contractions read whose results have the same sizes in all calls.
    pub(super) read_alike: BTreeSet<Content>,
}

impl Works {
    /// Those of a program of which nothing is known.
    fn whole(bounds: usize) -> Self {
        let (rows, bounds) = (Work::Whole, vec![Work::Whole; bounds]);
        let (is_of_single_rows, has_short_rows) = (false, true);
        Self { bounds, rows, is_of_single_rows, has_short_rows, read_alike: BTreeSet::new() }
    }
}

/// Whether one version for the bound is as fast for all numbers of rows of a program whose only symbol is a number of rows with a bound:
/// nearly all of its work is dots whose results have rows of given length, or operations on such rows that are not short, or elementwise.
pub(super) fn has_rows_at_once<'c>(
    options: &Options,
    shapes: &DynamicShapes,
    module: (&'c Context, &Module<'c>),
) -> bool {
    let alone = DynamicShapes { batch: None, ..shapes.clone() };
    let works = of(options, &alone, module);
    match works.bounds[..] {
        [Work::Elements | Work::Dots] => true,
        [Work::Rows] => !works.has_short_rows,
        _ => false,
    }
}

/// What the work of a program is that has bounds; of a number of rows alone, only what is read alike is looked for.
pub(super) fn of<'c>(
    options: &Options,
    shapes: &DynamicShapes,
    (context, module): (&'c Context, &Module<'c>),
) -> Works {
    let are_several = shapes.symbols.len() > 1;
    let rows = shapes.batch.as_ref().map(|batch| batch.symbol);
    let bounded = (0..shapes.symbols.len()).filter(|symbol| Some(*symbol) != rows);
    let bounded: Vec<usize> = bounded.collect();
    if bounded.is_empty() && rows.is_none() {
        return Works::whole(0);
    }
    let with = |size: &dyn Fn(usize, i64) -> i64, of_rows: i64| {
        let sizes = shapes.symbols.iter().zip(&shapes.bounds).enumerate();
        let sizes = sizes.map(|(symbol, (name, most))| match most {
            _ if Some(symbol) == rows => (name.clone(), of_rows),
            Some(most) => (name.clone(), size(symbol, *most).max(1)),
            None => (name.clone(), 1),
        });
        let bind = options.bind.iter().cloned().chain(sizes).collect();
        let bound = Options { bind, max: Vec::new(), specialize: Vec::new(), ..options.clone() };
        done(&bound, context, module)
    };
    let of = |smaller: Option<usize>, less: i64, of_rows: i64| {
        let size = |at: usize, most: i64| if Some(at) == smaller { most - less } else { most };
        with(&size, of_rows)
    };
    let Some(own) = of(None, 0, 1) else { return Works::whole(bounded.len()) };
    let as_many = |other: &Vec<Done>| other.len() == own.len();
    // The program may not take the next smaller sizes.
    let other = |symbol: &usize| {
        let other = [1, 2, 4, 8].into_iter().find_map(|less| of(Some(*symbol), less, 1));
        other.filter(as_many)
    };
    let others: Vec<Option<Vec<Done>>> = bounded.iter().map(other).collect();
    // Where there is no number of rows, nothing mixes with it.
    let pair = rows.and_then(|_| of(None, 0, 2)).filter(as_many);
    if rows.is_some() && pair.is_none() {
        return Works::whole(bounded.len());
    }
    let known = || others.iter().flatten();
    // Of an operation, whether rows of a product of two sizes are not the first ones of its buffer.
    let mixes_bounds = |at: usize| {
        known().enumerate().any(|(number, first)| {
            let mut beside = known().enumerate().filter(|(other, _)| *other != number);
            beside.any(|(_, other)| own[at].mixes(&first[at], &other[at]))
        })
    };
    let mixes_rows = |at: usize| {
        let each =
            |pair: &Vec<Done>| known().any(|other| own[at].has_rows_in_each(&pair[at], &other[at]));
        pair.as_ref().is_some_and(each)
    };
    let mixed: Vec<[bool; 2]> =
        (0..own.len()).map(|at| [mixes_bounds(at), mixes_rows(at)]).collect();
    let apart =
        |other: &Vec<Done>| work_of(&own, other, &|at| mixed[at] == [false; 2], are_several);
    let of_one = |other: &Vec<Done>| work_of(&own, other, &|at| !mixed[at][0], are_several);
    let each = |work: &dyn Fn(&Vec<Done>) -> Work| -> Vec<Work> {
        let one = |other: &Option<Vec<Done>>| other.as_ref().map_or(Work::Whole, work);
        others.iter().map(one).collect()
    };
    let (mut bounds, single) = (each(&apart), each(&of_one));
    // Whether what rows shorter than a vector take is little, where other sizes are the smallest or the largest.
    let is_mostly_rows = |symbol: usize| {
        [1, i64::MAX].into_iter().all(|others| {
            let short = |less: i64| {
                let size = |at: usize, most: i64| match at == symbol {
                    true => most.min(SHORT) - less,
                    false => most.min(others),
                };
                with(&size, 1)
            };
            let both = short(0).zip(short(1)).filter(|(first, second)| first.len() == second.len());
            both.is_some_and(|(own, other)| {
                matches!(work_of(&own, &other, &|_| true, are_several), Work::Dots | Work::Rows)
            })
        })
    };
    for (symbol, work) in bounded.iter().zip(&mut bounds) {
        if matches!(work, Work::Products | Work::Vectors) && is_mostly_rows(*symbol) {
            *work = Work::MostlyRows;
        }
    }
    let are_exact = |works: &[Work]| works.iter().all(|work| work.ends_by_row());
    let all = others.iter().chain(rows.map(|_| &pair)).map(Option::as_ref);
    let all: Option<Vec<_>> = all.collect();
    Works {
        read_alike: all.map_or_else(BTreeSet::new, |all| read_alike(&own, &all)),
        rows: pair.as_ref().filter(|_| !bounded.is_empty()).map_or(Work::Whole, apart),
        is_of_single_rows: rows.is_some() && are_exact(&single) && !are_exact(&bounds),
        has_short_rows: own.iter().any(Done::has_short_rows),
        bounds,
    }
}

/// See [`Works::read_alike`]: `others` are the operations in programs in each of which one size differs.
fn read_alike(own: &[Done], others: &[&Vec<Done>]) -> BTreeSet<Content> {
    let is_alike = |at: usize| {
        is_contraction(own[at].kind) && others.iter().all(|other| own[at].shape == other[at].shape)
    };
    let (alike, apart): (Vec<_>, Vec<_>) = (0..own.len()).partition(|at| is_alike(*at));
    let constants = |list: Vec<usize>| -> BTreeSet<Content> {
        list.into_iter().flat_map(|at| own[at].constants.iter().copied()).collect()
    };
    &constants(alike) - &constants(apart)
}

/// What the work of a program is in which one size is that of `own` or of `other`, where only the operations that `counts` names end at
/// the sizes of a call. Code for more sizes is worth less where there are several symbols: it is multiplied.
fn work_of(
    own: &[Done],
    other: &[Done],
    counts: &dyn Fn(usize) -> bool,
    are_several: bool,
) -> Work {
    let both =
        || own.iter().zip(other).enumerate().filter(|(at, _)| counts(*at)).map(|(_, both)| both);
    let has_rows = |(own, other): &(&Done, &Done)| {
        own.shape.last() == other.shape.last() && !own.sums_open_rows(other)
    };
    let by_windows = both().filter(|pair| is_contraction(pair.0.kind) && has_rows(pair));
    let is_dot = |(own, _): &(&Done, &Done)| own.kind == OpKind::DotGeneral;
    let of_dots = by_windows.clone().filter(is_dot);
    let by_rows = both().filter(|(own, other)| own.ends_by_row(other));
    let ends = |(own, other): &(&Done, &Done)| {
        own.ends_as(other) || (are_several && is_contraction(own.kind))
    };
    let in_vectors = both().filter(ends);
    // Bounds may be so large that nothing is left to compare.
    let sum = |all: &mut dyn Iterator<Item = u64>| all.fold(0, u64::saturating_add);
    let work = |all: &mut dyn Iterator<Item = &Done>| sum(&mut all.map(|op| op.work));
    let bytes = |all: &mut dyn Iterator<Item = &Done>| sum(&mut all.map(|op| op.bytes));
    let is_most = |part: u64, all: u64| part > 0 && part / MIN_EXACT >= all / 100;
    let by_rows: Vec<_> = by_rows.map(|(own, _)| own).collect();
    let in_vectors: Vec<_> = in_vectors.map(|(own, _)| own).collect();
    let products = work(&mut in_vectors.iter().copied().filter(|op| is_contraction(op.kind)));
    let all = work(&mut own.iter());
    if own.iter().all(|op| op.is_elementwise)
        && (1..=one_loop::MAX_WORK).contains(&all)
        && bytes(&mut own.iter()) <= one_loop::MAX_BYTES
    {
        return Work::Elements;
    }
    let are_rows = is_most(work(&mut by_rows.iter().copied()), all)
        && is_most(bytes(&mut by_rows.into_iter()), bytes(&mut own.iter()));
    if is_most(work(&mut of_dots.map(|(own, _)| own)), all) {
        Work::Dots
    } else if are_rows {
        Work::Rows
    } else if is_most(work(&mut by_windows.map(|(own, _)| own)), all) {
        Work::Windows
    } else if (all == 0 || is_most(work(&mut in_vectors.iter().copied()), all))
        && is_most(bytes(&mut in_vectors.into_iter()), bytes(&mut own.iter()))
    {
        if products > all / 2 { Work::Products } else { Work::Vectors }
    } else {
        Work::Whole
    }
}

/// What an operation does in a call of a program of given sizes.
struct Done {
    kind: OpKind,
    results: usize,
    /// Whether it is a running reduction from the first element on, finds an extremum and its place, or sorts by what is known to have
    /// a last element.
    ends_early: bool,
    /// Whether it finds an extremum of each row and its place, in rows of given length that the program of a size takes one at a time.
    finds_in_rows: bool,
    /// Whether each element of its result is computed from those at its place, and from numbers.
    is_elementwise: bool,
    /// Of its first result.
    shape: Vec<i64>,
    /// Of its operands.
    operands: Vec<Vec<i64>>,
    /// Its operands that are constants which may be laid out.
    constants: Vec<Content>,
    /// Which of the dimensions of its shape are of the left and of the right operand of a dot that it does not share.
    sides: [Range<usize>; 2],
    /// The dimension that a sort is along.
    sorted: Option<usize>,
    work: u64,
    bytes: u64,
}

impl Done {
    /// Whether it is a contraction whose rows are a product of two open sizes, as of `[b*s, k]`: those of a call are not the first ones of its
    /// buffer, and all up to the bound are computed. Those of `[b, s, k]` have a loop for each dimension. `first` and `other` are the
    /// operation in programs of another size each.
    fn mixes(&self, first: &Self, other: &Self) -> bool {
        let of_side = |side: &Range<usize>| {
            side.clone().any(|at| self.differs(first, at) && self.differs(other, at))
        };
        is_contraction(self.kind) && self.sides.iter().any(of_side)
    }

    /// Whether it is a contraction whose rows are those of a number of rows and of an open size inside it, as of `[b, s, k]`: one row is as
    /// good as several then. `pair` is the operation in a program of two rows, `other` in one of another size.
    fn has_rows_in_each(&self, pair: &Self, other: &Self) -> bool {
        let of_side = |side: &Range<usize>| {
            let first = side.clone().find(|at| self.differs(pair, *at));
            first.is_some_and(|first| (first..side.end).any(|at| self.differs(other, at)))
        };
        is_contraction(self.kind) && self.sides.iter().any(of_side)
    }

    fn differs(&self, other: &Self, at: usize) -> bool {
        self.shape.get(at) != other.shape.get(at)
    }

    /// Whether it reduces rows that are shorter than some vectors: the program of a size reduces several of them at a time.
    fn has_short_rows(&self) -> bool {
        let row = self.operands.first().and_then(|operand| operand.last());
        self.kind == OpKind::Reduce && row.is_some_and(|row| *row < MIN_REDUCED_ROW)
    }

    /// Whether its operands have rows of the same lengths in `other`.
    fn reads_same_rows(&self, other: &Self) -> bool {
        let rows =
            |all: &Self| all.operands.iter().map(|one| one.last().copied()).collect::<Vec<_>>();
        rows(self) == rows(other)
    }

    /// Whether it moves whole what is open: each operand of as many dimensions has the result's sizes there.
    fn moves_whole(&self, other: &Self) -> bool {
        let of_rank = self.operands.iter().filter(|operand| operand.len() == self.shape.len());
        let open = |at: &usize| self.differs(other, *at);
        of_rank.into_iter().all(|operand| {
            (0..self.shape.len()).filter(open).all(|at| operand[at] == self.shape[at])
        })
    }

    /// Whether it adds the same numbers of elements along all dimensions, whatever the size is.
    fn adds_as_much(&self, other: &Self) -> bool {
        let added = |one: &Self| -> Vec<i64> {
            let padded = one.operands.first().into_iter().flatten();
            one.shape.iter().zip(padded).map(|(to, from)| to - from).collect()
        };
        added(self) == added(other)
    }

    /// Whether it is a product of a matrix and a vector that sums rows of open length, each to one number, as of `[64, s]` and `[s]`: the
    /// program of a size puts several short ones into a vector.
    fn sums_open_rows(&self, other: &Self) -> bool {
        let sums = |side: usize| {
            let row = |all: &Self| all.operands.get(side).and_then(|one| one.last().copied());
            !self.sides[side].is_empty()
                && self.sides[1 - side].is_empty()
                && row(self) != row(other)
        };
        self.kind == OpKind::DotGeneral && (sums(0) || sums(1))
    }

    /// Whether it works on rows of given length, vector by vector, where `other` is the operation in a program of other sizes.
    fn ends_by_row(&self, other: &Self) -> bool {
        let has_rows = self.shape.last() == other.shape.last();
        match self.kind {
            OpKind::DotGeneral => has_rows && !self.sums_open_rows(other),
            // Several short rows are reduced at a time, vector by vector along an open dimension.
            OpKind::Reduce if self.has_short_rows() && !has_rows => false,
            OpKind::Reduce => {
                (self.results == 1 || self.finds_in_rows) && self.reads_same_rows(other)
            }
            OpKind::Convolution => false,
            // One or two rows are sorted in no time, a block of them in that of all.
            OpKind::Sort if self.sorted.is_some_and(|dim| self.differs(other, dim)) => false,
            _ => has_rows && self.ends_as(other),
        }
    }

    /// Whether loops over vectors along its results or operands end at the size of a call, where `other` is the operation in a program
    /// of other sizes.
    fn ends_as(&self, other: &Self) -> bool {
        let differs = |(own, other): &(&i64, &i64)| own != other;
        let open = self.shape.iter().zip(&other.shape).filter(differs).count();
        match self.kind {
            // Tiles whose rows and columns both end within have code for rows only.
            kind if is_contraction(kind) => open < 2 || self.shape.last() == other.shape.last(),
            OpKind::Reduce => self.results == 1 || self.ends_early,
            OpKind::ReduceWindow | OpKind::Sort => self.ends_early,
            OpKind::Concatenate
            | OpKind::DynamicSlice
            | OpKind::DynamicUpdateSlice
            | OpKind::Slice => self.moves_whole(other),
            OpKind::Pad => self.adds_as_much(other),
            OpKind::BroadcastInDim
            | OpKind::Iota
            | OpKind::Reshape
            | OpKind::Transpose
            | OpKind::Convert
            | OpKind::BitcastConvert => true,
            kind => cost::computes_elements(kind),
        }
    }
}

/// See [`Done::is_elementwise`].
fn is_elementwise(op: Op<'_>) -> bool {
    let is_one = |value: &Value<'_>| value.ty().element_count() == Some(1);
    let computes = match op.kind() {
        // Their numbers follow from a place, or from one another.
        OpKind::Rng | OpKind::RngBitGenerator => false,
        OpKind::Convert => true,
        kind => cost::computes_elements(kind),
    };
    let [result] = op.result_types()[..] else { return false };
    let are_alike = || {
        op.operands()
            .iter()
            .all(|operand| is_one(operand) || operand.ty().shape() == result.shape())
    };
    match op.kind() {
        OpKind::BroadcastInDim => is_one(&op.operand(0)),
        _ => computes && are_alike(),
    }
}

/// Whether each result is computed by an operation of its own: others are copied from buffers of the bound's size.
fn computes_results(module: &Module<'_>) -> bool {
    let is_computed = |op: Op<'_>| !matches!(op.kind(), OpKind::Constant | OpKind::BroadcastInDim);
    entry_functions(module).into_iter().all(|function| {
        let end = function.region(0).first_block().and_then(|body| body.terminator());
        let results = end.map_or_else(Vec::new, |end| end.operands());
        results.iter().enumerate().all(|(at, result)| {
            result.owner().is_some_and(is_computed) && !results[..at].contains(result)
        })
    })
}

fn is_contraction(kind: OpKind) -> bool {
    matches!(kind, OpKind::DotGeneral | OpKind::Convolution)
}

/// Whether each result is what a window up to its own element is reduced to.
fn is_running(op: Op<'_>) -> bool {
    let is_running = |window: PlainWindow| window.is_trivial() || window.is_up_to();
    op.result_count() == 1
        && PlainWindow::all(op).is_some_and(|all| all.into_iter().all(is_running))
}

/// Whether it is a reduction of elements and their places.
fn has_places(op: Op<'_>) -> bool {
    let is_iota = |operand: &Value<'_>| operand.owner().is_some_and(|op| op.kind() == OpKind::Iota);
    op.kind() == OpKind::Reduce
        && op.result_count() == 2
        && op.operands().get(1).is_some_and(is_iota)
}

/// Whether it reduces the innermost dimension alone, in long rows.
fn reduces_long_rows(op: Op<'_>) -> bool {
    let dims = op.attr("dimensions").and_then(|dims| dims.as_i64s()).unwrap_or_default();
    let shape = op.operand(0).ty().shape().unwrap_or_default();
    let is_innermost = matches!(dims[..], [only] if usize::try_from(only + 1) == Ok(shape.len()));
    is_innermost && shape.last().is_some_and(|row| *row >= MIN_SEARCHED_ROW)
}

/// Whether it is a sort whose comparison only compares and selects.
fn compares_alone(op: Op<'_>) -> bool {
    if op.kind() != OpKind::Sort {
        return false;
    }
    let Some(body) = op.region(0).first_block() else { return false };
    let is_plain = |op: Op<'_>| {
        matches!(
            op.kind(),
            OpKind::Compare
                | OpKind::Select
                | OpKind::Constant
                | OpKind::And
                | OpKind::Or
                | OpKind::Not
                | OpKind::Return
        )
    };
    body.ops().into_iter().all(is_plain)
}

/// See [`Done::constants`].
fn constants(op: Op<'_>) -> Vec<Content> {
    let operands = op.operands().into_iter().filter_map(|operand| operand.owner());
    let constants = operands.filter_map(cost::constant);
    constants.filter_map(|constant| Content::of(constant.attr("value")?)).collect()
}

/// See [`Done::sides`].
fn sides(op: Op<'_>) -> Option<[Range<usize>; 2]> {
    let numbers = op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute)?;
    let rank = op.result(0).ty().rank()?;
    let shared = numbers.lhs_batching_dimensions.len();
    let left = op.operand(0).ty().rank()?.checked_sub(numbers.lhs_contracting_dimensions.len())?;
    Some([shared..left, left..rank])
}

/// What the operations of a program of given sizes do.
fn done<'c>(options: &Options, context: &'c Context, module: &Module<'c>) -> Option<Vec<Done>> {
    let mut module = copy_of(context, module);
    module_op(&module).set_attr(strata_hlo::COMPARED, unit(context));
    strata_hlo::run(context, &mut module, options).ok()?;
    let work =
        |cost: Cost| cost.flops.saturating_add(cost.transcendentals.saturating_mul(TRANSCENDENTAL));
    let computes_all = computes_results(&module);
    let all = cost::each(&module).into_iter().map(|(op, cost)| Done {
        kind: op.kind(),
        results: op.result_count(),
        ends_early: is_running(op) || has_places(op) || compares_alone(op),
        finds_in_rows: has_places(op) && reduces_long_rows(op),
        is_elementwise: computes_all && is_elementwise(op),
        shape: op.result_types().first().and_then(|ty| ty.shape()).unwrap_or_default(),
        operands: op
            .operands()
            .into_iter()
            .map(|operand| operand.ty().shape().unwrap_or_default())
            .collect(),
        constants: constants(op),
        sides: sides(op).unwrap_or_default(),
        sorted: op
            .attr("dimension")
            .filter(|_| op.kind() == OpKind::Sort)
            .and_then(|dim| usize::try_from(dim.as_i64()?).ok()),
        // The steps of a running reduction wait for one another, and one from the last element on has no early end.
        work: work(cost).saturating_mul(cost::running_line(op).unwrap_or(1)),
        bytes: cost.bytes,
    });
    Some(all.collect())
}

/// A copy of a module, which takes less time than to read it again: constants are shared.
pub(super) fn copy_of<'c>(context: &'c Context, module: &Module<'c>) -> Module<'c> {
    let old = module_op(module);
    let new = Module::new(old.location());
    let at = Builder::at_end(context, module_op(&new).body(0), old.location());
    for op in old.body(0).ops() {
        at.insert(op.clone_detached());
    }
    for (name, value) in old.attrs() {
        module_op(&new).set_attr(name, value);
    }
    new
}
