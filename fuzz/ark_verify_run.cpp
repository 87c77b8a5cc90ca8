// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The machine of ARK: whatever verifies runs within its budget, in both modes, to the same end
// from the same memory. Files of several ranks follow one another, separated by a zero byte.

#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <tessera/ark.hpp>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "mutate_json.hpp"
#include "require.hpp"
#include "statistic.hpp"
#include "tessera/inspect/ark/flow.hpp"
#include "tessera/vm/ark.hpp"

using namespace tessera;
using inspect::end_point;
using vm::ark::machine;
using vm::ark::outcome;

namespace {

constexpr budget limit{.max_steps = 1 << 23, .max_memory = 1 << 23};

/// Bytes for an input that are always the same.
void fill(machine& vm, const ark::world& w, const end_point& in) {
  const ark::model& g = w.rank(in.rank).model();
  std::size_t bytes = ark::info(g.tensors[in.tensor].type).bytes;
  for (const std::int64_t d : layout_of(g, in.tensor).shape) bytes *= static_cast<std::size_t>(d);
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    values[i] = static_cast<std::byte>(i * 73 + in.tensor * 29 + i / 7);
  // What isn't a number stays so: indices and divisors are mostly small.
  if (g.tensors[in.tensor].type == ark::data_type::int32)
    for (std::size_t i = 0; i < bytes; ++i)
      values[i] = i % 4 == 0 ? static_cast<std::byte>(i / 4 % 5) : std::byte{};
  fuzz::require(vm.write(in.rank, in.tensor, values), "inputs are tensors of the machine");
}

struct ending {
  outcome done;
  std::vector<std::vector<std::byte>> memory;
};
ending execute(const ark::world& w, machine& vm, const std::vector<end_point>& in) {
  vm.reset();
  for (const end_point& e : in) fill(vm, w, e);
  ending out;
  out.done = vm.run(limit);
  for (std::size_t r = 0; r < w.size(); ++r)
    for (std::uint32_t b = 0; b < w.rank(r).model().buffers.size(); ++b) {
      const std::span<std::byte> bytes = vm.memory(r, b);
      out.memory.emplace_back(bytes.begin(), bytes.end());
    }
  return out;
}
[[nodiscard]] bool same_end(const outcome& a, const outcome& b) {
  return a.code == b.code && a.rank == b.rank && a.node == b.node && a.op == b.op &&
         a.steps == b.steps && a.text == b.text;
}

void check(const ark::world& w, fuzz::turns turn) {
  const std::vector<end_point> in = inspect::inputs(w), out = inspect::outputs(w);
  machine vm(w, {.max_memory = limit.max_memory});
  if (!vm.made()) {
    fuzz::require(vm.run().code == vm.made().code, "a machine that wasn't made doesn't run");
    return;
  }
  const ending first = execute(w, vm, in);
  if (first.done.code == errc::budget_steps) {
    fuzz::require(first.done.steps == 0, "a run that its budget can't hold doesn't start");
    return;
  }
  fuzz::require(
      first.done || first.done.code == errc::ark_division || first.done.code == errc::ark_index,
      "only data traps");
  fuzz::require(!first.done || first.done.steps == vm.steps(), "a whole run has all steps");
  if (turn.one_in(4)) {
    const ending again = execute(w, vm, in);
    fuzz::require(same_end(first.done, again.done) && first.memory == again.memory,
                  "the same memory gives the same results");
  }
  for (const end_point& e : out)
    fuzz::require(!vm.memory(e.rank, w.rank(e.rank).model().tensors[e.tensor].buffer).empty(),
                  "outputs are in memory");
  if (turn.one_in(4)) (void)vm.run(limit);  // from where the last one ended
  if (!turn.one_in(4)) return;
  machine fast(w, {.fast = true, .max_memory = limit.max_memory});
  if (!fast.made()) return;
  (void)execute(w, fast, in);
}

/// The programs of an input, one for each rank.
struct rank_programs {
  std::vector<std::unique_ptr<ark::program>> owned;
  std::vector<const ark::program*> ranks;

  /// False where one isn't a program.
  [[nodiscard]] bool read(std::string_view rest) {
    for (bool more = true; more && ranks.size() < 8;) {
      const std::size_t end = rest.find('\0');
      more = end != rest.npos;
      result<ark::model> g = ark::read(rest.substr(0, end));
      if (!g) return false;
      result<ark::program> p = ark::verify(std::move(*g));
      if (!p) return false;
      owned.push_back(std::make_unique<ark::program>(std::move(*p)));
      ranks.push_back(owned.back().get());
      if (more) rest.remove_prefix(end + 1);
    }
    return true;
  }
  [[nodiscard]] result<ark::world> world() const {
    return ark::verify_ranks({ranks.data(), ranks.size()});
  }
};

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rank_programs all;
  if (!all.read(fuzz::as_text(data, size))) return fuzz::reject(), 0;
  const result<ark::world> w = all.world();
  if (!w) return fuzz::reject(), 0;
  fuzz::count_run(true);
  check(*w, fuzz::turns(fuzz::as_text(data, size)));
  return 0;
}
