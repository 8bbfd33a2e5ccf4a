//! The candidate schedules of a nest, best first.

use strata_ir::{
    AttributeExt as _, ElementType, Op, TypeExt as _, Value, arith, linalg, math, narrow, tensor,
};
use strata_remarks::Attempt;
use strata_target::{
    DotInstruction, Isa, Lane, Target,
    tuning::{
        lowering::MAX_LANE_READS,
        tiling::{MAX_UNROLLED_WINDOW, MIN_IOTA_ELEMENTS, MIN_TILE_WORK, MIN_WINDOW_COLUMNS},
    },
};

use crate::{
    structured::{Index, Structured, vector_bits},
    tiling::{
        cost::{self, Own, RegisterTile, Right, Wanted},
        depthwise::{depthwise_tile, has_few_registers},
        elementwise,
        plan::Plan,
        register::Reduction,
        rows, tiles, transpose,
    },
    transform::tags,
};

/// The schedules that were considered for a nest.
#[derive(Clone, Debug, Default)]
pub struct Considered {
    /// Those worth trying, best first; none if the nest should not be scheduled.
    pub candidates: Vec<Plan>,
    /// The strategies that were not, and why.
    pub declined: Vec<Attempt>,
}

impl Considered {
    fn decline(&mut self, strategy: &str, reason: impl Into<String>) {
        self.declined
            .push(Attempt { schedule: strategy.to_owned(), declined: Some(reason.into()) });
    }

    fn all_declined(reason: impl Into<String>) -> Self {
        let mut considered = Self::default();
        considered.decline("all", reason);
        considered
    }
}

/// The operations of an outlined nest.
pub struct Parts<'c> {
    /// The operation that computes the function's results.
    pub root: Op<'c>,
    /// The generic operations in order, the root included if it is one.
    pub generics: Vec<Structured<'c>>,
    /// The transposed copy of an operand of the reduction.
    pub transposed: Option<Op<'c>>,
    /// Arguments that are constants and that nothing else reads.
    pub weights: Vec<Value<'c>>,
    /// Arguments that are unpacked where they are read.
    pub unpacked: Vec<Value<'c>>,
    /// The dimensions of the first result of which as many elements are computed as a call says.
    pub limited: Vec<usize>,
    /// Whether loops along the innermost dimension of an argument or the first result may end within.
    pub has_limited_columns: bool,
    /// The vector instructions that the nest runs, at most, for it to get less code than is fastest.
    pub short_work: Option<i64>,
}

impl Parts<'_> {
    /// Whether some loops end at sizes of a call.
    pub fn is_open(&self) -> bool {
        self.has_limited_columns || !self.limited.is_empty()
    }

    /// Whether the result has an element for each row, as a sum along rows has: its innermost dimension are rows, not columns.
    pub fn has_row_results(&self) -> bool {
        let loops = self.generics.iter().map(|nest| nest.extents.len()).max();
        let root = self.generics.iter().find(|nest| nest.op == self.root);
        root.is_some_and(|root| Some(root.extents.len()) < loops || !root.is_parallel())
    }
}

/// Analyses an outlined function; `None` if its result is an argument.
pub fn parts<'c>(func: Op<'c>) -> Option<Parts<'c>> {
    let ops = func.body(0).ops();
    let mut root = ops.last()?.operands().first()?.owner()?;
    if root.is(tensor::EXPAND_SHAPE) {
        // Of a transpose whose loops were joined.
        root = root.operand(0).owner()?;
    }
    let scheduled = ops.iter().filter(|op| !op.has_attr(tags::TRANSPOSED));
    let generics = scheduled.filter_map(|op| Structured::of_generic(*op)).collect();
    let transposed = ops.iter().copied().find(|op| op.has_attr(tags::TRANSPOSED));
    let (weights, unpacked, limited) = (Vec::new(), Vec::new(), Vec::new());
    let (has_limited_columns, short_work) = (false, None);
    Some(Parts {
        root,
        generics,
        transposed,
        weights,
        unpacked,
        limited,
        has_limited_columns,
        short_work,
    })
}

