//! Shapes changed and elements moved.

use strata_builder::{F32, Literal, PaddingDimension, S32, Shape};

use super::{build, counted, gives, refuses, run, shape};

/// The documents' array of 4x2x3.
const V: [[[f32; 3]; 2]; 4] = [
    [[10.0, 11.0, 12.0], [15.0, 16.0, 17.0]],
    [[20.0, 21.0, 22.0], [25.0, 26.0, 27.0]],
    [[30.0, 31.0, 32.0], [35.0, 36.0, 37.0]],
    [[40.0, 41.0, 42.0], [45.0, 46.0, 47.0]],
];

/// Its elements in row-major order, under other sizes.
fn v(dimensions: &[usize]) -> Literal {
    let values: Vec<f32> = V.iter().flatten().flatten().copied().collect();
    Literal::new(dimensions, &values).expect("as many")
}

#[test]
fn d000_broadcast() {
    gives(|b| b.constant(2.0_f32).broadcast(&[2, 3]), [[2.0_f32; 3]; 2]);
    gives(|b| b.constant([1.0_f32, 2.0]).broadcast(&[3]), [[1.0_f32, 2.0]; 3]);
    assert_eq!(shape(|b| b.parameter(F32, [5, 6], "x").broadcast(&[3, 4])), "f32[3,4,5,6]");
    assert_eq!(shape(|b| b.parameter(F32, [5, 6], "x").broadcast(&[])), "f32[5,6]");
    refuses(|b| b.constant(2.0_f32).broadcast(&[-1]), "S1014", "negative");
    refuses(|b| b.constant(2.0_f32).broadcast(&[i64::MAX, 4]), "S1014", "2^47");
}

#[test]
fn d000_broadcast_in_dim() {
    gives(|b| b.constant([1_i32, 2]).broadcast_in_dim(&[2, 2], &[0]), [[1_i32, 1], [2, 2]]);
    gives(|b| b.constant([1_i32, 2]).broadcast_in_dim(&[2, 2], &[1]), [[1_i32, 2], [1, 2]]);
    // Existing dimensions of size 1 are expanded.
    gives(|b| b.constant([[1_i32], [2]]).broadcast_in_dim(&[2, 3], &[0, 1]), [[1_i32; 3], [2; 3]]);
    refuses(|b| b.constant([1_i32, 2]).broadcast_in_dim(&[3], &[0]), "S1005", "");
    refuses(|b| b.constant([1_i32, 2]).broadcast_in_dim(&[2, 2], &[2]), "S1005", "");
    refuses(|b| b.constant([1_i32, 2]).broadcast_in_dim(&[2, 2], &[]), "S1005", "");
    refuses(|b| b.constant([[1_i32]]).broadcast_in_dim(&[2, 2], &[0, 0]), "S1005", "");
}

#[test]
fn d000_collapse() {
    gives(|b| b.constant(V).collapse(&[0, 1, 2]), v(&[24]));
    gives(|b| b.constant(V).collapse(&[0, 1]), v(&[8, 3]));
    gives(|b| b.constant(V).collapse(&[1, 2]), v(&[4, 6]));
    gives(|b| b.constant(V).collapse(&[]), V);
    for wrong in [&[1_i64, 0][..], &[0, 2], &[2, 3], &[-1, 0], &[3], &[0, 0], &[i64::MAX]] {
        refuses(|b| b.constant(V).collapse(wrong), "S1014", "dimensions");
    }
}

#[test]
fn d000_reshape() {
    gives(|b| b.constant(V).reshape(&[24]), v(&[24]));
    gives(|b| b.constant(V).reshape(&[8, 3]), v(&[8, 3]));
    gives(|b| b.constant([[5.0_f32]]).reshape(&[]), 5.0_f32);
    gives(|b| b.constant(5.0_f32).reshape(&[1, 1]), [[5.0_f32]]);
    gives(|b| b.constant(V).reshape_to(&Shape::array(F32, [2, 12])), v(&[2, 12]));
    refuses(|b| b.constant(V).reshape(&[23]), "S1005", "");
    refuses(|b| b.constant(V).reshape(&[-24]), "S1014", "negative");
    refuses(|b| b.constant(V).reshape_to(&Shape::array(S32, [24])), "S1014", "element type");
    refuses(|b| b.constant(V).reshape_to(&Shape::tuple([])), "S1014", "");
}

