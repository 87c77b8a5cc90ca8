// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// JSON that repeats itself: objects and arrays are compared with earlier ones.
//
//   links<2> next;                                   // for each kind of object
//   p = object(keys, next, p, seen, [&](std::size_t key, const char* v) {
//     return key == 0 ? integer(v, t.id) : quoted(v, t.name);     // what follows, or null
//   });
//
// The text between a value and the next one (comma, white space, key in quotes, colon) is the same in
// nearly all objects of a kind. For each member it is kept as a view of its last occurrence; one
// comparison then gives the next key, for any order of keys and any white space. Only a difference is
// parsed, and kept instead. What is unusual inside a value is read by a json::reader from there on.
//
// Lifetime:   borrows the text.
// Errors:     none: a step returns null at anything that it doesn't read, which json::reader then
//             reads, or refuses. What isn't null is as json::reader reads it.
// Limits:     the last 24 bytes of the text, and lists of more than `max_items`, aren't read.
// Allocation: that of json::reader, where one is needed.

#ifndef TESSERA_ARK_DETAIL_REPEATED_TEXT_HPP
#define TESSERA_ARK_DETAIL_REPEATED_TEXT_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/json_read.hpp"
#include "../../core/limits.hpp"
#include "../../core/number.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// The names of a table, whose rows are found by a few bytes of them.
struct name_table {
  const std::string_view* names;
  const std::uint8_t* slots;  // of 256: index + 1
  std::size_t count;

  /// The index of a name, or `count`.
  [[nodiscard]] constexpr std::size_t find(std::string_view name) const noexcept {
    if (name.empty()) return count;
    for (std::uint8_t at = slot(name); slots[at] != 0; ++at)
      if (const std::size_t i = slots[at] - 1u; names[i] == name) return i;
    return count;
  }
  /// Where the search for a name starts.
  [[nodiscard]] static constexpr std::uint8_t slot(std::string_view s) noexcept {
    auto hash = static_cast<std::uint32_t>(s.size());
    for (const std::size_t i : {std::size_t{0}, s.size() / 4, s.size() / 2, s.size() - 1})
      hash = (hash ^ static_cast<unsigned char>(s[i])) * 0x9e3779b1u;
    return static_cast<std::uint8_t>(hash >> 24);
  }
};
template <std::size_t Count>
class name_slots {
 public:
  template <class Row>
  constexpr explicit name_slots(const Row (&rows)[Count]) {
    for (std::size_t i = 0; i < Count; ++i) {
      if constexpr (requires { rows[i].name; })
        names_[i] = rows[i].name;
      else
        names_[i] = rows[i];
      if (names_[i].empty()) continue;
      std::uint8_t at = name_table::slot(names_[i]);
      while (slots_[at] != 0) ++at;
      slots_[at] = static_cast<std::uint8_t>(i + 1);
    }
  }
  /// Its index, or Count.
  [[nodiscard]] constexpr std::size_t find(std::string_view name) const noexcept {
    return table().find(name);
  }
  [[nodiscard]] constexpr name_table table() const noexcept { return {names_, slots_, Count}; }

 private:
  std::string_view names_[Count] = {};
  std::uint8_t slots_[256] = {};  // index + 1
};
template <class Row, std::size_t Count>
name_slots(const Row (&)[Count]) -> name_slots<Count>;

class repeated_text {
 protected:
  explicit repeated_text(const limits& limit) noexcept : limit_(limit) {}

  static constexpr std::size_t reach = 24;  // what small values may look at

