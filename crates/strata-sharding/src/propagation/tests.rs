//! Propagation on small programs: what each kind of operation passes on, and what it does not.

use strata_ir::{
    Context, Mesh, Module, Op, OpKind, TensorSharding, TypeExt as _, func, module_op, new_context,
    parse_text, print, shardings_of,
};
use strata_shapes::{FactorKind, rules};

use super::{Propagated, propagate};

const MESH: &str = "sdy.mesh @m = <[\"x\"=2, \"y\"=2, \"z\"=2]>\n";

fn parsed<'c>(context: &'c Context, text: &str) -> Module<'c> {
    parse_text(context, &format!("{MESH}{text}")).expect(text)
}

/// The program after propagation, and what is said of it.
fn propagated<'c>(context: &'c Context, text: &str) -> (Module<'c>, Propagated) {
    let module = parsed(context, text);
    let mut told = propagate(context, &module).expect(text);
    assert!(module_op(&module).verify(), "{}", print(&module, false));
    (module, told.remove(0))
}

/// The shardings of the results of all operations of a kind, without the mesh.
fn results(module: &Module<'_>, kind: OpKind) -> Vec<String> {
    let ops = module_op(module).collect(|op| op.kind() == kind);
    let all = ops.into_iter().flat_map(|op| shardings_of(op).unwrap_or_default());
    all.map(|sharding| short(&sharding)).collect()
}

fn short(sharding: &TensorSharding) -> String {
    let text = sharding.to_string().replace('"', "");
    text.trim_start_matches("<@m, ").trim_end_matches('>').to_owned()
}

/// What an operation of one result gets from its arguments: `%a`, `%b`, … of these types and shardings.
fn of_operation(arguments: &[(&str, &str)], operation: &str) -> String {
    let context = new_context();
    let list: Vec<_> = arguments
        .iter()
        .zip('a'..)
        .map(|((ty, dims), name)| {
            let dims = dims.replace('x', "\"x\"").replace('y', "\"y\"").replace('z', "\"z\"");
            format!("%{name}: tensor<{ty}> {{sdy.sharding = #sdy.sharding<@m, [{dims}]>}}")
        })
        .collect();
    let text = format!("func.func @main({}) {{\n%r = {operation}\nreturn }}", list.join(", "));
    let (module, _) = propagated(&context, &text);
    let func = module_op(&module).collect(|op| op.is(func::FUNC))[0];
    let op = func.body(0).ops().into_iter().rev().nth(1).expect("the operation");
    short(&shardings_of(op).expect("it has a sharding")[0])
}

