//! The exports of the object: the entry that takes arrays of pointers, the workspace's size and the signature table.
//! Written as text of the LLVM dialect, which is the most readable.

use std::{collections::BTreeSet, fmt::Write as _, ops::Range};

use melior::{Context, ir::Module};
use strata_diag::Diagnostic;
use strata_ir::{
    Builder, Options, Signature, TensorSpec, llvm, module_op, parse_text,
    tuning::code::MAX_UNROLLED_CHECKS,
};

use super::{Entry, TargetMarks, arrays, call_text::DEVICES, dynamic, kept_inputs};
use crate::abi::{
    NAMES_VERSION, SIGNATURE_VERSION, WORKSPACE_ALIGNMENT, element_code, is_direct,
    signature_version,
};

const TENSOR: &str = "!llvm.struct<(i32, i32, ptr)>";
const NAMES: &str = "!llvm.struct<(i32, i32, i32, ptr, ptr)>";
const SIGNATURE: &str = "!llvm.struct<(i32, i32, i32, i32, i64, ptr, ptr, i64, ptr)>";
const QUANTIZED_SIGNATURE: &str =
    "!llvm.struct<(i32, i32, i32, i32, i64, ptr, ptr, i64, ptr, ptr, ptr)>";
const QUANTIZATION: &str = "!llvm.struct<(i32, i32, i64, ptr, ptr, i64, i64)>";

/// Adds the exported functions and the table at the end of the module.
pub(super) fn add<'c>(
    context: &'c Context,
    module: &Module<'c>,
    entry: &Entry,
    leaves: bool,
    options: &Options,
) -> Result<(), Diagnostic> {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = match &entry.specializations {
        Some(all) => dynamic::exports(&mut text, entry, all, leaves),
        None if is_direct(&entry.signature, options) => direct(&mut text, entry, leaves),
        None => exports(&mut text, entry, leaves),
    };
    let exports = parse_text(context, &text)?;
    let marks = TargetMarks::of(context, options)?;
    let target = module_op(module);
    let builder = Builder::at_end(context, target.body(0), target.location());
    for op in module_op(&exports).body(0).ops() {
        // The kernel is declared only so that the text is a module of its own.
        if op.is(llvm::FUNC) && op.region(0).first_block().is_none() {
            continue;
        }
        let copy = builder.insert(op.clone_detached());
        if copy.is(llvm::FUNC) {
            marks.set(copy);
        }
    }
    Ok(())
}

/// What is said of a kernel that is called without a wrapper.
fn direct(text: &mut String, entry: &Entry, leaves: bool) -> std::fmt::Result {
    writeln!(
        text,
        "llvm.mlir.global external constant @{}(dense<[{}, {}]> : tensor<2xi64>) \
         {{alignment = 8 : i64}} : !llvm.array<2 x i64>",
        entry.symbols.direct(),
        entry.workspace_size,
        i64::from(leaves)
    )
}

/// The functions and tables of an object for others.
fn exports(text: &mut String, entry: &Entry, leaves: bool) -> std::fmt::Result {
    entry_function(text, entry, leaves)?;
    writeln!(
        text,
        "llvm.func @{}() -> i64 {{\n  %size = llvm.mlir.constant({} : i64) : i64\n  \
         llvm.return %size : i64\n}}",
        entry.symbols.workspace_size(),
        entry.workspace_size
    )?;
    signature_table(text, entry)?;
    names_table(text, entry)
}

/// Ends a call of a program for several devices that does not say how they exchange values, before anything is written.
pub(super) fn refuse_alone(text: &mut String, entry: &Entry) -> std::fmt::Result {
    if entry.devices.is_none() {
        return Ok(());
    }
    writeln!(
        text,
        "  %devices = llvm.call @{DEVICES}(%executor) : (!llvm.ptr) -> i32\n  \
         %alone = llvm.icmp \"ne\" %devices, %done : i32\n  \
         llvm.cond_br %alone weights([0, 1]), ^alone, ^together\n\
         ^alone:\n  llvm.return %devices : i32\n^together:"
    )
}