#[test]
fn d001_reshape_out_of_order() {
    let order = [1, 2, 0];
    let expected: Vec<f32> = vec![
        10., 20., 30., 40., 11., 21., 31., 41., 12., 22., 32., 42., 15., 25., 35., 45., 16., 26.,
        36., 46., 17., 27., 37., 47.,
    ];
    for (sizes, dimensions) in
        [(&[24_i64][..], &[24_usize][..]), (&[8, 3], &[8, 3]), (&[2, 6, 2], &[2, 6, 2])]
    {
        let expected = Literal::new(dimensions, &expected).expect("as many");
        gives(|b| b.constant(V).reshape_in_order(&order, sizes), expected);
    }
    gives(|b| b.constant(V).reshape_in_order(&[0, 1, 2], &[8, 3]), v(&[8, 3]));
    gives(|b| b.constant([[5.0_f32]]).reshape_in_order(&[0, 1], &[]), 5.0_f32);
    gives(|b| b.constant(5.0_f32).reshape_in_order(&[], &[1, 1]), [[5.0_f32]]);
    refuses(|b| b.constant(V).reshape_in_order(&[0, 1], &[24]), "S1005", "");
}

#[test]
fn d000_transpose() {
    let program = build(|b| b.parameter(S32, [2, 3, 4], "x").transpose(&[2, 0, 1]));
    let found = run(&program, &[counted::<i32>(0, &[2, 3, 4])]).remove(0);
    assert_eq!(found.dimensions(), [4, 2, 3]);
    let values = found.to_vec::<i32>().expect("numbers");
    for (at, value) in values.iter().enumerate() {
        let (i, j, k) = (at / 6, at / 3 % 2, at % 3);
        assert_eq!(*value as usize, j * 12 + k * 4 + i);
    }
    for wrong in [&[0_i64, 1][..], &[0, 0, 1], &[0, 1, 3], &[0, 1, -1]] {
        refuses(|b| b.parameter(S32, [2, 3, 4], "x").transpose(wrong), "S1005", "");
    }
}

#[test]
fn d000_rev() {
    gives(|b| b.constant([[1_i32, 2], [3, 4]]).rev(&[0]), [[3_i32, 4], [1, 2]]);
    gives(|b| b.constant([[1_i32, 2], [3, 4]]).rev(&[0, 1]), [[4_i32, 3], [2, 1]]);
    gives(|b| b.constant([[1_i32, 2], [3, 4]]).rev(&[]), [[1_i32, 2], [3, 4]]);
    refuses(|b| b.constant([[1_i32]]).rev(&[2]), "S1005", "");
    refuses(|b| b.constant([[1_i32]]).rev(&[0, 0]), "S1005", "");
    refuses(|b| b.constant([[1_i32]]).rev(&[-1]), "S1005", "");
}

#[test]
fn d000_concatenate() {
    gives(
        |b| {
            b.concat_in_dim(
                &[b.constant([2_i32, 3]), b.constant([4_i32, 5]), b.constant([6_i32, 7])],
                0,
            )
        },
        [2_i32, 3, 4, 5, 6, 7],
    );
    gives(
        |b| b.concatenate(&[b.constant([[1_i32, 2], [3, 4], [5, 6]]), b.constant([[7_i32, 8]])], 0),
        [[1_i32, 2], [3, 4], [5, 6], [7, 8]],
    );
    // At least one operand, a dimension that is there, and equal sizes in the others; no scalars.
    refuses(|b| b.concat_in_dim(&[], 0), "S1014", "at least one operand");
    refuses(|b| b.concat_in_dim(&[b.constant(1_i32)], 0), "S1005", "");
    refuses(|b| b.concat_in_dim(&[b.constant([1_i32])], 1), "S1005", "");
    refuses(|b| b.concat_in_dim(&[b.constant([1_i32])], -1), "S1005", "");
    refuses(
        |b| b.concat_in_dim(&[b.constant([[1_i32, 2]]), b.constant([[1_i32]])], 0),
        "S1005",
        "",
    );
    refuses(|b| b.concat_in_dim(&[b.constant([1_i32]), b.constant([1.0_f32])], 0), "S1005", "");
    refuses(|b| b.concat_in_dim(&[b.constant([1_i32]), b.constant([[1_i32]])], 0), "S1005", "");
}

