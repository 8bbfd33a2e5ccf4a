//! The loop that runs the stage table.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use strata_codegen::{LlvmIr, Weights, cxx, emit, header, llvmir, rust};
use strata_diag::{Diagnostic, Diagnostics, Fault, Severity, codes, did_you_mean};
use strata_ir::{
    AttributeExt as _, Context, Convention, ExternalCall, Module, Op, Options, Part, Signature,
    WORKSPACE_SIZE, WalkOrder, diagnostic_at, external_calls, marked_entry, module_op, new_context,
    recorded, release_erased, source_location, verify,
};

use crate::{
    artifact::Artifact,
    joint,
    observer::{Observer, Product},
    passes::{self, Hook},
    remarks::Follower,
    stage::{STAGES, Stage, StageInfo, Work},
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
}

/// Whether an external function is available, and the hint for a missing one.
pub(crate) struct Offered<'o> {
    pub(crate) has: Box<dyn Fn(&str) -> bool + 'o>,
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
    Emitted(Vec<u8>),
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

    /// Fails the compilation as soon as it is known that the program calls an external function for which `has` is false,
    /// with that `hint`. Without this, missing functions are found when the object is linked.
    #[must_use]
    pub fn offered(mut self, has: impl Fn(&str) -> bool + 'o, hint: &'static str) -> Self {
        self.offered = Some(Offered { has: Box::new(has), hint });
        self
    }

    /// Compiles `bytes`; locations and diagnostics call them `name`.
    ///
    /// # Errors
    /// Errors in the program or the options, or (codes `S90xx`) bugs in Strata.
    pub fn compile(self, name: &str, bytes: &[u8]) -> Result<Artifact, Diagnostics> {
        let context = new_context();
        let with_passes = self.stages_with_passes();
        let has_schedule = self.options.schedule.is_some();
        let compiled = match self.options.is_joint() {
            true => joint::compile(self, name, bytes),
            false => self.compile_in(&context, name, bytes),
        };
        match compiled {
            Ok(mut artifact) => {
                artifact.warnings = with_source(artifact.warnings, name, bytes);
                Ok(artifact)
            }
            Err(errors) => {
                let errors = if has_schedule { blame_schedule(errors) } else { errors };
                Err(with_source(suspect_passes(errors, &with_passes), name, bytes))
            }
        }
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
            return joint::compile(self, "module", text.as_bytes());
        }
        self.start(self.from.info());
        self.run(context, State::Mlir(module), Spent::default())
    }

    fn compile_in(
        self,
        context: &Context,
        name: &str,
        bytes: &[u8],
    ) -> Result<Artifact, Diagnostics> {
        let (stage, options) = (self.to, self.options.clone());
        let (end, facts) = self.read_and_advance(context, name, bytes)?;
        finished(stage, end, facts, &options)
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

    /// Runs the stages after the first; `reading` is the time of that one, for observers.
    pub(crate) fn advance<'c>(
        mut self,
        context: &'c Context,
        mut state: State<'c>,
        reading: Option<Spent>,
    ) -> Result<(End<'c>, Facts), Diagnostics> {
        let mut facts = Facts::default();
        if let (Stage::Input, State::Mlir(module)) = (self.from, &state) {
            facts.look_at(module);
        }
        let reading = reading.unwrap_or_default();
        let mut follower = match &state {
            State::Mlir(module) if self.wants_remarks() => {
                Some(Follower::start(context, module, &self.part))
            }
            _ => None,
        };
        self.check(context, self.from.info(), &state)
            .and_then(|()| self.find_entry(&state))
            .map_err(not_in_its_form)?;
        self.finish(context, self.from.info(), &mut state, &mut facts, &reading)?;
        self.follow(context, self.from.info(), &state, &mut follower);
        let from = self.from;
        let wants_parts = self.wants_parts();
        for info in self.stages().filter(|info| info.stage > from).collect::<Vec<_>>() {
            self.start(info);
            let spent = match &info.work {
                Work::Read => continue,
                Work::Rewrite(run, _) => {
                    let State::Mlir(module) = &mut state else { continue };
                    let options = &self.options;
                    let (done, spent) =
                        timing(wants_parts, || guarded(info, || run(context, module, options)));
                    done?;
                    spent
                }
                Work::Steps(run, ..) => {
                    let State::Mlir(module) = &mut state else { continue };
                    let (options, observers) = (&self.options, &mut self.observers);
                    let mut since = Instant::now();
                    let mut seen = |number: usize, name: &str, module: &Module<'c>| {
                        let elapsed = since.elapsed();
                        for observer in observers.iter_mut() {
                            let product = Product::Mlir(module);
                            observer.step_finished(info, number, name, &product, elapsed);
                        }
                        since = Instant::now();
                    };
                    let (done, spent) = timing(wants_parts, || {
                        guarded(info, || run(context, module, options, &mut seen))
                    });
                    done?;
                    spent
                }
                Work::Translate => {
                    let State::Mlir(module) = &state else { continue };
                    let options = &self.options;
                    let (translated, spent) = timing(wants_parts, || {
                        guarded(info, || llvmir::translate(context, module, options))
                    });
                    let translated = translated?;
                    let outside = |weights: &&Arc<Weights>| weights.file().is_some();
                    facts.weights = translated.weights().filter(outside).cloned();
                    state = State::Llvm(translated);
                    spent
                }
                Work::Emit => {
                    let State::Llvm(ir) = &state else { continue };
                    let options = &self.options;
                    let emit = || match info.stage {
                        Stage::Asm => emit::assembly(ir, options).map(String::into_bytes),
                        _ => emit::object(ir, options),
                    };
                    let (bytes, spent) = timing(wants_parts, || guarded(info, emit));
                    let bytes = bytes?;
                    self.tell_emitted(info, &bytes, &spent);
                    if info.stage == self.to {
                        self.tell_remarks(follower);
                        return Ok((End::Emitted(bytes), facts));
                    }
                    continue;
                }
            };
            self.check(context, info, &state)?;
            self.finish(context, info, &mut state, &mut facts, &spent)?;
            self.follow(context, info, &state, &mut follower);
            if let State::Mlir(module) = &mut state {
                // The stage is over, and with it all handles into its module.
                release_erased(context, module);
            }
        }
        self.tell_remarks(follower);
        Ok((End::State(state), facts))
    }

    /// Follows the operations of the program through a stage, if an observer wants remarks.
    fn follow<'c>(
        &self,
        context: &'c Context,
        info: &StageInfo,
        state: &State<'c>,
        follower: &mut Option<Follower>,
    ) {
        if let (State::Mlir(module), Some(follower)) = (state, follower) {
            follower.see(context, info, module, info.stage == self.to);
        }
    }

    fn tell_remarks(&mut self, follower: Option<Follower>) {
        let Some(remarks) = follower.map(Follower::finish) else { return };
        for observer in self.observers.iter_mut().filter(|one| one.wants_remarks()) {
            observer.remarked(&remarks);
        }
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
            return Ok(State::Llvm(llvmir::parse(name, bytes, &self.options)?));
        }
        Ok(State::Mlir(strata_vhlo::parse(context, name, bytes)?))
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
        let (from, to) = (self.from, self.to);
        let wants_assembly =
            to == Stage::Asm || self.observers.iter().any(|one| one.wants_assembly());
        STAGES.iter().filter(move |info| {
            info.stage >= from && info.stage <= to && (info.stage != Stage::Asm || wants_assembly)
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

    /// Verifies and checks the contract.
    fn check<'c>(
        &mut self,
        context: &'c Context,
        info: &StageInfo,
        state: &State<'c>,
    ) -> Result<(), Diagnostic> {
        let State::Mlir(module) = state else { return Ok(()) };
        let started = Instant::now();
        verify(context, module, info.name)?;
        if let Work::Rewrite(_, check) | Work::Steps(_, check, _) = &info.work {
            guarded(info, || check(module, &self.options))?;
        }
        // The attributes of the entry that every later stage reads.
        if (Stage::Linalg..=Stage::Vector).contains(&info.stage) {
            Signature::of(marked_entry(module)?)?;
        }
        let checked = started.elapsed();
        self.observers.iter_mut().for_each(|one| one.stage_checked(info, checked));
        Ok(())
    }

    /// Runs the added passes, collects what the artifact needs, notifies the observers.
    fn finish<'c>(
        &mut self,
        context: &'c Context,
        info: &StageInfo,
        state: &mut State<'c>,
        facts: &mut Facts,
        spent: &Spent,
    ) -> Result<(), Diagnostic> {
        if self.run_added(context, info, state)? {
            self.check(context, info, state).map_err(|error| blame_passes(info, error))?;
        }
        match state {
            State::Mlir(module) => {
                facts.gather(module);
                if let Some(offered) = &self.offered {
                    offered.check(module)?;
                }
                self.tell(info, &Product::Mlir(module), spent);
            }
            State::Llvm(ir) => self.tell(info, &Product::Llvm(ir), spent),
        }
        Ok(())
    }

    /// Runs the passes added after a stage; returns whether there were any.
    fn run_added<'c>(
        &mut self,
        context: &'c Context,
        info: &StageInfo,
        state: &mut State<'c>,
    ) -> Result<bool, Diagnostic> {
        let Self { options, hooks, .. } = self;
        // The parts of a joint object had their own.
        if options.is_joint() {
            return Ok(false);
        }
        let added = options.added.iter().filter(|added| added.stage == info.name);
        let hooks = hooks.iter_mut().filter(|(stage, _)| *stage == info.stage);
        let mut any = false;
        match state {
            State::Mlir(module) => {
                for added in added {
                    guarded(info, || passes::run(context, module, &added.passes, options))?;
                    any = true;
                }
                for (_, hook) in hooks {
                    guarded(info, || hook(context, module))?;
                    any = true;
                }
            }
            State::Llvm(ir) => {
                for added in added {
                    *ir = guarded(info, || passes::run_on_llvm(ir, &added.passes, options))?;
                    any = true;
                }
            }
        }
        Ok(any)
    }

    fn tell_emitted(&mut self, info: &StageInfo, bytes: &[u8], spent: &Spent) {
        match (info.stage, std::str::from_utf8(bytes)) {
            (Stage::Asm, Ok(text)) => self.tell(info, &Product::Text(text), spent),
            _ => self.tell(info, &Product::Bytes(bytes), spent),
        }
    }

    fn tell(&mut self, info: &StageInfo, product: &Product<'_, '_>, spent: &Spent) {
        for observer in &mut self.observers {
            if observer.wants_parts() {
                observer.parts_finished(info, &spent.parts);
            }
            observer.stage_finished(info, product, spent.elapsed);
        }
    }
}

