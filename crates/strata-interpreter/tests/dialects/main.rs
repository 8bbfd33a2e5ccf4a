//! Operations of each dialect on numbers that distinguish right from wrong.

mod arithmetic;
mod control;
mod linalg;
mod memory;
mod shadow;
mod tensors;
mod vectors;

use strata_diag::Diagnostic;
use strata_interpreter::Program;

/// Runs a module with the text of an entry function and what precedes it.
pub fn run_module(text: &str, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Diagnostic> {
    let context = strata_ir::new_context();
    let module = strata_ir::parse(&context, "dump.mlir", text.as_bytes())
        .unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    Program::new(&module)?.run(inputs)
}

/// An entry on tensors: `inputs` are called `%x0`, `%x1`, …, and the body returns.
pub fn on_tensors(inputs: &[&str], outputs: &[&str], body: &str) -> String {
    let args: Vec<_> = inputs.iter().enumerate().map(|(at, ty)| format!("%x{at}: {ty}")).collect();
    format!(
        "func.func @main({}) -> ({}) attributes {{strata.entry, strata.inputs = [{}], strata.outputs = [{}]}} {{\n{body}\n}}",
        args.join(", "),
        outputs.join(", "),
        inputs.join(", "),
        outputs.join(", "),
    )
}

/// An entry on buffers: the inputs `%x0`, …, the outputs `%y0`, …, `%w` of that many bytes.
pub fn on_buffers(inputs: &[&str], outputs: &[&str], workspace: usize, body: &str) -> String {
    let args = |types: &[&str], name: char| {
        let named = types.iter().enumerate().map(|(at, ty)| format!("%{name}{at}: memref<{ty}>, "));
        named.collect::<String>()
    };
    let tensors = |types: &[&str]| {
        types.iter().map(|ty| format!("tensor<{ty}>")).collect::<Vec<_>>().join(", ")
    };
    format!(
        "func.func @main({}{}%w: memref<{workspace}xi8>) attributes {{strata.entry, strata.inputs = [{}], strata.outputs = [{}], \
         strata.workspace_size = {workspace} : i64}} {{\n{body}\nreturn\n}}",
        args(inputs, 'x'),
        args(outputs, 'y'),
        tensors(inputs),
        tensors(outputs),
    )
}

/// Little-endian bytes.
pub fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Little-endian bytes.
pub fn i32s(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The numbers of an output.
pub fn to_f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("4"))).collect()
}

/// The numbers of an output.
pub fn to_i32s(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|four| i32::from_le_bytes(four.try_into().expect("4"))).collect()
}

/// The only output of a module, as `f32`.
#[track_caller]
pub fn floats(text: &str, inputs: &[Vec<u8>]) -> Vec<f32> {
    let found = run_module(text, inputs).unwrap_or_else(|error| panic!("{}", error.render()));
    to_f32s(&found[0])
}

/// The only output of a module, as `i32`.
#[track_caller]
pub fn integers(text: &str, inputs: &[Vec<u8>]) -> Vec<i32> {
    let found = run_module(text, inputs).unwrap_or_else(|error| panic!("{}", error.render()));
    to_i32s(&found[0])
}
