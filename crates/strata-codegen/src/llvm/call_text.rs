//! The functions that make external calls, as text of the LLVM dialect: they convert the program's
//! buffers to the arguments of the target's convention.

mod exchanges;

use std::fmt::Write as _;

use strata_ir::{
    Attribute, AttributeExt as _, Convention, Exchange, ExternalCall, TensorSpec, TypeExt as _,
    dense_splat, tensor,
};

pub(super) use self::exchanges::{ABANDON, DEVICES, abandon, devices};
use super::tables::Fields;
use crate::abi::{
    CALL_VERSION, DICTIONARY, FOREIGN, LIST, NO_HOST, STRING, WRONG_SIZES, attribute_code,
    element_code,
};

const BUFFER: &str = "!llvm.struct<(i32, i32, ptr, ptr)>";
const CALL: &str = "!llvm.struct<(i32, i32, i32, i32, ptr, ptr, ptr)>";
const ATTRIBUTE: &str = "!llvm.struct<(ptr, i32, i32, i64, ptr)>";
const EXECUTOR: &str = "!llvm.struct<(ptr, i64, ptr, ptr)>";
const HOST: &str = "!llvm.struct<(i64, ptr, ptr, ptr, ptr, ptr)>";

/// The declaration of a target, marked as an allowed undefined symbol.
pub(super) fn declaration(target: &str, convention: Convention) -> String {
    format!(
        "llvm.func @{target}({}){} attributes {{passthrough = [[\"{FOREIGN}\", \"{}\"]]}}\n",
        parameters(convention).join(", "),
        if convention == Convention::Original { "" } else { " -> i32" },
        convention.name()
    )
}

fn parameters(convention: Convention) -> Vec<&'static str> {
    match convention {
        Convention::Original | Convention::Status => vec!["!llvm.ptr"; 2],
        Convention::Unified => vec!["!llvm.ptr", "!llvm.ptr", "!llvm.ptr", "i64"],
        Convention::Typed => vec!["!llvm.ptr"],
        Convention::Infeed | Convention::Outfeed => {
            vec!["!llvm.ptr", "!llvm.ptr", "i64", "!llvm.ptr"]
        }
        Convention::Send | Convention::Recv => vec!["!llvm.ptr", "i64", "i64", "!llvm.ptr"],
        Convention::Condition => Vec::new(),
        // Without the output of a send or the input of a receive: see `Writer::collective`.
        Convention::Collective => vec!["!llvm.ptr", "!llvm.ptr", "i64", "!llvm.ptr", "!llvm.ptr"],
    }
}

/// The function `name` that makes `call`; the constants that it needs come with it. `combined` is the LLVM type that a
/// reduction's function takes.
pub(super) fn function(name: &str, call: &ExternalCall<'_>, combined: Option<&str>) -> String {
    let mut writer = Writer { name, call, combined, constants: String::new(), body: String::new() };
    // Writing to a string does not fail.
    let _ = writer.write();
    let own = (0..call.inputs.len()).filter(|index| !call.is_aliased(*index)).count();
    let pointers: String =
        (0..own + call.outputs.len()).map(|index| format!("%a{index}: !llvm.ptr, ")).collect();
    let target = match call.convention {
        // Only so that the text is a module of its own.
        Convention::Collective => format!("llvm.func @{DEVICES}(!llvm.ptr) -> i32\n"),
        convention if !convention.is_symbol() => String::new(),
        convention => declaration(&call.target, convention),
    };
    format!(
        "{target}{}llvm.func internal @{name}({pointers}%executor: !llvm.ptr) -> i32 {{\n{}}}\n",
        writer.constants, writer.body
    )
}

struct Writer<'a, 'c> {
    name: &'a str,
    call: &'a ExternalCall<'c>,
    combined: Option<&'a str>,
    /// Globals and functions before the function.
    constants: String,
    body: String,
}

impl Writer<'_, '_> {
    fn write(&mut self) -> std::fmt::Result {
        writeln!(
            self.body,
            "  %one = llvm.mlir.constant(1 : i64) : i64\n  %ok = llvm.mlir.constant(0 : i32) : i32"
        )?;
        match self.call.convention {
            Convention::Original | Convention::Status | Convention::Unified => self.plain(),
            Convention::Typed => self.typed(),
            Convention::Infeed | Convention::Outfeed | Convention::Send | Convention::Recv => {
                self.host_transfer()
            }
            Convention::Condition => self.condition(),
            Convention::Collective => match Exchange::of(self.call) {
                Some(exchange) => self.collective(&exchange),
                // The stage's verification refuses a function without an end.
                None => Ok(()),
            },
        }
    }

