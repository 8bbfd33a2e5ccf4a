//! Value numbering of run-time scalars: equal computations of equal numbers are equal.

use rustc_hash::FxHashMap;
use strata_ir::{
    AttributeExt as _, Block, Op, OpName, Value, affine, arith, attribute_address, type_address,
    value_address,
};

use super::paths::Num;

/// The maximum depth of a computation.
const DEPTH: usize = 16;

#[derive(PartialEq, Eq, Hash)]
struct Computation<'c> {
    name: OpName<'c>,
    attrs: Vec<(&'c str, usize)>,
    operands: Vec<Num>,
    ty: usize,
}

enum Known<'c> {
    Value(Value<'c>),
    Computed(Vec<Num>),
}

/// All such numbers of a program.
#[derive(Default)]
pub struct Scalars<'c> {
    /// The scalars of the new function that correspond to those of the old one.
    pub renamed: FxHashMap<Value<'c>, Value<'c>>,
    numbers: FxHashMap<usize, Num>,
    computed: FxHashMap<Computation<'c>, u32>,
    known: Vec<Known<'c>>,
}

impl<'c> Scalars<'c> {
    /// The number that `value` is.
    pub fn number(&mut self, value: Value<'c>) -> Num {
        self.number_at(value, 0)
    }

    fn number_at(&mut self, value: Value<'c>, depth: usize) -> Num {
        let value = self.renamed.get(&value).copied().unwrap_or(value);
        if let Some(number) = self.numbers.get(&value_address(value)) {
            return *number;
        }
        let owner = value.owner().filter(|owner| depth < DEPTH && is_pure(*owner));
        let number = match owner {
            Some(owner) if owner.is(arith::CONSTANT) => {
                match owner.attr("value").and_then(|value| value.as_i64()) {
                    Some(constant) => Num::Const(constant),
                    None => self.add(Known::Value(value)),
                }
            }
            Some(owner) => self.computation(owner, depth),
            None => self.add(Known::Value(value)),
        };
        self.numbers.insert(value_address(value), number);
        number
    }

    fn computation(&mut self, op: Op<'c>, depth: usize) -> Num {
        let operands: Vec<_> =
            op.operands().into_iter().map(|value| self.number_at(value, depth + 1)).collect();
        let attrs = op.attrs().into_iter().map(|(name, one)| (name, attribute_address(one)));
        let computation = Computation {
            name: op.name(),
            attrs: attrs.collect(),
            operands: operands.clone(),
            ty: type_address(op.result(0).ty()),
        };
        if let Some(id) = self.computed.get(&computation) {
            return Num::Known(*id);
        }
        let number = self.add(Known::Computed(operands));
        if let Num::Known(id) = number {
            self.computed.insert(computation, id);
        }
        number
    }

    fn add(&mut self, known: Known<'c>) -> Num {
        let id = self.known.len() as u32;
        self.known.push(known);
        Num::Known(id)
    }

    /// Whether a number depends only on constants and on values of the blocks in `scope`.
    pub fn is_from(&self, number: Num, scope: &[Block<'c>]) -> bool {
        match number {
            Num::Const(_) => true,
            Num::Any => false,
            Num::Known(id) => match &self.known[id as usize] {
                Known::Value(value) => block_of(*value).is_some_and(|block| scope.contains(&block)),
                Known::Computed(operands) => {
                    operands.iter().all(|operand| self.is_from(*operand, scope))
                }
            },
        }
    }
}

/// The block that a value is defined in.
pub fn block_of<'c>(value: Value<'c>) -> Option<Block<'c>> {
    match value.owner() {
        Some(owner) => owner.block(),
        None => value.block_arg().map(|(block, _)| block),
    }
}

/// Whether an operation computes one number from its operands and attributes, and from nothing else.
fn is_pure(op: Op<'_>) -> bool {
    let name = op.name();
    let is_arithmetic =
        name.dialect() == "arith" || matches!(name, affine::APPLY | affine::MAX | affine::MIN);
    is_arithmetic && op.region_count() == 0 && op.result_count() == 1
}
