//! Gather and scatter compared with the documents' formulas, and dynamic sizes.

use strata_builder::{
    Computation, F32, GatherDimensionNumbers, Literal, S32, ScatterDimensionNumbers,
    ScatterOptions, Shape,
};

use super::{build, code_of, counted, gives, gives_all, refuses, run, shape};

#[test]
fn d000_gather_is_a_batch_of_dynamic_slices() {
    // Slices of [8,6] from [16,11] at 5 indices: out[g, o0, o1] = in[x + o0, y + o1].
    let numbers = GatherDimensionNumbers {
        offset_dims: vec![1, 2],
        start_index_map: vec![0, 1],
        index_vector_dim: 1,
        ..GatherDimensionNumbers::default()
    };
    let positions = [[0_i64, 0], [8, 5], [3, 2], [1, 4], [7, 0]];
    let program = build(|b| {
        b.parameter(S32, [16, 11], "x").gather(b.constant(positions), &numbers, &[8, 6], false)
    });
    let found = run(&program, &[counted::<i32>(0, &[16, 11])]).remove(0);
    assert_eq!(found.dimensions(), [5, 8, 6]);
    for (at, value) in found.to_vec::<i32>().expect("numbers").into_iter().enumerate() {
        let (g, o0, o1) = (at / 48, at / 6 % 8, at % 6);
        assert_eq!(
            i64::from(value),
            (positions[g][0] + o0 as i64) * 11 + positions[g][1] + o1 as i64
        );
    }
    assert_eq!(
        shape(|b| {
            let indices = b.parameter(S32, [4, 5, 2], "indices");
            let numbers = GatherDimensionNumbers {
                offset_dims: vec![2, 3],
                index_vector_dim: 2,
                ..numbers.clone()
            };
            b.parameter(F32, [16, 11], "x").gather(&indices, &numbers, &[8, 6], false)
        }),
        "f32[4,5,8,6]"
    );
}

#[test]
fn d000_gather_nd_picks_rows() {
    let numbers = GatherDimensionNumbers {
        offset_dims: vec![2],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 2,
        ..GatherDimensionNumbers::default()
    };
    let rows = [[1_i32, 2], [3, 4], [5, 6]];
    gives(
        |b| {
            b.constant(rows).gather(
                b.constant([[[2_i32], [0]], [[1], [1]]]),
                &numbers,
                &[1, 2],
                false,
            )
        },
        [[[5_i32, 6], [1, 2]], [[3, 4], [3, 4]]],
    );
    // index_vector_dim = rank: a trailing dimension of 1 is implied.
    gives(
        |b| b.constant(rows).gather(b.constant([[2_i32, 0], [1, 1]]), &numbers, &[1, 2], true),
        [[[5_i32, 6], [1, 2]], [[3, 4], [3, 4]]],
    );
}

#[test]
fn d000_gather_rules() {
    let numbers = GatherDimensionNumbers {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        ..GatherDimensionNumbers::default()
    };
    let gather = |change: fn(&mut GatherDimensionNumbers), sizes: &'static [i64]| {
        let mut numbers = numbers.clone();
        change(&mut numbers);
        move |b: &strata_builder::Builder| {
            let indices = b.parameter(S32, [7], "indices");
            b.parameter(F32, [5, 6], "x").gather(&indices, &numbers, sizes, false)
        }
    };
    assert_eq!(shape(gather(|_| {}, &[1, 6])), "f32[7,6]");
    // operand.rank = offset_dims.size + collapsed_slice_dims.size; collapsed sizes are 1; one size for each dimension.
    refuses(gather(|n| n.offset_dims = vec![], &[1, 6]), "S1005", "");
    refuses(gather(|n| n.collapsed_slice_dims = vec![], &[1, 6]), "S1005", "");
    refuses(gather(|_| {}, &[2, 6]), "S1005", "");
    refuses(gather(|_| {}, &[1]), "S1005", "");
    refuses(gather(|_| {}, &[1, 7]), "S1005", "");
    refuses(gather(|_| {}, &[1, -1]), "S1005", "");
    refuses(gather(|n| n.start_index_map = vec![2], &[1, 6]), "S1005", "");
    refuses(gather(|n| n.index_vector_dim = 2, &[1, 6]), "S1005", "");
    refuses(gather(|n| n.offset_dims = vec![5], &[1, 6]), "S1005", "");
    refuses(gather(|n| n.offset_dims = vec![-1], &[1, 6]), "S1005", "");
    refuses(
        |b| b.constant([[1.0_f32]]).gather(b.constant([0.0_f32]), &numbers, &[1, 1], false),
        "S1005",
        "",
    );
}

