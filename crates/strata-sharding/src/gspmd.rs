//! Shardings as strings, which exporters wrote before there was dialect `sdy`, made shardings of that dialect.
//!
//! ```text
//! %x {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}    a 2 x 1 grid of tiles, each on 2 devices
//! custom_call @Sharding(%y) {mhlo.sharding = "{replicated}"}
//! ```
//! becomes
//! ```text
//! sdy.mesh @devices = <["_0"=2, "_1"=2]>
//! %x {sdy.sharding = #sdy.sharding<@devices, [{"_0"}, {}]>}
//! sdy.sharding_constraint %y <@devices, [{}]>
//! ```
//!
//! The axes of the mesh are found, not named: the list of devices of each string is taken apart into digits, each of which moves
//! along the list by one stride, and axes end wherever a digit of some string does. A string whose list is not such a grid has a mesh of
//! its own that lists its devices.
//!
//! Between `@SPMDFullToShardShape` and `@SPMDShardToFullShape` is the body of `sdy.manual_computation` (see `manual.rs`).

mod manual;
mod proto;
mod text;

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Attribute, AttributeExt as _, AxisPart, Builder, Context, Devices, DimSharding, Mesh, MeshRef,
    Module, Op, OpKind, TensorSharding, Type, TypeExt as _, array, diagnostic_at, dictionary, func,
    function_types, module_op, parse_attr, sdy, set_argument_sharding, set_result_sharding,
    set_shardings, string, tuple_types,
};

pub use self::text::{Annotation, Tiles, parse};

/// The attribute.
const STRING: &str = "mhlo.sharding";

/// Whether a string splits a value; those that cannot be read do not.
pub fn splits(module: &Module<'_>) -> bool {
    let into_tiles = |annotation: &Annotation| matches!(annotation, Annotation::Tiled(_));
    let found = strings(module_op(module)).unwrap_or_default();
    found.iter().any(|one| one.annotations.iter().any(into_tiles))
}

/// Reads all strings of a module into shardings of dialect `sdy`, with meshes for them. Shardings of that dialect that are there
/// already are kept.
///
/// # Errors
/// `S1103` for a string that cannot be read, or does not fit its value.
pub fn read<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), Diagnostic> {
    let root = module_op(module);
    let found = strings(root)?;
    if found.is_empty() {
        return Ok(());
    }
    let meshes = Meshes::of(root, &found);
    check_devices(root, &meshes, &found)?;
    meshes.declare(context, root);
    let mut calls = Vec::new();
    for one in &found {
        let shardings = one
            .annotations
            .iter()
            .zip(&one.types)
            .map(|(annotation, ty)| meshes.sharding(annotation, *ty))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|reason| wrong(one.op, &one.text, &reason))?;
        match one.place {
            Place::Argument(index) => {
                if let Some(sharding) = stated(&shardings) {
                    set_argument_sharding(context, one.op, index, sharding);
                }
            }
            Place::Result(index) => {
                if let Some(sharding) = stated(&shardings) {
                    set_result_sharding(context, one.op, index, sharding);
                }
            }
            Place::Operation => calls.push((one.op, shardings)),
        }
    }
    manual::regions(context, root, &meshes, &calls)?;
    for (op, shardings) in calls {
        if op.is_erased() {
            continue;
        }
        if shardings.contains(&None) && meshes.grid.count() > 1 && !is_private(op) {
            let text = op.attr(STRING).and_then(|text| text.as_str()).unwrap_or_default();
            return Err(wrong(op, text, OF_A_BODY));
        }
        op.remove_attr(STRING);
        let all: Option<Vec<_>> = shardings.into_iter().collect();
        let Some(all) = all.filter(|all| !all.is_empty()) else { continue };
        if target(op) != Some("Sharding") {
            if !op.has_attr(strata_ir::SHARDING) && op.result_count() == all.len() {
                set_shardings(context, op, &all);
            }
            continue;
        }
        constrain(context, op, all[0].clone());
    }
    drop_strings(context, root);
    Ok(())
}

/// The sharding of an argument or result, if its string says one: who calls the function has to know.
fn stated(shardings: &[Option<TensorSharding>]) -> Option<&TensorSharding> {
    let [Some(sharding)] = shardings else { return None };
    let is_known = sharding.dims.is_empty() || sharding.dims.iter().any(|dim| !dim.is_open);
    is_known.then_some(sharding)
}

const OF_A_BODY: &str =
    "`manual` is of values of a body that devices run on parts, and this is a value of the program";

/// Whether an operation is in a function, or is one, that only others of the module call: bodies do.
fn is_private(op: Op<'_>) -> bool {
    let around = std::iter::successors(Some(op), |op| op.parent());
    let func = around.into_iter().find(|op| op.is(func::FUNC));
    let visibility = func.and_then(|func| func.attr("sym_visibility")?.as_str());
    visibility == Some("private")
}

