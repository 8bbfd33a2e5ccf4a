// VHLO types and plain attributes as those of MLIR and StableHLO, and back. The
// text form needs it, because it shows numbers and elements as MLIR does.

#include "stablehlo/dialect.h"
#include "vhlo/encoding.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace strata::vhlo {
namespace {

/// Checked construction does not report why it fails: the caller knows the location.
InFlightDiagnostic silent() { return {}; }

/// The type with a number and without fields; null if there is none.
Type scalar(MLIRContext *context, unsigned code) {
  Builder builder(context);
  auto integer = [&](unsigned width) -> Type { return builder.getIntegerType(width); };
  auto natural = [&](unsigned width) -> Type { return builder.getIntegerType(width, false); };
  switch (code) {
  case code::BoolType: return integer(1);
  case 2: return BFloat16Type::get(context);
  case 3: return Float16Type::get(context);
  case 4: return Float32Type::get(context);
  case 5: return Float64Type::get(context);
  case 6: return Float8E4M3FNType::get(context);
  case 7: return Float8E5M2Type::get(context);
  case code::IndexType: return builder.getIndexType();
  case 10: return integer(4);
  case 11: return integer(8);
  case 12: return integer(16);
  case 13: return integer(32);
  case 14: return integer(64);
  case 15: return natural(4);
  case 16: return natural(8);
  case 17: return natural(16);
  case 18: return natural(32);
  case 19: return natural(64);
  case code::TokenType: return stablehlo::TokenType::get(context);
  case 27: return Float8E4M3FNUZType::get(context);
  case 28: return Float8E5M2FNUZType::get(context);
  case 29: return Float8E4M3B11FNUZType::get(context);
  case 31: return integer(2);
  case 32: return natural(2);
  case code::NoneType: return builder.getNoneType();
  case 34: return FloatTF32Type::get(context);
  case 35: return Float8E4M3Type::get(context);
  case 36: return Float8E3M4Type::get(context);
  case 37: return Float4E2M1FNType::get(context);
  case 38: return Float6E2M3FNType::get(context);
  case 39: return Float6E3M2FNType::get(context);
  case 40: return Float8E8M0FNUType::get(context);
  default: return {};
  }
}

constexpr unsigned LAST_TYPE = code::FutureType;

double doubleOf(int64_t bits) { return llvm::bit_cast<double>(bits); }
int64_t bitsOf(double value) { return llvm::bit_cast<int64_t>(value); }

bool toBuiltin(ArrayRef<Type> types, SmallVectorImpl<Type> &converted) {
  for (Type type : types) {
    converted.push_back(vhlo::toBuiltin(type));
    if (!converted.back())
      return false;
  }
  return true;
}

bool fromBuiltin(TypeRange types, SmallVectorImpl<Type> &converted) {
  for (Type type : types) {
    converted.push_back(vhlo::fromBuiltin(type));
    if (!converted.back())
      return false;
  }
  return true;
}

Attribute encodingToBuiltin(Attribute encoding) {
  auto versioned = dyn_cast<VersionedAttr>(encoding);
  if (!versioned)
    return encoding;
  if (versioned.code() != code::TypeExtensionsAttr)
    return {};
  return stablehlo::BoundsAttr::get(encoding.getContext(),
                                    versioned.record().integers.drop_front());
}

Attribute encodingFromBuiltin(Attribute encoding) {
  auto bounds = dyn_cast<stablehlo::BoundsAttr>(encoding);
  if (!bounds)
    return encoding;
  RecordBuilder record{code::TypeExtensionsAttr, {}, {}, {}, {}};
  record.integers.push_back(bounds.getBounds().size());
  llvm::append_range(record.integers, bounds.getBounds());
  return VersionedAttr::get(encoding.getContext(), record);
}

Type quantizedToBuiltin(const Record &record) {
  auto storage = vhlo::toBuiltin(record.types[0]);
  auto expressed = vhlo::toBuiltin(record.types[1]);
  if (!storage || !expressed || record.integers[0] < 0 || record.integers[0] > UINT32_MAX)
    return {};
  ArrayRef<int64_t> numbers = record.integers;
  if (record.code == code::QuantizedType)
    return quant::UniformQuantizedType::getChecked(silent, numbers[0], storage, expressed,
                                                   doubleOf(numbers[1]), numbers[2], numbers[3],
                                                   numbers[4]);
  // Scales and zero points follow as counted lists.
  SmallVector<double> scales;
  int64_t count = numbers[4];
  for (int64_t bits : numbers.slice(5, count))
    scales.push_back(doubleOf(bits));
  ArrayRef<int64_t> zeroPoints = numbers.drop_front(6 + count);
  if (numbers[1] < 0 || numbers[1] > INT32_MAX)
    return {};
  return quant::UniformQuantizedPerAxisType::getChecked(silent, numbers[0], storage, expressed,
                                                        scales, zeroPoints, numbers[1], numbers[2],
                                                        numbers[3]);
}

Type quantizedFromBuiltin(quant::QuantizedType type) {
  RecordBuilder record{code::QuantizedType, {}, {}, {}, {}};
  // The bare getters may differ from the stored parameters where they are implied.
  if (!fromBuiltin({type.getStorageType(), type.getExpressedType()}, record.types))
    return {};
  auto &numbers = record.integers;
  numbers.push_back(type.getFlags());
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type)) {
    numbers.append({bitsOf(uniform.getScale()), uniform.getZeroPoint(), type.getStorageTypeMin(),
                    type.getStorageTypeMax()});
    return VersionedType::get(type.getContext(), record);
  }
  auto axes = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
  if (!axes)
    return {};
  record.code = code::PerAxisQuantizedType;
  numbers.append({axes.getQuantizedDimension(), type.getStorageTypeMin(),
                  type.getStorageTypeMax(), static_cast<int64_t>(axes.getScales().size())});
  for (double scale : axes.getScales())
    numbers.push_back(bitsOf(scale));
  numbers.push_back(axes.getZeroPoints().size());
  llvm::append_range(numbers, axes.getZeroPoints());
  return VersionedType::get(type.getContext(), record);
}

