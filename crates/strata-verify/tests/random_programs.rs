//! Random programs, compiled and evaluated.
//!
//! `STRATA_FUZZ_SEED` and `STRATA_FUZZ_CASES` choose other programs than the fixed ones; `scripts/fuzz.sh`
//! runs many.

use std::env;

use strata::{Options, target};
use strata_diag::{Diagnostic, codes};
use strata_eval::verify::{Values, random_program};
use strata_verify::{Settings, verify};

/// What the compiler may refuse: a diagnostic, never wrong code.
const REFUSED: &[strata_diag::Code] = &[codes::S1101, codes::S1102, codes::S1103, codes::S1201];

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Compiles and evaluates the program of a seed; true where the compiler refused it.
fn run(seed: u64, options: &Options) -> Result<bool, Diagnostic> {
    let program = random_program(seed, 8, Values::Tame);
    let text = program.text.as_bytes();
    let inputs = Some(program.inputs);
    match verify("random.mlir", text, options, &Settings::default(), inputs) {
        Err(error) if REFUSED.contains(&error.code()) => Ok(true),
        Err(error) => Err(error.source_file("random.mlir", &program.text)),
        Ok(found) => match found.wrong() {
            None => Ok(false),
            Some((output, worst)) => {
                let reproducer = found.culprit.as_ref().map(|culprit| culprit.reproducer.as_str());
                let reason = format!(
                    "output {output} of\n{}\nis {worst:?}\n{}",
                    program.text,
                    reproducer.unwrap_or_default()
                );
                Err(Diagnostic::new(codes::S9005).reason(reason))
            }
        },
    }
}

#[test]
fn compiled_programs_compute_what_the_evaluator_does() {
    let first = number("STRATA_FUZZ_SEED", 0);
    let count = number("STRATA_FUZZ_CASES", 24);
    let options = Options::new(target::resolve(None, Some("native"), None).expect("this machine"));
    let mut failures = Vec::new();
    let mut refused = 0;
    for seed in first..first.saturating_add(count) {
        // Seen with --nocapture: the last one is at fault where the process dies.
        println!("seed {seed}");
        match run(seed, &options) {
            Ok(was_refused) => refused += u64::from(was_refused),
            Err(error) => failures.push(format!("seed {seed}: {}", error.render())),
        }
    }
    assert!(failures.is_empty(), "{} of {count} fail\n{}", failures.len(), failures.join("\n\n"));
    assert!(refused * 2 <= count, "{refused} of {count} programs are refused");
}

/// Found by seed 568: MLIR folds a pad into the fill that a second one begins with, without its strides.
#[test]
fn a_pad_in_front_of_one_with_gaps_keeps_its_place() {
    let program = b"func.func public @main(%x: tensor<2x3xi32>) -> tensor<7x9xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.pad %x, %z, low = [1, 1], high = [1, 0], interior = [0, 0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<4x4xi32>
      %1 = stablehlo.pad %0, %z, low = [0, 1], high = [0, 1], interior = [1, 1] : (tensor<4x4xi32>, tensor<i32>) -> tensor<7x9xi32>
      return %1 : tensor<7x9xi32>
    }";
    let options = Options::new(target::resolve(None, Some("native"), None).expect("this machine"));
    let found = verify("pads.mlir", program, &options, &Settings::default(), None)
        .unwrap_or_else(|error| panic!("{}", error.render()));
    assert!(found.wrong().is_none(), "{:?}", found.wrong());
}
