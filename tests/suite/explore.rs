//! `strata explore`: what the page holds, and the page in a browser.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use strata::{Compiler, Options, Stage, Target};
use strata_diag::codes;
use strata_explore::{Exploration, Explore as _, explore};

use crate::command::strata;

/// Two nests with functions that are found again in assembly, and what becomes no code.
const PROGRAM: &str = r#"
func.func @main(%x: tensor<37x19xf32>, %w: tensor<19x64xf32>) -> tensor<37x64xf32> {
  %0 = stablehlo.sqrt %x : tensor<37x19xf32> loc("jit(f)/first/sqrt"("f.py":3:7))
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<37x19xf32>, tensor<19x64xf32>) -> tensor<37x64xf32> loc("jit(f)/first/dot"("f.py":4:7))
  %2 = stablehlo.divide %1, %1 : tensor<37x64xf32> loc("jit(f)/second/div"(callsite("g"("f.py":9:5) at "f"("f.py":5:1))))
  %3 = stablehlo.sine %2 : tensor<37x64xf32> loc("jit(f)/second/sin"("f.py":6:7))
  return %2 : tensor<37x64xf32>
}
"#;

/// Functions that are called once and several times, whose operations have no places.
const FUNCTIONS: &str = r#"
func.func public @main(%x: tensor<37x19xf32>) -> tensor<37x19xf32> {
  %0 = call @once(%x) : (tensor<37x19xf32>) -> tensor<37x19xf32> loc("f"("f.py":3:8))
  %1 = call @twice(%0) : (tensor<37x19xf32>) -> tensor<37x19xf32> loc("f"("f.py":4:8))
  %2 = call @twice(%1) : (tensor<37x19xf32>) -> tensor<37x19xf32> loc("f"("f.py":5:8))
  return %2 : tensor<37x19xf32>
}
func.func private @once(%x: tensor<37x19xf32>) -> tensor<37x19xf32> {
  %0 = stablehlo.sqrt %x : tensor<37x19xf32> loc("sqrt")
  return %0 : tensor<37x19xf32>
}
func.func private @twice(%x: tensor<37x19xf32>) -> tensor<37x19xf32> {
  %0 = stablehlo.sine %x : tensor<37x19xf32> loc("sin")
  return %0 : tensor<37x19xf32>
}
"#;

#[test]
fn operations_of_functions_have_the_places_of_their_calls() {
    let found = explored(FUNCTIONS);
    let frame = |line| serde_json::json!([["f", "f.py", line, 8]]);
    let operation = |at: usize| &found.index()["operations"][at];
    assert_eq!(operation(3)["frames"], frame(3), "{}", operation(3));
    assert_eq!(operation(3)["callers"], serde_json::json!([0]));
    // At which of two is not known.
    assert_eq!(operation(4)["frames"], serde_json::json!([]), "{}", operation(4));
    assert_eq!(operation(4)["callers"], serde_json::json!([1, 2]));
    assert_eq!(operation(0)["frames"], frame(3));
    let nests = found.index()["nests"].as_array().expect("a list").len();
    let calls: Vec<_> = (0..nests).flat_map(|at| &found.remarks().nests[at].calls).collect();
    assert!([0, 1, 2].iter().all(|call| calls.contains(&call)), "{calls:?}");
}

/// What is in the region of an operation has its number, and places of its own.
#[test]
fn operations_with_regions_have_their_own_places() {
    let text = r#"
func.func @main(%x: tensor<37xf32>) -> tensor<37xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> loc("lt"("f.py":9:1))
    stablehlo.return %1 : tensor<i1> loc("lt"("f.py":10:1))
  }) {dimension = 0 : i64} : (tensor<37xf32>) -> tensor<37xf32> loc("sort"("f.py":3:8))
  return %0 : tensor<37xf32>
}
"#;
    let found = explored(text);
    let frames = &found.index()["operations"][0]["frames"];
    assert_eq!(*frames, serde_json::json!([["sort", "f.py", 3, 8]]));
}

fn options() -> Options {
    let target = strata_codegen::target::resolve(None, Some("x86-64-v3"), None);
    Options { name: "test".into(), ..Options::new(target.expect("a known CPU")) }
}

#[track_caller]
fn explored(program: &str) -> Exploration {
    explore(&options(), "test.mlir", program.as_bytes()).expect("compiles")
}

