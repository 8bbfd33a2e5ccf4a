//! Stages 60 to 80 on IR of stage 50, and what each rejects.

use half::{bf16, f16};
use strata_codegen::{LlvmIr, emit, llvm, llvmir, target};
use strata_diag::{Diagnostic, codes};
use strata_ir::{ElementType, Module, Signature, TensorSpec, new_context, parse, verify};
use strata_options::Options;
use strata_run::Loaded;

fn options(cpu: Option<&str>) -> Options {
    Options::new(target::resolve(None, cpu, None).expect("a known CPU"))
}

/// Runs `use_module` on the module after stage 60.
fn lowered<R>(
    text: &str,
    options: &Options,
    use_module: impl FnOnce(&strata_ir::Context, &Module<'_>) -> Result<R, Diagnostic>,
) -> Result<R, Diagnostic> {
    let context = new_context();
    let mut module = parse(&context, "test.mlir", text.as_bytes()).expect("valid MLIR");
    llvm::run(&context, &mut module, options)?;
    verify(&context, &module, "llvm")?;
    llvm::check(&module, options)?;
    use_module(&context, &module)
}

fn translated(text: &str, options: &Options) -> Result<LlvmIr, Diagnostic> {
    lowered(text, options, |context, module| llvmir::translate(context, module, options))
}

/// A program of one input and one output that applies `body` to each `%x` of `count` elements.
fn elementwise(count: usize, from: &str, to: &str, body: &str) -> String {
    format!(
        "func.func @main(%in: memref<{count}x{from}>, %out: memref<{count}x{to}>, \
         %workspace: memref<0xi8>) attributes {{strata.entry, \
         strata.inputs = [tensor<{count}x{from}>], strata.outputs = [tensor<{count}x{to}>], \
         strata.workspace_size = 0 : i64}} {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %n = arith.constant {count} : index
           scf.for %i = %c0 to %n step %c1 {{
             %x = memref.load %in[%i] : memref<{count}x{from}>
             {body}
             memref.store %y, %out[%i] : memref<{count}x{to}>
           }}
           return
         }}"
    )
}

fn element(name: &str) -> ElementType {
    match name {
        "bf16" => ElementType::BFloat16,
        "f16" => ElementType::Float(16),
        "f64" => ElementType::Float(64),
        _ => ElementType::Float(32),
    }
}

/// Compiles the elementwise program for the baseline, which has no instruction for any conversion
/// of half precision, and runs it.
fn apply(from: &str, to: &str, body: &str, width: usize, input: &[u8]) -> Vec<u8> {
    let count = input.len() / width;
    let options = options(None);
    let ir = translated(&elementwise(count, from, to, body), &options).expect("compiles");
    let object = emit::object(&ir, &options).expect("an object");
    let spec = |name| TensorSpec::new(vec![count as u64], element(name));
    let signature = Signature {
        entry: "main".into(),
        inputs: vec![spec(from)],
        outputs: vec![spec(to)],
        ..Signature::default()
    };
    let loaded = Loaded::new(&object, &options, &signature).expect("loads");
    let (status, mut outputs) = loaded.call(&[input.to_vec()]).expect("runs");
    assert_eq!(status, 0);
    outputs.remove(0)
}

/// Values around every boundary of the half formats: each of their values, its neighbours among
/// the floats, and the midpoints to the next one.
fn interesting_floats() -> Vec<f32> {
    let halves = (0..=u16::MAX).step_by(7).map(|bits| f16::from_bits(bits).to_f32());
    let brains = (0..=u16::MAX).step_by(7).map(|bits| bf16::from_bits(bits).to_f32());
    halves
        .chain(brains)
        .flat_map(|value| {
            let bits = value.to_bits();
            [
                bits,
                bits ^ 1,
                bits.wrapping_add(1 << 12),
                bits.wrapping_add((1 << 12) + 1),
                bits.wrapping_add(1 << 15),
                bits.wrapping_sub(1),
            ]
        })
        .map(f32::from_bits)
        .collect()
}

