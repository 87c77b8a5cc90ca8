// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What verify() checks about the maps of a registry; their patterns are streams (check_stream.hpp).
//
//   detail::registry_checker maps(registry, limit, found);
//   maps.check();                                               // fills maps.operations and so on
//
//   map          ids           a member is
//   operations   0 - 255       below 10 the command of that id, and no other has such a name
//   variations   1 - 255       "in1,in0"
//   constants    1 - 32767     of a type of the table below, with a value to match
//   groups       0 - 32767     "arg1=10;dim=11": keys or whole parts ascending, constants that exist
//   parameters   0 - 32767     any text
//   patterns     0 - 65535     one node or more
//
// These are the ids that their fields in nodes can hold; the original tools begin all at 10. In a map
// ids and names are unique. Registries of v1.1 may give id 10 to two operations, of which the one
// that index_to_canonical names counts, and have "<RESERVED>" at 8 or 10. A map without its reverse,
// or a reverse without its map, is completed; where both are present they agree. Texts of
// index_to_constant and rules are for people, and nothing is asked of them.
//
// Lifetime:   borrows the registry.
// Errors:     genome_id_range to genome_constant_value, genome_pattern_empty; the offset is the row's.
//             genome_node_truncated, with the index of a node, where a stream that was built in code
//             names inputs that aren't there.
//             All rows are checked; nothing is said about ids that were refused before.
// Limits:     max_depth for constants.
// Allocation: 4 bytes for each id up to the highest of a map; for a moment 8 for each member of one.

#ifndef TESSERA_GENOME_DETAIL_CHECK_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_CHECK_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/findings.hpp"
#include "../../core/json_read.hpp"
#include "../../core/limits.hpp"
#include "../registry.hpp"
#include "../signature.hpp"
#include "registry_order.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

/// How the value of a constant is written in JSON.
enum class value_form : std::uint8_t { integer, number, string, boolean, null, array, slice };

/// The types of constants. A float that JSON has no number for is "inf", "-inf" or "nan".
struct constant_type {
  std::string_view name;
  value_form form;
};
inline constexpr constant_type constant_types[] = {
    {"int", value_form::integer},         {"float", value_form::number},
    {"str", value_form::string},          {"bool", value_form::boolean},
    {"NoneType", value_form::null},       {"list", value_form::array},
    {"tuple", value_form::array},         {"immutable_list", value_form::array},
    {"slice", value_form::slice},  // [start, stop, step]
    {"torch.dtype", value_form::string},  {"torch.device", value_form::string},
    {"torch.layout", value_form::string}, {"torch.memory_format", value_form::string},
};

/// Whether `value` is JSON of a form.
[[nodiscard]] inline bool has_form(std::string_view value, value_form form, const limits& limit) {
  json::reader in(value, limit);
  bool right = false;
  const json::kind kind = in.peek();
  switch (form) {
    case value_form::integer: right = in.number().integral; break;
    case value_form::number:
      if (kind == json::kind::string) {
        const std::string_view s = in.string();
        right = s == "inf" || s == "-inf" || s == "nan";
      } else {
        (void)in.number();
        right = true;
      }
      break;
    case value_form::string: right = kind == json::kind::string, in.skip(); break;
    case value_form::boolean: right = kind == json::kind::boolean, in.skip(); break;
    case value_form::null: right = kind == json::kind::null, in.skip(); break;
    case value_form::array: right = kind == json::kind::array, in.skip(); break;
    case value_form::slice: {
      std::size_t count = 0;
      for (in.array(); in.element(); ++count) in.skip();
      right = count == 3;
      break;
    }
  }
  return in.finish().code == errc::ok && right;
}

class registry_checker {
 public:
  /// By id: the index in the map, plus 1; of a map and its reverse that in the reverse.
  using places = pool<std::uint32_t>;
  places operations, variations, constants, groups, parameters, patterns;
  pool<std::uint32_t> tensors, target_sizes;  // of operations, by id
  pool<std::uint32_t> inputs_named;           // of variations

  registry_checker(registry& r, const limits& limit, tessera::detail::findings& found)
      : r_(r), limit_(limit), found_(found) {}

