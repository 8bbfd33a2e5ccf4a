//! Shardings of programs that JAX exports: what is propagated to all other values, and the strings of older exporters.

use std::{fs, path::Path};

use rstest::rstest;
use strata_ir::{
    OpKind, TensorSharding, WalkOrder, func, module_op, new_context, parse_text, shardings_of,
};

use crate::{arrays::npy, command::strata};

fn programs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sharding")
}

/// The program after propagation.
fn propagated(folder: &Path, program: &str) -> String {
    let arguments = ["compile", program, "--after", "input=propagate-shardings", "--to", "input"];
    let arguments = [&arguments[..], &["-o", "propagated.mlir"]].concat();
    strata(folder, &arguments).succeeded();
    fs::read_to_string(folder.join("propagated.mlir")).expect("written")
}

/// One line for each argument, operation and result: what it is and how it is split.
fn summary(text: &str) -> String {
    let context = new_context();
    let module = parse_text(&context, text).expect("a dump is a program");
    let mut lines = Vec::new();
    let dims = |sharding: Option<TensorSharding>| {
        let text = sharding.map(|sharding| sharding.to_string()).unwrap_or_default();
        text.split_once(' ').map_or("none".to_owned(), |(_, dims)| dims.replace(['"', '>'], ""))
    };
    module_op(&module).walk(WalkOrder::Pre, &mut |op| {
        if op.is(func::FUNC) {
            for (index, argument) in op.body(0).args().into_iter().enumerate() {
                let own = dims(TensorSharding::of_argument(op, index));
                lines.push(format!("argument {index}: {} {own}", argument.ty()));
            }
            let returned = op.body(0).terminator().map_or(0, |end| end.operand_count());
            for index in 0..returned {
                lines.push(format!(
                    "result {index}: {}",
                    dims(TensorSharding::of_result(op, index))
                ));
            }
        }
        // Computations on elements have none.
        let around = std::iter::successors(op.parent(), |op| op.parent());
        let is_in = |kind| matches!(kind, OpKind::Reduce | OpKind::AllReduce);
        if op.result_count() == 0 || around.into_iter().any(|op| is_in(op.kind())) {
            return;
        }
        let own = shardings_of(op);
        for (index, ty) in op.result_types().into_iter().enumerate() {
            let own = dims(own.as_ref().and_then(|own| own.get(index).cloned()));
            lines.push(format!("{} {ty} {own}", op.name()));
        }
    });
    lines.join("\n")
}

/// Every value gets a sharding, and compiled for all devices, each with its parts, programs compute what the evaluator does on whole
/// values.
#[rstest]
#[case("mlp")]
#[case("attention")]
#[case("convolution")]
#[case("scan")]
#[case("training")]
#[case("embedding")]
#[case("mixed")]
#[case("strings")]
fn exported_programs_are_split_and_compute_the_same(#[case] name: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = programs().join(format!("{name}.mlir"));
    let told = summary(&propagated(folder.path(), &program.to_string_lossy()));
    assert!(!told.contains("none"), "{told}");
    insta::with_settings!({prepend_module_to_snapshot => false, snapshot_path => programs(), omit_expression => true}, {
        insta::assert_snapshot!(name, told);
    });
    let arguments = ["verify", &program.to_string_lossy(), "--values", "tame", "--rounds", "1"];
    strata(folder.path(), &arguments).succeeded();
}

/// Parts of a matrix, summed over the devices of a column: what `shard_map` was before there was dialect `sdy`.
const PARTS: &str = r#"module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 4 : i32} {
  func.func public @main(%x: tensor<4x6xf32>) -> tensor<2x6xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x6xf32>) -> tensor<2x3xf32>
    %2 = call @body(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<2x3xf32>) -> tensor<2x6xf32>
    return %4 : tensor<2x6xf32>
  }
  func.func private @body(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}"#;

#[test]
fn bodies_between_parts_and_wholes_run_on_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("parts.mlir"), PARTS).expect("written");
    let floats = |values: &[u8]| -> Vec<u8> {
        values.iter().flat_map(|value| f32::from(*value).to_le_bytes()).collect()
    };
    let rows: Vec<u8> = (0..24).collect();
    fs::write(folder.path().join("x.npy"), npy("<f4", "(4, 6)", &floats(&rows))).expect("written");
    // Rows 0 and 1 plus rows 2 and 3.
    let sums: Vec<u8> = (0..12).map(|at| 12 + 2 * at).collect();
    for command in ["run", "eval"] {
        let arguments = [command, "parts.mlir", "--input", "x.npy", "--output-dir", command];
        strata(folder.path(), &arguments).succeeded();
        let bytes = fs::read(folder.path().join(command).join("output0.npy")).expect("written");
        assert!(bytes.ends_with(&floats(&sums)), "{command}");
    }
    strata(folder.path(), &["verify", "parts.mlir", "--rounds", "2"]).succeeded();
}

