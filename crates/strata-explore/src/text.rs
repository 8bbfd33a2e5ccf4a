//! The texts of stages, and what each of their lines comes from.
//!
//! MLIR's text has the location of each operation at the end of the line on which it ends; LLVM IR has debug information, assembly
//! directives for it. All of this is read, and removed from the text. A line without it comes from nothing that is known.

use std::{borrow::Cow, collections::HashMap};

use strata::Origin;

use crate::locations::{self, Locations};

/// A text and what its lines come from.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Without locations and debug information.
    pub text: String,
    /// For each line a position in the list of origins, counted from 1; 0 for what is not known.
    pub lines: Vec<usize>,
    /// The list.
    pub origins: Vec<Origin>,
}

/// Lines and origins as they are found.
#[derive(Default)]
struct Builder {
    made: Text,
    known: HashMap<Origin, usize>,
}

impl Builder {
    fn number(&mut self, origin: Origin) -> usize {
        if origin == Origin::default() {
            return 0;
        }
        *self.known.entry(origin).or_insert_with_key(|origin| {
            self.made.origins.push(origin.clone());
            self.made.origins.len()
        })
    }

    fn line(&mut self, text: &str, number: usize) {
        self.made.text.push_str(text);
        self.made.text.push('\n');
        self.made.lines.push(number);
    }
}

/// MLIR with locations. `origins` are those that lines of the file [`locations::ORIGINS`] stand for.
pub fn of_mlir(text: &str, origins: &[Origin]) -> (Text, Locations) {
    let locations = Locations::read(text);
    let mut builder = Builder::default();
    // The lines of each operation with regions that is open: where its regions begin, and their blocks.
    let mut open: Vec<Vec<usize>> = Vec::new();
    for line in text.lines().filter(|line| !locations::is_alias(line)) {
        let (plain, last) = locations::strip(line);
        let number = match last {
            Some(location) => {
                let origin = locations.origin(location, origins);
                builder.number(origin)
            }
            None => 0,
        };
        let at = builder.made.lines.len();
        builder.line(&plain, number);
        let (start, end) = (plain.trim_start(), plain.trim_end());
        let closes = start.starts_with('}');
        let mut group = if closes { open.pop().unwrap_or_default() } else { Vec::new() };
        group.push(at);
        if end.ends_with('{') {
            open.push(group);
        } else if closes {
            for line in group {
                builder.made.lines[line] = number;
            }
        } else if start.starts_with('^')
            && let Some(around) = open.last_mut()
        {
            around.push(at);
        }
    }
    (builder.made, locations)
}

/// Characters of the bytes of a constant that are shown.
const SHOWN: usize = 160;

/// A line that gives the bytes of a constant, without most of them: weights may be larger than all else of a program.
fn shortened(line: &str) -> Cow<'_, str> {
    let words = line.trim_start();
    let is_data = [".ascii", ".asciz"].iter().any(|name| words.starts_with(name))
        || line.starts_with('@') && line.contains(" constant ");
    if is_data { cut(line) } else { line.into() }
}

fn cut(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => {
            format!("{}… {} characters more", &line[..at], line[at..].chars().count()).into()
        }
        None => line.into(),
    }
}

/// Bytes of a line of a source beyond which it is not for reading: a program with weights as text.
const LONGEST: usize = 4000;

