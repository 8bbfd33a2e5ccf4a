//! The entry function's signature, as callers of the object see it.

use std::fmt;

use melior::{
    Context,
    ir::{Type, TypeLike},
};
use mlir_sys as sys;
use strata_diag::{Diagnostic, codes};

use crate::{
    attrs::{AttributeExt as _, array, type_attr, unit},
    devices::{Devices, PROGRAM},
    diagnostics::diagnostic_at,
    handles::Op,
    names::{INPUT_NAMES, OUTPUT_NAMES, parameter_names, recorded_names},
    prepared::Prepared,
    quantized::{Quantization, QuantizedType},
    shards::{Shard, Shards},
    types::TypeExt as _,
};

/// Marks the entry function from stage 20 on: a unit, or the function's original name if stage 60 renamed it.
pub const ENTRY: &str = "strata.entry";
/// The original input types (`tensor<3xui8>`), as type attributes.
pub const INPUTS: &str = "strata.inputs";
/// The original output types, as type attributes.
pub const OUTPUTS: &str = "strata.outputs";
/// For each output the input whose buffer it may share, or -1; only present if there is such an output.
pub const DONATIONS: &str = "strata.donations";
/// The outputs whose sizes depend on values: their shapes are the last outputs, in this order; only present if there is such an output.
pub const SHAPES: &str = "strata.shapes";
/// For each output, a map from the sizes that the entry takes, its last inputs, to how many elements of each dimension callers read;
/// only present in programs for sizes up to bounds.
pub const VALID: &str = "strata.valid";
/// For each input but the sizes, a map from these to how many elements of each dimension callers give: all others are zero. Beside
/// [`VALID`].
pub const ZEROS: &str = "strata.zeros";
/// On a function for given sizes: the arguments, inputs and outputs, that it takes as bytes, with the sizes of the call.
pub const IN_PLACE: &str = "strata.in_place";
/// On a dot of a program for sizes up to bounds whose rows or columns are those of several dimensions, of which an inner one ends at a
/// size: valid ones are not the first ones of all, so that each dimension keeps a loop of its own.
pub const APART: &str = "strata.apart";
/// On a dot or convolution of a program for sizes up to bounds that sums over an open size: how many products a sum has is known in a call
/// only.
pub const OPEN_SUMS: &str = "strata.open_sums";
/// In programs for sizes up to bounds, on a gather at the places of valid elements, that others may be any; on the product of a counter and
/// a size, from stage `schedule` on, the map from the sizes that the entry takes to that one.
pub const ROWS: &str = "strata.rows";
/// On a loop of stage `schedule`, a map from the same sizes: iterations from there on write nothing that is needed. On the end of a
/// loop in stage `affine`: it is limited so.
pub const LIMIT: &str = "strata.limit";
/// On a loop of stage `schedule` over blocks of a dimension, a number for it; on a loop inside that counts within a block, the same number
/// and a map as of [`LIMIT`]: iterations write nothing that is needed from where both counters together are the map's value.
pub const BLOCKS: &str = "strata.blocks";
/// On a selection in a loop with a limit, the same map: it chooses its first value for the elements whose place along the loop is below that.
/// On a comparison of a place that is read, the same for all lanes, the dimension along which it is read and a map as of [`LIMIT`]: the
/// comparison is true where the index along it is below that.
pub const MASK: &str = "strata.mask";
/// On a comparison of places that are read as a vector along a dimension, this dimension: places of lanes are their indices.
pub const PLACES: &str = "strata.places";
/// On a loop that reads vectors and carries extrema of them: elements that it reads again later change nothing.
pub const AGAIN: &str = "strata.again";
/// On a read of an operand of `narrow.matmul`, a number: reads for other sums have others, so that each is where its sums are computed.
pub const TILES: &str = "strata.tiles";
/// The replicas and partitions of a program that exchanges values between devices.
pub const DEVICES: &str = "strata.devices";
/// The [`WeightsFile`], from stage 60 on.
pub const WEIGHTS: &str = "strata.weights";
/// Marks the functions that stage 40 outlines, and the prefix of their names.
pub const KERNEL: &str = "strata.kernel";
/// Marks the functions of formulas that few numbers need, which stage `vector` makes, and the prefix of their names.
pub const FORMULA: &str = "strata.formula";
/// Marks the functions of operations of `math` that a program has at many places, which stage `vector` makes where a client waits for
/// the compilation, and the prefix of their names.
pub const MATH: &str = "strata.math";
/// Marks selections that nearly always choose their second value, and whose first one costs far more: stage `vector` computes that
/// only where a block of elements needs it. In that stage it also marks branches that are nearly never taken.
pub const RARELY: &str = "strata.rarely";
/// The name of the schedule that a nest has, on its outermost loops. Stages ask whether there is one; the name is for readers.
pub const SCHEDULE: &str = "strata.schedule";
/// On the outermost loops of a nest: it reads panels of an operand one after the other, each packed in the order of its rows.
pub const PACKED: &str = "strata.packed";
/// On a function: it consists of this number of tasks, calls of which may run concurrently; its last three arguments are the
/// first task, the end of the range, and the slot of per-task memory. On a loop in stage `affine`: it becomes such a function.
pub const TASKS: &str = "strata.tasks";
/// Besides [`TASKS`]: one call may run several tasks. Otherwise tasks are called one by one, so that LLVM's optimisation of a
/// loop over them cannot make results depend on the ranges.
pub const RANGES: &str = "strata.ranges";
/// Besides [`RANGES`]: of so many tasks that follow each other, each range repeats some work, such as packing a panel. An executor
/// gets them in groups, as few as its threads need.
pub const PARTS: &str = "strata.parts";
/// Bytes of workspace that the entry needs, from stage 40 on.
pub const WORKSPACE_SIZE: &str = "strata.workspace_size";

