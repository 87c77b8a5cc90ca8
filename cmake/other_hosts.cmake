# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The unit tests on hosts that the usual builds don't have: big-endian under an emulator, and 32 bits.
# Debian: g++-s390x-linux-gnu g++-i686-linux-gnu qemu-user
#
#   cmake -DBUILD=build -P cmake/other_hosts.cmake
#   cmake -DBUILD=build -DHOSTS=s390x -DTESTS=unit.nac -P cmake/other_hosts.cmake

cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/..")
if(NOT HOSTS)
  set(HOSTS s390x m32)
endif()
if(NOT TESTS)
  set(TESTS unit)
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(host IN LISTS HOSTS)
  set(build "${BUILD}/${host}")
  run("${CMAKE_COMMAND}" -S "${root}" -B "${build}" -G Ninja -C "${root}/cmake/presets/${host}.cmake")
  run("${CMAKE_COMMAND}" --build "${build}" --target tessera_tests)
  run("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure -R "^${TESTS}")
endforeach()
