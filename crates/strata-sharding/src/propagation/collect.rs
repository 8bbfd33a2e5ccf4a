//! The values of a function with what the program says of them, the links between them, and the way back into the program.

use std::collections::{BTreeMap, HashMap};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, AxisPart, Block, Context, Mesh, MeshRef, Op, OpKind, TensorSharding,
    TypeExt as _, Value, axis_names, diagnostic_at, is_between_replicas, is_elementwise_exchange,
    set_argument_sharding, set_result_sharding, set_shardings, shardings_of, value_address,
};
use strata_shapes::{
    FactorKind, Family, family, grouped_rules, rules, size, stated_rules, stepped_operands, steps,
};

use super::{
    Meshes,
    links::{LAST_LEVEL, Link, Place, Shared},
    values::Known,
};
use crate::axes;

/// A function, its values and their links.
pub struct Program<'c> {
    func: Op<'c>,
    /// What is known of its values.
    pub values: Vec<Known>,
    /// What ties them.
    pub links: Vec<Link<'c>>,
    /// For each value the links that it is in.
    pub links_of: Vec<Vec<usize>>,
    /// The meshes, by number.
    pub meshes: Vec<Mesh>,
    of_value: HashMap<usize, usize>,
    of_result: Vec<Option<usize>>,
    /// The operations whose results have shardings, in order.
    ops: Vec<Op<'c>>,
    /// The body of devices that a value belongs to; none outside of such bodies.
    bodies: Vec<Option<Op<'c>>>,
    groups: BTreeMap<i64, Vec<(Op<'c>, usize)>>,
}

/// The shape of a tensor.
fn shape(value: Value<'_>) -> Option<Vec<i64>> {
    if value.ty().is_tensor_type() { value.ty().shape() } else { None }
}

impl<'c> Program<'c> {
    /// That of a function; `None` if it has no value on several devices, or no body.
    ///
    /// # Errors
    /// `S1103` for a sharding that does not fit.
    pub fn of(func: Op<'c>, meshes: &mut Meshes) -> Result<Option<Self>, Diagnostic> {
        let Some(body) = func.region(0).first_block() else { return Ok(None) };
        let mut program = Self {
            func,
            values: Vec::new(),
            links: Vec::new(),
            links_of: Vec::new(),
            meshes: Vec::new(),
            of_value: HashMap::new(),
            of_result: Vec::new(),
            ops: Vec::new(),
            bodies: Vec::new(),
            groups: BTreeMap::new(),
        };
        let mut reader = Reader { program: &mut program, meshes, body: None };
        reader.function(body)?;
        let groups = std::mem::take(&mut program.groups);
        for members in groups.into_values() {
            let (op, first) = members[0];
            let all: Vec<_> = members.iter().map(|(_, value)| *value).collect();
            let shape = program.values[first].shape.clone();
            program.links.push(Link::identity(op, &all, &shape));
        }
        program.links_of = vec![Vec::new(); program.values.len()];
        for (index, link) in program.links.iter().enumerate() {
            for place in &link.places {
                program.links_of[place.value].push(index);
            }
        }
        program.meshes = meshes.all.iter().map(|(_, mesh)| mesh.clone()).collect();
        let is_on_devices = program
            .values
            .iter()
            .any(|value| value.mesh.is_some_and(|number| program.meshes[number].count() > 1));
        Ok(is_on_devices.then_some(program))
    }

    fn value(&self, value: Value<'c>) -> Option<usize> {
        self.of_value.get(&value_address(value)).copied()
    }

