//! Programs for several devices that are ranks of an MPI program, with each MPI that is installed.

mod launch;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use launch::LIMIT;
pub use launch::{Mpi, installed, text};

use crate::{
    arrays::npy,
    command::{binary, strata},
    device_hosts::{check_fed, write_fed},
    devices::{ALL, SUM, inputs_of_all, module},
};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn source(name: &str) -> PathBuf {
    Path::new(ROOT).join("tests/mpi").join(name)
}

/// The program says that all is right, for numbers of ranks, by messages and by MPI's collective functions.
#[track_caller]
fn runs_right(mpi: &Mpi, name: &str, folder: &Path) {
    let program = mpi.build(&source(name), &[], folder);
    for (ranks, direct) in [(1, "16"), (2, "16"), (4, "1"), (3, "2"), (4, "16")] {
        let number = ranks.to_string();
        let output = mpi.run(ranks, &program, &[&number, direct], folder);
        let said = text(&output);
        let is_right = output.status.success() && said == "right\n";
        assert!(is_right, "{} {ranks} {direct}: {said}", mpi.name);
    }
}

/// Every exchange gives what it should, at once and begun before it is awaited, on sizes around the limits.
#[test]
fn exchanges_are_right() {
    let folder = tempfile::tempdir().expect("a folder");
    for mpi in installed() {
        for name in ["exchanges.c", "overlap.c"] {
            runs_right(&mpi, name, folder.path());
        }
    }
}

/// Rows go where lists say, and no others are sent: of ranks, by messages and in large groups, and of threads.
#[test]
fn rows_that_lists_name_are_moved() {
    let folder = tempfile::tempdir().expect("a folder");
    for mpi in installed() {
        runs_right(&mpi, "rows.c", folder.path());
    }
    let threads = folder.path().join("threads");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-O1", "-DTHREADS", "-pthread", "-I"]);
    compiler.arg(Path::new(ROOT).join("include")).arg(source("rows.c")).arg("-o").arg(&threads);
    assert!(compiler.status().expect("a compiler").success());
    for devices in ["1", "2", "3", "5"] {
        let output = Command::new(&threads).arg(devices).output().expect("it runs");
        assert_eq!(text(&output), "right\n", "{devices}");
    }
}

/// Lists of rows that are not there end all ranks with a status, and all threads; nothing is written.
#[test]
fn rows_that_are_not_there_end_all_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    for mpi in installed() {
        let program = mpi.build(&source("rows.c"), &["-DLACKING"], folder.path());
        for (ranks, direct) in [(1, "16"), (2, "16"), (3, "16"), (4, "2")] {
            let output = mpi.run(ranks, &program, &[&ranks.to_string(), direct], folder.path());
            // An MPI may say beside that messages were left.
            let said = text(&output);
            let is_right = output.status.success() && said.lines().any(|line| line == "right");
            assert!(is_right, "{} {ranks} {direct}: {said}", mpi.name);
        }
    }
    let threads = folder.path().join("threads");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-DTHREADS", "-DLACKING"]);
    compiler.args(["-pthread", "-I"]).arg(Path::new(ROOT).join("include"));
    assert!(compiler.arg(source("rows.c")).arg("-o").arg(&threads).status().expect("cc").success());
    for devices in ["1", "2", "3", "4", "5"] {
        let output = Command::new(&threads).arg(devices).output().expect("it runs");
        assert_eq!(text(&output), "right\n", "{devices}");
    }
}

/// Devices receive as many bytes as `strata check` says.
#[test]
fn volumes_are_those_of_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    // Short values go with the first message, but for sums of two ranks, which are whole up to 32 KiB.
    let sizes = [512, 1024, 2048, 98_304];
    for mpi in installed().into_iter().filter(|mpi| mpi.library.is_none()) {
        let program = mpi.build(&source("volumes.c"), &[], folder.path());
        for ranks in [2, 4] {
            let all = sizes.map(|size: usize| size.to_string());
            let count = ranks.to_string();
            let arguments: Vec<_> = [&count].into_iter().chain(&all).map(String::as_str).collect();
            let output = mpi.run(ranks, &program, &arguments, folder.path());
            assert!(output.status.success(), "{}: {}", mpi.name, text(&output));
            let found: Vec<_> =
                String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
            let expected = sizes.iter().flat_map(|size| estimated(ranks, *size, folder.path()));
            assert_eq!(found, expected.collect::<Vec<_>>(), "{} {ranks}", mpi.name);
        }
    }
}

