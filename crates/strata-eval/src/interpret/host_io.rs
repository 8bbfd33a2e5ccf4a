//! infeed, outfeed, send, recv; probes and printing.

use crate::{
    Tensor,
    element::ElementType,
    error::{EvalError, Result},
    interpret::{
        Machine, Value,
        arguments::{tensor, tensors},
        control_flow,
        session::Feed,
    },
    program::{Attr, Operation},
};

/// Evaluates one of the operations of this module; `None` for all others.
pub fn evaluate(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
) -> Result<Option<Vec<Value>>> {
    match op.name.as_str() {
        "stablehlo.infeed" => {
            let feed = match machine.session.next_feed() {
                None => {
                    let session = machine.session;
                    let found = session.receive_from_host(device(machine), None, &received(op)?);
                    found?.map(Feed::Tensors)
                }
                feed => feed,
            };
            let feed = feed.ok_or_else(|| EvalError::invalid("the infeed is empty"))?;
            let mut results = match feed {
                Feed::Tensors(tensors) => tensors.into_iter().map(Value::Tensor).collect(),
                Feed::Function(name) => control_flow::call(machine, &name, &[])?,
            };
            // A function that feeds may return the token itself.
            if results.len() < op.results.len() {
                results.push(Value::Token);
            }
            Ok(Some(results))
        }
        "stablehlo.outfeed" => {
            machine.session.outfeed(device(machine), payload(operands)?);
            Ok(Some(vec![Value::Token]))
        }
        "stablehlo.send" if is_of_host(machine, op) => {
            let channel = super::collective::channel(op)?;
            machine.session.send_to_host(device(machine), channel, payload(operands)?);
            Ok(Some(vec![Value::Token]))
        }
        "stablehlo.recv" if is_of_host(machine, op) => {
            let channel = super::collective::channel(op)?;
            let types = received(op)?;
            let found =
                machine.session.receive_from_host(device(machine), Some(channel), &types)?;
            let received = found.ok_or_else(|| {
                EvalError::invalid(format!("the host has nothing more for channel {channel}"))
            })?;
            let mut results: Vec<Value> = received.into_iter().map(Value::Tensor).collect();
            results.push(Value::Token);
            Ok(Some(results))
        }
        "stablehlo.send" => {
            let process = machine.process()?;
            let transfer = transfer(op)?;
            process.send(transfer.channel, &transfer.pairs, payload(operands)?);
            Ok(Some(vec![Value::Token]))
        }
        "stablehlo.recv" => {
            let process = machine.process()?;
            let transfer = transfer(op)?;
            let found =
                process.receive(transfer.channel, &transfer.pairs).map_err(EvalError::stuck)?;
            // As a permute that leaves the device out.
            let received = match found {
                Some(sent) => sent,
                None => zeros(op)?,
            };
            let mut results: Vec<Value> = received.into_iter().map(Value::Tensor).collect();
            results.push(Value::Token);
            Ok(Some(results))
        }
        "interpreter.probe" => {
            let probed = tensor(operands, 0)?;
            machine.session.probe(op.string("probe_id")?, probed.clone());
            Ok(Some(operands.to_vec()))
        }
        "interpreter.print" => {
            let name = op.operand_names.first().map_or("%", String::as_str);
            machine.session.print(&format!("{name} = {}", tensor(operands, 0)?));
            Ok(Some(Vec::new()))
        }
        _ => Ok(None),
    }
}

/// Shapes and element types of the results that are tensors.
fn received(op: &Operation) -> Result<Vec<(Vec<usize>, ElementType)>> {
    let tensors = op.types.iter().filter(|ty| ty.element().is_ok());
    tensors.map(|ty| Ok((ty.static_shape()?, ty.element()?))).collect()
}

/// What a device receives to which no pair leads.
fn zeros(op: &Operation) -> Result<Vec<Tensor>> {
    let types = received(op)?;
    if types.len() + 1 != op.types.len() {
        return Err(EvalError::invalid("no pair of devices leads to this one"));
    }
    Ok(types.into_iter().map(|(shape, element)| Tensor::zeros(&shape, element)).collect())
}

/// The number of the device; 0 of a program for one.
fn device(machine: &Machine<'_>) -> usize {
    machine.process.map_or(0, |process| process.id.0 * process.grid.partitions + process.id.1)
}

/// Whether the other end is the host. Concurrent processes without a host of their own emulate theirs: what one sends to its host on a
/// channel, another receives from its own.
fn is_of_host(machine: &Machine<'_>, op: &Operation) -> bool {
    (machine.process.is_none() || machine.session.has_host_of_each())
        && matches!(op.attributes.get("is_host_transfer"), Some(Attr::Bool(true)))
}

/// The tensors before the token.
fn payload(operands: &[Value]) -> Result<Vec<Tensor>> {
    tensors(&operands[..operands.len().saturating_sub(1)])
}

/// Which messages belong together.
struct Transfer {
    /// The channel.
    channel: i64,
    /// Pairs of sending and receiving processes; none for a transfer from or to the host.
    pairs: Vec<(i64, i64)>,
}

fn transfer(op: &Operation) -> Result<Transfer> {
    let flat = op.optional_ints("source_target_pairs")?.unwrap_or_default();
    Ok(Transfer {
        channel: super::collective::channel(op)?,
        pairs: flat.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
    })
}
