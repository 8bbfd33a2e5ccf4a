//! Operations on several devices and on dynamic dimensions: each is rejected with its name and location,
//! and never compiled to something else.

use strata::Compiler;

use crate::harness::options;

/// The code, the operation, and what defines `%0`. Where the type does not say it, `%0` is a token.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "S1103",
        "all_gather",
        r#"%0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, GROUPS} : (tensor<4xf32>) -> tensor<8xf32>"#,
    ),
    (
        "S1103",
        "all_reduce",
        r#"%0 = "stablehlo.all_reduce"(%x) SUM {GROUPS} : (tensor<4xf32>) -> tensor<4xf32>"#,
    ),
    (
        "S1103",
        "all_to_all",
        r#"%0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, GROUPS} : (tensor<4xf32>) -> tensor<4xf32>"#,
    ),
    (
        "S1103",
        "collective_broadcast",
        r#"%0 = "stablehlo.collective_broadcast"(%x) {GROUPS} : (tensor<4xf32>) -> tensor<4xf32>"#,
    ),
    (
        "S1103",
        "collective_permute",
        r#"%0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>"#,
    ),
    (
        "S1103",
        "reduce_scatter",
        r#"%0 = "stablehlo.reduce_scatter"(%x) SUM {scatter_dimension = 0 : i64, GROUPS} : (tensor<4xf32>) -> tensor<2xf32>"#,
    ),
    (
        "S1103",
        "cross-replica-sum",
        r#"%0 = "stablehlo.cross-replica-sum"(%x) {GROUPS} : (tensor<4xf32>) -> tensor<4xf32>"#,
    ),
    (
        "S1103",
        "send",
        r#"%0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token"#,
    ),
    (
        "S1103",
        "recv",
        r#"%0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)"#,
    ),
    (
        "S1101",
        "dynamic_reshape",
        r#"%0 = stablehlo.dynamic_reshape %x, %n : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>"#,
    ),
    (
        "S1101",
        "dynamic_broadcast_in_dim",
        r#"%0 = stablehlo.dynamic_broadcast_in_dim %x, %m, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>"#,
    ),
    (
        "S1101",
        "dynamic_iota",
        r#"%0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>"#,
    ),
    (
        "S1101",
        "dynamic_pad",
        r#"%0 = stablehlo.dynamic_pad %x, %v, %n, %n, %n : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>"#,
    ),
    (
        "S1101",
        "real_dynamic_slice",
        r#"%0 = stablehlo.real_dynamic_slice %x, %n, %n, %n : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>"#,
    ),
    (
        "S1101",
        "dynamic_gather",
        r#"%0 = "stablehlo.dynamic_gather"(%x, %j, %n) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>} : (tensor<4xf32>, tensor<3x1xi32>, tensor<1xi32>) -> tensor<3x?xf32>"#,
    ),
];

const GROUPS: &str = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>";

const SUM: &str = "({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })";

#[test]
fn later_operations_are_refused_by_name_and_place() {
    for (code, name, text) in REFUSED {
        let text = text.replace("GROUPS", GROUPS).replace("SUM", SUM);
        let (_, result) = text.rsplit_once("-> ").expect("a type");
        // Of what sends and receives nothing is returned.
        let (value, result) = match *name {
            "send" | "recv" => ("%x", "tensor<4xf32>"),
            _ => ("%0", result),
        };
        let program = format!(
            "func.func public @main(%x: tensor<4xf32>, %v: tensor<f32>, %k: tensor<i32>, %n: tensor<1xi32>,
                 %m: tensor<2xi32>, %j: tensor<3x1xi32>, %t: !stablehlo.token) -> {result} {{\n\
             {text}\n\
             return {value} : {result}\n}}"
        );
        let errors = Compiler::new(options("x86-64")).compile("later.mlir", program.as_bytes());
        let Err(errors) = errors else { panic!("{name} compiles") };
        let error = errors.into_iter().next().expect("a diagnostic");
        assert_eq!(error.code().to_string(), *code, "{name}: {error:?}");
        let operation = error.operation_name().unwrap_or_default();
        assert_eq!(operation, format!("stablehlo.{name}"));
        let location = error.location().map(ToString::to_string).unwrap_or_default();
        assert!(location.contains("later.mlir:3:"), "{name} is at {location}");
    }
}

/// Targets of custom calls that XLA and JAX write for what cannot be a function to link.
#[test]
fn targets_of_xla_are_refused_with_a_reason() {
    for (target, code, word) in [
        ("ragged_all_to_all", "S1103", "has 6 operands"),
        ("_SPMDInternalOp_RotateRight", "S1103", "between devices"),
        ("MoveToHost", "S1202", "memories"),
        ("annotate_device_placements", "", ""),
        ("tpu_custom_call", "S1202", "TPUs"),
        ("LuDecomposition", "S1202", "TPUs"),
        ("triton_kernel_call_ffi", "S1202", "GPUs"),
        ("__gpu$xla.gpu.triton", "S1202", "GPUs"),
        ("mosaic_gpu_v2", "S1202", "GPUs"),
        ("cusolver_getrf_ffi", "S1202", "GPUs"),
        ("cu_threefry2x32_ffi", "S1202", "GPUs"),
        ("tf.call_tf_function", "S1202", "TensorFlow"),
        ("__onednn$matmul", "S1202", "XLA's own"),
        ("stablehlo.dynamic_top_k", "S1202", "XLA's own"),
        ("my_function", "", ""),
        ("cu_my_function", "", ""),
        ("lapack_sgetrf_ffi", "", ""),
    ] {
        let program = format!(
            "func.func public @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {{\n\
             %0 = stablehlo.custom_call @\"{target}\"(%x) : (tensor<3x3xf32>) -> tensor<3x3xf32>\n\
             return %0 : tensor<3x3xf32>\n}}"
        );
        let compiler = Compiler::new(options("x86-64")).to(strata::Stage::Hlo);
        let compiled = compiler.compile("call.mlir", program.as_bytes()).map(drop);
        let Err(errors) = compiled else {
            assert_eq!(code, "", "{target} compiles");
            continue;
        };
        let error = errors.into_iter().next().expect("a diagnostic");
        assert_eq!(error.code().id(), code, "{target}: {error:?}");
        let reason = error.reason_text().unwrap_or_default();
        assert!(reason.contains(&format!("`{target}`")) && reason.contains(word), "{reason}");
        assert!(error.hint_text().is_some(), "{target}");
        let location = error.location().map(ToString::to_string).unwrap_or_default();
        assert!(location.contains("call.mlir:2:"), "{target} is at {location}");
    }
}

