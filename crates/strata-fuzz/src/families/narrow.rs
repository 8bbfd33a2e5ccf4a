//! Integers of 2 and 4 bits and floats of 4, 6 and 8 bits in arithmetic, conversions and control flow.

use crate::source::{
    Case, SMALL_FLOATS, SUB_BYTE, Source, Tensor, WIDE, is_complex, is_float, signature,
};

const FLOAT_UNARY: [&str; 21] = [
    "abs",
    "cbrt",
    "ceil",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "floor",
    "log",
    "log_plus_one",
    "logistic",
    "negate",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "sign",
    "sine",
    "sqrt",
    "tan",
    "tanh",
    "abs",
    "negate",
];
const FLOAT_BINARY: [&str; 9] =
    ["add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract"];
const INTEGER_UNARY: [&str; 4] = ["count_leading_zeros", "negate", "not", "popcnt"];
const INTEGER_BINARY: [&str; 14] = [
    "add",
    "and",
    "divide",
    "maximum",
    "minimum",
    "multiply",
    "or",
    "power",
    "remainder",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "subtract",
    "xor",
];

fn narrow(source: &mut Source) -> String {
    if source.once_in(2) { source.pick(&SMALL_FLOATS) } else { source.pick(&SUB_BYTE) }.to_owned()
}

pub fn elementwise(source: &mut Source) -> Case {
    let element = narrow(source);
    let float = is_float(&element);
    // Enough elements to meet most pairs of values.
    let tensor = Tensor::new(&[173], &element);
    let mut arguments = vec![tensor.clone()];
    let mut result = tensor.clone();
    let form = source.below(if float { 8 } else { 6 });
    let operation = match form {
        0 | 1 => {
            let names: &[&str] = if float { &FLOAT_UNARY } else { &INTEGER_UNARY };
            let signed = element.starts_with('i') && source.once_in(3);
            let name = if signed { source.pick(&["abs", "sign"]) } else { source.pick(names) };
            format!("\"stablehlo.{name}\"(%0)")
        }
        2 | 3 => {
            arguments.push(tensor.clone());
            let names: &[&str] = if float { &FLOAT_BINARY } else { &INTEGER_BINARY };
            format!("\"stablehlo.{}\"(%0, %1)", source.pick(names))
        }
        4 => {
            arguments.push(tensor.clone());
            result.element = "i1".to_owned();
            let direction = source.pick(&["EQ", "NE", "LT", "LE", "GT", "GE"]);
            let order = match (float, source.once_in(2)) {
                (true, true) => "TOTALORDER",
                (true, false) => "FLOAT",
                _ if element.starts_with('u') => "UNSIGNED",
                _ => "SIGNED",
            };
            format!(
                "\"stablehlo.compare\"(%0, %1) <{{comparison_direction = #stablehlo<comparison_direction \
                 {direction}>, compare_type = #stablehlo<comparison_type {order}>}}>"
            )
        }
        5 => {
            arguments =
                vec![Tensor::new(&[], &element), tensor.clone(), Tensor::new(&[], &element)];
            "\"stablehlo.clamp\"(%0, %1, %2)".to_owned()
        }
        6 => {
            result.element = "i1".to_owned();
            "\"stablehlo.is_finite\"(%0)".to_owned()
        }
        _ => {
            let (exponent, mantissa) = (source.between(1, 5), source.between(0, 4));
            format!(
                "\"stablehlo.reduce_precision\"(%0) <{{exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32}}>"
            )
        }
    };
    let types = signature(&arguments, std::slice::from_ref(&result));
    Case::new(&arguments, &format!("{operation} : {types}"), &[result])
}

pub fn convert(source: &mut Source) -> Case {
    let other = source.element();
    let from = if source.once_in(2) { narrow(source) } else { source.pick(&WIDE).to_owned() };
    let (from, to) = if source.once_in(2) { (from, other) } else { (other, from) };
    let arguments = [Tensor::new(&[97], &from)];
    let results = [Tensor::new(&[97], &to)];
    let operation = format!("\"stablehlo.convert\"(%0) : {}", signature(&arguments, &results));
    Case::new(&arguments, &operation, &results)
}