fn rows() -> ScatterDimensionNumbers {
    ScatterDimensionNumbers {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        ..ScatterDimensionNumbers::default()
    }
}

#[test]
fn d000_scatter_combines_what_is_there_with_updates() {
    let sum = Computation::add(S32).expect("a sum");
    // The first parameter is what is there: the order of a subtraction shows it.
    let scalar = Shape::scalar(S32);
    let difference =
        Computation::new("sub", &[scalar.clone(), scalar], |_, p| &p[0] - &p[1]).expect("one");
    let x = [[1_i32, 2], [3, 4], [5, 6]];
    gives(
        |b| {
            let updates = b.constant([[10_i32, 20], [30, 40]]);
            b.constant(x).scatter(
                b.constant([2_i32, 0]),
                &updates,
                &sum,
                &rows(),
                ScatterOptions::default(),
            )
        },
        [[31_i32, 42], [3, 4], [15, 26]],
    );
    let options = ScatterOptions { indices_are_sorted: true, unique_indices: true };
    gives(
        |b| {
            b.constant(x).scatter(
                b.constant([1_i32]),
                b.constant([[10_i32, 20]]),
                &difference,
                &rows(),
                options,
            )
        },
        [[1_i32, 2], [-7, -16], [5, 6]],
    );
    // Updates outside are skipped.
    gives(
        |b| {
            let updates = b.constant([[10_i32, 20], [30, 40]]);
            b.constant(x).scatter(
                b.constant([3_i32, -1]),
                &updates,
                &sum,
                &rows(),
                ScatterOptions::default(),
            )
        },
        x,
    );
}

#[test]
fn d002_scatter_of_several_arrays() {
    let (int, float) = (Shape::scalar(S32), Shape::scalar(F32));
    let both = Computation::new("both", &[int.clone(), float.clone(), int, float], |b, p| {
        b.tuple(&[p[0].add(&p[2])?, p[1].max(&p[3])?])
    })
    .expect("one");
    gives_all(
        |b| {
            let operands = [b.constant([[1_i32], [2]]), b.constant([[1.0_f32], [2.0]])];
            let updates = [b.constant([[10_i32]]), b.constant([[0.5_f32]])];
            b.scatter(
                &operands,
                &b.constant([1_i32]),
                &updates,
                &both,
                &rows(),
                ScatterOptions::default(),
            )
        },
        &[[[1_i32], [12]].into(), [[1.0_f32], [2.0]].into()],
    );
}

#[test]
fn d002_scatter_example_1_shapes() {
    let numbers = ScatterDimensionNumbers {
        update_window_dims: vec![3, 4],
        inserted_window_dims: vec![1],
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![1],
        scatter_dims_to_operand_dims: vec![2, 1],
        index_vector_dim: 3,
    };
    let sum = Computation::add(S32).expect("a sum");
    let indices = Literal::new(
        &[2, 2, 3, 2],
        &[0_i64, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0],
    )
    .expect("as many");
    let program = build(|b| {
        let updates = b.constant(Literal::new(&[2, 2, 3, 1, 2], &[1_i32; 24])?);
        b.constant(Literal::new(&[2, 3, 4, 2], &[0_i32; 48])?).scatter(
            b.constant(indices),
            &updates,
            &sum,
            &numbers,
            ScatterOptions::default(),
        )
    });
    let found = run(&program, &[]).remove(0);
    assert_eq!(found.dimensions(), [2, 3, 4, 2]);
    // One of the twelve windows is out of bounds and is skipped.
    assert_eq!(found.to_vec::<i32>().expect("numbers").iter().sum::<i32>(), 22);
}

