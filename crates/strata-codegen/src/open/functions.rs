//! The functions and tables beside the exported function: conditions, workspace, shapes.

use strata_ir::{Signature, TensorSpec};
use strata_shapes::DimExpr;

use super::{
    Object, OpenEntry,
    call::{self, combination},
    padding,
    text::{Text, no_symbols},
};
use crate::abi::{
    NAMES_VERSION, SIGNATURE_VERSION, WORKSPACE_ALIGNMENT, WRONG_SIZES, element_code,
    signature_version,
};

const INTRINSICS: &str = "declare i64 @llvm.smax.i64(i64, i64)\ndeclare i64 @llvm.smin.i64(i64, i64)\n\
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\n";

/// The functions and tables of an entry.
pub(crate) fn functions(object: &Object<'_>) -> String {
    [
        INTRINSICS.to_owned(),
        no_symbols(object.entry.shapes.symbols.len()),
        conditions(object),
        padding::functions(object),
        workspace(object),
        dims(object),
        mismatch(object),
        output_shapes(object),
        call::mains(object),
        tables(object),
    ]
    .concat()
}

impl Object<'_> {
    /// The call that finds the first violated condition, of these values.
    pub(super) fn ask(&self, values: &[String]) -> String {
        let values: Vec<_> = values.iter().map(|value| format!("i64 {value}")).collect();
        format!("call i32 @\"{}.of\"({})", self.symbols.constraint(), values.join(", "))
    }

    /// The same of the symbols `%s0`, `%s1`, ….
    pub(super) fn ask_symbols(&self) -> String {
        let symbols = (0..self.entry.shapes.symbols.len()).map(|index| format!("%s{index}"));
        self.ask(&symbols.collect::<Vec<_>>())
    }
}

/// The index of the first condition that the symbols violate, -1 if they violate none; the last ones are their ranges.
fn conditions(object: &Object<'_>) -> String {
    let (entry, mut text) = (object.entry, Text::default());
    let count = entry.shapes.constraints.len();
    let mut first = "-1".to_owned();
    for (index, truth) in entry.shapes.constraints.iter().enumerate().rev() {
        let holds = text.truth(truth);
        first = text.value(&format!("select i1 {holds}, i32 {first}, i32 {index}"));
    }
    // Out of range, conditions may overflow.
    for symbol in (0..entry.shapes.symbols.len()).rev() {
        let low = text.value(&format!("icmp sge i64 %s{symbol}, 0"));
        let most = entry.most(symbol, object.signature);
        let high = text.value(&format!("icmp sle i64 %s{symbol}, {most}"));
        let range = text.value(&format!("and i1 {low}, {high}"));
        let index = count + symbol;
        first = text.value(&format!("select i1 {range}, i32 {first}, i32 {index}"));
    }
    let name = object.symbols.constraint();
    let parameters: Vec<_> =
        (0..entry.shapes.symbols.len()).map(|index| format!("i64 %s{index}")).collect();
    let mut load = Text::default();
    load.load_symbols(entry.shapes.symbols.len());
    format!(
        "define internal i32 @\"{name}.of\"({}) {{\n{}  ret i32 {first}\n}}\n\n\
         define i32 @{name}(ptr %symbols) {{\n{}  %first = {}\n  ret i32 %first\n}}\n\n",
        parameters.join(", "),
        text.text,
        load.text,
        object.ask_symbols()
    )
}

/// The bytes that the versions of a call need: those for up to that number of rows, with the bounds of its sizes.
fn workspace(object: &Object<'_>) -> String {
    let entry = object.entry;
    let mut text = Text::default();
    text.load_symbols(entry.shapes.symbols.len());
    text.line(&format!("%first = {}", object.ask_symbols()));
    text.line("%holds = icmp eq i32 %first, -1");
    text.line("br i1 %holds, label %good, label %fail");
    text.label("good");
    let count = entry.combinations();
    let chosen = combination(&mut text, entry);
    let labels: Vec<_> = (0..count).map(|at| format!("i64 {at}, label %of{at}")).collect();
    text.line(&format!("switch i64 {chosen}, label %fail [ {} ]", labels.join(" ")));
    for at in 0..count {
        text.label(&format!("of{at}"));
        let mut size = "0".to_owned();
        let versions = object.versions.iter();
        for one in versions.filter(|one| entry.combination_of(&one.version) == at) {
            let needed = padding::needed(&mut text, object, one);
            let more = text.value(&format!("call i64 @llvm.smax.i64(i64 {size}, i64 {needed})"));
            size = match (&entry.shapes.batch, one.version.rows) {
                (Some(rows), Some(number)) => {
                    let reached = text.value(&format!("icmp sge i64 %s{}, {number}", rows.symbol));
                    text.value(&format!("select i1 {reached}, i64 {more}, i64 {size}"))
                }
                _ => more,
            };
        }
        text.line(&format!("ret i64 {size}"));
    }
    text.label("fail");
    text.line("ret i64 -1");
    let name = object.symbols.workspace_size();
    format!("define i64 @{name}(ptr %symbols) {{\n{}}}\n\n", text.text)
}

