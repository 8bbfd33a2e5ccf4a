//! Sums of samples by operation, line, nest and so on.

use std::collections::BTreeMap;

/// The samples of a thing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Where a sample is of several things, each has an equal part of it.
    pub samples: f64,
    /// How much of it are such parts.
    pub split: f64,
}

/// The samples of several things of a kind.
#[derive(Clone, Debug)]
pub struct Shares<K>(BTreeMap<K, Share>);

impl<K> Default for Shares<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Clone> Shares<K> {
    /// Adds samples that are of one of `things`, none of them twice.
    pub fn add(&mut self, things: &[K], samples: u64) {
        let part = samples as f64 / things.len() as f64;
        for thing in things {
            let share = self.0.entry(thing.clone()).or_default();
            share.samples += part;
            if things.len() > 1 {
                share.split += part;
            }
        }
    }

    /// All of them, the largest first; equal ones in their order.
    pub fn ranked(&self) -> Vec<(K, Share)> {
        let mut all: Vec<_> = self.0.iter().map(|(thing, share)| (thing.clone(), *share)).collect();
        all.sort_by(|(_, one), (_, other)| other.samples.total_cmp(&one.samples));
        all
    }
}

/// By how much a share of so many samples may be wrong: half the width of the interval that holds the true one in 95 of 100 profiles.
///
/// Wilson's: also where no or all samples are of the thing, the width is not zero.
pub fn error(share: f64, samples: f64) -> f64 {
    const Z: f64 = 1.96;
    let square = Z * Z / samples;
    Z / (1.0 + square) * (share * (1.0 - share) / samples + square / (4.0 * samples)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{Share, Shares, error};

    #[test]
    fn parts_of_samples_add_up() {
        let mut shares = Shares::default();
        shares.add(&["a"], 3);
        shares.add(&["a", "b"], 4);
        shares.add(&["c"], 2);
        let share = |samples, split| Share { samples, split };
        assert_eq!(
            shares.ranked(),
            [("a", share(5.0, 2.0)), ("b", share(2.0, 2.0)), ("c", share(2.0, 0.0))]
        );
    }

    #[test]
    fn errors_fall_with_the_number_of_samples() {
        assert!((error(0.5, 10_000.0) - 0.0098).abs() < 1e-4);
        assert!(error(0.5, 100.0) > 9.0 * error(0.5, 10_000.0));
        assert!(error(0.0, 100.0) > 0.01 && error(1.0, 100.0) > 0.01);
    }
}
