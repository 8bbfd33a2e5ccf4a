//! Attention in blocks: memory, and keys that are left out. That it computes the right numbers is in `ops/dot_general/attention*`.

use half::bf16;
use strata::{Compiler, Options, Stage, Tasks};

use crate::{
    dots::bf16::bytes_of,
    harness::{Loaded, cpus, options},
};

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

const HEADS: usize = 4;
const LENGTH: usize = 512;
const WIDTH: usize = 64;

/// Attention in `bf16` of [`HEADS`], whose mask is `%sees`: the input, or `mask` of the indices `%i` and `%j`.
/// Scores and weights are `f32`, or all numbers `bf16`.
fn masked(mask: &str, hidden: &str, is_narrow: bool) -> String {
    let (square, scores, weights, rows) = (
        format!("tensor<{LENGTH}x{LENGTH}x"),
        format!("tensor<{HEADS}x{LENGTH}x{LENGTH}xf32>"),
        format!("tensor<{HEADS}x{LENGTH}x{LENGTH}xbf16>"),
        format!("tensor<{HEADS}x{LENGTH}xf32>"),
    );
    let heads = format!("tensor<{HEADS}x{LENGTH}x{WIDTH}xbf16>");
    let mask = mask.replace("SQUARE", &square);
    let text = format!(
        "func.func @main(%q: {heads}, %k: {heads}, %v: {heads}, %data: {square}i1>) -> {heads} {{
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : ({heads}, {heads}) -> {scores}
  %i = stablehlo.iota dim = 0 : {square}i32>
  %j = stablehlo.iota dim = 1 : {square}i32>
  {mask}
  %all = stablehlo.broadcast_in_dim %sees, dims = [1, 2] : ({square}i1>) -> tensor<{HEADS}x{LENGTH}x{LENGTH}xi1>
  %fill = stablehlo.constant dense<{hidden}> : {scores}
  %t = stablehlo.select %all, %s, %fill : tensor<{HEADS}x{LENGTH}x{LENGTH}xi1>, {scores}
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%t init: %low) applies stablehlo.maximum across dimensions = [2] : ({scores}, tensor<f32>) -> {rows}
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : ({rows}) -> {scores}
  %d = stablehlo.subtract %t, %mb : {scores}
  %e = stablehlo.exponential %d : {scores}
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : ({scores}, tensor<f32>) -> {rows}
  %lb = stablehlo.broadcast_in_dim %l, dims = [0, 1] : ({rows}) -> {scores}
  %p = stablehlo.divide %e, %lb : {scores}
  %w = stablehlo.convert %p : ({scores}) -> {weights}
  %r = stablehlo.dot_general %w, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({weights}, {heads}) -> {heads}
  return %r : {heads}
}}
"
    );
    if !is_narrow {
        return text;
    }
    // Sums of rows stay `f32`.
    let narrow = rows.replace("f32", "bf16");
    let sum = format!(
        "%l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : ({scores}, tensor<f32>) -> {rows}"
    );
    assert!(text.contains(&sum));
    let text = text
        .replace(&sum, "SUM")
        .replace("%zero = stablehlo.constant dense<0.0> : tensor<f32>", "ZERO");
    let text = text.replace(&scores, &weights).replace(&rows, &narrow);
    let text = text.replace("0xFF800000> : tensor<f32>", "0xFF80> : tensor<bf16>");
    let text = text.replace(", tensor<f32>)", ", tensor<bf16>)");
    text.replace("ZERO", "%zero = stablehlo.constant dense<0.0> : tensor<f32>").replace(
        "SUM",
        &format!(
            "%wide = stablehlo.convert %e : ({weights}) -> {scores}
  %sum = stablehlo.reduce(%wide init: %zero) applies stablehlo.add across dimensions = [2] : ({scores}, tensor<f32>) -> {rows}
  %l = stablehlo.convert %sum : ({rows}) -> {narrow}"
        ),
    )
}

/// The object, and whether its blocks of rows have visible keys.
fn loaded(program: &str, options: &Options) -> (Loaded, bool) {
    let compile = |stage| {
        let compiler = Compiler::new(options.clone()).to(stage);
        let compiled = compiler.compile("a.mlir", program.as_bytes());
        compiled.unwrap_or_else(|errors| panic!("{errors}"))
    };
    let schedule = compile(Stage::Schedule);
    let is_short = String::from_utf8_lossy(schedule.bytes()).contains(" visible ");
    (Loaded::new(&compile(Stage::Obj)), is_short)
}

