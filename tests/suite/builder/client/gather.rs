//! Slices gathered from an array, compared with the documents' rule for every index of the result.

use strata_builder::{
    BF16, ElementType, F32, GatherDimensionNumbers, Literal, PRED, S8, S32, S64, U8, U32, U64,
};

use super::{super::build, Array, check, check_arrays};

/// A gather in short: lists as the documents name them.
#[derive(Clone, Debug, Default)]
struct Gather {
    operand: Vec<usize>,
    indices: Vec<usize>,
    /// The indices themselves, in order.
    positions: Vec<i64>,
    offset: Vec<usize>,
    collapsed: Vec<usize>,
    batching: Vec<usize>,
    indices_batching: Vec<usize>,
    start_map: Vec<usize>,
    vector: usize,
    slice: Vec<usize>,
}

impl Gather {
    fn numbers(&self) -> GatherDimensionNumbers {
        GatherDimensionNumbers {
            offset_dims: super::signed(&self.offset),
            collapsed_slice_dims: super::signed(&self.collapsed),
            operand_batching_dims: super::signed(&self.batching),
            start_indices_batching_dims: super::signed(&self.indices_batching),
            start_index_map: super::signed(&self.start_map),
            index_vector_dim: self.vector as i64,
        }
    }

    fn index_array(&self) -> Array {
        let values = self.positions.iter().map(|place| *place as f64).collect();
        Array { sizes: self.indices.clone(), values }
    }

    fn of(&self, x: &Array) -> Array {
        let indices = self.index_array();
        let mut batch: Vec<usize> = self.indices.clone();
        if self.vector < batch.len() {
            batch.remove(self.vector);
        }
        let is_left = |at: &usize| !self.collapsed.contains(at) && !self.batching.contains(at);
        let kept: Vec<usize> = (0..x.sizes.len()).filter(is_left).collect();
        let rank = batch.len() + kept.len();
        let batch_dims: Vec<usize> = (0..rank).filter(|at| !self.offset.contains(at)).collect();
        let mut sizes = vec![0; rank];
        batch_dims.iter().zip(&batch).for_each(|(at, size)| sizes[*at] = *size);
        self.offset.iter().zip(&kept).for_each(|(at, own)| sizes[*at] = self.slice[*own]);
        Array::of(&sizes, |index| {
            let of_batch: Vec<usize> = batch_dims.iter().map(|at| index[*at]).collect();
            let mut own = vec![0; x.sizes.len()];
            for (part, dimension) in self.start_map.iter().enumerate() {
                let mut from = of_batch.clone();
                if self.vector < self.indices.len() {
                    from.insert(self.vector, part);
                }
                let last = (x.sizes[*dimension] - self.slice[*dimension]) as f64;
                own[*dimension] = indices.at(&from).clamp(0.0, last) as usize;
            }
            for (dimension, from) in self.batching.iter().zip(&self.indices_batching) {
                let from = if *from < self.vector { *from } else { from - 1 };
                own[*dimension] = of_batch[from];
            }
            kept.iter().zip(&self.offset).for_each(|(dimension, at)| own[*dimension] += index[*at]);
            x.at(&own)
        })
    }

    fn check(&self, element: ElementType, index: ElementType) {
        let x = Array::mixed(&self.operand, if element == PRED { 0..2 } else { 0..101 });
        let indices = self.index_array();
        let program = build(|b| {
            let x = x.parameter(b, element, "x");
            let at = indices.parameter(b, index, "indices");
            x.gather(at, &self.numbers(), &super::signed(&self.slice), false)
        });
        let arguments = [x.literal(element), indices.literal(index)];
        check((element, index, self), &program, &arguments, &[self.of(&x).literal(element)]);
    }
}

/// Rows of a matrix by number.
fn rows(positions: &[i64]) -> Gather {
    Gather {
        operand: vec![4, 5],
        indices: vec![positions.len()],
        positions: positions.to_vec(),
        offset: vec![1],
        collapsed: vec![0],
        start_map: vec![0],
        vector: 1,
        slice: vec![1, 5],
        ..Gather::default()
    }
}

/// Slices along the last dimension at points of the first two.
fn points(indices: &[usize], positions: &[i64], vector: usize) -> Gather {
    Gather {
        operand: vec![3, 4, 2],
        indices: indices.to_vec(),
        positions: positions.to_vec(),
        offset: vec![1],
        collapsed: vec![0, 1],
        start_map: vec![0, 1],
        vector,
        slice: vec![1, 1, 2],
        ..Gather::default()
    }
}

#[test]
fn rows_by_number() {
    for positions in [&[0, 2][..], &[3, 3, 1, 0, 2, 3], &[2], &[]] {
        rows(positions).check(F32, S32);
    }
}

