//! The memory plan: the offset of each temporary in the arena.
//!
//! Two temporaries may share bytes if their live ranges are disjoint. Finding the smallest arena is
//! NP-hard; first-fit over a few orders, improved by a fixed number of seeded exchanges, comes
//! within a few percent of the lower bound (the largest sum of sizes live at one point).

use strata_target::tuning::arena::{MAX_EXCHANGES, MAX_PAIRS};

/// Alignment of every temporary, in bytes: a cache line and the widest vector.
pub const ALIGNMENT: u64 = 64;

/// A temporary's live range in program points, both ends included, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The first point at which it is live.
    pub first: u64,
    /// The last point at which it is live.
    pub last: u64,
    /// Bytes.
    pub size: u64,
}

impl Lifetime {
    /// Whether both are live at some point.
    pub fn overlaps(&self, other: &Self) -> bool {
        if strata_ir::planted("plan-overlap") {
            return self.first <= other.first && other.first <= self.last;
        }
        self.first <= other.last && other.first <= self.last
    }
}

/// The offsets of all temporaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Byte offset of each temporary, a multiple of [`ALIGNMENT`].
    pub offsets: Vec<u64>,
    /// Bytes of the arena.
    pub size: u64,
}

/// Statistics of the plan of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanReport {
    /// Bytes of the arena.
    pub workspace: u64,
    /// The largest sum of the sizes of temporaries live at the same point, in bytes.
    pub peak_live: u64,
    /// The number of temporaries.
    pub buffers: usize,
}

/// The largest sum of sizes live at the same point: a lower bound.
pub fn peak_live(lifetimes: &[Lifetime]) -> u64 {
    // What begins at a point is live there together with what ends there.
    let begins = lifetimes.iter().map(|one| (one.first, false, one.size));
    let ends = lifetimes.iter().map(|one| (one.last, true, one.size));
    let mut changes: Vec<_> = begins.chain(ends).collect();
    changes.sort_unstable();
    let (mut live, mut most) = (0, 0);
    for (_, is_end, size) in changes {
        live = if is_end { live - size } else { live + size };
        most = most.max(live);
    }
    most
}

/// Chooses an offset for every live range. Deterministic.
pub fn layout(lifetimes: &[Lifetime]) -> Layout {
    let sizes: Vec<u64> =
        lifetimes.iter().map(|one| one.size.next_multiple_of(ALIGNMENT)).collect();
    let aligned: Vec<Lifetime> =
        lifetimes.iter().zip(&sizes).map(|(one, size)| Lifetime { size: *size, ..*one }).collect();
    let bound = peak_live(&aligned);

    let span = |one: &Lifetime| one.last - one.first + 1;
    let keys = |one: &Lifetime| {
        [
            (one.size, span(one)),
            (span(one), one.size),
            (one.size.saturating_mul(span(one)), one.size),
            (u64::MAX - one.first, one.size),
        ]
    };
    let mut best: Option<(Vec<usize>, Layout)> = None;
    for rule in 0..4 {
        let mut order: Vec<usize> = (0..aligned.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(keys(&aligned[*index])[rule]));
        let found = first_fit(&aligned, &order);
        if best.as_ref().is_none_or(|(_, layout)| found.size < layout.size) {
            best = Some((order, found));
        }
    }
    let Some((mut order, mut found)) = best else { return Layout::default() };

    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |limit: usize| {
        // Xorshift with a fixed seed.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % limit.max(1) as u64) as usize
    };
    let tries = MAX_EXCHANGES.min(MAX_PAIRS / aligned.len().pow(2).max(1));
    for _ in 0..tries {
        if found.size <= bound {
            break;
        }
        let (from, to) = (below(order.len()), below(order.len()));
        let mut tried = order.clone();
        let moved = tried.remove(from);
        tried.insert(to, moved);
        let layout = first_fit(&aligned, &tried);
        if layout.size <= found.size {
            (order, found) = (tried, layout);
        }
    }
    found
}

/// Puts each live range, in `order`, into the lowest sufficient gap between those that overlap it.
fn first_fit(lifetimes: &[Lifetime], order: &[usize]) -> Layout {
    let mut layout = Layout { offsets: vec![0; lifetimes.len()], size: 0 };
    let mut placed = Placed::new(lifetimes);
    for &index in order {
        let one = &lifetimes[index];
        let mut offset = 0;
        for (from, other) in placed.overlapping(one) {
            let end = if strata_ir::planted("plan-gap") { offset } else { offset + one.size };
            if from >= end {
                break;
            }
            offset = offset.max(from + lifetimes[other].size);
        }
        if strata_ir::planted("plan-offset") {
            offset = offset.saturating_sub(ALIGNMENT);
        }
        layout.offsets[index] = offset;
        layout.size = layout.size.max(offset + one.size);
        placed.insert(index, offset);
    }
    layout
}

/// Live ranges that were placed. Most of a large program's are short: those are found by when they are live.
struct Placed<'l> {
    lifetimes: &'l [Lifetime],
    /// Points of a part of the time.
    width: u64,
    /// For each part of the time the short ones that are live in it, by ascending offset, with their index.
    parts: Vec<Vec<(u64, usize)>>,
    /// The others, likewise.
    long: Vec<(u64, usize)>,
}

