//! The Rust module of an object: a safe function whose arguments are references to arrays, so that
//! shapes, element types and aliasing are checked by the compiler.

use std::fmt::Write as _;

use strata_diag::Diagnostic;
use strata_ir::{Convention, ElementType, PREPARE_SUFFIX, Prepared, Signature, TensorSpec};
use strata_options::Options;

use crate::{
    abi::{NOT_PREPARED, UNSUPPORTED_CPU, WORKSPACE_ALIGNMENT},
    detection::may_refuse,
    header::{in_comment, quantization_note},
    symbols::Symbols,
};

/// The text of the module for an entry with this signature that needs `workspace_size` bytes. It
/// uses `core` only, and `std` for workspaces on the heap, on targets with an operating system; the program links the object and libm.
///
/// # Errors
/// `S0001` for a name that is not an identifier.
pub fn rust_module(
    signature: &Signature,
    workspace_size: u64,
    foreign: &[(String, Convention)],
    options: &Options,
) -> Result<String, Diagnostic> {
    let symbols = Symbols::new(&options.name, &signature.entry)?;
    let mut text = String::new();
    // Writing to a string does not fail.
    let takes_block = matches!(signature.prepared, Some(Prepared::Input(..)));
    let may_fail = !foreign.is_empty() || may_refuse(options) || takes_block;
    let _ = write(&mut text, &symbols, signature, workspace_size, may_fail, options);
    Ok(text)
}

/// The parameters of a kind, by name.
type Parameters<'a> = Vec<(String, &'a TensorSpec)>;

fn write(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    workspace_size: u64,
    may_fail: bool,
    options: &Options,
) -> std::fmt::Result {
    let [input_names, output_names] = symbols.parameters(signature, options);
    let inputs: Vec<_> = input_names.into_iter().zip(&signature.inputs).collect();
    let outputs: Vec<_> = output_names.into_iter().zip(&signature.outputs).collect();
    write_workspace(text, symbols, signature, workspace_size, options)?;
    write_block(text, symbols, signature)?;
    write_docs(text, signature, [&inputs, &outputs], may_fail, options)?;
    write_signatures(text, symbols, signature, [&inputs, &outputs], may_fail)?;
    write_call(text, signature, [&inputs, &outputs], may_fail)
}

/// The type of the workspace.
pub(crate) fn write_workspace(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    workspace_size: u64,
    options: &Options,
) -> std::fmt::Result {
    let entry = &symbols.entry;
    let size = symbols.macro_prefix() + "_WORKSPACE_SIZE";
    writeln!(
        text,
        "// `{}` of `{}`, compiled by Strata for {} ({}){}.\n\n\
         /// Bytes of workspace that a call of [`{entry}`] needs.\n\
         pub const {size}: usize = {workspace_size};\n\n\
         /// Memory for the temporaries of [`{entry}`]. Its content means nothing between calls.\n\
         #[repr(C, align({WORKSPACE_ALIGNMENT}))]\n\
         pub struct Workspace([core::mem::MaybeUninit<u8>; {size}]);\n\n\
         impl Workspace {{\n    /// Memory without a value, for a `static` or, where it is small, the stack.\n    \
         #[allow(dead_code)]\n    pub const fn new() -> Self {{\n        \
         Self([core::mem::MaybeUninit::uninit(); {size}])\n    }}\n\n    \
         /// Memory without a value on the heap, never on the stack.\n    \
         #[allow(dead_code)]\n    #[cfg(not(target_os = \"none\"))]\n    \
         pub fn boxed() -> std_of_host::boxed::Box<Self> {{\n        \
         // SAFETY: bytes without a value are what it holds.\n        \
         unsafe {{ std_of_host::boxed::Box::new_uninit().assume_init() }}\n    }}\n}}\n\n\
         #[cfg(not(target_os = \"none\"))]\nextern crate std as std_of_host;\n\n\
         impl Default for Workspace {{\n    fn default() -> Self {{\n        Self::new()\n    }}\n}}\n",
        signature.entry,
        options.name,
        options.target.triple,
        options.processors(),
        options.permissions(),
    )
}