/// The cheap checks, then the call of the kernel with the pointers loaded from the arrays. A kernel that `leaves` the
/// program gets the executor and returns a status.
fn entry_function(text: &mut String, entry: &Entry, leaves: bool) -> std::fmt::Result {
    let signature = &entry.signature;
    writeln!(
        text,
        "llvm.func @{}(%inputs: !llvm.ptr, %outputs: !llvm.ptr, %workspace: !llvm.ptr, \
         %executor: !llvm.ptr) -> i32 {{\n  %null = llvm.mlir.zero : !llvm.ptr\n  \
         %done = llvm.mlir.constant(0 : i32) : i32",
        entry.symbols.entry
    )?;
    refuse_alone(text, entry)?;
    let are_arrays = arrays::are_taken(entry);
    let mut checks = Checks::new(text);
    let mut arguments = Vec::new();
    for (array, status, specs) in
        [("inputs", 1, &signature.inputs), ("outputs", 2, &signature.outputs)]
    {
        let has_weights = status == 1 && signature.weights.is_some();
        if specs.is_empty() && !has_weights {
            continue;
        }
        let array = format!("%{array}");
        checks.refuse_null(&[&array], status)?;
        if has_weights {
            writeln!(
                checks.text,
                "  %weights_at = llvm.getelementptr {array}[{}] : (!llvm.ptr) -> !llvm.ptr, \
                 !llvm.ptr\n  %weights = llvm.load %weights_at : !llvm.ptr -> !llvm.ptr",
                specs.len()
            )?;
            checks.refuse_null(&["%weights"], 6)?;
            checks.refuse_unaligned("%weights", 6)?;
        }
        let values: Vec<_> = (0..specs.len()).map(|index| format!("{array}_{index}")).collect();
        let (long, few) = checked(specs);
        let mut named: BTreeSet<usize> = BTreeSet::new();
        if are_arrays {
            named.extend(&few);
            let donated = signature.donations.iter();
            named.extend(donated.map(|(output, input)| if status == 1 { *input } else { *output }));
        } else {
            named.extend(0..specs.len());
        }
        for (position, value) in
            values.iter().enumerate().filter(|(position, _)| named.contains(position))
        {
            writeln!(
                checks.text,
                "  {value}_at = llvm.getelementptr {array}[{position}] : (!llvm.ptr) -> !llvm.ptr, \
                 !llvm.ptr\n  {value} = llvm.load {value}_at : !llvm.ptr -> !llvm.ptr"
            )?;
        }
        for run in long {
            checks.refuse_null_among(&array, run, status)?;
        }
        let few: Vec<_> = few.into_iter().map(|position| values[position].as_str()).collect();
        checks.refuse_null(&few, status)?;
        let own = match status {
            _ if are_arrays => Vec::new(),
            1 => kept_inputs(signature),
            _ => (0..specs.len()).collect(),
        };
        arguments.extend(own.into_iter().map(|position| values[position].clone()));
    }
    if entry.workspace_size > 0 {
        checks.refuse_null(&["%workspace"], 3)?;
        checks.refuse_unaligned("%workspace", 4)?;
    }
    donate(text, signature)?;
    arguments.push("%workspace".to_owned());
    arguments.extend(signature.weights.map(|_| "%weights".to_owned()));
    if leaves {
        arguments.push("%executor".to_owned());
    }
    if are_arrays {
        arguments.extend(["%inputs".to_owned(), "%outputs".to_owned()]);
    }
    let types = vec!["!llvm.ptr"; arguments.len()].join(", ");
    let arguments = arguments.join(", ");
    let kernel = entry.symbols.kernel();
    let devices = match entry.devices {
        Some(_) => format!("\nllvm.func @{DEVICES}(!llvm.ptr) -> i32"),
        None => String::new(),
    };
    if leaves {
        writeln!(
            text,
            "  %status = llvm.call @{kernel}({arguments}) : ({types}) -> i32\n  \
             llvm.return %status : i32\n}}\nllvm.func @{kernel}({types}) -> i32{devices}"
        )
    } else {
        writeln!(
            text,
            "  llvm.call @{kernel}({arguments}) : ({types}) -> ()\n  llvm.return %done : i32\n}}\n\
             llvm.func @{kernel}({types})"
        )
    }
}

/// The buffers with elements, which must not be NULL: where many follow each other, they are checked in a loop, and the others one
/// by one.
fn checked(specs: &[TensorSpec]) -> (Vec<Range<usize>>, Vec<usize>) {
    let filled: Vec<_> =
        (0..specs.len()).filter(|position| specs[*position].element_count() > 0).collect();
    let (mut long, mut few) = (Vec::new(), Vec::new());
    for run in filled.chunk_by(|one, next| one + 1 == *next) {
        match run.len() > MAX_UNROLLED_CHECKS {
            true => long.push(run[0]..run[0] + run.len()),
            false => few.extend(run),
        }
    }
    (long, few)
}

/// The kernel finds donated inputs in their outputs, also where the caller has two buffers.
fn donate(text: &mut String, signature: &Signature) -> std::fmt::Result {
    for (output, input) in &signature.donations {
        let bytes = signature.outputs[*output].byte_count();
        if bytes == 0 || strata_ir::planted("codegen-donation-apart") {
            continue;
        }
        writeln!(
            text,
            "  %apart{output} = llvm.icmp \"ne\" %inputs_{input}, %outputs_{output} : !llvm.ptr\n  \
             llvm.cond_br %apart{output}, ^copy{output}, ^together{output}\n^copy{output}:\n  \
             %bytes{output} = llvm.mlir.constant({bytes} : i64) : i64\n  \
             \"llvm.intr.memcpy\"(%outputs_{output}, %inputs_{input}, %bytes{output}) \
             <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()\n  \
             llvm.br ^together{output}\n^together{output}:"
        )?;
    }
    Ok(())
}

