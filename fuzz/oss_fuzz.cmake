# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Runs oss-fuzz.sh, unoptimised and with an engine: every source that is a fuzz target must become a
# program that takes one of its seeds, and come with the dictionary that is named here.
#
#   cmake -DROOT=. -DCXX=g++ -DENGINE=driver.o -DSCRATCH=build/oss-fuzz -P fuzz/oss_fuzz.cmake

cmake_minimum_required(VERSION 3.21)

set(alir alir_emit alir_inspect alir_optimize alir_pipeline alir_read_bytecode alir_read_json alir_roundtrip alir_run)
set(ark ark_plan ark_read ark_roundtrip ark_to_nac ark_verify_run)
set(json core_text json_diff nac_safetensors number_roundtrip tokenizer_import)
set(nac nac_manifest nac_optimize nac_read nac_roundtrip nac_run nac_to_ark nac_weights tisa)
set(nac_assemble nac_assemble nac_lower)
set(nem nem_build nem_inspect nem_lsp nem_print_fixpoint nem_read nem_run nem_verify)
set(none genome_corpus genome_expand genome_read genome_run io_arrays io_compress io_png)
set(pt2 pt2_expression pt2_read)
set(registry genome_synthesize registry_read)

set(out "${SCRATCH}/out")
file(REMOVE_RECURSE "${out}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "CXX=${CXX}" CXXFLAGS=-O0 "LIB_FUZZING_ENGINE=${ENGINE}"
          "OUT=${out}" "WORK=${SCRATCH}" CMAKE_BUILD_PARALLEL_LEVEL=2 bash "${ROOT}/fuzz/oss-fuzz.sh"
  RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "oss-fuzz.sh: ${status}\n${log}")
endif()

set(problems "")
set(expected "")
foreach(dictionary IN ITEMS alir ark json nac nac_assemble nem none pt2 registry)
  foreach(name IN LISTS ${dictionary})
    list(APPEND expected ${name})
    if(name STREQUAL "json_diff" AND NOT log MATCHES "json_diff: built")
      continue()  # there is no simdjson
    endif()
    if(NOT log MATCHES "(^|\n)${name}: built")
      string(APPEND problems "  ${name}: not built\n")
      continue()
    endif()
    if(dictionary STREQUAL "none")
      if(EXISTS "${out}/${name}.dict")
        string(APPEND problems "  ${name}: has a dictionary; expected none\n")
      endif()
    else()
      execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${out}/${name}.dict"
                              "${ROOT}/fuzz/${dictionary}.dict"
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
endforeach()

# A target that this script doesn't know has no dictionary that it was meant to have.
file(GLOB sources "${ROOT}/fuzz/*.cpp")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  if(NOT name IN_LIST expected AND NOT name MATCHES "^(dictionary|driver|engine|plain_driver)$")
    string(APPEND problems "  ${name}: expected it in the lists of oss_fuzz.cmake\n")
  endif()
endforeach()
if(problems)
  message(FATAL_ERROR "oss-fuzz.sh:\n${problems}")
endif()
list(LENGTH expected count)
message(STATUS "oss-fuzz.sh: ${count} targets")
