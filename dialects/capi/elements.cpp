// Dense elements that refer to bytes outside of the context.

#include "elements.h"

#include "strata/capi.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace strata {
namespace {

std::mutex keptLock;
/// The ends of kept bytes, by where they begin.
std::map<const char *, const char *> &kept() {
  static std::map<const char *, const char *> ranges;
  return ranges;
}

/// What MLIR stores of dense numbers (its lib/IR/AttributeDetail.h, which is not installed), with the same key and hash: whether
/// an attribute owns its bytes makes no difference to any code, not even to what it is equal to. tests/suite/held.rs
/// compares the two.
struct BorrowedStorage : AttributeStorage {
  struct KeyTy {
    ShapedType type;
    ArrayRef<char> bytes;
    llvm::hash_code hash;
  };

  BorrowedStorage(ShapedType type, ArrayRef<char> bytes) : type(type), bytes(bytes) {}

  bool operator==(const KeyTy &key) const {
    if (key.type != type || key.bytes.size() != bytes.size())
      return false;
    return key.bytes.data() == bytes.data() || key.bytes == bytes;
  }

  /// `first` is the number of bytes that equal the first element.
  static KeyTy getKey(ShapedType type, ArrayRef<char> bytes, size_t width, size_t first) {
    llvm::hash_code hash = llvm::hash_value(bytes.take_front(width));
    return {type, bytes, llvm::hash_combine(hash, bytes.drop_front(first))};
  }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_combine(key.type, key.hash);
  }
  static BorrowedStorage *construct(AttributeStorageAllocator &allocator, const KeyTy &key) {
    return new (allocator.allocate<BorrowedStorage>()) BorrowedStorage(key.type, key.bytes);
  }
  void initialize(MLIRContext *context) {
    initializeAbstractAttribute(
        AbstractAttribute::lookup(DenseIntOrFPElementsAttr::getTypeID(), context));
  }

  ShapedType type;
  bool isSplat = false;
  ArrayRef<char> bytes;
};

/// The bytes of an element; 0 where MLIR does not store elements as they are.
size_t widthOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * widthOf(complex.getElementType());
  if (element.isIndex())
    return sizeof(uint64_t);
  if (!element.isIntOrFloat() || element.isInteger(1))
    return 0;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Holds what attributes of a context refer to.
struct Owners : Dialect {
  explicit Owners(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<Owners>()) {}
  ~Owners() override {
    for (auto [owner, release] : owners)
      release(owner);
  }
  static constexpr StringLiteral getDialectNamespace() { return "strata_owners"; }

  std::vector<std::pair<void *, StrataRelease>> owners;
};

thread_local MutableArrayRef<StrataOwnedBytes> numbered;

} // namespace

bool areKept(ArrayRef<char> bytes) {
  std::lock_guard<std::mutex> guard(keptLock);
  auto after = kept().upper_bound(bytes.data());
  return after != kept().begin() && std::prev(after)->second >= bytes.end();
}

DenseElementsAttr borrowElements(ShapedType type, ArrayRef<char> bytes) {
  size_t width = widthOf(type.getElementType());
  size_t first = width;
  // Elements that are all equal are stored once.
  if (width > 0 && bytes.size() >= FEW_BYTES)
    while (first < bytes.size() && memcmp(bytes.data(), &bytes[first], width) == 0)
      first += width;
  if (width == 0 || bytes.size() < FEW_BYTES || first >= bytes.size())
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  MLIRContext *context = type.getContext();
  auto *storage = context->getAttributeUniquer().get<BorrowedStorage>(
      [context](BorrowedStorage *storage) { storage->initialize(context); },
      DenseIntOrFPElementsAttr::getTypeID(), type, bytes, width, first);
  return cast<DenseElementsAttr>(Attribute(storage));
}

DenseElementsAttr elementsOf(ShapedType type, ArrayRef<char> bytes) {
  return areKept(bytes) ? borrowElements(type, bytes)
                        : DenseElementsAttr::getFromRawBuffer(type, bytes);
}

/// Elements of bytes that the context then owns; where it does not need them, they are released.
static Attribute ownedElements(Type type, StrataOwnedBytes owned) {
  auto shaped = dyn_cast<ShapedType>(type);
  ArrayRef<char> bytes(owned.bytes.data, owned.bytes.length);
  bool isSplat = false;
  DenseElementsAttr elements;
  if (shaped && shaped.hasStaticShape() && widthOf(shaped.getElementType()) > 0 &&
      DenseElementsAttr::isValidRawBuffer(shaped, bytes, isSplat))
    elements = borrowElements(shaped, bytes);
  if (elements && elements.getRawData().data() == bytes.data())
    type.getContext()->getOrLoadDialect<Owners>()->owners.push_back({owned.owner, owned.release});
  else
    owned.release(owned.owner);
  return elements;
}

bool haveNumbers() { return !numbered.empty(); }

Attribute numberedElements(ShapedType type, uint64_t number) {
  if (number >= numbered.size() || !numbered[number].owner)
    return {};
  StrataOwnedBytes owned = numbered[number];
  numbered[number].owner = nullptr;
  return ownedElements(type, owned);
}

} // namespace strata

void strataKeepBytes(MlirStringRef bytes) {
  std::lock_guard<std::mutex> guard(strata::keptLock);
  strata::kept()[bytes.data] = bytes.data + bytes.length;
}

bool strataAreKept(MlirStringRef bytes) {
  return strata::areKept({bytes.data, bytes.length});
}

void strataNumberElements(StrataOwnedBytes *elements, intptr_t count) {
  strata::numbered = {elements, static_cast<size_t>(count)};
}

MlirAttribute strataOwnedElements(MlirType type, StrataOwnedBytes bytes) {
  return wrap(strata::ownedElements(unwrap(type), bytes));
}
