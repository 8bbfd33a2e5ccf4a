//! Each family of patterns on a minimal program, and violations of the contract.

use strata_ir::{new_context, parse, print, verify};
use strata_options::Options;
use strata_target::Target;

use crate::{EXPANSIONS, PATTERNS, check, run};

/// The entry after the stage, or the code and reason of the error.
fn stage(text: &str) -> Result<String, String> {
    let context = new_context();
    let options = Options::new(Target::x86_64_baseline());
    let mut module =
        parse(&context, "test.mlir", text.as_bytes()).map_err(|errors| errors.to_string())?;
    run(&context, &mut module, &options)
        .and_then(|()| verify(&context, &module, "hlo"))
        .and_then(|()| check(&module, &options))
        .map_err(|error| error.to_string())?;
    Ok(print(&module, false))
}

/// The operations left in `@main(%x: ty) -> ty` with that body, except the return.
fn left(ty: &str, body: &str) -> Vec<String> {
    let text = format!("func.func public @main(%x: {ty}) -> {ty} {{\n{body}\n}}");
    let printed = stage(&text).unwrap_or_else(|error| panic!("{error}"));
    let names = printed.split_whitespace().filter(|word| word.starts_with("stablehlo."));
    names.map(str::to_owned).collect()
}

/// What is expanded before digits are kept is expanded in every other program, too.
#[test]
fn expansions_are_patterns() {
    let all: Vec<_> = PATTERNS.iter().map(|pattern| pattern.name()).collect();
    for expansion in EXPANSIONS {
        assert!(all.contains(&expansion.name()), "{}", expansion.name());
    }
}

