//! Conversion of attributes in both directions.

use strata_ir::{
    Attribute, AttributeExt as _, Context, Fields, OutputOperandAlias, ResultAccuracy,
    ResultAccuracyMode, Type, VhloRecord, array, boolean, dense_bytes, dictionary, enum_attribute,
    enum_number, hlo_mnemonic, i64s, int, integer, parse_attr, plain_attribute_from_vhlo,
    plain_attribute_to_vhlo, string, symbol, tensor, unit,
};

use crate::rules::Kind;

/// Numbers of the portable encoding.
pub(crate) mod codes {
    pub(crate) const ARRAY: u32 = 1;
    pub(crate) const BOOL: u32 = 2;
    pub(crate) const DICT: u32 = 6;
    pub(crate) const ALIAS: u32 = 10;
    pub(crate) const STRING: u32 = 14;
    pub(crate) const BOUNDS: u32 = 18;
    pub(crate) const ACCURACY: u32 = 20;
    pub(crate) const SUB_AXIS: u32 = 21;
    pub(crate) const AXIS_REF: u32 = 22;
    pub(crate) const GROUPS_BY_AXES: u32 = 23;
    pub(crate) const MESH_AXIS: u32 = 24;
    pub(crate) const MESH: u32 = 25;
    pub(crate) const API_VERSION: u32 = 5;

    /// The enumerations, by the mnemonic that StableHLO gives them.
    pub(crate) const ENUMERATIONS: &[(&str, u32)] = &[
        ("comparison_direction", 3),
        ("comparison_type", 4),
        ("fft_type", 7),
        ("precision", 11),
        ("rng_algorithm", 12),
        ("rng_distribution", 13),
        ("transpose", 16),
        ("result_accuracy_mode", 19),
    ];
}

fn record<'c>(code: u32, integers: Vec<i64>, attributes: Vec<Attribute<'c>>) -> VhloRecord<'c> {
    VhloRecord { code, integers, attributes, ..VhloRecord::default() }
}

fn count(list: &[impl Sized]) -> i64 {
    i64::try_from(list.len()).unwrap_or(i64::MAX)
}

/// A list of attributes, the elements being VHLO's already.
pub(crate) fn vhlo_array<'c>(
    context: &'c Context,
    elements: Vec<Attribute<'c>>,
) -> Option<Attribute<'c>> {
    record(codes::ARRAY, vec![count(&elements)], elements).to_attribute(context)
}

/// A dictionary, the values being VHLO's already.
pub(crate) fn vhlo_dictionary<'c>(
    context: &'c Context,
    entries: &[(&str, Attribute<'c>)],
) -> Option<Attribute<'c>> {
    let mut list = Vec::with_capacity(2 * entries.len());
    for (name, value) in entries {
        list.extend([vhlo_string(context, name)?, *value]);
    }
    record(codes::DICT, vec![count(entries)], list).to_attribute(context)
}

pub(crate) fn vhlo_string<'c>(context: &'c Context, text: &str) -> Option<Attribute<'c>> {
    plain_attribute_to_vhlo(string(context, text))
}

pub(crate) fn vhlo_bool(context: &Context, value: bool) -> Option<Attribute<'_>> {
    record(codes::BOOL, vec![i64::from(value)], Vec::new()).to_attribute(context)
}

/// `value : i64`.
pub(crate) fn vhlo_int(context: &Context, value: i64) -> Option<Attribute<'_>> {
    plain_attribute_to_vhlo(int(integer(context, 64), value))
}

/// Elements of `i64` in one dimension.
pub(crate) fn vhlo_dims<'c>(context: &'c Context, values: &[i64]) -> Option<Attribute<'c>> {
    plain_attribute_to_vhlo(dims(context, values)?)
}

/// `dense<…> : tensor<nxi64>`.
fn dims<'c>(context: &'c Context, values: &[i64]) -> Option<Attribute<'c>> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    dense_bytes(tensor(&[count(values)], integer(context, 64)), &bytes)
}

/// `dense<…> : tensor<nxi1>`.
fn flags<'c>(context: &'c Context, values: &[i64]) -> Option<Attribute<'c>> {
    let bytes: Vec<u8> = values.iter().map(|value| u8::from(*value != 0)).collect();
    dense_bytes(tensor(&[count(values)], integer(context, 1)), &bytes)
}

