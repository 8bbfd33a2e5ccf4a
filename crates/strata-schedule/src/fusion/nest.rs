//! Nests: which linalg operations are scheduled together.
//!
//! Operations are visited from last to first. One whose only users are in one nest joins it if it
//! can be fused into the nest's tiles; otherwise it is the root of a new nest. So a nest has one
//! root, only the root's results are used outside, and all of it can be moved to the root.

use std::collections::{HashMap, HashSet};

use strata_ir::{
    Block, Op, OpName, TypeExt as _, VALID, Value, arith, bounded_entry, linalg, narrow,
};
use strata_target::tuning::{
    fusion::{MAX_ELEMENTWISE_WORK, MAX_NEST_OPERATIONS, MAX_WORK_OF_COLUMNS, MIN_COLUMNS},
    tiling::{MAX_TRANSPOSE_SIDE, MIN_WINDOW_COLUMNS},
};

use super::units;
use crate::{
    extrema::Extremum,
    structured::{Structured, is_identity, is_prefix, is_static, vector_bits},
    tiling::transpose,
};

/// Operations that are scheduled together, in program order; the last one is the root.
#[derive(Clone, Debug)]
pub struct Nest<'c> {
    /// The operations, the root last. Without fills and empty tensors.
    pub ops: Vec<Op<'c>>,
    /// The values used outside: the root's results, and others in a joined nest.
    pub results: Vec<Value<'c>>,
    /// The nests that it was joined from, if any.
    pub parts: Vec<Nest<'c>>,
}

/// The role of a linalg operation in forming nests.
#[derive(Clone, Debug)]
pub enum Role<'c> {
    /// A generic operation.
    Generic(Structured<'c>),
    /// A named contraction, convolution or window reduction, its result's shape.
    Heavy(Vec<i64>),
}

/// The named operations that stay named until their schedule.
pub fn is_heavy(name: OpName<'_>) -> bool {
    let windows = ["conv_", "depthwise_conv_", "pooling_"];
    matches!(name, linalg::MATMUL | linalg::BATCH_MATMUL)
        || name.dialect() == "linalg"
            && windows.iter().any(|prefix| name.mnemonic().starts_with(prefix))
}

/// Whether it is a contraction or convolution of lanes, which no named operation is, and rereads all operands.
fn is_of_lanes(nest: &Structured<'_>) -> bool {
    let is_reread = |operand: usize| {
        let mut loops = 0..nest.extents.len();
        loops.any(|number| !nest.reduction[number] && !nest.operand_uses(operand, number))
    };
    let body = nest.op.body(0).ops();
    !nest.is_parallel()
        && body.into_iter().any(|op| op.is(narrow::DOT))
        && (0..nest.inputs).all(is_reread)
}

/// Whether a schedule reads windows that move along the columns of the result: as of a convolution, an elementwise operation after it is
/// computed in its tiles. Programs for sizes up to bounds have none.
fn is_window(nest: &Structured<'_>) -> bool {
    let columns = nest.extents.iter().zip(&nest.reduction).rev().find(|(_, reduces)| !**reduces);
    !nest.is_parallel()
        && nest.op.result_count() == 1
        && bounded_entry(nest.op).is_none()
        && columns.is_some_and(|(columns, _)| *columns >= MIN_WINDOW_COLUMNS)
        && nest.is_pure_map()
        && vector_bits(nest.op).is_some()
        && nest.slides()
}

/// The role of an operation that can be scheduled; `None` for the others.
pub fn role(op: Op<'_>) -> Option<Role<'_>> {
    if op.is(linalg::GENERIC) {
        let nest = Structured::of_generic(op)?;
        return Some(match is_of_lanes(&nest) || is_window(&nest) {
            true => Role::Heavy(op.results().first()?.ty().shape()?),
            false => Role::Generic(nest),
        });
    }
    if !is_heavy(op.name()) || op.operands().into_iter().any(|value| !is_static(value)) {
        return None;
    }
    Some(Role::Heavy(op.results().first()?.ty().shape()?))
}

struct Group<'c> {
    /// Root first: the order of the visit.
    ops: Vec<Op<'c>>,
    /// The generic ones among them, cached because reading one is slow.
    generics: Vec<Structured<'c>>,
    /// The root's loops.
    extents: Vec<i64>,
    has_heavy: bool,
    has_reduction: bool,
    /// Whether all operations are elementwise, over the same elements.
    is_elementwise: bool,
    /// Whether element indices are used in arithmetic.
    has_index: bool,
    is_map: bool,
    /// Whether the root reduces columns of one operand: it takes little elementwise arithmetic on its elements.
    is_of_columns: bool,
    /// Whether the root is an extremum with its place, which takes elementwise operations on its elements.
    is_extremum: bool,
    /// What elementwise operations take, see [`MAX_ELEMENTWISE_WORK`].
    work: usize,
}

