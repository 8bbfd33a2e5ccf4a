// All records of the dialect, for tools that read them at once.

include "chlo/ops/broadcast.td"
include "chlo/ops/constant.td"
include "chlo/ops/elementwise.td"
include "chlo/ops/ragged_dot.td"
include "chlo/ops/scan.td"
include "chlo/ops/top_k.td"
