// The StableHLO dialect: its name, element classes, types and op traits.
// Attributes are in attributes.td; operations are in ops/<family>.td.

#ifndef STRATA_STABLEHLO_BASE
#define STRATA_STABLEHLO_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::strata::stablehlo";
  let summary = "Portable operations of machine-learning programs";
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;

  private:
    void addAttributes();
    void addTypes();
    void addBytecode();
    // One function per family, each defined beside its operations, so that
    // touching one family compiles one file.
    void addElementwiseOps();
    void addCompareSelectOps();
    void addConvertOps();
    void addConstantIotaOps();
    void addShapeOps();
    void addDynamicOps();
    void addDotOps();
    void addConvOps();
    void addReduceOps();
    void addWindowOps();
    void addGatherScatterOps();
    void addSortOps();
    void addFftOps();
    void addLinearAlgebraOps();
    void addBatchNormOps();
    void addRngOps();
    void addControlFlowOps();
    void addTupleTokenOps();
    void addCollectiveOps();
    void addHostIoOps();
    void addCustomCallOps();
    void addQuantizedOps();

  public:
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class StableHLO_Type<string name, string mnemonicText> : TypeDef<StableHLO_Dialect, name> {
  let mnemonic = mnemonicText;
}

def StableHLO_TokenType : StableHLO_Type<"Token", "token"> {
  let summary = "orders operations with side effects";
}

def StableHLO_FutureType : StableHLO_Type<"Future", "future"> {
  let summary = "results of an asynchronous operation that may not be done yet";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Element classes. The letters are those of the specification's tables:
// F floating-point, P boolean, I integer, C complex, Q quantized per tensor,
// A quantized per axis.
//===----------------------------------------------------------------------===//

class StableHLO_Element<string predicate, string text>
    : Type<CPred<"::strata::stablehlo::" # predicate # "($_self)">, text>;

def StableHLO_Float : StableHLO_Element<"isFloatElement", "floating-point">;
def StableHLO_Float32Or64 : StableHLO_Element<"isFloat32Or64Element", "f32 or f64">;
def StableHLO_Bool : StableHLO_Element<"isBooleanElement", "boolean (i1)">;
def StableHLO_Int : StableHLO_Element<"isIntegerElement", "2/4/8/16/32/64-bit integer">;
def StableHLO_SignedInt
    : StableHLO_Element<"isSignedIntegerElement", "2/4/8/16/32/64-bit signed integer">;
def StableHLO_Complex : StableHLO_Element<"isComplexElement", "complex<f32> or complex<f64>">;
def StableHLO_Quant : StableHLO_Element<"isPerTensorQuantizedElement", "per-tensor quantized">;
def StableHLO_QuantPerAxis
    : StableHLO_Element<"isPerAxisQuantizedElement",
                        "per-axis quantized (with a scale for each index)">;
// The quantized dimension is one of the tensor's, and each of its indices has a
// scale.
def HasQuantizedDimension : CPred<"::strata::stablehlo::hasQuantizedDimension($_self)">;

defvar F = StableHLO_Float;
defvar P = StableHLO_Bool;
defvar I = StableHLO_Int;
defvar S = StableHLO_SignedInt;
defvar C = StableHLO_Complex;
defvar Q = StableHLO_Quant;
defvar A = StableHLO_QuantPerAxis;

// Tensors that several families share.
def StableHLO_Tensor : RankedTensorOf<[F, P, I, C, Q]>;
def StableHLO_TensorOrPerAxis : RankedTensorOf<[F, P, I, C, Q, A], [HasQuantizedDimension]>;
def StableHLO_FloatTensor : RankedTensorOf<[F, Q]>;
def StableHLO_FloatOrComplexTensor : RankedTensorOf<[F, C, Q]>;
def StableHLO_FloatOrComplexOnlyTensor : RankedTensorOf<[F, C]>;
def StableHLO_ArithmeticTensor : RankedTensorOf<[I, F, C, Q]>;
def StableHLO_SignedArithmeticTensor : RankedTensorOf<[S, F, C, Q]>;
def StableHLO_IntTensor : RankedTensorOf<[I]>;
def StableHLO_BoolTensor : RankedTensorOf<[P]>;
def StableHLO_BoolOrIntTensor : RankedTensorOf<[P, I]>;
def StableHLO_IntOrFloatTensor : RankedTensorOf<[I, F]>;
def StableHLO_StaticTensor
    : RankedTensorOf<[F, P, I, C, Q, A], [HasStaticShapePred, HasQuantizedDimension],
                     "statically shaped tensor">;
def StableHLO_FloatVector : 1DTensorOf<[F, Q]>;
def StableHLO_Scalar : 0DTensorOf<[F, P, I, C, Q]>;
def StableHLO_ScalarInt : 0DTensorOf<[I]>;
def StableHLO_ScalarRng : 0DTensorOf<[P, I, F]>;
def StableHLO_Int32Tensor : RankedTensorOf<[I32]>;
def StableHLO_UInt32Tensor : RankedTensorOf<[UI32]>;

// Shapes given at run time: one dimension, whose length is known.
class StableHLO_StaticRank<list<Type> elements, int rank>
    : RankedTensorOf<elements, [HasAnyRankOfPred<[rank]>, HasStaticShapePred],
                     "statically shaped " # rank # "-dimensional tensor">;
def StableHLO_ShapeVector : StableHLO_StaticRank<[Index, I], 1>;
def StableHLO_IntVector : StableHLO_StaticRank<[I], 1>;
def StableHLO_IntMatrix : StableHLO_StaticRank<[I], 2>;
def StableHLO_IndexVector : 1DTensorOf<[Index, I]>;

// Results whose size must be known, or bounded in a single dimension.
def StableHLO_SingleBoundedTensor
    : RankedTensorOf<[F, P, I, C, Q, A],
                     [CPred<"::strata::stablehlo::isStaticOrSingleBounded($_self)">,
                      HasQuantizedDimension],
                     "statically shaped or single bounded dimension tensor">;

def StableHLO_UnrankedOrRankedTensor : TensorOf<[F, P, I, C, Q, A], [HasQuantizedDimension]>;
def StableHLO_Token : Type<CPred<"::llvm::isa<::strata::stablehlo::TokenType>($_self)">, "token">;
def StableHLO_Future
    : Type<CPred<"::llvm::isa<::strata::stablehlo::FutureType>($_self)">, "future">;
def StableHLO_Tuple : NestedTupleOf<[StableHLO_TensorOrPerAxis, StableHLO_Token]>;
def StableHLO_Buffer : MemRefOf<[F, P, I, C, Q, A]>;

def StableHLO_TensorOrToken : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token]>;
def StableHLO_PerAxisOrToken : AnyTypeOf<[StableHLO_TensorOrPerAxis, StableHLO_Token]>;
def StableHLO_TensorTokenOrTuple
    : AnyTypeOf<[StableHLO_TensorOrPerAxis, StableHLO_Token, StableHLO_Tuple]>;
