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
    std::uint32_t fixed = unusual;  ///< bytes of an instruction without constants
    std::uint16_t mask = 0;         ///< all bits where the word behind A and B counts constants
    std::uint8_t arguments = 0;     ///< they are the last words
    std::uint8_t id = 0;            ///< 1: the argument is an id; 3: of no constant
  };
  /// More than the length of any instruction that the table has.
  static constexpr std::uint32_t unusual = 0x10000;
  /// Bytes that must be readable behind an instruction.
  static constexpr std::size_t slack = 16;

  explicit length_table(const file& f) noexcept {
    for (std::size_t b = 0; b < 256; ++b) {
      const auto id = static_cast<std::uint8_t>(b);
      if (b != 0 && !f.has_signature(id)) continue;
      const std::uint8_t arguments = f.arguments(id);
      if (arguments > most_) most_ = arguments;
      rows_[b] = f.has_constants(id) ? row{4 + 2u * arguments, 0xffff, arguments, 0}
                                     : row{2 + 2u * arguments, 0, arguments, 0};
    }
    const bool first_version = f.version() == 1;
    system(op_input, 0) = {2, 0, 0, 0};
    for (std::uint32_t b = 1; b < (first_version ? 4u : 6u); ++b)
      system(op_input, b) = {6, 0, 1, static_cast<std::uint8_t>(b == 3 ? 1 : 3)};
    const std::uint32_t outputs = f.outputs();
    if (outputs < 256) {
      if (outputs > most_) most_ = outputs;
      for (std::uint32_t b = 0; b < 3; ++b)
        system(op_output, b) = {4 + 4 * outputs, 0, static_cast<std::uint8_t>(outputs), 0};
    }
  }

  /// By A and B as they stand, A below.
  [[nodiscard]] const row& operator[](std::uint32_t ab) const noexcept {
    const std::uint32_t a = ab & 0xff, b = ab >> 8;
    const std::uint32_t of_system = 256 + 8 * a + (b < 7 ? b : 7);
    return rows_[a < first_regular_op ? of_system : b];
  }
  /// Of any instruction that the table has.
  [[nodiscard]] std::uint32_t most_arguments() const noexcept { return most_; }

 private:
  // Variants from 7 upwards share a row, which stays unusual.
  [[nodiscard]] row& system(std::uint32_t a, std::uint32_t b) noexcept {
    return rows_[256 + 8 * a + b];
  }
  row rows_[256 + 8 * first_regular_op];
  std::uint32_t most_ = 1;
};

/// How far a list was decoded.
struct decoded {
  const std::byte* at;
  std::uint32_t index, first;  ///< of the next instruction and its first argument
};

/// Decodes instructions up to index `stop`, or less: up to one that the table doesn't have. `end`
/// is that of the readable bytes, `start` the first instruction.
inline void decode_run(const length_table& table, const std::byte* start, const std::byte* end,
                       std::uint32_t stop, step* to, decoded& now) noexcept {
  if (static_cast<std::size_t>(end - now.at) < length_table::slack) return;
  end -= length_table::slack;
  decoded next = now;
  for (; next.index != stop; ++next.index) {
    const std::uint32_t ab = load_le<std::uint16_t>(next.at);
    const length_table::row& row = table[ab];
    const std::uint32_t count = load_le<std::uint16_t>(next.at + 2) & row.mask;
    const std::uint32_t length = row.fixed + 2 * count;
    if (length >= length_table::unusual || length > static_cast<std::size_t>(end - next.at)) break;
    step& s = *to++;
    s.offset = static_cast<std::uint32_t>(next.at - start);
    s.a = static_cast<std::uint8_t>(ab);
    s.b = static_cast<std::uint8_t>(ab >> 8);
    s.arguments = row.arguments;
    s.first = next.first;
    s.operation = s.reserved = 0;
    next.first += row.arguments;
    next.at += length;
  }
  now = next;
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
    detail::decode_run(table, start, start + size, list.size(), to + now.index, now);
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
