// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Finds where each instruction is.
//
// `read` notes an instruction in each eighth, so that several chains run at once (lengths.hpp).

#ifndef TESSERA_NAC_DETAIL_DECODE_HPP
#define TESSERA_NAC_DETAIL_DECODE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../verify.hpp"
#include "lengths.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

[[gnu::always_inline]] inline void write_step(step* to, position at, std::uint32_t ab,
                                              const length_table::row& row) noexcept {
  if constexpr (std::endian::native == std::endian::little) {  // in two stores or one
    const std::uint64_t halves[2] = {offset_of(at) | std::uint64_t{ab | row.arguments} << 32,
                                     arguments_before(at)};
    std::memcpy(static_cast<void*>(to), halves, sizeof halves);
  } else {  // unreachable: on little-endian hosts
    *to = {offset_of(at),
           static_cast<std::uint8_t>(ab),
           static_cast<std::uint8_t>(ab >> 8),
           static_cast<std::uint16_t>(row.arguments >> 16),
           arguments_before(at),
           0,
           0};
  }
}

namespace detail {

/// Writes the step of the instruction at a position; `start` is the first instruction. Returns the
/// position after it, which is not below readable_end when the table doesn't have the instruction.
[[nodiscard, gnu::always_inline]] inline position decode_next(const length_table& table,
                                                              const std::byte* start, position now,
                                                              step* to) noexcept {
  const std::byte* const at = start + offset_of(now);
  const length_table::row& row = table[at];
  write_step(to, now, load_le<std::uint16_t>(at), row);
  return next_position(row, at, now);
}

/// Decodes from several places on at once, so that each chain waits while others don't: `count`
/// instructions of each, or less. Then the last step of a chain is of an instruction that the table
/// doesn't have, and its position is not below `end`. Returns how many steps of each were written.
template <std::size_t... K>
[[nodiscard]] std::uint32_t decode_together(const length_table& table, const std::byte* start,
                                            std::uint32_t end, step* const (&to)[sizeof...(K)],
                                            std::uint32_t count, position (&at)[sizeof...(K)],
                                            std::index_sequence<K...>) noexcept {
  position now[] = {at[K]...};
  std::uint32_t n = 0;
  do {
    ((now[K] = decode_next(table, start, now[K], to[K] + n)), ...);
    ++n;
  } while (n != count && ((offset_of(now[K]) < end) && ...));
  ((at[K] = now[K]), ...);
  return n;
}

/// A part of a list: from a place that `read` noted up to the next one.
struct decode_part {
  walked now = {0, 0};
  std::uint32_t stop = 0;
  bool again = true;  ///< another chain has decoded it: the same steps are written again

  [[nodiscard]] std::uint32_t left() const noexcept { return stop - now.index; }
};

/// All parts of a list, which chains take one after another.
class decode_parts {
 public:
  decode_parts(const instructions& list, std::uint32_t end) noexcept {
    const waypoints& noted = list.waypoints();
    walked from{0, 0};
    for (std::uint32_t k = 0; k < noted.count && noted.all[k].offset < end; ++k) {
      const waypoint& to = noted.all[k];
      add({from, to.index, false});
      from = {position_of(to.offset, to.arguments), to.index};
    }
    add({from, list.size(), false});
  }
  /// The next part; of none, the longest one again.
  [[nodiscard]] decode_part take() noexcept { return taken_ != count_ ? all_[taken_++] : longest_; }

 private:
  void add(const decode_part& p) noexcept {
    if (p.left() == 0) return;
    all_[count_++] = p;
    if (p.left() <= longest_.left()) return;
    longest_ = p;
    longest_.again = true;
  }
  decode_part all_[waypoints::max_count + 1], longest_;
  std::size_t count_ = 0, taken_ = 0;
};

/// Decodes a list.
class list_decoder {
 public:
  /// `to` has room for all steps.
  list_decoder(const model& f, const instructions& list, step* to) noexcept
      : model_(f),
        list_(list),
        start_(list.cursor().data()),
        end_(readable_end(list.cursor())),
        to_(to),
        table_(f) {}

  [[nodiscard]] error run() noexcept {
    decode_parts parts(list_, end_);
    decode_part now[chains];
    for (std::size_t k = 0; k < chains; ++k) now[k] = parts.take();
    const auto left = [&now] {
      std::size_t count = 0;
      for (const decode_part& p : now) count += p.again ? 0u : 1u;
      return count;
    };
    while (left() > 1) {
      if (const error e = together(now); e.code != errc::ok) return e;
      for (decode_part& p : now)
        if (p.left() == 0) p = parts.take();
    }
    for (decode_part& p : now)
      while (!p.again && p.left() != 0)
        if (const error e = alone(p); e.code != errc::ok) return e;
    return {};
  }

 private:
#ifdef __clang__
  static constexpr std::size_t chains = 4;  // of eight, it keeps most in memory
#else
  static constexpr std::size_t chains = 8;
#endif

  /// Decodes one instruction of any kind.
  [[nodiscard]] error any(walked& now) const noexcept {
    cursor at = list_.cursor();
    (void)at.take_bytes(offset_of(now.at));
    instruction i;
    if (const error e = parse_instruction(model_, at, i); e.code != errc::ok) return e;
    const std::uint32_t first = arguments_before(now.at), count = argument_count(i);
    to_[now.index++] = {
        offset_of(now.at), i.a, i.b, static_cast<std::uint16_t>(count), first, 0, 0};
    const std::uint64_t next = at.offset() - list_.offset();
    if (next > 0xffff'ffff && now.index != list_.size())
      return {errc::input_too_large, at.offset()};  // unreachable: below 4 GiB of instructions
    now.at = position_of(next & 0xffff'ffff, first + count);
    return {};
  }

  /// Goes on with all chains until one is at its end or past an instruction that isn't in the table.
  [[nodiscard]] error together(decode_part (&now)[chains]) const noexcept {
    position at[chains];
    step* to[chains];
    std::uint32_t count = list_.size();
    for (std::size_t k = 0; k < chains; ++k) {
      at[k] = now[k].now.at;
      to[k] = to_ + now[k].now.index;
      count = now[k].left() < count ? now[k].left() : count;
    }
    count =
        decode_together(table_, start_, end_, to, count, at, std::make_index_sequence<chains>());
    for (std::size_t k = 0; k < chains; ++k) {
      walked& p = now[k].now;
      p = {at[k], p.index + count};
      if (offset_of(p.at) < end_) continue;
      const step& last = to_[--p.index];
      p.at = position_of(last.offset, last.first);
      do {
        if (const error e = any(p); e.code != errc::ok) return e;
      } while (now[k].left() != 0 && offset_of(p.at) >= end_);
    }
    return {};
  }

  /// Goes on with one part to its end, or past an instruction that isn't in the table.
  [[nodiscard]] error alone(decode_part& p) const noexcept {
    while (p.left() != 0 && offset_of(p.now.at) < end_) {
      const position next = decode_next(table_, start_, p.now.at, to_ + p.now.index);
      if (offset_of(next) >= end_) break;
      p.now = {next, p.now.index + 1};
    }
    return p.left() == 0 ? error{} : any(p.now);
  }

  const model& model_;
  const instructions& list_;
  const std::byte* start_;
  std::uint32_t end_;
  step* to_;
  const length_table table_;
};

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
  detail::list_decoder decoder(f, list, steps.prepare(list.size()));
  if (const error e = decoder.run(); e.code != errc::ok) return e;
  steps.advance(list.size());
  return steps;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_DECODE_HPP
