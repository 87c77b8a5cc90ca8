# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Every interface by itself and twice, in a translation unit of its own, under strict warnings, and once
# more in compiled mode (bodies come with their interfaces); then all of them after `min` and `max`
# defined as macros, as <windows.h> does. With FACADES, only the formats' and the single headers by themselves:
# what a header needs doesn't depend on the compiler. With TOGETHER, none: all of them in one unit, in both modes.
#
#   cmake -DROOT=. -DCXX=g++ [-DFLAGS=--target=…] -DSCRATCH=dir [-DFACADES=ON | -DTOGETHER=ON] -P headers.cmake

cmake_minimum_required(VERSION 3.21)
include("${ROOT}/cmake/std_headers.cmake")
include("${ROOT}/cmake/strict.cmake")
list(APPEND strict -Wno-unused-macros)  # min and max below are there not to be used
file(REMOVE_RECURSE "${SCRATCH}")
file(GLOB_RECURSE headers RELATIVE "${ROOT}/include" "${ROOT}/include/*.hpp")
list(FILTER headers EXCLUDE REGEX "/detail/")
if(FACADES)
  list(FILTER headers INCLUDE REGEX "^(tessera/[a-z]+|single/[a-z_]+)\\.hpp$")
endif()
list(LENGTH headers count)

set(failures "")
function(compile name text)
  set(unit "${SCRATCH}/${name}.cpp")
  file(WRITE "${unit}" "${text}")
  execute_process(COMMAND "${CXX}" ${FLAGS} ${strict} "-I${ROOT}/include" -fsyntax-only "${unit}"
                  RESULT_VARIABLE failed ERROR_VARIABLE errors OUTPUT_VARIABLE errors)
  if(failed)
    set(failures "${failures}\n---- ${name}\n${errors}" PARENT_SCOPE)
  endif()
endfunction()

set(by_themselves "${headers}")
if(TOGETHER)
  set(by_themselves "")
endif()
foreach(header IN LISTS by_themselves)
  string(REPLACE "/" "_" unit "${header}")
  compile("${unit}" "#include \"${header}\"\n#include \"${header}\"\n")
  compile("compiled_${unit}" "#define TESSERA_COMPILED\n#include \"${header}\"\n")
  if(header MATCHES "^single/")
    compile("implementation_${unit}" "#define TESSERA_COMPILED\n#define TESSERA_IMPLEMENTATION\n#include \"${header}\"\n")
  endif()
endforeach()

# The standard headers come first: it is not for us to say whether they bear the macros.
set(text "")
foreach(std IN LISTS std_headers compiled_std_headers)
  string(APPEND text "#include <${std}>\n")
endforeach()
string(APPEND text "#define min(a, b) a macro called min\n#define max(a, b) a macro called max\n")
foreach(header IN LISTS headers)
  string(APPEND text "#include \"${header}\"\n")
endforeach()
compile(all_with_min_and_max_macros "${text}")
if(TOGETHER)
  compile(all_compiled "#define TESSERA_COMPILED\n${text}")
  set(how "together")
else()
  set(how "by themselves, twice")
endif()

if(failures)
  message(NOTICE "${failures}")
  message(FATAL_ERROR "Not clean by itself; see above.")
endif()
message(STATUS "${count} headers are clean ${how}, and with min and max as macros")
