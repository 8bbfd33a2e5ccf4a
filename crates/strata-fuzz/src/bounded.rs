//! A program with dimension variables as one object, against the evaluator at many sizes: 0, 1, the bound, and sizes around those
//! that the object has code for.

use strata::{Options, Symbols};
use strata_diag::{Diagnostic, codes};
use strata_eval::{Evaluator, Session, Values, rng::RngStream};
use strata_ir as ir;
use strata_run::Linked;
use strata_verify::DynamicObject;

use crate::{oracle::Oracle, source::Case};

/// The sizes of a batch: multiples of those that objects have code for, and remainders.
const BATCHES: [i64; 7] = [0, 1, 2, 3, 7, 17, 33];

/// How often bounds are drawn until the program takes them.
const DRAWS: usize = 64;

/// How many combinations of sizes a program is called with.
const CALLS: usize = 10;

/// Of so many programs one is also run after every stage, each version that a call runs.
const STAGES: u64 = 8;

/// Compares an object with the evaluator, at sizes drawn from the seed. In every fourth program the first variable has no bound, if
/// the program is independent along it.
pub fn compare(oracle: Oracle, case: &Case, seed: u64) -> Result<Result<(), String>, Diagnostic> {
    let options = oracle.options(&case.text, seed)?;
    let symbols = strata::symbols(&options, "program.mlir", case.text.as_bytes());
    let symbols = symbols.map_err(|errors| {
        errors.into_iter().next().unwrap_or_else(|| Diagnostic::new(codes::S9001))
    })?;
    let Some(symbols) = symbols.filter(|symbols| !symbols.names.is_empty()) else {
        return Ok(Ok(()));
    };
    let mut stream = RngStream::new(seed);
    let mut pick = |list: &[i64]| list[(stream.next_u64() % list.len() as u64) as usize];
    let mut draw = || -> Vec<i64> { symbols.names.iter().map(|_| pick(case.bounds)).collect() };
    // Bounds that the program takes: it may assert that there is more than one element.
    let drawn: Vec<_> = std::iter::repeat_with(&mut draw).take(DRAWS).collect();
    let taken = drawn.iter().find(|bounds| symbols.shapes_for(bounds).is_some());
    let bounds = taken.unwrap_or(&drawn[0]).clone();
    let limits = |skipped: usize| {
        let max = symbols.names.iter().cloned().zip(bounds.iter().copied()).skip(skipped);
        Options { max: max.collect(), ..options.clone() }
    };
    let mut is_batch = seed % 4 == 3;
    let object =
        match is_batch.then(|| DynamicObject::new(&case.text, &limits(1), &Linked::default())) {
            Some(Ok(object)) => object,
            Some(Err(error)) if error.code() != codes::S1101 => return Err(error),
            _ => {
                is_batch = false;
                DynamicObject::new(&case.text, &limits(0), &Linked::default())?
            }
        };
    let sizes: Vec<Vec<i64>> = (0..CALLS)
        .map(|call| {
            let size = |(at, bound): (usize, &i64)| match call {
                _ if is_batch && at == 0 => pick(&BATCHES),
                0 => *bound,
                1 => 0,
                2 => 1.min(*bound),
                _ => pick(&(0..=*bound).collect::<Vec<_>>()),
            };
            bounds.iter().enumerate().map(size).collect()
        })
        .collect();
    let found = called(oracle, (case, seed), &symbols, &object, &sizes)?;
    if found.is_err() || seed % STAGES != STAGES - 1 {
        return Ok(found);
    }
    let open = Options { open: true, ..limits(usize::from(is_batch)) };
    oracle.stages((case, &open), seed, None)
}

fn called(
    oracle: Oracle,
    (case, seed): (&Case, u64),
    symbols: &Symbols,
    object: &DynamicObject,
    sizes: &[Vec<i64>],
) -> Result<Result<(), String>, Diagnostic> {
    let context = crate::context();
    let module = ir::parse_text(context, &case.text)?;
    let evaluator = Evaluator::new(&module)?;
    for (round, values) in sizes.iter().enumerate() {
        // What the program asserts may exclude some.
        let Some(shapes) = symbols.shapes_for(values) else { continue };
        let what = symbols.names.iter().zip(values);
        let what: Vec<_> = what.map(|(name, size)| format!("{name}={size}")).collect();
        let kind = case.values.unwrap_or(Values::Tame);
        let round = seed.wrapping_add(round as u64);
        let inputs = evaluator.random_inputs_of(None, Some(&shapes), kind, round)?;
        let expected = evaluator.run(None, &inputs, &Session::new(seed))?;
        let Some(actual) = object.call(&inputs)? else {
            // No batch elements are none from which an output that all of them share could be computed.
            if values.contains(&0) {
                continue;
            }
            return Ok(Err(format!("{}: the object refuses the sizes", what.join(", "))));
        };
        let noisy = |noise| {
            let mut session = Session::new(seed);
            session.add_noise(noise);
            evaluator.run(None, &inputs, &session).ok()
        };
        if let Err(reason) = oracle.near(case, &actual, &expected, noisy) {
            return Ok(Err(format!("{}: {reason}", what.join(", "))));
        }
    }
    Ok(Ok(()))
}
