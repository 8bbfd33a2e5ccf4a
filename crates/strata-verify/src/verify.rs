//! `strata verify`: compiled code against the evaluator on random inputs.

use std::sync::Arc;

use strata::{Artifact, Compiler, Linked, Loaded, Options, Signature};
use strata_diag::{Diagnostic, codes};
use strata_eval::{
    ElementType, Evaluator, Session, Tensor, compare,
    verify::{Culprit, Tolerance, Values, first_difference},
};
use strata_ir::{self as ir, Context};

use crate::outside::outside;

/// What to try.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the random inputs start.
    pub seed: u64,
    /// How many sets of random inputs are tried, unless inputs are given.
    pub rounds: u64,
    /// Which values they hold; `None`: tame ones and wild ones in turn.
    pub values: Option<Values>,
    /// How far a result may be from the evaluated one.
    pub tolerance: Tolerance,
    /// The functions outside of the program.
    pub linked: Arc<Linked>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            rounds: 4,
            values: None,
            tolerance: Tolerance::default(),
            linked: Arc::default(),
        }
    }
}

/// How one output compares.
#[derive(Clone, Debug)]
pub struct OutputReport {
    /// The element that differs most, if any does.
    pub worst: Option<compare::Worst>,
    /// The element that is too far away, if any is.
    pub exceeded: Option<compare::Worst>,
}

/// One set of inputs.
#[derive(Clone, Debug)]
pub struct Round {
    /// What its inputs are.
    pub inputs: &'static str,
    /// The outputs in order.
    pub outputs: Vec<OutputReport>,
}

/// What was tried and found.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// The rounds up to the first that differs.
    pub rounds: Vec<Round>,
    /// The first operation that differs, where a round does and one can be named.
    pub culprit: Option<Culprit>,
}

impl Verification {
    /// The first output that is too far from the evaluated one, with its number.
    pub fn exceeded(&self) -> Option<(usize, &compare::Worst)> {
        self.rounds
            .iter()
            .flat_map(|round| round.outputs.iter().enumerate())
            .find_map(|(at, output)| output.exceeded.as_ref().map(|worst| (at, worst)))
    }
}

/// Runs a program compiled and evaluated, on the given inputs or on random ones.
///
/// # Errors
/// Where the program cannot be read, evaluated or compiled. A difference is no error here.
pub fn verify(
    name: &str,
    program: &[u8],
    options: &Options,
    settings: &Settings,
    inputs: Option<Vec<Tensor>>,
) -> Result<Verification, Diagnostic> {
    let context = ir::new_context();
    let module = strata_vhlo::parse(&context, name, program)
        .map_err(|errors| first(errors, "the program cannot be read"))?;
    let evaluator = Evaluator::new(&module)?;
    let entry = ir::function_name(ir::entry(&module, options.entry.as_deref())?).to_owned();
    // With locations: the culprit's is that in the user's file.
    let text = ir::print(&module, true);
    let options =
        Options { name: "verified".to_owned(), entry: Some(entry.clone()), ..options.clone() };
    let compiled =
        |text: &str, inputs: &[Tensor]| run_compiled(text, &options, &settings.linked, inputs);

    let mut verification = Verification::default();
    let given = inputs.is_some();
    for round in 0..if given { 1 } else { settings.rounds } {
        let (kind, tensors) =
            inputs_of_round(&evaluator, &entry, settings, round, inputs.as_deref())?;
        let mut session = Session::new(settings.seed);
        session.set_outside(outside(Arc::clone(&settings.linked)));
        let expected = evaluator.run(Some(&entry), &tensors, &session)?;
        let actual = compiled(&text, &tensors)?;
        let outputs = compare_outputs(&actual, &expected, settings.tolerance)?;
        let differs = outputs.iter().any(|output| output.exceeded.is_some());
        verification.rounds.push(Round { inputs: kind, outputs });
        if differs {
            verification.culprit =
                blame(&context, &text, &entry, &tensors, settings.tolerance, &compiled)?;
            break;
        }
    }
    Ok(verification)
}

/// The inputs of a round, and what they are called.
pub(crate) fn inputs_of_round(
    evaluator: &Evaluator,
    entry: &str,
    settings: &Settings,
    round: u64,
    given: Option<&[Tensor]>,
) -> Result<(&'static str, Vec<Tensor>), Diagnostic> {
    if let Some(tensors) = given {
        return Ok(("given", tensors.to_vec()));
    }
    let values = settings.values.unwrap_or(if round.is_multiple_of(2) {
        Values::Tame
    } else {
        Values::Wild
    });
    let kind = if values == Values::Tame { "tame" } else { "wild" };
    let seed = settings.seed.wrapping_add(round);
    Ok((kind, evaluator.random_inputs(Some(entry), values, seed)?))
}

