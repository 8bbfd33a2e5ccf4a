//! Layouts of inputs that are prepared: the entry takes them, and a function of its own makes them.
//!
//! ```text
//! func @main(%x, %w: tensor<512x520xf32>) attributes {strata.prepare = array<i64: 1>} {
//!   scf.for %j = 0 to 504 step 24 { %panel = … %w[%i, %j] …  scf.for … %panel … }
//!   … %w[%i, 504 + …] …
//! ```
//! becomes
//! ```text
//! func @main(%x, %panels: tensor<21x512x24xf32>, %rest: tensor<512x16xf32>)
//!     attributes {strata.prepared = array<i64: 1, …>} {
//!   scf.for %j = 0 to 504 step 24 { %panel = tensor.extract_slice %panels …  scf.for … %panel … }
//!
//! func @main_prepare(%w: tensor<512x520xf32>) -> (tensor<2xi64>, tensor<21x512x24xf32>, tensor<512x16xf32>) {
//!   scf.for %j = 0 to 504 step 24 iter_args(%into) { %panel = … tensor.insert_slice %panel into %into … }
//!   …
//! ```
//! of which one stays: each is a program of its own. What still reads an input as it is takes a copy.

use std::iter;

use rustc_hash::FxHashMap;
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Context, DONATIONS, ENTRY, INPUT_NAMES, OUTPUT_NAMES, Op, PREPARE,
    PREPARE_SUFFIX, PREPARED, PREPARED_NAME, PreparePart, Prepared, Type, TypeExt as _, Value,
    WORKSPACE_ALIGNMENT, arith, array, builtin, dense_bytes, diagnostic_at, func, function,
    function_name, i64s, integer, linalg, made_places, module_op, parse_text, prepared_places,
    prepared_tag, record_types, recorded_types, scf, string, tensor, type_attr, unit, vector,
};
use strata_options::Options;

use super::{
    Piece,
    known::{Counted, Made},
    place,
};
use crate::loops::counted;

/// The tensors of an entry's block.
pub(super) struct Layouts<'c> {
    context: &'c Context,
    entry: Op<'c>,
    /// The function that makes them.
    maker: Op<'c>,
    /// The inputs to prepare, in the entry.
    inputs: Vec<Value<'c>>,
    /// Those that were added, and what they are in the maker; by what computes them.
    added: FxHashMap<String, Value<'c>>,
    made: Vec<Value<'c>>,
}

fn broken(op: Op<'_>, reason: &str) -> Diagnostic {
    diagnostic_at(codes::S9002, op).reason(reason.to_owned())
}

impl<'c> Layouts<'c> {
    /// Those of an entry that lists inputs to prepare: none yet.
    ///
    /// # Errors
    /// `S9002` for a list that does not fit the entry.
    pub(super) fn of(context: &'c Context, entry: Op<'c>) -> Result<Self, Diagnostic> {
        let listed = entry.attr(PREPARE).and_then(|list| list.as_i64s()).unwrap_or_default();
        let all = entry.body(0).args();
        let input = |at: &i64| all.get(usize::try_from(*at).ok()?).copied();
        let inputs: Option<Vec<_>> = listed.iter().map(input).collect();
        let inputs = inputs.ok_or_else(|| broken(entry, "there is no such input to prepare"))?;
        let parameters: Vec<_> = inputs
            .iter()
            .enumerate()
            .map(|(at, input)| format!("%arg{at}: {}", input.ty()))
            .collect();
        let text = format!("func.func @prepare({}) {{ return }}", parameters.join(", "));
        let module = parse_text(context, &text)?;
        let text = module_op(&module).body(0).first_op();
        let text = text.ok_or_else(|| broken(entry, "nothing can prepare inputs"))?;
        let maker = Builder::before(context, entry).insert(text.clone_detached());
        maker.set_location(entry.location());
        Ok(Self { context, entry, maker, inputs, added: FxHashMap::default(), made: Vec::new() })
    }

