//! A constant argument gives the same bits as the same value at run time: as a scalar, as one of many elements, and with an
//! operand that is not constant.

use std::fmt::Write as _;

use strata::{Artifact, Compiler, Stage};
use strata_eval::{ElementType, FloatType, Tensor};

use crate::harness::{Loaded, options};

/// Signs, special values, the ends of the range, points where results overflow or vanish, and numbers without a pattern.
const VALUES: &[f64] = &[
    0.3,
    -0.7,
    7.25,
    1.4142137,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    0.9999,
    -2.4570247,
    1.4616321449683622,
    -11.3,
    0.0,
    1.0,
    -1.0,
    f64::NEG_INFINITY,
    0.5,
    -0.5,
    2.0,
    1e-3,
    33.333,
    88.6,
    -87.4,
    1e-40,
    -3e-42,
    6e-8,
    1e5,
    2.6e7,
    1e30,
    3.4e38,
    1e-300,
    4.9e-324,
    709.7,
    -745.0,
    1e300,
    1.7e308,
];

/// How many of the values are also arguments on their own, and how many of these are all elements of a tensor.
const ALONE: usize = 7;
const SPLATS: usize = 2;

const UNARY: &[&str] = &[
    "stablehlo.abs",
    "stablehlo.cbrt",
    "stablehlo.ceil",
    "stablehlo.cosine",
    "stablehlo.exponential",
    "stablehlo.exponential_minus_one",
    "stablehlo.floor",
    "stablehlo.log",
    "stablehlo.log_plus_one",
    "stablehlo.logistic",
    "stablehlo.negate",
    "stablehlo.round_nearest_afz",
    "stablehlo.round_nearest_even",
    "stablehlo.rsqrt",
    "stablehlo.sign",
    "stablehlo.sine",
    "stablehlo.sqrt",
    "stablehlo.tan",
    "stablehlo.tanh",
    "chlo.acos",
    "chlo.acosh",
    "chlo.asin",
    "chlo.asinh",
    "chlo.atan",
    "chlo.atanh",
    "chlo.bessel_i1e",
    "chlo.cosh",
    "chlo.digamma",
    "chlo.erf",
    "chlo.erf_inv",
    "chlo.erfc",
    "chlo.lgamma",
    "chlo.sinh",
    "chlo.square",
];

const BINARY: &[&str] = &[
    "stablehlo.add",
    "stablehlo.atan2",
    "stablehlo.divide",
    "stablehlo.maximum",
    "stablehlo.minimum",
    "stablehlo.multiply",
    "stablehlo.power",
    "stablehlo.remainder",
    "stablehlo.subtract",
    "chlo.next_after",
    "chlo.polygamma",
    "chlo.zeta",
];

/// What complex numbers lack of both lists.
const REAL_ONLY: &[&str] = &[
    "stablehlo.ceil",
    "stablehlo.floor",
    "stablehlo.round_nearest_afz",
    "stablehlo.round_nearest_even",
    "stablehlo.remainder",
    "chlo.bessel_i1e",
    "chlo.digamma",
    "chlo.erf",
    "chlo.erf_inv",
    "chlo.erfc",
    "chlo.lgamma",
    "chlo.next_after",
    "chlo.polygamma",
    "chlo.zeta",
];

fn part_of(name: &str) -> FloatType {
    FloatType::ALL.into_iter().find(|ty| ty.name() == name).expect("a format")
}

/// An element type and its values.
struct Case {
    name: &'static str,
    part: FloatType,
    is_complex: bool,
}

impl Case {
    fn of(name: &'static str) -> Self {
        let is_complex = name.starts_with("complex");
        let part = part_of(name.trim_start_matches("complex<").trim_end_matches('>'));
        Self { name, part, is_complex }
    }

    fn bytes_of_part(&self) -> usize {
        (self.part.bits() / 8) as usize
    }

    /// The bytes of each value. Complex ones have another value as their imaginary part, which `turn` chooses.
    fn values(&self, turn: usize) -> Vec<Vec<u8>> {
        let count = VALUES.len();
        let encoded = |value| {
            let tensor = Tensor::of_floats(&[1], ElementType::Float(self.part), &[value]);
            tensor.bytes().to_vec()
        };
        let value = |index: usize| {
            let mut bytes = encoded(VALUES[index % count]);
            if self.is_complex {
                bytes.extend(encoded(VALUES[(index * 3 + turn) % count]));
            }
            bytes
        };
        // Another order for each operand of two.
        (0..count).map(|index| value(index * (turn + 1) + turn)).collect()
    }

