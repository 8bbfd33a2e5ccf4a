//! Constants whose elements are at the end of a program (`dense_resource<name>`): MLIR does not check that they exist.

use melior::ir::{Attribute, AttributeLike, Module, Type};
use mlir_sys as sys;
use strata_diag::{Diagnostics, codes};

use crate::{
    attrs::AttributeExt as _,
    diagnostics::diagnostic_at,
    handles::{Op, WalkOrder},
    module::module_op,
    versioned::{plain_attribute_from_vhlo, plain_attribute_to_vhlo},
};

/// Rejects constants whose elements are missing or too few.
///
/// # Errors
/// `S1005` for each operation that has such an attribute.
pub(crate) fn check_resources(module: &Module<'_>) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    module_op(module).walk(WalkOrder::Pre, &mut |op: Op<'_>| {
        for (name, value) in op.attrs() {
            if let Some(bad) = incomplete(value) {
                // SAFETY: the attribute is alive; elements have a type.
                let ty = unsafe { Type::from_raw(sys::mlirAttributeGetType(bad.to_raw())) };
                found.push(diagnostic_at(codes::S1005, op).reason(format!(
                    "the elements of attribute `{name}`, {ty}, are missing from the program or incomplete"
                )));
            }
        }
    });
    found.into_result(())
}

/// The first attribute in `attribute` whose elements are missing.
fn incomplete(attribute: Attribute<'_>) -> Option<Attribute<'_>> {
    if let Some(list) = attribute.as_array() {
        return list.into_iter().find_map(incomplete);
    }
    if let Some(entries) = attribute.as_dictionary() {
        return entries.into_iter().find_map(|(_, value)| incomplete(value));
    }
    // SAFETY: the attribute is alive.
    if !unsafe { sys::mlirAttributeIsADenseResourceElements(attribute.to_raw()) } {
        return None;
    }
    // The conversion to VHLO and back reads the bytes.
    let whole = plain_attribute_to_vhlo(attribute).and_then(plain_attribute_from_vhlo);
    whole.is_none().then_some(attribute)
}
