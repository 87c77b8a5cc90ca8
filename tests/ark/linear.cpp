// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One of the worst inputs, of size n, through every verb: tests/support/linear.cmake runs it under
// callgrind and looks at the instructions of each function measure_*.
//
//   tessera_ark_linear            the names of the inputs
//   tessera_ark_linear NAME N

#include "ark.hpp"
// Keeps the line above where it is.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "worst.hpp"

namespace ark = tessera::ark;

#define TESSERA_MEASURED extern "C" __attribute__((noinline, used))

namespace {
std::string content;
tessera::result<ark::model> graph = tessera::error{};
tessera::result<ark::model> converted = tessera::error{};
std::size_t made = 0;

void write(const ark::model& g, bool pretty) {
  if (const auto out = ark::write(g, {.to = g.form, .pretty = pretty})) made += out->size();
}
}  // namespace

TESSERA_MEASURED void measure_read() { graph = ark::read(content); }
TESSERA_MEASURED void measure_describe() {
  made += tessera::describe({tessera::errc::ark_o01_type, content.size() * 9 / 10}, content).size();
}
TESSERA_MEASURED void measure_check() { made += ark::check(*graph).offset; }
TESSERA_MEASURED void measure_print() { made += ark::print(*graph).size(); }
TESSERA_MEASURED void measure_write() { write(*graph, false); }
TESSERA_MEASURED void measure_write_pretty() { write(*graph, true); }
TESSERA_MEASURED void measure_canonicalise() { made += ark::canonicalise(*graph).nodes.size(); }
TESSERA_MEASURED void measure_convert() { converted = ark::convert(*graph, ark::dialect::d2); }
TESSERA_MEASURED void measure_convert_back() {
  if (converted) converted = ark::convert(std::move(*converted), ark::dialect::d3);
}
TESSERA_MEASURED void measure_verify() {
  tessera::report found;
  if (!ark::verify(std::move(*graph), {.source = content}, &found)) ++made;
}

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const worst::generator& g : worst::generators) {
    if (argc < 3) std::printf("%s\n", std::string(g.name).c_str());
    if (g.name != name || argc < 3) continue;
    content = g.make(std::strtoul(argv[2], nullptr, 10));
    measure_read();
    measure_describe();
    if (!graph) break;
    measure_check();
    measure_print();
    measure_write();
    measure_write_pretty();
    measure_canonicalise();
    measure_convert();
    measure_convert_back();
    measure_verify();
  }
  return 0;
}
