//! Operations that fold, map or order elements with a region: reduce, reduce_window, map, sort, scatter,
//! select_and_scatter, scan; and rng, which draws from the session.

use strata_ir::SEMANTICS;

use crate::{
    compare_select::{Direction, compare_elements},
    convert::{convert, convert_element},
    element::{Element, ElementType, F32},
    elementwise::{BinaryFn, UnaryFn, binary_result, unary_result, undefined},
    error::{EvalError, Result},
    fold::{self, Order},
    gather_scatter,
    interpret::{
        Frame, Machine, Value,
        arguments::{self, one, several, tensor, tensors},
        noise, operations,
    },
    program::{Attr, Block, Operation, Slot, Type},
    reduce,
    rng::{self, Distribution},
    shape, sort,
    tensor::Tensor,
    window,
};

/// Evaluates one of the operations of this module; `None` for all others.
pub fn evaluate(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Option<Vec<Value>>> {
    match op.name.as_str() {
        "stablehlo.reduce" => {
            let (inputs, inits) = halves(operands)?;
            let mut body = Body::new(machine, op.region(0)?, frame)?;
            let dimensions = op.sizes("dimensions")?;
            let types = elements(op)?;
            folded(&mut body, inputs, inits, &types, |inputs, inits, types, order, call| {
                reduce::reduce(inputs, inits, &dimensions, types, order, call)
            })
        }
        "stablehlo.reduce_window" => {
            let (inputs, inits) = halves(operands)?;
            let mut body = Body::new(machine, op.region(0)?, frame)?;
            let window = arguments::window(op, inputs.first().map_or(0, Tensor::rank))?;
            let types = elements(op)?;
            folded(&mut body, inputs, inits, &types, |inputs, inits, types, order, call| {
                window::reduce_window(inputs, inits, &window, types, order, call)
            })
        }
        "stablehlo.map" => {
            let mut body = Body::new(machine, op.region(0)?, frame)?;
            let call = &mut |arguments: &[Element]| body.call(arguments);
            one(reduce::map(&tensors(operands)?, op.result_type()?.element()?, call)?)
        }
        "stablehlo.sort" => sorted(machine, op, operands, frame),
        "stablehlo.scatter" => scattered(machine, op, operands, frame),
        "stablehlo.select_and_scatter" => {
            let operand = tensor(operands, 0)?;
            let window = arguments::window(op, operand.rank())?;
            let mut other = frame.clone();
            let mut select = Body::new(machine, op.region(0)?, frame)?;
            let mut scatter = Body::new(machine, op.region(1)?, &mut other)?;
            one(window::select_and_scatter(
                operand,
                tensor(operands, 1)?,
                tensor(operands, 2)?,
                &window,
                op.result_type()?.element()?,
                &mut |arguments| select.call(arguments),
                &mut |arguments| scatter.call(arguments),
            )?)
        }
        "chlo.scan" => scan(machine, op, operands, frame).map(Some),
        "stablehlo.rng" => {
            let distribution = op.word("rng_distribution").and_then(Distribution::parse);
            let distribution =
                distribution.ok_or_else(|| EvalError::invalid("the distribution is unknown"))?;
            let (a, b) = (tensor(operands, 0)?, tensor(operands, 1)?);
            let sizes = crate::dynamic::sizes(tensor(operands, 2)?)?;
            let drawn =
                machine.session.with_stream(|stream| rng::rng(a, b, &sizes, distribution, stream));
            one(drawn?)
        }
        _ => Ok(None),
    }
}

/// `stablehlo.dynamic_reduce_window`: `reduce_window` with the window as operands, and a function as its body.
pub fn dynamic_reduce_window(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
) -> Result<Option<Vec<Value>>> {
    let values = operands.len().checked_sub(arguments::WINDOW_OPERANDS);
    let values = values.ok_or_else(|| EvalError::invalid("the window is missing"))?;
    let (values, window) = operands.split_at(values);
    let window = arguments::window_of_operands(window)?;
    let Some(Attr::Array(names)) = op.attributes.get("called_computations") else {
        return Err(EvalError::invalid("the call names no function"));
    };
    let [Attr::Symbol(name)] = &names[..] else {
        return Err(EvalError::invalid("the call names no function, or several"));
    };
    let function = machine.function(name)?;
    let terms = window.dimensions.iter().fold(1_i64, |all, size| all.saturating_mul(*size));
    let terms = usize::try_from(terms).unwrap_or_default();
    let noisy =
        |stream: &mut rng::RngStream| noise::windowed(stream, &function.body, terms, values);
    let noisy = machine.session.with_noise(noisy);
    let (inputs, inits) = halves(noisy.as_deref().unwrap_or(values))?;
    let mut frame: Frame = vec![None; function.slots];
    let mut body = Body::new(machine, &function.body, &mut frame)?;
    let types = elements(op)?;
    folded(&mut body, inputs, inits, &types, |inputs, inits, types, order, call| {
        window::reduce_window(inputs, inits, &window, types, order, call)
    })
}

/// `stablehlo.sort`; with rounding noise, equal elements in any order.
fn sorted(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Option<Vec<Value>>> {
    let inputs = tensors(operands)?;
    let rank = inputs.first().map_or(0, Tensor::rank) as i64;
    let dimension = if op.attributes.contains_key("dimension") { op.int("dimension")? } else { -1 };
    let dimension = if dimension < 0 { dimension + rank } else { dimension };
    let dimension = usize::try_from(dimension)
        .map_err(|_| EvalError::invalid("the dimension is out of range"))?;
    let mut body = Body::new(machine, op.region(0)?, frame)?;
    let mut dice = |count: usize| {
        let random = |stream: &mut rng::RngStream| stream.next_u64() as usize % count;
        machine.session.with_noise(random).unwrap_or(0)
    };
    let is_noisy = machine.session.is_noisy();
    let mut dice: Option<&mut sort::Dice<'_>> = if is_noisy { Some(&mut dice) } else { None };
    let mut comparator = |arguments: &[Element]| body.call(arguments);
    several(sort::sort_open(&inputs, dimension, &mut comparator, &mut dice)?)
}

/// `stablehlo.scatter`.
fn scattered(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Option<Vec<Value>>> {
    let count = operands.len().saturating_sub(1) / 2;
    let inputs = tensors(&operands[..count])?;
    let updates = tensors(&operands[(count + 1).min(operands.len())..])?;
    let dimensions = arguments::scatter_dimensions(op)?;
    let semantics = op.string(SEMANTICS).ok().and_then(|name| name.parse().ok());
    let mut body = Body::new(machine, op.region(0)?, frame)?;
    several(gather_scatter::scatter(
        &inputs,
        tensor(operands, count)?,
        &updates,
        &dimensions,
        semantics.unwrap_or_default(),
        &elements(op)?,
        &mut |arguments| body.call(arguments),
    )?)
}

/// Folds with `body`; sums and products of floats of less than 32 bits in `f32`, rounded once.
fn folded(
    body: &mut Body<'_, '_>,
    inputs: Vec<Tensor>,
    inits: Vec<Tensor>,
    types: &[ElementType],
    run: impl FnOnce(
        &[Tensor],
        &[Tensor],
        &[ElementType],
        Order,
        &mut reduce::Body<'_>,
    ) -> Result<Vec<Tensor>>,
) -> Result<Option<Vec<Value>>> {
    let is_free = body.adds_floats() && !fold::is_in_order();
    let order = if is_free { Order::Blocks } else { Order::Given };
    if !body.widen() {
        let call = &mut |arguments: &[Element]| body.call(arguments);
        return several(run(&inputs, &inits, types, order, call)?);
    }
    let wide = |all: Vec<Tensor>| all.iter().map(|one| convert(one, F32)).collect::<Vec<_>>();
    let wide_types = vec![F32; types.len()];
    let call = &mut |arguments: &[Element]| body.call(arguments);
    let results = run(&wide(inputs), &wide(inits), &wide_types, order, call)?;
    let narrow = results.iter().zip(types).map(|(result, ty)| convert(result, *ty));
    several(narrow.collect::<Vec<_>>())
}

/// The element types of the results.
fn elements(op: &Operation) -> Result<Vec<ElementType>> {
    op.types.iter().map(Type::element).collect()
}

/// Inputs and their initial values.
fn halves(operands: &[Value]) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let all = tensors(operands)?;
    let (inputs, inits) = all.split_at(all.len() / 2);
    Ok((inputs.to_vec(), inits.to_vec()))
}

/// Slices along a dimension, one after the other, folded by the region; its results are the outputs'
/// slices and the carries.
fn scan(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Vec<Value>> {
    let segments = |name: &str| op.optional_ints(name);
    let inputs_count = match segments("operandSegmentSizes")?.as_deref() {
        Some([inputs, _]) => usize::try_from(*inputs).unwrap_or(0),
        _ => operands.len() / 2,
    };
    let outputs_count = match segments("resultSegmentSizes")?.as_deref() {
        Some([outputs, _]) => usize::try_from(*outputs).unwrap_or(0),
        _ => op.results.len() / 2,
    };
    if inputs_count > operands.len() || outputs_count > op.types.len() {
        return Err(EvalError::invalid("the segment sizes do not fit the operands"));
    }
    let inputs = tensors(&operands[..inputs_count])?;
    let mut carries = operands[inputs_count..].to_vec();
    let dimension = op.size("dimension")?;
    let size = match inputs.first().map(|input| input.shape().get(dimension)) {
        Some(Some(size)) => *size,
        Some(None) => return Err(EvalError::invalid("the dimension is out of range")),
        None => op.size("scan_dim_size")?,
    };
    let body = op.region(0)?;
    let mut rows: Vec<Vec<Tensor>> = vec![Vec::new(); outputs_count];
    let steps: Vec<usize> =
        if op.flag("is_reverse") { (0..size).rev().collect() } else { (0..size).collect() };
    for step in steps {
        let mut arguments = Vec::with_capacity(operands.len());
        for input in &inputs {
            let (mut start, mut limit) = (vec![0; input.rank()], input.shape().to_vec());
            (start[dimension], limit[dimension]) = (step, step + 1);
            let row = shape::slice(input, &start, &limit, &vec![1; input.rank()])?;
            limit.remove(dimension);
            arguments.push(Value::Tensor(row.reshaped(&limit)?));
        }
        arguments.extend(carries);
        let mut results = machine.run(body, arguments, frame)?;
        if results.len() < outputs_count {
            return Err(EvalError::invalid("the body returns too few values"));
        }
        carries = results.split_off(outputs_count);
        for (rows, row) in rows.iter_mut().zip(results) {
            let row = row.tensor()?;
            let mut shape = row.shape().to_vec();
            if dimension > shape.len() {
                return Err(EvalError::invalid("the dimension is out of range"));
            }
            shape.insert(dimension, 1);
            rows.push(row.reshaped(&shape)?);
        }
    }
    let mut results = Vec::with_capacity(op.results.len());
    for (mut rows, ty) in rows.into_iter().zip(&op.types) {
        if op.flag("is_reverse") {
            rows.reverse();
        }
        results.push(Value::Tensor(match rows.is_empty() {
            true => Tensor::zeros(&ty.static_shape()?, ty.element()?),
            false => shape::concatenate(&rows, dimension)?,
        }));
    }
    results.extend(carries);
    Ok(results)
}

/// A region on scalars. Where its operations are all pointwise it runs on elements, without a tensor for
/// each value; any other region runs in the frame.
enum Body<'a, 'p> {
    Elements(ElementBody),
    Frame { machine: &'a Machine<'p>, block: &'a Block, frame: &'a mut Frame },
}

impl<'a, 'p> Body<'a, 'p> {
    fn new(machine: &'a Machine<'p>, block: &'a Block, frame: &'a mut Frame) -> Result<Self> {
        Ok(match ElementBody::new(block, frame) {
            Some(body) => Body::Elements(body),
            None => Body::Frame { machine, block, frame },
        })
    }

    /// Whether each result is the sum of an argument and its counterpart, of floats.
    fn adds_floats(&self) -> bool {
        matches!(self, Body::Elements(body) if body.adds_floats())
    }

    /// Computes in `f32` from here on, if this is a sum or product of narrower floats.
    fn widen(&mut self) -> bool {
        match self {
            Body::Elements(body) => body.widen(),
            Body::Frame { .. } => false,
        }
    }

    fn call(&mut self, arguments: &[Element]) -> Result<Vec<Element>> {
        match self {
            Body::Elements(body) => body.call(arguments),
            Body::Frame { machine, block, frame } => {
                let arguments = arguments
                    .iter()
                    .zip(&block.types)
                    .map(|(element, ty)| {
                        let element_type = ty.element()?;
                        let element = convert_element(*element, element_type);
                        Ok(Value::Tensor(Tensor::scalar(element_type, element)))
                    })
                    .collect::<Result<Vec<_>>>()?;
                let results = machine.run(block, arguments, frame)?;
                results.iter().map(|result| result.tensor()?.single()).collect()
            }
        }
    }
}

/// One pointwise operation on numbered elements.
enum Step {
    Unary {
        name: String,
        function: UnaryFn,
        from: usize,
        ty: ElementType,
        result: ElementType,
    },
    Binary {
        name: String,
        function: BinaryFn,
        from: [usize; 2],
        ty: ElementType,
        result: ElementType,
    },
    Compare {
        from: [usize; 2],
        direction: Direction,
        total_order: bool,
    },
    Select {
        from: [usize; 3],
    },
    Convert {
        from: usize,
        to: ElementType,
    },
}

/// A region of pointwise operations on scalars: constants and captured values first, then the arguments,
/// then the result of each step.
struct ElementBody {
    values: Vec<Element>,
    arguments: Vec<ElementType>,
    first_argument: usize,
    steps: Vec<Step>,
    returned: Vec<usize>,
}

impl ElementBody {
    /// `None` if the region is not of this kind.
    fn new(block: &Block, frame: &Frame) -> Option<Self> {
        let plain = |ty: &Type| match ty {
            Type::Tensor { shape, element, quantization: None, .. } if shape.is_empty() => {
                Some(*element)
            }
            _ => None,
        };
        // Captured values and constants get the first numbers.
        let mut slots: Vec<(Slot, usize, ElementType)> = Vec::new();
        let mut values = Vec::new();
        let inside = |slot: Slot| {
            block.arguments.contains(&slot)
                || block.operations.iter().any(|op| op.results.contains(&slot))
        };
        let used = block.operations.iter().flat_map(|op| &op.operands).chain(&block.returned);
        for slot in used {
            if inside(*slot) || slots.iter().any(|(known, ..)| known == slot) {
                continue;
            }
            match frame.get(*slot)?.as_ref()? {
                Value::Tensor(tensor) if tensor.rank() == 0 && tensor.quantization().is_none() => {
                    slots.push((*slot, values.len(), tensor.element_type()));
                    values.push(tensor.get(0));
                }
                _ => return None,
            }
        }
        for op in &block.operations {
            if op.name == "stablehlo.constant" {
                let Ok(Attr::Dense(tensor)) = op.attr("value") else { return None };
                let ty = plain(op.types.first()?)?;
                slots.push((*op.results.first()?, values.len(), ty));
                values.push(tensor.single().ok()?);
            }
        }
        let first_argument = values.len();
        let mut arguments = Vec::with_capacity(block.arguments.len());
        for (slot, ty) in block.arguments.iter().zip(&block.types) {
            let ty = plain(ty)?;
            slots.push((*slot, first_argument + arguments.len(), ty));
            arguments.push(ty);
        }
        let mut steps = Vec::new();
        for op in &block.operations {
            if op.name == "stablehlo.constant" {
                continue;
            }
            let operands = op
                .operands
                .iter()
                .map(|slot| {
                    slots.iter().find(|(known, ..)| known == slot).map(|(_, at, ty)| (*at, *ty))
                })
                .collect::<Option<Vec<_>>>()?;
            let result = plain(op.types.first()?)?;
            steps.push(Self::step(op, &operands, result)?);
            let at = first_argument + arguments.len() + steps.len() - 1;
            slots.push((*op.results.first()?, at, result));
        }
        let returned = block
            .returned
            .iter()
            .map(|slot| slots.iter().find(|(known, ..)| known == slot).map(|(_, at, _)| *at))
            .collect::<Option<Vec<_>>>()?;
        Some(Self { values, arguments, first_argument, steps, returned })
    }

    fn adds_floats(&self) -> bool {
        let half = self.arguments.len() / 2;
        let first_step = self.first_argument + self.arguments.len();
        let is_sum = |(index, at): (usize, &usize)| {
            let pair = [self.first_argument + index, self.first_argument + half + index];
            let step = at.checked_sub(first_step).and_then(|step| self.steps.get(step));
            matches!(step, Some(Step::Binary { name, from, ty, .. })
                if name == "add"
                    && (ty.is_float() || ty.is_complex())
                    && (*from == pair || *from == [pair[1], pair[0]]))
        };
        self.returned.len() == half && self.returned.iter().enumerate().all(is_sum)
    }

    fn widen(&mut self) -> bool {
        let is_narrow = |ty: &ElementType| matches!(ty, ElementType::Float(_)) && ty.bits() < 32;
        let is_fold = |step: &Step| matches!(step, Step::Binary { name, .. } if matches!(name.as_str(), "add" | "multiply"));
        let is_sum = self.values.is_empty()
            && self.arguments.iter().all(is_narrow)
            && self.steps.iter().all(is_fold);
        if is_sum {
            self.arguments.fill(F32);
            for step in &mut self.steps {
                if let Step::Binary { ty, result, .. } = step {
                    (*ty, *result) = (F32, F32);
                }
            }
        }
        is_sum
    }

    fn step(
        op: &Operation,
        operands: &[(usize, ElementType)],
        result: ElementType,
    ) -> Option<Step> {
        let name = op.mnemonic();
        match operands {
            [(from, ty)] => {
                if let Some(function) = operations::unary(op) {
                    let fits = unary_result(name, *ty) == result;
                    let name = name.to_owned();
                    return fits.then_some(Step::Unary {
                        name,
                        function,
                        from: *from,
                        ty: *ty,
                        result,
                    });
                }
                (op.name == "stablehlo.convert")
                    .then_some(Step::Convert { from: *from, to: result })
            }
            [(a, ty), (b, other)] if ty == other => {
                if op.name == "stablehlo.compare" {
                    let (direction, total_order) = operations::comparison(op).ok()?;
                    return Some(Step::Compare { from: [*a, *b], direction, total_order });
                }
                let function = operations::binary(op)?;
                let fits = binary_result(name, *ty) == result && !name.starts_with("broadcast_");
                let name = name.to_owned();
                fits.then_some(Step::Binary { name, function, from: [*a, *b], ty: *ty, result })
            }
            [(pred, ElementType::Bool), (a, ty), (b, other)]
                if op.name == "stablehlo.select" && ty == other =>
            {
                Some(Step::Select { from: [*pred, *a, *b] })
            }
            _ => None,
        }
    }

    fn call(&mut self, arguments: &[Element]) -> Result<Vec<Element>> {
        if arguments.len() != self.arguments.len() {
            return Err(EvalError::invalid(format!(
                "a region of {} arguments got {}",
                self.arguments.len(),
                arguments.len()
            )));
        }
        let values = &mut self.values;
        values.truncate(self.first_argument);
        values.extend(
            arguments
                .iter()
                .zip(&self.arguments)
                .map(|(element, ty)| convert_element(*element, *ty)),
        );
        for step in &self.steps {
            let value = match step {
                Step::Unary { name, function, from, ty, result } => {
                    let value = function(values[*from], *ty).ok_or_else(|| undefined(name, *ty))?;
                    result.normalize(value)
                }
                Step::Binary { name, function, from: [a, b], ty, result } => {
                    let value = function(values[*a], values[*b], *ty);
                    result.normalize(value.ok_or_else(|| undefined(name, *ty))?)
                }
                Step::Compare { from: [a, b], direction, total_order } => {
                    let holds = compare_elements(values[*a], values[*b], *direction, *total_order);
                    Element::Bool(holds.ok_or_else(|| EvalError::invalid("unlike operands"))?)
                }
                Step::Select { from: [pred, a, b] } => match values[*pred] {
                    Element::Bool(true) => values[*a],
                    _ => values[*b],
                },
                Step::Convert { from, to } => convert_element(values[*from], *to),
            };
            values.push(value);
        }
        Ok(self.returned.iter().map(|at| values[*at]).collect())
    }
}
