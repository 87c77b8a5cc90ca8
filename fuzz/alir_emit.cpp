// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// C++ and Verilog of ALIR programs: printable ASCII with the name that was asked for, brackets that
// close, the same twice; and of a pipeline of one block what the program's is. What doesn't verify is
// the seed of a random program.

#include <string>
#include <string_view>
#include <tessera/alir.hpp>
#include <tessera/transform/emit.hpp>
#include <tessera/transform/pipeline_alir.hpp>
#include <utility>

#include "alir_random.hpp"
#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

void check_text(const text& made, std::string_view name) {
  int open = 0;
  for (const char c : made.view()) {
    fuzz::require(c == '\n' || (c >= ' ' && c <= '~'), "a text is ASCII");
    open += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
    fuzz::require(open >= 0, "brackets open first");
  }
  fuzz::require(open == 0, "brackets close");
  fuzz::require(made.view().find(name) != std::string_view::npos, "a text has its name");
}

void check_cpp(const alir::program& p, std::string_view asked, std::string_view name) {
  const text made = transform::to_cpp(p, asked);
  check_text(made, name);
  fuzz::require(transform::to_cpp(p, name) == made, "a name is made an identifier once");
}
void check_verilog(const alir::program& p, std::string_view asked, std::string_view name) {
  const text made = transform::to_verilog(p, asked);
  check_text(made, name);
  fuzz::require(transform::to_verilog(p, name) == made, "a name is made an identifier once");
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const std::size_t seed = fuzz::below(source, std::size_t{1} << 30);
  fuzz::turns turn(source);
  const auto p = fuzz::program_of(source, turn, [&] { return fuzz::random_model(seed, 30); });
  if (!p) return 0;
  if (p->size() > 300 || p->model().n_inputs > 300 || p->model().n_outputs > 300) return 0;
  const std::string_view asked = source.substr(0, 20);
  const std::string name = transform::identifier_of(asked);
  if (turn.one_in(4)) check_cpp(*p, asked, name);
  if (turn.one_in(4)) check_verilog(*p, asked, name);
  if (turn.one_in(16)) check_text(transform::to_verilog_test_bench(*p, asked, 8), name + "_tb");
  if (!turn.one_in(16)) return 0;
  const transform::alir_pipelined made = transform::to_pipeline(
      *p, {.stages = 1 + static_cast<std::uint32_t>(seed % 3), .max_work = 1 << 16});
  if (!made.refusal.empty()) return 0;
  const auto staged = alir::verify(alir::pipeline(made.pipeline));
  fuzz::require(static_cast<bool>(staged), "a pipeline verifies");
  check_text(transform::to_verilog(*staged, asked), name);
  check_text(transform::to_verilog_test_bench(*staged, asked, 8), name + "_tb");
  return 0;
}