/// Alignment of the workspace in bytes: a cache line, and the widest vector.
pub const WORKSPACE_ALIGNMENT: u64 = 64;
/// Marks an entry that calls functions for the sizes of a call, from the end of stage `vector` on: it takes inputs and outputs as
/// bytes, the workspace, and the values of its symbols, as bytes too.
pub const DISPATCH: &str = "strata.dispatch";

/// The type of one element of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// `i1`, one byte per element: 0 or 1.
    Bool,
    /// Signed integers of 2, 4, 8, 16, 32 or 64 bits; sub-byte ones take one byte each.
    Signed(u32),
    /// Unsigned integers, as [`Self::Signed`].
    Unsigned(u32),
    /// `f64`, `f32`, `f16` by their bits.
    Float(u32),
    /// `bf16`.
    BFloat16,
    /// The formats of 4, 6 and 8 bits, by their MLIR name (`f8E4M3FN`), one byte each.
    SmallFloat(&'static str),
    /// A pair of `f32` (64 bits) or `f64` (128 bits): real, imaginary.
    Complex(u32),
}

const SMALL_FLOATS: &[&str] = &[
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E3M4",
    "f8E4M3",
    "f8E4M3B11FNUZ",
    "f8E4M3FN",
    "f8E4M3FNUZ",
    "f8E5M2",
    "f8E5M2FNUZ",
    "f8E8M0FNU",
];

impl ElementType {
    /// The element type of an MLIR type; `None` for unsupported types.
    pub fn from_type(ty: Type<'_>) -> Option<Self> {
        let bits = ty.bit_width()?;
        if ty.is_complex() {
            return Some(Self::Complex(bits));
        }
        if ty.is_int() {
            return Some(match bits {
                1 => Self::Bool,
                _ if ty.is_unsigned_int() => Self::Unsigned(bits),
                _ => Self::Signed(bits),
            });
        }
        // SAFETY: the type lives as long as its context.
        if unsafe { sys::mlirTypeIsABF16(ty.to_raw()) } {
            return Some(Self::BFloat16);
        }
        if !ty.is_float_type() {
            return None;
        }
        match bits {
            64 | 32 | 16 => Some(Self::Float(bits)),
            _ => {
                let name = ty.to_string();
                SMALL_FLOATS.iter().find(|known| **known == name).map(|name| Self::SmallFloat(name))
            }
        }
    }

    /// Bytes of one element in a dense buffer.
    pub fn byte_width(self) -> u64 {
        match self {
            Self::Bool | Self::SmallFloat(_) => 1,
            Self::BFloat16 => 2,
            Self::Signed(bits) | Self::Unsigned(bits) | Self::Float(bits) | Self::Complex(bits) => {
                u64::from(bits.div_ceil(8))
            }
        }
    }

