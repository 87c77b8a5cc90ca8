// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads a NAC container, verifies it, runs it, reads an output.

#include <cstdio>
#include <tessera/vm/nac.hpp>

#include "file.hpp"

int main(int, char** paths) {
  const std::string bytes = file(paths[1]);
  const auto model = tessera::nac::read(bytes);
  if (!model) return 1;
  const auto program = tessera::nac::verify(*model);
  if (!program) return 1;
  tessera::vm::nac::machine vm(*program);
  const std::int64_t shape[] = {1, 3};
  const float x[] = {1, 2, 3};
  if (!vm.set_input(0, {shape, std::span(x)})) return 1;
  if (const auto done = vm.run(); !done) return 1;
  for (const float y : vm.output(0).elements<float>()) std::printf("%g\n", static_cast<double>(y));
}
