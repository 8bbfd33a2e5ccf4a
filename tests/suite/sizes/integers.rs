//! Dots of integers times scales, of any number of rows.

use std::fs;

use strata::{Compiler, Options, Stage};

use super::{bound, workspace};
use crate::harness::{Loaded, cpus, options};

fn program(name: &str) -> Vec<u8> {
    fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap()
}

fn open(cpu: &str) -> Options {
    Options { open: true, max: vec![("x.0".to_owned(), 33)], ..options(cpu) }
}

fn hlo(name: &str) -> String {
    let artifact = Compiler::new(open("x86-64-v3")).to(Stage::Hlo).compile(name, &program(name));
    String::from_utf8_lossy(artifact.expect("compiles").bytes()).into_owned()
}

/// Each of the two with scales of a call and rows of an open number has a branch, and so has the one of three rows.
#[test]
fn dots_of_any_number_of_rows_are_of_integers() {
    let text = hlo("scaled_dots");
    assert_eq!(text.matches("\"stablehlo.if\"").count(), 3, "{text}");
    let in_integers =
        |line: &&str| line.contains("stablehlo.dot_general") && line.ends_with("x10xi32>");
    assert!(text.lines().filter(in_integers).count() >= 3, "{text}");
    let images = hlo("scaled_images");
    let is_sum = |line: &str| line.contains("stablehlo.convolution") && line.contains("xi32>");
    assert!(images.lines().any(is_sum), "{images}");
    let sums = hlo("scaled_sums");
    assert!(
        sums.lines().any(|line| line.contains("dot_general") && line.ends_with("tensor<6x6xf32>"))
    );
}

/// Rows that a call does not have, whose scales are infinite here, do not choose the branch: the bits are those of the program of the size.
#[test]
fn rows_that_a_call_does_not_have_choose_no_branch() {
    let program = program("scaled_dots");
    for cpu in cpus() {
        let compiled = |own: Options| {
            Loaded::new(&Compiler::new(own).compile("scaled_dots", &program).expect("compiles"))
        };
        let any = compiled(open(cpu));
        for rows in [1_usize, 3, 8, 32] {
            let bytes =
                |count: usize| (0..count).map(|at| (at * 91 % 251) as u8).collect::<Vec<_>>();
            let numbers = |count: usize| -> Vec<u8> {
                (0..count).flat_map(|at| (0.3 + at as f32 / 7.0).to_le_bytes()).collect()
            };
            let inputs = [bytes(rows * 32), bytes(96), numbers(3)];
            let own = Options { bind: bound(&format!("x.0={rows}")).bind, ..options(cpu) };
            let expected = compiled(own).call(&inputs);
            let sizes: Vec<_> = expected.iter().map(Vec::len).collect();
            let (status, found) = any.call_open(&inputs, &[rows as i64], &sizes);
            assert_eq!(status, 0);
            assert!(found == expected, "{cpu}, {rows}");
        }
    }
}
