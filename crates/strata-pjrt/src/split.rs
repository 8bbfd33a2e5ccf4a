//! Arguments and results of which each device has a part.
//!
//! ```text
//! func @main(%x : 8 {sdy.sharding = <@mesh, [{"x"}]>}) -> 8 {f(%x)}
//! ```
//! becomes, on a mesh of two devices, a function of the parts
//! ```text
//! func @main(%x : 4) -> 4 {part(f(whole(%x)))}
//! ```
//! in which `whole` and `part` are bodies that take and return values as each device has them. A body of the program that is split in
//! the same way takes and returns parts itself.

use std::collections::BTreeMap;

use strata_ir::{
    AttributeExt as _, AxisPart, Builder, Context, Mesh, Module, Op, OpKind, TypeExt as _, Value,
    axis_parts, entry, function, function_types, module_op, parse_attr, tensor, type_attr,
};

use crate::{failure::Failure, proto};

/// The attribute of an argument or a result that is split.
const SHARDING: &str = "sdy.sharding";

/// How a value is split.
struct Split {
    name: String,
    mesh: Mesh,
    /// The axes along each dimension, and their text.
    dims: Vec<(Vec<AxisPart>, String)>,
}

impl Split {
    /// That of the text `#sdy.sharding<@mesh, [{"x"}, {}]>`; `None` if each device has the whole.
    fn of(func: Op<'_>, text: &str) -> Result<Option<Self>, Failure> {
        let lost = || Failure::unimplemented(format!("the sharding `{text}`"));
        let inside = text.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>'));
        let (inside, _) = inside.ok_or_else(lost)?;
        if !inside.contains('"') {
            return Ok(None);
        }
        let (name, rest) =
            inside.strip_prefix('@').and_then(|rest| rest.split_once(", [")).ok_or_else(lost)?;
        let (list, rest) = rest.split_once(']').ok_or_else(lost)?;
        if rest.contains("unreduced") {
            return Err(lost());
        }
        let mesh = Mesh::named(func, name.trim_matches('"')).ok_or_else(lost)?;
        let piece = |piece: &str| piece.split('}').next().unwrap_or_default().to_owned();
        let dims: Vec<_> =
            list.split('{').skip(1).map(piece).map(|text| (axis_parts(&text), text)).collect();
        let split = Self { name: name.to_owned(), mesh, dims };
        Ok((0..split.dims.len()).any(|dim| split.count(dim) != Some(1)).then_some(split))
    }

    /// The number of parts of a dimension.
    fn count(&self, dim: usize) -> Option<i64> {
        let Some((parts, _)) = self.dims.get(dim) else { return Some(1) };
        self.mesh.index_along(0, parts).map(|(_, count)| count)
    }

    /// The sizes of a part.
    fn part(&self, shape: &[i64]) -> Result<Vec<i64>, Failure> {
        let part = |(dim, size): (usize, &i64)| {
            let count = self.count(dim).filter(|count| *count > 0 && size % count == 0);
            count.map(|count| size / count).ok_or_else(|| {
                Failure::unimplemented(format!(
                    "dimension {dim} of `{shape:?}` is not divided by the axes {{{}}}",
                    self.dims[dim].1
                ))
            })
        };
        shape.iter().enumerate().map(part).collect()
    }

    /// The text of the sharding, or of one of values that devices have as they are.
    fn text(&self, is_split: bool) -> String {
        let dim = |(_, text): &(Vec<AxisPart>, String)| match is_split {
            true => format!("{{{text}}}"),
            false => "{}".to_owned(),
        };
        let dims: Vec<_> = self.dims.iter().map(dim).collect();
        format!("<@{}, [{}]>", self.name, dims.join(", "))
    }

    /// Whether two values are split in the same way.
    fn is_like(&self, other: &Self) -> bool {
        let axes =
            |split: &Self| split.dims.iter().map(|(parts, _)| parts.clone()).collect::<Vec<_>>();
        self.name == other.name && axes(self) == axes(other)
    }

