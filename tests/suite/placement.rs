//! Programs that do not fit the devices that they are for, each with one mistake in a mesh, a sharding, a group or a transfer: what is
//! said about it, and where.

mod groups;

use std::fs;

use strata::{Compiler, Stage};
use strata_diag::Fault;

use self::groups::{RECV, SEND, groups, of_exchanges, of_groups, of_transfers, transfer};
use crate::{command::strata, harness::options};

const X: &str = "tensor<4x2xf32>";

fn module(attributes: &str, lines: &str, argument: &str, body: &str) -> String {
    format!(
        "module attributes {{{attributes}}} {{\n{lines}\n\
         func.func public @main(%x: {X}{argument}) -> {X} {{\n{body}\nreturn %0 : {X}\n}}\n}}\n"
    )
}

const SUM: &str = "%0 = stablehlo.add %x, %x : tensor<4x2xf32>";

fn partitions(count: &str) -> String {
    format!("mhlo.num_partitions = {count}")
}

/// A value that is split over a mesh; the argument is on line 3, the operation on line 4.
fn split(attributes: &str, mesh: &str, sharding: &str, of_sum: &str) -> String {
    let argument = format!(" {{sdy.sharding = #sdy.sharding<{sharding}>}}");
    let attribute = match of_sum {
        "" => String::new(),
        one => format!("{{sdy.sharding = #sdy.sharding_per_value<[<{one}>]>}} "),
    };
    let sum = SUM.replace(" :", &format!(" {attribute}:"));
    module(attributes, mesh, &argument, &sum)
}

/// A body of devices, on line 4.
fn body(attributes: &str, mesh: &str, input: &str, axes: &str, part: &str) -> String {
    let computation = format!(
        "%0 = sdy.manual_computation(%x) in_shardings=[{input}] out_shardings=[{input}] manual_axes={{{axes}}} (%a: {part}) {{\n\
         sdy.return %a : {part}\n}} : ({X}) -> {X}"
    );
    module(attributes, mesh, "", &computation)
}

/// A string of an older exporter: of the argument, on line 3, and of the operation, on line 4.
fn strings(count: &str, argument: &str, of_sum: &str) -> String {
    let argument = format!(" {{mhlo.sharding = \"{argument}\"}}");
    let attribute = format!("{{mhlo.sharding = \"{of_sum}\"}} ");
    let attribute = if of_sum.is_empty() { "" } else { &attribute };
    module(&partitions(count), "", &argument, &SUM.replace(" :", &format!(" {attribute}:")))
}

const MESH: &str = "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>";
const FOUR: &str = "sdy.mesh @m = <[\"x\"=4]>";
const ROWS: &str = "@m, [{\"x\"}, {}]";
const HALF: &str = "tensor<2x2xf32>";

