# The sdy dialect.

strata_tablegen(sdy/base.td sdy/dialect.h.inc -gen-dialect-decls -dialect=sdy)
strata_tablegen(sdy/base.td sdy/dialect.cpp.inc -gen-dialect-defs -dialect=sdy)
strata_tablegen(sdy/base.td sdy/attributes.h.inc -gen-attrdef-decls -attrdefs-dialect=sdy)
strata_tablegen(sdy/base.td sdy/attributes.cpp.inc -gen-attrdef-defs -attrdefs-dialect=sdy)
strata_tablegen(sdy/ops.td sdy/ops.h.inc -gen-op-decls -dialect=sdy)
strata_tablegen(sdy/ops.td sdy/ops.cpp.inc -gen-op-defs -dialect=sdy)
target_sources(strata-dialects PRIVATE
  dialects/sdy/lib/attributes.cpp
  dialects/sdy/lib/bytecode.cpp
  dialects/sdy/lib/dialect.cpp
  dialects/sdy/lib/exchanges.cpp
  dialects/sdy/lib/verify.cpp)