#[test]
fn d000_scatter_rules() {
    let sum = Computation::add(F32).expect("a sum");
    let scatter = |change: fn(&mut ScatterDimensionNumbers), updates: &'static [i64]| {
        let (mut numbers, sum) = (rows(), sum.clone());
        change(&mut numbers);
        move |b: &strata_builder::Builder| {
            let (indices, updates) =
                (b.parameter(S32, [7, 1], "indices"), b.parameter(F32, updates, "updates"));
            b.parameter(F32, [5, 6], "x").scatter(
                &indices,
                &updates,
                &sum,
                &numbers,
                ScatterOptions::default(),
            )
        }
    };
    assert_eq!(shape(scatter(|_| {}, &[7, 6])), "f32[5,6]");
    assert_eq!(shape(scatter(|_| {}, &[7, 4])), "f32[5,6]");
    refuses(scatter(|_| {}, &[7, 7]), "S1005", "");
    refuses(scatter(|_| {}, &[8, 6]), "S1005", "");
    refuses(scatter(|_| {}, &[7]), "S1005", "");
    refuses(scatter(|n| n.update_window_dims = vec![2], &[7, 6]), "S1005", "");
    refuses(scatter(|n| n.update_window_dims = vec![1, 0], &[7, 6]), "S1005", "");
    refuses(scatter(|n| n.inserted_window_dims = vec![], &[7, 6]), "S1005", "");
    refuses(scatter(|n| n.inserted_window_dims = vec![2], &[7, 6]), "S1005", "");
    refuses(scatter(|n| n.scatter_dims_to_operand_dims = vec![0, 1], &[7, 6]), "S1005", "");
    refuses(scatter(|n| n.scatter_dims_to_operand_dims = vec![2], &[7, 6]), "S1005", "");
    refuses(
        |b| b.scatter(&[], &b.constant([0_i32]), &[], &sum, &rows(), ScatterOptions::default()),
        "S1014",
        "at least one operand",
    );
    let of_ints = Computation::add(S32).expect("a sum");
    refuses(
        |b| {
            let updates = b.constant([[1.0_f32]]);
            b.constant([[1.0_f32]]).scatter(
                b.constant([0_i32]),
                &updates,
                &of_ints,
                &rows(),
                ScatterOptions::default(),
            )
        },
        "S1005",
        "",
    );
}

#[test]
fn d000_get_dimension_size() {
    gives(|b| b.constant([[0.0_f32; 5]; 3]).get_dimension_size(1), 5_i32);
    refuses(|b| b.parameter(F32, [3, 5], "x").get_dimension_size(2), "S1005", "");
    refuses(|b| b.parameter(F32, [3, 5], "x").get_dimension_size(-1), "S1005", "");
}

#[test]
fn d000_set_dimension_size_masks_what_follows() {
    let cut = |b: &strata_builder::Builder| {
        b.parameter(F32, [10], "v").set_dimension_size(&b.parameter(S32, [], "size"), 0)
    };
    assert_eq!(shape(cut), "f32[<=10]");
    let sum = build(|b| cut(b)?.reduce(0.0, &Computation::add(F32)?, &[0])).load();
    sum.expect("an output of static size");
    // An output whose size depends on values has that size.
    let numbers: Vec<f32> = (0..10_u8).map(f32::from).collect();
    let function = build(cut).load().expect("compiles");
    for size in [0, 1, 7, 10] {
        let arguments = [Literal::from(&numbers[..]), size.into()];
        let found = function.call(&arguments).expect("called");
        assert_eq!(found, build(cut).evaluate(&arguments).expect("evaluated"), "{size}");
        assert_eq!(found[0].dimensions(), [size as usize]);
    }
    refuses(|b| b.parameter(F32, [10], "v").set_dimension_size(&b.constant(5_i32), 1), "S1005", "");
    refuses(
        |b| b.parameter(F32, [10], "v").set_dimension_size(&b.constant(5.0_f32), 0),
        "S1014",
        "s32[]",
    );
}

#[test]
fn d002_dynamic_reshape_is_built_and_refused_by_the_compiler() {
    let reshape = |b: &strata_builder::Builder| {
        let sizes = [b.parameter(S32, [], "rows"), b.constant(4_i32)];
        b.parameter(F32, [12], "v").dynamic_reshape(&sizes, &[3, 4], &[true, false])
    };
    assert_eq!(shape(reshape), "f32[<=3,4]");
    assert_eq!(code_of(build(reshape).load()).map(|code| code.id()), Some("S1101"));
    refuses(
        |b| b.parameter(F32, [12], "v").dynamic_reshape(&[b.constant(3_i32)], &[3, 4], &[true]),
        "S1014",
        "one bound and one flag",
    );
    refuses(
        |b| b.parameter(F32, [12], "v").dynamic_reshape(&[b.constant(3.0_f32)], &[3], &[true]),
        "S1014",
        "integer scalars",
    );
}