#[test]
fn each_family_passes_on_what_it_treats_alike() {
    let lines = [
        (
            "element by element",
            of_operation(
                &[("8x6xf32", "{x}, {}"), ("8x6xf32", "{}, {y}")],
                "stablehlo.add %a, %b : tensor<8x6xf32>",
            ),
        ),
        ("uneven", of_operation(&[("7x6xf32", "{x}, {}")], "stablehlo.tanh %a : tensor<7x6xf32>")),
        (
            "transpose",
            of_operation(
                &[("8x6x4xf32", "{x}, {y}, {}")],
                "stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<8x6x4xf32>) -> tensor<4x8x6xf32>",
            ),
        ),
        (
            "broadcast",
            of_operation(
                &[("6xf32", "{y}")],
                "stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>",
            ),
        ),
        (
            "broadcast of one",
            of_operation(
                &[("1x6xf32", "{}, {y}")],
                "stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<8x6xf32>",
            ),
        ),
        (
            "join",
            of_operation(
                &[("2x4x6xf32", "{x}, {y}, {z}")],
                "stablehlo.reshape %a : (tensor<2x4x6xf32>) -> tensor<8x6xf32>",
            ),
        ),
        (
            "join of a part",
            of_operation(
                &[("4x4x6xf32", "{x}, {y}, {z}")],
                "stablehlo.reshape %a : (tensor<4x4x6xf32>) -> tensor<16x6xf32>",
            ),
        ),
        (
            "split",
            of_operation(
                &[("8x6xf32", "{x, y, z}, {}")],
                "stablehlo.reshape %a : (tensor<8x6xf32>) -> tensor<2x4x6xf32>",
            ),
        ),
        (
            "split across",
            of_operation(
                &[("6x4xf32", "{x, y}, {}")],
                "stablehlo.reshape %a : (tensor<6x4xf32>) -> tensor<3x2x4xf32>",
            ),
        ),
        (
            "dot",
            of_operation(
                &[("8x6xf32", "{x}, {y}"), ("6x4xf32", "{y}, {z}")],
                "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>",
            ),
        ),
        (
            "dot of rows on the axis of the sum",
            of_operation(
                &[("8x6xf32", "{x}, {}"), ("6x4xf32", "{x}, {}")],
                "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>",
            ),
        ),
        (
            "dot that wants an axis twice",
            of_operation(
                &[("8x6xf32", "{x}, {}"), ("6x2xf32", "{}, {x}")],
                "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>",
            ),
        ),
        (
            "reduce",
            of_operation(
                &[("8x6x4xf32", "{x}, {y}, {z}"), ("f32", "")],
                "stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : (tensor<8x6x4xf32>, tensor<f32>) -> tensor<8x4xf32>",
            ),
        ),
        (
            "slice",
            of_operation(
                &[("8x6xf32", "{x}, {y}")],
                "stablehlo.slice %a [0:4, 0:6] : (tensor<8x6xf32>) -> tensor<4x6xf32>",
            ),
        ),
        (
            "pad",
            of_operation(
                &[("8x6xf32", "{x}, {y}"), ("f32", "")],
                "stablehlo.pad %a, %b, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<9x6xf32>",
            ),
        ),
        (
            "reverse",
            of_operation(
                &[("8x6xf32", "{x}, {y}")],
                "stablehlo.reverse %a, dims = [0] : tensor<8x6xf32>",
            ),
        ),
        (
            "concatenate",
            of_operation(
                &[("8x6xf32", "{x}, {y}"), ("8x6xf32", "{x}, {y}")],
                "stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<16x6xf32>",
            ),
        ),
        (
            "dynamic slice",
            of_operation(
                &[("8x6xf32", "{x}, {y}"), ("i32", "")],
                "stablehlo.dynamic_slice %a, %b, %b, sizes = [4, 6] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>",
            ),
        ),
        (
            "dynamic update slice",
            of_operation(
                &[("8x6xf32", "{x}, {}"), ("4x6xf32", "{}, {y}"), ("i32", "")],
                "stablehlo.dynamic_update_slice %a, %b, %c, %c : (tensor<8x6xf32>, tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>",
            ),
        ),
        (
            "sort",
            of_operation(
                &[("8x6xf32", "{x}, {y}")],
                "\"stablehlo.sort\"(%a) ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>): %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %l : tensor<i1> }) {dimension = 1 : i64} : (tensor<8x6xf32>) -> tensor<8x6xf32>",
            ),
        ),
        (
            "gather",
            of_operation(
                &[("40x8xf32", "{x}, {y}"), ("6x1xi32", "{z}, {}")],
                "\"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>} : (tensor<40x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>",
            ),
        ),
        (
            "convolution",
            of_operation(
                &[("8x9x4xf32", "{x}, {y}, {}"), ("3x4x6xf32", "{}, {}, {z}")],
                "stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x9x4xf32>, tensor<3x4x6xf32>) -> tensor<8x7x6xf32>",
            ),
        ),
        (
            "fft",
            of_operation(
                &[("8x4xcomplex<f32>", "{x}, {y}")],
                "stablehlo.fft %a, type = FFT, length = [4] : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>",
            ),
        ),
        (
            "cholesky",
            of_operation(
                &[("8x4x4xf32", "{x}, {y}, {}")],
                "stablehlo.cholesky %a, lower = true : tensor<8x4x4xf32>",
            ),
        ),
        (
            "a linked function",
            of_operation(
                &[("8x4xf32", "{x}, {y}")],
                "stablehlo.custom_call @f(%a) : (tensor<8x4xf32>) -> tensor<8x4xf32>",
            ),
        ),
    ];
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let text: Vec<_> = lines.iter().map(|(name, got)| format!("{name:width$}  {got}")).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn results_say_what_their_operands_are() {
    let context = new_context();
    let (module, told) = propagated(
        &context,
        r#"
        func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {}]>}, %b: tensor<6x4xf32>)
            -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}, {"z"}]>}) {
          %c = stablehlo.constant dense<1.0> : tensor<8x4xf32>
          %i = stablehlo.iota dim = 0 : tensor<8x4xf32>
          %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
          %1 = stablehlo.add %0, %c : tensor<8x4xf32>
          %2 = stablehlo.add %1, %i : tensor<8x4xf32>
          return %2 : tensor<8x4xf32>
        }"#,
    );
    for kind in [OpKind::Constant, OpKind::Iota, OpKind::DotGeneral, OpKind::Add] {
        assert!(results(&module, kind).iter().all(|one| one == "[{x, y}, {z}]"), "{kind:?}");
    }
    let func = module_op(&module).collect(|op| op.is(func::FUNC))[0];
    let argument = |index| short(&TensorSharding::of_argument(func, index).expect("a sharding"));
    // The first is open, the second has none and stays whole.
    assert_eq!([argument(0), argument(1)], ["[{x, y}, {}]", "[{}, {}]"]);
    assert_eq!((told.values, told.split, told.conflicts.len()), (7, 6, 0));
}

