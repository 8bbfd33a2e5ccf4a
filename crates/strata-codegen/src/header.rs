//! The C header of an object: usable from C11 and C++, alone or together with other headers of
//! Strata.

use std::fmt::Write as _;

use strata_diag::Diagnostic;
use strata_ir::{
    Convention, Devices, ElementType, PREPARE_SUFFIX, Prepared, Shards, Signature, TensorSpec,
    WeightsFile,
};
use strata_options::Options;

use crate::{
    abi::{
        DICTIONARY, EXCHANGE_KINDS, LIST, NAMES_VERSION, OVERLAPPED, QUANTIZED_SIGNATURE_VERSION,
        REDUCTIONS, SIGNATURE_VERSION, SMALL_FLOATS, STATUS, STRING, WORKSPACE_ALIGNMENT,
        element_code,
    },
    reserved_names,
    symbols::Symbols,
};

/// The header's text for an entry with this signature that needs `workspace_size` bytes and calls the
/// functions `foreign`.
///
/// # Errors
/// `S0001` for a name that is not a C identifier.
pub fn c_header(
    signature: &Signature,
    workspace_size: u64,
    foreign: &[(String, Convention)],
    options: &Options,
) -> Result<String, Diagnostic> {
    let symbols = Symbols::new(&options.name, &signature.entry)?;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, &symbols, signature, workspace_size, foreign, options);
    Ok(text)
}

