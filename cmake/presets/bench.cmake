# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Benchmarks, with assertions off.
#
#   cmake -S . -B build/bench -G Ninja -C cmake/presets/bench.cmake

set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG" CACHE STRING "")
set(TESSERA_BUILD_BENCHMARKS ON CACHE BOOL "")
