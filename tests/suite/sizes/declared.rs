//! Sizes that the type of a result and an operand both say: where they differ there is no program.

use strata::{Compiler, Options, Stage};
use strata_diag::Diagnostic;
use strata_eval::{Element, ElementType, Evaluator, Session, Tensor, Values};
use strata_interpreter::Program;
use strata_ir::new_context;
use strata_verify::{Settings, random_inputs, verify};

use crate::harness;

/// An operation whose result has 4 elements in its type, and 4 by its operands where `%n`, `tensor<1xi32>`, is as large.
struct Case {
    name: &'static str,
    n: i64,
    inputs: &'static str,
    text: &'static str,
    result: (&'static str, &'static str),
}

const fn case(
    name: &'static str,
    n: i64,
    inputs: &'static str,
    text: &'static str,
    result: (&'static str, &'static str),
) -> Case {
    Case { name, n, inputs, text, result }
}

const FLOATS: (&str, &str) = ("%0", "tensor<4xf32>");

const CASES: &[Case] = &[
    case("iota", 4, "", "%0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<4xi32>", ("%0", "tensor<4xi32>")),
    case(
        "broadcast",
        4,
        "%x: tensor<f32>",
        "%0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "reshape",
        4,
        "%x: tensor<2x2xf32>",
        "%0 = stablehlo.dynamic_reshape %x, %n : (tensor<2x2xf32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "pad",
        1,
        "%x: tensor<3xf32>, %v: tensor<f32>",
        "%0 = stablehlo.dynamic_pad %x, %v, %n, %none, %none : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "slice",
        4,
        "%x: tensor<9xf32>",
        "%0 = stablehlo.real_dynamic_slice %x, %none, %n, %one : (tensor<9xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "steps",
        8,
        "%x: tensor<12xf32>",
        "%two = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %none, %n, %two : (tensor<12xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "gather",
        4,
        "%x: tensor<9x5xf32>, %i: tensor<1xi32>",
        "%sizes = stablehlo.concatenate %one, %n, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = \"stablehlo.dynamic_gather\"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>} : (tensor<9x5xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "convolution",
        1,
        "%x: tensor<1x5x3xf32>, %k: tensor<3x3x2xf32>",
        "%edges = stablehlo.concatenate %none, %n, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %padding = stablehlo.reshape %edges : (tensor<2xi32>) -> tensor<1x2xi32>
  %0 = \"stablehlo.dynamic_conv\"(%x, %k, %padding) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64} : (tensor<1x5x3xf32>, tensor<3x3x2xf32>, tensor<1x2xi32>) -> tensor<1x4x2xf32>",
        ("%0", "tensor<1x4x2xf32>"),
    ),
    case(
        "set_size",
        4,
        "%x: tensor<9xf32>",
        "%size = stablehlo.reshape %n : (tensor<1xi32>) -> tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %size, dim = 0 : (tensor<9xf32>, tensor<i32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "rng",
        4,
        "%a: tensor<f32>, %b: tensor<f32>",
        "%0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "bits",
        4,
        "%k: tensor<2xui64>",
        "%0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%k, %n) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<4xui32>)",
        ("%0#1", "tensor<4xui32>"),
    ),
    case(
        "top_k",
        4,
        "%x: tensor<9xf32>",
        "%size = stablehlo.reshape %n : (tensor<1xi32>) -> tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %size) : (tensor<9xf32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)",
        ("%0#0", "tensor<4xf32>"),
    ),
    case(
        "window",
        6,
        "%x: tensor<9xf32>, %i: tensor<f32>",
        "%edges = stablehlo.constant dense<0> : tensor<1x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %i, %n, %one, %one, %one, %edges) {called_computations = [@sum]} : (tensor<9xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "wrapper",
        4,
        "%x: tensor<4xf32>",
        "%0 = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%x, %n) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
    case(
        "call",
        4,
        "%x: tensor<4xf32>",
        "%0 = stablehlo.custom_call @mine(%x, %n) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>",
        FLOATS,
    ),
];

impl Case {
    /// The program with more inputs, `%n` computed so, and more outputs.
    fn program(&self, input: &str, n: &str, outputs: &[(&str, &str)]) -> String {
        let inputs: Vec<_> =
            [input, self.inputs].into_iter().filter(|one| !one.is_empty()).collect();
        let all: Vec<_> = [self.result].iter().chain(outputs).copied().collect();
        let values: Vec<_> = all.iter().map(|(value, _)| *value).collect();
        let types: Vec<_> = all.iter().map(|(_, ty)| *ty).collect();
        let types = types.join(", ");
        format!(
            "func.func public @main({}) -> ({types}) {{
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  {n}
  {}
  return {} : {types}
}}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}}
",
            inputs.join(", "),
            self.text,
            values.join(", ")
        )
    }

    /// `%n` is a sum of constants, which is folded.
    fn folded(&self, n: i64) -> String {
        let text = format!(
            "%less = stablehlo.constant dense<{}> : tensor<1xi32>\n  %n = stablehlo.add %less, %one : tensor<1xi32>",
            n - 1
        );
        self.program("", &text, &[])
    }

    /// `%n` is the size of an input.
    fn open(&self) -> String {
        let text =
            "%size0 = stablehlo.get_dimension_size %open, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n = stablehlo.reshape %size0 : (tensor<i32>) -> tensor<1xi32>
  %twice = stablehlo.add %open, %open : tensor<?xf32>";
        let input = "%open: tensor<?xf32> loc(\"open\")";
        self.program(input, text, &[("%twice", "tensor<?xf32>")])
    }
}

