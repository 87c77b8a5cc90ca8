# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The fuzz targets with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer; assertions stay on.
#
#   cmake -S . -B build/fuzz -G Ninja -C cmake/presets/fuzz.cmake
#   cmake --build build/fuzz
#   mkdir -p build/corpus && build/fuzz/fuzz/fuzz_<name> -max_total_time=60 build/corpus fuzz/corpus/<name>

set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O2 -g1" CACHE STRING "")  # fuzz/CMakeLists.txt adds the sanitizers
set(TESSERA_BUILD_TOOLS OFF CACHE BOOL "")
set(TESSERA_BUILD_FUZZERS ON CACHE BOOL "")
set(TESSERA_LIBFUZZER ON CACHE BOOL "")
