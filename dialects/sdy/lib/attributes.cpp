// The attributes of the sdy dialect: their text form.

#include "sdy/dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "sdy/attributes.cpp.inc"

namespace strata::sdy {

void SdyDialect::addAttributes() {
  Dialect::addAttributes<
#define GET_ATTRDEF_LIST
#include "sdy/attributes.cpp.inc"
      >();
}

using Delimiter = AsmParser::Delimiter;

static ParseResult parseName(AsmParser &parser, StringAttr &name) {
  std::string text;
  if (parser.parseString(&text))
    return failure();
  name = StringAttr::get(parser.getContext(), text);
  return success();
}

static void printName(AsmPrinter &printer, StringAttr name) {
  printer.printString(name.getValue());
}

static ParseResult parseInts(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      Delimiter::Square, [&]() { return parser.parseInteger(values.emplace_back()); });
}

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

// "a"=2
static ParseResult parseMeshAxis(AsmParser &parser, MeshAxisAttr &axis) {
  SMLoc start = parser.getCurrentLocation();
  StringAttr name;
  int64_t size;
  if (parseName(parser, name) || parser.parseEqual() || parser.parseInteger(size))
    return failure();
  axis = MeshAxisAttr::getChecked([&]() { return parser.emitError(start); }, parser.getContext(),
                                  name, size);
  return success(static_cast<bool>(axis));
}

static void printMeshAxis(AsmPrinter &printer, MeshAxisAttr axis) {
  printName(printer, axis.getName());
  printer << "=" << axis.getSize();
}

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  MeshAxisAttr axis;
  if (parser.parseLess() || parseMeshAxis(parser, axis) || parser.parseGreater())
    return {};
  return axis;
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printMeshAxis(printer, *this);
  printer << ">";
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> deviceIds;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          Delimiter::Square, [&]() { return parseMeshAxis(parser, axes.emplace_back()); }))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("device_ids") || parser.parseEqual() || parseInts(parser, deviceIds))
      return {};
    if (deviceIds.empty()) {
      parser.emitError(start, "expected one device id or more, found none");
      return {};
    }
    // Ids in order say nothing where there are axes.
    bool inOrder = llvm::equal(deviceIds, llvm::seq<int64_t>(0, deviceIds.size()));
    auto devices = llvm::map_range(axes, [](MeshAxisAttr axis) { return axis.getSize(); });
    if (!axes.empty() && inOrder && llvm::product_of(devices) == int64_t(deviceIds.size()))
      deviceIds.clear();
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&]() { return parser.emitError(start); }, parser.getContext(), axes,
                    deviceIds);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getAxes(), printer,
                        [&](MeshAxisAttr axis) { printMeshAxis(printer, axis); });
  printer << "]";
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << "]";
  }
  printer << ">";
}

// (1)2
Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t preSize, size;
  if (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() ||
      parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << "(" << getPreSize() << ")" << getSize();
}

// "a" or "a":(1)2
Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  SubAxisInfoAttr part;
  if (parseName(parser, name))
    return {};
  if (succeeded(parser.parseOptionalColon())) {
    part = dyn_cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, {}));
    if (!part)
      return {};
  }
  return get(parser.getContext(), name, part);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printName(printer, getName());
  if (getSubAxisInfo()) {
    printer << ":";
    getSubAxisInfo().print(printer);
  }
}

static ParseResult parseAxisRef(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &axes) {
  auto axis = dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
  if (!axis)
    return failure();
  axes.push_back(axis);
  return success();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

// {"a", "b":(1)2, ?}p1
Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  std::optional<int64_t> priority;
  auto parseEntry = [&]() -> ParseResult {
    if (!isClosed)
      return parser.emitError(parser.getCurrentLocation(), "expected '}' after '?'");
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return success();
    }
    return parseAxisRef(parser, axes);
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseEntry))
    return {};
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    int64_t value;
    if (!keyword.consume_front("p") || keyword.getAsInteger(10, value)) {
      parser.emitError(location, "expected a priority such as p1, found '") << keyword << "'";
      return {};
    }
    priority = value;
  }
  return get(parser.getContext(), axes, isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << "{";
  llvm::interleaveComma(getAxes(), printer, [&](AxisRefAttr axis) { axis.print(printer); });
  if (!getIsClosed())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << "}";
  if (getPriority())
    printer << "p" << *getPriority();
}

static void printAxisList(AsmPrinter &printer, StringRef name, ArrayRef<AxisRefAttr> axes) {
  if (axes.empty())
    return;
  printer << ", " << name << "={";
  llvm::interleaveComma(axes, printer, [&](AxisRefAttr axis) { axis.print(printer); });
  printer << "}";
}

