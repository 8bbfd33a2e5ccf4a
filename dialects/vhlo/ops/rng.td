// Random numbers.

#ifndef STRATA_VHLO_RNG
#define STRATA_VHLO_RNG

include "vhlo/base.td"

def RngBitGeneratorOpV1 : VHLO_Op<"rng_bit_generator_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$initial_state, VHLO_Attr:$rng_algorithm);
  let results = (outs VHLO_Value:$output_state, VHLO_Value:$output);
}

def RngOpV1 : VHLO_Op<"rng_v1", "0.9.0", VHLO_Current> {
  let arguments = (ins VHLO_Value:$a, VHLO_Value:$b, VHLO_Value:$shape,
                       VHLO_Attr:$rng_distribution);
  let results = (outs VHLO_Value:$result);
}

#endif // STRATA_VHLO_RNG
