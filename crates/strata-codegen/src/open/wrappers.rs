//! The C header, the C++ class and the Rust module of an object with open sizes.

use std::fmt::Write as _;

use strata_diag::Diagnostic;
use strata_ir::{Signature, TensorSpec, parameter_names};
use strata_options::Options;
use strata_shapes::{DimExpr, Specializations, Variable};

use super::{
    constraint_texts,
    expressions::{Language, expression, number},
};
use crate::{
    abi::{WORKSPACE_ALIGNMENT, WRONG_SIZES},
    cxx::cxx_type,
    header::{self, c_type, element_words, in_comment, quantization_note, quantization_words},
    rust::rust_element,
    symbols::Symbols,
};

/// A tensor of the wrappers: its parameter, its type in a version, and its sizes.
type Parameter<'a> = (String, &'a TensorSpec, &'a [DimExpr]);

/// An entry, as the three wrappers see it.
struct Wrapped<'a> {
    symbols: Symbols,
    entry: &'a Specializations,
    signature: &'a Signature,
    workspace_size: u64,
    options: &'a Options,
    /// The parameters for the symbols.
    sizes: Vec<String>,
    inputs: Vec<Parameter<'a>>,
    outputs: Vec<Parameter<'a>>,
}

impl<'a> Wrapped<'a> {
    fn new(
        entry: &'a Specializations,
        signature: &'a Signature,
        workspace_size: u64,
        options: &'a Options,
    ) -> Result<Self, Diagnostic> {
        let symbols = Symbols::new(&options.name, &signature.entry)?;
        let words = ["rows", "symbols", "status", "weights", "workspace", "executor"];
        let sizes = match entry.shapes.batch {
            Some(_) if entry.shapes.symbols.len() == 1 => vec!["rows".to_owned()],
            _ => {
                let mut taken = symbols.all();
                taken.extend(words.map(str::to_owned));
                let [names, _] = parameter_names(
                    &taken,
                    &entry.shapes.symbols,
                    entry.shapes.symbols.len(),
                    &[],
                    0,
                );
                names
            }
        };
        let beside: Vec<&str> =
            words.into_iter().take(3).chain(sizes.iter().map(String::as_str)).collect();
        let [ins, outs] = symbols.parameters_beside(signature, &beside);
        let parameters =
            |names: Vec<String>, specs: &'a [TensorSpec], sizes: &'a [Vec<DimExpr>]| {
                let all = names.into_iter().zip(specs).zip(sizes);
                all.map(|((name, spec), sizes)| (name, spec, sizes.as_slice())).collect()
            };
        let inputs = parameters(ins, &signature.inputs, &entry.shapes.inputs);
        let outputs = parameters(outs, &signature.outputs, &entry.shapes.outputs);
        Ok(Self { symbols, entry, signature, workspace_size, options, sizes, inputs, outputs })
    }

    /// `2*b x 16 x f32`.
    fn described(&self, spec: &TensorSpec, sizes: &[DimExpr]) -> String {
        let name = |variable| match variable {
            Variable::Symbol(index) => in_comment(&self.entry.shapes.symbols[index]),
            Variable::Dimension(..) => String::new(),
        };
        let sizes = sizes.iter().map(|size| match size.terms().count() {
            0 | 1 => format!("{} x ", size.text(&name)),
            _ => format!("({}) x ", size.text(&name)),
        });
        format!("{}{}", sizes.collect::<String>(), spec.element)
    }

    /// Elements of a tensor as an expression of the parameters, which are in range.
    fn elements(sizes: &[DimExpr], language: Language) -> String {
        let known = sizes.iter().filter_map(DimExpr::as_constant).fold(1_i64, i64::saturating_mul);
        let open = sizes.iter().filter(|size| size.as_constant().is_none());
        let mut factors: Vec<String> = open.map(|size| expression(size, language)).collect();
        if known != 1 || factors.is_empty() {
            factors.insert(0, number(known, language));
        }
        factors.join(" * ")
    }