/// The nests of a block, in program order of their roots.
pub fn partition<'c>(block: Block<'c>) -> Vec<Nest<'c>> {
    let mut apart: HashSet<_> = match block.parent_op().is_some_and(|func| func.has_attr(VALID)) {
        true => block.ops().into_iter().filter(|op| is_number(*op)).collect(),
        false => HashSet::new(),
    };
    let groups = loop {
        let groups = groups(block, &apart);
        let before = apart.len();
        apart.extend(groups.iter().flat_map(Group::beside_rows));
        if apart.len() == before {
            break groups;
        }
    };
    groups
        .into_iter()
        .map(|mut group| {
            group.ops.reverse();
            let mut results = group.ops.last().map(|root| root.results()).unwrap_or_default();
            if group.is_extremum && results.iter().any(|result| result.has_uses()) {
                results.retain(|result| result.has_uses());
            }
            Nest { ops: group.ops, results, parts: Vec::new() }
        })
        .collect()
}

/// Whether an operation computes an integer, as from the size of a call: beside the elements of a nest it would have their vectors as wide
/// as a size.
fn is_number(op: Op<'_>) -> bool {
    let [result] = op.results()[..] else { return false };
    op.is(linalg::GENERIC) && result.ty().rank() == Some(0) && result.ty().element().is_int()
}

impl<'c> Group<'c> {
    /// Operations with fewer loops than the root that no schedule computes with it: a row's operations are, beside the row's
    /// reduction, but not those that are the same for all rows, or have a nest without a reduction as their only user. A
    /// contraction or convolution has one elementwise operation after it in its schedule.
    fn beside_rows(&self) -> Vec<Op<'c>> {
        let loops = self.extents.len();
        let is_from_outside = |op: Op<'c>| {
            let mut owners = op.operands().into_iter().filter_map(Value::owner);
            owners.all(|owner| !self.ops.contains(&owner))
        };
        let is_beside = |nest: &&Structured<'c>| match self.has_reduction {
            true => nest.extents.len() + 1 < loops && is_from_outside(nest.op),
            false => nest.extents.len() < loops,
        };
        self.generics.iter().filter(is_beside).map(|nest| nest.op).collect()
    }
}

/// The groups in program order of their roots. Operations of `apart` join those with as many loops only.
fn groups<'c>(block: Block<'c>, apart: &HashSet<Op<'c>>) -> Vec<Group<'c>> {
    let mut groups: Vec<Group<'c>> = Vec::new();
    let mut member: HashMap<Op<'c>, usize> = HashMap::new();
    for op in block.ops().into_iter().rev() {
        let Some(role) = role(op) else { continue };
        let target = sole_user_group(op, &member).filter(|group| {
            let group = &groups[*group];
            let is_smaller = matches!(&role, Role::Generic(nest) if nest.extents != group.extents);
            joins(op, &role, group) && !(is_smaller && apart.contains(&op))
        });
        let index = target.unwrap_or(groups.len());
        match target {
            Some(group) => {
                let group = &mut groups[group];
                group.ops.push(op);
                match role {
                    Role::Heavy(_) => {
                        group.has_heavy = true;
                        group.is_elementwise = false;
                    }
                    Role::Generic(nest) => {
                        group.has_reduction |= !nest.is_parallel();
                        group.is_elementwise &=
                            nest.is_elementwise() && nest.extents == group.extents;
                        group.has_index |= !nest.is_pure_map();
                        group.work += nest.work();
                        group.generics.push(nest);
                    }
                }
            }
            None => groups.push(new_group(op, role)),
        }
        member.insert(op, index);
    }
    groups.reverse();
    groups
}

/// Whether an operation reduces the columns of its only operand, whose elements it reads in order.
fn is_of_columns(nest: &Structured<'_>) -> bool {
    nest.inputs == 1
        && nest.op.result_count() == 1
        && nest.is_pure_map()
        && nest.reduction.last() == Some(&false)
        && nest.reduction.contains(&true)
        && nest.extents.last().is_some_and(|columns| *columns >= MIN_COLUMNS)
        && is_identity(&nest.maps[0], nest.extents.len())
        && vector_bits(nest.op).is_some()
}

/// Whether an operation of a program with bounds masks an input: what ends at the size reads the input itself.
fn masks_input(op: Op<'_>) -> bool {
    let is_bounded = op.parent().is_some_and(|entry| entry.has_attr(VALID));
    let shape = op.result(0).ty().shape();
    let is_input = |value: Value<'_>| value.block_arg().is_some() && value.ty().shape() == shape;
    is_bounded
        && op.body(0).ops().into_iter().any(|op| op.is(arith::SELECT))
        && op.operands().into_iter().any(is_input)
}