def StableHLO_TensorTokenOrBuffer
    : AnyTypeOf<[StableHLO_TensorOrPerAxis, StableHLO_Token, StableHLO_Buffer]>;
def StableHLO_TensorTokenTupleOrBuffer
    : AnyTypeOf<[StableHLO_TensorOrPerAxis, StableHLO_Token, StableHLO_Tuple, StableHLO_Buffer]>;
def StableHLO_CustomCallValue
    : AnyTypeOf<[StableHLO_UnrankedOrRankedTensor, StableHLO_Token, StableHLO_Tuple,
                 StableHLO_Buffer, StableHLO_Future]>;
def StableHLO_StaticTensorOrToken : AnyTypeOf<[StableHLO_StaticTensor, StableHLO_Token]>;

//===----------------------------------------------------------------------===//
// Op traits
//===----------------------------------------------------------------------===//

class StableHLO_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::strata::stablehlo::trait";
}

// One type for all operands and results, up to dynamic dimensions, bounds and
// quantisation parameters; the result type is inferred from the operands.
def CompatibleOperandsAndResultType
    : TraitList<[StableHLO_Trait<"CompatibleOperandsAndResultType">, InferTypeOpInterface]>;
def CompatibleOperandsAndResultElementType
    : StableHLO_Trait<"CompatibleOperandsAndResultElementType">;
def CompatibleOperandsElementType : StableHLO_Trait<"CompatibleOperandsElementType">;
// As MLIR's SameOperandsAndResultShape and SameOperandsAndResultElementType,
// saying what was expected and what was found.
def CompatibleShapes : StableHLO_Trait<"CompatibleShapes">;
def SameElementTypes : StableHLO_Trait<"SameElementTypes">;
def PairwiseSameOperandAndResultType : StableHLO_Trait<"PairwiseSameOperandAndResultType">;
def PairwiseSameOperandAndResultElementType
    : StableHLO_Trait<"PairwiseSameOperandAndResultElementType">;

// When an operation may be executed although the program would not have
// reached it: a mismatch of dynamic dimensions is undefined behaviour, so
// static shapes are required where such a mismatch is possible.
class SpeculatableIf<string name>
    : TraitList<[ConditionallySpeculatable, StableHLO_Trait<name>]>;
def SpeculatableIfAllInputsStatic : SpeculatableIf<"SpeculatableIfAllInputsStatic">;
def SpeculatableIfStaticDimInOutputIsStaticInInput
    : SpeculatableIf<"SpeculatableIfStaticDimInOutputIsStaticInInput">;
def RecursivelySpeculatableIfAllInputsStatic
    : SpeculatableIf<"RecursivelySpeculatableIfAllInputsStatic">;

//===----------------------------------------------------------------------===//
// Op base
//===----------------------------------------------------------------------===//

class StableHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHLO_Dialect, mnemonic, traits> {
  string compatibleReturnTypes = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange left, ::mlir::TypeRange right) {
      return ::strata::stablehlo::areCompatibleTypes(left, right);
    }
  }];
  let extraClassDeclaration = compatibleReturnTypes;
}

#endif // STRATA_STABLEHLO_BASE
