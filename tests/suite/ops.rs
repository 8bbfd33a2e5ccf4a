//! Minimal programs per operation: for the first a snapshot of every stage, for all a comparison of the object's
//! results with the evaluator's.
//!
//! Lines at the head of a program steer its numeric check:
//!
//! ```text
//! // ulp: 3            floating-point results may differ by so many units in the last place
//! // absolute: 1e-4     or an output by so much, where sums may cancel
//! // rms: 1e-6          or an output by such a part of its root mean square
//! // range: -2 9       integer inputs lie in this interval (default: all values of the type)
//! // plain             floating-point inputs hold no infinity, NaN or denormal
//! // uniform: 0 2      all elements of these outputs are equal, or NaN: what the case is about shows all the same
//! // either zero       a zero may have another sign
//! // any nan           a NaN may have other bits if tasks are done in another order
//! // expect: schedule "registers 6x16"     a nest of the snapshots' target has this schedule
//! ```
//!
//! Which results are NaN is compared in any case. An output that is the same everywhere, or NaN, can hardly be wrong: a case that
//! has one says so.

use std::{fs, path::Path};

use strata::{Compiler, ElementType, Options, Signature, Stage, Streaming, Tasks, TensorSpec};
use strata_eval::{Element, Evaluator, Session, Tensor, compare};

use crate::{
    external_calls,
    harness::{Loaded, compile, cpus, options, snapshot_options},
    programs::{snapshot_remarks, snapshot_stages},
};

#[rstest::rstest]
fn snapshots_of_every_stage(#[files("ops/*/input.mlir")] path: std::path::PathBuf) {
    snapshot_stages(&path);
}

#[rstest::rstest]
fn remarks_of_the_other_cases(#[files("ops/*/*/input.mlir")] path: std::path::PathBuf) {
    snapshot_remarks(&path);
}

#[rstest::rstest]
fn results_are_those_of_the_evaluator(#[files("ops/**/input.mlir")] path: std::path::PathBuf) {
    let case = Case::read(&path);
    for cpu in cpus() {
        // With all nests that can be cut into tasks, which calls take in any order, and all outputs written past the caches that can be,
        // but for one processor.
        let (tasks, streaming) = match cpu == cpus()[0] {
            true => (Tasks::Worthwhile, Streaming::Worthwhile),
            false => (Tasks::Always, Streaming::Always),
        };
        let artifact = compile(&path, Options { tasks, streaming, ..options(cpu) });
        let run = case.evaluate(artifact.signature().expect("a signature"));
        case.assert_telling(&run.expected, &path);
        let found = match artifact.foreign() {
            [] if case.rules.any_nan => Loaded::new(&artifact).call_with_any_nan(&run.inputs),
            [] => Loaded::new(&artifact).call(&run.inputs),
            _ => external_calls::call(&artifact, &options(cpu), &run.inputs, &run.session),
        };
        case.assert_results(found, &run.expected, &format!("{} on {cpu}", path.display()));
    }
    // Code that is not kept has no wrapper, and LLVM does less for it.
    let options = Options { in_process: true, ..options("native") };
    let artifact = compile(&path, options.clone());
    if artifact.foreign().is_empty() {
        let signature = artifact.signature().expect("a signature");
        let run = case.evaluate(signature);
        let loaded = strata_run::Loaded::new(artifact.bytes(), &options, signature);
        let loaded = loaded.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (status, found) = loaded.call(&run.inputs).expect("called");
        assert_eq!(status, 0, "{}", path.display());
        case.assert_results(found, &run.expected, &format!("{} in the process", path.display()));
    }
}

/// A case that exists for a schedule is about it only as long as the schedule is chosen.
#[rstest::rstest]
fn schedules_are_those_that_cases_are_about(
    #[files("ops/**/input.mlir")] path: std::path::PathBuf,
) {
    let case = Case::read(&path);
    if case.rules.schedules.is_empty() {
        return;
    }
    let scheduled = Compiler::new(snapshot_options())
        .to(Stage::Schedule)
        .compile("input.mlir", case.text.as_bytes())
        .expect("compiles");
    let text = String::from_utf8_lossy(scheduled.bytes());
    for name in &case.rules.schedules {
        let wanted = format!("strata.schedule = \"{name}\"");
        assert!(text.contains(&wanted), "{}: no nest has {wanted}", path.display());
    }
}

/// A program with the rules for its numeric check.
pub struct Case {
    text: String,
    rules: Rules,
}

/// What the evaluator made of a [`Case`].
pub struct Evaluated {
    /// The bytes of each input.
    pub inputs: Vec<Vec<u8>>,
    /// The outputs.
    pub expected: Vec<Tensor>,
    /// What the program sent to its host on the way.
    pub session: Session,
}

