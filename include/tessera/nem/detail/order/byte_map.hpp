// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bytes of all buffers, in segments that were accessed alike.
//
//   m.visit(buffer, first, last, [&](segment& s) { … return true; });
//   m.look(buffer, first, last, [&](const segment& s) { … return true; });
//   m.each([&](segment& s) { … });
//
// Visiting a range cuts segments at its ends and makes those that are missing. Neighbours for which
// the call returns true become one: writing all of a buffer leaves one segment, whatever was
// written to its parts before.
//
// The segments are in order, in chunks that are split when they are full and found by bisection.
// Programs go through their buffers in order, or through the same ranges again: the chunks that
// were found last are tried first.
//
// Lifetime:   segments move when others are made.
// Errors:     none.
// Limits:     fewer than 2^26 chunks.
// Allocation: 32 bytes for each segment, and as much again for chunks that aren't full; each access
//             makes at most two, and one for each gap.

#ifndef TESSERA_NEM_DETAIL_ORDER_BYTE_MAP_HPP
#define TESSERA_NEM_DETAIL_ORDER_BYTE_MAP_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Bytes of a buffer, from `first` to before `last`, and what an owner of the map knows of them.
struct segment {
  std::int64_t first = 0, last = 0;
  std::uint32_t buffer = 0;
  std::uint32_t writes = 0, reads = 0, version = 0;
};

class byte_map {
 public:
  /// Calls `each(segment&)` for segments that make up [first, last), in order. Returns how many
  /// steps that took.
  template <class Each>
  [[gnu::cold]] std::uint64_t visit(std::uint32_t buffer, std::int64_t first, std::int64_t last,
                                    Each each) {
    steps_ = 1;
    position p = find(buffer, first);
    if (is_in(p, buffer) && at(p).first < first) {
      cut(p, first);
      step(p);
    }
    bool was_alike = false;
    for (std::int64_t from = first; from < last; ++steps_) {
      if (!is_in(p, buffer) || at(p).first > from) {
        segment gap;
        gap.buffer = buffer;
        gap.first = from;
        gap.last = is_in(p, buffer) && at(p).first < last ? at(p).first : last;
        insert(p, gap);
      } else if (at(p).last > last) {
        cut(p, last);
      }
      segment& s = at(p);
      from = s.last;
      const bool is_alike = each(s);
      if (is_alike && was_alike) {
        position before = p;
        if (before.index-- == 0) before.index = directory_[--before.chunk].count - 1;
        at(before).last = from;
        erase(p);
      } else {
        step(p);
      }
      was_alike = is_alike;
    }
    return steps_;
  }
  /// Calls `each(const segment&)` for those that have bytes in [first, last), in order, until it
  /// returns false; changes nothing. Returns how many steps that took.
  template <class Each>
  std::uint64_t look(std::uint32_t buffer, std::int64_t first, std::int64_t last, Each each) {
    std::uint64_t steps = 1;
    for (position p = find(buffer, first); is_in(p, buffer) && at(p).first < last; step(p), ++steps)
      if (!each(static_cast<const segment&>(at(p)))) break;
    return steps;
  }
  /// Calls `each(segment&)` for all of them; it doesn't change their bytes.
  template <class Each>
  void each(Each f) {
    for (std::size_t c = 0; c < directory_.size(); ++c)
      for (std::uint32_t i = 0; i < directory_[c].count; ++i) f(chunk(c)[i]);
  }
  /// How many there are.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  static constexpr std::uint32_t capacity = 64;
  static constexpr std::size_t hints = 16;
  /// A chunk: no segment of it is below (buffer, first), all of earlier chunks are.
  struct entry {
    std::int64_t first;
    std::uint32_t buffer, index, count;
  };
  struct position {
    std::size_t chunk;  ///< in `directory_`
    std::uint32_t index;
  };

