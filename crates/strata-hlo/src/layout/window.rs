//! The order in which a reduction of windows is computed: channels last, as a convolution of each channel.

use strata_ir::{AttributeExt as _, Op, OpKind, TypeExt as _};
use strata_target::tuning::layout::MIN_WINDOW_CHANNELS;

use super::ways::{self, Order, Place, Way};

/// The way of a reduction of windows along two and more dimensions, the innermost one among them, whose channels, a dimension beside
/// these, come last; `None` where there are no vectors of them.
pub fn way(op: Op<'_>) -> Option<Way> {
    if op.kind() != OpKind::ReduceWindow
        || op.operand_count() != 2
        || !ways::has_orders(op.operand(0))
    {
        return None;
    }
    let shape = op.operand(0).ty().shape()?;
    let window = op.attr("window_dimensions")?.as_i64s()?;
    let is_kept = |dim: &usize| {
        let along = |name: &str, none: i64| {
            let list = op.attr(name).and_then(|list| list.as_i64s());
            list.is_none_or(|list| list.get(*dim) == Some(&none))
        };
        window[*dim] == 1 && along("window_strides", 1) && along("base_dilations", 1)
    };
    let (kept, moved): (Vec<_>, Vec<_>) = (0..shape.len()).partition(is_kept);
    let channels = kept.into_iter().rfind(|dim| shape[*dim] >= MIN_WINDOW_CHANNELS)?;
    let sizes = op.result(0).ty().shape()?;
    if moved.len() < 2
        || moved.last() != Some(&(shape.len() - 1))
        || sizes.contains(&0)
        || sizes.get(channels) != shape.get(channels)
    {
        return None;
    }
    let order: Order = (0..shape.len()).filter(|dim| *dim != channels).chain([channels]).collect();
    ways::way(op, Place::Operand(0), &order)
}
