//! Excess precision: numbers of `bf16` and `f16` that keep their digits from one operation to the next, where that is permitted.

use half::{bf16, f16};
use strata::{Compiler, Options, Stage, Tasks};

use crate::{
    command::strata,
    harness::{Loaded, cpus, options},
};

/// A format of 16 bits.
#[derive(Clone, Copy)]
struct Half {
    name: &'static str,
    round: fn(f32) -> u16,
    number: fn(u16) -> f32,
}

const HALVES: [Half; 2] = [
    Half {
        name: "bf16",
        round: |one| bf16::from_f32(one).to_bits(),
        number: |bits| bf16::from_bits(bits).to_f32(),
    },
    Half {
        name: "f16",
        round: |one| f16::from_f32(one).to_bits(),
        number: |bits| f16::from_bits(bits).to_f32(),
    },
];

impl Half {
    /// A number as one of the format.
    fn rounded(self, number: f32) -> f32 {
        (self.number)((self.round)(number))
    }

    /// `count` numbers between 1 and 4 of either sign.
    fn numbers(self, count: usize, seed: usize) -> Vec<f32> {
        let number = |at: usize| {
            let part = ((at * 7919 + seed * 104_729) % 1009) as f32 / 1009.0;
            let sign = if (at + seed).is_multiple_of(3) { -1.0 } else { 1.0 };
            self.rounded((1.0 + 3.0 * part) * sign)
        };
        (0..count).map(number).collect()
    }

    fn bytes(self, numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|one| (self.round)(*one).to_le_bytes()).collect()
    }

    fn read(self, bytes: &[u8]) -> Vec<f32> {
        let words = bytes.chunks_exact(2).map(|word| u16::from_le_bytes([word[0], word[1]]));
        words.map(self.number).collect()
    }
}

fn permitted(cpu: &str) -> Options {
    Options { excess_precision: true, ..options(cpu) }
}

fn load(program: &str, options: Options) -> Loaded {
    let compiler = Compiler::new(options).to(Stage::Obj);
    Loaded::new(&compiler.compile("precision.mlir", program.as_bytes()).expect("compiles"))
}

fn text(program: &str, stage: Stage, options: Options) -> String {
    let artifact = Compiler::new(options).to(stage).compile("precision.mlir", program.as_bytes());
    String::from_utf8(artifact.expect("compiles").bytes().to_vec()).expect("text")
}

/// `main` of three tensors of `T`, with these operations and results.
fn program(format: &str, count: usize, body: &str, results: &[&str]) -> String {
    let types: Vec<_> = results.iter().map(|_| "T").collect();
    format!(
        "func.func @main(%x: T, %y: T, %z: T) -> ({types}) {{ {body} return {} : {types} }}",
        results.join(", "),
        types = types.join(", "),
    )
    .replace('T', &format!("tensor<{count}x{format}>"))
}

/// What each operation computes of three numbers.
type Formula = fn(Half, [f32; 3]) -> f32;

