// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/print.hpp.

#ifndef TESSERA_ARK_DETAIL_PRINT_HPP
#define TESSERA_ARK_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/json.hpp"
#include "../../core/pool.hpp"
#include "../../core/shortest.hpp"
#include "../../core/text.hpp"
#include "../check.hpp"
#include "../format.hpp"
#include "../print.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Appends the parts of a listing. Plans hold the same operations and use it too.
class graph_printer {
 public:
  graph_printer(text& out, const model& g) : out_(out), g_(g) {}

  void count(std::size_t n, std::string_view noun) {
    out_ << n << ' ' << noun << (n == 1 ? "" : "s");
  }

  /// Results, Type, tensors that are read and written, arguments. No end of line.
  void operation(const op& o) {
    const view<std::uint32_t> written = writes(g_, o);
    std::string_view between;
    for (const std::uint32_t t : results(g_, o)) {
      out_ << between;
      if (!written.empty() && same_view(t, written[0]))
        out_ << '%' << g_.tensors[t].id;
      else
        tensor(t);
      between = ", ";
    }
    if (o.results != 0) out_ << " = ";
    word(type_name(g_, o));
    out_ << '(';
    tensors(reads(g_, o));
    out_ << ')';
    if (o.writes != 0) out_ << " -> ";
    tensors(written);
    if (o.arguments.count == 0) return;
    between = " {";
    for (const argument& a : arguments(g_, o)) {
      out_ << between;
      one_argument(o, a);
      between = ", ";
    }
    out_ << '}';
  }
  /// The parts without effect on the result.
  void comment(const op& o) {
    out_ << ' ';
    json::append_quoted(out_, name(g_, o));
    if (o.is_virtual != is_virtual(o.type)) out_ << (o.is_virtual ? ", virtual" : ", not virtual");
    members(o.members);
  }
  void members(std::uint32_t first) {
    for (std::uint32_t i = first; i != none; i = g_.members[i].next) {
      out_ << ", ";
      word(text_of(g_, g_.members[i].key));
      append_shown(out_ << '=', text_of(g_, g_.members[i].value));
    }
  }
  void edges(std::string_view arrow, view<std::int64_t> ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) out_ << (i == 0 ? arrow : ", ") << ids[i];
  }

  /// A line for a buffer that isn't a plain local one.
  void buffer(const ark::buffer& b) {
    const bool local = is_local(g_, b);
    if (local && b.send_tags.count + std::uint64_t{b.recv_tags.count} == 0 &&
        b.external != external::yes && b.members == none)
      return;
    out_ << '@' << b.id << ": ";
    std::string_view between;
    if (!local) {
      out_ << "rank " << b.rank;
      between = ", ";
    }
    if (b.external == external::yes) {
      out_ << between << "external";
      between = ", ";
    }
    for (const bool sends : {true, false}) {
      const view<tag> list = tags(g_, sends ? b.send_tags : b.recv_tags);
      if (list.empty()) continue;
      out_ << between << (sends ? "sends" : "receives");
      for (const tag& t : list) out_ << " [" << t.rank << ',' << t.number << ']';
      between = ", ";
    }
    if (between.empty()) out_ << "local";
    members(b.members);
    out_ << '\n';
  }

 private:
  /// A name, in quotes unless it is an identifier.
  void word(std::string_view s) {
    bool plain = !s.empty();
    for (const char c : s)
      plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-');
    if (plain)
      out_ << s;
    else
      json::append_quoted(out_, s);
  }
  void list(const std::int64_t* values, std::size_t count) {
    out_ << '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) out_ << ',';
      out_ << values[i];
    }
    out_ << ']';
  }
  static bool equal(const std::int64_t* a, const std::int64_t* b, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  [[nodiscard]] bool same_view(std::uint32_t a, std::uint32_t b) const noexcept {
    return g_.tensors[a].type == g_.tensors[b].type &&
           g_.tensors[a].buffer == g_.tensors[b].buffer &&
           same_dimensions(layout_of(g_, a), layout_of(g_, b));
  }
  void tensors(view<std::uint32_t> all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != 0) out_ << ", ";
      tensor(all[i]);
    }
  }
  void tensor(std::uint32_t index) {
    constexpr std::int64_t zeros[max_rank] = {}, ones[max_rank] = {1, 1, 1, 1};
    const ark::tensor& t = g_.tensors[index];
    const layout& l = g_.layouts[t.layout];
    out_ << '%' << t.id << ' ' << info(t.type).name;
    list(l.shape, l.rank);
    const auto unless = [&](const std::int64_t* plain, const char* word, const std::int64_t* is) {
      if (equal(plain, is, l.rank)) return;
      out_ << word;
      list(is, l.rank);
    };
    unless(l.shape, " of ", l.strides);
    unless(zeros, " at ", l.offsets);
    unless(l.shape, " padded ", l.padded_shape);
    if (l.pads != none) unless(ones, " pads ", g_.integers.data() + l.pads);
    const ark::buffer& b = g_.buffers[t.buffer];
    out_ << " @" << b.id;
    if (!is_local(g_, b)) out_ << ":rank" << b.rank;
  }

  void one_argument(const op& o, const argument& a) {
    word(name(g_, a));
    out_ << '=';
    bool known = false;
    for (const argument_row& row : argument_table)
      known = known || (row.op == o.type && row.name == a.name && row.type == a.type);
    if (!known && a.type != argument_type::other)
      out_ << argument_type_names[static_cast<std::size_t>(a.type)] << ':';
    switch (a.type) {
      case argument_type::int32:
      case argument_type::int64:
      case argument_type::uint32: out_ << a.integer; break;
      case argument_type::uint64: out_ << static_cast<std::uint64_t>(a.integer); break;
      case argument_type::boolean: out_ << (a.integer != 0 ? "true" : "false"); break;
      case argument_type::float32:
        if (a.token.size != 0)
          out_ << text_of(g_, a.token);
        else
          append_double(out_, static_cast<double>(a.real), double_style::json15);
        break;
      case argument_type::dims:
        list(g_.integers.data() + a.integers.first, a.integers.count);
        break;
      case argument_type::tensor: tensor(static_cast<std::uint32_t>(a.integer)); break;
      case argument_type::offset: {
        const view<std::int64_t> parts = integers(g_, a.integers);
        if (parts.size() == 2) out_ << '@' << parts[0] << '+';
        out_ << parts[parts.size() - 1];
        break;
      }
      case argument_type::other: append_shown(out_, text_of(g_, a.token)); break;
    }
  }

  text& out_;
  const ark::model& g_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE text print(const model& m, const print_options&) {
  text out;
  detail::graph_printer p(out, m);
  const error wrong = check(m);
  out << "ark " << (wrong.code == errc::ark_dialect ? std::string_view("?") : info(m.form).name)
      << ": rank " << m.rank << " of " << m.world_size << ", ";
  p.count(m.nodes.size(), "node");
  out << ", ";
  p.count(m.ops.size(), "operation");
  out << ", ";
  p.count(m.tensors.size(), "tensor");
  out << ", ";
  p.count(m.buffers.size(), "buffer");
  if (wrong.code != errc::ok) {
    out << "; " << wrong.name() << '\n';
    return out;
  }
  p.members(m.own_members);
  out << '\n';
  for (const node& n : m.nodes)
    for (std::uint32_t i = 0; i < n.ops.count; ++i) {
      const op& o = m.ops[n.ops.first + i];
      p.operation(o);
      out << "  # node " << n.id;
      if (n.ops.count > 1) out << '.' << i;
      p.comment(o);
      if (i == 0) {
        p.edges(" <- ", integers(m, n.producers));
        p.edges(" -> ", integers(m, n.consumers));
        p.members(n.members);
      }
      out << '\n';
    }
  for (const buffer& b : m.buffers) p.buffer(b);
  return out;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PRINT_HPP
