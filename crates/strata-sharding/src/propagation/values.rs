//! What is known of how a value is split.

use strata_ir::{AxisPart, DimSharding, Mesh, MeshRef, TensorSharding};

use crate::axes::{self, Piece};

/// A tensor of the program, or several that are split alike, such as what a loop carries.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its shape; negative where a size is unknown.
    pub shape: Vec<i64>,
    /// The number of its mesh; `None` as long as it is not split.
    pub mesh: Option<usize>,
    /// One for each dimension.
    pub dims: Vec<Dim>,
    /// The axes along which devices must have the same.
    pub replicated: Vec<Piece>,
    /// The axes along which devices have terms of a sum.
    pub unreduced: Vec<Piece>,
    /// Axes that it must not be split along, which a body of devices has for itself.
    pub blocked: Vec<Piece>,
    /// Whether it is a value of the program, and not only what a body of devices takes.
    pub is_shown: bool,
}

/// What is known of a dimension.
#[derive(Clone, Debug, Default)]
pub struct Dim {
    /// The axes that it is split along.
    pub axes: Vec<Piece>,
    /// Whether it may be split further.
    pub is_open: bool,
    /// When it takes part.
    pub priority: i64,
    /// Until then the axes that it will have, and whether it will be open.
    waiting: Option<(Vec<Piece>, bool)>,
}

impl Known {
    /// Of which nothing is known.
    pub fn open(shape: Vec<i64>) -> Self {
        let dims = vec![Dim { is_open: true, ..Dim::default() }; shape.len()];
        let (replicated, unreduced, blocked) = (Vec::new(), Vec::new(), Vec::new());
        Self { shape, mesh: None, dims, replicated, unreduced, blocked, is_shown: true }
    }

    /// The same on all devices, for good.
    pub fn whole(shape: Vec<i64>) -> Self {
        let mut known = Self::open(shape);
        known.dims.iter_mut().for_each(|dim| dim.is_open = false);
        known
    }

    /// As a sharding on that mesh says.
    ///
    /// # Errors
    /// Why the sharding is none of the value, in words.
    pub fn of(
        sharding: &TensorSharding,
        (number, mesh): (usize, &Mesh),
        shape: Vec<i64>,
    ) -> Result<Self, String> {
        if mesh.axes.is_empty() {
            // One device, or none in particular: all have the value.
            return Ok(Self::whole(shape));
        }
        sharding.check(mesh, shape.len())?;
        let pieces = |list: &[AxisPart]| axes::pieces(mesh, list).unwrap_or_default();
        let dim = |dim: &DimSharding| {
            let priority = dim.priority.unwrap_or(0);
            let stated = (pieces(&dim.axes), dim.is_open);
            match priority > 0 {
                true => Dim { priority, waiting: Some(stated), ..Dim::default() },
                false => Dim { axes: stated.0, is_open: stated.1, ..Dim::default() },
            }
        };
        Ok(Self {
            mesh: Some(number),
            dims: sharding.dims.iter().map(dim).collect(),
            replicated: pieces(&sharding.replicated),
            unreduced: pieces(&sharding.unreduced),
            blocked: Vec::new(),
            shape,
            is_shown: true,
        })
    }

    /// Dimensions of that priority take part from now on.
    pub fn admit(&mut self, priority: i64) {
        for dim in self.dims.iter_mut().filter(|dim| dim.priority <= priority) {
            if let Some((axes, is_open)) = dim.waiting.take() {
                (dim.axes, dim.is_open) = (axes, is_open);
            }
        }
    }

    /// Whether a dimension may be split along a piece without any being used twice.
    pub fn has_room(&self, piece: Piece) -> bool {
        let waiting = self.dims.iter().filter_map(|dim| dim.waiting.as_ref());
        let mut used = self
            .dims
            .iter()
            .flat_map(|dim| &dim.axes)
            .chain(waiting.flat_map(|(axes, _)| axes))
            .chain(&self.replicated)
            .chain(&self.unreduced)
            .chain(&self.blocked);
        !used.any(|other| other.overlaps(piece))
    }

    /// The sharding as the program has it, closed.
    pub fn sharding(&self, name: &str, mesh: &Mesh) -> TensorSharding {
        let own = |list: &[Piece]| axes::parts(mesh, list);
        TensorSharding {
            mesh: MeshRef::Named(name.to_owned()),
            dims: self.dims.iter().map(|dim| DimSharding::closed(own(&dim.axes))).collect(),
            replicated: own(&self.replicated),
            unreduced: own(&self.unreduced),
        }
    }
}