impl Case {
    #[track_caller]
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("the program");
        let rules = Rules::of(&text);
        Self { text, rules }
    }

    /// Runs the program on inputs for `signature`: the same ones each time.
    #[track_caller]
    pub fn evaluate(&self, signature: &Signature) -> Evaluated {
        let context = strata::new_context();
        let module =
            strata_ir::parse(&context, "input.mlir", self.text.as_bytes()).expect("parses");
        let evaluator = Evaluator::new(&module).expect("can be evaluated");
        let specs = signature.inputs.iter().zip(0..);
        let inputs: Vec<_> = specs.map(|(spec, seed)| self.rules.input(spec, seed)).collect();
        let tensors = evaluator.tensors_of_bytes(None, &inputs).expect("inputs fit");
        let mut session = Session::new(0);
        external_calls::serve(&mut session);
        let expected = evaluator.run(None, &tensors, &session).expect("evaluates");
        Evaluated { inputs, expected, session }
    }

    /// Fails unless the bytes of the outputs are as near to the evaluator's as the rules ask for.
    #[track_caller]
    pub fn assert_results(&self, found: Vec<Vec<u8>>, expected: &[Tensor], what: &str) {
        assert_eq!(found.len(), expected.len(), "{what}: outputs");
        for (index, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            let found = Tensor::from_bytes(expected.shape(), expected.element_type(), found)
                .expect("bytes of the output's type");
            let absolute = self.rules.rms.map(|part| part * root_mean_square(expected));
            let by_units = || compare::close(&found, expected, 0, self.rules.ulp);
            let outcome = match absolute.or(self.rules.absolute) {
                Some(tolerance) => {
                    compare::almost_equal(&found, expected, tolerance).or_else(|_| by_units())
                }
                None => by_units(),
            };
            if let Err(error) = outcome {
                panic!("{what}: output {index}: {error}");
            }
            if let Some(position) = other_zero(&found, expected).filter(|_| !self.rules.either_zero)
            {
                let found = found.get(position);
                panic!("{what}: output {index}: the zero at position {position} is {found}");
            }
        }
    }

    /// Fails for outputs that hardly depend on the inputs.
    #[track_caller]
    fn assert_telling(&self, expected: &[Tensor], path: &Path) {
        let uniform = |(_, tensor): &(usize, &Tensor)| is_uniform(tensor);
        let found: Vec<_> =
            expected.iter().enumerate().filter(uniform).map(|(index, _)| index).collect();
        let said = &self.rules.uniform;
        assert_eq!(
            &found,
            said,
            "{}: outputs whose elements are all equal, or NaN",
            path.display()
        );
    }
}

/// Whether all elements are equal, of which there are several, or NaN.
fn is_uniform(tensor: &Tensor) -> bool {
    let is_nan = |element: &Element| match element {
        Element::Float(value) => value.is_nan(),
        Element::Complex(value) => value.re.is_nan() && value.im.is_nan(),
        _ => false,
    };
    let elements = tensor.elements();
    let Some(first) = elements.first() else { return false };
    elements.iter().all(is_nan) || (elements.len() > 1 && elements.iter().all(|one| one == first))
}

/// Where a zero is found whose sign is not the expected one.
fn other_zero(found: &Tensor, expected: &Tensor) -> Option<usize> {
    let differ =
        |a: f64, b: f64| a == 0.0 && b == 0.0 && a.is_sign_negative() != b.is_sign_negative();
    (0..expected.len()).find(|position| match (found.get(*position), expected.get(*position)) {
        (Element::Float(a), Element::Float(b)) => differ(a, b),
        (Element::Complex(a), Element::Complex(b)) => differ(a.re, b.re) || differ(a.im, b.im),
        _ => false,
    })
}