/// The text of a source, without most of such lines.
pub fn of_source(text: &str) -> String {
    let line = |line| if str::len(line) > LONGEST { cut(line) } else { line.into() };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// LLVM IR with debug information.
pub fn of_llvm(text: &str, origins: &[Origin]) -> Text {
    let metadata = Metadata::read(text);
    let mut builder = Builder::default();
    for line in text.lines() {
        if is_debug_metadata(line) {
            continue;
        }
        let (plain, place) = without_debug(line);
        // A function's own mark is a description of the function.
        let place = place.filter(|_| line.starts_with(' '));
        let origin = place
            .and_then(|place| metadata.line(place))
            .and_then(|line| origins.get(line.checked_sub(1)?));
        let number = origin.map_or(0, |origin| builder.number(origin.clone()));
        builder.line(&shortened(&plain), number);
    }
    builder.made
}

fn is_debug_metadata(line: &str) -> bool {
    let Some((name, value)) = line.split_once(" = ").filter(|(name, _)| name.starts_with('!'))
    else {
        return false;
    };
    let value = value.strip_prefix("distinct ").unwrap_or(value);
    name == "!llvm.dbg.cu" || value.starts_with("!DI") || value.contains("\"Debug Info Version\"")
}

/// A line without `, !dbg !7`, and the number in it.
fn without_debug(line: &str) -> (String, Option<usize>) {
    for mark in [", !dbg !", " !dbg !"] {
        if let Some((before, after)) = line.rsplit_once(mark) {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 && is_outside_of_strings(before) {
                return (format!("{before}{}", &after[digits..]), after[..digits].parse().ok());
            }
        }
    }
    (line.to_owned(), None)
}

fn is_outside_of_strings(before: &str) -> bool {
    before.bytes().filter(|byte| *byte == b'"').count() % 2 == 0
}

/// What of LLVM's metadata says where instructions come from.
#[derive(Default)]
struct Metadata {
    /// Line and scope of each place.
    places: HashMap<usize, (usize, usize)>,
    /// The scopes in the file of origins.
    scopes: HashMap<usize, bool>,
}

impl Metadata {
    fn read(text: &str) -> Self {
        let mut found = Self::default();
        let mut files = HashMap::new();
        let mut scopes = Vec::new();
        for line in text.lines().filter(|line| line.starts_with('!')) {
            let Some((number, value)) = line[1..].split_once(" = ") else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            let value = value.strip_prefix("distinct ").unwrap_or(value);
            if value.starts_with("!DILocation(") {
                if let (Some(line), Some(scope)) =
                    (field(value, "line: "), field(value, "scope: !"))
                {
                    found.places.insert(number, (line, scope));
                }
            } else if value.starts_with("!DIFile(") {
                let name = format!("filename: \"{}\"", locations::ORIGINS);
                files.insert(number, value.contains(&name));
            } else if let Some(file) = field(value, "file: !") {
                scopes.push((number, file));
            }
        }
        found.scopes = scopes
            .into_iter()
            .map(|(scope, file)| (scope, files.get(&file).copied().unwrap_or(false)))
            .collect();
        found
    }

    /// The line of a place in the file of origins.
    fn line(&self, place: usize) -> Option<usize> {
        let (line, scope) = self.places.get(&place)?;
        (*line > 0 && *self.scopes.get(scope)?).then_some(*line)
    }
}

/// The number after a key.
fn field(text: &str, key: &str) -> Option<usize> {
    let (_, rest) = text.split_once(key)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

/// Assembly with `.file` and `.loc`.
pub fn of_assembly(text: &str, origins: &[Origin]) -> Text {
    let mut builder = Builder::default();
    let mut files: HashMap<&str, bool> = HashMap::new();
    let (mut current, mut is_debug) = (0, false);
    // Descriptions of frames for debuggers only, which code without debug information does not have.
    let drops_frames = text.contains("\t.cfi_sections .debug_frame");
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        match first {
            ".section" => is_debug = words.next().is_some_and(|name| name.starts_with(".debug_")),
            ".text" | ".data" | ".bss" => is_debug = false,
            _ => {}
        }
        if is_debug {
            continue;
        }
        match first {
            ".file" => {
                // `.file "name"` without a number is the module's name.
                if let Some(number) = words.next().filter(|word| word.parse::<u32>().is_ok()) {
                    files.insert(number, line.contains(&format!("\"{}\"", locations::ORIGINS)));
                    continue;
                }
            }
            ".loc" => {
                let is_ours =
                    words.next().and_then(|file| files.get(file)).is_some_and(|ours| *ours);
                let line = words.next().and_then(|line| line.parse::<usize>().ok());
                let origin =
                    line.filter(|_| is_ours).and_then(|line| origins.get(line.checked_sub(1)?));
                current = origin.map_or(0, |origin| builder.number(origin.clone()));
                continue;
            }
            _ if is_debug_label(first) || (drops_frames && first.starts_with(".cfi_")) => continue,
            _ => {}
        }
        let is_label = !line.starts_with(['\t', ' ']) && first.ends_with(':');
        if is_label && !first.starts_with('.') {
            // A function begins: what was said before is over.
            current = 0;
        }
        let is_instruction = line.starts_with('\t') && !first.starts_with(['.', '#']);
        builder.line(&shortened(line), if is_instruction { current } else { 0 });
    }
    builder.made
}

/// Labels that only debug information refers to.
fn is_debug_label(word: &str) -> bool {
    let is_numbered = |prefix: &str| {
        word.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(':')).is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    [".Ltmp", ".Lfunc_begin"].into_iter().any(is_numbered)
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, of_assembly, of_llvm, of_source};

    #[test]
    fn lines_of_sources_are_cut_after_their_beginning() {
        let long = "w".repeat(5000);
        let text = of_source(&format!("a\r\n{long}\n\nb {}\n", &long[..3000]));
        let lines: Vec<_> = text.split('\n').map(str::len).collect();
        assert_eq!((lines[0], lines[2], lines[3], lines[4]), (2, 0, 3002, 0));
        assert!(lines[1] < 300 && text.contains("4840 characters more"), "{text}");
    }

    #[test]
    fn constants_are_shortened_and_lines_keep_their_numbers() {
        let bytes = "é".repeat(5000);
        let code = format!("\tcall\t\"{bytes}\"\n");
        let text = of_assembly(&format!("f:\n\t.ascii\t\"{bytes}\"\n{code}"), &[]).text;
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (3, "f:"));
        assert!(lines[1].ends_with("… 4850 characters more"), "{}", lines[1]);
        // Code is never cut.
        assert_eq!(lines[2], code.trim_end());
        let global = format!("@w = private constant [5000 x i8] c\"{bytes}\", align 64");
        let text = of_llvm(&format!("{global}\n  call void @f({bytes})\n"), &[]).text;
        let lengths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert!(lengths[0] < 2 * SHOWN && lengths[1] > 5000, "{lengths:?}");
    }
}
