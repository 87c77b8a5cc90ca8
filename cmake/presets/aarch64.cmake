# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# ARM, 64 bits (Debian: g++-aarch64-linux-gnu qemu-user).
#
#   cmake -S . -B build/aarch64 -G Ninja -C cmake/presets/aarch64.cmake

set(CMAKE_SYSTEM_PROCESSOR aarch64 CACHE STRING "")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 CACHE STRING "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/cross.cmake")
