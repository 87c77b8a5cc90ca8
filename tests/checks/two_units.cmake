# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# All headers in two translation units of one program, one of them with NDEBUG: every function is
# inline, and nothing changes its layout with a macro.
#
#   cmake -DROOT=. -DCXX=g++ -DSCRATCH=dir -P two_units.cmake

cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")
file(GLOB_RECURSE headers RELATIVE "${ROOT}/include" "${ROOT}/include/tessera/*.hpp")
list(FILTER headers EXCLUDE REGEX "/detail/")
set(includes "")
foreach(header IN LISTS headers)
  string(APPEND includes "#include \"${header}\"\n")
endforeach()
file(WRITE "${SCRATCH}/one.cpp" "${includes}
unsigned long two();
int main() {
  return two() == sizeof(tessera::limits) + sizeof(tessera::error) + sizeof(tessera::text) ? 0 : 1;
}
")
file(WRITE "${SCRATCH}/two.cpp" "#define NDEBUG 1\n${includes}
unsigned long two();
unsigned long two() {
  return sizeof(tessera::limits) + sizeof(tessera::error) + sizeof(tessera::text);
}
")
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${SCRATCH}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
set(compile "${CXX}" -std=c++20 "-I${ROOT}/include")
run(${compile} -O0 -c one.cpp)
run(${compile} -O2 -c two.cpp)
run(${compile} one.o two.o -o program)
run("${SCRATCH}/program")

# In compiled mode, one more file has the definitions: every one, and once.
file(WRITE "${SCRATCH}/implementation.cpp" "#define TESSERA_IMPLEMENTATION\n${includes}")
foreach(unit IN ITEMS one two)
  file(READ "${SCRATCH}/${unit}.cpp" text)
  string(REGEX REPLACE "#include \"[^\n]*\"\n" "" text "${text}")
  file(WRITE "${SCRATCH}/${unit}.cpp" "${includes}${text}")
endforeach()
foreach(unit IN ITEMS one two implementation)
  run(${compile} -O0 -DTESSERA_COMPILED -c ${unit}.cpp)
endforeach()
run(${compile} one.o two.o implementation.o -o program)
run("${SCRATCH}/program")

# A function that isn't inline would be defined by both units and fail above; an unnamed namespace or
# a static would link and only cost space, so it is looked for.
file(GLOB_RECURSE headers RELATIVE "${ROOT}/include" "${ROOT}/include/tessera/*.hpp")
foreach(header IN LISTS headers)
  file(STRINGS "${ROOT}/include/${header}" hidden REGEX "^(namespace \\{|static )")
  if(hidden)
    message(FATAL_ERROR "${header} defines something per translation unit: ${hidden}")
  endif()
endforeach()
