// Every operation of the dialect, for tools that read all records at once.

#ifndef STRATA_STABLEHLO_OPS
#define STRATA_STABLEHLO_OPS

include "stablehlo/ops/elementwise.td"
include "stablehlo/ops/compare_select.td"
include "stablehlo/ops/convert.td"
include "stablehlo/ops/constant_iota.td"
include "stablehlo/ops/shape.td"
include "stablehlo/ops/dynamic.td"
include "stablehlo/ops/dot.td"
include "stablehlo/ops/conv.td"
include "stablehlo/ops/reduce.td"
include "stablehlo/ops/window.td"
include "stablehlo/ops/gather_scatter.td"
include "stablehlo/ops/sort.td"
include "stablehlo/ops/fft.td"
include "stablehlo/ops/linear_algebra.td"
include "stablehlo/ops/batch_norm.td"
include "stablehlo/ops/rng.td"
include "stablehlo/ops/control_flow.td"
include "stablehlo/ops/tuple_token.td"
include "stablehlo/ops/collective.td"
include "stablehlo/ops/host_io.td"
include "stablehlo/ops/custom_call.td"
include "stablehlo/ops/quantized.td"

#endif // STRATA_STABLEHLO_OPS
