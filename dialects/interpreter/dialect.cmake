# The interpreter dialect.

strata_tablegen(interpreter/ops.td interpreter/dialect.h.inc -gen-dialect-decls -dialect=interpreter)
strata_tablegen(interpreter/ops.td interpreter/dialect.cpp.inc -gen-dialect-defs -dialect=interpreter)
strata_tablegen(interpreter/ops.td interpreter/ops.h.inc -gen-op-decls -dialect=interpreter)
strata_tablegen(interpreter/ops.td interpreter/ops.cpp.inc -gen-op-defs -dialect=interpreter)
target_sources(strata-dialects PRIVATE dialects/interpreter/dialect.cpp)
