# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The oldest Clang that speaks the library's C++20.
#
#   cmake -S . -B build/clang14 -G Ninja -C cmake/presets/clang14.cmake

set(CMAKE_CXX_COMPILER clang++-14 CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O0" CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_UNITY OFF CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(TESSERA_BUILD_FUZZERS OFF CACHE BOOL "")
set(TESSERA_TEST_SINGLE_HEADERS OFF CACHE BOOL "")