    /// Adds the input that has a tensor for each iteration of the loops that it depends on.
    pub(super) fn add(&mut self, made: Made<'c>) -> Option<Piece<'c>> {
        let key = made.key();
        let whole = match self.added.get(&key) {
            Some(whole) => *whole,
            None => {
                let whole = self.make(&made)?;
                self.made.push(whole);
                self.entry.body(0).add_arg(whole.ty(), made.op.location())
            }
        };
        self.added.insert(key, whole);
        Some(Piece { made, whole })
    }

    /// Makes the tensors of all iterations.
    fn make(&self, made: &Made<'c>) -> Option<Value<'c>> {
        let end = self.maker.body(0).terminator()?;
        let b = Builder { location: made.op.location(), ..Builder::before(self.context, end) };
        let mut known: FxHashMap<_, _> =
            self.inputs.iter().copied().zip(self.maker.body(0).args()).collect();
        self.level(&b, made, 0, &mut known, None)
    }

    /// Makes the tensors of the iterations of the loops from `level` on, as parts of `into`, where there are loops.
    fn level(
        &self,
        b: &Builder<'c>,
        made: &Made<'c>,
        level: usize,
        known: &mut FxHashMap<Value<'c>, Value<'c>>,
        into: Option<Value<'c>>,
    ) -> Option<Value<'c>> {
        let depth = |op: Op<'c>| made.loops.iter().filter(|one| one.op.encloses(op)).count();
        let place = match (into, made.loops.len()) {
            (Some(into), all) if all == level => {
                let part = made.op.result(0).ty();
                let counter = |counter| known.get(&counter).copied();
                Some((into, place(b, &made.loops, counter, part)?))
            }
            _ => None,
        };
        // What makes a tensor writes to its place at once, if it starts from an empty one.
        let start = destination(made, |op| depth(op) == level);
        if let (Some((into, place)), Some(start)) = (&place, start) {
            known.insert(start, place.read(b, *into, start.ty()));
        }
        let is_to_make = |op: &Op<'c>| {
            let has_place = op.results().first().is_some_and(|value| Some(*value) == start);
            depth(*op) == level && !(has_place && place.is_some())
        };
        for op in made.ops.iter().filter(|op| is_to_make(op)) {
            let copy = b.copy(*op, known);
            for inner in copy.collect(|_| true) {
                let names = inner.discardable_attrs().into_iter().map(|(name, _)| name);
                let tags: Vec<_> = names.filter(|name| name.starts_with("strata.")).collect();
                for name in tags {
                    inner.remove_attr(name);
                }
            }
        }
        let Some(one) = made.loops.get(level) else {
            let part = *known.get(&made.op.result(0))?;
            return Some(match place {
                Some((into, place)) => place.insert(b, part, into),
                None => part,
            });
        };
        let into = match into {
            Some(into) => into,
            None => {
                let ty = whole(made)?;
                b.empty(&ty.shape()?, ty.element())
            }
        };
        let [all] = counted(b, [one.first, one.last, one.step], [into], |b, at, [into]| {
            known.insert(one.counter(), at);
            Some([self.level(b, made, level + 1, known, Some(into))?])
        })?;
        Some(all)
    }

