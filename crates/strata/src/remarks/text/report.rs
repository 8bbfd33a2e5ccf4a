//! One report of all parts of an object: what takes most of the time first, and what parts have in common once.

mod families;

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
};

use strata_diag::units::{exact_bytes, rough_time};
use strata_remarks::{NumberedOperation, Subject};

use self::families::{Family, Row, families_of, rows_of};
use super::{Facts, others, threads_lines};
use crate::remarks::{CopyRemark, ExchangeRemark, Remarks, ThreadsRemark};

/// Nests that are told in full, however short they run.
const ALWAYS_FULL: usize = 20;
/// The share of the time of all nests from which on a nest is told in full.
const FULL_SHARE: f64 = 0.002;
/// Parts that are listed by name.
const SHOWN_PARTS: usize = 4;
/// Different lines of one label that are shown; the JSON has all of them.
const SHOWN_LINES: usize = 6;
/// Nests equal to one that are listed.
const SHOWN_EQUALS: usize = 4;
/// Operations of one name, type and fate that are listed.
const SHOWN_ALIKE: usize = 3;

/// Whether a word or a line is what the reader asked for.
type Filter<'r> = &'r dyn Fn(&str) -> bool;

/// Remarks on the parts of an object, as text.
pub struct Report<'r> {
    parts: &'r [Remarks],
    filter: Option<Filter<'r>>,
}

impl<'r> Report<'r> {
    /// Of all of it.
    pub fn of(parts: &'r [Remarks]) -> Self {
        Self { parts, filter: None }
    }

    /// Only what has a name, a place, a schedule or a kind (`nest`, `copy`, `loop`, `operation`) for which `filter` is true.
    #[must_use]
    pub fn only(self, filter: Filter<'r>) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// The text, which ends with a line break.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut left: Vec<&Remarks> = self.parts.iter().collect();
        while let Some(first) = left.first().copied() {
            // Parts are of the same program, whose operations have the same numbers in all of them.
            let is_same = |one: &&Remarks| {
                let own = one.operations.iter().map(|one| &one.operation);
                own.eq(first.operations.iter().map(|one| &one.operation))
            };
            let (same, others) = left.into_iter().partition(is_same);
            if !text.is_empty() {
                text.push('\n');
            }
            let joined = Joined::of(same, self.filter);
            // Writing to a string does not fail.
            let _ = joined.write(&mut text);
            left = others;
        }
        text
    }
}

impl Remarks {
    /// Without the nests, copies and loops for which `filter` is false, by position in their lists: in this order.
    pub fn selected(&self, filter: Filter<'_>) -> [Vec<usize>; 3] {
        let kept = |count: usize, words: &dyn Fn(usize) -> Vec<String>| -> Vec<usize> {
            (0..count).filter(|at| words(*at).iter().any(|word| filter(word))).collect()
        };
        [
            kept(self.nests.len(), &|at| self.nest_words(at)),
            kept(self.copies.len(), &|at| self.copy_words(&self.copies[at])),
            kept(self.threads.len(), &|at| {
                let subject = &self.threads[at].subject;
                let nests = subject.nests.iter().flat_map(|nest| self.nest_words(*nest));
                let own = subject.operations.iter().flat_map(|at| self.operation_words(*at));
                std::iter::once("loop".to_owned()).chain(nests).chain(own).collect()
            }),
        ]
    }

    fn operation_words(&self, position: usize) -> Vec<String> {
        let Some(remark) = self.operations.get(position) else { return Vec::new() };
        let operation = &remark.operation;
        let place = operation.place.iter().map(ToString::to_string);
        let own = [operation.name.clone(), operation.to_string()];
        own.into_iter().chain(place).chain(operation.label.clone()).collect()
    }

