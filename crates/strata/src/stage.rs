//! The stage table. The command line, dumps, timings, snapshots and documentation are generated
//! from it.

use std::fmt;

use strata_diag::Diagnostic;
use strata_ir::{Context, Module, StepInfo};
use strata_options::Options;

/// A level of the compiler. A stage is named after the form of the program at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// The program as read.
    Input,
    /// Core StableHLO.
    Hlo,
    /// The program of one of the devices that values are split over.
    Spmd,
    /// linalg on tensors.
    Linalg,
    /// Hot nests tiled and vectorised, still on tensors.
    Schedule,
    /// Buffers in one arena, affine loops.
    Affine,
    /// Vectors that the target has.
    Vector,
    /// The LLVM dialect, with the exported wrappers.
    Llvm,
    /// Optimised LLVM IR.
    LlvmIr,
    /// The target's assembly.
    Asm,
    /// The object file.
    Obj,
}

/// What happens to an MLIR module in a stage.
pub(crate) type Run = for<'c> fn(&'c Context, &mut Module<'c>, &Options) -> Result<(), Diagnostic>;

/// What happens to an MLIR module in a stage of several steps; the given function is called after
/// each, with its number and name.
pub(crate) type Steps = for<'c> fn(
    &'c Context,
    &mut Module<'c>,
    &Options,
    &mut dyn FnMut(usize, &str, &Module<'c>),
) -> Result<(), Diagnostic>;

/// Whether a stage has anything to do for a program.
pub(crate) type Applies = for<'c> fn(&Module<'c>) -> bool;

