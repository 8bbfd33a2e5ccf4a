//! Stage 40, `affine`: from tensors to buffers.
//!
//! Before:
//! ```mlir
//! func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {strata.entry}
//! ```
//! After:
//! ```mlir
//! func.func @main(%x: memref<4xf32>, %out: memref<4xf32>, %workspace: memref<0xi8>)
//!     attributes {strata.entry, strata.workspace_size = 0 : i64}
//! ```
//!
//! # The invariant
//!
//! **Every read of a buffer sees the tensor value that the program names.** Results are written in place into the output
//! arguments, inputs are never written unless they are donated, constants are globals, and every temporary is a view of
//! `%workspace` at a fixed offset.
//!
//! Buffers are assigned on tensors, before bufferization:
//!
//! | module | what it does |
//! |---|---|
//! | `prepare` | normalises the function on tensors |
//! | `accesses` | what an operation reads, and which operand it overwrites |
//! | `values` | versions and their live ranges |
//! | `paths` | offsets and layouts of tensors in buffers |
//! | `interference` | whether two tensors may share memory: the only predicate for it |
//! | `wishes` | which tensors should share a buffer |
//! | `placement` | grants wishes: coalescing |
//! | `rotation` | buffer rotation (double buffering) in loops |
//! | `parallel_copies` | parallel copies |
//! | `emit` | emits the function on buffers; decides nothing |
//! | `flights` | whether exchanges that may be under way keep their buffers |
//! | `checker` | proves the invariant from the emitted function |
//! | `liveness`, `plan`, `arena`, `offsets` | the memory plan: which temporaries share memory |
//! | `audit` | checks that those which do are never live at the same time |

mod accesses;
mod arena;
mod audit;
mod checker;
mod columns;
mod contract;
mod emit;
mod flights;
mod interference;
pub(crate) mod liveness;
mod offsets;
mod parallel_copies;
mod paths;
mod placement;
pub mod plan;
mod prepare;
mod rotation;
mod streams;
#[cfg(test)]
mod tests;
mod trace;
mod values;
mod wishes;

use strata_diag::Diagnostic;
use strata_ir::{
    AttributeExt as _, Context, DONATIONS, Module, Op, Step, StepInfo, TypeExt as _, VALID, linalg,
    marked_entry, module_op, release_erased, run_pipeline, timed, verify,
};
use strata_options::Options;

pub use contract::check;
use plan::PlanReport;

use crate::{nests, sums, views};

/// Runs a step.
type Run =
    for<'c> fn(&'c Context, &mut Module<'c>, &Options, &mut PlanReport) -> Result<(), Diagnostic>;

/// Canonicalization, without region simplification: each region has one block without dead arguments.
const CLEAN: &str = "strata-canonicalize{programs=nests regions=false}";

/// The facts about the steps, in order.
pub fn steps() -> Vec<StepInfo> {
    STEPS.iter().map(Step::info).collect()
}

