//! Crates and CMake projects outside of this workspace that have a program compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use strata_build::{Model, Visibility};

use crate::command::binary;

#[path = "../../examples/template/build.rs"]
#[allow(dead_code)]
mod template;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Adds a number to each element.
fn program(number: &str) -> String {
    format!(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  \
         %0 = stablehlo.constant dense<{number}> : tensor<4xf32>\n  \
         %1 = stablehlo.add %x, %0 : tensor<4xf32>\n  return %1 : tensor<4xf32>\n}}\n"
    )
}

/// Subtracts the sum of the elements from each, for any number of them.
const CENTER: &str = "\
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %sums = stablehlo.dynamic_broadcast_in_dim %sum, %shape, dims = []
      : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %0 = stablehlo.subtract %x, %sums : tensor<?xf32>
  return %0 : tensor<?xf32>
}
";

const MAIN_OF_CENTER: &str = r#"
mod center {
    include!(concat!(env!("OUT_DIR"), "/center.rs"));
}

fn main() {
    let (mut y, mut workspace) = ([0.0; 4], center::Workspace::new());
    let x = [1.0, 2.0, 3.0, 4.0];
    for n in [3, 4] {
        let status = center::center_main(n, &x[..n], &mut y[..n], &mut workspace);
        println!("{status:?} {y:?}");
    }
}
"#;

const MAIN: &str = r#"
mod shift {
    include!(concat!(env!("OUT_DIR"), "/shift.rs"));
}

fn main() {
    let (mut y, mut workspace) = ([0.0; 4], shift::Workspace::new());
    shift::shift_main(&[1.0, 2.0, 3.0, 4.0], &mut y, &mut workspace);
    println!("{y:?}");
}
"#;

fn text(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// Runs it, which has to succeed; gives what it printed.
#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", text(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// `rustc` on a `main.rs` that includes a module of that folder, as Cargo would run it after the build script.
fn linked(folder: &Path, main: &Path, name: &str) -> PathBuf {
    let program = folder.join("program");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024"]).arg(main).arg("-o").arg(&program);
    rustc.arg("-L").arg(folder).args(["-l", &format!("static={name}"), "-l", "m"]);
    succeeds(rustc.env("OUT_DIR", folder));
    program
}

/// The symbols of a library that others see, of all visibilities but `hidden`.
fn visible(library: &Path) -> String {
    let listed = succeeds(Command::new("readelf").args(["--wide", "--symbols"]).arg(library));
    let is_defined = |line: &&str| line.contains(" GLOBAL DEFAULT ") && !line.contains(" UND ");
    listed.lines().filter(is_defined).collect()
}

#[test]
fn the_template_builds_links_and_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = template::model().expect("a program").out_dir(folder.path());
    let compiled = model.target("x86_64-unknown-linux-gnu").compile().expect("a module");
    assert_eq!(compiled.module, folder.path().join("model.rs"));
    assert_eq!(compiled.library, folder.path().join("libmodel.a"));
    let main = Path::new(ROOT).join("examples/template/src/main.rs");
    let printed = succeeds(&mut Command::new(linked(folder.path(), &main, "model")));
    assert_eq!(printed, "means [0.0, 3.5, 7.0, 10.5]\n");
}

#[test]
fn the_library_compiles_files_and_renders_errors() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, main) = (folder.path().join("shift.mlir"), folder.path().join("main.rs"));
    fs::write(&file, program("0.5")).expect("a file");
    fs::write(&main, MAIN).expect("a file");
    let model = Model::new(&file).target("x86_64-unknown-linux-gnu").out_dir(folder.path());
    let compiled = model.clone().compile().expect("a module");
    let first = fs::read(&compiled.library).expect("a library");
    model.clone().compile().expect("a module");
    assert_eq!(first, fs::read(&compiled.library).expect("a library"));
    let printed = succeeds(&mut Command::new(linked(folder.path(), &main, "shift")));
    assert_eq!(printed, "[1.5, 2.5, 3.5, 4.5]\n");

    assert!(visible(&compiled.library).contains("shift_main"));
    model.clone().visibility(Visibility::Hidden).compile().expect("a module");
    assert_eq!(visible(&compiled.library), "");
    let unknown = model.clone().target_cpu("8086").compile().expect_err("no such processor");
    assert!(format!("{unknown:?}").contains("S1602"), "{unknown:?}");
    let level = model.clone().opt_level(4).compile().expect_err("no such level");
    assert!(level.to_string().contains("level 4 is not 0 to 3"), "{level}");
    fs::write(&file, program("0.5").replace("stablehlo.add", "stablehlo.ad")).expect("a file");
    let wrong = format!("{:?}", model.compile().expect_err("no such operation"));
    assert!(wrong.contains("error[S1") && wrong.contains("shift.mlir:3"), "{wrong}");
}