/// The type of the prepared inputs, if the function takes them.
fn write_block(text: &mut String, symbols: &Symbols, signature: &Signature) -> std::fmt::Result {
    let Some(Prepared::Input(input, _)) = &signature.prepared else { return Ok(()) };
    let entry = &symbols.entry;
    writeln!(
        text,
        "/// The prepared inputs of [`{entry}`], which `{entry}{PREPARE_SUFFIX}` writes.\n\
         #[repr(C, align({WORKSPACE_ALIGNMENT}))]\npub struct Prepared([core::mem::MaybeUninit<u8>; {}]);\n\n\
         impl Prepared {{\n    /// Memory that is not prepared yet, on the heap.\n    \
         #[allow(dead_code)]\n    #[cfg(not(target_os = \"none\"))]\n    \
         pub fn boxed() -> std_of_host::boxed::Box<Self> {{\n        \
         // SAFETY: all bytes are values.\n        \
         unsafe {{ std_of_host::boxed::Box::new_zeroed().assume_init() }}\n    }}\n\n    \
         /// Memory that is not prepared yet, for a `static`.\n    #[allow(dead_code)]\n    \
         pub const fn new() -> Self {{\n        Self([core::mem::MaybeUninit::zeroed(); {}])\n    }}\n}}\n\n\
         impl Default for Prepared {{\n    fn default() -> Self {{\n        Self::new()\n    }}\n}}\n",
        signature.inputs[*input].byte_count(),
        signature.inputs[*input].byte_count()
    )
}

/// The type of an input, or of an output.
fn parameter_type(
    signature: &Signature,
    entry: &str,
    spec: &TensorSpec,
    position: usize,
    is_output: bool,
) -> String {
    match &signature.prepared {
        Some(Prepared::Input(input, _)) if !is_output && *input == position => {
            "Prepared".to_owned()
        }
        Some(Prepared::Outputs(_)) if is_output => {
            // The modules of an object's functions are beside each other.
            let of = entry.strip_suffix(PREPARE_SUFFIX).unwrap_or(entry);
            format!("super::{of}::Prepared")
        }
        _ => rust_type(spec),
    }
}