/// The operations with this name, by position.
fn named(found: &Exploration, name: &str) -> BTreeSet<usize> {
    let operations = found.index()["operations"].as_array().expect("a list");
    let is_it = |(_, one): &(usize, &Value)| one["name"] == name;
    operations.iter().enumerate().filter(is_it).map(|(at, _)| at).collect()
}

/// The lines of a stage with a word, and what each comes from.
fn lines(found: &Exploration, stage: Stage, word: &str) -> Vec<(String, BTreeSet<usize>)> {
    let (text, of) = found.stage(stage).expect("the stage ran");
    assert_eq!(text.lines().count(), of.len(), "{stage}");
    let all = text.lines().map(str::to_owned).zip(of);
    all.filter(|(line, _)| line.contains(word)).collect()
}

#[test]
fn lines_of_every_stage_come_from_the_operations_that_they_compute() {
    let found = explored(PROGRAM);
    let words: [(Stage, [&str; 3]); 9] = [
        (Stage::Input, ["stablehlo.sqrt", "stablehlo.dot_general", "stablehlo.divide"]),
        (Stage::Hlo, ["stablehlo.sqrt", "stablehlo.dot_general", "stablehlo.divide"]),
        (Stage::Linalg, ["math.sqrt", "linalg.matmul", "arith.divf"]),
        (Stage::Schedule, ["math.sqrt", "math.fma", "arith.divf"]),
        (Stage::Affine, ["math.sqrt", "math.fma", "arith.divf"]),
        (Stage::Vector, ["math.sqrt", "math.fma", "arith.divf"]),
        (Stage::Llvm, ["llvm.intr.sqrt", "llvm.intr.fma", "llvm.fdiv"]),
        (Stage::LlvmIr, ["@llvm.sqrt", "@llvm.fma", "fdiv"]),
        (Stage::Asm, ["sqrt", "fmadd", "vdiv"]),
    ];
    let names = ["stablehlo.sqrt", "stablehlo.dot_general", "stablehlo.divide"];
    for (stage, words) in words {
        for (word, name) in words.into_iter().zip(names) {
            // Calls and declarations of functions are of all.
            let is_code = |line: &str| !line.starts_with("declare") && !line.contains("func");
            let all = lines(&found, stage, word);
            let all: Vec<_> = all.into_iter().filter(|(line, _)| is_code(line)).collect();
            assert!(!all.is_empty(), "no {word} in {stage}");
            let known = all.iter().filter(|(_, of)| *of == named(&found, name)).count();
            // LLVM merges equal instructions of several places.
            assert!(known * 10 >= all.len() * 9, "{stage}, {word}: {all:?}");
            let wrong =
                all.iter().find(|(_, of)| !of.is_empty() && of.is_disjoint(&named(&found, name)));
            assert_eq!(wrong, None, "{stage}, {word}");
        }
    }
    // An operation without code has no line after stage `hlo`.
    for stage in [Stage::Linalg, Stage::Vector, Stage::Asm] {
        let (_, of) = found.stage(stage).expect("the stage ran");
        assert!(of.iter().all(|of| of.is_disjoint(&named(&found, "stablehlo.sine"))), "{stage}");
    }
}

#[test]
fn places_are_those_of_the_program_with_their_callers() {
    let found = explored(PROGRAM);
    let operations = &found.index()["operations"];
    assert_eq!(operations[0]["frames"], serde_json::json!([["jit(f)/first/sqrt", "f.py", 3, 7]]));
    assert_eq!(
        operations[2]["frames"],
        serde_json::json!([["g", "f.py", 9, 5], ["f", "f.py", 5, 1]])
    );
    assert_eq!(operations[2]["label"], "jit(f)/second/div");
    assert_eq!(operations[3]["fate"], "removed: unused");
    assert_eq!(found.files(), &BTreeSet::from(["f.py".to_owned()]));
}

