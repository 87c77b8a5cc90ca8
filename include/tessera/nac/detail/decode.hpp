// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Finds where each instruction is.
//
// An instruction's length depends on its operation, its signature and often on a word inside it, so
// instructions can only be found one after another, and this chain of loads takes most of the time.
// Therefore a table has the parts of the length for each kind of instruction, and the loop has no
// data-dependent branch; and `read` notes an instruction in the middle, so that two chains run at
// once.
//
//   length = fixed + 2 × (count & mask)          count: the word after A and B
//
// Kinds with another length have an impossible one in the table. They, negative counts and the last
// instructions are decoded by the function that `read` uses.

#ifndef TESSERA_NAC_DETAIL_DECODE_HPP
#define TESSERA_NAC_DETAIL_DECODE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// What the length of each kind of instruction is made of.
class length_table {
 public:
  struct row {
    std::uint32_t mask = 0;         ///< 0xffff where the word after A and B counts constants
    std::uint16_t fixed = unusual;  ///< bytes of an instruction without constants
    std::uint8_t arguments = 0;     ///< they are the last words
    std::uint8_t id = 0;            ///< 1: the argument is the id of anything but a constant
  };
  /// More than the length of any instruction that the table has.
  static constexpr std::uint16_t unusual = 0xffff;
  /// Bytes that must be readable after an instruction.
  static constexpr std::size_t slack = 32;

  explicit length_table(const model& f) noexcept {
    for (std::uint32_t b = 0; b < 256; ++b) {
      const auto id = static_cast<std::uint8_t>(b);
      if (b != 0 && !f.has_signature(id)) continue;
      set(first_regular + b, f.has_constants(id) ? 4 : 2, f.arguments(id));
      rows_[first_regular + b].mask = f.has_constants(id) ? 0xffff : 0;
    }
    set(system(op_input, 0), 2, 0);
    for (std::uint32_t b = 1; b < (f.version() == 1 ? 4u : 6u); ++b) {
      if (b == static_cast<std::uint32_t>(input::lifted_constant)) continue;
      set(system(op_input, b), 4, 1);
      rows_[system(op_input, b)].id = 1;
    }
    if (f.outputs() < 256)
      for (std::uint32_t b = 0; b < 3; ++b)
        set(system(op_output, b), 4u + 2u * f.outputs(), f.outputs());
  }

  /// By A and B as in the file: A is the low byte.
  [[nodiscard]] const row& operator[](std::uint32_t ab) const noexcept {
    const std::size_t a_first = __builtin_bswap16(static_cast<std::uint16_t>(ab));
    const std::size_t regular = first_regular | ab >> 8;
    return rows_[a_first < regular ? a_first : regular];
  }
  /// Of any instruction that the table has.
  [[nodiscard]] std::uint32_t max_arguments() const noexcept { return most_; }

 private:
  // 256 rows for each operation below 10, and 256 for all others.
  static constexpr std::size_t first_regular = 256 * first_regular_op;
  [[nodiscard]] static std::size_t system(std::uint32_t a, std::uint32_t b) noexcept {
    return 256 * a + b;
  }
  void set(std::size_t i, std::uint32_t without_d, std::uint32_t arguments) noexcept {
    rows_[i].fixed = static_cast<std::uint16_t>(without_d + 2 * arguments);
    rows_[i].arguments = static_cast<std::uint8_t>(arguments);
    if (arguments > most_) most_ = arguments;
  }
  row rows_[first_regular + 256];
  std::uint32_t most_ = 1;
};

/// An instruction, as the table has it.
struct looked_up {
  std::uint32_t ab;         // A and B as in the file
  std::uint32_t arguments;  // they end with the instruction
  std::uint32_t id;         // 1: the argument is the id of anything but a constant
  std::size_t constants;    // how many the instruction gives
  const std::byte* next;    // the next instruction
};

/// Looks at an instruction that has `slack` bytes before `end`. False: it is unusual, or has none
/// after it.
[[nodiscard, gnu::always_inline]] inline bool look_up(const length_table& table,
                                                      const std::byte* at, const std::byte* end,
                                                      looked_up& found) noexcept {
  found.ab = load_le<std::uint16_t>(at);
  const length_table::row& row = table[found.ab];
  const std::size_t fixed = row.fixed;
  found.arguments = row.arguments;
  found.id = row.id;
  found.constants = load_le<std::uint16_t>(at + 2) & row.mask;
  const std::size_t length = fixed + 2 * found.constants;
  found.next = at + fixed + 2 * found.constants;
  return length < length_table::unusual &&
         length + length_table::slack <= static_cast<std::size_t>(end - at);
}
[[gnu::always_inline]] inline void write_step(step* to, std::size_t offset, const looked_up& found,
                                              std::uint32_t first) noexcept {
  if constexpr (std::endian::native == std::endian::little) {  // in two stores
    const std::uint64_t halves[2] = {static_cast<std::uint32_t>(offset) |
                                         std::uint64_t{found.ab} << 32 |
                                         std::uint64_t{found.arguments} << 48,
                                     first};
    std::memcpy(static_cast<void*>(to), halves, sizeof halves);
  } else {
    *to = {static_cast<std::uint32_t>(offset),
           static_cast<std::uint8_t>(found.ab),
           static_cast<std::uint8_t>(found.ab >> 8),
           static_cast<std::uint16_t>(found.arguments),
           first,
           0,
           0};
  }
}

