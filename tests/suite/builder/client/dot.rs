//! Dots of vectors, matrices and batches of them, compared with sums over indices.

use strata_builder::{
    BF16, DotDimensionNumbers, DotOptions, ElementType, F16, F32, F64, S8, S32, S64, U8,
};

use super::{super::build, Array, check, check_arrays, positions, signed};

#[derive(Clone, Debug, Default)]
struct Product {
    left: Vec<usize>,
    right: Vec<usize>,
    contracted: [Vec<usize>; 2],
    batch: [Vec<usize>; 2],
}

impl Product {
    fn numbers(&self) -> DotDimensionNumbers {
        DotDimensionNumbers {
            lhs_contracting_dimensions: signed(&self.contracted[0]),
            rhs_contracting_dimensions: signed(&self.contracted[1]),
            lhs_batch_dimensions: signed(&self.batch[0]),
            rhs_batch_dimensions: signed(&self.batch[1]),
        }
    }

    fn of(&self, x: &Array, y: &Array) -> Array {
        let free = |sizes: &[usize], side: usize| -> Vec<usize> {
            let taken =
                |at: &usize| self.contracted[side].contains(at) || self.batch[side].contains(at);
            (0..sizes.len()).filter(|at| !taken(at)).collect()
        };
        let own = [free(&x.sizes, 0), free(&y.sizes, 1)];
        let size_of = |sizes: &[usize], list: &[usize]| -> Vec<usize> {
            list.iter().map(|at| sizes[*at]).collect()
        };
        let sizes = [
            size_of(&x.sizes, &self.batch[0]),
            size_of(&x.sizes, &own[0]),
            size_of(&y.sizes, &own[1]),
        ]
        .concat();
        let inner = size_of(&x.sizes, &self.contracted[0]);
        let batches = self.batch[0].len();
        Array::of(&sizes, |index| {
            positions(&inner)
                .map(|sum| {
                    let (mut left, mut right) = (vec![0; x.sizes.len()], vec![0; y.sizes.len()]);
                    for (at, place) in index[..batches].iter().enumerate() {
                        (left[self.batch[0][at]], right[self.batch[1][at]]) = (*place, *place);
                    }
                    for (at, place) in sum.iter().enumerate() {
                        (left[self.contracted[0][at]], right[self.contracted[1][at]]) =
                            (*place, *place);
                    }
                    let rest = &index[batches..];
                    own[0].iter().zip(rest).for_each(|(at, place)| left[*at] = *place);
                    let rest = &rest[own[0].len()..];
                    own[1].iter().zip(rest).for_each(|(at, place)| right[*at] = *place);
                    x.at(&left) * y.at(&right)
                })
                .sum()
        })
    }

    fn check(&self, element: ElementType) {
        let (x, y) = (Array::mixed(&self.left, 0..6), Array::mixed(&self.right, 1..5));
        check_arrays(
            (element, self),
            element,
            &[&x, &y],
            |_, p| p[0].dot_general(&p[1], &self.numbers()),
            &self.of(&x, &y),
        );
    }
}

/// The last dimension of the left operand with the first one of the right operand.
fn plain(left: &[usize], right: &[usize]) -> Product {
    Product {
        left: left.to_vec(),
        right: right.to_vec(),
        contracted: [vec![left.len() - 1], vec![0]],
        ..Product::default()
    }
}

#[test]
fn vectors_and_matrices_of_many_sizes() {
    let cases: [(&[usize], &[usize]); 18] = [
        (&[1], &[1]),
        (&[5], &[5]),
        (&[0], &[0]),
        (&[130], &[130]),
        (&[3], &[3, 4]),
        (&[4, 3], &[3]),
        (&[1, 1], &[1, 1]),
        (&[2, 3], &[3, 4]),
        (&[1, 17], &[17, 1]),
        (&[17, 1], &[1, 17]),
        (&[0, 3], &[3, 2]),
        (&[2, 0], &[0, 3]),
        (&[2, 3], &[3, 0]),
        (&[8, 8], &[8, 8]),
        (&[33, 65], &[65, 31]),
        (&[12, 117], &[117, 7]),
        (&[128, 3], &[3, 128]),
        (&[1, 259], &[259, 258]),
    ];
    for (left, right) in cases {
        let case = plain(left, right);
        let (x, y) = (Array::mixed(left, -9..10), Array::mixed(right, -7..10));
        check_arrays((left, right), F32, &[&x, &y], |_, p| p[0].dot(&p[1]), &case.of(&x, &y));
    }
}

