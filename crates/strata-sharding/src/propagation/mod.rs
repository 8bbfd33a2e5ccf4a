//! From the shardings that a program names to one of every value.
//!
//! Values are tied to one another by *links*: an operation ties the dimensions of its operands and results that are one factor of it,
//! a loop what it carries, a branch what it yields. Along a link a dimension gets the axes that another place of its factor has,
//! forwards and backwards, until nothing changes:
//!
//! - A dimension only gets more axes after those that it has, and only if it is open. No value has an axis twice.
//! - Where places of a factor have different axes, what all begin with is passed on.
//! - First only what no two factors of an operation want for themselves is passed on (*agreed*), then, where two do, each value gets
//!   what it has room for, that of the factor with the largest value first (*greedy*).
//! - Operations that compute element by element or reorder elements come before all others, and dimensions of lower priority
//!   numbers before those of higher ones.
//! - Only factors along which an operation treats indices alike are passed along ([`FactorKind::Parallel`]), and those that it
//!   sums over. Windows, sorted and gathered dimensions are not: their values would have to be exchanged.
//!
//! [`FactorKind::Parallel`]: strata_shapes::FactorKind::Parallel

mod collect;
mod links;
mod values;

use std::collections::BTreeSet;

use strata_diag::Diagnostic;
use strata_ir::{Context, Mesh, Module, Op, OpKind, func, function_name, module_op};
use strata_remarks::{Decision, Remark, Subject, remark};

use self::{collect::Program, links::Mode};

/// What was propagated in a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Propagated {
    /// The function.
    pub function: String,
    /// The number of tensors in it.
    pub values: usize,
    /// How many of them are split.
    pub split: usize,
    /// Where operands and results are split in ways that do not fit together.
    pub conflicts: Vec<Conflict>,
}

impl Propagated {
    fn remark(&self) -> Remark {
        let conflict = |one: &Conflict| (one.operation.clone(), one.reason.clone());
        let decision = Decision::Shardings {
            function: self.function.clone(),
            values: self.values,
            split: self.split,
            conflicts: self.conflicts.iter().map(conflict).collect(),
        };
        Remark { subject: Subject::default(), decision }
    }
}

/// An operation whose operands and results are split in ways that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The operation, with its place in the source where it has one.
    pub operation: String,
    /// How, in words.
    pub reason: String,
}

/// Gives every value of every function its sharding. Groups of values with one sharding are resolved and dropped. A module in which
/// nothing has a sharding on several devices stays as it is.
///
/// Arguments without a sharding are whole on each device, as a caller passes them who says nothing; results without one are split as
/// they are computed.
///
/// # Errors
/// `S1103` for a sharding that does not fit its value or names a mesh that the module lacks.
pub fn propagate<'c>(
    context: &'c Context,
    module: &Module<'c>,
) -> Result<Vec<Propagated>, Diagnostic> {
    let root = module_op(module);
    let mut meshes = Meshes::of(root);
    let mut done = Vec::new();
    for func in root.body(0).ops().into_iter().filter(|op| op.is(func::FUNC)) {
        let Some(mut program) = Program::of(func, &mut meshes)? else { continue };
        program.run();
        let told = program.summary(function_name(func));
        remark(|| told.remark());
        done.push(told);
        meshes.declare(context, root);
        program.write(context, &meshes);
    }
    for group in root.collect(|op| op.kind() == OpKind::SdyShardingGroup) {
        group.erase();
    }
    Ok(done)
}

/// The meshes that shardings name; equal ones count as one.
struct Meshes {
    all: Vec<(String, Mesh)>,
    /// How many of them are in the module.
    declared: usize,
}

impl Meshes {
    fn of(root: Op<'_>) -> Self {
        let mut all: Vec<(String, Mesh)> = Vec::new();
        for op in root.collect(|op| op.kind() == OpKind::SdyMesh) {
            let Some(attribute) = op.attr("mesh") else { continue };
            all.push((function_name(op).to_owned(), Mesh::read(&attribute.to_string())));
        }
        Self { declared: all.len(), all }
    }

    /// The number of a mesh; that of the first that equals it.
    fn number(&mut self, mesh: Mesh) -> usize {
        if let Some(known) = self.all.iter().position(|(_, known)| *known == mesh) {
            return known;
        }
        let is_free = |name: &String| self.all.iter().all(|(known, _)| known != name);
        let names = (0..).map(|number| format!("mesh_{number}"));
        let name = names.into_iter().find(is_free).unwrap_or_default();
        self.all.push((name, mesh));
        self.all.len() - 1
    }

    fn mesh(&self, number: usize) -> &Mesh {
        &self.all[number].1
    }

    fn name(&self, number: usize) -> &str {
        &self.all[number].0
    }

    /// Writes those into the module that shardings had written out.
    fn declare<'c>(&mut self, context: &'c Context, root: Op<'c>) {
        for (name, mesh) in &self.all[self.declared..] {
            let block = root.body(0);
            let builder = strata_ir::Builder::at_start(context, block, root.location());
            if let Some(attribute) = strata_ir::parse_attr(context, &format!("#sdy.mesh{mesh}")) {
                builder
                    .op(strata_ir::sdy::MESH)
                    .attr("sym_name", strata_ir::string(context, name))
                    .attr("mesh", attribute)
                    .build();
            }
        }
        self.declared = self.all.len();
    }
}

impl Program<'_> {
    /// Until nothing changes.
    fn run(&mut self) {
        let priorities: BTreeSet<i64> = self
            .values
            .iter()
            .flat_map(|value| value.dims.iter().map(|dim| dim.priority))
            .collect();
        for priority in priorities {
            for value in &mut self.values {
                value.admit(priority);
            }
            for level in 0..=links::LAST_LEVEL {
                self.settle(level, Mode::Agreed);
                self.settle(level, Mode::Greedy);
            }
        }
    }

    /// Passes axes along the links up to a level.
    fn settle(&mut self, level: u8, mode: Mode) {
        let eligible = |link: &links::Link<'_>| link.level <= level;
        let all = self.links.iter().enumerate().filter(|(_, link)| eligible(link));
        let mut open: BTreeSet<usize> = all.map(|(index, _)| index).collect();
        while let Some(index) = open.pop_first() {
            for changed in self.links[index].pass(&mut self.values, mode) {
                let others = self.links_of[changed].iter().copied();
                open.extend(others.filter(|other| eligible(&self.links[*other])));
            }
        }
    }

    fn summary(&self, function: &str) -> Propagated {
        let tensors = self.values.iter().filter(|value| value.is_shown);
        Propagated {
            function: function.to_owned(),
            values: tensors.clone().count(),
            split: tensors
                .filter(|value| value.dims.iter().any(|dim| !dim.axes.is_empty()))
                .count(),
            conflicts: self.links.iter().filter_map(|link| link.conflict(self)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
