//! The names that a program gives its inputs and outputs, from its text to what calls it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::arrays::npy;
use crate::command::strata;

/// Text as JAX writes it, with an argument whose name C does not allow and one without a name.
const PROGRAM: &str = r#"
func.func @main(%arg0: tensor<2xf32> loc("params['W']"), %arg1: tensor<2xf32> loc("float"), %arg2: tensor<2xf32> loc(unknown))
    -> (tensor<2xf32> {jax.result_info = "result['loss']"}, tensor<2xf32> {jax.result_info = "result[\22*/ ä\22]"}) {
  %0 = stablehlo.subtract %arg0, %arg1 : tensor<2xf32>
  %1 = stablehlo.multiply %0, %arg2 : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("step.mlir"), PROGRAM).expect("written");
    for (name, values) in [("w", [5.0_f32, 8.0]), ("f", [1.0, 2.0]), ("g", [3.0, 10.0])] {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let file = npy("<f4", "(2,)", &bytes);
        fs::write(folder.path().join(format!("{name}.npy")), file).expect("written");
    }
    folder
}

/// The arguments for a call with these inputs.
fn call<'a>(command: &'a str, inputs: &[&'a str]) -> Vec<&'a str> {
    let inputs = inputs.iter().flat_map(|input| ["--input", input]);
    [command, "step.mlir"].into_iter().chain(inputs).collect()
}

const RESULTS: &str = "output 0 `result['loss']`: tensor<2xf32>\n[4.0, 6.0]\n\
                       output 1 `result[\"*/ ä\"]`: tensor<2xf32>\n[12.0, 60.0]\n";

#[test]
fn inputs_are_given_by_any_of_their_names() {
    let here = folder();
    for command in ["run", "eval"] {
        for inputs in [
            ["w.npy", "f.npy", "g.npy"],
            ["float=f.npy", "params['W']=w.npy", "input2=g.npy"],
            ["input2=g.npy", "float_2=f.npy", "params_W=w.npy"],
            // What has no name fills what is left, in order.
            ["float=f.npy", "w.npy", "g.npy"],
        ] {
            let ended = strata(here.path(), &call(command, &inputs)).succeeded();
            assert_eq!(ended.text(), RESULTS, "{command} {inputs:?}");
        }
    }
}

#[test]
fn a_file_whose_name_looks_like_one_of_an_input_is_a_file() {
    let here = folder();
    fs::copy(here.path().join("w.npy"), here.path().join("a=b.npy")).expect("copied");
    let ended = strata(here.path(), &call("run", &["a=b.npy", "f.npy", "g.npy"])).succeeded();
    assert_eq!(ended.text(), RESULTS);
}

#[test]
fn wrong_names_are_told() {
    let here = folder();
    for (inputs, reason) in [
        (&["w.npy", "flaot=f.npy", "g.npy"][..], "no input has the name `flaot`"),
        (&["float=f.npy", "float_2=f.npy", "g.npy"], "`float`: tensor<2xf32> is given twice"),
        (&["float=f.npy", "g.npy"], "the program takes 3 inputs, --input gives 2"),
        (&["input3=f.npy", "w.npy", "g.npy"], "no input has the name `input3`"),
    ] {
        let ended = strata(here.path(), &call("run", inputs));
        assert_eq!(ended.code, 2, "{inputs:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("S1801"), "{}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{inputs:?}: {}", ended.stderr);
    }
    let ended = strata(here.path(), &call("run", &["w.npy", "flaot=f.npy", "g.npy"]));
    assert!(ended.stderr.contains("did you mean `float`?"), "{}", ended.stderr);
    let ended = strata(here.path(), &call("run", &["w.npy"]));
    let list = "`params['W']`: tensor<2xf32>, `float`: tensor<2xf32>, `input2`: tensor<2xf32>";
    assert!(ended.stderr.contains(list), "{}", ended.stderr);
}

#[test]
fn archives_hold_inputs_and_outputs_by_name() {
    let here = folder();
    let inputs = call("run", &["w.npy", "f.npy", "g.npy"]);
    for file in ["first.npz", "second.npz"] {
        strata(here.path(), &[&inputs[..], &["--output", file]].concat()).succeeded();
    }
    let bytes = |file: &str| fs::read(here.path().join(file)).expect("read");
    assert_eq!(bytes("first.npz"), bytes("second.npz"));
    let mut archive =
        zip::ZipArchive::new(std::io::Cursor::new(bytes("first.npz"))).expect("a zip");
    let names: Vec<_> = archive.file_names().map(str::to_owned).collect();
    assert_eq!(names, ["result['loss'].npy", "result[\"*/ ä\"].npy"]);
    let member = archive.by_name("result['loss'].npy").expect("the first output");
    let array = npyz::NpyFile::new(member).expect("an array");
    assert_eq!(array.into_vec::<f32>().expect("floats"), [4.0, 6.0]);

    // The same names go in; what is compressed, too.
    let mut writer =
        zip::ZipWriter::new(fs::File::create(here.path().join("in.npz")).expect("made"));
    for (name, file) in [("float", "f.npy"), ("arr_2", "g.npy"), ("params['W']", "w.npy")] {
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(format!("{name}.npy"), options).expect("started");
        std::io::Write::write_all(&mut writer, &bytes(file)).expect("written");
    }
    writer.finish().expect("finished");
    let ended = strata(here.path(), &call("eval", &["in.npz"])).succeeded();
    assert_eq!(ended.text(), RESULTS);

    // A thousand times as large as it looks.
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    writer.start_file("float.npy", options).expect("started");
    std::io::Write::write_all(&mut writer, &vec![0; 64 << 20]).expect("written");
    let bomb = writer.finish().expect("finished").into_inner();
    assert!(bomb.len() < 1 << 20);

    for (content, reason) in [
        (bytes("first.npz"), "no input has the name `result['loss']`"),
        (bytes("first.npz")[..40].to_vec(), "S1804"),
        (b"no archive".to_vec(), "S1804"),
        (bomb, "larger than any input of the program"),
    ] {
        fs::write(here.path().join("bad.npz"), content).expect("written");
        let ended = strata(here.path(), &call("run", &["bad.npz"]));
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(reason), "{}", ended.stderr);
    }
}

#[test]
fn a_single_output_goes_to_a_file_of_one_array() {
    let here = folder();
    let program =
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}";
    fs::write(here.path().join("one.mlir"), program).expect("written");
    let bytes = |file: &str| fs::read(here.path().join(file)).expect("read");
    for command in ["run", "eval"] {
        let one = [command, "one.mlir", "--input", "w.npy", "--output"];
        strata(here.path(), &[&one[..], &["o.npy"]].concat()).succeeded();
        let file = bytes("o.npy");
        let array = npyz::NpyFile::new(&file[..]).expect("an array");
        assert_eq!(array.into_vec::<f32>().expect("floats"), [5.0, 8.0], "{command}");
        fs::remove_file(here.path().join("o.npy")).expect("removed");

        let two = call(command, &["w.npy", "f.npy", "g.npy"]);
        let ended = strata(here.path(), &[&two[..], &["--output", "o.npy"]].concat());
        assert_eq!(ended.code, 2, "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains("`--output o.npz`"), "{command}: {}", ended.stderr);
        assert!(!here.path().join("o.npy").exists(), "{command}");
    }
}

#[test]
fn wrappers_have_the_names_of_the_program() {
    let here = folder();
    let files = ["-o", "step.o", "--header", "step.h", "--rust", "step.rs"];
    strata(here.path(), &[&["compile", "step.mlir"][..], &files].concat()).succeeded();
    let text = |file: &str| fs::read_to_string(here.path().join(file)).expect("read");
    for line in [
        " *   inputs[0] `params['W']`: tensor<2xf32>, 8 bytes of float\n",
        " *   outputs[1] `result[\"* / ä\"]`: tensor<2xf32>, 8 bytes of float\n",
        "    const float params_W[2],\n    const float float_2[2],\n    const float input2[2],\n    \
         float result_loss[2],\n    float result[2],\n",
    ] {
        assert!(text("step.h").contains(line), "{line}\n{}", text("step.h"));
    }
    for line in [
        "/// - `params_W`, `params['W']` in the program: `tensor<2xf32>`\n",
        "    params_W: &[f32; 2],\n    float_2: &[f32; 2],\n    input2: &[f32; 2],\n    \
         result_loss: &mut [f32; 2],\n",
    ] {
        assert!(text("step.rs").contains(line), "{line}\n{}", text("step.rs"));
    }
    // Names of the program are none of Rust's habit, and no reason for a warning.
    let rustc = ["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "step.rs"];
    let checked =
        Command::new("rustc").args(rustc).current_dir(here.path()).output().expect("it starts");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let main = r#"
#include "step.h"
#include <stdio.h>
int main(void) {
  const float w[2] = {5, 8}, f[2] = {1, 2}, g[2] = {3, 10};
  float loss[2], other[2];
  if (step_main_typed(w, f, g, loss, other, 0)) return 1;
  printf("%g %g %g %g\n", loss[0], loss[1], other[0], other[1]);
  const strata_names *names = &step_main_names;
  for (int i = 0; i < names->input_count; i++) printf("<%s>", names->inputs[i]);
  for (int i = 0; i < names->output_count; i++) printf("<%s>", names->outputs[i]);
  return names->version != 1;
}"#;
    fs::write(here.path().join("main.c"), main).expect("written");
    let expected = "4 6 12 60\n<params['W']><float><><result['loss']><result[\"*/ ä\"]>";
    assert_eq!(linked(here.path(), "cc", "main.c"), expected);
    assert_eq!(linked(here.path(), "c++", "main.c"), expected);
}

/// What a program linked to the object prints.
fn linked(folder: &Path, compiler: &str, source: &str) -> String {
    let flags = ["-Wall", "-Werror", "-Wno-deprecated", source, "step.o", "-lm", "-o", "main"];
    let built = Command::new(compiler).args(flags).current_dir(folder).output().expect("it starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.join("main")).output().expect("it starts");
    assert!(ran.status.success());
    String::from_utf8(ran.stdout).expect("text")
}

#[test]
fn names_in_an_edited_dump_break_nothing() {
    let here = folder();
    let dump = ["compile", "step.mlir", "--name", "step", "--to", "affine", "-o", "dump.mlir"];
    strata(here.path(), &dump).succeeded();
    let text = fs::read_to_string(here.path().join("dump.mlir")).expect("read");
    let edited =
        text.replace("params['W']", r"a\0Allvm.func @main()").replace("\"float\"", "7 : i32");
    assert_ne!(text, edited);
    fs::write(here.path().join("dump.mlir"), edited).expect("written");
    let files = ["-o", "step.o", "--header", "step.h", "--name", "step"];
    strata(here.path(), &[&["compile", "dump.mlir", "--from", "affine"][..], &files].concat())
        .succeeded();
    let header = fs::read_to_string(here.path().join("step.h")).expect("read");
    assert!(
        header.contains("    const float input0[2],\n    const float input1[2],\n"),
        "{header}"
    );
}

#[test]
fn names_stay_through_dumps() {
    let here = folder();
    let compile = |arguments: &[&str]| strata(here.path(), arguments).succeeded();
    compile(&["compile", "step.mlir", "-o", "step.o", "--header", "step.h"]);
    for stage in ["linalg", "affine", "llvm"] {
        let dump = format!("{stage}.mlir");
        compile(&["compile", "step.mlir", "--name", "step", "--to", stage, "-o", &dump]);
        let files = ["-o", "again.o", "--header", "again.h", "--name", "step"];
        compile(&[&["compile", &dump, "--from", stage][..], &files].concat());
        for (file, again) in [("step.o", "again.o"), ("step.h", "again.h")] {
            let [first, second] =
                [file, again].map(|name| fs::read(here.path().join(name)).expect("read"));
            assert!(first == second, "{file} from {stage}");
        }
    }
}

/// Names reserved in C headers or Rust, and one that reverses the text direction.
#[test]
fn names_that_mean_something_get_a_number() {
    let here = folder();
    let names =
        ["I", "Ok", "INT32_MAX", "Workspace", "thread_local", "a\u{202E}b", "co_await", "Self"];
    let arguments = names.iter().enumerate();
    let arguments: Vec<_> =
        arguments.map(|(at, name)| format!("%a{at}: tensor<2xf32> loc(\"{name}\")")).collect();
    let program = format!(
        "func.func @main({}) -> tensor<2xf32> {{\n  return %a0 : tensor<2xf32>\n}}",
        arguments.join(", ")
    );
    fs::write(here.path().join("step.mlir"), program).expect("written");
    let files = ["-o", "step.o", "--header", "step.h", "--cxx", "step.hpp", "--rust", "step.rs"];
    strata(here.path(), &[&["compile", "step.mlir"][..], &files].concat()).succeeded();
    for (compiler, arguments, source) in [
        (
            "cc",
            &["-std=c11", "-Werror", "-c", "-xc", "-"][..],
            "#include <complex.h>\n#include <math.h>\n#include \"step.h\"\n",
        ),
        ("c++", &["-std=c++20", "-Werror", "-c", "-xc++", "-"], "#include \"step.hpp\"\n"),
        (
            "rustc",
            &["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "-"],
            "mod step;\npub use step::*;\n",
        ),
    ] {
        let file = here.path().join("given");
        fs::write(&file, source).expect("written");
        // What comes over standard input finds its neighbours in the working folder.
        let mut command = Command::new(compiler);
        command.args(arguments).current_dir(here.path());
        if compiler != "rustc" {
            command.arg("-I.");
        }
        let ended =
            command.stdin(fs::File::open(&file).expect("read")).output().expect("it starts");
        assert!(ended.status.success(), "{compiler}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

/// Compiles the headers and the module of a program as strictly as projects do.
fn strictly_checked(folder: &Path, name: &str) {
    let c =
        "-std=c11 -Wall -Wextra -pedantic -Wcast-qual -Wconversion -Wshadow -Werror -c -xc -I. -";
    let cxx = "-Wall -Wextra -pedantic -Wold-style-cast -Wcast-qual -Wconversion -Wshadow -Werror -c -xc++ -I. -";
    let (cxx17, cxx20) = (format!("-std=c++17 {cxx}"), format!("-std=c++20 {cxx}"));
    let rust = "--edition=2024 --crate-type=lib --emit=metadata -Dwarnings -";
    for (compiler, arguments, source) in [
        ("cc", c, format!("#include \"{name}.h\"\n#include <stdio.h>\n#include <stdlib.h>\n")),
        ("c++", &cxx17, format!("#include \"{name}.h\"\n#include <cstdio>\n#include <cstdlib>\n")),
        ("c++", &cxx20, format!("#include \"{name}.hpp\"\n#include <cstdio>\n")),
        ("rustc", rust, format!("mod {name};\npub use {name}::*;\n")),
    ] {
        let file = folder.join("given");
        fs::write(&file, source).expect("written");
        let mut command = Command::new(compiler);
        command.args(arguments.split(' ')).current_dir(folder);
        let ended =
            command.stdin(fs::File::open(&file).expect("read")).output().expect("it starts");
        assert!(ended.status.success(), "{compiler}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

/// An input called as the function that it is given to hides it where the wrapper calls it.
#[test]
fn names_of_what_the_wrappers_use_get_a_number() {
    let here = folder();
    let names = [
        "step_main",
        "step_main_program",
        "STEP_MAIN_WORKSPACE_SIZE",
        "STEP_MAIN_ALIGNMENT",
        "STRATA_STEP_MAIN_H",
        "STRATA_STEP_MAIN_HPP",
        "STRATA_ABI",
        "int32_t",
        "size_t",
        "strata_executor",
    ];
    let arguments = names.iter().enumerate();
    let arguments: Vec<_> =
        arguments.map(|(at, name)| format!("%a{at}: tensor<2xi32> loc(\"{name}\")")).collect();
    let program = format!(
        "func.func @main({}) -> (tensor<2xi32> {{jax.result_info = \"step_main_typed\"}}) {{\n  return %a0 : tensor<2xi32>\n}}",
        arguments.join(", ")
    );
    fs::write(here.path().join("step.mlir"), program).expect("written");
    let files = ["-o", "step.o", "--header", "step.h", "--cxx", "step.hpp", "--rust", "step.rs"];
    strata(here.path(), &[&["compile", "step.mlir"][..], &files].concat()).succeeded();
    strictly_checked(here.path(), "step");
}

/// Headers of programs that have all that headers can have.
#[test]
fn headers_give_no_warnings() {
    let here = folder();
    let digits = "0000803F".repeat(512);
    let program = format!(
        "func.func @main(%x: tensor<2x256xf32> {{tf.aliasing_output = 0 : i32}} loc(\"x\"), %c: tensor<complex<f32>>, %e: tensor<0xf32>) \
         -> (tensor<2x256xf32>, tensor<complex<f32>>, tensor<f64>) {{
           %w = stablehlo.constant dense<\"0x{digits}\"> : tensor<2x256xf32>
           %n = stablehlo.constant dense<1.0> : tensor<f64>
           %0 = stablehlo.custom_call @class(%x) {{api_version = 2 : i32}} : (tensor<2x256xf32>) -> tensor<2x256xf32>
           %1 = stablehlo.custom_call @mine(%0) {{api_version = 4 : i32}} : (tensor<2x256xf32>) -> tensor<2x256xf32>
           %2 = stablehlo.add %1, %w : tensor<2x256xf32>
           return %2, %c, %n : tensor<2x256xf32>, tensor<complex<f32>>, tensor<f64>
         }}"
    )
    .replace("0000803F0000803F0000803F0000803F0000803F", "0000803F000000400000803F0000803F0000803F");
    fs::write(here.path().join("all.mlir"), program).expect("written");
    let files = ["-o", "all.o", "--header", "all.h", "--cxx", "all.hpp", "--rust", "all.rs"];
    let outside = ["--weights", "external"];
    strata(here.path(), &[&["compile", "all.mlir"][..], &files, &outside].concat()).succeeded();
    let header = fs::read_to_string(here.path().join("all.h")).expect("read");
    assert!(header.contains("all_main_unmap_weights") && header.contains(" class("), "{header}");
    strictly_checked(here.path(), "all");
}

#[test]
fn the_header_for_cxx_says_which_cxx_it_is_for() {
    let here = folder();
    strata(here.path(), &["compile", "step.mlir", "-o", "step.o", "--cxx", "step.hpp"]).succeeded();
    fs::write(here.path().join("main.cpp"), "#include \"step.hpp\"\n").expect("written");
    let arguments = ["-std=c++17", "-c", "main.cpp"];
    let ended = Command::new("c++").args(arguments).current_dir(here.path()).output();
    let ended = ended.expect("it starts");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && text.contains("needs C++20"), "{text}");
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
}

/// As `jax.export` writes a function of open sizes: the entry only finds them out and calls the function that has the names.
/// `SIZES` is what the entry passes on, after the arguments of several platforms.
const SYMBOLIC: &str = r#"
module @jit_f {
  func.func public @main(PLATFORM%arg0: tensor<3xf32> loc(unknown), %arg1: tensor<?x3xf32> {tf.aliasing_output = 2 : i32} loc(unknown))
      -> (tensor<?x3xf32> {jax.result_info = "result['attention'][0]"}, tensor<f32> {jax.result_info = "result['attention'][1]"}, tensor<?x3xf32> {jax.result_info = "result['cache']"}) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.get_dimension_size %arg1, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %1 = stablehlo.compare GE, %0, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %2:3 = call @wrapped(%0, %arg0, %arg1) : (tensor<i32>, tensor<3xf32>, tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<f32>, tensor<?x3xf32>)
    return %2#0, %2#1, %2#2 : tensor<?x3xf32>, tensor<f32>, tensor<?x3xf32>
  }
  func.func private @wrapped(%arg0: tensor<i32> {jax.global_constant = "b"} loc(unknown), %arg1: tensor<3xf32> loc("params['w']"), %arg2: tensor<?x3xf32> {tf.aliasing_output = 2 : i32} loc("frames"))
      -> (tensor<?x3xf32> {jax.result_info = "result['attention'][0]"}, tensor<f32> {jax.result_info = "result['attention'][1]"}, tensor<?x3xf32> {jax.result_info = "result['cache']"}) {
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %0 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.concatenate %0, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %2 = stablehlo.dynamic_broadcast_in_dim %arg1, %1, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
    %3 = stablehlo.multiply %arg2, %2 : tensor<?x3xf32>
    %4 = stablehlo.slice %arg1 [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    %6 = stablehlo.add %3, %arg2 : tensor<?x3xf32>
    return %3, %5, %6 : tensor<?x3xf32>, tensor<f32>, tensor<?x3xf32>
  }
}"#;

/// An export for one platform, and one for several, whose number is the first argument.
fn symbolic() -> [(&'static str, String); 2] {
    let platform =
        "%platform: tensor<i32> {jax.global_constant = \"_platform_index\"} loc(unknown), ";
    [("one", SYMBOLIC.replace("PLATFORM", "")), ("several", SYMBOLIC.replace("PLATFORM", platform))]
}

#[test]
fn an_entry_that_wraps_a_function_has_its_names() {
    let here = folder();
    for (platforms, program) in symbolic() {
        fs::write(here.path().join("step.mlir"), &program).expect("written");
        let several = platforms == "several";
        for sizes in [&[][..], &["--max", "b=4"], &["--bind", "b=4"]] {
            let checked = [&["check", "step.mlir"][..], sizes].concat();
            let ended = strata(here.path(), &checked).succeeded();
            for name in
                ["`params['w']`", "`frames`", "`result['attention'][0]`", "`result['cache']`"]
            {
                let text = ended.text();
                assert!(text.contains(name), "{platforms} {sizes:?} {name}:\n{text}");
            }
            assert_eq!(ended.text().contains("`_platform_index`"), several, "{}", ended.text());
            let files =
                ["-o", "step.o", "--header", "step.h", "--cxx", "step.hpp", "--rust", "step.rs"];
            strata(here.path(), &[&["compile", "step.mlir"][..], sizes, &files].concat())
                .succeeded();
            for file in ["step.h", "step.hpp", "step.rs"] {
                let text = fs::read_to_string(here.path().join(file)).expect("read");
                for name in ["params_w", "frames", "result_attention_0", "result_cache"] {
                    assert!(text.contains(name), "{platforms} {sizes:?} {file} {name}:\n{text}");
                }
                let numbered = ["input0", "input1", "input2", "output0"];
                assert!(!numbered.iter().any(|name| text.contains(name)), "{file}:\n{text}");
            }
            strictly_checked(here.path(), "step");
            let main = "#include \"step.h\"\n#include <stdio.h>\nint main(void) {\n  \
                        const strata_names *names = &step_main_names;\n  \
                        for (int i = 0; i < names->input_count; i++) printf(\"<%s>\", names->inputs[i]);\n  \
                        for (int i = 0; i < names->output_count; i++) printf(\"<%s>\", names->outputs[i]);\n  \
                        return 0;\n}\n";
            fs::write(here.path().join("main.c"), main).expect("written");
            let platform = if several { "<_platform_index>" } else { "" };
            let paths = "<params['w']><frames><result['attention'][0]><result['attention'][1]><result['cache']>";
            assert_eq!(
                linked(here.path(), "cc", "main.c"),
                format!("{platform}{paths}"),
                "{sizes:?}"
            );
            let header = fs::read_to_string(here.path().join("step.h")).expect("read");
            assert!(header.contains("`params['w']`"), "{header}");
        }
    }
}

#[test]
fn arrays_of_a_wrapping_entry_are_found_by_name() {
    let here = folder();
    let write = |name: &str, kind: &str, shape: &str, values: &[f32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        fs::write(here.path().join(name), npy(kind, shape, &bytes)).expect("written");
    };
    write("w.npy", "<f4", "(3,)", &[1.0, 2.0, 3.0]);
    write("x.npy", "<f4", "(2, 3)", &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    write("p.npy", "<i4", "()", &[0.0]);
    for (platforms, program) in symbolic() {
        fs::write(here.path().join("step.mlir"), &program).expect("written");
        for command in ["run", "eval"] {
            for inputs in [
                ["frames=x.npy", "params['w']=w.npy", "_platform_index=p.npy"],
                ["frames=x.npy", "params_w=w.npy", "platform_index=p.npy"],
            ] {
                let inputs = if platforms == "one" { &inputs[..2] } else { &inputs };
                let all = [&call(command, inputs)[..], &["--output", "out.npz"]].concat();
                strata(here.path(), &all).succeeded();
                let bytes = fs::read(here.path().join("out.npz")).expect("read");
                let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("a zip");
                let mut names: Vec<_> = archive.file_names().collect();
                names.sort_unstable();
                let paths = [
                    "result['attention'][0].npy",
                    "result['attention'][1].npy",
                    "result['cache'].npy",
                ];
                assert_eq!(names, paths, "{platforms} {command}");
            }
        }
    }
}

/// The names of the inputs and outputs of a program, as `strata check` has them.
fn checked(program: &str) -> Vec<String> {
    let here = folder();
    fs::write(here.path().join("step.mlir"), program).expect("written");
    let ended = strata(here.path(), &["check", "step.mlir", "--json"]).succeeded();
    let report: serde_json::Value = serde_json::from_str(ended.text()).expect("JSON");
    let lists = ["inputs", "outputs"].map(|key| report[key].as_array().expect("a list").clone());
    lists.concat().iter().map(|one| one["name"].as_str().unwrap_or("-").to_owned()).collect()
}

/// Names follow what is passed on and returned unchanged, through any number of wrappers.
#[test]
fn names_follow_the_data() {
    let wrapped = |main: &str, inner: &str| {
        let ty = "tensor<2xf32>";
        let text = format!("func.func public @main{main}\nfunc.func private @inner{inner}\n");
        checked(
            &text
                .replace(": T", &format!(": {ty}"))
                .replace("(T", &format!("({ty}"))
                .replace(", T", &format!(", {ty}")),
        )
    };
    let inner = "(%a: T loc(\"x['a']\"), %b: T loc(\"b\")) -> (T {jax.result_info = \"result.s\"}, T {jax.result_info = \"result.t\"}) {
        %0 = stablehlo.add %a, %b : T
        return %0, %a : T, T
      }";
    let call = "call @inner(%a, %b) : (T, T) -> (T, T)";
    let main =
        |body: &str| format!("(%a: T loc(unknown), %b: T loc(unknown)) -> (T, T) {{\n{body}\n}}");
    for (main, names) in [
        (
            main(&format!("%0:2 = {call}\nreturn %0#0, %0#1 : T, T")),
            ["x['a']", "b", "result.s", "result.t"],
        ),
        // In another order.
        (
            main("%0:2 = call @inner(%b, %a) : (T, T) -> (T, T)\nreturn %0#1, %0#0 : T, T"),
            ["b", "x['a']", "result.t", "result.s"],
        ),
        // An argument that is changed before, and a result that is changed after.
        (
            main(
                "%n = stablehlo.negate %b : T\n%0:2 = call @inner(%a, %n) : (T, T) -> (T, T)\n%m = stablehlo.negate %0#1 : T\nreturn %0#0, %m : T, T",
            ),
            ["x['a']", "-", "result.s", "-"],
        ),
        // Under two names an argument has none, and what is not passed on has none.
        (
            main("%0:2 = call @inner(%a, %a) : (T, T) -> (T, T)\nreturn %0#0, %0#1 : T, T"),
            ["-", "-", "result.s", "result.t"],
        ),
        // A function that calls two does not wrap either.
        (
            main(&format!("%0:2 = {call}\n%1:2 = {call}\nreturn %0#0, %1#1 : T, T")),
            ["-", "-", "-", "-"],
        ),
        // The entry's own names come first.
        (
            format!(
                "(%a: T loc(\"own\"), %b: T loc(unknown)) -> (T {{jax.result_info = \"result['own']\"}}, T) {{\n%0:2 = {call}\nreturn %0#0, %0#1 : T, T\n}}"
            ),
            ["own", "b", "result['own']", "result.t"],
        ),
    ] {
        assert_eq!(wrapped(&main, inner), names, "{main}");
    }
    let deep = main("%0:2 = call @between(%b, %a) : (T, T) -> (T, T)\nreturn %0#0, %0#1 : T, T");
    let between = format!(
        "{inner}\nfunc.func private @between{}",
        main(&format!("%0:2 = {call}\nreturn %0#0, %0#1 : T, T"))
    );
    assert_eq!(wrapped(&deep, &between), ["b", "x['a']", "result.s", "result.t"]);
}

/// A path of JAX that says no more than the position is a name beside one that does.
#[test]
fn all_results_have_their_paths_or_none() {
    for (infos, names) in [
        (["result[0]", "result[1]"], ["-", "-"]),
        (["result[0]", "result[1]['a']"], ["result[0]", "result[1]['a']"]),
        (["[0].w", "[1]"], ["result[0].w", "result[1]"]),
    ] {
        let program = format!(
            "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {{jax.result_info = \"{}\"}}, tensor<2xf32> {{jax.result_info = \"{}\"}}) {{\n  \
             return %x, %x : tensor<2xf32>, tensor<2xf32>\n}}",
            infos[0], infos[1]
        );
        assert_eq!(checked(&program)[1..], names, "{infos:?}");
    }
}