#[test]
fn loops_and_branches_carry_shardings() {
    let context = new_context();
    let (module, _) = propagated(
        &context,
        r#"
        func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %p: tensor<i1>, %n: tensor<i32>) -> tensor<8x6xf32> {
          %zero = stablehlo.constant dense<0.0> : tensor<8x6xf32>
          %0:3 = stablehlo.while(%v = %zero, %i = %n, %w = %a) : tensor<8x6xf32>, tensor<i32>, tensor<8x6xf32> cond {
            %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %s = stablehlo.subtract %v, %w : tensor<8x6xf32>
            stablehlo.return %s, %i, %w : tensor<8x6xf32>, tensor<i32>, tensor<8x6xf32>
          }
          %1 = "stablehlo.if"(%p) ({
            %t = stablehlo.sine %0#0 : tensor<8x6xf32>
            stablehlo.return %t : tensor<8x6xf32>
          }, {
            %e = stablehlo.constant dense<2.0> : tensor<8x6xf32>
            stablehlo.return %e : tensor<8x6xf32>
          }) : (tensor<i1>) -> tensor<8x6xf32>
          %2 = stablehlo.optimization_barrier %1 : tensor<8x6xf32>
          return %2 : tensor<8x6xf32>
        }"#,
    );
    assert_eq!(results(&module, OpKind::While), ["[{x}, {}]", "[]", "[{x}, {}]"]);
    for kind in
        [OpKind::Subtract, OpKind::If, OpKind::Sine, OpKind::Constant, OpKind::OptimizationBarrier]
    {
        assert!(results(&module, kind).iter().all(|one| one == "[{x}, {}]"), "{kind:?}");
    }
    let body = module_op(&module).collect(|op| op.kind() == OpKind::While)[0].body(1);
    assert_eq!(short(&TensorSharding::of_value(body.arg(0)).expect("the loop's")), "[{x}, {}]");
}

#[test]
fn constraints_groups_and_closed_dimensions_are_kept() {
    let context = new_context();
    let (module, told) = propagated(
        &context,
        r#"
        func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}) -> tensor<8x6xf32> {
          %0 = stablehlo.tanh %a : tensor<8x6xf32>
          %1 = sdy.sharding_constraint %0 <@m, [{"y"}, {?}]> : tensor<8x6xf32>
          %2 = stablehlo.sine %1 : tensor<8x6xf32>
          %3 = sdy.sharding_constraint %2 <@m, [{?}, {"z"}]> : tensor<8x6xf32>
          sdy.sharding_group %3 group_id=4 : tensor<8x6xf32>
          sdy.sharding_group %b group_id=4 : tensor<8x6xf32>
          return %3 : tensor<8x6xf32>
        }"#,
    );
    assert_eq!(results(&module, OpKind::Tanh), ["[{x}, {z}]"]);
    assert_eq!(results(&module, OpKind::SdyShardingConstraint), ["[{y}, {z}]", "[{y}, {z}]"]);
    let func = module_op(&module).collect(|op| op.is(func::FUNC))[0];
    assert_eq!(short(&TensorSharding::of_argument(func, 1).expect("a sharding")), "[{y}, {z}]");
    assert!(module_op(&module).collect(|op| op.kind() == OpKind::SdyShardingGroup).is_empty());
    let [conflict] = &told.conflicts[..] else { panic!("{:?}", told.conflicts) };
    assert!(conflict.operation.starts_with("sdy.sharding_constraint"), "{}", conflict.operation);
    assert_eq!(conflict.reason, r#"the same dimension is split along {"x"} and along {"y"}"#);
}

