//! Rendering of diagnostics: for people (text, drawn by `annotate-snippets`) and for programs (JSON).

use std::collections::BTreeMap;
use std::ops::Range;

use annotate_snippets::{
    AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::{Diagnostic, Diagnostics, Location, Severity, units::wrapped};

/// A source line longer than this is truncated around the caret: weights can fill a line with megabytes.
const LONGEST_LINE: usize = 2000;

/// Capabilities of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours are understood.
    pub color: bool,
    /// Width in columns to which source lines are cut: that of the terminal.
    pub width: usize,
    /// Whether sentences are broken between words at that width, as a terminal would break them anywhere.
    pub wraps: bool,
}

impl Style {
    /// The width where there is no terminal.
    pub const WIDTH: usize = 140;

    /// Below this, a source line would have no room for what is around the caret.
    const NARROWEST: usize = 40;
}

impl Default for Style {
    /// No colours, [`Self::WIDTH`], unbroken sentences: independent of the terminal.
    fn default() -> Self {
        Self { color: false, width: Self::WIDTH, wraps: false }
    }
}

/// The source lines to show.
struct Excerpt {
    /// The lines of the location and of the notes, with empty ones in between.
    text: String,
    /// The number of the first line.
    line: u32,
    /// The bytes of `text` to underline.
    mark: Range<usize>,
    /// The notes whose locations are shown, by number, and the bytes of `text` that they underline.
    notes: Vec<(usize, Range<usize>)>,
}

/// Lines this far apart are shown together; the locations of notes further away are printed as text.
const FARTHEST: u32 = 10_000;

impl Excerpt {
    /// The number of the last line.
    fn last_line(&self) -> usize {
        self.line as usize + self.text.lines().count().saturating_sub(1)
    }
}

impl Diagnostic {
    /// The full form without colours; see [`Diagnostic::render_with`].
    pub fn render(&self) -> String {
        self.render_with(Style::default())
    }

    /// The full form: headline, location with the source line and a caret, operation, reason, notes, hint.
    /// Ends without a newline.
    pub fn render_with(&self, style: Style) -> String {
        let style = Style { width: style.width.max(Style::NARROWEST), ..style };
        let all: Vec<usize> = (0..self.notes().len()).collect();
        let excerpt = self.excerpt(&all, style.width);
        let is_wide = excerpt.as_ref().is_some_and(|excerpt| {
            let plain = self.draw(Some(excerpt), Style { color: false, ..style });
            !excerpt.notes.is_empty() && has_wide_source(&plain, style.width)
        });
        // Places that do not fit beside that of the error are told in words.
        let excerpt = if is_wide { self.excerpt(&[], style.width) } else { excerpt };
        self.draw(excerpt.as_ref(), style)
    }

