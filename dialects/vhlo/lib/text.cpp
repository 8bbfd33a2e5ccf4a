// The text form of types and attributes: `!vhlo.tensor_v1<2x!vhlo.f32_v1>`,
// `#vhlo.string_v1<"a">`, `#vhlo<precision_v1 HIGH>`.

#include "vhlo/dialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace strata::vhlo {
namespace {

using Kind = FieldKind;

double doubleOf(int64_t bits) { return llvm::bit_cast<double>(bits); }

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// `[16, ?]`, with the mark for what is known only at run time.
void printInts(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer, [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      printer << '?';
    else
      printer << value;
  });
  printer << ']';
}

ParseResult parseInts(AsmParser &parser, SmallVectorImpl<int64_t> &integers) {
  size_t position = integers.size();
  integers.push_back(0);
  auto element = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      integers.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(integers.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  integers[position] = integers.size() - position - 1;
  return success();
}

/// Comma-separated types; `none` means no types.
void printTypes(AsmPrinter &printer, ArrayRef<Type> types, StringRef none) {
  if (types.empty())
    printer << none;
  llvm::interleaveComma(types, printer);
}

/// Types up to a closing bracket, which is left.
ParseResult parseTypes(AsmParser &parser, RecordBuilder &record,
                       function_ref<ParseResult()> atEnd) {
  size_t position = record.integers.size();
  record.integers.push_back(0);
  if (succeeded(atEnd()))
    return success();
  do {
    if (parser.parseType(record.types.emplace_back()))
      return failure();
    ++record.integers[position];
  } while (succeeded(parser.parseOptionalComma()));
  return atEnd();
}

ParseResult parseDouble(AsmParser &parser, RecordBuilder &record) {
  double value;
  if (parser.parseFloat(value))
    return failure();
  record.integers.push_back(llvm::bit_cast<int64_t>(value));
  return success();
}

void printDouble(AsmPrinter &printer, int64_t bits) {
  printer.printFloat(APFloat(doubleOf(bits)));
}

ParseResult parseInteger(AsmParser &parser, RecordBuilder &record) {
  return parser.parseInteger(record.integers.emplace_back());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      printer << '?';
    else
      printer << size;
    printer << 'x';
  }
}

ParseResult parseShaped(AsmParser &parser, RecordBuilder &record) {
  SmallVector<int64_t> shape;
  if (parser.parseDimensionList(shape) || parser.parseType(record.types.emplace_back()))
    return failure();
  record.integers.push_back(shape.size());
  llvm::append_range(record.integers, shape);
  if (record.code == code::RankedTensorType && succeeded(parser.parseOptionalComma())) {
    record.code = code::EncodedTensorType;
    return parser.parseAttribute(record.attributes.emplace_back());
  }
  return success();
}

