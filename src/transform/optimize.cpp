// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/transform/optimize.hpp"

#include <utility>

#include "tessera/nac/read.hpp"
#include "tessera/nac/write.hpp"
#include "transform/passes.hpp"
#include "vm/nac/schedule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

/// A pass over a graph; none for those that the container is made with.
using pass_function = void (*)(graph&, pass_context&);
[[nodiscard]] pass_function function_of(optimizer_pass p) noexcept {
  switch (p) {
    case optimizer_pass::in_place: return make_results_of_writes;
    case optimizer_pass::identities: return remove_identities;
    case optimizer_pass::inverses: return remove_inverses;
    case optimizer_pass::algebra: return simplify;
    case optimizer_pass::folding: return fold_constants;
    case optimizer_pass::batch_norm: return fold_batch_norms;
    case optimizer_pass::common: return merge_common;
    case optimizer_pass::dead_code: return remove_dead;
    case optimizer_pass::placement: return place_parameters;
    case optimizer_pass::schedule: break;
  }
  return nullptr;
}

struct sizes_of_graph {
  std::int64_t instructions = 0, parameters = 0, bytes = 0;

  explicit sizes_of_graph(const graph& g) {
    for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next)
      instructions += g[n].what != graph::role::branch && g[n].what != graph::role::end ? 1 : 0;
    for (const graph::parameter& p : g.parameters()) {
      if (p.is_dropped) continue;
      ++parameters;
      if (p.tensor != graph::none)
        bytes += static_cast<std::int64_t>(g.rest().tensors[p.tensor].data.size);
    }
  }
};

void run_passes(graph& g, const optimize_options& options, optimized& to) {
  std::map<std::uint32_t, folding_attempt> attempts;
  std::uint64_t steps = 0, changes = 1;
  for (; changes != 0 && to.rounds < options.max_rounds; ++to.rounds) {
    changes = 0;
    for (std::size_t p = 0; p < optimizer_pass_count; ++p) {
      const auto pass = static_cast<optimizer_pass>(p);
      const pass_function run = function_of(pass);
      if (run == nullptr || (options.passes & bit_of(pass)) == 0) continue;
      const sizes_of_graph before(g);
      pass_context c{options, pass, to.rewrites, attempts, steps};
      run(g, c);
      if (c.count == 0) continue;
      const sizes_of_graph after(g);
      pass_effect& e = to.effects[p];
      e.rewrites += c.count;
      e.instructions += after.instructions - before.instructions;
      e.parameters += after.parameters - before.parameters;
      e.weight_bytes += after.bytes - before.bytes;
      changes += c.count;
    }
  }
}

/// What numbers instructions by rules that a graph has no form for; empty: nothing.
[[nodiscard]] std::string_view why_unchanged(const nac::program& p) {
  if (!p.training().steps.empty()) return "training instructions refer to those of the program";
  for (std::uint32_t i = 0; i < p.size(); ++i) {
    const nac::step& s = p.code().steps[i];
    const view<nac::argument> given = p.code().arguments_of(s);
    if (s.a == nac::op_convergence && given.size() > 2 && given[2].index() != i + 1)
      return "a CONVERGENCE skips instructions before its first branch";
  }
  return {};
}

/// Makes the schedule of a container from its instructions, without its weights.
[[nodiscard]] error make_schedule(nac::parts& of) {
  pool<std::byte> tensors = std::move(of.own_bytes);
  nac::parts bare = of;
  of.own_bytes = std::move(tensors);
  bare.internal_weights = false;
  bare.tensors.clear();
  bare.resources.clear();
  bare.arrays.clear();
  bare.plan_constants.clear();
  bare.plan = {};
  bare.manifest = {};
  bare.has_manifest = bare.has_resources = false;
  const result<pool<std::byte>> written = nac::write(bare);
  if (!written) return written.error();
  const result<nac::model> read = nac::read(bytes(written->data(), written->size()));
  if (!read) return read.error();
  const result<nac::program> program = nac::verify(*read, {.weights_elsewhere = true});
  if (!program) return program.error();
  return vm::nac::schedule(*program, of);
}

[[nodiscard]] bool has_schedule_of(const nac::model& m, const nac::parts& p) {
  if (m.schedule().size() != p.schedule.size()) return false;
  std::size_t k = 0;
  for (const nac::tick& t : m.schedule()) {
    const nac::tick_part& other = p.schedule[k++];
    if (t.instruction != other.instruction || t.commands.size() != other.commands.size)
      return false;
    std::size_t at = other.commands.first;
    for (const nac::command& c : t.commands) {
      const nac::command_part& with = p.commands[at++];
      if (c.what != with.what || c.target != with.target) return false;
    }
  }
  return true;
}

}  // namespace

result<optimized> optimize(const nac::program& p, const optimize_options& options) {
  optimized out;
  out.why_unchanged = why_unchanged(p);
  if (!out.why_unchanged.empty()) {
    out.parts = nac::parts_of(p.model());
    return out;
  }
  graph g(p);
  run_passes(g, options, out);
  result<nac::parts> made = std::move(g).encode();
  if (!made) return made.error();
  out.parts = std::move(*made);
  if ((options.passes & bit_of(optimizer_pass::schedule)) == 0) return out;
  if (const error e = make_schedule(out.parts); e.code != errc::ok) return e;
  if (!has_schedule_of(p.model(), out.parts))
    out.effects[static_cast<std::size_t>(optimizer_pass::schedule)].rewrites =
        out.parts.commands.size();
  return out;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
