//! Long sums of nests without a schedule: wraps the nest in a loop over blocks.
//!
//! Before:
//! ```mlir
//! %sum = linalg.generic { add } ins(%x : tensor<30000x5xcomplex<f32>>) outs(%start : tensor<5xcomplex<f32>>)
//! ```
//! After:
//! ```mlir
//! %sum = scf.for %k = 0 to 30000 step 60 iter_args(%total = %start) {
//!   %part = linalg.generic { add } ins(%x[%k, 0] [60, 5]) outs(-0.0)
//!   … linalg.generic { %total + %part } …
//! } {strata.sums}
//! ```

use std::fmt::Write as _;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AffineMap, AttributeExt as _, Context, LIMIT, Op, OpName, TypeExt as _, apply_named_sequence,
    arith, complex, linalg, module_op, parse_text, scf, transform, unit,
};
use strata_options::{OptLevel, Options};
use strata_target::{
    Isa,
    tuning::sums::{DOT_BLOCK, SCALAR_BLOCK, SPREAD_BLOCK},
};

use super::{SCHEDULE, SUMS, blocks};
use crate::nests;

/// Marks the nests to split, with a number.
const TAG: &str = "strata.block";

/// Splits the long sums in `entry`.
///
/// # Errors
/// `S9003` when MLIR does not tile a nest: our bug.
pub fn cut<'c>(context: &'c Context, entry: Op<'c>, options: &Options) -> Result<(), Diagnostic> {
    generalize(context, entry)?;
    let mut script = String::new();
    let mut count = 0;
    let mut tiled: Vec<(String, Vec<i64>)> = Vec::new();
    for nest in entry.collect(|op| op.is(linalg::GENERIC) && is_sum(op) && !is_scheduled(op)) {
        let Some((sizes, uneven)) = sizes(nest, options) else { continue };
        let tag = format!("{TAG}{count}");
        nest.set_attr(&tag, unit(context));
        nest.set_attr(TAG, unit(context));
        tile(&mut script, count, &sizes, uneven);
        tiled.push((tag, sizes));
        count += 1;
    }
    if count == 0 {
        return Ok(());
    }
    script.push_str("transform.strata.clean %func : !transform.any_op\n");
    run(context, entry, &script)?;
    for nest in entry.collect(|op| op.has_attr(TAG)) {
        if let Some((_, sizes)) = tiled.iter().find(|(tag, _)| nest.has_attr(tag)) {
            limit_blocks(nest, sizes);
        }
        for (name, _) in nest.discardable_attrs() {
            if name.starts_with(TAG) {
                nest.remove_attr(name);
            }
        }
        let positions: Vec<_> = (0..nest.result_count()).collect();
        let first = nest.operand_count() - nest.result_count();
        blocks::start_from_nothing(context, nest, first, &positions);
    }
    Ok(())
}

fn is_scheduled(op: Op<'_>) -> bool {
    std::iter::successors(Some(op), |op| op.parent()).any(|op| op.has_attr(SCHEDULE))
}

/// Whether all results are sums of floats.
fn is_sum(nest: Op<'_>) -> bool {
    let body = nest.body(0);
    let Some(end) = body.terminator() else { return false };
    let results = end.operands();
    let Some(inputs) = body.arg_count().checked_sub(results.len()) else { return false };
    let is_added = |(position, value): (usize, strata_ir::Value<'_>)| {
        let carried = body.arg(inputs + position);
        let element = value.ty();
        let is_float = element.is_float_type()
            || element.complex_element().is_some_and(|part| part.is_float_type());
        // With one use each, neither the old nor the new sum is used elsewhere.
        is_float && value.has_one_use() && value.owner().is_some_and(|op| adds(op, carried))
    };
    nest.result_count() == results.len() && results.into_iter().enumerate().all(is_added)
}

/// Whether `op` adds to `carried`, which nothing else reads; complex numbers also by real and imaginary parts.
fn adds<'c>(op: Op<'c>, carried: strata_ir::Value<'c>) -> bool {
    match op.name() {
        arith::ADDF | complex::ADD => carried.has_one_use() && op.operands().contains(&carried),
        complex::CREATE => {
            let part = |index: usize, name: OpName<'_>| {
                let sum = op.operand(index);
                let add = sum.owner().filter(|add| add.is(arith::ADDF) && sum.has_one_use());
                add.is_some_and(|add| {
                    add.operands().into_iter().any(|term| {
                        let part = term.owner().filter(|part| part.is(name));
                        term.has_one_use() && part.is_some_and(|part| part.operand(0) == carried)
                    })
                })
            };
            carried.uses().len() == 2 && part(0, complex::RE) && part(1, complex::IM)
        }
        _ => false,
    }
}

/// The additions of a block of the nest's sums.
fn block(nest: Op<'_>, options: &Options) -> i64 {
    let computes = |name| nest.body(0).ops().into_iter().any(|op| op.is(name));
    if nests::walks_along_results(nest) {
        return if computes(arith::MULF) { DOT_BLOCK } else { SCALAR_BLOCK };
    }
    let spreads = options.target.isa != Isa::Scalar
        && options.opt_level >= OptLevel::Default
        && !computes(complex::ADD)
        && !computes(complex::CREATE)
        && nests::reads_along_rows(nest);
    if spreads { SPREAD_BLOCK } else { SCALAR_BLOCK }
}

