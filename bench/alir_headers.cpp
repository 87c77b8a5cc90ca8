// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes the headers that bench_alir_cpp includes: programs of generate.hpp as C++.
//
//   bench_alir_headers FOLDER

#include <cstdio>
#include <fstream>
#include <tessera/alir.hpp>

#include "generate.hpp"
#include "tessera/transform/emit.hpp"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  for (const bench::mix m : {bench::mix::dense, bench::mix::narrow, bench::mix::mixed})
    for (const std::size_t operations : {1000u, 4000u}) {
      const bench::recipe r{.mix = m, .operations = operations};
      const auto p = tessera::alir::verify(bench::generate(r));
      if (!p) return 1;
      std::ofstream file(std::string(arguments[1]) + '/' + bench::name(r) + ".hpp");
      file << tessera::transform::to_cpp(*p, bench::name(r));
      if (!file.flush()) return 3;
    }
}