/// A program of two bodies on halves of four elements, which starts with `%t = x + x` of the first one: the second one's lines.
fn two_bodies(second: &str) -> String {
    let text = r#"module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {SPLIT} : WHOLE
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {MANUAL} : (tensor<4xf32>) -> tensor<2xf32>
    %2 = stablehlo.add %1, %1 : tensor<2xf32>
    %3 = stablehlo.custom_call @SPMDShardToFullShape(%2) {SPLIT} : (tensor<2xf32>) -> tensor<4xf32>
    %s = stablehlo.reverse %3, dims = [0] : tensor<4xf32>
    %t = stablehlo.custom_call @Sharding(%s) {SPLIT} : WHOLE
SECOND
    return %r : tensor<4xf32>
  }
}"#;
    text.replace("SECOND", second)
        .replace("WHOLE", "(tensor<4xf32>) -> tensor<4xf32>")
        .replace("TO_HALF", "(tensor<4xf32>) -> tensor<2xf32>")
        .replace("TO_ALL", "(tensor<2xf32>) -> tensor<4xf32>")
        .replace("SPLIT", "mhlo.sharding = \"{devices=[2]<=[2]}\"")
        .replace("MANUAL", "mhlo.sharding = \"{manual}\"")
}

/// The parts that the first body has, too, by a call of its own, and by the same one.
const OF_BOTH: [&str; 2] = ["%x", "%0"];

/// Gradients have two bodies, of which the second takes what the first took, and more; those that do not know of each other stand in any
/// order.
#[test]
fn bodies_of_one_block_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let floats = |values: [f32; 4]| values.map(f32::to_le_bytes).concat();
    let one_two = floats([1.0, 2.0, 3.0, 4.0]);
    fs::write(folder.path().join("x.npy"), npy("<f4", "(4,)", &one_two)).expect("written");
    // x plus twice x in opposite order.
    let saved = OF_BOTH.map(|given| {
        let lines = format!(
            "    %4 = stablehlo.custom_call @SPMDFullToShardShape(%t) {{MANUAL}} : TO_HALF
    %5 = stablehlo.custom_call @SPMDFullToShardShape({given}) {{MANUAL}} : TO_HALF
    %6 = stablehlo.add %4, %5 : tensor<2xf32>
    %r = stablehlo.custom_call @SPMDShardToFullShape(%6) {{SPLIT}} : TO_ALL"
        );
        let lines = match given {
            // Of the argument itself it is not said how it is split.
            "%x" => lines.replace("(%x)", "(%7)").replacen(
                "    %4",
                "    %7 = stablehlo.custom_call @Sharding(%x) {SPLIT} : WHOLE\n    %4",
                1,
            ),
            _ => lines,
        };
        (lines, [9.0, 8.0, 7.0, 6.0])
    });
    let reused = "    %4 = stablehlo.custom_call @SPMDFullToShardShape(%t) {MANUAL} : TO_HALF
    %5 = stablehlo.add %4, %1 : tensor<2xf32>
    %r = stablehlo.custom_call @SPMDShardToFullShape(%5) {SPLIT} : TO_ALL";
    // The square of x, beside twice x in opposite order.
    let apart = "    %4 = stablehlo.subtract %t, %x : tensor<4xf32>
    %5 = stablehlo.custom_call @SPMDFullToShardShape(%0) {MANUAL} : TO_HALF
    %6 = stablehlo.multiply %5, %5 : tensor<2xf32>
    %7 = stablehlo.custom_call @SPMDShardToFullShape(%6) {SPLIT} : TO_ALL
    %r = stablehlo.add %7, %4 : tensor<4xf32>";
    let mut cases = Vec::from(saved);
    cases.push((reused.to_owned(), [9.0, 8.0, 7.0, 6.0]));
    cases.push((apart.to_owned(), [8.0, 8.0, 10.0, 14.0]));
    for (lines, expected) in cases {
        fs::write(folder.path().join("two.mlir"), two_bodies(&lines)).expect("written");
        for command in ["run", "eval"] {
            let arguments = [command, "two.mlir", "--input", "x.npy", "--output-dir", command];
            strata(folder.path(), &arguments).succeeded();
            let bytes = fs::read(folder.path().join(command).join("output0.npy")).expect("written");
            assert!(bytes.ends_with(&floats(expected)), "{command}: {lines}");
        }
    }
}

