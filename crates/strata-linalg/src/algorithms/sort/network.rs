//! Sorting networks as passes over rows: each pass compares a few rows with each other at a time, in registers.
//!
//! Blocks of rows are sorted ([`sorting`]), then runs are merged into runs of twice the length. A merge compares each row of
//! the first run with the mirrored one of the second, then rows at half the distance, a quarter and so on down to
//! neighbours: a bitonic merge whose smaller row always comes first, so that rows past the last one count as the largest ones, which
//! never move, and are omitted. Several of these distances are one [`Pass`].

use strata_ir::{Builder, Value, arith};

/// A comparator: the smaller of two rows goes to the first position.
pub type Comparison = (usize, usize);

/// For each of `spans` and each offset, the same comparisons of up to `width` rows that are `stride` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The rows of each of the runs that it helps to merge.
    pub run: i64,
    /// The number of the first span.
    pub first: i64,
    /// The number of spans.
    pub spans: i64,
    /// The rows of a span.
    pub span: i64,
    /// The first row is at one of these offsets in its span.
    pub offsets: [i64; 2],
    /// The distance of rows that are next to each other in a group.
    pub stride: i64,
    /// Rows of a group, a power of two.
    pub width: usize,
    /// Whether the first comparison is of runs: the second half of a group is at the mirrored offset.
    pub mirrored: bool,
    /// The number of existing rows of a group.
    pub present: usize,
}

impl Pass {
    /// The position of a row of the group at an offset: the factor of the offset, and the number added to it and the span's start.
    pub fn row(&self, position: usize) -> (i64, i64) {
        if self.mirrored && position >= self.width / 2 {
            let from_end = (self.width - 1 - position) as i64;
            (-1, self.span - 1 - from_end * self.stride)
        } else {
            (1, position as i64 * self.stride)
        }
    }

    /// Whether it is the last one of the merges of its runs, within each block of `block` rows.
    pub fn ends_merge(&self, block: i64) -> bool {
        !self.mirrored && self.span == block
    }

    /// Where spans end where only `valid` rows count: those with one of them that belongs to a merge. After the last merge, blocks are
    /// merged by what comes then.
    pub fn last_span<'c>(&self, b: &Builder<'c>, valid: Value<'c>, block: i64) -> Value<'c> {
        let rows = merged(b, valid, self.run);
        let last = b.index(self.first + self.spans);
        let spans = b.same(arith::MINUI, &[parts(b, rows, self.span), last]);
        if !self.ends_merge(block) {
            return spans;
        }
        let goes_on = b.cmpi(arith::CmpIPredicate::Ugt, valid, b.index(2 * self.run));
        b.select(goes_on, spans, b.index(self.first))
    }

    /// The comparisons of a group.
    pub fn comparisons(&self) -> Vec<Comparison> {
        let mut all = Vec::new();
        let mut distance = self.width / 2;
        if self.mirrored {
            all.extend((0..distance).map(|at| (at, self.width - 1 - at)));
            distance /= 2;
        }
        all.extend(distances(self.width, distance));
        all.retain(|(_, other)| *other < self.present);
        all
    }
}

/// How many parts of so many rows have one of `valid` rows.
pub fn parts<'c>(b: &Builder<'c>, valid: Value<'c>, rows: i64) -> Value<'c> {
    let last = b.same(arith::ADDI, &[valid, b.index(rows - 1)]);
    b.same(arith::DIVUI, &[last, b.index(rows)])
}

/// How many of `valid` rows are in pairs of runs of `run` rows of which the second one has some, too: the others are in order.
fn merged<'c>(b: &Builder<'c>, valid: Value<'c>, run: i64) -> Value<'c> {
    let more = b.same(arith::ADDI, &[valid, b.index(run - 1)]);
    let pairs = b.same(arith::DIVUI, &[more, b.index(2 * run)]);
    b.same(arith::MINUI, &[b.same(arith::MULI, &[pairs, b.index(2 * run)]), valid])
}

