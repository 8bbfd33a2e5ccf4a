// Custom calls and composites: text form, effects and checks.

#include "bytecode.h"
#include "stablehlo/assembly.h"
#include "stablehlo/checks.h"
#include "stablehlo/dialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "stablehlo/ops/custom_call.h.inc"

namespace strata::stablehlo {

/// The target as a symbol name: `@foo` or `@"foo-bar"`.
static ParseResult parseCustomCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

static void printCustomCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

} // namespace strata::stablehlo

#define GET_OP_CLASSES
#include "stablehlo/ops/custom_call.cpp.inc"

namespace strata::stablehlo {

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

// Attributes in alphabetical order. Tilings were added last: earlier versions do not write them,
// and skip them when reading.
LogicalResult CustomCallOp::readProperties(DialectBytecodeReader &reader, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.api_version)) ||
      failed(reader.readOptionalAttribute(properties.backend_config)) ||
      failed(reader.readAttribute(properties.call_target_name)) ||
      failed(reader.readOptionalAttribute(properties.called_computations)) ||
      failed(reader.readOptionalAttribute(properties.has_side_effect)) ||
      failed(reader.readOptionalAttribute(properties.operand_layouts)) ||
      failed(reader.readOptionalAttribute(properties.output_operand_aliases)) ||
      failed(reader.readOptionalAttribute(properties.result_layouts)))
    return failure();
  if (Attribute tilings = bytecode::readTrailing(reader, /*optional=*/true)) {
    properties.result_tilings = dyn_cast<ArrayAttr>(tilings);
    if (!properties.result_tilings)
      return reader.emitError() << "expected result_tilings to be an array, found " << tilings;
  }
  return success();
}

void CustomCallOp::writeProperties(DialectBytecodeWriter &writer) {
  auto &properties = getProperties();
  writer.writeOptionalAttribute(properties.api_version);
  writer.writeOptionalAttribute(properties.backend_config);
  writer.writeAttribute(properties.call_target_name);
  writer.writeOptionalAttribute(properties.called_computations);
  writer.writeOptionalAttribute(properties.has_side_effect);
  writer.writeOptionalAttribute(properties.operand_layouts);
  writer.writeOptionalAttribute(properties.output_operand_aliases);
  writer.writeOptionalAttribute(properties.result_layouts);
  writer.writeOptionalAttribute(properties.result_tilings);
}

//===----------------------------------------------------------------------===//
// Effects and checks
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // A call may do anything unless the program says that it does nothing.
  if (BoolAttr sideEffect = getHasSideEffectAttr(); sideEffect && !sideEffect.getValue())
    return;
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// Whether the text is a name in a namespace, such as `chlo.top_k`.
static bool isNamespacedName(StringRef name) {
  auto isWord = [](StringRef word, StringRef extra) {
    return !word.empty() && llvm::all_of(word, [&](char letter) {
      return llvm::isAlnum(letter) || extra.contains(letter);
    });
  };
  auto [space, rest] = name.split('.');
  if (space.empty() || !llvm::isAlpha(space.front()) || !isWord(space, "_") || rest.empty())
    return false;
  SmallVector<StringRef> words;
  rest.split(words, '.');
  return llvm::all_of(words, [&](StringRef word) { return isWord(word, "_$"); });
}

LogicalResult CompositeOp::verify() {
  // composite_c1
  if (isNamespacedName(getName()))
    return success();
  return emitOpError("expected a name in a namespace, such as chlo.top_k, found '")
         << getName() << "'";
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // composite_c2
  auto decomposition =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(*this, getDecompositionAttr());
  if (!decomposition)
    return emitOpError("expected decomposition to name a function, found '")
           << getDecomposition() << "'";
  // composite_c3
  if (TypeRange(decomposition.getArgumentTypes()) != TypeRange(getOperandTypes()))
    return emitOpError("expected operand types of the decomposition, (")
           << decomposition.getArgumentTypes() << "), found (" << getOperandTypes() << ")";
  // composite_c4
  if (TypeRange(decomposition.getResultTypes()) != TypeRange(getResultTypes()))
    return emitOpError("expected result types of the decomposition, (")
           << decomposition.getResultTypes() << "), found (" << getResultTypes() << ")";
  return success();
}

