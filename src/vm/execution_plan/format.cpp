// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <tessera/core/bytes.hpp>

#include "tessera/core/shortest.hpp"
#include "tessera/core/text.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

using kind = plan_value::kind;

std::string_view name(kind k) noexcept {
  switch (k) {
    case kind::null: return "null";
    case kind::boolean: return "a boolean";
    case kind::whole: return "an integer";
    case kind::real: return "a float";
    case kind::string: return "a string";
    case kind::bytes: return "bytes";
    case kind::list: return "a list";
    case kind::tuple: return "a tuple";
    case kind::tensor: return "a tensor";
    case kind::tokenizer: break;
  }
  return "a tokenizer";
}

void limited_text::make_room(std::uint64_t bytes) const {
  if (bytes > left()) fail(errc::budget_memory, "the text has more than ", limit_, " bytes");
  // What takes longest for a byte is a number's text.
  constexpr std::uint64_t byte_steps = 8;
  if (charged_ != nullptr) charged_->charge(product_of_steps(bytes, byte_steps));
}

void limited_text::repeat(std::string_view piece, std::uint64_t times) {
  if (piece.empty()) return;
  make_room(times > left() / piece.size() ? left() + 1 : times * piece.size());
  for (; times != 0; --times) text_.append(piece);
}

plan_value number_at(const tensor& t, std::size_t i) noexcept {
  return visit(t.type, [&]<class T>(of<T>) -> plan_value {
    const T v = t.as<T>()[i];
    if constexpr (std::is_same_v<T, bool>)
      return plan_value::boolean(v);
    else if constexpr (is_float<T>)
      return plan_value::real(convert<double>(v));
    else
      return plan_value::whole(static_cast<std::int64_t>(v));
  });
}

namespace {

// ---- characters

/// The bytes of the character that a text starts with; of what isn't UTF-8, one.
[[nodiscard]] std::size_t first_length(std::string_view s) noexcept {
  const unsigned n = utf8_length(s.data(), s.data() + s.size());
  return n == 0 ? 1 : n;
}
[[nodiscard]] std::uint64_t characters(std::string_view s) noexcept {
  std::uint64_t n = 0;
  for (; !s.empty(); s.remove_prefix(first_length(s))) ++n;
  return n;
}
/// The code point of a character.
[[nodiscard]] std::uint32_t code_point(std::string_view c) noexcept {
  const auto byte = [c](std::size_t i) { return static_cast<unsigned char>(c[i]); };
  if (c.size() == 1) return byte(0);
  std::uint32_t v = byte(0) & (0x7fu >> c.size());
  for (std::size_t i = 1; i < c.size(); ++i) v = v << 6 | (byte(i) & 0x3fu);
  return v;
}

void append_hex(limited_text& out, std::uint32_t v, unsigned digits) {
  while (digits-- != 0) out << "0123456789abcdef"[v >> 4 * digits & 15];
}
/// \x, \u or \U, by what the value needs.
void append_escape(limited_text& out, std::uint32_t v) {
  out << (v < 0x100 ? "\\x" : v < 0x10000 ? "\\u" : "\\U");
  append_hex(out, v, v < 0x100 ? 2 : v < 0x10000 ? 4 : 8);
}

void append_quoted(limited_text& out, std::string_view s, bool is_bytes, bool ascii) {
  const bool doubled = s.find('\'') != std::string_view::npos && s.find('"') == s.npos;
  const char quote = doubled ? '"' : '\'';
  if (is_bytes) out << 'b';
  out << quote;
  while (!s.empty()) {
    const std::size_t length = is_bytes ? 1 : first_length(s);
    const std::string_view c = s.substr(0, length);
    const std::uint32_t v = code_point(c);
    if (c[0] == quote || c[0] == '\\')
      out << '\\' << c;
    else if (c[0] == '\n')
      out << "\\n";
    else if (c[0] == '\r')
      out << "\\r";
    else if (c[0] == '\t')
      out << "\\t";
    else if (v < 0x20 || v == 0x7f || (length == 1 && v > 0x7f) || v == 0xad ||
             (length > 1 && (v <= 0xa0 || ascii)))
      append_escape(out, v);
    else
      out << c;
    s.remove_prefix(length);
  }
  out << quote;
}

void append_json_string(limited_text& out, std::string_view s) {
  out << '"';
  while (!s.empty()) {
    const std::size_t length = first_length(s);
    const std::uint32_t v = code_point(s.substr(0, length));
    const auto unit = [&out](std::uint32_t u) {
      out << "\\u";
      append_hex(out, u, 4);
    };
    if (v == '"' || v == '\\')
      out << '\\' << s[0];
    else if (v == '\n')
      out << "\\n";
    else if (v == '\r')
      out << "\\r";
    else if (v == '\t')
      out << "\\t";
    else if (v == '\b')
      out << "\\b";
    else if (v == '\f')
      out << "\\f";
    else if (v >= 0x10000) {
      unit(0xd800 + ((v - 0x10000) >> 10));
      unit(0xdc00 + ((v - 0x10000) & 0x3ff));
    } else if (length == 1 && v > 0x7f) {
      fail(errc::nac_plan_slot, "the string isn't UTF-8, which JSON needs");
    } else if (v < 0x20 || v > 0x7e) {
      unit(v);
    } else {
      out << s[0];
    }
    s.remove_prefix(length);
  }
  out << '"';
}

// ---- numbers as they are

[[nodiscard]] std::string float_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buffer[double_capacity];
  return {buffer, put_double(buffer, v, double_style::python)};
}

