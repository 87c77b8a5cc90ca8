// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/write_registry.hpp.

#ifndef TESSERA_GENOME_DETAIL_WRITE_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_WRITE_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/json.hpp"
#include "../../core/limits.hpp"
#include "../../core/result.hpp"
#include "../registry.hpp"
#include "../write.hpp"
#include "../write_registry.hpp"
#include "read_registry.hpp"
#include "registry_order.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class registry_writer {
 public:
  registry_writer(const registry& r, const limits& limit)
      : r_(r), limit_(limit), out_(text_, json::indented) {
    limit_.max_depth = limit.max_depth > 3 ? limit.max_depth - 3 : 0;  // {"constants":{"10":{
  }

  result<text> write() {
    out_.begin_object();
    names("canonical_to_index", r_.operations);
    ids("index_to_canonical", r_.operation_ids);
    names("variation_to_index", r_.variations);
    constants();
    if (!r_.constant_texts.empty()) ids("index_to_constant", r_.constant_texts);
    names("constant_group_to_index", r_.groups);
    ids("index_to_constant_group", r_.group_ids);
    names("param_name_to_index", r_.parameters);
    ids("index_to_param_name", r_.parameter_ids);
    patterns();
    out_.key("rules").begin_object();
    transitions();
    counted("composition_rules", r_.compositions);
    counted("structural_rules", r_.structures);
    out_.end().end();
    if (error_.code != errc::ok) return error_;
    return std::move(text_);
  }

 private:
  void fail(errc code, const error& at) {
    if (error_.code == errc::ok) error_ = {code, at.offset, at.index};
  }
  /// Where a row is.
  template <class T>
  [[nodiscard]] error at(const pool<T>& rows, const T& row) const {
    return error_in(r_, rows, row, errc::ok);
  }
  /// A text that is to be written, of the row there.
  [[nodiscard]] std::string_view checked(characters_range name, const error& at) {
    const std::string_view s = r_.name_of(name);
    if (!is_utf8(s)) fail(errc::json_bad_utf8, at);
    return s;
  }
  template <class T>
  void check_names(const pool<T>& map) {
    const map_order repeated = repeated_names(r_, map);
    if (!repeated.empty()) fail(errc::genome_name_repeated, at(map, map[repeated[0]]));
  }
  template <class T>
  void check_ids(const pool<T>& map) {
    const std::size_t i = first_repeated_id(map);
    if (i != map.size()) fail(errc::genome_id_repeated, at(map, map[i]));
  }
  void check_id(std::uint32_t id, const error& at) {
    if (id > last_pattern_id) fail(errc::genome_registry_id, at);
  }
  void id_key(std::uint32_t id, const error& at) {
    check_id(id, at);
    id_.clear();
    id_ << id;
    out_.key(id_);
  }

  void names(std::string_view member, const pool<entry>& map) {
    check_names(map);
    out_.key(member).begin_object();
    for (const std::uint32_t i : by_id(map)) {
      check_id(map[i].id, at(map, map[i]));
      out_.key(checked(map[i].name, at(map, map[i]))).integer(map[i].id);
    }
    out_.end();
  }
  void ids(std::string_view member, const pool<entry>& map) {
    check_ids(map);
    out_.key(member).begin_object();
    for (const std::uint32_t i : by_id(map)) {
      id_key(map[i].id, at(map, map[i]));
      out_.string(checked(map[i].name, at(map, map[i])));
    }
    out_.end();
  }
  void constants() {
    check_ids(r_.constants);
    out_.key("constants").begin_object();
    for (const std::uint32_t i : by_id(r_.constants)) {
      const constant& c = r_.constants[i];
      id_key(c.id, at(r_.constants, c));
      out_.begin_object(true).key("type").string(checked(c.type, at(r_.constants, c))).key("value");
      json::reader value(r_.name_of(c.value), limit_);
      json::copy(value, out_);
      if (value.finish().code != errc::ok)
        return fail(errc::genome_constant_value, at(r_.constants, c));
      out_.end();
    }
    out_.end();
  }
  void patterns() {
    check_ids(r_.patterns);
    out_.key("patterns").begin_object();
    for (const std::uint32_t i : by_id(r_.patterns)) {
      const pattern& p = r_.patterns[i];
      id_key(p.id, at(r_.patterns, p));
      nodes(r_.nodes_of(p), at(r_.patterns, p));
    }
    out_.end();
  }
  void nodes(const stream_view& s, const error& at) {
    const result<text> base64 = write_base64(s);
    if (!base64) fail(base64.error().code, at);
    out_.string(base64 ? base64->view() : std::string_view{});
  }
  void transitions() {
    check_names(r_.transitions);
    out_.key("transition_rules").begin_object();
    for (const transition_rule& t : r_.transitions) {
      out_.key(checked(t.text, at(r_.transitions, t))).begin_object();
      const std::string_view probability = r_.name_of(t.probability);
      if (!is_probability(probability)) fail(errc::genome_rule_probability, at(r_.transitions, t));
      out_.key("probability").string(probability).key("count").integer(t.count).key("b64_repr");
      nodes(r_.nodes_of(t), at(r_.transitions, t));
      if (t.exceptions != 0) {
        out_.key("exceptions").begin_array();
        for (std::uint32_t i = 0; i < t.exceptions; ++i)
          out_.string(checked(r_.exceptions[t.first_exception + i], at(r_.transitions, t)));
        out_.end();
      }
      out_.end();
    }
    out_.end();
  }
  void counted(std::string_view member, const pool<counted_rule>& map) {
    check_names(map);
    out_.key(member).begin_object();
    for (const counted_rule& c : map)
      out_.key(checked(c.text, at(map, c))).begin_object().key("count").integer(c.count).end();
    out_.end();
  }

  const registry& r_;
  limits limit_;
  text text_;
  json::writer out_;
  text id_;
  error error_;
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<text> write_registry(const registry& r, const write_options& options) {
  return detail::registry_writer(r, options.limit).write();
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_WRITE_REGISTRY_HPP