/// What must hold at a stage's end.
pub(crate) type Check = fn(&Module<'_>, &Options) -> Result<(), Diagnostic>;

/// How a stage runs.
pub(crate) enum Work {
    /// Bytes to a module.
    Read,
    /// Module to module, with the contract at the end.
    Rewrite(Run, Check),
    /// As [`Self::Rewrite`], for the programs for which the first function holds. For others there is no such stage.
    Where(Applies, Run, Check),
    /// Module to module in steps, with the contract at the end; what is known of the steps.
    Steps(Steps, Check, fn() -> Vec<StepInfo>),
    /// Module to LLVM IR, optimised.
    Translate,
    /// LLVM IR to text or bytes of the target.
    Emit,
}

/// A row of the stage table.
pub struct StageInfo {
    /// The stage.
    pub stage: Stage,
    /// Its number, as in the names of dumps and snapshots.
    pub number: u8,
    /// Its name, as in `--to` and `--from`.
    pub name: &'static str,
    /// What is in the program at the stage's end.
    pub contents: &'static str,
    /// The contract.
    pub contract: &'static str,
    /// The reason for the stage's position.
    pub because: &'static str,
    pub(crate) work: Work,
}

/// All stages in order.
pub const STAGES: &[StageInfo] = &[
    StageInfo {
        stage: Stage::Input,
        number: 0,
        name: "input",
        contents: "the program as read: MLIR text or bytecode",
        contract: "verifies",
        because: "every later stage relies on operations that satisfy their definitions",
        work: Work::Read,
    },
    StageInfo {
        stage: Stage::Hlo,
        number: 10,
        name: "hlo",
        contents: "StableHLO and func only: calls and composites inlined, simplified",
        contract: "one entry function of core StableHLO on static shapes",
        because: "simplifying is cheapest while one operation still stands for many loops",
        work: Work::Rewrite(strata_hlo::run, strata_hlo::check),
    },
    StageInfo {
        stage: Stage::Spmd,
        number: 15,
        name: "spmd",
        contents: "the same for one device, on its parts of values; only where shardings split values",
        contract: "as at the end of `hlo`; no sharding is left",
        because: "which parts devices need is seen at whole operations, and their exchanges are simplified as others are",
        work: Work::Where(strata_spmd::applies, split, check_split),
    },
    StageInfo {
        stage: Stage::Linalg,
        number: 20,
        name: "linalg",
        contents: "linalg on tensors, tensor, arith, math, complex, scf",
        contract: "no StableHLO operation is left; integers are signless",
        because: "signedness and StableHLO's rules must be resolved while types still carry them",
        work: Work::Rewrite(strata_linalg::run, strata_linalg::check),
    },
    StageInfo {
        stage: Stage::Schedule,
        number: 30,
        name: "schedule",
        contents: "fused, packed, tiled; heavy nests already vector code on tensors",
        contract: "tensors only, in regions of one block; no vector above 4 KiB, no tag of a schedule",
        because: "tiling and fusion are exact on values; on buffers they would need alias analysis",
        work: Work::Steps(
            strata_schedule::run_observed,
            strata_schedule::check,
            strata_schedule::steps,
        ),
    },
    StageInfo {
        stage: Stage::Affine,
        number: 40,
        name: "affine",
        contents: "buffers planned into one arena; the remaining nests as affine loops",
        contract: "no tensor is left; every buffer is an argument, a constant or has an offset",
        because: "which buffers exist is known only after fusion removed the temporaries",
        work: Work::Steps(
            strata_loops::affine::run_observed,
            strata_loops::affine::check,
            strata_loops::affine::steps,
        ),
    },
    StageInfo {
        stage: Stage::Vector,
        number: 50,
        name: "vector",
        contents: "vector, memref, scf; vectors of the target's size, math as polynomials",
        contract: "only vectors that the target has",
        because: "unrolling to registers needs addresses, so buffers come first",
        work: Work::Rewrite(strata_loops::vector::run, strata_loops::vector::check),
    },
    StageInfo {
        stage: Stage::Llvm,
        number: 60,
        name: "llvm",
        contents: "the LLVM dialect and the exported wrappers",
        contract: "LLVM dialect only, with the marked entry and the exported function",
        because: "the ABI is fixed where pointers first appear",
        work: Work::Rewrite(strata_codegen::llvm::run, strata_codegen::llvm::check),
    },
    StageInfo {
        stage: Stage::LlvmIr,
        number: 70,
        name: "llvmir",
        contents: "LLVM IR after LLVM's own optimisation pipeline",
        contract: "verifies",
        because: "LLVM's scalar optimisations clean up addresses that MLIR leaves",
        work: Work::Translate,
    },
    StageInfo {
        stage: Stage::Asm,
        number: 80,
        name: "asm",
        contents: "the target's assembly",
        contract: "undefined symbols are on the allowed list, as the object's are",
        because: "it is the last readable form",
        work: Work::Emit,
    },
    StageInfo {
        stage: Stage::Obj,
        number: 80,
        name: "obj",
        contents: "the object file",
        contract: "undefined symbols are on the allowed list",
        because: "it is what the user links",
        work: Work::Emit,
    },
];

/// What exchanges values is simplified with what stage `hlo` left.
fn split<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    strata_spmd::run(context, module, options)?;
    strata_hlo::resume(context, module, options)
}

fn check_split(module: &Module<'_>, options: &Options) -> Result<(), Diagnostic> {
    strata_spmd::check(module)?;
    strata_hlo::check(module, options)
}

impl Stage {
    /// The stage's row of the table.
    pub fn info(self) -> &'static StageInfo {
        // Rows are in the order of the enum; a test holds them together.
        &STAGES[self as usize]
    }

    /// The stage of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        STAGES.iter().find(|info| info.name == name).map(|info| info.stage)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.info().name)
    }
}

impl StageInfo {
    /// Its steps in order; none where it is not divided.
    pub fn steps(&self) -> Vec<StepInfo> {
        match &self.work {
            Work::Steps(_, _, steps) => steps(),
            _ => Vec::new(),
        }
    }

    /// The stem of dumps and snapshots: `20-linalg`.
    pub fn stem(&self) -> String {
        format!("{:02}-{}", self.number, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_enum() {
        for (position, info) in STAGES.iter().enumerate() {
            assert_eq!(info.stage as usize, position, "{}", info.name);
            assert_eq!(Stage::from_name(info.name), Some(info.stage));
        }
    }
}
