//! Details about an error from the program's text: what was found, what was probably meant, and related locations.

use std::collections::BTreeSet;

use strata_diag::{Diagnostic, Location, codes, did_you_mean};

use super::{types::OF_OTHER_LANGUAGES, words::captures};
use crate::kinds::OpKind;

/// A position in the text of a program.
pub(super) struct Source<'t> {
    text: &'t str,
    at: &'t Location,
    /// The byte offset.
    offset: usize,
}

impl<'t> Source<'t> {
    /// The position `at`; `None` if the text has no such line.
    pub fn new(text: &'t str, at: &'t Location) -> Option<Self> {
        let before = (at.line as usize).checked_sub(1)?;
        let start = match before {
            0 => 0,
            _ => text.match_indices('\n').nth(before - 1)?.0 + 1,
        };
        let offset = start.checked_add((at.column as usize).checked_sub(1)?)?;
        (offset <= text.len() && text.is_char_boundary(offset)).then_some(Self { text, at, offset })
    }

    /// The quoted operation name that ends here, and its start: MLIR reports an unknown operation after its name.
    pub fn name_before(&self) -> Option<(&'t str, Location)> {
        let before = self.text.get(..self.offset)?;
        let line = before.get(before.rfind('\n').map_or(0, |end| end + 1)..)?;
        let name = line.strip_suffix('"')?;
        let start = name.rfind('"')? + 1;
        Some((name.get(start..)?, self.place(self.offset - line.len() + start - 1)))
    }

