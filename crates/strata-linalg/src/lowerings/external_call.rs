//! External calls: a declaration for every call site, called with destinations.
//!
//! ```text
//! %y = stablehlo.custom_call @mine(%x) : (tensor<3xf32>) -> tensor<3xf32>
//! ```
//! becomes
//! ```text
//! %into = tensor.empty() : tensor<3xf32>
//! %y = func.call @strata.call.0(%x, %into) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
//! ```
//! Other layouts than row-major are obtained by transposing: the target gets the buffers that it
//! expects, with the program's shapes.

use strata_ir::{
    Attribute, Builder, CALL, Convention, ExternalCall, Op, TensorSpec, Type, TypeExt as _, Value,
    external_name, func, function, string, symbol, tensor, type_attr,
};
use strata_rewrite::{Guard as _, Lowerer, Outcome};

use crate::lowerings::shape::transpose;

/// One input or output of the call.
pub struct Argument<'c> {
    /// Its type in the program.
    pub ty: Type<'c>,
    /// The dimension of the program's type for each dimension of the buffer, outermost first.
    pub layout: Vec<usize>,
}

impl<'c> Argument<'c> {
    /// A dense row-major one.
    pub fn row_major(ty: Type<'c>) -> Self {
        Self { ty, layout: (0..ty.rank().unwrap_or(0)).collect() }
    }

    fn spec(&self) -> Outcome<TensorSpec> {
        TensorSpec::from_type(self.ty).or_decline("an argument is not a tensor of static shape")
    }

    /// The type of the buffer. Empty ones have a trivial shape, since they are never accessed.
    fn buffer(&self, lowerer: &Lowerer<'c>) -> Outcome<Type<'c>> {
        let ty = lowerer.convert(self.ty);
        let shape = ty.shape().or_decline("an argument has no shape")?;
        if shape.contains(&0) {
            return Ok(tensor(&[0], ty.element()));
        }
        let shape: Vec<_> = self.layout.iter().map(|dim| shape[*dim]).collect();
        Ok(tensor(&shape, ty.element()))
    }
}

/// The description of a call.
pub struct Foreign<'c> {
    /// The symbol or callback.
    pub target: String,
    /// Its calling convention.
    pub convention: Convention,
    /// The inputs.
    pub inputs: Vec<Argument<'c>>,
    /// The outputs.
    pub outputs: Vec<Argument<'c>>,
    /// For each output the input whose buffer it shares.
    pub aliases: Vec<Option<usize>>,
    /// Whether a single output is passed as an array of one buffer.
    pub tuple: bool,
    /// How the outputs lie in tuples of tuples, as [`ExternalCall::nesting`] has it.
    pub nesting: Vec<i64>,
    /// A string or dictionary for the target.
    pub config: Option<Attribute<'c>>,
    /// The channel of a transfer.
    pub channel: i64,
}

