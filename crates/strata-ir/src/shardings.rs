//! How values are distributed over the devices of a mesh: the attributes of dialect `sdy`, read, checked and written.
//!
//! ```text
//! sdy.mesh @m = <["x"=2, "y"=4]>
//! #sdy.sharding<@m, [{"x", "y":(1)2}, {?}p1], replicated={"y":(2)2}>
//! ```
//!
//! Each dimension is split along axes of the mesh, the first of them outermost. Along all other axes the devices have the same. An
//! open dimension (`?`) may be split further by propagation.
//!
//! A function has the sharding of each argument and result as its attribute `sdy.sharding`, an operation a list of those of its
//! results. [`TensorSharding::of_value`] and [`set_shardings`] are the two ends of what stages say to one another with it.

use std::fmt;

use melior::{Context, ir::Attribute};

use crate::{
    attrs::{AttributeExt as _, array, dictionary, parse_attr},
    dialects::func,
    handles::{Op, Value},
    kinds::OpKind,
    meshes::{AxisPart, Mesh},
};

/// The name of the attribute.
pub const SHARDING: &str = "sdy.sharding";

/// The mesh of a sharding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeshRef {
    /// By the name of its symbol in the module.
    Named(String),
    /// Written out.
    Inline(Mesh),
}

impl MeshRef {
    /// The mesh itself; `None` if the module around `op` has none of that name.
    pub fn resolve(&self, op: Op<'_>) -> Option<Mesh> {
        match self {
            Self::Named(name) => Mesh::named(op, name),
            Self::Inline(mesh) => Some(mesh.clone()),
        }
    }
}

/// How a dimension is distributed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DimSharding {
    /// The axes that it is split along, outermost first.
    pub axes: Vec<AxisPart>,
    /// Whether propagation may split it further.
    pub is_open: bool,
    /// When it takes part in propagation: those of lower numbers do first, and those without one are of number 0.
    pub priority: Option<i64>,
}

impl DimSharding {
    /// Split along these axes, and no further.
    pub fn closed(axes: Vec<AxisPart>) -> Self {
        Self { axes, is_open: false, priority: None }
    }

    /// Not split so far.
    pub fn open() -> Self {
        Self { is_open: true, ..Self::default() }
    }
}

/// How a value is distributed over a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSharding {
    /// The mesh.
    pub mesh: MeshRef,
    /// One for each dimension.
    pub dims: Vec<DimSharding>,
    /// The axes along which devices have the same, and propagation must not change that. Others that no dimension has are so, too.
    pub replicated: Vec<AxisPart>,
    /// The axes along which devices have terms of sums that are not added yet.
    pub unreduced: Vec<AxisPart>,
}

impl TensorSharding {
    /// The same on all devices of the mesh, for good.
    pub fn replicated(mesh: MeshRef, rank: usize) -> Self {
        let dims = vec![DimSharding::default(); rank];
        Self { mesh, dims, replicated: Vec::new(), unreduced: Vec::new() }
    }

    /// Not split so far.
    pub fn open(mesh: MeshRef, rank: usize) -> Self {
        let dims = vec![DimSharding::open(); rank];
        Self { mesh, dims, replicated: Vec::new(), unreduced: Vec::new() }
    }

    /// That of an attribute `#sdy.sharding<…>`; `None` for any other.
    pub fn from_attribute(attribute: Attribute<'_>) -> Option<Self> {
        let text = attribute.to_string();
        let mut reader = Reader { rest: text.strip_prefix("#sdy.sharding")? };
        let sharding = reader.sharding()?;
        reader.rest.is_empty().then_some(sharding)
    }

    /// Those of an attribute `#sdy.sharding_per_value<…>`; `None` for any other.
    pub fn list_from_attribute(attribute: Attribute<'_>) -> Option<Vec<Self>> {
        read_shardings(&attribute.to_string())
    }

