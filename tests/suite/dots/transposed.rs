//! Transposes of dots: with batches, the operands change places where rows stay whole.

use strata::{Compiler, Options, Stage, Target};

use super::compiled;
use crate::harness::{cpus, options};

const SIZES: [usize; 4] = [3, 4, 7, 5];

/// A batch of dots whose result `[batch, rows, columns]` is transposed; whether the batch is the second dimension of the operands.
fn program(dims: [usize; 3], is_second: bool) -> String {
    let [batch, rows, depth, columns] = SIZES;
    let (x, y, at, summed) = match is_second {
        true => ([depth, batch, rows], [depth, batch, columns], 1, [0, 0]),
        false => ([batch, rows, depth], [batch, depth, columns], 0, [2, 1]),
    };
    let ty = |sizes: [usize; 3]| format!("tensor<{}x{}x{}xf32>", sizes[0], sizes[1], sizes[2]);
    let sizes = [batch, rows, columns];
    let (x, y, result) = (ty(x), ty(y), ty(sizes));
    let to = ty(dims.map(|dim| sizes[dim]));
    format!(
        "func.func @main(%x: {x}, %y: {y}) -> {to} {{
           %d = stablehlo.dot_general %x, %y, batching_dims = [{at}] x [{at}], contracting_dims = [{}] x [{}] : ({x}, {y}) -> {result}
           %t = stablehlo.transpose %d, dims = [{}, {}, {}] : ({result}) -> {to}
           return %t : {to}
         }}",
        summed[0],
        summed[1],
        dims[0],
        dims[1],
        dims[2]
    )
}

#[test]
fn every_order_of_a_batch() {
    let [batch, rows, depth, columns] = SIZES;
    let x = |b: usize, i: usize, k: usize| ((b * 7 + i * 5 + k * 3) % 11) as f32 - 5.0;
    let y = |b: usize, k: usize, j: usize| ((b * 3 + k * 4 + j * 9) % 13) as f32 - 6.0;
    let sum =
        |b: usize, i: usize, j: usize| (0..depth).map(|k| x(b, i, k) * y(b, k, j)).sum::<f32>();
    let list = |sizes: [usize; 3], value: &dyn Fn([usize; 3]) -> f32| -> Vec<u8> {
        let at = |at: usize| [at / (sizes[1] * sizes[2]), at / sizes[2] % sizes[1], at % sizes[2]];
        (0..sizes.iter().product()).flat_map(|place| value(at(place)).to_le_bytes()).collect()
    };
    for dims in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        for is_second in [false, true] {
            let inputs = match is_second {
                true => [
                    list([depth, batch, rows], &|[k, b, i]| x(b, i, k)),
                    list([depth, batch, columns], &|[k, b, j]| y(b, k, j)),
                ],
                false => [
                    list([batch, rows, depth], &|[b, i, k]| x(b, i, k)),
                    list([batch, depth, columns], &|[b, k, j]| y(b, k, j)),
                ],
            };
            let sizes = [batch, rows, columns];
            let expected = list(dims.map(|dim| sizes[dim]), &|at| {
                let mut place = [0; 3];
                for (dim, at) in dims.into_iter().zip(at) {
                    place[dim] = at;
                }
                sum(place[0], place[1], place[2])
            });
            let program = program(dims, is_second);
            for cpu in cpus() {
                let found = compiled(&program, options(cpu)).call(&inputs);
                assert!(found == [expected.clone()], "{dims:?}, {is_second}, on {cpu}");
            }
        }
    }
}

/// The operands change places where columns of the result would be the rows of its transpose.
#[test]
fn the_last_dimension_stays_the_last() {
    for (dims, rest) in [
        ([0, 2, 1], None),
        ([2, 0, 1], Some("dims = [1, 0, 2]")),
        ([1, 0, 2], Some("dims = [1, 0, 2]")),
        ([2, 1, 0], Some("dims = [2, 1, 0]")),
    ] {
        let options = Options::new(Target::x86_64_baseline());
        let compiler = Compiler::new(options).to(Stage::Hlo);
        // A right operand whose rows are contracted is better off as it is.
        let program = program(dims, true);
        let artifact = compiler.compile("transposed.mlir", program.as_bytes()).expect("compiles");
        let text = artifact.text().expect("text");
        let found = text.lines().find(|line| line.contains("stablehlo.transpose"));
        assert_eq!(found.is_some(), rest.is_some(), "{dims:?}: {text}");
        assert!(found.is_none_or(|line| line.contains(rest.unwrap_or(""))), "{dims:?}: {text}");
    }
}