#[test]
fn movements_that_cancel_go() {
    let body = "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
        %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
        %2 = stablehlo.reshape %1 : (tensor<2x3xf32>) -> tensor<6xf32>
        %3 = stablehlo.reshape %2 : (tensor<6xf32>) -> tensor<2x3xf32>
        %4 = stablehlo.slice %3 [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
        return %4 : tensor<2x3xf32>";
    assert!(left("tensor<2x3xf32>", body).is_empty());
}

#[test]
fn a_transpose_of_unit_dimensions_is_a_reshape() {
    let body =
        "%0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<3x1x1xf32>) -> tensor<3x1x1xf32>
        return %0 : tensor<3x1x1xf32>";
    assert!(left("tensor<3x1x1xf32>", body).is_empty());
}

#[test]
fn a_dot_reads_a_transposed_matrix_in_place() {
    let body =
        "%0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
        %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [1] x [1]
            : (tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>
        return %1 : tensor<3x4x4xf32>";
    assert_eq!(left("tensor<3x4x4xf32>", body), ["stablehlo.dot_general"]);
    // A permuted batch dimension makes the dot read strided rows.
    let body =
        "%0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
        %1 = stablehlo.dot_general %0, %0, batching_dims = [0] x [0], contracting_dims = [2] x [2]
            : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
        return %1 : tensor<4x4x4xf32>";
    assert_eq!(left("tensor<4x4x4xf32>", body), ["stablehlo.transpose", "stablehlo.dot_general"]);
}

#[test]
fn broadcasts_of_broadcasts_and_splats_are_one() {
    let body = "%c = stablehlo.constant dense<2.0> : tensor<f32>
        %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<1x3xf32>
        %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
        %2 = stablehlo.multiply %x, %1 : tensor<2x3xf32>
        return %2 : tensor<2x3xf32>";
    assert_eq!(left("tensor<2x3xf32>", body), ["stablehlo.constant", "stablehlo.multiply"]);
}

#[test]
fn only_true_identities_are_used() {
    let neutral = "%c = stablehlo.constant dense<0xFF800000> : tensor<3xf32>
        %0 = stablehlo.maximum %c, %x : tensor<3xf32>
        return %0 : tensor<3xf32>";
    assert!(left("tensor<3xf32>", neutral).is_empty());
    // -0.0 + 0.0 is 0.0: the sum changes something.
    let zero = "%c = stablehlo.constant dense<0.0> : tensor<3xf32>
        %0 = stablehlo.add %x, %c : tensor<3xf32>
        return %0 : tensor<3xf32>";
    assert_eq!(left("tensor<3xf32>", zero).last().map(String::as_str), Some("stablehlo.add"));
}

#[test]
fn calls_and_composites_are_inlined() {
    let text = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = call @twice(%x) : (tensor<3xf32>) -> tensor<3xf32>
          %1 = stablehlo.composite \"my.op\" %0 {decomposition = @twice} : (tensor<3xf32>) -> tensor<3xf32>
          return %1 : tensor<3xf32>
        }
        func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = stablehlo.add %x, %x : tensor<3xf32>
          return %0 : tensor<3xf32>
        }";
    let printed = stage(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(printed.matches("stablehlo.add").count(), 2);
    assert!(!printed.contains("@twice"), "{printed}");
}

#[test]
fn shardings_go_with_their_meshes_and_other_attributes_stay() {
    let text = "sdy.mesh @mesh = <[\"x\"=1]>
        func.func public @main(%x: tensor<3xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>})
            -> (tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
          %0 = sdy.sharding_constraint %x <@mesh, [{\"x\"}]> : tensor<3xf32>
          %1 = stablehlo.add %0, %0 {mhlo.kept = 1 : i32, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>} : tensor<3xf32>
          return %1 : tensor<3xf32>
        }";
    let printed = stage(text).unwrap_or_else(|error| panic!("{error}"));
    assert!(!printed.contains("sdy"), "{printed}");
    assert!(printed.contains("jax.buffer_donor") && printed.contains("mhlo.kept"), "{printed}");
}

#[test]
fn recursion_is_refused() {
    let text = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = call @again(%x) : (tensor<3xf32>) -> tensor<3xf32>
          return %0 : tensor<3xf32>
        }
        func.func private @again(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = call @again(%x) : (tensor<3xf32>) -> tensor<3xf32>
          return %0 : tensor<3xf32>
        }";
    let error = stage(text).expect_err("recursive");
    assert!(error.contains("S1201") && error.contains("recursive"), "{error}");
}

#[test]
fn calls_that_cannot_be_inlined_are_refused() {
    let head = "func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
          %0 = call @f(%x) : (tensor<3xf32>) -> tensor<3xf32>
          return %0 : tensor<3xf32>
        }\n";
    let declared = format!("{head}func.func private @f(tensor<3xf32>) -> tensor<3xf32>");
    let error = stage(&declared).expect_err("no body");
    assert!(error.contains("S1201") && error.contains("has no body"), "{error}");
    // A chain is deep, not long: it costs no stack and no more than its operations.
    let link = |n: usize| {
        format!(
            "func.func private @f{n}(%x: tensor<3xf32>) -> tensor<3xf32> {{
               %0 = call @f{}(%x) : (tensor<3xf32>) -> tensor<3xf32>
               return %0 : tensor<3xf32>
             }}\n",
            n + 1
        )
    };
    let chain: String = (0..2000).map(link).collect();
    let last = "func.func private @f2000(%x: tensor<3xf32>) -> tensor<3xf32> { return %x : tensor<3xf32> }";
    let text = format!("{}{chain}{last}", head.replace("@f(", "@f0("));
    assert!(!stage(&text).expect("a chain of calls").contains("call"));
}

#[test]
fn what_later_stages_lack_is_refused_by_its_own_code() {
    let program = |ty: &str, op: &str| {
        format!("func.func public @main(%x: {ty}) -> {ty} {{\n{op}\nreturn %x : {ty}\n}}")
    };
    for (code, ty, op) in [
        ("S1101", "tensor<?xf32>", ""),
        (
            "S1102",
            "tensor<3x!quant.uniform<i8:f32, 1.0>>",
            "%0 = \"stablehlo.einsum\"(%x, %x) {einsum_config = \"i,i->i\"} : (tensor<3x!quant.uniform<i8:f32, 1.0>>,
            tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>",
        ),
        ("S1102", "memref<3xf32>", ""),
        ("S1102", "tensor<3xf32, \"sparse\">", ""),
        ("S1103", "tensor<3xf32>", "%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64,
            replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<3xf32>) -> tensor<6xf32>
            %1 = stablehlo.custom_call @keep(%0) {has_side_effect = true} : (tensor<6xf32>) -> tensor<ui32>"),
    ] {
        let error = stage(&program(ty, op)).expect_err(code);
        assert!(error.contains(code), "{code}: {error}");
    }
}

