//! Data from and to the host, and between programs.

use strata_ir as ir;
use strata_ir::{OpName, stablehlo};

use crate::{
    Builder,
    error::{Result, Site},
    graph::Results,
    op::Op,
    shape::Shape,
};

use super::collective::{ChannelHandle, channel_attribute};

impl Builder {
    /// Reads data of a shape from the host. All transfers without an explicit token happen in the order in which they are
    /// built.
    ///
    /// # Errors
    /// For nested tuples and invalid arrays.
    #[track_caller]
    pub fn infeed(&self, shape: &Shape, config: &str) -> Result<Op> {
        let site = Site::new("Infeed");
        let token = self.order(site)?;
        let both = self.read(site, &token, shape, config)?;
        self.step(both.get_tuple_element(1)?);
        both.get_tuple_element(0)
    }

    /// As [`Builder::infeed`], ordered after `token`: a tuple of the data and the next token.
    ///
    /// # Errors
    /// As [`Builder::infeed`], and for a value that is not a token.
    #[track_caller]
    pub fn infeed_with_token(&self, token: &Op, shape: &Shape, config: &str) -> Result<Op> {
        self.read(Site::new("InfeedWithToken"), token, shape, config)
    }

    fn read(&self, site: Site, token: &Op, shape: &Shape, config: &str) -> Result<Op> {
        let config = ir::string(self.graph.context(), config);
        self.received(site, stablehlo::INFEED, token, shape, &[("infeed_config", config)])
    }

    /// Builds `name` after `token`: a tuple of the data and the next token.
    fn received(
        &self,
        site: Site,
        name: OpName<'static>,
        token: &Op,
        shape: &Shape,
        attributes: &[(&'static str, ir::Attribute<'static>)],
    ) -> Result<Op> {
        let graph = &self.graph;
        let flat = |shape: &Shape| shape.as_array().is_some();
        let fits = match shape {
            Shape::Tuple(elements) => elements.iter().all(flat),
            other => flat(other),
        };
        if !fits {
            return Err(
                site.error(format!("an array or a tuple of arrays is expected, found {shape}"))
            );
        }
        let value = graph.value(site, token)?;
        let mut types = graph.types_of(site, shape)?;
        types.push(value.ty());
        let made = graph
            .emit(site, name, Results::Given(types), |op| op.operand(value).attrs(attributes))?;
        let mut values = made.results().into_iter();
        let data = graph.gathered(shape, &mut values);
        match (data, values.next()) {
            (Some(data), Some(token)) => Ok(graph.tuple(vec![data, graph.op(token)])),
            _ => Err(site.error("the operation has no token")),
        }
    }

    /// Data of a shape that the program with the other end of the channel sends.
    ///
    /// # Errors
    /// As [`Builder::infeed`], and for a channel that is not one between devices.
    #[track_caller]
    pub fn recv(&self, shape: &Shape, handle: ChannelHandle) -> Result<Op> {
        let site = Site::new("Recv");
        let token = self.order(site)?;
        let both = self.taken(site, &token, shape, handle, false)?;
        self.step(both.get_tuple_element(1)?);
        both.get_tuple_element(0)
    }

    /// As [`Builder::recv`], ordered after `token`: a tuple of the data and the next token, which
    /// [`Op::recv_done`] waits for.
    ///
    /// # Errors
    /// As [`Builder::recv`], and for a value that is not a token.
    #[track_caller]
    pub fn recv_with_token(&self, token: &Op, shape: &Shape, handle: ChannelHandle) -> Result<Op> {
        self.taken(Site::new("RecvWithToken"), token, shape, handle, false)
    }

    /// As [`Builder::recv_with_token`], from the host.
    ///
    /// # Errors
    /// As [`Builder::recv_with_token`].
    #[track_caller]
    pub fn recv_from_host(&self, token: &Op, shape: &Shape, handle: ChannelHandle) -> Result<Op> {
        self.taken(Site::new("RecvFromHost"), token, shape, handle, true)
    }

    fn taken(
        &self,
        site: Site,
        token: &Op,
        shape: &Shape,
        handle: ChannelHandle,
        host: bool,
    ) -> Result<Op> {
        let attributes = self.transfer(site, handle, host)?;
        self.received(site, stablehlo::RECV, token, shape, &attributes)
    }

    fn transfer(
        &self,
        site: Site,
        handle: ChannelHandle,
        host: bool,
    ) -> Result<Vec<(&'static str, ir::Attribute<'static>)>> {
        let context = self.graph.context();
        let mut all = vec![("is_host_transfer", ir::boolean(context, host))];
        all.extend(
            channel_attribute(site, context, Some(handle))?.map(|one| ("channel_handle", one)),
        );
        Ok(all)
    }

