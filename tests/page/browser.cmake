# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Opens a page of a file of each format in Chromium: browser.js, added to the page, searches, clicks,
# unfolds and measures; nothing may be logged as an error.
#
#   cmake -DROOT=. -DTOOL=build/src/tessera -DSCRATCH=... -P tests/page/browser.cmake

cmake_minimum_required(VERSION 3.21)
cmake_path(ABSOLUTE_PATH ROOT NORMALIZE)
cmake_path(ABSOLUTE_PATH TOOL NORMALIZE)
cmake_path(ABSOLUTE_PATH SCRATCH NORMALIZE)
find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
if(NOT CHROMIUM)
  message(STATUS "skipped: Chromium isn't installed")
  return()
endif()
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}")
file(READ "${ROOT}/tests/page/browser.js" script)

# A page of these arguments, which must show what `features` says: folded, timeline, weights, members,
# genes, marks, evil.
function(check_page name code features)
  set(page "${SCRATCH}/${name}.html")
  execute_process(COMMAND "${TOOL}" view ${ARGN} -o "${page}" WORKING_DIRECTORY "${ROOT}/tests/data"
                  RESULT_VARIABLE got ERROR_VARIABLE said)
  if(NOT got EQUAL code)
    message(FATAL_ERROR "${name}: exit status ${got}, not ${code}: ${said}")
  endif()
  file(SIZE "${page}" size)
  if(size GREATER 5000000)
    message(FATAL_ERROR "${name}: ${size} bytes")
  endif()
  file(READ "${page}" content)
  file(WRITE "${SCRATCH}/${name}.test.html" "${content}")
  file(APPEND "${SCRATCH}/${name}.test.html" "<script>const expected = '${features}'.split(' ');\n")
  file(APPEND "${SCRATCH}/${name}.test.html" "${script}</script>\n")
  execute_process(
    COMMAND "${CHROMIUM}" --headless --no-sandbox --disable-gpu "--user-data-dir=${SCRATCH}/profile"
            --window-size=1280,800 --enable-logging=stderr --virtual-time-budget=5000 --dump-dom
            "file://${SCRATCH}/${name}.test.html"
    TIMEOUT 60 OUTPUT_VARIABLE dom ERROR_VARIABLE log RESULT_VARIABLE got)
  if(log MATCHES "CONSOLE[^\n]*")
    message(FATAL_ERROR "${name}: ${CMAKE_MATCH_0}")
  endif()
  string(REGEX MATCH "<pre id=\"result\">[^<]*" result "${dom}")
  string(REGEX REPLACE "^[^>]*>|\n" "" result "${result}")
  if(NOT result MATCHES "^ok: [1-9][0-9]* checks$")
    message(FATAL_ERROR "${name}: ${result} (${got})")
  endif()
  message(STATUS "${name}: ${result}")
endfunction()

file(READ "${ROOT}/tests/data/ark/cli/mlp.json" model)
set(evil "</script><script>window.evil=1</script><img src=x onerror=window.evil=1>\\\\u202eabc\\\\u001b[31m")
string(REGEX REPLACE "\"Name\": *\"[^\"]*\"" "\"Name\":\"${evil}\"" model "${model}")
file(WRITE "${SCRATCH}/evil.json" "${model}")

# Six layers of five operations, each with a weight.
set(parameters "")
set(tensors "")
set(loads "")
set(code "  v6 = input\n")
set(last v6)
foreach(layer RANGE 5)
  math(EXPR id "${layer} + 1")
  string(APPEND parameters "  ${id} = \"layers.${layer}.scale\"\n")
  string(APPEND tensors "  ${id} = f32 [2] hex { 0000803f 00000040 }\n")
  string(APPEND loads "  v${layer} = parameter ${id}\n")
  set(before ${last})
  foreach(step IN ITEMS "nac.mul(LAST, v${layer})" "nac.add(LAST, 1.5)" "nac.sub(LAST, LAST)"
                        "nac.mul(LAST, 2.0)" "nac.add(LAST, ${before})")
    string(REPLACE LAST "${last}" step "${step}")
    string(REGEX MATCHALL "\n" made "${code}")
    list(LENGTH made count)
    math(EXPR next "6 + ${count}")
    string(APPEND code "  v${next} = ${step}\n")
    set(last v${next})
  endforeach()
