//! `scatter`: sequential loops over the updates, since several may have the same index.
//!
//! ```text
//! %r = "stablehlo.scatter"(%x, %ids, %rows) ({ add }) : (tensor<11x6xf32>, tensor<5x1xi32>, tensor<5x6xf32>)
//! ```
//! becomes
//! ```text
//! scf.for %i = 0 to 5 iter_args(%x) {
//!   %row = %ids[%i]
//!   scf.if (%row is inside) {
//!     scf.for %j = 0 to 6 iter_args(%x) { %x[%row, %j] = %x[%row, %j] + %rows[%i, %j] }
//!   }
//! }
//! ```
//!
//! A window that is not inside the operand as a whole is skipped: this is checked once per index, so that inner loops have no
//! condition. By the specification only those elements are skipped that are outside of the operand, so that each of a window that
//! moves along a dimension is checked.

use strata_ir::{Builder, Op, OpKind, Semantics, Type, TypeExt as _, Value, arith, integer};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    dims::{ScatterDims, scatter_dims, shape},
    loops::{for_nest, insert, when},
    lowerings::{
        convert::{convert, resize},
        gather_scatter::gather::index_components,
    },
    scalar,
};

/// The lowering of `scatter`.
pub struct Scatter;

impl Lowering for Scatter {
    fn name(&self) -> &'static str {
        "scatter"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Scatter]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let count = op.result_count();
        (count > 0 && operands.len() == 2 * count + 1).or_decline("the operands do not match")?;
        let (inputs, rest) = operands.split_at(count);
        let updates = &rest[1..];
        let plan = Plan::of(op, inputs[0], updates[0])?;
        let signed = !op.operand(count).ty().element().is_unsigned_int();
        let components =
            index_components(lowerer, op.operand(count), plan.numbers.index_vector_dim)?;
        let updater = Updater::of(op, count)?;
        let batch: Vec<i64> = plan.batch.iter().map(|dim| plan.update_sizes[*dim]).collect();
        let window: Vec<i64> =
            plan.numbers.window.iter().map(|dim| plan.update_sizes[*dim]).collect();
        for_nest(&builder, &batch, inputs, &mut |outer, at_batch, carried| {
            let starts = plan.starts(outer, &components, at_batch, signed);
            let outer_checks = plan.checks(outer, &starts, None);
            guarded(outer, outer_checks, carried, |guarded_builder| {
                for_nest(guarded_builder, &window, carried, &mut |inner, at_window, carried| {
                    let update_at = plan.update_index(at_batch, at_window);
                    let checks = plan.checks(inner, &starts, Some(at_window));
                    let target = plan.target(inner, &starts, at_window);
                    guarded(inner, checks, carried, |inner| {
                        updater.update(inner, carried, &target, updates, &update_at, lowerer)
                    })
                })
            })
        })
    }
}

/// `body` where all `checks` hold.
fn guarded<'c>(
    builder: &Builder<'c>,
    checks: Vec<Value<'c>>,
    carried: &[Value<'c>],
    body: impl FnOnce(&Builder<'c>) -> Outcome<Vec<Value<'c>>>,
) -> Outcome<Vec<Value<'c>>> {
    let all = checks.into_iter().reduce(|all, one| builder.same(arith::ANDI, &[all, one]));
    match all {
        None => body(builder),
        Some(condition) => when(builder, condition, carried, body),
    }
}

/// How updates map to the operand.
struct Plan {
    numbers: ScatterDims,
    semantics: Semantics,
    /// The operand's sizes.
    sizes: Vec<i64>,
    update_sizes: Vec<i64>,
    /// The update dimensions that run over indices.
    batch: Vec<usize>,
    /// The position in the window of each operand dimension that has one.
    window_of: Vec<Option<usize>>,
}

