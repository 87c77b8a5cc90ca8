// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a verified program's declarations and tasks resolve to, as comments of its canonical text.
//
//   buffer A : L1[0] (size=N * 8, align=64)  # 64 bytes, aligned to 64
//   loop i in [0..N / 2]:  # i from 0 to 4
//     let X = region(A, i * 8, 8)  # bytes 0 to 7 of A, i8 [8] where i is 0
//         elem=i8, shape=[8]
//
// Of a loop it is the first iteration.
//
// Lifetime:   borrows the program.
// Errors:     none.
// Limits:     none.
// Allocation: 8 bytes for each node, and the texts.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_RESOLVED_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_RESOLVED_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/text.hpp"
#include "../../verify.hpp"
#include "../rules/context.hpp"
#include "print_lines.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// The comments of nodes, made by visiting a program.
class resolved : public visitor {
 public:
  explicit resolved(const model& d) : d_(d) { comments_.resize(d.nodes.size()); }

  /// Of the statement whose node is at `offset`; empty where it has none.
  [[nodiscard]] std::string_view comment(std::uint32_t offset) const noexcept {
    std::size_t first = 0, last = order_.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (d_.nodes[order_[middle]].offset < offset)
        first = middle + 1;
      else
        last = middle;
    }
    if (first == order_.size() || d_.nodes[order_[first]].offset != offset) return {};
    const string& s = comments_[order_[first]];
    return {characters_.data() + s.first, s.size};
  }

  void loop(const values&, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t) {
    loops_.push_back({node, first});
    if (begin(node)) end(node, characters_ << name(node) << " from " << first << " to " << last);
  }
  void end_loop(std::uint32_t) { loops_.pop_back(); }
  void iteration(std::uint32_t, std::int64_t value) { loops_.back().value = value; }
  void task(const values& v, const nem::task& t) {
    for (const operand& o : v.operands)
      if (o.region != no_index) add(v, v.regions[o.region]);
    if (begin(t.node)) add_defaults(v, t);
  }
  void end(const values& v) {
    for (const region& r : v.regions) add(v, r);
    for (const buffer& b : v.buffers) add(b);
    for (std::uint32_t i = 0; i < comments_.size(); ++i)
      if (comments_[i].size != 0) order_.push_back(i);
  }

 private:
  struct open_loop {
    std::uint32_t node;
    std::int64_t value;
  };

  [[nodiscard]] std::string_view name(std::uint32_t node) const noexcept {
    return d_.name(d_.nodes[node].value);
  }
  /// Whether a node has no comment yet, which begins then.
  [[nodiscard]] bool begin(std::uint32_t node) noexcept {
    if (comments_[node].size != 0) return false;
    comments_[node].first = static_cast<std::uint32_t>(characters_.size());
    return true;
  }
  void end(std::uint32_t node, const text&) noexcept {
    comments_[node].size = static_cast<std::uint32_t>(characters_.size()) - comments_[node].first;
  }

  void add(const buffer& b) {
    if (!b.is_known || !begin(b.node)) return;
    characters_ << b.size << " bytes";
    if (b.align > 1) characters_ << ", aligned to " << b.align;
    end(b.node, append_iteration(b.node));
  }
  void add(const values& v, const region& r) {
    if (r.buffer != no_index) add(v.buffers[r.buffer]);
    if (!r.is_sound || r.declaration == no_node || r.buffer == no_index || !begin(r.declaration))
      return;
    characters_ << "bytes " << r.offset << " to " << r.offset + r.extent - 1 << " of "
                << d_.name(v.buffers[r.buffer].name);
    if (r.element != element::none) characters_ << ", " << nem::name(r.element);
    if (r.has_shape) characters_ << ' ' << number_list{v.shape(r)};
    if (r.has_strides) characters_ << ", strides " << number_list{v.strides(r)};
    end(r.declaration, append_iteration(r.declaration));
  }
  /// What a task leaves to its defaults.
  void add_defaults(const values& v, const nem::task& t) {
    std::string_view comma;
    for (const attribute a : {attribute::groups, attribute::constant_value}) {
      const auto takes = signature(t.opcode).attributes;
      if ((takes & attributes::bit(a)) == 0 || v.attributes.has(a)) continue;
      characters_ << comma << (a == attribute::groups ? "groups=1" : "constant_value=0");
      comma = ", ";
    }
    // That of a transfer depends on the memories.
    if (t.unit == unit::none && t.opcode != opcode::transfer &&
        default_unit(t.opcode) != unit::none)
      characters_ << comma << "unit " << nem::name(default_unit(t.opcode));
    end(t.node, characters_);
  }
  /// The iteration of the loops around a node.
  const text& append_iteration(std::uint32_t node) {
    std::string_view link = " where ";
    for (const open_loop& l : loops_) {
      if (node < l.node || node >= d_.nodes[l.node].next) continue;
      characters_ << link << name(l.node) << " is " << l.value;
      link = " and ";
    }
    return characters_;
  }

  const model& d_;
  text characters_;
  pool<string> comments_;      // of each node, in characters_
  pool<std::uint32_t> order_;  // the nodes that have one
  pool<open_loop> loops_;
};

/// plain_lines with comments at the ends of the first lines of statements.
class resolved_lines : public plain_lines {
 public:
  explicit resolved_lines(const resolved& r) noexcept : resolved_(r) {}

  text& begin(std::uint32_t offset, std::uint32_t indent, line_role role) {
    end_line();
    if (role == line_role::item) comment_ = resolved_.comment(offset);
    return plain_lines::begin(offset, indent, role);
  }
  text& begin_heading(std::uint32_t, std::uint32_t indent, line_role role) {
    end_line();
    return plain_lines::begin(0, indent, role);
  }
  text& close(std::uint32_t indent) {
    end_line();
    return plain_lines::close(indent);
  }
  [[nodiscard]] text finish() {
    end_line();
    return plain_lines::finish();
  }

 private:
  void end_line() {
    if (!comment_.empty()) out_ << "  # " << comment_;
    comment_ = {};
  }

  const resolved& resolved_;
  std::string_view comment_;
};

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_RESOLVED_HPP
