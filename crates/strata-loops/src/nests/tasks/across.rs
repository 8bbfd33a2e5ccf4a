//! Nests whose iterations depend on each other, but not across columns.
//!
//! ```mlir
//! scf.for %k = 0 to 4096 step 1024 {
//!   affine.for %j = 0 to 4096 { … %sums[%j] = 0 … }
//!   scf.for %r = %k to %k + 1024 { scf.for %j = 0 to 4096 step 128 { … %sums[%j + 0 … 127] += … } }
//!   affine.for %j = 0 to 4096 { … %out[%j] += %sums[%j] … }
//! }
//! ```
//! Of the buffers written in the nest, each loop over `%j` only accesses the columns of its own index. So the nest can be split by
//! columns.

use rustc_hash::FxHashMap;
use strata_ir::{Op, Value, WalkOrder};

use super::{
    Nest,
    disjoint::{self, Access},
    ranges::Ranges,
};

/// The loops over the columns of a nest, all of the same bounds.
pub struct Columns<'c> {
    pub loops: Vec<Nest<'c>>,
    /// Columns that must stay together.
    pub unit: i64,
}

impl<'c> Columns<'c> {
    /// The column loops of `nest`; `None` if it has none.
    pub fn of(nest: Op<'c>) -> Option<Self> {
        let all: Vec<Nest<'c>> =
            nest.collect(|op| op != nest).into_iter().filter_map(Nest::of).collect();
        let mut extents: Vec<(i64, i64)> = Vec::new();
        for found in &all {
            if !extents.contains(&(found.first, found.last)) {
                extents.push((found.first, found.last));
            }
        }
        // The longest first: they split best.
        extents.sort_by_key(|(first, last)| (first - last, *first));
        extents.into_iter().find_map(|extent| Self::of_extent(nest, &all, extent))
    }

    fn of_extent(nest: Op<'c>, all: &[Nest<'c>], extent: (i64, i64)) -> Option<Self> {
        let own: Vec<Nest<'c>> =
            all.iter().copied().filter(|one| (one.first, one.last) == extent).collect();
        let is_innermost = |one: &Nest<'c>| {
            own.iter().all(|other| other.op == one.op || !one.op.encloses(other.op))
        };
        let loops: Vec<Nest<'c>> = own.iter().copied().filter(is_innermost).collect();
        let length = extent.1 - extent.0;
        let unit = loops.iter().try_fold(1_i64, |unit, one| {
            let (mut a, mut b) = (unit, one.step);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            unit.checked_mul(one.step / a)
        })?;
        if length % unit != 0 || length / unit < 2 {
            return None;
        }
        let found = Self { loops, unit };
        found.are_apart(nest)?.then_some(found)
    }

    /// Whether buffers written in the nest are only accessed by the column loops, each at its own columns.
    fn are_apart(&self, nest: Op<'c>) -> Option<bool> {
        let mut ranges: Vec<Ranges<'c>> =
            self.loops.iter().map(|one| Ranges::new(one.op)).collect();
        let mut nowhere = Ranges::new(nest);
        // For each access the loop that it is in.
        let mut accesses: Vec<(Option<usize>, Access<'c>)> = Vec::new();
        let mut is_known = true;
        nest.walk(WalkOrder::Pre, &mut |op| {
            if op == nest || !is_known {
                return;
            }
            let at = self.loops.iter().position(|one| one.op.encloses(op));
            let mut found = Vec::new();
            let (around, ranges) = match at {
                Some(at) => (self.loops[at].op, &mut ranges[at]),
                None => (nest, &mut nowhere),
            };
            // Allocations inside a column loop are private; those in the nest are shared by the columns.
            is_known = disjoint::look_at(op, at.map(|_| around), ranges, &mut found).is_some();
            accesses.extend(found.into_iter().map(|access| (at, access)));
        });
        if !is_known {
            return None;
        }
        let mut written: FxHashMap<Value<'c>, Option<Vec<bool>>> = FxHashMap::default();
        for (_, access) in accesses.iter().filter(|(_, access)| access.is_write) {
            written.insert(access.root, None);
        }
        for (at, access) in &accesses {
            let Some(dims) = written.get_mut(&access.root) else { continue };
            let Some(at) = at else { return Some(false) };
            let step = self.loops[*at].step;
            let fits = access.touched.iter().map(|touched| {
                let own = |range: &super::ranges::Range<'c>| {
                    range.is_index() && range.low >= 0 && range.high < step
                };
                touched.as_ref().is_some_and(own)
            });
            let fits: Vec<bool> = fits.collect();
            if !disjoint::is_injective(access.ty) {
                return Some(false);
            }
            match dims {
                None => *dims = Some(fits),
                Some(dims) if dims.len() == fits.len() => {
                    dims.iter_mut().zip(fits).for_each(|(dim, fits)| *dim &= fits);
                }
                Some(_) => return Some(false),
            }
        }
        // All accesses to a buffer must use the same shape: columns are a dimension.
        let same = |root: &Value<'c>| {
            let mut types =
                accesses.iter().filter(|(_, one)| one.root == *root).map(|(_, one)| one.ty);
            let first = types.next();
            types.all(|ty| Some(ty) == first)
        };
        let is_cut = |(root, dims): (&Value<'c>, &Option<Vec<bool>>)| {
            same(root) && dims.as_ref().is_some_and(|dims| dims.contains(&true))
        };
        #[allow(clippy::disallowed_methods, reason = "all are asked, in any order")]
        let all = written.iter().all(is_cut);
        Some(all)
    }
}
