//! The greedy driver: applies patterns in place until none applies.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ffi::c_void,
    marker::PhantomData,
    ptr,
};

use mlir_sys as sys;
use strata_diag::{Diagnostic, Location};
use strata_ir::{Builder, Context, Op, OpKind, Type, Value, WalkOrder, source_location};

use crate::{outcome::Outcome, panics::guarded};

/// A rewrite within a stage: guards, building, one replacement. A pattern declines before it builds.
pub trait Pattern: Sync {
    /// A stable name, shown in reports and by `strata list patterns`.
    fn name(&self) -> &'static str;
    /// The kinds of operations that the pattern matches.
    fn roots(&self) -> &'static [OpKind];
    /// Replaces `op`, or declines with a reason.
    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome;
}

/// What a pattern did to one operation, for `strata opt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The pattern.
    pub pattern: &'static str,
    /// The operation's source location, if known.
    pub place: Option<Location>,
    /// The operation.
    pub before: String,
    /// Its replacement, or why the pattern declined.
    pub after: Result<String, String>,
}

/// What a pattern may do to the IR. All changes go through it, so that the driver is notified.
pub struct Rewriter<'c> {
    raw: sys::MlirRewriterBase,
    context: &'c Context,
    root: Op<'c>,
    replaced: bool,
    /// The replacement of the operation, which is erased once the pattern has returned; until then handles to it are good.
    erases: Option<Vec<Op<'c>>>,
    /// What stands for the operation now, if events are collected.
    after: Option<String>,
    _context: PhantomData<&'c Context>,
}

