//! What the inputs and outputs of a program for one of several devices are parts of.
//!
//! ```text
//! strata.shards = {devices = array<i64: 0, 1, 2, 3>, inputs = [{shape = array<i64: 10, 3>, split = [array<i64: 2, 2, 1, 2>, array<i64>]}], …}
//! ```
//!
//! Devices stand in a row. A dimension is split along pieces of it, the outermost first, each with the distance between its devices and
//! their number. All parts have one size; what the last ones have beyond the whole has no meaning.

use melior::{
    Context,
    ir::{Attribute, Module},
};

use strata_diag::{Diagnostic, codes};

use crate::{
    attrs::{AttributeExt as _, array, dictionary, i64s, int},
    devices::{Devices, MOST_DEVICES, PARTITIONS, REPLICAS},
    diagnostics::diagnostic_at,
    handles::{Op, WalkOrder},
    kinds::OpKind,
    module::module_op,
    shardings::{SHARDING, TensorSharding, shardings_of},
    types::integer,
};

/// The attribute of an entry whose inputs and outputs are parts of values.
pub const SHARDS: &str = "strata.shards";

/// The attribute of a module whose shardings stage `hlo` keeps, for stage `spmd` to split values.
pub const SPLIT: &str = "strata.split";

/// The attribute of a module whose caller adds the terms of results: devices return those that they have, and not the first one
/// all of the sum.
pub const TERMS: &str = "strata.terms";

/// Whether values of a program are to be split over devices: a sharding other than of a body that works on parts already splits one, or
/// such a body takes or gives terms of sums, and the module does not declare that it is for one device.
pub fn is_split(module: &Module<'_>) -> bool {
    let root = module_op(module);
    root.has_attr(SPLIT) || (!declares_one(root) && first_split(root, |_| true).is_some())
}

/// Whether a module says that nothing is split: one partition does. One replica is as many as there are without saying so.
fn declares_one(root: Op<'_>) -> bool {
    root.has_attr(PARTITIONS) && Devices::of(root).count() <= 1
}

/// Refuses shardings that split values over other devices than the module declares.
///
/// # Errors
/// `S1107`.
pub fn check_declared(module: &Module<'_>) -> Result<(), Diagnostic> {
    let root = module_op(module);
    let declared = Devices::of(root);
    let is_too_large = |op: Op<'_>| {
        let split = |sharding: &TensorSharding| {
            let mesh = sharding.mesh.resolve(op)?;
            (mesh.count() > MOST_DEVICES && sharding.is_split(&mesh)).then_some(())
        };
        stated_at(op).iter().any(|sharding| split(sharding).is_some())
    };
    // No number of devices that the module could declare is that of the mesh.
    if let Some(op) = root.collect(is_too_large).first() {
        return Err(diagnostic_at(codes::S1107, *op)
            .reason(format!("a value of it is split over a mesh of more than {MOST_DEVICES} devices"))
            .hint(format!(
                "objects list the devices that exchange values, {MOST_DEVICES} at most: export the program for fewer"
            )));
    }
    if declared.count() > 1 {
        let Devices { replicas, partitions } = declared;
        let Some((op, count)) = first_split(root, |count| count != partitions) else {
            return Ok(());
        };
        let plural = |count: i64| if count == 1 { "" } else { "s" };
        return Err(diagnostic_at(codes::S1107, op)
            .reason(format!(
                "a value of it is split over a mesh of {count} devices, and the module declares {replicas} replica{} of {partitions} \
                 partition{}",
                plural(replicas),
                plural(partitions)
            ))
            .hint(format!(
                "the devices of a mesh are the partitions: `module attributes {{{PARTITIONS} = {count} : i32}}`"
            )));
    }
    let first = first_split(root, |_| true).filter(|_| declares_one(root));
    let Some((op, count)) = first else { return Ok(()) };
    Err(diagnostic_at(codes::S1107, op)
        .reason(format!(
            "a value of it is split over a mesh of {count} devices, and the module declares 1 device"
        ))
        .hint(format!(
            "declare the devices: `module attributes {{{PARTITIONS} = {count} : i32}}`, or leave `{PARTITIONS}` out"
        )))
}

/// Declares the devices of a module that does not, where a body runs on the parts that devices of a mesh have: as many as the mesh has.
pub fn declare_devices<'c>(context: &'c Context, module: &Module<'c>) {
    let root = module_op(module);
    if root.has_attr(PARTITIONS) || root.has_attr(REPLICAS) {
        return;
    }
    let mut most = 1;
    for body in root.collect(|op| op.kind() == OpKind::SdyManualComputation) {
        for list in ["in_shardings", "out_shardings"] {
            let list = body.attr(list).and_then(TensorSharding::list_from_attribute);
            for mesh in list.into_iter().flatten().filter_map(|one| one.mesh.resolve(body)) {
                most = most.max(mesh.count());
            }
        }
    }
    if (2..=MOST_DEVICES).contains(&most) {
        root.set_attr(PARTITIONS, int(integer(context, 32), most));
        root.set_attr(REPLICAS, int(integer(context, 32), 1));
    }
}

