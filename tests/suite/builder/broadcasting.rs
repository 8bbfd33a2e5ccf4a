//! The broadcasting page, whole.

use strata_builder::{F32, Literal};
use strata_diag::codes;

use super::{build, gives, refuses, run, shape};

const MATRIX: [[f32; 3]; 2] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

#[test]
fn d004_what_is_broadcasting_a_vector_over_rows() {
    gives(
        |b| b.constant(MATRIX).add_in_dim(b.constant([7.0_f32, 8.0, 9.0]), &[1]),
        [[8.0_f32, 10.0, 12.0], [11.0, 13.0, 15.0]],
    );
}

#[test]
fn d004_lower_rank_a_scalar_needs_no_specification() {
    gives(
        |b| b.constant(MATRIX).add(b.constant(7.0_f32)),
        [[8.0_f32, 9.0, 10.0], [11.0, 12.0, 13.0]],
    );
    gives(
        |b| b.constant(7.0_f32).add(b.constant(MATRIX)),
        [[8.0_f32, 9.0, 10.0], [11.0, 12.0, 13.0]],
    );
    gives(|b| b.constant(MATRIX) + 7.0, [[8.0_f32, 9.0, 10.0], [11.0, 12.0, 13.0]]);
    gives(
        |b| b.constant(MATRIX).add_in_dim(b.constant(7.0_f32), &[]),
        [[8.0_f32, 9.0, 10.0], [11.0, 12.0, 13.0]],
    );
}

#[test]
fn d004_lower_rank_without_specification_is_invalid() {
    refuses(
        |b| b.parameter(F32, [2, 3], "x").add(b.parameter(F32, [3], "v")),
        codes::S1014.id(),
        "different rank need broadcast_dimensions",
    );
    refuses(
        |b| b.parameter(F32, [3], "v").add_in_dim(b.parameter(F32, [2, 3], "x"), &[]),
        codes::S1014.id(),
        "different rank need broadcast_dimensions",
    );
}

#[test]
fn d004_lower_rank_the_two_ways_of_a_square_matrix() {
    let zeros = [[0.0_f32; 3]; 3];
    let v = [7.0_f32, 8.0, 9.0];
    gives(
        |b| b.constant(zeros).add_in_dim(b.constant(v), &[1]),
        [[7.0_f32, 8.0, 9.0], [7.0, 8.0, 9.0], [7.0, 8.0, 9.0]],
    );
    gives(
        |b| b.constant(zeros).add_in_dim(b.constant(v), &[0]),
        [[7.0_f32, 7.0, 7.0], [8.0, 8.0, 8.0], [9.0, 9.0, 9.0]],
    );
}

#[test]
fn d004_lower_rank_note_dimension_0_of_a_2x3_matrix_is_invalid() {
    refuses(
        |b| b.constant(MATRIX).add_in_dim(b.constant([7.0_f32, 8.0, 9.0]), &[0]),
        "S1014",
        "incompatible",
    );
}

#[test]
fn d004_lower_rank_a_matrix_on_two_dimensions_of_a_cuboid() {
    let program = build(|b| {
        let cuboid = b.parameter(F32, [2, 3, 4], "cuboid");
        cuboid.add_in_dim(b.parameter(F32, [3, 4], "matrix"), &[1, 2])
    });
    let cuboid = super::counted::<f32>(0, &[2, 3, 4]);
    let matrix = super::counted::<f32>(100, &[3, 4]);
    let found = run(&program, &[cuboid, matrix]).remove(0);
    let expected: Vec<f32> = (0..24).map(|at| (at + 100 + at % 12) as f32).collect();
    assert_eq!(found, Literal::new(&[2, 3, 4], &expected).expect("as many"));
}

#[test]
fn d004_formal_definition_a_vector_on_each_dimension() {
    let sizes = [2, 3, 4, 5];
    for dimension in 0..4 {
        let text = shape(|b| {
            let v = b.parameter(F32, [sizes[dimension]], "v");
            b.parameter(F32, sizes, "x").mul_in_dim(&v, &[dimension as i64])
        });
        assert_eq!(text, "f32[2,3,4,5]");
        refuses(
            |b| {
                let v = b.parameter(F32, [7], "v");
                b.parameter(F32, sizes, "x").mul_in_dim(&v, &[dimension as i64])
            },
            "S1014",
            "incompatible",
        );
    }
}

