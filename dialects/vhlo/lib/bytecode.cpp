// The bytecode of types and attributes: the fields of their rows, in order. Nothing is allocated in
// advance for a count from the input.

#include "vhlo/dialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;

namespace strata::vhlo {
namespace {

using Kind = FieldKind;

/// Reads the fields of a row into a record.
struct FieldReader {
  DialectBytecodeReader &reader;
  RecordBuilder &record;

  LogicalResult attribute() {
    Attribute value;
    if (failed(reader.readAttribute(value)))
      return failure();
    record.attributes.push_back(value);
    return success(value != nullptr);
  }

  LogicalResult type() {
    Type value;
    if (failed(reader.readType(value)))
      return failure();
    record.types.push_back(value);
    return success(value != nullptr);
  }

  LogicalResult number() {
    uint64_t value;
    if (failed(reader.readVarInt(value)))
      return failure();
    record.integers.push_back(value);
    return success();
  }

  LogicalResult signedNumber() {
    int64_t value;
    if (failed(reader.readSignedVarInt(value)))
      return failure();
    record.integers.push_back(value);
    return success();
  }

  LogicalResult bits(unsigned width) {
    if (width == 0 || width > 64)
      return reader.emitError("expected a number's type before its value");
    FailureOr<APInt> value = reader.readAPIntWithKnownWidth(width);
    if (failed(value))
      return failure();
    record.integers.push_back(value->getZExtValue());
    return success();
  }

  /// A count, then that many times `element`.
  LogicalResult list(function_ref<LogicalResult()> element) {
    uint64_t count;
    if (failed(reader.readVarInt(count)))
      return failure();
    record.integers.push_back(count);
    for (uint64_t at = 0; at < count; ++at)
      if (failed(element()))
        return failure();
    return success();
  }

  LogicalResult field(Kind kind) {
    switch (kind) {
    case Kind::Attribute:
      return attribute();
    case Kind::OptionalAttribute: {
      Attribute value;
      if (failed(reader.readOptionalAttribute(value)))
        return failure();
      record.integers.push_back(value ? 1 : 0);
      if (value)
        record.attributes.push_back(value);
      return success();
    }
    case Kind::CountedAttribute:
      if (failed(number()))
        return failure();
      if (record.integers.back() > 1 || record.integers.back() < 0)
        return reader.emitError("expected 0 or 1 before an optional attribute");
      return record.integers.back() ? attribute() : success();
    case Kind::Attributes:
      return list([&] { return attribute(); });
    case Kind::Pairs:
      return list([&] { return success(succeeded(attribute()) && succeeded(attribute())); });
    case Kind::Type:
      return type();
    case Kind::Types:
      return list([&] { return type(); });
    case Kind::Boolean:
    case Kind::Unsigned:
      return number();
    case Kind::Signed:
      return signedNumber();
    case Kind::SignedList:
      return list([&] { return signedNumber(); });
    case Kind::Double:
      return bits(64);
    case Kind::DoubleList:
      return list([&] { return bits(64); });
    case Kind::Bits:
      return bits(bitWidth(record.types.back()));
    case Kind::String:
      return reader.readString(record.bytes);
    case Kind::Blob: {
      ArrayRef<char> data;
      if (failed(reader.readBlob(data)))
        return failure();
      record.bytes = StringRef(data.data(), data.size());
      return success();
    }
    }
    return failure();
  }
};

/// Writes the fields of a record along its row.
struct FieldWriter {
  DialectBytecodeWriter &writer;
  Record left;

  int64_t integer() {
    int64_t value = left.integers.front();
    left.integers = left.integers.drop_front();
    return value;
  }
  Attribute attribute() {
    Attribute value = left.attributes.front();
    left.attributes = left.attributes.drop_front();
    return value;
  }
  Type type() {
    Type value = left.types.front();
    left.types = left.types.drop_front();
    return value;
  }
  void list(function_ref<void()> element) {
    int64_t count = integer();
    writer.writeVarInt(count);
    for (int64_t at = 0; at < count; ++at)
      element();
  }
  void bits(unsigned width) {
    writer.writeAPIntWithKnownWidth(
        APInt(width, integer(), /*isSigned=*/false, /*implicitTrunc=*/true));
  }

  void field(Kind kind) {
    switch (kind) {
    case Kind::Attribute:
      return writer.writeAttribute(attribute());
    case Kind::OptionalAttribute:
      return writer.writeOptionalAttribute(integer() ? attribute() : Attribute());
    case Kind::CountedAttribute: {
      int64_t count = integer();
      writer.writeVarInt(count);
      if (count)
        writer.writeAttribute(attribute());
      return;
    }
    case Kind::Attributes:
      return list([&] { writer.writeAttribute(attribute()); });
    case Kind::Pairs:
      return list([&] {
        writer.writeAttribute(attribute());
        writer.writeAttribute(attribute());
      });
    case Kind::Type:
      return writer.writeType(type());
    case Kind::Types:
      return list([&] { writer.writeType(type()); });
    case Kind::Boolean:
    case Kind::Unsigned:
      return writer.writeVarInt(integer());
    case Kind::Signed:
      return writer.writeSignedVarInt(integer());
    case Kind::SignedList:
      return list([&] { writer.writeSignedVarInt(integer()); });
    case Kind::Double:
      return bits(64);
    case Kind::DoubleList:
      return list([&] { bits(64); });
    case Kind::Bits:
      return bits(width);
    case Kind::String:
      return writer.writeOwnedString(left.bytes);
    case Kind::Blob:
      return writer.writeOwnedBlob({left.bytes.data(), left.bytes.size()});
    }
  }

  void write(const Encoding &row) {
    writer.writeVarInt(row.code);
    if (!left.types.empty())
      width = bitWidth(left.types.front());
    for (const Field &entry : row.fields)
      field(entry.kind);
  }

  unsigned width = 0;
};

struct Bytecode : BytecodeDialectInterface {
  explicit Bytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  template <typename T>
  T read(DialectBytecodeReader &reader, StringRef what,
         const Encoding *(*find)(uint64_t)) const {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    const Encoding *row = find(code);
    if (!row) {
      reader.emitError() << "unknown vhlo " << what << " code " << code;
      return {};
    }
    RecordBuilder record;
    record.code = code;
    FieldReader fields{reader, record};
    for (const Field &entry : row->fields)
      if (failed(fields.field(entry.kind)))
        return {};
    T value = T::get(reader.getContext(), record);
    if (!value)
      reader.emitError() << "vhlo " << what << " " << row->mnemonic << " has a value out of range";
    return value;
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    return read<VersionedAttr>(reader, "attribute", attributeEncoding);
  }

  Type readType(DialectBytecodeReader &reader) const override {
    return read<VersionedType>(reader, "type", typeEncoding);
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter &writer) const override {
    auto versioned = dyn_cast<VersionedAttr>(attribute);
    if (!versioned)
      return failure();
    FieldWriter{writer, versioned.record()}.write(*attributeEncoding(versioned.code()));
    return success();
  }

  LogicalResult writeType(Type type, DialectBytecodeWriter &writer) const override {
    auto versioned = dyn_cast<VersionedType>(type);
    if (!versioned)
      return failure();
    FieldWriter{writer, versioned.record()}.write(*typeEncoding(versioned.code()));
    return success();
  }
};

} // namespace

void VHLODialect::addBytecode() { addInterfaces<Bytecode>(); }

} // namespace strata::vhlo
