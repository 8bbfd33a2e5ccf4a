# The C functions that Rust calls.

strata_tablegen(capi/schedule.td capi/schedule.h.inc -gen-op-decls)
strata_tablegen(capi/schedule.td capi/schedule.cpp.inc -gen-op-defs)
target_sources(strata-dialects PRIVATE
  dialects/capi/attributes.cpp
  dialects/capi/dialects.cpp
  dialects/capi/elements.cpp
  dialects/capi/enumerations.cpp
  dialects/capi/infer.cpp
  dialects/capi/lowering.cpp
  dialects/capi/math.cpp
  dialects/capi/parse.cpp
  dialects/capi/passes.cpp
  dialects/capi/presburger.cpp
  dialects/capi/rewrites.cpp
  dialects/capi/schedule.cpp
  dialects/capi/timing.cpp
  dialects/capi/upstream.cpp
  dialects/capi/vhlo.cpp)
