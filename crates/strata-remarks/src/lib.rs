//! Remarks: which decisions were taken about which operations of the program, for those who ask.
//!
//! Operations keep their identity on the way down through their locations. [`number`] wraps the location of each operation of the
//! program into a fused one that says its number, which passes and patterns carry along as they carry any location; [`mark`]
//! does the same for the operations of a scheduled nest; [`subject`] reads both back; [`unwrap`] removes them. Stages record
//! decisions with [`remark`]. Without a [`Recording`] remarks are not collected; the compiled code is the same either way.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use strata_diag::Location as SourceLocation;
use strata_ir::{
    AttributeExt as _, Context, Location, LocationParts, Module, Op, WalkOrder, affine,
    attribute_address, builtin, chlo, func, llvm, location_parts, module_op, scf, source_location,
    stablehlo, type_address, vhlo,
};

mod locations;

use locations::{OPERATION, own_number, wrapped};
pub use locations::{ORIGINS, mark, origin_of, settle, subject, subject_of, unwrap};

/// What a remark is about: operations of the program by number, and nests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Operations of the program.
    pub operations: BTreeSet<usize>,
    /// Scheduled nests; their operations are listed where the nest is.
    pub nests: BTreeSet<usize>,
    /// Inputs of the program.
    pub inputs: BTreeSet<usize>,
    /// Calls, by the number of their operation, that were replaced by what they call, and so by these operations.
    pub calls: BTreeSet<usize>,
}

impl Subject {
    /// Adds what another is about.
    pub fn extend(&mut self, other: Self) {
        self.operations.extend(other.operations);
        self.nests.extend(other.nests);
        self.inputs.extend(other.inputs);
        self.calls.extend(other.calls);
    }
}

/// What code comes from: other than a [`Subject`], with the operations in a nest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Scheduled nests.
    pub nests: BTreeSet<usize>,
    /// Operations of the program. Equal nests share what was scheduled for the first of them: in the others, those of the first.
    pub operations: BTreeSet<usize>,
    /// The calls around them, as in a [`Subject`].
    pub calls: BTreeSet<usize>,
}

/// A temporary in the arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemporaryBuffer {
    /// What first writes it.
    pub of: Origin,
    /// Where it begins in the workspace.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
    /// The first point of [`Arena::points`] at which it is live.
    pub first: u64,
    /// The last one.
    pub last: u64,
}

/// The memory plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arena {
    /// Bytes of the workspace.
    pub bytes: u64,
    /// The largest sum of the sizes of temporaries that are live at the same point.
    pub peak: u64,
    /// Those whose contents are used, in the order of the program.
    pub temporaries: Vec<TemporaryBuffer>,
    /// The points at which operations of the entry, and of blocks in it that have temporaries of their own, begin; in order.
    pub points: Vec<(u64, Origin)>,
}

/// An operation of the program, as it was before the first stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedOperation {
    /// Such as `stablehlo.add`.
    pub name: String,
    /// The types of its results.
    pub types: Vec<String>,
    /// Its source location, where the program has one.
    pub place: Option<SourceLocation>,
    /// The name in its location, such as JAX's `jit(f)/mul`.
    pub label: Option<String>,
    /// The operations that use its results, by number.
    pub users: BTreeSet<usize>,
    /// Whether it is a constant, or computed from constants only.
    pub is_constant: bool,
    /// Whether a result of it is used, by something that is itself used or has none.
    pub is_used: bool,
    /// An operation before it in its block that computes the same from the same operands.
    pub equal: Option<usize>,
    /// The function that it is in.
    pub function: String,
}

impl fmt::Display for NumberedOperation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.name)?;
        if let [first, others @ ..] = self.types.as_slice() {
            let more = if others.is_empty() { "" } else { ", …" };
            write!(formatter, " -> {first}{more}")?;
        }
        if let Some(place) = &self.place {
            write!(formatter, " at {place}")?;
        }
        match &self.label {
            Some(label) => write!(formatter, " ({label})"),
            None => Ok(()),
        }
    }
}