    /// What follows the parameters of the inputs and outputs in comments: their names in the program, where these differ.
    fn own_names(&self) -> Vec<String> {
        let Signature { input_names, output_names, .. } = self.signature;
        let own = |(position, (parameter, ..)): (usize, &Parameter<'_>), names: &[String]| {
            let own = names.get(position).filter(|own| !own.is_empty() && *own != parameter);
            let shown = own.map(|own| in_comment(own).replace('`', "'"));
            shown.map_or(String::new(), |own| format!(", `{own}` in the program"))
        };
        let inputs = self.inputs.iter().enumerate().map(|one| own(one, input_names));
        inputs.chain(self.outputs.iter().enumerate().map(|one| own(one, output_names))).collect()
    }

    fn has_weights(&self) -> bool {
        self.signature.weights.is_some()
    }

    /// The sizes that there is code for, as text.
    fn versions(&self) -> String {
        let list = |sizes: &[u64]| sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        for (index, name) in self.entry.shapes.symbols.iter().enumerate() {
            let name = in_comment(name);
            let bound = self.entry.bounds.iter().find(|bound| bound.symbol == index);
            text += &match bound {
                Some(bound) => {
                    let sizes = list(&bound.sizes);
                    format!(
                        " *   symbols[{index}]: `{name}`, computed with the next larger of {sizes}\n"
                    )
                }
                None => {
                    let mut rows: Vec<u64> =
                        self.entry.versions.iter().filter_map(|version| version.batch).collect();
                    rows.dedup();
                    rows.sort_unstable();
                    rows.dedup();
                    let rows = list(&rows);
                    format!(
                        " *   symbols[{index}]: `{name}`, any number of rows. There is code for {rows};\n \
                         *   other numbers are computed in several parts\n"
                    )
                }
            };
        }
        text
    }
}

/// The C header.
///
/// # Errors
/// `S0001` for a name that is not a C identifier.
pub fn c_header(
    entry: &Specializations,
    signature: &Signature,
    workspace_size: u64,
    options: &Options,
) -> Result<String, Diagnostic> {
    let wrapped = Wrapped::new(entry, signature, workspace_size, options)?;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_c(&mut text, &wrapped);
    Ok(text)
}

