// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/verify.hpp.

#ifndef TESSERA_GENOME_DETAIL_VERIFY_HPP
#define TESSERA_GENOME_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/findings.hpp"
#include "../../core/limits.hpp"
#include "../../core/result.hpp"
#include "../format.hpp"
#include "../registry.hpp"
#include "../verify.hpp"
#include "check_registry.hpp"
#include "check_stream.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class library_maker {
 public:
  library_maker(registry r, const verify_options& options, report* found)
      : limit_(options.limit), found_(found, options.max_diagnostics) {
    library_.registry_ = std::move(r);
    most_ = limit_.max_items < UINT32_MAX ? limit_.max_items : UINT32_MAX;
  }

  result<library> make() {
    registry_checker maps(library_.registry_, limit_, found_);
    maps.check();
    library_.operations_ = std::move(maps.operations);
    library_.variations_ = std::move(maps.variations);
    library_.constants_ = std::move(maps.constants);
    library_.groups_ = std::move(maps.groups);
    library_.parameters_ = std::move(maps.parameters);
    library_.patterns_ = std::move(maps.patterns);
    library_.tensors_ = std::move(maps.tensors);
    library_.target_sizes_ = std::move(maps.target_sizes);
    library_.inputs_named_ = std::move(maps.inputs_named);
    library_.flat_sizes_.resize(patterns().size());
    library_.reaches_.resize(patterns().size());
    library_.takes_inputs_.resize(patterns().size());
    states_.resize(patterns().size());
    if (maps.has_streams())
      for (std::size_t i = 0; i < patterns().size(); ++i) check_from(static_cast<std::uint32_t>(i));
    if (found_.failed()) return found_.first_error();
    return std::move(library_);
  }

 private:
  /// `wrong`: has errors, or contains a pattern that has; then what depends on it is not checked.
  enum class state : std::uint8_t { unseen, open, checked, wrong };
  struct open_pattern {
    std::uint32_t index, next_node;
    bool is_wrong;
  };

  [[nodiscard]] const pool<pattern>& patterns() const noexcept {
    return library_.registry_.patterns;
  }
  tessera::detail::findings::writer fail(errc code, const pattern& p) {
    const error e = error_in(library_.registry_, patterns(), p, code);
    return found_.error(code, {0, e.offset, 0, e.index});
  }

  /// Checks a pattern, before it those inside of it, and so on; each once.
  void check_from(std::uint32_t root) {
    if (states_[root] != state::unseen) return;
    open(root);
    while (!open_.empty()) {
      open_pattern& top = open_.back();
      const pattern& p = patterns()[top.index];
      const stream_view nodes = library_.registry_.nodes_of(p);
      std::uint32_t inside = library::none;
      while (inside == library::none && top.next_node < p.count) {
        const node& n = nodes.nodes[top.next_node++];
        if (n.what() != command::pattern) continue;
        const std::uint32_t q = library_.find_pattern(n.pattern_id());
        if (q == library::none) {
          fail(errc::genome_pattern_unknown, p)
              << "node " << top.next_node - 1 << " of pattern " << p.id << " is pattern "
              << n.pattern_id() << ", which does not exist";
        } else if (states_[q] == state::open) {
          fail(errc::genome_pattern_recursion, patterns()[q])
              << "pattern " << patterns()[q].id << " contains itself";
        } else if (states_[q] == state::unseen) {
          inside = q;
          continue;
        } else if (states_[q] == state::checked) {
          continue;
        }
        top.is_wrong = true;
      }
      if (inside != library::none) {
        open(inside);
        continue;
      }
      const bool is_sound = !top.is_wrong && check_pattern(top.index, nodes);
      states_[top.index] = is_sound ? state::checked : state::wrong;
      open_.pop_back();
      if (!is_sound && !open_.empty()) open_.back().is_wrong = true;
    }
  }
  void open(std::uint32_t index) {
    states_[index] = state::open;
    open_.push_back({index, 0, false});
  }
  /// A pattern, those inside of which are checked.
  bool check_pattern(std::uint32_t index, const stream_view& nodes) {
    const pattern& p = patterns()[index];
    std::uint64_t size = 0;
    starts_.clear();
    for (const node& n : nodes.nodes) {
      starts_.push_back(size);
      size += n.what() == command::pattern
                  ? library_.flat_size(library_.find_pattern(n.pattern_id()))
                  : 1;
      if (size > most_) {
        fail(errc::genome_pattern_size, p) << "pattern " << p.id << " expands to more than "
                                           << most_ << " nodes, which is limits::max_items";
        return false;
      }
    }
    const std::uint64_t before = found_.errors();
    const error row = error_in(library_.registry_, patterns(), p, errc::ok);
    stream_checker checker(nodes, library_, found_, starts_, row, p.id);
    checker.check();
    library_.flat_sizes_[index] = static_cast<std::uint32_t>(size);
    library_.reaches_[index] = checker.reach();
    library_.takes_inputs_[index] = checker.takes_inputs() ? 1 : 0;
    return found_.errors() == before;
  }

  library library_;
  limits limit_;
  std::uint64_t most_ = 0;
  pool<state> states_;
  pool<open_pattern> open_;
  pool<std::uint64_t> starts_;  // of a pattern's nodes in its expansion
  tessera::detail::findings found_;
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<library> verify(registry r, const verify_options& options, report* found) {
  return detail::library_maker(std::move(r), options, found).make();
}

TESSERA_INLINE result<program> verify(stream s, const library& l, const verify_options& options,
                                      report* found) {
  tessera::detail::findings findings(found, options.max_diagnostics);
  if (s.size() > options.limit.max_items) {
    findings.error(error(errc::too_many_items, 0));
    return findings.first_error();
  }
  std::size_t inputs = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const node& n = s.nodes[i];
    if (n.first != inputs || n.count > s.inputs.size() - inputs) {
      findings.error(
          error(errc::genome_node_truncated, 5 * std::uint64_t{i} + 2 * std::uint64_t{inputs}));
      return findings.first_error();
    }
    inputs += n.count;
  }
  detail::stream_checker(s, l, findings).check();
  if (findings.failed()) return findings.first_error();
  return program(std::move(s), l);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_VERIFY_HPP
