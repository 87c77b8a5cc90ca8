// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/read_registry.hpp.

#ifndef TESSERA_GENOME_DETAIL_READ_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_READ_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/json.hpp"
#include "../../core/limits.hpp"
#include "../../core/result.hpp"
#include "../read_registry.hpp"
#include "../signature.hpp"
#include "base64.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

/// Whether `token` is a number from 0 to 1 and nothing else.
[[nodiscard]] inline bool is_probability(std::string_view token) {
  json::reader in(token);
  const json::number n = in.number();
  return in.finish().code == errc::ok && n.token.size() == token.size() && n.value >= 0 &&
         n.value <= 1;
}

/// What Python writes for floats that JSON has no number for, and how it is kept.
struct special_float {
  std::string_view token, kept;
};

inline constexpr special_float special_floats[] = {
    {"NaN", "nan"}, {"Infinity", "inf"}, {"-Infinity", "-inf"}};

/// Copies one value as json::copy() does, special floats too.
inline void copy_constant(json::reader& in, json::writer& out) {
  pool<bool> objects;  // the containers that this value has opened
  std::string_view name;
  do {
    const std::string_view rest = in.rest();
    const special_float* special = nullptr;
    for (const special_float& f : special_floats)
      if (rest.substr(0, f.token.size()) == f.token) special = &f;
    const json::kind kind = in.peek();
    if (special != nullptr) {
      in.resume(rest.data() + special->token.size());
      out.string(special->kept);
    } else if (kind == json::kind::object) {
      in.object(), out.begin_object();
      objects.push_back(true);
    } else if (kind == json::kind::array) {
      in.array(), out.begin_array();
      objects.push_back(false);
    } else {
      json::copy(in, out);
    }
    while (!objects.empty() && !(objects.back() ? in.key(name) : in.element())) {
      out.end();
      objects.pop_back();
    }
    if (!objects.empty() && objects.back()) out.key(name);
  } while (!objects.empty());
}

class registry_reader {
 public:
  registry_reader(std::string_view source, const limits& limit)
      : source_(source), limit_(limit), in_(source, limit) {}

