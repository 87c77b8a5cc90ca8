# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Big-endian (Debian: g++-s390x-linux-gnu qemu-user). Only the unit tests: the other libraries exist only for
# the host.
#
#   cmake -S . -B build/s390x -G Ninja -C cmake/presets/s390x.cmake

set(CMAKE_SYSTEM_NAME Linux CACHE STRING "")
set(CMAKE_SYSTEM_PROCESSOR s390x CACHE STRING "")
set(CMAKE_CXX_COMPILER s390x-linux-gnu-g++ CACHE STRING "")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O1 -static" CACHE STRING "")
set(TESSERA_BUILD_TOOLS OFF CACHE BOOL "")
set(TESSERA_BUILD_TESTS ON CACHE BOOL "")
