//! The C header for every element type and shape, read by a C and a C++ compiler.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use strata_codegen::{cxx::cxx_header, header::c_header, rust::rust_module};
use strata_diag::codes;
use strata_ir::{Convention, ElementType, Quantization, Scale, Signature, TensorSpec, WeightsFile};
use strata_options::Options;
use strata_target::Target;

fn spec(element: ElementType, shape: &[u64]) -> TensorSpec {
    TensorSpec::new(shape.to_vec(), element)
}

fn options(name: &str) -> Options {
    Options { name: name.to_owned(), ..Options::new(Target::x86_64_baseline()) }
}

/// One buffer of each element type, including shapes that C cannot express.
fn all_kinds() -> Signature {
    let mut inputs = vec![
        spec(ElementType::Bool, &[]),
        spec(ElementType::Bool, &[3]),
        spec(ElementType::Float(32), &[2, 3, 5]),
        spec(ElementType::Float(64), &[0, 3]),
        spec(ElementType::Float(16), &[7]),
        spec(ElementType::BFloat16, &[1, 7]),
        spec(ElementType::Complex(64), &[]),
        spec(ElementType::Complex(128), &[3]),
        spec(ElementType::Complex(64), &[3, 0]),
        spec(ElementType::SmallFloat("f8E4M3FN"), &[2]),
    ];
    for bits in [2, 4, 8, 16, 32, 64] {
        inputs.push(spec(ElementType::Signed(bits), &[2]));
        inputs.push(spec(ElementType::Unsigned(bits), &[]));
    }
    Signature { entry: "main".into(), outputs: inputs.clone(), inputs, ..Signature::default() }
}

/// Whether a compiler accepts the text without warnings.
fn compiles(compiler: &str, arguments: &[&str], text: &str) {
    let mut child = Command::new(compiler)
        .args(arguments)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the compiler starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("the compiler reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the compiler ends");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{compiler}: {messages}");
}

#[test]
fn a_small_header() {
    let signature = Signature {
        entry: "main".into(),
        inputs: vec![spec(ElementType::Float(32), &[4, 784])],
        outputs: vec![spec(ElementType::Float(32), &[4, 10])],
        ..Signature::default()
    };
    insta::assert_snapshot!(c_header(&signature, 18432, &[], &options("mlp")).expect("a header"));
}

/// Output 1 may be input 0.
fn donated() -> Signature {
    let square = spec(ElementType::Float(32), &[3, 3]);
    Signature {
        entry: "main".into(),
        inputs: vec![square.clone()],
        outputs: vec![spec(ElementType::Signed(32), &[]), square],
        donations: vec![(1, 0)],
        ..Signature::default()
    }
}

/// Per tensor in, per axis out.
fn quantized() -> Signature {
    let meaning = |axis, scales: &[f64], zero_points: &[i64]| {
        Some(Box::new(Quantization {
            expressed: ElementType::Float(32),
            axis,
            scales: scales.iter().map(|scale| Scale::new(*scale)).collect(),
            zero_points: zero_points.to_vec(),
            min: -128,
            max: 127,
        }))
    };
    let mut signature = Signature {
        entry: "main".into(),
        inputs: vec![spec(ElementType::Signed(8), &[3]), spec(ElementType::Signed(8), &[2])],
        outputs: vec![spec(ElementType::Signed(8), &[3, 2])],
        ..Signature::default()
    };
    signature.inputs[0].quantization = meaning(None, &[0.1], &[-3]);
    signature.outputs[0].quantization = meaning(Some(1), &[0.5, 0.25], &[0, 7]);
    signature
}

