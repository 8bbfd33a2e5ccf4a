//! What is known of an entry whose sizes are given at each call, as an attribute of its function.
//!
//! ```mlir
//! func.func @main(%x: tensor<?x?x64xf32>, %w: tensor<64xf32>) -> tensor<?xf32> attributes {strata.dims = {
//!   symbols = ["b", "s"], values = ["d0.0", "d0.1"], bounds = array<i64: -1, 128>,
//!   inputs = [["b", "s", "64"], ["64"]], outputs = [["b"]], constraints = ["s >= 1"],
//!   batch = {symbol = "b", inputs = [array<i64: 0, 1>, array<i64>], outputs = [array<i64: 0, 1>]}}}
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, Context, Op, TypeExt as _, array, diagnostic_at, dictionary,
    function_types, i64s, string,
};

use crate::{
    Constraint, DimExpr, Variable,
    parse::{FUNCTIONS, parse_constraint, parse_expression},
};

/// The attribute on the entry.
pub const DIMS: &str = "strata.dims";

/// The dimension of a tensor that has the batch, and how many of its elements belong to one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchDim {
    /// The dimension.
    pub dim: usize,
    /// Its size for one example.
    pub factor: u64,
}

/// The symbol that is the size of a batch whose examples are computed independently; `None` for what is the same for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Its index.
    pub symbol: usize,
    /// Where each input has it.
    pub inputs: Vec<Option<BatchDim>>,
    /// Where each output has it.
    pub outputs: Vec<Option<BatchDim>>,
}

/// The sizes of an entry in terms of its symbols, which expressions have as `Variable::Symbol` with their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DynamicShapes {
    /// The names of the symbols, in the order in which callers pass their values.
    pub symbols: Vec<String>,
    /// Each symbol in terms of dimensions of inputs.
    pub values: Vec<DimExpr>,
    /// The largest value of each symbol, where it has one.
    pub bounds: Vec<Option<i64>>,
    /// The sizes of each input.
    pub inputs: Vec<Vec<DimExpr>>,
    /// The sizes of each output.
    pub outputs: Vec<Vec<DimExpr>>,
    /// The sizes of each output's buffer, where functions have more dimensions for one than callers, whose elements lie alike:
    /// `[4, s, s]` for `[4, s*s]`. Nothing where no output has.
    pub laid: Vec<Vec<DimExpr>>,
    /// Conditions on the symbols.
    pub constraints: Vec<Constraint>,
    /// The symbol that is the size of a batch.
    pub batch: Option<Batch>,
}

impl DynamicShapes {
    /// The sizes of each output's buffer, as functions have it.
    pub fn output_buffers(&self) -> &[Vec<DimExpr>] {
        if self.laid.is_empty() { &self.outputs } else { &self.laid }
    }

    /// What the attribute of a function says; `None` if it has none.
    ///
    /// # Errors
    /// `S9002` for one that [`Self::set`] would not write, with the text that is wrong.
    pub fn of(func: Op<'_>) -> Result<Option<Self>, Diagnostic> {
        let Some(attribute) = func.attr(DIMS) else { return Ok(None) };
        let shapes = Self::read(attribute).map_err(|why| {
            diagnostic_at(codes::S9002, func)
                .reason(format!("the attribute `{DIMS}` is wrong: {why}"))
        })?;
        Ok(Some(shapes))
    }

