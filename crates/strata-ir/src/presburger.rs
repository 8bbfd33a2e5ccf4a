//! Linear inequalities over integers, solved by MLIR's Presburger library.

// Defined in dialects/capi.
unsafe extern "C" {
    fn strataHasIntegerSolution(unknowns: isize, rows: *const i64, count: isize) -> bool;
}

/// Whether there are integers for which each row is 0 or more: the sum of their products with its coefficients, and of the number after
/// these. Rows have one coefficient for each unknown.
///
/// # Panics
/// If a row has another length.
pub fn has_solution(unknowns: usize, rows: &[Vec<i64>]) -> bool {
    assert!(rows.iter().all(|row| row.len() == unknowns + 1), "a row has another length");
    let all = rows.concat();
    // SAFETY: the function reads as many numbers as the rows have, by the lengths that were checked, and keeps none.
    unsafe { strataHasIntegerSolution(unknowns as isize, all.as_ptr(), rows.len() as isize) }
}

#[cfg(test)]
mod tests {
    use super::has_solution;

    #[test]
    fn solutions_are_integers() {
        // 2*x is 1, or 2.
        let twice = |number: i64| vec![vec![2, -number], vec![-2, number]];
        assert!(!has_solution(1, &twice(1)));
        assert!(has_solution(1, &twice(2)));
        // x - 7*q is between 7 and 13, whatever x is; and so is x for q = 0.
        let quotient = vec![vec![1, -7, -7], vec![-1, 7, 13], vec![0, 1, 0], vec![0, -1, 0]];
        assert!(has_solution(2, &quotient));
        assert!(!has_solution(2, &[quotient, vec![vec![-1, 0, 6]]].concat()));
        assert!(has_solution(0, &[]));
        assert!(!has_solution(0, &[vec![-1]]));
    }
}