void append_number(limited_text& out, const plan_value& v, bool json) {
  if (v.what() == kind::boolean)
    out << (v.as_boolean() ? (json ? "true" : "True") : json ? "false" : "False");
  else if (v.what() == kind::whole)
    out << std::to_string(v.as_whole());
  else if (json && !std::isfinite(v.as_real()))
    out << (std::isnan(v.as_real()) ? "NaN" : v.as_real() < 0 ? "-Infinity" : "Infinity");
  else
    out << float_text(v.as_real());
}

/// Nested lists; a number for a tensor of rank 0.
void append_elements(limited_text& out, const tensor& t, std::size_t axis, std::size_t& at,
                     bool json) {
  if (axis == t.rank()) return append_number(out, number_at(t, at++), json);
  out << '[';
  for (std::int64_t i = 0; i < t.dim(axis); ++i) {
    if (i != 0) out << ", ";
    append_elements(out, t, axis + 1, at, json);
  }
  out << ']';
}

void append_value(limited_text& out, const plan_value& v, bool json) {
  std::size_t at = 0;
  switch (v.what()) {
    case kind::null: out << (json ? "null" : "None"); break;
    case kind::tuple:
      if (json) {
        append_elements(out, v.elements(), 0, at, true);
        break;
      }
      out << '(';
      for (std::size_t i = 0; i < v.elements().size(); ++i) {
        if (i != 0) out << ", ";
        append_number(out, number_at(v.elements(), i), false);
      }
      out << (v.elements().size() == 1 ? ",)" : ")");
      break;
    case kind::list:
    case kind::tensor: append_elements(out, v.elements(), 0, at, json); break;
    case kind::tokenizer: out << "<tokenizer>"; break;
    case kind::boolean:
    case kind::whole:
    case kind::real: append_number(out, v, json); break;
    case kind::string:
    case kind::bytes: break;  // which the callers write
  }
}

}  // namespace

void append_str(limited_text& out, const plan_value& v) {
  if (v.what() == kind::string)
    out << v.as_text();
  else
    append_repr(out, v);
}

void append_repr(limited_text& out, const plan_value& v) {
  if (v.is_text())
    append_quoted(out, v.as_text(), v.what() == kind::bytes, false);
  else
    append_value(out, v, false);
}

