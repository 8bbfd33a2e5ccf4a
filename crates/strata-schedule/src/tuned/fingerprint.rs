//! What a nest is recognised by.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use strata_target::Target;

/// A hash of what a nest computes, of how its operands are laid out and which are constants, and of the target: 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Of a nest whose text, without locations and names of the program, is `text`.
    pub(crate) fn of(text: &str, target: &Target) -> Self {
        let Target { triple, cpu, features, isa, dot_features, l1_bytes, l2_bytes } = target;
        let machine =
            format!("{triple} {cpu} {features} {isa:?} {dot_features:?} {l1_bytes} {l2_bytes}\n");
        Self(fnv1a(machine.bytes().chain(text.bytes())))
    }
}

/// The 128-bit FNV-1a hash: the same for every build and machine, unlike the standard library's.
fn fnv1a(bytes: impl Iterator<Item = u8>) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let step = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step)
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        match u128::from_str_radix(text, 16) {
            Ok(hash) if text.len() == 32 && text.bytes().all(is_digit) => Ok(Self(hash)),
            _ => Err(format!(
                "`{text}` is not the fingerprint of a nest: 32 digits from 0 to 9 and a to f"
            )),
        }
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(print: Fingerprint) -> Self {
        print.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Fingerprint, fnv1a};

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv1a(b"".iter().copied()), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(fnv1a(b"a".iter().copied()), 0xd228cb696f1a8caf78912b704e4a8964);
    }

    #[test]
    fn only_32_digits_are_one() {
        let text = "00000000000000000000000000000abc";
        assert_eq!(text.parse::<Fingerprint>().expect("32 digits").to_string(), text);
        for wrong in ["", "abc", &text[1..], &text.to_uppercase(), &format!("+{}", &text[1..])] {
            assert!(wrong.parse::<Fingerprint>().is_err(), "{wrong}");
        }
    }
}
