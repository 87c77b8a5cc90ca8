# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# The editor files of NEM: what is JSON is valid, and Neovim or Vim colours words as what they are.
#
#   cmake -DROOT=. -DSCRATCH=... -P editors.cmake

cmake_minimum_required(VERSION 3.21)
foreach(name IN ITEMS package.json language-configuration.json syntaxes/nem.tmLanguage.json)
  file(READ "${ROOT}/cmake/editors/vscode/${name}" content)
  string(JSON kind ERROR_VARIABLE error TYPE "${content}")
  if(error)
    message(FATAL_ERROR "cmake/editors/vscode/${name}: ${error}")
  endif()
endforeach()

find_program(VIM NAMES nvim vim)
if(NOT VIM)
  message(STATUS "skipped: neither nvim nor vim is installed")
  return()
endif()
file(WRITE "${SCRATCH}/words.nem" [=[
device d extends base { opcode.mandatory { cast.default } }
buffer A : L2 (size=64) @readonly @nonsense
let R = region(A, 0, 64) elem=bf16, shape=[4], layout=C # relu "
t0 = softmax.sync in R out R axis=-1 deps=[t1] @resource(CSTL[0])
include "relu.nem"
let x = 1.5e-3
]=])
# The group of each word: its line and column.
set(words "1,1:nemReserved" "1,10:nemField" "1,25:nemField" "1,44:nemOpcode" "2,12:nemMemory" "2,16:nemField"
    "2,21:nemNumber" "2,25:nemDecorator" "2,35:nemUnknownDecorator" "3,31:nemElement" "3,60:nemComment"
    "4,6:nemOpcode" "4,14:nemMode" "4,30:nemAttribute" "4,38:nemField" "4,48:nemDecorator" "4,58:nemUnit"
    "5,10:nemString" "6,11:nemNumber")
set(script "let s:wrong = []\n")
foreach(word IN LISTS words)
  string(REGEX MATCH "^([0-9]+),([0-9]+):(.*)$" word "${word}")
  string(APPEND script "let s:got = synIDattr(synID(${CMAKE_MATCH_1}, ${CMAKE_MATCH_2}, 1), 'name')\n"
         "if s:got !=# '${CMAKE_MATCH_3}'\n"
         "  call add(s:wrong, '${CMAKE_MATCH_1}:${CMAKE_MATCH_2} is ' . s:got . ', not ${CMAKE_MATCH_3}')\n"
         "endif\n")
endforeach()
string(APPEND script "call writefile([&filetype, &commentstring] + s:wrong, 'found')\nqall!\n")
file(WRITE "${SCRATCH}/check.vim" "${script}")
file(REMOVE "${SCRATCH}/found")
set(headless -es)
if(VIM MATCHES "nvim$")
  set(headless --headless)
endif()
execute_process(
  COMMAND "${VIM}" ${headless} -N -u NONE -i NONE --cmd "set runtimepath^=${ROOT}/cmake/editors/vim"
          --cmd "filetype plugin on" --cmd "syntax on" -c "source check.vim" words.nem
  WORKING_DIRECTORY "${SCRATCH}" TIMEOUT 30 RESULT_VARIABLE code OUTPUT_VARIABLE shown ERROR_VARIABLE shown)
if(NOT EXISTS "${SCRATCH}/found")
  message(FATAL_ERROR "${VIM} ended with ${code}: ${shown}")
endif()
file(READ "${SCRATCH}/found" found)
if(NOT found STREQUAL "nem\n# %s\n")
  message(FATAL_ERROR "expected the type nem, comments after #, and no wrong group; found:\n${found}")
endif()
list(LENGTH words count)
message(STATUS "${VIM}: ${count} words")
