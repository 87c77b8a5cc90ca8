// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/check.hpp.

#ifndef TESSERA_ARK_DETAIL_CHECK_HPP
#define TESSERA_ARK_DETAIL_CHECK_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/json.hpp"
#include "../../core/limits.hpp"
#include "../../core/text.hpp"
#include "../check.hpp"
#include "../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

[[nodiscard]] inline bool is_ascii(std::string_view s) noexcept {
  std::uint64_t all = 0, word = 0;
  std::size_t i = 0;
  for (; s.size() - i >= 8; i += 8) {
    std::memcpy(&word, s.data() + i, 8);
    all |= word;
  }
  for (; i < s.size(); ++i) all |= static_cast<unsigned char>(s[i]);
  return (all & 0x8080808080808080u) == 0;
}

class graph_check {
 public:
  explicit graph_check(const model& g) noexcept : g_(g), ascii_(is_ascii(g.characters)) {}

  [[nodiscard]] error all() const {
    if (static_cast<std::size_t>(g_.form) >= std::size(dialect_table))
      return {errc::ark_dialect, 0, error_index::whole};
    if (g_.rank < 0 || g_.rank >= g_.world_size)
      return {errc::ark_s03_world, 0, error_index::whole};
    if (const errc code = tables(); code != errc::ok) return {code, 0, error_index::whole};
    for (const node& n : g_.nodes) {
      errc code = node_itself(n);
      if (code == errc::ok)
        for (const op& o : operations(g_, n))
          if (code = operation(o); code != errc::ok) break;
      if (code != errc::ok) return error_in(g_.nodes, n, code, error_index::node);
    }
    return {};
  }
  /// One operation, after tables(); plans check theirs with it.
  [[nodiscard]] errc operation(const op& o) const {
    if (o.type > op_type::unknown) return errc::ark_o01_type;
    const std::uint64_t last =
        std::uint64_t{o.first_use} + o.reads + std::uint64_t{o.writes} + o.results;
    if (last > g_.uses.size() || !inside(o.arguments, g_.arguments.size()) ||
        outside(o.members, g_.members.size()))
      return errc::ark_too_large;
    bool uses_inside = true;
    for (const std::uint32_t t : uses(g_, o)) uses_inside = uses_inside && t < g_.tensors.size();
    if (!uses_inside) return errc::ark_too_large;
    if (const errc code = string(o.name); code != errc::ok) return code;
    if (o.type == op_type::unknown)
      if (const errc code = string(o.unknown_type); code != errc::ok) return code;
    for (const argument& a : arguments(g_, o))
      if (const errc code = one_argument(a); code != errc::ok) return code;
    return errc::ok;
  }
  /// What operations refer to.
  [[nodiscard]] errc tables() const {
    if (outside(g_.own_members, g_.members.size())) return errc::ark_too_large;
    for (std::size_t i = 0; i < g_.members.size(); ++i) {
      const member& m = g_.members[i];
      if (m.next != none && (m.next <= i || m.next >= g_.members.size()))
        return errc::ark_too_large;
      for (const ark::string& s : {m.key, m.value})
        if (const errc code = string(s); code != errc::ok) return code;
    }
    for (const layout& l : g_.layouts) {
      if (l.rank > max_rank) return errc::ark_t01_rank;
      if (l.pads != none && !inside({l.pads, l.rank}, g_.integers.size()))
        return errc::ark_too_large;
    }
    for (const tensor& t : g_.tensors) {
      if (t.id < 0) return errc::ark_s13_integer;
      if (t.layout >= g_.layouts.size() || t.buffer >= g_.buffers.size() ||
          outside(t.members, g_.members.size()))
        return errc::ark_too_large;
      if (static_cast<std::size_t>(t.type) >= std::size(data_type_table))
        return errc::ark_t06_data_type;
    }
    for (const buffer& b : g_.buffers) {
      if (b.id < 0) return errc::ark_s13_integer;
      if (!inside(b.send_tags, g_.tags.size()) || !inside(b.recv_tags, g_.tags.size()) ||
          outside(b.members, g_.members.size()))
        return errc::ark_too_large;
    }
    return errc::ok;
  }

 private:
  [[nodiscard]] static bool inside(range r, std::size_t size) noexcept {
    return std::uint64_t{r.first} + r.count <= size;
  }
  [[nodiscard]] static bool outside(std::uint32_t first, std::size_t size) noexcept {
    return first != none && first >= size;
  }
  [[nodiscard]] errc string(ark::string s) const noexcept {
    if (!inside({s.first, s.size}, g_.characters.size())) return errc::ark_too_large;
    return ascii_ || is_utf8(text_of(g_, s)) ? errc::ok : errc::json_bad_utf8;
  }
  [[nodiscard]] errc node_itself(const node& n) const noexcept {
    if (!inside(n.producers, g_.integers.size()) || !inside(n.consumers, g_.integers.size()) ||
        !inside(n.ops, g_.ops.size()) || outside(n.members, g_.members.size()))
      return errc::ark_too_large;
    std::int64_t signs = n.id;
    for (const range r : {n.producers, n.consumers})
      for (const std::int64_t id : integers(g_, r)) signs |= id;
    if (signs < 0) return errc::ark_s13_integer;
    return n.ops.count == 0 ? errc::ark_s07_no_ops : errc::ok;
  }
  [[nodiscard]] errc one_argument(const argument& a) const {
    if (a.name > argument_name::other) return errc::ark_o04_argument;
    if (a.name == argument_name::other)
      if (const errc code = string(a.other_name); code != errc::ok) return code;
    const auto fits = [&a](std::int64_t low, std::int64_t high) {
      return a.integer >= low && a.integer <= high ? errc::ok : errc::ark_o05_argument_form;
    };
    switch (a.type) {
      case argument_type::int32: return fits(INT32_MIN, INT32_MAX);
      case argument_type::uint32: return fits(0, std::int64_t{UINT32_MAX});
      case argument_type::int64:
      case argument_type::uint64:
      case argument_type::boolean: return errc::ok;
      case argument_type::float32: {
        if (a.token.size == 0)
          return (std::bit_cast<std::uint32_t>(a.real) & 0x7f800000u) == 0x7f800000u
                     ? errc::ark_not_finite
                     : errc::ok;
        if (const errc code = string(a.token); code != errc::ok) return code;
        json::reader in(text_of(g_, a.token));
        (void)in.float32();
        return in.finish().code;
      }
      case argument_type::dims:
        if (!inside(a.integers, g_.integers.size())) return errc::ark_too_large;
        return a.integers.count <= max_rank ? errc::ok : errc::ark_o05_argument_form;
      case argument_type::tensor:
        return a.integer >= 0 && static_cast<std::uint64_t>(a.integer) < g_.tensors.size()
                   ? errc::ok
                   : errc::ark_too_large;
      case argument_type::offset:
        if (!inside(a.integers, g_.integers.size())) return errc::ark_too_large;
        if (a.integers.count != 1 && a.integers.count != 2) return errc::ark_o05_argument_form;
        for (const std::int64_t v : integers(g_, a.integers))
          if (v < 0) return errc::ark_o05_argument_form;
        return errc::ok;
      case argument_type::other: return string(a.token);
    }
    return errc::ark_o05_argument_form;
  }

  const ark::model& g_;
  bool ascii_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE error check(const model& g) { return detail::graph_check(g).all(); }

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_CHECK_HPP