fn write(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    workspace_size: u64,
    foreign: &[(String, Convention)],
    options: &Options,
) -> std::fmt::Result {
    let entry = &symbols.entry;
    let prefix = symbols.macro_prefix();
    opening(text, symbols, signature, options)?;
    writeln!(
        text,
        "/* Bytes of workspace that a call needs, and their alignment. */\n\
         #define {prefix}_WORKSPACE_SIZE {workspace_size}\n\
         #define {prefix}_ALIGNMENT {WORKSPACE_ALIGNMENT}\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    )?;
    if let Some(file) = signature.weights {
        weights_macros(text, &prefix, signature, file)?;
    }
    prepared_macros(text, &prefix, symbols, signature)?;
    if let Some(devices) = signature.devices {
        device_macros(text, &prefix, devices, signature.program.unwrap_or(0))?;
    }
    write_entry(text, symbols, signature, foreign)?;
    if symbols.names(signature).is_some() {
        names_table(text, symbols)?;
    }
    needed(text, foreign)?;
    writeln!(text, "#ifdef __cplusplus\n}}\n#endif\n")?;
    typed(text, symbols, signature, options)?;
    if signature.weights.is_some() {
        let helper = include_str!("map_weights.h");
        write!(text, "\n{}", helper.replace("PREFIX", &prefix).replace("ENTRY", entry))?;
    }
    writeln!(text, "\n#endif /* STRATA_{prefix}_H */")
}

/// The beginning of a header, with the declarations that all share.
pub(crate) fn opening(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    options: &Options,
) -> std::fmt::Result {
    let prefix = symbols.macro_prefix();
    writeln!(
        text,
        "/* `{}` of `{}`, compiled by Strata for {} ({}){}. Link with its object and libm. */\n\
         #ifndef STRATA_{prefix}_H\n#define STRATA_{prefix}_H\n\n\
         #include <stddef.h>\n#include <stdint.h>\n",
        signature.entry,
        options.name,
        options.target.triple,
        options.processors(),
        options.permissions(),
    )?;
    common(text)
}

/// What a provider of devices is told of the program.
fn device_macros(
    text: &mut String,
    prefix: &str,
    devices: Devices,
    program: i64,
) -> std::fmt::Result {
    let Devices { replicas, partitions } = devices;
    writeln!(
        text,
        "/* The devices that the program is for, and a hash of it. */\n\
         #define {prefix}_REPLICAS {replicas}\n\
         #define {prefix}_PARTITIONS {partitions}\n\
         #define {prefix}_PROGRAM UINT64_C({:#018x})\n",
        program.cast_unsigned()
    )
}

/// The place and the size of the prepared inputs, where there are any.
fn prepared_macros(
    text: &mut String,
    prefix: &str,
    symbols: &Symbols,
    signature: &Signature,
) -> std::fmt::Result {
    let Some(Prepared::Input(input, _)) = &signature.prepared else { return Ok(()) };
    writeln!(
        text,
        "/* The prepared inputs: their place in `inputs`, their bytes, which {}{PREPARE_SUFFIX} writes, and the\n \
         * alignment of these. */\n\
         #define {prefix}_PREPARED_INPUT {input}\n#define {prefix}_PREPARED_SIZE {}\n\
         #define {prefix}_PREPARED_ALIGNMENT {WORKSPACE_ALIGNMENT}\n",
        symbols.entry,
        signature.inputs[*input].byte_count()
    )
}

/// The entry's declaration, with what it takes.
fn write_entry(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    foreign: &[(String, Convention)],
) -> std::fmt::Result {
    let entry = &symbols.entry;
    let prefix = symbols.macro_prefix();
    writeln!(text, "/* Runs the program on dense row-major buffers:\n *")?;
    for (array, specs, names) in [
        ("inputs", &signature.inputs, &signature.input_names),
        ("outputs", &signature.outputs, &signature.output_names),
    ] {
        for (position, spec) in specs.iter().enumerate() {
            let name = names.get(position).filter(|name| !name.is_empty());
            let name = name.map_or(String::new(), |name| format!(" `{}`", in_comment(name)));
            writeln!(
                text,
                " *   {array}[{position}]{name}: {spec}, {} bytes of {}{}",
                spec.byte_count(),
                element_words(spec.element),
                quantization_words(spec)
            )?;
        }
    }
    if let Some(shards) = &signature.shards {
        write_shards(text, shards)?;
    }
    if signature.weights.is_some() {
        writeln!(
            text,
            " *   inputs[{}]: the weights, from {}_map_weights",
            signature.inputs.len(),
            symbols.entry
        )?;
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
    let uses =
        |wanted: fn(Convention) -> bool| foreign.iter().any(|(_, convention)| wanted(*convention));
    let executor = match uses(|convention| convention == Convention::Collective) {
        true => "`executor` has to offer a `host` with `collectives`, of this device.",
        false if uses(Convention::is_host_transfer) => "`executor` has to offer a `host`.",
        false => "`executor` may be NULL: everything then runs on the calling thread.",
    };
    let status = match foreign {
        [] => "why it failed (`enum strata_status`)",
        _ => "the status of what failed (`enum strata_status`, or a target's own)",
    };
    writeln!(
        text,
        " *\n * Inputs are only read. No output may overlap another buffer. `workspace` is\n \
         * {prefix}_WORKSPACE_SIZE bytes, aligned to {prefix}_ALIGNMENT, and needs no initial value.\n \
         * {executor} Calls with different\n \
         * workspaces and outputs may run at the same time.\n *\n \
         * Returns STRATA_OK, or {status}. */\n\
         int32_t {entry}(const void *const *inputs, void *const *outputs, void *workspace,\n    \
         const strata_executor *executor);\n\n\
         /* {prefix}_WORKSPACE_SIZE, for programs that load the object at run time. */\n\
         size_t {}(void);\n\n\
         /* Types and shapes of all inputs and outputs. */\n\
         extern const strata_signature {};\n",
        symbols.workspace_size(),
        symbols.signature()
    )
}

/// The constants and functions for mapping the weights file.
pub(crate) fn weights_macros(
    text: &mut String,
    prefix: &str,
    signature: &Signature,
    file: WeightsFile,
) -> std::fmt::Result {
    writeln!(
        text,
        "/* The weights: their place in `inputs`, their bytes, where these begin in the file, and the\n \
         * FNV-1a hash of the bytes before them. */\n\
         #define {prefix}_WEIGHTS_INPUT {}\n#define {prefix}_WEIGHTS_SIZE {}\n\
         #define {prefix}_WEIGHTS_OFFSET {}\n#define {prefix}_WEIGHTS_HASH 0x{:016x}u\n\n\
         #ifndef STRATA_CAST /* in C and C++ without a warning of any */\n\
         #ifdef __cplusplus\n#define STRATA_CAST(type, value) static_cast<type>(value)\n\
         #define STRATA_ADDRESS(bytes) const_cast<unsigned char *>(bytes)\n#else\n\
         #define STRATA_CAST(type, value) ((type)(value))\n\
         #define STRATA_ADDRESS(bytes) ((void *)(uintptr_t)(bytes))\n#endif\n#endif\n",
        signature.inputs.len(),
        file.size,
        file.offset,
        file.header_hash
    )
}

/// A name as it may stand in a comment.
pub(crate) fn in_comment(name: &str) -> String {
    // Compilers refuse what changes the direction of text.
    let is_plain = |c: char| {
        !c.is_control()
            && !matches!(c, '\u{200E}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{61C}')
    };
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '?' }).collect();
    name.replace("*/", "* /").replace("/*", "/ *")
}