    /// The attribute; `None` where a name in it cannot be written.
    pub fn to_attribute<'c>(&self, context: &'c Context) -> Option<Attribute<'c>> {
        parse_attr(context, &format!("#sdy.sharding{self}"))
    }

    /// That of a value: of a result, an argument of a function or of a body that runs on values from outside. `None` where the
    /// program does not say.
    pub fn of_value(value: Value<'_>) -> Option<Self> {
        if let Some(index) = value.result_index() {
            return shardings_of(value.owner()?)?.into_iter().nth(index);
        }
        let (block, index) = value.block_arg()?;
        let parent = block.parent_op()?;
        if parent.is(func::FUNC) {
            return Self::of_signature(parent, "arg_attrs", index);
        }
        let listed = |name: &str| Self::list_from_attribute(parent.attr(name)?);
        if parent.kind() == OpKind::While {
            return shardings_of(parent)?.into_iter().nth(index);
        }
        if parent.kind() == OpKind::SdyNamedComputation {
            return listed("in_shardings")?.into_iter().nth(index);
        }
        if parent.kind() != OpKind::SdyManualComputation {
            return None;
        }
        let mut sharding = listed("in_shardings")?.into_iter().nth(index)?;
        let manual = parent.attr("manual_axes").map(crate::axis_names).unwrap_or_default();
        sharding.remove_axes(|part| manual.contains(&part.axis));
        Some(sharding)
    }

    /// That of argument `index` of a function.
    pub fn of_argument(func: Op<'_>, index: usize) -> Option<Self> {
        Self::of_signature(func, "arg_attrs", index)
    }

    /// That of result `index` of a function.
    pub fn of_result(func: Op<'_>, index: usize) -> Option<Self> {
        Self::of_signature(func, "res_attrs", index)
    }

    fn of_signature(func: Op<'_>, list: &str, index: usize) -> Option<Self> {
        let entries = func.attr(list)?.as_array()?.into_iter().nth(index)?;
        Self::from_attribute(entries.entry(SHARDING)?)
    }

    /// Drops the axes for which `is_gone`.
    pub fn remove_axes(&mut self, is_gone: impl Fn(&AxisPart) -> bool) {
        for dim in &mut self.dims {
            dim.axes.retain(|part| !is_gone(part));
        }
        self.replicated.retain(|part| !is_gone(part));
        self.unreduced.retain(|part| !is_gone(part));
    }

    /// The same with no dimension open and no priority.
    #[must_use]
    pub fn close(mut self) -> Self {
        for dim in &mut self.dims {
            (dim.is_open, dim.priority) = (false, None);
        }
        self
    }

    /// All axes that it names.
    pub fn axes(&self) -> impl Iterator<Item = &AxisPart> {
        let split = self.dims.iter().flat_map(|dim| &dim.axes);
        split.chain(&self.replicated).chain(&self.unreduced)
    }

    /// Whether devices have different things: a dimension is split along an axis of more than one device, or they have terms of sums.
    pub fn is_split(&self, mesh: &Mesh) -> bool {
        let has_terms = self.unreduced.iter().any(|part| mesh.size(part) != Some(1));
        has_terms || (0..self.dims.len()).any(|dim| self.count_along(mesh, dim) != Some(1))
    }

    /// The number of parts that a dimension is split in; `None` for an axis that the mesh lacks.
    pub fn count_along(&self, mesh: &Mesh, dim: usize) -> Option<i64> {
        let axes = &self.dims.get(dim)?.axes;
        axes.iter().try_fold(1, |count: i64, part| count.checked_mul(mesh.size(part)?))
    }

    /// The shape of the part that a device has, the largest of them where sizes are not divided; `None` for an axis that the mesh lacks.
    pub fn part_shape(&self, mesh: &Mesh, shape: &[i64]) -> Option<Vec<i64>> {
        let part = |(dim, size): (usize, &i64)| {
            let count = self.count_along(mesh, dim)?;
            (*size >= 0).then(|| size / count + i64::from(size % count != 0))
        };
        shape.iter().enumerate().map(part).collect()
    }

    /// Checks it against its mesh and the rank of its value.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn check(&self, mesh: &Mesh, rank: usize) -> Result<(), String> {
        if self.dims.len() != rank {
            return Err(format!(
                "the sharding has {} dimensions, and the value {rank}",
                self.dims.len()
            ));
        }
        let mut seen: Vec<&AxisPart> = Vec::new();
        for part in self.axes() {
            if mesh.size(part).is_none() {
                return Err(match mesh.axes.iter().find(|(name, _)| *name == part.axis) {
                    Some((_, size)) => {
                        format!("axis `{part}` has no such part: its size is {size}")
                    }
                    None => format!("the mesh has no axis `{part}`"),
                });
            }
            if let Some(other) = seen.iter().find(|other| part.overlaps(other)) {
                return Err(format!("axes `{other}` and `{part}` overlap"));
            }
            seen.push(part);
        }
        Ok(())
    }
}

