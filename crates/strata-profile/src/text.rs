//! The profile as text.

use std::fmt::Write as _;

use strata_diag::{
    printable,
    units::{bytes, exact_bytes, grouped, padded, time},
};

use crate::{
    limits::Limits,
    memory,
    report::{Profile, Row},
};

/// Parts of a call for which the memory is shown.
const PARTS: usize = 10;

impl Profile {
    /// The report, with so many rows in each of its tables at most.
    pub fn text(&self, most: usize) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text, most);
        text
    }

    fn write(&self, text: &mut String, most: usize) -> std::fmt::Result {
        self.write_head(text)?;
        let limits = self.limits.as_ref();
        let operation = |row: &Row<usize>| {
            let nests: Vec<_> =
                self.nests_of(row.key).into_iter().map(|nest| self.nest_name(nest)).collect();
            let place = self.place_of(row.key);
            let place = place.map(|place| format!("  {}:{}", place.file, place.line));
            let nests =
                if nests.is_empty() { String::new() } else { format!("  {}", nests.join(", ")) };
            format!("{}{nests}{}", self.operation_name(row.key), place.unwrap_or_default())
        };
        if self.operations.is_empty() {
            writeln!(text, "No sample is of an operation: see what the others are of, above.\n")?;
            return self.write_memory(text);
        }
        self.write_table(
            text,
            "operation, nest, line",
            (&self.operations, most),
            limits,
            operation,
        )?;
        let line = |row: &Row<crate::Place>| format!("{}:{}", row.key.file, row.key.line);
        match self.lines.is_empty() {
            true => writeln!(
                text,
                "The program has no source places. JAX writes them with `lowered.as_text(debug_info=True)`.\n"
            )?,
            false => self.write_table(text, "line", (&self.lines, most), limits, line)?,
        }
        let nest = |row: &Row<usize>| {
            let schedule = self.facts.index["nests"][row.key]["schedule"].as_str();
            format!("{}  {}", self.nest_name(row.key), schedule.unwrap_or("plain loops"))
        };
        self.write_table(text, "nest, schedule", (&self.nests, most), limits, nest)?;
        self.write_memory(text)
    }

    fn write_head(&self, text: &mut String) -> std::fmt::Result {
        let percent = |samples: u64| 100.0 * samples as f64 / self.counts.inside as f64;
        let target = &self.facts.index["target"];
        let [program, entry] = [&self.program, &self.entry].map(|name| printable(name));
        writeln!(text, "program     {program}, entry `{entry}`")?;
        let word = |key: &str| target[key].as_str().unwrap_or("?");
        writeln!(text, "target      {}, CPU {}", word("triple"), word("cpu"))?;
        writeln!(text, "samples     by {}", self.how)?;
        if let Some(reason) = &self.refused {
            writeln!(text, "            as perf_event_open is not possible: {reason}")?;
        }
        let counts = self.counts;
        let outside = counts.outside as f64 / (counts.inside + counts.outside) as f64;
        writeln!(
            text,
            "            {} of the program; {:.1} % of all are elsewhere",
            grouped(counts.inside),
            100.0 * outside
        )?;
        for (samples, what) in [
            (counts.called, "in functions that it calls"),
            (counts.nest_only, "in nests, in code of no single operation"),
            (counts.unknown, "in code of which nothing is known"),
        ] {
            if samples > 0 {
                writeln!(text, "            {:.1} % of these {what}", percent(samples))?;
            }
        }
        if counts.lost > 0 {
            writeln!(text, "            {} were lost", grouped(counts.lost))?;
        }
        if let Some(run) = self.run {
            let threads = match (run.devices, run.threads) {
                (1, 1) => "one thread".to_owned(),
                (1, threads) => format!("{threads} threads"),
                (devices, _) => format!("{devices} devices, a thread each"),
            };
            let (calls, mean) = (grouped(run.calls), time(run.seconds));
            writeln!(text, "measured    {calls} calls of {mean} on {threads}")?;
            if let Some(processor) = run.processor {
                let each = if run.devices > 1 { ", on average" } else { "" };
                writeln!(text, "            {} of it is processor time{each}", time(processor))?;
            }
            if run.devices > 1 {
                let waiting = 100.0 * run.waiting;
                writeln!(
                    text,
                    "            a device waits for others {waiting:.1} % of it, of which there are no samples"
                )?;
            }
            let overhead = 100.0 * run.overhead();
            writeln!(
                text,
                "overhead    {overhead:+.1} %: calls without samples take {}",
                time(run.undisturbed)
            )?;
            if let Some(share) = run.lacks_processor() {
                write_busy(text, share, run.processor.is_some())?;
            }
        }
        if let Some(limits) = &self.limits {
            self.write_limits(text, limits)?;
        }
        writeln!(text)
    }

    fn write_limits(&self, text: &mut String, limits: &Limits) -> std::fmt::Result {
        let what = match self.facts.has_fma {
            true => "multiply-adds",
            false => "multiplications and additions",
        };
        let threads = self.run.map_or(1, |run| run.threads);
        let times = if threads > 1 { format!(" x {threads} threads") } else { String::new() };
        writeln!(
            text,
            "limits      {:.1} GFLOP/s{times}: f32 {what} in registers\n            {:.1} GB/s: reading {} or copying, one thread",
            limits.flops / 1e9,
            limits.copy.max(limits.read) / 1e9,
            bytes(limits.array_bytes)
        )
    }

    fn write_table<K>(
        &self,
        text: &mut String,
        what: &str,
        (rows, most): (&[Row<K>], usize),
        limits: Option<&Limits>,
        told: impl Fn(&Row<K>) -> String,
    ) -> std::fmt::Result {
        const WIDTHS: [usize; 6] = [7, 6, 12, 10, 9, 10];
        let line = |text: &mut String, cells: [String; 6], what: &str| {
            for (cell, width) in cells.iter().zip(WIDTHS) {
                write!(text, "{}", padded(cell, width, true))?;
            }
            writeln!(text, "  {what}")
        };
        let heads = ["share", "±", "time", "GFLOP/s", "GB/s", "of limit"].map(str::to_owned);
        line(text, heads, what)?;
        let threads = self.run.map_or(1, |run| run.threads);
        for row in rows.iter().take(most) {
            let giga = |rate: Option<f64>| {
                rate.map_or("–".to_owned(), |rate| format!("{:.2}", rate / 1e9))
            };
            let of_limit = limits.and_then(|limits| row.of_limit(limits, threads));
            let cells = [
                format!("{:.1} %", 100.0 * row.share),
                format!("{:.1}", 100.0 * row.error),
                row.seconds.map_or("–".to_owned(), time),
                giga(row.rate(row.cost.flops)),
                giga(row.rate(row.cost.bytes)),
                of_limit.map_or("–".to_owned(), |(share, is_arithmetic)| {
                    format!("{:.0} % {}", 100.0 * share, if is_arithmetic { "a" } else { "m" })
                }),
            ];
            let split = match row.split > 0.3 * row.share {
                true => format!("  (of one of several: {:.1} %)", 100.0 * row.split),
                false => String::new(),
            };
            line(text, cells, &format!("{}{split}", printable(&told(row))))?;
        }
        if rows.len() > most {
            let rest: f64 = rows[most..].iter().map(|row| row.share).sum();
            writeln!(text, "{:>5.1} %  in {} more", 100.0 * rest, rows.len() - most)?;
        }
        writeln!(text)
    }

    fn write_memory(&self, text: &mut String) -> std::fmt::Result {
        let Some(workspace) = self.facts.workspace else { return Ok(()) };
        writeln!(text, "memory      {} of workspace", exact_bytes(workspace))?;
        let peak = self.memory.iter().filter(|step| step.bytes > 0).max_by_key(|step| step.bytes);
        let Some(peak) = peak else { return Ok(()) };
        let total: f64 = self.memory.iter().map(|step| step.share).sum();
        let during = match (peak.nest, peak.operation) {
            (Some(nest), _) => format!(" in {}", self.nest_name(nest)),
            (None, Some(operation)) => format!(" in {}", self.operation_name(operation)),
            (None, None) => String::new(),
        };
        writeln!(text, "            at most {} are live{during}", bytes(peak.bytes))?;
        let parts = memory::over_time(&self.memory, PARTS);
        if parts.is_empty() {
            return Ok(());
        }
        let mean: f64 =
            self.memory.iter().map(|step| step.share * step.bytes as f64).sum::<f64>() / total;
        writeln!(text, "            {} on average over the time of a call", bytes(mean as u64))?;
        for (at, live) in parts.into_iter().enumerate() {
            let bar = (live * 40).div_ceil(peak.bytes.max(1));
            writeln!(
                text,
                "{:>9} %  {:>10}  {}",
                (at + 1) * 100 / PARTS,
                bytes(live),
                "#".repeat(usize::try_from(bar).unwrap_or(0))
            )?;
        }
        Ok(())
    }
}

/// Says that other work had the processors, of which the program had a share.
fn write_busy(text: &mut String, share: f64, is_processor_time: bool) -> std::fmt::Result {
    let (whose, times) = match is_processor_time {
        true => (
            "other work",
            "times below are processor time,\n            but other work takes room in caches and memory, too",
        ),
        false => {
            ("other work, or more threads than processors", "times below are longer by the rest")
        }
    };
    let share = 100.0 * share;
    writeln!(
        text,
        "warning     {whose}: the program had a processor {share:.1} % of the time\n            \
         for which it had work; {times}"
    )
}
