//! Which sizes have code of their own.

/// Up to this each size has code of its own: loops that end at the size still compute whole tiles.
const LARGEST_SMALL: u64 = 8;

/// The same of programs that work on windows, whose loops compute the rows of a call only: small images are padding for the most part.
const FEW_SMALL: u64 = 4;

/// How far sizes with code of their own are apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, …
    Halves,
    /// 1, 2, 3, 4, 5, 6, 7, 8 and the largest.
    Small,
    /// 1, 2, 3, 4 and the largest.
    Few,
    /// 1 and the largest.
    Ends,
    /// The largest.
    Largest,
}

impl Steps {
    /// The sizes below the largest one.
    pub(super) fn sizes(self, most: u64) -> impl Iterator<Item = u64> {
        let (small, first) = match self {
            Self::Halves => (LARGEST_SMALL, LARGEST_SMALL),
            Self::Small => (LARGEST_SMALL, most),
            Self::Few => (FEW_SMALL, most),
            Self::Ends => (1, most),
            Self::Largest => (0, most),
        };
        let powers = std::iter::successors(Some(first), move |size: &u64| size.checked_mul(2));
        let between = move |size: u64| match self {
            Self::Halves => vec![size, size + size / 2],
            _ => vec![size],
        };
        let powers = powers.take_while(move |size| *size < most).flat_map(between);
        (1..=small).chain(powers).filter(move |size| *size < most)
    }
}
