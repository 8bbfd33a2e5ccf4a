//! The tables of an object's exports: its signature, its names, and lists of constants.

use std::fmt::Write as _;

use strata_ir::{Signature, TensorSpec};

use super::Entry;
use crate::abi::{
    NAMES_VERSION, SIGNATURE_VERSION, WORKSPACE_ALIGNMENT, element_code, signature_version,
};

const TENSOR: &str = "!llvm.struct<(i32, i32, ptr)>";
const NAMES: &str = "!llvm.struct<(i32, i32, i32, ptr, ptr)>";
const SIGNATURE: &str = "!llvm.struct<(i32, i32, i32, i32, i64, ptr, ptr, i64, ptr)>";
const QUANTIZED_SIGNATURE: &str =
    "!llvm.struct<(i32, i32, i32, i32, i64, ptr, ptr, i64, ptr, ptr, ptr)>";
const QUANTIZATION: &str = "!llvm.struct<(i32, i32, i64, ptr, ptr, i64, i64)>";

pub(super) fn signature_table(text: &mut String, entry: &Entry) -> std::fmt::Result {
    let signature = &entry.signature;
    let prefix = &entry.symbols.entry;
    let inputs = tensor_table(text, &format!("{prefix}.inputs"), &signature.inputs)?;
    let outputs = tensor_table(text, &format!("{prefix}.outputs"), &signature.outputs)?;
    let donations = donation_table(text, &format!("{prefix}.donations"), signature)?;
    let version = signature_version(signature);
    let quantized = if version == SIGNATURE_VERSION {
        None
    } else {
        let of = |list| format!("{prefix}.quantized_{list}");
        Some([
            quantization_table(text, &of("inputs"), &signature.inputs)?,
            quantization_table(text, &of("outputs"), &signature.outputs)?,
        ])
    };
    let ty = if quantized.is_some() { QUANTIZED_SIGNATURE } else { SIGNATURE };
    let table = entry.symbols.signature();
    writeln!(text, "llvm.mlir.global external constant @{table}() : {ty} {{")?;
    let mut fields = Fields::new(text, ty)?;
    fields.constant("i32", i64::from(version))?;
    fields.constant("i32", WORKSPACE_ALIGNMENT as i64)?;
    fields.constant("i32", signature.inputs.len() as i64)?;
    fields.constant("i32", signature.outputs.len() as i64)?;
    fields.constant("i64", entry.workspace_size as i64)?;
    fields.address(inputs.as_deref())?;
    fields.address(outputs.as_deref())?;
    fields.constant("i64", signature.weights.map_or(0, |file| file.size as i64))?;
    fields.address(donations.as_deref())?;
    for list in quantized.iter().flatten() {
        fields.address(list.as_deref())?;
    }
    let value = fields.value;
    writeln!(text, "  llvm.return {value} : {ty}\n}}")
}

/// For each tensor what its elements mean, or null; no global if none is quantized.
fn quantization_table(
    text: &mut String,
    name: &str,
    specs: &[TensorSpec],
) -> Result<Option<String>, std::fmt::Error> {
    if specs.iter().all(|spec| spec.quantization.is_none()) {
        return Ok(None);
    }
    for (position, spec) in specs.iter().enumerate() {
        let Some(quantization) = &spec.quantization else { continue };
        let count = quantization.scales.len();
        // Scales by their bits: their decimal forms could be rounded.
        let bits = quantization.scales.iter().map(|scale| scale.get().to_bits().cast_signed());
        for (what, numbers) in [
            ("scales", bits.collect::<Vec<_>>()),
            ("zero_points", quantization.zero_points.clone()),
        ] {
            let numbers: Vec<_> = numbers.iter().map(i64::to_string).collect();
            writeln!(
                text,
                "llvm.mlir.global private constant @{name}.{position}.{what}(dense<[{}]> : \
                 tensor<{count}xi64>) {{alignment = 8 : i64}} : !llvm.array<{count} x i64>",
                numbers.join(", ")
            )?;
        }
        writeln!(
            text,
            "llvm.mlir.global private constant @{name}.{position}() : {QUANTIZATION} {{"
        )?;
        let mut fields = Fields::new(text, QUANTIZATION)?;
        fields.constant("i32", i64::from(element_code(quantization.expressed)))?;
        fields.constant("i32", quantization.axis.map_or(-1, |axis| axis as i64))?;
        fields.constant("i64", count as i64)?;
        for what in ["scales", "zero_points"] {
            fields.address(Some(&format!("{name}.{position}.{what}")))?;
        }
        fields.constant("i64", quantization.min)?;
        fields.constant("i64", quantization.max)?;
        let value = fields.value;
        writeln!(text, "  llvm.return {value} : {QUANTIZATION}\n}}")?;
    }
    let array = format!("!llvm.array<{} x ptr>", specs.len());
    writeln!(
        text,
        "llvm.mlir.global private constant @{name}() : {array} {{\n  \
         %list0 = llvm.mlir.undef : {array}"
    )?;
    for (position, spec) in specs.iter().enumerate() {
        let address = match &spec.quantization {
            Some(_) => format!("llvm.mlir.addressof @{name}.{position} : !llvm.ptr"),
            None => "llvm.mlir.zero : !llvm.ptr".to_owned(),
        };
        let next = position + 1;
        writeln!(
            text,
            "  %meaning{position} = {address}\n  \
             %list{next} = llvm.insertvalue %meaning{position}, %list{position}[{position}] : {array}"
        )?;
    }
    writeln!(text, "  llvm.return %list{} : {array}\n}}", specs.len())?;
    Ok(Some(name.to_owned()))
}