/// What inputs and outputs are parts of, and where the part of a device begins.
fn write_shards(text: &mut String, shards: &Shards) -> std::fmt::Result {
    let is_in_order = shards.devices.iter().copied().eq(0..shards.devices.len() as i64);
    let place = match is_in_order {
        true => "p is the number of a device".to_owned(),
        false => format!("p is the position of a device in {:?}", shards.devices),
    };
    writeln!(
        text,
        " *\n * They are the parts that one of {} devices has; {place}.\n \
         * What a part has beyond the whole has no meaning.",
        shards.devices.len()
    )?;
    for (array, all) in [("inputs", &shards.inputs), ("outputs", &shards.outputs)] {
        for (position, shard) in all.iter().enumerate().filter(|(_, shard)| !shard.is_whole()) {
            let sizes: Vec<_> = shard.shape.iter().map(ToString::to_string).collect();
            write!(text, " *   {array}[{position}] of {}:", sizes.join("x"))?;
            let own = shard.part_shape();
            let split = shard.split.iter().enumerate().filter(|(_, pieces)| !pieces.is_empty());
            for (number, (dim, pieces)) in split.enumerate() {
                let index = pieces.iter().fold(String::new(), |index, (stride, size)| {
                    let digit = format!("p / {stride} % {size}");
                    if index.is_empty() { digit } else { format!("({index}) * {size} + {digit}") }
                });
                let comma = if number == 0 { "" } else { "," };
                write!(text, "{comma} dimension {dim} from {} * ({index})", own[dim])?;
            }
            let term = |(stride, size): &(i64, i64)| format!("p / {stride} % {size}");
            let terms: Vec<_> = shard.terms.iter().map(term).collect();
            if !terms.is_empty() {
                write!(text, " terms of a sum over {}", terms.join(", "))?;
            }
            writeln!(text)?;
        }
    }
    Ok(())
}

/// The names of inputs and outputs, for lookup at run time.
pub(crate) fn names_table(text: &mut String, symbols: &Symbols) -> std::fmt::Result {
    writeln!(
        text,
        "#ifndef STRATA_NAMES\n#define STRATA_NAMES 1\n\
         /* The names of a program's inputs and outputs, in UTF-8; \"\" if unnamed. */\n\
         typedef struct strata_names {{\n  int32_t version; /* {NAMES_VERSION} */\n  int32_t input_count;\n  \
         int32_t output_count;\n  const char *const *inputs;\n  const char *const *outputs;\n\
         }} strata_names;\n#endif\n\n\
         /* The program's names. */\nextern const strata_names {}_names;\n",
        symbols.entry
    )
}

