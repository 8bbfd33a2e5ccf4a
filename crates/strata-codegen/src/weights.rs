//! The large constants of a program: LLVM neither sees nor copies them.
//!
//! They stay attributes of the MLIR module as long as there is one, then become one block of bytes, which goes into the
//! object as a section ([`crate::embed`]) or into a separate `.safetensors` file.
//!
//! ```text
//! llvm.mlir.global private constant @c(dense<…> : tensor<768x768xf32>)   becomes
//! llvm.mlir.global external hidden constant @c                           and bytes at an offset
//! ```

use std::collections::{BTreeMap, HashMap};

use melior::{Context, ir::Module};
use safetensors::{
    SafeTensors,
    tensor::{Dtype, Metadata, TensorInfo},
};
use strata_diag::Diagnostic;
use strata_ir::{
    AttributeExt as _, ENTRY, ElementType, HeldBytes, Op, Type, TypeExt as _, WEIGHTS, WeightsFile,
    held_bytes, int, integer, llvm, module_op,
};
use strata_options::SharedWeights;
use strata_target::tuning::code::MIN_DATA_BYTES;

use crate::{abi::WORKSPACE_ALIGNMENT, machine::bug};

/// The alignment of constants, which the code relies on.
const ALIGNMENT: usize = WORKSPACE_ALIGNMENT as usize;

/// The large constants of a module, one after the other.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Weights {
    tensors: Vec<Tensor>,
    /// The bytes of each.
    data: Vec<HeldBytes>,
    file: Option<WeightsFile>,
}

/// What is between constants.
const PADDING: [u8; ALIGNMENT] = [0; ALIGNMENT];

impl std::fmt::Debug for Weights {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "Weights({} in {} bytes)", self.tensors.len(), self.size())
    }
}

/// One of the constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tensor {
    /// The global's name.
    pub symbol: String,
    /// Its offset.
    pub offset: usize,
    /// Its bytes.
    pub size: usize,
    dtype: Dtype,
    shape: Vec<usize>,
}

impl Weights {
    /// The bytes of all constants, with padding for alignment, in pieces.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let mut end = 0;
        self.tensors.iter().zip(&self.data).flat_map(move |(tensor, bytes)| {
            let padding = PADDING.get(..tensor.offset - end).unwrap_or_default();
            end = tensor.offset + tensor.size;
            [padding, bytes]
        })
    }

    /// As many as [`Self::parts`] has.
    pub fn size(&self) -> usize {
        self.tensors.last().map_or(0, |last| last.offset + last.size)
    }

    /// The same in one piece, a copy.
    pub fn joined(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size());
        self.parts().for_each(|part| bytes.extend_from_slice(part));
        bytes
    }

    pub(crate) fn data(&self) -> &[HeldBytes] {
        &self.data
    }

    /// The FNV-1a hash of [`Self::parts`].
    fn hash(&self) -> u64 {
        self.parts().fold(FNV1A, hashed)
    }

    /// The weights file; `None` if they go into the object.
    pub fn file(&self) -> Option<WeightsFile> {
        self.file
    }

    pub(crate) fn tensors(&self) -> &[Tensor] {
        &self.tensors
    }

    /// Checks that the bytes of a `.safetensors` file are these weights.
    ///
    /// # Errors
    /// The first difference, for a diagnostic.
    pub fn check_file(&self, file: &[u8]) -> Result<(), String> {
        let found = SafeTensors::deserialize(file)
            .map_err(|error| format!("it is not a safetensors file: {error}"))?;
        let named = described(&self.tensors);
        for (name, info) in &named {
            let tensor = found.tensor(name).map_err(|_| format!("it has no tensor `{name}`"))?;
            if (tensor.dtype(), tensor.shape()) != (info.dtype, info.shape.as_slice()) {
                return Err(format!(
                    "`{name}` is {:?}{:?} in it, and {:?}{:?} in the program",
                    tensor.dtype(),
                    tensor.shape(),
                    info.dtype,
                    info.shape
                ));
            }
        }
        if found.len() != named.len() {
            return Err(format!("it has {} tensors, the program {}", found.len(), named.len()));
        }
        let header = self.file_header().map_err(|error| error.to_string())?;
        let Some(data) = file.get(header.len()..).filter(|_| file.starts_with(&header)) else {
            return Err("it was written for another program: the hashes differ".to_owned());
        };
        let mut left = data;
        let mut starts_with = |part| match left.strip_prefix(part) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        match data.len() == self.size() && self.parts().all(&mut starts_with) {
            true => Ok(()),
            false => {
                Err("its contents were changed: they do not match the hash in the header"
                    .to_owned())
            }
        }
    }

    /// Whether a `.safetensors` file contains each of these weights, under any name and offset: the file of an object with
    /// several entries contains those of all of them.
    pub fn are_among(&self, file: &[u8]) -> bool {
        let Ok(found) = SafeTensors::deserialize(file) else { return false };
        let held = found.tensors();
        self.tensors.iter().zip(&self.data).all(|(own, bytes)| {
            held.iter().any(|(_, tensor)| {
                (tensor.dtype(), tensor.shape()) == (own.dtype, own.shape.as_slice())
                    && tensor.data() == &bytes[..]
            })
        })
    }

    /// The header of a `.safetensors` file, before [`Self::parts`].
    ///
    /// # Errors
    /// `S9003` if the names and offsets are invalid for the format: our bug.
    pub fn file_header(&self) -> Result<Vec<u8>, Diagnostic> {
        header(&self.tensors, self.size(), self.hash())
    }
}

