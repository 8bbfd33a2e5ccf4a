// Types and attributes of the VHLO dialect. All of them are a number and a few
// fields, so one class serves for all types and one for all attributes; the
// tables in lib/encoding.cpp say what each number means. Bytecode, text and the
// C functions are views of these tables.

#ifndef STRATA_VHLO_ENCODING_H
#define STRATA_VHLO_ENCODING_H

#include "elements.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

#include <tuple>

namespace strata::vhlo {

/// What a field is in bytecode, and where a record keeps it.
enum class FieldKind : uint8_t {
  Attribute,         // attributes
  OptionalAttribute, // 0 or 1 in integers, then in attributes; MLIR's optional form
  CountedAttribute,  // the same with a number 0 or 1 before it
  Attributes,        // count in integers, then in attributes
  Pairs,             // count in integers, then twice as many in attributes
  Type,              // types
  Types,             // count in integers, then in types
  Boolean,           // 0 or 1 in integers
  Unsigned,          // integers
  Signed,            // integers
  SignedList,        // count, then in integers
  Double,            // its bits in integers
  DoubleList,        // count, then bits in integers
  Bits,              // integers: as many bits as the type before has
  String,            // bytes
  Blob,              // bytes
};

struct Field {
  FieldKind kind;
  llvm::StringRef name = {};
};

/// A row of the tables.
struct Encoding {
  unsigned code;
  llvm::StringRef mnemonic;
  /// First version of StableHLO that has it.
  llvm::StringRef since;
  llvm::ArrayRef<Field> fields = {};
  /// Keywords of an enumeration by number; empty where there is none.
  llvm::ArrayRef<llvm::StringRef> keywords = {};
};

/// The row of a number or mnemonic; null when there is none.
const Encoding *typeEncoding(uint64_t code);
const Encoding *typeEncoding(llvm::StringRef mnemonic);
const Encoding *attributeEncoding(uint64_t code);
const Encoding *attributeEncoding(llvm::StringRef mnemonic);

/// Numbers that code asks for by name.
namespace code {
enum Type : unsigned {
  BoolType = 0, ComplexType = 1, IndexType = 9, FunctionType = 8, RankedTensorType = 20,
  EncodedTensorType = 21, TokenType = 22, TupleType = 23, QuantizedType = 24,
  UnrankedTensorType = 25, PerAxisQuantizedType = 30, NoneType = 33, BufferType = 41,
  FutureType = 42,
};
enum Attribute : unsigned {
  ArrayAttr = 1, BoolAttr = 2, DictAttr = 6, FloatAttr = 8, IntegerAttr = 9, StringAttr = 14,
  TensorAttr = 15, TypeAttr = 17, TypeExtensionsAttr = 18,
};
} // namespace code

/// The fields of a type or attribute in the order of its row.
struct Record {
  unsigned code = 0;
  llvm::ArrayRef<int64_t> integers = {};
  llvm::ArrayRef<mlir::Attribute> attributes = {};
  llvm::ArrayRef<mlir::Type> types = {};
  llvm::StringRef bytes = {};
};

/// A record that owns its data.
struct RecordBuilder {
  unsigned code = 0;
  llvm::SmallVector<int64_t> integers;
  llvm::SmallVector<mlir::Attribute> attributes;
  llvm::SmallVector<mlir::Type> types;
  llvm::StringRef bytes;

  operator Record() const { return {code, integers, attributes, types, bytes}; }
};

namespace detail {
using Key = std::tuple<unsigned, llvm::ArrayRef<int64_t>, llvm::ArrayRef<mlir::Attribute>,
                       llvm::ArrayRef<mlir::Type>, llvm::StringRef>;

/// What both storages have in common; `Base` is MLIR's.
template <typename Base, typename Allocator>
struct Storage : Base {
  using KeyTy = Key;

  explicit Storage(const Key &key) : key(key) {}
  bool operator==(const Key &other) const { return key == other; }
  static llvm::hash_code hashKey(const Key &key) {
    return llvm::hash_combine(std::get<0>(key), std::get<1>(key), std::get<2>(key),
                              std::get<3>(key), std::get<4>(key));
  }
  static Storage *construct(Allocator &allocator, const Key &key) {
    auto [code, integers, attributes, types, bytes] = key;
    // Elements are read in place as wider numbers.
    const char *held = bytes.data();
    if (!bytes.empty() && (bytes.size() < FEW_BYTES || !areKept({bytes.data(), bytes.size()}))) {
      char *copy = static_cast<char *>(allocator.allocate(bytes.size(), alignof(uint64_t)));
      std::copy(bytes.begin(), bytes.end(), copy);
      held = copy;
    }
    return new (allocator.template allocate<Storage>())
        Storage({code, allocator.copyInto(integers), allocator.copyInto(attributes),
                 allocator.copyInto(types), llvm::StringRef(held, bytes.size())});
  }
  Key getAsKey() const { return key; }

  Key key;
};
using VersionedTypeStorage = Storage<mlir::TypeStorage, mlir::TypeStorageAllocator>;
using VersionedAttrStorage = Storage<mlir::AttributeStorage, mlir::AttributeStorageAllocator>;

inline Key keyOf(const Record &record) {
  return {record.code, record.integers, record.attributes, record.types, record.bytes};
}
inline Record recordOf(const Key &key) {
  return {std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key),
          std::get<4>(key)};
}
} // namespace detail

/// A type of the VHLO dialect.
class VersionedType
    : public mlir::Type::TypeBase<VersionedType, mlir::Type, detail::VersionedTypeStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.type";

  /// Null when the record does not fit its row.
  static VersionedType get(mlir::MLIRContext *context, const Record &record);

  Record record() const { return detail::recordOf(getImpl()->key); }
  unsigned code() const { return std::get<0>(getImpl()->key); }
};

/// An attribute of the VHLO dialect.
class VersionedAttr : public mlir::Attribute::AttrBase<VersionedAttr, mlir::Attribute,
                                                       detail::VersionedAttrStorage> {
public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.attribute";

  /// Null when the record does not fit its row.
  static VersionedAttr get(mlir::MLIRContext *context, const Record &record);

  Record record() const { return detail::recordOf(getImpl()->key); }
  unsigned code() const { return std::get<0>(getImpl()->key); }
};

/// Bits of a VHLO number: 64 of index; 0 for types that are not numbers.
unsigned bitWidth(mlir::Type type);

/// Dense elements that refer to the bytes of a resource; null where it has none, or too few.
mlir::Attribute elementsOfResource(mlir::DenseResourceElementsAttr resource);

/// The type of MLIR or StableHLO that a VHLO type stands for, and back. Types of other dialects are
/// not changed. Null if there is none.
mlir::Type toBuiltin(mlir::Type type);
mlir::Type fromBuiltin(mlir::Type type);

/// Numbers, elements, strings, types and booleans of MLIR for those of VHLO, and
/// back; null for other attributes and where the contents are not valid.
mlir::Attribute toBuiltin(VersionedAttr attribute);
VersionedAttr fromBuiltin(mlir::Attribute attribute);

} // namespace strata::vhlo

#endif // STRATA_VHLO_ENCODING_H
