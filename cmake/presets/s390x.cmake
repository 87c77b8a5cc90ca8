# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Big-endian (Debian: g++-s390x-linux-gnu qemu-user).
#
#   cmake -S . -B build/s390x -G Ninja -C cmake/presets/s390x.cmake

set(CMAKE_SYSTEM_PROCESSOR s390x CACHE STRING "")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x CACHE STRING "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/cross.cmake")