/// Strings name devices that there are, and no value of a body where there is none.
fn check_devices(root: Op<'_>, meshes: &Meshes, found: &[Found<'_>]) -> Result<(), Diagnostic> {
    let count = Devices::of(root).count().max(meshes.grid.count());
    for one in found {
        let is_in_signature = !matches!(one.place, Place::Operation);
        for annotation in &one.annotations {
            let reason = match annotation {
                Annotation::Maximal(device) if *device >= count => {
                    let plural = if count == 1 { "" } else { "s" };
                    format!("it names device {device}, and there are {count} device{plural}")
                }
                Annotation::Manual if is_in_signature && !is_private(one.op) => {
                    OF_A_BODY.to_owned()
                }
                _ => continue,
            };
            return Err(wrong(one.op, &one.text, &reason));
        }
    }
    Ok(())
}

/// `custom_call @Sharding(%x)` → `sdy.sharding_constraint %x`, open where the call says that a dimension may be split in any way.
fn constrain<'c>(context: &'c Context, op: Op<'c>, mut sharding: TensorSharding) {
    let config = op.attr("backend_config").and_then(|config| config.as_str()).unwrap_or_default();
    let listed = config.split_once("unspecified_dims=[").and_then(|(_, rest)| rest.split_once(']'));
    for dim in listed.map_or("", |(list, _)| list).split(',') {
        let dim = dim.trim().parse().ok().and_then(|dim: usize| sharding.dims.get_mut(dim));
        if let Some(dim) = dim {
            dim.is_open = true;
        }
    }
    let fits = op.operand_count() == 1 && op.result_count() == 1;
    let Some(attribute) = sharding.to_attribute(context).filter(|_| fits) else { return };
    let new = Builder::before(context, op)
        .op(sdy::SHARDING_CONSTRAINT)
        .operand(op.operand(0))
        .attr("sharding", attribute)
        .result(op.result(0).ty())
        .value();
    op.result(0).replace_all_uses_with(new);
    op.erase();
}

/// The target of a custom call.
fn target(op: Op<'_>) -> Option<&str> {
    let is_call = op.kind() == OpKind::CustomCall;
    op.attr("call_target_name").filter(|_| is_call)?.as_str()
}

fn wrong(op: Op<'_>, text: &str, reason: &str) -> Diagnostic {
    diagnostic_at(codes::S1103, op)
        .reason(format!("`{STRING} = \"{}\"` cannot be read: {reason}", text.escape_debug()))
        .hint(
            "shardings are like `{devices=[2,1,2]<=[4] last_tile_dim_replicate}` or `{replicated}`",
        )
}

enum Place {
    Argument(usize),
    Result(usize),
    Operation,
}

/// A string, what it says, and what of.
struct Found<'c> {
    op: Op<'c>,
    place: Place,
    text: String,
    annotations: Vec<Annotation>,
    types: Vec<Type<'c>>,
}

/// The string in an attribute; `None` for an empty one.
///
/// # Errors
/// `S1103` for anything but a string.
fn string_in<'c>(op: Op<'c>, attribute: Attribute<'c>) -> Result<Option<&'c str>, Diagnostic> {
    let text = attribute.as_str();
    let text = text.ok_or_else(|| wrong(op, &attribute.to_string(), "it is not a text"))?;
    Ok((!text.is_empty()).then_some(text))
}

/// All strings of a module.
fn strings(root: Op<'_>) -> Result<Vec<Found<'_>>, Diagnostic> {
    let mut all = Vec::new();
    for op in root.collect(|_| true) {
        let text = op.attr(STRING).map(|text| string_in(op, text)).transpose()?.flatten();
        if let Some(text) = text {
            let types = op.result_types();
            let types = match types.first().and_then(|ty| tuple_types(*ty)) {
                Some(types) => types,
                None => types,
            };
            all.push(found(op, Place::Operation, text, types)?);
        }
        if !op.is(func::FUNC) {
            continue;
        }
        let signature = op.attr("function_type").and_then(|ty| ty.as_type());
        let (inputs, outputs) = signature.and_then(function_types).unwrap_or_default();
        for (name, types) in [("arg_attrs", inputs), ("res_attrs", outputs)] {
            let lists = op.attr(name).and_then(|list| list.as_array()).unwrap_or_default();
            for (index, (entries, ty)) in lists.into_iter().zip(types).enumerate() {
                let text = entries.entry(STRING).map(|text| string_in(op, text));
                let is_known = entries.entry(strata_ir::SHARDING).is_some();
                let Some(text) = text.transpose()?.flatten().filter(|_| !is_known) else {
                    continue;
                };
                let place = match name {
                    "arg_attrs" => Place::Argument(index),
                    _ => Place::Result(index),
                };
                all.push(found(op, place, text, vec![ty])?);
            }
        }
    }
    Ok(all)
}

fn found<'c>(
    op: Op<'c>,
    place: Place,
    text: &str,
    types: Vec<Type<'c>>,
) -> Result<Found<'c>, Diagnostic> {
    // Some write the structure that the string stands for, as bytes.
    let read = match text.starts_with(|first: char| first.is_control()) {
        true => proto::parse(text.as_bytes()),
        false => parse(text),
    };
    let mut annotations = read.map_err(|reason| wrong(op, text, &reason))?;
    if annotations.len() == 1 && types.len() > 1 {
        // One for all.
        annotations = vec![annotations[0].clone(); types.len()];
    }
    if annotations.len() != types.len() && !types.is_empty() {
        let reason =
            format!("it is of {} values, and there are {}", annotations.len(), types.len());
        return Err(wrong(op, text, &reason));
    }
    Ok(Found { op, place, text: text.to_owned(), annotations, types })
}