/// The entry's body after the stage, for snapshots of patterns.
pub(crate) fn simplified(signature: &str, body: &str) -> String {
    stage(&format!("func.func public @main{signature} {{\n{body}\n}}"))
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn constants_are_computed_with() {
    let body = "%a = stablehlo.constant dense<[1, 2, 250]> : tensor<3xui8>
        %b = stablehlo.constant dense<10> : tensor<3xui8>
        %sum = stablehlo.add %a, %b : tensor<3xui8>
        %i = stablehlo.constant dense<[-7, 7, -128]> : tensor<3xi8>
        %zero = stablehlo.constant dense<[2, 0, -1]> : tensor<3xi8>
        %quotient = stablehlo.divide %i, %zero : tensor<3xi8>
        %rest = stablehlo.remainder %i, %zero : tensor<3xi8>
        %by = stablehlo.constant dense<[1, 8, 2]> : tensor<3xi8>
        %shifted = stablehlo.shift_right_arithmetic %i, %by : tensor<3xi8>
        %x = stablehlo.constant dense<[1.0, 0x7FC0, -0.0]> : tensor<3xbf16>
        %y = stablehlo.constant dense<[3.0, 1.0, 0.0]> : tensor<3xbf16>
        %third = stablehlo.divide %x, %y : tensor<3xbf16>
        %least = stablehlo.minimum %x, %y : tensor<3xbf16>
        %lt = stablehlo.compare LT, %x, %y : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xi1>
        %chosen = stablehlo.select %lt, %sum, %a : tensor<3xi1>, tensor<3xui8>
        return %quotient, %rest, %shifted, %third, %least, %chosen
          : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xui8>";
    let results = "() -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xui8>)";
    insta::assert_snapshot!(simplified(results, body));
}

#[test]
fn constants_move() {
    let body = "%c = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
        %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
        %s = stablehlo.slice %c [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
        %r = stablehlo.reverse %s, dims = [1] : tensor<2x2xi32>
        %j = stablehlo.concatenate %t, %r, dim = 0 : (tensor<3x2xi32>, tensor<2x2xi32>) -> tensor<5x2xi32>
        %z = stablehlo.constant dense<0> : tensor<i32>
        %p = stablehlo.pad %r, %z, low = [-1, 0], high = [0, 1], interior = [0, 1] : (tensor<2x2xi32>, tensor<i32>) -> tensor<1x4xi32>
        return %j, %p : tensor<5x2xi32>, tensor<1x4xi32>";
    insta::assert_snapshot!(simplified("() -> (tensor<5x2xi32>, tensor<1x4xi32>)", body));
}

#[test]
fn values_that_meet_themselves() {
    let body = "%d = stablehlo.subtract %x, %x : tensor<3xi32>
        %e = stablehlo.subtract %f, %f : tensor<3xf32>
        %m = stablehlo.maximum %f, %f : tensor<3xf32>
        %eq = stablehlo.compare EQ, %x, %x : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
        %feq = stablehlo.compare EQ, %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
        %ones = stablehlo.constant dense<-1> : tensor<3xi32>
        %a = stablehlo.and %x, %ones : tensor<3xi32>
        %w = stablehlo.convert %a : (tensor<3xi32>) -> tensor<3xi64>
        %n = stablehlo.convert %w : (tensor<3xi64>) -> tensor<3xi32>
        return %d, %e, %m, %eq, %feq, %n
          : tensor<3xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>";
    let types = "(%x: tensor<3xi32>, %f: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>, \
                 tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>)";
    insta::assert_snapshot!(simplified(types, body));
}

#[test]
fn slices_meet_slices_and_concatenations() {
    let body = "%0 = stablehlo.slice %x [1:9:2] : (tensor<9xf32>) -> tensor<4xf32>
        %1 = stablehlo.slice %0 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>
        %2 = stablehlo.concatenate %y, %x, dim = 0 : (tensor<2xf32>, tensor<9xf32>) -> tensor<11xf32>
        %3 = stablehlo.slice %2 [3:5] : (tensor<11xf32>) -> tensor<2xf32>
        %4 = stablehlo.slice %x [0:3] : (tensor<9xf32>) -> tensor<3xf32>
        %5 = stablehlo.slice %x [3:9] : (tensor<9xf32>) -> tensor<6xf32>
        %6 = stablehlo.concatenate %4, %5, dim = 0 : (tensor<3xf32>, tensor<6xf32>) -> tensor<9xf32>
        %far = stablehlo.constant dense<100> : tensor<i32>
        %7 = stablehlo.dynamic_slice %x, %far, sizes = [2] : (tensor<9xf32>, tensor<i32>) -> tensor<2xf32>
        %8 = stablehlo.dynamic_update_slice %x, %6, %i : (tensor<9xf32>, tensor<9xf32>, tensor<i32>) -> tensor<9xf32>
        return %1, %3, %7, %8 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<9xf32>";
    let types = "(%x: tensor<9xf32>, %y: tensor<2xf32>, %i: tensor<i32>) -> (tensor<2xf32>, \
                 tensor<2xf32>, tensor<2xf32>, tensor<9xf32>)";
    insta::assert_snapshot!(simplified(types, body));
}

#[test]
fn images_are_enlarged_by_one_broadcast() {
    let body = "%i = stablehlo.iota dim = 0 : tensor<6x1xf32>
        %h = stablehlo.constant dense<0.5> : tensor<6x1xf32>
        %p = stablehlo.multiply %i, %h : tensor<6x1xf32>
        %d = stablehlo.floor %p : tensor<6x1xf32>
        %r = stablehlo.convert %d : (tensor<6x1xf32>) -> tensor<6x1xi32>
        %0 = \"stablehlo.gather\"(%x, %r) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
            start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<3x4xf32>, tensor<6x1xi32>) -> tensor<6x4xf32>
        %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<6x4xf32>) -> tensor<6x4x2xf32>
        %2 = stablehlo.reshape %1 : (tensor<6x4x2xf32>) -> tensor<6x8xf32>
        return %2 : tensor<6x8xf32>";
    insta::assert_snapshot!(simplified("(%x: tensor<3x4xf32>) -> tensor<6x8xf32>", body));
}