fn blame(
    context: &Context,
    text: &str,
    entry: &str,
    inputs: &[Tensor],
    tolerance: Tolerance,
    compiled: &strata_eval::verify::Compiled<'_>,
) -> Result<Option<Culprit>, Diagnostic> {
    first_difference(context, text, entry, inputs, tolerance, compiled)
}

/// Each output beside its counterpart.
fn compare_outputs(
    actual: &[Tensor],
    expected: &[Tensor],
    tolerance: Tolerance,
) -> Result<Vec<OutputReport>, Diagnostic> {
    let wrong = |reason: String| Diagnostic::new(codes::S9005).reason(reason);
    if actual.len() != expected.len() {
        let reason = format!("{} outputs where there are {}", actual.len(), expected.len());
        return Err(wrong(reason));
    }
    actual
        .iter()
        .zip(expected)
        .map(|(actual, expected)| {
            let worst = compare::worst(actual, expected).map_err(|error| wrong(error.reason))?;
            let exceeded =
                tolerance.exceeded(actual, expected).map_err(|error| wrong(error.reason))?;
            Ok(OutputReport { worst, exceeded })
        })
        .collect()
}

/// Compiles a program, loads it and calls its entry.
fn run_compiled(
    text: &str,
    options: &Options,
    linked: &Linked,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, Diagnostic> {
    let artifact = Compiler::new(options.clone())
        .compile("program", text.as_bytes())
        .map_err(|errors| first(errors, "the program cannot be compiled"))?;
    run_object(&artifact, options, linked, inputs)
}

/// Loads an object and calls its entry.
pub(crate) fn run_object(
    artifact: &Artifact,
    options: &Options,
    linked: &Linked,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, Diagnostic> {
    let signature = artifact
        .signature()
        .ok_or_else(|| Diagnostic::new(codes::S9002).reason("the object has no signature"))?;
    let loaded = Loaded::linked(artifact.bytes(), options, signature, linked)?;
    let buffers: Vec<Vec<u8>> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
    let (status, outputs) = loaded.call_twice(&buffers)?;
    if status != 0 {
        return Err(Diagnostic::new(codes::S1805).reason(format!("the entry returned {status}")));
    }
    tensors(signature, outputs)
}

/// The bytes of outputs as what they are.
pub(crate) fn tensors(
    signature: &Signature,
    outputs: Vec<Vec<u8>>,
) -> Result<Vec<Tensor>, Diagnostic> {
    let refuse = || Diagnostic::new(codes::S9002).reason("an output has no known type");
    signature
        .outputs
        .iter()
        .zip(outputs)
        .map(|(spec, bytes)| {
            let shape: Vec<usize> = spec
                .shape
                .iter()
                .map(|size| usize::try_from(*size))
                .collect::<Result<_, _>>()
                .map_err(|_| refuse())?;
            let ty = ElementType::parse(&spec.element.to_string()).ok_or_else(refuse)?;
            Tensor::from_bytes(&shape, ty, bytes).map_err(|_| refuse())
        })
        .collect()
}

pub(crate) fn first(errors: strata_diag::Diagnostics, fallback: &'static str) -> Diagnostic {
    errors.into_iter().next().unwrap_or_else(|| Diagnostic::new(codes::S9001).reason(fallback))
}

#[cfg(test)]
mod tests {
    use strata::target;

    use super::*;

    const PROGRAM: &[u8] = b"func.func public @main(%x: tensor<5xf32>) -> tensor<5xf32> {
      %0 = stablehlo.multiply %x, %x : tensor<5xf32>
      %1 = stablehlo.negate %0 : tensor<5xf32>
      return %1 : tensor<5xf32>
    }";

    fn options() -> Options {
        Options::new(target::resolve(None, Some("native"), None).expect("this machine"))
    }

    #[test]
    fn right_code_is_verified() {
        let settings = Settings::default();
        let found = verify("x.mlir", PROGRAM, &options(), &settings, None)
            .unwrap_or_else(|error| panic!("{}", error.render()));
        assert_eq!(found.rounds.len(), 4);
        assert!(found.exceeded().is_none() && found.culprit.is_none());
        assert_eq!(found.rounds[1].inputs, "wild");
    }

    #[test]
    fn a_planted_difference_is_reported() {
        let expected = [Tensor::from_f32(&[2], &[1.0, 2.0])];
        let actual = [Tensor::from_f32(&[2], &[1.0, 2.5])];
        let reports = compare_outputs(&actual, &expected, Tolerance::default()).expect("types fit");
        let found = Verification {
            rounds: vec![Round { inputs: "given", outputs: reports }],
            culprit: None,
        };
        let (output, worst) = found.exceeded().expect("a difference");
        assert_eq!((output, worst.index.as_slice()), (0, &[1][..]));
        let missing = compare_outputs(&[], &expected, Tolerance::default());
        assert_eq!(missing.expect_err("an output is missing").code(), codes::S9005);
    }
}