/// Programs whose results tell roundings apart, and what they compute with the permission and without.
const TOLD_APART: [(&str, &str, Formula, Formula); 9] = [
    (
        "chain",
        "%a = stablehlo.multiply %x, %y : T  %b = stablehlo.add %a, %z : T
         %c = stablehlo.subtract %b, %x : T  %r = stablehlo.multiply %c, %z : T",
        |_, [x, y, z]| (x * y + z - x) * z,
        |half, [x, y, z]| half.rounded(half.rounded(half.rounded(x * y) + z) - x) * z,
    ),
    (
        "reduce_precision",
        "%a = stablehlo.multiply %x, %y : T
         %b = stablehlo.reduce_precision %a, format = FORMAT : T
         %c = stablehlo.add %b, %z : T  %r = stablehlo.subtract %c, %x : T",
        |half, [x, y, z]| half.rounded(x * y) + z - x,
        |half, [x, y, z]| half.rounded(half.rounded(x * y) + z) - x,
    ),
    (
        "optimization_barrier",
        "%a = stablehlo.multiply %x, %y : T  %b = stablehlo.optimization_barrier %a : T
         %r = stablehlo.add %b, %z : T",
        |half, [x, y, z]| half.rounded(x * y) + z,
        |half, [x, y, z]| half.rounded(x * y) + z,
    ),
    (
        "convert",
        "%a = stablehlo.convert %x : (T) -> W  %b = stablehlo.convert %y : (T) -> W
         %c = stablehlo.divide %a, %b : W  %d = stablehlo.convert %c : (W) -> T
         %e = stablehlo.convert %d : (T) -> W  %f = stablehlo.convert %z : (T) -> W
         %g = stablehlo.multiply %e, %f : W  %r = stablehlo.convert %g : (W) -> T",
        |_, [x, y, z]| x / y * z,
        |half, [x, y, z]| half.rounded(x / y) * z,
    ),
    (
        "moved",
        "%a = stablehlo.multiply %x, %y : T  %n = stablehlo.negate %a : T
         %b = stablehlo.maximum %n, %z : T  %r = stablehlo.add %b, %x : T",
        |_, [x, y, z]| (-(x * y)).max(z) + x,
        |half, [x, y, z]| half.rounded(-(x * y)).max(z) + x,
    ),
    (
        "selected",
        "%a = stablehlo.multiply %x, %y : T  %b = stablehlo.add %a, %z : T
         %p = stablehlo.compare GE, %a, %z : (T, T) -> B
         %s = stablehlo.select %p, %a, %b : B, T  %r = stablehlo.subtract %s, %z : T",
        |_, [x, y, z]| if x * y >= z { x * y - z } else { x * y + z - z },
        |half, [x, y, z]| {
            let product = half.rounded(x * y);
            if product >= z { product - z } else { half.rounded(product + z) - z }
        },
    ),
    // What simplification leaves out rounds as it does in the program.
    (
        "slice",
        "%a = stablehlo.multiply %x, %y : T  %b = stablehlo.slice %a [0:COUNT] : (T) -> T
         %r = stablehlo.add %b, %z : T",
        |half, [x, y, z]| half.rounded(x * y) + z,
        |half, [x, y, z]| half.rounded(x * y) + z,
    ),
    (
        "branch",
        "%a = stablehlo.multiply %x, %y : T  %t = stablehlo.constant dense<true> : tensor<i1>
         %b = \"stablehlo.if\"(%t) ({ stablehlo.return %a : T }, { stablehlo.return %x : T }) : (tensor<i1>) -> T
         %r = stablehlo.add %b, %z : T",
        |half, [x, y, z]| half.rounded(x * y) + z,
        |half, [x, y, z]| half.rounded(x * y) + z,
    ),
    (
        "loop",
        "%0 = stablehlo.constant dense<0> : tensor<i32>  %1 = stablehlo.constant dense<1> : tensor<i32>
         %l:2 = stablehlo.while(%i = %0, %v = %x) : tensor<i32>, T
           cond {
             %c = stablehlo.compare GE, %1, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %c : tensor<i1>
           } do {
             %n = stablehlo.add %i, %1 : tensor<i32>
             %w = stablehlo.multiply %v, %y : T  %u = stablehlo.add %w, %z : T
             stablehlo.return %n, %u : tensor<i32>, T
           }
         %r = stablehlo.subtract %l#1, %x : T",
        |half, [x, y, z]| half.rounded(half.rounded(x * y + z) * y + z) - x,
        |half, [x, y, z]| {
            let step = |v: f32| half.rounded(half.rounded(v * y) + z);
            step(step(x)) - x
        },
    ),
];

/// Those of them whose numbers are all rounded, permission or not.
const ROUNDED: [&str; 3] = ["optimization_barrier", "slice", "branch"];

#[test]
fn digits_are_kept_between_operations_and_results_are_rounded() {
    for (half, count) in
        HALVES.into_iter().flat_map(|half| [7, 33, 1021].map(|count| (half, count)))
    {
        let numbers = [1, 2, 3].map(|seed| half.numbers(count, seed));
        let inputs = numbers.clone().map(|one| half.bytes(&one));
        let format = if half.name == "bf16" { "e8m7" } else { "e5m10" };
        let own = |name: &str, body: &str| {
            let body = body.replace('%', &format!("%{name}_"));
            let inputs = ["x", "y", "z"].map(|one| (format!("%{name}_{one}"), format!("%{one}")));
            inputs.iter().fold(body, |body, (own, input)| body.replace(own, input))
        };
        let body: String = TOLD_APART.iter().map(|(name, body, ..)| own(name, body)).collect();
        let body = body
            .replace("FORMAT", format)
            .replace("COUNT", &count.to_string())
            .replace('W', &format!("tensor<{count}xf32>"))
            .replace('B', &format!("tensor<{count}xi1>"));
        let results = TOLD_APART.map(|(name, ..)| format!("%{name}_r"));
        let program = program(half.name, count, &body, &results.each_ref().map(String::as_str));
        let expected = |formula: Formula| -> Vec<f32> {
            let of = |at: usize| formula(half, [0, 1, 2].map(|one| numbers[one][at]));
            (0..count).map(|at| half.rounded(of(at))).collect()
        };
        for cpu in cpus() {
            let exact = load(&program, options(cpu)).call(&inputs);
            let kept = load(&program, permitted(cpu)).call(&inputs);
            for (at, (name, _, with, without)) in TOLD_APART.into_iter().enumerate() {
                let what = format!("{name} of {count} {} on {cpu}", half.name);
                let (with, without) = (expected(with), expected(without));
                let differs = !ROUNDED.contains(&name) && count > 7;
                assert!(!differs || with != without, "{name}: the inputs do not tell them apart");
                assert_eq!(half.read(&exact[at]), without, "{what}, by default");
                assert_eq!(half.read(&kept[at]), with, "{what}");
            }
        }
    }
}

