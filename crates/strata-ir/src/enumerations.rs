//! Enumerations of MLIR's own dialects as attributes. Those with one value at a time are generated with their dialect
//! ([`crate::vector::CombiningKind`], …).

use std::ops;

use melior::{
    Context,
    ir::{Attribute, AttributeLike},
};
use mlir_sys as sys;

use crate::handles::{str_from, string_ref};

// Defined in dialects/capi.
unsafe extern "C" {
    fn strataUpstreamEnumAttrGet(
        context: sys::MlirContext,
        name: sys::MlirStringRef,
        value: i64,
    ) -> sys::MlirAttribute;
    fn strataUpstreamEnumAttr(attribute: sys::MlirAttribute, value: *mut i64)
    -> sys::MlirStringRef;
}

/// The number of the value, if the attribute is of that enumeration.
pub(crate) fn enumerated(attribute: Attribute<'_>, name: &str) -> Option<i64> {
    let mut value = 0;
    // SAFETY: the attribute is alive, `value` is written during the call, and names live as long as the library.
    let own = unsafe { str_from(strataUpstreamEnumAttr(attribute.to_raw(), &raw mut value)) };
    (own == name).then_some(value)
}

/// The attribute of an enumeration that the library knows by this name.
pub(crate) fn new_enumerated<'c>(
    context: &'c Context,
    name: &'static str,
    value: i64,
) -> Attribute<'c> {
    // SAFETY: the context is alive. The names are those of the generator and of this file, which a test goes through.
    unsafe {
        Attribute::from_raw(strataUpstreamEnumAttrGet(context.to_raw(), string_ref(name), value))
    }
}

/// What operations on floats may assume (`#arith.fastmath`): flags that are joined by `|`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FastMath(i64);

impl FastMath {
    /// Sums and dot products may be computed in any order.
    pub const REASSOC: Self = Self(1);
    /// No operand is NaN.
    pub const NNAN: Self = Self(2);
    /// No operand is infinite.
    pub const NINF: Self = Self(4);
    /// The sign of a zero does not matter.
    pub const NSZ: Self = Self(8);
    /// A division may be by the reciprocal.
    pub const ARCP: Self = Self(16);
    /// A multiplication and an addition may be fused.
    pub const CONTRACT: Self = Self(32);
    /// Functions may be approximate.
    pub const AFN: Self = Self(64);

    const NAME: &'static str = "arith.fastmath";

    /// The flags in an attribute; `None` for other attributes.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {
        enumerated(attribute, Self::NAME).map(Self)
    }

    /// The attribute.
    pub fn to_attribute(self, context: &Context) -> Attribute<'_> {
        new_enumerated(context, Self::NAME, self.0)
    }

    /// Whether all of `flags` are set.
    pub fn contains(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }
}

impl ops::BitOr for FastMath {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::{FastMath, arith, linalg, llvm, new_context, parse_attr, vector};

    /// Each value is the attribute that MLIR reads from its text, and is read back from it.
    #[test]
    fn values_are_what_mlir_parses() {
        let context = new_context();
        let attribute = |text: &str| parse_attr(&context, text).unwrap_or_else(|| panic!("{text}"));
        for kind in vector::CombiningKind::ALL {
            let expected = attribute(&format!("#vector.kind<{}>", kind.keyword()));
            assert_eq!(kind.to_attribute(&context), expected);
            assert_eq!(vector::CombiningKind::of(expected), Some(*kind));
        }
        for kind in vector::IteratorType::ALL {
            let expected = attribute(&format!("#vector.iterator_type<{}>", kind.keyword()));
            assert_eq!(kind.to_attribute(&context), expected);
            assert_eq!(vector::IteratorType::of(expected), Some(*kind));
            assert_eq!(linalg::IteratorType::of(expected), None);
        }
        for kind in linalg::IteratorType::ALL {
            let expected = attribute(&format!("#linalg.iterator_type<{}>", kind.keyword()));
            assert_eq!(kind.to_attribute(&context), expected);
            assert_eq!(linalg::IteratorType::of(expected), Some(*kind));
        }
        for linkage in llvm::Linkage::ALL {
            let expected = attribute(&format!("#llvm.linkage<{}>", linkage.keyword()));
            assert_eq!(linkage.to_attribute(&context), expected);
            assert_eq!(llvm::Linkage::of(expected), Some(*linkage));
        }
        let flags = FastMath::REASSOC | FastMath::CONTRACT;
        let expected = attribute("#arith.fastmath<reassoc,contract>");
        assert_eq!(flags.to_attribute(&context), expected);
        assert_eq!(FastMath::of(expected), Some(flags));
        assert!(flags.contains(FastMath::REASSOC) && !flags.contains(FastMath::NNAN));
        let less = arith::CmpIPredicate::Slt;
        assert_eq!(arith::CmpIPredicate::of(less.to_attribute(&context)), Some(less));
    }
}