/// One element for each bit; a bit or a byte for each element, or one for all.
Attribute boolElements(ShapedType type, StringRef bytes) {
  size_t count = type.getNumElements();
  size_t packed = llvm::divideCeil(count, 8);
  auto splat = [&](bool value) -> Attribute { return DenseElementsAttr::get(type, value); };
  auto byteAt = [&](size_t at) { return static_cast<uint8_t>(bytes[at]); };
  if (count > 0 && bytes.size() == 1 && (byteAt(0) == 0xff || byteAt(0) == 0))
    return splat(byteAt(0) != 0);
  bool isPacked = bytes.size() == packed;
  if (!isPacked && bytes.size() != count)
    return {};
  SmallVector<bool> values(count);
  for (size_t at = 0; at < count; ++at)
    values[at] = isPacked ? byteAt(at / 8) >> (at % 8) & 1 : byteAt(at) != 0;
  return DenseElementsAttr::get(type, values);
}

Attribute elementsToBuiltin(Type shaped, StringRef bytes, bool areInContext) {
  auto type = dyn_cast_or_null<RankedTensorType>(shaped);
  if (!type || !type.hasStaticShape())
    return {};
  Type element = type.getElementType();
  if (!element.isIntOrIndexOrFloat() && !isa<ComplexType>(element))
    return {};
  // The number of elements must not overflow.
  uint64_t count = 1;
  for (int64_t size : type.getShape()) {
    bool overflow = false;
    count = llvm::SaturatingMultiply<uint64_t>(count, size, &overflow);
    if (overflow || count > INT64_MAX / 16)
      return {};
  }
  if (element.isInteger(1))
    return boolElements(type, bytes);
  ArrayRef<char> data(bytes.data(), bytes.size());
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, data, isSplat))
    return {};
  return areInContext ? borrowElements(type, data) : elementsOf(type, data);
}

} // namespace

Attribute elementsOfResource(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return {};
  ArrayRef<char> data = blob->getData();
  return elementsToBuiltin(resource.getType(), {data.data(), data.size()}, /*areInContext=*/true);
}

unsigned bitWidth(Type type) {
  auto versioned = dyn_cast<VersionedType>(type);
  Type builtin = versioned ? scalar(type.getContext(), versioned.code()) : Type();
  if (!builtin)
    return 0;
  if (builtin.isIndex())
    return mlir::IndexType::kInternalStorageBitWidth;
  return builtin.isIntOrFloat() ? builtin.getIntOrFloatBitWidth() : 0;
}

