//! `reduce_window` to a pooling operation where one fits, else to a nest over outputs and window.
//!
//! ```text
//! %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, …}> ({ max })
//!        : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x2x2x3xf32>
//! ```
//! becomes
//! ```text
//! %w = tensor.empty() : tensor<2x2xf32>       the window's extent; its elements are never read
//! %1 = linalg.pooling_nhwc_max {strides = dense<2>, dilations = dense<1>} ins(%0, %w) outs(filled)
//! ```

pub(crate) mod scan;
pub(crate) mod select_and_scatter;

use strata_ir::{
    AffineExpr, Builder, Op, OpKind, OpName, TypeExt as _, Value, arith, linalg,
    linalg::IteratorType,
};
use strata_rewrite::{Lowerer, Lowering, Outcome};

use crate::{
    dims::{ints, ints_or, padding, shape},
    generic::{Indexed, generic},
    loops::{Combine, accumulate},
    lowerings::{
        conv::window_attr,
        reduce::Combiner,
        shape::pad::{dilated, pad, window_edges},
        window::scan::Scan,
    },
    masked::is_open_size,
    numbers::element::Class,
};

/// The lowering of `reduce_window`.
pub struct ReduceWindow;

impl Lowering for ReduceWindow {
    fn name(&self) -> &'static str {
        "reduce-window"
    }

    fn roots(&self) -> &'static [OpKind] {
        &[OpKind::ReduceWindow]
    }

    fn lower<'c>(
        &self,
        op: Op<'c>,
        operands: &[Value<'c>],
        lowerer: &mut Lowerer<'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let builder = lowerer.builder();
        let window = Window::of(op)?;
        let combiner = Combiner::of(op)?;
        let count = operands.len() / 2;
        let positions = op.result(0).ty().element_count();
        if positions == Some(0) {
            // Padding that no window fits into need not be consistent with the results.
            return empty_results(&builder, op, lowerer);
        }
        if let Some(scan) = window.scan(op, &combiner) {
            let initial = combiner.initial(&builder, op, operands, 0)?;
            return Ok(vec![scan.build(&builder, [operands[0], initial], &combiner, lowerer)?]);
        }
        let mut inputs = Vec::new();
        let outputs = combiner.filled(&builder, op, operands)?;
        for (index, result) in op.results().into_iter().enumerate() {
            let fill = builder.extract(operands[count + index], &[]);
            let gaps: Vec<_> = window.base_dilation.iter().map(|size| size - 1).collect();
            let edges = window.edges(&shape(operands[index])?, &shape(result)?);
            inputs.push(pad(&builder, operands[index], fill, &edges, &gaps)?);
        }
        let body = |inner: &Builder<'c>, elements: &[Value<'c>], sums: &[Value<'c>]| {
            combiner.combine(inner, sums, elements, lowerer)
        };
        match window.pooling(op, &combiner) {
            _ if !combiner.is_on_scalars() => {
                window.by_loops(&builder, [&inputs, &outputs], &|b, sums, elements| {
                    combiner.combine(b, sums, elements, lowerer)
                })
            }
            Some((name, first)) => window.named(&builder, name, first, inputs[0], outputs[0], body),
            None => window.nest(&builder, &inputs, &outputs, body),
        }
    }
}

/// Results without elements.
fn empty_results<'c>(
    builder: &Builder<'c>,
    op: Op<'c>,
    lowerer: &Lowerer<'c>,
) -> Outcome<Vec<Value<'c>>> {
    op.results()
        .into_iter()
        .map(|result| Ok(builder.empty(&shape(result)?, lowerer.convert(result.ty()).element())))
        .collect()
}

struct Window {
    sizes: Vec<i64>,
    strides: Vec<i64>,
    dilation: Vec<i64>,
    base_dilation: Vec<i64>,
    padding: Vec<(i64, i64)>,
}

impl Window {
    fn of(op: Op<'_>) -> Outcome<Self> {
        let sizes = ints(op, "window_dimensions")?;
        let rank = sizes.len();
        Ok(Self {
            strides: ints_or(op, "window_strides", rank, 1),
            dilation: ints_or(op, "window_dilations", rank, 1),
            base_dilation: ints_or(op, "base_dilations", rank, 1),
            padding: padding(op, rank),
            sizes,
        })
    }

    /// The padding of operands of shape `from` for results of shape `to`.
    fn edges(&self, from: &[i64], to: &[i64]) -> Vec<(i64, i64)> {
        (0..from.len())
            .map(|dim| {
                let size = dilated(from[dim], self.base_dilation[dim]);
                let (window, dilation) = (self.sizes[dim], self.dilation[dim]);
                window_edges(size, self.padding[dim], to[dim], window, dilation)
            })
            .collect()
    }

    /// The equivalent running reduction, if each window covers a line up to an element or from it on.
    fn scan(&self, op: Op<'_>, combiner: &Combiner<'_>) -> Option<Scan> {
        let sizes = op.operand(0).ty().shape()?;
        let ones = |values: &[i64]| values.iter().all(|value| *value == 1);
        let unit = ones(&self.strides) && ones(&self.dilation) && ones(&self.base_dilation);
        let long = |dim: &usize| self.sizes[*dim] != 1;
        let dims: Vec<_> = (0..sizes.len()).filter(long).collect();
        let [dim] = dims[..] else { return None };
        let length = sizes[dim];
        let others_plain =
            (0..sizes.len()).all(|other| other == dim || self.padding[other] == (0, 0));
        let backward = match self.padding[dim] {
            (low, 0) if low == length - 1 => false,
            (0, high) if high == length - 1 => true,
            _ => return None,
        };
        let fits = unit
            && others_plain
            && self.sizes[dim] == length
            && length > 1
            && op.result_count() == 1
            && op.operand(0).ty().element() == op.result(0).ty().element()
            && !sizes.contains(&0)
            && combiner.starts_neutral(op);
        fits.then(|| Scan { open: is_open_size(op, length), sizes, dim, backward })
    }

