// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How long instructions are, and a walk over many of them.
//
// An instruction's length depends on its operation, its signature and often on a word inside it, so
// instructions can only be found one after another, and this chain of loads takes most of the time.
// Therefore a table has the parts of the length for each kind of instruction, loops have no
// data-dependent branch, and several chains run at once.
//
//   length = fixed + 2 × (count & mask)          count: the word after A and B
//
// Kinds with another length have an impossible one in the table. They, negative counts and the last
// instructions are left to parse_instruction: by their lengths they end after all that is readable.
//
// Where the other chains of a walk begin is guessed: from any word on, what is decoded falls into step
// with the instructions soon, as most words of D can't begin one. A chain counts when the one before
// it has come to its beginning; else its part is walked over again.

#ifndef TESSERA_NAC_DETAIL_LENGTHS_HPP
#define TESSERA_NAC_DETAIL_LENGTHS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/bytes.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Where a walk is: the bytes from the first instruction on, plus 2^32 for each argument of them, so
/// that one addition goes on to the next instruction.
using position = std::uint64_t;
[[nodiscard]] constexpr position position_of(std::uint64_t offset,
                                             std::uint32_t arguments) noexcept {
  return offset | position{arguments} << 32;
}
[[nodiscard]] constexpr std::uint32_t offset_of(position at) noexcept {
  return static_cast<std::uint32_t>(at);
}
[[nodiscard]] constexpr std::uint32_t arguments_before(position at) noexcept {
  return static_cast<std::uint32_t>(at >> 32);
}

/// What the length of each kind of instruction is made of.
class length_table {
 public:
  struct row {
    position fixed = unusual;     ///< of an instruction without constants
    std::uint32_t mask = 0;       ///< count_mask where the word after A and B counts constants
    std::uint32_t arguments = 0;  ///< times 2^16
  };
  /// Of a count with its sign: a negative one makes the length impossible.
  static constexpr std::uint32_t count_mask = 0x3fff'ffff;
  /// What can be looked at at once. Impossible lengths, and those by a negative count, are more.
  static constexpr std::uint32_t max_bytes = 0x7ffe'0000, unusual = 0x8000'0000;
  /// Bytes that must be readable after an instruction.
  static constexpr std::uint32_t slack = 32;

  explicit length_table(const model& f) noexcept {
    for (std::size_t a = 0; a < 256; ++a)
      by_operation_[a] = a < first_regular_op ? rows_[0] : rows_[3];
    by_operation_[op_input] = rows_[1];
    by_operation_[op_output] = rows_[2];
    by_operation_[op_control_flow] = by_operation_[op_convergence] = rows_[4];
    for (std::uint32_t b = 0; b < 256; ++b) {
      const auto id = static_cast<std::uint8_t>(b);
      set(rows_[0][b], 2, 0);
      if (b != 0 && !f.has_signature(id)) continue;
      set(rows_[3][b], (f.has_constants(id) ? 4u : 2u) + 2u * f.arguments(id), f.arguments(id));
      rows_[3][b].mask = f.has_constants(id) ? count_mask : 0;
    }
    set(rows_[1][0], 2, 0);
    for (std::uint32_t b = 1; b < (f.version() == 1 ? 4u : 6u); ++b) set(rows_[1][b], 6, 1);
    for (std::uint32_t b = 0; b < 3; ++b) set(rows_[2][b], 4u + 4u * f.outputs(), f.outputs());
    if (f.version() != 1) set(rows_[2][static_cast<std::size_t>(output::step)], 10, 3);
  }
  length_table(const length_table&) = delete;
  length_table& operator=(const length_table&) = delete;

  /// The row of the instruction at `at`.
  [[nodiscard]] const row& operator[](const std::byte* at) const noexcept {
    return by_operation_[load_le<std::uint8_t>(at)][load_le<std::uint8_t>(at + 1)];
  }

 private:
  static void set(row& r, std::uint32_t bytes, std::uint32_t arguments) noexcept {
    r = {position_of(bytes, arguments), 0, arguments << 16};
  }
  const row* by_operation_[256];
  row rows_[5][256];  // of operations with nothing, INPUT, OUTPUT, from 10 on, and unusual ones
};