fn error(what: &str, program: &str, options: Options) -> Option<Diagnostic> {
    let compiled = Compiler::new(options).to(Stage::Obj).compile(what, program.as_bytes());
    let mut errors = compiled.map(drop).err()?.into_iter();
    let first = errors.next();
    assert!(errors.next().is_none(), "{what}");
    first
}

fn options(bind: &[(&str, i64)], max: &[(&str, i64)]) -> Options {
    let pairs = |list: &[(&str, i64)]| {
        list.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect()
    };
    Options { bind: pairs(bind), max: pairs(max), ..harness::options("native") }
}

/// The error names the operation, at its place.
fn assert_refused(what: &str, error: Option<Diagnostic>, code: &str, reason: &str) {
    let error = error.unwrap_or_else(|| panic!("{what} compiles"));
    assert_eq!(error.code().id(), code, "{what}: {}", error.render());
    let text = error.reason_text().unwrap_or_default();
    assert!(text.contains(reason), "{what}: {text}");
    assert!(error.operation_name().is_some_and(|name| name.contains("stablehlo.")), "{what}");
    assert!(error.location().is_some() && error.hint_text().is_some(), "{what}");
}

const CONTRADICT: &str = "sizes contradict each other: ";
const ONE_SIZE: &str = "its result has the size of its type for one size only";

#[test]
fn constants_that_contradict_types_are_refused() {
    for case in CASES {
        let options = || options(&[], &[]);
        let right = error(case.name, &case.folded(case.n), options());
        assert!(right.is_none(), "{}: {}", case.name, right.unwrap().render());
        for wrong in [case.n - 2, case.n + 2] {
            let what = format!("{} of {wrong}", case.name);
            assert_refused(
                &what,
                error(&what, &case.folded(wrong), options()),
                "S1106",
                CONTRADICT,
            );
        }
        if case.name == "call" {
            continue;
        }
        let settings = Settings { values: Some(Values::Tame), rounds: 1, ..Settings::default() };
        let program = case.folded(case.n);
        let found = verify(case.name, program.as_bytes(), &options(), &settings, None);
        let found = found.unwrap_or_else(|error| panic!("{}: {}", case.name, error.render()));
        assert!(found.wrong().is_none(), "{}", case.name);
    }
}

/// Also where they are functions' arguments until these are inlined.
#[test]
fn constants_that_are_passed_contradict_types() {
    let program = "func.func public @main() -> tensor<4xi32> {
        %n = stablehlo.constant dense<5> : tensor<1xi32>
        %0 = call @f(%n) : (tensor<1xi32>) -> tensor<4xi32>
        return %0 : tensor<4xi32>
      }
      func.func private @f(%n: tensor<1xi32>) -> tensor<4xi32> {
        %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<4xi32>
        return %0 : tensor<4xi32>
      }";
    let found = error("passed", program, options(&[], &[]));
    assert_refused(
        "passed",
        found,
        "S1106",
        "dimension 0 of its result is 5, and its type that it is 4",
    );
}

