# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Checks every #include against the layers:
#
#   version -> core -> core/json -> one format -> its facade -> formats | io, tensor, import -> vm -> inspect, transform -> genome
#   -> cli
#
# and a few rules that readers of a file rely on: which standard headers the library may use, where
# casts of memory may be, how long a header may be.
#
#   cmake -DROOT=. -DFORMATS="alir;nac" -P cmake/check_layers.cmake

cmake_minimum_required(VERSION 3.21)
cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)
string(JOIN "|" any_format ${FORMATS})

include("${CMAKE_CURRENT_LIST_DIR}/std_headers.cmake")

# Packages, and the only folder or file that may include each.
set(package_homes "libdeflate.h=io" "zstd.h=io" "zstd_errors.h=io" "CLI/.*=cli/options.cpp" "mpi.h=vm" "png.h=io"
    "pcre2.h=vm" "utf8proc.h=vm")

# Files that may look at an object as bytes.
set(may_reinterpret include/tessera/core/bytes.hpp include/tessera/core/text.hpp)

set(max_header_lines 1000)

set(problems "")
macro(problem text)
  string(APPEND problems "  ${text}\n")
endmacro()

# The layer of a file below include/tessera: a number that may only fall along an include, and the
# format that owns the file, if any.
function(layer_of name out_layer out_format)
  set(format "")
  if(name STREQUAL "version.hpp")
    set(layer 0)
  elseif(name MATCHES "^core/(detail/)?(json[a-z_]*|describe|report|findings)\\.hpp$")
    set(layer 2)
  elseif(name MATCHES "^core/")
    set(layer 1)
  elseif(name MATCHES "^(${any_format})(/all)?\\.hpp$")
    set(layer 4)
    set(format ${CMAKE_MATCH_1})
  elseif(name MATCHES "^(${any_format})/(detail/([a-z0-9_]+/)?)?[a-z0-9_]+\\.hpp$")
    set(layer 3)
    set(format ${CMAKE_MATCH_1})
  elseif(name STREQUAL "tessera.hpp")
    set(layer 5)
  elseif(name MATCHES "^vm/[a-z0-9_]+\\.hpp$")
    set(layer 6)
  elseif(name MATCHES "^inspect/((${any_format})/)?[a-z0-9_]+\\.hpp$")
    set(layer 7)
    set(format ${CMAKE_MATCH_2})
  elseif(name MATCHES "^transform/[a-z0-9_]+\\.hpp$")
    set(layer 6)
  else()
    set(layer "")
  endif()
  set(${out_layer} "${layer}" PARENT_SCOPE)
  set(${out_format} "${format}" PARENT_SCOPE)
endfunction()

