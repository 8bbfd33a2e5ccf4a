//! The devices of a program's meshes, and how values are split over them.
//!
//! Devices stand in a row, in the order of the meshes. Axes, and parts of axes, are cut at common places into pieces, so that
//! every sharding is a list of pieces for each dimension, whatever mesh it names:
//!
//! ```text
//! <["x"=2, "y"=4]>   "x": piece 0 (2 devices 4 apart), "y": piece 1 (4 devices 1 apart)
//! with "y":(1)2      "x": piece 0, "y": pieces 1 and 2 (2 devices 2 apart, 2 devices 1 apart)
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AxisPart, Devices, MOST_DEVICES, Mesh, MeshRef, Op, OpKind, SHARDING, TensorSharding,
    TypeExt as _, Value, diagnostic_at,
};

/// Devices along a piece of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The distance of neighbours.
    pub stride: i64,
    /// How many they are.
    pub size: i64,
}

/// For each dimension the pieces that it is split along, outermost first. Along all other pieces devices have the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout(pub Vec<Vec<usize>>);

impl Layout {
    /// Of a value that every device has as a whole.
    pub fn whole(rank: usize) -> Self {
        Self(vec![Vec::new(); rank])
    }

    /// Whether a piece splits a dimension.
    pub fn uses(&self, piece: usize) -> bool {
        self.0.iter().any(|dim| dim.contains(&piece))
    }
}

/// All devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The number of the device at each position, in the first of the replicas.
    pub devices: Vec<i64>,
    /// How many replicas of these devices there are, each with all parts of values.
    pub replicas: i64,
    /// The pieces, outermost first.
    pub pieces: Vec<Piece>,
    meshes: Vec<(MeshRef, Mesh)>,
}

/// A sharding and the operation that it is an attribute of.
type Found<'c> = (Op<'c>, TensorSharding);

impl Grid {
    /// A grid of devices along pieces.
    #[cfg(test)]
    pub fn new(sizes: &[i64]) -> Self {
        let count: i64 = sizes.iter().product();
        let mut stride = count;
        let piece = |size: &i64| {
            stride /= size;
            Piece { stride, size: *size }
        };
        let pieces = sizes.iter().map(piece).collect();
        Self { devices: (0..count).collect(), replicas: 1, pieces, meshes: Vec::new() }
    }

    /// The grid of the meshes that shardings in `func` name; if nothing is split, of the devices that the module declares.
    ///
    /// # Errors
    /// `S1103` for meshes of other devices, or in another order, than the module's and each other's.
    pub fn of(func: Op<'_>) -> Result<Self, Diagnostic> {
        let mut meshes: Vec<(MeshRef, Mesh)> = Vec::new();
        let mut cuts = Vec::new();
        let mut is_split = false;
        let found = all_shardings(func)?;
        for (op, sharding) in &found {
            let refused = |reason: String| diagnostic_at(codes::S1103, *op).reason(reason);
            let name = &sharding.mesh;
            let mesh = match meshes.iter().find(|(known, _)| known == name) {
                Some((_, mesh)) => mesh.clone(),
                None => {
                    let mesh = name.resolve(func);
                    let mesh = mesh.ok_or_else(|| refused(format!("there is no mesh `{name}`")))?;
                    if mesh.count() > MOST_DEVICES {
                        let reason = format!("mesh `{name}` has more than {MOST_DEVICES} devices");
                        return Err(refused(reason).hint(
                            "objects list the devices that exchange values: export the program for fewer",
                        ));
                    }
                    meshes.push((name.clone(), mesh.clone()));
                    mesh
                }
            };
            if mesh.count() <= 1 {
                continue;
            }
            let split = sharding.dims.iter().flat_map(|dim| &dim.axes);
            for part in split.chain(&sharding.unreduced) {
                let (stride, size) = span(&mesh, part).ok_or_else(|| {
                    refused(format!("mesh `{name}` has no axis `{}` with that part", part.axis))
                })?;
                is_split |= size > 1;
                cuts.extend([stride, stride * size]);
            }
        }
        meshes.retain(|(_, mesh)| mesh.count() > 1);
        let Some((first, mesh)) = meshes.first().filter(|_| is_split) else {
            let Devices { replicas, partitions } = Devices::of(func);
            let devices = (0..partitions).collect();
            let pieces = pieces(&[], partitions);
            return Ok(Self { devices, replicas, pieces, meshes: Vec::new() });
        };
        let devices = in_order(mesh);
        let refused = |reason: String| {
            diagnostic_at(codes::S1103, func).reason(reason).hint(
                "shardings of one program are on the same devices in the same order: those that the module declares",
            )
        };
        if let Some((other, _)) = meshes.iter().find(|(_, other)| in_order(other) != devices) {
            return Err(refused(format!(
                "meshes `{first}` and `{other}` have other devices, or another order of them"
            )));
        }
        let count = devices.len() as i64;
        let mut ids = devices.clone();
        ids.sort_unstable();
        let declared = Devices::of(func);
        if !ids.into_iter().eq(0..count) {
            return Err(refused(format!("mesh `{first}` does not list the devices from 0 on")));
        }
        if declared.count() > 1 && declared.partitions != count {
            return Err(refused(format!(
                "mesh `{first}` has {count} devices, and the module declares {} partitions",
                declared.partitions
            )));
        }
        let pieces = pieces(&cuts, count);
        Ok(Self { devices, replicas: declared.replicas, pieces, meshes })
    }