    /// A body that takes and returns its argument, split in this way before it or after it.
    fn body<'c>(
        &self,
        builder: &Builder<'c>,
        value: Value<'c>,
        [before, after]: [bool; 2],
        shapes: [&[i64]; 2],
    ) -> Result<Op<'c>, Failure> {
        let context = builder.context;
        let axes = self.dims.iter().flat_map(|(parts, _)| parts);
        let mut axes: Vec<_> = axes.map(|part| format!("\"{}\"", part.axis)).collect();
        axes.sort();
        axes.dedup();
        let attribute = |text: String| {
            let lost = || Failure::internal(format!("`{text}` is not read"));
            parse_attr(context, &text).ok_or_else(lost)
        };
        let element = value.ty().element();
        let [own, result] = shapes.map(|shape| tensor(shape, element));
        let region = builder.region(&[own], |inner, arguments| {
            inner.op(OpKind::SdyReturn.name()).operands(arguments).build();
        });
        Ok(builder
            .op(OpKind::SdyManualComputation.name())
            .operand(value)
            .attr("in_shardings", attribute(per_value(&[self.text(before)]))?)
            .attr("out_shardings", attribute(per_value(&[self.text(after)]))?)
            .attr("manual_axes", attribute(format!("#sdy<manual_axes{{{}}}>", axes.join(", ")))?)
            .region(region)
            .result(result)
            .build())
    }

    /// `xla.OpSharding`.
    fn proto(&self) -> Result<Vec<u8>, Failure> {
        let lost = || Failure::unimplemented(format!("the sharding `{}`", self.text(true)));
        let mut tiles: BTreeMap<Vec<i64>, Vec<u64>> = BTreeMap::new();
        for position in 0..self.mesh.count() {
            let along = self.dims.iter().map(|(parts, _)| self.mesh.index_along(position, parts));
            let along = along.collect::<Option<Vec<_>>>().ok_or_else(lost)?;
            let device = u64::try_from(self.mesh.device(position)).map_err(|_| lost())?;
            tiles
                .entry(along.into_iter().map(|(index, _)| index).collect())
                .or_default()
                .push(device);
        }
        let counts =
            (0..self.dims.len()).map(|dim| self.count(dim).and_then(|one| u64::try_from(one).ok()));
        let counts = counts.collect::<Option<Vec<_>>>().ok_or_else(lost)?;
        let devices: Vec<_> = tiles.into_values().flatten().collect();
        Ok(proto::tiled(&counts, &devices))
    }
}

/// The shardings of a body's operands (`in_shardings`) or results (`out_shardings`), each as the text of one value.
fn listed(body: Op<'_>, name: &str) -> Vec<String> {
    let text = body.attr(name).map(|all| all.to_string()).unwrap_or_default();
    let all = text.split_once('[').and_then(|(_, rest)| rest.rsplit_once(']'));
    let all = all.map_or("", |(all, _)| all);
    let all = all.split("<@").skip(1).map(|one| format!("<@{}", one.trim_end_matches([',', ' '])));
    let all: Vec<_> = all.collect();
    let count = if name == "in_shardings" { body.operand_count() } else { body.result_count() };
    // Meshes without names are not told apart.
    if all.len() == count { all } else { Vec::new() }
}

/// Lets a body take or return a value as each device has it.
fn unsplit<'c>(
    context: &'c Context,
    (body, name, index): (Op<'c>, &str, usize),
    split: &Split,
) -> Result<(), Failure> {
    let mut all = listed(body, name);
    all[index] = split.text(false);
    let text = per_value(&all);
    let lost = || Failure::internal(format!("`{text}` is not read"));
    body.set_attr(name, parse_attr(context, &text).ok_or_else(lost)?);
    Ok(())
}

/// The attribute of the shardings of several values.
fn per_value(all: &[String]) -> String {
    format!("#sdy.sharding_per_value<[{}]>", all.join(", "))
}

/// Whether operand or result `index` of a body is split like that, and nothing else is split in its part.
fn is_split_like(func: Op<'_>, body: Op<'_>, name: &str, index: usize, split: &Split) -> bool {
    let own = listed(body, name).get(index).map(|text| Split::of(func, text));
    matches!(own, Some(Ok(Some(own))) if own.is_like(split))
}