#[test]
fn schedules_are_those_of_the_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name);
    let dot = "func.func @main(%x: tensor<37x65xf32>, %w: tensor<65x99xf32>) -> tensor<37x99xf32> {\n  \
               %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<37x65xf32>, tensor<65x99xf32>) -> tensor<37x99xf32>\n  \
               return %0 : tensor<37x99xf32>\n}\n";
    fs::write(file("dot.mlir"), dot).expect("a file");
    let strata = |arguments: &[&str]| {
        let target = ["--target", "x86_64-unknown-linux-gnu", "--target-cpu", "x86-64-v3"];
        let mut command = Command::new(binary());
        succeeds(command.args(arguments).args(target).current_dir(folder.path()))
    };
    let own = strata(&["schedule", "dot.mlir", "--format", "json"]);
    let at = own.find("\"rows\": ").expect("a tile of registers");
    let rows = own[at + 8..].split(',').next().expect("a number");
    let tuned = own.replacen(&format!("\"rows\": {rows}"), "\"rows\": 3", 1);
    assert!(rows.trim() != "3" && tuned != own, "{own}");
    fs::write(file("tuned.json"), &tuned).expect("a file");
    let told = ["--schedule", "tuned.json", "--name", "dot"];
    strata(&[&["compile", "dot.mlir", "-o", "dot.o"][..], &told].concat());
    let model = Model::new(file("dot.mlir")).target("x86_64-unknown-linux-gnu");
    let model = model.target_cpu("x86-64-v3").out_dir(folder.path());
    let library = |model: &Model| {
        let compiled = model.clone().compile().unwrap_or_else(|error| panic!("{error}"));
        fs::read(compiled.library).expect("a library")
    };
    let object = fs::read(file("dot.o")).expect("an object");
    let holds = |library: &[u8]| library.windows(object.len()).any(|part| part == object);
    assert!(holds(&library(&model.clone().schedule(file("tuned.json")))));
    assert!(!holds(&library(&model)));
    // Without use it changes nothing; one that is wrong is an error, at its place.
    fs::write(file("empty.json"), "{\"strata_schedules\": 1, \"nests\": []}").expect("a file");
    assert_eq!(library(&model.clone().schedule(file("empty.json"))), library(&model));
    fs::write(file("tuned.json"), tuned.replacen("\"rows\": 3", "\"rows\": 38", 1))
        .expect("a file");
    let wrong = model.clone().schedule(file("tuned.json")).compile().expect_err("wrong");
    let wrong = format!("{wrong:?}");
    assert!(wrong.contains("S1302") && wrong.contains("tuned.json:"), "{wrong}");
    let missing = model.schedule(file("none.json")).compile().expect_err("not there");
    assert!(missing.to_string().contains("none.json"), "{missing}");
}

#[test]
fn sizes_up_to_a_bound_are_the_callers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let main = folder.path().join("main.rs");
    fs::write(&main, MAIN_OF_CENTER).expect("a file");
    let model = Model::from_bytes("center", CENTER).target("x86_64-unknown-linux-gnu");
    let model = model.out_dir(folder.path());
    model.clone().max("input0.0", 3).specialize("input0.0", 2).compile().expect("a module");
    let printed = succeeds(&mut Command::new(linked(folder.path(), &main, "center")));
    let refused = "Err(10) [-5.0, -4.0, -3.0, 0.0]\n";
    assert_eq!(printed, format!("Ok(()) [-5.0, -4.0, -3.0, 0.0]\n{refused}"));
    let unknown = model.max("n", 3).compile().expect_err("no such symbol");
    assert!(format!("{unknown:?}").contains("`n`"), "{unknown:?}");
}

/// A crate that has never seen this workspace's configuration, and `cargo` in it.
struct Crate(tempfile::TempDir);

impl Crate {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let dependency =
            Path::new(ROOT).join("crates/strata-build").canonicalize().expect("a crate");
        let manifest = format!(
            "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[build-dependencies]\n\
             strata-build = {{ path = {dependency:?}, default-features = false }}\n\n[workspace]\n"
        );
        let script = "fn main() -> strata_build::Result<()> {\n    strata_build::compile(\"shift.mlir\")?;\n    \
                      let hidden = strata_build::Model::new(\"shift.mlir\").name(\"hidden\");\n    \
                      hidden.visibility(strata_build::Visibility::Hidden).compile()?;\n    \
                      let center = strata_build::Model::new(\"center.mlir\").max(\"input0.0\", 8);\n    \
                      center.specialize(\"input0.0\", 5).compile().map(drop)\n}\n";
        for (name, content) in [
            ("Cargo.toml", manifest.as_str()),
            ("build.rs", script),
            ("src/main.rs", MAIN),
            ("shift.mlir", &program("0.5")),
            ("center.mlir", CENTER),
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        // The versions that are here already.
        fs::copy(Path::new(ROOT).join("Cargo.lock"), folder.path().join("Cargo.lock"))
            .expect("a file");
        Self(folder)
    }