    /// Fails unless the boolean is true.
    fn condition(&mut self) -> std::fmt::Result {
        writeln!(
            self.body,
            "  %byte = llvm.load {} : !llvm.ptr -> i8\n  %false = llvm.mlir.constant(0 : i8) : i8\n  \
             %holds = llvm.icmp \"ne\" %byte, %false : i8\n  \
             %wrong = llvm.mlir.constant({WRONG_SIZES} : i32) : i32\n  \
             %status = llvm.select %holds, %ok, %wrong : i1, i32\n  llvm.return %status : i32",
            self.input(0)
        )
    }

    /// The argument that holds the buffer of output `index`.
    fn output(&self, index: usize) -> String {
        let aliased = self.call.aliases.iter().flatten().count();
        format!("%a{}", self.call.inputs.len() - aliased + index)
    }

    /// The argument that holds the buffer of input `index`.
    fn input(&self, index: usize) -> String {
        match self.call.aliases.iter().position(|alias| *alias == Some(index)) {
            Some(output) => self.output(output),
            None => format!("%a{}", (0..index).filter(|at| !self.call.is_aliased(*at)).count()),
        }
    }

    fn inputs(&self) -> Vec<String> {
        (0..self.call.inputs.len()).map(|index| self.input(index)).collect()
    }

    fn outputs(&self) -> Vec<String> {
        (0..self.call.outputs.len()).map(|index| self.output(index)).collect()
    }

    /// `out` and `in`, and the text for the unified version.
    fn plain(&mut self) -> std::fmt::Result {
        self.pointers("%in", &self.inputs())?;
        let outputs = self.outputs();
        let out = match outputs.as_slice() {
            [single] if !self.call.tuple => single.clone(),
            _ if !self.call.nesting.is_empty() => {
                self.nested("%out", &mut self.call.nesting.iter(), &mut outputs.iter())?
            }
            _ => {
                self.pointers("%out", &outputs)?;
                "%out".to_owned()
            }
        };
        let mut arguments = vec![out, "%in".to_owned()];
        if self.call.convention == Convention::Unified {
            let text = self.call.config.and_then(|config| config.as_str()).unwrap_or_default();
            let symbol = self.bytes("config", &[text.as_bytes(), b"\0"].concat())?;
            writeln!(
                self.body,
                "  %config = llvm.mlir.addressof @{symbol} : !llvm.ptr\n  \
                 %config_size = llvm.mlir.constant({} : i64) : i64",
                text.len()
            )?;
            arguments.extend(["%config".to_owned(), "%config_size".to_owned()]);
        }
        self.call_target(&arguments)
    }

    /// The next value of `arities`: a buffer, or for a tuple an array of pointers to its elements.
    fn nested(
        &mut self,
        name: &str,
        arities: &mut std::slice::Iter<'_, i64>,
        buffers: &mut std::slice::Iter<'_, String>,
    ) -> Result<String, std::fmt::Error> {
        let Ok(count) = usize::try_from(arities.next().copied().unwrap_or(-1)) else {
            return Ok(buffers.next().cloned().unwrap_or_default());
        };
        let elements = (0..count)
            .map(|index| self.nested(&format!("{name}_{index}_"), arities, buffers))
            .collect::<Result<Vec<_>, _>>()?;
        self.pointers(name, &elements)?;
        Ok(name.to_owned())
    }

    /// An array of pointers on the stack; NULL if empty.
    fn pointers(&mut self, name: &str, values: &[String]) -> std::fmt::Result {
        if values.is_empty() {
            return writeln!(self.body, "  {name} = llvm.mlir.zero : !llvm.ptr");
        }
        let count = values.len();
        writeln!(
            self.body,
            "  {name} = llvm.alloca %one x !llvm.array<{count} x ptr> : (i64) -> !llvm.ptr"
        )?;
        for (index, value) in values.iter().enumerate() {
            writeln!(
                self.body,
                "  {name}_{index} = llvm.getelementptr {name}[{index}] : (!llvm.ptr) -> !llvm.ptr, \
                 !llvm.ptr\n  llvm.store {value}, {name}_{index} : !llvm.ptr, !llvm.ptr"
            )?;
        }
        Ok(())
    }