/// A number that is also a result: that is rounded, and other arithmetic goes on with the digits.
#[test]
fn what_is_stored_is_rounded() {
    for half in HALVES {
        let count = 257;
        let [x, y, z] = [1, 2, 3].map(|seed| half.numbers(count, seed));
        let body = "%a = stablehlo.multiply %x, %y : T  %b = stablehlo.add %a, %z : T";
        let program = program(half.name, count, body, &["%a", "%b"]);
        let inputs = [&x, &y, &z].map(|one| half.bytes(one));
        for cpu in cpus() {
            let found = load(&program, permitted(cpu)).call(&inputs);
            let [products, sums] = [0, 1].map(|at| half.read(&found[at]));
            for at in 0..count {
                let product = x[at] * y[at];
                assert_eq!(products[at], half.rounded(product), "{} on {cpu}", half.name);
                assert_eq!(sums[at], half.rounded(product + z[at]), "{} on {cpu}", half.name);
            }
        }
    }
}

/// The largest of some products is one of these, whether or not something else reads it rounded.
#[test]
fn comparisons_agree_on_a_number() {
    for half in HALVES {
        for result in ["", ", %m"] {
            let ty = if result.is_empty() { "" } else { ", tensor<9xT>" };
            let program = format!(
                "func.func @main(%x: tensor<9x67xT>, %y: tensor<9x67xT>) -> (tensor<9x67xT>{ty}) {{
                   %low = stablehlo.constant dense<-1.0e4> : tensor<T>
                   %one = stablehlo.constant dense<1.0> : tensor<9x67xT>
                   %zero = stablehlo.constant dense<0.0> : tensor<9x67xT>
                   %p = stablehlo.multiply %x, %y : tensor<9x67xT>
                   %m = stablehlo.reduce(%p init: %low) applies stablehlo.maximum across dimensions = [1]
                     : (tensor<9x67xT>, tensor<T>) -> tensor<9xT>
                   %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<9xT>) -> tensor<9x67xT>
                   %e = stablehlo.compare EQ, %p, %b : (tensor<9x67xT>, tensor<9x67xT>) -> tensor<9x67xi1>
                   %r = stablehlo.select %e, %one, %zero : tensor<9x67xi1>, tensor<9x67xT>
                   return %r{result} : tensor<9x67xT>{ty}
                 }}"
            )
            .replace('T', half.name);
            let [x, y] = [4, 5].map(|seed| half.numbers(9 * 67, seed));
            for cpu in cpus() {
                for tasks in [Tasks::Never, Tasks::Always] {
                    let options = Options { tasks, ..permitted(cpu) };
                    let found = load(&program, options).call(&[half.bytes(&x), half.bytes(&y)]);
                    let marks = half.read(&found[0]);
                    for row in 0..9 {
                        let product = |at: usize| x[row * 67 + at] * y[row * 67 + at];
                        let largest = (0..67).map(product).fold(f32::NEG_INFINITY, f32::max);
                        for at in 0..67 {
                            let is_largest = marks[row * 67 + at] == 1.0;
                            assert_eq!(
                                is_largest,
                                product(at) == largest,
                                "{} on {cpu}",
                                half.name
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Dots read rounded numbers, and so do loops from one iteration to the next.
#[test]
fn dots_and_loops_read_rounded_numbers() {
    let half = HALVES[0];
    let program = "func.func @main(%x: tensor<4x8xbf16>, %y: tensor<4x8xbf16>) -> (tensor<4x4xf32>, tensor<4x8xbf16>) {
        %p = stablehlo.multiply %x, %y : tensor<4x8xbf16>
        %d = stablehlo.dot_general %p, %p, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST]
          : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x4xf32>
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %three = stablehlo.constant dense<30> : tensor<i32>
        %l:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4x8xbf16>
          cond {
            %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %n = stablehlo.add %i, %one : tensor<i32>
            %w = stablehlo.add %v, %y : tensor<4x8xbf16>
            %u = stablehlo.subtract %w, %x : tensor<4x8xbf16>
            stablehlo.return %n, %u : tensor<i32>, tensor<4x8xbf16>
          }
        return %d, %l#1 : tensor<4x4xf32>, tensor<4x8xbf16>
      }";
    let [x, y] = [6, 7].map(|seed| half.numbers(32, seed));
    for cpu in cpus() {
        let found = load(program, permitted(cpu)).call(&[half.bytes(&x), half.bytes(&y)]);
        let dots: Vec<_> = found[0]
            .chunks_exact(4)
            .map(|one| f32::from_le_bytes([one[0], one[1], one[2], one[3]]))
            .collect();
        let product =
            |row: usize, at: usize| f64::from(half.rounded(x[row * 8 + at] * y[row * 8 + at]));
        for (at, dot) in dots.iter().enumerate() {
            let exact: f64 = (0..8).map(|one| product(at / 4, one) * product(at % 4, one)).sum();
            // Of digits that were kept it would be off by 2^-9.
            assert!((f64::from(*dot) - exact).abs() <= 1e-4, "{cpu}: {dot}, not {exact}");
        }
        for (at, last) in half.read(&found[1]).into_iter().enumerate() {
            let step = |value: f32, _| half.rounded(value + y[at] - x[at]);
            assert_eq!(last, (0..30).fold(x[at], step), "{cpu}");
        }
    }
}

/// Numbers between operations have the range of `f32`, too.
#[test]
fn products_beyond_f16_may_come_back() {
    let program = "func.func @main(%x: tensor<3xf16>) -> tensor<3xf16> {
        %a = stablehlo.multiply %x, %x : tensor<3xf16>
        %b = stablehlo.divide %a, %x : tensor<3xf16>
        return %b : tensor<3xf16>
      }";
    let half = HALVES[1];
    let numbers = [300.0, -1024.0, 2.0];
    for cpu in cpus() {
        let found = load(program, permitted(cpu)).call(&[half.bytes(&numbers)]);
        assert_eq!(half.read(&found[0]), numbers, "{cpu}");
        let found = load(program, options(cpu)).call(&[half.bytes(&numbers)]);
        assert_eq!(half.read(&found[0]), [f32::INFINITY, f32::NEG_INFINITY, 2.0], "{cpu}");
    }
}

/// Normalisation and softmax of rows, gelu: the same formula in `f32`, rounded once, to a unit.
#[test]
fn rows_are_computed_as_in_f32() {
    let softmax = "%low = stablehlo.constant dense<0xLOW> : tensor<H>
        %zero = stablehlo.constant dense<0.0> : tensor<H>
        %a = stablehlo.multiply %x, %x : tensor<5x131xH>
        %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1]
          : (tensor<5x131xH>, tensor<H>) -> tensor<5xH>
        %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<5xH>) -> tensor<5x131xH>
        %d = stablehlo.subtract %a, %b : tensor<5x131xH>
        %e = stablehlo.exponential %d : tensor<5x131xH>
        %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<5x131xH>, tensor<H>) -> tensor<5xH>
        %t = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<5xH>) -> tensor<5x131xH>
        %r = stablehlo.divide %e, %t : tensor<5x131xH>";
    let gelu = "%half = stablehlo.constant dense<0.5> : tensor<5x131xH>
        %one = stablehlo.constant dense<1.0> : tensor<5x131xH>
        %a = stablehlo.multiply %x, %x : tensor<5x131xH>
        %b = stablehlo.multiply %a, %x : tensor<5x131xH>
        %t = stablehlo.tanh %b : tensor<5x131xH>
        %u = stablehlo.add %one, %t : tensor<5x131xH>
        %h = stablehlo.multiply %half, %u : tensor<5x131xH>
        %r = stablehlo.multiply %x, %h : tensor<5x131xH>";
    for half in HALVES {
        let low = if half.name == "bf16" { "FF80" } else { "FC00" };
        let x = half.numbers(5 * 131, 8);
        for (name, body) in [("softmax", softmax), ("gelu", gelu)] {
            let program = format!(
                "func.func @main(%x: tensor<5x131xH>) -> tensor<5x131xH> {{ {body} return %r : tensor<5x131xH> }}"
            )
            .replace("LOW", low)
            .replace('H', half.name);
            let expected: Vec<f64> = match name {
                "gelu" => x
                    .iter()
                    .map(|one| f64::from(*one))
                    .map(|one| one * 0.5 * (1.0 + one.powi(3).tanh()))
                    .collect(),
                _ => x
                    .chunks(131)
                    .flat_map(|row| {
                        let square = |one: &f32| f64::from(one * one);
                        let most = row.iter().map(square).fold(f64::NEG_INFINITY, f64::max);
                        let sum: f64 = row.iter().map(|one| (square(one) - most).exp()).sum();
                        row.iter().map(move |one| (square(one) - most).exp() / sum)
                    })
                    .collect(),
            };
            let unit = if half.name == "bf16" { 2f64.powi(-8) } else { 2f64.powi(-11) };
            for cpu in cpus() {
                let found = half.read(&load(&program, permitted(cpu)).call(&[half.bytes(&x)])[0]);
                for (found, expected) in found.iter().zip(&expected) {
                    let off = (f64::from(*found) - expected).abs();
                    // Half a unit, and what the shorter formulas are off by; where 1 + tanh cancels, that of 1.
                    let allowed = 1.1 * unit * expected.abs()
                        + if name == "gelu" { 0.1 * unit } else { 1e-7 };
                    assert!(
                        off <= allowed,
                        "{name} of {} on {cpu}: {found}, not {expected}",
                        half.name
                    );
                }
            }
        }
    }
}