    /// The pooling operation that fits, and the first of its two window dimensions.
    fn pooling(&self, op: Op<'_>, combiner: &Combiner<'_>) -> Option<(OpName<'static>, usize)> {
        let plain = |dim: usize| self.sizes[dim] == 1 && self.strides[dim] == 1;
        if op.result_count() != 1 || self.sizes.len() != 4 || !plain(0) {
            return None;
        }
        let element = op.operand(0).ty().element();
        let class = Class::of(element)?;
        let narrow = class == Class::Float && element.bit_width()? < 32;
        if narrow || class == Class::Bool || op.result(0).ty().element() != element {
            return None;
        }
        let max_or_min = class == Class::Float || class == Class::Signed;
        let channels_last = plain(3);
        match (combiner.single_op()?, channels_last, plain(1)) {
            (OpKind::Add, true, _) => Some((linalg::POOLING_NHWC_SUM, 1)),
            (OpKind::Add, _, true) => Some((linalg::POOLING_NCHW_SUM, 2)),
            (OpKind::Maximum, true, _) if max_or_min => Some((linalg::POOLING_NHWC_MAX, 1)),
            (OpKind::Maximum, _, true) if max_or_min => Some((linalg::POOLING_NCHW_MAX, 2)),
            (OpKind::Minimum, true, _) if max_or_min => Some((linalg::POOLING_NHWC_MIN, 1)),
            _ => None,
        }
    }

    fn named<'c>(
        &self,
        builder: &Builder<'c>,
        name: OpName<'static>,
        first: usize,
        input: Value<'c>,
        output: Value<'c>,
        body: impl Fn(&Builder<'c>, &[Value<'c>], &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
    ) -> Outcome<Vec<Value<'c>>> {
        let window = first..first + 2;
        let element = input.ty().element();
        let extent = builder.empty(&self.sizes[window.clone()], element);
        let mut outcome = Ok(());
        let region = builder.region(&[element; 3], |inner, args| {
            match body(inner, &args[..1], &args[2..]) {
                Ok(results) => {
                    linalg::yield_(inner, &results).build();
                }
                Err(declined) => outcome = Err(declined),
            }
        });
        outcome?;
        Ok(builder
            .structured(name, &[input, extent], &[output], region)
            .attr("strides", window_attr(builder, &self.strides[window.clone()])?)
            .attr("dilations", window_attr(builder, &self.dilation[window])?)
            .build()
            .results())
    }

    /// As [`Self::nest`], for a region that cannot be the body of a nest.
    fn by_loops<'c>(
        &self,
        builder: &Builder<'c>,
        [inputs, outputs]: [&[Value<'c>]; 2],
        body: &Combine<'_, 'c>,
    ) -> Outcome<Vec<Value<'c>>> {
        let extents = [shape(outputs[0])?, self.sizes.clone()].concat();
        let positions = |b: &Builder<'c>, at: &[Value<'c>]| {
            let (to, taps) = at.split_at(self.sizes.len());
            let scaled = |by: i64, at: Value<'c>| b.same(arith::MULI, &[at, b.index(by)]);
            let from = (0..to.len()).map(|dim| {
                let start = scaled(self.strides[dim], to[dim]);
                b.same(arith::ADDI, &[start, scaled(self.dilation[dim], taps[dim])])
            });
            [from.collect(), to.to_vec()]
        };
        accumulate(builder, &extents, [inputs, outputs], &positions, body)
    }

    /// Loops: the outputs' dimensions, then the window's that have more than one element.
    fn nest<'c>(
        &self,
        builder: &Builder<'c>,
        inputs: &[Value<'c>],
        outputs: &[Value<'c>],
        body: impl Fn(&Builder<'c>, &[Value<'c>], &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
    ) -> Outcome<Vec<Value<'c>>> {
        let rank = self.sizes.len();
        let taps: Vec<usize> = (0..rank).filter(|dim| self.sizes[*dim] != 1).collect();
        let loops = rank + taps.len();
        let expr = |dim: usize| {
            let at = AffineExpr::dim(dim) * self.strides[dim];
            match taps.iter().position(|tap| *tap == dim) {
                Some(tap) => at + AffineExpr::dim(rank + tap) * self.dilation[dim],
                None => at,
            }
        };
        let exprs: Vec<_> = (0..rank).map(expr).collect();
        let mut operands = inputs
            .iter()
            .map(|value| Indexed::at(*value, loops, exprs.clone()))
            .collect::<Vec<_>>();
        let extent: Vec<_> = taps.iter().map(|dim| self.sizes[*dim]).collect();
        let extent = builder.empty(&extent, inputs[0].ty().element());
        operands.push(Indexed::by(extent, loops, &(rank..loops).collect::<Vec<_>>()));
        let over: Vec<_> = (0..rank).collect();
        let outputs: Vec<_> =
            outputs.iter().map(|value| Indexed::by(*value, loops, &over)).collect();
        let mut kinds = vec![IteratorType::Parallel; rank];
        kinds.resize(loops, IteratorType::Reduction);
        generic(builder, &operands, &outputs, &kinds, |inner, args| {
            // The extent's element, after the inputs', is never read.
            body(inner, &args[..inputs.len()], &args[inputs.len() + 1..])
        })
    }
}
