//! Attention in blocks: memory. That it computes the right numbers is in `ops/dot_general/attention*`.

use strata::{Compiler, Options, Tasks};

use crate::harness::{cpus, options};

/// Causal attention of one head of `length` rows of 32 numbers.
fn program(length: usize) -> String {
    let (scores, rows) = (format!("tensor<{length}x{length}"), format!("tensor<{length}xf32>"));
    let heads = format!("tensor<{length}x32xf32>");
    format!(
        "func.func @main(%q: {heads}, %k: {heads}, %v: {heads}) -> {heads} {{
  %s = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : ({heads}, {heads}) -> {scores}xf32>
  %i = stablehlo.iota dim = 0 : {scores}xi32>
  %j = stablehlo.iota dim = 1 : {scores}xi32>
  %sees = stablehlo.compare GE, %i, %j, SIGNED : ({scores}xi32>, {scores}xi32>) -> {scores}xi1>
  %fill = stablehlo.constant dense<0xFF800000> : {scores}xf32>
  %t = stablehlo.select %sees, %s, %fill : {scores}xi1>, {scores}xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%t init: %low) applies stablehlo.maximum across dimensions = [1] : ({scores}xf32>, tensor<f32>) -> {rows}
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : ({rows}) -> {scores}xf32>
  %d = stablehlo.subtract %t, %mb : {scores}xf32>
  %e = stablehlo.exponential %d : {scores}xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : ({scores}xf32>, tensor<f32>) -> {rows}
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : ({rows}) -> {scores}xf32>
  %p = stablehlo.divide %e, %lb : {scores}xf32>
  %r = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : ({scores}xf32>, {heads}) -> {heads}
  return %r : {heads}
}}
"
    )
}

/// The same with weights of `bf16`.
fn rounded(length: usize) -> String {
    let (scores, half) =
        (format!("tensor<{length}x{length}xf32>"), format!("tensor<{length}x{length}xbf16>"));
    let dot = "%r = stablehlo.dot_general %p,";
    let weights = format!(
        "%h = stablehlo.convert %p : ({scores}) -> {half}\n  %w = stablehlo.convert %h : ({half}) -> {scores}"
    );
    let text = program(length);
    assert!(text.contains(dot));
    text.replace(dot, &format!("{weights}\n  %r = stablehlo.dot_general %w,"))
}

fn workspace(program: &str, options: &Options) -> u64 {
    let compiled = Compiler::new(options.clone()).compile("a.mlir", program.as_bytes());
    let artifact = compiled.unwrap_or_else(|errors| panic!("{errors}"));
    artifact.workspace_size().expect("a workspace")
}

#[test]
fn the_workspace_does_not_grow_with_the_square_of_the_length() {
    for cpu in cpus() {
        let alone = Options { tasks: Tasks::Never, ..options(cpu) };
        // Half of L2 has the scores of rounded weights, 2 MiB on some processors.
        for (program, most) in [(program as fn(usize) -> String, 2 << 20), (rounded, 4 << 20)] {
            let [short, long] = [1024, 4096].map(|length| workspace(&program(length), &alone));
            // Four times as many sums of columns of the values, at most; 64 MiB of scores.
            assert!(long <= 4 * short && long < most, "{cpu}: {short} and {long} bytes");
            // Each task has its own blocks.
            let split = workspace(&program(4096), &options(cpu));
            assert!(split < 16 << 20, "{cpu}: {split} bytes");
        }
    }
}
