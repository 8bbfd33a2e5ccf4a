//! From one layout of a value to another, step by step.

use std::collections::HashMap;

use crate::grid::{Grid, Layout};

/// What devices do with their parts of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// They fill a dimension up to a size.
    Fill { dim: usize, size: i64 },
    /// They keep the first `size` indices of a dimension.
    Keep { dim: usize, size: i64 },
    /// Each takes its part, of `size` indices, of a dimension.
    Take { dim: usize, pieces: Vec<usize>, size: i64 },
    /// Those along pieces gather their parts of a dimension.
    Gather { dim: usize, pieces: Vec<usize> },
    /// Those along pieces split dimension `split` and gather their parts of dimension `gather`.
    Exchange { split: usize, gather: usize, pieces: Vec<usize> },
    /// Each sends all that it has to another: pairs of positions.
    Send { pairs: Vec<(i64, i64)> },
}

/// The steps from one layout of a value of that shape to another.
pub fn plan(grid: &Grid, shape: &[i64], from: &Layout, to: &Layout) -> Vec<Step> {
    let mut plan = Plan { grid, shape, to, now: from.clone(), steps: Vec::new() };
    while plan.now != *plan.to {
        let done = plan.send() || plan.take() || plan.exchange() || plan.gather();
        assert!(done, "{:?} does not become {:?}", plan.now, plan.to);
    }
    plan.steps
}

struct Plan<'a> {
    grid: &'a Grid,
    shape: &'a [i64],
    to: &'a Layout,
    now: Layout,
    steps: Vec<Step>,
}