/// What a body of devices gets and gives is exchanged by numbers of devices, also where a dump is run again; groups of shardings have no value.
#[test]
fn bodies_of_devices_are_run_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = r#"module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 4 : i32} {
      sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 0, 2]>
      func.func public @main(%x: tensor<8x2xf32>) -> tensor<8x2xf32> {
        sdy.sharding_group %x group_id=3 : tensor<8x2xf32>
        %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{"y", "x"}, {}]>] manual_axes={"x", "y"} (%a: tensor<2x2xf32>) {
          sdy.return %a : tensor<2x2xf32>
        } : (tensor<8x2xf32>) -> tensor<8x2xf32>
        return %0 : tensor<8x2xf32>
      }
    }"#;
    let at = |name: &str| folder.path().join(name);
    fs::write(at("body.mlir"), body).expect("written");
    let floats = |rows: [u8; 4]| -> Vec<u8> {
        let rows = rows.into_iter().flat_map(|row| 4 * row..4 * row + 4);
        rows.flat_map(|value| f32::from(value).to_le_bytes()).collect()
    };
    fs::write(at("x.npy"), npy("<f4", "(8, 2)", &floats([0, 1, 2, 3]))).expect("written");
    strata(folder.path(), &["compile", "body.mlir", "--to", "spmd", "-o", "spmd.mlir"]).succeeded();
    let whole = ["eval", "body.mlir"];
    for (number, what) in
        [&whole[..], &["run", "body.mlir"], &["eval", "--from", "spmd", "spmd.mlir"]]
            .into_iter()
            .enumerate()
    {
        let output = number.to_string();
        let more = ["--input", "x.npy", "--output-dir", &output];
        strata(folder.path(), &[what, &more].concat()).succeeded();
        let bytes = fs::read(at(&output).join("output0.npy")).expect("written");
        // The parts of devices (0, 1) and (1, 0) change places.
        assert!(bytes.ends_with(&floats([0, 2, 1, 3])), "{what:?}");
    }
}

#[rstest]
#[case("{devices=[2,2]<=[8]}", "there are 4 tiles, and 8 devices")]
#[case("{devices=[4]<=[4]}", "it has 1 dimensions, and the value 2")]
#[case("{tiled}", "it is not known what `tiled}` is")]
#[case("{maximal device=7}", "it names device 7, and there are 4 devices")]
fn strings_that_cannot_be_read_are_refused(#[case] text: &str, #[case] reason: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = PARTS.replacen("{devices=[2,2]<=[4]}", text, 1);
    fs::write(folder.path().join("parts.mlir"), program).expect("written");
    let refused = strata(folder.path(), &["compile", "parts.mlir", "-o", "parts.o"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("S1103"), "{}", refused.stderr);
    assert!(refused.stderr.contains(reason), "{}", refused.stderr);
    assert!(refused.stderr.contains("parts.mlir:3"), "{}", refused.stderr);
}

/// Values of the program are whole or parts; only in bodies devices have their own.
#[test]
fn arguments_are_not_manual() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "func.func @main(%x: tensor<4xf32> {mhlo.sharding = \"{manual}\"}) -> tensor<4xf32> { return %x : tensor<4xf32> }";
    fs::write(folder.path().join("parts.mlir"), program).expect("written");
    let refused = strata(folder.path(), &["compile", "parts.mlir", "-o", "parts.o"]);
    assert!(refused.stderr.contains("S1103"), "{}", refused.stderr);
    assert!(refused.stderr.contains("this is a value of the program"), "{}", refused.stderr);
}

/// What may be split in any way is split as its operand is, and an argument that may be is whole.
#[rstest]
#[case("{devices=[2,2]<=[4]}", "{unknown}", "[{\"_0\"}, {\"_1\"}]")]
#[case("{unknown}", "{unknown}", "[{}, {}]")]
fn what_may_be_split_in_any_way_is_split_as_others_are(
    #[case] argument: &str,
    #[case] call: &str,
    #[case] split: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = format!(
        "module attributes {{mhlo.num_partitions = 4 : i32}} {{\n\
         func.func @main(%x: tensor<4x6xf32> {{mhlo.sharding = \"{argument}\"}}) -> tensor<4x6xf32> {{\n\
         %0 = stablehlo.custom_call @Sharding(%x) {{mhlo.sharding = \"{call}\"}} : (tensor<4x6xf32>) -> tensor<4x6xf32>\n\
         %1 = stablehlo.custom_call @Sharding(%x) {{mhlo.sharding = \"{{devices=[1,4]<=[4]}}\"}} : (tensor<4x6xf32>) -> tensor<4x6xf32>\n\
         return %0 : tensor<4x6xf32>\n}}\n}}"
    );
    fs::write(folder.path().join("one.mlir"), program).expect("written");
    let told = propagated(folder.path(), "one.mlir");
    let line = told.lines().find(|line| line.contains("%0 = sdy.sharding_constraint"));
    assert!(line.is_some_and(|line| line.contains(split)), "{told}");
}

