//! The nests of several parts of a program, matched by their operations.

use std::collections::BTreeMap;

use crate::remarks::Remarks;

/// Nests of the same operations, one in each part that has it.
pub struct Row {
    /// The operations.
    pub operations: Vec<usize>,
    /// Its position in each part.
    pub nests: Vec<Option<usize>>,
}

/// Rows that are equal nests in every part.
pub struct Family {
    /// The rows.
    pub rows: Vec<Row>,
    /// The time of all of them in nanoseconds, in the part in which they take the longest.
    pub time: f64,
}

/// Rows that are equal nests in every part, together.
pub fn families_of(rows: Vec<Row>, parts: &[&Remarks]) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    let mut known: BTreeMap<Vec<Option<String>>, usize> = BTreeMap::new();
    for row in rows {
        let kernel = |(nest, part): (&Option<usize>, &&Remarks)| {
            nest.and_then(|nest| part.nests.get(nest)).and_then(|one| one.kernel.clone())
        };
        let kernels: Vec<_> = row.nests.iter().zip(parts).map(kernel).collect();
        let equal = known.get(&kernels).filter(|_| kernels.iter().any(Option::is_some));
        match equal {
            Some(equal) => families[*equal].rows.push(row),
            None => {
                known.insert(kernels, families.len());
                families.push(Family { rows: vec![row], time: 0.0 });
            }
        }
    }
    families
}

/// The nests of all parts, matched by their operations.
pub fn rows_of(parts: &[&Remarks]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut known: BTreeMap<(&[usize], usize), usize> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        let mut seen: BTreeMap<&[usize], usize> = BTreeMap::new();
        for (position, nest) in part.nests.iter().enumerate() {
            let operations = nest.operations.as_slice();
            // Several nests may be of the same operations: the first is matched with the first.
            let occurrence = seen.entry(operations).or_default();
            let row = *known.entry((operations, *occurrence)).or_insert_with(|| {
                rows.push(Row { operations: operations.to_vec(), nests: vec![None; parts.len()] });
                rows.len() - 1
            });
            *occurrence += 1;
            rows[row].nests[at] = Some(position);
        }
    }
    rows
}
