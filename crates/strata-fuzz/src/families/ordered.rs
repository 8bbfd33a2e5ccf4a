//! Operations to which the order along a dimension matters: sorts, the largest with its index, cumulative sums and extremes.

use crate::source::{Case, Source, Tensor, i64s, pairs, signature};

const ELEMENTS: [&str; 9] = ["f32", "f32", "f64", "bf16", "f16", "i32", "i64", "i8", "ui8"];

pub fn ordered(source: &mut Source) -> Case {
    let rank = source.between(1, 3);
    let shape: Vec<i64> = (0..rank)
        .map(|_| if source.once_in(3) { source.between(5, 12) } else { source.size() })
        .collect();
    let dim = source.below(rank) as usize;
    match source.below(3) {
        0 => sort(source, &shape, dim),
        1 => arg_extreme(source, &shape, dim),
        _ => cumulative(source, &shape, dim),
    }
}

/// A constant of rank 0 that is not smaller, or not larger, than any other of the type.
fn extreme(element: &str, is_low: bool) -> String {
    let value = match (element, is_low) {
        ("f64", true) => "0xFFF0000000000000",
        ("f64", false) => "0x7FF0000000000000",
        ("f32", true) => "0xFF800000",
        ("f32", false) => "0x7F800000",
        ("bf16", true) => "0xFF80",
        ("bf16", false) => "0x7F80",
        ("f16", true) => "0xFC00",
        ("f16", false) => "0x7C00",
        ("i64", true) => "-9223372036854775808",
        ("i64", false) => "9223372036854775807",
        ("i32", true) => "-2147483648",
        ("i32", false) => "2147483647",
        ("i8", true) => "-128",
        ("i8", false) => "127",
        (_, true) => "0",
        (_, false) => "255",
    };
    format!("stablehlo.constant dense<{value}> : tensor<{element}>")
}

fn compare_type(element: &str) -> &'static str {
    match element {
        "ui8" => "UNSIGNED",
        _ if element.contains('f') => "FLOAT",
        _ => "SIGNED",
    }
}

fn sort(source: &mut Source, shape: &[i64], dim: usize) -> Case {
    let element = source.pick(&ELEMENTS).to_owned();
    let keys = Tensor::new(shape, &element);
    // What goes with the keys says which of equal ones comes first.
    let places = Tensor::new(shape, "i32");
    let direction = source.pick(&["LT", "GT"]);
    let kind = match compare_type(&element) {
        "FLOAT" => "TOTALORDER",
        other => other,
    };
    let both = [keys.clone(), places.clone()];
    let text = format!(
        "func.func public @main(%0: {keys}) -> ({keys}, {places}) {{\n  \
         %i = stablehlo.iota dim = {dim} : {places}\n  \
         %r:2 = \"stablehlo.sort\"(%0, %i) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  \
         ^bb0(%a: tensor<{element}>, %b: tensor<{element}>, %p: tensor<i32>, %q: tensor<i32>):\n    \
         %c = stablehlo.compare {direction}, %a, %b, {kind} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>\n    \
         stablehlo.return %c : tensor<i1>\n  }}) : {}\n  return %r#0, %r#1 : {keys}, {places}\n}}\n",
        signature(&both, &both),
    );
    Case::exact(text)
}

/// A few lines of some length of one operand, as JAX compares them, where zeros are equal and NaNs are, or in their total order.
pub fn sorts(source: &mut Source) -> Case {
    let element = source
        .pick(&["f32", "f32", "f64", "bf16", "f16", "i16", "ui16", "i32", "ui32", "i64", "ui64"]);
    let longest = source.pick(&[24, 70, 300, 1200, 20_000]);
    let length = source.between(16, longest);
    let shape = match source.below(3) {
        0 => vec![length],
        1 => vec![source.between(1, 5), length],
        _ => vec![length, source.between(1, 2)],
    };
    let dim = if shape[0] == length { 0 } else { 1 };
    let (lines, one) = (Tensor::new(&shape, element), format!("tensor<{element}>"));
    let is_float = element.contains('f');
    let mut body = String::new();
    let mut keys = ["%a".to_owned(), "%b".to_owned()];
    if is_float && !source.once_in(3) {
        let nan = match element {
            "f64" => "0x7FF8000000000000",
            "f32" => "0x7FC00000",
            "bf16" => "0x7FC0",
            _ => "0x7E00",
        };
        for key in &mut keys {
            let raw = key.clone();
            let choices = [("z", "EQ", format!("{raw}zc"), "0.0"), ("n", "NE", raw.clone(), nan)];
            for (name, direction, other, constant) in choices {
                let chosen = format!("{raw}{name}");
                body += &format!(
                    "    {chosen}c = stablehlo.constant dense<{constant}> : {one}\n    \
                     {chosen}i = stablehlo.compare {direction}, {raw}, {other}, FLOAT : ({one}, {one}) -> tensor<i1>\n    \
                     {chosen} = stablehlo.select {chosen}i, {chosen}c, {key} : tensor<i1>, {one}\n"
                );
                *key = chosen;
            }
        }
    }
    let kind = match element {
        _ if is_float => "TOTALORDER",
        _ if element.starts_with("ui") => "UNSIGNED",
        _ => "SIGNED",
    };
    let direction = source.pick(&["LT", "GT"]);
    let text = format!(
        "func.func public @main(%0: {lines}) -> {lines} {{\n  \
         %r = \"stablehlo.sort\"(%0) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n  \
         ^bb0(%a: {one}, %b: {one}):\n{body}    \
         %c = stablehlo.compare {direction}, {}, {kind} : ({one}, {one}) -> tensor<i1>\n    \
         stablehlo.return %c : tensor<i1>\n  }}) : ({lines}) -> {lines}\n  return %r : {lines}\n}}\n",
        keys.join(", "),
    );
    Case::exact(text)
}