fn write_c(text: &mut String, wrapped: &Wrapped<'_>) -> std::fmt::Result {
    let Wrapped { symbols, entry, signature, workspace_size, options, .. } = wrapped;
    let (name, prefix) = (&symbols.entry, symbols.macro_prefix());
    header::opening(text, symbols, signature, options)?;
    writeln!(
        text,
        "/* Bytes of workspace that are enough for all sizes, and their alignment. */\n\
         #define {prefix}_WORKSPACE_SIZE {workspace_size}\n\
         #define {prefix}_ALIGNMENT {WORKSPACE_ALIGNMENT}\n\n\
         /* The sizes of a call follow from its symbols:\n{} */\n#define {prefix}_SYMBOLS {}\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n",
        wrapped.versions(),
        entry.shapes.symbols.len()
    )?;
    if let Some(file) = signature.weights {
        header::weights_macros(text, &prefix, signature, file)?;
    }
    writeln!(text, "/* Runs the program on dense row-major buffers:\n *")?;
    let mut own_names = wrapped.own_names().into_iter();
    for (array, tensors) in [("inputs", &wrapped.inputs), ("outputs", &wrapped.outputs)] {
        for (position, (own, spec, sizes)) in tensors.iter().enumerate() {
            let shape = wrapped.described(spec, sizes);
            let words = element_words(spec.element) + &quantization_words(spec);
            let in_program = own_names.next().unwrap_or_default();
            writeln!(text, " *   {array}[{position}] `{own}`{in_program}: {shape} ({words})")?;
        }
    }
    if wrapped.has_weights() {
        let position = signature.inputs.len();
        writeln!(text, " *   inputs[{position}]: the weights, from {name}_map_weights")?;
    }
    for (output, shape) in &signature.shapes {
        writeln!(
            text,
            " *\n * outputs[{shape}] is the shape of the valid part of outputs[{output}], which has zeros after it."
        )?;
    }
    for (output, input) in &signature.donations {
        writeln!(
            text,
            " *\n * outputs[{output}] may be the same buffer as inputs[{input}], which then is overwritten."
        )?;
    }
    writeln!(
        text,
        " *\n * Inputs are only read. No output may overlap another buffer. `workspace` is\n \
         * {size}(symbols) bytes, aligned to {prefix}_ALIGNMENT, and needs no initial\n \
         * value. `executor` may be NULL: everything then runs on the calling thread. Calls with different\n \
         * workspaces and outputs may run at the same time, with different sizes too.\n *\n \
         * Returns STRATA_OK, STRATA_WRONG_SIZES, with nothing written, or why it failed otherwise. */\n\
         int32_t {name}(const void *const *inputs, void *const *outputs, void *workspace,\n    \
         const strata_executor *executor, const int64_t *symbols);\n\n\
         /* The symbols from the shapes of the inputs: input_shapes[i] has the dimensions of input i,\n \
         * outermost first, and is not read for a scalar. Returns STRATA_WRONG_SIZES for shapes that the\n \
         * program does not take. */\n\
         int32_t {dims}(const int64_t *const *input_shapes, int64_t *symbols);\n\n\
         /* As {dims}, but writes the symbols in any case, and returns the index in {texts}\n \
         * of the first condition that the shapes violate, or -1. */\n\
         int32_t {mismatch}(const int64_t *const *input_shapes, int64_t *symbols);\n\n\
         /* Writes the dimensions of output i to shapes[i], which is not used for a scalar. */\n\
         int32_t {shapes}(const int64_t *symbols, int64_t *const *shapes);\n\n\
         /* The index in {texts} of the first condition that the symbols violate, or -1. */\n\
         int32_t {constraint}(const int64_t *symbols);\n\n\
         /* The bytes of workspace that a call needs, or SIZE_MAX for symbols that violate a condition. */\n\
         size_t {size}(const int64_t *symbols);\n\n\
         /* Types and shapes of all inputs and outputs, with -1 for open sizes. */\n\
         extern const strata_signature {table};\n\n/* The conditions:",
        dims = symbols.dims(),
        shapes = symbols.output_shapes(),
        constraint = symbols.constraint(),
        mismatch = symbols.mismatch(),
        texts = symbols.constraints(),
        size = symbols.workspace_size(),
        table = symbols.signature(),
    )?;
    for (index, one) in constraint_texts(entry, signature).iter().enumerate() {
        writeln!(text, " *   {index}: {}", in_comment(one))?;
    }
    let dimensions = entry.shapes.inputs.iter().flatten().count();
    writeln!(text, " * then what each dimension of the inputs has to be, and NULL")?;
    let own = entry.shapes.constraints.len() + entry.shapes.symbols.len();
    writeln!(
        text,
        " */\nextern const char *const {}[{}];\n\n/* The names of the symbols, and NULL. */\n\
         extern const char *const {}[{}];\n",
        symbols.constraints(),
        own + dimensions + 1,
        symbols.symbol_names(),
        entry.shapes.symbols.len() + 1
    )?;
    if symbols.names(signature).is_some() {
        header::names_table(text, symbols)?;
    }
    writeln!(text, "#ifdef __cplusplus\n}}\n#endif\n")?;
    write_typed(text, wrapped)?;
    if wrapped.has_weights() {
        let helper = include_str!("../map_weights.h");
        write!(text, "\n{}", helper.replace("PREFIX", &prefix).replace("ENTRY", name))?;
    }
    writeln!(text, "\n#endif /* STRATA_{prefix}_H */")
}

