//! StableHLO to VHLO of a version.
//!
//! ```text
//! %0 = stablehlo.tanh %arg0 : tensor<f32>
//! %0 = "vhlo.tanh_v1"(%arg0) : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<!vhlo.f32_v1>      (1.9.0)
//! %0 = "vhlo.tanh_v2"(%arg0) <{result_accuracy = #vhlo.result_accuracy_v1<…>}> : …                 (1.10.0)
//! ```
//!
//! The version of an operation is the one that the dialect's table has at the target version. What it cannot express
//! must be a default, or the program needs a newer version.

use std::collections::HashMap;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, Context, Location, Module, Op, OpBuilder, OpName,
    RegionBuilder, Type, TypeExt as _, VHLO_OPS, Value, VhloOp, VhloRecord, array,
    attribute_address, builtin, diagnostic_at, func, module_op, string, type_address, type_to_vhlo,
    value_address, vhlo,
};

use crate::{
    defaults, groups,
    rules::{Absent, Group, Kind, Rule, rule},
    uses, values,
    version::{Version, of_table},
};

/// The VHLO module of a StableHLO program.
///
/// # Errors
/// `S1013` for what the version cannot express.
pub(crate) fn run<'c>(
    context: &'c Context,
    module: &Module<'c>,
    version: Version,
) -> Result<Module<'c>, Diagnostic> {
    let old = module_op(module);
    let new = Module::new(old.location());
    let op = module_op(&new);
    for (name, value) in old.attrs() {
        op.set_attr(name, value);
    }
    let mut export = Export {
        context,
        version: version.set(),
        types: HashMap::new(),
        ages: HashMap::new(),
        values: HashMap::new(),
        casts: HashMap::new(),
    };
    let builder = Builder::at_end(context, op.body(0), old.location());
    for op in old.body(0).ops() {
        export.op(op, &builder)?;
    }
    uses::reorder(&new);
    Ok(new)
}

struct Export<'c> {
    context: &'c Context,
    version: Version,
    types: HashMap<usize, Type<'c>>,
    /// The first version that has an attribute or type with all inside, by its address.
    ages: HashMap<usize, Version>,
    /// The new value: of VHLO's type if VHLO defines it, of its original type if another dialect does.
    values: HashMap<usize, Value<'c>>,
    /// The same values in the other type, by the address of what they were cast from.
    casts: HashMap<usize, Value<'c>>,
}

/// The first version of StableHLO that allows other dialects inside.
const OTHER_DIALECTS: Version = Version::new(1, 11, 0);
/// The first version whose reductions may compute in a wider type than their operands have.
const WIDER_REDUCTION: Version = Version::new(0, 17, 0);
/// The first version whose custom calls have typed configurations.
const TYPED_CALLS: Version = Version::new(1, 3, 0);
/// The first version whose custom calls take futures.
const CALLS_OF_FUTURES: Version = Version::new(1, 17, 0);

/// Operations that may compute in a wider type.
const REDUCTIONS: &[&str] =
    &["all_reduce", "reduce", "reduce_scatter", "reduce_window", "scatter", "select_and_scatter"];

impl<'c> Export<'c> {
    fn refuse(&self, op: Op<'c>, reason: impl Into<String>) -> Diagnostic {
        diagnostic_at(codes::S1013, op).reason(reason).hint(format!(
            "artifacts can be written for StableHLO {} to {}",
            Version::OLDEST,
            Version::NEWEST
        ))
    }

    fn needs(&self, op: Op<'c>, what: &str, needed: Version) -> Diagnostic {
        self.refuse(
            op,
            format!("{what} needs StableHLO {needed}, the artifact is for {}", self.version),
        )
    }

