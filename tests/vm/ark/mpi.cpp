// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Ranks in processes of their own, against the same ranks in one process: every process runs both,
// and compares all memory of its rank.
//
//   mpirun -n 4 tessera_tests_ark_mpi

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>
#include "ark/samples.hpp"

#include "rank_models.hpp"
#include "script.hpp"
#include "support/catch.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "vm/ark/mpi.hpp"

namespace {

using tessera::errc;
using tessera::vm::ark::machine;
using tessera::vm::ark::mpi_machine;
using tessera::vm::ark::mpi_session;
using tessera::vm::ark::outcome;

/// Of this process, from the first test on.
const mpi_session& session() {
  static const mpi_session all(nullptr, nullptr);
  return all;
}

void check_alike(const outcome& got, const outcome& want) {
  CHECK(got.code == want.code);
  CHECK(got.rank == want.rank);
  CHECK(got.node == want.node);
  CHECK(got.op == want.op);
  if (want) CHECK(got.steps == want.steps);
}

/// Runs a model both ways, twice, on bytes that differ from run to run.
void compare(const std::vector<std::string>& texts, bool fast = false) {
  const run::world w(texts);
  machine one(w.get(), {.fast = fast});
  mpi_machine mine(w.get(), {.fast = fast});
  REQUIRE(one.made());
  REQUIRE(mine.made());
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (const auto& in : tessera::inspect::inputs(w.get())) {
      const auto& g = w.get().rank(in.rank).model();
      std::size_t bytes = tessera::ark::info(g.tensors[in.tensor].type).bytes;
      for (const std::int64_t d : layout_of(g, in.tensor).shape)
        bytes *= static_cast<std::size_t>(d);
      std::vector<std::byte> values(bytes);
      for (std::size_t i = 0; i < bytes; ++i)  // floats about 1
        values[i] = static_cast<std::byte>(
            i % 4 == 3 ? 0x3f : (i * 37 + in.rank * 11 + in.tensor * 5 + round * 3) % 128);
      REQUIRE(one.write(in.rank, in.tensor, values));
      if (in.rank == session().rank()) REQUIRE(mine.write(in.tensor, values));
    }
    const outcome want = one.run(), got = mine.run();
    check_alike(got, want);
    CHECK(got.text.size() == want.text.size());
    const std::size_t r = session().rank();
    const auto& program = w.get().rank(r);
    for (std::uint32_t b = 0; b < program.model().buffers.size(); ++b) {
      const auto here = mine.memory(b), there = one.memory(r, b);
      REQUIRE(here.size() == there.size());
      CHECK((here.empty() || std::memcmp(here.data(), there.data(), here.size()) == 0));
    }
  }
}

}  // namespace

TEST_CASE("vm/ark/mpi: all ways to add up over ranks", "[vm_ark][mpi]") {
  const int size = static_cast<int>(session().size());
  compare(rank_models::texts(rank_models::all_reduce(size, "FP32")));
  compare(rank_models::texts(rank_models::all_reduce(size, "INT8")));
  compare(rank_models::texts(rank_models::packets(size, "FP32", 4)));
  compare(rank_models::texts(rank_models::packets(size, "BF16", 2)));
  compare(rank_models::texts(rank_models::synced(size, "FP32")));
  compare(rank_models::texts(rank_models::synced(size, "UINT8")));
}

TEST_CASE("vm/ark/mpi: samples", "[vm_ark][mpi]") {
  for (const std::string name :
       {"tp_fp32-w2@d8bbaebd", "tp_fp32-w2@e3cc6e32", "tp_fp32-w3@d8bbaebd",
        "pingpong_fp32-w2@d8bbaebd", "arpacket_fp32-w4@d8bbaebd"}) {
    std::vector<std::string> texts;
    for (int r = 0;; ++r) {
      const auto path =
          samples::shared() / "ref" / name / ("model_r" + std::to_string(r) + ".json");
      if (!std::filesystem::exists(path)) break;
      texts.push_back(samples::load(path));
    }
    if (texts.size() != session().size()) continue;
    INFO(name);
    compare(texts);
    compare(texts, true);
  }
}

TEST_CASE("vm/ark/mpi: one rank's trap ends the run for all", "[vm_ark][mpi]") {
  const int size = static_cast<int>(session().size());
  std::vector<std::string> texts;
  for (int r = 0; r < size; ++r) {
    run::script s(r, size);
    const int a = s.tensor("INT32", {1}), b = s.tensor("INT32", {1});
    const int c = r == 1 ? s.op("Div", {a, b}, {a}) : a;
    s.op("DeviceSync", {c}, {c},
         R"({"Rank":{"INT":)" + std::to_string(r) + R"(},"PeerNum":{"INT":)" +
             std::to_string(size - 1) + "}}");
    texts.push_back(s.text());
  }
  const run::world w(texts);
  machine one(w.get());
  mpi_machine mine(w.get());
  for (int round = 0; round < 2; ++round) check_alike(mine.run(), one.run());
  CHECK(mine.run().code == errc::ark_division);
  CHECK(mine.run({.max_steps = 2}).code == errc::budget_steps);
}

TEST_CASE("vm/ark/mpi: a world of another size, and too little memory", "[vm_ark][mpi]") {
  const int size = static_cast<int>(session().size());
  const run::world larger(rank_models::texts(rank_models::all_reduce(size + 1, "FP32")));
  mpi_machine vm(larger.get());
  CHECK(vm.made().code == errc::ark_m01_ranks);
  CHECK(vm.run().code == errc::ark_m01_ranks);
  const run::world w(rank_models::texts(rank_models::all_reduce(size, "FP32")));
  // One rank's options are enough to refuse.
  mpi_machine small(w.get(), {.max_memory = session().rank() == 1 ? 100u : 1u << 20});
  CHECK(small.made().code == errc::budget_memory);
}
