# The mhlo dialect.

strata_tablegen(mhlo/ops.td mhlo/dialect.h.inc -gen-dialect-decls -dialect=mhlo)
strata_tablegen(mhlo/ops.td mhlo/dialect.cpp.inc -gen-dialect-defs -dialect=mhlo)
strata_tablegen(mhlo/ops.td mhlo/ops.h.inc -gen-op-decls -dialect=mhlo)
strata_tablegen(mhlo/ops.td mhlo/ops.cpp.inc -gen-op-defs -dialect=mhlo)
target_sources(strata-dialects PRIVATE dialects/mhlo/dialect.cpp)
