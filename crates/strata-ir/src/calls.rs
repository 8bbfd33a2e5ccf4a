//! External functions: the convention between stages 20 to 60.
//!
//! From stage 20 on, every call site has its own declaration `@strata.call.N`, whose attribute
//! `strata.call` describes the call. Stage 60 replaces it by a function that makes the call.
//!
//! ```mlir
//! func.func private @strata.call.0(tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
//!   attributes {strata.call = {target = "mine", convention = "original",
//!     inputs = [tensor<3xf32>], outputs = [tensor<3xf32>], aliases = array<i64: -1>}}
//! %y = call @strata.call.0(%x, %into) : …
//! ```
//! The operands are the inputs that share no buffer with an output, then a destination for each output.

use melior::{
    Context,
    ir::{Attribute, Module},
};
use strata_diag::{Diagnostic, codes};

use crate::{
    attrs::{AttributeExt as _, array, dictionary, i64s, int, string, type_attr, unit},
    diagnostics::diagnostic_at,
    handles::Op,
    module::module_op,
    parse_type,
    signature::TensorSpec,
    types::integer,
};

/// The attribute on the declaration of an external function.
pub const CALL: &str = "strata.call";

/// The attribute on a shape assertion that the object checks, since its condition depends on values.
pub const CONDITION: &str = "strata.condition";

/// The prefix of the declarations of external functions.
const PREFIX: &str = "strata.call.";

/// The calling convention of an external function. `docs/abi.md` describes each for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Convention {
    /// `void target(void *out, void **in)`.
    Original,
    /// `int32_t target(void *out, void **in)`.
    Status,
    /// `int32_t target(void *out, void **in, const char *config, size_t config_size)`.
    Unified,
    /// `int32_t target(const strata_call *call)`.
    Typed,
    /// The executor's `infeed`.
    Infeed,
    /// The executor's `outfeed`.
    Outfeed,
    /// The executor's `send`.
    Send,
    /// The executor's `recv`.
    Recv,
    /// The object's own: the program ends with `STRATA_WRONG_SIZES` where the boolean that is passed is false.
    Condition,
    /// A function of the executor's `collectives`, or the number of a replica or partition in it. The configuration is that
    /// of [`crate::Exchange`].
    Collective,
}

impl Convention {
    const NAMES: [(Self, &'static str); 10] = [
        (Self::Original, "original"),
        (Self::Status, "status"),
        (Self::Unified, "unified"),
        (Self::Typed, "typed"),
        (Self::Infeed, "infeed"),
        (Self::Outfeed, "outfeed"),
        (Self::Send, "send"),
        (Self::Recv, "recv"),
        (Self::Condition, "condition"),
        (Self::Collective, "collective"),
    ];

    /// Its name in the attribute.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(one, _)| *one == self).map_or("", |row| row.1)
    }

    /// The convention of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, one)| *one == name).map(|row| row.0)
    }

    /// Whether a callback of the executor's host is called, not a symbol.
    pub fn is_host_transfer(self) -> bool {
        matches!(self, Self::Infeed | Self::Outfeed | Self::Send | Self::Recv)
    }

    /// Whether something of the executor is called, not a symbol.
    pub fn is_of_executor(self) -> bool {
        self.is_host_transfer() || self == Self::Collective
    }

    /// Whether a function is called that is linked to the object.
    pub fn is_symbol(self) -> bool {
        !self.is_of_executor() && self != Self::Condition
    }
}

/// A call of an external function.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalCall<'c> {
    /// The symbol; the name of the executor's function for what is not a symbol.
    pub target: String,
    /// Its calling convention.
    pub convention: Convention,
    /// The inputs in order, as the program types them.
    pub inputs: Vec<TensorSpec>,
    /// The outputs in order, as the program types them.
    pub outputs: Vec<TensorSpec>,
    /// For each output the input whose buffer it shares.
    pub aliases: Vec<Option<usize>>,
    /// Whether a single output is passed as an array of one buffer.
    pub tuple: bool,
    /// The structure of nested output tuples: for the tuple and each value in it, outermost first, the
    /// number of its elements, -1 for an output. Empty for flat outputs.
    pub nesting: Vec<i64>,
    /// A string or a dictionary for the target.
    pub config: Option<Attribute<'c>>,
    /// The channel of a send or receive.
    pub channel: i64,
}

