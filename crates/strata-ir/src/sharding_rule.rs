//! What an operation says of its own dimensions: the attribute `sdy.sharding_rule`, read.
//!
//! ```text
//! #sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=8, j=4, k=6} reduction={j}, custom>
//! ```
//!
//! Factors are `i` to `z`, then `z_1`, `z_2`, …; a dimension has one or more, the outermost first.

use melior::ir::Attribute;

use crate::handles::Op;

/// The name of the attribute.
pub const SHARDING_RULE: &str = "sdy.sharding_rule";

/// The factors of an operation's dimensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardingRule {
    /// The number of indices of each factor.
    pub sizes: Vec<i64>,
    /// For each operand, for each of its dimensions the factors.
    pub operands: Vec<Vec<Vec<usize>>>,
    /// The same of results.
    pub results: Vec<Vec<Vec<usize>>>,
    /// Factors over which results are sums.
    pub reduction: Vec<usize>,
    /// Factors of which each device needs all, or needs what others have, or along which no sharding is passed on.
    pub held: Vec<usize>,
}

impl ShardingRule {
    /// That of an operation; `None` if it states none.
    pub fn of(op: Op<'_>) -> Option<Self> {
        op.attr(SHARDING_RULE).and_then(Self::from_attribute)
    }

    /// That of an attribute `#sdy.op_sharding_rule<…>`; `None` for any other.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        Self::read(&attribute.to_string())
    }

    fn read(text: &str) -> Option<Self> {
        let text = text.strip_prefix("#sdy.op_sharding_rule<")?.strip_suffix('>')?;
        let (mappings, rest) = text.split_once(" {")?;
        let (operands, results) = mappings.split_once("->")?;
        let (sizes, rest) = rest.split_once('}')?;
        let size = |entry: &str| entry.split_once('=')?.1.trim().parse().ok();
        let mut rule = Self {
            sizes: entries(sizes).map(size).collect::<Option<_>>()?,
            operands: mapped(operands)?,
            results: mapped(results)?,
            ..Self::default()
        };
        for list in rest.trim_end_matches(", custom").split_terminator('}') {
            let (name, list) = list.split_once("={")?;
            let list = entries(list).map(factors).collect::<Option<Vec<_>>>()?.concat();
            match name.trim() {
                "reduction" => rule.reduction = list,
                "need_replication" | "permutation" | "blocked_propagation" => {
                    rule.held.extend(list);
                }
                _ => return None,
            }
        }
        Some(rule)
    }
}

fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// `([i, jk], [])`
fn mapped(text: &str) -> Option<Vec<Vec<Vec<usize>>>> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let values = inside.split_terminator(']');
    values.map(|value| entries(value.split_once('[')?.1).map(factors).collect()).collect()
}

/// `ijz_2`
fn factors(text: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let mut factor = (letter as usize).checked_sub('i' as usize)?;
        rest = &rest[letter.len_utf8()..];
        if let Some(number) = rest.strip_prefix('_') {
            let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
            factor += number[..end].parse::<usize>().ok()?;
            rest = &number[end..];
        }
        all.push(factor);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::ShardingRule;

    #[test]
    fn rules_are_read() {
        let text = "#sdy.op_sharding_rule<([i, jk], [])->([kz_2, i]) {i=8, j=2, k=3, l=1} reduction={j} need_replication={i, l} permutation={k}, custom>";
        let rule = ShardingRule::read(text).expect("it is well formed");
        assert_eq!(rule.sizes, [8, 2, 3, 1]);
        assert_eq!(rule.operands, [vec![vec![0], vec![1, 2]], vec![]]);
        assert_eq!(rule.results, [vec![vec![2, 19], vec![0]]]);
        assert_eq!((rule.reduction, rule.held), (vec![1], vec![0, 3, 2]));
        let plain = ShardingRule::read("#sdy.op_sharding_rule<([i])->([i]) {i=8}>");
        assert_eq!(plain.map(|rule| rule.sizes), Some(vec![8]));
        for broken in ["", "#sdy.op_sharding_rule<([i])->([i])>", "#sdy.sharding<@m, []>"] {
            assert_eq!(ShardingRule::read(broken), None, "{broken}");
        }
    }
}
