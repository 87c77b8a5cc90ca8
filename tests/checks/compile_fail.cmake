# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# A twin: a file that compiles verbatim, and must not with TESSERA_COMPILE_FAIL defined. The first
# half shows that the second fails for the reason it names in its line `// expect: regular expression`.
#
#   cmake -DROOT=. -DCXX=g++ -DTWIN=file.cpp -P compile_fail.cmake

cmake_minimum_required(VERSION 3.21)
file(STRINGS "${TWIN}" expect REGEX "^// expect: ")
string(REGEX REPLACE "^// expect: " "" expect "${expect}")
if(expect STREQUAL "")
  message(FATAL_ERROR "${TWIN} has no line '// expect: regular expression'")
endif()
set(compile "${CXX}" -std=c++20 -Wall -Wextra -Werror "-I${ROOT}/include" "-I${ROOT}/src" -fsyntax-only)
execute_process(COMMAND ${compile} "${TWIN}" RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  message(NOTICE "${errors}")
  message(FATAL_ERROR "The half that should compile doesn't; see above.")
endif()
execute_process(COMMAND ${compile} -DTESSERA_COMPILE_FAIL "${TWIN}" RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(NOT failed)
  message(FATAL_ERROR "The half that must not compile does")
elseif(NOT errors MATCHES "${expect}")
  message(NOTICE "${errors}")
  message(FATAL_ERROR "It fails, but not for '${expect}'; see above.")
endif()