impl<'c> ExternalCall<'c> {
    /// Reads a declaration; `None` for other functions.
    ///
    /// # Errors
    /// `S9002` where the attribute is not as [`Self::to_attribute`] writes it.
    pub fn of(declaration: Op<'c>) -> Option<Result<Self, Diagnostic>> {
        let attribute = declaration.attr(CALL)?;
        Some(Self::read(attribute).ok_or_else(|| {
            diagnostic_at(codes::S9002, declaration)
                .reason(format!("the attribute `{CALL}` is not valid"))
        }))
    }

    fn read(attribute: Attribute<'c>) -> Option<Self> {
        let specs = |name: &str| {
            let types = attribute.entry(name)?.as_array()?;
            types
                .into_iter()
                .map(|ty| TensorSpec::from_type(ty.as_type()?))
                .collect::<Option<Vec<_>>>()
        };
        let call = Self {
            target: attribute.entry("target")?.as_str()?.to_owned(),
            convention: Convention::from_name(attribute.entry("convention")?.as_str()?)?,
            inputs: specs("inputs")?,
            outputs: specs("outputs")?,
            aliases: attribute
                .entry("aliases")?
                .as_i64s()?
                .into_iter()
                .map(|input| usize::try_from(input).ok())
                .collect(),
            tuple: attribute.entry("tuple").is_some(),
            nesting: attribute.entry("tuple").and_then(|it| it.as_i64s()).unwrap_or_default(),
            config: attribute.entry("config"),
            channel: attribute.entry("channel").and_then(|it| it.as_i64()).unwrap_or(0),
        };
        let known = |input: &Option<usize>| input.is_none_or(|input| input < call.inputs.len());
        let leaves = call.nesting.iter().filter(|count| **count < 0).count();
        let nests = call.nesting.is_empty() || leaves == call.outputs.len();
        let fits = call.aliases.len() == call.outputs.len() && call.aliases.iter().all(known);
        (fits && nests).then_some(call)
    }

    /// The attribute for the declaration; `None` for a type that MLIR does not parse.
    pub fn to_attribute(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let types = |specs: &[TensorSpec]| {
            let types = specs.iter().map(|spec| parse_type(context, &spec.to_string()));
            let types = types.map(|ty| ty.map(type_attr)).collect::<Option<Vec<_>>>()?;
            Some(array(context, &types))
        };
        let aliases: Vec<_> =
            self.aliases.iter().map(|input| input.map_or(-1, |input| input as i64)).collect();
        let mut entries = vec![
            ("target", string(context, &self.target)),
            ("convention", string(context, self.convention.name())),
            ("inputs", types(&self.inputs)?),
            ("outputs", types(&self.outputs)?),
            ("aliases", i64s(context, &aliases)),
        ];
        if !self.nesting.is_empty() {
            entries.push(("tuple", i64s(context, &self.nesting)));
        } else if self.tuple {
            entries.push(("tuple", unit(context)));
        }
        if let Some(config) = self.config {
            entries.push(("config", config));
        }
        if self.channel != 0 {
            entries.push(("channel", int(integer(context, 64), self.channel)));
        }
        dictionary(context, &entries)
    }

    /// Whether input `index` is passed through the buffer of an output.
    pub fn is_aliased(&self, index: usize) -> bool {
        self.aliases.contains(&Some(index))
    }
}

/// An unused name for the declaration of an external function in `module`.
pub fn external_name(module: Op<'_>) -> String {
    let taken = module.body(0).ops().iter().filter(|op| op.has_attr(CALL)).count();
    format!("{PREFIX}{taken}")
}

/// All external calls that a module of stage 20 to 60 declares, in order.
///
/// # Errors
/// `S9002` for a declaration without a valid description.
pub fn external_calls<'c>(module: &Module<'c>) -> Result<Vec<ExternalCall<'c>>, Diagnostic> {
    module_op(module).body(0).ops().into_iter().filter_map(ExternalCall::of).collect()
}