  result<registry> read() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "canonical_to_index")
        names(r_.operations);
      else if (key == "index_to_canonical")
        ids(r_.operation_ids);
      else if (key == "variation_to_index")
        names(r_.variations);
      else if (key == "constants")
        constants();
      else if (key == "index_to_constant")
        ids(r_.constant_texts);
      else if (key == "constant_group_to_index")
        names(r_.groups);
      else if (key == "index_to_constant_group")
        ids(r_.group_ids);
      else if (key == "param_name_to_index")
        names(r_.parameters);
      else if (key == "index_to_param_name")
        ids(r_.parameter_ids);
      else if (key == "patterns")
        patterns();
      else if (key == "rules")
        rules();
      else
        in_.fail(errc::genome_registry_member, in_.offset());
    }
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    return std::move(r_);
  }

 private:
  template <class T>
  void append(pool<T>& list, const T& value, std::uint64_t at, std::size_t first = 0) {
    if (list.size() - first >= limit_.max_items)
      in_.fail(errc::too_many_items, at);
    else
      list.push_back(value);
  }

  /// Name to id.
  void names(pool<entry>& map) {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const characters_range name = r_.add_characters(key);
      const std::uint64_t at = in_.offset();
      const std::int64_t id = in_.int64();
      if (id < 0 || id > last_pattern_id) in_.fail(errc::genome_registry_id, at);
      append(map, {static_cast<std::uint32_t>(id), name, at}, at);
    }
  }
  /// Id to name.
  void ids(pool<entry>& map) {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const std::uint32_t id = id_of(key);
      const std::uint64_t at = in_.offset();
      append(map, {id, r_.add_characters(in_.string()), at}, at);
    }
  }
  [[nodiscard]] std::uint32_t id_of(std::string_view key) {
    std::uint32_t id = 0;
    if (!take_number(key, id) || !key.empty() || id > last_pattern_id)
      in_.fail(errc::genome_registry_key, in_.offset());
    return id;
  }

  void constants() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      constant c{.id = id_of(key), .type = {}, .value = {}, .offset = in_.offset()};
      bool has_type = false, has_value = false;
      for (in_.object(); in_.key(key);) {
        if (key == "type") {
          c.type = r_.add_characters(in_.string());
          has_type = true;
        } else if (key == "value") {
          const std::size_t first = r_.characters.size();
          json::writer out(r_.characters);
          copy_constant(in_, out);
          c.value = {static_cast<std::uint32_t>(first),
                     static_cast<std::uint32_t>(r_.characters.size() - first)};
          has_value = true;
        } else {
          in_.fail(errc::genome_constant_member, in_.offset());
        }
      }
      if (!has_type || !has_value) in_.fail(errc::genome_constant_member, c.offset);
      append(r_.constants, c, c.offset);
    }
  }

  void patterns() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      pattern p{.id = id_of(key), .first = 0, .count = 0, .offset = in_.offset()};
      nodes(p.first, p.count);
      append(r_.patterns, p, p.offset);
    }
  }
  /// A stream in base64.
  void nodes(std::uint32_t& first, std::uint32_t& count) {
    const std::uint64_t at = in_.offset();
    const std::string_view base64 = in_.string();
    const bool plain = base64.data() == source_.data() + at + 1;  // no escapes: it is in the source
    first = static_cast<std::uint32_t>(r_.pattern_nodes.size());
    bytes_.clear();
    if (const error e = decode_base64(base64, bytes_); e.code != errc::ok)
      return in_.fail(e.code, plain ? at + 1 + e.offset : at);
    const bytes source(bytes_.data(), bytes_.size());
    if (const error e = read_nodes(source, limit_, r_.pattern_nodes); e.code != errc::ok)
      return in_.fail(e.code, plain ? at + 1 + base64_group(e.offset) : at);
    count = static_cast<std::uint32_t>(r_.pattern_nodes.size()) - first;
  }

  void rules() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "transition_rules")
        transitions();
      else if (key == "composition_rules")
        counted(r_.compositions);
      else if (key == "structural_rules")
        counted(r_.structures);
      else
        in_.fail(errc::genome_registry_member, in_.offset());
    }
  }
  void transitions() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      transition_rule t;
      t.text = r_.add_characters(key);
      t.offset = in_.offset();
      t.first_exception = static_cast<std::uint32_t>(r_.exceptions.size());
      bool has_probability = false, has_count = false, has_nodes = false;
      for (in_.object(); in_.key(key);) {
        if (key == "probability") {
          t.probability = probability();
          has_probability = true;
        } else if (key == "count") {
          t.count = in_.uint64();
          has_count = true;
        } else if (key == "b64_repr") {
          nodes(t.first, t.nodes);
          has_nodes = true;
        } else if (key == "exceptions") {
          for (in_.array(); in_.element();) {
            const std::uint64_t at = in_.offset();
            append(r_.exceptions, r_.add_characters(in_.string()), at, t.first_exception);
          }
          t.exceptions = static_cast<std::uint32_t>(r_.exceptions.size()) - t.first_exception;
        } else {
          in_.fail(errc::genome_rule_member, in_.offset());
        }
      }
      if (!has_probability || !has_count || !has_nodes)
        in_.fail(errc::genome_rule_member, t.offset);
      append(r_.transitions, t, t.offset);
    }
  }
  [[nodiscard]] characters_range probability() {
    const std::uint64_t at = in_.offset();
    const std::string_view token =
        in_.peek() == json::kind::number ? in_.number().token : in_.string();
    if (!in_.failed() && !is_probability(token)) in_.fail(errc::genome_rule_probability, at);
    return r_.add_characters(token);
  }
  void counted(pool<counted_rule>& map) {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      counted_rule c{.text = r_.add_characters(key), .count = 0, .offset = in_.offset()};
      bool has_count = false;
      for (in_.object(); in_.key(key);) {
        if (key == "count") {
          c.count = in_.uint64();
          has_count = true;
        } else {
          in_.fail(errc::genome_rule_member, in_.offset());
        }
      }
      if (!has_count) in_.fail(errc::genome_rule_member, c.offset);
      append(map, c, c.offset);
    }
  }

  std::string_view source_;
  limits limit_;
  json::reader in_;
  registry r_;
  pool<std::byte> bytes_;  // of one stream
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<registry> read_registry(std::string_view source,
                                              const read_options& options) {
  limits low = options.limit;  // names are ranges of 32 bits
  if (low.max_bytes > UINT32_MAX) low.max_bytes = UINT32_MAX;
  return detail::registry_reader(source, low).read();
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_READ_REGISTRY_HPP