/// A schedule that was considered for a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The strategy, with its parameters where it got that far: `registers 6x64 packed`.
    pub schedule: String,
    /// Why it was declined; `None` for the one that was chosen.
    pub declined: Option<String>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Operations that run in one loop nest.
    Nest {
        /// Its number, by which [`mark`] knows it.
        number: usize,
        /// The name of its kernel in `strata schedule`; nests that equal each other share it.
        kernel: Option<String>,
        /// Trip counts, and whether the loop is a reduction, where the nest has one operation with loops of its own.
        loops: Vec<(i64, bool)>,
        /// The scalar operations that it computes with; none where it moves elements only.
        computes: BTreeSet<String>,
        /// The schedules that were considered, in order.
        attempts: Vec<Attempt>,
    },
    /// A way to compute an operation that was not taken, before there are nests.
    Declined {
        /// The way, and why it was not taken.
        attempt: Attempt,
    },
    /// A tensor that is copied from one buffer to another.
    Copy {
        /// Its size, where it is known.
        bytes: Option<u64>,
        /// The number of loops around the copy.
        depth: usize,
        /// What it is copied for.
        purpose: String,
        /// Why the two do not share a buffer.
        because: String,
        /// The operations that the reason is about.
        blame: Subject,
    },
    /// Values that devices exchange because they are split over them.
    Exchange {
        /// The collective: `all_gather`.
        what: String,
        /// How many devices exchange with one another.
        members: u64,
        /// Bytes that a device receives.
        bytes: u64,
        /// What they are exchanged for.
        purpose: String,
    },
    /// Memory of the workspace that only one nest uses: packed panels, transposed or converted operands, partial sums.
    Scratch {
        /// Its size.
        bytes: u64,
    },
    /// Where the temporaries of the whole program are.
    Arena(Arena),
    /// Elements of weights that a nest reads in a layout of its own, into which the compiler copied them, or a function that the
    /// caller calls once.
    Prepared {
        /// Their size.
        bytes: u64,
        /// Whether the caller has them copied: they are of inputs.
        by_caller: bool,
    },
    /// A loop that was split into tasks, as [`Self::Tasks`] said, and stays whole after all.
    Whole {
        /// The number of tasks that it was split into.
        tasks: i64,
        /// Why.
        because: String,
    },
    /// A loop that is split into tasks for the caller's threads, or is not.
    Tasks {
        /// Their number; `None` for a loop that stays whole.
        tasks: Option<i64>,
        /// How often a call of the program runs the loop; `None` where a loop around it has no constant trip count.
        runs: Option<i64>,
        /// The estimated time of the whole loop on one thread.
        nanoseconds: f64,
        /// Why it stays whole.
        because: Option<String>,
    },
    /// The orders of dimensions in which values are computed, where these are not the program's.
    Layouts {
        /// How many values there are of each.
        orders: BTreeMap<Vec<usize>, usize>,
        /// How many values are transposed between the program's orders and these, constants left out.
        transposes: usize,
        /// Their size.
        bytes: u64,
    },
    /// How the values of a function are split over devices.
    Shardings {
        /// The function.
        function: String,
        /// The number of its tensors.
        values: usize,
        /// How many of them are split.
        split: usize,
        /// Operations with values that are split in ways that do not fit together, and how.
        conflicts: Vec<(String, String)>,
    },
}

/// A decision about something.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// What it is about.
    pub subject: Subject,
    /// What was decided.
    pub decision: Decision,
}

thread_local! {
    static REMARKS: RefCell<Option<Vec<Remark>>> = const { RefCell::new(None) };
}

/// As long as it lives, remarks are recorded.
#[derive(Debug)]
pub struct Recording {
    /// What was recorded around it, which goes on when this ends.
    outer: Option<Vec<Remark>>,
}

impl Recording {
    /// Begins to record. A compilation stays on one thread, so that what is recorded belongs to the thread.
    #[must_use]
    pub fn start() -> Self {
        Self { outer: REMARKS.replace(Some(Vec::new())) }
    }