    fn draw(&self, excerpt: Option<&Excerpt>, style: Style) -> String {
        let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
        let gutter = excerpt.map_or(0, |excerpt| excerpt.last_line().to_string().len());
        let clean = |label: &str, text: &str| {
            let text = normalize_untrusted_str(text);
            // `   = reason: `, which later lines are aligned with.
            let taken = gutter + label.len() + 5;
            let columns = style.width.saturating_sub(taken);
            let lines = text.lines().map(|line| match style.wraps {
                true => wrapped(line, columns, 0),
                false => line.to_owned(),
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        let level = match self.severity() {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(self.code().title()).id(self.code().id());

        let mut body: Vec<Element<'_>> = Vec::new();
        if let Some(at) = self.location() {
            body.push(match excerpt {
                Some(excerpt) => self.snippet(at, excerpt).into(),
                None => origin(at).into(),
            });
        }
        let mut say = |label: &'static str, text: &str| {
            body.push(Level::NOTE.with_name(label).message(clean(label, text)).into());
        };
        if let Some(name) = self.operation_name() {
            say("operation", name);
        }
        if let Some(reason) = self.reason_text() {
            say("reason", reason);
        }
        let is_shown = |index: usize| {
            excerpt.is_some_and(|excerpt| excerpt.notes.iter().any(|(one, _)| *one == index))
        };
        for (index, note) in self.notes().iter().enumerate() {
            match &note.location {
                _ if is_shown(index) => {}
                Some(at) => say("note", &format!("{at}: {}", note.text)),
                None => say("note", &note.text),
            }
        }
        if let Some(hint) = self.hint_text() {
            body.push(Level::HELP.with_name("hint").message(clean("hint", hint)).into());
        }
        let group = if body.is_empty() { Group::with_title(title) } else { title.elements(body) };
        let text = renderer.term_width(style.width).render(&[group]);
        match (self.location(), excerpt) {
            (Some(at), Some(excerpt)) => with_location(&text, at, excerpt),
            _ => text,
        }
    }

    /// The source lines, with what is underlined in them.
    fn snippet<'e>(
        &'e self,
        at: &'e Location,
        excerpt: &'e Excerpt,
    ) -> Snippet<'e, annotate_snippets::Annotation<'e>> {
        let mut snippet = Snippet::source(excerpt.text.as_str())
            .line_start(excerpt.line as usize)
            .path(at.file.as_str())
            .annotation(AnnotationKind::Primary.span(excerpt.mark.clone()));
        for (index, mark) in &excerpt.notes {
            let note = self.notes().get(*index).map_or("", |note| note.text.as_str());
            let span = AnnotationKind::Context.span(mark.clone());
            snippet = snippet.annotation(span.label(normalize_untrusted_str(note)));
        }
        snippet
    }

    /// One object: `code`, `title`, `severity`, `fault`, and what else is known of `operation`,
    /// `location` (`file`, `line`, `column`), `source`, `reason`, `hint`, `notes`.
    pub fn to_json(&self) -> Value {
        let notes: Vec<Value> = self
            .notes()
            .iter()
            .map(|note| json!({ "text": note.text, "location": note.location.as_ref().map(place) }))
            .collect();
        json!({
            "code": self.code().id(),
            "title": self.code().title(),
            "severity": match self.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            "fault": self.fault().name(),
            "operation": self.operation_name(),
            "location": self.location().map(place),
            "source": self.source_line(),
            "reason": self.reason_text(),
            "hint": self.hint_text(),
            "notes": notes,
        })
    }

    /// The source line, and those of these notes.
    fn excerpt(&self, notes: &[usize], width: usize) -> Option<Excerpt> {
        let line = self.source_line()?;
        let at = self.location().filter(|at| at.line > 0)?;
        let (line, mark) = cut(line, at.column, self.operation_name());
        let mark = narrowed(&line, mark, width / 2);
        let mut lines = BTreeMap::from([(at.line, line)]);
        let mut marks = Vec::new();
        for (index, note) in self.notes().iter().enumerate() {
            let (Some(place), Some(source)) = (&note.location, &note.source) else { continue };
            if !notes.contains(&index)
                || place.file != at.file
                || place.line.abs_diff(at.line) > FARTHEST
            {
                continue;
            }
            let (text, range) = cut(source, place.column, None);
            // Notes are only shown in the part of a truncated line that is visible.
            if lines.entry(place.line).or_insert_with(|| text.clone()) == &text {
                marks.push((index, place.line, range));
            }
        }
        let (first, last) = (*lines.first_key_value()?.0, *lines.last_key_value()?.0);
        let mut starts = BTreeMap::new();
        let mut text = String::new();
        for number in first..=last {
            starts.insert(number, text.len());
            match lines.get(&number) {
                Some(line) => text.push_str(line),
                None => text.push_str(self.line_between(number)),
            }
            text.push('\n');
        }
        let moved = |line: u32, range: Range<usize>| {
            let start = starts.get(&line).copied().unwrap_or(0);
            start + range.start..start + range.end
        };
        let mark = moved(at.line, mark);
        let notes = marks.into_iter().map(|(index, line, range)| (index, moved(line, range)));
        Some(Excerpt { notes: notes.collect(), mark, line: first, text })
    }
}

impl Diagnostics {
    /// All of them in full, an empty line between two.
    pub fn render_with(&self, style: Style) -> String {
        let all: Vec<String> = self.iter().map(|one| one.render_with(style)).collect();
        all.join("\n\n")
    }

    /// All of them in full, without colours.
    pub fn render(&self) -> String {
        self.render_with(Style::default())
    }

    /// An array of the objects of [`Diagnostic::to_json`].
    pub fn to_json(&self) -> Value {
        self.iter().map(Diagnostic::to_json).collect()
    }
}

/// The part of a line around a column, and the bytes of it to underline.
fn cut(line: &str, column: u32, operation: Option<&str>) -> (String, Range<usize>) {
    let start = floor_boundary(line, column.max(1) as usize - 1);
    let end = start + token_length(&line[start..], operation);
    let from = floor_boundary(line, start.saturating_sub(LONGEST_LINE / 2));
    let to = floor_boundary(line, end.saturating_add(LONGEST_LINE / 2));
    let from = if line.len() <= LONGEST_LINE { 0 } else { from };
    let to = if line.len() <= LONGEST_LINE { line.len() } else { to };
    (line[from..to].to_owned(), start - from..end - from)
}

/// The start of what is underlined, where all of it would leave no room for what is around it.
fn narrowed(line: &str, mark: Range<usize>, columns: usize) -> Range<usize> {
    let text = line.get(mark.clone()).unwrap_or_default();
    let ends = text.char_indices().map(|(at, one)| at + one.len_utf8());
    let end = ends.take_while(|end| text[..*end].width() <= columns).last();
    mark.start..end.map_or(mark.end, |end| mark.start + end)
}

/// Whether a source line, or a line with marks below it, is wider than that.
fn has_wide_source(text: &str, width: usize) -> bool {
    let is_source = |line: &&str| {
        let rest = line.trim_start_matches(|one: char| one == ' ' || one.is_ascii_digit());
        rest.starts_with('|')
    };
    text.lines().filter(is_source).any(|line| line.width() > width)
}

/// Puts the true column into the headline: the renderer counts characters, and from the start of the
/// visible part.
fn with_location(text: &str, at: &Location, excerpt: &Excerpt) -> String {
    let before = excerpt.text.get(..excerpt.mark.start).unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default();
    let shown = format!("{}:{}:{}", at.file, at.line, before.chars().count() + 1);
    let place = Location::new(at.file.as_str(), at.line, at.column.max(1));
    text.replacen(&shown, &place.to_string(), 1)
}

fn origin(at: &Location) -> Origin<'_> {
    let mut origin = Origin::path(at.file.as_str());
    if at.line > 0 {
        origin = origin.line(at.line as usize);
        if at.column > 0 {
            origin = origin.char_column(at.column as usize);
        }
    }
    origin
}

fn place(at: &Location) -> Value {
    let known = |number: u32| (number > 0).then_some(number);
    json!({ "file": at.file, "line": known(at.line), "column": known(at.column) })
}

/// The largest character boundary that is not after `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&index| text.is_char_boundary(index)).unwrap_or(0)
}

