//! Programs whose values are split over devices: what stage `spmd` makes of them, and that the devices compute what the program says.

use std::{collections::BTreeSet, fs, path::Path};

use rstest::rstest;
use strata::{Compiler, Options, Stage};
use strata_eval::{Evaluator, Session, Tensor, Values};
use strata_ir as ir;
use strata_run::Linked;
use strata_verify::{Object, Tolerance, evaluate_split, judge_all};

use crate::harness::{cpus, options};

/// Where the cases are.
fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/split"))
}

fn text_of(name: &str) -> String {
    fs::read_to_string(folder().join(name)).expect("the program")
}

/// The program of one device.
fn split(text: &str) -> String {
    let compiler = Compiler::new(options("x86-64-v3")).to(Stage::Spmd);
    let made = compiler.compile("split.mlir", text.as_bytes());
    let made = made.unwrap_or_else(|errors| panic!("{errors}"));
    String::from_utf8(made.bytes().to_vec()).expect("text")
}

#[rstest]
#[case::no_results("no_results")]
#[case::matrix_factors("matrix_factors")]
fn calls_take_whole_values(#[case] name: &str) {
    let parts = split(&text_of(&format!("{name}.mlir")));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, parts));
}

#[rstest]
#[case::elementwise("elementwise")]
#[case::dot_summed("dot_summed")]
#[case::dot_free("dot_free")]
#[case::reduce("reduce")]
#[case::argmax("argmax")]
#[case::resharded("resharded")]
#[case::resharded_unevenly("resharded_unevenly")]
#[case::reshape("reshape")]
#[case::created("created")]
#[case::moved("moved")]
#[case::indexed("indexed")]
#[case::control_flow("control_flow")]
#[case::windows("windows")]
#[case::sort("sort")]
#[case::shard_map("shard_map")]
#[case::floats("floats")]
#[case::nothing_left("nothing_left")]
#[case::terms("terms")]
#[case::neighbours("neighbours")]
#[case::ranges("ranges")]
#[case::ranges_of_two("ranges_of_two")]
#[case::windows_passed("windows_passed")]
#[case::cumulative("cumulative")]
#[case::argmax_floats("argmax_floats")]
#[case::sort_along("sort_along")]
#[case::terms_passed("terms_passed")]
#[case::replicas("replicas")]
#[case::convolution_groups("convolution_groups")]
fn devices_compute_what_the_program_says(#[case] name: &str) {
    let text = text_of(&format!("{name}.mlir"));
    let parts = split(&text);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, parts));

    let context = ir::new_context();
    let whole = ir::parse_text(&context, &text).expect("it parses");
    let one = ir::parse_text(&context, &parts).expect("it parses again");
    let entry = ir::entry(&one, None).expect("an entry");
    let shards = ir::Shards::of(entry).expect("inputs and outputs are parts");
    let evaluator = Evaluator::new(&whole).expect("it is valid");
    for seed in 0..3 {
        let inputs = evaluator.random_inputs(None, Values::Tame, seed).expect("inputs");
        let expected = evaluate_whole(&evaluator, &whole, &inputs);
        let evaluated = evaluate_split(&one, None, &shards, &inputs, &Session::new(seed));
        agree(name, &evaluated.expect("it runs"), &expected);
        for cpu in cpus() {
            let object =
                Object::new(&text, &options(cpu), &Linked::default()).expect("it compiles");
            agree(name, &object.call(&inputs).expect("it runs"), &expected);
        }
    }
}

/// Bodies that work on parts run on all devices; everything else is whole.
fn evaluate_whole(
    evaluator: &Evaluator,
    module: &ir::Module<'_>,
    inputs: &[Tensor],
) -> Vec<Tensor> {
    let session = Session::new(0);
    if !strata_verify::communicates(module) {
        return evaluator.run(None, inputs, &session).expect("it runs");
    }
    let (replicas, partitions) =
        strata_verify::grid_of(ir::Devices::of(ir::module_op(module))).expect("several devices");
    let all = vec![inputs.to_vec(); replicas * partitions];
    let mut outputs =
        evaluator.run_on_devices(None, (replicas, partitions), &all, &session).expect("it runs");
    outputs.swap_remove(0)
}