#[test]
fn columns_by_number() {
    for positions in [&[0, 2][..], &[4, 1, 1, 3]] {
        Gather {
            offset: vec![0],
            collapsed: vec![1],
            start_map: vec![1],
            slice: vec![4, 1],
            ..rows(positions)
        }
        .check(S32, S32);
    }
}

#[test]
fn columns_by_a_matrix_of_numbers() {
    // The kept dimension comes before, between and after those of the indices.
    for offset in 0..3 {
        Gather {
            indices: vec![2, 3],
            positions: vec![0, 2, 4, 1, 1, 3],
            offset: vec![offset],
            collapsed: vec![1],
            start_map: vec![1],
            vector: 2,
            slice: vec![4, 1],
            ..rows(&[])
        }
        .check(S32, S64);
    }
}

#[test]
fn points_by_vectors_of_numbers() {
    points(&[3, 2], &[0, 1, 2, 3, 1, 0], 1).check(F32, S32);
    // The vectors come first.
    points(&[2, 3], &[0, 2, 1, 3, 0, 1], 0).check(F32, S32);
    points(&[2], &[2, 1], 0).offset_at(0).check(S32, S32);
    let cube = points(&[2, 2, 3], &[0, 1, 2, 2, 1, 0, 3, 1, 0, 0, 2, 3], 1);
    Gather { offset: vec![2], ..cube }.check(S32, S32);
}

impl Gather {
    fn offset_at(self, at: usize) -> Self {
        Self { offset: vec![at], ..self }
    }
}

#[test]
fn vectors_whose_entries_go_to_dimensions_in_another_order() {
    let plain = points(&[3, 2], &[1, 2, 3, 0, 0, 1], 1);
    Gather { start_map: vec![1, 0], ..plain.clone() }.check(F32, S32);
    // Only the middle dimension has a start.
    Gather {
        indices: vec![3, 1],
        positions: vec![2, 0, 3],
        offset: vec![0, 2],
        collapsed: vec![1],
        start_map: vec![1],
        slice: vec![3, 1, 1],
        ..plain
    }
    .check(F32, S32);
}

#[test]
fn blocks_at_one_place_and_at_several() {
    let one = Gather {
        operand: vec![5, 6],
        indices: vec![2],
        positions: vec![1, 3],
        offset: vec![0, 1],
        start_map: vec![0, 1],
        vector: 0,
        slice: vec![2, 3],
        ..Gather::default()
    };
    one.check(S32, S32);
    Gather { slice: vec![1, 1], ..one.clone() }.check(S32, S32);
    Gather { positions: vec![4, 5], ..one.clone() }.check(S32, S32);
    let several = Gather { indices: vec![2, 3], positions: vec![3, 0, 1, 2, 9, -4], ..one };
    // The block's dimensions around those of the indices, and after them.
    Gather { offset: vec![0, 2], ..several.clone() }.check(S32, S32);
    Gather { offset: vec![1, 2], ..several }.check(S32, S8);
}

#[test]
fn starts_outside_are_moved_inside() {
    rows(&[4, -1, 100, -100, 3]).check(F32, S32);
    rows(&[i64::from(i32::MAX), i64::from(i32::MIN), 1]).check(F32, S32);
    rows(&[1 << 40, -(1 << 40), 2]).check(F32, S64);
    rows(&[4, 1 << 31, 0]).check(F32, U32);
    rows(&[200, 255, 2]).check(F32, U8);
    rows(&[127, -128, 2]).check(F32, S8);
    points(&[4, 2], &[-1, 1, 2, 9, 7, -7, 1, 2], 1).check(S32, S32);
    points(&[2, 2], &[1 << 31, 1, 1, u32::MAX.into()], 1).check(S32, U32);
}

#[test]
fn starts_of_a_type_too_narrow_for_the_last_place() {
    let long = |positions: &[i64]| Gather {
        operand: vec![300],
        indices: vec![positions.len(), 1],
        positions: positions.to_vec(),
        offset: vec![1],
        start_map: vec![0],
        vector: 1,
        slice: vec![4],
        ..Gather::default()
    };
    long(&[255, 0, 200]).check(S32, U8);
    long(&[127, -128, -1, 5]).check(S32, S8);
    long(&[400, 296, 295, -3]).check(S32, S32);
}

#[test]
fn unsigned_starts_beyond_all_signed_ones() {
    let program = build(|b| {
        let numbers = rows(&[0; 3]).numbers();
        b.parameter(S32, [4, 5], "x").gather(b.parameter(U64, [3], "at"), &numbers, &[1, 5], false)
    });
    let x = Array::mixed(&[4, 5], -60..61);
    let expected = Array::of(&[3, 5], |index| x.at(&[[3, 1, 3][index[0]], index[1]]));
    let at = Literal::from([u64::MAX, 1, 1 << 63]);
    check("u64", &program, &[x.literal(S32), at], &[expected.literal(S32)]);
}

