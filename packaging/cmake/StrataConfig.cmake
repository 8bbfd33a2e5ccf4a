# find_package(Strata) gives
#
#   Strata::strata     the command
#   Strata::runtime    libstrata_runtime.a, for programs that call JAX's lapack_*_ffi
#   Strata::headers    strata/abi.h, for executors, hosts and custom calls in files that include no program's header
#   strata_add_model   see below
#
# All paths are relative to this file: the package is relocatable.

cmake_minimum_required(VERSION 3.20)

get_filename_component(_strata_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)
set(Strata_EXECUTABLE "${_strata_prefix}/bin/strata")

if(NOT EXISTS "${Strata_EXECUTABLE}")
  set(Strata_FOUND FALSE)
  set(Strata_NOT_FOUND_MESSAGE "there is no ${Strata_EXECUTABLE}")
  return()
endif()

if(NOT TARGET Strata::strata)
  add_executable(Strata::strata IMPORTED)
  set_target_properties(Strata::strata PROPERTIES IMPORTED_LOCATION "${Strata_EXECUTABLE}")
  add_library(Strata::headers INTERFACE IMPORTED)
  set_target_properties(Strata::headers PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES "${_strata_prefix}/include")
  if(EXISTS "${_strata_prefix}/lib/libstrata_runtime.a")
    add_library(Strata::runtime STATIC IMPORTED)
    set_target_properties(Strata::runtime PROPERTIES
                          IMPORTED_LOCATION "${_strata_prefix}/lib/libstrata_runtime.a"
                          INTERFACE_LINK_LIBRARIES "m;pthread;dl")
  endif()
endif()
unset(_strata_prefix)

# strata_add_model(<target> <program>
#                  [NAME <name>] [ENTRY <function>]
#                  [TARGET <triple>] [TARGET_CPU <cpu>] [TARGET_FEATURES <list>]
#                  [OPT_LEVEL <0..3>] [CXX] [RUNTIME] [OPTIONS <option>…])
#
# Makes the static library <target> of a StableHLO program. What links to it may include <name>.h, and with CXX <name>.hpp;
# <name>, which symbols begin with, is that of the target unless it is given, with `_` for what C does not allow. The program is
# compiled again when it or the command changes. Without TARGET_CPU the code runs on every processor of the architecture;
# x86-64-v3 is for those since 2013 or so, several times faster. RUNTIME links Strata::runtime. OPTIONS go to `strata compile`.
function(strata_add_model target program)
  cmake_parse_arguments(PARSE_ARGV 2 arg "CXX;RUNTIME"
                        "NAME;ENTRY;TARGET;TARGET_CPU;TARGET_FEATURES;OPT_LEVEL" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "strata_add_model(${target}): what are "
                        "`${arg_UNPARSED_ARGUMENTS}${arg_KEYWORDS_MISSING_VALUES}`?")
  endif()
  get_filename_component(program "${program}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT arg_NAME)
    string(MAKE_C_IDENTIFIER "${target}" arg_NAME)
  endif()
  if(NOT arg_TARGET AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(arg_TARGET aarch64-unknown-linux-gnu)
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/strata/${target}")
  file(MAKE_DIRECTORY "${folder}")
  set(object "${folder}/${arg_NAME}.o")
  set(headers "${folder}/${arg_NAME}.h")
  set(options --name "${arg_NAME}" --output "${object}" --header "${headers}")
  if(arg_CXX)
    list(APPEND headers "${folder}/${arg_NAME}.hpp")
    list(APPEND options --cxx "${folder}/${arg_NAME}.hpp")
  endif()
  foreach(name ENTRY TARGET TARGET_CPU TARGET_FEATURES)
    if(DEFINED arg_${name} AND NOT arg_${name} STREQUAL "")
      string(TOLOWER "--${name}" option)
      string(REPLACE "_" "-" option "${option}")
      list(APPEND options "${option}" "${arg_${name}}")
    endif()
  endforeach()
  if(DEFINED arg_OPT_LEVEL)
    list(APPEND options "-O${arg_OPT_LEVEL}")
  endif()

  add_custom_command(
    OUTPUT "${object}" ${headers}
    COMMAND Strata::strata compile "${program}" ${options} ${arg_OPTIONS}
    DEPENDS "${program}" "${Strata_EXECUTABLE}"
    COMMENT "Compiling ${program} with Strata"
    VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target} STATIC "${object}" ${headers})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE "${folder}")
  target_link_libraries(${target} INTERFACE m)
  if(arg_RUNTIME)
    target_link_libraries(${target} INTERFACE Strata::runtime)
  endif()
endfunction()