/// What `strata check` says that each of so many devices receives, which gives so many `f32`.
fn estimated(devices: usize, size: usize, folder: &Path) -> Vec<String> {
    let (given, part, all) = (
        format!("tensor<{size}xf32>"),
        format!("tensor<{}xf32>", size / devices),
        format!("tensor<{}xf32>", size * devices),
    );
    let ids = (0..devices).map(|id| id.to_string()).collect::<Vec<_>>().join(", ");
    let groups = format!(
        "replica_groups = dense<[[{ids}]]> : tensor<1x{devices}xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
    );
    let sum = "({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })";
    let program = format!(
        "module attributes {{mhlo.num_replicas = 1 : i32, mhlo.num_partitions = {devices} : i32}} {{
  func.func public @main(%x: {given}) -> ({given}, {all}, {part}, {given}) {{
    %0 = \"stablehlo.all_reduce\"(%x) {sum} {{{groups}, use_global_device_ids}} : ({given}) -> {given}
    %1 = \"stablehlo.all_gather\"(%x) {{all_gather_dim = 0 : i64, {groups}, use_global_device_ids}} : ({given}) -> {all}
    %2 = \"stablehlo.reduce_scatter\"(%x) {sum} {{scatter_dimension = 0 : i64, {groups}, use_global_device_ids}} : ({given}) -> {part}
    %3 = \"stablehlo.all_to_all\"(%x) {{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = {devices} : i64, {groups}}} : ({given}) -> {given}
    return %0, %1, %2, %3 : {given}, {all}, {part}, {given}
  }}
}}"
    );
    fs::write(folder.join("exchanges.mlir"), program).expect("the program");
    let ended = strata(folder, &["check", "exchanges.mlir", "--json"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    let one = |operation: &str| {
        let all = report["exchanges"].as_array().expect("exchanges");
        let found = all.iter().find(|one| one["operation"] == operation).expect("it is listed");
        format!("{operation} {size} {}", found["bytes_received"])
    };
    ["all_reduce", "all_gather", "reduce_scatter", "all_to_all"].map(one).into()
}

/// What has more bytes than MPI can count goes in parts: here with few bytes in each.
#[test]
fn large_exchanges_go_in_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    for mpi in installed() {
        let program =
            mpi.build(&source("exchanges.c"), &["-DSTRATA_MPI_MOST=50021"], folder.path());
        for direct in ["16", "1"] {
            let output = mpi.run(3, &program, &["3", direct], folder.path());
            assert_eq!(text(&output), "right\n", "{} {direct}", mpi.name);
        }
    }
}

/// What ends ranks, and what some of them say then.
const FAILURES: &[(&str, &[&str])] = &[
    ("count", &["12 the program is for 2 replicas of 3 partitions, and there are 3 ranks"]),
    ("program", &["15 rank 1 runs another program than rank"]),
    (
        "status",
        &["rank 1: 77 the program of rank 1 returned 77", "14 the program of rank 1 returned 77"],
    ),
    ("end", &["14 rank 1 has ended, and rank"]),
    ("late", &["13 rank", "waited 2 seconds in all_reduce for rank 1"]),
    ("size", &["15 rank", "in all_reduce of 160000 bytes, and rank 1 in all_reduce of 12 bytes"]),
    ("hash", &["15 rank 1 runs another program than rank"]),
    ("other", &["15 rank", "in all_reduce of 160000 bytes, and rank 1 in all_gather of 40 bytes"]),
    ("begun left", &["rank 1: 77 rank 1 left its", "14 rank 1 left its program with"]),
    ("begun late", &["13 rank", "2 seconds in all_reduce begun for rank 1"]),
    ("begun else", &["15 rank", " is in all_reduce", "in all_reduce begun of 160000 bytes"]),
    ("send", &["14 rank 1 sent 1 messages to rank 0, which received 0"]),
    ("receive", &["13 rank", "waited 2 seconds in", "for rank"]),
    ("killed", &["signal 9"]),
    ("never", &["strata: this process waited 2 seconds in MPI_Init for other ranks, and ends"]),
];

