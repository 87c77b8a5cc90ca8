# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# LLVM's standard library (Debian: clang-19 libc++-19-dev libc++abi-19-dev).
#
#   cmake -S . -B build/libcxx -G Ninja -C cmake/presets/libcxx.cmake

set(CMAKE_CXX_COMPILER clang++-19 CACHE STRING "")
set(CMAKE_CXX_FLAGS "-stdlib=libc++" CACHE STRING "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/compiler.cmake")
