//! `strata profile --max`: objects with code for several sizes.

use std::{collections::BTreeSet, fs, process::Command};

use strata::Options;
use strata_diag::codes;
use strata_profile::{Profile, Program, Settings};

use super::{json, options, settings};
use crate::command::strata;

/// A dot on any number of rows, which takes nearly all of the time, and an operation that is the same for all numbers.
const OPEN: &str = r#"
func.func @main(%x: tensor<?x300xf32>, %w: tensor<300x200xf32>, %v: tensor<777xf32>) -> (tensor<?x200xf32>, tensor<777xf32>) {
  %0 = stablehlo.exponential %v : tensor<777xf32> loc("light"("model.py":3:9))
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x300xf32>, tensor<300x200xf32>) -> tensor<?x200xf32> loc("heavy"("model.py":7:9))
  return %1, %0 : tensor<?x200xf32>, tensor<777xf32>
}
"#;

/// With this bound rows are computed in parts.
const MOST: usize = 600;

fn program() -> Program<'static> {
    let max = vec![("input0.0".to_owned(), MOST as i64)];
    let options = Options { open: true, max, ..options("native") };
    Program::compile(&options, "p.mlir", OPEN.as_bytes(), None)
        .unwrap_or_else(|errors| panic!("{}", errors.render()))
}

/// With so many rows of ones.
fn called(program: &Program<'_>, rows: i64, settings: &Settings) -> Profile {
    let shapes = [vec![rows, 300], vec![300, 200], vec![777]];
    let ones = |shape: &Vec<i64>| {
        let count = usize::try_from(shape.iter().product::<i64>()).expect("small");
        1f32.to_le_bytes().repeat(count)
    };
    let inputs: Vec<_> = shapes.iter().map(ones).collect();
    let found = program.measure_at(&shapes, &inputs, settings);
    found.unwrap_or_else(|errors| panic!("{}", errors.render()))
}

/// The versions of which nests have samples.
fn versions(profile: &Profile) -> BTreeSet<&str> {
    let name = |nest: usize| profile.nest_name(nest).split_once(':').expect("a version").0;
    profile.nests.iter().map(|row| name(row.key)).collect()
}

#[test]
fn samples_are_of_the_versions_that_a_call_runs() {
    let program = program();
    // 13 rows are computed as 8, 4 and 1; 16 rows at once.
    for (rows, runs) in
        [(13, &["input0.0=8", "input0.0=4", "input0.0=1"][..]), (16, &["input0.0=16"])]
    {
        for threads in [1, 2] {
            let settings = Settings { threads, ..settings(None) };
            let profile = called(&program, rows, &settings);
            let seen = versions(&profile);
            assert!(seen.iter().all(|one| runs.contains(one)), "{rows}: {seen:?}");
            assert!(seen.contains(runs[0]), "{rows}: {seen:?}");
            let first = &profile.operations[0];
            assert_eq!(profile.operation_name(first.key), "stablehlo.dot_general #1");
            assert!(first.share > 0.6, "{rows}: {}", first.share);
            assert_eq!(profile.place_of(first.key).map(|place| place.line), Some(7));
            let nests = profile.nests_of(first.key);
            assert!(!nests.is_empty(), "{rows}");
            assert!(nests.iter().all(|nest| profile.nests.iter().any(|row| row.key == *nest)));
        }
    }
    // Sizes that the object does not take.
    let shapes = [vec![MOST as i64 + 1, 300], vec![300, 200], vec![777]];
    let inputs = [vec![0; (MOST + 1) * 1200], vec![0; 240_000], vec![0; 3108]];
    let errors = program.measure_at(&shapes, &inputs, &settings(None)).expect_err("too many rows");
    assert_eq!(errors.iter().next().map(|error| error.code()), Some(codes::S1106));
    let errors = program.measure(&inputs, &settings(None)).expect_err("without sizes");
    assert_eq!(errors.iter().next().map(|error| error.code()), Some(codes::S0001));
}

/// What is profiled is the code that `strata compile` makes.
#[test]
fn the_code_of_all_sizes_is_that_of_the_object() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), OPEN).expect("written");
    let max = format!("input0.0={MOST}");
    let arguments = ["compile", "p.mlir", "--max", &max, "--target-cpu", "native"];
    strata(folder.path(), &[&arguments[..], &["-o", "p.o"]].concat()).succeeded();
    let listed = Command::new("nm").args(["-S", "p.o"]).current_dir(folder.path()).output();
    let listed = String::from_utf8(listed.expect("nm runs").stdout).expect("text");
    let of_object: BTreeSet<_> = listed
        .lines()
        .filter_map(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            let [_, size, "t" | "T", name] = words[..] else { return None };
            Some((name.to_owned(), u64::from_str_radix(size, 16).ok()?))
        })
        .collect();
    let program = program();
    let profiled: BTreeSet<_> =
        program.functions().map(|(name, size)| (name.to_owned(), size)).collect();
    assert_eq!(profiled, of_object);
    assert!(of_object.iter().any(|(name, _)| name == "p_main.16"), "{of_object:?}");
}

#[test]
fn the_command_calls_at_the_largest_sizes_or_at_those_of_arrays() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), OPEN).expect("written");
    let arguments = ["profile", "p.mlir", "--max", "input0.0=16", "--time", "0.6", "--no-limits"];
    let ended = strata(folder.path(), &[&arguments[..], &["--json"]].concat()).succeeded();
    let profile = json(ended.text());
    let nests = profile["nests"].as_array().expect("nests");
    let is_largest = |name: &str| name.starts_with("input0.0=16:");
    assert!(!nests.is_empty(), "{profile:#}");
    assert!(nests.iter().all(|nest| nest["name"].as_str().is_some_and(is_largest)), "{profile:#}");
    // Rates need what an operation computes, which is another number in each version.
    assert!(profile["operations"][0]["flops_per_second"].is_null(), "{profile:#}");
    let refused = strata(folder.path(), &["profile", "p.mlir"]);
    assert!(refused.stderr.contains("`--bind input0.0=8`"), "{}", refused.stderr);
    fs::write(folder.path().join("p.json"), ended.text()).expect("written");
    let page = ["explore", "p.mlir", "--bind", "input0.0=16", "--target-cpu", "native"];
    let refused = strata(folder.path(), &[&page[..], &["--profile", "p.json"]].concat());
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("S1809"), "{}", refused.stderr);
    assert!(refused.stderr.contains("all sizes up to a bound"), "{}", refused.stderr);
}
