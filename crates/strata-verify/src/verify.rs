//! `strata verify`: compiled code against the evaluator on random inputs.

use std::{cell::RefCell, fmt, sync::Arc};

use crate::{
    bisect::{Culprit, Sides, first_difference},
    devices,
    judge::{Judgement, Tolerance},
};
use strata::Options;
use strata_diag::{Diagnostic, codes};
use strata_eval::{Evaluator, Session, Tensor, Values, compare};
use strata_ir as ir;
use strata_run::Linked;

use crate::{DynamicObject, Object, constrained_inputs, external::outside, shapes::input_shapes};

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The seed of the random inputs.
    pub seed: u64,
    /// How many sets of random inputs are tried, unless inputs are given.
    pub rounds: u64,
    /// Which values they hold; `None`: tame ones and wild ones alternately.
    pub values: Option<Values>,
    /// The tolerance.
    pub tolerance: Tolerance,
    /// The external functions.
    pub linked: Arc<Linked>,
    /// Hears what is being done.
    pub progress: Progress,
}

/// Takes a line on what is being done.
type Tell = dyn Fn(&str) + Send + Sync;

/// What hears of the work that begins, as `round 1 of 4: compiling`.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Tell>>);

impl Progress {
    /// Has `hear` called.
    pub fn new(hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(hear)))
    }

    pub(crate) fn tell(&self, text: &str) {
        if let Some(hear) = &self.0 {
            hear(text);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            rounds: 4,
            values: None,
            tolerance: Tolerance::default(),
            linked: Arc::default(),
            progress: Progress::default(),
        }
    }
}

impl Settings {
    /// The evaluator's environment: that of the compiled code, and a seed for noise. `part` is the part of the work that needs it.
    pub(crate) fn session(&self, noise: Option<u64>, part: &str) -> Session {
        let mut session = Session::new(self.seed);
        if let Some(seed) = noise {
            session.add_noise(seed);
        }
        session.set_outside(outside(Arc::clone(&self.linked)));
        if self.progress.0.is_some() {
            let (progress, part) = (self.progress.clone(), part.to_owned());
            let with =
                noise.map(|seed| format!(" with rounding noise, {}", seed + 1)).unwrap_or_default();
            session.set_watch(Arc::new(move |name, number, count| {
                progress.tell(&format!(
                    "{part}: evaluating{with}, operation {number} of {count} ({name})"
                ));
            }));
        }
        session
    }
}

/// How one output compares.
#[derive(Clone, Debug)]
pub struct OutputReport {
    /// The element that differs most, if any does.
    pub worst: Option<compare::Worst>,
    /// The verdict.
    pub judgement: Judgement,
}

/// One set of inputs.
#[derive(Clone, Debug)]
pub struct Round {
    /// The names of its inputs.
    pub inputs: &'static str,
    /// The outputs in order.
    pub outputs: Vec<OutputReport>,
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// The rounds up to the first that differs.
    pub rounds: Vec<Round>,
    /// The first operation that differs, if one can be named.
    pub culprit: Option<Culprit>,
}

impl Verification {
    /// The first output that is wrong, with its number.
    pub fn wrong(&self) -> Option<(usize, &compare::Worst)> {
        self.first(|judgement| judgement.wrong.as_ref())
    }

    /// The first output that is further from the evaluated one than expected, without a proof that it is wrong.
    pub fn unsure(&self) -> Option<(usize, &compare::Worst)> {
        self.first(|judgement| judgement.unsure.as_ref())
    }

    /// The code of the result.
    pub fn code(&self) -> Option<strata_diag::Code> {
        match (self.wrong(), self.unsure()) {
            (Some(_), _) => Some(codes::S9005),
            (None, Some(_)) => Some(codes::S1914),
            (None, None) => None,
        }
    }

    fn first(
        &self,
        of: impl Fn(&Judgement) -> Option<&compare::Worst>,
    ) -> Option<(usize, &compare::Worst)> {
        self.rounds
            .iter()
            .flat_map(|round| round.outputs.iter().enumerate())
            .find_map(|(at, output)| of(&output.judgement).map(|worst| (at, worst)))
    }
}