/// The shardings of an operation's results; `None` where it has none.
pub fn shardings_of(op: Op<'_>) -> Option<Vec<TensorSharding>> {
    TensorSharding::list_from_attribute(op.attr(SHARDING)?)
}

/// Gives the results of an operation their shardings.
pub fn set_shardings<'c>(context: &'c Context, op: Op<'c>, shardings: &[TensorSharding]) {
    let listed: Vec<_> = shardings.iter().map(ToString::to_string).collect();
    let text = format!("#sdy.sharding_per_value<[{}]>", listed.join(", "));
    if let Some(attribute) = parse_attr(context, &text) {
        op.set_attr(SHARDING, attribute);
    }
}

/// Gives argument `index` of a function its sharding.
pub fn set_argument_sharding<'c>(
    context: &'c Context,
    func: Op<'c>,
    index: usize,
    sharding: &TensorSharding,
) {
    let count = func.region(0).first_block().map_or(0, |block| block.arg_count());
    set_in_signature(context, func, ("arg_attrs", count), index, sharding);
}

/// Gives result `index` of a function its sharding.
pub fn set_result_sharding<'c>(
    context: &'c Context,
    func: Op<'c>,
    index: usize,
    sharding: &TensorSharding,
) {
    let ty = func.attr("function_type").and_then(|ty| ty.as_type());
    let count = ty.and_then(crate::function_types).map_or(0, |(_, results)| results.len());
    set_in_signature(context, func, ("res_attrs", count), index, sharding);
}

fn set_in_signature<'c>(
    context: &'c Context,
    func: Op<'c>,
    (name, count): (&str, usize),
    index: usize,
    sharding: &TensorSharding,
) {
    let listed = func.attr(name).and_then(|list| list.as_array()).unwrap_or_default();
    let mut lists: Vec<_> =
        listed.into_iter().map(|entries| entries.as_dictionary().unwrap_or_default()).collect();
    lists.resize(count, Vec::new());
    let (Some(entries), Some(value)) = (lists.get_mut(index), sharding.to_attribute(context))
    else {
        return;
    };
    entries.retain(|(name, _)| *name != SHARDING);
    entries.push((SHARDING, value));
    let all: Option<Vec<_>> = lists.iter().map(|entries| dictionary(context, entries)).collect();
    if let Some(all) = all {
        func.set_attr(name, array(context, &all));
    }
}

/// The shardings in the text of an attribute of one for each value; `None` for any other text.
pub fn read_shardings(text: &str) -> Option<Vec<TensorSharding>> {
    let mut reader = Reader { rest: text.strip_prefix("#sdy.sharding_per_value<").unwrap_or(text) };
    let all = reader.list('[', ']', Reader::sharding)?;
    matches!(reader.rest, "" | ">").then_some(all)
}

