// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "unicode.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#ifdef TESSERA_HAS_UTF8PROC
#include <utf8proc.h>
#endif

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

[[nodiscard]] bool is_space(std::uint32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
         c == 0x205f || c == 0x3000;
}

}  // namespace

std::string_view stripped(std::string_view s) noexcept {
  while (!s.empty()) {
    const code_point c = first_code_point(s);
    if (!is_space(c.value)) break;
    s.remove_prefix(c.size);
  }
  while (!s.empty()) {
    std::size_t at = s.size() - 1;
    while ((static_cast<unsigned char>(s[at]) & 0xc0u) == 0x80u) --at;
    if (!is_space(first_code_point(s.substr(at)).value)) break;
    s = s.substr(0, at);
  }
  return s;
}

#ifdef TESSERA_HAS_UTF8PROC

namespace {

[[nodiscard]] utf8proc_category_t category_of(std::uint32_t c) noexcept {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

/// Unicode's Cased, of characters that aren't Case_Ignorable: letters of a case, Roman numerals,
/// letters in circles and squares, ordinal indicators.
[[nodiscard]] bool is_cased(std::uint32_t c) noexcept {
  const utf8proc_category_t kind = category_of(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL ||
         kind == UTF8PROC_CATEGORY_LT || c == 0xaa || c == 0xba || (c >= 0x2160 && c <= 0x217f) ||
         (c >= 0x24b6 && c <= 0x24e9) || (c >= 0x1f130 && c <= 0x1f149) ||
         (c >= 0x1f150 && c <= 0x1f169) || (c >= 0x1f170 && c <= 0x1f189);
}
/// Unicode's Case_Ignorable: marks, modifiers, and what may be inside a word.
[[nodiscard]] bool is_case_ignorable(std::uint32_t c) noexcept {
  const utf8proc_category_t kind = category_of(c);
  if (kind == UTF8PROC_CATEGORY_MN || kind == UTF8PROC_CATEGORY_ME ||
      kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_LM || kind == UTF8PROC_CATEGORY_SK)
    return true;
  static constexpr std::uint32_t inside_words[] = {0x27,   0x2e,   0x3a,   0xb7,   0x387,  0x55f,
                                                   0x5f4,  0x2018, 0x2019, 0x2024, 0x2027, 0xfe13,
                                                   0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a};
  return std::binary_search(std::begin(inside_words), std::end(inside_words), c);
}

void append(std::uint32_t c, std::string& to, meter& use) {
  char bytes[4];
  const unsigned size = utf8_encode(c, bytes);
  if (to.capacity() - to.size() < size) use.reserve(to, (to.size() + size) * 2);
  to.append(bytes, size);
}

[[nodiscard]] bool is_ascii(std::string_view s) noexcept {
  return std::none_of(s.begin(), s.end(),
                      [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

bool has_unicode() noexcept { return true; }

void lowercase(std::string_view text, std::string& out, meter& use) {
  use.work(text.size());
  use.reserve(out, text.size());
  out.clear();
  bool after_cased = false;  // but for case-ignorable characters between
  for (std::size_t at = 0; at < text.size();) {
    const code_point c = first_code_point(text.substr(at));
    at += c.size;
    if (c.value < 0x80) {
      const char ascii = text[at - 1];
      out += ascii >= 'A' && ascii <= 'Z' ? static_cast<char>(ascii - 'A' + 'a') : ascii;
    } else if (c.value == 0x130) {
      append('i', out, use);
      append(0x307, out, use);
    } else if (c.value == 0x3a3) {
      // No character is scanned for two sigmas: the next one isn't ignorable.
      bool before_cased = false;
      for (std::size_t next = at; after_cased && next < text.size();) {
        const code_point n = first_code_point(text.substr(next));
        next += n.size;
        if (is_case_ignorable(n.value)) continue;
        before_cased = is_cased(n.value);
        break;
      }
      append(after_cased && !before_cased ? 0x3c2 : 0x3c3, out, use);
    } else {
      append(static_cast<std::uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value))),
             out, use);
    }
    if (!is_case_ignorable(c.value)) after_cased = is_cased(c.value);
  }
}

void normalise(std::string_view text, std::string_view form, std::string& out, meter& use) {
  use.work(text.size());
  if (is_ascii(text)) {
    use.reserve(out, text.size());
    out = text;
    return;
  }
  const bool compose = form == "NFC" || form == "NFKC";
  const bool compatible = form.starts_with("NFK");
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE |
                                                      (compatible ? UTF8PROC_COMPAT : 0));
  std::vector<utf8proc_int32_t> all;
  use.reserve(all, text.size());
  constexpr std::size_t longest = 32;  // a character becomes 18 at most
  // utf8proc would sort marks in time that grows with the square of their number: sorted here.
  std::size_t marks = 0;  // where the marks at the end begin
  const auto mark_class = [](utf8proc_int32_t c) {
    return utf8proc_get_property(c)->combining_class;
  };
  const auto order = [&] {
    if (all.size() - marks < 2) return;
    use.work((all.size() - marks) * 4);
    std::stable_sort(
        all.begin() + static_cast<std::ptrdiff_t>(marks), all.end(),
        [&](utf8proc_int32_t a, utf8proc_int32_t b) { return mark_class(a) < mark_class(b); });
  };
  for (std::size_t at = 0; at < text.size();) {
    const code_point c = first_code_point(text.substr(at));
    at += c.size;
    utf8proc_int32_t parts[longest];
    int boundary = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.value),
                                                           parts, longest, options, &boundary);
    for (utf8proc_ssize_t k = 0; k < count && k < static_cast<utf8proc_ssize_t>(longest); ++k) {
      if (mark_class(parts[k]) == 0) {
        order();
        marks = all.size() + 1;
      }
      use.push(all, parts[k]);
    }
  }
  order();
  use.work(all.size());
  if (compose)
    all.resize(static_cast<std::size_t>(utf8proc_normalize_utf32(
        all.data(), static_cast<utf8proc_ssize_t>(all.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE))));
  out.clear();
  for (const utf8proc_int32_t c : all) append(static_cast<std::uint32_t>(c), out, use);
}

void category_set::insert(std::string_view name) noexcept {
  // In the order of utf8proc_category_t.
  static constexpr std::string_view names[] = {
      "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps",
      "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"};
  static_assert(UTF8PROC_CATEGORY_CN == 0 && UTF8PROC_CATEGORY_MN == 6 &&
                UTF8PROC_CATEGORY_SO == 22 && UTF8PROC_CATEGORY_CO == 29);
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == name) bits_ |= 1u << i;
}

void category_set::drop(std::string_view text, std::string& out, meter& use) const {
  use.work(text.size());
  use.reserve(out, text.size());
  out.clear();
  for (std::size_t at = 0; at < text.size();) {
    const code_point c = first_code_point(text.substr(at));
    if ((bits_ >> category_of(c.value) & 1u) == 0) out.append(text.substr(at, c.size));
    at += c.size;
  }
}

#else

namespace {

[[noreturn]] void unavailable() {
  throw trouble{errc::nac_tokenizer_unavailable,
                "lowercase, unicode_norm and filter_category need utf8proc"};
}

}  // namespace

bool has_unicode() noexcept { return false; }
void lowercase(std::string_view, std::string&, meter&) { unavailable(); }
void normalise(std::string_view, std::string_view, std::string&, meter&) { unavailable(); }
void category_set::insert(std::string_view) noexcept { bits_ = 0; }
void category_set::drop(std::string_view, std::string&, meter&) const { unavailable(); }

#endif

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