/// Whether operations read or write `bf16`, whose vectors are widened without moving lanes if a whole register is read.
fn has_bf16(nests: &[Structured<'_>]) -> bool {
    let values =
        nests.iter().flat_map(|nest| nest.op.operands().into_iter().chain(nest.op.results()));
    let is = |value: Value<'_>| {
        ElementType::from_type(value.ty().element()) == Some(ElementType::BFloat16)
    };
    values.into_iter().any(is)
}

/// The elements of a vector of the nest's operations, and the bits of one.
///
/// # Errors
/// Why no schedule is for them.
pub fn lanes_of(parts: &Parts<'_>, target: &Target) -> Result<(i64, u32), String> {
    // Only elementwise schedules support element indices.
    let alone = parts.generics.len() == 1;
    let known = |nest: &Structured<'_>| nest.is_pure_map() || (alone && nest.is_elementwise());
    if let Some(nest) = parts.generics.iter().find(|&nest| !known(nest)) {
        return Err(beyond_elements(nest).to_owned());
    }
    let lanes = parts.generics.iter().map(|nest| vector_bits(nest.op));
    let bits = lanes.collect::<Option<Vec<_>>>().and_then(|bits| bits.into_iter().max());
    let bits = bits.ok_or("the element type's storage differs from its vector form")?;
    let lanes = i64::from(target.lanes(bits));
    if lanes < 2 || target.isa == Isa::Scalar {
        return Err(format!("the target has no vectors of {bits}-bit elements"));
    }
    Ok((lanes, bits))
}

/// The nest as rows of vectors of that many elements, of that many bits.
///
/// # Errors
/// Why it is none.
pub fn read_rows(
    parts: &Parts<'_>,
    lanes: i64,
    bits: u32,
    target: &Target,
) -> Result<rows::Rows, &'static str> {
    let halves = bits == 32 && has_bf16(&parts.generics);
    let least = rows::LeastColumns::on(target, bits);
    let plan = rows::read(&parts.generics, parts.root, lanes, halves, &least)?;
    // Where loops end at sizes of a call, stores may have masks, and such rows would be cut into vectors of fewer and fewer lanes.
    if parts.is_open() && plan.columns() < lanes && !plan.is_lone() {
        return Err("a row does not fill a vector");
    }
    Ok(match parts.has_limited_columns {
        true => plan.ending_within(),
        false if parts.is_open() => plan,
        false => plan.with_reread_rows_inside(&parts.generics, target),
    })
}

/// The schedules for an outlined nest, best first, and why the others do not apply.
pub fn consider(parts: &Parts<'_>, target: &Target) -> Considered {
    let (lanes, bits) = match lanes_of(parts, target) {
        Ok(found) => found,
        Err(reason) => return Considered::all_declined(reason),
    };
    let mut considered = Considered::default();
    match parts.generics.as_slice() {
        [only] if only.inputs == 0 && elements(only) < MIN_IOTA_ELEMENTS => {
            considered.decline(
                "elementwise",
                format!("it reads nothing, and fewer than {MIN_IOTA_ELEMENTS} elements are not worth the compile time"),
            );
        }
        [only] if only.is_parallel() => {
            let transpose = transpose::read(only, lanes);
            // Operations without a schedule end at the sizes of what reads them.
            let columns = || transpose::read_columns(only, lanes).filter(|_| !parts.is_open());
            let transpose = transpose.or_else(columns);
            if let Some(plan) = transpose.filter(|_| only.is_pure_map()) {
                considered.candidates.push(Plan::Transpose(plan));
                return considered;
            }
            match elementwise::read(only, (lanes, target.isa), parts.short_work) {
                Ok(plan) if parts.has_limited_columns => {
                    considered.candidates.push(Plan::Elementwise(plan.ending_within()));
                }
                Ok(plan) => considered.candidates.push(Plan::Elementwise(plan)),
                Err(reason) => considered.decline("elementwise", reason),
            }
        }
        _ => match read_rows(parts, lanes, bits, target) {
            Ok(plan) => {
                considered.candidates.push(Plan::Rows(match parts.generics.as_slice() {
                    [only] if !parts.is_open() => {
                        plan.in_streams(only, target).several_at_a_time(bits, target)
                    }
                    [only] if parts.has_limited_columns => plan.several_up_to_a_bound(only),
                    _ if !parts.is_open() => plan.several_at_a_time(bits, target),
                    _ => plan,
                }));
            }
            Err(reason) => {
                considered.decline("rows", reason);
                match tiles::read(parts, target) {
                    Some(Ok((nest, tile))) => {
                        considered.candidates.push(Plan::Tiles(Box::new(nest), tile));
                    }
                    Some(Err(reason)) => considered.decline("tiles", reason),
                    None => {}
                }
                match register_tiles(parts, target) {
                    Ok(candidates) => considered.candidates.extend(candidates),
                    Err(reason) => considered.decline("registers", reason),
                }
            }
        },
    }
    considered
}

