//! The loop that runs the stage table.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use strata_codegen::{LlvmIr, Pieces, llvmir};
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_ir::{
    Context, Convention, ExternalCall, LentContext, Module, Part, PreparePart, Signature,
    marked_entry, module_op, source_location,
};
use strata_options::{Options, UsedSchedules};
use strata_schedule::tuned::{Schedules, TunableNest, is_schedules};

use crate::{
    artifact::{Artifact, Program},
    joint,
    observer::Observer,
    open::{self, Plan},
    passes::Hook,
    specialize::{self, Version},
    stage::{STAGES, Stage, StageInfo},
};

mod blame;
mod facts;
mod libm;
mod stages;

pub(crate) use {blame::with_source, facts::Facts};
use {
    blame::{Given, resembles},
    facts::finished,
    stages::timing,
};

/// A compilation: options, first and last stage, observers.
pub struct Compiler<'o> {
    pub(crate) options: Options,
    pub(crate) from: Stage,
    pub(crate) to: Stage,
    pub(crate) observers: Vec<&'o mut dyn Observer>,
    pub(crate) hooks: Vec<(Stage, Hook<'o>)>,
    pub(crate) offered: Option<Offered<'o>>,
    /// The part of a joint object that is compiled.
    pub(crate) part: String,
    /// The origins of the versions that were compiled before this one.
    pub(crate) origins_before: usize,
    keeps_program: bool,
    /// Whether values are split over devices, once the program is read.
    pub(crate) is_split: bool,
}

/// What a program is to those who call it, once it is one of linalg.
#[derive(Clone, Debug)]
pub struct Interface {
    /// What its entry takes and returns.
    pub signature: Option<Signature>,
    /// The external functions that it calls, with their conventions, by name.
    pub foreign: Vec<(String, Convention)>,
}

/// Whether a function of that name is there.
type Has<'o> = dyn Fn(&str) -> Result<bool, Diagnostic> + Sync + 'o;

/// Whether an external function is available, and the hint for a missing one.
pub(crate) struct Offered<'o> {
    pub(crate) has: Box<Has<'o>>,
    pub(crate) hint: &'static str,
}

/// How long a stage took.
#[derive(Default)]
pub(crate) struct Spent {
    elapsed: Duration,
    parts: Vec<Part>,
}

/// The program between two stages.
pub(crate) enum State<'c> {
    Mlir(Module<'c>),
    Llvm(LlvmIr),
}

impl State<'_> {
    /// The text that is read back, with source locations if debug information is requested.
    pub(crate) fn text(&self, options: &Options) -> String {
        match self {
            State::Mlir(module) => strata_ir::print(module, options.debug_info),
            State::Llvm(ir) => ir.text(),
        }
    }
}

/// The result of the last stage.
pub(crate) enum End<'c> {
    State(State<'c>),
    Emitted(Pieces),
}

impl<'o> Compiler<'o> {
    /// From the input to the object.
    pub fn new(options: Options) -> Self {
        Self {
            options,
            from: Stage::Input,
            to: Stage::Obj,
            observers: Vec::new(),
            hooks: Vec::new(),
            offered: None,
            part: String::new(),
            origins_before: 0,
            keeps_program: false,
            is_split: false,
        }
    }

    /// The input is in the form of `stage`, as that stage's dump is; the stages after it run.
    #[must_use]
    pub fn from(mut self, stage: Stage) -> Self {
        self.from = stage;
        self
    }

    /// Stops after `stage`.
    #[must_use]
    pub fn to(mut self, stage: Stage) -> Self {
        self.to = stage;
        self
    }

