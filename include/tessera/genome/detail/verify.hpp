// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/verify.hpp.

#ifndef TESSERA_GENOME_DETAIL_VERIFY_HPP
#define TESSERA_GENOME_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

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
  library_maker(registry r, const limits& limit) : limit_(limit) {
    library_.registry_ = std::move(r);
    most_ = limit.max_items < UINT32_MAX ? limit.max_items : UINT32_MAX;
  }

  result<library> make() {
    registry_checker maps(library_.registry_, limit_);
    if (const error e = maps.check(); e.code != errc::ok) return e;
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
    for (std::size_t i = 0; i < patterns().size(); ++i)
      if (!check_from(static_cast<std::uint32_t>(i))) return error_;
    return std::move(library_);
  }

 private:
  enum class state : std::uint8_t { unseen, open, checked };
  struct open_pattern {
    std::uint32_t index, next_node;
  };

  [[nodiscard]] const pool<pattern>& patterns() const noexcept {
    return library_.registry_.patterns;
  }
  bool fail(errc code, const pattern& p) {
    return error_ = error_in(library_.registry_, patterns(), p, code), false;
  }

  /// Checks a pattern, before it those inside of it, and so on; each once.
  bool check_from(std::uint32_t root) {
    if (states_[root] != state::unseen) return true;
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
        if (q == library::none) return fail(errc::genome_pattern_unknown, p);
        if (states_[q] == state::open) return fail(errc::genome_pattern_recursion, patterns()[q]);
        if (states_[q] == state::unseen) inside = q;
      }
      if (inside != library::none) {
        open(inside);
      } else {
        if (!check_pattern(top.index, nodes)) return false;
        states_[top.index] = state::checked;
        open_.pop_back();
      }
    }
    return true;
  }
  void open(std::uint32_t index) {
    states_[index] = state::open;
    open_.push_back({index, 0});
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
      if (size > most_) return fail(errc::genome_pattern_size, p);
    }
    stream_checker checker(nodes, library_, starts_, p.offset);
    const errc wrong = checker.check().code;
    if (wrong != errc::ok) (void)fail(wrong, p);
    library_.flat_sizes_[index] = static_cast<std::uint32_t>(size);
    library_.reaches_[index] = checker.reach();
    library_.takes_inputs_[index] = checker.takes_inputs() ? 1 : 0;
    return wrong == errc::ok;
  }

  library library_;
  limits limit_;
  std::uint64_t most_ = 0;
  pool<state> states_;
  pool<open_pattern> open_;
  pool<std::uint64_t> starts_;  // of a pattern's nodes in its expansion
  error error_;
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<library> verify(registry r, const limits& limit) {
  return detail::library_maker(std::move(r), limit).make();
}

TESSERA_INLINE result<program> verify(stream s, const library& l, const limits& limit) {
  if (s.size() > limit.max_items) return error{errc::too_many_items, 0};
  std::size_t inputs = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const node& n = s.nodes[i];
    if (n.first != inputs || n.count > s.inputs.size() - inputs)
      return error{errc::genome_node_truncated, 5 * std::uint64_t{i} + 2 * std::uint64_t{inputs}};
    inputs += n.count;
  }
  if (const error e = detail::stream_checker(s, l).check(); e.code != errc::ok) return e;
  return program(std::move(s), l);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_VERIFY_HPP
