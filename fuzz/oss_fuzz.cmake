# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Runs oss-fuzz.sh, unoptimised and with an engine, for one target of each dictionary and two without: each must
# become a program that takes its seeds, and come with the dictionary that is named here. They are those whose
# libraries take the least time; the usual builds compile the others in the same way.
#
#   cmake -DROOT=. -DCXX=g++ -DENGINE=driver.o -DSCRATCH=build/oss-fuzz -P fuzz/oss_fuzz.cmake

cmake_minimum_required(VERSION 3.21)

# target=dictionary
set(expected alir_read_json=alir ark_read=ark number_roundtrip=json nac_manifest=nac nac_assemble=nac_assemble
    nem_read=nem io_png=- genome_read=- pt2_expression=pt2 registry_read=registry)
list(TRANSFORM expected REPLACE "=.*" "" OUTPUT_VARIABLE names)

set(out "${SCRATCH}/out")
file(REMOVE_RECURSE "${out}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "CXX=${CXX}" CXXFLAGS=-O0 "LIB_FUZZING_ENGINE=${ENGINE}"
          "OUT=${out}" "WORK=${SCRATCH}" CMAKE_BUILD_PARALLEL_LEVEL=2 bash "${ROOT}/fuzz/oss-fuzz.sh" ${names}
  RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "oss-fuzz.sh: ${status}\n${log}")
endif()

set(problems "")
foreach(pair IN LISTS expected)
  string(REGEX MATCH "^([^=]+)=(.+)$" pair "${pair}")
  set(name "${CMAKE_MATCH_1}")
  set(dictionary "${CMAKE_MATCH_2}")
  if(dictionary STREQUAL "-")
    if(EXISTS "${out}/${name}.dict")
      string(APPEND problems "  ${name}: has a dictionary; expected none\n")
    endif()
  else()
    execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${out}/${name}.dict" "${ROOT}/fuzz/${dictionary}.dict"
                    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(NOT status EQUAL 0)
      string(APPEND problems "  ${name}: ${name}.dict isn't ${dictionary}.dict\n")
    endif()
  endif()

  # Seeds in a folder or as an archive; the first of them is run.
  set(seeds "${out}/${name}_seed_corpus")
  if(EXISTS "${seeds}.zip")
    file(ARCHIVE_EXTRACT INPUT "${seeds}.zip" DESTINATION "${seeds}")
  endif()
  file(GLOB files "${seeds}/*")
  list(LENGTH files count)
  if(count EQUAL 0)
    string(APPEND problems "  ${name}: no seeds\n")
    continue()
  endif()
  list(GET files 0 seed)
  execute_process(COMMAND "${out}/${name}" "${seed}" RESULT_VARIABLE status OUTPUT_QUIET)
  if(NOT status EQUAL 0)
    string(APPEND problems "  ${name} ${seed}: ${status}\n")
  endif()
endforeach()
if(problems)
  message(FATAL_ERROR "oss-fuzz.sh:\n${problems}")
endif()
list(LENGTH names count)
message(STATUS "oss-fuzz.sh: ${count} targets")
