//! Stage 80: assembly and objects.
//!
//! An object may only leave undefined functions of libm, `memcpy`, `memmove`, `memset` (with `--freestanding` not even these), and the targets of its
//! custom calls. Other functions that LLVM's code generator calls (conversions of half precision on machines without them) are defined inside the
//! object, see `runtime`.

use inkwell::{
    attributes::AttributeLoc,
    module::Module as LlvmModule,
    targets::{FileType, TargetMachine},
};
use object::{Object as _, ObjectSymbol as _};
use strata_diag::{Diagnostic, codes};
use strata_ir::timed;
use strata_options::{OptLevel, Options};

use crate::{
    embed::{check_reach, embed},
    llvmir::{LlvmIr, defined},
    machine::{Session, bug, machine},
    order,
    pieces::Pieces,
    runtime,
};

/// The functions of C's mathematics library that have versions for `float` and `double`.
const LIBM: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "lrint",
    "lround",
    "modf",
    "nearbyint",
    "pow",
    "remainder",
    "rint",
    "round",
    "roundeven",
    "scalbn",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// The functions of C's string library that compilers may call anywhere.
const MEMORY: &[&str] = &["memcpy", "memmove", "memset"];

/// The object file.
///
/// # Errors
/// `S1701` for an undefined symbol that is not allowed, `S1705` if it is one of libm's, `S1704` for constants out of range of relative addresses,
/// `S9003` when code generation fails.
pub fn object(ir: &LlvmIr, options: &Options) -> Result<Pieces, Diagnostic> {
    let first = match ir.code() {
        Some(code) => code.to_vec(),
        None => emit(ir, &[], FileType::Object, options)?,
    };
    let local = local_definitions(&first, options)?;
    let object = match local.is_empty() {
        true => first,
        false => emit(ir, &local, FileType::Object, options)?,
    };
    timed("check of the symbols", || check(&object, ir, options))?;
    match ir.embedded() {
        Some(weights) => timed("weights", || embed(&object, weights)),
        None => Ok(object.into()),
    }
}

/// The assembly of the same code as [`object()`] makes.
///
/// # Errors
/// As [`object()`].
pub fn assembly(ir: &LlvmIr, options: &Options) -> Result<String, Diagnostic> {
    let probe = emit(ir, &[], FileType::Object, options)?;
    let local = local_definitions(&probe, options)?;
    let object = match local.is_empty() {
        true => probe,
        false => emit(ir, &local, FileType::Object, options)?,
    };
    ir.embedded().map_or(Ok(()), |weights| check_reach(weights.size()))?;
    check(&object, ir, options)?;
    let bytes = emit(ir, &local, FileType::Assembly, options)?;
    String::from_utf8(bytes)
        .map_err(|error| bug("LLVM's assembly is not valid UTF-8", &error.to_string()))
}

