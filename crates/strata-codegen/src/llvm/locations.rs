//! Rewrites source locations to a form that MLIR can convert to debug information.
//!
//! JAX and others record the call stack of an operation:
//!
//! ```mlir
//! loc("jit(f)/tanh"(callsite("layer"("layer.py":11:4) at "step"("train.py":5:6))))
//! ```
//!
//! It becomes functions that were inlined into the kernel, one for each name and file, so that a debugger shows the stack:
//!
//! ```mlir
//! loc(callsite(fused<#layer>["layer.py":11:4] at callsite(fused<#step>["train.py":5:6] at "model.mlir":3:1)))
//! ```
//!
//! LLVM 22's `ensure-debug-info-scope-on-llvm-func` reads a null pointer if an operation outside of a function has a call-site
//! location, as the constants of inlined functions do, and if one of the two locations of a call site is unknown: both are removed.

use std::collections::{BTreeMap, BTreeSet};

use melior::ir::{Attribute, AttributeLike as _, Location};
use mlir_sys as sys;
use strata_diag::Diagnostic;
use strata_ir::{AttributeExt as _, Context, Op, WalkOrder, fused_parts, llvm, parse_attr, string};

use crate::machine::bug;

/// A call on the stack of an operation.
#[derive(Clone, Copy)]
struct Frame<'c> {
    /// File, line and column.
    place: sys::MlirLocation,
    /// The function, or the file if it has no name.
    name: &'c str,
    file: &'c str,
}

impl PartialEq for Frame<'_> {
    fn eq(&self, other: &Self) -> bool {
        // SAFETY: both locations live as long as the context.
        self.name == other.name && unsafe { sys::mlirLocationEqual(self.place, other.place) }
    }
}

/// Leaves only such locations in `root`.
///
/// # Errors
/// `S9003` when the debug information of a function does not parse: our bug.
pub(super) fn settle<'c>(context: &'c Context, root: Op<'c>) -> Result<(), Diagnostic> {
    let mut stacks = Vec::new();
    let mut unknown_calls = Vec::new();
    root.walk(WalkOrder::Pre, &mut |op| {
        let function =
            std::iter::successors(Some(op), |op| op.parent()).find(|around| around.is(llvm::FUNC));
        let frames = frames(op.location().to_raw(), None);
        if !frames.is_empty() {
            stacks.push((op, function, frames));
        } else if op.is(llvm::CALL) {
            unknown_calls.push((op, function));
        }
    });
    let inlined = Inlined::of(context, &stacks)?;
    // A function without a location, like JAX's `main`, gets the outermost one of its operations.
    for (_, function, frames) in &stacks {
        if let (Some(function), Some(outermost)) = (function, frames.last())
            && self::frames(function.location().to_raw(), None).is_empty()
        {
            // SAFETY: operation and location are of one context, which is alive.
            unsafe { sys::mlirOperationSetLocation(function.to_raw(), outermost.place) };
        }
    }
    // The functions' own locations come first: the pass treats them as the scope into which everything was inlined.
    for (op, function, frames) in stacks {
        let innermost = frames[0].place;
        let place = match function.filter(|function| *function != op && frames.len() > 1) {
            Some(function) => inlined.stack(&frames, home(function).unwrap_or(innermost)),
            None => innermost,
        };
        // SAFETY: operation and location are of one context, which is alive.
        unsafe { sys::mlirOperationSetLocation(op.to_raw(), place) };
    }
    // LLVM requires a location on each call of a function with debug information. Line 0 means none.
    let nowhere = Location::new(context, "<unknown>", 0, 0).to_raw();
    for (op, function) in unknown_calls {
        let place = function.and_then(home).unwrap_or(nowhere);
        // SAFETY: operation and location are of one context, which is alive.
        unsafe { sys::mlirOperationSetLocation(op.to_raw(), place) };
    }
    Ok(())
}

/// The location of a function, which the walk sets before its body.
fn home(function: Op<'_>) -> Option<sys::MlirLocation> {
    let place = function.location().to_raw();
    // SAFETY: the location lives as long as the context.
    unsafe { sys::mlirLocationIsAFileLineColRange(place) }.then_some(place)
}