/// Of the finite elements.
fn root_mean_square(tensor: &Tensor) -> f64 {
    let square = |element: Element| match element {
        Element::Float(value) => value * value,
        Element::Complex(value) => value.norm_sqr(),
        _ => f64::NAN,
    };
    let squares: Vec<_> =
        tensor.elements().into_iter().map(square).filter(|one| one.is_finite()).collect();
    (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt()
}

#[derive(Default)]
struct Rules {
    ulp: u64,
    absolute: Option<f64>,
    rms: Option<f64>,
    uniform: Vec<usize>,
    either_zero: bool,
    any_nan: bool,
    schedules: Vec<String>,
    range: Option<(i64, i64)>,
    plain: bool,
}

impl Rules {
    fn of(text: &str) -> Self {
        let mut rules = Self::default();
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let words: Vec<_> = line.split_whitespace().collect();
            match words.as_slice() {
                ["ulp:", ulp] => rules.ulp = ulp.parse().expect("a number"),
                ["absolute:", bound] => rules.absolute = Some(bound.parse().expect("a number")),
                ["range:", low, high] => {
                    let number = |word: &str| word.parse().expect("a number");
                    rules.range = Some((number(low), number(high)));
                }
                ["rms:", part] => rules.rms = Some(part.parse().expect("a number")),
                ["uniform:", outputs @ ..] => {
                    let number = |word: &&str| word.parse().expect("a number");
                    rules.uniform = outputs.iter().map(number).collect();
                }
                ["plain"] => rules.plain = true,
                ["either", "zero"] => rules.either_zero = true,
                ["any", "nan"] => rules.any_nan = true,
                ["expect:", "schedule", ..] => {
                    let name = line.split('"').nth(1).expect("a name");
                    rules.schedules.push(name.to_owned());
                }
                _ => panic!("unknown rule: {line}"),
            }
        }
        rules
    }

    /// The same bytes for the same type and position, whatever the machine.
    fn input(&self, spec: &TensorSpec, seed: u64) -> Vec<u8> {
        let mut state = 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed + 1);
        let mut bytes = Vec::new();
        let count = spec.element_count();
        for position in 0..count {
            // Where special values are too many for the tensor, every other element is one.
            let special = match count {
                _ if self.plain => None,
                0..=1 => None,
                2..16 if position % 2 == 0 => None,
                2..16 => Some(position / 2 + seed),
                _ if position < SPECIAL.len() as u64 => Some(position + seed),
                _ => None,
            };
            // Where all functions are defined: numbers of other sizes and signs are in larger tensors.
            let small = count == 1 || (count < 16 && position % 4 == 2);
            self.element(spec.element, Draw { special, small }, &mut state, &mut bytes);
        }
        bytes
    }

    fn element(&self, ty: ElementType, draw: Draw, state: &mut u64, bytes: &mut Vec<u8>) {
        let random = splitmix(state);
        match ty {
            ElementType::Bool => bytes.push((random & 1) as u8),
            ElementType::Signed(bits) | ElementType::Unsigned(bits) => {
                let value = match self.range {
                    Some((low, high)) => low + (random % (high - low + 1) as u64) as i64,
                    None => random as i64,
                };
                let signed = matches!(ty, ElementType::Signed(_));
                let value = narrow(value, bits, signed);
                bytes.extend_from_slice(&value.to_le_bytes()[..bits.div_ceil(8) as usize]);
            }
            ElementType::Float(64) => {
                bytes.extend_from_slice(&float(draw, random).to_le_bytes());
            }
            ElementType::Float(32) => {
                bytes.extend_from_slice(&(float(draw, random) as f32).to_le_bytes());
            }
            ElementType::Float(_) => {
                let value = half::f16::from_f64(float(draw, random));
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            ElementType::BFloat16 => {
                let value = half::bf16::from_f64(float(draw, random));
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            ElementType::SmallFloat(name) => {
                let bits = if name.starts_with("f4") {
                    4
                } else if name.starts_with("f6") {
                    6
                } else {
                    8
                };
                bytes.push((random & ((1 << bits) - 1)) as u8);
            }
            ElementType::Complex(bits) => {
                let part = ElementType::Float(bits / 2);
                self.element(part, draw, state, bytes);
                let special = draw.special.map(|number| number + 3);
                self.element(part, Draw { special, ..draw }, state, bytes);
            }
        }
    }
}

/// The values that are looked at whatever the operation.
const SPECIAL: [f64; 7] = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -1.0];

/// How a floating-point number is drawn.
#[derive(Clone, Copy)]
struct Draw {
    /// The number of a special value.
    special: Option<u64>,
    /// Between 0 and 1.
    small: bool,
}

/// A special value, or one in [-4, 4), of which a quarter are halves of integers.
fn float(draw: Draw, random: u64) -> f64 {
    if let Some(number) = draw.special {
        return SPECIAL[(number % SPECIAL.len() as u64) as usize];
    }
    let part = (random >> 11) as f64 / (1u64 << 53) as f64;
    if draw.small {
        return part;
    }
    let value = part * 8.0 - 4.0;
    if random & 3 == 0 { (value * 2.0).round() / 2.0 } else { value }
}

/// The low bits as the type's value: sub-byte integers are stored extended to a byte.
fn narrow(value: i64, bits: u32, signed: bool) -> i64 {
    let shift = 64 - bits;
    if signed { value << shift >> shift } else { ((value as u64) << shift >> shift) as i64 }
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Every folder of `tests/ops` holds a program: a stray folder would be a case that is not run.
#[test]
fn every_folder_holds_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("ops");
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        let entries: Vec<_> = fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        let inner: Vec<_> = entries.iter().filter(|path| path.is_dir()).cloned().collect();
        let holds = entries.iter().any(|path| path.ends_with("input.mlir"));
        assert!(holds || !inner.is_empty(), "{} holds no program", folder.display());
        folders.extend(inner);
    }
}
