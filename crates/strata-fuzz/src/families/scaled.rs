//! Dots and convolutions of floats that are integers times scales, as exporters write quantized networks in plain arithmetic.

use crate::source::{Case, Source, join};

pub(super) const SCALES: [&str; 8] =
    ["1.0", "0.5", "0.0371", "0.00392157", "13.0", "3.0e-12", "2.5e-20", "1.0e15"];

/// So many of them, the first, are ones with which sums are those of integers.
pub(super) const PLAIN: usize = 6;

/// Lines of a program, and how many values they define.
#[derive(Default)]
pub(super) struct Text {
    pub(super) lines: String,
    count: usize,
}

impl Text {
    pub(super) fn add(&mut self, operation: &str) -> String {
        let name = format!("%v{}", self.count);
        self.count += 1;
        self.lines += &format!("  {name} = {operation}\n");
        name
    }
}

/// An operand: its argument or constant, and the numbers made of it.
struct Operand {
    shape: Vec<i64>,
    number: String,
}

pub(super) fn dims(shape: &[i64]) -> String {
    shape.iter().map(|size| format!("{size}x")).collect()
}

/// A constant along a dimension of the shape, or one number, broadcast to it, perhaps through a reshape.
fn along(
    source: &mut Source,
    text: &mut Text,
    shape: &[i64],
    axis: usize,
    element: &str,
) -> String {
    let number = |source: &mut Source| match element {
        "f32" => source.pick(&SCALES).to_owned(),
        _ => source.pick(&["0", "0", "3", "-7", "100"]).to_owned(),
    };
    let size = shape[axis];
    let whole = format!("tensor<{}{element}>", dims(shape));
    if source.once_in(3) || element != "f32" {
        let value = number(source);
        let scalar = text.add(&format!("stablehlo.constant dense<{value}> : tensor<{element}>"));
        return text.add(&format!(
            "stablehlo.broadcast_in_dim {scalar}, dims = [] : (tensor<{element}>) -> {whole}"
        ));
    }
    let values: Vec<_> = (0..size).map(|_| number(source)).collect();
    let line = format!("tensor<{size}x{element}>");
    let constant = text.add(&format!("stablehlo.constant dense<[{}]> : {line}", values.join(", ")));
    if source.once_in(2) {
        return text.add(&format!(
            "stablehlo.broadcast_in_dim {constant}, dims = [{axis}] : ({line}) -> {whole}"
        ));
    }
    let mut narrow = vec![1; shape.len()];
    narrow[axis] = size;
    let narrow = format!("tensor<{}{element}>", dims(&narrow));
    let wide = text.add(&format!("stablehlo.reshape {constant} : ({line}) -> {narrow}"));
    let all: Vec<_> = (0..shape.len()).collect();
    let all = join(&all);
    text.add(&format!("stablehlo.broadcast_in_dim {wide}, dims = [{all}] : ({narrow}) -> {whole}"))
}

/// A number for each index of the axis of a matrix, and for each group along the other dimension, with groups as a dimension of their own,
/// and that shape.
fn groups(
    source: &mut Source,
    text: &mut Text,
    shape: &[i64],
    axis: usize,
    is_known: bool,
) -> Option<(String, Vec<i64>)> {
    let [_, _] = shape else { return None };
    let size = source.pick(&[8, 8, 16, 4]);
    let count = shape[1 - axis] / size;
    (is_known && shape[1 - axis] % size == 0 && source.once_in(2)).then_some(())?;
    // Of many numbers one is nearly always not plain.
    let scales = if source.once_in(5) { &SCALES[..] } else { &SCALES[..PLAIN] };
    let values: Vec<_> = (0..shape[axis] * count).map(|_| source.pick(scales)).collect();
    let mut lines = [shape[axis], count];
    let (mut wide, mut kept) = (vec![shape[axis], count, size], [0, 1]);
    if axis == 1 {
        (lines, wide, kept) = ([count, shape[axis]], vec![count, size, shape[axis]], [0, 2]);
    }
    let rows: Vec<_> =
        values.chunks(lines[1] as usize).map(|row| format!("[{}]", row.join(", "))).collect();
    let (line, whole) =
        (format!("tensor<{}f32>", dims(&lines)), format!("tensor<{}f32>", dims(&wide)));
    let constant = text.add(&format!("stablehlo.constant dense<[{}]> : {line}", rows.join(", ")));
    let scales = text.add(&format!(
        "stablehlo.broadcast_in_dim {constant}, dims = [{}] : ({line}) -> {whole}",
        join(&kept)
    ));
    Some((scales, wide))
}

