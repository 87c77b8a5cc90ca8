# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Everything with GCC, optimised, with the checks of the standard library on.
#
#   cmake -S . -B build/test -G Ninja -C cmake/presets/test.cmake

set(CMAKE_CXX_COMPILER g++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O2 -g1 -D_GLIBCXX_ASSERTIONS" CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