/// As JAX writes `argmax` and `argmin`.
fn arg_extreme(source: &mut Source, shape: &[i64], dim: usize) -> Case {
    let element = source.pick(&ELEMENTS).to_owned();
    let is_largest = source.once_in(2);
    let direction = if is_largest { "GT" } else { "LT" };
    let kind = compare_type(&element);
    let (keys, places) = (Tensor::new(shape, &element), Tensor::new(shape, "i32"));
    let mut kept = shape.to_vec();
    kept.remove(dim);
    let results = [Tensor::new(&kept, &element), Tensor::new(&kept, "i32")];
    let (one, at) = (format!("tensor<{element}>"), "tensor<i32>");
    let compared = |name: &str, direction: &str, a: &str, b: &str| {
        format!(
            "    %{name} = stablehlo.compare {direction}, {a}, {b}, {kind} : ({one}, {one}) -> tensor<i1>\n"
        )
    };
    let body = [
        compared("c0", direction, "%a", "%b"),
        compared("c1", "NE", "%a", "%a"),
        "    %c2 = stablehlo.or %c0, %c1 : tensor<i1>\n".to_owned(),
        compared("c3", "EQ", "%a", "%b"),
        format!("    %c4 = stablehlo.compare LT, %p, %q, SIGNED : ({at}, {at}) -> tensor<i1>\n"),
        "    %c5 = stablehlo.and %c3, %c4 : tensor<i1>\n".to_owned(),
        "    %c6 = stablehlo.or %c2, %c5 : tensor<i1>\n".to_owned(),
        format!("    %c7 = stablehlo.select %c2, %a, %b : tensor<i1>, {one}\n"),
        format!("    %c8 = stablehlo.select %c6, %p, %q : tensor<i1>, {at}\n"),
    ];
    let operands =
        [keys.clone(), places.clone(), Tensor::new(&[], &element), Tensor::new(&[], "i32")];
    let text = format!(
        "func.func public @main(%0: {keys}) -> ({}, {}) {{\n  %i = stablehlo.iota dim = {dim} : {places}\n  \
         %l = {}\n  %z = stablehlo.constant dense<0> : {at}\n  \
         %r:2 = \"stablehlo.reduce\"(%0, %i, %l, %z) <{{dimensions = array<i64: {dim}>}}> ({{\n  \
         ^bb0(%a: {one}, %p: {at}, %b: {one}, %q: {at}):\n{}    stablehlo.return %c7, %c8 : {one}, {at}\n  }}) : {}\n  \
         return %r#0, %r#1 : {}, {}\n}}\n",
        results[0],
        results[1],
        extreme(&element, is_largest),
        body.concat(),
        signature(&operands, &results),
        results[0],
        results[1],
    );
    Case::exact(text)
}

fn cumulative(source: &mut Source, shape: &[i64], dim: usize) -> Case {
    let element = source.pick(&ELEMENTS).to_owned();
    let name = source.pick(&["add", "add", "multiply", "maximum", "minimum"]);
    let number = |number: &str| {
        let point = if element.contains('f') { ".0" } else { "" };
        format!("stablehlo.constant dense<{number}{point}> : tensor<{element}>")
    };
    let initial = match name {
        "add" => number("0"),
        "multiply" => number("1"),
        other => extreme(&element, other == "maximum"),
    };
    let ty = Tensor::new(shape, &element);
    let mut window = vec![1; shape.len()];
    let mut padding = vec![(0, 0); shape.len()];
    let size = shape[dim].max(1);
    window[dim] = size;
    padding[dim] = if source.once_in(3) { (0, size - 1) } else { (size - 1, 0) };
    let one = format!("tensor<{element}>");
    let operands = [ty.clone(), Tensor::new(&[], &element)];
    let text = format!(
        "func.func public @main(%0: {ty}) -> {ty} {{\n  %n = {initial}\n  \
         %r = \"stablehlo.reduce_window\"(%0, %n) <{{window_dimensions = {}, padding = {}}}> ({{\n  \
         ^bb0(%a: {one}, %b: {one}):\n    %c = stablehlo.{name} %a, %b : {one}\n    \
         stablehlo.return %c : {one}\n  }}) : {}\n  return %r : {ty}\n}}\n",
        i64s(&window),
        pairs(&padding),
        signature(&operands, std::slice::from_ref(&ty)),
    );
    let case = Case::exact(text);
    match name {
        // Products of extreme numbers overflow in one order and not in another.
        "multiply" => case.summed(&element).tame(),
        "add" => case.summed(&element),
        _ => case,
    }
}
