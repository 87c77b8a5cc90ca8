// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/verify.hpp.

#ifndef TESSERA_NEM_DETAIL_RULES_VERIFY_HPP
#define TESSERA_NEM_DETAIL_RULES_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../catalog.hpp"
#include "../../model.hpp"
#include "../../rule.hpp"
#include "../../verify.hpp"
#include "../../verify_options.hpp"
#include "../../visitor.hpp"
#include "../device/load.hpp"
#include "../order/hazards.hpp"
#include "buffer.hpp"
#include "compute.hpp"
#include "context.hpp"
#include "place.hpp"
#include "transfer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// Gives the nodes of a model their indices as places, if it was built in code: no node has a
/// place then.
[[gnu::cold]] inline bool number_nodes(model& d) noexcept {
  for (const node& n : d.nodes)
    if (n.offset != 0 || n.length != 0) return false;
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    d.nodes[i].offset = i;
    d.nodes[i].length = 1;  // 0 marks what has no place at all
  }
  return !d.nodes.empty();
}

/// Passes all that a program does on to the groups of rules.
/// Rules are marked cold: verification stays well below its limit, and what is compiled for size is
/// compiled in less time.
class checker {
 public:
  [[gnu::cold]] explicit checker(context& c) : c_(c), hazards_(c) {}

  void loop(const values& v, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t in_flight) {
    hazards_.loop(v, node, first, last, in_flight);
  }
  void iteration(std::uint32_t node, std::int64_t value) { hazards_.iteration(node, value); }
  void end_loop(std::uint32_t node) { hazards_.end_loop(node); }
  void wait(std::uint32_t node, view<std::uint32_t> tasks) { hazards_.wait(node, tasks); }
  void task(const values& v, const nem::task& t) {
    if (t.opcode == opcode::transfer || t.opcode == opcode::store)
      check_transfer(c_, t);
    else
      compute_.check(c_, t);
    check_place(c_, t);
    hazards_.task(v, t);
  }
  [[nodiscard]] bool stopped() const noexcept { return false; }
  void end(const values&) { hazards_.finish(); }
  /// For proofs: what is known of the tasks so far.
  [[nodiscard]] hazards& earlier() noexcept { return hazards_; }
  [[nodiscard]] std::uint64_t max_live_tokens() const noexcept {
    return hazards_.order().max_live();
  }
  [[nodiscard]] bool has_ended_search() const noexcept { return hazards_.has_ended(); }

 private:
  context& c_;
  compute_rules compute_;
  hazards hazards_;
};

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE catalog load_catalog(const model& d, const verify_options& options,
                                    std::uint32_t& target) {
  detail::findings silent(nullptr, options.profile, 0);
  catalog c;
  detail::load(d, options, silent, c, target);
  return c;
}

TESSERA_INLINE result<program> verify(model d, const verify_options& options, report* found) {
  program p;
  p.model_ = std::move(d);
  p.profile_ = options.profile;
  detail::findings findings(found, options.profile, options.max_diagnostics);
  const bool is_built = detail::number_nodes(p.model_);
  detail::load(p.model_, options, findings, p.catalog_, p.target_);
  detail::context c{p.model_, options, findings, p.catalog_, p.target()};
  detail::checker checker(c);
  p.expanded_ = detail::walker<detail::checker, true>(c, checker, options.max_instances).run();
  p.max_live_tokens_ = checker.max_live_tokens();
  p.has_ended_search_ = checker.has_ended_search();
  detail::check_capacity(c);
  if (is_built) findings.mark_nodes();
  if (findings.failed()) return findings.first_error();
  return p;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_VERIFY_HPP
