//! What devices have from one another of a dimension that is split: each wants a range of its indices, which neighbours have a part of.
//!
//! ```text
//! 8 in parts of 2 on 4 devices; device i wants 4 indices from 2i - 1 on
//!   block 0: device i gets index 1 of the part of i - 1     collective_permute [0 → 1, 1 → 2, 2 → 3]
//!   block 1: its own part
//!   block 2: device i gets index 0 of the part of i + 1     collective_permute [1 → 0, 2 → 1, 3 → 2]
//!   the range: 4 indices of the blocks, from 1 on
//! ```
//!
//! Where that is no less than the whole, the parts are gathered, and each device takes its range of the whole.

use std::collections::BTreeMap;

/// The ranges that devices want of a dimension in parts: `length` indices from `first` on for each part, which may lie outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    /// The size of a part.
    pub part: i64,
    /// The first index that each device wants, by its index along the dimension.
    pub first: Vec<i64>,
    /// How many they want.
    pub length: i64,
}

/// How they get them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetch {
    /// Each takes its range of blocks of the size of a part, from an offset on.
    Blocks {
        /// The blocks, one after another.
        blocks: Vec<Block>,
        /// Where the range of each device begins in its blocks.
        offset: Vec<i64>,
    },
    /// Each takes its range of the whole.
    Whole,
}

/// A part, or some of one, as the devices have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The devices for which it is their own.
    pub own: Vec<i64>,
    /// What is sent for it.
    pub sent: Vec<Sent>,
}

/// Indices `begin` to `end` of parts, from sources to targets: all of one round differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Source and target of each.
    pub pairs: Vec<(i64, i64)>,
    /// The first index of the part that is sent.
    pub begin: i64,
    /// The index after the last one.
    pub end: i64,
}

impl Ranges {
    fn count(&self) -> i64 {
        self.first.len() as i64
    }

    /// The cheaper way.
    pub fn fetch(&self) -> Fetch {
        let base = |first: i64| first.div_euclid(self.part);
        let last = |first: &i64| base(first + self.length.max(1) - 1) - base(*first) + 1;
        let depth = self.first.iter().map(last).max().unwrap_or(0);
        // The blocks would be larger than the whole.
        if depth > self.count() {
            return Fetch::Whole;
        }
        let blocks: Vec<_> = (0..depth).map(|at| self.block(at)).collect();
        let volume: i64 =
            blocks.iter().flat_map(|block| &block.sent).map(|sent| sent.end - sent.begin).sum();
        if volume > 0 && volume >= self.part * (self.count() - 1) {
            return Fetch::Whole;
        }
        let offset = self.first.iter().map(|first| first.rem_euclid(self.part)).collect();
        Fetch::Blocks { blocks, offset }
    }

    /// The block that is `at` parts after that in which a range begins.
    fn block(&self, at: i64) -> Block {
        let mut block = Block::default();
        // Of what each source sends, the first goes in the first round, and so on.
        let mut times: BTreeMap<i64, usize> = BTreeMap::new();
        for (target, first) in (0..).zip(&self.first) {
            let source = first.div_euclid(self.part) + at;
            let begin = first.max(&(source * self.part)) - source * self.part;
            let end = (first + self.length).min((source + 1) * self.part) - source * self.part;
            if !(0..self.count()).contains(&source) || begin >= end {
                continue;
            }
            if source == target {
                block.own.push(target);
                continue;
            }
            let round = times.entry(source).or_default();
            if block.sent.len() == *round {
                block.sent.push(Sent { pairs: Vec::new(), begin, end });
            }
            let sent = &mut block.sent[*round];
            *round += 1;
            sent.pairs.push((source, target));
            (sent.begin, sent.end) = (sent.begin.min(begin), sent.end.max(end));
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each device has once parts of the indices 0, 1, … are exchanged: -1 where nothing is.
    fn check(part: i64, first: &[i64], length: i64) -> Fetch {
        let ranges = Ranges { part, first: first.to_vec(), length };
        let count = first.len() as i64;
        let fetch = ranges.fetch();
        let Fetch::Blocks { blocks, offset } = &fetch else { return fetch };
        for (device, first) in (0..).zip(first) {
            let mut has = Vec::new();
            for block in blocks {
                let mut own = vec![-1; part as usize];
                if block.own.contains(&device) {
                    own = (device * part..(device + 1) * part).collect();
                }
                for sent in &block.sent {
                    let mut sources: Vec<_> = sent.pairs.iter().map(|pair| pair.0).collect();
                    sources.dedup();
                    assert_eq!(sources.len(), sent.pairs.len(), "a source sends twice: {sent:?}");
                    for (source, _) in sent.pairs.iter().filter(|pair| pair.1 == device) {
                        for at in sent.begin..sent.end {
                            own[at as usize] = source * part + at;
                        }
                    }
                }
                has.extend(own);
            }
            for at in 0..length {
                let wanted = first + at;
                if (0..count * part).contains(&wanted) {
                    let place = offset[device as usize] + at;
                    assert_eq!(has[place as usize], wanted, "{part} {first} {length}: {fetch:?}");
                }
            }
        }
        fetch
    }

    #[test]
    fn neighbours_send_what_is_wanted() {
        let fetch = check(2, &[-1, 1, 3, 5], 4);
        let Fetch::Blocks { blocks, .. } = fetch else { panic!("{fetch:?}") };
        assert_eq!(
            blocks[0].sent[0],
            Sent { pairs: vec![(0, 1), (1, 2), (2, 3)], begin: 1, end: 2 }
        );
        assert_eq!(blocks[1].own, [0, 1, 2, 3]);
        assert_eq!(
            blocks[2].sent[0],
            Sent { pairs: vec![(1, 0), (2, 1), (3, 2)], begin: 0, end: 1 }
        );
    }

    #[test]
    fn all_ranges_are_had() {
        for part in [1, 2, 3, 5] {
            for step in [-5, -3, -1, 0, 1, 2, 3, 4, 6] {
                for begin in [-7, -1, 0, 2, 13] {
                    for length in [1, 2, 4, 9] {
                        let first: Vec<_> = (0..4).map(|at| begin + at * step).collect();
                        check(part, &first, length);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_most_of_the_whole_is_gathered() {
        assert_eq!(check(2, &[-7, -5, -3, -1], 8), Fetch::Whole);
        assert!(matches!(check(2, &[6, 4, 2, 0], 2), Fetch::Blocks { .. }));
    }
}
