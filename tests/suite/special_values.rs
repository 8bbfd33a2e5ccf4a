//! Special values in all pairs and triples, for every element type: compiled code compared with the evaluator, bit for
//! bit if the operation is exact. Signs of zeros count everywhere, and so does which results are NaN.

mod compare;
mod nans;
mod operations;
mod values;

use strata::{Compiler, Options};
use strata_eval::{Element, ElementType, Tensor, evaluate};
use strata_run::{Linked, Loaded};

use crate::harness::{cpus, options};
use compare::difference;
use operations::{Operation, binary, ternary, unary};

fn element_type(name: &str) -> ElementType {
    ElementType::parse(name).expect("an element type")
}

/// The CPUs with the least and the most, for what takes long.
const ENDS: [&str; 2] = ["x86-64", "native"];

/// Where operands come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Inputs,
    /// Constants, which the compiler computes with itself.
    Constants,
}

/// A program that applies all operations to operands of `count` elements.
fn program(operands: &[Tensor], operations: &[Operation], from: From) -> String {
    let count = operands[0].len();
    let tensor = |ty: ElementType| format!("tensor<{count}x{ty}>");
    let names = ["%x", "%y", "%z"];
    let mut arguments = Vec::new();
    let mut body = String::new();
    for (name, operand) in names.iter().zip(operands) {
        let ty = tensor(operand.element_type());
        match from {
            From::Inputs => arguments.push(format!("{name}: {ty}")),
            From::Constants => {
                let digits = operand.bytes().iter().map(|byte| format!("{byte:02X}"));
                let digits: String = digits.collect();
                body += &format!("  {name} = stablehlo.constant dense<\"0x{digits}\"> : {ty}\n");
            }
        }
    }
    let types = [operands[0].element_type(), ElementType::Bool].map(tensor);
    let types = [types[0].as_str(), types[1].as_str()];
    for (index, operation) in operations.iter().enumerate() {
        let into = format!("%r{index}");
        let to = tensor(operation.result);
        body += &operation.lines(&into, &names[..operands.len()], types, &to);
    }
    let results: Vec<_> = (0..operations.len()).map(|index| format!("%r{index}")).collect();
    let types: Vec<_> = operations.iter().map(|operation| tensor(operation.result)).collect();
    let (arguments, results, types) = (arguments.join(", "), results.join(", "), types.join(", "));
    format!(
        "func.func public @main({arguments}) -> ({types}) {{\n{body}  return {results} : {types}\n}}\n"
    )
}

