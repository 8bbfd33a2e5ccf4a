# The narrow dialect.

strata_tablegen(narrow/ops.td narrow/dialect.h.inc -gen-dialect-decls -dialect=narrow)
strata_tablegen(narrow/ops.td narrow/dialect.cpp.inc -gen-dialect-defs -dialect=narrow)
strata_tablegen(narrow/ops.td narrow/ops.h.inc -gen-op-decls -dialect=narrow)
strata_tablegen(narrow/ops.td narrow/ops.cpp.inc -gen-op-defs -dialect=narrow)
target_sources(strata-dialects PRIVATE dialects/narrow/dialect.cpp)