void append_json(limited_text& out, const plan_value& v) {
  if (v.what() == kind::string)
    append_json_string(out, v.as_text());
  else if (v.what() == kind::bytes || v.what() == kind::tokenizer)
    fail(errc::nac_plan_slot, name(v.what()),
         " can't be written as JSON; expected null, a number, a string, a list or a tensor");
  else
    append_value(out, v, true);
}

// ---- str.format

namespace {

constexpr std::uint32_t max_width = 65535;

[[noreturn]] void wrong(std::string text) { fail(errc::nac_plan_format, std::move(text)); }

struct specification {
  std::string_view fill = " ";
  char align = 0, sign = 0, grouping = 0, type = 0;
  bool alternate = false, has_precision = false;
  std::uint32_t width = 0, precision = 0;
};

/// Digits as a number; 0 where there are none.
[[nodiscard]] std::uint32_t take_number(std::string_view& s) {
  std::uint32_t v = 0;
  while (!s.empty() && s[0] >= '0' && s[0] <= '9') {
    v = v * 10 + static_cast<std::uint32_t>(s[0] - '0');
    if (v > max_width)
      wrong("the width or precision is too large; expected at most " + std::to_string(max_width));
    s.remove_prefix(1);
  }
  return v;
}
[[nodiscard]] bool take(std::string_view& s, char c) noexcept {
  if (s.empty() || s[0] != c) return false;
  s.remove_prefix(1);
  return true;
}
[[nodiscard]] bool is_one_of(char c, std::string_view set) noexcept {
  return set.find(c) != std::string_view::npos;
}
[[nodiscard]] bool is_align(std::string_view s) noexcept {
  return !s.empty() && is_one_of(s[0], "<>=^");
}

[[nodiscard]] specification parse(std::string_view s, char default_align) {
  specification out;
  const std::string_view whole = s;
  const std::size_t first = s.empty() ? 0 : first_length(s);
  bool has_fill = false;
  if (is_align(s.substr(first))) {
    out.fill = s.substr(0, first);
    has_fill = true;
    out.align = s[first];
    s.remove_prefix(first + 1);
  } else if (is_align(s)) {
    out.align = s[0];
    s.remove_prefix(1);
  }
  if (!s.empty() && is_one_of(s[0], " +-")) {
    out.sign = s[0];
    s.remove_prefix(1);
  }
  out.alternate = take(s, '#');
  if (!has_fill && take(s, '0')) {
    out.fill = "0";
    if (out.align == 0 && default_align == '>') out.align = '=';
  }
  out.width = take_number(s);
  if (!s.empty() && is_one_of(s[0], ",_")) {
    out.grouping = s[0];
    s.remove_prefix(1);
    if (!s.empty() && is_one_of(s[0], ",_")) wrong("two grouping options; expected at most one");
  }
  if (take(s, '.')) {
    if (s.empty() || s[0] < '0' || s[0] > '9')
      wrong("the precision has no digits; expected some after the point");
    out.has_precision = true;
    out.precision = take_number(s);
  }
  if (s.size() > 1)
    wrong("invalid specification \"" + std::string(whole) +
          "\"; expected [[fill]align][sign][#][0][width][grouping][.precision][type]");
  if (!s.empty()) out.type = s[0];
  if (out.grouping != 0 && out.type != 0 && !is_one_of(out.type, "deEfFgG%") &&
      !(out.grouping == '_' && is_one_of(out.type, "boxX")))
    wrong("type " + std::string(s) + " can't group digits");
  if (out.align == 0) out.align = default_align;
  return out;
}

/// Digits with separators between groups, and zeros in front up to a width.
[[nodiscard]] std::string grouped(std::string_view digits, std::size_t group, char separator,
                                  std::int64_t width) {
  std::string reversed;
  auto left = static_cast<std::int64_t>(digits.size());
  for (bool first = true; first || left > 0 || width > 0; first = false) {
    if (!first) {
      reversed += separator;
      --width;
    }
    const std::int64_t n =
        std::min(static_cast<std::int64_t>(group), std::max<std::int64_t>({left, width, 1}));
    for (std::int64_t i = 0; i < n; ++i) {
      reversed += left > 0 ? digits[static_cast<std::size_t>(left - 1)] : '0';
      --left;
    }
    width -= n;
  }
  return {reversed.rbegin(), reversed.rend()};
}

/// Sign, prefix, digits (which may be grouped) and the rest of a number, in its width.
void append_aligned(limited_text& out, const specification& s, std::string_view front,
                    std::string_view digits, std::string_view rest) {
  std::string with_separators;
  if (s.grouping != 0 && !digits.empty()) {
    const std::int64_t others =
        static_cast<std::int64_t>(front.size()) + static_cast<std::int64_t>(characters(rest));
    const bool zeros = s.fill == "0" && s.align == '=';
    with_separators = grouped(digits, s.type != 0 && is_one_of(s.type, "boxX") ? 4 : 3, s.grouping,
                              zeros ? std::int64_t{s.width} - others : 0);
    digits = with_separators;
  }
  const std::uint64_t length = front.size() + digits.size() + characters(rest);
  const std::uint64_t padding = s.width > length ? s.width - length : 0;
  const std::uint64_t before = s.align == '>' ? padding : s.align == '^' ? padding / 2 : 0;
  out.repeat(s.fill, before);
  out << front;
  if (s.align == '=') out.repeat(s.fill, padding);
  out << digits << rest;
  if (s.align != '=') out.repeat(s.fill, padding - before);
}

[[nodiscard]] std::string_view sign_text(const specification& s, bool negative) noexcept {
  return negative ? "-" : s.sign == '+' ? "+" : s.sign == ' ' ? " " : "";
}

void append_string(limited_text& out, const specification& s, std::string_view v) {
  if (s.type != 0 && s.type != 's')
    wrong(std::string("type ") + s.type + " for a string; expected s");
  if (s.sign != 0 || s.alternate || s.grouping != 0 || s.align == '=')
    wrong("a sign, #, = or grouping for a string; these are for numbers");
  if (s.has_precision) {
    std::size_t end = 0;
    for (std::uint32_t i = 0; i < s.precision && end < v.size(); ++i)
      end += first_length(v.substr(end));
    v = v.substr(0, end);
  }
  append_aligned(out, s, {}, {}, v);
}

void append_whole(limited_text& out, const specification& s, std::int64_t v) {
  if (s.has_precision) wrong("a precision for an integer; expected none");
  if (s.type == 'c') {
    if (s.sign != 0 || s.alternate) wrong("a sign or # for a character; expected neither");
    if (v < 0 || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
      wrong(std::to_string(v) + " is not a code point; expected 0 to 1114111 without surrogates");
    char c[4];
    const unsigned length = utf8_encode(static_cast<std::uint32_t>(v), c);
    return append_aligned(out, s, {}, {}, {c, length});
  }
  const int base = s.type == 'b' ? 2 : s.type == 'o' ? 8 : s.type == 'x' || s.type == 'X' ? 16 : 10;
  const auto bits = static_cast<std::uint64_t>(v);
  char digits[64];
  const auto end = std::to_chars(digits, digits + 64, v < 0 ? 0 - bits : bits, base).ptr;
  if (s.type == 'X')
    for (char* c = digits; c != end; ++c)
      if (*c >= 'a') *c = static_cast<char>(*c - 'a' + 'A');
  std::string front(sign_text(s, v < 0));
  if (s.alternate && base != 10) front.append({'0', s.type});
  append_aligned(out, s, front, {digits, static_cast<std::size_t>(end - digits)}, {});
}

/// At least 0: "1.50", "1e+20". As type g, `ends` in ".0" where there would be no fraction.
[[nodiscard]] std::string digits_of(double v, char type, std::uint32_t precision, bool alternate,
                                    bool ends) {
  std::string buffer(std::size_t{precision} + 400, '\0');
  const auto print = [&](std::chars_format how, std::uint32_t decimals) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v, how,
                                   static_cast<int>(decimals));
    buffer.resize(static_cast<std::size_t>(end.ptr - buffer.data()));
  };
  if (type == 'f' || type == 'e') {
    print(type == 'f' ? std::chars_format::fixed : std::chars_format::scientific, precision);
    if (alternate && precision == 0) buffer.insert(type == 'f' ? buffer.size() : 1, ".");
    return buffer;
  }
  precision = std::max(precision, 1u);
  print(std::chars_format::scientific, precision - 1);
  const std::size_t e = buffer.find('e');
  std::string digits = buffer.substr(0, 1);
  if (e > 2) digits += buffer.substr(2, e - 2);
  const std::string exponent = buffer.substr(e);
  int point = 0;
  std::from_chars(exponent.data() + (exponent[1] == '+' ? 2 : 1), exponent.data() + exponent.size(),
                  point);
  ++point;
  if (!alternate) digits.erase(std::max<std::size_t>(digits.find_last_not_of('0') + 1, 1));
  if (point <= -4 || point > static_cast<int>(precision) - (ends ? 1 : 0)) {
    if (digits.size() > 1 || alternate) digits.insert(1, ".");
    return digits + exponent;
  }
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  const auto before = static_cast<std::size_t>(point);
  if (digits.size() < before) digits.append(before - digits.size(), '0');
  if (digits.size() > before)
    digits.insert(before, ".");
  else if (ends)
    digits += ".0";
  else if (alternate)
    digits += '.';
  return digits;
}

