//! Running a [`Program`]: frames of values, blocks in order, one function per family of operations.

mod arguments;
mod bodies;
mod collective;
mod control_flow;
mod custom_call;
mod family;
mod groups;
mod host_io;
mod manual;
mod noise;
mod operations;
mod precision;
mod ragged;
mod session;
mod tuple_token;

use std::cell::Cell;

use strata_ir::{OpKind, func, sdy, stablehlo};

pub(crate) use collective::run_grid;
pub use custom_call::{CustomCall, OutsideCall};
use family::{Family, family};
pub use session::{HostSource, Outside, Processes, Session, Watch};

use crate::{
    convert,
    element::{ElementType, F64, I64},
    error::{EvalError, Result},
    fold,
    program::{Block, Function, Operation, Program, Slot, Type},
    quantized,
    tensor::Tensor,
};

/// The maximum nesting of calls and regions.
const DEEPEST: usize = 200;

/// The run-time contents of an SSA value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A token: the order of effects is the order of execution.
    Token,
    /// A tuple, or the results of a future.
    Tuple(Vec<Value>),
}

impl Value {
    /// The tensor; fails for other values.
    pub fn tensor(&self) -> Result<&Tensor> {
        match self {
            Value::Tensor(tensor) => Ok(tensor),
            _ => Err(EvalError::unsupported("the operand is not a tensor")),
        }
    }
}

/// A process of a parallel run, exchanging tensors.
pub(crate) type Process = strata_processes::Process<Vec<Tensor>>;

/// The values of one call.
pub(crate) type Frame = Vec<Option<Value>>;