#[test]
fn the_meaning_of_quantized_elements_is_declared() {
    let text = c_header(&quantized(), 0, &[], &options("net")).expect("a header");
    for line in [
        "inputs[0]: tensor<3xi8>, 3 bytes of int8_t, which mean f32 numbers: (integer - (-3)) * 0.1\n",
        "inputs[1]: tensor<2xi8>, 2 bytes of int8_t\n",
        "outputs[0]: tensor<3x2xi8>, 6 bytes of int8_t, which mean f32 numbers: (integer - zero point) * scale,\n",
        "each index of dimension 1, in the signature table\n",
        "const strata_quantization *const *quantized_inputs;",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    let module = rust_module(&quantized(), 0, &[], &options("net")).expect("a module");
    for line in [
        "`tensor<3xi8>`, which mean f32 numbers: (integer - (-3)) * 0.1\n",
        "`tensor<3x2xi8>`, which mean f32 numbers: (integer - zero point) * scale, with those of each index of dimension 1\n",
    ] {
        assert!(module.contains(line), "{line} is not in {module}");
    }
}

/// No input but the weights.
fn weighty() -> Signature {
    Signature {
        entry: "main".into(),
        outputs: vec![spec(ElementType::Float(32), &[3])],
        weights: Some(WeightsFile { size: 4096, offset: 192, header_hash: u64::MAX - 1 }),
        ..Signature::default()
    }
}

#[test]
fn donations_and_weights_are_declared() {
    let text = c_header(&donated(), 0, &[], &options("net")).expect("a header");
    assert!(text.contains("outputs[1] may be the same buffer as inputs[0]"), "{text}");
    assert!(
        text.contains("\n    float input0[3][3],"),
        "the caller's buffer may be written: {text}"
    );
    let text = c_header(&weighty(), 0, &[], &options("net")).expect("a header");
    for line in [
        "#define NET_MAIN_WEIGHTS_INPUT 0",
        "#define NET_MAIN_WEIGHTS_SIZE 4096",
        "#define NET_MAIN_WEIGHTS_OFFSET 192",
        "#define NET_MAIN_WEIGHTS_HASH 0xfffffffffffffffeu",
        "static inline int32_t net_main_map_weights(const char *path, const void **weights) {",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    let module = rust_module(&weighty(), 0, &[], &options("net")).expect("a module");
    assert!(module.contains("weights: &[u8],"), "{module}");
}

#[test]
fn a_small_rust_module() {
    let signature = Signature {
        entry: "main".into(),
        inputs: vec![spec(ElementType::Float(32), &[4, 784])],
        outputs: vec![spec(ElementType::Float(32), &[4, 10])],
        ..Signature::default()
    };
    insta::assert_snapshot!(
        rust_module(&signature, 18432, &[], &options("mlp")).expect("a module")
    );
}

#[test]
fn every_element_type_has_a_declaration() {
    let none = Signature { entry: "main".into(), ..Signature::default() };
    let (donated, weighty, quantized) = (donated(), weighty(), quantized());
    let text = [
        ("kinds", &all_kinds()),
        ("none", &none),
        ("kinds", &all_kinds()),
        ("donated", &donated),
        ("weighty", &weighty),
        ("quantized", &quantized),
    ]
    .map(|(name, signature)| c_header(signature, 64, &[], &options(name)).expect("a header"))
    .concat();
    let flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function"];
    let with = |rest: &[&'static str]| [&flags[..], rest].concat();
    compiles("cc", &with(&["-std=c11", "-fsyntax-only", "-x", "c", "-"]), &text);
    compiles("c++", &with(&["-std=c++11", "-fsyntax-only", "-x", "c++", "-"]), &text);
    let foreign = [("outside".to_owned(), Convention::Status)];
    let classes = [("kinds", all_kinds(), &[][..]), ("weighty", weighty, &foreign)]
        .map(|(name, signature, foreign)| cxx_header(&signature, 64, foreign, &options(name)))
        .map(|text| text.expect("a header"))
        .concat();
    compiles("c++", &with(&["-std=c++20", "-fsyntax-only", "-x", "c++", "-"]), &classes);
    let module = rust_module(&all_kinds(), 64, &[], &options("kinds")).expect("a module");
    let arguments = ["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Dwarnings"];
    // Into a folder: rustc replaces what `-o` names, and for root that would be a device, too.
    let folder = ["--out-dir", env!("CARGO_TARGET_TMPDIR"), "-"];
    compiles("rustc", &[&arguments[..], &folder].concat(), &module);
}

#[test]
fn declarations_follow_shapes() {
    let text = c_header(&all_kinds(), 0, &[], &options("kinds")).expect("a header");
    for line in [
        "const uint8_t *input0,",
        "const float input2[2][3][5],",
        "const double *input3,",
        "const uint16_t input5[1][7],",
        "const float input6[2],",
        "const double input7[3][2],",
        "const float *input8,",
        "const int8_t input10[2],",
        "uint64_t *output21,",
        "#define KINDS_MAIN_WORKSPACE_SIZE 0",
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
}

#[test]
fn a_name_that_is_not_an_identifier_is_refused() {
    let signature = all_kinds();
    for name in ["", "7", "a.b"] {
        let error = c_header(&signature, 0, &[], &options(name)).expect_err("no identifier");
        assert_eq!(error.code(), codes::S0001);
        assert!(rust_module(&signature, 0, &[], &options(name)).is_err());
    }
}
