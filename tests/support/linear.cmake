# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The law "linear": instructions(2n) <= 2.5 * instructions(n) for every verb and every input of
# worst.hpp, counted by callgrind. 50000 more are allowed: memcpy counts as few or many, by size.
#
# With MOST, no verb may take more than so many instructions at the larger size.
#
#   cmake -DPROGRAM=tessera_alir_linear -DVERBS=read,print -DVALGRIND=/usr/bin/valgrind -DSCRATCH=folder
#         -P linear.cmake

cmake_minimum_required(VERSION 3.21)
if(NOT VALGRIND)
  message(STATUS "skipped: valgrind isn't installed")
  return()
endif()

# Sets count_<verb> to the instructions of each function measure_<verb> that ran.
function(count_instructions name n)
  set(out "${SCRATCH}/${name}-${n}")
  file(MAKE_DIRECTORY "${SCRATCH}")
  execute_process(
    COMMAND "${VALGRIND}" --tool=callgrind "--toggle-collect=measure_*" --compress-strings=no
            --compress-pos=no "--callgrind-out-file=${out}" "${PROGRAM}" ${name} ${n}
    RESULT_VARIABLE failed ERROR_VARIABLE words OUTPUT_QUIET)
  if(failed)
    message(FATAL_ERROR "${name} ${n}: ${failed}\n${words}")
  endif()
  # Blocks of `fn=function`, then `line cost`; the cost of a call is among its caller's.
  file(STRINGS "${out}" lines REGEX "^(fn=|[0-9]+ [0-9]+$)")
  set(verb "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^fn=")
      set(verb "")
      if(line MATCHES "^fn=measure_([a-z_]+)")
        set(verb ${CMAKE_MATCH_1})
        math(EXPR sum_${verb} "0${sum_${verb}}")
      endif()
    elseif(verb AND line MATCHES " ([0-9]+)$")
      math(EXPR sum_${verb} "${sum_${verb}} + ${CMAKE_MATCH_1}")
    endif()
  endforeach()
  foreach(verb IN LISTS verbs)
    set(count_${verb} "${sum_${verb}}" PARENT_SCOPE)
  endforeach()
  file(REMOVE "${out}")
endfunction()

execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE names)
string(REGEX MATCHALL "[a-z0-9_]+" names "${names}")
string(REPLACE "," ";" verbs "${VERBS}")
set(bad "")
set(n 2000)
math(EXPR twice "2 * ${n}")
foreach(name IN LISTS names)
  count_instructions(${name} ${n})
  foreach(verb IN LISTS verbs)
    set(once_${verb} "${count_${verb}}")
  endforeach()
  count_instructions(${name} ${twice})
  if(once_read STREQUAL "" OR count_read STREQUAL "")
    message(FATAL_ERROR "callgrind counted nothing for ${name}")
  endif()
  foreach(verb IN LISTS verbs)
    if(once_${verb} STREQUAL "")
      continue()
    endif()
    math(EXPR ratio "100 * ${count_${verb}} / ${once_${verb}}")
    math(EXPR allowed "5 * ${once_${verb}} / 2 + 50000")
    message(STATUS "${name} ${verb}: ${once_${verb}}, ${count_${verb}} (${ratio} %)")
    if(MOST AND count_${verb} GREATER MOST)
      string(APPEND bad "\n  ${name} ${verb}: ${count_${verb}} instructions; expected at most ${MOST}")
    endif()
    if(count_${verb} GREATER allowed)
      string(APPEND bad "\n  ${name} ${verb}: ${ratio} %")
    endif()
  endforeach()
endforeach()
if(bad)
  message(FATAL_ERROR "too many instructions, or more than 2.5 times as many for twice the input:${bad}")
endif()
