//! The text of `perf script`: samples of a process that has the program's object.
//!
//! The name of a function does not say whose it is: objects of several programs, which may be in one process, have functions with the same
//! local names. A sample counts where its address is that of the object's function in the file that the sample is in, whose symbols and
//! code are read for that.

use std::collections::{BTreeMap, BTreeSet};

use strata_diag::{Diagnostic, Location, codes};

use crate::{
    attribution::Attribution,
    code::{Code, Position},
    placed::{self, Found, Placed},
    report::Taken,
};

/// A frame of a sample.
#[derive(Debug, PartialEq, Eq)]
struct Frame<'t> {
    /// Its address in memory.
    address: u64,
    symbol: &'t str,
    /// The bytes from the symbol, where they are told.
    offset: Option<u64>,
    /// The program or library that it is in.
    file: &'t str,
}

impl Frame<'_> {
    /// Where its function begins in memory.
    fn start(&self) -> Option<u64> {
        self.address.checked_sub(self.offset?)
    }
}

/// Reads the samples of a file. `contents` are those of the programs and libraries that samples name.
///
/// # Errors
/// `S1808` for what `perf script` does not print, or what does not say where in functions samples are; `S1809` for samples of another object, and where it cannot be said
/// whose they are.
pub(crate) fn read(
    data: &[u8],
    file: &str,
    code: &Code,
    attribution: &Attribution<'_>,
    contents: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Result<Taken, Diagnostic> {
    let stacks = stacks(text_of(data, file)?, file)?;
    let reader = Reader::new(&stacks, code, attribution, contents);
    let mut taken = Taken::default();
    for stack in &stacks {
        let Some((first, callers)) = stack.split_first() else { continue };
        let first = reader.instruction(first).map_err(|error| error.at(Location::file(file)))?;
        let mut places = vec![first];
        places.extend(callers.iter().map(|frame| reader.call(frame)));
        taken.add(attribution.part(&places), first, 1);
    }
    Ok(taken)
}

/// What is known of the files that samples are in.
struct Reader<'r> {
    code: &'r Code,
    attribution: &'r Attribution<'r>,
    /// By the name of the file; `None` for one that cannot be read.
    files: BTreeMap<&'r str, Option<Found>>,
    /// By how much addresses in memory and in a file differ, for each process that had it.
    distances: BTreeMap<&'r str, BTreeSet<u64>>,
}

impl<'r> Reader<'r> {
    fn new(
        stacks: &'r [Vec<Frame<'r>>],
        code: &'r Code,
        attribution: &'r Attribution<'r>,
        contents: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Self {
        let is_own = |name: &str| attribution.is_entrys(name);
        let mut files = BTreeMap::new();
        for frame in stacks.iter().flatten().filter(|frame| code.named(frame.symbol).is_some()) {
            files.entry(frame.file).or_insert_with(|| {
                contents(frame.file).and_then(|data| placed::find(&data, code, is_own))
            });
        }
        let mut distances: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for frame in stacks.iter().flatten() {
            let Some(Some(Found::Placed(placed))) = files.get(frame.file) else { continue };
            let start = frame.start();
            if let Some(known) = start.and_then(|start| placed.distance(frame.symbol, start)) {
                distances.entry(frame.file).or_default().insert(known);
            }
        }
        Self { code, attribution, files, distances }
    }

    /// Where an instruction is in the object; `None` for other code.
    fn instruction(&self, frame: &Frame<'_>) -> Result<Option<Position>, Diagnostic> {
        let Some(function) = self.code.named(frame.symbol) else { return Ok(None) };
        let (Some(offset), Some(start)) = (frame.offset, frame.start()) else {
            return Err(Diagnostic::new(codes::S1808)
                .reason(format!("it does not say where in `{}` a sample is", frame.symbol))
                .hint("`perf script -F +ip,+sym,+symoff,+dso` prints addresses and offsets"));
        };
        if !self.is_object(frame, function, start)? {
            return Ok(None);
        }
        let position = Position { function, offset };
        if self.code.is_instruction(position) {
            return Ok(Some(position));
        }
        Err(other_build(format!(
            "a sample is at byte {offset} of `{}`, where the code that these options make has no instruction",
            frame.symbol
        )))
    }

