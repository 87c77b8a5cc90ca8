# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Writes the list of NAC's operations that the machine runs, from the format's table; with CHECK compares.
#
#   cmake -DROOT=. [-DCHECK=ON] -P cmake/operations_table.cmake

cmake_minimum_required(VERSION 3.21)
set(source "${ROOT}/include/tessera/nac/detail/operation_rows.hpp")
set(output "${ROOT}/src/vm/nac/OPERATIONS.md")

file(READ "${source}" text)
# One row on one line, its strings joined.
string(REGEX REPLACE "[ \t]*\\\\\n[ \t]*" " " text "${text}")
string(REGEX REPLACE "\"[ \n]+\"" "" text "${text}")
string(REGEX MATCHALL "X\\([a-z0-9_]+, [a-z_]+, [a-z_]+, \"[^\"]*\", \"[^\"]*\", \"[^\"]*\"" rows "${text}")

set(lines "")
set(names 0)
foreach(row IN LISTS rows)
  string(REGEX MATCH "^X\\(([a-z0-9_]+), [a-z_]+, [a-z_]+, \"([^\"]*)\", \"([^\"]*)\", \"([^\"]*)\"$" row "${row}")
  set(operation "${CMAKE_MATCH_1}")
  set(pattern "${CMAKE_MATCH_2}")
  set(parameters "${CMAKE_MATCH_3}")
  string(REGEX REPLACE " +" ";" words "${CMAKE_MATCH_4}")
  list(LENGTH words count)
  math(EXPR names "${names} + ${count}")
  list(JOIN words "` `" words)
  list(APPEND lines "| `${operation}` | `${pattern}` | ${parameters} | `${words}` |")
endforeach()
list(SORT lines)
list(LENGTH lines operations)
list(JOIN lines "\n" lines)
set(made "<!-- SPDX-FileCopyrightText: The Tessera authors -->
<!-- SPDX-License-Identifier: MIT -->
<!-- Generated from include/tessera/nac/detail/operation_rows.hpp by cmake/operations_table.cmake. -->

# Operations of NAC that run here

${operations} operations, known by ${names} names. Files may name any other: they are valid, and `tessera check` lists what can't be
run. `name_` is the form in place of an operation whose name it extends.

The letters of arguments are explained in [operations.hpp](../../../include/tessera/nac/operations.hpp).

| operation | arguments | called | names |
|---|---|---|---|
${lines}
")
if(NOT CHECK)
  file(WRITE "${output}" "${made}")
  return()
endif()
file(READ "${output}" found)
if(NOT found STREQUAL made)
  message(FATAL_ERROR "src/vm/nac/OPERATIONS.md is out of date; build the target `operations`")
endif()
message(STATUS "${operations} operations by ${names} names")
