# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# 32 bits (Debian: g++-i686-linux-gnu). Only the unit tests: the other libraries exist only for the host.
#
#   cmake -S . -B build/m32 -G Ninja -C cmake/presets/m32.cmake

set(CMAKE_SYSTEM_NAME Linux CACHE STRING "")
set(CMAKE_SYSTEM_PROCESSOR i686 CACHE STRING "")
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
# SSE, because x87 registers round twice; static, because the host's loader knows no i686 libraries.
set(CMAKE_CXX_FLAGS "-O1 -msse2 -mfpmath=sse -static" CACHE STRING "")
set(TESSERA_BUILD_TOOLS OFF CACHE BOOL "")
set(TESSERA_BUILD_TESTS ON CACHE BOOL "")
