//! Reports about a compilation on standard error: progress, `-v`, `--time-stages`, `--time-passes`.

use std::fmt::Write as _;
use std::time::Duration;

use object::{Object as _, ObjectSymbol as _};
use serde_json::{Value, json};
use strata::{Artifact, Compiler, Isa, Observer, Options, Part, Product, Stage, StageInfo, Target};
use strata_diag::Diagnostics;
use strata_run::Linked;

use super::link;
use crate::args::ReportArgs;
use crate::progress::Progress;
use crate::reporter::Reporter;

/// All observers of a compilation that the command line asks for.
pub struct Watch<'r> {
    reporter: &'r Reporter,
    progress: Option<Progress>,
    stages: Option<Stages<'r>>,
    timings: Option<Timings>,
}

impl<'r> Watch<'r> {
    pub fn new(args: &ReportArgs, reporter: &'r Reporter) -> Self {
        let times = args.time_stages || args.time_passes;
        Self {
            reporter,
            // The lines of -v give the same information.
            progress: (!args.verbose && reporter.shows_progress()).then(Progress::new),
            stages: args.verbose.then_some(Stages(reporter)),
            timings: times.then(|| Timings { with_parts: args.time_passes, ..Timings::default() }),
        }
    }

    /// Compiles to an object. If it will be called here, `linked` has the external functions.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn compile(
        mut self,
        options: Options,
        name: &str,
        program: &[u8],
        linked: Option<&Linked>,
    ) -> Result<Artifact, Diagnostics> {
        self.target(&options);
        let mut compiler = Compiler::new(options);
        if let Some(linked) = linked {
            compiler = compiler.offered(|name| linked.find(name).is_some(), link::HINT);
        }
        let result = self.observe(compiler).compile(name, program);
        self.finish(result.as_ref().ok());
        result
    }

    /// Prints the target.
    pub fn target(&self, options: &Options) {
        if self.stages.is_some() {
            let one = std::slice::from_ref(&options.target);
            let all = if options.versions.is_empty() { one } else { &options.versions };
            for target in all {
                self.reporter.tell(&target_text(target), &target_json(target));
            }
        }
    }

    /// The compiler, watched.
    pub fn observe<'o>(&'o mut self, mut compiler: Compiler<'o>) -> Compiler<'o>
    where
        'r: 'o,
    {
        if let Some(progress) = &mut self.progress {
            compiler = compiler.observe(progress);
        }
        if let Some(stages) = &mut self.stages {
            compiler = compiler.observe(stages);
        }
        if let Some(timings) = &mut self.timings {
            compiler = compiler.observe(timings);
        }
        compiler
    }

    /// Erases the progress line and prints the rest. Without an artifact the compilation has failed, and the times are up
    /// to the failure.
    pub fn finish(self, artifact: Option<&Artifact>) {
        drop(self.progress);
        if let (Some(_), Some(artifact)) = (&self.stages, artifact) {
            let made = Made::of(artifact);
            self.reporter.tell(&made.text(), &made.json());
        }
        if let Some(timings) = self.timings {
            self.reporter.tell(&timings.text(), &timings.json());
        }
    }
}

/// What the machine has, in words.
pub fn describe(target: &Target) -> String {
    let vectors = match target.isa {
        Isa::Scalar => "no vectors",
        Isa::Sse2 => "SSE2",
        Isa::Avx2 => "AVX2 with FMA",
        Isa::Avx512 => "AVX-512",
        Isa::Neon => "NEON",
    };
    format!("{}, CPU {}, {vectors}", target.triple, target.cpu)
}

pub fn target_json(target: &Target) -> Value {
    json!({
        "kind": "target",
        "triple": target.triple,
        "cpu": target.cpu,
        "features": target.features,
        "vector_bits": target.vector_bits(),
        "l1_bytes": target.l1_bytes,
        "l2_bytes": target.l2_bytes,
    })
}

fn target_text(target: &Target) -> String {
    // Disabled features are the majority, and of little interest.
    let features: Vec<&str> =
        target.features.split(',').filter(|feature| feature.starts_with('+')).collect();
    let features = if features.is_empty() { "the CPU's own".into() } else { features.join(" ") };
    let (l1, l2) = (target.l1_bytes >> 10, target.l2_bytes >> 10);
    format!("target      {}, L1 {l1} KiB, L2 {l2} KiB\nfeatures    {features}\n", describe(target))
}

