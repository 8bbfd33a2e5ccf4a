//! Which operations are defined for an element type, and how far engines may be apart.

use strata_eval::{ElementType, FloatType};

/// An operation on operands of one type.
pub struct Operation {
    /// Its name, and what it is called in failures.
    pub name: String,
    /// The element type of its result.
    pub result: ElementType,
    /// By how many units in the last place engines may differ.
    pub ulps: u64,
    /// Or by how much; of complex numbers beyond 1 by such a part of the modulus.
    pub absolute: f64,
    form: Form,
}

enum Form {
    /// `"name"(x, y) : (tensor, tensor) -> tensor`.
    Generic,
    Compare(&'static str, &'static str),
    ReducePrecision(u32, u32),
    /// `x * y + z`: two operations, each of which rounds.
    MultiplyAdd,
    /// `x` or `y` or `z`, by two comparisons.
    Select(&'static str, &'static str),
}

use Form::{Compare, Generic, MultiplyAdd, ReducePrecision, Select};

const DIRECTIONS: [&str; 6] = ["EQ", "NE", "LT", "LE", "GT", "GE"];

impl Operation {
    fn new(name: &str, result: ElementType, ulps: u64, form: Form) -> Self {
        Self { name: name.to_owned(), result, ulps, absolute: 0.0, form }
    }

    /// The lines that compute `into` from `operands`, all of type `ty`, where `predicate` is the type of comparisons.
    pub fn lines(
        &self,
        into: &str,
        operands: &[&str],
        [ty, predicate]: [&str; 2],
        to: &str,
    ) -> String {
        let list = operands.join(", ");
        let signature = vec![ty; operands.len()].join(", ");
        match self.form {
            Generic => format!("  {into} = \"{}\"({list}) : ({signature}) -> {to}\n", self.name),
            Compare(direction, kind) => format!(
                "  {into} = stablehlo.compare {direction}, {list}, {kind} : ({signature}) -> {to}\n"
            ),
            ReducePrecision(exponent, mantissa) => format!(
                "  {into} = stablehlo.reduce_precision {list}, format = e{exponent}m{mantissa} : {to}\n"
            ),
            MultiplyAdd => format!(
                "  {into}p = stablehlo.multiply {}, {} : {ty}\n  {into} = stablehlo.add {into}p, {} : {ty}\n",
                operands[0], operands[1], operands[2]
            ),
            Select(direction, kind) => {
                let [x, y, z] = [operands[0], operands[1], operands[2]];
                let compare = |a, b| {
                    format!(
                        "stablehlo.compare {direction}, {a}, {b}, {kind} : ({ty}, {ty}) -> {predicate}"
                    )
                };
                format!(
                    "  {into}a = {}\n  {into}b = {}\n  {into}c = stablehlo.select {into}b, {y}, {z} : {predicate}, {ty}\n  \
                     {into} = stablehlo.select {into}a, {x}, {into}c : {predicate}, {ty}\n",
                    compare(x, y),
                    compare(y, z),
                )
            }
        }
    }
}

/// The kind of comparison of a type.
fn kind(ty: ElementType) -> &'static str {
    match ty {
        ElementType::Bool | ElementType::Unsigned(_) => "UNSIGNED",
        ElementType::Signed(_) => "SIGNED",
        ElementType::Float(_) | ElementType::Complex(_) => "FLOAT",
    }
}

fn plain(dialect: &str, names: &[&str], result: ElementType, ulps: u64) -> Vec<Operation> {
    let one = |name: &&str| Operation::new(&format!("{dialect}.{name}"), result, ulps, Generic);
    names.iter().map(one).collect()
}

/// How far functions may be apart: both engines are within a few units of the exact result.
fn of_functions(ty: ElementType) -> u64 {
    match ty {
        // Computed in `f32` or more and rounded once, by both.
        ElementType::Float(format) if format.bits() <= 16 => 1,
        ElementType::Complex(_) => 8,
        _ => 4,
    }
}

const FUNCTIONS: &[&str] = &[
    "cbrt",
    "cosine",
    "exponential",
    "exponential_minus_one",
    "log",
    "log_plus_one",
    "logistic",
    "rsqrt",
    "sine",
    "tan",
    "tanh",
];
const CHLO_FUNCTIONS: &[&str] =
    &["acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh"];
const REAL_FUNCTIONS: &[&str] = &["bessel_i1e", "digamma", "erf", "erf_inv", "erfc", "lgamma"];