/// One process that runs functions of a program.
pub(crate) struct Machine<'p> {
    program: &'p Program,
    session: &'p Session,
    process: Option<&'p Process>,
    depth: Cell<usize>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, session: &'p Session, process: Option<&'p Process>) -> Self {
        Self { program, session, process, depth: Cell::new(0) }
    }

    /// The process of a parallel run that this is.
    fn process(&self) -> Result<&'p Process> {
        self.process
            .ok_or_else(|| EvalError::unsupported("send and recv need a second process to talk to"))
    }

    /// The function with that name.
    pub fn function(&self, name: &str) -> Result<&'p Function> {
        self.program.function(name)
    }

    /// Runs a function for a caller outside of the program.
    pub fn start(&self, function: &Function, arguments: Vec<Value>) -> Result<Vec<Value>> {
        Ok(precision::rounded(&self.call(function, arguments)?))
    }

    /// Runs a function.
    pub fn call(&self, function: &Function, arguments: Vec<Value>) -> Result<Vec<Value>> {
        if arguments.len() != function.body.arguments.len() {
            return Err(EvalError::invalid(format!(
                "@{} takes {} arguments, not {}",
                function.name,
                function.body.arguments.len(),
                arguments.len()
            )));
        }
        let mut frame: Frame = vec![None; function.slots];
        self.run(&function.body, arguments, &mut frame)
    }

    /// Runs a block in the frame of its function.
    pub fn run(
        &self,
        block: &Block,
        arguments: Vec<Value>,
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        if self.depth.get() >= DEEPEST {
            return Err(EvalError::unsupported("calls and regions are nested too deeply"));
        }
        if arguments.len() != block.arguments.len() {
            return Err(EvalError::invalid(format!(
                "a region of {} arguments got {}",
                block.arguments.len(),
                arguments.len()
            )));
        }
        self.depth.set(self.depth.get() + 1);
        for ((slot, ty), value) in block.arguments.iter().zip(&block.types).zip(arguments) {
            store(frame, *slot, adopt(value, ty));
        }
        let mut outcome = Ok(());
        let watch = self.session.watch().filter(|_| self.depth.get() == 1);
        for (at, op) in block.operations.iter().enumerate() {
            if let Some(watch) = watch {
                watch(&op.name, at + 1, block.operations.len());
            }
            outcome =
                self.execute(op, frame).map_err(|error| error.at(&op.name, op.location.as_ref()));
            if outcome.is_err() {
                break;
            }
        }
        self.depth.set(self.depth.get() - 1);
        outcome?;
        block.returned.iter().map(|slot| load(frame, *slot).cloned()).collect()
    }

    fn execute(&self, op: &Operation, frame: &mut Frame) -> Result<()> {
        let operands = op
            .operands
            .iter()
            .map(|slot| load(frame, *slot).cloned())
            .collect::<Result<Vec<_>>>()?;
        op.types.iter().try_for_each(Type::check_size)?;
        let results = if is_quantized_arithmetic(op, &operands) {
            self.dequantize_compute_quantize(op, &operands, frame)?
        } else if self.program.has_excess_precision {
            precision::evaluate(self, op, &operands, frame)?
        } else {
            self.evaluate_alone(op, &operands, frame)?
        };
        if results.len() != op.results.len() {
            return Err(EvalError::invalid(format!(
                "{} results where {} are declared",
                results.len(),
                op.results.len()
            )));
        }
        for ((slot, ty), value) in op.results.iter().zip(&op.types).zip(results) {
            check_type(&value, ty)?;
            store(frame, *slot, adopt(value, ty));
        }
        Ok(())
    }

    /// The results of one operation on operands that all have its types.
    fn evaluate_alone(
        &self,
        op: &Operation,
        operands: &[Value],
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        match self.session.is_noisy() {
            true => self.evaluate_with_noise(op, operands, frame),
            false => self.evaluate(op, operands, frame),
        }
    }

    /// The results of one operation with rounding noise.
    fn evaluate_with_noise(
        &self,
        op: &Operation,
        given: &[Value],
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        let noisy = self.session.with_noise(|stream| noise::operands(stream, op, given));
        let Some(operands) = noisy else { return self.evaluate(op, given, frame) };
        let operands = operands?;
        let with_stream = |session: &Session| {
            session.with_noise(|stream| {
                (noise::reduced(stream, op, &operands), noise::widened(stream, op, &operands))
            })
        };
        let (reduced, widened) = with_stream(self.session).unwrap_or_default();
        let wide = match widened {
            Some((wide, operands)) => {
                let values = self.evaluate(&wide, &operands, frame)?;
                self.session.with_noise(|stream| noise::narrowed(stream, op, values)).flatten()
            }
            None => reduced,
        };
        let mut results = match wide {
            Some(results) => results,
            None => {
                let coin = self.session.with_noise(|stream| stream.next_u64().is_multiple_of(2));
                let is_in_order = coin.unwrap_or_default();
                // In the order of the program: that of a single loop.
                let is_shuffled = is_in_order && noise::is_shuffled(op);
                let operands = if is_shuffled { given } else { &operands };
                fold::in_order(is_in_order, || self.evaluate(op, operands, frame))?
            }
        };
        let scaled = self.session.with_noise(|stream| noise::scaled(stream, op, &operands));
        if let Some(how) = scaled.flatten() {
            let scaled = self.evaluate(op, &how.operands, frame)?;
            self.session.with_noise(|stream| noise::unscale(stream, &mut results, &scaled, &how));
        }
        self.session.with_noise(|stream| noise::results(stream, op, given, &mut results));
        Ok(results)
    }

    /// The operation on the numbers that quantized operands mean.
    fn dequantize_compute_quantize(
        &self,
        op: &Operation,
        operands: &[Value],
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        let results = match self.contract_quantized(op, operands, frame)? {
            Some(results) => results,
            None => {
                // The statistics of a normalisation are not rounded on the way.
                let is_wide = op.mnemonic().starts_with("batch_norm_");
                self.compute_dequantized(op, operands, is_wide, frame)?
            }
        };
        let rounded = |(result, ty): (Value, &Type)| match (result, ty) {
            (Value::Tensor(tensor), Type::Tensor { quantization: Some(quantization), .. }) => {
                let number = convert::convert(&tensor, ElementType::Float(quantization.expressed));
                quantized::uniform_quantize(&number, quantization).map(Value::Tensor)
            }
            (Value::Tensor(tensor), Type::Tensor { element, quantization: None, .. }) => {
                Ok(Value::Tensor(convert::convert(&tensor, *element)))
            }
            (other, _) => Ok(other),
        };
        results.into_iter().zip(&op.types).map(rounded).collect()
    }

    /// The operation on dequantized operands, in `f64` if `is_wide`.
    fn compute_dequantized(
        &self,
        op: &Operation,
        operands: &[Value],
        is_wide: bool,
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        let number = |operand: &Value| match operand {
            Value::Tensor(tensor) if tensor.quantization().is_some() => {
                let number = quantized::uniform_dequantize(tensor)?;
                Ok(Value::Tensor(if is_wide { convert::convert(&number, F64) } else { number }))
            }
            Value::Tensor(tensor)
                if is_wide && matches!(tensor.element_type(), ElementType::Float(_)) =>
            {
                Ok(Value::Tensor(convert::convert(tensor, F64)))
            }
            other => Ok(other.clone()),
        };
        let operands = operands.iter().map(number).collect::<Result<Vec<_>>>()?;
        let expressed = |ty: &Type| match (is_wide, ty.expressed()) {
            (true, Type::Tensor { shape, element: ElementType::Float(_), bounds, .. }) => {
                Type::Tensor { shape, element: F64, quantization: None, bounds }
            }
            (_, expressed) => expressed,
        };
        let expressed = Operation { types: op.types.iter().map(expressed).collect(), ..op.clone() };
        // Quantized results are the same to the bit, numbers are as near as those of any other operation.
        let is_quantized = op.types.iter().any(|ty| ty.quantization().is_some());
        match self.session.is_noisy() && !is_quantized {
            true => self.evaluate_with_noise(&expressed, &operands, frame),
            false => self.evaluate(&expressed, &operands, frame),
        }
    }

    /// A dot or convolution of two quantized tensors; `None` for other operations.
    fn contract_quantized(
        &self,
        op: &Operation,
        operands: &[Value],
        frame: &mut Frame,
    ) -> Result<Option<Vec<Value>>> {
        let [Value::Tensor(lhs), Value::Tensor(rhs), rest @ ..] = operands else { return Ok(None) };
        let (Some(left), Some(right)) = (lhs.quantization(), rhs.quantization()) else {
            return Ok(None);
        };
        let Some((count, kept)) = arguments::contraction(op, lhs.rank(), rhs.shape())? else {
            return Ok(None);
        };
        if !quantized::sums_are_exact(count, left, right) {
            return self.compute_dequantized(op, operands, true, frame).map(Some);
        }
        let shape = match op.result_type()? {
            Type::Tensor { shape, .. } => shape.clone(),
            other => return Err(EvalError::invalid(format!("{other} is not a tensor"))),
        };
        let ty = Type::Tensor { shape, element: I64, quantization: None, bounds: Vec::new() };
        let mut sum = Operation { types: vec![ty], ..op.clone() };
        sum.attributes.retain(|name, _| name != "algorithm");
        let factors = [quantized::centered(lhs)?, quantized::centered(rhs)?].map(Value::Tensor);
        let sums = self.evaluate(&sum, &[&factors, rest].concat(), frame)?;
        let [Value::Tensor(sums)] = &sums[..] else {
            return Err(EvalError::invalid("a contraction has one result"));
        };
        let axis = right.axis.and_then(|axis| kept.get(axis).copied().flatten());
        Ok(Some(vec![Value::Tensor(quantized::rescaled(sums, left, right, axis)?)]))
    }

    /// The results of one operation.
    fn evaluate(
        &self,
        op: &Operation,
        operands: &[Value],
        frame: &mut Frame,
    ) -> Result<Vec<Value>> {
        let found = match family(OpKind::from_name(&op.name)) {
            Family::Operations => operations::evaluate(op, operands)?,
            Family::Bodies => bodies::evaluate(self, op, operands, frame)?,
            Family::ControlFlow => control_flow::evaluate(self, op, operands, frame)?,
            Family::TupleToken => tuple_token::evaluate(op, operands)?,
            Family::Collective => collective::evaluate(self, op, operands, frame)?,
            Family::HostIo => host_io::evaluate(self, op, operands)?,
            Family::CustomCall => custom_call::evaluate(self, op, operands)?,
            Family::Unknown if op.name == func::CALL.as_str() => {
                Some(control_flow::call(self, op.string("callee")?, operands)?)
            }
            Family::Unknown => None,
        };
        found.ok_or_else(|| EvalError::unsupported(UNKNOWN))
    }
}

