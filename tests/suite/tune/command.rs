//! `strata tune` on this machine.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{DENSE, DOTS, SOFTMAX};
use crate::command::{Ended, binary, strata};

fn tuned(place: &Path, more: &[&str]) -> Ended {
    let mut arguments = vec!["tune", "p.mlir", "--json"];
    if !more.contains(&"--budget") {
        arguments.extend(["--budget", "4s"]);
    }
    arguments.extend(more);
    strata(place, &arguments)
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(ended.text()).expect("JSON")
}

#[test]
fn a_program_is_tuned_and_known_the_next_time() {
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    fs::write(place.join("p.mlir"), DENSE).expect("written");
    let plan = tuned(place, &["--database", "d.json", "--plan"]).succeeded();
    assert!(plan.stderr.contains("time        4 s for the others at most"), "{}", plan.stderr);
    assert!(!place.join("d.json").exists() && !place.join("p.schedules.json").exists());
    let first = tuned(place, &["--database", "d.json"]).succeeded();
    assert!(!first.stderr.contains("warning"), "{}", first.stderr);
    let found = json(&first);
    assert_eq!(found["nests"].as_array().map(Vec::len), Some(1), "{found}");
    assert!(found["nests"][0]["tried"].as_u64() > Some(0), "{found}");
    assert_eq!(found["nests"][0]["from_database"], false);
    // Other processors than this one may have better schedules or not: the file is one either way.
    let arguments = ["compile", "p.mlir", "--target-cpu", "native", "-o", "p.o"];
    let with = ["--schedule", "p.schedules.json"];
    strata(place, &[&arguments[..], &with].concat()).succeeded();
    let again = tuned(place, &["--database", "d.json"]).succeeded();
    assert_eq!(json(&again)["nests"][0]["from_database"], true);
    let database = fs::read_to_string(place.join("d.json")).expect("a database");
    assert!(database.contains("\"strata_tuning\": 1"), "{database}");
}

/// A program with open sizes is refused with an option that makes it one that is tuned.
#[test]
fn open_sizes_are_refused_with_what_works() {
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    let open = "func.func @main(%x: tensor<?x65xf32>, %w: tensor<65x83xf32>) -> tensor<?x83xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x65xf32>, tensor<65x83xf32>) -> tensor<?x83xf32>
  return %0 : tensor<?x83xf32>
}
";
    fs::write(place.join("p.mlir"), open).expect("written");
    let refused = tuned(place, &["--no-database", "--plan"]);
    assert!(refused.code == 1 && refused.stderr.contains("S1101"), "{}", refused.stderr);
    assert!(refused.stderr.contains("\n1 | func.func"), "no source text: {}", refused.stderr);
    let hint = refused.stderr.split("hint: `").nth(1).and_then(|rest| rest.split('`').next());
    let hint: Vec<&str> = hint.expect("a hint with options").split(' ').collect();
    assert_eq!(hint[0], "--bind", "{}", refused.stderr);
    let plan = tuned(place, &[&["--no-database", "--plan"], &hint[..]].concat()).succeeded();
    assert!(plan.stderr.contains("nests       1"), "{}", plan.stderr);
}

/// What a search has found when it is interrupted after a while, in `place`.
fn interrupted(place: &Path, after: Duration) -> Value {
    fs::write(place.join("p.mlir"), DOTS).expect("written");
    let arguments = ["tune", "p.mlir", "--budget", "60s", "--json", "--database", "d.json"];
    let search = Command::new(binary())
        .args(arguments)
        .current_dir(place)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // To one of the command's two processes, which tells the other one.
    std::thread::sleep(after);
    let number = search.id();
    let sent = Command::new("kill").args(["-INT", &number.to_string()]).status();
    assert!(sent.expect("`kill` runs").success());
    let began = Instant::now();
    let ended = search.wait_with_output().expect("the command ends");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    let stderr = String::from_utf8(ended.stderr).expect("text");
    assert_eq!(ended.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("interrupted: p.schedules.json has"), "{stderr}");
    let found: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(found["interrupted"], true, "{found}");
    found
}