/// The external functions that the program calls.
fn needed(text: &mut String, foreign: &[(String, Convention)]) -> std::fmt::Result {
    let symbols = foreign.iter().filter(|(_, convention)| convention.is_symbol());
    let symbols: Vec<_> = symbols.collect();
    if symbols.is_empty() {
        return Ok(());
    }
    writeln!(text, "/* External functions: link with definitions. */")?;
    for (name, convention) in symbols {
        let declaration = match convention {
            Convention::Original => format!("void {name}(void *out, void **in);"),
            Convention::Status => format!("int32_t {name}(void *out, void **in);"),
            Convention::Unified => format!(
                "int32_t {name}(void *out, void **in, const char *config, size_t config_size);"
            ),
            _ => format!("int32_t {name}(const strata_call *call);"),
        };
        match reserved_names::is_of_cxx_alone(name) {
            true => writeln!(
                text,
                "#ifndef __cplusplus /* where `{name}` is a word */\n{declaration}\n#endif"
            )?,
            false => writeln!(text, "{declaration}")?,
        }
    }
    writeln!(text)
}

/// Declarations shared by all headers.
fn common(text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "#ifndef STRATA_ABI\n#define STRATA_ABI 1\n\n\
         /* A dense buffer; `dimensions` has `rank` entries and is NULL for rank 0. */\n\
         typedef struct strata_buffer {{\n  int32_t element_type;\n  int32_t rank;\n  \
         const int64_t *dimensions;\n  void *data;\n}} strata_buffer;\n\n\
         #define STRATA_COLLECTIVES 1\n\
         /* One exchange between devices, a constant of the object. `members` has the devices of all groups, each\n \
         * replica * partition_count + partition, and `group_starts` where each group begins and the last one ends.\n \
         * `combine` combines elements, lhs[i] with rhs[i] in this order; `result` may be `lhs` or `rhs`. */\n\
         typedef struct strata_collective {{\n  size_t size; /* sizeof(strata_collective) */\n  \
         uint64_t program; /* a hash of the program, the same on all devices */\n  \
         const char *operation;\n  int64_t channel;\n  int64_t group_count;\n  \
         const int64_t *group_starts; /* group_count + 1 */\n  const int64_t *members;\n  \
         int32_t element_type;\n  int32_t element_size; /* bytes */\n  \
         int32_t reduction; /* enum strata_reduction, or 0 */\n  int32_t reserved;\n  \
         void (*combine)(const void *lhs, const void *rhs, void *result, int64_t count);\n\
         }} strata_collective;\n\n\
         /* An exchange of rows, as many for each member as lists say: entries `n * updates` to `(n + 1) * updates` are of\n \
         * member n. Of each entry `send_sizes` rows of `input`, from `input_offsets` on, go to those of `output` of that member from\n \
         * `output_offsets` on; later ones replace earlier ones, in the order of members. Rows that `input` or `output`\n \
         * lacks, or less than none, are STRATA_WRONG_SIZES. */\n\
         typedef struct strata_ragged {{\n  size_t size; /* sizeof(strata_ragged) */\n  \
         int64_t row_size; /* elements */\n  int64_t input_rows;\n  int64_t output_rows;\n  \
         int64_t updates; /* entries of a list for each member */\n  \
         const int64_t *input_offsets;\n  const int64_t *send_sizes;\n  const int64_t *output_offsets;\n  \
         const void *input;\n  void *output; /* keeps the rows that none writes */\n\
         }} strata_ragged;\n\n\
         /* A device and how it exchanges values with the others, in elements; a nonzero status ends the program. */\n\
         typedef struct strata_collectives {{\n  size_t size; /* sizeof(strata_collectives) */\n  void *context;\n  \
         int64_t replica_count;\n  int64_t partition_count;\n  int64_t replica;\n  int64_t partition;\n  \
         /* all members' `count` elements combined, in their order */\n  \
         int32_t (*all_reduce)(void *context, const strata_collective *what, int64_t count,\n      \
         const void *input, void *output);\n  \
         /* all members' `count` elements, one after another */\n  \
         int32_t (*all_gather)(void *context, const strata_collective *what, int64_t count,\n      \
         const void *input, void *output);\n  \
         /* of `count` elements for each member those for this one, combined */\n  \
         int32_t (*reduce_scatter)(void *context, const strata_collective *what, int64_t count,\n      \
         const void *input, void *output);\n  \
         /* `count` elements for each member become as many from each */\n  \
         int32_t (*all_to_all)(void *context, const strata_collective *what, int64_t count,\n      \
         const void *input, void *output);\n  \
         /* the first member's elements for the second one of the same group; zeros for others */\n  \
         int32_t (*collective_permute)(void *context, const strata_collective *what, int64_t count,\n      \
         const void *input, void *output);\n  \
         /* the first member's elements for all; zeros without a group */\n  \
         int32_t (*collective_broadcast)(void *context, const strata_collective *what, int64_t count,\n      \
         const void *input, void *output);\n  \
         /* to the second member of each group in which this device is the first */\n  \
         int32_t (*send)(void *context, const strata_collective *what, int64_t count, const void *data);\n  \
         /* from the first member of the group in which this device is the second */\n  \
         int32_t (*recv)(void *context, const strata_collective *what, int64_t count, void *data);\n  \
         /* rows, as many for each member as lists say */\n  \
         int32_t (*ragged_all_to_all)(void *context, const strata_collective *what,\n      \
         const strata_ragged *rows);\n{OVERLAPPED}\n\
         }} strata_collectives;\n\n\
         /* Callbacks for infeed, outfeed, send and recv; a nonzero status ends the program. */\n\
         typedef struct strata_host {{\n  size_t size; /* sizeof(strata_host) */\n  void *context;\n  \
         int32_t (*infeed)(void *context, const char *config, size_t count,\n      \
         const strata_buffer *buffers);\n  \
         int32_t (*outfeed)(void *context, const char *config, size_t count,\n      \
         const strata_buffer *buffers);\n  \
         int32_t (*send)(void *context, int64_t channel, size_t count,\n      \
         const strata_buffer *buffers);\n  \
         int32_t (*recv)(void *context, int64_t channel, size_t count,\n      \
         const strata_buffer *buffers);\n  \
         const strata_collectives *collectives; /* for programs for several devices; else NULL */\n\
         }} strata_host;\n\n\
         /* A named constant: numbers, the bytes of a string, or further attributes. */\n\
         typedef struct strata_attribute {{\n  const char *name;\n  \
         int32_t kind; /* an element type, STRATA_STRING, STRATA_DICTIONARY or STRATA_LIST */\n  \
         int32_t is_array;\n  int64_t count;\n  const void *data;\n}} strata_attribute;\n\n\
         /* The argument of a typed target. */\n\
         typedef struct strata_call {{\n  int32_t version; /* 1 */\n  int32_t input_count;\n  \
         int32_t output_count;\n  int32_t attribute_count;\n  const strata_buffer *inputs;\n  \
         const strata_buffer *outputs;\n  const strata_attribute *attributes;\n}} strata_call;\n\n\
         /* Threads to run on. `parallel_for` calls `task(state, begin, end)` for disjoint ranges that\n \
         * cover 0 to `count`, at most `concurrency` at a time, and returns when all have ended. */\n\
         typedef struct strata_executor {{\n  void *context;\n  size_t concurrency;\n  \
         void (*parallel_for)(void *context, size_t count,\n      \
         void (*task)(void *state, size_t begin, size_t end), void *state);\n  \
         const strata_host *host; /* for infeed, outfeed, send and recv; else NULL */\n\
         }} strata_executor;\n\n\
         /* The statuses of an entry. */\nenum strata_status {{"
    )?;
    for (name, value, reason) in STATUS {
        writeln!(text, "  {name} = {value}, /* {reason} */")?;
    }
    writeln!(
        text,
        "}};\n\n{EXCHANGE_KINDS}\n\n/* Kinds of reductions. */\nenum strata_reduction {{"
    )?;
    for (_, name, code) in REDUCTIONS {
        writeln!(text, "  STRATA_REDUCE_{name} = {code},")?;
    }
    writeln!(text, "}};\n\n/* Element types. */\nenum strata_element_type {{")?;
    for (name, element) in element_types() {
        writeln!(text, "  STRATA_{name} = 0x{:03x},", element_code(element))?;
    }
    for (name, code) in [("STRING", STRING), ("DICTIONARY", DICTIONARY), ("LIST", LIST)] {
        writeln!(text, "  STRATA_{name} = 0x{code:03x}, /* among attributes only */")?;
    }
    writeln!(
        text,
        "}};\n\n\
         /* A tensor; `dimensions` has `rank` entries, outermost first, and is NULL for rank 0. */\n\
         typedef struct strata_tensor {{\n  int32_t element_type;\n  int32_t rank;\n  \
         const int64_t *dimensions;\n}} strata_tensor;\n\n\
         /* What stored integers mean: (integer - zero point) * scale, with one of each, or one for each index\n \
         * of dimension `axis`. */\n\
         typedef struct strata_quantization {{\n  int32_t expressed_type;\n  \
         int32_t axis; /* -1: one scale and zero point for all */\n  int64_t count;\n  \
         const double *scales;\n  const int64_t *zero_points;\n  int64_t minimum;\n  int64_t maximum;\n\
         }} strata_quantization;\n\n\
         /* The inputs and outputs of an entry. `donations` has an entry per output: the input whose\n \
         * buffer it may share, or -1; it is NULL if there is none. */\n\
         typedef struct strata_signature {{\n  int32_t version; /* {SIGNATURE_VERSION}, or \
         {QUANTIZED_SIGNATURE_VERSION} where an input or output is quantized */\n  \
         int32_t workspace_alignment;\n  int32_t input_count;\n  int32_t output_count;\n  \
         int64_t workspace_size;\n  const strata_tensor *inputs;\n  const strata_tensor *outputs;\n  \
         int64_t weights_size; /* bytes of the weights after the inputs, or 0 */\n  \
         const int32_t *donations;\n  \
         /* Only of version {QUANTIZED_SIGNATURE_VERSION}: for each tensor what it means, or NULL. */\n  \
         const strata_quantization *const *quantized_inputs;\n  \
         const strata_quantization *const *quantized_outputs;\n}} strata_signature;\n\n#endif /* STRATA_ABI */\n"
    )
}