impl<'c> Rewriter<'c> {
    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// A builder before the operation being rewritten, with its location.
    pub fn builder(&self) -> Builder<'c> {
        Builder::before(self.context, self.root)
    }

    /// Replaces the operation being rewritten by `values`, one per result, and erases it when the pattern has returned.
    pub fn replace(&mut self, values: &[Value<'c>]) {
        assert_eq!(values.len(), self.root.result_count(), "one value per result");
        if self.after.is_some() {
            // Before the operation is erased, so that value numbers are those in its printed form.
            self.after = Some(described(values));
        }
        let raw: Vec<_> = values.iter().map(|value| value.to_raw()).collect();
        // SAFETY: the driver waits for the pattern, so that its rewriter and the operation are alive; the list has a value for
        // each result.
        unsafe {
            sys::mlirRewriterBaseReplaceAllOpUsesWithValueRange(
                self.raw,
                self.root.to_raw(),
                raw.len() as isize,
                raw.as_ptr(),
            );
        }
        self.erases = Some(values.iter().filter_map(|value| value.owner()).collect());
        self.replaced = true;
    }

    /// Erases the operation being rewritten, whose results have no uses, when the pattern has returned.
    pub fn erase(&mut self) {
        assert!(self.root.is_unused(), "{} is erased while used", self.root.name());
        self.after = self.after.take().map(|_| "nothing".to_owned());
        self.erases = Some(Vec::new());
        self.replaced = true;
    }

    /// Erases the operation if the pattern said so. No handle of the pattern is left then: it knows nothing of `'c` beyond its call.
    fn finish(&mut self) {
        let Some(owners) = self.erases.take() else { return };
        // SAFETY: neither the pattern nor the driver has erased the operation or the owners: the first erases through this
        // rewriter only, and the driver waits.
        unsafe {
            sys::mlirRewriterBaseEraseOp(self.raw, self.root.to_raw());
            // The driver hears of users only: what replaces the operation may itself be rewritten.
            for owner in owners {
                sys::mlirRewriterBaseStartOpModification(self.raw, owner.to_raw());
                sys::mlirRewriterBaseFinalizeOpModification(self.raw, owner.to_raw());
            }
        }
    }

    /// Gives a result of the operation being rewritten, or an argument of its regions, another type; its users are revisited.
    pub fn retype(&mut self, value: Value<'c>, ty: Type<'c>) {
        value.set_ty(ty);
        let mut changed: Vec<_> = value.uses().into_iter().map(|(user, _)| user).collect();
        changed.push(self.root);
        // SAFETY: the driver waits for the pattern, so that its rewriter is alive, and so are users of a value in the program.
        unsafe {
            for op in changed {
                sys::mlirRewriterBaseStartOpModification(self.raw, op.to_raw());
                sys::mlirRewriterBaseFinalizeOpModification(self.raw, op.to_raw());
            }
        }
        self.after = self.after.take().map(|_| self.root.to_string());
        self.replaced = true;
    }

    /// Uses `value`, which is good in the regions of the operation being rewritten, instead of an argument of theirs.
    pub fn replace_argument(&mut self, argument: Value<'c>, value: Value<'c>) {
        // SAFETY: the driver waits for the pattern, so that its rewriter is alive, and so are both values.
        unsafe {
            sys::mlirRewriterBaseReplaceAllUsesWith(self.raw, argument.to_raw(), value.to_raw());
        }
        self.after = self.after.take().map(|_| self.root.to_string());
        self.replaced = true;
    }

    /// Changes the operation under rewriting in place: attributes or operands, not its results.
    pub fn modify(&mut self, change: impl FnOnce(Op<'c>)) {
        // SAFETY: rewriter and operation are alive while the pattern runs.
        unsafe { sys::mlirRewriterBaseStartOpModification(self.raw, self.root.to_raw()) }
        change(self.root);
        // SAFETY: rewriter and operation are alive while the pattern runs: erasing waits for its end.
        unsafe { sys::mlirRewriterBaseFinalizeOpModification(self.raw, self.root.to_raw()) }
        self.after = self.after.take().map(|_| self.root.to_string());
        self.replaced = true;
    }
}

/// The operations that make the values, each once, or the values themselves where these are arguments.
fn described(values: &[Value<'_>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for value in values {
        let text = value.owner().map_or_else(|| value.operand_text(), |owner| owner.to_string());
        if !lines.contains(&text) {
            lines.push(text);
        }
    }
    lines.join("\n")
}

/// Statistics of the driver: how often each pattern applied, and why the others declined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Pattern name to the number of rewrites.
    pub applied: BTreeMap<&'static str, usize>,
    /// Pattern name to its reasons for declining, with counts.
    pub declined: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// What happened, in order, each event once; only from [`explain_greedily`].
    pub events: Vec<Event>,
}

struct Shared<'c, 'p> {
    context: &'c Context,
    patterns: &'p [&'p dyn Pattern],
    report: Report,
    failure: Option<Diagnostic>,
    /// Whether events are collected.
    explains: bool,
}

/// One registered pattern: the index into the shared list. Leaked into MLIR's C callback as a
/// pointer and freed by MLIR through `destroy`.
struct Registered<'s, 'c, 'p> {
    shared: &'s RefCell<Shared<'c, 'p>>,
    index: usize,
}

unsafe extern "C" fn construct(_: *mut c_void) {}

unsafe extern "C" fn destroy(data: *mut c_void) {
    // SAFETY: MLIR calls this once for each pattern, with the box that `drive` leaked for it.
    drop(unsafe { Box::from_raw(data.cast::<Registered>()) });
}

unsafe extern "C" fn match_and_rewrite(
    _pattern: sys::MlirRewritePattern,
    op: sys::MlirOperation,
    rewriter: sys::MlirPatternRewriter,
    data: *mut c_void,
) -> sys::MlirLogicalResult {
    // SAFETY: it is the box that `drive` leaked, which is freed with the pattern only; the driver runs on one thread, and no
    // `&mut` to it is made.
    let registered = unsafe { &*data.cast::<Registered>() };
    // SAFETY: the rewriter is alive during the call.
    let applied = registered.apply(op, unsafe { sys::mlirPatternRewriterAsBase(rewriter) });
    sys::MlirLogicalResult { value: i8::from(applied) }
}

