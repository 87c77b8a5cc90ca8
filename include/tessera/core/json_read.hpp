// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A strict pull reader for JSON (RFC 8259), directed by the caller's schema.
//
//   json::reader in(source);
//   std::string_view key;
//   for (in.object(); in.key(key);) {
//     if (key == "values")
//       for (in.array(); in.element();) values.push_back(in.int64());
//     else
//       in.skip();
//   }
//   if (error e = in.finish(); e.code != errc::ok) return e;
//
// The first error sticks: from then on every loop ends, every value is 0, and finish() reports it.
// So a schema reads like the format's documentation, with one check at the end.
//
//   accepted    RFC 8259, and a UTF-8 byte order mark before the value
//   rejected    anything else, duplicate keys of one object (compared after unescaping), numbers
//               beyond a double, invalid UTF-8, unpaired surrogates, bytes after the value
//   integers    exact: int64, uint64, or a 64-bit pattern; never by way of a double
//   doubles     correctly rounded, whatever the locale
//
// Lifetime:   borrows the source; strings it returns borrow from the source or, when they hold
//             escapes, from the reader until its next string or key.
// Errors:     json_* and input_too_large, at the first wrong byte. A duplicate key is
//             reported when its object closes, at the second of the two.
// Limits:     max_bytes, max_depth. Nothing here recurses.
// Allocation: 24 bytes for each key of the objects that are open, and the longest escaped string;
//             each at most twice (see pool).

#ifndef TESSERA_CORE_JSON_READ_HPP
#define TESSERA_CORE_JSON_READ_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "error.hpp"
#include "limits.hpp"
#include "number.hpp"
#include "pool.hpp"
#include "sort.hpp"
#include "text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace json {

/// The kind of the next value, by its first character.
enum class kind : std::uint8_t { none, object, array, string, number, boolean, null };

/// A number as it is in the text.
struct number {
  double value = 0;             ///< rounded to the nearest double
  bool integral = false;        ///< the token has neither fraction nor exponent
  std::string_view token = {};  ///< verbatim, for writing it back unchanged
};

/// Reads one document from its start to its end. The first error stops it, and finish() returns that.
class reader {
 public:
  /// Starts at the first value, after a byte order mark if there is one. Borrows `source`.
  explicit reader(std::string_view source, const limits& limit = {})
      : begin_(source.data()), at_(begin_), end_(begin_ + source.size()), limit_(limit) {
    if (source.size() > limit.max_bytes)
      fail(errc::input_too_large, limit.max_bytes);
    else if (source.substr(0, 3) == "\xEF\xBB\xBF")
      at_ += 3;
  }
  /// A temporary string would be destroyed before the first value is read.
  template <class Owner>
    requires(!std::is_lvalue_reference_v<Owner> && !std::is_trivially_copyable_v<Owner>)
  explicit reader(Owner&& source, const limits& limit = {}) = delete;

  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  /// Enters an array. Then call element() before each value, until it returns false.
  void array() { open('[', errc::json_expected_array); }
  /// True when another element follows, which must then be read; false after the ']'.
  [[nodiscard]] bool element() { return next(']', errc::json_expected_comma_or_bracket); }
  /// The same for arrays of fixed length: an element must follow.
  void require_element(errc code = errc::json_missing_element) {
    const char* const at = token();
    if (!element()) fail_at(code, at);
  }
  /// Leaves an array, which must end here.
  void end_array(errc code = errc::json_unexpected_element) {
    const char* const at = token();
    if (element()) fail_at(code, at);
  }

