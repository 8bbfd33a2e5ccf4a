//! Stage 50, `vector`: vectors that the target has, and its own math functions.
//!
//! Before: `vector<8x16xf32>` values, transfers, contractions, `math.exp`, affine loops.
//! After: one-dimensional vectors of at most the target's width with loads, stores and
//! `vector.fma`; polynomials; `scf` loops.

mod contract;
mod divisions;
mod extrema;
mod floats;
mod formulas;
mod interleave;
mod legalise;
mod math;
mod pairs;
mod quotients;
mod rare;
mod same_reads;
mod streaming;
pub mod unroll;

use strata_diag::Diagnostic;
use strata_ir::{Context, Module, Op, func, memref, module_op, run_pipeline, timed, verify};
use strata_options::Options;
use strata_target::tuning::quick::MAX_NEST_WORK;

pub use contract::check;

use crate::views;

/// Runs the stage on a module at the end of stage `affine`.
///
/// # Errors
/// `S9002` or `S9003` when the module is not what the stage expects or a pass fails: our bug.
pub fn run<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    // Masked regions become mask operands first, because `legalise` only handles those.
    run_pipeline(
        context,
        module,
        "builtin.module(func.func(scf-forall-to-for,lower-vector-mask,lower-affine))",
    )?;
    timed("views", || views::fold(context, module));
    run_pipeline(context, module, "builtin.module(func.func(cse))")?;
    timed("reads", || {
        functions(module).into_iter().for_each(|function| same_reads::hoist(context, function))
    });
    check_form(context, module, options)?;
    for function in functions(module) {
        timed("registers", || {
            legalise::write_rows(context, function);
            legalise::pack_bits(context, function, &options.target);
        });
        timed("divisions", || divisions::through_floats(context, function));
        timed("narrow floats", || {
            floats::widen(context, function, &options.target);
            quotients::multiply(context, function, &options.target);
            floats::mark_rounded(context, function);
            floats::place_pairs(context, function, &options.target);
        });
        timed("registers", || legalise::split(context, function, &options.target))?;
    }
    if options.in_process && !options.debug_info {
        share_math(context, module)?;
    }
    for function in functions(module) {
        // Between two legalisations, because the formulas test whether any lane of a vector needs
        // more work, and compute in wider elements.
        timed("functions", || math::expand(context, function, &options.target));
        timed("registers", || legalise::split(context, function, &options.target))?;
        // Last, because the formulas contain conversions.
        timed("conversions", || floats::expand_conversions(context, function, &options.target));
    }
    check_form(context, module, options)?;
    // No canonicalization of vectors from here on: it would turn broadcasts and shuffles into
    // element-wise code.
    run_pipeline(context, module, "builtin.module(func.func(cse,loop-invariant-code-motion))")?;
    if !options.in_process || has_views(module) {
        let passes = "builtin.module(func.func(expand-strided-metadata,lower-affine,cse))";
        run_pipeline(context, module, passes)?;
    }
    timed("extrema", || {
        let functions = functions(module).into_iter();
        functions.for_each(|function| extrema::apply(context, function, &options.target));
    });
    // After the pipeline, which moves what the copies share out of the loops.
    timed("interleaving", || functions(module).into_iter().for_each(interleave::apply));
    // After interleaving, for which calls are not pure.
    timed("formulas", || {
        formulas::share(context, module, &functions(module), options.debug_info);
    });
    // After the pipeline, too, which moves the computation of rows out of the loops along them.
    timed("streaming", || streaming::apply(context, module, options));
    timed("rare selections", || {
        functions(module).into_iter().for_each(|function| rare::apply(context, function));
    });
    timed("unrolling", || {
        let short_work = options.in_process.then_some(MAX_NEST_WORK);
        for function in functions(module) {
            unroll::annotate(context, function, short_work);
        }
    });
    Ok(())
}

/// Makes functions of mathematical functions that occur at many places, once invariant ones are out of the loops.
fn share_math<'c>(context: &'c Context, module: &mut Module<'c>) -> Result<(), Diagnostic> {
    if math::occurs(&functions(module)) {
        run_pipeline(context, module, "builtin.module(func.func(loop-invariant-code-motion))")?;
        timed("functions", || math::share(context, module, &functions(module)));
    }
    Ok(())
}

/// Verifies what the passes left, which finds a mistake of ours earlier than the stage's end does; clients that wait need not.
fn check_form<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    match options.in_process {
        true => Ok(()),
        false => timed("verification", || verify(context, module, "vector")),
    }
}

/// Whether views of buffers are left, or affine operations.
fn has_views(module: &Module<'_>) -> bool {
    let is_view = |op: Op<'_>| {
        op.dialect() == "affine"
            || op.dialect() == "memref" && !is_plain(op) && op.result_count() > 0
    };
    !module_op(module).collect(is_view).is_empty()
}

/// Whether it is of buffers as they are.
fn is_plain(op: Op<'_>) -> bool {
    matches!(op.name(), memref::LOAD | memref::GET_GLOBAL | memref::VIEW)
}

/// The entry and the kernels.
fn functions<'c>(module: &Module<'c>) -> Vec<Op<'c>> {
    let all = module_op(module).body(0).ops();
    let has_body = |op: &Op<'c>| op.is(func::FUNC) && op.region(0).first_block().is_some();
    all.into_iter().filter(has_body).collect()
}