    /// Whether a function up to its bounds has these sizes: inputs, with one for the value of each symbol after them, and outputs.
    ///
    /// # Errors
    /// `S9002` with the size that differs.
    pub fn check(&self, func: Op<'_>) -> Result<(), Diagnostic> {
        let wrong = |why: String| {
            let reason = format!("the attribute `{DIMS}` does not describe the function: {why}");
            Err(diagnostic_at(codes::S9002, func).reason(reason))
        };
        let types = func.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types);
        let (inputs, outputs) = types.unwrap_or_default();
        let most = |variable| match variable {
            Variable::Symbol(index) => self.bounds.get(index).copied().flatten(),
            Variable::Dimension(..) => None,
        };
        let given = self.inputs.len() + self.symbols.len();
        for (what, types, shapes, count) in [
            ("input", inputs, &self.inputs[..], given),
            ("output", outputs, self.output_buffers(), self.outputs.len()),
        ] {
            if types.len() != count {
                return wrong(format!("it has {} {what}s, not {count}", types.len()));
            }
            for (index, (ty, sizes)) in types.iter().zip(shapes).enumerate() {
                let shape = ty.shape().unwrap_or_default();
                let own: Vec<_> = sizes.iter().map(|size| size.value(&most)).collect();
                if own != shape.iter().copied().map(Some).collect::<Vec<_>>() {
                    let sizes: Vec<_> = sizes
                        .iter()
                        .map(|size| size.text(&|variable| self.shown(variable)))
                        .collect();
                    let sizes = sizes.join(" x ");
                    return wrong(format!("{what} {index} is {ty}, and {sizes} up to the bounds"));
                }
            }
        }
        Ok(())
    }

    /// Gives the attribute to a function.
    pub fn set<'c>(&self, context: &'c Context, func: Op<'c>) {
        if let Some(attribute) = self.attribute(context) {
            func.set_attr(DIMS, attribute);
        }
    }

    /// The name of a variable for readers.
    pub fn shown(&self, variable: Variable) -> String {
        match variable {
            Variable::Symbol(index) => self.symbols.get(index).cloned().unwrap_or_default(),
            Variable::Dimension(input, dim) => format!("input{input}.{dim}"),
        }
    }

    /// The conditions for readers.
    pub fn constraint_texts(&self) -> Vec<String> {
        let text = |one: &Constraint| one.text(&|variable| self.shown(variable));
        self.constraints.iter().map(text).collect()
    }

    /// The name of a variable in the text of the attribute.
    fn name(&self, variable: Variable) -> String {
        match variable {
            Variable::Dimension(input, dim) => format!("d{input}.{dim}"),
            Variable::Symbol(index) => {
                let name = self.symbols.get(index).filter(|name| self.is_plain(name));
                name.cloned().unwrap_or_else(|| format!("s{index}"))
            }
        }
    }

    /// Whether a name can be read back: it is a word, and stands for nothing else.
    fn is_plain(&self, name: &str) -> bool {
        let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_.".contains(letter));
        let count = self.symbols.iter().filter(|other| *other == name).count();
        is_word && count == 1 && numbered(name).is_none() && !FUNCTIONS.contains(&name)
    }

    /// The variable of a name in the text of the attribute.
    fn variable(&self, name: &str) -> Option<Variable> {
        let own = self.symbols.iter().position(|known| known == name);
        let own = own.filter(|_| self.is_plain(name)).map(Variable::Symbol);
        let is_there = |variable: &Variable| match variable {
            Variable::Symbol(index) => *index < self.symbols.len(),
            Variable::Dimension(..) => true,
        };
        own.or_else(|| numbered(name)).filter(is_there)
    }

    fn attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        let text = |text: String| string(context, &text);
        let expression = |size: &DimExpr| text(size.text(&|variable| self.name(variable)));
        let list = |list: Vec<Attribute<'c>>| array(context, &list);
        let shapes = |all: &[Vec<DimExpr>]| {
            list(all.iter().map(|shape| list(shape.iter().map(expression).collect())).collect())
        };
        let constraint = |one: &Constraint| text(one.text(&|variable| self.name(variable)));
        let bounds: Vec<i64> = self.bounds.iter().map(|bound| bound.unwrap_or(-1)).collect();
        let mut entries = vec![
            ("symbols", list(self.symbols.iter().cloned().map(text).collect())),
            ("values", list(self.values.iter().map(expression).collect())),
            ("bounds", i64s(context, &bounds)),
            ("inputs", shapes(&self.inputs)),
            ("outputs", shapes(&self.outputs)),
            ("constraints", list(self.constraints.iter().map(constraint).collect())),
        ];
        if !self.laid.is_empty() {
            entries.push(("laid", shapes(&self.laid)));
        }
        if let Some(batch) = &self.batch {
            let place = |dim: &Option<BatchDim>| match dim {
                Some(BatchDim { dim, factor }) => i64s(context, &[*dim as i64, *factor as i64]),
                None => i64s(context, &[]),
            };
            let places = |dims: &[Option<BatchDim>]| list(dims.iter().map(place).collect());
            let of = [
                ("symbol", text(self.name(Variable::Symbol(batch.symbol)))),
                ("inputs", places(&batch.inputs)),
                ("outputs", places(&batch.outputs)),
            ];
            entries.push(("batch", dictionary(context, &of)?));
        }
        dictionary(context, &entries)
    }

    fn read(attribute: Attribute<'_>) -> Result<Self, String> {
        // What names mean in the text of the other entries.
        let names = Self { symbols: texts(entry(attribute, "symbols")?)?, ..Self::default() };
        let list = |name: &str| -> Result<Vec<DimExpr>, String> {
            texts(entry(attribute, name)?)?.iter().map(|text| names.expression(text)).collect()
        };
        let values = list("values")?;
        let inputs = names.lists(attribute, "inputs")?;
        let outputs = names.lists(attribute, "outputs")?;
        let laid = match attribute.entry("laid") {
            Some(_) => names.lists(attribute, "laid")?,
            None => Vec::new(),
        };
        if !laid.is_empty() && laid.len() != outputs.len() {
            return Err("`laid` has no buffer for each output".to_owned());
        }
        let constraint = |text: &String| {
            let read = parse_constraint(text, &|name| names.variable(name));
            read.map_err(|why| format!("in `{text}`, {why}"))
        };
        let constraints = texts(entry(attribute, "constraints")?)?;
        let constraints = constraints.iter().map(constraint).collect::<Result<_, _>>()?;
        let bounds = entry(attribute, "bounds")?.as_i64s();
        let bounds = bounds.ok_or_else(|| "`bounds` is not a list of numbers".to_owned())?;
        let bounds: Vec<_> =
            bounds.into_iter().map(|bound| (bound >= 0).then_some(bound)).collect();
        let symbols = names.symbols.len();
        for (name, count) in [("values", values.len()), ("bounds", bounds.len())] {
            if count != symbols {
                return Err(format!("`{name}` has {count} entries for {symbols} symbols"));
            }
        }
        let batch = attribute.entry("batch");
        let batch = batch.map(|batch| names.read_batch(batch, [&inputs, &outputs])).transpose()?;
        let symbols = names.symbols;
        Ok(Self { symbols, values, bounds, inputs, outputs, laid, constraints, batch })
    }

    fn expression(&self, text: &str) -> Result<DimExpr, String> {
        let read = parse_expression(text, &|name| self.variable(name));
        read.map_err(|why| format!("in `{text}`, {why}"))
    }

    fn lists(&self, attribute: Attribute<'_>, name: &str) -> Result<Vec<Vec<DimExpr>>, String> {
        let list = |list: Attribute<'_>| {
            texts(list)?.iter().map(|text| self.expression(text)).collect::<Result<Vec<_>, _>>()
        };
        let all = entry(attribute, name)?.as_array();
        all.ok_or_else(|| format!("`{name}` is not a list"))?.into_iter().map(list).collect()
    }

    fn read_batch(
        &self,
        batch: Attribute<'_>,
        shapes: [&[Vec<DimExpr>]; 2],
    ) -> Result<Batch, String> {
        let symbol = entry(batch, "symbol")?.as_str().and_then(|name| self.variable(name));
        let Some(Variable::Symbol(symbol)) = symbol else {
            return Err("the batch has no symbol".to_owned());
        };
        let dims = |name: &str, shapes: &[Vec<DimExpr>]| {
            let wrong =
                || format!("`{name}` of the batch has no dimension for each of its tensors");
            let list = entry(batch, name)?.as_array().filter(|list| list.len() == shapes.len());
            let pairs = list.ok_or_else(wrong)?.into_iter().zip(shapes);
            let dim = |(numbers, shape): (Attribute<'_>, &Vec<DimExpr>)| match numbers
                .as_i64s()
                .as_deref()
            {
                Some([]) => Ok(None),
                Some([dim, factor]) if *factor > 0 => {
                    let dim = usize::try_from(*dim).ok().filter(|dim| *dim < shape.len());
                    let factor = factor.unsigned_abs();
                    dim.map(|dim| Some(BatchDim { dim, factor })).ok_or_else(wrong)
                }
                _ => Err(wrong()),
            };
            pairs.map(dim).collect::<Result<Vec<_>, _>>()
        };
        let [inputs, outputs] = shapes;
        Ok(Batch { symbol, inputs: dims("inputs", inputs)?, outputs: dims("outputs", outputs)? })
    }
}

