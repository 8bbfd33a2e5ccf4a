//! VHLO of any version to StableHLO.
//!
//! ```text
//! %0 = "vhlo.reverse_v1"(%arg0) <{dimensions = #vhlo.tensor_v1<dense<1> : tensor<1xi64>>}> : …
//! %0 = stablehlo.reverse %arg0, dims = [1] : tensor<2x3xf32>
//! ```
//!
//! Every version of an operation expresses a subset of its last one, so all of them are converted directly to
//! StableHLO: what an older version lacks is a default.

use std::collections::{BTreeMap, HashMap};

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, Context, Module, Op, OpKind, OpName, Point,
    Region, RegionBuilder, Type, Value, VhloRecord, builtin, diagnostic_at, func, module_op,
    type_address, type_from_vhlo, value_address, vhlo, vhlo_op,
};

use crate::{
    defaults, groups,
    rules::{Group, Kind, rule},
    values::{self, plain_from_vhlo},
};

/// The StableHLO program of a VHLO module.
///
/// # Errors
/// `S1005` for VHLO that is invalid in every version of StableHLO.
pub(crate) fn run<'c>(context: &'c Context, module: &Module<'c>) -> Result<Module<'c>, Diagnostic> {
    let old = module_op(module);
    let new = Module::new(old.location());
    let op = module_op(&new);
    let mut import = Import { context, types: HashMap::new(), values: HashMap::new() };
    for (name, value) in old.attrs() {
        op.set_attr(name, import.attribute(old, name, Kind::Plain, value)?);
    }
    let builder = Builder::at_end(context, op.body(0), old.location());
    for op in old.body(0).ops() {
        import.op(op, &builder)?;
    }
    Ok(new)
}

/// `vhlo.gather_v2` without dialect and version.
pub(crate) fn base(name: OpName<'_>) -> &str {
    let name = name.mnemonic();
    name.rsplit_once("_v").map_or(name, |(base, _)| base)
}

fn refuse(op: Op<'_>, reason: impl Into<String>) -> Diagnostic {
    diagnostic_at(codes::S1005, op).reason(reason)
}

struct Import<'c> {
    context: &'c Context,
    types: HashMap<usize, Type<'c>>,
    values: HashMap<usize, Value<'c>>,
}