/// A rank that fails, dies, comes late or does something else ends all, with a reason, and soon.
#[test]
fn failures_have_names_and_end() {
    let folder = tempfile::tempdir().expect("a folder");
    for mpi in installed() {
        let program = mpi.build(&source("failures.c"), &[], folder.path());
        for (what, reasons) in FAILURES {
            let (output, lasted) = mpi.timed(3, &program, &["3", what], folder.path());
            let said = text(&output).replace("Signal 9", "signal 9");
            assert!(!output.status.success(), "{}: {what}: {said}", mpi.name);
            assert!(lasted < Duration::from_secs(50), "{}: {what} lasts", mpi.name);
            for reason in *reasons {
                assert!(said.contains(reason), "{}: {what}: {said}", mpi.name);
            }
        }
    }
}

/// A program for the standard ABI finds the MPI whose launcher is on the path.
#[test]
fn the_mpi_of_the_path_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    for mpi in installed().into_iter().filter(|mpi| mpi.library.is_some()) {
        let program = mpi.build(&source("exchanges.c"), &[], folder.path());
        let run = |path: String| {
            let mut command = Command::new("timeout");
            command.arg(LIMIT).args(&mpi.launch).arg("3").arg(&program).args(["3", "16"]);
            text(&command.env("PATH", path).output().expect("it starts"))
        };
        let launcher = Path::new(&mpi.launch[0]).parent().expect("its folder");
        assert_eq!(run(format!("/nowhere::{}:/usr/bin:/bin", launcher.display())), "right\n");
        let said = run("/usr/bin:/bin".to_owned());
        assert!(said.contains("there is no MPI with the standard ABI"), "{said}");
    }
}

/// Where the launcher leaves the others alone, a rank that is killed ends them at their limit.
#[test]
fn ranks_that_are_left_alone_end_at_their_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut mpis = installed();
    mpis.retain(|mpi| mpi.name == "openmpi");
    for mut mpi in mpis {
        let program = mpi.build(&source("failures.c"), &[], folder.path());
        mpi.launch.insert(1, "--enable-recovery".to_owned());
        let (output, lasted) = mpi.timed(3, &program, &["3", "killed"], folder.path());
        let said = text(&output);
        assert!(lasted < Duration::from_secs(50), "{said}");
        // The one that waits longer may hear of it from the other one.
        assert!(said.contains(" waited 2 seconds in all_reduce for rank 1"), "{said}");
        for rank in [0, 2] {
            let has_ended = |status| said.contains(&format!("rank {rank}: {status} rank "));
            assert!(has_ended(13) || has_ended(14), "{said}");
        }
        assert!(!said.contains("rank 1: "), "{said}");
    }
}

