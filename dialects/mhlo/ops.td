// The mhlo dialect: the operations of XLA that exporters leave beside StableHLO. Reading takes them out again.

#ifndef STRATA_MHLO_OPS
#define STRATA_MHLO_OPS

include "stablehlo/base.td"

def MHLO_Dialect : Dialect {
  let name = "mhlo";
  let cppNamespace = "::strata::mhlo";
  let summary = "What TensorFlow's exports hold of XLA's own operations";
}

class MHLO_Unary<string mnemonic>
    : Op<MHLO_Dialect, mnemonic, [Pure, Elementwise, SameOperandsAndResultType]> {
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def CopyOp : MHLO_Unary<"copy"> {
  let summary = "its operand";
  // XLA's optional attribute has a place in bytecode, whether it is there or not.
  let arguments = (ins StableHLO_Tensor:$operand,
                       OptionalAttr<I32Attr>:$cross_program_prefetch_index);
}

def ErfOp : MHLO_Unary<"erf"> {
  let summary = "error function";
  let arguments = (ins TensorOf<[F]>:$operand, OptionalAttr<AnyAttr>:$result_accuracy);
}

#endif // STRATA_MHLO_OPS