endforeach()
math(EXPR next "${next} + 1")
file(WRITE "${SCRATCH}/layers.txt" "nac 1.8\ninputs 1\noutputs 1\nparameters:\n${parameters}input_names:\n  6 = \"x\"\n"
     "tensors:\n${tensors}code:\n${loads}${code}  v${next} = output(${last})\n")
execute_process(COMMAND "${TOOL}" assemble "${SCRATCH}/layers.txt" "${SCRATCH}/layers.nac" RESULT_VARIABLE got
                ERROR_VARIABLE said)
if(NOT got EQUAL 0)
  message(FATAL_ERROR "layers.txt: ${said}")
endif()

check_page(layers 0 "graph folded timeline weights text" "${SCRATCH}/layers.nac" --shape 2 --random 1)
check_page(nac 0 "graph timeline weights text" nac/mini_v18.nac --shape 1x3 --random 1)
check_page(nem 0 "graph timeline text" nem/programs/convolution_ping_pong.nem)
check_page(race 1 "marks text" nem/rules/HAZ-001_bad.nem)
check_page(ark 0 "graph text" ark/cli/mlp.json)
check_page(ranks 0 "graph text" ark/cli/pair.r0.json ark/cli/pair.r1.json)
check_page(plan 0 "graph timeline text" ark/cli/mlp.plan.json)
file(READ "${ROOT}/tests/data/ark/cli/mlp.plan.json" second)
string(REPLACE "\"Rank\": 0" "\"Rank\": 1" second "${second}")
string(REPLACE "\"WorldSize\": 1" "\"WorldSize\": 2" second "${second}")
string(REPLACE "\"Rank\": 1" "\"Rank\": 0" first "${second}")
file(WRITE "${SCRATCH}/plan.r0.json" "${first}")
file(WRITE "${SCRATCH}/plan.r1.json" "${second}")
check_page(plans 0 "graph timeline text" "${SCRATCH}/plan.r0.json" "${SCRATCH}/plan.r1.json")
check_page(two_plans 0 "graph timeline text" ark/cli/mlp.plan.json ark/cli/mlp.plan.json)
file(READ "${ROOT}/tests/data/ark/cli/mlp.json" changed)
string(REPLACE "\"Relu\"" "\"Exp\"" changed "${changed}")
file(WRITE "${SCRATCH}/exp.json" "${changed}")
check_page(two_models 0 "graph marks text" ark/cli/mlp.json "${SCRATCH}/exp.json")
file(READ "${ROOT}/tests/data/nem/programs/gemm_blocked.nem" changed)
string(REPLACE "inner = 4" "inner = 5" changed "${changed}")
file(WRITE "${SCRATCH}/longer.nem" "${changed}")
check_page(two_programs 0 "graph timeline marks text" nem/programs/gemm_blocked.nem "${SCRATCH}/longer.nem")
check_page(evil 0 "graph text evil" "${SCRATCH}/evil.json")
check_page(alir 0 "graph text" alir/ok/all_ops.v4.json)
file(GLOB networks RELATIVE "${ROOT}/tests/data" "${ROOT}/tests/data/genome/networks/*.b64")
check_page(genome 0 "graph members genes" ${networks} --min-nodes 3 --min-score 6)
check_page(subgraphs 0 "graph members genes" ${networks} --connected)
check_page(stream 0 "graph members genes" genome/networks/encoder_core.b64 --min-nodes 3 --min-score 6)
check_page(containers 0 "graph members genes" "${SCRATCH}/layers.nac" nac/mini_v18.nac nac/two_outputs.nac
           --min-nodes 3 --min-score 6)
check_page(pt2 0 "graph weights text" pt2/network.pt2)
