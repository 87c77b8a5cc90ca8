# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The oldest Clang that speaks the library's C++20.
#
#   cmake -S . -B build/clang14 -G Ninja -C cmake/presets/clang14.cmake

set(CMAKE_CXX_COMPILER clang++-14 CACHE STRING "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/compiler.cmake")
