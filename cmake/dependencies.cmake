# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# What the tool, the tests and the benchmarks need. The headers need nothing.

# Finds an optional pkg-config package as PkgConfig::<name>, and reports what its absence costs.
function(tessera_optional name module debian_package purpose)
  if(PkgConfig_FOUND AND NOT CMAKE_CROSSCOMPILING)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  endif()
  if(TARGET PkgConfig::${name})
    message(STATUS "Tessera: ${module} ${${name}_VERSION}: ${purpose}")
  else()
    message(STATUS "Tessera: ${module} not found: no ${purpose} (Debian: pkg-config ${debian_package})")
  endif()
endfunction()

# What the tool can do, and what it can't, are lines of `tessera --version`.
function(tessera_feature line)
  set_property(GLOBAL APPEND_STRING PROPERTY tessera_features "\\n  ${line}")
endfunction()
function(tessera_optional_of_tool name module debian_package purpose)
  tessera_optional(${ARGV})
  if(TARGET PkgConfig::${name})
    tessera_feature("with ${module} ${${name}_VERSION}: ${purpose}")
  else()
    tessera_feature("without ${module}: no ${purpose}")
  endif()
endfunction()

find_package(PkgConfig QUIET)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
tessera_optional_of_tool(LIBDEFLATE libdeflate libdeflate-dev ".gz files")
tessera_optional_of_tool(ZSTD libzstd libzstd-dev ".zst files")
tessera_optional_of_tool(PNG libpng libpng-dev "images of NAC's execution plans")
tessera_optional_of_tool(PCRE2 libpcre2-8 libpcre2-dev "tokenizers of NAC containers with expressions")
tessera_optional_of_tool(UTF8PROC libutf8proc libutf8proc-dev "tokenizers of NAC containers that normalise")

if(TESSERA_MPI)
  find_package(MPI COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "TESSERA_MPI needs MPI (Debian and Ubuntu: apt-get install libopenmpi-dev openmpi-bin).")
  endif()
  message(STATUS "Tessera: MPI ${MPI_CXX_VERSION}: a process for each rank of an ARK model")
  tessera_feature("with MPI ${MPI_CXX_VERSION}: a process for each rank of an ARK model")
else()
  tessera_feature("without MPI: all ranks of an ARK model in one process")
endif()

if(TESSERA_BUILD_TOOLS)
  find_package(CLI11 CONFIG QUIET)
  if(NOT CLI11_FOUND)
    message(FATAL_ERROR "The tessera tool needs CLI11 (Debian and Ubuntu: apt-get install libcli11-dev).\n"
                        "To go without the tool, configure with -DTESSERA_BUILD_TOOLS=OFF.")
  endif()
  message(STATUS "Tessera: CLI11 ${CLI11_VERSION}: the tessera tool")
endif()

if(TESSERA_BUILD_TESTS)
  find_package(Catch2 CONFIG QUIET)
  if(NOT Catch2_FOUND)
    message(FATAL_ERROR "The tests need Catch2, 2.13 or 3 (Debian and Ubuntu: apt-get install catch2).\n"
                        "To go without them, configure with -DTESSERA_BUILD_TESTS=OFF.")
  endif()
endif()
if(TESSERA_BUILD_BENCHMARKS)
  find_package(benchmark CONFIG QUIET)
  if(NOT benchmark_FOUND)
    message(FATAL_ERROR "The benchmarks need Google Benchmark (Debian and Ubuntu: apt-get install libbenchmark-dev).\n"
                        "To go without them, configure with -DTESSERA_BUILD_BENCHMARKS=OFF.")
  endif()
  tessera_optional(OPENBLAS openblas libopenblas-dev "benchmarks of matrix products and convolutions")
  if(NOT CMAKE_CROSSCOMPILING)
    find_package(dnnl CONFIG QUIET)
  endif()
  if(TARGET DNNL::dnnl)
    message(STATUS "Tessera: oneDNN ${dnnl_VERSION}: benchmark of products of bytes")
  else()
    message(STATUS "Tessera: oneDNN not found: no benchmark of products of bytes (Debian: libdnnl-dev)")
  endif()
  find_package(pegtl CONFIG QUIET)
  if(TARGET taocpp::pegtl)
    message(STATUS "Tessera: PEGTL ${pegtl_VERSION}: benchmark of reading NEM")
  else()
    message(STATUS "Tessera: PEGTL not found: no benchmark of reading NEM (Debian: tao-pegtl-dev)")
  endif()
endif()
# A cross build goes without the libraries that are there for the host only, and without comparisons.
if(NOT CMAKE_CROSSCOMPILING
   AND (TESSERA_BUILD_TESTS OR TESSERA_BUILD_FUZZERS OR TESSERA_BUILD_BENCHMARKS))
  find_package(simdjson CONFIG QUIET)
  if(NOT simdjson_FOUND AND NOT TESSERA_FUZZING_ENGINE)  # which goes without its one target
    message(FATAL_ERROR "Tests, fuzz targets and benchmarks compare with simdjson "
                        "(Debian and Ubuntu: apt-get install libsimdjson-dev).\n"
                        "To go without them, configure with -DTESSERA_DEV=OFF.")
  endif()
endif()