/// Writes checks that return a status when they fail.
pub(super) struct Checks<'t> {
    pub(super) text: &'t mut String,
    count: usize,
}

impl<'t> Checks<'t> {
    pub(super) fn new(text: &'t mut String) -> Self {
        Self { text, count: 0 }
    }

    /// One branch for all of `values`.
    pub(super) fn refuse_null(&mut self, values: &[&str], status: i32) -> std::fmt::Result {
        let number = self.count;
        let mut found = None;
        for (position, value) in values.iter().enumerate() {
            let mut is_null = format!("%null{number}_{position}");
            writeln!(self.text, "  {is_null} = llvm.icmp \"eq\" {value}, %null : !llvm.ptr")?;
            if let Some(before) = found {
                let both = format!("%null{number}_to_{position}");
                writeln!(self.text, "  {both} = llvm.or {before}, {is_null} : i1")?;
                is_null = both;
            }
            found = Some(is_null);
        }
        match found {
            Some(condition) => self.branch(&condition, status),
            None => Ok(()),
        }
    }

    /// The same for a range of an array of pointers, as a loop: LLVM takes cubic time for a condition of thousands of
    /// terms.
    fn refuse_null_among(
        &mut self,
        array: &str,
        range: Range<usize>,
        status: i32,
    ) -> std::fmt::Result {
        let number = self.count;
        writeln!(
            self.text,
            "  %first{number} = llvm.mlir.constant({} : i64) : i64\n  \
             %end{number} = llvm.mlir.constant({} : i64) : i64\n  \
             %one{number} = llvm.mlir.constant(1 : i64) : i64\n  \
             llvm.br ^look{number}(%first{number} : i64)\n\
             ^look{number}(%position{number}: i64):\n  \
             %pointer{number}_at = llvm.getelementptr {array}[%position{number}] : \
             (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr\n  \
             %pointer{number} = llvm.load %pointer{number}_at : !llvm.ptr -> !llvm.ptr\n  \
             %null{number} = llvm.icmp \"eq\" %pointer{number}, %null : !llvm.ptr",
            range.start, range.end
        )?;
        self.branch(&format!("%null{number}"), status)?;
        writeln!(
            self.text,
            "  %next{number} = llvm.add %position{number}, %one{number} : i64\n  \
             %more{number} = llvm.icmp \"ult\" %next{number}, %end{number} : i64\n  \
             llvm.cond_br %more{number}, ^look{number}(%next{number} : i64), ^all{number}\n\
             ^all{number}:"
        )
    }

    /// One branch for `value`, where a condition holds.
    pub(super) fn refuse_null_if(
        &mut self,
        condition: Option<&str>,
        value: &str,
        status: i32,
    ) -> std::fmt::Result {
        let number = self.count;
        writeln!(self.text, "  %null{number} = llvm.icmp \"eq\" {value}, %null : !llvm.ptr")?;
        self.branch_if(condition, &format!("%null{number}"), status)
    }

    pub(super) fn refuse_unaligned(&mut self, value: &str, status: i32) -> std::fmt::Result {
        self.refuse_unaligned_if(None, value, status)
    }

    /// The same where a condition holds.
    pub(super) fn refuse_unaligned_if(
        &mut self,
        condition: Option<&str>,
        value: &str,
        status: i32,
    ) -> std::fmt::Result {
        let number = self.count;
        let low_bits = WORKSPACE_ALIGNMENT - 1;
        writeln!(
            self.text,
            "  %address{number} = llvm.ptrtoint {value} : !llvm.ptr to i64\n  \
             %mask{number} = llvm.mlir.constant({low_bits} : i64) : i64\n  \
             %low{number} = llvm.and %address{number}, %mask{number} : i64\n  \
             %zero{number} = llvm.mlir.constant(0 : i64) : i64\n  \
             %unaligned{number} = llvm.icmp \"ne\" %low{number}, %zero{number} : i64"
        )?;
        self.branch_if(condition, &format!("%unaligned{number}"), status)
    }

    /// Returns a status where two conditions hold, or the second one alone if there is no first.
    fn branch_if(&mut self, first: Option<&str>, second: &str, status: i32) -> std::fmt::Result {
        let Some(first) = first else { return self.branch(second, status) };
        let number = self.count;
        writeln!(self.text, "  %both{number} = llvm.and {first}, {second} : i1")?;
        self.branch(&format!("%both{number}"), status)
    }

    pub(super) fn branch(&mut self, condition: &str, status: i32) -> std::fmt::Result {
        let number = self.count;
        self.count += 1;
        writeln!(
            self.text,
            "  llvm.cond_br {condition} weights([0, 1]), ^fail{number}, ^go{number}\n\
             ^fail{number}:\n  %status{number} = llvm.mlir.constant({status} : i32) : i32\n  \
             llvm.return %status{number} : i32\n^go{number}:"
        )
    }
}

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
