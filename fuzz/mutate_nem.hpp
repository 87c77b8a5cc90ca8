// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A mutator of NEM texts by statements and words: statements with all that is indented below them, and
// loops with their ends, are swapped, repeated, moved and deleted; numbers, names and words of the
// language are replaced by others of their kind.
//
//   fuzz::mutate_nem(text, draw);

#ifndef TESSERA_FUZZ_MUTATE_NEM_HPP
#define TESSERA_FUZZ_MUTATE_NEM_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/nem/format.hpp>
#include <vector>

#include "mutate.hpp"

namespace fuzz {

struct text_span {
  std::size_t first, end;
  [[nodiscard]] std::size_t size() const { return end - first; }
};

/// The statements of a text, each with the lines that belong to it.
[[nodiscard]] inline std::vector<text_span> nem_statements(std::string_view text) {
  struct line {
    std::size_t first, indent;
    bool is_loop, is_end;
  };
  std::vector<line> lines;
  for (std::size_t at = 0; at < text.size() && lines.size() < 1000;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view content = text.substr(at, end - at);
    const std::size_t indent = std::min(content.find_first_not_of(' '), content.size());
    lines.push_back({at, indent, content.substr(indent).starts_with("loop "),
                     content.substr(indent).starts_with("endloop")});
    at = end + 1;
  }
  std::vector<text_span> all;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].is_end) continue;
    std::size_t k = i + 1;
    while (k < lines.size() && lines[k].indent > lines[i].indent) ++k;
    if (lines[i].is_loop && k < lines.size() && lines[k].is_end) ++k;
    all.push_back({lines[i].first, k < lines.size() ? lines[k].first : text.size()});
  }
  return all;
}

/// Words and numbers of a text.
[[nodiscard]] inline std::vector<text_span> nem_words(std::string_view text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::vector<text_span> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end != at) all.push_back({at, end});
    at = end + 1;
  }
  return all;
}

/// A word for the place of another: of the language where that one is, else one of the text.
[[nodiscard]] inline std::string other_word(std::string_view text, std::string_view word,
                                            const std::vector<text_span>& words, generator& draw) {
  namespace nem = tessera::nem;
  if (word[0] >= '0' && word[0] <= '9' && draw.one_in(2)) {
    constexpr std::string_view numbers[] = {"0", "1", "2", "3", "4", "8", "16", "32", "64"};
    return std::string(numbers[draw.below(std::size(numbers))]);
  }
  if (nem::find_opcode(word) != nem::opcode::unknown)
    return std::string(nem::opcode_table[draw.below(nem::opcode_count)].name);
  if (nem::find_element(word) != nem::element::none)
    return std::string(nem::name(static_cast<nem::element>(draw.below(nem::element_count))));
  if (nem::find_attribute(word) != nem::attribute::unknown)
    return std::string(nem::attribute_table[draw.below(nem::attribute_count)].name);
  const bool is_number = word[0] >= '0' && word[0] <= '9';
  for (int left = 8; left != 0; --left) {
    const text_span w = words[draw.below(words.size())];
    const char first = text[w.first];
    if ((first >= '0' && first <= '9') == is_number)
      return std::string(text.substr(w.first, w.size()));
  }
  return std::string(word);
}

[[nodiscard]] inline bool mutate_nem(std::string& text, generator& draw) {
  if (draw.one_in(2)) {
    const std::vector<text_span> words = nem_words(text);
    if (words.empty()) return false;
    const text_span w = words[draw.below(words.size())];
    text.replace(w.first, w.size(),
                 other_word(text, std::string_view(text).substr(w.first, w.size()), words, draw));
    return true;
  }
  const std::vector<text_span> all = nem_statements(text);
  if (all.empty()) return false;
  const text_span a = all[draw.below(all.size())], b = all[draw.below(all.size())];
  std::string copy = text.substr(a.first, a.size());
  if (!copy.ends_with('\n')) copy += '\n';
  switch (draw.below(4)) {
    case 0: text.erase(a.first, a.size()); break;
    case 1: text.insert(b.first, copy); break;  // once more, there
    case 2:                                     // moved
      if (b.first > a.first && b.first < a.end) return false;
      text.insert(b.first, copy);
      text.erase(b.first <= a.first ? a.first + copy.size() : a.first, a.size());
      break;
    default: text.replace(b.first, b.size(), copy);
  }
  return true;
}

}  // namespace fuzz

#endif  // TESSERA_FUZZ_MUTATE_NEM_HPP