/// Locations and attributes whose text looks like other locations, like regions, and like debug information.
#[test]
fn texts_in_names_do_not_mislead() {
    let names = [
        r#"a\" loc(\"b\":1:2) {"#,
        "} loc(#loc1)",
        "^bb0: loc(",
        ", !dbg !7",
        r"\5C\22 {",
        "#loc = loc(unknown)",
    ];
    let operation = |(at, name): (usize, &&str)| {
        let from = at.checked_sub(1).map_or("%x".to_owned(), |before| format!("%{before}"));
        format!(
            "  %{at} = stablehlo.sqrt {from} {{mhlo.hint = \"{name}\"}} : tensor<2xf32> loc(\"{name}\"(\"{name}.py\":{}:1))\n",
            at + 1
        )
    };
    let body: String = names.iter().enumerate().map(operation).collect();
    let last = names.len() - 1;
    let found = explored(&format!(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n{body}  return %{last} : tensor<2xf32>\n}}\n"
    ));
    for stage in [Stage::Input, Stage::Hlo] {
        let of: Vec<_> =
            lines(&found, stage, "stablehlo.sqrt").into_iter().map(|(_, of)| of).collect();
        let expected: Vec<_> = (0..names.len()).map(|at| BTreeSet::from([at])).collect();
        assert_eq!(of, expected, "{stage}");
        let (text, of) = found.stage(stage).expect("the stage ran");
        let others = text.lines().zip(of).filter(|(line, _)| !line.contains("stablehlo.sqrt"));
        assert!(
            others.clone().count() >= 4 && others.clone().all(|(_, of)| of.is_empty()),
            "{text}"
        );
        // The attributes stay as they are.
        assert!(text.contains(r#""} loc(#loc1)""#), "{text}");
    }
    let plain = [
        "a\" loc(\"b\":1:2) {",
        "} loc(#loc1)",
        "^bb0: loc(",
        ", !dbg !7",
        "\\\" {",
        "#loc = loc(unknown)",
    ];
    for (at, name) in plain.into_iter().enumerate() {
        let frame = serde_json::json!([[name, format!("{name}.py"), at + 1, 1]]);
        assert_eq!(found.index()["operations"][at]["frames"], frame);
        assert_eq!(found.index()["operations"][at]["label"], name);
    }
}

/// Instructions and labels of assembly.
fn code(text: &str) -> Vec<&str> {
    let is_code = |line: &&str| match line.strip_prefix('\t') {
        Some(line) => !line.starts_with(['.', '#']),
        None => line.starts_with(".LBB") || line.starts_with("test_"),
    };
    // A comment may name a variable of the IR.
    let plain =
        text.lines().filter(is_code).map(|line| line.split('#').next().unwrap_or(line).trim_end());
    plain.collect()
}

/// Following operations down to assembly changes no instruction.
#[rstest::rstest]
fn the_code_is_that_of_a_compilation(#[files("programs/*/input.mlir")] path: PathBuf) {
    let program = fs::read(&path).expect("a program");
    let compile = || Compiler::new(options()).to(Stage::Asm).compile("test.mlir", &program);
    let Ok(plain) = compile() else { return };
    let found = explore(&options(), "test.mlir", &program).expect("compiles");
    let (text, _) = found.stage(Stage::Asm).expect("assembly");
    let plain = plain.text().expect("text").to_owned();
    assert!(code(&plain).len() > 5);
    assert!(code(&plain) == code(text), "{}: the code differs", path.display());
    for left in [".loc\t", ".debug_", ".cfi_", ".Ltmp"] {
        assert!(!text.contains(left), "{left} is left");
    }
}

#[test]
fn the_memory_plan_is_that_of_the_object() {
    let found = explored(
        r#"
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}
"#,
    );
    let arena = &found.index()["arena"];
    let numbers =
        |one: &Value| -> [u64; 4] { [0, 1, 2, 3].map(|at| one[at].as_u64().expect("a number")) };
    let temporaries: Vec<_> =
        arena["temporaries"].as_array().expect("a list").iter().map(numbers).collect();
    assert!(temporaries.len() >= 3, "{arena}");
    let bytes = arena["bytes"].as_u64().expect("a number");
    let end = temporaries.iter().map(|[offset, size, ..]| offset + size).max();
    assert!(end <= Some(bytes), "{end:?} of {bytes}");
    for (at, [offset, size, first, last]) in temporaries.iter().enumerate() {
        for [other, other_size, other_first, other_last] in &temporaries[at + 1..] {
            let shares = offset < &(other + other_size) && other < &(offset + size);
            let overlaps = first <= other_last && other_first <= last;
            assert!(!shares || !overlaps, "{arena}");
        }
    }
    let live = |point: &u64| -> u64 {
        let live = temporaries.iter().filter(|[_, _, first, last]| first <= point && point <= last);
        live.map(|[_, size, ..]| size).sum()
    };
    let peak = temporaries.iter().map(|[_, _, first, _]| live(first)).max();
    assert_eq!(peak, arena["peak"].as_u64());
    // Each is first written by the operation whose result it is; of the third nest, which equals the first, only the nest is known.
    let makers: Vec<_> = arena["temporaries"].as_array().expect("a list").iter().collect();
    let of = |nest: u64, operations: &[u64]| {
        makers.iter().any(|one| {
            one[4] == serde_json::json!([nest]) && one[5] == serde_json::json!(operations)
        })
    };
    assert!(of(0, &[0]) && of(1, &[1]) && of(2, &[]), "{arena}");
}

