//! Convolutions.

use strata_ir as ir;
use strata_ir::stablehlo;

use crate::{
    error::{Result, Site},
    graph::Results,
    op::Op,
    operand::Operand,
};

use super::{
    dot::DotOptions,
    window::{Padding, Window, pairs},
};

/// Which dimensions are batch, feature and space.
pub use strata_ir::ConvDimensionNumbers as ConvolutionDimensionNumbers;

/// Options of a convolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvOptions {
    /// Groups of input features, each with kernels of its own.
    pub feature_group_count: i64,
    /// Groups of the batch, each with kernels of its own.
    pub batch_group_count: i64,
    /// Precision and element type of the result.
    pub dot: DotOptions,
    /// Which spatial dimensions of the kernel are reversed; empty for none.
    pub window_reversal: Vec<bool>,
}

impl Default for ConvOptions {
    fn default() -> Self {
        Self {
            feature_group_count: 1,
            batch_group_count: 1,
            dot: DotOptions::default(),
            window_reversal: Vec::new(),
        }
    }
}

/// The window of a convolution.
struct Moves<'a> {
    strides: &'a [i64],
    padding: &'a Padding,
    lhs_dilation: &'a [i64],
    rhs_dilation: &'a [i64],
}

impl<'m> Moves<'m> {
    fn without_dilation(strides: &'m [i64], padding: &'m Padding) -> Self {
        Self { strides, padding, lhs_dilation: &[], rhs_dilation: &[] }
    }
}

impl Op {
    /// A convolution of `self`, of dimensions (batch, feature, space…), with a kernel of dimensions (output feature,
    /// input feature, space…). Omitted strides are 1.
    ///
    /// # Errors
    /// For ranks, features or groups that do not fit, and strides that are not positive.
    #[track_caller]
    pub fn conv(
        &self,
        rhs: impl Operand,
        window_strides: &[i64],
        padding: Padding,
        options: &ConvOptions,
    ) -> Result<Op> {
        let site = Site::new("Conv");
        let rhs = self.beside(site, rhs)?;
        let numbers = default_dimensions(site, self)?;
        let moves = Moves::without_dilation(window_strides, &padding);
        self.convolved(site, &rhs, &moves, &numbers, options)
    }

    /// As [`Op::conv`], with padding of each spatial dimension.
    ///
    /// # Errors
    /// As [`Op::conv`].
    #[track_caller]
    pub fn conv_with_general_padding(
        &self,
        rhs: impl Operand,
        window_strides: &[i64],
        padding: &[(i64, i64)],
        options: &ConvOptions,
    ) -> Result<Op> {
        let site = Site::new("ConvWithGeneralPadding");
        let rhs = self.beside(site, rhs)?;
        let numbers = default_dimensions(site, self)?;
        let padding = Padding::General(padding.to_vec());
        let moves = Moves::without_dilation(window_strides, &padding);
        self.convolved(site, &rhs, &moves, &numbers, options)
    }

    /// As [`Op::conv`], with dimension numbers.
    ///
    /// # Errors
    /// As [`Op::conv`].
    #[track_caller]
    pub fn conv_with_general_dimensions(
        &self,
        rhs: impl Operand,
        window_strides: &[i64],
        padding: Padding,
        dimension_numbers: &ConvolutionDimensionNumbers,
        options: &ConvOptions,
    ) -> Result<Op> {
        let site = Site::new("ConvWithGeneralDimensions");
        let rhs = self.beside(site, rhs)?;
        let moves = Moves::without_dilation(window_strides, &padding);
        self.convolved(site, &rhs, &moves, dimension_numbers, options)
    }

    /// As [`Op::conv`], with dimension numbers and padding of each spatial dimension.
    ///
    /// # Errors
    /// As [`Op::conv`].
    #[track_caller]
    pub fn conv_general(
        &self,
        rhs: impl Operand,
        window_strides: &[i64],
        padding: &[(i64, i64)],
        dimension_numbers: &ConvolutionDimensionNumbers,
        options: &ConvOptions,
    ) -> Result<Op> {
        let site = Site::new("ConvGeneral");
        let rhs = self.beside(site, rhs)?;
        let padding = Padding::General(padding.to_vec());
        let moves = Moves::without_dilation(window_strides, &padding);
        self.convolved(site, &rhs, &moves, dimension_numbers, options)
    }