    /// Runs a pass of the caller after `stage`, one of `input` to `llvm`, before observers see the result. The module is
    /// verified and the stage's contract checked after it. Passes of one stage run in the order in which they are given,
    /// those of `Options::added` first.
    ///
    /// ```no_run
    /// # use strata::{Compiler, Options, Stage, Target};
    /// # let options = Options::new(Target::x86_64_baseline());
    /// let mut seen = 0;
    /// let compiler = Compiler::new(options).after(Stage::Linalg, |_context, module| {
    ///     seen += strata_ir::module_op(module).collect(|op| op.is(strata_ir::linalg::GENERIC)).len();
    ///     Ok(())
    /// });
    /// ```
    #[must_use]
    pub fn after(
        mut self,
        stage: Stage,
        pass: impl for<'c> FnMut(&'c Context, &mut Module<'c>) -> Result<(), Diagnostic> + 'o,
    ) -> Self {
        self.hooks.push((stage, Box::new(pass)));
        self
    }

    /// Adds an observer.
    #[must_use]
    pub fn observe(mut self, observer: &'o mut dyn Observer) -> Self {
        self.observers.push(observer);
        self
    }

    /// Keeps a copy of the program in the artifact ([`Artifact::program`]).
    #[must_use]
    pub fn keep_program(mut self) -> Self {
        self.keeps_program = true;
        self
    }

    /// Fails the compilation as soon as it is known that the program calls an external function for which `has` is false,
    /// with that `hint`. Without this, missing functions are found when the object is linked.
    #[must_use]
    pub fn offered(self, has: impl Fn(&str) -> bool + Sync + 'o, hint: &'static str) -> Self {
        self.offered_by(move |name| Ok(has(name)), hint)
    }

    /// The same where what offers a function may itself be missing, which fails the compilation, too.
    #[must_use]
    pub fn offered_by(
        mut self,
        has: impl Fn(&str) -> Result<bool, Diagnostic> + Sync + 'o,
        hint: &'static str,
    ) -> Self {
        self.offered = Some(Offered { has: Box::new(has), hint });
        self
    }

    /// Compiles `bytes`; locations and diagnostics call them `name`.
    ///
    /// # Errors
    /// Errors in the program or the options, or (codes `S90xx`) bugs in Strata.
    pub fn compile(mut self, name: &str, bytes: &[u8]) -> Result<Artifact, Diagnostics> {
        if self.options.open && self.to < Stage::Vector && self.options.bounds.is_empty() {
            // From stage `vector` on there is a function for each bound; before, the program for the largest ones.
            self.options.bounds.clone_from(&self.options.max);
        }
        self.options.prepare = self.options.prepare.of_program(bytes);
        // Later dumps are those of the entry.
        self.options.prepare.marked &= self.from <= Stage::Spmd;
        if self.options.prepare.is_joint() && self.to < Stage::LlvmIr {
            // There are two programs; earlier stages show that of the entry.
            self.options.prepare.part = Some(PreparePart::Entry);
        }
        // Copies of the options may have been compiled with before.
        self.options.used_schedules = UsedSchedules::default();
        let without_use = self.without_use();
        let given = Given::of(&self);
        let keeps_program = self.keeps_program && self.from == Stage::Input;
        let options = self.options.clone();
        let compiled = match open::of(&self, name, bytes) {
            Err(errors) => Err(errors),
            Ok(plans) if self.options.is_joint() => joint::compile(self, name, bytes, &plans),
            Ok(plans) => match plans.as_slice() {
                [Some(plan)] => self.compile_specialized((name, bytes), plan),
                _ => self.compile_alone((name, bytes)),
            },
        };
        match compiled {
            Ok(mut artifact) => {
                artifact.warnings.extend(without_use());
                artifact.warnings = with_source(artifact.warnings, name, bytes);
                artifact.program = keeps_program.then(|| {
                    Arc::new(Program { name: name.to_owned(), bytes: bytes.to_owned(), options })
                });
                Ok(artifact)
            }
            Err(errors) => Err(given.explain(errors, name, bytes)),
        }
    }

    /// Makes the warning about a file of schedules, once the program is compiled, if the program used none of them.
    fn without_use(&self) -> impl FnOnce() -> Option<Diagnostic> + use<> {
        let is_read = self.from < Stage::Schedule && self.to >= Stage::Schedule;
        let options = self.options.clone();
        move || {
            let text = options.schedule.as_deref().filter(|text| is_read && is_schedules(text))?;
            let name = options.schedule_name.as_deref().unwrap_or("schedule");
            if options.used_schedules.count() > 0 {
                return None;
            }
            let targets = match options.versions.as_slice() {
                [] => std::slice::from_ref(&options.target),
                several => several,
            };
            let schedules = Schedules::read(name, text).ok()?;
            Some(schedules.without_use(targets).at(Location::file(name)))
        }
    }

