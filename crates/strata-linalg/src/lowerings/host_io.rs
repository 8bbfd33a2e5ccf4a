//! `infeed`, `outfeed`, `send` and `recv` to calls of the executor's callbacks.
//!
//! ```text
//! %token1 = stablehlo.outfeed %x, %token : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
//! ```
//! becomes
//! ```text
//! func.call @strata.call.0(%x) : (tensor<3xf32>) -> ()
//! ```
//! Calls keep their order, so tokens are dropped.

use strata_ir::{
    AttributeExt as _, ChannelHandle, Convention, Op, OpKind, TypeExt as _, Value, channel_of,
};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    lowerings::{
        collective::exchange,
        external_call::{Argument, Foreign},
        tuple_token::token,
    },
    numbers::narrow::call_types,
};

/// The lowering of transfers from and to the host.
pub struct HostTransfer;

impl Lowering for HostTransfer {
    fn name(&self) -> &'static str {
        "host-transfer"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::Infeed, OpKind::Outfeed, OpKind::Send, OpKind::Recv]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let (convention, config) = match op.kind() {
            OpKind::Infeed => (Convention::Infeed, op.attr("infeed_config")),
            OpKind::Outfeed => (Convention::Outfeed, op.attr("outfeed_config")),
            OpKind::Send => (Convention::Send, None),
            _ => (Convention::Recv, None),
        };
        let channel = match op.attr("channel_handle") {
            Some(handle) => {
                let of_host = op.attr("is_host_transfer").and_then(|it| it.as_bool());
                if !of_host.unwrap_or(false) {
                    return between_devices(op, operands, lowerer);
                }
                let handle = ChannelHandle::from_attribute(handle);
                handle.or_decline("attribute `channel_handle` cannot be read")?.handle
            }
            None => 0,
        };
        let is_tensor = |value: &Value<'c>| value.ty().is_tensor_type();
        let payload: Vec<_> =
            (0..op.operand_count()).filter(|at| is_tensor(&op.operand(*at))).collect();
        let values: Vec<_> = payload.iter().map(|at| operands[*at]).collect();
        let [operand_types, result_types] = call_types(op);
        let inputs = payload.iter().map(|at| Argument::row_major(operand_types[*at])).collect();
        // Buffers of the host are row-major, whatever layout an infeed has on a device.
        let received = result_types.into_iter().filter(|ty| ty.is_tensor_type());
        let outputs: Vec<_> = received.map(Argument::row_major).collect();
        let call = Foreign {
            target: convention.name().to_owned(),
            convention,
            inputs,
            aliases: vec![None; outputs.len()],
            outputs,
            tuple: false,
            nesting: Vec::new(),
            config,
            channel,
        };
        let mut results = call.build(op, &values, lowerer)?;
        results.push(token(&lowerer.builder()));
        Ok(results)
    }
}

/// A send or receive between devices: a call for each tensor, in order.
fn between_devices<'c>(
    op: Op<'c>,
    operands: &[Value<'c>],
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    let config = exchange(op)?.to_attribute(lowerer.context());
    let sends = op.kind() == OpKind::Send;
    let [operand_types, result_types] = call_types(op);
    let types = if sends { operand_types } else { result_types };
    let mut results = Vec::new();
    for (index, ty) in types.into_iter().enumerate().filter(|(_, ty)| ty.is_tensor_type()) {
        let argument = vec![Argument::row_major(ty)];
        let (inputs, outputs) = if sends { (argument, Vec::new()) } else { (Vec::new(), argument) };
        let call = Foreign {
            target: if sends { "send" } else { "recv" }.to_owned(),
            convention: Convention::Collective,
            aliases: vec![None; outputs.len()],
            inputs,
            outputs,
            tuple: false,
            nesting: Vec::new(),
            config,
            channel: channel_of(op),
        };
        let values = if sends { &operands[index..=index] } else { &[] };
        results.extend(call.build(op, values, lowerer)?);
    }
    results.push(token(&lowerer.builder()));
    Ok(results)
}
