//! Windows that move over arrays.

use strata_ir as ir;
use strata_ir::stablehlo;

use crate::{
    Builder, Computation,
    error::{Result, Site},
    graph::Results,
    op::Op,
    operand::Operand,
};

use super::reduce::reducer_inputs;

/// How an array is padded for a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Padding that preserves the operand's size for strides of 1, with an odd element at the end.
    Same,
    /// Not at all: the window stops where it no longer fits.
    Valid,
    /// Explicit padding before and after each dimension; a negative number removes elements.
    General(Vec<(i64, i64)>),
}

/// A window. Empty lists mean 1 along each dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window<'a> {
    /// The window's sizes.
    pub dimensions: &'a [i64],
    /// The strides.
    pub strides: &'a [i64],
    /// The dilation of the operand.
    pub base_dilations: &'a [i64],
    /// The dilation of the window.
    pub window_dilations: &'a [i64],
}

impl Padding {
    /// The padding of each dimension of `sizes` under the window.
    pub(super) fn amounts(
        &self,
        site: Site,
        sizes: &[i64],
        window: &Window<'_>,
    ) -> Result<Vec<(i64, i64)>> {
        match self {
            // The dialect takes an empty list for no padding.
            Self::General(amounts) if amounts.is_empty() && !sizes.is_empty() => {
                let count = sizes.len();
                Err(site.error(format!("there is one pair of padding for each of {count} dimensions")))
            }
            Self::General(amounts) => Ok(amounts.clone()),
            Self::Valid => Ok(vec![(0, 0); sizes.len()]),
            Self::Same => sizes
                .iter()
                .enumerate()
                .map(|(at, size)| {
                    let one = |list: &[i64]| list.get(at).copied().unwrap_or(1);
                    same(
                        *size,
                        one(window.dimensions),
                        one(window.strides),
                        [one(window.base_dilations), one(window.window_dilations)],
                    )
                    .ok_or_else(|| {
                        site.error(
                            "sizes, strides and dilations of a window are positive, and what it covers is \
                             less than 2^63",
                        )
                    })
                })
                .collect(),
        }
    }
}

/// The padding of `Same`: for as many positions as there are strides in the operand, rounded up.
fn same(size: i64, window: i64, stride: i64, [base, dilation]: [i64; 2]) -> Option<(i64, i64)> {
    if window < 1 || stride < 1 || base < 1 || dilation < 1 || size < 0 {
        return None;
    }
    let size = if size == 0 { 0 } else { (size - 1).checked_mul(base)?.checked_add(1)? };
    let window = (window - 1).checked_mul(dilation)?.checked_add(1)?;
    let positions = size.checked_add(stride - 1)? / stride;
    let covered = (positions - 1).max(0).checked_mul(stride)?.checked_add(window)?;
    let total = covered.saturating_sub(size).max(0);
    Some((total / 2, total - total / 2))
}

/// `dense<[[low, high], …]>`.
pub(super) fn pairs(
    context: &'static ir::Context,
    pairs: &[(i64, i64)],
) -> Option<ir::Attribute<'static>> {
    let values: Vec<_> = pairs.iter().flat_map(|(low, high)| [*low, *high]).collect();
    ir::i64_pairs(context, &values)
}

impl Op {
    /// The elements of each window combined by a computation `T, T -> T`, from `init_value` on, which also fills the
    /// padding.
    ///
    /// # Errors
    /// For windows of another rank, sizes that are not positive, and a computation or initial value of another type.
    #[track_caller]
    pub fn reduce_window(
        &self,
        init_value: impl Operand,
        computation: &Computation,
        window_dimensions: &[i64],
        window_strides: &[i64],
        padding: Padding,
    ) -> Result<Op> {
        let site = Site::new("ReduceWindow");
        let init = self.beside(site, init_value)?;
        let window =
            Window { dimensions: window_dimensions, strides: window_strides, ..Window::default() };
        self.builder().windowed(
            site,
            std::slice::from_ref(self),
            &[init],
            computation,
            &window,
            &padding,
        )
    }

