//! Windows: pooling and its gradient.

use strata_builder::{Computation, ElementType, F32, Literal, Padding, S32, Window};

use super::{gives, gives_all, refuses, shape};

fn ready(
    make: fn(ElementType) -> strata_builder::Result<Computation>,
    element: ElementType,
) -> Computation {
    make(element).expect("a computation")
}

#[test]
fn d000_reduce_window_2x3() {
    let max = ready(Computation::max, F32);
    let input = super::counted::<f32>(0, &[4, 6]);
    gives(
        |b| {
            let init = Literal::min_value(F32);
            b.constant(input).reduce_window(init, &max, &[2, 3], &[2, 3], Padding::Valid)
        },
        [[8.0_f32, 11.0], [20.0, 23.0]],
    );
}

#[test]
fn d000_reduce_window_padding_of_a_vector() {
    let min = ready(Computation::min, F32);
    let x = [10000.0_f32, 1000.0, 100.0, 10.0, 1.0];
    let init = Literal::max_value(F32);
    gives(
        |b| b.constant(x).reduce_window(&init, &min, &[3], &[2], Padding::Valid),
        [100.0_f32, 1.0],
    );
    gives(
        |b| b.constant(x).reduce_window(&init, &min, &[3], &[2], Padding::Same),
        [1000.0_f32, 10.0, 1.0],
    );
    // "the same output shape as input if the stride is 1"
    assert_eq!(
        shape(|b| b.parameter(F32, [5, 7], "x").reduce_window(
            &init,
            &min,
            &[2, 4],
            &[1, 1],
            Padding::Same
        )),
        "f32[5,7]"
    );
}

#[test]
fn d002_reduce_window_example_2() {
    let add = ready(Computation::add, S32);
    gives(
        |b| {
            let window = Window {
                dimensions: &[2, 1],
                strides: &[4, 1],
                base_dilations: &[2, 1],
                window_dilations: &[3, 1],
            };
            b.constant([[1_i32, 2], [3, 4], [5, 6]]).reduce_window_with_general_padding(
                0,
                &add,
                &window,
                &[(2, 1), (0, 0)],
            )
        },
        [[0_i32, 0], [3, 4]],
    );
}

#[test]
fn d002_reduce_window_of_several_arrays() {
    let float = strata_builder::Shape::scalar(F32);
    let int = strata_builder::Shape::scalar(S32);
    let both = Computation::new("both", &[float.clone(), int.clone(), float, int], |b, p| {
        b.tuple(&[p[0].max(&p[2])?, p[1].add(&p[3])?])
    })
    .expect("a computation");
    gives_all(
        |b| {
            let operands = [b.constant([3.0_f32, 1.0, 4.0, 1.0]), b.constant([1_i32, 2, 3, 4])];
            let init = [b.constant(f32::NEG_INFINITY), b.constant(0_i32)];
            let window = Window { dimensions: &[2], strides: &[2], ..Window::default() };
            b.reduce_window(&operands, &init, &both, &window, Padding::Valid)
        },
        &[[3.0_f32, 4.0].into(), [3_i32, 7].into()],
    );
}