    /// The token of the last transfer without an explicit one.
    fn order(&self, site: Site) -> Result<Op> {
        let known = self.graph.state.borrow().order;
        match known {
            Some(token) => Ok(self.graph.op(token)),
            None => self.graph.emit_op(site, stablehlo::AFTER_ALL, Results::Inferred, |op| op),
        }
    }

    fn step(&self, token: Op) {
        if let crate::op::Node::Value(token) = token.node {
            self.graph.state.borrow_mut().order = Some(token);
        }
    }
}

impl Op {
    /// The data, an array or a tuple of arrays, written to the host. Its shape is that of the operand.
    ///
    /// # Errors
    /// For a shape that is not the operand's.
    #[track_caller]
    pub fn outfeed(&self, shape_with_layout: &Shape, outfeed_config: &str) -> Result<()> {
        let site = Site::new("Outfeed");
        let builder = self.builder();
        let token = builder.order(site)?;
        let next = self.fed(site, &token, shape_with_layout, outfeed_config)?;
        builder.step(next);
        Ok(())
    }

    /// As [`Op::outfeed`], ordered after `token`: the next token.
    ///
    /// # Errors
    /// As [`Op::outfeed`], and for a value that is not a token.
    #[track_caller]
    pub fn outfeed_with_token(
        &self,
        token: &Op,
        shape_with_layout: &Shape,
        outfeed_config: &str,
    ) -> Result<Op> {
        self.fed(Site::new("OutfeedWithToken"), token, shape_with_layout, outfeed_config)
    }

    fn fed(&self, site: Site, token: &Op, shape: &Shape, config: &str) -> Result<Op> {
        let graph = &self.graph;
        let own = self.shape_at(site)?;
        if own != *shape {
            return Err(site.error(format!("the shape is the operand's, {own}, found {shape}")));
        }
        let values = graph.leaves(site, self)?;
        let token = graph.value(site, token)?;
        let config = ir::string(graph.context(), config);
        graph.emit_op(site, stablehlo::OUTFEED, Results::Inferred, |op| {
            op.operands(&values).operand(token).attr("outfeed_config", config)
        })
    }

    /// The data sent to the program with the other end of the channel.
    ///
    /// # Errors
    /// For a channel that is not one between devices.
    #[track_caller]
    pub fn send(&self, handle: ChannelHandle) -> Result<()> {
        let site = Site::new("Send");
        let builder = self.builder();
        let token = builder.order(site)?;
        let next = self.sent(site, &token, handle, false)?;
        builder.step(next);
        Ok(())
    }

    /// As [`Op::send`], ordered after `token`: the next token, which [`Op::send_done`] waits for.
    ///
    /// # Errors
    /// As [`Op::send`], and for a value that is not a token.
    #[track_caller]
    pub fn send_with_token(&self, token: &Op, handle: ChannelHandle) -> Result<Op> {
        self.sent(Site::new("SendWithToken"), token, handle, false)
    }

    /// As [`Op::send_with_token`], to the host.
    ///
    /// # Errors
    /// As [`Op::send_with_token`].
    #[track_caller]
    pub fn send_to_host(&self, token: &Op, handle: ChannelHandle) -> Result<Op> {
        self.sent(Site::new("SendToHost"), token, handle, true)
    }

    fn sent(&self, site: Site, token: &Op, handle: ChannelHandle, host: bool) -> Result<Op> {
        let graph = &self.graph;
        let values = graph.leaves(site, self)?;
        let token = graph.value(site, token)?;
        let attributes = self.builder().transfer(site, handle, host)?;
        graph.emit_op(site, stablehlo::SEND, Results::Inferred, |op| {
            op.operands(&values).operand(token).attrs(&attributes)
        })
    }

    /// Waits for a transfer that [`Op::send_with_token`] began: a token that comes after it. StableHLO's `send` is both
    /// halves at once.
    ///
    /// # Errors
    /// For a value that is not a token.
    #[track_caller]
    pub fn send_done(&self) -> Result<Op> {
        let site = Site::new("SendDone");
        let value = self.graph.value(site, self)?;
        self.graph.emit_op(site, stablehlo::AFTER_ALL, Results::Inferred, |op| op.operand(value))
    }

    /// Waits for a transfer that [`Builder::recv_with_token`] began: its data and a token. StableHLO's `recv` is both
    /// halves at once.
    ///
    /// # Errors
    /// For a value that is not a tuple of data and a token.
    #[track_caller]
    pub fn recv_done(&self) -> Result<Op> {
        let site = Site::new("RecvDone");
        match self.shape_at(site)? {
            Shape::Tuple(parts) if matches!(parts[..], [_, Shape::Token]) => Ok(self.clone()),
            other => {
                Err(site.error(format!("the context of a recv is data and a token, found {other}")))
            }
        }
    }
}