/// The steps in order.
const STEPS: &[Step<Run>] = &[
    Step {
        name: "sums",
        because: "partial sums are tensors that need buffers",
        keeps: "the value of every tensor, except for the order of float sums in reductions",
        is_exact: false,
        run: |context, module, options, _| {
            sums::on_tensors(context, marked_entry(module)?, options)
        },
    },
    Step {
        name: "prepare",
        because: "buffer assignment handles few forms of operations",
        keeps: "the value of every tensor",
        is_exact: true,
        run: |context, module, _, _| {
            prepare::prepare(context, marked_entry(module)?);
            Ok(())
        },
    },
    Step {
        name: "buffers",
        because: "buffers are assigned while every value still has its own SSA name",
        keeps: "the tensor value that each read of a buffer sees",
        is_exact: true,
        run: |context, module, _, _| assign_buffers(context, module),
    },
    Step {
        name: "views",
        because: "loops read and write buffers, not views of views",
        keeps: "the elements that each operation reads and writes",
        is_exact: true,
        run: |context, module, options, _| {
            let is_folded = views::fold(context, module);
            run_pipeline(context, module, &format!("builtin.module(func.func(cse,{CLEAN}))"))?;
            let entry = marked_entry(module)?;
            nests::copies::expand_strided(context, entry, options);
            nests::copies::cut_open(context, entry, options);
            nests::copies::cut_large(context, entry, options);
            // MLIR's patterns have been wrong before.
            if is_folded { verify(context, module, "affine") } else { Ok(()) }
        },
    },
    Step {
        name: "loops",
        because: "nests become loops once their operands are buffers",
        keeps: "what each nest reads and writes, except for the order of sums that may be reordered",
        is_exact: false,
        run: |context, module, _, _| {
            let entry = marked_entry(module)?;
            let nests = entry.collect(|op| op.dialect() == "linalg" && op.region_count() > 0);
            if nests.is_empty() {
                return Ok(());
            }
            // Named ones lose their limits when they become others.
            let has_limits = nests::limits::announce(context, &nests, |op| !op.is(linalg::GENERIC));
            if nests.iter().any(|op| !op.is(linalg::GENERIC)) {
                let pipeline = "builtin.module(func.func(linalg-generalize-named-ops))";
                run_pipeline(context, module, pipeline)?;
            }
            let entry = marked_entry(module)?;
            nests::relax(context, entry);
            nests::innermost_parallel(context, entry);
            // Dynamic sizes inside `scf` loops are not affine symbols, so such functions get `scf` loops.
            let loops = if has_dynamic_nests(entry) {
                "convert-linalg-to-loops"
            } else {
                "convert-linalg-to-affine-loops"
            };
            let nests = entry.collect(|op| op.is(linalg::GENERIC));
            if nests::limits::announce(context, &nests, |_| true) || has_limits {
                run_pipeline(context, module, &format!("builtin.module(func.func({loops}))"))?;
                nests::limits::attach(marked_entry(module)?);
            }
            run_pipeline(
                context,
                module,
                &format!("builtin.module(func.func({loops},{CLEAN},cse))"),
            )
        },
    },
    Step {
        name: "accumulators",
        because: "allocations are still distinct: in the arena every buffer is part of one",
        keeps: "the contents of buffers after the loop",
        is_exact: false,
        run: |context, module, _, _| {
            let entry = marked_entry(module)?;
            nests::promote_accumulators(context, entry);
            if entry.has_attr(VALID) {
                nests::starts::take_numbers(entry);
            }
            Ok(())
        },
    },
    Step {
        name: "tasks",
        because: "allocations are still distinct, and panels are packed ahead within a task only",
        keeps: "the operations and their order",
        is_exact: true,
        run: |context, module, options, _| {
            nests::tasks::split(context, marked_entry(module)?, options);
            Ok(())
        },
    },
    Step {
        name: "panels",
        because: "the packing of the next panel is found by its allocation",
        keeps: "the contents of each panel when it is read",
        is_exact: true,
        run: |context, module, _, _| {
            nests::interleave_panels(context, marked_entry(module)?);
            Ok(())
        },
    },
    Step {
        name: "blocks",
        because: "panels are found by the loop that keeps a register tile, which this step splits",
        keeps: "the contents of buffers after the loop, except for the order of float sums",
        is_exact: false,
        run: |context, module, _, _| {
            sums::in_registers(context, marked_entry(module)?);
            Ok(())
        },
    },
    Step {
        name: "slots",
        because: "per-task memory is a temporary like others in the arena",
        keeps: "the operations and their order",
        is_exact: true,
        run: |context, module, _, _| nests::tasks::privatize(context, marked_entry(module)?),
    },
    Step {
        name: "arena",
        because: "all temporaries exist, and no later step creates one",
        keeps: "the contents of temporaries as long as they are live",
        is_exact: true,
        run: |context, module, _, report| {
            *report = arena::place(context, marked_entry(module)?)?;
            Ok(())
        },
    },
    Step {
        name: "audit",
        because: "all offsets are assigned, and temporaries are still distinct from kernel arguments",
        keeps: "everything: it only checks",
        is_exact: true,
        run: |_, module, _, _| audit::check(marked_entry(module)?),
    },
    Step {
        name: "rests",
        because: "buffers are assigned and checked for whole tiles, and accesses say that they are below a size before others are guarded",
        keeps: "what is needed of each buffer, except for the order of float sums in last tiles",
        is_exact: true,
        run: |context, module, options, _| {
            nests::rests::split(context, marked_entry(module)?, options);
            Ok(())
        },
    },
    Step {
        name: "in-place",
        because: "buffers are assigned and checked, tasks are cut, and kernels take what sizes are computed from",
        keeps: "what each read gives, and what each write puts where callers look, except for the order of reductions of all elements",
        is_exact: false,
        run: |context, module, options, _| {
            nests::in_place::apply(context, marked_entry(module)?, options);
            Ok(())
        },
    },
    Step {
        name: "limits",
        because: "buffers are assigned and checked for loops up to their bounds, and kernels take what the limits are computed from",
        keeps: "what is needed of each buffer",
        is_exact: true,
        run: |context, module, _, _| nests::limits::lower(context, marked_entry(module)?),
    },
    Step {
        name: "streams",
        because: "loops along columns are cut into tasks, and those with limits have their own shape",
        keeps: "the operations and their order: it only adds requests",
        is_exact: true,
        run: |context, module, options, _| {
            nests::ask_ahead(context, marked_entry(module)?, &options.target);
            Ok(())
        },
    },
    Step {
        name: "kernels",
        because: "aliasing of pointers is only known once temporaries share memory",
        keeps: "the operations and their order",
        is_exact: true,
        run: |context, module, options, _| {
            let entry = marked_entry(module)?;
            arena::forget_homes(entry);
            nests::kernels::outline(context, module, entry, options);
            audit::promises(module_op(module))
        },
    },
];

