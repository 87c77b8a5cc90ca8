// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "nem_bytes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace cli {

void byte_ranges::erase(std::int64_t first, std::int64_t last) {
  if (first >= last) return;
  auto i = ranges_.lower_bound(first);
  if (i != ranges_.begin())
    if (const auto before = std::prev(i); before->second.last > first) {
      if (before->second.last > last)
        ranges_.emplace_hint(i, last, range{before->second.last, before->second.use});
      before->second.last = first;
    }
  while (i != ranges_.end() && i->first < last) {
    if (i->second.last > last) {
      const range rest = i->second;
      ranges_.erase(i);
      ranges_.emplace(last, rest);
      return;
    }
    i = ranges_.erase(i);
  }
}

void byte_ranges::set(std::int64_t first, std::int64_t last, const byte_use& use) {
  if (first >= last) return;
  erase(first, last);
  auto i = ranges_.emplace(first, range{last, use}).first;
  if (const auto next = std::next(i);
      next != ranges_.end() && next->first == last && next->second.use == use) {
    i->second.last = next->second.last;
    ranges_.erase(next);
  }
  if (i == ranges_.begin()) return;
  if (const auto before = std::prev(i); before->second.last == first && before->second.use == use) {
    before->second.last = i->second.last;
    ranges_.erase(i);
  }
}

nem::element byte_ranges::only_element(std::uint64_t size) const {
  auto found = nem::element::none;
  std::uint64_t covered = 0;
  for (const auto& [first, r] : ranges_) {
    if (found != nem::element::none && r.use.element != found) return nem::element::none;
    found = r.use.element;
    if (found == nem::element::none) return found;
    covered += static_cast<std::uint64_t>(r.last - first);
  }
  return covered == size && size * 8 % nem::bitwidth(found) == 0 ? found : nem::element::none;
}

element_types byte_ranges::types(std::int64_t first, std::int64_t last) const {
  element_types out;
  each(
      [&](std::int64_t a, std::int64_t b, const byte_use& use) {
        if (use.element == nem::element::none) return;
        const auto bits = static_cast<std::int64_t>(nem::bitwidth(use.element));
        out.is_aligned = out.is_aligned && (a - first) * 8 % bits == 0 &&
                         (b - first) * 8 % bits == 0 && (last - first) * 8 % bits == 0;
        if (std::find(out.known.begin(), out.known.end(), use.element) == out.known.end())
          out.known.push_back(use.element);
      },
      first, last);
  return out;
}

namespace {

/// An operand of a task.
struct operand_use {
  std::int64_t first, last;
  std::uint32_t buffer;
  nem::element element;
  std::uint8_t range;  ///< in `ranges` below, of the integers that are valid; 0: all
  bool is_write, is_dense, is_copy;
  bool is_first;  ///< of its task
};

/// Records the operands of all tasks, outputs first.
struct recorder : nem::visitor {
  std::size_t max;
  std::vector<operand_use> uses;
  std::vector<byte_use> ranges = {{}};
  std::size_t buffers = 0;
  bool is_whole = true;

  explicit recorder(std::size_t limit) : max(limit) {}

  void task(const nem::values& v, const nem::task& t) {
    buffers = v.buffers.size();
    const std::size_t first = uses.size();
    for (const nem::operand& o : v.outputs(t)) add(v, t, o, true, 0);
    std::size_t role = 0;
    for (const nem::operand& o : v.inputs(t)) add(v, t, o, false, range_of(v, t, role++));
    if (uses.size() != first) uses[first].is_first = true;
  }
  [[nodiscard]] bool stopped() {
    if (uses.size() < max) return false;
    is_whole = false;
    return true;
  }

