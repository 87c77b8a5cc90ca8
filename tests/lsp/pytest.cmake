# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The client of pytest-lsp, where a Python has it.
#
#   cmake -DROOT=. -DTOOL=build/src/tessera -DSCRATCH=... [-DPYTHON=...] -P tests/lsp/pytest.cmake

cmake_minimum_required(VERSION 3.21)
cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)
cmake_path(ABSOLUTE_PATH TOOL NORMALIZE)
cmake_path(ABSOLUTE_PATH SCRATCH NORMALIZE)
if(NOT PYTHON)
  find_program(PYTHON NAMES python3 python)
endif()
set(code 1)
if(PYTHON)
  execute_process(COMMAND "${PYTHON}" -c "import pytest_lsp" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT code EQUAL 0)
  message(STATUS "skipped: pytest-lsp isn't installed")
  return()
endif()
file(MAKE_DIRECTORY "${SCRATCH}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "TESSERA=${TOOL}" PYTHONDONTWRITEBYTECODE=1
          "${PYTHON}" -m pytest -q "${ROOT}/tests/lsp"
  WORKING_DIRECTORY "${SCRATCH}" TIMEOUT 280 RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "pytest: ${code}")
endif()
