// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/operations.hpp.

#ifndef TESSERA_NAC_DETAIL_OPERATIONS_HPP
#define TESSERA_NAC_DETAIL_OPERATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../format.hpp"
#include "../operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {}  // namespace nac
namespace nac::detail {

[[nodiscard]] inline operation operation_named(std::string_view wanted) noexcept {
  for (std::size_t i = 1; i < operation_count; ++i) {
    std::string_view rest = operations[i].names;
    while (!rest.empty()) {
      const std::size_t blank = rest.find(' ');
      const std::string_view name = rest.substr(0, blank);
      if (name == wanted) return static_cast<operation>(i);
      rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
    }
  }
  return operation::unknown;
}

/// A name without its overload: "aten.add_".
[[nodiscard]] inline std::string_view without_overload(std::string_view name) noexcept {
  const std::size_t dot = name.rfind('.');
  return name.substr(0, dot == std::string_view::npos ? 0 : dot);
}
/// "aten.__iand__": in place of "aten.__and__".
[[nodiscard]] inline bool is_python_in_place(std::string_view base) noexcept {
  const std::size_t dot = base.rfind('.');
  if (dot == std::string_view::npos || base.substr(dot + 1, 3) != "__i") return false;
  for (const std::string_view rest : {"and__", "or__", "xor__", "lshift__", "rshift__"})
    if (base.substr(dot + 4) == rest) return true;
  return false;
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE bool is_in_place(std::string_view name) noexcept {
  const std::string_view base = detail::without_overload(name);
  if (base.size() < 2 || base.back() != '_' || base[base.size() - 2] == '.') return false;
  return base.substr(base.size() - 2) != "__" || detail::is_python_in_place(base);
}

TESSERA_INLINE operation find_operation(std::string_view wanted) noexcept {
  if (wanted.empty()) return operation::unknown;
  const operation found = detail::operation_named(wanted);
  char name[256];
  if (found != operation::unknown || wanted.size() > sizeof name || !is_in_place(wanted))
    return found;
  const std::string_view base = detail::without_overload(wanted);
  const std::size_t dropped =
      detail::is_python_in_place(base) ? base.rfind('.') + 3 : base.size() - 1;
  std::size_t size = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (i != dropped) name[size++] = wanted[i];
  return detail::operation_named({name, size});
}

TESSERA_INLINE bool takes(char letter, argument_form form) noexcept {
  const bool capital = letter >= 'A' && letter <= 'Z';
  if (form == argument_form::null) return capital || letter == 'd';
  const bool result = form == argument_form::result, integer = form == argument_form::integer;
  const bool number = integer || form == argument_form::number;
  const bool int_list = form == argument_form::int_list;
  switch (capital ? static_cast<char>(letter - 'A' + 'a') : letter) {
    case 't': return result;
    case 'x':
    case 'n':
    case 'b': return result || number;
    case 'i': return result || integer;
    case 'l':
    case 'v': return result || integer || int_list;
    case 'r': return result || number || int_list || form == argument_form::number_list;
    case 's': return form == argument_form::string;
    case 'd': return true;
    default: return false;  // unreachable: no other letters
  }
}

TESSERA_INLINE operation view_or_squeeze(std::string_view name,
                                         view<argument_form> given) noexcept {
  const bool squeezes =
      given.size() == 1 || (given.size() == 2 && given[1] == argument_form::integer);
  return squeezes && name == "nac.view" ? operation::squeeze : operation::view;
}

}  // namespace nac
namespace nac::detail {

[[nodiscard]] inline bool is_whole(double v) noexcept {
  return v >= -9223372036854775808.0 && v < 9223372036854775808.0 &&
         v == static_cast<double>(static_cast<std::int64_t>(v));
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE argument_form form_of(const constant& c) noexcept {
  switch (c.type) {
    case constant_type::null: return argument_form::null;
    case constant_type::boolean:
    case constant_type::int64: return argument_form::integer;
    case constant_type::float64:
      return detail::is_whole(c.float64()) ? argument_form::integer : argument_form::number;
    case constant_type::string: return argument_form::string;
    case constant_type::int32_list: return argument_form::int_list;
    case constant_type::float32_list: break;
  }
  const packed<float> values = c.float32_list();
  for (std::uint32_t i = 0; i < values.size(); ++i)
    if (!detail::is_whole(static_cast<double>(values[i]))) return argument_form::number_list;
  return argument_form::int_list;
}

TESSERA_INLINE match bind(std::string_view letters, view<argument_form> arguments,
                          binding& out) noexcept {
  const auto in_a_row = [](argument_form f) {
    return f == argument_form::result || f == argument_form::integer;
  };
  out = {};
  std::size_t at = 0, slot = 0;
  bool optional = false, passed_over = false;
  for (std::size_t p = 0; p < letters.size(); ++p) {
    const char letter = letters[p];
    if (letter == '?') {
      optional = true;
      continue;
    }
    const bool repeats = p + 1 < letters.size() && letters[p + 1] == '*';
    const std::size_t now = slot++;
    if (repeats) ++p;
    if (at == arguments.size()) {
      if (!optional) return {match::kind::count, at};
      continue;
    }
    if (!takes(letter, arguments[at])) {
      if (!optional) return {match::kind::form, at};
      passed_over = true;
      continue;
    }
    std::size_t end = at + 1;
    if (repeats) {
      while (end < arguments.size() && takes(letter, arguments[end])) ++end;
    } else if ((letter == 'v' || letter == 'V') && in_a_row(arguments[at])) {
      while (end < arguments.size() && in_a_row(arguments[end])) ++end;
      // What must follow gets the last ones.
      const auto rest_fits = [&] {
        for (std::size_t q = p + 1, k = end; q < letters.size() && letters[q] != '?'; ++q, ++k)
          if (k >= arguments.size() || !takes(letters[q], arguments[k])) return false;
        return true;
      };
      if (!optional)
        while (end > at + 1 && !rest_fits()) --end;
    }
    out.first[now] = static_cast<std::uint8_t>(at);
    out.count[now] = static_cast<std::uint8_t>(end - at);
    at = end;
  }
  if (at == arguments.size()) return {};
  return {passed_over ? match::kind::form : match::kind::count, at};
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_OPERATIONS_HPP