/// `i8:f32, 34.0:16, -128:127, 1` and, per axis, `i8:f32, 0, [34.0], [16], -128:127, 1`.
ParseResult parseQuantized(AsmParser &parser, RecordBuilder &record) {
  SmallVector<int64_t> scales, zeroPoints;
  int64_t flags, minimum, maximum, axis = 0;
  auto comma = [&] { return parser.parseComma(); };
  auto doubles = [&]() -> ParseResult {
    scales.push_back(0);
    auto element = [&]() -> ParseResult {
      double value;
      if (parser.parseFloat(value))
        return failure();
      scales.push_back(llvm::bit_cast<int64_t>(value));
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
      return failure();
    scales[0] = scales.size() - 1;
    return success();
  };
  auto range = [&]() -> ParseResult {
    return failure(parser.parseInteger(minimum) || parser.parseColon() ||
                   parser.parseInteger(maximum) || comma() || parser.parseInteger(flags));
  };
  if (parser.parseType(record.types.emplace_back()) || parser.parseColon() ||
      parser.parseType(record.types.emplace_back()) || comma())
    return failure();
  if (record.code == code::QuantizedType) {
    double scale;
    int64_t zeroPoint;
    if (parser.parseFloat(scale) || parser.parseColon() || parser.parseInteger(zeroPoint) ||
        comma() || range())
      return failure();
    record.integers.append({flags, llvm::bit_cast<int64_t>(scale), zeroPoint, minimum, maximum});
    return success();
  }
  if (parser.parseInteger(axis) || comma() || doubles() || comma() ||
      parseInts(parser, zeroPoints) || comma() || range())
    return failure();
  record.integers.append({flags, axis, minimum, maximum});
  llvm::append_range(record.integers, scales);
  llvm::append_range(record.integers, zeroPoints);
  return success();
}

void printQuantized(AsmPrinter &printer, const Record &record) {
  ArrayRef<int64_t> numbers = record.integers;
  printer << record.types[0] << ':' << record.types[1] << ", ";
  if (record.code == code::QuantizedType) {
    printDouble(printer, numbers[1]);
    printer << ':' << numbers[2] << ", " << numbers[3] << ':' << numbers[4];
  } else {
    ArrayRef<int64_t> scales = numbers.slice(5, numbers[4]);
    printer << numbers[1] << ", [";
    llvm::interleaveComma(scales, printer, [&](int64_t bits) { printDouble(printer, bits); });
    printer << "], ";
    printInts(printer, numbers.drop_front(6 + scales.size()));
    printer << ", " << numbers[2] << ':' << numbers[3];
  }
  printer << ", " << numbers[0];
}

ParseResult parseTypeFields(AsmParser &parser, RecordBuilder &record) {
  auto closes = [&] { return parser.parseOptionalGreater(); };
  if (parser.parseLess())
    return failure();
  switch (record.code) {
  case code::TupleType:
  case code::FutureType:
    return parseTypes(parser, record, closes);
  case code::FunctionType: {
    // Without inputs the brackets hold another pair of them.
    if (parser.parseLParen())
      return failure();
    if (succeeded(parser.parseOptionalLParen())) {
      record.integers.push_back(0);
      if (parser.parseRParen() || parser.parseRParen())
        return failure();
    } else if (parseTypes(parser, record, [&] { return parser.parseOptionalRParen(); })) {
      return failure();
    }
    if (parser.parseArrow())
      return failure();
    if (succeeded(parser.parseOptionalLParen())) {
      record.integers.push_back(0);
      return failure(parser.parseRParen() || parser.parseGreater());
    }
    return parseTypes(parser, record, closes);
  }
  case code::RankedTensorType:
  case code::BufferType:
    return failure(parseShaped(parser, record) || parser.parseGreater());
  case code::QuantizedType:
  case code::PerAxisQuantizedType:
    return failure(parseQuantized(parser, record) || parser.parseGreater());
  default:
    return failure(parser.parseType(record.types.emplace_back()) || parser.parseGreater());
  }
}

void printTypeFields(AsmPrinter &printer, const Record &record) {
  switch (record.code) {
  case code::TupleType:
  case code::FutureType:
    return printTypes(printer, record.types, "");
  case code::FunctionType:
    printer << '(';
    printTypes(printer, record.types.take_front(record.integers[0]), "()");
    printer << ") -> ";
    return printTypes(printer, record.types.drop_front(record.integers[0]), "()");
  case code::RankedTensorType:
  case code::EncodedTensorType:
  case code::BufferType:
    printShape(printer, record.integers.drop_front());
    printer << record.types[0];
    if (record.code == code::EncodedTensorType)
      printer << ", " << record.attributes[0];
    return;
  case code::QuantizedType:
  case code::PerAxisQuantizedType:
    return printQuantized(printer, record);
  default:
    printer << record.types[0];
  }
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// `name = value, …` for the fields that have names. An optional field is omitted with all
/// following ones.
ParseResult parseNamedField(AsmParser &parser, RecordBuilder &record, const Field &entry,
                            bool isFirst) {
  bool isOptional =
      entry.kind == Kind::OptionalAttribute || entry.kind == Kind::CountedAttribute;
  if (isOptional) {
    bool isThere = succeeded(parser.parseOptionalComma());
    record.integers.push_back(isThere);
    if (!isThere)
      return success();
  } else if (!isFirst && parser.parseComma()) {
    return failure();
  }
  if (parser.parseKeyword(entry.name) || parser.parseEqual())
    return failure();
  switch (entry.kind) {
  case Kind::SignedList:
    return parseInts(parser, record.integers);
  case Kind::Double:
    return parseDouble(parser, record);
  case Kind::Signed:
    return parseInteger(parser, record);
  default:
    return parser.parseAttribute(record.attributes.emplace_back());
  }
}

void printNamedFields(AsmPrinter &printer, ArrayRef<Field> fields, Record left) {
  auto integer = [&] {
    int64_t value = left.integers.front();
    left.integers = left.integers.drop_front();
    return value;
  };
  bool isFirst = true;
  for (const Field &entry : fields) {
    bool isOptional =
        entry.kind == Kind::OptionalAttribute || entry.kind == Kind::CountedAttribute;
    if (isOptional && integer() == 0)
      continue;
    if (!isFirst)
      printer << ", ";
    isFirst = false;
    printer << entry.name << " = ";
    switch (entry.kind) {
    case Kind::SignedList: {
      int64_t count = integer();
      printInts(printer, left.integers.take_front(count));
      left.integers = left.integers.drop_front(count);
      break;
    }
    case Kind::Double:
      printDouble(printer, integer());
      break;
    case Kind::Signed:
      printer << integer();
      break;
    default:
      printer << left.attributes.front();
      left.attributes = left.attributes.drop_front();
    }
  }
}

/// Numbers and elements, in the form that MLIR gives them.
ParseResult parseBuiltin(AsmParser &parser, RecordBuilder &record, VersionedAttr &whole) {
  Attribute value;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseAttribute(value))
    return failure();
  whole = fromBuiltin(value);
  if (!whole || whole.code() != record.code)
    return parser.emitError(place) << "expected the value of #vhlo."
                                   << attributeEncoding(record.code)->mnemonic;
  return success();
}

/// The value with its VHLO type: `1.0 : !vhlo.f32_v1`.
ParseResult parseFloat(AsmParser &parser, RecordBuilder &record) {
  double value;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseFloat(value) || parser.parseColonType(record.types.emplace_back()))
    return failure();
  auto type = dyn_cast_or_null<FloatType>(toBuiltin(record.types[0]));
  if (!type)
    return parser.emitError(place, "expected a floating-point type");
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  record.integers.push_back(number.bitcastToAPInt().getZExtValue());
  return success();
}

