// Parsing and writing of modules, with a name for the source: MLIR's own C function leaves locations without a file. Elements of a source that stays in
// memory are not copied.

#include "elements.h"

#include "strata/capi.h"

#include "mlir-c/IR.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeReaderConfig.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// The number of dense elements in MLIR's bytecode of its builtin dialect (its BuiltinDialectBytecode.td, as in
/// bytecode/check/entries.rs of strata-ir).
constexpr uint64_t DENSE_ELEMENTS = 18;

/// That of elements that have a number instead, in bytecode of this process.
constexpr uint64_t NUMBERED_ELEMENTS = 1 << 20;

/// Elements that have a number; nothing for other attributes, which MLIR then reads.
static LogicalResult readNumbered(DialectBytecodeReader &reader, StringRef dialect,
                                  Attribute &entry) {
  uint64_t code, number;
  Type type;
  if (dialect != "builtin")
    return success();
  if (failed(reader.readVarInt(code)))
    return failure();
  if (code != NUMBERED_ELEMENTS)
    return success();
  if (failed(reader.readType(type)) || failed(reader.readVarInt(number)))
    return failure();
  if (auto shaped = dyn_cast<ShapedType>(type))
    entry = strata::numberedElements(shaped, number);
  return success();
}

/// Elements as they are in the source; nothing for other attributes, which MLIR then reads.
static LogicalResult readElements(DialectBytecodeReader &reader, StringRef dialect,
                                  Attribute &entry) {
  uint64_t code;
  if (dialect != "builtin")
    return success();
  if (failed(reader.readVarInt(code)))
    return failure();
  if (code != DENSE_ELEMENTS)
    return success();
  Type type;
  ArrayRef<char> bytes;
  if (failed(reader.readType(type)) || failed(reader.readBlob(bytes)))
    return failure();
  auto shaped = dyn_cast<ShapedType>(type);
  bool isSplat = false;
  if (shaped && shaped.hasStaticShape() && strata::areKept(bytes) &&
      DenseElementsAttr::isValidRawBuffer(shaped, bytes, isSplat) && !isSplat &&
      !shaped.getElementType().isInteger(1))
    entry = strata::borrowElements(shaped, bytes);
  return success();
}

MlirModule strataParseModule(MlirContext context, MlirStringRef source, MlirStringRef name) {
  ParserConfig config(unwrap(context));
  if (strata::haveNumbers())
    config.getBytecodeReaderConfig().attachAttributeCallback(readNumbered);
  if (!strata::areKept({source.data, source.length}))
    return wrap(parseSourceString<ModuleOp>(unwrap(source), config, unwrap(name)).release());
  config.getBytecodeReaderConfig().attachAttributeCallback(readElements);
  // Resources refer to a buffer that has an owner.
  auto manager = std::make_shared<llvm::SourceMgr>();
  manager->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(unwrap(source), unwrap(name), /*RequiresNullTerminator=*/false),
      llvm::SMLoc());
  return wrap(parseSourceFile<ModuleOp>(manager, config).release());
}

void strataWriteModule(MlirOperation module, MlirStringCallback sink, StrataNumberOf number,
                       void *data) {
  mlir::detail::CallbackOstream stream(sink, data);
  BytecodeWriterConfig config;
  config.attachAttributeCallback([=](Attribute entry, std::optional<StringRef> &dialect,
                                     DialectBytecodeWriter &writer) -> LogicalResult {
    auto elements = dyn_cast<DenseIntOrFPElementsAttr>(entry);
    ArrayRef<char> bytes = elements ? elements.getRawData() : ArrayRef<char>();
    // Few bytes are never those of an owner.
    int64_t found =
        bytes.size() < strata::FEW_BYTES ? -1 : number({bytes.data(), bytes.size()}, data);
    if (found < 0)
      return failure();
    dialect = "builtin";
    writer.writeVarInt(NUMBERED_ELEMENTS);
    writer.writeType(elements.getType());
    writer.writeVarInt(found);
    return success();
  });
  // Writing fails for versions of the format only.
  (void)writeBytecodeToFile(unwrap(module), stream, config);
}
