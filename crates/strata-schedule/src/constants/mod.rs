//! Layouts of constants: what is copied from a constant into another layout is copied by the compiler.
//!
//! ```text
//! %w = arith.constant dense<…> : tensor<512x520xf32>
//! scf.for %j = 0 to 504 step 24 {
//!   %panel = scf.for %i = 0 to 512 step 1 { … vector.transfer_read %w[%i, %j + …], vector.transfer_write … }
//!   scf.for … { … vector.transfer_read %panel[%k, 0] … }
//! }
//! ```
//! becomes
//! ```text
//! %w = arith.constant dense<…> : tensor<21x512x24xf32>
//! scf.for %j = 0 to 504 step 24 {
//!   %panel = tensor.extract_slice %w[%j floordiv 24, 0, 0] [1, 512, 24] [1, 1, 1]
//!   scf.for … { … vector.transfer_read %panel[%k, 0] … }
//! }
//! ```
//!
//! It does not matter who copies, nor how: any operations that only move elements, of any type, from constants to places that
//! depend on constants and the counters of loops ([`known`]) are run on the constant's bytes ([`moves`]).
//!
//! Inputs that are prepared ([`prepared`]) are laid out by a function that runs the same operations.
//!
//! A constant in two layouts takes twice the memory. This happens where something else reads it as it is, or in a third layout;
//! [`MAX_GROWTH`] says how much more than in the program all of them may take.

mod boxes;
mod known;
mod moves;
mod prepared;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_diag::Diagnostic;
use strata_ir::{
    AffineExpr, AffineMap, Builder, Context, DYNAMIC, Module, Op, PREPARE, Type, TypeExt as _,
    Value, affine, arith, dense_owned, func, index, module_op, tensor,
};
use strata_options::Options;
use strata_remarks::{Decision, Remark, remark, subject};
use strata_target::tuning::constants::{MAX_GROWTH, MAX_PADDING};

pub(crate) use self::known::{is_weight, reordered};
use self::{
    known::{Counted, Known, Made},
    moves::{Machine, Program, Translator, byte_count},
    prepared::{Layouts, whole},
};

/// Replaces tensors that hold moved elements of constants by constants, and those of inputs that are prepared by inputs.
///
/// # Errors
/// As [`Layouts::of`] and [`Layouts::finish`].
pub(crate) fn lay_out<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let is_function = |op: &Op<'c>| op.is(func::FUNC) && op.region(0).first_block().is_some();
    for function in module_op(module).body(0).ops().into_iter().filter(is_function) {
        let is_prepared = function.has_attr(PREPARE);
        if !is_prepared && !options.laid_out.may_have_any() {
            continue;
        }
        let known = Known::of(function, &options.laid_out);
        let mut constants = Constants { context, function, made: FxHashMap::default() };
        let (of_inputs, chosen): (Vec<_>, Vec<_>) =
            chosen(&known).into_iter().partition(Made::is_of_inputs);
        // All are evaluated before one is replaced: one may be computed from another.
        let mut pieces: Vec<_> =
            chosen.into_iter().filter_map(|made| told(constants.add(made))).collect();
        let mut layouts = match is_prepared {
            true => Some(Layouts::of(context, function)?),
            false => None,
        };
        let of_inputs = of_inputs.into_iter();
        pieces.extend(of_inputs.filter_map(|made| told(layouts.as_mut()?.add(made))));
        pieces.iter().for_each(|piece| piece.replace(context));
        if let Some(layouts) = layouts {
            layouts.finish(options)?;
        }
    }
    Ok(())
}

