//! Bounds that types have: `tensor<?xf32, #stablehlo.bounds<8>>`.

use std::fs;

use strata::{Compiler, Options};

use super::bound;
use crate::{arrays::npy, command::strata, harness::Loaded};

const PROGRAM: &str = r#"func.func public @main(%x: tensor<?xf32, #stablehlo.bounds<8>> loc("x"), %n: tensor<1xi32>)
    -> (tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<4>>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.add %x, %x : tensor<?xf32, #stablehlo.bounds<8>>
  %1 = stablehlo.dynamic_broadcast_in_dim %one, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0, %1 : tensor<?xf32, #stablehlo.bounds<8>>, tensor<?xf32, #stablehlo.bounds<4>>
}
"#;

/// Arrays, values of `--bind` and results of the evaluator are no larger.
#[test]
fn what_is_larger_than_a_type_says_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |file: &str| folder.path().join(file);
    fs::write(at("bounds.mlir"), PROGRAM).unwrap();
    for size in [8_usize, 9] {
        let shape = format!("({size},)");
        fs::write(at(&format!("x{size}.npy")), npy("<f4", &shape, &vec![0; 4 * size])).unwrap();
    }
    for size in [4_i32, 5] {
        fs::write(at(&format!("n{size}.npy")), npy("<i4", "(1,)", &size.to_le_bytes())).unwrap();
    }
    let call = |command: &str, x: &str, n: &str| {
        strata(folder.path(), &[command, "bounds.mlir", "--input", x, "--input", n])
    };
    for command in ["eval", "run"] {
        call(command, "x8.npy", "n4.npy").succeeded();
    }
    for (command, x, n, code, words) in [
        (
            "eval",
            "x9.npy",
            "n4.npy",
            "S1802",
            "input 0 is tensor<9xf32>, the function takes tensor<?xf32, #stablehlo.bounds<8>>",
        ),
        ("run", "x9.npy", "n4.npy", "S1106", "x.0 <= 8"),
        (
            "eval",
            "x8.npy",
            "n5.npy",
            "S1912",
            "tensor<5xf32> where tensor<?xf32, #stablehlo.bounds<4>> is declared",
        ),
    ] {
        let ended = call(command, x, n);
        let error = format!("error[{code}]");
        assert!(ended.code != 0 && ended.stderr.contains(&error), "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{command}: {}", ended.stderr);
    }
    let compile = |size: &str| {
        strata(folder.path(), &["compile", "bounds.mlir", "--bind", size, "-o", "bounds.o"])
    };
    compile("x.0=8").succeeded();
    let ended = compile("x.0=9");
    assert!(ended.stderr.contains("error[S1106]"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("x.0 <= 8") && ended.stderr.contains("the type of `x`"),
        "{}",
        ended.stderr
    );
}

/// A size that follows from another one has its bound, too.
#[test]
fn bounds_of_sizes_that_follow_from_others_hold() {
    let program = r#"func.func public @main(%x: tensor<?xf32> loc("x"), %y: tensor<?xf32, #stablehlo.bounds<8>> loc("y")) -> tensor<?xf32> {
        %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
        %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
        %two = stablehlo.constant dense<2> : tensor<i32>
        %twice = stablehlo.multiply %n, %two : tensor<i32>
        %same = stablehlo.compare EQ, %m, %twice, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.custom_call @shape_assertion(%same) {error_message = "twice", has_side_effect = true} : (tensor<i1>) -> ()
        %half = stablehlo.real_dynamic_slice %y, %zero, %limit, %step : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
        %0 = stablehlo.add %x, %half : tensor<?xf32>
        return %0 : tensor<?xf32>
      }"#;
    let constants = "%zero = stablehlo.constant dense<0> : tensor<1xi32>
        %step = stablehlo.constant dense<1> : tensor<1xi32>
        %limit = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
        %half =";
    let program = program.replace("%half =", constants);
    let compile = |options| Compiler::new(options).compile("half", program.as_bytes());
    assert!(compile(bound("x.0=4")).is_ok());
    let errors = compile(bound("x.0=5")).map(drop).unwrap_err();
    assert_eq!(errors.iter().map(|error| error.code().id()).collect::<Vec<_>>(), ["S1106"]);
    let open = |max: i64| {
        let max = vec![("x.0".to_owned(), max)];
        compile(Options { open: true, max, ..bound("") })
    };
    let error = open(16).map(drop).unwrap_err().into_iter().next().unwrap();
    assert_eq!(error.code().id(), "S1106");
    assert_eq!(error.hint_text(), Some("`--max x.0=4` compiles for all sizes up to it"));
    let loaded = Loaded::new(&open(4).unwrap());
    for (size, takes) in [(0, true), (4, true), (5, false)] {
        assert_eq!(loaded.open_workspace_size(&[size]) != usize::MAX, takes, "{size}");
    }
}

/// A result whose size follows from an operand has the bound of its type, too.
#[test]
fn results_are_no_larger_than_their_types_say() {
    let folder = tempfile::tempdir().unwrap();
    let program = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.add %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
}";
    fs::write(folder.path().join("sum.mlir"), program).unwrap();
    let compile = |size: &str| {
        let arguments = ["compile", "sum.mlir", "--bind", size, "-o", "sum.o"];
        strata(folder.path(), &arguments)
    };
    compile("input0.0=4").succeeded();
    let ended = compile("input0.0=5");
    assert!(ended.stderr.contains("error[S1106]"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("dimension 0 of its result is 5, and the bound in its type 4"),
        "{}",
        ended.stderr
    );
    let program = "func.func @main(%x: tensor<?xi32>) -> tensor<?xi32, #stablehlo.bounds<4>> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xi32, #stablehlo.bounds<4>>
  return %0 : tensor<?xi32, #stablehlo.bounds<4>>
}";
    fs::write(folder.path().join("places.mlir"), program).unwrap();
    let compile = |most: &str| {
        strata(folder.path(), &["compile", "places.mlir", "--max", most, "-o", "places.o"])
    };
    compile("input0.0=4").succeeded();
    let ended = compile("input0.0=9");
    assert!(ended.stderr.contains("error[S1106]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("does not take `input0.0` = 9"), "{}", ended.stderr);
}