    fn cargo(&self, strata: &Path) -> Output {
        let mut cargo = Command::new("cargo");
        cargo.args(["run", "--offline", "--quiet"]).current_dir(self.0.path());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let is_of_this_build = ["CARGO", "RUST", "LLVM_SYS", "MLIR_SYS", "TABLEGEN", "STRATA"];
            if is_of_this_build.iter().any(|start| name.starts_with(start))
                && !["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"].contains(&name.as_str())
            {
                cargo.env_remove(name);
            }
        }
        cargo.env("STRATA", strata).output().expect("cargo starts")
    }

    /// A library that the build script made.
    fn library(&self, name: &str) -> PathBuf {
        let made = fs::read_dir(self.0.path().join("target/debug/build")).expect("a folder");
        let made = made.map(|entry| entry.expect("an entry").path().join("out"));
        let mut found = made.map(|folder| folder.join(format!("lib{name}.a")));
        found.find(|file| file.is_file()).expect("the library")
    }

    fn change(&self, program: &str) {
        fs::write(self.0.path().join("shift.mlir"), program).expect("a file");
    }
}

#[test]
fn a_crate_outside_follows_its_program() {
    let outside = Crate::new();
    let strata = binary().canonicalize().expect("the command");
    let output = outside.cargo(&strata);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[1.5, 2.5, 3.5, 4.5]\n");
    assert!(visible(&outside.library("shift")).contains("shift_main"));
    assert_eq!(visible(&outside.library("hidden")), "");
    assert!(visible(&outside.library("center")).contains("center_main_constraint"));

    outside.change(&program("2.0"));
    let output = outside.cargo(&strata);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[3.0, 4.0, 5.0, 6.0]\n");

    outside.change(&program("2.0").replace("stablehlo.add", "stablehlo.ad"));
    let output = outside.cargo(&strata);
    let said = text(&output);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("error[S1") && said.contains("shift.mlir:3"), "{said}");

    let output = outside.cargo(Path::new("/no/such/strata"));
    assert!(text(&output).contains("`/no/such/strata` was not run"), "{}", text(&output));
}

/// The CMake package and pkg-config files around the built command, as `scripts/package.sh` lays them.
fn prefix(folder: &Path) -> PathBuf {
    let prefix = folder.join("prefix");
    let packaging = Path::new(ROOT).join("packaging");
    let config = prefix.join("lib/cmake/Strata");
    let include = prefix.join("include/strata");
    for folder in [&config, &prefix.join("bin"), &prefix.join("lib/pkgconfig"), &include] {
        fs::create_dir_all(folder).expect("a folder");
    }
    let headers = Path::new(ROOT).join("include/strata");
    for header in fs::read_dir(headers).expect("the headers") {
        let header = header.expect("a header");
        fs::copy(header.path(), include.join(header.file_name())).expect("a file");
    }
    let filled = |from: &str, to: PathBuf| {
        let template = fs::read_to_string(packaging.join(from)).expect("a template");
        fs::write(to, template.replace("@VERSION@", env!("CARGO_PKG_VERSION"))).expect("a file");
    };
    filled("cmake/StrataConfig.cmake", config.join("StrataConfig.cmake"));
    filled("cmake/StrataConfigVersion.cmake.in", config.join("StrataConfigVersion.cmake"));
    filled("strata.pc.in", prefix.join("lib/pkgconfig/strata.pc"));
    let command = binary().canonicalize().expect("the command");
    std::os::unix::fs::symlink(command, prefix.join("bin/strata")).expect("a link");
    prefix
}

fn cmake(source: &Path, build: &Path, prefix: &Path, options: &[&str]) -> Output {
    Command::new("cmake")
        .args(["-G", "Ninja", "-S"])
        .arg(source)
        .arg("-B")
        .arg(build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()))
        .args(options)
        .output()
        .expect("cmake starts")
}