/// Bits that must agree; NaNs agree with each other.
fn same_halves(found: &[u8], expected: impl Iterator<Item = u16>, is_nan: fn(u16) -> bool) {
    for (index, (found, expected)) in found.chunks_exact(2).zip(expected).enumerate() {
        let found = u16::from_le_bytes([found[0], found[1]]);
        let agree = found == expected || (is_nan(found) && is_nan(expected));
        assert!(agree, "element {index}: {found:#06x}, expected {expected:#06x}");
    }
}

fn is_nan_f16(bits: u16) -> bool {
    f16::from_bits(bits).is_nan()
}

fn is_nan_bf16(bits: u16) -> bool {
    bf16::from_bits(bits).is_nan()
}

#[test]
#[cfg(target_arch = "x86_64")]
fn every_f16_widens_exactly() {
    let input: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let found = apply("f16", "f32", "%y = arith.extf %x : f16 to f32", 2, &input);
    for (bits, found) in (0..=u16::MAX).zip(found.chunks_exact(4)) {
        let found = f32::from_le_bytes(found.try_into().expect("four bytes"));
        let expected = f16::from_bits(bits).to_f32();
        let agree = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
        assert!(agree, "{bits:#06x}: {found}, expected {expected}");
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn narrowing_rounds_to_nearest_even() {
    let values = interesting_floats();
    let singles: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    // Just beside the float, where rounding twice goes wrong.
    let beside: Vec<f64> = values
        .iter()
        .flat_map(|value| {
            let bits = f64::from(*value).to_bits();
            [bits, bits.wrapping_add(1), bits.wrapping_sub(1)].map(f64::from_bits)
        })
        .collect();
    let doubles: Vec<u8> = beside.iter().flat_map(|value| value.to_le_bytes()).collect();

    let found = apply("f32", "f16", "%y = arith.truncf %x : f32 to f16", 4, &singles);
    same_halves(&found, values.iter().map(|value| f16::from_f32(*value).to_bits()), is_nan_f16);
    let found = apply("f32", "bf16", "%y = arith.truncf %x : f32 to bf16", 4, &singles);
    same_halves(&found, values.iter().map(|value| bf16::from_f32(*value).to_bits()), is_nan_bf16);
    let found = apply("f64", "f16", "%y = arith.truncf %x : f64 to f16", 8, &doubles);
    same_halves(&found, beside.iter().map(|value| nearest_f16(*value)), is_nan_f16);
    let found = apply("f64", "bf16", "%y = arith.truncf %x : f64 to bf16", 8, &doubles);
    same_halves(&found, beside.iter().map(|value| nearest_bf16(*value)), is_nan_bf16);
}

/// The nearest half, by looking at the candidates on both sides.
fn nearest(value: f64, guess: u16, to_f64: fn(u16) -> f64, overflow: f64) -> u16 {
    if !value.is_finite() || value == 0.0 {
        return guess;
    }
    let sign = if value < 0.0 { 0x8000 } else { 0 };
    if value.abs() >= overflow {
        return guess | sign;
    }
    let magnitude = guess & 0x7FFF;
    let distance = |bits: u16| (to_f64(bits) - value.abs()).abs();
    let candidates = [magnitude.saturating_sub(1), magnitude, magnitude + 1];
    let best = candidates
        .into_iter()
        .filter(|bits| to_f64(*bits).is_finite())
        .min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then((a & 1).cmp(&(b & 1))));
    best.unwrap_or(magnitude) | sign
}

fn nearest_f16(value: f64) -> u16 {
    let guess = f16::from_f32(value as f32).to_bits();
    // Halfway between the largest half and the next power of two.
    if value.abs() >= 65520.0 && value.is_finite() {
        return guess & 0x8000 | 0x7C00;
    }
    if guess & 0x7FFF == 0x7C00 && value.is_finite() {
        return guess & 0x8000 | 0x7BFF;
    }
    nearest(value, guess, |bits| f16::from_bits(bits).to_f64(), 65520.0)
}

fn nearest_bf16(value: f64) -> u16 {
    let guess = bf16::from_f32(value as f32).to_bits();
    let overflow = bf16::MAX.to_f64() * (1.0 + 1.0 / 510.0);
    if guess & 0x7FFF == 0x7F80 && value.is_finite() && value.abs() < overflow {
        return guess & 0x8000 | 0x7F7F;
    }
    nearest(value, guess, |bits| bf16::from_bits(bits).to_f64(), overflow)
}

#[test]
#[cfg(target_arch = "x86_64")]
fn integer_powers_need_no_support_library() {
    let body = "%e = arith.constant -3 : i32\n %y = math.fpowi %x, %e : f64, i32";
    let values = [1.0f64, -2.0, 0.5, 3.0];
    let input: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let found = apply("f64", "f64", body, 8, &input);
    let expected: Vec<u8> = values.iter().flat_map(|value| value.powi(-3).to_le_bytes()).collect();
    assert_eq!(found, expected);
}

/// Calls the memory functions on ranges that overlap by all distances.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_memory_functions_inside_the_object_are_right() {
    let text = r"
        define i32 @model_main(ptr %inputs, ptr %outputs, ptr %workspace, ptr %executor) {
          %in = load ptr, ptr %inputs
          %out = load ptr, ptr %outputs
          %at = load i64, ptr %in
          %n.at = getelementptr i64, ptr %in, i64 1
          %n = load i64, ptr %n.at
          %data = getelementptr i64, ptr %in, i64 2
          %a = call ptr @memcpy(ptr %out, ptr %data, i64 64)
          %middle = getelementptr i8, ptr %out, i64 20
          %target = getelementptr i8, ptr %out, i64 %at
          %b = call ptr @memmove(ptr %target, ptr %middle, i64 %n)
          %end = getelementptr i8, ptr %out, i64 64
          %c = call ptr @memset(ptr %end, i32 300, i64 %n)
          ret i32 0
        }
        declare ptr @memcpy(ptr, ptr, i64)
        declare ptr @memmove(ptr, ptr, i64)
        declare ptr @memset(ptr, i32, i64)
        define i64 @model_main_workspace_size() {
          ret i64 0
        }";
    let options = Options { freestanding: true, ..options(None) };
    let ir = llvmir::parse("memory.ll", text.as_bytes(), &options).expect("valid IR");
    let object = emit::object(&ir, &options).expect("an object");
    assert_eq!(emit::undefined_symbols(&object).expect("an object"), [""; 0]);
    let bytes = |count| TensorSpec::new(vec![count], ElementType::Signed(8));
    let signature = Signature {
        entry: "main".into(),
        inputs: vec![bytes(80)],
        outputs: vec![bytes(96)],
        ..Signature::default()
    };
    let loaded = Loaded::new(&object, &options, &signature).expect("loads");
    let data: Vec<u8> = (1..=64).collect();
    for at in [0usize, 13, 19, 20, 21, 30, 39] {
        for count in [0usize, 1, 7, 16, 25] {
            let mut input = Vec::new();
            input.extend((at as u64).to_le_bytes());
            input.extend((count as u64).to_le_bytes());
            input.extend(&data);
            let mut expected = data.clone();
            expected.copy_within(20..20 + count, at);
            expected.extend(vec![300u32 as u8; count]);
            expected.resize(96, 0);
            let (_, outputs) = loaded.call(&[input]).expect("runs");
            assert_eq!(outputs[0], expected, "{count} bytes to {at}");
        }
    }
}

