//! The bytes of an object, of which most may be constants that are in memory already.

use std::{ops::Deref, sync::OnceLock};

use strata_ir::HeldBytes;

/// Bytes in pieces.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    pieces: Vec<HeldBytes>,
    length: usize,
    joined: OnceLock<Vec<u8>>,
}

impl Pieces {
    pub(crate) fn push(&mut self, piece: HeldBytes) {
        if !piece.is_empty() {
            self.length += piece.len();
            self.pieces.push(piece);
        }
    }

    /// The pieces, which follow each other.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(|piece| &piece[..])
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// All in one, which is a copy of several pieces, made once.
    pub fn joined(&self) -> &[u8] {
        match self.pieces.as_slice() {
            [] => &[],
            [one] => one,
            several => self.joined.get_or_init(|| {
                let mut bytes = Vec::with_capacity(self.length);
                several.iter().for_each(|piece| bytes.extend_from_slice(piece));
                bytes
            }),
        }
    }
}

impl Deref for Pieces {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.joined()
    }
}

impl From<Vec<u8>> for Pieces {
    fn from(bytes: Vec<u8>) -> Self {
        let mut pieces = Self::default();
        pieces.push(bytes.into());
        pieces
    }
}
