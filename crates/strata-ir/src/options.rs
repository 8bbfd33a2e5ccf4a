//! What a compilation is asked to do.

use std::sync::Arc;

use crate::{signature::WeightsFile, target::Target};

/// How hard LLVM optimises (`-O0` to `-O3`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptLevel {
    /// As written; for looking at the code.
    None,
    /// Quick.
    Less,
    /// Usual.
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
    /// Into a file of their own, which callers map.
    External,
}

/// Which nests are cut into tasks, which the caller's executor may run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tasks {
    /// None: the object never calls an executor.
    Never,
    /// Those that take long enough.
    #[default]
    Worthwhile,
    /// All that can be: for tests, which would see few in small programs.
    Always,
}

/// Passes that whoever compiles adds behind a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedPasses {
    /// The stage's name.
    pub stage: String,
    /// A pipeline of MLIR's, of LLVM's behind stage `llvmir`, or the name of a pass that was registered.
    pub passes: String,
}

/// The constants of all programs of an object, in one file.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedWeights {
    /// The file.
    pub file: WeightsFile,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Where each constant begins, and its bytes.
    pub places: Vec<(usize, usize)>,
}

impl SharedWeights {
    /// Where a constant begins.
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

/// The options that the stages read. Plain data: no file names, nothing of the host.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prefix of the exported symbols: `<name>_main`.
    pub name: String,
    /// The entry function; `None` takes the only public one.
    pub entry: Option<String>,
    /// The entry functions, where the object has several; `entry` is then not looked at.
    pub entries: Vec<String>,
    /// The machine to compile for.
    pub target: Target,
    /// The machines that the object has code for, where these are several; `target` is then what all machines of the
    /// architecture are.
    pub versions: Vec<Target>,
    /// LLVM's optimisation level.
    pub opt_level: OptLevel,
    /// Leave no undefined symbol at all, not even libm's.
    pub freestanding: bool,
    /// Keep addresses mapped to StableHLO locations.
    pub debug_info: bool,
    /// Where the large constants go.
    pub weights: Weights,
    /// The file of the constants, where several programs have one together.
    pub shared_weights: Option<Arc<SharedWeights>>,
    /// Passes to run behind stages, in this order.
    pub added: Vec<AddedPasses>,
    /// Which nests become tasks.
    pub tasks: Tasks,
    /// A transform-dialect schedule that replaces the built one (stage 30).
    pub schedule: Option<String>,
    /// What diagnostics call the file with [`Self::schedule`].
    pub schedule_name: Option<String>,
}

impl Options {
    /// The defaults for a target: `-O3`, hosted, named `model`.
    pub fn new(target: Target) -> Self {
        Self {
            name: "model".to_owned(),
            entry: None,
            entries: Vec::new(),
            target,
            versions: Vec::new(),
            opt_level: OptLevel::default(),
            freestanding: false,
            debug_info: false,
            weights: Weights::default(),
            shared_weights: None,
            added: Vec::new(),
            tasks: Tasks::default(),
            schedule: None,
            schedule_name: None,
        }
    }

    /// Whether the object holds several programs, or one for several machines.
    pub fn is_joint(&self) -> bool {
        self.entries.len() > 1 || self.versions.len() > 1
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