#[test]
fn loops_lose_what_they_do_not_need() {
    // %k never changes; %d makes only itself; the last loop never runs.
    let body = "%zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %no = stablehlo.constant dense<false> : tensor<i1>
        %0:4 = stablehlo.while(%i = %zero, %s = %x, %k = %y, %d = %x) : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
        cond {
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %t = stablehlo.multiply %s, %k : tensor<f32>
          %e = stablehlo.negate %d : tensor<f32>
          stablehlo.return %j, %t, %k, %e : tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>
        }
        %1 = stablehlo.while(%v = %0#1) : tensor<f32>
        cond { stablehlo.return %no : tensor<i1> } do {
          %w = stablehlo.negate %v : tensor<f32>
          stablehlo.return %w : tensor<f32>
        }
        %2 = stablehlo.add %1, %0#2 : tensor<f32>
        return %2 : tensor<f32>";
    let types = "(%x: tensor<f32>, %y: tensor<f32>, %n: tensor<i32>) -> tensor<f32>";
    insta::assert_snapshot!(simplified(types, body));
}

/// A loop of so many trips with a dot of a row of `%x`, which has so many, and `%w`.
fn loop_over_rows(rows: usize, trips: usize) -> String {
    let body = format!(
        "%zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %n = stablehlo.constant dense<{trips}> : tensor<i32>
        %0:2 = stablehlo.while(%i = %zero, %s = %h) : tensor<i32>, tensor<256xf32>
        cond {{
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }} do {{
          %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 64]
            : (tensor<{rows}x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
          %r = stablehlo.reshape %row : (tensor<1x64xf32>) -> tensor<64xf32>
          %d = stablehlo.dot_general %r, %w, contracting_dims = [0] x [0]
            : (tensor<64xf32>, tensor<64x256xf32>) -> tensor<256xf32>
          %t = stablehlo.subtract %d, %s : tensor<256xf32>
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j, %t : tensor<i32>, tensor<256xf32>
        }}
        return %0#1 : tensor<256xf32>"
    );
    simplified(
        &format!(
            "(%x: tensor<{rows}x64xf32>, %w: tensor<64x256xf32>, %h: tensor<256xf32>) -> tensor<256xf32>"
        ),
        &body,
    )
}

#[test]
fn dots_of_rows_are_one_before_a_loop_over_all() {
    insta::assert_snapshot!(loop_over_rows(9, 9));
    let before = |text: &str| text.find("dot_general") < text.find("while");
    assert!(before(&loop_over_rows(9, 12)));
    assert!(!before(&loop_over_rows(9, 8)), "a row would be computed in vain");
    let most = 1 << 16;
    assert!(before(&loop_over_rows(most, most)));
    assert!(!before(&loop_over_rows(most + 1, most + 1)), "more than 64 MiB");
}

/// A loop to `last` that doubles `%x`, of `size` elements.
fn counted_loop(size: usize, last: i64) -> Vec<String> {
    let ty = format!("tensor<{size}xf32>");
    let body = format!(
        "%zero = stablehlo.constant dense<0> : tensor<i32>
        %0:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, {ty}
        cond {{
          %n = stablehlo.constant dense<{last}> : tensor<i32>
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }} do {{
          %two = stablehlo.constant dense<2> : tensor<i32>
          %j = stablehlo.add %i, %two : tensor<i32>
          %t = stablehlo.add %s, %s : {ty}
          stablehlo.return %j, %t : tensor<i32>, {ty}
        }}
        return %0#1 : {ty}"
    );
    left(&ty, &body)
}

#[test]
fn short_loops_on_vectors_are_straight_line_code() {
    assert_eq!(counted_loop(64, 5), ["stablehlo.add"; 3]);
    assert!(counted_loop(64, 17).contains(&"stablehlo.while(%iterArg".to_owned()));
    assert!(counted_loop(63, 5).contains(&"stablehlo.while(%iterArg".to_owned()));
}

#[test]
fn known_branches_are_taken_and_barriers_kept() {
    let body = "%yes = stablehlo.constant dense<true> : tensor<i1>
        %far = stablehlo.constant dense<7> : tensor<i32>
        %0 = \"stablehlo.if\"(%yes) ({
          %a = stablehlo.negate %x : tensor<f32>
          stablehlo.return %a : tensor<f32>
        }, { stablehlo.return %x : tensor<f32> }) : (tensor<i1>) -> tensor<f32>
        %1 = \"stablehlo.case\"(%far) ({ stablehlo.return %x : tensor<f32> }, {
          %b = stablehlo.sqrt %0 : tensor<f32>
          stablehlo.return %b : tensor<f32>
        }) : (tensor<i32>) -> tensor<f32>
        %2 = stablehlo.optimization_barrier %1 : tensor<f32>
        %3 = stablehlo.custom_call @unused(%2) : (tensor<f32>) -> tensor<f32>
        return %2 : tensor<f32>";
    insta::assert_snapshot!(simplified("(%x: tensor<f32>) -> tensor<f32>", body));
}

