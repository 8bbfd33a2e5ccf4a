//! Few of LLVM's passes: for small programs that are compiled in the process that calls them, where a client waits for each, and for
//! all programs at level 1. LLVM's whole pipeline takes longer than everything before it.
//!
//! Their loops are vector code when LLVM sees them. What is left for it is the arithmetic of addresses, which takes a few of its
//! passes, and one more where a loop is marked to be unrolled. Of scalar loops that take longer than a call does, it makes vectors.
//! At levels above 1, programs go through the whole pipeline if nothing is known of how often their scalar loops run, as do those with
//! more data; at level 1 no loop is unrolled. Code of programs in the process that run few operations is generated without any
//! optimisation.

pub(crate) mod work;

use std::collections::BTreeSet;

use melior::{Context, ir::Module};
use strata_ir::{
    AttributeExt as _, Block, Op, Signature, TypeExt as _, WORKSPACE_SIZE, WalkOrder, llvm,
    marked_entry, memref, module_op, parse_attr,
};
use strata_options::{OptLevel, Options};
use strata_shapes::Specializations;
use strata_target::{
    Isa,
    tuning::quick::{
        MAX_BYTES, MAX_OPERATIONS, MAX_SCALAR_WORK, MAX_TINY_WORK, MAX_VECTORISED_WORK,
    },
};

use crate::llvm::ROLLED;

/// The passes, in the syntax of LLVM's `opt -passes`.
const PASSES: &str = "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine,\
    loop-mssa(loop-rotate,licm),simplifycfg,gvn,instcombine";
/// Those of a program that runs few operations.
const TINY: &str = "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine";
/// Where scalar loops take longer than a call does.
const VECTORISE: &str = ",loop-vectorize,early-cse<memssa>,instcombine";
/// Where a loop is marked to be unrolled.
const UNROLL: &str = ",loop-unroll<O2>,early-cse<memssa>,instcombine";

/// The attribute of a branch that says what to do with its loop.
const ANNOTATION: &str = "loop_annotation";

/// What is enough for a program.
pub(crate) struct Quick {
    /// LLVM's passes.
    pub passes: String,
    /// The level of code generation.
    pub level: OptLevel,
    /// Whether code is generated of the module in memory, and that is all that is done with it.
    pub at_once: bool,
}

/// What is enough for a program at the end of stage `llvm`, if less is than `options` say.
pub(crate) fn plan(context: &Context, module: &Module<'_>, options: &Options) -> Option<Quick> {
    let is_less = options.opt_level == OptLevel::Less;
    if options.opt_level == OptLevel::None || !(options.in_process || is_less) {
        return None;
    }
    let entry = marked_entry(module).ok()?;
    let mut kernels = Specializations::functions(module);
    if kernels.is_empty() {
        kernels.push(entry);
    }
    let bytes = |kernel: &Op<'_>| {
        let Ok(signature) = Signature::of(*kernel) else { return u64::MAX };
        let buffers = signature.inputs.iter().chain(&signature.outputs);
        buffers.map(|spec| spec.byte_count()).fold(workspace(*kernel), u64::saturating_add)
    };
    let bytes = kernels.iter().map(bytes).max().unwrap_or(u64::MAX);
    let rolled = parse_attr(context, ROLLED);
    let (mut operations, mut unrolls) = (0, false);
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        operations += 1;
        unrolls |= op.attr(ANNOTATION).is_some_and(|annotation| Some(annotation) != rolled);
    });
    let is_small = bytes <= MAX_BYTES && operations <= MAX_OPERATIONS * kernels.len();
    if !is_small && !is_less {
        return None;
    }
    let at_once = options.in_process;
    // On other machines LLVM has another way to select instructions without optimisation.
    let is_known = matches!(options.target.isa, Isa::Sse2 | Isa::Avx2 | Isa::Avx512);
    let is_tiny = || work::all(entry).is_some_and(|work| work <= MAX_TINY_WORK);
    if at_once && is_small && is_known && is_tiny() {
        return Some(Quick { passes: format!("function({TINY})"), level: OptLevel::None, at_once });
    }
    let is_vector = || functions(module).all(|one| loops(one).into_iter().all(is_vector_code));
    let vectorise = match work::scalar(entry) {
        Some(..=MAX_SCALAR_WORK) => "",
        _ if is_vector() => "",
        Some(..=MAX_VECTORISED_WORK) => VECTORISE,
        _ if is_less => VECTORISE,
        _ => return None,
    };
    let unroll = if unrolls && !is_less { UNROLL } else { "" };
    let passes = format!("function({PASSES}{vectorise}{unroll})");
    Some(Quick { passes, level: options.opt_level, at_once })
}

fn workspace(entry: Op<'_>) -> u64 {
    let size = entry.attr(WORKSPACE_SIZE).and_then(|size| size.as_i64());
    size.and_then(|size| u64::try_from(size).ok()).unwrap_or(u64::MAX)
}

fn functions<'c>(module: &Module<'c>) -> impl Iterator<Item = Op<'c>> {
    let all = module_op(module).body(0).ops().into_iter();
    all.filter(|op| op.is(llvm::FUNC) && op.region(0).first_block().is_some())
}

/// The blocks of a function that can be left and come to again.
fn loops(function: Op<'_>) -> Vec<Block<'_>> {
    let blocks = function.region(0).blocks();
    let place = |block: Block<'_>| blocks.iter().position(|other| *other == block);
    let next: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| block.successors().into_iter().filter_map(place).collect())
        .collect();
    let comes_back = |start: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), next[start].clone());
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                open.extend(&next[at]);
            }
        }
        seen.contains(&start)
    };
    (0..blocks.len()).filter(|at| comes_back(*at)).map(|at| blocks[at]).collect()
}

/// Whether a block computes on vectors, or does nothing with memory.
fn is_vector_code(block: Block<'_>) -> bool {
    let ops = block.ops();
    let is_vector = |op: &Op<'_>| op.results().iter().any(|result| result.ty().is_vector_type());
    let moves =
        |op: &Op<'_>| matches!(op.name(), llvm::LOAD | llvm::STORE | memref::LOAD | memref::STORE);
    ops.iter().any(is_vector) || !ops.iter().any(moves)
}