/// What the body of an operation has that no schedule handles.
fn beyond_elements(nest: &Structured<'_>) -> &'static str {
    let ops = nest.op.body(0).ops();
    if ops.iter().any(|op| op.dialect() == "scf") {
        "its body has control flow"
    } else if ops.iter().any(|op| op.dialect() == "tensor") {
        "its body reads other tensors"
    } else if ops.iter().any(|op| op.is(linalg::INDEX)) {
        "its body uses the index"
    } else {
        "its body is more than arithmetic on elements"
    }
}

fn elements(nest: &Structured<'_>) -> i64 {
    nest.extents.iter().fold(1, |count, extent| count.saturating_mul(*extent))
}

/// The lanes that an operation multiplies, if it is a dot of such.
fn lane(op: Op<'_>) -> Option<Lane> {
    Lane::named(op.attr("left").filter(|_| op.is(narrow::DOT))?.as_str()?)
}

fn register_tiles(parts: &Parts<'_>, target: &Target) -> Result<Vec<Plan>, String> {
    let (nest, bits) = read_reduction(parts, target)?;
    let k = nest.depth();
    if (nest.has_own_rows() || nest.slides) && !nest.is_short {
        let is_one_loop = nest.reduced.len() == 1;
        let ends_within = parts.has_limited_columns;
        let own = Own { is_window: nest.is_window, slides: nest.slides, is_one_loop, ends_within };
        let tile = cost::own_tile(target, bits, [nest.m, nest.n, k], own);
        return Ok(vec![Plan::Registers(Box::new(nest), tile)]);
    }
    let is_copied = nest.is_weight || nest.turn.is_some();
    let (reuse, lane, is_unpacked) = (nest.reuse, nest.lane, nest.is_unpacked);
    let right = Right { reuse, is_copied, lane, is_unpacked };
    let (is_limited, is_short) = (nest.is_limited, nest.is_short);
    // Windows have few places where LLVM keeps what neighbours share.
    let is_kept = nest.is_window && has_few_registers(target) && !(is_limited || is_short);
    let is_unrolled = is_kept && k <= MAX_UNROLLED_WINDOW;
    let is_alone = nest.packed.is_none() && nest.m == 1 && nest.lane == 1;
    let ends_within = parts.has_limited_columns && nest.m == 1;
    let has_terms = nest.has_terms;
    let wanted = Wanted { is_limited, ends_within, is_short, is_unrolled, is_alone, has_terms };
    let tile_for = |right| cost::register_tile(target, bits, [nest.m, nest.n, k], right, wanted);
    let mut tile = match is_kept && nest.is_depthwise {
        true => depthwise_tile(target, bits, [nest.m, nest.n]),
        false => tile_for(right),
    };
    // Lanes that are read often go through memory, as a whole or panel by panel.
    let rows = tile.rows.max(1);
    let reads = ((nest.reuse + rows - 1) / rows).unsigned_abs();
    if nest.lane > 1 && reads > MAX_LANE_READS && nest.n > tile.columns {
        tile = RegisterTile { pack: true, ..tile_for(Right { is_copied: true, ..right }) };
    }
    if nest.reduced.len() > 1 {
        tile.depth_block = 0;
    }
    // The compiler packs constants, however rarely they are read in a call.
    tile.pack |= nest.is_weight && nest.n > tile.columns;
    tile.pack &= nest.can_pack;
    // The whole operand is transposed ahead if the copy cannot be fused into the loop over panels.
    let held = tile.depth_block == 0 && nest.n > tile.columns;
    let mut tries = Vec::new();
    if nest.turn.is_some() && held {
        tries.push((Reduction { transpose_panels: true, ..nest.clone() }, tile));
    }
    tries.push((nest.clone(), tile));
    if tile.pack || tile.row_block > 0 {
        tries.push((nest, RegisterTile { pack: false, row_block: 0, ..tile }));
    }
    Ok(tries.into_iter().map(|(nest, tile)| Plan::Registers(Box::new(nest), tile)).collect())
}

/// Reads a nest of one reduction and at most one elementwise consumer, and the widest element.
///
/// # Errors
/// Why it is none.
pub fn read_reduction(parts: &Parts<'_>, target: &Target) -> Result<(Reduction, u32), String> {
    let nest = sole_reduction(parts)?;
    let epilogue = parts.root != nest.op;
    let loops = nest.extents.len();
    let parallel: Vec<_> = (0..loops).filter(|number| !nest.reduction[*number]).collect();
    let reduced: Vec<_> = (0..loops)
        .filter(|number| nest.reduction[*number])
        .map(|number| (number, nest.extents[number]))
        .collect();
    let column = *parallel.last().ok_or("it reduces everything to one element")?;
    let output: Vec<_> = parallel.iter().map(|number| Index::Loop(*number)).collect();
    let work = nest.extents.iter().try_fold(1i64, |work, extent| work.checked_mul(*extent));
    let work = work.ok_or("its number of iterations exceeds 64 bits")?;
    let depth = reduced.iter().map(|(_, extent)| extent).product::<i64>();
    if nest.maps[nest.inputs] != output {
        return Err("its result is not written in the order of its loops".to_owned());
    }
    if work < MIN_TILE_WORK || depth < 2 {
        return Err(format!(
            "{work} multiply-adds, {depth} for each element, are too few to be worth the compile time"
        ));
    }
    let contiguous = (0..nest.inputs)
        .all(|operand| !nest.operand_uses(operand, column) || nest.moves_along(operand, column));
    if !contiguous {
        return Err("an operand is not contiguous along the columns of the result".to_owned());
    }
    let slides = nest.slides();
    if slides && parts.is_open() {
        return Err("its windows move along columns that end at a size of a call".to_owned());
    }
    if slides && nest.extents[column] < MIN_WINDOW_COLUMNS {
        return Err("its windows have few places along the columns of the result".to_owned());
    }
    // An operand that does not depend on a parallel loop is reread in each of its iterations.
    let shared = (0..nest.inputs).rev().find(|operand| {
        nest.walks_along(*operand, column)
            && parallel.iter().any(|number| !nest.operand_uses(*operand, *number))
    });
    let others = 0..parallel.len() - 1;
    let varies = |position: &usize| {
        shared.is_some_and(|operand| nest.operand_uses(operand, parallel[*position]))
    };
    let row = others
        .clone()
        .rev()
        .find(|position| !varies(position) && nest.extents[parallel[*position]] > 1);
    let long = |position: &usize| nest.extents[parallel[*position]] > 1 && Some(*position) != row;
    let is_window = nest.maps[..nest.inputs].iter().flatten().any(|index| {
        reduced.iter().any(|(number, _)| index.uses(*number) && *index != Index::Loop(*number))
    });
    // Where rows share nothing, panels of several of them are far apart.
    let is_apart = shared.is_none() && !is_window && parts.limited.is_empty();
    let is_batch = |position: &usize| varies(position) || is_apart;
    let batch = others.clone().filter(|position| long(position) && is_batch(position)).collect();
    let outer: Vec<_> = others.filter(|position| long(position) && !is_batch(position)).collect();
    let extent = |position: usize| nest.extents[parallel[position]];
    let outer_trips = outer.last().map_or(1, |position| extent(*position));
    let m = row.map_or(1, extent);
    let reuse = outer.iter().fold(m, |trips, position| trips.saturating_mul(extent(*position)));
    let operands = nest.op.operands();
    let bits = operands.iter().filter_map(|value| value.ty().element().bit_width()).max();
    let bits = bits.ok_or("an element has no width")?;
    let turn = parts
        .transposed
        .and_then(Structured::of_generic)
        .and_then(|copy| transpose::read(&copy, i64::from(target.lanes(bits))));
    let reduction = Reduction {
        loops,
        row,
        batch,
        outer,
        outer_trips,
        is_open: parts.is_open(),
        m,
        is_limited: row.is_some_and(|row| parts.limited.contains(&row)),
        reuse,
        n: nest.extents[column],
        is_depthwise: is_window
            && nest.inputs == 2
            && (0..nest.inputs).all(|operand| nest.walks_along(operand, column)),
        is_window,
        slides,
        // A copy that is fused into the loops is contiguous already.
        can_pack: shared.is_some() && (parts.transposed.is_none() || turn.is_some()),
        turn,
        transpose_panels: false,
        packed: shared.map(|operand| (nest.maps[operand].len(), operand)),
        is_weight: shared.is_some_and(|operand| parts.weights.contains(&shown(operands[operand]))),
        is_unpacked: shared
            .is_some_and(|operand| parts.unpacked.contains(&shown(operands[operand]))),
        unpacked_left: None,
        lane: nest.op.body(0).ops().into_iter().find_map(lane).map_or(1, Lane::count),
        has_terms: has_terms(nest, target),
        zeros: operands.iter().map(|value| zero(value.ty().element())).collect(),
        fill: operands[nest.inputs].owner().is_some_and(|owner| owner.is(linalg::FILL)),
        epilogue,
        epilogue_work: work_in_place(parts.root, nest.op.result(0)),
        is_short: parts.short_work.is_some_and(|most| work / i64::from(target.lanes(bits)) <= most),
        sums: is_sum(nest),
        parallel,
        reduced,
    };
    Ok((reduction, bits))
}

/// The approximate number of vector instructions of an operation that computes in the tensor of `sums`; 0 of another one.
fn work_in_place(root: Op<'_>, sums: Value<'_>) -> usize {
    let nest = Structured::of_generic(root).filter(|nest| nest.starts_from(sums));
    nest.map_or(0, |nest| nest.work())
}

/// The tensor whose elements a reshaped one shows.
pub(super) fn shown(value: Value<'_>) -> Value<'_> {
    let is_reshape = |op: &Op<'_>| op.is(tensor::COLLAPSE_SHAPE) || op.is(tensor::EXPAND_SHAPE);
    value.owner().filter(is_reshape).map_or(value, |op| shown(op.operand(0)))
}

/// The only reduction of a nest.
///
/// # Errors
/// Why there is none.
fn sole_reduction<'p, 'c>(parts: &'p Parts<'c>) -> Result<&'p Structured<'c>, String> {
    let mut reductions = parts.generics.iter().filter(|nest| !nest.is_parallel());
    let (nest, None) = (reductions.next().ok_or("it has no reduction")?, reductions.next()) else {
        return Err("it has several reductions".to_owned());
    };
    if parts.generics.len() > 2 || nest.op.result_count() != 1 {
        return Err("more than one elementwise operation is fused with the reduction".to_owned());
    }
    if parts.root != nest.op && parts.generics.len() != 2 {
        return Err("the result is not computed by an operation with loops".to_owned());
    }
    Ok(nest)
}

/// Whether the nest adds floats.
fn is_sum(nest: &Structured<'_>) -> bool {
    let end = nest.op.body(0).terminator();
    let combines = end.and_then(|end| end.operands().first()?.owner());
    combines.is_some_and(|op| matches!(op.name(), arith::ADDF | math::FMA))
}

/// Whether what a nest combines with a result is computed into a register first: no instruction does both.
fn has_terms(nest: &Structured<'_>, target: &Target) -> bool {
    let body = nest.op.body(0);
    let combines = body.terminator().and_then(|end| end.operands().first()?.owner());
    let Some(combines) = combines else { return false };
    if combines.is(math::FMA) {
        return !target.has_fma();
    }
    let adds = |term: Op<'_>| {
        let lanes = ["left", "right"].map(|name| Lane::named(term.attr(name)?.as_str()?));
        let [Some(left), Some(right)] = lanes else { return false };
        term.is(narrow::DOT)
            && DotInstruction::of_lanes(target, [left, right]).is_some_and(|one| one.adds)
    };
    let terms = combines.operands().into_iter().filter_map(Value::owner);
    terms.into_iter().any(|term| !adds(term))
}

/// Zero of a type, as an attribute's text.
fn zero(element: strata_ir::Type<'_>) -> String {
    match element.is_float_type() {
        true => format!("0.0 : {element}"),
        false => format!("0 : {element}"),
    }
}
