// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads an ARK model of one rank, verifies it, runs it on ones, reads an output.

#include <cstdio>
#include <cstring>
#include <span>
#include <tessera/inspect/ark/flow.hpp>
#include <tessera/vm/ark.hpp>
#include <vector>

#include "file.hpp"

/// Makes a tensor's elements, which are floats here, all 1.
bool fill(tessera::vm::ark::machine& vm, const tessera::ark::program& p, std::uint32_t tensor) {
  const auto size = tessera::inspect::data_bytes(p.model(), tensor);
  const std::vector<float> ones(size / sizeof(float), 1);
  return vm.write(0, tensor, std::as_bytes(std::span(ones)));
}
/// The first of a tensor's elements.
double first(tessera::vm::ark::machine& vm, const tessera::ark::program& p, std::uint32_t tensor) {
  float element = 0;
  std::memcpy(&element, vm.memory(0, p.model().tensors[tensor].buffer).data(), sizeof element);
  return static_cast<double>(element);
}

int main(int, char** paths) {
  auto model = tessera::ark::read(file(paths[1]));
  if (!model) return 1;
  const auto program = tessera::ark::verify(std::move(*model));
  if (!program) return 1;
  const tessera::ark::program* const ranks[] = {&*program};
  const auto world = tessera::ark::verify_ranks({ranks, 1});
  if (!world) return 1;
  tessera::vm::ark::machine vm(*world);
  for (const auto& in : tessera::inspect::inputs(*world))
    if (!fill(vm, *program, in.tensor)) return 1;
  if (const auto done = vm.run(); !done) return 1;
  std::printf("%g\n", first(vm, *program, tessera::inspect::outputs(*world)[0].tensor));
}
