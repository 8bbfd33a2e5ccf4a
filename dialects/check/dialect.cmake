# The check dialect.

strata_tablegen(check/ops.td check/dialect.h.inc -gen-dialect-decls -dialect=check)
strata_tablegen(check/ops.td check/dialect.cpp.inc -gen-dialect-defs -dialect=check)
strata_tablegen(check/ops.td check/ops.h.inc -gen-op-decls -dialect=check)
strata_tablegen(check/ops.td check/ops.cpp.inc -gen-op-defs -dialect=check)
target_sources(strata-dialects PRIVATE dialects/check/dialect.cpp)
