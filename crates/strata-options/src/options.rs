//! Compilation options.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use strata_ir::{Context, Module, Prepare, Semantics, WeightsFile, allow_excess_precision};
use strata_target::{Target, tuning::quick::MAX_NEST_WORK};

use crate::laid_out::LaidOut;

/// How much is optimised (`-O0` to `-O3`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptLevel {
    /// Nothing by LLVM; for inspecting the code.
    None,
    /// What pays in compile time: nests have less code than is fastest, and LLVM runs a few passes.
    Less,
    /// LLVM's usual passes.
    Default,
    /// Everything.
    #[default]
    Aggressive,
}

impl OptLevel {
    /// The level for a digit 0 to 3.
    pub fn from_digit(digit: u8) -> Option<Self> {
        [Self::None, Self::Less, Self::Default, Self::Aggressive].get(usize::from(digit)).copied()
    }

    /// The digit, 0 to 3.
    pub fn digit(self) -> u8 {
        self as u8
    }
}

/// Where the large constants of a program go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Into the object.
    #[default]
    Embedded,
    /// Into a weights file, which callers map.
    External,
}

/// Who sees the symbols of an object, once a shared library or a program is linked of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone: a shared library exports them.
    #[default]
    Default,
    /// What is linked into the same shared library or program.
    Hidden,
}

/// Which nests are split into tasks, which the caller's executor may run concurrently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tasks {
    /// None: the object never calls an executor.
    Never,
    /// Those that run long enough.
    #[default]
    Worthwhile,
    /// All that can be: for tests, whose programs are small.
    Always,
}

/// Which outputs are written by stores that bypass the caches (x86's non-temporal ones), where nothing of the program reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streaming {
    /// None.
    Never,
    /// Those that caches do not hold anyway.
    #[default]
    Worthwhile,
    /// All that can be: for tests, whose programs are small.
    Always,
}

/// Passes that the caller adds after a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedPasses {
    /// The stage's name.
    pub stage: String,
    /// An MLIR pipeline, an LLVM pipeline after stage `llvmir`, or the name of a registered pass.
    pub passes: String,
}

/// The constants of all programs of an object, in one file.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedWeights {
    /// The file.
    pub file: WeightsFile,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// The offset of each constant, and its bytes.
    pub places: Vec<(usize, usize)>,
}

impl SharedWeights {
    /// The offset of a constant.
    pub fn find(&self, content: &[u8]) -> Option<usize> {
        let holds = |(offset, size): &(usize, usize)| {
            *size == content.len() && self.bytes.get(*offset..offset + size) == Some(content)
        };
        self.places.iter().copied().find(holds).map(|(offset, _)| offset)
    }
}

impl std::fmt::Debug for SharedWeights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "SharedWeights({} in {} bytes)", self.places.len(), self.bytes.len())
    }
}

/// How many schedules of a file were used, by all parts of an object together.
#[derive(Clone, Debug, Default)]
pub struct UsedSchedules(Arc<AtomicUsize>);

impl UsedSchedules {
    /// One more was.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The options that the stages read. Plain data: no file names, nothing host-specific.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prefix of the exported symbols: `<name>_main`.
    pub name: String,
    /// The entry function; `None` takes the only public one.
    pub entry: Option<String>,
    /// The entry functions, where the object has several; `entry` is then ignored.
    pub entries: Vec<String>,
    /// Values of the symbols that sizes of inputs depend on.
    pub bind: Vec<(String, i64)>,
    /// Whether a symbol may stay open: the object then takes its value at each call.
    pub open: bool,
    /// Values of the open symbol that an object for any has code of its own for.
    pub specialize: Vec<(String, i64)>,
    /// The largest values of open symbols.
    pub max: Vec<(String, i64)>,
    /// Symbols that the program is compiled for any size of, up to this one: dimensions have that size, and the program takes
    /// the actual sizes after its inputs.
    pub bounds: Vec<(String, i64)>,
    /// The smallest sizes of symbols in `bounds` that the program is called with, where these are not the program's own.
    pub least: Vec<(String, i64)>,
    /// It is one of the functions that an entry with dynamic shapes calls: inputs keep their contents, which others may need.
    pub is_specialization: bool,
    /// The shapes of the outputs of such a function, where they may have more dimensions than those of the entry.
    pub output_buffers: Vec<Vec<i64>>,
    /// The shapes of the inputs, in place of [`Self::bind`].
    pub input_shapes: Option<Vec<Vec<i64>>>,
    /// What the program means where XLA and the specification differ, whatever it says itself.
    pub semantics: Option<Semantics>,
    /// Whether numbers of `bf16` and `f16` may have more digits than their type, until something other than arithmetic reads them.
    pub excess_precision: bool,
    /// Whether arithmetic of `f32` and `f64` may take subnormal numbers as zeros, as operands and as results: the processor is told so for each call.
    pub flush_subnormals: bool,
    /// The machine to compile for.
    pub target: Target,
    /// The machines that the object has code for, where these are several; `target` is then the baseline
    /// of the architecture.
    pub versions: Vec<Target>,
    /// How much is optimised.
    pub opt_level: OptLevel,
    /// Threads that compile, the calling one included; 0: one for each processor. Results do not depend on it.
    pub compile_threads: usize,
    /// Leave no undefined symbol at all, not even libm's.
    pub freestanding: bool,
    /// Keep addresses mapped to StableHLO locations.
    pub debug_info: bool,
    /// Where the large constants go.
    pub weights: Weights,
    /// Which constants are stored in the layouts in which nests read them.
    pub laid_out: LaidOut,
    /// Which inputs are laid out once, by a function of their own.
    pub prepare: Prepare,
    /// Who sees the object's symbols.
    pub visibility: Visibility,
    /// The shared weights file of several programs.
    pub shared_weights: Option<Arc<SharedWeights>>,
    /// Passes to run after stages, in this order.
    pub added: Vec<AddedPasses>,
    /// Which nests become tasks.
    pub tasks: Tasks,
    /// Which outputs bypass the caches.
    pub streaming: Streaming,
    /// Whether the code is linked in this process and not kept: the object then has no table of its signature, few buffers are passed
    /// to it as arguments, and LLVM does less for programs that do little.
    pub in_process: bool,
    /// A transform-dialect schedule that replaces the built one (stage 30), or a file of schedules by nest.
    pub schedule: Option<String>,
    /// The name of the file with [`Self::schedule`] in diagnostics.
    pub schedule_name: Option<String>,
    /// Counts the schedules of a file that were used; copies of the options share it.
    pub used_schedules: UsedSchedules,
}