#[test]
fn cmake_links_a_model_and_follows_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let prefix = prefix(folder.path());
    let (source, build) = (folder.path().join("source"), folder.path().join("build"));
    fs::create_dir(&source).expect("a folder");
    let write = |name: &str, text: &str| fs::write(source.join(name), text).expect("a file");
    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C CXX)\nfind_package(Strata 0.1 REQUIRED)\n\
         strata_add_model(shift-model shift.mlir NAME shift TARGET_CPU x86-64 CXX OPTIONS --freestanding)\n\
         add_executable(p main.cpp)\ntarget_link_libraries(p PRIVATE shift-model)\n",
    );
    write("shift.mlir", &program("0.5"));
    write(
        "main.cpp",
        "#include \"shift.h\"\n#include <cstdio>\nint main() {\n  float x[4] = {1, 2, 3, 4}, y[4];\n  \
         alignas(SHIFT_MAIN_ALIGNMENT) static char workspace[SHIFT_MAIN_WORKSPACE_SIZE + 1];\n  \
         const void *inputs[] = {x};\n  void *outputs[] = {y};\n  \
         int status = shift_main(inputs, outputs, workspace, nullptr);\n  \
         std::printf(\"%d %g %g\\n\", status, y[0], y[3]);\n}\n",
    );
    let configured = cmake(&source, &build, &prefix, &[]);
    assert!(configured.status.success(), "{}", text(&configured));
    let run = || {
        succeeds(Command::new("cmake").arg("--build").arg(&build));
        succeeds(&mut Command::new(build.join("p")))
    };
    assert_eq!(run(), "0 1.5 4.5\n");
    assert!(build.join("strata/shift-model/shift.hpp").is_file());
    write("shift.mlir", &program("2.0"));
    assert_eq!(run(), "0 3 6\n");

    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C)\nfind_package(Strata REQUIRED)\n\
         strata_add_model(m shift.mlir CPU x86-64)\n",
    );
    let refused = cmake(&source, &build, &prefix, &[]);
    assert!(
        !refused.status.success()
            && text(&refused).contains("`CPU` is none of its arguments: NAME,"),
        "{}",
        text(&refused)
    );
    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C)\nfind_package(Strata 0.99 REQUIRED)\n",
    );
    let refused = cmake(&source, &build, &prefix, &[]);
    assert!(!refused.status.success() && text(&refused).contains("0.99"), "{}", text(&refused));
}

/// A project whose models are in a folder of their own, which alone looks for the package.
fn project(folder: &Path, models: &str) -> PathBuf {
    let source = folder.join("source");
    fs::create_dir_all(source.join("models")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(source.join(name), text).expect("a file");
    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES C CXX)\nfind_package(Threads REQUIRED)\n\
         add_subdirectory(models)\nadd_executable(p main.cpp)\n\
         target_link_libraries(p PRIVATE two open Threads::Threads)\n",
    );
    write("models/CMakeLists.txt", &format!("find_package(Strata 0.1 REQUIRED)\n{models}\n"));
    let two = program("0.5").replace("func.func @main", "func.func public @half")
        + &program("2.0").replace("func.func @main", "func.func public @twice");
    write("models/two.mlir", &two);
    fs::copy(Path::new(ROOT).join("examples/open/grid.mlir"), source.join("models/grid.mlir"))
        .expect("a file");
    write(
        "main.cpp",
        "#include \"two.h\"\n#include \"grid.hpp\"\n#include \"strata/threads.h\"\n#include <cstdio>\n#include <vector>\n\
         int main() {\n  \
           strata_pool *pool = strata_pool_create(2);\n  const strata_executor *executor = strata_pool_executor(pool);\n  \
           float x[4] = {1, 2, 3, 4}, y[4], z[4];\n  \
           alignas(64) static char workspace[TWO_HALF_WORKSPACE_SIZE + TWO_TWICE_WORKSPACE_SIZE + 1];\n  \
           const void *inputs[] = {x};\n  void *first[] = {y}, *second[] = {z};\n  \
           if (two_half(inputs, first, workspace, executor) != STRATA_OK) return 1;\n  \
           if (two_twice(inputs, second, workspace, executor) != STRATA_OK) return 2;\n  \
           grid_main_program grid;\n  std::vector<float> a(14, 2.0f), b(14, 3.0f), c(14);\n  \
           if (grid(2, 7, a, b, c, executor) != STRATA_OK) return 3;\n  \
           std::vector<float> l(9), m(9), n(9);\n  \
           if (grid(1, 9, l, m, n, executor) != STRATA_WRONG_SIZES) return 4;\n  \
           strata_pool_destroy(pool);\n  std::printf(\"%g %g %g\\n\", y[3], z[3], c[13]);\n}\n",
    );
    source
}