/// The program with one custom call of `target`.
fn with_call(call: &str, results: &str) -> String {
    format!(
        "func.func private @f(%a: tensor<f32>) -> tensor<f32> {{ return %a : tensor<f32> }}
        func.func public @main(%a: tensor<3x3xf32>) -> {results} {{
          %one = stablehlo.constant dense<1> : tensor<i32>
          %three = stablehlo.constant dense<3> : tensor<i32>
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %taus = stablehlo.constant dense<0.0> : tensor<3xf32>
          %n = stablehlo.constant dense<78> : tensor<ui8>
          %v = stablehlo.constant dense<86> : tensor<ui8>
          {call}
        }}"
    )
}

#[test]
fn old_calls_of_lapack_become_typed_ones() {
    let layouts = |operands: &str, results: &str| {
        format!("operand_layouts = [{operands}], result_layouts = [{results}]")
    };
    let (scalar, matrix, vector) = (
        "dense<> : tensor<0xindex>",
        "dense<[0, 1]> : tensor<2xindex>",
        "dense<0> : tensor<1xindex>",
    );
    let potrf = with_call(
        &format!(
            "%0:2 = stablehlo.custom_call @lapack_spotrf(%one, %one, %three, %a) {{api_version = 2 : i32, {}}}
              : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
            return %0#0 : tensor<3x3xf32>",
            layouts(&[scalar, scalar, scalar, matrix].join(", "), &[matrix, scalar].join(", "))
        ),
        "tensor<3x3xf32>",
    );
    let printed = stage(&potrf).unwrap_or_else(|error| panic!("{error}"));
    assert!(printed.contains("@lapack_spotrf_ffi(%arg0)"), "{printed}");
    assert!(printed.contains("uplo = 76 : ui8"), "{printed}");

    let complex = "tensor<3x3xcomplex<f32>>";
    let geev = |read: &str| {
        with_call(
            &format!(
                "%0:8 = stablehlo.custom_call @lapack_sgeev(%one, %three, %n, %v, %a) {{api_version = 2 : i32, {}}}
                  : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<3x3xf32>) -> (tensor<3x3xf32>,
                     tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, {complex}, {complex}, tensor<i32>)
                return %0#{read} : tensor<{}>",
                layouts(
                    &[scalar, scalar, scalar, scalar, matrix].join(", "),
                    &[matrix, matrix, matrix, vector, vector, matrix, matrix, scalar].join(", ")
                ),
                if read == "0" { "3x3xf32" } else { "3xf32" }
            ),
            if read == "0" { "tensor<3x3xf32>" } else { "tensor<3xf32>" },
        )
    };
    let printed = stage(&geev("3")).unwrap_or_else(|error| panic!("{error}"));
    assert!(printed.contains("@lapack_sgeev_ffi(%arg0)"), "{printed}");
    assert!(printed.contains("compute_left = 78 : ui8, compute_right = 86 : ui8"), "{printed}");
    // Singular vectors are requested by two operands, and a Schur form has its eigenvalues after its vectors.
    for (call, target, config) in [
        (
            format!(
                "%0:7 = stablehlo.custom_call @lapack_sgesdd(%zero, %one, %one, %three, %three, %three, %a) {{api_version = 2 : i32, {}}}
                  : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf32>) ->
                    (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<3xi32>, tensor<3xf32>)
                return %0#2 : tensor<3x3xf32>",
                layouts(
                    &[scalar, scalar, scalar, scalar, scalar, scalar, matrix].join(", "),
                    &[matrix, vector, matrix, matrix, scalar, vector, vector].join(", ")
                )
            ),
            "lapack_sgesdd_ffi(%arg0)",
            "mode = 83 : ui8",
        ),
        (
            format!(
                "%0:6 = stablehlo.custom_call @lapack_sgees(%one, %three, %v, %n, %a) {{api_version = 2 : i32, {}}}
                  : (tensor<i32>, tensor<i32>, tensor<ui8>, tensor<ui8>, tensor<3x3xf32>) ->
                    (tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<i32>, tensor<i32>)
                return %0#3 : tensor<3x3xf32>",
                layouts(
                    &[scalar, scalar, scalar, scalar, matrix].join(", "),
                    &[matrix, vector, vector, matrix, scalar, scalar].join(", ")
                )
            ),
            "lapack_sgees_ffi(%arg0)",
            "mode = 86 : ui8, sort = 78 : ui8",
        ),
        (
            format!(
                "%0:3 = stablehlo.custom_call @lapack_sorgqr(%one, %three, %three, %three, %three, %a, %taus) {{api_version = 2 : i32, {}}}
                  : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf32>, tensor<3xf32>) ->
                    (tensor<3x3xf32>, tensor<i32>, tensor<3xf32>)
                return %0#0 : tensor<3x3xf32>",
                layouts(
                    &[scalar, scalar, scalar, scalar, scalar, matrix, vector].join(", "),
                    &[matrix, scalar, vector].join(", ")
                )
            ),
            "lapack_sorgqr_ffi(%arg0, %cst",
            "backend_config = {}",
        ),
        (
            format!(
                "%0:4 = stablehlo.custom_call @lapack_sgeqrf(%one, %three, %three, %three, %a) {{api_version = 2 : i32, {}}}
                  : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf32>) ->
                    (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>, tensor<3xf32>)
                %done = stablehlo.convert %0#2 : (tensor<i32>) -> tensor<f32>
                %all = stablehlo.broadcast_in_dim %done, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
                %r = stablehlo.multiply %0#0, %all : tensor<3x3xf32>
                return %r : tensor<3x3xf32>",
                layouts(
                    &[scalar, scalar, scalar, scalar, matrix].join(", "),
                    &[matrix, vector, scalar, vector].join(", ")
                )
            ),
            "lapack_sgeqrf_ffi(%arg0)",
            "dense<0.000000e+00>",
        ),
        (
            format!(
                "%0:5 = stablehlo.custom_call @lapack_ssyevd(%one, %one, %three, %a) {{api_version = 2 : i32, {}}}
                  : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf32>) ->
                    (tensor<3x3xf32>, tensor<3xf32>, tensor<i32>, tensor<3xf32>, tensor<3xi32>)
                return %0#0 : tensor<3x3xf32>",
                layouts(
                    &[scalar, scalar, scalar, matrix].join(", "),
                    &[matrix, vector, scalar, vector, vector].join(", ")
                )
            ),
            "lapack_ssyevd_ffi(%arg0)",
            "mode = 86 : ui8, uplo = 76 : ui8",
        ),
    ] {
        let program = with_call(&call, "tensor<3x3xf32>");
        let printed = stage(&program).unwrap_or_else(|error| panic!("{error}"));
        assert!(printed.contains(target) && printed.contains(config), "{printed}");
    }
    // Scratch memory that the program reads has no counterpart.
    let printed = stage(&geev("0")).unwrap_or_else(|error| panic!("{error}"));
    assert!(printed.contains("@lapack_sgeev("), "{printed}");
}