/// Takes the strings out of the program.
fn drop_strings<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|_| true) {
        op.remove_attr(STRING);
        for name in ["arg_attrs", "res_attrs"] {
            let Some(list) = op.attr(name).and_then(|list| list.as_array()) else { continue };
            let kept = list.into_iter().map(|entries| {
                let mut entries = entries.as_dictionary()?;
                entries.retain(|(name, _)| *name != STRING);
                dictionary(context, &entries)
            });
            if let Some(kept) = kept.collect::<Option<Vec<_>>>() {
                op.set_attr(name, array(context, &kept));
            }
        }
    }
}

/// A digit of the position in a list of devices: neighbours along it are `stride` devices apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digit {
    stride: i64,
    size: i64,
}

/// The meshes of all strings.
struct Meshes {
    /// The mesh of all lists that are grids; its axes are of prime sizes, or end where those of some string do.
    grid: Mesh,
    /// Those of other lists: the tiles with their devices.
    listed: Vec<Tiles>,
    names: Vec<String>,
}

impl Meshes {
    fn of(root: Op<'_>, found: &[Found<'_>]) -> Self {
        let tiles = || {
            let all = found.iter().flat_map(|one| &one.annotations);
            all.filter_map(|one| match one {
                Annotation::Tiled(tiles) => Some(tiles),
                _ => None,
            })
        };
        let count = tiles().map(|tiles| tiles.devices.len() as i64).max().unwrap_or(1);
        let (mut ends, mut listed) = (vec![1, count], Vec::new());
        for one in tiles() {
            // Axes end at a divisor chain: 1, …, the number of devices.
            let own: Option<Vec<Digit>> = digits(one).map(|dims| dims.concat());
            let fitting = own.filter(|_| one.devices.len() as i64 == count).and_then(|own| {
                let mut all = ends.clone();
                all.extend(own.iter().flat_map(|digit| [digit.stride, digit.stride * digit.size]));
                all.sort_unstable();
                all.dedup();
                all.windows(2).all(|pair| pair[1] % pair[0] == 0).then_some(all)
            });
            match fitting {
                Some(all) => ends = all,
                None if listed.contains(one) => {}
                None => listed.push(one.clone()),
            }
        }
        let sizes = ends.windows(2).rev().map(|pair| pair[1] / pair[0]);
        let axes = sizes.enumerate().map(|(at, size)| (format!("_{at}"), size));
        let grid = Mesh { axes: axes.collect(), device_ids: Vec::new() };
        let taken = root.collect(|op| op.has_attr("sym_name"));
        let taken: Vec<_> = taken.into_iter().map(strata_ir::function_name).collect();
        let all = std::iter::once("devices".to_owned())
            .chain((0..).map(|number| format!("devices_{number}")));
        let free = all.filter(|name| !taken.contains(&name.as_str()));
        let names = free.take(1 + listed.len()).collect();
        Self { grid, listed, names }
    }

    fn declare<'c>(&self, context: &'c Context, root: Op<'c>) {
        let listed = self.listed.iter().map(own_mesh);
        let all = std::iter::once(self.grid.clone()).chain(listed);
        for (mesh, name) in all.zip(&self.names) {
            let Some(attribute) = parse_attr(context, &format!("#sdy.mesh{mesh}")) else {
                continue;
            };
            Builder::at_start(context, root.body(0), root.location())
                .op(sdy::MESH)
                .attr("sym_name", string(context, name))
                .attr("mesh", attribute)
                .build();
        }
    }

    /// The names of the axes of a mesh of these, in quotes.
    fn axis_names(&self, mesh: &MeshRef) -> Vec<String> {
        let MeshRef::Named(name) = mesh else { return Vec::new() };
        let mesh = match self.names.iter().position(|known| known == name) {
            None | Some(0) => self.grid.clone(),
            Some(at) => own_mesh(&self.listed[at - 1]),
        };
        mesh.axes.iter().map(|(name, _)| AxisPart::whole(name).to_string()).collect()
    }

    /// The axes of the common mesh that a digit is.
    fn axes_of(&self, digit: Digit) -> Option<Vec<AxisPart>> {
        let mut stride = self.grid.count();
        let (mut all, mut size) = (Vec::new(), 1);
        for (name, own) in &self.grid.axes {
            stride /= own;
            if stride >= digit.stride && stride * own <= digit.stride * digit.size {
                all.push(AxisPart::whole(name));
                size *= own;
            }
        }
        (size == digit.size).then_some(all)
    }

    /// The sharding of a value; `None` for one that only a body of devices has.
    ///
    /// # Errors
    /// Why it is none of a value of that type, in words.
    fn sharding(
        &self,
        annotation: &Annotation,
        ty: Type<'_>,
    ) -> Result<Option<TensorSharding>, String> {
        let rank = ty.rank().unwrap_or_default();
        let mesh = |index: usize| MeshRef::Named(self.names[index].clone());
        let tiles = match annotation {
            Annotation::Manual => return Ok(None),
            Annotation::Unknown => return Ok(Some(TensorSharding::open(mesh(0), rank))),
            // What one device has all may have.
            Annotation::Replicated | Annotation::Maximal(_) => {
                return Ok(Some(TensorSharding::replicated(mesh(0), rank)));
            }
            Annotation::Tiled(tiles) => tiles,
        };
        if tiles.manual {
            return Err("devices are split into groups for a body of theirs".to_owned());
        }
        if tiles.rank() != rank {
            return Err(format!("it has {} dimensions, and the value {rank}", tiles.rank()));
        }
        if let Some(at) = self.listed.iter().position(|one| one == tiles) {
            let axis = |(dim, size): (usize, &i64)| {
                let axes =
                    if *size > 1 { vec![AxisPart::whole(&format!("_{dim}"))] } else { vec![] };
                DimSharding::closed(axes)
            };
            let mut sharding = TensorSharding::replicated(mesh(at + 1), rank);
            sharding.dims = tiles.shape[..rank].iter().enumerate().map(axis).collect();
            return Ok(Some(sharding));
        }
        let lost = || "its devices are not on the mesh of the others".to_owned();
        let digits = digits(tiles).ok_or_else(lost)?;
        let mut sharding = TensorSharding::replicated(mesh(0), rank);
        for (dim, own) in sharding.dims.iter_mut().zip(&digits) {
            for digit in own {
                dim.axes.extend(self.axes_of(*digit).ok_or_else(lost)?);
            }
        }
        Ok(Some(sharding))
    }
}