/// Whether the evaluator knows the operation with that full name.
pub fn supports(name: &str) -> bool {
    // Terminators end a block, and meshes are read with the program: neither is executed.
    if [func::RETURN, stablehlo::RETURN, sdy::RETURN, sdy::MESH]
        .iter()
        .any(|end| end.as_str() == name)
    {
        return true;
    }
    let (program, session) = (Program::default(), Session::default());
    let machine = Machine::new(&program, &session, None);
    let op = Operation { name: name.to_owned(), ..Operation::default() };
    // Without operands an operation that is known fails for another reason, if it fails.
    match machine.evaluate(&op, &[], &mut Frame::new()) {
        Ok(_) => true,
        Err(error) => error.reason != UNKNOWN,
    }
}

/// The reason of the error for an operation that no family knows.
const UNKNOWN: &str = "the evaluator does not know this operation";

/// Whether the operation computes with the numbers that quantized tensors mean. All others move stored
/// integers, or hand them to regions whose operations do one or the other.
fn is_quantized_arithmetic(op: &Operation, operands: &[Value]) -> bool {
    let quantized = op.types.iter().any(|ty| ty.quantization().is_some())
        || operands.iter().any(
            |operand| matches!(operand, Value::Tensor(tensor) if tensor.quantization().is_some()),
        );
    quantized && operations::computes(op)
}

