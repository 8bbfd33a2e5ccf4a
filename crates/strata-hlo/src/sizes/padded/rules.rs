//! What becomes of each operation.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, DYNAMIC, Op, OpKind, QuantizedType, Type, TypeExt as _,
    Value, func, int, integer, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome};
use strata_shapes::{
    DimExpr, Factor, FactorKind, Family, SHAPE_OPERANDS, attribute_operands, family, is_lapack,
    rules, shape_operands,
};

use super::{
    super::{
        declared::{self, Declared, ONE_SIZE},
        is_dynamic, shapes,
        shapes::only,
    },
    Padded, Padding, Refused,
    extent::Extent,
    padded_type,
};
use crate::{emit::Emit as _, expansion::quantized::contracted_dot, interop::custom_call::target};

impl<'c> shapes::Known<'c> for Padding<'c> {
    fn dims(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        Some(self.values.get(&value)?.dims.iter().map(Extent::size).collect())
    }

    fn elements(&self, value: Value<'c>) -> Option<Vec<Option<DimExpr>>> {
        self.numbers(value).ok()
    }
}

impl<'c> Padding<'c> {
    /// Adds what stands for an operation of the old program.
    pub fn convert(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Result<(), Refused<'c>> {
        let builder = Builder { location: op.location(), ..*builder };
        self.walk.step(op);
        match op.kind() {
            OpKind::While => return self.repeat(op, &builder),
            OpKind::If | OpKind::Case => return self.branches(op, &builder),
            _ => {}
        }
        self.rule(op, &builder).map_err(|why| (op, why.reason().to_owned()))
    }

    fn rule(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome {
        if op.kind() == OpKind::CustomCall && target(op) == "shape_assertion" {
            // Calls check it.
            let is_known = op.operands().first().is_some_and(|of| self.walk.is_condition(*of));
            return is_known.or_decline("the program asserts what is not a condition on sizes");
        }
        let is_static = op
            .results()
            .iter()
            .all(|result| !result.ty().is_tensor_type() || result.ty().has_static_shape());
        let is_full = |value: &Value<'c>| self.values.get(value).is_none_or(Padded::is_full);
        let sets_size = matches!(op.kind(), OpKind::SetDimensionSize | OpKind::GetDimensionSize);
        // Shapes that are operands are those of static results only where all operands have static types.
        let is_open = |value: &Value<'c>| is_dynamic(value.ty());
        let is_call = op.kind() == OpKind::CustomCall;
        let shapes = if is_call { Vec::new() } else { shape_operands(op) };
        let has_shapes = is_call || !shapes.is_empty();
        let own = attribute_operands(op).unwrap_or_default().chain(shapes);
        let mut own = own.filter_map(|at| op.operands().get(at).copied());
        let takes_sizes = has_shapes && op.operands().iter().any(is_open)
            || own.any(|list| self.is_open_shape(list));
        self.agree(op, builder)?;
        if is_static && op.operands().iter().all(is_full) && !sets_size && !takes_sizes {
            return self.kept(op, builder);
        }
        let results = self.results(op, builder)?;
        (results.len() == op.result_count()).or_decline("it has other results")?;
        for (old, new) in op.results().into_iter().zip(results) {
            self.fits_type(old, &new)?;
            self.define(old, new);
        }
        Ok(())
    }

    /// Whether a list of numbers follows from open sizes.
    fn is_open_shape(&self, list: Value<'c>) -> bool {
        let numbers = self.numbers(list).unwrap_or_default();
        numbers.iter().flatten().any(|number| number.as_constant().is_none())
    }

    /// Whether operands say the sizes of results that their types give them, which may hold for one size of an input only.
    /// The object checks those that depend on values.
    fn agree(&self, op: Op<'c>, builder: &Builder<'c>) -> Outcome {
        let mut conditions = Vec::new();
        for mut declared in declared::of(op, self) {
            declared.said = declared.said.map(|said| self.canonical(said));
            match (declared.agrees(), &declared.said) {
                (Some(true), _) => {}
                (Some(false), _) => return Err(declared.reason().into()),
                (None, Some(_)) => return Err(ONE_SIZE.into()),
                (None, None) => conditions.extend(self.condition(op, builder, &declared)?),
            }
        }
        declared::assert(op, builder, conditions)
    }

    /// Whether values say the size of a type; `None` where that is left to later.
    fn condition(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        declared: &Declared,
    ) -> Outcome<Option<Value<'c>>> {
        let number = match (op.kind(), declared.list(op)) {
            (OpKind::RealDynamicSlice, _) => {
                let [start, limit, stride] =
                    [1, 2, 3].map(|at| self.element(builder, op.operand(at), declared.dim));
                let (length, stride) =
                    (builder.same(stablehlo::SUBTRACT, &[limit?, start?]), stride?);
                // The quotient by the stride, rounded up.
                let more = builder.same(stablehlo::ADD, &[length, stride]);
                let more = builder.same(stablehlo::SUBTRACT, &[more, builder.counter(1)]);
                builder.same(stablehlo::DIVIDE, &[more, stride])
            }
            (OpKind::CustomCall, _) | (_, None) => return Ok(None),
            (_, Some(list)) => self.element(builder, list, declared.dim)?,
        };
        declared::is_size(builder, number, declared.size).map(Some)
    }

