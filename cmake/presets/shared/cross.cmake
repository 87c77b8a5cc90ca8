# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# What presets of another processor share, whose name is in CMAKE_SYSTEM_PROCESSOR. Only the unit tests: the
# other libraries exist only for the host. Static, because its loader knows no other ones.

set(CMAKE_SYSTEM_NAME Linux CACHE STRING "")
set(CMAKE_CXX_COMPILER ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-g++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O1" CACHE STRING "")
set(CMAKE_EXE_LINKER_FLAGS "-static" CACHE STRING "")
set(TESSERA_BUILD_TOOLS OFF CACHE BOOL "")
set(TESSERA_BUILD_TESTS ON CACHE BOOL "")