impl Offered<'_> {
    /// # Errors
    /// `S1703` naming all missing functions, at the location of the first call.
    fn check(&self, module: &Module<'_>) -> Result<(), Diagnostic> {
        let mut missing = BTreeSet::new();
        let mut first = None;
        for op in module_op(module).body(0).ops() {
            let Some(call) = ExternalCall::of(op).transpose()? else { continue };
            if !call.convention.is_host_transfer() && !(self.has)(&call.target) {
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

/// Metadata of the artifact, collected from the stages that have it.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) signature: Option<Signature>,
    pub(crate) workspace_size: Option<u64>,
    weights: Option<Arc<Weights>>,
    pub(crate) foreign: BTreeSet<(String, Convention)>,
    pub(crate) warnings: Diagnostics,
}

impl Facts {
    /// Warnings about a program before it is compiled.
    fn look_at(&mut self, module: &Module<'_>) {
        let root = module_op(module);
        let count = |name: &str| root.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
        let (replicas, partitions) = (count("mhlo.num_replicas"), count("mhlo.num_partitions"));
        if replicas > 1 || partitions > 1 {
            self.warnings.push(
                diagnostic_at(codes::S1105, root)
                    .with_severity(Severity::Warning)
                    .reason(format!("it declares {replicas} replicas of {partitions} partitions"))
                    .hint("call the object once per device, with whole inputs"),
            );
        }
        root.walk(WalkOrder::Pre, &mut |op| self.look_at_attributes(op));
    }

    /// Unknown attributes whose names are close to one that the operation defines: MLIR keeps them silently.
    fn look_at_attributes(&mut self, op: Op<'_>) {
        let known = op.kind().definition().attributes;
        if known.is_empty() {
            return;
        }
        for (name, _) in op.discardable_attrs() {
            let is_own = name.contains('.') || known.contains(&name);
            let Some(hint) = (!is_own).then(|| did_you_mean(name, known.iter().copied())).flatten()
            else {
                continue;
            };
            self.warnings.push(
                diagnostic_at(codes::S1017, op)
                    .with_severity(Severity::Warning)
                    .reason(format!("`{}` has no attribute `{name}`", op.name()))
                    .hint(hint),
            );
        }
    }

    /// Attributes may be absent because an earlier stage does not set them.
    fn gather(&mut self, module: &Module<'_>) {
        let Ok(entry) = marked_entry(module) else { return };
        if let Ok(signature) = Signature::of(entry) {
            self.signature = Some(signature);
        }
        let size = entry.attr(WORKSPACE_SIZE).and_then(|size| size.as_i64());
        if let Some(size) = size.and_then(|size| u64::try_from(size).ok()) {
            self.workspace_size = Some(size);
        }
        if let Ok(calls) = external_calls(module) {
            self.foreign = calls.into_iter().map(|call| (call.target, call.convention)).collect();
        }
    }

    fn artifact(
        self,
        stage: Stage,
        bytes: Vec<u8>,
        options: &Options,
    ) -> Result<Artifact, Diagnostic> {
        let foreign: Vec<_> = self.foreign.into_iter().collect();
        let (header, rust, cxx) = match (&self.signature, self.workspace_size) {
            (Some(signature), Some(size)) => (
                Some(header::c_header(signature, size, &foreign, options)?),
                Some(rust::rust_module(signature, size, &foreign, options)?),
                Some(cxx::cxx_header(signature, size, &foreign, options)?),
            ),
            _ => (None, None, None),
        };
        Ok(Artifact {
            stage,
            bytes,
            signature: self.signature,
            workspace_size: self.workspace_size,
            foreign,
            header,
            weights: self.weights,
            rust,
            cxx,
            warnings: self.warnings,
            signatures: Vec::new(),
        })
    }
}

/// The artifact of one program.
fn finished(
    stage: Stage,
    end: End<'_>,
    facts: Facts,
    options: &Options,
) -> Result<Artifact, Diagnostics> {
    let bytes = match end {
        End::Emitted(bytes) => bytes,
        End::State(state) => state.text(options).into_bytes(),
    };
    Ok(facts.artifact(stage, bytes, options)?)
}

/// Runs `body` and measures its time, with its parts if requested.
fn timing<R>(wants_parts: bool, body: impl FnOnce() -> R) -> (R, Spent) {
    let started = Instant::now();
    let (result, parts) = if wants_parts { recorded(body) } else { (body(), Vec::new()) };
    (result, Spent { elapsed: started.elapsed(), parts })
}

/// Runs a stage's code; a panic in it becomes a diagnostic for our bug.
fn guarded<R>(
    info: &StageInfo,
    body: impl FnOnce() -> Result<R, Diagnostic>,
) -> Result<R, Diagnostic> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let words = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Diagnostic::new(codes::S9001)
            .reason(format!("stage `{}` panicked: {words}", info.name)))
    })
}

