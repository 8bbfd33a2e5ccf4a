//! Sums of products.

use strata_ir::{AttributeExt as _, DotDimensionNumbers, Op, OpKind};

use super::{NoRules, Ruled, dims, rank};
use crate::{
    DimRules,
    FactorKind::{Parallel, Reduced},
};

#[allow(clippy::wildcard_enum_match_arm)] // `family` has the kinds.
pub fn rules(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    match op.kind() {
        OpKind::DotGeneral => dot_general(op, rules),
        OpKind::Dot => {
            let (lhs, rhs) = (rank(op.operand(0)), rank(op.operand(1)));
            let last = lhs.checked_sub(1).ok_or(NoRules("an operand has no dimension"))?;
            rules.add(Reduced, [(0, last), (1, 0)], []);
            for dim in 0..last {
                rules.add(Parallel, [(0, dim)], [(0, dim)]);
            }
            for dim in 1..rhs {
                rules.add(Parallel, [(1, dim)], [(0, last + dim - 1)]);
            }
            Ok(())
        }
        _ => einsum(op, rules),
    }
}

fn dot_general(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let numbers = op.attr("dot_dimension_numbers");
    let numbers = numbers.and_then(DotDimensionNumbers::from_attribute);
    let numbers = numbers.ok_or(NoRules("it has no dimension numbers"))?;
    let mut results = 0..;
    let mut next = || results.next().map(|dim| (0, dim));
    let sides = [
        (dims(&numbers.lhs_batching_dimensions), dims(&numbers.lhs_contracting_dimensions)),
        (dims(&numbers.rhs_batching_dimensions), dims(&numbers.rhs_contracting_dimensions)),
    ];
    for (lhs, rhs) in sides[0].0.iter().zip(&sides[1].0) {
        rules.add(Parallel, [(0, *lhs), (1, *rhs)], next());
    }
    for (side, (batching, contracting)) in sides.iter().enumerate() {
        let free = |dim: &usize| !batching.contains(dim) && !contracting.contains(dim);
        for dim in (0..rank(op.operand(side))).filter(free) {
            rules.add(Parallel, [(side, dim)], next());
        }
    }
    for (lhs, rhs) in sides[0].1.iter().zip(&sides[1].1) {
        rules.add(Reduced, [(0, *lhs), (1, *rhs)], []);
    }
    Ok(())
}

/// One factor per letter. A letter that an operand has twice takes its diagonal, and an ellipsis stands for any dimensions.
fn einsum(op: Op<'_>, rules: &mut DimRules) -> Ruled {
    let config = op.attr("einsum_config").and_then(|config| config.as_str());
    let config = config.ok_or(NoRules("an attribute is missing"))?;
    let (operands, result) = config.split_once("->").ok_or(NoRules("there is no result"))?;
    let operands: Vec<Vec<char>> =
        operands.split(',').map(|part| part.trim().chars().collect()).collect();
    let result: Vec<char> = result.trim().chars().collect();
    let is_once =
        |letters: &[char], letter| letters.iter().filter(|one| **one == letter).count() < 2;
    let mut letters: Vec<char> = operands.concat();
    letters.sort_unstable();
    letters.dedup();
    if letters.iter().any(|letter| !letter.is_alphabetic()) {
        return Ok(());
    }
    for letter in letters {
        if !operands.iter().chain([&result]).all(|part| is_once(part, letter)) {
            continue;
        }
        let place = |part: &Vec<char>| part.iter().position(|one| *one == letter);
        let places = operands.iter().enumerate();
        let places = places.filter_map(|(index, part)| Some((index, place(part)?)));
        let to = place(&result).map(|dim| (0, dim));
        rules.add(if to.is_some() { Parallel } else { Reduced }, places, to);
    }
    Ok(())
}
