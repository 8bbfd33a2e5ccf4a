//! What ties values to one another, and how axes pass along it.

use strata_ir::{Op, source_location};
use strata_shapes::FactorKind;

use super::{Conflict, collect::Program, values::Known};
use crate::axes::{self, Piece};

/// Links of level 0 are of operations that compute element by element, or only reorder elements, those of level 1 of all others, and those
/// of this level of dimensions along which devices get what is beside their parts.
pub const LAST_LEVEL: u8 = 2;

/// What is passed on where two factors want the same axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing.
    Agreed,
    /// What each value has room for.
    Greedy,
}

/// Dimensions of values that are split alike.
#[derive(Clone, Debug)]
pub struct Link<'c> {
    /// The operation that ties them.
    pub op: Op<'c>,
    /// When it takes part.
    pub level: u8,
    /// Its factors.
    pub factors: Vec<Shared>,
    /// The values, each once for each time that it is used.
    pub places: Vec<Place>,
}

/// A factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The number of its indices; negative where it is unknown.
    pub size: i64,
    /// Whether axes are passed along it.
    pub passes: bool,
    /// Whether it may be split in parts of different sizes.
    pub takes_rests: bool,
    /// Whether it is as large in all places.
    pub keeps_size: bool,
}

impl Shared {
    /// A factor of an operation.
    pub fn of(kind: FactorKind, size: i64) -> Self {
        let is_parallel = kind == FactorKind::Parallel;
        let passes = size > 0 && (is_parallel || kind == FactorKind::Reduced);
        Self { size, passes, takes_rests: is_parallel, keeps_size: kind.keeps_size() }
    }

    /// A factor of an operation of which each index of the result needs a range of indices of the operand; none if it is not one.
    pub fn of_ranges(is_one: bool) -> Self {
        Self { size: -1, passes: is_one, takes_rests: true, keeps_size: false }
    }
}

/// A value, and for each of its dimensions its factors, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The value.
    pub value: usize,
    /// The factors.
    pub dims: Vec<Vec<usize>>,
    /// Whether it gets axes, and does not only pass on its own.
    pub receives: bool,
}

impl Place {
    /// One that gets axes and passes its own on.
    pub fn of(value: usize, dims: Vec<Vec<usize>>) -> Self {
        Self { value, dims, receives: true }
    }
}

impl<'c> Link<'c> {
    /// Between values of one shape that are the same element by element.
    pub fn identity(op: Op<'c>, values: &[usize], shape: &[i64]) -> Self {
        let factor = |size: &i64| Shared::of(FactorKind::Parallel, *size);
        let dims: Vec<_> = (0..shape.len()).map(|dim| vec![dim]).collect();
        let place = |value: &usize| Place::of(*value, dims.clone());
        Self {
            op,
            level: 0,
            factors: shape.iter().map(factor).collect(),
            places: values.iter().map(place).collect(),
        }
    }

    /// Nothing is passed along factors that have a dimension together with others without a size of their own, or two dimensions of a
    /// value: which index is where is not known of them.
    pub fn hold_back_unordered(&mut self, has_size: impl Fn(usize) -> bool) {
        for place in &self.places {
            for (dim, factors) in place.dims.iter().enumerate() {
                let shares = factors.len() > 1 && factors.iter().any(|factor| !has_size(*factor));
                for factor in factors {
                    let again = place.dims[..dim].iter().any(|other| other.contains(factor));
                    if shares || again {
                        self.factors[*factor].passes = false;
                    }
                }
            }
        }
    }

    /// Passes axes along; the values that changed.
    pub fn pass(&self, values: &mut [Known], mode: Mode) -> Vec<usize> {
        let Some(mesh) = self.mesh(values) else { return Vec::new() };
        let mut changed = Vec::new();
        for (factor, wanted) in self.wanted(values, mesh, mode) {
            for place in self.places.iter().filter(|place| place.receives) {
                if self.extend(&mut values[place.value], place, factor, &wanted, mesh) {
                    changed.push(place.value);
                }
            }
        }
        changed
    }

    /// The mesh along whose axes values of this link are split.
    fn mesh(&self, values: &[Known]) -> Option<usize> {
        let splits = |value: &Known| value.dims.iter().any(|dim| !dim.axes.is_empty());
        let mut split = self.places.iter().map(|place| &values[place.value]);
        split.find(|value| splits(value)).and_then(|value| value.mesh)
    }