/// How many constants the instruction at `at` gives.
[[nodiscard, gnu::always_inline]] inline std::uint32_t constants_of(const length_table::row& row,
                                                                    const std::byte* at) noexcept {
  const std::int32_t count = load_le<std::int16_t>(at + 2);
  return static_cast<std::uint32_t>(count) & row.mask;
}
/// The position after the instruction at `at`; its offset is not below readable_end where the
/// instruction is unusual or has no slack after it.
[[nodiscard, gnu::always_inline]] inline position next_position(const length_table::row& row,
                                                                const std::byte* at,
                                                                position now) noexcept {
  return now + (row.fixed + 2 * position{constants_of(row, at)});
}
[[nodiscard, gnu::always_inline]] inline position next_position(const length_table& table,
                                                                const std::byte* start,
                                                                position now) noexcept {
  const std::byte* const at = start + offset_of(now);
  return next_position(table[at], at, now);
}
/// The offsets of instructions that can be looked at by a table are below this.
[[nodiscard]] inline std::uint32_t readable_end(const detail::cursor& first) noexcept {
  const std::uint64_t left = first.left();
  const std::uint32_t bytes =
      left < length_table::max_bytes ? static_cast<std::uint32_t>(left) : length_table::max_bytes;
  return bytes < length_table::slack ? 0 : bytes - length_table::slack + 1;
}

namespace detail {

/// Instructions from which on making a length_table takes less time than it saves.
inline constexpr std::uint32_t worth_a_table = 160;

/// How far a list was gone through: `index` is the number of instructions before `at`.
struct walked {
  position at;
  std::uint32_t index;
};

/// Goes through the instructions of a list by their lengths.
class walker {
 public:
  /// `count` instructions of `f` from `first` on. Notes where some of them are.
  walker(const model& f, const cursor& first, std::uint32_t count, waypoints& noted) noexcept
      : table_(f), start_(first.data()), end_(readable_end(first)), count_(count), noted_(noted) {}

  /// Goes on to the end of the list, or to an instruction that the table doesn't have.
  void run(walked& now) noexcept {
    // After such an instruction one chain: others would be in vain where they are often.
    if (now.index != 0) {
      const std::uint32_t last = count_ - now.index < few ? count_ : now.index + few;
      run_alone(end_, last, now);
      if (now.index != last) return;
    }
    for (std::uint32_t part; now.index != count_ && (part = part_of(offset_of(now.at))) != 0;)
      if (!run_together(part, now)) return;
    run_alone(end_, count_, now);
  }

 private:
  static constexpr std::uint32_t few = 64;
  static constexpr std::size_t chains = 8;
  // How many instructions a chain is decoded from a guess on, and the length that they may have.
  static constexpr std::uint32_t guesses = 8, guess_length = 64;
  // Bytes of each chain. Multiples of 4096 would all be in the same few lines of a cache.
  static constexpr std::uint32_t least_part = 600, max_part = 16'000;
  // So guesses are in the order of their parts, and in the last one, which is shorter.
  static_assert((guesses + 1) * guess_length + 2 * chains < least_part);

  /// Bytes for each chain, an even number as of each instruction; 0: there is too little left. The
  /// last one's are less at the end of the list.
  [[nodiscard]] std::uint32_t part_of(std::uint32_t offset) const noexcept {
    const std::uint32_t left = offset < end_ ? end_ - offset : 0;
    if (left < chains * least_part) return 0;
    const std::uint32_t most = chains * max_part, parts = chains * ((left - 1) / most + 1);
    return (left + 2 * parts - 1) / (2 * parts) * 2;
  }

