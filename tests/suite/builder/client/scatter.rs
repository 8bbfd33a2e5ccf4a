//! Windows scattered into an array, compared with the documents' rule for every index of the updates.

use strata_builder::{
    Computation, ElementType, F32, S8, S32, S64, ScatterDimensionNumbers, ScatterOptions, U8, U32,
};

use super::{super::build, Array, check, of_scalars, offset, positions};

pub(super) type Update = (Computation, fn(f64, f64) -> f64);

pub(super) fn add(element: ElementType) -> Update {
    (Computation::add(element).expect("a sum"), |x, y| x + y)
}

pub(super) fn overwrite(element: ElementType) -> Update {
    (of_scalars("overwrite", element, 2, |_, p| Ok(p[1].clone())), |_, y| y)
}

/// A scatter in short: lists as the documents name them.
#[derive(Clone, Debug, Default)]
pub(super) struct Scatter {
    pub(super) operand: Vec<usize>,
    pub(super) indices: Vec<usize>,
    /// The indices themselves, in order.
    pub(super) positions: Vec<i64>,
    pub(super) updates: Vec<usize>,
    pub(super) window: Vec<usize>,
    pub(super) inserted: Vec<usize>,
    pub(super) batching: Vec<usize>,
    pub(super) indices_batching: Vec<usize>,
    pub(super) map: Vec<usize>,
    pub(super) vector: usize,
}

impl Scatter {
    pub(super) fn numbers(&self) -> ScatterDimensionNumbers {
        ScatterDimensionNumbers {
            update_window_dims: super::signed(&self.window),
            inserted_window_dims: super::signed(&self.inserted),
            input_batching_dims: super::signed(&self.batching),
            scatter_indices_batching_dims: super::signed(&self.indices_batching),
            scatter_dims_to_operand_dims: super::signed(&self.map),
            index_vector_dim: self.vector as i64,
        }
    }

    fn index_array(&self) -> Array {
        let values = self.positions.iter().map(|place| *place as f64).collect();
        Array { sizes: self.indices.clone(), values }
    }

    /// Where each element of the updates goes; `None` for those that go nowhere.
    pub(super) fn targets(&self) -> Vec<Option<usize>> {
        let indices = self.index_array();
        let is_window = |at: &usize| !self.inserted.contains(at) && !self.batching.contains(at);
        let own_window: Vec<usize> = (0..self.operand.len()).filter(is_window).collect();
        let target = |update: Vec<usize>| {
            let scattered = (0..update.len()).filter(|at| !self.window.contains(at));
            let scattered: Vec<usize> = scattered.map(|at| update[at]).collect();
            let mut own = vec![0_i64; self.operand.len()];
            for (part, dimension) in self.map.iter().enumerate() {
                let mut from = scattered.clone();
                if self.vector < self.indices.len() {
                    from.insert(self.vector, part);
                }
                own[*dimension] = indices.at(&from) as i64;
            }
            for (dimension, from) in self.batching.iter().zip(&self.indices_batching) {
                let from = if *from < self.vector { *from } else { from - 1 };
                own[*dimension] = scattered[from] as i64;
            }
            // The window is inside as a whole, or it is dropped.
            let mut reach = vec![1; self.operand.len()];
            let window = || own_window.iter().zip(&self.window);
            window().for_each(|(dimension, at)| reach[*dimension] = self.updates[*at] as i64);
            let ends = own.iter().zip(&reach).zip(&self.operand);
            let inside =
                ends.into_iter().all(|((at, reach), size)| *at >= 0 && at + reach <= *size as i64);
            window().for_each(|(dimension, at)| own[*dimension] += update[*at] as i64);
            let own: Vec<usize> = own.iter().map(|at| *at as usize).collect();
            inside.then(|| offset(&self.operand, &own))
        };
        positions(&self.updates).map(target).collect()
    }

    pub(super) fn of(&self, x: &Array, updates: &Array, function: fn(f64, f64) -> f64) -> Array {
        let mut result = x.clone();
        for (target, update) in self.targets().into_iter().zip(&updates.values) {
            if let Some(at) = target {
                result.values[at] = function(result.values[at], *update);
            }
        }
        result
    }

    fn check_with(
        &self,
        element: ElementType,
        index: ElementType,
        update: &Update,
        options: ScatterOptions,
    ) {
        let (x, updates) = (Array::mixed(&self.operand, 0..31), Array::mixed(&self.updates, 1..24));
        let indices = self.index_array();
        let program = build(|b| {
            let x = x.parameter(b, element, "x");
            let at = indices.parameter(b, index, "at");
            let updates = updates.parameter(b, element, "updates");
            x.scatter(at, updates, &update.0, &self.numbers(), options)
        });
        let arguments = [x.literal(element), indices.literal(index), updates.literal(element)];
        let expected = self.of(&x, &updates, update.1).literal(element);
        check((element, index, self), &program, &arguments, &[expected]);
    }

