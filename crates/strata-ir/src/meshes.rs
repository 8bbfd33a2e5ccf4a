//! Meshes, and groups of devices along their axes, read from the text of attributes of dialects `sdy` and `stablehlo`.

use melior::ir::Attribute;

use crate::{
    attrs::AttributeExt as _,
    devices::{Devices, MOST_DEVICES},
    handles::Op,
    kinds::OpKind,
};

/// The names in a list of axes, such as those of `manual_axes`.
pub fn axis_names(list: Attribute<'_>) -> Vec<String> {
    quoted(&list.to_string()).map(str::to_owned).collect()
}

/// Devices arranged along axes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mesh {
    /// The axes, outermost first, with the number of devices along each.
    pub axes: Vec<(String, i64)>,
    /// The devices in row-major order; those from 0 on if it is empty.
    pub device_ids: Vec<i64>,
}

impl Mesh {
    /// From the text of the attribute of either dialect.
    pub fn read(text: &str) -> Self {
        let (axes, ids) = text.split_once("device_ids").unwrap_or((text, ""));
        let ids = ids.split(']').next().unwrap_or("");
        Self { axes: numbered(axes), device_ids: numbers(ids) }
    }

    /// The mesh of that name in the module around `op`.
    pub fn named(op: Op<'_>, name: &str) -> Option<Self> {
        let root = std::iter::successors(Some(op), |op| op.parent()).last()?;
        let is_it =
            |op: &Op<'_>| op.kind() == OpKind::SdyMesh && crate::module::function_name(*op) == name;
        // Each input and output of a program may name it, so that all operations are looked at only if it is not where it belongs.
        let top = root.regions().first().map(|region| region.blocks()).unwrap_or_default();
        let top = top.into_iter().flat_map(|block| block.ops()).find(is_it);
        let mesh = top.or_else(|| root.collect(|op| is_it(&op)).first().copied())?;
        Some(Self::read(&mesh.attr("mesh")?.to_string()))
    }

    /// The mesh of all devices of a program: where it has those of one of several replicas, once for each of them, along an outermost axis.
    #[must_use]
    pub fn in_all_replicas(mut self, devices: Devices) -> Self {
        let count = self.count();
        if devices.replicas <= 1 || count != devices.partitions || devices.count() > MOST_DEVICES {
            return self;
        }
        let ids: Vec<_> = (0..count).map(|position| self.device(position)).collect();
        let of = |replica: i64| ids.iter().map(move |id| replica * count + id);
        self.device_ids = (0..devices.replicas).flat_map(of).collect();
        // A name that no sharding can have.
        self.axes.insert(0, (String::new(), devices.replicas));
        self
    }

    /// The number of devices.
    pub fn count(&self) -> i64 {
        self.axes.iter().fold(1, |count, (_, size)| count.saturating_mul(*size))
    }

    /// The device at a position of the row-major order.
    pub fn device(&self, position: i64) -> i64 {
        let listed = usize::try_from(position).ok().and_then(|at| self.device_ids.get(at));
        listed.copied().unwrap_or(position)
    }

    /// The index along part `part` of the device at a position; `None` for an axis that the mesh lacks.
    pub fn index(&self, position: i64, part: &AxisPart) -> Option<i64> {
        let at = self.axes.iter().position(|(name, _)| *name == part.axis)?;
        let after: i64 = self.axes[at + 1..].iter().map(|(_, size)| size).product();
        let size = self.axes[at].1;
        let along = (position / after) % size;
        Some(match part.part {
            None => along,
            Some((before, own)) => {
                let rest = size.checked_div(before.checked_mul(own)?)?;
                (along / rest.max(1)) % own
            }
        })
    }

    /// The number of devices along a part of an axis.
    pub fn size(&self, part: &AxisPart) -> Option<i64> {
        let (_, size) = self.axes.iter().find(|(name, _)| *name == part.axis)?;
        match part.part {
            None => Some(*size),
            Some((before, own)) => {
                let divides = before > 0 && own > 0 && size % before.checked_mul(own)? == 0;
                divides.then_some(own)
            }
        }
    }
}

