//! The values of options that are a choice of words.

use clap::ValueEnum;

/// Where large constants go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightsLocation {
    /// Into the object
    Embed,
    /// Into a `.safetensors` file, which callers map
    External,
}

/// Who sees symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum VisibilityArg {
    /// Everyone: a shared library exports them
    #[default]
    Default,
    /// What is linked into the same shared library or program
    Hidden,
}

/// Whose meaning a program has where XLA and the specification differ: in windows of a scatter that are partly outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SemanticsArg {
    /// XLA's: such a window is dropped
    Xla,
    /// The specification's: those of its elements that are outside are dropped
    Spec,
}

/// Which loops become tasks.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum TasksArg {
    /// Those that run long enough to benefit
    #[default]
    Auto,
    /// None: the object runs on the calling thread only
    Never,
    /// All that can be, however short: for inspection
    Always,
}

/// Values of random inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RandomValues {
    /// Moderate ones
    Tame,
    /// Also NaN, infinities, subnormals, the limits of integer types
    Wild,
}

/// How samples are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MethodArg {
    /// By events where the system allows them, else by signals
    #[default]
    Auto,
    /// By `perf_event_open`
    Perf,
    /// By signals of a timer for each thread
    Signals,
}