#[test]
fn reduce_window_average() {
    let add = ready(Computation::add, F32);
    gives(
        |b| {
            let x = b.constant([[1.0_f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]);
            x.reduce_window(0.0, &add, &[2, 2], &[2, 2], Padding::Valid)? / 4.0
        },
        [[3.5_f32, 5.5]],
    );
}

#[test]
fn d000_reduce_window_rules() {
    let add = ready(Computation::add, F32);
    let x = [1.0_f32, 2.0, 3.0];
    let sum = |dimensions: &'static [i64], strides: &'static [i64], padding: Padding| {
        let add = add.clone();
        move |b: &strata_builder::Builder| {
            b.constant(x).reduce_window(0.0, &add, dimensions, strides, padding)
        }
    };
    refuses(sum(&[2, 2], &[1], Padding::Valid), "S1005", "");
    refuses(sum(&[0], &[1], Padding::Valid), "S1005", "");
    refuses(sum(&[2], &[0], Padding::Valid), "S1005", "");
    refuses(sum(&[2], &[0], Padding::Same), "S1014", "positive");
    refuses(sum(&[2], &[1, 1], Padding::Valid), "S1005", "");
    refuses(sum(&[2], &[1], Padding::General(vec![(0, 0), (0, 0)])), "S1005", "");
    refuses(
        |b| b.reduce_window(&[], &[], &add, &Window::default(), Padding::Valid),
        "S1014",
        "at least one operand",
    );
    let other = ready(Computation::add, S32);
    refuses(|b| b.constant(x).reduce_window(0.0, &other, &[2], &[1], Padding::Valid), "S1005", "");
    refuses(
        |b| b.constant(x).reduce_window(b.constant(0_i32), &add, &[2], &[1], Padding::Valid),
        "S1005",
        "",
    );
    assert_eq!(shape(sum(&[4], &[1], Padding::Valid)), "f32[0]");
}

#[test]
fn d000_select_and_scatter_windows_that_do_not_overlap() {
    let (ge, add) = (ready(Computation::ge, F32), ready(Computation::add, F32));
    gives(
        |b| {
            let operand = b.constant([[7.0_f32, 2.0, 5.0, 3.0], [3.0, 8.0, 9.0, 3.0]]);
            let source = b.constant([[2.0_f32, 6.0]]);
            operand.select_and_scatter(&ge, &[2, 2], &[2, 2], Padding::Valid, &source, 0.0, &add)
        },
        [[0.0_f32, 0.0, 0.0, 0.0], [0.0, 2.0, 6.0, 0.0]],
    );
}

#[test]
fn d000_select_and_scatter_an_element_that_two_windows_select() {
    // "the element of value 9 is selected by both of the top windows, … the output element of value 8 (2 + 6)"
    let (ge, add) = (ready(Computation::ge, F32), ready(Computation::add, F32));
    gives(
        |b| {
            let operand = b.constant([
                [7.0_f32, 2.0, 5.0, 3.0, 8.0],
                [3.0, 8.0, 9.0, 3.0, 4.0],
                [1.0, 5.0, 7.0, 5.0, 6.0],
            ]);
            let source = b.constant([[2.0_f32, 6.0]]);
            operand.select_and_scatter(&ge, &[3, 3], &[3, 2], Padding::Valid, &source, 0.0, &add)
        },
        [[0.0_f32, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 8.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]],
    );
}

#[test]
fn d000_select_and_scatter_rules() {
    let (ge, add) = (ready(Computation::ge, F32), ready(Computation::add, F32));
    let x = [1.0_f32, 2.0, 3.0, 4.0];
    // The source has the shape of the windows' positions.
    refuses(
        |b| {
            b.constant(x).select_and_scatter(
                &ge,
                &[2],
                &[2],
                Padding::Valid,
                b.constant([1.0_f32]),
                0.0,
                &add,
            )
        },
        "S1005",
        "",
    );
    let source = [1.0_f32, 1.0];
    refuses(
        |b| {
            b.constant(x).select_and_scatter(
                &add,
                &[2],
                &[2],
                Padding::Valid,
                b.constant(source),
                0.0,
                &add,
            )
        },
        "S1005",
        "",
    );
    refuses(
        |b| {
            b.constant(x).select_and_scatter(
                &ge,
                &[2],
                &[2],
                Padding::Valid,
                b.constant(source),
                0.0,
                &ge,
            )
        },
        "S1005",
        "",
    );
    refuses(
        |b| {
            b.constant(x).select_and_scatter(
                &ge,
                &[2, 2],
                &[2, 2],
                Padding::Valid,
                b.constant(source),
                0.0,
                &add,
            )
        },
        "S1005",
        "",
    );
}