/// The text of a VHLO string.
pub(crate) fn text_of<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    let record = VhloRecord::of_attribute(attribute)?;
    (record.code == codes::STRING).then(|| std::str::from_utf8(record.bytes).ok()).flatten()
}

/// The number in a VHLO integer.
pub(crate) fn int_of(attribute: Attribute<'_>) -> Option<i64> {
    plain_attribute_from_vhlo(attribute)?.as_i64()
}

/// The numbers in one-dimensional VHLO elements.
pub(crate) fn dims_of(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    let elements = plain_attribute_from_vhlo(attribute)?;
    elements.elements_type()?;
    elements.as_i64s()
}

/// The type in a VHLO type attribute.
pub(crate) fn type_of(attribute: Attribute<'_>) -> Option<Type<'_>> {
    plain_attribute_from_vhlo(attribute)?.as_type()
}

/// The elements of a VHLO list.
pub(crate) fn list_of(attribute: Attribute<'_>) -> Option<Vec<Attribute<'_>>> {
    let record = VhloRecord::of_attribute(attribute)?;
    (record.code == codes::ARRAY).then_some(record.attributes)
}

/// The attribute that a VHLO attribute stands for, if its kind is known from its context.
pub(crate) fn from_vhlo<'c>(
    context: &'c Context,
    kind: Kind,
    attribute: Attribute<'c>,
) -> Option<Attribute<'c>> {
    let is_true = |attribute| plain_attribute_from_vhlo(attribute)?.as_bool();
    match kind {
        Kind::Plain => plain_from_vhlo(context, attribute),
        Kind::Dims => Some(i64s(context, &dims_of(attribute)?)),
        Kind::Flags => {
            let values: Vec<_> = dims_of(attribute)?.iter().map(|value| *value != 0).collect();
            let words: Vec<_> = values.iter().map(bool::to_string).collect();
            let colon = if words.is_empty() { "" } else { ": " };
            parse_attr(context, &format!("array<i1{colon}{}>", words.join(", ")))
        }
        Kind::Unit => is_true(attribute)
            .map(|value| if value { unit(context) } else { boolean(context, false) }),
        Kind::Symbol => Some(symbol(context, text_of(attribute)?)),
        Kind::Symbols => {
            let names = list_of(attribute)?.into_iter().map(text_of);
            let symbols = names.map(|name| Some(symbol(context, name?)));
            Some(array(context, &symbols.collect::<Option<Vec<_>>>()?))
        }
        Kind::ApiVersion => {
            let record = VhloRecord::of_attribute(attribute)?;
            let number = *record.integers.first()?;
            (record.code == codes::API_VERSION).then(|| int(integer(context, 32), number))
        }
    }
}

/// As [`from_vhlo`] for any attribute: those of other dialects are not changed.
pub(crate) fn plain_from_vhlo<'c>(
    context: &'c Context,
    attribute: Attribute<'c>,
) -> Option<Attribute<'c>> {
    let Some(record) = VhloRecord::of_attribute(attribute) else {
        return Some(attribute);
    };
    let plain = |attribute| plain_from_vhlo(context, attribute);
    let number = |at: usize| record.integers.get(at).copied();
    match record.code {
        codes::ARRAY => {
            let elements: Option<Vec<_>> = record.attributes.iter().copied().map(plain).collect();
            Some(array(context, &elements?))
        }
        codes::DICT => {
            let entries = record.attributes.chunks_exact(2).map(|entry| match entry {
                [name, value] => Some((text_of(*name)?, plain(*value)?)),
                _ => None,
            });
            dictionary(context, &entries.collect::<Option<Vec<_>>>()?)
        }
        codes::ALIAS => {
            let (results, rest) = counted(&record.integers)?;
            let (operand_index, rest) = rest.split_first()?;
            let (operands, _) = counted(rest)?;
            OutputOperandAlias {
                output_tuple_indices: results.to_vec(),
                operand_tuple_indices: operands.to_vec(),
                operand_index: *operand_index,
            }
            .to_attribute(context)
        }
        codes::ACCURACY => {
            let float = |at| number(at).map(|bits| f64::from_bits(bits.cast_unsigned()));
            let mode = plain(*record.attributes.first()?)?;
            ResultAccuracy {
                atol: float(0)?,
                rtol: float(1)?,
                ulps: number(2)?,
                mode: ResultAccuracyMode::from_attribute(mode)?,
            }
            .to_attribute(context)
        }
        _ => match written(context, &record)? {
            Some(text) => text.iter().find_map(|text| parse_attr(context, text)),
            None => plain_attribute_from_vhlo(attribute).or_else(|| {
                let mnemonic = record.mnemonic.strip_suffix("_v1")?;
                enum_attribute(context, mnemonic, i32::try_from(number(0)?).ok()?)
            }),
        },
    }
}