/// Runs a program compiled and evaluated, on the given inputs or on random ones. Where the options leave sizes open it is one object
/// with dynamic dimensions, called at other sizes in each round.
///
/// # Errors
/// Where the program cannot be read, evaluated or compiled. A difference is not an error here.
pub fn verify(
    name: &str,
    program: &[u8],
    options: &Options,
    settings: &Settings,
    inputs: Option<Vec<Tensor>>,
) -> Result<Verification, Diagnostic> {
    let context = ir::new_context();
    let module = read(&context, name, program, options)?;
    ir::check_devices(&module)?;
    let entry = ir::function_name(ir::entry(&module, options.entry.as_deref())?).to_owned();
    if ir::is_split(&module) || devices::communicates(&module) {
        ir::Devices::of(ir::module_op(&module)).check_threads()?;
    }
    // With locations, so that the location is that in the user's file.
    let text = ir::print(&module, true);
    let options =
        Options { name: "verified".to_owned(), entry: Some(entry.clone()), ..options.clone() };
    let is_open = input_shapes(name, program, &options, settings.seed)?.is_some();
    let part = RefCell::new(String::new());
    let drawn = options.clone();
    let is_dynamic = !options.max.is_empty() || (options.open && is_open);
    let bounded = is_dynamic.then(|| {
        settings.progress.tell("compiling");
        DynamicObject::new(&text, &options, &settings.linked)
    });
    let bounded = bounded.transpose()?;
    // The first operation that differs is looked for at the sizes of the inputs.
    let options = Options { max: Vec::new(), specialize: Vec::new(), open: false, ..options };
    let compiled = |text: &str, inputs: &[Tensor]| {
        settings.progress.tell(&format!("{}: compiling", part.borrow()));
        let mut options = options.clone();
        options.input_shapes = is_open.then(|| shapes_of(inputs));
        Object::new(text, &options, &settings.linked)?.call(inputs)
    };

    let reference = |module: &ir::Module<'_>, entry: &str, inputs: &[Tensor], noise| {
        let session = settings.session(noise, &part.borrow());
        let evaluator = Evaluator::new(module)?;
        devices::evaluate(&evaluator, module, Some(entry), inputs, &session)
    };
    let sides = Sides { compiled: &compiled, reference: &reference, tolerance: settings.tolerance };

    let mut verification = Verification::default();
    let given = inputs.is_some();
    let rounds = if given { 1 } else { settings.rounds };
    for round in 0..rounds {
        *part.borrow_mut() = format!("round {} of {rounds}", round + 1);
        let (kind, tensors) =
            inputs_of_round((name, program), &drawn, settings, round, inputs.as_deref())?;
        let expected = reference(&module, &entry, &tensors, None)?;
        let actual = match &bounded {
            Some(object) => match object.call(&tensors)? {
                Some(outputs) => outputs,
                None => return Err(refused(&tensors, object.refusal(&tensors)?)),
            },
            None => compiled(&text, &tensors)?,
        };
        let judged = sides.judge(&module, &entry, &tensors, [&actual, &expected])?;
        let outputs = reports(&actual, &expected, judged)?;
        let differs = outputs.iter().any(|output| output.judgement.wrong.is_some());
        verification.rounds.push(Round { inputs: kind, outputs });
        if differs {
            *part.borrow_mut() = "searching for the first operation that differs".to_owned();
            // That parts of a program cannot be compiled or written down must not hide that it differs.
            let culprit = first_difference(&context, &text, &entry, &tensors, sides);
            verification.culprit = culprit.unwrap_or_default();
            break;
        }
    }
    Ok(verification)
}

/// What an object says of inputs whose sizes it does not take.
pub(crate) fn refused(inputs: &[Tensor], why: Option<String>) -> Diagnostic {
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let shapes: Vec<String> = shapes_of(inputs).iter().map(|shape| format!("{shape:?}")).collect();
    Diagnostic::new(codes::S1106)
        .reason(format!("the object does not take inputs of the shapes {}{why}", shapes.join(", ")))
        .hint("`--max` gives the largest sizes that it takes")
}

/// Reads a program, and has it mean what the options say.
///
/// # Errors
/// Where the program cannot be read.
pub(crate) fn read<'c>(
    context: &'c ir::Context,
    name: &str,
    program: &[u8],
    options: &Options,
) -> Result<ir::Module<'c>, Diagnostic> {
    let module = strata_vhlo::parse(context, name, program)
        .map_err(|errors| first(errors, "the program cannot be read"))?;
    strata_sharding::gspmd::read(context, &module)?;
    options.settle_meaning(context, &module);
    Ok(module)
}

