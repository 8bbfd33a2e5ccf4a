//! Functions of `f32` against the same function of `f64`, within the bounds of docs/numerics.md.

use strata::Compiler;
use strata_eval::{Tensor, evaluate};
use strata_run::{Linked, Loaded};

use crate::{
    command::workspace,
    harness::{cpus, options},
};

/// The names of the page, and the operations. The hyperbolic ones are sums of exponentials, which costs large arguments more
/// than the page's function of the `math` dialect has.
const FUNCTIONS: &[(&str, &str, f64)] = &[
    ("exp", "stablehlo.exponential", 0.0),
    ("expm1", "stablehlo.exponential_minus_one", 0.0),
    ("log", "stablehlo.log", 0.0),
    ("log1p", "stablehlo.log_plus_one", 0.0),
    ("tanh", "stablehlo.tanh", 0.0),
    ("sinh", "chlo.sinh", 0.0),
    ("cosh", "chlo.cosh", 0.0),
    ("asinh", "chlo.asinh", 0.0),
    ("acosh", "chlo.acosh", 0.0),
    ("atanh", "chlo.atanh", 0.0),
    ("sin", "stablehlo.sine", 0.0),
    ("cos", "stablehlo.cosine", 0.0),
    ("tan", "stablehlo.tan", 0.0),
    ("asin", "chlo.asin", 0.0),
    ("acos", "chlo.acos", 0.0),
    ("atan", "chlo.atan", 0.0),
    ("atan2", "stablehlo.atan2", 0.0),
    ("erf", "chlo.erf", 0.0),
    ("erfc", "chlo.erfc", 0.0),
    ("cbrt", "stablehlo.cbrt", 0.0),
    ("pow", "stablehlo.power", 0.0),
    ("rsqrt", "stablehlo.rsqrt", 0.0),
    ("sqrt", "stablehlo.sqrt", 0.0),
];

/// Arguments of all magnitudes, and as many of everyday ones.
const ARGUMENTS: u32 = 20_000;

fn arguments() -> Vec<f32> {
    let of_bits = (0..ARGUMENTS).map(|at| f32::from_bits(at.wrapping_mul(u32::MAX / ARGUMENTS)));
    let everyday = (0..ARGUMENTS).map(|at| at as f32 / 1000.0 - 10.0);
    of_bits.chain(everyday).collect()
}

/// The bound that the page states for the function of `f32`.
fn bound(page: &str, name: &str) -> f64 {
    let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
    let cell = row.and_then(|row| row.split('|').nth(2)).map(str::trim);
    cell.and_then(|cell| cell.parse().ok())
        .unwrap_or_else(|| panic!("docs/numerics.md states no bound for `{name}` of f32"))
}

/// The function of two lists: of one of them where it has one operand.
fn program(operation: &str, two: bool, ty: &str, count: usize) -> String {
    let ty = format!("tensor<{count}x{ty}>");
    let (list, types) = if two { ("%x, %y", format!("{ty}, {ty}")) } else { ("%x", ty.clone()) };
    format!(
        "func.func public @main(%x: {ty}, %y: {ty}) -> {ty} {{\n  \
         %0 = \"{operation}\"({list}) : ({types}) -> {ty}\n  return %0 : {ty}\n}}\n"
    )
}

/// The error of a result in units in the last place of `f32`.
fn error(found: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    if nearest.is_nan() || found.is_nan() {
        return if nearest.is_nan() && found.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if found == nearest {
        return 0.0;
    }
    let magnitude = exact.abs().clamp(f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX));
    let unit = 2f64.powi(magnitude.log2().floor() as i32 - 23);
    // Beyond the largest number the next one would be 2 to the 128th.
    let beyond = |value: f64| value.clamp(-(2f64.powi(128)), 2f64.powi(128));
    (beyond(f64::from(found)) - beyond(exact)).abs() / unit
}

#[test]
fn functions_of_f32_are_as_accurate_as_stated() {
    let page = std::fs::read_to_string(workspace().join("docs/numerics.md")).expect("the page");
    let x = arguments();
    let mut y = x.clone();
    y.rotate_left(7919);
    let count = x.len();
    let wide = |values: &[f32]| {
        let values: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
        Tensor::from_f64(&[count], &values)
    };
    let inputs = [Tensor::from_f32(&[count], &x), Tensor::from_f32(&[count], &y)];
    let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
    let context = strata::new_context();
    let mut wrong = Vec::new();
    for (name, operation, other) in FUNCTIONS {
        let bound = bound(&page, name).max(*other);
        let two = matches!(*name, "pow" | "atan2");
        let text = program(operation, two, "f64", count);
        let module = strata_ir::parse(&context, "wide.mlir", text.as_bytes()).expect("parses");
        let exact = evaluate(&module, None, &[wide(&x), wide(&y)]).expect("evaluates");
        let exact = exact[0].to_f64s();
        for cpu in cpus() {
            let text = program(operation, two, "f32", count);
            let options = options(cpu);
            let artifact = Compiler::new(options.clone()).compile("f.mlir", text.as_bytes());
            let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}"));
            let signature = artifact.signature().expect("a signature");
            let loaded = Loaded::linked(artifact.bytes(), &options, signature, &Linked::default());
            let (_, outputs) = loaded.expect("it links").call(&bytes).expect("called");
            let found =
                outputs[0].as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
            let errors = found.zip(&exact).map(|(found, exact)| error(found, *exact));
            let worst = errors.enumerate().max_by(|one, other| one.1.total_cmp(&other.1));
            let (at, error) = worst.expect("arguments");
            // The page's figures are the largest over other arguments.
            if error > 1.05 * bound {
                wrong.push(format!(
                    "{name} on {cpu}: {error:.3} units at ({:e}, {:e}), stated: {bound}",
                    x[at], y[at]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