// <@mesh, [{"a"}, {}], replicated={"b"}, unreduced={"c"}>
Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  Attribute mesh;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    mesh = MeshAttr::parse(parser, {});
    if (!mesh)
      return {};
  } else {
    FlatSymbolRefAttr symbol;
    if (parser.parseAttribute(symbol))
      return {};
    mesh = symbol;
  }
  SmallVector<DimensionShardingAttr> dimensions;
  SmallVector<AxisRefAttr> replicated, unreduced;
  auto parseDimension = [&]() -> ParseResult {
    auto dimension =
        dyn_cast_or_null<DimensionShardingAttr>(DimensionShardingAttr::parse(parser, {}));
    if (!dimension)
      return failure();
    dimensions.push_back(dimension);
    return success();
  };
  if (parser.parseComma() || parser.parseCommaSeparatedList(Delimiter::Square, parseDimension))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return {};
    if (name != "replicated" && name != "unreduced") {
      parser.emitError(location, "expected 'replicated' or 'unreduced', found '") << name << "'";
      return {};
    }
    SmallVectorImpl<AxisRefAttr> &axes = name == "replicated" ? replicated : unreduced;
    if (parser.parseCommaSeparatedList(Delimiter::Braces,
                                       [&]() { return parseAxisRef(parser, axes); }))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), mesh, dimensions, replicated, unreduced);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", [";
  llvm::interleaveComma(getDimensions(), printer,
                        [&](DimensionShardingAttr dimension) { dimension.print(printer); });
  printer << "]";
  printAxisList(printer, "replicated", getReplicated());
  printAxisList(printer, "unreduced", getUnreduced());
  printer << ">";
}

ParseResult parseShardings(AsmParser &parser, TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> values;
  auto parseValue = [&]() -> ParseResult {
    // Short, `<@mesh, [{}]>`, or as an attribute on its own, `#sdy.sharding<@mesh, [{}]>`.
    TensorShardingAttr value;
    if (parser.parseCustomAttributeWithFallback(value))
      return failure();
    values.push_back(value);
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseValue))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), values);
  return success();
}

void printShardings(AsmPrinter &printer, TensorShardingPerValueAttr shardings) {
  printer << "[";
  llvm::interleaveComma(shardings.getShardings(), printer,
                        [&](TensorShardingAttr value) { value.print(printer); });
  printer << "]";
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  TensorShardingPerValueAttr shardings;
  if (parser.parseLess() || parseShardings(parser, shardings) || parser.parseGreater())
    return {};
  return shardings;
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printShardings(printer, *this);
  printer << ">";
}

ParseResult parseManualAxes(AsmParser &parser, ManualAxesAttr &axes) {
  SmallVector<StringAttr> names;
  if (parser.parseCommaSeparatedList(Delimiter::Braces,
                                     [&]() { return parseName(parser, names.emplace_back()); }))
    return failure();
  axes = ManualAxesAttr::get(parser.getContext(), names);
  return success();
}

void printManualAxes(AsmPrinter &printer, ManualAxesAttr axes) {
  printer << "{";
  llvm::interleaveComma(axes.getAxes(), printer,
                        [&](StringAttr name) { printName(printer, name); });
  printer << "}";
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  ManualAxesAttr axes;
  if (parseManualAxes(parser, axes))
    return {};
  return axes;
}

void ManualAxesAttr::print(AsmPrinter &printer) const { printManualAxes(printer, *this); }

//===----------------------------------------------------------------------===//
// Sharding rules: factors are i, j, …, z, z_1, z_2, …
//===----------------------------------------------------------------------===//

static constexpr int64_t lettersOfFactors = 'z' - 'i' + 1;

static void printFactor(AsmPrinter &printer, int64_t factor) {
  if (factor < lettersOfFactors) {
    char letter = 'i' + factor;
    printer << StringRef(&letter, 1);
  } else {
    printer << "z_" << factor - lettersOfFactors + 1;
  }
}

/// Takes the first factor off `text`.
static std::optional<int64_t> takeFactor(StringRef &text) {
  if (text.empty() || text.front() < 'i' || text.front() > 'z')
    return std::nullopt;
  int64_t factor = text.front() - 'i';
  text = text.drop_front();
  if (factor == lettersOfFactors - 1 && text.consume_front("_")) {
    int64_t number;
    if (text.consumeInteger(10, number) || number < 1)
      return std::nullopt;
    factor += number;
  }
  return factor;
}

