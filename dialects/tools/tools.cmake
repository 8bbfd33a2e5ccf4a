# strata-dialect-opt, for tests of the dialects without the rest of the project.

add_executable(strata-dialect-opt dialects/tools/strata-dialect-opt.cpp)
target_compile_options(strata-dialect-opt PRIVATE -fno-rtti -fno-exceptions)
target_link_libraries(strata-dialect-opt PRIVATE strata-dialects MLIR LLVM)
target_link_directories(strata-dialect-opt PRIVATE "${STRATA_LLVM_PREFIX}/lib")
target_link_options(strata-dialect-opt PRIVATE -fuse-ld=lld)
