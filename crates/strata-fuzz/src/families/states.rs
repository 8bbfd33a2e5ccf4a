//! Programs whose loops and branches carry several arrays: swapped, duplicated, unchanged, partially updated.
//!
//! Randomises what determines buffer assignment: which loop-carried values are swapped, under which shapes, which values
//! are read again after they may be overwritten, what a branch yields.

use crate::source::{Case, Lines, Source, Tensor};

/// The types of a position in a matrix.
const INDEX_PAIR: &str = "tensor<i32>, tensor<i32>";

const MATRIX: usize = 0;
const VECTOR: usize = 1;
const MASK: usize = 2;
/// A matrix as a vector.
const FLAT: usize = 3;
/// A matrix with a leading unit dimension.
const ROWS: usize = 4;
/// Kinds that can be reshaped to each other.
const SHAPES: [usize; 3] = [MATRIX, FLAT, ROWS];
const COUNTER: &str = "tensor<i32>";

pub fn program(source: &mut Source) -> Case {
    let size = source.pick(&[1, 3, 5, 8, 16, 17]);
    let element = source.pick(&["i32", "i32", "f32", "f64", "i8"]);
    let types = [
        Tensor::new(&[size, size], element),
        Tensor::new(&[size], element),
        Tensor::new(&[size, size], "i1"),
        Tensor::new(&[size * size], element),
        Tensor::new(&[1, size, size], element),
    ];
    let mut writer = Writer { source, size, types, next: 0, text: String::new() };
    let mut known = Known::default();
    let mut arguments = Vec::new();
    for (kind, count) in [(MATRIX, 2), (VECTOR, 2), (MASK, 1), (FLAT, 1), (ROWS, 1)] {
        for _ in 0..count {
            let name = writer.name();
            arguments.push(format!("{name}: {}", writer.types[kind]));
            known[kind].push(name);
        }
    }
    let outside = |writer: &mut Writer, known: &mut Known| {
        for _ in 0..writer.source.below(4) {
            writer.step(known, None, 0);
        }
    };
    outside(&mut writer, &mut known);
    for _ in 0..writer.source.between(1, 2) {
        writer.repeat(&mut known, 0);
    }
    outside(&mut writer, &mut known);
    let kinds = writer.kinds(&known, 5);
    let values: Vec<_> = kinds.iter().map(|kind| writer.recent(&known[*kind], 5)).collect();
    let types = writer.list(&kinds);
    let text = format!(
        "func.func public @main({}) -> ({types}) {{\n{}  return {} : {types}\n}}\n",
        arguments.join(", "),
        writer.text,
        values.join(", "),
    );
    Case::exact(text)
}

/// The values of each kind that may be used.
type Known = [Vec<String>; 5];

struct Writer<'s> {
    source: &'s mut Source,
    size: i64,
    types: [Tensor; 5],
    next: usize,
    text: String,
}

impl Lines for Writer<'_> {
    fn lines(&mut self) -> (&mut usize, &mut String) {
        (&mut self.next, &mut self.text)
    }
}