/// The inline function with typed pointers.
fn write_typed(text: &mut String, wrapped: &Wrapped<'_>) -> std::fmt::Result {
    let Wrapped { symbols, signature, .. } = wrapped;
    let sizes = wrapped.sizes.iter();
    let mut parameters: Vec<_> = sizes.map(|name| format!("int64_t {name}")).collect();
    for (position, (name, spec, _)) in wrapped.inputs.iter().enumerate() {
        // If an output is the same buffer, the input is written.
        let is_read = signature.output_of_donated(position).is_none();
        let constant = if is_read { "const " } else { "" };
        parameters.push(format!("{constant}{} *{name}", c_type(spec.element)));
    }
    let written = wrapped.outputs.iter();
    parameters.extend(written.map(|(name, spec, _)| format!("{} *{name}", c_type(spec.element))));
    parameters.extend(wrapped.has_weights().then(|| "const void *weights".to_owned()));
    parameters.push("void *workspace".to_owned());
    writeln!(
        text,
        "/* {} on typed buffers of these sizes, on the calling thread. */\n\
         static inline int32_t {}(\n    {}) {{\n  const int64_t symbols[{}] = {{{}}};",
        symbols.entry,
        symbols.typed(),
        parameters.join(",\n    "),
        wrapped.sizes.len(),
        wrapped.sizes.join(", ")
    )?;
    let mut arguments = Vec::new();
    let weights = wrapped.has_weights().then_some("weights");
    let names = |list: &[Parameter<'_>], last: Option<&str>| -> Vec<String> {
        let names = list.iter().map(|(name, ..)| name.clone());
        names.chain(last.map(str::to_owned)).collect()
    };
    let arrays = [
        ("inputs", "const void *", names(&wrapped.inputs, weights)),
        ("outputs", "void *", names(&wrapped.outputs, None)),
    ];
    for (array, ty, names) in arrays {
        arguments.push(array);
        writeln!(text, "  {ty}{array}[{}];", names.len().max(1))?;
        if names.is_empty() {
            writeln!(text, "  {array}[0] = NULL;")?;
        }
        for (position, name) in names.iter().enumerate() {
            writeln!(text, "  {array}[{position}] = {name};")?;
        }
    }
    writeln!(
        text,
        "  return {}({}, workspace, NULL, symbols);\n}}",
        symbols.entry,
        arguments.join(", ")
    )
}

/// The C++ header: the C header, and a class that owns the workspace and takes spans.
///
/// # Errors
/// `S0001` for a name that is not a C identifier.
pub fn cxx_header(
    entry: &Specializations,
    signature: &Signature,
    workspace_size: u64,
    options: &Options,
) -> Result<String, Diagnostic> {
    let mut text = c_header(entry, signature, workspace_size, options)?;
    let wrapped = Wrapped::new(entry, signature, workspace_size, options)?;
    // Writing to a string does not fail.
    let _ = write_cxx(&mut text, &wrapped);
    Ok(text)
}