/// The symbols from the shapes of the inputs.
fn dims(object: &Object<'_>) -> String {
    let entry = object.entry;
    let mut text = Text::default();
    let values: Vec<_> = entry.shapes.values.iter().map(|value| text.size(value)).collect();
    // Expressions are of `%s0`, …; what is read from the shapes may be anything, and is checked first.
    for (index, value) in values.iter().enumerate() {
        text.line(&format!("%s{index} = add i64 {value}, 0"));
    }
    text.line(&format!("%first = {}", object.ask_symbols()));
    let mut holds = text.value("icmp eq i32 %first, -1");
    for (input, sizes) in entry.shapes.inputs.iter().enumerate() {
        for (dim, size) in sizes.iter().enumerate() {
            let place = text.dimension(input, dim);
            let found = text.value(&format!("load i64, ptr {place}, align 8"));
            let size = text.size(size);
            let fits = text.value(&format!("icmp eq i64 {found}, {size}"));
            holds = text.value(&format!("and i1 {holds}, {fits}"));
        }
    }
    text.line(&format!("br i1 {holds}, label %store, label %fail"));
    text.label("store");
    for index in 0..values.len() {
        let place = text.value(&format!("getelementptr i64, ptr %symbols, i64 {index}"));
        text.line(&format!("store i64 %s{index}, ptr {place}, align 8"));
    }
    let name = object.symbols.dims();
    format!(
        "define i32 @{name}(ptr %shapes, ptr %symbols) {{\n{}  ret i32 0\n\
         fail:\n  ret i32 {WRONG_SIZES}\n}}\n\n",
        text.text
    )
}

/// The index of the first condition that shapes of the inputs violate, -1 if they violate none: those on the symbols, which are
/// written in any case, and then one for each dimension.
fn mismatch(object: &Object<'_>) -> String {
    let entry = object.entry;
    let mut text = Text::default();
    let values: Vec<_> = entry.shapes.values.iter().map(|value| text.size(value)).collect();
    for (index, value) in values.iter().enumerate() {
        text.line(&format!("%s{index} = add i64 {value}, 0"));
        let place = text.value(&format!("getelementptr i64, ptr %symbols, i64 {index}"));
        text.line(&format!("store i64 %s{index}, ptr {place}, align 8"));
    }
    text.line(&format!("%first = {}", object.ask_symbols()));
    text.line("%holds = icmp eq i32 %first, -1");
    let mut index = entry.shapes.constraints.len()
        + entry.shapes.symbols.len()
        + entry.shapes.inputs.iter().flatten().count();
    let mut first = "-1".to_owned();
    for (input, sizes) in entry.shapes.inputs.iter().enumerate().rev() {
        for (dim, size) in sizes.iter().enumerate().rev() {
            index -= 1;
            let place = text.dimension(input, dim);
            let found = text.value(&format!("load i64, ptr {place}, align 8"));
            let size = text.size(size);
            let fits = text.value(&format!("icmp eq i64 {found}, {size}"));
            first = text.value(&format!("select i1 {fits}, i32 {first}, i32 {index}"));
        }
    }
    let first = text.value(&format!("select i1 %holds, i32 {first}, i32 %first"));
    let name = object.symbols.mismatch();
    format!(
        "define i32 @{name}(ptr %shapes, ptr %symbols) {{\n{}  ret i32 {first}\n}}\n\n",
        text.text
    )
}

fn output_shapes(object: &Object<'_>) -> String {
    let entry = object.entry;
    let mut text = Text::default();
    text.load_symbols(entry.shapes.symbols.len());
    text.line(&format!("%first = {}", object.ask_symbols()));
    text.line("%good = icmp eq i32 %first, -1");
    text.line("br i1 %good, label %write, label %fail");
    text.label("write");
    for (output, sizes) in entry.shapes.outputs.iter().enumerate() {
        for (dim, size) in sizes.iter().enumerate() {
            let place = text.dimension(output, dim);
            let size = text.size(size);
            text.line(&format!("store i64 {size}, ptr {place}, align 8"));
        }
    }
    let name = object.symbols.output_shapes();
    format!(
        "define i32 @{name}(ptr %symbols, ptr %shapes) {{\n{}  ret i32 0\n\
         fail:\n  ret i32 {WRONG_SIZES}\n}}\n\n",
        text.text
    )
}