    /// Whether the function of a frame, which begins at `start` in memory, is the object's.
    fn is_object(
        &self,
        frame: &Frame<'_>,
        function: usize,
        start: u64,
    ) -> Result<bool, Diagnostic> {
        let Frame { symbol, file, .. } = frame;
        let unknown = |reason: String, hint: &'static str| {
            Err(Diagnostic::new(codes::S1809).reason(reason).hint(hint))
        };
        match self.files.get(file).and_then(Option::as_ref) {
            // Its name is the program's own.
            None if self.attribution.is_entrys(symbol) => Ok(true),
            None => unknown(
                format!(
                    "whose `{symbol}` samples are of cannot be said: any object of the compiler may have one, and `{file}` cannot be read"
                ),
                "read the samples where that file is, or name it, or a copy of the same file name, with `--binary`",
            ),
            Some(Found::Absent) => Ok(false),
            Some(Found::Other(differing)) => Err(other_build(format!(
                "`{file}` has other code for `{differing}` than these options make"
            ))),
            Some(Found::Twice) => unknown(
                format!(
                    "`{file}` has the object's code twice, for programs that differ by their data only"
                ),
                "record a process with one of them",
            ),
            Some(Found::Placed(placed)) => self.is_there(placed, frame, function, start),
        }
    }

    fn is_there(
        &self,
        placed: &Placed,
        frame: &Frame<'_>,
        function: usize,
        start: u64,
    ) -> Result<bool, Diagnostic> {
        let Frame { symbol, file, .. } = frame;
        let own = placed.address(function).map(|address| start.wrapping_sub(address));
        let candidates = placed.candidates(symbol, start);
        let is_own = match self.distances.get(file) {
            Some(known) => own.is_some_and(|distance| known.contains(&distance)),
            None => own.is_some_and(|distance| distance % placed::PAGE == 0),
        };
        let reason = match (is_own, candidates) {
            (true, 1) => return Ok(true),
            (true, _) if self.distances.contains_key(file) => return Ok(true),
            (true, _) => format!(
                "`{file}` has several `{symbol}`, and which of them samples are of cannot be said"
            ),
            (false, 0) => format!(
                "`{file}` is not the file that was recorded: it has no `{symbol}` where samples are"
            ),
            (false, _) => return Ok(false),
        };
        Err(Diagnostic::new(codes::S1809)
            .reason(reason)
            .hint("record the process again, for longer"))
    }

    /// Where a call is in the object. Frame pointers, from which `perf` makes stacks, are other values in code like this one: what is not
    /// after a call is none.
    fn call(&self, frame: &Frame<'_>) -> Option<Position> {
        let (function, offset) = (self.code.named(frame.symbol)?, frame.offset?);
        self.is_object(frame, function, frame.start()?).ok().filter(|is_object| *is_object)?;
        let follows_call = self.code.is_return(Position { function, offset });
        follows_call.then_some(Position { function, offset: offset.saturating_sub(1) })
    }
}

fn other_build(reason: String) -> Diagnostic {
    Diagnostic::new(codes::S1809).reason(reason).hint(
        "give the options with which the object of the process was compiled, above all --target-cpu",
    )
}

/// What `perf record` writes begins with this.
const RECORDING: &[u8] = b"PERFILE2";

/// The text of a file.
///
/// # Errors
/// `S1808` for one that is not text.
fn text_of<'t>(data: &'t [u8], file: &str) -> Result<&'t str, Diagnostic> {
    let refuse = |reason: &str| {
        let error = Diagnostic::new(codes::S1808).at(Location::file(file)).reason(reason);
        error.hint("`perf script >samples.txt` prints the samples of `perf.data` as text")
    };
    if data.starts_with(RECORDING) {
        return Err(refuse(
            "this is what `perf record` wrote, not what `perf script` prints of it",
        ));
    }
    std::str::from_utf8(data).map_err(|error| {
        let lines = data[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        refuse(&format!("line {} is not text", lines + 1))
    })
}

