//! From a nest to the schedules worth trying, best first.

use strata_ir::{Isa, Op, Target, TypeExt as _};

use crate::{
    structured::{Index, Structured, vector_bits},
    tiling::{
        cost::{self, RegisterTile},
        elementwise,
        register::{self, Reduction},
        rows, transpose,
    },
    transform::tags,
};

/// A schedule to try.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The strategy and its parameters, as recorded in `strata.schedule`.
    pub name: String,
    /// The text of the named sequence.
    pub sequence: String,
}

/// The operations of an outlined nest.
pub struct Parts<'c> {
    /// The operation that makes the function's results.
    pub root: Op<'c>,
    /// The generic operations in order, the root included if it is one.
    pub generics: Vec<Structured<'c>>,
    /// The turned copy of an operand of the reduction.
    pub turned: Option<Op<'c>>,
}

/// Takes an outlined function apart; `None` when its result is an argument.
pub fn parts<'c>(func: Op<'c>) -> Option<Parts<'c>> {
    let ops = func.body(0).ops();
    let root = ops.last()?.operands().first()?.owner()?;
    let scheduled = ops.iter().filter(|op| !op.has_attr(tags::TURN));
    let generics = scheduled.filter_map(|op| Structured::of_generic(*op)).collect();
    let turned = ops.iter().copied().find(|op| op.has_attr(tags::TURN));
    Some(Parts { root, generics, turned })
}

/// The schedules for an outlined nest, best first; none when the nest is better left alone.
pub fn candidates(parts: &Parts<'_>, target: &Target, sequence: &str) -> Vec<Candidate> {
    // Places are known to elementwise operations alone.
    let alone = parts.generics.len() == 1;
    let known = |nest: &Structured<'_>| nest.is_pure_map() || (alone && nest.is_elementwise());
    if !parts.generics.iter().all(known) {
        return Vec::new();
    }
    let lanes = parts.generics.iter().map(|nest| vector_bits(nest.op));
    let Some(bits) = lanes.collect::<Option<Vec<_>>>().and_then(|bits| bits.into_iter().max())
    else {
        return Vec::new();
    };
    let lanes = i64::from(target.lanes(bits));
    if lanes < 2 || target.isa == Isa::Scalar {
        return Vec::new();
    }
    match parts.generics.as_slice() {
        [only] if only.inputs == 0 && elements(only) < MIN_PLACES => Vec::new(),
        [only] if only.is_parallel() => {
            if let Some(plan) = transpose::read(only, lanes).filter(|_| only.is_pure_map()) {
                let sequence = transpose::schedule(&plan, sequence);
                return vec![Candidate { name: format!("transpose {}", plan.lanes), sequence }];
            }
            let Some(plan) = elementwise::read(only, lanes) else { return Vec::new() };
            let name = format!("elementwise {lanes}{}", if plan.flat { " flat" } else { "" });
            vec![Candidate { name, sequence: elementwise::schedule(&plan, sequence) }]
        }
        nests => {
            if let Some(plan) = rows::read(nests, parts.root, lanes) {
                let sequence = rows::schedule(&plan, sequence);
                return vec![Candidate { name: format!("rows {lanes}"), sequence }];
            }
            register_tiles(parts, target, sequence)
        }
    }
}

/// Numbers of places below which making them is not worth the compile time.
const MIN_PLACES: i64 = 4096;

fn elements(nest: &Structured<'_>) -> i64 {
    nest.extents.iter().fold(1, |count, extent| count.saturating_mul(*extent))
}

/// Multiply-adds below which a nest is not worth the compile time.
const MIN_WORK: i64 = 512;

fn register_tiles(parts: &Parts<'_>, target: &Target, sequence: &str) -> Vec<Candidate> {
    let Some((nest, bits)) = read_reduction(parts, target) else { return Vec::new() };
    let k = nest.reduced.iter().map(|(_, extent)| extent).product::<i64>();
    let mut tile = cost::register_tile(target, bits, [nest.m, nest.n, k], nest.reuse);
    if nest.reduced.len() > 1 {
        tile.depth_block = 0;
    }
    // A copy that follows into the loops is contiguous already.
    tile.pack &= nest.packed.is_some() && (parts.turned.is_none() || nest.turn.is_some());
    // All panels are turned ahead where the loop over them does not hold the copy.
    let held = tile.depth_block == 0 && nest.n > tile.columns;
    let mut tries = Vec::new();
    if nest.turn.is_some() && held {
        tries.push((Reduction { turn_panels: true, ..nest.clone() }, tile));
    }
    tries.push((nest.clone(), tile));
    if tile.pack || tile.row_block > 0 {
        tries.push((nest, RegisterTile { pack: false, row_block: 0, ..tile }));
    }
    tries
        .into_iter()
        .map(|(nest, tile)| Candidate {
            name: tile_name(&nest, &tile),
            sequence: register::schedule(&nest, &tile, sequence),
        })
        .collect()
}

