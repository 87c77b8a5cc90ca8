# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Compiles the example at the top of each header of NAC that is outside of its facade, and of the
# builder of NEM: the first indented block of comments, as a function whose parameters are what the
# example takes for granted.
#
#   cmake -DROOT=. -DCXX=g++ -DSCRATCH=dir -P cmake/header_examples.cmake

cmake_minimum_required(VERSION 3.21)
file(MAKE_DIRECTORY "${SCRATCH}")
set(given_assembly "std::string_view source")
set(given_quantization "const nac::tensor& tensor, view<std::uint32_t> shape")
set(given_safetensors "bytes mapped")
set(given_weights "const result<nac::model>& file, const nac::parts& parts, bytes mapped, nac::sink& sink")
set(given_execution_plan "const nac::model& file")
set(given_tokenizer "const nac::model& file")
set(given_builder "")

set(code "#include <iostream>\n#include \"tessera/core/describe.hpp\"\n#include \"tessera/nac/all.hpp\"\n#include \"tessera/nem.hpp\"\n
using namespace tessera;
struct anything {
  template <class T>
  anything(const T&) {}
};
anything fail(const text& message);
template <class... T>
void use(const T&...);
")
foreach(path IN ITEMS nac/assembly nac/quantization nac/safetensors nac/weights nac/execution_plan
                      nac/tokenizer nem/builder)
  get_filename_component(name "${path}" NAME)
  set(header "include/tessera/${path}.hpp")
  file(READ "${ROOT}/${header}" text)
  string(FIND "${text}" "\n//\n//   " at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${header} has no example")
  endif()
  math(EXPR at "${at} + 3")
  string(SUBSTRING "${text}" ${at} -1 text)
  string(FIND "${text}" "\n//\n" end)
  string(SUBSTRING "${text}" 0 ${end} example)
  string(REPLACE "\n//   " "\n  " example "${example}")
  string(APPEND code "\nanything ${name}(${given_${name}});\nanything ${name}(${given_${name}}) {\n"
                     "#line 6 \"${header}\"${example}\n  return 0;\n}\n")
endforeach()
file(WRITE "${SCRATCH}/examples.cpp" "${code}")
execute_process(COMMAND "${CXX}" -std=c++20 -DTESSERA_COMPILED "-I${ROOT}/include" -w -fsyntax-only
                        "${SCRATCH}/examples.cpp" RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  message(NOTICE "${errors}")
  message(FATAL_ERROR "The example of a header doesn't compile; see above.")
endif()