fn load(frame: &Frame, slot: Slot) -> Result<&Value> {
    frame
        .get(slot)
        .and_then(Option::as_ref)
        .ok_or_else(|| EvalError::invalid("a value is used before it is computed"))
}

fn store(frame: &mut Frame, slot: Slot, value: Value) {
    if let Some(place) = frame.get_mut(slot) {
        *place = Some(value);
    }
}

/// Gives a tensor the quantization that its type declares.
fn adopt(value: Value, ty: &Type) -> Value {
    match value {
        Value::Tensor(tensor) if tensor.quantization() != ty.quantization() => {
            Value::Tensor(tensor.with_quantization(ty.quantization().cloned()))
        }
        other => other,
    }
}

/// Fails if a value does not have its declared type.
pub(crate) fn check_type(value: &Value, ty: &Type) -> Result<()> {
    let fits = match (value, ty) {
        (Value::Tensor(tensor), Type::Tensor { shape, element, bounds, .. }) => {
            let mut within = bounds.iter().zip(tensor.shape());
            within.all(|(bound, size)| bound.is_none_or(|bound| *size <= bound))
                && tensor.element_type() == *element
                && tensor.rank() == shape.len()
                && shape
                    .iter()
                    .zip(tensor.shape())
                    .all(|(size, actual)| size.is_none_or(|size| size == *actual))
        }
        (Value::Tensor(_), _) => false,
        (_, Type::Tensor { .. }) => false,
        _ => true,
    };
    if fits {
        return Ok(());
    }
    let actual = match value {
        Value::Tensor(tensor) => tensor.type_text(),
        Value::Token => String::from("a token"),
        Value::Tuple(_) => String::from("a tuple"),
    };
    Err(EvalError::invalid(format!("the value is {actual} where {ty} is declared")))
}
