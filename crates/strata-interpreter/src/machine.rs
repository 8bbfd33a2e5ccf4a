//! The prepared form of a program, and its execution.
//!
//! Operations are resolved once: each becomes a closure that captures its attributes, the types of its operands and the
//! slots of its values in the frame of its function. Running a block is calling its closures in order.

use std::{collections::BTreeMap, rc::Rc};

use crate::{
    element::Bits,
    fault::{Fault, Run},
    memory::{Memory, View},
    value::{Tensor, Value},
};

/// The slot of an SSA value in the frame of its function.
pub(crate) type Slot = usize;

/// The action of an operation.
pub(crate) type Action = Box<dyn Fn(&mut Machine) -> Run>;

/// An operand: its slot, and whether this is its last use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub slot: Slot,
    pub is_last: bool,
}

/// An operation, resolved.
pub(crate) struct Inst {
    /// Its position among the operations of the program, for messages.
    pub place: usize,
    pub action: Action,
}

/// A block, resolved: its arguments, its operations, and the operands of its terminator.
#[derive(Default)]
pub(crate) struct Block {
    pub args: Vec<Slot>,
    pub insts: Vec<Inst>,
    pub yields: Vec<Operand>,
}

/// A function, resolved.
#[derive(Default)]
pub(crate) struct Function {
    pub body: Block,
    /// The number of slots in its frame.
    pub slots: usize,
}

/// The state of a run.
pub(crate) struct Machine {
    pub frame: Vec<Value>,
    pub memory: Memory,
    pub functions: Rc<Vec<Function>>,
    /// The indices of the innermost linalg operation.
    pub indices: Vec<i64>,
    /// The buffer of each constant of the module.
    pub globals: Vec<Rc<View>>,
    /// The temporary that each operation creates, by the operation's position and the first byte.
    pub temporaries: BTreeMap<(usize, i64), u32>,
    /// Whether loops end at the limits that they have.
    pub has_limits: bool,
    /// The device that runs the program, if several do.
    pub process: Option<Rc<Device>>,
    /// The exchanges that are under way, by their numbers.
    pub flights: BTreeMap<i64, Flight>,
    depth: usize,
}

/// A device that runs a program beside others; they exchange the bytes of values.
pub type Device = strata_processes::Process<Vec<u8>>;

/// An exchange between its begin and the wait for it.
pub(crate) struct Flight {
    /// The bytes of the operand.
    pub operand: Vec<u8>,
    /// The bytes of the result.
    pub result: Vec<u8>,
}

/// The maximum call depth, beyond that of any stage's output.
const DEPTH: usize = 64;

impl Machine {
    pub fn new(memory: Memory, functions: Rc<Vec<Function>>) -> Self {
        Self {
            frame: Vec::new(),
            memory,
            functions,
            indices: Vec::new(),
            globals: Vec::new(),
            temporaries: BTreeMap::new(),
            has_limits: false,
            process: None,
            flights: BTreeMap::new(),
            depth: 0,
        }
    }

    /// Runs the operations of a block whose arguments are set.
    pub fn run(&mut self, block: &Block) -> Run {
        for inst in &block.insts {
            if let Err(mut fault) = (inst.action)(self) {
                fault.place.get_or_insert(inst.place);
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Runs a block on `values` and returns its terminator's operands.
    pub fn run_with(&mut self, block: &Block, values: Vec<Value>) -> Run<Vec<Value>> {
        for (slot, value) in block.args.iter().zip(values) {
            self.frame[*slot] = value;
        }
        self.run(block)?;
        self.all(&block.yields)
    }

    /// Calls a function of the program.
    pub fn call(&mut self, function: usize, values: Vec<Value>) -> Run<Vec<Value>> {
        if self.depth >= DEPTH {
            return Err(Fault::undefined("calls are nested too deeply"));
        }
        self.depth += 1;
        let functions = Rc::clone(&self.functions);
        let function = &functions[function];
        let frame = vec![Value::Gone; function.slots];
        let outer = std::mem::replace(&mut self.frame, frame);
        let results = self.run_with(&function.body, values);
        self.frame = outer;
        self.depth -= 1;
        results
    }

    pub fn set(&mut self, slot: Slot, value: Value) {
        self.frame[slot] = value;
    }

    /// The value of an operand, moved if this is its last use.
    pub fn value(&mut self, operand: Operand) -> Value {
        if operand.is_last {
            return std::mem::take(&mut self.frame[operand.slot]);
        }
        self.frame[operand.slot].clone()
    }

    pub fn all(&mut self, operands: &[Operand]) -> Run<Vec<Value>> {
        Ok(operands.iter().map(|operand| self.value(*operand)).collect())
    }

    pub fn scalar(&self, operand: Operand) -> Run<Bits> {
        match &self.frame[operand.slot] {
            Value::Scalar(bits) => Ok(*bits),
            other => Err(unexpected(other, "a scalar")),
        }
    }

    /// The elements of a value that may be partially uninitialised.
    pub fn missing(&self, operand: Operand) -> Option<Rc<Vec<Option<Bits>>>> {
        match &self.frame[operand.slot] {
            Value::Missing(elements) => Some(Rc::clone(elements)),
            _ => None,
        }
    }

    pub fn index(&self, operand: Operand) -> Run<i64> {
        self.scalar(operand).map(|bits| bits as i64)
    }

    pub fn indices(&self, operands: &[Operand]) -> Run<Vec<i64>> {
        operands.iter().map(|operand| self.index(*operand)).collect()
    }

    pub fn vector(&self, operand: Operand) -> Run<Rc<Vec<Bits>>> {
        match &self.frame[operand.slot] {
            Value::Vector(elements) => Ok(Rc::clone(elements)),
            other => Err(unexpected(other, "a vector")),
        }
    }

    pub fn view(&self, operand: Operand) -> Run<Rc<View>> {
        match &self.frame[operand.slot] {
            Value::Buffer(view) => Ok(Rc::clone(view)),
            other => Err(unexpected(other, "a buffer")),
        }
    }

    pub fn tensor(&mut self, operand: Operand) -> Run<Rc<Tensor>> {
        match self.value(operand) {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(unexpected(&other, "a tensor")),
        }
    }
}

pub(crate) fn unexpected(value: &Value, wanted: &str) -> Fault {
    let kind = match value {
        Value::Gone => "nothing",
        Value::Scalar(_) => "a scalar",
        Value::Vector(_) => "a vector",
        Value::Tensor(_) => "a tensor",
        Value::Buffer(_) => "a buffer",
        Value::Missing(_) => "what was never written",
    };
    Fault::internal(format!("{kind} where {wanted} is needed"))
}