/// (1 + 3/128) * (1 + 3/128) - 1 is 6/128 + 9/16384, of which the latter is lost where the product is rounded.
const NUMBER: &str = "func.func @main() -> tensor<1xbf16> {
  %x = stablehlo.constant dense<1.0234375> : tensor<1xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<1xbf16>
  %p = stablehlo.multiply %x, %x : tensor<1xbf16>
  %r = stablehlo.subtract %p, %one : tensor<1xbf16>
  return %r : tensor<1xbf16>
}
";

const CHAIN: &str = "  func.func public @main(%x: tensor<4x300xbf16>, %y: tensor<4x300xbf16>) -> tensor<4x300xbf16> {
    %0 = stablehlo.multiply %x, %y : tensor<4x300xbf16>
    %1 = func.call @inner(%0, %x) : (tensor<4x300xbf16>, tensor<4x300xbf16>) -> tensor<4x300xbf16>
    %2 = stablehlo.subtract %1, %y : tensor<4x300xbf16>
    return %2 : tensor<4x300xbf16>
  }
  func.func private @inner(%a: tensor<4x300xbf16>, %b: tensor<4x300xbf16>) -> tensor<4x300xbf16> {
    %0 = stablehlo.exponential %a : tensor<4x300xbf16>
    %1 = stablehlo.multiply %0, %b : tensor<4x300xbf16>
    return %1 : tensor<4x300xbf16>
  }
