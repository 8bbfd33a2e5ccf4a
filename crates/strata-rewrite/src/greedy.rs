//! The greedy driver: applies patterns in place until none applies.

use std::{cell::RefCell, collections::BTreeMap, ffi::c_void, marker::PhantomData, ptr};

use mlir_sys as sys;
use strata_diag::{Diagnostic, Location};
use strata_ir::{Builder, Context, Op, OpKind, Value, source_location};

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
    /// The replacement of the operation, if events are collected.
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

    /// Replaces the operation being rewritten by `values`, one per result, and erases it.
    pub fn replace(&mut self, values: &[Value<'c>]) {
        assert_eq!(values.len(), self.root.result_count(), "one value per result");
        if self.after.is_some() {
            // Before the operation is erased, so that value numbers are those in its printed form.
            self.after = Some(described(values));
        }
        let raw: Vec<_> = values.iter().map(|value| value.to_raw()).collect();
        unsafe {
            sys::mlirRewriterBaseReplaceOpWithValues(
                self.raw,
                self.root.to_raw(),
                raw.len() as isize,
                raw.as_ptr(),
            );
            // The driver revisits users only; the replacement may itself be rewritten.
            for owner in values.iter().filter_map(|value| value.owner()) {
                sys::mlirRewriterBaseStartOpModification(self.raw, owner.to_raw());
                sys::mlirRewriterBaseFinalizeOpModification(self.raw, owner.to_raw());
            }
        }
        self.replaced = true;
    }

    /// Erases the operation being rewritten, whose results have no uses.
    pub fn erase(&mut self) {
        assert!(self.root.is_unused(), "{} is erased while used", self.root.name());
        self.after = self.after.take().map(|_| "nothing".to_owned());
        unsafe { sys::mlirRewriterBaseEraseOp(self.raw, self.root.to_raw()) }
        self.replaced = true;
    }

    /// Changes the operation being rewritten in place: attributes or operands, not its results.
    pub fn modify(&mut self, change: impl FnOnce(Op<'c>)) {
        unsafe { sys::mlirRewriterBaseStartOpModification(self.raw, self.root.to_raw()) }
        change(self.root);
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
    drop(unsafe { Box::from_raw(data.cast::<Registered>()) });
}

unsafe extern "C" fn match_and_rewrite(
    _pattern: sys::MlirRewritePattern,
    op: sys::MlirOperation,
    rewriter: sys::MlirPatternRewriter,
    data: *mut c_void,
) -> sys::MlirLogicalResult {
    let registered = unsafe { &*data.cast::<Registered>() };
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
        let root = unsafe { Op::from_raw(op) };
        let explains = shared.explains;
        let (before, place) = match explains {
            true => (root.to_string(), source_location(root.location())),
            false => (String::new(), None),
        };
        let after = explains.then(String::new);
        let mut rewriter =
            Rewriter { raw, context, root, replaced: false, after, _context: PhantomData };
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
        match guarded(pattern.name(), root, || pattern.rewrite(root, &mut rewriter)) {
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
    unsafe {
        let set = sys::mlirRewritePatternSetCreate(context.to_raw());
        for (index, pattern) in patterns.iter().enumerate() {
            for kind in pattern.roots() {
                let name = kind.name();
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
