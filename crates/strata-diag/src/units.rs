//! Numbers for people: separators, units, and lines of a width. What programs read has plain numbers.

use unicode_width::UnicodeWidthStr;

/// With separators: `2,231,852`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three digits and a unit: `2.23 MFLOP` for 2,231,852 of `FLOP`. Below 1,000 the number itself; without a unit, `2.23 M`.
pub fn scaled(number: u64, unit: &str) -> String {
    let (value, prefix) = reduced(number as f64, 1000.0, &["", "k", "M", "G", "T", "P", "E"]);
    let value = if prefix.is_empty() { number.to_string() } else { three_digits(value) };
    format!("{value} {prefix}{unit}").trim_end().to_owned()
}

/// Bytes in three digits: `512 bytes`, `1.25 MiB`.
pub fn bytes(number: u64) -> String {
    let names = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    match reduced(number as f64, 1024.0, &names) {
        _ if number == 1 => "1 byte".to_owned(),
        (_, "bytes") => format!("{number} bytes"),
        (value, name) => format!("{} {name}", three_digits(value)),
    }
}

/// Bytes in three digits, and exactly: `1.25 MiB (1,310,720 bytes)`.
pub fn exact_bytes(number: u64) -> String {
    match number {
        0..1024 => bytes(number),
        _ => format!("{} ({} bytes)", bytes(number), grouped(number)),
    }
}

/// A measured time with three decimals: `2.500 µs`.
pub fn time(seconds: f64) -> String {
    let (scale, unit) = time_unit(seconds);
    format!("{:.3} {unit}", seconds * scale)
}

/// An estimated time in three digits: `676 µs`.
pub fn rough_time(seconds: f64) -> String {
    // What is rounded up to 1000 has the next unit.
    let (scale, unit) = time_unit(seconds * 1.0005);
    format!("{} {unit}", three_digits(seconds * scale))
}

/// The unit of a time, and how many there are of it in a second.
fn time_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        s if s >= 1.0 => (1.0, "s"),
        s if s >= 1e-3 => (1e3, "ms"),
        s if s >= 1e-6 => (1e6, "µs"),
        _ => (1e9, "ns"),
    }
}

/// Divides by `base` until fewer than that are left.
fn reduced(mut value: f64, base: f64, names: &[&'static str]) -> (f64, &'static str) {
    let mut names = names.iter();
    let mut name = names.next().copied().unwrap_or_default();
    // What is rounded up to the base has the next name. Numbers below the base are exact.
    while let Some(next) = (value >= base - 0.5).then(|| names.next()).flatten() {
        (value, name) = (value / base, next);
    }
    (value, name)
}

fn three_digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// Columns that a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Blanks added after a text, or before one that is to be `at_right`, up to a number of columns.
pub fn padded(text: &str, columns: usize, at_right: bool) -> String {
    let blanks = " ".repeat(columns.saturating_sub(text.width()));
    if at_right { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
}

/// Breaks a line between words where it would be wider than `width`; what follows a break is indented by `indent`. A word that is
/// wider by itself is not broken.
pub fn wrapped(line: &str, width: usize, indent: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut text = String::new();
    // The columns that are taken, and those that had no word yet.
    let (mut taken, mut blank) = (0, 0);
    for word in line.split_inclusive(' ') {
        let own = word.trim_end_matches(' ').width();
        if taken + own > width && taken > blank {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            (taken, blank) = (indent, indent);
        }
        text.push_str(word);
        taken += word.width();
        if own == 0 && taken == blank + word.width() {
            blank = taken;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{bytes, columns, exact_bytes, grouped, padded, rough_time, scaled, time, wrapped};

    #[test]
    fn columns_are_those_of_a_terminal() {
        assert_eq!(["x", "größe", "模型", ""].map(columns), [1, 5, 4, 0]);
        assert_eq!(padded("模型", 6, false), "模型  ");
        assert_eq!(padded("µs", 4, true), "  µs");
        assert_eq!(padded("longer", 4, true), "longer");
    }

    #[test]
    fn numbers_have_separators() {
        let found = [0, 7, 999, 1000, 12345, 2_231_852, u64::MAX].map(grouped);
        let expected = ["0", "7", "999", "1,000", "12,345", "2,231,852"];
        assert_eq!(found[..6], expected);
        assert_eq!(found[6], "18,446,744,073,709,551,615");
    }

    #[test]
    fn large_numbers_have_three_digits_and_a_prefix() {
        let found = [0, 999, 1000, 999_499, 999_500, 2_231_852, 22_318_520, 999_999_999];
        let found = found.map(|number| scaled(number, "FLOP"));
        let expected = [
            "0 FLOP",
            "999 FLOP",
            "1.00 kFLOP",
            "999 kFLOP",
            "1.00 MFLOP",
            "2.23 MFLOP",
            "22.3 MFLOP",
            "1.00 GFLOP",
        ];
        assert_eq!(found, expected);
        assert_eq!(scaled(u64::MAX, "FLOP"), "18.4 EFLOP");
        assert_eq!([scaled(12, ""), scaled(1200, "")], ["12", "1.20 k"]);
    }

    #[test]
    fn bytes_are_binary() {
        let found = [0, 1, 1023, 1024, 1536, (1 << 20) - 1, 1 << 20, u64::MAX].map(bytes);
        let expected = [
            "0 bytes",
            "1 byte",
            "1023 bytes",
            "1.00 KiB",
            "1.50 KiB",
            "1.00 MiB",
            "1.00 MiB",
            "16.0 EiB",
        ];
        assert_eq!(found, expected);
        assert_eq!(exact_bytes(1_310_720), "1.25 MiB (1,310,720 bytes)");
        assert_eq!(exact_bytes(64), "64 bytes");
    }

    #[test]
    fn times_have_their_unit() {
        let found = [2.5, 0.0025, 2.5e-6, 2.5e-9].map(time);
        assert_eq!(found, ["2.500 s", "2.500 ms", "2.500 µs", "2.500 ns"]);
        let found = [676.14e-6, 999.7e-6, 1.5, 0.0].map(rough_time);
        assert_eq!(found, ["676 µs", "1.00 ms", "1.50 s", "0.00 ns"]);
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 13, 4), "one two three");
        assert_eq!(wrapped("one two three", 12, 4), "one two\n    three");
        assert_eq!(wrapped("one two three", 1, 0), "one\ntwo\nthree");
        assert_eq!(wrapped("", 0, 2), "");
        // Columns count, not bytes; a first column of a table stays where it is.
        assert_eq!(wrapped("日本 日本 日本", 10, 2), "日本 日本\n  日本");
        assert_eq!(wrapped("name    aa bb cc", 12, 8), "name    aa\n        bb\n        cc");
    }
}
