# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The oldest GCC that speaks the library's C++20.
#
#   cmake -S . -B build/gcc12 -G Ninja -C cmake/presets/gcc12.cmake

set(CMAKE_CXX_COMPILER g++-12 CACHE STRING "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/compiler.cmake")
