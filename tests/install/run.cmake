# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Builds and runs one consumer in a folder of its own, under the strict flags.
#
#   cmake -DROOT=. -DCXX=g++ -DSCRATCH=dir -DPREFIX=dir -DCASE=find_package -P run.cmake

cmake_minimum_required(VERSION 3.21)
include("${ROOT}/cmake/strict.cmake")
set(here "${CMAKE_CURRENT_LIST_DIR}")
string(JOIN " " strict_line ${strict})
file(STRINGS "${ROOT}/include/tessera/version.hpp" version REGEX "^#define TESSERA_VERSION_STRING ")
string(REGEX REPLACE ".*\"(.*)\".*" "\\1" version "${version}")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${SCRATCH}" RESULT_VARIABLE failed
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    string(JOIN " " command ${ARGN})
    message(NOTICE "$ ${command}\n${output}")
    message(FATAL_ERROR "${CASE}: a command failed; see above.")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_output program wanted)
  run("${program}")
  if(NOT output STREQUAL "${wanted}\n")
    message(FATAL_ERROR "${CASE}: expected '${wanted}', got '${output}'")
  endif()
endfunction()

set(greeting "Tessera ${version}: 2 operations")

# Header-only, and with the definitions in a file of their own.
function(both_modes header)
  run("${CXX}" ${strict} -DEXPECT_COMPILED=0 "-DTESSERA_INCLUDE=\"${header}\"" main.cpp -o program)
  expect_output("${SCRATCH}/program" "${greeting}")
  file(WRITE "${SCRATCH}/implementation.cpp" "#define TESSERA_IMPLEMENTATION\n#include \"${header}\"\n")
  run("${CXX}" ${strict} -DTESSERA_COMPILED -DEXPECT_COMPILED=1 "-DTESSERA_INCLUDE=\"${header}\"" main.cpp
      implementation.cpp -o compiled)
  expect_output("${SCRATCH}/compiled" "${greeting}")
  # Without that file the program doesn't link, so the first one wasn't header-only by mistake.
  execute_process(COMMAND "${CXX}" -std=c++20 -DTESSERA_COMPILED -DEXPECT_COMPILED=1
                          "-DTESSERA_INCLUDE=\"${header}\"" main.cpp
                  WORKING_DIRECTORY "${SCRATCH}" RESULT_VARIABLE failed ERROR_VARIABLE errors)
  if(NOT failed OR NOT errors MATCHES "undefined reference to .*tessera")
    message(FATAL_ERROR "A compiled program links without its definitions: ${errors}")
  endif()
endfunction()

# What the callers of machines print.
set(data "${ROOT}/tests/data")
set(arguments_alir "${data}/alir/ok/all_ops.v2.json")
set(arguments_ark "${data}/ark/ok/mlp.d3.json")
set(arguments_genome "${data}/genome/registry.json" "${data}/genome/while.b64")
set(arguments_nac "${data}/nac/mini_v18.nac")
set(arguments_nem "${data}/nem/programs/gemm_blocked.nem")
set(output_alir "-1")
set(output_ark "0.0625")  # a softmax of 16 equal numbers
set(output_genome "8")    # 1, doubled three times
set(output_nac "16\n33")
set(output_nem "4c00")  # 16 as float16
function(expect_machine program machine)
  run("${program}" ${arguments_${machine}})
  if(NOT output STREQUAL "${output_${machine}}\n")
    message(FATAL_ERROR "${CASE}: ${machine}: expected '${output_${machine}}', got '${output}'")
  endif()
endfunction()

if(CASE STREQUAL "install")
  # Installs, looks at exactly what was installed, and moves it: nothing may know where it once was.
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/first")
  file(GLOB_RECURSE wanted RELATIVE "${ROOT}" "${ROOT}/include/tessera/*.hpp")
  file(GLOB_RECURSE singles RELATIVE "${ROOT}/include/single" "${ROOT}/include/single/*.hpp")
  foreach(single IN LISTS singles)
    list(APPEND wanted include/tessera/single/${single})
  endforeach()
  foreach(file IN ITEMS config config-version targets targets-${CONFIG})
    list(APPEND wanted lib/cmake/tessera/tessera-${file}.cmake)
  endforeach()
  foreach(library IN ITEMS tessera tessera_vm tessera_inspect tessera_transform)
    list(APPEND wanted lib/lib${library}.a)
  endforeach()
  foreach(package IN ITEMS tessera tessera-compiled tessera-vm tessera-inspect tessera-transform)
    list(APPEND wanted lib/pkgconfig/${package}.pc)
  endforeach()
  list(APPEND wanted share/doc/tessera/LICENSE)
  if(HAS_TOOL)
    list(APPEND wanted bin/tessera share/man/man1/tessera.1
         share/bash-completion/completions/tessera share/zsh/site-functions/_tessera
         share/fish/vendor_completions.d/tessera.fish)
  endif()
  file(GLOB_RECURSE found RELATIVE "${SCRATCH}/first" "${SCRATCH}/first/*")
  list(SORT wanted)
  list(SORT found)
  if(NOT wanted STREQUAL found)
    message(FATAL_ERROR "installed: ${found}\nwanted: ${wanted}")
  endif()
  foreach(file IN LISTS found)
    if(file MATCHES "\\.a$|^bin/")  # whose debug information names sources
      continue()
    endif()
    file(READ "${SCRATCH}/first/${file}" text)
    foreach(place IN ITEMS "${SCRATCH}" "${ROOT}/")
      string(FIND "${text}" "${place}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${file} knows where it was built or installed: ${place}")
      endif()
    endforeach()
  endforeach()
  file(REMOVE_RECURSE "${PREFIX}")
  file(RENAME "${SCRATCH}/first" "${PREFIX}")