/// The sum of squares of the network of `examples/mpi/train.c` after so many steps on all data at once.
fn loss_after(steps: usize) -> f64 {
    let x = |row: usize, at: usize| ((row * 6 + at) as f64).sin();
    let y = |row: usize, at: usize| x(row, at) - 0.5 * x(row, at + 3);
    let mut w1: Vec<f64> = (0..48).map(|at| 0.3 * f64::from(at).cos()).collect();
    let mut w2: Vec<f64> = (0..24).map(|at| 0.3 * f64::from(at).sin()).collect();
    let mut loss = 0.0;
    for _ in 0..steps {
        let (mut g1, mut g2) = (vec![0.0; 48], vec![0.0; 24]);
        loss = 0.0;
        for row in 0..20 {
            let hidden = |at: usize| (0..6).map(|k| x(row, k) * w1[k * 8 + at]).sum::<f64>().tanh();
            let a: Vec<f64> = (0..8).map(hidden).collect();
            let out = |at: usize| (0..8).map(|k| a[k] * w2[k * 3 + at]).sum::<f64>() - y(row, at);
            let d: Vec<f64> = (0..3).map(out).collect();
            loss += d.iter().map(|d| d * d).sum::<f64>();
            for k in 0..8 {
                let back: f64 =
                    (0..3).map(|at| d[at] * w2[k * 3 + at]).sum::<f64>() * (1.0 - a[k] * a[k]);
                (0..3).for_each(|at| g2[k * 3 + at] += a[k] * d[at]);
                (0..6).for_each(|at| g1[at * 8 + k] += x(row, at) * back);
            }
        }
        w1.iter_mut().zip(g1).for_each(|(weight, slope)| *weight -= 0.01 * slope);
        w2.iter_mut().zip(g2).for_each(|(weight, slope)| *weight -= 0.01 * slope);
    }
    loss
}

/// The examples of the guide: training, a block of a transformer and a stencil give what one process computes.
#[test]
fn examples_compute_what_one_process_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = Path::new(ROOT).join("examples/mpi");
    for (name, ranks) in [("train", 4), ("stencil", 4), ("block", 2)] {
        let program = examples.join(format!("{name}.mlir")).display().to_string();
        let (object, header) = (format!("{name}.o"), format!("{name}.h"));
        let arguments =
            ["compile", &program, "--target-cpu", "x86-64", "-o", &object, "--header", &header];
        strata(folder.path(), &arguments).succeeded();
        // They take the MPI of their compiler.
        for mpi in installed().into_iter().filter(|mpi| mpi.library.is_none()) {
            let built =
                mpi.build(&examples.join(format!("{name}.c")), &["-I.", &object], folder.path());
            let output = mpi.run(ranks, &built, &[], folder.path());
            let said = text(&output);
            assert!(output.status.success() && !said.contains("WRONG"), "{}: {said}", mpi.name);
            match name {
                "train" => {
                    for (step, steps) in [(0, 1), (50, 51), (150, 151), (200, 200)] {
                        let (line, expected) = (format!("step {step}: loss "), loss_after(steps));
                        let found =
                            said.lines().find_map(|one| one.strip_prefix(&line)?.parse().ok());
                        let found: f64 = found.unwrap_or_else(|| panic!("{}: {said}", mpi.name));
                        assert!(
                            (found - expected).abs() <= 1e-3 * expected + 1e-4,
                            "{said}\n{expected}"
                        );
                    }
                }
                "stencil" => assert_eq!(said.matches("as in the whole rod").count(), 4, "{said}"),
                _ => assert_eq!(said.matches("as the whole block").count(), 2, "{said}"),
            }
        }
    }
}

/// `strata run` gives the same arrays on ranks as on threads.
#[test]
fn the_command_runs_on_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("all.mlir"), module(2, 2, ALL)).expect("written");
    let inputs = inputs_of_all(3);
    let joined =
        |index: usize| inputs.iter().flat_map(|one| one[index].clone()).collect::<Vec<_>>();
    fs::write(at("x.npy"), npy("<f4", "(4, 6, 5)", &joined(0))).expect("written");
    fs::write(at("n.npy"), npy("<i4", "(4,)", &joined(1))).expect("written");
    let arguments = |output| {
        [
            "run",
            "all.mlir",
            "--input",
            "x.npy",
            "--input",
            "n.npy",
            "--per-device",
            "--output-dir",
            output,
        ]
    };
    strata(folder.path(), &arguments("threads")).succeeded();
    for mpi in installed() {
        let output = mpi.run(4, binary(), &arguments(mpi.name), folder.path());
        assert!(output.status.success(), "{}: {}", mpi.name, text(&output));
        for index in 0..9 {
            let file = format!("output{index}.npy");
            let [found, expected] = [mpi.name, "threads"]
                .map(|which| fs::read(at(which).join(&file)).expect("an array"));
            assert!(found == expected, "{}: {file}", mpi.name);
        }
        let output = mpi.run(3, binary(), &arguments("none"), folder.path());
        let said = text(&output);
        let reason =
            "the program is for 4 devices (2 replicas of 2 partitions), and there are 3 ranks";
        assert!(!output.status.success() && said.contains(reason), "{}: {said}", mpi.name);
    }
}