    /// Leaves the function that is compiled, the entry without the inputs that were prepared, once what reads the tensors does.
    ///
    /// # Errors
    /// `S9002` if the entry's signature was lost.
    pub(super) fn finish(mut self, options: &Options) -> Result<(), Diagnostic> {
        let body = self.entry.body(0);
        let (types, outputs) = recorded_types(self.entry)
            .ok_or_else(|| broken(self.entry, "the entry has no signature"))?;
        for (input, own) in self.inputs.iter().zip(self.maker.body(0).args()) {
            if input.has_uses() {
                let copy = body.add_arg(input.ty(), input.location());
                input.replace_all_uses_with(copy);
                self.made.push(own);
            }
        }
        self.entry.remove_attr(PREPARE);
        let made: Vec<_> = self.made.iter().map(|value| value.ty()).collect();
        let end = self.maker.body(0).terminator();
        let end = end.ok_or_else(|| broken(self.maker, "nothing can prepare inputs"))?;
        Builder::before(self.context, end).op(func::RETURN).operands(&self.made).build();
        end.erase();
        self.retype(self.maker, &made);
        let tag = prepared_tag(&format!("{}\n{}", env!("CARGO_PKG_VERSION"), self.maker));
        let numbers: Vec<_> = self.inputs.iter().filter_map(|input| input.block_arg()).collect();
        let listed: Vec<_> = numbers.iter().map(|(_, at)| *at).collect();
        match options.prepare.part {
            Some(PreparePart::Block) => {
                self.leave_maker((tag, options.prepare.least), &types, &listed, &made)
            }
            _ => {
                self.maker.erase();
                self.leave_entry(tag, (&types, &outputs), &listed, &made);
                Ok(())
            }
        }
    }

