//! A program as plain, owned data, read from an MLIR module.
//!
//! Values of a function and of all regions in it are numbered; a frame has one slot for each.

mod attribute;
mod types;

use std::collections::{BTreeMap, HashMap};

use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{self as ir, AttributeExt as _, builtin, func, interpreter, sdy, stablehlo};

pub use attribute::{Attr, Fields, conv_dimensions};
pub use types::Type;

use crate::error::{EvalError, Result};

/// The number of a value in its function's frame.
pub type Slot = usize;

/// How deeply regions may be nested.
const DEEPEST: usize = 128;

/// All functions of a module.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The functions in order of appearance.
    pub functions: Vec<Function>,
    by_name: HashMap<String, usize>,
    /// The meshes of the module by name, as the text of their attribute.
    pub meshes: BTreeMap<String, String>,
    /// Whether numbers of `bf16` and `f16` may have more digits than their type.
    pub has_excess_precision: bool,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// The symbol name.
    pub name: String,
    /// Whether the symbol is public.
    pub public: bool,
    /// The body.
    pub body: Block,
    /// The number of slots of a frame.
    pub slots: usize,
}

impl Function {
    /// Whether a caller must give tensors.
    pub fn takes_arguments(&self) -> bool {
        !self.body.arguments.is_empty()
    }
}

/// The only block of a region.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The slots of the arguments.
    pub arguments: Vec<Slot>,
    /// The types of the arguments.
    pub types: Vec<Type>,
    /// The operations in order, without the terminator.
    pub operations: Vec<Operation>,
    /// The values that the terminator returns.
    pub returned: Vec<Slot>,
}

/// One operation.
#[derive(Clone, Debug, Default)]
pub struct Operation {
    /// The full name, such as `stablehlo.add`.
    pub name: String,
    /// The slots of the operands.
    pub operands: Vec<Slot>,
    /// The slots of the results.
    pub results: Vec<Slot>,
    /// The types of the results.
    pub types: Vec<Type>,
    /// The attributes by name.
    pub attributes: BTreeMap<String, Attr>,
    /// The regions.
    pub regions: Vec<Block>,
    /// Its source location.
    pub location: Option<Location>,
    /// The names of the operands in the text; kept for operations that print them.
    pub operand_names: Vec<String>,
}

impl Program {
    /// Reads all functions of a module. Modules nested in it count with their own functions.
    pub fn new(module: &ir::Module<'_>) -> std::result::Result<Self, Diagnostic> {
        let mut program = Program::default();
        program.add_symbols(ir::module_op(module))?;
        program.has_excess_precision = ir::allows_excess_precision(module);
        Ok(program)
    }

