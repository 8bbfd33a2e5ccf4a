//! `strata translate`, `opt` and `test`.

use std::fs;

use super::folder;
use crate::command::{strata, strata_with_input};

#[test]
fn translation_there_and_back_changes_nothing() {
    let here = folder();
    let arguments = ["translate", "sum.mlir", "--to", "bytecode", "-o", "sum.mlirbc"];
    strata(here.path(), &arguments).succeeded();
    let bytecode = fs::read(here.path().join("sum.mlirbc")).expect("read");
    assert!(bytecode.starts_with(b"ML\xefR"));
    let text = |path: &str| {
        let ended = strata(here.path(), &["translate", path, "--to", "text"]).succeeded();
        ended.text().to_owned()
    };
    assert_eq!(text("sum.mlirbc"), text("sum.mlir"));
}

#[test]
fn opt_runs_passes_over_each_part() {
    let here = folder();
    let text =
        "func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  return %a : i32\n}\n";
    let two = format!("{text}// -----\n{text}");
    let arguments = ["opt", "--split-input-file", "--pass-pipeline", "func.func(canonicalize)"];
    let ended = strata_with_input(here.path(), &arguments, two.as_bytes()).succeeded();
    assert_eq!(ended.text().matches("func.func @f").count(), 2);
    assert!(!ended.text().contains("arith.addi"), "{}", ended.text());
}

#[test]
fn opt_applies_patterns_by_name() {
    let here = folder();
    let text = "func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {\n  \
                %0 = stablehlo.transpose %a, dims = [0] : (tensor<3xf32>) -> tensor<3xf32>\n  \
                return %0 : tensor<3xf32>\n}\n";
    let patterns = strata(here.path(), &["list", "patterns"]).succeeded();
    let line = patterns.text().lines().find(|line| line.ends_with("stablehlo.transpose"));
    let names = patterns.text().lines().filter(|line| line.contains("stablehlo.transpose"));
    assert!(line.is_some(), "{}", patterns.text());
    let mut arguments = vec!["opt"];
    for name in names {
        arguments.extend(["--pattern", name.split(' ').next().expect("a name")]);
    }
    let ended = strata_with_input(here.path(), &arguments, text.as_bytes()).succeeded();
    assert!(!ended.text().contains("stablehlo.transpose"), "{}", ended.text());
    assert!(ended.stderr.contains(": applied 1\n"), "{}", ended.stderr);
    let ended = strata_with_input(here.path(), &["opt", "--pattern", "nothing"], text.as_bytes());
    assert_eq!(ended.code, 2);
}

#[test]
fn opt_compares_errors_with_comments() {
    let here = folder();
    let text = "// expected-error@+1 {{expected ','}}\n\
                %0 = stablehlo.add %a %a : tensor<3xf32>\n// -----\nfunc.func @f() { return }\n";
    let check = |text: &str| {
        let arguments = ["opt", "--split-input-file", "--verify-diagnostics"];
        strata_with_input(here.path(), &arguments, text.as_bytes())
    };
    check(text).succeeded();
    let wrong = check(&text.replace("@+1", "@+2"));
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.contains("error[S1901]"), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("error[S1001]"), "{}", wrong.stderr);
}

#[test]
fn test_counts_cases_in_its_last_line() {
    let here = folder();
    let case = |expected: i32| {
        format!(
            "func.func @main() {{\n  %a = stablehlo.constant dense<2> : tensor<i32>\n  \
             check.expect_eq_const %a, dense<{expected}> : tensor<i32>\n  return\n}}\n"
        )
    };
    fs::create_dir(here.path().join("cases")).expect("made");
    let write = |name: &str, text: String| {
        fs::write(here.path().join("cases").join(name), text).expect("written");
    };
    write("right.mlir", case(2));
    write("mixed.mlir", case(2) + "// -----\n" + &case(3));
    let ended = strata(here.path(), &["test", "cases"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert_eq!(ended.text().lines().last(), Some("2 passed, 1 failed, 0 skipped"));
    assert!(ended.text().contains("FAILED cases/mixed.mlir (case 2)"), "{}", ended.text());

    let ended = strata(here.path(), &["test", "--json", "cases/right.mlir"]).succeeded();
    let lines: Vec<serde_json::Value> =
        ended.text().lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert_eq!(lines[0]["outcome"], "passed");
    assert_eq!(lines[1]["passed"], 1);
}

#[test]
fn test_runs_compiled_code_too_and_catches_a_wrong_expectation() {
    let here = folder();
    let case = |expected: &str| {
        format!(
            "func.func @main() {{\n  \
             %a = stablehlo.constant dense<[0.5, 1.0, 1.5]> : tensor<3xf32>\n  \
             %0 = stablehlo.add %a, %a : tensor<3xf32>\n  \
             check.expect_eq_const %0, dense<{expected}> : tensor<3xf32>\n  return\n}}\n"
        )
    };
    fs::write(here.path().join("right.mlir"), case("[1.0, 2.0, 3.0]")).expect("written");
    fs::write(here.path().join("wrong.mlir"), case("[1.0, 2.0, 4.0]")).expect("written");
    for engine in ["eval", "compiled", "both"] {
        let ended = strata(here.path(), &["test", "--engine", engine, "right.mlir"]).succeeded();
        assert_eq!(ended.text().lines().last(), Some("1 passed, 0 failed, 0 skipped"), "{engine}");
        let ended = strata(here.path(), &["test", "--engine", engine, "wrong.mlir"]);
        assert_eq!(ended.code, 1, "{engine}: {}", ended.stderr);
        assert_eq!(ended.text().lines().last(), Some("0 passed, 1 failed, 0 skipped"), "{engine}");
    }
}
