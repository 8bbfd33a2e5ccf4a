//! Whether a program with bounds works on rows, for which code for few sizes is enough.

use strata_ir::{LentContext, Op, OpKind, Options, TypeExt as _};
use strata_shapes::DynamicShapes;

use crate::cost::{self, Cost};

/// The part of a program's work, in percent, that contractions with given columns are at least, so that little code is enough.
const MIN_ROW_WORK: u64 = 90;

/// How many additions take as long as an exponential.
const TRANSCENDENTAL: u64 = 10;

/// Whether nearly all of the work of a program with bounds is in dots and convolutions whose results have rows of given length: loops over
/// their rows end at the size of a call, so that code for the bounds is as fast for smaller sizes as code of their own.
pub(super) fn works_on_rows(
    options: &Options,
    shapes: &DynamicShapes,
    name: &str,
    bytes: &[u8],
) -> bool {
    let rows = shapes.batch.as_ref().map(|batch| batch.symbol);
    if (0..shapes.symbols.len()).all(|symbol| Some(symbol) == rows) {
        return false;
    }
    let at = |less: i64| {
        let sizes = shapes.symbols.iter().zip(&shapes.bounds).enumerate();
        let sizes = sizes.map(|(symbol, (name, most))| match most {
            Some(most) if Some(symbol) != rows => (name.clone(), (most - less).max(1)),
            _ => (name.clone(), 1),
        });
        let bind = options.bind.iter().cloned().chain(sizes).collect();
        Options { bind, max: Vec::new(), specialize: Vec::new(), ..options.clone() }
    };
    let of = |less: i64| contractions(&at(less), name, bytes);
    let Some((all, own)) = of(0) else { return false };
    // The program may not take the next smaller sizes.
    let Some((_, others)) = [1, 2, 4, 8].into_iter().find_map(of) else { return false };
    let same = own.iter().zip(&others).filter(|(own, other)| own.1 == other.1);
    let by_rows: u64 = same.map(|(own, _)| own.0).sum();
    own.len() == others.len() && by_rows > 0 && by_rows / MIN_ROW_WORK >= all / 100
}

/// The work of a program of given sizes, and for each dot and convolution its part and the length of its results' rows.
fn contractions(options: &Options, name: &str, bytes: &[u8]) -> Option<(u64, Vec<(u64, i64)>)> {
    let context = LentContext::take();
    let mut module = strata_vhlo::parse(&context, name, bytes).ok()?;
    strata_hlo::run(&context, &mut module, options).ok()?;
    let all = cost::each(&module);
    let work = |cost: &Cost| cost.flops + TRANSCENDENTAL * cost.transcendentals;
    let total = all.iter().map(|(_, cost)| work(cost)).sum();
    let is_contraction = |op: Op<'_>| matches!(op.kind(), OpKind::DotGeneral | OpKind::Convolution);
    let rows = all.iter().filter(|(op, _)| is_contraction(*op));
    let rows = rows.map(|(op, cost)| {
        let last = op.result(0).ty().shape().and_then(|shape| shape.last().copied());
        (work(cost), last.unwrap_or(1))
    });
    let rows = rows.collect();
    drop(module);
    context.give_back(bytes.len());
    Some((total, rows))
}
