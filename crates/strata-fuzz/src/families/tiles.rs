//! Dots and convolutions of bytes and `bf16` that are large enough for a processor's products of tiles, and what follows them.

use strata_verify::Tolerance;

use crate::source::{Case, Source, Tensor, join};

/// Products from which on tiles are taken.
const LEAST: i64 = 1 << 17;

/// Element types of the operands and of the sums.
fn types(source: &mut Source) -> [&'static str; 3] {
    source.pick(&[
        ["i8", "i8", "i32"],
        ["ui8", "ui8", "i32"],
        ["i8", "ui8", "i32"],
        ["ui8", "i8", "i32"],
        ["i4", "i8", "i32"],
        ["bf16", "bf16", "f32"],
        ["bf16", "bf16", "f32"],
        ["bf16", "bf16", "bf16"],
    ])
}

pub fn program(source: &mut Source) -> Case {
    if source.once_in(3) { convolution(source) } else { dots(source) }
}

/// A size around a multiple of a tile's, or any.
fn size(source: &mut Source, least: i64, most: i64) -> i64 {
    match source.below(3) {
        0 => source.between(least, most),
        _ => (source.between(1, most / 16) * 16 + source.between(-1, 1)).clamp(least, most),
    }
}

/// One to three dots with the same left operand.
fn dots(source: &mut Source) -> Case {
    let [left, right, sum] = types(source);
    let is_weight = right == "bf16" && source.once_in(3);
    let batch = source.pick(&[1, 1, 1, 2, 3]);
    let (rows, columns) = (size(source, 8, 80), size(source, 16, 400));
    let least = (LEAST / (rows * columns)).max(64);
    let group = source.pick(&[4, 8, 16, 32]);
    let depth = match is_weight {
        true => (least / group + source.between(1, 3)) * group,
        false => least + source.between(0, 70),
    };
    // Sizes of an operand in some order, a free dimension of one element among them, and which are its batch and what is summed.
    let operand = |source: &mut Source, free: i64| {
        let mut sizes = vec![batch, depth, free];
        sizes.extend(source.once_in(4).then_some(1));
        let order = match source.once_in(2) {
            true => source.permutation(sizes.len()),
            false if source.once_in(2) => [0, 2, 1].into_iter().chain(3..sizes.len()).collect(),
            false => (0..sizes.len()).collect(),
        };
        let place = |of: usize| order.iter().position(|at| *at == of).unwrap_or(0);
        let free: Vec<i64> = order.iter().filter(|at| **at > 1).map(|at| sizes[*at]).collect();
        let shape: Vec<i64> = order.iter().map(|at| sizes[*at]).collect();
        (shape, [place(0), place(1)], free)
    };
    let (lhs, [lhs_batch, lhs_dim], mut free) = operand(source, rows);
    let count = source.pick(&[1, 1, 2, 3]);
    let mut arguments = vec![Tensor::new(&lhs, left)];
    let mut body = String::new();
    let (rhs, [rhs_batch, rhs_dim], columns) = operand(source, columns);
    free.insert(0, batch);
    free.extend(columns);
    let result = Tensor::new(&free, sum);
    for at in 1..=count {
        let rhs = Tensor::new(&rhs, right);
        let operand = if is_weight { format!("%w{at}") } else { format!("%{at}") };
        if is_weight {
            body.push_str(&scaled(source, (&operand, &rhs), [rhs_dim, group as usize]));
        }
        body.push_str(&format!(
            "  %d{at} = stablehlo.dot_general %0, {operand}, batching_dims = [{lhs_batch}] x [{rhs_batch}], \
             contracting_dims = [{lhs_dim}] x [{rhs_dim}] : ({}, {rhs}) -> {result}\n",
            arguments[0]
        ));
        arguments.extend((!is_weight).then_some(rhs));
    }
    let mut value = "%d1".to_owned();
    for at in 2..=count {
        body.push_str(&format!("  %s{at} = stablehlo.add {value}, %d{at} : {result}\n"));
        value = format!("%s{at}");
    }
    followed(source, (arguments, body), &value, &result)
}

/// A constant of four bits, with a scale for so many neighbours along a dimension each, or for all, and a zero point or none.
fn scaled(source: &mut Source, (name, to): (&str, &Tensor), [dim, group]: [usize; 2]) -> String {
    let Tensor { shape, element } = to;
    let bits = source.pick(&["i4", "ui4"]);
    let integers = Tensor::new(shape, bits);
    let mut parts = shape.clone();
    parts.splice(dim..=dim, [shape[dim] / group as i64, group as i64]);
    let mut dims: Vec<usize> = (0..parts.len()).filter(|at| *at != dim + 1).collect();
    if source.once_in(4) {
        dims.retain(|at| *at != dim);
    }
    let params: Vec<i64> = dims.iter().map(|at| parts[*at]).collect();
    let (params, parts) = (Tensor::new(&params, element), Tensor::new(&parts, element));
    let count = |shape: &[i64]| shape.iter().product::<i64>();
    let bytes: String =
        (0..count(shape)).map(|_| format!("0{:X}", source.between(0, 15))).collect();
    let dims = join(&dims);
    let mut text = format!(
        "  {name}i = stablehlo.constant dense<\"0x{bytes}\"> : {integers}\n  {name}f = stablehlo.convert {name}i : ({integers}) -> {to}\n  \
         {name}p = stablehlo.reshape {name}f : ({to}) -> {parts}\n"
    );
    let mut value = format!("{name}p");
    if source.once_in(3) {
        text.push_str(&format!(
            "  {name}z = stablehlo.constant dense<{}.0> : {params}\n  {name}y = stablehlo.broadcast_in_dim {name}z, dims = [{dims}] : \
             ({params}) -> {parts}\n  {name}d = stablehlo.subtract {value}, {name}y : {parts}\n",
            source.between(0, 15)
        ));
        value = format!("{name}d");
    }
    // Bits of `bf16`, the lowest byte first: numbers from 2^-9 to 2^-5 of both signs.
    let scales: String = (0..count(&params.shape))
        .map(|_| {
            let bits = source.between(0x3B00, 0x3CFF) | source.between(0, 1) << 15;
            format!("{:02X}{:02X}", bits & 0xFF, bits >> 8)
        })
        .collect();
    text.push_str(&format!(
        "  {name}s = stablehlo.constant dense<\"0x{scales}\"> : {params}\n  {name}b = stablehlo.broadcast_in_dim {name}s, dims = [{dims}] : \
         ({params}) -> {parts}\n  {name}m = stablehlo.multiply {value}, {name}b : {parts}\n  {name} = stablehlo.reshape {name}m : \
         ({parts}) -> {to}\n"
    ));
    text
}