/// A program that exchanges nothing is the same on all ranks that it declares, with the same inputs, or with its own.
#[test]
fn what_exchanges_nothing_runs_on_ranks() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    let doubled = "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n  %0 = stablehlo.add %x, %x : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}";
    fs::write(at("p.mlir"), module(1, 4, doubled)).expect("written");
    let bytes =
        |values: &[i32]| values.iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<_>>();
    fs::write(at("x.npy"), npy("<i4", "(2,)", &bytes(&[3, 4]))).expect("written");
    fs::write(at("all.npy"), npy("<i4", "(4, 2)", &bytes(&[1, 2, 3, 4, 5, 6, 7, 8])))
        .expect("written");
    let same = ["run", "p.mlir", "--input", "x.npy", "--output", "y.npy"];
    let own = ["run", "p.mlir", "--input", "all.npy", "--per-device", "--output", "y.npy"];
    let line = r#"exec "$0" run p.mlir --input ${OMPI_COMM_WORLD_RANK:-$PMI_RANK}.npy"#;
    for name in ["0.npy", "2.npy", "3.npy"] {
        fs::copy(at("x.npy"), at(name)).expect("copied");
    }
    fs::write(at("1.npy"), npy("<i4", "(2,)", &bytes(&[5, 4]))).expect("written");
    for mpi in installed() {
        for (arguments, expected) in
            [(&same[..], &[6, 8][..]), (&own, &[2, 4, 6, 8, 10, 12, 14, 16])]
        {
            let output = mpi.run(4, binary(), arguments, folder.path());
            assert!(output.status.success(), "{}: {}", mpi.name, text(&output));
            assert!(fs::read(at("y.npy")).expect("written").ends_with(&bytes(expected)));
            fs::remove_file(at("y.npy")).expect("removed");
        }
        let output = mpi.run(3, binary(), &same, folder.path());
        let reason = "for 4 devices (1 replica of 4 partitions), and there are 3 ranks";
        assert!(text(&output).contains(reason), "{}: {}", mpi.name, text(&output));
        let command = binary().display().to_string();
        let output = mpi.run(4, Path::new("sh"), &["-c", line, &command], folder.path());
        let reason = "rank 1 read other inputs than rank 0";
        assert!(text(&output).contains(reason), "{}: {}", mpi.name, text(&output));
    }
    strata(folder.path(), &own).succeeded();
    let expected = bytes(&[2, 4, 6, 8, 10, 12, 14, 16]);
    assert!(fs::read(at("y.npy")).expect("written").ends_with(&expected));
}

/// Each rank has a host of its own; the first one writes the arrays of all.
#[test]
fn each_rank_has_a_host() {
    let folder = tempfile::tempdir().expect("a folder");
    write_fed(folder.path());
    let own = ["run", "fed.mlir", "--input", "x2.npy", "--infeed", "fed2.npy", "--per-device"];
    for mpi in installed() {
        let more = ["--recv", "6=more2.npy", "--outfeed", mpi.name, "--output-dir", mpi.name];
        let output = mpi.run(2, binary(), &[&own[..], &more].concat(), folder.path());
        assert!(output.status.success(), "{}: {}", mpi.name, text(&output));
        check_fed(&folder.path().join(mpi.name));
        let output = mpi.run(2, binary(), &own, folder.path());
        let said = text(&output);
        assert!(!output.status.success(), "{}: {said}", mpi.name);
        assert!(said.contains("--recv 6=FILE.npy"), "{}: {said}", mpi.name);
    }
}

