# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# LLVM's standard library (Debian: clang-19 libc++-19-dev libc++abi-19-dev).
#
#   cmake -S . -B build/libcxx -G Ninja -C cmake/presets/libcxx.cmake

set(CMAKE_CXX_COMPILER clang++-19 CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O0 -stdlib=libc++" CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_UNITY OFF CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(TESSERA_BUILD_FUZZERS OFF CACHE BOOL "")
set(TESSERA_TEST_SINGLE_HEADERS OFF CACHE BOOL "")