/// Zeros keep their sign in sums over devices, of which one has the value and the others no term: of arguments, of what bodies take, and
/// of results.
#[rstest]
#[case("f32", &[0, 0, 0, 0x80])]
#[case("f64", &[0, 0, 0, 0, 0, 0, 0, 0x80])]
#[case("bf16", &[0, 0x80])]
#[case("f8E4M3FN", &[0x80])]
#[case("f8E5M2", &[0x80])]
#[case("f8E4M3FNUZ", &[0])]
#[case("f8E5M2FNUZ", &[0x31])]
#[case("complex<f32>", &[0, 0, 0, 0x80, 0, 0, 0, 0x80])]
#[case("complex<f64>", &[0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80])]
#[case("i32", &[0, 0, 0, 0x80])]
#[case("ui8", &[0x80])]
fn terms_keep_the_sign_of_zeros(#[case] element: &str, #[case] value: &[u8]) {
    let ty = format!("tensor<3x{element}>");
    let terms = "#sdy.sharding<@m, [{}], unreduced={\"x\"}>";
    let text = format!(
        "sdy.mesh @m = <[\"x\"=3, \"y\"=2]>\n\
         func.func public @main(%x: {ty} {{sdy.sharding = {terms}}}) -> ({ty}, {ty} {{sdy.sharding = {terms}}}) {{\n\
         %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{{}}], unreduced={{\"y\"}}>] out_shardings=[<@m, [{{}}], unreduced={{\"y\"}}>] manual_axes={{\"x\", \"y\"}} (%a: {ty}) {{\n\
         sdy.return %a : {ty}\n}} : ({ty}) -> {ty}\n\
         return %0, %x : {ty}, {ty}\n}}"
    );
    let element = strata_eval::ElementType::parse(element).expect("a type");
    let input = Tensor::from_bytes(&[3], element, value.repeat(3)).expect("its bytes");
    let context = ir::new_context();
    let parts = split(&text);
    let one = ir::parse_text(&context, &parts).expect("it parses");
    let shards = ir::Shards::of(ir::entry(&one, None).expect("an entry")).expect("parts");
    let inputs = [input.clone()];
    let evaluated = evaluate_split(&one, None, &shards, &inputs, &Session::new(0));
    let object = Object::new(&text, &options("x86-64"), &Linked::default()).expect("it compiles");
    for outputs in [evaluated.expect("it runs"), object.call(&inputs).expect("it runs")] {
        assert_eq!(outputs.len(), 2);
        for output in outputs {
            assert_eq!(output.bytes(), input.bytes(), "{parts}");
        }
    }
}

/// Integers are equal; floats may be summed in another order.
fn agree(name: &str, actual: &[Tensor], expected: &[Tensor]) {
    let is_float = |at: usize| expected[at].element_type().to_string().starts_with('f');
    // Terms of opposite signs cancel.
    let summed = Tolerance { ulps: 1000, ..Tolerance::default() };
    let tolerance = |at| if is_float(at) { summed } else { Tolerance::EXACT };
    let judged = judge_all(actual, expected, tolerance, |_| None).expect("equal shapes");
    for (at, one) in judged.iter().enumerate() {
        assert!(one.wrong.is_none(), "{name}, output {at}: {:?}", one.wrong);
    }
}

/// Each program of the folder is a case above.
#[test]
fn every_program_is_a_case() {
    let source = include_str!("split.rs");
    let files = fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry"));
    let names: BTreeSet<_> = files
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.strip_suffix(".mlir").map(str::to_owned)
        })
        .collect();
    for name in &names {
        assert!(source.contains(&format!("#[case::{name}(")), "{name} is not run");
    }
    assert!(names.len() > 10);
}

