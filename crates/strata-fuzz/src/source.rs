//! The source of random choices, and the text of programs.

use strata_eval::{Values, rng::RngStream};
use strata_verify::Tolerance;

/// A program, and how its results are compared.
#[derive(Clone, Debug)]
pub struct Case {
    /// The module; its entry is `@main`.
    pub text: String,
    /// Of each output; the last one holds for all that follow.
    tolerances: Vec<Tolerance>,
    /// `None`: tame and wild inputs alternately.
    pub values: Option<Values>,
    /// What bounds of its variables are drawn from.
    pub bounds: &'static [i64],
}

/// The bounds that variables get in most programs.
const BOUNDS: &[i64] = &[1, 2, 3, 5, 8, 9, 12, 17];

impl Case {
    /// A function `@main` of `arguments` whose body is `operation`, which defines `%r` or `%r:N` of the
    /// types `results`. Results must be equal.
    pub fn new(arguments: &[Tensor], operation: &str, results: &[Tensor]) -> Self {
        Self::after(arguments, "", operation, results)
    }

    /// Such a function that begins with the lines `before`.
    pub fn after(arguments: &[Tensor], before: &str, operation: &str, results: &[Tensor]) -> Self {
        let arguments: Vec<_> =
            arguments.iter().enumerate().map(|(at, ty)| format!("%{at}: {ty}")).collect();
        let types: Vec<_> = results.iter().map(Tensor::to_string).collect();
        let values: Vec<_> = match results.len() {
            1 => vec!["%r".to_owned()],
            count => (0..count).map(|at| format!("%r#{at}")).collect(),
        };
        let bound =
            if results.len() == 1 { "%r".to_owned() } else { format!("%r:{}", results.len()) };
        let types = types.join(", ");
        let text = format!(
            "func.func public @main({}) -> ({types}) {{\n{before}  {bound} = {operation}\n  return {} : {types}\n}}\n",
            arguments.join(", "),
            values.join(", "),
        );
        Self::exact(text)
    }

    /// A program whose results must be equal.
    pub fn exact(text: String) -> Self {
        Self { text, tolerances: vec![Tolerance::EXACT], values: None, bounds: BOUNDS }
    }

    /// Another program whose results are compared as this one's.
    pub fn with_text(mut self, text: String) -> Self {
        self.text = text;
        self
    }

    /// A program with a tolerance for each output; `tame`: no extreme inputs.
    pub fn several(text: String, tolerances: Vec<Tolerance>, tame: bool) -> Self {
        Self { text, tolerances, values: tame.then_some(Values::Tame), bounds: BOUNDS }
    }

    /// Without extreme inputs.
    pub fn tame(mut self) -> Self {
        self.values = Some(Values::Tame);
        self
    }

    /// With bounds of variables from this list.
    pub fn up_to(mut self, bounds: &'static [i64]) -> Self {
        self.bounds = bounds;
        self
    }

    /// With this tolerance for all outputs.
    pub fn within(mut self, tolerance: Tolerance) -> Self {
        self.tolerances = vec![tolerance];
        self
    }

    /// The tolerance for all outputs if it is not known for each.
    pub fn loosest(&self) -> Tolerance {
        let is_exact = self.tolerances.iter().all(|one| *one == Tolerance::EXACT);
        if is_exact { Tolerance::EXACT } else { Tolerance::default() }
    }

    /// How far output `at` may be from the expected one.
    pub fn tolerance(&self, at: usize) -> Tolerance {
        self.tolerances.get(at).or(self.tolerances.last()).copied().unwrap_or(Tolerance::EXACT)
    }

    /// For sums, whose order is free.
    pub fn summed(mut self, element: &str) -> Self {
        if is_float(element) {
            self.tolerances = vec![Tolerance::default()];
        }
        self
    }
}

/// A tensor type.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub shape: Vec<i64>,
    pub element: String,
}

impl Tensor {
    pub fn new(shape: &[i64], element: &str) -> Self {
        Self { shape: shape.to_vec(), element: element.to_owned() }
    }
}

impl std::fmt::Display for Tensor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("tensor<")?;
        for size in &self.shape {
            write!(formatter, "{size}x")?;
        }
        write!(formatter, "{}>", self.element)
    }
}

pub const SMALL_FLOATS: [&str; 11] = [
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E3M4",
    "f8E4M3",
    "f8E4M3FN",
    "f8E4M3FNUZ",
    "f8E4M3B11FNUZ",
    "f8E5M2",
    "f8E5M2FNUZ",
    "f8E8M0FNU",
];

pub const SUB_BYTE: [&str; 4] = ["i2", "ui2", "i4", "ui4"];

pub const WIDE: [&str; 15] = [
    "f32",
    "f64",
    "bf16",
    "f16",
    "i8",
    "i16",
    "i32",
    "i64",
    "ui8",
    "ui16",
    "ui32",
    "ui64",
    "i1",
    "complex<f32>",
    "complex<f64>",
];

