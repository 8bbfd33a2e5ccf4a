//! Large constants are in memory once: attributes refer to the program's file, and what is written refers to what attributes have.

use std::fs::File;

use strata::Compiler;
use strata_ir::{
    AttributeExt as _, Context, Module, ModuleBytes, Op, TypeExt as _, dense_bytes, dense_owned,
    held_bytes, map_file, module_op, new_context, parse_type, write_bytecode,
};

use crate::harness::options;

/// Elements that differ.
fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at * 7 + at / 251) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn program(literal: &str, ty: &str) -> String {
    format!(
        "module {{\n  func.func public @main() -> {ty} {{\n    %0 = stablehlo.constant {literal} : {ty}\n    return %0 : {ty}\n  }}\n}}\n"
    )
}

/// The only constant.
fn constant<'c>(module: &Module<'c>) -> Op<'c> {
    let function = module_op(module).body(0).first_op().expect("a function");
    function.body(0).first_op().expect("a constant")
}

fn parsed<'c>(context: &'c Context, source: &[u8]) -> Result<Module<'c>, String> {
    strata_vhlo::parse(context, "f.mlir", source).map_err(|errors| errors.to_string())
}

/// The bytes of the constant of a program.
fn elements(source: &str) -> Result<Vec<u8>, String> {
    let context = new_context();
    let module = parsed(&context, source.as_bytes())?;
    let value = constant(&module).attr("value").and_then(|value| value.raw_elements());
    value.ok_or_else(|| "sparse".to_owned())
}

/// MLIR and the library of dialects make the same attribute of the same bytes, in either order.
#[test]
fn an_owner_makes_no_difference() {
    for ty in [
        "tensor<64x32xf32>",
        "tensor<2048xbf16>",
        "tensor<4096xi8>",
        "tensor<4096xi4>",
        "tensor<1024xi32>",
        "tensor<1024xindex>",
        "tensor<512xcomplex<f64>>",
        "vector<1024xi64>",
        "tensor<8192xf8E4M3FN>",
    ] {
        let context = new_context();
        let shaped = parse_type(&context, ty).expect(ty);
        let width = shaped.element().byte_width().expect(ty) as usize;
        let size = shaped.element_count().expect(ty) as usize * width;
        // One, two or all elements equal the first one.
        for equal in [1, 2, size / width] {
            let mut bytes = pattern(size);
            bytes[..equal * width].fill(1);
            bytes.iter_mut().for_each(|byte| *byte &= if ty.contains("i4") { 7 } else { 255 });
            let other: Vec<u8> = bytes.iter().map(|byte| byte ^ 1).collect();
            let owned = dense_owned(shaped, bytes.clone()).expect(ty);
            assert_eq!(dense_bytes(shaped, &bytes), Some(owned), "{ty}");
            assert_eq!(owned.dense_bytes().as_deref(), Some(&bytes[..]), "{ty}");
            assert_eq!(owned.is_splat(), equal > 2, "{ty}");
            let copied = dense_bytes(shaped, &other).expect(ty);
            assert_eq!(dense_owned(shaped, other), Some(copied), "{ty}");
        }
    }
}

#[test]
fn what_is_held_outlives_the_context() {
    let context = new_context();
    let bytes = pattern(8192);
    let (expected, address) = (bytes.clone(), bytes.as_ptr());
    let shaped = parse_type(&context, "tensor<8192xi8>").expect("a type");
    let owned = dense_owned(shaped, bytes).expect("elements");
    let held = held_bytes(owned).expect("bytes");
    assert_eq!(held.as_ptr(), address, "nothing was copied");
    // Equal bytes are there once, in other contexts, too.
    let other = new_context();
    let same = parse_type(&other, "tensor<4096xi16>").expect("a type");
    let same = dense_owned(same, expected.clone()).and_then(held_bytes).expect("bytes");
    assert_eq!(same.as_ptr(), address);
    // What MLIR owns is copied.
    let small = parse_type(&context, "tensor<4xi8>").expect("a type");
    let small = dense_bytes(small, &[1, 2, 3, 4]).and_then(held_bytes);
    drop((context, other));
    assert_eq!(held[..], expected);
    assert_eq!(small.as_deref(), Some(&[1, 2, 3, 4][..]));
}

/// A module goes to another context without its large constants.
#[test]
fn modules_are_passed_on_without_copies() {
    let (context, bytes) = (new_context(), pattern(1 << 20));
    let source = program(&format!("dense<\"0x{}\">", hex(&bytes)), "tensor<262144xf32>");
    let module = parsed(&context, source.as_bytes()).expect("a program");
    let address = |module: &Module<'_>| {
        let value = constant(module).attr("value").expect("elements");
        held_bytes(value).expect("bytes").as_ptr()
    };
    let passed = ModuleBytes::of(&module);
    let other = new_context();
    let again = passed.read(&other, "again").expect("a program");
    assert_eq!(address(&again), address(&module));
    assert_eq!(write_bytecode(&again), write_bytecode(&module));
    drop(passed);
    drop(module);
    drop(context);
    let value = constant(&again).attr("value").expect("elements");
    assert_eq!(value.raw_elements(), Some(bytes));
}