/// The variable that `d0.1` or `s2` is.
fn numbered(name: &str) -> Option<Variable> {
    if let Some(index) = name.strip_prefix('s') {
        return index.parse().ok().map(Variable::Symbol);
    }
    let (input, dim) = name.strip_prefix('d')?.split_once('.')?;
    Some(Variable::Dimension(input.parse().ok()?, dim.parse().ok()?))
}

fn entry<'c>(attribute: Attribute<'c>, name: &str) -> Result<Attribute<'c>, String> {
    attribute.entry(name).ok_or_else(|| format!("it has no `{name}`"))
}

fn texts(list: Attribute<'_>) -> Result<Vec<String>, String> {
    let text = |one: Attribute<'_>| one.as_str().map(str::to_owned);
    let all = list.as_array().map(|list| list.into_iter().map(text).collect::<Option<_>>());
    all.flatten().ok_or_else(|| format!("{list} is not a list of texts"))
}

#[cfg(test)]
mod tests {
    use strata_ir::new_context;

    use super::*;

    fn symbol(index: usize) -> DimExpr {
        DimExpr::variable(Variable::Symbol(index))
    }

    #[test]
    fn attributes_are_read_as_they_were_written() {
        // Names that are words of the text, or none at all.
        let names = ["b", "max", "two words", "s0", "d0.1", "x.1"].map(str::to_owned);
        let half = symbol(1).floordiv(&DimExpr::constant(2)).unwrap();
        let sum = symbol(2).plus(&symbol(3)).unwrap().plus(&symbol(4)).unwrap();
        let dims = |dim, factor| vec![Some(BatchDim { dim, factor }), None];
        let shapes = DynamicShapes {
            values: (0..6).map(|dim| DimExpr::variable(Variable::Dimension(0, dim))).collect(),
            bounds: vec![None, Some(8), Some(0), None, Some(1 << 31), Some(3)],
            inputs: vec![(0..6).map(symbol).collect(), Vec::new()],
            outputs: vec![vec![symbol(0), half.clone()], vec![sum.clone()]],
            laid: vec![vec![symbol(0), half.clone(), DimExpr::constant(1)], vec![sum]],
            constraints: vec![
                Constraint::NotNegative(symbol(5).minus(&DimExpr::constant(2)).unwrap()),
                Constraint::Zero(half),
            ],
            batch: Some(Batch { symbol: 0, inputs: dims(0, 1), outputs: dims(0, 7) }),
            symbols: names.into(),
        };
        let context = new_context();
        let attribute = shapes.attribute(&context).unwrap();
        assert_eq!(DynamicShapes::read(attribute).as_ref(), Ok(&shapes));
        let text = attribute.to_string();
        for part in ["\"x.1 >= 2\"", "floordiv(s1, 2)", "\"s4 + s3 + s2\"", "symbol = \"b\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
