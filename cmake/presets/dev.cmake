# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Everyday work: everything, unoptimised, with Clang's messages.
#
#   cmake -S . -B build/dev -G Ninja -C cmake/presets/dev.cmake

set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1" CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_UNITY OFF CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
