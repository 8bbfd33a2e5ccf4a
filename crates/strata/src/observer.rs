//! Watching a compilation: dumps, timings and snapshots are observers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use strata_codegen::LlvmIr;
use strata_ir::{
    Module, Part, WalkOrder, module_op, print, print_elided, print_elided_with_locations,
};

use crate::{remarks::Remarks, stage::StageInfo};

/// The output of a stage, for observers.
pub enum Product<'a, 'c> {
    /// An MLIR module.
    Mlir(&'a Module<'c>),
    /// LLVM IR.
    Llvm(&'a LlvmIr),
    /// Assembly.
    Text(&'a str),
    /// The object file.
    Bytes(&'a [u8]),
}

impl Product<'_, '_> {
    /// The text that `--from` reads back; `None` for the object.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Mlir(module) => Some(print(module, false)),
            Self::Llvm(ir) => Some(ir.text()),
            Self::Text(text) => Some((*text).to_owned()),
            Self::Bytes(_) => None,
        }
    }

    /// As [`Self::text`], with source locations.
    pub fn text_with_locations(&self) -> Option<String> {
        match self {
            Self::Mlir(module) => Some(print(module, true)),
            _ => self.text(),
        }
    }

    /// The text for a reader: as [`Self::text`], with constants of more than `limit` elements
    /// elided.
    pub fn elided(&self, limit: i64) -> Option<String> {
        match self {
            Self::Mlir(module) => Some(print_elided(module, limit)),
            _ => self.text(),
        }
    }

    /// As [`Self::elided`], with source locations.
    pub fn elided_with_locations(&self, limit: i64) -> Option<String> {
        match self {
            Self::Mlir(module) => Some(print_elided_with_locations(module, limit)),
            _ => self.text(),
        }
    }

    /// Its size and the unit.
    pub fn size(&self) -> (usize, &'static str) {
        match self {
            Self::Mlir(module) => {
                let mut count = 0;
                module_op(module).walk(WalkOrder::Pre, &mut |_| count += 1);
                // The module operation itself does not count.
                (count - 1, "operations")
            }
            Self::Llvm(ir) => (ir.instruction_count().unwrap_or(0), "instructions"),
            Self::Text(text) => (text.lines().count(), "lines"),
            Self::Bytes(bytes) => (bytes.len(), "bytes"),
        }
    }
}

/// The parts of an object that holds several programs, or one for several processors or sizes, and how many of them are compiled.
/// Parts may be compiled on several threads: clones see the same count.
#[derive(Clone, Debug)]
pub struct PartCount {
    /// How many there are.
    pub count: usize,
    /// What one is: `program`, or `version` of a program.
    pub noun: &'static str,
    finished: Arc<AtomicUsize>,
}

impl PartCount {
    /// None of them is compiled.
    pub fn new(count: usize, noun: &'static str) -> Self {
        Self { count, noun, finished: Arc::default() }
    }

    /// How many are compiled.
    pub fn finished(&self) -> usize {
        self.finished.load(Ordering::Relaxed)
    }

    /// Counts one more.
    pub fn finish_one(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }
}

/// Called for every stage once it has finished and its contract holds.
pub trait Observer {
    /// The object has parts, which are compiled next.
    fn parts_planned(&mut self, _parts: &PartCount) {}

    /// The stages that follow are of the part `name` of an object that holds several programs, or one for several
    /// processors (`decode.x86-64-v3`); of the whole object where it is empty.
    fn part_started(&mut self, _name: &str) {}

    /// Whether the stages of a part are told. If no observer wants them, parts are compiled at the same time, and
    /// [`Self::part_started`] is told of some of them only.
    fn wants_stages(&self) -> bool {
        true
    }

    /// Stage `info` begins, number `number` of the `count` stages that run.
    fn stage_started(&mut self, _info: &StageInfo, _number: usize, _count: usize) {}

    /// The parts of stage `info` and their times. Requested by [`Self::wants_parts`].
    fn parts_finished(&mut self, _info: &StageInfo, _parts: &[Part]) {}

    /// Verification and the check of the contract after stage `info` took `elapsed`.
    fn stage_checked(&mut self, _info: &StageInfo, _elapsed: Duration) {}

    /// Stage `info` took `elapsed`, contract check and verification not counted.
    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, elapsed: Duration);

    /// Step `number` of stage `info`, called `name`, took `elapsed`. Between steps the module is only known to verify.
    fn step_finished(
        &mut self,
        _info: &StageInfo,
        _number: usize,
        _name: &str,
        _product: &Product<'_, '_>,
        _elapsed: Duration,
    ) {
    }

    /// What became of each operation of the program, once all stages have run. Called if [`Self::wants_remarks`].
    fn remarked(&mut self, _remarks: &Remarks) {}

    /// Whether to follow operations through the stages.
    fn wants_remarks(&self) -> bool {
        false
    }

    /// Whether to follow operations further than to stage `vector`: the debug information of later stages has lines of the file
    /// [`ORIGINS`](strata_remarks::ORIGINS) then, which are positions in [`Remarks::origins`]. It is not that of the program, but the
    /// code is the same. Needs [`Self::wants_remarks`].
    fn wants_origins(&self) -> bool {
        false
    }

    /// Whether to produce assembly on the way to an object, which does not need it.
    fn wants_assembly(&self) -> bool {
        true
    }

    /// Whether to time the parts of stages.
    fn wants_parts(&self) -> bool {
        false
    }
}
