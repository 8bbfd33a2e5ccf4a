//! Ways to compile a program, each compared with the reference evaluator.

use std::panic::{AssertUnwindSafe, catch_unwind};

use strata::{Artifact, Compiler, OptLevel, Options, Stage, Streaming, Tasks, target};
use strata_diag::{Code, Diagnostic, codes};
use strata_eval::{Evaluator, Session, Tensor, Values};
use strata_ir as ir;
use strata_run::Linked;
use strata_verify::{Dump, Levels, Object, Settings, evaluate_split, judge_all, verify_stages};

use crate::{
    bounded,
    emulated::{self, Host},
    rewrite, schedules,
    source::Case,
    split,
};

/// Codes with which the compiler may reject a program.
const REFUSED: &[Code] = &[codes::S1101, codes::S1102, codes::S1103, codes::S1201];

/// One way to compile a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// For this machine, with all optimisations.
    Native,
    /// For this machine, without optimisation.
    Unoptimized,
    /// For this machine, as JAX's plugin compiles: code for this process, with less work where it is short.
    InProcess,
    /// For the CPU levels of this machine, alternately.
    OtherCpu,
    /// For this machine, with every possible nest split into tasks.
    Tasks,
    /// Inputs are donated to outputs.
    Donated,
    /// All values are outputs, too.
    Returned,
    /// Each output is returned twice.
    Doubled,
    /// A part of the program is outlined to a function.
    Outlined,
    /// Values are transposed and transposed back, with barriers in between.
    Transposed,
    /// With another schedule than the compiler's own.
    Rescheduled,
    /// After every stage, each compared with the one before it.
    Stages,
    /// For AArch64, under emulation.
    Emulated,
    /// As one object for all sizes up to bounds, or any number of batch elements, called at many sizes.
    Bounded,
    /// Its values are split over devices, as random shardings say: what stage `spmd` makes of it is evaluated on all of them, and every
    /// fourth program is compiled and run, without LLVM's optimisations.
    Split,
    /// It is rejected or compiled, whatever it computes.
    Compiles,
}

/// All oracles.
pub const ORACLES: &[Oracle] = &[
    Oracle::Native,
    Oracle::Unoptimized,
    Oracle::InProcess,
    Oracle::OtherCpu,
    Oracle::Tasks,
    Oracle::Donated,
    Oracle::Returned,
    Oracle::Doubled,
    Oracle::Outlined,
    Oracle::Transposed,
    Oracle::Rescheduled,
    Oracle::Stages,
    Oracle::Emulated,
    Oracle::Bounded,
    Oracle::Split,
    Oracle::Compiles,
];

/// Those that suit programs that exchange values between devices, beside the usual one.
pub const EXCHANGING: [Oracle; 3] = [Oracle::Unoptimized, Oracle::OtherCpu, Oracle::Tasks];

/// Those that alternate with the usual one; the first three also suit programs of one operation.
pub const TURNS: &[Oracle] = &[
    Oracle::Unoptimized,
    Oracle::InProcess,
    Oracle::OtherCpu,
    Oracle::Tasks,
    Oracle::Donated,
    Oracle::Returned,
    Oracle::Doubled,
    Oracle::Outlined,
    Oracle::Transposed,
    Oracle::Split,
];

/// Those that cost more than all others together, with how many programs share one run.
const RARE: &[(u64, Oracle)] =
    &[(64, Oracle::Emulated), (16, Oracle::Stages), (8, Oracle::Rescheduled)];

/// The oracle for a program with this seed, other than the usual one.
pub fn beside(turns: &[Oracle], seed: u64) -> Oracle {
    let is_possible = |oracle| oracle != Oracle::Emulated || emulated::is_possible();
    let rare =
        RARE.iter().find(|(every, oracle)| seed % every == every - 1 && is_possible(*oracle));
    rare.map_or_else(|| turns[(seed % turns.len() as u64) as usize], |(_, oracle)| *oracle)
}

/// Another way to write a program, drawn from a seed.
type Rewrite = for<'c> fn(&'c ir::Context, &ir::Module<'c>, u64) -> Result<(), Diagnostic>;

/// The outcome for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All results are within tolerance.
    Agrees,
    /// The compiler refused the program with this code.
    Refused(Code),
}