ParseResult parseAttributeFields(AsmParser &parser, RecordBuilder &record, VersionedAttr &whole,
                                 std::string &text) {
  const Encoding &row = *attributeEncoding(record.code);
  auto counted = [&](AsmParser::Delimiter delimiter,
                     function_ref<ParseResult()> element) -> ParseResult {
    record.integers.push_back(0);
    return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
      ++record.integers[0];
      return element();
    });
  };
  auto attribute = [&] { return parser.parseAttribute(record.attributes.emplace_back()); };
  switch (record.code) {
  case code::ArrayAttr:
    return counted(AsmParser::Delimiter::Square, attribute);
  case code::DictAttr:
    return counted(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
      return failure(attribute() || parser.parseEqual() || attribute());
    });
  case code::BoolAttr: {
    StringRef word;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    if (word != "true" && word != "false")
      return parser.emitError(place, "expected true or false");
    record.integers.push_back(word == "true");
    return success();
  }
  case code::StringAttr:
    if (parser.parseString(&text))
      return failure();
    record.bytes = text;
    return success();
  case code::TypeAttr:
    return parser.parseType(record.types.emplace_back());
  case code::FloatAttr:
    return parseFloat(parser, record);
  case code::IntegerAttr:
  case code::TensorAttr:
    return parseBuiltin(parser, record, whole);
  default:
    for (const Field &entry : row.fields)
      if (parseNamedField(parser, record, entry, &entry == row.fields.begin()))
        return failure();
    return success();
  }
}