    /// Writes the shardings into the program.
    pub fn write(&self, context: &'c Context, meshes: &Meshes) {
        // Values of which nothing is known are on the mesh of the others.
        let main = self.values.iter().find_map(|value| value.mesh).unwrap_or(0);
        let sharding = |value: Option<usize>| match value {
            Some(value) => {
                let known = &self.values[value];
                let number = known.mesh.unwrap_or(main);
                known.sharding(meshes.name(number), meshes.mesh(number))
            }
            // No tensor.
            None => TensorSharding::replicated(MeshRef::Named(meshes.name(main).to_owned()), 0),
        };
        for op in &self.ops {
            let results = op.results();
            if results.is_empty() || results.iter().any(|value| value.ty().is_tuple()) {
                continue;
            }
            let all: Vec<_> = results.iter().map(|value| sharding(self.value(*value))).collect();
            set_shardings(context, *op, &all);
            if matches!(op.kind(), OpKind::SdyShardingConstraint | OpKind::SdyReshard)
                && let Some(attribute) = all[0].to_attribute(context)
            {
                op.set_attr("sharding", attribute);
            }
        }
        let arguments = self.func.region(0).first_block().map(Block::args).unwrap_or_default();
        for (index, argument) in arguments.into_iter().enumerate() {
            if !argument.ty().is_tuple() {
                let sharding = sharding(self.value(argument));
                set_argument_sharding(context, self.func, index, &sharding);
            }
        }
        for (index, value) in self.of_result.iter().enumerate() {
            set_result_sharding(context, self.func, index, &sharding(*value));
        }
    }
}

struct Reader<'p, 'c> {
    program: &'p mut Program<'c>,
    meshes: &'p mut Meshes,
    /// The body of devices around what is read.
    body: Option<Op<'c>>,
}