/// An interrupt ends the search early: what it found is kept, and the same command goes on there.
#[test]
fn an_interrupted_search_leaves_what_it_found() {
    // On a busy machine a while may be over before the first schedule is compiled.
    let (folder, found) = [8, 20, 45]
        .into_iter()
        .map(|seconds| {
            let folder = tempfile::tempdir().expect("a folder");
            let found = interrupted(folder.path(), Duration::from_secs(seconds));
            (folder, found)
        })
        .find(|(_, found)| found["nests"][0]["tried"].as_u64() > Some(0))
        .expect("a search that tries something");
    let place = folder.path();
    let nests = found["nests"].as_array().expect("nests");
    assert!(nests[0]["tried"].as_u64() > Some(0) && nests[0]["complete"] == false, "{found}");
    assert_eq!(nests[nests.len() - 1]["reason"], "the search was interrupted", "{found}");
    let arguments = ["compile", "p.mlir", "--target-cpu", "native", "-o", "p.o"];
    strata(place, &[&arguments[..], &["--schedule", "p.schedules.json"]].concat()).succeeded();
    // A search with the same budget goes on, one that is as short as what there was does not.
    let database = fs::read_to_string(place.join("d.json")).expect("a database");
    let database: Value = serde_json::from_str(&database).expect("JSON");
    let seconds = database["nests"][0]["seconds"].as_f64().expect("seconds");
    assert!(seconds < 59.0, "{database}");
    let more = ["--database", "d.json", "--plan"];
    let plan = tuned(place, &[&more[..], &["--budget", "60s"]].concat()).succeeded();
    assert!(plan.stderr.contains("known       0,"), "{}", plan.stderr);
    let plan = tuned(place, &[&more[..], &["--budget", "1s"]].concat()).succeeded();
    assert!(plan.stderr.contains("known       1,"), "{}", plan.stderr);
}

/// What cannot be kept is told, and the search goes on.
#[test]
fn a_database_that_cannot_be_written_or_read_is_told() {
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    fs::write(place.join("p.mlir"), SOFTMAX).expect("written");
    fs::write(place.join("d.json"), "{\"strata_tuning\": 9, \"nests\": []}").expect("written");
    let ended = tuned(place, &["--database", "d.json"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.starts_with("error[S1302]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("version 9"), "{}", ended.stderr);
    // A path that no user can write.
    let full = tuned(place, &["--database", "/dev/full/d.json"]).succeeded();
    assert!(full.stderr.contains("warning[S0003]"), "{}", full.stderr);
    assert_eq!(full.stderr.matches("warning[").count(), 1, "{}", full.stderr);
    assert!(place.join("p.schedules.json").exists());
    let ended = tuned(place, &["--no-database", "-o", "missing/s.json"]);
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("error[S0003]"), "{}", ended.stderr);
}

/// What cannot be tuned is refused with the reason.
#[test]
fn refusals_have_reasons() {
    let place = tempfile::tempdir().expect("a folder");
    let place = place.path();
    let open = "func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {\n  %0 = stablehlo.tanh %x : tensor<?x64xf32>\n  return %0 : tensor<?x64xf32>\n}\n";
    let devices = "module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {\n  func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n    %0 = \"stablehlo.all_reduce\"(%x) ({\n    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n      %1 = stablehlo.add %a, %b : tensor<f32>\n      stablehlo.return %1 : tensor<f32>\n    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<64xf32>) -> tensor<64xf32>\n    return %0 : tensor<64xf32>\n  }\n}\n";
    let apart = "module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {\n  func.func @main(%x: tensor<64xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"}) -> (tensor<64xf32> {mhlo.sharding = \"{devices=[2]<=[2]}\"}) {\n    %0 = stablehlo.tanh %x : tensor<64xf32>\n    return %0 : tensor<64xf32>\n  }\n}\n";
    let cases: [(&str, &[&str], &str); 6] = [
        (open, &["--max", "d0=8"], "for sizes up to a bound"),
        (devices, &[], "the program is for 2 devices"),
        (apart, &[], "the program is for 2 devices"),
        (DENSE, &["--schedule", "s.json"], "leave --schedule out"),
        (DENSE, &["--target-cpu", "x86-64-v2,x86-64-v3"], "names several processors"),
        (DENSE, &["--total", "4 weeks"], "is not a unit of time"),
    ];
    for (program, more, reason) in cases {
        fs::write(place.join("p.mlir"), program).expect("written");
        let ended = tuned(place, &[more, &["--no-database"]].concat());
        assert!(ended.code > 0 && ended.stderr.contains(reason), "{reason}: {}", ended.stderr);
        let plan = tuned(place, &[more, &["--no-database", "--plan"]].concat());
        assert_eq!((plan.code, plan.stderr), (ended.code, ended.stderr), "{reason}");
        assert!(!place.join("p.schedules.json").exists());
    }
}
