//! `strata tune` on this machine.

use std::{fs, path::Path};

use serde_json::Value;

use super::{DENSE, SOFTMAX};
use crate::command::{Ended, strata};

fn tuned(place: &Path, more: &[&str]) -> Ended {
    let mut arguments = vec!["tune", "p.mlir", "--budget", "4s", "--json"];
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
    let cases: [(&str, &[&str], &str); 5] = [
        (open, &["--max", "d0=8"], "for sizes up to a bound"),
        (devices, &[], "exchanges data with its host or other devices"),
        (DENSE, &["--schedule", "s.json"], "leave --schedule out"),
        (DENSE, &["--target-cpu", "x86-64-v2,x86-64-v3"], "names several processors"),
        (DENSE, &["--total", "4 weeks"], "is not a unit of time"),
    ];
    for (program, more, reason) in cases {
        fs::write(place.join("p.mlir"), program).expect("written");
        let ended = tuned(place, &[more, &["--no-database"]].concat());
        assert!(ended.code > 0 && ended.stderr.contains(reason), "{reason}: {}", ended.stderr);
        assert!(!place.join("p.schedules.json").exists());
    }
}
