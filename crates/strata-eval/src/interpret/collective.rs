//! Collectives: all_gather, all_reduce, all_to_all, collective_broadcast, collective_permute,
//! collective_reduce, reduce_scatter, cross-replica-sum, replica_id, partition_id, and run_parallel, which
//! starts the processes.
//!
//! A single program is a grid of one process.

use std::{cell::OnceCell, sync::Arc};

use strata_ir::FLATTENED;
use strata_processes::{Grid, Id, Stuck};

use crate::{
    element::{Element, ElementType, UI32},
    elementwise,
    error::{EvalError, Result},
    interpret::{
        Frame, Machine, Process, Processes, Session, Value,
        arguments::{several, tensors},
        groups::{Ids, process_groups},
    },
    program::{Attr, Block, Function, Operation, Program, Type},
    quantized::uniform_quantize,
    shape,
    tensor::Tensor,
};

/// Evaluates one of the operations of this module; `None` for all others.
pub fn evaluate(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Option<Vec<Value>>> {
    let name = op.name.as_str();
    match name {
        "interpreter.run_parallel" => return run_parallel(machine, op, operands).map(Some),
        "stablehlo.replica_id" | "stablehlo.partition_id" => {
            let (replica, partition) = machine.process.map_or((0, 0), |process| process.id);
            let id = if name == "stablehlo.replica_id" { replica } else { partition };
            return several([Tensor::scalar(UI32, Element::Unsigned(id as u64))]);
        }
        "stablehlo.all_gather"
        | "stablehlo.all_reduce"
        | "stablehlo.all_to_all"
        | "stablehlo.collective_broadcast"
        | "stablehlo.collective_permute"
        | "stablehlo.collective_reduce"
        | "stablehlo.reduce_scatter"
        | "stablehlo.cross-replica-sum" => {}
        _ => return Ok(None),
    }
    let alone = OnceCell::new();
    let process = process_of(machine, &alone);
    let mut operands = tensors(operands)?;
    let channel = channel(op)?;
    if name == "stablehlo.collective_permute" {
        return permute(process, op, channel, operands);
    }
    let roots = if op.flag("has_dynamic_root") { operands.pop() } else { None };
    let ids = Ids::of(op, channel);
    let groups = process_groups(machine, process, op.attr("replica_groups")?, ids)?;
    let Some(group) = groups.into_iter().find(|group| group.contains(&process.id)) else {
        // A process in no group takes no part; its results are zero.
        return several(operands.iter().map(zeros_like).collect::<Result<Vec<_>>>()?);
    };
    let brought = process.meet(&group, channel, operands).map_err(EvalError::stuck)?;
    let place = group.iter().position(|id| *id == process.id).unwrap_or(0);
    several(results(machine, op, &brought, (place, group.len()), roots.as_ref(), frame)?)
}

/// The process that executes an operation; `alone` becomes that of a program that no grid runs.
pub(super) fn process_of<'a>(
    machine: &'a Machine<'_>,
    alone: &'a OnceCell<Process>,
) -> &'a Process {
    machine
        .process
        .unwrap_or_else(|| alone.get_or_init(|| Process::new(Arc::new(Grid::new(1, 1)), (0, 0))))
}

/// The results of the member at `place` of a group of `members`, from what all of them brought.
fn results(
    machine: &Machine<'_>,
    op: &Operation,
    brought: &[Vec<Tensor>],
    (place, members): (usize, usize),
    roots: Option<&Tensor>,
    frame: &mut Frame,
) -> Result<Vec<Tensor>> {
    let count = brought.first().map_or(0, Vec::len);
    // The members' values for each operand.
    let columns: Vec<Vec<Tensor>> = (0..count)
        .map(|at| brought.iter().filter_map(|tensors| tensors.get(at).cloned()).collect())
        .collect();
    Ok(match op.name.as_str() {
        "stablehlo.all_gather" => {
            let dimension = op.size("all_gather_dim")?;
            columns
                .iter()
                .map(|column| shape::concatenate(column, dimension))
                .collect::<Result<_>>()?
        }
        "stablehlo.all_to_all" => {
            let (split, concat) = (op.size("split_dimension")?, op.size("concat_dimension")?);
            let parts = op.size("split_count")?;
            columns
                .iter()
                .map(|column| {
                    let mine = column.iter().map(|tensor| part_of(tensor, split, parts, place));
                    shape::concatenate(&mine.collect::<Result<Vec<_>>>()?, concat)
                })
                .collect::<Result<_>>()?
        }
        "stablehlo.collective_broadcast" => {
            let roots = root_positions(roots, count)?;
            columns
                .iter()
                .zip(roots)
                .map(|(column, root)| column.get(root).cloned())
                .collect::<Option<_>>()
                .ok_or_else(|| EvalError::invalid("a root is not in the group"))?
        }
        "stablehlo.collective_reduce" => {
            let roots = root_positions(roots, count)?;
            let sums = fold(machine, op, &columns, frame)?;
            sums.into_iter()
                .zip(roots)
                .map(|(sum, root)| {
                    if root == place { sum } else { Tensor::zeros(sum.shape(), sum.element_type()) }
                })
                .collect()
        }
        "stablehlo.reduce_scatter" => {
            let dimension = op.size("scatter_dimension")?;
            fold(machine, op, &columns, frame)?
                .iter()
                .map(|sum| part_of(sum, dimension, members, place))
                .collect::<Result<_>>()?
        }
        _ => fold(machine, op, &columns, frame)?,
    })
}

