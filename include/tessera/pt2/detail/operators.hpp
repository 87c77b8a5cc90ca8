// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of pt2/operators.hpp.

#ifndef TESSERA_PT2_DETAIL_OPERATORS_HPP
#define TESSERA_PT2_DETAIL_OPERATORS_HPP

#include "../../core/sort.hpp"
#include "../operators.hpp"
#include "operator_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {
namespace detail {

struct parameter_word {
  std::string_view word;
  parameter_type type;
};
inline constexpr parameter_word parameter_words[] = {
    {"T", parameter_type::tensor},
    {"i", parameter_type::integer},
    {"f", parameter_type::real},
    {"b", parameter_type::boolean},
    {"s", parameter_type::string},
    {"S", parameter_type::number},
    {"dtype", parameter_type::scalar_type},
    {"layout", parameter_type::layout},
    {"device", parameter_type::device},
    {"format", parameter_type::memory_format},
};

/// Takes what precedes ", " off the front.
[[nodiscard]] inline bool take_parameter(std::string_view& from, parameter& out) noexcept {
  if (from.empty()) return false;
  const std::size_t end = from.find(", ");
  std::string_view part = from.substr(0, end);
  from.remove_prefix(end == from.npos ? from.size() : end + 2);
  const std::size_t space = part.find(' ');
  std::string_view type = part.substr(0, space);
  part.remove_prefix(space == part.npos ? part.size() : space + 1);
  out = {};
  const std::size_t equals = part.find('=');
  out.name = part.substr(0, equals);
  out.has_default = equals != part.npos;
  if (out.has_default) out.default_value = part.substr(equals + 1);
  const auto drop = [&type](std::string_view ending) {
    const bool has =
        type.size() > ending.size() && type.substr(type.size() - ending.size()) == ending;
    if (has) type.remove_suffix(ending.size());
    return has;
  };
  out.is_written = drop("!");
  out.is_aliased = drop("&") || out.is_written;
  out.is_optional = drop("?");
  out.is_list = drop("[]");
  out.has_optional_elements = out.is_list && drop("?");
  for (const parameter_word& w : parameter_words)
    if (w.word == type) out.type = w.type;
  return true;
}

}  // namespace detail

TESSERA_INLINE signature::signature(const operator_row& of) noexcept {
  constexpr std::string_view arrow = "-> ";
  const std::size_t at = of.signature.find(arrow);
  if (at == of.signature.npos) {  // "T self ->": no results
    parameters_ = of.signature.substr(0, of.signature.find(" ->"));
    return;
  }
  parameters_ = of.signature.substr(0, at == 0 ? 0 : at - 1);
  results_ = of.signature.substr(at + arrow.size());
}
TESSERA_INLINE bool signature::next(parameter& out) noexcept {
  return detail::take_parameter(parameters_, out);
}
TESSERA_INLINE bool signature::next_result(parameter& out) noexcept {
  return detail::take_parameter(results_, out);
}

TESSERA_INLINE view<operator_row> operators() noexcept {
  return {detail::operator_rows, sizeof detail::operator_rows / sizeof detail::operator_rows[0]};
}
TESSERA_INLINE const operator_row* find_operator(std::string_view name) noexcept {
  const view<operator_row> all = operators();
  const std::size_t i =
      first_not_below(all.data(), all.size(), [&](const operator_row& r) { return r.name < name; });
  return i < all.size() && all[i].name == name ? &all[i] : nullptr;
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_OPERATORS_HPP