#[test]
fn d000_slice() {
    let a = [0.0_f32, 1.0, 2.0, 3.0, 4.0];
    let m = [[0.0_f32, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0]];
    gives(|b| b.constant(a).slice(&[2], &[4], &[]), [2.0_f32, 3.0]);
    gives(|b| b.constant(m).slice(&[2, 1], &[4, 3], &[]), [[7.0_f32, 8.0], [10.0, 11.0]]);
    gives(|b| b.constant(a).slice(&[0], &[5], &[2]), [0.0_f32, 2.0, 4.0]);
    gives(|b| b.constant(m).slice_in_dim(1, 3, 1, 0), [[3.0_f32, 4.0, 5.0], [6.0, 7.0, 8.0]]);
    // Limits may equal starts; d001 asks for more.
    assert_eq!(shape(|b| b.constant(a).slice(&[2], &[2], &[])), "f32[0]");
    refuses(|b| b.constant(a).slice(&[-1], &[4], &[]), "S1005", "");
    refuses(|b| b.constant(a).slice(&[3], &[2], &[]), "S1005", "");
    refuses(|b| b.constant(a).slice(&[0], &[6], &[]), "S1005", "");
    refuses(|b| b.constant(a).slice(&[0], &[5], &[0]), "S1005", "");
    refuses(|b| b.constant(a).slice(&[0, 0], &[5, 5], &[]), "S1005", "");
    refuses(|b| b.constant(a).slice(&[0], &[], &[]), "S1005", "");
    refuses(|b| b.constant(a).slice_in_dim(0, 1, 1, 1), "S1014", "dimension 1 is not in");
}

#[test]
fn d000_dynamic_slice() {
    let a = [0.0_f32, 1.0, 2.0, 3.0, 4.0];
    let m = [[0.0_f32, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0]];
    gives(|b| b.constant(a).dynamic_slice(&[b.constant(2_i32)], &[2]), [2.0_f32, 3.0]);
    gives(
        |b| b.constant(m).dynamic_slice(&[b.constant(2_i32), b.constant(1_i32)], &[2, 2]),
        [[7.0_f32, 8.0], [10.0, 11.0]],
    );
    // d001 gives the start as a vector.
    gives(
        |b| b.constant(m).dynamic_slice(&[b.constant([2_i32, 1])], &[2, 2]),
        [[7.0_f32, 8.0], [10.0, 11.0]],
    );
    // Clamped: the slice is always within bounds.
    gives(|b| b.constant(a).dynamic_slice(&[b.constant(4_i32)], &[2]), [3.0_f32, 4.0]);
    gives(|b| b.constant(a).dynamic_slice(&[b.constant(-3_i32)], &[2]), [0.0_f32, 1.0]);
    refuses(|b| b.constant(a).dynamic_slice(&[b.constant(0_i32)], &[6]), "S1005", "");
    refuses(|b| b.constant(a).dynamic_slice(&[b.constant(0_i32)], &[-1]), "S1005", "");
    refuses(|b| b.constant(a).dynamic_slice(&[], &[2]), "S1005", "");
    refuses(|b| b.constant(a).dynamic_slice(&[b.constant(0.0_f32)], &[2]), "S1005", "");
    refuses(
        |b| b.constant(m).dynamic_slice(&[b.constant([0_i32])], &[2, 2]),
        "S1014",
        "one entry for each",
    );
    refuses(
        |b| b.constant(m).dynamic_slice(&[b.constant(0_i32), b.constant(0_i64)], &[2, 2]),
        "S1005",
        "",
    );
}

