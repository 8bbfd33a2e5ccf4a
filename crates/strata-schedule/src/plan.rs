//! From a nest to the schedules worth trying, best first.

use strata_ir::{Op, Target, TypeExt as _};

use crate::{
    cost, elementwise,
    matmul::{self, Matmul},
    nest::is_heavy,
    rows,
    structured::Structured,
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
    /// The contraction, convolution or window reduction, if any; may be the root.
    pub heavy: Option<Op<'c>>,
    /// The generic operations in order, the root included if it is one.
    pub generics: Vec<Structured<'c>>,
}

/// Takes an outlined function apart; `None` when its result is an argument.
pub fn parts<'c>(func: Op<'c>) -> Option<Parts<'c>> {
    let ops = func.body(0).ops();
    let root = ops.last()?.operands().first()?.owner()?;
    let heavy = ops.iter().copied().find(|op| is_heavy(op.name()));
    let generics = ops.iter().filter_map(|op| Structured::of_generic(*op)).collect();
    Some(Parts { root, heavy, generics })
}

/// The schedules for an outlined nest, best first; none when the nest is better left alone.
pub fn candidates(parts: &Parts<'_>, target: &Target, sequence: &str) -> Vec<Candidate> {
    match parts.heavy {
        Some(heavy) if matches!(heavy.name(), "linalg.matmul" | "linalg.batch_matmul") => {
            contraction(parts, heavy, target, sequence)
        }
        Some(_) => Vec::new(),
        None => generic(parts, target, sequence),
    }
}

/// Elements are vectorised only where memory holds them as vectors do: booleans and sub-byte
/// integers take a byte each in memory, but a bit in a vector; small floats have no arithmetic.
fn vector_lanes(op: Op<'_>, target: &Target) -> Option<i64> {
    let mut widest = 8;
    for value in op.operands().into_iter().chain(op.results()) {
        let element = value.ty().element();
        let bits = element.bit_width()?;
        let fits = match bits {
            8 | 16 | 32 | 64 => element.is_int() || (element.is_float_type() && bits > 8),
            _ => false,
        };
        if !fits {
            return None;
        }
        widest = widest.max(bits);
    }
    Some(i64::from(target.lanes(widest)))
}

fn generic(parts: &Parts<'_>, target: &Target, sequence: &str) -> Vec<Candidate> {
    if parts.generics.iter().any(|nest| !nest.is_pure_map()) {
        return Vec::new();
    }
    let lanes = parts.generics.iter().map(|nest| vector_lanes(nest.op, target));
    let Some(lanes) = lanes.min().flatten().filter(|lanes| *lanes > 1) else { return Vec::new() };
    match parts.generics.as_slice() {
        [only] if only.is_parallel() => {
            let Some(plan) = elementwise::read(only, lanes) else { return Vec::new() };
            let name = format!("elementwise {lanes}{}", if plan.flat { " flat" } else { "" });
            vec![Candidate { name, sequence: elementwise::schedule(&plan, sequence) }]
        }
        nests => {
            let Some(plan) = rows::read(nests, parts.root, lanes) else { return Vec::new() };
            let name = format!("rows {lanes}");
            vec![Candidate { name, sequence: rows::schedule(&plan, sequence) }]
        }
    }
}

fn contraction(
    parts: &Parts<'_>,
    heavy: Op<'_>,
    target: &Target,
    sequence: &str,
) -> Vec<Candidate> {
    let Some(matmul) = read_matmul(parts, heavy, target) else { return Vec::new() };
    if matmul.m * matmul.n * matmul.k < MIN_WORK {
        return Vec::new();
    }
    let tile = cost::matmul(target, matmul.bits, matmul.m, matmul.n, matmul.k);
    let mut tiles = vec![tile];
    if tile.pack || tile.row_block > 0 || tile.depth_block > 0 {
        tiles.push(cost::MatmulTile { pack: false, row_block: 0, ..tile });
    }
    tiles
        .into_iter()
        .map(|tile| Candidate {
            name: matmul_name(&tile),
            sequence: matmul::schedule(&matmul, &tile, sequence),
        })
        .collect()
}

/// Multiply-adds below which a nest is not worth the compile time.
const MIN_WORK: i64 = 64;

fn matmul_name(tile: &cost::MatmulTile) -> String {
    let mut name = format!("matmul {}x{}", tile.rows, tile.columns);
    if tile.pack {
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

fn read_matmul(parts: &Parts<'_>, op: Op<'_>, target: &Target) -> Option<Matmul> {
    // Other index maps mean transposed or broadcast operands.
    if op.has_attr("indexing_maps") && !has_default_maps(op) {
        return None;
    }
    let batch = usize::from(op.is("linalg.batch_matmul"));
    let left = op.operand(0).ty().shape()?;
    let right = op.operand(1).ty().shape()?;
    vector_lanes(op, target)?;
    let element = op.result(0).ty().element();
    let zeros = op.operands().into_iter().map(|value| zero(value.ty().element())).collect();
    Some(Matmul {
        batch,
        m: *left.get(batch)?,
        k: *left.get(batch + 1)?,
        n: *right.get(batch + 1)?,
        bits: element.bit_width()?,
        zeros,
        fill: op.operand(2).owner().is_some_and(|owner| owner.is("linalg.fill")),
        epilogue: parts.root != op,
    })
}

fn has_default_maps(op: Op<'_>) -> bool {
    let text = op.attr("indexing_maps").map(|maps| maps.to_string()).unwrap_or_default();
    let plain = "[affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, \
                 affine_map<(d0, d1, d2) -> (d0, d1)>]";
    let batched = "[affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> \
                   (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>]";
    text == plain || text == batched
}

/// Zero of a type, as an attribute's text.
fn zero(element: strata_ir::Type<'_>) -> String {
    match element.is_float_type() {
        true => format!("0.0 : {element}"),
        false => format!("0 : {element}"),
    }
}
