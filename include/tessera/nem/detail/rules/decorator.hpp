// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules of decorators: which are known, what they apply to, and what they take.
//
//   check_decorators(c, buffer_node, on_buffer);          // each node that may be decorated
//   const std::int64_t n = in_flight(c, loop_node);       // 1 without @max_in_flight
//
//   DEC-001  unknown                     RES-001  a unit that @resource can't name
//   DEC-002  on the wrong thing          RES-002  an unknown unit
//   DEC-003  wrong arguments             RES-003  a negative index
//   DEC-004  given twice
//   DEC-005  @readonly and @writeonly
//   DEC-006  nothing in flight
//
// Of a decorator that is given twice, the first one is used. Arguments may depend on loop
// variables, so that the checks run once for each iteration.
//
// Lifetime:   borrows for the call.
// Errors:     findings.
// Limits:     none.
// Allocation: that of findings.

#ifndef TESSERA_NEM_DETAIL_RULES_DECORATOR_HPP
#define TESSERA_NEM_DETAIL_RULES_DECORATOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/suggest.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "context.hpp"
#include "evaluate.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The first decorator of a name on a node, or no_node.
[[nodiscard]] inline std::uint32_t find_decorator(const model& d, std::uint32_t node,
                                                  decorator which) noexcept {
  return child(d, node, node_kind::decorator, static_cast<std::uint8_t>(which));
}

/// What the decorators of a buffer, a region's `let` or an operand say of accesses: access_flag.
[[nodiscard, gnu::cold]] inline std::uint8_t decorated_access(const model& d,
                                                              std::uint32_t node) noexcept {
  unsigned flags = 0;
  for (const std::uint32_t i : children(d, node)) {
    if (d.nodes[i].kind != node_kind::decorator) continue;
    switch (static_cast<decorator>(d.nodes[i].detail)) {
      case decorator::readonly: flags |= flag_readonly; break;
      case decorator::writeonly: flags |= flag_writeonly; break;
      case decorator::materialized: flags |= flag_materialized; break;
      default: break;
    }
  }
  return static_cast<std::uint8_t>(flags);
}

/// The only argument of a decorator, or no_node after DEC-003.
[[nodiscard, gnu::cold]] inline std::uint32_t only_argument(context& c,
                                                            std::uint32_t decorator_node) {
  const decorator_row& row = decorator_table[c[decorator_node].detail];
  const std::uint32_t first = decorator_node + 1, end = c[decorator_node].next;
  const bool is_one = first < end && c[first].next == end;
  bool is_right = is_one;
  if (is_one) {
    const node_kind k = c[first].kind;
    switch (row.argument) {
      case decorator_argument::none: is_right = false; break;
      case decorator_argument::integer:
        is_right = k == node_kind::integer || k == node_kind::wide_integer ||
                   k == node_kind::name || k == node_kind::expression;
        break;
      case decorator_argument::unit: is_right = k == node_kind::unit_index; break;
      case decorator_argument::tag: is_right = k == node_kind::name || k == node_kind::string;
    }
  }
  if (is_right) return first;
  const std::uint32_t wrong = first == end ? decorator_node : is_one ? first : c[first].next;
  auto w = c.report(errc::nem_dec_003_arguments, wrong);
  w << '@' << row.name;
  switch (row.argument) {
    case decorator_argument::none: w << " takes no argument"; break;
    case decorator_argument::integer: w << " takes one integer in parentheses"; break;
    case decorator_argument::unit: w << " takes one unit and its index, such as (CSTL[0])"; break;
    case decorator_argument::tag: w << " takes one name or string in parentheses"; break;
  }
  return no_node;
}

/// The number that @max_in_flight or @seq_engine takes; false after it was reported.
[[nodiscard]] inline bool integer_argument(context& c, std::uint32_t decorator_node,
                                           std::int64_t& to) {
  const std::uint32_t argument = only_argument(c, decorator_node);
  return argument != no_node && evaluate_integer(c, argument, to);
}

/// The number that @max_in_flight takes, or 1 after what is wrong was reported.
[[gnu::cold]] inline std::int64_t in_flight_argument(context& c, std::uint32_t decorator_node) {
  std::int64_t n = 1;
  if (!integer_argument(c, decorator_node, n)) return 1;
  if (n >= 1) return n;
  c.report(errc::nem_dec_006_in_flight, decorator_node + 1)
      << "@max_in_flight takes at least 1 iteration, found " << n;
  return 1;
}

/// How many iterations of a loop may be in flight at once: 1 where nothing valid says otherwise.
[[nodiscard]] inline std::int64_t in_flight(context& c, std::uint32_t loop_node) {
  const std::uint32_t i = find_decorator(c.d, loop_node, decorator::max_in_flight);
  return i == no_node ? 1 : in_flight_argument(c, i);
}