/// The 64-bit FNV-1a hash.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    hashed(FNV1A, bytes)
}

/// The hash of no bytes.
const FNV1A: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of the bytes before, which is `hash`, and `bytes`.
fn hashed(hash: u64, bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(hash, step)
}

/// The globals that hold large constants, in order.
fn large_constants<'c>(module: &Module<'c>) -> Vec<Op<'c>> {
    let is_large = |op: &Op<'c>| {
        let is_plain = op.is(llvm::MLIR_GLOBAL) && op.has_attr("constant");
        let value = op.attr("value").filter(|_| is_plain);
        value.filter(|value| !value.is_splat()).is_some_and(|value| {
            value.elements_type().and_then(byte_count).is_some_and(|size| size >= MIN_DATA_BYTES)
                && value.dense_bytes().is_some()
        })
    };
    module_op(module).body(0).ops().into_iter().filter(is_large).collect()
}

fn byte_count(ty: Type<'_>) -> Option<u64> {
    ty.element_count()?.checked_mul(ty.element().byte_width()?)
}

/// The constants in order, with their offsets.
fn lay_out(globals: &[Op<'_>]) -> Weights {
    let mut weights = Weights::default();
    for global in globals {
        let Some(value) = global.attr("value") else { continue };
        let shape = value.elements_type().and_then(dtype_and_shape);
        let Some(((dtype, shape), bytes)) = shape.zip(held_bytes(value)) else { continue };
        let offset = weights.size().next_multiple_of(ALIGNMENT);
        let symbol = symbol(*global).to_owned();
        weights.tensors.push(Tensor { symbol, offset, size: bytes.len(), dtype, shape });
        weights.data.push(bytes);
    }
    weights
}

fn symbol(global: Op<'_>) -> &str {
    global.attr("sym_name").and_then(|name| name.as_str()).unwrap_or_default()
}

/// The format's element type; unsupported ones are bytes.
fn dtype_and_shape(ty: Type<'_>) -> Option<(Dtype, Vec<usize>)> {
    let sizes = ty.shape()?.into_iter().map(|size| usize::try_from(size).ok());
    let mut shape = sizes.collect::<Option<Vec<_>>>()?;
    let dtype = match ElementType::from_type(ty.element()) {
        Some(ElementType::Bool) => Dtype::BOOL,
        Some(ElementType::Signed(16)) => Dtype::I16,
        Some(ElementType::Signed(32)) => Dtype::I32,
        Some(ElementType::Signed(64)) => Dtype::I64,
        Some(ElementType::Signed(_)) => Dtype::I8,
        Some(ElementType::Float(16)) => Dtype::F16,
        Some(ElementType::Float(32)) => Dtype::F32,
        Some(ElementType::Float(_)) => Dtype::F64,
        Some(ElementType::BFloat16) => Dtype::BF16,
        Some(ElementType::Complex(64)) => Dtype::C64,
        Some(ElementType::Complex(_)) => {
            shape.push(2);
            Dtype::F64
        }
        Some(ElementType::SmallFloat("f8E4M3FN")) => Dtype::F8_E4M3,
        Some(ElementType::SmallFloat("f8E5M2")) => Dtype::F8_E5M2,
        _ => {
            shape.push(usize::try_from(ty.element().byte_width()?).ok()?);
            Dtype::U8
        }
    };
    Some((dtype, shape))
}

/// The start of the file: the length of the header, and the header, padded so that the following bytes are aligned when
/// the file is mapped.
fn header(tensors: &[Tensor], size: usize, hash: u64) -> Result<Vec<u8>, Diagnostic> {
    let broken = |detail: &dyn std::fmt::Display| {
        bug("the weights cannot be described", &detail.to_string())
    };
    let infos = described(tensors);
    if infos.last().map_or(0, |(_, info)| info.data_offsets.1) != size {
        return Err(broken(&"their sizes do not add up"));
    }
    // A single entry, because the order of several is not fixed.
    let hash = HashMap::from([("fnv1a".to_owned(), format!("{hash:016x}"))]);
    let metadata = Metadata::new(Some(hash), infos).map_err(|error| broken(&error))?;
    let mut text = serde_json::to_vec(&metadata).map_err(|error| broken(&error))?;
    let padded = (8 + text.len()).next_multiple_of(ALIGNMENT) - 8;
    text.resize(padded, b' ');
    let mut bytes = (padded as u64).to_le_bytes().to_vec();
    bytes.extend(text);
    Ok(bytes)
}

/// The tensors as the format lists them.
fn described(tensors: &[Tensor]) -> Vec<(String, TensorInfo)> {
    let mut infos = Vec::new();
    let mut end = 0;
    for tensor in tensors {
        if end < tensor.offset {
            // The format has no gaps.
            let info = TensorInfo {
                dtype: Dtype::U8,
                shape: vec![tensor.offset - end],
                data_offsets: (end, tensor.offset),
            };
            infos.push((format!("padding.{}", infos.len()), info));
        }
        end = tensor.offset + tensor.size;
        let info = TensorInfo {
            dtype: tensor.dtype,
            shape: tensor.shape.clone(),
            data_offsets: (tensor.offset, end),
        };
        infos.push((tensor.symbol.trim_start_matches('_').to_owned(), info));
    }
    infos
}

/// An external constant, and its offset in the file.
pub(crate) struct Outside<'c> {
    pub global: Op<'c>,
    pub offset: usize,
}