/// Operations of one operand.
pub fn unary(ty: ElementType) -> Vec<Operation> {
    let ulps = of_functions(ty);
    match ty {
        ElementType::Bool => plain("stablehlo", &["not"], ty, 0),
        ElementType::Signed(_) => {
            let names = ["abs", "negate", "sign", "not", "popcnt", "count_leading_zeros"];
            plain("stablehlo", &names, ty, 0)
        }
        ElementType::Unsigned(_) => {
            plain("stablehlo", &["negate", "not", "popcnt", "count_leading_zeros"], ty, 0)
        }
        ElementType::Float(_) => {
            let exact = [
                "abs",
                "negate",
                "sign",
                "ceil",
                "floor",
                "round_nearest_afz",
                "round_nearest_even",
                "sqrt",
                "real",
                "imag",
            ];
            let mut all = plain("stablehlo", &exact, ty, 0);
            all.extend(plain("stablehlo", &["is_finite"], ElementType::Bool, 0));
            let predicates = ["is_inf", "is_neg_inf", "is_pos_inf"];
            all.extend(plain("chlo", &predicates, ElementType::Bool, 0));
            all.extend(plain("chlo", &["square", "conj"], ty, 0));
            all.extend(plain("stablehlo", FUNCTIONS, ty, ulps));
            all.extend(plain("chlo", CHLO_FUNCTIONS, ty, ulps));
            // What is left of a difference near a zero, of terms of about 1.
            let real = plain("chlo", REAL_FUNCTIONS, ty, ulps);
            all.extend(real.into_iter().map(|one| Operation { absolute: 2e-15, ..one }));
            all
        }
        ElementType::Complex(part) => {
            let part = ElementType::Float(part);
            let mut all = plain("stablehlo", &["real", "imag"], part, 0);
            all.extend(plain("stablehlo", &["abs"], part, 1));
            all.extend(plain("stablehlo", &["negate"], ty, 0));
            all.extend(plain("stablehlo", &["sign", "sqrt"], ty, ulps));
            all.extend(plain("chlo", &["conj"], ty, 0));
            all.extend(plain("chlo", &["square"], ty, ulps));
            all.extend(plain("stablehlo", FUNCTIONS, ty, ulps));
            all.extend(plain("chlo", CHLO_FUNCTIONS, ty, ulps));
            all
        }
    }
}

/// Operations of two operands.
pub fn binary(ty: ElementType) -> Vec<Operation> {
    let arithmetic = ["add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum"];
    let logic = ["and", "or", "xor"];
    let mut all = match ty {
        ElementType::Bool => plain(
            "stablehlo",
            &["add", "multiply", "maximum", "minimum", "and", "or", "xor"],
            ty,
            0,
        ),
        ElementType::Signed(_) | ElementType::Unsigned(_) => {
            let shifts = ["power", "shift_left", "shift_right_arithmetic", "shift_right_logical"];
            let mut all = plain("stablehlo", &arithmetic, ty, 0);
            all.extend(plain("stablehlo", &logic, ty, 0));
            all.extend(plain("stablehlo", &shifts, ty, 0));
            all.extend(plain("chlo", &["mulhi"], ty, 0));
            all
        }
        ElementType::Float(format) => {
            let mut all = plain("stablehlo", &arithmetic, ty, 0);
            all.extend(plain("chlo", &["next_after"], ty, 0));
            all.extend(plain("stablehlo", &["power", "atan2"], ty, 2.min(of_functions(ty))));
            if matches!(format, FloatType::F32 | FloatType::F64) {
                all.extend(plain("stablehlo", &["complex"], ElementType::Complex(format), 0));
            }
            let total = DIRECTIONS.map(|direction| {
                let name = format!("compare {direction} TOTALORDER");
                Operation::new(&name, ElementType::Bool, 0, Compare(direction, "TOTALORDER"))
            });
            all.extend(total);
            all
        }
        ElementType::Complex(_) => {
            let mut all = plain("stablehlo", &["add", "subtract", "multiply"], ty, 0);
            all.extend(plain("stablehlo", &["maximum", "minimum"], ty, 0));
            all.extend(plain("stablehlo", &["divide"], ty, 2));
            // As far as the angle of the result, which a unit of it moves.
            let functions = plain("stablehlo", &["power", "atan2"], ty, 64);
            all.extend(functions.into_iter().map(|one| Operation { absolute: 1e-13, ..one }));
            all
        }
    };
    let known = if ty.is_complex() { 2 } else { 6 };
    all.extend(DIRECTIONS[..known].iter().map(|direction| {
        let name = format!("compare {direction}");
        Operation::new(&name, ElementType::Bool, 0, Compare(direction, kind(ty)))
    }));
    all
}

/// Operations of three operands.
pub fn ternary(ty: ElementType) -> Vec<Operation> {
    let directions: &[&'static str] =
        if ty.is_complex() { &["EQ", "NE"] } else { &["LT", "GE", "NE"] };
    let selections = directions.iter().map(|direction| {
        Operation::new(&format!("select by {direction}"), ty, 0, Select(direction, kind(ty)))
    });
    let mut all: Vec<_> = selections.collect();
    all.push(Operation::new("multiply and add", ty, 0, MultiplyAdd));
    all.extend(plain("stablehlo", &["clamp"], ty, 0));
    all
}

/// Conversions to every type.
pub fn conversions(types: &[&str]) -> Vec<Operation> {
    let to = |name: &&str| ElementType::parse(name).expect("an element type");
    let one = |ty: ElementType| Operation {
        name: "stablehlo.convert".to_owned(),
        result: ty,
        ulps: 0,
        absolute: 0.0,
        form: Generic,
    };
    types.iter().map(to).map(one).collect()
}

/// Every format of `reduce_precision` that is smaller than the type in one of the two, and one that is larger.
pub fn formats(ty: ElementType) -> Vec<Operation> {
    let ElementType::Float(format) = ty else { return Vec::new() };
    let exponents = 1..=format.exponent_bits() + 1;
    let mantissas = 0..=format.mantissa_bits() + 1;
    let pairs =
        exponents.flat_map(|exponent| mantissas.clone().map(move |mantissa| (exponent, mantissa)));
    pairs
        .map(|(exponent, mantissa)| {
            let name = format!("reduce_precision e{exponent}m{mantissa}");
            Operation::new(&name, ty, 0, ReducePrecision(exponent, mantissa))
        })
        .collect()
}