/// All shardings that an operation has as attributes: of its results, of what it asks for, of what a body takes and gives, and of the
/// arguments and results of a function.
pub fn stated_at(op: Op<'_>) -> Vec<TensorSharding> {
    let mut all = shardings_of(op).unwrap_or_default();
    for name in ["sharding", "out_sharding"] {
        all.extend(op.attr(name).and_then(TensorSharding::from_attribute));
    }
    for name in ["in_shardings", "out_shardings"] {
        let list = op.attr(name).and_then(TensorSharding::list_from_attribute);
        all.extend(list.unwrap_or_default());
    }
    for name in ["arg_attrs", "res_attrs"] {
        let listed = op.attr(name).and_then(|list| list.as_array()).unwrap_or_default();
        let stated =
            |entries: Attribute<'_>| TensorSharding::from_attribute(entries.entry(SHARDING)?);
        all.extend(listed.into_iter().filter_map(stated));
    }
    all
}

/// The first operation with a sharding that splits a value over a mesh of such a number of devices, and that number. A body that works
/// on parts already splits none, but for those of which it takes or gives terms of sums.
fn first_split(root: Op<'_>, is_meant: impl Fn(i64) -> bool) -> Option<(Op<'_>, i64)> {
    let splits = |op: Op<'_>, sharding: &TensorSharding| {
        let mesh = sharding.mesh.resolve(op)?;
        let count = mesh.count();
        (count > 1 && is_meant(count) && sharding.is_split(&mesh)).then_some(count)
    };
    let mut found = None;
    root.walk(WalkOrder::Pre, &mut |op| {
        if found.is_none() {
            let mut all = stated_at(op);
            if op.kind() == OpKind::SdyManualComputation {
                all.iter_mut().for_each(|one| one.dims.clear());
            }
            found = all.iter().find_map(|sharding| splits(op, sharding)).map(|count| (op, count));
        }
    });
    found
}

/// A value, and how it is split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shard {
    /// The shape of the whole.
    pub shape: Vec<i64>,
    /// For each dimension the pieces of the row: the distance between their devices, and their number.
    pub split: Vec<Vec<(i64, i64)>>,
    /// The pieces along which devices have terms whose sum is the value. The first ones have all of it here, the others what changes no sum.
    pub terms: Vec<(i64, i64)>,
}

/// How all inputs and outputs are split.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shards {
    /// The number of the device at each position of the row.
    pub devices: Vec<i64>,
    /// How many replicas they are, one after the other, each of which has all parts.
    pub replicas: i64,
    /// One for each input.
    pub inputs: Vec<Shard>,
    /// One for each output.
    pub outputs: Vec<Shard>,
}

impl Shard {
    /// The number of parts that a dimension is split in.
    pub fn parts(&self, dim: usize) -> i64 {
        self.split[dim].iter().map(|(_, size)| size).product()
    }

    /// The shape of a part.
    pub fn part_shape(&self) -> Vec<i64> {
        let part = |(dim, size): (usize, &i64)| (size + self.parts(dim) - 1) / self.parts(dim);
        self.shape.iter().enumerate().map(part).collect()
    }

    /// Whether every device has the whole.
    pub fn is_whole(&self) -> bool {
        self.terms.is_empty() && self.split.iter().all(Vec::is_empty)
    }

    /// Which of the terms the device at a position of the row has; all but the first change no sum.
    pub fn term(&self, position: i64) -> i64 {
        index_along(&self.terms, position)
    }

    /// For each dimension, which of its parts the device at a position of the row has.
    pub fn index(&self, position: i64) -> Vec<i64> {
        self.split.iter().map(|pieces| index_along(pieces, position)).collect()
    }

    /// The first index of each dimension that the device at a position of the row has.
    pub fn first(&self, position: i64) -> Vec<i64> {
        let all = self.index(position).into_iter().zip(self.part_shape());
        all.map(|(index, size)| index * size).collect()
    }

