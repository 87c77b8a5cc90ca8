// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The optimizer's passes: each changes a graph, and says what it changed.
//
//   pass_context c{options, optimizer_pass::identities, log};
//   remove_identities(g, c);                              // c.count rewrites
//
// What a pass may ask: `sharing`, which results writes in place may change; `knowledge`, what is proven
// about results; is_pure and the like.

#ifndef TESSERA_TRANSFORM_PASSES_HPP
#define TESSERA_TRANSFORM_PASSES_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tessera/transform/optimize.hpp"
#include "transform/graph.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// What folding a result gave when it was tried.
struct folding_attempt {
  std::uint64_t key = 0;    ///< of what it was computed from
  std::uint64_t bytes = 0;  ///< that the container would hold for it; the largest number: it failed
};

struct pass_context {
  const optimize_options& options;
  optimizer_pass by;
  std::vector<rewrite>& log;
  std::map<std::uint32_t, folding_attempt>& attempts;  ///< by node
  std::uint64_t& steps;                                ///< that folding has taken
  std::uint64_t count = 0;

  void changed(const graph& g, std::uint32_t n, std::string text) {
    ++count;
    log.push_back({by, g[n].origin, std::move(text)});
  }
};

/// "v12", the instruction that a node was.
[[nodiscard]] std::string shown(const graph& g, std::uint32_t n);

/// Which results have elements that a write in place changes.
class sharing {
 public:
  explicit sharing(const graph& g);
  /// Whether a node's result, or one that it may be a view of, changes after it was made.
  [[nodiscard]] bool changes(std::uint32_t n) const noexcept {
    return any_ && changes_[family_[n]];
  }
  /// Whether a node or an operand of it does.
  [[nodiscard]] bool is_fixed(const graph& g, std::uint32_t n) const noexcept;
  /// The first of the results that may share elements with it.
  [[nodiscard]] std::uint32_t family(std::uint32_t n) const noexcept { return family_[n]; }
  [[nodiscard]] bool any() const noexcept { return any_; }

 private:
  std::vector<std::uint32_t> family_;
  std::vector<bool> changes_;  // by family
  bool any_ = false;
};

/// What is proven about a result.
struct fact {
  enum class kind : std::uint8_t { unknown, boolean, integer, floating };
  bool is_tensor = false;  ///< one tensor: no list, and no number
  kind what = kind::unknown;
  std::optional<nac::data_type> type = {};
};
[[nodiscard]] fact fact_of(nac::data_type t) noexcept;
/// By node.
[[nodiscard]] std::vector<fact> facts_of(const graph& g);
/// The type that a conversion's arguments name.
[[nodiscard]] std::optional<nac::data_type> type_named(const graph& g, std::uint32_t n,
                                                       const nac::binding& b, std::size_t letter);

[[nodiscard]] bool is_random(const graph& g, std::uint32_t n);
/// Whether an operation of a node has no effect but its result, which depends on its operands only.
[[nodiscard]] bool is_pure(const graph& g, std::uint32_t n);
/// Whether a node lies in a branch of a CONVERGENCE; by node.
[[nodiscard]] std::vector<bool> in_convergence(const graph& g);

void make_results_of_writes(graph& g, pass_context& c);
void remove_identities(graph& g, pass_context& c);
void remove_inverses(graph& g, pass_context& c);
void simplify(graph& g, pass_context& c);
void fold_constants(graph& g, pass_context& c);
void fold_batch_norms(graph& g, pass_context& c);
void merge_common(graph& g, pass_context& c);
void remove_dead(graph& g, pass_context& c);
void place_parameters(graph& g, pass_context& c);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_PASSES_HPP