    pub(super) fn check(&self, element: ElementType, index: ElementType, update: &Update) {
        self.check_with(element, index, update, ScatterOptions::default());
    }
}

/// Rows of a matrix by number.
pub(super) fn rows(positions: &[i64]) -> Scatter {
    Scatter {
        operand: vec![4, 5],
        indices: vec![positions.len()],
        positions: positions.to_vec(),
        updates: vec![positions.len(), 5],
        window: vec![1],
        inserted: vec![0],
        map: vec![0],
        vector: 1,
        ..Scatter::default()
    }
}

/// Slices along the last dimension at points of the first two.
fn points(indices: &[usize], positions: &[i64], vector: usize) -> Scatter {
    let count = positions.len() / 2;
    Scatter {
        operand: vec![3, 4, 2],
        indices: indices.to_vec(),
        positions: positions.to_vec(),
        updates: vec![count, 2],
        window: vec![1],
        inserted: vec![0, 1],
        map: vec![0, 1],
        vector,
        ..Scatter::default()
    }
}

#[test]
fn rows_are_replaced_summed_and_combined() {
    let twice = of_scalars("twice", S32, 2, |_, p| (&p[0] * 2)? - &p[1]);
    let updates: [Update; 7] = [
        overwrite(S32),
        add(S32),
        (Computation::mul(S32).expect("a product"), |x, y| x * y),
        (Computation::min(S32).expect("a minimum"), f64::min),
        (Computation::max(S32).expect("a maximum"), f64::max),
        (of_scalars("sub", S32, 2, |_, p| &p[0] - &p[1]), |x, y| x - y),
        (twice, |x, y| 2.0 * x - y),
    ];
    for update in &updates {
        rows(&[2, 0]).check(S32, S32, update);
    }
}

#[test]
fn the_same_row_more_than_once() {
    // In any order the result is the same.
    for update in [
        add(F32),
        (Computation::mul(F32).expect("a product"), |x, y| x * y),
        (Computation::min(F32).expect("a minimum"), f64::min),
        (Computation::max(F32).expect("a maximum"), f64::max),
    ] {
        rows(&[1, 1, 3, 1]).check(F32, S32, &update);
    }
    rows(&[0; 9]).check(S32, S32, &add(S32));
}

#[test]
fn what_the_caller_promises_changes_nothing_where_it_holds() {
    for (indices_are_sorted, unique_indices) in [(true, true), (true, false), (false, true)] {
        let options = ScatterOptions { indices_are_sorted, unique_indices };
        rows(&[0, 1, 3]).check_with(F32, S32, &add(F32), options);
        rows(&[0, 1, 3]).check_with(S32, S32, &overwrite(S32), options);
    }
    let sorted = ScatterOptions { indices_are_sorted: true, unique_indices: false };
    rows(&[0, 2, 2, 3]).check_with(F32, S32, &add(F32), sorted);
}

#[test]
fn columns_by_number_and_by_a_matrix_of_numbers() {
    let columns = Scatter {
        updates: vec![4, 2],
        window: vec![0],
        inserted: vec![1],
        map: vec![1],
        ..rows(&[4, 1])
    };
    columns.check(S32, S32, &overwrite(S32));
    columns.check(F32, S64, &add(F32));
    // The kept dimension is between those of the indices.
    Scatter {
        indices: vec![2, 3],
        positions: vec![0, 2, 4, 1, 2, 2],
        updates: vec![2, 4, 3],
        window: vec![1],
        vector: 2,
        ..columns
    }
    .check(S32, S32, &add(S32));
}

#[test]
fn points_by_vectors_of_numbers() {
    points(&[3, 2], &[0, 1, 2, 3, 1, 0], 1).check(S32, S32, &overwrite(S32));
    points(&[2, 3], &[0, 2, 1, 3, 0, 1], 0).check(S32, S32, &overwrite(S32));
    points(&[2, 3], &[0, 2, 0, 3, 0, 3], 0).check(S64, S32, &add(S64));
    let reversed = points(&[3, 2], &[1, 2, 3, 0, 0, 1], 1);
    Scatter { map: vec![1, 0], ..reversed }.check(F32, S32, &overwrite(F32));
}

#[test]
fn an_inverse_permutation() {
    // Each row of numbers says where its elements go.
    let order = [[2_i64, 0, 3, 1], [3, 2, 1, 0], [1, 2, 0, 3]];
    let positions =
        (0..12).flat_map(|at: usize| [(at / 4) as i64, order[at / 4][at % 4]]).collect();
    let case = Scatter {
        operand: vec![3, 4],
        indices: vec![3, 4, 2],
        positions,
        updates: vec![3, 4],
        inserted: vec![0, 1],
        map: vec![0, 1],
        vector: 2,
        ..Scatter::default()
    };
    case.check(S32, S32, &overwrite(S32));
    Scatter { updates: vec![3, 4, 1, 1], window: vec![2, 3], inserted: vec![], ..case }.check(
        S32,
        S32,
        &overwrite(S32),
    );
}