void append_real(limited_text& out, const specification& s, double v) {
  const bool percent = s.type == '%';
  if (percent) v *= 100;
  const bool negative = std::signbit(v) && !std::isnan(v);
  const double magnitude = std::fabs(v);
  const bool upper = s.type == 'E' || s.type == 'F' || s.type == 'G';
  std::string all;
  if (!std::isfinite(v)) {
    all = std::isnan(v) ? "nan" : "inf";
  } else if (s.type == 0 && !s.has_precision) {
    all = float_text(magnitude);
    const std::size_t e = all.find('e');
    if (s.alternate && e != all.npos && all.find('.') == all.npos) all.insert(e, ".");
  } else {
    const char type = percent || s.type == 'F'                        ? 'f'
                      : s.type == 'E'                                 ? 'e'
                      : s.type == 0 || s.type == 'n' || s.type == 'G' ? 'g'
                                                                      : s.type;
    const std::uint32_t precision = s.has_precision ? s.precision : 6;
    if (precision > out.left()) (out.repeat("0", precision));  // which fails
    all = digits_of(magnitude, type, precision, s.alternate, s.type == 0);
  }
  if (upper)
    for (char& c : all)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (percent) all += '%';
  const std::size_t digits = std::min(all.find_first_not_of("0123456789"), all.size());
  append_aligned(out, s, sign_text(s, negative), std::string_view(all).substr(0, digits),
                 std::string_view(all).substr(digits));
}

