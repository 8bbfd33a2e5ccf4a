//! `strata check`: what of a program is not supported, what it costs, and what it needs when compiled. Nothing
//! is written. `docs/check.md` describes the report.

use std::{fmt::Write, io};

use serde_json::{Value, json};
use strata::{Artifact, Cost, Network, PreparedProgram, Signature, Survey, TensorSpec};
use strata_diag::{
    Diagnostic, Diagnostics, codes,
    units::{bytes, columns, exact_bytes, grouped, padded, rough_time, scaled, wrapped},
};

use super::{Outcome, arrays::called, options, prepared, watch::Watch};
use crate::args::CheckArgs;
use crate::files;
use crate::mapped;
use crate::reporter::{Reporter, terminal_width};

pub fn run(args: &CheckArgs, reporter: &Reporter) -> Outcome {
    let mut options = options::of_one_processor(&args.program, &args.target)?;
    options.open = true;
    options.max = options::sizes(&args.max)?;
    prepared::want(&mut options, &args.prepare);
    let program = mapped::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    let all = match options.entries.is_empty() {
        true => vec![options],
        false => strata::of_entries(&options, &name, &program)?,
    };
    let is_one = all.len() == 1;
    let network =
        Network { latency: args.network.latency * 1e-6, bandwidth: args.network.bandwidth * 1e9 };
    let (mut texts, mut objects, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for options in all {
        let watch = Watch::new(&args.report, reporter);
        let survey = strata::survey(&options, &name, &program)?;
        let compiled = match survey.unsupported.is_empty() {
            true => Some(watch.compile(options, &name, &program, None)?),
            // The progress line is erased before the report.
            false => {
                drop(watch);
                None
            }
        };
        let compiled = compiled.as_ref().map(Compiled::of);
        match args.json {
            true => objects.push(json(&survey, compiled.as_ref(), network)),
            false => {
                let width = terminal_width(io::stdout());
                texts.push(table(&survey, compiled.as_ref(), network, width));
            }
        }
        failures.extend(survey.unsupported);
    }
    let text = match (args.json, objects.pop()) {
        (true, Some(object)) if is_one => format!("{object:#}\n"),
        (true, last) => format!("{:#}\n", objects.into_iter().chain(last).collect::<Value>()),
        (false, _) => texts.join("\n"),
    };
    files::print(text.as_bytes())?;
    // The report has them all; the error is the first.
    let others = failures.len().saturating_sub(1);
    let first = failures.into_iter().take(1).map(|first| match others {
        0 => first,
        others => first.note(format!("{others} more in the report")),
    });
    first.collect::<Diagnostics>().into_result(())
}

/// What is known only after compilation.
struct Compiled {
    signature: Option<Signature>,
    /// The inputs of the program that the entry takes prepared, with their names.
    prepared: Vec<(TensorSpec, String)>,
    workspace: u64,
    object: u64,
}

impl Compiled {
    fn of(artifact: &Artifact) -> Self {
        Self {
            signature: artifact.signature().cloned(),
            prepared: artifact.prepared().map(of_maker).unwrap_or_default(),
            workspace: artifact.workspace_size().unwrap_or(0),
            object: artifact.size() as u64,
        }
    }
}

fn of_maker(program: PreparedProgram<'_>) -> Vec<(TensorSpec, String)> {
    let names = &program.maker.input_names;
    let one = |(at, spec): (usize, &TensorSpec)| {
        (spec.clone(), names.get(at).cloned().unwrap_or_default())
    };
    program.maker.inputs.iter().enumerate().map(one).collect()
}

/// The signature with donations where there is one, else that of the program, as for sizes that stay open.
fn signature<'s>(survey: &'s Survey, compiled: Option<&'s Compiled>) -> Option<&'s Signature> {
    let is_open = survey.sizes.as_ref().is_some_and(|sizes| sizes.versions > 0);
    let compiled = compiled.filter(|_| !is_open);
    compiled.and_then(|compiled| compiled.signature.as_ref()).or(survey.signature.as_ref())
}

/// Bytes that any execution moves: each input and each weight once, each output once.
pub(super) fn least(signature: Option<&Signature>, weights: u64) -> Option<u64> {
    let buffers = |specs: &[TensorSpec]| {
        specs.iter().map(TensorSpec::byte_count).fold(0, u64::saturating_add)
    };
    let signature = signature?;
    if signature.inputs.iter().chain(&signature.outputs).any(TensorSpec::is_open) {
        return None;
    }
    Some(
        buffers(&signature.inputs)
            .saturating_add(buffers(&signature.outputs))
            .saturating_add(weights),
    )
}

fn json(survey: &Survey, compiled: Option<&Compiled>, network: Network) -> Value {
    let signature = signature(survey, compiled);
    let spec = |(spec, name): (&TensorSpec, Option<&String>)| {
        let known = |size: &u64| (*size != TensorSpec::UNKNOWN).then_some(*size);
        json!({
            "name": name.filter(|name| !name.is_empty()),
            "type": spec.to_string(),
            "element": spec.element.to_string(),
            "shape": spec.shape.iter().map(known).collect::<Vec<_>>(),
            "bytes": (!spec.is_open()).then(|| spec.byte_count()),
        })
    };
    let all = |specs: &[TensorSpec], names: &[String]| -> Vec<Value> {
        specs.iter().enumerate().map(|(index, one)| spec((one, names.get(index)))).collect()
    };
    let mut inputs =
        signature.map(|all_of| all(&all_of.inputs, &all_of.input_names)).unwrap_or_default();
    let mut outputs =
        signature.map(|all_of| all(&all_of.outputs, &all_of.output_names)).unwrap_or_default();
    for (output, input) in signature.iter().flat_map(|signature| &signature.donations) {
        inputs[*input]["donated_to"] = json!(output);
        outputs[*output]["donated_from"] = json!(input);
    }
    if let Some(sizes) = &survey.sizes {
        for (input, shape) in inputs.iter_mut().zip(&sizes.shapes) {
            input["sizes"] = json!(shape);
        }
        for (output, shape) in outputs.iter_mut().zip(&sizes.outputs) {
            output["sizes"] = json!(shape);
        }
    }
    let total = survey.costs.total();
    let (count, bytes) = survey.costs.weights;
    json!({
        "entry": survey.entry,
        "supported": survey.unsupported.is_empty(),
        "unsupported": survey.unsupported.iter().map(unsupported).collect::<Vec<_>>(),
        "inputs": inputs,
        "outputs": outputs,
        "symbols": survey.sizes.as_ref().map(|sizes| &sizes.symbols),
        "constraints": survey.sizes.as_ref().map(|sizes| &sizes.constraints),
        "rows": survey.sizes.as_ref().and_then(|sizes| sizes.rows.as_ref()),
        "bounds": survey.sizes.as_ref().map(|sizes| &sizes.bounds),
        "versions": survey.sizes.as_ref().map(|sizes| sizes.versions),
        "flops": total.flops,
        "transcendentals": total.transcendentals,
        "bytes_moved": total.bytes,
        "bytes_least": least(signature, bytes),
        "open_loops": survey.costs.open_loops,
        "operations": survey.costs.operations.iter().map(|(name, (count, cost))| json!({
            "operation": name,
            "count": count,
            "flops": cost.flops,
            "transcendentals": cost.transcendentals,
            "bytes_moved": cost.bytes,
        })).collect::<Vec<_>>(),
        "devices": { "replicas": survey.devices.replicas, "partitions": survey.devices.partitions },
        "exchanges": survey.exchanges.iter().map(|one| json!({
            "operation": one.operation,
            "members": one.members,
            "count": one.count,
            "bytes": one.bytes,
            "bytes_received": one.received,
            "steps": one.steps,
            "seconds": one.time(network),
        })).collect::<Vec<_>>(),
        "weights": { "count": count, "bytes": bytes },
        "prepared": compiled.iter().flat_map(|compiled| &compiled.prepared).map(|(one, name)| {
            spec((one, Some(name)))
        }).collect::<Vec<_>>(),
        "workspace_bytes": compiled.map(|compiled| compiled.workspace),
        "object_bytes": compiled.map(|compiled| compiled.object),
    })
}

fn unsupported(diagnostic: &Diagnostic) -> Value {
    let place = diagnostic.location();
    json!({
        "code": diagnostic.code().id(),
        "operation": diagnostic.operation_name(),
        "file": place.map(|place| place.file.as_str()),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "reason": diagnostic.reason_text(),
        "hint": diagnostic.hint_text(),
    })
}

/// The report for people, on a terminal of its width.
fn table(
    survey: &Survey,
    compiled: Option<&Compiled>,
    network: Network,
    width: Option<usize>,
) -> String {
    let mut text = format!("entry       {}\n", survey.entry);
    // Writing to a string does not fail.
    let _ = write_table(&mut text, survey, compiled, (network, width));
    let Some(width) = width else { return text };
    text.lines().map(|line| wrapped(line, width, INDENT.min(width / 4)) + "\n").collect()
}

/// Where what follows a label begins.
const INDENT: usize = 12;

fn write_table(
    text: &mut String,
    survey: &Survey,
    compiled: Option<&Compiled>,
    (network, width): (Network, Option<usize>),
) -> std::fmt::Result {
    let signature = signature(survey, compiled);
    if survey.devices.count() > 1 {
        let count = grouped(survey.devices.count().unsigned_abs());
        writeln!(text, "devices     {count}; what follows is of one of them")?;
    }
    if let Some(sizes) = &survey.sizes {
        writeln!(text, "symbols     {}", sizes.symbols.join(", "))?;
        for constraint in &sizes.constraints {
            writeln!(text, "constraint  {constraint}")?;
        }
        if let Some(rows) = &sizes.rows {
            writeln!(text, "rows        {rows}")?;
        }
        for (name, most) in &sizes.bounds {
            writeln!(text, "bound       {name} <= {most}")?;
        }
        if sizes.versions > 0 {
            writeln!(text, "versions    {}", sizes.versions)?;
        }
    }
    let bytes_of = |spec: &TensorSpec| match spec.is_open() {
        true => String::new(),
        false => format!(", {}", bytes(spec.byte_count())),
    };
    for (spec, name) in compiled.iter().flat_map(|compiled| &compiled.prepared) {
        let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
        writeln!(text, "prepared    {spec}{name}{}", bytes_of(spec))?;
    }
    if let Some(signature) = signature {
        for (index, spec) in signature.inputs.iter().enumerate() {
            let name = called(&signature.input_names, index);
            let label = format!("input {index}");
            let shape = survey.sizes.as_ref().and_then(|sizes| sizes.shapes.get(index));
            let shape = shape.filter(|_| spec.is_open());
            let shape = shape.map(|shape| format!(", {}", shape.join(" x "))).unwrap_or_default();
            writeln!(text, "{label:<11} {spec}{name}{shape}{}", bytes_of(spec))?;
        }
        for (index, spec) in signature.outputs.iter().enumerate() {
            let label = format!("output {index}");
            let name = called(&signature.output_names, index);
            let shape = survey.sizes.as_ref().and_then(|sizes| sizes.outputs.get(index));
            let shape = shape.filter(|_| spec.is_open());
            let shape = shape.map(|shape| format!(", {}", shape.join(" x "))).unwrap_or_default();
            write!(text, "{label:<11} {spec}{name}{shape}{}", bytes_of(spec))?;
            let shape = signature.shapes.iter().find(|(_, shape)| *shape == index);
            if let Some((output, _)) = shape {
                write!(text, ", the shape of output {output}")?;
            }
            match signature.donations.iter().find(|(output, _)| *output == index) {
                Some((_, input)) => writeln!(text, ", may share the buffer of input {input}")?,
                None => writeln!(text)?,
            }
        }
    }
    let is_open = survey.sizes.as_ref().is_some_and(|sizes| sizes.versions > 0);
    // Without sizes there is nothing to count.
    if survey.sizes.is_none() || !survey.costs.operations.is_empty() {
        write_costs(text, survey, signature, width)?;
        write_exchanges(text, survey, (network, width))?;
    }
    if let Some(compiled) = compiled {
        let most = if is_open { "at most " } else { "" };
        writeln!(text, "workspace   {most}{}", exact_bytes(compiled.workspace))?;
        writeln!(text, "object      {}", exact_bytes(compiled.object))?;
    }
    write_unsupported(text, survey)
}

/// What operations cost, and the bytes that have to be moved.
fn write_costs(
    text: &mut String,
    survey: &Survey,
    signature: Option<&Signature>,
    width: Option<usize>,
) -> std::fmt::Result {
    let row = |name: &str, count: String, cost: Cost| {
        let functions = scaled(cost.transcendentals, "");
        [name.to_owned(), count, scaled(cost.flops, "FLOP"), functions, bytes(cost.bytes)]
    };
    let by_cost = survey.costs.by_cost().into_iter();
    let mut rows: Vec<_> =
        by_cost.map(|(name, count, cost)| row(name, grouped(count), cost)).collect();
    rows.push(row("total", String::new(), survey.costs.total()));
    write_rows(text, OPERATIONS, &rows, width)?;
    if survey.costs.open_loops > 0 {
        writeln!(
            text,
            "{} loops have an unknown trip count, counted as one iteration",
            survey.costs.open_loops
        )?;
    }
    let (count, size) = survey.costs.weights;
    let constants = if count == 1 { "constant" } else { "constants" };
    writeln!(text, "\nweights     {} {constants}, {}", grouped(count), bytes(size))?;
    if let Some(least) = least(signature, size) {
        writeln!(text, "least moved {}: inputs, weights, outputs", bytes(least))?;
    }
    Ok(())
}

/// The titles of the table of operations, and the columns that each takes at least where there is room.
const OPERATIONS: [(&str, usize); 5] = [
    ("operation", 9),
    ("count", 7),
    ("arithmetic", 10),
    ("transcendental", 14),
    ("bytes moved", 11),
];

/// Those of the table of exchanges.
const EXCHANGES: [(&str, usize); 7] = [
    ("exchange", 9),
    ("members", 7),
    ("count", 7),
    ("bytes given", 11),
    ("received", 10),
    ("steps", 5),
    ("time", 8),
];

/// What devices exchange, in what time.
fn write_exchanges(
    text: &mut String,
    survey: &Survey,
    (network, width): (Network, Option<usize>),
) -> std::fmt::Result {
    if survey.exchanges.is_empty() {
        return Ok(());
    }
    let row = |name: &str, members: String, count: String, given: String, sums: [u64; 2], time| {
        let [received, steps] = sums;
        let name = name.to_owned();
        [name, members, count, given, bytes(received), grouped(steps), rough_time(time)]
    };
    let (mut rows, mut sums, mut whole) = (Vec::new(), [0_u64; 2], 0.0);
    for one in &survey.exchanges {
        let (members, time) = (grouped(one.members), one.time(network));
        let own = [one.received, one.steps].map(|each| each.saturating_mul(one.count));
        rows.push(row(&one.operation, members, grouped(one.count), bytes(one.bytes), own, time));
        sums = [0, 1].map(|at| own[at].saturating_add(sums[at]));
        whole += time;
    }
    let none = String::new;
    rows.push(row("total", none(), none(), none(), sums, whole));
    write_rows(text, EXCHANGES, &rows, width)?;
    writeln!(
        text,
        "times are estimates for {} a step and {} GB received a second",
        rough_time(network.latency),
        network.bandwidth / 1e9
    )
}

/// A table in so many columns: with fewer blanks, or with the name in a line of its own, where it would be wider.
fn write_rows<const N: usize>(
    text: &mut String,
    columns_of: [(&str, usize); N],
    rows: &[[String; N]],
    width: Option<usize>,
) -> std::fmt::Result {
    let titles = columns_of.map(|(title, _)| title.to_owned());
    let widest = |column: usize| {
        let cells = rows.iter().chain([&titles]).map(|row| columns(&row[column]));
        cells.max().unwrap_or(0)
    };
    let tight: [usize; N] = std::array::from_fn(widest);
    let roomy: [usize; N] = std::array::from_fn(|column| tight[column].max(columns_of[column].1));
    let fits = |widths: &[usize]| {
        let total = widths.iter().sum::<usize>() + widths.len() - 1;
        width.is_none_or(|width| total <= width)
    };
    let widths = if fits(&roomy) { roomy } else { tight };
    let is_stacked = !fits(&widths);
    writeln!(text)?;
    for row in [&titles].into_iter().chain(rows) {
        let cells = row.iter().zip(widths).skip(1).map(|(cell, width)| padded(cell, width, true));
        let cells = cells.collect::<Vec<_>>().join(" ");
        match is_stacked {
            true => writeln!(text, "{}\n {cells}", row[0])?,
            false => writeln!(text, "{} {cells}", padded(&row[0], widths[0], false))?,
        }
    }
    Ok(())
}

fn write_unsupported(text: &mut String, survey: &Survey) -> std::fmt::Result {
    if !survey.unsupported.is_empty() {
        let title = match survey.unsupported.iter().all(Diagnostic::is_solved_by_sizes) {
            true => "needs sizes",
            false => "not supported",
        };
        writeln!(text, "\n{title}")?;
    }
    for (first, count) in alike(&survey.unsupported) {
        let place = first.location().map(ToString::to_string).unwrap_or_default();
        write!(
            text,
            "{} {place} {}: {}",
            first.code(),
            first.operation_name().unwrap_or("the program"),
            first.reason_text().unwrap_or_else(|| first.code().title())
        )?;
        match count {
            1 => writeln!(text)?,
            count => writeln!(text, " ({count} times)")?,
        }
        if let Some(hint) = first.hint_text().filter(|_| first.is_solved_by_sizes()) {
            writeln!(text, "  {hint}")?;
        }
    }
    Ok(())
}

/// The first of those with the same code, operation and reason, and how many they are. Messages about unknown types differ in the
/// type, and often follow from each other.
fn alike(unsupported: &[Diagnostic]) -> Vec<(&Diagnostic, usize)> {
    let mut found: Vec<(&Diagnostic, usize)> = Vec::new();
    for one in unsupported {
        let is_like = |first: &Diagnostic| {
            first.code() == one.code()
                && first.operation_name() == one.operation_name()
                && (first.reason_text() == one.reason_text() || one.code() == codes::S1101)
        };
        match found.iter_mut().find(|(first, _)| is_like(first)) {
            Some((_, count)) => *count += 1,
            None => found.push((one, 1)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Compiled, columns, json, table};
    use strata::{
        Cost, Costs, Devices, ElementType, Exchanges, Network, Signature, Survey, TensorSpec,
    };

    const NETWORK: Network = Network { latency: 2e-6, bandwidth: 1e10 };
    const SMALL: Cost = Cost { flops: 12, transcendentals: 0, bytes: 144 };

    fn survey() -> Survey {
        let spec = TensorSpec::new(vec![2, 3], ElementType::Float(32));
        let mut costs = Costs { weights: (1, 24), ..Costs::default() };
        costs.operations.insert("add".into(), (2, SMALL));
        Survey {
            entry: "main".into(),
            signature: Some(Signature {
                entry: "main".into(),
                inputs: vec![spec.clone()],
                input_names: vec!["params['w']".into()],
                outputs: vec![spec],
                donations: vec![(0, 0)],
                ..Signature::default()
            }),
            sizes: None,
            unsupported: Vec::new(),
            costs,
            devices: Devices { replicas: 1, partitions: 1 },
            exchanges: Vec::new(),
        }
    }

    #[test]
    fn the_table_says_everything() {
        let compiled =
            Compiled { signature: None, prepared: Vec::new(), workspace: 64, object: 1000 };
        let text = table(&survey(), Some(&compiled), NETWORK, None);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1], "input 0     tensor<2x3xf32> `params['w']`, 24 bytes");
        assert_eq!(
            lines[2],
            "output 0    tensor<2x3xf32>, 24 bytes, may share the buffer of input 0"
        );
        let words: Vec<_> = lines[5].split_whitespace().collect();
        assert_eq!(words, ["add", "2", "12", "FLOP", "0", "144", "bytes"]);
        assert_eq!(lines[8], "weights     1 constant, 24 bytes");
        assert_eq!(lines[9], "least moved 72 bytes: inputs, weights, outputs");
        assert_eq!(lines[10..], ["workspace   64 bytes", "object      1000 bytes"]);
    }

    /// The most expensive first, in numbers that one can read, in 80 columns.
    #[test]
    fn operations_are_sorted_by_cost() {
        let mut survey = survey();
        let mut add = |name: &str, count, flops, transcendentals, bytes| {
            let cost = Cost { flops, transcendentals, bytes };
            survey.costs.operations.insert(name.into(), (count, cost));
        };
        add("dot_general", 12, 2_231_852, 0, 3 << 20);
        add("convert", 3, 0, 0, 4096);
        add("exponential", 1, 0, 20, 160);
        add("dynamic_update_slice", 1_234_567, u64::MAX, u64::MAX, u64::MAX);
        let text = table(&survey, None, NETWORK, None);
        let lines: Vec<_> =
            text.lines().skip_while(|line| !line.starts_with("operation")).collect();
        let names = lines.iter().map_while(|line| line.split_whitespace().next());
        let expected = [
            "operation",
            "dynamic_update_slice",
            "dot_general",
            "exponential",
            "add",
            "convert",
            "total",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert!(lines[2].contains(" 2.23 MFLOP ") && lines[2].ends_with(" 3.00 MiB"), "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        survey.costs.operations.insert("größenabhängig".into(), (1, SMALL));
        for (width, lines) in [(80, 8), (68, 8), (66, 16), (52, 16)] {
            let text = table(&survey, None, NETWORK, Some(width));
            assert!(text.lines().all(|line| columns(line) <= width), "{width}: {text}");
            let rows = text.lines().skip_while(|line| !line.starts_with("operation"));
            let rows: Vec<_> = rows.take_while(|line| !line.is_empty()).map(columns).collect();
            assert_eq!(rows.len(), lines, "{width}: {text}");
            let mut ends = rows.iter().rev().step_by(lines / 8);
            assert!(ends.all(|end| *end == rows[lines - 1]), "{width}: {text}");
        }
    }

    #[test]
    fn exchanges_are_estimated() {
        let mut survey = survey();
        survey.devices.partitions = 4;
        survey.exchanges.push(Exchanges {
            operation: "all_reduce".into(),
            members: 4,
            count: 3,
            bytes: 1 << 20,
            steps: 2,
            received: 3 << 19,
        });
        let text = table(&survey, None, NETWORK, None);
        assert!(text.contains("devices     4; what follows is of one of them"), "{text}");
        let words = |start: &str| -> Vec<_> {
            let mut lines = text.lines().skip_while(|line| !line.starts_with("exchange"));
            let line = lines.find(|line| line.starts_with(start)).unwrap_or_default();
            line.split_whitespace().collect()
        };
        // 6 steps of 2 µs, and 4.5 MiB at 10 GB/s.
        let expected = ["all_reduce", "4", "3", "1.00", "MiB", "4.50", "MiB", "6", "484", "µs"];
        assert_eq!(words("all_reduce"), expected);
        assert_eq!(words("total"), ["total", "4.50", "MiB", "6", "484", "µs"]);
        let value = json(&survey, None, NETWORK);
        assert_eq!(value["devices"]["partitions"], 4);
        assert_eq!(value["exchanges"][0]["steps"], 2);
    }

    #[test]
    fn the_object_has_the_documented_keys() {
        let value = json(&survey(), None, NETWORK);
        let object = value.as_object().expect("an object");
        let page = include_str!("../../../../docs/check.md");
        for key in object.keys() {
            assert!(page.contains(&format!("`{key}`")), "{key} is not in docs/check.md");
        }
        assert_eq!(value["inputs"][0]["donated_to"], 0);
        assert_eq!(value["inputs"][0]["name"], "params['w']");
        assert!(value["outputs"][0]["name"].is_null());
        assert_eq!(value["flops"], 12);
        assert!(value["object_bytes"].is_null());
    }
}
