//! Operations as numbers, to find equal ones: MLIR uniques names, attributes, types and locations, so that their addresses identify
//! them.

use rustc_hash::FxHashMap;
use strata_ir::{Attribute, Op, Value, attribute_address, location_address, type_address};

/// A sequence of operations as numbers.
#[derive(Default)]
pub(crate) struct Content<'c> {
    words: Vec<usize>,
    values: FxHashMap<Value<'c>, usize>,
}

impl<'c> Content<'c> {
    /// Adds an argument, or a result, that operations after it use.
    pub(crate) fn define(&mut self, value: Value<'c>) {
        self.values.insert(value, self.values.len());
        self.words.push(type_address(value.ty()));
    }

    pub(crate) fn add_attribute(&mut self, attribute: Attribute<'c>) {
        self.words.push(attribute_address(attribute));
    }

    /// Adds an operation with all in it.
    pub(crate) fn add(&mut self, op: Op<'c>, with_location: bool) {
        let attrs = op.attrs();
        let (operands, results, regions) = (op.operands(), op.results(), op.regions());
        let name = op.name().as_str().as_ptr() as usize;
        self.words.extend([name, attrs.len(), operands.len(), results.len(), regions.len()]);
        if with_location {
            self.words.push(location_address(op.location()));
        }
        for (name, value) in attrs {
            self.words.extend([name.as_ptr() as usize, attribute_address(value)]);
        }
        for operand in operands {
            // All values from elsewhere are arguments.
            self.words.push(self.values.get(&operand).copied().unwrap_or(usize::MAX));
        }
        results.into_iter().for_each(|result| self.define(result));
        for region in regions {
            let blocks = region.blocks();
            self.words.push(blocks.len());
            for block in blocks {
                let (arguments, ops) = (block.args(), block.ops());
                self.words.extend([arguments.len(), ops.len()]);
                arguments.into_iter().for_each(|argument| self.define(argument));
                ops.into_iter().for_each(|op| self.add(op, with_location));
            }
        }
    }

    /// The numbers, which are equal for equal sequences only.
    pub(crate) fn into_words(self) -> Vec<usize> {
        self.words
    }
}