  [[nodiscard]] segment* chunk(std::size_t c) noexcept {
    return segments_.data() + std::size_t{directory_[c].index} * capacity;
  }
  [[nodiscard]] segment& at(position p) noexcept { return chunk(p.chunk)[p.index]; }
  [[nodiscard]] bool is_in(position p, std::uint32_t buffer) noexcept {
    return p.chunk < directory_.size() && at(p).buffer == buffer;
  }
  void step(position& p) noexcept {
    if (++p.index == directory_[p.chunk].count) p = {p.chunk + 1, 0};
  }
  /// Whether a chunk begins after (buffer, first).
  [[nodiscard]] bool is_past(std::size_t c, std::uint32_t buffer,
                             std::int64_t first) const noexcept {
    const entry& e = directory_[c];
    return e.buffer > buffer || (e.buffer == buffer && e.first > first);
  }
  /// The first segment that ends after (buffer, first).
  [[nodiscard]] position find(std::uint32_t buffer, std::int64_t first) noexcept {
    if (directory_.empty()) return {0, 0};
    std::size_t& hint = hints_[buffer % hints];
    std::size_t c = hint;
    if (c >= directory_.size() || (c != 0 && is_past(c, buffer, first)) ||
        (c + 1 < directory_.size() && !is_past(c + 1, buffer, first))) {
      c = 0;
      for (std::size_t left = directory_.size() - 1; left != 0;) {  // c: not after it, or 0
        const std::size_t half = (left + 1) / 2;
        if (is_past(c + half, buffer, first)) {
          left = half - 1;
        } else {
          c += half;
          left -= half;
        }
      }
      hint = c;
    }
    const std::size_t i = first_not_below(chunk(c), directory_[c].count, [&](const segment& s) {
      return s.buffer < buffer || (s.buffer == buffer && s.last <= first);
    });
    if (i == directory_[c].count) return {c + 1, 0};
    return {c, static_cast<std::uint32_t>(i)};
  }
  /// Cuts a segment in two; `p` is the first one then.
  void cut(position& p, std::int64_t end) {
    segment s = at(p);
    at(p).first = end;
    s.last = end;
    insert(p, s);
  }
  /// Puts a segment before `p`, which is its position then.
  [[gnu::cold]] void insert(position& p, const segment& s) {
    ++count_;
    if (directory_.empty()) {
      add_chunk(0, s);
      directory_[0].count = 0;
      p = {0, 0};
    }
    if (p.index == 0 && p.chunk != 0 &&
        (p.chunk == directory_.size() || is_past(p.chunk, s.buffer, s.first)))
      p = {p.chunk - 1, directory_[p.chunk - 1].count};
    if (directory_[p.chunk].count == capacity) {
      // What is appended gets a chunk of its own, for more may follow it.
      const std::uint32_t kept = p.index == capacity ? capacity : capacity / 2;
      add_chunk(p.chunk + 1, p.index == capacity ? s : chunk(p.chunk)[kept]);
      if (kept != capacity)
        std::memcpy(chunk(p.chunk + 1), chunk(p.chunk) + kept, sizeof(segment) * (capacity - kept));
      directory_[p.chunk].count = kept;
      directory_[p.chunk + 1].count = capacity - kept;
      if (p.index >= kept && (p.index > kept || kept == capacity))
        p = {p.chunk + 1, p.index - kept};
    }
    entry& e = directory_[p.chunk];
    segment* const to = chunk(p.chunk) + p.index;
    std::memmove(to + 1, to, sizeof(segment) * (e.count - p.index));
    *to = s;
    ++e.count;
    if (p.index == 0) e.first = s.first, e.buffer = s.buffer;
  }
  /// `p` is the one after it then.
  void erase(position& p) noexcept {
    --count_;
    entry& e = directory_[p.chunk];
    segment* const to = chunk(p.chunk) + p.index;
    --e.count;
    std::memmove(to, to + 1, sizeof(segment) * (e.count - p.index));
    if (e.count == 0) {
      unused_.push_back(e.index);
      move_directory(p.chunk + 1, p.chunk);
      directory_.pop_back();
    } else if (p.index == e.count) {
      p = {p.chunk + 1, 0};
    } else if (p.index == 0) {
      e.first = to->first;  // a segment of the chunk before may reach up to here
      e.buffer = to->buffer;
    }
  }
  [[gnu::cold]] void add_chunk(std::size_t where, const segment& first) {
    entry e{first.first, first.buffer, 0, 0};
    if (unused_.empty()) {
      e.index = static_cast<std::uint32_t>(segments_.size() / capacity);
      segments_.resize(segments_.size() + capacity);
    } else {
      e.index = unused_.back();
      unused_.pop_back();
    }
    directory_.push_back(e);
    const std::size_t following = directory_.size() - 1 - where;
    std::memmove(directory_.data() + where + 1, directory_.data() + where,
                 sizeof(entry) * following);
    directory_[where] = e;
    steps_ += 1 + following / 64;
  }
  void move_directory(std::size_t from, std::size_t to) noexcept {
    std::memmove(directory_.data() + to, directory_.data() + from,
                 sizeof(entry) * (directory_.size() - from));
    steps_ += 1 + (directory_.size() - from) / 64;
  }

  pool<segment> segments_;
  pool<entry> directory_;
  pool<std::uint32_t> unused_;
  std::size_t hints_[hints] = {};
  std::size_t count_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_ORDER_BYTE_MAP_HPP
