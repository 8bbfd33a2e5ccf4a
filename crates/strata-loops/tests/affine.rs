//! Stage 40 on small programs: buffers and the memory plan.

use strata_ir::{Context, Module, new_context, parse_text, print, verify};
use strata_loops::affine::{self, plan::PlanReport};
use strata_options::Options;
use strata_target::Target;

/// The stage's result for a function's text; the output contract holds.
fn lower(context: &Context, text: &str) -> (String, PlanReport) {
    let mut module: Module<'_> = parse_text(context, text).expect("the test's program parses");
    let options = Options::new(Target::x86_64_baseline());
    let report = affine::run_reported(context, &mut module, &options).expect("stage 40 succeeds");
    verify(context, &module, "affine").expect("the result verifies");
    affine::check(&module, &options).expect("the contract holds");
    let text = print(&module, false);
    // A dump must be accepted by `--from affine`.
    let again = parse_text(context, &text).expect("the result parses again");
    affine::check(&again, &options).expect("the contract holds for the text, too");
    (text, report)
}

const MAPS: &str = "#id = affine_map<(d0) -> (d0)>\n";

/// A generic that applies `body` to `%in` with `outs` as its destination.
fn pointwise(result: &str, input: &str, destination: &str, body: &str) -> String {
    format!(
        "%{result} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = [\"parallel\"]}} \
         ins(%{input} : tensor<35xf32>) outs(%{destination} : tensor<35xf32>) {{\n\
         ^bb0(%v: f32, %o: f32):\n {body}\n linalg.yield %r : f32 }} -> tensor<35xf32>\n"
    )
}

#[test]
fn results_are_computed_in_the_output_arguments() {
    let context = new_context();
    let exp = pointwise("y", "x", "e", "%r = math.exp %v : f32");
    let (text, report) = lower(
        &context,
        &format!(
            "{MAPS}func.func @main(%x: tensor<35xf32>) -> tensor<35xf32> attributes {{strata.entry}} {{
             %e = tensor.empty() : tensor<35xf32>
             {exp} return %y : tensor<35xf32> }}"
        ),
    );
    assert_eq!(report, PlanReport { workspace: 0, peak_live: 0, buffers: 0 });
    assert!(text.contains("affine.store %1, %arg1[%arg3]"), "{text}");
    assert!(!text.contains("memref.copy"), "{text}");
}

#[test]
fn outputs_that_are_inputs_constants_or_the_same_value_are_copies() {
    let context = new_context();
    let (text, report) = lower(
        &context,
        "func.func @main(%x: tensor<3xi32>, %s: tensor<i1>, %z: tensor<0x7xf64>)
           -> (tensor<3xi32>, tensor<3xi32>, tensor<2xi8>, tensor<i1>, tensor<0x7xf64>)
           attributes {strata.entry} {
           %c = arith.constant dense<[1, 2]> : tensor<2xi8>
           return %x, %x, %c, %s, %z
             : tensor<3xi32>, tensor<3xi32>, tensor<2xi8>, tensor<i1>, tensor<0x7xf64> }",
    );
    assert_eq!(report.workspace, 0);
    assert_eq!(text.matches("memref.copy %arg0,").count(), 2, "{text}");
    assert!(text.contains("memref.global \"private\" constant"), "{text}");
    assert!(text.contains("alignment = 64"), "{text}");
}