    /// The axes of each factor in each place on that mesh; `None` where a place has not the factor.
    fn lists(&self, values: &[Known], mesh: usize) -> Vec<Vec<Option<Vec<Piece>>>> {
        let on_mesh = |place: &&Place| values[place.value].mesh.is_none_or(|own| own == mesh);
        let places = self.places.iter().filter(on_mesh);
        let mut all = vec![Vec::new(); self.factors.len()];
        for place in places {
            let found = self.split_up(&values[place.value], place);
            for (list, own) in all.iter_mut().zip(found) {
                list.push(own);
            }
        }
        all
    }

    /// The axes of a value, for each factor.
    fn split_up(&self, value: &Known, place: &Place) -> Vec<Option<Vec<Piece>>> {
        let mut all = vec![None; self.factors.len()];
        for (dim, factors) in value.dims.iter().zip(&place.dims) {
            if let [factor] = factors[..] {
                all[factor] = Some(dim.axes.clone());
                continue;
            }
            let mut left: Vec<Piece> = dim.axes.iter().rev().copied().collect();
            for factor in factors {
                let mut own = Vec::new();
                let mut size = self.factors[*factor].size;
                while let Some(piece) = left.pop() {
                    if size % piece.size() == 0 {
                        own.push(piece);
                        size /= piece.size();
                    } else if let Some((outer, inner)) = piece.cut(size) {
                        own.push(outer);
                        left.push(inner);
                        size = 1;
                    } else {
                        // It is split across the border of two factors, and so is all within it.
                        left.clear();
                        size = 0;
                    }
                    if size <= 1 {
                        break;
                    }
                }
                if size > 1 {
                    // What is inside of a factor that is not split up is in one piece.
                    left.clear();
                }
                all[*factor] = Some(own);
            }
        }
        all
    }

    /// For each factor that passes axes on, the list that its places are to have; those of larger values first.
    fn wanted(&self, values: &[Known], mesh: usize, mode: Mode) -> Vec<(usize, Vec<Piece>)> {
        let lists = self.lists(values, mesh);
        let mut wanted = Vec::new();
        for (factor, own) in lists.iter().enumerate().filter(|(at, _)| self.factors[*at].passes) {
            let mut list = agreed(own.iter().flatten());
            if mode == Mode::Agreed {
                let others = lists.iter().enumerate().filter(|(other, _)| *other != factor);
                let others = others.flat_map(|(_, lists)| lists.iter().flatten().flatten());
                let others: Vec<_> = others.collect();
                let is_free = |piece: &Piece| !others.iter().any(|other| other.overlaps(*piece));
                let free = list.iter().position(|piece| !is_free(piece)).unwrap_or(list.len());
                list.truncate(free);
            }
            if !list.is_empty() {
                wanted.push((factor, list));
            }
        }
        // The sort is stable: of equally large ones the first comes first.
        wanted.sort_by_key(|(factor, _)| std::cmp::Reverse(self.largest(values, *factor)));
        wanted
    }

    /// The number of elements of the largest value that is split along a factor.
    fn largest(&self, values: &[Known], factor: usize) -> i64 {
        let sizes = self.places.iter().map(|place| {
            let value = &values[place.value];
            let along = place.dims.iter().position(|factors| factors.contains(&factor));
            match along.is_some_and(|dim| !value.dims[dim].axes.is_empty()) {
                true => value.shape.iter().fold(1_i64, |all, size| all.saturating_mul(*size)),
                false => 0,
            }
        });
        sizes.max().unwrap_or(0)
    }