impl Writer<'_> {
    fn number(&mut self, value: i64) -> String {
        self.define(&format!("stablehlo.constant dense<{value}> : {COUNTER}"))
    }

    fn any(&mut self, values: &[String]) -> String {
        self.source.pick(values)
    }

    /// One of the `count` newest values.
    fn recent(&mut self, values: &[String], count: usize) -> String {
        self.source.pick(&values[values.len().saturating_sub(count)..])
    }

    /// One to `most` kinds of which there are values.
    fn kinds(&mut self, known: &Known, most: i64) -> Vec<usize> {
        let count = self.source.between(1, most);
        let mut kind = || match self.source.below(8) {
            4 => VECTOR,
            5 if !known[MASK].is_empty() => MASK,
            6 => FLAT,
            7 => ROWS,
            _ => MATRIX,
        };
        (0..count).map(|_| kind()).collect()
    }

    fn list(&self, kinds: &[usize]) -> String {
        kinds.iter().map(|kind| self.types[*kind].to_string()).collect::<Vec<_>>().join(", ")
    }

    /// One of the newest values of any kind that can be reshaped to `kind`, reshaped.
    fn reshaped(&mut self, known: &Known, kind: usize) -> String {
        let from = match SHAPES.contains(&kind) {
            true => self.source.pick(&SHAPES),
            false => kind,
        };
        let value = self.recent(&known[from], 4);
        if from == kind {
            return value;
        }
        let (seen, shape) = (self.types[from].clone(), self.types[kind].clone());
        self.define(&format!("stablehlo.reshape {value} : ({seen}) -> {shape}"))
    }

    /// Adds a value to the known ones. `counter` is that of the loop around.
    fn step(&mut self, known: &mut Known, counter: Option<&str>, depth: usize) {
        let [matrix, vector, mask, ..] = self.types.clone();
        let (a, b) = (self.any(&known[MATRIX]), self.any(&known[MATRIX]));
        let v = self.any(&known[VECTOR]);
        let zero = self.number(0);
        let place = match counter {
            Some(counter) if self.source.once_in(2) => counter.to_owned(),
            _ => {
                let at = self.source.below(self.size);
                self.number(at)
            }
        };
        let made = match self.source.below(16) {
            0 => (MATRIX, format!("stablehlo.negate {a} : {matrix}")),
            1 | 2 => {
                let name = self.source.pick(&["maximum", "minimum", "add"]);
                (MATRIX, format!("stablehlo.{name} {a}, {b} : {matrix}"))
            }
            3 => {
                let w = self.any(&known[VECTOR]);
                (VECTOR, format!("stablehlo.maximum {v}, {w} : {vector}"))
            }
            4 => {
                (MATRIX, format!("stablehlo.transpose {a}, dims = [1, 0] : ({matrix}) -> {matrix}"))
            }
            5 => (MATRIX, format!("stablehlo.reverse {a}, dims = [0] : {matrix}")),
            6 | 7 => (MATRIX, self.moved_part(&a, &b, [&place, &zero])),
            8 => (MATRIX, self.replaced_row(&a, &v, [&place, &zero])),
            9 => (MATRIX, self.rotated(&a)),
            10 => {
                let dim = self.source.below(2);
                (
                    MATRIX,
                    format!(
                        "stablehlo.broadcast_in_dim {v}, dims = [{dim}] : ({vector}) -> {matrix}"
                    ),
                )
            }
            11 => {
                (MASK, format!("stablehlo.compare GT, {a}, {b} : ({matrix}, {matrix}) -> {mask}"))
            }
            12 if !known[MASK].is_empty() => {
                let chosen = self.any(&known[MASK]);
                (MATRIX, format!("stablehlo.select {chosen}, {a}, {b} : {mask}, {matrix}"))
            }
            12 => return,
            13 | 14 => {
                let kind = self.source.pick(&SHAPES);
                let value = self.reshaped(known, kind);
                return known[kind].push(value);
            }
            _ if depth > 1 => return,
            _ if self.source.once_in(2) => return self.repeat(known, depth + 1),
            _ => return self.branch(known, counter, depth + 1),
        };
        let name = self.define(&made.1);
        known[made.0].push(name);
    }

    /// An update of `b` with a slice of `a` of any size.
    fn moved_part(&mut self, a: &str, b: &str, [place, zero]: [&str; 2]) -> String {
        let matrix = self.types[MATRIX].clone();
        let sizes = [self.source.between(1, self.size), self.source.between(1, self.size)];
        let part = Tensor::new(&sizes, &matrix.element);
        let read = self.define(&format!(
            "stablehlo.dynamic_slice {a}, {place}, {zero}, sizes = {sizes:?} : ({matrix}, {INDEX_PAIR}) -> {part}"
        ));
        format!(
            "stablehlo.dynamic_update_slice {b}, {read}, {zero}, {place} : ({matrix}, {part}, {INDEX_PAIR}) -> {matrix}"
        )
    }

    /// An update of a row of `a` with `v`.
    fn replaced_row(&mut self, a: &str, v: &str, [place, zero]: [&str; 2]) -> String {
        let [matrix, vector, ..] = self.types.clone();
        let row = Tensor::new(&[1, self.size], &matrix.element);
        let read = self.define(&format!("stablehlo.reshape {v} : ({vector}) -> {row}"));
        format!(
            "stablehlo.dynamic_update_slice {a}, {read}, {place}, {zero} : ({matrix}, {row}, {INDEX_PAIR}) -> {matrix}"
        )
    }

    /// The rows of `a` from some row on, then those before it.
    fn rotated(&mut self, a: &str) -> String {
        let matrix = self.types[MATRIX].clone();
        let (n, cut) = (self.size, self.source.below(self.size + 1));
        let low = Tensor::new(&[n - cut, n], &matrix.element);
        let high = Tensor::new(&[cut, n], &matrix.element);
        let from =
            self.define(&format!("stablehlo.slice {a} [{cut}:{n}, 0:{n}] : ({matrix}) -> {low}"));
        let to =
            self.define(&format!("stablehlo.slice {a} [0:{cut}, 0:{n}] : ({matrix}) -> {high}"));
        format!("stablehlo.concatenate {from}, {to}, dim = 0 : ({low}, {high}) -> {matrix}")
    }

    /// Adds the results of a branch.
    fn branch(&mut self, known: &mut Known, counter: Option<&str>, depth: usize) {
        let kinds = self.kinds(known, 3);
        let types = self.list(&kinds);
        let at = match counter {
            Some(counter) => counter.to_owned(),
            None => self.number(1),
        };
        let limit = self.source.below(4);
        let limit = self.number(limit);
        let chosen = self.define(&format!(
            "stablehlo.compare LT, {at}, {limit} : ({COUNTER}, {COUNTER}) -> tensor<i1>"
        ));
        let name = self.name();
        self.line(&format!("{name}:{} = \"stablehlo.if\"({chosen}) ({{", kinds.len()));
        for end in ["}, {".to_owned(), format!("}}) : (tensor<i1>) -> ({types})")] {
            let mut inner = known.clone();
            for _ in 0..self.source.below(4) {
                self.step(&mut inner, counter, depth);
            }
            let values: Vec<_> = kinds.iter().map(|kind| self.reshaped(&inner, *kind)).collect();
            self.line(&format!("stablehlo.return {} : {types}", values.join(", ")));
            self.line(&end);
        }
        for (at, kind) in kinds.iter().enumerate() {
            known[*kind].push(format!("{name}#{at}"));
        }
    }

    /// Adds the results of a loop.
    fn repeat(&mut self, known: &mut Known, depth: usize) {
        let kinds = self.kinds(known, 5);
        let types = format!("{COUNTER}, {}", self.list(&kinds));
        let zero = self.number(0);
        let name = self.name();
        let states: Vec<_> =
            (0..kinds.len()).map(|at| format!("{}_{at}", name.replace('v', "s"))).collect();
        let counter = format!("{}_c", name.replace('v', "s"));
        let mut starts = vec![format!("{counter} = {zero}")];
        for (state, kind) in states.iter().zip(&kinds) {
            let value = self.recent(&known[*kind], 4);
            starts.push(format!("{state} = {value}"));
        }
        self.line(&format!(
            "{name}:{} = stablehlo.while({}) : {types} cond {{",
            kinds.len() + 1,
            starts.join(", ")
        ));
        let trips = self.source.below(6);
        let trips = self.number(trips);
        let goes_on = self.define(&format!(
            "stablehlo.compare LT, {counter}, {trips} : ({COUNTER}, {COUNTER}) -> tensor<i1>"
        ));
        self.line(&format!("stablehlo.return {goes_on} : tensor<i1>"));
        self.line("} do {");
        let mut inner = known.clone();
        for (state, kind) in states.iter().zip(&kinds) {
            inner[*kind].extend([state.clone(), state.clone()]);
        }
        for _ in 0..self.source.below(7) {
            self.step(&mut inner, Some(&counter), depth);
        }
        let one = self.number(1);
        let mut values = vec![self.define(&format!("stablehlo.add {counter}, {one} : {COUNTER}"))];
        let mut own = Known::default();
        for (state, kind) in states.iter().zip(&kinds) {
            own[*kind].push(state.clone());
        }
        for kind in SHAPES {
            if own[kind].is_empty() {
                own[kind].clone_from(&inner[kind]);
            }
        }
        for kind in &kinds {
            values.push(match self.source.below(4) {
                0 => self.any(&own[*kind]),
                1 => self.reshaped(&own, *kind),
                _ => self.recent(&inner[*kind], 5),
            });
        }
        self.line(&format!("stablehlo.return {} : {types}", values.join(", ")));
        self.line("}");
        for (at, kind) in kinds.iter().enumerate() {
            known[*kind].push(format!("{name}#{}", at + 1));
        }
    }
}
