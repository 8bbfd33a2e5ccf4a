//! Stores booleans as bytes: from here on tensors of them are `i8`, so that vectors have the same layout as memory.
//! Arithmetic on single booleans stays `i1`.
//!
//! ```text
//! %c = linalg.generic ins(%x, %y : tensor<9xf32>, …) outs(%e : tensor<9xi1>) { cmpf; yield %0 : i1 }
//! ```
//! becomes
//! ```text
//! %c = linalg.generic ins(%x, %y : tensor<9xf32>, …) outs(%e : tensor<9xi8>) { cmpf; extui; yield %1 : i8 }
//! ```
//! Logic operations on bytes that hold 0 or 1 are done on the bytes themselves, which keeps the form of reductions.

use std::collections::{HashMap, HashSet};

use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, Context, Op, Type, TypeExt as _, Value, arith,
    dense_bytes, dense_splat, func, function, function_types, int, integer, linalg, tensor,
    type_attr,
};

/// Converts the booleans in tensors of `root`, the module, to bytes.
pub fn store_as_bytes<'c>(context: &'c Context, root: Op<'c>) {
    let stage = Bytes { context, bit: integer(context, 1), byte: integer(context, 8) };
    for op in root.collect(|op| op != root) {
        stage.operation(op);
    }
    // Last, because the walk above also collected operations in bodies.
    let mut dead = root.collect(|op| op.is(arith::TRUNCI) || is_logic(op));
    dead.reverse();
    for op in dead.into_iter().filter(|op| op.is_unused()) {
        op.erase();
    }
}

struct Bytes<'c> {
    context: &'c Context,
    bit: Type<'c>,
    byte: Type<'c>,
}

impl<'c> Bytes<'c> {
    /// The type with bytes, of a tensor of booleans.
    fn converted(&self, ty: Type<'c>) -> Option<Type<'c>> {
        let is_boolean = ty.is_tensor_type() && ty.element() == self.bit;
        is_boolean.then(|| ty.shape().map(|shape| tensor(&shape, self.byte))).flatten()
    }

    fn operation(&self, op: Op<'c>) {
        let was_boolean: Vec<_> =
            op.results().iter().map(|value| self.converted(value.ty()).is_some()).collect();
        match op.name() {
            func::FUNC => self.signature(op),
            arith::CONSTANT => self.constant(op),
            _ => {}
        }
        let outer = op.regions().into_iter().flat_map(|region| region.blocks());
        let blocks: Vec<_> = outer.collect();
        for value in op.results().into_iter().chain(blocks.iter().flat_map(|block| block.args())) {
            if let Some(ty) = self.converted(value.ty()) {
                value.set_ty(ty);
            }
        }
        // Operands come from earlier operations, which are already converted.
        let is_bytes =
            |value: &Value<'c>| value.ty().is_tensor_type() && value.ty().element() == self.byte;
        match op.name() {
            tensor::EXTRACT if op.result(0).ty() == self.bit => self.extract(op),
            tensor::INSERT | tensor::FROM_ELEMENTS | tensor::SPLAT => {
                self.widen_operands(op, is_bytes(&op.result(0)));
            }
            tensor::PAD | tensor::GENERATE if was_boolean.contains(&true) => {
                blocks.iter().for_each(|block| self.widen_end(*block));
            }
            _ if op.dialect() == "linalg" && !op.is(linalg::YIELD) && !op.is(linalg::INDEX) => {
                self.body(op, &blocks);
            }
            _ => {}
        }
    }

    fn signature(&self, function_op: Op<'c>) {
        let types = function_op.attr("function_type").and_then(|ty| ty.as_type());
        let Some((inputs, results)) = types.and_then(function_types) else { return };
        let all = |types: Vec<Type<'c>>| -> Vec<_> {
            types.into_iter().map(|ty| self.converted(ty).unwrap_or(ty)).collect()
        };
        let ty = function(self.context, &all(inputs), &all(results));
        function_op.set_attr("function_type", type_attr(ty));
    }

    fn constant(&self, op: Op<'c>) {
        let Some(ty) = self.converted(op.result(0).ty()) else { return };
        let Some(value) = op.attr("value") else { return };
        let bytes = match value.splat_value().and_then(|splat| splat.as_i64()) {
            Some(splat) => Some(dense_splat(ty, int(self.byte, i64::from(splat != 0)))),
            None => value.raw_elements().and_then(|raw| {
                let raw: Vec<_> = raw.into_iter().map(|byte| u8::from(byte != 0)).collect();
                dense_bytes(ty, &raw)
            }),
        };
        bytes.into_iter().for_each(|bytes: Attribute<'c>| op.set_attr("value", bytes));
    }

    /// The boolean in the byte `value`.
    fn narrow(&self, builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
        builder.op(arith::TRUNCI).operand(value).result(self.bit).value()
    }

    /// The byte of the boolean `value`.
    fn widen(&self, builder: &Builder<'c>, value: Value<'c>) -> Value<'c> {
        builder.op(arith::EXTUI).operand(value).result(self.byte).value()
    }

