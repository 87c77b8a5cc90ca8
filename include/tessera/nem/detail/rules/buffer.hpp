// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Buffers: their declarations, and whether all of them fit into the device's memories.
//
//   detail::declare_buffer(c, node);      // into values::buffers, and bound to its name
//   detail::check_capacity(c);            // once, after the last statement
//
//   buffer NAME : level[engine] (size=, align=)     "Buffers": BUF-001 … BUF-007
//   l1_size_bytes, l2_size_bytes                    "Device Configuration", rule 6: CAP-001, CAP-002
//
// A buffer of a loop body is one allocation, whatever the number of iterations.
//
// Lifetime:   nothing is kept.
// Errors:     reported.
// Limits:     none.
// Allocation: that of values::buffers; check_capacity() 16 bytes for each buffer of an L1.

#ifndef TESSERA_NEM_DETAIL_RULES_BUFFER_HPP
#define TESSERA_NEM_DETAIL_RULES_BUFFER_HPP

#include <cstddef>
#include <cstdint>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "context.hpp"
#include "decorator.hpp"
#include "evaluate.hpp"
#include "scope.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A number of a buffer's declaration: the same in each iteration.
[[gnu::cold]] inline bool evaluate_static(context& c, std::uint32_t at, const purpose& p,
                                          std::int64_t& to) {
  number x = {};
  if (!evaluate(c, at, p, x)) return false;
  if (x.varies) {
    c.report(errc::nem_buf_005_loop_variable, at)
        << "a buffer is allocated once: its declaration can't depend on a loop variable";
    return false;
  }
  to = x.integer;
  return true;
}

/// Evaluates a declaration for the first time.
[[gnu::cold]] inline void evaluate_buffer(context& c, std::uint32_t at, buffer& b) {
  const std::int64_t engines =
      c.target != nullptr && c.target->has_topology ? c.target->topology.engines : 0;
  bool has_size = false, has_index = false, is_known = true;
  b.flags = decorated_access(c.d, at);
  for (const std::uint32_t i : children(c.d, at)) {
    const std::uint32_t value = i + 1;
    std::int64_t x = 0;
    switch (c[i].kind) {
      case node_kind::level_index:
        has_index = true;
        if (!evaluate_static(c, value, {"engine indices must be integers"}, x)) {
          is_known = false;
        } else if (x < 0 || (engines > 0 && x >= engines)) {
          is_known = false;
          auto w = c.report(errc::nem_buf_004_engine, value);
          if (x < 0)
            w << "L1[" << x << "]: engines are counted from 0";
          else
            w << "L1[" << x << "]: the device has " << engines
              << (engines == 1 ? " engine" : " engines");
        }
        b.engine = x;
        break;
      case node_kind::size:
        has_size = true;
        if (!evaluate_static(c, value, {"buffer sizes must be integer"}, x)) {
          is_known = false;
        } else if (x <= 0) {
          is_known = false;
          c.report(errc::nem_buf_002_positive, value)
              << "buffer " << c.d.name(b.name) << " has " << x << " bytes, expected at least 1";
        }
        b.size = x;
        break;
      case node_kind::align:
        if (!evaluate_static(c, value, {"alignments must be integers"}, x)) break;
        if (x <= 0 || (x & (x - 1)) != 0)
          c.report(errc::nem_buf_003_align, value)
              << "expected an alignment that is a power of two, found " << x;
        else
          b.align = x;
        break;
      default: break;
    }
  }
  if (!has_size) {
    is_known = false;
    c.report(errc::nem_buf_001_size, at)
        << "buffer " << c.d.name(b.name) << " has no size=; expected one";
  }
  if (b.level == level::l1 && !has_index && engines > 1)
    c.report(errc::nem_buf_006_unindexed, at)
        << "buffer " << c.d.name(b.name) << " is placed in L1[0] by default; the device has "
        << engines << " engines: name one as L1[i]";
  if (c.names->depth() != 0)
    c.report(errc::nem_buf_007_in_loop, at)
        << "buffer " << c.d.name(b.name)
        << " is declared in a loop body: all iterations share one allocation";
  b.is_known = is_known;
}

[[gnu::cold]] inline void declare_buffer(context& c, std::uint32_t at) {
  // Each declaration is met first in the order of the file, so the pool is sorted by node.
  pool<buffer>& all = c.v.buffers;
  std::size_t index = all.size();
  if (index != 0 && all.back().node >= at)
    index = first_not_below(all.data(), all.size(), [&](const buffer& b) { return b.node < at; });
  if (index == all.size()) {
    buffer b;
    b.node = at;
    b.name = c[at].value;
    b.level = static_cast<level>(c[at].detail);
    evaluate_buffer(c, at, b);
    all.push_back(b);
  }
  binding b;
  b.kind = binding_kind::buffer;
  b.node = at;
  b.index = static_cast<std::uint32_t>(index);
  declare(c, c[at].value, b);
}

/// Adds up what each memory of the target holds. The buffer that is too much is reported.
[[gnu::cold]] inline void check_capacity(context& c) {
  if (c.target == nullptr || !c.target->has_topology) return;
  const topology& t = c.target->topology;
  struct share {
    std::int64_t engine;
    std::uint32_t buffer;
  };
  pool<share> in_l1;
  std::int64_t sum = 0;
  bool is_full = false;
  const auto add = [&](const buffer& b, std::int64_t room, errc code) {
    if (is_full) return;
    is_full = __builtin_add_overflow(sum, b.size, &sum) || sum > room;
    if (!is_full) return;
    auto w = c.report(code, b.node);
    if (b.level == level::l1)
      w << "L1[" << b.engine << ']';
    else
      w << "L2";
    w << " has " << room << " bytes; with " << c.d.name(b.name) << " its buffers need ";
    if (sum < 0)
      w << "more than 2^63 - 1";
    else
      w << sum;
  };
  for (std::size_t i = 0; i < c.v.buffers.size(); ++i) {
    const buffer& b = c.v.buffers[i];
    if (!b.is_known) continue;
    if (b.level == level::l2 && t.l2_size > 0) add(b, t.l2_size, errc::nem_cap_002_l2);
    if (b.level == level::l1) in_l1.push_back({b.engine, static_cast<std::uint32_t>(i)});
  }
  if (t.l1_size <= 0) return;
  sort(in_l1.data(), in_l1.size(),
       [](const share& a, const share& b) { return a.engine < b.engine; });
  for (std::size_t i = 0; i < in_l1.size(); ++i) {
    if (i == 0 || in_l1[i].engine != in_l1[i - 1].engine) sum = 0, is_full = false;
    add(c.v.buffers[in_l1[i].buffer], t.l1_size, errc::nem_cap_001_l1);
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_BUFFER_HPP
