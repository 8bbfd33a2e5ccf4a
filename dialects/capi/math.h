// The math dialect as Strata registers it.

#ifndef STRATA_CAPI_MATH_H
#define STRATA_CAPI_MATH_H

namespace mlir {
class DialectRegistry;
}

namespace strata {
/// Makes the context that the registry is for load a math dialect whose functions do not fold. MLIR's own one must not be loaded
/// in it by then; that it is registered as well does no harm.
void registerMath(mlir::DialectRegistry &registry);
} // namespace strata

#endif // STRATA_CAPI_MATH_H
