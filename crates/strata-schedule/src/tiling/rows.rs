//! Rows: reductions along the innermost dimension and what surrounds them (softmax, layer
//! normalisation, row sums).
//!
//! Before: generic operations over `rows × columns`, some of which reduce the columns, and
//! operations over `rows` alone; the last one is the root.
//!
//! After, one row at a time so that intermediate rows stay in L1:
//!
//! ```text
//! scf.for %row = 0 to 128 step 1 {
//!   %max:4 = scf.for … iter_args(4 × vector<16xf32>) { maximum }    // then one vector.multi_reduction
//!   %exp = scf.for … { math.exp … }                                 // a row in a buffer
//!   %sum:4 = scf.for … iter_args(4 × vector<16xf32>) { add }
//!   scf.for … { divide, write }
//! }
//! ```

use strata_ir::{
    Op, linalg, transform,
    tuning::tiling::{ROW_ACCUMULATORS, UNROLL},
};

use crate::{
    structured::Structured,
    tiling::{
        cost::parts,
        elementwise::{cut, vector_loop, vectors_within},
        register::{Tile, finish, unroll_tiles},
    },
    transform::{script::Script, tags},
};

/// The role of an operation of the nest for a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A value for each column.
    Map,
    /// One value for the row from its columns.
    Reduce,
    /// One value for the row from others.
    Scalar,
}

/// A nest over rows.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The number of row loops.
    rows: usize,
    columns: i64,
    /// Elements of a vector.
    pub lanes: i64,
    /// Vectors of accumulators of a reduction.
    pub accumulators: i64,
    /// Vectors per iteration of the other operations.
    pub unroll: i64,
    steps: Vec<Step>,
}

/// Recognises a nest over rows. Where `halves` is set, registers of the narrowest elements have twice the lanes of others, and are read
/// whole.
///
/// # Errors
/// Why it is none.
pub fn read(
    nests: &[Structured<'_>],
    root: Op<'_>,
    lanes: i64,
    halves: bool,
) -> Result<Rows, &'static str> {
    let none = "it has no operation with loops";
    let whole = nests.iter().max_by_key(|nest| nest.extents.len()).ok_or(none)?;
    let rows = whole.extents.len().checked_sub(1).ok_or("it computes a scalar")?;
    let columns = *whole.extents.last().ok_or(none)?;
    let mut steps = Vec::new();
    for nest in nests {
        if nest.op.result_count() != 1 {
            return Err("an operation has several results");
        }
        // Columns are read along rows or not at all.
        let is_contiguous = || match crate::tiling::elementwise::is_contiguous(nest) {
            true => Ok(()),
            false => Err("an operand is not contiguous along the innermost loop"),
        };
        steps.push(if nest.extents == whole.extents && nest.is_parallel() {
            is_contiguous()?;
            Step::Map
        } else if nest.extents == whole.extents {
            if nest.row_loops() != Some(rows) {
                return Err("it does not reduce the innermost dimension alone");
            }
            is_contiguous()?;
            Step::Reduce
        } else if nest.is_parallel() && nest.extents.len() == rows {
            Step::Scalar
        } else {
            return Err("its operations do not share their rows");
        });
    }
    let is_last = nests.last().is_some_and(|last| last.op == root);
    if !is_last || !steps.contains(&Step::Reduce) {
        return Err("no reduction along the innermost dimension");
    }
    if columns < lanes {
        return Err("a row does not fill a vector");
    }
    let registers = if halves && columns >= ROW_ACCUMULATORS * lanes { 2 } else { 1 };
    Ok(Rows {
        rows,
        columns,
        lanes: registers * lanes,
        accumulators: ROW_ACCUMULATORS / registers,
        unroll: UNROLL / registers,
        steps,
    })
}

impl Rows {
    /// The same for rows that may end within.
    pub fn ending_within(self) -> Self {
        let within = |vectors: i64| vectors_within(vectors, self.columns, self.lanes);
        let (accumulators, unroll) = (within(self.accumulators), within(self.unroll));
        Self { accumulators, unroll, ..self }
    }

    /// The elements of a row.
    pub fn columns(&self) -> i64 {
        self.columns
    }
}

/// The tag of operation `index`.
pub fn step_tag(index: usize) -> String {
    format!("strata.step{index}")
}

/// The schedule as a named sequence.
pub fn schedule(plan: &Rows, sequence: &str) -> String {
    let mut script = Script::new();
    if plan.rows > 0 {
        script.comment("one row at a time");
        let root = script.tagged(Script::FUNC, tags::ROOT);
        script.fuse(root, &vec![1; plan.rows]);
        script.clean();
        // A row of an intermediate result is a separate temporary, not a row of a whole one.
        script.patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_EMPTY]);
        script.clean();
    }
    for (index, step) in plan.steps.iter().enumerate() {
        let tag = step_tag(index);
        match step {
            Step::Map => {
                let outer = vec![0; plan.rows];
                vector_loop(&mut script, &tag, &outer, plan.columns, plan.lanes, plan.unroll);
            }
            Step::Reduce => reduce(&mut script, plan, &tag),
            Step::Scalar => {
                let scalar = script.tagged(Script::FUNC, &tag);
                script.vectorize(scalar);
            }
        }
    }
    let fills = script.named(Script::FUNC, linalg::FILL);
    script.vectorize(fills);
    finish(&mut script);
    script.hoist_invariants();
    script.finish(sequence)
}

/// A reduction of the columns into several vectors of accumulators, which are then combined.
fn reduce(script: &mut Script, plan: &Rows, tag: &str) {
    let all = plan.accumulators * plan.lanes;
    let width = if plan.columns >= all { all } else { plan.lanes };
    script.comment("partial results, one per lane");
    let reduction = script.tagged(Script::FUNC, tag);
    let mut sizes = vec![0; plan.rows];
    sizes.push(width);
    let [start, partial, combine, around] = script.tile_reduction(reduction, &sizes);
    let (start_tag, partial_tag, combine_tag) =
        (format!("{tag}_start"), format!("{tag}_partial"), format!("{tag}_combine"));
    script.tag(start, &start_tag);
    script.tag(partial, &partial_tag);
    script.tag(combine, &combine_tag);
    script.clean();
    let widths = parts(plan.columns, width);
    if widths.len() == 2 {
        script.peel(around);
        script.clean();
    }
    let all = script.tagged(Script::FUNC, &partial_tag);
    for (index, piece) in script.split(all, widths.len()).into_iter().enumerate() {
        script.tag(piece, &tags::piece(&partial_tag, index));
    }
    let outer = vec![0; plan.rows];
    for (index, width) in widths.into_iter().enumerate() {
        cut(script, &tags::piece(&partial_tag, index), &outer, width, plan.lanes);
    }
    let mut sizes = outer;
    sizes.push(plan.lanes);
    unroll_tiles(script, &[Tile { tag: start_tag, sizes, m: 1, n: width, depth: 0 }], plan.lanes);
    let combine = script.tagged(Script::FUNC, &combine_tag);
    script.vectorize(combine);
    script
        .patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS]);
    script.clean();
}
