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
//! Few rows times a matrix with one row for each result (`x · Wᵀ`) go through it once: the loop over rows of `x` is inside of that over rows of
//! the matrix.
//!
//! A lone reduction may take several rows at a time, so that processors prefetch several streams. Of rows that are much shorter than a vector
//! a block is computed at a time, in plain loops.
//!
//! Where a row ends within a vector, its last vectors are one value, which stage `vector` lets end with the row.
//! A short row is one value, and as many of them are taken at a time as make a vector of results:
//!
//! ```text
//! scf.for %row = 0 to 128 step 4 {
//!   %rows = vector.transfer_read …, vector<4x20xf32>
//!   %sums = vector.multi_reduction <add>, %rows, %start [1] : vector<4x20xf32> to vector<4xf32>
//! }
//! ```

use strata_ir::{Op, TypeExt as _, arith, linalg, transform};
use strata_target::{
    Isa, Target,
    tuning::tiling::{
        BLOCK_ROWS, LIMITED_ROWS, MAX_LIMITED_EXTREMA, MAX_LIMITED_ROW, MAX_SHORT_ROWS,
        MAX_STREAMED_ROW_WORK, MAX_SURROUNDED_ROWS, MIN_LONE_SHORT_ROW,
        MIN_LONE_SHORT_ROW_OF_BYTES, MIN_SHORT_ROW, MIN_STREAMED_ROW_BYTES, REREAD_L2_SHARE,
        ROW_ACCUMULATORS, ROW_STREAM_L2_SHARES, ROW_STREAMS, SHORT_ROW_WITH_END, SHORT_ROWS_BYTES,
        SURROUNDED_ROWS_BYTES, UNROLL,
    },
};

