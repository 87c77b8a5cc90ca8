# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Coverage of the tests. Branches that only exceptions take aren't counted: the headers throw nothing.
#
#   cmake -S . -B build/cov -G Ninja -C cmake/presets/cov.cmake
#   cmake --build build/cov && ctest --test-dir build/cov -L unit
#   gcovr --root . --filter include/tessera --exclude-throw-branches --exclude-unreachable-branches build/cov

set(CMAKE_CXX_COMPILER g++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O0 -g1 --coverage -fno-inline" CACHE STRING "")
set(TESSERA_BUILD_TESTS ON CACHE BOOL "")