/// The channel; 0 if there is none.
pub(super) fn channel(op: &Operation) -> Result<i64> {
    match op.attributes.get("channel_handle") {
        None => Ok(0),
        Some(_) => op.fields("channel_handle")?.int("handle"),
    }
}

/// The position of the root in the group, per operand; by default the first.
fn root_positions(roots: Option<&Tensor>, count: usize) -> Result<Vec<usize>> {
    match roots {
        Some(roots) => crate::dynamic::sizes(roots),
        None => Ok(vec![0; count]),
    }
}

/// The tensors of each column combined element by element, in the order of the group. They are promoted to the type of the
/// results first.
fn fold(
    machine: &Machine<'_>,
    op: &Operation,
    columns: &[Vec<Tensor>],
    frame: &mut Frame,
) -> Result<Vec<Tensor>> {
    columns
        .iter()
        .zip(&op.types)
        .map(|(column, result)| {
            let Type::Tensor { element, .. } = result else {
                return Err(EvalError::invalid("a result is not a tensor"));
            };
            let mut tensors = column.iter().map(|tensor| match tensor.element_type() == *element {
                true => tensor.clone(),
                false => crate::convert::convert(tensor, *element),
            });
            let mut sum = tensors.next().ok_or_else(|| EvalError::invalid("no operand"))?;
            for tensor in tensors {
                sum = match op.regions.first() {
                    Some(body) => combine(machine, body, &sum, &tensor, frame)?,
                    None => elementwise::add(&sum, &tensor)?,
                };
            }
            Ok(sum)
        })
        .collect()
}

fn combine(
    machine: &Machine<'_>,
    body: &Block,
    lhs: &Tensor,
    rhs: &Tensor,
    frame: &mut Frame,
) -> Result<Tensor> {
    elementwise::same_shape(lhs, rhs)?;
    Tensor::try_from_fn(lhs.shape(), lhs.element_type(), |position| {
        let scalar = |tensor: &Tensor| {
            Value::Tensor(Tensor::scalar(tensor.element_type(), tensor.get(position)))
        };
        let results = machine.run(body, vec![scalar(lhs), scalar(rhs)], frame)?;
        let result =
            results.first().ok_or_else(|| EvalError::invalid("the body returns nothing"))?;
        Ok(crate::convert::convert_element(result.tensor()?.single()?, lhs.element_type()))
    })
}

/// One of `count` equal parts along a dimension.
pub(super) fn part_of(
    tensor: &Tensor,
    dimension: usize,
    count: usize,
    which: usize,
) -> Result<Tensor> {
    let size = tensor.shape().get(dimension).copied().unwrap_or(0);
    if count == 0 || size % count != 0 || which >= count || dimension >= tensor.rank() {
        return Err(EvalError::invalid(format!(
            "dimension {dimension} of {} cannot be split into {count} parts",
            tensor.type_text()
        )));
    }
    let (mut start, mut limit) = (vec![0; tensor.rank()], tensor.shape().to_vec());
    start[dimension] = which * (size / count);
    limit[dimension] = start[dimension] + size / count;
    shape::slice(tensor, &start, &limit, &vec![1; tensor.rank()])
}

/// What a device has that an exchange leaves out; a quantized zero is the zero point.
fn zeros_like(tensor: &Tensor) -> Result<Tensor> {
    match tensor.quantization() {
        None => Ok(Tensor::zeros(tensor.shape(), tensor.element_type())),
        Some(quantization) => {
            let expressed = ElementType::Float(quantization.expressed);
            uniform_quantize(&Tensor::zeros(tensor.shape(), expressed), quantization)
        }
    }
}