    /// For each run of adjacent elements of a part that the whole has, none for a term but the first: where it begins in the part and in the whole, and how long it is.
    fn runs(&self, position: i64) -> Vec<(usize, usize, usize)> {
        if self.term(position) != 0 {
            return Vec::new();
        }
        let (own, first) = (self.part_shape(), self.first(position));
        let rank = own.len();
        if rank == 0 {
            return vec![(0, 0, 1)];
        }
        let valid: Vec<_> =
            (0..rank).map(|dim| (self.shape[dim] - first[dim]).clamp(0, own[dim])).collect();
        if valid.contains(&0) {
            return Vec::new();
        }
        let mut runs = Vec::new();
        let mut at = vec![0; rank - 1];
        loop {
            let flat = |shape: &[i64], index: &dyn Fn(usize) -> i64| {
                let outer = (0..rank - 1).fold(0, |flat, dim| flat * shape[dim] + index(dim));
                (outer * shape[rank - 1] + index(rank - 1)) as usize
            };
            let part = flat(&own, &|dim| at.get(dim).copied().unwrap_or(0));
            let whole = flat(&self.shape, &|dim| first[dim] + at.get(dim).copied().unwrap_or(0));
            runs.push((part, whole, valid[rank - 1] as usize));
            let Some(dim) = (0..rank - 1).rev().find(|dim| at[*dim] + 1 < valid[*dim]) else {
                return runs;
            };
            at[dim] += 1;
            at[dim + 1..].fill(0);
        }
    }

    /// The part of the device at a position. `filler` are the bytes of the element that it has beyond the whole, and where another
    /// device has the term: one that changes no sum.
    pub fn cut(&self, position: i64, filler: &[u8], whole: &[u8]) -> Vec<u8> {
        let count: i64 = self.part_shape().iter().product();
        let width = filler.len();
        let mut part = filler.repeat(count as usize);
        for (to, from, count) in self.runs(position) {
            let source = &whole[from * width..(from + count) * width];
            part[to * width..(to + count) * width].copy_from_slice(source);
        }
        part
    }

    /// Puts the part of the device at a position into the whole.
    pub fn put(&self, position: i64, width: usize, part: &[u8], whole: &mut [u8]) {
        for (from, to, count) in self.runs(position) {
            let source = &part[from * width..(from + count) * width];
            whole[to * width..(to + count) * width].copy_from_slice(source);
        }
    }

    fn to_attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let pieces = |pieces: &Vec<(i64, i64)>| {
            let flat: Vec<_> = pieces.iter().flat_map(|(stride, size)| [*stride, *size]).collect();
            i64s(context, &flat)
        };
        let split: Vec<_> = self.split.iter().map(pieces).collect();
        let mut entries =
            vec![("shape", i64s(context, &self.shape)), ("split", array(context, &split))];
        if !self.terms.is_empty() {
            entries.push(("terms", pieces(&self.terms)));
        }
        dictionary(context, &entries)
    }

    fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let shape = attribute.entry("shape")?.as_i64s()?;
        let pieces = |list: Attribute<'_>| {
            let flat = list.as_i64s()?;
            let pieces: Vec<_> = flat.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let is_valid = pieces.iter().all(|(stride, size)| *stride > 0 && *size > 0);
            (is_valid && flat.len() % 2 == 0).then_some(pieces)
        };
        let split = attribute.entry("split")?.as_array()?;
        let split = split.into_iter().map(pieces).collect::<Option<Vec<_>>>()?;
        let terms = attribute.entry("terms").map_or(Some(Vec::new()), pieces)?;
        let is_valid = split.len() == shape.len() && shape.iter().all(|size| *size >= 0);
        is_valid.then_some(Self { shape, split, terms })
    }
}

/// The index that a position of the row has along pieces of it.
fn index_along(pieces: &[(i64, i64)], position: i64) -> i64 {
    pieces.iter().fold(0, |index, (stride, size)| index * size + (position / stride) % size)
}

impl Shards {
    /// The position of a device in the row.
    pub fn position(&self, device: usize) -> i64 {
        let at = self.devices.iter().position(|one| *one == device as i64);
        at.map_or(device as i64, |at| at as i64)
    }

    /// The parts of the inputs that each device has, from whole inputs; `fillers` are as in [`Shard::cut`], one for each.
    pub fn split(&self, fillers: &[Vec<u8>], inputs: &[Vec<u8>]) -> Vec<Vec<Vec<u8>>> {
        let of = |device: usize| {
            let position = self.position(device);
            let each = self.inputs.iter().zip(fillers).zip(inputs);
            each.map(|((shard, filler), whole)| shard.cut(position, filler, whole)).collect()
        };
        (0..self.devices.len()).map(of).collect()
    }

    /// Whole outputs, from the parts of each device.
    pub fn join(&self, widths: &[usize], parts: &[Vec<Vec<u8>>]) -> Vec<Vec<u8>> {
        let of = |(index, (shard, width)): (usize, (&Shard, &usize))| {
            let count: i64 = shard.shape.iter().product();
            let mut whole = vec![0; count as usize * width];
            // Where several devices have the same, that of the first counts.
            for (device, own) in parts.iter().enumerate().rev() {
                shard.put(self.position(device), *width, &own[index], &mut whole);
            }
            whole
        };
        self.outputs.iter().zip(widths).enumerate().map(of).collect()
    }