/// Reads what the dialect prints.
struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.trim_start().strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Option<()> {
        self.eat(token).then_some(())
    }

    fn number(&mut self) -> Option<i64> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let number = text[..end].parse().ok()?;
        self.rest = &text[end..];
        Some(number)
    }

    /// A text in quotes, with `\"` and bytes as `\0A`.
    fn quoted(&mut self) -> Option<String> {
        self.expect("\"")?;
        let (mut bytes, mut at) = (Vec::new(), 0);
        let all = self.rest.as_bytes();
        loop {
            match (all.get(at)?, all.get(at + 1)) {
                (b'"', _) => break,
                (b'\\', Some(b'\\')) => (bytes.push(b'\\'), at += 2).1,
                (b'\\', _) => {
                    let digits = self.rest.get(at + 1..at + 3)?;
                    bytes.push(u8::from_str_radix(digits, 16).ok()?);
                    at += 3;
                }
                (byte, _) => (bytes.push(*byte), at += 1).1,
            }
        }
        self.rest = &self.rest[at + 1..];
        String::from_utf8(bytes).ok()
    }

    fn symbol(&mut self) -> Option<String> {
        if self.rest.starts_with('"') {
            return self.quoted();
        }
        let is_part = |c: char| c.is_alphanumeric() || "_.$-".contains(c);
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn list<T>(
        &mut self,
        open: char,
        close: char,
        mut entry: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.expect(&open.to_string())?;
        let mut all = Vec::new();
        while !self.eat(&close.to_string()) {
            if !all.is_empty() {
                self.expect(",")?;
            }
            all.push(entry(self)?);
        }
        Some(all)
    }

    fn axis(&mut self) -> Option<AxisPart> {
        let axis = self.quoted()?;
        let mut part = None;
        if self.eat(":") {
            self.expect("(")?;
            let before = self.number()?;
            self.expect(")")?;
            part = Some((before, self.number()?));
        }
        Some(AxisPart { axis, part })
    }

    fn dim(&mut self) -> Option<DimSharding> {
        let mut is_open = false;
        let entry = |reader: &mut Self| {
            let question = reader.eat("?");
            is_open |= question;
            if question { Some(None) } else { reader.axis().map(Some) }
        };
        let axes = self.list('{', '}', entry)?.into_iter().flatten().collect();
        let priority = if self.eat("p") { Some(self.number()?) } else { None };
        Some(DimSharding { axes, is_open, priority })
    }

    fn mesh(&mut self) -> Option<MeshRef> {
        if self.eat("@") {
            return self.symbol().map(MeshRef::Named);
        }
        self.expect("mesh<")?;
        let axis = |reader: &mut Self| {
            let name = reader.quoted()?;
            reader.expect("=")?;
            Some((name, reader.number()?))
        };
        let axes = self.list('[', ']', axis)?;
        let mut device_ids = Vec::new();
        if self.eat(",") {
            self.expect("device_ids=")?;
            device_ids = self.list('[', ']', Self::number)?;
        }
        self.expect(">")?;
        Some(MeshRef::Inline(Mesh { axes, device_ids }))
    }

    /// `<@mesh, [{"x"}, {}], replicated={"y"}, unreduced={"z"}>`
    fn sharding(&mut self) -> Option<TensorSharding> {
        self.expect("<")?;
        let mesh = self.mesh()?;
        self.expect(",")?;
        let dims = self.list('[', ']', Self::dim)?;
        let (mut replicated, mut unreduced) = (Vec::new(), Vec::new());
        while self.eat(",") {
            let list = if self.eat("replicated=") {
                &mut replicated
            } else {
                self.expect("unreduced=")?;
                &mut unreduced
            };
            *list = self.list('{', '}', Self::axis)?;
        }
        self.expect(">")?;
        Some(TensorSharding { mesh, dims, replicated, unreduced })
    }
}

/// Whether a name of a symbol needs no quotes.
fn is_plain(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    name.chars().all(is_part) && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// A text in quotes as MLIR reads it.
struct Quoted<'t>(&'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("\"")?;
        for byte in self.0.bytes() {
            match byte {
                b'"' | b'\\' | ..b' ' | 127.. => write!(formatter, "\\{byte:02X}")?,
                _ => write!(formatter, "{}", char::from(byte))?,
            }
        }
        formatter.write_str("\"")
    }
}

impl fmt::Display for AxisPart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Quoted(&self.axis).fmt(formatter)?;
        match self.part {
            Some((before, own)) => write!(formatter, ":({before}){own}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Mesh {
    /// `<["x"=2], device_ids=[1, 0]>`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<_> =
            self.axes.iter().map(|(name, size)| format!("{}={size}", Quoted(name))).collect();
        write!(formatter, "<[{}]", axes.join(", "))?;
        if !self.device_ids.is_empty() {
            write!(formatter, ", device_ids={:?}", self.device_ids)?;
        }
        formatter.write_str(">")
    }
}

impl fmt::Display for MeshRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) if is_plain(name) => write!(formatter, "@{name}"),
            Self::Named(name) => write!(formatter, "@{}", Quoted(name)),
            Self::Inline(mesh) => write!(formatter, "mesh{mesh}"),
        }
    }
}

impl fmt::Display for DimSharding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut entries: Vec<_> = self.axes.iter().map(ToString::to_string).collect();
        entries.extend(self.is_open.then(|| "?".to_owned()));
        write!(formatter, "{{{}}}", entries.join(", "))?;
        match self.priority {
            Some(priority) => write!(formatter, "p{priority}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for TensorSharding {
    /// As the dialect writes it, from `<` on.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<_> = self.dims.iter().map(ToString::to_string).collect();
        write!(formatter, "<{}, [{}]", self.mesh, dims.join(", "))?;
        for (name, axes) in [("replicated", &self.replicated), ("unreduced", &self.unreduced)] {
            if !axes.is_empty() {
                let axes: Vec<_> = axes.iter().map(ToString::to_string).collect();
                write!(formatter, ", {name}={{{}}}", axes.join(", "))?;
            }
        }
        formatter.write_str(">")
    }
}

#[cfg(test)]
mod tests;
