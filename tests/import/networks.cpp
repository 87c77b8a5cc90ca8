// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Each network of tests/data/pt2/networks.py, imported and run: PyTorch's shapes, types and values.

#include "imported.hpp"
#include "recorded.hpp"

using namespace import_tests;

TEST_CASE("import/networks: what PyTorch computes", "[import]") {
  const expectations all;
  for (const std::string& name : networks()) {
    INFO(name);
    const imported made(data("networks/" + name + ".pt2"));
    REQUIRE(made);
    check_runs(made.program(), name, all);
  }
}

TEST_CASE("import/networks: what PyTorch 2.5, and programs in containers of 2.7 and 2.8, compute",
          "[import]") {
  for (const std::string recorded : {"flat", "repacked"}) {
    const expectations all("earlier/" + recorded + ".safetensors");
    std::size_t count = 0;
    for (const std::string& name : networks("earlier", 13)) {
      if (!all.find(name + ".out0")) continue;
      INFO(name);
      const imported made(data("earlier/" + name + ".pt2"));
      REQUIRE(made);
      check_runs(made.program(), name, all);
      ++count;
    }
    CHECK(count == (recorded == "flat" ? 8 : 5));
  }
}

TEST_CASE("import/networks: version 1.6 computes the same", "[import]") {
  const expectations all;
  for (const std::string name : {"resnet", "causal_lengths", "kv_cache", "choice"}) {
    const imported made(data("networks/" + name + ".pt2"), {.form = nac::header::v1_6});
    REQUIRE(made);
    CHECK(made.program().model().header() == nac::header::v1_6);
    vn::machine machine(made.program());
    check_run(machine, name, all);
  }
}

TEST_CASE("import/networks: names, tied weights and states", "[import]") {
  const imported tied(data("networks/tied.pt2"));
  REQUIRE(tied);
  CHECK(tied.program().model().parameters().size() == 1);
  CHECK((*tied.program().model().parameters().begin()).text == "head.weight");
  const imported cache(data("networks/kv_cache.pt2"));
  REQUIRE(cache);
  std::size_t states = 0;
  for (const nac::instruction& i : cache.program().model().instructions())
    states += i.a == nac::op_input && i.b == static_cast<std::uint8_t>(nac::input::state) ? 1u : 0u;
  CHECK(states == 3);
  const imported without(data("networks/kv_cache.pt2"), {.states = false});
  REQUIRE(without);
  for (const nac::instruction& i : without.program().model().instructions())
    CHECK_FALSE((i.a == nac::op_input && i.b == static_cast<std::uint8_t>(nac::input::state)));
}