void append_field(limited_text& out, const plan_value& v, std::string_view spec) {
  if (spec.empty()) return append_str(out, v);
  if (v.what() == kind::string) return append_string(out, parse(spec, '<'), v.as_text());
  if (!v.is_number())
    wrong("a specification for " + std::string(name(v.what())) + "; expected a number or a string");
  const specification s = parse(spec, '>');
  const bool as_real = v.what() == kind::real;
  if (s.type == 0 || s.type == 'n')
    return as_real ? append_real(out, s, v.as_real()) : append_whole(out, s, v.as_whole());
  if (is_one_of(s.type, "eEfFgG%")) return append_real(out, s, v.as_real());
  if (is_one_of(s.type, "bcdoxX") && !as_real) return append_whole(out, s, v.as_whole());
  wrong(std::string("type ") + s.type + " for " + std::string(name(v.what())) +
        (as_real ? "; expected e, E, f, F, g, G, n or %"
                 : "; expected b, c, d, o, x, X, n or one of floats"));
}

/// Which argument is the next one.
struct numbering {
  std::size_t next = 0;
  enum class way : std::uint8_t { unknown, automatic, manual } how = way::unknown;
};

class formatter {
 public:
  explicit formatter(std::span<const plan_value> values) noexcept : values_(values) {}