/// The tensors that are worth their memory.
fn chosen<'c>(known: &Known<'c, '_>) -> Vec<Made<'c>> {
    let mut all: Vec<_> = known.made().into_iter().filter(|made| size(made).is_some()).collect();
    let weights = |all: &[Made<'c>]| {
        let mut found: Vec<Value<'c>> = Vec::new();
        for weight in all.iter().flat_map(|made| &made.weights) {
            if !found.contains(weight) {
                found.push(*weight);
            }
        }
        found
    };
    let gone: FxHashSet<_> = all.iter().map(|made| made.op).collect();
    let mut growth: Vec<(usize, Value<'c>)> = Vec::new();
    let mut total = 0;
    for weight in weights(&all) {
        let plain = byte_count(weight.ty()).unwrap_or_default();
        total += plain;
        // What is read alike is held once.
        let layouts = all.iter().filter(|made| made.weights.contains(&weight));
        let layouts: BTreeMap<_, _> = layouts.map(|made| (made.key(), size(made))).collect();
        let bytes: usize = layouts.into_values().flatten().sum();
        let freed = if known.is_left(weight, &gone) { 0 } else { plain };
        growth.push((bytes.saturating_sub(freed), weight));
    }
    // The smallest first, so that as many as possible fit.
    growth.sort_by_key(|(bytes, _)| *bytes);
    let mut left = total / 100 * MAX_GROWTH;
    for (bytes, weight) in growth {
        match left.checked_sub(bytes) {
            Some(rest) => left = rest,
            None => all.retain(|made| !made.weights.contains(&weight)),
        }
    }
    all
}

/// The bytes of the constant for a tensor, unless it would repeat or pad more than it moves.
fn size(made: &Made<'_>) -> Option<usize> {
    let one = byte_count(made.op.result(0).ty())?;
    let trips = made.loops.iter().map(|one| usize::try_from(one.trips()).ok());
    let bytes = trips.into_iter().try_fold(one, |all, trips| all.checked_mul(trips?))?;
    let weights = made.weights.iter().filter_map(|weight| byte_count(weight.ty()));
    (bytes > 0 && bytes / MAX_PADDING <= weights.sum()).then_some(bytes)
}

/// The constants of a function.
struct Constants<'c> {
    context: &'c Context,
    function: Op<'c>,
    /// Those that were made, by what computes them.
    made: FxHashMap<String, Value<'c>>,
}

/// A tensor, and what has it for each iteration of the loops that it depends on.
struct Piece<'c> {
    made: Made<'c>,
    whole: Value<'c>,
}