/// Compares rows at a distance, a power of two, at half of it and so on down to neighbours.
pub fn distances(rows: usize, from: usize) -> Vec<Comparison> {
    let halved = std::iter::successors(Some(from), |distance| Some(distance / 2));
    let halved = halved.take_while(|distance| *distance > 0);
    let pairs = halved.flat_map(|distance| {
        let firsts = (0..rows).filter(move |at| at & distance == 0);
        firsts.map(move |at| (at, at + distance))
    });
    pairs.collect()
}

/// Rows after comparisons: the smaller elements in the first one of each two.
pub fn exchanged<'c>(
    b: &Builder<'c>,
    mut rows: Vec<Value<'c>>,
    comparisons: &[Comparison],
) -> Vec<Value<'c>> {
    for (one, other) in comparisons {
        let both = [rows[*one], rows[*other]];
        rows[*one] = b.same(arith::MINSI, &both);
        rows[*other] = b.same(arith::MAXSI, &both);
    }
    rows
}

/// Sorts `count` rows: Batcher's odd-even merges.
pub fn sorting(count: usize) -> Vec<Comparison> {
    let whole = count.next_power_of_two();
    let mut all = Vec::new();
    let mut run = 1;
    while run < whole {
        let mut distance = run;
        while distance > 0 {
            for start in (distance % run..whole - distance).step_by(2 * distance) {
                let pairs = (start..start + distance).map(|at| (at, at + distance));
                // Within one pair of runs only.
                all.extend(pairs.filter(|(a, b)| *b < count && a / (2 * run) == b / (2 * run)));
            }
            distance /= 2;
        }
        run *= 2;
    }
    all
}

/// The passes that sort `rows` rows of which blocks of `block`, a power of two, are sorted already.
pub fn merges(rows: i64, block: i64) -> Vec<Pass> {
    let levels = block.ilog2();
    let mut all = Vec::new();
    let mut span = 2 * block;
    while span / 2 < rows {
        let left = rows % span;
        // A single run at the end is merged later.
        let merged = if left <= span / 2 { rows - left } else { rows };
        let first = (span / block).ilog2().min(levels);
        mirrored(&mut all, merged, span, first);
        let mut distance = span >> (first + 1);
        while distance >= block {
            let count = ((distance / block).ilog2() + 1).min(levels);
            strided(&mut all, (merged, span / 2), distance, count);
            distance >>= count;
        }
        strided(&mut all, (merged, span / 2), block / 2, levels);
        span *= 2;
    }
    all
}

fn mirrored(all: &mut Vec<Pass>, rows: i64, span: i64, levels: u32) {
    let (width, stride) = (1 << levels, span >> levels);
    let pass = Pass {
        run: span / 2,
        first: 0,
        spans: rows / span,
        span,
        offsets: [0, stride],
        stride,
        width,
        mirrored: true,
        present: width,
    };
    // The groups at small offsets lack one row more than the others.
    let missing = span - rows % span;
    let (absent, more) = ((missing / stride) as usize, missing % stride);
    push(all, pass, rows, more, [width - absent - usize::from(more > 0), width - absent]);
}

fn strided(all: &mut Vec<Pass>, (rows, run): (i64, i64), distance: i64, levels: u32) {
    let (width, span) = (1 << levels, 2 * distance);
    let stride = span >> levels;
    let pass = Pass {
        run,
        first: 0,
        spans: rows / span,
        span,
        offsets: [0, stride],
        stride,
        width,
        mirrored: false,
        present: width,
    };
    let (present, more) = ((rows % span / stride) as usize, rows % span % stride);
    push(all, pass, rows, more, [present + usize::from(more > 0), present]);
}