impl Registered<'_, '_, '_> {
    fn apply(&self, op: sys::MlirOperation, raw: sys::MlirRewriterBase) -> bool {
        let Ok(mut shared) = self.shared.try_borrow_mut() else { return false };
        if shared.failure.is_some() {
            return false;
        }
        let pattern = shared.patterns[self.index];
        let context = shared.context;
        // SAFETY: MLIR gives a live operation of the context that `drive` was given.
        let root = unsafe { Op::from_raw(op) };
        let explains = shared.explains;
        let (before, place) = match explains {
            true => (root.to_string(), source_location(root.location())),
            false => (String::new(), None),
        };
        let after = explains.then(String::new);
        let mut rewriter = Rewriter {
            raw,
            context,
            root,
            replaced: false,
            erases: None,
            after,
            _context: PhantomData,
        };
        let tell = |shared: &mut Shared<'_, '_>, after: Result<String, String>| {
            let pattern = pattern.name();
            let event = Event { pattern, place: place.clone(), before: before.clone(), after };
            // An operation is revisited whenever its operands or users change.
            let same = |known: &Event| match event.after.is_err() && event.place.is_some() {
                // The numbers of its values may have changed since.
                true => {
                    (known.pattern, &known.place, &known.after)
                        == (pattern, &event.place, &event.after)
                }
                false => *known == event,
            };
            if explains && !shared.report.events.iter().any(same) {
                shared.report.events.push(event);
            }
        };
        let outcome = guarded(pattern.name(), root, || pattern.rewrite(root, &mut rewriter));
        rewriter.finish();
        match outcome {
            Ok(Ok(())) => {
                *shared.report.applied.entry(pattern.name()).or_default() += 1;
                tell(&mut shared, Ok(rewriter.after.take().unwrap_or_default()));
                rewriter.replaced
            }
            Ok(Err(declined)) => {
                let reasons = shared.report.declined.entry(pattern.name()).or_default();
                *reasons.entry(declined.reason().to_owned()).or_default() += 1;
                tell(&mut shared, Err(declined.reason().to_owned()));
                rewriter.replaced
            }
            Err(bug) => {
                shared.failure = Some(bug);
                rewriter.replaced
            }
        }
    }
}

/// Applies `patterns` to all operations below `root` until nothing changes.
///
/// # Errors
/// `S9001` when a pattern panics. Not converging within MLIR's iteration limit is not an error: the
/// IR is valid after every rewrite.
pub fn apply_greedily<'c>(
    context: &'c Context,
    root: Op<'c>,
    patterns: &[&dyn Pattern],
) -> Result<Report, Diagnostic> {
    drive(context, root, patterns, false)
}

/// As [`apply_greedily`], for a client that waits: to register the patterns of all kinds of operations takes longer than to rewrite a
/// small program, so that only those of kinds that the program has are, again where they made others. The order of rewrites differs.
///
/// # Errors
/// As [`apply_greedily`].
pub fn apply_to_present<'c>(
    context: &'c Context,
    root: Op<'c>,
    patterns: &[&dyn Pattern],
) -> Result<(), Diagnostic> {
    let mut kinds = BTreeSet::new();
    loop {
        let known = kinds.len();
        root.walk(WalkOrder::Pre, &mut |op| {
            kinds.insert(op.kind());
        });
        if kinds.len() == known {
            return Ok(());
        }
        let is_present =
            |pattern: &&&dyn Pattern| pattern.roots().iter().any(|kind| kinds.contains(kind));
        let present: Vec<_> = patterns.iter().filter(is_present).copied().collect();
        drive(context, root, &present, false)?;
    }
}

