// The CHLO dialect: registration, attributes, constants.

#include "chlo/dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "stablehlo/assembly.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "chlo/ops/constant.h.inc"

#include "chlo/dialect.cpp.inc"
#include "chlo/enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "chlo/attributes.cpp.inc"

namespace strata::chlo {

namespace {
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void CHLODialect::initialize() {
  addAttributes();
  addBroadcastOps();
  addConstantOps();
  addElementwiseOps();
  addRaggedDotOps();
  addScanOps();
  addTopKOps();
  addBytecode();
  addInterfaces<Inliner>();
}

void CHLODialect::addAttributes() {
  Dialect::addAttributes<
#define GET_ATTRDEF_LIST
#include "chlo/attributes.cpp.inc"
      >();
}

Operation *CHLODialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}

// `<lhs_contracting_dimensions = [1], …>`, empty lists omitted, any order when
// read.
Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lists[6];
  StringRef names[] = {"lhs_batching_dimensions",    "rhs_batching_dimensions",
                       "lhs_contracting_dimensions", "rhs_contracting_dimensions",
                       "lhs_ragged_dimensions",      "rhs_group_dimensions"};
  bool seen[6] = {};
  if (parser.parseLess())
    return {};
  if (failed(parser.parseOptionalGreater())) {
    // A comma may follow the last list.
    do {
      if (succeeded(parser.parseOptionalGreater()))
        return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]);
      StringRef name;
      SMLoc location = parser.getCurrentLocation();
      if (parser.parseKeyword(&name))
        return {};
      auto *found = llvm::find(names, name);
      if (found == std::end(names)) {
        parser.emitError(location, "expected a list of ragged dot dimensions, found ") << name;
        return {};
      }
      size_t index = found - std::begin(names);
      if (std::exchange(seen[index], true)) {
        parser.emitError(location) << name << " is given twice";
        return {};
      }
      if (parser.parseEqual() || stablehlo::parseDimensionList(parser, lists[index]))
        return {};
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseGreater())
      return {};
  }
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  std::pair<StringRef, ArrayRef<int64_t>> lists[] = {
      {"lhs_batching_dimensions", getLhsBatchingDimensions()},
      {"rhs_batching_dimensions", getRhsBatchingDimensions()},
      {"lhs_contracting_dimensions", getLhsContractingDimensions()},
      {"rhs_contracting_dimensions", getRhsContractingDimensions()},
      {"lhs_ragged_dimensions", getLhsRaggedDimensions()},
      {"rhs_group_dimensions", getRhsGroupDimensions()}};
  StringRef separator = "";
  printer << "<";
  for (auto [name, list] : lists) {
    if (list.empty())
      continue;
    printer << separator << name << " = ";
    stablehlo::printDimensionList(printer, list);
    separator = ", ";
  }
  printer << ">";
}

} // namespace strata::chlo