/// Random inputs of a program, as for [`verify`]: equal seeds give equal ones.
///
/// # Errors
/// Where the program cannot be read, or has no such entry.
pub fn random_inputs(
    name: &str,
    program: &[u8],
    options: &Options,
    values: Values,
    seed: u64,
) -> Result<Vec<Tensor>, Diagnostic> {
    let context = ir::new_context();
    let module = read(&context, name, program, options)?;
    let entry = ir::function_name(ir::entry(&module, options.entry.as_deref())?).to_owned();
    let shapes = input_shapes(name, program, options, seed)?;
    let evaluator = Evaluator::new(&module)?;
    let mut tensors = evaluator.random_inputs_of(Some(&entry), shapes.as_deref(), values, seed)?;
    constrained_inputs::restrict(&module, &entry, &mut tensors, seed);
    Ok(tensors)
}

/// The shapes of tensors.
pub fn shapes_of(tensors: &[Tensor]) -> Vec<Vec<i64>> {
    let shape = |tensor: &Tensor| tensor.shape().iter().map(|size| *size as i64).collect();
    tensors.iter().map(shape).collect()
}

/// The inputs of a round, and what they are called.
pub(crate) fn inputs_of_round(
    (name, program): (&str, &[u8]),
    options: &Options,
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
    Ok((kind, random_inputs(name, program, options, values, seed)?))
}