    /// As [`Op::conv_general`], with dilations of `self` and of the kernel.
    ///
    /// # Errors
    /// As [`Op::conv`].
    #[track_caller]
    #[allow(clippy::too_many_arguments)] // the documents' list
    pub fn conv_general_dilated(
        &self,
        rhs: impl Operand,
        window_strides: &[i64],
        padding: &[(i64, i64)],
        lhs_dilation: &[i64],
        rhs_dilation: &[i64],
        dimension_numbers: &ConvolutionDimensionNumbers,
        options: &ConvOptions,
    ) -> Result<Op> {
        let site = Site::new("ConvGeneralDilated");
        let rhs = self.beside(site, rhs)?;
        let padding = Padding::General(padding.to_vec());
        let moves =
            Moves { strides: window_strides, padding: &padding, lhs_dilation, rhs_dilation };
        self.convolved(site, &rhs, &moves, dimension_numbers, options)
    }

    fn convolved(
        &self,
        site: Site,
        rhs: &Op,
        moves: &Moves<'_>,
        numbers: &ConvolutionDimensionNumbers,
        options: &ConvOptions,
    ) -> Result<Op> {
        let graph = &self.graph;
        let context = graph.context();
        let operands = graph.values(site, &[self.clone(), rhs.clone()])?;
        let sizes = spatial(site, self, &numbers.input_spatial_dimensions)?;
        let kernel = spatial(site, rhs, &numbers.kernel_spatial_dimensions)?;
        let window = Window {
            dimensions: &kernel,
            strides: moves.strides,
            base_dilations: moves.lhs_dilation,
            window_dilations: moves.rhs_dilation,
        };
        let padding = moves.padding.amounts(site, &sizes, &window)?;
        let padding =
            pairs(context, &padding).ok_or_else(|| site.error("the padding is not a matrix"))?;
        let attribute = graph.made(|context| numbers.to_attribute(context));
        let attribute = attribute.ok_or_else(|| site.error("the dimension numbers are invalid"))?;
        let count = |value| ir::int(ir::integer(context, 64), value);
        let element = options.dot.element(site, context, self.array_at(site)?.element)?;
        let mut attributes = vec![
            ("dimension_numbers", attribute),
            ("padding", padding),
            ("feature_group_count", count(options.feature_group_count)),
            ("batch_group_count", count(options.batch_group_count)),
        ];
        for (name, list) in [
            ("window_strides", moves.strides),
            ("lhs_dilation", moves.lhs_dilation),
            ("rhs_dilation", moves.rhs_dilation),
        ] {
            if !list.is_empty() {
                attributes.push((name, ir::i64s(context, list)));
            }
        }
        if !options.window_reversal.is_empty() {
            let flags: Vec<&str> = options
                .window_reversal
                .iter()
                .map(|flag| if *flag { "true" } else { "false" })
                .collect();
            let flags = ir::parse_attr(context, &format!("array<i1: {}>", flags.join(", ")));
            attributes.extend(flags.map(|flags| ("window_reversal", flags)));
        }
        attributes.extend(options.dot.precision(context).map(|one| ("precision_config", one)));
        graph.emit_op(site, stablehlo::CONVOLUTION, Results::Elements(element), |op| {
            op.operands(&operands).attrs(&attributes)
        })
    }
}

/// (batch, feature, space…), (output feature, input feature, space…) and (batch, feature, space…).
fn default_dimensions(site: Site, lhs: &Op) -> Result<ConvolutionDimensionNumbers> {
    let space: Vec<i64> = (2..lhs.array_at(site)?.rank() as i64).collect();
    Ok(ConvolutionDimensionNumbers {
        input_batch_dimension: 0,
        input_feature_dimension: 1,
        input_spatial_dimensions: space.clone(),
        kernel_output_feature_dimension: 0,
        kernel_input_feature_dimension: 1,
        kernel_spatial_dimensions: space.clone(),
        output_batch_dimension: 0,
        output_feature_dimension: 1,
        output_spatial_dimensions: space,
    })
}

/// The sizes of dimensions.
fn spatial(site: Site, op: &Op, dimensions: &[i64]) -> Result<Vec<i64>> {
    let own = op.array_at(site)?;
    let size = |at: &i64| {
        let size = usize::try_from(*at).ok().and_then(|at| own.dimensions.get(at).copied());
        size.ok_or_else(|| site.error(format!("dimension {at} is not in {own}")))
    };
    dimensions.iter().map(size).collect()
}