/// A negation whose input is split over a mesh `axes`, in a module with these attributes.
fn negation(attributes: &str, axes: &str) -> String {
    format!(
        "module attributes {{{attributes}}} {{\n  sdy.mesh @mesh = <[{axes}]>\n  \
         func.func @main(%x: tensor<5x6xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{\"x\"}}, {{}}]>}}) -> tensor<5x6xf32> {{\n    \
         %0 = stablehlo.negate %x : tensor<5x6xf32>\n    return %0 : tensor<5x6xf32>\n  }}\n}}\n"
    )
}

/// One replica says nothing of partitions: the mesh has the devices. One partition does, and nothing is split then.
#[test]
fn modules_without_partitions_are_for_the_devices_of_their_mesh() {
    let axes = "\"x\"=2, \"y\"=2";
    for attributes in ["", "mhlo.num_replicas = 1 : i32", "mhlo.num_partitions = 4 : i32"] {
        let text = split(&negation(attributes, axes));
        assert!(text.contains("tensor<3x6xf32>"), "{attributes}: {text}");
    }
    let one = negation("mhlo.num_partitions = 1 : i32", axes);
    let errors = Compiler::new(options("x86-64-v3")).compile("split.mlir", one.as_bytes());
    let errors = errors.expect_err("it is not for four").to_string();
    assert!(errors.contains("S1107") && errors.contains("a mesh of 4 devices"), "{errors}");
}

#[test]
fn meshes_of_too_many_devices_are_refused() {
    for axes in ["\"x\"=2, \"y\"=4611686018427387904", "\"x\"=2048, \"y\"=1024"] {
        // Nor would it be right to declare them.
        for attributes in ["", "mhlo.num_partitions = 1 : i32", "mhlo.num_partitions = 4 : i32"] {
            let compiler = Compiler::new(options("x86-64-v3")).to(Stage::Spmd);
            let errors = compiler.compile("split.mlir", negation(attributes, axes).as_bytes());
            let errors = errors.expect_err("no machine has as many");
            let error = errors.iter().next().expect("one");
            let text = errors.to_string();
            assert!(text.contains("S1107") && text.contains("more than 1048576 devices"), "{text}");
            let hint = error.hint_text().unwrap_or_default();
            assert!(hint.contains("export the program for fewer"), "{attributes}: {hint}");
        }
    }
}

/// What devices get beside their parts is a few rows, and not the whole; the remarks say how much.
#[test]
fn neighbours_exchange_what_is_beside_parts() {
    let parts = split(&text_of("neighbours.mlir"));
    // The sum over all that is before needs the whole.
    assert_eq!(parts.matches("stablehlo.all_gather").count(), 1, "{parts}");
    let told = remarks_on("neighbours");
    assert!(told.contains("what is beside a part"), "{told}");
}

/// Groups of convolutions stay where they are if parts have whole ones; the one gather is of those that they would divide.
#[test]
fn groups_are_gathered_where_parts_divide_them() {
    let parts = split(&text_of("convolution_groups.mlir"));
    assert_eq!(parts.matches("stablehlo.all_gather").count(), 1, "{parts}");
    let told = remarks_on("convolution_groups");
    let reason = "groups of a convolution that parts do not divide";
    assert_eq!(told.matches(reason).count(), 1, "{told}");
}

/// The remarks on a case.
fn remarks_on(name: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), text_of(&format!("{name}.mlir"))).expect("written");
    let arguments = ["compile", "p.mlir", "-o", "p.o", "--remarks=remarks.txt"];
    crate::command::strata(folder.path(), &arguments).succeeded();
    fs::read_to_string(folder.path().join("remarks.txt")).expect("written")
}

