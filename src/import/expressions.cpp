// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "import/expressions.hpp"

#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {
namespace {

[[nodiscard]] bool is_ascii_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] bool is_ascii_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] std::size_t character_size(std::string_view s) noexcept {
  const unsigned size = utf8_length(s.data(), s.data() + s.size());
  return size == 0 ? 1 : size;
}

class guarding {
 public:
  guarding(std::string_view expression, std::string_view guard) noexcept
      : in_(expression), guard_(guard) {}

  [[nodiscard]] std::optional<std::string> run() {
    while (at_ < in_.size())
      if (!step()) return std::nullopt;
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string_view rest() const noexcept { return in_.substr(at_); }
  bool copy(std::size_t count) {
    out_.append(in_.substr(at_, count));
    at_ += count;
    return true;
  }
  /// What matches one character, outside of the guard.
  bool matching(std::string_view one, std::size_t size) {
    if (guard_.empty())
      out_.append(one);
    else
      out_.append("(?:(?!").append(guard_).append(")").append(one).append(")");
    at_ += size;
    return true;
  }

  [[nodiscard]] bool step() {
    switch (in_[at_]) {
      case '|':
      case ')':
      case '*':
      case '+':
      case '?': return copy(1);
      case '{': return repetition();
      case '(': return group();
      case '[': return set();
      case '\\': return escape();
      case '.': return matching("[^\n]", 1);
      case '^':
      case '$':
      case ']':
      case '}': return false;
      default: {
        const std::size_t size = character_size(rest());
        return matching(literal(rest().substr(0, size)), size);
      }
    }
  }
  /// {2}, {2,} or {2,3}.
  [[nodiscard]] bool repetition() {
    std::size_t end = at_ + 1;
    while (end < in_.size() && (is_ascii_digit(in_[end]) || in_[end] == ',')) ++end;
    if (end == in_.size() || in_[end] != '}' || !is_ascii_digit(in_[at_ + 1])) return false;
    return copy(end + 1 - at_);
  }
  [[nodiscard]] bool group() {
    for (const std::string_view start : {"(?:", "(?=", "(?!", "(?i:", "(?>"})
      if (rest().starts_with(start)) return copy(start.size());
    if (rest().starts_with("(?")) return false;
    out_.append("(?:");
    ++at_;
    return true;
  }
  /// The content of a set for an escaped character in one, or nothing.
  [[nodiscard]] static std::string_view in_set(char c) noexcept {
    switch (c) {
      case 's': return white_space;
      case 'w': return word_characters;
      case 'd': return digits;
      case 'n': return "\n";
      case 'r': return "\r";
      case 't': return "\t";
      default: return {};
    }
  }
  /// The size of \p{…} or \P{…}, or 0.
  [[nodiscard]] std::size_t property() const noexcept {
    const std::string_view s = rest();
    if (!s.starts_with("\\p{") && !s.starts_with("\\P{")) return 0;
    const std::size_t end = s.find('}');
    return end == s.npos ? 0 : end + 1;
  }
  [[nodiscard]] bool set() {
    std::string made = "[";
    std::size_t first = at_++;
    if (rest().starts_with('^')) {
      made += '^';
      ++at_;
    }
    for (bool some = false; at_ < in_.size(); some = true) {
      const char c = in_[at_];
      if (c == ']' && some) {
        const std::size_t size = at_ + 1 - first;
        at_ = first;
        return matching(made + "]", size);
      }
      if (c == '[' || rest().starts_with("&&")) return false;
      if (c != '\\') {
        const std::size_t size = character_size(rest());
        made += rest().substr(0, size);
        at_ += size;
        continue;
      }
      if (at_ + 1 == in_.size()) return false;
      const char escaped = in_[at_ + 1];
      if (const std::size_t size = property(); size != 0) {
        made += rest().substr(0, size);
        at_ += size;
        continue;
      }
      const std::string_view content = in_set(escaped);
      if (content.empty() && (is_ascii_letter(escaped) || is_ascii_digit(escaped))) return false;
      made += content.empty() ? rest().substr(0, 2) : content;
      at_ += 2;
    }
    return false;
  }
  [[nodiscard]] bool escape() {
    if (at_ + 1 == in_.size()) return false;
    if (const std::size_t size = property(); size != 0)
      return matching(rest().substr(0, size), size);
    const char c = in_[at_ + 1];
    const bool is_complement = c == 'S' || c == 'W' || c == 'D';
    const std::string_view content = in_set(is_complement ? static_cast<char>(c + 32) : c);
    if (!content.empty())
      return matching((is_complement ? "[^" : "[") + std::string(content) + "]", 2);
    if (is_ascii_letter(c) || is_ascii_digit(c)) return false;
    return matching(rest().substr(0, 2), 2);
  }

  std::string_view in_, guard_;
  std::size_t at_ = 0;
  std::string out_;
};

void append_character(std::string& to, std::uint32_t c) {
  char text[4];
  const std::size_t size = utf8_encode(c, text);
  if (c < 0x80 && !is_ascii_letter(text[0]) && !is_ascii_digit(text[0]) && c > 0x20) to += '\\';
  to.append(text, size);
}

}  // namespace

std::string set_of(const std::set<std::uint32_t>& characters) {
  std::string out;
  for (auto at = characters.begin(); at != characters.end();) {
    const std::uint32_t first = *at;
    std::uint32_t last = first;
    for (++at; at != characters.end() && *at == last + 1; ++at) ++last;
    append_character(out, first);
    if (last == first) continue;
    if (last != first + 1) out += '-';
    append_character(out, last);
  }
  return out;
}

std::string literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && !is_ascii_letter(c) && !is_ascii_digit(c)) out += '\\';
    out += c;
  }
  return out;
}

std::optional<std::string> guarded_expression(std::string_view expression, std::string_view guard) {
  return guarding(expression, guard).run();
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