  /// The offset from which on the next place is noted; `end_` when all are.
  [[nodiscard]] std::uint32_t next_noted() const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{end_} * (noted_.count + 1) /
                                      (waypoints::max_count + 1));
  }
  void note(const walked& now) noexcept {
    if (now.index == count_) return;  // none begins there
    while (noted_.count < waypoints::max_count && offset_of(now.at) >= next_noted())
      noted_.all[noted_.count++] = {offset_of(now.at), now.index, arguments_before(now.at)};
  }

  /// Goes on to `stop` or beyond, at most to index `last`.
  void run_alone(std::uint32_t stop, std::uint32_t last, walked& now) noexcept {
    for (;;) {
      note(now);
      const std::uint32_t next = next_noted() < stop ? next_noted() : stop;
      while (now.index != last && offset_of(now.at) < next) {
        const position at = next_position(table_, start_, now.at);
        if (offset_of(at) >= end_) return;
        now = {at, now.index + 1};
      }
      if (now.index == last || offset_of(now.at) >= stop) return;
    }
  }

  /// Sets where instructions probably begin, each at the end of one of the parts or after it.
  void guess(std::uint32_t part, std::uint32_t (&starts)[chains + 1]) const noexcept {
    for (std::uint32_t k = 1; k <= chains; ++k) starts[k] = starts[0] + k * part;
    if (starts[chains] > end_ - guess_length) starts[chains] = end_ - guess_length;
    for (std::uint32_t n = 0; n < guesses; ++n)
      for (std::size_t k = 1; k < chains; ++k) {
        const std::uint32_t next = offset_of(next_position(table_, start_, starts[k]));
        starts[k] = next <= starts[k] + guess_length ? next : starts[k] + 2;
      }
  }

  /// Goes on with all chains until one has come to the beginning of the next. Returns by how many
  /// instructions.
  template <std::size_t... K>
  [[nodiscard]] std::uint32_t run_chains(position (&at)[chains],
                                         const std::uint32_t (&starts)[chains + 1],
                                         std::index_sequence<K...>) const noexcept {
    position now[chains] = {at[K]...};
    std::uint32_t count = 0;
    do {
      ((now[K] = next_position(table_, start_, now[K])), ...);
      ++count;
    } while (((offset_of(now[K]) < starts[K + 1]) && ...));
    ((at[K] = now[K]), ...);
    return count;
  }

  /// Goes on by a part for each chain, or as far as chains meet. False: to an instruction that the
  /// table doesn't have, or to the end of the list.
  [[nodiscard]] bool run_together(std::uint32_t part, walked& now) noexcept {
    std::uint32_t starts[chains + 1] = {offset_of(now.at)};
    guess(part, starts);
    position at[chains];
    for (std::size_t k = 0; k < chains; ++k) at[k] = starts[k];
    const std::uint32_t count = run_chains(at, starts, std::make_index_sequence<chains>());
    for (std::size_t k = 0; k < chains; ++k) {
      // Else again, one at a time: it may have come to an impossible length, or to more instructions
      // than the list has.
      if (offset_of(at[k]) < starts[k + 1] + guess_length && count <= count_ - now.index)
        now = {now.at + (at[k] - starts[k]), now.index + count};
      run_alone(starts[k + 1], count_, now);
      if (offset_of(now.at) < starts[k + 1]) return false;
      note(now);
      if (offset_of(now.at) != starts[k + 1]) return true;
    }
    return true;
  }

  const length_table table_;
  const std::byte* start_;
  std::uint32_t end_, count_;
  waypoints& noted_;
};

/// Takes `count` instructions from `in`, which are as parse_instruction wants them, or the first one
/// that isn't. Notes places in lists that are worth it.
[[nodiscard]] inline error skip_instructions(const model& f, cursor& in, std::uint32_t count,
                                             waypoints& noted) noexcept {
  instruction i;
  std::uint32_t index = 0;
  if (count >= worth_a_table) {
    const cursor first = in;
    walker walk(f, first, count, noted);
    for (walked now{0, 0};;) {
      walk.run(now);
      in = first;
      (void)in.take_bytes(offset_of(now.at));
      index = now.index;
      if (index == count || offset_of(now.at) >= readable_end(first)) break;
      if (const error e = parse_instruction(f, in, i); e.code != errc::ok) return e;
      const std::uint64_t offset = in.offset() - first.offset();
      if (++index == count || offset >= readable_end(first)) break;
      now = {position_of(offset, arguments_before(now.at) + argument_count(i)), index};
    }
  }
  for (; index != count; ++index)
    if (const error e = parse_instruction(f, in, i); e.code != errc::ok) return e;
  return {};
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_LENGTHS_HPP