/// The unit that @resource names, as its unit_index node, and its index; none after what is wrong
/// was reported.
struct bound_unit {
  nem::unit unit = nem::unit::none;
  std::uint32_t node = no_node;
  std::int64_t index = 0;
};
[[nodiscard, gnu::cold]] inline bound_unit resource_argument(context& c,
                                                             std::uint32_t decorator_node) {
  bound_unit to;
  to.node = only_argument(c, decorator_node);
  if (to.node == no_node) return to;
  const std::string_view word = c.name(to.node);
  const unit u = find_unit(word);
  if (u == unit::none) {
    auto w = c.report(errc::nem_res_002_unknown, to.node);
    w << "unknown unit type " << word << ": @resource takes NMU, CSTL, DMA or VPU";
    const std::string_view near = nearest(word, unit_names);
    if (!near.empty() && find_unit(near) < unit::seq) w.note() << "did you mean " << near << '?';
    return to;
  }
  if (!is_per_engine(u) || u == unit::seq) {
    c.report(errc::nem_res_001_invalid, to.node)
        << word << " is not a valid @resource target; expected NMU, CSTL, DMA or VPU";
    return to;
  }
  if (!evaluate_integer(c, to.node + 1, to.index)) return to;
  if (to.index < 0) {
    c.report(errc::nem_res_003_negative, to.node + 1)
        << "expected a unit index of at least 0, found " << to.index;
    return to;
  }
  to.unit = u;
  return to;
}

/// Names what decorators apply to: "regions and operands".
struct target_names {
  std::uint8_t targets;
};
inline text& operator<<(text& out, const target_names& n) {
  constexpr std::string_view names[] = {
      "buffers", "declared regions", "operands", "transfers and stores", "compute tasks", "loops",
      "waits"};
  unsigned left = n.targets;
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if ((left & 1u << i) == 0) continue;
    left &= ~(1u << i);
    const bool is_first = (n.targets & ((1u << i) - 1)) == 0;
    out << (is_first ? "" : left == 0 ? " and " : ", ") << names[i];
  }
  return out;
}

/// Checks the decorators of a node, which is what `target` says: decorator_target.
[[gnu::cold]] inline void check_decorators(context& c, std::uint32_t node, std::uint8_t target) {
  constexpr std::uint8_t tasks = on_transfer | on_compute;
  std::uint32_t seen[decorator_count] = {};  // where, plus 1
  for (const std::uint32_t i : children(c.d, node)) {
    if (c[i].kind != node_kind::decorator) continue;
    if (c[i].detail >= decorator_count) {
      auto w = c.report(errc::nem_dec_001_unknown, i);
      w << "unknown decorator @" << c.name(i);
      const std::string_view near = nearest(c.name(i), decorator_table);
      if (!near.empty()) w.note() << "did you mean @" << near << '?';
      continue;
    }
    const decorator which = static_cast<decorator>(c[i].detail);
    const decorator_row& row = decorator_table[c[i].detail];
    if ((row.targets & target) == 0) {
      auto w = c.report(errc::nem_dec_002_target, i);
      w << '@' << row.name << " applies to " << target_names{row.targets} << ", not to "
        << target_names{target};
      if (target == on_operand && (row.targets & tasks) != 0)
        w.note() << "decorators of the task follow its attributes";
      continue;
    }
    std::uint32_t& earlier = seen[c[i].detail];
    if (earlier != 0) {
      auto w = c.report(errc::nem_dec_004_repeated, i);
      w << "duplicate @" << row.name << ": the first one is used";
      w.note(c.at(earlier - 1)) << "it is given here";
    } else {
      earlier = i + 1;
    }
    switch (which) {
      case decorator::max_in_flight: (void)in_flight_argument(c, i); break;
      case decorator::resource: (void)resource_argument(c, i); break;
      case decorator::seq_engine: {
        std::int64_t engine = 0;
        (void)integer_argument(c, i, engine);
        break;
      }
      default:
        if (row.argument == decorator_argument::tag || c[i].next != i + 1)
          (void)only_argument(c, i);
    }
  }
  const std::uint32_t r = seen[static_cast<std::size_t>(decorator::readonly)],
                      w = seen[static_cast<std::size_t>(decorator::writeonly)];
  if (r != 0 && w != 0) {
    const std::uint32_t first = r < w ? r : w, second = r < w ? w : r;
    auto found = c.report(errc::nem_dec_005_access, second - 1);
    found
        << "@readonly and @writeonly exclude each other: what has neither may be read and written";
    found.note(c.at(first - 1)) << '@' << c.name(first - 1) << " is given here";
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_DECORATOR_HPP
