// Random numbers.

#ifndef STRATA_STABLEHLO_RNG
#define STRATA_STABLEHLO_RNG

include "stablehlo/attributes.td"

def RngOp : StableHLO_Op<"rng", [
    InferTypeOpAdaptor]> {
  let summary = "samples of a distribution";
  let arguments = (ins StableHLO_ScalarRng:$a, StableHLO_ScalarRng:$b,
                       StableHLO_ShapeVector:$shape,
                       StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs RankedTensorOf<[P, I, F]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict
      `:` functional-type(operands, results)
  }];
}

def RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator", [
    NoMemoryEffect, SpeculatableIfStaticDimInOutputIsStaticInInput]> {
  let summary = "random bits and the generator's next state";
  let arguments = (ins StableHLO_IntOrFloatTensor:$initial_state,
                       StableHLO_RngAlgorithmAttr:$rng_algorithm);
  let results = (outs StableHLO_IntOrFloatTensor:$output_state,
                      StaticShapeTensorOf<[I, F]>:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict
      `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // STRATA_STABLEHLO_RNG
