# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The macros that a user of ENTRY is left with, guards aside: few, and all of them ours by name.
#
#   cmake -DROOT=. -DCXX=g++ -DENTRY=tessera/alir.hpp -DSCRATCH=dir -P macros.cmake

cmake_minimum_required(VERSION 3.21)
include("${ROOT}/cmake/std_headers.cmake")
set(max_macros 13)  # the tables of errors are six of them

set(standard "")
foreach(std IN LISTS std_headers)
  string(APPEND standard "#include <${std}>\n")
endforeach()
file(WRITE "${SCRATCH}/without.cpp" "${standard}")
file(WRITE "${SCRATCH}/with.cpp" "${standard}#include \"${ENTRY}\"\n")
foreach(unit IN ITEMS without with)
  execute_process(COMMAND "${CXX}" -std=c++20 "-I${ROOT}/include" -E -dM "${SCRATCH}/${unit}.cpp"
                  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "#define [A-Za-z0-9_]+" ${unit} "${text}")
endforeach()
list(TRANSFORM with REPLACE "#define " "")
list(TRANSFORM without REPLACE "#define " "")
list(REMOVE_ITEM with ${without})
list(FILTER with EXCLUDE REGEX "^TESSERA_[A-Z0-9_]*_HPP$")

set(foreign ${with})
list(FILTER foreign EXCLUDE REGEX "^TESSERA_")
if(foreign)
  message(FATAL_ERROR "${ENTRY} leaks macros without the prefix TESSERA_: ${foreign}")
endif()
list(LENGTH with count)
if(count GREATER max_macros)
  message(FATAL_ERROR "${ENTRY} leaves ${count} macros behind, more than ${max_macros}: ${with}")
endif()
message(STATUS "${ENTRY} leaves ${count} macros behind: ${with}")