  struct expected {
    const char* text = nullptr;
    std::size_t size = SIZE_MAX;
  };
  [[nodiscard]] static std::uint64_t word(const char* p) noexcept {
    return load_le<std::uint64_t>(p);
  }
  [[nodiscard, gnu::always_inline]] static bool equal(const char* a, const char* b,
                                                      std::size_t size) noexcept {
    if (size > 32) return std::memcmp(a, b, size) == 0;
    if (size >= 8) {
      const char *const c = a + size - 8, *const d = b + size - 8;
      std::uint64_t differ = (word(a) ^ word(b)) | (word(c) ^ word(d));
      if (size > 16) differ |= (word(a + 8) ^ word(b + 8)) | (word(c - 8) ^ word(d - 8));
      return differ == 0;
    }
    if (size >= 4)
      return load_le<std::uint32_t>(a) == load_le<std::uint32_t>(b) &&
             load_le<std::uint32_t>(a + size - 4) == load_le<std::uint32_t>(b + size - 4);
    return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
  }
  /// One more byte than that can be read there.
  [[nodiscard, gnu::always_inline]] bool is(const char* p, const char* text,
                                            std::size_t size) const noexcept {
    return static_cast<std::size_t>(end_ - p) > size && equal(p, text, size);
  }
  [[nodiscard]] static bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }
  [[nodiscard]] const char* space(const char* p) const noexcept {
    while (p != end_ && is_space(*p)) ++p;
    return p;
  }
  /// `c` with the white space around it.
  const char* separator(expected& e, const char* p, char c) const noexcept {
    if (is(p, e.text, e.size) && !is_space(p[e.size])) return p + e.size;
    const char* q = space(p);
    if (q == end_ || *q != c) return nullptr;
    q = space(q + 1);
    e = {p, static_cast<std::size_t>(q - p)};
    return q;
  }

  // ---- Objects and arrays

  struct link : expected {
    std::size_t key = 0;     // which member it leads to: that many keys after the last one, and
                             // one more for a member that isn't of the keys
    std::size_t key_at = 0;  // where the quote before its key is
  };
  /// What leads from each member to the next; the last entries are for the first member, and for
  /// what follows a member that isn't of the keys.
  template <std::size_t Keys>
  using links = link[Keys + 2];

  [[gnu::noinline]] bool learn(const name_table& keys, link& l, const char* const p,
                               bool first) const {
    const char* q = first ? p : space(p);
    if (q == end_) return false;
    l.text = p;
    l.key = keys.count;
    if (!(first && *q == '{') && !(!first && *q == ',')) {
      l.size = static_cast<std::size_t>(q + 1 - p);
      return !first && *q == '}';
    }
    q = space(q + 1);
    l.size = SIZE_MAX;
    l.key_at = static_cast<std::size_t>(q - p);
    q = string(q, [&](std::string_view key) { l.key = keys.find(key); });
    if (q == nullptr) return false;
    if (l.key == keys.count) ++l.key;
    q = space(q);
    if (q == end_ || *q != ':') return false;
    l.size = static_cast<std::size_t>(space(q + 1) - p);
    return true;
  }
  /// Calls value(key, at) for each member of the keys and other(quote before its key, at) for any
  /// other, which return what follows; `seen` gets a bit for each of the keys.
  template <std::size_t Keys, class Value, class Other>
  [[gnu::always_inline]] const char* object(const name_slots<Keys>& keys, links<Keys>& next,
                                            const char* p, unsigned& seen, Value value,
                                            Other other) {
    seen = 0;
    for (std::size_t before = Keys;;) {
      link& l = next[before];
      if (!is(p, l.text, l.size) || (l.key != Keys && is_space(p[l.size])))
        if (!learn(keys.table(), l, p, before == Keys)) return l.size = SIZE_MAX, nullptr;
      const char* const key = p + l.key_at;
      p += l.size;
      before = l.key;
      if (before == Keys) return p;
      if (before > Keys) {
        if ((p = other(key, p)) == nullptr) return nullptr;
        continue;
      }
      if ((seen >> before & 1) != 0) return nullptr;
      seen |= 1u << before;
      if ((p = value(before, p)) == nullptr) return nullptr;
    }
  }

  struct array_space {
    expected open, comma;
  };
  /// Calls element(at) for each, which returns what follows.
  template <class Element>
  [[gnu::always_inline]] const char* array(array_space& s, const char* p, std::uint32_t& count,
                                           Element element) {
    count = 0;
    if (end_ - p < 2 || *p != '[') return nullptr;
    if (p[1] == ']') return p + 2;
    p = separator(s.open, p, '[');
    if (p == nullptr || p == end_) return nullptr;
    for (;;) {
      if ((p = element(p)) == nullptr || ++count > limit_.max_items) return nullptr;
      if (end_ - p < 2) return nullptr;
      if (*p == ',' && !is_space(p[1])) {
        ++p;
        continue;
      }
      if (*p == ']') return p + 1;
      if (const char* const next = separator(s.comma, p, ',')) {
        p = next;
        continue;
      }
      p = space(p);
      return p != end_ && *p == ']' ? p + 1 : nullptr;
    }
  }

  // ---- Values

  /// What `read` reads with a reader from `p` on; null when that fails.
  template <class Read>
  [[gnu::cold, gnu::noinline]] const char* by_reader(const char* p, Read read) const {
    if (p == end_ || *p == '\xef') return nullptr;  // where readers skip a byte order mark
    json::reader in({p, static_cast<std::size_t>(end_ - p)}, limit_);
    read(in);
    return in.failed() ? nullptr : in.place();
  }
  const char* integer(const char* p, std::int64_t& out, std::int64_t low,
                      std::int64_t high = INT64_MAX) const {
    if (static_cast<std::size_t>(end_ - p) < reach) return nullptr;
    const bool negative = *p == '-';
    p += negative ? 1 : 0;
    std::uint64_t v = 0;
    const char* const first = p;
    unsigned size = digits(p, v);
    if (size == 8) size += digits(p, v);
    if (size - 1 > 14)
      return by_reader(first - (negative ? 1 : 0),
                       [&](json::reader& in) { out = in.integer<std::int64_t>(low, high); });
    if (*first == '0' && size > 1) return nullptr;
    out = static_cast<std::int64_t>(negative ? 0 - v : v);
    return out >= low && out <= high ? p : nullptr;
  }
  /// An Id: an integer from 0 on, mostly of a few digits.
  [[gnu::always_inline]] const char* id(const char* const p, std::int64_t& out) const {
    if (static_cast<std::size_t>(end_ - p) < reach) return nullptr;
    std::uint64_t v = 0;
    const char* end = p;
    const unsigned size = digits(end, v);
    if (size - 1 > 6 || (*p == '0' && size > 1)) return integer(p, out, 0);
    out = static_cast<std::int64_t>(v);
    return end;
  }
  /// Appends up to 8 digits to `value`. Returns how many.
  [[gnu::always_inline]] static unsigned digits(const char*& p, std::uint64_t& value) noexcept {
    const std::uint64_t w = word(p) ^ 0x3030303030303030u;
    // The lowest byte that is above 9 sets its top bit; what it carries goes up.
    const std::uint64_t others = (w | (w + 0x7676767676767676u)) & 0x8080808080808080u;
    const auto bits = static_cast<unsigned>(std::countr_zero(others)) & 0x78u;
    if (bits == 0) return 0;
    std::uint64_t d = w << (64 - bits);
    d = d * (10 * 256 + 1) >> 8;
    d = (d & 0x00ff00ff00ff00ffu) * (100 * 65536 + 1) >> 16;
    d = (d & 0x0000ffff0000ffffu) * (10000 * 4294967296 + 1) >> 32;
    value = value * tessera::detail::powers_of_ten[bits / 8] + d;
    p += bits / 8;
    return bits / 8;
  }
  /// Calls take(text) with a string, unescaped.
  template <class Take>
  const char* string(const char* p, Take take) const {
    std::string_view text;
    if (const char* const end = quoted(p, text)) return take(text), end;
    return by_reader(p, [&](json::reader& in) { take(in.string()); });
  }
  /// A string without escapes.
  const char* quoted(const char* p, std::string_view& out) const noexcept {
    if (p == end_ || *p != '"') return nullptr;
    const char* const first = ++p;
    while (static_cast<std::size_t>(end_ - p) >= reach) {
      constexpr std::uint64_t ones = 0x0101010101010101u;
      const std::uint64_t w = word(p), quote = w ^ ones * '"', slash = w ^ ones * '\\';
      // The lowest byte that isn't plain text sets its top bit; what it borrows comes from above.
      const std::uint64_t stop =
          (w | (w - ones * 0x20) | (quote - ones) | (slash - ones)) & (ones * 0x80);
      p += stop == 0 ? 8 : std::countr_zero(stop) / 8;
      if (stop == 0) continue;
      if (*p == '"') {
        out = {first, static_cast<std::size_t>(p - first)};
        return p + 1;
      }
      const auto c = static_cast<unsigned char>(*p);
      const unsigned length = c < 0x80 ? 0 : utf8_length(p, end_);  // else an escape or a control
      if (length == 0) return nullptr;
      p += length;
    }
    return nullptr;
  }
  const char* boolean(const char* p, bool& out) const noexcept {
    out = is(p, "true", 4);
    return out ? p + 4 : is(p, "false", 5) ? p + 5 : nullptr;
  }

  const char *begin_ = nullptr, *end_ = nullptr;  // of the whole text
  limits limit_;                                  // max_depth: from inside of a node on
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_REPEATED_TEXT_HPP