    fn ty(&mut self, op: Op<'c>, ty: Type<'c>) -> Result<Type<'c>, Diagnostic> {
        if let Some(known) = self.types.get(&type_address(ty)) {
            return Ok(*known);
        }
        let converted = type_to_vhlo(ty)
            .ok_or_else(|| self.refuse(op, format!("no version of StableHLO has the type {ty}")))?;
        let since = self.age_of_type(converted);
        if since > self.version {
            return Err(self.needs(op, &format!("the type {ty}"), since));
        }
        self.types.insert(type_address(ty), converted);
        Ok(converted)
    }

    fn age_of_type(&mut self, ty: Type<'c>) -> Version {
        if let Some(known) = self.ages.get(&type_address(ty)) {
            return *known;
        }
        let Some(record) = VhloRecord::of_type(ty) else { return OTHER_DIALECTS };
        let since = self.age(&record);
        self.ages.insert(type_address(ty), since);
        since
    }

    fn age_of_attribute(&mut self, attribute: Attribute<'c>) -> Version {
        if let Some(known) = self.ages.get(&attribute_address(attribute)) {
            return *known;
        }
        let Some(record) = VhloRecord::of_attribute(attribute) else { return OTHER_DIALECTS };
        let since = self.age(&record);
        self.ages.insert(attribute_address(attribute), since);
        since
    }

    fn age(&mut self, record: &VhloRecord<'c>) -> Version {
        let own = of_table(record.since);
        let types = record.types.iter().map(|ty| self.age_of_type(*ty)).max();
        let attributes = record.attributes.iter().map(|value| self.age_of_attribute(*value)).max();
        [types, attributes].into_iter().flatten().fold(own, Version::max)
    }

    /// The VHLO attribute, of the version or older.
    fn attribute(
        &mut self,
        op: Op<'c>,
        name: &str,
        kind: Kind,
        value: Attribute<'c>,
    ) -> Result<Attribute<'c>, Diagnostic> {
        let converted = values::to_vhlo(self.context, kind, value).or_else(|| {
            // Attributes of other dialects are not changed.
            is_of_sdy(value).then_some(value)
        });
        let converted = converted.ok_or_else(|| {
            self.refuse(op, format!("no version of StableHLO has the value of attribute `{name}`"))
        })?;
        self.check_age(op, name, converted)
    }

    fn check_age(
        &mut self,
        op: Op<'c>,
        name: &str,
        value: Attribute<'c>,
    ) -> Result<Attribute<'c>, Diagnostic> {
        let since = self.age_of_attribute(value);
        if since > self.version {
            return Err(self.needs(op, &format!("the value of attribute `{name}`"), since));
        }
        Ok(value)
    }

    fn op(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        match op.name() {
            func::FUNC => self.function(op, builder),
            func::RETURN => self.versioned(op, "return", builder),
            func::CALL => self.versioned(op, "call", builder),
            name => match name.dialect() {
                "stablehlo" => self.versioned(op, name.mnemonic(), builder),
                "sdy" if self.version >= OTHER_DIALECTS => self.foreign(op, builder),
                "sdy" => Err(self.needs(op, "an operation of sdy", OTHER_DIALECTS)),
                dialect => Err(self.refuse(
                    op,
                    format!("portable artifacts cannot contain operations of dialect `{dialect}`"),
                )),
            },
        }
    }

    /// The row of the table for an operation at the version, and the newest one.
    fn rows(
        &self,
        op: Op<'c>,
        base: &str,
    ) -> Result<(&'static VhloOp, &'static VhloOp), Diagnostic> {
        let rows = || VHLO_OPS.iter().filter(|row| crate::import::base(row.name) == base);
        let newest = rows().max_by_key(|row| of_table(row.since));
        let fits =
            |row: &&VhloOp| (of_table(row.since)..=of_table(row.until)).contains(&self.version);
        match (rows().find(fits), newest) {
            (Some(row), Some(newest)) => Ok((row, newest)),
            _ => {
                let first = rows().map(|row| of_table(row.since)).min();
                Err(match first {
                    Some(first) => self.needs(op, "the operation", first),
                    None => self.refuse(op, "no version of StableHLO has the operation"),
                })
            }
        }
    }

    fn versioned(
        &mut self,
        op: Op<'c>,
        base: &str,
        builder: &Builder<'c>,
    ) -> Result<(), Diagnostic> {
        let (row, newest) = self.rows(op, base)?;
        self.check_form(op, base, row, newest)?;
        let operands = self.operands(op)?;
        let mut results = Vec::with_capacity(op.result_count());
        for ty in op.result_types() {
            results.push(self.ty(op, ty)?);
        }
        let mut attributes: Vec<(&str, Attribute<'c>)> = Vec::new();
        let mut taken: Vec<&str> = Vec::new();
        let mut groups_done: Vec<Group> = Vec::new();
        for name in newest.attributes {
            if let Some(group) = Group::of(base, name) {
                taken.extend(group.sources());
                if !groups_done.contains(&group) {
                    groups_done.push(group);
                    let named = groups::to_vhlo(self.context, group, op);
                    let named = named.ok_or_else(|| {
                        self.refuse(op, format!("attribute `{name}` cannot be written"))
                    })?;
                    for (name, value) in named {
                        if row.attributes.contains(&name) {
                            attributes.push((name, self.check_age(op, name, value)?));
                        } else if !is_left_out(value) {
                            let since = of_table(newest.since);
                            return Err(self.needs(op, &format!("attribute `{name}`"), since));
                        }
                    }
                }
                continue;
            }
            taken.push(name);
            let rule = rule(base, name);
            let value = op.attr(name);
            if !row.attributes.contains(name) {
                if value.is_some_and(|value| !is_left_out_by(rule, value)) {
                    let since = of_table(newest.since);
                    return Err(self.needs(op, &format!("attribute `{name}`"), since));
                }
                continue;
            }
            let value = value.or_else(|| defaults::value(self.context, rule, op));
            let value =
                value.ok_or_else(|| self.refuse(op, format!("attribute `{name}` is missing")))?;
            attributes.push((name, self.attribute(op, name, rule.kind, value)?));
        }
        if row.name == vhlo::DYNAMIC_CONV_V1 {
            // The operand is authoritative, but the first version has an attribute as well.
            let rule = Rule { kind: Kind::Plain, default: Absent::Fill(0) };
            if let Some(value) = defaults::value(self.context, rule, op) {
                attributes.push(("padding", self.attribute(op, "padding", Kind::Plain, value)?));
            }
        }
        for (name, value) in op.attrs() {
            if !taken.contains(&name) {
                attributes.push((name, self.attribute(op, name, Kind::Plain, value)?));
            }
        }
        self.build(op, row.name, &operands, &results, &attributes, builder)
    }

    /// What an older version cannot express although it has the same attributes.
    fn check_form(
        &self,
        op: Op<'c>,
        base: &str,
        row: &VhloOp,
        newest: &VhloOp,
    ) -> Result<(), Diagnostic> {
        let since = of_table(newest.since);
        let is_old = row.name != newest.name;
        let variadic = ["all_gather", "all_reduce", "all_to_all", "collective_broadcast"];
        if is_old && variadic.contains(&base) && op.operand_count() != 1 {
            return Err(self.needs(op, "more than one operand", since));
        }
        if is_old && base == "composite" && op.region_count() > 0 {
            return Err(self.needs(op, "a region", since));
        }
        if REDUCTIONS.contains(&base) && self.version < WIDER_REDUCTION && is_wider(op) {
            return Err(self.needs(
                op,
                "an element type that differs from the operand's",
                WIDER_REDUCTION,
            ));
        }
        if base == "custom_call" {
            let config = op.attr("backend_config").and_then(|value| value.as_dictionary());
            let api = op.attr("api_version").and_then(|value| value.as_i64());
            if (config.is_some() || api == Some(4)) && self.version < TYPED_CALLS {
                return Err(self.needs(op, "a typed call", TYPED_CALLS));
            }
            let mut types = op.operands().into_iter().map(Value::ty).chain(op.result_types());
            if self.version < CALLS_OF_FUTURES && types.any(|ty| ty.is_future()) {
                return Err(self.needs(op, "a call with futures", CALLS_OF_FUTURES));
            }
        }
        Ok(())
    }

    fn function(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        let (row, _) = self.rows(op, "func")?;
        let context = self.context;
        let mut attributes: Vec<(&str, Attribute<'c>)> = Vec::new();
        for name in row.attributes {
            let value = op.attr(name).or(match *name {
                "sym_visibility" => Some(string(context, "")),
                "arg_attrs" | "res_attrs" => Some(array(context, &[])),
                _ => None,
            });
            let value =
                value.ok_or_else(|| self.refuse(op, format!("attribute `{name}` is missing")))?;
            let value = if *name == "arg_attrs" || *name == "res_attrs" {
                self.value_attributes(op, name, value)?
            } else {
                self.attribute(op, name, Kind::Plain, value)?
            };
            attributes.push((name, value));
        }
        for (name, value) in op.attrs() {
            if !row.attributes.contains(&name) {
                attributes.push((name, self.attribute(op, name, Kind::Plain, value)?));
            }
        }
        self.build(op, row.name, &[], &[], &attributes, builder)
    }

    /// The attributes of arguments and results: those of other dialects stay inside.
    fn value_attributes(
        &mut self,
        op: Op<'c>,
        name: &str,
        list: Attribute<'c>,
    ) -> Result<Attribute<'c>, Diagnostic> {
        let context = self.context;
        let mut entries = Vec::new();
        for dictionary in list.as_array().unwrap_or_default() {
            let mut parts = Vec::new();
            for (key, value) in dictionary.as_dictionary().unwrap_or_default() {
                parts.push((key, self.attribute(op, key, Kind::Plain, value)?));
            }
            entries.push(values::vhlo_dictionary(context, &parts));
        }
        let entries: Option<Vec<_>> = entries.into_iter().collect();
        let list = entries.and_then(|entries| values::vhlo_array(context, entries));
        list.ok_or_else(|| self.refuse(op, format!("attribute `{name}` cannot be written")))
    }

    /// The operands for an operation of VHLO.
    fn operands(&mut self, op: Op<'c>) -> Result<Vec<Value<'c>>, Diagnostic> {
        let mut operands = Vec::with_capacity(op.operand_count());
        for old in op.operands() {
            let ty = self.ty(op, old.ty())?;
            operands.push(self.operand(op, old, ty, op.location())?);
        }
        Ok(operands)
    }

    /// The new value of `old`, in the type `ty`. A cast is inserted right after its operand, so that it dominates
    /// all users.
    fn operand(
        &mut self,
        op: Op<'c>,
        old: Value<'c>,
        ty: Type<'c>,
        location: Location<'c>,
    ) -> Result<Value<'c>, Diagnostic> {
        let known = self.values.get(&value_address(old)).copied();
        let known =
            known.ok_or_else(|| self.refuse(op, "an operand is used before it is computed"))?;
        if known.ty() == ty {
            return Ok(known);
        }
        if let Some(cast) = self.casts.get(&value_address(known)) {
            return Ok(*cast);
        }
        let builder = insertion_after(self.context, known, location);
        let builder =
            builder.ok_or_else(|| self.refuse(op, "an operand belongs to no operation"))?;
        let cast =
            builder.op(builtin::UNREALIZED_CONVERSION_CAST).operand(known).result(ty).value();
        self.casts.insert(value_address(known), cast);
        Ok(cast)
    }

    /// An operation of another dialect, whose values keep their types.
    fn foreign(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Diagnostic> {
        let builder = Builder { location: op.location(), ..*builder };
        let mut operands = Vec::with_capacity(op.operand_count());
        for old in op.operands() {
            let location = self.values.get(&value_address(old)).map(|new| new.location());
            operands.push(self.operand(op, old, old.ty(), location.unwrap_or(op.location()))?);
        }
        let attributes = op.attrs();
        let new = builder
            .op(op.name())
            .operands(&operands)
            .results(&op.result_types())
            .attrs(&attributes);
        let new = self.with_regions(op, new, &builder)?;
        for (old, new) in op.results().into_iter().zip(new.results()) {
            // VHLO operations cannot use values whose type no version has.
            self.ty(op, old.ty())?;
            self.values.insert(value_address(old), new);
        }
        Ok(())
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
        let new = builder.op(name).operands(operands).results(results).attrs(attributes);
        let new = self.with_regions(op, new, &builder)?;
        for (old, new) in op.results().into_iter().zip(new.results()) {
            self.values.insert(value_address(old), new);
        }
        Ok(())
    }

    /// An operation whose regions are filled after it is created. Bytecode records the order in which uses of a
    /// value were created, and an operation uses its operands before its regions do.
    fn with_regions(
        &mut self,
        op: Op<'c>,
        mut new: OpBuilder<'c>,
        builder: &Builder<'c>,
    ) -> Result<Op<'c>, Diagnostic> {
        for region in op.regions() {
            new = new.region(match region.blocks().len() {
                0 => RegionBuilder::empty(),
                1 => builder.region(&[], |_, _| ()),
                _ => return Err(self.refuse(op, "a region has more than one block")),
            });
        }
        let new = new.build();
        for (old, new) in op.regions().into_iter().zip(new.regions()) {
            if let (Some(old), Some(new)) = (old.first_block(), new.first_block()) {
                self.block(op, old, new)?;
            }
        }
        Ok(new)
    }

    fn block(&mut self, op: Op<'c>, old: Block<'c>, new: Block<'c>) -> Result<(), Diagnostic> {
        let is_foreign = op.dialect() == "sdy";
        for argument in old.args() {
            let converted = self.ty(op, argument.ty())?;
            let ty = if is_foreign { argument.ty() } else { converted };
            let value = new.add_arg(ty, argument.location());
            self.values.insert(value_address(argument), value);
        }
        let inside = Builder::at_end(self.context, new, op.location());
        old.ops().into_iter().try_for_each(|op| self.op(op, &inside))
    }
}