    /// The bytes of the element that changes no sum: the negative zero where there is one, which keeps the sign of a zero. `None` for a
    /// type without zero.
    pub fn neutral_of_sums(self) -> Option<Vec<u8>> {
        let negative = |bits: u32| {
            let mut bytes = vec![0; bits as usize / 8];
            bytes[bits as usize / 8 - 1] = 0x80;
            bytes
        };
        Some(match self {
            Self::Bool | Self::Signed(_) | Self::Unsigned(_) => vec![0; self.byte_width() as usize],
            Self::Float(bits) => negative(bits),
            Self::BFloat16 => negative(16),
            Self::Complex(bits) => [negative(bits / 2), negative(bits / 2)].concat(),
            Self::SmallFloat("f8E8M0FNU") => return None,
            // The bits of a negative zero are those of NaN.
            Self::SmallFloat(name) if name.ends_with("FNUZ") => vec![0],
            Self::SmallFloat("f4E2M1FN") => vec![0x08],
            Self::SmallFloat("f6E2M3FN" | "f6E3M2FN") => vec![0x20],
            Self::SmallFloat(_) => vec![0x80],
        })
    }
}

impl fmt::Display for ElementType {
    /// The StableHLO spelling: `i1`, `i8`, `ui8`, `f32`, `bf16`, `f8E4M3FN`, `complex<f32>`.
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Bool => formatter.write_str("i1"),
            Self::Signed(bits) => write!(formatter, "i{bits}"),
            Self::Unsigned(bits) => write!(formatter, "ui{bits}"),
            Self::Float(bits) => write!(formatter, "f{bits}"),
            Self::BFloat16 => formatter.write_str("bf16"),
            Self::SmallFloat(name) => formatter.write_str(name),
            Self::Complex(bits) => write!(formatter, "complex<f{}>", bits / 2),
        }
    }
}

/// One input or output: a dense row-major buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorSpec {
    /// The dimensions, outermost first; empty for a scalar.
    pub shape: Vec<u64>,
    /// The element type; of quantized elements that of the integers that are stored.
    pub element: ElementType,
    /// What the integers mean; `None` for elements that are not quantized.
    pub quantization: Option<Box<Quantization>>,
}

impl TensorSpec {
    /// A buffer of elements that are not quantized.
    pub fn new(shape: Vec<u64>, element: ElementType) -> Self {
        Self { shape, element, quantization: None }
    }

    /// The element type, and what it means if it is quantized.
    fn elements(ty: Type<'_>) -> Option<(ElementType, Option<Box<Quantization>>)> {
        match QuantizedType::of(ty) {
            Some(quantized) => Some((
                ElementType::from_type(quantized.storage)?,
                Some(Box::new(quantized.parameters()?)),
            )),
            None => Some((ElementType::from_type(ty)?, None)),
        }
    }

    /// The size of a dimension that the type does not say.
    pub const UNKNOWN: u64 = u64::MAX;

    /// The spec of a ranked tensor type, with [`Self::UNKNOWN`] for sizes that are known only at run time.
    pub fn open(ty: Type<'_>) -> Option<Self> {
        let size = |size: i64| u64::try_from(size).unwrap_or(Self::UNKNOWN);
        let shape = ty.shape()?.into_iter().map(size).collect();
        let (element, quantization) = Self::elements(ty.element())?;
        Some(Self { shape, element, quantization })
    }

    /// Whether a size is unknown.
    pub fn is_open(&self) -> bool {
        self.shape.contains(&Self::UNKNOWN)
    }

    /// The spec of a static ranked tensor type.
    pub fn from_type(ty: Type<'_>) -> Option<Self> {
        let shape = ty.shape()?.into_iter().map(u64::try_from).collect::<Result<_, _>>().ok()?;
        ty.element_count()?;
        let (element, quantization) = Self::elements(ty.element())?;
        Some(Self { shape, element, quantization })
    }

    /// The number of elements.
    pub fn element_count(&self) -> u64 {
        match self.shape.contains(&0) {
            true => 0,
            false => self.shape.iter().fold(1, |count, size| count.saturating_mul(*size)),
        }
    }

    /// Bytes of the buffer.
    pub fn byte_count(&self) -> u64 {
        self.element_count().saturating_mul(self.element.byte_width())
    }
}

impl fmt::Display for TensorSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("tensor<")?;
        for size in &self.shape {
            match *size {
                Self::UNKNOWN => formatter.write_str("?x")?,
                size => write!(formatter, "{size}x")?,
            }
        }
        write!(formatter, "{}>", self.element)
    }
}

/// The weights file of an entry with external weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WeightsFile {
    /// Bytes of the weights.
    pub size: u64,
    /// Their offset in the file.
    pub offset: u64,
    /// FNV-1a of the bytes before them, which contain names and the hash of the data.
    pub header_hash: u64,
}