/// Hidden keys are left out of the blocks that do not need them, and of no other: of rows that see nothing, or only scores below the hidden
/// ones, and of values that are not finite. With the mask as an input all keys are there.
#[test]
fn hidden_keys_are_left_out_where_they_change_nothing() {
    let causal =
        "%sees = stablehlo.compare GE, %i, %j, SIGNED : (SQUAREi32>, SQUAREi32>) -> SQUAREi1>";
    let window = "%c = stablehlo.constant dense<90> : SQUAREi32>
  %n = stablehlo.constant dense<5> : SQUAREi32>
  %f = stablehlo.subtract %i, %c : SQUAREi32>
  %h = stablehlo.subtract %i, %n : SQUAREi32>
  %a = stablehlo.compare GE, %j, %f, SIGNED : (SQUAREi32>, SQUAREi32>) -> SQUAREi1>
  %b = stablehlo.compare LE, %j, %h, SIGNED : (SQUAREi32>, SQUAREi32>) -> SQUAREi1>
  %sees = stablehlo.and %a, %b : SQUAREi1>";
    // As flax has it, with scores of `bf16`, whose maxima are found by their bits.
    let floats =
        "%seen = stablehlo.compare GE, %i, %j, SIGNED : (SQUAREi32>, SQUAREi32>) -> SQUAREi1>
  %both = stablehlo.and %seen, %data : SQUAREi1>
  %mask = stablehlo.convert %both : (SQUAREi1>) -> SQUAREf32>
  %none = stablehlo.constant dense<0.0> : SQUAREf32>
  %sees = stablehlo.compare NE, %mask, %none, FLOAT : (SQUAREf32>, SQUAREf32>) -> SQUAREi1>";
    let sees_causal = |row: usize, key: usize| row >= key;
    let sees_window = |row: usize, key: usize| key + 90 >= row && key + 5 <= row;
    type Sees = dyn Fn(usize, usize) -> bool;
    let masks: [(&str, &str, &Sees); 3] = [
        (causal, "-1.0e9", &sees_causal),
        (window, "0xFF800000", &sees_window),
        (floats, "0xFF7F", &sees_causal),
    ];
    let count = HEADS * LENGTH * WIDTH;
    let numbers = |seed: usize| -> Vec<bf16> {
        let number = |at: usize| (at.wrapping_mul(2_654_435_761) ^ (seed * 40_503)) >> 9;
        (0..count).map(|at| bf16::from_f32((number(at) % 41) as f32 / 16.0 - 1.25)).collect()
    };
    let place = |head: usize, row: usize, column: usize| (head * LENGTH + row) * WIDTH + column;
    for cpu in cpus() {
        for (mask, hidden, sees) in masks {
            let (found, is_short) = loaded(&masked(mask, hidden, mask == floats), &options(cpu));
            let data = "%sees = stablehlo.optimization_barrier %data : SQUAREi1>";
            let (expected, is_data_short) =
                loaded(&masked(data, hidden, mask == floats), &options(cpu));
            assert_eq!((is_short, is_data_short), (true, false), "{cpu}");
            let seen = (0..LENGTH * LENGTH).map(|at| u8::from(sees(at / LENGTH, at % LENGTH)));
            let seen: Vec<u8> = seen.collect();
            for kind in ["plain", "below", "infinite", "nan", "large"] {
                let [mut q, mut k, mut v] = [1, 2, 3].map(numbers);
                match kind {
                    // Scores below -1e9 in one row.
                    "below" => (0..WIDTH).for_each(|column| {
                        q[place(1, 77, column)] = bf16::from_f32(3.0e9);
                        (0..LENGTH).for_each(|key| {
                            k[place(1, key, column)] = bf16::from_f32(-1.0 - (key % 7) as f32);
                        });
                    }),
                    "infinite" => v[place(2, 500, 3)] = bf16::INFINITY,
                    "nan" => q[place(3, 130, 0)] = bf16::NAN,
                    "large" => k[place(0, 40, 9)] = bf16::INFINITY,
                    _ => {}
                }
                let inputs = [bytes_of(&q), bytes_of(&k), bytes_of(&v), seen.clone()];
                let [found, expected] = [&found, &expected].map(|object| {
                    let results = object.call_with_any_nan(&inputs).concat();
                    let numbers = results.chunks_exact(2);
                    let numbers = numbers.map(|one| bf16::from_le_bytes([one[0], one[1]]));
                    let of = |one: bf16| if one.is_nan() { bf16::NAN } else { one }.to_bits();
                    numbers.map(of).collect::<Vec<_>>()
                });
                assert!(found == expected, "{cpu}, {hidden}, {kind}");
            }
        }
    }
}