fn new_group<'c>(op: Op<'c>, role: Role<'c>) -> Group<'c> {
    match role {
        Role::Heavy(shape) => Group {
            ops: vec![op],
            generics: Vec::new(),
            extents: shape,
            has_heavy: true,
            has_reduction: false,
            is_elementwise: false,
            has_index: false,
            is_map: false,
            is_of_columns: false,
            is_extremum: false,
            work: 0,
        },
        Role::Generic(nest) => Group {
            ops: vec![op],
            is_extremum: Extremum::of(&nest).is_some(),
            extents: nest.extents.clone(),
            has_heavy: false,
            has_reduction: !nest.is_parallel(),
            is_elementwise: nest.is_elementwise(),
            has_index: !nest.is_pure_map(),
            is_map: vector_bits(op).is_some()
                && (nest.is_elementwise()
                    || (nest.is_pure_map() && (nest.is_parallel() || nest.row_loops().is_some()))),
            is_of_columns: is_of_columns(&nest),
            work: nest.work(),
            generics: vec![nest],
        },
    }
}

/// The group that holds all users of all results, if there is one.
fn sole_user_group<'c>(op: Op<'c>, member: &HashMap<Op<'c>, usize>) -> Option<usize> {
    let mut group = None;
    let results = units::view(op).map_or_else(|| op.results(), |view| vec![view]);
    for (user, _) in results.into_iter().flat_map(Value::uses) {
        let users = *member.get(&user)?;
        if *group.get_or_insert(users) != users {
            return None;
        }
    }
    group
}

fn joins<'c>(op: Op<'c>, role: &Role<'c>, group: &Group<'c>) -> bool {
    if op.result_count() != 1
        || !(group.is_map || group.is_of_columns || group.is_extremum)
        || (!group.is_elementwise && group.ops.len() >= MAX_NEST_OPERATIONS)
        || vector_bits(op).is_none()
    {
        return false;
    }
    let view = units::view(op);
    let result = view.unwrap_or(op.result(0));
    let mut reads = Vec::new();
    // Heavy users read overlapping or repeated tiles: their inputs are separate nests.
    let is_heavy_user = |(user, _): &(Op<'c>, usize)| {
        is_heavy(user.name())
            || Structured::of_generic(*user)
                .is_some_and(|nest| is_of_lanes(&nest) || is_window(&nest))
    };
    if result.uses().iter().any(is_heavy_user) {
        return false;
    }
    for user in &group.generics {
        if user.starts_from(result) {
            return false;
        }
        reads.extend(user.reads_of(result).into_iter().map(<[_]>::to_vec));
    }
    let loops = group.extents.len();
    match role {
        Role::Heavy(_) => {
            let takes_view =
                || group.generics.iter().all(|nest| units::is_fit(nest, &group.extents));
            !group.has_heavy
                && !group.has_reduction
                && !group.has_index
                && result.ty().shape().as_ref() == Some(&group.extents)
                && (view.is_none() || takes_view())
                && reads.iter().all(|map| is_identity(map, loops))
        }
        Role::Generic(nest) => {
            let whole = nest.extents.len() == loops;
            if group.is_extremum {
                return whole
                    && group.ops.len() < MAX_NEST_OPERATIONS
                    && Extremum::takes(nest)
                    && reads.iter().all(|map| is_identity(map, loops));
            }
            if group.is_of_columns {
                return whole
                    && group.ops.len() < MAX_NEST_OPERATIONS
                    && nest.is_parallel()
                    && nest.is_pure_map()
                    && nest.writes_identity()
                    && nest.work() <= MAX_WORK_OF_COLUMNS
                    && !masks_input(op)
                    && reads.iter().all(|map| is_identity(map, loops));
            }
            let stays_elementwise = group.is_elementwise && whole && nest.is_elementwise();
            if !group.extents.starts_with(&nest.extents)
                || (stays_elementwise && group.work + nest.work() > MAX_ELEMENTWISE_WORK)
                || (!stays_elementwise && (group.has_index || !nest.is_pure_map()))
                || (!stays_elementwise && group.ops.len() >= MAX_NEST_OPERATIONS)
            {
                return false;
            }
            // Squares of a transpose have a schedule of their own; beside them other operations would have none.
            if group.is_elementwise && transpose::has_squares(nest, MAX_TRANSPOSE_SIDE) {
                return false;
            }
            if nest.is_parallel() {
                let reads_fit = match whole {
                    true => reads.iter().all(|map| is_identity(map, loops)),
                    false => {
                        reads.iter().all(|map| map.len() == nest.extents.len() && is_prefix(map))
                    }
                };
                // A smaller operation is computed once per row of a tile, not once per element.
                return nest.writes_identity() && reads_fit && (whole || !group.has_heavy);
            }
            let rows = nest.row_loops();
            whole
                && !group.has_heavy
                && rows
                    .is_some_and(|rows| reads.iter().all(|map| map.len() == rows && is_prefix(map)))
        }
    }
}
