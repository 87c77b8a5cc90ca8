// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The texts of a registry taken apart: names of operations, variations, constant groups.
//
//   genome::operation_name n("aten._to_copy.default:node_args(1):kwargs('dtype',)");
//   n.target;   // "aten._to_copy.default"
//   n.tensors;  // 1
//   std::string_view keyword;
//   while (n.next_keyword(keyword)) …                       // "dtype"
//
//   genome::variation_inputs order("in1,in0");
//   for (std::uint32_t i; order.next(i);) …                 // 1, 0
//
//   genome::group_parts parts("arg1=10;dim=11");
//   genome::group_part p;
//   while (parts.next(p)) …                                 // {"arg1", 10}, {"dim", 11}
//
//   genome::single_constant_key("aten.relu.default:node_args(1):kwargs()", 1);   // position 1
//
// Lifetime:   all borrow their text.
// Errors:     values: `well_formed` and `failed`; what was returned before remains valid.
// Limits:     positions and ids of 5 digits.
// Allocation: none.

#ifndef TESSERA_GENOME_SIGNATURE_HPP
#define TESSERA_GENOME_SIGNATURE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/text.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

/// A decimal number at the start of `text`, without superfluous zeros; takes it off there.
[[nodiscard]] constexpr bool take_number(std::string_view& text, std::uint32_t& out) noexcept {
  std::size_t digits = 0;
  out = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 5) return false;
    out = out * 10 + static_cast<std::uint32_t>(text[digits] - '0');
  }
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  text.remove_prefix(digits);
  return true;
}
[[nodiscard]] constexpr bool take(std::string_view& text, std::string_view prefix) noexcept {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace detail

/// TARGET:node_args(N):kwargs('k1', 'k2'). Where a name isn't of this form, all of it is its target
/// and nothing else is known.
struct operation_name {
  std::string_view target;    ///< ATen's name, such as "aten.add.Tensor"
  std::uint32_t tensors = 0;  ///< distinct tensor inputs
  bool well_formed = false;   ///< the name has this form

  /// Takes the name apart. Borrows it.
  explicit constexpr operation_name(std::string_view name) noexcept : target(name) {
    constexpr std::string_view mark = ":node_args(";
    const std::size_t at = name.rfind(mark);
    if (at == std::string_view::npos) return;
    std::string_view rest = name.substr(at + mark.size());
    std::uint32_t n = 0;
    if (!detail::take_number(rest, n) || !detail::take(rest, "):kwargs(") || !rest.ends_with(')'))
      return;
    rest.remove_suffix(1);
    target = name.substr(0, at);
    tensors = n;
    keywords_ = rest;
    well_formed = true;
  }
  /// The next keyword, in their order: sorted.
  [[nodiscard]] constexpr bool next_keyword(std::string_view& out) noexcept {
    if (!detail::take(keywords_, "'")) return false;
    const std::size_t end = keywords_.find('\'');
    if (end == std::string_view::npos) return false;
    out = keywords_.substr(0, end);
    keywords_.remove_prefix(end + 1);
    (void)(detail::take(keywords_, ", ") || detail::take(keywords_, ","));
    return true;
  }

 private:
  std::string_view keywords_;
};

/// Which input each tensor argument is, arguments in the order of their names as text.
class variation_inputs {
 public:
  /// Of a variation's text. Borrows it.
  explicit constexpr variation_inputs(std::string_view text) noexcept : rest_(text) {}
  /// The next input's number; false at the end, or where the text is wrong.
  [[nodiscard]] constexpr bool next(std::uint32_t& input) noexcept {
    if (rest_.empty()) return false;
    if (!first_ && !detail::take(rest_, ",")) return fail();
    first_ = false;
    return detail::take(rest_, "in") && detail::take_number(rest_, input) ? true : fail();
  }
  /// Whether the text was wrong.
  [[nodiscard]] constexpr bool failed() const noexcept { return failed_; }

 private:
  constexpr bool fail() noexcept {
    rest_ = {};
    failed_ = true;
    return false;
  }
  std::string_view rest_;
  bool first_ = true, failed_ = false;
};

/// A part of a constant group: which argument, and the id of its constant.
struct group_part {
  std::string_view key;        ///< "arg1", or a keyword
  std::uint32_t constant = 0;  ///< its id
};

/// The parts of a constant group.
class group_parts {
 public:
  /// Of a constant group's text. Borrows it.
  explicit constexpr group_parts(std::string_view text) noexcept : rest_(text) {}
  /// The next part; false at the end, or where the text is wrong.
  [[nodiscard]] constexpr bool next(group_part& out) noexcept {
    if (rest_.empty()) return false;
    if (!first_ && !detail::take(rest_, ";")) return fail();
    first_ = false;
    const std::size_t equals = rest_.find('=');
    if (equals == std::string_view::npos || equals == 0) return fail();
    out.key = rest_.substr(0, equals);
    rest_.remove_prefix(equals + 1);
    return detail::take_number(rest_, out.constant) ? true : fail();
  }
  /// Whether the text was wrong.
  [[nodiscard]] constexpr bool failed() const noexcept { return failed_; }

 private:
  constexpr bool fail() noexcept {
    rest_ = {};
    failed_ = true;
    return false;
  }
  std::string_view rest_;
  bool first_ = true, failed_ = false;
};

/// Which argument a constant is: a keyword, or where that is empty a position ("arg1").
struct constant_key {
  std::string_view keyword;    ///< of the operation
  std::uint32_t position = 0;  ///< among its arguments, from 0
};

/// How many arguments of a node are tensors: those of its variation; where it has inputs that no
/// variation names, they are one list.
[[nodiscard]] constexpr std::uint32_t tensor_arguments(std::string_view variation,
                                                       std::size_t inputs) noexcept {
  variation_inputs order(variation);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; order.next(i);) ++count;
  return count == 0 && inputs != 0 ? 1 : count;
}

/// Which argument the constant of a node with C > 0 is, as C names no key: the operation's keyword,
/// where it has just one; else the first position after its `tensors` tensor arguments. A constant
/// in any other place has a group of its own.
[[nodiscard]] constexpr constant_key single_constant_key(std::string_view operation,
                                                         std::uint32_t tensors) noexcept {
  operation_name name(operation);
  std::string_view keyword, second;
  if (name.next_keyword(keyword) && !name.next_keyword(second)) return {keyword, 0};
  return {{}, tensors};
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_SIGNATURE_HPP