const NOTHING: &str = "func.func @main(%workspace: memref<0xi8>) attributes {strata.entry, \
    strata.inputs = [], strata.outputs = [], strata.workspace_size = 0 : i64} { return }";

#[test]
fn a_program_of_nothing_compiles() {
    let ir = translated(NOTHING, &options(None)).expect("compiles");
    let object = emit::object(&ir, &options(None)).expect("an object");
    assert_eq!(emit::undefined_symbols(&object).expect("an object"), [""; 0]);
    assert!(ir.text().contains("define noundef i32 @model_main("), "{}", ir.text());
    let assembly = emit::assembly(&ir, &options(None)).expect("assembly");
    assert!(assembly.contains("model_main_workspace_size:"), "{assembly}");
}

#[test]
fn input_that_stage_50_does_not_leave_is_refused() {
    let refused = [
        (NOTHING.replace("strata.entry, ", ""), "no function carries the attribute"),
        (NOTHING.replace("strata.inputs = [], ", ""), "no valid attribute `strata.inputs`"),
        (NOTHING.replace("size = 0", "size = 8"), "not of `strata.workspace_size` bytes"),
        (NOTHING.replace("inputs = []", "inputs = [tensor<f32>]"), "has 1 arguments for 1 inputs"),
        (
            NOTHING
                .replace("inputs = []", "inputs = [tensor<2xf32>]")
                .replace("(%workspace", "(%x: memref<3xf32>, %workspace"),
            "argument 0 is a memref<3xf32>, and should be a tensor<2xf32>",
        ),
    ];
    for (text, reason) in refused {
        let error = translated(&text, &options(None)).expect_err("refused");
        assert_eq!(error.code(), codes::S9002, "{error}");
        assert!(error.reason_text().is_some_and(|text| text.contains(reason)), "{error}");
    }
}