    /// Gives a factor of a value more axes, as far as it has room; whether it got any.
    fn extend(
        &self,
        value: &mut Known,
        place: &Place,
        factor: usize,
        wanted: &[Piece],
        mesh: usize,
    ) -> bool {
        if value.mesh.is_some_and(|own| own != mesh) {
            return false;
        }
        let Some(dim) = place.dims.iter().position(|factors| factors.contains(&factor)) else {
            return false;
        };
        let own = self.split_up(value, place)[factor].clone().unwrap_or_default();
        let (factors, shared) = (&place.dims[dim], self.factors[factor]);
        let is_alone = factors.len() == 1;
        if !value.dims[dim].is_open {
            return false;
        }
        // After the factors before it, which have to be split up entirely, and before those after it, which are not.
        let before: i64 = factors
            .iter()
            .take_while(|other| **other != factor)
            .map(|other| self.factors[*other].size)
            .product();
        let now = axes::count(&value.dims[dim].axes);
        if !is_alone && now != before.saturating_mul(axes::count(&own)) {
            return false;
        }
        let Some(more) = axes::rest(&own, wanted) else { return false };
        let size = if shared.keeps_size { shared.size } else { value.shape[dim] };
        let mut count = axes::count(&own);
        let mut got = false;
        for piece in more {
            count = count.saturating_mul(piece.size());
            let fits = count <= size && (size % count == 0 || is_alone && shared.takes_rests);
            if !fits || !value.has_room(piece) {
                break;
            }
            let axes = &mut value.dims[dim].axes;
            axes.push(piece);
            *axes = axes::merged(std::mem::take(axes));
            value.mesh = Some(mesh);
            got = true;
        }
        got
    }

    /// Where places of a factor are split in ways of which none begins as the other.
    pub fn conflict(&self, program: &Program<'_>) -> Option<Conflict> {
        if self.level == LAST_LEVEL {
            return None;
        }
        let mesh = self.mesh(&program.values)?;
        let lists = self.lists(&program.values, mesh);
        let shared = lists.iter().zip(&self.factors).filter(|(_, factor)| factor.passes);
        for (own, _) in shared {
            let own: Vec<_> = own.iter().flatten().collect();
            let fit = |a: &Vec<Piece>, b: &Vec<Piece>| {
                axes::rest(a, b).is_some() || axes::rest(b, a).is_some()
            };
            for (at, left) in own.iter().enumerate() {
                let other = own[at + 1..].iter().find(|right| !fit(left, right));
                let Some(right) = other else { continue };
                let named = |list: &[Piece]| {
                    let parts = axes::parts(&program.meshes[mesh], list);
                    let parts: Vec<_> = parts.iter().map(ToString::to_string).collect();
                    format!("{{{}}}", parts.join(", "))
                };
                let place = source_location(self.op.location());
                let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
                return Some(Conflict {
                    operation: format!("{}{place}", self.op.name()),
                    reason: format!(
                        "the same dimension is split along {} and along {}",
                        named(left),
                        named(right)
                    ),
                });
            }
        }
        None
    }
}

/// What all lists begin with that do not end before.
fn agreed<'l>(lists: impl Iterator<Item = &'l Vec<Piece>>) -> Vec<Piece> {
    let mut agreed: Vec<Piece> = Vec::new();
    let mut limit: Option<Vec<Piece>> = None;
    for list in lists {
        let common = axes::common(&agreed, list);
        if axes::rest(&agreed, list).is_some() {
            agreed.clone_from(list);
        } else if common != *list {
            // None begins with the other: no more than both begin with, whatever follows.
            limit = Some(match limit {
                Some(limit) => axes::common(&limit, &common),
                None => common.clone(),
            });
            agreed = common;
        }
        if let Some(limit) = &limit {
            agreed = axes::common(&agreed, limit);
        }
    }
    agreed
}

#[cfg(test)]
mod tests {
    use strata_ir::{Mesh, axis_parts};

    use super::agreed;
    use crate::axes;

    #[test]
    fn lists_agree_on_what_they_begin_with() {
        let mesh = Mesh::read("<[\"x\"=2, \"y\"=2, \"z\"=2]>");
        let agreed_on = |texts: &[&str]| {
            let lists: Vec<_> = texts
                .iter()
                .map(|text| axes::pieces(&mesh, &axis_parts(text)).expect(text))
                .collect();
            let parts = axes::parts(&mesh, &agreed(lists.iter()));
            parts.iter().map(|part| part.axis.clone()).collect::<String>()
        };
        assert_eq!(agreed_on(&["", r#""x""#, r#""x", "y""#]), "xy");
        assert_eq!(agreed_on(&[r#""x", "y""#, r#""x", "z""#]), "x");
        assert_eq!(agreed_on(&[r#""x", "y""#, r#""x", "z""#, r#""x", "y", "z""#]), "x");
        assert_eq!(agreed_on(&[r#""x", "y""#, r#""z""#, r#""x""#]), "");
        assert_eq!(agreed_on(&[]), "");
    }
}