impl Plan<'_> {
    /// The size of a part of a dimension along pieces.
    fn part(&self, dim: usize, pieces: &[usize]) -> i64 {
        self.grid.part(self.shape[dim], pieces)
    }

    /// Whether the parts along `outer` and `inner` are equal parts of those along `outer`. The whole can be filled up to that.
    fn nests(&self, dim: usize, outer: &[usize], inner: &[usize]) -> bool {
        let both = [outer, inner].concat();
        outer.is_empty() || self.part(dim, outer) == self.part(dim, &both) * self.grid.parts(inner)
    }

    /// Where each device has as much as it needs, one exchange with another is enough.
    fn send(&mut self) -> bool {
        let dims = self.now.0.iter().zip(&self.to.0);
        if dims.clone().any(|(now, to)| self.grid.parts(now) != self.grid.parts(to)) {
            return false;
        }
        let key = |layout: &Layout, position: i64| -> Vec<i64> {
            layout.0.iter().map(|pieces| self.grid.index(position, pieces)).collect()
        };
        let count = self.grid.count();
        let mut sources: HashMap<Vec<i64>, Vec<i64>> = HashMap::new();
        let mut pairs = vec![None; count as usize];
        for position in 0..count {
            let has = key(&self.now, position);
            if has == key(self.to, position) {
                pairs[position as usize] = Some(position);
            } else {
                sources.entry(has).or_default().push(position);
            }
        }
        let mut next: HashMap<Vec<i64>, usize> = HashMap::new();
        for position in 0..count {
            if pairs[position as usize].is_none() {
                let wants = key(self.to, position);
                let at = next.entry(wants.clone()).or_default();
                let source = sources.get(&wants).and_then(|sources| sources.get(*at)).copied();
                *at += 1;
                // As many have each part as want it.
                let Some(source) = source else { return false };
                pairs[position as usize] = Some(source);
            }
        }
        let pairs: Vec<_> =
            (0..count).zip(pairs).filter_map(|(target, source)| Some((source?, target))).collect();
        if pairs.iter().any(|(source, target)| source != target) {
            self.steps.push(Step::Send { pairs });
        }
        self.now = self.to.clone();
        true
    }

    /// A dimension that is only split further.
    fn take(&mut self) -> bool {
        for dim in 0..self.shape.len() {
            let (now, to) = (&self.now.0[dim], &self.to.0[dim]);
            if now.len() >= to.len() || !to.starts_with(now) {
                continue;
            }
            let more = to[now.len()..].to_vec();
            let is_free = more.iter().all(|piece| !self.now.uses(*piece));
            if is_free && self.nests(dim, now, &more) {
                let size = self.part(dim, to);
                self.fill(dim, size * self.grid.parts(&more));
                self.steps.push(Step::Take { dim, pieces: more, size });
                self.now.0[dim] = self.to.0[dim].clone();
                return true;
            }
        }
        false
    }

    /// Fills up a dimension that is not split.
    fn fill(&mut self, dim: usize, size: i64) {
        if self.now.0[dim].is_empty() && self.shape[dim] != size {
            self.steps.push(Step::Fill { dim, size });
        }
    }

    /// Leaves out what a dimension that is not split any more was filled up with; `size` is what it has.
    fn keep(&mut self, dim: usize, size: i64) {
        if self.now.0[dim].is_empty() && self.shape[dim] != size {
            self.steps.push(Step::Keep { dim, size: self.shape[dim] });
        }
    }

    /// How many pieces of a dimension stay.
    fn common(&self, dim: usize) -> usize {
        let pairs = self.now.0[dim].iter().zip(&self.to.0[dim]);
        pairs.take_while(|(now, to)| now == to).count()
    }

    /// The innermost pieces of one dimension become those of another.
    fn exchange(&mut self) -> bool {
        let rank = self.shape.len();
        for gather in 0..rank {
            for kept in self.common(gather)..self.now.0[gather].len() {
                let (outer, moved) = self.now.0[gather].split_at(kept);
                if !self.nests(gather, outer, moved) {
                    continue;
                }
                let fits = |split: &usize| {
                    let now = &self.now.0[*split];
                    *split != gather
                        && self.to.0[*split].starts_with(&[now, moved].concat())
                        && self.nests(*split, now, moved)
                };
                let Some(split) = (0..rank).find(fits) else { continue };
                let (outer, moved) = (outer.to_vec(), moved.to_vec());
                let all = [&self.now.0[split], &moved[..]].concat();
                let parts = self.grid.parts(&moved);
                self.fill(split, self.part(split, &all) * parts);
                let size = self.part(gather, &self.now.0[gather]) * parts;
                self.steps.push(Step::Exchange { split, gather, pieces: moved });
                self.now.0[split] = all;
                self.now.0[gather] = outer;
                self.keep(gather, size);
                return true;
            }
        }
        false
    }

    /// The pieces of a dimension that have to go, or all of them where parts do not nest.
    fn gather(&mut self) -> bool {
        let is_stuck = |dim: &usize| {
            let (now, to) = (&self.now.0[*dim], &self.to.0[*dim]);
            self.common(*dim) < now.len() || (now != to && !self.nests(*dim, now, &to[now.len()..]))
        };
        let Some(dim) = (0..self.shape.len()).find(is_stuck) else { return false };
        let now = self.now.0[dim].clone();
        let kept = match self.common(dim) {
            kept if kept < now.len() && self.nests(dim, &now[..kept], &now[kept..]) => kept,
            _ => 0,
        };
        let pieces = now[kept..].to_vec();
        let size = self.part(dim, &now) * self.grid.parts(&pieces);
        self.steps.push(Step::Gather { dim, pieces });
        self.now.0[dim] = now[..kept].to_vec();
        self.keep(dim, size);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(dims: &[&[usize]]) -> Layout {
        Layout(dims.iter().map(|dim| dim.to_vec()).collect())
    }

    /// Runs the steps on parts that hold the indices of their elements, -1 where they are filled up.
    fn check(sizes: &[i64], shape: &[i64], from: &Layout, to: &Layout) -> Vec<Step> {
        let grid = Grid::new(sizes);
        let steps = plan(&grid, shape, from, to);
        let mut parts: Vec<Part> =
            (0..grid.count()).map(|at| Part::of(&grid, shape, from, at)).collect();
        for step in &steps {
            parts = apply(&grid, step, &parts);
        }
        for (position, part) in (0..).zip(&parts) {
            let wanted = Part::of(&grid, shape, to, position);
            assert_eq!(part.shape, wanted.shape, "{from:?} to {to:?}: {steps:?}");
            for (has, wants) in part.elements.iter().zip(&wanted.elements) {
                assert!(*wants == -1 || has == wants, "{from:?} to {to:?}: {steps:?}");
            }
        }
        steps
    }

    #[derive(Clone, Debug)]
    struct Part {
        shape: Vec<i64>,
        elements: Vec<i64>,
    }

    fn indices(shape: &[i64]) -> Vec<Vec<i64>> {
        let mut all = vec![Vec::new()];
        for size in shape {
            all = all
                .iter()
                .flat_map(|one| (0..*size).map(move |at| [&one[..], &[at]].concat()))
                .collect();
        }
        all
    }

    impl Part {
        fn of(grid: &Grid, shape: &[i64], layout: &Layout, position: i64) -> Self {
            let own = grid.part_shape(shape, layout);
            let element = |at: Vec<i64>| {
                at.iter().enumerate().try_fold(0, |flat, (dim, at)| {
                    let index = grid.index(position, &layout.0[dim]) * own[dim] + at;
                    (index < shape[dim]).then_some(flat * shape[dim] + index)
                })
            };
            let elements = indices(&own).into_iter().map(|at| element(at).unwrap_or(-1)).collect();
            Self { shape: own, elements }
        }

        fn at(&self, index: &[i64]) -> i64 {
            let flat = index.iter().zip(&self.shape).fold(0, |flat, (at, size)| flat * size + at);
            self.elements[flat as usize]
        }

        fn map(shape: Vec<i64>, element: impl Fn(&[i64]) -> i64) -> Self {
            let elements = indices(&shape).iter().map(|at| element(at)).collect();
            Self { shape, elements }
        }
    }

    fn with(list: &[i64], dim: usize, value: i64) -> Vec<i64> {
        let mut list = list.to_vec();
        list[dim] = value;
        list
    }

    fn apply(grid: &Grid, step: &Step, parts: &[Part]) -> Vec<Part> {
        let group = |position: usize, pieces: &[usize]| {
            let groups = grid.groups(pieces);
            groups.into_iter().find(|group| group.contains(&(position as i64))).unwrap()
        };
        let one = |(position, part): (usize, &Part)| match step {
            Step::Fill { dim, size } => Part::map(with(&part.shape, *dim, *size), |at| {
                if at[*dim] < part.shape[*dim] { part.at(at) } else { -1 }
            }),
            Step::Keep { dim, size } => Part::map(with(&part.shape, *dim, *size), |at| part.at(at)),
            Step::Take { dim, pieces, size } => {
                let start = grid.index(position as i64, pieces) * size;
                assert!(start + size <= part.shape[*dim]);
                Part::map(with(&part.shape, *dim, *size), |at| {
                    part.at(&with(at, *dim, at[*dim] + start))
                })
            }
            Step::Gather { dim, pieces } => {
                let (own, group) = (part.shape[*dim], group(position, pieces));
                Part::map(with(&part.shape, *dim, own * group.len() as i64), |at| {
                    let source = group[(at[*dim] / own) as usize];
                    parts[source as usize].at(&with(at, *dim, at[*dim] % own))
                })
            }
            Step::Exchange { split, gather, pieces } => {
                let group = group(position, pieces);
                let members = group.len() as i64;
                let me = group.iter().position(|one| *one == position as i64).unwrap() as i64;
                let (own, size) = (part.shape[*gather], part.shape[*split] / members);
                assert_eq!(size * members, part.shape[*split]);
                let shape = with(&with(&part.shape, *split, size), *gather, own * members);
                Part::map(shape, |at| {
                    let source = group[(at[*gather] / own) as usize];
                    let from =
                        with(&with(at, *gather, at[*gather] % own), *split, at[*split] + me * size);
                    parts[source as usize].at(&from)
                })
            }
            Step::Send { pairs } => {
                let (source, _) = pairs.iter().find(|(_, to)| *to == position as i64).unwrap();
                parts[*source as usize].clone()
            }
        };
        parts.iter().enumerate().map(one).collect()
    }

    /// All lists of different pieces for each of `dims` dimensions.
    fn layouts(pieces: usize, dims: usize) -> Vec<Layout> {
        let mut all = vec![Layout::whole(dims)];
        let mut first = 0;
        while first < all.len() {
            let one = all[first].clone();
            first += 1;
            for piece in (0..pieces).filter(|piece| !one.uses(*piece)) {
                for dim in 0..dims {
                    let mut more = one.clone();
                    more.0[dim].push(piece);
                    if !all.contains(&more) {
                        all.push(more);
                    }
                }
            }
        }
        all
    }

    #[test]
    fn every_layout_becomes_every_other() {
        for (sizes, shape) in [
            (vec![2, 2], vec![4, 8]),
            (vec![2, 2], vec![5, 3]),
            (vec![2, 3], vec![7, 1]),
            (vec![2, 2, 2], vec![10, 3]),
            (vec![3, 2], vec![6, 2]),
        ] {
            let all = layouts(sizes.len(), shape.len());
            for from in &all {
                for to in &all {
                    check(&sizes, &shape, from, to);
                }
            }
        }
    }

    #[test]
    fn the_cheapest_exchange_is_chosen() {
        let steps = check(&[2, 2], &[4, 8], &layout(&[&[0], &[]]), &layout(&[&[], &[0]]));
        assert!(matches!(steps[..], [Step::Exchange { .. }]), "{steps:?}");
        let steps = check(&[2, 2], &[4, 8], &layout(&[&[0], &[]]), &layout(&[&[1], &[]]));
        assert!(matches!(steps[..], [Step::Send { .. }]), "{steps:?}");
        let steps = check(&[2, 2], &[4, 8], &layout(&[&[], &[]]), &layout(&[&[1], &[]]));
        assert!(matches!(steps[..], [Step::Take { .. }]), "{steps:?}");
        let steps = check(&[2, 2], &[4, 8], &layout(&[&[0, 1], &[]]), &layout(&[&[0], &[]]));
        assert!(matches!(steps[..], [Step::Gather { .. }]), "{steps:?}");
        // Parts of 3 do not nest in parts of 5.
        let steps = check(&[2, 2], &[10], &layout(&[&[0]]), &layout(&[&[0, 1]]));
        assert!(
            matches!(steps[..], [Step::Gather { .. }, Step::Fill { .. }, Step::Take { .. }]),
            "{steps:?}"
        );
    }
}