/// Numbers of rows that the call has, with a scale, often one that is plain, and a zero point for each.
fn of_call(source: &mut Source, text: &mut Text, shape: &[i64], element: &str) -> Operand {
    let rows = shape[0];
    let (line, whole) = (format!("tensor<{rows}xf32>"), format!("tensor<{}f32>", dims(shape)));
    let mut scale = "%s".to_owned();
    if !source.once_in(4) {
        let modulus = text.add(&format!("stablehlo.abs %s : {line}"));
        let least = text.add(&format!("stablehlo.constant dense<0.0371> : {line}"));
        scale = text.add(&format!("stablehlo.add {modulus}, {least} : {line}"));
    }
    let repeated = |text: &mut Text, value: &str| {
        text.add(&format!("stablehlo.broadcast_in_dim {value}, dims = [0] : ({line}) -> {whole}"))
    };
    let mut number =
        text.add(&format!("stablehlo.convert %x : (tensor<{}{element}>) -> {whole}", dims(shape)));
    if !source.once_in(3) {
        let point = text.add(&format!("stablehlo.convert %p : (tensor<{rows}xi8>) -> {line}"));
        let point = repeated(text, &point);
        number = text.add(&format!("stablehlo.subtract {number}, {point} : {whole}"));
    }
    let scale = repeated(text, &scale);
    let number = text.add(&format!("stablehlo.multiply {number}, {scale} : {whole}"));
    Operand { shape: shape.to_vec(), number }
}

/// Integers of an argument or a constant as numbers. `axis`: that of the scales, if they may be several.
fn operand(
    source: &mut Source,
    text: &mut Text,
    (argument, shape): (Option<&str>, Vec<i64>),
    element: &str,
    axis: usize,
) -> Operand {
    let mut stored = match argument {
        Some(name) => name.to_owned(),
        None => {
            let count: i64 = shape.iter().product();
            let digits: String = (0..count).map(|_| format!("{:02X}", source.below(256))).collect();
            let ty = format!("tensor<{}{element}>", dims(&shape));
            text.add(&format!("stablehlo.constant dense<\"0x{digits}\"> : {ty}"))
        }
    };
    let reshape = |text: &mut Text, value: &str, [from, to]: [&[i64]; 2], element: &str| {
        let [from, to] = [from, to].map(|shape| format!("tensor<{}{element}>", dims(shape)));
        text.add(&format!("stablehlo.reshape {value} : ({from}) -> {to}"))
    };
    let mut groups = groups(source, text, &shape, axis, argument.is_none());
    // Groups are a dimension of their own, of the integers or of the numbers, or scales are repeated as many times.
    let mut of = shape.clone();
    let mut of_numbers = None;
    if let Some((scales, wide)) = &mut groups {
        match source.below(3) {
            0 => *scales = reshape(text, scales, [wide, &shape], "f32"),
            1 => of_numbers = Some(wide.clone()),
            _ => {
                stored = reshape(text, &stored, [&shape, wide], element);
                of.clone_from(wide);
            }
        }
    }
    let ty = |element: &str| format!("tensor<{}{element}>", dims(&of));
    let convert = |text: &mut Text, value: &str, from: &str, to: &str| {
        text.add(&format!("stablehlo.convert {value} : ({}) -> {}", ty(from), ty(to)))
    };
    // Weights with groups have no zero points.
    let mut number = match if groups.is_some() { 0 } else { source.below(3) } {
        0 => convert(text, &stored, element, "f32"),
        1 => {
            let float = convert(text, &stored, element, "f32");
            let points = along(source, text, &shape, axis, "i32");
            let points = convert(text, &points, "i32", "f32");
            text.add(&format!("stablehlo.subtract {float}, {points} : {}", ty("f32")))
        }
        _ => {
            let wide = convert(text, &stored, element, "i32");
            let points = along(source, text, &shape, axis, "i32");
            let less = text.add(&format!("stablehlo.subtract {wide}, {points} : {}", ty("i32")));
            convert(text, &less, "i32", "f32")
        }
    };
    if let Some(wide) = of_numbers {
        number = reshape(text, &number, [&shape, &wide], "f32");
        of = wide;
    }
    let ty = |element: &str| format!("tensor<{}{element}>", dims(&of));
    if groups.is_some() || !source.once_in(5) {
        let scales = match groups {
            Some((scales, _)) => scales,
            None => along(source, text, &shape, axis, "f32"),
        };
        let order = source.once_in(3);
        let (left, right) = if order { (&scales, &number) } else { (&number, &scales) };
        number = text.add(&format!("stablehlo.multiply {left}, {right} : {}", ty("f32")));
    }
    if of != shape {
        number = reshape(text, &number, [&of, &shape], "f32");
    }
    Operand { shape, number }
}

