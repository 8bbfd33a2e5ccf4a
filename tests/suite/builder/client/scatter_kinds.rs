//! Scatters of shared dimensions, of other element types, of several arrays, and among other operations.

use strata_builder::{
    BF16, Computation, F32, F64, Literal, S8, S32, S64, ScatterDimensionNumbers, ScatterOptions,
    Shape, U8,
};

use super::{
    super::build,
    Array, check, check_arrays,
    scatter::{Scatter, add, overwrite, rows},
};

#[test]
fn dimensions_that_operand_and_indices_share() {
    let batched = Scatter {
        operand: vec![2, 5, 3],
        indices: vec![2, 3, 1],
        positions: vec![0, 3, 3, 4, -1, 1],
        updates: vec![2, 3, 3],
        window: vec![2],
        inserted: vec![1],
        batching: vec![0],
        indices_batching: vec![0],
        map: vec![1],
        vector: 2,
    };
    batched.check(F32, S32, &add(F32));
    Scatter {
        indices: vec![1, 3, 2],
        positions: vec![0, 4, 1, 2, 3, 0],
        updates: vec![3, 2, 3],
        indices_batching: vec![2],
        vector: 0,
        ..batched
    }
    .check(S32, S32, &overwrite(S32));
}

#[test]
fn element_types_that_are_scattered() {
    for element in [S8, U8, BF16, F64, S64] {
        rows(&[3, 0, 3]).check(element, S32, &add(element));
        rows(&[3, 0, 1]).check(element, S64, &overwrite(element));
    }
}

#[test]
fn a_histogram() {
    let samples = Array::mixed(&[200], -3..12);
    let counts = Array::of(&[10], |index| {
        samples.values.iter().filter(|value| **value == index[0] as f64).count() as f64
    });
    let numbers = ScatterDimensionNumbers {
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        ..ScatterDimensionNumbers::default()
    };
    let sum = add(S32).0;
    check_arrays(
        "histogram",
        S32,
        &[&samples],
        |b, p| {
            let ones = b.constant(1_i32).broadcast(&[200])?;
            let zeros = b.constant(0_i32).broadcast(&[10])?;
            zeros.scatter(&p[0], ones, &sum, &numbers, ScatterOptions::default())
        },
        &counts,
    );
}

#[test]
fn two_arrays_at_once_whose_updates_look_at_each_other() {
    // The first array keeps the larger of two numbers, the second one what came with it.
    let (int, float) = (Shape::scalar(S32), Shape::scalar(F32));
    let pick = Computation::new("pick", &[int.clone(), float.clone(), int, float], |b, p| {
        let keep = p[0].ge(&p[2])?;
        b.tuple(&[b.select(&keep, &p[0], &p[2])?, b.select(&keep, &p[1], &p[3])?])
    })
    .expect("a computation");
    let case = rows(&[2, 0, 2, 7]);
    let (keys, values) = (Array::mixed(&[4, 5], 0..31), Array::mixed(&[4, 5], -60..61));
    let (new_keys, new_values) = (Array::mixed(&[4, 5], 2..37), Array::mixed(&[4, 5], 70..99));
    let (mut best, mut with) = (keys.clone(), values.clone());
    for (update, target) in case.targets().into_iter().enumerate() {
        let Some(at) = target else { continue };
        assert!(best.values[at] != new_keys.values[update], "ties would depend on the order");
        if best.values[at] < new_keys.values[update] {
            best.values[at] = new_keys.values[update];
            with.values[at] = new_values.values[update];
        }
    }
    let program = build(|b| {
        let operands = [keys.parameter(b, S32, "keys"), values.parameter(b, F32, "values")];
        let updates = [new_keys.parameter(b, S32, "k"), new_values.parameter(b, F32, "v")];
        let at = b.constant([2_i32, 0, 2, 7]);
        let options = ScatterOptions::default();
        b.scatter(&operands, &at, &updates, &pick, &case.numbers(), options)
    });
    let arguments: [Literal; 4] =
        [keys.literal(S32), values.literal(F32), new_keys.literal(S32), new_values.literal(F32)];
    check("two", &program, &arguments, &[best.literal(S32), with.literal(F32)]);
}

#[test]
fn the_operand_is_live_after_a_scatter() {
    let (x, y) = (Array::mixed(&[4, 5], 0..31), Array::mixed(&[2, 5], 40..60));
    let case = rows(&[1, 3]);
    let after = case.of(&x, &y, |_, update| update);
    let expected = Array::of(&[4, 5], |index| after.at(index) - 2.0 * x.at(index));
    check_arrays(
        "both",
        S32,
        &[&x, &y],
        |b, p| {
            let at = b.constant([1_i32, 3]);
            let update = overwrite(S32).0;
            let after =
                p[0].scatter(at, &p[1], &update, &case.numbers(), ScatterOptions::default())?;
            after - (&p[0] * 2)?
        },
        &expected,
    );
}