/// The pass over whole spans, and those over the last one, where there are rows of it: groups at offsets below `more` have the first
/// number of rows, the others the second.
fn push(all: &mut Vec<Pass>, pass: Pass, rows: i64, more: i64, present: [usize; 2]) {
    if pass.spans > 0 {
        all.push(pass);
    }
    if rows % pass.span == 0 {
        return;
    }
    let parts = [[0, more], [more, pass.stride]];
    for (offsets, present) in parts.into_iter().zip(present) {
        let part = Pass { first: pass.spans, spans: 1, offsets, present, ..pass };
        if offsets[0] < offsets[1] && !part.comparisons().is_empty() {
            all.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pass, merges, sorting};

    /// Rows in a pseudo-random order.
    fn mixed(count: usize, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % (count as u64 * 2)
        };
        (0..count).map(next).collect()
    }

    fn exchange(rows: &mut [u64], a: usize, b: usize) {
        assert!(a < b);
        if rows[b] < rows[a] {
            rows.swap(a, b);
        }
    }

    /// The comparisons of a pass up to the span `last`.
    fn run(rows: &mut [u64], pass: &Pass, last: i64) {
        for span in pass.first..last {
            for offset in pass.offsets[0]..pass.offsets[1] {
                for (a, b) in pass.comparisons() {
                    let [a, b] = [a, b].map(|position| {
                        let (times, more) = pass.row(position);
                        (span * pass.span + times * offset + more) as usize
                    });
                    exchange(rows, a, b);
                }
            }
        }
    }

    #[test]
    fn blocks_are_sorted() {
        for count in 1..=16 {
            for bits in 0..1u64 << count {
                // Networks that sort zeros and ones sort everything.
                let mut rows: Vec<u64> = (0..count).map(|at| bits >> at & 1).collect();
                sorting(count).into_iter().for_each(|(a, b)| exchange(&mut rows, a, b));
                assert!(rows.is_sorted(), "{count} {bits:b}");
            }
        }
    }

    #[test]
    fn first_rows_are_merged_alone() {
        for block in [4, 8, 16] {
            for blocks in 2..=20 {
                let count = (blocks * block) as i64;
                for valid in 0..=count {
                    let mut rows = mixed(count as usize, valid as u64);
                    // Of what comes after the blocks with valid rows, only as much is the largest as is merged with these.
                    let top =
                        (1..).map(|times| block as i64 >> 1 << times).find(|top| *top >= valid);
                    let top = top.unwrap_or(count).min(count) as usize;
                    rows[valid as usize..top].fill(u64::MAX);
                    let mut sorted = rows[..valid as usize].to_vec();
                    sorted.sort_unstable();
                    rows[..top].chunks_mut(block).for_each(<[u64]>::sort_unstable);
                    let passes = merges(count, block as i64);
                    for pass in &passes {
                        let pair = 2 * pass.run;
                        let merged = ((valid + pass.run - 1) / pair * pair).min(valid);
                        let spans = (merged + pass.span - 1) / pass.span;
                        let last = spans.min(pass.first + pass.spans);
                        let is_left = pass.ends_merge(block as i64) && valid <= pair;
                        run(&mut rows, pass, if is_left { pass.first } else { last });
                    }
                    // What ends the last merge, of all blocks.
                    if let Some(pass) = passes.last() {
                        assert!(pass.ends_merge(block as i64) && pass.first == 0);
                        run(&mut rows, pass, (valid + block as i64 - 1) / block as i64);
                    }
                    assert_eq!(rows[..valid as usize], sorted, "{valid} of {blocks} of {block}");
                }
            }
        }
    }

    #[test]
    fn blocks_are_merged() {
        for block in [4, 8, 16] {
            for blocks in 1..=70 {
                let count = blocks * block;
                for seed in 0..4 {
                    let mut rows = mixed(count, seed);
                    rows.chunks_mut(block).for_each(<[u64]>::sort_unstable);
                    for pass in merges(count as i64, block as i64) {
                        run(&mut rows, &pass, pass.first + pass.spans);
                    }
                    assert!(rows.is_sorted(), "{blocks} of {block}");
                }
            }
        }
    }
}