impl WeightsFile {
    /// The value of the attribute [`WEIGHTS`] of a function.
    pub fn of(func: Op<'_>) -> Option<Self> {
        let [size, offset, hash] = func.attr(WEIGHTS)?.as_i64s()?[..] else { return None };
        Some(Self { size: size as u64, offset: offset as u64, header_hash: hash as u64 })
    }

    /// The numbers of the attribute [`WEIGHTS`]; the hash with its bits as a signed number.
    pub fn numbers(self) -> [i64; 3] {
        [self.size as i64, self.offset as i64, self.header_hash as i64]
    }
}

/// What the entry takes and returns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The entry function's name in the program.
    pub entry: String,
    /// The inputs in order.
    pub inputs: Vec<TensorSpec>,
    /// The outputs in order.
    pub outputs: Vec<TensorSpec>,
    /// Outputs that may share an input's buffer, by ascending output: (output, input).
    pub donations: Vec<(usize, usize)>,
    /// Outputs of which only the first elements of each dimension are valid, by ascending output: (output, output that is its shape).
    pub shapes: Vec<(usize, usize)>,
    /// Where the weights are, unless they are in the object.
    pub weights: Option<WeightsFile>,
    /// The block that it takes or makes, where inputs are prepared.
    pub prepared: Option<Prepared>,
    /// The names of its inputs, `""` for unnamed ones; empty if none is named.
    pub input_names: Vec<String>,
    /// The same for its outputs.
    pub output_names: Vec<String>,
    /// The devices that the program is for, if it exchanges values between several.
    pub devices: Option<Devices>,
    /// What inputs and outputs are parts of, if values are split over the devices.
    pub shards: Option<Shards>,
    /// The hash of such a program.
    pub program: Option<i64>,
}

impl Signature {
    /// Reads the signature that [`record_signature`] wrote.
    ///
    /// # Errors
    /// `S9002` if the function has none: a stage lost it.
    pub fn of(func: Op<'_>) -> Result<Self, Diagnostic> {
        let has_open_sizes = func.has_attr(DISPATCH);
        let spec = |ty: Type<'_>| match has_open_sizes {
            true => TensorSpec::open(ty),
            false => TensorSpec::from_type(ty),
        };
        let list = |name: &str| {
            func.attr(name)
                .and_then(|types| types.as_array())
                .and_then(|types| {
                    types.into_iter().map(|ty| spec(ty.as_type()?)).collect::<Option<Vec<_>>>()
                })
                .ok_or_else(|| {
                    diagnostic_at(codes::S9002, func)
                        .reason(format!("the entry function has no valid attribute `{name}`"))
                })
        };
        let (inputs, outputs) = (list(INPUTS)?, list(OUTPUTS)?);
        Ok(Self {
            // Stage 60 renames the function, and stores its original name in the marker.
            entry: func
                .attr(ENTRY)
                .and_then(|mark| mark.as_str())
                .unwrap_or_else(|| crate::module::function_name(func))
                .to_owned(),
            donations: donations(func),
            shapes: shapes(func, outputs.len()),
            weights: WeightsFile::of(func),
            prepared: Prepared::of(func),
            input_names: recorded_names(func, INPUT_NAMES, inputs.len()),
            output_names: recorded_names(func, OUTPUT_NAMES, outputs.len()),
            devices: devices(func),
            shards: Shards::of(func),
            program: program(func),
            inputs,
            outputs,
        })
    }

    /// The grid of devices that the program runs on, if there are several.
    pub fn grid(&self) -> Option<Devices> {
        let split = self.shards.as_ref();
        let split = split.map(|shards| Devices {
            replicas: shards.replicas,
            partitions: shards.devices.len() as i64 / shards.replicas,
        });
        self.devices.or(split)
    }

    /// The same with whole inputs and outputs, where values are split over devices.
    #[must_use]
    pub fn whole(&self) -> Self {
        let mut whole = self.clone();
        if let Some(shards) = &self.shards {
            let of = |specs: &mut Vec<TensorSpec>, shards: &[Shard]| {
                for (spec, shard) in specs.iter_mut().zip(shards) {
                    spec.shape = shard.shape.iter().map(|size| *size as u64).collect();
                }
            };
            of(&mut whole.inputs, &shards.inputs);
            of(&mut whole.outputs, &shards.outputs);
        }
        whole
    }

    /// The bytes of the elements of inputs, and of outputs.
    pub fn widths(&self) -> [Vec<usize>; 2] {
        let of = |specs: &[TensorSpec]| {
            specs.iter().map(|spec| spec.element.byte_width() as usize).collect()
        };
        [of(&self.inputs), of(&self.outputs)]
    }

    /// For each input the bytes of an element that changes no sum, with which parts are filled up that have no element of a whole.
    pub fn fillers(&self) -> Vec<Vec<u8>> {
        let of = |spec: &TensorSpec| {
            spec.element
                .neutral_of_sums()
                .unwrap_or_else(|| vec![0; spec.element.byte_width() as usize])
        };
        self.inputs.iter().map(of).collect()
    }

    /// A valid parameter name in C, C++ and Rust for each input and output, all different and none of `taken`.
    pub fn parameters(&self, taken: &[String]) -> [Vec<String>; 2] {
        parameter_names(
            taken,
            &self.input_names,
            self.inputs.len(),
            &self.output_names,
            self.outputs.len(),
        )
    }

    /// The output that may share the buffer of input `input`.
    pub fn output_of_donated(&self, input: usize) -> Option<usize> {
        self.donations.iter().find(|(_, donated)| *donated == input).map(|(output, _)| *output)
    }
}

