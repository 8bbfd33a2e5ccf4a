//! What is refused about sizes, and the hints that compile.

use std::fs;

use strata::{Compiler, Options, Stage};
use strata_eval::{Evaluator, Session, Values};
use strata_ir::new_context;
use strata_verify::random_inputs;

use super::{PROGRAMS, bound};
use crate::{
    command::{strata, workspace},
    harness,
};

/// The options that a hint says: `--bind b=8 --max t=8`.
pub fn advised(hint: &str, options: &Options) -> Option<Options> {
    let (_, words) = hint.split_once("`--")?;
    let words: Vec<_> = words.split_once('`')?.0.split(' ').collect();
    let mut followed = Options { bind: Vec::new(), max: Vec::new(), ..options.clone() };
    for pair in words.chunks(2) {
        let &[option, list] = pair else { return None };
        match option.trim_start_matches('-') {
            "max" => followed.max = bound(list).bind,
            "bind" => followed.bind = bound(list).bind,
            other => panic!("{hint}: --{other}"),
        }
    }
    Some(followed)
}

/// Follows the hint of an error about sizes: then there is no second error.
fn follow(name: &str, program: &[u8], options: &Options) -> bool {
    let survey = strata::survey(options, name, program).map(|survey| survey.unsupported);
    let errors = survey.unwrap_or_else(|errors| errors.into_iter().collect());
    let Some(error) =
        errors.first().filter(|error| ["S1101", "S1106"].contains(&error.code().id()))
    else {
        return false;
    };
    let hint = error.hint_text().unwrap_or_else(|| panic!("{name}: no hint: {error}"));
    let Some(followed) = advised(hint, options) else {
        let is_open_about_it = ["static shapes", "its symbols are", "are static", "follow from"];
        assert!(is_open_about_it.iter().any(|text| hint.contains(text)), "{name}: {hint}");
        return false;
    };
    let survey = strata::survey(&followed, name, program);
    let survey = survey.unwrap_or_else(|errors| panic!("{name}: {hint}: {}", errors.render()));
    assert!(survey.unsupported.is_empty(), "{name}: {hint}: {:?}", survey.unsupported);
    // Code for all sizes up to bounds takes long; what sizes need was tried above.
    if followed.max.is_empty() {
        let compiled = Compiler::new(followed).to(Stage::Affine).compile(name, program);
        assert!(compiled.is_ok(), "{name}: {hint}: {:?}", compiled.err());
    }
    true
}

#[test]
fn hints_about_sizes_can_be_followed() {
    let mut followed = 0;
    for name in PROGRAMS {
        let program = fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
        for open in [true, false] {
            let options = Options { open, ..harness::options("x86-64-v3") };
            followed += usize::from(follow(name, &program, &options));
        }
    }
    assert!(followed > 30, "only {followed} hints were followed");
}

/// As a user meets it: `check` says what is needed, and then the program compiles.
#[test]
fn check_says_which_sizes_are_needed() {
    let here = tempfile::tempdir().unwrap();
    let text = "func.func public @main(%x: tensor<?x?x3xf32>) -> tensor<?x3xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.add %x, %x : tensor<?x?x3xf32>
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
      return %1 : tensor<?x3xf32>
    }";
    fs::write(here.path().join("open.mlir"), text).unwrap();
    let ended = strata(here.path(), &["check", "open.mlir"]);
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error[S1101]: size is known only at run time"));
    assert!(ended.text().contains("\nneeds sizes\n"), "{}", ended.text());
    let hint = ended.stderr.lines().find(|line| line.contains("hint: ")).expect("a hint");
    let option = hint.split('`').nth(1).expect("an option");
    assert!(option.starts_with("--max "), "{hint}");
    let words: Vec<&str> = ["check", "open.mlir"].into_iter().chain(option.split(' ')).collect();
    strata(here.path(), &words).succeeded();
    // What was given already counts.
    let words = ["compile", "open.mlir", "--emit", "exe", "--bind", "input0.1=20", "-o", "x"];
    let ended = strata(here.path(), &words);
    assert!(!ended.stderr.contains("input0.1=8"), "{}", ended.stderr);
    assert!(ended.stderr.contains("is input0.0 x 20 x 3"), "{}", ended.stderr);
    let option = ended.stderr.split('`').find(|part| part.starts_with("--bind ")).expect("a hint");
    let words: Vec<&str> = words.into_iter().chain(option.split(' ')).collect();
    strata(here.path(), &words).succeeded();
}