Type toBuiltin(Type type) {
  auto versioned = dyn_cast<VersionedType>(type);
  if (!versioned)
    return type;
  MLIRContext *context = type.getContext();
  Record record = versioned.record();
  switch (record.code) {
  case code::ComplexType: {
    Type element = toBuiltin(record.types[0]);
    return element ? mlir::ComplexType::getChecked(silent, element) : Type();
  }
  case code::FunctionType: {
    SmallVector<Type> types;
    if (!toBuiltin(record.types, types))
      return {};
    ArrayRef<Type> all = types;
    return mlir::FunctionType::get(context, all.take_front(record.integers[0]),
                                   all.drop_front(record.integers[0]));
  }
  case code::RankedTensorType:
  case code::EncodedTensorType: {
    Type element = toBuiltin(record.types[0]);
    Attribute encoding;
    if (record.code == code::EncodedTensorType) {
      encoding = encodingToBuiltin(record.attributes[0]);
      if (!encoding)
        return {};
    }
    if (!element)
      return {};
    return mlir::RankedTensorType::getChecked(silent, record.integers.drop_front(), element,
                                              encoding);
  }
  case code::UnrankedTensorType: {
    Type element = toBuiltin(record.types[0]);
    return element ? mlir::UnrankedTensorType::getChecked(silent, element) : Type();
  }
  case code::BufferType: {
    Type element = toBuiltin(record.types[0]);
    if (!element || !MemRefType::isValidElementType(element))
      return {};
    for (int64_t size : record.integers.drop_front())
      if (size < 0 && !ShapedType::isDynamic(size))
        return {};
    return MemRefType::get(record.integers.drop_front(), element);
  }
  case code::TupleType:
  case code::FutureType: {
    SmallVector<Type> types;
    if (!toBuiltin(record.types, types))
      return {};
    if (record.code == code::TupleType)
      return mlir::TupleType::get(context, types);
    return stablehlo::FutureType::getChecked(silent, context, ArrayRef<Type>(types));
  }
  case code::QuantizedType:
  case code::PerAxisQuantizedType:
    return quantizedToBuiltin(record);
  default:
    return scalar(context, record.code);
  }
}

Type fromBuiltin(Type type) {
  MLIRContext *context = type.getContext();
  auto build = [&](unsigned code, ArrayRef<int64_t> integers, TypeRange types) -> Type {
    RecordBuilder record{code, {}, {}, {}, {}};
    llvm::append_range(record.integers, integers);
    if (!fromBuiltin(types, record.types))
      return {};
    return VersionedType::get(context, record);
  };
  auto counted = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> integers{static_cast<int64_t>(shape.size())};
    llvm::append_range(integers, shape);
    return integers;
  };
  if (auto complex = dyn_cast<mlir::ComplexType>(type))
    return build(code::ComplexType, {}, complex.getElementType());
  if (auto function = dyn_cast<mlir::FunctionType>(type)) {
    SmallVector<Type> types(function.getInputs());
    llvm::append_range(types, function.getResults());
    return build(code::FunctionType, {function.getNumInputs(), function.getNumResults()}, types);
  }
  if (auto tensor = dyn_cast<mlir::RankedTensorType>(type)) {
    Attribute encoding = tensor.getEncoding();
    if (!encoding)
      return build(code::RankedTensorType, counted(tensor.getShape()), tensor.getElementType());
    RecordBuilder record{code::EncodedTensorType, counted(tensor.getShape()), {}, {}, {}};
    record.attributes.push_back(encodingFromBuiltin(encoding));
    record.types.push_back(fromBuiltin(tensor.getElementType()));
    return record.types[0] && record.attributes[0] ? VersionedType::get(context, record) : Type();
  }
  if (auto tensor = dyn_cast<mlir::UnrankedTensorType>(type))
    return build(code::UnrankedTensorType, {}, tensor.getElementType());
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref.getLayout().isIdentity() && !memref.getMemorySpace()
               ? build(code::BufferType, counted(memref.getShape()), memref.getElementType())
               : Type();
  if (auto tuple = dyn_cast<mlir::TupleType>(type))
    return build(code::TupleType, {static_cast<int64_t>(tuple.size())}, tuple.getTypes());
  if (auto future = dyn_cast<stablehlo::FutureType>(type))
    return build(code::FutureType, {static_cast<int64_t>(future.getTypes().size())}, future.getTypes());
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return quantizedFromBuiltin(quantized);
  for (unsigned code = 0; code <= LAST_TYPE; ++code)
    if (scalar(context, code) == type)
      return VersionedType::get(context, {code});
  return {};
}