/// Strings that say nothing, and the structure as bytes.
#[rstest]
#[case("")]
#[case(r"\08\03\1A\02\01\02\22\02\00\01")]
fn other_forms_are_read(#[case] text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = format!(
        "func.func @main(%x: tensor<4x6xf32> {{mhlo.sharding = \"{text}\"}}) -> tensor<4x6xf32> {{ return %x : tensor<4x6xf32> }}"
    );
    fs::write(folder.path().join("one.mlir"), program).expect("written");
    let told = propagated(folder.path(), "one.mlir");
    assert!(!told.contains("mhlo.sharding") || text.is_empty(), "{told}");
    assert_eq!(
        told.contains(r#"sdy.sharding = #sdy.sharding<@devices, [{}, {"_0"}]>"#),
        !text.is_empty(),
        "{told}"
    );
}

#[test]
fn remarks_say_what_is_split_and_what_does_not_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = r#"sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) -> tensor<8x6xf32> {
  %0 = stablehlo.tanh %a : tensor<8x6xf32>
  %1 = stablehlo.add %0, %b : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}"#;
    fs::write(folder.path().join("two.mlir"), program).expect("written");
    let arguments =
        ["compile", "two.mlir", "--after", "input=propagate-shardings", "--to", "input"];
    let text = [&arguments[..], &["-o", "out.mlir", "--remarks=remarks.txt"]].concat();
    strata(folder.path(), &text).succeeded();
    let told = fs::read_to_string(folder.path().join("remarks.txt")).expect("written");
    assert!(told.contains("`main`: 3 of 4 values split over devices"), "{told}");
    let conflict = "conflict: stablehlo.add at two.mlir:4:8: the same dimension is split along {\"x\"} and along {\"y\"}";
    assert!(told.contains(conflict), "{told}");
}

/// A list may have shardings in their short form, or as attributes on their own.
#[test]
fn both_forms_of_a_sharding_in_a_list_are_read() {
    let program = |sharding: &str| {
        format!(
            "sdy.mesh @mesh = <[\"a\"=2]>\nfunc.func @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {{\n  \
             %0 = stablehlo.negate %x {{sdy.sharding = #sdy.sharding_per_value<[{sharding}]>}} : tensor<4x3xf32>\n  \
             return %0 : tensor<4x3xf32>\n}}\n"
        )
    };
    let context = new_context();
    let read = |sharding: &str| {
        let module = parse_text(&context, &program(sharding)).expect("is read");
        strata_ir::print(&module, false)
    };
    let short = read("<@mesh, [{\"a\"}, {}]>");
    assert!(short.contains("#sdy.sharding_per_value<[<@mesh, [{\"a\"}, {}]>]>"), "{short}");
    assert_eq!(read("#sdy.sharding<@mesh, [{\"a\"}, {}]>"), short);
    let other = parse_text(&context, &program("#stablehlo.precision<DEFAULT>"));
    assert!(other.is_err(), "an attribute of another kind is refused");
}

/// A body over some of the axes passes others through its open dimensions, and never its own.
#[test]
fn bodies_pass_axes_on_that_they_do_not_have() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = |open: &str| {
        format!(
            "module attributes {{mhlo.num_partitions = 4 : i32}} {{\n\
             sdy.mesh @m = <[\"i\"=2, \"j\"=2]>\n\
             func.func public @main(%x: tensor<4x8xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"j\"}}, {{\"i\"}}]>}}) -> tensor<4x8xf32> {{\n\
             %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{open}, {open}]>] out_shardings=[<@m, [{open}, {open}]>] manual_axes={{\"i\"}} (%a: tensor<4x8xf32>) {{\n\
             %1 = stablehlo.multiply %a, %a : tensor<4x8xf32>\nsdy.return %1 : tensor<4x8xf32>\n\
             }} : (tensor<4x8xf32>) -> tensor<4x8xf32>\nreturn %0 : tensor<4x8xf32>\n}}\n}}\n"
        )
    };
    for (open, expected) in [("{?}", "[{j}, {}]"), ("{}", "[{}, {}]")] {
        let path = folder.path().join("body.mlir");
        fs::write(&path, program(open)).expect("written");
        let told = summary(&propagated(folder.path(), "body.mlir"));
        let result = told.lines().find(|line| line.starts_with("result 0"));
        assert_eq!(result, Some(format!("result 0: {expected}").as_str()), "{told}");
        strata(folder.path(), &["verify", "body.mlir", "--rounds", "2"]).succeeded();
    }
}
