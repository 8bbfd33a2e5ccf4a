//! Affine maps, read from and written to their text: MLIR's C interface has no accessor for the map
//! of an attribute.

use strata_ir::{Attribute, Context, parse_attr};

/// `affine_map<(d0, …) -> (…)>` of `dims` dimensions and without symbols.
pub struct Map {
    /// The number of dimensions.
    pub dims: usize,
    /// The results as text.
    pub results: Vec<String>,
}

impl Map {
    /// Reads an affine map attribute; `None` for other attributes and for maps with symbols.
    pub fn read(attribute: Attribute<'_>) -> Option<Self> {
        let text = attribute.to_string();
        let inside = text.strip_prefix("affine_map<(")?.strip_suffix(")>")?;
        let (dims, results) = inside.split_once(") -> (")?;
        if dims.contains('[') {
            return None;
        }
        Some(Self { dims: list(dims).len(), results: list(results) })
    }

    /// The attribute for this map.
    pub fn write<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let dims: Vec<_> = (0..self.dims).map(|dim| format!("d{dim}")).collect();
        let text = format!("affine_map<({}) -> ({})>", dims.join(", "), self.results.join(", "));
        parse_attr(context, &text)
    }

    /// The dimensions that occur in a result.
    pub fn dims_of(&self, result: usize) -> Vec<usize> {
        self.results.get(result).map_or_else(Vec::new, |text| dims_in(text))
    }

    /// The map after dimension `d` became dimension `position[d]`.
    pub fn renamed(&self, position: &[usize]) -> Self {
        let rename = |text: &String| {
            let mut renamed = String::new();
            let mut rest = text.as_str();
            while let Some(at) = rest.find('d') {
                let (before, after) = rest.split_at(at + 1);
                renamed.push_str(before);
                let digits =
                    after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                match after[..digits].parse::<usize>().ok().and_then(|dim| position.get(dim)) {
                    Some(dim) => renamed.push_str(&dim.to_string()),
                    // The `d` of `mod`, `floordiv` or `ceildiv`.
                    None => renamed.push_str(&after[..digits]),
                }
                rest = &after[digits..];
            }
            renamed.push_str(rest);
            renamed
        };
        Self { dims: self.dims, results: self.results.iter().map(rename).collect() }
    }
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

fn dims_in(text: &str) -> Vec<usize> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter_map(|word| word.strip_prefix('d')?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::Map;

    #[test]
    fn renaming_leaves_operators_alone() {
        let map = Map { dims: 3, results: vec!["d0 * 2 + d2".into(), "d1 mod 4".into()] };
        let renamed = map.renamed(&[2, 0, 1]);
        assert_eq!(renamed.results, ["d2 * 2 + d1", "d0 mod 4"]);
        assert_eq!(map.dims_of(0), [0, 2]);
    }
}