/// How much of `rest` to underline: the operation's name if it is there, else a word, else a character.
fn token_length(rest: &str, operation: Option<&str>) -> usize {
    let quoted = usize::from(rest.starts_with('"'));
    if let Some(name) = operation.filter(|name| rest[quoted..].starts_with(name)) {
        return name.len() + 2 * quoted;
    }
    let word =
        rest.find(|c: char| !(c.is_alphanumeric() || "_.$%@#!".contains(c))).unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    word.max(one)
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use crate::{Diagnostic, Diagnostics, Location, Severity, Style, codes};

    fn sample() -> Diagnostic {
        Diagnostic::new(codes::S1005)
            .operation("stablehlo.add")
            .at(Location::new("model.mlir", 12, 8))
            .source("  %0 = stablehlo.add %a, %b : tensor<3xf32>")
            .reason("the operands have different shapes: 3 and 4")
            .note_at(Location::new("train.py", 7, 3), "called from here")
            .hint("broadcast the smaller operand first")
    }

    #[test]
    fn the_full_form_shows_everything() {
        let expected = "\
error[S1005]: operation violates its definition
  --> model.mlir:12:8
   |
12 |   %0 = stablehlo.add %a, %b : tensor<3xf32>
   |        ^^^^^^^^^^^^^
   |
   = operation: stablehlo.add
   = reason: the operands have different shapes: 3 and 4
   = note: train.py:7:3: called from here
   = hint: broadcast the smaller operand first";
        assert_eq!(sample().render(), expected);
    }

    #[test]
    fn other_places_are_shown_where_they_are() {
        let text = "%0 = a\nb\n%0 = c %1, %1\n\n\n\n%9 = d\n";
        let error = Diagnostic::new(codes::S1001)
            .at(Location::new("m.mlir", 3, 1))
            .note_at(Location::new("m.mlir", 1, 1), "first defined here")
            .note_at(Location::new("m.mlir", 3, 8), "used here")
            .note_at(Location::new("m.mlir", 7, 1), "and here")
            .note_at(Location::new("other.py", 7, 1), "called from here")
            .source_file("m.mlir", text);
        let expected = "\
error[S1001]: syntax error
 --> m.mlir:3:1
  |
1 | %0 = a
  | -- first defined here
2 | b
3 | %0 = c %1, %1
  | ^^     -- used here
...
7 | %9 = d
  | -- and here
  |
  = note: other.py:7:1: called from here";
        assert_eq!(error.render(), expected);
    }

    #[test]
    fn without_a_place_or_a_line() {
        let bare = Diagnostic::new(codes::S1002);
        assert_eq!(bare.render(), "error[S1002]: input is empty");
        let place = Diagnostic::new(codes::S1002)
            .with_severity(Severity::Warning)
            .at(Location::file("-"))
            .reason("nothing was read");
        assert_eq!(
            place.render(),
            "warning[S1002]: input is empty\n--> -\n = reason: nothing was read"
        );
    }

    #[test]
    fn a_very_long_line_is_cut_around_the_caret() {
        let line = format!("{}stablehlo.add{}", "é".repeat(1 << 20), "x".repeat(1 << 20));
        let shown = sample().at(Location::new("m.mlir", 1, (2 << 20) + 1)).source(line).render();
        assert!(shown.len() < 2000, "{} bytes", shown.len());
        assert!(shown.contains("m.mlir:1:2097153"));
        assert!(shown.contains("^^^"));
    }

    #[test]
    fn a_column_outside_of_the_line_is_accepted() {
        let shown = sample().at(Location::new("m.mlir", 1, u32::MAX)).render();
        assert!(shown.contains("m.mlir:1:4294967295") && shown.contains('^'), "{shown}");
        let inside = sample().at(Location::new("m.mlir", 1, 2)).source("é").render();
        assert!(inside.contains('^'), "{inside}");
    }

    /// The source line and what is below it.
    fn source_lines(text: &str) -> (&str, &str) {
        let mut lines = text.lines().skip_while(|line| !line.starts_with("12 |"));
        (lines.next().expect("a source line"), lines.next().expect("marks"))
    }

    #[test]
    fn source_lines_are_cut_at_the_width_and_the_caret_stays_below_its_text() {
        let filler = "%value, ".repeat(30);
        let wide = "日本語".repeat(20);
        let lines = [
            format!("  %0 = stablehlo.add {filler}"),
            format!("{filler}stablehlo.add {filler}"),
            format!("{filler}stablehlo.add"),
            format!("{wide}stablehlo.add {wide}"),
            format!("\t\t\"{wide}\"\tstablehlo.add\t{filler}"),
        ];
        for line in lines {
            let column = line.find("stablehlo").expect("is there") as u32 + 1;
            for width in [80, 120, 140] {
                let error = sample().at(Location::new("m.mlir", 12, column)).source(line.as_str());
                let text = error.render_with(Style { width, ..Style::default() });
                let (source, marks) = source_lines(&text);
                assert!(source.width() <= width, "{width}\n{text}");
                let before = source.find("stablehlo.add").expect("is shown");
                let caret = marks.find('^').expect("a caret");
                assert_eq!(source[..before].width(), caret, "{width}\n{text}");
            }
        }
    }

    #[test]
    fn sentences_are_broken_between_words_on_request() {
        let long = "one two three four five six seven eight nine ten eleven";
        let error = sample().reason(long).hint(long);
        assert!(error.render().contains(&format!("   = reason: {long}\n")));
        let text = error.render_with(Style { width: 40, wraps: true, ..Style::default() });
        let expected = "
   = reason: one two three four five six
             seven eight nine ten eleven
   = note: train.py:7:3: called from
           here
   = hint: one two three four five six
           seven eight nine ten eleven";
        assert!(text.ends_with(expected), "{text}");
        assert!(text.lines().all(|line| line.len() <= 40 || line.starts_with("error")), "{text}");
    }

    #[test]
    fn places_too_far_apart_for_the_width_are_told_in_words() {
        let line = format!("%0 = first {}second", "x".repeat(100));
        let error = Diagnostic::new(codes::S1001)
            .at(Location::new("m.mlir", 12, 112))
            .note_at(Location::new("m.mlir", 12, 6), "first defined here")
            .source_file("m.mlir", &format!("{}{line}\n", "\n".repeat(11)));
        let beside = error.render_with(Style { width: 160, ..Style::default() });
        assert!(!beside.contains("note"), "{beside}");
        let apart = error.render_with(Style { width: 80, ..Style::default() });
        assert!(apart.contains("= note: m.mlir:12:6: first defined here"), "{apart}");
        let (source, marks) = source_lines(&apart);
        assert!(source.width() <= 80 && marks.width() <= 80, "{apart}");
        assert_eq!(source.find("second"), marks.find('^'), "{apart}");
    }

    #[test]
    fn a_word_wider_than_the_terminal_is_underlined_in_part() {
        let line = format!("%0 = {}", "x".repeat(500));
        let error = Diagnostic::new(codes::S1001).at(Location::new("m.mlir", 12, 6)).source(line);
        for width in [0, 40, 80] {
            let text = error.render_with(Style { width, ..Style::default() });
            let (source, marks) = source_lines(&text);
            assert!(source.width() <= width.max(40) && marks.width() <= width.max(40), "{text}");
        }
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let shown = Diagnostic::new(codes::S1003).reason("\x1b[31mred").render();
        assert!(!shown.contains('\x1b'), "{shown:?}");
        let colored = sample().render_with(Style { color: true, ..Style::default() });
        assert!(colored.contains('\x1b'));
    }

    #[test]
    fn json_has_every_field() {
        let value = sample().to_json();
        assert_eq!(value["code"], "S1005");
        assert_eq!(value["fault"], "program");
        assert_eq!(value["location"]["line"], 12);
        assert_eq!(value["notes"][0]["location"]["file"], "train.py");
        assert_eq!(value["hint"], "broadcast the smaller operand first");
    }

    #[test]
    fn the_source_line_is_taken_from_the_right_file() {
        let at = Diagnostic::new(codes::S1001).at(Location::new("a.mlir", 2, 1));
        let found = at.clone().source_file("a.mlir", "one\ntwo\n");
        assert_eq!(found.source_line(), Some("two"));
        assert_eq!(at.clone().source_file("b.mlir", "one\ntwo\n").source_line(), None);
        assert_eq!(at.source_file("a.mlir", "one\n").source_line(), None);
    }

    #[test]
    fn the_gravest_error_decides_the_exit_code() {
        let mut all = Diagnostics::new();
        assert_eq!(all.exit_code(), 0);
        all.push(Diagnostic::new(codes::S9001).with_severity(Severity::Warning));
        assert_eq!(all.exit_code(), 0);
        all.push(sample());
        assert_eq!(all.exit_code(), 1);
        all.push(Diagnostic::new(codes::S9001));
        assert_eq!(all.exit_code(), 3);
        assert_eq!(all.render().matches("[S9001]").count(), 2);
    }
}
