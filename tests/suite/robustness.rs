//! Whatever comes in: an exit code of ours, a diagnostic, nothing half-written.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::cli::{SUM, folder};
use crate::command::{Ended, binary, strata, strata_with_input};

/// Exit 1 or 2 with a diagnostic: neither a success nor a crash nor a bug of ours.
#[track_caller]
fn is_refused(ended: &Ended, what: &str) {
    assert!(matches!(ended.code, 1 | 2), "{what}: exit {}\n{}", ended.code, ended.stderr);
    assert!(ended.stderr.starts_with("error[S"), "{what}: {}", ended.stderr);
}

#[test]
fn deep_nesting_is_refused() {
    let here = folder();
    for (what, open, middle, close) in [
        ("attributes", "[", "1", "]"),
        ("regions", "module {", "", "}"),
        ("types", "tuple<", "i32", ">"),
        ("locations", "loc(fused[", "unknown", "])"),
        ("open brackets", "(", "", ""),
    ] {
        let inside = open.repeat(50_000) + middle + &close.repeat(50_000);
        let text = match what {
            "attributes" => format!("module attributes {{a = {inside}}} {{}}"),
            "types" => format!("func.func private @f({inside})"),
            "locations" => format!("module {{}} {inside}"),
            _ => inside,
        };
        let ended = strata_with_input(here.path(), &["compile", "-"], text.as_bytes());
        is_refused(&ended, what);
        assert!(ended.stderr.contains("error[S1008]"), "{what}: {}", ended.stderr);
    }
}

#[test]
fn nesting_below_the_limit_is_accepted() {
    let here = folder();
    let (open, close) = ("[".repeat(1000), "]".repeat(1000));
    let text = format!("module attributes {{test.a = {open}{close}}} {{\n{SUM}}}\n");
    strata_with_input(here.path(), &["compile", "-", "--to", "hlo"], text.as_bytes()).succeeded();
}

#[test]
fn transforms_of_other_lengths_than_the_operand_s_are_refused() {
    let here = folder();
    let ty = "tensor<4x6xcomplex<f32>>";
    for (kind, lengths, is_right) in
        [("FFT", "4, 6", true), ("FFT", "6", true), ("FFT", "4", false), ("IFFT", "6, 4", false)]
    {
        let text = format!(
            "func.func public @main(%x: {ty}) -> {ty} {{\n\
             %0 = stablehlo.fft %x, type = {kind}, length = [{lengths}] : ({ty}) -> {ty}\n\
             return %0 : {ty} }}"
        );
        let ended = strata_with_input(here.path(), &["compile", "-", "-o", "o.o"], text.as_bytes());
        if is_right {
            ended.succeeded();
        } else {
            is_refused(&ended, &text);
            assert!(ended.stderr.contains("lengths"), "{}", ended.stderr);
        }
    }
}

#[test]
fn impossible_sizes_are_refused() {
    let here = folder();
    for ty in [
        "tensor<99999999999x999999999xf32>",
        "tensor<9223372036854775807xi8>",
        "tensor<4611686018427387904x4xf64>",
        "tensor<99999999999999999999999xf32>",
    ] {
        for body in [
            format!("func.func public @main(%a: {ty}) -> {ty} {{ return %a : {ty} }}"),
            format!(
                "func.func public @main() -> {ty} {{\n\
                 %a = stablehlo.constant dense<1> : {ty}\nreturn %a : {ty} }}"
            ),
            format!(
                "func.func public @main(%a: tensor<f32>) -> tensor<f32> {{\n\
                 %0 = \"stablehlo.broadcast_in_dim\"(%a) <{{broadcast_dimensions = array<i64>}}> \
                 : (tensor<f32>) -> {ty}\nreturn %a : tensor<f32> }}"
            ),
        ] {
            let ended = strata_with_input(here.path(), &["compile", "-"], body.as_bytes());
            is_refused(&ended, ty);
        }
    }
}

#[test]
fn a_failure_leaves_the_old_output() {
    let here = folder();
    let out = here.path().join("out.o");
    fs::write(&out, "old").expect("written");
    fs::write(here.path().join("bad.mlir"), SUM.replace("%b :", "%c :")).expect("written");
    is_refused(&strata(here.path(), &["compile", "bad.mlir", "-o", "out.o"]), "syntax");
    assert_eq!(fs::read(&out).expect("read"), b"old");

    // The header cannot be written: the folder is missing.
    let ended = strata(here.path(), &["compile", "sum.mlir", "-o", ".", "--header", "sum.h"]);
    is_refused(&ended, "a folder as output");
    assert!(!here.path().join("sum.h").exists());
    let left = fs::read_dir(here.path()).expect("a folder").count();
    assert_eq!(left, 3, "temporary files are left");
}