#[test]
fn what_does_not_lower_breaks_the_contract_with_its_name() {
    let text = NOTHING.replace(
        "{ return }",
        "{ %x = tensor.empty() : tensor<2xf32>\n \"test.use\"(%x) : (tensor<2xf32>) -> ()\n return }",
    );
    let context = new_context();
    context.set_allow_unregistered_dialects(true);
    let mut module = parse(&context, "test.mlir", text.as_bytes()).expect("valid MLIR");
    let run = llvm::run(&context, &mut module, &options(None));
    let error = run.and_then(|()| llvm::check(&module, &options(None))).expect_err("left over");
    assert!(matches!(error.code(), code if code == codes::S9002 || code == codes::S9003));
}

#[test]
fn llvm_ir_is_read_with_places_for_its_errors() {
    let error = llvmir::parse("x.ll", b"define i32 @f() {\n  ret banana\n}", &options(None))
        .expect_err("a syntax error");
    assert_eq!(error.code(), codes::S1001);
    assert_eq!(error.location().map(|at| (at.line, at.column)), Some((2, 7)), "{error}");
    assert_eq!(error.reason_text(), Some("expected type"));

    let unterminated = b"define i32 @f(i1 %x) {\n  %y = call i32 @g(i1 %x)\n  ret i32 %y\n}";
    let error = llvmir::parse("x.ll", unterminated, &options(None)).expect_err("no @g");
    assert_eq!(error.code(), codes::S1001, "{error}");

    let elsewhere = b"target triple = \"aarch64-unknown-linux-gnu\"\n";
    let error = llvmir::parse("x.ll", elsewhere, &options(None)).expect_err("another machine");
    assert_eq!(error.code(), codes::S1601);
    assert!(error.hint_text().is_some_and(|hint| hint.contains("--target aarch64")), "{error}");
}

#[test]
fn no_function_has_a_large_stack_frame() {
    let framed = |bytes: usize| {
        let text = format!(
            "define i32 @model_main(ptr %i, ptr %o, ptr %w, ptr %e) {{\n  %a = alloca [{bytes} x i8]\n  \
             store volatile ptr %a, ptr %o\n  ret i32 0\n}}\n\
             define i64 @model_main_workspace_size() {{ ret i64 0 }}\n"
        );
        let ir = llvmir::parse("frame.ll", text.as_bytes(), &options(None)).expect("valid IR");
        emit::object(&ir, &options(None))
    };
    assert!(framed(60_000).is_ok());
    let error = framed(70_000).expect_err("a frame of more than 64 KiB");
    assert!(error.reason_text().is_some_and(|why| why.contains("stack frame size")), "{error}");
}

#[test]
fn debug_info_maps_code_to_lines() {
    let text = elementwise(4, "f32", "f32", "%y = arith.addf %x, %x : f32");
    let with = Options { debug_info: true, ..options(None) };
    let ir = translated(&text, &with).expect("compiles");
    assert!(ir.text().contains("!DILocation(line: 8,"), "{}", ir.text());
    let object = emit::object(&ir, &with).expect("an object");
    let holds = |object: &[u8]| object.windows(11).any(|bytes| bytes == b".debug_line");
    assert!(holds(&object));
    let ir = translated(&text, &options(None)).expect("compiles");
    assert!(!holds(&emit::object(&ir, &options(None)).expect("an object")));
}

#[test]
fn the_exported_functions_of_a_small_program() {
    let text = elementwise(3, "f32", "f32", "%y = arith.negf %x : f32");
    let printed = lowered(&text, &options(None), |_, module| Ok(strata_ir::print(module, false)));
    insta::assert_snapshot!(printed.expect("lowers"));
}