fn permute(
    process: &Process,
    op: &Operation,
    channel: i64,
    operands: Vec<Tensor>,
) -> Result<Option<Vec<Value>>> {
    let pairs = op.ints("source_target_pairs")?;
    let id = |number: i64| {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        match channel > 0 {
            _ if op.flag(FLATTENED) => {
                (number / process.grid.partitions, number % process.grid.partitions)
            }
            true => (process.id.0, number),
            false => (number, process.id.1),
        }
    };
    let pairs: Vec<(Id, Id)> =
        pairs.chunks_exact(2).map(|pair| (id(pair[0]), id(pair[1]))).collect();
    let mut results: Vec<Tensor> = operands.iter().map(zeros_like).collect::<Result<_>>()?;
    for (source, target) in pairs {
        if process.id != source && process.id != target {
            continue;
        }
        let members = if source == target { vec![source] } else { vec![source, target] };
        let brought =
            process.meet(&members, channel, operands.clone()).map_err(EvalError::stuck)?;
        if process.id == target {
            results = brought.into_iter().next().unwrap_or(results);
        }
    }
    several(results)
}

/// Runs the functions of a grid at once; inputs and results are those of all processes in row order.
fn run_parallel(machine: &Machine<'_>, op: &Operation, operands: &[Value]) -> Result<Vec<Value>> {
    let malformed = || EvalError::invalid("the programs are not a grid of functions");
    let Attr::Array(rows) = op.attr("programs")? else { return Err(malformed()) };
    let mut names: Vec<Vec<&str>> = Vec::new();
    for row in rows {
        let Attr::Array(row) = row else { return Err(malformed()) };
        let row = row.iter().map(|name| match name {
            Attr::Symbol(name) => Some(name.as_str()),
            _ => None,
        });
        names.push(row.collect::<Option<_>>().ok_or_else(malformed)?);
    }
    let (replicas, partitions) = (names.len(), names.first().map_or(0, Vec::len));
    if replicas * partitions == 0 || names.iter().any(|row| row.len() != partitions) {
        return Err(malformed());
    }
    if let Some(Attr::Array(feeds)) = op.attributes.get("infeed") {
        for feed in feeds {
            let Attr::Symbol(name) = feed else { return Err(malformed()) };
            machine.session.feed_function(name.clone());
        }
    }
    let mut jobs = Vec::new();
    let mut next = 0;
    for name in names.iter().flatten() {
        let function = machine.program.function(name)?;
        let end = next + function.body.arguments.len();
        let inputs = operands
            .get(next..end)
            .ok_or_else(|| EvalError::invalid("there are fewer inputs than the programs take"))?;
        next = end;
        jobs.push((function, inputs.to_vec()));
    }
    if let Some(run) = machine.session.processes() {
        return run_outside(run, op, &names, &jobs);
    }
    let results = run_grid(machine.program, machine.session, (replicas, partitions), jobs)?;
    Ok(results.into_iter().flatten().collect())
}

/// A parallel run by other means than the evaluator. They neither take nor give tokens.
fn run_outside(
    run: &Processes,
    op: &Operation,
    names: &[Vec<&str>],
    jobs: &[(&Function, Vec<Value>)],
) -> Result<Vec<Value>> {
    let given = |(_, inputs): &(&Function, Vec<Value>)| {
        let tensors = inputs.iter().filter(|value| **value != Value::Token);
        tensors.map(|value| value.tensor().cloned()).collect::<Result<Vec<_>>>()
    };
    let inputs = jobs.iter().map(given).collect::<Result<Vec<_>>>()?;
    let mut found = run(names, inputs)?.into_iter().flatten();
    let results = op.types.iter().map(|ty| match ty {
        Type::Token => Some(Value::Token),
        _ => found.next().map(Value::Tensor),
    });
    results.collect::<Option<_>>().ok_or_else(|| EvalError::invalid("there are fewer results"))
}

/// Runs a function with its inputs for each process of a grid, in row order; returns the results of each.
pub(crate) fn run_grid(
    program: &Program,
    session: &Session,
    (replicas, partitions): (usize, usize),
    jobs: Vec<(&Function, Vec<Value>)>,
) -> Result<Vec<Vec<Value>>> {
    let grid = Arc::new(Grid::new(replicas, partitions));
    let outcomes: Vec<Result<Vec<Value>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = jobs
            .into_iter()
            .enumerate()
            .map(|(number, (function, inputs))| {
                let process =
                    Process::new(grid.clone(), (number / partitions, number % partitions));
                scope.spawn(move || {
                    let machine = Machine::new(program, session, Some(&process));
                    process.run(|| machine.start(function, inputs))
                })
            })
            .collect();
        let panicked = || Err(EvalError::invalid("a process ended without a result"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())).collect()
    });
    // The first error that is not another's echo says what happened.
    let mut results = Vec::new();
    let mut first: Option<EvalError> = None;
    for outcome in outcomes {
        match outcome {
            Ok(values) => results.push(values),
            Err(error) => {
                let echo = |error: &EvalError| error.reason == Stuck::OtherFailed.to_string();
                if first.as_ref().is_none_or(|known| echo(known) && !echo(&error)) {
                    first = Some(error);
                }
            }
        }
    }
    match first {
        Some(error) => Err(error),
        None => Ok(results),
    }
}