/// Strings of older exporters split values, too: nothing is called with whole inputs.
#[test]
fn strings_that_split_values_are_not_warned_about() {
    let program = |sharding: &str| {
        format!(
            "module attributes {{mhlo.num_partitions = 4 : i32}} {{\n  \
             func.func @main(%x: tensor<5x6xf32> {{mhlo.sharding = \"{sharding}\"}}) -> tensor<5x6xf32> {{\n    \
             %0 = stablehlo.negate %x : tensor<5x6xf32>\n    return %0 : tensor<5x6xf32>\n  }}\n}}\n"
        )
    };
    let warned = |sharding: &str| {
        let made =
            Compiler::new(options("x86-64-v3")).compile("split.mlir", program(sharding).as_bytes());
        let made = made.unwrap_or_else(|errors| panic!("{errors}"));
        made.warnings().to_string().contains("S1105")
    };
    assert!(!warned("{devices=[2,2]<=[4]}"));
    assert!(warned("{replicated}"));
}

/// What a call says of itself.
fn rule(text: &str) -> String {
    format!("sdy.sharding_rule = #sdy.op_sharding_rule<{text}, custom>")
}

fn batch(dims: usize) -> String {
    format!("mhlo.frontend_attributes = {{num_batch_dims = \"{dims}\"}}")
}

/// A call whose rule says what devices compute apart, what they add, and what each needs all of.
#[rstest]
#[case::apart(rule("([i, j])->([i, j]) {i=8, j=6}"), "8x6", "tensor<4x3xf32>) -> tensor<4x3xf32>", &[])]
#[case::whole(rule("([i, j])->([i, j]) {i=8, j=6} need_replication={j}"), "8x6", "tensor<4x6xf32>) -> tensor<4x6xf32>", &["all_gather"])]
#[case::summed(rule("([i, j])->([i, k]) {i=8, j=6, k=6} reduction={j}"), "8x6", "tensor<4x3xf32>) -> tensor<4x6xf32>", &["all_reduce"])]
#[case::summed_unevenly(rule("([i, j])->([i, k]) {i=8, j=5, k=5} reduction={j}"), "8x5", "tensor<4x5xf32>) -> tensor<4x5xf32>", &["all_gather"])]
#[case::of_another_size(rule("([i, j])->([i, j]) {i=4, j=6} permutation={i}"), "8x6", "tensor<8x3xf32>) -> tensor<8x3xf32>", &["all_gather"])]
#[case::in_a_batch(batch(1), "8x6", "tensor<4x6xf32>) -> tensor<4x6xf32>", &["all_gather"])]
#[case::in_a_batch_of_two(batch(2), "8x6", "tensor<4x3xf32>) -> tensor<4x3xf32>", &[])]
#[case::in_a_batch_of_more_than_there_is(batch(3), "8x6", "tensor<8x6xf32>) -> tensor<8x6xf32>", &["all_gather"])]
fn calls_are_split_as_their_rules_say(
    #[case] rule: String,
    #[case] size: &str,
    #[case] part: &str,
    #[case] exchanges: &[&str],
) {
    let text = format!(
        "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n\
         func.func @main(%a: tensor<{size}xf32> {{sdy.sharding = #sdy.sharding<@m, [{{\"x\"}}, {{\"y\"}}]>}}) -> tensor<{size}xf32> {{\n\
         %0 = stablehlo.custom_call @f(%a) {{{rule}}} : (tensor<{size}xf32>) -> tensor<{size}xf32>\n\
         return %0 : tensor<{size}xf32>\n}}\n"
    );
    let parts = split(&text);
    assert!(parts.contains(part), "{rule}: {parts}");
    assert!(!parts.contains("sdy."), "{parts}");
    for exchange in ["all_gather", "all_reduce", "all_to_all", "collective_permute"] {
        let is_there = parts.contains(&format!("stablehlo.{exchange}"));
        assert_eq!(is_there, exchanges.contains(&exchange), "{rule}, {exchange}: {parts}");
    }
}