/// Compares each output with its counterpart.
fn reports(
    actual: &[Tensor],
    expected: &[Tensor],
    judged: Vec<Judgement>,
) -> Result<Vec<OutputReport>, Diagnostic> {
    let wrong = |reason: String| Diagnostic::new(codes::S9005).reason(reason);
    let outputs = actual.iter().zip(expected).zip(judged);
    outputs
        .map(|((actual, expected), judgement)| {
            let worst = compare::worst(actual, expected).map_err(|error| wrong(error.reason))?;
            Ok(OutputReport { worst, judgement })
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
        assert!(found.wrong().is_none() && found.unsure().is_none() && found.culprit.is_none());
        assert_eq!(found.rounds[1].inputs, "wild");
    }

    #[test]
    fn progress_names_the_round_and_the_operation() {
        let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
        let hears = Arc::clone(&heard);
        let progress =
            Progress::new(move |text| hears.lock().expect("no panic").push(text.to_owned()));
        let settings = Settings { rounds: 2, progress, ..Settings::default() };
        verify("x.mlir", PROGRAM, &options(), &settings, None).expect("verified");
        let heard = heard.lock().expect("no panic").clone();
        let expected = [
            "round 1 of 2: evaluating, operation 1 of 2 (stablehlo.multiply)",
            "round 1 of 2: evaluating, operation 2 of 2 (stablehlo.negate)",
            "round 1 of 2: compiling",
        ];
        assert_eq!(heard[..3], expected);
        assert!(heard.contains(&"round 2 of 2: compiling".to_owned()), "{heard:?}");
    }

    /// A compiler that computes `value` for 2, which noise changes by `spread`.
    fn planted(outputs: usize, value: f32, spread: f32) -> Result<Verification, Diagnostic> {
        let context = ir::new_context();
        let module = ir::parse(&context, "x.mlir", PROGRAM).expect("parses");
        let expected = [Tensor::from_f32(&[2], &[1.0, 2.0])];
        let actual = [Tensor::from_f32(&[2], &[1.0, value])];
        let reference = |_: &ir::Module<'_>, _: &str, _: &[Tensor], noise: Option<u64>| {
            let moved = if noise.is_some() { 2.0 + spread } else { 2.0 };
            Ok(vec![Tensor::from_f32(&[2], &[1.0, moved])])
        };
        let compiled = |_: &str, _: &[Tensor]| Ok(Vec::new());
        let tolerance = Tolerance::default();
        let sides = Sides { compiled: &compiled, reference: &reference, tolerance };
        let judged = sides.judge(&module, "main", &[], [&actual[..outputs], &expected])?;
        let outputs = reports(&actual, &expected, judged)?;
        Ok(Verification { rounds: vec![Round { inputs: "given", outputs }], culprit: None })
    }

    #[test]
    fn a_planted_difference_is_reported() {
        let found = planted(1, 2.5, 0.0).expect("types fit");
        let (output, worst) = found.wrong().expect("a difference");
        assert_eq!((output, worst.index.as_slice()), (0, &[1][..]));
        let missing = planted(0, 2.5, 0.0);
        assert_eq!(missing.expect_err("an output is missing").code(), codes::S9005);
    }

    #[test]
    fn a_difference_in_ill_conditioned_results_proves_nothing() {
        let found = planted(1, 2.5, 0.01).expect("types fit");
        assert_eq!(found.code(), Some(codes::S1914));
        assert_eq!(found.unsure().expect("a difference").1.index, [1]);
        let found = planted(1, 2.05, 0.01).expect("types fit");
        assert!(found.wrong().is_none() && found.unsure().is_none());
    }

    #[track_caller]
    fn no_difference(program: &str, inputs: Option<Vec<Tensor>>) {
        let settings = Settings { rounds: 8, ..Settings::default() };
        let found = verify("x.mlir", program.as_bytes(), &options(), &settings, inputs)
            .unwrap_or_else(|error| panic!("{}", error.render()));
        assert!(found.wrong().is_none() && found.unsure().is_none(), "{:?}", found.rounds);
    }

    #[test]
    fn sums_may_overflow_in_another_order() {
        let program = "func.func public @main(%x: tensor<5x67xf32>, %y: tensor<67x3xf32>) -> (tensor<5xf32>, tensor<5x3xf32>) {
          %z = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<5x67xf32>, tensor<f32>) -> tensor<5xf32>
          %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x67xf32>, tensor<67x3xf32>) -> tensor<5x3xf32>
          return %0, %1 : tensor<5xf32>, tensor<5x3xf32>
        }";
        no_difference(program, None);
        // Some orders overflow and some do not.
        let large = |at: usize| if at.is_multiple_of(2) { 3e38 } else { -3e38 };
        let x: Vec<f32> = (0..5 * 67).map(|at| large(at / 7)).collect();
        let y = vec![1.0; 67 * 3];
        let inputs = vec![Tensor::from_f32(&[5, 67], &x), Tensor::from_f32(&[67, 3], &y)];
        no_difference(program, Some(inputs));
    }

    /// From the end on: in the given order two large terms are infinite before a term that is the other infinity.
    #[test]
    fn running_sums_may_overflow_in_another_order() {
        for (element, large) in [("f32", 3.4e38), ("f64", 1.7e308)] {
            let program = format!(
                "func.func public @main(%x: tensor<40x{element}>) -> tensor<40x{element}> {{
                  %z = stablehlo.constant dense<0.0> : tensor<{element}>
                  %0 = \"stablehlo.reduce_window\"(%x, %z) <{{padding = dense<[[0, 39]]> : tensor<1x2xi64>, window_dimensions = array<i64: 40>}}> ({{
                  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
                    %s = stablehlo.add %a, %b : tensor<{element}>
                    stablehlo.return %s : tensor<{element}>
                  }}) : (tensor<40x{element}>, tensor<{element}>) -> tensor<40x{element}>
                  return %0 : tensor<40x{element}>
                }}"
            );
            let term = |at: usize| match at {
                3 | 9 => large,
                31 => f64::NEG_INFINITY,
                _ => at as f64,
            };
            let x = match element {
                "f32" => {
                    Tensor::from_f32(&[40], &(0..40).map(|at| term(at) as f32).collect::<Vec<_>>())
                }
                _ => Tensor::from_f64(&[40], &(0..40).map(term).collect::<Vec<_>>()),
            };
            no_difference(&program, Some(vec![x]));
        }
    }

    #[test]
    fn functions_near_their_zeros_are_compared_by_their_condition() {
        let program = "func.func public @main(%x: tensor<67xf32>) -> (tensor<67xf32>, tensor<67xf32>, tensor<67xi32>) {
          %0 = stablehlo.exponential %x : tensor<67xf32>
          %1 = stablehlo.sine %0 : tensor<67xf32>
          %2 = chlo.lgamma %0 : tensor<67xf32> -> tensor<67xf32>
          %c = stablehlo.constant dense<1.0e5> : tensor<67xf32>
          %3 = stablehlo.multiply %1, %c : tensor<67xf32>
          %4 = stablehlo.convert %3 : (tensor<67xf32>) -> tensor<67xi32>
          return %1, %2, %4 : tensor<67xf32>, tensor<67xf32>, tensor<67xi32>
        }";
        no_difference(program, None);
        let x: Vec<f32> = (0..67u8).map(|at| f32::from(at) / 6.0).collect();
        no_difference(program, Some(vec![Tensor::from_f32(&[67], &x)]));
    }

    /// A running sum along the second dimension, of which the size is open.
    const RUNNING_SUM: &str = "func.func public @main(%x: tensor<64x?xf32> loc(\"x\")) -> tensor<64x?xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %no = stablehlo.constant dense<0> : tensor<1xi32>
      %minus = stablehlo.constant dense<-1> : tensor<1xi32>
      %ones = stablehlo.constant dense<1> : tensor<2xi32>
      %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<64x?xf32>) -> tensor<i32>
      %columns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %low = stablehlo.add %columns, %minus : tensor<1xi32>
      %window = stablehlo.concatenate %one, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %list = stablehlo.concatenate %no, %no, %low, %no, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
      %padding = stablehlo.reshape %list : (tensor<4xi32>) -> tensor<2x2xi32>
      %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<64x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<64x?xf32>
      return %r : tensor<64x?xf32>
    }
    func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %sum = stablehlo.add %a, %b : tensor<f32>
      return %sum : tensor<f32>
    }";

    #[test]
    fn running_sums_of_open_sizes_are_judged_by_their_condition() {
        let options = Options { open: true, max: vec![("x.1".to_owned(), 40)], ..options() };
        let x: Vec<f32> =
            (0..64 * 33).map(|at| ((at * 7919 % 1009) as f32 - 504.0) / 3.0).collect();
        let inputs = vec![Tensor::from_f32(&[64, 33], &x)];
        let settings = Settings::default();
        let found = verify("x.mlir", RUNNING_SUM.as_bytes(), &options, &settings, Some(inputs))
            .unwrap_or_else(|error| panic!("{}", error.render()));
        // Sums near zero are off by many units, as another order of their terms is.
        let worst = found.rounds[0].outputs[0].worst.as_ref().expect("rounded otherwise");
        assert!(worst.distance > settings.tolerance.ulps, "{worst:?}");
        assert!(found.wrong().is_none() && found.unsure().is_none(), "{worst:?}");
    }

    #[test]
    fn a_part_that_cannot_be_compiled_hides_no_difference() {
        // Cut after an operation before the sum, the window is a result, and no constant.
        let options = Options { open: true, max: vec![("x.1".to_owned(), 40)], ..options() };
        let settings = Settings {
            tolerance: Tolerance { ulps: 0, ..Tolerance::default() },
            ..Settings::default()
        };
        let mut x = vec![0.1_f32; 64 * 33];
        x[0] = 3e38;
        x[1] = 3e38;
        x[20] = -3e38;
        x[21] = -3e38;
        let inputs = vec![Tensor::from_f32(&[64, 33], &x)];
        let found = verify("x.mlir", RUNNING_SUM.as_bytes(), &options, &settings, Some(inputs));
        let found = found.unwrap_or_else(|error| panic!("{}", error.render()));
        assert!(found.wrong().is_some(), "{:?}", found.rounds);
    }

    #[test]
    fn sizes_of_groups_are_sizes_of_groups() {
        let program = "func.func public @main(%lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>, %sizes: tensor<3xi32>) -> tensor<11x7xf32> {
          %0 = func.call @product(%sizes, %lhs, %rhs) : (tensor<3xi32>, tensor<11x5xf32>, tensor<3x5x7xf32>) -> tensor<11x7xf32>
          return %0 : tensor<11x7xf32>
        }
        func.func private @product(%s: tensor<3xi32>, %lhs: tensor<11x5xf32>, %rhs: tensor<3x5x7xf32>) -> tensor<11x7xf32> {
          %sizes = stablehlo.convert %s : (tensor<3xi32>) -> tensor<3xi64>
          %0 = \"chlo.ragged_dot\"(%lhs, %rhs, %sizes) <{
            precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>],
            ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
          }> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
          return %0 : tensor<11x7xf32>
        }";
        no_difference(program, None);
    }
}