    /// The devices of all replicas.
    pub fn all_devices(&self) -> Vec<i64> {
        self.in_all_replicas(&self.devices).flatten().collect()
    }

    /// The same devices of each replica.
    fn in_all_replicas<'a>(&self, devices: &'a [i64]) -> impl Iterator<Item = Vec<i64>> + 'a {
        let count = self.count();
        (0..self.replicas)
            .map(move |replica| devices.iter().map(|device| replica * count + device).collect())
    }

    /// How many devices a replica has.
    pub fn count(&self) -> i64 {
        self.devices.len() as i64
    }

    /// How many parts a dimension has that is split along pieces.
    pub fn parts(&self, pieces: &[usize]) -> i64 {
        pieces.iter().map(|piece| self.pieces[*piece].size).product()
    }

    /// The size of a part; the last ones may be shorter, or empty, and are filled up.
    pub fn part(&self, size: i64, pieces: &[usize]) -> i64 {
        let parts = self.parts(pieces);
        (size + parts - 1) / parts
    }

    /// The shape of the parts of a value.
    pub fn part_shape(&self, shape: &[i64], layout: &Layout) -> Vec<i64> {
        shape.iter().zip(&layout.0).map(|(size, pieces)| self.part(*size, pieces)).collect()
    }

    /// The part that the device at a position has.
    pub fn index(&self, position: i64, pieces: &[usize]) -> i64 {
        pieces.iter().fold(0, |index, piece| {
            let Piece { stride, size } = self.pieces[*piece];
            index * size + (position / stride) % size
        })
    }

    /// As [`Self::groups`], in all replicas.
    pub fn all_groups(&self, pieces: &[usize]) -> Vec<Vec<i64>> {
        let groups = self.groups(pieces);
        groups.iter().flat_map(|group| self.in_all_replicas(group)).collect()
    }

    /// The devices that differ along pieces only, in the order of their indices.
    pub fn groups(&self, pieces: &[usize]) -> Vec<Vec<i64>> {
        let device = |at: i64| self.devices[at as usize];
        let devices = |group: Vec<i64>| group.into_iter().map(device).collect();
        self.positions(pieces).into_iter().map(devices).collect()
    }

    /// The positions that differ along pieces only, in the order of their indices.
    pub fn positions(&self, pieces: &[usize]) -> Vec<Vec<i64>> {
        let others: Vec<_> = (0..self.pieces.len()).filter(|one| !pieces.contains(one)).collect();
        let order: Vec<_> = others.iter().chain(pieces).copied().collect();
        let mut positions: Vec<_> = (0..self.count()).collect();
        positions.sort_by_key(|position| self.index(*position, &order));
        let members = self.parts(pieces).max(1) as usize;
        positions.chunks(members).map(<[i64]>::to_vec).collect()
    }

    /// A sharding of this grid's meshes as a layout of a value with `rank` dimensions.
    pub fn layout(&self, sharding: &TensorSharding, rank: usize) -> Layout {
        let mut layout = Layout::whole(rank);
        let mesh = self.meshes.iter().find(|(name, _)| *name == sharding.mesh);
        let Some((_, mesh)) = mesh else { return layout };
        for (to, dim) in layout.0.iter_mut().zip(&sharding.dims) {
            *to = self.along(mesh, &dim.axes);
        }
        layout
    }

    /// The pieces along which devices have terms of sums, of a value with a sharding of this grid's meshes.
    pub fn terms(&self, sharding: &TensorSharding) -> Vec<usize> {
        let mesh = self.meshes.iter().find(|(name, _)| *name == sharding.mesh);
        mesh.map(|(_, mesh)| self.along(mesh, &sharding.unreduced)).unwrap_or_default()
    }

    /// The pieces of axes of a mesh.
    fn along(&self, mesh: &Mesh, axes: &[AxisPart]) -> Vec<usize> {
        let mut all = Vec::new();
        for (stride, size) in axes.iter().filter_map(|part| span(mesh, part)) {
            let end = stride * size;
            let inside = |piece: &Piece| piece.stride >= stride && piece.stride * piece.size <= end;
            let pieces = self.pieces.iter().enumerate();
            all.extend(pieces.filter(|(_, piece)| inside(piece)).map(|(at, _)| at));
        }
        all
    }
}

