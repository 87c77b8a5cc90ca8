# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# tessera_dev: link it privately to anything we build ourselves. It is never installed, so our
# warnings, and what isn't an interface, stay ours.

set(TESSERA_WARNINGS
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wundef
    -Wcast-qual)
# GCC 12 warns of overlaps inside std::string that can't be (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND TESSERA_WARNINGS -Wno-restrict)
endif()
# std::stable_sort of libstdc++ 12 calls what C++17 deprecates, and newer Clangs see that.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
  list(APPEND TESSERA_WARNINGS -Wno-deprecated-declarations)
endif()
# Not -Wuseless-cast: a uint64_t cast to size_t is useless on 64-bit hosts and needed on 32-bit ones.

add_library(tessera_dev INTERFACE)
target_include_directories(tessera_dev INTERFACE "${PROJECT_SOURCE_DIR}/src")
if(MSVC)
  target_compile_options(tessera_dev INTERFACE /W4 /permissive-)
else()
  target_compile_options(tessera_dev INTERFACE ${TESSERA_WARNINGS}
                         $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
endif()