fn bits(element: &str) -> i64 {
    if is_complex(element) {
        return if element.contains("64") { 128 } else { 64 };
    }
    let digits: String = element
        .chars()
        .skip_while(|letter| !letter.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(8)
}

pub fn bitcast(source: &mut Source) -> Case {
    let mut all: Vec<&str> = SMALL_FLOATS.to_vec();
    all.extend(SUB_BYTE);
    all.extend(WIDE.iter().filter(|element| **element != "i1" && !is_complex(element)));
    let (from, to) = loop {
        let (from, to) = (source.pick(&all), source.pick(&all));
        let (wide, small) = (bits(from).max(bits(to)), bits(from).min(bits(to)));
        if wide % small == 0 && (wide == small || wide / small > 1) {
            break (from, to);
        }
    };
    let rank = source.between(0, 2);
    let mut shape = source.shape(rank);
    let mut other = shape.clone();
    if bits(from) > bits(to) {
        other.push(bits(from) / bits(to));
    } else if bits(from) < bits(to) {
        shape.push(bits(to) / bits(from));
    }
    let arguments = [Tensor::new(&shape, from)];
    let results = [Tensor::new(&other, to)];
    let operation =
        format!("\"stablehlo.bitcast_convert\"(%0) : {}", signature(&arguments, &results));
    let mut case = Case::new(&arguments, &operation, &results);
    // A NaN has many encodings, of which the evaluator keeps one.
    if is_float(from) {
        case.values = Some(strata_eval::Values::Tame);
    }
    case
}

pub fn control_flow(source: &mut Source) -> Case {
    let element = narrow(source);
    let tensor = Tensor::new(&[7], &element);
    let counter = Tensor::new(&[], "i32");
    let name = if is_float(&element) { "multiply" } else { "add" };
    let mut text = String::new();
    let result = match source.below(3) {
        0 => {
            text += &format!(
                "  %l = stablehlo.constant dense<3> : {counter}\n  %n = stablehlo.constant dense<1> : {counter}\n  \
                 %z = stablehlo.constant dense<0> : {counter}\n  \
                 %r:2 = stablehlo.while(%i = %z, %x = %1) : {counter}, {tensor}\n  cond {{\n    \
                 %p = stablehlo.compare LT, %i, %l : ({counter}, {counter}) -> tensor<i1>\n    \
                 stablehlo.return %p : tensor<i1>\n  }} do {{\n    \
                 %j = stablehlo.add %i, %n : {counter}\n    %y = stablehlo.{name} %x, %1 : {tensor}\n    \
                 stablehlo.return %j, %y : {counter}, {tensor}\n  }}\n"
            );
            "%r#1"
        }
        1 => {
            text += &format!(
                "  %r = \"stablehlo.case\"(%0) ({{\n    %y = stablehlo.{name} %1, %1 : {tensor}\n    \
                 stablehlo.return %y : {tensor}\n  }}, {{\n    stablehlo.return %1 : {tensor}\n  }}) : \
                 ({counter}) -> {tensor}\n"
            );
            "%r"
        }
        _ => {
            let one = if is_float(&element) { "1.0" } else { "1" };
            // NaN is ordered in the total order only.
            let order = match element.as_str() {
                _ if is_float(&element) => "TOTALORDER",
                _ if element.starts_with('u') => "UNSIGNED",
                _ => "SIGNED",
            };
            text += &format!(
                "  %k = stablehlo.constant dense<{one}> : {tensor}\n  %i = stablehlo.iota dim = 0 : {tensor}\n  \
                 %m = stablehlo.{name} %i, %k : {tensor}\n  \
                 %r:2 = \"stablehlo.sort\"(%1, %m) <{{dimension = 0 : i64, is_stable = true}}> ({{\n  \
                 ^bb0(%a: tensor<{element}>, %b: tensor<{element}>, %c: tensor<{element}>, %d: tensor<{element}>):\n    \
                 %p = stablehlo.compare LT, %a, %b, {order} : (tensor<{element}>, tensor<{element}>) -> tensor<i1>\n    \
                 stablehlo.return %p : tensor<i1>\n  }}) : ({tensor}, {tensor}) -> ({tensor}, {tensor})\n"
            );
            "%r#1"
        }
    };
    let text = format!(
        "func.func public @main(%0: {counter}, %1: {tensor}) -> {tensor} {{\n{text}  return {result} : {tensor}\n}}\n"
    );
    Case::exact(text).tame()
}