impl Options {
    /// The smallest values of the sizes that a specialisation takes, in the order of `bounds`.
    pub fn least_sizes(&self) -> Vec<i64> {
        let least = |name: &String| {
            let called = self.least.iter().find(|(own, _)| own == name);
            called.map_or(0, |(_, least)| *least)
        };
        self.bounds.iter().map(|(name, _)| least(name)).collect()
    }

    /// The defaults for a target: `-O3`, hosted, named `model`.
    pub fn new(target: Target) -> Self {
        Self {
            name: "model".to_owned(),
            entry: None,
            entries: Vec::new(),
            bind: Vec::new(),
            open: false,
            specialize: Vec::new(),
            max: Vec::new(),
            bounds: Vec::new(),
            least: Vec::new(),
            is_specialization: false,
            output_buffers: Vec::new(),
            input_shapes: None,
            semantics: None,
            excess_precision: false,
            flush_subnormals: false,
            target,
            versions: Vec::new(),
            opt_level: OptLevel::default(),
            compile_threads: 0,
            freestanding: false,
            debug_info: false,
            weights: Weights::default(),
            laid_out: LaidOut::All,
            prepare: Prepare::default(),
            visibility: Visibility::default(),
            shared_weights: None,
            added: Vec::new(),
            tasks: Tasks::default(),
            streaming: Streaming::default(),
            in_process: false,
            schedule: None,
            schedule_name: None,
            used_schedules: UsedSchedules::default(),
        }
    }

    /// Has a program mean what these options say, whatever it says itself.
    pub fn settle_meaning<'c>(&self, context: &'c Context, module: &Module<'c>) {
        if let Some(semantics) = self.semantics {
            semantics.set(context, module);
        }
        if self.excess_precision {
            allow_excess_precision(context, module);
        }
    }

    /// The vector instructions that a nest runs in a call, at most, for it to have less code than is fastest, which takes less time to
    /// compile; `None` where no nest has.
    pub fn short_work(&self) -> Option<i64> {
        match self.opt_level {
            OptLevel::Less => Some(i64::MAX),
            _ => self.in_process.then_some(MAX_NEST_WORK),
        }
    }

    /// Whether the object holds several programs, one for several machines, or one with a function that prepares its inputs.
    pub fn is_joint(&self) -> bool {
        self.entries.len() > 1 || self.versions.len() > 1 || self.prepare.is_joint()
    }

    /// What was permitted that changes results, for the header's first line; nothing by default.
    pub fn permissions(&self) -> &'static str {
        match (self.excess_precision, self.flush_subnormals) {
            (false, false) => "",
            (true, false) => ", with excess precision",
            (false, true) => ", with subnormal numbers as zeros",
            (true, true) => ", with excess precision, with subnormal numbers as zeros",
        }
    }

    /// The processors that the object is for, by name.
    pub fn processors(&self) -> String {
        let all = if self.versions.is_empty() {
            std::slice::from_ref(&self.target)
        } else {
            &self.versions
        };
        let names: Vec<_> = all.iter().map(|target| target.cpu.as_str()).collect();
        names.join(", ")
    }
}