impl Plan {
    fn of<'c>(op: Op<'c>, input: Value<'c>, update: Value<'c>) -> Outcome<Self> {
        let numbers = scatter_dims(op)?;
        let sizes = shape(input)?;
        let update_sizes = shape(update)?;
        let batch = (0..update_sizes.len()).filter(|dim| !numbers.window.contains(dim)).collect();
        let mut next = 0;
        let window_of = (0..sizes.len())
            .map(|dim| {
                let absent =
                    numbers.inserted.contains(&dim) || numbers.input_batching.contains(&dim);
                (!absent).then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let semantics = Semantics::of(op);
        Ok(Self { numbers, semantics, sizes, update_sizes, batch, window_of })
    }

    /// Where the window starts in each operand dimension that an index or a batch decides, as `i64`.
    fn starts<'c>(
        &self,
        b: &Builder<'c>,
        components: &[Value<'c>],
        at_batch: &[Value<'c>],
        signed: bool,
    ) -> Vec<Option<Value<'c>>> {
        let i64_type = integer(b.context, 64);
        (0..self.sizes.len())
            .map(|dim| {
                let batching = self.numbers.input_batching.iter().position(|other| *other == dim);
                if let Some(position) = batching {
                    let of_indices = self.numbers.indices_batching[position];
                    let vector = self.numbers.index_vector_dim;
                    let at = if of_indices > vector { of_indices - 1 } else { of_indices };
                    return Some(b.cast(arith::INDEX_CAST, at_batch[at], i64_type));
                }
                let component = self.numbers.to_operand.iter().position(|other| *other == dim)?;
                let start = resize(b, b.extract(components[component], at_batch), i64_type, signed);
                // An unsigned start beyond all operands must not turn negative.
                Some(if signed || strata_ir::planted("linalg-scatter-unsigned") {
                    start
                } else {
                    b.same(arith::MINUI, &[start, b.int(i64_type, 1 << 62)])
                })
            })
            .collect()
    }

    /// The conditions on where the window starts (`at_window` is `None`), or on the elements of one that may be partly outside; a
    /// dimension without a start, or a batched one, is always in bounds.
    fn checks<'c>(
        &self,
        b: &Builder<'c>,
        starts: &[Option<Value<'c>>],
        at_window: Option<&[Value<'c>]>,
    ) -> Vec<Value<'c>> {
        let i64_type = integer(b.context, 64);
        let mut checks = Vec::new();
        for (dim, start) in starts.iter().enumerate() {
            let Some(start) = start else { continue };
            if self.numbers.input_batching.contains(&dim) {
                continue;
            }
            let is_whole = self.semantics == Semantics::Xla;
            let (position, size) = match (self.moving(dim), at_window) {
                (Some(window), None) if is_whole => {
                    let reach = self.update_sizes[self.numbers.window[window]];
                    (*start, (self.sizes[dim] - reach + 1).max(0))
                }
                (None, None) => (*start, self.sizes[dim]),
                (Some(window), Some(at)) if !is_whole => {
                    let offset = b.cast(arith::INDEX_CAST, at[window], i64_type);
                    (b.same(arith::ADDI, &[*start, offset]), self.sizes[dim])
                }
                _ => continue,
            };
            let size = b.int(i64_type, size);
            // Negative positions are large unsigned ones.
            let below = if strata_ir::planted("linalg-scatter-bound") {
                arith::CmpIPredicate::Ule
            } else {
                arith::CmpIPredicate::Ult
            };
            checks.push(b.cmpi(below, position, size));
        }
        checks
    }

    /// The position in the window of an operand dimension along which the window has several elements.
    fn moving(&self, dim: usize) -> Option<usize> {
        let window = self.window_of[dim]?;
        (self.update_sizes[self.numbers.window[window]] != 1).then_some(window)
    }

    fn target<'c>(
        &self,
        b: &Builder<'c>,
        starts: &[Option<Value<'c>>],
        at_window: &[Value<'c>],
    ) -> Vec<Value<'c>> {
        let index = strata_ir::index(b.context);
        (0..self.sizes.len())
            .map(|dim| {
                let start = starts[dim].map(|start| b.cast(arith::INDEX_CAST, start, index));
                match (start, self.window_of[dim]) {
                    (Some(start), Some(_)) if self.moving(dim).is_none() => start,
                    (Some(start), Some(window)) => b.same(arith::ADDI, &[start, at_window[window]]),
                    (Some(start), None) => start,
                    (None, Some(window)) => at_window[window],
                    (None, None) => b.index(0),
                }
            })
            .collect()
    }

    fn update_index<'c>(&self, at_batch: &[Value<'c>], at_window: &[Value<'c>]) -> Vec<Value<'c>> {
        let (mut batch, mut window) = (at_batch.iter(), at_window.iter());
        (0..self.update_sizes.len())
            .filter_map(|dim| match self.batch.contains(&dim) {
                true => batch.next().copied(),
                false => window.next().copied(),
            })
            .collect()
    }
}

/// The update computation and the types around it.
struct Updater<'c> {
    block: strata_ir::Block<'c>,
    inputs: Vec<Type<'c>>,
    updates: Vec<Type<'c>>,
    results: Vec<Type<'c>>,
}

impl<'c> Updater<'c> {
    fn of(op: Op<'c>, count: usize) -> Outcome<Self> {
        let block = op.region(0).first_block().or_decline("its region is empty")?;
        let elements = |values: &[Value<'c>]| values.iter().map(|v| v.ty().element()).collect();
        let operands = op.operands();
        Ok(Self {
            block,
            inputs: elements(&operands[..count]),
            updates: elements(&operands[count + 1..]),
            results: elements(&op.results()),
        })
    }

    fn update(
        &self,
        b: &Builder<'c>,
        carried: &[Value<'c>],
        target: &[Value<'c>],
        updates: &[Value<'c>],
        update_at: &[Value<'c>],
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let wanted: Vec<_> = self.block.args().iter().map(|arg| arg.ty().element()).collect();
        let from = self.inputs.iter().chain(&self.updates);
        let values = carried
            .iter()
            .map(|value| b.extract(*value, target))
            .chain(updates.iter().map(|value| b.extract(*value, update_at)));
        let args = from
            .zip(values.collect::<Vec<_>>())
            .zip(&wanted)
            .map(|((from, value), to)| convert(b, value, *from, *to))
            .collect::<Outcome<Vec<_>>>()?;
        let combined = scalar::inline(self.block, b, &args, lowerer)?;
        combined
            .into_iter()
            .enumerate()
            .map(|(index, value)| {
                let value = convert(b, value, wanted[index], self.results[index])?;
                Ok(insert(b, value, carried[index], target))
            })
            .collect()
    }
}