impl Oracle {
    /// Its name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Unoptimized => "unoptimized",
            Self::InProcess => "in-process",
            Self::OtherCpu => "other-cpu",
            Self::Tasks => "tasks",
            Self::Donated => "donated",
            Self::Returned => "returned",
            Self::Doubled => "doubled",
            Self::Outlined => "outlined",
            Self::Transposed => "transposed",
            Self::Rescheduled => "rescheduled",
            Self::Stages => "stages",
            Self::Emulated => "emulated",
            Self::Bounded => "bounded",
            Self::Split => "split",
            Self::Compiles => "compiles",
        }
    }

    /// The oracle of a name.
    pub fn of(name: &str) -> Option<Self> {
        ORACLES.iter().copied().find(|oracle| oracle.name() == name)
    }

    pub(crate) fn options(self, text: &str, seed: u64) -> Result<Options, Diagnostic> {
        let of = |cpus: &[&'static str]| cpus[(seed / 64 % cpus.len() as u64) as usize];
        let (triple, cpu) = match self {
            Self::OtherCpu => (None, of(&levels())),
            Self::Emulated => (Some(emulated::TRIPLE), of(&emulated::CPUS)),
            _ => (None, "native"),
        };
        let mut options = Options::new(target::resolve(triple, Some(cpu), None)?);
        options.name = "fuzzed".to_owned();
        // Compiling costs most of the time of `split`, which is about what comes before.
        if matches!(self, Self::Unoptimized | Self::Split) {
            options.opt_level = OptLevel::None;
        }
        options.in_process = self == Self::InProcess;
        // Comparing stages also finds data races between tasks.
        if matches!(self, Self::Tasks | Self::Stages) {
            options.tasks = Tasks::Always;
            options.streaming = Streaming::Always;
        }
        if self == Self::Rescheduled {
            options.schedule = Some(schedules::other(text, &options, seed)?);
        }
        Ok(options)
    }

    /// The program as this oracle compiles it; `None` where that is the program itself.
    fn rewritten(self, text: &str, seed: u64) -> Result<Option<String>, Diagnostic> {
        let rewrite: Rewrite = match self {
            Self::Native
            | Self::Unoptimized
            | Self::InProcess
            | Self::OtherCpu
            | Self::Tasks
            | Self::Rescheduled
            | Self::Stages
            | Self::Emulated
            | Self::Bounded
            | Self::Compiles => return Ok(None),
            Self::Donated => rewrite::donated,
            Self::Returned => rewrite::returned,
            Self::Doubled => rewrite::doubled,
            Self::Outlined => rewrite::outlined,
            Self::Transposed => rewrite::transposed,
            Self::Split => split::split,
        };
        let context = crate::context();
        let module = ir::parse_text(context, text)?;
        rewrite(context, &module, seed)?;
        let rewritten = ir::print(&module, false);
        // A rewrite that breaks the program is the fuzzer's bug, and must not look like the compiler's.
        ir::parse_text(context, &rewritten)?;
        Ok(Some(rewritten))
    }

    /// Compiles the program this way, and compares its results with the evaluator's.
    ///
    /// # Errors
    /// The reason, if a result is out of tolerance or the compiler fails.
    pub fn check(self, case: &Case, seed: u64) -> Result<Outcome, String> {
        let attempt = catch_unwind(AssertUnwindSafe(|| self.compare(case, seed)));
        match attempt {
            Ok(Ok(Ok(()))) => Ok(Outcome::Agrees),
            Ok(Ok(Err(reason))) => Err(reason),
            Ok(Err(error)) if self.may_refuse(error.code()) => Ok(Outcome::Refused(error.code())),
            Ok(Err(error)) => Err(error.render()),
            Err(_) => Err("the compiler panicked".to_owned()),
        }
    }

    /// Runs the program, and again with `dump` in place of a stage's output; all results must agree.
    ///
    /// # Errors
    /// The reason, if results differ or the compiler fails.
    pub fn check_dump(self, case: &Case, seed: u64, dump: &Dump) -> Result<(), String> {
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            self.stages((case, &self.options(&case.text, seed)?), seed, Some(dump))
        }));
        match attempt {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => Err(error.render()),
            Err(_) => Err("the compiler panicked".to_owned()),
        }
    }

    /// The diagnostics that are acceptable instead of an object: few for valid programs, all but our bugs for
    /// arbitrary text.
    fn may_refuse(self, code: Code) -> bool {
        match self {
            Self::Compiles => !code.to_string().starts_with("S90"),
            Self::Rescheduled => code == codes::S1301 || REFUSED.contains(&code),
            _ => REFUSED.contains(&code),
        }
    }

    fn compare(self, case: &Case, seed: u64) -> Result<Result<(), String>, Diagnostic> {
        match self {
            Self::Compiles => return self.compile(&case.text, seed).map(Ok),
            Self::Stages => {
                return self.stages((case, &self.options(&case.text, seed)?), seed, None);
            }
            Self::Bounded => return bounded::compare(self, case, seed),
            _ => {}
        }
        let rewritten = self.rewritten(&case.text, seed)?;
        let text = rewritten.as_deref().unwrap_or(&case.text);
        let context = crate::context();
        let module = ir::parse_text(context, text)?;
        let evaluator = Evaluator::new(&module)?;
        let compiled = self.compiled(text, seed)?;
        for round in 0..2 {
            let turn = if round == 0 { Values::Tame } else { Values::Wild };
            let values = case.values.unwrap_or(turn);
            let inputs = evaluator.random_inputs(None, values, seed.wrapping_add(round))?;
            let expected = reference(&evaluator, &module, &inputs, &Session::new(seed))?;
            let actual = match &compiled {
                Compiled::Here(object) if self == Self::Donated => object.call_in_place(&inputs)?,
                Compiled::Here(object) => object.call(&inputs)?,
                Compiled::There(host) => host.call(&inputs)?,
                Compiled::Parts(text) => evaluated(text, &inputs, &Session::new(seed))?,
            };
            let noisy = |noise| {
                let mut session = Session::new(seed);
                session.add_noise(noise);
                reference(&evaluator, &module, &inputs, &session).ok()
            };
            if let Err(reason) = self.near(case, &actual, &expected, noisy) {
                return Ok(Err(format!("{turn:?} inputs: {reason}")));
            }
        }
        Ok(Ok(()))
    }

    fn compile(self, text: &str, seed: u64) -> Result<(), Diagnostic> {
        artifact(text, &self.options(text, seed)?).map(drop)
    }

    fn compiled(self, text: &str, seed: u64) -> Result<Compiled, Diagnostic> {
        let options = self.options(text, seed)?;
        Ok(match self {
            Self::Emulated => Compiled::There(Host::new(artifact(text, &options)?, &options.name)?),
            Self::Split if !seed.is_multiple_of(4) => Compiled::Parts(parts(text, &options)?),
            _ => Compiled::Here(Object::new(text, &options, &Linked::default())?),
        })
    }

    /// The program after every stage, which options with open sizes compile for all of them.
    pub(crate) fn stages(
        self,
        (case, options): (&Case, &Options),
        seed: u64,
        dump: Option<&Dump>,
    ) -> Result<Result<(), String>, Diagnostic> {
        let settings = Settings {
            seed,
            rounds: 2,
            values: case.values,
            tolerance: case.loosest(),
            ..Settings::default()
        };
        // Each step costs a run of the program.
        let levels = Levels { steps: seed % 64 == 15, dump: dump.cloned() };
        let text = case.text.as_bytes();
        let found = verify_stages("program.mlir", text, options, &settings, None, &levels)?;
        Ok(match found.difference {
            Some(difference) => Err(difference.diagnostic.render()),
            None => Ok(()),
        })
    }

    pub(crate) fn near(
        self,
        case: &Case,
        actual: &[Tensor],
        expected: &[Tensor],
        noisy: impl FnMut(u64) -> Option<Vec<Tensor>>,
    ) -> Result<(), String> {
        if actual.len() != expected.len() {
            return Err(format!("{} outputs where there are {}", actual.len(), expected.len()));
        }
        let tolerance = |at: usize| case.tolerance(if self == Self::Doubled { at / 2 } else { at });
        let judged = judge_all(actual, expected, tolerance, noisy);
        let judged = judged.map_err(|error| error.to_string())?;
        match judged.iter().enumerate().find_map(|(at, one)| Some((at, one.wrong.as_ref()?))) {
            None => Ok(()),
            Some((at, worst)) => Err(format!("output {at} is {worst:?}")),
        }
    }
}

