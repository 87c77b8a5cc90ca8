// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Each network of tests/data/pt2/networks.py, imported and optimized: PyTorch, the import and the
// optimized container agree.

#include "import/recorded.hpp"
#include "optimized.hpp"

using namespace import_tests;
using transform_tests::container;

TEST_CASE("transform/networks: optimized ones compute what PyTorch does", "[transform]") {
  const expectations all;
  std::size_t before = 0, after = 0;
  for (const std::string& name : networks()) {
    INFO(name);
    const imported made(data("networks/" + name + ".pt2"));
    REQUIRE(made);
    const container better = transform_tests::optimize(made.program());
    check_runs(better.program(), name, all);
    before += made.program().size();
    after += better.program().size();
    CHECK(better.program().size() <= made.program().size());
  }
  CHECK(after < before - before / 12);
}

TEST_CASE("transform/networks: optimizing again changes nothing", "[transform]") {
  for (const std::string& name : networks()) {
    INFO(name);
    const imported made(data("networks/" + name + ".pt2"));
    REQUIRE(made);
    const container once = transform_tests::optimize(made.program());
    const container twice = transform_tests::optimize(once.program());
    CHECK(transform_tests::lines_of(once.program()) == transform_tests::lines_of(twice.program()));
    CHECK(as_text(once.data()) == as_text(twice.data()));
  }
}

TEST_CASE("transform/networks: each pass by itself leaves what is computed", "[transform]") {
  const expectations all;
  for (const std::string name : {"resnet", "conv_bn", "kv_cache", "choice", "mlp_inplace", "lstm",
                                 "writes_to_views", "attention_core", "tied"})
    for (std::size_t p = 0; p < transform::optimizer_pass_count; ++p) {
      INFO(name << ", " << transform::optimizer_passes[p].name);
      const imported made(data("networks/" + name + ".pt2"));
      REQUIRE(made);
      const container better = transform_tests::optimize(made.program(), std::uint32_t{1} << p);
      check_runs(better.program(), name, all);
    }
}

TEST_CASE("transform/networks: older versions", "[transform]") {
  const expectations all;
  for (const nac::header form : {nac::header::v1_6, nac::header::v1_7})
    for (const std::string name : {"resnet", "causal_lengths", "kv_cache", "choice"}) {
      INFO(name);
      const imported made(data("networks/" + name + ".pt2"), {.form = form});
      REQUIRE(made);
      const container better = transform_tests::optimize(made.program());
      CHECK(better.program().model().header() == form);
      check_runs(better.program(), name, all);
    }
}
