// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Finds where each instruction is.
//
// `read` notes an instruction in each quarter, so that four chains run at once (lengths.hpp).

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
#include "lengths.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

[[gnu::always_inline]] inline void write_step(step* to, std::size_t offset, const looked_up& found,
                                              std::uint32_t first) noexcept {
  if constexpr (std::endian::native == std::endian::little) {  // in two stores
    const std::uint64_t halves[2] = {static_cast<std::uint32_t>(offset) |
                                         std::uint64_t{found.ab} << 32 |
                                         std::uint64_t{found.arguments} << 48,
                                     first};
    std::memcpy(static_cast<void*>(to), halves, sizeof halves);
  } else {  // unreachable: on little-endian hosts
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
  if (!has_slack(next.at, end)) return;
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
  if (!has_slack(other.at, end)) return;
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

/// The chains of a list: from its beginning and from the places that `read` noted, each up to the
/// next one.
struct decode_chains {
  decoded at[4];
  std::uint32_t stops[4];
  std::size_t count = 1;

  decode_chains(const instructions& list, const std::byte* start, std::size_t bytes) noexcept
      : at{{start, 0, 0}}, stops{list.size()} {
    const waypoints& noted = list.waypoints();
    for (std::uint32_t k = 0; k < noted.count && noted.all[k].offset <= bytes; ++k, ++count) {
      stops[count - 1] = noted.all[k].index;
      at[count] = {start + noted.all[k].offset, noted.all[k].index, noted.all[k].arguments};
      stops[count] = list.size();
    }
  }
  [[nodiscard]] bool done(std::size_t k) const noexcept { return at[k].index == stops[k]; }
};

/// The same at four places.
inline void decode_four(const length_table& table, const std::byte* start, const std::byte* end,
                        step* to, decode_chains& chains) noexcept {
  std::uint32_t left = ~std::uint32_t{0};
  for (std::size_t k = 0; k < 4; ++k) {
    if (!has_slack(chains.at[k].at, end)) return;
    const std::uint32_t own = chains.stops[k] - chains.at[k].index;
    left = own < left ? own : left;
  }
  decoded a = chains.at[0], b = chains.at[1], c = chains.at[2], d = chains.at[3];
  looked_up at_a, at_b, at_c, at_d;
  const auto take = [&](decoded& at, const looked_up& found) {
    write_step(to + at.index++, static_cast<std::size_t>(at.at - start), found, at.first);
    at.first += found.arguments;
    at.at = found.next;
  };
  for (; left != 0 && look_up(table, a.at, end, at_a) && look_up(table, b.at, end, at_b) &&
         look_up(table, c.at, end, at_c) && look_up(table, d.at, end, at_d);
       --left) {
    take(a, at_a);
    take(b, at_b);
    take(c, at_c);
    take(d, at_d);
  }
  chains.at[0] = a, chains.at[1] = b, chains.at[2] = c, chains.at[3] = d;
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
  const std::byte* const end = start + readable(first);
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
  detail::decode_chains chains(list, start, readable(first));
  error e;
  while (chains.count == 4) {
    detail::decode_four(table, start, end, to, chains);
    if (chains.done(0) || chains.done(1) || chains.done(2) || chains.done(3)) break;
    for (detail::decoded& c : chains.at)
      if (e = any(c); e.code != errc::ok) return e;
  }
  // Then two of those that are left.
  for (std::size_t a = 0, b = 1; b < chains.count; ++b) {
    detail::decoded &at_a = chains.at[a], &at_b = chains.at[b];
    while (!chains.done(a) && !chains.done(b)) {
      detail::decode_two(table, start, end, to, chains.stops[a], at_a, at_b, chains.stops[b]);
      if (chains.done(a) || chains.done(b)) break;
      if (e = any(at_a); e.code != errc::ok) return e;
      if (e = any(at_b); e.code != errc::ok) return e;
    }
    if (chains.done(a)) a = b;
  }
  for (std::size_t k = 0; k < chains.count; ++k)
    if (e = rest(chains.at[k], chains.stops[k]); e.code != errc::ok) return e;
  steps.advance(list.size());
  return steps;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_DECODE_HPP
