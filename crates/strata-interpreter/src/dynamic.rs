//! Programs whose sizes calls give: functions beside the entry say what follows from the shapes of the inputs, and whether the program
//! takes them.

use std::rc::Rc;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, DISPATCH, Op, TensorSpec, TypeExt as _, WORKSPACE_SIZE, diagnostic_at,
    function_name,
};

use crate::{
    element::Elem,
    fault::Run,
    machine::{Function, Machine},
    memory::{Memory, Role, View, shared},
    value::Value,
};

/// The functions beside an entry, and what its attributes say.
pub struct Dynamic {
    symbols: usize,
    violation: usize,
    input_shapes: usize,
    output_shapes: usize,
    /// How many symbols there are.
    count: usize,
    /// The conditions on them, for readers.
    conditions: Vec<String>,
    /// Bytes that are enough for all sizes.
    pub workspace_size: i64,
}

impl Dynamic {
    /// That of an entry; `None` if its shapes are static. `number` is the number of a function.
    ///
    /// # Errors
    /// `S9002` for an entry without these functions.
    pub fn of(
        entry: Op<'_>,
        number: impl Fn(&str) -> Option<usize>,
    ) -> Result<Option<Self>, Diagnostic> {
        if !entry.has_attr(DISPATCH) {
            return Ok(None);
        }
        let lacks = |what: &str| {
            let name = function_name(entry);
            diagnostic_at(codes::S9002, entry).reason(format!("`@{name}` has no {what}"))
        };
        let beside = |name: &str| {
            let found = number(&format!("{}.{name}", function_name(entry)));
            found.ok_or_else(|| lacks(&format!("function `{name}` beside it")))
        };
        let size = entry.attr(WORKSPACE_SIZE).and_then(|size| size.as_i64());
        let list = entry.body(0).args().last().and_then(|list| list.ty().element_count());
        let conditions = entry.attr("strata.dims").and_then(|dims| dims.entry("constraints"));
        let conditions = conditions.and_then(|list| list.as_array()).unwrap_or_default();
        Ok(Some(Self {
            symbols: beside("symbols")?,
            violation: beside("violation")?,
            input_shapes: beside("input_shapes")?,
            output_shapes: beside("output_shapes")?,
            count: list.ok_or_else(|| lacks("list of symbols"))? as usize / 8,
            conditions: conditions
                .iter()
                .filter_map(|text| Some(text.as_str()?.to_owned()))
                .collect(),
            workspace_size: size.ok_or_else(|| lacks("workspace"))?,
        }))
    }

    /// The symbols that inputs of these shapes have; a diagnostic where the program does not take the shapes.
    pub fn symbols(
        &self,
        functions: &Rc<Vec<Function>>,
        inputs: &[TensorSpec],
    ) -> Run<Result<Vec<i64>, Diagnostic>> {
        let wrong = |reason: String| Ok(Err(Diagnostic::new(codes::S1802).reason(reason)));
        let dims = inputs.iter().flat_map(|spec| &spec.shape);
        let dims: Vec<_> = dims.map(|size| i64::try_from(*size).unwrap_or(-1)).collect();
        let symbols = list(functions, self.symbols, &dims, self.count)?;
        let mut machine = Machine::new(Memory::default(), Rc::clone(functions));
        let given = words(&mut machine, Role::Constant, Some(&symbols), symbols.len());
        if let Some(Value::Scalar(first)) = machine.call(self.violation, vec![given])?.first() {
            let first = Elem::Int(32).signed(*first);
            if first >= 0 {
                let condition = self.conditions.get(first as usize).cloned();
                let condition = condition.unwrap_or_else(|| "on the range of a symbol".to_owned());
                return wrong(format!("the sizes {symbols:?} violate the condition {condition}"));
            }
        }
        let expected = list(functions, self.input_shapes, &symbols, dims.len())?;
        if expected != dims {
            return wrong(format!("the inputs have the dimensions {dims:?}, not {expected:?}"));
        }
        Ok(Ok(symbols))
    }

    /// The sizes of all outputs, one after the other.
    pub fn output_sizes(
        &self,
        functions: &Rc<Vec<Function>>,
        symbols: &[i64],
        outputs: &[TensorSpec],
    ) -> Run<Vec<i64>> {
        let count = outputs.iter().map(|spec| spec.shape.len()).sum();
        list(functions, self.output_shapes, symbols, count)
    }
}

/// The list of `count` numbers that a function makes of others.
fn list(
    functions: &Rc<Vec<Function>>,
    function: usize,
    given: &[i64],
    count: usize,
) -> Run<Vec<i64>> {
    let mut machine = Machine::new(Memory::default(), Rc::clone(functions));
    let given = words(&mut machine, Role::Constant, Some(given), given.len());
    let result = words(&mut machine, Role::Allocation, None, count);
    let Value::Buffer(view) = &result else { return Ok(Vec::new()) };
    let view = Rc::clone(view);
    machine.call(function, vec![given, result])?;
    let bytes = machine.memory.output(&view)?;
    let words = bytes.chunks_exact(8).map(|word| {
        let mut own = [0; 8];
        own.copy_from_slice(word);
        i64::from_le_bytes(own)
    });
    Ok(words.collect())
}

/// A list of `i64` in memory.
fn words(machine: &mut Machine, role: Role, content: Option<&[i64]>, count: usize) -> Value {
    let bytes = content.map(|list| list.iter().flat_map(|word| word.to_le_bytes()).collect());
    let own = machine.memory.add(role, count * 8, bytes, "a list of sizes");
    Value::Buffer(shared(View::dense(own.0, own.1, 0, Elem::Int(64), vec![count as i64])))
}