use crate::{
    structured::Structured,
    tiling::{
        cost::parts,
        elementwise::{cut, one_vector, vector_loop, vectors_within},
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
    /// Trip count of the innermost of them; 1 without one.
    height: i64,
    columns: i64,
    /// Whether all rows end where their tensors do.
    is_complete: bool,
    /// Elements of a vector.
    pub lanes: i64,
    /// Vectors of accumulators of a reduction.
    pub accumulators: i64,
    /// Vectors per iteration of the other operations.
    pub unroll: i64,
    /// Rows that are reduced at a time.
    pub together: i64,
    /// The row loop that becomes the innermost one; none: as they are.
    inner: Option<usize>,
    steps: Vec<Step>,
}

/// The fewest elements of a row that is shorter than a vector: shorter ones are better as LLVM's loops.
pub struct LeastColumns {
    /// Where the reduction is all.
    lone: i64,
    others: i64,
}

impl LeastColumns {
    /// Those of elements of so many bits.
    pub fn on(target: &Target, bits: u32) -> Self {
        let wide = usize::from(target.isa == Isa::Avx512);
        let of_bytes = if bits == 8 { MIN_LONE_SHORT_ROW_OF_BYTES } else { 0 };
        Self { lone: MIN_LONE_SHORT_ROW[wide].max(of_bytes), others: MIN_SHORT_ROW[wide] }
    }

    fn of(&self, steps: &[Step]) -> i64 {
        if steps == [Step::Reduce] { self.lone } else { self.others }
    }
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
    least: &LeastColumns,
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
    let height = rows.checked_sub(1).map_or(1, |innermost| whole.extents[innermost]);
    if columns < lanes && columns < least.of(&steps) {
        if steps == [Step::Reduce] || height <= BLOCK_ROWS {
            return Err("a row does not fill a vector");
        }
        return Ok(Rows {
            rows,
            height,
            columns,
            is_complete: true,
            lanes: 1,
            accumulators: 1,
            unroll: 1,
            together: BLOCK_ROWS,
            inner: None,
            steps,
        });
    }
    // Shorter rows are two vectors of fewer lanes.
    let lanes = lanes.min(1 << columns.ilog2());
    let registers = if halves && columns >= ROW_ACCUMULATORS * lanes { 2 } else { 1 };
    Ok(Rows {
        rows,
        height,
        columns,
        is_complete: true,
        lanes: registers * lanes,
        accumulators: ROW_ACCUMULATORS / registers,
        unroll: UNROLL / registers,
        together: 1,
        inner: None,
        steps,
    })
}

impl Rows {
    /// The same for rows that may end within.
    pub fn ending_within(self) -> Self {
        let within = |vectors: i64| vectors_within(vectors, self.columns, self.lanes);
        let (accumulators, unroll) = (within(self.accumulators), within(self.unroll));
        Self { accumulators, unroll, is_complete: false, ..self }
    }

    /// Whether a row is one value, of as many vectors as it has: it is no longer than the accumulators, or ends within a vector and is not
    /// much longer. The last of its vectors then begins earlier.
    fn is_one_value(&self) -> bool {
        let short = self.accumulators * self.lanes;
        let has_end = self.columns % self.lanes != 0;
        let most = if has_end { short * SHORT_ROW_WITH_END } else { short };
        self.is_complete && self.columns <= most
    }

    /// Whether a longer row ends within a vector: its end is one value of one to five vectors.
    fn ends_apart(&self) -> bool {
        self.is_complete
            && self.together == 1
            && !self.is_one_value()
            && self.columns % self.lanes != 0
    }

    /// Vectors per iteration over a row whose end is apart: there is one iteration at least.
    fn vectors_before_end(&self, step: Step) -> i64 {
        let vectors = if step == Step::Map { self.unroll } else { self.accumulators };
        vectors.min((self.columns - self.lanes) / self.lanes).max(1)
    }

    /// The same, with several rows at a time where they are one value, of elements of so many bits: their lanes are combined together, to a
    /// vector of results, and what is computed once for a row is on such vectors.
    pub fn several_at_a_time(self, bits: u32, target: &Target) -> Self {
        if self.is_block() || !self.is_one_value() || self.height < 2 {
            return self;
        }
        let vectors = (self.columns + self.lanes - 1) / self.lanes;
        let row_bytes = vectors * self.lanes * i64::from(bits.div_ceil(8));
        let (bytes, rows) = match self.is_lone() {
            true => (SHORT_ROWS_BYTES, MAX_SHORT_ROWS),
            false => {
                let wide = usize::from(target.isa == Isa::Avx512);
                (SURROUNDED_ROWS_BYTES[wide], MAX_SURROUNDED_ROWS)
            }
        };
        let most = (bytes / row_bytes).clamp(1, rows);
        Self { together: 1 << self.height.min(most).ilog2(), ..self }
    }

    /// The same, where rows end at a size of a call: several at a time with one vector of accumulators each, whose lanes are combined together.
    /// A short row is few vectors, none of which would wait for another.
    pub fn several_up_to_a_bound(self, nest: &Structured<'_>) -> Self {
        let most = if has_float_extremum(nest) { MAX_LIMITED_EXTREMA } else { MAX_LIMITED_ROW };
        if !self.is_lone() || self.height < 2 || self.columns > most {
            return self;
        }
        let together = 1 << self.height.min(LIMITED_ROWS).ilog2();
        Self { together, accumulators: 1, ..self }
    }

    /// Whether nothing but a reduction is done with rows.
    pub fn is_lone(&self) -> bool {
        self.steps == [Step::Reduce]
    }

    /// How many rows may be reduced at a time.
    pub fn most_together(&self) -> i64 {
        if self.is_lone() || self.is_one_value() { self.height } else { 1 }
    }

    /// Whether a block of rows is computed at a time in plain loops, since a row is much shorter than a vector: LLVM makes vectors of rows.
    pub fn is_block(&self) -> bool {
        self.lanes == 1
    }

    /// The same, with several rows at a time where they come from memory: a processor prefetches along a row up to the end of a page, and
    /// meanwhile nothing else would be under way.
    pub fn in_streams(self, nest: &Structured<'_>, target: &Target) -> Self {
        let Some(row) = self.rows.checked_sub(1) else { return self };
        let bytes = |operand: usize| {
            let ty = nest.op.operand(operand).ty();
            let count = i64::try_from(ty.element_count()?).ok()?;
            count.checked_mul(i64::try_from(ty.element().byte_width()?).ok()?)
        };
        let streamed = (0..nest.inputs).filter(|operand| nest.operand_uses(*operand, row));
        let read: Option<i64> = streamed.map(bytes).sum();
        let least = ROW_STREAM_L2_SHARES * i64::try_from(target.l2_bytes).unwrap_or(i64::MAX);
        let widths =
            nest.op.operands().into_iter().filter_map(|one| one.ty().element().byte_width());
        let row_bytes = widths.map(|width| width as i64 * self.columns).min().unwrap_or(0);
        let is_worth_it = self.most_together() >= ROW_STREAMS
            && read.is_some_and(|read| read >= least)
            && row_bytes >= MIN_STREAMED_ROW_BYTES
            && nest.work() <= MAX_STREAMED_ROW_WORK
            && !has_float_extremum(nest);
        match is_worth_it {
            // As many accumulators in all as hide the latency of an operation.
            true => {
                Self { together: ROW_STREAMS, accumulators: (self.accumulators / 2).max(1), ..self }
            }
            false => self,
        }
    }

    /// The same, where an operand with one row for each result of a dot is read for several rows of the other one: all of these are reduced
    /// with a row of it before the next one, which is in L1 then, instead of reading all of it for each.
    pub fn with_reread_rows_inside(self, nests: &[Structured<'_>], target: &Target) -> Self {
        let columns = self.rows.checked_sub(1).filter(|_| !self.steps.contains(&Step::Map));
        let mut reductions = nests.iter().filter(|nest| !nest.is_parallel());
        let (Some(columns), Some(nest), None) = (columns, reductions.next(), reductions.next())
        else {
            return self;
        };
        let bytes = |operand: usize, loops: &[usize]| {
            let width = nest.op.operand(operand).ty().element().byte_width()?;
            let used = loops.iter().filter(|number| nest.operand_uses(operand, **number));
            used.map(|number| nest.extents[*number]).try_fold(width as i64, i64::checked_mul)
        };
        let all = |inner: usize, with: bool, loops: &[usize]| {
            let here = (0..nest.inputs).filter(|one| nest.operand_uses(*one, inner) == with);
            here.map(|one| bytes(one, loops)).try_fold(0i64, |sum, one| sum.checked_add(one?))
        };
        // What is read again does not fit in L1, and what goes with each of its rows fits in L2.
        let [l1, l2] =
            [target.l1_bytes, target.l2_bytes].map(|size| i64::try_from(size).unwrap_or(i64::MAX));
        let gains = |inner: &usize| {
            let again = all(*inner, false, &[columns, self.rows]);
            let each_time = all(*inner, true, &[*inner, self.rows]);
            nest.extents[*inner] > 1
                && (0..nest.inputs)
                    .all(|one| nest.operand_uses(one, *inner) != nest.operand_uses(one, columns))
                && again.is_some_and(|again| again > l1)
                && each_time.is_some_and(|each_time| each_time <= l2 / REREAD_L2_SHARE)
        };
        let inner = (0..columns).rev().find(gains);
        Self { inner, ..self }
    }

    /// The row loops from outside in.
    fn order(&self) -> Vec<usize> {
        (0..self.rows).filter(|number| Some(*number) != self.inner).chain(self.inner).collect()
    }

    /// The same with blocks of so many rows.
    pub fn with_block(self, rows: i64) -> Option<Self> {
        let fits = (2..self.height).contains(&rows);
        fits.then_some(Self { together: rows, ..self })
    }

    /// The elements of a row.
    pub fn columns(&self) -> i64 {
        self.columns
    }
}

/// Whether an extremum of floats is among the operations: it takes three to seven instructions, for NaN and the order of zeros.
fn has_float_extremum(nest: &Structured<'_>) -> bool {
    let extrema = [arith::MAXIMUMF, arith::MINIMUMF];
    nest.op.body(0).ops().iter().any(|op| extrema.contains(&op.name()))
}

/// The tag of operation `index`.
pub fn step_tag(index: usize) -> String {
    format!("strata.step{index}")
}

/// The schedule as a named sequence.
pub fn schedule(plan: &Rows, sequence: &str) -> String {
    let mut script = Script::new();
    let heights = if plan.together > 1 { parts(plan.height, plan.together) } else { Vec::new() };
    if let Some(innermost) = plan.rows.checked_sub(1) {
        script.comment(if plan.together > 1 { "rows at a time" } else { "one row at a time" });
        let root = script.tagged(Script::FUNC, tags::ROOT);
        let mut sizes = vec![1; plan.rows];
        sizes[innermost] = plan.together;
        let order = plan.order();
        let (_, loops) = script.fuse(root, &sizes, &order);
        script.clean();
        if heights.len() > 1 {
            let at = order.iter().position(|number| *number == innermost).unwrap_or(innermost);
            script.peel(loops[at]);
            script.clean();
        }
        // A row of an intermediate result is a separate temporary, not a row of a whole one.
        script.patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_EMPTY]);
        script.clean();
    }
    if plan.is_block() {
        return script.finish(sequence);
    }
    for (index, step) in plan.steps.iter().enumerate() {
        let tag = step_tag(index);
        match step {
            Step::Map | Step::Reduce if plan.ends_apart() => {
                let vectors = plan.vectors_before_end(*step);
                let (tag, loops) = end_apart(&mut script, plan, &tag, vectors);
                match step {
                    Step::Map => {
                        vector_loop(
                            &mut script,
                            &tag,
                            &vec![0; plan.rows],
                            loops,
                            plan.lanes,
                            vectors,
                        );
                    }
                    _ => {
                        let rest = Rows { columns: loops, accumulators: vectors, ..plan.clone() };
                        reduce(&mut script, &rest, &tag, 1);
                    }
                }
            }
            Step::Map | Step::Reduce if plan.is_one_value() => {
                let all = script.tagged(Script::FUNC, &tag);
                script.vectorize(all);
            }
            Step::Map => {
                let outer = vec![0; plan.rows];
                vector_loop(&mut script, &tag, &outer, plan.columns, plan.lanes, plan.unroll);
            }
            Step::Reduce if heights.is_empty() => reduce(&mut script, plan, &tag, 1),
            Step::Reduce => {
                let all = script.tagged(Script::FUNC, &tag);
                let pieces = script.split(all, heights.len());
                let tags = (0..pieces.len()).map(|number| tags::piece(&tag, number));
                let tags: Vec<_> = tags.collect();
                pieces.into_iter().zip(&tags).for_each(|(piece, tag)| script.tag(piece, tag));
                for (tag, height) in tags.iter().zip(&heights) {
                    reduce(&mut script, plan, tag, *height);
                }
            }
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

/// Cuts the end of a row off, which is one value; the loop before it takes so many vectors at a time. The tag of the operation on the other columns, and how many there are.
fn end_apart(script: &mut Script, plan: &Rows, tag: &str, vectors: i64) -> (String, i64) {
    let width = vectors * plan.lanes;
    let loops = (plan.columns - plan.lanes) / width * width;
    script.comment("the end of the row");
    let whole = script.tagged(Script::FUNC, tag);
    let parts = script.cut_after(whole, plan.rows, loops);
    let [loops_tag, end_tag] = ["loops", "end"].map(|part| format!("{tag}_{part}"));
    parts.into_iter().zip([&loops_tag, &end_tag]).for_each(|(part, tag)| script.tag(part, tag));
    script.clean();
    let end = script.tagged(Script::FUNC, &end_tag);
    script.vectorize(end);
    (loops_tag, loops)
}

/// A reduction of the columns of `height` rows into several vectors of accumulators for each, which are then combined.
fn reduce(script: &mut Script, plan: &Rows, tag: &str, height: i64) {
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
    let outer = plan.rows;
    for (index, width) in widths.into_iter().enumerate() {
        cut(script, &tags::piece(&partial_tag, index), (outer, height), width, plan.lanes);
    }
    let sizes = one_vector(outer, height, plan.lanes);
    unroll_tiles(
        script,
        &[Tile { tag: start_tag, sizes, m: height, n: width, depth: 0 }],
        plan.lanes,
    );
    let combine = script.tagged(Script::FUNC, &combine_tag);
    script.vectorize(combine);
    script
        .patterns(&[transform::APPLY_PATTERNS_TENSOR_FOLD_TENSOR_SUBSET_OPS_INTO_VECTOR_TRANSFERS]);
    script.clean();
}
