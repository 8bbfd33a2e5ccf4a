//! What a compilation is asked to do.

use crate::target::Target;

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

/// The options that the stages read. Plain data: no file names, nothing of the host.
#[derive(Clone, Debug)]
pub struct Options {
    /// Prefix of the exported symbols: `<name>_main`.
    pub name: String,
    /// The entry function; `None` takes the only public one.
    pub entry: Option<String>,
    /// The machine to compile for.
    pub target: Target,
    /// LLVM's optimisation level.
    pub opt_level: OptLevel,
    /// Leave no undefined symbol at all, not even libm's.
    pub freestanding: bool,
    /// Keep addresses mapped to StableHLO locations.
    pub debug_info: bool,
    /// Where the large constants go.
    pub weights: Weights,
    /// A transform-dialect schedule that replaces the built one (stage 30).
    pub schedule: Option<String>,
}

impl Options {
    /// The defaults for a target: `-O3`, hosted, named `model`.
    pub fn new(target: Target) -> Self {
        Self {
            name: "model".to_owned(),
            entry: None,
            target,
            opt_level: OptLevel::default(),
            freestanding: false,
            debug_info: false,
            weights: Weights::default(),
            schedule: None,
        }
    }
}
