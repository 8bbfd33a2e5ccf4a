//! What operations cost, alone and together.

use std::collections::{BTreeMap, BTreeSet};

use strata::{Cost, Remarks};

/// The costs of a program's operations.
pub struct Costs<'r> {
    remarks: &'r Remarks,
    /// Of each operation arithmetic, functions and bytes.
    own: BTreeMap<usize, [f64; 3]>,
}

impl<'r> Costs<'r> {
    /// What is left of several operations after stage `hlo` is of each in equal parts.
    pub fn of(remarks: &'r Remarks) -> Self {
        let mut own: BTreeMap<usize, [f64; 3]> = BTreeMap::new();
        for (origin, cost) in &remarks.costs {
            let parts = origin.operations.len().max(1) as f64;
            for operation in &origin.operations {
                let sum = own.entry(*operation).or_default();
                let all = [cost.flops, cost.transcendentals, cost.bytes];
                for (sum, one) in sum.iter_mut().zip(all) {
                    *sum += one as f64 / parts;
                }
            }
        }
        Self { remarks, own }
    }

    /// The costs at each place, of which `places` says those of an operation in one of some calls. What is of several is of each in equal
    /// parts.
    pub fn by_place<P: Ord>(
        remarks: &'r Remarks,
        places: impl Fn(usize, &BTreeSet<usize>) -> BTreeSet<Option<P>>,
    ) -> BTreeMap<P, Self> {
        let mut found: BTreeMap<P, Self> = BTreeMap::new();
        for (origin, cost) in &remarks.costs {
            for operation in &origin.operations {
                let at = places(*operation, &origin.calls);
                let parts = (origin.operations.len() * at.len()) as f64;
                for place in at.into_iter().flatten() {
                    let own = found
                        .entry(place)
                        .or_insert_with(|| Self { remarks, own: BTreeMap::new() });
                    let sum = own.own.entry(*operation).or_default();
                    let all = [cost.flops, cost.transcendentals, cost.bytes];
                    for (sum, one) in sum.iter_mut().zip(all) {
                        *sum += one as f64 / parts;
                    }
                }
            }
        }
        found
    }

    /// What all of them cost together.
    pub fn whole(&self) -> Cost {
        self.all(&self.own.keys().copied().collect::<Vec<_>>())
    }

    /// What operations cost together: without the bytes of values that one of them makes and only others of them read.
    pub fn all(&self, operations: &[usize]) -> Cost {
        let known: BTreeSet<usize> =
            operations.iter().copied().filter(|at| self.own.contains_key(at)).collect();
        let mut sum = [0.0; 3];
        for own in known.iter().filter_map(|at| self.own.get(at)) {
            for (sum, one) in sum.iter_mut().zip(own) {
                *sum += one;
            }
        }
        for at in &known {
            let Some(operation) = self.remarks.operations.get(*at) else { continue };
            let result: f64 = operation.operation.types.iter().map(|ty| bytes(ty)).sum();
            let users = &operation.operation.users;
            let inside = users.iter().filter(|user| known.contains(user)).count();
            let is_passed = inside == users.len() && inside > 0;
            sum[2] -= result * (inside as f64 + if is_passed { 1.0 } else { 0.0 });
        }
        let [flops, transcendentals, bytes] = sum.map(|sum| sum.max(0.0).round() as u64);
        Cost { flops, transcendentals, bytes }
    }
}

/// The bytes of a tensor, by its type: `tensor<2x3xf32>`; 0 where that is not known.
fn bytes(ty: &str) -> f64 {
    let inner = ty.strip_prefix("tensor<").and_then(|rest| rest.strip_suffix('>'));
    let Some(inner) = inner.map(|inner| inner.split(',').next().unwrap_or(inner)) else {
        return 0.0;
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mut elements, mut rest) = (1.0, inner);
    while let Some((size, after)) = rest.split_once('x').filter(|(size, _)| digits(size)) {
        elements *= size.parse().unwrap_or(0.0);
        rest = after;
    }
    let (element, parts) = match rest.strip_prefix("complex<") {
        Some(element) => (element.trim_end_matches('>'), 2.0),
        None => (rest, 1.0),
    };
    let number = element.trim_start_matches(|char: char| char.is_ascii_alphabetic());
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    let bits: f64 = number.parse().unwrap_or(0.0);
    elements * parts * (bits / 8.0).ceil()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn types_have_their_bytes() {
        let all = ["tensor<2x3xf32>", "tensor<bf16>", "tensor<5xi1>", "tensor<0x4xui8>"];
        assert_eq!(all.map(bytes), [24.0, 2.0, 5.0, 0.0]);
        assert_eq!(bytes("tensor<3xcomplex<f64>>"), 48.0);
        assert_eq!(bytes("tensor<4xf8E4M3FN>"), 4.0);
        assert_eq!(["tensor<?xf32>", "tuple<>", "!stablehlo.token"].map(bytes), [0.0; 3]);
    }
}
