//! Which options give a program sizes that compile: found by trying, so that a hint that is followed works.

use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_hlo::Symbols;
use strata_ir::{module_op, new_context};
use strata_options::Options;
use strata_shapes::Variable;

use crate::{open, survey};

/// The bounds and the sizes that are tried for all symbols at once, as they are shown.
const BOUNDS: &[i64] = &[512, 64, 16, 8];
const SIZES: &[i64] = &[8, 16, 4, 2, 1, 3, 5, 64, 6, 7, 12];

/// A program of more bytes is tried with the first of them only: it takes long to read.
const MOST_BYTES: usize = 16 << 20;

/// The same errors; one about sizes gets a hint that was tried.
pub(crate) fn advise(
    errors: Diagnostics,
    options: &Options,
    name: &str,
    bytes: &[u8],
) -> Diagnostics {
    let is_about_sizes =
        |error: &Diagnostic| error.code() == codes::S1101 || is_contradiction(error);
    if options.input_shapes.is_some() || !errors.iter().any(is_about_sizes) {
        return errors;
    }
    let contradicts = errors.iter().any(is_contradiction);
    let given = match contradicts {
        true => {
            Options { bind: Vec::new(), max: Vec::new(), specialize: Vec::new(), ..options.clone() }
        }
        false => options.clone(),
    };
    let advice = if given.entries.len() > 1 {
        of_entries(given, name, bytes)
    } else {
        let Ok(Some(symbols)) = survey::symbols(options, name, bytes) else { return errors };
        if symbols.names.is_empty() {
            return errors;
        }
        of(&given, &symbols, name, bytes).map(|advice| advice.text)
    };
    errors.map(|error| match (is_about_sizes(&error), &advice) {
        (true, Some(sizes)) => error.hint_at_sizes(sizes),
        (true, None) => error.hint(
            "no `--max` and no `--bind` that was tried compiles it: export the program with static shapes",
        ),
        (false, _) => error,
    })
}

/// Sizes that were given and do not fit, with no hint yet.
fn is_contradiction(error: &Diagnostic) -> bool {
    error.code() == codes::S1106 && error.hint_text().is_none()
}

/// Sizes with which a program compiles.
struct Advice {
    bind: Sizes,
    max: Sizes,
    /// The options, and what they give.
    text: String,
}

/// The same for several entries: what each is lacking, one after the other, where symbols of the same name have the same size.
fn of_entries(mut given: Options, name: &str, bytes: &[u8]) -> Option<String> {
    let fits = |options: &Options| match open::plan(options, name, bytes) {
        Ok(Some(_)) => stays_open(options, name, bytes),
        Ok(None) => has_sizes(options, name, bytes),
        Err(_) => false,
    };
    for at in 0..given.entries.len() {
        let own = survey::of_entries(&given, name, bytes).ok()?.into_iter().nth(at)?;
        if fits(&own) {
            continue;
        }
        let symbols = survey::symbols(&own, name, bytes).ok()??;
        let Advice { bind, max, .. } = of(&own, &symbols, name, bytes)?;
        let has = |list: &Sizes, name: &String| list.iter().any(|(known, _)| known == name);
        let is_smaller =
            |one: &(String, i64)| max.iter().any(|(name, size)| *name == one.0 && *size < one.1);
        given.max.retain(|one| !has(&bind, &one.0) && !is_smaller(one));
        let new = |list: &Sizes, sizes: Sizes| {
            sizes.into_iter().filter(|(name, _)| !has(list, name)).collect::<Sizes>()
        };
        let (bind, max) = (new(&given.bind, bind), new(&given.max, max));
        given.bind.extend(bind);
        given.max.extend(max);
    }
    let all = survey::of_entries(&given, name, bytes).ok()?;
    let words = words(&given.bind, &given.max);
    (!words.is_empty() && all.iter().all(fits)).then(|| format!("`{words}` compiles all entries"))
}