impl<'c> Foreign<'c> {
    /// Builds the call that stands for `op`, with `values` for the inputs; returns a value for each
    /// output.
    pub fn build(
        &self,
        op: Op<'c>,
        values: &[Value<'c>],
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let call = self.description()?;
        let description = call.to_attribute(builder.context);
        let description = description.or_decline("a type of an argument cannot be described")?;
        let buffers = self.outputs.iter().map(|output| output.buffer(lowerer));
        let results = buffers.collect::<Outcome<Vec<_>>>()?;

        let mut passed = Vec::new();
        for (input, value) in self.inputs.iter().zip(values) {
            passed.push(self.pass(&builder, input, *value, input.buffer(lowerer)?)?);
        }
        let destinations = self.aliases.iter().zip(&results).map(|(alias, ty)| match alias {
            Some(input) => passed[*input],
            None => builder.empty(&ty.shape().unwrap_or_default(), ty.element()),
        });
        let destinations: Vec<_> = destinations.collect();
        let own = passed.iter().enumerate().filter(|(index, _)| !call.is_aliased(*index));
        let operands: Vec<_> = own.map(|(_, value)| *value).chain(destinations).collect();
        let types: Vec<_> = operands.iter().map(|value| value.ty()).collect();

        let name = declare(&builder, module_around(op), [&types, &results], description)?;
        let made = builder
            .op(func::CALL)
            .operands(&operands)
            .attr("callee", symbol(builder.context, &name))
            .results(&results)
            .build();
        let outputs = self.outputs.iter().zip(made.results());
        outputs.map(|(output, value)| self.take(&builder, output, value, lowerer)).collect()
    }

    fn description(&self) -> Outcome<ExternalCall<'c>> {
        let specs = |arguments: &[Argument<'c>]| {
            arguments.iter().map(Argument::spec).collect::<Outcome<Vec<_>>>()
        };
        let shared: Vec<_> = self.aliases.iter().flatten().collect();
        let distinct = (1..shared.len()).all(|at| !shared[..at].contains(&shared[at]));
        distinct.or_decline("two results share the buffer of one operand")?;
        // The upper bits of such a result are unspecified, but for those that another device computed; of a boolean the lowest
        // bit is read.
        let whole = |output: &Argument<'_>| {
            self.convention == Convention::Collective
                || output.ty.element().bit_width().is_none_or(|bits| bits == 1 || bits >= 8)
        };
        self.outputs.iter().all(whole).or_decline("a result has elements of 2, 4 or 6 bits")?;
        for (output, alias) in self.outputs.iter().zip(&self.aliases) {
            let same = alias.is_none_or(|input| self.inputs[input].layout == output.layout);
            same.or_decline("a result shares a buffer with an operand of another layout")?;
        }
        Ok(ExternalCall {
            target: self.target.clone(),
            convention: self.convention,
            inputs: specs(&self.inputs)?,
            outputs: specs(&self.outputs)?,
            aliases: self.aliases.clone(),
            tuple: self.tuple,
            nesting: self.nesting.clone(),
            config: self.config,
            channel: self.channel,
        })
    }

    /// The value in the layout of its buffer.
    fn pass(
        &self,
        builder: &Builder<'c>,
        input: &Argument<'c>,
        value: Value<'c>,
        buffer: Type<'c>,
    ) -> Outcome<Value<'c>> {
        if buffer.element_count() == Some(0) {
            return Ok(builder.empty(&[0], buffer.element()));
        }
        if input.layout.is_sorted() {
            return Ok(value);
        }
        transpose(builder, value, &input.layout)
    }

    /// The contents of the buffer as a value of the program.
    fn take(
        &self,
        builder: &Builder<'c>,
        output: &Argument<'c>,
        value: Value<'c>,
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Value<'c>> {
        let ty = lowerer.convert(output.ty);
        if ty.element_count() == Some(0) {
            return Ok(builder.empty(&ty.shape().unwrap_or_default(), ty.element()));
        }
        if output.layout.is_sorted() {
            return Ok(value);
        }
        let back = |dim| output.layout.iter().position(|one| *one == dim);
        let back: Option<Vec<_>> = (0..output.layout.len()).map(back).collect();
        transpose(builder, value, &back.or_decline("a layout is not a permutation")?)
    }
}

/// The module around `op`.
pub(crate) fn module_around(op: Op<'_>) -> Op<'_> {
    let mut module = op;
    while let Some(parent) = module.parent() {
        module = parent;
    }
    module
}

/// Declares the called function at the end of the module.
fn declare<'c>(
    builder: &Builder<'c>,
    module: Op<'c>,
    [inputs, results]: [&[Type<'c>]; 2],
    description: Attribute<'c>,
) -> Outcome<String> {
    let name = external_name(module);
    let context = builder.context;
    Builder::at_end(context, module.body(0), builder.location)
        .op(func::FUNC)
        .attr("sym_name", string(context, &name))
        .attr("sym_visibility", string(context, "private"))
        .attr("function_type", type_attr(function(context, inputs, results)))
        .attr(CALL, description)
        .region(strata_ir::RegionBuilder::empty())
        .build();
    Ok(name)
}