/// The calls of a location, the innermost first.
fn frames<'c>(location: sys::MlirLocation, name: Option<&'c str>) -> Vec<Frame<'c>> {
    // SAFETY: the location is one of a context that is alive, and each of its parts is asked for what it is.
    unsafe {
        if sys::mlirLocationIsAName(location) {
            let name = text(sys::mlirLocationNameGetName(location));
            return frames(sys::mlirLocationNameGetChildLoc(location), name);
        }
        if sys::mlirLocationIsAFused(location) {
            let mut parts = fused_parts(location).into_iter().map(|part| frames(part, None));
            return parts.find(|part| !part.is_empty()).unwrap_or_default();
        }
        if sys::mlirLocationIsACallSite(location) {
            let callee = frames(sys::mlirLocationCallSiteGetCallee(location), None);
            return joined(callee, &frames(sys::mlirLocationCallSiteGetCaller(location), None));
        }
        if !sys::mlirLocationIsAFileLineColRange(location) {
            return Vec::new();
        }
        let Some(file) = text(sys::mlirLocationFileLineColRangeGetFilename(location)) else {
            return Vec::new();
        };
        let base = file.rsplit('/').next().unwrap_or(file);
        vec![Frame { place: location, name: name.unwrap_or(base), file }]
    }
}

/// A stack on top of that of the inlined call. JAX records common calls in both: these count once. A single frame may be a recursion.
fn joined<'c>(mut callee: Vec<Frame<'c>>, caller: &[Frame<'c>]) -> Vec<Frame<'c>> {
    let shared = match callee.len() {
        0 | 1 => 0,
        length => (1..=length.min(caller.len()))
            .rev()
            .find(|shared| callee[length - shared..] == caller[..*shared])
            .unwrap_or(0),
    };
    callee.extend_from_slice(&caller[shared..]);
    callee
}

/// The bytes of an identifier, which its context keeps; `None` if it is not UTF-8.
unsafe fn text<'c>(identifier: sys::MlirIdentifier) -> Option<&'c str> {
    // SAFETY: the caller vouches for the identifier, whose bytes live as long as its context.
    unsafe {
        let own = sys::mlirIdentifierStr(identifier);
        std::str::from_utf8(std::slice::from_raw_parts(own.data.cast(), own.length)).ok()
    }
}

/// The functions on the stacks.
struct Inlined<'c> {
    context: &'c Context,
    /// By name and file.
    functions: BTreeMap<(&'c str, &'c str), Attribute<'c>>,
}

type Stack<'c> = (Op<'c>, Option<Op<'c>>, Vec<Frame<'c>>);

impl<'c> Inlined<'c> {
    fn of(context: &'c Context, stacks: &[Stack<'c>]) -> Result<Self, Diagnostic> {
        let mut names: Vec<(&str, &str)> = Vec::new();
        let mut known = BTreeSet::new();
        for (_, _, frames) in stacks.iter().filter(|(_, _, frames)| frames.len() > 1) {
            let all = frames.iter().map(|frame| (frame.name, frame.file));
            names.extend(all.filter(|name| known.insert(*name)));
        }
        // Parsed from one text, in which `distinct` attributes keep their identity.
        let function = |(number, (name, file)): (usize, &(&str, &str))| {
            let [name, file] = [name, file].map(|text| string(context, text).to_string());
            format!(
                "#llvm.di_subprogram<id = distinct[{}]<>, compileUnit = <id = distinct[0]<>, \
                 sourceLanguage = DW_LANG_Python, file = <\"<python>\" in \"\">, \
                 producer = \"Strata\", isOptimized = true, emissionKind = LineTablesOnly>, \
                 scope = #llvm.di_file<{file} in \"\">, name = {name}, \
                 file = <{file} in \"\">, subprogramFlags = \"Definition|Optimized\", type = <>>",
                number + 1
            )
        };
        let list: Vec<_> = names.iter().enumerate().map(function).collect();
        let parsed = parse_attr(context, &format!("[{}]", list.join(", ")));
        let parsed = parsed.and_then(|list| list.as_array()).ok_or_else(|| {
            bug("inlined functions cannot be described", "the attribute does not parse")
        })?;
        Ok(Self { context, functions: names.into_iter().zip(parsed).collect() })
    }

    /// The location of the innermost frame, inlined into the next one, and so on, the outermost into the function at `home`.
    fn stack(&self, frames: &[Frame<'c>], home: sys::MlirLocation) -> sys::MlirLocation {
        frames.iter().rev().fold(home, |caller, frame| {
            let Some(function) = self.functions.get(&(frame.name, frame.file)) else {
                return caller;
            };
            // SAFETY: all of it is of one context.
            unsafe {
                let raw = function.to_raw();
                let context = self.context.to_raw();
                let callee = sys::mlirLocationFusedGet(context, 1, &raw const frame.place, raw);
                sys::mlirLocationCallSiteGet(callee, caller)
            }
        })
    }
}