    /// An output, and a device that has other elements of it than another one of its replica has; `None` if all that devices have twice
    /// is equal.
    pub fn disagreement(&self, widths: &[usize], parts: &[Vec<Vec<u8>>]) -> Option<(usize, usize)> {
        let count = parts.len() / usize::try_from(self.replicas).unwrap_or(1).max(1);
        let mut replicas = parts.chunks(count.max(1)).enumerate();
        replicas.find_map(|(replica, parts)| {
            let (output, device) = self.disagreement_of_one(widths, parts)?;
            Some((output, replica * count + device))
        })
    }

    fn disagreement_of_one(
        &self,
        widths: &[usize],
        parts: &[Vec<Vec<u8>>],
    ) -> Option<(usize, usize)> {
        let whole = self.join(widths, parts);
        for (index, (shard, width)) in self.outputs.iter().zip(widths).enumerate() {
            for (device, own) in parts.iter().enumerate() {
                let mut again = whole[index].clone();
                shard.put(self.position(device), *width, &own[index], &mut again);
                if again != whole[index] {
                    return Some((index, device));
                }
            }
        }
        None
    }

    /// The attribute.
    pub fn to_attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let list = |shards: &[Shard]| {
            let all = shards.iter().map(|shard| shard.to_attribute(context));
            Some(array(context, &all.collect::<Option<Vec<_>>>()?))
        };
        let mut entries = vec![
            ("devices", i64s(context, &self.devices)),
            ("inputs", list(&self.inputs)?),
            ("outputs", list(&self.outputs)?),
        ];
        if self.replicas != 1 {
            entries.push(("replicas", int(integer(context, 64), self.replicas)));
        }
        dictionary(context, &entries)
    }

    /// Those of an entry; `None` if its values are not parts, or if the attribute is not as [`Self::to_attribute`] writes it.
    pub fn of(func: Op<'_>) -> Option<Self> {
        let attribute = func.attr(SHARDS)?;
        let list = |name: &str| {
            let all = attribute.entry(name)?.as_array()?;
            all.into_iter().map(Shard::from_attribute).collect::<Option<Vec<_>>>()
        };
        let devices = attribute.entry("devices")?.as_i64s()?;
        let replicas = attribute.entry("replicas").map_or(Some(1), |count| count.as_i64())?;
        let is_valid = replicas > 0 && devices.len() as i64 % replicas == 0;
        let (inputs, outputs) = (list("inputs")?, list("outputs")?);
        is_valid.then_some(Self { devices, replicas, inputs, outputs })
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn parts_are_cut_and_merged() {
        // 5x3 on 2x2 devices: rows 0..3 and 3..5, columns 0..2 and 2..3.
        let shard = Shard {
            shape: vec![5, 3],
            split: vec![vec![(2, 2)], vec![(1, 2)]],
            ..Shard::default()
        };
        assert_eq!(shard.part_shape(), [3, 2]);
        let whole: Vec<u8> = (1..=15).collect();
        let parts: Vec<_> = (0..4).map(|position| shard.cut(position, &[0], &whole)).collect();
        assert_eq!(parts[0], [1, 2, 4, 5, 7, 8]);
        assert_eq!(parts[1], [3, 0, 6, 0, 9, 0]);
        assert_eq!(parts[3], [12, 0, 15, 0, 0, 0]);
        let mut joined = vec![0; 15];
        for (position, part) in (0..).zip(&parts) {
            shard.put(position, 1, part, &mut joined);
        }
        assert_eq!(joined, whole);
    }

    #[test]
    fn parts_may_be_empty() {
        let shard = Shard { shape: vec![2], split: vec![vec![(1, 4)]], ..Shard::default() };
        assert_eq!(
            (0..4).map(|at| shard.cut(at, &[0], &[7, 8])).collect::<Vec<_>>(),
            [[7], [8], [0], [0]]
        );
        let scalar = Shard::default();
        assert_eq!(scalar.cut(3, &[0, 0], &[1, 2]), [1, 2]);
        let empty =
            Shard { shape: vec![0, 3], split: vec![vec![(1, 2)], vec![]], ..Shard::default() };
        assert_eq!(empty.cut(1, &[0; 4], &[]), [0_u8; 0]);
    }

    #[test]
    fn terms_are_of_the_first_devices() {
        // Split along the outer two, with terms along the inner two.
        let shard = Shard { shape: vec![4], split: vec![vec![(2, 2)]], terms: vec![(1, 2)] };
        assert!(!shard.is_whole());
        let parts: Vec<_> = (0..4).map(|at| shard.cut(at, &[9], &[1, 2, 3, 4])).collect();
        assert_eq!(parts, [[1, 2], [9, 9], [3, 4], [9, 9]]);
        let mut whole = vec![9; 4];
        (0..4).for_each(|at| shard.put(at, 1, &parts[at as usize], &mut whole));
        assert_eq!(whole, [1, 2, 3, 4]);
    }
}