elseif(CASE STREQUAL "find_package")
  file(COPY "${here}/find_package/CMakeLists.txt" "${here}/main.cpp" "${here}/machines" DESTINATION "${SCRATCH}")
  run("${CMAKE_COMMAND}" -S . -B build "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${strict_line}"
      "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DWANTED_VERSION=${version}")
  run("${CMAKE_COMMAND}" --build build)
  foreach(program IN ITEMS umbrella one single compiled)
    expect_output("${SCRATCH}/build/${program}" "${greeting}")
  endforeach()
  foreach(machine IN ITEMS alir ark genome nac nem)
    expect_machine("${SCRATCH}/build/machines/run_${machine}" ${machine})
  endforeach()
  # A version that isn't this one, and a format that isn't there, are refused.
  foreach(wrong IN ITEMS -DWANTED_VERSION=99.0 -DWANTED_VERSION=0.0.1)
    execute_process(COMMAND "${CMAKE_COMMAND}" -S . -B wrong "-DCMAKE_PREFIX_PATH=${PREFIX}" ${wrong}
                    WORKING_DIRECTORY "${SCRATCH}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      message(FATAL_ERROR "find_package accepts ${wrong}")
    endif()
  endforeach()

elseif(CASE STREQUAL "add_subdirectory")
  file(COPY "${here}/add_subdirectory/CMakeLists.txt" "${here}/main.cpp" "${here}/machines" DESTINATION "${SCRATCH}")
  run("${CMAKE_COMMAND}" -S . -B build "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${strict_line}"
      "-DTESSERA=${ROOT}" "-DMACHINES=${MACHINES}")
  run("${CMAKE_COMMAND}" --build build)
  foreach(program IN ITEMS umbrella one compiled)
    expect_output("${SCRATCH}/build/${program}" "${greeting}")
  endforeach()
  foreach(machine IN LISTS MACHINES)
    expect_machine("${SCRATCH}/build/machines/run_${machine}" ${machine})
  endforeach()
  run("${CMAKE_COMMAND}" --install build --prefix "${SCRATCH}/prefix")
  file(GLOB_RECURSE installed "${SCRATCH}/prefix/*")
  if(installed)
    message(FATAL_ERROR "As a subproject Tessera installs ${installed}")
  endif()

elseif(CASE STREQUAL "pkg_config")
  find_program(PKG_CONFIG NAMES pkg-config pkgconf)
  if(NOT PKG_CONFIG)
    message(STATUS "skipped: pkg-config isn't here")
    return()
  endif()
  set(ENV{PKG_CONFIG_PATH} "${PREFIX}/lib/pkgconfig")
  foreach(package IN ITEMS tessera tessera-compiled)
    execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs ${package} OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${PKG_CONFIG}" --modversion ${package})
    if(NOT output STREQUAL "${version}\n")
      message(FATAL_ERROR "${package}.pc has version ${output}")
    endif()
    set(is_compiled 0)
    if(package STREQUAL "tessera-compiled")
      set(is_compiled 1)
    endif()
    run("${CXX}" ${strict} -DEXPECT_COMPILED=${is_compiled} "-DTESSERA_INCLUDE=<tessera/alir.hpp>" "${here}/main.cpp"
        ${flags} -o program)
    expect_output("${SCRATCH}/program" "${greeting}")
  endforeach()
  execute_process(COMMAND "${PKG_CONFIG}" --cflags --libs tessera-inspect OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run("${CXX}" ${strict} "${here}/machines/ark.cpp" ${flags} -o program)
  expect_machine("${SCRATCH}/program" ark)

elseif(CASE STREQUAL "single_header")
  # As after `curl -O`: the one file, beside the program.
  file(COPY "${ROOT}/include/single/tessera_alir.hpp" "${here}/main.cpp" DESTINATION "${SCRATCH}")
  both_modes("tessera_alir.hpp")

elseif(CASE STREQUAL "single_headers")
  # Every format's, in both modes: each program reads a file and says how many bytes writing it gives.
  file(COPY "${here}/read_write.cpp" "${here}/machines/file.hpp" DESTINATION "${SCRATCH}")
  set(source_alir "${data}/alir/ok/all_ops.v2.json")
  set(source_ark "${data}/ark/ok/mlp.d3.json")
  set(source_genome "${data}/genome/while.b64")
  set(source_nac "${data}/nac/mini_v18.nac")
  set(source_nem "${data}/nem/programs/gemm_blocked.nem")
  foreach(format IN ITEMS alir ark genome nac nem)
    file(COPY "${ROOT}/include/single/tessera_${format}.hpp" DESTINATION "${SCRATCH}")
    set(flags -std=c++20 -O0 -DFORMAT=${format} "-DTESSERA_INCLUDE=\"tessera_${format}.hpp\"")
    run("${CXX}" ${flags} -DEXPECT_COMPILED=0 read_write.cpp -o program)
    run("${SCRATCH}/program" "${source_${format}}")
    set(header_only "${output}")
    if(NOT header_only MATCHES "^[1-9][0-9]*\n$")
      message(FATAL_ERROR "${format}: expected a number of bytes, got '${header_only}'")
    endif()
    file(WRITE "${SCRATCH}/implementation.cpp" "#define TESSERA_IMPLEMENTATION\n#include \"tessera_${format}.hpp\"\n")
    run("${CXX}" ${flags} -DTESSERA_COMPILED -DEXPECT_COMPILED=1 read_write.cpp implementation.cpp -o compiled)
    run("${SCRATCH}/compiled" "${source_${format}}")
    if(NOT output STREQUAL header_only)
      message(FATAL_ERROR "${format}: compiled mode prints '${output}', header-only '${header_only}'")
    endif()
  endforeach()

elseif(CASE STREQUAL "vendored_folder")
  # The folder, copied under any name, without an include path.
  file(COPY "${ROOT}/include/tessera/" DESTINATION "${SCRATCH}/parts/bin")
  file(COPY "${here}/main.cpp" DESTINATION "${SCRATCH}")
  both_modes("parts/bin/alir.hpp")

elseif(CASE STREQUAL "two_versions")
  # The next patch release, made up.
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)\\.([0-9]+)$" all "${version}")
  math(EXPR number "${CMAKE_MATCH_1} * 10000 + ${CMAKE_MATCH_2} * 100 + ${CMAKE_MATCH_3}")
  math(EXPR next_number "${number} + 1")
  math(EXPR next_patch "${CMAKE_MATCH_3} + 1")
  set(abi v${CMAKE_MATCH_1}_${CMAKE_MATCH_2}_)
  set(next_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.${next_patch})
  file(READ "${ROOT}/include/single/tessera_alir.hpp" text)
  string(REPLACE "TESSERA_VERSION != ${number}" "TESSERA_VERSION != ${next_number}" text "${text}")
  string(REPLACE "#define TESSERA_VERSION ${number}" "#define TESSERA_VERSION ${next_number}" text "${text}")
  string(REPLACE "#define TESSERA_VERSION_STRING \"${version}\""
                 "#define TESSERA_VERSION_STRING \"${next_version}\"" text "${text}")
  string(REPLACE "#define TESSERA_ABI ${abi}${CMAKE_MATCH_3}" "#define TESSERA_ABI ${abi}${next_patch}" text "${text}")
  file(WRITE "${SCRATCH}/next/tessera_alir.hpp" "${text}")

  run("${CXX}" ${strict} "-I${ROOT}/include/single" -c "${here}/two_versions/one.cpp" -o one.o)
  run("${CXX}" ${strict} -Inext -c "${here}/two_versions/two.cpp" -o two.o)
  run("${CXX}" one.o two.o -o program)
  expect_output("${SCRATCH}/program" "${version} and ${next_version}")

  # In one translation unit: refused, whichever comes first and in whichever form.
  foreach(first IN ITEMS single/tessera_alir.hpp tessera/alir.hpp tessera/tessera.hpp)
    foreach(order IN ITEMS 1 2)
      if(order EQUAL 1)
        file(WRITE "${SCRATCH}/both.cpp" "#include \"${ROOT}/include/${first}\"\n#include \"next/tessera_alir.hpp\"\n")
      else()
        file(WRITE "${SCRATCH}/both.cpp" "#include \"next/tessera_alir.hpp\"\n#include \"${ROOT}/include/${first}\"\n")
      endif()
      execute_process(COMMAND "${CXX}" -std=c++20 -fsyntax-only both.cpp WORKING_DIRECTORY "${SCRATCH}"
                      RESULT_VARIABLE failed ERROR_VARIABLE errors)
      if(NOT failed OR NOT errors MATCHES "two versions of Tessera are included in one translation unit")
        message(NOTICE "${errors}")
        message(FATAL_ERROR "Two versions in one translation unit (${first}, order ${order}) aren't refused")
      endif()
    endforeach()
  endforeach()

elseif(CASE STREQUAL "two_modes")
  # Header-only and compiled files in one program keep apart,
  file(WRITE "${SCRATCH}/implementation.cpp" "#define TESSERA_IMPLEMENTATION\n#include <tessera/alir.hpp>\n")
  set(include "-I${ROOT}/include")
  run("${CXX}" ${strict} "${include}" -c "${here}/two_modes/one.cpp" -o one.o)
  run("${CXX}" ${strict} "${include}" -DTESSERA_COMPILED -c "${here}/two_modes/two.cpp" -o two.o)
  run("${CXX}" ${strict} "${include}" -DTESSERA_COMPILED -c implementation.cpp -o implementation.o)
  run("${CXX}" one.o two.o implementation.o -o program)
  expect_output("${SCRATCH}/program" "both read 2 operations")
  # and don't link when they hand each other what differs.
  run("${CXX}" ${strict} "${include}" -DHAND_OVER -c "${here}/two_modes/one.cpp" -o one.o)
  execute_process(COMMAND "${CXX}" one.o two.o implementation.o -o program WORKING_DIRECTORY "${SCRATCH}"
                  RESULT_VARIABLE failed ERROR_VARIABLE errors)
  if(NOT failed OR NOT errors MATCHES "undefined reference to .*count_operations")
    message(FATAL_ERROR "A model of one mode was taken for one of the other: ${errors}")
  endif()
  # In one file, both modes are refused, and so is half of one.
  foreach(text IN ITEMS
          "#include <tessera/alir.hpp>\n#define TESSERA_COMPILED\n#include <tessera/ark.hpp>\n"
          "#define TESSERA_IMPLEMENTATION\n#include <tessera/alir.hpp>\n")
    file(WRITE "${SCRATCH}/refused.cpp" "${text}")
    execute_process(COMMAND "${CXX}" -std=c++20 "${include}" -fsyntax-only refused.cpp WORKING_DIRECTORY "${SCRATCH}"
                    RESULT_VARIABLE failed ERROR_VARIABLE errors)
    if(NOT failed OR NOT errors MATCHES "#?error:? .*TESSERA_COMPILED")
      message(FATAL_ERROR "Not refused:\n${text}${errors}")
    endif()
  endforeach()
  # So are an old language and old or unknown compilers, which the macros pretend to be, each by name.
  # (The preprocessor alone: standard headers know compilers by the same macros.)
  file(WRITE "${SCRATCH}/refused.cpp" "#include <tessera/version.hpp>\n")
  foreach(row IN ITEMS
          "-std=c++17|C[+][+]20"
          "-std=c++20 -U__GNUC__|GCC 12, Clang 14, or a compiler"
          "-std=c++20 -U__clang__ -U__GNUC__ -D__GNUC__=11|GCC 12 or later"
          "-std=c++20 -U__clang__ -D__clang__=1 -U__clang_major__ -D__clang_major__=13|Clang 14 or later")
    string(REGEX MATCH "^(.*)[|](.*)$" row "${row}")
    separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_1}")
    set(wanted "Tessera needs ${CMAKE_MATCH_2}")
    execute_process(COMMAND "${CXX}" ${flags} "${include}" -E refused.cpp WORKING_DIRECTORY "${SCRATCH}"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE errors)
    if(NOT failed OR NOT errors MATCHES "${wanted}")
      message(FATAL_ERROR "${flags}: not refused by name: ${errors}")
    endif()
  endforeach()

elseif(CASE STREQUAL "second_format")
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DROOT=${ROOT}" -DENTRY=tests/install/second_format/entry.hpp
                          "-DOUTPUT=${SCRATCH}/second_format.hpp" -P "${ROOT}/cmake/amalgamate.cmake"
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  foreach(order IN ITEMS 1 2 3)
    run("${CXX}" ${strict} -DORDER=${order} -I. "-I${ROOT}/include/single" "-I${ROOT}/include"
        "${here}/second_format/main.cpp" -o program${order})
    expect_output("${SCRATCH}/program${order}" 42)
  endforeach()

else()
  message(FATAL_ERROR "no case '${CASE}'")
endif()
