# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Holds the tree itself: the fixed top level, and plain text without tabs, stray white space or paths
# of one machine. In a git checkout only what git would track counts, so build folders don't matter.
#
#   cmake -DROOT=. -P cmake/check_tree.cmake

cmake_minimum_required(VERSION 3.21)
cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)

set(top_level CMakeLists.txt LICENSE README.md bench cmake fuzz include src tests)
set(top_level_hidden .ci .clang-format .clang-tidy .gitattributes .github .gitignore)

find_program(GIT git)
set(in_git OFF)
if(GIT AND EXISTS "${ROOT}/.git")
  execute_process(COMMAND "${GIT}" -c core.quotepath=off ls-files --cached --others --exclude-standard
                  WORKING_DIRECTORY "${ROOT}" OUTPUT_VARIABLE files RESULT_VARIABLE failed ERROR_QUIET)
  if(NOT failed)
    set(in_git ON)
  endif()
endif()
if(in_git)
  string(REPLACE ";" "\\;" files "${files}")
  string(REPLACE "\n" ";" files "${files}")
else()
  file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/*")
  list(FILTER files EXCLUDE REGEX "^(build|\\.git)/")
endif()

set(problems "")
set(strangers "")
set(count 0)
foreach(file IN LISTS files)
  if(file STREQUAL "" OR NOT EXISTS "${ROOT}/${file}")
    continue()
  endif()
  string(REGEX REPLACE "/.*" "" entry "${file}")
  if(in_git AND NOT entry IN_LIST top_level AND NOT entry IN_LIST top_level_hidden)
    list(APPEND strangers "${entry}")
  endif()

  # Data is held by its own tests, and is allowed to be as odd as it needs to be.
  if(file MATCHES "^(tests/data|fuzz/corpus)/|\\.png$"
     OR NOT file MATCHES "\\.(hpp|cpp|h|js|css|txt|cmake|in|md|yml|yaml|sh|json|dict)$|^\\.(ci/|clang|git)|^LICENSE$")
    continue()
  endif()
  math(EXPR count "${count} + 1")
  file(READ "${ROOT}/${file}" text)
  string(FIND "${text}" "\t" tab)
  if(NOT tab EQUAL -1)
    string(APPEND problems "  ${file}: holds a tab\n")
  endif()
  string(FIND "${text}" "\r" carriage_return)
  if(NOT carriage_return EQUAL -1)
    string(APPEND problems "  ${file}: holds a carriage return\n")
  endif()
  if(text MATCHES " (\n|$)")
    string(APPEND problems "  ${file}: has white space at the end of a line\n")
  endif()
  if(NOT text STREQUAL "" AND NOT text MATCHES "\n$")
    string(APPEND problems "  ${file}: doesn't end with a newline\n")
  endif()
  if(text MATCHES "(^|[^A-Za-z0-9_.}])(/(home|root|Users|work|mnt)/[A-Za-z0-9_.-]+)")
    string(APPEND problems "  ${file}: names a path of one machine: ${CMAKE_MATCH_2}\n")
  endif()
  if(file MATCHES "\\.(hpp|cpp|cmake)$|CMakeLists\\.txt$"
     AND NOT text MATCHES "^(//|#) SPDX-FileCopyrightText: The Tessera authors\n(//|#) SPDX-License-Identifier: MIT\n")
    string(APPEND problems "  ${file}: doesn't begin with the two SPDX lines\n")
  endif()
endforeach()

list(REMOVE_DUPLICATES strangers)
foreach(entry IN LISTS strangers)
  string(APPEND problems "  ${entry}: the top level is fixed; this belongs in one of its folders\n")
endforeach()
if(problems)
  message(FATAL_ERROR "The tree isn't clean:\n${problems}")
endif()
message(STATUS "${count} text files are clean")
