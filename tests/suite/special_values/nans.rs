//! The sign of a NaN means nothing: numbers in a result do not follow from it, but for the signs of zeros beside it, which C leaves open, too.

use strata::{Compiler, Stage};

use crate::harness::{Loaded, cpus, options};

const FUNCTIONS: [&str; 14] = [
    "sqrt",
    "rsqrt",
    "cbrt",
    "exponential",
    "exponential_minus_one",
    "log",
    "log_plus_one",
    "logistic",
    "sine",
    "cosine",
    "tan",
    "tanh",
    "sign",
    "negate",
];

#[test]
fn complex_functions_do_not_see_the_sign_of_a_nan() {
    let others = [0.0, -0.0, 1.0, -2.0, f32::INFINITY, f32::NEG_INFINITY];
    // Each number beside a NaN, on either side.
    let inputs = |nan: u32| -> Vec<u8> {
        let pair = |other: &f32| {
            let nan = f32::from_bits(nan);
            [[nan, *other], [*other, nan]].concat()
        };
        others.iter().flat_map(pair).flat_map(|one| one.to_bits().to_le_bytes()).collect()
    };
    let ty = format!("tensor<{}xcomplex<f32>>", 2 * others.len());
    let lines: String = FUNCTIONS
        .iter()
        .enumerate()
        .map(|(at, name)| format!("  %{at} = stablehlo.{name} %x : {ty}\n"))
        .collect();
    let results: Vec<_> = (0..FUNCTIONS.len()).map(|at| format!("%{at}")).collect();
    let (results, types) = (results.join(", "), vec![ty.as_str(); FUNCTIONS.len()].join(", "));
    let text = format!(
        "func.func @main(%x: {ty}) -> ({types}) {{\n{lines}  return {results} : {types}\n}}"
    );
    for cpu in cpus() {
        let compiler = Compiler::new(options(cpu)).to(Stage::Obj);
        let object =
            Loaded::new(&compiler.compile("nans.mlir", text.as_bytes()).expect("compiles"));
        let [positive, negative] = [0x7FC0_0000, 0xFFC0_0000].map(|nan| {
            let outputs = object.call(&[inputs(nan)]).into_iter();
            let numbers = |output: Vec<u8>| -> Vec<u32> {
                let parts = output.chunks_exact(4);
                let parts = parts.map(|one| f32::from_le_bytes([one[0], one[1], one[2], one[3]]));
                let known = |one: f32| if one.is_nan() { f32::NAN } else { one + 0.0 };
                parts.map(|one| known(one).to_bits()).collect()
            };
            outputs.map(numbers).collect::<Vec<_>>()
        });
        for (name, (one, other)) in FUNCTIONS.iter().zip(positive.iter().zip(&negative)) {
            assert_eq!(one, other, "{cpu}: {name}");
        }
    }
}