/// A program, the code, line and operation of its one error, and a part of the reason.
type Row = (String, &'static str, u32, &'static str, &'static str);

fn of_meshes() -> Vec<Row> {
    let ids = |ids: &str| {
        let mesh = format!("sdy.mesh @m = <[\"x\"=2, \"y\"=2], device_ids=[{ids}]>");
        split("", &mesh, ROWS, "")
    };
    let sizes = |sizes: &str| split("", &format!("sdy.mesh @m = <[{sizes}]>"), ROWS, "");
    let beside = |mesh: &str, of_sum: &str| split("", &format!("{MESH} {mesh}"), ROWS, of_sum);
    let mesh = "sdy.mesh";
    let one = "sdy.mesh @one = <[], device_ids=[4]>";
    let whole =
        |attributes: &str| split(attributes, "sdy.mesh @m = <[], device_ids=[77]>", "@m, []", "");
    vec![
        (ids("0, 1, 2, 77"), "S1005", 2, mesh, "expected device_ids 0 to 3, found 77"),
        (ids("0, 1, 1, 2"), "S1005", 2, mesh, "0 to 3 once each, found 1 more than once and no 3"),
        (ids("2, 2, 3, 2"), "S1005", 2, mesh, "0 to 3 once each, found 2 more than once and no 0"),
        (ids("0, 1, 2"), "S1005", 2, mesh, "expected 4 device_ids"),
        (ids("0, 1, 2, -3"), "S1005", 2, mesh, "device_ids of at least 0, found -3"),
        (sizes("\"x\"=2, \"y\"=0"), "S1005", 2, mesh, "of size 1 or more, found 0"),
        (sizes("\"x\"=2, \"y\"=-2"), "S1005", 2, mesh, "of size 1 or more, found -2"),
        (sizes("\"x\"=2, \"x\"=2"), "S1005", 2, mesh, "found \"x\" twice"),
        (sizes("\"x\"=1048576, \"y\"=2"), "S1107", 3, "func.func", "more than 1048576 devices"),
        (
            sizes("\"x\"=4611686018427387904, \"y\"=4611686018427387904"),
            "S1107",
            3,
            "func.func",
            "more than 1048576 devices",
        ),
        (
            beside(one, "@one, []"),
            "S1107",
            2,
            mesh,
            "mesh `@one` is device 4, and the program is for 4 devices",
        ),
        (beside(one, ""), "S1107", 2, mesh, "mesh `@one` is device 4"),
        (
            beside("", "mesh<[], device_ids=[9]>, []"),
            "S1107",
            4,
            "stablehlo.add",
            "is device 9, and the program is for 4 devices",
        ),
        (
            whole("mhlo.num_partitions = 4"),
            "S1107",
            2,
            mesh,
            "is device 77, and the program is for 4 devices",
        ),
        (
            whole("mhlo.num_replicas = 1"),
            "S1107",
            2,
            mesh,
            "is device 77, and the program is for 1 device",
        ),
        (whole(""), "S1107", 2, mesh, "is device 77"),
        (
            beside("sdy.mesh @n = <[\"x\"=8]>", "@n, [{\"x\"}, {}]"),
            "S1103",
            3,
            "func.func",
            "have other devices, or another order of them",
        ),
        (
            beside("sdy.mesh @n = <[\"x\"=4], device_ids=[3, 2, 1, 0]>", "@n, [{\"x\"}, {}]"),
            "S1103",
            3,
            "func.func",
            "have other devices, or another order of them",
        ),
        (beside(MESH, ""), "S1005", 2, "", "the name `@m` is defined twice"),
        (
            beside("sdy.mesh @main = <[\"x\"=4]>", ""),
            "S1005",
            3,
            "",
            "the name `@main` is defined twice",
        ),
        (
            beside("func.func private @f()", "@f, [{}, {}]"),
            "S1005",
            4,
            "stablehlo.add",
            "found @f, which is the name of a func.func",
        ),
        (
            split("mhlo.num_partitions = 3", "sdy.mesh @\"a mesh\" = <[\"x\"=4], device_ids=[3, 2, 1, 0]> sdy.mesh @\"devices\" = <[\"x\"=4]>", "@\"a mesh\", [{}, {}]", "@\"devices\", [{}, {\"x\"}]").replace("mhlo.num_partitions = 3", ""),
            "S1103",
            3,
            "func.func",
            "meshes `@\"a mesh\"` and `@devices` have other devices",
        ),
    ]
}

fn of_shardings() -> Vec<Row> {
    let of = |sharding: &str| split("", FOUR, sharding, "");
    let both = |sharding: &str| split("", MESH, sharding, "");
    let declared = |attributes: &str| split(attributes, MESH, ROWS, "");
    let func = "func.func";
    vec![
        (both("@n, [{\"x\"}, {}]"), "S1005", 3, func, "expected a mesh of the module, found @n"),
        (both("@m, [{\"w\"}, {}]"), "S1005", 3, func, "found \"w\""),
        (both("@m, [{\"x\"}, {\"x\"}]"), "S1005", 3, func, "do not overlap, found \"x\" and \"x\""),
        (both("@m, [{\"x\"}]"), "S1005", 3, func, "expected a sharding of rank 2, found 1"),
        (of("@m, [{\"x\":(3)2}, {}]"), "S1005", 3, func, "found \"x\":(3)2"),
        (of("@m, [{\"x\":(1)4}, {}]"), "S1005", 3, func, "expected a sub-axis smaller"),
        (of("@m, [{\"x\":(1)2}, {\"x\"}]"), "S1005", 3, func, "expected axes that do not overlap"),
        (of("@m, [{\"x\":(0)2}, {}]"), "S1005", 3, func, "pre-size 1 or more"),
        (of("@m, [{\"x\":(1)2, \"x\":(2)2}, {}]"), "S1005", 3, func, "sub-axes to be one"),
        (of("@m, [{\"x\"}p-1, {}]"), "S1001", 3, func, "such as p1, found `p`"),
        (of("@m, [{\"x\"}q1, {}]"), "S1001", 3, func, "found `q1`"),
        (of("@m, [{\"x\"}, {}p1]"), "S1005", 3, func, "closed and has no axes"),
        (both("@m, [{}, {}], replicated={\"y\", \"x\"}"), "S1005", 3, func, "order of the mesh"),
        (
            of("@m, [{}, {}], repliated={\"x\"}"),
            "S1001",
            3,
            func,
            "or `unreduced`, found `repliated`",
        ),
        (of("@m, [{\"x\"}, {}], replicated={\"x\"}"), "S1005", 3, func, "do not overlap"),
        (of("@m, [{\"x\"}, {}], unreduced={\"x\"}"), "S1005", 3, func, "do not overlap"),
        (
            both("@m, [{}, {}], replicated={\"y\", \"x\"}"),
            "S1005",
            3,
            func,
            "in the order of the mesh",
        ),
        (
            declared("mhlo.num_partitions = 1"),
            "S1107",
            3,
            func,
            "a mesh of 4 devices, and the module declares 1",
        ),
        (
            declared("mhlo.num_partitions = 3"),
            "S1107",
            3,
            func,
            "a mesh of 4 devices, and the module declares 1 replica of 3 partitions",
        ),
        (
            declared("mhlo.num_partitions = 0"),
            "S1107",
            1,
            "builtin.module",
            "not a number of at least 1",
        ),
        (
            declared("mhlo.num_partitions = -4"),
            "S1107",
            1,
            "builtin.module",
            "not a number of at least 1",
        ),
        (declared("mhlo.num_partitions = \"four\""), "S1107", 1, "builtin.module", "`\"four\"`"),
        (declared("mhlo.num_partitions = 4.0 : f32"), "S1107", 1, "builtin.module", "not a number"),
        (
            declared("mhlo.num_replicas = 2, mhlo.num_partitions = 2"),
            "S1107",
            3,
            func,
            "a mesh of 4 devices, and the module declares 2 replicas of 2 partitions",
        ),
        (declared("mhlo.num_replicas = 4"), "S1107", 3, func, "4 replicas of 1 partition"),
    ]
}

/// What a call on line 4 says of itself does not fit its dimensions.
fn of_rules() -> Vec<Row> {
    let of = |rule: &str| {
        let call = format!(
            "%0 = stablehlo.custom_call @f(%x) {{sdy.sharding_rule = #sdy.op_sharding_rule<{rule}>}} : ({X}) -> {X}"
        );
        split("", FOUR, ROWS, "").replace(SUM, &call)
    };
    let call = "stablehlo.custom_call";
    vec![
        (
            of("([i, j])->([i, j]) {i=8, j=2}"),
            "S1005",
            4,
            call,
            "dimension 0 of operand 0 has 4 indices, and its factors in `sdy.sharding_rule` have 8",
        ),
        (
            of("([ij, k])->([ij, k]) {i=2, j=4, k=2}"),
            "S1005",
            4,
            call,
            "dimension 0 of operand 0 has 4 indices, and its factors in `sdy.sharding_rule` have 8",
        ),
        (
            of("([i, j])->([i, k]) {i=4, j=2, k=1}"),
            "S1005",
            4,
            call,
            "dimension 1 of result 0 has 2 indices, and its factors in `sdy.sharding_rule` have 1",
        ),
        (of("([0, 1])->([0, 1]) {0=4, 1=2}"), "S1001", 4, call, "expected factors i to z"),
        (of("([a, b])->([a, b]) {a=4, b=2}"), "S1001", 4, call, "expected factors i to z"),
    ]
}

fn of_bodies() -> Vec<Row> {
    let rows = "<@m, [{\"x\"}, {}]>";
    let of = |input: &str, axes: &str, part: &str| body("", MESH, input, axes, part);
    let declared = |attributes: &str| body(attributes, MESH, rows, "\"x\", \"y\"", HALF);
    let own = "sdy.manual_computation";
    let twice = "expected distinct manual_axes, found \"y\" twice";
    vec![
        (of(rows, "\"x\", \"y\", \"y\"", HALF), "S1005", 4, own, twice),
        (of(rows, "\"y\", \"y\"", X), "S1005", 4, own, twice),
        (of(rows, "\"x\", \"z\"", HALF), "S1005", 4, own, "expected manual_axes of the mesh"),
        (of(rows, "\"z\"", HALF), "S1005", 4, own, "expected manual_axes of the mesh"),
        (of(rows, "\"x\", \"\"", HALF), "S1005", 4, own, "found \"\""),
        (of("<@m, [{\"w\"}, {}]>", "\"x\"", HALF), "S1005", 4, own, "found \"w\""),
        (of("<@m, [{}, {\"x\"}]>", "\"x\"", X), "S1005", 4, own, "operand 0 of the body"),
        (of(&format!("{rows}, {rows}"), "\"x\"", HALF), "S1005", 4, own, "expected 1 shardings"),
        (of(rows, "\"x\"", X), "S1005", 4, own, "to be `tensor<2x2xf32>`"),
        (
            of("<@m, [{\"y\", \"x\"}, {}]>", "\"x\"", HALF),
            "S1005",
            4,
            own,
            "manual axes before free ones",
        ),
        (
            declared("mhlo.num_partitions = 3"),
            "S1103",
            4,
            own,
            "has 4 devices, and the module declares 3",
        ),
        (
            declared("mhlo.num_partitions = 1"),
            "S1103",
            4,
            own,
            "has 4 devices, and the module declares 1",
        ),
        (
            declared("mhlo.num_replicas = 2, mhlo.num_partitions = 3"),
            "S1103",
            4,
            own,
            "has 4 devices, and the module declares 6",
        ),
    ]
}

/// Terms of sums of quantized values, whose integers have a zero point each.
fn of_terms() -> Vec<Row> {
    let quantized = |text: String| text.replace(X, "tensor<4x2x!quant.uniform<i8:f32, 0.5:3>>");
    let terms = "@m, [{}, {}], unreduced={\"x\"}";
    let own = body("mhlo.num_partitions = 4", MESH, &format!("<{terms}>"), "\"x\", \"y\"", X);
    let reason = "is `unreduced`: what devices store of it cannot be added";
    vec![
        (quantized(split("", MESH, terms, "")), "S1103", 3, "func.func", reason),
        (quantized(own), "S1103", 4, "sdy.manual_computation", reason),
    ]
}

fn of_strings() -> Vec<Row> {
    let of = |text: &str| strings("4", text, "");
    let sum = |text: &str| strings("4", "{devices=[4,1]<=[4]}", text);
    let call = |text: &str| {
        sum("").replace(SUM, &format!("%0 = stablehlo.custom_call @Sharding(%x) {{mhlo.sharding = \"{text}\"}} : ({X}) -> {X}"))
    };
    let (func, add) = ("func.func", "stablehlo.add");
    let of_a_body = "`manual` is of values of a body";
    vec![
        (of("{maximal device=7}"), "S1103", 3, func, "device 7, and there are 4 devices"),
        (sum("{maximal device=4}"), "S1103", 4, add, "device 4, and there are 4 devices"),
        (of("{maximal device=-1}"), "S1103", 3, func, "a number is missing before `-1}`"),
        (of("{manual}"), "S1103", 3, func, of_a_body),
        (sum("{manual}"), "S1103", 4, add, of_a_body),
        (call("{manual}"), "S1103", 4, "stablehlo.custom_call", of_a_body),
        (of("{devices=[4]<=[4]}"), "S1103", 3, func, "it has 1 dimensions, and the value 2"),
        (of("{devices=[3,1]<=[4]}"), "S1103", 3, func, "there are 3 tiles, and 4 devices"),
        (of("{devices=[4,1]0,1,1,2}"), "S1103", 3, func, "each of the devices 0 to 3 once"),
        (of("{devices=[4,1]1,2,3,4}"), "S1103", 3, func, "each of the devices 0 to 3 once"),
        (
            of("{devices=[8,1]<=[8]}"),
            "S1107",
            3,
            func,
            "a mesh of 8 devices, and the module declares 1 replica of 4",
        ),
        (
            of("{devices=[2,1]<=[2]}"),
            "S1107",
            3,
            func,
            "a mesh of 2 devices, and the module declares 1 replica of 4",
        ),
        (
            strings("1", "{devices=[4,1]<=[4]}", ""),
            "S1107",
            3,
            func,
            "the module declares 1 device",
        ),
        (of("{devices=[0,1]<=[0]}"), "S1103", 3, func, "a dimension has no tiles"),
        (of("{devices=[4,1]<=[2,2]T(0,0)}"), "S1103", 3, func, "is not an order of 2 dimensions"),
        (of("{devices=[4,1]<=[4]"), "S1103", 3, func, "`}` is missing at its end"),
        (of("{devices=[4,1]<=[4]} x"), "S1103", 3, func, "`x` follows its end"),
        (
            of("{devices=[2,2]<=[4] last_tile_dim_replicate}"),
            "S1103",
            3,
            func,
            "it has 1 dimensions",
        ),
        (of("{devices=[99999999999,1]<=[4]}"), "S1103", 3, func, "it has more than"),
        (of("{{replicated},{replicated}}"), "S1103", 3, func, "it is of 2 values, and there are 1"),
        (of("x").replace("\"x\"", "7 : i32"), "S1103", 3, func, "it is not a text"),
    ]
}

#[test]
fn mistakes_about_devices_are_named() {
    let rows = [
        of_meshes(),
        of_shardings(),
        of_rules(),
        of_bodies(),
        of_terms(),
        of_strings(),
        of_groups(),
        of_exchanges(),
        of_transfers(),
    ];
    let rows = rows.concat();
    assert!(rows.len() >= 131, "{} programs", rows.len());
    let mut wrong = Vec::new();
    for (program, code, line, operation, reason) in rows {
        let compiler = Compiler::new(options("x86-64-v3")).to(Stage::Linalg);
        let Err(errors) = compiler.compile("bad.mlir", program.as_bytes()) else {
            wrong.push(format!("nothing is said about\n{program}"));
            continue;
        };
        let text = errors.render();
        let one: Vec<_> = errors.iter().collect();
        let is_named = one.len() == 1
            && one[0].fault() == Fault::Program
            && one[0].code().to_string() == code
            && one[0].operation_name().unwrap_or_default() == operation
            && text.contains(&format!("bad.mlir:{line}:"))
            && text.contains(reason)
            && text.contains("= hint");
        if !is_named {
            wrong.push(format!(
                "expected {code}, line {line}, {operation}, {reason}:\n{text}\n{program}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
}

/// What is allowed: groups that are filled up at their ends, a transfer with its other side, one device by its number.
#[test]
fn programs_that_fit_their_devices_compile() {
    let rows = [
        groups("dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>", ""),
        transfer(SEND, RECV),
        transfer(&SEND.replace("[[0, 1]]", "[[1, 1]]"), &RECV.replace("[[0, 1]]", "[[1, 1]]")),
        split("", &format!("{MESH} sdy.mesh @one = <[], device_ids=[3]>"), ROWS, "@one, []"),
        split("mhlo.num_partitions = 4", &format!("{MESH} sdy.mesh @n = <[\"x\"=8]>"), ROWS, ""),
        split("mhlo.num_replicas = 2, mhlo.num_partitions = 4", MESH, ROWS, ""),
        body(
            "mhlo.num_replicas = 3, mhlo.num_partitions = 4",
            MESH,
            "<@m, [{\"x\"}, {}]>",
            "\"x\", \"y\"",
            HALF,
        ),
        strings("4", "{maximal device=3}", ""),
        strings("4", "{unknown}", ""),
    ];
    for program in rows {
        let compiler = Compiler::new(options("x86-64-v3")).to(Stage::Linalg);
        let made = compiler.compile("good.mlir", program.as_bytes());
        assert!(made.is_ok(), "{}\n{program}", made.expect_err("it is refused").render());
    }
}

/// The other commands say the same before they do anything.
#[test]
fn every_command_checks_devices() {
    let folder = tempfile::tempdir().expect("a folder");
    let declared = |attributes: &str| split(attributes, MESH, ROWS, "");
    let rows = [
        (transfer(SEND, ""), "nothing receives there"),
        (declared("mhlo.num_partitions = 8"), "over a mesh of 4 devices"),
        (declared("mhlo.num_replicas = 4, mhlo.num_partitions = 1"), "over a mesh of 4 devices"),
    ];
    for (program, reason) in rows {
        fs::write(folder.path().join("bad.mlir"), program).expect("written");
        for command in ["check", "eval", "run", "verify", "bench"] {
            let ended = strata(folder.path(), &[command, "bad.mlir"]);
            assert_eq!(ended.code, 1, "{command}: {}", ended.stderr);
            assert!(ended.stderr.contains("S1107"), "{command}: {}", ended.stderr);
            assert!(ended.stderr.contains(reason), "{command}: {}", ended.stderr);
        }
    }
}

/// What a dump says of its parts is of the devices that its module declares.
#[test]
fn dumps_are_for_the_devices_of_their_module() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("parts.mlir");
    fs::write(folder.path().join("p.mlir"), split("", MESH, ROWS, "")).expect("written");
    strata(folder.path(), &["compile", "p.mlir", "--to", "spmd", "-o", "parts.mlir"]).succeeded();
    let parts = fs::read_to_string(&file).expect("written");
    let other = parts.replace("mhlo.num_partitions = 4", "mhlo.num_partitions = 2");
    assert_ne!(parts, other);
    fs::write(&file, other).expect("written");
    let ended = strata(folder.path(), &["eval", "--from", "spmd", "parts.mlir"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let reason = "`strata.shards` is of devices [0, 1, 2, 3], and the module declares 2";
    assert!(ended.stderr.contains(reason), "{}", ended.stderr);
}