#[test]
fn calls_that_no_function_can_be_say_why() {
    for (call, reason) in [
        ("%0 = stablehlo.custom_call @mhlo.nothing(%a) : (tensor<3x3xf32>) -> tensor<3x3xf32>", "mhlo.nothing"),
        (
            "%0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 1 : i64, largest = false}}
              : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x1xi32>)",
            "mhlo.topk",
        ),
        (
            "%0 = stablehlo.custom_call @mine(%a) {called_computations = [@f]} : (tensor<3x3xf32>) -> tensor<3x3xf32>",
            "`mine` takes functions of the program",
        ),
        (
            "%0 = stablehlo.custom_call @ApproxTopK(%a) {called_computations = [@f],
               mhlo.backend_config = {reduction_dim = 5 : i64}} : (tensor<3x3xf32>) -> tensor<3x3xf32>",
            "`ApproxTopK` is a kernel for TPUs",
        ),
    ] {
        let name = if call.starts_with("%0:2") { "%0#0" } else { "%0" };
        let text = with_call(&format!("{call}\n return {name} : tensor<3x3xf32>"), "tensor<3x3xf32>");
        let error = stage(&text).expect_err(call);
        assert!(error.contains("S1202") && error.contains(reason), "{error}");
    }
}

#[test]
fn iotas_are_small() {
    let body = "%i = stablehlo.iota dim = 0 : tensor<9xui64>
        %c = stablehlo.constant dense<32> : tensor<9xui64>
        %h = stablehlo.shift_right_logical %i, %c : tensor<9xui64>
        %0 = stablehlo.convert %h : (tensor<9xui64>) -> tensor<9xui32>
        %1 = stablehlo.convert %i : (tensor<9xui64>) -> tensor<9xui32>
        %2 = stablehlo.add %0, %x : tensor<9xui32>
        %3 = stablehlo.xor %1, %2 : tensor<9xui32>
        return %3 : tensor<9xui32>";
    assert_eq!(left("tensor<9xui32>", body), ["stablehlo.iota", "stablehlo.xor"]);
    let large = "%i = stablehlo.iota dim = 0 : tensor<300xi32>
        %0 = stablehlo.convert %i : (tensor<300xi32>) -> tensor<300xi8>
        %1 = stablehlo.add %0, %x : tensor<300xi8>
        return %1 : tensor<300xi8>";
    let all = ["stablehlo.iota", "stablehlo.convert", "stablehlo.add"];
    assert_eq!(left("tensor<300xi8>", large), all);
}