    fn add_symbols(&mut self, module: ir::Op<'_>) -> std::result::Result<(), Diagnostic> {
        let Some(body) = module.regions().first().and_then(|region| region.first_block()) else {
            return Ok(());
        };
        for op in body.ops() {
            match op.name() {
                builtin::MODULE => self.add_symbols(op)?,
                func::FUNC if has_body(op) => self.add_function(op)?,
                sdy::MESH => {
                    let name = op.attr("sym_name").and_then(|name| name.as_str()).unwrap_or("");
                    let mesh = op.attr("mesh").map(|mesh| mesh.to_string()).unwrap_or_default();
                    self.meshes.insert(name.to_owned(), mesh);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_function(&mut self, op: ir::Op<'_>) -> std::result::Result<(), Diagnostic> {
        let name = ir::function_name(op).to_owned();
        let mut reader = Reader { slots: HashMap::new() };
        let body = reader.block(op, 0, 0)?;
        let visibility = op.attr("sym_visibility").and_then(|value| value.as_str());
        self.by_name.insert(name.clone(), self.functions.len());
        self.functions.push(Function {
            name,
            public: visibility.unwrap_or("public") == "public",
            body,
            slots: reader.slots.len(),
        });
        Ok(())
    }

    /// The function with that name.
    pub fn function(&self, name: &str) -> Result<&Function> {
        self.by_name
            .get(name)
            .and_then(|at| self.functions.get(*at))
            .ok_or_else(|| EvalError::invalid(format!("there is no function @{name} with a body")))
    }
}

fn has_body(function: ir::Op<'_>) -> bool {
    function.regions().first().and_then(|region| region.first_block()).is_some()
}

/// Numbers the values of one function.
struct Reader<'c> {
    slots: HashMap<ir::Value<'c>, Slot>,
}

impl<'c> Reader<'c> {
    fn define(&mut self, value: ir::Value<'c>) -> Slot {
        let next = self.slots.len();
        *self.slots.entry(value).or_insert(next)
    }

    /// The values are defined before they are used: MLIR has checked dominance.
    fn used(&mut self, values: Vec<ir::Value<'c>>) -> Vec<Slot> {
        values.into_iter().map(|value| self.define(value)).collect()
    }

    fn block(
        &mut self,
        op: ir::Op<'c>,
        region: usize,
        depth: usize,
    ) -> std::result::Result<Block, Diagnostic> {
        let refuse = |reason: &str| Err(ir::diagnostic_at(codes::S1911, op).reason(reason));
        if depth > DEEPEST {
            return refuse("the regions are nested too deeply to be evaluated");
        }
        let blocks = op.region(region).blocks();
        let block = match blocks.as_slice() {
            [] => return Ok(Block::default()),
            [block] => *block,
            _ => return refuse("a region of several blocks cannot be evaluated"),
        };
        let arguments = block.args();
        let mut read = Block {
            types: arguments.iter().map(|value| Type::new(value.ty())).collect(),
            arguments: self.used(arguments),
            ..Block::default()
        };
        for op in block.ops() {
            match op.name() {
                func::RETURN | stablehlo::RETURN | sdy::RETURN => {
                    read.returned = self.used(op.operands());
                }
                _ => read.operations.push(self.operation(op, depth)?),
            }
        }
        Ok(read)
    }

    fn operation(
        &mut self,
        op: ir::Op<'c>,
        depth: usize,
    ) -> std::result::Result<Operation, Diagnostic> {
        let operand_names = match op.name() {
            interpreter::PRINT => op.operands().into_iter().map(value_name).collect(),
            _ => Vec::new(),
        };
        Ok(Operation {
            name: op.name().into(),
            operands: self.used(op.operands()),
            results: self.used(op.results()),
            types: op.result_types().into_iter().map(Type::new).collect(),
            attributes: op
                .attrs()
                .into_iter()
                .map(|(name, value)| (name.to_owned(), Attr::new(value)))
                .collect(),
            regions: (0..op.region_count())
                .map(|region| self.block(op, region, depth + 1))
                .collect::<std::result::Result<_, _>>()?,
            location: ir::source_location(op.location()),
            operand_names,
        })
    }
}

/// `%name` of a value, as the text of its definition shows it.
fn value_name(value: ir::Value<'_>) -> String {
    let text = value.to_string();
    text.split_whitespace().next().unwrap_or("%").split(':').next().unwrap_or("%").to_owned()
}

impl Operation {
    /// The name without the dialect.
    pub fn mnemonic(&self) -> &str {
        self.name.split_once('.').map_or(&self.name, |(_, mnemonic)| mnemonic)
    }

    /// An attribute that must be there.
    pub fn attr(&self, name: &str) -> Result<&Attr> {
        self.attributes
            .get(name)
            .ok_or_else(|| EvalError::invalid(format!("the attribute {name} is missing")))
    }

    /// An integer attribute.
    pub fn int(&self, name: &str) -> Result<i64> {
        match self.attr(name)? {
            Attr::Int(value) => Ok(*value),
            Attr::Bool(value) => Ok(i64::from(*value)),
            _ => Err(EvalError::invalid(format!("the attribute {name} is not an integer"))),
        }
    }

    /// An integer attribute that is a dimension, size or count.
    pub fn size(&self, name: &str) -> Result<usize> {
        usize::try_from(self.int(name)?)
            .map_err(|_| EvalError::invalid(format!("the attribute {name} is negative")))
    }

    /// A list of integers; `None` where the attribute is absent.
    pub fn optional_ints(&self, name: &str) -> Result<Option<Vec<i64>>> {
        match self.attributes.get(name) {
            None => Ok(None),
            Some(Attr::Ints(values)) => Ok(Some(values.clone())),
            Some(Attr::Dense(tensor)) => tensor.to_i64s().map(Some),
            Some(Attr::Array(values)) => values
                .iter()
                .map(|value| match value {
                    Attr::Int(value) => Ok(*value),
                    _ => Err(EvalError::invalid(format!("{name} is not a list of integers"))),
                })
                .collect::<Result<Vec<_>>>()
                .map(Some),
            Some(_) => Err(EvalError::invalid(format!("{name} is not a list of integers"))),
        }
    }

    /// A list of integers.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>> {
        self.optional_ints(name)?
            .ok_or_else(|| EvalError::invalid(format!("the attribute {name} is missing")))
    }

    /// A list of dimensions or sizes.
    pub fn sizes(&self, name: &str) -> Result<Vec<usize>> {
        attribute::to_sizes(&self.ints(name)?)
    }

    /// Whether a boolean or unit attribute is there and true.
    pub fn flag(&self, name: &str) -> bool {
        match self.attributes.get(name) {
            Some(Attr::Bool(value)) => *value,
            Some(Attr::Int(value)) => *value != 0,
            Some(Attr::Unit) => true,
            _ => false,
        }
    }

    /// The text of a string attribute or symbol.
    pub fn string(&self, name: &str) -> Result<&str> {
        match self.attr(name)? {
            Attr::Str(text) | Attr::Symbol(text) => Ok(text),
            _ => Err(EvalError::invalid(format!("the attribute {name} is not a string"))),
        }
    }

    /// The last word of an enum attribute: `LT` of `#stablehlo<comparison_direction LT>`.
    pub fn word(&self, name: &str) -> Option<&str> {
        match self.attributes.get(name)? {
            Attr::Str(text) => Some(text),
            Attr::Text(text) => text.trim_end_matches('>').rsplit([' ', '<']).next(),
            _ => None,
        }
    }

    /// The fields of a structured attribute such as `#stablehlo.dot<...>`.
    pub fn fields(&self, name: &str) -> Result<attribute::Fields<'_>> {
        match self.attr(name)? {
            Attr::Text(text) => Ok(attribute::Fields::new(text)),
            _ => Err(EvalError::invalid(format!("the attribute {name} has no fields"))),
        }
    }

    /// The only result's type.
    pub fn result_type(&self) -> Result<&Type> {
        self.types.first().ok_or_else(|| EvalError::invalid("the operation has no result"))
    }

    /// A region, which must be there.
    pub fn region(&self, index: usize) -> Result<&Block> {
        self.regions
            .get(index)
            .ok_or_else(|| EvalError::invalid(format!("region {index} is missing")))
    }
}