/// Verifiers take types for compatible that differ in their scales; stored integers that move between them would mean other numbers.
#[test]
fn stored_integers_keep_their_meaning() {
    const X: &str = "tensor<3x!quant.uniform<i8:f32, 0.5>>";
    for (name, y) in [
        ("if", "tensor<3x!quant.uniform<i8:f32, 0.25>>"),
        ("if", "tensor<3x!quant.uniform<i8:f32, 0.5:1>>"),
        ("while", "tensor<3x!quant.uniform<i8:f32, 0.25>>"),
        ("while", "tensor<3x!quant.uniform<i8:f32, 0.5:1>>"),
        ("if", X),
        ("while", X),
    ] {
        let text = match name {
            "if" => format!(
                "%0 = \"stablehlo.if\"(%p) ({{ stablehlo.return %x : {X} }}, {{ stablehlo.return %y : {y} }}) : (tensor<i1>) -> {X}"
            ),
            _ => format!(
                "%0 = \"stablehlo.while\"(%x) ({{ ^bb0(%a: {X}): stablehlo.return %p : tensor<i1> }}, \
                 {{ ^bb0(%a: {X}): stablehlo.return %y : {y} }}) : ({X}) -> {X}"
            ),
        };
        let program = format!(
            "func.func public @main(%p: tensor<i1>, %x: {X}, %y: {y}) -> {X} {{\n{text}\nreturn %0 : {X}\n}}"
        );
        let compiler = Compiler::new(options("x86-64")).to(strata::Stage::Hlo);
        let compiled = compiler.compile("moves.mlir", program.as_bytes()).map(drop);
        if y == X {
            assert_eq!(compiled.map_err(|errors| format!("{errors:?}")), Ok(()), "{name}");
            continue;
        }
        let error = compiled.expect_err(name).into_iter().next().expect("a diagnostic");
        assert_eq!(error.code().id(), "S1102", "{name} of {y}: {error:?}");
        assert_eq!(error.operation_name(), Some(&*format!("stablehlo.{name}")));
        let reason = error.reason_text().unwrap_or_default();
        assert!(reason.contains("other numbers"), "{reason}");
        assert!(error.hint_text().is_some(), "{name}");
        let location = error.location().map(ToString::to_string).unwrap_or_default();
        assert!(location.contains("moves.mlir:2:"), "{name} is at {location}");
    }
}

fn shards(mesh: &str, local: &str) -> String {
    format!(
        "sdy.mesh @mesh = {mesh}\n\
         func.func public @main(%x: tensor<6x3xf32>) -> tensor<6x3xf32> {{\n\
         %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{\"x\"}}, {{}}]>] \
         out_shardings=[<@mesh, [{{\"x\"}}, {{}}]>] manual_axes={{\"x\"}} (%a: tensor<{local}x3xf32>) {{\n\
         %1 = stablehlo.multiply %a, %a : tensor<{local}x3xf32>\n\
         sdy.return %1 : tensor<{local}x3xf32>\n\
         }} : (tensor<6x3xf32>) -> tensor<6x3xf32>\n\
         return %0 : tensor<6x3xf32>\n}}"
    )
}

/// A body that each device runs is the program itself on a mesh of one device; a module that declares one has no others.
#[test]
fn bodies_of_one_device_are_compiled() {
    for mesh in ["<[\"x\"=1]>", "<[\"x\"=1, \"y\"=1]>"] {
        let compiled =
            Compiler::new(options("x86-64")).compile("one.mlir", shards(mesh, "6").as_bytes());
        assert!(compiled.is_ok(), "{mesh}: {:?}", compiled.err());
        let text = Compiler::new(options("x86-64")).to(strata::Stage::Hlo);
        let text = text.compile("one.mlir", shards(mesh, "6").as_bytes()).expect("compiled");
        let text = String::from_utf8_lossy(text.bytes()).into_owned();
        assert!(text.contains("stablehlo.multiply") && !text.contains("sdy."), "{text}");
    }
    for (mesh, local, said) in [
        ("<[\"x\"=2]>", "3", "its mesh has 2 devices, and the module declares 1 device"),
        ("<[\"x\"=3, \"y\"=2]>", "2", "its mesh has 6 devices, and the module declares 1 device"),
    ] {
        let errors = Compiler::new(options("x86-64"))
            .compile("two.mlir", crate::devices::module(1, 1, &shards(mesh, local)).as_bytes())
            .map(drop)
            .expect_err("refused");
        let error = errors.into_iter().next().expect("a diagnostic");
        assert_eq!(error.code().id(), "S1103", "{error:?}");
        let reason = error.reason_text().unwrap_or_default();
        assert!(reason.contains(said) && !reason.contains("communic"), "{reason}");
    }
}