";

/// A program says it itself, or the option does, of commands that compile and of those that evaluate.
#[test]
fn commands_take_the_permission() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: String| {
        std::fs::write(here.path().join(name), text).expect("written");
    };
    write("plain.mlir", CHAIN.to_owned());
    write("says.mlir", format!("module attributes {{strata.excess_precision}} {{\n{CHAIN}}}\n"));
    let run = |arguments: &[&str]| strata(here.path(), arguments).succeeded().text().to_owned();
    let compiled =
        |arguments: &[&str]| run(&[&["compile", "-o", "-", "--to", "linalg"], arguments].concat());
    let exact = compiled(&["plain.mlir"]);
    let kept = compiled(&["plain.mlir", "--excess-precision"]);
    assert_eq!(exact.matches("arith.truncf").count(), 4, "{exact}");
    assert_eq!(kept.matches("arith.truncf").count(), 1, "{kept}");
    assert_eq!(compiled(&["says.mlir"]), kept);
    for both in [&["says.mlir"][..], &["plain.mlir", "--excess-precision"]] {
        let verify = ["verify", "--stages", "--steps", "--target-cpu", "native"];
        run(&[&verify[..], both].concat());
    }
    write("number.mlir", NUMBER.to_owned());
    let evaluated = run(&["eval", "number.mlir", "--excess-precision"]);
    assert_ne!(evaluated, run(&["eval", "number.mlir"]));
    run(&["compile", "plain.mlir", "--excess-precision", "-o", "plain.o", "--header", "plain.h"]);
    let header = std::fs::read_to_string(here.path().join("plain.h")).expect("written");
    assert!(
        header.starts_with("/* `main`") && header.contains("), with excess precision. Link"),
        "{header}"
    );
}

