//! Constants whose elements are at the end of a program (`dense_resource<name>`): MLIR does not check that they exist. They become
//! constants like others, which refer to the same bytes.

use melior::ir::{Attribute, AttributeLike, Module, Type};
use mlir_sys as sys;
use strata_diag::{Diagnostics, codes};

use crate::{
    attrs::AttributeExt as _,
    diagnostics::diagnostic_at,
    handles::{Op, WalkOrder},
    module::module_op,
};

unsafe extern "C" {
    /// Dense elements that are the same as those of a resource; null where these are missing or too few.
    fn strataElementsOfResource(resource: sys::MlirAttribute) -> sys::MlirAttribute;
}

/// Replaces constants whose elements are stored apart from the program, and rejects them if the elements are missing or too few.
///
/// # Errors
/// `S1005` for each operation that has such an attribute.
pub(crate) fn check_resources(module: &Module<'_>) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    module_op(module).walk(WalkOrder::Pre, &mut |op: Op<'_>| {
        for (name, value) in op.attrs() {
            if let Some(whole) = whole(value) {
                op.set_attr(name, whole);
            } else if let Some(bad) = incomplete(value) {
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
    let is_resource = unsafe { sys::mlirAttributeIsADenseResourceElements(attribute.to_raw()) };
    (is_resource && whole(attribute).is_none()).then_some(attribute)
}

/// The elements of a resource.
fn whole(attribute: Attribute<'_>) -> Option<Attribute<'_>> {
    // SAFETY: the attribute is alive, and was asked for its kind.
    unsafe {
        if !sys::mlirAttributeIsADenseResourceElements(attribute.to_raw()) {
            return None;
        }
        Attribute::from_option_raw(strataElementsOfResource(attribute.to_raw()))
    }
}
