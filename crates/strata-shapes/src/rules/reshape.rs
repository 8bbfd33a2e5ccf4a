//! The same elements in another shape: dimensions are split into factors and joined from them.
//!
//! ```text
//! reshape tensor<6x4xf32> -> tensor<2x3x4xf32>: factors of sizes 2, 3 and 4; dimension 0 of the operand is the first two
//! ```

use strata_ir::{DYNAMIC, Op, OpKind, TypeExt as _};

use crate::{
    DimRules,
    FactorKind::{Parallel, Whole},
    gcd,
};

pub fn rules(op: Op<'_>, rules: &mut DimRules) {
    let (Some(mut old), Some(mut new)) = (op.operand(0).ty().shape(), op.result(0).ty().shape())
    else {
        return;
    };
    if op.kind() == OpKind::BitcastConvert {
        // The wider type has no innermost dimension of its parts.
        let rank = old.len().min(new.len());
        for dim in 0..rank {
            rules.add(Parallel, [(0, dim)], [(0, dim)]);
        }
        return;
    }
    if old.iter().chain(&new).any(|size| matches!(size, 0 | &DYNAMIC)) {
        return;
    }
    let mut factors = Vec::new();
    let (mut to_old, mut to_new) = (old.len(), new.len());
    while to_old > 0 && to_new > 0 {
        // The innermost dimensions that have as many elements in both shapes.
        let (mut from_old, mut from_new) = (to_old - 1, to_new - 1);
        let (mut all_old, mut all_new) = (old[from_old], new[from_new]);
        while all_old != all_new {
            if all_old < all_new && from_old > 0 {
                from_old -= 1;
                all_old *= old[from_old];
            } else if from_new > 0 {
                from_new -= 1;
                all_new *= new[from_new];
            } else {
                return;
            }
        }
        let group = Group { old: (from_old, to_old), new: (from_new, to_new) };
        group.split(&mut old, &mut new, &mut factors);
        (to_old, to_new) = (from_old, from_new);
    }
    for (kind, size, from, to) in factors.into_iter().rev() {
        rules.add_part(kind, size, from, to);
    }
}

/// Dimensions of both shapes with the same elements.
struct Group {
    old: (usize, usize),
    new: (usize, usize),
}

type Part = (crate::FactorKind, i64, Option<usize>, Option<usize>);

impl Group {
    /// Splits off common divisors from the innermost dimension outwards; what is left has no factor in common.
    fn split(&self, old: &mut [i64], new: &mut [i64], parts: &mut Vec<Part>) {
        let (mut from, mut to) = (self.old.1, self.new.1);
        while from > self.old.0 && to > self.new.0 {
            let common = gcd(old[from - 1], new[to - 1]);
            if common > 1 {
                parts.push((Parallel, common, Some(from - 1), Some(to - 1)));
                old[from - 1] /= common;
                new[to - 1] /= common;
            }
            match (old[from - 1], new[to - 1]) {
                (1, _) => from -= 1,
                (_, 1) => to -= 1,
                _ => break,
            }
        }
        let old = (self.old.0..from).rev().map(|dim| (Whole, old[dim], Some(dim), None));
        let new = (self.new.0..to).rev().map(|dim| (Whole, new[dim], None, Some(dim)));
        parts.extend(old.chain(new).filter(|(_, size, ..)| *size > 1));
    }
}