    /// What was recorded since the start, or the last time that this was asked.
    pub fn take(&mut self) -> Vec<Remark> {
        REMARKS.with_borrow_mut(|all| all.as_mut().map(std::mem::take).unwrap_or_default())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        REMARKS.replace(self.outer.take());
    }
}

/// Whether remarks are collected.
pub fn wants_remarks() -> bool {
    REMARKS.with_borrow(Option::is_some)
}

/// Records a remark, if remarks are collected.
pub fn remark(make: impl FnOnce() -> Remark) {
    if wants_remarks() {
        let made = make();
        REMARKS.with_borrow_mut(|all| {
            if let Some(all) = all {
                all.push(made);
            }
        });
    }
}

/// Records why an operation at `location` is not computed in some way, if remarks are collected.
pub fn decline(location: Location<'_>, way: &str, because: impl FnOnce() -> String) {
    remark(|| {
        let attempt = Attempt { schedule: way.to_owned(), declined: Some(because()) };
        Remark { subject: subject_of(location), decision: Decision::Declined { attempt } }
    });
}

/// Numbers the operations of the program that stand in functions and in control flow; what is in the region of any other
/// operation (the sum of a reduction, say) counts as that operation.
pub fn number(context: &Context, module: &Module<'_>) -> Vec<NumberedOperation> {
    let (mut numbered, mut computations) = (Vec::new(), Vec::new());
    let root = module_op(module);
    root.walk(WalkOrder::Pre, &mut |op| {
        if outermost_computation(op) != Some(op) {
            return;
        }
        if op.block().and_then(|block| block.terminator()) == Some(op) {
            // What control flow carries and returns is its own doing.
            let around = op.parent().filter(|parent| !is_function(*parent));
            if let Some(number) = around.and_then(|parent| own_number(parent.location())) {
                op.set_location(wrapped(context, OPERATION, number, op.location()));
            }
            return;
        }
        let number = numbered.len();
        numbered.push(NumberedOperation {
            name: op.name().into(),
            types: op.result_types().into_iter().map(|ty| ty.to_string()).collect(),
            place: source_location(op.location()),
            label: label(op.location()),
            users: BTreeSet::new(),
            is_constant: false,
            is_used: true,
            equal: None,
            function: function_around(op),
        });
        computations.push(op);
        if is_control_flow(op) {
            op.set_location(wrapped(context, OPERATION, number, op.location()));
        } else {
            op.walk(WalkOrder::Pre, &mut |inner| {
                inner.set_location(wrapped(context, OPERATION, number, inner.location()));
            });
        }
    });
    relate(&computations, &mut numbered);
    numbered
}

