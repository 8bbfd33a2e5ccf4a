//! Text of programs, for terminals.

/// The text with control characters, and those that reverse its direction, escaped as in Rust: names and places of a program may
/// contain anything.
pub fn printable(text: &str) -> String {
    let reverses = |c| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let show = |c: char| match c.is_control() || reverses(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(printable("a\nb\u{1b}[31m\0\u{202e}c"), "a\\nb\\u{1b}[31m\\u{0}\\u{202e}c");
        assert_eq!(printable("größe"), "größe");
    }
}
