# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Neovim's client of the Language Server Protocol, headless, with the files for editors and `tessera lsp`.
#
#   cmake -DROOT=. -DTOOL=build/src/tessera -DSCRATCH=... -P tests/lsp/neovim.cmake

cmake_minimum_required(VERSION 3.21)
find_program(NVIM nvim)
if(NOT NVIM)
  message(STATUS "skipped: nvim isn't installed")
  return()
endif()
cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)
cmake_path(ABSOLUTE_PATH TOOL NORMALIZE)
cmake_path(ABSOLUTE_PATH SCRATCH NORMALIZE)
file(REMOVE_RECURSE "${SCRATCH}")
file(WRITE "${SCRATCH}/devices.nem" [=[
include "npm_baseline_1.0.nem"
device small extends npm_baseline_1_0 {
  topology { num_engines = 1 l2_size_bytes = 4096 device_units { sDMA = 1 } per_engine {
    NMU = 1 CSTL = 2 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 1024 } }
}
]=])
file(WRITE "${SCRATCH}/tiles.nem" [=[
include "devices.nem"
device small
program tiles:
const n = 8
buffer A : L2 (size=n * 64)
buffer B : L1[0] (size=512)
let x = region(B, 0, 256)
    elem=f16, shape=[8, 16], layout=HW
let y = region(B, 256, 256)
    elem=f16, shape=[8, 16], layout=HW
loop i in [0..1]:
  t = transfer.async(dst=x, src=region(A, i * 256, 256))
  r = relu.async
      in  x
      out y
      deps=[t]
  wait(r)
endloop
]=])
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "TESSERA=${TOOL}" "XDG_STATE_HOME=${SCRATCH}/state" "XDG_CACHE_HOME=${SCRATCH}/cache"
          "${NVIM}" --headless -u NONE -i NONE -n --cmd "set runtimepath^=${ROOT}/cmake/editors/vim"
          --cmd "filetype plugin on" -c "luafile ${ROOT}/tests/lsp/neovim.lua"
  WORKING_DIRECTORY "${SCRATCH}" TIMEOUT 120 RESULT_VARIABLE code OUTPUT_VARIABLE shown ERROR_VARIABLE shown)
if(NOT EXISTS "${SCRATCH}/found")
  message(FATAL_ERROR "${NVIM} ended with ${code}: ${shown}")
endif()
file(READ "${SCRATCH}/found" found)
if(NOT found MATCHES "^done, ([0-9]+) checks\n$")
  message(FATAL_ERROR "${found}${shown}")
endif()
message(STATUS "${NVIM}: ${CMAKE_MATCH_1} checks")