/// Every element type with its name in the enumeration, in the order of the codes.
fn element_types() -> Vec<(String, ElementType)> {
    let mut all = vec![("BOOL".to_owned(), ElementType::Bool)];
    let widths = [2, 4, 8, 16, 32, 64];
    all.extend(widths.map(|bits| (format!("I{bits}"), ElementType::Signed(bits))));
    all.extend(widths.map(|bits| (format!("U{bits}"), ElementType::Unsigned(bits))));
    all.extend([16, 32, 64].map(|bits| (format!("F{bits}"), ElementType::Float(bits))));
    all.push(("BF16".to_owned(), ElementType::BFloat16));
    all.extend([64, 128].map(|bits| (format!("C{bits}"), ElementType::Complex(bits))));
    all.extend(
        SMALL_FLOATS
            .iter()
            .map(|(name, _)| (name.to_ascii_uppercase(), ElementType::SmallFloat(name))),
    );
    all
}

/// The wrapper with shapes and types that the C compiler checks.
fn typed(
    text: &mut String,
    symbols: &Symbols,
    signature: &Signature,
    options: &Options,
) -> std::fmt::Result {
    let [input_names, output_names] = symbols.parameters(signature, options);
    let inputs = signature.inputs.iter().zip(&input_names).enumerate();
    let inputs = inputs.map(|(position, (spec, name))| {
        // If an output is the same buffer, the input is written.
        match signature.output_of_donated(position) {
            Some(_) => parameter(spec, name),
            None => format!("const {}", parameter(spec, name)),
        }
    });
    let outputs =
        signature.outputs.iter().zip(&output_names).map(|(spec, name)| parameter(spec, name));
    let weights = signature.weights.map(|_| "const void *weights".to_owned());
    let parameters: Vec<_> =
        inputs.chain(outputs).chain(weights).chain(["void *workspace".to_owned()]).collect();
    writeln!(
        text,
        "/* {} on typed buffers, on the calling thread. */\n\
         static inline int32_t {}(\n    {}) {{",
        symbols.entry,
        symbols.typed(),
        parameters.join(",\n    ")
    )?;
    let extra = usize::from(signature.weights.is_some());
    let arrays =
        [("inputs", &input_names, "const void *", extra), ("outputs", &output_names, "void *", 0)];
    let mut arguments = Vec::new();
    for (array, names, ty, extra) in arrays {
        let count = names.len();
        if count + extra == 0 {
            arguments.push("NULL");
            continue;
        }
        arguments.push(array);
        writeln!(text, "  {ty}{array}[{}];", count + extra)?;
        if extra > 0 {
            writeln!(text, "  {array}[{count}] = weights;")?;
        }
        for (position, name) in names.iter().enumerate() {
            writeln!(text, "  {array}[{position}] = {name};")?;
        }
    }
    writeln!(text, "  return {}({}, workspace, NULL);\n}}", symbols.entry, arguments.join(", "))
}