    /// Whether only the compiler's own passes run: one of the caller may do anything with its context.
    pub(crate) fn has_no_passes_of_callers(&self) -> bool {
        self.stages_with_passes().is_empty()
    }

    /// The stages after which passes were added.
    fn stages_with_passes(&self) -> Vec<String> {
        let named = self.options.added.iter().map(|added| added.stage.clone());
        named.chain(self.hooks.iter().map(|(stage, _)| stage.to_string())).collect()
    }

    /// Compiles a module, which is in `context` and in the form of the first stage. It is rewritten in place.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_module<'c>(
        mut self,
        context: &'c Context,
        module: Module<'c>,
    ) -> Result<Artifact, Diagnostics> {
        self.check_order()?;
        if self.from >= Stage::LlvmIr {
            return Err(Diagnostic::new(codes::S0005)
                .reason(format!("`{}` is not a stage of modules", self.from))
                .hint("modules are dumps of the stages from `input` to `llvm`")
                .into());
        }
        if self.options.is_joint() {
            // Each part rewrites its own copy of the module.
            let text = strata_ir::print(&module, true);
            self.options.prepare = self.options.prepare.of_program(text.as_bytes());
            return joint::compile(self, "module", text.as_bytes(), &[]);
        }
        self.start(self.from.info());
        self.run(context, State::Mlir(module), Spent::default())
    }

    /// The nests of the program whose schedules may be chosen, as stage `schedule` forms them for the options' target.
    ///
    /// # Errors
    /// As [`Self::compile`]; `S0001` for options with several programs or processors, or open sizes.
    pub fn nests(self, name: &str, bytes: &[u8]) -> Result<Vec<TunableNest>, Diagnostics> {
        self.nests_of(name, bytes, |_| Ok(())).map(|(_, nests)| nests)
    }

    /// As [`Self::nests`], with what the program takes and calls. `accept` sees that before nests are formed, which takes most of the time, and may
    /// refuse the program.
    ///
    /// # Errors
    /// As [`Self::nests`], and those of `accept`.
    pub fn nests_of(
        mut self,
        name: &str,
        bytes: &[u8],
        accept: impl FnOnce(&Interface) -> Result<(), Diagnostics>,
    ) -> Result<(Interface, Vec<TunableNest>), Diagnostics> {
        if self.options.is_joint() || self.options.open {
            return Err(Diagnostic::new(codes::S0001)
                .reason("nests are listed of one program, for one processor and with sizes that have values")
                .hint("name one entry and one processor, and bind open sizes")
                .into());
        }
        self.to = Stage::Linalg;
        let options = self.options.clone();
        let given = Given::of(&self);
        let context = strata_ir::new_context();
        let nests = self.read_and_advance(&context, name, bytes).and_then(|(end, facts)| {
            let foreign = facts.foreign.into_iter().collect();
            let interface = Interface { signature: facts.signature, foreign };
            accept(&interface)?;
            let nests = match end {
                End::State(State::Mlir(mut module)) => {
                    strata_schedule::nests(&context, &mut module, &options)?
                }
                _ => Vec::new(),
            };
            Ok((interface, nests))
        });
        nests.map_err(|errors| given.explain(errors, name, bytes))
    }

    /// Compiles a program with given sizes.
    fn compile_alone(self, (name, bytes): (&str, &[u8])) -> Result<Artifact, Diagnostics> {
        let (stage, options) = (self.to, self.options.clone());
        let (context, is_ours) = (LentContext::take(), self.has_no_passes_of_callers());
        let (end, facts) = self.read_and_advance(&context, name, bytes)?;
        let artifact = finished(stage, end, facts, &options)?;
        if is_ours {
            context.give_back(bytes.len().max(artifact.size()));
        }
        Ok(artifact)
    }

    /// Compiles a program with dynamic shapes: the stages from `vector` on see all its specialisations.
    fn compile_specialized(
        mut self,
        source: (&str, &[u8]),
        plan: &Plan,
    ) -> Result<Artifact, Diagnostics> {
        self.check_order()?;
        let (stage, options) = (self.to, self.options.clone());
        // The context is one that a version was compiled in.
        let versions = specialize::versions(&mut self, source, plan)?;
        let (context, is_ours) = (LentContext::take(), self.has_no_passes_of_callers());
        let (end, facts) = self.run_assembled(&context, source.0, plan, versions)?;
        let artifact = finished(stage, end, facts, &options)?;
        if is_ours {
            context.give_back(source.1.len().max(artifact.size()));
        }
        Ok(artifact)
    }

    /// Runs the stages up to `vector` on each specialisation of a program, and those after it on the module of all.
    pub(crate) fn run_specialized<'c>(
        mut self,
        context: &'c Context,
        source: (&str, &[u8]),
        plan: &Plan,
    ) -> Result<(End<'c>, Facts), Diagnostics> {
        let versions = specialize::versions(&mut self, source, plan)?;
        self.run_assembled(context, source.0, plan, versions)
    }

    /// Runs the stages from `vector` on on the module of a program's versions.
    fn run_assembled<'c>(
        mut self,
        context: &'c Context,
        name: &str,
        plan: &Plan,
        versions: Vec<Version>,
    ) -> Result<(End<'c>, Facts), Diagnostics> {
        let (module, read) = specialize::assembled(&self, (context, name), plan, versions)?;
        // Lines of the versions' operations stand for origins.
        self.options.debug_info |= self.observers.iter().any(|one| one.wants_origins());
        self.from = Stage::Vector;
        self.options.added.retain(|added| Stage::from_name(&added.stage) >= Some(Stage::Vector));
        self.hooks.retain(|(stage, _)| *stage >= Stage::Vector);
        self.start(self.from.info());
        let (end, facts) = self.advance(context, State::Mlir(module), None)?;
        Ok((end, facts.with_warnings(read)))
    }

    /// Reads the program and runs the stages.
    pub(crate) fn read_and_advance<'c>(
        mut self,
        context: &'c Context,
        name: &str,
        bytes: &[u8],
    ) -> Result<(End<'c>, Facts), Diagnostics> {
        self.check_order()?;
        self.start(self.from.info());
        let (state, spent) = timing(self.wants_parts(), || self.read(context, name, bytes));
        self.advance(context, state?, Some(spent))
    }

    fn check_order(&self) -> Result<(), Diagnostic> {
        if self.from <= self.to && self.from < Stage::Asm {
            return self.check_added();
        }
        if self.from >= Stage::Asm {
            return Err(Diagnostic::new(codes::S0005)
                .reason(format!("a dump of stage `{}` cannot be compiled further", self.from))
                .hint("`--from` takes the stages `input` to `llvmir`"));
        }
        Err(Diagnostic::new(codes::S0005)
            .reason(format!("`{}` does not come before `{}`", self.from, self.to))
            .hint("`strata list stages` shows the order"))
    }

    /// Passes can only be added after stages that run and produce a module or text.
    fn check_added(&self) -> Result<(), Diagnostic> {
        let wrong = |reason: String| {
            let hint = "passes can be added after the stages from `input` to `llvmir` that run";
            Err(Diagnostic::new(codes::S0005).reason(reason).hint(hint))
        };
        let mut stages = Vec::new();
        for added in &self.options.added {
            match Stage::from_name(&added.stage) {
                Some(stage) if stage <= Stage::LlvmIr => stages.push(stage),
                _ => return wrong(format!("passes cannot be added after `{}`", added.stage)),
            }
        }
        for (stage, _) in &self.hooks {
            if *stage > Stage::Llvm {
                return wrong(format!("after `{stage}` there is no module for a function"));
            }
            stages.push(*stage);
        }
        match stages.iter().find(|stage| **stage < self.from || **stage > self.to) {
            Some(stage) => wrong(format!("stage `{stage}` does not run")),
            None => Ok(()),
        }
    }

    fn run<'c>(
        self,
        context: &'c Context,
        state: State<'c>,
        reading: Spent,
    ) -> Result<Artifact, Diagnostics> {
        let (stage, options) = (self.to, self.options.clone());
        let (end, facts) = self.advance(context, state, Some(reading))?;
        finished(stage, end, facts, &options)
    }

    /// Notifies observers that a part of a joint object begins.
    pub(crate) fn tell_part(&mut self, name: &str) {
        name.clone_into(&mut self.part);
        for observer in &mut self.observers {
            observer.part_started(name);
        }
    }

    fn read<'c>(
        &self,
        context: &'c Context,
        name: &str,
        bytes: &[u8],
    ) -> Result<State<'c>, Diagnostics> {
        if self.from == Stage::LlvmIr {
            let parsed = llvmir::parse(name, bytes, &self.options);
            return Ok(State::Llvm(parsed.map_err(|error| {
                let module = strata_vhlo::parse(context, name, bytes);
                let like = module.ok().and_then(|module| self.stage_of(context, &module));
                match like {
                    Some(like) => error.hint(resembles(like)),
                    None => error,
                }
            })?));
        }
        let module = strata_vhlo::parse(context, name, bytes)?;
        self.options.settle_meaning(context, &module);
        Ok(State::Mlir(module))
    }

    /// The stages between linalg and vector work on the function that stage hlo marked.
    fn find_entry(&self, state: &State<'_>) -> Result<(), Diagnostic> {
        match state {
            State::Mlir(module) if (Stage::Linalg..=Stage::Vector).contains(&self.from) => {
                marked_entry(module).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// The stages that run, in order. Assembly is only produced on the way to an object if an observer wants it.
    fn stages(&self) -> impl Iterator<Item = &'static StageInfo> + use<> {
        let (from, to, is_split) = (self.from, self.to, self.is_split);
        let wants_assembly =
            to == Stage::Asm || self.observers.iter().any(|one| one.wants_assembly());
        STAGES.iter().filter(move |info| {
            let runs = match info.stage {
                Stage::Asm => wants_assembly,
                Stage::Spmd => is_split || from == Stage::Spmd,
                _ => true,
            };
            runs && info.stage >= from && info.stage <= to
        })
    }

    /// Notifies observers that a stage begins.
    fn start(&mut self, info: &StageInfo) {
        let number = self.stages().filter(|one| one.stage <= info.stage).count();
        let count = self.stages().count();
        for observer in &mut self.observers {
            observer.stage_started(info, number, count);
        }
    }

    fn wants_remarks(&self) -> bool {
        self.observers.iter().any(|one| one.wants_remarks())
    }

    fn wants_parts(&self) -> bool {
        self.observers.iter().any(|one| one.wants_parts())
    }
}

impl Offered<'_> {
    /// # Errors
    /// `S1703` naming all missing functions, at the location of the first call; what `has` fails with, at the call.
    fn check(&self, module: &Module<'_>) -> Result<(), Diagnostic> {
        let mut missing = BTreeSet::new();
        let mut first = None;
        for op in module_op(module).body(0).ops() {
            let Some(call) = ExternalCall::of(op).transpose()? else { continue };
            if !call.convention.is_symbol() {
                continue;
            }
            let at_call = |error: Diagnostic| match source_location(op.location()) {
                Some(place) => error.at(place),
                None => error,
            };
            if !(self.has)(&call.target).map_err(at_call)? {
                first = first.or_else(|| source_location(op.location()));
                missing.insert(format!("`{}`", call.target));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = missing.into_iter().collect();
        let error = Diagnostic::new(codes::S1703)
            .reason(format!("the program calls {}, which nothing defines", names.join(", ")))
            .hint(self.hint);
        Err(match first {
            Some(place) => error.at(place),
            None => error,
        })
    }
}