pub fn program(source: &mut Source) -> Case {
    let mut text = Text::default();
    let elements = ["i8", "i8", "ui8", "i4"];
    let left = source.pick(&elements);
    let right = source.pick(&["i8", "i8", "i8", "ui8"]);
    let is_known = !source.once_in(4);
    let known = |name| if is_known { None } else { Some(name) };
    let is_image = source.once_in(2);
    let (x, y, operation, result);
    let mut of_rows = None;
    if is_image {
        let (batch, height, width) =
            (source.between(1, 2), source.between(1, 9), source.between(1, 9));
        let (inputs, outputs) = (source.pick(&[1, 3, 4, 8, 19]), source.pick(&[1, 5, 16, 33]));
        let taps = [source.between(1, 3), source.between(1, 3)];
        let groups = if source.once_in(5) && inputs % 4 == 0 { 4 } else { 1 };
        let outputs = outputs * groups;
        x = operand(source, &mut text, (Some("%x"), vec![batch, height, width, inputs]), left, 0);
        let kernel = vec![taps[0], taps[1], inputs / groups, outputs];
        y = operand(source, &mut text, (known("%y"), kernel), right, 3);
        let mut edges = [(0, 0); 2];
        let mut sizes = [height, width];
        let strides = [source.between(1, 2), source.between(1, 2)];
        let holes = [source.pick(&[1, 1, 1, 2]), 1];
        for at in 0..2 {
            edges[at] = (source.between(0, 3), source.between(0, 2));
            let padded = (sizes[at] - 1) * holes[at] + 1 + edges[at].0 + edges[at].1;
            edges[at].1 += (taps[at] - padded).max(0);
            let padded = padded.max(taps[at]);
            sizes[at] = (padded - taps[at]) / strides[at] + 1;
        }
        result = vec![batch, sizes[0], sizes[1], outputs];
        operation = format!(
            "stablehlo.convolution({}, {}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = \
             {{stride = [{}], pad = [[{}, {}], [{}, {}]], lhs_dilate = [{}]}} {{batch_group_count = 1 : i64, \
             feature_group_count = {groups} : i64}}",
            x.number,
            y.number,
            join(&strides),
            edges[0].0,
            edges[0].1,
            edges[1].0,
            edges[1].1,
            join(&holes),
        );
    } else {
        let is_of_call = source.once_in(2);
        // Several groups of rows, of those that have some.
        let depths: &[i64] = if is_of_call { &[8, 16, 32, 37, 64] } else { &[1, 7, 8, 16, 37, 64] };
        let (rows, depth) = (source.pick(&[1, 2, 7, 33, 150]), source.pick(depths));
        let columns = source.pick(&[1, 5, 16, 50]);
        x = match is_of_call {
            true => {
                of_rows = Some(rows);
                of_call(source, &mut text, &[rows, depth], left)
            }
            false => operand(source, &mut text, (Some("%x"), vec![rows, depth]), left, 0),
        };
        let is_transposed = source.once_in(2);
        let shape = if is_transposed { vec![columns, depth] } else { vec![depth, columns] };
        // Scales along what is summed are another network's.
        let axis = usize::from(is_transposed == source.once_in(6));
        let stored = operand(source, &mut text, (known("%y"), shape), right, axis);
        y = match is_transposed {
            true => {
                let number = text.add(&format!(
                    "stablehlo.transpose {}, dims = [1, 0] : (tensor<{columns}x{depth}xf32>) -> \
                     tensor<{depth}x{columns}xf32>",
                    stored.number
                ));
                Operand { shape: vec![depth, columns], number }
            }
            false => stored,
        };
        result = vec![rows, columns];
        operation = format!(
            "stablehlo.dot_general {}, {}, contracting_dims = [1] x [0]",
            x.number, y.number
        );
    }
    let float = |shape: &[i64]| format!("tensor<{}f32>", dims(shape));
    let made = text.add(&format!(
        "{operation} : ({}, {}) -> {}",
        float(&x.shape),
        float(&y.shape),
        float(&result)
    ));
    // A dot of a transposed argument has it as it is stored.
    let of_right = text.lines.lines().find_map(|line| {
        let (_, rest) = line.split_once("stablehlo.convert %y : (")?;
        rest.split_once(')').map(|(ty, _)| ty.to_owned())
    });
    let right = of_right.map(|ty| format!(", %y: {ty}")).unwrap_or_default();
    let numbers = of_rows.map(|rows| format!(", %s: tensor<{rows}xf32>, %p: tensor<{rows}xi8>"));
    let program = format!(
        "func.func public @main(%x: tensor<{}{left}>{right}{}) -> {} {{\n{}  return {made} : {}\n}}\n",
        dims(&x.shape),
        numbers.unwrap_or_default(),
        float(&result),
        text.lines,
        float(&result),
    );
    Case::exact(program).tame().summed("f32")
}
