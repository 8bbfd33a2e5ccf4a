//! Text of programs, for terminals.

/// The text with control characters, and those that cannot be seen or change how others are shown, escaped as in Rust: names and places
/// of a program may contain anything.
pub fn printable(text: &str) -> String {
    let show = |c: char| match c.is_control() || is_hidden(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(show).collect()
}

/// Whether a character has no width, or is about the direction or the lines of what is around it.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(printable("a\nb\u{1b}[31m\0\u{202e}c"), "a\\nb\\u{1b}[31m\\u{0}\\u{202e}c");
        assert_eq!(printable("größe"), "größe");
        assert_eq!(printable("a\u{200b}b\u{2028}\u{feff}c"), "a\\u{200b}b\\u{2028}\\u{feff}c");
        // Letters of scripts that are written from right to left are letters.
        assert_eq!(printable("שלום 名 é"), "שלום 名 é");
    }
}