  /// Enters an object. Then call key() before each member, until it returns false.
  void object() {
    open('{', errc::json_expected_object);
    if (!failed()) object_keys_.push_back(keys_.size());
  }
  /// True when another member follows: its key, unescaped, is in `out` and its value is to be read.
  [[nodiscard]] bool key(std::string_view& out) {
    if (object_keys_.empty() && !failed()) __builtin_trap();  // without object()
    if (!next('}', errc::json_expected_comma_or_brace)) {
      close_object();
      return false;
    }
    skip_space();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ != '"') return fail_at(errc::json_expected_key, at_), false;
    const char* const start = at_;
    bool escaped = false;
    out = quoted(escaped);
    if (failed()) return false;
    keys_.push_back({hash(out), start, std::uint64_t{out.size()} << 1 | (escaped ? 1u : 0u)});
    skip_space();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ != ':') return fail_at(errc::json_expected_colon, at_), false;
    ++at_;
    return true;
  }

  /// The kind of the value that comes next; `none` at the end of the text and for other bytes.
  [[nodiscard]] kind peek() {
    skip_space();
    if (at_ == end_) return kind::none;
    switch (*at_) {
      case '{': return kind::object;
      case '[': return kind::array;
      case '"': return kind::string;
      case 't':
      case 'f': return kind::boolean;
      case 'n': return kind::null;
      default: return *at_ == '-' || is_digit(*at_) ? kind::number : kind::none;
    }
  }

  /// An integer in [-2^63, 2^63).
  [[nodiscard]] std::int64_t int64() {
    bool above = false;
    const char* const start = token();
    const std::int64_t v = int64_pattern(above);
    if (above) fail_at(errc::json_integer_range, start);
    return failed() ? 0 : v;
  }
  /// An integer in [low, high].
  template <class Int>
  [[nodiscard]] Int integer(Int low, Int high) {
    const char* const start = token();
    const std::int64_t v = int64();
    if (!failed() && (v < std::int64_t{low} || v > std::int64_t{high}))
      fail_at(errc::json_integer_range, start);
    return failed() ? Int{} : static_cast<Int>(v);
  }
  /// An integer in [-2^31, 2^31).
  [[nodiscard]] std::int32_t int32() { return integer<std::int32_t>(INT32_MIN, INT32_MAX); }
  /// An integer in [0, 2^64).
  [[nodiscard]] std::uint64_t uint64() {
    const char* const start = token();
    bool above = false;
    const std::int64_t v = int64_pattern(above);
    if (v < 0 && !above) fail_at(errc::json_integer_range, start);
    return failed() ? 0 : static_cast<std::uint64_t>(v);
  }
  /// An integer in [-2^63, 2^64) modulo 2^64; `above_int64` is set from 2^63 on.
  [[nodiscard]] std::int64_t int64_pattern(bool& above_int64) {
    above_int64 = false;
    const scan s = scan_number(errc::json_expected_integer);
    if (failed()) return 0;
    if (!s.integral) return fail_at(errc::json_expected_integer, s.first), 0;
    const std::uint64_t magnitude = s.significand;
    // A 20-digit number that starts with 1 and is 2^64 or more has wrapped to less than 2 * 10^18.
    if (s.digits.size() > 20 ||
        (s.digits.size() == 20 && (s.digits[0] != '1' || magnitude < 10000000000000000000u)))
      return fail_at(errc::json_integer_range, s.first), 0;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    if (s.negative && magnitude > half) return fail_at(errc::json_integer_range, s.first), 0;
    above_int64 = !s.negative && magnitude >= half;
    return static_cast<std::int64_t>(s.negative ? 0 - magnitude : magnitude);
  }
  /// Any number, correctly rounded.
  [[nodiscard]] json::number number() {
    const scan s = scan_number(errc::json_expected_number);
    if (failed()) return {};
    const decimal d{s.digits, s.exponent};
    const double magnitude =
        s.digits.size() <= 19 ? decimal_to_double(d, s.significand) : decimal_to_double(d);
    if (magnitude > DBL_MAX) return fail_at(errc::json_number_range, s.first), json::number{};
    return {s.negative ? -magnitude : magnitude,
            s.integral,
            {s.first, static_cast<std::size_t>(at_ - s.first)}};
  }
  /// A number that a float can hold, rounded to a double and then to a float, as readers do that
  /// read JSON by way of doubles.
  [[nodiscard]] float float32() {
    const char* const start = token();
    const double v = number().value;
    constexpr double largest = 0x1.fffffep127;
    if (v > largest || v < -largest) fail_at(errc::json_number_range, start);
    return failed() ? 0.0f : static_cast<float>(v);
  }
  /// True or false.
  [[nodiscard]] bool boolean() {
    token();
    if (accept("true")) return true;
    if (!accept("false")) fail_literal(errc::json_expected_boolean);
    return false;
  }
  /// Reads a null.
  void null() {
    token();
    if (!accept("null")) fail_literal(errc::json_expected_null);
  }
  /// A string, unescaped. Valid until the next string or key.
  [[nodiscard]] std::string_view string() {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), std::string_view{};
    if (*at_ != '"') return fail_at(errc::json_expected_string, at_), std::string_view{};
    bool escaped = false;
    return quoted(escaped);
  }

  /// Reads over one value of any kind, checking all of it, and returns its text.
  std::string_view skip() {
    const char* const start = token();
    pool<bool> objects;  // the containers that this value has opened
    std::string_view ignored;
    do {
      switch (peek()) {
        case kind::object: object(), objects.push_back(true); break;
        case kind::array: array(), objects.push_back(false); break;
        case kind::string: (void)string(); break;
        case kind::number: skip_number(); break;
        case kind::boolean:
        case kind::null: literal(); break;
        case kind::none: fail_value(); break;
      }
      while (!objects.empty() && !(objects.back() ? key(ignored) : element())) objects.pop_back();
    } while (!objects.empty());
    return failed() ? std::string_view{}
                    : std::string_view(start, static_cast<std::size_t>(at_ - start));
  }

  /// The text from the value that comes next, for reading parts of it by other means.
  [[nodiscard]] std::string_view rest() {
    const char* const at = token();
    return {at, static_cast<std::size_t>(end_ - at)};
  }
  /// Continues at `at`, after the value or the elements of the open array that were read from
  /// rest().
  void resume(const char* at) noexcept { at_ = at; }
  /// Where the last value ended.
  [[nodiscard]] const char* place() const noexcept { return at_; }
  /// How many containers inside one another may still be opened.
  [[nodiscard]] std::uint32_t depth_left() const noexcept { return limit_.max_depth - depth_; }

  /// Byte offset of the value or bracket that comes next.
  [[nodiscard]] std::uint64_t offset() {
    skip_space();
    return offset_of(at_);
  }

  /// Reports an error of the schema; the first error of any kind wins.
  void fail(errc code, std::uint64_t offset) {
    if (error_.code == errc::ok) error_ = {code, offset};
    end_ = at_;  // every later step finds the end of the text, and the first error stays
  }
  /// Whether there was an error; all values after it are zero or empty.
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  /// The first error, `errc::ok` if there is none.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

  /// Checks that nothing but white space follows, and returns the first error.
  [[nodiscard]] tessera::error finish() {
    skip_space();
    if (at_ != end_) fail_at(errc::json_trailing_bytes, at_);
    return error_;
  }

 private:
  struct scan {
    const char* first = nullptr;
    std::string_view digits;        // may hold a '.'
    std::uint64_t significand = 0;  // their value modulo 2^64
    std::int64_t exponent = 0;
    bool negative = false;
    bool integral = true;
  };
  struct seen_key {
    std::uint64_t hash;
    const char* start;     // the opening quote
    std::uint64_t packed;  // its length when unescaped, times 2, and 1 when it holds escapes

    [[nodiscard]] bool escaped() const noexcept { return (packed & 1) != 0; }
    [[nodiscard]] std::uint64_t length() const noexcept { return packed >> 1; }
  };

  [[nodiscard]] static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  [[nodiscard]] std::uint64_t offset_of(const char* at) const noexcept {
    return error_.code != errc::ok ? error_.offset : static_cast<std::uint64_t>(at - begin_);
  }

  void skip_space() noexcept {
    while (at_ != end_ && *at_ <= ' ' &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
      ++at_;
  }
  const char* token() noexcept {
    skip_space();
    return at_;
  }

  void fail_at(errc code, const char* at) { fail(code, static_cast<std::uint64_t>(at - begin_)); }

  bool accept(std::string_view literal) noexcept {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (rest.substr(0, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
  }
  void literal() {
    if (!accept("true") && !accept("false") && !accept("null"))
      fail_literal(errc::json_bad_literal);
  }
  /// None of the expected literals: fails, unless the text ends inside one.
  void fail_literal(errc code) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    for (const std::string_view whole : {"true", "false", "null"})
      if (rest.size() < whole.size() && whole.substr(0, rest.size()) == rest)
        return fail_at(errc::json_unexpected_end, end_);
    fail_at(code, at_);
  }
  void fail_value() {
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_);
    const bool letter = (*at_ >= 'a' && *at_ <= 'z') || (*at_ >= 'A' && *at_ <= 'Z');
    fail_at(letter ? errc::json_bad_literal : errc::json_expected_value, at_);
  }

  void open(char bracket, errc code) {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_);
    if (*at_ != bracket) return fail_at(code, at_);
    if (depth_ >= limit_.max_depth) return fail_at(errc::json_depth, at_);
    ++depth_;
    ++at_;
    fresh_ = true;
  }
  bool next(char bracket, errc code) {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ == bracket) {
      ++at_;
      --depth_;
      fresh_ = false;
      return false;
    }
    if (fresh_) return fresh_ = false, true;
    if (*at_ != ',') return fail_at(code, at_), false;
    ++at_;
    return true;
  }

  scan scan_number(errc code) {
    scan s;
    const char* p = s.first = token();
    if (p == end_) return fail_at(errc::json_unexpected_end, p), s;
    if (*p == '-') {
      s.negative = true;
      ++p;
    } else if (!is_digit(*p)) {
      return fail_at(code, p), s;
    }
    const char* const digits = p;
    if (!scan_digits(p, s.significand)) return s;
    if (*digits == '0' && p - digits > 1) return fail_at(errc::json_leading_zero, digits), s;
    if (p != end_ && *p == '.') {
      s.integral = false;
      const char* const point = ++p;
      if (!scan_digits(p, s.significand)) return s;
      s.exponent = -(p - point);
    }
    s.digits = {digits, static_cast<std::size_t>(p - digits)};
    if (p != end_ && (*p == 'e' || *p == 'E')) {
      s.integral = false;
      ++p;
      bool negative = false;
      if (p != end_ && (*p == '+' || *p == '-')) negative = *p++ == '-';
      const char* const power = p;
      std::uint64_t any = 0;
      if (!scan_digits(p, any)) return s;
      std::int64_t value = 0;
      for (const char* q = power; q != p; ++q)  // beyond 2^50 it no longer matters how much
        if (value < std::int64_t{1} << 50) value = value * 10 + (*q - '0');
      s.exponent += negative ? -value : value;
    }
    at_ = p;
    return s;
  }
  /// Reads over a number. Below 10^308 it is in range whatever its digits are, so only what may not
  /// be is converted.
  void skip_number() {
    const scan s = scan_number(errc::json_expected_number);
    if (s.exponent + static_cast<std::int64_t>(s.digits.size()) <= 308 || failed()) return;
    if (decimal_to_double({s.digits, s.exponent}) > DBL_MAX)
      fail_at(errc::json_number_range, s.first);
  }
  /// Appends digits to `value`, modulo 2^64.
  bool scan_digits(const char*& p, std::uint64_t& value) {
    if (p == end_) return fail_at(errc::json_unexpected_end, p), false;
    if (!is_digit(*p)) return fail_at(errc::json_expected_digit, p), false;
    for (; p != end_ && is_digit(*p); ++p)
      value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    return true;
  }

  /// The string at at_, which is a quote.
  std::string_view quoted(bool& escaped) {
    const char* const start = ++at_;
    const char* const close = scan_string(start, escaped);
    if (close == nullptr) return {};
    at_ = close + 1;
    if (!escaped) return {start, static_cast<std::size_t>(close - start)};
    unescape(start, close, unescaped_);
    return unescaped_;
  }
  /// The closing quote of the string whose first character is at p, all of it checked.
  const char* scan_string(const char* p, bool& escaped) {
    while (p != end_) {
      const auto c = static_cast<unsigned char>(*p);
      if (c == '"') return p;
      if (c == '\\') {
        escaped = true;
        if (!scan_escape(p)) return nullptr;
      } else if (c < 0x20) {
        return fail_at(errc::json_control_character, p), nullptr;
      } else if (c < 0x80) {
        ++p;
      } else {
        const unsigned length = utf8_length(p, end_);
        if (length == 0) return fail_at(errc::json_bad_utf8, p), nullptr;
        p += length;
      }
    }
    return fail_at(errc::json_unexpected_end, p), nullptr;
  }
  bool scan_escape(const char*& p) {
    if (end_ - p < 2) return fail_at(errc::json_unexpected_end, end_), false;
    if (p[1] != 'u') {
      constexpr std::string_view letters = "\"\\/bfnrt";
      if (letters.find(p[1]) == std::string_view::npos)
        return fail_at(errc::json_bad_escape, p), false;
      return p += 2, true;
    }
    const char* const start = p;
    std::uint32_t unit = 0;
    if (!scan_unit(p, unit)) return false;
    if (unit < 0xd800 || unit > 0xdfff) return true;
    std::uint32_t low = 0;
    if (unit > 0xdbff) return fail_at(errc::json_lone_surrogate, start), false;
    if (p == end_ || (*p == '\\' && end_ - p < 2))
      return fail_at(errc::json_unexpected_end, end_), false;
    if (*p != '\\' || p[1] != 'u') return fail_at(errc::json_lone_surrogate, start), false;
    if (!scan_unit(p, low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return fail_at(errc::json_lone_surrogate, start), false;
    return true;
  }
  /// \uXXXX at p, after a backslash and a u.
  bool scan_unit(const char*& p, std::uint32_t& unit) {
    const char* const start = p;
    p += 2;
    for (int i = 0; i < 4; ++i, ++p) {
      if (p == end_) return fail_at(errc::json_unexpected_end, p), false;
      const int digit = hex(*p);
      if (digit < 0) return fail_at(errc::json_bad_escape, start), false;
      unit = unit << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }
  [[nodiscard]] static constexpr int hex(char c) noexcept {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }
  /// A string that scan_string accepted.
  static void unescape(const char* p, const char* close, text& out) {
    out.clear();
    const auto unit = [](const char* digits) {
      std::uint32_t v = 0;
      for (int i = 0; i < 4; ++i) v = v << 4 | static_cast<std::uint32_t>(hex(digits[i]));
      return v;
    };
    while (p != close) {
      const char* const plain = p;
      while (p != close && *p != '\\') ++p;
      out << std::string_view(plain, static_cast<std::size_t>(p - plain));
      if (p == close) return;
      constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      if (p[1] != 'u') {
        out << meant[letters.find(p[1])];
        p += 2;
        continue;
      }
      std::uint32_t code_point = unit(p + 2);
      p += 6;
      if (code_point >= 0xd800 && code_point <= 0xdbff) {
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (unit(p + 2) - 0xdc00);
        p += 6;
      }
      out.advance(utf8_encode(code_point, out.prepare(4)));
    }
  }

  [[nodiscard]] static std::uint64_t hash(std::string_view s) noexcept {
    std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a; collisions only cost time in sorting
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
  }
  /// Order by hash, then by length, then by unescaped key. Only keys of one length are compared
  /// again, so a long key costs no more than its own length however many short ones there are.
  [[nodiscard]] static int compare_keys(const seen_key& a, const seen_key& b) {
    if (a.hash != b.hash) return a.hash < b.hash ? -1 : 1;
    if (a.length() != b.length()) return a.length() < b.length() ? -1 : 1;
    text left, right;
    return key_text(a, left).compare(key_text(b, right));
  }
  static std::string_view key_text(const seen_key& k, text& storage) {
    const char* const first = k.start + 1;
    if (!k.escaped()) return {first, to_size(k.length())};
    const char* close = first;
    for (; *close != '"'; ++close)
      if (*close == '\\') ++close;
    unescape(first, close, storage);
    return storage;
  }
  [[nodiscard]] static bool before(const seen_key& a, const seen_key& b) {
    const int order = compare_keys(a, b);
    return order != 0 ? order < 0 : a.start < b.start;
  }

  /// After the '}': looks for duplicate keys. Sorting keeps hostile keys from costing more than
  /// n log n.
  void close_object() {
    if (failed()) return;
    const std::size_t base = object_keys_.back();
    seen_key* const k = keys_.data() + base;
    const std::size_t count = keys_.size() - base;
    object_keys_.pop_back();
    sort(k, count, [](const seen_key& a, const seen_key& b) { return before(a, b); });
    const char* duplicate = nullptr;
    for (std::size_t i = 1; i < count; ++i)
      if (k[i].hash == k[i - 1].hash && compare_keys(k[i], k[i - 1]) == 0 &&
          (duplicate == nullptr || k[i].start < duplicate))
        duplicate = k[i].start;
    keys_.resize(base);
    if (duplicate != nullptr) fail_at(errc::json_duplicate_key, duplicate);
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  limits limit_;
  tessera::error error_;
  std::uint32_t depth_ = 0;
  bool fresh_ = false;             // just after an opening bracket
  pool<std::size_t> object_keys_;  // where the keys of each open object start
  pool<seen_key> keys_;
  text unescaped_;
};

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_READ_HPP