static ParseResult parseFactors(AsmParser &parser, SmallVectorImpl<int64_t> &factors) {
  SMLoc location = parser.getCurrentLocation();
  StringRef text;
  if (failed(parser.parseOptionalKeyword(&text)))
    return parser.emitError(location, "expected factors i to z or z_1, z_2, …");
  StringRef rest = text;
  while (!rest.empty()) {
    std::optional<int64_t> factor = takeFactor(rest);
    if (!factor)
      return parser.emitError(location, "expected factors i to z or z_1, z_2, …, found '")
             << text << "'";
    factors.push_back(*factor);
  }
  return success();
}

static ParseResult parseFactor(AsmParser &parser, int64_t &factor) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return failure();
  if (factors.size() != 1)
    return parser.emitError(location, "expected one factor, found ") << factors.size();
  factor = factors.front();
  return success();
}

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> factors;
  if (parseFactors(parser, factors))
    return {};
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  for (int64_t factor : getFactors())
    printFactor(printer, factor);
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<DimMappingAttr> dimensions;
  auto parseDimension = [&]() -> ParseResult {
    auto dimension = dyn_cast_or_null<DimMappingAttr>(DimMappingAttr::parse(parser, {}));
    if (!dimension)
      return failure();
    dimensions.push_back(dimension);
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, parseDimension))
    return {};
  return get(parser.getContext(), dimensions);
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getDimensions(), printer,
                        [&](DimMappingAttr dimension) { dimension.print(printer); });
  printer << "]";
}

static ParseResult parseMappings(AsmParser &parser, SmallVectorImpl<TensorMappingAttr> &mappings) {
  return parser.parseCommaSeparatedList(Delimiter::Paren, [&]() -> ParseResult {
    auto mapping = dyn_cast_or_null<TensorMappingAttr>(TensorMappingAttr::parse(parser, {}));
    if (!mapping)
      return failure();
    mappings.push_back(mapping);
    return success();
  });
}

// <([i, j], [j, k])->([i, k]) {i=2, j=3, k=4} reduction={j}, custom>
Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes;
  auto parseSize = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    int64_t factor;
    if (parseFactor(parser, factor) || parser.parseEqual() ||
        parser.parseInteger(sizes.emplace_back()))
      return failure();
    if (factor != static_cast<int64_t>(sizes.size()) - 1)
      return parser.emitError(location, "expected the sizes of factors in order");
    return success();
  };
  if (parser.parseLess() || parseMappings(parser, operands) || parser.parseArrow() ||
      parseMappings(parser, results) ||
      parser.parseCommaSeparatedList(Delimiter::Braces, parseSize))
    return {};
  SmallVector<int64_t> reduction, needReplication, permutation, blocked;
  std::pair<StringRef, SmallVectorImpl<int64_t> *> sets[] = {
      {"reduction", &reduction},
      {"need_replication", &needReplication},
      {"permutation", &permutation},
      {"blocked_propagation", &blocked}};
  for (auto &[name, factors] : sets) {
    if (failed(parser.parseOptionalKeyword(name)))
      continue;
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(Delimiter::Braces, [&, factors = factors]() {
          return parseFactor(parser, factors->emplace_back());
        }))
      return {};
  }
  bool isCustom = succeeded(parser.parseOptionalComma());
  if ((isCustom && parser.parseKeyword("custom")) || parser.parseGreater())
    return {};
  return get(parser.getContext(), sizes, operands, results, reduction, needReplication,
             permutation, blocked, isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  auto mappings = [&](ArrayRef<TensorMappingAttr> list) {
    printer << "(";
    llvm::interleaveComma(list, printer,
                          [&](TensorMappingAttr mapping) { mapping.print(printer); });
    printer << ")";
  };
  auto set = [&](StringRef name, ArrayRef<int64_t> factors) {
    if (factors.empty())
      return;
    printer << " " << name << "={";
    llvm::interleaveComma(factors, printer, [&](int64_t factor) { printFactor(printer, factor); });
    printer << "}";
  };
  printer << "<";
  mappings(getOperands());
  printer << "->";
  mappings(getResults());
  printer << " {";
  llvm::interleaveComma(llvm::enumerate(getFactorSizes()), printer, [&](auto size) {
    printFactor(printer, size.index());
    printer << "=" << size.value();
  });
  printer << "}";
  set("reduction", getReductionFactors());
  set("need_replication", getNeedReplicationFactors());
  set("permutation", getPermutationFactors());
  set("blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustom())
    printer << ", custom";
  printer << ">";
}

} // namespace strata::sdy