fn call(text: &str, options: &Options, inputs: &[Tensor]) -> Vec<Vec<u8>> {
    let artifact = match Compiler::new(options.clone()).compile("pairs.mlir", text.as_bytes()) {
        Ok(artifact) => artifact,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    let signature = artifact.signature().expect("a signature");
    let loaded = Loaded::linked(artifact.bytes(), options, signature, &Linked::default());
    let inputs: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
    let (status, outputs) = loaded.expect("it links").call_twice(&inputs).expect("called");
    assert_eq!(status, 0);
    outputs
}

/// Fails where a result of compiled code is not the evaluator's, with every operation that differs and the first
/// operands for which it does.
#[track_caller]
fn check(cpus: &[&str], operands: &[Tensor], operations: &[Operation], from: From) {
    let text = program(operands, operations, from);
    let inputs = if from == From::Inputs { operands } else { &[] };
    let context = strata::new_context();
    let module = match strata_ir::parse(&context, "pairs.mlir", text.as_bytes()) {
        Ok(module) => module,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    let expected = match evaluate(&module, None, inputs) {
        Ok(expected) => expected,
        Err(error) => panic!("{}\n{text}", error.render()),
    };
    let mut differences = Vec::new();
    for cpu in cpus {
        let found = call(&text, &options(cpu), inputs);
        for ((operation, expected), found) in operations.iter().zip(&expected).zip(found) {
            let found = Tensor::from_bytes(expected.shape(), expected.element_type(), found)
                .expect("bytes of the output's type");
            let wrong: Vec<usize> = (0..expected.len())
                .filter(|at| difference(&found, expected, *at, operation).is_some())
                .collect();
            let Some(first) = wrong.first() else { continue };
            let args: Vec<_> =
                operands.iter().map(|operand| operand.get(*first).to_string()).collect();
            differences.push(format!(
                "{cpu}: {}({}) gives {} where the evaluator computes {} ({} of {}; {})",
                operation.name,
                args.join(", "),
                found.get(*first),
                expected.get(*first),
                wrong.len(),
                expected.len(),
                difference(&found, expected, *first, operation).unwrap_or_default(),
            ));
        }
    }
    assert!(differences.is_empty(), "{}\n{}", operands[0].element_type(), differences.join("\n"));
}

/// Tensors of all combinations of as many elements as there are lists, in as many tensors.
fn combinations(lists: &[(ElementType, Vec<Element>)]) -> Vec<Tensor> {
    let count: usize = lists.iter().map(|(_, list)| list.len()).product();
    let mut stride = count;
    lists
        .iter()
        .map(|(ty, list)| {
            stride /= list.len();
            let step = stride;
            Tensor::from_fn(&[count], *ty, |position| list[position / step % list.len()])
        })
        .collect()
}

/// Part of each tensor.
fn part(tensors: &[Tensor], from: usize, count: usize) -> Vec<Tensor> {
    let slice = |tensor: &Tensor| {
        let count = count.min(tensor.len() - from);
        Tensor::from_fn(&[count], tensor.element_type(), |position| tensor.get(from + position))
    };
    tensors.iter().map(slice).collect()
}

/// Narrow types are computed in wider ones, which are looked at on all CPUs.
fn cpus_for(ty: ElementType) -> Vec<&'static str> {
    match ty.bits() {
        0..16 => vec!["native"],
        16..32 => ENDS.to_vec(),
        _ => cpus(),
    }
}

fn one_operand(name: &str) {
    let ty = element_type(name);
    let ends = if ty.bits() < 16 { &ENDS[1..] } else { &ENDS[..] };
    check(ends, &combinations(&[(ty, values::many(ty))]), &unary(ty), From::Inputs);
}

fn pairs(name: &str) {
    let ty = element_type(name);
    let list = values::of(ty);
    check(
        &cpus_for(ty),
        &combinations(&[(ty, list.clone()), (ty, list)]),
        &binary(ty),
        From::Inputs,
    );
}

fn triples(name: &str) {
    let ty = element_type(name);
    let list = values::few(ty);
    let operands = [(ty, list.clone()), (ty, list.clone()), (ty, list)];
    check(&cpus_for(ty), &combinations(&operands), &ternary(ty), From::Inputs);
}

/// What the compiler computes itself is what the code would compute.
fn constants(name: &str) {
    /// As many elements as are computed with.
    const FOLDED: usize = 1024;
    let ty = element_type(name);
    let list = values::few(ty);
    let one = combinations(&[(ty, values::of(ty))]);
    check(&["x86-64"], &part(&one, 0, FOLDED), &unary(ty), From::Constants);
    let two = combinations(&[(ty, list.clone()), (ty, list)]);
    check(&["x86-64"], &part(&two, 0, FOLDED), &binary(ty), From::Constants);
}

/// To every type.
fn conversions(name: &str) {
    let ty = element_type(name);
    let operands = [(ty, values::to_convert(ty))];
    let ends = if ty.bits() < 16 { &ENDS[1..] } else { &ENDS[..] };
    check(ends, &combinations(&operands), &operations::conversions(TYPES), From::Inputs);
    let constants = part(&combinations(&operands), 0, 1024);
    check(&["x86-64"], &constants, &operations::conversions(TYPES), From::Constants);
}

/// Rounded to every format.
fn formats(name: &str) {
    /// Results of one program.
    const TOGETHER: usize = 64;
    let ty = element_type(name);
    let operands = combinations(&[(ty, values::to_convert(ty))]);
    for formats in operations::formats(ty).chunks(TOGETHER) {
        check(&["native"], &operands, formats, From::Inputs);
    }
}

macro_rules! every_type {
    ($($module:ident: $name:literal,)*) => {
        /// Every element type, as MLIR writes it.
        const TYPES: &[&str] = &[$($name),*];
        $(mod $module {
            #[test]
            fn functions_of_one_operand() {
                super::one_operand($name);
            }
            #[test]
            fn all_pairs() {
                super::pairs($name);
            }
            #[test]
            fn mixed_triples() {
                super::triples($name);
            }
            #[test]
            fn conversions_to_every_type() {
                super::conversions($name);
            }
            #[test]
            fn all_formats_of_reduce_precision() {
                super::formats($name);
            }
            #[test]
            fn constants_are_computed_alike() {
                super::constants($name);
            }
        })*
    };
}

every_type! {
    i1: "i1",
    i2: "i2",
    i4: "i4",
    i8: "i8",
    i16: "i16",
    i32: "i32",
    i64: "i64",
    ui2: "ui2",
    ui4: "ui4",
    ui8: "ui8",
    ui16: "ui16",
    ui32: "ui32",
    ui64: "ui64",
    f16: "f16",
    bf16: "bf16",
    f32: "f32",
    f64: "f64",
    f4_e2m1fn: "f4E2M1FN",
    f6_e2m3fn: "f6E2M3FN",
    f6_e3m2fn: "f6E3M2FN",
    f8_e3m4: "f8E3M4",
    f8_e4m3: "f8E4M3",
    f8_e4m3b11fnuz: "f8E4M3B11FNUZ",
    f8_e4m3fn: "f8E4M3FN",
    f8_e4m3fnuz: "f8E4M3FNUZ",
    f8_e5m2: "f8E5M2",
    f8_e5m2fnuz: "f8E5M2FNUZ",
    f8_e8m0fnu: "f8E8M0FNU",
    complex64: "complex<f32>",
    complex128: "complex<f64>",
}