#[test]
fn d000_dynamic_update_slice() {
    let m = [[0.0_f32, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0]];
    let u = [[12.0_f32, 13.0], [14.0, 15.0], [16.0, 17.0]];
    gives(
        |b| {
            b.constant([0.0_f32, 1.0, 2.0, 3.0, 4.0])
                .dynamic_update_slice(b.constant([5.0_f32, 6.0]), &[b.constant(2_i32)])
        },
        [0.0_f32, 1.0, 5.0, 6.0, 4.0],
    );
    let expected = [[0.0_f32, 1.0, 2.0], [3.0, 12.0, 13.0], [6.0, 14.0, 15.0], [9.0, 16.0, 17.0]];
    gives(
        |b| {
            b.constant(m)
                .dynamic_update_slice(b.constant(u), &[b.constant(1_i32), b.constant(1_i32)])
        },
        expected,
    );
    // Clamped so that the update is in bounds.
    gives(
        |b| {
            b.constant(m)
                .dynamic_update_slice(b.constant(u), &[b.constant(3_i32), b.constant(3_i32)])
        },
        expected,
    );
    refuses(
        |b| b.constant(m).dynamic_update_slice(b.constant([[1_i32]]), &[b.constant([0_i32, 0])]),
        "S1005",
        "",
    );
    refuses(
        |b| b.constant([1_i32]).dynamic_update_slice(b.constant([1_i32, 2]), &[b.constant(0_i32)]),
        "S1005",
        "",
    );
}

#[test]
fn d000_pad() {
    let pad = |low, high, between| [PaddingDimension::from((low, high, between))];
    let x = [1_i32, 2, 3];
    gives(|b| b.constant(x).pad(0, &pad(1, 2, 0)), [0_i32, 1, 2, 3, 0, 0]);
    gives(|b| b.constant(x).pad(9, &pad(0, 0, 1)), [1_i32, 9, 2, 9, 3]);
    // Interior padding occurs before edge padding, which takes elements away where it is negative.
    gives(|b| b.constant(x).pad(9, &pad(-1, 0, 1)), [9_i32, 2, 9, 3]);
    gives(|b| b.constant(x).pad(9, &pad(-2, -2, 1)), [2_i32]);
    gives(|b| b.constant(x).pad(9, &pad(0, 0, 0)), x);
    gives(
        |b| b.constant([[1_i32, 2], [3, 4]]).pad(0, &[(1, 0, 0).into(), (0, 1, 0).into()]),
        [[0_i32, 0, 0], [1, 2, 0], [3, 4, 0]],
    );
    refuses(|b| b.constant(x).pad(0, &pad(0, 0, -1)), "S1005", "");
    refuses(|b| b.constant(x).pad(0, &[]), "S1005", "");
    refuses(|b| b.constant(x).pad(0, &pad(-4, 0, 0)), "S1005", "");
    refuses(|b| b.constant(x).pad(b.constant(0.0_f32), &pad(0, 0, 0)), "S1005", "");
    refuses(|b| b.constant(x).pad(b.constant([0_i32]), &pad(0, 0, 0)), "S1005", "");
    refuses(|b| b.constant(x).pad(0, &pad(i64::MAX, i64::MAX, i64::MAX)), "S1014", "2^63");
    refuses(|b| b.constant(x).pad(0, &pad(1 << 50, 0, 0)), "S1009", "");
}

#[test]
fn d000_iota() {
    gives(|b| b.iota(&Shape::array(S32, [4, 8]), 0), [[0_i32; 8], [1; 8], [2; 8], [3; 8]]);
    gives(|b| b.iota(&Shape::array(S32, [4, 8]), 1), [[0_i32, 1, 2, 3, 4, 5, 6, 7]; 4]);
    gives(|b| b.iota_1d(F32, 3), [0.0_f32, 1.0, 2.0]);
    refuses(|b| b.iota(&Shape::array(S32, [4]), 1), "S1005", "");
    refuses(|b| b.iota(&Shape::array(S32, [4]), -1), "S1005", "");
    refuses(|b| b.iota(&Shape::scalar(S32), 0), "S1005", "");
    refuses(|b| b.iota(&Shape::array(strata_builder::PRED, [2]), 0), "S1005", "");
    refuses(|b| b.iota(&Shape::array(S32, [-1]), 0), "S1014", "negative");
}

#[test]
fn d000_tuple_and_get_tuple_element() {
    let pair = |b: &strata_builder::Builder| b.tuple(&[b.iota_1d(F32, 10)?, b.constant(5_i32)]);
    assert_eq!(shape(pair), "(f32[10], s32[])");
    assert_eq!(shape(|b| pair(b)?.get_tuple_element(1)), "s32[]");
    gives(|b| pair(b)?.get_tuple_element(1), 5_i32);
    refuses(|b| pair(b)?.get_tuple_element(2), "S1014", "element 2");
    refuses(|b| b.constant(5_i32).get_tuple_element(0), "S1014", "expected a tuple");
    assert_eq!(shape(|b| b.tuple(&[])), "()");
}