#[test]
fn d004_formal_definition_a_matrix_on_each_pair_of_dimensions() {
    let sizes = [2_i64, 3, 4, 5];
    for first in 0..4_usize {
        for second in 0..4_usize {
            let dimensions = [first as i64, second as i64];
            let sum = |b: &strata_builder::Builder| {
                let matrix = b.parameter(F32, [sizes[first], sizes[second]], "matrix");
                b.parameter(F32, sizes, "x").add_in_dim(&matrix, &dimensions)
            };
            if first < second {
                assert_eq!(shape(sum), "f32[2,3,4,5]");
            } else {
                // V to N and T to P, and V to both.
                refuses(sum, "S1014", "strictly increasing");
            }
        }
    }
}

#[test]
fn d004_formal_definition_one_dimension_for_each_and_only_those_that_are_there() {
    for (dimensions, words) in [
        (&[0_i64, 1][..], "one entry for each dimension"),
        (&[2], "is not a dimension of the higher-rank array"),
        (&[-1], "is not a dimension of the higher-rank array"),
        (&[i64::MAX], "is not a dimension of the higher-rank array"),
    ] {
        refuses(
            |b| b.constant(MATRIX).add_in_dim(b.constant([7.0_f32, 8.0, 9.0]), dimensions),
            "S1014",
            words,
        );
    }
    // Of equal rank each dimension matches itself.
    gives(|b| b.constant(MATRIX).sub_in_dim(b.constant(MATRIX), &[0, 1]), [[0.0_f32; 3]; 2]);
    refuses(|b| b.constant(MATRIX).sub_in_dim(b.constant(MATRIX), &[1, 0]), "S1014", "equal rank");
    refuses(|b| b.constant(MATRIX).sub_in_dim(b.constant(MATRIX), &[0]), "S1014", "equal rank");
    refuses(
        |b| b.constant(MATRIX).add_in_dim(b.constant(1.0_f32), &[0]),
        "S1014",
        "one entry for each",
    );
}

#[test]
fn d004_degenerate_dimensions_the_four_examples() {
    let sum = |left: &'static [i64], right: &'static [i64]| {
        move |b: &strata_builder::Builder| {
            b.parameter(F32, left, "x").add(b.parameter(F32, right, "y"))
        }
    };
    assert_eq!(shape(sum(&[2, 1], &[2, 3])), "f32[2,3]");
    assert_eq!(shape(sum(&[1, 2, 5], &[7, 2, 5])), "f32[7,2,5]");
    assert_eq!(shape(sum(&[7, 2, 5], &[7, 1, 5])), "f32[7,2,5]");
    refuses(sum(&[7, 2, 5], &[7, 2, 6]), "S1014", "incompatible");
}

#[test]
fn d004_degenerate_dimensions_an_outer_operation() {
    gives(
        |b| b.constant([[1.0_f32], [2.0]]).add(b.constant([[10.0_f32, 20.0, 30.0]])),
        [[11.0_f32, 21.0, 31.0], [12.0, 22.0, 32.0]],
    );
}

#[test]
fn d004_broadcast_composition_a_vector_and_a_1x2_matrix() {
    let expected = [[6.0_f32, 7.0], [7.0, 8.0], [8.0, 9.0], [9.0, 10.0]];
    let (v, m) = ([1.0_f32, 2.0, 3.0, 4.0], [[5.0_f32, 6.0]]);
    gives(|b| b.constant(v).add_in_dim(b.constant(m), &[0]), expected);
    gives(|b| b.constant(m).add_in_dim(b.constant(v), &[0]), expected);
}

#[test]
fn d004_broadcast_composition_a_1x2_matrix_and_a_4x3x1_array() {
    let program = build(|b| {
        let matrix = b.parameter(F32, [1, 2], "matrix");
        matrix.add_in_dim(b.parameter(F32, [4, 3, 1], "array"), &[1, 2])
    });
    let array = super::counted::<f32>(0, &[4, 3, 1]);
    let found = run(&program, &[Literal::from([[100.0_f32, 200.0]]), array]).remove(0);
    let expected: Vec<f32> =
        (0..24).map(|at| (at / 2) as f32 + if at % 2 == 0 { 100.0 } else { 200.0 }).collect();
    assert_eq!(found, Literal::new(&[4, 3, 2], &expected).expect("as many"));
}

#[test]
fn d004_principles_comparisons_and_other_binary_operations_broadcast_alike() {
    gives(
        |b| b.constant(MATRIX).lt_in_dim(b.constant([2.0_f32, 2.0, 6.0]), &[1]),
        [[true, false, true], [false, false, false]],
    );
    gives(|b| b.constant(MATRIX).ge(3.0), [[false, false, true], [true, true, true]]);
    refuses(
        |b| b.parameter(F32, [2, 3], "x").eq(b.parameter(F32, [3], "v")),
        "S1014",
        "different rank need broadcast_dimensions",
    );
}