    /// As [`Op::reduce_window`], with dilations and padding of each dimension.
    ///
    /// # Errors
    /// As [`Op::reduce_window`].
    #[track_caller]
    pub fn reduce_window_with_general_padding(
        &self,
        init_value: impl Operand,
        computation: &Computation,
        window: &Window<'_>,
        padding: &[(i64, i64)],
    ) -> Result<Op> {
        let site = Site::new("ReduceWindowWithGeneralPadding");
        let init = self.beside(site, init_value)?;
        let padding = Padding::General(padding.to_vec());
        self.builder().windowed(
            site,
            std::slice::from_ref(self),
            &[init],
            computation,
            window,
            &padding,
        )
    }

    /// Combines `source`'s elements, by the computation `scatter`, into the element of each window that the
    /// computation `select` chooses; all others are `init_value`. `select` gives true where its first parameter is
    /// chosen.
    ///
    /// # Errors
    /// For a source whose shape is not that of the window positions, and computations of another type.
    #[track_caller]
    #[allow(clippy::too_many_arguments)] // the documents' list
    pub fn select_and_scatter(
        &self,
        select: &Computation,
        window_dimensions: &[i64],
        window_strides: &[i64],
        padding: Padding,
        source: impl Operand,
        init_value: impl Operand,
        scatter: &Computation,
    ) -> Result<Op> {
        let site = Site::new("SelectAndScatter");
        let graph = &self.graph;
        let (source, init) = (self.beside(site, source)?, self.beside(site, init_value)?);
        let values = graph.values(site, &[self.clone(), source, init])?;
        let own = self.array_at(site)?;
        let window =
            Window { dimensions: window_dimensions, strides: window_strides, ..Window::default() };
        let attributes = attributes(site, graph.context(), &own.dimensions, &window, &padding)?;
        select.expect_scalars(site, 2)?;
        scatter.expect_scalars(site, 2)?;
        let regions = [graph.region(site, select, &[]), graph.region(site, scatter, &[])];
        graph.emit_op(site, stablehlo::SELECT_AND_SCATTER, Results::Inferred, |op| {
            let op = op.operands(&values).attrs(&attributes);
            regions.into_iter().fold(op, |op, region| op.region(region))
        })
    }
}

impl Builder {
    /// Several arrays of the same dimensions reduced together, as [`Builder::reduce`] does, in each window.
    ///
    /// # Errors
    /// As [`Op::reduce_window`], and for arrays of different dimensions or none at all.
    #[track_caller]
    pub fn reduce_window(
        &self,
        operands: &[Op],
        init_values: &[Op],
        computation: &Computation,
        window: &Window<'_>,
        padding: Padding,
    ) -> Result<Op> {
        self.windowed(
            Site::new("ReduceWindow"),
            operands,
            init_values,
            computation,
            window,
            &padding,
        )
    }

    fn windowed(
        &self,
        site: Site,
        operands: &[Op],
        init_values: &[Op],
        computation: &Computation,
        window: &Window<'_>,
        padding: &Padding,
    ) -> Result<Op> {
        let graph = &self.graph;
        reducer_inputs(site, operands, init_values)?;
        let mut values = graph.values(site, operands)?;
        values.extend(graph.values(site, init_values)?);
        computation.expect_scalars(site, 2 * operands.len())?;
        let sizes = match operands {
            [first, ..] => first.array_at(site)?.dimensions,
            [] => Vec::new(),
        };
        let attributes = attributes(site, graph.context(), &sizes, window, padding)?;
        let region = graph.region(site, computation, &[]);
        graph.emit_many(site, stablehlo::REDUCE_WINDOW, Results::Inferred, |op| {
            op.operands(&values).attrs(&attributes).region(region)
        })
    }
}

/// The attributes of a window; empty lists are omitted.
fn attributes(
    site: Site,
    context: &'static ir::Context,
    sizes: &[i64],
    window: &Window<'_>,
    padding: &Padding,
) -> Result<Vec<(&'static str, ir::Attribute<'static>)>> {
    let amounts = padding.amounts(site, sizes, window)?;
    let padding =
        pairs(context, &amounts).ok_or_else(|| site.error("the padding is not a matrix"))?;
    let mut all =
        vec![("window_dimensions", ir::i64s(context, window.dimensions)), ("padding", padding)];
    for (name, list) in [
        ("window_strides", window.strides),
        ("base_dilations", window.base_dilations),
        ("window_dilations", window.window_dilations),
    ] {
        if !list.is_empty() {
            all.push((name, ir::i64s(context, list)));
        }
    }
    Ok(all)
}