    /// The name of the operation that begins here, in quotes or not.
    pub fn operation_here(&self) -> Option<&'t str> {
        let rest = self.text.get(self.offset..)?;
        let rest = rest.strip_prefix('"').unwrap_or(rest);
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        name.contains('.').then_some(name)
    }

    /// The operation whose first line this is.
    pub fn operation_of_line(&self) -> Option<&'t str> {
        let start = self.text.get(..self.offset)?.rfind('\n').map_or(0, |end| end + 1);
        let line = self.text.get(start..)?.trim_start();
        let begin = match line.starts_with('%') {
            true => line.split_once(" = ")?.1,
            false => line,
        };
        let offset = self.text.len() - begin.len();
        (offset < self.offset)
            .then_some(Source { text: self.text, at: self.at, offset })?
            .operation_here()
    }

    /// Adds details from the text to the diagnostic for `message`, which MLIR reported here.
    pub fn add(&self, error: Diagnostic, message: &str) -> Diagnostic {
        match message {
            "use of undeclared SSA value name" => self.missing_value(error),
            "expected non-function type" => self.no_type(error),
            "expected 'x' in dimension list" => self.sizes(error),
            "expected operation name in quotes" => self.no_operation(error),
            "expected '\"' in string literal" => self.open_quote(error),
            "invalid attribute name" => self.comment_of_python(error),
            "incorrect number of operands for callee" => {
                self.counted(error, "operands", |lists| lists.0)
            }
            "incorrect number of results for callee" => {
                self.counted(error, "results", |lists| lists.1)
            }
            _ if message.ends_with(" does not dominate this use") => self.too_early(error),
            _ if message.starts_with("operand type mismatch: ")
                || message.starts_with("result type mismatch") =>
            {
                self.declared(error, self.callee())
            }
            _ => self.add_by_pattern(error, message),
        }
    }

    fn add_by_pattern(&self, error: Diagnostic, message: &str) -> Diagnostic {
        // Where a word is expected, MLIR's parser gives an empty one for anything else.
        if let Some(expected) = message.strip_suffix(", found ''") {
            let found = self.text[self.offset..].chars().next().unwrap_or('\n');
            return match found.is_control() {
                true => error.reason(format!("{expected}, found the end of the line")),
                false => error.reason(format!("{expected}, found `{found}`")),
            };
        }
        if let Some([name]) =
            captures(message, "'{}' does not reference a valid function").as_deref()
        {
            let functions = self.functions();
            let near = strata_diag::near(name, functions.iter().copied());
            let near: Vec<String> = near.iter().map(|name| format!("`@{name}`")).collect();
            return match near.is_empty() {
                true => error,
                false => error.hint(format!("did you mean {}?", near.join(" or "))),
            };
        }
        if let Some([_, name, _]) =
            captures(message, "has {} operands, but enclosing function (@{}) returns {}").as_deref()
        {
            return self.declared(error, Some(name));
        }
        if let Some((_, name)) = message.rsplit_once(" in function @")
            && message.starts_with("type of return operand ")
        {
            return self.declared(error, Some(name));
        }
        if let Some([_, tried]) =
            captures(message, "custom op '{}' is unknown (tried '{}' as well)").as_deref()
            && tried.starts_with("builtin.")
        {
            return self.no_body(error);
        }
        if let Some([name]) = captures(message, "requires attribute '{}'").as_deref() {
            return self.misspelt_attribute(error, name);
        }
        if let Some([_, _, names]) = captures(message, "{}expected {} to be one of: {}").as_deref()
        {
            let names: Vec<&str> = names.split(", ").collect();
            let found = self.token(self.offset);
            let reason = format!("expected one of {}, found `{found}`", names.join(", "));
            return with_near(error.reason(reason), found, &names);
        }
        let is_of_parser = message.starts_with("expected '")
            || message == "expected SSA operand"
            || message.contains("' expected '");
        if is_of_parser && error.code() == codes::S1001 && !message.contains(", found ") {
            return self.found(error);
        }
        error
    }

    /// An undefined value: suggests similar names.
    fn missing_value(&self, error: Diagnostic) -> Diagnostic {
        let name = self.token(self.offset);
        let start = self.text[..self.offset].rfind("func.func").unwrap_or(0);
        let end = self.text[self.offset..]
            .find("func.func")
            .map_or(self.text.len(), |end| self.offset + end);
        let mut names = BTreeSet::new();
        for (at, _) in self.text[start..end].match_indices('%') {
            let other = self.token(start + at);
            if other != name {
                names.insert(other);
            }
        }
        let error = error.reason(format!("the value `{name}` is not defined"));
        let bare: Vec<&str> = names.iter().map(|name| name.trim_start_matches('%')).collect();
        let near = strata_diag::near(name.trim_start_matches('%'), bare);
        let near: Vec<String> = near.iter().map(|name| format!("`%{name}`")).collect();
        match near.is_empty() {
            true => error.hint("define it before its use: `%name = …`, or as an argument of the function or region"),
            false => error.hint(format!("did you mean {}?", near.join(" or "))),
        }
    }

    /// A value that is used before its definition.
    fn too_early(&self, error: Diagnostic) -> Diagnostic {
        let line = error.notes().iter().find_map(|note| {
            self.text.lines().nth((note.location.as_ref()?.line as usize).checked_sub(1)?)
        });
        let Some((names, _)) = line.and_then(|line| line.split_once('=')) else { return error };
        let name = names.split([':', ',']).next().unwrap_or_default().trim();
        let rest = &self.text[self.offset..];
        let line = rest.lines().next().unwrap_or_default();
        let used = line.match_indices(name).find(|(at, _)| self.token(self.offset + at) == name);
        match used.filter(|_| name.starts_with('%')) {
            Some((at, _)) => error
                .at(self.place(self.offset + at))
                .reason(format!("`{name}` is used before its definition")),
            None => error,
        }
    }

    /// An unknown type.
    fn no_type(&self, error: Diagnostic) -> Diagnostic {
        let word = self.token(self.offset);
        if let Some((_, name)) = OF_OTHER_LANGUAGES.iter().find(|(other, _)| *other == word) {
            return error
                .reason(format!("there is no type `{word}`"))
                .hint(format!("did you mean `{name}`?"));
        }
        let is_unknown_size =
            word.starts_with("None") || self.text[self.offset..].starts_with("-1");
        if is_unknown_size {
            let word = if word.starts_with("None") { "None" } else { "-1" };
            return error.reason(format!("`{word}` is not a size")).hint(
                "`?` is a dynamic size, but only static sizes are compiled: export with a fixed batch size",
            );
        }
        match word {
            "" => error,
            _ => error.reason(format!("`{word}` is not a type")),
        }
    }

    fn sizes(&self, error: Diagnostic) -> Diagnostic {
        let error = match self.next_token(self.offset) {
            Some((_, ",")) => error.reason("sizes are separated by `x`, found `,`"),
            Some((_, ">")) => error.reason("the element type is missing"),
            _ => return self.found(error),
        };
        error.hint("a tensor type is written like `tensor<4x8xf32>`")
    }

    /// Something other than an expected operation.
    fn no_operation(&self, error: Diagnostic) -> Diagnostic {
        let Some((start, token)) = self.next_token(self.offset) else {
            return match self.open_bracket(self.offset, None) {
                Some((at, bracket)) => error
                    .reason(format!("the text ends although `{bracket}` is not closed"))
                    .note_at(self.place(at), "opened here")
                    .hint(format!("close it with `{}`", closing(bracket))),
                None => error.reason("expected an operation, found the end of the text"),
            };
        };
        let error = error.at(self.place(start));
        let word = token.trim_start_matches('%');
        if token == "}" {
            return error.reason("this `}` closes nothing").hint("leave it out");
        }
        if token == "=>" {
            return error.reason("expected `->`, found `=>`").hint("result types come after `->`");
        }
        if token.starts_with(|c: char| c.is_ascii_alphanumeric())
            && self.is_assigned(start + token.len())
        {
            return error
                .reason(format!("`{word}` is not a value name"))
                .hint(format!("value names begin with `%`: `%{word}`"));
        }
        if token.starts_with('%') {
            return error
                .reason(format!("expected an operation, found the value `{token}`"))
                .hint("MLIR has no expressions: each line is one operation, such as `%0 = stablehlo.add %x, %y : tensor<4xf32>`");
        }
        error.reason(format!("expected an operation, found `{token}`"))
    }

    /// An unterminated string.
    fn open_quote(&self, error: Diagnostic) -> Diagnostic {
        let before = &self.text[..self.offset];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = &before[start..];
        let quotes: Vec<usize> = line.match_indices('"').map(|(at, _)| at).collect();
        match quotes.len() % 2 {
            1 => error.note_at(self.place(start + quotes[quotes.len() - 1]), "opened here"),
            _ => error,
        }
    }

    fn comment_of_python(&self, error: Diagnostic) -> Diagnostic {
        match self.text[self.offset..].starts_with("# ") {
            true => error.reason("`#` begins no comment").hint("comments begin with `//`"),
            false => error,
        }
    }

    /// A function without braces, whose body is outside of it.
    fn no_body(&self, error: Diagnostic) -> Diagnostic {
        let word = self.token(self.offset).to_owned();
        if self.open_bracket(self.offset, Some('{')).is_some() {
            return error;
        }
        let error = error
            .with_code(codes::S1001)
            .reason(format!("`{word}` is outside of any function"))
            .hint("`{` is missing after the function's result types");
        match self.text[..self.offset].rfind("func.func") {
            Some(at) => error.note_at(self.place(at), "this function has no body"),
            None => error,
        }
    }

    /// A missing attribute, and one with a similar name.
    fn misspelt_attribute(&self, error: Diagnostic, name: &str) -> Diagnostic {
        let line = self.text[self.offset..].lines().next().unwrap_or_default();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let words = line.split(|c| !is_name(c)).filter(|word| !word.is_empty());
        let near = strata_diag::near(name, words);
        match near.first() {
            Some(word) => error.hint(format!("found `{word}`: did you mean `{name}`?")),
            None => error.hint(format!("write it after the operands: `{{{name} = …}}`")),
        }
    }

    /// Reports what was found instead, and the position of an unclosed bracket.
    fn found(&self, error: Diagnostic) -> Diagnostic {
        let reason = error.reason_text().unwrap_or_default().to_owned();
        if let (Some((at, next)), Some((given, taken))) =
            (self.next_token(self.offset), self.operands())
            && ((next == ":" && given < taken) || (next == "," && given > taken))
        {
            return error.at(self.place(at)).reason(format!(
                "the number of operands is {given}, but the operation takes {taken}"
            ));
        }
        let here = self.text[self.offset..].lines().next().unwrap_or_default();
        let missing = reason.strip_prefix("expected `").and_then(|rest| rest.chars().next());
        let open = missing.and_then(opening);
        let error = match open.and_then(|open| self.open_bracket(self.offset, Some(open))) {
            Some((at, _)) => error.note_at(self.place(at), "opened here"),
            None => error,
        };
        match self.next_token(self.offset) {
            None => error.reason(format!("{reason}, found the end of the text")),
            // A token on another line was not meant here.
            Some((at, _)) if at - self.offset > here.len() => {
                error.reason(format!("{reason}, found the end of the line"))
            }
            Some((at, token)) => {
                // Another element would have come after a comma.
                let said = match reason.strip_prefix("expected `") {
                    Some(rest) if rest.starts_with([')', ']']) && is_element(token) => {
                        format!("expected `,` or `{rest}")
                    }
                    _ => reason.clone(),
                };
                let error = error.at(self.place(at)).reason(format!("{said}, found `{token}`"));
                self.value_without_percent(error, &reason, token)
            }
        }
    }

    fn value_without_percent(&self, error: Diagnostic, reason: &str, token: &str) -> Diagnostic {
        let name = format!("%{token}");
        let is_value = reason.starts_with("expected a value")
            && self.text.match_indices(&name).any(|(at, _)| self.token(at) == name);
        if is_value { error.hint(format!("did you mean `{name}`?")) } else { error }
    }

    /// Shows where a function of the program is declared.
    fn declared(&self, error: Diagnostic, name: Option<&str>) -> Diagnostic {
        let place = name.and_then(|name| {
            let all = self.text.match_indices('@').map(|(at, _)| at);
            let mut all = all.filter(|at| self.token(*at).strip_prefix('@') == Some(name));
            all.find(|at| {
                let before = self.text[..*at].trim_end();
                ["func.func", "public", "private", "nested"]
                    .iter()
                    .any(|word| before.ends_with(word))
            })
        });
        match place {
            Some(at) => error.note_at(self.place(at), "declared here"),
            None => error,
        }
    }

    /// Reports the number of operands or results of a call, and of the function.
    fn counted(
        &self,
        error: Diagnostic,
        what: &str,
        which: impl Fn((usize, usize)) -> usize,
    ) -> Diagnostic {
        let name = self.callee();
        let error = self.declared(error, name);
        let declared = error.notes().iter().rev().find_map(|note| note.location.as_ref());
        let declared = declared.and_then(|place| Source::new(self.text, place));
        let function = declared.and_then(|source| source.lists(source.offset));
        let rest = self.text[self.offset..].lines().next().unwrap_or_default();
        let call = rest.find('@').and_then(|at| self.lists(self.offset + at));
        match (name, call, function) {
            (Some(name), Some(call), Some(function)) => error.reason(format!(
                "the number of {what} is {}, but `@{name}` is declared with {}",
                which(call),
                which(function)
            )),
            _ => error,
        }
    }

    /// The number of items in the brackets after a function's name, and of its result types.
    fn lists(&self, name: usize) -> Option<(usize, usize)> {
        let (start, open) = self.next_token(name + self.token(name).len())?;
        let (arguments, end) = self.elements(start).filter(|_| open == "(")?;
        let mut at = end;
        // A call has its operand types in between.
        if let Some((colon, ":")) = self.next_token(at) {
            let (start, _) = self.next_token(colon + 1)?;
            at = self.elements(start)?.1;
        }
        let results = match self.next_token(at) {
            Some((arrow, "->")) => match self.next_token(arrow + 2)? {
                (start, "(") => self.elements(start)?.0,
                _ => 1,
            },
            _ => 0,
        };
        Some((arguments, results))
    }

    /// The number of elements of a bracketed list, and the byte after its closing bracket.
    fn elements(&self, open: usize) -> Option<(usize, usize)> {
        let (mut depth, mut count, mut is_empty) = (0usize, 1, true);
        let mut at = open;
        while let Some((start, token)) = self.next_token(at) {
            at = start + token.len();
            match token {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth = depth.checked_sub(1)?,
                "," if depth == 1 => count += 1,
                "\"" => at += self.text[at..].find('"')? + 1,
                _ => {}
            }
            if depth == 0 {
                return Some((if is_empty { 0 } else { count }, at));
            }
            is_empty = is_empty && start == open;
        }
        None
    }

    /// The number of operands of an operation in its short form here and by definition, if they differ.
    fn operands(&self) -> Option<(usize, usize)> {
        let start = self.text[..self.offset].rfind('\n').map_or(0, |end| end + 1);
        let line = self.text[start..].lines().next()?;
        let name = line.split_once('=').map_or(line, |(_, rest)| rest);
        let mut at = start + line.len() - name.len();
        let (begin, name) = self.next_token(at)?;
        let taken = OpKind::from_name(name).definition().operands?;
        at = begin + name.len();
        let mut given = 0;
        while let Some((begin, token)) = self.next_token(at).filter(|(_, one)| one.starts_with('%'))
        {
            given += 1;
            at = begin + token.len();
            match self.next_token(at) {
                Some((comma, ",")) => at = comma + 1,
                _ => break,
            }
        }
        (given > 0 && given != taken && at <= start + line.len()).then_some((given, taken))
    }

    /// The function that the call at this position names.
    fn callee(&self) -> Option<&'t str> {
        let rest = self.text[self.offset..].lines().next()?;
        self.token(self.offset + rest.find('@')?).strip_prefix('@')
    }

    /// The names of the program's functions.
    fn functions(&self) -> Vec<&'t str> {
        let heads = self.text.match_indices("func.func");
        let names = heads.filter_map(|(at, _)| {
            let line = self.text[at..].lines().next()?;
            self.token(at + line.find('@')?).strip_prefix('@')
        });
        names.collect()
    }

    /// Whether `=` follows.
    fn is_assigned(&self, offset: usize) -> bool {
        self.next_token(offset).is_some_and(|(_, token)| token == "=")
    }

    /// The last bracket that is open at a position, if it is of the given kind.
    fn open_bracket(&self, end: usize, kind: Option<char>) -> Option<(usize, char)> {
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut chars = self.text[..end].char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    while let Some((_, inside)) = chars.next_if(|(_, c)| *c != '"' && *c != '\n') {
                        if inside == '\\' {
                            chars.next();
                        }
                    }
                    chars.next();
                }
                '/' if self.text[at..].starts_with("//") => {
                    while chars.next_if(|(_, c)| *c != '\n').is_some() {}
                }
                '-' | '=' => {
                    chars.next_if(|(_, c)| *c == '>');
                }
                '(' | '[' | '{' | '<' => open.push((at, c)),
                _ if open.last().is_some_and(|(_, bracket)| closing(*bracket) == c) => {
                    open.pop();
                }
                _ => {}
            }
        }
        match kind {
            Some(kind) => open.into_iter().rev().find(|(_, bracket)| *bracket == kind),
            None => open.pop(),
        }
    }

    /// The first token at or after a byte, and its start.
    fn next_token(&self, from: usize) -> Option<(usize, &'t str)> {
        let mut at = from;
        loop {
            let rest = self.text.get(at..)?;
            let trimmed = rest.trim_start();
            at += rest.len() - trimmed.len();
            match trimmed.starts_with("//") {
                true => at += trimmed.find('\n')?,
                false if trimmed.is_empty() => return None,
                false => return Some((at, self.token(at))),
            }
        }
    }

    /// The token at a byte: a name with its sigil, an arrow, or a character.
    fn token(&self, at: usize) -> &'t str {
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.starts_with("->") || rest.starts_with("=>") {
            return &rest[..2];
        }
        let is_name = |c: char| c.is_alphanumeric() || "_$.".contains(c);
        let sign = usize::from(rest.starts_with(['%', '@', '#', '!', '^']));
        let end = rest[sign..].find(|c| !is_name(c)).map_or(rest.len(), |end| sign + end);
        let one = rest.chars().next().map_or(0, char::len_utf8);
        &rest[..end.max(one)]
    }

    /// The position of a byte of the text.
    fn place(&self, offset: usize) -> Location {
        let before = &self.text[..offset];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = before.matches('\n').count() + 1;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Location::new(self.at.file.as_str(), number(line), number(offset - start + 1))
    }
}

/// The diagnostic with similar names as its hint.
fn with_near(error: Diagnostic, name: &str, known: &[&str]) -> Diagnostic {
    match did_you_mean(name, known.iter().copied()) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Whether the token may be an element of a list.
fn is_element(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '%' || c == '"')
}

fn closing(bracket: char) -> char {
    match bracket {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        _ => '>',
    }
}

/// What opens the bracket; `None` for any other character.
fn opening(bracket: char) -> Option<char> {
    match bracket {
        ')' => Some('('),
        ']' => Some('['),
        '}' => Some('{'),
        '>' => Some('<'),
        _ => None,
    }
}
