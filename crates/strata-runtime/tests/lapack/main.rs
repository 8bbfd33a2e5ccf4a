//! Every target, called through its C interface: the factors give the matrix again.

mod call;
mod eigen;
mod factor;
mod small;
mod solve;

use strata_runtime::TARGETS;

#[test]
fn the_targets_are_sorted() {
    assert!(TARGETS.windows(2).all(|pair| pair[0].0 < pair[1].0));
}