/// Makes the entry one of parts; returns `xla.OpSharding` for each argument and each result.
///
/// # Errors
/// For shardings that are not of axes of one mesh of the program that divide the sizes.
pub fn split<'c>(context: &'c Context, module: &Module<'c>) -> Result<[Vec<Vec<u8>>; 2], Failure> {
    let Ok(func) = entry(module, None) else { return Ok([Vec::new(), Vec::new()]) };
    let types = func.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types);
    let (mut inputs, mut outputs) = types.unwrap_or_default();
    let wanted = |list: &str, count: usize| -> Result<Vec<Option<Split>>, Failure> {
        let entries = func.attr(list).and_then(|list| list.as_array()).unwrap_or_default();
        let one = |index: usize| {
            let sharding = entries.get(index).and_then(|entry| entry.entry(SHARDING));
            sharding.map_or(Ok(None), |one| Split::of(func, &one.to_string()))
        };
        (0..count).map(one).collect()
    };
    let mut own = [wanted("arg_attrs", inputs.len())?, wanted("res_attrs", outputs.len())?];
    let Some(block) = func.region(0).first_block() else { return Ok([Vec::new(), Vec::new()]) };
    let Some(end) = block.terminator() else { return Ok([Vec::new(), Vec::new()]) };
    // A result without a sharding of its own is split as the body that it comes from says.
    let has_own = |index: usize| {
        let entries = func.attr("res_attrs").and_then(|list| list.as_array()).unwrap_or_default();
        entries.get(index).is_some_and(|entry| entry.entry(SHARDING).is_some())
    };
    for (index, split) in own[1].iter_mut().enumerate().filter(|(index, _)| !has_own(*index)) {
        if let Some((body, result)) = body_of(end.operand(index)) {
            let text = listed(body, "out_shardings").get(result).cloned().unwrap_or_default();
            *split = Split::of(func, &text)?;
        }
    }
    let mut taken = Vec::new();
    let start = Builder::at_start(context, block, func.location());
    for ((argument, ty), split) in block.args().into_iter().zip(&mut inputs).zip(&own[0]) {
        let Some(split) = split else { continue };
        let shape = argument.ty().shape().unwrap_or_default();
        let part = split.part(&shape)?;
        *ty = tensor(&part, argument.ty().element());
        let is_taken = |user: Op<'c>, index: usize| {
            user.kind() == OpKind::SdyManualComputation
                && is_split_like(func, user, "in_shardings", index, split)
                && user.region(0).first_block().is_some_and(|body| body.args()[index].ty() == *ty)
        };
        for (user, index) in argument.uses() {
            if is_taken(user, index) {
                unsplit(context, (user, "in_shardings", index), split)?;
                taken.push((user, index, argument));
            }
        }
        argument.set_ty(*ty);
        let whole = split.body(&start, argument, [false, true], [&part, &shape])?;
        argument.replace_all_uses_with(whole.result(0));
        whole.set_operand(0, argument);
        for (user, index, argument) in taken.drain(..) {
            user.set_operand(index, argument);
        }
        if whole.is_unused() {
            whole.erase();
        }
    }
    let before = Builder::before(context, end);
    for ((index, ty), split) in outputs.iter_mut().enumerate().zip(&own[1]) {
        let Some(split) = split else { continue };
        let value = end.operand(index);
        let shape = value.ty().shape().unwrap_or_default();
        let part = split.part(&shape)?;
        *ty = tensor(&part, value.ty().element());
        if let Some((body, result)) = body_of(value) {
            let inside = body.region(0).first_block().and_then(|block| block.terminator());
            let is_returned = value.has_one_use()
                && is_split_like(func, body, "out_shardings", result, split)
                && inside.is_some_and(|inside| inside.operand(result).ty() == *ty);
            if is_returned {
                unsplit(context, (body, "out_shardings", result), split)?;
                value.set_ty(*ty);
                continue;
            }
        }
        let own = split.body(&before, value, [true, false], [&part, &part])?;
        end.set_operand(index, own.result(0));
    }
    if own.iter().flatten().any(Option::is_some) {
        func.set_attr("function_type", type_attr(function(context, &inputs, &outputs)));
    }
    // Every other value is whole on each device, whatever the program asks for.
    for op in module_op(module).collect(|op| {
        op.has_attr(SHARDING)
            || op.has_attr("arg_attrs")
            || op.has_attr("res_attrs")
            || is_request(op.kind())
    }) {
        op.remove_attr(SHARDING);
        strip(context, op, "arg_attrs");
        strip(context, op, "res_attrs");
        if is_request(op.kind()) {
            op.result(0).replace_all_uses_with(op.operand(0));
            op.erase();
        }
    }
    let proto = |split: &Option<Split>| {
        split.as_ref().map_or_else(|| Ok(proto::replicated()), Split::proto)
    };
    let protos = own.each_ref().map(|all| all.iter().map(proto).collect::<Result<Vec<_>, _>>());
    let [arguments, results] = protos;
    Ok([arguments?, results?])
}

/// The body that a value is a result of, and which one.
fn body_of(value: Value<'_>) -> Option<(Op<'_>, usize)> {
    let owner = value.owner().filter(|owner| owner.kind() == OpKind::SdyManualComputation)?;
    Some((owner, value.result_index()?))
}

/// Whether an operation only asks how its operand is to be split.
fn is_request(kind: OpKind) -> bool {
    matches!(kind, OpKind::SdyReshard | OpKind::SdyShardingConstraint)
}

/// Removes the shardings of arguments or results.
fn strip<'c>(context: &'c Context, func: Op<'c>, list: &str) {
    let Some(entries) = func.attr(list).and_then(|list| list.as_array()) else { return };
    let without = |entry: strata_ir::Attribute<'c>| {
        let mut all = entry.as_dictionary()?;
        all.retain(|(name, _)| *name != SHARDING);
        strata_ir::dictionary(context, &all)
    };
    if let Some(entries) = entries.into_iter().map(without).collect::<Option<Vec<_>>>() {
        func.set_attr(list, strata_ir::array(context, &entries));
    }
}
