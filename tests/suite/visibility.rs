//! Symbols of objects that a shared library does not export.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use crate::command::strata;

/// Adds a number, for any number of rows, with a second entry and a constant that is a weight.
fn program(number: &str) -> String {
    let weights: Vec<String> = (0..512).map(|at| format!("{at}.0")).collect();
    format!(
        "func.func public @main(%x: tensor<?xf32> loc(\"x\")) -> tensor<?xf32> {{\n  \
           %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n  \
           %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n  \
           %c = stablehlo.constant dense<{number}> : tensor<f32>\n  \
           %b = stablehlo.dynamic_broadcast_in_dim %c, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>\n  \
           %0 = stablehlo.add %x, %b : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}}\n\
         func.func public @fixed(%x: tensor<512xf32>) -> tensor<512xf32> {{\n  \
           %w = stablehlo.constant dense<[{}]> : tensor<512xf32>\n  \
           %0 = stablehlo.add %x, %w : tensor<512xf32>\n  return %0 : tensor<512xf32>\n}}\n",
        weights.join(", ")
    )
}

/// The ways to compile it, each with the symbols that the object defines for others.
const WAYS: &[(&[&str], &[&str])] = &[
    (
        &["--entry", "main"],
        &[
            "",
            "constraint",
            "constraints",
            "dims",
            "mismatch",
            "symbols",
            "names",
            "output_shapes",
            "signature",
            "workspace_size",
        ],
    ),
    (&["--entry", "main", "--bind", "x.0=5"], &["", "names", "signature", "workspace_size"]),
    (&["--entry", "fixed"], &["", "signature", "workspace_size"]),
    (&["--entry", "fixed", "--weights", "external"], &["", "signature", "workspace_size"]),
    (
        &["--entry", "fixed", "--target-cpu", "x86-64,x86-64-v3"],
        &["", "signature", "workspace_size"],
    ),
    (&["--entry", "fixed", "--to", "llvmir"], &["", "signature", "workspace_size"]),
];

fn succeeds(folder: &Path, command: &str, arguments: &[&str]) -> String {
    let ended = Command::new(command).args(arguments).current_dir(folder).output();
    let ended = ended.expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command} {arguments:?}: {said}");
    String::from_utf8(ended.stdout).expect("text")
}

/// The symbols that a file defines for others, each with the visibility that `readelf` prints.
fn defined(folder: &Path, file: &str, table: &str) -> BTreeSet<(String, String)> {
    let listed = succeeds(folder, "readelf", &["--wide", table, file]);
    let row = |line: &str| {
        // Number, value, size, type, binding, visibility, section, name.
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, _, _, _, binding, visibility, section, name] = words[..] else { return None };
        let is_defined = matches!(binding, "GLOBAL" | "WEAK") && section != "UND";
        is_defined.then(|| (name.to_owned(), visibility.to_owned()))
    };
    listed.lines().filter_map(row).collect()
}

#[test]
fn what_an_object_defines_is_hidden_and_everything_else_is_local() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("net.mlir"), program("0.5")).expect("written");
    for (way, symbols) in WAYS {
        let entry = way[1];
        for (visibility, elf) in [("default", "DEFAULT"), ("hidden", "HIDDEN")] {
            let is_ir = way.contains(&"llvmir");
            let output = if is_ir { "net.ll" } else { "net.o" };
            let all =
                ["compile", "net.mlir", "-o", output, "--name", "net", "--visibility", visibility];
            strata(here, &[&all[..], way].concat()).succeeded();
            if is_ir {
                // A dump is compiled as it is.
                let again = ["compile", "net.ll", "--from", "llvmir", "-o", "net.o"];
                strata(here, &again).succeeded();
            }
            let name = |part: &&str| match *part {
                "" => format!("net_{entry}"),
                part => format!("net_{entry}_{part}"),
            };
            let expected: BTreeSet<_> =
                symbols.iter().map(|part| (name(part), elf.to_owned())).collect();
            assert_eq!(defined(here, "net.o", "--symbols"), expected, "{way:?} {visibility}");
        }
    }
}

/// The assembly says so, too, and the header is the same.
#[test]
fn only_symbols_differ() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("net.mlir"), program("0.5")).expect("written");
    for visibility in ["default", "hidden"] {
        let header = format!("{visibility}.h");
        let assembly = format!("{visibility}.s");
        let shared = [
            "compile",
            "net.mlir",
            "--entry",
            "fixed",
            "--name",
            "net",
            "--visibility",
            visibility,
        ];
        let to = ["--emit", "asm", "-o", &assembly, "--header", &header];
        strata(here, &[&shared[..], &to].concat()).succeeded();
    }
    let text = |file: &str| fs::read_to_string(here.join(file)).expect("read");
    assert_eq!(text("default.h"), text("hidden.h"));
    let assembly = text("hidden.s");
    for symbol in ["net_fixed", "net_fixed_signature", "net_fixed_workspace_size"] {
        assert!(assembly.contains(&format!(".hidden\t{symbol}\n")), "{assembly}");
    }
    assert!(!text("default.s").contains(".hidden\tnet_"));
}

