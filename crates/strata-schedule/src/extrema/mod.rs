//! Reductions to an extreme element and its place: lanes of (element, place).
//!
//! ```text
//! %m, %p = linalg.generic ins(%x : tensor<64x1000xf32>) outs(-inf, 0) { … the larger element, and its column … }
//! ```
//! Along rows each lane has an extremum and the column where it met it first, and those of a row's lanes are compared at its end:
//!
//! ```text
//! scf.for %row = 0 to 64 {
//!   %m:4, %p:4 = scf.for %column = 0 to 992 step 32 iter_args(4 x vector<8xf32>, 4 x vector<8xi32>) {
//!     %takes = %x[%row, %column] is above %m
//!     yield %takes ? %x[%row, %column] : %m, %takes ? %column : %p
//!   }
//!   … the rest of the row …
//!   %most = the maximum of all lanes
//!   %place = the least column of the lanes that are %most
//! }
//! ```
//! The last vector of a row overlaps the one before it: an element that a lane meets again is not above its extremum.
//!
//! Where columns are reduced, a lane has a column of its own, and nothing is compared at the end. Few rows, or short ones, are reduced in
//! registers ([`columns`]); else the extrema of a block of columns and their places are in the cache while rows stream by.
//!
//! Each lane meets its elements in order, so that a tie keeps the first place, and a NaN is kept once it is met: results are those of the
//! operation, bit for bit.
//!
//! [`find`] recognises the operation, [`plan`] chooses the loops, [`body`] computes elements on vectors, [`rows`] and [`columns`] write the
//! loops. `--schedule` cannot replace them: no transform divides a reduction of pairs.

mod body;
mod columns;
mod find;
mod plan;
mod rows;

use strata_ir::{Builder, Context, TypeExt as _};
use strata_target::tuning::tiling::EXTREMUM_ROWS;

use body::Lanes;
use columns::Columns;
pub(crate) use find::Extremum;
pub(crate) use plan::{Along, Limits, Plan};
use rows::Rows;

/// Replaces an extremum by its loops; `None` if they cannot be built.
pub(crate) fn emit<'c>(context: &'c Context, found: &Extremum<'c>, plan: &Plan) -> Option<()> {
    let op = found.nest.op;
    let b = Builder { location: op.location(), ..Builder::before(context, op) };
    let used: Vec<_> =
        (0..op.result_count()).filter(|number| op.result(*number).has_uses()).collect();
    let out = |number: &usize| {
        let ty = op.result(*number).ty();
        Some(b.empty(&ty.shape()?, ty.element()))
    };
    let outs = used.iter().map(out).collect::<Option<Vec<_>>>()?;
    let loops = found.nest.extents.len();
    let kept: Vec<_> = (0..loops).filter(|dim| *dim != found.dim).collect();
    let at = vec![b.index(0); loops];
    let (lanes, kinds) = (Lanes { of: found, plan }, used.clone());
    let results = match plan.along {
        Along::Row(_) => Rows { lanes, used }.over(&b, &kept, &at, &outs)?,
        _ => Columns { lanes, used, rows: EXTREMUM_ROWS }.over(&b, &kept, &at, &outs)?,
    };
    for (number, result) in kinds.into_iter().zip(results) {
        op.result(number).replace_all_uses_with(result);
    }
    op.erase();
    Some(())
}