fn write_cxx(text: &mut String, wrapped: &Wrapped<'_>) -> std::fmt::Result {
    let Wrapped { symbols, signature, .. } = wrapped;
    let (name, prefix) = (&symbols.entry, symbols.macro_prefix());
    crate::cxx::write_opening(text, symbols)?;
    writeln!(text, "  /// Runs the program on dense row-major buffers of these sizes.\n  ///")?;
    let all = wrapped.inputs.iter().chain(&wrapped.outputs);
    for ((own, spec, sizes), in_program) in all.zip(wrapped.own_names()) {
        let (shape, meant) = (wrapped.described(spec, sizes), quantization_note(spec, "", ""));
        writeln!(text, "  /// - `{own}`{in_program}: `{shape}`{meant}")?;
    }
    let span = |spec: &TensorSpec, constant: &str| {
        format!("std::span<{constant}{}>", cxx_type(spec.element))
    };
    let sizes = wrapped.sizes.iter();
    let mut parameters: Vec<_> = sizes.map(|name| format!("std::int64_t {name}")).collect();
    for (position, (own, spec, _)) in wrapped.inputs.iter().enumerate() {
        let is_read = signature.output_of_donated(position).is_none();
        parameters.push(format!("{} {own}", span(spec, if is_read { "const " } else { "" })));
    }
    let written = wrapped.outputs.iter();
    parameters.extend(written.map(|(own, spec, _)| format!("{} {own}", span(spec, ""))));
    let weights = signature.weights;
    parameters
        .extend(weights.map(|file| format!("std::span<const std::byte, {}> weights", file.size)));
    parameters.push("const strata_executor *executor = nullptr".to_owned());
    writeln!(
        text,
        "  ///\n  /// Returns `STRATA_OK`, `STRATA_WRONG_SIZES` for spans of another size, or the status of what failed.\n  \
         [[nodiscard]] std::int32_t operator()(\n      {}) {{\n    \
         assert(workspace_ && \"the object was moved from\");\n    const std::int64_t symbols[] = {{{}}};\n    \
         if ({}(symbols) != -1) return STRATA_WRONG_SIZES;",
        parameters.join(",\n      "),
        wrapped.sizes.join(", "),
        symbols.constraint()
    )?;
    for (own, _, sizes) in wrapped.inputs.iter().chain(&wrapped.outputs) {
        let elements = Wrapped::elements(sizes, Language::Cxx);
        writeln!(
            text,
            "    if ({own}.size() != static_cast<std::size_t>({elements})) return STRATA_WRONG_SIZES;"
        )?;
    }
    let mut arguments = Vec::new();
    let names = |list: &[Parameter<'_>], last: Option<&str>| {
        let names = list.iter().map(|(name, ..)| name.as_str()).chain(last);
        names.map(|name| format!("{name}.data()")).collect::<Vec<_>>().join(", ")
    };
    let arrays = [
        ("inputs", "const void *", names(&wrapped.inputs, weights.map(|_| "weights"))),
        ("outputs", "void *", names(&wrapped.outputs, None)),
    ];
    for (array, ty, names) in arrays {
        arguments.push(array);
        let names = if names.is_empty() { "nullptr".to_owned() } else { names };
        writeln!(text, "    {ty}{array}[] = {{{names}}};")?;
    }
    writeln!(
        text,
        "    return {name}({}, workspace_.get(), executor, symbols);\n  }}\n\n private:\n  \
         struct Free {{\n    void operator()(std::byte *memory) const {{\n      \
         ::operator delete(memory, std::align_val_t{{{WORKSPACE_ALIGNMENT}}});\n    }}\n  }};\n  \
         std::unique_ptr<std::byte, Free> workspace_;\n}};\n\n#endif /* C++20 */\n#endif /* STRATA_{prefix}_HPP */",
        arguments.join(", ")
    )
}

/// The Rust module: a safe function that takes slices and checks their lengths.
///
/// # Errors
/// `S0001` for a name that is not an identifier.
pub fn rust_module(
    entry: &Specializations,
    signature: &Signature,
    workspace_size: u64,
    options: &Options,
) -> Result<String, Diagnostic> {
    let wrapped = Wrapped::new(entry, signature, workspace_size, options)?;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_rust(&mut text, &wrapped);
    Ok(text)
}