/// The program's names of inputs and outputs, if there are any.
pub(super) fn names_table(text: &mut String, entry: &Entry) -> std::fmt::Result {
    let signature = &entry.signature;
    let Some(table) = entry.symbols.names(signature) else { return Ok(()) };
    let prefix = &entry.symbols.entry;
    let lists = [
        ("inputs", signature.inputs.len(), &signature.input_names),
        ("outputs", signature.outputs.len(), &signature.output_names),
    ];
    let mut symbols = Vec::new();
    for (list, count, names) in lists {
        let symbol = format!("{prefix}.names_of_{list}");
        symbols.push((count > 0).then(|| symbol.clone()));
        if count == 0 {
            continue;
        }
        let name = |position: usize| names.get(position).map_or("", String::as_str);
        for position in 0..count {
            string_constant(text, &format!("{symbol}.{position}"), name(position))?;
        }
        global_list(text, ("private", &symbol), "ptr", count, |text, position| {
            let value = format!("%name{position}");
            writeln!(text, "  {value} = llvm.mlir.addressof @{symbol}.{position} : !llvm.ptr")?;
            Ok(value)
        })?;
    }
    writeln!(text, "llvm.mlir.global external constant @{table}() : {NAMES} {{")?;
    let mut fields = Fields::new(text, NAMES)?;
    fields.constant("i32", i64::from(NAMES_VERSION))?;
    fields.constant("i32", signature.inputs.len() as i64)?;
    fields.constant("i32", signature.outputs.len() as i64)?;
    for symbol in &symbols {
        fields.address(symbol.as_deref())?;
    }
    let value = fields.value;
    writeln!(text, "  llvm.return {value} : {NAMES}\n}}")
}

/// The bytes of a text and a zero.
pub(super) fn string_constant(text: &mut String, symbol: &str, content: &str) -> std::fmt::Result {
    let bytes: String = content.bytes().chain([0]).map(|byte| format!("\\{byte:02X}")).collect();
    let length = content.len() + 1;
    writeln!(
        text,
        "llvm.mlir.global private constant @{symbol}(\"{bytes}\") \
         {{addr_space = 0 : i32}} : !llvm.array<{length} x i8>"
    )
}

/// For each output the input whose buffer it may share, or -1; no global if there is none.
fn donation_table(
    text: &mut String,
    name: &str,
    signature: &Signature,
) -> Result<Option<String>, std::fmt::Error> {
    if signature.donations.is_empty() {
        return Ok(None);
    }
    let count = signature.outputs.len();
    let mut inputs = vec!["-1".to_owned(); count];
    for (output, input) in &signature.donations {
        if let Some(place) = inputs.get_mut(*output) {
            *place = input.to_string();
        }
    }
    writeln!(
        text,
        "llvm.mlir.global private constant @{name}(dense<[{}]> : tensor<{count}xi32>) \
         {{alignment = 4 : i64}} : !llvm.array<{count} x i32>",
        inputs.join(", ")
    )?;
    Ok(Some(name.to_owned()))
}

/// An array of tensor descriptions; no global at all if there is none.
fn tensor_table(
    text: &mut String,
    name: &str,
    specs: &[TensorSpec],
) -> Result<Option<String>, std::fmt::Error> {
    if specs.is_empty() {
        return Ok(None);
    }
    for (position, spec) in specs.iter().enumerate().filter(|(_, spec)| !spec.shape.is_empty()) {
        let rank = spec.shape.len();
        // -1 for sizes that calls give.
        let sizes: Vec<_> = spec.shape.iter().map(|size| (*size as i64).to_string()).collect();
        writeln!(
            text,
            "llvm.mlir.global private constant @{name}.{position}(dense<[{}]> : tensor<{rank}xi64>) \
             {{alignment = 8 : i64}} : !llvm.array<{rank} x i64>",
            sizes.join(", ")
        )?;
    }
    global_list(
        text,
        ("private", name),
        "struct<(i32, i32, ptr)>",
        specs.len(),
        |text, position| {
            let spec = &specs[position];
            writeln!(text, "  // {spec}")?;
            let mut fields = Fields::named(text, TENSOR, &format!("%t{position}_"))?;
            fields.constant("i32", i64::from(element_code(spec.element)))?;
            fields.constant("i32", spec.shape.len() as i64)?;
            let sizes = format!("{name}.{position}");
            fields.address((!spec.shape.is_empty()).then_some(sizes.as_str()))?;
            Ok(fields.value)
        },
    )?;
    Ok(Some(name.to_owned()))
}

