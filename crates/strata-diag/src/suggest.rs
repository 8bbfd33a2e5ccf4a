//! Suggestions for misspelt names.

/// "did you mean …?" with the known names that differ least from `name`; `None` if all differ much.
///
/// ```
/// let commands = ["compile", "run", "verify"];
/// assert_eq!(strata_diag::did_you_mean("compil", commands).as_deref(), Some("did you mean `compile`?"));
/// assert_eq!(strata_diag::did_you_mean("quantize", commands), None);
/// ```
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = near(name, known).iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("did you mean {only}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    }
}

/// The known names, three at most, that differ least from `name`, where that is little: a third of the letters after
/// the common prefix up to a dot, ignoring case.
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let (one, other) = without_common_dialect(&wanted, &candidate);
        // The dialect before a dot does not count towards the length.
        let last = |name: &str| match one.contains('.') && other.contains('.') {
            true => name.rsplit('.').next().unwrap_or(name).chars().count(),
            false => name.chars().count(),
        };
        // Names of one or two letters are all similar.
        let bound = match last(one).min(last(other)) {
            0..3 => usize::from(one == other || last(one) != last(other)),
            length => length / 3,
        };
        let distance = strsim::damerau_levenshtein(one, other);
        (distance <= bound).then_some(distance)
    };
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|candidate| Some((distance(candidate)?, candidate)))
        .filter(|(_, candidate)| *candidate != name)
        .collect();
    near.sort_unstable();
    near.dedup();
    let least = near.first().map_or(0, |(distance, _)| *distance);
    near.into_iter()
        .take_while(|(distance, _)| *distance == least)
        .take(3)
        .map(|(_, name)| name)
        .collect()
}

/// Sorts names by how much they differ from `name`, the most similar one first.
///
/// ```
/// let mut names = ["completions", "compile"];
/// strata_diag::sort_by_likeness("compil", &mut names);
/// assert_eq!(names, ["compile", "completions"]);
/// ```
pub fn sort_by_likeness(name: &str, names: &mut [&str]) {
    names.sort_by_cached_key(|known| strsim::damerau_levenshtein(name, known));
}

/// Both names after a common dialect.
fn without_common_dialect<'n>(one: &'n str, other: &'n str) -> (&'n str, &'n str) {
    match (one.split_once('.'), other.split_once('.')) {
        (Some((dialect, one)), Some((same, other))) if dialect == same => (one, other),
        _ => (one, other),
    }
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn unlikely_names_are_not_suggested() {
        let known = ["stablehlo.multiply", "stablehlo.tuple", "stablehlo.power", "chlo.tan"];
        assert_eq!(near("stablehlo.multply", known), ["stablehlo.multiply"]);
        assert_eq!(near("stablehl.multiply", known), ["stablehlo.multiply"]);
        assert_eq!(near("stablehlo.Power", known), ["stablehlo.power"]);
        assert!(near("stablehlo.quantise", known).is_empty());
        assert!(near("lax.dot", known).is_empty());
        assert_eq!(near("avx1024", ["avx10.1", "sse4.2"]), ["avx10.1"]);
    }

    #[test]
    fn short_names_are_near_when_a_letter_is_missing_or_too_much() {
        assert_eq!(near("yy", ["x", "y"]), ["y"]);
        assert!(near("a", ["x", "y"]).is_empty());
        assert!(near("ab", ["xy"]).is_empty());
    }
}