  void check() {
    const entry* tenth = nullptr;
    for (const entry& e : r_.operation_ids)
      if (e.id == first_id) tenth = &e;
    for (const entry& e : r_.operations)
      if (tenth != nullptr && r_.name_of(e) == r_.name_of(*tenth)) tenth_ = r_.name_of(e);
    check_both(r_.operations, r_.operation_ids, 0, last_byte_id, operations);
    check_operations();
    check_map(r_.variations, 1, last_byte_id, variations);
    check_variations();
    check_ids(r_.constants, 1, last_c_id, constants);
    check_constants();
    check_both(r_.groups, r_.group_ids, 0, last_c_id, groups);
    check_groups();
    check_both(r_.parameters, r_.parameter_ids, 0, last_c_id, parameters);
    check_ids(r_.patterns, 0, last_pattern_id, patterns);
    check_streams();
  }
  /// Whether the nodes of patterns, and their inputs, are there.
  [[nodiscard]] bool has_streams() const noexcept { return has_streams_; }

 private:
  template <class T>
  tessera::detail::findings::writer fail(errc code, const pool<T>& rows, const T& row) {
    const error e = error_in(r_, rows, row, code);
    return found_.error(code, {0, e.offset, 0, e.index});
  }

  /// The name of id 10, in a registry of v1.1, that its reverse doesn't know.
  template <class T>
  [[nodiscard]] bool is_ignored(const pool<T>& map, const T& row) const noexcept {
    if constexpr (requires { row.name; })
      return &map == &r_.operations && row.id == first_id && !tenth_.empty() &&
             r_.name_of(row) != tenth_;
    else
      return false;
  }