/// What the evaluator computes: on all devices, one after the other, if a program exchanges values between several.
fn reference(
    evaluator: &Evaluator,
    module: &ir::Module<'_>,
    inputs: &[Tensor],
    session: &Session,
) -> Result<Vec<Tensor>, Diagnostic> {
    let grid = strata_verify::grid_of(ir::Devices::of(ir::module_op(module)));
    match grid.filter(|_| strata_verify::communicates(module)) {
        None => evaluator.run(None, inputs, session),
        Some(grid) => {
            let inputs = strata_verify::spread(inputs, grid.0 * grid.1)?;
            Ok(evaluator.run_on_devices(None, grid, &inputs, session)?.concat())
        }
    }
}

/// A compiled program, where it can be called.
enum Compiled {
    /// In this process.
    Here(Object),
    /// In another process.
    There(Host),
    /// Not yet: the program of one of several devices.
    Parts(String),
}

fn artifact(text: &str, options: &Options) -> Result<Artifact, Diagnostic> {
    made(Compiler::new(options.clone()), text)
}

fn made(compiler: Compiler<'_>, text: &str) -> Result<Artifact, Diagnostic> {
    compiler.compile("program.mlir", text.as_bytes()).map_err(|errors| {
        errors.into_iter().next().unwrap_or_else(|| Diagnostic::new(codes::S9001))
    })
}

/// The program at the end of stage `spmd`.
fn parts(text: &str, options: &Options) -> Result<String, Diagnostic> {
    let artifact = made(Compiler::new(options.clone()).to(Stage::Spmd), text)?;
    let lost = || Diagnostic::new(codes::S9001).reason("stage `spmd` has no text");
    artifact.text().map(str::to_owned).ok_or_else(lost)
}

/// What the evaluator makes of such a program, on all devices.
fn evaluated(text: &str, inputs: &[Tensor], session: &Session) -> Result<Vec<Tensor>, Diagnostic> {
    let context = crate::context();
    let module = ir::parse_text(context, text)?;
    match ir::Shards::of(ir::entry(&module, None)?) {
        Some(shards) => evaluate_split(&module, None, &shards, inputs, session),
        None => reference(&Evaluator::new(&module)?, &module, inputs, session),
    }
}

/// The CPU levels that this machine has.
fn levels() -> Vec<&'static str> {
    let mut levels = vec!["x86-64"];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("sse4.2") {
            levels.push("x86-64-v2");
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            levels.push("x86-64-v3");
        }
        let avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if avx512 {
            levels.push("x86-64-v4");
        }
    }
    levels
}
