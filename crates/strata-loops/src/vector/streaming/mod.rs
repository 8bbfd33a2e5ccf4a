//! Large outputs that the program does not read are written by stores that bypass the caches.
//!
//! An ordinary store first reads the line that it writes to, and drives out of the caches what the program or its caller may need. x86's non-temporal
//! stores do neither, but they need aligned vectors, and the caller promises the alignment of an element only. So a row begins where
//! the output's first whole line does:
//!
//! ```mlir
//! scf.for %j = %c0 to %c4096 step %c64 { …  vector.store %v, %out[%i, %j] … }
//! ```
//! becomes
//! ```mlir
//! %shift = …                                  // elements up to the next line of 64 bytes
//! scf.for %j = %shift to %c4033 step %c64 { …  vector.store %v, %out[%i, %j] {alignment = 64, nontemporal} … }
//! scf.if (%shift != 0) { the body for %j = 0, and for %j = 4032, with ordinary stores }
//! ```
//! The elements that are computed twice get the same values: the loop reads nothing that it writes, and each lane is computed
//! by itself. Stage `llvm` orders such stores before whatever follows the function that makes them.
//!
//! Transposes write whole lines of several rows in turns (`tiles.rs`).
//!
//! A copy to an output of several times the size of the caches is written so even if the program reads the output, which finds little of
//! it there in any case. Such a copy is a function of its own: nothing reads what it wrote before it has ended.

mod copies;
mod outputs;
mod rows;
mod tiles;

use strata_ir::{Context, Module, Op, scf};
use strata_options::{Options, Streaming};
use strata_target::{
    Isa,
    tuning::streaming::{
        MAX_ROW_WORK, MAX_ROW_WORK_BESIDE_TILES, MIN_COPY_BYTES, MIN_OUTPUT_BYTES, MIN_ROW_BYTES,
    },
};

use outputs::Outputs;
use rows::Row;
use tiles::Tiles;

/// Bytes of a cache line.
const LINE: i64 = 64;

/// How large what bypasses the caches is at least, and how many operations compute a vector at most.
struct Least {
    output: i64,
    copy: i64,
    row: i64,
    work: usize,
}

/// Rewrites the loops that write rows of large outputs.
pub fn apply<'c>(context: &'c Context, module: &Module<'c>, options: &Options) {
    let work = match options.target.has_tiles() {
        true => MAX_ROW_WORK_BESIDE_TILES,
        false => MAX_ROW_WORK,
    };
    let least = match options.streaming {
        Streaming::Never => return,
        Streaming::Worthwhile => {
            Least { output: MIN_OUTPUT_BYTES, copy: MIN_COPY_BYTES, row: MIN_ROW_BYTES, work }
        }
        Streaming::Always => Least { output: 0, copy: 0, row: 0, work },
    };
    // AArch64's stores of this kind were not measured.
    if !matches!(options.target.isa, Isa::Sse2 | Isa::Avx2 | Isa::Avx512) {
        return;
    }
    let Some(outputs) = Outputs::of(module, &least) else { return };
    for function in super::functions(module) {
        for each in function.collect(|op| op.is(scf::FOR)) {
            let each = copies::widen(context, each, &outputs, &least, &options.target)
                .map_or_else(|| Loop { op: each, is_copy: false }, |op| Loop { op, is_copy: true });
            if let Some(row) = Row::of(each, &outputs, &least) {
                row.stream(context);
            } else if let Some(tiles) = Tiles::of(each.op, &outputs) {
                tiles.stream(context);
            }
        }
    }
}

/// A loop, and whether it is a copy that was made vectors of here.
#[derive(Clone, Copy)]
struct Loop<'c> {
    op: Op<'c>,
    is_copy: bool,
}