    /// Whether a result has the sizes that its type gives it, which may hold for one size of an input only.
    fn fits_type(&self, old: Value<'c>, new: &Padded<'c>) -> Outcome {
        let shape = old.ty().shape().unwrap_or_default();
        for (size, extent) in shape.iter().zip(&new.dims).filter(|(size, _)| **size != DYNAMIC) {
            let own = self.canonical(Self::size(extent)?);
            (own.as_constant() == Some(*size)).or_decline(ONE_SIZE)?;
        }
        Ok(())
    }

    /// An operation without padding.
    fn kept(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome {
        let copy = builder.copy(op, &mut self.known);
        let is_dot = matches!(op.kind(), OpKind::DotGeneral | OpKind::Dot);
        let integers = is_dot.then(|| contracted_dot(copy, builder, &|| Ok(None))).flatten();
        if let Some(value) = integers {
            copy.erase();
            let dims = value.ty().shape().unwrap_or_default().into_iter().map(Extent::full);
            self.define(op.result(0), Padded { value, dims: dims.collect(), zero: true });
            return Ok(());
        }
        for (old, new) in op.results().into_iter().zip(copy.results()) {
            let Some(shape) = new.ty().shape() else { continue };
            let dims = shape.into_iter().map(Extent::full).collect();
            self.define(old, Padded { value: new, dims, zero: true });
        }
        Ok(())
    }

    fn results(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let one = |padded: Padded<'c>| vec![padded];
        is_known_of_quantized(op)?;
        match op.kind() {
            OpKind::GetDimensionSize => self.dimension_size(op, builder).map(one),
            OpKind::SetDimensionSize => self.set_size(op, builder).map(one),
            OpKind::BroadcastInDim | OpKind::DynamicBroadcastInDim => {
                self.broadcast(op, builder).map(one)
            }
            OpKind::Iota | OpKind::DynamicIota => self.iota(op, builder).map(one),
            OpKind::Reshape | OpKind::DynamicReshape => self.reshape(op, builder).map(one),
            OpKind::Reverse => self.reverse(op, builder).map(one),
            OpKind::Concatenate => self.concatenate(op, builder).map(one),
            OpKind::Pad | OpKind::DynamicPad => self.pad(op, builder).map(one),
            OpKind::Slice | OpKind::RealDynamicSlice => self.slice(op, builder).map(one),
            OpKind::DynamicSlice => self.dynamic_slice(op, builder).map(one),
            OpKind::DynamicUpdateSlice => self.update_slice(op, builder).map(one),
            OpKind::BitcastConvert => self.bitcast(op, builder).map(one),
            OpKind::Reduce => self.reduce(op, builder),
            OpKind::Sort => self.sort(op, builder),
            OpKind::BatchNormTraining | OpKind::BatchNormGrad => self.batch_norm(op, builder),
            OpKind::ReduceWindow => self.reduce_window(op, builder),
            OpKind::SelectAndScatter => self.select_and_scatter(op, builder).map(one),
            OpKind::DotGeneral | OpKind::Dot => self.dot(op, builder).map(one),
            OpKind::Convolution | OpKind::DynamicConv => self.convolution(op, builder).map(one),
            OpKind::Cholesky => self.cholesky(op, builder).map(one),
            OpKind::TriangularSolve => self.triangular_solve(op, builder).map(one),
            OpKind::Gather | OpKind::DynamicGather => self.gather(op, builder).map(one),
            OpKind::Scatter => self.scatter(op, builder),
            OpKind::ChloTopK => {
                let k = op.attr("k").and_then(|k| k.as_i64()).or_decline("there is no `k`")?;
                self.top_k(op, builder, &DimExpr::constant(k))
            }
            OpKind::Rng => self.rng(op, builder).map(one),
            OpKind::OptimizationBarrier => self.barrier(op, builder),
            OpKind::CustomCall => self.call(op, builder),
            kind if family(kind) == Family::Pointwise => {
                let operands = self.alike(builder, self.operands(op)?)?;
                self.pointwise(op, builder, &operands)
            }
            _ => self.apart(op, builder, &self.operands(op)?),
        }
    }

    /// The operation on other operands, with other types of results and some other attributes.
    pub fn rebuilt(
        &self,
        builder: &Builder<'c>,
        op: Op<'c>,
        operands: &[Value<'c>],
        types: &[Type<'c>],
        others: &[(&str, Attribute<'c>)],
    ) -> Op<'c> {
        let mut attributes = op.attrs();
        attributes.retain(|(name, _)| !others.iter().any(|(other, _)| other == name));
        let mut new = builder
            .op(op.name())
            .operands(operands)
            .attrs(&attributes)
            .attrs(others)
            .results(types);
        for region in op.regions() {
            let Some(block) = region.first_block() else { continue };
            let arguments: Vec<_> = block.args().into_iter().map(|arg| arg.ty()).collect();
            new = new.region(builder.region(&arguments, |inner, args| {
                let mut known = self.known.clone();
                known.extend(block.args().into_iter().zip(args.iter().copied()));
                let returned = inner.copy_body(block, &mut known);
                inner.returned(&returned);
            }));
        }
        new.build()
    }

    /// Operands whose valid elements lie alike; scalars are left alone.
    pub fn alike(
        &self,
        builder: &Builder<'c>,
        operands: Vec<Padded<'c>>,
    ) -> Outcome<Vec<Padded<'c>>> {
        let same = |operands: &[Padded<'c>]| {
            let mut all = operands.iter().filter(|one| !one.dims.is_empty());
            let Some(first) = all.next() else { return true };
            all.all(|one| one.dims == first.dims)
        };
        if same(&operands) {
            return Ok(operands);
        }
        if let Some(alike) = self.lying_alike(&operands) {
            return Ok(alike);
        }
        let compact = operands.iter().map(|one| self.compact(builder, one));
        let compact = compact.collect::<Outcome<Vec<_>>>()?;
        same(&compact).or_decline("sizes of operands are not known to be equal")?;
        Ok(compact)
    }

    /// Padding stays where it is in an operation along whose padded dimensions elements are computed apart.
    pub fn apart(
        &self,
        op: Op<'c>,
        builder: &Builder<'c>,
        operands: &[Padded<'c>],
    ) -> Outcome<Vec<Padded<'c>>> {
        let table = rules(op).map_err(|why| why.reason())?;
        for (index, operand) in operands.iter().enumerate() {
            for dim in (0..operand.dims.len()).filter(|dim| !operand.dims[*dim].is_full()) {
                let factor = only(table.of_operand(index, dim));
                let is_apart = factor.is_some_and(|factor| factor.kind == FactorKind::Parallel);
                is_apart.or_decline("it would see elements that are not valid")?;
            }
        }
        let all = Self::extents_of(op, operands)?;
        let is_zero =
            |one: &Padded<'c>| one.zero || one.dims.is_empty() && op.kind() == OpKind::Select;
        let zero = keeps_zero(op.kind()) && operands.iter().all(is_zero);
        let types = op.results().into_iter().zip(&all);
        let types = types.map(|(old, dims)| padded_type(dims, old.ty().element()));
        let types = types.collect::<Outcome<Vec<_>>>()?;
        let values: Vec<_> = operands.iter().map(|one| one.value).collect();
        let new = self.rebuilt(builder, op, &values, &types, &[]);
        let results = new.results().into_iter().zip(all);
        Ok(results.map(|(value, dims)| Padded { value, dims, zero }).collect())
    }

    /// What is valid of each result, where the rules of dimensions say it: operands that have a dimension have it alike.
    pub fn extents_of(op: Op<'c>, operands: &[Padded<'c>]) -> Outcome<Vec<Vec<Extent>>> {
        Self::extents_by(op, operands, &|_| None)
    }

    /// The same, with what `own` says of factors whose sizes differ.
    pub fn extents_by(
        op: Op<'c>,
        operands: &[Padded<'c>],
        own: &dyn Fn(&Factor) -> Option<Extent>,
    ) -> Outcome<Vec<Vec<Extent>>> {
        let table = rules(op).map_err(|why| why.reason())?;
        let extent = |index: usize, dim: usize, size: i64| -> Outcome<Extent> {
            let factor = only(table.of_result(index, dim));
            if let Some(extent) = factor.and_then(own) {
                return Ok(extent);
            }
            let mut kept = factor
                .filter(|factor| factor.kind.keeps_size())
                .into_iter()
                .flat_map(|factor| factor.operands())
                .filter_map(|(index, dim)| operands.get(*index)?.dims.get(*dim));
            match kept.next() {
                Some(first) => {
                    let alike = kept.all(|other| other == first);
                    alike.or_decline("sizes of operands are not known to be equal")?;
                    Ok(first.clone())
                }
                None => {
                    (size != DYNAMIC).or_decline("the size of the result is not known")?;
                    Ok(Extent::full(size))
                }
            }
        };
        let result = |(index, value): (usize, Value<'c>)| -> Outcome<Vec<Extent>> {
            let shape = value.ty().shape().or_decline("a result is not a tensor of known rank")?;
            shape.into_iter().enumerate().map(|(dim, size)| extent(index, dim, size)).collect()
        };
        op.results().into_iter().enumerate().map(result).collect()
    }

    /// The dimensions of operand 0 along which the operation does that.
    pub fn along(op: Op<'c>, kind: FactorKind) -> Outcome<Vec<usize>> {
        let table = rules(op).map_err(|why| why.reason())?;
        let rank = op.operand(0).ty().rank().or_decline("an operand has no rank")?;
        let has = |dim: &usize| table.of_operand(0, *dim).any(|factor| factor.kind == kind);
        Ok((0..rank).filter(has).collect())
    }

    fn dimension_size(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let operand = self.padded(op.operand(0))?;
        let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
        let dim = dim.and_then(|dim| operand.dims.get(usize::try_from(dim).ok()?));
        let size = Self::size(dim.or_decline("there is no such dimension")?)?;
        let value = self.number(builder, &size)?;
        let value = builder.converted(value, op.result(0).ty().element());
        Ok(Padded { value, dims: Vec::new(), zero: true })
    }

    /// The first elements stay valid: as many as the program follows from sizes, or as a value says.
    fn set_size(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let mut operand = self.compact(builder, &self.padded(op.operand(0))?)?;
        let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
        let dim = dim.and_then(|dim| usize::try_from(dim).ok());
        let dim =
            dim.filter(|dim| *dim < operand.dims.len()).or_decline("there is no such dimension")?;
        let most = operand.dims[dim].bound().or_decline("a dimension is too large")?;
        let followed = self.walk.numbers(op.operand(1)).and_then(|sizes| sizes.first()?.clone());
        let size = match followed {
            Some(size) => size,
            None => self.size_in(op, builder, (op.operand(1), 0), most)?,
        };
        operand.dims[dim] = Extent::prefix(size, most);
        operand.zero = false;
        // The bound of a dimension follows from its size.
        let dims = operand.dims.iter().map(|dim| self.extent(Self::size(dim)?));
        let dims = dims.collect::<Outcome<Vec<_>>>()?;
        self.fitted(builder, operand.value, dims, false)
    }

    fn barrier(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let operands = self.operands(op)?;
        let values: Vec<_> = operands.iter().map(|one| one.value).collect();
        let types: Vec<_> = values.iter().map(|value| value.ty()).collect();
        let new = self.rebuilt(builder, op, &values, &types, &[]);
        let results = operands.into_iter().zip(new.results());
        Ok(results.map(|(operand, value)| Padded { value, ..operand }).collect())
    }

    /// Numbers of any distribution are as random for the bound.
    fn rng(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Padded<'c>> {
        let dims = self.extents(&self.shape(op.operand(2))?)?;
        let ty = padded_type(&dims, op.result(0).ty().element())?;
        let sizes = ty.shape().unwrap_or_default();
        let shape = self.numbers_of(builder, &sizes, op.operand(2).ty())?;
        let operands =
            [self.padded(op.operand(0))?.value, self.padded(op.operand(1))?.value, shape];
        let new = self.rebuilt(builder, op, &operands, &[ty], &[]);
        Ok(Padded { value: new.result(0), dims, zero: false })
    }

    fn call(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        match target(op) {
            "stablehlo.dynamic_reduce_window" => self.called_window(op, builder),
            "stablehlo.dynamic_rng_bit_generator" => self.random_bits(op, builder),
            "stablehlo.dynamic_top_k" => {
                let k = self.shape(op.operand(1))?;
                self.top_k(op, builder, k.first().or_decline("there is no `k`")?)
            }
            "stablehlo.shape_refinement_operand_wrapper" => Ok(vec![self.padded(op.operand(0))?]),
            _ if is_lapack(op) => self.matrices(op, builder),
            _ => Err("a custom call would see elements that are not valid".into()),
        }
    }

    /// LAPACK's functions on each matrix of a batch. Matrices of open size are factorised with an identity, or zeros, around them.
    fn matrices(&mut self, op: Op<'c>, builder: &Builder<'c>) -> Outcome<Vec<Padded<'c>>> {
        let shapes = op.attr(SHAPE_OPERANDS).and_then(|list| list.as_i64s());
        let shapes = shapes.or_decline("the shapes of its results are not known")?;
        (shapes.len() == op.result_count())
            .or_decline("the shapes of its results are not known")?;
        let first = op.operand_count() - shapes.len();
        let mut values = Vec::new();
        let side = op.attr("mhlo.backend_config").and_then(|all| all.entry("side")?.as_i64());
        let function = target(op).trim_end_matches("_ffi");
        let is = |name: &str| function.ends_with(name);
        let mut solved: Option<Padded<'c>> = None;
        for (index, value) in op.operands()[..first].iter().enumerate() {
            let operand = self.compact(builder, &self.padded(*value)?)?;
            let rank = operand.dims.len();
            let outer = rank.saturating_sub(2);
            let is_full = |dims: &[usize]| dims.iter().all(|dim| operand.dims[*dim].is_full());
            let inner: Vec<usize> = (outer..rank).collect();
            values.push(match (&solved, index) {
                _ if is_full(&inner) && !is("trsm") => operand.value,
                (_, 0) if is("potrf") || is("getrf") || is("trsm") => {
                    (rank >= 2).or_decline("it has no matrix")?;
                    solved = Some(operand.clone());
                    self.square(builder, &operand)?
                }
                // Right-hand sides are solved one by one.
                (Some(matrix), 1) if is("trsm") => {
                    let along = match side {
                        Some(LEFT) => outer,
                        Some(RIGHT) => rank.saturating_sub(1),
                        _ => return Err("the side of its matrix is not known".into()),
                    };
                    let fits = rank >= 2 && matrix.dims.last() == operand.dims.get(along);
                    fits.or_decline("sizes of operands are not known to be equal")?;
                    self.clean(builder, &operand, &[along])?
                }
                // A reflector of zeros changes nothing.
                _ if is("geqrf") || is("orgqr") || is("ungqr") => {
                    self.clean(builder, &operand, &(0..rank).collect::<Vec<_>>())?
                }
                _ => return Err("its matrices have an open size".into()),
            });
        }
        let mut results = Vec::new();
        for (old, index) in op.results().into_iter().zip(shapes) {
            let shape = usize::try_from(index).ok().and_then(|at| op.operands().get(at).copied());
            let shape = shape.or_decline("there is no such shape operand")?;
            let dims = self.extents(&self.shape(shape)?)?;
            let ty = padded_type(&dims, old.ty().element())?;
            let sizes = ty.shape().unwrap_or_default();
            values.push(self.numbers_of(builder, &sizes, shape.ty())?);
            results.push((ty, dims));
        }
        let types: Vec<_> = results.iter().map(|(ty, _)| *ty).collect();
        let new = self.rebuilt(builder, op, &values, &types, &[]);
        let results = new.results().into_iter().zip(results);
        Ok(results.map(|(value, (_, dims))| Padded { value, dims, zero: false }).collect())
    }

    /// A constant list of integers.
    fn numbers_of(
        &self,
        builder: &Builder<'c>,
        numbers: &[i64],
        ty: Type<'c>,
    ) -> Outcome<Value<'c>> {
        let list = strata_ir::parse_attr(self.context, &format!("dense<{numbers:?}> : {ty}"));
        let list = list.or_decline("the shape is not a list of integers")?;
        Ok(crate::pattern::new_constant(builder, ty, list))
    }

    /// An attribute for a dimension.
    pub fn dimension_attr(&self, dim: usize) -> Attribute<'c> {
        int(integer(self.context, 64), dim as i64)
    }
}