#[test]
fn lower_priorities_come_first() {
    let context = new_context();
    let text = |first: &str, second: &str| {
        format!(
            r#"func.func @main(%a: tensor<8x6xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x"}}{first}, {{}}]>}}, %b: tensor<8x6xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"y"}}{second}, {{}}]>}}) -> tensor<8x6xf32> {{
              %0 = stablehlo.add %a, %b : tensor<8x6xf32>
              return %0 : tensor<8x6xf32>
            }}"#
        )
    };
    let of = |first, second| results(&propagated(&context, &text(first, second)).0, OpKind::Add);
    assert_eq!(of("", ""), ["[{}, {}]"]);
    assert_eq!(of("p0", "p1"), ["[{x}, {}]"]);
    assert_eq!(of("p2", "p1"), ["[{y}, {}]"]);
}

#[test]
fn bodies_of_devices_keep_to_themselves() {
    let context = new_context();
    let (module, _) = propagated(
        &context,
        r#"
        func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}, %b: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> tensor<8x6xf32> {
          %0 = stablehlo.tanh %a : tensor<8x6xf32>
          %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%p: tensor<4x6xf32>) {
            %s = stablehlo.sine %p : tensor<4x6xf32>
            %t = stablehlo.add %s, %b : tensor<4x6xf32>
            sdy.return %t : tensor<4x6xf32>
          } : (tensor<8x6xf32>) -> tensor<8x6xf32>
          %2 = stablehlo.cosine %1 : tensor<8x6xf32>
          return %2 : tensor<8x6xf32>
        }"#,
    );
    assert_eq!(results(&module, OpKind::Tanh), ["[{x}, {y}]"]);
    assert_eq!(results(&module, OpKind::Sine), ["[{}, {y}]"]);
    assert_eq!(results(&module, OpKind::Add), ["[{}, {y}]"]);
    assert_eq!(results(&module, OpKind::SdyManualComputation), ["[{x}, {}]"]);
    assert_eq!(results(&module, OpKind::Cosine), ["[{x}, {}]"]);
}

#[test]
fn meshes_that_are_written_out_get_a_name() {
    let context = new_context();
    let text = r#"
        func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=4]>, [{"a"}]>}) -> tensor<8xf32> {
          %0 = stablehlo.tanh %a : tensor<8xf32>
          return %0 : tensor<8xf32>
        }"#;
    let (module, _) = propagated(&context, text);
    assert_eq!(results(&module, OpKind::Tanh), ["<@mesh_0, [{a}]"]);
    assert_eq!(module_op(&module).collect(|op| op.kind() == OpKind::SdyMesh).len(), 2);
}

#[test]
fn programs_that_are_not_split_stay_as_they_are() {
    let context = new_context();
    for text in [
        "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> { return %a : tensor<8xf32> }",
        r#"sdy.mesh @one = <["a"=1]>
           func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{"a"}]>}) -> tensor<8xf32> { return %a : tensor<8xf32> }"#,
    ] {
        let module = parsed(&context, text);
        let before = print(&module, false);
        assert_eq!(propagate(&context, &module).expect(text), []);
        assert_eq!(print(&module, false), before);
    }
}