/// A mesh with an axis for each dimension of the tiles.
fn own_mesh(tiles: &Tiles) -> Mesh {
    let axes = tiles.shape.iter().enumerate().filter(|(_, size)| **size > 1);
    let axes = axes.map(|(dim, size)| (format!("_{dim}"), *size)).collect();
    Mesh { axes, device_ids: tiles.devices.clone() }
}

/// For each dimension of the tiles the digits of its index in the list of devices, outermost first; `None` if the list is not a grid.
fn digits(tiles: &Tiles) -> Option<Vec<Vec<Digit>>> {
    let devices = &tiles.devices;
    if devices.first() != Some(&0) {
        return None;
    }
    let mut step = devices.len();
    let mut dims = Vec::new();
    for size in &tiles.shape {
        let (mut own, mut left) = (Vec::<Digit>::new(), usize::try_from(*size).ok()?);
        while left > 1 {
            let size = smallest_divisor(left);
            left /= size;
            step /= size;
            let stride = *devices.get(step)?;
            own.push(Digit { stride, size: size as i64 });
        }
        dims.push(own);
    }
    // The strides have to be those of a grid, and every device where they say.
    let mut all: Vec<Digit> = dims.concat();
    all.sort_by_key(|digit| digit.stride);
    let mut next = 1;
    for digit in &all {
        if digit.stride != next {
            return None;
        }
        next *= digit.size;
    }
    let all = dims.concat();
    let is_there = |(position, device): (usize, &i64)| {
        let (mut rest, mut expected) = (position, 0);
        for digit in all.iter().rev() {
            let size = digit.size as usize;
            expected += (rest % size) as i64 * digit.stride;
            rest /= size;
        }
        expected == *device
    };
    devices.iter().enumerate().all(is_there).then_some(dims)
}

fn smallest_divisor(number: usize) -> usize {
    (2..)
        .take_while(|divisor| divisor * divisor <= number)
        .find(|divisor| number.is_multiple_of(*divisor))
        .unwrap_or(number)
}

#[cfg(test)]
mod tests;
