// The math dialect with functions that do not fold.
//
// MLIR computes functions of constants with the C library of the machine that compiles. Strata's own formulas differ from that in
// the last place, so that a constant argument would give other bits than the same value at run time. What IEEE 754 defines to the
// last bit still folds.

#include "math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

namespace {
/// An operation as `Base` defines it, but for its folder.
template <typename Base>
class Unfolded : public Base {
public:
  using Base::Base;

  static OperationName::FoldHookFn getFoldHookFn() {
    return [](Operation *, ArrayRef<Attribute>, SmallVectorImpl<OpFoldResult> &) {
      return failure();
    };
  }
};
} // namespace

/// To MLIR it is the operation itself.
template <typename Base>
class mlir::detail::TypeIDResolver<Unfolded<Base>> {
public:
  static TypeID resolveTypeID() { return TypeID::get<Base>(); }
};

namespace {
struct Inliner : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

/// Registered instead of `math::MathDialect`, whose class has no members of its own.
class Math : public Dialect {
public:
  explicit Math(MLIRContext *context)
      : Dialect(math::MathDialect::getDialectNamespace(), context,
                TypeID::get<math::MathDialect>()) {
    using namespace math;
    addOperations<Unfolded<AcosOp>, Unfolded<AcoshOp>, Unfolded<AsinOp>, Unfolded<AsinhOp>,
                  Unfolded<Atan2Op>, Unfolded<AtanOp>, Unfolded<AtanhOp>, Unfolded<CbrtOp>,
                  Unfolded<CosOp>, Unfolded<CoshOp>, Unfolded<ErfOp>, Unfolded<ErfcOp>,
                  Unfolded<Exp2Op>, Unfolded<ExpM1Op>, Unfolded<ExpOp>, Unfolded<FPowIOp>,
                  Unfolded<Log10Op>, Unfolded<Log1pOp>, Unfolded<Log2Op>, Unfolded<LogOp>,
                  Unfolded<PowFOp>, Unfolded<RsqrtOp>, Unfolded<SinOp>, Unfolded<SincosOp>,
                  Unfolded<SinhOp>, Unfolded<TanOp>, Unfolded<TanhOp>>();
    addOperations<AbsFOp, AbsIOp, CeilOp, ClampFOp, CopySignOp, CountLeadingZerosOp,
                  CountTrailingZerosOp, CtPopOp, FloorOp, FmaOp, IPowIOp, IsFiniteOp, IsInfOp,
                  IsNaNOp, IsNormalOp, RoundEvenOp, RoundOp, SqrtOp, TruncOp>();
    addInterfaces<Inliner>();
    context->getOrLoadDialect<arith::ArithDialect>();
  }

  static constexpr StringLiteral getDialectNamespace() {
    return math::MathDialect::getDialectNamespace();
  }

  Operation *materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                 Location loc) override {
    return arith::ConstantOp::materialize(builder, value, type, loc);
  }
};
} // namespace

void strata::registerMath(DialectRegistry &registry) {
  registry.insert(TypeID::get<math::MathDialect>(), math::MathDialect::getDialectNamespace(),
                  [](MLIRContext *context) -> Dialect * {
                    return context->getOrLoadDialect(
                        math::MathDialect::getDialectNamespace(),
                        TypeID::get<math::MathDialect>(),
                        [context]() { return std::make_unique<Math>(context); });
                  });
}
