//! Conversions of element types.

use crate::{
    element::ElementType,
    error::{Result, Site},
    graph::Results,
    op::Op,
    shape::{ArrayShape, Shape},
};
use strata_ir::stablehlo;

impl Op {
    /// Converts each element to the nearest value of another type.
    ///
    /// # Errors
    /// For an element type that does not exist.
    #[track_caller]
    pub fn convert_element_type(&self, new_element_type: ElementType) -> Result<Op> {
        let site = Site::new("ConvertElementType");
        let value = self.graph.value(site, self)?;
        let shape = ArrayShape { element: new_element_type, ..self.array_at(site)? };
        let ty = self.graph.type_of(site, &Shape::Array(shape))?;
        self.graph
            .emit_op(site, stablehlo::CONVERT, Results::Given(vec![ty]), |op| op.operand(value))
    }

    /// As [`Op::convert_element_type`].
    ///
    /// # Errors
    /// As [`Op::convert_element_type`].
    #[track_caller]
    pub fn convert(&self, new_element_type: ElementType) -> Result<Op> {
        self.convert_element_type(new_element_type)
    }

    /// The same bits as elements of another type. Narrower elements add a last dimension of the ratio of widths; wider
    /// ones need and remove such a dimension.
    ///
    /// # Errors
    /// For a last dimension of another size, and between complex and other types.
    #[track_caller]
    pub fn bitcast_convert_type(&self, new_element_type: ElementType) -> Result<Op> {
        let site = Site::new("BitcastConvertType");
        let value = self.graph.value(site, self)?;
        let own = self.array_at(site)?;
        let mut shape = ArrayShape { element: new_element_type, ..own.clone() };
        let (from, to) = (bits(own.element), bits(new_element_type));
        if from > to && to > 0 {
            shape.dimensions.push(i64::from(from / to));
            shape.is_dynamic.push(false);
        } else if from < to {
            shape.dimensions.pop();
            shape.is_dynamic.pop();
        }
        let ty = self.graph.type_of(site, &Shape::Array(shape))?;
        self.graph.emit_op(site, stablehlo::BITCAST_CONVERT, Results::Given(vec![ty]), |op| {
            op.operand(value)
        })
    }

    /// As [`Op::bitcast_convert_type`].
    ///
    /// # Errors
    /// As [`Op::bitcast_convert_type`].
    #[track_caller]
    pub fn bitcast_convert(&self, new_element_type: ElementType) -> Result<Op> {
        self.bitcast_convert_type(new_element_type)
    }
}

/// The bits of an element.
fn bits(element: ElementType) -> u32 {
    match element {
        ElementType::Bool => 1,
        ElementType::BFloat16 => 16,
        ElementType::Signed(bits)
        | ElementType::Unsigned(bits)
        | ElementType::Float(bits)
        | ElementType::Complex(bits) => bits,
        ElementType::SmallFloat(name) => {
            name.get(1..2).and_then(|bits| bits.parse().ok()).unwrap_or(8)
        }
    }
}