#[test]
fn dumps_without_stablehlo_are_refused() {
    let here = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(here.path().join("chain.mlir"), CHAIN).expect("written");
    strata(here.path(), &["compile", "chain.mlir", "--to", "linalg", "-o", "linalg.mlir"])
        .succeeded();
    for command in ["compile", "eval"] {
        let again = [command, "linalg.mlir", "--from", "linalg", "--excess-precision"];
        let ended = strata(here.path(), &again);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(
            ended.stderr.contains("--excess-precision is about operations"),
            "{}",
            ended.stderr
        );
    }
}

/// What is wrong is still found: a program that says it computes something else.
#[test]
fn wrong_results_are_found() {
    let here = tempfile::tempdir().expect("a temporary folder");
    for (expected, arguments, passes) in [
        ("0.046875", &[][..], true),
        ("0.04736328125", &[][..], false),
        ("0.046875", &["--excess-precision"][..], false),
        ("0.04736328125", &["--excess-precision"][..], true),
    ] {
        let check = format!("check.expect_eq_const %r, dense<{expected}> : tensor<1xbf16> return");
        let text =
            NUMBER.replace("return %r : tensor<1xbf16>", &check).replace(" -> tensor<1xbf16>", "");
        std::fs::write(here.path().join("x.mlir"), text).expect("written");
        for engine in ["eval", "compiled"] {
            let ended =
                strata(here.path(), &[&["test", "--engine", engine, "x.mlir"], arguments].concat());
            assert_eq!(ended.code == 0, passes, "{engine} {arguments:?}: {}", ended.text());
        }
    }
}

/// A function that is off by as much as it may is 1, from which others make infinities: such a result is not called wrong.
#[test]
fn ends_of_functions_are_right() {
    let here = tempfile::tempdir().expect("a temporary folder");
    let program = |half: &str, body: &str| {
        format!(
            "func.func @main(%x: tensor<64xH>) -> tensor<64xH> {{
  %c = stablehlo.constant dense<4.0> : tensor<64xH>
  %o = stablehlo.constant dense<1.0> : tensor<64xH>
  %y = stablehlo.multiply %x, %c : tensor<64xH>
  %t = stablehlo.tanh %y : tensor<64xH>
  {body}
  return %r : tensor<64xH>
}}"
        )
        .replace('H', half)
    };
    let logarithm =
        "%d = stablehlo.subtract %o, %t : tensor<64xH>  %r = stablehlo.log %d : tensor<64xH>";
    let root = "%m = stablehlo.multiply %t, %t : tensor<64xH>  %d = stablehlo.subtract %o, %m : tensor<64xH>
  %r = stablehlo.rsqrt %d : tensor<64xH>";
    for (half, body) in [("bf16", logarithm), ("f16", root)] {
        std::fs::write(here.path().join("x.mlir"), program(half, body)).expect("written");
        for cpu in ["x86-64", "native"] {
            let verify = ["verify", "x.mlir", "--excess-precision", "--rounds", "12"];
            strata(here.path(), &[&verify[..], &["--target-cpu", cpu]].concat()).succeeded();
        }
    }
}

/// Functions may be off by more than those of `f32`, by no more than before: formulas for fewer digits stay.
#[test]
fn shorter_formulas_stay() {
    let program = |operation: &str| {
        format!(
            "func.func @main(%x: tensor<512xbf16>) -> tensor<512xbf16> {{
               %0 = stablehlo.{operation} %x : tensor<512xbf16>
               %1 = stablehlo.multiply %0, %x : tensor<512xbf16>
               return %1 : tensor<512xbf16>
             }}"
        )
    };
    for operation in ["exponential", "tanh", "logistic"] {
        for stage in [Stage::Linalg, Stage::Schedule] {
            let kept = text(&program(operation), stage, permitted("x86-64-v4"));
            assert!(kept.contains("strata.rounded = 8"), "{operation}: {kept}");
        }
    }
}
