//! The operations, by family.

mod batch_norm;
mod calls;
mod collective;
mod compare;
mod control;
mod conv;
mod convert;
mod dot;
mod dynamic;
mod elementwise;
mod gather;
mod host;
mod linear_algebra;
mod movement;
mod reduce;
mod rng;
mod sort;
mod tuple;
mod window;

pub use calls::{Aliasing, ApiVersion, CustomCall};
pub use collective::{ChannelHandle, CollectiveOptions};
pub use conv::{ConvOptions, ConvolutionDimensionNumbers};
pub use dot::{DotDimensionNumbers, DotOptions, RaggedDotDimensionNumbers};
pub use elementwise::{AccuracyMode, ResultAccuracy};
pub use gather::{GatherDimensionNumbers, ScatterDimensionNumbers, ScatterOptions};
pub use movement::PaddingDimension;
pub use rng::RandomAlgorithm;
pub use strata_ir::{FftType, Precision, Transpose};
pub use window::{Padding, Window};
