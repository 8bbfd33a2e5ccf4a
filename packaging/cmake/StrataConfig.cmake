# find_package(Strata) gives
#
#   Strata::strata     the command
#   Strata::runtime    libstrata_runtime.a, for programs that call JAX's lapack_*_ffi
#   Strata::headers    strata/threads.h and other executors, and strata/abi.h for files that include no program's header; what links
#                      to a model has it
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

# Global: a model may be linked in other folders than the one that found the package.
if(NOT TARGET Strata::strata)
  add_executable(Strata::strata IMPORTED GLOBAL)
  set_target_properties(Strata::strata PROPERTIES IMPORTED_LOCATION "${Strata_EXECUTABLE}")
  add_library(Strata::headers INTERFACE IMPORTED GLOBAL)
  set_target_properties(Strata::headers PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES "${_strata_prefix}/include")
  if(EXISTS "${_strata_prefix}/lib/libstrata_runtime.a")
    add_library(Strata::runtime STATIC IMPORTED GLOBAL)
    set_target_properties(Strata::runtime PROPERTIES
                          IMPORTED_LOCATION "${_strata_prefix}/lib/libstrata_runtime.a"
                          INTERFACE_LINK_LIBRARIES "m;pthread;dl")
  endif()
endif()
unset(_strata_prefix)

# strata_add_model(<target> <program>
#                  [NAME <name>] [ENTRY <function>…]
#                  [TARGET <triple>] [TARGET_CPU <cpu>…] [TARGET_FEATURES <feature>…]
#                  [BIND <symbol>=<size>…] [MAX <symbol>=<size>…] [SPECIALIZE <symbol>=<size>…]
#                  [OPT_LEVEL <0..3>] [VISIBILITY default|hidden] [CXX] [RUNTIME] [OPTIONS <option>…])
#
# Makes the static library <target> of a StableHLO program. What links to it may include <name>.h, and with CXX <name>.hpp, and
# strata/threads.h; <name>, which symbols begin with, is that of the target unless it is given, with `_` for what C does not allow.
# The program is compiled again when it or the command changes. Several functions, processors or sizes are separated by spaces or
# commas. Without TARGET_CPU the code runs on every processor of the architecture; x86-64-v3 is for those since 2013 or so, several
# times faster. With VISIBILITY hidden a shared library that links to the model does not export its symbols. RUNTIME links
# Strata::runtime. OPTIONS go to `strata compile`.
function(strata_add_model target program)
  set(flags CXX RUNTIME)
  set(single NAME TARGET OPT_LEVEL VISIBILITY)
  set(lists ENTRY TARGET_CPU TARGET_FEATURES BIND MAX SPECIALIZE)
  # ALSO is an older name of SPECIALIZE.
  cmake_parse_arguments(PARSE_ARGV 2 arg "${flags}" "${single}" "${lists};ALSO;OPTIONS")
  list(APPEND arg_SPECIALIZE ${arg_ALSO})
  set(where "strata_add_model(${target})")
  if(arg_UNPARSED_ARGUMENTS)
    list(GET arg_UNPARSED_ARGUMENTS 0 first)
    list(JOIN flags ", " flags)
    list(JOIN single ", " single)
    list(JOIN lists ", " lists)
    message(FATAL_ERROR "${where}: `${first}` is none of its arguments: ${single}, ${lists}, ${flags}, OPTIONS")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    list(GET arg_KEYWORDS_MISSING_VALUES 0 first)
    message(FATAL_ERROR "${where}: ${first} has no value")
  endif()
  get_filename_component(program "${program}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT DEFINED arg_NAME)
    string(MAKE_C_IDENTIFIER "${target}" arg_NAME)
  elseif(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${where}: NAME `${arg_NAME}` is not a C identifier")
  endif()
  if(DEFINED arg_OPT_LEVEL AND NOT arg_OPT_LEVEL MATCHES "^[0-3]$")
    message(FATAL_ERROR "${where}: OPT_LEVEL `${arg_OPT_LEVEL}` is not 0 to 3")
  endif()
  if(DEFINED arg_VISIBILITY AND NOT arg_VISIBILITY MATCHES "^(default|hidden)$")
    message(FATAL_ERROR "${where}: VISIBILITY `${arg_VISIBILITY}` is neither `default` nor `hidden`")
  endif()
  if(NOT arg_TARGET AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(arg_TARGET aarch64-unknown-linux-gnu)
  endif()
  # Lists of CMake, and lists separated by commas as in `strata compile`.
  foreach(name IN LISTS lists)
    string(REGEX REPLACE "[\\;, ]+" ";" arg_${name} "${arg_${name}}")
    list(REMOVE_ITEM arg_${name} "")
    foreach(item IN LISTS arg_${name})
      if(name MATCHES "^(BIND|MAX|SPECIALIZE)$" AND NOT item MATCHES "^[^=]+=[0-9]+$")
        message(FATAL_ERROR "${where}: ${name} `${item}` is not SYMBOL=SIZE, such as `b=8`")
      elseif(name STREQUAL TARGET_CPU AND NOT item MATCHES "^[a-z0-9_.+-]+$")
        message(FATAL_ERROR "${where}: TARGET_CPU `${item}` is not a processor: `strata list targets` lists them")
      endif()
    endforeach()
    list(JOIN arg_${name} "," arg_${name})
  endforeach()
  foreach(option IN LISTS arg_OPTIONS)
    if(option MATCHES "^(-o.*|--(output|header|cxx|name|emit|to)(=.*)?)$")
      message(FATAL_ERROR "${where}: OPTIONS `${option}`: the function sets this option itself")
    endif()
  endforeach()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/strata/${target}")
  file(MAKE_DIRECTORY "${folder}")
  set(object "${folder}/${arg_NAME}.o")
  set(headers "${folder}/${arg_NAME}.h")
  set(options --name "${arg_NAME}" --output "${object}" --header "${headers}")
  if(arg_CXX)
    list(APPEND headers "${folder}/${arg_NAME}.hpp")
    list(APPEND options --cxx "${folder}/${arg_NAME}.hpp")
  endif()
  foreach(name IN LISTS lists ITEMS TARGET VISIBILITY)
    if(NOT "${arg_${name}}" STREQUAL "")
      string(TOLOWER "--${name}" option)
      string(REPLACE "_" "-" option "${option}")
      list(APPEND options "${option}" "${arg_${name}}")
    endif()
  endforeach()
  if(DEFINED arg_OPT_LEVEL)
    list(APPEND options "-O${arg_OPT_LEVEL}")
  endif()

  get_target_property(command Strata::strata IMPORTED_LOCATION)
  add_custom_command(
    OUTPUT "${object}" ${headers}
    COMMAND Strata::strata compile "${program}" ${options} ${arg_OPTIONS}
    DEPENDS "${program}" "${command}"
    COMMENT "Compiling ${program} with Strata"
    VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target} STATIC "${object}" ${headers})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE "${folder}")
  target_link_libraries(${target} INTERFACE m Strata::headers)
  if(arg_CXX AND CMAKE_CXX_COMPILER_LOADED)
    # The class takes spans.
    target_compile_features(${target} INTERFACE cxx_std_20)
  endif()
  if(arg_RUNTIME)
    target_link_libraries(${target} INTERFACE Strata::runtime)
  endif()
endfunction()
