//! Folds over many elements: in order, sums of floats block by block.
//!
//! Added one after the other, many numbers gather an error that grows with their number. Sums of blocks are added in pairs,
//! then the sums of pairs in pairs.

use std::cell::Cell;

use crate::{
    element::Element,
    error::Result,
    reduce::{Body, expect_count},
};

thread_local! {
    static IN_ORDER: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body` with all sums formed term after term, as one loop forms them, if `is_in_order`.
pub(crate) fn in_order<R>(is_in_order: bool, body: impl FnOnce() -> R) -> R {
    let before = IN_ORDER.replace(is_in_order);
    let result = body();
    IN_ORDER.set(before);
    result
}

/// Whether sums are formed term after term.
pub(crate) fn is_in_order() -> bool {
    IN_ORDER.get()
}

/// Elements that are folded one after the other.
const BLOCK: usize = 128;

/// Whether the order of a fold is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As written.
    Given,
    /// Sums of floats: blocks may be added by themselves.
    Blocks,
}

/// A fold in progress.
#[derive(Clone, Debug)]
pub struct Fold {
    order: Order,
    /// The result of the current block; the initial values are part of the first one.
    block: Vec<Element>,
    count: usize,
    /// Sums of 2^n blocks, the longest first.
    done: Vec<(u32, Vec<Element>)>,
}

impl Fold {
    /// An empty fold.
    pub fn new(initial: &[Element], order: Order) -> Self {
        Self { order, block: initial.to_vec(), count: 0, done: Vec::new() }
    }

    /// Takes in one element of each input.
    pub fn push(&mut self, elements: &[Element], body: &mut Body<'_>) -> Result<()> {
        if self.order == Order::Blocks && self.count == BLOCK {
            let mut sum = std::mem::replace(&mut self.block, elements.to_vec());
            let mut blocks = 0;
            while let Some((_, before)) = self.done.pop_if(|(of, _)| *of == blocks) {
                sum = combined(&before, &sum, body)?;
                blocks += 1;
            }
            self.done.push((blocks, sum));
            self.count = 1;
            return Ok(());
        }
        self.block = combined(&self.block, elements, body)?;
        self.count += 1;
        Ok(())
    }

    /// What all elements came to.
    pub fn value(&self, body: &mut Body<'_>) -> Result<Vec<Element>> {
        let done = self.done.iter().rev();
        done.map(|(_, sum)| sum)
            .try_fold(self.block.clone(), |sum, before| combined(before, &sum, body))
    }
}

fn combined(sums: &[Element], elements: &[Element], body: &mut Body<'_>) -> Result<Vec<Element>> {
    let combined = body(&[sums, elements].concat())?;
    expect_count(&combined, sums.len())?;
    Ok(combined)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::EvalError;

    /// The sum of `count` values in `f32`.
    fn sum(count: usize, value: f32, order: Order) -> f32 {
        let add: &mut Body<'_> = &mut |arguments| match arguments {
            [Element::Float(a), Element::Float(b)] => {
                Ok(vec![Element::Float(f64::from((a + b) as f32))])
            }
            _ => Err(EvalError::invalid("two floats")),
        };
        let mut fold = Fold::new(&[Element::Float(0.0)], order);
        for _ in 0..count {
            fold.push(&[Element::Float(f64::from(value))], add).unwrap();
        }
        match fold.value(add).unwrap()[..] {
            [Element::Float(sum)] => sum as f32,
            _ => f32::NAN,
        }
    }

    #[test]
    fn blocks_are_added_in_pairs() {
        let (in_order, in_blocks) = (Order::Given, Order::Blocks);
        assert_eq!(sum(100, 0.1, in_blocks), sum(100, 0.1, in_order));
        assert_eq!(sum(0, 0.1, in_blocks), 0.0);
        for count in [127, 128, 129, 255, 256, 257, 1000] {
            assert_eq!(sum(count, 1.0, in_blocks), count as f32);
        }
        assert!((sum(100_000, 0.1, in_blocks) - 10_000.0).abs() < 0.01);
        assert!((sum(100_000, 0.1, in_order) - 10_000.0).abs() > 1.0);
    }
}