    fn nest_words(&self, position: usize) -> Vec<String> {
        let Some(nest) = self.nests.get(position) else { return Vec::new() };
        let mut words = vec!["nest".to_owned(), self.nest_name(position)];
        words.extend(nest.operations.iter().flat_map(|at| self.operation_words(*at)));
        words.extend(nest.attempts.iter().map(|attempt| attempt.schedule.clone()));
        words.extend(nest.computes.iter().cloned());
        words
    }

    /// What filters look at of an exchange.
    pub fn exchange_words(&self, exchange: &ExchangeRemark) -> Vec<String> {
        let mut words = vec!["exchange".to_owned(), exchange.what.clone()];
        words.extend(exchange.subject.operations.iter().flat_map(|at| self.operation_words(*at)));
        words
    }

    fn copy_words(&self, copy: &CopyRemark) -> Vec<String> {
        let mut words = vec!["copy".to_owned(), copy.purpose.clone()];
        words.extend(copy.subject.operations.iter().flat_map(|at| self.operation_words(*at)));
        words.extend(copy.subject.nests.iter().flat_map(|nest| self.nest_words(*nest)));
        words
    }
}

/// What several parts say of one thing.
struct Told {
    /// What it is, in lines.
    head: Vec<String>,
    /// What each part says of it, if it has it.
    facts: Vec<Option<Facts>>,
    weight: f64,
}

/// Parts of the same program.
struct Joined<'r> {
    parts: Vec<&'r Remarks>,
    filter: Option<Filter<'r>>,
    families: Vec<Family>,
    /// For each nest of each part the name by which the report calls it: that in the first part that has it.
    names: Vec<Vec<String>>,
}

impl<'r> Joined<'r> {
    fn of(parts: Vec<&'r Remarks>, filter: Option<Filter<'r>>) -> Self {
        let rows = rows_of(&parts);
        let own = |one: &&Remarks| (0..one.nests.len()).map(|at| one.nest_name(at)).collect();
        let mut names: Vec<Vec<String>> = parts.iter().map(own).collect();
        let mut taken = BTreeSet::new();
        for row in &rows {
            let mut in_parts = row.nests.iter().zip(&parts);
            let first = in_parts.find_map(|(nest, part)| Some((part, (*nest)?)));
            let Some((part, nest)) = first else { continue };
            let mut name = part.nest_name(nest);
            // Other operations are the nest of that name in another part.
            if taken.contains(&name) {
                name = format!("{name} of {}", part.part);
            }
            for (nest, names) in row.nests.iter().zip(&mut names) {
                if let Some(nest) = nest {
                    names[*nest].clone_from(&name);
                }
            }
            taken.insert(name);
        }
        let mut families = families_of(rows, &parts);
        for family in &mut families {
            let in_part = |(at, part): (usize, &&Remarks)| -> f64 {
                let nests = family.rows.iter().filter_map(|row| row.nests[at]);
                nests.map(|nest| part.nest_time(nest)).sum()
            };
            family.time = parts.iter().enumerate().map(in_part).fold(0.0, f64::max);
        }
        // Those that take as long as each other are in the program's order.
        families.sort_by(|one, other| other.time.total_cmp(&one.time));
        Self { parts, filter, families, names }
    }

    /// How values are split, which is the same in all parts.
    fn write_shardings(&self, text: &mut String) -> fmt::Result {
        let is_wanted = self.filter.is_none_or(|filter| filter("sharding"));
        for told in self.parts.first().iter().flat_map(|part| &part.shardings) {
            if !is_wanted {
                continue;
            }
            let (split, values) = (told.split, told.values);
            writeln!(text, "\n`{}`: {split} of {values} values split over devices", told.function)?;
            for (operation, reason) in &told.conflicts {
                writeln!(text, "  conflict: {operation}: {reason}")?;
            }
        }
        Ok(())
    }

