// The VHLO dialect: StableHLO as it is written into portable artifacts. Each
// operation is a version of a StableHLO operation that never changes again.

#ifndef STRATA_VHLO_BASE
#define STRATA_VHLO_BASE

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"

def VHLO_Dialect : Dialect {
  let name = "vhlo";
  let cppNamespace = "::strata::vhlo";
  let summary = "Versioned operations of portable artifacts";
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;

  private:
    void addBytecode();
    void addOps();

  public:
  }];
}

// Types and attributes have one class each (encoding.h), so that operations
// constrain neither: what they must be is what StableHLO demands of the
// operation that each of them becomes.
defvar VHLO_Value = AnyType;
defvar VHLO_Values = Variadic<AnyType>;
defvar VHLO_Attr = AnyAttr;

// The version of StableHLO that Strata writes unless told otherwise.
defvar VHLO_Current = "1.20.0";

// `since` and `until` are the first and the last version of StableHLO that has
// this version of the operation.
class VHLO_Op<string mnemonic, string sinceVersion, string untilVersion, list<Trait> traits = []>
    : Op<VHLO_Dialect, mnemonic, traits> {
  string since = sinceVersion;
  string until = untilVersion;
}

class VHLO_Unary<string mnemonic, string since, string until>
    : VHLO_Op<mnemonic, since, until> {
  let arguments = (ins VHLO_Value:$operand);
  let results = (outs VHLO_Value:$result);
}

class VHLO_Binary<string mnemonic, string since, string until>
    : VHLO_Op<mnemonic, since, until> {
  let arguments = (ins VHLO_Value:$lhs, VHLO_Value:$rhs);
  let results = (outs VHLO_Value:$result);
}

class VHLO_AccurateUnary<string mnemonic, string since, string until>
    : VHLO_Op<mnemonic, since, until> {
  let arguments = (ins VHLO_Value:$operand, VHLO_Attr:$result_accuracy);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_BASE
