//! The builder compared with XLA's documents: each numeric example and each stated rule, evaluated and compiled.
//!
//! Names of tests begin with the documents (`d000` to `d003`, four ages of the operation semantics, and `d004`, the
//! broadcasting page) and the section.

mod benchmark;
mod broadcasting;
mod client;
mod collectives;
mod control;
mod convolutions;
mod dots;
mod elementwise;
mod examples;
mod gathers;
mod host;
mod linear_algebra;
mod misuse;
mod movement;
mod names;
mod programs;
mod random;
mod reductions;
mod windows;

use strata_builder::{Builder, Code, Literal, Native, Op, Program, Result};

/// Builds a program of constants and what follows of them.
fn build(root: impl FnOnce(&Builder) -> Result<Op>) -> Program {
    let b = Builder::new("test");
    let root = root(&b).expect("it can be built");
    b.build(&root).expect("it is a program")
}

/// What the evaluator, the compiled code, the text form and the artifact give, which has to be the same.
fn run(program: &Program, arguments: &[Literal]) -> Vec<Literal> {
    let evaluated = program.evaluate(arguments).expect("it can be evaluated");
    assert_eq!(of_text(program, arguments), evaluated, "the text computes something else");
    if let Some(found) = of_artifact(program, arguments) {
        assert_eq!(found, evaluated, "the artifact computes something else");
    }
    let compiled = program.load().expect("it compiles").call(arguments).expect("it runs");
    assert_eq!(compiled.len(), evaluated.len());
    for (compiled, evaluated) in compiled.iter().zip(&evaluated) {
        assert_eq!(compiled.shape(), evaluated.shape());
        assert_close(compiled, evaluated);
    }
    evaluated
}

/// Equal, but for rounding of floats.
fn assert_close(found: &Literal, expected: &Literal) {
    if found == expected {
        return;
    }
    let is_close = |(found, expected): (f64, f64)| {
        (found.is_nan() && expected.is_nan())
            || found == expected
            || (found - expected).abs() <= 1e-5 * expected.abs().max(1.0)
    };
    let both = found.to_f64s().into_iter().zip(expected.to_f64s());
    let is_float = found.to_f64s().len() == expected.to_f64s().len() && !found.to_f64s().is_empty();
    assert!(is_float && both.clone().all(is_close), "found {found:?}, expected {expected:?}");
}

/// The module as text, which parses, verifies and prints as the same text, evaluated.
fn of_text(program: &Program, arguments: &[Literal]) -> Vec<Literal> {
    let text = program.to_text().expect("it prints");
    let context = strata_ir::new_context();
    let module = strata_ir::parse(&context, "built.mlir", text.as_bytes()).expect("it parses");
    assert_eq!(strata_ir::print(&module, false), text, "it does not round trip");
    evaluated(&module, arguments)
}

/// The portable artifact, read and evaluated; `None` for operations of CHLO, which artifacts do not hold.
fn of_artifact(program: &Program, arguments: &[Literal]) -> Option<Vec<Literal>> {
    let bytes = match program.to_artifact("1.13.0") {
        Ok(bytes) => bytes,
        Err(error) if error.operation().is_some_and(|name| name.starts_with("chlo.")) => {
            assert_eq!(error.code().id(), "S1013");
            return None;
        }
        Err(error) => panic!("no artifact: {error}"),
    };
    let context = strata_ir::new_context();
    let module = strata_vhlo::parse(&context, "built.mlirbc", &bytes).expect("it reads");
    Some(evaluated(&module, arguments))
}

fn evaluated(module: &strata_ir::Module<'_>, arguments: &[Literal]) -> Vec<Literal> {
    let tensor = |one: &Literal| {
        let ty = strata_eval::ElementType::parse(&one.element_type().to_string()).expect("a type");
        strata_eval::Tensor::from_bytes(one.dimensions(), ty, one.bytes().to_vec())
            .expect("a tensor")
    };
    let inputs: Vec<_> = arguments.iter().map(tensor).collect();
    let results = strata_eval::evaluate(module, None, &inputs).expect("it can be evaluated");
    let literal = |one: &strata_eval::Tensor| {
        let element = element_of(&one.element_type().to_string());
        Literal::from_bytes(element, one.shape(), one.bytes().to_vec()).expect("a literal")
    };
    results.iter().map(literal).collect()
}

fn element_of(name: &str) -> strata_builder::ElementType {
    let context = strata_ir::new_context();
    let ty = strata_ir::parse_type(&context, name).expect("a type");
    strata_builder::ElementType::from_type(ty).expect("an element type")
}

/// A program of constants has one result, which is `expected`.
#[track_caller]
fn gives(root: impl FnOnce(&Builder) -> Result<Op>, expected: impl Into<Literal>) {
    let (found, expected) = (run(&build(root), &[]), expected.into());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].shape(), expected.shape());
    assert_close(&found[0], &expected);
}

/// As [`gives`], with several results.
#[track_caller]
fn gives_all(root: impl FnOnce(&Builder) -> Result<Op>, expected: &[Literal]) {
    let found = run(&build(root), &[]);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.shape(), expected.shape());
        assert_close(found, expected);
    }
}

/// The call is rejected with that code and a part of the rule, at a line of this file's folder.
#[track_caller]
fn refuses(root: impl FnOnce(&Builder) -> Result<Op>, code: &str, words: &str) {
    let error = root(&Builder::new("test")).expect_err("it cannot be built");
    assert_eq!(error.code().id(), code, "{error}");
    assert!(error.to_string().contains(words), "`{words}` is not in: {error}");
    assert!(error.operation().is_some_and(|name| !name.is_empty()), "{error}");
    let place = error.location().expect("a place");
    assert!(place.file.contains("suite/builder") && place.line > 0, "{error}");
}

/// The shape of what is built, as XLA writes it.
fn shape(root: impl FnOnce(&Builder) -> Result<Op>) -> String {
    let op = root(&Builder::new("test")).expect("it can be built");
    op.shape().expect("a shape").to_string()
}

/// The numbers from `first` on.
fn counted<T: Native + From<i16>>(first: i16, dimensions: &[usize]) -> Literal {
    let count = i16::try_from(dimensions.iter().product::<usize>()).expect("few elements");
    let values: Vec<T> = (first..first + count).map(T::from).collect();
    Literal::new(dimensions, &values).expect("as many")
}

/// The code of an error, for what is not built but compiled.
fn code_of<T>(result: Result<T>) -> Option<Code> {
    result.err().map(|error| error.code())
}
