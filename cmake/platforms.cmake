# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The unit tests where the usual builds don't run: big-endian and ARM under an emulator, 32 bits, and other
# compilers and libraries. Each has a preset of its name; those that aren't of this host aren't built with
# what the host has. The log of what was run is in CONTRIBUTING.md.
# Debian: g++-aarch64-linux-gnu g++-i686-linux-gnu g++-s390x-linux-gnu qemu-user
#         clang-14 clang-19 libc++-19-dev libc++abi-19-dev libopenmpi-dev openmpi-bin
#
#   cmake -DBUILD=build -P cmake/platforms.cmake
#   cmake -DBUILD=build -DPLATFORMS=s390x -DTESTS=unit.nac -P cmake/platforms.cmake

cmake_minimum_required(VERSION 3.21)
cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/..")
set(hosts aarch64 m32 s390x)
if(NOT PLATFORMS)
  set(PLATFORMS ${hosts} gcc12 clang14 clang19 libcxx mpi)
endif()
if(NOT TESTS)
  set(TESTS unit)
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(platform IN LISTS PLATFORMS)
  set(build "${BUILD}/${platform}")
  set(target tessera_tests)
  set(tests ${TESTS})
  if(platform STREQUAL "mpi")
    set(target tessera_tests_ark_mpi)
    set(tests mpi)
  endif()
  run("${CMAKE_COMMAND}" -S "${root}" -B "${build}" -G Ninja -C "${root}/cmake/presets/${platform}.cmake")
  run("${CMAKE_COMMAND}" --build "${build}" --target ${target})
  run("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure -R "^${tests}")
  if(NOT platform IN_LIST hosts)
    run("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure -L headers)
  endif()
endforeach()