/// A layout lists the dimensions of a tensor, minor to major; other values than tensors have an
/// empty one.
static LogicalResult checkLayouts(Operation *op, StringRef name, TypeRange types,
                                  ArrayAttr layouts) {
  // A single tuple has a layout for each of its values.
  SmallVector<Type> flat(types);
  if (flat.size() == 1)
    if (auto tuple = dyn_cast<TupleType>(flat[0]))
      flat.assign(tuple.getTypes().begin(), tuple.getTypes().end());
  if (failed(checkCount(op->getLoc(), name, layouts.size(), flat.size())))
    return failure();
  for (auto [i, type, layout] : llvm::enumerate(flat, layouts)) {
    if (isa<TupleType>(type))
      return op->emitOpError("expected ") << name << " of tensors, found a tuple at index " << i;
    auto elements = cast<DenseIntElementsAttr>(layout);
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && !shaped.hasRank())
      continue;
    int64_t rank = shaped ? shaped.getRank() : 0;
    SmallVector<int64_t> order;
    for (const APInt &dimension : elements)
      order.push_back(dimension.getSExtValue());
    if (failed(checkCount(op->getLoc(), name, order.size(), rank)) ||
        failed(checkDistinct(op->getLoc(), name, order)) ||
        failed(checkAllInRange(op->getLoc(), name, order, rank)))
      return failure();
  }
  return success();
}

/// The type inside a tuple that `indices` lead to; nothing when they do not.
static Type typeAt(Type type, ArrayRef<int64_t> indices) {
  for (int64_t index : indices) {
    auto tuple = dyn_cast_or_null<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size()))
      return {};
    type = tuple.getType(index);
  }
  return type;
}

LogicalResult CustomCallOp::verify() {
  // Both layouts or neither.
  auto operandLayouts = getOperandLayouts(), resultLayouts = getResultLayouts();
  if (operandLayouts.has_value() != resultLayouts.has_value())
    return emitOpError("expected both operand_layouts and result_layouts or neither, found only ")
           << (operandLayouts ? "operand_layouts" : "result_layouts");
  if (operandLayouts &&
      (failed(checkLayouts(*this, "operand_layouts", getOperandTypes(), *operandLayouts)) ||
       failed(checkLayouts(*this, "result_layouts", getResultTypes(), *resultLayouts))))
    return failure();

  for (Attribute each : getOutputOperandAliases()) {
    auto alias = cast<OutputOperandAliasAttr>(each);
    if (failed(checkInRange(getLoc(), "operand_index of output_operand_aliases",
                            alias.getOperandIndex(), getNumOperands())))
      return failure();
    Type operand =
        typeAt(getOperand(alias.getOperandIndex()).getType(), alias.getOperandTupleIndices());
    if (!operand)
      return emitOpError("expected operand_tuple_indices of a value inside ")
             << getOperand(alias.getOperandIndex()).getType() << ", found " << alias;
    // Several results count as a tuple of them.
    Type result = getNumResults() == 1
                      ? typeAt(getResult(0).getType(), alias.getOutputTupleIndices())
                      : typeAt(TupleType::get(getContext(), getResultTypes()),
                               alias.getOutputTupleIndices());
    if (!result)
      return emitOpError("expected output_tuple_indices of a result, found ") << alias;
    if (operand != result)
      return emitOpError("expected aliases of one type, found ") << operand << " and " << result;
  }

  // A dictionary is what the typed interface takes, text what the others take.
  std::optional<Attribute> config = getBackendConfig();
  bool typed = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (config && typed != isa<DictionaryAttr>(*config))
    return emitOpError("expected backend_config to be ")
           << (typed ? "a dictionary" : "a string") << " with api_version "
           << static_cast<int32_t>(getApiVersion()) << ", found " << *config;
  return success();
}

void StableHLODialect::addCustomCallOps() {
  addOperations<
#define GET_OP_LIST
#include "stablehlo/ops/custom_call.cpp.inc"
      >();
}

} // namespace strata::stablehlo
