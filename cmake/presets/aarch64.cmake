# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# ARM, 64 bits (Debian: g++-aarch64-linux-gnu qemu-user). Only the unit tests: the other libraries exist only
# for the host.
#
#   cmake -S . -B build/aarch64 -G Ninja -C cmake/presets/aarch64.cmake

set(CMAKE_SYSTEM_NAME Linux CACHE STRING "")
set(CMAKE_SYSTEM_PROCESSOR aarch64 CACHE STRING "")
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++ CACHE STRING "")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O1 -static" CACHE STRING "")
set(TESSERA_BUILD_TOOLS OFF CACHE BOOL "")
set(TESSERA_BUILD_TESTS ON CACHE BOOL "")
