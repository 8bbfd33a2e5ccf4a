//! The stages in order: their work, checks, added passes and observers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use strata_codegen::{Pieces, Weights, emit, llvmir};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_ir::{
    Context, Module, Op, Signature, capture, diagnostic_at, marked_entry, module_op, recorded,
    release_erased, verify,
};

use super::{
    Compiler, End, Facts, Spent, State,
    blame::{blame_passes, not_in_its_form, resembles},
};
use crate::{
    observer::Product,
    passes,
    remarks::Follower,
    stage::{STAGES, Stage, StageInfo, Work},
};

/// What a stage did.
enum Worked {
    /// The program has the form already.
    Nothing,
    /// It rewrote the program.
    Rewritten(Spent),
    /// It wrote assembly or an object.
    Emitted(Pieces, Spent),
}

impl Compiler<'_> {
    /// Runs the stages after the first; `reading` is the time of that one, for observers. Without it, the program was made of parts,
    /// whose remarks they have told.
    pub(crate) fn advance<'c>(
        mut self,
        context: &'c Context,
        mut state: State<'c>,
        reading: Option<Spent>,
    ) -> Result<(End<'c>, Facts), Diagnostics> {
        let mut facts = Facts::default();
        if let State::Mlir(module) = &state {
            self.is_split = self.from <= Stage::Hlo && strata_ir::is_split(module);
            if self.from == Stage::Input {
                facts.look_at(module);
            }
        }
        let is_read = reading.is_some();
        let reading = reading.unwrap_or_default();
        let mut follower = match &state {
            State::Mlir(module) if is_read && self.wants_remarks() => {
                let names = (self.part.as_str(), self.options.entry.as_deref());
                Some(Follower::start(context, module, names, self.origins_before))
            }
            _ => None,
        };
        self.check_is_program(context, &state)?;
        let from = self.from;
        self.check(context, from.info(), &state)
            .and_then(|()| self.find_entry(&state))
            .map_err(|error| not_in_its_form(error, from, self.resembling(context, &state)))?;
        self.finish(context, self.from.info(), &mut state, &mut facts, &reading)?;
        self.follow(context, self.from.info(), &state, &mut follower);
        for info in STAGES.iter().filter(|info| info.stage > from) {
            if let (Work::Where(applies, ..), State::Mlir(module)) = (&info.work, &state) {
                // Stage `hlo` reads older forms of shardings.
                self.is_split = applies(module);
            }
            if !self.stages().any(|one| one.stage == info.stage) {
                continue;
            }
            self.start(info);
            let spent = match self.work(context, info, &mut state, &mut facts)? {
                Worked::Nothing => continue,
                Worked::Rewritten(spent) => spent,
                Worked::Emitted(bytes, spent) => {
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
        facts.origins = follower.as_ref().map_or(0, Follower::origins);
        self.tell_remarks(follower);
        Ok((End::State(state), facts))
    }

    /// The work of one stage on the program.
    fn work<'c>(
        &mut self,
        context: &'c Context,
        info: &'static StageInfo,
        state: &mut State<'c>,
        facts: &mut Facts,
    ) -> Result<Worked, Diagnostic> {
        let (options, wants_parts) = (&self.options, self.wants_parts());
        match (&info.work, &mut *state) {
            (Work::Rewrite(run, _) | Work::Where(_, run, _), State::Mlir(module)) => {
                let (done, spent) =
                    timing(wants_parts, || guarded(info, || run(context, module, options)));
                done.map(|()| Worked::Rewritten(spent))
            }
            (Work::Steps(run, ..), State::Mlir(module)) => {
                let observers = &mut self.observers;
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
                done.map(|()| Worked::Rewritten(spent))
            }
            (Work::Translate, State::Mlir(module)) => {
                let (translated, spent) = timing(wants_parts, || {
                    guarded(info, || llvmir::translate(context, module, options))
                });
                let translated = translated?;
                let outside = |weights: &&Arc<Weights>| weights.file().is_some();
                facts.weights = translated.weights().filter(outside).cloned();
                *state = State::Llvm(translated);
                Ok(Worked::Rewritten(spent))
            }
            (Work::Emit, State::Llvm(ir)) => {
                let emit = || match info.stage {
                    Stage::Asm => emit::assembly(ir, options).map(|text| text.into_bytes().into()),
                    _ => emit::object(ir, options),
                };
                let (bytes, spent) = timing(wants_parts, || guarded(info, emit));
                Ok(Worked::Emitted(bytes?, spent))
            }
            _ => Ok(Worked::Nothing),
        }
    }

    /// Follows the operations of the program through a stage, if an observer wants remarks.
    fn follow<'c>(
        &mut self,
        context: &'c Context,
        info: &StageInfo,
        state: &State<'c>,
        follower: &mut Option<Follower>,
    ) {
        if let (State::Mlir(module), Some(follower)) = (state, follower) {
            let wants_origins = self.observers.iter().any(|one| one.wants_origins());
            // A version goes on as a part of a module of all.
            let is_last = info.stage == self.to && !self.options.is_specialization;
            follower.see(context, info, module, is_last, wants_origins);
            // Before, debug information decides which equal nests share code.
            self.options.debug_info |= wants_origins && info.stage >= Stage::Vector;
        }
    }

    fn tell_remarks(&mut self, follower: Option<Follower>) {
        let Some(remarks) = follower.map(Follower::finish) else { return };
        for observer in self.observers.iter_mut().filter(|one| one.wants_remarks()) {
            observer.remarked(&remarks);
        }
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
        self.satisfies(context, info, module)?;
        let checked = started.elapsed();
        self.observers.iter_mut().for_each(|one| one.stage_checked(info, checked));
        Ok(())
    }

    fn satisfies<'c>(
        &self,
        context: &'c Context,
        info: &StageInfo,
        module: &Module<'c>,
    ) -> Result<(), Diagnostic> {
        verify(context, module, info.name)?;
        if let Work::Rewrite(_, check) | Work::Where(_, _, check) | Work::Steps(_, check, _) =
            &info.work
        {
            guarded(info, || check(module, &self.options))?;
        }
        // The attributes of the entry that every later stage reads.
        if (Stage::Linalg..=Stage::Vector).contains(&info.stage) {
            Signature::of(marked_entry(module)?)?;
        }
        Ok(())
    }

    /// The stage whose dump a program in `state` may be.
    fn resembling<'c>(&self, context: &'c Context, state: &State<'c>) -> Option<Stage> {
        match state {
            State::Mlir(module) => self.stage_of(context, module),
            State::Llvm(_) => None,
        }
    }

    /// A hint at the stage whose dump a module looks like, if that is not the one to start from.
    pub fn resemblance<'c>(&self, context: &'c Context, module: &Module<'c>) -> Option<String> {
        self.stage_of(context, module).filter(|like| *like != self.from).map(resembles)
    }

    /// The first stage whose dump the module may be; [`Stage::Input`] for StableHLO.
    pub(super) fn stage_of<'c>(&self, context: &'c Context, module: &Module<'c>) -> Option<Stage> {
        let is_hlo = |op: Op<'_>| matches!(op.dialect(), "stablehlo" | "chlo" | "vhlo");
        if !module_op(module).collect(is_hlo).is_empty() {
            return Some(Stage::Input);
        }
        let is_llvm = |op: Op<'_>| matches!(op.dialect(), "llvm" | "builtin");
        if module_op(module).collect(|op| !is_llvm(op)).is_empty() {
            return Some(Stage::Llvm);
        }
        let satisfies = |stage: &Stage| {
            capture(context, || self.satisfies(context, stage.info(), module)).0.is_ok()
        };
        // What stage `vector` leaves satisfies the contract of `affine`, too, and hardly ever the reverse.
        [Stage::Linalg, Stage::Schedule, Stage::Vector, Stage::Affine].into_iter().find(satisfies)
    }

    /// Rejects the dump of a later stage that is read as a program.
    ///
    /// # Errors
    /// `S0009`.
    fn check_is_program<'c>(
        &self,
        context: &'c Context,
        state: &State<'c>,
    ) -> Result<(), Diagnostic> {
        let State::Mlir(module) = state else { return Ok(()) };
        let Ok(marked) = marked_entry(module).map_err(drop) else { return Ok(()) };
        match self.resembling(context, state).filter(|_| self.from <= Stage::Spmd) {
            Some(like) if like > Stage::Spmd => Err(diagnostic_at(codes::S0009, marked)
                .reason("it is not StableHLO, but what a stage made of it")
                .hint(resembles(like))),
            _ => Ok(()),
        }
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

    fn tell_emitted(&mut self, info: &StageInfo, pieces: &Pieces, spent: &Spent) {
        if self.observers.is_empty() {
            return;
        }
        let bytes = pieces.joined();
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

/// Runs `body` and measures its time, with its parts if requested.
pub(super) fn timing<R>(wants_parts: bool, body: impl FnOnce() -> R) -> (R, Spent) {
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
