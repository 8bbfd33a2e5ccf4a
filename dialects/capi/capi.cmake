# The C functions that Rust calls.

target_sources(strata-dialects PRIVATE
  dialects/capi/attributes.cpp
  dialects/capi/dialects.cpp
  dialects/capi/parse.cpp
  dialects/capi/vhlo.cpp)