    /// Calls the target and returns what it returns, 0 where it returns nothing.
    fn call_target(&mut self, arguments: &[String]) -> std::fmt::Result {
        let target = &self.call.target;
        let types = parameters(self.call.convention).join(", ");
        let arguments = arguments.join(", ");
        if self.call.convention == Convention::Original {
            writeln!(
                self.body,
                "  llvm.call @{target}({arguments}) : ({types}) -> ()\n  llvm.return %ok : i32"
            )
        } else {
            writeln!(
                self.body,
                "  %status = llvm.call @{target}({arguments}) : ({types}) -> i32\n  \
                 llvm.return %status : i32"
            )
        }
    }

    fn typed(&mut self) -> std::fmt::Result {
        self.buffers("%in", &self.call.inputs, &self.inputs())?;
        self.buffers("%out", &self.call.outputs, &self.outputs())?;
        let entries =
            self.call.config.and_then(|config| config.as_dictionary()).unwrap_or_default();
        let table = self.attributes("attributes", &entries)?;
        match table {
            Some(symbol) => {
                writeln!(self.body, "  %attributes = llvm.mlir.addressof @{symbol} : !llvm.ptr")?;
            }
            None => writeln!(self.body, "  %attributes = llvm.mlir.zero : !llvm.ptr")?,
        }
        writeln!(self.body, "  %call = llvm.alloca %one x {CALL} : (i64) -> !llvm.ptr")?;
        let counts = [CALL_VERSION, self.call.inputs.len(), self.call.outputs.len(), entries.len()];
        for (field, count) in counts.into_iter().enumerate() {
            writeln!(self.body, "  %count{field} = llvm.mlir.constant({count} : i32) : i32")?;
            self.field("%call", CALL, field, &format!("%count{field}"), "i32")?;
        }
        for (field, value) in [(4, "%in"), (5, "%out"), (6, "%attributes")] {
            self.field("%call", CALL, field, value, "!llvm.ptr")?;
        }
        self.call_target(&["%call".to_owned()])
    }

    /// Stores `value` in a field of the structure at `base`.
    fn field(
        &mut self,
        base: &str,
        structure: &str,
        field: usize,
        value: &str,
        ty: &str,
    ) -> std::fmt::Result {
        writeln!(
            self.body,
            "  {base}_f{field} = llvm.getelementptr {base}[0, {field}] : (!llvm.ptr) -> !llvm.ptr, \
             {structure}\n  llvm.store {value}, {base}_f{field} : {ty}, !llvm.ptr"
        )
    }

    /// An array of descriptions of buffers on the stack; NULL where there is none.
    fn buffers(&mut self, name: &str, specs: &[TensorSpec], values: &[String]) -> std::fmt::Result {
        if specs.is_empty() {
            return writeln!(self.body, "  {name} = llvm.mlir.zero : !llvm.ptr");
        }
        let count = specs.len();
        writeln!(
            self.body,
            "  {name} = llvm.alloca %one x !llvm.array<{count} x struct<(i32, i32, ptr, ptr)>> : \
             (i64) -> !llvm.ptr"
        )?;
        for (index, (spec, value)) in specs.iter().zip(values).enumerate() {
            let at = format!("{name}_{index}");
            writeln!(
                self.body,
                "  // {spec}\n  {at} = llvm.getelementptr {name}[{index}] : (!llvm.ptr) -> !llvm.ptr, \
                 {BUFFER}\n  {at}_type = llvm.mlir.constant({} : i32) : i32\n  \
                 {at}_rank = llvm.mlir.constant({} : i32) : i32",
                element_code(spec.element),
                spec.shape.len()
            )?;
            let shape = spec.shape.iter().flat_map(|size| size.to_le_bytes()).collect::<Vec<_>>();
            if shape.is_empty() {
                writeln!(self.body, "  {at}_dims = llvm.mlir.zero : !llvm.ptr")?;
            } else {
                let label = format!("{}.{index}", &name[1..]);
                let symbol = self.bytes(&label, &shape)?;
                writeln!(self.body, "  {at}_dims = llvm.mlir.addressof @{symbol} : !llvm.ptr")?;
            }
            self.field(&at, BUFFER, 0, &format!("{at}_type"), "i32")?;
            self.field(&at, BUFFER, 1, &format!("{at}_rank"), "i32")?;
            self.field(&at, BUFFER, 2, &format!("{at}_dims"), "!llvm.ptr")?;
            self.field(&at, BUFFER, 3, value, "!llvm.ptr")?;
        }
        Ok(())
    }