/// Elements of a list that are put into it one by one: each time LLVM makes another list of all.
const CHUNK: usize = 64;

/// A constant with a linkage, of `count` elements, not none, of type `element`; `write` emits an element and gives the name of its value.
/// A long list is one of chunks, which has the same bytes.
pub(super) fn global_list(
    text: &mut String,
    (linkage, symbol): (&str, &str),
    element: &str,
    count: usize,
    mut write: impl FnMut(&mut String, usize) -> Result<String, std::fmt::Error>,
) -> std::fmt::Result {
    let (chunks, rest) = match count > CHUNK {
        true => (count / CHUNK, count % CHUNK),
        false => (0, count),
    };
    let chunk = format!("array<{CHUNK} x {element}>");
    let parts: Vec<_> = [(chunks, chunk.as_str()), (rest, element)]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, element)| format!("array<{count} x {element}>"))
        .collect();
    let whole = match parts.as_slice() {
        [only] => format!("!llvm.{only}"),
        _ => format!("!llvm.struct<({})>", parts.join(", ")),
    };
    writeln!(
        text,
        "llvm.mlir.global {linkage} constant @{symbol}() : {whole} {{\n  %list0 = llvm.mlir.undef : {whole}"
    )?;
    let mut lists = 0;
    let mut put = |text: &mut String, value: &str, place: &[usize]| {
        let place: Vec<_> = place.iter().map(usize::to_string).collect();
        let (list, next) = (lists, lists + 1);
        lists = next;
        writeln!(
            text,
            "  %list{next} = llvm.insertvalue {value}, %list{list}[{}] : {whole}",
            place.join(", ")
        )
    };
    let has_rest = rest > 0;
    for number in 0..chunks {
        let mut list = format!("%chunk{number}_0");
        writeln!(text, "  {list} = llvm.mlir.undef : !llvm.{chunk}")?;
        for within in 0..CHUNK {
            let value = write(text, number * CHUNK + within)?;
            let next = format!("%chunk{number}_{}", within + 1);
            writeln!(
                text,
                "  {next} = llvm.insertvalue {value}, {list}[{within}] : !llvm.{chunk}"
            )?;
            list = next;
        }
        put(text, &list, &if has_rest { vec![0, number] } else { vec![number] })?;
    }
    for within in 0..rest {
        let value = write(text, chunks * CHUNK + within)?;
        put(text, &value, &if chunks > 0 { vec![1, within] } else { vec![within] })?;
    }
    writeln!(text, "  llvm.return %list{lists} : {whole}\n}}")
}

/// Fills a structure field by field.
pub(super) struct Fields<'t> {
    text: &'t mut String,
    ty: &'static str,
    prefix: String,
    count: usize,
    /// The structure with the fields so far.
    pub(super) value: String,
}

impl<'t> Fields<'t> {
    fn new(text: &'t mut String, ty: &'static str) -> Result<Self, std::fmt::Error> {
        Self::named(text, ty, "%s")
    }

    pub(super) fn named(
        text: &'t mut String,
        ty: &'static str,
        prefix: &str,
    ) -> Result<Self, std::fmt::Error> {
        let value = format!("{prefix}empty");
        writeln!(text, "  {value} = llvm.mlir.undef : {ty}")?;
        Ok(Self { text, ty, prefix: prefix.to_owned(), count: 0, value })
    }

    pub(super) fn constant(&mut self, ty: &str, value: i64) -> std::fmt::Result {
        let field = self.field();
        writeln!(self.text, "  {field} = llvm.mlir.constant({value} : {ty}) : {ty}")?;
        self.insert(&field)
    }

    pub(super) fn address(&mut self, symbol: Option<&str>) -> std::fmt::Result {
        let field = self.field();
        match symbol {
            Some(name) => {
                writeln!(self.text, "  {field} = llvm.mlir.addressof @{name} : !llvm.ptr")?;
            }
            None => writeln!(self.text, "  {field} = llvm.mlir.zero : !llvm.ptr")?,
        }
        self.insert(&field)
    }

    fn field(&self) -> String {
        format!("{}field{}", self.prefix, self.count)
    }

    fn insert(&mut self, field: &str) -> std::fmt::Result {
        let next = format!("{}{}", self.prefix, self.count);
        writeln!(
            self.text,
            "  {next} = llvm.insertvalue {field}, {}[{}] : {}",
            self.value, self.count, self.ty
        )?;
        self.count += 1;
        self.value = next;
        Ok(())
    }
}