/// Enters operands, uses and equal operations. `computations` are the numbered operations.
fn relate(computations: &[Op<'_>], numbered: &mut [NumberedOperation]) {
    let numbers: HashMap<_, _> =
        computations.iter().enumerate().map(|(number, op)| (*op, number)).collect();
    let mut known = HashMap::new();
    for (number, op) in computations.iter().enumerate() {
        let mut operands = BTreeSet::new();
        let mut is_constant = !is_control_flow(*op);
        let mut take = |inner: Op<'_>| {
            for value in inner.operands() {
                match value.owner().and_then(|owner| numbers.get(&owner)) {
                    Some(operand) if *operand != number => drop(operands.insert(*operand)),
                    Some(_) => {}
                    // An argument, or a value of the operation's own region.
                    None => is_constant &= inner != *op,
                }
            }
        };
        if is_control_flow(*op) {
            // Operations in its regions have users of their own; what the regions end with is its own.
            take(*op);
            let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
            blocks.filter_map(|block| block.terminator()).for_each(take);
        } else {
            op.walk(WalkOrder::Pre, &mut take);
        }
        is_constant &= match operands.is_empty() {
            true => matches!(op.name(), stablehlo::CONSTANT | stablehlo::IOTA | chlo::CONSTANT),
            false => operands.iter().all(|operand| numbered[*operand].is_constant),
        };
        numbered[number].is_constant = is_constant;
        for operand in operands {
            numbered[operand].users.insert(number);
        }
        if op.region_count() > 0 || op.result_count() == 0 {
            continue;
        }
        let attributes: Vec<_> =
            op.attrs().into_iter().map(|(name, value)| (name, attribute_address(value))).collect();
        let types: Vec<_> = op.result_types().into_iter().map(type_address).collect();
        // Operands that are merged with equal ones are equal.
        let merged = |value: strata_ir::Value<'_>| {
            let owner = value.owner().and_then(|owner| numbers.get(&owner).copied());
            owner.map(|owner| (numbered[owner].equal.unwrap_or(owner), value.result_index()))
        };
        let operands: Vec<_> =
            op.operands().into_iter().map(|value| merged(value).ok_or(value)).collect();
        let key = (op.block(), op.name(), attributes, operands, types);
        numbered[number].equal = known.get(&key).copied();
        known.entry(key).or_insert(number);
    }
    for (number, op) in computations.iter().enumerate().rev() {
        let is_used = |user: &Op<'_>| {
            let around = outermost_computation(*user).and_then(|user| numbers.get(&user).copied());
            around.is_none_or(|user| user == number || numbered[user].is_used)
        };
        let mut users = op.results().into_iter().flat_map(|value| value.uses());
        let is_used = op.result_count() == 0
            || op.region_count() > 0 && is_control_flow(*op)
            || users.any(|(user, _)| is_used(&user));
        numbered[number].is_used = is_used;
    }
}

/// The outermost name in a location that also has a place in a file.
fn label(location: Location<'_>) -> Option<String> {
    source_location(location)?;
    match location_parts(location) {
        LocationParts::Named(name, _) => Some(name.to_owned()),
        _ => None,
    }
}

fn function_around(op: Op<'_>) -> String {
    let around = std::iter::successors(op.parent(), |op| op.parent()).find(|op| is_function(*op));
    let name = around.and_then(|function| function.attr("sym_name")?.as_str());
    name.unwrap_or_default().to_owned()
}

/// The functions that are reached from `entry` through calls, regions given by name, and the like.
pub fn reached_from(module: &Module<'_>, entry: &str) -> BTreeSet<String> {
    let functions: HashMap<_, _> = module_op(module)
        .body(0)
        .ops()
        .into_iter()
        .filter(|op| is_function(*op))
        .filter_map(|op| Some((op.attr("sym_name")?.as_str()?, op)))
        .collect();
    let mut reached = BTreeSet::new();
    let mut open = vec![entry.to_owned()];
    while let Some(name) = open.pop() {
        let Some(function) = functions.get(name.as_str()) else { continue };
        if !reached.insert(name) {
            continue;
        }
        function.walk(WalkOrder::Pre, &mut |op| {
            for (_, attribute) in op.attrs() {
                let list = attribute.as_array().unwrap_or_default();
                let named = [attribute].into_iter().chain(list);
                open.extend(named.filter_map(|one| one.as_symbol()).map(str::to_owned));
            }
        });
    }
    reached
}

/// The operation itself, or the one around it whose region it computes in; `None` for functions and the module.
fn outermost_computation(op: Op<'_>) -> Option<Op<'_>> {
    if is_function(op) || op.is(builtin::MODULE) {
        return None;
    }
    let around = std::iter::successors(op.parent(), |op| op.parent());
    let mut outermost = op;
    for parent in around {
        if is_function(parent) {
            return Some(outermost);
        }
        if !is_control_flow(parent) {
            outermost = parent;
        }
    }
    None
}

fn is_function(op: Op<'_>) -> bool {
    matches!(op.name(), func::FUNC | llvm::FUNC | vhlo::FUNC_V1)
}

/// Operations whose regions hold operations of the program in their own right.
fn is_control_flow(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        stablehlo::WHILE
            | stablehlo::IF
            | stablehlo::CASE
            | scf::FOR
            | scf::WHILE
            | scf::IF
            | scf::INDEX_SWITCH
            | affine::FOR
    )
}