/// The text of the StableHLO attribute that a record stands for, in the forms to try; `Some(None)` for a record that has none.
fn written<'c>(context: &'c Context, record: &VhloRecord<'c>) -> Option<Option<Vec<String>>> {
    let inside = |at: usize| plain_from_vhlo(context, *record.attributes.get(at)?);
    let number = |at: usize| record.integers.get(at).copied();
    let text = match record.code {
        codes::BOUNDS => {
            let bounds = record.integers.iter().skip(1).map(|bound| match bound {
                &i64::MIN => "?".to_owned(),
                bound => bound.to_string(),
            });
            format!("#stablehlo.bounds<{}>", bounds.collect::<Vec<_>>().join(", "))
        }
        codes::SUB_AXIS => {
            let axis = format!("({}){}", number(0)?, number(1)?);
            let bare = format!("#stablehlo.sub_axis_info {axis}");
            return Some(Some(vec![bare, format!("#stablehlo.sub_axis_info<{axis}>")]));
        }
        codes::AXIS_REF => {
            let sub_axis = match record.attributes.get(1) {
                None => String::new(),
                Some(sub_axis) => {
                    let sub_axis = VhloRecord::of_attribute(*sub_axis)?;
                    let (before, size) = (sub_axis.integers.first()?, sub_axis.integers.get(1)?);
                    format!(", sub_axis_info = ({before}){size}")
                }
            };
            format!("#stablehlo.axis_ref<name = {}{sub_axis}>", inside(0)?)
        }
        codes::GROUPS_BY_AXES => {
            let mesh = match text_of(*record.attributes.first()?) {
                Some(name) => symbol(context, name),
                None => inside(0)?,
            };
            let axes = inside(1)?;
            format!("#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = {axes}>")
        }
        codes::MESH_AXIS => {
            format!("#stablehlo.mesh_axis<name = {}, size = {}>", inside(0)?, number(0)?)
        }
        codes::MESH => {
            let devices = match record.attributes.len() {
                2 => format!(", device_ids = {}", inside(1)?),
                _ => String::new(),
            };
            format!("#stablehlo.mesh<axes = {}{devices}>", inside(0)?)
        }
        _ => return Some(None),
    };
    Some(Some(vec![text]))
}

/// A length-prefixed list, and the rest.
fn counted(integers: &[i64]) -> Option<(&[i64], &[i64])> {
    let (count, rest) = integers.split_first()?;
    rest.split_at_checked(usize::try_from(*count).ok()?)
}

/// The VHLO attribute that stands for an attribute; `None` when there is none.
pub(crate) fn to_vhlo<'c>(
    context: &'c Context,
    kind: Kind,
    attribute: Attribute<'c>,
) -> Option<Attribute<'c>> {
    match kind {
        // A unit attribute if present, or the boolean for its absence.
        Kind::Unit => vhlo_bool(context, attribute.as_bool() != Some(false)),
        Kind::Symbol => vhlo_string(context, attribute.as_symbol()?),
        Kind::Symbols => {
            let names = attribute.as_array()?.into_iter().map(|name| name.as_symbol());
            let names = names.map(|name| vhlo_string(context, name?));
            vhlo_array(context, names.collect::<Option<_>>()?)
        }
        Kind::ApiVersion => {
            record(codes::API_VERSION, vec![attribute.as_i64()?], Vec::new()).to_attribute(context)
        }
        Kind::Plain | Kind::Dims | Kind::Flags => plain_to_vhlo(context, attribute),
    }
}