#[test]
fn groups_of_values_of_different_shapes_are_refused() {
    let context = new_context();
    let module = parsed(
        &context,
        r#"
        func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %b: tensor<4xf32>) {
          sdy.sharding_group %a group_id=0 : tensor<8xf32>
          sdy.sharding_group %b group_id=0 : tensor<4xf32>
          return
        }"#,
    );
    let error = propagate(&context, &module).expect_err("the shapes differ");
    assert_eq!(error.reason_text(), Some("values of group 0 have different shapes"));
}

/// A generator of numbers: splitmix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    /// A sharding of two dimensions without an axis twice.
    fn sharding(&mut self) -> String {
        let mut parts = vec!["\"x\"", "\"y\"", "\"z\":(1)2", "\"z\":(2)2"];
        let mut dims = [Vec::new(), Vec::new()];
        for _ in 0..self.below(4) {
            let part = parts.remove(self.below(parts.len()));
            dims[self.below(2)].push(part);
        }
        // Neighbours that are one axis are written as one.
        let dims = dims.map(|dim| {
            let text = dim.join(", ").replace("\"z\":(1)2, \"z\":(2)2", "\"z\"");
            let open =
                if self.below(2) == 0 { if text.is_empty() { "?" } else { ", ?" } } else { "" };
            let is_plain = text.is_empty() && open.is_empty();
            let priority = if !is_plain && self.below(4) == 0 { "p1" } else { "" };
            format!("{{{text}{open}}}{priority}")
        });
        format!("<@r, [{}]>", dims.join(", "))
    }
}

/// A random program on matrices of 8 x 8.
fn random(numbers: &mut Numbers) -> String {
    let ty = "tensor<8x8xf32>";
    let mut lines = Vec::new();
    let mut values = vec!["%a0".to_owned(), "%a1".to_owned(), "%a2".to_owned()];
    for index in 0..numbers.below(12) + 1 {
        let mut pick = || values[numbers.below(values.len())].clone();
        let (a, b) = (pick(), pick());
        lines.push(match numbers.below(9) {
            0 => format!("%{index} = stablehlo.add {a}, {b} : {ty}"),
            1 => format!("%{index} = stablehlo.dot_general {a}, {b}, contracting_dims = [{}] x [{}] : ({ty}, {ty}) -> {ty}", numbers.below(2), numbers.below(2)),
            2 => format!("%{index} = stablehlo.transpose {a}, dims = [1, 0] : ({ty}) -> {ty}"),
            3 => format!("%{index} = sdy.sharding_constraint {a} {} : {ty}", numbers.sharding()),
            4 => format!("%r{index} = stablehlo.reshape {a} : ({ty}) -> tensor<2x2x16xf32>\n%{index} = stablehlo.reshape %r{index} : (tensor<2x2x16xf32>) -> {ty}"),
            5 => format!("%r{index} = stablehlo.reduce({a} init: %zero) applies stablehlo.add across dimensions = [{}] : ({ty}, tensor<f32>) -> tensor<8xf32>\n%{index} = stablehlo.broadcast_in_dim %r{index}, dims = [{}] : (tensor<8xf32>) -> {ty}", numbers.below(2), numbers.below(2)),
            6 => format!("%{index} = stablehlo.reverse {a}, dims = [{}] : {ty}", numbers.below(2)),
            7 => format!("%r{index} = stablehlo.slice {a} [0:4, 0:8] : ({ty}) -> tensor<4x8xf32>\n%{index} = stablehlo.concatenate %r{index}, %r{index}, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> {ty}"),
            _ => format!("%{index}, %w{index} = stablehlo.while(%v{index} = {a}, %u{index} = {b}) : {ty}, {ty} cond {{ stablehlo.return %true : tensor<i1> }} do {{\n%s{index} = stablehlo.subtract %v{index}, %u{index} : {ty}\nstablehlo.return %u{index}, %s{index} : {ty}, {ty} }}").replacen(&format!("%{index}, %w{index} ="), &format!("%q{index}:2 ="), 1) + &format!("\n%{index} = stablehlo.negate %q{index}#0 : {ty}"),
        });
        values.push(format!("%{index}"));
    }
    let arguments: Vec<_> = (0..3)
        .map(|index| {
            format!("%a{index}: {ty} {{sdy.sharding = #sdy.sharding{}}}", numbers.sharding())
        })
        .collect();
    let result = values.last().expect("three at least");
    format!(
        "sdy.mesh @r = <[\"x\"=2, \"y\"=2, \"z\"=4]>\nfunc.func @main({}) -> {ty} {{\n%zero = stablehlo.constant dense<0.0> : tensor<f32>\n%true = stablehlo.constant dense<true> : tensor<i1>\n{}\nreturn {result} : {ty}\n}}",
        arguments.join(", "),
        lines.join("\n")
    )
}

