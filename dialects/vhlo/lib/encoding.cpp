// The tables of types and attributes. The numbers, the order of the fields and
// the versions are those of the portable encoding of StableHLO.

#include "vhlo/encoding.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace strata::vhlo {
namespace {

using Kind = FieldKind;

constexpr Field ELEMENT[] = {{Kind::Type}};
constexpr Field LIST_OF_TYPES[] = {{Kind::Types}};
constexpr Field FUNCTION[] = {{Kind::Types}, {Kind::Types}};
constexpr Field SHAPED[] = {{Kind::SignedList}, {Kind::Type}};
constexpr Field ENCODED[] = {{Kind::Attribute}, {Kind::SignedList}, {Kind::Type}};
constexpr Field QUANTIZED[] = {{Kind::Unsigned}, {Kind::Type},   {Kind::Type},  {Kind::Double},
                               {Kind::Signed},   {Kind::Signed}, {Kind::Signed}};
constexpr Field PER_AXIS[] = {{Kind::Unsigned}, {Kind::Type},   {Kind::Type},       {Kind::Unsigned},
                              {Kind::Signed},   {Kind::Signed}, {Kind::DoubleList}, {Kind::SignedList}};

constexpr Encoding TYPES[] = {
    {code::BoolType, "bool_v1", "0.9.0"},
    {code::ComplexType, "complex_v1", "0.9.0", ELEMENT},
    {2, "bf16_v1", "0.9.0"},
    {3, "f16_v1", "0.9.0"},
    {4, "f32_v1", "0.9.0"},
    {5, "f64_v1", "0.9.0"},
    {6, "f8E4M3FN_v1", "0.9.0"},
    {7, "f8E5M2_v1", "0.9.0"},
    {code::FunctionType, "func_v1", "0.9.0", FUNCTION},
    {code::IndexType, "index_v1", "0.9.0"},
    {10, "i4_v1", "0.9.0"},
    {11, "i8_v1", "0.9.0"},
    {12, "i16_v1", "0.9.0"},
    {13, "i32_v1", "0.9.0"},
    {14, "i64_v1", "0.9.0"},
    {15, "ui4_v1", "0.9.0"},
    {16, "ui8_v1", "0.9.0"},
    {17, "ui16_v1", "0.9.0"},
    {18, "ui32_v1", "0.9.0"},
    {19, "ui64_v1", "0.9.0"},
    {code::RankedTensorType, "tensor_v1", "0.9.0", SHAPED},
    {code::EncodedTensorType, "tensor_v1", "0.9.0", ENCODED},
    {code::TokenType, "token_v1", "0.9.0"},
    {code::TupleType, "tuple_v1", "0.9.0", LIST_OF_TYPES},
    {code::QuantizedType, "quant_v1", "0.9.0", QUANTIZED},
    {code::UnrankedTensorType, "unranked_tensor_v1", "0.9.0", ELEMENT},
    {26, "witness_v1", "0.9.0"},
    {27, "f8E4M3FNUZ_v1", "0.10.0"},
    {28, "f8E5M2FNUZ_v1", "0.10.0"},
    {29, "f8E4M3B11FNUZ_v1", "0.11.0"},
    {code::PerAxisQuantizedType, "quant_per_axis_v1", "0.18.0", PER_AXIS},
    {31, "i2_v1", "1.2.0"},
    {32, "ui2_v1", "1.2.0"},
    {code::NoneType, "none_v1", "1.6.0"},
    // The text form has always spelled it so.
    {34, "tf31_v1", "1.6.0"},
    {35, "f8E4M3_v1", "1.7.0"},
    {36, "f8E3M4_v1", "1.7.0"},
    {37, "f4E2M1FN_v1", "1.8.0"},
    {38, "f6E2M3FN_v1", "1.8.0"},
    {39, "f6E3M2FN_v1", "1.8.0"},
    {40, "f8E8M0FNU_v1", "1.8.0"},
    {code::BufferType, "buffer_v1", "1.13.0", SHAPED},
    {code::FutureType, "future_v1", "1.15.0", LIST_OF_TYPES},
};

constexpr Field LIST[] = {{Kind::Attributes}};
constexpr Field FLAG[] = {{Kind::Boolean}};
constexpr Field NUMBER[] = {{Kind::Unsigned}};
constexpr Field ENTRIES[] = {{Kind::Pairs}};
constexpr Field TYPED_BITS[] = {{Kind::Type}, {Kind::Bits}};
constexpr Field TEXT[] = {{Kind::String}};
constexpr Field ELEMENTS[] = {{Kind::Type}, {Kind::Blob}};
constexpr Field ALIAS[] = {{Kind::SignedList, "outputTupleIndices"},
                           {Kind::Signed, "operandIndex"},
                           {Kind::SignedList, "operandTupleIndices"}};
constexpr Field BOUNDS[] = {{Kind::SignedList, "bounds"}};
constexpr Field ACCURACY[] = {{Kind::Double, "atol"},
                              {Kind::Double, "rtol"},
                              {Kind::Signed, "ulps"},
                              {Kind::Attribute, "mode"}};
constexpr Field SUB_AXIS[] = {{Kind::Signed, "pre_size"}, {Kind::Signed, "size"}};
constexpr Field AXIS_REF[] = {{Kind::Attribute, "name"}, {Kind::CountedAttribute, "sub_axis_info"}};
constexpr Field MESH_AXES[] = {{Kind::Attribute, "mesh"}, {Kind::Attribute, "axes"}};
constexpr Field MESH_AXIS[] = {{Kind::Attribute, "name"}, {Kind::Signed, "size"}};
constexpr Field MESH[] = {{Kind::Attribute, "axes"}, {Kind::OptionalAttribute, "device_ids"}};

constexpr StringRef DIRECTION[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr StringRef COMPARISON[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
constexpr StringRef API_VERSION[] = {
    "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
constexpr StringRef FFT_TYPE[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr StringRef PRECISION[] = {"DEFAULT", "HIGH", "HIGHEST"};
constexpr StringRef RNG_ALGORITHM[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
constexpr StringRef RNG_DISTRIBUTION[] = {"", "UNIFORM", "NORMAL"};
constexpr StringRef TRANSPOSE[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr StringRef ACCURACY_MODE[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};

constexpr Encoding ATTRIBUTES[] = {
    {code::ArrayAttr, "array_v1", "0.9.0", LIST},
    {code::BoolAttr, "bool_v1", "0.9.0", FLAG},
    {3, "comparison_direction_v1", "0.9.0", NUMBER, DIRECTION},
    {4, "comparison_type_v1", "0.9.0", NUMBER, COMPARISON},
    {5, "api_version_v1", "0.9.0", NUMBER, API_VERSION},
    {code::DictAttr, "dict_v1", "0.9.0", ENTRIES},
    {7, "fft_type_v1", "0.9.0", NUMBER, FFT_TYPE},
    {code::FloatAttr, "float_v1", "0.9.0", TYPED_BITS},
    {code::IntegerAttr, "integer_v1", "0.9.0", TYPED_BITS},
    {10, "output_operand_alias_v1", "0.9.0", ALIAS},
    {11, "precision_v1", "0.9.0", NUMBER, PRECISION},
    {12, "rng_algorithm_v1", "0.9.0", NUMBER, RNG_ALGORITHM},
    {13, "rng_distribution_v1", "0.9.0", NUMBER, RNG_DISTRIBUTION},
    {code::StringAttr, "string_v1", "0.9.0", TEXT},
    {code::TensorAttr, "tensor_v1", "0.9.0", ELEMENTS},
    {16, "transpose_v1", "0.9.0", NUMBER, TRANSPOSE},
    {code::TypeAttr, "type_v1", "0.9.0", ELEMENT},
    {code::TypeExtensionsAttr, "type_extensions_v1", "0.9.0", BOUNDS},
    {19, "result_accuracy_mode_v1", "1.9.0", NUMBER, ACCURACY_MODE},
    {20, "result_accuracy_v1", "1.9.0", ACCURACY},
    {21, "sub_axis_info_v1", "1.16.0", SUB_AXIS},
    {22, "axis_ref_v1", "1.16.0", AXIS_REF},
    {23, "replica_group_mesh_axes_v1", "1.16.0", MESH_AXES},
    {24, "mesh_axis_v1", "1.16.0", MESH_AXIS},
    {25, "mesh_v1", "1.16.0", MESH},
};

const Encoding *lookUp(ArrayRef<Encoding> table, uint64_t code) {
  const Encoding *row = llvm::find_if(table, [&](const Encoding &e) { return e.code == code; });
  return row == table.end() ? nullptr : row;
}

const Encoding *lookUp(ArrayRef<Encoding> table, StringRef mnemonic) {
  const Encoding *row =
      llvm::find_if(table, [&](const Encoding &e) { return e.mnemonic == mnemonic; });
  return row == table.end() ? nullptr : row;
}

/// Walks over a record along its row.
struct Cursor {
  explicit Cursor(const Record &record) : left(record) {}

  std::optional<int64_t> integer() {
    if (left.integers.empty())
      return std::nullopt;
    int64_t value = left.integers.front();
    left.integers = left.integers.drop_front();
    return value;
  }
  template <typename T>
  bool take(ArrayRef<T> &list, std::optional<int64_t> count) {
    if (!count || *count < 0 || static_cast<uint64_t>(*count) > list.size())
      return false;
    for (T element : list.take_front(*count))
      if constexpr (!std::is_integral_v<T>)
        if (!element)
          return false;
    list = list.drop_front(*count);
    return true;
  }
  bool field(const Encoding &row, FieldKind kind) {
    switch (kind) {
    case Kind::Attribute:
      return take(left.attributes, 1);
    case Kind::OptionalAttribute:
    case Kind::CountedAttribute: {
      auto count = integer();
      return count && *count <= 1 && take(left.attributes, count);
    }
    case Kind::Attributes:
      return take(left.attributes, integer());
    case Kind::Pairs: {
      auto count = integer();
      return count && *count <= INT32_MAX && take(left.attributes, 2 * *count);
    }
    case Kind::Type:
      return take(left.types, 1);
    case Kind::Types:
      return take(left.types, integer());
    case Kind::Boolean: {
      auto value = integer();
      return value && (*value == 0 || *value == 1);
    }
    case Kind::Unsigned: {
      auto value = integer();
      if (!value)
        return false;
      if (row.keywords.empty())
        return true;
      return *value >= 0 && static_cast<uint64_t>(*value) < row.keywords.size() &&
             !row.keywords[*value].empty();
    }
    case Kind::Signed:
    case Kind::Double:
    case Kind::Bits:
      return integer().has_value();
    case Kind::SignedList:
    case Kind::DoubleList:
      return take(left.integers, integer());
    case Kind::String:
    case Kind::Blob:
      left.bytes = {};
      return true;
    }
    return false;
  }
  bool fits(const Encoding &row) {
    for (const Field &entry : row.fields)
      if (!field(row, entry.kind))
        return false;
    return left.integers.empty() && left.attributes.empty() && left.types.empty() &&
           left.bytes.empty();
  }

  Record left;
};

bool fits(const Encoding *row, const Record &record) {
  return row && Cursor(record).fits(*row);
}

} // namespace

const Encoding *typeEncoding(uint64_t code) { return lookUp(TYPES, code); }
const Encoding *typeEncoding(StringRef mnemonic) { return lookUp(TYPES, mnemonic); }
const Encoding *attributeEncoding(uint64_t code) { return lookUp(ATTRIBUTES, code); }
const Encoding *attributeEncoding(StringRef mnemonic) { return lookUp(ATTRIBUTES, mnemonic); }

VersionedType VersionedType::get(MLIRContext *context, const Record &record) {
  if (!fits(typeEncoding(record.code), record))
    return {};
  return Base::get(context, record.code, record.integers, record.attributes, record.types,
                   record.bytes);
}

VersionedAttr VersionedAttr::get(MLIRContext *context, const Record &record) {
  if (!fits(attributeEncoding(record.code), record))
    return {};
  return Base::get(context, record.code, record.integers, record.attributes, record.types,
                   record.bytes);
}

} // namespace strata::vhlo
