//! Windows: they see the initial value in place of padding.

use strata_ir::{
    AttributeExt as _, Builder, Op, TypeExt as _, Value, func, function_name, i64s, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{DimExpr, FactorKind};

use super::{
    Padded, Padding,
    extent::Extent,
    movement::Move,
    neutral::{own_operation, repeats},
    padded_type,
};
use crate::{
    emit::Emit as _,
    pattern::{ints, ints_or},
};

/// A window along one dimension.
#[derive(Clone)]
struct Window {
    size: DimExpr,
    stride: i64,
    base: i64,
    holes: i64,
    edges: [DimExpr; 2],
}

impl Window {
    /// Whether its low padding depends on sizes, and its own size does not.
    fn is_shifted(&self) -> bool {
        self.size.as_constant().is_some() && self.edges[0].as_constant().is_none()
    }

    /// Whether each window ends with the element at its own place, as those of a running sum.
    fn ends_at_its_element(&self) -> bool {
        let before = self.size.minus(&DimExpr::constant(1));
        // With padding after the elements the last windows reach over their end.
        (self.stride, self.base, self.holes) == (1, 1, 1)
            && before.as_ref() == Some(&self.edges[0])
            && self.edges[1].as_constant().is_some_and(|high| high <= 0)
    }

    /// Whether it is one element after the other.
    fn is_trivial(&self) -> bool {
        let zero = DimExpr::constant(0);
        self.size.as_constant() == Some(1)
            && (self.stride, self.base) == (1, 1)
            && self.edges.iter().all(|edge| *edge == zero)
    }
}

impl<'c> Padding<'c> {
    pub fn reduce_window(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let sizes = ints(op, "window_dimensions")?;
        let rank = sizes.len();
        let list = |name, count, default| ints_or(op, name, count, default);
        let (strides, base) = (list("window_strides", rank, 1)?, list("base_dilations", rank, 1)?);
        let (holes, edges) = (list("window_dilations", rank, 1)?, list("padding", 2 * rank, 0)?);
        let fits = [&strides, &base, &holes].iter().all(|list| list.len() == rank);
        (fits && edges.len() == 2 * rank).or_decline("an attribute has another length")?;
        let window = |dim: usize| Window {
            size: DimExpr::constant(sizes[dim]),
            stride: strides[dim],
            base: base[dim],
            holes: holes[dim],
            edges: [edges[2 * dim], edges[2 * dim + 1]].map(DimExpr::constant),
        };
        let windows: Vec<_> = (0..rank).map(window).collect();
        let operands = self.operands(op)?;
        self.windowed(op, builder, &operands, &windows, None)
    }

    /// JAX's form with computed attributes.
    pub fn called_window(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let operands = op.operands();
        let count = operands.len().checked_sub(5).or_decline("the number of operands is wrong")?;
        (count == 2 * op.result_count()).or_decline("the number of operands is wrong")?;
        let lists = operands[count..].iter().map(|list| self.shape(*list));
        let lists = lists.collect::<Outcome<Vec<_>>>()?;
        let rank = lists[0].len();
        let fits = lists[1..4].iter().all(|list| list.len() == rank) && lists[4].len() == 2 * rank;
        fits.or_decline("an operand has another length")?;
        let known = |list: usize, dim: usize| {
            lists[list][dim].as_constant().or_decline("a stride or a dilation is not a number")
        };
        let window = |dim: usize| {
            Ok(Window {
                size: lists[0][dim].clone(),
                stride: known(1, dim)?,
                base: known(2, dim)?,
                holes: known(3, dim)?,
                edges: [lists[4][2 * dim].clone(), lists[4][2 * dim + 1].clone()],
            })
        };
        let windows = (0..rank).map(window).collect::<Outcome<Vec<_>>>()?;
        let names = op.attr("called_computations").and_then(|names| names.as_array());
        let name = names.as_deref().and_then(|names| names.first()?.as_symbol());
        let name = name.or_decline("the call names no function")?;
        let mut root = op;
        while let Some(parent) = root.parent() {
            root = parent;
        }
        let is_named = |op: &Op<'c>| op.is(func::FUNC) && function_name(*op) == name;
        let body = root.body(0).ops().into_iter().find(is_named);
        let body = body.or_decline("there is no such function")?;
        let operands = operands[..count].iter().map(|value| self.padded(*value));
        let operands = operands.collect::<Outcome<Vec<_>>>()?;
        self.windowed(op, builder, &operands, &windows, Some(body))
    }

    fn windowed(
        &mut self,
        op: Op<'c>,
        builder: &Builder<'c>,
        operands: &[Padded<'c>],
        windows: &[Window],
        body: Option<Op<'c>>,
    ) -> Outcome<Vec<Padded<'c>>> {
        let (inputs, inits) = operands.split_at(operands.len() / 2);
        let mut inputs = self.alike(builder, inputs.to_vec())?;
        let first = inputs.first().or_decline("it has no operands")?;
        (first.dims.len() == windows.len()).or_decline("its window has other dimensions")?;
        let moving: Vec<usize> =
            (0..windows.len()).filter(|dim| !windows[*dim].is_trivial()).collect();
        if moving.iter().any(|dim| !first.dims[*dim].is_prefix()) {
            let compact = inputs.iter().map(|one| self.compact(builder, one));
            inputs = compact.collect::<Outcome<Vec<_>>>()?;
        }
        if windows.iter().any(|window| window.size.as_constant().is_none()) {
            // The window of the padded program is larger, and sees initial values more often.
            let block = body.unwrap_or(op).region(0).first_block();
            let block = block.or_decline("it has no computation")?;
            let starts: Vec<_> = inits.iter().map(|init| init.value).collect();
            repeats(block, &starts).or_decline(
                "its window has an open size, and its initial value is not known to be neutral",
            )?;
        }
        // The program with a window of no elements is invalid.
        windows.iter().for_each(|window| self.fits_into(&DimExpr::constant(1), &window.size));
        let old = inputs[0].dims.clone();
        // Windows of valid results that do not reach over an end see valid elements only.
        let is_seen = |dim: &usize| {
            let window = &windows[*dim];
            let is_inside = self.bound(&window.edges[1]).is_ok_and(|high| high <= 0);
            (window.size.as_constant().is_none() || !is_inside) && !window.ends_at_its_element()
        };
        let masked: Vec<usize> = moving.iter().copied().filter(is_seen).collect();
        let shifted = windows.iter().any(Window::is_shifted);
        let mut moves: Vec<Option<Move>> = vec![None; old.len()];
        let mut dims = old.clone();
        let mut shape = inputs[0].value.ty().shape().unwrap_or_default();
        let (mut sizes, mut padding) = (vec![1; old.len()], vec![[0, 0]; old.len()]);
        for dim in moving {
            let window = &windows[dim];
            let own = Self::size(&old[dim])?;
            let moves_too = shifted && window.size.as_constant().is_some() && window.base == 1;
            let (size, low) = match window.size.as_constant().filter(|_| moves_too) {
                Some(size) => (size, 0),
                None => self.window_bounds(window, &own)?,
            };
            let spanned = window.size.minus(&DimExpr::constant(1));
            let spanned = spanned.and_then(|size| size.times(&DimExpr::constant(window.holes)));
            let spanned = spanned.and_then(|size| size.plus(&DimExpr::constant(1)));
            let spanned = spanned.or_decline("a size is too large an expression")?;
            let count = self.windows(&own, window.base, &window.edges, &spanned, window.stride)?;
            dims[dim] = self.extent(count)?;
            let wanted = dims[dim].bound().unwrap_or(0);
            let dilated = if shape[dim] == 0 { 0 } else { (shape[dim] - 1) * window.base + 1 };
            let span = (size - 1) * window.holes + 1;
            if moves_too {
                let read = (wanted - 1).max(0) * window.stride + span;
                moves[dim] = Some(Move { low: window.edges[0].clone(), read });
                (sizes[dim], shape[dim]) = (size, wanted.max(1));
                continue;
            }
            let high = match window.edges[1].as_constant().filter(|_| old[dim].is_full()) {
                Some(high) if window.size.as_constant().is_some() => high,
                _ => ((wanted - 1).max(0) * window.stride + span - low - dilated).max(0),
            };
            let all = low + dilated + high;
            shape[dim] = if all < span { 0 } else { (all - span) / window.stride + 1 };
            (sizes[dim], padding[dim]) = (size, [low, high]);
        }
        let mut values = Vec::new();
        for (input, init) in inputs.iter().zip(inits) {
            let value = self.masked(builder, input, &masked, init.value)?;
            values.push(self.moved(builder, value, init.value, &moves)?);
        }
        values.extend(inits.iter().map(|init| init.value));
        let new =
            self.window_op(op, builder, &values, &shape, windows, (&sizes, &padding), body)?;
        new.results()
            .into_iter()
            .map(|value| self.fitted(builder, value, dims.clone(), false))
            .collect()
    }

    /// The window's size and low padding in the padded program. A window of open size must reach over all elements before or
    /// after its own.
    fn window_bounds(&self, window: &Window, own: &DimExpr) -> Outcome<(i64, i64)> {
        if let (Some(size), Some(low)) = (window.size.as_constant(), window.edges[0].as_constant())
        {
            return Ok((size, low));
        }
        let reason = "its window has an open size, and does not reach to an end";
        let over = window.size.minus(own);
        let reaches = over.is_some_and(|over| self.domain().is_at_least(&over, 0));
        (reaches && window.holes == 1 && window.base == 1).or_decline(reason)?;
        let size = self.bound(&window.size)?;
        let low = &window.edges[0];
        if low.as_constant() == Some(0) {
            return Ok((size, 0));
        }
        let before = window.size.minus(&DimExpr::constant(1));
        let is_low = before.is_some_and(|before| self.domain().are_equal(&before, low));
        (is_low && window.stride == 1).or_decline(reason)?;
        Ok((size, size - 1))
    }

    #[allow(clippy::too_many_arguments)]
    fn window_op(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        values: &[Value<'c>],
        shape: &[i64],
        windows: &[Window],
        (sizes, padding): (&[i64], &[[i64; 2]]),
        body: Option<Op<'c>>,
    ) -> Outcome<Op<'c>> {
        let owner = body.unwrap_or(op);
        let block = owner.region(0).first_block().or_decline("it has no computation")?;
        let types: Vec<_> = block.args().into_iter().map(|arg| arg.ty()).collect();
        let region = builder.region(&types, |inner, args| {
            let mut known = self.known.clone();
            known.extend(block.args().into_iter().zip(args.iter().copied()));
            let returned = inner.copy_body(block, &mut known);
            inner.returned(&returned);
        });
        let each = |of: fn(&Window) -> i64| {
            i64s(self.context, &windows.iter().map(of).collect::<Vec<_>>())
        };
        let results = op.results().into_iter();
        let results: Vec<_> =
            results.map(|old| strata_ir::tensor(shape, old.ty().element())).collect();
        let padding = self.pairs(padding)?;
        let mut new = builder
            .op(stablehlo::REDUCE_WINDOW)
            .operands(values)
            .attr("window_dimensions", i64s(self.context, sizes))
            .attr("window_strides", each(|window| window.stride))
            .attr("base_dilations", each(|window| window.base))
            .attr("window_dilations", each(|window| window.holes))
            .results(&results)
            .region(region);
        if let Some(padding) = padding {
            new = new.attr("padding", padding);
        }
        Ok(new.build())
    }

    /// Elements of the source that are not valid change no result. Windows of the others see valid elements only, or leave
    /// dimensions of open size alone.
    pub fn select_and_scatter(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let operands = self.operands(op)?;
        let [operand, source, init] = &operands[..] else {
            return Err("the number of operands is wrong".into());
        };
        let rank = operand.dims.len();
        (source.dims.len() == rank).or_decline("its operands have other dimensions")?;
        let list = |name, count, default| ints_or(op, name, count, default);
        let sizes = list("window_dimensions", rank, 1)?;
        let (strides, edges) = (list("window_strides", rank, 1)?, list("padding", 2 * rank, 0)?);
        let fits = sizes.len() == rank && strides.len() == rank && edges.len() == 2 * rank;
        fits.or_decline("an attribute has another length")?;
        let is_open = |dim: &usize| !operand.dims[*dim].is_full() || !source.dims[*dim].is_full();
        let along = Self::along(op, FactorKind::Window)?;
        let moving: Vec<usize> = along.iter().copied().filter(is_open).collect();
        let same = |dim: usize| along.contains(&dim) || operand.dims[dim] == source.dims[dim];
        (0..rank).all(same).or_decline("sizes of operands are not known to be equal")?;
        let mut shape = source.value.ty().shape().unwrap_or_default();
        let (mut operand, mut source) = (operand.clone(), source.clone());
        if !moving.is_empty() {
            (operand, source) = (self.compact(builder, &operand)?, self.compact(builder, &source)?);
            let block = op.region(1).first_block().or_decline("it has no computation")?;
            let fill = own_operation(block, 0)
                .and_then(|kind| self.neutral_of(builder, kind, init.value))
                .or_decline("what it scatters has no known neutral element")?;
            for dim in &moving {
                let [low, high] = [edges[2 * dim], edges[2 * dim + 1]];
                (high <= 0).or_decline("its window reaches over the end of an open size")?;
                let own = Self::size(&operand.dims[*dim])?;
                let (window, pair) =
                    (DimExpr::constant(sizes[*dim]), [low, high].map(DimExpr::constant));
                let count = self.windows(&own, 1, &pair, &window, strides[*dim])?;
                let same = self.canonical(count) == Self::size(&source.dims[*dim])?;
                same.or_decline("sizes of operands are not known to be equal")?;
                let room = operand.dims[*dim].bound().unwrap_or(0) + low + high - sizes[*dim];
                shape[*dim] = if room < 0 { 0 } else { room / strides[*dim] + 1 };
            }
            source.value = self.masked(builder, &source, &moving, fill)?;
            source.value = self.resized(builder, source.value, &shape, Some(fill))?;
        }
        let dims: Vec<Extent> = operand.dims.clone();
        let ty = padded_type(&dims, op.result(0).ty().element())?;
        let values = [operand.value, source.value, init.value];
        let new = self.rebuilt(builder, op, &values, &[ty], &[]);
        Ok(Padded { value: new.result(0), dims, zero: false })
    }
}