/// Remarks that a nest reads what was laid out for it.
fn told(piece: Option<Piece<'_>>) -> Option<Piece<'_>> {
    if let Some(Piece { made, whole }) = &piece {
        remark(|| Remark {
            subject: subject(made.op),
            decision: Decision::Prepared {
                bytes: byte_count(whole.ty()).unwrap_or_default() as u64,
                by_caller: made.is_of_inputs(),
            },
        });
    }
    piece
}

impl<'c> Constants<'c> {
    /// Adds the constant that has a tensor for each iteration of the loops that it depends on.
    fn add(&mut self, made: Made<'c>) -> Option<Piece<'c>> {
        let key = made.key();
        let whole = match self.made.get(&key) {
            Some(constant) => *constant,
            None => self.constant(&made)?,
        };
        self.made.insert(key, whole);
        Some(Piece { made, whole })
    }

    /// The constant, with the location of the first weight in it.
    fn constant(&self, made: &Made<'c>) -> Option<Value<'c>> {
        let ty = whole(made)?;
        let value = dense_owned(ty, evaluate(made)?)?;
        let first = self.function.region(0).first_block()?.first_op()?;
        let location = made.weights.first()?.owner()?.location();
        let at = Builder { location, ..Builder::before(self.context, first) };
        Some(arith::constant(&at, value, ty).value())
    }
}

impl<'c> Piece<'c> {
    fn replace(&self, context: &'c Context) {
        let Self { made, whole } = self;
        let at = Builder::before(context, made.op);
        let result = made.op.result(0).ty();
        let part =
            place(&at, &made.loops, Some, result).map(|place| place.read(&at, *whole, result));
        let value = match made.loops.is_empty() {
            true => *whole,
            false => part.unwrap_or(*whole),
        };
        made.op.result(0).replace_all_uses_with(value);
        for op in made.ops.iter().rev().filter(|op| !op.is_erased() && op.is_unused()) {
            op.erase();
        }
    }
}

/// The part of one iteration in the tensors of all.
struct Part<'c> {
    offsets: Vec<i64>,
    sizes: Vec<i64>,
    numbers: Vec<Value<'c>>,
}

/// The part of type `part` of an iteration of `loops`, whose counters are as `counter` says.
fn place<'c>(
    at: &Builder<'c>,
    loops: &[Counted<'c>],
    counter: impl Fn(Value<'c>) -> Option<Value<'c>>,
    part: Type<'c>,
) -> Option<Part<'c>> {
    let inner = part.shape()?;
    let number = |one: &Counted<'c>| {
        let passed = AffineExpr::dim(0) + -one.first;
        let map = AffineMap::new(1, vec![passed.floor_div(one.step)]);
        Some(affine::apply(at, &map, &[counter(one.counter())?], index(at.context)).value())
    };
    Some(Part {
        offsets: [vec![DYNAMIC; loops.len()], vec![0; inner.len()]].concat(),
        sizes: [vec![1; loops.len()], inner].concat(),
        numbers: loops.iter().map(number).collect::<Option<_>>()?,
    })
}

impl<'c> Part<'c> {
    fn ones(&self) -> Vec<i64> {
        vec![1; self.sizes.len()]
    }

    fn read(&self, at: &Builder<'c>, whole: Value<'c>, part: Type<'c>) -> Value<'c> {
        tensor::extract_slice(at, whole, &self.offsets, &self.sizes, &self.ones(), part)
            .offsets(&self.numbers)
            .value()
    }

    fn insert(&self, at: &Builder<'c>, part: Value<'c>, whole: Value<'c>) -> Value<'c> {
        tensor::insert_slice(at, part, whole, &self.offsets, &self.sizes, &self.ones(), whole.ty())
            .offsets(&self.numbers)
            .value()
    }
}

/// The tensor in each iteration of the loops that it depends on, one after the other.
fn evaluate(made: &Made<'_>) -> Option<Vec<u8>> {
    let mut translator = Translator::default();
    // What runs in each iteration of a loop, and before all of them.
    let mut programs: Vec<_> =
        std::iter::repeat_with(Program::default).take(made.loops.len() + 1).collect();
    for op in &made.ops {
        let level = made.loops.iter().filter(|one| one.op.encloses(*op)).count();
        translator.add(*op, &mut programs[level])?;
    }
    let counters: Vec<_> = made.loops.iter().map(|one| translator.index(one.counter())).collect();
    let mut machine = translator.machine();
    let run = Run { made, translator, programs, counters };
    let bytes = match made.loops.is_empty() {
        true => {
            machine.run(run.programs.first()?)?;
            machine.take_bytes(&run.translator, made.op.result(0))?
        }
        false => {
            let mut bytes = Vec::with_capacity(size(made)?);
            run.level(0, &mut machine, &mut bytes)?;
            bytes
        }
    };
    machine.unload();
    Some(bytes)
}

/// The evaluation of a tensor.
struct Run<'m, 'c> {
    made: &'m Made<'c>,
    translator: Translator<'c>,
    programs: Vec<Program<'c>>,
    counters: Vec<usize>,
}

impl<'c> Run<'_, 'c> {
    fn level(&self, level: usize, machine: &mut Machine<'c>, bytes: &mut Vec<u8>) -> Option<()> {
        machine.run(&self.programs[level])?;
        let Some(counted) = self.made.loops.get(level) else {
            let one = machine.bytes(&self.translator, self.made.op.result(0))?;
            bytes.extend_from_slice(one);
            return Some(());
        };
        (0..counted.trips()).try_for_each(|trip| {
            machine.set(self.counters[level], counted.first + trip * counted.step);
            self.level(level + 1, machine, bytes)
        })
    }
}
