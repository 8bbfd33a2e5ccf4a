// The C functions of the VHLO dialect.

#include "strata/capi.h"
#include "strata/vhlo.h"

#include "vhlo/dialect.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Utils.h"

using namespace mlir;
using namespace strata::vhlo;

// Handles of C and of C++ are the same pointer, so lists of them are passed as they are.
static_assert(sizeof(MlirAttribute) == sizeof(Attribute) && sizeof(MlirType) == sizeof(Type));

static void readRecord(const Record &record, const Encoding &row, StrataVhloRecord *out) {
  out->code = record.code;
  out->integers = record.integers.data();
  out->integerCount = record.integers.size();
  out->attributes = reinterpret_cast<const MlirAttribute *>(record.attributes.data());
  out->attributeCount = record.attributes.size();
  out->types = reinterpret_cast<const MlirType *>(record.types.data());
  out->typeCount = record.types.size();
  out->bytes = wrap(record.bytes);
  out->mnemonic = wrap(row.mnemonic);
  out->since = wrap(row.since);
}

static Record recordOf(const StrataVhloRecord &record) {
  return {record.code,
          {record.integers, static_cast<size_t>(record.integerCount)},
          {reinterpret_cast<const Attribute *>(record.attributes),
           static_cast<size_t>(record.attributeCount)},
          {reinterpret_cast<const Type *>(record.types), static_cast<size_t>(record.typeCount)},
          unwrap(record.bytes)};
}

bool strataVhloReadAttribute(MlirAttribute attribute, StrataVhloRecord *record) {
  auto versioned = dyn_cast<VersionedAttr>(unwrap(attribute));
  if (versioned)
    readRecord(versioned.record(), *attributeEncoding(versioned.code()), record);
  return versioned != nullptr;
}

bool strataVhloReadType(MlirType type, StrataVhloRecord *record) {
  auto versioned = dyn_cast<VersionedType>(unwrap(type));
  if (versioned)
    readRecord(versioned.record(), *typeEncoding(versioned.code()), record);
  return versioned != nullptr;
}

MlirAttribute strataVhloAttribute(MlirContext context, const StrataVhloRecord *record) {
  return wrap(Attribute(VersionedAttr::get(unwrap(context), recordOf(*record))));
}

MlirType strataVhloType(MlirContext context, const StrataVhloRecord *record) {
  return wrap(Type(VersionedType::get(unwrap(context), recordOf(*record))));
}

MlirType strataVhloTypeToBuiltin(MlirType type) { return wrap(toBuiltin(unwrap(type))); }

MlirType strataVhloTypeFromBuiltin(MlirType type) { return wrap(fromBuiltin(unwrap(type))); }

MlirAttribute strataVhloAttributeToBuiltin(MlirAttribute attribute) {
  auto versioned = dyn_cast<VersionedAttr>(unwrap(attribute));
  return wrap(versioned ? toBuiltin(versioned) : Attribute());
}

MlirAttribute strataVhloAttributeFromBuiltin(MlirAttribute attribute) {
  return wrap(Attribute(fromBuiltin(unwrap(attribute))));
}

MlirAttribute strataElementsOfResource(MlirAttribute attribute) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attribute));
  return wrap(resource ? elementsOfResource(resource) : Attribute());
}

bool strataWriteBytecode(MlirOperation operation, MlirStringRef producer, int64_t version,
                         MlirStringCallback sink, void *data) {
  mlir::detail::CallbackOstream stream(sink, data);
  BytecodeWriterConfig config(unwrap(producer));
  config.setDesiredBytecodeVersion(version);
  return succeeded(writeBytecodeToFile(unwrap(operation), stream, config));
}
