# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Makes a single header out of an entry header and everything it includes.
#
#   cmake -DROOT=. -DENTRY=include/tessera/alir.hpp -DOUTPUT=include/single/tessera_alir.hpp \
#         [-DCHECK=ON] -P cmake/amalgamate.cmake
#
# Each quoted include at the start of a line is replaced by the file it names, the first time; later
# ones are dropped. Guards stay, so that single headers of several formats, and the header tree, meet
# in one translation unit. Facades include version.hpp before their own guard, and so does the result:
# the check for mixed versions runs even when all the guards below it skip.
#
# An interface ends by including its bodies, in a block of exactly these lines:
#
#   #if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#   #include "detail/verify.hpp"
#   #endif
#
# All bodies go to the end, into one such block: what a body is the first to include must not vanish
# for the interfaces when bodies are left out. There, to include an interface is to include its bodies.
#
# With CHECK the output is compared and not written.
#
# Text is cut with FIND and SUBSTRING and never becomes a CMake list: lists would eat semicolons and
# brackets.

cmake_minimum_required(VERSION 3.21)
foreach(name ROOT ENTRY OUTPUT)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "amalgamate.cmake needs -D${name}=...")
  endif()
endforeach()
cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)
cmake_path(ABSOLUTE_PATH ENTRY BASE_DIRECTORY "${ROOT}" NORMALIZE)
cmake_path(ABSOLUTE_PATH OUTPUT BASE_DIRECTORY "${ROOT}" NORMALIZE)

set(spdx "// SPDX-FileCopyrightText: The Tessera authors\n// SPDX-License-Identifier: MIT\n")
string(LENGTH "${spdx}" spdx_length)
set_property(GLOBAL PROPERTY included "")
set_property(GLOBAL PROPERTY interfaces "")
set(among_bodies OFF)
set(bodies_begin "#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)\n")

# Sets `result` in the caller to the text of `file` with its includes expanded, or to nothing when
# the file is in already.
function(expand file)
  set(result "" PARENT_SCOPE)
  get_property(included GLOBAL PROPERTY included)
  if(file IN_LIST included)
    if(among_bodies)
      get_property(bodies GLOBAL PROPERTY "bodies of ${file}")
      set_property(GLOBAL PROPERTY "bodies of ${file}" "")
      set(out "")
      foreach(body IN LISTS bodies)
        expand("${body}")
        string(APPEND out "${result}")
      endforeach()
      set(result "${out}" PARENT_SCOPE)
    endif()
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY included "${file}")

  cmake_path(IS_PREFIX ROOT "${file}" inside)
  if(NOT inside OR NOT EXISTS "${file}")
    message(FATAL_ERROR "${file}, included on the way from ${ENTRY}, isn't a file below ${ROOT}")
  endif()
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${ROOT}/include" OUTPUT_VARIABLE name)
  cmake_path(GET file PARENT_PATH folder)
  file(READ "${file}" text)
  string(FIND "${text}" "${spdx}" at)
  if(NOT at EQUAL 0)
    message(FATAL_ERROR "${file} doesn't begin with the two SPDX lines")
  endif()
  string(SUBSTRING "${text}" ${spdx_length} -1 text)

  # The bodies of this interface wait for their turn.
  set(bodies "")
  string(FIND "${text}" "\n${bodies_begin}" at)
  if(NOT at EQUAL -1 AND NOT among_bodies)
    string(SUBSTRING "${text}" 0 ${at} before)
    string(SUBSTRING "${text}" ${at} -1 block)
    string(FIND "${block}" "\n#endif\n" end)
    math(EXPR after "${end} + 7")
    string(SUBSTRING "${block}" ${after} -1 after)
    string(SUBSTRING "${block}" 0 ${end} block)
    string(REGEX MATCHALL "\n#include \"[^\"]+" bodies "${block}")
    list(TRANSFORM bodies REPLACE "\n#include \"" "")
    set(text "${before}${after}")
  endif()

  # `rest` is what is left of the file, at the start of a line, with one newline put before it.
  set(out "\n// ---- ${name}\n")
  set(rest "\n${text}")
  while(TRUE)
    string(FIND "${rest}" "\n#include \"" at)
    if(at EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${rest}" 1 ${at} before)
    math(EXPR path_begin "${at} + 11")
    string(SUBSTRING "${rest}" ${path_begin} -1 rest)
    string(FIND "${rest}" "\"" path_length)
    string(SUBSTRING "${rest}" 0 ${path_length} path)
    string(FIND "${rest}" "\n" line_end)
    string(SUBSTRING "${rest}" ${line_end} -1 rest)

    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${folder}" NORMALIZE)
    expand("${path}")
    string(APPEND out "${before}${result}")
  endwhile()
  string(SUBSTRING "${rest}" 1 -1 rest)
  string(APPEND out "${rest}")
  foreach(path IN LISTS bodies)
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${folder}" NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY "bodies of ${file}" "${path}")
    set_property(GLOBAL APPEND PROPERTY interfaces "${file}")
  endforeach()
  set(result "${out}" PARENT_SCOPE)
endfunction()

expand("${ENTRY}")
set(text "${result}")

set(text_of_bodies "")
set(among_bodies ON)
get_property(interfaces GLOBAL PROPERTY interfaces)
foreach(interface IN LISTS interfaces)
  expand("${interface}")
  string(APPEND text_of_bodies "${result}")
endforeach()
set(result "${text}")
if(text_of_bodies)
  string(APPEND result "\n${bodies_begin}${text_of_bodies}\n#endif  // the bodies\n")
endif()
if(result MATCHES "\n[ \t]*#[ \t]*include[ \t]*\"([^\"]*)")
  message(FATAL_ERROR "'#include \"${CMAKE_MATCH_1}\"' isn't written as '#include \"' at the start of a line")
endif()

file(STRINGS "${ROOT}/include/tessera/version.hpp" version REGEX "^#define TESSERA_VERSION_STRING ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" version "${version}")
cmake_path(RELATIVE_PATH ENTRY BASE_DIRECTORY "${ROOT}/include" OUTPUT_VARIABLE name)
string(CONCAT text "${spdx}"
  "//\n"
  "// Tessera ${version}: ${name} and all that it includes, in one file.\n"
  "//\n"
  "// Made by cmake/amalgamate.cmake. To change something, change the header it comes from, then run\n"
  "// `cmake --build build --target single`.\n"
  "${result}")

# The full licence, once, as a comment.
file(READ "${ROOT}/LICENSE" license)
string(REGEX REPLACE "\n+$" "" license "${license}")
string(REPLACE "\n" "\n// " license "\n${license}")
string(REPLACE "\n// \n" "\n//\n" license "${license}")
string(APPEND text "\n// ---- LICENSE\n//${license}\n")

set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
cmake_path(RELATIVE_PATH OUTPUT BASE_DIRECTORY "${ROOT}" OUTPUT_VARIABLE output_name)
if("${old}" STREQUAL "${text}")
  message(STATUS "${output_name} is up to date")
elseif(CHECK)
  message(FATAL_ERROR "${output_name} is out of date. Refresh it:\n  cmake --build build --target single")
else()
  file(WRITE "${OUTPUT}" "${text}")
  message(STATUS "${output_name} written")
endif()
