//! What is run in a round: the versions of a program with open sizes that a call runs, each on its rows of the inputs.

use strata_diag::{Diagnostic, codes};
use strata_eval::{Tensor, shape::slice};
use strata_shapes::{BatchDim, Rows, Specializations, Variable};

use crate::{forms::Form, verify::refused, version::symbols_of};

/// Forms that are run one after the other, and what they are run on.
pub struct Chain<'f> {
    /// In order.
    pub forms: Vec<&'f Form>,
    /// Each has other rows of the inputs.
    pub calls: Vec<Call>,
}

/// Inputs, and what the evaluator computes for them.
pub struct Call {
    /// The inputs.
    pub inputs: Vec<Tensor>,
    /// The evaluator's results.
    pub expected: Vec<Tensor>,
    /// The rows of the whole that these are; `None` for the whole.
    pub rows: Option<Rows>,
}

impl Call {
    /// Which rows, for messages.
    pub fn text(&self) -> String {
        match self.rows {
            Some(Rows { before, count: 1 }) => format!(" of row {before}"),
            Some(Rows { before, count }) => format!(" of rows {before} to {}", before + count - 1),
            None => String::new(),
        }
    }

    /// The results that belong to it, of those of the whole.
    pub fn own(
        &self,
        versions: Option<&Specializations>,
        results: Vec<Tensor>,
    ) -> Result<Vec<Tensor>, Diagnostic> {
        let batch = versions.and_then(|all| all.shapes.batch.as_ref());
        match batch.zip(self.rows) {
            Some((batch, rows)) => cut(results, &batch.outputs, rows),
            None => Ok(results),
        }
    }
}

/// All forms on the whole inputs: a program of given sizes, and what is the same for all versions.
pub fn whole<'f>(forms: Vec<&'f Form>, inputs: &[Tensor], expected: &[Tensor]) -> Chain<'f> {
    let (inputs, expected) = (inputs.to_vec(), expected.to_vec());
    Chain { forms, calls: vec![Call { inputs, expected, rows: None }] }
}

/// The versions that a call runs, in the order of the first rows of each, and then the module of all. With the sizes for readers.
///
/// # Errors
/// `S1106` for inputs of other sizes, `S9001` where there is no version for some.
pub fn of_versions<'f>(
    all: &Specializations,
    forms: &'f [Form],
    inputs: &[Tensor],
    expected: &[Tensor],
) -> Result<(Vec<Chain<'f>>, String), Diagnostic> {
    let symbols = symbols_of(&all.shapes, inputs)?;
    let sizes = all.shapes.symbols.iter().zip(&symbols);
    let sizes: Vec<_> = sizes.map(|(name, size)| format!("{name}={size}")).collect();
    let sizes = sizes.join(",");
    if let Some(why) = violated(all, &symbols) {
        return Err(refused(inputs, Some(why)));
    }
    let called = all.called(&symbols);
    let missing = || Diagnostic::new(codes::S9001).reason(format!("there is no code for {sizes}"));
    let batch = all.shapes.batch.as_ref();
    let total = batch.map_or(0, |batch| symbols[batch.symbol].max(0) as u64);
    let covered: u64 = called.iter().map(|(_, rows)| rows.count).sum();
    if covered != total || (batch.is_none() && called.is_empty()) {
        return Err(missing());
    }
    let mut chains: Vec<(String, Chain<'f>)> = Vec::new();
    for (version, rows) in called {
        let name = all.text(version);
        let call = match batch {
            Some(batch) => Call {
                inputs: cut(inputs.to_vec(), &batch.inputs, rows)?,
                expected: cut(expected.to_vec(), &batch.outputs, rows)?,
                rows: Some(rows),
            },
            None => Call { inputs: inputs.to_vec(), expected: expected.to_vec(), rows: None },
        };
        match chains.iter_mut().find(|(known, _)| *known == name) {
            Some((_, chain)) => chain.calls.push(call),
            None => {
                let own = forms.iter().filter(|form| form.version.as_ref() == Some(&name));
                let chain = Chain { forms: own.collect(), calls: vec![call] };
                chains.push((name, chain));
            }
        }
    }
    let mut chains: Vec<_> = chains.into_iter().map(|(_, chain)| chain).collect();
    let joint = forms.iter().filter(|form| form.version.is_none()).collect();
    chains.push(whole(joint, inputs, expected));
    Ok((chains, sizes))
}

/// Why the object does not take these values of symbols, if it does not.
fn violated(all: &Specializations, symbols: &[i64]) -> Option<String> {
    let value = |variable| match variable {
        Variable::Symbol(index) => symbols.get(index).copied(),
        Variable::Dimension(..) => None,
    };
    for bound in &all.bounds {
        let (own, most) = (symbols[bound.symbol], bound.sizes.last().copied().unwrap_or_default());
        if own > most as i64 {
            let name = &all.shapes.symbols[bound.symbol];
            return Some(format!("{name} = {own} is above the bound {most}"));
        }
    }
    let mut conditions = all.shapes.constraints.iter();
    let broken = conditions.find(|condition| condition.holds(&value) == Some(false))?;
    let given = all.shapes.symbols.iter().zip(symbols);
    let given: Vec<_> = given.map(|(name, size)| format!("{name} = {size}")).collect();
    let text = broken.text(&|variable| all.shapes.shown(variable));
    Some(format!("{text} is violated: {}", given.join(", ")))
}

/// The rows of tensors that have such, and the others as they are.
fn cut(
    tensors: Vec<Tensor>,
    dims: &[Option<BatchDim>],
    rows: Rows,
) -> Result<Vec<Tensor>, Diagnostic> {
    let own = |(at, tensor): (usize, Tensor)| {
        let Some(batch) = dims.get(at).copied().flatten() else { return Ok(tensor) };
        let (mut first, mut last) = (vec![0; tensor.rank()], tensor.shape().to_vec());
        first[batch.dim] = (rows.before * batch.factor) as usize;
        last[batch.dim] = ((rows.before + rows.count) * batch.factor) as usize;
        slice(&tensor, &first, &last, &vec![1; tensor.rank()])
            .map_err(|error| Diagnostic::new(codes::S9001).reason(error.reason))
    };
    tensors.into_iter().enumerate().map(own).collect()
}