#[test]
fn a_chain_of_temporaries_runs_in_place() {
    let context = new_context();
    let mut body = String::new();
    for step in 0..6 {
        let input = if step == 0 { "x".to_owned() } else { format!("y{}", step - 1) };
        body += &format!("%e{step} = tensor.empty() : tensor<35xf32>\n");
        body += &pointwise(
            &format!("y{step}"),
            &input,
            &format!("e{step}"),
            "%r = arith.addf %v, %v : f32",
        );
    }
    // The reduction at the end keeps the chain from running in the output.
    let (_, report) = lower(
        &context,
        &format!(
            "{MAPS}#none = affine_map<(d0) -> ()>
             func.func @main(%x: tensor<35xf32>) -> tensor<f32> attributes {{strata.entry}} {{
             {body}
             %zero = arith.constant 0.0 : f32
             %e = tensor.empty() : tensor<f32>
             %start = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
             %sum = linalg.generic {{indexing_maps = [#id, #none], iterator_types = [\"reduction\"]}}
               ins(%y5 : tensor<35xf32>) outs(%start : tensor<f32>) {{
               ^bb0(%v: f32, %o: f32):
                 %r = arith.addf %o, %v : f32
                 linalg.yield %r : f32 }} -> tensor<f32>
             return %sum : tensor<f32> }}"
        ),
    );
    assert_eq!(report.buffers, 1);
    assert_eq!(report.peak_live, 35 * 4);
    assert_eq!(report.workspace, 192);
}

#[test]
fn swapped_loop_values_keep_their_old_contents() {
    let context = new_context();
    let (text, report) = lower(
        &context,
        "func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
           attributes {strata.entry} {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c3 = arith.constant 3 : index
           %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y)
             -> (tensor<5xf32>, tensor<5xf32>) {
             scf.yield %b, %a : tensor<5xf32>, tensor<5xf32>
           }
           return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32> }",
    );
    // The tensors are in the outputs; the workspace holds the one that is saved.
    assert_eq!(report.peak_live, 20, "{report:?}\n{text}");
    assert!(!text.contains("iter_args"), "{text}");
}

#[test]
fn a_loop_updates_its_buffer_in_place() {
    let context = new_context();
    let (text, report) = lower(
        &context,
        "func.func @main(%x: tensor<500xf32>) -> tensor<500xf32> attributes {strata.entry} {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c9 = arith.constant 9 : index
           %one = arith.constant 1.0 : f32
           %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> (tensor<500xf32>) {
             %u = tensor.insert %one into %a[%i] : tensor<500xf32>
             scf.yield %u : tensor<500xf32>
           }
           return %r : tensor<500xf32> }",
    );
    let body = text.split("scf.for").nth(1).and_then(|rest| rest.split('}').next()).unwrap_or("");
    assert!(body.contains("memref.store"), "{text}");
    assert!(!body.contains("memref.copy"), "{text}");
    assert!(report.workspace <= 2048, "{report:?}");
}

#[test]
fn a_loop_that_updates_its_buffer_at_times_does_so_in_place() {
    let context = new_context();
    let (text, report) = lower(
        &context,
        "func.func @main(%x: tensor<500xf32>, %when: tensor<9xi1>) -> tensor<500xf32> attributes {strata.entry} {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c9 = arith.constant 9 : index
           %one = arith.constant 1.0 : f32
           %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> (tensor<500xf32>) {
             %q = scf.for %j = %c0 to %c9 step %c1 iter_args(%b = %a) -> (tensor<500xf32>) {
               %now = tensor.extract %when[%i] : tensor<9xi1>
               %s = scf.if %now -> (tensor<500xf32>) {
                 %u = tensor.insert %one into %b[%j] : tensor<500xf32>
                 scf.yield %u : tensor<500xf32>
               } else {
                 scf.yield %b : tensor<500xf32>
               }
               scf.yield %s : tensor<500xf32>
             }
             scf.yield %q : tensor<500xf32>
           }
           return %r : tensor<500xf32> }",
    );
    let body = text.split("scf.for").nth(1).unwrap_or("");
    assert!(!body.contains("memref.copy"), "{text}");
    assert!(report.workspace <= 2048, "{report:?}");
}

#[test]
fn a_contraction_walks_along_its_rows() {
    let context = new_context();
    let (text, _) = lower(
        &context,
        "func.func @main(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) -> tensor<3x7xf32>
           attributes {strata.entry} {
           %zero = arith.constant 0.0 : f32
           %e = tensor.empty() : tensor<3x7xf32>
           %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x7xf32>) -> tensor<3x7xf32>
           %c = linalg.matmul ins(%a, %b : tensor<3x5xf32>, tensor<5x7xf32>)
             outs(%f : tensor<3x7xf32>) -> tensor<3x7xf32>
           return %c : tensor<3x7xf32> }",
    );
    let loops: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with("affine.for"))
        .map(|line| line.rsplit("to ").next().unwrap_or(line))
        .collect();
    assert_eq!(loops, ["3 {", "7 {", "3 {", "5 {", "7 {"], "{text}");
    assert!(text.contains("fastmath<reassoc,contract>"), "{text}");
}

