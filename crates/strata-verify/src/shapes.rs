//! Sizes for programs that leave some open.

use strata::{Compiler, Options, Stage, Symbols};
use strata_diag::{Diagnostic, codes};
use strata_eval::rng::RngStream;

use crate::verify::first;

/// The sizes that symbols are tried with: minimal, odd, and around the widths of vectors.
const SIZES: &[i64] = &[3, 1, 8, 17, 2, 5, 16, 4, 12, 7, 64, 33];

/// How many combinations are tried before giving up.
const ATTEMPTS: u64 = 48;

/// Shapes of the inputs for which the program compiles, where it leaves sizes open; other seeds give other shapes. `None` for a
/// program whose inputs are static.
///
/// # Errors
/// Where the program cannot be read, and `S1106` or `S1101` if it compiles for none of the shapes tried.
pub fn input_shapes(
    name: &str,
    program: &[u8],
    options: &Options,
    seed: u64,
) -> Result<Option<Vec<Vec<i64>>>, Diagnostic> {
    if options.input_shapes.is_some() {
        return Ok(options.input_shapes.clone());
    }
    let symbols = strata::symbols(options, name, program);
    let symbols = symbols.map_err(|errors| first(errors, "the program cannot be read"))?;
    let Some(symbols) = symbols.filter(|symbols| !symbols.names.is_empty()) else {
        return Ok(None);
    };
    let mut stream = RngStream::new(seed);
    let mut refusal = None;
    let (max, specialize, added) = Default::default();
    let closed = Options { max, specialize, added, open: false, ..options.clone() };
    for attempt in 0..ATTEMPTS {
        let values = values(&symbols, options, attempt, &mut stream);
        let Some(shapes) = symbols.shapes_for(&values) else { continue };
        let bound = Options { input_shapes: Some(shapes.clone()), ..closed.clone() };
        match Compiler::new(bound).to(Stage::Hlo).compile(name, program) {
            Ok(_) => return Ok(Some(shapes)),
            Err(errors) => refusal = refusal.or_else(|| errors.into_iter().next()),
        }
    }
    // What the options bind may be the reason.
    let bound = Compiler::new(closed);
    let bound =
        bound.to(Stage::Hlo).compile(name, program).err().filter(|_| !options.bind.is_empty());
    let refusal = bound.and_then(|errors| errors.into_iter().next()).or(refusal);
    Err(refusal.unwrap_or_else(|| {
        Diagnostic::new(codes::S1106)
            .reason("no sizes were found that satisfy what the program asserts")
            .hint("--bind gives sizes, as does --input")
    }))
}

/// A value for each symbol: that of the options, else one of [`SIZES`], the same for all every other time: operations may rely on
/// equal sizes without saying so. None is above its bound, which is itself one of three that are larger. Every other one of a symbol that
/// an object has code of its own for sizes of is one of these.
fn values(symbols: &Symbols, options: &Options, attempt: u64, stream: &mut RngStream) -> Vec<i64> {
    let mut draw = |sizes: &[i64]| sizes[(stream.next_u64() % sizes.len() as u64) as usize];
    let common = draw(SIZES);
    let value = |name: &String| {
        let one = draw(SIZES);
        let own = options.specialize.iter().filter(|(symbol, _)| symbol == name);
        let own: Vec<i64> = own.map(|(_, size)| *size).collect();
        if !own.is_empty() && draw(&[0, 1]) == 1 {
            return draw(&own);
        }
        let given = options.bind.iter().find(|(given, _)| given == name);
        let most = options.max.iter().find(|(bounded, _)| bounded == name);
        let size = if attempt % 2 == 1 { common } else { one };
        let size = most.map_or(
            size,
            |(_, most)| {
                if size <= *most { size } else { (*most - size % 3).max(0) }
            },
        );
        given.map_or(size, |(_, size)| *size)
    };
    symbols.names.iter().map(value).collect()
}
