// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Verifies a model: whether a device, or any device, can run what it says.
//
//   tessera::report found;
//   auto program = nem::verify(std::move(*model), {}, &found);
//   if (!program) return show(found);
//   nem::for_each_task(*program, my_visitor);          // what it does, task by task
//
//   files         includes, type families, devices, the target
//   statements    names, numbers, buffers, regions, tasks         in the order of the file
//   hazards       tasks that nothing orders
//   capacity      what the target's memories hold
//
// All errors of a model are found in one run. Warnings and notes leave it valid.
//
// The nodes of a model that was built in code, without places, get their indices as places.
//
// Lifetime:   a program owns its model and its catalog.
// Errors:     that of the first error found; all of them are in the report.
// Limits:     verify_options.
// Allocation: linear in the model and in the instances that loops are expanded to.

#ifndef TESSERA_NEM_VERIFY_HPP
#define TESSERA_NEM_VERIFY_HPP

#include <cstdint>

#include "../core/result.hpp"
#include "../version.hpp"
#include "catalog.hpp"
#include "detail/rules/walk.hpp"  // the expansion, a template
#include "verify_options.hpp"
#include "visitor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

class program;

/// Checks all rules that reading doesn't.
result<program> verify(model d, const verify_options& options = {}, report* found = nullptr);

/// The type families and devices that a model defines and includes, whether it is valid or not, and
/// its target: an index of catalog::devices, or no_index.
[[nodiscard]] catalog load_catalog(const model& d, const verify_options& options,
                                   std::uint32_t& target);

/// A model without errors, and what its names of files, families and devices refer to.
class program {
 public:
  /// The model that was verified. Borrows from the program.
  [[nodiscard]] const nem::model& model() const& noexcept { return model_; }
  const nem::model& model() const&& = delete;
  /// The type families and devices that are built in, included or the program's own. Borrows from
  /// the program.
  [[nodiscard]] const nem::catalog& catalog() const& noexcept { return catalog_; }
  const nem::catalog& catalog() const&& = delete;
  /// The device that it is written for, or null where it names none.
  [[nodiscard]] const device* target() const& noexcept {
    return target_ == no_index ? nullptr : &catalog_.devices[target_];
  }
  const device* target() const&& = delete;
  /// The profile in which it was verified.
  [[nodiscard]] nem::profile profile() const noexcept { return profile_; }
  /// Tasks that were expanded and checked one by one.
  [[nodiscard]] std::uint64_t tasks() const noexcept { return expanded_.tasks; }
  /// Iterations that were expanded and checked one by one.
  [[nodiscard]] std::uint64_t iterations() const noexcept { return expanded_.iterations; }
  /// Tasks of large loops for which the rules are proven to hold, without being expanded; at most
  /// 2^64 - 1.
  [[nodiscard]] std::uint64_t proven_tasks() const noexcept { return expanded_.proven_tasks; }
  /// Iterations of large loops, likewise.
  [[nodiscard]] std::uint64_t proven_iterations() const noexcept {
    return expanded_.proven_iterations;
  }
  /// Whether loops have more iterations than were checked or proven: the others may hold errors.
  [[nodiscard]] bool is_partial() const noexcept { return expanded_.is_partial; }
  /// Whether hazards were searched in all of its tasks.
  [[nodiscard]] bool has_all_hazards() const noexcept {
    return !expanded_.is_partial && !has_ended_search_;
  }
  /// How many tasks can be issued and not complete, at most (specification,
  /// "SEQ.max_active_tokens").
  [[nodiscard]] std::uint64_t max_live_tokens() const noexcept { return max_live_tokens_; }

 private:
  friend result<program> verify(nem::model, const verify_options&, report*);
  program() = default;

  nem::model model_;
  nem::catalog catalog_;
  std::uint32_t target_ = no_index;
  nem::profile profile_ = nem::profile::standard;
  detail::expansion expanded_;
  std::uint64_t max_live_tokens_ = 0;
  bool has_ended_search_ = false;
};

/// Expands a program: loops fully, or to about `max` tasks and iterations as verify() does. Its
/// visitor derives from nem::visitor and may end it by stopped(). Iterations that weren't verified
/// may have regions that aren't sound.
template <class Visitor>
void for_each_task(const program& p, Visitor& to, std::uint64_t max = ~std::uint64_t{0}) {
  const verify_options options;
  detail::findings silent(nullptr, p.profile(), 0);
  detail::context c{p.model(), options, silent, p.catalog(), p.target()};
  (void)detail::walker<Visitor, false>(c, to, max).run();
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/rules/verify.hpp"
#endif

#endif  // TESSERA_NEM_VERIFY_HPP