namespace detail {

/// How far a list was decoded.
struct decoded {
  const std::byte* at;
  std::uint32_t index, first;  ///< of the next instruction and its first argument
};

/// Decodes instructions up to index `stop`, or less: up to one that the table doesn't have. `end`
/// is that of the readable bytes, `start` the first instruction; it is the first one's step.
inline void decode_run(const length_table& table, const std::byte* start, const std::byte* end,
                       step* to, std::uint32_t stop, decoded& now) noexcept {
  decoded next = now;
  if (static_cast<std::size_t>(end - next.at) < length_table::slack) return;
  looked_up found;
  for (; next.index != stop && look_up(table, next.at, end, found); ++next.index) {
    write_step(to + next.index, static_cast<std::size_t>(next.at - start), found, next.first);
    next.first += found.arguments;
    next.at = found.next;
  }
  now = next;
}

/// The same at two places at once, so that each waits while the other doesn't; until one of them
/// ends.
inline void decode_two(const length_table& table, const std::byte* start, const std::byte* end,
                       step* to, std::uint32_t stop, decoded& a, decoded& b,
                       std::uint32_t count) noexcept {
  decoded next = a, other = b;
  if (static_cast<std::size_t>(end - other.at) < length_table::slack) return;
  looked_up found, found_other;
  while (next.index != stop && other.index != count && look_up(table, next.at, end, found) &&
         look_up(table, other.at, end, found_other)) {
    write_step(to + next.index++, static_cast<std::size_t>(next.at - start), found, next.first);
    write_step(to + other.index++, static_cast<std::size_t>(other.at - start), found_other,
               other.first);
    next.first += found.arguments;
    other.first += found_other.arguments;
    next.at = found.next;
    other.at = found_other.next;
  }
  a = next;
  b = other;
}

/// Whether indices and offsets of a list fit into steps.
[[nodiscard]] inline error fits_steps(const instructions& list, const limits& limit) noexcept {
  const bool fits = list.size() <= limit.max_items && list.size() <= max_index;
  return fits ? error{} : error{errc::too_many_items, list.offset()};
}

}  // namespace detail

TESSERA_INLINE result<pool<step>> decode(const model& f, const instructions& list,
                                         const decode_options& options) {
  if (const error e = detail::fits_steps(list, options.limit); e.code != errc::ok) return e;
  pool<step> steps;
  step* const to = steps.prepare(list.size());
  const length_table table(f);
  const detail::cursor first = list.cursor();
  const std::byte* const start = first.data();
  const std::uint64_t size = first.left() < 0xffff'ffff ? first.left() : 0xffff'ffff;
  const std::byte* const end = start + size;
  // One instruction of any kind.
  const auto any = [&](detail::decoded& now) -> error {
    detail::cursor at = first;
    (void)at.take_bytes(static_cast<std::uint64_t>(now.at - start));
    instruction i;
    if (const error e = detail::parse_instruction(f, at, i); e.code != errc::ok) return e;
    if (i.offset - first.offset() > size) return {errc::input_too_large, i.offset};
    const std::uint32_t count = detail::argument_count(i);
    to[now.index++] = {static_cast<std::uint32_t>(now.at - start),
                       i.a,
                       i.b,
                       static_cast<std::uint16_t>(count),
                       now.first,
                       0,
                       0};
    now.first += count;
    now.at = at.data();
    return {};
  };
  const auto rest = [&](detail::decoded now, std::uint32_t stop) -> error {
    for (;;) {
      detail::decode_run(table, start, end, to, stop, now);
      if (now.index == stop) return {};
      if (const error e = any(now); e.code != errc::ok) return e;
    }
  };
  const std::uint32_t count = list.size();
  const detail::halfway half = list.halfway();
  detail::decoded now{start, 0, 0};
  error e;
  if (half.index != 0 && half.offset <= size) {
    detail::decoded second{start + half.offset, half.index, half.arguments};
    for (;;) {
      detail::decode_two(table, start, end, to, half.index, now, second, count);
      if (now.index == half.index || second.index == count) break;
      if (e = any(now); e.code != errc::ok) return e;
      if (e = any(second); e.code != errc::ok) return e;
    }
    if (e = rest(now, half.index); e.code != errc::ok) return e;
    now = second;
  }
  if (e = rest(now, count); e.code != errc::ok) return e;
  steps.advance(list.size());
  return steps;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_DECODE_HPP
