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
//! A constant in two layouts takes twice the memory. This happens where something else reads it as it is, or in a third layout;
//! [`MAX_GROWTH`] says how much more than in the program all of them may take.

mod boxes;
mod known;
mod moves;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    AffineExpr, AffineMap, Builder, Context, DYNAMIC, Module, Op, TypeExt as _, Value, affine,
    arith, dense_bytes, func, index, module_op,
    remarks::{Decision, Remark, remark, subject},
    tensor,
    tuning::constants::{MAX_GROWTH, MAX_PADDING},
};

pub(crate) use self::known::is_weight;
use self::{
    known::{Counted, Known, Made},
    moves::{Machine, Program, Translator, byte_count},
};

/// Replaces tensors that hold moved elements of constants by constants.
pub(crate) fn lay_out<'c>(context: &'c Context, module: &Module<'c>) {
    let is_function = |op: &Op<'c>| op.is(func::FUNC) && op.region(0).first_block().is_some();
    for function in module_op(module).body(0).ops().into_iter().filter(is_function) {
        let known = Known::of(function);
        let mut constants = Constants { context, function, made: FxHashMap::default() };
        // All are evaluated before one is replaced: one may be computed from another.
        let chosen = chosen(&known).into_iter();
        let pieces: Vec<_> = chosen.filter_map(|made| constants.add(made)).collect();
        pieces.iter().for_each(|piece| constants.replace(piece));
    }
}

/// The tensors that are worth their memory.
fn chosen<'c>(known: &Known<'c>) -> Vec<Made<'c>> {
    let mut all: Vec<_> = known.made().into_iter().filter(|made| size(made).is_some()).collect();
    let weights = |all: &[Made<'c>]| {
        let mut found: Vec<Op<'c>> = Vec::new();
        for weight in all.iter().flat_map(|made| &made.weights) {
            if !found.contains(weight) {
                found.push(*weight);
            }
        }
        found
    };
    let gone: FxHashSet<_> = all.iter().map(|made| made.op).collect();
    let mut growth: Vec<(usize, Op<'c>)> = Vec::new();
    let mut total = 0;
    for weight in weights(&all) {
        let plain = byte_count(weight.result(0).ty()).unwrap_or_default();
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
    let weights = made.weights.iter().filter_map(|weight| byte_count(weight.result(0).ty()));
    (bytes > 0 && bytes / MAX_PADDING <= weights.sum()).then_some(bytes)
}

/// The constants of a function.
struct Constants<'c> {
    context: &'c Context,
    function: Op<'c>,
    /// Those that were made, by what computes them.
    made: FxHashMap<String, Value<'c>>,
}

/// A tensor, and the constant that has it.
struct Piece<'c> {
    made: Made<'c>,
    constant: Value<'c>,
}

impl<'c> Constants<'c> {
    /// Adds the constant that has a tensor for each iteration of the loops that it depends on.
    fn add(&mut self, made: Made<'c>) -> Option<Piece<'c>> {
        let key = made.key();
        let constant = match self.made.get(&key) {
            Some(constant) => *constant,
            None => self.constant(&made)?,
        };
        self.made.insert(key, constant);
        remark(|| Remark {
            subject: subject(made.op),
            decision: Decision::Prepared {
                bytes: byte_count(constant.ty()).unwrap_or_default() as u64,
            },
        });
        Some(Piece { made, constant })
    }

    /// The constant, with the location of the first weight in it.
    fn constant(&self, made: &Made<'c>) -> Option<Value<'c>> {
        let result = made.op.result(0).ty();
        let sizes = made.loops.iter().map(Counted::trips);
        let shape: Vec<_> = sizes.chain(result.shape()?).collect();
        let ty = tensor(&shape, result.element());
        let value = dense_bytes(ty, &evaluate(made)?)?;
        let first = self.function.region(0).first_block()?.first_op()?;
        let location = made.weights.first()?.location();
        let at = Builder { location, ..Builder::before(self.context, first) };
        Some(arith::constant(&at, value, ty).value())
    }

    fn replace(&self, Piece { made, constant }: &Piece<'c>) {
        let value = match made.loops.is_empty() {
            true => *constant,
            false => self.part(made, *constant),
        };
        made.op.result(0).replace_all_uses_with(value);
        for op in made.ops.iter().rev().filter(|op| !op.is_erased() && op.is_unused()) {
            op.erase();
        }
    }

    /// The part of a constant that an iteration reads.
    fn part(&self, made: &Made<'c>, constant: Value<'c>) -> Value<'c> {
        let at = Builder::before(self.context, made.op);
        let result = made.op.result(0).ty();
        let inner = result.shape().unwrap_or_default();
        let around = made.loops.len();
        let offsets = [vec![DYNAMIC; around], vec![0; inner.len()]].concat();
        let sizes = [vec![1; around], inner].concat();
        let numbers: Vec<_> = made
            .loops
            .iter()
            .map(|one| {
                let passed = AffineExpr::dim(0) + -one.first;
                let map = AffineMap::new(1, vec![passed.floor_div(one.step)]);
                affine::apply(&at, &map, &[one.counter()], index(self.context)).value()
            })
            .collect();
        let ones = vec![1; sizes.len()];
        tensor::extract_slice(&at, constant, &offsets, &sizes, &ones, result)
            .offsets(&numbers)
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
    let mut bytes = Vec::with_capacity(size(made)?);
    let mut machine = translator.machine();
    Run { made, translator, programs, counters }.level(0, &mut machine, &mut bytes)?;
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
