# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Tests, and the tool, under AddressSanitizer and UndefinedBehaviorSanitizer; any finding ends the run.
#
#   cmake -S . -B build/asan -G Ninja -C cmake/presets/asan.cmake

set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS
    "-O0 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined,float-divide-by-zero -fno-sanitize-recover=all"
    CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_UNITY OFF CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(TESSERA_TEST_SINGLE_HEADERS OFF CACHE BOOL "")
# The fuzz run replays the corpora under the same sanitizers.
set(TESSERA_BUILD_FUZZERS OFF CACHE BOOL "")