/// The offsets of the constants in a weights file, and the file's description; `None` if no constant is large.
///
/// # Errors
/// As [`Weights::file_header`].
pub(crate) fn plan_file<'c>(
    module: &Module<'c>,
    shared: Option<&SharedWeights>,
) -> Result<Option<(WeightsFile, Vec<Outside<'c>>)>, Diagnostic> {
    let globals = large_constants(module);
    let weights = lay_out(&globals);
    if weights.tensors.is_empty() {
        return Ok(None);
    }
    if let Some(shared) = shared {
        let place = |global: Op<'c>| {
            let bytes = global.attr("value").and_then(|value| value.dense_bytes());
            let offset = bytes.and_then(|bytes| shared.find(&bytes));
            offset
                .map(|offset| Outside { global, offset })
                .ok_or_else(|| bug("the shared weights lack a constant", symbol(global)))
        };
        let places = globals.into_iter().map(place).collect::<Result<_, _>>()?;
        return Ok(Some((shared.file, places)));
    }
    let header = weights.file_header()?;
    let file = WeightsFile {
        size: weights.size() as u64,
        offset: header.len() as u64,
        header_hash: fnv1a(&header),
    };
    let tensors = &weights.tensors;
    let offset = |global: &Op<'c>| tensors.iter().find(|tensor| tensor.symbol == symbol(*global));
    let places = globals
        .iter()
        .filter_map(|global| Some(Outside { global: *global, offset: offset(global)?.offset }));
    Ok(Some((file, places.collect())))
}

/// Moves the large constants out of a module of stage 60 before LLVM.
///
/// # Errors
/// `S9003` when an attribute of the LLVM dialect does not parse: our bug.
pub(crate) fn take(context: &Context, module: &Module<'_>) -> Result<Option<Weights>, Diagnostic> {
    let globals = large_constants(module);
    let mut weights = lay_out(&globals);
    if weights.tensors.is_empty() {
        return Ok(None);
    }
    let entry = module_op(module).body(0).ops().into_iter().find(|op| op.has_attr(ENTRY));
    weights.file = entry.and_then(WeightsFile::of);
    let external = llvm::Linkage::External.to_attribute(context);
    for global in globals {
        if weights.file.is_some() {
            global.erase();
            continue;
        }
        global.remove_attr("value");
        global.set_attr("linkage", external);
        // Hidden: addressed directly, as in the same object.
        global.set_attr("visibility_", int(integer(context, 64), 1));
        global.set_attr("dso_local", strata_ir::unit(context));
    }
    Ok(Some(weights))
}

