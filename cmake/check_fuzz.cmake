# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Checks that foreign bytes meet a fuzzer wherever they enter: each function of a public header, or of
# a folder of src where files enter, that takes text or bytes, and each public one that takes a model
# which nobody has verified yet, has a row in the table "Entry points" of fuzz/README.md; and the target
# that is named there, with the headers of fuzz/ that it includes, has the function's name.
#
#   cmake -DROOT=. -P cmake/check_fuzz.cmake

cmake_minimum_required(VERSION 3.21)
cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)

set(problems "")
macro(problem text)
  string(APPEND problems "  ${text}\n")
endmacro()

# What a parameter's type begins with where bytes may be anyone's. Names of files aren't among them.
set(foreign "(std::string_view|bytes|std::span<const std::byte>|view<std::string_view>)&* [a-z_]+")
# The same where it is what a reader gives.
set(unproven "([a-z0-9]+::)?(model|pipeline|plan|registry|stream|stream_view|parts)&* [a-z_]+")

# ---- what headers declare

# Sets `out` to the functions that a header declares for others and that take something of a type, in
# order: without comments, private parts of classes at the outermost level, and namespaces of details.
function(functions_of header type out)
  file(READ "${header}" text)
  string(REGEX REPLACE "\n}  // namespace" "\n@" text "${text}")
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\\\\\n" " " text "${text}")
  string(REPLACE ";" "," text "${text}")
  string(REGEX REPLACE "namespace detail {\n((struct|class) [a-z_]+,\n)+}" "" text "${text}")
  string(REGEX REPLACE "[][]" " " text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(shown "")
  set(hidden "")  # the line that ends a hidden part
  foreach(line IN LISTS lines)
    if(hidden)
      if(line MATCHES "${hidden}")
        set(hidden "")
      endif()
    elseif(line MATCHES "^#")
    elseif(line MATCHES "^ (private|protected):")
      set(hidden "^(}| public:)")
    elseif(line MATCHES "^namespace ([a-z0-9_]+::)*detail {")
      set(hidden "^@")
    else()
      string(APPEND shown "${line} ")
    endif()
  endforeach()
  string(REGEX REPLACE " +" " " shown "${shown}")
  # A name, its parameters up to the first that is foreign, and that one.
  string(REGEX MATCHALL "[a-z_0-9]+\\(([^()]*[ ,(&])?(const )?${type}" found " ${shown}")
  set(names "")
  foreach(each IN LISTS found)
    string(REGEX MATCH "^[a-z_0-9]+" name "${each}")
    if(NOT name MATCHES "^(if|for|while|operator|requires)$")
      list(APPEND names ${name})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# ---- what the table says: rows "| `header` | `function`, `function` | `target` |", or "in `target`" where
# something else calls them, or a reason in place of the target

file(STRINGS "${ROOT}/fuzz/README.md" rows REGEX "^\\| `[a-z0-9_]+/[a-z0-9_/]+\\.hpp` \\|")
set(entries "")
foreach(row IN LISTS rows)
  string(REGEX MATCH "^\\| `([a-z0-9_/]+\\.hpp)` \\| ([^|]+) \\| ([^|]+) \\|$" row "${row}")
  set(header "${CMAKE_MATCH_1}")
  set(target "${CMAKE_MATCH_3}")
  string(REGEX MATCHALL "[a-z_0-9]+" functions "${CMAKE_MATCH_2}")
  set(source "")
  if(target MATCHES "^in `([a-z0-9_]+)`")
    if(NOT EXISTS "${ROOT}/fuzz/${CMAKE_MATCH_1}.cpp")
      problem("fuzz/README.md: ${header}: there is no target ${CMAKE_MATCH_1}")
    endif()
  endif()
  if(target MATCHES "^`([a-z0-9_]+)`$")
    set(target "${CMAKE_MATCH_1}")
    if(NOT EXISTS "${ROOT}/fuzz/${target}.cpp")
      problem("fuzz/README.md: ${header}: there is no target ${target}")
      continue()
    endif()
    file(READ "${ROOT}/fuzz/${target}.cpp" source)
    string(REGEX MATCHALL "#include \"[a-z_0-9]+\\.hpp\"" includes "${source}")
    foreach(include IN LISTS includes)
      string(REGEX MATCH "[a-z_0-9]+\\.hpp" include "${include}")
      if(EXISTS "${ROOT}/fuzz/${include}")
        file(READ "${ROOT}/fuzz/${include}" more)
        string(APPEND source "${more}")
      endif()
    endforeach()
    string(REGEX REPLACE "//[^\n]*" "" source "${source}")
  endif()
  foreach(function IN LISTS functions)
    if("${header}:${function}" IN_LIST entries)
      problem("fuzz/README.md: ${header}: ${function} is there twice")
    endif()
    list(APPEND entries "${header}:${function}")
    if(source AND NOT source MATCHES "[^a-z_0-9]${function}( [a-z_]+)?[ \n]*[({<]")
      problem("fuzz/${target}.cpp: doesn't call ${function} of ${header}, as fuzz/README.md says")
    endif()
  endforeach()
endforeach()

# ---- both

file(GLOB_RECURSE headers RELATIVE "${ROOT}/include/tessera" "${ROOT}/include/tessera/*.hpp")
list(FILTER headers EXCLUDE REGEX "/detail/")
file(GLOB private RELATIVE "${ROOT}/src" "${ROOT}/src/io/*.hpp" "${ROOT}/src/genome/*.hpp" "${ROOT}/src/import/*.hpp"
     "${ROOT}/src/vm/tokenizer/*.hpp" "${ROOT}/src/vm/execution_plan/*.hpp" "${ROOT}/src/cli/lsp_*.hpp")
set(declared "")
# Of each header, what takes `type` has to be in the table.
macro(check_headers folder type what)
  foreach(header IN ITEMS ${ARGN})
    functions_of("${ROOT}/${folder}/${header}" "${type}" names)
    foreach(name IN LISTS names)
      list(APPEND declared "${header}:${name}")
      if(NOT "${header}:${name}" IN_LIST entries)
        problem("${header}: ${name} takes ${what}: expected a row in fuzz/README.md, \"Entry points\"")
      endif()
    endforeach()
  endforeach()
endmacro()
check_headers(include/tessera "${foreign}" "text or bytes" ${headers})
check_headers(src "${foreign}" "text or bytes" ${private})
list(FILTER headers INCLUDE REGEX "^(alir|ark|genome|nac|nem|pt2)/")
list(FILTER headers EXCLUDE REGEX "/(format|model|shapes)\\.hpp")  # which look things up
check_headers(include/tessera "${unproven}" "an unproven model" ${headers})
foreach(entry IN LISTS entries)
  if(NOT entry IN_LIST declared)
    problem("fuzz/README.md: ${entry}: there is no such function that takes text, bytes or an unproven model")
  endif()
endforeach()

if(problems)
  message(FATAL_ERROR "entry points:\n${problems}")
endif()
list(LENGTH entries count)
message(STATUS "${count} entry points are fuzzed, or say why not")
