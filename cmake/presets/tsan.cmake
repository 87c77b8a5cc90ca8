# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# ThreadSanitizer, for what has threads of its own, and for the fuzz targets, whose corpora several threads
# run at a time. .ci/extra says which tests: those of allocations that fail are left out.
#
#   cmake -S . -B build/tsan -G Ninja -C cmake/presets/tsan.cmake
#   cmake --build build/tsan

set(CMAKE_CXX_COMPILER clang++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread" CACHE STRING "")
# The sanitizer's operator new comes before the tests': allocations aren't counted, and none fails.
set(CMAKE_EXE_LINKER_FLAGS "-Wl,-z,muldefs" CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_BUILD_TOOLS OFF CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(TESSERA_TEST_SINGLE_HEADERS OFF CACHE BOOL "")
