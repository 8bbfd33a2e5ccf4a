//! The entry: it calls the functions for the sizes of a call.

use std::collections::BTreeSet;

use strata_ir::{
    Builder, DISPATCH, Op, RegionBuilder, TensorSpec, TypeExt as _, Value, View as _, arith,
    bool_type, func, function, index, integer, memref, scf, string, unit,
};
use strata_shapes::{DimExpr, DynamicTensor, Specializations, Variable};

use super::{
    Version,
    copies::{Copied, buffer_type, view},
    sizes::{Sizes, number, product, read, sum},
};

/// What is emitted: the entry and the functions beside it.
pub struct Dispatcher<'d, 'c> {
    pub all: &'d Specializations,
    pub versions: &'d [Version<'d, 'c>],
    /// The name of the entry.
    pub name: &'d str,
}

/// The sizes of a call, and those of the functions for it.
pub struct Chosen<'c> {
    /// The value of each symbol.
    pub symbols: Vec<Value<'c>>,
    /// The value of each symbol with a bound in the functions; those of the others as in the call.
    pub wide: Vec<Value<'c>>,
    /// The number of the combination of bounds.
    pub combination: Value<'c>,
}

/// The arguments of the entry.
struct Arguments<'c> {
    inputs: Vec<Value<'c>>,
    outputs: Vec<Value<'c>>,
    workspace: Value<'c>,
    /// Bytes.
    symbols: Value<'c>,
}

impl<'c> Arguments<'c> {
    fn list(&self) -> Vec<Value<'c>> {
        let buffers = self.inputs.iter().chain(&self.outputs);
        buffers.chain([&self.workspace, &self.symbols]).copied().collect()
    }
}

/// A part of the batch.
struct Part<'c> {
    /// How many examples are done.
    done: Value<'c>,
    /// How many this part has.
    count: Value<'c>,
    /// The position of their number among those that there is code for.
    position: Value<'c>,
}

/// Bits of the word in which the functions are listed that take a tensor in place.
const WORD: usize = 64;

/// Whether a tensor has the sizes of the call in the function for it.
#[derive(Clone, Copy)]
enum InPlace<'c> {
    Always,
    Never,
    Where(Value<'c>),
}

/// A buffer for a function, from a byte of another one on.
type Place<'c> = (Value<'c>, Value<'c>);

impl<'c> Chosen<'c> {
    /// The combination of the smallest bounds that are large enough for these symbols.
    pub fn of(builder: &Builder<'c>, all: &Specializations, symbols: Vec<Value<'c>>) -> Self {
        let mut combination = builder.index(0);
        for bound in &all.bounds {
            let (own, count) = (symbols[bound.symbol], bound.sizes.len() as i64);
            let position = position(builder, own, &bound.sizes);
            combination = product(builder, combination, builder.index(count));
            combination = sum(builder, combination, position);
        }
        Self { wide: symbols.clone(), symbols, combination }
    }

    /// The same with the sizes of buffers, where the combination is that of one of these versions.
    pub fn among(
        &self,
        builder: &Builder<'c>,
        all: &Specializations,
        versions: &[&Version<'_, 'c>],
    ) -> Self {
        let mut wide = self.symbols.clone();
        for (at, bound) in all.bounds.iter().enumerate() {
            let own = self.symbols[bound.symbol];
            let sizes: BTreeSet<u64> =
                versions.iter().map(|version| version.sizes.bounds[at]).collect();
            let buffer = |size: u64| builder.index(bound.buffer(size) as i64);
            let mut before: Option<(u64, Value<'c>)> = None;
            for size in sizes {
                let whole = match before {
                    None => buffer(size),
                    Some((smaller, whole)) => {
                        let end = builder.index(smaller as i64);
                        let is_larger = builder.cmpi(arith::CmpIPredicate::Sgt, own, end);
                        builder.select(is_larger, buffer(size), whole)
                    }
                };
                before = Some((size, whole));
            }
            if let Some((_, whole)) = before {
                wide[bound.symbol] = whole;
            }
        }
        Self { symbols: self.symbols.clone(), wide, combination: self.combination }
    }

    /// The number of the function for these bounds and the size of the batch at that position.
    pub fn number(
        &self,
        builder: &Builder<'c>,
        all: &Specializations,
        position: Value<'c>,
    ) -> Value<'c> {
        let width = builder.index(all.batch_sizes().len() as i64);
        sum(builder, product(builder, self.combination, width), position)
    }
}

