//! Dots of floats that are integers times scales, of any number of rows: scales are constants, or one of a call for each row.

use crate::source::{Case, Source, join};

use super::scaled::{PLAIN, SCALES, Text, dims};

/// Around blocks of rows, and more than one of them.
const BOUNDS: &[i64] = &[1, 9, 17, 40, 140];

/// The type of a tensor with open sizes before these.
fn ty(open: usize, sizes: &[i64], element: &str) -> String {
    format!("tensor<{}{}{element}>", "?x".repeat(open), dims(sizes))
}

/// A constant repeated along open dimensions.
fn repeated(text: &mut Text, open: usize, depth: i64, value: &str) -> String {
    let scalar = text.add(&format!("stablehlo.constant dense<{value}> : tensor<f32>"));
    let shape = format!("tensor<{}xi32>", open + 1);
    text.add(&format!(
        "stablehlo.dynamic_broadcast_in_dim {scalar}, %shape, dims = [] : (tensor<f32>, {shape}) -> {}",
        ty(open, &[depth], "f32")
    ))
}

/// Bytes as constants, times a scale for each column, or for each group of rows and each column.
fn weights(source: &mut Source, text: &mut Text, [depth, columns]: [i64; 2]) -> String {
    let digits: String =
        (0..depth * columns).map(|_| format!("{:02X}", source.below(256))).collect();
    let whole = |element: &str| ty(0, &[depth, columns], element);
    let stored = text.add(&format!("stablehlo.constant dense<\"0x{digits}\"> : {}", whole("i8")));
    let number =
        text.add(&format!("stablehlo.convert {stored} : ({}) -> {}", whole("i8"), whole("f32")));
    let scales = if source.once_in(5) { &SCALES[..] } else { &SCALES[..PLAIN] };
    let mut line = |count: i64| join(&(0..count).map(|_| source.pick(scales)).collect::<Vec<_>>());
    let size = if depth % 8 == 0 { 8 } else { depth };
    let (count, line) = (depth / size, line(depth / size * columns));
    let flat = format!("tensor<{}xf32>", count * columns);
    let scale = text.add(&format!("stablehlo.constant dense<[{line}]> : {flat}"));
    let parts = ty(0, &[count, size, columns], "f32");
    let groups = ty(0, &[count, columns], "f32");
    let scale = text.add(&format!("stablehlo.reshape {scale} : ({flat}) -> {groups}"));
    let scale = text
        .add(&format!("stablehlo.broadcast_in_dim {scale}, dims = [0, 2] : ({groups}) -> {parts}"));
    if source.once_in(2) {
        let scale = text.add(&format!("stablehlo.reshape {scale} : ({parts}) -> {}", whole("f32")));
        return text.add(&format!("stablehlo.multiply {number}, {scale} : {}", whole("f32")));
    }
    let number = text.add(&format!("stablehlo.reshape {number} : ({}) -> {parts}", whole("f32")));
    let product = text.add(&format!("stablehlo.multiply {number}, {scale} : {parts}"));
    text.add(&format!("stablehlo.reshape {product} : ({parts}) -> {}", whole("f32")))
}

pub fn program(source: &mut Source) -> Case {
    let mut text = Text::default();
    let open = if source.once_in(3) { 2 } else { 1 };
    let (depth, columns) = (source.pick(&[8, 16, 37, 64]), source.pick(&[1, 5, 16, 33]));
    let element = source.pick(&["i8", "i8", "ui8"]);
    let (x, all) = (ty(open, &[depth], element), ty(open, &[depth], "f32"));
    let line = ty(open, &[], "f32");
    let shape = format!("tensor<{}xi32>", open + 1);

    let mut sizes = Vec::new();
    for dim in 0..open {
        let size = text
            .add(&format!("stablehlo.get_dimension_size %x, dim = {dim} : ({x}) -> tensor<i32>"));
        sizes.push(text.add(&format!("stablehlo.reshape {size} : (tensor<i32>) -> tensor<1xi32>")));
    }
    sizes.push(text.add(&format!("stablehlo.constant dense<{depth}> : tensor<1xi32>")));
    let parts = vec!["tensor<1xi32>"; sizes.len()].join(", ");
    text.lines += &format!(
        "  %shape = stablehlo.concatenate {}, dim = 0 : ({parts}) -> {shape}\n",
        sizes.join(", ")
    );
    let rows = join(&(0..open).collect::<Vec<_>>());
    let of_rows = |text: &mut Text, value: &str| {
        text.add(&format!(
            "stablehlo.dynamic_broadcast_in_dim {value}, %shape, dims = [{rows}] : ({line}, {shape}) -> {all}"
        ))
    };
    let mut left = text.add(&format!("stablehlo.convert %x : ({x}) -> {all}"));
    let reduced = |text: &mut Text, kind: &str, start: &str, of: &str| {
        let start = text.add(&format!("stablehlo.constant dense<{start}> : tensor<f32>"));
        text.add(&format!(
            "stablehlo.reduce({of} init: {start}) applies stablehlo.{kind} across dimensions = [{open}] : ({all}, tensor<f32>) -> {line}"
        ))
    };
    let point = match source.below(3) {
        0 => None,
        1 => Some(repeated(&mut text, open, depth, source.pick(&["3.0", "-7.0", "100.0"]))),
        _ => {
            let point = reduced(&mut text, "maximum", "-100.0", &left);
            Some(of_rows(&mut text, &point))
        }
    };
    let sum = reduced(&mut text, "add", "0.0", &left);
    if let Some(point) = point {
        left = text.add(&format!("stablehlo.subtract {left}, {point} : {all}"));
    }
    let scale = match source.below(4) {
        0 => repeated(&mut text, open, depth, source.pick(&SCALES)),
        1 => of_rows(&mut text, &sum),
        // What a call does not have is zero, and its reciprocal no plain scale.
        _ => {
            let least = text.add(&format!("stablehlo.abs {sum} : {line}"));
            let root = text.add(&format!("stablehlo.rsqrt {least} : {line}"));
            of_rows(&mut text, &root)
        }
    };
    left = text.add(&format!("stablehlo.multiply {left}, {scale} : {all}"));
    let (result, value) = if source.once_in(6) {
        let result = ty(0, &[depth, depth], "f32");
        let sums = format!("contracting_dims = [{rows}] x [{rows}]");
        let value = text.add(&format!(
            "stablehlo.dot_general {left}, {left}, {sums} : ({all}, {all}) -> {result}"
        ));
        (result, value)
    } else {
        let right = weights(source, &mut text, [depth, columns]);
        let (result, whole) = (ty(open, &[columns], "f32"), ty(0, &[depth, columns], "f32"));
        let sums = format!("contracting_dims = [{open}] x [0]");
        let value = text.add(&format!(
            "stablehlo.dot_general {left}, {right}, {sums} : ({all}, {whole}) -> {result}"
        ));
        (result, value)
    };
    Case::exact(format!(
        "func.func public @main(%x: {x}) -> {result} {{\n{}  return {value} : {result}\n}}\n",
        text.lines
    ))
    .tame()
    .summed("f32")
    .up_to(BOUNDS)
}
