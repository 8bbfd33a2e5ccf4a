//! One object, grids of several sizes.
//!
//! ```sh
//! strata compile grid.mlir -o grid.o --rust grid.rs --max x.1=100
//! rustc --edition 2024 calls_grid.rs -C link-arg=grid.o -C link-arg=-lm && ./calls_grid
//! ```

mod grid;

fn main() {
    let mut workspace = grid::Workspace::boxed();
    for rows in (0..=40).step_by(5) {
        for columns in (0..=100).step_by(3) {
            let (x, y) = (vec![2.0; rows * columns], vec![3.0; rows * columns]);
            let mut z = vec![0.0; rows * columns];
            grid::grid_main(rows, columns, &x, &y, &mut z, &mut workspace).expect("they fit");
            assert!(z.iter().all(|one| *one == 9.0));
            // Slices of another length, and sizes above the bound, are refused.
            let refused = grid::grid_main(rows + 1, columns + 1, &x, &y, &mut z, &mut workspace);
            assert_eq!(refused, Err(10));
            assert_eq!(grid::grid_main(0, 101, &[], &[], &mut [], &mut workspace), Err(10));
            let huge = grid::grid_main(usize::MAX, columns, &x, &y, &mut z, &mut workspace);
            assert_eq!(huge, Err(10));
        }
    }
}
