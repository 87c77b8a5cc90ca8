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
// instructions are left to parse_instruction.
//
// Where the other chains of a walk begin is guessed: from any word on, what is decoded falls into step
// with the instructions soon, as most words of D can't begin one. A chain counts when the one before
// it has come to its beginning; else its part is walked over again.

#ifndef TESSERA_NAC_DETAIL_LENGTHS_HPP
#define TESSERA_NAC_DETAIL_LENGTHS_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/bytes.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// What the length of each kind of instruction is made of.
class length_table {
 public:
  struct row {
    std::uint32_t fixed = unusual;  ///< bytes of an instruction without constants
    std::uint16_t mask = 0;         ///< 0xffff where the word after A and B counts constants
    std::uint8_t arguments = 0;     ///< they are the last words
    std::uint8_t id = 0;            ///< 1: the argument is the id of anything but a constant
  };
  /// What can be looked at at once. Impossible lengths, and those by a negative count, are more.
  static constexpr std::uint32_t max_bytes = 0x7fff'ffff, unusual = 0xffff'ffff;
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
    rows_[i].fixed = without_d + 2 * arguments;
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
  std::uint32_t constants;  // how many the instruction gives
  const std::byte* next;    // the next instruction
};

/// The bytes of a list that are looked at by a table.
[[nodiscard]] inline std::size_t readable(const detail::cursor& first) noexcept {
  const std::uint64_t left = first.left();
  return left < length_table::max_bytes ? static_cast<std::uint32_t>(left)
                                        : length_table::max_bytes;
}

/// Looks at an instruction that has `slack` bytes before `end`, and at most `max_bytes`. False: it is
/// unusual, or has no slack after it.
[[nodiscard, gnu::always_inline]] inline bool look_up(const length_table& table,
                                                      const std::byte* at, const std::byte* end,
                                                      looked_up& found) noexcept {
  found.ab = load_le<std::uint16_t>(at);
  const length_table::row& row = table[found.ab];
  found.arguments = row.arguments;
  found.id = row.id;
  const auto count = static_cast<std::int16_t>(load_le<std::uint16_t>(at + 2) & row.mask);
  found.constants = static_cast<std::uint32_t>(std::int32_t{count});
  const std::uint64_t length = std::uint64_t{row.fixed} + 2 * found.constants;
  if (length > static_cast<std::size_t>(end - length_table::slack - at)) return false;
  found.next = at + static_cast<std::size_t>(length);
  return true;
}
/// Whether an instruction can be looked at.
[[nodiscard]] inline bool has_slack(const std::byte* at, const std::byte* end) noexcept {
  return end - at >= static_cast<std::ptrdiff_t>(length_table::slack);
}

namespace detail {

/// Instructions from which on making a length_table takes less time than it saves.
inline constexpr std::uint32_t worth_a_table = 160;

/// How far a list was gone through: `index` and `arguments` are how many are before `at`.
struct walked {
  const std::byte* at;
  std::uint32_t index, arguments;
};

/// Goes through the instructions of a list by their lengths.
class walker {
 public:
  /// `count` instructions of `f` from `first` on. Notes where some of them are.
  walker(const model& f, const cursor& first, std::uint32_t count, waypoints& noted) noexcept
      : table_(f),
        start_(first.data()),
        end_(start_ + readable(first)),
        count_(count),
        noted_(noted) {}

  /// Goes on to the end of the list, or to an instruction that the table doesn't have.
  void run(walked& now) noexcept {
    // One chain at first: others would be in vain where such instructions are often.
    if (!run_to(count_ - now.index < few ? count_ : now.index + few, now)) return;
    for (std::size_t left; now.index != count_ && (left = part_of(end_ - now.at)) != 0;)
      if (!run_four(left, now)) return;
    (void)run_to(count_, now);
  }

 private:
  static constexpr std::uint32_t few = 64;
  static constexpr std::size_t least_part = 1024, max_part = 4096;  // bytes of each of four chains
  // How many instructions a chain is decoded from a guess on, and the length that they may have.
  static constexpr std::size_t guesses = 8, guess_length = 64;
  static_assert(guesses * guess_length < least_part);

  /// Bytes for each of four chains; 0: there is too little left for them.
  [[nodiscard]] static std::size_t part_of(std::ptrdiff_t left) noexcept {
    if (left < static_cast<std::ptrdiff_t>(5 * least_part)) return 0;
    // Guesses end less than the least part after what they begin at.
    const std::size_t part = (static_cast<std::size_t>(left) - least_part) / 4;
    return part < max_part ? part : max_part;
  }

