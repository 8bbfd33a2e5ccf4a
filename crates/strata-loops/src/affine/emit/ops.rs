//! Operations that compute.

use strata_ir::{RegionBuilder, WalkOrder, arith, func, memref, tensor, vector};

use super::*;

impl<'c> Emitter<'_, 'c> {
    /// Operations that compute: with the buffers of their operands, writing to those of their results.
    pub(super) fn compute(&mut self, op: Op<'c>, at: &Builder<'c>) -> Result<(), Diagnostic> {
        let mut operands = op
            .operands()
            .into_iter()
            .map(|value| self.optional(at, value))
            .collect::<Result<Vec<_>, _>>()?;
        if op.is(func::CALL) {
            let inputs = op.operand_count() - op.result_count();
            for operand in operands[..inputs].iter_mut().flatten() {
                *operand = self.dense(at, *operand, op)?;
            }
        }
        // An undefined tensor that is read may be in any buffer.
        let destinations: Vec<usize> = accesses::ties(op).iter().map(|tie| tie.operand).collect();
        let mut given = operands.clone();
        for (index, value) in op.operands().into_iter().enumerate() {
            let is_read = accesses::is_tensor(value) && !destinations.contains(&index);
            if is_read && given[index].is_none() && !op.is(tensor::INSERT_SLICE) {
                given[index] = Some(self.alloc(at, value.ty(), &[]));
            }
        }
        let captured = match op.region_count() {
            0 => Vec::new(),
            _ => accesses::captured(op),
        };
        let captured = captured
            .into_iter()
            .map(|value| self.buffer(at, value).map(|buffer| (value, buffer)))
            .collect::<Result<Vec<_>, _>>()?;
        let mut results = Vec::new();
        for result in op.results() {
            results.push(self.optional(at, result)?);
        }
        self.bring_destinations(op, at, &results)?;
        match op.name() {
            vector::TRANSFER_READ => self.transfer_read(op, at, &given),
            vector::TRANSFER_WRITE => self.transfer_write(op, at, &results),
            tensor::EXTRACT => self.load(op, at, &given),
            tensor::INSERT => self.store(op, at, &results),
            tensor::INSERT_SLICE => {
                return self.insert_slice(op, at, operands, results);
            }
            tensor::FROM_ELEMENTS => self.store_elements(op, at, &results),
            func::CALL => self.call(op, at, &given, &results),
            _ if op.dialect() == "linalg" => self.structured(op, at, &given, &results, &captured),
            name => {
                return Err(broken(
                    op,
                    &format!("`{name}` on tensors cannot be emitted on buffers"),
                ));
            }
        }
        self.events.push(Event::Op { op, operands, results, captured });
        Ok(())
    }

    /// Copies the contents of destinations to the result buffers, unless they are there.
    fn bring_destinations(
        &mut self,
        op: Op<'c>,
        at: &Builder<'c>,
        results: &[Option<Value<'c>>],
    ) -> Result<(), Diagnostic> {
        let mut moves = Vec::new();
        for tie in accesses::ties(op).into_iter().filter(|tie| tie.is_read) {
            let place = self.placement.place(self.values, self.steps, op.result(tie.result));
            if let (Some(place), Some(buffer)) = (place, results[tie.result])
                && !strata_ir::planted("emit-destination")
            {
                let (value, target) = (op.operand(tie.operand), Target { place, buffer });
                let purpose = ("the destination of an in-place update", op);
                self.request(at, value, target, purpose, &mut moves)?;
            }
        }
        self.copy_all(at, moves)
    }

    fn numbers(&self, op: Op<'c>, first: usize) -> Vec<Value<'c>> {
        op.operands().into_iter().skip(first).map(|value| self.number(value)).collect()
    }

    fn transfer_read(&mut self, op: Op<'c>, at: &Builder<'c>, operands: &[Option<Value<'c>>]) {
        let Some(source) = operands[0] else { return };
        let mut indices = self.numbers(op, 1);
        let rest = indices.split_off(op.operand(0).ty().rank().unwrap_or_default());
        let (source, indices) = self.access(op, at, source, indices);
        let read = at
            .op(vector::TRANSFER_READ)
            .operand(source)
            .operands(&indices)
            .operands(&rest)
            .attrs(&op.attrs())
            .result(op.result(0).ty())
            .value();
        self.known.insert(op.result(0), read);
    }

    fn transfer_write(&mut self, op: Op<'c>, at: &Builder<'c>, results: &[Option<Value<'c>>]) {
        let Some(target) = results[0] else { return };
        let mut indices = self.numbers(op, 2);
        let rest = indices.split_off(op.operand(1).ty().rank().unwrap_or_default());
        let (target, indices) = self.access(op, at, target, indices);
        at.op(vector::TRANSFER_WRITE)
            .operands(&[self.number(op.operand(0)), target])
            .operands(&indices)
            .operands(&rest)
            .attrs(&op.attrs())
            .build();
    }

    fn load(&mut self, op: Op<'c>, at: &Builder<'c>, operands: &[Option<Value<'c>>]) {
        let Some(source) = operands[0] else { return };
        let (source, indices) = self.access(op, at, source, self.numbers(op, 1));
        let load = at
            .op(memref::LOAD)
            .operand(source)
            .operands(&indices)
            .result(op.result(0).ty())
            .value();
        self.known.insert(op.result(0), load);
    }

    fn store(&mut self, op: Op<'c>, at: &Builder<'c>, results: &[Option<Value<'c>>]) {
        let Some(target) = results[0] else { return };
        let (target, indices) = self.access(op, at, target, self.numbers(op, 2));
        at.op(memref::STORE)
            .operands(&[self.number(op.operand(0)), target])
            .operands(&indices)
            .build();
    }

    fn store_elements(&mut self, op: Op<'c>, at: &Builder<'c>, results: &[Option<Value<'c>>]) {
        let Some(target) = results[0] else { return };
        let shape = op.result(0).ty().shape().unwrap_or_default();
        let word = strata_ir::index(self.context);
        for (position, element) in op.operands().into_iter().enumerate() {
            let mut rest = position as i64;
            let mut indices = Vec::new();
            for size in shape.iter().rev() {
                indices.push(rest % size.max(&1));
                rest /= size.max(&1);
            }
            let indices: Vec<_> = indices
                .into_iter()
                .rev()
                .map(|one| {
                    at.op(arith::CONSTANT).attr("value", int(word, one)).result(word).value()
                })
                .collect();
            at.op(memref::STORE)
                .operands(&[self.number(element), target])
                .operands(&indices)
                .build();
        }
    }

    fn insert_slice(
        &mut self,
        op: Op<'c>,
        at: &Builder<'c>,
        mut operands: Vec<Option<Value<'c>>>,
        results: Vec<Option<Value<'c>>>,
    ) -> Result<(), Diagnostic> {
        let result = op.result(0);
        let place = self.placement.place(self.values, self.steps, result);
        let (Some(mut place), Some(step)) = (place, Step::of(op)) else {
            return Err(broken(op, "the destination of an insertion has no buffer"));
        };
        let shape = result.ty().shape().unwrap_or_default();
        self.steps.push(&mut place.path, &step, &shape);
        let part = op.operand(0);
        let is_there = self.placement.place(self.values, self.steps, part).as_ref() == Some(&place)
            || strata_ir::planted("emit-part");
        if let Some(source) = operands[0].filter(|_| !is_there) {
            let target = self.at(at, &place)?;
            if wants_remarks() {
                let why = self.placement.why_apart(self.values, self.steps, part, &place);
                self.remark_copy(part, ("a slice inserted into a larger tensor", op), why);
            }
            memref::copy(at, source, target).build();
        }
        if self.values.is_undefined(op.operand(1)) {
            operands[1] = None;
        }
        self.events.push(Event::Op { op, operands, results, captured: Vec::new() });
        Ok(())
    }

    /// `buffer`, or a copy if it is not contiguous: an external function only gets a pointer.
    fn dense(
        &mut self,
        at: &Builder<'c>,
        buffer: Value<'c>,
        call: Op<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let ty = buffer.ty();
        let shape = ty.shape().unwrap_or_default();
        if ty == memref(&shape, ty.element()) {
            return Ok(buffer);
        }
        if shape.contains(&DYNAMIC) {
            return Err(
                Diagnostic::new(codes::S9002).reason("a slice for a call has no known size")
            );
        }
        let copy = self.alloc(at, ty, &[]);
        let why = ("its elements are not contiguous in memory", None);
        self.remark_copy(buffer, ("an argument of a call", call), why);
        self.copy(at, buffer, copy);
        Ok(copy)
    }

    fn call(
        &mut self,
        op: Op<'c>,
        at: &Builder<'c>,
        operands: &[Option<Value<'c>>],
        results: &[Option<Value<'c>>],
    ) {
        let inputs = op.operand_count() - op.result_count();
        let destination = |index: usize| index.checked_sub(inputs).and_then(|index| results[index]);
        let buffers: Vec<_> = op
            .operands()
            .into_iter()
            .enumerate()
            .map(|(index, value)| {
                destination(index).or(operands[index]).unwrap_or_else(|| self.number(value))
            })
            .collect();
        at.op(func::CALL).operands(&buffers).attrs(&op.attrs()).build();
        let types: Vec<_> = buffers.iter().map(|value| value.ty()).collect();
        let callee = op.attr("callee").and_then(|callee| callee.as_symbol());
        let declared = self
            .top
            .ops()
            .into_iter()
            .find(|one| one.is(func::FUNC) && Some(strata_ir::function_name(*one)) == callee);
        if let Some(declared) = declared {
            declared.set_attr("function_type", type_attr(function(self.context, &types, &[])));
        }
    }

    /// A linalg operation: the same one on buffers.
    fn structured(
        &mut self,
        op: Op<'c>,
        at: &Builder<'c>,
        operands: &[Option<Value<'c>>],
        results: &[Option<Value<'c>>],
        captured: &[(Value<'c>, Value<'c>)],
    ) {
        let inputs = op.operand_count() - op.result_count();
        let mut buffers = Vec::with_capacity(operands.len());
        for (index, value) in op.operands().into_iter().enumerate() {
            let destination = index.checked_sub(inputs).and_then(|index| results[index]);
            buffers.push(match destination.or(operands[index]) {
                Some(buffer) => buffer,
                None if accesses::is_tensor(value) => self.alloc(at, value.ty(), &[]),
                None => self.number(value),
            });
        }
        let clone = op.clone_detached();
        let mut loads = Vec::new();
        clone.walk(WalkOrder::Pre, &mut |inner| {
            if inner == clone {
                return;
            }
            for (index, value) in inner.operands().into_iter().enumerate() {
                if let Some(new) = self.known.get(&value) {
                    inner.set_operand(index, *new);
                }
            }
            if inner.is(tensor::EXTRACT) {
                loads.push(inner);
            }
        });
        for extract in loads {
            let source = extract.operand(0);
            let Some((_, buffer)) = captured.iter().find(|(value, _)| *value == source) else {
                continue;
            };
            let load = Builder::before(self.context, extract)
                .op(memref::LOAD)
                .operand(*buffer)
                .operands(&extract.operands()[1..])
                .result(extract.result(0).ty())
                .value();
            extract.result(0).replace_all_uses_with(load);
            extract.erase();
        }
        let regions: Vec<_> = clone.regions().into_iter().map(RegionBuilder::take).collect();
        let mut new = at.op(op.name()).operands(&buffers).attrs(&op.attrs());
        for region in regions {
            new = new.region(region);
        }
        new.build();
        clone.erase();
    }

    /// A select between two tensors: between their buffers, or a copy if the layouts differ.
    pub(super) fn select(&mut self, op: Op<'c>, at: &Builder<'c>) -> Result<(), Diagnostic> {
        let value = op.result(0);
        if !value.has_uses() {
            return Ok(());
        }
        let condition = self.number(op.operand(0));
        let undefined = |value: Value<'c>| self.values.is_undefined(value);
        let (yes, no) = match (undefined(op.operand(1)), undefined(op.operand(2))) {
            (false, false) => (self.buffer(at, op.operand(1))?, self.buffer(at, op.operand(2))?),
            (false, true) => (self.buffer(at, op.operand(1))?, self.buffer(at, op.operand(1))?),
            _ => (self.buffer(at, op.operand(2))?, self.buffer(at, op.operand(2))?),
        };
        let shape = value.ty().shape().unwrap_or_default();
        let plain = memref(&shape, value.ty().element());
        let buffer = if yes.ty() == plain && no.ty() == plain {
            let (yes, no) = if strata_ir::planted("emit-select") { (no, yes) } else { (yes, no) };
            at.op(arith::SELECT).operands(&[condition, yes, no]).result(plain).value()
        } else {
            let both = [yes, no].map(|source| {
                if source.ty() == plain {
                    return source;
                }
                let copy = self.alloc(at, source.ty(), &[]);
                let why = ("the two have different memory layouts", None);
                self.remark_copy(
                    source,
                    ("one of two tensors that are selected at run time", op),
                    why,
                );
                self.copy(at, source, copy);
                copy
            });
            at.op(arith::SELECT).operand(condition).operands(&both).result(plain).value()
        };
        self.chosen.insert(value, (buffer, Layout::whole(&shape)));
        self.events.push(Event::View { op, buffer });
        Ok(())
    }
}