/// An axis of a mesh, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisPart {
    /// The axis.
    pub axis: String,
    /// The product of the sizes of the parts before this one, and its own size.
    pub part: Option<(i64, i64)>,
}

/// The axes and parts of axes in a list: `"a"`, `"a":(1)2`, or `<name = "a", sub_axis_info = (1)2>`.
pub fn axis_parts(text: &str) -> Vec<AxisPart> {
    let pieces: Vec<&str> = text.split('"').collect();
    let part = |rest: &str| {
        let (before, own) = rest.split_once('(')?.1.split_once(')')?;
        Some((before.trim().parse().ok()?, numbers(own).first().copied()?))
    };
    let of = |pair: &[&str]| AxisPart { axis: pair[0].to_owned(), part: part(pair[1]) };
    pieces[1..].chunks_exact(2).map(of).collect()
}

impl AxisPart {
    /// All of an axis.
    pub fn whole(axis: &str) -> Self {
        Self { axis: axis.to_owned(), part: None }
    }

    /// Whether a split along both would be one along some part twice.
    pub fn overlaps(&self, other: &Self) -> bool {
        let ends =
            |part: &Self| part.part.map(|(before, own)| (before, before.saturating_mul(own)));
        self.axis == other.axis
            && match (ends(self), ends(other)) {
                (Some((begin, end)), Some((other_begin, other_end))) => {
                    begin < other_end && other_begin < end
                }
                _ => true,
            }
    }
}

impl Mesh {
    /// The index of the device at a position along several axes, the first of them outermost, and the number of indices; `None`
    /// for an axis that the mesh lacks.
    pub fn index_along(&self, position: i64, parts: &[AxisPart]) -> Option<(i64, i64)> {
        parts.iter().try_fold((0, 1), |(index, count), part| {
            let size = self.size(part)?;
            Some((index * size + self.index(position, part)?, count * size))
        })
    }

    /// The groups of devices that differ along these axes only, each in the order of their indices.
    pub fn groups(&self, parts: &[AxisPart]) -> Option<Vec<Vec<i64>>> {
        let mut groups: Vec<(i64, Vec<(i64, i64)>)> = Vec::new();
        for position in 0..self.count() {
            // What a device has along everything else: its position without its indices along these parts.
            let mut elsewhere = position;
            for part in parts {
                elsewhere -= self.index(position, part)? * self.stride(part)?;
            }
            let member = (self.index_along(position, parts)?.0, self.device(position));
            match groups.iter_mut().find(|(key, _)| *key == elsewhere) {
                Some((_, group)) => group.push(member),
                None => groups.push((elsewhere, vec![member])),
            }
        }
        let sorted = groups.into_iter().map(|(_, mut group)| {
            group.sort_unstable();
            group.into_iter().map(|(_, device)| device).collect()
        });
        Some(sorted.collect())
    }

    /// [`Self::groups`] along the axes and parts of axes in a list as programs have it.
    ///
    /// # Errors
    /// Why these cannot be groups, in words.
    pub fn groups_of_list(&self, axes: &str) -> Result<Vec<Vec<i64>>, String> {
        let parts = axis_parts(axes);
        if let Some(part) = parts.iter().find(|part| self.size(part).is_none()) {
            return Err(format!("the mesh has no axis `{}` with that part", part.axis));
        }
        let is_sorted = parts.is_sorted_by_key(|part| {
            let axis = self.axes.iter().position(|(name, _)| *name == part.axis);
            (axis, part.part.map(|(before, _)| before))
        });
        // Whether the order of members is that of the list or of the mesh is not defined.
        if !is_sorted {
            return Err("it lists axes in another order than its mesh".to_owned());
        }
        self.groups(&parts).ok_or_else(|| format!("its groups `{axes}` cannot be read"))
    }

    /// The distance in the row-major order between neighbours along a part of an axis.
    fn stride(&self, part: &AxisPart) -> Option<i64> {
        let at = self.axes.iter().position(|(name, _)| *name == part.axis)?;
        let after: i64 = self.axes[at + 1..].iter().map(|(_, size)| size).product();
        match part.part {
            None => Some(after),
            Some((before, own)) => {
                after.checked_mul(self.axes[at].1.checked_div(before.checked_mul(own)?)?)
            }
        }
    }
}

