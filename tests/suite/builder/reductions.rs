//! Map, reduce, sort and the largest elements.

use strata_builder::{Computation, F32, Literal, S32, Shape};

use super::{build, gives, gives_all, refuses, run, shape};

/// The documents' array: the values 1 to 6, replicated across dimension 0.
const CUBOID: [[[f32; 3]; 2]; 4] = [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]; 4];

fn add() -> Computation {
    Computation::add(F32).expect("a sum")
}

#[test]
fn d000_reduce_a_vector() {
    gives(|b| b.constant([10.0_f32, 11.0, 12.0, 13.0]).reduce(0.0, &add(), &[0]), 46.0_f32);
}

#[test]
fn d000_reduce_a_matrix_along_each_dimension() {
    let m = [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
    gives(|b| b.constant(m).reduce(0.0, &add(), &[0]), [5.0_f32, 7.0, 9.0]);
    gives(|b| b.constant(m).reduce(0.0, &add(), &[1]), [6.0_f32, 15.0]);
}

#[test]
fn d000_reduce_a_3d_array() {
    gives(
        |b| b.constant(CUBOID).reduce(0.0, &add(), &[0]),
        [[4.0_f32, 8.0, 12.0], [16.0, 20.0, 24.0]],
    );
    gives(|b| b.constant(CUBOID).reduce(0.0, &add(), &[2]), [[6.0_f32, 15.0]; 4]);
    gives(|b| b.constant(CUBOID).reduce(0.0, &add(), &[0, 1]), [20.0_f32, 28.0, 36.0]);
    // "unordered array of dimensions to reduce"
    gives(|b| b.constant(CUBOID).reduce(0.0, &add(), &[1, 0]), [20.0_f32, 28.0, 36.0]);
    gives(|b| b.constant(CUBOID).reduce(0.0, &add(), &[0, 1, 2]), 84.0_f32);
    gives(|b| b.constant(CUBOID).reduce_all(0.0, &add()), 84.0_f32);
    gives(|b| b.constant(CUBOID).reduce(0.0, &add(), &[]), CUBOID);
}

/// `f(max, argmax, value, index)` of the documents.
fn argmax() -> Computation {
    let (float, int) = (Shape::scalar(F32), Shape::scalar(S32));
    Computation::new("argmax", &[float.clone(), int.clone(), float, int], |b, p| {
        let is_larger = p[2].ge(&p[0])?;
        b.tuple(&[is_larger.select(&p[2], &p[0])?, is_larger.select(&p[3], &p[1])?])
    })
    .expect("a computation")
}

#[test]
fn d000_variadic_reduce_the_maximum_and_where_it_is() {
    let program = build(|b| {
        let values = b.constant([3.0_f32, 9.0, 4.0, 9.0, 1.0]);
        let indices = b.iota_1d(S32, 5)?;
        let init = [b.constant(f32::NEG_INFINITY), b.constant(-1_i32)];
        b.reduce(&[values, indices], &init, &argmax(), &[0])
    });
    // Of equal values the last one wins: `value >= max`.
    assert_eq!(run(&program, &[]), [Literal::scalar(9.0_f32), Literal::scalar(3_i32)]);
}

#[test]
fn d000_reduce_rules() {
    let x = [[1.0_f32, 2.0], [3.0, 4.0]];
    refuses(|b| b.constant(x).reduce(0.0, &add(), &[2]), "S1005", "");
    refuses(|b| b.constant(x).reduce(0.0, &add(), &[-1]), "S1005", "");
    refuses(|b| b.constant(x).reduce(0.0, &add(), &[0, 0]), "S1005", "");
    refuses(|b| b.constant(x).reduce(b.constant(0_i32), &add(), &[0]), "S1005", "");
    refuses(|b| b.constant(x).reduce(b.constant([0.0_f32]), &add(), &[0]), "S1005", "");
    // The computation is T, T -> T.
    let of_ints = Computation::add(S32).expect("a sum");
    refuses(|b| b.constant(x).reduce(0.0, &of_ints, &[0]), "S1005", "");
    let compares = Computation::lt(F32).expect("a comparison");
    refuses(|b| b.constant(x).reduce(0.0, &compares, &[0]), "S1005", "");
    refuses(|b| b.constant(x).reduce(0.0, &argmax(), &[0]), "S1014", "takes 2 scalars");
    // N of each, at least one, all of the same dimensions.
    refuses(|b| b.reduce(&[], &[], &add(), &[0]), "S1014", "at least one operand");
    refuses(|b| b.reduce(&[b.constant(x)], &[], &add(), &[0]), "S1014", "one initial value");
    refuses(
        |b| {
            let init = [b.constant(0.0_f32), b.constant(0_i32)];
            b.reduce(&[b.constant([1.0_f32]), b.constant([1_i32, 2])], &init, &argmax(), &[0])
        },
        "S1005",
        "",
    );
    refuses(|b| b.tuple(&[b.constant(x)])?.reduce(0.0, &add(), &[0]), "S1014", "");
}

#[test]
fn d000_map() {
    let scalar = Shape::scalar(F32);
    let three =
        Computation::new("fma", &[scalar.clone(), scalar.clone(), scalar.clone()], |_, p| {
            p[0].mul(&p[1])? + &p[2]
        })
        .expect("a computation");
    gives(
        |b| {
            let all = [
                b.constant([1.0_f32, 2.0]),
                b.constant([3.0_f32, 4.0]),
                b.constant([5.0_f32, 6.0]),
            ];
            b.map(&all, &three, &[0], &[])
        },
        [8.0_f32, 14.0],
    );
    // elem_out <- computation(elem1, elem2, par1)
    gives(
        |b| {
            let all = [b.constant([1.0_f32, 2.0]), b.constant([3.0_f32, 4.0])];
            b.map(&all, &three, &[0], &[b.constant(100.0_f32)])
        },
        [103.0_f32, 108.0],
    );
    // "replaced with S"
    let compares = Computation::lt(F32).expect("a comparison");
    gives(
        |b| b.map(&[b.constant([1.0_f32, 5.0]), b.constant([2.0_f32, 4.0])], &compares, &[], &[]),
        [true, false],
    );
    let x = |b: &strata_builder::Builder| b.constant([[1.0_f32, 2.0]]);
    refuses(|b| b.map(&[], &three, &[], &[]), "S1014", "at least one operand");
    refuses(
        |b| b.map(&[x(b), x(b)], &three, &[0, 1], &[]),
        "S1014",
        "one parameter for each operand",
    );
    refuses(
        |b| b.map(&[x(b), x(b), x(b)], &three, &[1, 0], &[]),
        "S1014",
        "all of the operands' in order",
    );
    refuses(
        |b| b.map(&[x(b), x(b), x(b)], &three, &[0], &[]),
        "S1014",
        "all of the operands' in order",
    );
    refuses(|b| b.map(&[x(b), x(b)], &three, &[], &[x(b)]), "S1014", "the static operand is");
    refuses(|b| b.map(&[x(b), x(b), b.constant([1.0_f32])], &three, &[], &[]), "S1005", "");
}

#[test]
fn d000_sort_one_operand() {
    let ascending = Computation::lt(F32).expect("an order");
    let descending = Computation::gt(F32).expect("an order");
    let x = [3.0_f32, 1.0, 2.0];
    gives(|b| b.constant(x).sort(&ascending, None, false), [1.0_f32, 2.0, 3.0]);
    gives(|b| b.constant(x).sort(&descending, 0, false), [3.0_f32, 2.0, 1.0]);
    gives(|b| b.constant(x).sort_ascending(), [1.0_f32, 2.0, 3.0]);
    let m = [[3.0_f32, 1.0], [2.0, 4.0]];
    // 0 sorts every column, 1 each row; the last dimension is the default.
    gives(|b| b.constant(m).sort(&ascending, 0, false), [[2.0_f32, 1.0], [3.0, 4.0]]);
    gives(|b| b.constant(m).sort(&ascending, 1, false), [[1.0_f32, 3.0], [2.0, 4.0]]);
    gives(|b| b.constant(m).sort(&ascending, None, false), [[1.0_f32, 3.0], [2.0, 4.0]]);
    gives(|b| b.constant(m).sort(&ascending, -1, false), [[1.0_f32, 3.0], [2.0, 4.0]]);
}

#[test]
fn d000_sort_three_operands() {
    let (int, float) = (Shape::scalar(S32), Shape::scalar(F32));
    let first = [int.clone(), int.clone(), int.clone(), int, float.clone(), float];
    let first = Computation::new("first", &first, |_, p| p[0].lt(&p[1])).expect("an order");
    gives_all(
        |b| {
            let all =
                [b.constant([3_i32, 1]), b.constant([42_i32, 50]), b.constant([-3.0_f32, 1.1])];
            b.sort(&all, &first, None, false)
        },
        &[[1_i32, 3].into(), [50_i32, 42].into(), [1.1_f32, -3.0].into()],
    );
}

#[test]
fn d000_sort_keeps_the_order_of_equals_where_it_is_stable() {
    let int = Shape::scalar(S32);
    let tens = Computation::new("tens", &[int.clone(), int], |_, p| p[0].div(10)?.lt(p[1].div(10)))
        .expect("an order");
    gives(
        |b| b.constant([25_i32, 13, 21, 11, 12, 29]).sort(&tens, 0, true),
        [13_i32, 11, 12, 25, 21, 29],
    );
}

#[test]
fn d000_sort_rules() {
    let less = Computation::lt(F32).expect("an order");
    let sum = add();
    refuses(|b| b.sort(&[], &less, None, false), "S1014", "at least one operand");
    refuses(|b| b.constant([1.0_f32]).sort(&less, 1, false), "S1014", "dimension 1");
    refuses(|b| b.constant([1.0_f32]).sort(&less, -2, false), "S1014", "dimension -2");
    refuses(|b| b.constant(1.0_f32).sort(&less, None, false), "S1014", "dimension");
    refuses(|b| b.constant([1.0_f32]).sort(&sum, None, false), "S1014", "pred[]");
    refuses(|b| b.constant([1_i32]).sort(&less, None, false), "S1005", "");
    refuses(
        |b| b.sort(&[b.constant([1.0_f32]), b.constant([1_i32])], &less, None, false),
        "S1014",
        "takes 4 scalars",
    );
    refuses(
        |b| {
            let shapes =
                [Shape::scalar(F32), Shape::scalar(F32), Shape::scalar(F32), Shape::scalar(F32)];
            let order = Computation::new("order", &shapes, |_, p| p[0].lt(&p[1]))?;
            b.sort(&[b.constant([1.0_f32]), b.constant([1.0_f32, 2.0])], &order, None, false)
        },
        "S1005",
        "",
    );
}

#[test]
fn d002_top_k() {
    let x = [3.0_f32, 9.0, 4.0, 9.0, 1.0];
    // "If two elements within a row are equal, the lower-index element appears first."
    gives_all(
        |b| b.constant(x).top_k(3, true),
        &[[9.0_f32, 9.0, 4.0].into(), [1_i32, 3, 2].into()],
    );
    gives_all(|b| b.constant(x).top_k(2, false), &[[1.0_f32, 3.0].into(), [4_i32, 0].into()]);
    gives_all(
        |b| b.constant([[1_u8, 5, 5], [7, 0, 7]]).top_k(2, true),
        &[[[5_u8, 5], [7, 7]].into(), [[1_i32, 2], [0, 2]].into()],
    );
    gives_all(
        |b| b.constant([[1_u8, 5, 1], [7, 0, 7]]).top_k(2, false),
        &[[[1_u8, 1], [0, 7]].into(), [[0_i32, 2], [1, 0]].into()],
    );
    assert_eq!(
        shape(|b| b.parameter(F32, [2, 3, 8], "x").top_k(5, true)),
        "(f32[2,3,5], s32[2,3,5])"
    );
    refuses(|b| b.constant(x).top_k(6, true), "S1014", "k is from 0");
    refuses(|b| b.constant(x).top_k(-1, true), "S1014", "k is from 0");
    refuses(|b| b.constant(1.0_f32).top_k(1, true), "S1014", "at least one dimension");
}
