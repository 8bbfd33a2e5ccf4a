//! Minimal programs per operation: for the first a snapshot of every stage, for all the object's results beside
//! the evaluator's.
//!
//! Lines at the head of a program steer its numeric check:
//!
//! ```text
//! // ulp: 3            floating-point results may differ by so many units in the last place
//! // absolute: 1e-4     or by so much, where sums may cancel
//! // range: -2 9       integer inputs lie in this interval (default: all values of the type)
//! // plain             floating-point inputs hold no infinity, NaN or denormal
//! ```

use std::{fs, path::Path};

use strata::{ElementType, Signature, TensorSpec};
use strata_eval::{Evaluator, Session, Tensor, compare};

use crate::{
    harness::{Loaded, compile, cpus, options},
    outside,
    programs::snapshot_stages,
};

#[rstest::rstest]
fn snapshots_of_every_stage(#[files("ops/*/input.mlir")] path: std::path::PathBuf) {
    snapshot_stages(&path);
}

#[rstest::rstest]
fn results_are_those_of_the_evaluator(#[files("ops/**/input.mlir")] path: std::path::PathBuf) {
    let case = Case::read(&path);
    for cpu in cpus() {
        let artifact = compile(&path, options(cpu));
        let run = case.evaluate(artifact.signature().expect("a signature"));
        let found = match artifact.foreign() {
            [] => Loaded::new(&artifact).call(&run.inputs),
            _ => outside::call(&artifact, &options(cpu), &run.inputs, &run.session),
        };
        case.assert_results(found, &run.expected, &format!("{} on {cpu}", path.display()));
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
        outside::serve(&mut session);
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
            let outcome = match self.rules.absolute {
                Some(tolerance) => compare::almost_equal(&found, expected, tolerance),
                None => compare::close(&found, expected, 0, self.rules.ulp),
            };
            if let Err(error) = outcome {
                panic!("{what}: output {index}: {error}");
            }
        }
    }
}

struct Rules {
    ulp: u64,
    absolute: Option<f64>,
    range: Option<(i64, i64)>,
    plain: bool,
}

impl Rules {
    fn of(text: &str) -> Self {
        let mut rules = Self { ulp: 0, absolute: None, range: None, plain: false };
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let words: Vec<_> = line.split_whitespace().collect();
            match words.as_slice() {
                ["ulp:", ulp] => rules.ulp = ulp.parse().expect("a number"),
                ["absolute:", bound] => rules.absolute = Some(bound.parse().expect("a number")),
                ["range:", low, high] => {
                    let number = |word: &str| word.parse().expect("a number");
                    rules.range = Some((number(low), number(high)));
                }
                ["plain"] => rules.plain = true,
                _ => panic!("unknown rule: {line}"),
            }
        }
        rules
    }

    /// The same bytes for the same type and position, whatever the machine.
    fn input(&self, spec: &TensorSpec, seed: u64) -> Vec<u8> {
        let mut state = 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed + 1);
        let mut bytes = Vec::new();
        for position in 0..spec.element_count() {
            self.element(spec.element, position, &mut state, &mut bytes);
        }
        bytes
    }

    fn element(&self, ty: ElementType, position: u64, state: &mut u64, bytes: &mut Vec<u8>) {
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
                bytes.extend_from_slice(&self.float(position, random).to_le_bytes());
            }
            ElementType::Float(32) => {
                bytes.extend_from_slice(&(self.float(position, random) as f32).to_le_bytes());
            }
            ElementType::Float(_) => {
                let value = half::f16::from_f64(self.float(position, random));
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            ElementType::BFloat16 => {
                let value = half::bf16::from_f64(self.float(position, random));
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
                self.element(part, position, state, bytes);
                self.element(part, position + 3, state, bytes);
            }
        }
    }

    /// In [-4, 4), a quarter of them halves of integers, and the special values first.
    fn float(&self, position: u64, random: u64) -> f64 {
        const SPECIAL: [f64; 7] =
            [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -1.0];
        if !self.plain
            && let Some(special) = SPECIAL.get(position as usize)
        {
            return *special;
        }
        let value = (random >> 11) as f64 / (1u64 << 53) as f64 * 8.0 - 4.0;
        if random & 3 == 0 { (value * 2.0).round() / 2.0 } else { value }
    }
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