    /// The layouts that were chosen, which are the same for all processors.
    fn write_layouts(&self, text: &mut String) -> fmt::Result {
        let is_wanted = self.filter.is_none_or(|filter| filter("layout"));
        let Some(told) = self.parts.iter().find_map(|part| part.layouts.as_ref()) else {
            return Ok(());
        };
        if !is_wanted {
            return Ok(());
        }
        let orders: Vec<_> = told
            .orders
            .iter()
            .map(|(order, count)| {
                let s = if *count == 1 { "" } else { "s" };
                format!("{count} value{s} as {order:?}")
            })
            .collect();
        let (count, size) = (told.transposes, exact_bytes(told.bytes));
        let s = if count == 1 { "" } else { "s" };
        writeln!(text, "layouts: {}; {count} transpose{s}, {size}", orders.join(", "))
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        let mut summaries: Vec<(String, Vec<usize>)> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let summary = part.summary();
            match summaries.iter_mut().find(|(known, _)| *known == summary) {
                Some((_, parts)) => parts.push(at),
                None => summaries.push((summary, vec![at])),
            }
        }
        for (summary, parts) in summaries {
            match self.list(&parts).as_str() {
                "" => writeln!(text, "{summary}")?,
                names => writeln!(text, "{names}: {summary}")?,
            }
        }
        let start = text.len();
        self.write_shardings(text)?;
        self.write_layouts(text)?;
        self.write_nests(text)?;
        self.write_told(text, "other loops", self.other_loops())?;
        self.write_told(text, "exchanges between devices", self.exchanges())?;
        self.write_told(text, "copies", self.copies())?;
        self.write_operations(text)?;
        match text.len() == start && self.filter.is_some() {
            true => writeln!(text, "nothing of it is what --remarks-filter asks for"),
            false => Ok(()),
        }
    }

    fn is_kept(&self, words: impl IntoIterator<Item = String>) -> bool {
        self.filter.is_none_or(|filter| words.into_iter().any(|word| filter(&word)))
    }

    fn write_nests(&self, text: &mut String) -> fmt::Result {
        let words = |family: &Family| {
            let nest = |row: &Row| {
                let nests = row.nests.iter().zip(&self.parts);
                let all = nests.flat_map(|(nest, part)| nest.map(|nest| part.nest_words(nest)));
                all.flatten().collect::<Vec<_>>()
            };
            family.rows.iter().flat_map(nest).collect::<Vec<_>>()
        };
        let kept: Vec<_> =
            self.families.iter().filter(|family| self.is_kept(words(family))).collect();
        let whole: f64 = self.families.iter().map(|family| family.time).sum();
        // A filter asks for all that it selects.
        let is_full = |at: usize, family: &Family| {
            self.filter.is_some() || at < ALWAYS_FULL || family.time >= FULL_SHARE * whole
        };
        let full = kept.iter().enumerate().take_while(|(at, family)| is_full(*at, family)).count();
        if !kept.is_empty() {
            writeln!(text, "nests, the most expensive first")?;
        }
        for family in &kept[..full] {
            self.write_family(text, family, whole)?;
        }
        if full < kept.len() {
            writeln!(text, "other nests, in short (--remarks-filter NAME shows one in full)")?;
        }
        for family in &kept[full..] {
            let row = &family.rows[0];
            let first =
                row.nests.iter().zip(&self.parts).find_map(|(nest, part)| part.nests.get((*nest)?));
            let schedule = first.and_then(|nest| nest.chosen()).unwrap_or("none");
            let time = rough_time(family.time / 1e9);
            let operation = self.operations_of(row).pop().unwrap_or_default();
            writeln!(
                text,
                "  {:<14} {time:>8}  {schedule}: {operation}",
                self.family_name(family)
            )?;
        }
        Ok(())
    }

    fn name_of(&self, row: &Row) -> &str {
        let nest = row.nests.iter().zip(&self.names).find_map(|(nest, names)| names.get((*nest)?));
        nest.map_or("", String::as_str)
    }

    fn family_name(&self, family: &Family) -> String {
        let name = self.name_of(&family.rows[0]);
        match family.rows.len() {
            1 => name.to_owned(),
            2 => format!("{name} and {}", self.name_of(&family.rows[1])),
            count => format!("{name} and {} equal ones", count - 1),
        }
    }

    fn operations_of(&self, row: &Row) -> Vec<String> {
        let operations = self.parts.first().map_or(&[][..], |part| &part.operations);
        let own = row.operations.iter().filter_map(|at| operations.get(*at));
        own.map(|one| one.operation.to_string()).collect()
    }

    fn write_family(&self, text: &mut String, family: &Family, whole: f64) -> fmt::Result {
        writeln!(text, "  {}", self.family_name(family))?;
        for operation in self.operations_of(&family.rows[0]) {
            writeln!(text, "    of         {operation}")?;
        }
        // A filter asks for all that it selects.
        let shown = if self.filter.is_some() { usize::MAX } else { SHOWN_EQUALS };
        for row in family.rows.iter().skip(1).take(shown) {
            let first = self.operations_of(row).into_iter().next().unwrap_or_default();
            writeln!(text, "    and        {} of {first}", self.name_of(row))?;
        }
        let more = (family.rows.len() - 1).saturating_sub(shown);
        if more > 0 {
            writeln!(text, "    and        {}", others(more))?;
        }
        if family.time > 0.0 {
            let time = rough_time(family.time / 1e9);
            let share = 100.0 * family.time / whole;
            let most = if self.parts.len() > 1 { ", where it takes longest" } else { "" };
            writeln!(
                text,
                "    time       {time} in a call on one thread, estimated{most}; {share:.1} % of all nests"
            )?;
        }
        // The names differ where a nest before it is not in all parts.
        let names: Vec<_> =
            self.of_parts(&family.rows[0], |part, nest| vec![("name", part.nest_name(nest))]);
        if names.iter().flatten().any(|facts| facts[0].1 != self.name_of(&family.rows[0])) {
            self.write_facts(text, &names)?;
        } else {
            self.write_missing(text, &names)?;
        }
        let facts = self.of_parts(&family.rows[0], Remarks::nest_facts);
        self.write_facts(text, &facts)
    }

    /// What the parts that have a nest say of it.
    fn of_parts(&self, row: &Row, said: impl Fn(&Remarks, usize) -> Facts) -> Vec<Option<Facts>> {
        let nests = row.nests.iter().zip(&self.parts);
        nests.map(|(nest, part)| nest.map(|nest| said(part, nest))).collect()
    }

    /// In which parts it is, if not in all.
    fn write_missing(&self, text: &mut String, facts: &[Option<Facts>]) -> fmt::Result {
        let having = |at: &usize| facts[*at].is_some();
        let having: Vec<_> = (0..facts.len()).filter(having).collect();
        match having.len() < facts.len() {
            true => writeln!(text, "    only in    {}", self.list(&having)),
            false => Ok(()),
        }
    }

    /// What all that have it say is said once; for the rest, who says what.
    fn write_facts(&self, text: &mut String, facts: &[Option<Facts>]) -> fmt::Result {
        let mut labels: Vec<&'static str> = Vec::new();
        for (label, _) in facts.iter().flatten().flatten() {
            if !labels.contains(label) {
                labels.push(label);
            }
        }
        // What was declined comes before what was chosen, in every part.
        if let (Some(chosen), Some(declined)) = (
            labels.iter().position(|label| *label == "schedule"),
            labels.iter().position(|label| *label == "declined"),
        ) && chosen < declined
        {
            labels.swap(chosen, declined);
        }
        for label in labels {
            let mut said: Vec<(Vec<&str>, Vec<usize>)> = Vec::new();
            for (at, facts) in facts.iter().enumerate() {
                let Some(facts) = facts else { continue };
                let own = facts.iter().filter(|(of, _)| *of == label);
                let lines: Vec<_> = own.map(|(_, line)| line.as_str()).collect();
                match said.iter_mut().find(|(known, _)| *known == lines) {
                    Some((_, parts)) => parts.push(at),
                    None => said.push((lines, vec![at])),
                }
            }
            let differ = said.len() > 1;
            let more = said.len().saturating_sub(SHOWN_LINES);
            for (lines, parts) in said.iter().take(SHOWN_LINES) {
                let lines = if lines.is_empty() { &["none"][..] } else { lines };
                for line in lines {
                    match differ {
                        true => writeln!(text, "    {label:<10} {line} [{}]", self.list(parts))?,
                        false => writeln!(text, "    {label:<10} {line}")?,
                    }
                }
            }
            if more > 0 {
                writeln!(text, "    {label:<10} {}, in other versions", others(more))?;
            }
        }
        Ok(())
    }

    /// The names of some parts.
    fn list(&self, parts: &[usize]) -> String {
        let names = parts.iter().filter_map(|at| self.parts.get(*at));
        let names: Vec<_> = names.map(|part| part.part.as_str()).collect();
        match names.len().saturating_sub(SHOWN_PARTS) {
            0 => names.join("; "),
            more => format!("{}; {}", names[..SHOWN_PARTS].join("; "), others(more)),
        }
    }

    fn write_told(&self, text: &mut String, title: &str, mut all: Vec<Told>) -> fmt::Result {
        all.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        if !all.is_empty() {
            writeln!(text, "{title}")?;
        }
        for told in all {
            for line in &told.head {
                writeln!(text, "  {line}")?;
            }
            self.write_missing(text, &told.facts)?;
            self.write_facts(text, &told.facts)?;
        }
        Ok(())
    }

    /// Adds what a part says of a thing: to what other parts say of it, or as the next of its kind.
    fn tell(&self, all: &mut Vec<Told>, part: usize, head: Vec<String>, facts: Facts, weight: f64) {
        let is_it = |told: &&mut Told| told.head == head && told.facts[part].is_none();
        if let Some(told) = all.iter_mut().find(is_it) {
            told.facts[part] = Some(facts);
            told.weight = told.weight.max(weight);
            return;
        }
        let mut of_parts: Vec<Option<Facts>> = self.parts.iter().map(|_| None).collect();
        of_parts[part] = Some(facts);
        all.push(Told { head, facts: of_parts, weight });
    }

    /// Loops that are part of no nest.
    fn other_loops(&self) -> Vec<Told> {
        let mut all = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let outside: Vec<_> =
                part.threads.iter().filter(|one| one.subject.nests.is_empty()).collect();
            for (position, first) in outside.iter().enumerate() {
                let is_same = |one: &&ThreadsRemark| one.subject == first.subject;
                if outside[..position].iter().any(is_same) {
                    continue;
                }
                let words =
                    first.subject.operations.iter().flat_map(|at| part.operation_words(*at));
                if !self.is_kept(words.chain(["loop".to_owned()])) {
                    continue;
                }
                let own: Vec<_> = outside.iter().copied().filter(is_same).collect();
                let weight = own.iter().map(|one| one.total_time()).sum();
                let lines = threads_lines(own.into_iter());
                let facts = lines.into_iter().map(|line| ("threads", line)).collect();
                self.tell(&mut all, at, vec![self.named(at, &first.subject)], facts, weight);
            }
        }
        all
    }

    fn named(&self, part: usize, subject: &Subject) -> String {
        let name = |nest: usize| self.names[part].get(nest).cloned().unwrap_or_default();
        let own = &self.parts[part];
        let is_other = |other: &&Remarks| other.entry != own.entry;
        let of = self.parts.iter().any(is_other).then_some(own.entry.as_str());
        own.named(subject, &name, of)
    }

    fn exchanges(&self) -> Vec<Told> {
        let mut all = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let kept = part.exchanges.iter().filter(|one| self.is_kept(part.exchange_words(one)));
            for one in kept {
                let received = exact_bytes(one.bytes);
                let facts = vec![(
                    "received",
                    format!(
                        "{received} by {} of {} devices: {}",
                        one.what, one.members, one.purpose
                    ),
                )];
                let weight = one.bytes as f64;
                self.tell(&mut all, at, vec![self.named(at, &one.subject)], facts, weight);
            }
        }
        all
    }

    fn copies(&self) -> Vec<Told> {
        let mut all = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let kept = part.copies.iter().filter(|copy| self.is_kept(part.copy_words(copy)));
            for copy in kept {
                let size = copy.bytes.map_or("a run-time size".to_owned(), exact_bytes);
                let depth = match copy.depth {
                    0 => String::new(),
                    1 => ", in a loop".to_owned(),
                    depth => format!(", in {depth} loops"),
                };
                let by = match copy.blame == Subject::default() {
                    true => String::new(),
                    false => format!(", by {}", self.named(at, &copy.blame)),
                };
                let facts = vec![
                    ("copied", format!("{size}{depth}: {}", copy.purpose)),
                    ("because", format!("{}{by}", copy.because)),
                ];
                let weight = copy.bytes.unwrap_or(0) as f64;
                self.tell(&mut all, at, vec![self.named(at, &copy.subject)], facts, weight);
            }
        }
        all
    }

    /// What no nest computes, by what became of it.
    fn write_operations(&self, text: &mut String) -> fmt::Result {
        let Some(first) = self.parts.first() else { return Ok(()) };
        let mut fates: Vec<(Vec<String>, Vec<&NumberedOperation>)> = Vec::new();
        for (position, remark) in first.operations.iter().enumerate() {
            let is_in_nests = |part: &&Remarks| {
                part.operations.get(position).is_some_and(|one| one.is_in_nests_only(part))
            };
            let words = first.operation_words(position).into_iter();
            if self.parts.iter().all(is_in_nests)
                || !self.is_kept(words.chain(["operation".to_owned()]))
            {
                continue;
            }
            let mut said: Vec<(String, Vec<usize>)> = Vec::new();
            for (at, part) in self.parts.iter().enumerate() {
                let name = |nest: usize| self.names[at].get(nest).cloned().unwrap_or_default();
                let fate = part.fate_with(position, &name);
                match said.iter_mut().find(|(known, _)| *known == fate) {
                    Some((_, parts)) => parts.push(at),
                    None => said.push((fate, vec![at])),
                }
            }
            let differ = said.len() > 1;
            let lines = said.into_iter().map(|(fate, parts)| match differ {
                true => format!("{fate} [{}]", self.list(&parts)),
                false => fate,
            });
            let lines: Vec<_> = lines.collect();
            let operation = &remark.operation;
            match fates.iter_mut().find(|(known, _)| *known == lines) {
                Some((_, operations)) => operations.push(operation),
                None => fates.push((lines, vec![operation])),
            }
        }
        if !fates.is_empty() {
            writeln!(text, "operations outside of nests")?;
        }
        for (lines, operations) in fates {
            for line in lines {
                writeln!(text, "  {line}")?;
            }
            self.write_alike(text, operations)?;
        }
        Ok(())
    }

    /// Operations, those of the same name and type together.
    fn write_alike(&self, text: &mut String, operations: Vec<&NumberedOperation>) -> fmt::Result {
        let mut kinds: Vec<Vec<&NumberedOperation>> = Vec::new();
        for operation in operations {
            let is_alike = |kind: &&mut Vec<&NumberedOperation>| {
                kind[0].name == operation.name && kind[0].types == operation.types
            };
            match kinds.iter_mut().find(is_alike) {
                Some(kind) => kind.push(operation),
                None => kinds.push(vec![operation]),
            }
        }
        let shown = if self.filter.is_some() { usize::MAX } else { SHOWN_ALIKE };
        for kind in kinds {
            for operation in kind.iter().take(shown) {
                writeln!(text, "    {operation}")?;
            }
            let more = kind.len().saturating_sub(shown);
            if more > 0 {
                writeln!(text, "    and {} of this type", others(more))?;
            }
        }
        Ok(())
    }
}
