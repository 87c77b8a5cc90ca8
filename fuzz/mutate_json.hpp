// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A mutator of JSON trees: values and members are swapped, duplicated, deleted and replaced, so that
// what was JSON stays JSON. Text around the value is kept.
//
//   fuzz::mutate_json(text, draw);    // false, and the text as it was, where it holds no value

#ifndef TESSERA_FUZZ_MUTATE_JSON_HPP
#define TESSERA_FUZZ_MUTATE_JSON_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "mutate.hpp"

namespace fuzz {

/// A value of a JSON text.
struct json_span {
  std::size_t item;  ///< where it begins, or its key
  std::size_t first, end;
  std::size_t parent;  ///< its container's index; its own for the root
  [[nodiscard]] std::size_t size() const { return end - first; }
};

/// The values of a text, containers before what they hold; looser than the format, because a text that
/// is almost JSON should stay so.
class json_spans {
 public:
  explicit json_spans(std::string_view text) : text_(text) {
    at_ = text.find_first_of("{[");
    if (at_ == std::string_view::npos) return;
    is_read_ = value(at_, 0, 0);
  }
  /// Empty where the text holds no whole value.
  [[nodiscard]] std::vector<json_span> take() && {
    return is_read_ ? std::move(spans_) : std::vector<json_span>{};
  }

 private:
  static constexpr std::size_t max_spans = 4096;
  static constexpr int max_depth = 100;

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) < 4) ++at_;
  }
  [[nodiscard]] bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2u : 1u;
    return take('"');
  }
  [[nodiscard]] bool value(std::size_t item, std::size_t parent, int depth) {
    skip_blanks();
    if (at_ >= text_.size() || depth == max_depth || spans_.size() == max_spans) return false;
    const std::size_t self = spans_.size();
    spans_.push_back({item, at_, 0, parent});
    const char c = text_[at_];
    bool is_whole = true;
    if (c == '{' || c == '[')
      is_whole = items(self, c == '{', depth);
    else if (c == '"')
      is_whole = string();
    else
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    spans_[self].end = at_;
    return is_whole && at_ != spans_[self].first;
  }
  [[nodiscard]] bool items(std::size_t self, bool is_object, int depth) {
    const char close = is_object ? '}' : ']';
    ++at_;
    if (take(close)) return true;
    do {
      skip_blanks();
      const std::size_t item = at_;
      if (is_object && (!string() || !take(':'))) return false;
      if (!value(item, self, depth + 1)) return false;
    } while (take(','));
    return take(close);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<json_span> spans_;
  bool is_read_ = false;
};

/// Replaces a value by a number, a string or whatever else is likely to matter.
inline void replace_json(std::string& text, const json_span& at, generator& draw) {
  constexpr std::string_view pieces[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "1.5",
                                         "9007199254740993",
                                         "18446744073709551616",
                                         "1e400",
                                         "true",
                                         "false",
                                         "null",
                                         "\"\"",
                                         "[]",
                                         "{}",
                                         "[0]",
                                         "\"\\u0000\""};
  text.replace(at.first, at.size(), pieces[draw.below(std::size(pieces))]);
}

/// Deletes a value with its key and the comma beside it.
inline void delete_json(std::string& text, const json_span& at) {
  std::size_t first = at.item, end = at.end;
  const std::size_t next = text.find_first_not_of(" \t\r\n", end);
  const std::size_t before = text.find_last_not_of(" \t\r\n", first - 1);
  if (next != std::string::npos && text[next] == ',')
    end = next + 1;
  else if (before != std::string::npos && text[before] == ',')
    first = before;
  text.erase(first, end - first);
}

[[nodiscard]] inline bool mutate_json(std::string& text, generator& draw) {
  const std::vector<json_span> all = json_spans(text).take();
  if (all.size() < 2) return false;
  const json_span a = all[1 + draw.below(all.size() - 1)];
  const json_span b = all[1 + draw.below(all.size() - 1)];
  const std::string of_a = text.substr(a.first, a.size()), of_b = text.substr(b.first, b.size());
  switch (draw.below(7)) {
    case 0: replace_json(text, a, draw); break;
    case 1: delete_json(text, a); break;
    case 2:  // once more, beside itself
      text.insert(a.end, "," + text.substr(a.item, a.end - a.item));
      break;
    case 3: text.replace(a.first, a.size(), of_b); break;
    case 4:  // swapped, where neither holds the other
      if (a.end > b.first && b.end > a.first) return false;
      text.replace(std::max(a.first, b.first), a.first > b.first ? a.size() : b.size(),
                   a.first > b.first ? of_b : of_a);
      text.replace(std::min(a.first, b.first), a.first > b.first ? b.size() : a.size(),
                   a.first > b.first ? of_a : of_b);
      break;
    case 5:  // a key
      if (a.item == a.first) return false;
      mutate_part(text, a.item + 1, text.find('"', a.item + 1) - a.item - 1, a.first - a.item + 8);
      break;
    default:  // a number, a word or the inside of a string
      if (of_a[0] == '{' || of_a[0] == '[') return false;
      mutate_part(text, a.first + (of_a[0] == '"'), a.size() - (of_a[0] == '"') * 2, a.size() + 8);
  }
  return true;
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_MUTATE_JSON_HPP
