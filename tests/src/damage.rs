//! Damaged files: numbered, so that each can be made again.

/// Steele and Vigna's generator for seeds: every number gives another sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }
}

/// Mutation `number` of one of `files`.
pub fn damaged(files: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut random = Random(number);
    let file = random.below(files.len());
    files.get(file).map(|bytes| damaged_by(bytes, &mut random)).unwrap_or_default()
}

/// One of: a few bits flipped, bytes replaced, the end cut off, a part taken out, doubled or overwritten with zeros, small numbers
/// of the encoding exchanged for others.
fn damaged_by(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    let at = random.below(bytes.len());
    let length = random.below(32).min(bytes.len() - at);
    match random.below(7) {
        0 => {
            for _ in 0..=random.below(4) {
                let place = random.below(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
        }
        1 => {
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len());
                bytes[place] = random.next() as u8;
            }
        }
        2 => bytes.truncate(at),
        3 => {
            bytes.drain(at..at + length);
        }
        4 => {
            let part = bytes[at..at + length].to_vec();
            bytes.splice(at..at, part);
        }
        5 => bytes[at..at + length].fill(0),
        _ => {
            // A number of one byte is odd: everything after it keeps its position.
            for _ in 0..=random.below(3) {
                let start = random.below(bytes.len());
                if let Some(byte) = bytes[start..].iter_mut().find(|byte| **byte & 1 == 1) {
                    *byte = (random.below(40) as u8) << 1 | 1;
                }
            }
        }
    }
    bytes
}
