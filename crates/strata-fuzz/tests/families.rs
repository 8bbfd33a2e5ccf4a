//! A few programs of each family, compiled and evaluated, and the reduction of failing ones.
//!
//! `STRATA_FUZZ_SEED` and `STRATA_FUZZ_CASES` select other programs than the fixed ones; `scripts/fuzz.sh` runs many.

use std::{env, fs, path::Path};

use strata_diag::Code;
use strata_fuzz::{
    campaign::{draw, oracle},
    families::{FAMILIES, Family, Kind, family},
    oracle::{Oracle, Outcome},
    reduce as reducing,
    source::Case,
};

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Draws, compiles and evaluates programs of one family.
fn go_through(name: &str) {
    let family: &Family = family(name).expect("a family");
    let first = number("STRATA_FUZZ_SEED", 0);
    let count = number("STRATA_FUZZ_CASES", 24);
    let mut failures = Vec::new();
    let mut refused: Vec<Code> = Vec::new();
    for seed in first..first.saturating_add(count) {
        let case = draw(family, seed);
        let oracle = oracle(family, seed);
        // Shown with --nocapture: if the process dies, the last one is the culprit.
        println!("{name} {seed} {}", oracle.name());
        match oracle.check(&case, seed) {
            Ok(Outcome::Agrees) => {}
            Ok(Outcome::Refused(code)) => refused.push(code),
            Err(reason) => {
                failures.push(format!("{name} {seed} {}:\n{}{reason}", oracle.name(), case.text));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {count} fail\n{}", failures.len(), failures.join("\n\n"));
    let may_be = if family.kind == Kind::Damaged { count } else { count / 2 };
    assert!(
        refused.len() as u64 <= may_be,
        "{} of {count} are refused: {refused:?}",
        refused.len()
    );
}

/// Reduced programs of earlier failures: `// <family>, seed <number>, <oracle>:` in the first line.
#[test]
fn found_programs_fail_no_more() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/found");
    let mut count = 0;
    for file in fs::read_dir(folder).expect("the folder of programs") {
        let path = file.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a program");
        let line = text.lines().next().and_then(|line| line.strip_prefix("// ")).expect("a line");
        let fields: Vec<&str> = line.trim_end_matches(':').split(", ").collect();
        let [name, seed, oracle] = fields[..] else { panic!("{}: {line}", path.display()) };
        let seed = seed.strip_prefix("seed ").and_then(|seed| seed.parse().ok()).expect("a seed");
        let drawn = draw(family(name).expect("a family"), seed);
        let oracle = Oracle::of(oracle).expect("an oracle");
        let case = drawn.with_text(text);
        if let Err(reason) = oracle.check(&case, seed) {
            panic!("{}: {reason}", path.display());
        }
        count += 1;
    }
    assert!(count > 0, "no program was found");
}

macro_rules! families {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                go_through(stringify!($name));
            }
        )*

        #[test]
        fn every_family_is_gone_through() {
            let names: Vec<_> = FAMILIES.iter().map(|family| family.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

families! {
    aliases fusions nested grown states layers batch_norm convolution dot_general gather scatter reduce reduce_window
    select_and_scatter ordered sorts moving dynamic_slices elementwise_on_narrow_types conversions bit_conversions
    narrow_types_in_control_flow quantized scaled tiles collectives dynamic_shapes open_tiles open_narrow open_scaled
    texts
}

/// Found by a random program: MLIR folds a pad into the fill that a second one begins with, without its strides.
#[test]
fn a_pad_before_an_interior_pad_is_not_folded() {
    let program = "func.func public @main(%x: tensor<2x3xi32>) -> tensor<7x9xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.pad %x, %z, low = [1, 1], high = [1, 0], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<4x4xi32>
      %1 = stablehlo.pad %0, %z, low = [0, 1], high = [0, 1], interior = [1, 1] : (tensor<4x4xi32>, tensor<i32>) -> tensor<7x9xi32>
      return %1 : tensor<7x9xi32>
    }";
    assert_eq!(Oracle::Native.check(&Case::exact(program.to_owned()), 0), Ok(Outcome::Agrees));
}

/// The failure is artificial: a program fails if it has a loop with a sine.
#[test]
fn a_program_that_fails_becomes_small() {
    let program = "func.func private @twice(%a: tensor<3xf32>) -> tensor<3xf32> {
      %0 = stablehlo.add %a, %a : tensor<3xf32>
      return %0 : tensor<3xf32>
    }
    func.func public @main(%n: tensor<i32>, %p: tensor<i1>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %t = func.call @twice(%y) : (tensor<3xf32>) -> tensor<3xf32>
      %m = stablehlo.maximum %t, %x : tensor<3xf32>
      %w:3 = stablehlo.while(%i = %zero, %a = %m, %b = %y) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
        cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1> }
        do { %j = stablehlo.add %i, %one : tensor<i32>
          %s = stablehlo.sine %a : tensor<3xf32>
          %k = stablehlo.negate %b : tensor<3xf32>
          stablehlo.return %j, %s, %k : tensor<i32>, tensor<3xf32>, tensor<3xf32> }
      %q = \"stablehlo.if\"(%p) ({ stablehlo.return %w#1 : tensor<3xf32> }, { stablehlo.return %x : tensor<3xf32> }) : (tensor<i1>) -> tensor<3xf32>
      return %t, %q : tensor<3xf32>, tensor<3xf32>
    }";
    let mut fails = |text: &str| text.contains("while") && text.contains("sine");
    let small = reducing::reduce(program, 1000, &mut fails)
        .unwrap_or_else(|error| panic!("{}", error.render()));
    assert!(small.contains("while") && small.contains("sine"), "{small}");
    for gone in ["if", "negate", "maximum", "call", "@twice"] {
        assert!(!small.contains(gone), "{gone} is left in\n{small}");
    }
    assert!(small.lines().count() <= 16, "{small}");
}