/// If a contract does not hold before any stage has run, the input is wrong.
fn not_in_its_form(error: Diagnostic) -> Diagnostic {
    if error.code() != codes::S9002 {
        return error;
    }
    error
        .with_code(codes::S0009)
        .hint("`--from` names the stage whose dump the program is; without it, it is StableHLO")
}

/// If a contract held before the added passes, they violated it.
fn blame_passes(info: &StageInfo, error: Diagnostic) -> Diagnostic {
    if error.code() != codes::S9002 {
        return error;
    }
    error
        .with_code(codes::S0010)
        .note(format!("the contract of stage `{}`: {}", info.name, info.contract))
}

/// Added passes may cause what looks like our bug.
fn suspect_passes(errors: Diagnostics, with_passes: &[String]) -> Diagnostics {
    let suspect = |error: Diagnostic| match with_passes {
        [_, ..] if error.code().fault() == Fault::Bug => error.note(format!(
            "passes were added after `{}` and may be the cause",
            with_passes.join("`, `")
        )),
        _ => error,
    };
    errors.into_iter().map(suspect).collect()
}

/// A given schedule may produce code that cannot be compiled: that is not our bug.
fn blame_schedule(errors: Diagnostics) -> Diagnostics {
    let blame = |error: Diagnostic| match [codes::S9002, codes::S9003].contains(&error.code()) {
        true => {
            let reason = error.reason_text().unwrap_or_default();
            let blamed = Diagnostic::new(codes::S1301)
                .reason(format!("the given schedule produces code that cannot be compiled: {reason}"))
                .hint("`strata schedule MODEL` prints the schedules that the compiler chooses; start from these");
            match error.location() {
                Some(place) => blamed.at(place.clone()),
                None => blamed,
            }
        }
        false => error,
    };
    errors.into_iter().map(blame).collect()
}

/// Adds the source line to diagnostics of later stages.
fn with_source(errors: Diagnostics, name: &str, bytes: &[u8]) -> Diagnostics {
    match std::str::from_utf8(bytes) {
        Ok(text) => errors.into_iter().map(|error| error.source_file(name, text)).collect(),
        Err(_) => errors,
    }
}