/// Constants of artifacts, of bytecode and of resources are where the file is mapped.
#[test]
fn constants_of_mapped_files_are_not_copied() {
    let bytes = pattern(1 << 20);
    let ty = "tensor<262144xf32>";
    let text = program(&format!("dense<\"0x{}\">", hex(&bytes)), ty);
    let resource = program("dense_resource<w>", ty)
        + &format!(
            "{{-# dialect_resources: {{ builtin: {{ w: \"0x04000000{}\" }} }} #-}}",
            hex(&bytes)
        );
    let context = new_context();
    let module = parsed(&context, text.as_bytes()).expect("a program");
    let artifact = strata_vhlo::write(&context, &module, strata_vhlo::Version::NEWEST);
    let mut forms = vec![write_bytecode(&module), artifact.expect("an artifact")];
    // As MLIR's own tools write it.
    let apart = new_context();
    let stored = strata_ir::Module::parse(&apart, &resource).expect("a program");
    forms.push(write_bytecode(&stored));
    assert_ne!(forms[2], forms[0]);
    for (at, form) in forms.iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        std::fs::write(&path, form).expect("written");
        let mapped = map_file(&File::open(&path).expect("opened")).expect("mapped");
        let context = new_context();
        let module = parsed(&context, mapped).expect("a program");
        let value = constant(&module).attr("value").expect("elements");
        assert_eq!(value.raw_elements().as_ref(), Some(&bytes), "form {at}");
        let held = held_bytes(value).expect("bytes");
        assert!(mapped.as_ptr_range().contains(&held.as_ptr()), "form {at}");
        // The same object from any form.
        let object = |source: &[u8]| {
            let compiler = Compiler::new(options("x86-64-v3"));
            compiler.compile("f.mlir", source).expect("an object").bytes().to_vec()
        };
        assert_eq!(object(mapped), object(text.as_bytes()), "form {at}");
        // Damage is an error as that of bytes that are read.
        let cut = &form[..form.len() / 2];
        let path = folder.path().join("cut");
        std::fs::write(&path, cut).expect("written");
        let mapped = map_file(&File::open(&path).expect("opened")).expect("mapped");
        parsed(&new_context(), mapped).expect_err("half of a program");
    }
}

/// The digits of large literals are read before MLIR is.
#[test]
fn large_literals_are_what_they_say() {
    let bytes = pattern(1 << 19);
    let ty = format!("tensor<{}xbf16>", bytes.len() / 2);
    let literal = |digits: &str| format!("dense<\"0x{digits}\">");
    let text = program(&literal(&hex(&bytes)), &ty);
    assert_eq!(elements(&text), Ok(bytes.clone()));
    assert_eq!(elements(&text.to_lowercase()), Ok(bytes.clone()));
    let bits = program(&literal(&hex(&bytes)), &format!("tensor<{}xi1>", bytes.len() * 8));
    assert_eq!(elements(&bits).map(|bits| bits.len()), Ok(bytes.len() * 8));
    let zeros = program(&literal(&"0".repeat(1 << 20)), &format!("tensor<{}xi8>", 1 << 19));
    assert_eq!(elements(&zeros), Ok(vec![0; 1 << 19]));
    // Two in one text, of which one is a copy.
    let second = format!("%1 = stablehlo.constant {} : {ty}\n    return", literal(&hex(&bytes)));
    assert_eq!(elements(&text.replacen("return", &second, 1)), Ok(bytes));
}

#[test]
fn what_is_wrong_in_large_literals_is_said() {
    let digits = "01".repeat(1 << 19);
    let literal = |digits: &str| format!("dense<\"0x{digits}\">");
    let count = digits.len() / 2;
    for (digits, ty) in [
        (digits.clone(), "tensor<3xi8>".to_owned()),
        (digits.clone(), "tensor<?xi8>".to_owned()),
        (digits.clone(), "tensor<*xi8>".to_owned()),
        (digits.clone(), "tensor<4x!stablehlo.token>".to_owned()),
        (digits.replacen("01", "0g", 1), format!("tensor<{count}xi8>")),
        (format!("{digits}0"), format!("tensor<{count}xi8>")),
        (digits.clone(), format!("tensor<{}xi8>", i64::MAX)),
    ] {
        elements(&program(&literal(&digits), &ty)).expect_err(&ty);
    }
    // A number that stands for nothing, also where there are others.
    for text in [String::new(), program(&literal(&digits), &format!("tensor<{count}xi8>"))] {
        let text = text + &program("#vhlo.numbered<0>", "tensor<2xi8>");
        let error = elements(&text).expect_err("no such elements");
        assert!(error.contains("invalid for provided type"), "{error}");
    }
}