#[test]
fn matrices_transposed_before_the_dot() {
    let (x, y) = (Array::mixed(&[5, 3], -9..10), Array::mixed(&[4, 5], -7..10));
    let transposed = |x: &Array| Array::of(&[x.sizes[1], x.sizes[0]], |i| x.at(&[i[1], i[0]]));
    let expected = plain(&[3, 5], &[5, 4]).of(&transposed(&x), &transposed(&y));
    check_arrays(
        "transposed",
        F32,
        &[&x, &y],
        |_, p| p[0].transpose(&[1, 0])?.dot(p[1].transpose(&[1, 0])),
        &expected,
    );
    let direct = Product { contracted: [vec![0], vec![1]], ..plain(&[5, 3], &[4, 5]) };
    assert_eq!(direct.of(&x, &y), expected);
    check_arrays(
        "direct",
        F32,
        &[&x, &y],
        |_, p| p[0].dot_general(&p[1], &direct.numbers()),
        &expected,
    );
}

#[test]
fn batches_of_matrices() {
    let batched =
        |left: &[usize], right: &[usize], contracted: [usize; 2], batch: [usize; 2]| Product {
            left: left.to_vec(),
            right: right.to_vec(),
            contracted: contracted.map(|at| vec![at]),
            batch: batch.map(|at| vec![at]),
        };
    for case in [
        batched(&[2, 3, 4], &[2, 4, 5], [2, 1], [0, 0]),
        batched(&[2, 3, 4], &[2, 5, 4], [2, 2], [0, 0]),
        batched(&[3, 2, 4], &[4, 5, 2], [2, 0], [1, 2]),
        batched(&[4, 3, 2], &[2, 4, 1], [0, 1], [2, 0]),
        batched(&[1, 3, 4], &[1, 4, 5], [2, 1], [0, 0]),
        batched(&[0, 3, 4], &[0, 4, 5], [2, 1], [0, 0]),
        batched(&[7, 4], &[7, 4], [1, 1], [0, 0]),
        batched(&[6, 17, 9], &[6, 9, 33], [2, 1], [0, 0]),
    ] {
        case.check(F32);
        case.check(S32);
    }
}

#[test]
fn several_dimensions_of_each_kind() {
    for case in [
        Product {
            left: vec![2, 3, 4, 5],
            right: vec![4, 5, 6],
            contracted: [vec![2, 3], vec![0, 1]],
            ..Product::default()
        },
        // Contracted in another order on the right.
        Product {
            left: vec![2, 3, 4],
            right: vec![4, 5, 3],
            contracted: [vec![1, 2], vec![2, 0]],
            ..Product::default()
        },
        Product {
            left: vec![2, 3, 4, 5],
            right: vec![3, 2, 5, 6],
            contracted: [vec![3], vec![2]],
            batch: [vec![0, 1], vec![1, 0]],
        },
        // Every product of two elements; and the sum of all products.
        Product { left: vec![2, 3], right: vec![4, 1], ..Product::default() },
        Product {
            left: vec![3, 4],
            right: vec![4, 3],
            contracted: [vec![0, 1], vec![1, 0]],
            ..Product::default()
        },
        // Only batches: products of elements.
        Product {
            left: vec![3, 4],
            right: vec![4, 3],
            batch: [vec![0, 1], vec![1, 0]],
            ..Product::default()
        },
        Product { left: vec![], right: vec![3], ..Product::default() },
    ] {
        case.check(F32);
    }
}

#[test]
fn element_types_that_are_multiplied() {
    for element in [S8, U8, S64, F16, BF16, F64] {
        plain(&[3, 7], &[7, 5]).check(element);
    }
    // Sums that are wider than what is multiplied.
    for (element, range) in [(S8, -128..128), (U8, 0..256)] {
        let case = plain(&[4, 50], &[50, 3]);
        let (x, y) = (Array::mixed(&case.left, range.clone()), Array::mixed(&case.right, range));
        let options = DotOptions { preferred_element_type: Some(S32), ..DotOptions::default() };
        let program = build(|b| {
            x.parameter(b, element, "x").dot_with(y.parameter(b, element, "y"), &options)
        });
        let expected = case.of(&x, &y).literal(S32);
        check(element, &program, &[x.literal(element), y.literal(element)], &[expected]);
    }
}

#[test]
fn products_between_other_operations() {
    // A dot of slices, a bias and a clamp after it, and a dot of the result.
    let (x, y, c) =
        (Array::mixed(&[4, 9], -9..10), Array::mixed(&[9, 5], -7..10), Array::mixed(&[5], -40..41));
    let part = Array::of(&[4, 6], |i| x.at(&[i[0], i[1] + 2]));
    let other = Array::of(&[6, 5], |i| y.at(&[8 - i[0], i[1]]));
    let middle = plain(&[4, 6], &[6, 5]).of(&part, &other);
    let middle = Array::of(&[4, 5], |i| (middle.at(i) + c.at(&i[1..])).max(0.0));
    let expected = plain(&[4, 5], &[5]).of(&middle, &c);
    check_arrays(
        "between",
        F32,
        &[&x, &y, &c],
        |_, p| {
            let part = p[0].slice(&[0, 2], &[4, 8], &[])?;
            let other = p[1].rev(&[0])?.slice(&[0, 0], &[6, 5], &[])?;
            part.dot(other)?.add_in_dim(&p[2], &[1])?.max(0.0)?.dot(&p[2])
        },
        &expected,
    );
}