    /// Sets the type of a function with these results.
    fn retype(&self, of: Op<'c>, results: &[Type<'c>]) {
        let inputs: Vec<_> = of.body(0).args().into_iter().map(Value::ty).collect();
        of.set_attr("function_type", type_attr(function(self.context, &inputs, results)));
    }

    fn leave_entry(
        &self,
        tag: [i64; 2],
        (types, outputs): (&[Type<'c>], &[Type<'c>]),
        listed: &[usize],
        made: &[Type<'c>],
    ) {
        let (context, entry) = (self.context, self.entry);
        let kept: Vec<_> = (0..types.len()).filter(|at| !listed.contains(at)).collect();
        for at in listed.iter().rev() {
            entry.body(0).erase_arg(*at);
        }
        let results = entry.body(0).terminator().map(Op::operands).unwrap_or_default();
        let results: Vec<_> = results.into_iter().map(Value::ty).collect();
        self.retype(entry, &results);
        entry.remove_attr("arg_attrs");
        let own: Vec<_> = kept.iter().map(|at| types[*at]).chain(made.iter().copied()).collect();
        record_types(context, entry, &own, outputs);
        let names = entry.attr(INPUT_NAMES).and_then(|names| names.as_array()).unwrap_or_default();
        let none = string(context, "");
        let mut names: Vec<_> =
            kept.iter().map(|at| names.get(*at).copied().unwrap_or(none)).collect();
        // The tensors become one input.
        let own = iter::once(PREPARED_NAME.to_owned())
            .chain((2..).map(|number| format!("{PREPARED_NAME}{number}")))
            .map(|name| string(context, &name))
            .find(|name| !names.contains(name));
        names.extend(own);
        entry.set_attr(INPUT_NAMES, array(context, &names));
        if let Some(donated) = entry.attr(DONATIONS).and_then(|list| list.as_i64s()) {
            let now = |input: i64| kept.iter().position(|at| *at as i64 == input);
            let donated: Vec<_> =
                donated.into_iter().map(|input| now(input).map_or(-1, |at| at as i64)).collect();
            entry.set_attr(DONATIONS, i64s(context, &donated));
        }
        let prepared = Prepared::Input(kept.len(), tag).numbers();
        entry.set_attr(PREPARED, i64s(context, &prepared));
    }

    fn leave_maker(
        &self,
        (tag, least): ([i64; 2], u64),
        types: &[Type<'c>],
        listed: &[usize],
        made: &[Type<'c>],
    ) -> Result<(), Diagnostic> {
        let (context, maker) = (self.context, self.maker);
        let end = maker.body(0).terminator();
        let end = end.ok_or_else(|| broken(maker, "nothing can prepare inputs"))?;
        let b = Builder::before(context, end);
        // All of the bytes before the first tensor.
        let ty = tensor(&[WORKSPACE_ALIGNMENT as i64 / 8], integer(context, 64));
        let mut bytes: Vec<_> = tag.iter().flat_map(|number| number.to_le_bytes()).collect();
        bytes.resize(WORKSPACE_ALIGNMENT as usize, 0);
        let value = dense_bytes(ty, &bytes);
        let value = value.ok_or_else(|| broken(maker, "the tag cannot be a constant"))?;
        let mut all = vec![arith::constant(&b, value, ty).value()];
        let (places, size) =
            prepared_places(made).ok_or_else(|| broken(maker, "a tensor has no size"))?;
        let last = size.max(least);
        let next = places.iter().skip(1).copied().chain([last]);
        for ((value, place), next) in self.made.iter().zip(&places).zip(next) {
            all.push(*value);
            let (_, end) = made_places(&[value.ty()]).unwrap_or_default();
            all.extend(zeros(&b, next.saturating_sub(place + end)));
        }
        if places.is_empty() {
            all.extend(zeros(&b, last - size));
        }
        Builder::before(context, end).op(func::RETURN).operands(&all).build();
        end.erase();
        let outputs: Vec<_> = all.iter().map(|value| value.ty()).collect();
        self.retype(maker, &outputs);
        let name = format!("{}{PREPARE_SUFFIX}", function_name(self.entry));
        maker.set_attr("sym_name", string(context, &name));
        maker.set_attr(ENTRY, unit(context));
        let own: Vec<_> = listed.iter().map(|at| types[*at]).collect();
        record_types(context, maker, &own, &outputs);
        if let Some(names) = self.entry.attr(INPUT_NAMES).and_then(|names| names.as_array()) {
            let own: Vec<_> = listed.iter().filter_map(|at| names.get(*at).copied()).collect();
            maker.set_attr(INPUT_NAMES, array(context, &own));
        }
        maker.set_attr(OUTPUT_NAMES, array(context, &[string(context, PREPARED_NAME)]));
        maker.set_attr(PREPARED, i64s(context, &Prepared::Outputs(listed.to_vec()).numbers()));
        let module = maker.parent().filter(|root| root.is(builtin::MODULE));
        let functions = module.map(|root| root.body(0).ops()).unwrap_or_default();
        for other in functions.into_iter().filter(|op| op.is(func::FUNC) && *op != maker) {
            other.erase();
        }
        Ok(())
    }
}

/// So many bytes of zeros, if any.
fn zeros<'c>(b: &Builder<'c>, bytes: u64) -> Option<Value<'c>> {
    let count = i64::try_from(bytes).ok().filter(|count| *count > 0)?;
    let byte = integer(b.context, 8);
    Some(b.filled(b.number(byte, 0.0), &[count]))
}

/// The empty tensor that all operations write to one after the other that make a tensor, if each of them is `near` and nothing else
/// uses it.
fn destination<'c>(made: &Made<'c>, near: impl Fn(Op<'c>) -> bool) -> Option<Value<'c>> {
    let mut value = made.op.result(0);
    loop {
        let op = value.owner()?;
        value = match op.name() {
            tensor::EMPTY => {
                let is_same = value.has_one_use() && value.ty() == made.op.result(0).ty();
                return is_same.then_some(value);
            }
            _ if !near(op) => return None,
            scf::FOR => op.operand(3 + value.result_index()?),
            vector::TRANSFER_WRITE | tensor::INSERT_SLICE => op.operand(1),
            linalg::GENERIC | linalg::FILL | linalg::COPY => {
                op.operand(op.operand_count().checked_sub(1)?)
            }
            _ => return None,
        };
    }
}

/// The type of the tensors of all iterations.
pub(super) fn whole<'c>(made: &Made<'c>) -> Option<Type<'c>> {
    let result = made.op.result(0).ty();
    let sizes = made.loops.iter().map(Counted::trips);
    let shape: Vec<_> = sizes.chain(result.shape()?).collect();
    Some(tensor(&shape, result.element()))
}