fn devices(func: Op<'_>) -> Option<Devices> {
    let [replicas, partitions] = func.attr(DEVICES)?.as_i64s()?[..] else { return None };
    Some(Devices { replicas, partitions })
}

fn program(func: Op<'_>) -> Option<i64> {
    let root = std::iter::successors(Some(func), |op| op.parent()).last()?;
    root.attr(PROGRAM)?.as_i64()
}

fn donations(func: Op<'_>) -> Vec<(usize, usize)> {
    let inputs = func.attr(DONATIONS).and_then(|list| list.as_i64s()).unwrap_or_default();
    let pairs = inputs.into_iter().enumerate();
    pairs.filter_map(|(output, input)| Some((output, usize::try_from(input).ok()?))).collect()
}

/// The outputs of a function whose sizes depend on values, each with the number of the output that is its shape.
pub fn shapes(func: Op<'_>, outputs: usize) -> Vec<(usize, usize)> {
    let list = func.attr(SHAPES).and_then(|list| list.as_i64s()).unwrap_or_default();
    let Some(first) = outputs.checked_sub(list.len()) else { return Vec::new() };
    let pairs = list.into_iter().zip(first..);
    pairs.filter_map(|(output, shape)| Some((usize::try_from(output).ok()?, shape))).collect()
}

/// Marks `func` as the entry and records the original types of its inputs and outputs.
pub fn record_signature<'c>(
    context: &'c Context,
    func: Op<'c>,
    inputs: &[Type<'c>],
    outputs: &[Type<'c>],
) {
    func.set_attr(ENTRY, unit(context));
    record_types(context, func, inputs, outputs);
}

/// Records the original types of inputs and outputs on `func`, where a stage before `linalg` changes them.
pub fn record_types<'c>(
    context: &'c Context,
    func: Op<'c>,
    inputs: &[Type<'c>],
    outputs: &[Type<'c>],
) {
    let types = |list: &[Type<'c>]| {
        array(context, &list.iter().map(|ty| type_attr(*ty)).collect::<Vec<_>>())
    };
    func.set_attr(INPUTS, types(inputs));
    func.set_attr(OUTPUTS, types(outputs));
}

/// The types that [`record_types`] recorded.
pub fn recorded_types(func: Op<'_>) -> Option<(Vec<Type<'_>>, Vec<Type<'_>>)> {
    let list = |name: &str| {
        let types = func.attr(name)?.as_array()?;
        types.into_iter().map(|ty| ty.as_type()).collect::<Option<Vec<_>>>()
    };
    Some((list(INPUTS)?, list(OUTPUTS)?))
}

/// The program for sizes up to bounds that an operation is in, or is ([`VALID`]).
pub fn bounded_entry(op: Op<'_>) -> Option<Op<'_>> {
    std::iter::successors(Some(op), |op| op.parent()).find(|op| op.has_attr(VALID))
}

/// The function marked as the entry, from stage 20 on.
///
/// # Errors
/// `S9002` if no function is marked: a stage lost the marker.
pub fn marked_entry<'c>(module: &crate::Module<'c>) -> Result<Op<'c>, Diagnostic> {
    let root = crate::module::module_op(module);
    root.body(0).ops().into_iter().find(|op| op.has_attr(ENTRY)).ok_or_else(|| {
        diagnostic_at(codes::S9002, root).reason("no function carries the attribute `strata.entry`")
    })
}