/// As [`to_vhlo`] for any attribute.
pub(crate) fn plain_to_vhlo<'c>(
    context: &'c Context,
    attribute: Attribute<'c>,
) -> Option<Attribute<'c>> {
    if VhloRecord::of_attribute(attribute).is_some() {
        return Some(attribute);
    }
    if let Some(elements) = attribute.as_array() {
        let elements = elements.into_iter().map(|element| plain_to_vhlo(context, element));
        return vhlo_array(context, elements.collect::<Option<_>>()?);
    }
    if let Some(entries) = attribute.as_dictionary() {
        let entries = entries.into_iter();
        let entries = entries.map(|(name, value)| Some((name, plain_to_vhlo(context, value)?)));
        return vhlo_dictionary(context, &entries.collect::<Option<Vec<_>>>()?);
    }
    if let Some(name) = attribute.as_symbol() {
        return vhlo_string(context, name);
    }
    if let Some(plain) = plain_attribute_to_vhlo(attribute) {
        return Some(plain);
    }
    match hlo_mnemonic(attribute) {
        Some(mnemonic) => structure_to_vhlo(context, mnemonic, attribute),
        None => {
            let values = attribute.as_i64s()?;
            match attribute.dense_array_width()? {
                64 => vhlo_dims(context, &values),
                1 => plain_attribute_to_vhlo(flags(context, &values)?),
                _ => None,
            }
        }
    }
}

/// The attributes of the StableHLO dialect.
fn structure_to_vhlo<'c>(
    context: &'c Context,
    mnemonic: &str,
    attribute: Attribute<'c>,
) -> Option<Attribute<'c>> {
    if let Some((_, code)) = codes::ENUMERATIONS.iter().find(|(name, _)| *name == mnemonic) {
        let number = i64::from(enum_number(attribute)?);
        return record(*code, vec![number], Vec::new()).to_attribute(context);
    }
    let fields = Fields::of(attribute, mnemonic)?;
    let inside = |name| plain_to_vhlo(context, fields.nested(name)?);
    let built = match mnemonic {
        "output_operand_alias" => {
            let results = fields.ints("output_tuple_indices")?;
            let operands = fields.ints("operand_tuple_indices")?;
            let mut integers = vec![count(&results)];
            integers.extend(results);
            integers.push(fields.int("operand_index")?);
            integers.push(count(&operands));
            integers.extend(operands);
            record(codes::ALIAS, integers, Vec::new())
        }
        "bounds" => {
            let bounds = fields.ints("bounds")?;
            let integers = [count(&bounds)].into_iter().chain(bounds).collect();
            record(codes::BOUNDS, integers, Vec::new())
        }
        "result_accuracy" => {
            let accuracy = ResultAccuracy::from_attribute(attribute)?;
            let bits = |value: f64| value.to_bits().cast_signed();
            let integers = vec![bits(accuracy.atol), bits(accuracy.rtol), accuracy.ulps];
            record(codes::ACCURACY, integers, vec![inside("mode")?])
        }
        "sub_axis_info" => {
            let integers = vec![fields.int("pre_size")?, fields.int("size")?];
            record(codes::SUB_AXIS, integers, Vec::new())
        }
        "axis_ref" => {
            let sub_axis = match fields.nested("sub_axis_info") {
                Some(sub_axis) => vec![plain_to_vhlo(context, sub_axis)?],
                None => Vec::new(),
            };
            let has_sub_axis = count(&sub_axis);
            let attributes = [inside("name")?].into_iter().chain(sub_axis).collect();
            record(codes::AXIS_REF, vec![has_sub_axis], attributes)
        }
        "replica_group_mesh_axes" => {
            record(codes::GROUPS_BY_AXES, Vec::new(), vec![inside("mesh")?, inside("axes")?])
        }
        "mesh_axis" => record(codes::MESH_AXIS, vec![fields.int("size")?], vec![inside("name")?]),
        "mesh" => {
            let devices = match fields.nested("device_ids") {
                Some(devices) => vec![plain_to_vhlo(context, devices)?],
                None => Vec::new(),
            };
            let has_devices = count(&devices);
            let attributes = [inside("axes")?].into_iter().chain(devices).collect();
            record(codes::MESH, vec![has_devices], attributes)
        }
        _ => return None,
    };
    built.to_attribute(context)
}
