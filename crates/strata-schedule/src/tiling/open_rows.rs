//! Rows of register tiles where a call says how many rows are computed.

use strata_target::tuning::tiling::{
    MAX_OPEN_NARROW_ROWS, MAX_OPEN_TILE_ROWS, MIN_OPEN_TILE_ROWS, ROWS_TRIED,
};

/// Numbers of rows that code for up to `m` rows is called with.
pub fn numbers(m: i64) -> Vec<i64> {
    (1..=m).step_by((m / ROWS_TRIED).max(1) as usize).collect()
}

/// The rows that a tile of so many vectors may have, `most` at most, the largest first: only a loop of several tiles ends at a size, and a
/// single row after the last whole tile of `m` rows is computed in any case.
pub fn of_tiles(m: i64, vectors: i64, most: i64) -> Vec<i64> {
    let is_right = |rows: &i64| (2 * rows <= m && m % rows != 1) || *rows == 1;
    let most = most.min(if vectors == 1 { MAX_OPEN_NARROW_ROWS } else { MAX_OPEN_TILE_ROWS });
    let wanted: Vec<i64> = (MIN_OPEN_TILE_ROWS..=most).rev().filter(is_right).collect();
    match wanted.is_empty() {
        true => (1..MIN_OPEN_TILE_ROWS.min(most + 1)).rev().find(is_right).into_iter().collect(),
        false => wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_over_tiles_of_rows_ends_at_each_size() {
        assert_eq!([3, 4, 5, 6, 7, 8, 9].map(|m| of_tiles(m, 4, 16)[0]), [1, 2, 1, 3, 1, 4, 3]);
        assert_eq!((of_tiles(12, 4, 16), of_tiles(12, 4, 5)), (vec![6, 5, 4], vec![5, 4]));
        assert_eq!([of_tiles(64, 1, 16)[0], of_tiles(64, 2, 16)[0]], [8, 6]);
        for m in 1..200 {
            for most in 1..10 {
                let all = of_tiles(m, 1 + most % 2, most);
                assert!(!all.is_empty(), "{m}");
                for rows in all {
                    assert!(
                        rows == 1 || rows <= most && m / rows > 1 && m % rows != 1,
                        "{m} {rows}"
                    );
                }
            }
        }
    }
}