/// The groups of devices of an exchange whose groups are the axes of a mesh: the devices that differ along these only, in the
/// mesh's order. `None` if they are listed.
pub fn mesh_groups(op: Op<'_>) -> Option<Result<Vec<Vec<i64>>, String>> {
    let attribute = op.attr("replica_groups").filter(|groups| groups.elements_type().is_none())?;
    Some(groups_along(op, &attribute.to_string()))
}

fn groups_along(op: Op<'_>, text: &str) -> Result<Vec<Vec<i64>>, String> {
    let lost = || format!("its groups `{text}` cannot be read");
    let rest = text.split_once("mesh = ").ok_or_else(lost)?.1;
    // Axes of a mesh that is written out come before those of the groups.
    let (mesh, axes) = rest.rsplit_once("axes = ").ok_or_else(lost)?;
    let mesh = match mesh.strip_prefix('@') {
        Some(name) => {
            let name = name.split(',').next().unwrap_or("").trim_matches('"');
            Mesh::named(op, name).ok_or_else(|| format!("the module has no mesh `@{name}`"))?
        }
        None => Mesh::read(mesh),
    };
    mesh.in_all_replicas(Devices::of(op)).groups_of_list(axes)
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<i64> {
    let words = text.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Each quoted name with the first number after it.
fn numbered(text: &str) -> Vec<(String, i64)> {
    let pieces: Vec<&str> = text.split('"').collect();
    let pairs = pieces[1..].chunks_exact(2);
    pairs.filter_map(|pair| Some((pair[0].to_owned(), *numbers(pair[1]).first()?))).collect()
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::{AxisPart, Mesh, axis_parts, quoted};

    #[test]
    fn meshes_are_read() {
        let pair = |name: &str, size| (name.to_owned(), size);
        let mesh = Mesh::read("#sdy.mesh<[\"x\"=2, \"long\"=14]>");
        assert_eq!(mesh.axes, [pair("x", 2), pair("long", 14)]);
        let mesh = Mesh::read("#stablehlo.mesh<axes = [<name = \"a\", size = 2>]>");
        assert_eq!(mesh.axes, [pair("a", 2)]);
        let mesh = Mesh::read("#sdy.mesh<[\"x\"=2], device_ids=[3, 1]>");
        assert_eq!((mesh.device(0), mesh.device(1)), (3, 1));
        assert_eq!(Mesh::read("#sdy.mesh<[], device_ids=[3]>").axes, []);
        assert_eq!(quoted("{\"x\", \"y\"}").collect::<Vec<_>>(), ["x", "y"]);
    }

    #[test]
    fn parts_of_axes_have_indices() {
        let mesh = Mesh::read("<[\"x\"=2, \"y\"=8]>");
        let parts = axis_parts("[\"x\", \"y\":(2)2]");
        let [x, y] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!(*y, AxisPart { axis: "y".to_owned(), part: Some((2, 2)) });
        assert_eq!((mesh.size(x), mesh.size(y)), (Some(2), Some(2)));
        // Position 14 is (1, 6), and 6 is (1, 1, 0) in parts of 2.
        assert_eq!((mesh.index(14, x), mesh.index(14, y)), (Some(1), Some(1)));
        assert_eq!(mesh.index(12, y), Some(0));
        assert_eq!(mesh.size(&AxisPart { axis: "y".to_owned(), part: Some((3, 2)) }), None);
        assert_eq!(mesh.index_along(14, &parts), Some((3, 4)));
    }

    #[test]
    fn groups_are_ordered_by_the_axes() {
        let mesh = Mesh::read("<[\"x\"=2, \"y\"=3], device_ids=[0, 1, 2, 5, 4, 3]>");
        assert_eq!(mesh.groups(&axis_parts("\"y\"")), Some(vec![vec![0, 1, 2], vec![5, 4, 3]]));
        let both = mesh.groups(&axis_parts("\"y\", \"x\""));
        assert_eq!(both, Some(vec![vec![0, 5, 1, 4, 2, 3]]));
        assert_eq!(mesh.groups(&[]).map(|groups| groups.len()), Some(6));
    }
}