/// The stack of each sample, the innermost frame first.
///
/// # Errors
/// `S1808` for a line that `perf script` does not print.
fn stacks<'t>(text: &'t str, file: &str) -> Result<Vec<Vec<Frame<'t>>>, Diagnostic> {
    let mut found: Vec<Vec<Frame<'_>>> = Vec::new();
    // Whether lines are frames of a sample whose head was read, and whether it is a sample of time.
    let (mut is_open, mut is_counted) = (false, true);
    let mut lines = text.lines().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        if line.starts_with('#') || line.contains(": PERF_RECORD_") {
            continue;
        }
        if line.trim().is_empty() {
            (is_open, is_counted) = (false, true);
            continue;
        }
        if line.starts_with('\t') {
            let frame = frame(line).ok_or_else(|| malformed(file, at, line))?;
            match found.last_mut() {
                _ if !is_counted => {}
                Some(stack) if is_open => stack.push(frame),
                _ => found.push(vec![frame]),
            }
            is_open = true;
            continue;
        }
        let is_event = is_timed(line);
        if is_open && line.starts_with(' ') && !is_event {
            // What `-F` adds to a frame, such as its source line.
            continue;
        }
        // The event's name ends with a colon; the innermost frame follows on the line, or all frames on lines of their own.
        let is_head = line.trim_end().ends_with(':');
        let rest = line.rfind(": ").map_or(line, |at| &line[at + 2..]);
        is_open = is_head || lines.peek().is_some_and(|(_, next)| next.starts_with('\t'));
        // A tracepoint has a text instead of an address.
        is_counted = is_head || !(is_open && is_event);
        match frame(rest) {
            Some(frame) if !is_open => found.push(vec![frame]),
            _ if is_open || is_event => found.push(Vec::new()),
            _ => return Err(malformed(file, at, line)),
        }
    }
    found.retain(|stack| !stack.is_empty());
    Ok(found)
}

fn malformed(file: &str, at: usize, line: &str) -> Diagnostic {
    /// Characters of a line that are shown.
    const SHOWN: usize = 60;
    let line = line.trim();
    let shown: String = line.chars().take(SHOWN).collect();
    let rest = if shown.len() < line.len() { "…" } else { "" };
    Diagnostic::new(codes::S1808)
        .at(Location::file(file))
        .reason(format!(
            "line {}, `{shown}{rest}`, is not the head of a sample and has no address: `perf script` does not print that",
            at + 1
        ))
        .hint("`perf script >samples.txt` prints what is read; with `-F`, add `+ip,+sym,+symoff,+dso`")
}

/// Whether a line is of an event, with its time: `app 29236 [001] 38.851: sched:sched_switch: app:1 ==> b:2`.
fn is_timed(line: &str) -> bool {
    let mut words = line.split_whitespace().filter_map(|word| word.strip_suffix(':'));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    words.any(|word| word.split_once('.').is_some_and(|(a, b)| is_number(a) && is_number(b)))
}

/// `559eff48b1de strata.kernel.0+0x80e (/usr/bin/model)`; `None` for what does not begin with an address.
fn frame(text: &str) -> Option<Frame<'_>> {
    let text = text.trim();
    let (address, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let address = u64::from_str_radix(address, 16).ok()?;
    let (symbol, file) = rest.split_once(" (").unwrap_or((rest, ""));
    let file = file.strip_suffix(')').unwrap_or(file);
    let told = symbol
        .trim()
        .rsplit_once("+0x")
        .and_then(|(symbol, offset)| Some((symbol, Some(u64::from_str_radix(offset, 16).ok()?))));
    let (symbol, offset) = told.unwrap_or((symbol.trim(), None));
    Some(Frame { address, symbol, offset, file })
}

#[cfg(test)]
mod tests {
    use super::{Frame, stacks, text_of};