    fn extract(&self, op: Op<'c>) {
        let (Some(next), true) = (op.next(), op.operand(0).ty().element() == self.byte) else {
            return;
        };
        let users = op.result(0).uses();
        op.result(0).set_ty(self.byte);
        let bit = self.narrow(&Builder::before(self.context, next), op.result(0));
        for (user, index) in users {
            user.set_operand(index, bit);
        }
    }

    fn widen_operands(&self, op: Op<'c>, is_bytes: bool) {
        let builder = Builder::before(self.context, op);
        for (index, value) in op.operands().into_iter().enumerate() {
            if is_bytes && value.ty() == self.bit {
                op.set_operand(index, self.widen(&builder, value));
            }
        }
    }

    fn widen_end(&self, block: Block<'c>) {
        block.terminator().into_iter().for_each(|end| self.widen_operands(end, true));
    }

    /// A structured operation: its body gets bytes for operands of bytes.
    fn body(&self, op: Op<'c>, blocks: &[Block<'c>]) {
        let [block] = blocks else { return };
        let Some(end) = block.terminator() else { return };
        let is_bytes =
            |value: Value<'c>| value.ty().is_tensor_type() && value.ty().element() == self.byte;
        // A scalar operand of a fill is still a boolean.
        let outputs = op.operand_count() - end.operand_count().min(op.operand_count());
        for index in 0..outputs {
            let value = op.operand(index);
            if value.ty() == self.bit && op.is(linalg::FILL) {
                let byte = self.widen(&Builder::before(self.context, op), value);
                op.set_operand(index, byte);
            }
        }
        let first = block.first_op().unwrap_or(end);
        let start = Builder::before(self.context, first);
        let mut bytes: HashMap<Value<'c>, Value<'c>> = HashMap::new();
        let mut carried = HashSet::new();
        for (index, argument) in block.args().into_iter().enumerate() {
            let is_byte = index < op.operand_count()
                && (is_bytes(op.operand(index)) || op.operand(index).ty() == self.byte);
            if argument.ty() != self.bit || !is_byte {
                continue;
            }
            let users = argument.uses();
            argument.set_ty(self.byte);
            if users.is_empty() {
                continue;
            }
            let bit = self.narrow(&start, argument);
            for (user, index) in users {
                user.set_operand(index, bit);
            }
            bytes.insert(bit, argument);
            if index >= outputs {
                carried.insert(bit);
            }
        }
        self.logic(*block, &mut bytes, carried);
        let builder = Builder::before(self.context, end);
        for (index, value) in end.operands().into_iter().enumerate() {
            let output = op.operand(outputs + index);
            if value.ty() == self.bit && is_bytes(output) {
                let byte = bytes.get(&value).copied();
                end.set_operand(index, byte.unwrap_or_else(|| self.widen(&builder, value)));
            }
        }
    }

    /// Moves logic operations on booleans from bytes to the bytes, and those of a reduction's accumulator in any
    /// case, so that the combining operation is recognised. Erases dead operations.
    fn logic(
        &self,
        block: Block<'c>,
        bytes: &mut HashMap<Value<'c>, Value<'c>>,
        mut carried: HashSet<Value<'c>>,
    ) {
        for op in block.ops().into_iter().filter(|op| is_logic(*op)) {
            if op.result(0).ty() != self.bit {
                continue;
            }
            let combines = op.operands().iter().any(|value| carried.contains(value));
            let builder = Builder::before(self.context, op);
            let operands: Option<Vec<_>> = op
                .operands()
                .into_iter()
                .map(|value| match bytes.get(&value) {
                    Some(byte) => Some(*byte),
                    None => combines.then(|| self.widen(&builder, value)),
                })
                .collect();
            let Some(operands) = operands else { continue };
            let byte = builder.op(op.name()).operands(&operands).result(self.byte).value();
            bytes.insert(op.result(0), byte);
            if combines {
                carried.insert(op.result(0));
            }
        }
    }
}

fn is_logic(op: Op<'_>) -> bool {
    matches!(op.name(), arith::ANDI | arith::ORI | arith::XORI)
}
