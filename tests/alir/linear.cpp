// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One of the worst inputs, of size n, through every verb: linear.cmake runs it under callgrind and
// looks at the instructions of each function measure_*.
//
//   tessera_alir_linear            the names of the inputs
//   tessera_alir_linear NAME N

#include "alir.hpp"
// Keeps the line above where it is.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "tessera/vm/alir.hpp"
#include "worst.hpp"

namespace alir = tessera::alir;

#define TESSERA_MEASURED extern "C" __attribute__((noinline, used))

namespace {
std::string content;
bool is_bytecode = false;
tessera::result<alir::model> model = tessera::error{};
tessera::result<alir::program> program = tessera::error{};
std::optional<tessera::vm::alir::machine> machine;
std::size_t made = 0;
}  // namespace

TESSERA_MEASURED void measure_read() {
  model = is_bytecode ? alir::read_bytecode(tessera::as_bytes(content)) : alir::read_json(content);
}
TESSERA_MEASURED void measure_print() { made += alir::print(*model).size(); }
TESSERA_MEASURED void measure_write_json() {
  for (const int version : {2, 4})
    if (const auto out = alir::write_json(*model, version)) made += out->size();
}
TESSERA_MEASURED void measure_describe() {
  made += tessera::describe({tessera::errc::alir_opcode, content.size() * 9 / 10}, content).size();
}
TESSERA_MEASURED void measure_verify() { program = alir::verify(std::move(*model)); }
TESSERA_MEASURED void measure_write_bytecode() {
  if (const auto out = alir::write_bytecode(program->model())) made += out->size();
}
TESSERA_MEASURED void measure_make_machine() { machine.emplace(*program); }

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const worst::generator& g : worst::generators) {
    if (argc < 3) std::printf("%s\n", std::string(g.name).c_str());
    if (g.name != name || argc < 3) continue;
    content = g.make(std::strtoul(argv[2], nullptr, 10));
    is_bytecode = g.is_bytecode;
    measure_read();
    measure_describe();
    if (!model) break;
    measure_print();
    measure_write_json();
    measure_verify();
    if (!program) break;
    measure_write_bytecode();
    measure_make_machine();
  }
  return 0;
}