#[test]
fn outputs_keep_apart_from_the_input_and_each_other() {
    let here = folder();
    std::os::unix::fs::symlink("sum.mlir", here.path().join("link")).expect("linked");
    let before = fs::read_dir(here.path()).expect("a folder").count();
    for (code, arguments) in [
        ("S0001", &["-o", "sum.mlir"][..]),
        ("S0001", &["-o", "link"]),
        ("S0001", &["-o", "sum.o", "--header", "./sum.mlir"]),
        ("S0001", &["-o", "same", "--header", "same"]),
        ("S0001", &["-o", "a.safetensors", "--weights", "external"]),
        ("S0003", &["-o", "sum.o", "--header", "missing/sum.h"]),
        ("S0003", &["-o", "sum.o", "--header", "/proc/sum.h"]),
    ] {
        let ended = strata(here.path(), &[&["compile", "sum.mlir"], arguments].concat());
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(code), "{arguments:?}: {}", ended.stderr);
        assert_eq!(fs::read_to_string(here.path().join("sum.mlir")).expect("read"), SUM);
        assert_eq!(fs::read_dir(here.path()).expect("a folder").count(), before, "{arguments:?}");
    }
    let null = ["compile", "sum.mlir", "-o", "/dev/null", "--header", "/dev/null"];
    strata(here.path(), &null).succeeded();
}

#[test]
fn missing_elements_are_the_program_s_fault() {
    let here = folder();
    let program = |elements: &str| {
        format!(
            "func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n\
             %0 = stablehlo.constant dense_resource<w> : tensor<4xf32>\n\
             %1 = stablehlo.add %x, %0 : tensor<4xf32>\nreturn %1 : tensor<4xf32>\n}}\n{elements}"
        )
    };
    let at_the_end = |bytes: &str| {
        format!("{{-# dialect_resources: {{ builtin: {{ w: \"0x04000000{bytes}\" }} }} #-}}")
    };
    // Sixteen bytes are needed.
    for elements in [String::new(), at_the_end(&"3f".repeat(12)), at_the_end(&"3f".repeat(20))] {
        for arguments in
            [&["compile", "-"][..], &["check", "-"], &["translate", "-", "--to", "text"]]
        {
            let ended = strata_with_input(here.path(), arguments, program(&elements).as_bytes());
            is_refused(&ended, &elements);
            assert!(
                ended.stderr.contains("error[S1005]") && ended.stderr.contains(":2:"),
                "{}",
                ended.stderr
            );
        }
    }
    let whole = program(&at_the_end(&"3f".repeat(16)));
    strata_with_input(here.path(), &["compile", "-", "-o", "sum.o"], whole.as_bytes()).succeeded();
}

#[test]
fn unreadable_inputs_are_refused() {
    let here = folder();
    for path in [".", "missing.mlir", "sum.mlir/inside"] {
        let ended = strata(here.path(), &["compile", path]);
        assert_eq!(ended.code, 2, "{path}: {}", ended.stderr);
        assert!(ended.stderr.contains("error[S0002]"), "{path}: {}", ended.stderr);
    }
    fs::write(here.path().join("magic"), b"ML\xefR").expect("written");
    is_refused(&strata(here.path(), &["compile", "magic"]), "bytecode that ends");
    fs::write(here.path().join("utf16"), b"\xff\xfem\0o\0").expect("written");
    is_refused(&strata(here.path(), &["compile", "utf16"]), "UTF-16");
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

#[test]
fn damaged_programs_never_crash() {
    let here = folder();
    let arguments = ["translate", "sum.mlir", "--to", "bytecode", "-o", "sum.mlirbc"];
    strata(here.path(), &arguments).succeeded();
    let bytecode = fs::read(here.path().join("sum.mlirbc")).expect("read");
    let mut numbers = Numbers(1);
    for source in [SUM.as_bytes().to_vec(), bytecode] {
        for round in 0..25 {
            let mut bytes = source.clone();
            for _ in 0..=numbers.below(3) {
                let at = numbers.below(bytes.len());
                match numbers.below(3) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes[at] = u8::try_from(numbers.below(256)).expect("a byte"),
                    _ => {
                        let from = numbers.below(bytes.len());
                        let piece = bytes[from..(from + 8).min(bytes.len())].to_vec();
                        bytes.splice(at..at, piece);
                    }
                }
            }
            let ended = strata_with_input(here.path(), &["compile", "-", "--to", "hlo"], &bytes);
            assert!(
                matches!(ended.code, 0 | 1),
                "round {round}: exit {}\n{}\n{:?}",
                ended.code,
                ended.stderr,
                String::from_utf8_lossy(&bytes)
            );
        }
    }
}

/// A compilation that is killed while it waits for its program.
#[test]
fn a_killed_compilation_leaves_nothing() {
    let here = folder();
    let temporary = here.path().join("temporary");
    fs::create_dir(&temporary).expect("a folder");
    let mut child = Command::new(binary())
        .args(["compile", "-", "-o", "x.o"])
        .current_dir(here.path())
        .env("TMPDIR", &temporary)
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // Long enough for it to make what it would.
    thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("a process").is_none(), "it waits");
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    assert_eq!(fs::read_dir(&temporary).expect("a folder").count(), 0);
    assert!(!here.path().join("x.o").exists());
}