#[test]
fn sizes_of_inputs_contradict_types() {
    for case in CASES {
        let program = case.open();
        let bound = |size| error(case.name, &program, options(&[("open.0", size)], &[]));
        let right = bound(case.n);
        assert!(right.is_none(), "{}: {}", case.name, right.unwrap().render());
        assert_refused(case.name, bound(case.n + 2), "S1106", CONTRADICT);
        // One object for all sizes would have one result only.
        for max in [&[][..], &[("open.0", 16)]] {
            let what = format!("{} {max:?}", case.name);
            let options = Options { open: true, ..options(&[], max) };
            let found = error(&what, &program, options);
            let reason =
                if max.is_empty() { "cannot be computed apart: " } else { "up to a bound: " };
            assert_refused(&what, found, "S1101", reason);
        }
        // A window of open size is refused by itself.
        if case.name != "window" {
            let padded = Options { open: true, ..options(&[], &[("open.0", 16)]) };
            assert_refused(case.name, error(case.name, &program, padded), "S1101", ONE_SIZE);
        }
    }
}

/// `tensor<1xi32>` of that number.
fn word(number: i64) -> Tensor {
    let element = ElementType::parse("i32").unwrap();
    Tensor::from_fn(&[1], element, |_| Element::Signed(number))
}

/// Where a value says the size of a type, the object looks whether it does, and so do the evaluator and the dumps of all stages.
#[test]
fn values_that_contradict_types_end_a_call() {
    let mut called = 0;
    for case in CASES {
        if !["iota", "broadcast", "reshape", "rng"].contains(&case.name) {
            continue;
        }
        let program = case.program("%n: tensor<1xi32>", "", &[]);
        let bytes = program.as_bytes();
        let drawn = random_inputs(case.name, bytes, &options(&[], &[]), Values::Tame, 5).unwrap();
        assert_eq!(drawn[0].to_i64s().unwrap(), [case.n], "{}", case.name);
        let artifact = Compiler::new(options(&[], &[])).compile(case.name, bytes).unwrap();
        let loaded = harness::Loaded::new(&artifact);
        let context = new_context();
        let module = strata_vhlo::parse(&context, case.name, bytes).unwrap();
        let evaluator = Evaluator::new(&module).unwrap();
        for n in [case.n, 3, 5, 0, -1, 1000] {
            let what = format!("{} of {n}", case.name);
            let inputs: Vec<Tensor> =
                [word(n)].into_iter().chain(drawn[1..].iter().cloned()).collect();
            let values: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
            let expected = evaluator.run(None, &inputs, &Session::new(0));
            if n == case.n {
                let expected =
                    expected.unwrap_or_else(|error| panic!("{what}: {}", error.render()));
                let found = loaded.call(&values);
                if case.name != "rng" {
                    assert_eq!(found, [expected[0].bytes()], "{what}");
                }
            } else {
                assert_eq!(expected.map(drop).unwrap_err().code().id(), "S1912", "{what}");
                assert_eq!(loaded.status(&values), 10, "{what}");
            }
            for stage in [Stage::Linalg, Stage::Schedule, Stage::Affine, Stage::Vector] {
                let dump = Compiler::new(options(&[], &[])).to(stage).compile(case.name, bytes);
                let dump = dump.unwrap();
                let (what, context) = (format!("{what}, {stage}"), new_context());
                let module = strata_ir::parse(&context, &what, dump.bytes()).unwrap();
                let found = Program::new(&module).unwrap().run(&values);
                match found {
                    Ok(_) => assert_eq!(n, case.n, "{what}"),
                    Err(error) => {
                        assert_eq!(error.code().id(), "S1912", "{what}: {}", error.render());
                        assert_ne!(n, case.n, "{what}: {}", error.render());
                    }
                }
            }
        }
        called += 1;
    }
    assert_eq!(called, 4);
}