impl<'c> Reader<'_, 'c> {
    fn function(&mut self, body: Block<'c>) -> Result<(), Diagnostic> {
        let func = self.program.func;
        for (index, argument) in body.args().into_iter().enumerate() {
            let Some(shape) = shape(argument) else { continue };
            let known = match TensorSharding::of_argument(func, index) {
                Some(sharding) => self.stated(func, &sharding, shape)?,
                None => Known::whole(shape),
            };
            self.define(argument, known);
        }
        let returned = body.terminator().map(Op::operands).unwrap_or_default();
        self.block(body)?;
        for (index, value) in returned.into_iter().enumerate() {
            let Some(shape) = shape(value) else {
                self.program.of_result.push(None);
                continue;
            };
            let known = match TensorSharding::of_result(func, index) {
                Some(sharding) => self.stated(func, &sharding, shape)?,
                None => Known::open(shape),
            };
            let result = self.add(Known { is_shown: false, ..known });
            self.program.of_result.push(Some(result));
            self.same(body.terminator().unwrap_or(func), value, result);
        }
        Ok(())
    }

    fn block(&mut self, block: Block<'c>) -> Result<(), Diagnostic> {
        block.ops().into_iter().try_for_each(|op| self.op(op))
    }

    /// A new value.
    fn add(&mut self, known: Known) -> usize {
        self.program.values.push(known);
        self.program.bodies.push(self.body);
        self.program.values.len() - 1
    }

    fn define(&mut self, value: Value<'c>, known: Known) -> usize {
        let number = self.add(known);
        self.program.of_value.insert(value_address(value), number);
        number
    }

    /// What a sharding says.
    fn stated(
        &mut self,
        op: Op<'c>,
        sharding: &TensorSharding,
        shape: Vec<i64>,
    ) -> Result<Known, Diagnostic> {
        let wrong = |reason| diagnostic_at(codes::S1103, op).reason(reason);
        let mesh = sharding.mesh.resolve(op);
        let mesh =
            mesh.ok_or_else(|| wrong(format!("the module has no mesh {}", sharding.mesh)))?;
        let number = self.meshes.number(mesh.clone());
        Known::of(sharding, (number, &mesh), shape).map_err(wrong)
    }

    /// The number of a value that is used here: not of one from outside of a body of devices, which is whole there.
    fn used(&self, value: Value<'c>) -> Option<usize> {
        let number = self.program.value(value)?;
        (self.program.bodies[number] == self.body).then_some(number)
    }

    /// Ties a value that is used here to another that is the same.
    fn same(&mut self, op: Op<'c>, value: Value<'c>, other: usize) {
        if let Some(number) = self.used(value) {
            let shape = self.program.values[other].shape.clone();
            self.program.links.push(Link::identity(op, &[number, other], &shape));
        }
    }

    fn op(&mut self, op: Op<'c>) -> Result<(), Diagnostic> {
        if op.kind() == OpKind::SdyManualComputation {
            return self.manual(op);
        }
        let mut named = shardings_of(op).unwrap_or_default();
        if matches!(op.kind(), OpKind::SdyShardingConstraint | OpKind::SdyReshard) {
            let asked = op.attr("sharding").and_then(TensorSharding::from_attribute);
            named = asked.into_iter().collect();
        }
        for (index, result) in op.results().into_iter().enumerate() {
            let Some(shape) = shape(result) else { continue };
            let known = match named.get(index) {
                Some(sharding) => self.stated(op, sharding, shape)?,
                None => Known::open(shape),
            };
            self.define(result, known);
        }
        if op.result_count() > 0 {
            self.program.ops.push(op);
        }
        match op.kind() {
            OpKind::While => self.carried(op),
            OpKind::If | OpKind::Case => self.branches(op),
            OpKind::SdyShardingGroup => {
                let group = op.attr("group_id").and_then(|id| id.as_i64()).unwrap_or(0);
                if let Some(value) = self.used(op.operand(0)) {
                    self.group(op, group, value)?;
                }
                Ok(())
            }
            OpKind::SdyPropagationBarrier => {
                self.barrier(op);
                Ok(())
            }
            kind if is_between_replicas(op) && is_elementwise_exchange(kind) => {
                for (operand, result) in op.operands().into_iter().zip(op.results()) {
                    if let Some(result) = self.program.value(result) {
                        self.same(op, operand, result);
                    }
                }
                Ok(())
            }
            _ => {
                self.factors(op);
                Ok(())
            }
        }
    }

    /// Axes pass a barrier in the direction that it allows.
    fn barrier(&mut self, op: Op<'c>) {
        let direction = op.attr("allowed_direction").and_then(|direction| direction.as_str());
        let (Some(operand), Some(result)) =
            (self.used(op.operand(0)), self.program.value(op.result(0)))
        else {
            return;
        };
        let shape = self.program.values[result].shape.clone();
        let mut link = Link::identity(op, &[operand, result], &shape);
        match direction {
            Some("FORWARD") => link.places[0].receives = false,
            Some("BACKWARD") => link.places[1].receives = false,
            Some("BOTH") => {}
            _ => return,
        }
        self.program.links.push(link);
    }

    fn group(&mut self, op: Op<'c>, group: i64, value: usize) -> Result<(), Diagnostic> {
        let shape = self.program.values[value].shape.clone();
        let members = self.program.groups.entry(group).or_default();
        members.push((op, value));
        let first = members[0].1;
        if self.program.values[first].shape == shape {
            return Ok(());
        }
        Err(diagnostic_at(codes::S1103, op)
            .reason(format!("values of group {group} have different shapes"))
            .hint("values of one group are split alike, so they need one shape"))
    }

    /// What a loop carries is split alike at its begin, in its body and at its end.
    fn carried(&mut self, op: Op<'c>) -> Result<(), Diagnostic> {
        let results = op.results();
        for region in op.regions() {
            let Some(block) = region.first_block() else { continue };
            for (argument, result) in block.args().into_iter().zip(&results) {
                if let Some(number) = self.program.value(*result) {
                    self.program.of_value.insert(value_address(argument), number);
                }
            }
            self.block(block)?;
        }
        let body = op.regions().get(1).and_then(|region| region.first_block());
        let yielded = body.and_then(Block::terminator);
        for (index, (result, operand)) in results.into_iter().zip(op.operands()).enumerate() {
            let Some(number) = self.program.value(result) else { continue };
            self.same(op, operand, number);
            if let Some(terminator) = yielded.filter(|op| index < op.operand_count()) {
                self.same(terminator, terminator.operand(index), number);
            }
        }
        Ok(())
    }

    fn branches(&mut self, op: Op<'c>) -> Result<(), Diagnostic> {
        for region in op.regions() {
            let Some(block) = region.first_block() else { continue };
            self.block(block)?;
            let Some(terminator) = block.terminator() else { continue };
            for (value, result) in terminator.operands().into_iter().zip(op.results()) {
                if let Some(number) = self.program.value(result) {
                    self.same(terminator, value, number);
                }
            }
        }
        Ok(())
    }

    /// What a body of devices takes and gives is split as it says, along its own axes. Along others open dimensions pass axes through.
    fn manual(&mut self, op: Op<'c>) -> Result<(), Diagnostic> {
        let listed = |name: &str| {
            op.attr(name).and_then(TensorSharding::list_from_attribute).unwrap_or_default()
        };
        let (inputs, outputs) = (listed("in_shardings"), listed("out_shardings"));
        let manual = op.attr("manual_axes").map(axis_names).unwrap_or_default();
        let body = op.region(0).first_block();
        let arguments = body.map(Block::args).unwrap_or_default();
        let mut taken = Vec::new();
        for (operand, sharding) in op.operands().into_iter().zip(&inputs) {
            let known = self.of_body(op, sharding, operand, &manual)?;
            let number = known.map(|known| self.add(Known { is_shown: false, ..known }));
            number.into_iter().for_each(|number| self.same(op, operand, number));
            taken.push(number);
        }
        for (result, sharding) in op.results().into_iter().zip(&outputs) {
            if let Some(known) = self.of_body(op, sharding, result, &manual)? {
                self.define(result, known);
            }
        }
        if op.result_count() > 0 {
            self.program.ops.push(op);
        }
        let inside = |sharding: &TensorSharding| {
            let mut own = sharding.clone();
            own.remove_axes(|part| manual.contains(&part.axis));
            own
        };
        let outer = self.body.replace(op);
        for ((argument, sharding), taken) in arguments.into_iter().zip(&inputs).zip(taken) {
            let Some(known) = self.of_body(op, &inside(sharding), argument, &manual)? else {
                continue;
            };
            let number = self.define(argument, known);
            self.through(op, (taken, number), sharding, &manual);
        }
        if let Some(body) = body {
            self.block(body)?;
            let terminator = body.terminator();
            let yielded = terminator.map(Op::operands).unwrap_or_default();
            for ((value, sharding), result) in yielded.into_iter().zip(&outputs).zip(op.results()) {
                let known = self.of_body(op, &inside(sharding), value, &manual)?;
                let (Some(known), Some(terminator)) = (known, terminator) else { continue };
                let given = self.add(Known { is_shown: false, ..known });
                self.same(terminator, value, given);
                self.through(op, (self.program.value(result), given), sharding, &manual);
            }
        }
        self.body = outer;
        Ok(())
    }

    /// What a body says of a value, which is not split along its axes otherwise.
    fn of_body(
        &mut self,
        op: Op<'c>,
        sharding: &TensorSharding,
        value: Value<'c>,
        manual: &[String],
    ) -> Result<Option<Known>, Diagnostic> {
        let Some(shape) = shape(value) else { return Ok(None) };
        let mut known = self.stated(op, sharding, shape)?;
        if let Some(mesh) = known.mesh.map(|number| self.meshes.mesh(number)) {
            let own = |axis: &String| axes::pieces(mesh, &[AxisPart::whole(axis)]);
            known.blocked = manual.iter().filter_map(own).flatten().collect();
        }
        Ok(Some(known))
    }

    /// Ties a value outside of a body to that inside along the dimensions that are not split along its axes.
    fn through(
        &mut self,
        op: Op<'c>,
        (outside, inside): (Option<usize>, usize),
        sharding: &TensorSharding,
        manual: &[String],
    ) {
        let Some(outside) = outside else { return };
        let shape = self.program.values[inside].shape.clone();
        let mut link = Link::identity(op, &[outside, inside], &shape);
        for (factor, dim) in link.factors.iter_mut().zip(&sharding.dims) {
            factor.passes &= !dim.axes.iter().any(|part| manual.contains(&part.axis));
        }
        self.program.links.push(link);
    }

    /// The link of an operation, by its factors.
    fn factors(&mut self, op: Op<'c>) {
        let table = stated_rules(op).or_else(|| grouped_rules(op)).or_else(|| rules(op).ok());
        let Some(table) = table else { return };
        let mut link = Link { op, level: level_of(op), factors: Vec::new(), places: Vec::new() };
        for factor in table.factors() {
            let of = |values: Vec<Value<'c>>, places: &[(usize, usize)]| {
                places.first().and_then(|(index, dim)| size(*values.get(*index)?, *dim))
            };
            let whole = || {
                of(op.operands(), factor.operands()).or_else(|| of(op.results(), factor.results()))
            };
            let length = factor.part.or_else(whole).unwrap_or(-1);
            let mut shared = Shared::of(factor.kind, length);
            // Groups stay whole.
            shared.takes_rests &= op.kind() != OpKind::Convolution || factor.part.is_none();
            link.factors.push(shared);
        }
        let position = |factor: &strata_shapes::Factor| {
            table.factors().iter().position(|other| std::ptr::eq(other, factor))
        };
        for (index, value) in op.operands().into_iter().enumerate() {
            let (Some(number), Some(shape)) = (self.used(value), shape(value)) else { continue };
            let dims = (0..shape.len())
                .map(|dim| table.of_operand(index, dim).filter_map(position).collect());
            link.places.push(Place::of(number, dims.collect()));
        }
        for (index, value) in op.results().into_iter().enumerate() {
            let (Some(number), Some(shape)) = (self.used(value), shape(value)) else { continue };
            let dims = (0..shape.len())
                .map(|dim| table.of_result(index, dim).filter_map(position).collect());
            link.places.push(Place::of(number, dims.collect()));
        }
        link.hold_back_unordered(|factor| table.factors()[factor].part.is_some());
        if link.places.len() > 1 && link.factors.iter().any(|factor| factor.passes) {
            self.program.links.push(link);
        }
        self.ranges(op);
    }

    /// The link of an operation of which indices of the result need ranges of operands, between these dimensions.
    fn ranges(&mut self, op: Op<'c>) {
        let Some(result) = op.results().into_iter().next().and_then(shape) else { return };
        // For each dimension of the result that of the operands.
        let along: Vec<_> = (0..result.len()).map(|dim| ranged(op, dim)).collect();
        if along.iter().all(Option::is_none) {
            return;
        }
        // What is not between them is a factor of its own.
        let count = result.len();
        let mut factors: Vec<_> =
            along.iter().map(|dim| Shared::of_ranges(dim.is_some())).collect();
        factors.push(Shared::of_ranges(false));
        let mut link = Link { op, level: LAST_LEVEL, factors, places: Vec::new() };
        for value in op.operands().into_iter().take(stepped_operands(op)) {
            let (Some(number), Some(shape)) = (self.used(value), shape(value)) else { continue };
            let factor = |dim: usize| along.iter().position(|from| *from == Some(dim));
            let dims = (0..shape.len()).map(|dim| vec![factor(dim).unwrap_or(count)]);
            link.places.push(Place::of(number, dims.collect()));
        }
        for value in op.results() {
            let (Some(number), Some(shape)) = (self.used(value), shape(value)) else { continue };
            let dims = (0..shape.len()).map(|dim| vec![dim]);
            link.places.push(Place::of(number, dims.collect()));
        }
        if link.places.len() > 1 {
            self.program.links.push(link);
        }
    }
}