/// The devices of a mesh in its order.
fn in_order(mesh: &Mesh) -> Vec<i64> {
    (0..mesh.count()).map(|position| mesh.device(position)).collect()
}

/// Where a part of an axis is in the row of devices: the distance of neighbours, and their number.
fn span(mesh: &Mesh, part: &AxisPart) -> Option<(i64, i64)> {
    let at = mesh.axes.iter().position(|(name, _)| *name == part.axis)?;
    let after: i64 = mesh.axes[at + 1..].iter().map(|(_, size)| size).product();
    let size = mesh.size(part)?;
    let (whole, before) = (mesh.axes[at].1, part.part.map_or(1, |(before, _)| before));
    Some((after * (whole / (before * size)), size))
}

/// The pieces of a row of `count` devices between cuts. A cut that does not go together with those before it in the list is left out:
/// what is split there is split less.
fn pieces(cuts: &[i64], count: i64) -> Vec<Piece> {
    let mut taken = vec![1, count];
    for cut in cuts {
        if taken.iter().all(|one| one % cut == 0 || cut % one == 0) && !taken.contains(cut) {
            taken.push(*cut);
        }
    }
    taken.sort_unstable();
    taken.dedup();
    let piece = |pair: &[i64]| Piece { stride: pair[0], size: pair[1] / pair[0] };
    taken.windows(2).map(piece).rev().collect()
}

fn unread(op: Op<'_>) -> Diagnostic {
    diagnostic_at(codes::S1103, op).reason("a sharding of it cannot be read")
}

/// The shardings of an operation's results; `None` if it does not say.
///
/// # Errors
/// `S1103` for one that cannot be read.
pub fn of_results(op: Op<'_>) -> Result<Option<Vec<TensorSharding>>, Diagnostic> {
    if let Some(own) = op.attr(SHARDING) {
        let list = TensorSharding::list_from_attribute(own);
        let one = || TensorSharding::from_attribute(own).map(|one| vec![one]);
        return list.or_else(one).map(Some).ok_or_else(|| unread(op));
    }
    match op.kind() {
        OpKind::SdyShardingConstraint | OpKind::SdyReshard => {
            let asked = op.attr("sharding").and_then(TensorSharding::from_attribute);
            asked.map(|one| Some(vec![one])).ok_or_else(|| unread(op))
        }
        _ => Ok(None),
    }
}

