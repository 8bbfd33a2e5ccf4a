# The CHLO dialect: one .td and one .cpp for each family.

strata_tablegen(chlo/base.td chlo/dialect.h.inc -gen-dialect-decls -dialect=chlo)
strata_tablegen(chlo/base.td chlo/dialect.cpp.inc -gen-dialect-defs -dialect=chlo)
strata_tablegen(chlo/base.td chlo/enums.h.inc -gen-enum-decls)
strata_tablegen(chlo/base.td chlo/enums.cpp.inc -gen-enum-defs)
strata_tablegen(chlo/base.td chlo/attributes.h.inc -gen-attrdef-decls -attrdefs-dialect=chlo)
strata_tablegen(chlo/base.td chlo/attributes.cpp.inc -gen-attrdef-defs -attrdefs-dialect=chlo)

foreach(family broadcast constant elementwise ragged_dot scan top_k)
  strata_tablegen(chlo/ops/${family}.td chlo/ops/${family}.h.inc -gen-op-decls -dialect=chlo)
  strata_tablegen(chlo/ops/${family}.td chlo/ops/${family}.cpp.inc -gen-op-defs -dialect=chlo)
  target_sources(strata-dialects PRIVATE dialects/chlo/lib/${family}.cpp)
endforeach()

target_sources(strata-dialects PRIVATE
  dialects/chlo/lib/bytecode.cpp
  dialects/chlo/lib/dialect.cpp)