/// The tile sizes of a nest whose sums are long, 0 for loops that are not tiled, and whether the last of them leaves a
/// remainder.
fn sizes(nest: Op<'_>, options: &Options) -> Option<(Vec<i64>, bool)> {
    if nest.operands().into_iter().any(|value| !value.ty().has_static_shape()) {
        return None;
    }
    let loops = nests::loops(nest)?;
    let block = block(nest, options);
    let all = loops.iter().filter(|one| one.reduces);
    let terms = all.fold(1i64, |terms, one| terms.saturating_mul(one.extent));
    if terms <= 2 * block || loops.iter().any(|one| one.extent == 0) {
        return None;
    }
    let (mut left, mut uneven) = (block, false);
    let mut sizes = vec![0; loops.len()];
    for (number, one) in loops.iter().enumerate().rev().filter(|(_, one)| one.reduces) {
        if one.extent > left {
            sizes[number] = if left > 1 { blocks::even(one.extent, left) } else { 1 };
            uneven |= one.extent % sizes[number] != 0;
            left = 1;
        } else {
            left = (left / one.extent).max(1);
        }
    }
    sizes.iter().any(|size| *size > 0).then_some((sizes, uneven))
}

/// Text that tiles nest `number`.
fn tile(script: &mut String, number: usize, sizes: &[i64], uneven: bool) {
    const ANY: &str = "!transform.any_op";
    const FOR: &str = "!transform.op<\"scf.for\">";
    let count = sizes.iter().filter(|size| **size > 0).count();
    let loops: Vec<_> = (0..count).map(|index| format!("%loop{number}_{index}")).collect();
    let types = vec![ANY; count + 1].join(", ");
    let _ = writeln!(
        script,
        "%nest{number} = transform.structured.match attributes{{{TAG}{number}}} in %func : ({ANY}) -> {ANY}\n\
         %tiled{number}, {} = transform.structured.tile_using_for %nest{number} tile_sizes {sizes:?} : ({ANY}) -> ({types})",
        loops.join(", "),
    );
    for one in &loops {
        let _ = writeln!(script, "transform.annotate {one} \"{SUMS}\" : {ANY}");
    }
    // The last, shorter block is separate code, so that all shapes are static.
    if uneven {
        let last = &loops[count - 1];
        let _ = writeln!(
            script,
            "%cast{number} = transform.cast {last} : {ANY} to {FOR}\n\
             %main{number}, %rest{number} = transform.loop.peel %cast{number} : ({FOR}) -> ({ANY}, {ANY})",
        );
    }
}

/// Ends the loops over blocks of a nest that is limited where the nest ended. Within a block it ends after as many iterations, or with
/// the block: what it adds beyond the limit is neutral, which is why there is one.
fn limit_blocks<'c>(nest: Op<'c>, sizes: &[i64]) {
    let Some(limits) = nest.attr(LIMIT).and_then(|limits| limits.as_array()) else { return };
    let around = std::iter::successors(nest.parent(), |op| op.parent());
    let loops = around.take_while(|op| op.is(scf::FOR) && op.has_attr(SUMS)).collect::<Vec<_>>();
    let of_blocks = limits.into_iter().zip(sizes).filter(|(_, size)| **size > 0);
    // The last, shorter block has no loop of its own.
    for (each, (limit, _)) in loops.into_iter().rev().zip(of_blocks) {
        if AffineMap::of(limit).is_some_and(|map| map.results.len() == 1) {
            each.set_attr(LIMIT, limit);
        }
    }
}

/// Named sums become generic ones.
fn generalize<'c>(context: &'c Context, entry: Op<'c>) -> Result<(), Diagnostic> {
    let named = entry.collect(|op| {
        op.dialect() == "linalg"
            && op.region_count() > 0
            && op.result_count() > 0
            && !matches!(op.name(), linalg::GENERIC | linalg::FILL)
            && is_sum(op)
            && !is_scheduled(op)
    });
    if named.is_empty() {
        return Ok(());
    }
    for op in named {
        op.set_attr(TAG, unit(context));
    }
    let script = format!(
        "%named = transform.structured.match attributes{{{TAG}}} in %func : (!transform.any_op) -> !transform.any_op\n\
         %generic = transform.structured.generalize %named : (!transform.any_op) -> !transform.any_op\n"
    );
    run(context, entry, &script)?;
    for op in entry.collect(|op| op.has_attr(TAG)) {
        op.remove_attr(TAG);
    }
    Ok(())
}

/// Applies the transformations of `script` to `%func`.
fn run<'c>(context: &'c Context, entry: Op<'c>, script: &str) -> Result<(), Diagnostic> {
    let text = format!(
        "module attributes {{transform.with_named_sequence}} {{\n\
         transform.named_sequence @cut(%func: !transform.any_op {{transform.readonly}}) {{\n\
         {script}transform.yield\n}}\n}}\n"
    );
    let library = parse_text(context, &text)?;
    let body = module_op(&library).body(0).ops();
    let Some(sequence) = body.into_iter().find(|op| op.is(transform::NAMED_SEQUENCE)) else {
        return Ok(());
    };
    apply_named_sequence(context, entry, sequence, module_op(&library))
        .map_err(|report| Diagnostic::new(codes::S9003).reason(report.with_notes()))
}