#[test]
fn cmake_takes_lists_sizes_and_visibility() {
    for models in [
        "strata_add_model(two two.mlir ENTRY half twice TARGET_CPU x86-64 x86-64-v3 VISIBILITY hidden)\n\
         strata_add_model(open grid.mlir NAME grid CXX TARGET_CPU x86-64 MAX x.1=8 x.0=5 SPECIALIZE x.1=7 ALSO x.1=6)",
        "set(cpus x86-64 x86-64-v3)\n\
         strata_add_model(two two.mlir ENTRY half,twice TARGET_CPU \"${cpus}\" TARGET_FEATURES +avx VISIBILITY hidden)\n\
         strata_add_model(open grid.mlir CXX NAME grid TARGET_CPU x86-64 MAX x.1=8,x.0=5 OPT_LEVEL 1\n  \
         OPTIONS --tasks never)",
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (prefix, build) = (prefix(folder.path()), folder.path().join("build"));
        let source = project(folder.path(), models);
        let configured = cmake(&source, &build, &prefix, &[]);
        assert!(configured.status.success(), "{}", text(&configured));
        succeeds(Command::new("cmake").arg("--build").arg(&build));
        assert_eq!(succeeds(&mut Command::new(build.join("p"))), "4.5 6 9\n", "{models}");
        let seen = visible(&build.join("models/libtwo.a"));
        assert_eq!(seen, "", "{models}");
        assert!(visible(&build.join("models/libopen.a")).contains("grid_main_dims"), "{models}");
    }
    // All sizes have values.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (prefix, build) = (prefix(folder.path()), folder.path().join("build"));
    let models = "strata_add_model(open grid.mlir NAME grid TARGET_CPU x86-64 BIND x.0=2 x.1=7)";
    let source = project(folder.path(), models);
    let file = source.join("CMakeLists.txt");
    let lists = fs::read_to_string(&file).expect("a file");
    fs::write(&file, lists.split("add_executable").next().expect("a start")).expect("a file");
    let configured = cmake(&source, &build, &prefix, &[]);
    assert!(configured.status.success(), "{}", text(&configured));
    succeeds(Command::new("cmake").arg("--build").arg(&build));
    let header = build.join("models/strata/open/grid.h");
    let header = fs::read_to_string(header).expect("a header");
    assert!(header.contains("x[2][7]"), "{header}");
}

#[test]
fn cmake_names_what_is_wrong() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (prefix, build) = (prefix(folder.path()), folder.path().join("build"));
    for (arguments, reason) in [
        ("CPU x86-64", "`CPU` is none of its arguments: NAME,"),
        ("CXX NAME", "NAME has no value"),
        ("NAME 3d", "NAME `3d` is not a C identifier"),
        ("OPT_LEVEL 4", "OPT_LEVEL `4` is not 0 to 3"),
        ("VISIBILITY none", "VISIBILITY `none` is neither `default` nor `hidden`"),
        ("MAX s 64", "MAX `s` is not SYMBOL=SIZE, such as `b=8`"),
        ("BIND b=8 s=x", "BIND `s=x` is not SYMBOL=SIZE"),
        ("SPECIALIZE b=1 CXX2", "SPECIALIZE `CXX2` is not SYMBOL=SIZE"),
        ("TARGET_CPU x86-64 CPU", "TARGET_CPU `CPU` is not a processor"),
        ("OPTIONS --emit static", "OPTIONS `--emit`: the function sets this option itself"),
        ("OPTIONS --output=x.o", "OPTIONS `--output=x.o`: the function sets"),
    ] {
        let source = project(folder.path(), &format!("strata_add_model(m two.mlir {arguments})"));
        let refused = cmake(&source, &build, &prefix, &[]);
        let said = text(&refused).split_whitespace().collect::<Vec<_>>().join(" ");
        let all = format!("strata_add_model(m): {reason}");
        assert!(!refused.status.success() && said.contains(&all), "{arguments}: {said}");
    }
}

#[test]
fn the_example_of_cmake_runs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (prefix, build) = (prefix(folder.path()), folder.path().join("build"));
    let examples = Path::new(ROOT).join("examples");
    let configured = cmake(&examples.join("cmake"), &build, &prefix, &[]);
    assert!(configured.status.success(), "{}", text(&configured));
    succeeds(Command::new("cmake").arg("--build").arg(&build));
    let arrays = examples.join("models/mlp");
    let mut mlp = Command::new(build.join("mlp"));
    succeeds(mlp.arg(arrays.join("input0.npy")).arg(arrays.join("output0.npy")));
    succeeds(&mut Command::new(build.join("grid")));
}
