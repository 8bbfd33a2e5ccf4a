//! Expectations of errors in the comments of a program:
//!
//! ```text
//! // expected-error@+1 {{must have the same shape}}
//! %0 = "stablehlo.negate"(%a) : (tensor<3xf32>) -> tensor<4xf32>
//! ```
//!
//! The line is `@+N`, `@-N`, `@below`, `@above`, `@unknown` or, by default, the comment's own line.
//! `expected-warning`, `-note` and `-remark` are ignored.

use strata_diag::{Diagnostic, Diagnostics, Location, codes};

/// What must match of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Line and text.
    Text,
    /// The line.
    Place,
}

/// An error that a comment expects.
#[derive(Debug, PartialEq, Eq)]
struct Expected {
    /// Where the comment is, counted from 1.
    comment: u32,
    /// Where the error is to be; `None` for anywhere.
    line: Option<u32>,
    text: String,
}

/// What is expected but was not reported, and what was reported but is not expected.
pub fn compare(name: &str, text: &str, found: &Diagnostics, how: Match) -> Diagnostics {
    let mut expectations: Vec<(Expected, bool)> =
        read(text).into_iter().map(|expected| (expected, false)).collect();
    let mut differences = Diagnostics::new();
    for one in found {
        let line = one.location().map_or(0, |place| place.line);
        let reason = one.reason_text().unwrap_or_default();
        // Comments quote MLIR, which may report several errors for one cause.
        let messages: Vec<&str> = match one.messages() {
            [] => vec![reason],
            messages => messages.iter().map(String::as_str).collect(),
        };
        let mut is_expected = true;
        for said in messages {
            let mut is_met_here = false;
            for (expected, is_met) in &mut expectations {
                let is_here = expected.line.is_none_or(|wanted| wanted == line);
                let quotes = said.contains(&expected.text) || reason.contains(&expected.text);
                // By text, each error matches one expectation; by line, all of its line.
                let fits = match how {
                    Match::Text => !is_met_here && !*is_met && quotes,
                    Match::Place => true,
                };
                if is_here && fits {
                    *is_met = true;
                    is_met_here = true;
                }
            }
            is_expected &= is_met_here;
        }
        if !is_expected {
            let note = "no `expected-error` comment expects this error";
            differences.push(one.clone().note(note));
        }
    }
    let missing = expectations.into_iter().filter(|(_, is_met)| !is_met);
    for (missing, _) in missing {
        let at = Location::new(name, missing.comment, 1);
        let place = match missing.line {
            Some(line) => format!("in line {line}"),
            None => "anywhere".to_owned(),
        };
        differences.push(
            Diagnostic::new(codes::S1901)
                .at(at)
                .reason(format!("no error `{}` was reported {place}", missing.text))
                .source_file(name, text),
        );
    }
    differences
}

fn read(text: &str) -> Vec<Expected> {
    let mut all = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()) {
        let comments = line.split_once("//").map_or("", |(_, comment)| comment);
        for rest in comments.split("expected-error").skip(1) {
            all.extend(one(number, rest));
        }
    }
    all
}

/// Reads what follows `expected-error`.
fn one(comment: u32, rest: &str) -> Option<Expected> {
    let (place, rest) = rest.trim_start_matches("-re").split_once("{{")?;
    let (text, _) = rest.split_once("}}")?;
    let line = match place.trim().strip_prefix('@').map(str::trim) {
        None => Some(comment),
        Some("below") => comment.checked_add(1),
        Some("above") => comment.checked_sub(1),
        Some("unknown") => None,
        Some(offset) => comment.checked_add_signed(offset.parse().ok()?),
    };
    Some(Expected { comment, line, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{Match, compare, read};
    use strata_diag::{Diagnostic, Diagnostics, Location, codes};

    #[test]
    fn places_are_understood() {
        let text = "a // expected-error {{one}}\n// expected-error@+2 {{two}}\n\
                    // expected-error @below {{three}}\n\n// expected-error@above{{four}}\n\
                    // expected-error@-1 {{five}}\n// expected-error@unknown {{six}}\n\
                    // expected-note {{no}}\n";
        let lines: Vec<_> = read(text).into_iter().map(|one| (one.text, one.line)).collect();
        let expected = [
            ("one", Some(1)),
            ("two", Some(4)),
            ("three", Some(4)),
            ("four", Some(4)),
            ("five", Some(5)),
            ("six", None),
        ];
        assert_eq!(lines, expected.map(|(text, line)| (text.to_owned(), line)));
    }

    #[test]
    fn both_directions_are_compared() {
        let text = "// expected-error@+1 {{same shape}}\nx\n";
        let error = |line, reason: &str| {
            Diagnostic::new(codes::S1005).at(Location::new("f", line, 3)).reason(reason)
        };
        let compare = |found: Diagnostic, how| compare("f", text, &found.into(), how).len();
        assert_eq!(compare(error(2, "must have the same shape"), Match::Text), 0);
        assert_eq!(compare(error(2, "something else"), Match::Text), 2);
        assert_eq!(compare(error(2, "something else"), Match::Place), 0);
        assert_eq!(compare(error(3, "must have the same shape"), Match::Text), 2);
        assert_eq!(super::compare("f", text, &Diagnostics::new(), Match::Text).len(), 1);
    }
}