#[test]
fn slices_of_nothing() {
    // An empty result from empty slices, and from no indices.
    Gather { slice: vec![1, 0], ..rows(&[0, 2]) }.check(F32, S32);
    Gather { operand: vec![4, 0], slice: vec![1, 0], ..rows(&[1, 3]) }.check(F32, S32);
    points(&[0, 2], &[], 1).check(F32, S32);
    Gather { indices: vec![0, 3], vector: 2, offset: vec![2], ..rows(&[]) }.check(F32, S32);
}

#[test]
fn one_number_picks_a_slice_or_an_element() {
    let one = Gather {
        operand: vec![4, 3],
        indices: vec![],
        positions: vec![2],
        offset: vec![0],
        collapsed: vec![0],
        start_map: vec![0],
        vector: 0,
        slice: vec![1, 3],
        ..Gather::default()
    };
    one.check(F32, S32);
    Gather { offset: vec![0, 1], collapsed: vec![], slice: vec![2, 2], ..one.clone() }
        .check(F32, S32);
    Gather { operand: vec![6], offset: vec![], slice: vec![1], ..one.clone() }.check(F32, S32);
    Gather { operand: vec![6], indices: vec![1], offset: vec![], slice: vec![1], ..one }
        .check(F32, S64);
}

#[test]
fn dimensions_that_operand_and_indices_share() {
    // For each of two batches, separate indices into separate rows.
    let batched = Gather {
        operand: vec![2, 5, 3],
        indices: vec![2, 4, 1],
        positions: vec![0, 3, 3, 1, 4, 9, -2, 2],
        offset: vec![2],
        collapsed: vec![1],
        batching: vec![0],
        indices_batching: vec![0],
        start_map: vec![1],
        vector: 2,
        slice: vec![1, 1, 3],
    };
    batched.check(F32, S32);
    // The shared dimension is the indices' second one, after the vectors.
    Gather {
        indices: vec![1, 3, 2],
        positions: vec![0, 4, 1, 2, 3, 0],
        indices_batching: vec![2],
        vector: 0,
        ..batched.clone()
    }
    .check(S32, S32);
    // Two shared dimensions, crossed.
    Gather {
        operand: vec![2, 3, 6],
        indices: vec![3, 2, 1],
        positions: vec![0, 5, 1, 4, 2, 3],
        collapsed: vec![],
        batching: vec![0, 1],
        indices_batching: vec![1, 0],
        start_map: vec![2],
        slice: vec![1, 1, 2],
        ..batched
    }
    .check(S32, S32);
}

#[test]
fn element_types_that_are_gathered() {
    for element in [PRED, S8, U8, BF16, S64, strata_builder::F64] {
        rows(&[3, 0, 7, 2]).check(element, S32);
    }
}

#[test]
fn gathers_between_other_operations() {
    // Indices that are computed, of an operand that is computed, into a sum.
    let (x, at) = (Array::mixed(&[4, 5], -9..10), Array::of(&[3], |index| (index[0] * 2) as f64));
    let picked = |index: &[usize]| [3, 1, 0][index[0]];
    let expected = Array::of(&[3, 5], |index| {
        let row = picked(index);
        2.0 * x.at(&[row, index[1]]) + x.at(&[index[0], index[1]])
    });
    check_arrays(
        "between",
        S32,
        &[&x, &at],
        |b, p| {
            // 0, 2, 4 become 3, 1, and -1, which is moved to 0.
            let at = b.constant([3_i32; 3]).sub(&p[1])?;
            let picked = (&p[0] * 2)?.gather(at, &rows(&[0; 3]).numbers(), &[1, 5], false)?;
            picked + p[0].slice(&[0, 0], &[3, 5], &[])?
        },
        &expected,
    );
}

#[test]
fn a_row_of_a_row_that_was_gathered() {
    let x = Array::of(&[5, 5], |index| ((index[0] * 3 + index[1] * 2 + 1) % 5) as f64);
    let numbers = rows(&[0; 5]).numbers();
    let first = Array::of(&[5], |index| x.at(&[2, index[0]]));
    let expected = Array::of(&[5, 5], |index| x.at(&[first.at(&index[..1]) as usize, index[1]]));
    check_arrays(
        "twice",
        S32,
        &[&x],
        |_, p| {
            let first = p[0].slice(&[2, 0], &[3, 5], &[])?.reshape(&[5])?;
            p[0].gather(first, &numbers, &[1, 5], false)
        },
        &expected,
    );
}
