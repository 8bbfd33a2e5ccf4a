// The VHLO dialect: registration, and the one operation with its own text form.

#include "vhlo/dialect.h"

using namespace mlir;

#include "vhlo/dialect.cpp.inc"

#define GET_OP_CLASSES
#include "vhlo/ops.h.inc"

#define GET_OP_CLASSES
#include "vhlo/ops.cpp.inc"

namespace strata::vhlo {

void VHLODialect::initialize() {
  addAttributes<VersionedAttr>();
  addTypes<VersionedType>();
  addOps();
  addBytecode();
}

void VHLODialect::addOps() {
  addOperations<
#define GET_OP_LIST
#include "vhlo/ops.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// vhlo.func_v1 @name(%argument: type, …) -> (type, …) { … } {attributes}
//===----------------------------------------------------------------------===//

ParseResult FuncOpV1::parse(OpAsmParser &parser, OperationState &state) {
  MLIRContext *context = parser.getContext();
  mlir::StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  if (parser.parseSymbolName(name) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseArrowTypeList(results) || parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  RecordBuilder function;
  function.code = code::FunctionType;
  function.integers = {static_cast<int64_t>(arguments.size()),
                       static_cast<int64_t>(results.size())};
  for (const OpAsmParser::Argument &argument : arguments)
    function.types.push_back(argument.type);
  llvm::append_range(function.types, results);
  RecordBuilder type;
  type.code = code::TypeAttr;
  type.types.push_back(VersionedType::get(context, function));
  state.addAttribute("function_type", VersionedAttr::get(context, type));
  state.addAttribute("sym_name", fromBuiltin(name));
  return success();
}

void FuncOpV1::print(OpAsmPrinter &printer) {
  auto name = dyn_cast_or_null<VersionedAttr>(getSymNameAttr());
  auto type = dyn_cast_or_null<VersionedAttr>(getFunctionTypeAttr());
  auto function =
      type && type.code() == code::TypeAttr ? dyn_cast<VersionedType>(type.record().types[0]) : nullptr;
  if (!name || name.code() != code::StringAttr || !function || function.code() != code::FunctionType) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  printer << ' ';
  printer.printSymbolName(name.record().bytes);
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") -> (";
  Record signature = function.record();
  llvm::interleaveComma(signature.types.drop_front(signature.integers[0]), printer);
  printer << ") ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true,
                      /*printEmptyBlock=*/true);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"sym_name", "function_type"});
}

} // namespace strata::vhlo