/// Symbols without a bound are refused by name, and so are bounds of tensors that no processor addresses.
#[test]
fn what_cannot_stay_open_is_named() {
    let read = |name: &str| fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
    let refused = |program: &[u8], max: &[(&str, i64)], own: &[(&str, i64)]| {
        let list = |list: &[(&str, i64)]| {
            list.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect()
        };
        let (max, specialize) = (list(max), list(own));
        let options = Options { open: true, max, specialize, ..harness::options("native") };
        let errors =
            Compiler::new(options).compile("open", program).map(|_| ()).expect_err("refused");
        let error = errors.iter().next().expect("an error");
        let texts = [error.reason_text(), error.hint_text()].map(|text| text.unwrap_or(""));
        format!("{}: {}; {}", error.code().id(), texts[0], texts[1])
    };
    let one = refused(&read("rows_mixed_sum"), &[], &[]);
    assert!(one.contains("rows of `x.0`") && one.contains("--max x.0="), "{one}");
    let program = read("bounded_types");
    let compile = |max: &[(&str, i64)], own: &[(&str, i64)]| refused(&program, max, own);
    let neither = compile(&[], &[]);
    assert!(neither.contains("`x.1`, `x.3`") && neither.contains("--max x.3="), "{neither}");
    let many = compile(&[("x.1", 1 << 24), ("x.3", 1 << 24)], &[]);
    assert!(many.starts_with("S1009") && many.contains("2^47 bytes"), "{many}");
    for (max, own) in [(("x.1", 0), ("x.1", 1)), (("x.1", 8), ("x.1", 9)), (("y", 8), ("x.1", 1))] {
        let others = [("x.3", 8), ("x.1", 8)].into_iter().filter(|(name, _)| *name != max.0);
        let all: Vec<_> = std::iter::once(max).chain(others).collect();
        let wrong = compile(&all, &[own]);
        assert!(wrong.starts_with("S1106"), "{wrong}");
    }
}

/// What takes more elements than there are is refused, as it is with these sizes in its types.
#[test]
fn sizes_for_which_a_part_is_larger_than_the_whole_are_refused() {
    let scatter = r#""stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
        update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<?xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> tensor<?xf32>"#;
    let gather = r#""stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
        start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3>}>
      : (tensor<?xf32>, tensor<1x1xi32>) -> tensor<1x3xf32>"#;
    for (operation, result) in [
        ("stablehlo.slice %x [0:3] : (tensor<?xf32>) -> tensor<3xf32>", "3"),
        (
            "stablehlo.dynamic_slice %x, %p, sizes = [3] : (tensor<?xf32>, tensor<i32>) -> tensor<3xf32>",
            "3",
        ),
        (
            "stablehlo.dynamic_update_slice %x, %v, %p : (tensor<?xf32>, tensor<3xf32>, tensor<i32>) -> tensor<?xf32>",
            "?",
        ),
        (gather, "1x3"),
        (scatter, "?"),
    ] {
        let program = format!(
            "func.func public @main(%x: tensor<?xf32>, %i: tensor<1x1xi32>, %u: tensor<1x3xf32>)
                 -> tensor<{result}xf32> {{
               %p = stablehlo.reshape %i : (tensor<1x1xi32>) -> tensor<i32>
               %v = stablehlo.reshape %u : (tensor<1x3xf32>) -> tensor<3xf32>
               %0 = {operation}
               return %0 : tensor<{result}xf32>
             }}"
        );
        let program = program.as_bytes();
        let max = vec![("input0.0".to_owned(), 9)];
        let options = Options { max, open: true, ..harness::options("native") };
        let artifact = Compiler::new(options).compile("part", program);
        let loaded = harness::Loaded::new(&artifact.unwrap_or_else(|errors| panic!("{errors}")));
        let context = new_context();
        let module = strata_vhlo::parse(&context, "part", program).expect("read");
        let evaluator = Evaluator::new(&module).expect("evaluated");
        for size in 0..=9 {
            let options = bound(&format!("input0.0={size}"));
            let inputs = random_inputs("part", program, &options, Values::Tame, 3);
            if size < 3 {
                assert!(inputs.is_err(), "{operation}, {size}");
                assert_eq!(loaded.call_open(&[], &[size], &[]).0, 10, "{operation}, {size}");
                continue;
            }
            let inputs = inputs.unwrap_or_else(|error| panic!("{}", error.render()));
            let expected = evaluator.run(None, &inputs, &Session::new(0)).expect("evaluated");
            let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
            let (status, outputs) = loaded.call_open(&bytes, &[size], &[expected[0].bytes().len()]);
            assert_eq!((status, &outputs[0][..]), (0, expected[0].bytes()), "{operation}, {size}");
        }
    }
}