/// The undefined symbols of an ELF object, sorted.
///
/// # Errors
/// `S9003` if the bytes are not an object.
pub fn undefined_symbols(object: &[u8]) -> Result<Vec<String>, Diagnostic> {
    let unreadable = |error: object::Error| bug("the object cannot be read", &error.to_string());
    let file = object::File::parse(object).map_err(unreadable)?;
    let mut names = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.is_undefined()) {
        let name = symbol.name().map_err(unreadable)?;
        if !name.is_empty() {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Whether an object may leave `name` undefined.
pub fn is_allowed(name: &str, freestanding: bool) -> bool {
    !freestanding && (MEMORY.contains(&name) || is_libm(name))
}

/// Whether it is a function of the C mathematics library, for `double` or for `float`.
pub(crate) fn is_libm(name: &str) -> bool {
    let base = name.strip_suffix('f').unwrap_or(name);
    LIBM.contains(&name) || LIBM.contains(&base)
}

/// The symbols that the object needs and that the runtime can define inside it.
fn local_definitions(object: &[u8], options: &Options) -> Result<Vec<String>, Diagnostic> {
    let mut names = undefined_symbols(object)?;
    names.retain(|name| !is_allowed(name, options.freestanding) && runtime::defines(name));
    Ok(names)
}

/// Checks an object that [`embed`] has not added the constants to.
fn check(object: &[u8], ir: &LlvmIr, options: &Options) -> Result<(), Diagnostic> {
    let mut names = undefined_symbols(object)?;
    names.retain(|name| !is_allowed(name, options.freestanding));
    if let Some(weights) = ir.embedded().filter(|_| !names.is_empty()) {
        names.retain(|name| weights.tensors().iter().all(|tensor| tensor.symbol != *name));
    }
    if !names.is_empty() {
        let foreign = ir.foreign()?;
        names.retain(|name| !foreign.contains(name));
    }
    if names.is_empty() {
        return Ok(());
    }
    let list: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let (are, rule) = match (names.len(), options.freestanding) {
        (1, true) => ("is", "--freestanding allows no undefined symbol"),
        (_, true) => ("are", "--freestanding allows no undefined symbol"),
        (1, false) => ("is", "only libm's functions and memcpy, memmove, memset may be"),
        (_, false) => ("are", "only libm's functions and memcpy, memmove, memset may be"),
    };
    let all_libm = options.freestanding && names.iter().all(|name| is_allowed(name, false));
    let code = if all_libm { codes::S1705 } else { codes::S1701 };
    let diagnostic =
        Diagnostic::new(code).reason(format!("{} {are} undefined, and {rule}", list.join(", ")));
    let diagnostic = diagnostic.about_symbols(names);
    Err(match all_libm {
        true => diagnostic.hint("without --freestanding the program links with libm"),
        false => diagnostic,
    })
}

/// The largest stack frame of a compiled function: threads may have little stack, and large temporaries are in the workspace.
const MAX_FRAME_BYTES: usize = 64 << 10;

fn emit(
    ir: &LlvmIr,
    local: &[String],
    kind: FileType,
    options: &Options,
) -> Result<Vec<u8>, Diagnostic> {
    if kind == FileType::Object && local.is_empty() && !ir.parts().is_whole() {
        return emit_apart(ir, options);
    }
    let machine = machine(&options.target, options.opt_level)?;
    let session = Session::new();
    // Code generation changes the module, so that each emission starts from the bitcode.
    let module = timed("bitcode", || match kind {
        FileType::Assembly => ir.load_complete(session.context()),
        FileType::Object => ir.load(session.context()),
    })?;
    if !local.is_empty() {
        timed("run-time functions", || {
            runtime::define(&session, &module, &machine, local, options)
        })?;
    }
    timed("code generation", || generate(&session, &module, &machine, kind, options))
}

/// The object of the objects of all parts.
fn emit_apart(ir: &LlvmIr, options: &Options) -> Result<Vec<u8>, Diagnostic> {
    let objects = timed("code generation", || {
        ir.parts().each(options, |part| {
            let machine = machine(&options.target, options.opt_level)?;
            let session = Session::new();
            let module = ir.parts().take(&session, ir.bitcode(), part, &machine)?;
            generate(&session, &module, &machine, FileType::Object, options)
        })
    })?;
    timed("linking", || ir.parts().join(&objects))
}

/// The code of a module that is in memory, which changes it.
///
/// # Errors
/// `S9003` when code generation fails.
pub(crate) fn at_once(
    session: &Session,
    module: &LlvmModule<'_>,
    level: OptLevel,
    options: &Options,
) -> Result<Vec<u8>, Diagnostic> {
    let machine = machine(&options.target, level)?;
    generate(session, module, &machine, FileType::Object, options)
}

fn generate(
    session: &Session,
    module: &LlvmModule<'_>,
    machine: &TargetMachine,
    kind: FileType,
    options: &Options,
) -> Result<Vec<u8>, Diagnostic> {
    for function in defined(module) {
        let limit = match options.opt_level {
            // The optimisation level of code generation: at -O0 it keeps values separate for a debugger.
            OptLevel::None => 16 * MAX_FRAME_BYTES,
            _ => MAX_FRAME_BYTES,
        };
        let limit = limit.to_string();
        let limit = session.context().create_string_attribute("warn-stack-size", &limit);
        function.add_attribute(AttributeLoc::Function, limit);
    }
    order::keep(session, module, options)?;
    session.listen();
    let code = machine.write_to_memory_buffer(module, kind);
    match (session.error(), code) {
        (None, Ok(code)) => Ok(code.as_slice().to_vec()),
        (Some(error), _) => Err(bug("LLVM's code generation failed", &error)),
        (None, Err(error)) => Err(bug("LLVM's code generation failed", &error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use strata_diag::codes;
    use strata_options::Options;

    use crate::{llvmir, target};

    #[test]
    fn an_object_that_needs_more_than_it_may_is_refused() {
        let text = "define i32 @model_main(ptr %s) {\n %r = call i32 @puts(ptr %s)\n ret i32 %r\n}\n\
                    declare i32 @puts(ptr)\n";
        let options = Options::new(target::resolve(None, None, None).expect("the default target"));
        let ir = llvmir::parse("puts.ll", text.as_bytes(), &options).expect("valid IR");
        let error = super::object(&ir, &options).expect_err("refused");
        assert_eq!(error.code(), codes::S1701);
        assert!(error.reason_text().is_some_and(|reason| reason.contains("`puts`")), "{error}");
    }
}