/// The side of a matrix that is solved for, as LAPACK names it.
const LEFT: i64 = b'L' as i64;
const RIGHT: i64 = b'R' as i64;

/// Declines operations on quantized values of open sizes but those on elements alone and those that move them, dots and convolutions, and of
/// values whose quantization differs along a dimension those that have it in another place.
fn is_known_of_quantized(op: Op<'_>) -> Outcome {
    if quantized_types(op).next().is_none() {
        return Ok(());
    }
    let is_known = match op.kind() {
        OpKind::Dot
        | OpKind::DotGeneral
        | OpKind::Convolution
        | OpKind::OptimizationBarrier
        | OpKind::GetDimensionSize => true,
        OpKind::Reshape
        | OpKind::DynamicReshape
        | OpKind::BroadcastInDim
        | OpKind::DynamicBroadcastInDim
        | OpKind::Transpose
        | OpKind::Slice
        | OpKind::Concatenate
        | OpKind::Pad => !has_quantized_axis(op),
        kind => family(kind) == Family::Pointwise,
    };
    is_known.or_decline("it is not computed on quantized values of open sizes")
}

fn quantized_types<'c>(op: Op<'c>) -> impl Iterator<Item = QuantizedType<'c>> {
    let values = op.operands().into_iter().chain(op.results());
    values.filter_map(|value| QuantizedType::of(value.ty().element()))
}

/// Whether the quantization of an operand or result differs along a dimension.
pub fn has_quantized_axis(op: Op<'_>) -> bool {
    quantized_types(op).any(|ty| ty.axis.is_some())
}

/// Operations whose result is zero where all operands are.
pub fn keeps_zero(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Abs
            | OpKind::Add
            | OpKind::And
            | OpKind::Cbrt
            | OpKind::Ceil
            | OpKind::Complex
            | OpKind::Convert
            | OpKind::ExponentialMinusOne
            | OpKind::Fft
            | OpKind::Floor
            | OpKind::Imag
            | OpKind::LogPlusOne
            | OpKind::Maximum
            | OpKind::Minimum
            | OpKind::Multiply
            | OpKind::Negate
            | OpKind::Or
            | OpKind::Real
            | OpKind::Select
            | OpKind::Sign
            | OpKind::Sine
            | OpKind::Sqrt
            | OpKind::Subtract
            | OpKind::Tan
            | OpKind::Tanh
            | OpKind::Transpose
            | OpKind::Xor
    )
}

/// Whether the operation ends a block.
pub fn is_end(op: Op<'_>) -> bool {
    op.is(func::RETURN) || op.kind() == OpKind::Return
}
