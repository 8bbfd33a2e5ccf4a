//! Programs as clients of XLA write them, by subject: shapes, strides, paddings and indices that such code comes with.
//!
//! What is expected is never taken from the evaluator or the compiler: loops over indices in plain Rust compute it, on
//! integers that are small enough to be exact in the element types that they are written in.

mod broadcasting;
mod concat_pad;
mod conditional;
mod convolution;
mod convolution_groups;
mod dot;
mod dynamic_slice;
mod dynamic_update_slice;
mod gather;
mod map_call;
mod rare_types;
mod reduce;
mod reduce_window;
mod reduce_window_kinds;
mod scatter;
mod scatter_kinds;
mod select_and_scatter;
mod sort;
mod sort_keys;
mod tuples;
mod while_bodies;
mod while_loops;

use std::{fmt::Debug, ops::Range};

use strata_builder::{Builder, Computation, ElementType, Literal, Op, Program, Result, Shape};

use super::{assert_close, build, run};

/// Sizes, or dimensions, of one case of a table.
type Sizes = &'static [usize];

/// Indices of one case of a table.
type Indices = &'static [i64];

/// An array of whole numbers of the host, which becomes a literal of any element type.
#[derive(Clone, Debug, PartialEq)]
struct Array {
    sizes: Vec<usize>,
    values: Vec<f64>,
}

impl Array {
    /// The array whose element at each index is `value` of it.
    fn of(sizes: &[usize], mut value: impl FnMut(&[usize]) -> f64) -> Self {
        let count = sizes.iter().product();
        let values = (0..count).map(|at| value(&place(sizes, at))).collect();
        Self { sizes: sizes.to_vec(), values }
    }

    /// Numbers of a range in no simple order, all of them before one comes again.
    fn mixed(sizes: &[usize], range: Range<i64>) -> Self {
        let count: usize = sizes.iter().product();
        let size = range.end - range.start;
        let step = [17, 19, 23, 29].into_iter().find(|step| size % step != 0).unwrap_or(1);
        let value = |at: usize| (range.start + (at as i64 * step + 5) % size) as f64;
        Self { sizes: sizes.to_vec(), values: (0..count).map(value).collect() }
    }

    fn at(&self, index: &[usize]) -> f64 {
        self.values[offset(&self.sizes, index)]
    }

    /// The element at an index that may be out of bounds.
    fn inside(&self, index: &[i64]) -> Option<f64> {
        let inside = index.iter().zip(&self.sizes).all(|(at, size)| (0..*size as i64).contains(at));
        let index: Vec<usize> = index.iter().map(|at| *at as usize).collect();
        inside.then(|| self.at(&index))
    }

    fn literal(&self, element: ElementType) -> Literal {
        let one =
            |value: &f64| Literal::full(element, &[], *value).expect("a number").bytes().to_vec();
        let bytes = self.values.iter().flat_map(one).collect();
        Literal::from_bytes(element, &self.sizes, bytes).expect("as many")
    }

    fn dimensions(&self) -> Vec<i64> {
        signed(&self.sizes)
    }

    /// A parameter of its shape.
    fn parameter(&self, b: &Builder, element: ElementType, name: &str) -> Op {
        b.parameter(element, self.dimensions(), name)
    }
}

fn signed(sizes: &[usize]) -> Vec<i64> {
    sizes.iter().map(|size| *size as i64).collect()
}

/// The index of element `at` in row-major order.
fn place(sizes: &[usize], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; sizes.len()];
    for (part, size) in index.iter_mut().zip(sizes).rev() {
        *part = at % size;
        at /= size;
    }
    index
}

fn positions(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let sizes = sizes.to_vec();
    (0..sizes.iter().product()).map(move |at| place(&sizes, at))
}

/// The position of an index in row-major order.
fn offset(sizes: &[usize], index: &[usize]) -> usize {
    assert_eq!(sizes.len(), index.len());
    sizes.iter().zip(index).fold(0, |at, (size, part)| at * size + part)
}

/// The program gives what is expected, evaluated and compiled. `case` names it where it does not.
#[track_caller]
fn check(case: impl Debug, program: &Program, arguments: &[Literal], expected: &[Literal]) {
    println!("case: {case:?}");
    let found = run(program, arguments);
    assert_eq!(found.len(), expected.len(), "{case:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.shape(), expected.shape(), "{case:?}");
        assert_close(found, expected);
    }
}

/// A program of arrays of one element type, given as parameters, with one result.
#[track_caller]
fn check_arrays(
    case: impl Debug,
    element: ElementType,
    arguments: &[&Array],
    program: impl FnOnce(&Builder, &[Op]) -> Result<Op>,
    expected: &Array,
) {
    let program = build(|b| {
        let parameter = |(at, one): (usize, &&Array)| one.parameter(b, element, &format!("x{at}"));
        let parameters: Vec<Op> = arguments.iter().enumerate().map(parameter).collect();
        program(b, &parameters)
    });
    let literals: Vec<Literal> = arguments.iter().map(|one| one.literal(element)).collect();
    check(case, &program, &literals, &[expected.literal(element)]);
}

/// A computation of scalars of one element type.
fn of_scalars(
    name: &str,
    element: ElementType,
    count: usize,
    build: impl FnOnce(&Builder, &[Op]) -> Result<Op>,
) -> Computation {
    Computation::new(name, &vec![Shape::scalar(element); count], build).expect("a computation")
}
