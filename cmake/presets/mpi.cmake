# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# A process for each rank of an ARK model (Debian: libopenmpi-dev openmpi-bin).
#
#   cmake -S . -B build/mpi -G Ninja -C cmake/presets/mpi.cmake

set(CMAKE_CXX_COMPILER g++ CACHE STRING "")
set(CMAKE_CXX_FLAGS "-O1" CACHE STRING "")
set(TESSERA_MPI ON CACHE BOOL "")
include("${CMAKE_CURRENT_LIST_DIR}/shared/compiler.cmake")