  /// Ids in their range and each once; their places go to `out`.
  template <class T>
  void check_ids(const pool<T>& map, std::uint32_t low, std::uint32_t high, places& out) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      const std::uint32_t id = map[i].id;
      if (id < low || id > high) {
        fail(errc::genome_id_range, map, map[i])
            << "id " << id << "; expected " << low << " to " << high;
        continue;
      }
      if (is_ignored(map, map[i])) continue;
      if (id >= out.size()) out.resize(id + 1);
      if (out[id] != 0)
        fail(errc::genome_id_repeated, map, map[i]) << "duplicate id " << id;
      else
        out[id] = static_cast<std::uint32_t>(i + 1);
    }
  }
  void check_map(const pool<entry>& map, std::uint32_t low, std::uint32_t high, places& out) {
    check_ids(map, low, high, out);
    for (const std::uint32_t i : repeated_names(r_, map))
      fail(errc::genome_name_repeated, map, map[i])
          << "duplicate name \"" << r_.name_of(map[i]) << "\", of id " << map[i].id;
  }
  [[nodiscard]] static std::uint32_t at(const places& p, std::uint32_t id) noexcept {
    return id < p.size() ? p[id] : 0;
  }
  /// A map and its reverse. Where one of them has errors they aren't compared.
  void check_both(pool<entry>& map, pool<entry>& reverse, std::uint32_t low, std::uint32_t high,
                  places& out) {
    if (map.empty()) map = reverse;
    if (reverse.empty())
      for (const entry& e : map)
        if (!is_ignored(map, e)) reverse.push_back(e);
    const std::uint64_t before = found_.errors();
    places forward;
    check_map(map, low, high, forward);
    check_map(reverse, low, high, out);
    if (found_.errors() != before) return;
    for (const entry& e : map) {
      if (is_ignored(map, e)) continue;
      const std::uint32_t i = at(out, e.id);
      if (i == 0 || r_.name_of(reverse[i - 1]) != r_.name_of(e))
        differ(map, e, i == 0 ? std::string_view() : r_.name_of(reverse[i - 1]));
    }
    for (const entry& e : reverse)
      if (at(forward, e.id) == 0) differ(reverse, e, {});
  }
  /// `other` is the name of the id in the other map, or null.
  void differ(const pool<entry>& map, const entry& e, std::string_view other) {
    auto out = fail(errc::genome_maps_differ, map, e);
    out << "forward and reverse maps disagree: id " << e.id << " is \"" << r_.name_of(e)
        << "\" here and ";
    if (other.data() == nullptr)
      out << "missing in the other map";
    else
      out << '"' << other << "\" in the other map";
  }

  void check_operations() {
    tensors.resize(operations.size());
    target_sizes.resize(operations.size());
    for (std::uint32_t& n : tensors) n = ~std::uint32_t{0};
    for (const entry& e : r_.operation_ids) {
      if (e.id >= operations.size()) continue;
      const std::string_view name = r_.name_of(e);
      std::uint32_t command = first_id;  // that has this name
      for (std::uint32_t a = 0; a < first_id; ++a)
        if (command_names[a] == name) command = a;
      if (e.id >= 8 && e.id <= first_id && name == command_names[9]) continue;
      if (command != (e.id < first_id ? e.id : first_id)) {
        auto out = fail(errc::genome_special_name, r_.operation_ids, e);
        out << "id " << e.id << " is \"" << name << "\"; expected ";
        if (e.id < first_id)
          out << '"' << command_names[e.id] << '"';
        else
          out << "the name of an operation: that of a command belongs to id " << command;
        continue;
      }
      const operation_name parts(name);
      target_sizes[e.id] = static_cast<std::uint32_t>(parts.target.size());
      if (parts.well_formed) tensors[e.id] = parts.tensors;
    }
  }
  void check_variations() {
    inputs_named.resize(variations.size());
    for (const entry& e : r_.variations) {
      if (e.id >= variations.size()) continue;
      variation_inputs inputs(r_.name_of(e));
      std::uint32_t named = 0;
      for (std::uint32_t i = 0; inputs.next(i);)
        if (i >= named) named = i + 1;
      if (inputs.failed() || named == 0)
        fail(errc::genome_variation_form, r_.variations, e)
            << "variation \"" << r_.name_of(e) << "\"; expected a form such as \"in0,in1\"";
      else
        inputs_named[e.id] = named;
    }
  }
  void check_constants() {
    for (const constant& c : r_.constants) {
      const constant_type* type = nullptr;
      for (const constant_type& t : constant_types)
        if (t.name == r_.name_of(c.type)) type = &t;
      if (type == nullptr) {
        auto out = fail(errc::genome_constant_type, r_.constants, c);
        out << "unknown type \"" << r_.name_of(c.type) << "\"; expected ";
        for (const constant_type& t : constant_types)
          out << (&t == constant_types                 ? ""
                  : &t == std::end(constant_types) - 1 ? " or "
                                                       : ", ")
              << t.name;
      } else if (!has_form(r_.name_of(c.value), type->form, limit_)) {
        fail(errc::genome_constant_value, r_.constants, c)
            << "the value " << r_.name_of(c.value) << " is not of type " << type->name;
      }
    }
  }
  /// Whether "a=" is below "b=", as where whole parts are sorted: arg10=1 precedes arg1=2 then.
  [[nodiscard]] static bool is_text_below(std::string_view a, std::string_view b) noexcept {
    const std::size_t same = a.size() < b.size() ? a.size() : b.size();
    const int order = a.substr(0, same).compare(b.substr(0, same));
    if (order != 0 || a.size() == b.size()) return order < 0;
    return a.size() < b.size() ? '=' < b[same] || a.empty() : a[same] < '=';
  }
  void check_groups() {
    for (const entry& e : r_.group_ids) {
      group_parts parts(r_.name_of(e));
      group_part part;
      std::string_view last;
      bool by_key = true, by_text = true, has_unknown = false;
      std::uint32_t unknown = 0;  // the first constant that doesn't exist
      while (parts.next(part)) {
        by_key = by_key && last < part.key;
        by_text = by_text && is_text_below(last, part.key);
        if (at(constants, part.constant) == 0 && !has_unknown)
          unknown = part.constant, has_unknown = true;
        last = part.key;
      }
      if (parts.failed() || !(by_key || by_text) || last.empty())
        fail(errc::genome_group_form, r_.group_ids, e)
            << "group \"" << r_.name_of(e)
            << "\"; expected a form such as \"arg1=10;dim=11\", with ascending keys";
      else if (has_unknown)
        fail(errc::genome_group_constant, r_.group_ids, e)
            << "group \"" << r_.name_of(e) << "\": constant " << unknown << " does not exist";
    }
  }

  /// That patterns have nodes, and nodes their inputs; streams that were read always do.
  void check_streams() {
    const stream& all = r_.pattern_nodes;
    std::size_t inputs = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const node& n = all.nodes[i];
      if (n.first != inputs || n.count > all.inputs.size() - inputs) {
        has_streams_ = false;
        found_.error(error(errc::genome_node_truncated, i, error_index::node));
        break;
      }
      inputs += n.count;
    }
    for (const pattern& p : r_.patterns) {
      if (p.count == 0) {
        fail(errc::genome_pattern_empty, r_.patterns, p);
      } else if (p.first > all.size() || p.count > all.size() - p.first) {
        fail(errc::genome_node_truncated, r_.patterns, p);
        has_streams_ = false;
      }
    }
  }

  registry& r_;
  limits limit_;
  tessera::detail::findings& found_;
  std::string_view tenth_;  // the operation of id 10 by index_to_canonical
  bool has_streams_ = true;
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_CHECK_REGISTRY_HPP