/// `float name[4][784]`; a plain pointer if C has no such array (no dimension, or one of 0).
fn parameter(spec: &TensorSpec, name: &str) -> String {
    let ty = c_type(spec.element);
    let is_complex = matches!(spec.element, ElementType::Complex(_));
    if spec.element_count() == 0 || (spec.shape.is_empty() && !is_complex) {
        return format!("{ty} *{name}");
    }
    let mut declaration = format!("{ty} {name}");
    for size in spec.shape.iter().copied().chain(is_complex.then_some(2)) {
        let _ = write!(declaration, "[{size}]");
    }
    declaration
}

/// The C type of one element; of each part of a complex one.
pub(crate) fn c_type(element: ElementType) -> String {
    match element {
        ElementType::Bool | ElementType::SmallFloat(_) => "uint8_t".to_owned(),
        ElementType::Signed(bits) => format!("int{}_t", bits.max(8)),
        ElementType::Unsigned(bits) => format!("uint{}_t", bits.max(8)),
        ElementType::Float(64) | ElementType::Complex(128) => "double".to_owned(),
        ElementType::Float(32) | ElementType::Complex(_) => "float".to_owned(),
        ElementType::Float(_) | ElementType::BFloat16 => "uint16_t".to_owned(),
    }
}

/// What quantized elements mean, as the end of a sentence in a comment; nothing for others.
pub(crate) fn quantization_words(spec: &TensorSpec) -> String {
    quantization_note(spec, "\n *    ", ", in the signature table")
}

