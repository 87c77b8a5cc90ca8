// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads an ARK model of one rank, verifies it, runs it on ones, reads an output.

#include <cstdio>
#include <cstring>
#include <tessera/inspect/ark/flow.hpp>
#include <tessera/vm/ark.hpp>
#include <vector>

#include "file.hpp"

int main(int, char** paths) {
  auto model = tessera::ark::read(file(paths[1]));
  if (!model) return 1;
  const auto program = tessera::ark::verify(std::move(*model));
  if (!program) return 1;
  const tessera::ark::program* const ranks[] = {&*program};
  const auto world = tessera::ark::verify_ranks({ranks, 1});
  if (!world) return 1;
  tessera::vm::ark::machine vm(*world);
  const auto& tensors = program->model().tensors;
  for (const auto& in : tessera::inspect::inputs(*world)) {
    const auto bytes = vm.memory(0, tensors[in.tensor].buffer);
    const std::vector<float> ones(bytes.size() / sizeof(float), 1);
    std::memcpy(bytes.data(), ones.data(), bytes.size());
  }
  if (const auto done = vm.run(); !done) return 1;
  float y = 0;
  std::memcpy(&y, vm.memory(0, tensors[tessera::inspect::outputs(*world)[0].tensor].buffer).data(),
              sizeof y);
  std::printf("%g\n", static_cast<double>(y));
}
