//! Loops of algorithms that compute each place along a dimension apart, as running sums of columns are: they end where the results do.
//!
//! ```mlir
//! %y:2 = scf.for %k = %c1 to %c64 step %c1 iter_args(%t = %x, %sum = %first) {
//!   scf.for %j = %c0 to %c128 step %c1 iter_args(%u = %t, %v = %sum) {               // of %y#0, the first %s columns are needed
//!     %a = tensor.extract %v[%j]
//!     %b = tensor.extract %z[%k, %j]                                              // of %z, too
//!     %c = arith.addf %a, %b
//!     %w = tensor.insert %c into %u[%k, %j]
//!     %n = tensor.insert %c into %v[%j]
//!     …
//!   } {strata.limit = affine_map<(d0) -> (d0)>}
//! }
//! ```

use strata_ir::{Op, TypeExt as _, Value, constant_index, scf, tensor};

use super::{Bound, Need};

/// Such loops in a loop, or this itself.
pub struct Columns<'c> {
    each: Op<'c>,
    /// Those along the dimension.
    pub loops: Vec<Op<'c>>,
    /// How many places are needed.
    pub bound: Bound,
    /// Which dimension of each tensor it is.
    dims: Vec<(Value<'c>, usize)>,
}

impl<'c> Columns<'c> {
    /// Those of a loop of whose results this is needed.
    pub fn of(each: Op<'c>, needed: &[Vec<Need>]) -> Option<Self> {
        let mut found: Option<Need> = None;
        let mut starts = Vec::new();
        for (result, needs) in each.results().into_iter().zip(needed) {
            let mut below = needs.iter().enumerate().filter(|(_, need)| is_part(need));
            match (below.next(), below.next()) {
                (Some((dim, need)), None) => {
                    found = Some(found.map_or(*need, |found| found.or(*need)));
                    starts.push((result, dim));
                }
                // What nothing reads.
                _ if needs.iter().all(|need| *need == Need::Nothing) && !needs.is_empty() => {}
                _ => return None,
            }
        }
        let Some(Need::Below(bound)) = found else { return None };
        each.is(scf::FOR).then_some(())?;
        let inner = each.collect(|op| op != each);
        let is_plain = |op: &Op<'c>| {
            matches!(op.name(), tensor::EXTRACT | tensor::INSERT | scf::FOR | scf::YIELD)
                || matches!(op.dialect(), "arith" | "math") && op.region_count() == 0
        };
        inner.iter().all(is_plain).then_some(())?;
        let mut columns = Self { each, loops: Vec::new(), bound, dims: Vec::new() };
        for (result, dim) in starts {
            columns.assign(result, dim)?;
        }
        let is_access = |op: &Op<'c>| matches!(op.name(), tensor::EXTRACT | tensor::INSERT);
        let mut left: Vec<Op<'c>> = inner.into_iter().filter(is_access).collect();
        while !left.is_empty() {
            let before = left.len();
            let mut open = Vec::new();
            for access in left {
                if !columns.settle(access)? {
                    open.push(access);
                }
            }
            (open.len() < before).then_some(())?;
            left = open;
        }
        let loops = &columns.loops;
        let is_apart = |own: &Op<'c>| {
            let counts = [0, 2].map(|at| constant_index(own.operand(at))) == [Some(0), Some(1)];
            counts
                && own.result_types().iter().all(|ty| ty.is_tensor_type())
                && !loops.iter().any(|other| other != own && other.encloses(*own))
        };
        loops.iter().all(is_apart).then_some(columns)
    }

    /// What is needed of the tensors around the loop that it uses.
    pub fn needs(&self) -> Vec<(Value<'c>, Vec<Need>)> {
        let is_around = |value: &Value<'c>| {
            let home = value.owner().or_else(|| value.block_arg()?.0.parent_op());
            home.is_some_and(|home| !self.each.encloses(home))
        };
        let around = self.dims.iter().filter(|(value, _)| is_around(value));
        let need = |(value, dim): &(Value<'c>, usize)| {
            let mut needs = vec![Need::All; value.ty().rank().unwrap_or_default()];
            needs[*dim] = Need::Below(self.bound);
            (*value, needs)
        };
        around.map(need).collect()
    }

    fn dim_of(&self, value: Value<'c>) -> Option<usize> {
        self.dims.iter().find(|(own, _)| *own == value).map(|(_, dim)| *dim)
    }

    /// Notes the dimension of a tensor, and of those that it becomes.
    fn assign(&mut self, value: Value<'c>, dim: usize) -> Option<()> {
        if let Some(known) = self.dim_of(value) {
            return (known == dim).then_some(());
        }
        let is_inside = |op: Op<'c>| self.each.encloses(op);
        self.dims.push((value, dim));
        let mut others = Vec::new();
        if let Some(owner) = value.owner().filter(|owner| is_inside(*owner)) {
            match owner.name() {
                scf::FOR => others.extend(carried(owner, value.result_index()?)?),
                tensor::INSERT => others.push(owner.operand(1)),
                _ => return None,
            }
        } else if let Some((block, position)) = value.block_arg()
            && let Some(owner) = block.parent_op().filter(|owner| is_inside(*owner))
        {
            others.extend(carried(owner, position.checked_sub(1)?)?);
        }
        for (user, operand) in value.uses().into_iter().filter(|(user, _)| is_inside(*user)) {
            match user.name() {
                tensor::EXTRACT => {}
                tensor::INSERT if operand == 1 => others.push(user.result(0)),
                scf::YIELD => others.push(user.parent()?.results().get(operand).copied()?),
                scf::FOR => others.extend(carried(user, operand.checked_sub(3)?)?),
                _ => return None,
            }
        }
        others.into_iter().try_for_each(|other| self.assign(other, dim))
    }

    /// Whether it is known along which dimension of its tensor an access is at the counter of a loop; `None` if there is none.
    fn settle(&mut self, access: Op<'c>) -> Option<bool> {
        let first = if access.is(tensor::INSERT) { 1 } else { 0 };
        let (value, indices) = (access.operand(first), access.operands().split_off(first + 1));
        if let Some(dim) = self.dim_of(value) {
            let (block, position) = indices.get(dim)?.block_arg()?;
            let own = block.parent_op().filter(|own| own.is(scf::FOR) && position == 0)?;
            (self.each.encloses(own) && own.encloses(access)).then_some(())?;
            if !self.loops.contains(&own) {
                self.loops.push(own);
            }
            return Some(true);
        }
        let Some(own) = self.loops.iter().find(|own| own.encloses(access)) else {
            return Some(false);
        };
        let counter = own.body(0).arg(0);
        let mut along = (0..indices.len()).filter(|dim| indices[*dim] == counter);
        let (Some(dim), None) = (along.next(), along.next()) else { return None };
        self.assign(value, dim)?;
        Some(true)
    }
}

fn is_part(need: &Need) -> bool {
    matches!(need, Need::Below(_))
}

/// What a value that a loop carries is before it, in its body, at the body's end and after it.
fn carried(each: Op<'_>, number: usize) -> Option<[Value<'_>; 4]> {
    let body = each.body(0);
    let (argument, end) = (body.args().get(1 + number).copied()?, body.terminator()?);
    let yielded = end.operands().get(number).copied()?;
    let result = each.results().get(number).copied()?;
    Some([each.operand(3 + number), argument, yielded, result])
}