/// Ranks of the command with other inputs or programs, and a program for one device, are refused.
#[test]
fn the_command_refuses_ranks_that_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |file: &str| folder.path().join(file);
    fs::write(at("0.mlir"), module(2, 1, SUM)).expect("written");
    fs::write(at("1.mlir"), module(2, 1, &SUM.replace("stablehlo.add", "stablehlo.multiply")))
        .expect("written");
    fs::write(
        at("alone.mlir"),
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : tensor<3xf32>\n}",
    )
    .expect("written");
    let bytes =
        |value: f32| [value; 3].iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<_>>();
    fs::write(at("0.npy"), npy("<f4", "(3,)", &bytes(1.0))).expect("written");
    fs::write(at("1.npy"), npy("<f4", "(3,)", &bytes(2.0))).expect("written");
    let command = binary().display().to_string();
    let line = |program: &str, input: &str| {
        format!(
            "rank=${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}; exec '{command}' run {program}.mlir --input {input}.npy --time-limit 20"
        )
    };
    for mpi in installed() {
        for (line, reason) in [
            (line("0", "$rank"), "rank 1 read other inputs than rank 0"),
            (line("$rank", "0"), "runs another program than rank"),
            (line("alone", "0"), "the program is for one device, and there are 2 ranks"),
            (line("alone", "0"), "a program for 2 devices declares them: `mhlo.num_partitions = 2"),
        ] {
            let output = mpi.run(2, Path::new("sh"), &["-c", &line], folder.path());
            let said = text(&output);
            assert!(!output.status.success() && said.contains(reason), "{}: {said}", mpi.name);
        }
    }
}

/// Files that are not an MPI are refused.
#[test]
fn the_library_of_an_mpi_can_be_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("sum.mlir"), module(2, 1, SUM)).expect("written");
    fs::write(folder.path().join("other.so"), "text").expect("written");
    fs::write(folder.path().join("x.npy"), npy("<f4", "(3,)", &[0; 12])).expect("written");
    let own = folder.path().join("own.so");
    fs::write(folder.path().join("own.c"), "int own;").expect("written");
    let mut built = Command::new("cc");
    built.args(["-shared", "-fPIC", "own.c", "-o", "own.so"]);
    assert!(built.current_dir(folder.path()).status().expect("a compiler").success());
    for (file, reason) in [
        (Path::new("other.so"), "the MPI cannot be loaded"),
        (&own, "neither an MPI with the standard ABI, nor a library of strata/mpi.c"),
    ] {
        let file = file.display().to_string();
        let arguments = ["run", "sum.mlir", "--input", "x.npy", "--mpi", &file];
        let refused = strata(folder.path(), &arguments);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    }
}

/// `strata/abi.h` has what every header of a program begins with.
#[test]
fn the_common_header_is_that_of_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("p.mlir"),
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  return %x : tensor<3xf32>\n}",
    )
    .expect("written");
    strata(folder.path(), &["compile", "p.mlir", "-o", "p.o", "--header", "p.h"]).succeeded();
    let header = fs::read_to_string(folder.path().join("p.h")).expect("a header");
    let start = header.find("#ifndef STRATA_ABI\n").expect("its beginning");
    let end = header.find("#endif /* STRATA_ABI */\n").expect("its end");
    let common = &header[start..end + "#endif /* STRATA_ABI */\n".len()];
    let expected = format!(
        "/* What compiled programs exchange with executors, hosts and the functions that they call; see docs/abi.md. */\n\
         #include <stddef.h>\n#include <stdint.h>\n\n{common}"
    );
    let file = Path::new(ROOT).join("include/strata/abi.h");
    if std::env::var_os("STRATA_BLESS").is_some() {
        fs::write(&file, &expected).expect("written");
    }
    assert_eq!(fs::read_to_string(file).expect("the file"), expected, "STRATA_BLESS=1 writes it");
}
