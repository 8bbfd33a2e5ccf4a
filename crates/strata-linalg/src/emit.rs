//! Dense attributes of signless types.

use strata_ir::{Attribute, AttributeExt as _, Type, TypeExt as _, dense_splat, int};

/// The dense attribute of the signless type `ty` whose elements all equal `element`.
pub fn splat<'c>(ty: Type<'c>, element: Attribute<'c>) -> Option<Attribute<'c>> {
    let scalar = ty.element();
    if scalar.is_int() {
        return Some(dense_splat(ty, int(scalar, element.as_i64()?)));
    }
    Some(dense_splat(ty, element))
}
