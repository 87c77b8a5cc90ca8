// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC programs as records of one size: where each instruction stands and how many arguments it has.
//
//   auto steps = nac::decode(*file, file->instructions());
//   (*steps)[41].offset;        // of instruction 41, from the first one
//
// An instruction's length depends on its operation, on its signature and mostly on a word that it
// holds, so none can be found before the one in front of it was looked at. What takes the time is
// this chain; so a table has for each kind of instruction what the length is made of, and the loop
// has no branch that depends on what it finds:
//
//   length = fixed + 2 × (count & mask)          count: the word behind A and B
//
// Kinds that this doesn't hold for have a length that no instruction reaches. They, negative counts
// and the last instructions are left to the function that `read` checks instructions with.
//
// Lifetime:   owns.
// Errors:     too_many_items, input_too_large.
// Limits:     max_items instructions, at most 2^31 - 1; 4 GiB of them.
// Allocation: 16 bytes for each instruction.

#ifndef TESSERA_NAC_DECODE_HPP
#define TESSERA_NAC_DECODE_HPP

#include <cstddef>
#include <cstdint>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "file.hpp"
#include "format.hpp"
#include "records.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// An instruction: where it stands, what it is, and which of the program's arguments are its. What
/// an argument is stands in resolve.hpp.
struct step {
  std::uint32_t offset = 0;  ///< bytes from the first instruction of the list
  std::uint8_t a = 0, b = 0;
  std::uint16_t arguments = 0;  ///< how many
  std::uint32_t first = 0;      ///< index of the first one
  std::uint16_t operation = 0;  ///< filled by `verify`
  std::uint16_t reserved = 0;
};
static_assert(sizeof(step) == 16);

inline constexpr std::uint32_t max_index = 0x7fff'ffff;  ///< of an instruction, read

namespace detail {

/// How many arguments an instruction has.
[[nodiscard]] inline std::uint32_t argument_count(const instruction& i) noexcept {
  if (i.a >= first_regular_op) return i.d.size();
  switch (i.a) {
    case op_input: return i.c.size();
    case op_output:
      if (i.b == static_cast<std::uint8_t>(output::end)) return i.d[0] == 0 ? 0 : 1;
      return i.b == static_cast<std::uint8_t>(output::step) ? 3 : i.d.size();
    case op_control_flow: return 3;
    case op_convergence: return i.d.size() == 1 ? 2 : i.d.size();
    default: return 0;
  }
}

/// What the length of each kind of instruction is made of.
class length_table {
 public:
  struct row {
    std::uint32_t mask = 0;         ///< 0xffff where the word behind A and B counts constants
    std::uint16_t fixed = unusual;  ///< bytes of an instruction without constants
    std::uint8_t arguments = 0;     ///< they are the last words
    std::uint8_t id = 0;            ///< 1: the argument is the id of anything but a constant
  };
  /// More than the length of any instruction that the table has.
  static constexpr std::uint16_t unusual = 0xffff;
  /// Bytes that must be readable behind an instruction.
  static constexpr std::size_t slack = 16;

  explicit length_table(const file& f) noexcept {
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

  /// By A and B as they stand, A below.
  [[nodiscard]] const row& operator[](std::uint32_t ab) const noexcept {
    const std::size_t a_first = __builtin_bswap16(static_cast<std::uint16_t>(ab));
    const std::size_t regular = first_regular | ab >> 8;
    return rows_[a_first < regular ? a_first : regular];
  }
  /// Of any instruction that the table has.
  [[nodiscard]] std::uint32_t most_arguments() const noexcept { return most_; }

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

/// How far a list was decoded.
struct decoded {
  const std::byte* at;
  std::uint32_t index, first;  ///< of the next instruction and its first argument
};

/// Decodes instructions up to index `stop`, or less: up to one that the table doesn't have. `end`
/// is that of the readable bytes, `start` the first instruction. Hints, for resolve.hpp: `operation`
/// is how many constants are given, `reserved` where the arguments stand, odd for an id.
template <bool Hints>
inline void decode_run(const length_table& table, const std::byte* start, const std::byte* end,
                       std::uint32_t stop, step* to, decoded& now) noexcept {
  if (static_cast<std::size_t>(end - now.at) < length_table::slack) return;
  end -= length_table::slack;
  const std::byte* at = now.at;
  std::uint32_t first = now.first;
  step* const last = to + (stop - now.index);
  for (; to != last; ++to) {
    const std::uint32_t ab = load_le<std::uint16_t>(at);
    const length_table::row& row = table[ab];
    const std::uint32_t fixed = row.fixed, arguments = row.arguments;
    const std::size_t constants = load_le<std::uint16_t>(at + 2) & row.mask;
    const std::byte* const behind = at + fixed;
    if (fixed + 2 * constants >= length_table::unusual ||
        fixed + 2 * constants > static_cast<std::size_t>(end - at))
      break;
    to->offset = static_cast<std::uint32_t>(at - start);
    to->a = static_cast<std::uint8_t>(ab);
    to->b = static_cast<std::uint8_t>(ab >> 8);
    to->arguments = static_cast<std::uint16_t>(arguments);
    to->first = first;
    to->operation = to->reserved = 0;
    if constexpr (Hints) {
      to->operation = static_cast<std::uint16_t>(constants + row.id);
      to->reserved = static_cast<std::uint16_t>((fixed - 2 * arguments + 2 * constants) | row.id);
    }
    first += arguments;
    at = behind + 2 * constants;
  }
  now = {at, stop - static_cast<std::uint32_t>(last - to), first};
}

/// Whether indices and offsets of a list fit into steps.
[[nodiscard]] inline error fits_steps(const instructions& list, const limits& limit) noexcept {
  const bool fits = list.size() <= limit.max_items && list.size() <= max_index;
  return fits ? error{} : error{errc::too_many_items, list.offset()};
}

}  // namespace detail

/// The instructions of `list`, which is f.instructions() or f.training().
[[nodiscard]] inline result<pool<step>> decode(const file& f, const instructions& list,
                                               const limits& limit = {}) {
  if (const error e = detail::fits_steps(list, limit); e.code != errc::ok) return e;
  pool<step> steps;
  step* const to = steps.prepare(list.size());
  const detail::length_table table(f);
  const detail::cursor first = list.cursor();
  const std::byte* const start = first.data();
  const std::uint64_t size = first.left() < 0xffff'ffff ? first.left() : 0xffff'ffff;
  detail::decoded now{start, 0, 0};
  for (;;) {
    detail::decode_run<false>(table, start, start + size, list.size(), to + now.index, now);
    if (now.index == list.size()) break;
    detail::cursor at = first;
    (void)at.take_bytes(static_cast<std::uint64_t>(now.at - start));
    instruction i;
    if (const error e = detail::parse_instruction(f, at, i); e.code != errc::ok) return e;
    if (i.offset - first.offset() > size) return error{errc::input_too_large, i.offset};
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
  }
  steps.advance(list.size());
  return steps;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DECODE_HPP