/// Whether the type is a floating-point or a complex one.
pub fn is_float(element: &str) -> bool {
    element.contains('f')
}

pub fn is_complex(element: &str) -> bool {
    element.starts_with("complex")
}

/// What writes the body of a program, an operation on each line.
pub trait Lines {
    /// The number of the last name, and the text.
    fn lines(&mut self) -> (&mut usize, &mut String);

    /// A new name.
    fn name(&mut self) -> String {
        let (next, _) = self.lines();
        *next += 1;
        format!("%v{next}")
    }

    /// Writes an operation.
    fn line(&mut self, line: &str) {
        let (_, text) = self.lines();
        text.push_str("  ");
        text.push_str(line);
        text.push('\n');
    }

    /// Writes an operation that defines one value.
    fn define(&mut self, operation: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {operation}"));
        name
    }
}

/// The random numbers of a program.
pub struct Source(RngStream);

impl Source {
    pub fn new(seed: u64) -> Self {
        Self(RngStream::new(seed))
    }

    /// A number of 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    pub fn below(&mut self, end: i64) -> i64 {
        (self.0.next_u64() % end.max(1) as u64) as i64
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below(high - low + 1)
    }

    /// True one time in `times`.
    pub fn once_in(&mut self, times: i64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as i64) as usize].clone()
    }

    pub fn element(&mut self) -> String {
        match self.below(4) {
            0 => self.pick(&SMALL_FLOATS).to_owned(),
            1 => self.pick(&SUB_BYTE).to_owned(),
            _ => self.pick(&WIDE).to_owned(),
        }
    }

    /// A size, one time in twelve zero.
    pub fn size(&mut self) -> i64 {
        if self.once_in(12) { 0 } else { self.between(1, 6) }
    }

    pub fn shape(&mut self, rank: i64) -> Vec<i64> {
        (0..rank).map(|_| self.size()).collect()
    }

    /// All numbers below `count`, in any order.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..count).collect();
        (0..count)
            .map(|_| {
                let at = self.below(rest.len() as i64) as usize;
                rest.remove(at)
            })
            .collect()
    }

    /// `count` of the numbers below `end`, in any order.
    pub fn choose(&mut self, count: usize, end: usize) -> Vec<usize> {
        let mut all = self.permutation(end);
        all.truncate(count);
        all
    }

    /// Each of the list with an even chance, in order.
    pub fn subset(&mut self, list: &[usize]) -> Vec<usize> {
        list.iter().copied().filter(|_| self.once_in(2)).collect()
    }
}

/// `array<i64: …>`.
pub fn i64s(values: &[i64]) -> String {
    match values {
        [] => "array<i64>".to_owned(),
        _ => format!("array<i64: {}>", join(values)),
    }
}

/// The numbers, separated by commas.
pub fn join<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// `dense<[[low, high], …]> : tensor<Nx2xi64>`.
pub fn pairs(values: &[(i64, i64)]) -> String {
    if values.is_empty() {
        return "dense<> : tensor<0x2xi64>".to_owned();
    }
    let rows: Vec<_> = values.iter().map(|(low, high)| format!("[{low}, {high}]")).collect();
    format!("dense<[{}]> : tensor<{}x2xi64>", rows.join(", "), values.len())
}

/// A region of a combining operation on scalars of `elements`: all accumulators, then all elements.
pub fn combiner(source: &mut Source, elements: &[String]) -> String {
    let count = elements.len();
    let scalars: Vec<_> = elements.iter().map(|element| Tensor::new(&[], element)).collect();
    let arguments: Vec<_> = (0..2 * count)
        .map(|at| {
            format!(
                "%{}{}: {}",
                if at < count { "a" } else { "b" },
                at % count,
                scalars[at % count]
            )
        })
        .collect();
    let mut body = String::new();
    for (at, element) in elements.iter().enumerate() {
        let names: &[&str] = match element.as_str() {
            "i1" => &["and", "or", "xor"],
            _ if is_complex(element) => &["add"],
            "f8E8M0FNU" => &["maximum", "minimum"],
            _ => &["add", "maximum", "minimum", "add"],
        };
        let name = source.pick(names);
        body += &format!("    %c{at} = stablehlo.{name} %a{at}, %b{at} : {}\n", scalars[at]);
    }
    let results: Vec<_> = (0..count).map(|at| format!("%c{at}")).collect();
    let types = join(&scalars);
    format!(
        "({{\n  ^bb0({}):\n{body}    stablehlo.return {} : {types}\n  }})",
        arguments.join(", "),
        results.join(", ")
    )
}

/// `(types) -> (types)`.
pub fn signature(arguments: &[Tensor], results: &[Tensor]) -> String {
    format!("({}) -> ({})", join(arguments), join(results))
}

/// `%0, %1, …`.
pub fn operands(count: usize) -> String {
    (0..count).map(|at| format!("%{at}")).collect::<Vec<_>>().join(", ")
}
