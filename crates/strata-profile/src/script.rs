//! The text of `perf script`: samples of a process that has the program's object.

use strata_diag::{Diagnostic, Location, codes};

use crate::{
    attribution::Attribution,
    code::{Code, Position},
    report::Taken,
};

/// A symbol and the bytes from it, where they are told.
#[derive(Debug, PartialEq, Eq)]
struct Frame<'t> {
    symbol: &'t str,
    offset: Option<u64>,
}

/// Reads the samples of a text.
///
/// # Errors
/// `S1808` for a text that does not say where in functions samples are, `S1809` for samples of another object.
pub(crate) fn read(
    text: &str,
    file: &str,
    code: &Code,
    attribution: &Attribution<'_>,
) -> Result<Taken, Diagnostic> {
    let mut taken = Taken::default();
    let at_file = |error: Diagnostic| error.at(Location::file(file));
    for stack in stacks(text) {
        let Some((first, callers)) = stack.split_first() else { continue };
        let mut places = vec![instruction(first, code).map_err(at_file)?];
        places.extend(callers.iter().map(|frame| call(frame, code)));
        taken.add(attribution.part(&places), places.first().copied().flatten(), 1);
    }
    Ok(taken)
}

/// Where an instruction is in the object; `None` for other code.
fn instruction(frame: &Frame<'_>, code: &Code) -> Result<Option<Position>, Diagnostic> {
    let Some(function) = code.named(frame.symbol) else { return Ok(None) };
    let Some(offset) = frame.offset else {
        return Err(Diagnostic::new(codes::S1808)
            .reason(format!("it does not say where in `{}` a sample is", frame.symbol))
            .hint("`perf script -F +symoff` prints offsets"));
    };
    let position = Position { function, offset };
    if code.is_instruction(position) {
        return Ok(Some(position));
    }
    Err(Diagnostic::new(codes::S1809)
        .reason(format!(
            "a sample is at byte {offset} of `{}`, where the code that these options make has no instruction",
            frame.symbol
        ))
        .hint("give the options with which the object of the process was compiled, above all --target-cpu"))
}

/// Where a call is in the object. Frame pointers, from which `perf` makes stacks, are other values in code like this one: what is not after
/// a call is none.
fn call(frame: &Frame<'_>, code: &Code) -> Option<Position> {
    let (function, offset) = (code.named(frame.symbol)?, frame.offset?);
    let follows_call = code.is_return(Position { function, offset });
    follows_call.then_some(Position { function, offset: offset.saturating_sub(1) })
}

/// The stack of each sample, the innermost frame first.
fn stacks(text: &str) -> Vec<Vec<Frame<'_>>> {
    let mut found: Vec<Vec<Frame<'_>>> = Vec::new();
    let mut is_open = false;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.trim().is_empty() {
            is_open = false;
        } else if line.starts_with('\t') {
            if !is_open {
                found.push(Vec::new());
            }
            is_open = true;
            if let Some(stack) = found.last_mut() {
                stack.push(frame(line));
            }
        } else {
            // The event's name ends with a colon; the innermost frame follows on the line, or all frames on lines of their own.
            let rest = line.rfind(": ").map_or(line, |at| &line[at + 2..]);
            let is_headed = line.trim_end().ends_with(':');
            found.push(if is_headed { Vec::new() } else { vec![frame(rest)] });
            is_open = is_headed;
        }
    }
    found.retain(|stack| !stack.is_empty());
    found
}

/// `559eff48b1de strata.kernel.0+0x80e (/usr/bin/model)`.
fn frame(text: &str) -> Frame<'_> {
    let mut words = text.split_whitespace();
    // The address.
    words.next();
    let symbol = words.next().unwrap_or_default();
    let told = symbol.rsplit_once("+0x").and_then(|(symbol, offset)| {
        Some(Frame { symbol, offset: Some(u64::from_str_radix(offset, 16).ok()?) })
    });
    told.unwrap_or(Frame { symbol, offset: None })
}

#[cfg(test)]
mod tests {
    use super::{Frame, stacks};

    fn told(text: &str) -> Vec<Vec<String>> {
        let one = |frame: &Frame<'_>| match frame.offset {
            Some(offset) => format!("{}@{offset}", frame.symbol),
            None => frame.symbol.to_owned(),
        };
        stacks(text).iter().map(|stack| stack.iter().map(one).collect()).collect()
    }

    #[test]
    fn samples_on_a_line_each() {
        let text = "# captured\n  my app 29236 [001] 38.851: 2004008 cpu-clock:u:  559eff48b1de strata.kernel.0+0x80e (/tmp/a b)\n\
                    app 1 38.9: 1 cycles:  7f00 [unknown] ([unknown])\n  55de m_main.kernel+0x10\n55de sin\n";
        assert_eq!(
            told(text),
            [
                vec!["strata.kernel.0@2062"],
                vec!["[unknown]"],
                vec!["m_main.kernel@16"],
                vec!["sin"]
            ]
        );
    }

    #[test]
    fn samples_with_stacks() {
        let text = "app 1 38.1: 20 cpu-clock:u: \n\t 2779 strata.kernel.0+0xda9 (/a)\n\t 13ed m_main.kernel+0x2 (/a)\n\n\
                    app 1 38.2: 20 cpu-clock:u: \n\t 99 main+0x1 (/a)\n\n\t 7 strata.kernel.1+0x7\n";
        assert_eq!(
            told(text),
            [
                vec!["strata.kernel.0@3497", "m_main.kernel@2"],
                vec!["main@1"],
                vec!["strata.kernel.1@7"]
            ]
        );
        assert!(told("\n\n").is_empty());
    }
}