/// The dimension of operands of which indices of dimension `dim` of the result need ranges, other than themselves. A dimension that is
/// sorted is one where devices may split another meanwhile.
fn ranged(op: Op<'_>, dim: usize) -> Option<usize> {
    if op.kind() == OpKind::Sort {
        let along = op.attr("dimension").and_then(|along| along.as_i64()).unwrap_or(-1);
        let shape = shape(op.result(0))?;
        let along = if along < 0 { along + shape.len() as i64 } else { along };
        let is_sorted = usize::try_from(along).ok()? == dim;
        let has_other = (0..shape.len()).any(|other| other != dim && shape[other] > 1);
        return (is_sorted && has_other).then_some(dim);
    }
    if op.kind() == OpKind::Concatenate {
        let along = op.attr("dimension").and_then(|along| along.as_i64())?;
        return (usize::try_from(along).ok()? == dim).then_some(dim);
    }
    let steps = steps(op, dim)?;
    let is_itself = rules(op).is_ok_and(|table| {
        let mut factors = table.of_result(0, dim);
        factors.any(|factor| factor.kind == FactorKind::Parallel)
    });
    (!is_itself).then_some(steps.dim)
}

fn level_of(op: Op<'_>) -> u8 {
    let reorders = matches!(
        family(op.kind()),
        Family::Pointwise | Family::Expanding | Family::Carried | Family::Reshape
    );
    if reorders || op.kind() == OpKind::Transpose { 0 } else { LAST_LEVEL }
}
