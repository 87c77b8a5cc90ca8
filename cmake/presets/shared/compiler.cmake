# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# What presets of one compiler or library share: the unit tests and those of headers, unoptimised.

set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(TESSERA_BUILD_FUZZERS OFF CACHE BOOL "")
set(TESSERA_TEST_SINGLE_HEADERS OFF CACHE BOOL "")
