# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# A process for each rank of an ARK model (Debian: libopenmpi-dev openmpi-bin).
#
#   cmake -S . -B build/mpi -G Ninja -C cmake/presets/mpi.cmake

set(CMAKE_CXX_COMPILER g++ CACHE STRING "")
set(CMAKE_BUILD_TYPE None CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O1" CACHE STRING "")
set(TESSERA_DEV ON CACHE BOOL "")
set(TESSERA_BUILD_BENCHMARKS OFF CACHE BOOL "")
set(TESSERA_BUILD_FUZZERS OFF CACHE BOOL "")
set(TESSERA_TEST_SINGLE_HEADERS OFF CACHE BOOL "")
set(TESSERA_MPI ON CACHE BOOL "")