/// The signature table, with -1 for open sizes, and the texts of the conditions.
fn tables(object: &Object<'_>) -> String {
    let Object { symbols, entry, signature, versions } = object;
    let mut text = String::new();
    let mut lists = Vec::new();
    let all = [
        ("in", &entry.shapes.inputs, &signature.inputs),
        ("out", &entry.shapes.outputs, &signature.outputs),
    ];
    for (what, shapes, specs) in all {
        let mut entries = Vec::new();
        for (index, (sizes, spec)) in shapes.iter().zip(specs).enumerate() {
            let rank = sizes.len();
            let size = |size: &DimExpr| format!("i64 {}", size.as_constant().unwrap_or(-1));
            let list: Vec<_> = sizes.iter().map(size).collect();
            let name = format!("@\"{}.{what}{index}\"", symbols.entry);
            let dims = if rank == 0 { "null".to_owned() } else { name.clone() };
            if rank != 0 {
                let list = list.join(", ");
                text += &format!("{name} = internal constant [{rank} x i64] [{list}]\n");
            }
            let code = element_code(spec.element);
            entries.push(format!("{{ i32, i32, ptr }} {{ i32 {code}, i32 {rank}, ptr {dims} }}"));
        }
        let name = format!("@\"{}.{what}\"", symbols.entry);
        let (count, list) = (entries.len(), entries.join(", "));
        if count == 0 {
            lists.push("null".to_owned());
            continue;
        }
        text += &format!("{name} = internal constant [{count} x {{ i32, i32, ptr }}] [{list}]\n");
        lists.push(name);
    }
    let sizes = versions.iter().map(|one| {
        let own = Signature {
            inputs: one.inputs.clone(),
            outputs: one.outputs.clone(),
            ..Signature::default()
        };
        entry.workspace_size(&own, one.workspace_size)
    });
    let workspace_size = sizes.max().unwrap_or(0);
    let weights = signature.weights.map_or(0, |file| file.size);
    let version = signature_version(signature);
    let (types, values) = match version == SIGNATURE_VERSION {
        true => ("", String::new()),
        false => {
            let of = |what| format!("{}.quantized_{what}", symbols.entry);
            let inputs = quantization_table(
                &mut text,
                &of("in"),
                &signature.inputs[..entry.shapes.inputs.len()],
            );
            let outputs = quantization_table(&mut text, &of("out"), &signature.outputs);
            (", ptr, ptr", format!(", ptr {inputs}, ptr {outputs}"))
        }
    };
    text += &format!(
        "@{} = constant {{ i32, i32, i32, i32, i64, ptr, ptr, i64, ptr{types} }} {{ i32 {version}, \
         i32 {WORKSPACE_ALIGNMENT}, i32 {}, i32 {}, i64 {workspace_size}, ptr {}, ptr {}, i64 {weights}, ptr null{values} }}\n",
        symbols.signature(),
        entry.shapes.inputs.len(),
        entry.shapes.outputs.len(),
        lists[0],
        lists[1]
    );
    text += &names_table(object);
    let mut conditions = constraint_texts(entry, signature);
    conditions.extend(dimension_texts(entry, signature));
    for (name, prefix, texts) in [
        (symbols.constraints(), "c", &conditions),
        (symbols.symbol_names(), "s", &entry.shapes.symbols),
    ] {
        let list = strings(&mut text, &format!("{}.{prefix}", symbols.entry), texts, true);
        text += &format!("@{name} = constant {list}\n");
    }
    text
}