# The includes of a file, as a list of <name> and "name".
function(includes_of file out)
  file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"][^>\"]+[>\"]")
  set(found "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "[<\"][^>\"]+[>\"]" include "${line}")
    list(APPEND found "${include}")
  endforeach()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# ---- the library

file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/include/tessera/*")
set(edges 0)
foreach(header IN LISTS headers)
  string(REPLACE "include/tessera/" "" name "${header}")
  layer_of("${name}" layer format)
  if(layer STREQUAL "")
    problem("${header}: belongs to no layer; is its format missing from TESSERA_FORMATS?")
    continue()
  endif()

  cmake_path(GET name PARENT_PATH folder)
  includes_of("${ROOT}/${header}" includes)
  foreach(include IN LISTS includes)
    math(EXPR edges "${edges} + 1")
    string(REGEX REPLACE "[<>\"]" "" target "${include}")
    if(include MATCHES "^<")
      if(NOT target IN_LIST std_headers AND NOT (layer GREATER 5 AND target IN_LIST compiled_std_headers))
        problem("${header}: <${target}> isn't one of the standard headers that the library uses")
      elseif(target IN_LIST file_headers AND NOT header IN_LIST opens_files)
        problem("${header}: <${target}> belongs where files are opened, in ${opens_files}")
      endif()
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH target BASE_DIRECTORY "/r/${folder}" NORMALIZE OUTPUT_VARIABLE path)
    if(NOT path MATCHES "^/r/(.*)$" OR NOT EXISTS "${ROOT}/include/tessera/${CMAKE_MATCH_1}")
      problem("${header}: \"${target}\" isn't a file below include/tessera, relative to this one")
      continue()
    endif()
    set(target "${CMAKE_MATCH_1}")
    layer_of("${target}" target_layer target_format)
    if(target_layer GREATER layer)
      problem("${header}: ${target} is a layer above")
    elseif(format AND target_format AND NOT format STREQUAL target_format)
      problem("${header}: ${target} is another format's")
    endif()
  endforeach()

  # Facades, and version.hpp itself, must check the version even when their guard skips the rest.
  file(READ "${ROOT}/${header}" text)
  string(MAKE_C_IDENTIFIER "${name}" guard)
  string(TOUPPER "TESSERA_${guard}" guard)
  if(NOT text MATCHES "\n#ifndef ${guard}\n#define ${guard}\n")
    problem("${header}: its guard isn't ${guard}")
  elseif(layer EQUAL 4 OR layer EQUAL 5)
    string(REGEX MATCH "\n#include \"(../)?version.hpp\"" version_include "${text}")
    string(FIND "${text}" "${version_include}" version_at)
    string(FIND "${text}" "\n#ifndef ${guard}\n" guard_at)
    if(version_include STREQUAL "" OR version_at GREATER guard_at)
      problem("${header}: a facade includes \"version.hpp\" before its own guard")
    endif()
  endif()
  if(NOT header IN_LIST may_reinterpret AND text MATCHES "reinterpret_cast[ \t\n]*<")
    problem("${header}: reinterpret_cast belongs to core/bytes.hpp and core/text.hpp")
  endif()
  string(REGEX REPLACE "[^\n]" "" newlines "${text}")
  string(LENGTH "${newlines}" lines)
  if(lines GREATER max_header_lines)
    problem("${header}: ${lines} lines; over ${max_header_lines} there are two ideas in it")
  endif()
endforeach()

# ---- the tool and its libraries

set(rank_formats 0)
set(rank_io 1)
set(rank_tensor 1)
set(rank_vm 2)
set(rank_import 1)
set(rank_inspect 3)
set(rank_transform 3)
set(rank_genome 4)
set(rank_cli 5)

# A file of ours named by an include in src/, relative to ROOT, or nothing for a system header.
function(resolve include folder out)
  string(REGEX REPLACE "[<>\"]" "" target "${include}")
  foreach(base IN ITEMS "${folder}" src include .)
    cmake_path(ABSOLUTE_PATH target BASE_DIRECTORY "${ROOT}/${base}" NORMALIZE OUTPUT_VARIABLE path)
    if(EXISTS "${path}" AND NOT IS_DIRECTORY "${path}")
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${ROOT}")
      set(${out} "${path}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE users RELATIVE "${ROOT}"
     "${ROOT}/src/*.[ch]pp" "${ROOT}/tests/*.[ch]pp" "${ROOT}/fuzz/*.[ch]pp" "${ROOT}/bench/*.[ch]pp")
foreach(user IN LISTS users)
  cmake_path(GET user PARENT_PATH folder)
  set(mine "")
  if(user MATCHES "^src/([a-z0-9_]+)/")
    set(mine ${CMAKE_MATCH_1})
    if(NOT DEFINED rank_${mine})
      problem("${user}: src/${mine} belongs to no layer")
      continue()
    endif()
  endif()
  set(my_format "")
  if(user MATCHES "^src/vm/(${any_format})[/._]")
    set(my_format ${CMAKE_MATCH_1})
  elseif(user MATCHES "^src/vm/(execution_plan|tokenizer)/")
    set(my_format nac)
  endif()

  includes_of("${ROOT}/${user}" includes)
  foreach(include IN LISTS includes)
    math(EXPR edges "${edges} + 1")
    resolve("${include}" "${folder}" target)
    if(target STREQUAL "")
      string(REGEX REPLACE "[<>\"]" "" target "${include}")
      if(mine AND include MATCHES "^\"")
        problem("${user}: \"${target}\" isn't a file of ours; packages are included with <>")
      endif()
      foreach(pair IN LISTS package_homes)
        string(REGEX MATCH "^(.*)=(.*)$" pair "${pair}")
        set(home ${CMAKE_MATCH_2})
        if(target MATCHES "^${CMAKE_MATCH_1}$" AND mine AND NOT user MATCHES "^src/${home}(/|$)")
          problem("${user}: <${target}> may only be included by src/${home}")
        endif()
      endforeach()
    elseif(mine AND target MATCHES "^src/([a-z0-9_]+)/")
      set(theirs ${CMAKE_MATCH_1})
      if(rank_${theirs} GREATER rank_${mine}
         OR (rank_${theirs} EQUAL rank_${mine} AND NOT theirs STREQUAL mine))
        problem("${user}: ${target} isn't a layer below src/${mine}")
      elseif(my_format AND target MATCHES "^src/vm/(${any_format})[/._]"
             AND NOT CMAKE_MATCH_1 STREQUAL my_format
             AND NOT (my_format STREQUAL "genome" AND target MATCHES "^src/vm/nac/"))  # whose operations it runs
        problem("${user}: ${target} belongs to another format's VM")
      endif()
    elseif(mine AND target MATCHES "^include/tessera/.*/detail/")
      problem("${user}: ${target} is a body; include its interface")
    elseif(mine AND NOT target MATCHES "^include/tessera/")
      problem("${user}: ${target} is outside src/ and include/tessera/")
    endif()
  endforeach()

  # Front ends and lints report what they find as the library's verifiers do, by its findings.
  if((mine OR NOT user MATCHES "^tests/") AND NOT user MATCHES "^src/(import/|inspect/[a-z0-9]+/lint\\.cpp$)")
    file(STRINGS "${ROOT}/${user}" reaches REGEX "(^|[^A-Za-z0-9_])detail::")
    if(reaches)
      problem("${user}: reaches into a detail")
    endif()
  endif()
endforeach()

if(problems)
  message(FATAL_ERROR "The layers don't hold:\n${problems}")
endif()
list(LENGTH headers header_count)
list(LENGTH users user_count)
message(STATUS "${edges} includes in ${header_count} headers and ${user_count} other files keep the layers")
