# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Tests, the tool and the fuzz targets under AddressSanitizer and UndefinedBehaviorSanitizer; any finding
# ends the run. The libraries are compiled once for both: optimised, as fuzz/CMakeLists.txt has it.
#
#   cmake -S . -B build/asan -G Ninja -C cmake/presets/asan.cmake
#   cmake --build build/asan --target tessera_tests

set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS
    "-O0 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined,float-divide-by-zero -fno-sanitize-recover=all"
    CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(TESSERA_TEST_SINGLE_HEADERS OFF CACHE BOOL "")
set(TESSERA_LIBFUZZER ON CACHE BOOL "")