/// Options that contradict each other are told so, with no advice that ignores them.
#[test]
fn contradicting_sizes_are_told() {
    let program = b"func.func public @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      return %x : tensor<?x4xf32>
    }";
    let pairs = |list: &[i64]| -> Vec<(String, i64)> {
        list.iter().map(|size| ("input0.0".to_owned(), *size)).collect()
    };
    for (bind, max, own, hint) in [
        (&[1, 2][..], &[][..], &[][..], "give each symbol one size"),
        (&[-1], &[], &[], "give a size of 0 or more"),
        (&[], &[4, 5], &[], "give each symbol one size, or one bound"),
        (&[2], &[4], &[], "give each symbol one size, or one bound"),
        (&[], &[4], &[9], "raise the bound, or leave out the size"),
        (&[], &[4], &[0], "leave it out: the object takes 0 without it"),
    ] {
        let (bind, max, specialize) = (pairs(bind), pairs(max), pairs(own));
        let options = Options { bind, max, specialize, open: true, ..harness::options("native") };
        let errors = Compiler::new(options).compile("said", program).map(|_| ()).expect_err(hint);
        let error = errors.iter().next().expect("an error");
        assert_eq!((error.code().id(), error.hint_text()), ("S1106", Some(hint)), "{error}");
    }
}

/// The evaluator fills in the numbers, as JAX does.
#[test]
fn assertions_that_fail_have_their_numbers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = "func.func @main() -> tensor<i1> {
      %a = stablehlo.constant dense<49> : tensor<i32>
      %b = stablehlo.constant dense<50> : tensor<i32>
      %holds = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%holds, %a, %b) {error_message = \"{0} is not {1}\", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
      return %holds : tensor<i1>
    }";
    std::fs::write(folder.path().join("fails.mlir"), program).expect("written");
    let ended = strata(folder.path(), &["eval", "fails.mlir"]);
    assert!(ended.code != 0 && ended.stderr.contains("49 is not 50"), "{}", ended.stderr);
}

/// An object says which condition shapes violate, with the sizes in it.
#[test]
fn refused_shapes_name_their_condition() {
    let program =
        b"func.func public @main(%x: tensor<?x?xf32>, %y: tensor<?x3xf32>) -> tensor<?x?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
      %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %k = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
      %twice = stablehlo.multiply %two, %n : tensor<i32>
      %less = stablehlo.subtract %m, %twice : tensor<i32>
      %fits = stablehlo.compare EQ, %less, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%fits) {has_side_effect = true} : (tensor<i1>) -> ()
      %rest = stablehlo.remainder %k, %two : tensor<i32>
      %even = stablehlo.compare EQ, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%even) {has_side_effect = true} : (tensor<i1>) -> ()
      %0 = stablehlo.negate %x : tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }";
    let max = vec![("input0.0".to_owned(), 5), ("input0.1".to_owned(), 8)];
    let options = Options { open: true, max, ..harness::options("native") };
    let artifact = Compiler::new(options.clone()).compile("said", program).expect("compiles");
    let signature = artifact.signature().expect("an object has one");
    let linked = strata_run::Linked::default();
    let loaded = strata_run::LoadedDynamic::new(artifact.bytes(), &options, signature, &linked);
    let loaded = loaded.expect("loaded");
    let refusal = |x: [i64; 2], y: [i64; 2]| {
        let shapes = [x.to_vec(), y.to_vec()];
        let refusal = loaded.refusal(&shapes).expect("asked");
        assert_eq!(refusal.is_none(), loaded.dims(&shapes).expect("asked").is_some());
        refusal.unwrap_or_default()
    };
    assert_eq!(refusal([3, 4], [6, 3]), "");
    assert_eq!(refusal([0, 0], [0, 3]), "");
    assert_eq!(refusal([6, 4], [12, 3]), "input0.0 = 6 is above the bound 5");
    assert_eq!(refusal([3, -1], [6, 3]), "input0.1 = -1 is below 0");
    let odd = refusal([3, 5], [6, 3]);
    assert!(odd.contains("input0.1") && odd.ends_with("is violated: input0.1 = 5"), "{odd}");
    let other = "input1.0 == 2*input0.0 is violated: input1.0 = 5, input0.0 = 3";
    assert_eq!(refusal([3, 4], [5, 3]), other);
    assert_eq!(refusal([3, 4], [6, 2]), "input1.1 == 3 is violated: input1.1 = 2");
    assert!(loaded.refusal(&[vec![3, 4]]).is_err());
}