/// Options that compile the program, with all of `--bind` and `--max` that it takes: those that are given are kept. `None` if none that
/// was tried does.
fn of(given: &Options, symbols: &Symbols, name: &str, bytes: &[u8]) -> Option<Advice> {
    let list = if bytes.len() > MOST_BYTES { 1 } else { usize::MAX };
    let has = |name: &String| given.bind.iter().chain(&given.max).any(|(known, _)| known == name);
    let missing: Vec<&String> = symbols.names.iter().filter(|name| !has(name)).collect();
    let bounds = |names: &[&String], bound: i64| -> Sizes {
        names.iter().map(|name| ((*name).clone(), bound_of(symbols, name, bound))).collect()
    };
    let leaves_open = |bind: &Sizes, max: &Sizes| {
        let options = Options { bind: bind.clone(), max: max.clone(), ..given.clone() };
        !max.is_empty() && stays_open(&options, name, bytes)
    };
    let without = |free: &String| -> Vec<&String> {
        missing.iter().filter(|name| **name != free).copied().collect()
    };
    let smaller = |bound: i64| -> Sizes {
        let smaller = |(name, size): &(String, i64)| {
            (name.clone(), bound_of(symbols, name, bound.min(*size)))
        };
        given.max.iter().map(smaller).collect()
    };
    if given.open && !missing.is_empty() {
        // Bounds that are given are kept if any can be.
        let kept = smaller(BOUNDS[0]);
        let kept = [Some(&given.max), Some(&kept).filter(|kept| **kept != given.max)];
        for (own, bound) in kept
            .iter()
            .flatten()
            .flat_map(|own| BOUNDS.iter().take(list).map(move |bound| (*own, bound)))
        {
            // One of them may be any number; JAX exports the batch first.
            for free in &missing {
                let max = [own.clone(), bounds(&without(free), *bound)].concat();
                if max != given.max && leaves_open(&given.bind, &max) {
                    let most = told(&max, " <= ", " and ");
                    let words = words(&given.bind, &max);
                    let text = format!("`{words}` compiles for any `{free}`, and for {most}");
                    return Some(Advice { bind: given.bind.clone(), max, text });
                }
            }
            let max = [own.clone(), bounds(&missing, *bound)].concat();
            if leaves_open(&given.bind, &max) {
                let words = words(&given.bind, &max);
                let text = format!("`{words}` compiles for all sizes up to {}", these(&max));
                return Some(Advice { bind: given.bind.clone(), max, text });
            }
        }
        for bound in BOUNDS.iter().take(list.min(2)) {
            for one in &missing {
                let bind = [given.bind.clone(), vec![((*one).clone(), SIZES[0])]].concat();
                let max = [given.max.clone(), bounds(&without(one), *bound)].concat();
                if leaves_open(&bind, &max) {
                    let words = words(&bind, &max);
                    let most = told(&max, " <= ", " and ");
                    let text = format!("`{words}` compiles for one `{one}`, and for {most}");
                    return Some(Advice { bind, max, text });
                }
            }
        }
    }
    if given.open && missing.is_empty() {
        for bound in BOUNDS.iter().take(list) {
            let max = smaller(*bound);
            if max != given.max && leaves_open(&given.bind, &max) {
                let words = words(&given.bind, &max);
                let text = format!("`{words}` compiles for all sizes up to {}", these(&max));
                return Some(Advice { bind: given.bind.clone(), max, text });
            }
        }
    }
    let open = |name: &&String| given.bind.iter().all(|(known, _)| known != *name);
    let open: Vec<&String> = symbols.names.iter().filter(open).collect();
    let alike = SIZES.iter().take(list).map(|size| (None, *size));
    // One that is twice as large as the others, as before a pool.
    let twice = open.iter().filter(|_| open.len() > 1 && list > 1).map(|one| (Some(*one), 4));
    for (larger, size) in alike.chain(twice) {
        let own = |name: &&String| {
            let size = if Some(*name) == larger { 2 * size } else { size };
            ((*name).clone(), size_of(symbols, name, size))
        };
        let own: Sizes = open.iter().map(own).collect();
        let bind = [given.bind.clone(), own.clone()].concat();
        let closed = Options { bind, max: Vec::new(), specialize: Vec::new(), ..given.clone() };
        if !own.is_empty() && has_sizes(&closed, name, bytes) {
            let others = if given.max.is_empty() { "" } else { ", without `--max`," };
            let words = words(&closed.bind, &closed.max);
            let text = format!("`{words}`{others} compiles for one size");
            return Some(Advice { bind: closed.bind, max: Vec::new(), text });
        }
    }
    None
}

