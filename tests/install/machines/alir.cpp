// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads an ALIR program, verifies it, runs one sample, reads an output.

#include <cstdio>
#include <tessera/vm/alir.hpp>
#include <vector>

#include "file.hpp"

int main(int, char** paths) {
  auto model = tessera::alir::read(file(paths[1]));
  if (!model) return 1;
  const auto program = tessera::alir::verify(std::move(*model));
  if (!program) return 1;
  tessera::vm::alir::machine vm(*program);
  const std::vector<double> in(vm.inputs(), 1);
  std::vector<double> out(vm.outputs());
  if (const auto done = vm.run(in, out, 1); !done) return 1;
  std::printf("%g\n", out[0]);
}
