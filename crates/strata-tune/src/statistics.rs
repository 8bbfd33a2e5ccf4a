//! Whether one of two is faster, from interleaved rounds.

/// A value that a quarter of the values are below; NaN of none. Other work on a machine makes a round longer, never shorter, so that the
/// short ones say more of the object; the shortest is one value, which may be a mistake of the clock.
pub fn lower_quartile(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 4).copied().unwrap_or(f64::NAN)
}

/// Two objects, compared in rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// How many times as fast the second is: the ratio of the lower quartiles of the rounds.
    pub ratio: f64,
    /// The probability that the second is faster in as many rounds by chance, where both are as fast: the sign test.
    pub faster_by_chance: f64,
    /// The same for slower.
    pub slower_by_chance: f64,
}

impl Compared {
    /// Compares column `second` of the rounds with column `first`.
    pub fn of(rounds: &[Vec<f64>], first: usize, second: usize) -> Self {
        let ratio = |round: &Vec<f64>| Some(round.get(first)? / round.get(second)?);
        let ratios: Vec<f64> = rounds.iter().filter_map(ratio).collect();
        let of = |column: usize| {
            lower_quartile(rounds.iter().filter_map(|round| round.get(column).copied()).collect())
        };
        let faster = ratios.iter().filter(|ratio| **ratio > 1.0).count();
        let slower = ratios.iter().filter(|ratio| **ratio < 1.0).count();
        Self {
            faster_by_chance: tail(faster + slower, faster),
            slower_by_chance: tail(faster + slower, slower),
            ratio: of(first) / of(second),
        }
    }

    /// Whether the second is faster by this ratio at least, and not by chance.
    pub fn is_faster(&self, by: f64) -> bool {
        self.ratio >= by && self.faster_by_chance < CHANCE
    }

    /// Whether the second is slower, and not by chance.
    pub fn is_slower(&self) -> bool {
        self.ratio < 1.0 && self.slower_by_chance < CHANCE
    }
}

/// What counts as chance.
const CHANCE: f64 = 0.02;

/// The probability of at least `hits` heads in `throws` of a coin.
fn tail(throws: usize, hits: usize) -> f64 {
    let mut all = vec![1.0_f64];
    for _ in 0..throws {
        let mut next = vec![0.0; all.len() + 1];
        for (at, part) in all.iter().enumerate() {
            next[at] += part / 2.0;
            next[at + 1] += part / 2.0;
        }
        all = next;
    }
    all.iter().skip(hits).sum()
}

#[cfg(test)]
mod tests {
    use super::{Compared, lower_quartile, tail};

    #[test]
    fn the_sign_test_is_that_of_a_coin() {
        assert_eq!(tail(0, 0), 1.0);
        assert_eq!(tail(3, 3), 0.125);
        assert_eq!(tail(4, 3), 5.0 / 16.0);
        assert!((tail(11, 10) - 12.0 / 2048.0).abs() < 1e-12);
    }

    #[test]
    fn a_ratio_needs_enough_rounds() {
        let rounds = |count: usize| vec![vec![2.0, 1.0]; count];
        assert!(!Compared::of(&rounds(5), 0, 1).is_faster(1.0));
        assert!(Compared::of(&rounds(6), 0, 1).is_faster(1.9));
        assert!(!Compared::of(&rounds(6), 0, 1).is_faster(2.1));
        assert!(Compared::of(&rounds(6), 1, 0).is_slower());
        let equal = Compared::of(&vec![vec![1.0, 1.0]; 20], 0, 1);
        assert!(!equal.is_faster(1.0) && !equal.is_slower());
        assert!(lower_quartile(Vec::new()).is_nan());
        assert_eq!(lower_quartile(vec![4.0, 1.0]), 1.0);
        assert_eq!(lower_quartile(vec![5.0, 1.0, 4.0, 2.0, 3.0]), 2.0);
    }

    /// Other work that makes half of the rounds of the faster one three times as long does not hide that it is faster.
    #[test]
    fn long_rounds_do_not_count() {
        let rounds: Vec<_> =
            (0..41).map(|at| vec![1.1, if at % 2 == 0 { 1.0 } else { 3.0 }]).collect();
        let compared = Compared::of(&rounds, 0, 1);
        assert!((compared.ratio - 1.1).abs() < 1e-9, "{compared:?}");
        // Nor do they count as faster by more than chance: half of the rounds are not.
        assert!(!compared.is_faster(1.0), "{compared:?}");
    }
}