Attribute toBuiltin(VersionedAttr attribute) {
  MLIRContext *context = attribute.getContext();
  Record record = attribute.record();
  switch (record.code) {
  case code::BoolAttr:
    return mlir::BoolAttr::get(context, record.integers[0] != 0);
  case code::StringAttr:
    return mlir::StringAttr::get(context, record.bytes);
  case code::TypeAttr: {
    Type type = toBuiltin(record.types[0]);
    return type ? mlir::TypeAttr::get(type) : Attribute();
  }
  case code::IntegerAttr: {
    unsigned width = bitWidth(record.types[0]);
    Type type = toBuiltin(record.types[0]);
    if (width == 0 || !type.isIntOrIndex())
      return {};
    return mlir::IntegerAttr::get(type, APInt(width, record.integers[0], /*isSigned=*/false,
                                              /*implicitTrunc=*/true));
  }
  case code::FloatAttr: {
    unsigned width = bitWidth(record.types[0]);
    auto type = dyn_cast_or_null<FloatType>(toBuiltin(record.types[0]));
    if (width == 0 || !type)
      return {};
    APInt bits(width, record.integers[0], /*isSigned=*/false, /*implicitTrunc=*/true);
    return mlir::FloatAttr::get(type, APFloat(type.getFloatSemantics(), bits));
  }
  case code::TensorAttr:
    return elementsToBuiltin(toBuiltin(record.types[0]), record.bytes, /*areInContext=*/false);
  default:
    return {};
  }
}

VersionedAttr fromBuiltin(Attribute attribute) {
  MLIRContext *context = attribute.getContext();
  RecordBuilder record;
  auto typed = [&](unsigned code, Type type) -> VersionedAttr {
    record.code = code;
    record.types.push_back(fromBuiltin(type));
    return record.types[0] ? VersionedAttr::get(context, record) : VersionedAttr();
  };
  if (auto flag = dyn_cast<mlir::BoolAttr>(attribute)) {
    record.integers.push_back(flag.getValue());
    record.code = code::BoolAttr;
    return VersionedAttr::get(context, record);
  }
  if (auto integer = dyn_cast<mlir::IntegerAttr>(attribute)) {
    if (integer.getValue().getBitWidth() > 64)
      return {};
    record.integers.push_back(integer.getValue().getZExtValue());
    return typed(code::IntegerAttr, integer.getType());
  }
  if (auto number = dyn_cast<mlir::FloatAttr>(attribute)) {
    APInt bits = number.getValue().bitcastToAPInt();
    if (bits.getBitWidth() > 64)
      return {};
    record.integers.push_back(bits.getZExtValue());
    return typed(code::FloatAttr, number.getType());
  }
  if (auto text = dyn_cast<mlir::StringAttr>(attribute)) {
    record.code = code::StringAttr;
    record.bytes = text.getValue();
    return VersionedAttr::get(context, record);
  }
  if (auto type = dyn_cast<mlir::TypeAttr>(attribute))
    return typed(code::TypeAttr, type.getValue());
  if (auto elements = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
    ArrayRef<char> data = elements.getRawData();
    record.bytes = StringRef(data.data(), data.size());
    // A single bit is written as one bit, not as the byte for a splat.
    if (elements.getElementType().isInteger(1) && elements.getNumElements() == 1)
      record.bytes = elements.getSplatValue<bool>() ? StringRef("\1", 1) : StringRef("\0", 1);
    return typed(code::TensorAttr, elements.getType());
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return {};
    record.bytes = StringRef(blob->getData().data(), blob->getData().size());
    return typed(code::TensorAttr, resource.getType());
  }
  return {};
}

} // namespace strata::vhlo