impl<'c> Import<'c> {
    fn ty(&mut self, op: Op<'c>, ty: Type<'c>) -> Result<Type<'c>, Diagnostic> {
        if let Some(known) = self.types.get(&type_address(ty)) {
            return Ok(*known);
        }
        let converted = type_from_vhlo(ty).ok_or_else(|| {
            refuse(op, format!("{ty} does not correspond to a type of StableHLO"))
        })?;
        self.types.insert(type_address(ty), converted);
        Ok(converted)
    }

    fn attribute(
        &self,
        op: Op<'c>,
        name: &str,
        kind: Kind,
        value: Attribute<'c>,
    ) -> Result<Attribute<'c>, Diagnostic> {
        values::from_vhlo(self.context, kind, value)
            .ok_or_else(|| refuse(op, format!("attribute `{name}` is malformed")))
    }

    fn operands(&self, op: Op<'c>) -> Result<Vec<Value<'c>>, Diagnostic> {
        let known = |value| self.values.get(&value_address(value)).copied();
        let missing = || refuse(op, "an operand is used before it is computed");
        op.operands().into_iter().map(|value| known(value).ok_or_else(missing)).collect()
    }

    fn op(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        match op.dialect() {
            "vhlo" if op.is(vhlo::FUNC_V1) => self.function(op, builder),
            "vhlo" => self.versioned(op, builder),
            _ => self.foreign(op, builder),
        }
    }

    /// An operation of another dialect. Casts between VHLO and other types are no longer needed.
    fn foreign(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        let operands = self.operands(op)?;
        let mut results = Vec::with_capacity(op.result_count());
        for ty in op.result_types() {
            results.push(self.ty(op, ty)?);
        }
        let is_cast = op.is(builtin::UNREALIZED_CONVERSION_CAST);
        if is_cast && operands.iter().map(|value| value.ty()).eq(results.iter().copied()) {
            for (old, new) in op.results().into_iter().zip(operands) {
                self.values.insert(value_address(old), new);
            }
            return Ok(());
        }
        let mut attributes = Vec::new();
        for (name, value) in op.attrs() {
            attributes.push((name, self.attribute(op, name, Kind::Plain, value)?));
        }
        self.build(op, op.name(), &operands, &results, &attributes, builder)
    }

    fn versioned(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        let base = base(op.name());
        let operands = self.operands(op)?;
        let mut results = Vec::with_capacity(op.result_count());
        for ty in op.result_types() {
            results.push(self.ty(op, ty)?);
        }
        let is_in_function = op.parent().is_some_and(|parent| parent.is(vhlo::FUNC_V1));
        let name = match base {
            "return" if is_in_function => func::RETURN,
            "call" => func::CALL,
            _ => match OpKind::from_name(&format!("stablehlo.{base}")) {
                OpKind::Foreign => return Err(refuse(op, "StableHLO has no such operation")),
                kind => kind.name(),
            },
        };
        let mut attributes = self.inherent(op, base)?;
        attributes.extend(self.discardable(op)?);
        self.build(op, name, &operands, &results, &attributes, builder)
    }

    /// The attributes of the definition of a VHLO operation.
    fn inherent(
        &self,
        op: Op<'c>,
        base: &str,
    ) -> Result<Vec<(&'c str, Attribute<'c>)>, Diagnostic> {
        let names = vhlo_op(op.name()).map_or(&[][..], |row| row.attributes);
        let mut written = BTreeMap::new();
        for name in names {
            let value = op
                .attr(name)
                .ok_or_else(|| refuse(op, format!("attribute `{name}` is missing")))?;
            written.insert(*name, value);
        }
        if base == "dynamic_conv" {
            // An operand gives the padding; the first version has an attribute as well, which is ignored.
            written.remove("padding");
        }
        let mut attributes: Vec<(&'c str, Attribute<'c>)> = Vec::new();
        let mut groups_done: Vec<Group> = Vec::new();
        for (name, value) in &written {
            if let Some(group) = Group::of(base, name) {
                if !groups_done.contains(&group) {
                    groups_done.push(group);
                    let named = groups::from_vhlo(self.context, group, &written);
                    attributes.extend(named.ok_or_else(|| {
                        refuse(op, format!("attribute `{name}` or a related one is invalid"))
                    })?);
                }
                continue;
            }
            let rule = rule(base, name);
            let value = self.attribute(op, name, rule.kind, *value)?;
            if !defaults::is_default(rule, value) {
                attributes.push((*name, value));
            }
        }
        Ok(attributes)
    }

    fn discardable(&self, op: Op<'c>) -> Result<Vec<(&'c str, Attribute<'c>)>, Diagnostic> {
        let names = vhlo_op(op.name()).map_or(&[][..], |row| row.attributes);
        let others = op.attrs().into_iter().filter(|(name, _)| !names.contains(name));
        others
            .map(|(name, value)| Ok((name, self.attribute(op, name, Kind::Plain, value)?)))
            .collect()
    }

    fn function(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        let read = |name: &str| {
            let value = op.attr(name).and_then(|value| plain_from_vhlo(self.context, value));
            value.ok_or_else(|| refuse(op, format!("attribute `{name}` is missing or invalid")))
        };
        let mut attributes =
            vec![("sym_name", read("sym_name")?), ("function_type", read("function_type")?)];
        let visibility = read("sym_visibility")?;
        if visibility.as_str() != Some("") {
            attributes.push(("sym_visibility", visibility));
        }
        for name in ["arg_attrs", "res_attrs"] {
            let list = read(name)?;
            if list.as_array().is_none_or(|list| !list.is_empty()) {
                attributes.push((name, list));
            }
        }
        attributes.extend(self.discardable(op)?);
        self.build(op, func::FUNC, &[], &[], &attributes, builder)
    }

    fn build(
        &mut self,
        op: Op<'c>,
        name: OpName<'c>,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        builder: &Builder<'c>,
    ) -> Result<(), Diagnostic> {
        let builder = Builder { location: op.location(), ..*builder };
        let mut new = builder.op(name).operands(operands).results(results).attrs(attributes);
        for region in op.regions() {
            new = new.region(self.region(op, region)?);
        }
        let new = new.build();
        for (old, new) in op.results().into_iter().zip(new.results()) {
            self.values.insert(value_address(old), new);
        }
        Ok(())
    }

    fn region(&mut self, op: Op<'c>, region: Region<'c>) -> Result<RegionBuilder, Diagnostic> {
        let blocks = region.blocks();
        let [old] = blocks.as_slice() else {
            return match blocks.is_empty() {
                true => Ok(RegionBuilder::empty()),
                false => Err(refuse(op, "a region has more than one block")),
            };
        };
        let mut types = Vec::with_capacity(old.arg_count());
        for argument in old.args() {
            types.push(self.ty(op, argument.ty())?);
        }
        let mut result = Ok(());
        let builder = Builder::at_end(self.context, *old, op.location());
        let region = builder.region(&[], |inside, _| result = self.block(*old, &types, inside));
        result.map(|()| region)
    }

    fn block(
        &mut self,
        old: Block<'c>,
        types: &[Type<'c>],
        inside: &Builder<'c>,
    ) -> Result<(), Diagnostic> {
        if let Point::End(new) = inside.point {
            for (argument, ty) in old.args().into_iter().zip(types) {
                let value = new.add_arg(*ty, argument.location());
                self.values.insert(value_address(argument), value);
            }
        }
        old.ops().into_iter().try_for_each(|op| self.op(op, inside))
    }
}

/// Whether the module has operations, types or attributes of VHLO.
pub(crate) fn is_versioned(module: &Module<'_>) -> bool {
    let op = module_op(module);
    let in_attributes = || op.attrs().iter().any(|(_, value)| is_vhlo(*value));
    !op.collect(|op| op.dialect() == "vhlo").is_empty() || in_attributes()
}

fn is_vhlo(attribute: Attribute<'_>) -> bool {
    VhloRecord::of_attribute(attribute).is_some()
}