/// The shardings of a list of values that an operation has as attribute `name`.
///
/// # Errors
/// `S1103` for one that cannot be read.
pub fn of_list(op: Op<'_>, name: &str) -> Result<Vec<TensorSharding>, Diagnostic> {
    let Some(list) = op.attr(name) else { return Ok(Vec::new()) };
    TensorSharding::list_from_attribute(list).ok_or_else(|| unread(op))
}

/// The numbers of arguments and results of a function.
fn arity(func: Op<'_>) -> (usize, usize) {
    let block = func.region(0).first_block();
    let returned = block.and_then(|block| block.terminator()).map_or(0, |end| end.operand_count());
    (block.map_or(0, |block| block.arg_count()), returned)
}

/// All shardings in a function.
fn all_shardings(func: Op<'_>) -> Result<Vec<Found<'_>>, Diagnostic> {
    let (arguments, results) = arity(func);
    let arguments = (0..arguments).filter_map(|index| TensorSharding::of_argument(func, index));
    let results = (0..results).filter_map(|index| TensorSharding::of_result(func, index));
    let mut all: Vec<Found<'_>> = arguments.chain(results).map(|one| (func, one)).collect();
    for op in func.collect(|op| op != func) {
        all.extend(of_results(op)?.into_iter().flatten().map(|one| (op, one)));
        for list in ["in_shardings", "out_shardings"] {
            all.extend(of_list(op, list)?.into_iter().map(|one| (op, one)));
        }
    }
    Ok(all)
}

/// The sizes of a value's dimensions; none for values that are not tensors.
pub fn shape_of(value: Value<'_>) -> Vec<i64> {
    value.ty().shape().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(axis: &str, part: Option<(i64, i64)>) -> AxisPart {
        AxisPart { axis: axis.to_owned(), part }
    }

    fn mesh() -> Mesh {
        Mesh::read("<[\"x\"=2, \"y\"=4]>")
    }

    #[test]
    fn parts_of_axes_lie_in_the_row() {
        assert_eq!(span(&mesh(), &part("x", None)), Some((4, 2)));
        assert_eq!(span(&mesh(), &part("y", None)), Some((1, 4)));
        assert_eq!(span(&mesh(), &part("y", Some((1, 2)))), Some((2, 2)));
        assert_eq!(span(&mesh(), &part("y", Some((2, 2)))), Some((1, 2)));
        assert_eq!(span(&mesh(), &part("z", None)), None);
    }

    #[test]
    fn pieces_are_between_cuts() {
        let sizes = |cuts: &[i64], count| -> Vec<i64> {
            pieces(cuts, count).into_iter().map(|piece| piece.size).collect()
        };
        assert_eq!(sizes(&[1, 8, 2, 4, 4], 8), [2, 2, 2]);
        assert_eq!(sizes(&[1, 6, 2], 6), [3, 2]);
        // 6 is 3 x 2 as it was said first.
        assert_eq!(sizes(&[2, 3], 6), [3, 2]);
        assert_eq!(sizes(&[], 1), [0; 0]);
    }

    #[test]
    fn groups_differ_along_their_pieces_only() {
        let grid = Grid::new(&[2, 3]);
        assert_eq!(grid.groups(&[0]), [[0, 3], [1, 4], [2, 5]]);
        assert_eq!(grid.groups(&[1]), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(grid.groups(&[1, 0]), [[0, 3, 1, 4, 2, 5]]);
        assert_eq!(grid.groups(&[]).len(), 6);
    }
}