    fn tensor(&self, shape: &str) -> String {
        format!("tensor<{shape}{}>", self.name)
    }

    fn literal(&self, bytes: &[u8]) -> String {
        let part = |bytes: &[u8]| {
            let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02X}")).collect();
            format!("0x{digits}")
        };
        let (re, im) = bytes.split_at(self.bytes_of_part());
        if self.is_complex { format!("({}, {})", part(re), part(im)) } else { part(re) }
    }

    fn constant(&self, name: &str, values: &[Vec<u8>]) -> String {
        let list: Vec<_> = values.iter().map(|value| self.literal(value)).collect();
        let ty = self.tensor(&format!("{}x", values.len()));
        format!("  {name} = stablehlo.constant dense<[{}]> : {ty}\n", list.join(", "))
    }

    fn functions(&self, all: &[&'static str]) -> Vec<&'static str> {
        let has = |name: &&&str| !self.is_complex || !REAL_ONLY.contains(name);
        all.iter().filter(has).copied().collect()
    }
}

/// A program and its results: which of them must have the bits of which.
struct Program {
    text: String,
    results: Vec<(String, String)>,
    /// The first result, the one that it has to equal, which elements of that (all, or one), and what it is.
    pairs: Vec<(usize, usize, Option<usize>, String)>,
}

impl Program {
    fn result(&mut self, line: &str, ty: String) -> usize {
        let name = format!("%r{}", self.results.len());
        let _ = writeln!(self.text, "  {name} = {line}");
        self.results.push((name, ty));
        self.results.len() - 1
    }
}

fn line(function: &str, operands: &[&str], ty: &str, result: &str) -> String {
    let list = operands.join(", ");
    match (function.starts_with("chlo."), operands.len()) {
        (true, 2) => format!("{function} {list} : {ty}, {ty} -> {result}"),
        (true, _) => format!("{function} {list} : {ty} -> {result}"),
        _ if ty == result => format!("{function} {list} : {ty}"),
        _ => format!("{function} {list} : ({ty}) -> {result}"),
    }
}

/// The prefix of the name and the shape of the constants that hold the value `index` alone.
fn shapes(index: usize) -> Vec<(&'static str, &'static str)> {
    if index < SPLATS { vec![("s", ""), ("v", "5x")] } else { vec![("s", "")] }
}

fn program(case: &Case) -> Program {
    let (first, second) = (case.values(1), case.values(2));
    let mut program = Program { text: String::new(), results: Vec::new(), pairs: Vec::new() };
    program.text += &case.constant("%cx", &first);
    program.text += &case.constant("%cy", &second);
    for (index, value) in first.iter().enumerate().take(ALONE) {
        let literal = case.literal(value);
        for (name, shape) in shapes(index) {
            let ty = case.tensor(shape);
            let _ = writeln!(
                program.text,
                "  %{name}{index} = stablehlo.constant dense<{literal}> : {ty}"
            );
        }
    }
    let length = format!("{}x", first.len());
    case.functions(UNARY).into_iter().for_each(|one| unary(case, &mut program, one, &length));
    let many = case.tensor(&length);
    case.functions(BINARY).into_iter().for_each(|one| binary(&mut program, one, &many));
    if !case.is_complex {
        conversions(&mut program, &many, &length);
    }
    let names: Vec<_> = program.results.iter().map(|result| result.0.as_str()).collect();
    let types: Vec<_> = program.results.iter().map(|result| result.1.as_str()).collect();
    let (names, types) = (names.join(", "), types.join(", "));
    let head = format!("func.func @main(%x: {many}, %y: {many}) -> ({types}) {{\n");
    program.text = format!("{head}{}  return {names} : {types}\n}}\n", program.text);
    program
}

/// A function of one number: of the input, of all constants at once, of some of them alone.
fn unary(case: &Case, program: &mut Program, function: &str, length: &str) {
    let part = case.name.trim_start_matches("complex<").trim_end_matches('>');
    let is_abs = function == "stablehlo.abs" && case.is_complex;
    let of = |shape: &str| {
        if is_abs { format!("tensor<{shape}{part}>") } else { case.tensor(shape) }
    };
    let (many, wide) = (case.tensor(length), of(length));
    let at_run_time = program.result(&line(function, &["%x"], &many, &wide), wide.clone());
    let folded = program.result(&line(function, &["%cx"], &many, &wide), wide);
    program.pairs.push((folded, at_run_time, None, format!("{function} of constants")));
    for index in 0..ALONE {
        for (name, shape) in shapes(index) {
            let operand = format!("%{name}{index}");
            let text = line(function, &[&operand], &case.tensor(shape), &of(shape));
            let folded = program.result(&text, of(shape));
            let what = format!("{function} of {operand}");
            program.pairs.push((folded, at_run_time, Some(index), what));
        }
    }
}

/// A function of two numbers, of which one or both are constant.
fn binary(program: &mut Program, function: &str, many: &str) {
    let at_run_time = program.result(&line(function, &["%x", "%y"], many, many), many.to_owned());
    for operands in [["%cx", "%cy"], ["%cx", "%y"], ["%x", "%cy"]] {
        let folded = program.result(&line(function, &operands, many, many), many.to_owned());
        let what = format!("{function} of {operands:?}");
        program.pairs.push((folded, at_run_time, None, what));
    }
}

fn conversions(program: &mut Program, many: &str, length: &str) {
    for to in ["f16", "bf16", "f32", "f64"] {
        let wide = format!("tensor<{length}{to}>");
        let convert = |operand| format!("stablehlo.convert {operand} : ({many}) -> {wide}");
        let at_run_time = program.result(&convert("%x"), wide.clone());
        let folded = program.result(&convert("%cx"), wide.clone());
        program.pairs.push((folded, at_run_time, None, format!("convert to {to}")));
    }
}

fn compiled(text: &str, cpu: &str) -> Artifact {
    match Compiler::new(options(cpu)).to(Stage::Obj).compile("input.mlir", text.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}"),
    }
}

