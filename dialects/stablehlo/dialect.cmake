# The StableHLO dialect: one .td and one .cpp for each family.

set(families
  elementwise compare_select convert constant_iota shape dynamic dot conv reduce window
  gather_scatter sort fft linear_algebra batch_norm rng control_flow tuple_token collective
  host_io custom_call quantized)

strata_tablegen(stablehlo/attributes.td stablehlo/dialect.h.inc -gen-dialect-decls
                -dialect=stablehlo)
strata_tablegen(stablehlo/attributes.td stablehlo/dialect.cpp.inc -gen-dialect-defs
                -dialect=stablehlo)
strata_tablegen(stablehlo/attributes.td stablehlo/enums.h.inc -gen-enum-decls)
strata_tablegen(stablehlo/attributes.td stablehlo/enums.cpp.inc -gen-enum-defs)
strata_tablegen(stablehlo/attributes.td stablehlo/attributes.h.inc -gen-attrdef-decls
                -attrdefs-dialect=stablehlo)
strata_tablegen(stablehlo/attributes.td stablehlo/attributes.cpp.inc -gen-attrdef-defs
                -attrdefs-dialect=stablehlo)
strata_tablegen(stablehlo/attributes.td stablehlo/types.h.inc -gen-typedef-decls
                -typedefs-dialect=stablehlo)
strata_tablegen(stablehlo/attributes.td stablehlo/types.cpp.inc -gen-typedef-defs
                -typedefs-dialect=stablehlo)

foreach(family IN LISTS families)
  strata_tablegen(stablehlo/ops/${family}.td stablehlo/ops/${family}.h.inc -gen-op-decls)
  strata_tablegen(stablehlo/ops/${family}.td stablehlo/ops/${family}.cpp.inc -gen-op-defs)
  target_sources(strata-dialects PRIVATE dialects/stablehlo/lib/${family}.cpp)
endforeach()

target_sources(strata-dialects PRIVATE
  dialects/stablehlo/lib/assembly.cpp
  dialects/stablehlo/lib/attributes.cpp
  dialects/stablehlo/lib/bytecode.cpp
  dialects/stablehlo/lib/checks.cpp
  dialects/stablehlo/lib/dialect.cpp
  dialects/stablehlo/lib/traits.cpp
  dialects/stablehlo/lib/types.cpp)