/// A part of the time for so many live ranges.
const RANGES_OF_PART: usize = 64;

/// A live range in more parts is a long one.
const MOST_PARTS: u64 = 4;

impl<'l> Placed<'l> {
    fn new(lifetimes: &'l [Lifetime]) -> Self {
        let end = lifetimes.iter().map(|one| one.last).max().unwrap_or(0);
        let parts = lifetimes.len() / RANGES_OF_PART + 1;
        let width = end / parts as u64 + 1;
        Self { lifetimes, width, parts: vec![Vec::new(); parts], long: Vec::new() }
    }

    /// The first and the last part of the time in which it is live.
    fn parts_of(&self, one: &Lifetime) -> (u64, u64) {
        (one.first / self.width, one.last / self.width)
    }

    fn insert(&mut self, index: usize, offset: u64) {
        let (first, last) = self.parts_of(&self.lifetimes[index]);
        let is_short = last - first < MOST_PARTS;
        let short = is_short.then(|| &mut self.parts[first as usize..=last as usize]);
        let long = (!is_short).then_some(&mut self.long);
        for list in short.into_iter().flatten().chain(long) {
            let at = list.partition_point(|(other, _)| *other <= offset);
            list.insert(at, (offset, index));
        }
    }

    /// Those that overlap it, by ascending offset.
    fn overlapping(&self, one: &Lifetime) -> Vec<(u64, usize)> {
        let (first, last) = self.parts_of(one);
        let short = (first..=last).flat_map(|part| {
            // One that is live in several parts is found in the first.
            let is_new =
                move |index: usize| self.parts_of(&self.lifetimes[index]).0.max(first) == part;
            self.parts[part as usize].iter().filter(move |(_, index)| is_new(*index))
        });
        let all = self.long.iter().chain(short);
        let mut found: Vec<_> =
            all.filter(|(_, index)| self.lifetimes[*index].overlaps(one)).copied().collect();
        // Stable, because that takes sorted runs in one pass.
        found.sort_by_key(|(offset, _)| *offset);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random live ranges: no two that overlap share a byte, and the arena is close to the bound.
    #[test]
    fn overlapping_lifetimes_never_share_bytes() {
        let mut seed = 7_u64;
        let mut next = |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % limit
        };
        let (mut worst, mut total) = (0.0_f64, 0.0);
        let rounds = 60;
        for round in 0..rounds {
            let count = 1 + round;
            let lifetimes: Vec<_> = (0..count)
                .map(|_| {
                    let first = next(100);
                    let size = if next(3) == 0 { next(100) } else { next(100_000) };
                    Lifetime { first, last: first + next(20), size }
                })
                .collect();
            let layout = layout(&lifetimes);
            for (left, one) in lifetimes.iter().enumerate() {
                assert_eq!(layout.offsets[left] % ALIGNMENT, 0);
                assert!(layout.offsets[left] + one.size <= layout.size);
                for (right, other) in lifetimes.iter().enumerate().skip(left + 1) {
                    let apart = layout.offsets[left] + one.size <= layout.offsets[right]
                        || layout.offsets[right] + other.size <= layout.offsets[left];
                    assert!(apart || !one.overlaps(other), "{one:?} and {other:?} share bytes");
                }
            }
            let ratio = layout.size as f64 / (peak_live(&lifetimes).max(4096) as f64);
            worst = worst.max(ratio);
            total += ratio;
        }
        assert!(worst <= 1.2, "worst ratio {worst}, mean {}", total / f64::from(rounds as u32));
    }

    /// Many live ranges, of which few are found by looking at all, are where looking at all puts them.
    #[test]
    fn many_lifetimes_are_placed_as_few_are() {
        let mut seed = 11_u64;
        let mut next = |limit: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % limit
        };
        let lifetimes: Vec<_> = (0..1500)
            .map(|at| {
                let first = next(3000);
                let length = if at % 9 == 0 { next(2000) } else { next(20) };
                Lifetime { first, last: first + length, size: 64 * next(40) }
            })
            .collect();
        let order: Vec<_> = (0..lifetimes.len()).collect();
        let found = first_fit(&lifetimes, &order);
        for (at, one) in lifetimes.iter().enumerate() {
            let mut others: Vec<_> =
                (0..at).filter(|other| lifetimes[*other].overlaps(one)).collect();
            others.sort_by_key(|other| found.offsets[*other]);
            let mut offset = 0;
            for other in others {
                if found.offsets[other] >= offset + one.size {
                    break;
                }
                offset = offset.max(found.offsets[other] + lifetimes[other].size);
            }
            assert_eq!(found.offsets[at], offset, "{at}");
        }
        let live = |at: u64| {
            let is_live = |one: &&Lifetime| one.first <= at && at <= one.last;
            lifetimes.iter().filter(is_live).map(|one| one.size).sum::<u64>()
        };
        assert_eq!(peak_live(&lifetimes), (0..5000).map(live).max().expect("points"));
    }

    #[test]
    fn the_same_input_gives_the_same_plan() {
        let lifetimes: Vec<_> = (0..40_u64)
            .map(|index| Lifetime {
                first: index % 7,
                last: index % 7 + index % 5,
                size: index * 97,
            })
            .collect();
        assert_eq!(layout(&lifetimes), layout(&lifetimes));
    }
}
