# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# A newer Clang, whose warnings are newer, too (Debian: clang-19).
#
#   cmake -S . -B build/clang19 -G Ninja -C cmake/presets/clang19.cmake

set(CMAKE_CXX_COMPILER clang++-19 CACHE STRING "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/compiler.cmake")