/// The axes of the first operand or result of each factor that may share any agree with those of all others as far as both go, or the
/// program is told of it; all others are only on values whose own producers or users split them.
fn check(op: Op<'_>, mesh: &Mesh) {
    let Some(own) = shardings_of(op) else { return };
    for (sharding, value) in own.iter().zip(op.results()) {
        let rank = value.ty().rank().unwrap_or_default();
        sharding.check(mesh, rank).unwrap_or_else(|reason| panic!("{}: {reason}", op.name()));
        assert!(sharding.dims.iter().all(|dim| !dim.is_open && dim.priority.is_none()));
    }
}

#[test]
fn no_axis_is_used_twice_and_none_is_passed_along_what_is_not_shared() {
    let context = new_context();
    let mesh = Mesh::read("<[\"x\"=2, \"y\"=2, \"z\"=4]>");
    let mut numbers = Numbers(40);
    let mut split = 0;
    for _ in 0..400 {
        let text = random(&mut numbers);
        let module = parse_text(&context, &text).expect(&text);
        let told = propagate(&context, &module).expect(&text);
        split += told.first().map_or(0, |told| told.split);
        assert!(module_op(&module).verify(), "{text}");
        module_op(&module).walk(strata_ir::WalkOrder::Pre, &mut |op| check(op, &mesh));
        // A second time nothing is left to do.
        let once = print(&module, false);
        propagate(&context, &module).expect("it was possible before");
        assert_eq!(print(&module, false), once, "{text}");
    }
    assert!(split > 1000, "{split} values are split");
}

/// Every operation with one operand and one result: where only the operand is split, so is the result, and only where the table of
/// factors has one that treats all indices alike, or each index of the result needs a range of the operand.
#[test]
fn only_shared_factors_pass_axes_on() {
    let context = new_context();
    let operations = [
        "stablehlo.reverse %a, dims = [0] : tensor<8x8xf32>",
        "stablehlo.slice %a [0:4, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>",
        "stablehlo.transpose %a, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>",
        "stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<2x4x8xf32>",
        "stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<64xf32>",
        "stablehlo.broadcast_in_dim %a, dims = [2, 1] : (tensor<8x8xf32>) -> tensor<3x8x8xf32>",
        "stablehlo.cholesky %a, lower = true : tensor<8x8xf32>",
        "stablehlo.fft %c, type = FFT, length = [8] : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>",
        "stablehlo.custom_call @f(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>",
    ];
    for operation in operations {
        for dim in 0..2 {
            let dims = if dim == 0 { "[{\"x\"}, {}]" } else { "[{}, {\"x\"}]" };
            let (module, _) = propagated(
                &context,
                &format!(
                    "func.func @main(%a: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@m, {dims}>}}, %c: tensor<8x8xcomplex<f32>> {{sdy.sharding = #sdy.sharding<@m, {dims}>}}) {{\n%r = {operation}\nreturn }}"
                ),
            );
            let func = module_op(&module).collect(|op| op.is(func::FUNC))[0];
            let op = func.body(0).first_op().expect("the operation");
            let sharding = shardings_of(op).expect("a sharding").remove(0);
            let table = rules(op).expect("it has rules");
            for (at, own) in sharding.dims.iter().enumerate() {
                let shares = table.of_result(0, at).any(|factor| {
                    factor.kind == FactorKind::Parallel && factor.operand(0) == Some(dim)
                });
                let steps = strata_shapes::steps(op, at).is_some_and(|steps| steps.dim == dim);
                let is_split = !own.axes.is_empty();
                assert!(shares || steps || !is_split, "{operation} along {dim}: {sharding}");
                assert!(is_split || !steps, "{operation} along {dim}: {sharding}");
            }
        }
    }
}