    fn told(text: &str) -> Vec<Vec<String>> {
        let one = |frame: &Frame<'_>| match frame.offset {
            Some(offset) => format!("{}@{offset} in {}", frame.symbol, frame.file),
            None => format!("{} in {}", frame.symbol, frame.file),
        };
        let stacks = stacks(text, "s.txt").expect("samples");
        stacks.iter().map(|stack| stack.iter().map(one).collect()).collect()
    }

    #[test]
    fn samples_on_a_line_each() {
        let text = "# captured\n  my app 29236 [001] 38.851: 2004008 cpu-clock:u:  559eff48b1de strata.kernel.0+0x80e (/tmp/a b)\n\
                    app 1 38.9: PERF_RECORD_MMAP2 1/1: [0x7f00(0x1000) @ 0 08:01 1 0]: r-xp /tmp/a\n\
                    app 1 38.9: 1 cycles:  7f00 [unknown] ([unknown])\n  55de m_main.kernel+0x10\n55de sin (/lib/m (deleted))\n";
        assert_eq!(
            told(text),
            [
                vec!["strata.kernel.0@2062 in /tmp/a b"],
                vec!["[unknown] in [unknown]"],
                vec!["m_main.kernel@16 in "],
                vec!["sin in /lib/m (deleted)"]
            ]
        );
        let first = &stacks(text, "s.txt").expect("samples")[0][0];
        assert_eq!(first.start(), Some(0x559e_ff48_b1de - 0x80e));
    }

    #[test]
    fn samples_with_stacks() {
        let text = "app 1 38.1: 20 cpu-clock:u: \n\t 2779 strata.kernel.0+0xda9 (/a)\n\t 13ed m_main.kernel+0x2 (/a)\n\n\
                    app 1 38.2: 20 cpu-clock:u: \n\t 99 main+0x1 (/a)\n\n\t 7 strata.kernel.1+0x7\n";
        assert_eq!(
            told(text),
            [
                vec!["strata.kernel.0@3497 in /a", "m_main.kernel@2 in /a"],
                vec!["main@1 in /a"],
                vec!["strata.kernel.1@7 in "]
            ]
        );
        assert!(told("\n\n").is_empty());
        // Heads without events, source lines, and a tracepoint, which does not say where time goes.
        let text = "app \n\t 2779 a+0x9 (/a)\n  a.c:7\n\t 13ed b+0x2 (/a)\n\n\
                    app 1 [000] 38.1: sched:sched_switch: app:1 ==> b:2\n\t 99 c+0x1 (/k)\n\n\
                    app 1 [000] 38.2: sched:sched_wakeup: b:2\napp 1 38.3: 1 cycles:  7 d+0x7 (/a)\n";
        assert_eq!(told(text), [vec!["a@9 in /a", "b@2 in /a"], vec!["d@7 in /a"]]);
    }

    #[test]
    fn other_lines_are_told() {
        let good = "app 1 38.3: 1 cycles:  7 d+0x7 (/a)\n";
        for (text, line) in [
            ("hello\n", "line 1, `hello`,"),
            (&format!("{good}\n{good}oops\n"), "line 4, `oops`,"),
            (
                &format!("{good}app 1: 1 cycles: d+0x7 (/a)\n"),
                "line 2, `app 1: 1 cycles: d+0x7 (/a)`,",
            ),
            ("app 1 38.3: 1 cycles:\n\t d+0x7\n", "line 2, `d+0x7`,"),
            (&"é".repeat(61), &format!("line 1, `{}…`,", "é".repeat(60))),
        ] {
            let error = stacks(text, "s.txt").expect_err(text).to_string();
            assert!(error.contains(line), "{text}: {error}");
        }
        for (data, reason) in [
            (&b"PERFILE2\0\0"[..], "`perf record` wrote"),
            (b"a 1.0: x: 7 d\n\xff\n", "line 2 is not text"),
        ] {
            let error = text_of(data, "s.txt").expect_err(reason).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