fn convolution(source: &mut Source) -> Case {
    let [element, _, sum] =
        source.pick(&[["i8", "i8", "i32"], ["ui8", "ui8", "i32"], ["bf16", "bf16", "f32"]]);
    let (height, width) = (source.between(1, 5), size(source, 8, 48));
    let (features, outputs) = (size(source, 64, 96), size(source, 16, 80));
    let window = [source.between(1, 3), source.between(1, 3)];
    let stride = source.pick(&[1, 1, 1, 2]);
    let padding = [source.between(0, 2), source.between(0, 2)];
    let positions = |extent: i64, window: i64| {
        ((extent + padding[0] + padding[1] - window) / stride + 1).max(0)
    };
    let input = Tensor::new(&[2, height, width, features], element);
    let kernel = Tensor::new(&[window[0], window[1], features, outputs], element);
    let shape = [2, positions(height, window[0]), positions(width, window[1]), outputs];
    let fits = height + padding[0] + padding[1] >= window[0];
    let shape = if fits { shape } else { [2, 0, shape[2], outputs] };
    let result = Tensor::new(&shape, sum);
    let [low, high] = padding;
    let body = format!(
        "  %d1 = \"stablehlo.convolution\"(%0, %1) <{{batch_group_count = 1 : i64, dimension_numbers = \
         #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, \
         padding = dense<[[{low}, {high}], [{low}, {high}]]> : tensor<2x2xi64>, \
         window_strides = array<i64: {stride}, {stride}>}}> : ({input}, {kernel}) -> {result}\n"
    );
    followed(source, (vec![input, kernel], body), "%d1", &result)
}

/// The program with what reads its sums: a bias, a bound, a conversion, a transpose, or several.
fn followed(
    source: &mut Source,
    (mut arguments, mut body): (Vec<Tensor>, String),
    value: &str,
    sums: &Tensor,
) -> Case {
    let mut value = value.to_owned();
    let mut result = sums.clone();
    let rank = sums.shape.len();
    if source.once_in(2) {
        let bias = Tensor::new(&[sums.shape[rank - 1]], &sums.element);
        let at = arguments.len();
        body.push_str(&format!(
            "  %b = stablehlo.broadcast_in_dim %{at}, dims = [{}] : ({bias}) -> {sums}\n  %p = stablehlo.add {value}, %b : {sums}\n",
            rank - 1
        ));
        arguments.push(bias);
        value = "%p".to_owned();
    }
    if source.once_in(2) {
        let zero = if sums.element.contains('f') { "0.0" } else { "0" };
        body.push_str(&format!(
            "  %z = stablehlo.constant dense<{zero}> : {sums}\n  %m = stablehlo.maximum {value}, %z : {sums}\n"
        ));
        value = "%m".to_owned();
    }
    if source.once_in(3) {
        let element = if sums.element.contains('f') { "bf16" } else { "i8" };
        let to = Tensor::new(&sums.shape, element);
        body.push_str(&format!("  %c = stablehlo.convert {value} : ({result}) -> {to}\n"));
        (value, result) = ("%c".to_owned(), to);
    }
    if source.once_in(3) {
        let mut dims: Vec<usize> = (0..rank).collect();
        dims.swap(rank - 2, rank - 1);
        let shape: Vec<i64> = dims.iter().map(|dim| result.shape[*dim]).collect();
        let to = Tensor::new(&shape, &result.element);
        let dims: Vec<String> = dims.iter().map(usize::to_string).collect();
        let dims = dims.join(", ");
        body.push_str(&format!(
            "  %t = stablehlo.transpose {value}, dims = [{dims}] : ({result}) -> {to}\n"
        ));
        (value, result) = ("%t".to_owned(), to);
    }
    let inputs: Vec<_> =
        arguments.iter().enumerate().map(|(at, ty)| format!("%{at}: {ty}")).collect();
    let text = format!(
        "func.func public @main({}) -> {result} {{\n{body}  return {value} : {result}\n}}\n",
        inputs.join(", ")
    );
    match sums.element.contains('f') {
        true => Case::several(text, vec![Tolerance::default()], true),
        false => Case::exact(text),
    }
}
