//! Locations in MLIR's text: `loc("f.py":3:4)`, `loc("name"(#loc3))`, `loc(fused<{…}>[#loc1, #loc2])`, `loc(callsite(#loc1 at #loc2))`.

use std::collections::{BTreeMap, HashMap};

pub use strata::ORIGINS;
use strata::Origin;

/// Locations by alias, as they are written.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    aliases: HashMap<String, String>,
}

/// A place in the user's program, with the name of the function there, if it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// The function, or another name that the location has.
    pub name: Option<String>,
    /// As the location names it.
    pub file: String,
    /// From 1.
    pub line: u64,
    /// From 1; 0 where it is not known.
    pub column: u64,
}

impl Frame {
    /// Whether its file is of an installed library of Python, and not the user's.
    pub fn is_installed(&self) -> bool {
        ["/site-packages/", "/dist-packages/", "/lib/python3"]
            .iter()
            .any(|part| self.file.contains(part))
    }
}

/// Whether a line gives a location a name: `#loc3 = loc(…)`.
pub fn is_alias(line: &str) -> bool {
    alias(line).is_some()
}

fn alias(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(" = loc(")?;
    let digits = name.strip_prefix("#loc")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    Some((name, rest.trim_end().strip_suffix(')')?))
}

/// A line without its locations, and the content of the one at its end.
pub fn strip(line: &str) -> (String, Option<&str>) {
    let bytes = line.as_bytes();
    let (mut plain, mut last) = (String::with_capacity(line.len()), None);
    let (mut at, mut from) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b' ' if line[at..].starts_with(" loc(") => {
                let start = at + " loc(".len();
                let end = end_of_group(bytes, start);
                plain.push_str(&line[from..at]);
                last =
                    (end + 1 >= line.trim_end().len()).then(|| &line[start..end.min(line.len())]);
                at = (end + 1).min(line.len());
                from = at;
            }
            _ => at += 1,
        }
    }
    plain.push_str(&line[from..]);
    (plain, last)
}

