// Reading and writing the fields of attributes and types in MLIR bytecode. The
// encodings are upstream's, so that its tools read what we write.

#ifndef STRATA_BYTECODE_H
#define STRATA_BYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace strata::bytecode {

/// The version section that a dialect may have. Encodings have only grown so
/// far, so that nothing depends on it.
struct Version : mlir::DialectVersion {
  uint64_t major = 0, minor = 0, patch = 0;
};

//===----------------------------------------------------------------------===//
// Reading. Counts are not trusted: a list grows as its entries are read.
//===----------------------------------------------------------------------===//

template <typename T, typename ReadOne>
llvm::LogicalResult readList(mlir::DialectBytecodeReader &reader, llvm::SmallVectorImpl<T> &list,
                             ReadOne readOne) {
  uint64_t count;
  if (llvm::failed(reader.readVarInt(count)))
    return llvm::failure();
  for (uint64_t i = 0; i != count; ++i)
    if (llvm::failed(readOne(list.emplace_back())))
      return llvm::failure();
  return llvm::success();
}

inline llvm::LogicalResult readField(mlir::DialectBytecodeReader &reader, int64_t &number) {
  return reader.readSignedVarInt(number);
}

inline llvm::LogicalResult readField(mlir::DialectBytecodeReader &reader, bool &flag) {
  return reader.readBool(flag);
}

inline llvm::LogicalResult readField(mlir::DialectBytecodeReader &reader, mlir::Type &type) {
  return reader.readType(type);
}

/// A reference to an attribute of the kind `T`.
template <typename T>
std::enable_if_t<std::is_base_of_v<mlir::Attribute, T>, llvm::LogicalResult>
readField(mlir::DialectBytecodeReader &reader, T &attribute) {
  mlir::Attribute any;
  if (llvm::failed(reader.readAttribute(any)))
    return llvm::failure();
  attribute = llvm::dyn_cast_or_null<T>(any);
  if (attribute)
    return llvm::success();
  return reader.emitError() << "expected an attribute of another kind, found " << any;
}

template <typename T>
llvm::LogicalResult readField(mlir::DialectBytecodeReader &reader,
                              llvm::SmallVector<T> &list) {
  return readList(reader, list, [&](T &entry) { return readField(reader, entry); });
}

/// Fields in the order in which they are encoded.
template <typename... Fields>
llvm::LogicalResult readFields(mlir::DialectBytecodeReader &reader, Fields &...fields) {
  return llvm::success((llvm::succeeded(readField(reader, fields)) && ...));
}

/// A reference that earlier versions of the encoding lack. Null then, and for an invalid reference.
inline mlir::Attribute readTrailing(mlir::DialectBytecodeReader &reader, bool optional) {
  mlir::ScopedDiagnosticHandler quiet(reader.getContext(),
                                      [](mlir::Diagnostic &) { return llvm::success(); });
  mlir::Attribute attribute;
  llvm::LogicalResult result = optional ? reader.readOptionalAttribute(attribute)
                                        : reader.readAttribute(attribute);
  return llvm::succeeded(result) ? attribute : mlir::Attribute();
}

/// A name, which is kept in the string section.
inline llvm::LogicalResult readName(mlir::DialectBytecodeReader &reader, mlir::StringAttr &name) {
  llvm::StringRef text;
  if (llvm::failed(reader.readString(text)))
    return llvm::failure();
  name = mlir::StringAttr::get(reader.getContext(), text);
  return llvm::success();
}

/// An enumeration's number.
template <typename EnumAttr, typename Symbolize>
mlir::Attribute readEnum(mlir::DialectBytecodeReader &reader, Symbolize symbolize) {
  uint64_t number;
  if (llvm::failed(reader.readVarInt(number)))
    return {};
  if (number <= UINT32_MAX)
    if (auto value = symbolize(static_cast<uint32_t>(number)))
      return EnumAttr::get(reader.getContext(), *value);
  reader.emitError() << "expected a case of " << EnumAttr::name << ", found number " << number;
  return {};
}

/// The attribute or type, checked as its text form is.
template <typename T, typename... Fields>
T getChecked(mlir::DialectBytecodeReader &reader, Fields &&...fields) {
  return T::getChecked([&]() { return reader.emitError(); }, reader.getContext(),
                       std::forward<Fields>(fields)...);
}

inline std::unique_ptr<mlir::DialectVersion> readVersion(mlir::DialectBytecodeReader &reader) {
  auto version = std::make_unique<Version>();
  if (llvm::failed(reader.readVarInt(version->major)) ||
      llvm::failed(reader.readVarInt(version->minor)) ||
      llvm::failed(reader.readVarInt(version->patch)))
    return nullptr;
  return version;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

inline void writeField(mlir::DialectBytecodeWriter &writer, int64_t number) {
  writer.writeSignedVarInt(number);
}

inline void writeField(mlir::DialectBytecodeWriter &writer, bool flag) {
  writer.writeOwnedBool(flag);
}

inline void writeField(mlir::DialectBytecodeWriter &writer, mlir::Type type) {
  writer.writeType(type);
}

inline void writeField(mlir::DialectBytecodeWriter &writer, mlir::Attribute attribute) {
  writer.writeAttribute(attribute);
}

template <typename T>
void writeField(mlir::DialectBytecodeWriter &writer, llvm::ArrayRef<T> list) {
  writer.writeVarInt(list.size());
  for (const T &entry : list)
    writeField(writer, entry);
}

template <typename... Fields>
void writeFields(mlir::DialectBytecodeWriter &writer, uint64_t code, const Fields &...fields) {
  writer.writeVarInt(code);
  (writeField(writer, fields), ...);
}

/// `name` is owned by an attribute, which outlives the writer.
inline void writeName(mlir::DialectBytecodeWriter &writer, mlir::StringAttr name) {
  writer.writeOwnedString(name.getValue());
}

template <typename EnumAttr>
void writeEnum(mlir::DialectBytecodeWriter &writer, uint64_t code, EnumAttr attribute) {
  writer.writeVarInt(code);
  writer.writeVarInt(static_cast<uint32_t>(attribute.getValue()));
}

} // namespace strata::bytecode

#endif // STRATA_BYTECODE_H