/// The constants of several programs, each once.
#[derive(Default)]
pub(crate) struct Union {
    weights: Weights,
    /// The tensors with bytes of that size and hash.
    known: BTreeMap<(usize, u64), Vec<usize>>,
}

impl Union {
    /// Adds the constants of a program, and returns the old and new name of each. `label` distinguishes constants with
    /// equal names and different bytes.
    pub(crate) fn absorb(&mut self, other: &Weights, label: &str) -> Vec<(String, String)> {
        let mut names = Vec::new();
        for (tensor, bytes) in other.tensors.iter().zip(&other.data) {
            let same = self.known.entry((tensor.size, fnv1a(bytes))).or_default();
            let offset = self.weights.size().next_multiple_of(ALIGNMENT);
            let Weights { tensors, data, .. } = &mut self.weights;
            let found = same.iter().find(|index| data[**index] == *bytes);
            let index = found.copied().unwrap_or_else(|| {
                let mut symbol = tensor.symbol.clone();
                while tensors.iter().any(|known| known.symbol == symbol) {
                    symbol = format!("{symbol}.{label}");
                }
                data.push(bytes.clone());
                tensors.push(Tensor { symbol, offset, ..tensor.clone() });
                same.push(tensors.len() - 1);
                tensors.len() - 1
            });
            names.push((tensor.symbol.clone(), self.weights.tensors[index].symbol.clone()));
        }
        names
    }

    /// All of them; `None` if empty.
    pub(crate) fn finish(self) -> Option<Weights> {
        (!self.weights.tensors.is_empty()).then_some(self.weights)
    }
}

/// One weights file for several programs, given as named modules of stage 60: its contents and the offsets. `None` if no
/// constant is large.
///
/// # Errors
/// As [`Weights::file_header`].
pub fn shared_weights(
    programs: &[(String, Weights)],
) -> Result<Option<(SharedWeights, Weights)>, Diagnostic> {
    let mut union = Union::default();
    for (label, weights) in programs {
        union.absorb(weights, label);
    }
    let Some(mut weights) = union.finish() else { return Ok(None) };
    let header = weights.file_header()?;
    let file = WeightsFile {
        size: weights.size() as u64,
        offset: header.len() as u64,
        header_hash: fnv1a(&header),
    };
    weights.file = Some(file);
    let places = weights.tensors.iter().map(|tensor| (tensor.offset, tensor.size)).collect();
    let shared = SharedWeights { file, bytes: weights.joined(), places };
    Ok(Some((shared, weights)))
}

/// The large constants of a module of stage 60.
pub fn constants_of(module: &Module<'_>) -> Weights {
    lay_out(&large_constants(module))
}

/// The attribute that describes the entry's weights file.
pub(crate) const ATTRIBUTE: &str = WEIGHTS;

#[cfg(test)]
mod tests {
    use super::{Dtype, Tensor, fnv1a, header};
    use safetensors::SafeTensors;

    #[test]
    fn the_file_is_one_that_others_read() {
        let tensor = |symbol: &str, offset, dtype, shape: &[usize], size| Tensor {
            symbol: symbol.into(),
            offset,
            size,
            dtype,
            shape: shape.to_vec(),
        };
        let tensors =
            [tensor("a", 0, Dtype::BOOL, &[3], 3), tensor("__b", 64, Dtype::F32, &[2, 2], 16)];
        let mut data = vec![0; 80];
        data[64..68].copy_from_slice(&1.5f32.to_le_bytes());
        let mut file = header(&tensors, data.len(), fnv1a(&data)).expect("a header");
        assert_eq!(file.len() % 64, 0, "what follows is aligned");
        file.extend(&data);
        let read = SafeTensors::deserialize(&file).expect("a valid file");
        assert_eq!(read.len(), 3, "two tensors, and the gap between them");
        let b = read.tensor("b").expect("the second tensor");
        assert_eq!((b.dtype(), b.shape()), (Dtype::F32, &[2, 2][..]));
        assert_eq!(b.data()[..4], 1.5f32.to_le_bytes());
        assert_eq!(
            header(&tensors, 80, 7).expect("a header"),
            header(&tensors, 80, 7).expect("again")
        );
        assert!(header(&tensors, 81, 7).is_err());
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
