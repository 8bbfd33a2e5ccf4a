//! The program in the form of every stage, run by the interpreter: what it computes is what the evaluator does.

use std::path::{Path, PathBuf};

use strata::{Compiler, Observer, Product, Stage, StageInfo};
use strata_diag::{Diagnostic, codes};
use strata_interpreter::Program;

use crate::{harness::options, ops::Case};

/// The text after every stage that the interpreter runs.
#[derive(Default)]
struct Forms(Vec<(Stage, String)>);

impl Observer for Forms {
    fn stage_finished(
        &mut self,
        info: &StageInfo,
        product: &Product<'_, '_>,
        _: std::time::Duration,
    ) {
        if (Stage::Linalg..=Stage::Vector).contains(&info.stage) {
            self.0.push((info.stage, product.text().expect("a module")));
        }
    }
}

/// The bytes of the outputs of a dump.
fn run(text: &str, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Diagnostic> {
    let context = strata::new_context();
    let module = strata_ir::parse(&context, "dump.mlir", text.as_bytes()).expect("parses");
    Program::new(&module)?.run(inputs)
}

#[rstest::rstest]
fn every_stage_computes_what_the_evaluator_does(#[files("ops/**/input.mlir")] path: PathBuf) {
    check(&path);
}

#[rstest::rstest]
fn every_stage_of_programs_computes_what_the_evaluator_does(
    #[files("programs/**/*.mlir")] path: PathBuf,
) {
    check(&path);
}

#[track_caller]
fn check(path: &Path) {
    let case = Case::read(path);
    let mut forms = Forms::default();
    let bytes = std::fs::read(path).expect("the program");
    let artifact = Compiler::new(options("x86-64-v3"))
        .to(Stage::Vector)
        .observe(&mut forms)
        .compile("input.mlir", &bytes)
        .unwrap_or_else(|errors| panic!("{}: {errors}", path.display()));
    let evaluated = case.evaluate(artifact.signature().expect("a signature"));
    assert_eq!(forms.0.len(), 4, "stages from linalg to vector");
    for (stage, text) in forms.0 {
        let what = format!("{} at stage {stage}", path.display());
        match run(&text, &evaluated.inputs) {
            Ok(found) => case.assert_results(found, &evaluated.expected, &what),
            // What a program calls outside of itself is not in its dump.
            Err(error) if error.code() == codes::S1911 && text.contains("strata.call") => {}
            Err(error) => panic!("{what}: {}", error.render()),
        }
    }
}