/// A large program, whose parts LLVM compiles apart: functions that parts call in each other are local again.
#[test]
fn parts_of_a_large_program_are_local() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let mut lines =
        vec!["func.func public @main(%v0: tensor<32x32xf32>) -> tensor<32x32xf32> {".to_owned()];
    for at in 0..400 {
        let (row, next) = (at % 31 + 1, at + 1);
        lines.push(format!(
            "  %r{at} = stablehlo.slice %v{at} [0:{row}, 0:32] : (tensor<32x32xf32>) -> tensor<{row}x32xf32>\n  \
             %z{at} = stablehlo.constant dense<0.0> : tensor<f32>\n  \
             %s{at} = stablehlo.reduce(%r{at} init: %z{at}) applies stablehlo.add across dimensions = [0] : \
             (tensor<{row}x32xf32>, tensor<f32>) -> tensor<32xf32>\n  \
             %b{at} = stablehlo.broadcast_in_dim %s{at}, dims = [1] : (tensor<32xf32>) -> tensor<32x32xf32>\n  \
             %t{at} = stablehlo.tanh %b{at} : tensor<32x32xf32>\n  \
             %v{next} = stablehlo.dot %t{at}, %v{at} : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>"
        ));
    }
    lines.push("  return %v400 : tensor<32x32xf32>\n}\n".to_owned());
    fs::write(here.join("long.mlir"), lines.join("\n")).expect("written");
    let all = ["compile", "long.mlir", "-o", "long.o", "-O0", "--visibility", "hidden"];
    strata(here, &all).succeeded();
    let expected = ["long_main", "long_main_signature", "long_main_workspace_size"];
    let expected = expected.map(|name| (name.to_owned(), "HIDDEN".to_owned()));
    assert_eq!(defined(here, "long.o", "--symbols"), expected.into());
}

/// Two libraries, each with a model called `net`, in one process: hidden models stay apart.
#[test]
fn plugins_with_models_of_one_name_do_not_meet() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    let write = |file: &str, text: &str| fs::write(here.join(file), text).expect("written");
    write(
        "plugin.c",
        "#include \"net.h\"\n#include <stdlib.h>\n\
         float CALL(void) {\n  \
           const int64_t shape[1] = {3}; const int64_t *shapes[1] = {shape}; int64_t symbols[1];\n  \
           float x[3] = {1, 2, 3}, y[3] = {0}; const void *inputs[1] = {x}; void *outputs[1] = {y};\n  \
           if (net_main_dims(shapes, symbols) != STRATA_OK) return -1;\n  \
           void *workspace = aligned_alloc(NET_MAIN_ALIGNMENT, NET_MAIN_WORKSPACE_SIZE + NET_MAIN_ALIGNMENT);\n  \
           if (net_main(inputs, outputs, workspace, NULL, symbols) != STRATA_OK) return -2;\n  \
           free(workspace);\n  return y[2];\n}\n",
    );
    write(
        "host.c",
        "#include <dlfcn.h>\n#include <stdio.h>\n\
         int main(int count, char **files) {\n  \
           void *first = dlopen(files[1], RTLD_NOW | RTLD_GLOBAL), *second = dlopen(files[2], RTLD_NOW | RTLD_GLOBAL);\n  \
           if (count != 3 || !first || !second) { puts(dlerror()); return 1; }\n  \
           float (*a)(void) = (float (*)(void))dlsym(first, \"call_a\");\n  \
           float (*b)(void) = (float (*)(void))dlsym(second, \"call_b\");\n  \
           if (!a || !b) return 2;\n  printf(\"%g %g\\n\", a(), b());\n  return 0;\n}\n",
    );
    succeeds(here, "cc", &["host.c", "-o", "host", "-ldl"]);
    for (visibility, printed) in [("hidden", "3.5 5\n"), ("default", "3.5 3.5\n")] {
        for (letter, number) in [("a", "0.5"), ("b", "2.0")] {
            write("net.mlir", &program(number));
            let all =
                ["compile", "net.mlir", "--entry", "main", "-o", "net.o", "--header", "net.h"];
            strata(here, &[&all[..], &["--visibility", visibility]].concat()).succeeded();
            let (call, library) = (format!("-DCALL=call_{letter}"), format!("{letter}.so"));
            let link = ["-shared", "-fPIC", &call, "plugin.c", "net.o", "-lm", "-o", &library];
            succeeds(here, "cc", &link);
            let names = defined(here, &library, "--dyn-syms");
            let shown = names.iter().filter(|(name, _)| name.starts_with("net_")).count();
            assert_eq!(shown > 0, visibility == "default", "{names:?}");
        }
        // The second library calls the first one's model where it sees it.
        assert_eq!(succeeds(here, "./host", &["./a.so", "./b.so"]), printed, "{visibility}");
    }
}

#[test]
fn what_is_linked_already_has_no_hidden_symbols() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let here = folder.path();
    fs::write(here.join("net.mlir"), program("0.5")).expect("written");
    for (kind, reason) in [
        ("exe", "--emit exe makes a program"),
        ("shared", "leaves it no symbol to call"),
        ("affine", "from stage `llvmir` on"),
    ] {
        let all = ["compile", "net.mlir", "--entry", "fixed", "--emit", kind, "-o", "out"];
        let ended = strata(here, &[&all[..], &["--visibility", "hidden"]].concat());
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(
            ended.stderr.contains("S0001") && ended.stderr.contains(reason),
            "{}",
            ended.stderr
        );
        assert!(!here.join("out").exists());
    }
    // An archive is linked later.
    let archive = ["compile", "net.mlir", "--entry", "fixed", "--emit", "static", "-o", "libnet.a"];
    strata(here, &[&archive[..], &["--visibility", "hidden"]].concat()).succeeded();
    assert!(defined(here, "libnet.a", "--symbols").iter().all(|(_, elf)| elf == "HIDDEN"));
}
