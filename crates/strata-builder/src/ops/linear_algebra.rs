//! Factorisations, triangular systems and Fourier transforms.

use strata_ir::{self as ir, FftType, Transpose, stablehlo};

use crate::{
    element::ElementType,
    error::{Result, Site},
    graph::Results,
    op::Op,
    operand::Operand,
    shape::ArrayShape,
};

impl Op {
    /// The triangular factors of Hermitian positive-definite matrices, the last two dimensions: `l` with `a = l lᵀ` where
    /// `lower`, else `u` with `a = uᵀ u`. The other triangle is unspecified.
    ///
    /// # Errors
    /// For matrices that are not square, and elements that are not floats or complex.
    #[track_caller]
    pub fn cholesky(&self, lower: bool) -> Result<Op> {
        let site = Site::new("Cholesky");
        let value = self.graph.value(site, self)?;
        inexact(site, &self.array_at(site)?)?;
        let lower = ir::boolean(self.graph.context(), lower);
        self.graph.emit_op(site, stablehlo::CHOLESKY, Results::Inferred, |op| {
            op.operand(value).attr("lower", lower)
        })
    }

    /// The solutions `x` of `op(self) x = b`, or of `x op(self) = b` unless `left_side`, for triangular matrices in the
    /// last two dimensions.
    ///
    /// # Errors
    /// For matrices that are not square, batches and sizes that differ, elements that are not floats or complex, and
    /// [`Transpose::Invalid`].
    #[track_caller]
    pub fn triangular_solve(
        &self,
        b: impl Operand,
        left_side: bool,
        lower: bool,
        unit_diagonal: bool,
        transpose_a: Transpose,
    ) -> Result<Op> {
        let site = Site::new("TriangularSolve");
        let b = self.beside(site, b)?;
        let operands = self.graph.values(site, &[self.clone(), b.clone()])?;
        inexact(site, &self.array_at(site)?)?;
        inexact(site, &b.array_at(site)?)?;
        let context = self.graph.context();
        if transpose_a == Transpose::Invalid {
            return Err(site.error("the matrix is used as it is, transposed or adjoint"));
        }
        let form = transpose_a.to_attribute(context);
        let form = form.ok_or_else(|| site.error("there is no such form of the matrix"))?;
        self.graph.emit_op(site, stablehlo::TRIANGULAR_SOLVE, Results::Inferred, |op| {
            op.operands(&operands)
                .attr("left_side", ir::boolean(context, left_side))
                .attr("lower", ir::boolean(context, lower))
                .attr("unit_diagonal", ir::boolean(context, unit_diagonal))
                .attr("transpose_a", form)
        })
    }

    /// The Fourier transform over the last dimensions, one for each length, at most three.
    ///
    /// # Errors
    /// For lengths that are not the operand's, and elements that the transform does not have.
    #[track_caller]
    pub fn fft(&self, fft_type: FftType, fft_length: &[i64]) -> Result<Op> {
        let site = Site::new("Fft");
        let value = self.graph.value(site, self)?;
        let own = self.array_at(site)?;
        inexact(site, &own)?;
        // The dialect only checks the lengths of real transforms.
        let is_complex = matches!(fft_type, FftType::Fft | FftType::Ifft);
        if is_complex && !own.dimensions.ends_with(fft_length) {
            return Err(site.error(format!(
                "the lengths are those of the last dimensions of {own}, found {fft_length:?}"
            )));
        }
        let context = self.graph.context();
        let kind = fft_type.to_attribute(context);
        let kind = kind.ok_or_else(|| site.error("there is no such transform"))?;
        self.graph.emit_op(site, stablehlo::FFT, Results::Inferred, |op| {
            op.operand(value)
                .attr("fft_type", kind)
                .attr("fft_length", ir::i64s(context, fft_length))
        })
    }
}

/// Inference relies on elements that are floats or complex.
fn inexact(site: Site, shape: &ArrayShape) -> Result<()> {
    match shape.element {
        ElementType::Bool | ElementType::Signed(_) | ElementType::Unsigned(_) => {
            Err(site.error(format!("the elements are floats or complex, found {shape}")))
        }
        _ => Ok(()),
    }
}