/// Numbers with equal bits, or both NaN: which NaN an operation gives is the processor's choice.
fn same(one: &[u8], other: &[u8], part: FloatType) -> bool {
    let number = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        part.decode(u64::from_le_bytes(word))
    };
    one == other || (number(one).is_nan() && number(other).is_nan())
}

/// Where a result differs from what it has to equal.
fn difference(
    program: &Program,
    found: &[Vec<u8>],
    (folded, at_run_time, only, what): &(usize, usize, Option<usize>, String),
) -> Option<String> {
    let ty = &program.results[*folded].1;
    let part = part_of(ty.trim_end_matches('>').rsplit(['x', '<']).next().unwrap_or_default());
    let width = (part.bits() / 8) as usize;
    let element = width * if ty.contains("complex") { 2 } else { 1 };
    let expected: Vec<_> = match only {
        None => found[*at_run_time].chunks(width).collect(),
        Some(index) => {
            let one = &found[*at_run_time][index * element..][..element];
            let times = found[*folded].len() / element;
            std::iter::repeat_n(one, times).flat_map(|one| one.chunks(width)).collect()
        }
    };
    assert_eq!(found[*folded].len(), expected.len() * width, "{what}");
    let differs = |(one, other): (&[u8], &&[u8])| !same(one, other, part);
    let index = found[*folded].chunks(width).zip(&expected).position(differs)?;
    let (one, other) = (&found[*folded][index * width..][..width], expected[index]);
    Some(format!("{what}: number {index} is {one:02X?}, at run time {other:02X?}"))
}

#[rstest::rstest]
#[case("f64")]
#[case("f32")]
#[case("f16")]
#[case("bf16")]
#[case("complex<f64>")]
#[case("complex<f32>")]
fn constants_give_the_bits_of_run_time_values(
    #[case] name: &'static str,
    #[values("x86-64", "x86-64-v3")] cpu: &str,
) {
    if !crate::harness::cpus().contains(&cpu) {
        return;
    }
    let case = Case::of(name);
    let program = program(&case);
    let artifact = compiled(&program.text, cpu);
    let inputs = [case.values(1).concat(), case.values(2).concat()];
    let found = Loaded::new(&artifact).call(&inputs);
    let wrong: Vec<_> =
        program.pairs.iter().filter_map(|pair| difference(&program, &found, pair)).collect();
    assert!(wrong.is_empty(), "{name} on {cpu}:\n{}", wrong.join("\n"));
}