/// As [`apply_greedily`], and records for each operation that a pattern was tried on its replacement or
/// the reason for declining.
///
/// # Errors
/// As [`apply_greedily`].
pub fn explain_greedily<'c>(
    context: &'c Context,
    root: Op<'c>,
    patterns: &[&dyn Pattern],
) -> Result<Report, Diagnostic> {
    drive(context, root, patterns, true)
}

fn drive<'c>(
    context: &'c Context,
    root: Op<'c>,
    patterns: &[&dyn Pattern],
    explains: bool,
) -> Result<Report, Diagnostic> {
    let report = Report::default();
    let shared = RefCell::new(Shared { context, patterns, report, failure: None, explains });
    // SAFETY: operation and context are alive; set, frozen patterns and configuration are each destroyed or handed over once.
    // What the callbacks borrow, `shared`, outlives the patterns, which are destroyed in this block.
    unsafe {
        let set = sys::mlirRewritePatternSetCreate(context.to_raw());
        for (index, pattern) in patterns.iter().enumerate() {
            for kind in pattern.roots() {
                let name = kind.name().as_str();
                let callbacks = sys::MlirRewritePatternCallbacks {
                    construct: Some(construct),
                    destruct: Some(destroy),
                    matchAndRewrite: Some(match_and_rewrite),
                };
                let data = Box::into_raw(Box::new(Registered { shared: &shared, index }));
                let raw = sys::mlirOpRewritePatternCreate(
                    sys::MlirStringRef { data: name.as_ptr().cast(), length: name.len() },
                    1,
                    context.to_raw(),
                    callbacks,
                    data.cast(),
                    0,
                    ptr::null_mut(),
                );
                sys::mlirRewritePatternSetAdd(set, raw);
            }
        }
        let frozen = sys::mlirFreezeRewritePattern(set);
        let config = sys::mlirGreedyRewriteDriverConfigCreate();
        sys::mlirApplyPatternsAndFoldGreedilyWithOp(root.to_raw(), frozen, config);
        sys::mlirGreedyRewriteDriverConfigDestroy(config);
        sys::mlirFrozenRewritePatternSetDestroy(frozen);
    }
    let shared = shared.into_inner();
    match shared.failure {
        Some(bug) => Err(bug),
        None => Ok(shared.report),
    }
}

#[cfg(test)]
mod tests {
    use strata_ir::{Op, OpKind, OpName, module_op, new_context, parse_text, stablehlo};

    use super::{Pattern, Rewriter, apply_greedily};
    use crate::{Guard as _, Outcome};

    /// `negate(x)` as `abs(x)`, and a look at the operation after it was replaced.
    struct Replace;

    impl Pattern for Replace {
        fn name(&self) -> &'static str {
            "replace"
        }

        fn roots(&self) -> &'static [OpKind] {
            &[OpKind::Negate]
        }

        fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
            let (x, result) = (op.operand(0), op.result(0));
            let abs = rewriter.builder().op(stablehlo::ABS).operand(x).result(x.ty()).value();
            rewriter.replace(&[abs]);
            (!result.has_uses()).or_decline("the result is used")?;
            (op.block().is_some() && op.operand(0) == x).or_decline("the operation is gone")?;
            Ok(())
        }
    }

    #[test]
    fn a_replaced_operation_lives_until_its_pattern_has_returned() {
        let context = new_context();
        let program = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = stablehlo.negate %x : tensor<2xf32>
          %1 = stablehlo.negate %0 : tensor<2xf32>
          return %1 : tensor<2xf32>
        }";
        let module = parse_text(&context, program).expect("a program");
        let report = apply_greedily(&context, module_op(&module), &[&Replace]).expect("applies");
        assert_eq!(report.applied.get("replace"), Some(&2));
        assert!(report.declined.is_empty(), "{report:?}");
        let left = |name: OpName<'static>| module_op(&module).collect(|op| op.is(name)).len();
        assert_eq!((left(stablehlo::NEGATE), left(stablehlo::ABS)), (0, 2));
    }
}