/// A rule on an operation of StableHLO says what is passed on, and never what is computed: a wrong one changes no result.
#[test]
fn rules_on_known_operations_change_no_result() {
    let text = "sdy.mesh @m = <[\"x\"=2]>\n\
        func.func @main(%a: tensor<6x6xi32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}) -> tensor<6x6xi32> {\n\
        %0 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=6, j=6}>} : (tensor<6x6xi32>) -> tensor<6x6xi32>\n\
        return %0 : tensor<6x6xi32>\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.mlir"), text).expect("written");
    let asked = [
        "compile",
        "p.mlir",
        "--after",
        "input=propagate-shardings",
        "--to",
        "input",
        "-o",
        "q.mlir",
    ];
    crate::command::strata(folder.path(), &asked).succeeded();
    let propagated = fs::read_to_string(folder.path().join("q.mlir")).expect("written");
    let line = propagated.lines().find(|line| line.contains("stablehlo.transpose"));
    assert!(line.is_some_and(|line| line.contains("[{\"x\"}, {}]")), "{propagated}");
    crate::command::strata(folder.path(), &["verify", "p.mlir", "--rounds", "2"]).succeeded();
}

/// Terms of one body are those of the next; without other shardings, too, and in the evaluator.
#[test]
fn bodies_pass_terms_on() {
    let text = text_of("terms_passed.mlir");
    let parts = split(&text);
    // The one that the program has itself, and one for the result.
    assert_eq!(parts.matches("stablehlo.all_reduce").count(), 2, "{parts}");
    assert!(!parts.contains("stablehlo.all_gather"), "{parts}");
    // A caller who adds terms gets them.
    let kept = split(&text.replace("attributes {", "attributes {strata.terms, "));
    assert_eq!(kept.matches("stablehlo.all_reduce").count(), 1, "{kept}");
    assert!(!kept.contains("strata.terms"), "{kept}");
    // Added where something is computed of them, once.
    let used = text
        .replace("return %0, %1", "%5 = stablehlo.negate %0 : tensor<2x3xi32>\n    return %5, %1");
    assert_eq!(split(&used).matches("stablehlo.all_reduce").count(), 2, "{}", split(&used));
    let folder = tempfile::tempdir().expect("a folder");
    let alone = text
        .replace(" {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}", "")
        .replace(" {sdy.sharding = #sdy.sharding<@m, [{}, {}], unreduced={\"x\"}>}", "")
        .replace(" {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}", "");
    for (name, program) in [("p.mlir", text), ("used.mlir", used), ("alone.mlir", alone)] {
        fs::write(folder.path().join(name), program).expect("written");
        crate::command::strata(folder.path(), &["verify", name, "--rounds", "2"]).succeeded();
    }
}

/// What windows, cumulative sums and sorts exchange is a part, and not the whole.
#[rstest]
#[case("windows_passed", 0)]
#[case("argmax_floats", 3)]
#[case("sort_along", 2)]
#[case("cumulative", 4)]
fn split_dimensions_are_not_gathered(#[case] name: &str, #[case] gathers: usize) {
    let parts = split(&text_of(&format!("{name}.mlir")));
    assert_eq!(parts.matches("stablehlo.all_gather").count(), gathers, "{parts}");
}

/// Parts have given sizes: what is said of an open one can be followed.
#[test]
fn open_sizes_beside_parts_are_refused() {
    let text = "module attributes {mhlo.num_partitions = 2 : i32} {
      sdy.mesh @mesh = <[\"x\"=2]>
      func.func @main(%x: tensor<?x4xf32>) -> (tensor<?x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}) {
        %0 = stablehlo.tanh %x : tensor<?x4xf32>
        return %0 : tensor<?x4xf32>
      }
    }";
    let compiled = |bind: &[(String, i64)]| {
        let options = Options { open: true, bind: bind.to_vec(), ..options("x86-64-v3") };
        Compiler::new(options).to(Stage::Obj).compile("split.mlir", text.as_bytes())
    };
    let told = compiled(&[]).map(|_| ()).expect_err("an open size").render();
    assert!(told.contains("S1101") && told.contains("--bind input0.0=8"), "{told}");
    assert!(compiled(&[("input0.0".to_owned(), 8)]).is_ok());
}