#[test]
fn blocks_at_one_place_and_at_several() {
    let one = Scatter {
        operand: vec![5, 6],
        indices: vec![2],
        positions: vec![1, 3],
        updates: vec![2, 3],
        window: vec![0, 1],
        map: vec![0, 1],
        vector: 0,
        ..Scatter::default()
    };
    one.check(S32, S32, &overwrite(S32));
    Scatter { updates: vec![1, 1], ..one.clone() }.check(S32, S32, &add(S32));
    // Blocks that overlap, with their dimensions around and after that of the indices.
    let several = Scatter { indices: vec![2, 3], positions: vec![0, 1, 3, 2, 3, 1], ..one };
    Scatter { updates: vec![2, 3, 3], window: vec![0, 2], ..several.clone() }.check(
        F32,
        S32,
        &add(F32),
    );
    Scatter { updates: vec![3, 2, 3], window: vec![1, 2], ..several }.check(F32, S32, &add(F32));
}

#[test]
fn rank_4_with_the_places_of_three_dimensions() {
    Scatter {
        operand: vec![2, 3, 4, 2],
        indices: vec![2, 3],
        positions: vec![1, 2, 1, 0, 0, 0],
        updates: vec![2, 2, 2, 2],
        window: vec![1, 2, 3],
        inserted: vec![0],
        // The entries of a vector are for dimensions 0, 2 and 1.
        map: vec![0, 2, 1],
        vector: 1,
        ..Scatter::default()
    }
    .check(F32, S32, &add(F32));
}

#[test]
fn updates_outside_are_left_out() {
    rows(&[4, 2, -1, 100]).check(S32, S32, &overwrite(S32));
    rows(&[-100, 1, 4]).check(F32, S64, &add(F32));
    rows(&[1 << 40, 1 - (1 << 40), (1 << 32) + 1]).check(F32, S64, &add(F32));
    rows(&[1 << 31, 3, u32::MAX.into()]).check(S32, U32, &add(S32));
    rows(&[200, 255, 2]).check(S32, U8, &overwrite(S32));
    rows(&[127, -128, 2]).check(S32, S8, &overwrite(S32));
    points(&[5, 2], &[-1, 1, 2, 4, 1, 1, 3, 0, 1, -1], 1).check(S32, S32, &add(S32));
}

#[test]
fn windows_that_are_partly_outside_are_dropped() {
    // The documents ask of each element whether its place is valid; XLA asks of the window.
    let vector = |positions: &[i64], size: usize| Scatter {
        operand: vec![7],
        indices: vec![positions.len(), 1],
        positions: positions.to_vec(),
        updates: vec![positions.len(), size],
        window: vec![1],
        map: vec![0],
        vector: 1,
        ..Scatter::default()
    };
    vector(&[5], 3).check(S32, S32, &overwrite(S32));
    vector(&[-2], 4).check(S32, S32, &overwrite(S32));
    vector(&[-1, 5, 2], 3).check(F32, S32, &add(F32));
    Scatter {
        operand: vec![4, 5],
        indices: vec![2, 2],
        positions: vec![3, -1, -1, 4],
        updates: vec![2, 2, 2],
        window: vec![1, 2],
        map: vec![0, 1],
        vector: 1,
        ..Scatter::default()
    }
    .check(S32, S32, &add(S32));
}

#[test]
fn no_updates_and_updates_of_nothing() {
    rows(&[]).check(F32, S32, &add(F32));
    points(&[0, 2], &[], 1).check(S32, S32, &overwrite(S32));
    Scatter { updates: vec![2, 0], ..rows(&[1, 2]) }.check(F32, S32, &add(F32));
    Scatter { operand: vec![4, 0], updates: vec![2, 0], ..rows(&[1, 2]) }.check(
        F32,
        S32,
        &add(F32),
    );
    Scatter { updates: vec![2, 3], ..rows(&[1, 2]) }.check(F32, S32, &add(F32));
}

#[test]
fn one_number_and_none() {
    let one = Scatter {
        operand: vec![4, 3],
        positions: vec![2],
        updates: vec![3],
        window: vec![0],
        inserted: vec![0],
        map: vec![0],
        ..Scatter::default()
    };
    one.check(F32, S32, &overwrite(F32));
    let element = Scatter { operand: vec![6], updates: vec![], window: vec![], ..one };
    element.check(F32, S32, &add(F32));
    Scatter { indices: vec![1], ..element.clone() }.check(F32, S32, &add(F32));
    // Into a scalar, which an empty vector points at.
    Scatter {
        operand: vec![],
        indices: vec![0],
        positions: vec![],
        inserted: vec![],
        map: vec![],
        ..element.clone()
    }
    .check(F32, S32, &add(F32));
    Scatter {
        operand: vec![],
        indices: vec![3, 0],
        positions: vec![],
        updates: vec![3],
        inserted: vec![],
        map: vec![],
        vector: 1,
        ..element
    }
    .check(S32, S32, &add(S32));
}