/// The same in a comment whose lines begin with `line`, and which says where the scales along a dimension are.
pub(crate) fn quantization_note(spec: &TensorSpec, line: &str, table: &str) -> String {
    let Some(quantization) = &spec.quantization else { return String::new() };
    let expressed = quantization.expressed;
    match (quantization.axis, &quantization.scales[..], &quantization.zero_points[..]) {
        (None, [scale, ..], [0, ..]) => {
            format!(", which mean {expressed} numbers: integer * {:?}", scale.get())
        }
        (None, [scale, ..], [zero_point, ..]) => {
            format!(
                ", which mean {expressed} numbers: (integer - ({zero_point})) * {:?}",
                scale.get()
            )
        }
        (axis, ..) => format!(
            ", which mean {expressed} numbers: (integer - zero point) * scale,{line} with those of each index of dimension {}{table}",
            axis.unwrap_or(0)
        ),
    }
}

/// The C type as text, with details that it does not express.
pub(crate) fn element_words(element: ElementType) -> String {
    let ty = c_type(element);
    match element {
        ElementType::Bool => format!("{ty}, 0 or 1"),
        ElementType::Signed(bits @ 1..8) | ElementType::Unsigned(bits @ 1..8) => {
            format!("{ty}, of which the lower {bits} bits are read")
        }
        ElementType::SmallFloat(_) | ElementType::Float(16) | ElementType::BFloat16 => {
            format!("{ty} holding the bits of {element}")
        }
        ElementType::Complex(_) => format!("{ty}, real and imaginary parts interleaved"),
        _ => ty,
    }
}