void printAttributeFields(AsmPrinter &printer, VersionedAttr attribute) {
  Record record = attribute.record();
  switch (record.code) {
  case code::ArrayAttr:
    printer << '[';
    llvm::interleaveComma(record.attributes, printer);
    printer << ']';
    return;
  case code::DictAttr:
    printer << '{';
    for (size_t at = 0; at < record.attributes.size(); at += 2)
      printer << (at == 0 ? "" : ", ") << record.attributes[at] << " = "
              << record.attributes[at + 1];
    printer << '}';
    return;
  case code::BoolAttr:
    printer << (record.integers[0] ? "true" : "false");
    return;
  case code::StringAttr:
    printer << '"';
    llvm::printEscapedString(record.bytes, printer.getStream());
    printer << '"';
    return;
  case code::TypeAttr:
    printer << record.types[0];
    return;
  case code::FloatAttr:
  case code::IntegerAttr:
  case code::TensorAttr: {
    Attribute value = toBuiltin(attribute);
    if (!value) {
      // Elements that do not fit their type; conversion says so.
      printer << "<invalid>";
    } else if (auto number = dyn_cast<mlir::FloatAttr>(value)) {
      printer.printFloat(number.getValue());
      printer << " : " << record.types[0];
    } else {
      printer << value;
    }
    return;
  }
  default:
    printNamedFields(printer, attributeEncoding(record.code)->fields, record);
  }
}

} // namespace

Type VHLODialect::parseType(DialectAsmParser &parser) const {
  StringRef mnemonic;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&mnemonic))
    return {};
  const Encoding *row = typeEncoding(mnemonic);
  if (!row) {
    parser.emitError(place) << "unknown vhlo type: " << mnemonic;
    return {};
  }
  RecordBuilder record;
  record.code = row->code;
  if (!row->fields.empty() && parseTypeFields(parser, record))
    return {};
  Type type = VersionedType::get(getContext(), record);
  if (!type)
    parser.emitError(place) << "value out of range in vhlo type " << mnemonic;
  return type;
}

void VHLODialect::printType(Type type, DialectAsmPrinter &printer) const {
  Record record = cast<VersionedType>(type).record();
  const Encoding &row = *typeEncoding(record.code);
  printer << row.mnemonic;
  if (row.fields.empty())
    return;
  printer << '<';
  printTypeFields(printer, record);
  printer << '>';
}

/// Elements that the reader of the text took out of it.
static Attribute parseNumbered(DialectAsmParser &parser, Type type) {
  uint64_t number;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(number) || parser.parseGreater())
    return {};
  auto shaped = dyn_cast_or_null<ShapedType>(type);
  Attribute elements = shaped ? numberedElements(shaped, number) : Attribute();
  if (!elements)
    parser.emitError(place) << "elements hex data size is invalid for provided type: " << type;
  return elements;
}

Attribute VHLODialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  StringRef mnemonic;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&mnemonic))
    return {};
  if (mnemonic == "numbered")
    return parseNumbered(parser, type);
  const Encoding *row = attributeEncoding(mnemonic);
  if (!row) {
    parser.emitError(place) << "unknown vhlo attribute: " << mnemonic;
    return {};
  }
  RecordBuilder record;
  record.code = row->code;
  if (!row->keywords.empty()) {
    StringRef keyword;
    place = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    const StringRef *found = llvm::find(row->keywords, keyword);
    if (found == row->keywords.end()) {
      parser.emitError(place) << "unknown value of vhlo attribute " << mnemonic;
      return {};
    }
    record.integers.push_back(found - row->keywords.begin());
    return VersionedAttr::get(getContext(), record);
  }
  VersionedAttr whole;
  std::string text;
  if (parser.parseLess() || parseAttributeFields(parser, record, whole, text) ||
      parser.parseGreater())
    return {};
  Attribute attribute = whole ? whole : VersionedAttr::get(getContext(), record);
  if (!attribute)
    parser.emitError(place) << "value out of range in vhlo attribute " << mnemonic;
  return attribute;
}

void VHLODialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  auto versioned = cast<VersionedAttr>(attribute);
  const Encoding &row = *attributeEncoding(versioned.code());
  printer << row.mnemonic;
  if (!row.keywords.empty()) {
    printer << ' ' << row.keywords[versioned.record().integers[0]];
    return;
  }
  printer << '<';
  printAttributeFields(printer, versioned);
  printer << '>';
}

} // namespace strata::vhlo