/// Prints the result of each stage.
struct Stages<'r>(&'r Reporter);

impl Observer for Stages<'_> {
    fn part_started(&mut self, name: &str) {
        let shown = if name.is_empty() { "the whole object" } else { name };
        let object = json!({"kind": "part", "name": name});
        self.0.tell(&format!("part        {shown}\n"), &object);
    }

    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, elapsed: Duration) {
        let (size, unit) = product.size();
        let stage = info.stem();
        let text =
            format!("{stage:<11} {:>10.3} ms {size:>9} {unit}\n", elapsed.as_secs_f64() * 1e3);
        let object = json!({
            "kind": "stage",
            "stage": stage,
            "seconds": elapsed.as_secs_f64(),
            "size": size,
            "unit": unit,
        });
        self.0.tell(&text, &object);
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}

/// The summary at the end.
struct Made {
    stage: Stage,
    bytes: usize,
    workspace: Option<u64>,
    /// What the object defines for others, and what it needs.
    symbols: Option<(Vec<String>, Vec<String>)>,
}

impl Made {
    fn of(artifact: &Artifact) -> Self {
        let (stage, bytes) = (artifact.stage(), artifact.bytes());
        Self {
            stage,
            bytes: bytes.len(),
            workspace: artifact.workspace_size(),
            symbols: if stage == Stage::Obj { symbols(bytes) } else { None },
        }
    }

    fn text(&self) -> String {
        let what = if self.stage == Stage::Obj { "object" } else { "result" };
        let mut text = format!("{what:<11} {} bytes\n", self.bytes);
        if let Some(size) = self.workspace {
            text += &format!("workspace   {size} bytes\n");
        }
        if let Some((defined, needed)) = &self.symbols {
            let list = |names: &[String]| match names {
                [] => "nothing".to_owned(),
                names => names.join(" "),
            };
            text += &format!("defines     {}\nneeds       {}\n", list(defined), list(needed));
        }
        text
    }

    fn json(&self) -> Value {
        json!({
            "kind": "result",
            "stage": self.stage.info().stem(),
            "bytes": self.bytes,
            "workspace_bytes": self.workspace,
            "defines": self.symbols.as_ref().map(|(defined, _)| defined),
            "needs": self.symbols.as_ref().map(|(_, needed)| needed),
        })
    }
}

/// The names that an object defines for others, and those that it needs, sorted.
fn symbols(bytes: &[u8]) -> Option<(Vec<String>, Vec<String>)> {
    let file = object::File::parse(bytes).ok()?;
    let (mut defined, mut needed) = (Vec::new(), Vec::new());
    for symbol in file.symbols().filter(|symbol| symbol.is_global()) {
        match symbol.name() {
            Ok("") | Err(_) => {}
            Ok(name) if symbol.is_undefined() => needed.push(name.to_owned()),
            Ok(name) => defined.push(name.to_owned()),
        }
    }
    defined.sort_unstable();
    needed.sort_unstable();
    Some((defined, needed))
}

/// Keeps how long each stage took, and its steps or all of its parts.
#[derive(Default)]
struct Timings {
    with_parts: bool,
    /// Prefix of the stages of a part of a joint object.
    part: String,
    stages: Vec<Part>,
    /// Those of the current stage.
    inside: Vec<Part>,
    checks: Duration,
}

impl Observer for Timings {
    fn part_started(&mut self, name: &str) {
        self.part = if name.is_empty() { String::new() } else { format!("{name}/") };
    }

    fn stage_finished(&mut self, info: &StageInfo, _: &Product<'_, '_>, elapsed: Duration) {
        let parts = std::mem::take(&mut self.inside);
        let name = format!("{}{}", self.part, info.stem());
        self.stages.push(Part { name, count: 1, elapsed, parts });
    }

    fn step_finished(
        &mut self,
        _: &StageInfo,
        _: usize,
        name: &str,
        _: &Product<'_, '_>,
        elapsed: Duration,
    ) {
        if !self.with_parts {
            self.inside.push(Part { name: name.to_owned(), count: 1, elapsed, parts: Vec::new() });
        }
    }

    fn parts_finished(&mut self, _: &StageInfo, parts: &[Part]) {
        if self.with_parts {
            self.inside = parts.to_vec();
        }
    }