    /// A constant of raw bytes, aligned for any number.
    fn bytes(&mut self, label: &str, bytes: &[u8]) -> Result<String, std::fmt::Error> {
        let symbol = format!("{}.{label}", self.name);
        let text: String = bytes.iter().map(|byte| format!("\\{byte:02X}")).collect();
        writeln!(
            self.constants,
            "llvm.mlir.global private constant @{symbol}(\"{text}\") {{alignment = 8 : i64}}"
        )?;
        Ok(symbol)
    }

    /// A table of named values; `None` if empty.
    fn attributes(
        &mut self,
        label: &str,
        entries: &[(&str, Attribute<'_>)],
    ) -> Result<Option<String>, std::fmt::Error> {
        if entries.is_empty() {
            return Ok(None);
        }
        let mut rows = Vec::new();
        for (index, (name, attribute)) in entries.iter().enumerate() {
            let label = format!("{label}.{index}");
            let named = self.bytes(&format!("{label}.name"), &[name.as_bytes(), b"\0"].concat())?;
            rows.push((named, self.value(&label, *attribute)?));
        }
        let symbol = format!("{}.{label}", self.name);
        let array = format!("!llvm.array<{} x struct<(ptr, i32, i32, i64, ptr)>>", rows.len());
        writeln!(
            self.constants,
            "llvm.mlir.global private constant @{symbol}() : {array} {{\n  \
             %table0 = llvm.mlir.undef : {array}"
        )?;
        for (position, (name, value)) in rows.iter().enumerate() {
            let mut fields =
                Fields::named(&mut self.constants, ATTRIBUTE, &format!("%t{position}_"))?;
            fields.address(Some(name))?;
            fields.constant("i32", i64::from(value.code))?;
            fields.constant("i32", i64::from(value.is_array))?;
            fields.constant("i64", value.count)?;
            fields.address(value.data.as_deref())?;
            let value = fields.value;
            let next = position + 1;
            writeln!(
                self.constants,
                "  %table{next} = llvm.insertvalue {value}, %table{position}[{position}] : {array}"
            )?;
        }
        writeln!(self.constants, "  llvm.return %table{} : {array}\n}}", rows.len())?;
        Ok(Some(symbol))
    }

    fn value(
        &mut self,
        label: &str,
        attribute: Attribute<'_>,
    ) -> Result<AttributeValue, std::fmt::Error> {
        let value = |code, is_array, count: usize, data| AttributeValue {
            code,
            is_array,
            count: count as i64,
            data,
        };
        if let Some(entries) = attribute.as_dictionary() {
            let data = self.attributes(label, &entries)?;
            return Ok(value(DICTIONARY, false, entries.len(), data));
        }
        if let Some((code, is_array, count, bytes)) = numbers(attribute) {
            let data = if bytes.is_empty() { None } else { Some(self.bytes(label, &bytes)?) };
            return Ok(value(code, is_array, count, data));
        }
        if let Some(elements) = attribute.as_array() {
            let entries: Vec<_> = elements.into_iter().map(|element| ("", element)).collect();
            let data = self.attributes(label, &entries)?;
            return Ok(value(LIST, false, entries.len(), data));
        }
        let text = match attribute.as_str().or_else(|| attribute.as_symbol()) {
            Some(text) => text.to_owned(),
            None => attribute.to_string(),
        };
        let data = self.bytes(label, &[text.as_bytes(), b"\0"].concat())?;
        Ok(value(STRING, false, text.len(), Some(data)))
    }

    /// Gets the callback from the executor; without one the program ends.
    fn host_transfer(&mut self) -> std::fmt::Result {
        let (field, first, specs, values) = match self.call.convention {
            Convention::Infeed => (2, "%config", &self.call.outputs, self.outputs()),
            Convention::Outfeed => (3, "%config", &self.call.inputs, self.inputs()),
            Convention::Send => (4, "%channel", &self.call.inputs, self.inputs()),
            _ => (5, "%channel", &self.call.outputs, self.outputs()),
        };
        if first == "%config" {
            let text = self.call.config.and_then(|config| config.as_str()).unwrap_or_default();
            let symbol = self.bytes("config", &[text.as_bytes(), b"\0"].concat())?;
            writeln!(self.body, "  %config = llvm.mlir.addressof @{symbol} : !llvm.ptr")?;
        } else {
            let channel = self.call.channel;
            writeln!(self.body, "  %channel = llvm.mlir.constant({channel} : i64) : i64")?;
        }
        self.buffers("%buffers", specs, &values)?;
        let (count, size) = (specs.len(), 8 * (field + 1));
        let types = parameters(self.call.convention).join(", ");
        writeln!(
            self.body,
            "  %count = llvm.mlir.constant({count} : i64) : i64\n  \
             %null = llvm.mlir.zero : !llvm.ptr\n  \
             %no_host = llvm.mlir.constant({NO_HOST} : i32) : i32\n  \
             %needed = llvm.mlir.constant({size} : i64) : i64\n  \
             %alone = llvm.icmp \"eq\" %executor, %null : !llvm.ptr\n  \
             llvm.cond_br %alone, ^none, ^some\n\
             ^some:\n  \
             %host_at = llvm.getelementptr %executor[0, 3] : (!llvm.ptr) -> !llvm.ptr, {EXECUTOR}\n  \
             %host = llvm.load %host_at : !llvm.ptr -> !llvm.ptr\n  \
             %unset = llvm.icmp \"eq\" %host, %null : !llvm.ptr\n  \
             llvm.cond_br %unset, ^none, ^host\n\
             ^host:\n  \
             %size = llvm.load %host : !llvm.ptr -> i64\n  \
             %short = llvm.icmp \"ult\" %size, %needed : i64\n  \
             llvm.cond_br %short, ^none, ^long\n\
             ^long:\n  \
             %context_at = llvm.getelementptr %host[0, 1] : (!llvm.ptr) -> !llvm.ptr, {HOST}\n  \
             %context = llvm.load %context_at : !llvm.ptr -> !llvm.ptr\n  \
             %callback_at = llvm.getelementptr %host[0, {field}] : (!llvm.ptr) -> !llvm.ptr, {HOST}\n  \
             %callback = llvm.load %callback_at : !llvm.ptr -> !llvm.ptr\n  \
             %lacking = llvm.icmp \"eq\" %callback, %null : !llvm.ptr\n  \
             llvm.cond_br %lacking, ^none, ^there\n\
             ^there:\n  \
             %status = llvm.call %callback(%context, {first}, %count, %buffers) : \
             !llvm.ptr, ({types}) -> i32\n  \
             llvm.return %status : i32\n\
             ^none:\n  llvm.return %no_host : i32"
        )
    }
}

/// The fields of an attribute after its name.
struct AttributeValue {
    code: i32,
    is_array: bool,
    count: i64,
    data: Option<String>,
}

/// A number, or several of one type: the code of the type, whether it is an array, how many, and their
/// bytes.
fn numbers(attribute: Attribute<'_>) -> Option<(i32, bool, usize, Vec<u8>)> {
    if let Some(value) = attribute.as_bool() {
        return Some((attribute_code("i1")?, false, 1, vec![u8::from(value)]));
    }
    if attribute.is_unit() {
        return Some((attribute_code("i1")?, false, 1, vec![1]));
    }
    if let Some((element, bytes)) = attribute.dense_array() {
        let count = bytes.len() / usize::try_from(element.byte_width()?).ok()?;
        return Some((attribute_code(&element.to_string())?, true, count, bytes));
    }
    if let Some(ty) = attribute.elements_type() {
        let bytes = attribute.raw_elements()?;
        let code = attribute_code(&ty.element().to_string())?;
        return Some((code, true, usize::try_from(ty.element_count()?).ok()?, bytes));
    }
    let ty = attribute.number_type()?;
    let code = attribute_code(&ty.to_string())?;
    // A tensor of the one number has its bytes.
    let bytes = dense_splat(tensor(&[1], ty), attribute).raw_elements()?;
    Some((code, false, 1, bytes))
}