/// The insertion point right after the definition of `value`.
fn insertion_after<'c>(
    context: &'c Context,
    value: Value<'c>,
    location: Location<'c>,
) -> Option<Builder<'c>> {
    match (value.owner(), value.block_arg()) {
        (Some(owner), _) => Some(match owner.next() {
            Some(next) => Builder { location, ..Builder::before(context, next) },
            None => Builder::at_end(context, owner.block()?, location),
        }),
        (None, Some((block, _))) => Some(Builder::at_start(context, block, location)),
        (None, None) => None,
    }
}

fn is_of_sdy(attribute: Attribute<'_>) -> bool {
    attribute.dialect() == "sdy"
}

/// Whether a VHLO attribute that a version lacks is empty: no elements, or the type `none`.
fn is_left_out(value: Attribute<'_>) -> bool {
    values::dims_of(value).is_some_and(|list| list.is_empty())
        || values::type_of(value).is_some_and(|ty| ty.is_none())
}

fn is_left_out_by(rule: Rule, value: Attribute<'_>) -> bool {
    defaults::is_default(rule, value)
}

/// Whether results have element types other than the operands'.
fn is_wider(op: Op<'_>) -> bool {
    let operands = op.operands().into_iter().map(|value| value.ty().element());
    let results = op.result_types().into_iter().map(|ty| ty.element());
    operands.zip(results).any(|(operand, result)| operand != result)
}
