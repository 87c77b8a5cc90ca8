// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The paths of values in a JSON text, found in one walk.

#ifndef TESSERA_CORE_DETAIL_JSON_PATH_HPP
#define TESSERA_CORE_DETAIL_JSON_PATH_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../json.hpp"
#include "../limits.hpp"
#include "../pool.hpp"
#include "../text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace json {

void append_key(text& out, std::string_view key);  // of describe.hpp, which includes this file

namespace detail {

/// Finds the paths of values, at ascending offsets, in one walk.
class path_finder {
 public:
  path_finder(std::string_view source, const limits& limit) : in_(source, limit) {}

  /// Appends the path of the innermost value that starts at `offset` or contains it.
  void append(text& out, std::uint64_t offset) {
    advance(offset);
    out << '$';
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const step& s = steps_[i];
      if (s.count == 0) break;  // after the opening bracket, before the first value
      if (!s.is_object) {
        out << '[' << s.count - 1 << ']';
        continue;
      }
      const std::size_t end = i + 1 < steps_.size() ? steps_[i + 1].key_first : keys_.size();
      append_key(out, keys_.view().substr(s.key_first, end - s.key_first));
    }
  }

 private:
  struct step {
    bool is_object;
    std::uint64_t count;    // members or elements that were entered; the last is the current one
    std::size_t key_first;  // in `keys_`, up to the next step's
  };

  void advance(std::uint64_t offset) {
    bool found = has_ended_ || (is_at_value_ ? in_.offset() >= offset : in_.offset() > offset);
    while (!found) {
      if (is_at_value_) {
        is_at_value_ = false;
        switch (in_.peek()) {
          case kind::object: in_.object(), steps_.push_back({true, 0, keys_.size()}); break;
          case kind::array: in_.array(), steps_.push_back({false, 0, keys_.size()}); break;
          default: in_.skip(), found = in_.offset() > offset;
        }
      }
      // On to the next value; containers that end on the way are left.
      while (!found && !is_at_value_ && !steps_.empty()) {
        std::string_view name;
        is_at_value_ = steps_.back().is_object ? in_.key(name) : in_.element();
        if (in_.failed()) {
          found = has_ended_ = true;
        } else if (is_at_value_) {
          ++steps_.back().count;
          keys_.truncate(steps_.back().key_first);
          keys_ << name;
          found = in_.offset() >= offset;
        } else {
          found = in_.offset() > offset;
          keys_.truncate(steps_.back().key_first);
          steps_.pop_back();
        }
      }
      if (steps_.empty()) found = has_ended_ = true;
    }
  }

  reader in_;
  pool<step> steps_;
  text keys_;
  bool is_at_value_ = true, has_ended_ = false;
};

/// Whether a text may be JSON, for which paths mean something.
[[nodiscard]] inline bool is_json(std::string_view source) noexcept {
  const std::size_t start = source.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  return start != source.npos && (source[start] == '{' || source[start] == '[');
}

}  // namespace detail

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_JSON_PATH_HPP