#[test]
fn accumulators_leave_their_loops() {
    let context = new_context();
    let (text, _) = lower(
        &context,
        "#in = affine_map<(i, j, k) -> (i, j, k)>
         #out = affine_map<(i, j, k) -> (i)>
         func.func @main(%x: tensor<3x5x7xf32>) -> tensor<3xf32> attributes {strata.entry} {
           %zero = arith.constant 0.0 : f32
           %e = tensor.empty() : tensor<3xf32>
           %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
           %sum = linalg.generic {indexing_maps = [#in, #out],
             iterator_types = [\"parallel\", \"reduction\", \"reduction\"]}
             ins(%x : tensor<3x5x7xf32>) outs(%f : tensor<3xf32>) {
             ^bb0(%v: f32, %o: f32):
               %r = arith.addf %o, %v : f32
               linalg.yield %r : f32 } -> tensor<3xf32>
           return %sum : tensor<3xf32> }",
    );
    // Two reduction loops around one load; the sum is stored after both.
    assert_eq!(text.matches("iter_args").count(), 2, "{text}");
    let nest = text.split("iter_args").nth(2).unwrap_or("");
    let (inner, rest) = nest.split_once('}').unwrap_or(("", ""));
    assert!(!inner.contains("affine.store"), "{text}");
    assert!(rest.contains("affine.store"), "{text}");
}

/// `layers` times `x = exp(x + x)` over rows, each element written to its position in the transposed result,
/// so that layers are not fused.
fn layers(count: usize) -> String {
    layers_of(count, 1)
}

/// The same, with `exponentials` of them in each layer.
fn layers_of(count: usize, exponentials: usize) -> String {
    let more: String = (1..exponentials)
        .map(|index| format!("%r{index} = math.exp %r{} : f32\n", index - 1))
        .collect();
    let last = exponentials - 1;
    let mut text = String::from(
        "#id = affine_map<(i, j) -> (i, j)>
         #transposed = affine_map<(i, j) -> (j, i)>
         func.func @main(%x0: tensor<5x5xf32>) -> tensor<5x5xf32> attributes {strata.entry} {\n",
    );
    for layer in 0..count {
        let next = layer + 1;
        text.push_str(&format!(
            "%e{layer} = tensor.empty() : tensor<5x5xf32>
             %x{next} = linalg.generic {{indexing_maps = [#id, #transposed],
               iterator_types = [\"parallel\", \"parallel\"]}}
               ins(%x{layer} : tensor<5x5xf32>) outs(%e{layer} : tensor<5x5xf32>) {{
               ^bb0(%v: f32, %o: f32):
                 %s = arith.addf %v, %v : f32
                 %r0 = math.exp %s : f32
                 {more}
                 linalg.yield %r{last} : f32 }} -> tensor<5x5xf32>\n"
        ));
    }
    text.push_str(&format!("return %x{count} : tensor<5x5xf32> }}"));
    text
}

#[test]
fn equal_nests_of_large_programs_are_one_function() {
    let context = new_context();
    let (text, _) = lower(&context, &layers(400));
    // The first reads the input, the last writes the output: their buffers have the alignment of an element.
    assert_eq!(text.matches("func.func private @strata.kernel.").count(), 3, "{text}");
    assert_eq!(text.matches("call @strata.kernel.").count(), 400, "{text}");
    let entry = text.split("func.func private").next().unwrap_or("");
    assert!(!entry.contains("affine.for"), "{entry}");
    assert!(text.contains("llvm.noalias"), "{text}");
}

#[test]
fn small_programs_stay_one_function() {
    let context = new_context();
    let (text, _) = lower(&context, &layers(20));
    assert!(!text.contains("strata.kernel"), "{text}");
}

#[test]
fn equal_heavy_nests_are_one_function_in_small_programs_too() {
    let context = new_context();
    // The first and the last layer are functions of their own, and each too rare.
    let (text, _) = lower(&context, &layers_of(6, 4));
    assert_eq!(text.matches("func.func private @strata.kernel.").count(), 1, "{text}");
    assert_eq!(text.matches("call @strata.kernel.").count(), 4, "{text}");
    let (text, _) = lower(&context, &layers_of(5, 4));
    assert!(!text.contains("strata.kernel"), "three equal ones are too few: {text}");
}

#[test]
fn nests_of_programs_with_many_buffers_are_functions() {
    let context = new_context();
    let of = |count: usize| {
        let inputs: Vec<_> = (0..count).map(|at| format!("%x{at}: tensor<35xf32>")).collect();
        let nests: String = (0..count)
            .map(|at| {
                let body = "%r = math.exp %v : f32";
                let nest = pointwise(&format!("y{at}"), &format!("x{at}"), &format!("e{at}"), body);
                format!("%e{at} = tensor.empty() : tensor<35xf32>\n{nest}")
            })
            .collect();
        let results: Vec<_> = (0..count).map(|at| format!("%y{at}")).collect();
        let types = vec!["tensor<35xf32>"; count].join(", ");
        let (inputs, results) = (inputs.join(", "), results.join(", "));
        let text = format!(
            "{MAPS}func.func @main({inputs}) -> ({types}) attributes {{strata.entry}} {{
             {nests} return {results} : {types} }}"
        );
        lower(&context, &text).0.matches("call @strata.kernel.").count()
    };
    assert_eq!(of(128), 0, "256 buffers");
    assert_eq!(of(129), 129, "258 buffers");
}

/// A loop that carries `%s`, whose next value `body` computes as `%t` from `%old`, and a counter.
fn loop_of(body: &str) -> String {
    format!(
        "{MAPS}#p = affine_map<() -> ()>
         func.func @main(%x: tensor<35xf32>, %n: tensor<i32>) -> tensor<35xf32> attributes {{strata.entry}} {{
           %zero = arith.constant dense<0> : tensor<i32>
           %one = arith.constant 1 : i32
           %loop:2 = scf.while (%i = %zero, %s = %x) : (tensor<i32>, tensor<35xf32>) -> (tensor<i32>, tensor<35xf32>) {{
             %a = tensor.extract %i[] : tensor<i32>
             %b = tensor.extract %n[] : tensor<i32>
             %c = arith.cmpi slt, %a, %b : i32
             scf.condition(%c) %i, %s : tensor<i32>, tensor<35xf32>
           }} do {{
           ^bb0(%k: tensor<i32>, %old: tensor<35xf32>):
             {body}
             %d = tensor.extract %k[] : tensor<i32>
             %f = arith.addi %d, %one : i32
             %j = tensor.from_elements %f : tensor<i32>
             scf.yield %j, %t : tensor<i32>, tensor<35xf32>
           }}
           return %loop#1 : tensor<35xf32> }}"
    )
}

/// The copies of the large state from `start` to the end of the loop.
fn copies_of_state(text: &str, start: &str) -> usize {
    let inside = text.split(start).nth(1).and_then(|rest| rest.split("scf.yield").next());
    let lines = inside.expect("the loop is left").lines();
    lines.filter(|line| line.contains("memref.copy") && line.contains("35xf32")).count()
}

#[test]
fn a_while_loop_computes_its_next_state_in_place() {
    // The last operation that reads the old state comes before the first that writes the new one.
    let first = pointwise("u", "old", "e", "%r = math.exp %v : f32");
    let second = pointwise("t", "u", "g", "%r = math.sin %v : f32");
    let body = format!(
        "%e = tensor.empty() : tensor<35xf32>
         {first} %g = tensor.empty() : tensor<35xf32>
         {second}"
    );
    let (text, _) = lower(&new_context(), &loop_of(&body));
    assert_eq!(copies_of_state(&text, "} do {"), 0, "{text}");
}

#[test]
fn a_while_loop_updates_a_slice_in_place() {
    let body = "%g = tensor.extract %k[] : tensor<i32>
        %at = arith.index_cast %g : i32 to index
        %piece = tensor.extract_slice %x[%at] [1] [1] : tensor<35xf32> to tensor<1xf32>
        %t = tensor.insert_slice %piece into %old[%at] [1] [1] : tensor<1xf32> into tensor<35xf32>";
    let (text, _) = lower(&new_context(), &loop_of(body));
    assert_eq!(copies_of_state(&text, "} do {"), 0, "{text}");
}

#[test]
fn a_while_loop_that_needs_its_old_state_has_two_places_for_it() {
    // The reversed tensor reads the old contents until the last element is written.
    let body = "%e = tensor.empty() : tensor<35xf32>
        %t = linalg.generic {indexing_maps = [affine_map<(d0) -> (34 - d0)>, #id], iterator_types = [\"parallel\"]}
          ins(%old : tensor<35xf32>) outs(%e : tensor<35xf32>) {
          ^bb0(%w: f32, %o: f32): linalg.yield %w : f32 } -> tensor<35xf32>";
    let (text, report) = lower(&new_context(), &loop_of(body));
    assert_eq!(copies_of_state(&text, "scf.while"), 0, "{text}");
    // The loop carries their offsets besides its counter.
    assert!(text.contains("-> (i32, index, index)"), "{text}");
    assert_eq!(report.workspace, 2 * 192, "{text}");
}

#[test]
fn a_state_that_is_a_constant_is_copied() {
    let body = "%t = arith.constant dense<1.0> : tensor<35xf32>
        %q = tensor.extract %old[%z] : tensor<35xf32>"
        .replace("%z", "%p");
    let body = format!("%p = arith.constant 0 : index\n{body}");
    let (text, _) = lower(&new_context(), &loop_of(&body));
    assert_eq!(copies_of_state(&text, "scf.while"), 1, "{text}");
}