#[test]
fn costs_of_operations_are_those_of_the_survey() {
    let program = r#"
func.func @main(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<5x7xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %z = stablehlo.exponential %y : tensor<5x7xf32>
      %s = stablehlo.add %z, %x : tensor<5x7xf32>
      stablehlo.return %n, %s : tensor<i32>, tensor<5x7xf32>
    }
  return %0#1 : tensor<5x7xf32>
}
"#;
    let found = explored(program);
    let survey = strata::survey(&options(), "test.mlir", program.as_bytes()).expect("surveyed");
    let total = survey.costs.total();
    let costs = found.index()["costs"].as_array().expect("a list");
    let sum = |at: usize| costs.iter().filter_map(|one| one[at].as_u64()).sum::<u64>();
    assert_eq!([sum(1), sum(2), sum(3)], [total.flops, total.transcendentals, total.bytes]);
    assert_eq!(total.transcendentals, 3 * 35);
    let exponential: Vec<_> = named(&found, "stablehlo.exponential").into_iter().collect();
    let own = costs.iter().find(|one| one[0] == serde_json::json!(exponential)).expect("its cost");
    assert_eq!(own[2], 105);
}

#[test]
fn an_artifact_with_its_program_is_explored() {
    let compiler = || Compiler::new(options());
    let kept =
        compiler().keep_program().compile("test.mlir", PROGRAM.as_bytes()).expect("compiles");
    let page = kept.explore().expect("explored");
    let direct = explored(PROGRAM).with_source("test.mlir", PROGRAM);
    assert_eq!(page.html(), direct.html());
    let plain = compiler().compile("test.mlir", PROGRAM.as_bytes()).expect("compiles");
    assert_eq!(plain.bytes(), kept.bytes());
    let errors = plain.explore().expect_err("nothing to explore");
    let error = errors.iter().next().expect("an error");
    assert_eq!(error.code(), codes::S0001);
    assert!(error.hint_text().is_some_and(|hint| hint.contains("keep_program")));
    let joint =
        Options { versions: vec![Target::x86_64_baseline(), options().target], ..options() };
    assert!(explore(&joint, "test.mlir", PROGRAM.as_bytes()).is_err());
}

/// A program with markup wherever a name may stand, and characters that reverse the text or have no width; what runs of it sets
/// `window.hostile`.
fn hostile() -> String {
    let name = r#"\E2\80\AE\E2\80\8B</script><script>window.hostile = 1</script><img src=x onerror='window.hostile = 2'>]]>-->"#;
    format!(
        r#"
module @"{name}" attributes {{"mhlo.x" = "{name}"}} {{
  func.func @main(%x: tensor<8xf32> loc("{name}")) -> (tensor<8xf32> {{jax.result_info = "{name}"}}) {{
    %0 = stablehlo.sqrt %x {{"hint" = "{name}"}} : tensor<8xf32> loc("{name}/{name}/sqrt"("{name}.py":3:7))
    %1 = call @"{name}"(%0) : (tensor<8xf32>) -> tensor<8xf32> loc("a/{name}"(callsite("{name}"("</title>.py":9:5) at "f.py":5:1)))
    return %1 : tensor<8xf32>
  }}
  func.func private @"{name}"(%x: tensor<8xf32>) -> tensor<8xf32> {{
    %0 = stablehlo.add %x, %x : tensor<8xf32> loc("{name}")
    return %0 : tensor<8xf32>
  }}
}}
"#
    )
}

#[test]
fn names_with_markup_stay_text() {
    let name = "</title><script>window.hostile = 3</script>.mlir";
    let found = explore(&options(), name, hostile().as_bytes()).expect("compiles");
    let html = found.with_source("f.py", "</script><script>window.hostile = 4</script>").html();
    for markup in ["<script>window", "</title><script", "<img src=x"] {
        assert!(!html.contains(markup), "a name is in the page as it is: {markup}");
    }
    assert_eq!(html.matches("<script>").count(), 1, "the page has one script");
    assert!(html.contains("default-src 'none'; script-src 'sha256-"));
    assert!(html.contains("<title>&lt;/title&gt;&lt;script&gt;"));
}

