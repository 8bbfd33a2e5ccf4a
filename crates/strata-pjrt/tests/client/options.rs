//! Options of one compilation, and the text of what was compiled.

use crate::c_api::{
    INVALID_ARGUMENT, TWICE, buffer, client, client_with, compile, compile_with, deserialize,
    optimized, read, run, serialize,
};

/// A field of a message that has bytes.
pub fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).ok().filter(|length| *length < 128);
    [&[number << 3 | 2, length.expect("a short field")], bytes].concat()
}

/// Compile options that name an option with a value, which is a field of `OptionOverrideProto`.
fn naming(name: &str, value: &[u8]) -> Vec<u8> {
    field(7, &[field(1, name.as_bytes()), field(2, value)].concat())
}

fn text(value: &str) -> Vec<u8> {
    field(1, value.as_bytes())
}

const TRUE: &[u8] = &[2 << 3, 1];
const HALF: &[u8] = &[4 << 3 | 1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f];

fn integer(value: u8) -> [u8; 2] {
    [3 << 3, value]
}

#[test]
fn unknown_options_and_wrong_values_are_refused() {
    let client = client();
    let told = |options: &[u8]| match compile_with(client, TWICE, options) {
        Ok(_) => String::new(),
        Err((code, text)) => {
            assert_eq!(code, INVALID_ARGUMENT, "{text}");
            text
        }
    };
    for taken in [
        naming("xla_embed_ir_in_executable", TRUE),
        naming("xla_embed_ir_in_executable", &text("False")),
        naming("xla_dump_max_hlo_modules", &integer(100)),
        naming("xla_dump_max_hlo_modules", &text("-1")),
        naming("xla_disable_hlo_passes", &text("rematerialization")),
        naming("xla_gpu_auto_spmd_partitioning_memory_budget_ratio", HALF),
        naming("opt_level", &integer(0)),
        naming("xla_backend_optimization_level", &text("2")),
    ] {
        assert_eq!(told(&taken), "");
    }
    assert!(told(&naming("no_such", TRUE)).starts_with("No such compile option: 'no_such'"));
    assert!(told(&naming("xla_dump_to", &text("/tmp"))).starts_with("No such compile option"));
    // Of two options, the second is wrong.
    let both = [naming("opt_level", &integer(1)), naming("opt_levels", &integer(1))].concat();
    assert!(told(&both).contains("'opt_levels'"));
    for (name, value, wanted) in [
        ("xla_embed_ir_in_executable", text("perhaps"), "'perhaps' is not a valid bool value."),
        ("xla_embed_ir_in_executable", HALF.to_vec(), "'0.5' is not a valid bool value."),
        ("xla_dump_max_hlo_modules", TRUE.to_vec(), "'true' is not a valid integer value."),
        ("opt_level", integer(4).to_vec(), "'4' is not a valid level from 0 to 3."),
        ("opt_level", text("high"), "'high' is not a valid level from 0 to 3."),
    ] {
        let said = told(&naming(name, &value));
        assert!(said.contains(&format!("option {name}, {wanted}")), "{said}");
    }
    // An option without a value, and a message that is cut.
    assert!(told(&field(7, &field(1, b"opt_level"))).contains("CompileOptionsProto"));
    assert!(told(&naming("opt_level", &integer(1))[..9]).contains("CompileOptionsProto"));
    let several = field(3, &[5 << 3, 2]);
    assert!(told(&several).contains("the client has 1 device: set the option `num_devices`"));
}

/// The level of one compilation is not that of the client, and does not get into the client's cache.
#[test]
fn levels_are_those_of_one_compilation() {
    let (client, plain) = (client(), client_with(0));
    // Code of very few operations is not optimised in any case.
    let twice = TWICE.replace("3xf32", "1000xf32");
    let fast = serialize(compile(client, &twice).expect("it")).expect("bytes").len();
    let slow = naming("opt_level", &integer(0));
    let slow = compile_with(client, &twice, &slow).expect("it compiles");
    let [found] = run(slow, &[buffer(client, &[1.5; 1000])]).expect("it runs");
    assert_eq!(read(found), Ok(vec![3.0; 1000]));
    let slow = serialize(slow).expect("bytes").len();
    let wanted = serialize(compile(plain, &twice).expect("it")).expect("bytes").len();
    assert_ne!(fast, slow);
    assert_eq!(slow, wanted);
    assert_eq!(fast, serialize(compile(client, &twice).expect("it")).expect("bytes").len());
}

/// XLA's name for more digits than a type has is obeyed, of one compilation; the default rounds each operation.
#[test]
fn excess_precision_is_that_of_one_compilation() {
    let client = client();
    let squares = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
        %h = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xbf16>
        %p = stablehlo.multiply %h, %h : tensor<3xbf16>
        %d = stablehlo.subtract %p, %h : tensor<3xbf16>
        %r = stablehlo.convert %d : (tensor<3xbf16>) -> tensor<3xf32>
        return %r : tensor<3xf32>
      }";
    let numbers = [1.0234375_f32, 1.5, -1.0078125];
    let compute = |options: &[u8]| {
        let compiled = compile_with(client, squares, options).expect("it compiles");
        let [found] = run(compiled, &[buffer(client, &numbers)]).expect("it runs");
        read(found).expect("numbers")
    };
    let kept = numbers.map(|x| x * x - x).to_vec();
    let rounded = compute(&[]);
    assert_ne!(rounded, kept);
    for name in ["xla_allow_excess_precision", "excess_precision"] {
        assert_eq!(compute(&naming(name, TRUE)), kept);
        assert_eq!(compute(&naming(name, &text("False"))), rounded);
        assert_eq!(compute(&[]), rounded);
        let wrong = compile_with(client, squares, &naming(name, &text("perhaps")));
        assert!(wrong.is_err_and(|(code, _)| code == INVALID_ARGUMENT));
    }
}

#[test]
fn compiled_programs_have_a_text() {
    let client = client();
    let twice = TWICE.replace("return %0", "%1 = stablehlo.negate %0 : tensor<3xf32>\n return %1");
    let compiled = compile(client, &twice).expect("it compiles");
    let loaded = deserialize(client, &serialize(compiled).expect("bytes")).expect("it is loaded");
    for executable in [compiled, loaded] {
        let (format, text) = optimized(executable);
        assert_eq!(format, "mlir");
        assert!(text.contains("stablehlo.negate") && text.contains("tensor<3xf32>"), "{text}");
        // It is a program.
        let again = compile(client, &text).expect(&text);
        let [found] = run(again, &[buffer(client, &[1.0, -0.5, 0.0])]).expect("it runs");
        assert_eq!(read(found), Ok(vec![-2.0, 1.0, -0.0]));
    }
}
