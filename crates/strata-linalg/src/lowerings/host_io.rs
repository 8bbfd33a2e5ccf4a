//! `infeed`, `outfeed`, and host `send` and `recv` to calls of the executor's callbacks.
//!
//! ```text
//! %token1 = stablehlo.outfeed %x, %token : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
//! ```
//! becomes
//! ```text
//! func.call @strata.call.0(%x) : (tensor<3xf32>) -> ()
//! ```
//! Calls keep their order, so tokens are dropped.

use strata_ir::{AttributeExt as _, ChannelHandle, Convention, Op, OpKind, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Lowerer, Lowering, Outcome};

use crate::{
    lowerings::{
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
                of_host.unwrap_or(false).or_decline("it exchanges data with another device")?;
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