  /// The index from which on the next place is noted; `count_` when all are.
  [[nodiscard]] std::uint32_t next_noted() const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{count_} * (noted_.count + 1) /
                                      (waypoints::max_count + 1));
  }
  void note(const walked& now) noexcept {
    if (now.index == count_) return;  // none begins there
    while (noted_.count < waypoints::max_count && now.index >= next_noted())
      noted_.all[noted_.count++] = {static_cast<std::uint64_t>(now.at - start_), now.index,
                                    now.arguments};
  }

  /// Goes on to `stop` or beyond, at most to index `last`.
  void run_alone(const std::byte* stop, std::uint32_t last, walked& now) const noexcept {
    if (!has_slack(now.at, end_)) return;
    walked next = now;
    looked_up found;
    for (; next.index != last && next.at < stop && look_up(table_, next.at, end_, found);
         ++next.index) {
      next.arguments += found.arguments;
      next.at = found.next;
    }
    now = next;
  }
  /// Goes on to index `last`, and notes places on the way. False: it didn't come so far.
  [[nodiscard]] bool run_to(std::uint32_t last, walked& now) noexcept {
    while (now.index != last) {
      note(now);
      const std::uint32_t next = next_noted() < last ? next_noted() : last;
      run_alone(end_, next, now);
      if (now.index != next) return false;
    }
    return true;
  }

  /// Where an instruction probably begins, at `at` or after it.
  [[nodiscard]] const std::byte* guess(const std::byte* at) const noexcept {
    looked_up found;
    for (std::size_t k = 0; k < guesses; ++k)
      at =
          look_up(table_, at, end_, found) && found.next <= at + guess_length ? found.next : at + 2;
    return at;
  }

  /// Goes on by four parts, or as far as chains meet. False: to an instruction that the table doesn't
  /// have, or to the end of the list.
  [[nodiscard]] bool run_four(std::size_t part, walked& now) noexcept {
    const std::byte* const starts[5] = {now.at, guess(now.at + part), guess(now.at + 2 * part),
                                        guess(now.at + 3 * part), now.at + 4 * part};
    walked a{starts[0], 0, 0}, b{starts[1], 0, 0}, c{starts[2], 0, 0}, d{starts[3], 0, 0};
    looked_up at_a, at_b, at_c, at_d;
    std::uint32_t together = 0;
    for (; a.at < starts[1] && b.at < starts[2] && c.at < starts[3] && d.at < starts[4] &&
           look_up(table_, a.at, end_, at_a) && look_up(table_, b.at, end_, at_b) &&
           look_up(table_, c.at, end_, at_c) && look_up(table_, d.at, end_, at_d);
         ++together) {
      a.at = at_a.next, a.arguments += at_a.arguments;
      b.at = at_b.next, b.arguments += at_b.arguments;
      c.at = at_c.next, c.arguments += at_c.arguments;
      d.at = at_d.next, d.arguments += at_d.arguments;
    }
    const walked* const chains[4] = {&a, &b, &c, &d};
    for (std::size_t k = 0; k < 4; ++k) {
      if (together <= count_ - now.index)  // else the list ends before: again, and not so far
        now = {chains[k]->at, now.index + together, now.arguments + chains[k]->arguments};
      run_alone(starts[k + 1], count_, now);
      if (now.at < starts[k + 1]) return false;
      note(now);
      if (now.at != starts[k + 1]) return true;
    }
    return true;
  }

  const length_table table_;
  const std::byte* start_;
  const std::byte* end_;
  std::uint32_t count_;
  waypoints& noted_;
};

/// Takes `count` instructions from `in`, which are as parse_instruction wants them, or the first one
/// that isn't. Notes places in lists that are worth it.
[[nodiscard]] inline error skip_instructions(const model& f, cursor& in, std::uint32_t count,
                                             waypoints& noted) noexcept {
  instruction i;
  if (count < worth_a_table) {
    for (; count != 0; --count)
      if (const error e = parse_instruction(f, in, i); e.code != errc::ok) return e;
    return {};
  }
  walker walk(f, in, count, noted);
  for (walked now{in.data(), 0, 0};;
       now = {in.data(), now.index + 1, now.arguments + argument_count(i)}) {
    walk.run(now);
    (void)in.take_bytes(static_cast<std::uint64_t>(now.at - in.data()));
    if (now.index == count) return {};
    if (const error e = parse_instruction(f, in, i); e.code != errc::ok) return e;
  }
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_LENGTHS_HPP