/// What the function does, with all parameters.
fn write_docs(
    text: &mut String,
    signature: &Signature,
    [inputs, outputs]: [&Parameters<'_>; 2],
    may_fail: bool,
    options: &Options,
) -> std::fmt::Result {
    writeln!(text, "/// Runs the program on dense row-major buffers.\n///")?;
    if may_fail {
        let refuses = match may_refuse(options) {
            true => format!(", or {UNSUPPORTED_CPU} where there is no code for this processor"),
            false => String::new(),
        };
        let unprepared = match signature.prepared {
            Some(_) => {
                format!(", or {NOT_PREPARED} where `prepared` is not, or for another program")
            }
            None => String::new(),
        };
        writeln!(
            text,
            "/// An error is the status of a function that the program calls{refuses}{unprepared}.\n///"
        )?;
    }
    let given = [(inputs, &signature.input_names), (outputs, &signature.output_names)];
    for (parameters, names) in given {
        for (position, (name, spec)) in parameters.iter().enumerate() {
            let own = names.get(position).filter(|own| !own.is_empty() && *own != name);
            let own = own.map_or(String::new(), |own| {
                format!(", `{}` in the program", in_comment(own).replace('`', "'"))
            });
            let note = element_note(spec.element).map_or(String::new(), |note| format!(": {note}"));
            let meant = quantization_note(spec, "", "");
            writeln!(text, "/// - `{name}`{own}: `{spec}`{note}{meant}")?;
        }
    }
    for (output, shape) in &signature.shapes {
        let (output, shape) = (&outputs[*output].0, &outputs[*shape].0);
        writeln!(
            text,
            "///\n/// `{shape}` is the shape of the valid part of `{output}`, which has zeros after it."
        )?;
    }
    if let Some(file) = signature.weights {
        writeln!(
            text,
            "/// - `weights`: the last {} bytes of the file of the weights, aligned to \
             {WORKSPACE_ALIGNMENT}\n///\n/// # Panics\n/// When `weights` has another size or alignment.",
            file.size
        )?;
    }
    Ok(())
}

/// The beginnings of the safe function, which is whole, and of the one on an executor, up to its call.
fn write_signatures(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    [inputs, outputs]: [&Parameters<'_>; 2],
    may_fail: bool,
) -> std::fmt::Result {
    let entry = &symbols.entry;
    let ty = |spec: &TensorSpec, at: usize, is_output: bool| {
        parameter_type(signature, entry, spec, at, is_output)
    };
    let shared = inputs.iter().enumerate();
    let shared =
        shared.map(|(at, (name, spec))| format!("    {name}: &{},\n", ty(spec, at, false)));
    let unique = outputs.iter().enumerate();
    let unique =
        unique.map(|(at, (name, spec))| format!("    {name}: &mut {},\n", ty(spec, at, true)));
    let file = signature.weights.map(|_| "    weights: &[u8],\n".to_owned());
    let parameters: String = shared.chain(unique).chain(file).collect();
    let returned = if may_fail { " -> Result<(), i32>" } else { "" };
    let weights = signature.weights.map(|_| "weights");
    let passed = inputs.iter().chain(outputs).map(|(name, _)| name.as_str()).chain(weights);
    let passed: String = passed.map(|name| format!("{name}, ")).collect();
    writeln!(
        text,
        "#[allow(clippy::too_many_arguments, non_snake_case)]\n\
         pub fn {entry}(\n{parameters}    workspace: &mut Workspace,\n){returned} {{\n    \
         // SAFETY: without an executor the calling thread does all.\n    \
         unsafe {{ {entry}_on(core::ptr::null(), {passed}workspace) }}\n}}\n\n\
         /// As [`{entry}`], on the threads of an executor.\n///\n/// # Safety\n\
         /// `executor` is null or points to a `strata_executor`, such as that of a `strata_threads::Pool`.\n\
         #[allow(clippy::too_many_arguments, non_snake_case, dead_code)]\n\
         pub unsafe fn {entry}_on(\n    executor: *const core::ffi::c_void,\n{parameters}    \
         workspace: &mut Workspace,\n){returned} {{\n    \
         unsafe extern \"C\" {{\n        #[link_name = \"{entry}\"]\n        fn call(\n            \
         inputs: *const *const core::ffi::c_void,\n            \
         outputs: *const *mut core::ffi::c_void,\n            \
         workspace: *mut core::ffi::c_void,\n            \
         executor: *const core::ffi::c_void,\n        ) -> i32;\n    }}",
    )
}

/// The call of the object's function.
fn write_call(
    text: &mut String,
    signature: &Signature,
    [inputs, outputs]: [&Parameters<'_>; 2],
    may_fail: bool,
) -> std::fmt::Result {
    if let Some(file) = signature.weights {
        writeln!(
            text,
            "    assert_eq!(weights.len(), {}, \"bytes of weights\");\n    \
             assert_eq!(weights.as_ptr().addr() % {WORKSPACE_ALIGNMENT}, 0, \"alignment of the weights\");",
            file.size
        )?;
    }
    let list = |pointers: Vec<String>| pointers.join(", ");
    let shared = inputs.iter().map(|(name, _)| format!("core::ptr::from_ref({name}).cast()"));
    let shared = shared.chain(signature.weights.map(|_| "weights.as_ptr().cast()".to_owned()));
    let unique = outputs.iter().map(|(name, _)| format!("core::ptr::from_mut({name}).cast()"));
    writeln!(
        text,
        "    let inputs: [*const core::ffi::c_void; {}] = [{}];\n    \
         let outputs: [*mut core::ffi::c_void; {}] = [{}];\n    \
         // SAFETY: the references have the shapes, types and alignments that the object was\n    \
         // compiled for, and the unique ones overlap nothing.\n    \
         let status = unsafe {{\n        call(\n            inputs.as_ptr(),\n            \
         outputs.as_ptr(),\n            core::ptr::from_mut(workspace).cast(),\n            \
         executor,\n        )\n    }};",
        inputs.len() + usize::from(signature.weights.is_some()),
        list(shared.collect()),
        outputs.len(),
        list(unique.collect())
    )?;
    text.push_str(if may_fail {
        "    if status == 0 { Ok(()) } else { Err(status) }\n}\n"
    } else {
        "    debug_assert_eq!(status, 0, \"references are neither null nor unaligned\");\n}\n"
    });
    Ok(())
}

/// `[[f32; 784]; 4]`.
fn rust_type(spec: &TensorSpec) -> String {
    let element = rust_element(spec.element);
    spec.shape.iter().rev().fold(element, |inner, size| format!("[{inner}; {size}]"))
}

/// The type of one element.
pub(crate) fn rust_element(element: ElementType) -> String {
    match element {
        ElementType::Bool | ElementType::SmallFloat(_) => "u8".to_owned(),
        ElementType::Signed(bits) => format!("i{}", bits.max(8)),
        ElementType::Unsigned(bits) => format!("u{}", bits.max(8)),
        ElementType::Float(16) | ElementType::BFloat16 => "u16".to_owned(),
        ElementType::Float(bits) => format!("f{bits}"),
        ElementType::Complex(bits) => format!("[f{}; 2]", bits / 2),
    }
}

/// Details that the Rust type does not express.
fn element_note(element: ElementType) -> Option<String> {
    match element {
        // With `bool`, any other byte from the caller would be undefined behaviour.
        ElementType::Bool => Some("0 or 1".to_owned()),
        ElementType::Signed(bits @ 1..8) | ElementType::Unsigned(bits @ 1..8) => {
            Some(format!("the lower {bits} bits are read"))
        }
        ElementType::SmallFloat(_) | ElementType::Float(16) | ElementType::BFloat16 => {
            Some(format!("the bits of {element}"))
        }
        ElementType::Complex(_) => Some("real and imaginary part".to_owned()),
        _ => None,
    }
}
