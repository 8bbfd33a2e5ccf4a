//! The maps of linalg's named operations: the element of each operand at an index of the domain.

use strata_ir::{AffineExpr, AffineMap, AttributeExt as _, Op, TypeExt as _, linalg};

use crate::prepare::{Unsupported, numbers, unsupported};

type Maps = Result<Vec<AffineMap>, Unsupported>;

/// The maps of an operation, one for each operand.
pub(crate) fn maps(op: Op<'_>) -> Maps {
    if let Some(list) = op.attr("indexing_maps").and_then(|list| list.as_array()) {
        let maps: Option<Vec<_>> = list.into_iter().map(AffineMap::of).collect();
        return maps.map_or_else(|| unsupported("its maps cannot be read"), Ok);
    }
    let name = op.name().mnemonic();
    let rank = |at: usize| op.operand(at).ty().rank().unwrap_or(0);
    match name {
        "fill" => Ok(vec![dims(rank(1), &[]), AffineMap::identity(rank(1))]),
        "copy" | "map" => Ok(vec![AffineMap::identity(rank(0)); op.operand_count()]),
        "broadcast" => broadcast(op, rank(1)),
        "transpose" => transpose(op, rank(1)),
        "reduce" => reduce(op, rank(0)),
        "dot" => Ok(vec![dims(1, &[0]), dims(1, &[0]), dims(1, &[])]),
        "matvec" => Ok(vec![dims(2, &[0, 1]), dims(2, &[1]), dims(2, &[0])]),
        "vecmat" => Ok(vec![dims(2, &[1]), dims(2, &[1, 0]), dims(2, &[0])]),
        "matmul" => Ok(vec![dims(3, &[0, 2]), dims(3, &[2, 1]), dims(3, &[0, 1])]),
        "batch_matmul" => Ok(vec![dims(4, &[0, 1, 3]), dims(4, &[0, 3, 2]), dims(4, &[0, 1, 2])]),
        _ => windows(op, name),
    }
}

/// How many operands are inputs.
pub(crate) fn inputs(op: Op<'_>) -> Result<usize, Unsupported> {
    if let Some(sizes) = op.operand_segments() {
        return Ok(sizes.first().copied().unwrap_or(0));
    }
    match op.name() {
        linalg::BROADCAST | linalg::TRANSPOSE => Ok(1),
        linalg::MAP => Ok(op.operand_count() - 1),
        linalg::REDUCE => Ok(op.operand_count() / 2),
        _ => unsupported("its operands are in no groups"),
    }
}

/// The projection to some of `count` dimensions.
fn dims(count: usize, picked: &[usize]) -> AffineMap {
    let results = picked.iter().map(|dim| AffineExpr::Dim(*dim)).collect();
    AffineMap { dims: count, symbols: 0, results }
}

fn without(count: usize, left_out: &[i64]) -> AffineMap {
    let picked: Vec<_> = (0..count).filter(|dim| !left_out.contains(&(*dim as i64))).collect();
    dims(count, &picked)
}

fn broadcast(op: Op<'_>, rank: usize) -> Maps {
    let added = numbers(op, "dimensions")?;
    Ok(vec![without(rank, &added), AffineMap::identity(rank)])
}

/// Dimension `i` of the result is dimension `permutation[i]` of the input.
fn transpose(op: Op<'_>, rank: usize) -> Maps {
    let permutation = numbers(op, "permutation")?;
    let mut picked = vec![0; rank];
    for (to, from) in permutation.iter().enumerate() {
        match usize::try_from(*from).ok().and_then(|from| picked.get_mut(from)) {
            Some(place) => *place = to,
            None => return unsupported("its permutation names no dimension"),
        }
    }
    Ok(vec![dims(rank, &picked), AffineMap::identity(rank)])
}

fn reduce(op: Op<'_>, rank: usize) -> Maps {
    let reduced = numbers(op, "dimensions")?;
    let half = op.operand_count() / 2;
    let mut maps = vec![AffineMap::identity(rank); half];
    maps.extend(vec![without(rank, &reduced); half]);
    Ok(maps)
}

/// Convolutions and pooling: the input position is the output position times the stride plus the window position
/// times the dilation.
fn windows(op: Op<'_>, name: &str) -> Maps {
    let spatial = numbers(op, "strides").map_or(0, |strides| strides.len());
    let n = spatial;
    // The dimensions of the domain: batch, output positions, channels, window positions, input channels.
    let places = |first: usize| (first..first + n).collect::<Vec<_>>();
    match name {
        "conv_1d_nwc_wcf" | "conv_2d_nhwc_hwcf" | "conv_3d_ndhwc_dhwcf" => {
            let (count, window) = (2 * n + 3, n + 2);
            let channel = 2 * n + 2;
            let input = input(op, count, (0, 1, window), &[channel])?;
            let filter = dims(count, &[places(window), vec![channel, n + 1]].concat());
            let output = dims(count, &[vec![0], places(1), vec![n + 1]].concat());
            Ok(vec![input, filter, output])
        }
        "depthwise_conv_1d_nwc_wc" | "depthwise_conv_2d_nhwc_hwc" => {
            let (count, window) = (2 * n + 2, n + 2);
            let input = input(op, count, (0, 1, window), &[n + 1])?;
            let filter = dims(count, &[places(window), vec![n + 1]].concat());
            let output = dims(count, &[vec![0], places(1), vec![n + 1]].concat());
            Ok(vec![input, filter, output])
        }
        "pooling_nhwc_max" | "pooling_nhwc_min" | "pooling_nhwc_sum" => {
            let (count, window) = (2 * n + 2, n + 2);
            let input = input(op, count, (0, 1, window), &[n + 1])?;
            let output = dims(count, &[vec![0], places(1), vec![n + 1]].concat());
            Ok(vec![input, dims(count, &places(window)), output])
        }
        "pooling_nchw_max" | "pooling_nchw_sum" => {
            let (count, window) = (2 * n + 2, n + 2);
            let mut input = input(op, count, (0, 2, window), &[])?;
            input.results.insert(1, AffineExpr::Dim(1));
            let output = dims(count, &[vec![0, 1], places(2)].concat());
            Ok(vec![input, dims(count, &places(window)), output])
        }
        _ => super::unknown(),
    }
}

fn input(
    op: Op<'_>,
    count: usize,
    (batch, output, window): (usize, usize, usize),
    channels: &[usize],
) -> Result<AffineMap, Unsupported> {
    let (strides, dilations) = (numbers(op, "strides")?, numbers(op, "dilations")?);
    let term = |dim: usize, factor: i64| {
        let factor = Box::new(AffineExpr::Constant(factor));
        Box::new(AffineExpr::Mul(Box::new(AffineExpr::Dim(dim)), factor))
    };
    let mut results = vec![AffineExpr::Dim(batch)];
    for (at, (stride, dilation)) in strides.iter().zip(&dilations).enumerate() {
        results.push(AffineExpr::Add(term(output + at, *stride), term(window + at, *dilation)));
    }
    results.extend(channels.iter().map(|dim| AffineExpr::Dim(*dim)));
    Ok(AffineMap { dims: count, symbols: 0, results })
}
