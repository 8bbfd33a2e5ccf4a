//! The C++ header of an object: the C header, and a class that owns the workspace and takes spans, so that element types and sizes
//! are checked by the compiler.

use std::fmt::Write as _;

use strata_diag::Diagnostic;
use strata_ir::{Convention, ElementType, Signature, TensorSpec};
use strata_options::Options;

use crate::{abi::WORKSPACE_ALIGNMENT, detection::may_refuse, header::c_header, symbols::Symbols};

/// The text of the header, for C++20 and later, for an entry with this signature that needs `workspace_size` bytes and calls the
/// functions `foreign`.
///
/// # Errors
/// `S0001` for a name that is not a C identifier.
pub fn cxx_header(
    signature: &Signature,
    workspace_size: u64,
    foreign: &[(String, Convention)],
    options: &Options,
) -> Result<String, Diagnostic> {
    let symbols = Symbols::new(&options.name, &signature.entry)?;
    let mut text = c_header(signature, workspace_size, foreign, options)?;
    // Writing to a string does not fail.
    let _ = write(&mut text, &symbols, signature, !foreign.is_empty(), options);
    Ok(text)
}

/// The preamble, and the class up to its constructor.
pub(crate) fn write_opening(text: &mut String, symbols: &Symbols) -> std::fmt::Result {
    let Symbols { entry } = symbols;
    let (prefix, class) = (symbols.macro_prefix(), symbols.class());
    writeln!(
        text,
        "\n#ifndef STRATA_{prefix}_HPP\n#define STRATA_{prefix}_HPP\n\n\
         #if __cplusplus < 202002L && (!defined(_MSVC_LANG) || _MSVC_LANG < 202002L)\n\
         #error \"the class {class} needs C++20: compile with -std=c++20; what is above is C, and is for older C++ too\"\n\
         #else\n\n\
         #include <cassert>\n#include <complex>\n#include <cstddef>\n#include <cstdint>\n#include <memory>\n#include <new>\n#include <span>\n\n\
         /// `{entry}` with a workspace of its own. Calls of one object must not overlap; each thread has its own.\n\
         class {class} {{\n public:\n  /// Takes the workspace from the heap, and is the only one to take any memory.\n  \
         {class}()\n      : workspace_(static_cast<std::byte *>(\n            \
         ::operator new({prefix}_WORKSPACE_SIZE, std::align_val_t{{{WORKSPACE_ALIGNMENT}}}))) {{}}\n"
    )
}

fn write(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    calls_others: bool,
    options: &Options,
) -> std::fmt::Result {
    let Symbols { entry } = symbols;
    let prefix = symbols.macro_prefix();
    write_opening(text, symbols)?;
    writeln!(text, "  /// Runs the program on dense row-major buffers.\n  ///")?;
    let [input_names, output_names] = symbols.parameters(signature, options);
    let inputs: Vec<_> = input_names.iter().zip(&signature.inputs).collect();
    let outputs: Vec<_> = output_names.iter().zip(&signature.outputs).collect();
    for (name, spec) in inputs.iter().chain(&outputs) {
        writeln!(text, "  /// - `{name}`: `{spec}`")?;
    }
    for (output, shape) in &signature.shapes {
        let (output, shape) = (&output_names[*output], &output_names[*shape]);
        writeln!(
            text,
            "  ///\n  /// `{shape}` is the shape of the valid part of `{output}`, which has zeros after it."
        )?;
    }
    for (output, input) in &signature.donations {
        let (output, input) = (&output_names[*output], &input_names[*input]);
        writeln!(
            text,
            "  ///\n  /// `{output}` may be the memory of `{input}`, which then is overwritten."
        )?;
    }
    let takes_memory = signature.weights.is_some() || signature.prepared.is_some();
    let may_fail = calls_others || may_refuse(options) || takes_memory;
    let (result, give) = match may_fail {
        true => {
            writeln!(text, "  ///\n  /// Returns `STRATA_OK`, or the status of what failed.")?;
            ("[[nodiscard]] std::int32_t", "return ")
        }
        false => ("void", ""),
    };
    let span = |spec: &TensorSpec, is_read: bool| {
        let constant = if is_read { "const " } else { "" };
        format!("std::span<{constant}{}, {}>", cxx_type(spec.element), spec.element_count())
    };
    let read = inputs.iter().enumerate().map(|(position, (name, spec))| {
        // If an output is the same buffer, the input is written.
        let is_read = signature.output_of_donated(position).is_none();
        format!("{} {name}", span(spec, is_read))
    });
    let written = outputs.iter().map(|(name, spec)| format!("{} {name}", span(spec, false)));
    let weights =
        signature.weights.map(|file| format!("std::span<const std::byte, {}> weights", file.size));
    let executor = "const strata_executor *executor = nullptr".to_owned();
    let parameters: Vec<_> = read.chain(written).chain(weights).chain([executor]).collect();
    writeln!(text, "  {result} operator()(\n      {}) {{", parameters.join(",\n      "))?;
    let arguments = write_arrays(text, signature, [&input_names, &output_names])?;
    writeln!(
        text,
        "    assert(workspace_ && \"the object was moved from\");\n    {give}{entry}({}, workspace_.get(), executor);\n  }}\n\n private:\n  \
         struct Free {{\n    void operator()(std::byte *memory) const {{\n      \
         ::operator delete(memory, std::align_val_t{{{WORKSPACE_ALIGNMENT}}});\n    }}\n  }};\n  \
         std::unique_ptr<std::byte, Free> workspace_;\n}};\n\n#endif /* C++20 */\n#endif /* STRATA_{prefix}_HPP */",
        arguments.join(", ")
    )
}

/// The arrays of pointers that the entry takes; what stands for each in its call.
fn write_arrays(
    text: &mut String,
    signature: &Signature,
    [input_names, output_names]: [&[String]; 2],
) -> Result<Vec<&'static str>, std::fmt::Error> {
    let list = |names: Vec<&str>| {
        let pointers: Vec<_> = names.iter().map(|name| format!("{name}.data()")).collect();
        pointers.join(", ")
    };
    let mut read: Vec<&str> = input_names.iter().map(String::as_str).collect();
    read.extend(signature.weights.map(|_| "weights"));
    let written: Vec<&str> = output_names.iter().map(String::as_str).collect();
    let mut arguments = Vec::new();
    for (array, ty, names) in [("inputs", "const void *", read), ("outputs", "void *", written)] {
        arguments.push(if names.is_empty() { "nullptr" } else { array });
        if !names.is_empty() {
            writeln!(text, "    {ty}{array}[] = {{{}}};", list(names))?;
        }
    }
    Ok(arguments)
}

/// The C++ type of one element.
pub(crate) fn cxx_type(element: ElementType) -> String {
    match element {
        ElementType::Bool | ElementType::SmallFloat(_) => "std::uint8_t".to_owned(),
        ElementType::Signed(bits) => format!("std::int{}_t", bits.max(8)),
        ElementType::Unsigned(bits) => format!("std::uint{}_t", bits.max(8)),
        ElementType::Float(64) => "double".to_owned(),
        ElementType::Float(32) => "float".to_owned(),
        ElementType::Complex(128) => "std::complex<double>".to_owned(),
        ElementType::Complex(_) => "std::complex<float>".to_owned(),
        ElementType::Float(_) | ElementType::BFloat16 => "std::uint16_t".to_owned(),
    }
}
