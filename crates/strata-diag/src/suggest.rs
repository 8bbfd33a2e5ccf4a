//! Names that somebody may have meant.

/// "did you mean …?" with the known names that differ little from `name`; `None` where none does.
///
/// ```
/// let commands = ["compile", "run", "verify"];
/// assert_eq!(strata_diag::did_you_mean("compil", commands).as_deref(), Some("did you mean `compile`?"));
/// assert_eq!(strata_diag::did_you_mean("quantize", commands), None);
/// ```
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (name.len().min(candidate.len()) / 3).max(1))
        .collect();
    near.sort_unstable();
    near.dedup();
    let names: Vec<_> = near.iter().take(3).map(|(_, name)| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => None,
        [only] => Some(format!("did you mean {only}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    }
}