  void append(limited_text& out, std::string_view f, unsigned depth) {
    if (depth == 0)
      wrong("fields are nested too deeply; expected at most one inside a specification");
    while (!f.empty()) {
      const std::size_t plain = std::min(f.find_first_of("{}"), f.size());
      out << f.substr(0, plain);
      f.remove_prefix(plain);
      if (f.empty()) return;
      if (f.size() > 1 && f[1] == f[0]) {
        out << f[0];
        f.remove_prefix(2);
      } else if (f[0] == '}') {
        wrong("unmatched }");
      } else {
        f.remove_prefix(1);
        field(out, f, depth);
      }
    }
  }

 private:
  /// `f` is after the {, and on return after the }.
  void field(limited_text& out, std::string_view& f, unsigned depth) {
    const std::size_t end = f.find_first_of("{}:!");
    if (end == f.npos) wrong("unmatched {");
    const std::string_view wanted = f.substr(0, end);
    char last = f[end], conversion = 0;
    f.remove_prefix(end + 1);
    if (last == '{') wrong("a { in a field's name");
    if (last == '!') {
      if (f.size() < 2) wrong("a conversion without }");
      conversion = f[0];
      last = f[1];
      f.remove_prefix(2);
      if (!is_one_of(conversion, "sra") || (last != '}' && last != ':'))
        wrong("unknown conversion; expected !s, !r or !a");
    }
    std::string_view spec;
    if (last == ':') {
      std::size_t at = 0;
      for (unsigned open = 1;; ++at) {
        at = f.find_first_of("{}", at);
        if (at == f.npos) wrong("unmatched {");
        open += f[at] == '{' ? 1u : ~0u;
        if (open == 0) break;
      }
      spec = f.substr(0, at);
      f.remove_prefix(at + 1);
    }
    const plan_value& v = argument(wanted);
    limited_text expanded(std::min<std::uint64_t>(out.left(), 4096), out.charged());
    if (spec.find('{') != spec.npos || spec.find('}') != spec.npos) {
      append(expanded, spec, depth - 1);
      spec = expanded.view();
    }
    append_converted(out, v, conversion, spec);
  }

  [[nodiscard]] const plan_value& argument(std::string_view wanted) {
    const auto way = wanted.empty() ? numbering::way::automatic : numbering::way::manual;
    std::size_t index = numbers_.next;
    if (wanted.empty()) {
      ++numbers_.next;
    } else {
      for (const char c : wanted)
        if (c < '0' || c > '9')
          wrong("field {" + std::string(wanted) + "}; expected a number, or nothing");
      index = wanted.size() > 6 ? ~std::size_t{0} : take_number(wanted);
    }
    if (numbers_.how != numbering::way::unknown && numbers_.how != way)
      wrong("both {} and numbered fields; expected one kind");
    numbers_.how = way;
    if (index >= values_.size())
      wrong("a field without a value: only " + std::to_string(values_.size()) + " given");
    return values_[index];
  }

  static void append_converted(limited_text& out, const plan_value& v, char conversion,
                               std::string_view spec) {
    if (v.is_tensor()) {
      if (v.elements().size() != 1)
        wrong("a tensor of shape " + v.elements().dims.text() + "; expected one element");
      return append_converted(out, number_at(v.elements(), 0), conversion, spec);
    }
    if (conversion == 0) return append_field(out, v, spec);
    limited_text converted(out.left(), out.charged());
    if (conversion == 'a' && v.what() == kind::string)
      append_quoted(converted, v.as_text(), false, true);
    else if (conversion == 's')
      append_str(converted, v);
    else
      append_repr(converted, v);
    append_string(out, parse(spec, '<'), converted.view());
  }

  std::span<const plan_value> values_;
  numbering numbers_;
};

}  // namespace

void append_formatted(limited_text& out, std::string_view format,
                      std::span<const plan_value> values) {
  formatter(values).append(out, format, 2);
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
