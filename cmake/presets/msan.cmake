# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The fuzz targets with MemorySanitizer: no result may depend on bytes that nothing was written to. Debian's
# libraries aren't instrumented. So templates of the standard library are compiled here, and only targets
# that ask no more of it than vectors and strings are of use: tessera_fuzz_readers, which fuzz/CMakeLists.txt
# lists.
#
#   cmake -S . -B build/msan -G Ninja -C cmake/presets/msan.cmake
#   cmake --build build/msan --target tessera_fuzz_readers
#   ctest --test-dir build/msan -L readers

set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS
    "-O1 -g1 -fno-omit-frame-pointer -fsanitize=memory -fsanitize-memory-track-origins -fno-sanitize-recover=all -D_GLIBCXX_EXTERN_TEMPLATE=0"
    CACHE STRING "")
set(TESSERA_BUILD_TOOLS OFF CACHE BOOL "")
set(TESSERA_BUILD_FUZZERS ON CACHE BOOL "")
set(TESSERA_PLAIN_FUZZ_DRIVER ON CACHE BOOL "")
