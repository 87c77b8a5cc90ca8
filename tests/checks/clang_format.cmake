# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Whether clang-format would change anything. Versions disagree, so only 14 counts; "skipped" in the
# output makes ctest report the test as skipped.
#
#   cmake -DROOT=. -DCLANG_FORMAT=clang-format [-DFIX=ON] -P clang_format.cmake

cmake_minimum_required(VERSION 3.21)
execute_process(COMMAND "${CLANG_FORMAT}" --version OUTPUT_VARIABLE version ERROR_QUIET)
if(NOT version MATCHES "version 14\\.")
  message(STATUS "skipped: clang-format 14 isn't here")
  return()
endif()
file(GLOB_RECURSE sources "${ROOT}/include/tessera/*.hpp" "${ROOT}/src/*.[hc]pp" "${ROOT}/tests/*.[hc]pp"
     "${ROOT}/fuzz/*.[hc]pp" "${ROOT}/bench/*.[hc]pp")
if(FIX)
  execute_process(COMMAND "${CLANG_FORMAT}" -i ${sources} WORKING_DIRECTORY "${ROOT}" COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()
execute_process(COMMAND "${CLANG_FORMAT}" --dry-run -Werror ${sources}
                WORKING_DIRECTORY "${ROOT}" RESULT_VARIABLE failed ERROR_VARIABLE report)
if(failed)
  string(REGEX REPLACE "\n[^\n]*\n *\\^" "" report "${report}")
  string(REPLACE "${ROOT}/" "" report "${report}")
  message(NOTICE "${report}")
  message(FATAL_ERROR "Not as clang-format would have it. To fix all of it: cmake --build build/dev --target format")
endif()
