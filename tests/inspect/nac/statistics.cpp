// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/statistics.hpp"

#include "containers.hpp"

using namespace nac_tools_tests;

namespace {

std::uint64_t at(const tessera::inspect::container_statistics::counts& counts,
                 std::string_view name) {
  for (const auto& c : counts)
    if (c.name == name) return c.count;
  return 0;
}

}  // namespace

TEST_CASE("nac/statistics: what a container has, by name", "[inspect_nac]") {
  const container c(layers);
  const tessera::inspect::container_statistics s(c);
  CHECK(at(s.operations, "nac.mul") == 2);
  CHECK(at(s.operations, "input") == 1);
  CHECK(s.training.empty());
  CHECK((s.tensors == 2 && s.elements == 4 && s.payload == 16 && s.scales == 0));
  CHECK(at(s.types, "f32") == 16);
  CHECK((at(s.commands, "forward") == 1 && at(s.commands, "free") == 1));
  CHECK((s.plan_instructions == 0 && s.tokenizer_instructions == 0));
}

TEST_CASE("nac/statistics: what quantization would lose", "[inspect_nac]") {
  const container c(layers);
  std::uint64_t seen = 0;
  const tessera::inspect::quantization_losses l = tessera::inspect::measure_losses(
      c->model(), nac::quantization::fp16,
      [](void* to, std::uint64_t bytes) { *static_cast<std::uint64_t*>(to) += bytes; }, &seen);
  CHECK(seen == 16);
  REQUIRE(l.parameters.size() == 2);
  REQUIRE(l.find(1) != nullptr);
  CHECK(l.find(1)->why.empty());
  CHECK(l.find(9) == nullptr);
  CHECK(tessera::inspect::measure_losses(c->model(), nac::quantization::fp16).parameters.size() ==
        2);
}
