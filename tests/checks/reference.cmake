# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Makes the API reference, OUTPUT/html/index.html, and fails where Doxygen warns, such as about a
# public name without a docstring. "skipped" in the output makes ctest report the test as skipped.
#
#   cmake -DROOT=. -DDOXYGEN=doxygen -DPERL=perl -DOUTPUT=folder -P reference.cmake

cmake_minimum_required(VERSION 3.21)
if(NOT DOXYGEN OR NOT PERL)
  message(STATUS "skipped: doxygen or perl isn't here")
  return()
endif()
set(log "${OUTPUT}/warnings.txt")
file(REMOVE_RECURSE "${OUTPUT}")
file(WRITE "${OUTPUT}/Doxyfile" "@INCLUDE = \"${ROOT}/cmake/doxygen/Doxyfile\"
OUTPUT_DIRECTORY = \"${OUTPUT}\"
WARN_LOGFILE = \"${log}\"
")
execute_process(COMMAND "${DOXYGEN}" "${OUTPUT}/Doxyfile" WORKING_DIRECTORY "${ROOT}"
                RESULT_VARIABLE failed ERROR_VARIABLE errors)
set(warnings "")
if(EXISTS "${log}")
  file(READ "${log}" warnings)
endif()
if(failed OR NOT EXISTS "${OUTPUT}/html/index.html" OR NOT errors STREQUAL "" OR NOT warnings STREQUAL "")
  string(REPLACE "${ROOT}/" "" warnings "${warnings}")
  message(NOTICE "${errors}${warnings}")
  message(FATAL_ERROR "Doxygen warns (${log})")
endif()