fn tile_name(nest: &Reduction, tile: &RegisterTile) -> String {
    let mut name = format!("registers {}x{}", tile.rows, tile.columns);
    if nest.turn_panels {
        name.push_str(" turned");
    } else if tile.pack {
        name.push_str(" packed");
    }
    if tile.row_block > 0 {
        name.push_str(&format!(" rows {}", tile.row_block));
    }
    if tile.depth_block > 0 {
        name.push_str(&format!(" depth {}", tile.depth_block));
    }
    name
}

/// Reads a nest of one reduction and at most one elementwise consumer, and the widest element.
fn read_reduction(parts: &Parts<'_>, target: &Target) -> Option<(Reduction, u32)> {
    let mut reductions = parts.generics.iter().filter(|nest| !nest.is_parallel());
    let (nest, None) = (reductions.next()?, reductions.next()) else { return None };
    if parts.generics.len() > 2 || nest.op.result_count() != 1 {
        return None;
    }
    let epilogue = parts.root != nest.op;
    if epilogue && parts.generics.len() != 2 {
        return None;
    }
    let loops = nest.extents.len();
    let parallel: Vec<_> = (0..loops).filter(|number| !nest.reduction[*number]).collect();
    let reduced: Vec<_> = (0..loops)
        .filter(|number| nest.reduction[*number])
        .map(|number| (number, nest.extents[number]))
        .collect();
    let column = *parallel.last()?;
    let output: Vec<_> = parallel.iter().map(|number| Index::Loop(*number)).collect();
    let work = nest.extents.iter().try_fold(1i64, |work, extent| work.checked_mul(*extent))?;
    let depth = reduced.iter().map(|(_, extent)| extent).product::<i64>();
    if nest.maps[nest.inputs] != output || work < MIN_WORK || depth < 2 {
        return None;
    }
    let contiguous = (0..nest.inputs).all(|operand| {
        !nest.operand_uses(operand, column)
            || (nest.walks_along(operand, column)
                && nest.maps[operand].iter().filter(|index| index.uses(column)).count() == 1)
    });
    if !contiguous {
        return None;
    }
    // The operand that does not vary with some parallel loop is read again in each of its trips.
    let shared = (0..nest.inputs).rev().find(|operand| {
        nest.walks_along(*operand, column)
            && parallel.iter().any(|number| !nest.operand_uses(*operand, *number))
    });
    let others = 0..parallel.len() - 1;
    let varies = |position: &usize| {
        shared.is_some_and(|operand| nest.operand_uses(operand, parallel[*position]))
    };
    let row = others
        .clone()
        .rev()
        .find(|position| !varies(position) && nest.extents[parallel[*position]] > 1);
    let long = |position: &usize| nest.extents[parallel[*position]] > 1 && Some(*position) != row;
    let batch = others.clone().filter(|position| long(position) && varies(position)).collect();
    let outer: Vec<_> = others.filter(|position| long(position) && !varies(position)).collect();
    let extent = |position: usize| nest.extents[parallel[position]];
    let m = row.map_or(1, extent);
    let reuse = outer.iter().fold(m, |trips, position| trips.saturating_mul(extent(*position)));
    let operands = nest.op.operands();
    let bits = operands.iter().filter_map(|value| value.ty().element().bit_width()).max()?;
    let reduction = Reduction {
        loops,
        row,
        batch,
        outer,
        m,
        reuse,
        n: nest.extents[column],
        turn: parts
            .turned
            .and_then(Structured::of_generic)
            .and_then(|copy| transpose::read(&copy, i64::from(target.lanes(bits)))),
        turn_panels: false,
        packed: shared.map(|operand| (nest.maps[operand].len(), operand)),
        zeros: operands.iter().map(|value| zero(value.ty().element())).collect(),
        fill: operands[nest.inputs].owner().is_some_and(|owner| owner.is("linalg.fill")),
        epilogue,
        sums: is_sum(nest),
        parallel,
        reduced,
    };
    Some((reduction, bits))
}

/// Whether the nest adds floats.
fn is_sum(nest: &Structured<'_>) -> bool {
    let end = nest.op.body(0).terminator();
    let combines = end.and_then(|end| end.operands().first()?.owner());
    combines.is_some_and(|op| matches!(op.name(), "arith.addf" | "math.fma"))
}

/// Zero of a type, as an attribute's text.
fn zero(element: strata_ir::Type<'_>) -> String {
    match element.is_float_type() {
        true => format!("0.0 : {element}"),
        false => format!("0 : {element}"),
    }
}
