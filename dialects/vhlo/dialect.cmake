# The VHLO dialect.

strata_tablegen(vhlo/base.td vhlo/dialect.h.inc -gen-dialect-decls -dialect=vhlo)
strata_tablegen(vhlo/base.td vhlo/dialect.cpp.inc -gen-dialect-defs -dialect=vhlo)
strata_tablegen(vhlo/ops.td vhlo/ops.h.inc -gen-op-decls -dialect=vhlo)
strata_tablegen(vhlo/ops.td vhlo/ops.cpp.inc -gen-op-defs -dialect=vhlo)
target_sources(strata-dialects PRIVATE
  dialects/vhlo/lib/builtin.cpp
  dialects/vhlo/lib/bytecode.cpp
  dialects/vhlo/lib/dialect.cpp
  dialects/vhlo/lib/encoding.cpp
  dialects/vhlo/lib/text.cpp)