fn write_rust(text: &mut String, wrapped: &Wrapped<'_>) -> std::fmt::Result {
    let Wrapped { symbols, signature, workspace_size, options, .. } = wrapped;
    let name = &symbols.entry;
    crate::rust::write_workspace(text, symbols, signature, *workspace_size, options)?;
    writeln!(text, "/// Runs the program on dense row-major buffers of these sizes.\n///")?;
    let all = wrapped.inputs.iter().chain(&wrapped.outputs);
    for ((own, spec, sizes), in_program) in all.zip(wrapped.own_names()) {
        let (shape, meant) = (wrapped.described(spec, sizes), quantization_note(spec, "", ""));
        writeln!(text, "/// - `{own}`{in_program}: `{shape}`{meant}")?;
    }
    let shared = wrapped
        .inputs
        .iter()
        .map(|(own, spec, _)| format!("    {own}: &[{}],\n", rust_element(spec.element)));
    let unique = wrapped
        .outputs
        .iter()
        .map(|(own, spec, _)| format!("    {own}: &mut [{}],\n", rust_element(spec.element)));
    let file = signature.weights.map(|_| "    weights: &[u8],\n".to_owned());
    let parameters: String = shared.chain(unique).chain(file).collect();
    let all = || wrapped.inputs.iter().chain(&wrapped.outputs);
    let passed: String = all()
        .map(|(own, ..)| own.as_str())
        .chain(signature.weights.map(|_| "weights"))
        .map(|own| format!("{own}, "))
        .collect();
    let list = |how: &dyn Fn(&String) -> String| wrapped.sizes.iter().map(how).collect::<String>();
    let (declared, given) =
        (list(&|name| format!("    {name}: usize,\n")), list(&|name| format!("{name}, ")));
    let values = wrapped.sizes.iter().map(|name| format!("i64::try_from({name}).unwrap_or(-1)"));
    let values: Vec<_> = values.collect();
    let mut checks = format!(
        "    let symbols = [{}];\n    \
         // SAFETY: it reads a number for each symbol.\n    \
         if unsafe {{ constraint(symbols.as_ptr()) }} != -1 {{\n        return Err({WRONG_SIZES});\n    }}\n",
        values.join(", ")
    );
    for (own, _, sizes) in all() {
        let elements = Wrapped::elements(sizes, Language::Rust);
        writeln!(
            checks,
            "    if i64::try_from({own}.len()) != Ok({elements}) {{\n        return Err({WRONG_SIZES});\n    }}"
        )?;
    }
    if let Some(weights) = signature.weights {
        let size = weights.size;
        writeln!(
            checks,
            "    if weights.len() != {size} || weights.as_ptr().addr() % {WORKSPACE_ALIGNMENT} != 0 {{\n        return Err(6);\n    }}"
        )?;
    }
    let pointers = |list: &[Parameter<'_>], how: &str, last: Option<&str>| {
        let own = list.iter().map(|(own, ..)| own.as_str()).chain(last);
        own.map(|own| format!("{own}.{how}().cast()")).collect::<Vec<_>>().join(", ")
    };
    writeln!(
        text,
        "///\n/// # Errors\n/// {WRONG_SIZES} for slices of another length and for sizes that the program does not take; else the\n\
         /// status of what failed.\n\
         #[allow(clippy::too_many_arguments, non_snake_case)]\n\
         pub fn {name}(\n{declared}{parameters}    workspace: &mut Workspace,\n) -> Result<(), i32> {{\n    \
         // SAFETY: without an executor the calling thread does all.\n    \
         unsafe {{ {name}_on(core::ptr::null(), {given}{passed}workspace) }}\n}}\n\n\
         /// As [`{name}`], on the threads of an executor.\n///\n/// # Safety\n\
         /// `executor` is null or points to a `strata_executor`, such as that of a `strata_threads::Pool`.\n///\n\
         /// # Errors\n/// As [`{name}`].\n\
         #[allow(clippy::too_many_arguments, non_snake_case, dead_code)]\n\
         pub unsafe fn {name}_on(\n    executor: *const core::ffi::c_void,\n{declared}{parameters}    \
         workspace: &mut Workspace,\n) -> Result<(), i32> {{\n    \
         unsafe extern \"C\" {{\n        #[link_name = \"{name}\"]\n        fn call(\n            \
         inputs: *const *const core::ffi::c_void,\n            \
         outputs: *const *mut core::ffi::c_void,\n            \
         workspace: *mut core::ffi::c_void,\n            \
         executor: *const core::ffi::c_void,\n            symbols: *const i64,\n        ) -> i32;\n        \
         #[link_name = \"{constraint}\"]\n        fn constraint(symbols: *const i64) -> i32;\n    }}\n{checks}    \
         let inputs: [*const core::ffi::c_void; {}] = [{}];\n    \
         let outputs: [*mut core::ffi::c_void; {}] = [{}];\n    \
         // SAFETY: the slices have the lengths, types and alignments of these sizes, and the unique ones\n    \
         // overlap nothing.\n    \
         let status = unsafe {{\n        call(\n            inputs.as_ptr(),\n            \
         outputs.as_ptr(),\n            core::ptr::from_mut(workspace).cast(),\n            \
         executor,\n            symbols.as_ptr(),\n        )\n    }};\n    \
         if status == 0 {{ Ok(()) }} else {{ Err(status) }}\n}}",
        wrapped.inputs.len() + usize::from(wrapped.has_weights()),
        pointers(&wrapped.inputs, "as_ptr", signature.weights.map(|_| "weights")),
        wrapped.outputs.len(),
        pointers(&wrapped.outputs, "as_mut_ptr", None),
        constraint = symbols.constraint(),
    )
}
