//! Products.

use strata_builder::{
    BF16, DotDimensionNumbers, DotOptions, F16, F32, Literal, Precision, RaggedDotDimensionNumbers,
    S32,
};

use super::{gives, refuses, shape};

#[test]
fn d000_dot_by_ranks() {
    let (v, m) = ([1.0_f32, 2.0, 3.0], [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    gives(|b| b.constant(v).dot(b.constant([4.0_f32, 5.0, 6.0])), 32.0_f32);
    gives(|b| b.constant(m).dot(b.constant(v)), [14.0_f32, 32.0]);
    gives(
        |b| b.constant(m).dot(b.constant([[1.0_f32, 0.0], [0.0, 1.0], [1.0, 1.0]])),
        [[4.0_f32, 5.0], [10.0, 11.0]],
    );
    refuses(|b| b.constant(m).dot(b.constant(m)), "S1005", "");
    refuses(|b| b.constant(m).dot(b.constant(1.0_f32)), "S1014", "vectors or matrices");
    refuses(
        |b| b.parameter(F32, [2, 3, 4], "x").dot(b.constant([1.0_f32])),
        "S1014",
        "vectors or matrices",
    );
    refuses(|b| b.constant(m).dot(b.constant([1_i32, 2, 3])), "S1014", "different element types");
}

#[test]
fn d000_dot_general_contracting_dimension_numbers() {
    let numbers = DotDimensionNumbers {
        lhs_contracting_dimensions: vec![1],
        rhs_contracting_dimensions: vec![1],
        ..DotDimensionNumbers::default()
    };
    gives(
        |b| {
            let lhs = b.constant([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
            lhs.dot_general(b.constant([[1.0_f32, 1.0, 1.0], [2.0, 2.0, 2.0]]), &numbers)
        },
        [[6.0_f32, 12.0], [15.0, 30.0]],
    );
}

fn batched() -> DotDimensionNumbers {
    DotDimensionNumbers {
        lhs_contracting_dimensions: vec![2],
        rhs_contracting_dimensions: vec![1],
        lhs_batch_dimensions: vec![0],
        rhs_batch_dimensions: vec![0],
    }
}

#[test]
fn d000_dot_general_batch_dimension_numbers() {
    let lhs = [[[1.0_f32, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]];
    let identity = [[[1.0_f32, 0.0], [0.0, 1.0]]; 2];
    gives(|b| b.constant(lhs).dot_general(b.constant(identity), &batched()), lhs);
}

#[test]
fn d000_dot_general_result_dimensions() {
    // Batch, then the free dimensions of lhs, then those of rhs.
    assert_eq!(
        shape(|b| {
            let rhs = b.parameter(F32, [7, 3, 5], "rhs");
            b.parameter(F32, [7, 2, 3], "lhs").dot_general(&rhs, &batched())
        }),
        "f32[7,2,5]"
    );
    let two = DotDimensionNumbers {
        lhs_contracting_dimensions: vec![3],
        rhs_contracting_dimensions: vec![2],
        lhs_batch_dimensions: vec![0, 1],
        rhs_batch_dimensions: vec![0, 1],
    };
    assert_eq!(
        shape(|b| {
            let rhs = b.parameter(F32, [7, 8, 3, 5], "rhs");
            b.parameter(F32, [7, 8, 2, 3], "lhs").dot_general(&rhs, &two)
        }),
        "f32[7,8,2,5]"
    );
}

#[test]
fn d000_dot_general_rules() {
    let product = |numbers: DotDimensionNumbers| {
        move |b: &strata_builder::Builder| {
            let rhs = b.parameter(F32, [2, 3, 5], "rhs");
            b.parameter(F32, [2, 4, 3], "lhs").dot_general(&rhs, &numbers)
        }
    };
    assert_eq!(shape(product(batched())), "f32[2,4,5]");
    let with = |change: fn(&mut DotDimensionNumbers)| {
        let mut numbers = batched();
        change(&mut numbers);
        numbers
    };
    for wrong in [
        with(|n| n.lhs_contracting_dimensions = vec![3]),
        with(|n| n.lhs_contracting_dimensions = vec![-1]),
        with(|n| n.rhs_contracting_dimensions = vec![2]),
        with(|n| n.lhs_contracting_dimensions = vec![]),
        with(|n| n.lhs_contracting_dimensions = vec![0]),
        with(|n| n.lhs_batch_dimensions = vec![1]),
        with(|n| n.rhs_batch_dimensions = vec![]),
        with(|n| {
            n.lhs_contracting_dimensions = vec![2, 2];
            n.rhs_contracting_dimensions = vec![1, 1];
        }),
    ] {
        refuses(product(wrong), "S1005", "");
    }
}

#[test]
fn d002_dot_takes_a_precision_and_an_element_type() {
    let options = DotOptions {
        precision_config: vec![Precision::Highest, Precision::High],
        preferred_element_type: Some(S32),
    };
    gives(|b| b.constant([100_i8, 100]).dot_with(b.constant([100_i8, 100]), &options), 20_000_i32);
    let options = DotOptions { preferred_element_type: Some(F32), ..DotOptions::default() };
    assert_eq!(
        shape(|b| b
            .parameter(BF16, [4, 8], "x")
            .dot_with(b.parameter(BF16, [8, 2], "y"), &options)),
        "f32[4,2]"
    );
    let three = DotOptions { precision_config: vec![Precision::High; 3], ..DotOptions::default() };
    refuses(|b| b.constant([1.0_f32]).dot_with(b.constant([1.0_f32]), &three), "S1005", "");
}

#[test]
fn d002_scaled_dot() {
    let numbers = DotDimensionNumbers {
        lhs_contracting_dimensions: vec![1],
        rhs_contracting_dimensions: vec![0],
        ..DotDimensionNumbers::default()
    };
    let options = DotOptions { preferred_element_type: Some(F32), ..DotOptions::default() };
    // One scale for each pair of columns of lhs and of rows of rhs.
    gives(
        |b| {
            let lhs = b.constant([[1.0_f32, 2.0, 3.0, 4.0]]);
            let rhs = b.constant([[1.0_f32], [1.0], [1.0], [1.0]]);
            let (left, right) = (b.constant([[2.0_f32, 10.0]]), b.constant([[1.0_f32], [0.5]]));
            lhs.scaled_dot(&left, &rhs, &right, &numbers, &options)
        },
        [[6.0_f32 + 35.0]],
    );
    refuses(
        |b| {
            let (lhs, rhs) = (b.parameter(F32, [1, 4], "lhs"), b.parameter(F32, [4, 1], "rhs"));
            let (left, right) =
                (b.parameter(F32, [1, 3], "left"), b.parameter(F32, [2, 1], "right"));
            lhs.scaled_dot(&left, &rhs, &right, &numbers, &options)
        },
        "S1014",
        "divides that of its operand",
    );
}

#[test]
fn d002_ragged_dot() {
    let numbers = RaggedDotDimensionNumbers {
        dot: DotDimensionNumbers {
            lhs_contracting_dimensions: vec![1],
            rhs_contracting_dimensions: vec![1],
            ..DotDimensionNumbers::default()
        },
        lhs_ragged_dimensions: vec![0],
        rhs_group_dimensions: vec![0],
    };
    let options = DotOptions::default();
    // The first row has the first matrix, the other two the second one.
    gives(
        |b| {
            let lhs = b.constant([[1.0_f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
            let rhs = b.constant([[[1.0_f32], [1.0]], [[10.0], [0.0]]]);
            lhs.ragged_dot(&rhs, &b.constant([1_i32, 2]), &numbers, &options)
        },
        [[3.0_f32], [30.0], [50.0]],
    );
    refuses(
        |b| {
            let lhs = b.parameter(F32, [3, 2], "lhs");
            lhs.ragged_dot(
                &b.parameter(F32, [2, 3, 1], "rhs"),
                &b.constant([1_i32, 2]),
                &numbers,
                &options,
            )
        },
        "S1005",
        "",
    );
    refuses(
        |b| {
            let lhs = b.parameter(F32, [3, 2], "lhs");
            lhs.ragged_dot(
                &b.parameter(F32, [2, 2, 1], "rhs"),
                &b.constant([1_i32, 2, 0]),
                &numbers,
                &options,
            )
        },
        "S1005",
        "",
    );
}

#[test]
fn elements_of_a_product_are_of_one_type() {
    assert_eq!(shape(|b| b.parameter(F16, [3], "x").dot(b.parameter(F16, [3], "y"))), "f16[]");
    gives(|b| b.constant([2_u8, 3]).dot(Literal::from([4_u8, 5])), 23_u8);
}