 private:
  void add(const nem::values& v, const nem::task& t, const nem::operand& o, bool is_write,
           std::uint8_t range) {
    if (o.region == nem::no_index) return;
    const nem::region& r = v.regions[o.region];
    if (!r.is_sound || r.buffer == nem::no_index || r.extent <= 0) return;
    const bool is_copy = t.opcode == nem::opcode::transfer || t.opcode == nem::opcode::store;
    uses.push_back({r.offset, r.offset + r.extent, r.buffer, r.element, range, is_write,
                    !r.has_strides, is_copy, false});
  }
  /// Random indices must be in range, and random divisors must not be 0.
  std::uint8_t range_of(const nem::values& v, const nem::task& t, std::size_t role) {
    if (role != 1) return 0;
    switch (t.opcode) {
      case nem::opcode::div: return number_of({nem::element::none, 1, 7});
      case nem::opcode::pow: return number_of({nem::element::none, 0, 3});
      case nem::opcode::gather: {
        const std::uint32_t data = v.inputs(t)[0].region;
        if (data == nem::no_index) return 0;
        const view<std::int64_t> shape = v.shape(v.regions[data]);
        const std::int64_t rank = static_cast<std::int64_t>(shape.size());
        const std::int64_t axis =
            v.attributes.axis < 0 ? v.attributes.axis + rank : v.attributes.axis;
        if (axis < 0 || axis >= rank) return 0;
        return number_of({nem::element::none, 0, shape[static_cast<std::size_t>(axis)] - 1});
      }
      default: return 0;
    }
  }
  std::uint8_t number_of(const byte_use& range) {
    const auto found = std::find(ranges.begin(), ranges.end(), range);
    if (found != ranges.end()) return static_cast<std::uint8_t>(found - ranges.begin());
    if (ranges.size() > 255) return 0;
    ranges.push_back(range);
    return static_cast<std::uint8_t>(ranges.size() - 1);
  }
};

/// Gives copied bytes the uses of the bytes that they were copied from, where these are known. Copies a
/// limited number of ranges in total.
class copier {
 public:
  void operator()(const byte_ranges& from, std::int64_t first, std::int64_t last, byte_ranges& to,
                  std::int64_t to_first) {
    parts_.clear();
    if (left_ == 0) return;
    from.each(
        [&](std::int64_t a, std::int64_t b, const byte_use& use) {
          if (use.element == nem::element::none || left_ == 0) return;
          --left_;
          parts_.push_back({a - first + to_first, b - first + to_first, use});
        },
        first, last);
    for (const part& p : parts_) to.set(p.first, p.last, p.use);
  }

 private:
  struct part {
    std::int64_t first, last;
    byte_use use;
  };
  std::vector<part> parts_;
  std::size_t left_ = std::size_t{1} << 22;
};

}  // namespace

nem_bytes::nem_bytes(const nem::program& p, std::size_t max) {
  recorder seen(max);
  nem::for_each_task(p, seen);
  is_whole_ = seen.is_whole;
  needed_.resize(seen.buffers);
  written_.resize(seen.buffers);
  const std::vector<operand_use>& uses = seen.uses;
  const auto use_of = [&](const operand_use& o) {
    byte_use out = seen.ranges[o.range];
    out.element = o.element;
    return out;
  };
  copier copy;

  // From the last task to the first: a task's outputs aren't needed before it, its inputs are.
  for (std::size_t end = uses.size(); end != 0;) {
    std::size_t first = end - 1;
    while (!uses[first].is_first) --first;
    if (uses[first].is_copy && end - first == 2) {
      const operand_use &to = uses[first], &from = uses[first + 1];
      byte_use use = use_of(from.element != nem::element::none ? from : to);
      const std::int64_t last = std::min(to.last, to.first + (from.last - from.first));
      byte_ranges there;
      copy(needed_[to.buffer], to.first, last, there, from.first);
      needed_[to.buffer].erase(to.first, last);
      needed_[from.buffer].set(from.first, from.last, use);
      copy(there, from.first, from.last, needed_[from.buffer], from.first);
    } else {
      for (std::size_t i = first; i < end; ++i)
        if (uses[i].is_write && uses[i].is_dense)
          needed_[uses[i].buffer].erase(uses[i].first, uses[i].last);
      for (std::size_t i = end; i-- != first;)
        if (!uses[i].is_write)
          needed_[uses[i].buffer].set(uses[i].first, uses[i].last, use_of(uses[i]));
    }
    end = first;
  }

  for (std::size_t i = 0; i < uses.size(); ++i) {
    const operand_use& to = uses[i];
    if (!to.is_write) continue;
    byte_use use{to.element, 0, -1};
    if (!to.is_copy || i + 1 == uses.size() || uses[i + 1].is_write) {
      written_[to.buffer].set(to.first, to.last, use);
      continue;
    }
    const operand_use& from = uses[i + 1];
    if (use.element == nem::element::none) use.element = from.element;
    const std::int64_t last = std::min(to.last, to.first + (from.last - from.first));
    byte_ranges there;
    copy(needed_[from.buffer], from.first, from.last, there, to.first);
    copy(written_[from.buffer], from.first, from.last, there, to.first);
    written_[to.buffer].set(to.first, last, use);
    if (use.element == nem::element::none)
      copy(there, to.first, last, written_[to.buffer], to.first);
  }
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