/// Values of symbols.
type Sizes = Vec<(String, i64)>;

/// `b=8,s=64`.
fn told(sizes: &[(String, i64)], equals: &str, and: &str) -> String {
    let pairs = sizes.iter().map(|(name, size)| match and {
        "," => format!("{name}{equals}{size}"),
        _ => format!("`{name}`{equals}{size}"),
    });
    pairs.collect::<Vec<_>>().join(and)
}

/// `--bind b=8 --max s=64`.
fn words(bind: &[(String, i64)], max: &[(String, i64)]) -> String {
    let lists = [("--bind", bind), ("--max", max)].into_iter();
    let lists = lists.filter(|(_, sizes)| !sizes.is_empty());
    let words = lists.map(|(option, sizes)| format!("{option} {}", told(sizes, "=", ",")));
    words.collect::<Vec<_>>().join(" ")
}

fn these(sizes: &[(String, i64)]) -> &'static str {
    if sizes.len() == 1 { "it" } else { "these" }
}

/// The bound, or a smaller one where the program asserts that.
fn bound_of(symbols: &Symbols, name: &str, bound: i64) -> i64 {
    (1..=bound).rev().find(|size| takes(symbols, name, *size)).unwrap_or(bound)
}

/// The size, or a larger one where the program asserts that.
fn size_of(symbols: &Symbols, name: &str, size: i64) -> i64 {
    (size..size + BOUNDS[0]).find(|size| takes(symbols, name, *size)).unwrap_or(size)
}

/// Whether what the program asserts of this symbol alone holds for a size.
fn takes(symbols: &Symbols, name: &str, size: i64) -> bool {
    let index = symbols.names.iter().position(|known| known == name);
    let value = |at| (Some(at) == index.map(Variable::Symbol)).then_some(size);
    symbols.constraints.iter().all(|(truth, _)| truth.holds(&value) != Some(false))
}

/// Whether an object with open sizes can be made, as far as sizes go.
fn stays_open(options: &Options, name: &str, bytes: &[u8]) -> bool {
    let Ok(Some(plan)) = open::plan(options, name, bytes) else { return false };
    // The largest version; the others differ in sizes only.
    let Some(version) = plan.entry.versions.last() else { return false };
    let (bind, bounds) = plan.sizes(version);
    let bind = [options.bind.clone(), bind].concat();
    has_sizes(
        &Options { bind, bounds, max: Vec::new(), specialize: Vec::new(), ..options.clone() },
        name,
        bytes,
    )
}

/// Whether all sizes are known with these options, and stage `hlo` has nothing against them.
fn has_sizes(options: &Options, name: &str, bytes: &[u8]) -> bool {
    let context = new_context();
    let Ok(mut module) = strata_vhlo::parse(&context, name, bytes) else { return false };
    let is_sized = strata_hlo::run(&context, &mut module, options).is_ok()
        && strata_hlo::check(&module, options).is_ok();
    if !is_sized {
        return false;
    }
    let is_parted = !strata_spmd::applies(&module)
        || strata_spmd::run(&context, &mut module, options).is_ok()
            && strata_hlo::resume(&context, &mut module, options).is_ok();
    if !is_parted {
        return false;
    }
    // An assertion of values may remain, which only the lowering refuses.
    module_op(&module).verify()
        && strata_linalg::unsupported(&context, &module, options).is_ok_and(|list| list.is_empty())
}