/// The hash that `page/build.mjs` writes into the script.
fn sources_hash(page: &Path) -> String {
    let mut files = vec!["build.mjs", "package-lock.json", "package.json", "tsconfig.json"]
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    let sources = fs::read_dir(page.join("src")).expect("the sources of the page");
    files.extend(sources.map(|entry| {
        let name = entry.expect("an entry").file_name();
        format!("src/{}", name.to_str().expect("a name"))
    }));
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let content = fs::read(page.join(&file)).expect("a source");
        for byte in format!("{file}\n").into_bytes().into_iter().chain(content) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

fn crate_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/strata-explore")
}

#[test]
fn the_bundle_is_the_build_of_its_sources() {
    let script = fs::read_to_string(crate_folder().join("bundle/page.js")).expect("the script");
    let expected = format!("/* sources {} */", sources_hash(&crate_folder().join("page")));
    assert!(
        script.starts_with(&expected),
        "the page's sources have changed: `npm ci && npm run build` in crates/strata-explore/page"
    );
    let lock = fs::read_to_string(crate_folder().join("page/package-lock.json")).expect("the lock");
    assert!(!lock.contains("\"resolved\""), "the lock file names a registry: remove `resolved`");
    let licences =
        fs::read_to_string(crate_folder().join("bundle/licences.txt")).expect("licences");
    for library in ["@codemirror/view", "@dagrejs/dagre", "d3-hierarchy"] {
        assert!(licences.contains(library), "{library}");
    }
    for entry in fs::read_dir(crate_folder().join("page/src")).expect("sources") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a source");
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!text.contains(way), "{}: {way} reads text as markup", path.display());
        }
    }
}

#[test]
fn the_command_writes_a_page_or_says_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(here.join("f.mlir"), PROGRAM).expect("written");
    fs::write(here.join("f.py"), "import jax\n").expect("written");
    let ended = strata(here, &["explore", "f.mlir"]).succeeded();
    assert_eq!(ended.stdout, b"");
    let page = fs::read_to_string(here.join("f.html")).expect("the page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let to_stdout = strata(here, &["explore", "f.mlir", "-o", "-"]).succeeded();
    assert_eq!(to_stdout.text(), page);
    // The same input gives the same page; sources are shown where they are asked for.
    let with = strata(here, &["explore", "f.mlir", "-o", "-", "--sources", "."]).succeeded();
    assert_ne!(with.text(), page);

    let failing = |arguments: &[&str], code: &str, words: &str| {
        let before: BTreeSet<_> = fs::read_dir(here)
            .expect("listed")
            .map(|one| one.expect("an entry").file_name())
            .collect();
        let ended = strata(here, arguments);
        assert_ne!(ended.code, 0, "{arguments:?}");
        assert!(ended.stderr.contains(code) && ended.stderr.contains(words), "{}", ended.stderr);
        let after: BTreeSet<_> = fs::read_dir(here)
            .expect("listed")
            .map(|one| one.expect("an entry").file_name())
            .collect();
        assert_eq!(before, after, "{arguments:?} leaves files");
        assert_eq!(
            fs::read_to_string(here.join("f.html")).expect("the page"),
            page,
            "{arguments:?}"
        );
    };
    failing(&["explore", "f.mlir", "-o", "no/f.html"], "S0003", "create the folder first");
    failing(&["explore", "f.mlir", "-o", "/dev/full"], "S0003", "No space left");
    failing(&["explore", "g.mlir"], "S0002", "f.mlir");
    failing(&["explore", "f.mlir", "-o", "f.mlir"], "S0001", "f.mlir");
    failing(&["explore", "f.mlir", "--sources", "no"], "S0002", "--sources takes a folder");
    failing(&["explore", "f.mlir", "--sources", "f.py"], "S0002", "not a folder");
    failing(
        &["explore", "f.mlir", "--target-cpu", "x86-64-v2,x86-64-v3"],
        "S0001",
        "several processors",
    );
    fs::write(here.join("bad.mlir"), PROGRAM.replace("stablehlo.sqrt", "stablehlo.sqr"))
        .expect("written");
    failing(&["explore", "bad.mlir", "-o", "f.html"], "error[", "bad.mlir:3");
}