/// One dimension has the size of the type, another one a bound.
#[test]
fn values_that_contradict_a_part_of_a_type_end_a_call() {
    let program = "func.func public @main(%x: tensor<3x6xf32>, %limits: tensor<2xi32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 6>> {
        %starts = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
        %steps = stablehlo.constant dense<1> : tensor<2xi32>
        %0 = stablehlo.real_dynamic_slice %x, %starts, %limits, %steps : (tensor<3x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 6>>
        return %0 : tensor<3x?xf32, #stablehlo.bounds<?, 6>>
      }";
    let artifact = Compiler::new(options(&[], &[])).compile("part", program.as_bytes()).unwrap();
    let loaded = harness::Loaded::new(&artifact);
    let x: Vec<u8> = (0..18).flat_map(|at| (at as f32).to_le_bytes()).collect();
    for (rows, status) in [(3, 0), (2, 10), (4, 10), (0, 10)] {
        let limits: Vec<u8> =
            [rows, 4].iter().flat_map(|number: &i32| number.to_le_bytes()).collect();
        assert_eq!(loaded.status(&[x.clone(), limits]), status, "{rows}");
    }
}

/// A call of a function that takes a shape, which it is not passed.
#[test]
fn values_that_contradict_types_end_a_call_of_another_function() {
    let case = CASES.iter().find(|case| case.name == "call").unwrap();
    let program = case.program("%n: tensor<1xi32>", "", &[]);
    let compiler = Compiler::new(options(&[], &[])).to(Stage::Hlo);
    let text =
        String::from_utf8(compiler.compile("call", program.as_bytes()).unwrap().bytes().to_vec());
    let text = text.unwrap();
    let (assertion, call) = (text.find("@shape_assertion"), text.find("@mine"));
    assert!(assertion.is_some() && assertion < call, "{text}");
}

/// Attributes that are values have no static form.
#[test]
fn attributes_that_are_values_are_refused() {
    for case in CASES {
        if ["iota", "broadcast", "reshape", "rng", "call"].contains(&case.name) {
            continue;
        }
        let program = case.program("%n: tensor<1xi32>", "", &[]);
        let found = error(case.name, &program, options(&[], &[]));
        assert_refused(case.name, found, "S1101", "values");
    }
}

/// A slice of a given length that may start anywhere.
#[test]
fn slices_are_no_longer_than_what_they_take_from() {
    for (whole, length, result, code) in
        [(9, 4, 4, ""), (9, 5, 4, "S1106"), (4, 5, 5, "S1106"), (4, 5, 4, "S1106")]
    {
        let program = format!(
            "func.func public @main(%x: tensor<{whole}xf32>, %s: tensor<1xi32>) -> tensor<{result}xf32> {{
               %n = stablehlo.constant dense<{length}> : tensor<1xi32>
               %one = stablehlo.constant dense<1> : tensor<1xi32>
               %l = stablehlo.add %s, %n : tensor<1xi32>
               %0 = stablehlo.real_dynamic_slice %x, %s, %l, %one : (tensor<{whole}xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<{result}xf32>
               return %0 : tensor<{result}xf32>
             }}"
        );
        let what = format!("{length} of {whole} as {result}");
        let found = error(&what, &program, options(&[], &[]));
        match code {
            "" => assert!(found.is_none(), "{what}"),
            code => assert_refused(&what, found, code, CONTRADICT),
        }
    }
}

/// A type that fixes an open number of rows: no object for any number, and none up to a bound.
#[test]
fn types_that_fix_an_open_size_are_for_one_size() {
    let program = "func.func public @main(%x: tensor<?xf32> loc(\"x\")) -> tensor<8xf32> {
        %0 = stablehlo.convert %x : (tensor<?xf32>) -> tensor<8xf32>
        return %0 : tensor<8xf32>
      }";
    for (max, hint) in [
        (&[][..], "`--bind x.0=8` compiles for one size"),
        (&[("x.0", 8)], "`--bind x.0=8`, without `--max`, compiles for one size"),
        (&[("x.0", 16)], "`--bind x.0=8`, without `--max`, compiles for one size"),
    ] {
        let what = format!("{max:?}");
        let options = Options { open: true, ..options(&[], max) };
        let found = error(&what, program, options);
        assert_eq!(found.as_ref().and_then(|error| error.hint_text()), Some(hint), "{what}");
        assert_refused(&what, found, "S1101", ONE_SIZE);
    }
    assert!(error("bound", program, options(&[("x.0", 8)], &[])).is_none());
}