    fn stage_checked(&mut self, _: &StageInfo, elapsed: Duration) {
        self.checks += elapsed;
    }

    fn wants_assembly(&self) -> bool {
        false
    }

    fn wants_parts(&self) -> bool {
        self.with_parts
    }
}

/// The time of a part that is in none of its children.
fn rest(part: &Part) -> Duration {
    part.elapsed.saturating_sub(part.parts.iter().map(|inside| inside.elapsed).sum())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl Timings {
    fn sum(&self) -> Duration {
        self.stages.iter().map(|stage| stage.elapsed).sum()
    }

    fn text(&self) -> String {
        if self.with_parts { self.tree() } else { self.table() }
    }

    /// A line for each stage and step.
    fn table(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, elapsed: Duration| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name:<14} {:>10.3} ms", milliseconds(elapsed));
        };
        for stage in &self.stages {
            line(&stage.name, stage.elapsed);
            stage.parts.iter().for_each(|step| line(&format!("  {}", step.name), step.elapsed));
        }
        line("total", self.sum());
        text
    }

    /// A line for each stage and its parts, with run counts and shares of the whole.
    fn tree(&self) -> String {
        let whole = self.sum() + self.checks;
        let mut lines = Vec::new();
        for stage in &self.stages {
            add_lines(stage, 0, &mut lines);
        }
        lines.push(("verification and contracts".to_owned(), None, self.checks));
        lines.push(("total".to_owned(), None, whole));
        let width = lines.iter().map(|(name, ..)| name.len()).max().unwrap_or(0);
        let mut text = format!("{:<width$} {:>6} {:>8} {:>13}\n", "part", "runs", "share", "time");
        for (name, runs, elapsed) in lines {
            let runs = runs.map_or_else(String::new, |runs: u64| runs.to_string());
            let share = 100.0 * elapsed.as_secs_f64() / whole.as_secs_f64().max(f64::MIN_POSITIVE);
            let _ = writeln!(
                text,
                "{name:<width$} {runs:>6} {share:>6.1} % {:>10.3} ms",
                milliseconds(elapsed)
            );
        }
        text
    }

    fn json(&self) -> Value {
        json!({
            "kind": "times",
            "stages": self.stages.iter().map(part_json).collect::<Vec<_>>(),
            "checks_seconds": self.checks.as_secs_f64(),
            "seconds": (self.sum() + self.checks).as_secs_f64(),
        })
    }
}

fn add_lines(part: &Part, depth: usize, lines: &mut Vec<(String, Option<u64>, Duration)>) {
    let indented = |name: &str, depth: usize| format!("{:width$}{name}", "", width = 2 * depth);
    let runs = (depth > 0).then_some(part.count);
    lines.push((indented(&part.name, depth), runs, part.elapsed));
    for inside in &part.parts {
        add_lines(inside, depth + 1, lines);
    }
    if !part.parts.is_empty() {
        lines.push((indented("the rest", depth + 1), None, rest(part)));
    }
}

fn part_json(part: &Part) -> Value {
    json!({
        "name": part.name,
        "runs": part.count,
        "seconds": part.elapsed.as_secs_f64(),
        "parts": part.parts.iter().map(part_json).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use strata::Part;

    use super::Timings;

    #[test]
    fn the_tree_says_what_is_left_over() {
        let part = |name: &str, count, time, parts| Part {
            name: name.into(),
            count,
            elapsed: Duration::from_millis(time),
            parts,
        };
        let inside = vec![part("cse", 3, 20, Vec::new()), part("canonicalize", 1, 50, Vec::new())];
        let stages = vec![part("10-hlo", 1, 90, inside)];
        let timings = Timings {
            with_parts: true,
            part: String::new(),
            stages,
            inside: Vec::new(),
            checks: Duration::from_millis(10),
        };
        let text = timings.text();
        let words: Vec<Vec<&str>> =
            text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[1], ["10-hlo", "90.0", "%", "90.000", "ms"]);
        assert_eq!(words[2], ["cse", "3", "20.0", "%", "20.000", "ms"]);
        assert_eq!(words[4], ["the", "rest", "20.0", "%", "20.000", "ms"]);
        assert_eq!(words[6], ["total", "100.0", "%", "100.000", "ms"]);
        assert_eq!(timings.json()["stages"][0]["parts"][0]["runs"], 3);
    }
}