/// Runs the stage on a module at the end of stage `schedule`.
///
/// # Errors
/// `S9002` or `S9003` when the module is not what the stage expects or a pass fails: our bug.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    run_reported(context, module, options).map(|_| ())
}

/// As [`run`], and returns a report on the memory plan.
///
/// # Errors
/// As [`run`].
pub fn run_reported<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<PlanReport, Diagnostic> {
    run_steps(context, module, options, &mut |_, _, _| {})
}

/// As [`run`]; `seen` is called after each step with its number and name.
///
/// # Errors
/// As [`run`].
pub fn run_observed<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
    seen: &mut dyn FnMut(usize, &str, &Module<'c>),
) -> Result<(), Diagnostic> {
    run_steps(context, module, options, seen).map(|_| ())
}

fn run_steps<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
    seen: &mut dyn FnMut(usize, &str, &Module<'c>),
) -> Result<PlanReport, Diagnostic> {
    let mut report = PlanReport::default();
    for (number, step) in STEPS.iter().enumerate() {
        timed(step.name, || (step.run)(context, module, options, &mut report))?;
        seen(number, step.name, module);
        // A step keeps no handles beyond its end.
        release_erased(context, module);
    }
    Ok(report)
}

/// Replaces the entry by one on buffers.
fn assign_buffers<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), Diagnostic> {
    let entry = marked_entry(module)?;
    let donated = donated(entry);
    let mut steps = paths::Steps::default();
    let values = timed("values", || values::Values::of(entry, &donated, &mut steps))?;
    let mut placement = timed("placement", || placement::place(entry, &values, &mut steps));
    for (index, value) in results(entry).into_iter().enumerate() {
        placement.output(&values, index, value.ty());
    }
    let trace = timed("emission", || {
        emit::emit(context, module, entry, &donated, &values, &mut steps, &placement)
    })?;
    timed("check", || checker::check(&trace))?;
    entry.erase();
    flights::settle(context, module_op(module));
    Ok(())
}

fn results<'c>(entry: Op<'c>) -> Vec<strata_ir::Value<'c>> {
    let end = entry.region(0).first_block().and_then(|body| body.terminator());
    end.map(Op::operands).unwrap_or_default()
}

/// For each input the output that shares its buffer.
fn donated(entry: Op<'_>) -> Vec<Option<usize>> {
    let inputs = entry.region(0).first_block().map_or(0, |body| body.arg_count());
    let listed = entry.attr(DONATIONS).and_then(|list| list.as_i64s()).unwrap_or_default();
    let mut donated = vec![None; inputs];
    for (output, input) in listed.into_iter().enumerate() {
        if let Some(donated) = usize::try_from(input).ok().and_then(|input| donated.get_mut(input))
        {
            *donated = Some(output);
        }
    }
    donated
}

fn has_dynamic_nests(root: Op<'_>) -> bool {
    !root
        .collect(|op| {
            op.dialect() == "linalg"
                && op
                    .operands()
                    .iter()
                    .any(|value| value.ty().is_memref_type() && !value.ty().has_static_shape())
        })
        .is_empty()
}
