# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# 32 bits (Debian: g++-i686-linux-gnu).
#
#   cmake -S . -B build/m32 -G Ninja -C cmake/presets/m32.cmake

set(CMAKE_SYSTEM_PROCESSOR i686 CACHE STRING "")
# SSE, because x87 registers round twice.
set(CMAKE_CXX_FLAGS "-O1 -msse2 -mfpmath=sse" CACHE STRING "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/cross.cmake")