/// How many of these sizes but the last are smaller: the position of the first one that is large enough.
fn position<'c>(builder: &Builder<'c>, own: Value<'c>, sizes: &[u64]) -> Value<'c> {
    let (mut all, mut at) = (builder.index(0), 0);
    let last = sizes.len().saturating_sub(1);
    while at < last {
        // Those that follow each other are counted at once.
        let first = sizes[at];
        let count = (at..last).take_while(|one| sizes[*one] - first == (one - at) as u64).count();
        let more = if count == 1 {
            let size = builder.index(first as i64);
            number(builder, builder.cmpi(arith::CmpIPredicate::Sgt, own, size))
        } else {
            let above = builder.same(arith::SUBI, &[own, builder.index(first as i64)]);
            let above = builder.same(arith::MAXSI, &[above, builder.index(0)]);
            builder.same(arith::MINSI, &[above, builder.index(count as i64)])
        };
        all = sum(builder, all, more);
        at += count;
    }
    all
}

/// The value of an expression of symbols.
pub fn evaluate<'c>(builder: &Builder<'c>, size: &DimExpr, symbols: &[Value<'c>]) -> Value<'c> {
    let value = |variable| match variable {
        Variable::Symbol(index) => symbols.get(index).copied(),
        Variable::Dimension(..) => None,
    };
    Sizes { builder: *builder, value: &value }.size(size)
}

impl<'c> Dispatcher<'_, 'c> {
    /// The copies of inputs and outputs for a part of the batch; `None` for tensors that are never copied.
    pub fn copies(
        &self,
        builder: &Builder<'c>,
        chosen: &Chosen<'c>,
        count: Value<'c>,
        position: Value<'c>,
    ) -> Vec<Option<Copied<'c>>> {
        let all = self.all;
        let batch = all.shapes.batch.as_ref().map(|batch| batch.symbol);
        let own = |size: &DimExpr| evaluate(builder, size, &chosen.symbols);
        let number = chosen.number(builder, all, position);
        let tensors = all.tensors(&self.versions[0].signature).into_iter().flatten().enumerate();
        let copied = tensors.map(|(at, tensor)| {
            let in_place = self.in_place(builder, at, number);
            let symbols = chosen.symbols.iter().zip(&chosen.wide).enumerate();
            let wide = symbols.map(|(symbol, (own, wide))| match in_place {
                _ if Some(symbol) == batch => count,
                InPlace::Always => *own,
                InPlace::Never => *wide,
                InPlace::Where(is_in_place) => builder.select(is_in_place, *own, *wide),
            });
            let wide: Vec<_> = wide.collect();
            let whole = |size: &DimExpr| evaluate(builder, size, &wide);
            Copied::of(builder, all, &tensor, &own, &whole)
        });
        copied.collect()
    }

    /// Whether the function of that number takes an input or output with the sizes of the call. For functions that are called with
    /// one size only it does not matter.
    fn in_place(&self, builder: &Builder<'c>, at: usize, number: Value<'c>) -> InPlace<'c> {
        let differing = || self.versions.iter().filter(|version| !self.all.is_exact(version.sizes));
        if differing().all(|version| version.in_place[at]) {
            return InPlace::Always;
        }
        if !differing().any(|version| version.in_place[at]) {
            return InPlace::Never;
        }
        let mut words = vec![0_i64; self.versions.len().div_ceil(WORD)];
        for version in differing().filter(|version| version.in_place[at]) {
            let case = self.case(version);
            words[case / WORD] |= 1 << (case % WORD);
        }
        let word = integer(builder.context, 64);
        let number = builder.cast(arith::INDEX_CAST, number, word);
        let size = builder.int(word, WORD as i64);
        let (position, bit) = (
            builder.same(arith::DIVUI, &[number, size]),
            builder.same(arith::REMUI, &[number, size]),
        );
        let mut all = builder.int(word, words[0]);
        for (at, own) in words.into_iter().enumerate().skip(1) {
            let is_here =
                builder.cmpi(arith::CmpIPredicate::Eq, position, builder.int(word, at as i64));
            all = builder.select(is_here, builder.int(word, own), all);
        }
        let bit = builder.same(arith::SHRUI, &[all, bit]);
        InPlace::Where(builder.cast(arith::TRUNCI, bit, bool_type(builder.context)))
    }

    /// The entry, and beside it a function for all calls that copy.
    pub fn emit(&self, at: &Builder<'c>) -> Op<'c> {
        let (direct, others) = (self.direct(), self.others());
        let beside = format!("{}.copies", self.name);
        let rest = |builder: &Builder<'c>, chosen: &Chosen<'c>, arguments: &Arguments<'c>| {
            let chosen = chosen.among(builder, self.all, &others);
            self.parts(builder, &chosen, arguments);
        };
        let entry = self.function(at, self.name, &|builder, chosen, arguments| {
            if direct.is_empty() {
                return rest(builder, chosen, arguments);
            }
            let otherwise = builder.region(&[], |inner, _| {
                if !others.is_empty() {
                    func::call(inner, &beside, &arguments.list(), &[]).build();
                }
                scf::yield_(inner, &[]).build();
            });
            self.call_directly(builder, chosen, arguments, &direct, otherwise);
        });
        // Of its own: loops that copy would have the entry save registers first in each call.
        if !direct.is_empty() && !others.is_empty() {
            let copying = self.function(at, &beside, &rest);
            copying.set_attr("sym_visibility", string(at.context, "private"));
            copying.set_attr(DISPATCH, unit(at.context));
        }
        entry
    }

    /// A function of buffers of bytes and the symbols.
    fn function(
        &self,
        at: &Builder<'c>,
        name: &str,
        fill: &dyn Fn(&Builder<'c>, &Chosen<'c>, &Arguments<'c>),
    ) -> Op<'c> {
        let (inputs, outputs) = (self.all.shapes.inputs.len(), self.all.shapes.outputs.len());
        let symbols = self.all.shapes.symbols.len() as i64;
        let mut types = vec![buffer_type(at); inputs + outputs + 1];
        types.push(memref(&[symbols * 8], integer(at.context, 8)));
        let body = at.region(&types, |builder, given| {
            let arguments = Arguments {
                inputs: given[..inputs].to_vec(),
                outputs: given[inputs..inputs + outputs].to_vec(),
                workspace: given[inputs + outputs],
                symbols: given[inputs + outputs + 1],
            };
            let words = memref(&[symbols], integer(at.context, 64));
            let list = memref::view(builder, arguments.symbols, builder.index(0), &[], words);
            let list = list.value();
            let symbols = (0..symbols as usize).map(|at| read(builder, list, at)).collect();
            fill(builder, &Chosen::of(builder, self.all, symbols), &arguments);
            func::return_(builder, &[]).build();
        });
        let ty = function(at.context, &types, &[]);
        func::func(at, name, ty, body).build().op()
    }

    /// The functions that are called with the sizes of their buffers only, unless a symbol is 0: nothing is copied for them.
    pub fn direct(&self) -> Vec<&Version<'_, 'c>> {
        let is_direct = |version: &&Version<'_, 'c>| self.all.is_exact_beyond_zero(version.sizes);
        match self.all.shapes.batch {
            Some(_) => Vec::new(),
            None => self.versions.iter().filter(is_direct).collect(),
        }
    }

    /// The functions that may be called with smaller sizes than those of their buffers, or for parts of a batch.
    pub fn others(&self) -> Vec<&Version<'_, 'c>> {
        let has_batch = self.all.shapes.batch.is_some();
        let versions = self.versions.iter();
        versions.filter(|version| has_batch || !self.all.is_exact(version.sizes)).collect()
    }

    /// The number of the function that is called directly; that of none where a symbol is 0.
    pub fn direct_number(&self, builder: &Builder<'c>, chosen: &Chosen<'c>) -> Value<'c> {
        let (all, mut number) = (self.all, chosen.combination);
        for bound in all.bounds.iter().filter(|bound| all.may_be_zero(bound)) {
            let own = chosen.symbols[bound.symbol];
            let is_zero = builder.cmpi(arith::CmpIPredicate::Eq, own, builder.index(0));
            let none = builder.index(all.combinations() as i64);
            number = builder.select(is_zero, none, number);
        }
        number
    }

    /// Calls one of these functions, which take all buffers as they are, or does what `otherwise` says.
    fn call_directly(
        &self,
        builder: &Builder<'c>,
        chosen: &Chosen<'c>,
        arguments: &Arguments<'c>,
        direct: &[&Version<'_, 'c>],
        otherwise: RegionBuilder,
    ) {
        let number = self.direct_number(builder, chosen);
        let cases: Vec<_> = direct.iter().map(|version| self.case(version) as i64).collect();
        let start = builder.index(0);
        let buffers = arguments.inputs.iter().chain(&arguments.outputs);
        let places: Vec<_> = buffers.map(|buffer| (*buffer, start)).collect();
        let regions = direct.iter().map(|version| {
            builder.region(&[], |inner, _| {
                self.call_version(inner, version, arguments, (&places, start), &|_| None);
                scf::yield_(inner, &[]).build();
            })
        });
        let regions = regions.collect();
        scf::index_switch(builder, number, &cases, &[], otherwise, regions).build();
    }

    /// Calls functions for consecutive parts of the batch, the largest first.
    fn parts(&self, builder: &Builder<'c>, chosen: &Chosen<'c>, arguments: &Arguments<'c>) {
        let Some(batch) = &self.all.shapes.batch else {
            let (done, position) = (builder.index(0), builder.index(0));
            let part = Part { done, count: builder.index(1), position };
            self.part(builder, chosen, arguments, &part);
            return;
        };
        let (total, index) = (chosen.symbols[batch.symbol], index(builder.context));
        let before = builder.region(&[index], |inner, done| {
            let is_left = inner.cmpi(arith::CmpIPredicate::Slt, done[0], total);
            scf::condition(inner, is_left, done).build();
        });
        let after = builder.region(&[index], |inner, done| {
            let left = inner.same(arith::SUBI, &[total, done[0]]);
            let part = self.largest(inner, done[0], left);
            self.part(inner, chosen, arguments, &part);
            let next = sum(inner, done[0], part.count);
            scf::yield_(inner, &[next]).build();
        });
        scf::while_(builder, &[builder.index(0)], &[index], before, after).build();
    }

    /// The largest part that there is code for, of those that are left.
    fn largest(&self, builder: &Builder<'c>, done: Value<'c>, left: Value<'c>) -> Part<'c> {
        let sizes = self.all.batch_sizes();
        let mut count = builder.index(sizes[0] as i64);
        let mut position = builder.index(0);
        for size in &sizes[1..] {
            let size = builder.index(*size as i64);
            let fits = builder.cmpi(arith::CmpIPredicate::Sge, left, size);
            count = builder.select(fits, size, count);
            position = sum(builder, position, number(builder, fits));
        }
        Part { done, count, position }
    }

    /// Calls the function for a part of the batch.
    fn part(
        &self,
        builder: &Builder<'c>,
        chosen: &Chosen<'c>,
        arguments: &Arguments<'c>,
        part: &Part<'c>,
    ) {
        let [inputs, outputs] = self.all.tensors(&self.versions[0].signature);
        let mut in_copies = self.copies(builder, chosen, part.count, part.position);
        let out_copies = in_copies.split_off(inputs.len());
        // Copies are at the start of the workspace, before that of the function.
        let mut end = builder.index(0);
        let mut place =
            |tensor: &DynamicTensor<'_>, buffer: Value<'c>, copy: Option<&Copied<'c>>, pads| {
                let own = self.offset(builder, chosen, tensor, part.done);
                let Some(copy) = copy else { return ((buffer, own), None) };
                let start = end;
                end = sum(builder, end, copy.space);
                let types = [buffer_type(builder)];
                let taken = builder.region(&[], |inner, _| {
                    let wide = view(inner, arguments.workspace, start, copy.bytes);
                    if pads {
                        copy.pad(
                            inner,
                            view(inner, buffer, own, self.tight(inner, chosen, tensor, part)),
                            wide,
                        );
                    }
                    scf::yield_(inner, &[wide]).build();
                });
                let given = builder.region(&[], |inner, _| {
                    scf::yield_(inner, &[view(inner, buffer, own, copy.bytes)]).build();
                });
                let chosen = scf::if_(builder, copy.differs, &types, taken, given).value();
                ((chosen, builder.index(0)), Some(own))
            };
        let mut places: Vec<Place<'c>> = Vec::new();
        for ((tensor, buffer), copy) in inputs.iter().zip(&arguments.inputs).zip(&in_copies) {
            places.push(place(tensor, *buffer, copy.as_ref(), true).0);
        }
        let mut cuts = Vec::new();
        for ((tensor, buffer), copy) in outputs.iter().zip(&arguments.outputs).zip(&out_copies) {
            let (own, start) = place(tensor, *buffer, copy.as_ref(), false);
            places.push(own);
            cuts.extend(
                copy.as_ref().zip(start).map(|(copy, start)| (tensor, *buffer, copy, start, own.0)),
            );
        }
        let copies: Vec<_> = in_copies.iter().chain(&out_copies).map(Option::as_ref).collect();
        self.call(builder, chosen, arguments, part, (&places, &copies, end));
        for (tensor, buffer, copy, start, wide) in cuts {
            let cut = builder.region(&[], |inner, _| {
                let tight = self.tight(inner, chosen, tensor, part);
                copy.cut(inner, view(inner, buffer, start, tight), wide);
                scf::yield_(inner, &[]).build();
            });
            let otherwise = RegionBuilder::empty();
            scf::if_(builder, copy.differs, &[], cut, otherwise).build();
        }
    }

    /// The byte of a caller's buffer where a part of the batch begins.
    fn offset(
        &self,
        builder: &Builder<'c>,
        chosen: &Chosen<'c>,
        tensor: &DynamicTensor<'_>,
        done: Value<'c>,
    ) -> Value<'c> {
        let Some(batch) = tensor.batch else { return builder.index(0) };
        let bytes = builder.index((batch.factor * tensor.bytes) as i64);
        let bytes = times(builder, bytes, &tensor.sizes[batch.dim + 1..], chosen);
        product(builder, done, bytes)
    }

    /// Bytes of a caller's buffer from the start of a part of the batch to its end.
    fn tight(
        &self,
        builder: &Builder<'c>,
        chosen: &Chosen<'c>,
        tensor: &DynamicTensor<'_>,
        part: &Part<'c>,
    ) -> Value<'c> {
        let bytes = builder.index(tensor.bytes as i64);
        let whole = times(builder, bytes, tensor.sizes, chosen);
        let start = self.offset(builder, chosen, tensor, part.done);
        builder.same(arith::SUBI, &[whole, start])
    }

    /// Calls the function for a combination of bounds and a part of the batch, whose workspace begins at a byte of the caller's.
    fn call(
        &self,
        builder: &Builder<'c>,
        chosen: &Chosen<'c>,
        arguments: &Arguments<'c>,
        part: &Part<'c>,
        (places, copies, workspace): (&[Place<'c>], &[Option<&Copied<'c>>], Value<'c>),
    ) {
        let versions = self.others();
        let bytes = |at: usize| copies[at].map(|copy| copy.bytes);
        if let [only] = versions[..] {
            return self.call_version(builder, only, arguments, (places, workspace), &bytes);
        }
        let number = chosen.number(builder, self.all, part.position);
        let cases: Vec<_> = versions.iter().map(|version| self.case(version) as i64).collect();
        let regions = versions.into_iter().map(|version| {
            builder.region(&[], |inner, _| {
                self.call_version(inner, version, arguments, (places, workspace), &bytes);
                scf::yield_(inner, &[]).build();
            })
        });
        let regions = regions.collect();
        // Sizes are checked before, so that there is always a function.
        let otherwise = builder.region(&[], |inner, _| {
            scf::yield_(inner, &[]).build();
        });
        scf::index_switch(builder, number, &cases, &[], otherwise, regions).build();
    }

    /// Calls a function. `bytes` says how many bytes a tensor has whose sizes may differ; other tensors have those of the function.
    fn call_version(
        &self,
        builder: &Builder<'c>,
        version: &Version<'_, 'c>,
        arguments: &Arguments<'c>,
        (places, workspace): (&[Place<'c>], Value<'c>),
        bytes: &dyn Fn(usize) -> Option<Value<'c>>,
    ) {
        let mut operands = Vec::new();
        let signature = &version.signature;
        let (inputs, outputs) = (signature.inputs.len(), signature.outputs.len());
        let sizes = self.all.bounds.len();
        let given = |at: usize, spec: &TensorSpec, arg: usize| {
            let (buffer, start) = places[at];
            if version.in_place[at] {
                let whole = || builder.index(spec.byte_count() as i64);
                return view(builder, buffer, start, bytes(at).unwrap_or_else(whole));
            }
            let shape: Vec<_> = spec.shape.iter().map(|size| *size as i64).collect();
            let ty = memref(&shape, version.func.body(0).arg(arg).ty().element());
            memref::view(builder, buffer, start, &[], ty).value()
        };
        for (at, spec) in signature.inputs.iter().enumerate() {
            operands.push(given(at, spec, at));
        }
        for bound in &self.all.bounds {
            let ty = memref(&[], integer(builder.context, 64));
            let at = builder.index(bound.symbol as i64 * 8);
            operands.push(memref::view(builder, arguments.symbols, at, &[], ty).value());
        }
        for (at, spec) in signature.outputs.iter().enumerate() {
            operands.push(given(inputs + at, spec, inputs + sizes + at));
        }
        let own = version.func.body(0).arg(inputs + sizes + outputs).ty();
        operands.push(memref::view(builder, arguments.workspace, workspace, &[], own).value());
        func::call(builder, &version.name(self.name), &operands, &[]).build();
    }

    /// The number of a version: of its combination of bounds, then of its part of the batch.
    pub fn case(&self, version: &Version<'_, 'c>) -> usize {
        let counts = self.all.batch_sizes();
        let count = version.sizes.batch.unwrap_or(1);
        let position = counts.iter().position(|one| *one == count).unwrap_or(0);
        self.all.combination_of(version.sizes) * counts.len() + position
    }
}

/// `bytes` times these sizes, for the symbols of the call.
fn times<'c>(
    builder: &Builder<'c>,
    bytes: Value<'c>,
    sizes: &[DimExpr],
    chosen: &Chosen<'c>,
) -> Value<'c> {
    sizes.iter().fold(bytes, |bytes, size| {
        product(builder, bytes, evaluate(builder, size, &chosen.symbols))
    })
}