/// A program may name any file: only those in the folders of `--sources` are shown.
#[test]
fn sources_are_those_of_the_given_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::create_dir(here.join("own")).expect("made");
    fs::write(here.join("own/f.py"), "the text of f.py\n").expect("written");
    fs::write(here.join("secret.py"), "the text of secret.py\n").expect("written");
    std::os::unix::fs::symlink("../secret.py", here.join("own/link.py")).expect("linked");
    let place = |number: usize, file: &str| {
        format!("  %{number} = stablehlo.add %x, %x : tensor<2xf32> loc(\"{file}\":1:1)\n")
    };
    let outside = here.join("secret.py").display().to_string();
    let files = ["f.py", "../secret.py", "link.py", &outside];
    let places: String =
        files.iter().enumerate().map(|(number, file)| place(number, file)).collect();
    let text = format!(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n{places}  return %0 : tensor<2xf32>\n}}\n"
    );
    fs::write(here.join("p.mlir"), text).expect("written");
    strata(here, &["explore", "p.mlir", "--sources", "own"]).succeeded();
    let page = fs::read_to_string(here.join("p.html")).expect("the page");
    let data = |id: &str| {
        let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect("the element");
        unpacked(rest.split_once('<').expect("its end").0)
    };
    let sources = data("sources");
    let shown: BTreeSet<_> = sources
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["file"].as_str().expect("a name"))
        .collect();
    assert_eq!(shown, BTreeSet::from(["f.py", "p.mlir"]));
    assert!(!sources.to_string().contains("the text of secret.py"));
}

/// Reads a piece of data back, as the page does.
fn unpacked(text: &str) -> Value {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values: Vec<_> =
        text.bytes().filter_map(|byte| digits.bytes().position(|digit| digit == byte)).collect();
    let mut bytes = Vec::new();
    for group in values.chunks(4) {
        let bits =
            group.iter().enumerate().fold(0, |bits, (at, value)| bits | value << (18 - 6 * at));
        bytes.extend((0..group.len() - 1).map(|at| (bits >> (16 - 8 * at)) as u8));
    }
    let mut json = String::new();
    std::io::Read::read_to_string(&mut flate2::read::ZlibDecoder::new(bytes.as_slice()), &mut json)
        .expect("compressed");
    serde_json::from_str(&json).expect("JSON")
}

/// Whether a browser is there; says so where it is not.
fn has_browser() -> bool {
    let tools = ["node", "chromium", "chromedriver"];
    let missing: Vec<_> = tools
        .into_iter()
        .filter(|tool| Command::new(tool).arg("--version").output().is_err())
        .collect();
    if !missing.is_empty() {
        let why = format!(
            "{} is not installed (apt-get install nodejs chromium chromium-driver)",
            missing.join(" and ")
        );
        assert!(env::var_os("STRATA_REQUIRE_BROWSER").is_none(), "{why}");
        eprintln!("not run: {why}");
    }
    missing.is_empty()
}

/// Does what a reader would do with a page, by `page/test/browser.mjs`.
#[track_caller]
pub(crate) fn in_browser(check: &str, page: &Exploration) {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    fs::write(&file, page.html()).expect("written");
    let script = crate_folder().join("page/test/browser.mjs");
    let ended = Command::new("node").arg(script).arg(check).arg(&file).output().expect("node runs");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
    assert!(ended.status.success(), "{said}");
}

#[test]
fn a_reader_finds_operations_in_a_browser() {
    in_browser(
        "whole",
        &explored(PROGRAM).with_source("f.py", "import jax\n\n\ndef f(x, w):\n    pass\n\n\n\n\n"),
    );
}

#[test]
fn markup_in_names_does_not_run_in_a_browser() {
    let name = "\u{202e}</title><script>window.hostile = 3</script>.mlir";
    let found = explore(&options(), name, hostile().as_bytes()).expect("compiles");
    in_browser(
        "hostile",
        &found.with_source("f.py", "\u{202e}import\n</script><script>window.hostile = 4</script>"),
    );
}

#[test]
fn a_large_program_is_folded_in_a_browser() {
    let names = ["add", "subtract", "maximum"];
    let operation = |at: usize| {
        let before = at.checked_sub(1).map_or("%x".to_owned(), |before| format!("%{before}"));
        format!("  %{at} = stablehlo.{} {before}, %x : tensor<4xf32>\n", names[at % 3])
    };
    let body: String = (0..1300).map(operation).collect();
    let text = format!(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n{body}  return %1299 : tensor<4xf32>\n}}\n"
    );
    in_browser("large", &explored(&text));
}