/// For each tensor what its elements mean, or null; returns the address of the list, null if none is quantized.
fn quantization_table(text: &mut String, name: &str, specs: &[TensorSpec]) -> String {
    if specs.iter().all(|spec| spec.quantization.is_none()) {
        return "null".to_owned();
    }
    let mut entries = Vec::new();
    for (index, spec) in specs.iter().enumerate() {
        let Some(quantization) = &spec.quantization else {
            entries.push("ptr null".to_owned());
            continue;
        };
        let count = quantization.scales.len();
        let bits = quantization.scales.iter().map(|scale| scale.get().to_bits().cast_signed());
        let points = quantization.zero_points.iter().copied();
        for (what, numbers) in
            [("scales", bits.collect::<Vec<_>>()), ("zero_points", points.collect())]
        {
            let numbers: Vec<_> = numbers.iter().map(|number| format!("i64 {number}")).collect();
            let list = numbers.join(", ");
            *text += &format!(
                "@\"{name}{index}.{what}\" = internal constant [{count} x i64] [{list}]\n"
            );
        }
        let code = element_code(quantization.expressed);
        let axis = quantization.axis.map_or(-1, |axis| axis as i64);
        let (min, max) = (quantization.min, quantization.max);
        *text += &format!(
            "@\"{name}{index}\" = internal constant {{ i32, i32, i64, ptr, ptr, i64, i64 }} \
             {{ i32 {code}, i32 {axis}, i64 {count}, ptr @\"{name}{index}.scales\", \
             ptr @\"{name}{index}.zero_points\", i64 {min}, i64 {max} }}\n"
        );
        entries.push(format!("ptr @\"{name}{index}\""));
    }
    let (count, list) = (entries.len(), entries.join(", "));
    *text += &format!("@\"{name}\" = internal constant [{count} x ptr] [{list}]\n");
    format!("@\"{name}\"")
}

/// Constants for texts, called `prefix` and a number; the list of their addresses, which may end with null.
fn strings(text: &mut String, prefix: &str, texts: &[String], has_end: bool) -> String {
    let mut addresses = Vec::new();
    for (index, one) in texts.iter().enumerate() {
        let bytes: String = one.bytes().map(|byte| format!("\\{byte:02X}")).collect();
        let name = format!("@\"{prefix}{index}\"");
        let length = one.len() + 1;
        *text += &format!("{name} = internal constant [{length} x i8] c\"{bytes}\\00\"\n");
        addresses.push(format!("ptr {name}"));
    }
    addresses.extend(has_end.then(|| "ptr null".to_owned()));
    format!("[{} x ptr] [{}]", addresses.len(), addresses.join(", "))
}

/// The program's names of inputs and outputs, if there are any.
fn names_table(object: &Object<'_>) -> String {
    let Object { symbols, entry, signature, .. } = object;
    let Some(table) = symbols.names(signature) else { return String::new() };
    let mut text = String::new();
    let counts = [entry.shapes.inputs.len(), entry.shapes.outputs.len()];
    let mut lists = Vec::new();
    let all = [("inputs", &signature.input_names), ("outputs", &signature.output_names)];
    for ((what, names), count) in all.into_iter().zip(counts) {
        if count == 0 {
            lists.push("null".to_owned());
            continue;
        }
        let mut names = names.clone();
        names.resize(count, String::new());
        let list = format!("{}.names_of_{what}", symbols.entry);
        let addresses = strings(&mut text, &format!("{list}."), &names, false);
        text += &format!("@\"{list}\" = internal constant {addresses}\n");
        lists.push(format!("@\"{list}\""));
    }
    text + &format!(
        "@{table} = constant {{ i32, i32, i32, ptr, ptr }} {{ i32 {NAMES_VERSION}, i32 {}, i32 {}, ptr {}, ptr {} }}\n",
        counts[0], counts[1], lists[0], lists[1]
    )
}

/// The texts of the conditions, the ranges of the symbols last.
pub(super) fn constraint_texts(entry: &OpenEntry, signature: &Signature) -> Vec<String> {
    let own = entry.shapes.constraint_texts().into_iter();
    let range = |(index, name): (usize, &String)| {
        format!("0 <= {name} <= {}", entry.most(index, signature))
    };
    own.chain(entry.shapes.symbols.iter().enumerate().map(range)).collect()
}

/// What each dimension of the inputs has to be, as conditions: `x.1 == 2*b`.
pub(super) fn dimension_texts(entry: &OpenEntry, signature: &Signature) -> Vec<String> {
    let symbol = |variable| entry.shapes.shown(variable);
    let mut texts = Vec::new();
    for (input, sizes) in entry.shapes.inputs.iter().enumerate() {
        let given = signature.input_names.get(input).filter(|name| !name.is_empty());
        let name = given.cloned().unwrap_or_else(|| format!("input{input}"));
        let text =
            |(dim, size): (usize, &DimExpr)| format!("{name}.{dim} == {}", size.text(&symbol));
        texts.extend(sizes.iter().enumerate().map(text));
    }
    texts
}
