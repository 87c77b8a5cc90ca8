// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Values of an execution plan as text: Python's str(), repr(), json.dumps() and str.format().
//
//   limited_text out(1 << 20);                              // bytes at most
//   append_formatted(out, "{:>8.3f} {!r}", {values, 2});    // values: plan_value
//
//   fields       {} and {0}, not both; {{ and }}; fields in the specification of a field
//   conversions  !s !r !a
//   specs        [[fill]align][sign][#][0][width][, or _][.precision][b c d e E f F g G n o s x X %]
//
// Refused are names, attributes and indices of arguments, and `z`. A tensor of one element counts as
// that element, others have no format; str() and JSON give them as nested lists. Characters above
// U+00FF count as printable.
//
// Lifetime:   nothing is kept.
// Errors:     faults: nac_plan_format, nac_plan_slot, budget_memory.
// Limits:     widths and precisions of 65,535; the text's own.
// Allocation: the text, and a number with its precision.

#ifndef TESSERA_VM_EXECUTION_PLAN_FORMAT_HPP
#define TESSERA_VM_EXECUTION_PLAN_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "value.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Text that may grow up to a limit; beyond it, a fault: budget_memory. Its growth is charged to
/// the steps of a memory.
class limited_text {
 public:
  explicit limited_text(std::uint64_t limit, memory* charged = nullptr) noexcept
      : limit_(limit), charged_(charged) {}
  limited_text& operator<<(std::string_view s) {
    make_room(s.size());
    text_.append(s);
    return *this;
  }
  limited_text& operator<<(char c) { return *this << std::string_view(&c, 1); }
  /// The same piece again and again.
  void repeat(std::string_view piece, std::uint64_t times);
  [[nodiscard]] std::string_view view() const noexcept { return text_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return limit_ - text_.size(); }
  [[nodiscard]] memory* charged() const noexcept { return charged_; }

 private:
  void make_room(std::uint64_t bytes) const;
  std::uint64_t limit_;
  memory* charged_;
  std::string text_;
};

/// An element of a tensor as a number.
[[nodiscard]] plan_value number_at(const tensor& t, std::size_t i) noexcept;

void append_str(limited_text& out, const plan_value& v);
void append_repr(limited_text& out, const plan_value& v);
/// As json.dumps writes it: only ASCII, ", " and ": ", NaN and Infinity where there are any.
void append_json(limited_text& out, const plan_value& v);
void append_formatted(limited_text& out, std::string_view format,
                      std::span<const plan_value> values);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_EXECUTION_PLAN_FORMAT_HPP