/// The position after the string that begins at `at`.
fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The position of the parenthesis that closes a group whose content begins at `at`.
fn end_of_group(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = end_of_string(bytes, at);
                continue;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => return at,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

impl Locations {
    /// The aliases of a text.
    pub fn read(text: &str) -> Self {
        let aliases = text.lines().filter_map(alias);
        Self { aliases: aliases.map(|(name, value)| (name.to_owned(), value.to_owned())).collect() }
    }

    /// What a location says of operations and nests. `origins` are those that lines of the file [`ORIGINS`] stand for.
    pub fn origin(&self, location: &str, origins: &[Origin]) -> Origin {
        let mut found = Origin::default();
        self.visit(location, MAX_DEPTH, &mut |part| match part {
            Part::Number("strata.operation", number) => drop(found.operations.insert(number)),
            Part::Number("strata.nest", number) => drop(found.nests.insert(number)),
            Part::Place(frame) if frame.file == ORIGINS => {
                let line = usize::try_from(frame.line).ok().and_then(|line| line.checked_sub(1));
                if let Some(origin) = line.and_then(|line| origins.get(line)) {
                    found.nests.extend(&origin.nests);
                    found.operations.extend(&origin.operations);
                }
            }
            Part::Number(..) | Part::Place(_) => {}
        });
        found
    }

    /// The frames of the location of each operation, the innermost first, by the operation's number.
    pub fn frames(&self, text: &str) -> BTreeMap<usize, Vec<Frame>> {
        let mut found = BTreeMap::new();
        for line in text.lines().filter(|line| !is_alias(line)) {
            let (_, Some(location)) = strip(line) else { continue };
            let (mut numbers, mut frames) = (Vec::new(), Vec::new());
            self.visit(location, MAX_DEPTH, &mut |part| match part {
                Part::Number("strata.operation", number) => numbers.push(number),
                Part::Number(..) => {}
                Part::Place(frame) => {
                    if !frames.contains(&frame) {
                        frames.push(frame);
                    }
                }
            });
            if let Some(number) = numbers.into_iter().min() {
                // An operation's own location comes after what is in its regions.
                found.insert(number, frames);
            }
        }
        found
    }

    fn visit(&self, location: &str, depth: usize, seen: &mut dyn FnMut(Part<'_>)) {
        Reader { locations: self, text: location, at: 0 }.location(None, depth, seen);
    }
}

/// Aliases are followed as deep as this: call stacks are deep, text that MLIR did not print might not end.
const MAX_DEPTH: usize = 400;

/// A piece of a location.
enum Part<'t> {
    /// An integer in the metadata of a fused location.
    Number(&'t str, usize),
    /// File, line and column.
    Place(Frame),
}

struct Reader<'t> {
    locations: &'t Locations,
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn skip(&mut self, token: &str) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        let is_there = rest[blank..].starts_with(token);
        if is_there {
            self.at += blank + token.len();
        }
        is_there
    }

    fn string(&mut self) -> Option<String> {
        self.skip("\"").then_some(())?;
        let start = self.at;
        let end = end_of_string(self.text.as_bytes(), start - 1);
        self.at = end;
        let raw = self.text.get(start..end.saturating_sub(1))?;
        Some(unescaped(raw))
    }

    fn number(&mut self) -> Option<u64> {
        let rest = self.text.get(self.at..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        self.at += digits;
        rest[..digits].parse().ok()
    }

    /// Reads a location; `name` is that of one around it.
    fn location(&mut self, name: Option<&str>, depth: usize, seen: &mut dyn FnMut(Part<'_>)) {
        if depth == 0 {
            return;
        }
        if self.skip("#") {
            let start = self.at - 1;
            let rest = &self.text[self.at..];
            self.at += rest
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count();
            let locations = self.locations;
            if let Some(inner) = locations.aliases.get(&self.text[start..self.at]) {
                Reader { locations, text: inner, at: 0 }.location(name, depth - 1, seen);
            }
        } else if self.skip("callsite(") {
            self.location(name, depth - 1, seen);
            if self.skip("at ") {
                self.location(None, depth - 1, seen);
            }
            self.skip(")");
        } else if self.skip("fused") {
            if self.skip("<") {
                self.metadata(seen);
            }
            if self.skip("[") {
                loop {
                    self.location(name, depth - 1, seen);
                    if !self.skip(",") {
                        break;
                    }
                }
                self.skip("]");
            }
        } else if let Some(text) = self.string() {
            if self.skip("(") {
                self.location(Some(&text), depth - 1, seen);
                self.skip(")");
            } else if self.skip(":") {
                let line = self.number().unwrap_or(0);
                let column = if self.skip(":") { self.number().unwrap_or(0) } else { 0 };
                // A range: ` to 3:9` or ` to :9`.
                if self.skip("to") {
                    self.skip(" ");
                    self.number();
                    if self.skip(":") {
                        self.number();
                    }
                }
                seen(Part::Place(Frame {
                    name: name.map(str::to_owned),
                    file: text,
                    line,
                    column,
                }));
            }
        }
    }

    /// Metadata up to its `>`: the numbers of a dictionary; others are skipped.
    fn metadata(&mut self, seen: &mut dyn FnMut(Part<'_>)) {
        for key in ["strata.operation", "strata.nest"] {
            let before = self.at;
            if self.skip("{") && self.skip(key) && self.skip("= ") {
                if let Some(number) = self.number().and_then(|number| usize::try_from(number).ok())
                {
                    seen(Part::Number(key, number));
                }
                break;
            }
            self.at = before;
        }
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        while self.at < bytes.len() {
            match bytes[self.at] {
                b'"' => {
                    self.at = end_of_string(bytes, self.at);
                    continue;
                }
                b'<' => depth += 1,
                b'>' if depth == 0 => {
                    self.at += 1;
                    return;
                }
                b'>' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// A string without MLIR's escapes: `\\`, `\"`, `\n`, `\t` and two hexadecimal digits.
fn unescaped(raw: &str) -> String {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let hex = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = hex.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else if let [escaped, tail @ ..] = tail {
            bytes.push(match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                other => *other,
            });
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
